//! Which loops are run in lockstep.

use smallvec::SmallVec;

use super::super::rematerialize;
use super::super::uniformity::Uniformity;
use super::affine::{self, Across};
use crate::ir::analysis::{Cfg, DomTree, LoopId, Loops};
use crate::ir::interp::signed;
use crate::ir::{Block, Def, Effect, Function, Inst, IntCond, Kind, Op, Query, Value};
use crate::passes::alias::change;
use crate::passes::loop_variant::LoopVariant;
use crate::support::{FastMap, FastSet};

/// Instructions that such a loop has at most.
const MOST: usize = 400;

/// Bytes that each item may keep from turn to turn.
const MOST_KEPT: u32 = 32;

/// What neighbouring items may be apart, and how many times that a constant step must be.
const FARTHEST: i64 = 16;
const LEAST_STEP: u64 = 16;

/// Operations that a bound or a step is made of in each turn.
const MOST_OPERATIONS: usize = 16;

/// A loop to be run in lockstep.
pub(super) struct ImplicitBarrierLoop {
    pub header: Block,
    /// The block that leads there.
    pub before: Block,
    /// In an order in which definitions come before uses, the header first.
    pub blocks: Vec<Block>,
    /// What becomes of the header's parameters.
    pub params: Vec<Next>,
    pub ways_out: Vec<WayOut>,
    /// Where all ways out lead, if nothing of the loop is used there.
    pub behind: Option<Block>,
    /// The parameters that ways out count by.
    pub counters: Vec<Counter>,
    /// What is the same for all items, for values that were there before.
    pub uniform: Uniformity,
    /// The dimension that must have some items, if no counter asks for them.
    pub across: Option<u8>,
}

/// What a header parameter is in the next turn.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Next {
    /// What it was.
    Same,
    /// More by a step that is the same for all turns and items, modulo the parameter's width.
    Step(Value),
    /// Anything.
    Other,
}

/// Where a turn may end the loop.
#[derive(Clone, Copy, Debug)]
pub(super) struct WayOut {
    pub block: Block,
    /// The target that stays.
    pub stays: usize,
    /// The parameter that is compared.
    pub param: usize,
    /// How it is read.
    pub is_signed: bool,
    /// The condition to stay, with the parameter on the left: less, or not more.
    pub cond: IntCond,
    pub bound: Value,
}

/// A parameter that decides how many turns there are.
#[derive(Clone, Copy, Debug)]
pub(super) struct Counter {
    pub param: usize,
    pub is_signed: bool,
    pub across: Across,
    /// Nothing happens in a turn before its ways out.
    pub is_early: bool,
}

/// The edge to a block.
pub(super) fn edge(func: &Function, from: Block, to: Block) -> &[Value] {
    func.terminator(from).targets.iter().find(|target| target.block == to).map_or(&[], |target| &target.args)
}

/// Loops that look like it: one way in, one latch, and a comparison of something that goes in steps with something else.
pub(super) fn strided(func: &Function, loops: &Loops, cfg: &Cfg, done: &FastSet<Block>) -> Vec<LoopId> {
    let asks =
        |inst: &Inst| inst.op == Op::WorkItem && matches!(inst.query().0, Query::GlobalId | Query::LocalId);
    if !loops.is_reducible() || loops.ids().next().is_none() || !func.instructions().any(asks) {
        return Vec::new();
    }
    let mut members: FastMap<LoopId, Vec<Block>> = FastMap::default();
    for &block in cfg.rpo() {
        loops.around(block).for_each(|id| members.entry(id).or_default().push(block));
    }
    let is_wanted = |&id: &LoopId| {
        let shape = LoopShape::of(func, loops, cfg, id, &members[&id]);
        !done.contains(&loops.get(id).header) && shape.is_some()
    };
    loops.ids().filter(is_wanted).collect()
}

/// What can be said of a loop without knowing what is the same for all items.
pub(super) struct LoopShape {
    pub header: Block,
    latch: Block,
    pub before: Block,
    pub blocks: Vec<Block>,
    inside: LoopVariant,
    pub params: Vec<Next>,
    pub ways_out: Vec<WayOut>,
}

