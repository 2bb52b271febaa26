//! Loop splitting: emits the iterations that the whole group executes before the original loop.

use super::affine::{self, GroupEnd, ItemStride};
use super::find::{ImplicitBarrierLoop, Next};
use crate::loop_variant::LoopVariant;
use grus_ir::abi::RangeFacts;
use grus_ir::{Attr, Block, Builder, Function, Inst, InstId, IntCond, Kind, Op, Query, Target, Type, Value};
use grus_support::FastMap;

/// Minimum number of work-items in a row. In smaller groups the dispatch between iterations takes as long as
/// some work-items.
// Arbitrary.
const MIN_ITEMS: u64 = 4;

/// Transforms a loop.
pub(super) fn run(func: &mut Function, found: &ImplicitBarrierLoop, range: RangeFacts) {
    let starts: Vec<Value> = found.shape.starts(func).to_vec();
    let entry = func.add_block();
    let last = func.terminator_mut(found.shape.entering);
    for target in last.targets.iter_mut().filter(|target| target.block == found.shape.header) {
        *target = Target::new(entry, &[]);
    }
    let inside = LoopVariant::of(func, &found.blocks);
    let b = Builder::new(func, entry);
    let writer = LoopSplitter { b, found, range, starts, inside, outside: FastMap::default() };
    writer.write();
}

struct LoopSplitter<'a> {
    b: Builder<'a>,
    found: &'a ImplicitBarrierLoop,
    range: RangeFacts,
    /// Initial values of the header's parameters.
    starts: Vec<Value>,
    /// Values defined in the loop.
    inside: LoopVariant,
    /// Copies of loop-invariant values, computed before the loop.
    outside: FastMap<Value, Value>,
}

/// Values that are known before the first iteration about a counter, a parameter that exits compare. All have
/// 64 bits.
struct CounterLimits {
    /// Amount by which the counter may grow, for the last and for the first work-item, without leaving the
    /// loop.
    slack_of_last: Value,
    slack_of_first: Value,
    /// Amount by which the counter of the last work-item may grow without wrapping.
    slack_to_wrap: Value,
    step: Value,
    /// Initial value for a work-item with id 0.
    zero: Value,
    /// Query, dimension and stride of the counter in the ids.
    id: Option<(Query, u8, i64)>,
    is_signed: bool,
}

/// Representation of a header parameter that is carried between iterations.
enum Carried {
    Nothing,
    /// Sum of the steps so far; the operand is the step.
    Offset(Value),
    Value,
}

