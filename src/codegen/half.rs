//! Half precision: Cranelift has neither arithmetic nor conversions of it, so both are done in
//! float, with conversions written out in integers (after F. Giesen, "Float->half conversion").
//!
//! Halves are 16-bit lanes. For arithmetic they become *groups*: one scalar, or four lanes of a
//! 128-bit vector, the last of which may be padding. No step has a denormal float as its result, and
//! none whose value matters as its operand, so a thread that flushes denormals keeps those of half.

use cranelift_codegen::ir::condcodes::{FloatCC, IntCC};
use cranelift_codegen::ir::{self as clif, InstBuilder, types};
use smallvec::SmallVec;

use super::arith::float_cc;
use super::pieces::{Pieces, layout};
use super::translate::Translator;
use crate::ir::{Attr, Inst, Kind, Op, Type};

/// Values of 32-bit lanes: scalars or vectors of four.
type Groups = SmallVec<[clif::Value; 4]>;

/// 2^-14, the smallest normal half, as a float.
const SMALLEST_NORMAL: u64 = 113 << 23;

impl Translator<'_> {
    /// The halves of a value as floats.
    pub(super) fn widen_halves(&mut self, ty: Type, pieces: &Pieces) -> Groups {
        self.group_halves(ty, pieces).into_iter().map(|g| self.float_of_half(g)).collect()
    }

    /// Floats, grouped as [`Self::widen_halves`] does, as halves.
    pub(super) fn narrow_to_halves(&mut self, ty: Type, groups: &[clif::Value]) -> Pieces {
        let halves: Groups = groups.iter().map(|&g| self.half_of_float(g)).collect();
        if layout(ty).lanes_per_piece > 1 {
            return halves.chunks(2).map(|two| self.ins().unarrow(two[0], two[1])).collect();
        }
        let lanes = self.ungroup(usize::from(ty.lanes), &halves);
        lanes.into_iter().map(|lane| self.ins().ireduce(types::I16, lane)).collect()
    }

    /// Halves, zero-extended.
    fn group_halves(&mut self, ty: Type, pieces: &Pieces) -> Groups {
        if layout(ty).lanes_per_piece > 1 {
            let mut groups = Groups::new();
            for &piece in pieces {
                groups.push(self.ins().uwiden_low(piece));
                groups.push(self.ins().uwiden_high(piece));
            }
            return groups;
        }
        let lanes: Vec<clif::Value> =
            pieces.iter().map(|&lane| self.ins().uextend(types::I32, lane)).collect();
        self.group(types::I32X4, &lanes)
    }

    /// Groups of scalars: vectors where there are three or more.
    fn group(&mut self, vector: clif::Type, lanes: &[clif::Value]) -> Groups {
        if lanes.len() < 3 {
            return lanes.into();
        }
        let join = |four: &[clif::Value]| {
            let padded = [0, 1, 2, 3].map(|i| four[i.min(four.len() - 1)]);
            self.join(vector, &padded)
        };
        lanes.chunks(4).map(join).collect()
    }

    /// The lanes of groups.
    fn ungroup(&mut self, lanes: usize, groups: &[clif::Value]) -> Vec<clif::Value> {
        if lanes < 3 {
            return groups.to_vec();
        }
        (0..lanes).map(|lane| self.ins().extractlane(groups[lane / 4], (lane % 4) as u8)).collect()
    }

    /// The floats of groups as a value, or those of a value as groups.
    fn floats_of_groups(&mut self, ty: Type, groups: Groups) -> Pieces {
        if layout(ty).lanes_per_piece > 1 {
            return groups;
        }
        self.ungroup(usize::from(ty.lanes), &groups).into()
    }

    fn groups_of_floats(&mut self, ty: Type, pieces: Pieces) -> Groups {
        if layout(ty).lanes_per_piece > 1 {
            return pieces;
        }
        self.group(types::F32X4, &pieces)
    }

    /// A constant in every lane of `ty`, which has 32-bit lanes.
    fn all_lanes(&mut self, ty: clif::Type, bits: u64) -> clif::Value {
        let one = self.integer(types::I32, bits);
        if ty.is_vector() { self.ins().splat(ty, one) } else { one }
    }

    /// `yes` where `a` compares to `bound` (as signed numbers), `no` elsewhere.
    fn pick(
        &mut self,
        cond: IntCC,
        a: clif::Value,
        bound: u64,
        yes: clif::Value,
        no: clif::Value,
    ) -> clif::Value {
        let ty = self.func().dfg.value_type(a);
        let bound = self.all_lanes(ty, bound);
        let truth = self.ins().icmp(cond, a, bound);
        if ty.is_vector() { self.ins().bitselect(truth, yes, no) } else { self.ins().select(truth, yes, no) }
    }

    fn shift_left(&mut self, a: clif::Value, count: u64) -> clif::Value {
        let count = self.integer(types::I32, count);
        self.ins().ishl(a, count)
    }

    fn shift_right(&mut self, a: clif::Value, count: u64) -> clif::Value {
        let count = self.integer(types::I32, count);
        self.ins().ushr(a, count)
    }

    fn masked(&mut self, a: clif::Value, bits: u64) -> clif::Value {
        let ty = self.func().dfg.value_type(a);
        let bits = self.all_lanes(ty, bits);
        self.ins().band(a, bits)
    }

    fn plus(&mut self, a: clif::Value, bits: u64) -> clif::Value {
        let ty = self.func().dfg.value_type(a);
        let bits = self.all_lanes(ty, bits);
        self.ins().iadd(a, bits)
    }

    fn as_float(&mut self, a: clif::Value) -> clif::Value {
        let vector = self.func().dfg.value_type(a).is_vector();
        let ty = if vector { types::F32X4 } else { types::F32 };
        self.ins().bitcast(ty, super::memory::little(), a)
    }

    fn as_int(&mut self, a: clif::Value) -> clif::Value {
        let vector = self.func().dfg.value_type(a).is_vector();
        let ty = if vector { types::I32X4 } else { types::I32 };
        self.ins().bitcast(ty, super::memory::little(), a)
    }

    /// Zero-extended half bits to the float, exactly; NaNs become quiet.
    fn float_of_half(&mut self, half: clif::Value) -> clif::Value {
        let ty = self.func().dfg.value_type(half);
        let magnitude = self.masked(half, 0x7fff);
        let sign = self.ins().bxor(half, magnitude);
        let sign = self.shift_left(sign, 16);
        // The exponent is rebiased; infinity and NaN go to the top. What has no leading bit gets one,
        // which the subtraction takes away again. Elsewhere it subtracts nothing.
        let bits = self.shift_left(magnitude, 13);
        let normal = self.all_lanes(ty, 112 << 23);
        let special = self.all_lanes(ty, 224 << 23);
        let small = self.all_lanes(ty, SMALLEST_NORMAL);
        let zero = self.all_lanes(ty, 0);
        let large = self.pick(IntCC::SignedGreaterThan, magnitude, 0x7bff, special, normal);
        let bias = self.pick(IntCC::SignedLessThan, magnitude, 0x400, small, large);
        let excess = self.pick(IntCC::SignedLessThan, magnitude, 0x400, small, zero);
        let biased = self.ins().iadd(bits, bias);
        let (biased, excess) = (self.as_float(biased), self.as_float(excess));
        let value = self.ins().fsub(biased, excess);
        let value = self.as_int(value);
        let value = self.ins().bor(value, sign);
        self.as_float(value)
    }

    /// A float to the bits of the nearest half, ties to even; a NaN keeps what fits of its payload.
    fn half_of_float(&mut self, float: clif::Value) -> clif::Value {
        let bits = self.as_int(float);
        let ty = self.func().dfg.value_type(bits);
        let magnitude = self.masked(bits, 0x7fff_ffff);
        let upper = self.shift_right(bits, 16);
        let sign = self.masked(upper, 0x8000);
        let cut = self.shift_right(magnitude, 13);
        // Normal: rebias the exponent and add just less than half a unit, or half if that is odd. A
        // carry goes into the exponent, and from the largest to infinity.
        let odd = self.masked(cut, 1);
        let normal = self.plus(magnitude, 0xc800_0fff);
        let normal = self.ins().iadd(normal, odd);
        let normal = self.shift_right(normal, 13);
        // Denormal: an addition of 1/2 rounds where half's last place is.
        let one_half = self.all_lanes(ty, 126 << 23);
        let (a, b) = (self.as_float(magnitude), self.as_float(one_half));
        let sum = self.ins().fadd(a, b);
        let sum = self.as_int(sum);
        let denormal = self.ins().isub(sum, one_half);
        let payload = self.masked(cut, 0x3ff);
        let quiet = self.all_lanes(ty, 0x7e00);
        let nan = self.ins().bor(payload, quiet);
        let infinity = self.all_lanes(ty, 0x7c00);
        let special = self.pick(IntCC::SignedGreaterThan, magnitude, 0x7f80_0000, nan, infinity);
        let finite = self.pick(IntCC::SignedLessThan, magnitude, SMALLEST_NORMAL, denormal, normal);
        let half = self.pick(IntCC::SignedLessThan, magnitude, 143 << 23, finite, special);
        self.ins().bor(half, sign)
    }

    /// A double to a float that rounds to the same half: what is cut off leaves a bit behind.
    fn float_for_half(&mut self, double: clif::Value) -> clif::Value {
        let bits = self.ins().bitcast(types::I64, super::memory::little(), double);
        let rest = self.integer(types::I64, (1 << 29) - 1);
        let kept = self.integer(types::I64, !((1 << 29) - 1));
        // A carry out of what is cut off, unless that is zero.
        let low = self.ins().band(bits, rest);
        let carry = self.ins().iadd(low, rest);
        let sticky = self.ins().bor(bits, carry);
        let exact = self.ins().band(sticky, kept);
        let exact = self.ins().bitcast(types::F64, super::memory::little(), exact);
        self.ins().fdemote(types::F32, exact)
    }

    /// Conversions from and to half.
    pub(super) fn convert_half(&mut self, op: Op, from: Type, to: Type, pieces: Pieces) -> Pieces {
        if from.kind == Kind::F16 {
            let groups = self.widen_halves(from, &pieces);
            let single = from.with_kind(Kind::F32);
            if to.kind == Kind::F32 {
                return self.floats_of_groups(single, groups);
            }
            let lanes = self.ungroup(usize::from(from.lanes), &groups);
            let lanes: Vec<clif::Value> =
                lanes.into_iter().map(|lane| self.convert_lane(op, Kind::F32, to.kind, lane)).collect();
            return self.join_lanes(to, &lanes);
        }
        if from.kind == Kind::F32 {
            let groups = self.groups_of_floats(from, pieces);
            return self.narrow_to_halves(to, &groups);
        }
        let lanes = self.split_lanes(from, &pieces);
        // Integers that are not exact in float are infinite as halves.
        let lanes: Vec<clif::Value> = lanes
            .into_iter()
            .map(|lane| match from.kind {
                Kind::F64 => self.float_for_half(lane),
                _ => self.convert_lane(op, from.kind, Kind::F32, lane),
            })
            .collect();
        let groups = self.group(types::F32X4, &lanes);
        self.narrow_to_halves(to, &groups)
    }

    /// Half arithmetic in float, rounded once more: innocuous, float has more than twice
    /// the precision of half plus two bits.
    pub(super) fn half_binary(&mut self, inst: &Inst) -> Pieces {
        let (op, ty) = (inst.op, inst.ty);
        let (a, b) = (self.arg(inst, 0), self.arg(inst, 1));
        if op == Op::Fcopysign {
            return a.iter().zip(&b).map(|(&a, &b)| self.half_copysign(a, b)).collect();
        }
        let (a, b) = (self.widen_halves(ty, &a), self.widen_halves(ty, &b));
        let results: Groups = a.iter().zip(&b).map(|(&a, &b)| self.float2(op, a, b)).collect();
        self.narrow_to_halves(ty, &results)
    }

    /// A constant in every 16-bit lane of a piece.
    fn half_lanes(&mut self, piece: clif::Value, bits: u64) -> clif::Value {
        let ty = self.func().dfg.value_type(piece);
        let one = self.integer(types::I16, bits);
        if ty.is_vector() { self.ins().splat(ty, one) } else { one }
    }

    fn half_copysign(&mut self, a: clif::Value, b: clif::Value) -> clif::Value {
        let (sign, magnitude) = (self.half_lanes(a, 0x8000), self.half_lanes(a, 0x7fff));
        let (sign, rest) = (self.ins().band(b, sign), self.ins().band(a, magnitude));
        self.ins().bor(sign, rest)
    }

    pub(super) fn half_unary(&mut self, inst: &Inst) -> Pieces {
        let pieces = self.arg(inst, 0);
        match inst.op {
            Op::Fneg => pieces
                .into_iter()
                .map(|a| {
                    let sign = self.half_lanes(a, 0x8000);
                    self.ins().bxor(a, sign)
                })
                .collect(),
            Op::Fabs => pieces
                .into_iter()
                .map(|a| {
                    let magnitude = self.half_lanes(a, 0x7fff);
                    self.ins().band(a, magnitude)
                })
                .collect(),
            op => {
                let groups = self.widen_halves(inst.ty, &pieces);
                let results: Groups = groups.into_iter().map(|a| self.float1(op, a)).collect();
                self.narrow_to_halves(inst.ty, &results)
            }
        }
    }

    /// In double, where the product is exact. So is the sum's rounding: to lie so near to the middle
    /// of two halves that double cannot tell, it would need more bits than product and summand have.
    pub(super) fn half_fma(&mut self, inst: &Inst) -> Pieces {
        let ty = inst.ty;
        let double = ty.with_kind(Kind::F64);
        let [a, b, c] = [0, 1, 2].map(|i| {
            let pieces = self.arg(inst, i);
            let wide = self.convert_half(Op::Fpext, ty, double, pieces);
            self.split_lanes(double, &wide)
        });
        let lanes: Vec<clif::Value> = (0..a.len())
            .map(|i| {
                let product = self.ins().fmul(a[i], b[i]);
                let sum = self.ins().fadd(product, c[i]);
                self.float_for_half(sum)
            })
            .collect();
        let groups = self.group(types::F32X4, &lanes);
        self.narrow_to_halves(ty, &groups)
    }

    /// Comparisons; lanes of vectors are -1 or 0.
    pub(super) fn half_compare(&mut self, inst: &Inst) -> Pieces {
        let Attr::FloatCond(cond) = inst.attr else { return Pieces::new() };
        let cond: FloatCC = float_cc(cond);
        let from = self.arg_type(inst, 0);
        let (a, b) = (self.arg(inst, 0), self.arg(inst, 1));
        let (a, b) = (self.widen_halves(from, &a), self.widen_halves(from, &b));
        let truths: Groups = a.iter().zip(&b).map(|(&a, &b)| self.ins().fcmp(cond, a, b)).collect();
        if !from.is_vector() {
            return truths;
        }
        if layout(from).lanes_per_piece > 1 {
            return truths.chunks(2).map(|two| self.ins().snarrow(two[0], two[1])).collect();
        }
        if from.lanes < 3 {
            return truths
                .into_iter()
                .map(|truth| {
                    let negative = self.ins().ineg(truth);
                    self.ins().sextend(types::I16, negative)
                })
                .collect();
        }
        let lanes = self.ungroup(usize::from(from.lanes), &truths);
        lanes.into_iter().map(|lane| self.ins().ireduce(types::I16, lane)).collect()
    }
}
