//! Synthetic region entries: regions that begin without a barrier.
//!
//! A block that several regions reach is copied into each of them. Where that would copy too much, a block
//! whose predecessors belong to different regions becomes the entry of a region of its own, so that every
//! block belongs to one region. Work-items need not agree on such a region; each stores the number of the
//! region that it waits for (`KernelRegions::has_divergent_regions`).

use super::super::vectorize::{canonicalize, forward_progress};
use super::regions::Head;
use grus_ir::analysis::{Analyses, Cfg, LoopId};
use grus_ir::{Block, Builder, Effect, Function, Inst};
use grus_support::{FastSet, IdMap};

/// Maximum number of rounds that search for entries. A missing entry does no harm, as its blocks are copied.
// Arbitrary.
const ROUNDS: usize = 16;

/// Adds entries until no block belongs to two regions.
pub(super) fn add(func: &mut Function, heads: &mut Vec<Head>) {
    let cfg = Cfg::new(func);
    let mut is_head = IdMap::with_len(false, func.blocks.len());
    heads.iter().for_each(|head| is_head[head.block] = true);
    let mut joins = Vec::new();
    for _ in 0..ROUNDS {
        let found = joins.len();
        let owner = owners(func, &cfg, &mut is_head, &mut joins);
        // Back edges can be checked only once all owners are known.
        for &block in cfg.rpo() {
            if !is_head[block] && cfg.preds(block).iter().any(|&pred| owner[pred] != owner[block]) {
                is_head[block] = true;
                joins.push(block);
            }
        }
        if joins.len() == found {
            break;
        }
    }
    for block in joins {
        let block = without_params(func, block);
        heads.push(Head { block, barrier: None });
    }
}

/// Adds entries for sub-groups, which make independent forward progress (`cl_khr_subgroups`): one may spin on
/// another. Iterations of such loops become regions, so that other sub-groups run in between. The work-items
/// of one sub-group reconverge before each operation they execute together, and at the end of each iteration
/// of the loops around it.
pub(super) fn add_for_sub_groups(func: &mut Function, heads: &mut Vec<Head>) {
    let mut analyses = Analyses::default();
    canonicalize::dedicated_latches(func, &mut analyses);
    analyses = Analyses::default();
    let mut found: FastSet<LoopId> =
        forward_progress::spin_wait_loops(func, &mut analyses).into_iter().collect();
    let loops = analyses.loops(func);
    for &block in &func.layout {
        if func.blocks[block].insts.iter().any(|&id| is_joint_operation(&func.insts[id])) {
            found.extend(loops.around(block));
        }
    }
    let enclosing: Vec<LoopId> = found.iter().flat_map(|&id| loops.around(loops.get(id).header)).collect();
    found.extend(enclosing);
    let mut latches: Vec<Block> = found.into_iter().flat_map(|id| loops.get(id).latches.clone()).collect();
    latches.sort_unstable();
    for latch in latches {
        heads.push(Head { block: without_params(func, latch), barrier: None });
    }
    for block in func.layout.clone() {
        let insts = std::mem::take(&mut func.blocks[block].insts);
        let mut here = block;
        for id in insts {
            if is_joint_operation(&func.insts[id]) {
                let next = func.add_block();
                Builder::new(func, here).jump(next, &[]);
                heads.push(Head { block: next, barrier: None });
                here = next;
            }
            func.blocks[here].insts.push(id);
        }
    }
}

/// Checks whether the work-items of a sub-group execute the instruction together.
fn is_joint_operation(inst: &Inst) -> bool {
    inst.op.is_of_sub_group() && inst.op.effect() != Effect::Pure
}

/// Checks whether a work-item may spin on another one.
pub(super) fn may_wait(func: &Function) -> bool {
    !forward_progress::spin_wait_loops(func, &mut Analyses::default()).is_empty()
}

/// Returns the head of the region that each block belongs to, as far as it follows from the blocks before it.
/// Blocks that belong to two regions become heads.
fn owners(
    func: &Function,
    cfg: &Cfg,
    is_head: &mut IdMap<Block, bool>,
    joins: &mut Vec<Block>,
) -> IdMap<Block, Option<Block>> {
    let mut owner: IdMap<Block, Option<Block>> = IdMap::with_len(None, func.blocks.len());
    for &block in cfg.rpo() {
        let mut known = cfg.preds(block).iter().filter_map(|&pred| owner[pred]);
        let first = known.next();
        if !is_head[block] && known.any(|other| Some(other) != first) {
            is_head[block] = true;
            joins.push(block);
        }
        owner[block] = if is_head[block] { Some(block) } else { first };
    }
    owner
}

/// Returns the block that holds the instructions of `block` after its parameters, splitting it if it has any.
fn without_params(func: &mut Function, block: Block) -> Block {
    if func.blocks[block].params.is_empty() {
        return block;
    }
    let rest = func.add_block();
    func.blocks[rest].insts = std::mem::take(&mut func.blocks[block].insts);
    Builder::new(func, block).jump(rest, &[]);
    rest
}
