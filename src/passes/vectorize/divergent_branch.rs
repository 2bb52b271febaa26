//! Where two items that are done by turns (`jam`) may part, and what they do until they meet again.
//!
//! Ways that are hardly ever taken are told by what a branch asks: whether two numbers are equal, or whether an id is past an
//! end (Ball, Larus: Branch Prediction for Free, PLDI 1993, heuristics of opcodes and of guards).

use crate::ir::analysis::{Analyses, Cfg, DomTree, PostDomTree, cyclic};
use crate::ir::{Block, Def, Effect, Function, Inst, IntCond, Op, Value};
use crate::support::{FastMap, IdMap};

/// Sweeps that settle every real function.
const SWEEPS: usize = 40;

/// Instructions that are written once more at most.
const MOST: usize = 4_000;

/// How deep conditions are looked into.
const DEPTH: u32 = 8;

/// What two items have of their own, and where they may part.
pub(super) struct ItemPair {
    pub varies: IdMap<Value, bool>,
    /// Blocks that both go through together.
    pub is_common: IdMap<Block, bool>,
    /// Branches that they may part at, by the blocks that end with them.
    pub partings: FastMap<Block, DivergentBranch>,
    /// Instructions that are written once more.
    pub copied: usize,
}

/// A branch that they may part at.
pub(super) struct DivergentBranch {
    /// The target that both mostly go to.
    pub usual: usize,
    /// Where they meet again; none if the function ends before.
    pub join: Option<Block>,
    /// What lies between, in reverse postorder.
    pub blocks: Vec<Block>,
}

impl ItemPair {
    /// Whether an instruction is done for each of them. Private objects are each one's own.
    pub(super) fn differs(&self, inst: &Inst) -> bool {
        inst.op == Op::Alloca || inst.args.iter().any(|&arg| self.varies[arg])
    }
}

/// None if they may part where no way is the usual one, or if there is something that is not done twice.
pub(super) fn parts(body: &Function, analyses: &mut Analyses) -> Option<ItemPair> {
    let (cfg, dom, post) = (analyses.cfg(body), analyses.dominators(body), analyses.post_dominators(body));
    let mut varies = IdMap::with_len(false, body.values.len());
    for (at, &param) in body.params().iter().enumerate() {
        let facts = body.param_facts.get(at).copied().unwrap_or_default();
        varies[param] = facts.stride? != 0;
    }
    let is_common = IdMap::with_len(false, body.blocks.len());
    let mut finder = DivergenceFinder {
        body,
        cfg: &cfg,
        dom: &dom,
        post: &post,
        found: ItemPair { varies, is_common, partings: FastMap::default(), copied: 0 },
        has_changed: true,
    };
    for _ in 0..SWEEPS {
        if !finder.has_changed {
            finder.found.copied = finder.copied();
            return finder.may_be().then_some(finder.found);
        }
        finder.sweep()?;
    }
    None
}

struct DivergenceFinder<'f> {
    body: &'f Function,
    cfg: &'f Cfg,
    dom: &'f DomTree,
    post: &'f PostDomTree,
    found: ItemPair,
    has_changed: bool,
}

