//! Loop unrolling: loops with a small constant trip count become straight-line code, and outer loops are unrolled
//! on request.
//!
//! The trip count is found by evaluation: an exit that every iteration reaches, and whose condition depends only on
//! header parameters with constant initial values, is evaluated iteration by iteration until it is taken (as LLVM's
//! exhaustive exit count does). So any step works, not only `i++`. Each iteration becomes a copy in which those
//! parameters are constants and folded; the copy of the last one ends at the exit. The main purpose is arrays: with
//! constant indices they become registers (`promote` runs again).
//!
//! Innermost loops are unrolled first, in rounds. An outer loop is unrolled before its inner loops if the source
//! requests it and the nest would be too large otherwise ([`unroll_outer`]). Loops that contain a barrier or an
//! alloca are kept, as are loops with several exits if code after the loop uses one of its values directly. A hint
//! in the source (`unroll` of the header) raises the limits or forbids unrolling.

use smallvec::SmallVec;

use super::super::pass_manager::PassContext;
use super::replace::Replacements;
use grus_ir::analysis::{Cfg, DomTree, LoopId, Loops, SimpleLoop};
use grus_ir::interp::evaluate;
use grus_ir::{Attr, Block, Builder, Def, Effect, Function, Inst, InstId, Op, Target, Type, Value};
use grus_support::{FastMap, FastSet, IdMap};

/// Maximum number of loop levels that are unrolled.
// Arbitrary.
const MAX_ROUNDS: usize = 3;
/// Maximum number of instructions of all iterations of a loop, not counting those that fold away. A filter of 5 by
/// 5 is just unrolled.
// Source: a 5 by 5 image filter, 2026-11-22.
const MAX_SIZE: usize = 288;
/// Limit for loops that index a private array by a loop-variant value, because unrolling can turn the array into
/// registers.
// Arbitrary.
const MAX_SIZE_FOR_ARRAYS: usize = 640;
/// Limit for loops for which the source requests unrolling.
// Arbitrary.
const MAX_SIZE_IF_REQUESTED: usize = 4096;
/// Limit for an outer loop whose inner loops are not unrolled yet.
// Arbitrary.
const MAX_OUTER_SIZE: usize = 512;
/// Maximum number of outer loops that are examined.
// Arbitrary.
const MAX_OUTER_LOOPS: usize = 16;
/// Maximum number of instructions of a function whose outer loops are examined.
// Arbitrary.
const MAX_FUNCTION_SIZE_FOR_OUTER: usize = 10_000;
/// Number of instructions that unrolling may add to a function.
// Arbitrary.
const MAX_GROWTH: usize = 1024;
/// Divisor of a function's size that gives the number of instructions that may be added to a large function.
// Arbitrary.
const GROWTH_DIVISOR: usize = 8;
/// Number of instructions that may be added to turn arrays into registers.
// Arbitrary.
const MAX_GROWTH_FOR_ARRAYS: usize = 3072;
/// Number of instructions that may be added where the source requests unrolling.
// Arbitrary.
const MAX_GROWTH_IF_REQUESTED: usize = 8192;
/// Maximum number of operations that the condition and the parameters of the next iteration are computed from.
// Arbitrary.
const MAX_OPERATIONS: usize = 24;

/// Unrolls loops fully.
pub fn run(func: &mut Function, context: &mut PassContext<'_>) -> bool {
    unroll_except(func, context, &FastSet::default())
}

/// Unrolls loops fully, but for those with these headers.
pub fn unroll_except(func: &mut Function, context: &mut PassContext<'_>, excluded: &FastSet<Block>) -> bool {
    let mut growth =
        [MAX_GROWTH.max(func.size() / GROWTH_DIVISOR), MAX_GROWTH_FOR_ARRAYS, MAX_GROWTH_IF_REQUESTED];
    let mut changed = false;
    for _ in 0..MAX_ROUNDS {
        let loops = context.analyses.loops(func);
        if loops.ids().next().is_none() || !loops.is_reducible() {
            break;
        }
        let (cfg, dom) = (context.analyses.cfg(func), context.analyses.dominators(func));
        if !round(func, &cfg, &dom, &loops, excluded, &mut growth) {
            break;
        }
        changed = true;
        context.changed();
        context.analyses.pruned(func);
    }
    changed
}

