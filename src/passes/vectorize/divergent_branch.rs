//! Finds branches at which two work-items of an unrolled-and-jammed body (`unroll_and_jam`) may diverge, and
//! the blocks up to their reconvergence.
//!
//! Rare paths are predicted from the condition of a branch: equality of two numbers, or a comparison of an id
//! with a bound (Ball, Larus, Branch Prediction for Free, PLDI 1993, opcode and guard heuristics).

use super::super::work_items::Step;
use grus_ir::analysis::{Analyses, Cfg, DomTree, PostDomTree, cyclic};
use grus_ir::{Block, Class, Def, Effect, Function, Inst, IntCond, MemoryOp, Op, Value};
use grus_support::{FastMap, FastSet, IdMap};

/// Limit of sweeps.
// Arbitrary; real functions settle far earlier.
const MAX_SWEEPS: usize = 40;

/// Limit of instructions that are duplicated.
// Arbitrary.
const MAX_COPIED: usize = 4_000;

/// Limit of the depth to which conditions are analyzed.
// Arbitrary.
const MAX_DEPTH: u32 = 8;

/// Divergence between two work-items.
pub(super) struct ItemPair {
    pub varies: IdMap<Value, bool>,
    /// True for blocks that both execute jointly.
    pub is_joint: IdMap<Block, bool>,
    /// Divergent branches, by the blocks that end with them.
    pub divergent_branches: FastMap<Block, DivergentBranch>,
    /// Number of instructions that are duplicated.
    pub copied: usize,
}

/// A divergent branch.
pub(super) struct DivergentBranch {
    /// Index of the target that both usually take.
    pub likely_target: usize,
    /// Block at which they reconverge; none if the function returns before.
    pub join: Option<Block>,
    /// Blocks between the branch and the reconvergence, in reverse post-order.
    pub blocks: Vec<Block>,
}

impl ItemPair {
    /// Checks whether an instruction is executed once for each work-item. Each has private objects of its own.
    pub(super) fn differs(&self, inst: &Inst) -> bool {
        inst.op == Op::Alloca || inst.args.iter().any(|&arg| self.varies[arg])
    }
}

/// Runs the analysis for work-items whose parameters differ by these steps; `cold` are rarely executed blocks.
/// Returns none if a divergent branch has no usual target, or if there is an instruction that must not be
/// duplicated.
pub(super) fn find(
    body: &Function,
    steps: &[Step],
    cold: &FastSet<Block>,
    analyses: &mut Analyses,
) -> Option<ItemPair> {
    let (cfg, dom, post) = (analyses.cfg(body), analyses.dominators(body), analyses.post_dominators(body));
    let mut varies = IdMap::with_len(false, body.values.len());
    for (&param, &step) in body.params().iter().zip(steps) {
        varies[param] = step != Step::None;
    }
    let is_joint = IdMap::with_len(false, body.blocks.len());
    let mut finder = DivergenceFinder {
        body,
        cold,
        cfg: &cfg,
        dom: &dom,
        post: &post,
        found: ItemPair { varies, is_joint, divergent_branches: FastMap::default(), copied: 0 },
        has_changed: true,
    };
    for _ in 0..MAX_SWEEPS {
        if !finder.has_changed {
            finder.found.copied = finder.copied();
            return finder.can_jam().then_some(finder.found);
        }
        finder.sweep()?;
    }
    None
}

