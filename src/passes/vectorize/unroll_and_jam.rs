//! Unroll-and-jam of the loop over work-items or over rows of them, by two (Callahan, Carr, Kennedy, Improving
//! Register Allocation for Subscripted Variables, PLDI 1990).
//!
//! If OpenCL vectors already fill registers, lanes would need more registers than there are. Interleaving the
//! instructions of two work-items needs only twice as many, and the second one executes during the latency of
//! the first. `row_jam` does the same with vectors of two rows. What this module calls a work-item is a vector
//! then.
//!
//! Both follow the same path. At each branch where they may diverge, one target must be the usual one
//! (`divergent_branch`). If one of them does not take it, they run one after the other up to the reconvergence
//! point: the blocks in between are duplicated as a loop of two iterations.

use super::super::work_items::Step;
use super::divergent_branch::{DivergentBranch, ItemPair};
use grus_ir::analysis::Analyses;
use grus_ir::{Block, Builder, Function, Inst, Op, Target, Type, Value};
use grus_support::{FastMap, FastSet, IdMap};

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
    /// Blocks of this function by the blocks of the body that both work-items execute jointly.
    pub copies: IdMap<Block, Block>,
}

/// Returns the steps of a body's parameters from a work-item to the next one in its row, if all are known.
pub(super) fn steps_in_row(body: &Function) -> Option<Vec<Step>> {
    let facts = (0..body.params().len()).map(|at| body.param_facts.get(at).copied().unwrap_or_default());
    facts.map(|facts| facts.stride.map(|step| if step == 0 { Step::None } else { Step::By(step) })).collect()
}

/// Builds the body for two work-items, whose parameters differ by `steps`. If any step is a number of rows, the
/// last parameter is the number of work-items in a row.
pub(super) fn jam(body: &Function, steps: &[Step], found: &ItemPair, analyses: &mut Analyses) -> Jammed {
    let cfg = analyses.cfg(body);
    let mut func = Function::new(body.name.clone(), body.ret);
    func.param_facts = body.param_facts.clone();
    let mut jam = Jam {
        body,
        found,
        copies: IdMap::with_len(Block(u32::MAX), body.blocks.len()),
        pairs: IdMap::with_len([Value(u32::MAX); 2], body.values.len()),
    };
    let joint_blocks = || cfg.rpo().iter().copied().filter(|&block| found.is_joint[block]);
    for block in joint_blocks() {
        let new = func.add_block();
        jam.copies[block] = new;
        func.blocks[new].unroll = body.blocks[block].unroll;
        for &param in &body.blocks[block].params {
            let first = func.add_param(new, body.ty(param));
            let is_paired = found.varies[param] && block != body.entry();
            jam.pairs[param] = [first, if is_paired { func.add_param(new, body.ty(param)) } else { first }];
        }
    }
    let common = func.blocks.len();
    let b = &mut Builder::new(&mut func, jam.copies[body.entry()]);
    let last_param = body.params().last().copied();
    for (&param, &step) in body.params().iter().zip(steps) {
        let first = jam.pairs[param][0];
        jam.pairs[param][1] = match step {
            Step::None => first,
            Step::By(step) => next_item(b, first, step),
            Step::Rows(rows) => {
                let row_length = jam.pairs[last_param.expect("there is a parameter")][0];
                let rows = b.iconst(Type::I64, rows.into());
                let distance = b.same(Op::Imul, &[row_length, rows]);
                b.same(Op::Iadd, &[first, distance])
            }
        };
    }
    for block in joint_blocks() {
        jam.block(b, block);
    }
    let cold = (common..func.blocks.len()).map(|at| Block(at as u32)).collect();
    let rare = cfg.rpo().iter().copied().filter(|&block| !found.is_joint[block]).collect();
    let copies = jam.copies;
    Jammed { func, cold, rare, copies }
}

