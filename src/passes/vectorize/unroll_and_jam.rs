//! Unroll-and-jam of the loop over work-items, by two (Callahan, Carr, Kennedy, Improving Register Allocation
//! for Subscripted Variables, PLDI 1990).
//!
//! If OpenCL vectors already fill registers, lanes would need more registers than there are. Interleaving the
//! instructions of two work-items needs only twice as many, and the second one executes during the latency of
//! the first.
//!
//! Both follow the same path. At each branch where they may diverge, one target must be the usual one
//! (`divergent_branch`). If one of them does not take it, they run one after the other up to the reconvergence
//! point: the blocks in between are duplicated as a loop of two iterations.

use super::divergent_branch::{DivergentBranch, ItemPair};
use crate::ir::analysis::Analyses;
use crate::ir::{Block, Builder, Function, Inst, Op, Target, Type, Value};
use crate::support::{FastMap, FastSet, IdMap};

/// Number of work-items.
pub(super) const ITEMS: u16 = 2;

/// A body for two work-items.
pub(super) struct Jammed {
    /// Function with the parameters of the first work-item.
    pub func: Function,
    /// Rarely executed blocks of this function.
    pub cold: FastSet<Block>,
    /// Rarely executed blocks of the body for one work-item.
    pub rare: FastSet<Block>,
}

/// Builds the body for two work-items. Returns none if the difference between their parameters is not known.
pub(super) fn jam(body: &Function, found: &ItemPair, analyses: &mut Analyses) -> Option<Jammed> {
    let cfg = analyses.cfg(body);
    let mut func = Function::new(body.name.clone(), body.ret);
    func.param_facts = body.param_facts.clone();
    let mut jam = Jam {
        body,
        found,
        made: IdMap::with_len(Block(u32::MAX), body.blocks.len()),
        both: IdMap::with_len([Value(u32::MAX); 2], body.values.len()),
    };
    let together = || cfg.rpo().iter().copied().filter(|&block| found.is_common[block]);
    for block in together() {
        let new = func.add_block();
        jam.made[block] = new;
        func.blocks[new].unroll = body.blocks[block].unroll;
        for &param in &body.blocks[block].params {
            let first = func.add_param(new, body.ty(param));
            let has_two = found.varies[param] && block != body.entry();
            jam.both[param] = [first, if has_two { func.add_param(new, body.ty(param)) } else { first }];
        }
    }
    let common = func.blocks.len();
    let b = &mut Builder::new(&mut func, jam.made[body.entry()]);
    for (at, &param) in body.params().iter().enumerate().filter(|(_, param)| found.varies[**param]) {
        let (first, step) = (jam.both[param][0], body.param_facts[at].stride?);
        jam.both[param][1] = following(b, first, step);
    }
    for block in together() {
        jam.block(b, block);
    }
    let cold = (common..func.blocks.len()).map(|at| Block(at as u32)).collect();
    let rare = cfg.rpo().iter().copied().filter(|&block| !found.is_common[block]).collect();
    Some(Jammed { func, cold, rare })
}

/// Returns a parameter of the second work-item.
fn following(b: &mut Builder<'_>, first: Value, step: u32) -> Value {
    let ty = b.func.ty(first);
    if ty.kind.is_ptr() {
        return b.ptr_offset(first, step.into());
    }
    let step = b.iconst(ty, step.into());
    b.same(Op::Iadd, &[first, step])
}

struct Jam<'f> {
    body: &'f Function,
    found: &'f ItemPair,
    /// Blocks that both execute jointly.
    made: IdMap<Block, Block>,
    /// Values of both.
    both: IdMap<Value, [Value; 2]>,
}

