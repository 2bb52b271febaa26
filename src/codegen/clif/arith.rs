//! Arithmetic, comparison, selection.

use cranelift_codegen::ir::condcodes::{FloatCC, IntCC};
use cranelift_codegen::ir::{self as clif, InstBuilder, types};

use super::mask::MaskForm;
use super::parts::{ClifParts, lane_type, layout};
use super::translate::Translator;
use grus_ir::{
    FloatBinary, FloatCond, FloatUnary, Helper, Inst, IntBinary, IntCond, IntUnary, Kind, Op, Type,
};

/// Returns Cranelift's condition code of an integer comparison.
pub(super) fn int_cc(cond: IntCond) -> IntCC {
    match cond {
        IntCond::Eq => IntCC::Equal,
        IntCond::Ne => IntCC::NotEqual,
        IntCond::Slt => IntCC::SignedLessThan,
        IntCond::Sle => IntCC::SignedLessThanOrEqual,
        IntCond::Sgt => IntCC::SignedGreaterThan,
        IntCond::Sge => IntCC::SignedGreaterThanOrEqual,
        IntCond::Ult => IntCC::UnsignedLessThan,
        IntCond::Ule => IntCC::UnsignedLessThanOrEqual,
        IntCond::Ugt => IntCC::UnsignedGreaterThan,
        IntCond::Uge => IntCC::UnsignedGreaterThanOrEqual,
    }
}

/// Returns Cranelift's condition code of a floating-point comparison.
pub(super) fn float_cc(cond: FloatCond) -> FloatCC {
    match cond {
        FloatCond::Oeq => FloatCC::Equal,
        FloatCond::One => FloatCC::OrderedNotEqual,
        FloatCond::Olt => FloatCC::LessThan,
        FloatCond::Ole => FloatCC::LessThanOrEqual,
        FloatCond::Ogt => FloatCC::GreaterThan,
        FloatCond::Oge => FloatCC::GreaterThanOrEqual,
        FloatCond::Ord => FloatCC::Ordered,
        FloatCond::Ueq => FloatCC::UnorderedOrEqual,
        FloatCond::Une => FloatCC::NotEqual,
        FloatCond::Ult => FloatCC::UnorderedOrLessThan,
        FloatCond::Ule => FloatCC::UnorderedOrLessThanOrEqual,
        FloatCond::Ugt => FloatCC::UnorderedOrGreaterThan,
        FloatCond::Uge => FloatCC::UnorderedOrGreaterThanOrEqual,
        FloatCond::Uno => FloatCC::Unordered,
    }
}

/// Checks whether Cranelift supports the op on 128-bit vectors of this kind.
fn has_vector_form(op: IntBinary, kind: Kind) -> bool {
    match op {
        IntBinary::Iadd | IntBinary::Isub | IntBinary::And | IntBinary::Or | IntBinary::Xor => true,
        IntBinary::Imul => kind != Kind::I8,
        IntBinary::Smin | IntBinary::Smax | IntBinary::Umin | IntBinary::Umax => kind != Kind::I64,
        IntBinary::SaddSat | IntBinary::UaddSat | IntBinary::SsubSat | IntBinary::UsubSat => {
            matches!(kind, Kind::I8 | Kind::I16)
        }
        IntBinary::Udiv
        | IntBinary::Sdiv
        | IntBinary::Urem
        | IntBinary::Srem
        | IntBinary::Shl
        | IntBinary::Lshr
        | IntBinary::Ashr
        | IntBinary::Rotl
        | IntBinary::Smulhi
        | IntBinary::Umulhi => false,
    }
}

/// Kind of a division.
#[derive(Clone, Copy)]
struct Division {
    signed: bool,
    remainder: bool,
}

impl Division {
    const SIGNED: Division = Division { signed: true, remainder: false };
    const UNSIGNED: Division = Division { signed: false, remainder: false };

    fn remainder(self) -> Division {
        Division { remainder: true, ..self }
    }
}

