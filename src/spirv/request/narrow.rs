//! Functions on integers of widths that OpenCL C lacks: those for the next wider integers, whose results are adjusted.
//! Instructions that are not listed here have no such function.

use super::ArgType;
use crate::grammar::{Opcode, opencl_std};
use crate::types::container;

/// Use of a function for wider integers.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Adjustment {
    /// True if operands are sign-extended, else their upper bits are zero.
    pub is_signed: bool,
    pub after: After,
}

/// Change of a result.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum After {
    /// The upper bits become zero.
    Clear,
    /// The result becomes the nearest number that the type has.
    ClampSigned,
    ClampUnsigned,
    /// The upper bits have been counted, too.
    LeadingZeros,
    /// Zero has as many zeros as bits.
    TrailingZeros,
    /// The bits are the uppermost ones.
    Reversed,
}

const fn signed(after: After) -> Option<Adjustment> {
    Some(Adjustment { is_signed: true, after })
}

const fn unsigned(after: After) -> Option<Adjustment> {
    Some(Adjustment { is_signed: false, after })
}

/// Returns the adjustment for an instruction of OpenCL.std.
pub(crate) fn of_extended(number: u32) -> Option<Adjustment> {
    match number {
        opencl_std::s_abs
        | opencl_std::s_abs_diff
        | opencl_std::s_min
        | opencl_std::s_max
        | opencl_std::s_clamp
        | opencl_std::s_hadd
        | opencl_std::s_rhadd
        | opencl_std::select => signed(After::Clear),
        opencl_std::u_abs
        | opencl_std::u_abs_diff
        | opencl_std::u_min
        | opencl_std::u_max
        | opencl_std::u_clamp
        | opencl_std::u_hadd
        | opencl_std::u_rhadd
        | opencl_std::u_sub_sat
        | opencl_std::popcount
        | opencl_std::bitselect => unsigned(After::Clear),
        opencl_std::s_add_sat | opencl_std::s_sub_sat => signed(After::ClampSigned),
        opencl_std::u_add_sat => unsigned(After::ClampUnsigned),
        opencl_std::clz => unsigned(After::LeadingZeros),
        opencl_std::ctz => unsigned(After::TrailingZeros),
        _ => None,
    }
}

/// Returns the adjustment for a core instruction.
pub(crate) fn of_core(opcode: Opcode) -> Option<Adjustment> {
    use Opcode::*;
    match opcode {
        BitFieldInsert
        | BitFieldSExtract
        | BitFieldUExtract
        | ConvertUToF
        | UAverageINTEL
        | UAverageRoundedINTEL
        | AbsUSubINTEL
        | USubSatINTEL
        | GroupBroadcast
        | GroupIAdd
        | GroupUMin
        | GroupUMax
        | GroupIMulKHR
        | GroupBitwiseAndKHR
        | GroupBitwiseOrKHR
        | GroupBitwiseXorKHR
        | GroupNonUniformAllEqual
        | GroupNonUniformBroadcast
        | GroupNonUniformBroadcastFirst
        | GroupNonUniformShuffle
        | GroupNonUniformShuffleXor
        | GroupNonUniformShuffleUp
        | GroupNonUniformShuffleDown
        | GroupNonUniformRotateKHR
        | GroupNonUniformIAdd
        | GroupNonUniformIMul
        | GroupNonUniformUMin
        | GroupNonUniformUMax
        | GroupNonUniformBitwiseAnd
        | GroupNonUniformBitwiseOr
        | GroupNonUniformBitwiseXor
        | SubgroupFirstInvocationKHR
        | SubgroupReadInvocationKHR
        | SubgroupShuffleINTEL
        | SubgroupShuffleXorINTEL
        | SubgroupShuffleDownINTEL
        | SubgroupShuffleUpINTEL => unsigned(After::Clear),
        ConvertSToF | IAverageINTEL | IAverageRoundedINTEL | AbsISubINTEL => signed(After::Clear),
        IAddSatINTEL
        | ISubSatINTEL
        | SConvert
        // What has no work-items in front of it is the largest number of the wider type.
        | GroupSMin
        | GroupSMax
        | GroupNonUniformSMin
        | GroupNonUniformSMax => signed(After::ClampSigned),
        ConvertFToS | SatConvertUToS => unsigned(After::ClampSigned),
        SatConvertSToU => signed(After::ClampUnsigned),
        UAddSatINTEL | ConvertFToU | UConvert => unsigned(After::ClampUnsigned),
        UCountLeadingZerosINTEL => unsigned(After::LeadingZeros),
        UCountTrailingZerosINTEL => unsigned(After::TrailingZeros),
        BitReverse => unsigned(After::Reversed),
        _ => None,
    }
}

/// Returns the position of an operand whose type is not that of the result, if one of them is an integer of a width that
/// OpenCL C lacks: the functions listed for instructions of OpenCL.std have one type.
pub(super) fn other_type(result: &ArgType, operands: &[ArgType]) -> Option<usize> {
    let is_narrow = |ty: &ArgType| held(*ty) != *ty;
    if !is_narrow(result) && !operands.iter().any(is_narrow) {
        return None;
    }
    operands.iter().position(|operand| operand != result)
}

/// Returns the type of the values that a function takes instead of those of a type.
pub(super) fn held(ty: ArgType) -> ArgType {
    match ty {
        ArgType::Int { bits, lanes } => ArgType::Int { bits: container(bits.into()) as u8, lanes },
        other => other,
    }
}
