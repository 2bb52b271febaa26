//! Partial control-flow linearization: determines the sequence of blocks where lanes diverge.
//!
//! The targets of a divergent branch run one after the other, in the order of `block_order`, each with its
//! mask; the later ones are deferred. Uniform branches stay branches (Moll, Hack, Partial Control-Flow
//! Linearization, PLDI 2018). Expensive blocks are skipped if no lane is active in them. A divergent loop runs
//! while any lane is active in it; its exits are deferred until its end.

use super::super::scalar::cost;
use super::block_order::BlockOrder;
use super::divergence::VectorShapes;
use grus_ir::analysis::{DomTree, LoopId, Loops, PostDomTree};
use grus_ir::{Block, Effect, Function, Op};
use grus_support::IdMap;

/// Deferred blocks that have yet to run, in the block order.
pub(super) type Pending = Vec<Block>;

/// Active lanes of a block.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum BlockMask {
    /// All lanes.
    All,
    /// The lanes of another block.
    SameAs(Block),
    /// The lanes that have branched to the block, collected in a variable.
    Collected,
}

/// Sequence and masks of the blocks.
pub(super) struct Linearization {
    /// Blocks that may be pending when a block runs.
    pending: IdMap<Block, Pending>,
    /// True for blocks that do not always directly follow their predecessors: their arguments are passed in
    /// variables.
    deferred: IdMap<Block, bool>,
    /// True for blocks that are skipped if no lane is active.
    pub expensive: IdMap<Block, bool>,
    /// True for blocks in which a lane is active whenever they run.
    pub has_active_lane: IdMap<Block, bool>,
    pub masks: IdMap<Block, BlockMask>,
}

/// Limit of the total length of all lists of pending blocks.
// Arbitrary.
const MAX_PENDING: usize = 1 << 14;

impl Linearization {
    /// Linearizes a function; `None` if too many blocks are pending.
    pub(super) fn new(
        func: &Function,
        order: &BlockOrder,
        loops: &Loops,
        shapes: &VectorShapes<'_>,
        dom: &DomTree,
        post: &PostDomTree,
    ) -> Option<Linearization> {
        let len = func.blocks.len();
        let mut plan = Linearization {
            pending: IdMap::with_len(Vec::new(), len),
            deferred: IdMap::with_len(false, len),
            expensive: IdMap::with_len(false, len),
            has_active_lane: IdMap::with_len(true, len),
            masks: IdMap::with_len(BlockMask::All, len),
        };
        let mut total = 0;
        for &block in &order.blocks {
            plan.expensive[block] = loops.is_header(block) || is_expensive(func, block);
            plan.masks[block] = mask_of(block, shapes, dom, post);
            if let Some(id) =
                loops.of(block).filter(|&id| loops.get(id).header == block && shapes.is_divergent_loop(id))
            {
                let exits = shapes.exits(order, id);
                plan.defer(order, block, &exits);
            }
            total += plan.pending[block].len();
            if total > MAX_PENDING {
                return None;
            }
            plan.visit(func, order, loops, shapes, block);
        }
        Some(plan)
    }

    fn visit(
        &mut self,
        func: &Function,
        order: &BlockOrder,
        loops: &Loops,
        shapes: &VectorShapes<'_>,
        block: Block,
    ) {
        let pending = self.pending[block].clone();
        if pending.is_empty() {
            // All active lanes reach this block.
            self.has_active_lane[block] = true;
        } else if self.is_guarded(block) {
            self.follow(order, &pending, &[], true);
            self.has_active_lane[block] = true;
        }
        let has_active_lane = self.has_active_lane[block];
        if let Some(id) = latch_of(func, loops, block) {
            if shapes.is_divergent_loop(id) {
                self.follow(order, &pending, &[], true);
            }
            return;
        }
        let next_blocks: Vec<Block> = func.successors(block).collect();
        if shapes.is_divergent_branch(block) {
            for target in shapes.repeated_targets(block) {
                self.deferred[target] = true;
            }
            self.follow(order, &pending, &next_blocks, false);
        } else {
            next_blocks.iter().for_each(|&next| self.follow(order, &pending, &[next], has_active_lane));
        }
    }