struct DivergenceFinder<'f> {
    body: &'f Function,
    cold: &'f FastSet<Block>,
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
        self.found.is_joint = IdMap::with_len(false, body.blocks.len());
        self.found.is_joint[body.entry()] = true;
        for &block in self.cfg.rpo() {
            if !self.found.is_joint[block] {
                continue;
            }
            for inst in body.blocks[block].insts.iter().map(|&id| &body.insts[id]) {
                let differs = self.found.differs(inst);
                if let Some(result) = inst.result.filter(|_| differs) {
                    self.mark_varying(result);
                }
                if !(differs && inst.op.is_terminator()) {
                    (0..inst.targets.len()).for_each(|at| self.take_jointly(inst, at));
                    continue;
                }
                if !self.found.divergent_branches.contains_key(&block) {
                    let divergent = self.divergent_branch(block, inst)?;
                    self.found.divergent_branches.insert(block, divergent);
                }
                let DivergentBranch { likely_target, join, .. } = self.found.divergent_branches[&block];
                self.take_jointly(inst, likely_target);
                if let Some(join) = join {
                    self.found.is_joint[join] = true;
                    for (at, &param) in body.blocks[join].params.iter().enumerate() {
                        if !self.is_same_constant(join, at) {
                            self.mark_varying(param);
                        }
                    }
                }
            }
        }
        Some(())
    }

    fn mark_varying(&mut self, value: Value) {
        self.has_changed |= !std::mem::replace(&mut self.found.varies[value], true);
    }

    /// Checks whether a parameter of a block gets the same constant on all edges.
    fn is_same_constant(&self, block: Block, at: usize) -> bool {
        let targets = self.cfg.preds(block).iter().flat_map(|&from| &self.body.terminator(from).targets);
        let args = targets.filter(|target| target.block == block).map(|target| target.args[at]);
        let mut constants = args.map(|arg| self.body.as_const_of_lanes(arg));
        let first = constants.next().flatten();
        first.is_some() && constants.all(|other| other == first)
    }

    /// Marks a target as taken jointly.
    fn take_jointly(&mut self, inst: &Inst, at: usize) {
        let target = &inst.targets[at];
        self.found.is_joint[target.block] = true;
        for (&arg, &param) in target.args.iter().zip(&self.body.blocks[target.block].params) {
            if self.found.varies[arg] {
                self.mark_varying(param);
            }
        }
    }

    fn divergent_branch(&self, block: Block, branch: &Inst) -> Option<DivergentBranch> {
        if branch.op != Op::BrIf || branch.targets[0].block == branch.targets[1].block {
            return None;
        }
        let join = self.post.ipdom(block);
        let paths = [0, 1].map(|at| self.path(branch.targets[at].block, join));
        let likely_target = self.likely_target(block, branch, &paths)?;
        let mut blocks = paths.concat();
        blocks.sort_by_key(|&block| self.cfg.position(block));
        blocks.dedup();
        // The blocks between run once per divergence. None of them leads back to before the branch.
        let runs_once = |&between: &Block| {
            let may_end = match self.body.terminator(between).op {
                Op::Ret => join.is_none(),
                op => matches!(op, Op::Jump | Op::BrIf | Op::Switch),
            };
            may_end && !self.dom.dominates(between, block)
        };
        blocks.iter().all(runs_once).then_some(DivergentBranch { likely_target, join, blocks })
    }

    /// Returns the blocks reachable from `start` before `join`.
    fn path(&self, start: Block, join: Option<Block>) -> Vec<Block> {
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

    /// Returns the index of the usual target.
    fn likely_target(&self, block: Block, branch: &Inst, paths: &[Vec<Block>; 2]) -> Option<usize> {
        let [is_first_cold, is_second_cold] = [0, 1].map(|at| self.cold.contains(&branch.targets[at].block));
        if is_first_cold != is_second_cold && !self.cold.contains(&block) {
            return Some(usize::from(is_first_cold));
        }
        if let Some(predict_rare) = self.predict_rare(branch.args[0], MAX_DEPTH) {
            return Some(usize::from(predict_rare));
        }
        // Most ids take the side with more work.
        let size =
            |path: &Vec<Block>| path.iter().map(|&block| self.body.blocks[block].insts.len()).sum::<usize>();
        let [first, second] = [0, 1].map(|at| size(&paths[at]));
        self.compares_ids(branch.args[0], MAX_DEPTH).then_some(usize::from(second > first))
    }

    /// Returns true if a condition is rarely true, false if it is rarely false; none if it is not known.
    fn predict_rare(&self, condition: Value, depth: u32) -> Option<bool> {
        let inst = self.body.def_inst(condition).filter(|_| depth > 0)?;
        let of = |at: usize| self.predict_rare(inst.args[at], depth - 1);
        match inst.op {
            // An equality with a constant can be frequent: many kernels test for the first work-item, or for
            // even ids.
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

    /// Checks whether a condition compares only ids and uniform values.
    fn compares_ids(&self, value: Value, depth: u32) -> bool {
        if !self.found.varies[value] {
            return true;
        }
        let Def::Inst(id) = self.body.values[value].def else {
            return self.body.params().contains(&value);
        };
        let inst = &self.body.insts[id];
        let is_step = match inst.op {
            Op::Icmp => !matches!(inst.int_cond(), IntCond::Eq | IntCond::Ne),
            Op::All | Op::Any | Op::Splat => true,
            op => matches!(op, Op::Iadd | Op::Isub | Op::Zext | Op::Sext | Op::Trunc | Op::And | Op::Or),
        };
        depth > 0 && is_step && inst.args.iter().all(|&arg| self.compares_ids(arg, depth - 1))
    }

    /// Counts the instructions that are duplicated. Branches that are not executed jointly do not diverge.
    fn copied(&self) -> usize {
        let found = &self.found;
        let divergent_branches = found.divergent_branches.iter().filter(|(block, _)| found.is_joint[**block]);
        let blocks = divergent_branches.flat_map(|(_, divergent)| &divergent.blocks);
        blocks.map(|&block| self.body.blocks[block].insts.len()).sum()
    }

    /// Checks whether the body can be unrolled and jammed.
    fn can_jam(&self) -> bool {
        let (body, found) = (self.body, &self.found);
        let is_access = |op: Op| {
            use MemoryOp::{Gather, GatherAt, Load, MaskedLoad, MaskedStore, Scatter, ScatterAt, Store};
            let Class::MemoryOp(op) = op.class() else { return false };
            matches!(op, Load | Store | MaskedLoad | MaskedStore | Gather | GatherAt | Scatter | ScatterAt)
        };
        let is_plain = |inst: &Inst| {
            inst.op.effect() == Effect::Pure
                || is_access(inst.op) && !inst.is_volatile()
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
                let goes_one_way = !found.differs(inst) || found.divergent_branches.contains_key(&block);
                (is_plain(inst) || inst.op == Op::Alloca) && (!inst.op.is_terminator() || goes_one_way)
            })
        };
        let is_used = |block: &Block| found.is_joint[*block];
        let divergent_branches: Vec<(Block, &DivergentBranch)> = found
            .divergent_branches
            .iter()
            .map(|(&block, divergent)| (block, divergent))
            .filter(|(block, _)| is_used(block))
            .collect();
        let is_cyclic = cyclic(body, self.cfg);
        let is_first = |block: Block, divergent: &DivergentBranch| {
            divergent.join.is_none()
                && !is_cyclic[block]
                && divergent_branches.iter().all(|&(other, _)| self.dom.dominates(block, other))
        };
        let may_part = |&(block, divergent): &(Block, &DivergentBranch)| {
            let within = divergent.blocks.iter().flat_map(|&block| &body.blocks[block].insts);
            let mut within = within.map(|&id| &body.insts[id]);
            // A work-item must not spin on the other one, which runs after it or has yet to run the rest of the
            // body. So the divergent blocks either have no loop that reads shared memory, or the first
            // work-item ends before the second one continues.
            within.clone().all(|inst| is_plain(inst) || is_shared(inst))
                && (within.all(is_plain) || !self.has_loop(&divergent.blocks) || is_first(block, divergent))
        };
        let mut common = self.cfg.rpo().iter().copied().filter(is_used);
        found.copied <= MAX_COPIED && common.all(is_done) && divergent_branches.iter().all(may_part)
    }

    /// Checks whether blocks contain a cycle.
    fn has_loop(&self, blocks: &[Block]) -> bool {
        blocks.iter().any(|&block| {
            let back =
                |next: &Block| self.cfg.position(*next) <= self.cfg.position(block) && blocks.contains(next);
            self.cfg.succs(block).iter().any(back)
        })
    }
}
