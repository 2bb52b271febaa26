//! Natural loops and how they nest (Havlak would find irreducible ones, too; here they are only noticed).

use super::cfg::Cfg;
use super::dominators::DomTree;
use crate::ir::function::{Block, Function};
use crate::support::{IdMap, IdVec};

crate::define_id! {
    /// A loop of a function.
    LoopId, "loop"
}

/// A natural loop: a header that dominates all blocks that lead back to it.
#[derive(Clone, Debug)]
pub struct Loop {
    pub header: Block,
    /// The loop around it.
    pub parent: Option<LoopId>,
    /// 1 for loops that are in no other.
    pub depth: u32,
    /// Blocks that branch back to the header.
    pub latches: Vec<Block>,
}

/// All loops of a function. Those inside others come after them.
#[derive(Clone, Debug)]
pub struct Loops {
    loops: IdVec<LoopId, Loop>,
    innermost: IdMap<Block, Option<LoopId>>,
    is_reducible: bool,
}

impl Loops {
    /// Finds the loops of `func`. A block in an irreducible cycle without a dominating header counts as in no loop.
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
        // Inner loops first: their blocks are passed over as one in the loops around them.
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

    /// Finds the blocks of a loop; those inside it are done.
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

    /// The outermost loop found so far that holds a block.
    fn outermost(&mut self, block: Block) -> Option<LoopId> {
        let mut id = self.innermost[block]?;
        while let Some(parent) = self.loops[id].parent {
            id = parent;
        }
        Some(id)
    }

    /// Whether every cycle has a header that dominates it.
    pub fn is_reducible(&self) -> bool {
        self.is_reducible
    }
    /// All loops, outer ones before those inside them.
    pub fn ids(&self) -> impl DoubleEndedIterator<Item = LoopId> + use<> {
        self.loops.ids()
    }
    /// For each loop whether it holds others.
    pub fn have_inner(&self) -> IdMap<LoopId, bool> {
        let mut have_inner = IdMap::new(false);
        self.ids().filter_map(|id| self.loops[id].parent).for_each(|parent| have_inner[parent] = true);
        have_inner
    }
    /// A loop.
    pub fn get(&self, id: LoopId) -> &Loop {
        &self.loops[id]
    }
    /// The innermost loop of a block.
    pub fn of(&self, block: Block) -> Option<LoopId> {
        self.innermost[block]
    }
    /// How many loops are around a block.
    pub fn depth(&self, block: Block) -> u32 {
        self.of(block).map_or(0, |id| self.loops[id].depth)
    }
    /// Whether a block is the header of a loop.
    pub fn is_header(&self, block: Block) -> bool {
        self.of(block).is_some_and(|id| self.loops[id].header == block)
    }
    /// Whether a block belongs to a loop or to one inside it.
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
    /// How many loops two blocks share.
    pub fn shared(&self, a: Block, b: Block) -> u32 {
        let common = self.around(a).find(|&id| self.contains(id, b));
        common.map_or(0, |id| self.loops[id].depth)
    }
    /// The loops around a block, innermost first.
    pub fn around(&self, block: Block) -> impl Iterator<Item = LoopId> + '_ {
        std::iter::successors(self.of(block), |&id| self.loops[id].parent)
    }
}
