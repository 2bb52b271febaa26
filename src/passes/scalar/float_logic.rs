//! Folding of logic on floating-point comparisons. A comparison has one of four outcomes (less, equal, greater,
//! unordered), and a condition is the set of those for which it is true: `not` is the complement of that set, `or`
//! and `and` of comparisons of the same operands are union and intersection.

use grus_ir::{Attr, FloatCond, Function, Inst, IntCond, Kind, Op, Value};
use grus_support::IdMap;

/// Numbers of uses of the values of a function that has floating-point comparisons.
pub(super) struct UseCounts(IdMap<Value, u32>);

impl UseCounts {
    /// Counts the uses of values; none if the function has no floating-point comparison.
    pub(super) fn of(func: &Function) -> Option<UseCounts> {
        func.instructions().any(|inst| inst.op == Op::Fcmp).then(|| UseCounts(func.use_counts()))
    }
    fn is_single(&self, inst: &Inst) -> bool {
        inst.result.is_some_and(|value| self.0[value] == 1)
    }
}

/// Returns the comparison that an instruction on truth values equals, if it saves instructions.
pub(super) fn folded(func: &Function, inst: &Inst, uses: &UseCounts) -> Option<(FloatCond, [Value; 2])> {
    let compare = |value: Value| func.def_inst(value).filter(|def| def.op == Op::Fcmp);
    if inst.ty.kind != Kind::I1 {
        return None;
    }
    if let Some(def) = negated(func, inst).and_then(compare) {
        // Otherwise there would be two comparisons.
        return uses.is_single(def).then(|| (def.float_cond().inverted(), [def.args[0], def.args[1]]));
    }
    if !matches!(inst.op, Op::And | Op::Or) {
        return None;
    }
    let (first, second) = (compare(inst.args[0])?, compare(inst.args[1])?);
    let other = if first.args == second.args {
        second.float_cond()
    } else if first.args[0] == second.args[1] && first.args[1] == second.args[0] {
        second.float_cond().swapped()
    } else {
        return None;
    };
    let (a, b) = (first.float_cond().outcomes(), other.outcomes());
    let cond = FloatCond::from_outcomes(if inst.op == Op::And { a & b } else { a | b })?;
    let saves = uses.is_single(first) || uses.is_single(second);
    saves.then(|| (cond, [first.args[0], first.args[1]]))
}

/// Returns the truth value that an instruction negates.
fn negated(func: &Function, inst: &Inst) -> Option<Value> {
    let of_truth = |value: Value| {
        let def = func.def_inst(value).filter(|def| matches!(def.op, Op::Zext | Op::Sext))?;
        (func.ty(def.args[0]).kind == Kind::I1).then(|| def.args[0])
    };
    match (inst.op, &inst.attr) {
        (Op::Xor, _) if func.as_const_of_lanes(inst.args[1]) == Some(1) => Some(inst.args[0]),
        (Op::Icmp, Attr::IntCond(IntCond::Eq)) if func.is_zero(inst.args[1]) => {
            if func.ty(inst.args[0]).kind == Kind::I1 { Some(inst.args[0]) } else { of_truth(inst.args[0]) }
        }
        _ => None,
    }
}
