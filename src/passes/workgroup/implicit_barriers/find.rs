//! Selection of the loops that get implicit barriers.

use super::super::rematerialize;
use super::super::uniformity::Uniformity;
use super::affine::{self, ItemStride};
use crate::alias::change;
use crate::loop_variant::LoopVariant;
use grus_ir::analysis::{Cfg, DomTree, LoopId, Loops, SimpleLoop};
use grus_ir::interp::signed;
use grus_ir::{Block, Def, Effect, Function, Inst, IntCond, Kind, Op, Query, Rmw, Value};
use grus_support::{FastMap, FastSet};

/// Maximum size of such a loop in instructions.
// Arbitrary.
const MAX_LOOP_SIZE: usize = 400;

/// Maximum size in bytes of the values that each work-item carries from iteration to iteration.
// Arbitrary.
const MAX_CARRIED_BYTES: u32 = 32;

/// Maximum distance in bytes or elements between consecutive work-items, and the minimum ratio of a constant
/// step to it.
// Arbitrary.
const MAX_ITEM_STRIDE: i64 = 16;
const MIN_STRIDE_RATIO: u64 = 16;

/// Maximum number of operations that compute a bound or a step in each iteration.
// Arbitrary.
const MAX_OPERATIONS: usize = 16;

/// A loop that gets implicit barriers.
pub(super) struct ImplicitBarrierLoop {
    pub shape: SimpleLoop,
    /// Blocks in an order in which definitions precede uses, the header first.
    pub blocks: Vec<Block>,
    /// Values of the header's parameters in the next iteration.
    pub params: Vec<Next>,
    pub exits: Vec<LoopExit>,
    /// Target of all exits, if no value of the loop is used outside of it.
    pub exit_block: Option<Block>,
    /// Parameters that exit conditions compare.
    pub counters: Vec<Counter>,
    /// Uniformity of the values that existed before the pass.
    pub uniform: Uniformity,
    /// Dimension in which a minimum number of work-items is required, if no counter requires it.
    pub required_dim: Option<u8>,
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
pub(super) struct LoopExit {
    pub block: Block,
    /// Index of the target inside the loop.
    pub stay_target: usize,
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
    pub item_stride: ItemStride,
    /// True if an iteration has no effect before the exits that compare it.
    pub is_early: bool,
}

/// Returns the loops of a suitable form: one entry edge, one latch, and exits that compare an affine
/// parameter with a loop-invariant bound.
pub(super) fn candidates(func: &Function, loops: &Loops, cfg: &Cfg, done: &FastSet<Block>) -> Vec<LoopId> {
    let queries_id =
        |inst: &Inst| inst.op == Op::WorkItem && matches!(inst.query().0, Query::GlobalId | Query::LocalId);
    if !loops.is_reducible() || loops.ids().next().is_none() || !func.instructions().any(queries_id) {
        return Vec::new();
    }
    let mut members: FastMap<LoopId, Vec<Block>> = FastMap::default();
    for &block in cfg.rpo() {
        loops.around(block).for_each(|id| members.entry(id).or_default().push(block));
    }
    let is_candidate = |&id: &LoopId| {
        let candidate = CandidateLoop::of(func, loops, cfg, id, &members[&id]);
        !done.contains(&loops.get(id).header) && candidate.is_some()
    };
    loops.ids().filter(is_candidate).collect()
}

/// Properties of a loop that do not need uniformity analysis.
pub(super) struct CandidateLoop {
    pub shape: SimpleLoop,
    pub blocks: Vec<Block>,
    inside: LoopVariant,
    pub params: Vec<Next>,
    pub exits: Vec<LoopExit>,
}

impl CandidateLoop {
    pub fn of(
        func: &Function,
        loops: &Loops,
        cfg: &Cfg,
        id: LoopId,
        blocks: &[Block],
    ) -> Option<CandidateLoop> {
        let shape = loops.simple(func, cfg, id)?;
        let size: usize = blocks.iter().map(|&block| func.blocks[block].insts.len()).sum();
        if size > MAX_LOOP_SIZE {
            return None;
        }
        let mut candidate = CandidateLoop {
            shape,
            blocks: blocks.to_vec(),
            inside: LoopVariant::of(func, blocks),
            params: Vec::new(),
            exits: Vec::new(),
        };
        let params = &func.blocks[shape.header].params;
        candidate.params = params
            .iter()
            .zip(shape.nexts(func))
            .map(|(&param, &next)| candidate.next(func, param, next))
            .collect();
        for &block in blocks {
            for (at, next) in func.successors(block).enumerate() {
                if !loops.contains(id, next) {
                    // An exit from an inner loop does not belong to every iteration.
                    (loops.of(block) == Some(id)).then_some(())?;
                    let exit = candidate.exit(func, block, at)?;
                    candidate.exits.push(exit);
                }
            }
        }
        (!candidate.exits.is_empty()).then_some(candidate)
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
        let mut budget = MAX_OPERATIONS;
        if self.inside.is_invariant(func, by, &mut budget) { Next::Step(by) } else { Next::Other }
    }