impl LoopShape {
    pub fn of(func: &Function, loops: &Loops, cfg: &Cfg, id: LoopId, blocks: &[Block]) -> Option<LoopShape> {
        let header = loops.get(id).header;
        let [latch] = loops.get(id).latches[..] else { return None };
        let outside: SmallVec<[Block; 2]> =
            cfg.preds(header).iter().copied().filter(|&pred| pred != latch).collect();
        let [before] = outside[..] else { return None };
        let leads_once = |block: Block| func.successors(block).filter(|&next| next == header).count() == 1;
        let size: usize = blocks.iter().map(|&block| func.blocks[block].insts.len()).sum();
        if size > MOST || !leads_once(latch) || !leads_once(before) || latch == before {
            return None;
        }
        let mut shape = LoopShape {
            header,
            latch,
            before,
            blocks: blocks.to_vec(),
            inside: LoopVariant::of(func, blocks),
            params: Vec::new(),
            ways_out: Vec::new(),
        };
        let next = edge(func, latch, header);
        let params = &func.blocks[header].params;
        shape.params = params.iter().zip(next).map(|(&param, &next)| shape.next(func, param, next)).collect();
        for &block in blocks {
            for (at, next) in func.successors(block).enumerate() {
                if !loops.contains(id, next) {
                    // Ways out of loops inside are not for every turn.
                    (loops.of(block) == Some(id)).then_some(())?;
                    let way_out = shape.way_out(func, block, at)?;
                    shape.ways_out.push(way_out);
                }
            }
        }
        (!shape.ways_out.is_empty()).then_some(shape)
    }

    fn next(&self, func: &Function, param: Value, next: Value) -> Next {
        if param == next {
            return Next::Same;
        }
        let Some(mut inst) = func.def_inst(next).filter(|inst| !inst.ty.is_vector()) else {
            return Next::Other;
        };
        // `i += get_global_size(0)` is computed in 64 bits.
        let is_param = |value: Value| {
            let inst = func.def_inst(value).filter(|inst| matches!(inst.op, Op::Sext | Op::Zext));
            value == param || inst.is_some_and(|inst| inst.args[0] == param)
        };
        if inst.op == Op::Trunc
            && let Some(sum) = func.def_inst(inst.args[0])
        {
            inst = sum;
        }
        let by = match inst.op {
            Op::Iadd if is_param(inst.args[0]) => inst.args[1],
            Op::Iadd if is_param(inst.args[1]) => inst.args[0],
            Op::PtrAdd if inst.args[0] == param => inst.args[1],
            _ => return Next::Other,
        };
        let mut budget = MOST_OPERATIONS;
        if self.inside.is_invariant(func, by, &mut budget) { Next::Step(by) } else { Next::Other }
    }

    /// How much more a value is in the next turn, if that is a constant.
    fn by_turn(&self, func: &Function, value: Value) -> Option<i64> {
        let known = |value: Value| {
            if !self.inside.contains(value) {
                return Some(0);
            }
            if let Def::Param(home, at) = func.values[value].def {
                let Next::Step(by) = *self.params.get(at as usize).filter(|_| home == self.header)? else {
                    return None;
                };
                return Some(signed(func.ty(by).kind.bits(), func.as_const(by)?));
            }
            let op = func.def_inst(value)?.op;
            matches!(op, Op::Iconst | Op::LocalAddr | Op::GlobalAddr | Op::WorkItem).then_some(0)
        };
        let mut budget = MOST_OPERATIONS;
        change(func, value, &known, &mut budget)
    }

    /// The way out by a target of a block.
    fn way_out(&self, func: &Function, block: Block, target: usize) -> Option<WayOut> {
        let last = func.terminator(block);
        let compared = func.def_inst(*last.args.first()?).filter(|inst| inst.op == Op::Icmp)?;
        if last.op != Op::BrIf || func.ty(compared.args[0]).is_vector() {
            return None;
        }
        let leaves = compared.int_cond();
        let cond = if target == 1 { leaves } else { negated(leaves) };
        [(cond, 0), (cond.swapped(), 1)].into_iter().find_map(|(cond, side)| {
            let is_less = matches!(cond, IntCond::Slt | IntCond::Sle | IntCond::Ult | IntCond::Ule);
            let (value, bound) = (compared.args[side], compared.args[1 - side]);
            let (param, is_signed) = match func.def_inst(value) {
                Some(inst) if matches!(inst.op, Op::Sext | Op::Zext) => (inst.args[0], inst.op == Op::Sext),
                _ => (value, matches!(cond, IntCond::Slt | IntCond::Sle)),
            };
            let Def::Param(home, at) = func.values[param].def else { return None };
            let goes = home == self.header && matches!(self.params[at as usize], Next::Step(_));
            let is_int = func.ty(param).kind.is_int() && func.ty(param).bits() >= 16;
            let mut budget = MOST_OPERATIONS;
            let found = WayOut { block, stays: 1 - target, param: at as usize, is_signed, cond, bound };
            (is_less && goes && is_int && self.inside.is_invariant(func, bound, &mut budget)).then_some(found)
        })
    }

