//! Speculatively affine values: affine unless a lane wraps. These are unsigned indices of 32 bits,
//! `a[get_global_id(0) + n]`, and rows of an image that is enqueued as one row, `get_global_id(0) % width`,
//! whose quotients are uniform. Values in which lanes are permuted, `i ^ distance`, are treated alike if the
//! first lane's `i` is a multiple of the number of lanes.
//!
//! A test on the first lane is emitted where such a value is defined. Memory is then accessed in two versions:
//! with the stride, or by a gather or scatter, which is rarely executed. All other uses treat these values as
//! varying and compute their lanes on demand, since most have no other uses. Only quotients and remainders are
//! computed immediately, in two versions as well.

use super::super::block_order::BlockOrder;
use super::super::divergence::{Shapes, VectorShape};
use super::super::widen::Widener;
use crate::ir::interp::signed;
use crate::ir::{Attr, Function, Inst, IntCond, Kind, Op, Type, Value};
use crate::passes::alias::full;
use crate::support::FastMap;

/// Speculative strides by value.
pub(in crate::passes::vectorize) type Steps = FastMap<Value, SpeculativeStride>;

/// A speculative stride.
#[derive(Clone, Copy, Debug)]
pub(in crate::passes::vectorize) struct SpeculativeStride {
    pub step: i64,
    /// True if no lane wraps as a signed integer, provided that the value is affine.
    is_exact: bool,
    /// Condition of this instruction, besides those of its operands.
    asks: StrideCondition,
    /// Length of the chain of instructions from the first condition.
    depth: u32,
    /// Uniform number with which the lane numbers are xored, if lanes are permuted.
    swap: Option<Value>,
}

/// Condition that is tested where a value is defined.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum StrideCondition {
    Nothing,
    /// No lane wraps before it is extended.
    Widened,
    /// The divisor is greater than the remainders of all lanes.
    Divided,
    /// This many low bits do not wrap.
    Bits(u32),
    /// The first lane is a multiple of the number of lanes.
    Aligned,
}

/// The first lane of a value, its step, and the test that it is affine.
#[derive(Clone, Copy, Debug)]
pub(in crate::passes::vectorize) struct Likely {
    pub first: Value,
    pub step: i64,
    pub is_so: Value,
    pub swap: Option<Swap>,
}

/// Permutation of lanes: lane `i` is exchanged with lane `i ^ mask`.
#[derive(Clone, Copy, Debug)]
pub(in crate::passes::vectorize) enum Swap {
    Known(u16),
    /// Mask in the low bits of a run-time value.
    By(Value),
}

/// Limit of the length of chains of instructions: their lanes are recomputed in each block that needs them.
// Arbitrary.
const MOST_DEPTH: u32 = 8;

/// Finds the speculatively affine values of a function.
pub(in crate::passes::vectorize) fn find(
    func: &Function,
    order: &BlockOrder,
    shapes: &Shapes<'_>,
    lanes: u16,
) -> Steps {
    let mut found = Steps::default();
    for &block in &order.blocks {
        for &id in &func.blocks[block].insts {
            let inst = &func.insts[id];
            let Some(result) = inst.result.filter(|&result| shapes.of(result) == VectorShape::Varying) else {
                continue;
            };
            if inst.ty.is_vector() {
                continue;
            }
            let of = |i: usize| match shapes.at(inst.args[i], block) {
                VectorShape::Stride(stride) => {
                    let (step, is_exact) = (stride.step, stride.is_exact);
                    Some((
                        SpeculativeStride {
                            step,
                            is_exact,
                            asks: StrideCondition::Nothing,
                            depth: 0,
                            swap: None,
                        },
                        stride.max,
                    ))
                }
                _ if shapes.leaves(inst.args[i], block) => None,
                _ => Some((*found.get(&inst.args[i])?, None)),
            };
            let step = step(func, inst, lanes, of);
            // At least one condition must be tested.
            let is_asked = |step: &SpeculativeStride| step.asks != StrideCondition::Nothing || step.depth > 1;
            if let Some(step) = step.filter(|step| is_asked(step) && step.depth <= MOST_DEPTH) {
                found.insert(result, step);
            }
        }
    }
    found
}