    /// Returns the difference of a value between iterations if it is a constant.
    fn iteration_stride(&self, func: &Function, value: Value) -> Option<i64> {
        let known = |value: Value| {
            if !self.inside.contains(value) {
                return Some(0);
            }
            if let Def::Param(home, at) = func.values[value].def {
                let Next::Step(by) = *self.params.get(at as usize).filter(|_| home == self.shape.header)?
                else {
                    return None;
                };
                return Some(signed(func.ty(by).kind.bits(), func.as_const(by)?));
            }
            let op = func.def_inst(value)?.op;
            matches!(op, Op::Iconst | Op::LocalAddr | Op::GlobalAddr | Op::WorkItem).then_some(0)
        };
        let mut budget = MAX_OPERATIONS;
        change(func, value, &known, &mut budget)
    }

    /// Returns the exit by one target of a block.
    fn exit(&self, func: &Function, block: Block, target: usize) -> Option<LoopExit> {
        let last = func.terminator(block);
        let compared = func.def_inst(*last.args.first()?).filter(|inst| inst.op == Op::Icmp)?;
        if last.op != Op::BrIf || func.ty(compared.args[0]).is_vector() {
            return None;
        }
        let leaves = compared.int_cond();
        let cond = if target == 1 { leaves } else { leaves.negated() };
        [(cond, 0), (cond.swapped(), 1)].into_iter().find_map(|(cond, side)| {
            let is_less = matches!(cond, IntCond::Slt | IntCond::Sle | IntCond::Ult | IntCond::Ule);
            let (value, bound) = (compared.args[side], compared.args[1 - side]);
            let (param, is_signed) = match func.def_inst(value) {
                Some(inst) if matches!(inst.op, Op::Sext | Op::Zext) => (inst.args[0], inst.op == Op::Sext),
                _ => (value, matches!(cond, IntCond::Slt | IntCond::Sle)),
            };
            let Def::Param(home, at) = func.values[param].def else { return None };
            let is_stepped = home == self.shape.header && matches!(self.params[at as usize], Next::Step(_));
            let is_int = func.ty(param).kind.is_int() && func.ty(param).bits() >= 16;
            let mut budget = MAX_OPERATIONS;
            let found =
                LoopExit { block, stay_target: 1 - target, param: at as usize, is_signed, cond, bound };
            (is_less && is_stepped && is_int && self.inside.is_invariant(func, bound, &mut budget))
                .then_some(found)
        })
    }

    /// Returns the blocks of exits before which an iteration has no effect.
    fn early_exits(&self, func: &Function) -> FastSet<Block> {
        let mut early_exits = FastSet::default();
        let mut block = self.shape.header;
        let is_pure = |block: Block| {
            let insts = &func.blocks[block].insts;
            insts.iter().all(|&id| matches!(func.insts[id].op.effect(), Effect::Pure | Effect::End))
        };
        while is_pure(block)
            && let Some(exit) = self.exits.iter().find(|exit| exit.block == block)
            && early_exits.insert(block)
        {
            block = func.terminator(block).targets[exit.stay_target].block;
        }
        early_exits
    }

    /// Checks whether an access moves by a few bytes from one work-item to the next.
    fn accesses_neighbors(&self, func: &Function, params: &[Value]) -> bool {
        let mut affine_values: FastSet<Value> = params.iter().copied().collect();
        for &id in self.blocks.iter().flat_map(|&block| &func.blocks[block].insts) {
            let inst = &func.insts[id];
            let Some(&first) = inst.args.first() else { continue };
            let has_affine_arg = |at: usize| inst.args.get(at).is_some_and(|arg| affine_values.contains(arg));
            let is_const = |at: usize| func.as_const(inst.args[at]).is_some();
            let is_affine = match inst.op {
                Op::Iadd | Op::Isub | Op::PtrAdd => has_affine_arg(0) || has_affine_arg(1),
                Op::Sext | Op::Zext | Op::Trunc => has_affine_arg(0),
                Op::Imul => has_affine_arg(0) && is_const(1) || has_affine_arg(1) && is_const(0),
                Op::Shl => has_affine_arg(0) && is_const(1),
                Op::Load | Op::Store | Op::AtomicRmw => {
                    let is_global = matches!(func.ty(first).kind, Kind::PtrGlobal | Kind::PtrConstant);
                    if is_global && affine_values.contains(&first) {
                        return true;
                    }
                    false
                }
                _ => false,
            };
            affine_values.extend(inst.result.filter(|_| is_affine));
        }
        false
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
        candidates: &[LoopId],
        done: &mut FastSet<Block>,
    ) -> Option<ImplicitBarrierLoop> {
        for &id in candidates {
            let is_profitable = |&inner: &LoopId| {
                self.loops.contains(id, self.loops.get(inner).header)
                    && self.candidate(inner).is_some_and(|s| self.is_profitable(&s))
            };
            if let Some(found) = self.find(id)
                && candidates.iter().any(is_profitable)
            {
                return Some(found);
            }
            done.insert(self.loops.get(id).header);
        }
        None
    }