    /// Blocks of ways out before which nothing happens in a turn.
    fn early(&self, func: &Function) -> FastSet<Block> {
        let mut early = FastSet::default();
        let mut block = self.header;
        let is_pure = |block: Block| {
            let insts = &func.blocks[block].insts;
            insts.iter().all(|&id| matches!(func.insts[id].op.effect(), Effect::Pure | Effect::End))
        };
        while is_pure(block)
            && let Some(way) = self.ways_out.iter().find(|way| way.block == block)
            && early.insert(block)
        {
            block = func.terminator(block).targets[way.stays].block;
        }
        early
    }

    /// Whether something in memory is at hand that is a few bytes further for the next item.
    fn moves(&self, func: &Function, params: &[Value]) -> bool {
        let mut moving: FastSet<Value> = params.iter().copied().collect();
        for &id in self.blocks.iter().flat_map(|&block| &func.blocks[block].insts) {
            let inst = &func.insts[id];
            let Some(&first) = inst.args.first() else { continue };
            let moves = |at: usize| inst.args.get(at).is_some_and(|arg| moving.contains(arg));
            let is_const = |at: usize| func.as_const(inst.args[at]).is_some();
            let goes_on = match inst.op {
                Op::Iadd | Op::Isub | Op::PtrAdd => moves(0) || moves(1),
                Op::Sext | Op::Zext | Op::Trunc => moves(0),
                Op::Imul => moves(0) && is_const(1) || moves(1) && is_const(0),
                Op::Shl => moves(0) && is_const(1),
                Op::Load | Op::Store | Op::AtomicRmw => {
                    let is_far = matches!(func.ty(first).kind, Kind::PtrGlobal | Kind::PtrConstant);
                    if is_far && moving.contains(&first) {
                        return true;
                    }
                    false
                }
                _ => false,
            };
            moving.extend(inst.result.filter(|_| goes_on));
        }
        false
    }
}

fn negated(cond: IntCond) -> IntCond {
    match cond {
        IntCond::Eq => IntCond::Ne,
        IntCond::Ne => IntCond::Eq,
        IntCond::Slt => IntCond::Sge,
        IntCond::Sle => IntCond::Sgt,
        IntCond::Sgt => IntCond::Sle,
        IntCond::Sge => IntCond::Slt,
        IntCond::Ult => IntCond::Uge,
        IntCond::Ule => IntCond::Ugt,
        IntCond::Ugt => IntCond::Ule,
        IntCond::Uge => IntCond::Ult,
    }
}

/// The function around loops, and what is known of it.
pub(super) struct LoopContext<'a> {
    pub func: &'a Function,
    pub cfg: &'a Cfg,
    pub dom: &'a DomTree,
    pub loops: &'a Loops,
    pub uniform: &'a Uniformity,
}

