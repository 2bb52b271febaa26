//! Functions that a module imports and no unit defines, because translators left them: intrinsics of LLVM, which are
//! ops of the IR, and functions of OpenCL C by their mangled names, which are requests.

use grus_ir::{Attr, Op, Type, Value};

use super::function::{FunctionTranslator, Result};
use crate::error::Fault;
use crate::request::Request;

/// Meaning of an imported function.
#[derive(Clone, Debug)]
pub(crate) enum Import {
    /// Intrinsic of LLVM.
    Intrinsic(Intrinsic),
    /// Name and parameters of a function of OpenCL C.
    Function(Request),
    /// Conversion of a generic pointer, null if it points elsewhere: the storage class is that of the result.
    ToSpace,
}

/// Intrinsic of LLVM on integers.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Intrinsic {
    /// One op of the first operands, of which there are so many.
    Op(Op, usize),
    /// Funnel shift to the left, or to the right.
    FunnelShift { is_left: bool },
    /// Reversal of bytes.
    ByteSwap,
}

impl Import {
    /// Returns the meaning of a name. `result` is the text of the result's type in OpenCL C.
    pub(crate) fn from_name(name: &str, result: Option<String>) -> Option<Import> {
        if let Some(rest) = name.strip_prefix("llvm.") {
            return intrinsic(rest).map(Import::Intrinsic);
        }
        if matches!(name, "__to_global" | "__to_local" | "__to_private") {
            return Some(Import::ToSpace);
        }
        let (name, params) = super::mangled::demangle(name)?;
        Some(Import::Function(Request { name, result: result?, params, is_relaxed: false }))
    }
}

/// Returns the intrinsic of a name without its prefix. The type at the end is that of the result.
fn intrinsic(name: &str) -> Option<Intrinsic> {
    let (name, _) = name.rsplit_once('.')?;
    Some(match name {
        "usub.sat" => Intrinsic::Op(Op::UsubSat, 2),
        "uadd.sat" => Intrinsic::Op(Op::UaddSat, 2),
        "ssub.sat" => Intrinsic::Op(Op::SsubSat, 2),
        "sadd.sat" => Intrinsic::Op(Op::SaddSat, 2),
        "smin" => Intrinsic::Op(Op::Smin, 2),
        "smax" => Intrinsic::Op(Op::Smax, 2),
        "umin" => Intrinsic::Op(Op::Umin, 2),
        "umax" => Intrinsic::Op(Op::Umax, 2),
        "abs" => Intrinsic::Op(Op::Iabs, 1),
        "ctpop" => Intrinsic::Op(Op::Popcnt, 1),
        "ctlz" => Intrinsic::Op(Op::Clz, 1),
        "cttz" => Intrinsic::Op(Op::Ctz, 1),
        "fshl" => Intrinsic::FunnelShift { is_left: true },
        "fshr" => Intrinsic::FunnelShift { is_left: false },
        "bswap" => Intrinsic::ByteSwap,
        _ => return None,
    })
}

impl FunctionTranslator<'_, '_> {
    /// Emits an intrinsic of LLVM on integers of type `ty`.
    pub(super) fn intrinsic(&mut self, intrinsic: Intrinsic, ty: Type, args: &[Value]) -> Result<Value> {
        let count = match intrinsic {
            Intrinsic::Op(_, count) => count,
            Intrinsic::FunnelShift { .. } => 3,
            Intrinsic::ByteSwap => 1,
        };
        let args = args.get(..count).filter(|args| args.iter().all(|&arg| self.b.func.ty(arg) == ty));
        let args = args
            .filter(|_| ty.kind.is_int())
            .ok_or_else(|| Fault::at(3, "the arguments do not suit the intrinsic"))?;
        Ok(match intrinsic {
            Intrinsic::Op(op, _) => self.b.same(op, args),
            Intrinsic::FunnelShift { is_left } => self.funnel_shift(is_left, ty, args),
            Intrinsic::ByteSwap => self.byte_swap(ty, args[0])?,
        })
    }

    /// Emits the upper half of two words shifted to the left, or the lower half of them shifted to the right.
    fn funnel_shift(&mut self, is_left: bool, ty: Type, args: &[Value]) -> Value {
        let (high, low, count) = (args[0], args[1], args[2]);
        let mask = self.b.iconst(ty, u64::from(ty.kind.bits()) - 1);
        let count = self.b.same(Op::And, &[count, mask]);
        // The other half is shifted in two steps, since the whole width is no count.
        let rest = self.b.same(Op::Isub, &[mask, count]);
        let one = self.b.iconst(ty, 1);
        let (first, second) = if is_left {
            let near = self.b.same(Op::Lshr, &[low, one]);
            (self.b.same(Op::Shl, &[high, count]), self.b.same(Op::Lshr, &[near, rest]))
        } else {
            let near = self.b.same(Op::Shl, &[high, one]);
            (self.b.same(Op::Lshr, &[low, count]), self.b.same(Op::Shl, &[near, rest]))
        };
        self.b.same(Op::Or, &[first, second])
    }

    fn byte_swap(&mut self, ty: Type, value: Value) -> Result<Value> {
        let bytes = ty.kind.bytes() as u16;
        let all = bytes * ty.lanes;
        if all > MAX_BYTES {
            return Err(Fault::at(3, "the vector is too long for the intrinsic"));
        }
        let lanes: Vec<u16> = (0..all).map(|lane| lane / bytes * bytes + bytes - 1 - lane % bytes).collect();
        let split = self.b.value(Op::Bitcast, Type::I8.with_lanes(all), &[value], Attr::None);
        let swapped = self.b.shuffle(split, split, &lanes);
        Ok(self.b.value(Op::Bitcast, ty, &[swapped], Attr::None))
    }
}

/// Maximum number of bytes in a vector of them.
// Source: the largest vectors that backends have lanes for.
const MAX_BYTES: u16 = 64;