    fn candidate(&self, id: LoopId) -> Option<CandidateLoop> {
        let inside = |&block: &Block| self.loops.contains(id, block);
        let blocks: Vec<Block> = self.cfg.rpo().iter().copied().filter(inside).collect();
        CandidateLoop::of(self.func, self.loops, self.cfg, id, &blocks)
    }

    /// Checks whether consecutive work-items access nearby memory and consecutive iterations distant memory.
    fn is_profitable(&self, candidate: &CandidateLoop) -> bool {
        let starts = candidate.shape.starts(self.func);
        let is_near = |exit: &&LoopExit| {
            let Next::Step(by) = candidate.params[exit.param] else { return false };
            let item_stride = affine::item_stride(self.func, self.uniform, starts[exit.param]);
            let Some(ItemStride::Step(_, _, step)) = item_stride else { return false };
            let is_distant =
                self.func.as_const(by).is_none_or(|by| by >= MIN_STRIDE_RATIO * step.unsigned_abs());
            (1..=MAX_ITEM_STRIDE).contains(&step) && is_distant
        };
        let params = &self.func.blocks[candidate.shape.header].params;
        let near: Vec<Value> =
            candidate.exits.iter().filter(is_near).map(|exit| params[exit.param]).collect();
        !near.is_empty() && candidate.accesses_neighbors(self.func, &near)
            || self.swept_dimension(candidate).is_some()
    }

    /// Returns the dimension of the work-items that access consecutive memory, if iterations are uniform and
    /// access distant memory, as in `in[k * 128 + get_local_id(0)]`. Only the loop counter may be carried
    /// between iterations.
    fn swept_dimension(&self, candidate: &CandidateLoop) -> Option<u8> {
        let func = self.func;
        let along = |inst: &Inst| {
            let is_global = matches!(inst.op, Op::Load | Op::Store)
                && matches!(func.ty(inst.args[0]).kind, Kind::PtrGlobal | Kind::PtrConstant);
            is_global.then_some(())?;
            let ItemStride::Step(_, dim, by) = affine::item_stride(func, self.uniform, inst.args[0])? else {
                return None;
            };
            let iteration = candidate.iteration_stride(func, inst.args[0])?;
            let is_near = (1..=MAX_ITEM_STRIDE as u64).contains(&by.unsigned_abs());
            (is_near && iteration.unsigned_abs() >= MIN_STRIDE_RATIO * by.unsigned_abs()).then_some(dim)
        };
        if candidate.params.contains(&Next::Other) {
            return None;
        }
        let mut insts = candidate.blocks.iter().flat_map(|&block| &func.blocks[block].insts);
        let dim = insts.find_map(|&id| along(&func.insts[id]))?;
        (self.carried_bytes(candidate) == 0).then_some(dim)
    }

    /// Checks whether a loop has such uniform iterations and can get implicit barriers.
    pub(super) fn has_uniform_iterations(&self, id: LoopId) -> bool {
        self.candidate(id).is_some_and(|candidate| self.swept_dimension(&candidate).is_some())
            && self.find(id).is_some()
    }