/// Unrolls loops around innermost ones if the source requests it and the nest cannot be fully unrolled. Arrays that
/// the inner loops index by the outer induction variable become registers.
pub fn unroll_outer(func: &mut Function, context: &mut PassContext<'_>) -> bool {
    unroll_outer_except(func, context, &FastSet::default())
}

/// Unrolls such loops, but for those with these headers.
pub fn unroll_outer_except(
    func: &mut Function,
    context: &mut PassContext<'_>,
    excluded: &FastSet<Block>,
) -> bool {
    let mut changed = false;
    let mut budget = MAX_SIZE_IF_REQUESTED;
    // Loops are unrolled one at a time, because the loop analysis does not cover the copies.
    while let Some(size) = unroll_one_outer(func, context, excluded, budget) {
        budget -= size;
        changed = true;
        context.changed();
        context.analyses.pruned(func);
    }
    changed
}

/// Unrolls the first such loop. Returns the number of instructions of all its iterations.
fn unroll_one_outer(
    func: &mut Function,
    context: &mut PassContext<'_>,
    excluded: &FastSet<Block>,
    budget: usize,
) -> Option<usize> {
    let loops = context.analyses.loops(func);
    let is_requested =
        |id: LoopId| func.blocks[loops.get(id).header].unroll.is_some_and(|factor| factor != 1);
    let has_inner = loops.have_inner();
    let around = || loops.ids().filter(|&id| has_inner[id] && is_requested(id)).take(MAX_OUTER_LOOPS);
    if !loops.is_reducible() || around().next().is_none() || func.size() > MAX_FUNCTION_SIZE_FOR_OUTER {
        return None;
    }
    let (cfg, dom) = (context.analyses.cfg(func), context.analyses.dominators(func));
    let members = Members::of(func, &cfg, &loops);
    for id in around() {
        let inner: SmallVec<[LoopId; 4]> =
            loops.ids().filter(|&of| loops.get(of).parent == Some(id)).collect();
        if inner.iter().any(|&of| has_inner[of]) || excluded.contains(&loops.get(id).header) {
            continue;
        }
        let all = Members::of_nest(func, &cfg, &loops, id);
        let Some(plan) = UnrollPlan::of(func, &cfg, &dom, &loops, &all, id) else { continue };
        let Some(trip_count) = plan.trip_count(func, budget.min(MAX_OUTER_SIZE) / plan.size) else {
            continue;
        };
        let unrolled_size = inner.iter().try_fold(plan.size, |size, &of| {
            let plan = UnrollPlan::of(func, &cfg, &dom, &loops, &members, of)?;
            let max_size = if is_requested(of) { MAX_SIZE_IF_REQUESTED } else { MAX_SIZE_FOR_ARRAYS };
            Some(size + plan.trip_count(func, max_size / plan.size)? * plan.size)
        });
        if trip_count == 0 || unrolled_size.is_some_and(|size| size * trip_count <= MAX_SIZE_IF_REQUESTED) {
            continue;
        }
        let mut replaced = Replacements::new(func);
        Copier::new(func, &plan, &mut replaced).run(trip_count, &all.used_outside[id]);
        replaced.apply(func);
        return Some(trip_count * plan.size);
    }
    None
}

/// Unrolls innermost loops within the limits.
fn round(
    func: &mut Function,
    cfg: &Cfg,
    dom: &DomTree,
    loops: &Loops,
    implicit_barrier_loops: &FastSet<Block>,
    growth: &mut [usize; 3],
) -> bool {
    let members = Members::of(func, cfg, loops);
    let mut replaced = Replacements::new(func);
    let mut changed = false;
    let is_skipped =
        |id: LoopId| members.has_inner[id] || implicit_barrier_loops.contains(&loops.get(id).header);
    for id in loops.ids().filter(|&id| !is_skipped(id)) {
        let Some(plan) = UnrollPlan::of(func, cfg, dom, loops, &members, id) else { continue };
        let is_requested = func.blocks[plan.shape.header].unroll.is_some();
        let (max_size, budget) = if is_requested {
            (MAX_SIZE_IF_REQUESTED, &mut growth[2])
        } else if members.blocks[id].iter().any(|&block| indexes_array(func, block)) {
            (MAX_SIZE_FOR_ARRAYS, &mut growth[1])
        } else {
            (MAX_SIZE, &mut growth[0])
        };
        let Some(trip_count) = plan.trip_count(func, max_size.min(*budget + plan.size) / plan.size) else {
            continue;
        };
        *budget = budget.saturating_sub(trip_count * plan.size);
        Copier::new(func, &plan, &mut replaced).run(trip_count, &members.used_outside[id]);
        changed = true;
    }
    replaced.apply(func);
    changed
}

