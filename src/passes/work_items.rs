//! The interface between `workgroup`, which forms bodies of one work-item, and `vectorize`, which makes them run for
//! several: what the one says of a body and the other decides, and how work-items are numbered.

use super::pass_manager::Debugging;
use grus_ir::abi::Tier;
use grus_ir::{Builder, Function, Inst, InstId, Op, ParamFacts, Type, Value};
use grus_support::target::Backend;

/// Result of a body for a work-item that has ended; it names no region.
pub const ITEM_ENDED: u64 = 0xffff_fffe;

/// A vectorized body.
#[derive(Clone, Debug)]
pub struct Wide {
    pub lanes: u16,
    /// Estimated time of one iteration of the work-item loop; code that is hoisted out of it is not counted.
    pub cost: u64,
    /// Body for full vectors.
    pub unmasked: Function,
    /// Masked body, whose last parameter is the mask of active lanes.
    pub masked: Option<Function>,
    /// Body for the full vectors of several rows.
    pub jammed_rows: Option<JammedRows>,
}

/// A body that computes full vectors of several consecutive rows together.
#[derive(Clone, Debug)]
pub struct JammedRows {
    /// Number of rows.
    pub rows: u16,
    /// Function whose additional last parameter is the number of work-items in a row, an `i64`.
    pub body: Function,
}

/// Difference between the values of a parameter for two work-items.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Step {
    None,
    By(u32),
    /// This multiple of the number of work-items in a row.
    Rows(u32),
}

/// Decision of the vectorizer about a body.
#[derive(Default)]
pub struct VectorPlan {
    /// Bodies for several work-items; none if the body stays scalar.
    pub wide: Option<Wide>,
    /// Next compilation tier in which the decision would be another one.
    pub next_tier: Option<Tier>,
}

/// A body that may be vectorized.
pub struct Candidate<'b> {
    pub body: &'b Function,
    /// True if a masked body is needed, too.
    pub needs_masked_body: bool,
    /// True if work-items in the middle of a row may be inactive.
    pub has_inactive_lanes: bool,
    /// True if the body identifies work-items by a linear id, so that a vector may contain several rows.
    pub has_linear_ids: bool,
    /// Number of work-items in a row, or in the group if they are identified by a linear id; none if unknown.
    pub row_length: Option<u32>,
    /// Length of a row of the group if rows are linearized and the length is a power of two.
    pub segment_lanes: Option<u16>,
    /// Backend that will compile it.
    pub backend: Backend,
    /// Size in bytes of one work-item's private objects outside the stack.
    pub private_size: u64,
    /// Item record that the body writes, if it does.
    pub record: Option<Record>,
    /// Positions of the parameters that differ between consecutive work-items of a row, and of those that
    /// differ between rows.
    pub loop_varying_params: [Vec<usize>; 2],
    /// Number of rows of the group; none if it is unknown, or if bodies see no rows.
    pub rows: Option<u32>,
    /// Step of each parameter from a row to the next one.
    pub row_steps: Vec<Step>,
    /// Compilation tier.
    pub tier: Tier,
    pub debugging: Debugging,
}

/// Item record of a body, by which callees find the running work-item (`ir::abi::item`).
#[derive(Clone, Copy, Debug)]
pub struct Record {
    /// Address of the record.
    pub at: Value,
    /// Parameter that counts work-items: the local id in the first dimension, or the linear id in a group of
    /// this size.
    pub first: Value,
    pub extents: Option<[Extent; 3]>,
}

/// Size of a group in one dimension.
#[derive(Clone, Copy, Debug)]
pub enum Extent {
    Known(u32),
    /// A parameter of the body.
    Param(Value),
}

impl Extent {
    /// Returns the size as a value; `param` maps a parameter of the body.
    pub fn value(self, b: &mut Builder<'_>, param: impl FnOnce(Value) -> Value) -> Value {
        match self {
            Extent::Known(length) => b.iconst(Type::I64, length.into()),
            Extent::Param(value) => param(value),
        }
    }
}

/// Emits the local ids for a linear id in a group of this size.
pub fn delinearize(b: &mut Builder<'_>, number: Value, size: [Value; 3]) -> [Value; 3] {
    let x = divide(b, Op::Urem, number, size[0]);
    let row = divide(b, Op::Udiv, number, size[0]);
    if b.func.as_const(size[2]) == Some(1) {
        let zero = b.iconst(Type::I64, 0);
        return [x, row, zero];
    }
    let (y, z) = if let (Some(x), Some(rows)) = (b.func.as_const(size[0]), b.func.as_const(size[1])) {
        let plane = b.iconst(Type::I64, x * rows);
        (divide(b, Op::Urem, row, size[1]), divide(b, Op::Udiv, number, plane))
    } else {
        let plane = b.same(Op::Imul, &[size[0], size[1]]);
        let z = divide(b, Op::Udiv, number, plane);
        let above = b.same(Op::Imul, &[z, size[1]]);
        (b.same(Op::Isub, &[row, above]), z)
    };
    [x, y, z]
}

/// Emits a quotient or remainder of numbers below 2³¹.
fn divide(b: &mut Builder<'_>, op: Op, number: Value, by: Value) -> Value {
    let is_quotient = op == Op::Udiv;
    match b.func.as_const(by).filter(|by| by.is_power_of_two()) {
        Some(1) if is_quotient => number,
        Some(by) if is_quotient => {
            let bits = b.iconst(Type::I64, by.trailing_zeros().into());
            b.same(Op::Lshr, &[number, bits])
        }
        Some(by) => {
            let mask = b.iconst(Type::I64, by - 1);
            b.same(Op::And, &[number, mask])
        }
        None => {
            let [number, by] = [number, by].map(|value| b.convert(Op::Trunc, Type::I32, value));
            let result = b.same(op, &[number, by]);
            b.convert(Op::Zext, Type::I64, result)
        }
    }
}

/// Returns a body whose additional last parameter says whether the work-item is active.
pub fn predicated(body: &Function) -> Function {
    let mut func = body.clone();
    let entry = func.entry();
    let is_active = func.add_param(entry, Type::I1);
    func.param_facts.push(ParamFacts::default());
    let (start, inactive) = (func.add_block(), func.add_block());
    // Allocations and constants have no effect, so inactive work-items may execute them.
    let has_no_effect = |inst: &Inst| matches!(inst.op, Op::Alloca | Op::Iconst | Op::Fconst);
    let insts = std::mem::take(&mut func.blocks[entry].insts);
    let (first, rest): (Vec<InstId>, _) = insts.into_iter().partition(|&id| has_no_effect(&func.insts[id]));
    func.blocks[entry].insts = first;
    func.blocks[start].insts = rest;
    let b = &mut Builder::new(&mut func, entry);
    b.br_if(is_active, start, inactive);
    b.switch_to(inactive);
    let ended = b.iconst(Type::I32, ITEM_ENDED);
    b.ret(&[ended]);
    func
}
