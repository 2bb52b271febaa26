//! Control-flow graph facts: predecessors, reverse postorder, dominators, loops.

use super::function::{Block, Function};
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

/// Immediate dominators, by semidominators (the SEMI-NCA algorithm: Georgiadis, Tarjan, Werneck, Finding Dominators in
/// Practice, 2006).
#[derive(Clone, Debug)]
pub struct DomTree {
    idom: IdMap<Block, Option<Block>>,
    /// Preorder interval in the tree, for constant-time queries.
    interval: IdMap<Block, (u32, u32)>,
    children: IdMap<Block, Vec<Block>>,
}

impl DomTree {
    /// Computes the dominators of `func`.
    pub fn new(func: &Function, cfg: &Cfg) -> DomTree {
        let len = func.blocks.len();
        let entry = func.entry();
        let walk = Walk::new(func, cfg);
        let up = walk.dominators(cfg);
        let mut idom: IdMap<Block, Option<Block>> = IdMap::with_len(None, len);
        for (number, &block) in walk.order.iter().enumerate().skip(1) {
            idom[block] = Some(walk.order[up[number] as usize]);
        }
        let mut children: IdMap<Block, Vec<Block>> = IdMap::with_len(Vec::new(), len);
        for &block in cfg.rpo() {
            if let Some(parent) = idom[block] {
                children[parent].push(block);
            }
        }
        let interval = intervals(entry, &children, len);
        DomTree { idom, interval, children }
    }
    /// Whether `a` is on every way to `b` (a block dominates itself).
    pub fn dominates(&self, a: Block, b: Block) -> bool {
        let (start, end) = self.interval[a];
        let (at, _) = self.interval[b];
        start <= at && at < end
    }
    /// The closest strict dominator; none for the entry and unreachable blocks.
    pub fn idom(&self, block: Block) -> Option<Block> {
        self.idom[block]
    }
    /// Blocks whose immediate dominator this is.
    pub fn children(&self, block: Block) -> &[Block] {
        &self.children[block]
    }
}

/// A depth-first walk from the entry: blocks by their numbers in it, and who each was reached from.
struct Walk {
    order: Vec<Block>,
    number: IdMap<Block, u32>,
    parent: Vec<u32>,
}

impl Walk {
    fn new(func: &Function, cfg: &Cfg) -> Walk {
        let mut walk = Walk {
            order: Vec::with_capacity(cfg.rpo().len()),
            number: IdMap::with_len(u32::MAX, func.blocks.len()),
            parent: Vec::with_capacity(cfg.rpo().len()),
        };
        let mut stack = vec![(func.entry(), 0)];
        while let Some((block, from)) = stack.pop() {
            if walk.number[block] != u32::MAX {
                continue;
            }
            let number = walk.order.len() as u32;
            walk.number[block] = number;
            walk.order.push(block);
            walk.parent.push(from);
            stack.extend(func.successors(block).map(|next| (next, number)));
        }
        walk
    }

    /// The number of each block's immediate dominator.
    fn dominators(&self, cfg: &Cfg) -> Vec<u32> {
        let len = self.order.len();
        let mut semi: Vec<u32> = (0..len as u32).collect();
        // The forest of blocks that were looked at, with what is smallest on the way up.
        let mut above = self.parent.clone();
        let mut label = semi.clone();
        let mut path = Vec::new();
        for at in (1..len).rev() {
            let mut least = self.parent[at];
            for &pred in cfg.preds(self.order[at]) {
                let pred = self.number[pred];
                let found = if pred > at as u32 {
                    smallest(pred, at as u32, &mut above, &mut label, &semi, &mut path)
                } else {
                    pred
                };
                least = least.min(semi[found as usize]);
            }
            semi[at] = least;
        }
        let mut idom = self.parent.clone();
        for at in 1..len {
            let mut up = idom[at];
            while up > semi[at] {
                up = idom[up as usize];
            }
            idom[at] = up;
        }
        idom
    }
}

/// The block with the smallest semidominator on the way from `start` up to the blocks that have been looked at, all of
/// which are above `last`. Shortens the way.
fn smallest(
    start: u32,
    last: u32,
    above: &mut [u32],
    label: &mut [u32],
    semi: &[u32],
    path: &mut Vec<u32>,
) -> u32 {
    let mut at = start;
    while above[at as usize] > last {
        path.push(at);
        at = above[at as usize];
    }
    let (top, mut best) = (above[at as usize], label[at as usize]);
    while let Some(below) = path.pop() {
        let own = label[below as usize];
        best = if semi[own as usize] < semi[best as usize] { own } else { best };
        label[below as usize] = best;
        above[below as usize] = top;
    }
    best
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

fn intervals(entry: Block, children: &IdMap<Block, Vec<Block>>, len: usize) -> IdMap<Block, (u32, u32)> {
    let mut interval = IdMap::with_len((u32::MAX, 0), len);
    let mut clock = 0;
    let mut stack = vec![(entry, false)];
    while let Some((block, done)) = stack.pop() {
        if done {
            interval[block].1 = clock;
            continue;
        }
        interval[block] = (clock, 0);
        clock += 1;
        stack.push((block, true));
        stack.extend(children[block].iter().map(|&child| (child, false)));
    }
    interval
}

/// Dominance frontiers of all reachable blocks.
pub fn dominance_frontiers(func: &Function, cfg: &Cfg, dom: &DomTree) -> IdMap<Block, Vec<Block>> {
    let mut frontiers: IdMap<Block, Vec<Block>> = IdMap::with_len(Vec::new(), func.blocks.len());
    for &block in cfg.rpo() {
        if cfg.preds(block).len() < 2 {
            continue;
        }
        for &pred in cfg.preds(block) {
            let mut runner = Some(pred);
            while let Some(at) = runner {
                if Some(at) == dom.idom(block) {
                    break;
                }
                // Who came here before went all the way up.
                if frontiers[at].last() == Some(&block) {
                    break;
                }
                frontiers[at].push(block);
                runner = dom.idom(at);
            }
        }
    }
    frontiers
}

/// Natural-loop headers that contain each block, innermost last. A block in an
/// irreducible cycle without a dominating header counts as in no loop.
pub fn loop_headers(func: &Function, cfg: &Cfg, dom: &DomTree) -> IdMap<Block, Vec<Block>> {
    let mut inside: IdMap<Block, Vec<Block>> = IdMap::with_len(Vec::new(), func.blocks.len());
    let mut seen: IdMap<Block, Option<Block>> = IdMap::with_len(None, func.blocks.len());
    for &header in cfg.rpo() {
        let mut work: Vec<Block> =
            cfg.preds(header).iter().copied().filter(|&p| dom.dominates(header, p)).collect();
        if work.is_empty() {
            continue;
        }
        seen[header] = Some(header);
        inside[header].push(header);
        while let Some(block) = work.pop() {
            if seen[block] == Some(header) || !cfg.is_reachable(block) {
                continue;
            }
            seen[block] = Some(header);
            inside[block].push(header);
            work.extend(cfg.preds(block));
        }
    }
    inside
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
