//! Narrows integer arithmetic whose high bits are not used. `int i; i += get_global_size(0)` is extended to 64
//! bits, added, and truncated again. The low bits of a sum depend only on the low bits of its operands, so the sum
//! is computed in 32 bits, where divergence analysis recognizes it as affine. Bytes that were promoted to `int` and
//! are truncated to bytes again are added as bytes. `narrow_params.rs` does the same for counters of loops.
//!
//! The low bits of a quotient, a minimum or a right shift depend on all bits of the operands, but if these are extensions
//! the narrow operation gives the same bits. Likewise promoted bytes and words are compared as what they were.

use super::super::pass_manager::PassContext;
use super::narrow_params;
use super::replace::rewrite;
use super::simplify::{max_value, sweep_dead};
use grus_ir::{Attr, Builder, Function, Inst, IntCond, Kind, Op, Type, Value};

/// Maximum number of operations between an extension and the truncation, which also bounds how often an operation
/// is visited.
// Arbitrary.
const MAX_DEPTH: u32 = 4;

/// Runs the pass.
pub fn run(func: &mut Function, _: &mut PassContext<'_>) -> bool {
    let is_candidate = |inst: &Inst| inst.op == Op::Icmp || inst.op == Op::Trunc && inst.ty.kind != Kind::I1;
    let changes = rewrite(func, is_candidate, |func, block, inst| {
        if inst.op == Op::Icmp {
            let comparison = NarrowComparison::of(func, inst)?;
            let mut b = Builder::new(func, block);
            b.loc = inst.loc;
            return Some(comparison.write(&mut b, inst));
        }
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

/// Comparison of extended bytes or words, as a comparison of these.
struct NarrowComparison {
    cond: IntCond,
    ty: Type,
}

impl NarrowComparison {
    /// Returns the narrow comparison that has the same result, if there is one.
    fn of(func: &Function, inst: &Inst) -> Option<NarrowComparison> {
        let Attr::IntCond(cond) = inst.attr else { return None };
        let source = |&value: &Value| {
            let def = func.def_inst(value).filter(|def| is_extension(def))?;
            Some(func.ty(def.args[0])).filter(|from| matches!(from.kind, Kind::I8 | Kind::I16))
        };
        let ty = inst.args.iter().filter_map(source).max_by_key(|from| from.kind.bits())?;
        let fit = |signed| inst.args.iter().all(|&arg| fits(func, arg, ty, signed, MAX_DEPTH));
        if fit(true) {
            // Sign extension keeps the order of unsigned numbers, too.
            Some(NarrowComparison { cond, ty })
        } else {
            fit(false).then(|| NarrowComparison { cond: cond.unsigned(), ty })
        }
    }

    fn write(&self, b: &mut Builder<'_>, inst: &Inst) -> Value {
        let [x, y] = [0, 1].map(|at| low_bits(b, inst.args[at], self.ty, MAX_DEPTH));
        b.icmp(self.cond, x, y)
    }
}

/// Checks whether a value is the sign extension or zero extension of its low bits, those of `ty`.
fn fits(func: &Function, value: Value, ty: Type, signed: bool, depth: u32) -> bool {
    let bits = ty.kind.bits();
    if let Some(constant) = func.as_const_of_lanes(value) {
        let unused = 64 - bits;
        let wide = func.ty(value).kind.bits();
        let extended = if signed {
            (constant << unused).cast_signed() >> unused
        } else {
            (constant << unused >> unused).cast_signed()
        };
        return (extended.cast_unsigned() ^ constant) << (64 - wide) == 0;
    }
    let Some(inst) = func.def_inst(value).filter(|_| depth > 0) else { return false };
    let of = |at: usize| fits(func, inst.args[at], ty, signed, depth - 1);
    match inst.op {
        Op::Sext => signed && func.ty(inst.args[0]).kind.bits() <= bits,
        Op::Zext => {
            let from = func.ty(inst.args[0]).kind;
            from != Kind::I1 && (from.bits() < bits || from.bits() == bits && !signed)
        }
        Op::Select => of(1) && of(2),
        Op::Smin | Op::Smax | Op::Umin | Op::Umax => of(0) && of(1),
        Op::And if !signed => of(0) || of(1),
        Op::And | Op::Or | Op::Xor => of(0) && of(1),
        Op::Ashr if signed => of(0),
        Op::Lshr if !signed => of(0),
        _ => false,
    }
}

/// Returns the operation on the low bits of the operands whose result is the low bits of an operation, if there is one for
/// these operands.
fn narrow_op(func: &Function, inst: &Inst, ty: Type, depth: u32) -> Option<Op> {
    let fit = |signed| inst.args.iter().all(|&arg| fits(func, arg, ty, signed, depth));
    let is_short = || {
        let count = max_value(func, inst.args[1], MAX_DEPTH);
        count.is_some_and(|count| count < u64::from(ty.kind.bits()))
    };
    let first_fits = |signed| fits(func, inst.args[0], ty, signed, depth);
    let either = |signed: Op, unsigned: Op| {
        if fit(true) { Some(signed) } else { fit(false).then_some(unsigned) }
    };
    match inst.op {
        Op::Iadd | Op::Isub | Op::Imul | Op::And | Op::Or | Op::Xor | Op::Select => Some(inst.op),
        Op::Shl => is_short().then_some(Op::Shl),
        Op::Ashr | Op::Lshr if !is_short() => None,
        Op::Ashr if first_fits(true) => Some(Op::Ashr),
        Op::Ashr | Op::Lshr => first_fits(false).then_some(Op::Lshr),
        Op::Smin => either(Op::Smin, Op::Umin),
        Op::Smax => either(Op::Smax, Op::Umax),
        // Sign extension keeps the order of unsigned numbers, too.
        Op::Umin | Op::Umax => (fit(true) || fit(false)).then_some(inst.op),
        // The one quotient that is out of range, that of the smallest number by -1, is the smallest number again.
        Op::Sdiv => either(Op::Sdiv, Op::Udiv),
        Op::Srem => either(Op::Srem, Op::Urem),
        Op::Udiv | Op::Urem => fit(false).then_some(inst.op),
        Op::Iabs => first_fits(true).then_some(Op::Iabs),
        _ => None,
    }
}

/// Returns the operands that are narrowed with an operation: all but the condition of a choice.
fn narrowed(inst: &Inst) -> &[Value] {
    if inst.op == Op::Select { &inst.args[1..] } else { &inst.args }
}

/// Checks whether a value is computed from an extension whose source is not wider than `ty`.
fn is_extended(func: &Function, value: Value, ty: Type, depth: u32) -> bool {
    let Some(inst) = func.def_inst(value) else { return false };
    if is_extension(inst) {
        let from = func.ty(inst.args[0]);
        return from.kind != Kind::I1 && from.kind.bits() <= ty.kind.bits();
    }
    depth > 0
        && narrow_op(func, inst, ty, depth).is_some()
        && narrowed(inst).iter().any(|&operand| is_extended(func, operand, ty, depth - 1))
}

/// Computes the low bits of a value.
fn low_bits(b: &mut Builder<'_>, value: Value, ty: Type, depth: u32) -> Value {
    let bits = ty.kind.bits();
    let Some(inst) = b.func.def_inst(value).cloned() else { return b.convert(Op::Trunc, ty, value) };
    match inst.op {
        Op::Iconst => return b.iconst(ty, inst.int()),
        Op::Sext | Op::Zext if b.func.ty(inst.args[0]) == ty => return inst.args[0],
        Op::Sext | Op::Zext if b.func.ty(inst.args[0]).kind.bits() < bits => {
            return b.convert(inst.op, ty, inst.args[0]);
        }
        _ => {}
    }
    let op =
        narrow_op(b.func, &inst, ty, depth).filter(|_| depth > 0 && is_extended(b.func, value, ty, depth));
    let Some(op) = op else { return b.convert(Op::Trunc, ty, value) };
    let first = inst.args.len() - narrowed(&inst).len();
    let mut args = inst.args.clone();
    for arg in &mut args[first..] {
        *arg = low_bits(b, *arg, ty, depth - 1);
    }
    if op == Op::Select { b.select(args[0], args[1], args[2]) } else { b.same(op, &args) }
}