impl LoopSplitter<'_> {
    fn write(mut self) {
        let found = self.found;
        let mut condition = self.b.iconst(Type::I1, 1);
        if let Some(dim) = found.required_dim {
            let remaining = affine::last_index(&mut self.b, dim);
            self.require_items(&mut condition, remaining);
        }
        let limits: Vec<CounterLimits> =
            (0..found.counters.len()).map(|at| self.counter_limits(at, &mut condition)).collect();
        let carried: Vec<Carried> = (0..found.params.len()).map(|at| self.carried(at, &limits)).collect();
        let mut first = Vec::new();
        for (at, carried) in carried.iter().enumerate() {
            match carried {
                Carried::Nothing => {}
                Carried::Offset(step) => {
                    let ty = self.b.func.ty(*step);
                    first.push(self.b.iconst(ty, 0));
                }
                Carried::Value => first.push(self.starts[at]),
            }
        }
        let types: Vec<Type> = first.iter().map(|&value| self.b.func.ty(value)).collect();
        let [body, tail, next_iteration] = [0; 3].map(|_| self.b.func.add_block());
        self.b.br_to(condition, Target::new(body, &first), Target::new(tail, &first));
        let in_body: Vec<Value> = types.iter().map(|&ty| self.b.func.add_param(body, ty)).collect();
        let in_tail: Vec<Value> = types.iter().map(|&ty| self.b.func.add_param(tail, ty)).collect();

        self.b.switch_to(tail);
        self.b.effect(Op::Barrier, &[], Attr::None);
        let args = self.parameters(&carried, &in_tail);
        self.b.jump(found.shape.header, &args);

        self.b.switch_to(body);
        self.b.effect(Op::Barrier, &[], Attr::None);
        let mut params = self.parameters(&carried, &in_body);
        let mut counters64 = FastMap::default();
        for (counter_limits, counter) in limits.iter().zip(&found.counters) {
            let carried_index =
                carried.iter().take(counter.param).filter(|c| !matches!(c, Carried::Nothing)).count();
            let (narrow, wide) = self.counter_values(counter_limits, counter.param, in_body[carried_index]);
            params[counter.param] = narrow;
            counters64.insert(self.header_params()[counter.param], (wide, counter_limits.is_signed));
        }
        let values = self.header_params().iter().copied().zip(params).collect();
        let copy = IterationCopy {
            b: Builder::new(self.b.func, body),
            found,
            values,
            counters64,
            next_iteration,
            blocks: FastMap::default(),
        };
        let next = copy.write();
        self.emit_latch(next_iteration, [body, tail], &limits, &carried, &in_body, &next);
    }

    fn header_params(&self) -> Vec<Value> {
        self.b.func.blocks[self.found.shape.header].params.clone()
    }

    /// Returns a loop-invariant value, computed before the loop.
    fn before(&mut self, value: Value) -> Value {
        self.inside.before(&mut self.b, value, &mut self.outside)
    }

    /// Returns the step of a parameter in the parameter's width.
    fn step(&mut self, at: usize) -> Option<Value> {
        let Next::Step(by) = self.found.params[at] else { return None };
        let by = self.before(by);
        let ty = self.b.func.ty(self.starts[at]);
        let is_wider = ty.kind.is_int() && self.b.func.ty(by).bits() > ty.bits();
        Some(if is_wider { self.b.convert(Op::Trunc, ty, by) } else { by })
    }

    fn extended(&mut self, value: Value, is_signed: bool) -> Value {
        self.b.convert(if is_signed { Op::Sext } else { Op::Zext }, Type::I64, value)
    }

    fn require(&mut self, condition: &mut Value, cond: IntCond, a: Value, b: Value) {
        let holds = self.b.icmp(cond, a, b);
        *condition = self.b.same(Op::And, &[*condition, holds]);
    }

    /// Requires a minimum number of work-items in a row; `last_index` is their number minus one.
    fn require_items(&mut self, condition: &mut Value, last_index: Value) {
        let min_items = self.b.iconst(Type::I64, MIN_ITEMS - 1);
        self.require(condition, IntCond::Uge, last_index, min_items);
    }

    /// Emits the conditions under which a counter allows the whole group to execute the first iteration, and
    /// the values that later iterations test.
    fn counter_limits(&mut self, number: usize, condition: &mut Value) -> CounterLimits {
        let counter = self.found.counters[number];
        let is_signed = counter.is_signed;
        let (start, zero) = (self.starts[counter.param], self.b.iconst(Type::I64, 0));
        let step = self.step(counter.param).expect("a counter goes in steps");
        let step = self.extended(step, is_signed);
        self.require(condition, if is_signed { IntCond::Sgt } else { IntCond::Ne }, step, zero);
        let mut emitted = FastMap::default();
        let uniform = &self.found.uniform;
        let [first, last] = [GroupEnd::First, GroupEnd::Last]
            .map(|end| affine::at_end(&mut self.b, uniform, start, end, &mut emitted));
        let [first, last] = [first, last].map(|value| self.extended(value, is_signed));
        if is_signed {
            self.require(condition, IntCond::Sge, first, zero);
        }
        let mut id = None;
        let mut at_zero = first;
        if let ItemStride::Step(query, dim, by) = counter.item_stride {
            let remaining = affine::last_index(&mut self.b, dim);
            let factor = self.b.iconst(Type::I64, by as u64);
            let (difference, expected) =
                (self.b.same(Op::Isub, &[last, first]), self.b.same(Op::Imul, &[remaining, factor]));
            self.require(condition, IntCond::Eq, difference, expected);
            self.require_items(condition, remaining);
            if query == Query::GlobalId {
                let id = self.b.query(Query::FirstId, dim);
                let before = self.b.same(Op::Imul, &[id, factor]);
                at_zero = self.b.same(Op::Isub, &[first, before]);
            }
            id = Some((query, dim, by));
        }
        let max_in_loop = self.max_in_loop(number, condition);
        self.require(condition, IntCond::Ule, last, max_in_loop);
        let [slack_of_last, slack_of_first] =
            [last, first].map(|value| self.b.same(Op::Isub, &[max_in_loop, value]));
        let max_of_type = self.max_of_type(number);
        let slack_to_wrap = self.b.same(Op::Isub, &[max_of_type, last]);
        CounterLimits { slack_of_last, slack_of_first, slack_to_wrap, step, zero: at_zero, id, is_signed }
    }

    /// Returns the largest value of a counter's type.
    fn max_of_type(&mut self, number: usize) -> Value {
        let counter = self.found.counters[number];
        let bits = self.b.func.ty(self.starts[counter.param]).bits() - u32::from(counter.is_signed);
        self.b.iconst(Type::I64, if bits == 64 { u64::MAX } else { (1 << bits) - 1 })
    }

    /// Returns the largest value with which a counter stays in the loop.
    fn max_in_loop(&mut self, number: usize, condition: &mut Value) -> Value {
        let found = self.found;
        let counter = found.counters[number];
        let mut max_in_loop = self.max_of_type(number);
        let zero = self.b.iconst(Type::I64, 0);
        for exit in found.exits.iter().filter(|exit| exit.param == counter.param) {
            let bound = self.before(exit.bound);
            let is_signed = matches!(exit.cond, IntCond::Slt | IntCond::Sle);
            let bound = self.extended(bound, is_signed);
            let is_less = matches!(exit.cond, IntCond::Slt | IntCond::Ult);
            let cond = match (is_signed, is_less) {
                (true, true) => IntCond::Sgt,
                (true, false) => IntCond::Sge,
                (false, true) => IntCond::Ne,
                (false, false) => IntCond::Uge,
            };
            self.require(condition, cond, bound, zero);
            let one = self.b.iconst(Type::I64, u64::from(is_less));
            let max_below_bound = self.b.same(Op::Isub, &[bound, one]);
            max_in_loop = self.b.same(Op::Umin, &[max_in_loop, max_below_bound]);
        }
        max_in_loop
    }

    /// Returns the representation of a parameter between iterations.
    fn carried(&mut self, at: usize, limits: &[CounterLimits]) -> Carried {
        if let Some(number) = self.found.counters.iter().position(|counter| counter.param == at) {
            return Carried::Offset(limits[number].step);
        }
        match self.found.params[at] {
            Next::Same => Carried::Nothing,
            Next::Other => Carried::Value,
            Next::Step(_) => Carried::Offset(self.step(at).expect("it goes in steps")),
        }
    }

    /// Computes the header's parameters from the carried values.
    fn parameters(&mut self, carried: &[Carried], values: &[Value]) -> Vec<Value> {
        let mut values = values.iter().copied();
        let mut params = Vec::new();
        for (at, carried) in carried.iter().enumerate() {
            let start = self.starts[at];
            let ty = self.b.func.ty(start);
            params.push(match carried {
                Carried::Nothing => start,
                Carried::Value => values.next().expect("one for each"),
                Carried::Offset(_) => {
                    let offset = values.next().expect("one for each");
                    if ty.kind.is_ptr() {
                        self.b.ptr_add(start, offset)
                    } else {
                        let offset = self.b.convert(Op::Trunc, ty, offset);
                        self.b.same(Op::Iadd, &[start, offset])
                    }
                }
            });
        }
        params
    }

    /// Computes a counter in an iteration of the whole group, in its own width and in 64 bits.
    fn counter_values(&mut self, counter_limits: &CounterLimits, at: usize, offset: Value) -> (Value, Value) {
        let ty = self.b.func.ty(self.starts[at]);
        let remaining = self.b.same(Op::Iadd, &[counter_limits.zero, offset]);
        let Some((query, dim, by)) = counter_limits.id else {
            return (self.b.convert(Op::Trunc, ty, remaining), remaining);
        };
        let id = self.b.query(query, dim);
        let factor = self.b.iconst(Type::I64, by as u64);
        let part = if by == 1 { id } else { self.b.same(Op::Imul, &[id, factor]) };
        let wide = self.b.same(Op::Iadd, &[part, remaining]);
        // The id and the sum are from 0 to the largest signed number, so the addition does not wrap.
        let is_small = query == Query::LocalId || self.range.ids_fit_31;
        let narrow = if by == 1 && counter_limits.is_signed && is_small && ty.kind == Kind::I32 {
            let (part, remaining) =
                (self.b.convert(Op::Trunc, ty, id), self.b.convert(Op::Trunc, ty, remaining));
            self.b.signed(Op::Iadd, &[part, remaining])
        } else {
            self.b.convert(Op::Trunc, ty, wide)
        };
        (narrow, wide)
    }

    /// Emits the end of an iteration: a branch to the next iteration if the whole group executes it, to the
    /// code after the loop if no work-item does, and to the original loop otherwise.
    fn emit_latch(
        &mut self,
        next_iteration: Block,
        [body, tail]: [Block; 2],
        limits: &[CounterLimits],
        carried: &[Carried],
        values: &[Value],
        next: &[Value],
    ) {
        let found = self.found;
        self.b.switch_to(next_iteration);
        let mut all_continue = self.b.iconst(Type::I1, 1);
        let mut none_continue = self.b.iconst(Type::I1, 0);
        let mut args = Vec::new();
        let mut values = values.iter().copied();
        for (at, carried) in carried.iter().enumerate() {
            match carried {
                Carried::Nothing => {}
                Carried::Value => {
                    values.next();
                    args.push(next[at]);
                }
                Carried::Offset(step) => {
                    let offset = values.next().expect("one for each");
                    args.push(self.b.same(Op::Iadd, &[offset, *step]));
                    let number = found.counters.iter().position(|counter| counter.param == at);
                    if let Some((number, counter_limits)) = number.map(|number| (number, &limits[number])) {
                        let left = self.b.same(Op::Isub, &[counter_limits.slack_of_last, offset]);
                        self.require(&mut all_continue, IntCond::Ule, counter_limits.step, left);
                        let mut is_past_bound =
                            self.b.iconst(Type::I1, u64::from(found.counters[number].is_early));
                        let left = self.b.same(Op::Isub, &[counter_limits.slack_of_first, offset]);
                        self.require(&mut is_past_bound, IntCond::Ugt, counter_limits.step, left);
                        let left = self.b.same(Op::Isub, &[counter_limits.slack_to_wrap, offset]);
                        self.require(&mut is_past_bound, IntCond::Ule, counter_limits.step, left);
                        none_continue = self.b.same(Op::Or, &[none_continue, is_past_bound]);
                    }
                }
            }
        }
        let mut remaining = Target::new(tail, &args);
        if let Some(exit_block) = found.exit_block {
            let ends = self.b.func.add_block();
            let targets =
                vec![Target::new(exit_block, &[]), std::mem::replace(&mut remaining, Target::new(ends, &[]))];
            self.b.switch_to(ends);
            self.b.inst(Op::BrIf, Type::VOID, &[none_continue], Attr::None, targets);
            self.b.switch_to(next_iteration);
        }
        self.b.br_to(all_continue, Target::new(body, &args), remaining);
    }
}

