//! Lowering of conversions. Conversions from float to integer saturate, and NaN becomes 0; the machine's instructions
//! return one value for everything that is out of range.

use iced_x86::Code as Encoding;
use regalloc2::{RegClass, VReg};

use super::super::inst::{Amode, CondCode, InstBuilder, Src, Test, View};
use super::super::vec_ops::{Size, VecOp};
use super::float_range::is_in_range;
use super::scalar::{Alu, AluOperand};
use super::{Lower, Lowered, RegShape, ValueRegs};
use grus_ir::{Conversion, Inst, Kind, Op, Type, Value};

/// Extensions from 8, 8, 8, 16, 16, 32 bits to 16, 32, 64, 32, 64, 64 bits.
const SIGNED: [VecOp; 6] = [
    VecOp::Vpmovsxbw,
    VecOp::Vpmovsxbd,
    VecOp::Vpmovsxbq,
    VecOp::Vpmovsxwd,
    VecOp::Vpmovsxwq,
    VecOp::Vpmovsxdq,
];
const UNSIGNED: [VecOp; 6] = [
    VecOp::Vpmovzxbw,
    VecOp::Vpmovzxbd,
    VecOp::Vpmovzxbq,
    VecOp::Vpmovzxwd,
    VecOp::Vpmovzxwq,
    VecOp::Vpmovzxdq,
];
const NARROW: [VecOp; 6] =
    [VecOp::Vpmovwb, VecOp::Vpmovdb, VecOp::Vpmovqb, VecOp::Vpmovdw, VecOp::Vpmovqw, VecOp::Vpmovqd];

fn widths(narrow: u32, wide: u32) -> usize {
    match (narrow, wide) {
        (8, 16) => 0,
        (8, 32) => 1,
        (8, _) => 2,
        (16, 32) => 3,
        (16, _) => 4,
        _ => 5,
    }
}

/// Conversion of floats to integers of at most 32 bits.
#[derive(Clone, Copy)]
struct FloatToInt {
    signed: bool,
    /// True if numbers are rounded to the nearest integer, not towards zero.
    rounds: bool,
    /// True if all numbers are in the range of the integers.
    fits: bool,
}

impl FloatToInt {
    /// Returns the instruction that converts to 32 bits. AVX2 has those for signed integers only.
    fn vec_op(self, is_double: bool) -> VecOp {
        let [rounding, truncating] = match (is_double, self.signed) {
            (false, true) => [VecOp::Vcvtps2dq, VecOp::Vcvttps2dq],
            (false, false) => [VecOp::Vcvtps2udq, VecOp::Vcvttps2udq],
            (true, true) => [VecOp::Vcvtpd2dq, VecOp::Vcvttpd2dq],
            (true, false) => [VecOp::Vcvtpd2udq, VecOp::Vcvttpd2udq],
        };
        if self.rounds { rounding } else { truncating }
    }
}

/// Returns the range of an integer of 32 bits.
fn bounds(signed: bool) -> (f64, f64) {
    if signed { (i32::MIN.into(), i32::MAX.into()) } else { (0.0, u32::MAX.into()) }
}

