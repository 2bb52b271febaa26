//! Guards that neighbours mostly agree on have a way of their own for lanes that all go on.
//!
//! `if (id < n)` and the like part lanes in one row of many. What stands behind is written twice: once for all lanes, without
//! masks, to which they go if every one of them does, and once as it was.

use super::super::block_order::BlockOrder;
use super::super::calls::vectorized_functions::Callees;
use super::super::divergence::{Shapes, VectorShape};
use super::super::scalarize::Groups;
use crate::ir::analysis::{Cfg, DomTree};
use crate::ir::{Attr, Block, Effect, Function, InstId, Kind, Op, Target, Type, Value};
use crate::support::{FastMap, FastSet};

/// Branches that ask all lanes, and what is left for those that do not agree.
#[derive(Debug, Default)]
pub(in crate::passes::vectorize) struct Agreed {
    /// Blocks at whose end all lanes go one way: to the first target if that is true of the condition in all of them or in any.
    pub asks: FastMap<Block, Op>,
    /// Blocks that hardly ever run.
    pub rare: FastSet<Block>,
    /// Instructions that were written twice.
    size: usize,
}

/// Instructions behind a guard at most, and of all that is written twice.
pub(in crate::passes::vectorize) const MOST: usize = 400;

/// Accesses of memory behind a guard that make it worth it; a loop is, too.
const FEW: usize = 3;

impl Agreed {
    /// Whether so much more may be written twice.
    pub(in crate::passes::vectorize) fn has_room(&self, size: usize) -> bool {
        self.size + size <= MOST
    }

    /// Notes a question at the end of a block, where lanes go that do not agree, and what was written twice.
    pub(in crate::passes::vectorize) fn note(&mut self, block: Block, asks: Op, rest: Block, size: usize) {
        self.asks.insert(block, asks);
        self.rare.insert(rest);
        self.size += size;
    }
}

/// Whether an instruction may be written twice.
pub(in crate::passes::vectorize) fn may_copy(op: Op) -> bool {
    !matches!(op, Op::Alloca | Op::Call)
}

/// A branch whose way of that number is to be written again.
pub(in crate::passes::vectorize) struct Guard {
    block: Block,
    at: usize,
    region: GuardedRegion,
}

/// Writes what stands behind guards again. What is copied may hold further ones.
pub(in crate::passes::vectorize) fn run(
    func: &mut Function,
    guards: &[Guard],
    groups: &mut Groups,
    agreed: &mut Agreed,
) {
    for Guard { block, at, region } in guards {
        if agreed.rare.contains(block) || !agreed.has_room(region.size) {
            continue;
        }
        let start = copy(func, &region.blocks, &FastMap::default(), groups, agreed);
        let rest = ask(func, *block, *at, start);
        agreed.note(*block, if *at == 0 { Op::All } else { Op::Any }, rest, region.size);
        agreed.rare.extend(&region.blocks);
    }
}

/// Branches on what neighbours mostly agree on, to which all lanes come and of which it is not known what they do, if it is
/// worth it to write a way from there again. There is room for the first of them.
pub(in crate::passes::vectorize) fn guards(
    func: &Function,
    order: &BlockOrder,
    shapes: &Shapes<'_>,
    cfg: &Cfg,
    dom: &DomTree,
    agreed: &Agreed,
    callees: (&Callees, u16),
) -> Vec<Guard> {
    let is_guard = |&block: &Block| {
        let last = func.terminator(block);
        last.op == Op::BrIf
            && !agreed.rare.contains(&block)
            && !agreed.asks.contains_key(&block)
            && shapes.is_varying_branch(block)
            && !shapes.is_masked(block)
            && last.targets[0].block != last.targets[1].block
            && is_of_steps(func, shapes, block, last.args[0], 8)
    };
    let guard = |block: Block| {
        let mut regions = [0, 1].map(|at| region(func, order, cfg, dom, callees, block, at));
        let [first, other] = regions.each_ref().map(|region| region.as_ref().map_or(0, |region| region.size));
        let at = usize::from(other > first);
        let region = regions[at].take()?;
        (region.is_worth_it && agreed.has_room(region.size)).then_some(Guard { block, at, region })
    };
    order.blocks.iter().copied().filter(is_guard).filter_map(guard).collect()
}

/// Whether a condition compares nothing but numbers that go in steps.
fn is_of_steps(func: &Function, shapes: &Shapes<'_>, block: Block, value: Value, depth: u32) -> bool {
    if shapes.at(value, block).is_uniform() {
        return true;
    }
    let Some(inst) = func.def_inst(value).filter(|_| depth > 0) else { return false };
    let steps = |&arg: &Value| matches!(shapes.at(arg, block), VectorShape::Stride(_));
    match inst.op {
        Op::Icmp if func.ty(inst.args[0]).kind != Kind::I1 => inst.args.iter().all(steps),
        Op::Icmp | Op::And | Op::Or | Op::Xor | Op::Select if inst.ty.kind == Kind::I1 => {
            inst.args.iter().all(|&arg| is_of_steps(func, shapes, block, arg, depth - 1))
        }
        _ => false,
    }
}