/// Returns the speculative stride of a result, given the strides and upper bounds of its operands.
fn step(
    func: &Function,
    inst: &Inst,
    lanes: u16,
    of: impl Fn(usize) -> Option<(SpeculativeStride, Option<u64>)>,
) -> Option<SpeculativeStride> {
    let kind = inst.ty.kind;
    let bits = |i: usize| func.as_const(inst.args[i]);
    let keeps = inst.attr == Attr::NoSignedWrap;
    // The properties of an operand with another step.
    let made = |step: Option<i64>, is_exact: bool, of: SpeculativeStride| {
        let step = step?;
        let (is_exact, depth) = (is_exact || step == 0, of.depth + 1);
        Some(SpeculativeStride { step, is_exact, asks: StrideCondition::Nothing, depth, ..of })
    };
    let both = |step: fn(i64, i64) -> Option<i64>| {
        let (a, b) = (of(0)?.0, of(1)?.0);
        let swap = match (a.swap, b.swap) {
            (None, None) => None,
            (swap @ Some(_), None) if b.step == 0 => swap,
            (None, swap @ Some(_)) if a.step == 0 => swap,
            _ => return None,
        };
        let operands = SpeculativeStride { swap, depth: a.depth.max(b.depth), ..a };
        made(step(a.step, b.step), keeps && a.is_exact && b.is_exact, operands)
    };
    match inst.op {
        Op::Zext | Op::Sext => {
            let (from, operand) = (func.ty(inst.args[0]).kind, of(0)?.0);
            let step = signed(from.bits(), operand.step as u64);
            (from != Kind::I1).then_some(())?;
            if inst.op == Op::Sext && operand.is_exact && operand.depth > 0 {
                return made(Some(operand.step), true, operand);
            }
            limit(inst.op, from, step, lanes)?;
            let asks = if step == 0 { StrideCondition::Nothing } else { StrideCondition::Widened };
            Some(SpeculativeStride { asks, ..made(Some(step), true, operand)? })
        }
        Op::Trunc if kind != Kind::I1 => {
            let operand = of(0)?.0;
            made(Some(signed(kind.bits(), operand.step as u64)), false, operand)
        }
        Op::Iadd | Op::PtrAdd => both(i64::checked_add),
        Op::Isub => both(i64::checked_sub),
        Op::Imul => {
            let (a, b) = (of(0)?.0, of(1)?.0);
            let step = match bits(1) {
                Some(by) => a.step.checked_mul(signed(kind.bits(), by)),
                None => (a.step == 0 && b.step == 0).then_some(0),
            };
            b.swap.is_none().then_some(())?;
            made(step, keeps && a.is_exact, SpeculativeStride { depth: a.depth.max(b.depth), ..a })
        }
        Op::Shl => {
            let by = u32::try_from(bits(1)?).ok().filter(|&by| by < kind.bits().min(32))?;
            let operand = of(0)?.0;
            made(operand.step.checked_mul(1 << by), false, operand)
        }
        Op::Xor => swapped(inst, lanes, of),
        _ => divided(func, inst, lanes, of),
    }
}

/// Matches contiguous values in which lanes are permuted by a uniform mask.
fn swapped(
    inst: &Inst,
    lanes: u16,
    of: impl Fn(usize) -> Option<(SpeculativeStride, Option<u64>)>,
) -> Option<SpeculativeStride> {
    let steps = [of(0)?.0, of(1)?.0];
    let by = steps.iter().position(|step| step.step == 0)?;
    let are_plain = steps.iter().all(|step| step.depth == 0);
    let is_row = are_plain && steps[1 - by].step == 1 && lanes.is_power_of_two();
    let swap = Some(inst.args[by]);
    is_row.then_some(SpeculativeStride {
        step: 1,
        is_exact: true,
        asks: StrideCondition::Aligned,
        depth: 1,
        swap,
    })
}

/// Matches quotients and remainders of affine values.
fn divided(
    func: &Function,
    inst: &Inst,
    lanes: u16,
    of: impl Fn(usize) -> Option<(SpeculativeStride, Option<u64>)>,
) -> Option<SpeculativeStride> {
    let is_quotient = matches!(inst.op, Op::Udiv | Op::Sdiv | Op::Lshr | Op::Ashr);
    if !is_quotient && !matches!(inst.op, Op::Urem | Op::Srem | Op::And) {
        return None;
    }
    let all = full(inst.ty.kind);
    let (SpeculativeStride { step, depth: 0, .. }, max) = of(0)? else { return None };
    let (SpeculativeStride { step: 0, depth: 0, .. }, _) = of(1)? else { return None };
    let last = u64::try_from(step).ok().filter(|&step| step > 0)?.checked_mul(u64::from(lanes) - 1)?;
    let max = max.filter(|_| last <= all >> 1)?;
    let by = func.as_const(inst.args[1]);
    let is_signed = matches!(inst.op, Op::Sdiv | Op::Srem | Op::Ashr);
    if is_signed && max > all >> 1 {
        return None;
    }
    let asks = match inst.op {
        Op::Udiv | Op::Sdiv | Op::Urem | Op::Srem => {
            // A divisor below the number of lanes never satisfies the condition.
            by.is_none_or(|by| by > last).then_some(StrideCondition::Divided)?
        }
        Op::Lshr | Op::Ashr => StrideCondition::Bits((by? % u64::from(inst.ty.kind.bits())) as u32),
        _ => StrideCondition::Bits(by.filter(|by| by & by.wrapping_add(1) == 0)?.count_ones()),
    };
    if let StrideCondition::Bits(bits) = asks {
        (bits < 63 && (1 << bits) > last).then_some(())?;
    }
    let is_exact = is_quotient || max <= all >> 1;
    Some(SpeculativeStride { step: if is_quotient { 0 } else { step }, is_exact, asks, depth: 1, swap: None })
}

