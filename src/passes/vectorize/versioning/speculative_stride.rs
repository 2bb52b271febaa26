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
use super::super::divergence::{VectorShape, VectorShapes};
use super::super::stride;
use super::super::widen::Widener;
use crate::alias::full;
use grus_ir::interp::signed;
use grus_ir::{Attr, Class, Function, Inst, IntCond, Kind, NoWrap, Op, Type, Value};
use grus_support::FastMap;

/// Speculative strides by value.
pub(in crate::vectorize) type SpeculativeStrides = FastMap<Value, SpeculativeStride>;

/// A speculative stride.
#[derive(Clone, Copy, Debug)]
pub(in crate::vectorize) struct SpeculativeStride {
    pub step: i64,
    /// Kinds of integers as which no lane wraps, provided that the value is affine.
    no_wrap: NoWrap,
    /// Condition of this instruction, besides those of its operands.
    condition: StrideCondition,
    /// Length of the chain of instructions from the first condition.
    depth: u32,
    /// Uniform number with which the lane numbers are xored, if lanes are permuted.
    permutation: Option<Value>,
}

/// Condition that is tested where a value is defined.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum StrideCondition {
    None,
    /// No lane wraps before it is extended.
    NoWrap,
    /// The divisor is greater than the remainders of all lanes.
    SameQuotient,
    /// This many low bits do not wrap.
    LowBitsNoWrap(u32),
    /// The first lane is a multiple of the number of lanes.
    Aligned,
}

/// The first lane of a value, its step, and the test that it is affine.
#[derive(Clone, Copy, Debug)]
pub(in crate::vectorize) struct SpeculativeValue {
    pub first: Value,
    pub step: i64,
    pub holds: Value,
    pub permutation: Option<LanePermutation>,
}

/// Permutation of lanes: lane `i` is exchanged with lane `i ^ mask`.
#[derive(Clone, Copy, Debug)]
pub(in crate::vectorize) enum LanePermutation {
    Constant(u16),
    /// Mask in the low bits of a run-time value.
    Runtime(Value),
}

/// Limit of the length of chains of instructions: their lanes are recomputed in each block that needs them.
// Arbitrary.
const MAX_CHAIN: u32 = 16;

/// Guarantee for values that wrap neither as signed nor as unsigned numbers.
const NEVER_WRAPS: NoWrap = NoWrap { signed: true, unsigned: true };

/// Finds the speculatively affine values of a function.
pub(in crate::vectorize) fn find(
    func: &Function,
    order: &BlockOrder,
    shapes: &VectorShapes<'_>,
    lanes: u16,
) -> SpeculativeStrides {
    let mut found = SpeculativeStrides::default();
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
                VectorShape::Affine(stride) => {
                    let no_wrap = NoWrap { signed: stride.no_signed_wrap, unsigned: stride.max.is_some() };
                    Some((
                        SpeculativeStride {
                            step: stride.step,
                            no_wrap,
                            condition: StrideCondition::None,
                            depth: 0,
                            permutation: None,
                        },
                        stride.max,
                    ))
                }
                _ if shapes.is_temporally_divergent(inst.args[i], block) => None,
                _ => Some((*found.get(&inst.args[i])?, None)),
            };
            let no_wrap = stride::no_wrap_in_all_lanes(inst, shapes.is_masked(block), false);
            let stride = stride_of(func, inst, no_wrap, lanes, of);
            // At least one condition must be tested.
            let is_tested =
                |stride: &SpeculativeStride| stride.condition != StrideCondition::None || stride.depth > 1;
            if let Some(stride) = stride.filter(|stride| is_tested(stride) && stride.depth <= MAX_CHAIN) {
                found.insert(result, stride);
            }
        }
    }
    found
}

