//! The change of a loop.

use smallvec::SmallVec;

use super::conditions::{AtEntry, Condition};
use super::rotated_loop::{Source, Sources};
use crate::alias::full;
use grus_ir::interp::signed;
use grus_ir::{Args, Attr, Block, Builder, Def, Function, NoWrap, Op, Target, Type, Value};
use grus_support::FastMap;

/// A loop that can test at its start.
pub(super) struct Plan {
    pub(super) header: Block,
    pub(super) latch: Block,
    pub(super) entering: Block,
    pub(super) exit: Target,
    pub(super) tests: SmallVec<[Condition; 2]>,
    pub(super) sources: Sources,
    /// Parameters that become lower by their step.
    pub(super) shifted: SmallVec<[usize; 2]>,
    pub(super) steps: Vec<Option<u64>>,
    pub(super) nexts: SmallVec<[Value; 4]>,
    /// Initial values less the steps.
    pub(super) starts: Vec<Option<AtEntry>>,
    pub(super) used_outside: Vec<Value>,
    /// Block whose branch is not needed any more, and the target that is.
    pub(super) guard: Option<(Block, usize)>,
}

impl Plan {
    /// Changes the loop: the header keeps its parameters and gets the test, and its instructions move to a new block.
    /// Returns the replacements of values that are used outside of the loop.
    pub(super) fn apply(&self, func: &mut Function) -> Vec<(Value, Value)> {
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
            let targets = &func.terminator(self.entering).targets;
            targets.iter().position(|target| target.block == self.header).expect("it leads to the loop")
        };
        let to = target(func);
        let start = func.terminator(self.entering).targets[to].args[at];
        let last = func.blocks[self.entering].insts.pop().expect("it has a terminator");
        let mut b = Builder { func: &mut *func, block: self.entering, loc: 0 };
        let lower = match self.starts[at] {
            Some(AtEntry::Constant(bits)) => b.iconst(ty, bits),
            Some(AtEntry::Value(value)) => value,
            None => {
                let step = b.iconst(ty, step);
                b.same(Op::Isub, &[start, step])
            }
        };
        func.blocks[self.entering].insts.push(last);
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
    let sum = a.wrapping_add(b) & full(ty.kind);
    let as_signed = |bits: u64| i128::from(signed(ty.bits(), bits));
    NoWrap { signed: as_signed(a) + as_signed(b) == as_signed(sum), unsigned: sum >= a }
}

/// Writer of tests at the start of a loop.
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
                // What the program guarantees of later iterations may not hold for the first values.
                let attr = if let Attr::NoWrap(_) = inst.attr { Attr::None } else { inst.attr };
                self.b.value(inst.op, inst.ty, &args, attr)
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
