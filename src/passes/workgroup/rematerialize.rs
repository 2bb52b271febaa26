//! Rematerialization: selects values that are recomputed after a barrier rather than stored.

use super::super::scalar::cost::is_expensive;
use super::uniformity::Uniformity;
use grus_ir::{Attr, Effect, Function, Kind, Op, Query, Value};

/// Maximum number of operations of a recomputed value.
// Arbitrary.
const MAX_OPERATIONS: usize = 6;

/// Maximum number of additions and multiplications of a recomputed varying value, usually an address. It is
/// larger because a stored value is no longer known to be affine, so that accesses to consecutive memory
/// would become gathers.
// Arbitrary.
const MAX_SUM_OPERATIONS: usize = 24;

/// Checks whether a few pure operations compute a value from arguments, constants and ids.
pub(super) fn is_cheap(func: &Function, value: Value) -> bool {
    is_within(func, value, &mut Budget { all: MAX_OPERATIONS, sums: 0 })
}

/// Checks whether additions and multiplications compute a value from arguments, constants and ids.
pub(super) fn is_sum(func: &Function, value: Value) -> bool {
    is_within(func, value, &mut Budget { all: 0, sums: MAX_SUM_OPERATIONS })
}

/// Checks whether a value is the uniform result of a collective function, which is stored anyway.
pub(super) fn is_group_result(func: &Function, value: Value) -> bool {
    func.def_inst(value).is_some_and(|inst| inst.op.has_uniform_result())
}

/// Returns the uniform values from which, together with ids, a varying value can be reassembled after a
/// barrier; those are to be stored instead. Such a value stays affine in the ids (see [`is_sum`]).
pub(super) fn uniform_operands(func: &Function, uniform: &Uniformity, value: Value) -> Option<Vec<Value>> {
    let mut kept = Vec::new();
    let mut budget = Budget { all: 0, sums: MAX_SUM_OPERATIONS };
    let mut accept = |leaf: Value| {
        if !uniform.values[leaf] || func.ty(leaf).is_vector() || is_cheap(func, leaf) {
            return false;
        }
        if !is_group_result(func, leaf) && !kept.contains(&leaf) {
            kept.push(leaf);
        }
        true
    };
    // Offsets in private objects change if the object becomes a structure of arrays.
    let is_reassembled = !uniform.values[value]
        && func.ty(value).kind != Kind::PtrPrivate
        && is_computed(func, value, &mut budget, &mut accept);
    (is_reassembled && !kept.is_empty()).then_some(kept)
}

/// Remaining numbers of operations.
struct Budget {
    all: usize,
    sums: usize,
}

fn is_within(func: &Function, value: Value, budget: &mut Budget) -> bool {
    is_computed(func, value, budget, &mut |_| false)
}

/// Checks whether pure operations within the budget compute a value from arguments, constants, ids and the
/// values that `accept` accepts.
fn is_computed(
    func: &Function,
    value: Value,
    budget: &mut Budget,
    accept: &mut impl FnMut(Value) -> bool,
) -> bool {
    if accept(value) {
        return true;
    }
    let Some(inst) = func.def_inst(value) else {
        return func.values[value].def.param_block() == Some(func.entry());
    };
    match inst.op {
        Op::Iconst | Op::Fconst | Op::GlobalAddr | Op::LocalAddr | Op::WorkItem => true,
        Op::Alloca => true,
        op if is_expensive(op) || op.effect() != Effect::Pure => false,
        _ if func.ty(value).is_vector() => false,
        op => {
            let is_of_sum = matches!(
                op,
                Op::Iadd | Op::Isub | Op::Imul | Op::Shl | Op::PtrAdd | Op::Sext | Op::Zext | Op::Trunc
            );
            let left = if is_of_sum && budget.sums > 0 { &mut budget.sums } else { &mut budget.all };
            if *left == 0 {
                return false;
            }
            *left -= 1;
            inst.args.iter().all(|&arg| is_computed(func, arg, budget, accept))
        }
    }
}

/// Checks whether the result of a query is uniform in the group.
pub(super) fn is_uniform(attr: &Attr) -> bool {
    !matches!(attr, Attr::Query(Query::GlobalId | Query::LocalId | Query::LinearId, _))
}
