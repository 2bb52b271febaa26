//! Which values are the same for all work-items of a group.
//!
//! A value varies if an item's id, memory of its own, an atomic or a call has a part in it; so do parameters of blocks
//! that items reach by different ways, or after different numbers of turns (Karrenberg and Hack, Improving Performance of
//! OpenCL on CPUs, CC 2012). Where only some items come, what is the same for these is meant: to a barrier there they come all
//! or none (s6.13.8). A load from an address that is the same for all is the same for all: nobody else may be writing there
//! before the next barrier.

use crate::ir::analysis::Analyses;
use crate::ir::{Block, Effect, Function, Inst, InstId, Op, Value};
use crate::support::{FastMap, IdMap};

use super::rematerialize;

/// What is known so far; everything is uniform until something is found that is not.
struct Search<'f> {
    func: &'f Function,
    varying: IdMap<Value, bool>,
    users: IdMap<Value, Vec<(Block, InstId)>>,
    /// Items may be here at different times, or not at all.
    influenced: IdMap<Block, bool>,
    /// They may be here at different times, so that they may find something else in memory.
    reads_vary: IdMap<Block, bool>,
    work: Vec<Value>,
    /// Items come here by ways that may differ, or after different numbers of turns.
    apart: IdMap<Block, bool>,
    /// Branches that have been looked at.
    split: IdMap<Block, bool>,
}

/// What is uniform.
#[derive(Clone)]
pub(super) struct Uniformity {
    /// The value is the same for all items.
    pub values: IdMap<Value, bool>,
    /// All items come to this block together, or none.
    pub blocks: IdMap<Block, bool>,
    /// Items come to this block by one way, after as many turns: parameters are the same if what is handed to them is.
    pub together: IdMap<Block, bool>,
}

impl Uniformity {
    /// Nothing is known.
    pub(super) fn unknown() -> Uniformity {
        Uniformity { values: IdMap::new(false), blocks: IdMap::new(false), together: IdMap::new(false) }
    }
}

/// Finds what is uniform.
pub(super) fn find(func: &Function, analyses: &mut Analyses) -> Uniformity {
    let mut search = Search {
        func,
        varying: IdMap::with_len(false, func.values.len()),
        users: IdMap::with_len(Vec::new(), func.values.len()),
        influenced: IdMap::with_len(false, func.blocks.len()),
        reads_vary: IdMap::with_len(false, func.blocks.len()),
        work: Vec::new(),
        apart: IdMap::with_len(false, func.blocks.len()),
        split: IdMap::with_len(false, func.blocks.len()),
    };
    for &block in &func.layout {
        for &id in &func.blocks[block].insts {
            let inst = &func.insts[id];
            for arg in inst.uses() {
                search.users[arg].push((block, id));
            }
            if begins(inst) {
                search.work.extend(inst.result);
            }
        }
    }
    let mut found = Uniformity::unknown();
    if search.run(analyses) {
        func.values.ids().for_each(|value| found.values[value] = !search.varying[value]);
        func.layout.iter().for_each(|&block| found.blocks[block] = !search.influenced[block]);
        func.layout.iter().for_each(|&block| found.together[block] = !search.apart[block]);
    }
    found
}

/// Whether the result varies whatever the operands are.
fn begins(inst: &Inst) -> bool {
    match inst.op {
        Op::WorkItem => !rematerialize::is_uniform(&inst.attr),
        Op::Load => inst.is_volatile(),
        Op::Alloca | Op::SubGroupLane => true,
        op if op.is_collective() => !op.is_collective_uniform(),
        op => !matches!(op.effect(), Effect::Pure | Effect::Read),
    }
}

impl Search<'_> {
    /// Whether it ended within its budget: many branches that meet late would make it long.
    fn run(&mut self, analyses: &mut Analyses) -> bool {
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
                let handed = target.args.iter().zip(params).filter(|&(&arg, _)| arg == value);
                self.work.extend(handed.map(|(_, &param)| param));
            }
            if inst.args.contains(&value) && !std::mem::replace(&mut self.split[block], true) {
                return self.split_at(block, analyses, budget);
            }
        } else if !inst.op.is_collective_uniform() {
            self.work.extend(inst.result);
        }
        true
    }

    /// Items part at the end of this block. Those that go one way stay together until the ways meet: parameters vary of blocks
    /// that are reached by several. Where a way leads back here, items go it at different times, and whatever they meet varies.
    fn split_at(&mut self, block: Block, analyses: &mut Analyses, budget: &mut usize) -> bool {
        let meet = analyses.post_dominators(self.func).ipdom(block);
        // The way that leads to each block; none if that are several.
        let mut ways: FastMap<Block, Option<usize>> = FastMap::default();
        let firsts = self.func.successors(block).enumerate();
        let mut work: Vec<(Block, Option<usize>)> = firsts.map(|(way, first)| (first, Some(way))).collect();
        while let Some((next, way)) = work.pop() {
            let way = match ways.get(&next) {
                Some(&known) if known.is_none() || known == way => continue,
                Some(_) => None,
                None => way,
            };
            if *budget == 0 {
                return false;
            }
            *budget -= 1;
            ways.insert(next, way);
            if Some(next) != meet {
                work.extend(self.func.successors(next).map(|after| (after, way)));
            }
        }
        let comes_back = ways.contains_key(&block);
        for (next, way) in ways {
            let varies = comes_back || way.is_none() || Some(next) == meet;
            if varies {
                self.work.extend(&self.func.blocks[next].params);
                self.apart[next] = true;
            }
            if Some(next) == meet {
                continue;
            }
            self.influenced[next] = true;
            if varies && !std::mem::replace(&mut self.reads_vary[next], true) {
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
