//! Undoes loop rotation: loops that test at the end of an iteration, and are entered only if the test would hold at the
//! start, become loops that test at the start.
//!
//! ```text
//! if (a < n) { do { body(i); i += s; } while (i < n); }    becomes    for (i = a; i < n; i += s) body(i);
//! ```
//!
//! LLVM rotates every loop (`LoopRotate`), so that modules in SPIR-V have the first form; front ends write the second, by
//! which passes recognize loops over the range (`workgroup::implicit_barriers`). Machine code has one branch per iteration
//! in both: the back ends place blocks.
//!
//! A loop is changed if its test depends on nothing but values of the next iteration and loop-invariant ones, so that it
//! can be computed from the header's parameters, and if the test holds at the entry, because of constants or of branches
//! that dominate it. Tests of the counter *before* its step (`i++ < n`) are taken for tests after it of a counter that
//! starts a step lower. A guard that says the same as the test is removed. `i != n` becomes `i < n` where the entry
//! implies that for a step of one.

use smallvec::SmallVec;

use super::super::pass_manager::PassContext;
use grus_ir::analysis::{Cfg, DomTree, LoopId, Loops};
use grus_ir::interp::signed;
use grus_ir::{
    Args, Attr, Block, Builder, Def, Effect, Function, Inst, IntCond, NoWrap, Op, Target, Type, Value,
};
use grus_support::{FastMap, FastSet, IdMap};

/// Maximum number of loop levels that are changed.
// Arbitrary.
const MAX_ROUNDS: usize = 4;
/// Maximum number of operations of a test or another value that is computed at the start instead.
// Arbitrary.
const MAX_OPERATIONS: usize = 16;
/// Maximum number of operations that two equal values may be computed from.
// Arbitrary.
const MAX_COMPARED: usize = 8;
/// Maximum number of dominators of a loop that are looked at for guards.
// Arbitrary.
const MAX_DOMINATORS: usize = 8;
/// Maximum number of parameters of a loop's header, and of arguments of its exit.
// Arbitrary.
const MAX_PARAMS: usize = 128;
/// Maximum number of counters that a loop's test may use before their steps.
// Arbitrary.
const MAX_SHIFTED: usize = 64;
/// Maximum number of values of a loop that are used outside of it.
// Arbitrary.
const MAX_USED_OUTSIDE: usize = 16;

/// Runs on a function. Returns whether something changed.
pub fn run(func: &mut Function, context: &mut PassContext<'_>) -> bool {
    let mut changed = false;
    for _ in 0..MAX_ROUNDS {
        let loops = context.analyses.loops(func);
        if !loops.is_reducible() || !loops.ids().any(|id| is_tested_at_end(func, &loops, id)) {
            break;
        }
        let (cfg, dom) = (context.analyses.cfg(func), context.analyses.dominators(func));
        if !round(func, &cfg, &dom, &loops) {
            break;
        }
        changed = true;
        context.changed();
    }
    changed
}

/// Checks whether a loop has one latch that leaves it, and a header that does not.
fn is_tested_at_end(func: &Function, loops: &Loops, id: LoopId) -> bool {
    let found = loops.get(id);
    let [latch] = found.latches[..] else { return false };
    let leaves = |block: Block| func.successors(block).any(|next| !loops.contains(id, next));
    let last = func.terminator(latch);
    last.op == Op::BrIf
        && leaves(latch)
        && loops.of(latch) == Some(id)
        && (latch == found.header || !leaves(found.header))
}

/// Changes loops, at most one of each nest, innermost ones first.
fn round(func: &mut Function, cfg: &Cfg, dom: &DomTree, loops: &Loops) -> bool {
    let homes = homes(func, cfg, loops);
    let leaving = Leaving::of(func, cfg, loops, &homes);
    let mut changed_nests: FastSet<LoopId> = FastSet::default();
    let mut replaced: FastMap<Value, (LoopId, Value)> = FastMap::default();
    // Blocks whose branches are not those that the analyses saw.
    let mut changed_blocks: FastSet<Block> = FastSet::default();
    // New blocks, with a block that was in the same loops.
    let mut new_blocks: Vec<(Block, Block)> = Vec::new();
    for id in loops.ids().rev() {
        let is_left_with_values = leaving.exits[id] > 1 && !leaving.values[id].is_empty();
        if is_left_with_values || changed_nests.contains(&id) || !is_tested_at_end(func, loops, id) {
            continue;
        }
        let rotated = RotatedLoop::of(func, cfg, loops, &homes, &changed_blocks, id);
        let Some(plan) = rotated.and_then(|rotated| rotated.plan(dom, &leaving.values[id])) else { continue };
        let first_new = func.layout.len();
        let values = plan.apply(func);
        new_blocks.extend(func.layout[first_new..].iter().map(|&block| (block, plan.header)));
        replaced.extend(values.into_iter().map(|(old, new)| (old, (id, new))));
        changed_blocks.extend([plan.header, plan.latch, plan.before]);
        changed_blocks.extend(plan.guard.map(|(block, _)| block));
        changed_nests.extend(loops.around(plan.header));
    }
    let old_blocks = cfg.rpo().iter().map(|&block| (block, block));
    for (block, home) in old_blocks.chain(new_blocks) {
        for at in 0..func.blocks[block].insts.len() {
            let id = func.blocks[block].insts[at];
            for arg in func.insts[id].uses_mut() {
                if let Some(&(_, new)) = replaced.get(arg).filter(|(of, _)| !loops.contains(*of, home)) {
                    *arg = new;
                }
            }
        }
    }
    !changed_nests.is_empty()
}