    /// Records that control continues with `next_blocks` while `pending` blocks wait. `has_active_lane` says that
    /// some lane continues.
    fn follow(
        &mut self,
        order: &BlockOrder,
        pending: &[Block],
        next_blocks: &[Block],
        has_active_lane: bool,
    ) {
        let Some((first, remaining)) = next_of(order, pending, next_blocks) else { return };
        if next_blocks.contains(&first) && !pending.contains(&first) {
            // The block may be skipped.
            if !remaining.is_empty() && self.expensive[first] && !has_active_lane {
                self.follow(order, &remaining, &[], true);
            }
        }
        self.has_active_lane[first] &= has_active_lane || remaining.is_empty() || self.expensive[first];
        self.defer(order, first, &remaining);
    }

    fn defer(&mut self, order: &BlockOrder, at: Block, blocks: &[Block]) {
        for &block in blocks {
            self.deferred[block] = true;
            let list = &mut self.pending[at];
            if let Err(index) =
                list.binary_search_by_key(&order.position(block), |&other| order.position(other))
            {
                list.insert(index, block);
            }
        }
    }

    pub(super) fn pending(&self, block: Block) -> &[Block] {
        &self.pending[block]
    }

    /// Checks whether the arguments of a block are passed in variables.
    pub(super) fn is_deferred(&self, block: Block) -> bool {
        self.deferred[block]
    }

    /// Checks whether a deferred block starts with a test for active lanes.
    pub(super) fn is_guarded(&self, block: Block) -> bool {
        self.deferred[block] && self.expensive[block] && !self.pending[block].is_empty()
    }
}

/// Returns the first of the pending and the next blocks, and the remaining ones.
pub(super) fn next_of(
    order: &BlockOrder,
    pending: &[Block],
    next_blocks: &[Block],
) -> Option<(Block, Pending)> {
    let mut all: Vec<Block> = pending.iter().chain(next_blocks).copied().collect();
    all.sort_by_key(|&block| order.position(block));
    all.dedup();
    let first = *all.first()?;
    all.remove(0);
    Some((first, all))
}

/// Returns the loop whose latch a block is: its only successor is the header.
pub(super) fn latch_of(func: &Function, loops: &Loops, block: Block) -> Option<LoopId> {
    loops.of(block).filter(|&id| func.successors(block).eq([loops.get(id).header]))
}

/// Checks whether skipping a block is better than running it without active lanes. A block that reads memory
/// must not run without active lanes.
fn is_expensive(func: &Function, block: Block) -> bool {
    // Arbitrary.
    const MAX_CHEAP_SIZE: usize = 12;
    let insts = &func.blocks[block].insts;
    let (_, body) = insts.split_last().expect("a terminator");
    let is_exit = func.successors(block).next().is_none();
    insts.len() > MAX_CHEAP_SIZE
        || is_exit && func.terminator(block).op == Op::Unreachable
        || body.iter().any(|&id| {
            let op = func.insts[id].op;
            op.effect() != Effect::Pure || cost::is_expensive(op)
        })
}

fn mask_of(block: Block, shapes: &VectorShapes<'_>, dom: &DomTree, post: &PostDomTree) -> BlockMask {
    if !shapes.is_masked(block) {
        return BlockMask::All;
    }
    let divergent_loop = shapes.innermost_divergent_loop(block);
    let mut dominator = dom.idom(block);
    while let Some(other) = dominator {
        if shapes.innermost_divergent_loop(other) == divergent_loop {
            break;
        }
        dominator = dom.idom(other);
    }
    // A block that post-dominates its dominator has the same lanes.
    match dominator {
        Some(other) if post.post_dominates(block, other) => {
            if shapes.is_masked(other) {
                BlockMask::SameAs(other)
            } else {
                BlockMask::All
            }
        }
        _ => BlockMask::Collected,
    }
}
