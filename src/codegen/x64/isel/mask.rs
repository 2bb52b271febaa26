//! Lowering of masks, which are vectors of truth values.
//!
//! A mask keeps the layout in which it was computed. Its element width is the width in bits of the lanes that were
//! compared; it takes as many registers as a vector of such lanes. With AVX-512 these are mask registers with a bit for
//! each lane; bits without a lane are zero, unless the register is a segment of a wider mask, which is used only by
//! instructions with as many lanes. With AVX2 they are vector registers with lanes of -1 and 0. A use that requires
//! another element width converts the mask. Between blocks masks have the canonical element width.

use iced_x86::Code as Encoding;
use regalloc2::{RegClass, VReg};

use super::super::CodegenBug;
use super::super::inst::{CondCode, InstBuilder, Src, Test, View};
use super::super::vec_ops::{Size, VecOp};
use super::scalar::{Alu, AluOperand, code_plus};
use super::{Lower, Lowered, RegShape, ValueRegs, one};
use grus_ir::{Class, Conversion, Inst, IntBinary, Kind, LaneOp, MaskOp, MemoryOp, Value};

/// Number of truth values in a general register.
pub const WORD_LANES: usize = 64;

/// Element width of masks between blocks.
pub const CANONICAL_MASK_BITS: u32 = 32;

/// Returns the index of the encoding for `lanes` lanes among those of a mask instruction, which are for 16, 64, 8 and
/// 32 bits.
fn mask_encoding(lanes: usize) -> usize {
    match lanes {
        0..=8 => 2,
        9..=16 => 0,
        17..=32 => 3,
        _ => 1,
    }
}

/// Returns the instruction for lanes of `bits` bits, out of those for 8, 16, 32 and 64 bits.
pub fn at(vec_ops: [VecOp; 4], bits: u32) -> VecOp {
    vec_ops[bits.trailing_zeros() as usize - 3]
}

pub const BLEND: [VecOp; 4] = [VecOp::Vpblendmb, VecOp::Vpblendmw, VecOp::Vpblendmd, VecOp::Vpblendmq];
pub const MOVE: [VecOp; 4] = [VecOp::Vmovdqu8, VecOp::Vmovdqu16, VecOp::Vmovdqu, VecOp::Vmovdqu64];
pub const TEST: [VecOp; 4] = [VecOp::Vptestmb, VecOp::Vptestmw, VecOp::Vptestmd, VecOp::Vptestmq];
pub const COMPARE_UNSIGNED: [VecOp; 4] = [VecOp::Vpcmpub, VecOp::Vpcmpuw, VecOp::Vpcmpud, VecOp::Vpcmpuq];
const TO_LANES: [VecOp; 4] = [VecOp::Vpmovm2b, VecOp::Vpmovm2w, VecOp::Vpmovm2d, VecOp::Vpmovm2q];
pub const SIGNS: [VecOp; 4] = [VecOp::Vpmovb2m, VecOp::Vpmovw2m, VecOp::Vpmovd2m, VecOp::Vpmovq2m];
const SUBTRACT: [VecOp; 4] = [VecOp::Vpsubb, VecOp::Vpsubw, VecOp::Vpsubd, VecOp::Vpsubq];