/// Returns the innermost loop in which each value is defined.
fn homes(func: &Function, cfg: &Cfg, loops: &Loops) -> IdMap<Value, Option<LoopId>> {
    let mut homes = IdMap::with_len(None, func.values.len());
    for &block in cfg.rpo() {
        if let Some(home) = loops.of(block) {
            let data = &func.blocks[block];
            let results = data.insts.iter().filter_map(|&id| func.insts[id].result);
            data.params.iter().copied().chain(results).for_each(|value| homes[value] = Some(home));
        }
    }
    homes
}

/// Exits of loops, and their values that are used outside of them.
struct Leaving {
    exits: IdMap<LoopId, usize>,
    values: IdMap<LoopId, Vec<Value>>,
}

impl Leaving {
    fn of(func: &Function, cfg: &Cfg, loops: &Loops, homes: &IdMap<Value, Option<LoopId>>) -> Leaving {
        let mut leaving = Leaving { exits: IdMap::new(0), values: IdMap::new(Vec::new()) };
        for &block in cfg.rpo() {
            for next in func.successors(block) {
                let left = loops.around(block).take_while(|&id| !loops.contains(id, next));
                left.for_each(|id| leaving.exits[id] += 1);
            }
            for arg in func.blocks[block].insts.iter().flat_map(|&id| func.insts[id].uses()) {
                let left = std::iter::successors(homes[arg], |&id| loops.get(id).parent);
                for id in left.take_while(|&id| !loops.contains(id, block)) {
                    let values = &mut leaving.values[id];
                    if values.len() <= MAX_USED_OUTSIDE && !values.contains(&arg) {
                        values.push(arg);
                    }
                }
            }
        }
        leaving
    }
}

/// A condition of a branch.
#[derive(Clone, Copy, Debug)]
enum Condition {
    Compare(IntCond, Value, Value),
    /// Any other truth value, and the value that it must have.
    Other(Value, bool),
}

impl Condition {
    fn operands(self) -> SmallVec<[Value; 2]> {
        match self {
            Condition::Compare(_, a, b) => SmallVec::from_slice(&[a, b]),
            Condition::Other(value, _) => SmallVec::from_slice(&[value]),
        }
    }
}

/// Splits a truth value into conditions that hold together if and only if it is `holds`.
fn conjunction(func: &Function, value: Value, holds: bool) -> SmallVec<[Condition; 2]> {
    let mut found = SmallVec::new();
    let mut work: SmallVec<[(Value, bool); 4]> = SmallVec::from_slice(&[(value, holds)]);
    while let Some((value, holds)) = work.pop() {
        let is = |value: Value, bits: u64| func.as_const(value) == Some(bits);
        let inst = func.def_inst(value).filter(|_| found.len() + work.len() < MAX_OPERATIONS);
        match inst.map(|inst| (inst, inst.op, &inst.args[..])) {
            Some((_, Op::And, &[a, b])) if holds => work.extend([(b, true), (a, true)]),
            Some((_, Op::Or, &[a, b])) if !holds => work.extend([(b, false), (a, false)]),
            Some((_, Op::Select, &[a, b, other])) if holds && is(other, 0) => {
                work.extend([(b, true), (a, true)]);
            }
            Some((_, Op::Select, &[a, other, b])) if !holds && is(other, 1) => {
                work.extend([(b, false), (a, false)]);
            }
            Some((_, Op::Xor, &[a, one])) if is(one, 1) => work.push((a, !holds)),
            Some((inst, Op::Icmp, &[a, b])) if !func.ty(a).is_vector() => {
                let cond = if holds { inst.int_cond() } else { inst.int_cond().negated() };
                found.push(Condition::Compare(cond, a, b));
            }
            _ => found.push(Condition::Other(value, holds)),
        }
    }
    found
}

/// Checks whether two values are equal because the same pure operations compute them of the same values.
pub(super) fn are_equal(func: &Function, a: Value, b: Value, budget: &mut usize) -> bool {
    let (a, b) = (without_extension(func, a), without_extension(func, b));
    if a == b {
        return true;
    }
    let (Some(of), Some(with)) = (func.def_inst(a), func.def_inst(b)) else { return false };
    if *budget == 0 || !is_same_operation(of, with) {
        return false;
    }
    *budget -= 1;
    of.args.iter().zip(&with.args).all(|(&a, &b)| are_equal(func, a, b, budget))
}

