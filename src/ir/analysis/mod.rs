//! Analyses of a function: control-flow graph, dominators, loops, liveness.
//!
//! [`Analyses`] computes each on first use and caches it until a pass invalidates it.

mod cfg;
mod dominators;
mod liveness;
mod loops;

use std::rc::Rc;

use super::function::Function;

pub use cfg::{Cfg, cyclic, prune_unreachable};
pub use dominators::{DomTree, PostDomTree, dominance_frontiers};
pub use liveness::Liveness;
pub use loops::{Loop, LoopId, Loops, SimpleLoop};

/// Analyses that a pass preserves.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum PreservedAnalyses {
    /// No analysis.
    None,
    /// Analyses of blocks and the branches between them: control-flow graph, dominators, loops.
    ControlFlow,
}

/// Cache of the analyses of one function.
#[derive(Debug, Default)]
pub struct Analyses {
    cfg: Option<Rc<Cfg>>,
    dominators: Option<Rc<DomTree>>,
    post_dominators: Option<Rc<PostDomTree>>,
    loops: Option<Rc<Loops>>,
    liveness: Option<Rc<Liveness>>,
}

impl Analyses {
    /// Returns the control-flow graph.
    pub fn cfg(&mut self, func: &Function) -> Rc<Cfg> {
        self.cfg.get_or_insert_with(|| Rc::new(Cfg::new(func))).clone()
    }
    /// Removes unreachable blocks from the layout and puts it into reverse postorder; returns the graph.
    pub fn pruned(&mut self, func: &mut Function) -> Rc<Cfg> {
        let cfg = self.cfg(func);
        cfg.prune(func);
        cfg
    }
    /// Returns the dominator tree.
    pub fn dominators(&mut self, func: &Function) -> Rc<DomTree> {
        let cfg = self.cfg(func);
        self.dominators.get_or_insert_with(|| Rc::new(DomTree::new(func, &cfg))).clone()
    }
    /// Returns the post-dominator tree.
    pub fn post_dominators(&mut self, func: &Function) -> Rc<PostDomTree> {
        let cfg = self.cfg(func);
        self.post_dominators.get_or_insert_with(|| Rc::new(PostDomTree::new(func, &cfg))).clone()
    }
    /// Returns the loops, which also report whether control flow is reducible.
    pub fn loops(&mut self, func: &Function) -> Rc<Loops> {
        let (cfg, dominators) = (self.cfg(func), self.dominators(func));
        self.loops.get_or_insert_with(|| Rc::new(Loops::new(func, &cfg, &dominators))).clone()
    }
    /// Returns the live values.
    pub fn liveness(&mut self, func: &Function) -> Rc<Liveness> {
        let cfg = self.cfg(func);
        self.liveness.get_or_insert_with(|| Rc::new(Liveness::new(func, &cfg))).clone()
    }
    /// Drops the analyses that a change of the function has invalidated.
    pub fn forget(&mut self, preserved: PreservedAnalyses) {
        self.liveness = None;
        if preserved == PreservedAnalyses::None {
            *self = Analyses::default();
        }
    }
}
