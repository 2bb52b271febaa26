//! The control-flow graph: predecessors, reverse postorder, cycles.

use crate::ir::function::{Block, Function};
use crate::support::{Id, IdMap};

/// Predecessors and reverse postorder; unreachable blocks have no position.
#[derive(Clone, Debug)]
pub struct Cfg {
    /// Predecessors of all blocks in one list; `starts` says where each block's begin.
    preds: Vec<Block>,
    starts: IdMap<Block, u32>,
    rpo: Vec<Block>,
    position: IdMap<Block, u32>,
}

const UNREACHABLE: u32 = u32::MAX;

impl Cfg {
    /// Computes the graph of `func`.
    pub fn new(func: &Function) -> Cfg {
        let len = func.blocks.len();
        let mut position = IdMap::with_len(UNREACHABLE, len);
        let rpo = reverse_postorder(func, &mut position);
        let mut counts: IdMap<Block, u32> = IdMap::with_len(0, len + 1);
        each_edge(func, &rpo, |_, to| counts[to] += 1);
        // Running sums give the end of each list; filling from the end gives its start.
        let mut sum = 0;
        for block in 0..=len {
            let count = &mut counts[Block::new(block)];
            sum += *count;
            *count = sum;
        }
        let mut preds = vec![func.entry(); sum as usize];
        for &block in rpo.iter().rev() {
            each_edge(func, &[block], |from, to| {
                counts[to] -= 1;
                preds[counts[to] as usize] = from;
            });
        }
        Cfg { preds, starts: counts, rpo, position }
    }
    /// Blocks with an edge to `block`, each once, in reverse postorder.
    pub fn preds(&self, block: Block) -> &[Block] {
        let next = Block::new(block.index() + 1);
        &self.preds[self.starts[block] as usize..self.starts[next] as usize]
    }
    /// Reachable blocks, every block before those it dominates.
    pub fn rpo(&self) -> &[Block] {
        &self.rpo
    }
    /// Whether control can get there.
    pub fn is_reachable(&self, block: Block) -> bool {
        self.position[block] != UNREACHABLE
    }
    /// Position in reverse postorder.
    pub fn position(&self, block: Block) -> u32 {
        self.position[block]
    }
}

fn reverse_postorder(func: &Function, position: &mut IdMap<Block, u32>) -> Vec<Block> {
    let mut order = Vec::with_capacity(func.layout.len());
    let mut stack = vec![(func.entry(), 0)];
    position[func.entry()] = 0;
    while let Some((block, next)) = stack.last_mut() {
        match func.terminator(*block).targets.get(*next) {
            Some(target) => {
                *next += 1;
                if position[target.block] == UNREACHABLE {
                    position[target.block] = 0;
                    stack.push((target.block, 0));
                }
            }
            None => {
                order.push(*block);
                stack.pop();
            }
        }
    }
    order.reverse();
    for (i, &block) in order.iter().enumerate() {
        position[block] = i as u32;
    }
    order
}

/// Calls `visit` for every edge that leaves `blocks`; two edges between the same blocks
/// count once.
fn each_edge(func: &Function, blocks: &[Block], mut visit: impl FnMut(Block, Block)) {
    for &from in blocks {
        let targets = &func.terminator(from).targets;
        match targets.len() {
            0 => {}
            1 => visit(from, targets[0].block),
            2 => {
                visit(from, targets[0].block);
                if targets[0].block != targets[1].block {
                    visit(from, targets[1].block);
                }
            }
            _ => {
                let mut blocks: Vec<Block> = targets.iter().map(|t| t.block).collect();
                blocks.sort_unstable();
                blocks.dedup();
                blocks.into_iter().for_each(|to| visit(from, to));
            }
        }
    }
}

/// Blocks that control can come back to: those of cycles (Tarjan: Depth-First Search and Linear Graph Algorithms, 1972).
pub fn cyclic(func: &Function, cfg: &Cfg) -> IdMap<Block, bool> {
    let mut found = IdMap::with_len(false, func.blocks.len());
    // Number in the walk, and the smallest that is reached; 0 for blocks of finished components.
    let mut low: IdMap<Block, u32> = IdMap::with_len(0, func.blocks.len());
    let mut seen = IdMap::with_len(false, func.blocks.len());
    let mut open = Vec::new();
    let mut count = 0;
    let mut stack: Vec<(Block, usize, u32)> = Vec::new();
    let mut next = cfg.rpo().first().copied();
    loop {
        if let Some(block) = next.take().filter(|&block| !std::mem::replace(&mut seen[block], true)) {
            count += 1;
            low[block] = count;
            open.push(block);
            stack.push((block, 0, count));
        }
        let Some((block, at, number)) = stack.last_mut() else { return found };
        let (block, number) = (*block, *number);
        if let Some(target) = func.terminator(block).targets.get(*at) {
            *at += 1;
            found[block] |= target.block == block;
            if low[target.block] != 0 {
                low[block] = low[block].min(low[target.block]);
            }
            next = Some(target.block);
            continue;
        }
        stack.pop();
        if let Some(&(parent, ..)) = stack.last() {
            low[parent] = low[parent].min(low[block]);
        }
        if low[block] == number {
            let start = open.iter().rposition(|&b| b == block).unwrap_or(0);
            let is_cycle = open.len() - start > 1;
            for block in open.drain(start..) {
                found[block] |= is_cycle;
                low[block] = 0;
            }
        }
    }
}

/// Removes unreachable blocks from the layout and puts it into reverse postorder.
pub fn prune_unreachable(func: &mut Function) {
    let cfg = Cfg::new(func);
    func.layout = cfg.rpo().to_vec();
    for block in func.blocks.ids().collect::<Vec<_>>() {
        if !cfg.is_reachable(block) {
            func.blocks[block].insts.clear();
            func.blocks[block].params.clear();
        }
    }
    debug_assert!(func.layout.first().is_some_and(|b| b.index() < func.blocks.len()));
}