/// Copies an iteration without its exits.
struct IterationCopy<'a> {
    /// Builder at the start of the iteration.
    b: Builder<'a>,
    found: &'a ImplicitBarrierLoop,
    values: FastMap<Value, Value>,
    /// Counters in 64 bits, and whether they are compared as signed numbers; those are never negative.
    counters64: FastMap<Value, (Value, bool)>,
    /// Block at the end of the iteration.
    next_iteration: Block,
    blocks: FastMap<Block, Block>,
}

impl IterationCopy<'_> {
    /// Emits the copy; returns the header's parameters of the next iteration.
    fn write(mut self) -> Vec<Value> {
        let found = self.found;
        for &block in &found.blocks {
            let copy = self.b.func.add_block();
            self.blocks.insert(block, copy);
            if block == found.shape.header {
                continue;
            }
            self.b.func.blocks[copy].unroll = self.b.func.blocks[block].unroll;
            for param in self.b.func.blocks[block].params.clone() {
                let ty = self.b.func.ty(param);
                let new = self.b.func.add_param(copy, ty);
                self.values.insert(param, new);
            }
        }
        let start = self.blocks[&found.shape.header];
        self.b.jump(start, &[]);
        let mut next = Vec::new();
        for &block in &found.blocks {
            let copy = self.blocks[&block];
            self.b.switch_to(copy);
            for id in self.b.func.blocks[block].insts.clone() {
                let inst = self.b.func.insts[id].clone();
                self.b.loc = inst.loc;
                if inst.op.is_terminator() {
                    self.terminator(block, inst, &mut next);
                } else {
                    self.inst(inst);
                }
            }
        }
        next
    }

    fn value(&self, value: Value) -> Value {
        self.values.get(&value).copied().unwrap_or(value)
    }

    fn inst(&mut self, inst: Inst) {
        let is_extended = matches!(inst.op, Op::Sext | Op::Zext) && inst.ty == Type::I64;
        if is_extended
            && let Some(&(wide, is_signed)) = self.counters64.get(&inst.args[0])
            && (is_signed || inst.op == Op::Zext)
        {
            self.values.extend(inst.result.map(|result| (result, wide)));
            return;
        }
        let args: Vec<Value> = inst.args.iter().map(|&arg| self.value(arg)).collect();
        let new: InstId = self.b.inst(inst.op, inst.ty, &args, inst.attr, Vec::new());
        let new = self.b.func.insts[new].result;
        self.values.extend(inst.result.zip(new));
    }

    fn terminator(&mut self, block: Block, inst: Inst, next: &mut Vec<Value>) {
        let exit = self.found.exits.iter().find(|exit| exit.block == block);
        let mut targets = inst.targets;
        let (op, attr) = match exit {
            Some(exit) => {
                targets = vec![targets.swap_remove(exit.stay_target)];
                (Op::Jump, Attr::None)
            }
            None => (inst.op, inst.attr),
        };
        for target in &mut targets {
            let args: Vec<Value> = target.args.iter().map(|&arg| self.value(arg)).collect();
            if target.block == self.found.shape.header {
                *next = args;
                *target = Target::new(self.next_iteration, &[]);
            } else {
                *target = Target::new(self.blocks[&target.block], &args);
            }
        }
        let args: Vec<Value> =
            if exit.is_some() { Vec::new() } else { inst.args.iter().map(|&arg| self.value(arg)).collect() };
        self.b.inst(op, Type::VOID, &args, attr, targets);
    }
}
