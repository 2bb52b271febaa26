//! Values that are affine in the id of one dimension, with a constant stride.

use crate::alias::{Change, change};
use grus_ir::{Builder, Function, Op, Query, Value};
use grus_support::FastMap;

use super::super::uniformity::Uniformity;

/// Maximum number of operations of such a value.
// Arbitrary.
const MAX_OPERATIONS: usize = 24;

/// Difference of a value between consecutive work-items.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum ItemStride {
    Uniform,
    /// Stride per work-item of this dimension, counted by a global or local id.
    Step(Query, u8, i64),
}

impl Change for ItemStride {
    fn plus(self, other: ItemStride, sign: i64) -> Option<ItemStride> {
        Some(match (self, other) {
            (a, ItemStride::Uniform) => a,
            (ItemStride::Uniform, ItemStride::Step(query, dim, step)) => {
                ItemStride::Step(query, dim, step.checked_mul(sign)?)
            }
            (ItemStride::Step(query, dim, a), ItemStride::Step(other, along, b)) => {
                let step = a.checked_add(b.checked_mul(sign)?)?;
                ((query, dim) == (other, along)).then_some(ItemStride::Step(query, dim, step))?
            }
        })
    }

    fn times(self, by: i64) -> Option<ItemStride> {
        Some(match self {
            ItemStride::Uniform => ItemStride::Uniform,
            ItemStride::Step(query, dim, step) => ItemStride::Step(query, dim, step.checked_mul(by)?),
        })
    }
}

/// Returns the difference of a value between consecutive work-items, modulo the widths of the operations.
pub(super) fn item_stride(func: &Function, uniform: &Uniformity, value: Value) -> Option<ItemStride> {
    let known = |value: Value| {
        if uniform.values[value] {
            return Some(ItemStride::Uniform);
        }
        let (query, dim) = func.def_inst(value).filter(|inst| inst.op == Op::WorkItem)?.query();
        matches!(query, Query::GlobalId | Query::LocalId).then_some(ItemStride::Step(query, dim, 1))
    };
    let mut budget = MAX_OPERATIONS;
    change(func, value, &known, &mut budget)
}

/// First or last work-item of the group.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(super) enum GroupEnd {
    First,
    Last,
}

/// Emits the value for the first or last work-item of the group. `emitted` holds those that were emitted before.
pub(super) fn at_end(
    b: &mut Builder<'_>,
    uniform: &Uniformity,
    value: Value,
    end: GroupEnd,
    emitted: &mut FastMap<(Value, GroupEnd), Value>,
) -> Value {
    if uniform.values[value] {
        return value;
    }
    if let Some(&known) = emitted.get(&(value, end)) {
        return known;
    }
    let inst = b.func.def_inst(value).expect("what steps is computed").clone();
    let new = if inst.op == Op::WorkItem {
        let (query, dim) = inst.query();
        let first = match query {
            Query::GlobalId => b.query(Query::FirstId, dim),
            _ => b.iconst(inst.ty, 0),
        };
        match end {
            GroupEnd::First => first,
            GroupEnd::Last => {
                let before = last_index(b, dim);
                b.same(Op::Iadd, &[first, before])
            }
        }
    } else {
        let args: Vec<Value> = inst.args.iter().map(|&arg| at_end(b, uniform, arg, end, emitted)).collect();
        b.value(inst.op, inst.ty, &args, inst.attr)
    };
    emitted.insert((value, end), new);
    new
}

/// Emits the number of work-items before the last one in a dimension.
pub(super) fn last_index(b: &mut Builder<'_>, dim: u8) -> Value {
    let items = b.query(Query::Items, dim);
    let one = b.iconst(b.func.ty(items), 1);
    b.same(Op::Isub, &[items, one])
}
