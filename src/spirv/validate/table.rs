//! Rules of instructions: a row for each, with the classes of result and operands and a relation between their types.

use super::classes::Class::{self, *};
use crate::grammar::Opcode;

/// Relation between the types of result and operands. Operands without a type, such as scopes, do not count.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Relation {
    Free,
    /// All operands have the result's type.
    Same,
    /// The first operand has the result's type.
    First,
    /// The first two operands have the result's type.
    FirstTwo,
    /// The operands have as many components as the result.
    Lanes,
    /// The first operand has the result's type, the others as many components.
    Shift,
    /// The operands have one type, and the result as many components.
    Compare,
    /// The first operand has the result's type, the second that of its components.
    Scaled,
    /// The operands have one type, and the result that of its components.
    Dot,
    /// The result has the type of the first operand's components.
    Extract,
    /// The operands have one type, and so have the two members of the result.
    Pair,
    /// The operands are pointers to one storage class.
    Spaces,
    /// The pointer points at the type of the result and of the other values, of which there may be none.
    Atomic,
    /// The pointer points at integers of 32 bits.
    Flag,
    /// The pointer points at the type of the components of the result or the value.
    Block,
    /// The first two operands have as many components of one width; the third has the result's type.
    Products,
    /// The image is one to read, or to write if there is no result; the coordinate has its dimensions.
    Texel,
}

/// Rule of an instruction.
#[derive(Clone, Copy, Debug)]
pub(super) struct Row {
    pub opcode: Opcode,
    pub result: Class,
    /// Operands behind those of the result. The last ones may be missing where the grammar allows it.
    pub operands: &'static [Class],
    pub relation: Relation,
}

const fn row(opcode: Opcode, result: Class, operands: &'static [Class], relation: Relation) -> Row {
    Row { opcode, result, operands, relation }
}

const TWO_INTS: &[Class] = &[Ints, Ints];
const TWO_FLOATS: &[Class] = &[Floats, Floats];
const TWO_BOOLS: &[Class] = &[Bools, Bools];
const TWO_POINTERS: &[Class] = &[Pointer, Pointer];
const BARRIER: &[Class] = &[Execution, MemoryScope, Semantics];
const ATOMIC: &[Class] = &[WritablePointer, MemoryScope, Semantics];
const ATOMIC_INT: &[Class] = &[WritablePointer, MemoryScope, Semantics, Int];
const ATOMIC_FLOAT: &[Class] = &[WritablePointer, MemoryScope, Semantics, Float];
const ATOMIC_NUMBER: &[Class] = &[WritablePointer, MemoryScope, Semantics, Number];
const ATOMIC_STORE: &[Class] = ATOMIC_NUMBER;
const ATOMIC_COMPARE: &[Class] = &[WritablePointer, MemoryScope, Semantics, Semantics, Int, Int];
const GROUP_INTS: &[Class] = &[Execution, GroupOperation, Ints];
const GROUP_FLOATS: &[Class] = &[Execution, GroupOperation, Floats];
const GROUP_BOOLS: &[Class] = &[Execution, GroupOperation, Bools];
const SUB_INTS: &[Class] = &[SubGroup, GroupOperation, Ints, Int];
const SUB_FLOATS: &[Class] = &[SubGroup, GroupOperation, Floats, Int];
const SUB_BOOLS: &[Class] = &[SubGroup, GroupOperation, Bools, Int];
const SUB_SHUFFLE: &[Class] = &[SubGroup, Any, Int];
const DOT: &[Class] = &[Ints, Ints, PackedFormat];
const DOT_SUM: &[Class] = &[Ints, Ints, Int, PackedFormat];
const RESERVE_READ: &[Class] = &[ReadPipe, Int32, Int32, Int32];
const RESERVE_WRITE: &[Class] = &[WritePipe, Int32, Int32, Int32];
const COMMIT_READ: &[Class] = &[ReadPipe, ReserveId, Int32, Int32];
const COMMIT_WRITE: &[Class] = &[WritePipe, ReserveId, Int32, Int32];
const KERNEL: &[Class] = &[Function, Pointer, Int32, Int32];
const KERNEL_OF_RANGE: &[Class] = &[Any, Function, Pointer, Int32, Int32];

