//! Strength reduction: the product of an induction variable and a loop-invariant factor becomes an induction
//! variable of its own.
//!
//! `i * width` in a loop over `i` becomes a parameter of the header that grows by `step * width` (Allen, Cocke,
//! Kennedy: Reduction of Operator Strength, 1981; basic induction variables only). Shifts are kept: they cost as
//! much as the addition would, and shifts by up to three bits are part of an address. Each new induction variable
//! takes a register, so a loop gets only a few.

use super::super::pass_manager::PassContext;
use super::licm::preheader;
use super::replace::Replacements;
use crate::ir::analysis::{Cfg, DomTree, LoopId, Loops, prune_unreachable};
use crate::ir::{Args, Attr, Block, Builder, Def, Function, InstId, Op, Type, Value};
use crate::support::{FastMap, IdMap};

/// Maximum number of induction variables that are added to a loop.
// Arbitrary.
const MAX_REDUCED: usize = 4;

/// Runs the pass.
pub fn run(func: &mut Function, context: &mut PassContext<'_>) -> bool {
    let loops = context.analyses.loops(func);
    if loops.ids().next().is_none() || !loops.is_reducible() {
        return false;
    }
    let (cfg, dom) = (context.analyses.cfg(func), context.analyses.dominators(func));
    let defining = DefiningLoops::of(func, &cfg, &loops);
    let mut replaced = Replacements::new(func);
    for id in loops.ids().filter(|&id| !defining.products[id].is_empty()) {
        let mut reduction = Reduction { func, cfg: &cfg, dom: &dom, loops: &loops, defining: &defining, id };
        reduction.run(&mut replaced);
    }
    if replaced.is_empty() {
        return false;
    }
    replaced.apply(func);
    prune_unreachable(func);
    true
}

/// Innermost loop that defines each value, and the products in loops.
struct DefiningLoops {
    loop_of: IdMap<Value, Option<LoopId>>,
    /// Multiplications, by the loop of their induction variable.
    products: IdMap<LoopId, Vec<InstId>>,
}

impl DefiningLoops {
    fn of(func: &Function, cfg: &Cfg, loops: &Loops) -> DefiningLoops {
        let mut defining = DefiningLoops {
            loop_of: IdMap::with_len(None, func.values.len()),
            products: IdMap::new(Vec::new()),
        };
        for &block in cfg.rpo() {
            let Some(inner) = loops.of(block) else { continue };
            func.blocks[block].params.iter().for_each(|&param| defining.loop_of[param] = Some(inner));
            for &id in &func.blocks[block].insts {
                let inst = &func.insts[id];
                if let Some(result) = inst.result {
                    defining.loop_of[result] = Some(inner);
                }
                if inst.op == Op::Imul && !inst.ty.is_vector() {
                    let counter = inst.args.iter().find(|&&arg| {
                        let of = func.values[arg].def.param_block();
                        of.is_some_and(|of| {
                            loops.is_header(of) && loops.of(of).is_some_and(|l| loops.contains(l, block))
                        })
                    });
                    if let Some(of) = counter.and_then(|&counter| defining.loop_of[counter]) {
                        defining.products[of].push(id);
                    }
                }
            }
        }
        defining
    }
}

/// Reduction of the products of one loop.
struct Reduction<'a> {
    func: &'a mut Function,
    cfg: &'a Cfg,
    dom: &'a DomTree,
    loops: &'a Loops,
    defining: &'a DefiningLoops,
    id: LoopId,
}