/// Returns the comparison of the first lane, with constant bits, that excludes wrapping in any lane.
fn limit(op: Op, kind: Kind, step: i64, lanes: u16) -> Option<(IntCond, u64)> {
    let last = step.unsigned_abs().checked_mul(u64::from(lanes) - 1)?;
    let all = full(kind);
    if last > all >> 1 {
        return None;
    }
    Some(match (op == Op::Sext, step > 0) {
        (false, true) => (IntCond::Ule, all - last),
        (false, false) => (IntCond::Uge, last),
        (true, true) => (IntCond::Sle, (all >> 1) - last),
        (true, false) => (IntCond::Sge, (all ^ all >> 1) + last),
    })
}

impl Widener<'_, '_> {
    /// Emits the first lane and the test of a speculatively affine value. Returns true if the result is one.
    pub(in crate::passes::vectorize) fn note_likely(&mut self, inst: &Inst) -> bool {
        let Some(result) = inst.result else { return false };
        let Some(&SpeculativeStride { step, asks, swap, .. }) = self.source.likely.get(&result) else {
            return false;
        };
        let mut conditions: Vec<Value> = Vec::new();
        let mut args = Vec::new();
        for &arg in &inst.args {
            if let Some(known) = self.likely.get(&arg).copied() {
                args.push(known.first);
                conditions.push(known.is_so);
            } else {
                args.push(self.scalar(arg));
            }
        }
        let mut first = self.b.value(inst.op, inst.ty, &args, inst.attr.clone());
        match asks {
            StrideCondition::Nothing => {}
            StrideCondition::Aligned => {
                let own = usize::from(swap == Some(inst.args[0]));
                let ends = self.b.iconst(inst.ty, u64::from(self.lanes) - 1);
                let end = self.b.same(Op::And, &[args[own], ends]);
                let zero = self.b.zero(inst.ty);
                conditions.push(self.b.icmp(IntCond::Eq, end, zero));
                let rows = self.b.iconst(inst.ty, (u64::from(self.lanes) - 1) ^ full(inst.ty.kind));
                first = self.b.same(Op::And, &[first, rows]);
            }
            StrideCondition::Widened => conditions.push(self.is_not_wrapped(inst.op, args[0], step)),
            StrideCondition::Divided => conditions.extend(self.is_one_quotient(inst, &args, first)),
            StrideCondition::Bits(bits) => conditions.push(self.is_within(inst, args[0], bits)),
        }
        conditions.dedup();
        let all = conditions.into_iter().reduce(|a, b| self.b.same(Op::And, &[a, b]));
        let is_so = all.expect("something is asked");
        let swap = swap.map(|by| self.swap(by));
        self.likely.insert(result, Likely { first, step, is_so, swap });
        if asks == StrideCondition::Divided {
            // Else the lanes would be divided one by one.
            let made = self.either_way(is_so, |widener, is_so| {
                let lanes = if is_so { widener.spread(first, step) } else { widener.lanes_of_likely(result) };
                Some(lanes)
            });
            self.define(inst, made.expect("lanes"));
        }
        true
    }

    /// Returns the permutation by a uniform mask.
    fn swap(&mut self, by: Value) -> Swap {
        match self.source.func.as_const(by) {
            Some(known) => Swap::Known((known % u64::from(self.lanes)) as u16),
            None => Swap::By(self.scalar(by)),
        }
    }