/// Returns the speculative stride of a result, given the strides and upper bounds of its operands, and what the
/// instruction guarantees for all lanes.
fn stride_of(
    func: &Function,
    inst: &Inst,
    guaranteed: NoWrap,
    lanes: u16,
    of: impl Fn(usize) -> Option<(SpeculativeStride, Option<u64>)>,
) -> Option<SpeculativeStride> {
    let kind = inst.ty.kind;
    let bits = |i: usize| func.as_const(inst.args[i]);
    // The properties of an operand with another step.
    let with_step = |step: Option<i64>, no_wrap: NoWrap, of: SpeculativeStride| {
        let step = step?;
        let no_wrap = if step == 0 { NEVER_WRAPS } else { no_wrap };
        let depth = of.depth + 1;
        Some(SpeculativeStride { step, no_wrap, condition: StrideCondition::None, depth, ..of })
    };
    let both = |step: fn(i64, i64) -> Option<i64>| {
        let (a, b) = (of(0)?.0, of(1)?.0);
        let permutation = match (a.permutation, b.permutation) {
            (None, None) => None,
            (permutation @ Some(_), None) if b.step == 0 => permutation,
            (None, permutation @ Some(_)) if a.step == 0 => permutation,
            _ => return None,
        };
        let operands = SpeculativeStride { permutation, depth: a.depth.max(b.depth), ..a };
        let no_wrap = guaranteed.intersection(a.no_wrap).intersection(b.no_wrap);
        with_step(step(a.step, b.step), no_wrap, operands)
    };
    match inst.op {
        Op::Zext | Op::Sext => {
            let (from, operand) = (func.ty(inst.args[0]).kind, of(0)?.0);
            let step = signed(from.bits(), operand.step as u64);
            (from != Kind::I1).then_some(())?;
            let no_wrap = if inst.op == Op::Zext { NEVER_WRAPS } else { NoWrap::SIGNED };
            if operand.no_wrap.allows(inst.op) && operand.depth > 0 {
                return with_step(Some(operand.step), no_wrap, operand);
            }
            wrap_limit(inst.op, from, step, lanes)?;
            let condition = if step == 0 { StrideCondition::None } else { StrideCondition::NoWrap };
            Some(SpeculativeStride { condition, ..with_step(Some(step), no_wrap, operand)? })
        }
        Op::Trunc if kind != Kind::I1 => {
            let operand = of(0)?.0;
            with_step(Some(signed(kind.bits(), operand.step as u64)), NoWrap::default(), operand)
        }
        Op::Iadd | Op::PtrAdd => both(i64::checked_add),
        Op::Isub => both(i64::checked_sub),
        Op::Imul => {
            let (a, b) = (of(0)?.0, of(1)?.0);
            let step = match bits(1) {
                Some(by) => a.step.checked_mul(signed(kind.bits(), by)),
                None => (a.step == 0 && b.step == 0).then_some(0),
            };
            b.permutation.is_none().then_some(())?;
            let mut no_wrap = guaranteed.intersection(a.no_wrap);
            // The step is that of a product with a signed number.
            no_wrap.unsigned &= bits(1).is_none_or(|by| signed(kind.bits(), by) >= 0);
            with_step(step, no_wrap, SpeculativeStride { depth: a.depth.max(b.depth), ..a })
        }
        Op::Shl => {
            let by = u32::try_from(bits(1)?).ok().filter(|&by| by < kind.bits().min(32))?;
            let operand = of(0)?.0;
            let no_wrap = guaranteed.intersection(operand.no_wrap);
            with_step(operand.step.checked_mul(1 << by), no_wrap, operand)
        }
        Op::Xor => permuted(inst, lanes, of),
        _ => divided(func, inst, lanes, &of).or_else(|| uniform(inst, of)),
    }
}

/// Matches contiguous values in which lanes are permuted by a uniform mask.
fn permuted(
    inst: &Inst,
    lanes: u16,
    of: impl Fn(usize) -> Option<(SpeculativeStride, Option<u64>)>,
) -> Option<SpeculativeStride> {
    let step_vector = [of(0)?.0, of(1)?.0];
    let by = step_vector.iter().position(|step| step.step == 0)?;
    let are_plain = step_vector.iter().all(|step| step.depth == 0);
    let is_row = are_plain && step_vector[1 - by].step == 1 && lanes.is_power_of_two();
    let permutation = Some(inst.args[by]);
    is_row.then_some(SpeculativeStride {
        step: 1,
        no_wrap: NoWrap::SIGNED,
        condition: StrideCondition::Aligned,
        depth: 1,
        permutation,
    })
}