impl Reduction<'_> {
    fn run(&mut self, replaced: &mut Replacements) {
        let around = self.loops.get(self.id);
        let (header, latches) = (around.header, &around.latches);
        let [latch] = latches[..] else { return };
        if self.func.successors(latch).filter(|&next| next == header).count() != 1 {
            return;
        }
        let mut created: FastMap<(usize, Value), Value> = FastMap::default();
        let mut before = None;
        for &product in &self.defining.products[self.id] {
            let (result, args) = (self.func.insts[product].result, self.func.insts[product].args.clone());
            let (Some(result), Some((counter, factor, step))) =
                (result, self.match_product(header, latch, &args))
            else {
                continue;
            };
            let new = match created.get(&(counter, factor)) {
                Some(&new) => new,
                None if created.len() == MAX_REDUCED => continue,
                None => {
                    let loc = self.func.insts[product].loc;
                    let before =
                        *before.get_or_insert_with(|| preheader(self.func, self.cfg, self.dom, header));
                    let new =
                        self.add_induction_variable([header, latch, before], counter, factor, step, loc);
                    created.insert((counter, factor), new);
                    new
                }
            };
            replaced.set(result, new);
        }
    }

    /// Returns the position of the induction variable, the factor and the step, if the product can be reduced.
    fn match_product(&self, header: Block, latch: Block, args: &Args) -> Option<(usize, Value, Value)> {
        let (counter, factor) = match self.func.values[args[0]].def {
            Def::Param(block, at) if block == header => (at as usize, args[1]),
            _ => match self.func.values[args[1]].def {
                Def::Param(block, at) if block == header => (at as usize, args[0]),
                _ => return None,
            },
        };
        let param = self.func.blocks[header].params.get(counter).copied()?;
        let target = self.func.terminator(latch).targets.iter().find(|target| target.block == header)?;
        let next = self.func.def_inst(target.args[counter]).filter(|inst| inst.op == Op::Iadd)?;
        let step = match next.args[..] {
            [a, step] | [step, a] if a == param => step,
            _ => return None,
        };
        (self.is_invariant(factor) && self.is_invariant(step)).then_some((counter, factor, step))
    }

    /// Checks whether a value is loop-invariant: computed before the loop, or a constant.
    fn is_invariant(&self, value: Value) -> bool {
        let inside = self.defining.loop_of[value].map(|loop_of| self.loops.get(loop_of).header);
        !inside.is_some_and(|loop_of| self.loops.contains(self.id, loop_of))
            || self.func.as_const(value).is_some()
    }

    /// Adds a parameter to the header that starts as the induction variable's initial value times the factor.
    fn add_induction_variable(
        &mut self,
        [header, latch, before]: [Block; 3],
        counter: usize,
        factor: Value,
        step: Value,
        loc: u32,
    ) -> Value {
        let ty = self.func.ty(factor);
        let first = self.func.terminator(before).targets[0].args[counter];
        let [factor, step] = [factor, step].map(|value| match self.func.as_const(value) {
            Some(bits) => self.insert_before_terminator(before, Op::Iconst, &[], Attr::Int(bits), ty, loc),
            None => value,
        });
        let first = self.insert_before_terminator(before, Op::Imul, &[first, factor], Attr::None, ty, loc);
        let increment = self.insert_before_terminator(before, Op::Imul, &[step, factor], Attr::None, ty, loc);
        let param = self.func.add_param(header, ty);
        let next = self.insert_before_terminator(latch, Op::Iadd, &[param, increment], Attr::None, ty, loc);
        for (from, arg) in [(before, first), (latch, next)] {
            let targets = &mut self.func.terminator_mut(from).targets;
            targets
                .iter_mut()
                .filter(|target| target.block == header)
                .for_each(|target| target.args.push(arg));
        }
        param
    }

    /// Inserts an instruction before the terminator of a block.
    fn insert_before_terminator(
        &mut self,
        block: Block,
        op: Op,
        args: &[Value],
        attr: Attr,
        ty: Type,
        loc: u32,
    ) -> Value {
        let insts = &mut self.func.blocks[block].insts;
        let last = insts.pop().expect("a block ends in a terminator");
        let mut b = Builder { func: &mut *self.func, block, loc };
        let value = b.value(op, ty, args, attr);
        self.func.blocks[block].insts.push(last);
        value
    }
}