/// Returns the value that was extended and truncated again to its type, if any, or the value itself.
fn without_extension(func: &Function, value: Value) -> Value {
    let operand = |value: Value, ops: &[Op]| {
        func.def_inst(value).filter(|inst| ops.contains(&inst.op)).map(|inst| inst.args[0])
    };
    let inner = operand(value, &[Op::Trunc]).and_then(|wide| operand(wide, &[Op::Sext, Op::Zext]));
    inner.filter(|&inner| func.ty(inner) == func.ty(value)).unwrap_or(value)
}

/// Checks whether two instructions are the same pure operation, whatever their operands are.
fn is_same_operation(a: &Inst, b: &Inst) -> bool {
    let is_guarantee = |attr: &Attr| matches!(attr, Attr::None | Attr::NoWrap(_));
    a.op == b.op
        && a.op.effect() == Effect::Pure
        && a.ty == b.ty
        && a.args.len() == b.args.len()
        && (a.attr == b.attr || (is_guarantee(&a.attr) && is_guarantee(&b.attr)))
}

/// Value of an operand when the loop is entered.
#[derive(Clone, Copy, Debug)]
enum AtEntry {
    Constant(u64),
    Value(Value),
}

/// A comparison of values at the entry, with a constant on the right, and less or greater instead of "or equal" where
/// one is.
#[derive(Clone, Copy, Debug)]
struct Relation {
    cond: IntCond,
    a: AtEntry,
    b: AtEntry,
    ty: Type,
}

impl Relation {
    fn new(cond: IntCond, a: AtEntry, b: AtEntry, ty: Type) -> Relation {
        let (cond, a, b) = match (a, b) {
            (AtEntry::Constant(_), AtEntry::Value(_)) => (cond.swapped(), b, a),
            _ => (cond, a, b),
        };
        let AtEntry::Constant(bits) = b else { return Relation { cond, a, b, ty } };
        let (mask, min) = (mask(ty), 1 << (ty.bits() - 1));
        let (cond, bits) = match cond {
            IntCond::Sle if bits != min - 1 => (IntCond::Slt, bits.wrapping_add(1) & mask),
            IntCond::Sge if bits != min => (IntCond::Sgt, bits.wrapping_sub(1) & mask),
            IntCond::Ule if bits != mask => (IntCond::Ult, bits + 1),
            IntCond::Uge if bits != 0 => (IntCond::Ugt, bits - 1),
            cond => (cond, bits),
        };
        let cond = if (cond, bits) == (IntCond::Ugt, 0) { IntCond::Ne } else { cond };
        Relation { cond, a, b: AtEntry::Constant(bits), ty }
    }

    /// Returns the comparison of the operands before they were extended, if it is equivalent.
    fn narrowed(self, func: &Function) -> Option<Relation> {
        let is_unsigned = matches!(self.cond, IntCond::Ult | IntCond::Ule | IntCond::Ugt | IntCond::Uge);
        let is_signed = matches!(self.cond, IntCond::Slt | IntCond::Sle | IntCond::Sgt | IntCond::Sge);
        let AtEntry::Value(a) = self.a else { return None };
        let inst = func.def_inst(a)?;
        if !matches!(inst.op, Op::Sext | Op::Zext) {
            return None;
        }
        let is_sext = inst.op == Op::Sext;
        let (a, ty) = (inst.args[0], func.ty(inst.args[0]));
        let b = match self.b {
            AtEntry::Constant(bits) => {
                let narrow = bits & mask(ty);
                let back = if is_sext { signed(ty.bits(), narrow) as u64 & mask(self.ty) } else { narrow };
                AtEntry::Constant((back == bits).then_some(narrow)?)
            }
            AtEntry::Value(b) => {
                let other = func.def_inst(b).filter(|other| other.op == inst.op)?;
                AtEntry::Value(other.args[0])
            }
        };
        let fits = func.ty(a) == ty && if is_sext { !is_unsigned } else { !is_signed };
        let is_same_type = !matches!(b, AtEntry::Value(b) if func.ty(b) != ty);
        (fits && is_same_type).then(|| Relation::new(self.cond, AtEntry::Value(a), b, ty))
    }

    fn swapped(self) -> Relation {
        Relation { cond: self.cond.swapped(), a: self.b, b: self.a, ty: self.ty }
    }

    /// Checks whether a relation that holds implies another one.
    fn implies(self, other: Relation, func: &Function) -> bool {
        let is_same = |a: AtEntry, b: AtEntry| match (a, b) {
            (AtEntry::Constant(a), AtEntry::Constant(b)) => a == b,
            (AtEntry::Value(a), AtEntry::Value(b)) => are_equal(func, a, b, &mut MAX_COMPARED.clone()),
            _ => false,
        };
        self.ty == other.ty
            && implies(self.cond, other.cond)
            && is_same(self.a, other.a)
            && is_same(self.b, other.b)
    }
}

