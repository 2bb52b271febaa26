//! Uniformity analysis: values that are the same for all work-items of a group.
//!
//! A value varies if it depends on an id, on private memory, an atomic operation or a call. So do parameters
//! of blocks that work-items reach by different paths or after different numbers of iterations (Karrenberg
//! and Hack, Improving Performance of OpenCL on CPUs, CC 2012). In blocks that only some work-items reach, a
//! uniform value is the same for these; a barrier is reached there by all work-items or none (s6.13.8). A
//! load from a uniform address is uniform, because no other work-item may write there before the next
//! barrier.
//!
//! `vectorize/divergence.rs` finds the values that are the same for all lanes of a vector.

use grus_ir::analysis::Analyses;
use grus_ir::{Block, Effect, Function, Inst, InstId, Op, Value};
use grus_support::{FastMap, IdMap};

use super::rematerialize;

/// State of the analysis; everything is uniform until shown otherwise.
struct Search<'f> {
    func: &'f Function,
    varying: IdMap<Value, bool>,
    users: IdMap<Value, Vec<(Block, InstId)>>,
    /// True if work-items may reach the block at different times or not at all.
    may_be_skipped: IdMap<Block, bool>,
    /// True if work-items may reach the block at different times, so that loads may give different values.
    may_differ_in_time: IdMap<Block, bool>,
    work: Vec<Value>,
    /// True if work-items may reach the block by different paths or after different numbers of iterations.
    may_differ_in_path: IdMap<Block, bool>,
    /// True if the branch at the end of the block has been processed.
    is_processed: IdMap<Block, bool>,
}

/// Result of the analysis.
#[derive(Clone)]
pub(super) struct Uniformity {
    /// True if the value is the same for all work-items.
    pub values: IdMap<Value, bool>,
    /// True if all work-items reach the block together, or none does.
    pub blocks: IdMap<Block, bool>,
    /// True if work-items reach the block by one path after the same number of iterations, so that its
    /// parameters are uniform if their arguments are.
    pub converged: IdMap<Block, bool>,
}

impl Uniformity {
    /// Returns a result in which nothing is uniform.
    pub(super) fn unknown() -> Uniformity {
        Uniformity { values: IdMap::new(false), blocks: IdMap::new(false), converged: IdMap::new(false) }
    }
}

/// Finds uniform values and blocks.
pub(super) fn find(func: &Function, analyses: &mut Analyses) -> Uniformity {
    let mut search = Search {
        func,
        varying: IdMap::with_len(false, func.values.len()),
        users: IdMap::with_len(Vec::new(), func.values.len()),
        may_be_skipped: IdMap::with_len(false, func.blocks.len()),
        may_differ_in_time: IdMap::with_len(false, func.blocks.len()),
        work: Vec::new(),
        may_differ_in_path: IdMap::with_len(false, func.blocks.len()),
        is_processed: IdMap::with_len(false, func.blocks.len()),
    };
    for &block in &func.layout {
        for &id in &func.blocks[block].insts {
            let inst = &func.insts[id];
            for arg in inst.uses() {
                search.users[arg].push((block, id));
            }
            if is_source_of_divergence(inst) {
                search.work.extend(inst.result);
            }
        }
    }
    let mut found = Uniformity::unknown();
    if search.run(analyses) {
        func.values.ids().for_each(|value| found.values[value] = !search.varying[value]);
        func.layout.iter().for_each(|&block| found.blocks[block] = !search.may_be_skipped[block]);
        func.layout.iter().for_each(|&block| found.converged[block] = !search.may_differ_in_path[block]);
    }
    found
}

/// Checks whether the result varies for any operands.
fn is_source_of_divergence(inst: &Inst) -> bool {
    match inst.op {
        Op::WorkItem => !rematerialize::is_uniform(&inst.attr),
        Op::Load => inst.is_volatile(),
        Op::Alloca | Op::SubGroupLane => true,
        op if op.is_collective() => !op.has_uniform_result(),
        op => !matches!(op.effect(), Effect::Pure | Effect::Read),
    }
}

impl Search<'_> {
    /// Runs the analysis; returns false if the budget is used up, which happens with many branches that
    /// reconverge late.
    fn run(&mut self, analyses: &mut Analyses) -> bool {
        // Arbitrary.
        let mut budget = 32 * self.func.size() + (1 << 12);
        while let Some(value) = self.work.pop() {
            if std::mem::replace(&mut self.varying[value], true) {
                continue;
            }
            for (block, id) in std::mem::take(&mut self.users[value]) {
                if !self.visit(value, block, id, analyses, &mut budget) {
                    return false;
                }
            }
        }
        true
    }

    fn visit(
        &mut self,
        value: Value,
        block: Block,
        id: InstId,
        analyses: &mut Analyses,
        budget: &mut usize,
    ) -> bool {
        let inst = &self.func.insts[id];
        if inst.op.is_terminator() {
            for target in &inst.targets {
                let params = &self.func.blocks[target.block].params;
                let arguments = target.args.iter().zip(params).filter(|&(&arg, _)| arg == value);
                self.work.extend(arguments.map(|(_, &param)| param));
            }
            if inst.args.contains(&value) && !std::mem::replace(&mut self.is_processed[block], true) {
                return self.process_branch(block, analyses, budget);
            }
        } else if !inst.op.has_uniform_result() {
            self.work.extend(inst.result);
        }
        true
    }

    /// Processes a divergent branch at the end of this block. Work-items on one path stay together until the
    /// paths reconverge: parameters of blocks that several paths reach vary. If a path leads back to the
    /// branch, work-items follow it at different times, and all parameters on it vary.
    fn process_branch(&mut self, block: Block, analyses: &mut Analyses, budget: &mut usize) -> bool {
        let reconvergence = analyses.post_dominators(self.func).ipdom(block);
        // Path that leads to each block; none if several do.
        let mut paths: FastMap<Block, Option<usize>> = FastMap::default();
        let firsts = self.func.successors(block).enumerate();
        let mut work: Vec<(Block, Option<usize>)> = firsts.map(|(path, first)| (first, Some(path))).collect();
        while let Some((next, path)) = work.pop() {
            let path = match paths.get(&next) {
                Some(&known) if known.is_none() || known == path => continue,
                Some(_) => None,
                None => path,
            };
            if *budget == 0 {
                return false;
            }
            *budget -= 1;
            paths.insert(next, path);
            if Some(next) != reconvergence {
                work.extend(self.func.successors(next).map(|after| (after, path)));
            }
        }
        let comes_back = paths.contains_key(&block);
        for (next, path) in paths {
            let varies = comes_back || path.is_none() || Some(next) == reconvergence;
            if varies {
                self.work.extend(&self.func.blocks[next].params);
                self.may_differ_in_path[next] = true;
            }
            if Some(next) == reconvergence {
                continue;
            }
            self.may_be_skipped[next] = true;
            if varies && !std::mem::replace(&mut self.may_differ_in_time[next], true) {
                for &id in &self.func.blocks[next].insts {
                    let inst = &self.func.insts[id];
                    if inst.op.effect() == Effect::Read {
                        self.work.extend(inst.result);
                    }
                }
            }
        }
        true
    }
}
