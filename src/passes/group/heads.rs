//! Regions that begin where no barrier is: they keep the code linear.
//!
//! Blocks that several regions reach are copied into each. Where that would be too much, a block whose predecessors
//! belong to different regions begins a region of its own, so that every block belongs to one. Work-items need not
//! agree on such a head: each keeps the number of the region that it waits for (`Formed::apart`).

use super::regions::Head;
use crate::ir::analysis::Cfg;
use crate::ir::{Block, Builder, Function};
use crate::support::IdMap;

/// Rounds that find heads. Fewer heads than needed are no harm: some blocks are copied.
const ROUNDS: usize = 16;

/// Adds heads until no block belongs to two regions.
pub(super) fn add(func: &mut Function, heads: &mut Vec<Head>) {
    let cfg = Cfg::new(func);
    let mut is_head = IdMap::with_len(false, func.blocks.len());
    heads.iter().for_each(|head| is_head[head.block] = true);
    let mut joins = Vec::new();
    for _ in 0..ROUNDS {
        let found = joins.len();
        let owner = owners(func, &cfg, &mut is_head, &mut joins);
        // Around loops it shows only now.
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

/// The head of the region that each block belongs to, as far as it is known from the blocks before it. Blocks that
/// belong to two become heads.
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

/// The block after the parameters of one; itself if it has none.
fn without_params(func: &mut Function, block: Block) -> Block {
    if func.blocks[block].params.is_empty() {
        return block;
    }
    let rest = func.add_block();
    func.blocks[rest].insts = std::mem::take(&mut func.blocks[block].insts);
    Builder::new(func, block).jump(rest, &[]);
    rest
}
