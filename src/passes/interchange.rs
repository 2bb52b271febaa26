//! Choice of the dimension along which work-items are vectorized. It is the first one, unless memory is accessed
//! better along the second one: then both are interchanged, in the code and in the ND-range of the launch.
//!
//! The choice compares the distances between the accesses of adjacent work-items in either dimension: the same
//! address, consecutive addresses, or scattered ones.

use grus_ir::analysis::Loops;
use grus_ir::interp::signed;
use grus_ir::{Attr, Function, Helper, Inst, Kind, Op, Query, Type, Value};
use grus_support::IdMap;

/// Benefit of interchanging the first two dimensions of a kernel.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Interchange {
    /// Interchange is not possible or harmful, or the kernel has one dimension.
    No,
    /// Interchange makes no great difference.
    Indifferent,
    /// Interchange is faster.
    Better,
}

/// Checks whether an instruction prevents interchange: it depends on the order of work-items, or is a call.
fn prevents_interchange(inst: &Inst) -> bool {
    match inst.op {
        Op::Call => true,
        Op::CallHelper => matches!(inst.helper(), Helper::Printf | Helper::Enqueue),
        Op::WorkItem => inst.query().0 == Query::LinearId,
        Op::Barrier => false,
        op => op.is_convergent(),
    }
}

fn queries_dimension(func: &Function, dim: u8) -> bool {
    let is_query = |inst: &Inst| {
        inst.op == Op::WorkItem && matches!(inst.query(), (Query::GlobalId | Query::LocalId, of) if of == dim)
    };
    func.instructions().any(is_query)
}

/// Checks whether the first two dimensions of a kernel can be interchanged.
pub fn is_legal(func: &Function) -> bool {
    queries_dimension(func, 1) && !func.instructions().any(prevents_interchange)
}

/// Returns the benefit of interchanging the dimensions of a kernel with these loops.
pub fn benefit(func: &Function, loops: &Loops) -> Interchange {
    if !is_legal(func) {
        return Interchange::No;
    }
    let [Some(first), Some(second)] = [0, 1].map(|dim| memory_cost(func, loops, dim)) else {
        return Interchange::No;
    };
    if second * 3 < first * 2 {
        Interchange::Better
    } else if second * 2 <= first * 3 {
        Interchange::Indifferent
    } else {
        Interchange::No
    }
}

/// Interchanges the first two dimensions of a kernel.
pub fn run(func: &mut Function) {
    for inst in func.insts.values_mut().filter(|inst| inst.op == Op::WorkItem) {
        if let (query, dim @ (0 | 1)) = inst.query()
            && query != Query::WorkDim
        {
            inst.attr = Attr::Query(query, 1 - dim);
        }
    }
}

/// Difference of a value between adjacent work-items.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum ItemStep {
    Unknown,
    By(i64),
    Any,
}

impl ItemStep {
    fn join(self, other: ItemStep) -> ItemStep {
        match (self, other) {
            (ItemStep::Unknown, step) | (step, ItemStep::Unknown) => step,
            (a, b) if a == b => a,
            _ => ItemStep::Any,
        }
    }

    fn with(self, other: ItemStep, combine: impl Fn(i64, i64) -> Option<i64>) -> ItemStep {
        match (self, other) {
            (ItemStep::Unknown, _) | (_, ItemStep::Unknown) => ItemStep::Unknown,
            (ItemStep::By(a), ItemStep::By(b)) => combine(a, b).map_or(ItemStep::Any, ItemStep::By),
            _ => ItemStep::Any,
        }
    }
}

/// Maximum number of sweeps. They suffice for all real functions.
// Arbitrary.
const MAX_SWEEPS: usize = 12;

/// Computes the steps of all values along a dimension, or `None` if there is no fixed point after the maximum
/// number of sweeps.
fn steps(func: &Function, dim: u8) -> Option<IdMap<Value, ItemStep>> {
    let mut steps = IdMap::with_len(ItemStep::Unknown, func.values.len());
    func.params().iter().for_each(|&param| steps[param] = ItemStep::By(0));
    for _ in 0..MAX_SWEEPS {
        let mut changed = false;
        for inst in func.instructions() {
            if let Some(result) = inst.result {
                let new = step(func, inst, &steps, dim).join(steps[result]);
                changed |= std::mem::replace(&mut steps[result], new) != new;
            }
            for target in &inst.targets {
                for (&param, &arg) in func.blocks[target.block].params.iter().zip(&target.args) {
                    let new = steps[param].join(steps[arg]);
                    changed |= std::mem::replace(&mut steps[param], new) != new;
                }
            }
        }
        if !changed {
            return Some(steps);
        }
    }
    None
}

