//! Lowering of floats, scalars and vectors alike, register by register. Halves are computed directly with AVX512-FP16,
//! scalars in the lowest lane of vectors; otherwise only conversions of halves are left, since `legalize` has expanded
//! the rest to float.

use regalloc2::{RegClass, VReg};

use super::super::inst::{InstBuilder, Src};
use super::super::vec_ops::{Size, VecOp};
use super::{Lower, Lowered, RegShape, ValueRegs, one};
use grus_ir::{FloatBinary, FloatCond, FloatUnary, Inst, Kind, Op, Type, Value};

/// Instructions for vectors of float and double, scalars of float and double, and vectors of half.
type FloatOps = [VecOp; 5];

/// Returns the instruction for values of a kind.
fn pick(vec_ops: FloatOps, kind: Kind, is_vector: bool) -> VecOp {
    match kind {
        Kind::F16 => vec_ops[4],
        _ => vec_ops[2 * usize::from(!is_vector) + usize::from(kind == Kind::F64)],
    }
}

const ADD: FloatOps = [VecOp::Vaddps, VecOp::Vaddpd, VecOp::Vaddss, VecOp::Vaddsd, VecOp::Vaddph];
const SUB: FloatOps = [VecOp::Vsubps, VecOp::Vsubpd, VecOp::Vsubss, VecOp::Vsubsd, VecOp::Vsubph];
const MUL: FloatOps = [VecOp::Vmulps, VecOp::Vmulpd, VecOp::Vmulss, VecOp::Vmulsd, VecOp::Vmulph];
const DIV: FloatOps = [VecOp::Vdivps, VecOp::Vdivpd, VecOp::Vdivss, VecOp::Vdivsd, VecOp::Vdivph];
const SQRT: FloatOps = [VecOp::Vsqrtps, VecOp::Vsqrtpd, VecOp::Vsqrtss, VecOp::Vsqrtsd, VecOp::Vsqrtph];
const ROUND: FloatOps = [VecOp::Vroundps, VecOp::Vroundpd, VecOp::Vroundss, VecOp::Vroundsd, VecOp::Vroundph];
// `Lower::extremum` leaves out halves.
const MIN: FloatOps = [VecOp::Vminps, VecOp::Vminpd, VecOp::Vminss, VecOp::Vminsd, VecOp::Vminps];
const MAX: FloatOps = [VecOp::Vmaxps, VecOp::Vmaxpd, VecOp::Vmaxss, VecOp::Vmaxsd, VecOp::Vmaxps];
const SCALE: FloatOps =
    [VecOp::Vscalefps, VecOp::Vscalefpd, VecOp::Vscalefss, VecOp::Vscalefsd, VecOp::Vscalefph];
const GETEXP: FloatOps =
    [VecOp::Vgetexpps, VecOp::Vgetexppd, VecOp::Vgetexpss, VecOp::Vgetexpsd, VecOp::Vgetexpph];
const GETMANT: FloatOps =
    [VecOp::Vgetmantps, VecOp::Vgetmantpd, VecOp::Vgetmantss, VecOp::Vgetmantsd, VecOp::Vgetmantph];