/// Matches integers that are computed from speculatively uniform ones.
fn uniform(
    inst: &Inst,
    of: impl Fn(usize) -> Option<(SpeculativeStride, Option<u64>)>,
) -> Option<SpeculativeStride> {
    let is_arithmetic = matches!(inst.op.class(), Class::IntBinary(_) | Class::IntUnary(_))
        || matches!(inst.op, Op::Sext | Op::Zext | Op::Trunc);
    if !is_arithmetic || inst.ty.kind == Kind::I1 {
        return None;
    }
    let mut depth = 0;
    for at in 0..inst.args.len() {
        let (SpeculativeStride { step: 0, permutation: None, depth: own, .. }, _) = of(at)? else {
            return None;
        };
        depth = depth.max(own);
    }
    let (condition, permutation) = (StrideCondition::None, None);
    (depth > 0).then_some(SpeculativeStride {
        step: 0,
        no_wrap: NEVER_WRAPS,
        condition,
        depth: depth + 1,
        permutation,
    })
}

/// Matches quotients and remainders of affine values.
fn divided(
    func: &Function,
    inst: &Inst,
    lanes: u16,
    of: &impl Fn(usize) -> Option<(SpeculativeStride, Option<u64>)>,
) -> Option<SpeculativeStride> {
    let is_quotient = matches!(inst.op, Op::Udiv | Op::Sdiv | Op::Lshr | Op::Ashr);
    if !is_quotient && !matches!(inst.op, Op::Urem | Op::Srem | Op::And) {
        return None;
    }
    let all = full(inst.ty.kind);
    if inst.op == Op::And {
        let mask = func.as_const(inst.args[1]).filter(|by| by & by.wrapping_add(1) == 0)?;
        return low_bits(of(0)?.0, mask, mask <= all >> 1, lanes);
    }
    let (SpeculativeStride { step, depth: 0, .. }, max) = of(0)? else { return None };
    let (SpeculativeStride { step: 0, depth: 0, .. }, _) = of(1)? else { return None };
    let last = u64::try_from(step).ok().filter(|&step| step > 0)?.checked_mul(u64::from(lanes) - 1)?;
    let max = max.filter(|_| last <= all >> 1)?;
    let by = func.as_const(inst.args[1]);
    let is_signed = matches!(inst.op, Op::Sdiv | Op::Srem | Op::Ashr);
    if is_signed && max > all >> 1 {
        return None;
    }
    let condition = match inst.op {
        Op::Udiv | Op::Sdiv | Op::Urem | Op::Srem => {
            // A divisor below the number of lanes never satisfies the condition.
            by.is_none_or(|by| by > last).then_some(StrideCondition::SameQuotient)?
        }
        _ => StrideCondition::LowBitsNoWrap((by? % u64::from(inst.ty.kind.bits())) as u32),
    };
    if let StrideCondition::LowBitsNoWrap(bits) = condition {
        (bits < 63 && (1 << bits) > last).then_some(())?;
    }
    let no_wrap = NoWrap { signed: is_quotient || max <= all >> 1, unsigned: false };
    Some(SpeculativeStride {
        step: if is_quotient { 0 } else { step },
        no_wrap,
        condition,
        depth: 1,
        permutation: None,
    })
}

/// Matches the low bits of an affine value, whatever happens above them.
fn low_bits(
    operand: SpeculativeStride,
    mask: u64,
    is_non_negative: bool,
    lanes: u16,
) -> Option<SpeculativeStride> {
    let SpeculativeStride { step, depth, permutation: None, .. } = operand else { return None };
    let last = u64::try_from(step).ok().filter(|&step| step > 0)?.checked_mul(u64::from(lanes) - 1)?;
    let condition = StrideCondition::LowBitsNoWrap(mask.count_ones());
    let no_wrap = NoWrap { signed: is_non_negative, unsigned: false };
    (mask >= last && mask < u64::MAX >> 1).then_some(SpeculativeStride {
        step,
        no_wrap,
        condition,
        depth: depth + 1,
        permutation: None,
    })
}