/// Compares two numbers of a type.
fn holds(cond: IntCond, a: u64, b: u64, ty: Type) -> bool {
    let (x, y) = (signed(ty.bits(), a), signed(ty.bits(), b));
    match cond {
        IntCond::Eq => a == b,
        IntCond::Ne => a != b,
        IntCond::Slt => x < y,
        IntCond::Sle => x <= y,
        IntCond::Sgt => x > y,
        IntCond::Sge => x >= y,
        IntCond::Ult => a < b,
        IntCond::Ule => a <= b,
        IntCond::Ugt => a > b,
        IntCond::Uge => a >= b,
    }
}

/// Checks whether a condition that holds for two numbers implies another one.
fn implies(cond: IntCond, other: IntCond) -> bool {
    cond == other
        || match cond {
            IntCond::Slt => matches!(other, IntCond::Sle | IntCond::Ne),
            IntCond::Sgt => matches!(other, IntCond::Sge | IntCond::Ne),
            IntCond::Ult => matches!(other, IntCond::Ule | IntCond::Ne),
            IntCond::Ugt => matches!(other, IntCond::Uge | IntCond::Ne),
            IntCond::Eq => matches!(other, IntCond::Sle | IntCond::Sge | IntCond::Ule | IntCond::Uge),
            _ => false,
        }
}

fn mask(ty: Type) -> u64 {
    u64::MAX >> (64 - ty.bits())
}

/// A loop whose last block tests whether there is another iteration.
struct RotatedLoop<'a> {
    func: &'a Function,
    cfg: &'a Cfg,
    loops: &'a Loops,
    homes: &'a IdMap<Value, Option<LoopId>>,
    changed_blocks: &'a FastSet<Block>,
    id: LoopId,
    header: Block,
    latch: Block,
    /// The only predecessor of the header outside of the loop.
    before: Block,
    params: &'a [Value],
    /// Values of the parameters in the first iteration, and in the next one.
    starts: &'a [Value],
    nexts: &'a [Value],
    /// Constants that are added to parameters in each iteration.
    steps: Vec<Option<u64>>,
    /// Index of the latch's target that is the header.
    stay: usize,
}

/// How a value of the loop is computed from the parameters of the next iteration.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Source {
    Invariant,
    /// The parameter at this position.
    Next(usize),
    /// The parameter less its step.
    Previous(usize),
    Computed,
}

type Sources = FastMap<Value, Source>;

