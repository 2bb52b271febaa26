//! Which values are recomputed after a barrier rather than kept.

use super::super::scalar::cost::is_dear;
use super::uniformity::Uniformity;
use crate::ir::{Attr, Effect, Function, Kind, Op, Query, Value};

/// Operations a recomputed value may take.
const MOST: usize = 6;

/// The same if it is a sum of products, an address as a rule, which each item has another of: what is kept for items is not
/// known to go in steps any more, so that what lies side by side would be accessed one by one.
const MOST_OF_SUMS: usize = 24;

/// Whether a value follows from arguments, constants and ids by a few pure operations.
pub(super) fn is_cheap(func: &Function, value: Value) -> bool {
    cheap(func, value, &mut Budget { all: MOST, sums: 0 })
}

/// Whether it does by a few more, all of them sums and products.
pub(super) fn is_sum(func: &Function, value: Value) -> bool {
    cheap(func, value, &mut Budget { all: 0, sums: MOST_OF_SUMS })
}

/// Whether a work-group function gave a value to everyone: it is there anyway.
pub(super) fn is_given(func: &Function, value: Value) -> bool {
    func.def_inst(value).is_some_and(|inst| inst.op.is_collective_uniform())
}

/// What a value that each item has another of is a sum of, if that is put together after a barrier from ids and what the group
/// keeps once for all items: the latter, which are to be kept. Such a value goes in steps from item to item, as `is_sum` says.
pub(super) fn parts_of_group(func: &Function, uniform: &Uniformity, value: Value) -> Option<Vec<Value>> {
    let mut kept = Vec::new();
    let mut budget = Budget { all: 0, sums: MOST_OF_SUMS };
    let mut take = |leaf: Value| {
        if !uniform.values[leaf] || func.ty(leaf).is_vector() || is_cheap(func, leaf) {
            return false;
        }
        if !is_given(func, leaf) && !kept.contains(&leaf) {
            kept.push(leaf);
        }
        true
    };
    // Private objects may lie in arrays, where offsets are others.
    let is_made = !uniform.values[value]
        && func.ty(value).kind != Kind::PtrPrivate
        && made(func, value, &mut budget, &mut take);
    (is_made && !kept.is_empty()).then_some(kept)
}

/// Operations that are left.
struct Budget {
    all: usize,
    sums: usize,
}

fn cheap(func: &Function, value: Value, budget: &mut Budget) -> bool {
    made(func, value, budget, &mut |_| false)
}

/// The same of a value that may also be made of what `take` takes.
fn made(func: &Function, value: Value, budget: &mut Budget, take: &mut impl FnMut(Value) -> bool) -> bool {
    if take(value) {
        return true;
    }
    let Some(inst) = func.def_inst(value) else {
        return func.values[value].def.param_block() == Some(func.entry());
    };
    match inst.op {
        Op::Iconst | Op::Fconst | Op::GlobalAddr | Op::LocalAddr | Op::WorkItem => true,
        Op::Alloca => true,
        op if is_dear(op) || op.effect() != Effect::Pure => false,
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
            inst.args.iter().all(|&arg| made(func, arg, budget, take))
        }
    }
}

/// Whether a query has one answer for the whole group.
pub(super) fn is_uniform(attr: &Attr) -> bool {
    !matches!(attr, Attr::Query(Query::GlobalId | Query::LocalId | Query::LinearId, _))
}
