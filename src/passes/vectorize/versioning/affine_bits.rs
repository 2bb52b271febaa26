//! Bit operations on affine values with a uniform operand: `i & (n - 1)`, `i ^ distance`, `i >> shift`. If the
//! operation keeps all bits in which lanes differ, the result is affine with the same step; if it clears all,
//! the result is uniform. A test of the first lane decides at run time: no lane carries out of a window of low
//! bits, which follows from the uniform operand.

use super::super::block_order::BlockOrder;
use grus_ir::{Attr, Builder, Effect, Function, Inst, IntCond, Kind, NoWrap, Op, Type, Value};
use grus_support::FastSet;

/// A bit operation on an affine value, which is affine if lanes differ only inside of the window.
#[derive(Clone, Copy)]
pub(in crate::vectorize) struct AffineBits {
    pub of: Value,
    pub by: Value,
    op: Op,
    ty: Type,
    step: i64,
    window: Window,
}

/// Window of low bits that follows from the uniform operand.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Window {
    /// Low bits of the operand that are set: the step stays.
    Set,
    /// Low bits of the operand that are clear: the step stays, or becomes 0.
    Clear { keeps_step: bool },
    /// Low bits whose number is the operand: the step becomes 0.
    Count,
}

/// Checks whether an operation is one of these.
pub(in crate::vectorize) fn is_bit_op(op: Op) -> bool {
    matches!(op, Op::And | Op::Or | Op::Xor | Op::Lshr | Op::Ashr)
}

impl AffineBits {
    /// Describes an operation on an affine value with a positive step, if its other operand is not constant.
    pub(in crate::vectorize) fn of(
        func: &Function,
        inst: &Inst,
        [of, by]: [Value; 2],
        step: i64,
        lanes: u16,
    ) -> Option<AffineBits> {
        let last_difference =
            u64::try_from(step).ok().filter(|&step| step > 0)?.checked_mul(u64::from(lanes) - 1)?;
        if func.as_const(by).is_some() || last_difference > i32::MAX as u64 {
            return None;
        }
        let window = match inst.op {
            Op::And if is_one_less(func, by) => Window::Set,
            Op::And => Window::Clear { keeps_step: false },
            Op::Or | Op::Xor => Window::Clear { keeps_step: true },
            _ => Window::Count,
        };
        Some(AffineBits { of, by, op: inst.op, ty: inst.ty, step, window })
    }

    fn keeps_step(&self) -> bool {
        matches!(self.window, Window::Set | Window::Clear { keeps_step: true })
    }

    /// Returns the step of the result.
    pub(in crate::vectorize) fn step(&self) -> i64 {
        if self.keeps_step() { self.step } else { 0 }
    }

    /// Emits the affine result, and the uniform test for it.
    pub(in crate::vectorize) fn emit(
        &self,
        b: &mut Builder<'_>,
        [of, by]: [Value; 2],
        lanes: u16,
    ) -> (Value, Value) {
        let lane = b.value(Op::SubGroupLane, Type::I32, &[], Attr::None);
        let lane = if self.ty.kind == Kind::I64 { b.convert(Op::Zext, self.ty, lane) } else { lane };
        let step = b.iconst(self.ty, self.step as u64);
        let offset = b.value(Op::Imul, self.ty, &[lane, step], NoWrap::SIGNED.attr());
        let base = b.value(Op::SubGroupFirst, self.ty, &[of], Attr::None);
        let first = b.same(self.op, &[base, by]);
        let window = self.window(b, by);
        let last_difference = b.iconst(self.ty, self.step as u64 * (u64::from(lanes) - 1));
        let low_bits = b.same(Op::And, &[base, window]);
        let limit = b.same(Op::Isub, &[window, last_difference]);
        let is_below = b.icmp(IntCond::Ule, low_bits, limit);
        let is_wide_enough = b.icmp(IntCond::Uge, window, last_difference);
        let holds = b.same(Op::And, &[is_below, is_wide_enough]);
        let all = if self.keeps_step() {
            b.value(Op::Iadd, self.ty, &[first, offset], NoWrap::SIGNED.attr())
        } else {
            first
        };
        (all, holds)
    }

    /// Emits the mask of the window, without the sign bit.
    fn window(&self, b: &mut Builder<'_>, by: Value) -> Value {
        let [one, all] = [1, u64::MAX].map(|bits| b.iconst(self.ty, bits));
        // Twice the mask plus one, if the sign bit is ignored.
        let ones = match self.window {
            Window::Set => {
                let above = b.same(Op::Iadd, &[by, one]);
                b.same(Op::Xor, &[by, above])
            }
            Window::Clear { .. } => {
                let below = b.same(Op::Iadd, &[by, all]);
                b.same(Op::Xor, &[by, below])
            }
            Window::Count => {
                let two = b.iconst(self.ty, 2);
                let above = b.same(Op::Shl, &[two, by]);
                b.same(Op::Iadd, &[above, all])
            }
        };
        b.same(Op::Lshr, &[ones, one])
    }
}

/// Checks whether a value is computed as another one minus 1, as the mask of the bits below a power of two is.
fn is_one_less(func: &Function, value: Value) -> bool {
    let Some(inst) = func.def_inst(value) else { return false };
    let is = |at: usize, number: i64| {
        let bits = inst.ty.kind.bits();
        func.as_const(inst.args[at]).is_some_and(|constant| grus_ir::interp::signed(bits, constant) == number)
    };
    match inst.op {
        Op::Iadd => is(1, -1) || is(0, -1),
        Op::Isub => is(1, 1),
        Op::Sext | Op::Zext => is_one_less(func, inst.args[0]),
        _ => false,
    }
}

/// Returns values from which addresses in the same block are computed, in one backward sweep.
pub(in crate::vectorize) fn addresses(func: &Function, order: &BlockOrder) -> FastSet<Value> {
    let mut found: FastSet<Value> = FastSet::default();
    for &block in order.blocks.iter().rev() {
        for &id in func.blocks[block].insts.iter().rev() {
            let inst = &func.insts[id];
            let is_access = matches!(inst.op.effect(), Effect::Read | Effect::Write) && !inst.args.is_empty();
            if is_access && func.ty(inst.args[0]).kind.is_ptr() {
                found.insert(inst.args[0]);
            }
            if inst.result.is_some_and(|result| found.contains(&result)) && inst.op.effect() == Effect::Pure {
                found.extend(inst.args.iter().copied());
            }
        }
    }
    found
}