impl<'a> RotatedLoop<'a> {
    fn of(
        func: &'a Function,
        cfg: &'a Cfg,
        loops: &'a Loops,
        homes: &'a IdMap<Value, Option<LoopId>>,
        changed_blocks: &'a FastSet<Block>,
        id: LoopId,
    ) -> Option<RotatedLoop<'a>> {
        let header = loops.get(id).header;
        let [latch] = loops.get(id).latches[..] else { return None };
        let mut outside = cfg.preds(header).iter().copied().filter(|&pred| pred != latch);
        let (Some(before), None) = (outside.next(), outside.next()) else { return None };
        if [before, latch, header].iter().any(|block| changed_blocks.contains(block)) {
            return None;
        }
        let edge = |from: Block| {
            let mut targets = func.terminator(from).targets.iter().enumerate();
            let found = targets.find(|(_, target)| target.block == header)?;
            targets.all(|(_, target)| target.block != header).then_some(found)
        };
        let ((_, first), (stay, next)) = (edge(before)?, edge(latch)?);
        let params = &func.blocks[header].params;
        if params.len() > MAX_PARAMS {
            return None;
        }
        let step = |(&param, &next): (&Value, &Value)| {
            let inst = func.def_inst(next).filter(|inst| inst.op == Op::Iadd && !inst.ty.is_vector())?;
            let other = inst.args.iter().position(|&arg| arg == param)?;
            func.as_const(inst.args[1 - other])
        };
        let steps = params.iter().zip(&next.args).map(step).collect();
        let (starts, nexts) = (&first.args[..], &next.args[..]);
        Some(RotatedLoop {
            func,
            cfg,
            loops,
            homes,
            changed_blocks,
            id,
            header,
            latch,
            before,
            params,
            starts,
            nexts,
            steps,
            stay,
        })
    }

    fn is_inside(&self, value: Value) -> bool {
        std::iter::successors(self.homes[value], |&home| self.loops.get(home).parent)
            .any(|home| home == self.id)
    }

    fn source(&self, value: Value) -> Source {
        if !self.is_inside(value) {
            return Source::Invariant;
        }
        if let Some(at) = self.nexts.iter().position(|&next| next == value) {
            return Source::Next(at);
        }
        if let Def::Param(..) = self.func.values[value].def {
            let at = self.params.iter().position(|&param| param == value);
            return at.filter(|&at| self.steps[at].is_some()).map_or(Source::Computed, Source::Previous);
        }
        let is_same = |&next: &Value| are_equal(self.func, next, value, &mut MAX_COMPARED.clone());
        self.nexts.iter().position(is_same).map_or(Source::Computed, Source::Next)
    }

    /// Checks whether a value can be computed from the parameters of the next iteration, and adds how.
    fn collect(&self, value: Value, sources: &mut Sources, budget: &mut usize) -> Option<()> {
        if sources.contains_key(&value) {
            return Some(());
        }
        let source = self.source(value);
        sources.insert(value, source);
        if source != Source::Computed {
            return Some(());
        }
        let inst = self.func.def_inst(value).filter(|inst| inst.op.effect() == Effect::Pure)?;
        *budget = budget.checked_sub(1)?;
        inst.args.iter().try_for_each(|&arg| self.collect(arg, sources, budget))
    }

    /// Returns a value that is known outside of the loop.
    fn known(&self, value: Value) -> AtEntry {
        self.func.as_const(value).map_or(AtEntry::Value(value), AtEntry::Constant)
    }

    /// Returns the value at the entry, if it has a name there.
    fn at_entry(&self, value: Value, sources: &Sources) -> Option<AtEntry> {
        match sources[&value] {
            Source::Invariant => Some(self.known(value)),
            Source::Next(at) => Some(self.known(self.starts[at])),
            Source::Previous(at) => self.before_start(at),
            Source::Computed => self.func.as_const(value).map(AtEntry::Constant),
        }
    }

    /// Returns the initial value of a parameter less its step, if it has a name.
    fn before_start(&self, at: usize) -> Option<AtEntry> {
        let (start, step) = (self.starts[at], self.steps[at]?);
        if let Some(bits) = self.func.as_const(start) {
            return Some(AtEntry::Constant(bits.wrapping_sub(step) & mask(self.func.ty(start))));
        }
        let inst = self.func.def_inst(start).filter(|inst| inst.op == Op::Iadd)?;
        let other = inst.args.iter().position(|&arg| self.func.as_const(arg) == Some(step))?;
        Some(AtEntry::Value(inst.args[1 - other]))
    }

    /// Checks whether a value at the entry is equal to a value that is known there.
    fn is_equal_at_entry(&self, value: Value, known: Value, sources: &Sources, budget: &mut usize) -> bool {
        match self.at_entry(value, sources) {
            Some(AtEntry::Constant(bits)) => self.func.as_const(known) == Some(bits),
            Some(AtEntry::Value(value)) => are_equal(self.func, value, known, budget),
            None => {
                let inst = self.func.def_inst(value).filter(|_| sources[&value] == Source::Computed);
                let (Some(inst), Some(other)) = (inst, self.func.def_inst(known)) else { return false };
                if *budget == 0 || !is_same_operation(inst, other) {
                    return false;
                }
                *budget -= 1;
                let mut pairs = inst.args.iter().zip(&other.args);
                pairs.all(|(&arg, &known)| self.is_equal_at_entry(arg, known, sources, budget))
            }
        }
    }

    /// Returns how the loop can test at its start, if it can. `used_outside` are its values that are used outside of it.
    fn plan(&self, dom: &DomTree, used_outside: &[Value]) -> Option<Plan> {
        let func = self.func;
        let last = func.terminator(self.latch);
        let mut tests = conjunction(func, last.args[0], self.stay == 0);
        if used_outside.len() > MAX_USED_OUTSIDE {
            return None;
        }
        let mut sources = Sources::default();
        let mut budget = MAX_OPERATIONS;
        for test in &tests {
            test.operands()
                .into_iter()
                .try_for_each(|value| self.collect(value, &mut sources, &mut budget))?;
        }
        for test in &mut tests {
            self.put_counter_first(test, &sources);
        }
        let shifted = self.shifted(&sources);
        let guards = self.guards(dom);
        let mut exact: SmallVec<[usize; 4]> = SmallVec::new();
        for test in &mut tests {
            let known = self.holds_at_entry(*test, &sources, &guards)?;
            exact.extend(known.exact);
            if let (Condition::Compare(cond, ..), Some(order)) = (&mut *test, known.order) {
                *cond = order;
            }
        }
        let exit = last.targets[1 - self.stay].clone();
        if exit.args.len() > MAX_PARAMS {
            return None;
        }
        for &value in exit.args.iter().chain(used_outside) {
            self.collect(value, &mut sources, &mut budget)?;
        }
        let removable = guards.first().filter(|guard| {
            let all = guards.iter().enumerate().filter(|(_, other)| other.block == guard.block);
            let mut all = all.map(|(at, _)| at);
            all.all(|at| exact.contains(&at)) && self.is_bypass(guard, &exit, &sources)
        });
        Some(Plan {
            header: self.header,
            latch: self.latch,
            before: self.before,
            exit,
            tests,
            sources,
            shifted,
            steps: self.steps.clone(),
            nexts: self.nexts.into(),
            starts: self.starts.iter().enumerate().map(|(at, _)| self.before_start(at)).collect(),
            used_outside: used_outside.into(),
            guard: removable.map(|guard| (guard.block, guard.taken)),
        })
    }

    /// Returns the parameters that tests use before their steps, and not after.
    fn shifted(&self, sources: &Sources) -> SmallVec<[usize; 2]> {
        let has = |source: Source| sources.values().any(|&other| other == source);
        let used = |at: &usize| has(Source::Previous(*at)) && !has(Source::Next(*at));
        (0..self.params.len().min(MAX_SHIFTED)).filter(used).collect()
    }

    /// Returns what branches before the loop say, the nearest first.
    fn guards(&self, dom: &DomTree) -> Vec<Guard> {
        let mut guards = Vec::new();
        let (mut block, mut child) = (self.before, self.header);
        for _ in 0..MAX_DOMINATORS {
            let last = self.func.terminator(block);
            let mut to_child = last.targets.iter().enumerate().filter(|(_, target)| target.block == child);
            let is_only_edge = child == self.header || self.cfg.preds(child) == [block];
            if let (Some((taken, _)), None, true) = (to_child.next(), to_child.next(), is_only_edge)
                && last.op == Op::BrIf
                && !self.changed_blocks.contains(&block)
            {
                let conditions = conjunction(self.func, last.args[0], taken == 0);
                guards.extend(conditions.into_iter().map(|condition| Guard { block, taken, condition }));
            }
            let Some(above) = dom.idom(block) else { break };
            (block, child) = (above, block);
        }
        guards
    }

    /// Puts the counter on the left of a comparison with an invariant value.
    fn put_counter_first(&self, test: &mut Condition, sources: &Sources) {
        if let Condition::Compare(cond, a, b) = *test
            && sources[&a] == Source::Invariant
        {
            *test = Condition::Compare(cond.swapped(), b, a);
        }
    }

    /// Finds out that a test holds at the entry.
    fn holds_at_entry(&self, test: Condition, sources: &Sources, guards: &[Guard]) -> Option<Known> {
        let by_order = match test {
            Condition::Compare(cond, a, b) => self.compared_at_entry(cond, a, b, sources, guards),
            Condition::Other(..) => None,
        };
        by_order.or_else(|| {
            let is_equal = |a, known| self.is_equal_at_entry(a, known, sources, &mut MAX_COMPARED.clone());
            let is_same = |guard: &Guard| match (test, guard.condition) {
                (Condition::Compare(cond, a, b), Condition::Compare(known, x, y)) => {
                    (cond == known && is_equal(a, x) && is_equal(b, y))
                        || (cond == known.swapped() && is_equal(a, y) && is_equal(b, x))
                }
                (Condition::Other(value, holds), Condition::Other(known, is)) => {
                    holds == is && is_equal(value, known)
                }
                _ => false,
            };
            guards.iter().position(is_same).map(|at| Known { exact: Some(at), order: None })
        })
    }

    /// Finds out that a comparison holds at the entry, by constants or by the order of two values that a guard knows.
    fn compared_at_entry(
        &self,
        cond: IntCond,
        a: Value,
        b: Value,
        sources: &Sources,
        guards: &[Guard],
    ) -> Option<Known> {
        let (first, second) = (self.at_entry(a, sources)?, self.at_entry(b, sources)?);
        let ty = self.func.ty(a);
        let orders = self.step_orders(a, b, sources).filter(|_| cond == IntCond::Ne);
        if let (AtEntry::Constant(first), AtEntry::Constant(second)) = (first, second) {
            let order =
                orders.and_then(|orders| orders.into_iter().find(|order| holds(*order, first, second, ty)));
            return holds(cond, first, second, ty).then_some(Known { exact: None, order });
        }
        let relation = Relation::new(cond, first, second, ty);
        let is_turned = matches!(first, AtEntry::Constant(_));
        let mut found = None;
        for (at, guard) in guards.iter().enumerate() {
            let Some((form, known)) = guard.implied(&relation, self) else { continue };
            // A number that is not zero is greater as an unsigned one.
            let is_nonzero = known == IntCond::Ne && matches!(form.b, AtEntry::Constant(0));
            let greater = if is_nonzero { IntCond::Ugt } else { known };
            let known_order = if is_turned { greater.swapped() } else { greater };
            let order = orders.filter(|orders| orders.contains(&known_order)).map(|_| known_order);
            if known == form.cond || order.is_some() {
                return Some(Known { exact: Some(at), order });
            }
            found = found.or(Some(Known { exact: None, order: None }));
        }
        found
    }

    /// Returns the signed and the unsigned condition that mean the same as inequality for a counter that begins on this
    /// side of an invariant bound and has a step of 1 or -1.
    fn step_orders(&self, counter: Value, bound: Value, sources: &Sources) -> Option<[IntCond; 2]> {
        let (Source::Next(at) | Source::Previous(at)) = sources[&counter] else { return None };
        match signed(self.func.ty(counter).bits(), self.steps[at]?) {
            _ if sources[&bound] != Source::Invariant => None,
            1 => Some([IntCond::Slt, IntCond::Ult]),
            -1 => Some([IntCond::Sgt, IntCond::Ugt]),
            _ => None,
        }
    }

    /// Checks whether a guard goes to the loop without any effect, or else to the loop's exit with the same arguments as
    /// the loop at its entry.
    fn is_bypass(&self, guard: &Guard, exit: &Target, sources: &Sources) -> bool {
        let mut block = self.before;
        for _ in 0..MAX_DOMINATORS {
            if block == guard.block {
                break;
            }
            let [above] = self.cfg.preds(block)[..] else { return false };
            let insts = &self.func.blocks[block].insts;
            let is_pure = |&id: &_| matches!(self.func.insts[id].op.effect(), Effect::Pure | Effect::End);
            if self.changed_blocks.contains(&block)
                || self.func.terminator(block).op != Op::Jump
                || !insts.iter().all(is_pure)
            {
                return false;
            }
            block = above;
        }
        let other = &self.func.terminator(guard.block).targets[1 - guard.taken];
        let is_equal = |(&arg, &known): (&Value, &Value)| {
            self.is_equal_at_entry(arg, known, sources, &mut MAX_COMPARED.clone())
        };
        block == guard.block && other.block == exit.block && exit.args.iter().zip(&other.args).all(is_equal)
    }
}