/// Fused multiply-adds that overwrite the first factor with the summand as last source (213), the summand (231), or the
/// first factor with the other factor as last source (132); by the signs of product and summand.
const FMA213: [FloatOps; 4] = [
    [VecOp::Vfmadd213ps, VecOp::Vfmadd213pd, VecOp::Vfmadd213ss, VecOp::Vfmadd213sd, VecOp::Vfmadd213ph],
    [VecOp::Vfmsub213ps, VecOp::Vfmsub213pd, VecOp::Vfmsub213ss, VecOp::Vfmsub213sd, VecOp::Vfmsub213ph],
    [VecOp::Vfnmadd213ps, VecOp::Vfnmadd213pd, VecOp::Vfnmadd213ss, VecOp::Vfnmadd213sd, VecOp::Vfnmadd213ph],
    [VecOp::Vfnmsub213ps, VecOp::Vfnmsub213pd, VecOp::Vfnmsub213ss, VecOp::Vfnmsub213sd, VecOp::Vfnmsub213ph],
];
const FMA231: [FloatOps; 4] = [
    [VecOp::Vfmadd231ps, VecOp::Vfmadd231pd, VecOp::Vfmadd231ss, VecOp::Vfmadd231sd, VecOp::Vfmadd231ph],
    [VecOp::Vfmsub231ps, VecOp::Vfmsub231pd, VecOp::Vfmsub231ss, VecOp::Vfmsub231sd, VecOp::Vfmsub231ph],
    [VecOp::Vfnmadd231ps, VecOp::Vfnmadd231pd, VecOp::Vfnmadd231ss, VecOp::Vfnmadd231sd, VecOp::Vfnmadd231ph],
    [VecOp::Vfnmsub231ps, VecOp::Vfnmsub231pd, VecOp::Vfnmsub231ss, VecOp::Vfnmsub231sd, VecOp::Vfnmsub231ph],
];
const FMA132: [FloatOps; 4] = [
    [VecOp::Vfmadd132ps, VecOp::Vfmadd132pd, VecOp::Vfmadd132ss, VecOp::Vfmadd132sd, VecOp::Vfmadd132ph],
    [VecOp::Vfmsub132ps, VecOp::Vfmsub132pd, VecOp::Vfmsub132ss, VecOp::Vfmsub132sd, VecOp::Vfmsub132ph],
    [VecOp::Vfnmadd132ps, VecOp::Vfnmadd132pd, VecOp::Vfnmadd132ss, VecOp::Vfnmadd132sd, VecOp::Vfnmadd132ph],
    [VecOp::Vfnmsub132ps, VecOp::Vfnmsub132pd, VecOp::Vfnmsub132ss, VecOp::Vfnmsub132sd, VecOp::Vfnmsub132ph],
];

/// Operand that the result of a fused multiply-add overwrites.
#[derive(Clone, Copy)]
enum Replaced {
    /// First of these factors; the summand may be in memory.
    Factor(Value, Value),
    /// First of these factors; the second one may be in memory.
    ByOther(Value, Value),
    Summand,
}

/// Rounding of halves: to nearest even, independent of the rounding mode.
pub const NEAREST: u8 = 0;

