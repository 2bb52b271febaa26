//! Natural loops and their nesting. Irreducible cycles, for which Havlak's algorithm would be needed, are
//! only detected.

use super::cfg::Cfg;
use super::dominators::DomTree;
use crate::function::{Block, Function, Value};
use grus_support::{IdMap, IdVec};

grus_support::define_id! {
    /// A loop of a function.
    LoopId, "loop"
}

/// A natural loop: its header dominates all blocks that branch back to it.
#[derive(Clone, Debug)]
pub struct Loop {
    pub header: Block,
    /// Innermost loop that contains this one.
    pub parent: Option<LoopId>,
    /// Nesting depth, 1 for outermost loops.
    pub depth: u32,
    /// Blocks that branch back to the header.
    pub latches: Vec<Block>,
}

/// A loop that one block enters and one block repeats, by one edge each: LLVM's simplified form, whatever the exits are.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct SimpleLoop {
    pub header: Block,
    /// The only predecessor of the header outside of the loop.
    pub entering: Block,
    pub latch: Block,
    /// Index of the target of `entering` that is the header.
    pub enter: usize,
    /// Index of the target of `latch` that is the header.
    pub stay: usize,
}

impl SimpleLoop {
    /// Returns the values of the header's parameters in the first iteration.
    pub fn starts<'f>(&self, func: &'f Function) -> &'f [Value] {
        &func.terminator(self.entering).targets[self.enter].args
    }
    /// Returns the values of the header's parameters in the next iteration.
    pub fn nexts<'f>(&self, func: &'f Function) -> &'f [Value] {
        &func.terminator(self.latch).targets[self.stay].args
    }
}

/// All loops of a function; an inner loop comes after the loops that contain it.
#[derive(Clone, Debug)]
pub struct Loops {
    loops: IdVec<LoopId, Loop>,
    innermost: IdMap<Block, Option<LoopId>>,
    is_reducible: bool,
}

impl Loops {
    /// Finds the loops of `func`. A block in an irreducible cycle without a dominating header counts as in no
    /// loop.
    pub fn new(func: &Function, cfg: &Cfg, dom: &DomTree) -> Loops {
        let mut found = Loops {
            loops: IdVec::new(),
            innermost: IdMap::with_len(None, func.blocks.len()),
            is_reducible: true,
        };
        for &header in cfg.rpo() {
            let mut latches = Vec::new();
            for &pred in cfg.preds(header) {
                if dom.dominates(header, pred) {
                    latches.push(pred);
                } else {
                    found.is_reducible &= cfg.position(pred) < cfg.position(header);
                }
            }
            if !latches.is_empty() {
                found.loops.push(Loop { header, parent: None, depth: 0, latches });
            }
        }
        // Inner loops are collected first; the enclosing loop then steps over each as one node.
        let ids: Vec<LoopId> = found.loops.ids().collect();
        for &id in ids.iter().rev() {
            found.collect(cfg, id);
        }
        for &id in &ids {
            let depth = found.loops[id].parent.map_or(0, |parent| found.loops[parent].depth) + 1;
            found.loops[id].depth = depth;
        }
        found
    }

    /// Collects the blocks of a loop whose inner loops are complete.
    fn collect(&mut self, cfg: &Cfg, id: LoopId) {
        let header = self.loops[id].header;
        let mut work = self.loops[id].latches.clone();
        work.push(header);
        while let Some(block) = work.pop() {
            match self.outermost(block) {
                Some(inner) if inner == id => {}
                Some(inner) => {
                    self.loops[inner].parent = Some(id);
                    work.extend(cfg.preds(self.loops[inner].header));
                }
                None if cfg.is_reachable(block) => {
                    self.innermost[block] = Some(id);
                    if block != header {
                        work.extend(cfg.preds(block));
                    }
                }
                None => {}
            }
        }
    }

    /// Returns the outermost loop found so far that contains a block.
    fn outermost(&mut self, block: Block) -> Option<LoopId> {
        let mut id = self.innermost[block]?;
        while let Some(parent) = self.loops[id].parent {
            id = parent;
        }
        Some(id)
    }

    /// Checks whether every cycle has a header that dominates it.
    pub fn is_reducible(&self) -> bool {
        self.is_reducible
    }
    /// Returns all loops, outer ones before those they contain.
    pub fn ids(&self) -> impl DoubleEndedIterator<Item = LoopId> + use<> {
        self.loops.ids()
    }
    /// Computes for each loop whether it contains another one.
    pub fn have_inner(&self) -> IdMap<LoopId, bool> {
        let mut have_inner = IdMap::new(false);
        self.ids().filter_map(|id| self.loops[id].parent).for_each(|parent| have_inner[parent] = true);
        have_inner
    }
    /// Returns a loop.
    pub fn get(&self, id: LoopId) -> &Loop {
        &self.loops[id]
    }
    /// Returns the innermost loop that contains a block.
    pub fn of(&self, block: Block) -> Option<LoopId> {
        self.innermost[block]
    }
    /// Returns the number of loops that contain a block.
    pub fn depth(&self, block: Block) -> u32 {
        self.of(block).map_or(0, |id| self.loops[id].depth)
    }
    /// Checks whether a block is the header of a loop.
    pub fn is_header(&self, block: Block) -> bool {
        self.of(block).is_some_and(|id| self.loops[id].header == block)
    }
    /// Checks whether a loop, or one inside it, contains a block.
    pub fn contains(&self, id: LoopId, block: Block) -> bool {
        let depth = self.loops[id].depth;
        let mut inner = self.of(block);
        while let Some(at) = inner {
            if self.loops[at].depth <= depth {
                return at == id;
            }
            inner = self.loops[at].parent;
        }
        false
    }
    /// Returns the blocks and edges by which a loop is entered and repeated, or `None` if there are several.
    pub fn simple(&self, func: &Function, cfg: &Cfg, id: LoopId) -> Option<SimpleLoop> {
        let header = self.loops[id].header;
        let [latch] = self.loops[id].latches[..] else { return None };
        let mut outside = cfg.preds(header).iter().copied().filter(|&pred| pred != latch);
        let (Some(entering), None) = (outside.next(), outside.next()) else { return None };
        let edge = |from: Block| {
            let mut edges = func.successors(from).enumerate().filter(|&(_, next)| next == header);
            let (at, _) = edges.next()?;
            edges.next().is_none().then_some(at)
        };
        Some(SimpleLoop { header, entering, latch, enter: edge(entering)?, stay: edge(latch)? })
    }
    /// Returns the number of loops that contain both blocks.
    pub fn shared(&self, a: Block, b: Block) -> u32 {
        let common = self.around(a).find(|&id| self.contains(id, b));
        common.map_or(0, |id| self.loops[id].depth)
    }
    /// Returns the loops that contain a block, innermost first.
    pub fn around(&self, block: Block) -> impl Iterator<Item = LoopId> + '_ {
        std::iter::successors(self.of(block), |&id| self.loops[id].parent)
    }
}