impl LoopContext<'_> {
    /// The outermost of these loops that gains; those that do not are done.
    pub(super) fn outermost(
        &self,
        strided: &[LoopId],
        done: &mut FastSet<Block>,
    ) -> Option<ImplicitBarrierLoop> {
        for &id in strided {
            let gains = |&inner: &LoopId| {
                self.loops.contains(id, self.loops.get(inner).header)
                    && self.shape(inner).is_some_and(|s| self.gains(&s))
            };
            if let Some(found) = self.find(id)
                && strided.iter().any(gains)
            {
                return Some(found);
            }
            done.insert(self.loops.get(id).header);
        }
        None
    }

    fn shape(&self, id: LoopId) -> Option<LoopShape> {
        let inside = |&block: &Block| self.loops.contains(id, block);
        let blocks: Vec<Block> = self.cfg.rpo().iter().copied().filter(inside).collect();
        LoopShape::of(self.func, self.loops, self.cfg, id, &blocks)
    }

    /// Whether neighbouring items are close to each other and turns far apart.
    fn gains(&self, shape: &LoopShape) -> bool {
        let starts = edge(self.func, shape.before, shape.header);
        let is_near = |way: &&WayOut| {
            let Next::Step(by) = shape.params[way.param] else { return false };
            let across = affine::across(self.func, self.uniform, starts[way.param]);
            let Some(Across::Step(_, _, step)) = across else { return false };
            let is_far = self.func.as_const(by).is_none_or(|by| by >= LEAST_STEP * step.unsigned_abs());
            (1..=FARTHEST).contains(&step) && is_far
        };
        let params = &self.func.blocks[shape.header].params;
        let near: Vec<Value> = shape.ways_out.iter().filter(is_near).map(|way| params[way.param]).collect();
        !near.is_empty() && shape.moves(self.func, &near) || self.sweeps(shape).is_some()
    }

    /// The dimension of the items that are side by side in memory, if turns that all of them take alike are far apart there:
    /// `in[k * 128 + get_local_id(0)]`. Nothing but what the turn says may go from one to the next.
    fn sweeps(&self, shape: &LoopShape) -> Option<u8> {
        let func = self.func;
        let along = |inst: &Inst| {
            let is_far = matches!(inst.op, Op::Load | Op::Store)
                && matches!(func.ty(inst.args[0]).kind, Kind::PtrGlobal | Kind::PtrConstant);
            is_far.then_some(())?;
            let Across::Step(_, dim, by) = affine::across(func, self.uniform, inst.args[0])? else {
                return None;
            };
            let turn = shape.by_turn(func, inst.args[0])?;
            let is_near = (1..=FARTHEST as u64).contains(&by.unsigned_abs());
            (is_near && turn.unsigned_abs() >= LEAST_STEP * by.unsigned_abs()).then_some(dim)
        };
        if shape.params.contains(&Next::Other) {
            return None;
        }
        let mut insts = shape.blocks.iter().flat_map(|&block| &func.blocks[block].insts);
        let dim = insts.find_map(|&id| along(&func.insts[id]))?;
        (self.kept(shape) == 0).then_some(dim)
    }

    /// Whether a loop is one of those, and can be run in lockstep.
    pub(super) fn is_swept(&self, id: LoopId) -> bool {
        self.shape(id).is_some_and(|shape| self.sweeps(&shape).is_some()) && self.find(id).is_some()
    }

    fn find(&self, id: LoopId) -> Option<ImplicitBarrierLoop> {
        let (func, uniform) = (self.func, self.uniform);
        let shape = self.shape(id)?;
        let last = func.terminator(shape.before);
        let comes_together = uniform.blocks[shape.before] && last.args.iter().all(|&arg| uniform.values[arg]);
        let every_turn = |way: &WayOut| self.dom.dominates(way.block, shape.latch);
        if !comes_together || !shape.ways_out.iter().all(every_turn) || !self.may_turn(&shape) {
            return None;
        }
        let is_uniform = |value: Value| uniform.values[value];
        let steps = shape.params.iter().all(|next| !matches!(next, Next::Step(by) if !is_uniform(*by)));
        if !steps || !shape.ways_out.iter().all(|way| is_uniform(way.bound)) || self.kept(&shape) > MOST_KEPT
        {
            return None;
        }
        let starts = edge(func, shape.before, shape.header);
        let early = shape.early(func);
        let mut counters: Vec<Counter> = Vec::new();
        for way in &shape.ways_out {
            if let Some(known) = counters.iter().find(|counter| counter.param == way.param) {
                (known.is_signed == way.is_signed).then_some(())?;
                continue;
            }
            let across = affine::across(func, uniform, starts[way.param])?;
            let is_near = matches!(across, Across::Same | Across::Step(_, _, 1..=FARTHEST));
            is_near.then_some(())?;
            let mut ways = shape.ways_out.iter().filter(|other| other.param == way.param);
            let is_early = ways.all(|way| early.contains(&way.block));
            counters.push(Counter { param: way.param, is_signed: way.is_signed, across, is_early });
        }
        let steps = |counter: &Counter| counter.across != Across::Same;
        let across = if counters.iter().any(steps) { None } else { Some(self.sweeps(&shape)?) };
        let behind = self.behind(&shape);
        let LoopShape { header, before, blocks, params, ways_out, .. } = shape;
        let uniform = uniform.clone();
        Some(ImplicitBarrierLoop {
            header,
            before,
            blocks,
            params,
            ways_out,
            behind,
            counters,
            uniform,
            across,
        })
    }

    /// Where all ways out lead, if nothing of the loop is used there.
    fn behind(&self, shape: &LoopShape) -> Option<Block> {
        let func = self.func;
        let target = |way: &WayOut| &func.terminator(way.block).targets[1 - way.stays];
        let first = target(shape.ways_out.first()?);
        let is_one = shape.ways_out.iter().all(|way| target(way).block == first.block);
        let members: FastSet<Block> = shape.blocks.iter().copied().collect();
        let outside = self.cfg.rpo().iter().filter(|block| !members.contains(block));
        let mut uses =
            outside.flat_map(|&block| &func.blocks[block].insts).flat_map(|&id| func.insts[id].uses());
        let is_free = func.blocks[first.block].params.is_empty();
        (is_one && is_free && !uses.any(|value| shape.inside.contains(value))).then_some(first.block)
    }

    /// Bytes that each item keeps from one turn to the next.
    fn kept(&self, shape: &LoopShape) -> u32 {
        let func = self.func;
        let mut seen = FastSet::default();
        let mut bytes = 0;
        let mut keep = |value: Value| {
            if seen.insert(value) && !self.uniform.values[value] {
                bytes += func.ty(value).bytes();
            }
        };
        let params = &func.blocks[shape.header].params;
        for (&param, next) in params.iter().zip(&shape.params) {
            if *next == Next::Other {
                keep(param);
            }
        }
        let starts = edge(func, shape.before, shape.header).iter().copied();
        let insts = shape.blocks.iter().flat_map(|&block| &func.blocks[block].insts);
        for value in insts.flat_map(|&id| func.insts[id].uses()).chain(starts) {
            if !shape.inside.contains(value) && !rematerialize::is_cheap(func, value) {
                keep(value);
            }
        }
        // What is there before the loop and used behind it.
        let mut before = FastSet::default();
        for &block in self.cfg.rpo().iter().filter(|&&block| self.dom.dominates(block, shape.before)) {
            let data = &func.blocks[block];
            before.extend(data.params.iter().copied());
            before.extend(data.insts.iter().filter_map(|&id| func.insts[id].result));
        }
        let later = self.cfg.rpo().iter().filter(|&&block| !self.dom.dominates(block, shape.header));
        for value in later.flat_map(|&block| &func.blocks[block].insts).flat_map(|&id| func.insts[id].uses())
        {
            if before.contains(&value) && !rematerialize::is_cheap(func, value) {
                keep(value);
            }
        }
        bytes
    }

    /// Whether no item sees in which order others do what is in a loop.
    fn may_turn(&self, shape: &LoopShape) -> bool {
        let func = self.func;
        let mut used = FastSet::default();
        let mut results = FastSet::default();
        for &id in shape.blocks.iter().flat_map(|&block| &func.blocks[block].insts) {
            let inst = &func.insts[id];
            let is_shared = |ptr: Value| {
                matches!(func.ty(ptr).kind, Kind::PtrGlobal | Kind::PtrConstant | Kind::PtrLocal)
            };
            let may = match inst.op {
                Op::Load | Op::Store => is_shared(inst.args[0]) && !inst.is_volatile(),
                Op::AtomicRmw => {
                    results.extend(inst.result);
                    is_shared(inst.args[0])
                }
                Op::ImageLoad | Op::ImageStore => true,
                Op::Jump | Op::BrIf | Op::Switch => true,
                op => op.effect() == Effect::Pure,
            };
            if !may {
                return false;
            }
            used.extend(inst.uses());
        }
        // Behind the loop, too, nobody may look at them.
        results.is_empty() || {
            let all = func.instructions().flat_map(Inst::uses);
            used.is_disjoint(&results) && !all.into_iter().any(|value| results.contains(&value))
        }
    }
}
