//! Two items by turns: unroll-and-jam of the loop over items (Callahan, Carr, Kennedy, Improving Register Allocation for
//! Subscripted Variables, PLDI 1990).
//!
//! Where vectors of the program fill registers already, lanes would need more of them than there are. A second item that does
//! each step right behind the first one needs twice as many, and is computed while the first one waits for its own results.
//! Both go the same way, or nothing is done.

use crate::ir::analysis::Analyses;
use crate::ir::{Block, Builder, Effect, Function, Inst, Op, Target, Value};
use crate::support::IdMap;

/// How many items it is.
pub(super) const ITEMS: u16 = 2;

/// Sweeps that settle every real function.
const SWEEPS: usize = 40;

/// A body for two items, with the parameters of the first one; none if they may go different ways, or if it does something
/// that is not done twice.
pub(super) fn jam(body: &Function) -> Option<Function> {
    let cfg = Analyses::default().cfg(body);
    let blocks = cfg.rpo();
    let varies = varying(body, blocks)?;
    let mut func = Function::new(body.name.clone(), body.ret);
    func.param_facts = body.param_facts.clone();
    let mut made = IdMap::with_len(Block(u32::MAX), body.blocks.len());
    let mut both: IdMap<Value, [Value; 2]> = IdMap::with_len([Value(u32::MAX); 2], body.values.len());
    for &block in blocks {
        let new = func.add_block();
        made[block] = new;
        func.blocks[new].unroll = body.blocks[block].unroll;
        for &param in &body.blocks[block].params {
            let first = func.add_param(new, body.ty(param));
            let has_two = varies[param] && block != body.entry();
            both[param] = [first, if has_two { func.add_param(new, body.ty(param)) } else { first }];
        }
    }
    let b = &mut Builder::new(&mut func, made[body.entry()]);
    for (at, &param) in body.params().iter().enumerate().filter(|(_, param)| varies[**param]) {
        let (first, step) = (both[param][0], body.param_facts[at].stride?);
        both[param][1] = following(b, first, step);
    }
    for &block in blocks {
        b.switch_to(made[block]);
        for inst in body.blocks[block].insts.iter().map(|&id| &body.insts[id]) {
            b.loc = inst.loc;
            if inst.op.is_terminator() {
                let args: Vec<Value> = inst.args.iter().map(|&arg| both[arg][0]).collect();
                let targets = inst.targets.iter().map(|target| {
                    let params = &body.blocks[target.block].params;
                    let given = target.args.iter().zip(params).flat_map(|(&arg, &param)| {
                        let items = if varies[param] { ITEMS } else { 1 };
                        both[arg].into_iter().take(items.into())
                    });
                    Target::new(made[target.block], &given.collect::<Vec<Value>>())
                });
                let targets = targets.collect();
                b.inst(inst.op, inst.ty, &args, inst.attr.clone(), targets);
                continue;
            }
            let mut copy = |item: usize| {
                let args: Vec<Value> = inst.args.iter().map(|&arg| both[arg][item]).collect();
                let id = b.inst(inst.op, inst.ty, &args, inst.attr.clone(), Vec::new());
                b.func.insts[id].result
            };
            let first = copy(0);
            let second = if differs(inst, &varies) { copy(1) } else { first };
            if let (Some(result), Some(first), Some(second)) = (inst.result, first, second) {
                both[result] = [first, second];
            }
        }
    }
    Some(func)
}

/// A parameter of the item that follows.
fn following(b: &mut Builder<'_>, first: Value, step: u32) -> Value {
    let ty = b.func.ty(first);
    if ty.kind.is_ptr() {
        return b.ptr_offset(first, step.into());
    }
    let step = b.iconst(ty, step.into());
    b.same(Op::Iadd, &[first, step])
}

/// Whether an instruction is done for each of them.
fn differs(inst: &Inst, varies: &IdMap<Value, bool>) -> bool {
    inst.args.iter().any(|&arg| varies[arg])
}

/// Which values the items have of their own; none if they may go different ways by them, or if there is something that is
/// not done twice.
fn varying(body: &Function, blocks: &[Block]) -> Option<IdMap<Value, bool>> {
    let mut varies = IdMap::with_len(false, body.values.len());
    for (at, &param) in body.params().iter().enumerate() {
        let facts = body.param_facts.get(at).copied().unwrap_or_default();
        varies[param] = facts.stride? != 0;
    }
    for _ in 0..SWEEPS {
        let mut has_changed = false;
        for &block in blocks {
            for inst in body.blocks[block].insts.iter().map(|&id| &body.insts[id]) {
                let is_done = inst.op.effect() == Effect::Pure
                    || matches!(inst.op, Op::Jump | Op::BrIf | Op::Switch | Op::Ret)
                    || matches!(inst.op, Op::Load | Op::Store) && !inst.is_volatile();
                let differs = differs(inst, &varies);
                if !is_done || differs && inst.op.is_terminator() {
                    return None;
                }
                if let Some(result) = inst.result.filter(|&result| differs && !varies[result]) {
                    (varies[result], has_changed) = (true, true);
                }
                for target in &inst.targets {
                    for (&arg, &param) in target.args.iter().zip(&body.blocks[target.block].params) {
                        if varies[arg] && !varies[param] {
                            (varies[param], has_changed) = (true, true);
                        }
                    }
                }
            }
        }
        if !has_changed {
            return Some(varies);
        }
    }
    None
}