/// What runs only behind one way out of a block.
struct GuardedRegion {
    /// In the order they run in.
    blocks: Vec<Block>,
    size: usize,
    is_worth_it: bool,
}

fn region(
    func: &Function,
    order: &BlockOrder,
    cfg: &Cfg,
    dom: &DomTree,
    callees: (&Callees, u16),
    block: Block,
    at: usize,
) -> Option<GuardedRegion> {
    let start = func.terminator(block).targets[at].block;
    if cfg.preds(start) != [block] {
        return None;
    }
    let mut region = GuardedRegion { blocks: Vec::new(), size: 0, is_worth_it: false };
    let mut work = vec![start];
    let mut accesses = 0;
    while let Some(block) = work.pop() {
        region.blocks.push(block);
        for &id in &func.blocks[block].insts {
            let inst = &func.insts[id];
            match inst.op {
                Op::Alloca => return None,
                // Lane by lane it is too much to be there twice.
                Op::Call if !callees.0.is_little(inst.callee(), callees.1) => return None,
                Op::Call => region.is_worth_it |= callees.0.may_be_wide(inst.callee()),
                op => accesses += usize::from(matches!(op.effect(), Effect::Read | Effect::Write)),
            }
        }
        region.size += func.blocks[block].insts.len();
        region.is_worth_it |= cfg.preds(block).iter().any(|&from| order.place(from) >= order.place(block));
        if region.size > MOST {
            return None;
        }
        work.extend(dom.children(block));
    }
    region.is_worth_it |= accesses >= FEW;
    region.blocks.sort_unstable_by_key(|&block| order.place(block));
    Some(region)
}

/// Copies a region, which leads to the same blocks outside, with other values in the place of some; gives its first block.
pub(in crate::passes::vectorize) fn copy(
    func: &mut Function,
    blocks: &[Block],
    others: &FastMap<Value, Value>,
    groups: &mut Groups,
    agreed: &mut Agreed,
) -> Block {
    let mut to: FastMap<Block, Block> = FastMap::default();
    let mut values: FastMap<Value, Value> = FastMap::default();
    for &block in blocks {
        let new = func.add_block();
        func.blocks[new].unroll = func.blocks[block].unroll;
        to.insert(block, new);
        for param in func.blocks[block].params.clone() {
            let ty = func.ty(param);
            values.insert(param, func.add_param(new, ty));
        }
    }
    let mut copies: FastMap<InstId, InstId> = FastMap::default();
    for &block in blocks {
        for id in func.blocks[block].insts.clone() {
            let inst = func.insts[id].clone();
            if let Some(result) = inst.result
                && let Some(&other) = others.get(&result)
            {
                values.insert(result, values.get(&other).copied().unwrap_or(other));
                continue;
            }
            let value = |value: &Value| values.get(value).copied().unwrap_or(*value);
            let args = inst.args.iter().map(value).collect();
            let target = |target: &Target| Target {
                block: to.get(&target.block).copied().unwrap_or(target.block),
                args: target.args.iter().map(value).collect(),
            };
            let targets = inst.targets.iter().map(target).collect();
            let new = func.make_inst(inst.op, inst.ty, args, inst.attr, targets, inst.loc);
            if let (Some(old), Some(new)) = (inst.result, func.insts[new].result) {
                values.insert(old, new);
            }
            func.blocks[to[&block]].insts.push(new);
            copies.insert(id, new);
        }
    }
    groups.copy(&copies);
    for (old, new) in &to {
        if let Some(&asks) = agreed.asks.get(old) {
            agreed.asks.insert(*new, asks);
        }
        if agreed.rare.contains(old) {
            agreed.rare.insert(*new);
        }
    }
    to[&blocks[0]]
}

/// Puts the question before a guard: whether all lanes go to its target of that number.
/// Gives the block with what was asked before.
fn ask(func: &mut Function, block: Block, at: usize, start: Block) -> Block {
    let rest = func.add_block();
    let last = func.blocks[block].insts.pop().expect("a terminator");
    func.blocks[rest].insts.push(last);
    let inst = &func.insts[last];
    let (on, loc) = (inst.args[0], inst.loc);
    let mut ways = vec![Target::new(start, &inst.targets[at].args), Target::new(rest, &[])];
    if at == 1 {
        ways.swap(0, 1);
    }
    let question = func.make_inst(Op::BrIf, Type::VOID, [on].as_slice().into(), Attr::None, ways, loc);
    func.blocks[block].insts.push(question);
    rest
}
