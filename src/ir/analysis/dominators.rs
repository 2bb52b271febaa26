//! Dominators and post-dominators by the SEMI-NCA algorithm (Georgiadis, Tarjan, Werneck: Finding Dominators
//! in Practice, 2006).

use super::cfg::Cfg;
use crate::function::{Block, Function};
use grus_support::{Id, IdMap};

/// Dominator tree.
#[derive(Clone, Debug)]
pub struct DomTree(Tree);

impl DomTree {
    /// Computes the dominators of `func`.
    pub fn new(func: &Function, cfg: &Cfg) -> DomTree {
        let for_each_succ =
            |block: Block, visit: &mut dyn FnMut(Block)| func.successors(block).for_each(visit);
        let preds =
            |block: Block, visit: &mut dyn FnMut(Block)| cfg.preds(block).iter().copied().for_each(visit);
        DomTree(Tree::new(func.entry(), func.blocks.len(), &for_each_succ, &preds))
    }
    /// Checks whether `a` is on every path from the entry to `b`. A block dominates itself.
    pub fn dominates(&self, a: Block, b: Block) -> bool {
        self.0.is_ancestor(a, b)
    }
    /// Returns the immediate dominator; none for the entry and unreachable blocks.
    pub fn idom(&self, block: Block) -> Option<Block> {
        self.0.parent_of[block]
    }
    /// Returns the blocks whose immediate dominator this is.
    pub fn children(&self, block: Block) -> &[Block] {
        &self.0.children[block]
    }
}

/// Post-dominator tree. Its root is a virtual block that follows every exit of the function. An infinite loop
/// counts as if its last block led to the root.
#[derive(Clone, Debug)]
pub struct PostDomTree {
    tree: Tree,
    end: Block,
}

impl PostDomTree {
    /// Computes the post-dominators of `func`.
    pub fn new(func: &Function, cfg: &Cfg) -> PostDomTree {
        let end = Block::new(func.blocks.len());
        let ends = ends(func, cfg);
        let mut is_end = IdMap::with_len(false, func.blocks.len());
        ends.iter().for_each(|&block| is_end[block] = true);
        let for_each_succ = |block: Block, visit: &mut dyn FnMut(Block)| {
            let blocks = if block == end { &ends[..] } else { cfg.preds(block) };
            blocks.iter().copied().for_each(visit);
        };
        let preds = |block: Block, visit: &mut dyn FnMut(Block)| {
            if block == end {
                return;
            }
            func.successors(block).for_each(&mut *visit);
            if is_end[block] {
                visit(end);
            }
        };
        PostDomTree { tree: Tree::new(end, func.blocks.len() + 1, &for_each_succ, &preds), end }
    }
    /// Checks whether `a` is on every path from `b` to the end. A block post-dominates itself.
    pub fn post_dominates(&self, a: Block, b: Block) -> bool {
        self.tree.is_ancestor(a, b)
    }
    /// Returns the immediate post-dominator; none if that is the virtual root.
    pub fn ipdom(&self, block: Block) -> Option<Block> {
        self.tree.parent_of[block].filter(|&parent| parent != self.end)
    }
}

/// Returns the blocks without successors, and one block of each infinite loop.
fn ends(func: &Function, cfg: &Cfg) -> Vec<Block> {
    let mut ends = Vec::new();
    let mut reaches_end = IdMap::with_len(false, func.blocks.len());
    let mut work: Vec<Block> = Vec::new();
    let exits = cfg.rpo().iter().rev().filter(|&&block| func.successors(block).next().is_none());
    // Infinite loops are searched from the last block backwards, so that as few blocks as possible represent
    // them.
    for &block in exits.chain(cfg.rpo().iter().rev()) {
        if reaches_end[block] {
            continue;
        }
        ends.push(block);
        work.push(block);
        while let Some(block) = work.pop() {
            if !std::mem::replace(&mut reaches_end[block], true) {
                work.extend(cfg.preds(block));
            }
        }
    }
    ends
}

/// Function that calls its second argument with each neighbor of the first.
type Edges<'a> = &'a dyn Fn(Block, &mut dyn FnMut(Block));

