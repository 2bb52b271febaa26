//! Dependences between iterations: lanes may run iterations together if no iteration accesses memory that another one
//! writes (Allen, Kennedy, Optimizing Compilers for Modern Architectures, 2001, section 2).
//!
//! Two accesses are independent if they are in different objects, or if both advance by the same number of bytes from
//! iteration to iteration, and all that one iteration accesses there lies within as many bytes.

use super::super::super::alias::{Sum, Terms, no_alias, param};
use super::outline::Source;
use grus_ir::{Def, Effect, Function, Op, Type, Value};

/// An access to memory.
struct Access {
    pointer: Value,
    is_store: bool,
    bytes: i64,
    /// Terms of the address without constants.
    terms: Terms,
    constant: i64,
}

/// Maximum number of pairs of accesses that are compared.
// Arbitrary.
const MAX_PAIRS: usize = 10_000;

/// Maximum depth of an expression that is searched for values that differ.
// Arbitrary.
const MAX_DEPTH: u32 = 8;

/// Checks whether a value is certainly the same in all iterations.
fn is_same_in_all(func: &Function, value: Value, depth: u32) -> bool {
    match func.values[value].def {
        Def::Param(block, at) => block == func.entry() && func.param_facts[at as usize].stride == Some(0),
        Def::Inst(id) => {
            let inst = &func.insts[id];
            let mut args = inst.args.iter();
            inst.op.effect() == Effect::Pure
                && (args.len() == 0 || depth > 0 && args.all(|&arg| is_same_in_all(func, arg, depth - 1)))
        }
    }
}

/// Checks whether no iteration accesses memory that another one writes. `sources` are the parameters of the function
/// of one iteration.
pub(super) fn is_independent(func: &Function, sources: &[Source]) -> bool {
    let params = func.params();
    let position = |value: Value| param(func, value);
    let bound = |value: Value| position(value).and_then(|at| func.param_facts[at].max).map(u64::from);
    let is_slot = |pointer: Value| {
        params.iter().zip(sources).any(|(&slot, source)| slot == pointer && matches!(source, Source::Slot(_)))
    };
    let access = |op: Op, pointer: Value, ty: Type| {
        let sum = Sum::of(func, pointer, &bound, &|value| value);
        Access {
            pointer,
            is_store: op == Op::Store,
            bytes: ty.bytes().into(),
            constant: sum.constant,
            terms: sum.terms,
        }
    };
    let accesses: Vec<Access> = func
        .instructions()
        .filter_map(|inst| match inst.op {
            Op::Load => Some(access(Op::Load, inst.args[0], inst.ty)),
            Op::Store if !is_slot(inst.args[0]) => {
                Some(access(Op::Store, inst.args[0], func.ty(inst.args[1])))
            }
            _ => None,
        })
        .collect();
    let (stores, all) = (accesses.iter().filter(|access| access.is_store).count(), accesses.len());
    if stores * all > MAX_PAIRS {
        return false;
    }
    // Bytes from one iteration to the next; none if an address changes in another way.
    let stride = |access: &Access| {
        access.terms.iter().try_fold(0i64, |sum, &((_, value), factor)| {
            let step = match position(value) {
                Some(at) => func.param_facts[at].stride?,
                None => is_same_in_all(func, value, MAX_DEPTH).then_some(0)?,
            };
            sum.checked_add(factor.checked_mul(step.into())?)
        })
    };
    let are_apart = |store: &Access, other: &Access| {
        if no_alias(func, store.pointer, other.pointer) {
            return true;
        }
        let Some(stride) = stride(store).filter(|_| store.terms == other.terms) else { return false };
        let distance = other.constant.wrapping_sub(store.constant);
        let Some(end) = distance.checked_add(other.bytes) else { return false };
        end.max(store.bytes).checked_sub(distance.min(0)).is_some_and(|span| span <= stride.abs())
    };
    let is_apart_from_all = |store: &Access| accesses.iter().all(|other| are_apart(store, other));
    accesses.iter().filter(|access| access.is_store).all(is_apart_from_all)
}