/// Returns a parameter of the second work-item.
fn next_item(b: &mut Builder<'_>, first: Value, step: u32) -> Value {
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
    copies: IdMap<Block, Block>,
    /// Values of both.
    pairs: IdMap<Value, [Value; 2]>,
}

impl Jam<'_> {
    fn block(&mut self, b: &mut Builder<'_>, block: Block) {
        b.switch_to(self.copies[block]);
        for inst in self.body.blocks[block].insts.iter().map(|&id| &self.body.insts[id]) {
            b.loc = inst.loc;
            if let Some(divergent) =
                self.found.divergent_branches.get(&block).filter(|_| inst.op.is_terminator())
            {
                self.diverge(b, inst, divergent);
            } else if inst.op.is_terminator() {
                let args: Vec<Value> = inst.args.iter().map(|&arg| self.pairs[arg][0]).collect();
                let targets = inst.targets.iter().map(|target| self.target(target)).collect();
                b.inst(inst.op, inst.ty, &args, inst.attr.clone(), targets);
            } else {
                self.inst(b, inst);
            }
        }
    }

    fn inst(&mut self, b: &mut Builder<'_>, inst: &Inst) {
        let mut copy = |item: usize| {
            let args: Vec<Value> = inst.args.iter().map(|&arg| self.pairs[arg][item]).collect();
            let id = b.inst(inst.op, inst.ty, &args, inst.attr.clone(), Vec::new());
            b.func.insts[id].result
        };
        let first = copy(0);
        let second = if self.found.differs(inst) { copy(1) } else { first };
        if let (Some(result), Some(first), Some(second)) = (inst.result, first, second) {
            self.pairs[result] = [first, second];
        }
    }

    /// Returns the target for both.
    fn target(&self, target: &Target) -> Target {
        let params = &self.body.blocks[target.block].params;
        let entry_args = target.args.iter().zip(params).flat_map(|(&arg, &param)| {
            let items = if self.found.varies[param] { ITEMS } else { 1 };
            self.pairs[arg].into_iter().take(items.into())
        });
        Target::new(self.copies[target.block], &entry_args.collect::<Vec<Value>>())
    }

    /// Emits a divergent branch: to the usual target for both, or to the loop of two iterations.
    fn diverge(&mut self, b: &mut Builder<'_>, branch: &Inst, divergent: &DivergentBranch) {
        let [first, second] = self.pairs[branch.args[0]];
        let serial_loop = self.serial_loop(b, branch, divergent);
        let likely_target = self.target(&branch.targets[divergent.likely_target]);
        if divergent.likely_target == 0 {
            let pairs = b.same(Op::And, &[first, second]);
            b.br_to(pairs, likely_target, serial_loop);
        } else {
            let any = b.same(Op::Or, &[first, second]);
            b.br_to(any, serial_loop, likely_target);
        }
    }

    /// Emits the loop in which they run one after the other, and returns the target that enters it.
    ///
    /// Its header has as parameters the iteration, the values that differ between the work-items and are used
    /// in the loop, and, in the second iteration, the results of the first.
    fn serial_loop(&self, b: &mut Builder<'_>, branch: &Inst, divergent: &DivergentBranch) -> Target {
        let (body, from, loc) = (self.body, b.block, b.loc);
        let flag_type = Type::I1;
        let header = b.func.add_block();
        let is_second = b.func.add_param(header, flag_type);
        let live_in = self.live_in(branch, divergent);
        let mut copied: FastMap<Value, Value> =
            live_in.iter().map(|&value| (value, b.func.add_param(header, body.ty(value)))).collect();
        let copies: FastMap<Block, Block> =
            divergent.blocks.iter().map(|&block| (block, b.func.add_block())).collect();
        let latch = b.func.add_block();
        let result_types: Vec<Type> = match divergent.join {
            Some(join) => body.blocks[join].params.iter().map(|&param| body.ty(param)).collect(),
            None if body.ret == Type::VOID => Vec::new(),
            None => vec![body.ret],
        };
        let first_results: Vec<Value> = result_types.iter().map(|&ty| b.func.add_param(header, ty)).collect();
        let results: Vec<Value> = result_types.iter().map(|&ty| b.func.add_param(latch, ty)).collect();

        for &block in &divergent.blocks {
            for &param in &body.blocks[block].params {
                copied.insert(param, b.func.add_param(copies[&block], body.ty(param)));
            }
        }
        let copy_of = |copied: &FastMap<Value, Value>, value: &Value| {
            copied.get(value).copied().unwrap_or(self.pairs[*value][0])
        };
        let target = |copied: &FastMap<Value, Value>, target: &Target| {
            let block = if divergent.join == Some(target.block) { latch } else { copies[&target.block] };
            Target::new(block, &target.args.iter().map(|arg| copy_of(copied, arg)).collect::<Vec<Value>>())
        };
        b.switch_to(header);
        let targets = branch.targets.iter().map(|to| target(&copied, to)).collect();
        b.inst(branch.op, branch.ty, &[copy_of(&copied, &branch.args[0])], branch.attr.clone(), targets);
        for &block in &divergent.blocks {
            b.switch_to(copies[&block]);
            for inst in body.blocks[block].insts.iter().map(|&id| &body.insts[id]) {
                b.loc = inst.loc;
                let args: Vec<Value> = inst.args.iter().map(|arg| copy_of(&copied, arg)).collect();
                if inst.op == Op::Ret {
                    b.jump(latch, &args);
                    continue;
                }
                let targets = inst.targets.iter().map(|to| target(&copied, to)).collect();
                let id = b.inst(inst.op, inst.ty, &args, inst.attr.clone(), targets);
                if let (Some(result), Some(copy)) = (inst.result, b.func.insts[id].result) {
                    copied.insert(result, copy);
                }
            }
        }
        b.loc = loc;
        b.switch_to(latch);
        let one = b.iconst(flag_type, 1);
        let mut back_args = vec![one];
        back_args.extend(live_in.iter().map(|&value| self.pairs[value][1]));
        back_args.extend(&results);
        let end = match divergent.join {
            Some(join) => {
                let params = body.blocks[join].params.iter();
                let pairs = params.zip(first_results.iter().zip(&results)).flat_map(|(&param, (&a, &b))| {
                    let items = if self.found.varies[param] { ITEMS } else { 1 };
                    [a, b].into_iter().take(items.into())
                });
                Target::new(self.copies[join], &pairs.collect::<Vec<Value>>())
            }
            None => {
                let end = b.func.add_block();
                b.switch_to(end);
                b.ret(&results);
                b.switch_to(latch);
                Target::new(end, &[])
            }
        };
        b.br_to(is_second, end, Target::new(header, &back_args));
        b.switch_to(from);
        let mut entry_args = vec![b.iconst(flag_type, 0)];
        entry_args.extend(live_in.iter().map(|&value| self.pairs[value][0]));
        let zeros: Vec<Value> = result_types.iter().map(|&ty| b.zero(ty)).collect();
        entry_args.extend(zeros);
        Target::new(header, &entry_args)
    }

    /// Returns the values that differ between the work-items and are used between the branch and the
    /// reconvergence.
    fn live_in(&self, branch: &Inst, divergent: &DivergentBranch) -> Vec<Value> {
        let body = self.body;
        let mut defined_inside: FastSet<Value> = FastSet::default();
        for &block in &divergent.blocks {
            defined_inside.extend(&body.blocks[block].params);
            defined_inside.extend(body.blocks[block].insts.iter().filter_map(|&id| body.insts[id].result));
        }
        let within = divergent.blocks.iter().flat_map(|&block| &body.blocks[block].insts);
        let insts = std::iter::once(branch).chain(within.map(|&id| &body.insts[id]));
        let mut seen: FastSet<Value> = FastSet::default();
        insts
            .flat_map(Inst::uses)
            .filter(|value| {
                self.found.varies[*value] && !defined_inside.contains(value) && seen.insert(*value)
            })
            .collect()
    }
}
