//! Selection of the loops that get implicit barriers.

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

/// Maximum size of such a loop in instructions. Arbitrary.
const MOST: usize = 400;

/// Maximum size in bytes of the values that each work-item carries from iteration to iteration. Arbitrary.
const MOST_KEPT: u32 = 32;

/// Maximum distance in bytes or elements between consecutive work-items, and the minimum ratio of a constant
/// step to it. Arbitrary.
const FARTHEST: i64 = 16;
const LEAST_STEP: u64 = 16;

/// Maximum number of operations that compute a bound or a step in each iteration. Arbitrary.
const MOST_OPERATIONS: usize = 16;

/// A loop that gets implicit barriers.
pub(super) struct ImplicitBarrierLoop {
    pub header: Block,
    /// Preheader, the only predecessor outside of the loop.
    pub before: Block,
    /// Blocks in an order in which definitions precede uses, the header first.
    pub blocks: Vec<Block>,
    /// Values of the header's parameters in the next iteration.
    pub params: Vec<Next>,
    pub ways_out: Vec<WayOut>,
    /// Target of all exits, if no value of the loop is used outside of it.
    pub behind: Option<Block>,
    /// Parameters that exit conditions compare.
    pub counters: Vec<Counter>,
    /// Uniformity of the values that existed before the pass.
    pub uniform: Uniformity,
    /// Dimension in which a minimum number of work-items is required, if no counter requires it.
    pub across: Option<u8>,
}

/// Value of a header parameter in the next iteration.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Next {
    /// The unchanged value.
    Same,
    /// The value plus a step that is uniform and loop-invariant, modulo the parameter's width.
    Step(Value),
    /// Any other value.
    Other,
}

/// An exit of the loop.
#[derive(Clone, Copy, Debug)]
pub(super) struct WayOut {
    pub block: Block,
    /// Index of the target inside the loop.
    pub stays: usize,
    /// Index of the compared header parameter.
    pub param: usize,
    /// True if the parameter is compared as a signed number.
    pub is_signed: bool,
    /// Condition to stay in the loop, with the parameter on the left: less, or less or equal.
    pub cond: IntCond,
    pub bound: Value,
}

/// A parameter that determines the number of iterations.
#[derive(Clone, Copy, Debug)]
pub(super) struct Counter {
    pub param: usize,
    pub is_signed: bool,
    pub across: Across,
    /// True if an iteration has no effect before the exits that compare it.
    pub is_early: bool,
}

/// Returns the arguments of the edge to a block.
pub(super) fn edge(func: &Function, from: Block, to: Block) -> &[Value] {
    func.terminator(from).targets.iter().find(|target| target.block == to).map_or(&[], |target| &target.args)
}

/// Returns the loops of a suitable form: one entry edge, one latch, and exits that compare an affine
/// parameter with a loop-invariant bound.
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

/// Properties of a loop that do not need uniformity analysis.
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
                    // An exit from an inner loop does not belong to every iteration.
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
        // `i += get_global_size(0)` adds in 64 bits and truncates.
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

    /// Returns the difference of a value between iterations if it is a constant.
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

    /// Returns the exit by one target of a block.
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

    /// Returns the blocks of exits before which an iteration has no effect.
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

    /// Checks whether an access moves by a few bytes from one work-item to the next.
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

/// A function with its loops and analyses.
pub(super) struct LoopContext<'a> {
    pub func: &'a Function,
    pub cfg: &'a Cfg,
    pub dom: &'a DomTree,
    pub loops: &'a Loops,
    pub uniform: &'a Uniformity,
}

impl LoopContext<'_> {
    /// Returns the outermost of these loops for which the transformation is profitable; adds the others to
    /// `done`.
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

    /// Checks whether consecutive work-items access nearby memory and consecutive iterations distant memory.
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

    /// Returns the dimension of the work-items that access consecutive memory, if iterations are uniform and
    /// access distant memory, as in `in[k * 128 + get_local_id(0)]`. Only the loop counter may be carried
    /// between iterations.
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

    /// Checks whether a loop has such uniform iterations and can get implicit barriers.
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

    /// Returns the target of all exits, if no value of the loop is used outside of it.
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

    /// Returns the size in bytes of the values that each work-item carries between iterations.
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
        // Values defined before the loop and used after it need storage, too.
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

    /// Checks whether no work-item can observe the order in which others execute the loop.
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
        // The results of atomic operations must not be used after the loop either.
        results.is_empty() || {
            let all = func.instructions().flat_map(Inst::uses);
            used.is_disjoint(&results) && !all.into_iter().any(|value| results.contains(&value))
        }
    }
}
