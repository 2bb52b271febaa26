//! Loops that turn a known, small number of times become straight code.
//!
//! The number is found by running: an exit that every turn comes by, whose condition follows from header parameters that
//! begin as constants, is evaluated turn by turn until it leaves (as LLVM's exhaustive exit count does), so that any step
//! counts, not only `i++`. Each turn then is a copy in which those parameters are constants and folded; the last one goes
//! as far as the exit. What this is for are arrays: with constant indices they become registers (`promote` runs again).
//!
//! Innermost loops first, in rounds; but loops around others come before them where the source asks for it and they would be
//! too long afterwards ([`unroll_outer`]). Loops that hold a barrier or private memory of their own stay, and those with further
//! exits if something behind them uses a value of the loop directly. A hint in the source (`unroll` of the header) raises
//! the limits, or forbids.

use smallvec::SmallVec;

use super::super::pass_manager::PassContext;
use super::replace::Replacements;
use crate::ir::analysis::{Cfg, DomTree, LoopId, Loops};
use crate::ir::interp::evaluate;
use crate::ir::{Attr, Block, Builder, Def, Effect, Function, Inst, InstId, Op, Target, Type, Value};
use crate::support::{FastMap, FastSet, IdMap};

/// Levels of loops at most.
const ROUNDS: usize = 3;
/// Instructions of all turns of a loop, those that go aside: a filter of 5 by 5 is straight code.
const MOST: usize = 288;
/// The same where an array of the item is indexed by what changes: it can become registers.
const MOST_FOR_ARRAYS: usize = 640;
/// The same where the source asks for it.
const MOST_IF_ASKED: usize = 4096;
/// The same of a loop around others, before those are unrolled.
const MOST_OF_NESTS: usize = 512;
/// So many of these are looked at, in functions of so many instructions.
const MOST_NESTS: usize = 16;
const MOST_SIZE_FOR_NESTS: usize = 10_000;
/// What a function may grow by, and by what share of its size where that is more.
const MOST_GROWTH: usize = 1024;
const SHARE: usize = 8;
/// What it may grow by for the sake of arrays, and where the source asks for it.
const MOST_GROWTH_FOR_ARRAYS: usize = 3072;
const MOST_GROWTH_IF_ASKED: usize = 8192;
/// Operations that a condition and the parameters for the next turn are made of.
const MOST_OPERATIONS: usize = 24;

/// Runs the pass.
pub fn run(func: &mut Function, context: &mut PassContext<'_>) -> bool {
    let mut growth = [MOST_GROWTH.max(func.size() / SHARE), MOST_GROWTH_FOR_ARRAYS, MOST_GROWTH_IF_ASKED];
    let mut changed = false;
    for _ in 0..ROUNDS {
        let loops = context.analyses.loops(func);
        if loops.ids().next().is_none() || !loops.is_reducible() {
            break;
        }
        let (cfg, dom) = (context.analyses.cfg(func), context.analyses.dominators(func));
        if !round(func, &cfg, &dom, &loops, &context.implicit_barrier_loops, &mut growth) {
            break;
        }
        changed = true;
        context.changed();
        context.analyses.pruned(func);
    }
    changed
}

/// Unrolls loops around innermost ones if the source asks for it and they cannot be straight code altogether. What the inner
/// ones index by the number of a turn is in registers then.
pub fn unroll_outer(func: &mut Function, context: &mut PassContext<'_>) -> bool {
    let mut changed = false;
    let mut left = MOST_IF_ASKED;
    // One after the other: what is known of loops is not known of their copies.
    while let Some(size) = nest(func, context, left) {
        left -= size;
        changed = true;
        context.changed();
        context.analyses.pruned(func);
    }
    changed
}

