//! Bits of numbers that go in steps, taken, changed or left out by a number that all lanes share: `i & (n - 1)`, `i ^ distance`,
//! `i >> shift`. Where lanes differ in bits alone that all stay, or all go, what comes out goes in steps, too. Which bits lanes
//! differ in is known once the first lane is: those in which nothing carries out of a window at the end of the number.

use super::super::block_order::BlockOrder;
use crate::ir::{Attr, Builder, Effect, Function, Inst, IntCond, Kind, Op, Type, Value};
use crate::support::FastSet;

/// What an instruction makes of a number that goes in steps, if lanes differ only inside of the window.
#[derive(Clone, Copy)]
pub(in crate::passes::vectorize) struct Bits {
    pub of: Value,
    pub by: Value,
    op: Op,
    ty: Type,
    step: i64,
    window: Window,
}

/// Bits at the end of a number, from the operand that all lanes share.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Window {
    /// Those that are set: lanes keep their steps.
    Set,
    /// Those that are not set: lanes keep their steps, or lose them.
    Clear { keeps: bool },
    /// As many as the number says: lanes lose their steps.
    Count,
}

/// Whether an operation is one of those.
pub(in crate::passes::vectorize) fn is_of_bits(op: Op) -> bool {
    matches!(op, Op::And | Op::Or | Op::Xor | Op::Lshr | Op::Ashr)
}

impl Bits {
    /// What an instruction makes of a number that is so much more in each lane, if its other operand is not known.
    pub(in crate::passes::vectorize) fn of(
        func: &Function,
        inst: &Inst,
        [of, by]: [Value; 2],
        step: i64,
        lanes: u16,
    ) -> Option<Bits> {
        let last = u64::try_from(step).ok().filter(|&step| step > 0)?.checked_mul(u64::from(lanes) - 1)?;
        if func.as_const(by).is_some() || last > i32::MAX as u64 {
            return None;
        }
        let window = match inst.op {
            Op::And if is_one_less(func, by) => Window::Set,
            Op::And => Window::Clear { keeps: false },
            Op::Or | Op::Xor => Window::Clear { keeps: true },
            _ => Window::Count,
        };
        Some(Bits { of, by, op: inst.op, ty: inst.ty, step, window })
    }

    fn keeps(&self) -> bool {
        matches!(self.window, Window::Set | Window::Clear { keeps: true })
    }

    /// How much more there is in each lane.
    pub(in crate::passes::vectorize) fn step(&self) -> i64 {
        if self.keeps() { self.step } else { 0 }
    }

    /// What lanes have if it is so, and whether it is, which all lanes share.
    pub(in crate::passes::vectorize) fn write(
        &self,
        b: &mut Builder<'_>,
        [of, by]: [Value; 2],
        lanes: u16,
    ) -> (Value, Value) {
        let lane = b.value(Op::SubGroupLane, Type::I32, &[], Attr::None);
        let lane = if self.ty.kind == Kind::I64 { b.convert(Op::Zext, self.ty, lane) } else { lane };
        let step = b.iconst(self.ty, self.step as u64);
        let more = b.value(Op::Imul, self.ty, &[lane, step], Attr::NoSignedWrap);
        let base = b.value(Op::SubGroupFirst, self.ty, &[of], Attr::None);
        let first = b.same(self.op, &[base, by]);
        let window = self.window(b, by);
        let last = b.iconst(self.ty, self.step as u64 * (u64::from(lanes) - 1));
        let inside = b.same(Op::And, &[base, window]);
        let most = b.same(Op::Isub, &[window, last]);
        let is_below = b.icmp(IntCond::Ule, inside, most);
        let has_room = b.icmp(IntCond::Uge, window, last);
        let is_so = b.same(Op::And, &[is_below, has_room]);
        let all =
            if self.keeps() { b.value(Op::Iadd, self.ty, &[first, more], Attr::NoSignedWrap) } else { first };
        (all, is_so)
    }

    /// The window, without the sign.
    fn window(&self, b: &mut Builder<'_>, by: Value) -> Value {
        let [one, all] = [1, u64::MAX].map(|bits| b.iconst(self.ty, bits));
        // Twice as much and one more than what is wanted, but for the sign.
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

/// Whether a value is visibly another less one, as the bits below a power of two are.
fn is_one_less(func: &Function, value: Value) -> bool {
    let Some(inst) = func.def_inst(value) else { return false };
    let is = |at: usize, number: i64| {
        let bits = inst.ty.kind.bits();
        func.as_const(inst.args[at]).is_some_and(|known| crate::ir::interp::signed(bits, known) == number)
    };
    match inst.op {
        Op::Iadd => is(1, -1) || is(0, -1),
        Op::Isub => is(1, 1),
        Op::Sext | Op::Zext => is_one_less(func, inst.args[0]),
        _ => false,
    }
}

/// Numbers that addresses are computed from within a block of another, looked for from the end.
pub(in crate::passes::vectorize) fn addresses(func: &Function, order: &BlockOrder) -> FastSet<Value> {
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
