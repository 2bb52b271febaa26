//! Equality of values, beyond their names.

use grus_ir::{Attr, Effect, Function, Inst, Op, Value};

/// Maximum number of operations that two equal values may be computed from.
// Arbitrary.
pub(super) const MAX_COMPARED: usize = 8;

/// Checks whether two values are equal because the same pure operations compute them of the same values.
pub(super) fn are_equal(func: &Function, a: Value, b: Value) -> bool {
    are_equal_within(func, a, b, &mut MAX_COMPARED.clone())
}

/// Checks whether two values are equal. The budget is the number of operations that may be compared.
fn are_equal_within(func: &Function, a: Value, b: Value, budget: &mut usize) -> bool {
    let (a, b) = (without_extension(func, a), without_extension(func, b));
    if a == b {
        return true;
    }
    let (Some(of), Some(with)) = (func.def_inst(a), func.def_inst(b)) else { return false };
    if *budget == 0 || !is_same_operation(of, with) {
        return false;
    }
    *budget -= 1;
    of.args.iter().zip(&with.args).all(|(&a, &b)| are_equal_within(func, a, b, budget))
}

/// Returns the value that was extended and truncated again to its type, if any, or the value itself.
fn without_extension(func: &Function, value: Value) -> Value {
    let operand = |value: Value, ops: &[Op]| {
        func.def_inst(value).filter(|inst| ops.contains(&inst.op)).map(|inst| inst.args[0])
    };
    let inner = operand(value, &[Op::Trunc]).and_then(|wide| operand(wide, &[Op::Sext, Op::Zext]));
    inner.filter(|&inner| func.ty(inner) == func.ty(value)).unwrap_or(value)
}

/// Checks whether two instructions are the same pure operation, whatever their operands are.
pub(super) fn is_same_operation(a: &Inst, b: &Inst) -> bool {
    let is_guarantee = |attr: &Attr| matches!(attr, Attr::None | Attr::NoWrap(_));
    a.op == b.op
        && a.op.effect() == Effect::Pure
        && a.ty == b.ty
        && a.args.len() == b.args.len()
        && (a.attr == b.attr || (is_guarantee(&a.attr) && is_guarantee(&b.attr)))
}