/// A condition that holds wherever the loop is entered, because a block above branches on it.
struct Guard {
    block: Block,
    /// Index of the target that leads to the loop.
    taken: usize,
    condition: Condition,
}

impl Guard {
    fn relation(&self, rotated: &RotatedLoop<'_>) -> Option<Relation> {
        let Condition::Compare(cond, a, b) = self.condition else { return None };
        Some(Relation::new(cond, rotated.known(a), rotated.known(b), rotated.func.ty(a)))
    }

    /// Returns the form of `wanted` that the guard implies, and the guard's own condition for its operands.
    fn implied(&self, wanted: &Relation, rotated: &RotatedLoop<'_>) -> Option<(Relation, IntCond)> {
        let (func, known) = (rotated.func, self.relation(rotated)?);
        let knowns = [Some(known), known.narrowed(func)];
        let wanted = [Some(*wanted), wanted.narrowed(func)];
        let knowns = knowns.into_iter().flatten().flat_map(|known| [known, known.swapped()]);
        knowns.into_iter().find_map(|known| {
            let form = wanted.into_iter().flatten().find(|form| known.implies(*form, func))?;
            Some((form, known.cond))
        })
    }
}

/// How a test is known to hold at the entry.
struct Known {
    /// Position of a guard that says the same.
    exact: Option<usize>,
    /// Condition that may replace inequality.
    order: Option<IntCond>,
}

