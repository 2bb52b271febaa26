//! Dominators and post-dominators, by semidominators (the SEMI-NCA algorithm: Georgiadis, Tarjan, Werneck, Finding
//! Dominators in Practice, 2006).

use super::cfg::Cfg;
use crate::ir::function::{Block, Function};
use crate::support::{Id, IdMap};

/// Immediate dominators.
#[derive(Clone, Debug)]
pub struct DomTree(Tree);

impl DomTree {
    /// Computes the dominators of `func`.
    pub fn new(func: &Function, cfg: &Cfg) -> DomTree {
        let nexts = |block: Block, visit: &mut dyn FnMut(Block)| func.successors(block).for_each(visit);
        let preds =
            |block: Block, visit: &mut dyn FnMut(Block)| cfg.preds(block).iter().copied().for_each(visit);
        DomTree(Tree::new(func.entry(), func.blocks.len(), &nexts, &preds))
    }
    /// Whether `a` is on every way to `b` (a block dominates itself).
    pub fn dominates(&self, a: Block, b: Block) -> bool {
        self.0.is_above(a, b)
    }
    /// The closest strict dominator; none for the entry and unreachable blocks.
    pub fn idom(&self, block: Block) -> Option<Block> {
        self.0.up[block]
    }
    /// Blocks whose immediate dominator this is.
    pub fn children(&self, block: Block) -> &[Block] {
        &self.0.children[block]
    }
}

/// Immediate post-dominators. What follows every end of the function is a block that does not exist; loops without an
/// end count as if their last block led there.
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
        let nexts = |block: Block, visit: &mut dyn FnMut(Block)| {
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
        PostDomTree { tree: Tree::new(end, func.blocks.len() + 1, &nexts, &preds), end }
    }
    /// Whether `a` is on every way from `b` to the end (a block post-dominates itself).
    pub fn post_dominates(&self, a: Block, b: Block) -> bool {
        self.tree.is_above(a, b)
    }
    /// The closest strict post-dominator; none where the function ends.
    pub fn ipdom(&self, block: Block) -> Option<Block> {
        self.tree.up[block].filter(|&up| up != self.end)
    }
}

/// Blocks that nothing follows, and for each loop without an end one of its blocks.
fn ends(func: &Function, cfg: &Cfg) -> Vec<Block> {
    let mut ends = Vec::new();
    let mut leads = IdMap::with_len(false, func.blocks.len());
    let mut work: Vec<Block> = Vec::new();
    let exits = cfg.rpo().iter().rev().filter(|&&block| func.successors(block).next().is_none());
    // Blocks that lead to no end come from the back, so that as few as possible are taken.
    for &block in exits.chain(cfg.rpo().iter().rev()) {
        if leads[block] {
            continue;
        }
        ends.push(block);
        work.push(block);
        while let Some(block) = work.pop() {
            if !std::mem::replace(&mut leads[block], true) {
                work.extend(cfg.preds(block));
            }
        }
    }
    ends
}

/// Calls its second argument with each neighbour of the first.
type Edges<'a> = &'a dyn Fn(Block, &mut dyn FnMut(Block));

/// Of a graph that is walked in either direction.
#[derive(Clone, Debug)]
struct Tree {
    up: IdMap<Block, Option<Block>>,
    /// Preorder interval in the tree, for constant-time queries.
    interval: IdMap<Block, (u32, u32)>,
    children: IdMap<Block, Vec<Block>>,
}

impl Tree {
    fn new(start: Block, len: usize, nexts: Edges<'_>, preds: Edges<'_>) -> Tree {
        let walk = DepthFirstWalk::new(start, len, nexts);
        let idom = walk.dominators(preds);
        let mut up: IdMap<Block, Option<Block>> = IdMap::with_len(None, len);
        let mut children: IdMap<Block, Vec<Block>> = IdMap::with_len(Vec::new(), len);
        for (number, &block) in walk.order.iter().enumerate().skip(1) {
            let parent = walk.order[idom[number] as usize];
            up[block] = Some(parent);
            children[parent].push(block);
        }
        let interval = intervals(start, &children, len);
        Tree { up, interval, children }
    }

    fn is_above(&self, a: Block, b: Block) -> bool {
        let (start, end) = self.interval[a];
        let (at, _) = self.interval[b];
        start <= at && at < end
    }
}

/// A depth-first walk from the start: blocks by their numbers in it, and who each was reached from.
struct DepthFirstWalk {
    order: Vec<Block>,
    number: IdMap<Block, u32>,
    parent: Vec<u32>,
}

impl DepthFirstWalk {
    fn new(start: Block, len: usize, nexts: Edges<'_>) -> DepthFirstWalk {
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
            nexts(block, &mut |next| stack.push((next, number)));
        }
        walk
    }

    /// The number of each block's immediate dominator.
    fn dominators(&self, preds: Edges<'_>) -> Vec<u32> {
        let len = self.order.len();
        let mut semi: Vec<u32> = (0..len as u32).collect();
        // The forest of blocks that were looked at, with what is smallest on the way up.
        let mut above = self.parent.clone();
        let mut label = semi.clone();
        let mut path = Vec::new();
        for at in (1..len).rev() {
            let mut least = self.parent[at];
            preds(self.order[at], &mut |pred| {
                let pred = self.number[pred];
                if pred == u32::MAX {
                    return;
                }
                let found = if pred > at as u32 {
                    smallest(pred, at as u32, &mut above, &mut label, &semi, &mut path)
                } else {
                    pred
                };
                least = least.min(semi[found as usize]);
            });
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