impl Translator<'_> {
    /// Applies `f` to each part, or to each lane if there is no vector form.
    fn zip(
        &mut self,
        ty: Type,
        vector: bool,
        a: &ClifParts,
        b: &ClifParts,
        mut f: impl FnMut(&mut Self, clif::Value, clif::Value) -> clif::Value,
    ) -> ClifParts {
        if vector || layout(ty).lanes_per_part == 1 {
            return a.iter().zip(b).map(|(&a, &b)| f(self, a, b)).collect();
        }
        let (a, b) = (self.split_lanes(ty, a), self.split_lanes(ty, b));
        let lanes: Vec<clif::Value> = a.into_iter().zip(b).map(|(a, b)| f(self, a, b)).collect();
        self.join_lanes(ty, &lanes)
    }

    fn map(
        &mut self,
        ty: Type,
        vector: bool,
        a: &ClifParts,
        mut f: impl FnMut(&mut Self, clif::Value) -> clif::Value,
    ) -> ClifParts {
        if vector || layout(ty).lanes_per_part == 1 {
            return a.iter().map(|&a| f(self, a)).collect();
        }
        let lanes: Vec<clif::Value> = self.split_lanes(ty, a).into_iter().map(|a| f(self, a)).collect();
        self.join_lanes(ty, &lanes)
    }

    pub(super) fn int_binary(&mut self, inst: &Inst, op: IntBinary) -> ClifParts {
        let ty = inst.ty;
        if let Some(parts) = self.shift_by_one_count(inst, op) {
            return parts;
        }
        if ty.is_mask() {
            return self.mask_logic(inst, op);
        }
        let (a, b) = (self.arg(inst, 0), self.arg(inst, 1));
        let is_by_lane = layout(ty).lanes_per_part > 1 && !has_vector_form(op, ty.kind);
        let def = self.source.def_inst(inst.args[1]);
        if let Some(def) = def.filter(|def| is_by_lane && def.op == Op::Splat) {
            // All lanes have one divisor, which need not be extracted from a vector, and may be a constant.
            let (scalar, divisor) = (self.values[def.args[0]][0], self.source.as_const(def.args[0]));
            let lanes = self.split_lanes(ty, &a);
            let lanes: Vec<clif::Value> =
                lanes.into_iter().map(|a| self.int2(op, ty.kind, a, scalar, divisor)).collect();
            return self.join_lanes(ty, &lanes);
        }
        let divisor = self.source.as_const(inst.args[1]);
        self.zip(ty, has_vector_form(op, ty.kind), &a, &b, |t, a, b| t.int2(op, ty.kind, a, b, divisor))
    }

    /// Translates vector shifts with the same count for all lanes; Cranelift has no other vector shift.
    fn shift_by_one_count(&mut self, inst: &Inst, op: IntBinary) -> Option<ClifParts> {
        if layout(inst.ty).lanes_per_part == 1
            || !matches!(op, IntBinary::Shl | IntBinary::Lshr | IntBinary::Ashr | IntBinary::Rotl)
        {
            return None;
        }
        let def = self.source.def_inst(inst.args[1])?;
        let same =
            def.op == Op::Splat || def.op == Op::BuildVector && def.args.iter().all(|a| *a == def.args[0]);
        if !same {
            return None;
        }
        let count = self.values[def.args[0]][0];
        let count = self.low_word(count);
        let parts = self.arg(inst, 0);
        let shift = |t: &mut Self, part| {
            if op == IntBinary::Rotl {
                // Both shifts take their counts modulo the width, so a count of 0 is correct.
                let back = t.ins().ineg(count);
                let (left, right) = (t.ins().ishl(part, count), t.ins().ushr(part, back));
                return t.ins().bor(left, right);
            }
            t.int2(op, inst.ty.kind, part, count, None)
        };
        Some(parts.iter().map(|&part| shift(self, part)).collect())
    }

    /// Translates an integer op on scalars, or on vectors if Cranelift supports that.
    pub(super) fn int2(
        &mut self,
        op: IntBinary,
        kind: Kind,
        a: clif::Value,
        b: clif::Value,
        divisor: Option<u64>,
    ) -> clif::Value {
        match op {
            IntBinary::Iadd => self.ins().iadd(a, b),
            IntBinary::Isub => self.ins().isub(a, b),
            IntBinary::Imul => self.ins().imul(a, b),
            IntBinary::And => self.ins().band(a, b),
            IntBinary::Or => self.ins().bor(a, b),
            IntBinary::Xor => self.ins().bxor(a, b),
            IntBinary::Shl => self.ins().ishl(a, b),
            IntBinary::Lshr => self.ins().ushr(a, b),
            IntBinary::Ashr => self.ins().sshr(a, b),
            IntBinary::Rotl => self.ins().rotl(a, b),
            IntBinary::Smin => self.ins().smin(a, b),
            IntBinary::Smax => self.ins().smax(a, b),
            IntBinary::Umin => self.ins().umin(a, b),
            IntBinary::Umax => self.ins().umax(a, b),
            IntBinary::Udiv => self.divide(Division::UNSIGNED, kind, a, b, divisor),
            IntBinary::Sdiv => self.divide(Division::SIGNED, kind, a, b, divisor),
            IntBinary::Urem => self.divide(Division::UNSIGNED.remainder(), kind, a, b, divisor),
            IntBinary::Srem => self.divide(Division::SIGNED.remainder(), kind, a, b, divisor),
            IntBinary::Smulhi => self.mul_high(true, kind, a, b),
            IntBinary::Umulhi => self.mul_high(false, kind, a, b),
            IntBinary::SaddSat => self.ins().sadd_sat(a, b),
            IntBinary::UaddSat => self.ins().uadd_sat(a, b),
            IntBinary::SsubSat => self.ins().ssub_sat(a, b),
            IntBinary::UsubSat => self.ins().usub_sat(a, b),
        }
    }

    /// Translates a division that never traps: a divisor of zero, and -1 for a dividend of MIN, is replaced by 1.
    fn divide(
        &mut self,
        op: Division,
        kind: Kind,
        a: clif::Value,
        b: clif::Value,
        divisor: Option<u64>,
    ) -> clif::Value {
        let signed = op.signed;
        let ty = lane_type(kind);
        let minus_one = if kind == Kind::I64 { u64::MAX } else { u64::from(u32::MAX) };
        let safe = divisor.is_some_and(|d| d != 0 && d != minus_one);
        let b = if safe { b } else { self.safe_divisor(ty, signed, a, b) };
        match (op.signed, op.remainder) {
            (false, false) => self.ins().udiv(a, b),
            (true, false) => self.ins().sdiv(a, b),
            (false, true) => self.ins().urem(a, b),
            (true, true) => self.ins().srem(a, b),
        }
    }

    fn safe_divisor(&mut self, ty: clif::Type, signed: bool, a: clif::Value, b: clif::Value) -> clif::Value {
        let one = self.integer(ty, 1);
        let zero = self.integer(ty, 0);
        let mut bad = self.ins().icmp(IntCC::Equal, b, zero);
        if signed {
            let min = self.integer(ty, 1 << (ty.bits() - 1));
            let minus_one = self.integer(ty, u64::MAX);
            let is_min = self.ins().icmp(IntCC::Equal, a, min);
            let is_minus_one = self.ins().icmp(IntCC::Equal, b, minus_one);
            let overflow = self.ins().band(is_min, is_minus_one);
            bad = self.ins().bor(bad, overflow);
        }
        self.ins().select(bad, one, b)
    }

    fn mul_high(&mut self, signed: bool, kind: Kind, a: clif::Value, b: clif::Value) -> clif::Value {
        if kind == Kind::I64 {
            return if signed { self.ins().smulhi(a, b) } else { self.ins().umulhi(a, b) };
        }
        let (a, b) = (self.widen(signed, a), self.widen(signed, b));
        let product = self.ins().imul(a, b);
        let bits = self.integer(types::I64, u64::from(kind.bits()));
        let high = self.ins().ushr(product, bits);
        self.ins().ireduce(lane_type(kind), high)
    }

    fn widen(&mut self, signed: bool, value: clif::Value) -> clif::Value {
        if signed { self.ins().sextend(types::I64, value) } else { self.ins().uextend(types::I64, value) }
    }

    pub(super) fn int_unary(&mut self, inst: &Inst, op: IntUnary) -> ClifParts {
        let ty = inst.ty;
        let vector = op == IntUnary::Iabs || op == IntUnary::Popcnt && ty.kind == Kind::I8;
        let parts = self.arg(inst, 0);
        self.map(ty, vector, &parts, |t, a| t.int1(op, a))
    }

    fn int1(&mut self, op: IntUnary, a: clif::Value) -> clif::Value {
        match op {
            IntUnary::Iabs if self.func().dfg.value_type(a).is_vector() => self.ins().iabs(a),
            IntUnary::Iabs => {
                let negated = self.ins().ineg(a);
                self.ins().smax(a, negated)
            }
            IntUnary::Popcnt => self.ins().popcnt(a),
            IntUnary::Clz => self.ins().clz(a),
            IntUnary::Ctz => self.ins().ctz(a),
        }
    }

    pub(super) fn float_binary(&mut self, inst: &Inst, op: FloatBinary) -> ClifParts {
        let ty = inst.ty;
        let (a, b) = (self.arg(inst, 0), self.arg(inst, 1));
        if ty.kind == Kind::F16 {
            // Legalization has removed all other binary ops on halves.
            return a.iter().zip(&b).map(|(&a, &b)| self.half_copysign(a, b)).collect();
        }
        self.zip(ty, op != FloatBinary::Fcopysign, &a, &b, |t, a, b| t.float2(op, a, b))
    }

    pub(super) fn float2(&mut self, op: FloatBinary, a: clif::Value, b: clif::Value) -> clif::Value {
        match op {
            FloatBinary::Fadd => self.ins().fadd(a, b),
            FloatBinary::Fsub => self.ins().fsub(a, b),
            FloatBinary::Fmul => self.ins().fmul(a, b),
            FloatBinary::Fdiv => self.ins().fdiv(a, b),
            FloatBinary::Fcopysign => self.ins().fcopysign(a, b),
            FloatBinary::Fscale => unreachable!("legalization has removed it"),
        }
    }

    pub(super) fn float_unary(&mut self, inst: &Inst, op: FloatUnary) -> ClifParts {
        let ty = inst.ty;
        if ty.kind == Kind::F16 {
            return self.half_unary(inst, op);
        }
        let parts = self.arg(inst, 0);
        self.map(ty, true, &parts, |t, a| t.float1(op, a))
    }

    pub(super) fn float1(&mut self, op: FloatUnary, a: clif::Value) -> clif::Value {
        match op {
            FloatUnary::Fneg => self.ins().fneg(a),
            FloatUnary::Fabs => self.ins().fabs(a),
            FloatUnary::Fsqrt => self.ins().sqrt(a),
            FloatUnary::Ffloor => self.ins().floor(a),
            FloatUnary::Fceil => self.ins().ceil(a),
            FloatUnary::Ftrunc => self.ins().trunc(a),
            FloatUnary::Fnearest => self.ins().nearest(a),
            FloatUnary::Fgetexp | FloatUnary::Fgetmant => unreachable!("legalization has removed them"),
        }
    }

    pub(super) fn fma(&mut self, inst: &Inst) -> ClifParts {
        let ty = inst.ty;
        let [a, b, c] = [0, 1, 2].map(|i| self.arg(inst, i));
        if self.features.fma {
            return (0..a.len()).map(|i| self.ins().fma(a[i], b[i], c[i])).collect();
        }
        let [a, b, c] = [a, b, c].map(|parts| self.split_lanes(ty, &parts));
        let lanes: Vec<clif::Value> =
            (0..a.len()).map(|i| self.scalar_fma(ty.kind, [a[i], b[i], c[i]])).collect();
        self.join_lanes(ty, &lanes)
    }

    fn scalar_fma(&mut self, kind: Kind, args: [clif::Value; 3]) -> clif::Value {
        let helper = if kind == Kind::F64 { Helper::FmaF64 } else { Helper::FmaF32 };
        self.call_helper(helper, &args)[0]
    }

    pub(super) fn icmp(&mut self, inst: &Inst) -> ClifParts {
        let cond = inst.int_cond();
        if self.is_mask_already(inst) {
            self.set_form(inst, MaskForm::compared(self.arg_type(inst, 0)));
            return self.arg(inst, 0);
        }
        let (a, b) = (self.arg(inst, 0), self.arg(inst, 1));
        let truths: ClifParts =
            a.iter().zip(&b).map(|(&a, &b)| self.ins().icmp(int_cc(cond), a, b)).collect();
        self.truths(inst, truths)
    }

    pub(super) fn fcmp(&mut self, inst: &Inst) -> ClifParts {
        let cond = inst.float_cond();
        let (a, b) = (self.arg(inst, 0), self.arg(inst, 1));
        let is_vector = layout(self.arg_type(inst, 0)).lanes_per_part > 1;
        let truths: ClifParts = a
            .iter()
            .zip(&b)
            .map(|(&a, &b)| match cond {
                // Cranelift has no vector form of these two.
                FloatCond::One if is_vector => {
                    let (less, greater) = (FloatCC::LessThan, FloatCC::GreaterThan);
                    let (less, greater) = (self.ins().fcmp(less, a, b), self.ins().fcmp(greater, a, b));
                    self.ins().bor(less, greater)
                }
                FloatCond::Ueq if is_vector => {
                    let (equal, unordered) = (FloatCC::Equal, FloatCC::Unordered);
                    let (equal, unordered) = (self.ins().fcmp(equal, a, b), self.ins().fcmp(unordered, a, b));
                    self.ins().bor(equal, unordered)
                }
                _ => self.ins().fcmp(float_cc(cond), a, b),
            })
            .collect();
        self.truths(inst, truths)
    }
}