/// A loop that can test at its start.
struct Plan {
    header: Block,
    latch: Block,
    before: Block,
    exit: Target,
    tests: SmallVec<[Condition; 2]>,
    sources: Sources,
    /// Parameters that become lower by their step.
    shifted: SmallVec<[usize; 2]>,
    steps: Vec<Option<u64>>,
    nexts: SmallVec<[Value; 4]>,
    /// Initial values less the steps.
    starts: Vec<Option<AtEntry>>,
    used_outside: Vec<Value>,
    /// Block whose branch is not needed any more, and the target that is.
    guard: Option<(Block, usize)>,
}

impl Plan {
    /// Changes the loop: the header keeps its parameters and gets the test, and its instructions move to a new block.
    /// Returns the replacements of values that are used outside of the loop.
    fn apply(&self, func: &mut Function) -> Vec<(Value, Value)> {
        let body = func.add_block();
        func.blocks[body].insts = std::mem::take(&mut func.blocks[self.header].insts);
        let latch = if self.latch == self.header { body } else { self.latch };
        let loc = func.terminator(latch).loc;
        let mut nexts = self.nexts.clone();
        for &at in &self.shifted {
            nexts[at] = func.blocks[self.header].params[at];
            self.shift(func, at);
        }
        let mut writer = Writer { plan: self, b: Builder { func, block: self.header, loc }, nexts: &nexts };
        let mut written = FastMap::default();
        let mut values = Vec::new();
        for &old in &self.used_outside {
            values.push((old, writer.value(old, &mut written)));
        }
        let mut exit = self.exit.clone();
        exit.args.iter_mut().for_each(|arg| *arg = writer.value(*arg, &mut written));
        for (at, &test) in self.tests.iter().enumerate() {
            let next = if at + 1 < self.tests.len() { writer.b.func.add_block() } else { body };
            writer.test(test, &mut written, Target::new(next, &[]), exit.clone());
            writer.b.switch_to(next);
        }
        func.blocks[latch].insts.pop();
        Builder { func, block: latch, loc }.jump(self.header, &nexts);
        if let Some((guard, taken)) = self.guard {
            let last = func.terminator(guard);
            let (loc, target) = (last.loc, last.targets[taken].clone());
            func.blocks[guard].insts.pop();
            Builder { func, block: guard, loc }.jump(target.block, &target.args);
        }
        values
    }

