//! Implicit loop barriers: interchanges a loop with the loop over work-items, so that the whole group executes one
//! iteration after the other.
//!
//! `for (i = get_global_id(0); i < n; i += get_global_size(0))` advances by large strides. If each work-item
//! executes the whole loop before the next work-item, every access touches a new cache line. Consecutive
//! work-items access consecutive memory, and their order is free, so the pass inserts a barrier into each iteration
//! (Jääskeläinen et al., pocl: A Performance-Portable OpenCL Implementation, IJPP 2015). Before:
//!
//! ```text
//! before:  jump -> header(start, sum)
//! header(i, sum):  ...   brif i < n -> ..., after
//!          ...     jump -> header(i + step, sum')
//! ```
//! After, where `o` is the sum of the steps and uniform:
//!
//! ```text
//! entry:   brif the whole group executes the first iteration -> body(0, sum), tail(0, sum)
//! body(o, sum):   barrier;  copy of the iteration for i = start + o, without exits
//!          brif the whole group executes the next one -> body(o + step, sum'), tail(o + step, sum')
//!          (or -> after, if no work-item executes it and no value of the loop is used there)
//! tail(o, sum):   barrier;  jump -> header(start + o, sum)
//! ```
//! The original loop remains for the rest: iterations that only some work-items execute, and all iterations if a
//! condition does not hold. The number of iterations before it may therefore be any number that all work-items
//! certainly execute; it is computed in 64 bits and never passes the bound, so nothing wraps. `regions` does the
//! rest: of the values that live across the barriers, `o` has one slot for the group, `i` is recomputed, and only
//! accumulators and the like need an element for each work-item.
//!
//! Loops with uniform trip counts, such as `for (k = 0; k < 8; ++k) ... in[k * 128 + get_local_id(0)]`, are
//! transformed in the same way if only the counter is carried between iterations; `unroll` leaves them alone.
//!
//! A loop stays as it is if work-items could observe each other's order: with barriers, calls, atomic operations
//! whose results are used, and volatile accesses. So does one with private memory, of which each work-item would
//! need a copy.

mod affine;
mod find;
pub mod grid_stride;
mod split_loop;

use super::super::pass_manager::PassContext;
use super::super::scalar::cost;
use super::uniformity;
use grus_ir::analysis::{Analyses, prune_unreachable};
use grus_ir::{Block, Function, Inst, Kind, Op, Value};
use grus_support::FastSet;

/// Maximum size of a kernel in instructions, as the pass duplicates the loop.
// Arbitrary.
const MAX_KERNEL_SIZE: usize = 2_000;

/// Maximum number of loops that get implicit barriers, nested or not.
// Arbitrary.
const MAX_LOOPS: usize = 6;

/// Maximum size in bytes of a kernel's private objects; those used before and after a loop need a copy for
/// each work-item.
// Arbitrary.
const MAX_PRIVATE_BYTES: u64 = 64;

/// Maximum number of instructions that the regions of the new barriers may copy.
// Arbitrary.
const MAX_COPIED_SIZE: usize = 4_000;

/// Runs the pass on a kernel.
pub fn run(func: &mut Function, context: &mut PassContext<'_>) -> bool {
    let mut done: FastSet<Block> = FastSet::default();
    let mut changed = false;
    for _ in 0..MAX_LOOPS {
        if !fits_limits(func) {
            break;
        }
        let loops = context.analyses.loops(func);
        let candidates = find::candidates(func, &loops, &context.analyses.cfg(func), &done);
        if candidates.is_empty() {
            break;
        }
        let uniform = uniformity::find(func, &mut context.analyses);
        let dom = context.analyses.dominators(func);
        let cfg = context.analyses.cfg(func);
        let loop_context = find::LoopContext { func, cfg: &cfg, dom: &dom, loops: &loops, uniform: &uniform };
        let Some(found) = loop_context.outermost(&candidates, &mut done) else { break };
        done.insert(found.shape.header);
        split_loop::run(func, &found, context.facts.range);
        prune_unreachable(func);
        context.changed();
        changed = true;
    }
    changed
}

/// Checks whether the pass may find anything in a kernel.
pub fn may_run(func: &Function, analyses: &mut Analyses) -> bool {
    let mut candidates = || {
        let (loops, cfg) = (analyses.loops(func), analyses.cfg(func));
        find::candidates(func, &loops, &cfg, &FastSet::default())
    };
    fits_limits(func) && !candidates().is_empty()
}

/// Returns the headers of the loops whose iterations are uniform but access distant memory, and that get
/// implicit barriers.
pub fn implicit_barrier_loops(func: &Function, analyses: &mut Analyses) -> FastSet<Block> {
    if !func.is_kernel || !fits_limits(func) {
        return FastSet::default();
    }
    let (loops, cfg) = (analyses.loops(func), analyses.cfg(func));
    let candidates = find::candidates(func, &loops, &cfg, &FastSet::default());
    if candidates.is_empty() {
        return FastSet::default();
    }
    let (uniform, dom) = (uniformity::find(func, analyses), analyses.dominators(func));
    let loop_context = find::LoopContext { func, cfg: &cfg, dom: &dom, loops: &loops, uniform: &uniform };
    candidates
        .into_iter()
        .filter(|&id| loop_context.has_uniform_iterations(id))
        .map(|id| loops.get(id).header)
        .collect()
}

/// Checks whether the loops of a kernel do little else than access memory.
pub fn streams(func: &Function) -> bool {
    /// Maximum cost per access, in units of `cost::instruction_cost`.
    // Arbitrary.
    const MAX_COST_PER_ACCESS: usize = 8;
    let mut analyses = Analyses::default();
    let loops = analyses.loops(func);
    let (mut accesses, mut total_cost) = (0, 0);
    for &block in func.layout.iter().filter(|&&block| loops.depth(block) > 0) {
        if loops.depth(block) > 1 {
            return false;
        }
        for &id in &func.blocks[block].insts {
            let inst = &func.insts[id];
            let is_global = |ptr: Value| matches!(func.ty(ptr).kind, Kind::PtrGlobal | Kind::PtrConstant);
            accesses += usize::from(matches!(inst.op, Op::Load | Op::Store) && is_global(inst.args[0]));
            total_cost += cost::instruction_cost(func, inst);
        }
    }
    total_cost <= MAX_COST_PER_ACCESS * accesses
}

/// Checks whether the size limits allow the regions of two more barriers.
fn fits_limits(func: &Function) -> bool {
    let barriers = func.instructions().filter(|inst| inst.op.is_group_barrier()).count();
    let calls = |inst: &Inst| matches!(inst.op, Op::Call | Op::CallHelper) || inst.op.is_of_sub_group();
    let objects = func.instructions().filter(|inst| inst.op == Op::Alloca);
    let private: u64 = objects.map(|inst| inst.size_align().0).sum();
    func.size() <= MAX_KERNEL_SIZE
        && private <= MAX_PRIVATE_BYTES
        && (barriers + 2) * func.size() <= MAX_COPIED_SIZE
        && !func.instructions().any(calls)
}