    fn find(&self, id: LoopId) -> Option<ImplicitBarrierLoop> {
        let (func, uniform) = (self.func, self.uniform);
        let candidate = self.candidate(id)?;
        let last = func.terminator(candidate.shape.entering);
        let is_converged =
            uniform.blocks[candidate.shape.entering] && last.args.iter().all(|&arg| uniform.values[arg]);
        let in_every_iteration = |exit: &LoopExit| self.dom.dominates(exit.block, candidate.shape.latch);
        if !is_converged
            || !candidate.exits.iter().all(in_every_iteration)
            || !self.may_interleave(&candidate)
        {
            return None;
        }
        let is_uniform = |value: Value| uniform.values[value];
        let steps = candidate.params.iter().all(|next| !matches!(next, Next::Step(by) if !is_uniform(*by)));
        if !steps
            || !candidate.exits.iter().all(|exit| is_uniform(exit.bound))
            || self.carried_bytes(&candidate) > MAX_CARRIED_BYTES
        {
            return None;
        }
        let starts = candidate.shape.starts(func);
        let early_exits = candidate.early_exits(func);
        let mut counters: Vec<Counter> = Vec::new();
        for exit in &candidate.exits {
            if let Some(known) = counters.iter().find(|counter| counter.param == exit.param) {
                (known.is_signed == exit.is_signed).then_some(())?;
                continue;
            }
            let item_stride = affine::item_stride(func, uniform, starts[exit.param])?;
            let is_near =
                matches!(item_stride, ItemStride::Uniform | ItemStride::Step(_, _, 1..=MAX_ITEM_STRIDE));
            is_near.then_some(())?;
            let mut exits = candidate.exits.iter().filter(|other| other.param == exit.param);
            let is_early = exits.all(|exit| early_exits.contains(&exit.block));
            counters.push(Counter { param: exit.param, is_signed: exit.is_signed, item_stride, is_early });
        }
        let steps = |counter: &Counter| counter.item_stride != ItemStride::Uniform;
        let required_dim =
            if counters.iter().any(steps) { None } else { Some(self.swept_dimension(&candidate)?) };
        let exit_block = self.exit_block(&candidate);
        let CandidateLoop { shape, blocks, params, exits, .. } = candidate;
        let uniform = uniform.clone();
        Some(ImplicitBarrierLoop {
            shape,
            blocks,
            params,
            exits,
            exit_block,
            counters,
            uniform,
            required_dim,
        })
    }

    /// Returns the target of all exits, if no value of the loop is used outside of it.
    fn exit_block(&self, candidate: &CandidateLoop) -> Option<Block> {
        let func = self.func;
        let target = |exit: &LoopExit| &func.terminator(exit.block).targets[1 - exit.stay_target];
        let first = target(candidate.exits.first()?);
        let is_one = candidate.exits.iter().all(|exit| target(exit).block == first.block);
        let members: FastSet<Block> = candidate.blocks.iter().copied().collect();
        let outside = self.cfg.rpo().iter().filter(|block| !members.contains(block));
        let mut uses =
            outside.flat_map(|&block| &func.blocks[block].insts).flat_map(|&id| func.insts[id].uses());
        let is_free = func.blocks[first.block].params.is_empty();
        (is_one && is_free && !uses.any(|value| candidate.inside.contains(value))).then_some(first.block)
    }

    /// Returns the size in bytes of the values that each work-item carries between iterations.
    fn carried_bytes(&self, candidate: &CandidateLoop) -> u32 {
        let func = self.func;
        let mut seen = FastSet::default();
        let mut bytes = 0;
        let mut keep = |value: Value| {
            if seen.insert(value) && !self.uniform.values[value] {
                bytes += func.ty(value).bytes();
            }
        };
        let params = &func.blocks[candidate.shape.header].params;
        for (&param, next) in params.iter().zip(&candidate.params) {
            if *next == Next::Other {
                keep(param);
            }
        }
        let starts = candidate.shape.starts(func).iter().copied();
        let insts = candidate.blocks.iter().flat_map(|&block| &func.blocks[block].insts);
        for value in insts.flat_map(|&id| func.insts[id].uses()).chain(starts) {
            if !candidate.inside.contains(value) && !rematerialize::is_cheap(func, value) {
                keep(value);
            }
        }
        // Values defined before the loop and used after it need storage, too.
        let mut before = FastSet::default();
        for &block in
            self.cfg.rpo().iter().filter(|&&block| self.dom.dominates(block, candidate.shape.entering))
        {
            let data = &func.blocks[block];
            before.extend(data.params.iter().copied());
            before.extend(data.insts.iter().filter_map(|&id| func.insts[id].result));
        }
        let later =
            self.cfg.rpo().iter().filter(|&&block| !self.dom.dominates(block, candidate.shape.header));
        for value in later.flat_map(|&block| &func.blocks[block].insts).flat_map(|&id| func.insts[id].uses())
        {
            if before.contains(&value) && !rematerialize::is_cheap(func, value) {
                keep(value);
            }
        }
        bytes
    }

    /// Checks whether no work-item can observe the order in which others execute the loop.
    fn may_interleave(&self, candidate: &CandidateLoop) -> bool {
        let func = self.func;
        let mut used = FastSet::default();
        let mut results = FastSet::default();
        for &id in candidate.blocks.iter().flat_map(|&block| &func.blocks[block].insts) {
            let inst = &func.insts[id];
            let is_shared = |ptr: Value| {
                matches!(func.ty(ptr).kind, Kind::PtrGlobal | Kind::PtrConstant | Kind::PtrLocal)
            };
            let may = match inst.op {
                Op::Load | Op::Store => is_shared(inst.args[0]) && !inst.is_volatile(),
                // A sum depends on the order of its floating-point summands.
                Op::AtomicRmw => {
                    results.extend(inst.result);
                    is_shared(inst.args[0]) && inst.rmw() != Rmw::Fadd
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