/// Checks whether an instruction disappears in straight-line code.
fn is_free(inst: &Inst) -> bool {
    matches!(inst.op, Op::Iconst | Op::Fconst | Op::Jump)
}

/// Checks whether a block accesses private memory at an address that is not constant.
fn indexes_array(func: &Function, block: Block) -> bool {
    // Arbitrary.
    const MAX_DEPTH: usize = 4;
    func.blocks[block].insts.iter().map(|&id| &func.insts[id]).any(|inst| {
        let mut is_constant = true;
        let mut at = Some(inst);
        for _ in 0..MAX_DEPTH {
            match at {
                Some(inst) if inst.op == Op::PtrAdd => {
                    is_constant &= func.as_const(inst.args[1]).is_some();
                    at = func.def_inst(inst.args[0]);
                }
                Some(inst) if inst.op == Op::Alloca => return !is_constant,
                _ => return false,
            }
        }
        false
    })
}

/// Blocks of the innermost loops, and loop values that are used after them.
struct Members {
    has_inner: IdMap<LoopId, bool>,
    blocks: IdMap<LoopId, Vec<Block>>,
    used_outside: IdMap<LoopId, Vec<Value>>,
}

impl Members {
    fn of(func: &Function, cfg: &Cfg, loops: &Loops) -> Members {
        let mut members = Members {
            has_inner: loops.have_inner(),
            blocks: IdMap::new(Vec::new()),
            used_outside: IdMap::new(Vec::new()),
        };
        let mut home: IdMap<Value, Option<LoopId>> = IdMap::with_len(None, func.values.len());
        for &block in cfg.rpo() {
            let inner = loops.of(block);
            if let Some(inner) = inner {
                members.blocks[inner].push(block);
                func.blocks[block].params.iter().for_each(|&param| home[param] = Some(inner));
            }
            for &id in &func.blocks[block].insts {
                let inst = &func.insts[id];
                for arg in inst.uses() {
                    if let Some(of) = home[arg].filter(|&of| Some(of) != inner && !members.has_inner[of]) {
                        members.used_outside[of].push(arg);
                    }
                }
                if let Some(result) = inst.result {
                    home[result] = inner;
                }
            }
        }
        members
    }

    /// Returns the blocks and used values of one loop, including those of its inner loops.
    fn of_nest(func: &Function, cfg: &Cfg, loops: &Loops, id: LoopId) -> Members {
        let mut blocks = IdMap::new(Vec::new());
        let mut used_outside = IdMap::new(Vec::new());
        let mut inside: FastSet<Value> = FastSet::default();
        for &block in cfg.rpo() {
            let is_inside = loops.contains(id, block);
            if is_inside {
                blocks[id].push(block);
                inside.extend(&func.blocks[block].params);
            }
            for inst in func.blocks[block].insts.iter().map(|&id| &func.insts[id]) {
                if is_inside {
                    inside.extend(inst.result);
                } else {
                    used_outside[id].extend(inst.uses().filter(|arg| inside.contains(arg)));
                }
            }
        }
        Members { has_inner: IdMap::new(false), blocks, used_outside }
    }
}

/// Loop that may be unrolled.
struct UnrollPlan<'a> {
    shape: SimpleLoop,
    /// Blocks of the loop in reverse postorder, the header first.
    blocks: &'a [Block],
    size: usize,
    /// Block whose branch ends the loop.
    /// Index of the target by which `control` leaves the loop.
    control: Block,
    exit: usize,
    /// Positions of the header parameters that the exit condition depends on.
    inputs: Vec<usize>,
}

