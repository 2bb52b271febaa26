//! Which values are recomputed after a barrier rather than kept.

use crate::ir::{Attr, Effect, Function, Op, Query, Value};
use crate::passes::scalar::cost::is_dear;

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

/// Operations that are left.
struct Budget {
    all: usize,
    sums: usize,
}

fn cheap(func: &Function, value: Value, budget: &mut Budget) -> bool {
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
            inst.args.iter().all(|&arg| cheap(func, arg, budget))
        }
    }
}

/// Whether a query has one answer for the whole group.
pub(super) fn is_uniform(attr: &Attr) -> bool {
    !matches!(attr, Attr::Query(Query::GlobalId | Query::LocalId | Query::LinearId, _))
}
