//! Loops in steps of the whole range are run with the items of the group inside.
//!
//! `for (i = get_global_id(0); i < n; i += get_global_size(0))` goes through memory in large steps if item follows item,
//! each with the whole loop: every access is a new line. Neighbouring items are at neighbouring places, and the order of
//! items is free, so the group goes through such a loop in lockstep, as if a barrier stood in each turn (implicit
//! barriers: Jääskeläinen et al., pocl, IJPP 2015). Before:
//!
//! ```text
//! before:  jump -> header(start, sum)
//! header(i, sum):  ...   brif i < n -> ..., after
//!          ...     jump -> header(i + step, sum')
//! ```
//! and after, where `o` counts in steps and is the same for all items:
//!
//! ```text
//! entry:   brif the whole group takes the first turn -> turn(0, sum), tail(0, sum)
//! turn(o, sum):   barrier;  the loop's turn for i = start + o, out of which no way leads
//!          brif the whole group takes the next -> turn(o + step, sum'), tail(o + step, sum')
//!          (or, if nobody does and nothing of the loop is used there, -> after)
//! tail(o, sum):   barrier;  jump -> header(start + o, sum)
//! ```
//! The loop stays, for what is left: turns that only some items take, and all of them where something is not as it is
//! expected to be. So the number of turns in lockstep may be any that all items certainly take; it is counted in 64 bits
//! and never past the bound, so that nothing wraps. `regions` does the rest: of what lives across the barriers, `o` has one
//! place for the group, `i` is computed anew, and only sums and their like need an element for each item.
//!
//! So are loops whose turns all items count alike, `for (k = 0; k < 8; ++k) ... in[k * 128 + get_local_id(0)]`, if
//! nothing but the count goes from turn to turn; `unroll` leaves them alone.
//!
//! Loops stay as they are where items could see each other's order: barriers, calls, atomics whose result is used, volatile
//! accesses. So do those with private memory, which each item would need a copy of.

mod affine;
mod find;
pub mod grid_stride;
mod split_loop;

use super::super::pass_manager::PassContext;
use super::super::scalar::cost;
use super::uniformity;
use crate::ir::analysis::{Analyses, prune_unreachable};
use crate::ir::{Block, Function, Inst, Kind, Op, Value};
use crate::support::FastSet;

/// Kernels of more instructions stay as they are: the loop is there twice afterwards.
const MOST_SIZE: usize = 2_000;

/// Loops that are run in lockstep, one inside the other or one after the other.
const MOST_LOOPS: usize = 6;

/// Bytes of private objects that a kernel may have: what is used before and behind a loop each item needs a copy of.
const MOST_PRIVATE: u64 = 64;

/// What all regions may have of the kernel, in instructions, by the barriers that are new.
const MOST_COPIED: usize = 4_000;

/// Runs the pass on a kernel.
pub fn run(func: &mut Function, context: &mut PassContext<'_>) -> bool {
    let mut done: FastSet<Block> = FastSet::default();
    let mut changed = false;
    for _ in 0..MOST_LOOPS {
        if !may_grow(func) {
            break;
        }
        let loops = context.analyses.loops(func);
        let strided = find::strided(func, &loops, &context.analyses.cfg(func), &done);
        if strided.is_empty() {
            break;
        }
        let same = uniformity::find(func, &mut context.analyses);
        let dom = context.analyses.dominators(func);
        let cfg = context.analyses.cfg(func);
        let around = find::LoopContext { func, cfg: &cfg, dom: &dom, loops: &loops, uniform: &same };
        let Some(found) = around.outermost(&strided, &mut done) else { break };
        done.insert(found.header);
        split_loop::run(func, &found, context.facts.range);
        prune_unreachable(func);
        context.changed();
        changed = true;
    }
    changed
}

/// Whether the pass may find anything in a kernel.
pub fn may_run(func: &Function, analyses: &mut Analyses) -> bool {
    let mut strided = || {
        let (loops, cfg) = (analyses.loops(func), analyses.cfg(func));
        find::strided(func, &loops, &cfg, &FastSet::default())
    };
    may_grow(func) && !strided().is_empty()
}

/// Headers of the loops in whose turns all items go over memory far apart, and that are to be run in lockstep.
pub fn implicit_barrier_loops(func: &Function, analyses: &mut Analyses) -> FastSet<Block> {
    if !func.is_kernel || !may_grow(func) {
        return FastSet::default();
    }
    let (loops, cfg) = (analyses.loops(func), analyses.cfg(func));
    let strided = find::strided(func, &loops, &cfg, &FastSet::default());
    if strided.is_empty() {
        return FastSet::default();
    }
    let (uniform, dom) = (uniformity::find(func, analyses), analyses.dominators(func));
    let around = find::LoopContext { func, cfg: &cfg, dom: &dom, loops: &loops, uniform: &uniform };
    strided.into_iter().filter(|&id| around.is_swept(id)).map(|id| loops.get(id).header).collect()
}

/// Whether the loops of a kernel do little but go through memory.
pub fn streams(func: &Function) -> bool {
    /// Instructions for each access.
    const FEW: usize = 8;
    let mut analyses = Analyses::default();
    let loops = analyses.loops(func);
    let (mut accesses, mut price) = (0, 0);
    for &block in func.layout.iter().filter(|&&block| loops.depth(block) > 0) {
        if loops.depth(block) > 1 {
            return false;
        }
        for &id in &func.blocks[block].insts {
            let inst = &func.insts[id];
            let is_far = |ptr: Value| matches!(func.ty(ptr).kind, Kind::PtrGlobal | Kind::PtrConstant);
            accesses += usize::from(matches!(inst.op, Op::Load | Op::Store) && is_far(inst.args[0]));
            price += cost::price(func, inst);
        }
    }
    price <= FEW * accesses
}

/// Whether there is room for the regions of two more barriers.
fn may_grow(func: &Function) -> bool {
    let barriers = func.instructions().filter(|inst| inst.op.is_group_barrier()).count();
    let calls = |inst: &Inst| matches!(inst.op, Op::Call | Op::CallHelper) || inst.op.is_of_sub_group();
    let objects = func.instructions().filter(|inst| inst.op == Op::Alloca);
    let private: u64 = objects.map(|inst| inst.size_align().0).sum();
    func.size() <= MOST_SIZE
        && private <= MOST_PRIVATE
        && (barriers + 2) * func.size() <= MOST_COPIED
        && !func.instructions().any(calls)
}