/// Dominator tree of a graph, which the caller may have reversed.
#[derive(Clone, Debug)]
struct Tree {
    parent_of: IdMap<Block, Option<Block>>,
    /// Preorder interval of the block's subtree, for ancestor queries in constant time.
    interval: IdMap<Block, (u32, u32)>,
    children: IdMap<Block, Vec<Block>>,
}

impl Tree {
    fn new(start: Block, len: usize, for_each_succ: Edges<'_>, preds: Edges<'_>) -> Tree {
        let walk = DepthFirstWalk::new(start, len, for_each_succ);
        let idom = walk.dominators(preds);
        let mut parent_of: IdMap<Block, Option<Block>> = IdMap::with_len(None, len);
        let mut children: IdMap<Block, Vec<Block>> = IdMap::with_len(Vec::new(), len);
        for (number, &block) in walk.order.iter().enumerate().skip(1) {
            let parent = walk.order[idom[number] as usize];
            parent_of[block] = Some(parent);
            children[parent].push(block);
        }
        let interval = intervals(start, &children, len);
        Tree { parent_of, interval, children }
    }

    fn is_ancestor(&self, a: Block, b: Block) -> bool {
        let (start, end) = self.interval[a];
        let (at, _) = self.interval[b];
        start <= at && at < end
    }
}

/// Depth-first spanning tree: blocks in preorder, their numbers in it, and the number of each one's parent.
struct DepthFirstWalk {
    order: Vec<Block>,
    number: IdMap<Block, u32>,
    parent: Vec<u32>,
}

impl DepthFirstWalk {
    fn new(start: Block, len: usize, for_each_succ: Edges<'_>) -> DepthFirstWalk {
        let mut walk = DepthFirstWalk {
            order: Vec::with_capacity(len),
            number: IdMap::with_len(u32::MAX, len),
            parent: Vec::with_capacity(len),
        };
        let mut stack = vec![(start, 0)];
        while let Some((block, from)) = stack.pop() {
            if walk.number[block] != u32::MAX {
                continue;
            }
            let number = walk.order.len() as u32;
            walk.number[block] = number;
            walk.order.push(block);
            walk.parent.push(from);
            for_each_succ(block, &mut |next| stack.push((next, number)));
        }
        walk
    }

    /// Returns the number of each block's immediate dominator.
    fn dominators(&self, preds: Edges<'_>) -> Vec<u32> {
        let len = self.order.len();
        let mut semi: Vec<u32> = (0..len as u32).collect();
        // Forest of the processed blocks with path compression: each block's ancestor, and the block with the
        // smallest semidominator on the path to it.
        let mut above = self.parent.clone();
        let mut label = semi.clone();
        let mut path = Vec::new();
        for at in (1..len).rev() {
            let mut min_semi = self.parent[at];
            preds(self.order[at], &mut |pred| {
                let pred = self.number[pred];
                if pred == u32::MAX {
                    return;
                }
                let found = if pred > at as u32 {
                    min_semidominator(pred, at as u32, &mut above, &mut label, &semi, &mut path)
                } else {
                    pred
                };
                min_semi = min_semi.min(semi[found as usize]);
            });
            semi[at] = min_semi;
        }
        let mut idom = self.parent.clone();
        for at in 1..len {
            let mut dominator = idom[at];
            while dominator > semi[at] {
                dominator = idom[dominator as usize];
            }
            idom[at] = dominator;
        }
        idom
    }
}

/// Returns the block with the smallest semidominator on the path from `start` up through the blocks processed
/// so far, which are those numbered above `last`. Compresses the path.
fn min_semidominator(
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

fn intervals(start: Block, children: &IdMap<Block, Vec<Block>>, len: usize) -> IdMap<Block, (u32, u32)> {
    let mut interval = IdMap::with_len((u32::MAX, 0), len);
    let mut clock = 0;
    let mut stack = vec![(start, false)];
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

/// Computes the dominance frontiers of all reachable blocks (Cooper, Harvey, Kennedy: A Simple, Fast
/// Dominance Algorithm).
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
                // The walk from an earlier predecessor has visited the rest of the path.
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
