//! Control-flow graph: predecessors, successors, reverse postorder, cycles.

use crate::function::{Block, Function};
use grus_support::{Id, IdMap};

/// Control-flow graph of the reachable blocks. Unreachable blocks have no position.
#[derive(Clone, Debug)]
pub struct Cfg {
    /// Predecessors of all blocks in one list; those of a block begin at `starts[block]` and end where the
    /// next block's begin.
    preds: Vec<Block>,
    starts: IdMap<Block, u32>,
    edges: Edges,
    rpo: Vec<Block>,
    position: IdMap<Block, u32>,
}

const UNREACHABLE: u32 = u32::MAX;

impl Cfg {
    /// Computes the graph of `func`.
    pub fn new(func: &Function) -> Cfg {
        let len = func.blocks.len();
        let mut position = IdMap::with_len(UNREACHABLE, len);
        let edges = Edges::from_entry(func, &mut position);
        let mut counts: IdMap<Block, u32> = IdMap::with_len(0, len + 1);
        edges.to.iter().for_each(|&to| counts[to] += 1);
        // Running sums give the end of each list; filling from the end then leaves the start.
        let mut sum = 0;
        for block in 0..=len {
            let count = &mut counts[Block::new(block)];
            sum += *count;
            *count = sum;
        }
        let mut preds = vec![func.entry(); sum as usize];
        // Postorder, filled in from the end, gives predecessors in reverse postorder.
        for &(from, start, end) in &edges.of {
            for &to in &edges.to[start as usize..end as usize] {
                counts[to] -= 1;
                preds[counts[to] as usize] = from;
            }
        }
        let rpo = edges.of.iter().rev().map(|&(block, ..)| block).collect();
        Cfg { preds, starts: counts, edges, rpo, position }
    }
    /// Returns the blocks with an edge to `block`, each once, in reverse postorder.
    pub fn preds(&self, block: Block) -> &[Block] {
        let next = Block::new(block.index() + 1);
        &self.preds[self.starts[block] as usize..self.starts[next] as usize]
    }
    /// Returns the blocks with an edge from a reachable `block`, each once, in the order of its targets.
    pub fn succs(&self, block: Block) -> &[Block] {
        let (_, start, end) = self.edges.of[self.rpo.len() - 1 - self.position[block] as usize];
        &self.edges.to[start as usize..end as usize]
    }
    /// Returns the reachable blocks in reverse postorder; a block comes before those it dominates.
    pub fn rpo(&self) -> &[Block] {
        &self.rpo
    }
    /// Checks whether the block is reachable from the entry.
    pub fn is_reachable(&self, block: Block) -> bool {
        self.position[block] != UNREACHABLE
    }
    /// Returns the position in reverse postorder.
    pub fn position(&self, block: Block) -> u32 {
        self.position[block]
    }
}

/// Edges between reachable blocks. Terminators are scattered in memory, so each is read only once.
#[derive(Clone, Debug)]
struct Edges {
    /// Destinations of edges. Several edges between the same blocks count as one.
    to: Vec<Block>,
    /// Blocks in postorder, each with the range of its edges in `to`.
    of: Vec<(Block, u32, u32)>,
}

impl Edges {
    /// Walks depth-first from the entry. Sets the position in reverse postorder of each block it reaches.
    fn from_entry(func: &Function, position: &mut IdMap<Block, u32>) -> Edges {
        let mut edges = Edges {
            to: Vec::with_capacity(2 * func.layout.len()),
            of: Vec::with_capacity(func.layout.len()),
        };
        let mut last_from = IdMap::with_len(None, func.blocks.len());
        let mut enter = |edges: &mut Edges, block: Block| {
            let start = edges.to.len() as u32;
            for target in &func.terminator(block).targets {
                if last_from[target.block].replace(block) != Some(block) {
                    edges.to.push(target.block);
                }
            }
            (block, start, start, edges.to.len() as u32)
        };
        let entry = func.entry();
        position[entry] = 0;
        let mut path = vec![enter(&mut edges, entry)];
        while let Some((block, start, next, end)) = path.last_mut() {
            if next == end {
                edges.of.push((*block, *start, *end));
                path.pop();
                continue;
            }
            let to = edges.to[*next as usize];
            *next += 1;
            if position[to] == UNREACHABLE {
                position[to] = 0;
                path.push(enter(&mut edges, to));
            }
        }
        for (i, (block, ..)) in edges.of.iter().rev().enumerate() {
            position[*block] = i as u32;
        }
        edges
    }
}

/// Finds the blocks that lie on a cycle (Tarjan: Depth-First Search and Linear Graph Algorithms, 1972).
pub fn cyclic(func: &Function, cfg: &Cfg) -> IdMap<Block, bool> {
    let mut found = IdMap::with_len(false, func.blocks.len());
    // Smallest number in the walk that the block is known to reach; 0 before the visit and once the block's
    // component is complete.
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

/// Removes unreachable blocks from the layout and puts it into reverse postorder; returns the graph.
pub fn prune_unreachable(func: &mut Function) -> Cfg {
    let cfg = Cfg::new(func);
    cfg.prune(func);
    cfg
}

impl Cfg {
    /// Removes unreachable blocks from the layout of `func`, whose graph this is, and puts it into reverse
    /// postorder.
    pub(super) fn prune(&self, func: &mut Function) {
        func.layout.clear();
        func.layout.extend(&self.rpo);
        for block in func.blocks.ids().filter(|&block| !self.is_reachable(block)) {
            func.blocks[block].insts.clear();
            func.blocks[block].params.clear();
        }
        debug_assert!(func.layout.first().is_some_and(|b| b.index() < func.blocks.len()));
    }
}