    /// Permutes the lanes of a vector.
    pub(in crate::passes::vectorize) fn swapped(&mut self, vector: Value, swap: Swap) -> Value {
        let lanes = self.lanes;
        match swap {
            Swap::Known(by) => {
                let picks: Vec<u16> = (0..lanes).map(|lane| lane ^ by).collect();
                self.b.shuffle(vector, vector, &picks)
            }
            Swap::By(by) => {
                let ty = self.b.func.ty(by);
                let ends = self.b.iconst(ty, u64::from(lanes) - 1);
                let end = self.b.same(Op::And, &[by, ends]);
                let end = if ty.kind.bits() > 32 { self.b.convert(Op::Trunc, Type::I32, end) } else { end };
                let numbers = Type::I32.with_lanes(lanes);
                let own = self.b.value(Op::Iota, numbers, &[], Attr::None);
                let end = self.b.splat(numbers, end);
                let from = self.b.same(Op::Xor, &[own, end]);
                let ty = self.b.func.ty(vector);
                if ty.kind == Kind::I1 {
                    let number = self.b.convert(Op::Sext, numbers, vector);
                    let picked = self.b.value(Op::Permute, numbers, &[number, from], Attr::None);
                    let zero = self.b.zero(numbers);
                    return self.b.icmp(IntCond::Ne, picked, zero);
                }
                self.b.value(Op::Permute, ty, &[vector, from], Attr::None)
            }
        }
    }

    /// Emits the test that no lane wraps before a value is extended.
    fn is_not_wrapped(&mut self, op: Op, first: Value, step: i64) -> Value {
        let from = self.b.func.ty(first);
        let (cond, bits) = limit(op, from.kind, step, self.lanes).expect("asked before");
        let bits = self.b.iconst(from, bits);
        self.b.icmp(cond, first, bits)
    }

    /// Returns the difference between the last lane of a dividend and the first one.
    fn last_of(&mut self, dividend: Value) -> u64 {
        let step = self.source.shapes.of(dividend).step().unwrap_or(0);
        step as u64 * (u64::from(self.lanes) - 1)
    }

    /// Emits the tests that all lanes have the quotient of the first one: the divisor is positive, and exceeds
    /// the first lane's remainder by more than the last lane exceeds the first.
    fn is_one_quotient(&mut self, inst: &Inst, args: &[Value], first: Value) -> [Value; 2] {
        let last = self.last_of(inst.args[0]);
        let rest = if matches!(inst.op, Op::Udiv | Op::Sdiv) {
            let whole = self.b.same(Op::Imul, &[first, args[1]]);
            self.b.same(Op::Isub, &[args[0], whole])
        } else {
            first
        };
        let left = self.b.same(Op::Isub, &[args[1], rest]);
        let (last, zero) = (self.b.iconst(inst.ty, last), self.b.zero(inst.ty));
        let is_signed = matches!(inst.op, Op::Sdiv | Op::Srem);
        let above = if is_signed { IntCond::Sgt } else { IntCond::Ugt };
        [self.b.icmp(above, left, last), self.b.icmp(above, args[1], zero)]
    }

    /// Emits the test that the low bits do not wrap in any lane.
    fn is_within(&mut self, inst: &Inst, first: Value, bits: u32) -> Value {
        let last = self.last_of(inst.args[0]);
        let all = (1u64 << bits) - 1;
        let (mask, most) = (self.b.iconst(inst.ty, all), self.b.iconst(inst.ty, all - last));
        let end = self.b.same(Op::And, &[first, mask]);
        self.b.icmp(IntCond::Ule, end, most)
    }

    /// Returns the speculation on an address as seen by the current block.
    pub(in crate::passes::vectorize) fn likely_at(&self, pointer: Value) -> Option<Likely> {
        let leaves = self.source.shapes.leaves(pointer, self.here);
        self.likely.get(&pointer).copied().filter(|_| !leaves)
    }

    /// Emits all lanes of a speculatively affine value, without speculation.
    pub(in crate::passes::vectorize) fn lanes_of_likely(&mut self, value: Value) -> Value {
        let inst = self.source.func.def_inst(value).expect("no parameter is one");
        let args: Vec<Value> = inst.args.iter().map(|&arg| self.vector(arg)).collect();
        let ty = self.wide(inst.ty);
        let op = if inst.op == Op::PtrAdd { Op::Iadd } else { inst.op };
        self.b.value(op, ty, &args, Attr::None)
    }

    /// Emits both versions of an access, the likely one first, and returns the merged result.
    pub(in crate::passes::vectorize) fn either_way(
        &mut self,
        is_so: Value,
        mut access: impl FnMut(&mut Self, bool) -> Option<Value>,
    ) -> Option<Value> {
        let [so, not, after] = [(); 3].map(|()| self.b.func.add_block());
        self.b.br_if(is_so, so, not);
        let mut result = None;
        for (block, is_so) in [(so, true), (not, false)] {
            self.b.switch_to(block);
            let made = access(self, is_so);
            let given: Vec<Value> = made.into_iter().collect();
            self.b.jump(after, &given);
            result = made.map(|value| self.b.func.ty(value));
        }
        self.frequencies.cold.insert(not);
        self.b.switch_to(after);
        result.map(|ty| self.b.func.add_param(after, ty))
    }
}
