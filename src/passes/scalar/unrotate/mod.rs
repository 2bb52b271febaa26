//! Undoes loop rotation: loops that test at the end of an iteration, and are entered only if the test would hold at the
//! start, become loops that test at the start.
//!
//! ```text
//! if (a < n) { do { body(i); i += s; } while (i < n); }    becomes    for (i = a; i < n; i += s) body(i);
//! ```
//!
//! LLVM rotates every loop (`LoopRotate`), so that modules in SPIR-V have the first form; front ends write the second, by
//! which passes recognize loops over the range (`workgroup::implicit_barriers`). Machine code has one branch per iteration
//! in both: the back ends place blocks.
//!
//! A loop is changed if its test depends on nothing but values of the next iteration and loop-invariant ones, so that it
//! can be computed from the header's parameters, and if the test holds at the entry, because of constants or of branches
//! that dominate it. Tests of the counter *before* its step (`i++ < n`) are taken for tests after it of a counter that
//! starts a step lower. A guard that says the same as the test is removed. `i != n` becomes `i < n` where the entry
//! implies that for a step of one.

mod conditions;
mod plan;
mod rotated_loop;

use super::super::pass_manager::PassContext;
use grus_ir::analysis::{Cfg, DomTree, LoopId, Loops};
use grus_ir::{Block, Function, Op, Value};
use grus_support::{FastMap, FastSet, IdMap};
use rotated_loop::RotatedLoop;

/// Maximum number of loop levels that are changed.
// Arbitrary.
const MAX_ROUNDS: usize = 4;
/// Maximum number of values of a loop that are used outside of it.
// Arbitrary.
const MAX_USED_OUTSIDE: usize = 16;

/// Runs on a function. Returns whether something changed.
pub fn run(func: &mut Function, context: &mut PassContext<'_>) -> bool {
    let mut changed = false;
    for _ in 0..MAX_ROUNDS {
        let loops = context.analyses.loops(func);
        if !loops.is_reducible() || !loops.ids().any(|id| is_tested_at_end(func, &loops, id)) {
            break;
        }
        let (cfg, dom) = (context.analyses.cfg(func), context.analyses.dominators(func));
        if !round(func, &cfg, &dom, &loops) {
            break;
        }
        changed = true;
        context.changed();
    }
    changed
}

/// Checks whether a loop has one latch that leaves it, and a header that does not.
fn is_tested_at_end(func: &Function, loops: &Loops, id: LoopId) -> bool {
    let found = loops.get(id);
    let [latch] = found.latches[..] else { return false };
    let leaves = |block: Block| func.successors(block).any(|next| !loops.contains(id, next));
    let last = func.terminator(latch);
    last.op == Op::BrIf
        && leaves(latch)
        && loops.of(latch) == Some(id)
        && (latch == found.header || !leaves(found.header))
}

/// Changes loops, at most one of each nest, innermost ones first.
fn round(func: &mut Function, cfg: &Cfg, dom: &DomTree, loops: &Loops) -> bool {
    let homes = homes(func, cfg, loops);
    let leaving = Leaving::of(func, cfg, loops, &homes);
    let mut changed_nests: FastSet<LoopId> = FastSet::default();
    let mut replaced: FastMap<Value, (LoopId, Value)> = FastMap::default();
    // Blocks whose branches are not those that the analyses saw.
    let mut changed_blocks: FastSet<Block> = FastSet::default();
    // New blocks, with a block that was in the same loops.
    let mut new_blocks: Vec<(Block, Block)> = Vec::new();
    for id in loops.ids().rev() {
        let is_left_with_values = leaving.exits[id] > 1 && !leaving.values[id].is_empty();
        if is_left_with_values || changed_nests.contains(&id) || !is_tested_at_end(func, loops, id) {
            continue;
        }
        let rotated = RotatedLoop::of(func, cfg, loops, &homes, &changed_blocks, id);
        let Some(plan) = rotated.and_then(|rotated| rotated.plan(dom, &leaving.values[id])) else { continue };
        let first_new = func.layout.len();
        let values = plan.apply(func);
        new_blocks.extend(func.layout[first_new..].iter().map(|&block| (block, plan.header)));
        replaced.extend(values.into_iter().map(|(old, new)| (old, (id, new))));
        changed_blocks.extend([plan.header, plan.latch, plan.entering]);
        changed_blocks.extend(plan.guard.map(|(block, _)| block));
        changed_nests.extend(loops.around(plan.header));
    }
    let old_blocks = cfg.rpo().iter().map(|&block| (block, block));
    for (block, home) in old_blocks.chain(new_blocks) {
        for at in 0..func.blocks[block].insts.len() {
            let id = func.blocks[block].insts[at];
            for arg in func.insts[id].uses_mut() {
                if let Some(&(_, new)) = replaced.get(arg).filter(|(of, _)| !loops.contains(*of, home)) {
                    *arg = new;
                }
            }
        }
    }
    !changed_nests.is_empty()
}

/// Returns the innermost loop in which each value is defined.
fn homes(func: &Function, cfg: &Cfg, loops: &Loops) -> IdMap<Value, Option<LoopId>> {
    let mut homes = IdMap::with_len(None, func.values.len());
    for &block in cfg.rpo() {
        if let Some(home) = loops.of(block) {
            let data = &func.blocks[block];
            let results = data.insts.iter().filter_map(|&id| func.insts[id].result);
            data.params.iter().copied().chain(results).for_each(|value| homes[value] = Some(home));
        }
    }
    homes
}

/// Exits of loops, and their values that are used outside of them.
struct Leaving {
    exits: IdMap<LoopId, usize>,
    values: IdMap<LoopId, Vec<Value>>,
}

impl Leaving {
    fn of(func: &Function, cfg: &Cfg, loops: &Loops, homes: &IdMap<Value, Option<LoopId>>) -> Leaving {
        // Outermost loop that a use of each value leaves.
        let mut outermost: IdMap<Value, Option<LoopId>> = IdMap::new(None);
        let mut leaving = Leaving { exits: IdMap::new(0), values: IdMap::new(Vec::new()) };
        for &block in cfg.rpo() {
            for next in func.successors(block) {
                let left = loops.around(block).take_while(|&id| !loops.contains(id, next));
                left.for_each(|id| leaving.exits[id] += 1);
            }
            for arg in func.blocks[block].insts.iter().flat_map(|&id| func.insts[id].uses()) {
                // Loops that another use leaves, too, are known.
                let first = outermost[arg].map_or(homes[arg], |id| loops.get(id).parent);
                let left = std::iter::successors(first, |&id| loops.get(id).parent);
                for id in left.take_while(|&id| !loops.contains(id, block)) {
                    outermost[arg] = Some(id);
                    let values = &mut leaving.values[id];
                    if values.len() <= MAX_USED_OUTSIDE {
                        values.push(arg);
                    }
                }
            }
        }
        leaving
    }
}