impl Lower<'_> {
    /// Converts lanes to another width, in as many registers as they fill, by extension or truncation.
    pub fn resize(
        &mut self,
        regs: &ValueRegs,
        lanes: u16,
        from: u32,
        to: u32,
        signed: bool,
    ) -> Lowered<ValueRegs> {
        let (source, target) = (self.shape_of_lanes(lanes, from)?, self.shape_of_lanes(lanes, to)?);
        if from == to {
            return Ok(regs.clone());
        }
        if from < to {
            let vec_op = if signed { SIGNED } else { UNSIGNED }[widths(from, to)];
            let segments = self.split_regs(regs, source, target.lanes);
            return Ok(segments
                .into_iter()
                .map(|segment| self.vector1(vec_op, target.size, segment))
                .collect());
        }
        if self.target.avx512 {
            let vec_op = NARROW[widths(to, from)];
            let narrow: ValueRegs = regs.iter().map(|&reg| self.vector1(vec_op, source.size, reg)).collect();
            let segments = RegShape { bits: to, ..source };
            return Ok(self.join_regs(&narrow, segments, target));
        }
        let half = from / 2;
        let narrow = regs.iter().map(|&reg| self.halve_lanes(source.size, from, reg)).collect();
        let middle = self.shape_of_lanes(lanes, half)?;
        let narrow = self.join_regs(&narrow, RegShape { bits: half, ..source }, middle);
        self.resize(&narrow, lanes, half, to, signed)
    }

    /// Truncates lanes to their lower halves, without AVX-512.
    fn halve_lanes(&mut self, size: Size, from: u32, reg: VReg) -> VReg {
        if from == 64 && size == Size::X {
            return self.vector1i(VecOp::Vpshufd, size, reg, 0x08);
        }
        if from == 64 {
            let order: Vec<u8> = [0u32, 2, 4, 6, 0, 2, 4, 6].iter().flat_map(|n| n.to_le_bytes()).collect();
            let order = self.code.pool.add(order);
            let order = self.vector1(VecOp::Vmovdqu, size, Amode::pool(order));
            return self.vector2(VecOp::Vpermd, size, order, reg);
        }
        let step = from as u8 / 8;
        let mut order = [0x80u8; 16];
        for (at, byte) in (0..16).filter(|byte| byte % step < step / 2).enumerate() {
            order[at] = byte;
        }
        let order = self.code.pool.add(order.repeat(size.bytes() as usize / 16));
        let packed = self.vector2(VecOp::Vpshufb, size, reg, Amode::pool(order));
        if size == Size::X { packed } else { self.vector1i(VecOp::Vpermqi, size, packed, 0x08) }
    }

    /// Lowers conversions of vectors.
    pub fn convert_vector(&mut self, inst: &Inst, op: Conversion) -> Lowered<ValueRegs> {
        let (value, from, to) = (inst.args[0], self.source.ty(inst.args[0]), inst.ty);
        if from.is_mask() {
            return self.extend_mask(inst, op);
        }
        if to.is_mask() {
            return self.truncate_to_mask(inst);
        }
        match op {
            Conversion::Zext | Conversion::Sext | Conversion::Trunc => {
                let regs = self.value_regs(value)?;
                self.resize(&regs, from.lanes, from.kind.bits(), to.kind.bits(), op == Conversion::Sext)
            }
            Conversion::Fpext | Conversion::Fptrunc => self.float_to_float(value, from, to),
            Conversion::Sitofp | Conversion::Uitofp => {
                let regs = self.value_regs(value)?;
                self.ints_to_floats(regs, from, to, op == Conversion::Sitofp)
            }
            Conversion::Fptosi | Conversion::Fptoui => {
                let signed = op == Conversion::Fptosi;
                let number = self.nearest_operand(value).filter(|_| to.kind.bits() <= 32);
                let fits = is_in_range(self.source, value, to.kind.bits(), signed);
                let how = FloatToInt { signed, rounds: number.is_some(), fits };
                let in_range = self.in_range_conversion(value, to, how.rounds).filter(|_| fits);
                let number = number.unwrap_or(value);
                let regs = self.value_regs(number)?;
                self.mark_used(number);
                match in_range {
                    Some(vec_op) => self.floats_in_range(vec_op, &regs, from, to),
                    None => self.floats_to_ints(regs, from, to, how),
                }
            }
        }
    }

    /// Converts lanes to another width by the instruction `vec_op`.
    fn convert_lanes(&mut self, vec_op: VecOp, regs: &ValueRegs, from: RegShape, to: RegShape) -> ValueRegs {
        if from.bits < to.bits {
            let segments = self.split_regs(regs, from, to.lanes);
            return segments.into_iter().map(|segment| self.vector1(vec_op, to.size, segment)).collect();
        }
        let narrow: ValueRegs = regs.iter().map(|&reg| self.vector1(vec_op, from.size, reg)).collect();
        self.join_regs(&narrow, RegShape { bits: to.bits, ..from }, to)
    }

    fn float_to_float(&mut self, value: Value, from: Type, to: Type) -> Lowered<ValueRegs> {
        let floats = from.with_kind(Kind::F32);
        match (from.kind, to.kind) {
            (Kind::F16, Kind::F32) => self.halves_to_floats(value),
            (Kind::F16, _) => {
                let regs = self.halves_to_floats(value)?;
                let (from, to) = (self.shape_of(floats)?, self.shape_of(to)?);
                Ok(self.convert_lanes(VecOp::Vcvtps2pd, &regs, from, to))
            }
            (Kind::F32, Kind::F16) => {
                let regs = self.value_regs(value)?;
                Ok(self.floats_to_halves(to, &regs))
            }
            (Kind::F32, _) => {
                let regs = self.value_regs(value)?;
                let (from, to) = (self.shape_of(from)?, self.shape_of(to)?);
                Ok(self.convert_lanes(VecOp::Vcvtps2pd, &regs, from, to))
            }
            (_, Kind::F32) => {
                let regs = self.value_regs(value)?;
                let (from, to) = (self.shape_of(from)?, self.shape_of(to)?);
                Ok(self.convert_lanes(VecOp::Vcvtpd2ps, &regs, from, to))
            }
            _ => {
                let regs = self.value_regs(value)?;
                let doubles = self.shape_of(from)?;
                let floats = regs.into_iter().map(|reg| self.float_for_half(doubles.size, reg)).collect();
                self.rounded_doubles_to_halves(to, doubles, floats)
            }
        }
    }

    fn ints_to_floats(&mut self, regs: ValueRegs, from: Type, to: Type, signed: bool) -> Lowered<ValueRegs> {
        let lanes = from.lanes;
        let (source, target) = (self.shape_of(from)?, self.shape_of(to)?);
        let is_double = to.kind == Kind::F64;
        if from.kind == Kind::I32 {
            return Ok(match (is_double, signed || self.target.avx512) {
                (false, true) => {
                    let vec_op = if signed { VecOp::Vcvtdq2ps } else { VecOp::Vcvtudq2ps };
                    regs.iter().map(|&reg| self.vector1(vec_op, target.size, reg)).collect()
                }
                (true, true) => {
                    let vec_op = if signed { VecOp::Vcvtdq2pd } else { VecOp::Vcvtudq2pd };
                    self.convert_lanes(vec_op, &regs, source, target)
                }
                (false, false) => regs.iter().map(|&reg| self.unsigned_to_floats(target.size, reg)).collect(),
                (true, false) => {
                    let wide = self.resize(&regs, lanes, 32, 64, false)?;
                    wide.iter().map(|&reg| self.unsigned_to_doubles(target.size, reg)).collect()
                }
            });
        }
        if self.target.avx512 {
            let vec_op = match (is_double, signed) {
                (false, true) => VecOp::Vcvtqq2ps,
                (false, false) => VecOp::Vcvtuqq2ps,
                (true, true) => VecOp::Vcvtqq2pd,
                (true, false) => VecOp::Vcvtuqq2pd,
            };
            return Ok(self.convert_lanes(vec_op, &regs, source, target));
        }
        let convert = |t: &mut Self, reg| {
            let reg = if is_double { reg } else { t.rounded_for_floats(source.size, signed, reg) };
            t.qwords_to_doubles(source.size, signed, reg)
        };
        let doubles = regs.iter().map(|&reg| convert(self, reg)).collect();
        Ok(if is_double { doubles } else { self.convert_lanes(VecOp::Vcvtpd2ps, &doubles, source, target) })
    }

    /// Converts both halves exactly, and adds them with one rounding.
    fn unsigned_to_floats(&mut self, size: Size, reg: VReg) -> VReg {
        let high = self.vector1i(VecOp::Vpsrldi, size, reg, 16);
        let mask = self.constant_source(VecOp::Vpand, size, 32, 0xffff);
        let low = self.vector2(VecOp::Vpand, size, reg, mask);
        let (high, low) =
            (self.vector1(VecOp::Vcvtdq2ps, size, high), self.vector1(VecOp::Vcvtdq2ps, size, low));
        let scale = self.constant_source(VecOp::Vfmadd132ps, size, 32, u64::from(65536f32.to_bits()));
        let result = self.code.vreg(RegClass::Float);
        self.emitted
            .push(InstBuilder::vec_op(VecOp::Vfmadd132ps, size).reuse_def(high, result).read(low).src(scale));
        result
    }

    /// Puts the integer into the low bits of a large double, and subtracts that double.
    fn unsigned_to_doubles(&mut self, size: Size, reg: VReg) -> VReg {
        let magic = (1u64 << 52) as f64;
        let bits = self.constant_source(VecOp::Vpor, size, 64, magic.to_bits());
        let large = self.vector2(VecOp::Vpor, size, reg, bits);
        let bits = self.constant_source(VecOp::Vsubpd, size, 64, magic.to_bits());
        self.vector2(VecOp::Vsubpd, size, large, bits)
    }

    /// Returns the number that a value is the nearest integer to, if nothing else needs that. Conversions round, too.
    fn nearest_operand(&self, value: Value) -> Option<Value> {
        let value = self.origin(value);
        let rounding = self.source.def_inst(value).filter(|def| def.op == Op::Fnearest)?;
        (rounding.ty.kind != Kind::F16 && self.is_sunk(value)).then(|| rounding.args[0])
    }

    /// Returns the instruction that converts floats that are in the range of the integers to lanes of 32 or 64 bits.
    fn in_range_conversion(&self, value: Value, to: Type, rounds: bool) -> Option<VecOp> {
        let is_double = self.source.ty(value).kind == Kind::F64;
        let bits = to.kind.bits().max(32);
        let signed = is_in_range(self.source, value, bits, true);
        match (bits, signed) {
            (_, false) | (64, _) if !self.target.avx512 => None,
            (32, _) => Some(FloatToInt { signed, rounds, fits: true }.vec_op(is_double)),
            (_, true) => Some(if is_double { VecOp::Vcvttpd2qq } else { VecOp::Vcvttps2qq }),
            (_, false) => Some(if is_double { VecOp::Vcvttpd2uqq } else { VecOp::Vcvttps2uqq }),
        }
    }

    /// Converts floats that are in the range of the integers.
    fn floats_in_range(
        &mut self,
        vec_op: VecOp,
        regs: &ValueRegs,
        from: Type,
        to: Type,
    ) -> Lowered<ValueRegs> {
        let bits = to.kind.bits().max(32);
        let (source, target) = (self.shape_of(from)?, self.shape_of_lanes(to.lanes, bits)?);
        let numbers = self.convert_lanes(vec_op, regs, source, target);
        self.resize(&numbers, to.lanes, bits, to.kind.bits(), false)
    }

    fn floats_to_ints(
        &mut self,
        regs: ValueRegs,
        from: Type,
        to: Type,
        how: FloatToInt,
    ) -> Lowered<ValueRegs> {
        let signed = how.signed;
        let (source, target) = (self.shape_of(from)?, self.shape_of(to)?);
        let (bits, lanes) = (to.kind.bits(), to.lanes);
        let is_double = from.kind == Kind::F64;
        if bits == 64 {
            if !self.target.avx512 {
                let doubles = if is_double {
                    regs
                } else {
                    let wide = self.shape_of(from.with_kind(Kind::F64))?;
                    self.convert_lanes(VecOp::Vcvtps2pd, &regs, source, wide)
                };
                let size = target.size;
                return Ok(doubles.iter().map(|&reg| self.doubles_to_qwords(size, signed, reg)).collect());
            }
            return Ok(self.floats_to_qwords(regs, source, target, signed));
        }
        if bits < 32 {
            let dwords = regs.iter().map(|&reg| self.floats_to_bounded(source, bits, how, reg)).collect();
            let narrow = RegShape { bits: 32, ..source };
            let dwords = self.join_regs(&dwords, narrow, self.shape_of_lanes(lanes, 32)?);
            return self.resize(&dwords, lanes, 32, bits, false);
        }
        if is_double {
            let convert = |&reg| {
                if signed {
                    self.doubles_to_dwords(source, how, reg)
                } else {
                    self.doubles_to_unsigned(source, how, reg)
                }
            };
            let dwords = regs.iter().map(convert).collect();
            return Ok(self.join_regs(&dwords, RegShape { bits: 32, ..source }, target));
        }
        let convert = |t: &mut Self, reg| {
            if signed { t.floats_to_dwords(source, how, reg) } else { t.floats_to_unsigned(source, how, reg) }
        };
        Ok(regs.iter().map(|&reg| convert(self, reg)).collect())
    }

    /// Returns `new` in lanes where a comparison of floats holds, else `old`.
    fn replace_where(
        &mut self,
        shape: RegShape,
        a: VReg,
        b: Src,
        predicate: u8,
        old: VReg,
        new: Src,
    ) -> VReg {
        let is_double = shape.bits == 64;
        let vec_op = if is_double { VecOp::Vcmppdk } else { VecOp::Vcmppsk };
        let mask = self.code.vreg(RegClass::Vector);
        self.emitted.push(InstBuilder::vec_op(vec_op, shape.size).def(mask).read(a).src(b).imm8(predicate));
        let vec_op = if is_double { VecOp::Vpblendmq } else { VecOp::Vpblendmd };
        self.vector2_masked(vec_op, shape.size, old, new, mask)
    }

    /// Converts `reg` with AVX-512 in lanes where `number` is not NaN; others are zero.
    fn convert_ordered(&mut self, vec_op: VecOp, shape: RegShape, number: VReg, reg: VReg) -> VReg {
        let compare = if shape.bits == 64 { VecOp::Vcmppdk } else { VecOp::Vcmppsk };
        let (mask, result) = (self.code.vreg(RegClass::Vector), self.code.vreg(RegClass::Float));
        let build = InstBuilder::vec_op(compare, shape.size).def(mask);
        self.emitted.push(build.read(number).read(number).imm8(0x07));
        self.note_size(shape.size);
        self.emitted.push(InstBuilder::vec_op(vec_op, shape.size).def(result).read(reg).mask(mask).zeroing());
        result
    }

    /// Converts floats or doubles to integers of 32 bits, of which the lower `bits` count. They are clamped before, so that
    /// NaN stays: it becomes 2³¹, whose lower bits are zeros.
    fn floats_to_bounded(&mut self, shape: RegShape, bits: u32, how: FloatToInt, reg: VReg) -> VReg {
        let (size, is_double, signed) = (shape.size, shape.bits == 64, how.signed);
        let [min, max] =
            if is_double { [VecOp::Vminpd, VecOp::Vmaxpd] } else { [VecOp::Vminps, VecOp::Vmaxps] };
        let convert = FloatToInt { signed: true, ..how }.vec_op(is_double);
        let top = 2f64.powi(bits.cast_signed() - i32::from(signed));
        let mut clamp = |vec_op: VecOp, bound: f64, reg| {
            let bound = if is_double { bound.to_bits() } else { (bound as f32).to_bits().into() };
            let bound = self.splat_constant(size, shape.bits, bound);
            // If one operand is NaN, the result is the second.
            self.vector2(vec_op, size, bound, reg)
        };
        let reg = clamp(min, top - 1.0, reg);
        let reg = clamp(max, if signed { -top } else { 0.0 }, reg);
        self.vector1(convert, size, reg)
    }

    /// Converts floats to signed integers of 32 bits.
    fn floats_to_dwords(&mut self, shape: RegShape, how: FloatToInt, reg: VReg) -> VReg {
        let (size, convert) = (shape.size, how.vec_op(false));
        let limit = u64::from(2147483648f32.to_bits());
        if self.target.avx512 {
            let number = self.convert_ordered(convert, shape, reg, reg);
            let limit = self.constant_source(VecOp::Vcmppsk, size, 32, limit);
            let max = self.constant_source(VecOp::Vpblendmd, size, 32, 0x7fff_ffff);
            return self.replace_where(shape, reg, limit, 0x1d, number, max);
        }
        let number = self.vector1(convert, size, reg);
        // Out of range the result is the smallest integer; its complement is the largest one.
        let limit = self.constant_source(VecOp::Vcmpps, size, 32, limit);
        let large = self.vector2i(VecOp::Vcmpps, size, reg, limit, 0x1d);
        let number = self.vector2(VecOp::Vpxor, size, number, large);
        let ordered = self.vector2i(VecOp::Vcmpps, size, reg, reg, 0x07);
        self.vector2(VecOp::Vpand, size, number, ordered)
    }

    /// Converts floats to unsigned integers of 32 bits.
    fn floats_to_unsigned(&mut self, shape: RegShape, how: FloatToInt, reg: VReg) -> VReg {
        let size = shape.size;
        // NaN becomes zero, too.
        let zero = self.splat_constant(size, 32, 0);
        let positive = self.vector2(VecOp::Vmaxps, size, reg, zero);
        if self.target.avx512 {
            return self.vector1(how.vec_op(false), size, positive);
        }
        let limit = self.splat_constant(size, 32, u64::from(2147483648f32.to_bits()));
        let large = self.vector2i(VecOp::Vcmpps, size, positive, limit, 0x1d);
        let excess = self.vector2(VecOp::Vpand, size, large, limit);
        let rest = self.vector2(VecOp::Vsubps, size, positive, excess);
        let number = self.vector1(FloatToInt { signed: true, ..how }.vec_op(false), size, rest);
        let top = self.vector1i(VecOp::Vpslldi, size, large, 31);
        let number = self.vector2(VecOp::Vpxor, size, number, top);
        let over = self.constant_source(VecOp::Vcmpps, size, 32, u64::from(4294967296f32.to_bits()));
        let over = self.vector2i(VecOp::Vcmpps, size, positive, over, 0x1d);
        self.vector2(VecOp::Vpor, size, number, over)
    }

    /// Converts doubles to signed integers of 32 bits, after clamping them to the range.
    fn doubles_to_dwords(&mut self, shape: RegShape, how: FloatToInt, reg: VReg) -> VReg {
        let (size, convert) = (shape.size, how.vec_op(true));
        // Numbers that are too small become the smallest one.
        let max = self.constant_source(VecOp::Vminpd, size, 64, f64::from(i32::MAX).to_bits());
        let bounded = self.vector2(VecOp::Vminpd, size, reg, max);
        if self.target.avx512 {
            return self.convert_ordered(convert, shape, reg, bounded);
        }
        let ordered = self.vector2i(VecOp::Vcmppd, size, reg, reg, 0x07);
        let ordered = self.vector2(VecOp::Vpand, size, bounded, ordered);
        self.vector1(convert, size, ordered)
    }

    /// Converts doubles to unsigned integers of 32 bits.
    fn doubles_to_unsigned(&mut self, shape: RegShape, how: FloatToInt, reg: VReg) -> VReg {
        let size = shape.size;
        let mut bounded = reg;
        if !how.fits {
            // NaN becomes zero, too.
            let zero = self.splat_constant(size, 64, 0);
            bounded = self.vector2(VecOp::Vmaxpd, size, reg, zero);
        }
        if self.target.avx512 {
            // Numbers that are too large become the largest one.
            return self.vector1(how.vec_op(true), size, bounded);
        }
        if !how.fits {
            let max = self.constant_source(VecOp::Vminpd, size, 64, f64::from(u32::MAX).to_bits());
            bounded = self.vector2(VecOp::Vminpd, size, bounded, max);
        }
        // To the nearest integer or towards zero.
        let whole = self.vector1i(VecOp::Vroundpd, size, bounded, if how.rounds { 8 } else { 11 });
        let middle = self.constant_source(VecOp::Vsubpd, size, 64, 2147483648f64.to_bits());
        let moved = self.vector2(VecOp::Vsubpd, size, whole, middle);
        let number = self.vector1(VecOp::Vcvttpd2dq, size, moved);
        let narrow = size.narrower(1);
        let top = self.constant_source(VecOp::Vpxor, narrow, 32, 0x8000_0000);
        self.vector2(VecOp::Vpxor, narrow, number, top)
    }

    fn floats_to_qwords(
        &mut self,
        regs: ValueRegs,
        source: RegShape,
        target: RegShape,
        signed: bool,
    ) -> ValueRegs {
        let is_double = source.bits == 64;
        let segments = self.split_regs(&regs, source, target.lanes);
        let mut results = ValueRegs::new();
        for segment in segments {
            // A segment has as many lanes as a register of the result.
            let size = if is_double { target.size } else { target.size.narrower(1) };
            let shape = RegShape { size, ..source };
            if !signed {
                let zero = self.splat_constant(size, 64, 0);
                let max = if is_double { VecOp::Vmaxpd } else { VecOp::Vmaxps };
                let positive = self.vector2(max, size, segment, zero);
                let vec_op = if is_double { VecOp::Vcvttpd2uqq } else { VecOp::Vcvttps2uqq };
                results.push(self.vector1(vec_op, target.size, positive));
                continue;
            }
            let vec_op = if is_double { VecOp::Vcvttpd2qq } else { VecOp::Vcvttps2qq };
            let number = self.vector1(vec_op, target.size, segment);
            let compare = if is_double { VecOp::Vcmppdk } else { VecOp::Vcmppsk };
            let limit = if is_double {
                9223372036854775808f64.to_bits()
            } else {
                u64::from(9223372036854775808f32.to_bits())
            };
            let limit = self.constant_source(compare, size, source.bits, limit);
            let max = self.constant_source(VecOp::Vpblendmq, target.size, 64, i64::MAX as u64);
            let number = self.replace_qwords(shape, target, segment, limit, 0x1d, number, max);
            let zero = self.splat_constant(target.size, 64, 0);
            results.push(self.replace_qwords(
                shape,
                target,
                segment,
                segment.into(),
                0x03,
                number,
                zero.into(),
            ));
        }
        results
    }

    #[allow(clippy::too_many_arguments, reason = "two values, what is compared, and how")]
    fn replace_qwords(
        &mut self,
        shape: RegShape,
        target: RegShape,
        a: VReg,
        b: Src,
        predicate: u8,
        old: VReg,
        new: Src,
    ) -> VReg {
        let vec_op = if shape.bits == 64 { VecOp::Vcmppdk } else { VecOp::Vcmppsk };
        let mask = self.code.vreg(RegClass::Vector);
        self.emitted.push(InstBuilder::vec_op(vec_op, shape.size).def(mask).read(a).src(b).imm8(predicate));
        self.vector2_masked(VecOp::Vpblendmq, target.size, old, new, mask)
    }

    /// Lowers conversions of scalars.
    pub fn convert_scalar(&mut self, inst: &Inst, op: Conversion) -> Lowered<VReg> {
        let (value, from, to) = (inst.args[0], self.source.ty(inst.args[0]).kind, inst.ty.kind);
        match op {
            Conversion::Zext | Conversion::Sext => {
                let register = self.scalar(value)?;
                Ok(self.extend(register, from.bits(), to.bits(), op == Conversion::Sext))
            }
            Conversion::Trunc => {
                let register = self.scalar(value)?;
                Ok(if to == Kind::I1 {
                    self.alu(Alu::And, 32, register, AluOperand::Imm(1))
                } else {
                    register
                })
            }
            Conversion::Fpext | Conversion::Fptrunc => {
                let register = self.scalar(value)?;
                Ok(self.scalar_float(register, from, to))
            }
            Conversion::Sitofp | Conversion::Uitofp => {
                let signed = op == Conversion::Sitofp;
                let register = self.scalar(value)?;
                let wide =
                    if from.bits() < 64 { self.extend(register, from.bits(), 64, signed) } else { register };
                let signed = signed || from.bits() < 64;
                Ok(self.int_to_float(wide, 64, to == Kind::F64, signed))
            }
            Conversion::Fptosi | Conversion::Fptoui => {
                let float = self.scalar(value)?;
                Ok(self.float_to_int(float, from == Kind::F64, to.bits(), op == Conversion::Fptosi))
            }
        }
    }

    /// Converts a scalar float to another kind.
    fn scalar_float(&mut self, float: VReg, from: Kind, to: Kind) -> VReg {
        match (from, to) {
            (Kind::F16, Kind::F32) => self.vector1(VecOp::Vcvtph2ps, Size::X, float),
            (Kind::F16, _) => {
                let single = self.vector1(VecOp::Vcvtph2ps, Size::X, float);
                self.vector2(VecOp::Vcvtss2sd, Size::X, single, single)
            }
            (Kind::F32, Kind::F16) => self.vector1i(VecOp::Vcvtps2ph, Size::X, float, super::float::NEAREST),
            (Kind::F32, _) => self.vector2(VecOp::Vcvtss2sd, Size::X, float, float),
            (_, Kind::F32) => self.vector2(VecOp::Vcvtsd2ss, Size::X, float, float),
            _ => {
                let single = self.float_for_half(Size::X, float);
                self.vector1i(VecOp::Vcvtps2ph, Size::X, single, super::float::NEAREST)
            }
        }
    }

    /// Converts an integer of 64 bits to a float.
    fn int_to_float(&mut self, number: VReg, bits: u32, is_double: bool, signed: bool) -> VReg {
        let convert = |t: &mut Self, vec_op: VecOp, number: VReg| {
            let upper = t.splat_constant(Size::X, 64, 0);
            let result = t.code.vreg(RegClass::Float);
            t.emitted.push(
                InstBuilder::vec_op(vec_op, Size::X).def(result).read(upper).read_as(number, View::Qword),
            );
            result
        };
        let vec_op = if is_double { VecOp::Vcvtsi2sd64 } else { VecOp::Vcvtsi2ss64 };
        if signed {
            return convert(self, vec_op, number);
        }
        if self.target.avx512 {
            let vec_op = if is_double { VecOp::Vcvtusi2sd64 } else { VecOp::Vcvtusi2ss64 };
            return convert(self, vec_op, number);
        }
        // A large integer is halved, with the last bit kept for rounding, and doubled after the conversion.
        let half = self.shift(Encoding::Shr_rm32_imm8, bits, number, 1);
        let last = self.alu(Alu::And, 32, number, AluOperand::Imm(1));
        let half = self.alu(Alu::Or, bits, half, AluOperand::Reg(last));
        let half = convert(self, vec_op, half);
        let add = if is_double { VecOp::Vaddsd } else { VecOp::Vaddss };
        let large = self.vector2(add, Size::X, half, half);
        let small = convert(self, vec_op, number);
        let sign = self.shift(Encoding::Shr_rm32_imm8, bits, number, 63);
        let shape = RegShape { class: RegClass::Float, size: Size::X, count: 1, lanes: 1, bits: 64 };
        self.blend_all(shape, sign, &super::one(large), &super::one(small))[0]
    }

    fn truncate(&mut self, float: VReg, is_double: bool) -> VReg {
        let vec_op = if is_double { VecOp::Vcvttsd2si64 } else { VecOp::Vcvttss2si64 };
        let result = self.general();
        self.emitted.push(InstBuilder::vec_op(vec_op, Size::X).def(result).read(float));
        result
    }

    fn compare_floats(&mut self, a: VReg, b: VReg, is_double: bool) {
        let vec_op = if is_double { VecOp::Vucomisd } else { VecOp::Vucomiss };
        self.emitted.push(InstBuilder::vec_op(vec_op, Size::X).read(a).read(b));
    }

    /// Loads a float constant.
    fn float_constant(&mut self, value: f64, is_double: bool) -> VReg {
        if is_double {
            self.splat_constant(Size::X, 64, value.to_bits())
        } else {
            self.splat_constant(Size::X, 32, u64::from((value as f32).to_bits()))
        }
    }

    /// Converts a float to an integer of `bits` bits.
    fn float_to_int(&mut self, float: VReg, is_double: bool, bits: u32, signed: bool) -> VReg {
        /// First value out of the range of signed integers, 2⁶³.
        const TOP: f64 = 9223372036854775808.0;
        let zero = self.integer(0);
        if bits < 64 {
            // Clamps to the range as a double, which represents all bounds exactly.
            let double =
                if is_double { float } else { self.vector2(VecOp::Vcvtss2sd, Size::X, float, float) };
            let (min, max) = bounds(signed);
            let min = self.float_constant(min, true);
            let low = self.vector2(VecOp::Vmaxsd, Size::X, double, min);
            let max = self.float_constant(max, true);
            let bounded = self.vector2(VecOp::Vminsd, Size::X, low, max);
            let number = self.truncate(bounded, true);
            self.compare_floats(double, double, true);
            return self.choose(Test::One(CondCode::Parity), 64, zero, number);
        }
        let limit = self.float_constant(TOP, is_double);
        if signed {
            let max = self.integer(i64::MAX as u64);
            let number = self.truncate(float, is_double);
            self.compare_floats(float, limit, is_double);
            let number = self.choose(Test::One(CondCode::AboveEqual), 64, max, number);
            self.compare_floats(float, float, is_double);
            return self.choose(Test::One(CondCode::Parity), 64, zero, number);
        }
        let none = self.splat_constant(Size::X, 64, 0);
        let max = if is_double { VecOp::Vmaxsd } else { VecOp::Vmaxss };
        let positive = self.vector2(max, Size::X, float, none);
        if self.target.avx512 {
            let vec_op = if is_double { VecOp::Vcvttsd2usi64 } else { VecOp::Vcvttss2usi64 };
            let result = self.general();
            self.emitted.push(InstBuilder::vec_op(vec_op, Size::X).def(result).read(positive));
            return result;
        }
        let small = self.truncate(positive, is_double);
        let sub = if is_double { VecOp::Vsubsd } else { VecOp::Vsubss };
        let rest = self.vector2(sub, Size::X, positive, limit);
        let rest = self.truncate(rest, is_double);
        let top = self.integer(1 << 63);
        let large = self.alu(Alu::Xor, 64, rest, AluOperand::Reg(top));
        let over = self.float_constant(TOP * 2.0, is_double);
        let all = self.integer(u64::MAX);
        self.compare_floats(positive, limit, is_double);
        let number = self.choose(Test::One(CondCode::AboveEqual), 64, large, small);
        self.compare_floats(positive, over, is_double);
        self.choose(Test::One(CondCode::AboveEqual), 64, all, number)
    }
}