/// Rules, in the order of their opcodes.
#[rustfmt::skip]
pub(super) static ROWS: &[Row] = &[
    row(Opcode::GenericPtrMemSemantics, Int32, &[GenericPointer], Relation::Free),
    row(Opcode::VectorExtractDynamic, Scalar, &[Vector, Int], Relation::Extract),
    row(Opcode::VectorInsertDynamic, Vector, &[Vector, Scalar, Int], Relation::Scaled),
    row(Opcode::CopyObject, Any, &[Any], Relation::Same),
    row(Opcode::SampledImage, SampledImage, &[Image, Sampler], Relation::Free),
    row(Opcode::ImageSampleExplicitLod, Numbers, &[SampledImage, Numbers, ImageOperands], Relation::Texel),
    row(Opcode::ImageRead, Numbers, &[Image, Ints, ImageOperands], Relation::Texel),
    row(Opcode::ImageWrite, Nothing, &[Image, Ints, Numbers, ImageOperands], Relation::Texel),
    row(Opcode::Image, Image, &[SampledImage], Relation::Free),
    row(Opcode::ImageQueryFormat, Int32, &[Image], Relation::Free),
    row(Opcode::ImageQueryOrder, Int32, &[Image], Relation::Free),
    row(Opcode::ImageQuerySizeLod, Ints, &[Image, Int], Relation::Free),
    row(Opcode::ImageQuerySize, Ints, &[Image], Relation::Free),
    row(Opcode::ConvertFToU, Ints, &[Floats], Relation::Lanes),
    row(Opcode::ConvertFToS, Ints, &[Floats], Relation::Lanes),
    row(Opcode::ConvertSToF, Floats, &[Ints], Relation::Lanes),
    row(Opcode::ConvertUToF, Floats, &[Ints], Relation::Lanes),
    row(Opcode::UConvert, Ints, &[Ints], Relation::Lanes),
    row(Opcode::SConvert, Ints, &[Ints], Relation::Lanes),
    row(Opcode::FConvert, Floats, &[Floats], Relation::Lanes),
    row(Opcode::ConvertPtrToU, Int, &[Pointer], Relation::Free),
    row(Opcode::SatConvertSToU, Ints, &[Ints], Relation::Lanes),
    row(Opcode::SatConvertUToS, Ints, &[Ints], Relation::Lanes),
    row(Opcode::ConvertUToPtr, Pointer, &[Int], Relation::Free),
    row(Opcode::PtrCastToGeneric, GenericPointer, &[NamedPointer], Relation::Free),
    row(Opcode::GenericCastToPtr, NamedPointer, &[GenericPointer], Relation::Free),
    row(Opcode::SNegate, Ints, &[Ints], Relation::Same),
    row(Opcode::FNegate, Floats, &[Floats], Relation::Same),
    row(Opcode::IAdd, Ints, TWO_INTS, Relation::Same),
    row(Opcode::FAdd, Floats, TWO_FLOATS, Relation::Same),
    row(Opcode::ISub, Ints, TWO_INTS, Relation::Same),
    row(Opcode::FSub, Floats, TWO_FLOATS, Relation::Same),
    row(Opcode::IMul, Ints, TWO_INTS, Relation::Same),
    row(Opcode::FMul, Floats, TWO_FLOATS, Relation::Same),
    row(Opcode::UDiv, Ints, TWO_INTS, Relation::Same),
    row(Opcode::SDiv, Ints, TWO_INTS, Relation::Same),
    row(Opcode::FDiv, Floats, TWO_FLOATS, Relation::Same),
    row(Opcode::UMod, Ints, TWO_INTS, Relation::Same),
    row(Opcode::SRem, Ints, TWO_INTS, Relation::Same),
    row(Opcode::SMod, Ints, TWO_INTS, Relation::Same),
    row(Opcode::FRem, Floats, TWO_FLOATS, Relation::Same),
    row(Opcode::FMod, Floats, TWO_FLOATS, Relation::Same),
    row(Opcode::VectorTimesScalar, FloatVector, &[FloatVector, Float], Relation::Scaled),
    row(Opcode::Dot, Float, &[FloatVector, FloatVector], Relation::Dot),
    row(Opcode::IAddCarry, Struct, TWO_INTS, Relation::Pair),
    row(Opcode::ISubBorrow, Struct, TWO_INTS, Relation::Pair),
    row(Opcode::UMulExtended, Struct, TWO_INTS, Relation::Pair),
    row(Opcode::SMulExtended, Struct, TWO_INTS, Relation::Pair),
    row(Opcode::Any, Bool, &[BoolsOrInts], Relation::Free),
    row(Opcode::All, Bool, &[BoolsOrInts], Relation::Free),
    row(Opcode::IsNan, Bools, &[Floats], Relation::Compare),
    row(Opcode::IsInf, Bools, &[Floats], Relation::Compare),
    row(Opcode::IsFinite, Bools, &[Floats], Relation::Compare),
    row(Opcode::IsNormal, Bools, &[Floats], Relation::Compare),
    row(Opcode::SignBitSet, Bools, &[Floats], Relation::Compare),
    row(Opcode::LessOrGreater, Bools, TWO_FLOATS, Relation::Compare),
    row(Opcode::Ordered, Bools, TWO_FLOATS, Relation::Compare),
    row(Opcode::Unordered, Bools, TWO_FLOATS, Relation::Compare),
    row(Opcode::LogicalEqual, Bools, TWO_BOOLS, Relation::Same),
    row(Opcode::LogicalNotEqual, Bools, TWO_BOOLS, Relation::Same),
    row(Opcode::LogicalOr, Bools, TWO_BOOLS, Relation::Same),
    row(Opcode::LogicalAnd, Bools, TWO_BOOLS, Relation::Same),
    row(Opcode::LogicalNot, Bools, &[Bools], Relation::Same),
    row(Opcode::IEqual, Bools, TWO_INTS, Relation::Compare),
    row(Opcode::INotEqual, Bools, TWO_INTS, Relation::Compare),
    row(Opcode::UGreaterThan, Bools, TWO_INTS, Relation::Compare),
    row(Opcode::SGreaterThan, Bools, TWO_INTS, Relation::Compare),
    row(Opcode::UGreaterThanEqual, Bools, TWO_INTS, Relation::Compare),
    row(Opcode::SGreaterThanEqual, Bools, TWO_INTS, Relation::Compare),
    row(Opcode::ULessThan, Bools, TWO_INTS, Relation::Compare),
    row(Opcode::SLessThan, Bools, TWO_INTS, Relation::Compare),
    row(Opcode::ULessThanEqual, Bools, TWO_INTS, Relation::Compare),
    row(Opcode::SLessThanEqual, Bools, TWO_INTS, Relation::Compare),
    row(Opcode::FOrdEqual, Bools, TWO_FLOATS, Relation::Compare),
    row(Opcode::FUnordEqual, Bools, TWO_FLOATS, Relation::Compare),
    row(Opcode::FOrdNotEqual, Bools, TWO_FLOATS, Relation::Compare),
    row(Opcode::FUnordNotEqual, Bools, TWO_FLOATS, Relation::Compare),
    row(Opcode::FOrdLessThan, Bools, TWO_FLOATS, Relation::Compare),
    row(Opcode::FUnordLessThan, Bools, TWO_FLOATS, Relation::Compare),
    row(Opcode::FOrdGreaterThan, Bools, TWO_FLOATS, Relation::Compare),
    row(Opcode::FUnordGreaterThan, Bools, TWO_FLOATS, Relation::Compare),
    row(Opcode::FOrdLessThanEqual, Bools, TWO_FLOATS, Relation::Compare),
    row(Opcode::FUnordLessThanEqual, Bools, TWO_FLOATS, Relation::Compare),
    row(Opcode::FOrdGreaterThanEqual, Bools, TWO_FLOATS, Relation::Compare),
    row(Opcode::FUnordGreaterThanEqual, Bools, TWO_FLOATS, Relation::Compare),
    row(Opcode::ShiftRightLogical, Ints, TWO_INTS, Relation::Shift),
    row(Opcode::ShiftRightArithmetic, Ints, TWO_INTS, Relation::Shift),
    row(Opcode::ShiftLeftLogical, Ints, TWO_INTS, Relation::Shift),
    row(Opcode::BitwiseOr, Ints, TWO_INTS, Relation::Same),
    row(Opcode::BitwiseXor, Ints, TWO_INTS, Relation::Same),
    row(Opcode::BitwiseAnd, Ints, TWO_INTS, Relation::Same),
    row(Opcode::Not, Ints, &[Ints], Relation::Same),
    row(Opcode::BitFieldInsert, Ints, &[Ints, Ints, Int, Int], Relation::FirstTwo),
    row(Opcode::BitFieldSExtract, Ints, &[Ints, Int, Int], Relation::First),
    row(Opcode::BitFieldUExtract, Ints, &[Ints, Int, Int], Relation::First),
    row(Opcode::BitReverse, Ints, &[Ints], Relation::Same),
    row(Opcode::BitCount, Ints, &[Ints], Relation::Lanes),
    row(Opcode::ControlBarrier, Nothing, BARRIER, Relation::Free),
    row(Opcode::MemoryBarrier, Nothing, &[MemoryScope, Semantics], Relation::Free),
    row(Opcode::AtomicLoad, Number, &[WritablePointer, LoadOrder, LoadOrder], Relation::Atomic),
    row(Opcode::AtomicStore, Nothing, ATOMIC_STORE, Relation::Atomic),
    row(Opcode::AtomicExchange, Number, ATOMIC_NUMBER, Relation::Atomic),
    row(Opcode::AtomicCompareExchange, Int, ATOMIC_COMPARE, Relation::Atomic),
    row(Opcode::AtomicCompareExchangeWeak, Int, ATOMIC_COMPARE, Relation::Atomic),
    row(Opcode::AtomicIIncrement, Int, ATOMIC, Relation::Atomic),
    row(Opcode::AtomicIDecrement, Int, ATOMIC, Relation::Atomic),
    row(Opcode::AtomicIAdd, Int, ATOMIC_INT, Relation::Atomic),
    row(Opcode::AtomicISub, Int, ATOMIC_INT, Relation::Atomic),
    row(Opcode::AtomicSMin, Int, ATOMIC_INT, Relation::Atomic),
    row(Opcode::AtomicUMin, Int, ATOMIC_INT, Relation::Atomic),
    row(Opcode::AtomicSMax, Int, ATOMIC_INT, Relation::Atomic),
    row(Opcode::AtomicUMax, Int, ATOMIC_INT, Relation::Atomic),
    row(Opcode::AtomicAnd, Int, ATOMIC_INT, Relation::Atomic),
    row(Opcode::AtomicOr, Int, ATOMIC_INT, Relation::Atomic),
    row(Opcode::AtomicXor, Int, ATOMIC_INT, Relation::Atomic),
    row(Opcode::GroupAsyncCopy, Event, &[WorkGroup, NamedPointer, Pointer, Int, Int, Event], Relation::Free),
    row(Opcode::GroupWaitEvents, Nothing, &[WorkGroup, Int32, Pointer], Relation::Free),
    row(Opcode::GroupAll, Bool, &[Execution, Bool], Relation::Free),
    row(Opcode::GroupAny, Bool, &[Execution, Bool], Relation::Free),
    row(Opcode::GroupBroadcast, Any, &[Execution, Any, Ints], Relation::First),
    row(Opcode::GroupIAdd, Ints, GROUP_INTS, Relation::Same),
    row(Opcode::GroupFAdd, Floats, GROUP_FLOATS, Relation::Same),
    row(Opcode::GroupFMin, Floats, GROUP_FLOATS, Relation::Same),
    row(Opcode::GroupUMin, Ints, GROUP_INTS, Relation::Same),
    row(Opcode::GroupSMin, Ints, GROUP_INTS, Relation::Same),
    row(Opcode::GroupFMax, Floats, GROUP_FLOATS, Relation::Same),
    row(Opcode::GroupUMax, Ints, GROUP_INTS, Relation::Same),
    row(Opcode::GroupSMax, Ints, GROUP_INTS, Relation::Same),
    row(Opcode::ReadPipe, Int32, &[ReadPipe, WritablePointer, Int32, Int32], Relation::Free),
    row(Opcode::WritePipe, Int32, &[WritePipe, Pointer, Int32, Int32], Relation::Free),
    row(Opcode::ReservedReadPipe, Int32, &[ReadPipe, ReserveId, Int32, WritablePointer, Int32, Int32], Relation::Free),
    row(Opcode::ReservedWritePipe, Int32, &[WritePipe, ReserveId, Int32, Pointer, Int32, Int32], Relation::Free),
    row(Opcode::ReserveReadPipePackets, ReserveId, RESERVE_READ, Relation::Free),
    row(Opcode::ReserveWritePipePackets, ReserveId, RESERVE_WRITE, Relation::Free),
    row(Opcode::CommitReadPipe, Nothing, COMMIT_READ, Relation::Free),
    row(Opcode::CommitWritePipe, Nothing, COMMIT_WRITE, Relation::Free),
    row(Opcode::IsValidReserveId, Bool, &[ReserveId], Relation::Free),
    row(Opcode::GetNumPipePackets, Int32, &[Pipe, Int32, Int32], Relation::Free),
    row(Opcode::GetMaxPipePackets, Int32, &[Pipe, Int32, Int32], Relation::Free),
    row(Opcode::GroupReserveReadPipePackets, ReserveId, &[Execution, ReadPipe, Int32, Int32, Int32], Relation::Free),
    row(Opcode::GroupReserveWritePipePackets, ReserveId, &[Execution, WritePipe, Int32, Int32, Int32], Relation::Free),
    row(Opcode::GroupCommitReadPipe, Nothing, &[Execution, ReadPipe, ReserveId, Int32, Int32], Relation::Free),
    row(Opcode::GroupCommitWritePipe, Nothing, &[Execution, WritePipe, ReserveId, Int32, Int32], Relation::Free),
    row(Opcode::EnqueueMarker, Int32, &[Queue, Int32, Pointer, Pointer], Relation::Free),
    row(Opcode::GetKernelNDrangeSubGroupCount, Int32, KERNEL_OF_RANGE, Relation::Free),
    row(Opcode::GetKernelNDrangeMaxSubGroupSize, Int32, KERNEL_OF_RANGE, Relation::Free),
    row(Opcode::GetKernelWorkGroupSize, Int32, KERNEL, Relation::Free),
    row(Opcode::GetKernelPreferredWorkGroupSizeMultiple, Int32, KERNEL, Relation::Free),
    row(Opcode::RetainEvent, Nothing, &[DeviceEvent], Relation::Free),
    row(Opcode::ReleaseEvent, Nothing, &[DeviceEvent], Relation::Free),
    row(Opcode::CreateUserEvent, DeviceEvent, &[], Relation::Free),
    row(Opcode::IsValidEvent, Bool, &[DeviceEvent], Relation::Free),
    row(Opcode::SetUserEventStatus, Nothing, &[DeviceEvent, Int32], Relation::Free),
    row(Opcode::CaptureEventProfilingInfo, Nothing, &[DeviceEvent, Int32, WritablePointer], Relation::Free),
    row(Opcode::GetDefaultQueue, Queue, &[], Relation::Free),
    row(Opcode::BuildNDRange, Struct, &[Any, Any, Any], Relation::Free),
    row(Opcode::AtomicFlagTestAndSet, Bool, ATOMIC, Relation::Flag),
    row(Opcode::AtomicFlagClear, Nothing, ATOMIC, Relation::Flag),
    row(Opcode::SizeOf, Int, &[Pointer], Relation::Free),
    row(Opcode::GetKernelLocalSizeForSubgroupCount, Any, &[Int32, Function, Pointer, Int32, Int32], Relation::Free),
    row(Opcode::GetKernelMaxNumSubgroups, Int32, KERNEL, Relation::Free),
    row(Opcode::GroupNonUniformElect, Bool, &[SubGroup], Relation::Free),
    row(Opcode::GroupNonUniformAll, Bool, &[SubGroup, Bool], Relation::Free),
    row(Opcode::GroupNonUniformAny, Bool, &[SubGroup, Bool], Relation::Free),
    row(Opcode::GroupNonUniformAllEqual, Bool, &[SubGroup, Any], Relation::Free),
    row(Opcode::GroupNonUniformBroadcast, Any, SUB_SHUFFLE, Relation::First),
    row(Opcode::GroupNonUniformBroadcastFirst, Any, &[SubGroup, Any], Relation::First),
    row(Opcode::GroupNonUniformBallot, Ballot, &[SubGroup, Bool], Relation::Free),
    row(Opcode::GroupNonUniformInverseBallot, Bool, &[SubGroup, Ballot], Relation::Free),
    row(Opcode::GroupNonUniformBallotBitExtract, Bool, &[SubGroup, Ballot, Int], Relation::Free),
    row(Opcode::GroupNonUniformBallotBitCount, Int, &[SubGroup, GroupOperation, Ballot], Relation::Free),
    row(Opcode::GroupNonUniformBallotFindLSB, Int, &[SubGroup, Ballot], Relation::Free),
    row(Opcode::GroupNonUniformBallotFindMSB, Int, &[SubGroup, Ballot], Relation::Free),
    row(Opcode::GroupNonUniformShuffle, Any, SUB_SHUFFLE, Relation::First),
    row(Opcode::GroupNonUniformShuffleXor, Any, SUB_SHUFFLE, Relation::First),
    row(Opcode::GroupNonUniformShuffleUp, Any, SUB_SHUFFLE, Relation::First),
    row(Opcode::GroupNonUniformShuffleDown, Any, SUB_SHUFFLE, Relation::First),
    row(Opcode::GroupNonUniformIAdd, Ints, SUB_INTS, Relation::First),
    row(Opcode::GroupNonUniformFAdd, Floats, SUB_FLOATS, Relation::First),
    row(Opcode::GroupNonUniformIMul, Ints, SUB_INTS, Relation::First),
    row(Opcode::GroupNonUniformFMul, Floats, SUB_FLOATS, Relation::First),
    row(Opcode::GroupNonUniformSMin, Ints, SUB_INTS, Relation::First),
    row(Opcode::GroupNonUniformUMin, Ints, SUB_INTS, Relation::First),
    row(Opcode::GroupNonUniformFMin, Floats, SUB_FLOATS, Relation::First),
    row(Opcode::GroupNonUniformSMax, Ints, SUB_INTS, Relation::First),
    row(Opcode::GroupNonUniformUMax, Ints, SUB_INTS, Relation::First),
    row(Opcode::GroupNonUniformFMax, Floats, SUB_FLOATS, Relation::First),
    row(Opcode::GroupNonUniformBitwiseAnd, Ints, SUB_INTS, Relation::First),
    row(Opcode::GroupNonUniformBitwiseOr, Ints, SUB_INTS, Relation::First),
    row(Opcode::GroupNonUniformBitwiseXor, Ints, SUB_INTS, Relation::First),
    row(Opcode::GroupNonUniformLogicalAnd, Bools, SUB_BOOLS, Relation::First),
    row(Opcode::GroupNonUniformLogicalOr, Bools, SUB_BOOLS, Relation::First),
    row(Opcode::GroupNonUniformLogicalXor, Bools, SUB_BOOLS, Relation::First),
    row(Opcode::CopyLogical, Any, &[Any], Relation::Free),
    row(Opcode::PtrEqual, Bool, TWO_POINTERS, Relation::Spaces),
    row(Opcode::PtrNotEqual, Bool, TWO_POINTERS, Relation::Spaces),
    row(Opcode::PtrDiff, Int, TWO_POINTERS, Relation::Spaces),
    row(Opcode::SubgroupBallotKHR, Ballot, &[Bool], Relation::Free),
    row(Opcode::SubgroupFirstInvocationKHR, Any, &[Any], Relation::First),
    row(Opcode::SubgroupAllKHR, Bool, &[Bool], Relation::Free),
    row(Opcode::SubgroupAnyKHR, Bool, &[Bool], Relation::Free),
    row(Opcode::SubgroupAllEqualKHR, Bool, &[Bool], Relation::Free),
    row(Opcode::GroupNonUniformRotateKHR, Any, &[SubGroup, Any, Int, Int], Relation::First),
    row(Opcode::SubgroupReadInvocationKHR, Any, &[Any, Int], Relation::First),
    row(Opcode::SDot, Int, DOT, Relation::Products),
    row(Opcode::UDot, Int, DOT, Relation::Products),
    row(Opcode::SUDot, Int, DOT, Relation::Products),
    row(Opcode::SDotAccSat, Int, DOT_SUM, Relation::Products),
    row(Opcode::UDotAccSat, Int, DOT_SUM, Relation::Products),
    row(Opcode::SUDotAccSat, Int, DOT_SUM, Relation::Products),
    row(Opcode::ReadClockKHR, Ints, &[Clock], Relation::Free),
    row(Opcode::FreezeKHR, Any, &[Any], Relation::Same),
    row(Opcode::SubgroupShuffleINTEL, Any, &[Any, Int32], Relation::First),
    row(Opcode::SubgroupShuffleDownINTEL, Any, &[Any, Any, Int32], Relation::FirstTwo),
    row(Opcode::SubgroupShuffleUpINTEL, Any, &[Any, Any, Int32], Relation::FirstTwo),
    row(Opcode::SubgroupShuffleXorINTEL, Any, &[Any, Int32], Relation::First),
    row(Opcode::SubgroupBlockReadINTEL, Ints, &[Pointer], Relation::Block),
    row(Opcode::SubgroupBlockWriteINTEL, Nothing, &[Pointer, Ints], Relation::Block),
    row(Opcode::SubgroupImageBlockReadINTEL, Ints, &[Image, Ints], Relation::Free),
    row(Opcode::SubgroupImageBlockWriteINTEL, Nothing, &[Image, Ints, Ints], Relation::Free),
    row(Opcode::UCountLeadingZerosINTEL, Ints, &[Ints], Relation::Same),
    row(Opcode::UCountTrailingZerosINTEL, Ints, &[Ints], Relation::Same),
    row(Opcode::AbsISubINTEL, Ints, TWO_INTS, Relation::Same),
    row(Opcode::AbsUSubINTEL, Ints, TWO_INTS, Relation::Same),
    row(Opcode::IAddSatINTEL, Ints, TWO_INTS, Relation::Same),
    row(Opcode::UAddSatINTEL, Ints, TWO_INTS, Relation::Same),
    row(Opcode::IAverageINTEL, Ints, TWO_INTS, Relation::Same),
    row(Opcode::UAverageINTEL, Ints, TWO_INTS, Relation::Same),
    row(Opcode::IAverageRoundedINTEL, Ints, TWO_INTS, Relation::Same),
    row(Opcode::UAverageRoundedINTEL, Ints, TWO_INTS, Relation::Same),
    row(Opcode::ISubSatINTEL, Ints, TWO_INTS, Relation::Same),
    row(Opcode::USubSatINTEL, Ints, TWO_INTS, Relation::Same),
    row(Opcode::AtomicFMinEXT, Float, ATOMIC_FLOAT, Relation::Atomic),
    row(Opcode::AtomicFMaxEXT, Float, ATOMIC_FLOAT, Relation::Atomic),
    row(Opcode::AssumeTrueKHR, Nothing, &[Bool], Relation::Free),
    row(Opcode::ExpectKHR, Any, &[Any, Any], Relation::Same),
    row(Opcode::AtomicFAddEXT, Float, ATOMIC_FLOAT, Relation::Atomic),
    row(Opcode::ConvertFToBF16INTEL, Ints, &[Floats], Relation::Lanes),
    row(Opcode::ConvertBF16ToFINTEL, Floats, &[Ints], Relation::Lanes),
    row(Opcode::ControlBarrierArriveEXT, Nothing, BARRIER, Relation::Free),
    row(Opcode::ControlBarrierWaitEXT, Nothing, BARRIER, Relation::Free),
    row(Opcode::ArithmeticFenceEXT, Any, &[Any], Relation::Same),
    row(Opcode::GroupIMulKHR, Ints, GROUP_INTS, Relation::Same),
    row(Opcode::GroupFMulKHR, Floats, GROUP_FLOATS, Relation::Same),
    row(Opcode::GroupBitwiseAndKHR, Ints, GROUP_INTS, Relation::Same),
    row(Opcode::GroupBitwiseOrKHR, Ints, GROUP_INTS, Relation::Same),
    row(Opcode::GroupBitwiseXorKHR, Ints, GROUP_INTS, Relation::Same),
    row(Opcode::GroupLogicalAndKHR, Bools, GROUP_BOOLS, Relation::Same),
    row(Opcode::GroupLogicalOrKHR, Bools, GROUP_BOOLS, Relation::Same),
    row(Opcode::GroupLogicalXorKHR, Bools, GROUP_BOOLS, Relation::Same),
];

