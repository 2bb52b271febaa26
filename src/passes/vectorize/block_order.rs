//! Reverse post-order in which the blocks of each loop are contiguous, with the latch last.

use grus_ir::analysis::{Cfg, LoopId, Loops};
use grus_ir::{Block, Function};
use grus_support::{FastMap, IdMap};

/// The order, and the position of each block in it.
pub struct BlockOrder {
    pub blocks: Vec<Block>,
    position: IdMap<Block, u32>,
}

impl BlockOrder {
    /// Computes the order of a reducible function.
    pub fn new(func: &Function, cfg: &Cfg, loops: &Loops) -> BlockOrder {
        let mut unplaced_preds: IdMap<Block, u32> = IdMap::with_len(0, func.blocks.len());
        for &block in cfg.rpo() {
            let is_forward = |&&pred: &&Block| cfg.position(pred) < cfg.position(block);
            unplaced_preds[block] = cfg.preds(block).iter().filter(is_forward).count() as u32;
        }
        // Blocks whose predecessors have all been placed, by the innermost loop around them.
        let mut ready: FastMap<Option<LoopId>, Vec<Block>> = FastMap::default();
        let enclosing = |block: Block| {
            let inner = loops.of(block);
            if loops.is_header(block) { inner.and_then(|id| loops.get(id).parent) } else { inner }
        };
        ready.entry(None).or_default().push(func.entry());
        let mut open_loops: Vec<LoopId> = Vec::new();
        let mut order =
            BlockOrder { blocks: Vec::new(), position: IdMap::with_len(u32::MAX, func.blocks.len()) };
        loop {
            let Some(block) = ready.get_mut(&open_loops.last().copied()).and_then(Vec::pop) else {
                if open_loops.pop().is_none() {
                    return order;
                }
                continue;
            };
            order.position[block] = order.blocks.len() as u32;
            order.blocks.push(block);
            if loops.is_header(block) {
                open_loops.extend(loops.of(block));
            }
            // The first successor is placed next, if it is ready.
            let mut successors: Vec<Block> = func.successors(block).collect();
            successors.sort_unstable();
            successors.dedup();
            successors.sort_by_key(|next| std::cmp::Reverse(cfg.position(*next)));
            for next in successors {
                if cfg.position(next) > cfg.position(block) {
                    unplaced_preds[next] -= 1;
                    if unplaced_preds[next] == 0 {
                        ready.entry(enclosing(next)).or_default().push(next);
                    }
                }
            }
        }
    }

    /// Returns the position of a block.
    pub fn position(&self, block: Block) -> u32 {
        self.position[block]
    }

    /// Checks whether `a` precedes `b`.
    pub fn is_before(&self, a: Block, b: Block) -> bool {
        self.position[a] < self.position[b]
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use grus_ir::analysis::Analyses;
    use grus_ir::parse_module;
    use grus_support::Id;

    #[test]
    fn blocks_of_a_loop_stand_together() {
        // b2 leaves the loop, in its middle, to b4, and the successor of the exit is found before the rest of
        // the loop.
        let text = "func f0 \"k\" void {\nb0(v0: i1):\n    jump -> b1\nb1():\n    brif v0 -> b2, b3\nb2():\n    \
                    brif v0 -> b4, b5\nb3():\n    jump -> b5\nb4():\n    ret\nb5():\n    jump -> b1\n}\n";
        let module = parse_module(text).expect("IR");
        let func = module.funcs.values().next().expect("a function");
        let mut analyses = Analyses::default();
        let (cfg, loops) = (analyses.cfg(func), analyses.loops(func));
        let order = BlockOrder::new(func, &cfg, &loops);
        let numbers: Vec<usize> = order.blocks.iter().map(|block| block.index()).collect();
        assert_eq!(numbers.len(), 6);
        assert_eq!((numbers[0], numbers[1], numbers[4], numbers[5]), (0, 1, 5, 4));
    }
}