/// Unrolls the first such loop; the instructions of its turns.
fn nest(func: &mut Function, context: &mut PassContext<'_>, left: usize) -> Option<usize> {
    let loops = context.analyses.loops(func);
    let is_asked = |id: LoopId| func.blocks[loops.get(id).header].unroll.is_some_and(|turns| turns != 1);
    let has_inner = loops.have_inner();
    let around = || loops.ids().filter(|&id| has_inner[id] && is_asked(id)).take(MOST_NESTS);
    if !loops.is_reducible() || around().next().is_none() || func.size() > MOST_SIZE_FOR_NESTS {
        return None;
    }
    let (cfg, dom) = (context.analyses.cfg(func), context.analyses.dominators(func));
    let members = Members::of(func, &cfg, &loops);
    for id in around() {
        let inner: SmallVec<[LoopId; 4]> =
            loops.ids().filter(|&of| loops.get(of).parent == Some(id)).collect();
        if inner.iter().any(|&of| has_inner[of])
            || context.implicit_barrier_loops.contains(&loops.get(id).header)
        {
            continue;
        }
        let all = Members::around(func, &cfg, &loops, id);
        let Some(plan) = UnrollPlan::of(func, &cfg, &dom, &loops, &all, id) else { continue };
        let Some(turns) = plan.turns(func, left.min(MOST_OF_NESTS) / plan.size) else { continue };
        let straight = inner.iter().try_fold(plan.size, |size, &of| {
            let plan = UnrollPlan::of(func, &cfg, &dom, &loops, &members, of)?;
            let most = if is_asked(of) { MOST_IF_ASKED } else { MOST_FOR_ARRAYS };
            Some(size + plan.turns(func, most / plan.size)? * plan.size)
        });
        if turns == 0 || straight.is_some_and(|size| size * turns <= MOST_IF_ASKED) {
            continue;
        }
        let mut replaced = Replacements::new(func);
        Copier::new(func, &plan, &mut replaced).run(turns, &all.used_outside[id]);
        replaced.apply(func);
        return Some(turns * plan.size);
    }
    None
}

/// Unrolls what it can of the loops that hold no others.
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
    let is_left =
        |id: LoopId| members.has_inner[id] || implicit_barrier_loops.contains(&loops.get(id).header);
    for id in loops.ids().filter(|&id| !is_left(id)) {
        let Some(plan) = UnrollPlan::of(func, cfg, dom, loops, &members, id) else { continue };
        let is_asked = func.blocks[plan.header].unroll.is_some();
        let (most, left) = if is_asked {
            (MOST_IF_ASKED, &mut growth[2])
        } else if members.blocks[id].iter().any(|&block| indexes_array(func, block)) {
            (MOST_FOR_ARRAYS, &mut growth[1])
        } else {
            (MOST, &mut growth[0])
        };
        let Some(turns) = plan.turns(func, most.min(*left + plan.size) / plan.size) else { continue };
        *left = left.saturating_sub(turns * plan.size);
        Copier::new(func, &plan, &mut replaced).run(turns, &members.used_outside[id]);
        changed = true;
    }
    replaced.apply(func);
    changed
}

/// Whether nothing is left of it in straight code.
fn is_free(inst: &Inst) -> bool {
    matches!(inst.op, Op::Iconst | Op::Fconst | Op::Jump)
}