impl<'a> UnrollPlan<'a> {
    fn of(
        func: &Function,
        cfg: &Cfg,
        dom: &DomTree,
        loops: &Loops,
        members: &'a Members,
        id: LoopId,
    ) -> Option<UnrollPlan<'a>> {
        let shape = loops.simple(func, cfg, id)?;
        let SimpleLoop { header, latch, .. } = shape;
        let blocks = &members.blocks[id];
        if func.blocks[header].unroll == Some(1) {
            return None;
        }
        let mut size = 0;
        let mut exits: SmallVec<[(Block, usize); 4]> = SmallVec::new();
        for &block in blocks {
            let insts = &func.blocks[block].insts;
            size += insts.iter().filter(|&&id| !is_free(&func.insts[id])).count();
            if size > MAX_SIZE_IF_REQUESTED || insts.iter().any(|&id| is_uncopyable(func, id)) {
                return None;
            }
            for (at, next) in func.successors(block).enumerate() {
                if !loops.contains(id, next) {
                    exits.push((block, at));
                }
            }
        }
        if exits.len() > 1 && !members.used_outside[id].is_empty() {
            return None;
        }
        let mut plan = UnrollPlan { shape, blocks, size, control: header, exit: 0, inputs: Vec::new() };
        // An exit that is not reached in every iteration gives no trip count. Of several exits, the first with a
        // known trip count is enough.
        for (control, exit) in exits {
            let is_branch = func.terminator(control).op == Op::BrIf && loops.of(control) == Some(id);
            if is_branch && dom.dominates(control, latch) && plan.find_inputs(func, control) {
                (plan.control, plan.exit) = (control, exit);
                return Some(plan);
            }
        }
        None
    }

    /// Finds the header parameters that the exit condition depends on. Returns false unless they start as
    /// constants.
    fn find_inputs(&mut self, func: &Function, control: Block) -> bool {
        self.inputs.clear();
        let (first, next) = (self.shape.starts(func), self.shape.nexts(func));
        let mut budget = MAX_OPERATIONS;
        let mut work: SmallVec<[Value; 8]> = func.terminator(control).args.iter().copied().collect();
        while let Some(value) = work.pop() {
            match func.values[value].def {
                Def::Param(block, at) if block == self.shape.header => {
                    let at = at as usize;
                    if self.inputs.contains(&at) {
                        continue;
                    }
                    if func.as_const(first[at]).is_none() {
                        return false;
                    }
                    self.inputs.push(at);
                    work.push(next[at]);
                }
                Def::Param(..) => return false,
                Def::Inst(id) => {
                    let inst = &func.insts[id];
                    let is_computed = !inst.args.is_empty() || inst.op == Op::Iconst;
                    if budget == 0 || !is_computed || inst.op.effect() != Effect::Pure || inst.ty.is_vector()
                    {
                        return false;
                    }
                    budget -= 1;
                    work.extend(inst.args.iter().copied());
                }
            }
        }
        !self.inputs.is_empty()
    }

    /// Returns how many iterations stay in the loop at its exit, if they are at most `max_count`.
    fn trip_count(&self, func: &Function, max_count: usize) -> Option<usize> {
        let (first, next) = (self.shape.starts(func), self.shape.nexts(func));
        let cond = func.terminator(self.control).args[0];
        let mut known: FastMap<Value, u64> = FastMap::default();
        let param = |at: usize| func.blocks[self.shape.header].params[at];
        for &at in &self.inputs {
            known.insert(param(at), func.as_const(first[at])?);
        }
        for iteration in 0..=max_count {
            let taken = usize::from(evaluate(func, cond, &mut known)? == 0);
            if taken == self.exit {
                return Some(iteration);
            }
            let mut values: SmallVec<[(Value, u64); 4]> = SmallVec::new();
            for &at in &self.inputs {
                values.push((param(at), evaluate(func, next[at], &mut known)?));
            }
            known.clear();
            known.extend(values);
        }
        None
    }
}

/// Checks whether an instruction must not be duplicated.
fn is_uncopyable(func: &Function, id: InstId) -> bool {
    let op = func.insts[id].op;
    op.is_group_barrier() || op == Op::Alloca
}

/// Copies the iterations of a loop.
struct Copier<'a> {
    func: &'a mut Function,
    plan: &'a UnrollPlan<'a>,
    replaced: &'a mut Replacements,
    /// Copies of the values of the current iteration.
    values: FastMap<Value, Value>,
    copies: FastMap<Block, Block>,
}

impl<'a> Copier<'a> {
    fn new(func: &'a mut Function, plan: &'a UnrollPlan<'a>, replaced: &'a mut Replacements) -> Self {
        Copier { func, plan, replaced, values: FastMap::default(), copies: FastMap::default() }
    }