/// Number of opcodes whose rows are found without a search.
const DIRECT: usize = 512;

/// Position in `ROWS` of each opcode below `DIRECT`.
static PLACES: [u8; DIRECT] = {
    let mut places = [u8::MAX; DIRECT];
    let mut at = 0;
    while at < ROWS.len() && (ROWS[at].opcode as usize) < DIRECT {
        places[ROWS[at].opcode as usize] = at as u8;
        at += 1;
    }
    places
};

const _: () = assert!(ROWS.len() < u8::MAX as usize);

/// Returns the rule of an instruction, or `None` if it has no row.
#[inline]
pub(super) fn row_of(opcode: Opcode) -> Option<&'static Row> {
    match PLACES.get(opcode as usize) {
        Some(&place) => ROWS.get(usize::from(place)),
        None => ROWS.binary_search_by_key(&(opcode as u16), |row| row.opcode as u16).ok().map(|at| &ROWS[at]),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::grammar::{self, Section};
    use crate::request;
    use crate::validate::special;

    #[test]
    fn rows_are_sorted_and_found() {
        assert!(ROWS.windows(2).all(|pair| (pair[0].opcode as u16) < pair[1].opcode as u16));
        for row in ROWS {
            assert_eq!(row_of(row.opcode).map(|found| found.opcode), Some(row.opcode));
        }
    }

    /// Compares each row with the grammar: a result, and as many operands.
    #[test]
    fn rows_fit_the_grammar() {
        for row in ROWS {
            let of = row.opcode.instruction();
            let name = of.name();
            assert_eq!(of.has_type, row.result != Nothing, "{name}");
            assert_eq!(of.operands().len() - of.result_operands(), row.operands.len(), "{name}");
        }
    }

    #[test]
    fn instructions_of_functions_have_one_rule() {
        let mut without = Vec::new();
        for row in grammar::instructions() {
            let is_code = matches!(row.section, Section::Code | Section::Either);
            let rules =
                usize::from(row_of(row.opcode).is_some()) + usize::from(special::has_rule(row.opcode));
            assert!(rules <= 1, "{}", row.name());
            assert!(rules == 1 || !request::has_rows(row.opcode), "{}", row.name());
            if is_code && rules == 0 {
                without.push(row.name());
            }
        }
        // The device does not have these.
        assert!(without.iter().all(|name| !name.starts_with("OpAtomic")), "{without:?}");
        assert!(without.len() < 90, "{}: {without:?}", without.len());
    }
}