/// Whether a block reaches into private memory at a place that is not constant.
fn indexes_array(func: &Function, block: Block) -> bool {
    const DEEP: usize = 4;
    func.blocks[block].insts.iter().map(|&id| &func.insts[id]).any(|inst| {
        let mut is_constant = true;
        let mut at = Some(inst);
        for _ in 0..DEEP {
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

/// Blocks of the innermost loops, and values that are used behind them.
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

    /// The same of one loop with those that it holds.
    fn around(func: &Function, cfg: &Cfg, loops: &Loops, id: LoopId) -> Members {
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

/// A loop that may be unrolled.
struct UnrollPlan<'a> {
    header: Block,
    latch: Block,
    /// Where it is entered from.
    before: Block,
    /// In reverse postorder: the header first.
    blocks: &'a [Block],
    size: usize,
    /// The block that decides, and which of its targets leaves.
    control: Block,
    exit: usize,
    /// Header parameters that the decision follows from, by position.
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
        let header = loops.get(id).header;
        let blocks = &members.blocks[id];
        let [latch] = loops.get(id).latches[..] else { return None };
        let [before] =
            cfg.preds(header).iter().copied().filter(|&p| p != latch).collect::<SmallVec<[_; 2]>>()[..]
        else {
            return None;
        };
        let to_header = |block: Block| func.successors(block).filter(|&next| next == header).count() == 1;
        if func.blocks[header].unroll == Some(1) || !to_header(latch) || !to_header(before) {
            return None;
        }
        let mut size = 0;
        let mut exits: SmallVec<[(Block, usize); 4]> = SmallVec::new();
        for &block in blocks {
            let insts = &func.blocks[block].insts;
            size += insts.iter().filter(|&&id| !is_free(&func.insts[id])).count();
            if size > MOST_IF_ASKED || insts.iter().any(|&id| must_stay(func, id)) {
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
        let mut plan =
            UnrollPlan { header, latch, before, blocks, size, control: header, exit: 0, inputs: Vec::new() };
        // An exit that is not one for every turn says nothing; of several, the first that counts is enough.
        for (control, exit) in exits {
            let is_branch = func.terminator(control).op == Op::BrIf && loops.of(control) == Some(id);
            if is_branch && dom.dominates(control, latch) && plan.find_inputs(func, control) {
                (plan.control, plan.exit) = (control, exit);
                return Some(plan);
            }
        }
        None
    }

    fn edge<'f>(&self, func: &'f Function, from: Block) -> &'f [Value] {
        let target = func.terminator(from).targets.iter().find(|target| target.block == self.header);
        target.map_or(&[], |target| &target.args)
    }

    /// Finds the parameters that a condition follows from, if they begin as constants.
    fn find_inputs(&mut self, func: &Function, control: Block) -> bool {
        self.inputs.clear();
        let (first, next) = (self.edge(func, self.before), self.edge(func, self.latch));
        let mut budget = MOST_OPERATIONS;
        let mut work: SmallVec<[Value; 8]> = func.terminator(control).args.iter().copied().collect();
        while let Some(value) = work.pop() {
            match func.values[value].def {
                Def::Param(block, at) if block == self.header => {
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

    /// How often the loop goes on at its exit, if that is at most `most` times.
    fn turns(&self, func: &Function, most: usize) -> Option<usize> {
        let (first, next) = (self.edge(func, self.before), self.edge(func, self.latch));
        let cond = func.terminator(self.control).args[0];
        let mut known: FastMap<Value, u64> = FastMap::default();
        let param = |at: usize| func.blocks[self.header].params[at];
        for &at in &self.inputs {
            known.insert(param(at), func.as_const(first[at])?);
        }
        for turn in 0..=most {
            let goes_on = usize::from(evaluate(func, cond, &mut known)? == 0);
            if goes_on == self.exit {
                return Some(turn);
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

/// What may be there only once.
fn must_stay(func: &Function, id: InstId) -> bool {
    let op = func.insts[id].op;
    op.is_group_barrier() || op == Op::Alloca
}

/// Copies the turns of a loop.
struct Copier<'a> {
    func: &'a mut Function,
    plan: &'a UnrollPlan<'a>,
    replaced: &'a mut Replacements,
    /// Of the turn at hand.
    values: FastMap<Value, Value>,
    copies: FastMap<Block, Block>,
}

impl<'a> Copier<'a> {
    fn new(func: &'a mut Function, plan: &'a UnrollPlan<'a>, replaced: &'a mut Replacements) -> Self {
        Copier { func, plan, replaced, values: FastMap::default(), copies: FastMap::default() }
    }

    fn run(mut self, turns: usize, used_outside: &[Value]) {
        let plan = self.plan;
        let mut args: Vec<Value> = plan.edge(self.func, plan.before).to_vec();
        let mut header = self.func.add_block();
        let target = Target::new(header, &[]);
        let last = self.func.terminator_mut(plan.before);
        for to in last.targets.iter_mut().filter(|to| to.block == plan.header) {
            *to = target.clone();
        }
        for turn in 0..=turns {
            let next = if turn < turns { self.func.add_block() } else { header };
            let (blocks, take) =
                if turn < turns { (plan.blocks.to_vec(), 1 - plan.exit) } else { (self.last(), plan.exit) };
            self.turn(&blocks, header, next, &args, take);
            args = plan.edge(self.func, plan.latch).iter().map(|&arg| self.value(arg)).collect();
            header = next;
        }
        for &value in used_outside {
            let copy = self.value(value);
            self.replaced.set(value, copy);
        }
    }

    /// Blocks that the last turn comes to.
    fn last(&self) -> Vec<Block> {
        let plan = self.plan;
        let mut reached: FastMap<Block, bool> = plan.blocks.iter().map(|&block| (block, false)).collect();
        let mut work = vec![plan.header];
        while let Some(block) = work.pop() {
            let Some(seen) = reached.get_mut(&block) else { continue };
            if !std::mem::replace(seen, true) && block != plan.control {
                work.extend(self.func.successors(block).filter(|&next| next != plan.header));
            }
        }
        plan.blocks.iter().copied().filter(|block| reached[block]).collect()
    }

    fn value(&self, value: Value) -> Value {
        self.values.get(&value).copied().unwrap_or_else(|| self.replaced.get(value))
    }

    /// Copies one turn; the header's copy is `header`, that of the next turn `next`, and of the targets where the loop is left
    /// the one at `take` is taken.
    fn turn(&mut self, blocks: &[Block], header: Block, next: Block, args: &[Value], take: usize) {
        let plan = self.plan;
        self.values.clear();
        self.copies.clear();
        for &block in blocks {
            if block == plan.header {
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
                self.inst(id, copy, next, (block == plan.control).then_some(take));
            }
        }
    }

    fn inst(&mut self, id: InstId, copy: Block, next: Block, take: Option<usize>) {
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
        let (op, attr) = match take {
            Some(take) => {
                targets = vec![targets.swap_remove(take)];
                (Op::Jump, Attr::None)
            }
            None => (inst.op, inst.attr),
        };
        for target in &mut targets {
            if target.block == self.plan.header {
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