/// Returns the comparison of the first lane, with constant bits, that excludes wrapping in any lane.
fn wrap_limit(op: Op, kind: Kind, step: i64, lanes: u16) -> Option<(IntCond, u64)> {
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
    pub(in crate::vectorize) fn emit_speculative(&mut self, inst: &Inst) -> bool {
        let Some(result) = inst.result else { return false };
        let Some(&SpeculativeStride { step, condition, permutation, .. }) =
            self.source.speculative_strides.get(&result)
        else {
            return false;
        };
        let mut conditions: Vec<Value> = Vec::new();
        let mut args = Vec::new();
        for &arg in &inst.args {
            if let Some(known) = self.values.speculative.get(&arg).copied() {
                args.push(known.first);
                conditions.push(known.holds);
            } else {
                args.push(self.scalar(arg));
            }
        }
        let attr = self.first_lane_attr(inst);
        let mut first = self.b.value(inst.op, inst.ty, &args, attr);
        match condition {
            StrideCondition::None => {}
            StrideCondition::Aligned => {
                let own = usize::from(permutation == Some(inst.args[0]));
                let low_mask = self.b.iconst(inst.ty, u64::from(self.lanes) - 1);
                let low_bits = self.b.same(Op::And, &[args[own], low_mask]);
                let zero = self.b.zero(inst.ty);
                conditions.push(self.b.icmp(IntCond::Eq, low_bits, zero));
                let rows = self.b.iconst(inst.ty, (u64::from(self.lanes) - 1) ^ full(inst.ty.kind));
                first = self.b.same(Op::And, &[first, rows]);
            }
            StrideCondition::NoWrap => conditions.push(self.no_lane_wraps(inst.op, args[0], step)),
            StrideCondition::SameQuotient => conditions.extend(self.same_quotient(inst, &args, first)),
            StrideCondition::LowBitsNoWrap(bits) => {
                conditions.push(self.low_bits_do_not_wrap(inst, args[0], bits))
            }
        }
        conditions.dedup();
        let all = conditions.into_iter().reduce(|a, b| self.b.same(Op::And, &[a, b]));
        let holds = all.expect("something is asked");
        let permutation = permutation.map(|by| self.lane_permutation(by));
        self.values.speculative.insert(result, SpeculativeValue { first, step, holds, permutation });
        if condition == StrideCondition::SameQuotient {
            // Else the lanes would be divided one by one.
            let with_step = self.emit_two_versions(holds, |widener, holds| {
                let lanes = if holds {
                    widener.affine_vector(first, step)
                } else {
                    widener.speculative_lanes(result)
                };
                Some(lanes)
            });
            self.define(inst, with_step.expect("lanes"));
        }
        true
    }

    /// Returns the permutation by a uniform mask.
    fn lane_permutation(&mut self, by: Value) -> LanePermutation {
        match self.source.func.as_const(by) {
            Some(known) => LanePermutation::Constant((known % u64::from(self.lanes)) as u16),
            None => LanePermutation::Runtime(self.scalar(by)),
        }
    }

    /// Permutes the lanes of a vector.
    pub(in crate::vectorize) fn permute_lanes(
        &mut self,
        vector: Value,
        permutation: LanePermutation,
    ) -> Value {
        let lanes = self.lanes;
        match permutation {
            LanePermutation::Constant(by) => {
                let indices: Vec<u16> = (0..lanes).map(|lane| lane ^ by).collect();
                self.b.shuffle(vector, vector, &indices)
            }
            LanePermutation::Runtime(by) => {
                let ty = self.b.func.ty(by);
                let low_mask = self.b.iconst(ty, u64::from(lanes) - 1);
                let low_bits = self.b.same(Op::And, &[by, low_mask]);
                let low_bits = if ty.kind.bits() > 32 {
                    self.b.convert(Op::Trunc, Type::I32, low_bits)
                } else {
                    low_bits
                };
                let numbers = Type::I32.with_lanes(lanes);
                let own = self.b.value(Op::Iota, numbers, &[], Attr::None);
                let low_bits = self.b.splat(numbers, low_bits);
                let from = self.b.same(Op::Xor, &[own, low_bits]);
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
    fn no_lane_wraps(&mut self, op: Op, first: Value, step: i64) -> Value {
        let from = self.b.func.ty(first);
        let (cond, bits) = wrap_limit(op, from.kind, step, self.lanes).expect("asked before");
        let bits = self.b.iconst(from, bits);
        self.b.icmp(cond, first, bits)
    }

    /// Returns the difference between the last lane of a dividend and the first one.
    fn last_lane_difference(&mut self, dividend: Value) -> u64 {
        let source = self.source;
        let speculative = || source.speculative_strides.get(&dividend).map(|stride| stride.step);
        let step = source.shapes.of(dividend).step().or_else(speculative).unwrap_or(0);
        step as u64 * (u64::from(self.lanes) - 1)
    }

    /// Emits the tests that all lanes have the quotient of the first one: the divisor is positive, and exceeds
    /// the first lane's remainder by more than the last lane exceeds the first.
    fn same_quotient(&mut self, inst: &Inst, args: &[Value], first: Value) -> [Value; 2] {
        let last = self.last_lane_difference(inst.args[0]);
        let remainder = if matches!(inst.op, Op::Udiv | Op::Sdiv) {
            let product = self.b.same(Op::Imul, &[first, args[1]]);
            self.b.same(Op::Isub, &[args[0], product])
        } else {
            first
        };
        let difference = self.b.same(Op::Isub, &[args[1], remainder]);
        let (last, zero) = (self.b.iconst(inst.ty, last), self.b.zero(inst.ty));
        let is_signed = matches!(inst.op, Op::Sdiv | Op::Srem);
        let above = if is_signed { IntCond::Sgt } else { IntCond::Ugt };
        [self.b.icmp(above, difference, last), self.b.icmp(above, args[1], zero)]
    }

    /// Emits the test that the low bits do not wrap in any lane.
    fn low_bits_do_not_wrap(&mut self, inst: &Inst, first: Value, bits: u32) -> Value {
        let last = self.last_lane_difference(inst.args[0]);
        let all = (1u64 << bits) - 1;
        let (mask, most) = (self.b.iconst(inst.ty, all), self.b.iconst(inst.ty, all - last));
        let low_bits = self.b.same(Op::And, &[first, mask]);
        self.b.icmp(IntCond::Ule, low_bits, most)
    }

    /// Returns the speculation on an address as seen by the current block.
    pub(in crate::vectorize) fn speculation_at(&self, pointer: Value) -> Option<SpeculativeValue> {
        let leaves = self.source.shapes.is_temporally_divergent(pointer, self.current);
        self.values.speculative.get(&pointer).copied().filter(|_| !leaves)
    }

    /// Emits all lanes of a speculatively affine value, without speculation.
    pub(in crate::vectorize) fn speculative_lanes(&mut self, value: Value) -> Value {
        let inst = self.source.func.def_inst(value).expect("no parameter is one");
        let args: Vec<Value> = inst.args.iter().map(|&arg| self.vector(arg)).collect();
        let ty = self.widened_type(inst.ty);
        let op = if inst.op == Op::PtrAdd { Op::Iadd } else { inst.op };
        self.b.value(op, ty, &args, Attr::None)
    }

    /// Emits both versions of an access, the likely one first, and returns the merged result.
    pub(in crate::vectorize) fn emit_two_versions(
        &mut self,
        holds: Value,
        mut access: impl FnMut(&mut Self, bool) -> Option<Value>,
    ) -> Option<Value> {
        let [speculative, otherwise, after] = [(); 3].map(|()| self.b.func.add_block());
        self.b.br_if(holds, speculative, otherwise);
        let mut result = None;
        for (block, holds) in [(speculative, true), (otherwise, false)] {
            self.b.switch_to(block);
            let with_step = access(self, holds);
            let given: Vec<Value> = with_step.into_iter().collect();
            self.b.jump(after, &given);
            result = with_step.map(|value| self.b.func.ty(value));
        }
        self.frequencies.cold.insert(otherwise);
        self.b.switch_to(after);
        result.map(|ty| self.b.func.add_param(after, ty))
    }
}
