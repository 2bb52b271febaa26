//! Loops that test at their end: which tests can be made at the start, and what is known of them at the entry.

use smallvec::SmallVec;

use super::super::equality::{MAX_COMPARED, are_equal, is_same_operation};
use super::MAX_USED_OUTSIDE;
use super::conditions::{AtEntry, Condition, Relation, conjunction};
use super::plan::Plan;
use crate::alias::full;
use grus_ir::analysis::{Cfg, DomTree, LoopId, Loops, SimpleLoop};
use grus_ir::interp::{compare_int, signed};
use grus_ir::{Block, Def, Effect, Function, IntCond, Op, Target, Value};
use grus_support::{FastMap, FastSet, IdMap};

/// Maximum number of operations of a test or another value that is computed at the start instead.
// Arbitrary.
const MAX_OPERATIONS: usize = 16;
/// Maximum number of dominators of a loop that are looked at for guards.
// Arbitrary.
const MAX_DOMINATORS: usize = 8;
/// Maximum number of parameters of a loop's header, and of arguments of its exit.
// Arbitrary.
const MAX_PARAMS: usize = 128;
/// Maximum number of counters that a loop's test may use before their steps.
// Arbitrary.
const MAX_SHIFTED: usize = 64;

/// A loop whose last block tests whether there is another iteration.
pub(super) struct RotatedLoop<'a> {
    func: &'a Function,
    cfg: &'a Cfg,
    loops: &'a Loops,
    homes: &'a IdMap<Value, Option<LoopId>>,
    changed_blocks: &'a FastSet<Block>,
    id: LoopId,
    header: Block,
    latch: Block,
    /// The only predecessor of the header outside of the loop.
    entering: Block,
    params: &'a [Value],
    /// Values of the parameters in the first iteration, and in the next one.
    starts: &'a [Value],
    nexts: &'a [Value],
    /// Constants that are added to parameters in each iteration.
    steps: Vec<Option<u64>>,
    /// Index of the latch's target that is the header.
    stay: usize,
}

/// Origin of a value of the loop, computed from the parameters of the next iteration.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Source {
    Invariant,
    /// The parameter at this position.
    Next(usize),
    /// The parameter less its step.
    Previous(usize),
    Computed,
}

pub(super) type Sources = FastMap<Value, Source>;

impl<'a> RotatedLoop<'a> {
    pub(super) fn of(
        func: &'a Function,
        cfg: &'a Cfg,
        loops: &'a Loops,
        homes: &'a IdMap<Value, Option<LoopId>>,
        changed_blocks: &'a FastSet<Block>,
        id: LoopId,
    ) -> Option<RotatedLoop<'a>> {
        let shape = loops.simple(func, cfg, id)?;
        let SimpleLoop { header, entering, latch, stay, .. } = shape;
        if [entering, latch, header].iter().any(|block| changed_blocks.contains(block)) {
            return None;
        }
        let params = &func.blocks[header].params;
        if params.len() > MAX_PARAMS {
            return None;
        }
        let step = |(&param, &next): (&Value, &Value)| {
            let inst = func.def_inst(next).filter(|inst| inst.op == Op::Iadd && !inst.ty.is_vector())?;
            let other = inst.args.iter().position(|&arg| arg == param)?;
            func.as_const(inst.args[1 - other])
        };
        let steps = params.iter().zip(shape.nexts(func)).map(step).collect();
        Some(RotatedLoop {
            func,
            cfg,
            loops,
            homes,
            changed_blocks,
            id,
            header,
            latch,
            entering,
            params,
            starts: shape.starts(func),
            nexts: shape.nexts(func),
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
        let is_same = |&next: &Value| are_equal(self.func, next, value);
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
            return Some(AtEntry::Constant(bits.wrapping_sub(step) & full(self.func.ty(start).kind)));
        }
        let inst = self.func.def_inst(start).filter(|inst| inst.op == Op::Iadd)?;
        let other = inst.args.iter().position(|&arg| self.func.as_const(arg) == Some(step))?;
        Some(AtEntry::Value(inst.args[1 - other]))
    }

    /// Checks whether a value at the entry is equal to a value that is known there.
    fn is_equal_at_entry(&self, value: Value, known: Value, sources: &Sources, budget: &mut usize) -> bool {
        if self.func.ty(value) != self.func.ty(known) {
            return false;
        }
        match self.at_entry(value, sources) {
            Some(AtEntry::Constant(bits)) => self.func.as_const(known) == Some(bits),
            Some(AtEntry::Value(value)) => are_equal(self.func, value, known),
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
    pub(super) fn plan(&self, dom: &DomTree, used_outside: &[Value]) -> Option<Plan> {
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
            entering: self.entering,
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
        let (mut block, mut child) = (self.entering, self.header);
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
            let holds = |cond| compare_int(cond, ty.bits(), first, second);
            let order = orders.and_then(|orders| orders.into_iter().find(|&order| holds(order)));
            return holds(cond).then_some(Known { exact: None, order });
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
            if self.is_zero_extended(&relation, &form) && greater.is_signed() {
                // The guard says more than the test: negative numbers are large once they are extended with zeros. Both
                // orders are the same above a number that is not negative.
                let is_above = matches!(greater, IntCond::Sgt | IntCond::Sge)
                    && matches!(form.b, AtEntry::Constant(bits) if signed(form.ty.bits(), bits) >= 0);
                found = found.or(Some(Known { exact: None, order: order.filter(|_| is_above) }));
                continue;
            }
            if known == form.cond || order.is_some() {
                return Some(Known { exact: Some(at), order });
            }
            found = found.or(Some(Known { exact: None, order: None }));
        }
        found
    }

    /// Checks whether a form of a relation compares the numbers before they were extended with zeros.
    fn is_zero_extended(&self, wide: &Relation, form: &Relation) -> bool {
        let AtEntry::Value(a) = wide.a else { return false };
        form.ty != wide.ty && self.func.def_inst(a).is_some_and(|inst| inst.op == Op::Zext)
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
        let mut block = self.entering;
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
pub(super) struct Guard {
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

/// Reason why a test holds at the entry.
pub(super) struct Known {
    /// Position of a guard that says the same.
    exact: Option<usize>,
    /// Condition that may replace inequality.
    order: Option<IntCond>,
}