impl Lower<'_> {
    /// Returns the element width of a mask.
    pub fn elem_bits(&self, value: Value) -> u32 {
        self.mask_elem_bits.get(&value).copied().unwrap_or(CANONICAL_MASK_BITS)
    }

    /// Returns the element width of the mask that an instruction computes.
    pub fn result_elem_bits(&self, inst: &Inst) -> u32 {
        let compared = |value: Value| match self.source.ty(value).kind {
            Kind::I1 => self.elem_bits(value),
            kind => kind.bits(),
        };
        match inst.op.class() {
            Class::Comparison(_) => compared(inst.args[0]),
            Class::IntBinary(_) => self.elem_bits(inst.args[0]),
            Class::Choice(_) => self.elem_bits(inst.args[1]),
            Class::Conversion(_) => self.source.ty(inst.args[0]).kind.bits().max(8),
            Class::LaneOp(LaneOp::Splat) => CANONICAL_MASK_BITS,
            Class::LaneOp(LaneOp::Bitcast) => self.elem_bits(inst.args[0]),
            Class::LaneOp(LaneOp::Shuffle) if self.whole_registers(inst).is_some() => {
                self.elem_bits(inst.args[0])
            }
            Class::LaneOp(_) | Class::MemoryOp(MemoryOp::Load) => 8,
            _ => CANONICAL_MASK_BITS,
        }
    }

    /// Returns the registers of a mask that a shuffle takes as they are.
    fn whole_registers(&self, shuffle: &Inst) -> Option<std::ops::Range<usize>> {
        let mask = shuffle.args[0];
        let shape = self.mask_shape(self.source.ty(mask).lanes, self.elem_bits(mask)).ok()?;
        let picks = shuffle.lanes();
        let (first, end) = (usize::from(*picks.first()?), shape.lanes * shape.count);
        let are_in_order =
            (first..end).zip(picks).filter(|&(lane, &pick)| lane == usize::from(pick)).count() == picks.len();
        let is_whole = first % shape.lanes == 0 && picks.len().is_multiple_of(shape.lanes);
        (are_in_order && is_whole && shape.count > 1 && self.mask_bits(mask).is_none())
            .then(|| first / shape.lanes..(first + picks.len()) / shape.lanes)
    }

    /// Returns the register layout of a mask.
    pub fn mask_shape(&self, lanes: u16, elem_bits: u32) -> Lowered<RegShape> {
        let shape = self.shape_of_lanes(lanes, elem_bits)?;
        Ok(if self.target.avx512 { RegShape { class: RegClass::Vector, ..shape } } else { shape })
    }

    /// Returns the number of lanes of a mask's register without padding.
    fn real_lanes(&self, lanes: u16, shape: RegShape) -> usize {
        shape.lanes.min(usize::from(lanes))
    }

    /// Returns the registers of a mask, converted to an element width.
    pub fn mask_as(&mut self, value: Value, elem_bits: u32) -> Lowered<ValueRegs> {
        let lanes = self.source.ty(value).lanes;
        if let Some(bits) = self.mask_bits(value) {
            return self.mask_of_bits(lanes, elem_bits, bits);
        }
        let from = self.elem_bits(value);
        let regs = self.value_regs(value)?;
        self.convert_mask(regs, lanes, from, elem_bits)
    }

    /// Converts the registers of a mask to another element width.
    pub fn convert_mask(&mut self, regs: ValueRegs, lanes: u16, from: u32, to: u32) -> Lowered<ValueRegs> {
        if from == to {
            return Ok(regs);
        }
        if !self.target.avx512 {
            return self.resize(&regs, lanes, from, to, true);
        }
        let (source, target) = (self.mask_shape(lanes, from)?, self.mask_shape(lanes, to)?);
        if source.lanes >= target.lanes {
            return Ok(self.split_masks(&regs, source.lanes, target.lanes));
        }
        Ok(self.join_masks(regs, source.lanes, target.lanes))
    }

    fn split_masks(&mut self, regs: &ValueRegs, from: usize, to: usize) -> ValueRegs {
        let shift = match from {
            0..=8 => Encoding::VEX_Kshiftrb_kr_kr_imm8,
            9..=16 => Encoding::VEX_Kshiftrw_kr_kr_imm8,
            17..=32 => Encoding::VEX_Kshiftrd_kr_kr_imm8,
            _ => Encoding::VEX_Kshiftrq_kr_kr_imm8,
        };
        let mut segments = ValueRegs::new();
        for &reg in regs {
            segments.push(reg);
            for segment in 1..from / to {
                let shifted = self.code.vreg(RegClass::Vector);
                self.emitted.push(InstBuilder::code(shift).def(shifted).read(reg).imm8((segment * to) as u8));
                segments.push(shifted);
            }
        }
        segments
    }

    fn join_masks(&mut self, mut regs: ValueRegs, from: usize, to: usize) -> ValueRegs {
        let mut lanes = from;
        while lanes < to {
            let code = match lanes {
                8 => Encoding::VEX_Kunpckbw_kr_kr_kr,
                16 => Encoding::VEX_Kunpckwd_kr_kr_kr,
                _ => Encoding::VEX_Kunpckdq_kr_kr_kr,
            };
            regs = regs.chunks(2).map(|pair| self.mask_op2(code, pair[1], pair[0])).collect();
            lanes *= 2;
        }
        regs
    }

    fn mask_op2(&mut self, code: Encoding, a: VReg, b: VReg) -> VReg {
        let result = self.code.vreg(RegClass::Vector);
        self.emitted.push(InstBuilder::code(code).def(result).read(a).read(b));
        result
    }

    /// Returns the lanes of a constant mask as bits.
    fn mask_bits(&self, value: Value) -> Option<u64> {
        if self.source.ty(value).lanes > 64 {
            return None;
        }
        let lanes = self.constant_lanes(value)?;
        Some(lanes.iter().enumerate().fold(0, |bits, (i, &lane)| bits | (lane & 1) << i))
    }

    /// Rematerializes a constant mask in its own element width.
    pub fn constant_mask(&mut self, value: Value) -> Lowered<Option<ValueRegs>> {
        let Some(bits) = self.mask_bits(value) else { return Ok(None) };
        let elem_bits = self.elem_bits(value);
        self.mask_of_bits(self.source.ty(value).lanes, elem_bits, bits).map(Some)
    }

    pub fn mask_of_bits(&mut self, lanes: u16, elem_bits: u32, bits: u64) -> Lowered<ValueRegs> {
        let shape = self.mask_shape(lanes, elem_bits)?;
        let real = self.real_lanes(lanes, shape);
        let mut regs = ValueRegs::new();
        for register in 0..shape.count {
            let all = u64::MAX >> (64 - real);
            let register_bits = bits >> (register * shape.lanes) & all;
            if self.target.avx512 {
                regs.push(self.mask_constant(register_bits));
            } else if register_bits == all || register_bits == 0 {
                regs.push(self.splat_constant(shape.size, 64, if register_bits == 0 { 0 } else { u64::MAX }));
            } else {
                let lane = |i: usize| if i < real && register_bits >> i & 1 == 1 { u64::MAX } else { 0 };
                let step = elem_bits as usize / 8;
                let mut bytes: Vec<u8> =
                    (0..shape.lanes).flat_map(|i| lane(i).to_le_bytes()[..step].to_vec()).collect();
                bytes.resize(shape.size.bytes() as usize, 0);
                let constant = self.code.pool.add(bytes);
                let address = super::super::inst::Amode::pool(constant);
                regs.push(self.vector1(VecOp::Vmovdqu, shape.size, address));
            }
        }
        Ok(regs)
    }

    /// Loads a constant into a mask register.
    fn mask_constant(&mut self, bits: u64) -> VReg {
        let result = self.code.vreg(RegClass::Vector);
        let encoding = match bits {
            0 => Encoding::VEX_Kxorw_kr_kr_kr,
            0xff => Encoding::VEX_Kxnorb_kr_kr_kr,
            0xffff => Encoding::VEX_Kxnorw_kr_kr_kr,
            0xffff_ffff => Encoding::VEX_Kxnord_kr_kr_kr,
            u64::MAX => Encoding::VEX_Kxnorq_kr_kr_kr,
            _ => {
                let general = self.integer(bits);
                self.emitted.push(
                    InstBuilder::code(Encoding::VEX_Kmovq_kr_r64).def(result).read_as(general, View::Qword),
                );
                return result;
            }
        };
        self.emitted.push(InstBuilder::code(encoding).def_all_operands(result, View::Mask));
        result
    }

    /// Emits an instruction with one vector source that writes a mask register.
    pub fn vector_to_mask(&mut self, vec_op: VecOp, size: Size, a: VReg) -> VReg {
        self.note_size(size);
        let result = self.code.vreg(RegClass::Vector);
        self.emitted.push(InstBuilder::vec_op(vec_op, size).def(result).read(a));
        result
    }

    /// Compares the lanes of two registers; with a mask `under`, lanes that are not set there are not set.
    pub fn vectors_to_mask(
        &mut self,
        vec_op: VecOp,
        size: Size,
        a: VReg,
        b: Src,
        immediate: Option<u8>,
        under: Option<VReg>,
    ) -> VReg {
        self.note_size(size);
        let result = self.code.vreg(RegClass::Vector);
        let mut build = InstBuilder::vec_op(vec_op, size).def(result).read(a).src(b);
        if let Some(immediate) = immediate {
            build = build.imm8(immediate);
        }
        if let Some(mask) = under {
            build.add_mask(mask);
        }
        self.emitted.push(build);
        result
    }

    /// Emits an instruction with two sources under a mask that selects, or leaves zeros.
    pub fn vector2_masked(
        &mut self,
        vec_op: VecOp,
        size: Size,
        a: VReg,
        b: impl Into<Src>,
        mask: VReg,
    ) -> VReg {
        self.note_size(size);
        let result = self.code.vreg(RegClass::Float);
        self.emitted.push(InstBuilder::vec_op(vec_op, size).def(result).read(a).src(b).mask(mask));
        result
    }

    /// Clears lanes that only pad the register.
    pub fn clear_padding(&mut self, lanes: u16, shape: RegShape, mask: VReg) -> VReg {
        let real = self.real_lanes(lanes, shape);
        if real as u32 * shape.bits >= 128 && real == shape.lanes {
            return mask;
        }
        // Padding occurs only below 128 bits: at most 16 lanes.
        let kept = self.mask_constant((1 << real) - 1);
        self.mask_op2(code_plus(Encoding::VEX_Kandw_kr_kr_kr, mask_encoding(16)), mask, kept)
    }

    /// Lowers logic operations on masks.
    pub fn mask_logic(&mut self, inst: &Inst, op: IntBinary) -> Lowered<ValueRegs> {
        let elem_bits = self.elem_bits(inst.args[0]);
        if op == IntBinary::And
            && let Some(result) = self.comparison_under_mask(inst, elem_bits)?
        {
            return Ok(result);
        }
        let (a, b) = (inst.args[0], inst.args[1]);
        if op == IntBinary::And && !self.target.avx512 {
            let size = self.mask_shape(inst.ty.lanes, elem_bits)?.size;
            let (a, is_inverse) = self.mask_or_inverse(a, elem_bits)?;
            // Only one of the operands can be an inverse.
            let (b, is_second_inverse) = if is_inverse {
                (self.mask_as(b, elem_bits)?, false)
            } else {
                self.mask_or_inverse(b, elem_bits)?
            };
            let (first, second) = if is_second_inverse { (b, a) } else { (a, b) };
            let vec_op = if is_inverse || is_second_inverse { VecOp::Vpandn } else { VecOp::Vpand };
            return Ok(first.iter().zip(&second).map(|(&a, &b)| self.vector2(vec_op, size, a, b)).collect());
        }
        let (a, b) = (self.mask_as(a, elem_bits)?, self.mask_as(b, elem_bits)?);
        self.combine_masks(op, inst.ty.lanes, elem_bits, &a, &b)
    }

    pub fn combine_masks(
        &mut self,
        op: IntBinary,
        lanes: u16,
        elem_bits: u32,
        a: &ValueRegs,
        b: &ValueRegs,
    ) -> Lowered<ValueRegs> {
        let shape = self.mask_shape(lanes, elem_bits)?;
        let (code, vec_op) = match op {
            IntBinary::And => (Encoding::VEX_Kandw_kr_kr_kr, VecOp::Vpand),
            IntBinary::Or => (Encoding::VEX_Korw_kr_kr_kr, VecOp::Vpor),
            IntBinary::Xor => (Encoding::VEX_Kxorw_kr_kr_kr, VecOp::Vpxor),
            _ => return Err(CodegenBug("arithmetic of masks")),
        };
        let both = |t: &mut Self, a: VReg, b: VReg| {
            if t.target.avx512 {
                t.mask_op2(code_plus(code, mask_encoding(shape.lanes)), a, b)
            } else {
                t.vector2(vec_op, shape.size, a, b)
            }
        };
        Ok(a.iter().zip(b).map(|(&a, &b)| both(self, a, b)).collect())
    }

    /// Lowers a select of the lanes of masks by a mask.
    pub fn select_masks(&mut self, inst: &Inst) -> Lowered<ValueRegs> {
        let elem_bits = self.elem_bits(inst.args[1]);
        let lanes = inst.ty.lanes;
        let [mask, yes, no] = [0, 1, 2].map(|i| self.mask_as(inst.args[i], elem_bits));
        let (mask, yes, no) = (mask?, yes?, no?);
        // The difference, where the mask is set, turns the second mask into the first.
        let differ = self.combine_masks(IntBinary::Xor, lanes, elem_bits, &yes, &no)?;
        let changed = self.combine_masks(IntBinary::And, lanes, elem_bits, &differ, &mask)?;
        self.combine_masks(IntBinary::Xor, lanes, elem_bits, &no, &changed)
    }

    /// Lowers a select of whole masks by a truth value.
    pub fn select_whole_masks(&mut self, inst: &Inst) -> Lowered<ValueRegs> {
        let elem_bits = self.elem_bits(inst.args[1]);
        let lanes = inst.ty.lanes;
        let (yes, no) = (self.mask_as(inst.args[1], elem_bits)?, self.mask_as(inst.args[2], elem_bits)?);
        let test = self.flags(inst.args[0])?;
        let truth = self.truth(test);
        let mask = self.splat_truth(truth, lanes, elem_bits)?;
        let differ = self.combine_masks(IntBinary::Xor, lanes, elem_bits, &yes, &no)?;
        let changed = self.combine_masks(IntBinary::And, lanes, elem_bits, &differ, &mask)?;
        self.combine_masks(IntBinary::Xor, lanes, elem_bits, &no, &changed)
    }

    /// Splats a truth value to all lanes of a mask.
    pub fn splat_truth(&mut self, truth: VReg, lanes: u16, elem_bits: u32) -> Lowered<ValueRegs> {
        let shape = self.mask_shape(lanes, elem_bits)?;
        let full = self.extend(truth, 1, 64, true);
        if !self.target.avx512 {
            let vector = self.code.vreg(RegClass::Float);
            self.emitted.push(InstBuilder::vec_op(VecOp::Vmovq, Size::X).def(vector).read(full));
            let splat =
                if lanes == 1 { vector } else { self.vector1(VecOp::Vpbroadcastq, shape.size, vector) };
            return Ok(ValueRegs::from_elem(splat, shape.count));
        }
        let real = self.real_lanes(lanes, shape);
        let kept = if real < 64 {
            let all = self.integer((1 << real) - 1);
            self.alu(Alu::And, 64, full, AluOperand::Reg(all))
        } else {
            full
        };
        let mask = self.code.vreg(RegClass::Vector);
        self.emitted.push(InstBuilder::code(Encoding::VEX_Kmovq_kr_r64).def(mask).read(kept));
        Ok(ValueRegs::from_elem(mask, shape.count))
    }

    /// Selects whole vectors, or scalar floats, by a truth value.
    pub fn blend_all(&mut self, shape: RegShape, truth: VReg, yes: &ValueRegs, no: &ValueRegs) -> ValueRegs {
        let bits = shape.bits.max(32);
        // Only the lowest lane of a scalar matters, and no padding lane.
        let mask = if self.target.avx512 {
            let all = if shape.lanes == 1 { truth } else { self.extend(truth, 1, 64, true) };
            let mask = self.code.vreg(RegClass::Vector);
            self.emitted
                .push(InstBuilder::code(Encoding::VEX_Kmovd_kr_r32).def(mask).read_as(all, View::Dword));
            mask
        } else {
            let lanes = if shape.lanes == 1 { 1 } else { (shape.size.bytes() * 8 / bits) as u16 };
            let Ok(masks) = self.splat_truth(truth, lanes, bits) else { return ValueRegs::new() };
            masks[0]
        };
        let choose = |t: &mut Self, yes: VReg, no: VReg| {
            if t.target.avx512 {
                t.vector2_masked(at(BLEND, bits), shape.size, no, yes, mask)
            } else {
                t.blend_vectors(shape.size, mask, yes, no)
            }
        };
        yes.iter().zip(no).map(|(&yes, &no)| choose(self, yes, no)).collect()
    }

    /// Moves the lanes of one register of a mask to the bits of a general register, with zeros above.
    fn bits_of_mask_reg(&mut self, lanes: u16, shape: RegShape, reg: VReg) -> VReg {
        let result = self.general();
        let real = self.real_lanes(lanes, shape);
        if self.target.avx512 {
            self.emitted.push(InstBuilder::code(Encoding::VEX_Kmovq_r64_kr).def(result).read(reg));
            return result;
        }
        let (vec_op, vec_op_y) = match shape.bits {
            8 => (VecOp::Vpmovmskb, VecOp::Vpmovmskby),
            32 => (VecOp::Vmovmskps, VecOp::Vmovmskpsy),
            _ => (VecOp::Vmovmskpd, VecOp::Vmovmskpdy),
        };
        let vec_op = if shape.size == Size::Y { vec_op_y } else { vec_op };
        self.note_size(shape.size);
        self.emitted.push(InstBuilder::vec_op(vec_op, shape.size).def_as(result, View::Dword).read(reg));
        let full = (shape.size.bytes() * 8 / shape.bits) as usize;
        if real < full {
            return self.alu(Alu::And, 32, result, AluOperand::Imm((1i32 << real) - 1));
        }
        result
    }

    /// Returns a mask of up to 64 lanes as bits in a general register.
    pub fn bits_of_mask(&mut self, value: Value) -> Lowered<VReg> {
        match self.words_of_mask(value)?[..] {
            [word] => Ok(word),
            _ => Err(CodegenBug("more truth values than a register has bits")),
        }
    }

    /// Returns a mask as bits in general registers, 64 lanes in each.
    pub fn words_of_mask(&mut self, value: Value) -> Lowered<ValueRegs> {
        let lanes = self.source.ty(value).lanes;
        let elem_bits = match self.elem_bits(value) {
            _ if self.target.avx512 => 8,
            16 => 8,
            elem_bits => elem_bits,
        };
        let shape = self.mask_shape(lanes, elem_bits)?;
        let regs = self.mask_as(value, elem_bits)?;
        let mut words = ValueRegs::new();
        for (index, &reg) in regs.iter().enumerate() {
            let bits = self.bits_of_mask_reg(lanes, shape, reg);
            let at = (index * shape.lanes % WORD_LANES) as u32;
            if at == 0 {
                words.push(bits);
            } else if let Some(word) = words.pop() {
                let bits = self.shift(Encoding::Shl_rm32_imm8, 64, bits, at);
                words.push(self.alu(Alu::Or, 64, word, AluOperand::Reg(bits)));
            }
        }
        Ok(words)
    }

    /// Emits instructions that set flags by whether any or all lanes are set, and returns the condition to test.
    pub fn mask_flags(&mut self, value: Value, is_all: bool) -> Lowered<Test> {
        let lanes = self.source.ty(value).lanes;
        let elem_bits = self.elem_bits(value);
        let shape = self.mask_shape(lanes, elem_bits)?;
        if self.target.avx512 && (shape.lanes >= 8 || !is_all) {
            let regs = self.value_regs(value)?;
            let op = if is_all { IntBinary::And } else { IntBinary::Or };
            // The test computes the last `or` itself.
            let joined = if is_all { regs.len() } else { regs.len().max(2) - 1 };
            let mut all = regs[0];
            for &reg in &regs[1..joined] {
                all = self.combine_masks(op, shape.lanes as u16, elem_bits, &one(all), &one(reg))?[0];
            }
            let last = regs.get(joined).copied().unwrap_or(all);
            let code = code_plus(Encoding::VEX_Kortestw_kr_kr, mask_encoding(shape.lanes));
            self.emitted.push(InstBuilder::code(code).read(all).read(last));
            return Ok(Test::One(if is_all { CondCode::Below } else { CondCode::NotEqual }));
        }
        let (bits, lanes) = if elem_bits != 16 && !self.target.avx512 && usize::from(lanes) > shape.lanes {
            // Registers are combined first, so that the bits of one are taken.
            let combine = if is_all { VecOp::Vpand } else { VecOp::Vpor };
            let regs = self.mask_as(value, elem_bits)?;
            let all = regs.into_iter().reduce(|all, reg| self.vector2(combine, shape.size, all, reg));
            let all = all.ok_or(CodegenBug("a mask without lanes"))?;
            (self.bits_of_mask_reg(lanes, shape, all), shape.lanes as u16)
        } else {
            let words = self.words_of_mask(value)?;
            let combine = if is_all { Alu::And } else { Alu::Or };
            let all = words.into_iter().reduce(|all, word| self.alu(combine, 64, all, AluOperand::Reg(word)));
            (all.ok_or(CodegenBug("a mask without lanes"))?, lanes)
        };
        if !is_all {
            self.emitted.push(InstBuilder::code(Encoding::Test_rm64_r64).read(bits).read(bits));
            return Ok(Test::One(CondCode::NotEqual));
        }
        let all = self.integer(u64::MAX >> (WORD_LANES as u32 - u32::from(lanes).min(WORD_LANES as u32)));
        self.emitted.push(InstBuilder::code(Encoding::Cmp_r64_rm64).read(bits).read(all));
        Ok(Test::One(CondCode::Equal))
    }

    /// Lowers operations that reduce a mask to a scalar.
    pub fn mask_op(&mut self, inst: &Inst, op: MaskOp) -> Lowered<VReg> {
        let value = inst.args[0];
        let lanes = self.source.ty(value).lanes;
        match op {
            MaskOp::Movemask => self.bits_of_mask(value),
            MaskOp::MaskFirstSet => {
                let mut bits = self.bits_of_mask(value)?;
                if lanes < 64 {
                    let stop = self.integer(1 << lanes);
                    bits = self.alu(Alu::Or, 64, bits, AluOperand::Reg(stop));
                }
                Ok(self.count(Encoding::Tzcnt_r32_rm32, 64, bits))
            }
            MaskOp::Any | MaskOp::All => {
                let test = self.mask_flags(value, op == MaskOp::All)?;
                Ok(self.truth(test))
            }
        }
    }

    /// Lowers extensions of a mask to integers: -1 and 0, or 1 and 0.
    pub fn extend_mask(&mut self, inst: &Inst, op: Conversion) -> Lowered<ValueRegs> {
        let shape = self.shape_of(inst.ty)?;
        let masks = self.mask_as(inst.args[0], shape.bits)?;
        let lanes: ValueRegs = masks.into_iter().map(|mask| self.lanes_of_mask(shape, mask)).collect();
        if op == Conversion::Sext {
            return Ok(lanes);
        }
        Ok(lanes.into_iter().map(|reg| self.ones_of_lanes(shape, reg)).collect())
    }

    /// Negates lanes of -1 to lanes of 1.
    fn ones_of_lanes(&mut self, shape: RegShape, reg: VReg) -> VReg {
        let zero = self.splat_constant(shape.size, 64, 0);
        self.vector2(at(SUBTRACT, shape.bits), shape.size, zero, reg)
    }

    /// Converts a register of a mask to lanes of -1 and 0.
    fn lanes_of_mask(&mut self, shape: RegShape, mask: VReg) -> VReg {
        if !self.target.avx512 {
            return mask;
        }
        self.note_size(shape.size);
        let result = self.code.vreg(RegClass::Float);
        self.emitted.push(InstBuilder::vec_op(at(TO_LANES, shape.bits), shape.size).def(result).read(mask));
        result
    }

    /// Lowers the truncation of integers to a mask: the lowest bit of each lane.
    pub fn truncate_to_mask(&mut self, inst: &Inst) -> Lowered<ValueRegs> {
        let from = self.source.ty(inst.args[0]);
        let shape = self.shape_of(from)?;
        let regs = self.value_regs(inst.args[0])?;
        Ok(self.lowest_bits(from.lanes, shape, &regs))
    }

    pub fn lowest_bits(&mut self, lanes: u16, shape: RegShape, regs: &ValueRegs) -> ValueRegs {
        let of_reg = |t: &mut Self, reg: VReg| {
            if t.target.avx512 {
                let vec_op = at(TEST, shape.bits);
                let ones = t.constant_source(vec_op, shape.size, shape.bits, 1);
                let mask = t.vectors_to_mask(vec_op, shape.size, reg, ones, None, None);
                return t.clear_padding(lanes, shape, mask);
            }
            let ones = t.constant_source(VecOp::Vpand, shape.size, shape.bits, 1);
            let bits = t.vector2(VecOp::Vpand, shape.size, reg, ones);
            t.ones_of_lanes(shape, bits)
        };
        regs.iter().map(|&reg| of_reg(self, reg)).collect()
    }

    /// Returns a mask as lanes of -1 and 0 of `bits` bits.
    pub fn lanes_of(&mut self, value: Value, bits: u32) -> Lowered<ValueRegs> {
        let shape = self.shape_of_lanes(self.source.ty(value).lanes, bits)?;
        let masks = self.mask_as(value, bits)?;
        Ok(masks.into_iter().map(|mask| self.lanes_of_mask(shape, mask)).collect())
    }

    /// Returns a mask as bytes of -1 and 0.
    pub fn bytes_of_mask(&mut self, value: Value) -> Lowered<ValueRegs> {
        self.lanes_of(value, 8)
    }

    /// Returns a mask as bytes of 1 and 0, the layout of truth values in memory.
    pub fn truths_of_mask(&mut self, value: Value) -> Lowered<ValueRegs> {
        let shape = self.shape_of_lanes(self.source.ty(value).lanes, 8)?;
        let bytes = self.bytes_of_mask(value)?;
        Ok(bytes.into_iter().map(|reg| self.ones_of_lanes(shape, reg)).collect())
    }

    /// Returns the mask, with an element width of 8, whose lanes are the lowest bits of bytes.
    pub fn mask_of_bytes(&mut self, lanes: u16, bytes: &ValueRegs) -> Lowered<ValueRegs> {
        let shape = self.shape_of_lanes(lanes, 8)?;
        Ok(self.lowest_bits(lanes, shape, bytes))
    }

    /// Lowers operations that move lanes of masks, by way of bytes.
    pub fn mask_lanes(&mut self, inst: &Inst, op: LaneOp) -> Lowered<ValueRegs> {
        let (ty, bytes) = (inst.ty, inst.ty.with_kind(Kind::I8));
        let results = match op {
            LaneOp::Bitcast => return self.value_regs(inst.args[0]),
            LaneOp::Splat => {
                let truth = self.scalar(inst.args[0])?;
                return self.splat_truth(truth, ty.lanes, CANONICAL_MASK_BITS);
            }
            LaneOp::BuildVector => {
                let mut lanes = Vec::new();
                for &arg in &inst.args {
                    lanes.push(self.scalar(arg)?);
                }
                self.build_vector(bytes, &lanes)?
            }
            LaneOp::Insert => {
                let (regs, value) = (self.bytes_of_mask(inst.args[0])?, self.scalar(inst.args[1])?);
                self.insert_lane(bytes, regs, inst.int() as usize, value)?
            }
            LaneOp::InsertAt => {
                let (regs, value) = (self.bytes_of_mask(inst.args[0])?, self.scalar(inst.args[2])?);
                let at = self.scalar(inst.args[1])?;
                self.insert_at(bytes, &regs, at, value)?
            }
            LaneOp::Shuffle => {
                if let Some(range) = self.whole_registers(inst) {
                    return Ok(self.value_regs(inst.args[0])?[range].iter().copied().collect());
                }
                let from = self.source.ty(inst.args[0]).with_kind(Kind::I8);
                let (a, b) = (self.bytes_of_mask(inst.args[0])?, self.bytes_of_mask(inst.args[1])?);
                self.shuffle(from, &a, &b, inst.lanes(), bytes)?
            }
            LaneOp::Extract | LaneOp::ExtractAt | LaneOp::Iota | LaneOp::Permute => {
                return Err(CodegenBug("gives no mask"));
            }
        };
        self.mask_of_bytes(ty.lanes, &results)
    }

    /// Extracts a lane of a mask with a constant index.
    pub fn mask_lane(&mut self, value: Value, lane: u32) -> Lowered<VReg> {
        let bits = self.words_of_mask(value)?[lane as usize / WORD_LANES];
        let lane = lane % WORD_LANES as u32;
        let shifted = if lane == 0 { bits } else { self.shift(Encoding::Shr_rm32_imm8, 64, bits, lane) };
        Ok(self.alu(Alu::And, 32, shifted, AluOperand::Imm(1)))
    }

    /// Extracts a lane of a mask with an index that is known at run time.
    pub fn mask_lane_at(&mut self, value: Value, at: VReg) -> Lowered<VReg> {
        let lanes = self.source.ty(value).lanes;
        let bits = self.bits_of_mask(value)?;
        let at = self.lane_number(lanes, at)?;
        let shifted = self.general();
        self.emitted
            .push(InstBuilder::code(Encoding::VEX_Shrx_r64_rm64_r64).def(shifted).read(bits).read(at));
        Ok(self.alu(Alu::And, 32, shifted, AluOperand::Imm(1)))
    }

    /// Reduces an index modulo the number of lanes.
    pub fn lane_number(&mut self, lanes: u16, at: VReg) -> Lowered<VReg> {
        if lanes.is_power_of_two() {
            return Ok(self.alu(Alu::And, 32, at, AluOperand::Imm(i32::from(lanes) - 1)));
        }
        let count = self.integer(u64::from(lanes));
        Ok(self.divide_registers(IntBinary::Urem, 32, at, count, true))
    }
}