    fn run(mut self, trip_count: usize, used_outside: &[Value]) {
        let plan = self.plan;
        let mut args: Vec<Value> = plan.shape.starts(self.func).to_vec();
        let mut header = self.func.add_block();
        let target = Target::new(header, &[]);
        let last = self.func.terminator_mut(plan.shape.entering);
        for to in last.targets.iter_mut().filter(|to| to.block == plan.shape.header) {
            *to = target.clone();
        }
        for iteration in 0..=trip_count {
            let next = if iteration < trip_count { self.func.add_block() } else { header };
            let (blocks, taken) = if iteration < trip_count {
                (plan.blocks.to_vec(), 1 - plan.exit)
            } else {
                (self.last_blocks(), plan.exit)
            };
            self.copy_iteration(&blocks, header, next, &args, taken);
            args = plan.shape.nexts(self.func).iter().map(|&arg| self.value(arg)).collect();
            header = next;
        }
        for &value in used_outside {
            let copy = self.value(value);
            self.replaced.set(value, copy);
        }
    }

    /// Returns the blocks that the last iteration reaches.
    fn last_blocks(&self) -> Vec<Block> {
        let plan = self.plan;
        let mut reached: FastMap<Block, bool> = plan.blocks.iter().map(|&block| (block, false)).collect();
        let mut work = vec![plan.shape.header];
        while let Some(block) = work.pop() {
            let Some(seen) = reached.get_mut(&block) else { continue };
            if !std::mem::replace(seen, true) && block != plan.control {
                work.extend(self.func.successors(block).filter(|&next| next != plan.shape.header));
            }
        }
        plan.blocks.iter().copied().filter(|block| reached[block]).collect()
    }

    fn value(&self, value: Value) -> Value {
        self.values.get(&value).copied().unwrap_or_else(|| self.replaced.get(value))
    }

    /// Copies one iteration. The copy of the header is `header`, that of the next iteration is `next`. The branch
    /// that ends the loop becomes a jump to its target number `taken`.
    fn copy_iteration(&mut self, blocks: &[Block], header: Block, next: Block, args: &[Value], taken: usize) {
        let plan = self.plan;
        self.values.clear();
        self.copies.clear();
        for &block in blocks {
            if block == plan.shape.header {
                let params = self.func.blocks[block].params.iter().copied();
                self.values.extend(params.zip(args.iter().copied()));
                self.copies.insert(block, header);
                continue;
            }
            let copy = self.func.add_block();
            self.func.blocks[copy].unroll = self.func.blocks[block].unroll;
            self.copies.insert(block, copy);
            for param in self.func.blocks[block].params.clone() {
                let ty = self.func.ty(param);
                let new = self.func.add_param(copy, ty);
                self.values.insert(param, new);
            }
        }
        for &block in blocks {
            let copy = self.copies[&block];
            for id in self.func.blocks[block].insts.clone() {
                self.inst(id, copy, next, (block == plan.control).then_some(taken));
            }
        }
    }

    fn inst(&mut self, id: InstId, copy: Block, next: Block, taken: Option<usize>) {
        let inst = self.func.insts[id].clone();
        let args: SmallVec<[Value; 3]> = inst.args.iter().map(|&arg| self.value(arg)).collect();
        let mut b = Builder { func: &mut *self.func, block: copy, loc: inst.loc };
        if !inst.op.is_terminator() {
            if inst.op.effect() == Effect::Pure {
                let new = b.value(inst.op, inst.ty, &args, inst.attr);
                self.values.extend(inst.result.map(|result| (result, new)));
                return;
            }
            let new = b.inst(inst.op, inst.ty, &args, inst.attr, Vec::new());
            let new = self.func.insts[new].result;
            self.values.extend(inst.result.zip(new));
            return;
        }
        let mut targets: Vec<Target> = inst.targets;
        let (op, attr) = match taken {
            Some(taken) => {
                targets = vec![targets.swap_remove(taken)];
                (Op::Jump, Attr::None)
            }
            None => (inst.op, inst.attr),
        };
        for target in &mut targets {
            if target.block == self.plan.shape.header {
                *target = Target::new(next, &[]);
                continue;
            }
            target.args.iter_mut().for_each(|arg| *arg = self.value(*arg));
            target.block = self.copies.get(&target.block).copied().unwrap_or(target.block);
        }
        let args: &[Value] = if op == Op::Jump { &[] } else { &args };
        let new = self.func.make_inst(op, Type::VOID, args.into(), attr, targets, inst.loc);
        self.func.blocks[copy].insts.push(new);
    }
}
