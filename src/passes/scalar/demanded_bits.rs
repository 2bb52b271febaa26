//! Narrows integer arithmetic whose high bits are not used. `int i; i += get_global_size(0)` is extended to 64
//! bits, added, and truncated again. The low bits of a sum depend only on the low bits of its operands, so the sum
//! is computed in 32 bits, where divergence analysis recognizes it as affine. Bytes that were promoted to `int` and
//! are truncated to bytes again are added as bytes. `narrow_params.rs` does the same for counters of loops.

use super::super::pass_manager::PassContext;
use super::narrow_params;
use super::replace::rewrite;
use super::simplify::sweep_dead;
use grus_ir::{Builder, Function, Inst, Kind, Op, Type, Value};

/// Maximum number of operations between an extension and the truncation, which also bounds how often an operation
/// is visited.
// Arbitrary.
const MAX_DEPTH: u32 = 4;

/// Runs the pass.
pub fn run(func: &mut Function, _: &mut PassContext<'_>) -> bool {
    let is_candidate = |inst: &Inst| inst.op == Op::Trunc && inst.ty.kind != Kind::I1;
    let changes = rewrite(func, is_candidate, |func, block, inst| {
        let whole = inst.args[0];
        let is_extension = func.def_inst(whole).is_some_and(is_extension);
        if is_extension || !is_extended(func, whole, inst.ty, MAX_DEPTH) {
            return None;
        }
        let mut b = Builder::new(func, block);
        b.loc = inst.loc;
        Some(low_bits(&mut b, whole, inst.ty, MAX_DEPTH))
    });
    let changes = narrow_params::run(func) | changes;
    if changes {
        // Loop analyses count the operands of unused instructions as uses, so these are removed.
        sweep_dead(func);
    }
    changes
}

fn is_extension(inst: &Inst) -> bool {
    matches!(inst.op, Op::Sext | Op::Zext)
}

/// Returns the operands of an operation whose low result bits depend only on the low bits of the operands.
fn low_bit_operands(inst: &Inst) -> Option<&[Value]> {
    match inst.op {
        Op::Iadd | Op::Isub | Op::Imul | Op::And | Op::Or | Op::Xor => Some(&inst.args),
        _ => None,
    }
}

/// Checks whether a value is computed from an extension whose source is not wider than `ty`.
fn is_extended(func: &Function, value: Value, ty: Type, depth: u32) -> bool {
    let Some(inst) = func.def_inst(value) else { return false };
    if is_extension(inst) {
        let from = func.ty(inst.args[0]);
        return from.kind != Kind::I1 && from.kind.bits() <= ty.kind.bits();
    }
    let inside = low_bit_operands(inst).filter(|_| depth > 0);
    inside.is_some_and(|low_bit_operands| {
        low_bit_operands.iter().any(|&operand| is_extended(func, operand, ty, depth - 1))
    })
}

/// Computes the low bits of a value.
fn low_bits(b: &mut Builder<'_>, value: Value, ty: Type, depth: u32) -> Value {
    let bits = ty.kind.bits();
    let Some(inst) = b.func.def_inst(value).cloned() else { return b.convert(Op::Trunc, ty, value) };
    match inst.op {
        Op::Iconst => b.iconst(ty, inst.int()),
        Op::Sext | Op::Zext if b.func.ty(inst.args[0]) == ty => inst.args[0],
        Op::Sext | Op::Zext if b.func.ty(inst.args[0]).kind.bits() < bits => {
            b.convert(inst.op, ty, inst.args[0])
        }
        _ if depth > 0 && low_bit_operands(&inst).is_some() && is_extended(b.func, value, ty, depth) => {
            let args = [0, 1].map(|at| low_bits(b, inst.args[at], ty, depth - 1));
            b.same(inst.op, &args)
        }
        _ => b.convert(Op::Trunc, ty, value),
    }
}
