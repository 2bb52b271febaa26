//! What is known of a function without running it: its graph, dominators, loops, live values.
//!
//! [`Analyses`] computes each when it is first asked for and keeps it until a pass says that it no longer holds.

mod cfg;
mod dominators;
mod liveness;
mod loops;

use std::rc::Rc;

use super::function::Function;

pub use cfg::{Cfg, cyclic, prune_unreachable};
pub use dominators::{DomTree, PostDomTree, dominance_frontiers};
pub use liveness::Liveness;
pub use loops::{Loop, LoopId, Loops};

/// What a pass leaves as it was.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Keeps {
    /// Nothing that is known of the function.
    Nothing,
    /// Blocks and the branches between them: the graph, dominators, loops.
    ControlFlow,
}

/// What is known of one function so far.
#[derive(Debug, Default)]
pub struct Analyses {
    cfg: Option<Rc<Cfg>>,
    dominators: Option<Rc<DomTree>>,
    post_dominators: Option<Rc<PostDomTree>>,
    loops: Option<Rc<Loops>>,
    liveness: Option<Rc<Liveness>>,
}

impl Analyses {
    /// The control-flow graph.
    pub fn cfg(&mut self, func: &Function) -> Rc<Cfg> {
        self.cfg.get_or_insert_with(|| Rc::new(Cfg::new(func))).clone()
    }
    /// The same of a function whose layout holds only what it reaches, in reverse postorder, from now on.
    pub fn pruned(&mut self, func: &mut Function) -> Rc<Cfg> {
        let cfg = self.cfg(func);
        cfg.prune(func);
        cfg
    }
    /// Dominators.
    pub fn dominators(&mut self, func: &Function) -> Rc<DomTree> {
        let cfg = self.cfg(func);
        self.dominators.get_or_insert_with(|| Rc::new(DomTree::new(func, &cfg))).clone()
    }
    /// Post-dominators.
    pub fn post_dominators(&mut self, func: &Function) -> Rc<PostDomTree> {
        let cfg = self.cfg(func);
        self.post_dominators.get_or_insert_with(|| Rc::new(PostDomTree::new(func, &cfg))).clone()
    }
    /// Loops, and whether control flow is reducible.
    pub fn loops(&mut self, func: &Function) -> Rc<Loops> {
        let (cfg, dominators) = (self.cfg(func), self.dominators(func));
        self.loops.get_or_insert_with(|| Rc::new(Loops::new(func, &cfg, &dominators))).clone()
    }
    /// Live values.
    pub fn liveness(&mut self, func: &Function) -> Rc<Liveness> {
        let cfg = self.cfg(func);
        self.liveness.get_or_insert_with(|| Rc::new(Liveness::new(func, &cfg))).clone()
    }
    /// Forgets what a change of the function made wrong.
    pub fn forget(&mut self, keeps: Keeps) {
        self.liveness = None;
        if keeps == Keeps::Nothing {
            *self = Analyses::default();
        }
    }
}