impl DivergenceFinder<'_> {
    fn sweep(&mut self) -> Option<()> {
        let body = self.body;
        self.has_changed = false;
        self.found.is_common = IdMap::with_len(false, body.blocks.len());
        self.found.is_common[body.entry()] = true;
        for &block in self.cfg.rpo() {
            if !self.found.is_common[block] {
                continue;
            }
            for inst in body.blocks[block].insts.iter().map(|&id| &body.insts[id]) {
                let differs = self.found.differs(inst);
                if let Some(result) = inst.result.filter(|_| differs) {
                    self.vary(result);
                }
                if !(differs && inst.op.is_terminator()) {
                    (0..inst.targets.len()).for_each(|at| self.go(inst, at));
                    continue;
                }
                if !self.found.partings.contains_key(&block) {
                    let parting = self.parting(block, inst)?;
                    self.found.partings.insert(block, parting);
                }
                let DivergentBranch { usual, join, .. } = self.found.partings[&block];
                self.go(inst, usual);
                if let Some(join) = join {
                    self.found.is_common[join] = true;
                    body.blocks[join].params.iter().for_each(|&param| self.vary(param));
                }
            }
        }
        Some(())
    }

    fn vary(&mut self, value: Value) {
        self.has_changed |= !std::mem::replace(&mut self.found.varies[value], true);
    }

    /// Both go to a target.
    fn go(&mut self, inst: &Inst, at: usize) {
        let target = &inst.targets[at];
        self.found.is_common[target.block] = true;
        for (&arg, &param) in target.args.iter().zip(&self.body.blocks[target.block].params) {
            if self.found.varies[arg] {
                self.vary(param);
            }
        }
    }

    fn parting(&self, block: Block, branch: &Inst) -> Option<DivergentBranch> {
        if branch.op != Op::BrIf || branch.targets[0].block == branch.targets[1].block {
            return None;
        }
        let join = self.post.ipdom(block);
        let ways = [0, 1].map(|at| self.way(branch.targets[at].block, join));
        let usual = self.usual(branch, &ways)?;
        let mut blocks = ways.concat();
        blocks.sort_by_key(|&block| self.cfg.position(block));
        blocks.dedup();
        // What is between is run as often as they part, and nothing before it again.
        let is_behind = |&between: &Block| {
            let may_end = match self.body.terminator(between).op {
                Op::Ret => join.is_none(),
                op => matches!(op, Op::Jump | Op::BrIf | Op::Switch),
            };
            may_end && !self.dom.dominates(between, block)
        };
        blocks.iter().all(is_behind).then_some(DivergentBranch { usual, join, blocks })
    }

    /// The blocks from one on to the end of a way.
    fn way(&self, start: Block, join: Option<Block>) -> Vec<Block> {
        let mut seen = IdMap::with_len(false, self.body.blocks.len());
        let (mut found, mut open) = (Vec::new(), vec![start]);
        while let Some(block) = open.pop() {
            if Some(block) == join || std::mem::replace(&mut seen[block], true) {
                continue;
            }
            found.push(block);
            open.extend(self.cfg.succs(block));
        }
        found
    }

    /// The target that is mostly gone to.
    fn usual(&self, branch: &Inst, ways: &[Vec<Block>; 2]) -> Option<usize> {
        if let Some(rarely) = self.rarely(branch.args[0], DEPTH) {
            return Some(usize::from(rarely));
        }
        // Ids are mostly on the side where there is something to do.
        let size =
            |way: &Vec<Block>| way.iter().map(|&block| self.body.blocks[block].insts.len()).sum::<usize>();
        let [first, second] = [0, 1].map(|at| size(&ways[at]));
        self.is_of_ids(branch.args[0], DEPTH).then_some(usize::from(second > first))
    }

    /// Whether it is hardly ever true, or hardly ever false; none if it is not known.
    fn rarely(&self, condition: Value, depth: u32) -> Option<bool> {
        let inst = self.body.def_inst(condition).filter(|_| depth > 0)?;
        let of = |at: usize| self.rarely(inst.args[at], depth - 1);
        match inst.op {
            // Of a constant it can be anything: many ask for the first item, or for even numbers.
            Op::Icmp if inst.args.iter().all(|&arg| self.body.as_const_of_lanes(arg).is_none()) => {
                match inst.int_cond() {
                    IntCond::Eq => Some(true),
                    IntCond::Ne => Some(false),
                    _ => None,
                }
            }
            Op::Any | Op::All | Op::Extract => of(0),
            Op::And if of(0) == Some(true) || of(1) == Some(true) => Some(true),
            Op::Or if of(0) == Some(false) || of(1) == Some(false) => Some(false),
            Op::And | Op::Or => of(0).filter(|&first| of(1) == Some(first)),
            _ => None,
        }
    }

    /// Whether it compares nothing but ids, and what is the same for both.
    fn is_of_ids(&self, value: Value, depth: u32) -> bool {
        if !self.found.varies[value] {
            return true;
        }
        let Def::Inst(id) = self.body.values[value].def else {
            return self.body.params().contains(&value);
        };
        let inst = &self.body.insts[id];
        let is_step = match inst.op {
            Op::Icmp => !matches!(inst.int_cond(), IntCond::Eq | IntCond::Ne),
            op => matches!(op, Op::Iadd | Op::Isub | Op::Zext | Op::Sext | Op::Trunc | Op::And | Op::Or),
        };
        depth > 0 && is_step && inst.args.iter().all(|&arg| self.is_of_ids(arg, depth - 1))
    }

    /// Instructions of the ways on which they have parted: where both do not come together any more there is nothing to part.
    fn copied(&self) -> usize {
        let found = &self.found;
        let partings = found.partings.iter().filter(|(block, _)| found.is_common[**block]);
        let blocks = partings.flat_map(|(_, parting)| &parting.blocks);
        blocks.map(|&block| self.body.blocks[block].insts.len()).sum()
    }

    /// Whether all of it can be done so.
    fn may_be(&self) -> bool {
        let (body, found) = (self.body, &self.found);
        let is_plain = |inst: &Inst| {
            inst.op.effect() == Effect::Pure
                || matches!(inst.op, Op::Load | Op::Store) && !inst.is_volatile()
                || inst.op.is_terminator()
        };
        let is_shared = |inst: &Inst| match inst.op {
            Op::Load | Op::Store => inst.is_volatile(),
            op => {
                matches!(op, Op::AtomicRmw | Op::AtomicCas | Op::AtomicLoad | Op::AtomicStore | Op::Fence)
            }
        };
        let is_done = |block: Block| {
            body.blocks[block].insts.iter().map(|&id| &body.insts[id]).all(|inst| {
                let goes_one_way = !found.differs(inst) || found.partings.contains_key(&block);
                (is_plain(inst) || inst.op == Op::Alloca) && (!inst.op.is_terminator() || goes_one_way)
            })
        };
        let is_used = |block: &Block| found.is_common[*block];
        let partings: Vec<(Block, &DivergentBranch)> = found
            .partings
            .iter()
            .map(|(&block, parting)| (block, parting))
            .filter(|(block, _)| is_used(block))
            .collect();
        let is_cyclic = cyclic(body, self.cfg);
        let is_first = |block: Block, parting: &DivergentBranch| {
            parting.join.is_none()
                && !is_cyclic[block]
                && partings.iter().all(|&(other, _)| self.dom.dominates(block, other))
        };
        let may_part = |&(block, parting): &(Block, &DivergentBranch)| {
            let within = parting.blocks.iter().flat_map(|&block| &body.blocks[block].insts);
            let mut within = within.map(|&id| &body.insts[id]);
            // Nobody waits for the other one, who may have what it waits for: the loops are such as do not wait, or the first one
            // is done with everything when the second one begins.
            within.clone().all(|inst| is_plain(inst) || is_shared(inst))
                && (within.all(is_plain) || !self.has_loop(&parting.blocks) || is_first(block, parting))
        };
        let mut common = self.cfg.rpo().iter().copied().filter(is_used);
        found.copied <= MOST && common.all(is_done) && partings.iter().all(may_part)
    }

    /// Whether blocks come to themselves again without leaving.
    fn has_loop(&self, blocks: &[Block]) -> bool {
        blocks.iter().any(|&block| {
            let back =
                |next: &Block| self.cfg.position(*next) <= self.cfg.position(block) && blocks.contains(next);
            self.cfg.succs(block).iter().any(back)
        })
    }
}
