//! Which values are recomputed after a barrier rather than kept.

use crate::ir::{Attr, Effect, Function, Op, Query, Value};
use crate::passes::scalar::cost::is_dear;

/// Operations a recomputed value may take.
const MOST: usize = 6;

/// Whether a value follows from arguments, constants and ids by a few pure operations.
pub(super) fn is_cheap(func: &Function, value: Value) -> bool {
    let mut budget = MOST;
    cheap(func, value, &mut budget)
}

fn cheap(func: &Function, value: Value, budget: &mut usize) -> bool {
    let Some(inst) = func.def_inst(value) else {
        return func.values[value].def.param_block() == Some(func.entry());
    };
    match inst.op {
        Op::Iconst | Op::Fconst | Op::GlobalAddr | Op::LocalAddr | Op::WorkItem => true,
        Op::Alloca => true,
        op if is_dear(op) || op.effect() != Effect::Pure => false,
        _ => {
            if *budget == 0 || func.ty(value).is_vector() {
                return false;
            }
            *budget -= 1;
            inst.args.iter().all(|&arg| cheap(func, arg, budget))
        }
    }
}

/// Whether a query has one answer for the whole group.
pub(super) fn is_uniform(attr: &Attr) -> bool {
    !matches!(attr, Attr::Query(Query::GlobalId | Query::LocalId | Query::LinearId, _))
}