    /// Lowers a counter by its step: the value of the parameter becomes the sum of a new parameter and the step.
    fn shift(&self, func: &mut Function, at: usize) {
        let old = func.blocks[self.header].params[at];
        let (ty, step) = (func.ty(old), self.steps[at].expect("only counters are used before their step"));
        let target = |func: &Function| {
            let targets = &func.terminator(self.before).targets;
            targets.iter().position(|target| target.block == self.header).expect("it leads to the loop")
        };
        let to = target(func);
        let start = func.terminator(self.before).targets[to].args[at];
        let last = func.blocks[self.before].insts.pop().expect("it has a terminator");
        let mut b = Builder { func: &mut *func, block: self.before, loc: 0 };
        let lower = match self.starts[at] {
            Some(AtEntry::Constant(bits)) => b.iconst(ty, bits),
            Some(AtEntry::Value(value)) => value,
            None => {
                let step = b.iconst(ty, step);
                b.same(Op::Isub, &[start, step])
            }
        };
        func.blocks[self.before].insts.push(last);
        func.insts[last].targets[to].args[at] = lower;
        let guarantee = func.def_inst(self.nexts[at]).expect("it is a sum").no_wrap();
        let guarantee = guarantee.intersection(match self.starts[at] {
            Some(AtEntry::Constant(lower)) => exact_sum(lower, step, ty),
            Some(AtEntry::Value(_)) => func.def_inst(start).expect("it is a sum").no_wrap(),
            None => NoWrap::default(),
        });
        let param = func.add_param(self.header, ty);
        func.blocks[self.header].params.pop();
        func.blocks[self.header].params[at] = param;
        func.values[param].def = Def::Param(self.header, at as u32);
        let mut b = Builder::new(func, self.header);
        let step = b.iconst(ty, step);
        let sum =
            func.make_inst(Op::Iadd, ty, Args::from_slice(&[param, step]), guarantee.attr(), Vec::new(), 0);
        func.insts[sum].result = Some(old);
        func.values[old].def = Def::Inst(sum);
        func.blocks[self.header].insts.push(sum);
    }
}

/// Returns which guarantees hold for the sum of two constants.
fn exact_sum(a: u64, b: u64, ty: Type) -> NoWrap {
    let sum = a.wrapping_add(b) & mask(ty);
    let as_signed = |bits: u64| i128::from(signed(ty.bits(), bits));
    NoWrap { signed: as_signed(a) + as_signed(b) == as_signed(sum), unsigned: sum >= a }
}

/// Writes tests at the start of a loop.
struct Writer<'p, 'f> {
    plan: &'p Plan,
    b: Builder<'f>,
    /// Arguments of the latch.
    nexts: &'p [Value],
}

impl Writer<'_, '_> {
    /// Returns a value of the loop as it is when the next iteration begins.
    fn value(&mut self, value: Value, written: &mut FastMap<Value, Value>) -> Value {
        if let Some(&known) = written.get(&value) {
            return known;
        }
        let param = |writer: &Self, at: usize| writer.b.func.blocks[writer.plan.header].params[at];
        let new = match self.plan.sources[&value] {
            Source::Invariant => value,
            Source::Next(at) if self.plan.shifted.contains(&at) => self.nexts[at],
            Source::Next(at) => param(self, at),
            Source::Previous(at) if self.plan.shifted.contains(&at) => param(self, at),
            Source::Previous(at) => {
                let (param, step) = (param(self, at), self.plan.steps[at].expect("it has a step"));
                let step = self.b.iconst(self.b.func.ty(param), step);
                self.b.same(Op::Isub, &[param, step])
            }
            Source::Computed => {
                let inst = self.b.func.def_inst(value).expect("it is computed").clone();
                let args: Args = inst.args.iter().map(|&arg| self.value(arg, written)).collect();
                self.b.value(inst.op, inst.ty, &args, inst.attr)
            }
        };
        written.insert(value, new);
        new
    }

    fn test(&mut self, test: Condition, written: &mut FastMap<Value, Value>, stay: Target, exit: Target) {
        match test {
            Condition::Compare(cond, a, b) => {
                let (a, b) = (self.value(a, written), self.value(b, written));
                let cond = self.b.icmp(cond, a, b);
                self.b.br_to(cond, stay, exit);
            }
            Condition::Other(value, holds) => {
                let cond = self.value(value, written);
                let (then, otherwise) = if holds { (stay, exit) } else { (exit, stay) };
                self.b.br_to(cond, then, otherwise);
            }
        }
    }
}