impl Lower<'_> {
    /// Returns register `chunk` of a float as the last source.
    fn float_reg(&mut self, value: Value, chunk: usize, vec_op: VecOp, shape: RegShape) -> Lowered<Src> {
        if self.source.ty(value).is_vector() {
            self.source(value, chunk, vec_op, shape.size)
        } else {
            self.float_source(value)
        }
    }

    /// Lowers operations with two operands.
    pub fn float_binary(&mut self, inst: &Inst, op: FloatBinary) -> Lowered<ValueRegs> {
        let ty = inst.ty;
        let shape = self.shape_of(ty)?;
        let vec_ops = match op {
            FloatBinary::Fcopysign => return self.copysign(inst, shape),
            FloatBinary::Fadd => ADD,
            FloatBinary::Fsub => SUB,
            FloatBinary::Fmul => MUL,
            FloatBinary::Fdiv => DIV,
            FloatBinary::Fscale => SCALE,
        };
        let vec_op = pick(vec_ops, ty.kind, ty.is_vector());
        let (mut a, mut b) = (inst.args[0], inst.args[1]);
        // An operand that can be in memory comes last.
        if inst.op.is_commutative() && self.is_memory_operand(a) && !self.is_memory_operand(b) {
            (a, b) = (b, a);
        }
        let mut regs = ValueRegs::new();
        for chunk in 0..shape.count {
            let second = self.float_reg(b, chunk, vec_op, shape)?;
            let first = self.value_reg(a, chunk)?;
            regs.push(self.vector2(vec_op, shape.size, first, second));
        }
        Ok(regs)
    }

    /// Checks whether an operand would be in memory.
    pub fn is_memory_operand(&self, value: Value) -> bool {
        let value = self.origin(value);
        self.is_foldable_load(value) || self.splat_of(value).is_some() || self.is_broadcast(value)
    }

    /// Returns the size of the registers in which halves are computed as floats.
    fn half_size(&self, ty: Type) -> Size {
        self.shape_of(ty.with_kind(Kind::F32)).map_or(Size::X, |shape| shape.size)
    }

    /// Converts halves to floats.
    pub fn halves_to_floats(&mut self, value: Value) -> Lowered<ValueRegs> {
        let ty = self.source.ty(value);
        let regs = self.value_regs(value)?;
        if !ty.is_vector() {
            return Ok(one(self.vector1(VecOp::Vcvtph2ps, Size::X, regs[0])));
        }
        let to = self.shape_of(ty.with_kind(Kind::F32))?;
        let from = self.shape_of(ty)?;
        let segments = self.split_regs(&regs, from, to.lanes);
        Ok(segments.into_iter().map(|segment| self.vector1(VecOp::Vcvtph2ps, to.size, segment)).collect())
    }

    /// Converts floats to the nearest halves.
    pub fn floats_to_halves(&mut self, ty: Type, floats: &ValueRegs) -> ValueRegs {
        let size = if ty.is_vector() { self.half_size(ty) } else { Size::X };
        let narrow: ValueRegs =
            floats.iter().map(|&reg| self.vector1i(VecOp::Vcvtps2ph, size, reg, NEAREST)).collect();
        if !ty.is_vector() {
            return narrow;
        }
        match (self.shape_of(ty.with_kind(Kind::F32)), self.shape_of(ty)) {
            (Ok(from), Ok(to)) => {
                let segments = RegShape { bits: 16, size: size.narrower(1), ..from };
                self.join_regs(&narrow, segments, to)
            }
            _ => narrow,
        }
    }

    /// Returns a constant as the last source of one register of floats.
    fn bits_source(&mut self, vec_op: VecOp, shape: RegShape, value: u64) -> Src {
        self.constant_source(vec_op, shape.size, shape.bits, value)
    }

    fn copysign(&mut self, inst: &Inst, shape: RegShape) -> Lowered<ValueRegs> {
        let sign = 1u64 << (shape.bits - 1);
        let (a, b) = (self.value_regs(inst.args[0])?, self.value_regs(inst.args[1])?);
        let mut regs = ValueRegs::new();
        for i in 0..shape.count {
            if self.target.avx512 && shape.bits >= 32 {
                // Selects bits of the second operand where the constant is set, else of the first.
                let vec_op = if shape.bits == 64 { VecOp::Vpternlogq } else { VecOp::Vpternlogd };
                let source = self.bits_source(vec_op, shape, sign);
                let result = self.code.vreg(RegClass::Float);
                let build =
                    InstBuilder::vec_op(vec_op, shape.size).reuse_def(a[i], result).read(b[i]).src(source);
                self.emitted.push(build.imm8(0xd8));
                regs.push(result);
                continue;
            }
            let vec_op = self.and_op(shape.bits);
            let mask = self.bits_source(vec_op, shape, sign);
            let taken = self.vector2(vec_op, shape.size, b[i], mask);
            let rest = self.bits_source(vec_op, shape, !sign);
            let kept = self.vector2(vec_op, shape.size, a[i], rest);
            regs.push(self.vector2(VecOp::Vpor, shape.size, taken, kept));
        }
        Ok(regs)
    }

    /// Returns the `and` instruction whose memory operand has elements of `bits` bits.
    pub fn and_op(&self, bits: u32) -> VecOp {
        if bits == 64 && self.target.avx512 { VecOp::Vpandq } else { VecOp::Vpand }
    }
    /// Returns the `xor` instruction whose memory operand has elements of `bits` bits.
    pub fn xor_op(&self, bits: u32) -> VecOp {
        if bits == 64 && self.target.avx512 { VecOp::Vpxorq } else { VecOp::Vpxor }
    }

    /// Lowers operations with one operand.
    pub fn float_unary(&mut self, inst: &Inst, op: FloatUnary) -> Lowered<ValueRegs> {
        let ty = inst.ty;
        let shape = self.shape_of(ty)?;
        let (vec_ops, immediate) = match op {
            FloatUnary::Fneg | FloatUnary::Fabs => {
                let regs = self.value_regs(inst.args[0])?;
                let sign = 1u64 << (shape.bits - 1);
                let change = |t: &mut Self, reg| {
                    let (vec_op, value) = match op {
                        FloatUnary::Fneg => (t.xor_op(shape.bits), sign),
                        _ => (t.and_op(shape.bits), sign - 1),
                    };
                    let source = t.bits_source(vec_op, shape, value);
                    t.vector2(vec_op, shape.size, reg, source)
                };
                return Ok(regs.into_iter().map(|reg| change(self, reg)).collect());
            }
            FloatUnary::Fsqrt => (SQRT, None),
            // The immediates suppress the inexact exception.
            FloatUnary::Fnearest => (ROUND, Some(8)),
            FloatUnary::Ffloor => (ROUND, Some(9)),
            FloatUnary::Fceil => (ROUND, Some(10)),
            FloatUnary::Ftrunc => (ROUND, Some(11)),
            FloatUnary::Fgetexp => (GETEXP, None),
            // The interval from 1 to 2; NaN for negative numbers.
            FloatUnary::Fgetmant => (GETMANT, Some(12)),
        };
        let vec_op = pick(vec_ops, ty.kind, ty.is_vector());
        let mut regs = ValueRegs::new();
        for chunk in 0..shape.count {
            let source = self.float_reg(inst.args[0], chunk, vec_op, shape)?;
            regs.push(match (ty.is_vector() || ty.kind == Kind::F16, immediate) {
                (true, Some(immediate)) => self.vector1i(vec_op, shape.size, source, immediate),
                (true, None) => self.vector1(vec_op, shape.size, source),
                // Scalar instructions copy the upper lanes from a register, whose contents do not matter. The source
                // itself adds no dependence.
                (false, _) => {
                    let upper = match source {
                        Src::Reg(register) => register,
                        _ => self.undefined_vector(),
                    };
                    match immediate {
                        Some(immediate) => self.vector2i(vec_op, shape.size, upper, source, immediate),
                        None => self.vector2(vec_op, shape.size, upper, source),
                    }
                }
            });
        }
        Ok(regs)
    }

    /// Returns the operand of a negation and true, or the value itself.
    fn without_sign(&self, value: Value) -> (Value, bool) {
        match self.source.def_inst(value) {
            Some(def) if def.op == Op::Fneg => (def.args[0], true),
            _ => (value, false),
        }
    }

    /// Checks whether a value is an operand of a fused multiply-add, or is negated to one.
    pub fn is_fma_operand(&self, inst: &Inst, value: Value) -> bool {
        inst.args.iter().any(|&arg| self.origin(self.without_sign(arg).0) == self.origin(value))
    }

    /// Lowers a fused multiply-add.
    pub fn fma(&mut self, inst: &Inst) -> Lowered<ValueRegs> {
        self.fma_over(inst, None)
    }

    /// Lowers a fused multiply-add, whose result overwrites the operand `kept` if it is given.
    pub fn fma_over(&mut self, inst: &Inst, kept: Option<Value>) -> Lowered<ValueRegs> {
        let ty = inst.ty;
        let shape = self.shape_of(ty)?;
        let (a, minus_a) = self.without_sign(inst.args[0]);
        let (b, minus_b) = self.without_sign(inst.args[1]);
        let (c, minus_c) = self.without_sign(inst.args[2]);
        let signs = 2 * usize::from(minus_a != minus_b) + usize::from(minus_c);
        let is_vector = ty.is_vector();
        // Any operand may be in memory but the one that is overwritten, which best has no further uses.
        let (a, b) = if self.is_memory_operand(a) && !self.is_memory_operand(b) { (b, a) } else { (a, b) };
        let is_kept = |value| kept.is_some_and(|kept| self.origin(kept) == self.origin(value));
        let replaced = if is_kept(c) {
            Replaced::Summand
        } else if is_kept(a) || is_kept(b) {
            let (first, other) = if is_kept(a) { (a, b) } else { (b, a) };
            if self.is_memory_operand(c) {
                Replaced::Factor(first, other)
            } else {
                Replaced::ByOther(first, other)
            }
        } else if self.is_memory_operand(c) && !self.is_memory_operand(b) {
            if self.is_last_use(a) {
                Replaced::Factor(a, b)
            } else if self.is_last_use(b) {
                Replaced::Factor(b, a)
            } else {
                Replaced::Summand
            }
        } else if self.is_last_use(c)
            || !self.is_last_use(a) && (self.is_memory_operand(b) || !self.is_last_use(b))
        {
            Replaced::Summand
        } else if self.is_last_use(a) {
            Replaced::ByOther(a, b)
        } else {
            Replaced::ByOther(b, a)
        };
        let mut regs = ValueRegs::new();
        for chunk in 0..shape.count {
            let result = self.code.vreg(RegClass::Float);
            let build = match replaced {
                Replaced::Factor(a, b) => {
                    let vec_op = pick(FMA213[signs], ty.kind, is_vector);
                    let source = self.float_reg(c, chunk, vec_op, shape)?;
                    let (a, b) = (self.value_reg(a, chunk)?, self.value_reg(b, chunk)?);
                    InstBuilder::vec_op(vec_op, shape.size).reuse_def(a, result).read(b).src(source)
                }
                Replaced::ByOther(a, b) => {
                    let vec_op = pick(FMA132[signs], ty.kind, is_vector);
                    let source = self.float_reg(b, chunk, vec_op, shape)?;
                    let (a, c) = (self.value_reg(a, chunk)?, self.value_reg(c, chunk)?);
                    InstBuilder::vec_op(vec_op, shape.size).reuse_def(a, result).read(c).src(source)
                }
                Replaced::Summand => {
                    let vec_op = pick(FMA231[signs], ty.kind, is_vector);
                    let source = self.float_reg(b, chunk, vec_op, shape)?;
                    let (a, c) = (self.value_reg(a, chunk)?, self.value_reg(c, chunk)?);
                    InstBuilder::vec_op(vec_op, shape.size).reuse_def(c, result).read(a).src(source)
                }
            };
            self.note_size(shape.size);
            self.emitted.push(build);
            regs.push(result);
        }
        Ok(regs)
    }

    /// Converts floats, which were converted from doubles register by register, to halves.
    pub fn rounded_doubles_to_halves(
        &mut self,
        ty: Type,
        doubles: RegShape,
        floats: ValueRegs,
    ) -> Lowered<ValueRegs> {
        let floats = if ty.is_vector() {
            let to = self.shape_of(ty.with_kind(Kind::F32))?;
            let segments = RegShape { bits: 32, size: doubles.size.narrower(1), ..doubles };
            self.join_regs(&floats, segments, to)
        } else {
            floats
        };
        Ok(self.floats_to_halves(ty, &floats))
    }

    /// Converts doubles to floats that round to the same halves: nonzero bits that are cut off leave a sticky bit.
    pub fn float_for_half(&mut self, size: Size, double: VReg) -> VReg {
        /// Bits of the fraction that a float does not have.
        const REST: u64 = (1 << 29) - 1;
        let and = self.and_op(64);
        let rest = self.constant_source(and, size, 64, REST);
        let low = self.vector2(and, size, double, rest);
        let rest = self.constant_source(VecOp::Vpaddq, size, 64, REST);
        let carry = self.vector2(VecOp::Vpaddq, size, low, rest);
        let sticky = self.vector2(VecOp::Vpor, size, double, carry);
        let kept = self.constant_source(and, size, 64, !REST);
        let exact = self.vector2(and, size, sticky, kept);
        self.vector1(VecOp::Vcvtpd2ps, size, exact)
    }

    /// Lowers a select by a comparison of the same two values, if it is one of the machine's minima and maxima: those give
    /// the second operand unless the first is less (greater).
    pub fn extremum(&mut self, inst: &Inst) -> Lowered<Option<ValueRegs>> {
        let ty = inst.ty;
        let Some(compare) = self.source.def_inst(inst.args[0]).filter(|def| def.op == Op::Fcmp) else {
            return Ok(None);
        };
        if !matches!(ty.kind, Kind::F32 | Kind::F64) || self.source.ty(compare.args[0]) != ty {
            return Ok(None);
        }
        let (x, y) = (compare.args[0], compare.args[1]);
        let (yes, no) = (inst.args[1], inst.args[2]);
        // Less is true of these two, in this order, where the first of `chosen` is selected.
        let (less, chosen) = match compare.float_cond() {
            FloatCond::Olt => ([x, y], [yes, no]),
            FloatCond::Ogt => ([y, x], [yes, no]),
            FloatCond::Uge => ([x, y], [no, yes]),
            FloatCond::Ule => ([y, x], [no, yes]),
            _ => return Ok(None),
        };
        let ops = match chosen {
            [a, b] if self.are_same(a, less[0]) && self.are_same(b, less[1]) => MIN,
            [a, b] if self.are_same(a, less[1]) && self.are_same(b, less[0]) => MAX,
            _ => return Ok(None),
        };
        let vec_op = pick(ops, ty.kind, ty.is_vector());
        let shape = self.shape_of(ty)?;
        let mut regs = ValueRegs::new();
        for chunk in 0..shape.count {
            let second = self.float_reg(chosen[1], chunk, vec_op, shape)?;
            let first = self.value_reg(chosen[0], chunk)?;
            regs.push(self.vector2(vec_op, shape.size, first, second));
        }
        Ok(Some(regs))
    }

    /// Checks whether two floats are one value or equal constants.
    fn are_same(&self, a: Value, b: Value) -> bool {
        let (a, b) = (self.origin(a), self.origin(b));
        let constant = |value| self.source.as_const_of_lanes(value);
        a == b || constant(a).is_some_and(|bits| constant(b) == Some(bits))
    }

    /// Lowers a select of scalars by a comparison of scalars.
    pub fn select_by_float_compare(
        &mut self,
        compare: &Inst,
        yes: Value,
        no: Value,
        ty: Type,
    ) -> Lowered<ValueRegs> {
        let of_doubles = self.source.ty(compare.args[0]).kind == Kind::F64;
        let predicate = float_predicate(compare.float_cond());
        let (yes, no) = (self.scalar(yes)?, self.scalar(no)?);
        let second = self.float_source(compare.args[1])?;
        let first = self.scalar(compare.args[0])?;
        if self.target.avx512 {
            let vec_op = if of_doubles { VecOp::Vcmpsdk } else { VecOp::Vcmpssk };
            let mask = self.code.vreg(RegClass::Vector);
            self.emitted
                .push(InstBuilder::vec_op(vec_op, Size::X).def(mask).read(first).src(second).imm8(predicate));
            let vec_op = if ty.kind == Kind::F64 { VecOp::Vmovsdr } else { VecOp::Vmovssr };
            let result = self.code.vreg(RegClass::Float);
            self.emitted.push(
                InstBuilder::vec_op(vec_op, Size::X).reuse_def(no, result).read(yes).read(yes).mask(mask),
            );
            return Ok(one(result));
        }
        let vec_op = if of_doubles { VecOp::Vcmpsd } else { VecOp::Vcmpss };
        let mut mask = self.vector2i(vec_op, Size::X, first, second, predicate);
        let is_wide = ty.kind == Kind::F64;
        if is_wide != of_doubles {
            // The mask is converted to the width of the result's lane.
            mask = if is_wide {
                self.vector1(VecOp::Vpmovsxdq, Size::X, mask)
            } else {
                self.vector1i(VecOp::Vpshufd, Size::X, mask, 0)
            };
        }
        Ok(one(self.blend_vectors(Size::X, mask, yes, no)))
    }
}

/// Returns the predicate of a comparison as an immediate; all predicates are quiet.
pub fn float_predicate(cond: FloatCond) -> u8 {
    match cond {
        FloatCond::Oeq => 0x00,
        FloatCond::One => 0x0c,
        FloatCond::Olt => 0x11,
        FloatCond::Ole => 0x12,
        FloatCond::Ogt => 0x1e,
        FloatCond::Oge => 0x1d,
        FloatCond::Ord => 0x07,
        FloatCond::Ueq => 0x08,
        FloatCond::Une => 0x04,
        FloatCond::Ult => 0x19,
        FloatCond::Ule => 0x1a,
        FloatCond::Ugt => 0x16,
        FloatCond::Uge => 0x15,
        FloatCond::Uno => 0x03,
    }
}
