//! Linear ids: bodies that identify work-items by one number, x fastest. The rows of a group are then consecutive,
//! so a vector may contain work-items of several rows.
//!
//! ```text
//! before  (context, x, y, z, index, inputs..., global ids)
//! after   (context, p, -, -, -,     inputs..., global ids of the first work-item, sizes of the group)
//!         x = p % sizes.x;  y = p / sizes.x - z * sizes.y;  z = p / (sizes.x * sizes.y)
//! ```
//!
//! A group has fewer than 2³¹ work-items, so divisions are done in 32 bits. Division by a known power of two is a
//! shift.

use super::super::work_items::{Extent, delinearize};
use super::body::{NUM_FIXED_PARAMS, RegionBody};
use super::invariants::{self, BodyInput};
use grus_ir::abi::RangeFacts;
use grus_ir::abi::enqueue::MAX_WORK_GROUP_SIZE;
use grus_ir::{Builder, Op, ParamFacts, Query, Value};
use grus_support::FastMap;

/// Makes a body identify work-items by linear ids, unless its groups are known to consist of one row.
pub(super) fn linearize_ids(body: &mut RegionBody, range: RangeFacts) {
    let is_row = |size: [u32; 3]| size[1] == 1 && size[2] == 1;
    if body.extents.is_some() || range.local_size.is_some_and(is_row) {
        return;
    }
    // Parameters to be recomputed: the parameter, its dimension, and for a global id the base it adds.
    let params = body.func.params().to_vec();
    let mut old: Vec<(Value, usize, Option<Value>)> =
        (0..3).map(|dim| (params[1 + dim], dim, None)).collect();
    for (at, input) in body.inputs.iter_mut().enumerate() {
        if let BodyInput::GlobalId(dim) = *input {
            *input = BodyInput::Base(dim);
            let param = params[NUM_FIXED_PARAMS + at];
            let facts = &mut body.func.param_facts[NUM_FIXED_PARAMS + at];
            *facts = ParamFacts { max: facts.max, stride: Some(0), ..ParamFacts::default() };
            old.push((param, usize::from(dim), Some(param)));
        }
    }
    let extents = [0, 1, 2].map(|dim| match range.local_size {
        Some(size) => Extent::Known(size[dim]),
        None => Extent::Param(input(body, BodyInput::Query(Query::LocalSize, dim as u8))),
    });
    let entry = body.func.entry();
    let insts = std::mem::take(&mut body.func.blocks[entry].insts);
    let b = &mut Builder::new(&mut body.func, entry);
    let size = extents.map(|extent| extent.value(b, |param| param));
    // The linear id of a vector's first work-item is a multiple of the number of lanes.
    let number = params[1];
    let ids = delinearize(b, number, size);
    let new = |b: &mut Builder<'_>, (param, dim, base): (Value, usize, Option<Value>)| {
        let id = ids[dim];
        (param, base.map_or(id, |base| b.same(Op::Iadd, &[base, id])))
    };
    let mut with: FastMap<Value, Value> = old.into_iter().map(|param| new(b, param)).collect();
    with.insert(params[NUM_FIXED_PARAMS - 1], number);
    let id_insts = std::mem::replace(&mut body.func.blocks[entry].insts, insts);
    for &block in &body.func.layout {
        for &id in &body.func.blocks[block].insts {
            let uses = body.func.insts[id].uses_mut();
            uses.for_each(|value| *value = with.get(value).copied().unwrap_or(*value));
        }
    }
    body.func.blocks[entry].insts.splice(0..0, id_insts);
    body.extents = Some(extents);
}

/// Returns the parameter for an input; adds it if there is none.
fn input(body: &mut RegionBody, input: BodyInput) -> Value {
    if let Some(at) = body.inputs.iter().position(|&other| other == input) {
        return body.func.params()[NUM_FIXED_PARAMS + at];
    }
    let entry = body.func.entry();
    let param = body.func.add_param(entry, invariants::type_of(input));
    body.func.param_facts.push(ParamFacts {
        max: Some(MAX_WORK_GROUP_SIZE),
        stride: Some(0),
        ..ParamFacts::default()
    });
    body.inputs.push(input);
    param
}