impl Jam<'_> {
    fn block(&mut self, b: &mut Builder<'_>, block: Block) {
        b.switch_to(self.made[block]);
        for inst in self.body.blocks[block].insts.iter().map(|&id| &self.body.insts[id]) {
            b.loc = inst.loc;
            if let Some(parting) = self.found.partings.get(&block).filter(|_| inst.op.is_terminator()) {
                self.part(b, inst, parting);
            } else if inst.op.is_terminator() {
                let args: Vec<Value> = inst.args.iter().map(|&arg| self.both[arg][0]).collect();
                let targets = inst.targets.iter().map(|target| self.target(target)).collect();
                b.inst(inst.op, inst.ty, &args, inst.attr.clone(), targets);
            } else {
                self.inst(b, inst);
            }
        }
    }

    fn inst(&mut self, b: &mut Builder<'_>, inst: &Inst) {
        let mut copy = |item: usize| {
            let args: Vec<Value> = inst.args.iter().map(|&arg| self.both[arg][item]).collect();
            let id = b.inst(inst.op, inst.ty, &args, inst.attr.clone(), Vec::new());
            b.func.insts[id].result
        };
        let first = copy(0);
        let second = if self.found.differs(inst) { copy(1) } else { first };
        if let (Some(result), Some(first), Some(second)) = (inst.result, first, second) {
            self.both[result] = [first, second];
        }
    }

    /// Returns the target for both.
    fn target(&self, target: &Target) -> Target {
        let params = &self.body.blocks[target.block].params;
        let given = target.args.iter().zip(params).flat_map(|(&arg, &param)| {
            let items = if self.found.varies[param] { ITEMS } else { 1 };
            self.both[arg].into_iter().take(items.into())
        });
        Target::new(self.made[target.block], &given.collect::<Vec<Value>>())
    }

    /// Emits a divergent branch: to the usual target for both, or to the loop of two iterations.
    fn part(&mut self, b: &mut Builder<'_>, branch: &Inst, parting: &DivergentBranch) {
        let [first, second] = self.both[branch.args[0]];
        let alone = self.alone(b, branch, parting);
        let usual = self.target(&branch.targets[parting.usual]);
        if parting.usual == 0 {
            let both = b.same(Op::And, &[first, second]);
            b.br_to(both, usual, alone);
        } else {
            let any = b.same(Op::Or, &[first, second]);
            b.br_to(any, alone, usual);
        }
    }

    /// Emits the loop in which they run one after the other, and returns the target that enters it.
    ///
    /// Its header has as parameters the iteration, the values that differ between the work-items and are used
    /// in the loop, and, in the second iteration, the results of the first.
    fn alone(&self, b: &mut Builder<'_>, branch: &Inst, parting: &DivergentBranch) -> Target {
        let (body, from, loc) = (self.body, b.block, b.loc);
        let turn_type = Type::I1;
        let header = b.func.add_block();
        let turn = b.func.add_param(header, turn_type);
        let needed = self.needed(branch, parting);
        let mut known: FastMap<Value, Value> =
            needed.iter().map(|&value| (value, b.func.add_param(header, body.ty(value)))).collect();
        let made: FastMap<Block, Block> =
            parting.blocks.iter().map(|&block| (block, b.func.add_block())).collect();
        let latch = b.func.add_block();
        let outcome: Vec<Type> = match parting.join {
            Some(join) => body.blocks[join].params.iter().map(|&param| body.ty(param)).collect(),
            None if body.ret == Type::VOID => Vec::new(),
            None => vec![body.ret],
        };
        let of_first: Vec<Value> = outcome.iter().map(|&ty| b.func.add_param(header, ty)).collect();
        let at_end: Vec<Value> = outcome.iter().map(|&ty| b.func.add_param(latch, ty)).collect();

        for &block in &parting.blocks {
            for &param in &body.blocks[block].params {
                known.insert(param, b.func.add_param(made[&block], body.ty(param)));
            }
        }
        let of = |known: &FastMap<Value, Value>, value: &Value| {
            known.get(value).copied().unwrap_or(self.both[*value][0])
        };
        let target = |known: &FastMap<Value, Value>, target: &Target| {
            let block = if parting.join == Some(target.block) { latch } else { made[&target.block] };
            Target::new(block, &target.args.iter().map(|arg| of(known, arg)).collect::<Vec<Value>>())
        };
        b.switch_to(header);
        let targets = branch.targets.iter().map(|to| target(&known, to)).collect();
        b.inst(branch.op, branch.ty, &[of(&known, &branch.args[0])], branch.attr.clone(), targets);
        for &block in &parting.blocks {
            b.switch_to(made[&block]);
            for inst in body.blocks[block].insts.iter().map(|&id| &body.insts[id]) {
                b.loc = inst.loc;
                let args: Vec<Value> = inst.args.iter().map(|arg| of(&known, arg)).collect();
                if inst.op == Op::Ret {
                    b.jump(latch, &args);
                    continue;
                }
                let targets = inst.targets.iter().map(|to| target(&known, to)).collect();
                let id = b.inst(inst.op, inst.ty, &args, inst.attr.clone(), targets);
                if let (Some(result), Some(copy)) = (inst.result, b.func.insts[id].result) {
                    known.insert(result, copy);
                }
            }
        }
        b.loc = loc;
        b.switch_to(latch);
        let one = b.iconst(turn_type, 1);
        let mut again = vec![one];
        again.extend(needed.iter().map(|&value| self.both[value][1]));
        again.extend(&at_end);
        let end = match parting.join {
            Some(join) => {
                let both: Vec<Value> = of_first.iter().zip(&at_end).flat_map(|(&a, &b)| [a, b]).collect();
                Target::new(self.made[join], &both)
            }
            None => {
                let end = b.func.add_block();
                b.switch_to(end);
                b.ret(&at_end);
                b.switch_to(latch);
                Target::new(end, &[])
            }
        };
        b.br_to(turn, end, Target::new(header, &again));
        b.switch_to(from);
        let mut given = vec![b.iconst(turn_type, 0)];
        given.extend(needed.iter().map(|&value| self.both[value][0]));
        let nothing: Vec<Value> = outcome.iter().map(|&ty| b.zero(ty)).collect();
        given.extend(nothing);
        Target::new(header, &given)
    }

    /// Returns the values that differ between the work-items and are used between the branch and the
    /// reconvergence.
    fn needed(&self, branch: &Inst, parting: &DivergentBranch) -> Vec<Value> {
        let body = self.body;
        let mut inside: FastSet<Value> = FastSet::default();
        for &block in &parting.blocks {
            inside.extend(&body.blocks[block].params);
            inside.extend(body.blocks[block].insts.iter().filter_map(|&id| body.insts[id].result));
        }
        let within = parting.blocks.iter().flat_map(|&block| &body.blocks[block].insts);
        let insts = std::iter::once(branch).chain(within.map(|&id| &body.insts[id]));
        let mut seen: FastSet<Value> = FastSet::default();
        insts
            .flat_map(Inst::uses)
            .filter(|value| self.found.varies[*value] && !inside.contains(value) && seen.insert(*value))
            .collect()
    }
}
