//! Strength reduction: a product of a loop's counter and something that does not change becomes a counter of its own.
//!
//! `i * width` in a loop over `i` is a parameter of the header that grows by `step * width` (Allen, Cocke, Kennedy: Reduction
//! of Operator Strength, 1981; basic induction variables only). Shifts stay: they cost what the addition would, and up
//! to three bits are part of an address. Each new counter takes a register, so that a loop gets few.

use super::super::pass_manager::PassContext;
use super::licm::preheader;
use super::replace::Replacements;
use crate::ir::analysis::{Cfg, DomTree, LoopId, Loops, prune_unreachable};
use crate::ir::{Args, Attr, Block, Builder, Def, Function, InstId, Op, Type, Value};
use crate::support::{FastMap, IdMap};

/// Counters that a loop gets at most.
const MOST: usize = 4;

/// Runs the pass.
pub fn run(func: &mut Function, context: &mut PassContext<'_>) -> bool {
    let loops = context.analyses.loops(func);
    if loops.ids().next().is_none() || !loops.is_reducible() {
        return false;
    }
    let (cfg, dom) = (context.analyses.cfg(func), context.analyses.dominators(func));
    let homes = Homes::of(func, &cfg, &loops);
    let mut replaced = Replacements::new(func);
    for id in loops.ids().filter(|&id| !homes.products[id].is_empty()) {
        let mut reduction = Reduction { func, cfg: &cfg, dom: &dom, loops: &loops, homes: &homes, id };
        reduction.run(&mut replaced);
    }
    if replaced.is_empty() {
        return false;
    }
    replaced.apply(func);
    prune_unreachable(func);
    true
}

/// Where values are computed, and products in loops.
struct Homes {
    home: IdMap<Value, Option<LoopId>>,
    /// By the loop that the counter belongs to.
    products: IdMap<LoopId, Vec<InstId>>,
}

impl Homes {
    fn of(func: &Function, cfg: &Cfg, loops: &Loops) -> Homes {
        let mut homes =
            Homes { home: IdMap::with_len(None, func.values.len()), products: IdMap::new(Vec::new()) };
        for &block in cfg.rpo() {
            let Some(inner) = loops.of(block) else { continue };
            func.blocks[block].params.iter().for_each(|&param| homes.home[param] = Some(inner));
            for &id in &func.blocks[block].insts {
                let inst = &func.insts[id];
                if let Some(result) = inst.result {
                    homes.home[result] = Some(inner);
                }
                if inst.op == Op::Imul && !inst.ty.is_vector() {
                    let counter = inst.args.iter().find(|&&arg| {
                        let of = func.values[arg].def.param_block();
                        of.is_some_and(|of| {
                            loops.is_header(of) && loops.of(of).is_some_and(|l| loops.contains(l, block))
                        })
                    });
                    if let Some(of) = counter.and_then(|&counter| homes.home[counter]) {
                        homes.products[of].push(id);
                    }
                }
            }
        }
        homes
    }
}

/// One loop.
struct Reduction<'a> {
    func: &'a mut Function,
    cfg: &'a Cfg,
    dom: &'a DomTree,
    loops: &'a Loops,
    homes: &'a Homes,
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
        let mut made: FastMap<(usize, Value), Value> = FastMap::default();
        let mut before = None;
        for &product in &self.homes.products[self.id] {
            let (result, args) = (self.func.insts[product].result, self.func.insts[product].args.clone());
            let (Some(result), Some((counter, factor, step))) = (result, self.parts(header, latch, &args))
            else {
                continue;
            };
            let new = match made.get(&(counter, factor)) {
                Some(&new) => new,
                None if made.len() == MOST => continue,
                None => {
                    let loc = self.func.insts[product].loc;
                    let before =
                        *before.get_or_insert_with(|| preheader(self.func, self.cfg, self.dom, header));
                    let new = self.count([header, latch, before], counter, factor, step, loc);
                    made.insert((counter, factor), new);
                    new
                }
            };
            replaced.set(result, new);
        }
    }

    /// The counter's position, the factor and the step, if the product is one that can be counted.
    fn parts(&self, header: Block, latch: Block, args: &Args) -> Option<(usize, Value, Value)> {
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
        (self.is_outside(factor) && self.is_outside(step)).then_some((counter, factor, step))
    }

    /// Whether a value is the same in every turn: computed before the loop, or a constant.
    fn is_outside(&self, value: Value) -> bool {
        let inside = self.homes.home[value].map(|home| self.loops.get(home).header);
        !inside.is_some_and(|home| self.loops.contains(self.id, home)) || self.func.as_const(value).is_some()
    }

    /// A parameter of the header that begins as the counter's first value times the factor.
    fn count(
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
            Some(bits) => self.put(before, Op::Iconst, &[], Attr::Int(bits), ty, loc),
            None => value,
        });
        let first = self.put(before, Op::Imul, &[first, factor], Attr::None, ty, loc);
        let grows = self.put(before, Op::Imul, &[step, factor], Attr::None, ty, loc);
        let param = self.func.add_param(header, ty);
        let next = self.put(latch, Op::Iadd, &[param, grows], Attr::None, ty, loc);
        for (from, arg) in [(before, first), (latch, next)] {
            let targets = &mut self.func.terminator_mut(from).targets;
            targets
                .iter_mut()
                .filter(|target| target.block == header)
                .for_each(|target| target.args.push(arg));
        }
        param
    }

    /// An instruction before the end of a block.
    fn put(&mut self, block: Block, op: Op, args: &[Value], attr: Attr, ty: Type, loc: u32) -> Value {
        let insts = &mut self.func.blocks[block].insts;
        let last = insts.pop().expect("a block ends in a terminator");
        let mut b = Builder { func: &mut *self.func, block, loc };
        let value = b.value(op, ty, args, attr);
        self.func.blocks[block].insts.push(last);
        value
    }
}