/// Returns the step of a result.
fn step(func: &Function, inst: &Inst, steps: &IdMap<Value, ItemStep>, dim: u8) -> ItemStep {
    let of = |i: usize| steps[inst.args[i]];
    let zero_or_any = || {
        inst.args.iter().fold(ItemStep::By(0), |all, &arg| match (all, steps[arg]) {
            (ItemStep::Unknown, _) | (_, ItemStep::Unknown) => ItemStep::Unknown,
            (ItemStep::By(0), ItemStep::By(0)) => ItemStep::By(0),
            _ => ItemStep::Any,
        })
    };
    let by = |i: usize| func.as_const(inst.args[i]).map(|by| signed(inst.ty.kind.bits(), by));
    match inst.op {
        Op::WorkItem => match inst.query() {
            (Query::GlobalId | Query::LocalId, of) if of == dim => ItemStep::By(1),
            _ => ItemStep::By(0),
        },
        Op::Iadd | Op::PtrAdd => of(0).with(of(1), i64::checked_add),
        Op::Isub => of(0).with(of(1), i64::checked_sub),
        Op::Imul => match (by(0), by(1)) {
            (_, Some(by)) => of(0).with(ItemStep::By(by), i64::checked_mul),
            (Some(by), None) => of(1).with(ItemStep::By(by), i64::checked_mul),
            (None, None) => zero_or_any(),
        },
        Op::Shl => match by(1) {
            Some(by @ 0..=31) => of(0).with(ItemStep::By(1 << by), i64::checked_mul),
            _ => zero_or_any(),
        },
        Op::Sext | Op::Zext | Op::Trunc | Op::Bitcast if !inst.ty.is_vector() => of(0),
        Op::Load if func.ty(inst.args[0]).kind != Kind::PtrPrivate => zero_or_any(),
        // The memory may have been written by other work-items.
        Op::Load | Op::AtomicRmw | Op::AtomicCas | Op::AtomicLoad | Op::CallHelper => ItemStep::Any,
        _ => zero_or_any(),
    }
}

/// Estimates the cost of the memory accesses of work-items that are vectorized along a dimension.
fn memory_cost(func: &Function, loops: &Loops, dim: u8) -> Option<u64> {
    /// Assumed number of lanes, which is the cost of a scattered access.
    // Arbitrary.
    const LANES: u64 = 16;
    /// Maximum step in bytes at which lanes share cache lines: the size of a line.
    // Source: size of a cache line.
    const MAX_NEAR_BYTES: u64 = 64;
    /// Assumed trip count of loops.
    // Arbitrary.
    const TRIP_COUNT: u64 = 8;
    /// Maximum loop depth that is taken into account.
    // Arbitrary.
    const MAX_DEPTH: u32 = 4;
    let steps = steps(func, dim)?;
    let mut total = 0;
    for &block in &func.layout {
        let iterations = TRIP_COUNT.pow(loops.depth(block).min(MAX_DEPTH));
        for &id in &func.blocks[block].insts {
            let inst = &func.insts[id];
            let ty = match inst.op {
                Op::Load => inst.ty,
                Op::Store => func.ty(inst.args[1]),
                Op::AtomicRmw | Op::AtomicCas => Type::I32,
                _ => continue,
            };
            if func.ty(inst.args[0]).kind == Kind::PtrPrivate {
                continue;
            }
            let bytes = u64::from(ty.bytes());
            total += iterations
                * match steps[inst.args[0]] {
                    ItemStep::By(0) => 1,
                    ItemStep::By(step) if step.unsigned_abs() == bytes => 1 + bytes / 16,
                    ItemStep::By(step) if step.unsigned_abs() <= MAX_NEAR_BYTES => 4,
                    _ => LANES,
                };
        }
    }
    Some(total)
}

#[cfg(test)]
mod tests {
    use super::*;
    use grus_ir::analysis::Analyses;

    fn benefit_of(text: &str) -> Interchange {
        let source = grus_ir::parse_module(text).expect("it is IR");
        let func = &source.funcs[grus_ir::FuncId(0)];
        benefit(func, &Analyses::default().loops(func))
    }

    /// Returns a kernel with a load at `row * 4096 + 4 * column`.
    fn load(row: u8, column: u8, more: &str) -> String {
        format!(
            "func f0 \"k\" void kernel {{\nb0(v0: ptr.global):\n v1 = workitem.i64 global_id {row}\n v2 = workitem.i64 global_id {column}\n v3 = iconst.i64 0x1000\n v4 = imul.i64 v1, v3\n v5 = iconst.i64 0x2\n v6 = shl.i64 v2, v5\n v7 = iadd.i64 v4, v6\n v8 = ptradd.ptr.global v0, v7\n v9 = load.i32 align 4 v8\n{more} ret\n}}\n"
        )
    }

    #[test]
    fn the_dimension_along_which_memory_is_read_comes_first() {
        assert_eq!(benefit_of(&load(0, 1, "")), Interchange::Better);
        assert_eq!(benefit_of(&load(1, 0, "")), Interchange::No);
    }

    #[test]
    fn one_access_each_way_is_no_reason() {
        let back = " v10 = imul.i64 v2, v3\n v11 = shl.i64 v1, v5\n v12 = iadd.i64 v10, v11\n v13 = ptradd.ptr.global v0, v12\n store align 4 v13, v9\n";
        assert_eq!(benefit_of(&load(0, 1, back)), Interchange::Indifferent);
    }

    #[test]
    fn what_is_done_in_the_order_of_items_stays() {
        assert_eq!(benefit_of(&load(0, 1, " v10 = group_reduce.i32 add v9\n")), Interchange::No);
        assert_eq!(benefit_of(&load(0, 0, "")), Interchange::No);
    }
}
