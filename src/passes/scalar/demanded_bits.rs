//! Arithmetic whose high bits nobody looks at: `int i; i += get_global_size(0)` is extended to 64 bits, added, and cut off
//! again. The low bits of a sum are the sum of the low bits, so that it is done on 32, where lanes are seen to go in steps.
//! Bytes that were promoted to `int` and become bytes again are added as bytes.

use super::super::pass_manager::PassContext;
use super::replace::rewrite;
use super::simplify::sweep_dead;
use crate::ir::{Builder, Function, Inst, Kind, Op, Type, Value};

/// Operations between an extension and where it is cut off; each is looked at from so many places at most.
const DEPTH: u32 = 4;

/// Runs the pass.
pub fn run(func: &mut Function, _: &mut PassContext<'_>) -> bool {
    let is_meant = |inst: &Inst| inst.op == Op::Trunc && inst.ty.kind != Kind::I1;
    let changes = rewrite(func, is_meant, |func, block, inst| {
        let whole = inst.args[0];
        let is_extension = func.def_inst(whole).is_some_and(is_extension);
        if is_extension || !is_extended(func, whole, inst.ty, DEPTH) {
            return None;
        }
        let mut b = Builder::new(func, block);
        b.loc = inst.loc;
        Some(low(&mut b, whole, inst.ty, DEPTH))
    });
    if changes {
        // Those who look at a loop take what nobody uses for a use.
        sweep_dead(func);
    }
    changes
}

fn is_extension(inst: &Inst) -> bool {
    matches!(inst.op, Op::Sext | Op::Zext)
}

/// The operands of an operation of whose result low bits are made of low bits alone.
fn operands(inst: &Inst) -> Option<&[Value]> {
    match inst.op {
        Op::Iadd | Op::Isub | Op::Imul | Op::And | Op::Or | Op::Xor => Some(&inst.args),
        _ => None,
    }
}

/// Whether something in a value was made longer that is no longer than `ty`.
fn is_extended(func: &Function, value: Value, ty: Type, depth: u32) -> bool {
    let Some(inst) = func.def_inst(value) else { return false };
    if is_extension(inst) {
        let from = func.ty(inst.args[0]);
        return from.kind != Kind::I1 && from.kind.bits() <= ty.kind.bits();
    }
    let inside = operands(inst).filter(|_| depth > 0);
    inside.is_some_and(|operands| operands.iter().any(|&operand| is_extended(func, operand, ty, depth - 1)))
}

/// The low bits of a value.
fn low(b: &mut Builder<'_>, value: Value, ty: Type, depth: u32) -> Value {
    let bits = ty.kind.bits();
    let Some(inst) = b.func.def_inst(value).cloned() else { return b.convert(Op::Trunc, ty, value) };
    match inst.op {
        Op::Iconst => b.iconst(ty, inst.int()),
        Op::Sext | Op::Zext if b.func.ty(inst.args[0]) == ty => inst.args[0],
        Op::Sext | Op::Zext if b.func.ty(inst.args[0]).kind.bits() < bits => {
            b.convert(inst.op, ty, inst.args[0])
        }
        _ if depth > 0 && operands(&inst).is_some() && is_extended(b.func, value, ty, depth) => {
            let args = [0, 1].map(|at| low(b, inst.args[at], ty, depth - 1));
            b.same(inst.op, &args)
        }
        _ => b.convert(Op::Trunc, ty, value),
    }
}
