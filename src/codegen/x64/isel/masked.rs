//! Loads and stores of consecutive lanes under a mask.
//!
//! AVX-512 has instructions for all lanes, AVX2 for lanes of 32 and 64 bits; AMD's processors take forty times as long
//! for such a store as for one without a mask. Masks mostly have all lanes set. So accesses that AVX2 lacks, and its
//! stores, test for that first. Bytes and words under a partial mask are loaded all at once if that touches no other
//! page than an active lane does, else one by one; they are stored one by one.

use iced_x86::{Code as Encoding, OpKind, Register};
use regalloc2::{Allocation, RegClass, VReg};

use super::super::Unsupported;
use super::super::emit::{Emitter, EncodedInst, register, sized};
use super::super::inst::{Amode, InstBuilder, InstKind, Masked, OperandSlot, View};
use super::super::pseudo_insts::{JUMP, JUMP_IF_ZERO, JUMP_UNLESS_ZERO, exact};
use super::super::vec_ops::{Size, VecOp};
use super::mask::WORD;
use super::{Lower, Lowered, RegShape, ValueRegs};
use crate::ir::{Inst, Type};
use EncodedInst::{Imm, Mem, Pool, Reg};

/// Opcode of `jae`.
const JUMP_UNLESS_BELOW: [u8; 2] = [0x0f, 0x83];

/// Bytes of the smallest page.
const PAGE: i64 = 4096;

impl Lower<'_> {
    /// Checks whether the lanes of a type fill its registers.
    fn is_filled(&self, ty: Type, shape: RegShape) -> bool {
        ty.bytes() == shape.size.bytes() * shape.count as u32
    }

    /// Lowers a masked load of consecutive lanes.
    pub fn masked_load(&mut self, inst: &Inst) -> Lowered<ValueRegs> {
        let shape = self.shape_of(inst.ty)?;
        let (mask, other) = (inst.args[1], inst.args[2]);
        if self.is_whole(mask) && self.is_filled(inst.ty, shape) {
            let address = self.address(inst.args[0])?;
            return Ok(self.load_parts(shape, address));
        }
        let has_instruction = shape.bits >= 32 && self.is_filled(inst.ty, shape);
        if !self.target.avx512 && !has_instruction {
            return self.load_small(inst, shape);
        }
        let address = self.address(inst.args[0])?;
        let masks = self.mask_as(mask, shape.bits)?;
        let mut parts = ValueRegs::new();
        for (chunk, &mask) in masks.iter().enumerate() {
            let place = address.plus((chunk as u32 * shape.size.bytes()) as i32);
            let result = self.code.vreg(RegClass::Float);
            self.widen(shape.size);
            if self.target.avx512 {
                let row = [VecOp::Vmovdqu8, VecOp::Vmovdqu16, VecOp::Vmovdqu, VecOp::Vmovdqu64]
                    [shape.bits.trailing_zeros() as usize - 3];
                let build = InstBuilder::row(row, shape.size);
                let build = if self.is_zero(other) {
                    build.def(result).mem(place).mask(mask).zeroing()
                } else {
                    let old = self.part(other, chunk)?;
                    build.change(old, result).mem(place).mask(mask)
                };
                self.made.push(build);
                parts.push(result);
                continue;
            }
            let row = if shape.bits == 64 { VecOp::Vpmaskmovq } else { VecOp::Vpmaskmovd };
            self.made.push(InstBuilder::row(row, shape.size).def(result).read(mask).mem(place));
            if self.is_zero(other) {
                parts.push(result);
            } else {
                let old = self.part(other, chunk)?;
                parts.push(self.blend_vectors(shape.size, mask, result, old));
            }
        }
        Ok(parts)
    }

    /// Lowers a masked store of consecutive lanes.
    pub fn masked_store(&mut self, inst: &Inst) -> Lowered<ValueRegs> {
        let (value, mask) = (inst.args[1], inst.args[2]);
        let ty = self.source.ty(value);
        let shape = self.shape_of(ty)?;
        if self.is_whole(mask) && self.is_filled(ty, shape) {
            let address = self.address(inst.args[0])?;
            let parts = self.parts(value)?;
            self.store_parts(&parts, shape, address);
            return Ok(ValueRegs::new());
        }
        let has_instruction = shape.bits >= 32 && self.is_filled(ty, shape);
        if !self.target.avx512 && !has_instruction {
            return self.store_small(inst, ty, shape);
        }
        let address = self.address(inst.args[0])?;
        let (parts, masks) = (self.parts(value)?, self.mask_as(mask, shape.bits)?);
        self.widen(shape.size);
        for (chunk, (&part, &mask)) in parts.iter().zip(&masks).enumerate() {
            let place = address.plus((chunk as u32 * shape.size.bytes()) as i32);
            let build = if self.target.avx512 {
                let row = [VecOp::Vmovdqu8s, VecOp::Vmovdqu16s, VecOp::Vmovdqus, VecOp::Vmovdqu64s]
                    [shape.bits.trailing_zeros() as usize - 3];
                InstBuilder::row(row, shape.size).mem(place).read(part).mask(mask)
            } else {
                let pointer = self.lea(place);
                let spare = self.general();
                let build = InstBuilder::of(InstKind::MaskedPart(shape.size, shape.bits));
                build.temporary(spare).held(pointer).held(mask).held(part)
            };
            self.made.push(build);
        }
        Ok(ValueRegs::new())
    }

    /// Describes the access of the lanes in one word of a mask.
    fn masked(&mut self, ty: Type, shape: RegShape, word: usize) -> Masked {
        let first = word * WORD;
        let lanes = (usize::from(ty.lanes) - first).min(WORD);
        let count = lanes.div_ceil(shape.lanes);
        Masked {
            bytes: shape.bits / 8,
            lanes: lanes as u32,
            size: shape.size,
            count: count as u32,
            slot: self.slot(shape.size.bytes() * count as u32, 64),
            is_zero: false,
            expand: None,
        }
    }

    /// Computes the address of the lanes in one word of a mask.
    fn start(&mut self, address: Amode, shape: RegShape, word: usize) -> VReg {
        self.lea(address.plus((word * WORD) as i32 * (shape.bits / 8) as i32))
    }

    fn load_small(&mut self, inst: &Inst, shape: RegShape) -> Lowered<ValueRegs> {
        let (mask, other) = (inst.args[1], inst.args[2]);
        let address = self.address(inst.args[0])?;
        let words = self.words_of_mask(mask)?;
        let mut parts = ValueRegs::new();
        for (word, &bits) in words.iter().enumerate() {
            let mut masked = self.masked(inst.ty, shape, word);
            masked.is_zero = self.is_zero(other);
            masked.expand = self.expansion(&masked);
            let from = parts.len();
            if !masked.is_zero {
                let others = self.parts(other)?;
                let others = others[from..from + masked.count as usize].into();
                let shape = RegShape { count: masked.count as usize, ..shape };
                self.store_parts(&others, shape, Amode::frame(masked.slot, 0));
            }
            self.widen(shape.size);
            let pointer = self.start(address, shape, word);
            let (left, index, value) = (self.general(), self.general(), self.general());
            let count = masked.count;
            let build = InstBuilder::of(InstKind::MaskedLoad(Box::new(masked)));
            let build = build.used_up(bits, left, OperandSlot::Nowhere, View::Quad);
            let spare = self.code.vreg(RegClass::Float);
            let mut build = build.temporary(index).temporary(value).temporary(spare).held(pointer);
            for _ in 0..count {
                let part = self.code.vreg(RegClass::Float);
                build = build.def_as(part, View::Vector(shape.size));
                parts.push(part);
            }
            self.made.push(build);
        }
        Ok(parts)
    }

    /// Returns constants that expand mask bits to bytes or words in one register: for each byte of the register, the
    /// byte of the mask word to look at, and the bit to test.
    fn expansion(&mut self, masked: &Masked) -> Option<(u32, u32)> {
        if masked.bytes > 2 || masked.count != 1 || !masked.is_whole() {
            return None;
        }
        let step = masked.bytes as usize;
        let size = masked.size.bytes() as usize;
        let chosen: Vec<u8> = (0..size)
            .map(|at| if step == 1 { at / 8 } else { at % 2 + at / step / 16 * 2 })
            .map(|byte| byte as u8)
            .collect();
        let bits: Vec<u8> = (0..size / step)
            .flat_map(|lane| (1u16 << (lane % (8 * step))).to_le_bytes()[..step].to_vec())
            .collect();
        Some((self.code.pool.add(chosen), self.code.pool.add(bits)))
    }

    fn store_small(&mut self, inst: &Inst, ty: Type, shape: RegShape) -> Lowered<ValueRegs> {
        let address = self.address(inst.args[0])?;
        let parts = self.parts(inst.args[1])?;
        let words = self.words_of_mask(inst.args[2])?;
        self.widen(shape.size);
        let mut from = 0;
        for (word, &bits) in words.iter().enumerate() {
            let masked = self.masked(ty, shape, word);
            let mine = from..from + masked.count as usize;
            from = mine.end;
            let pointer = self.start(address, shape, word);
            let (left, index, value) = (self.general(), self.general(), self.general());
            let build = InstBuilder::of(InstKind::MaskedStore(Box::new(masked)));
            let build = build.used_up(bits, left, OperandSlot::Nowhere, View::Quad);
            let build = build.temporary(index).temporary(value).held(pointer);
            self.made.push(parts[mine].iter().fold(build, |build, &part| build.held(part)));
        }
        Ok(ValueRegs::new())
    }
}

impl Masked {
    fn total(&self) -> u32 {
        self.lanes * self.bytes
    }

    /// Checks whether one instruction for each register accesses exactly all lanes.
    fn is_whole(&self) -> bool {
        matches!(self.total(), 4 | 8) || self.total() == self.count * self.size.bytes()
    }
}

/// General registers of an access: the mask bits, two temporaries, of which one holds a lane, and the address.
struct AccessRegisters {
    bits: Register,
    index: Register,
    value: Allocation,
    pointer: Register,
}

impl AccessRegisters {
    fn of(
        bits: Allocation,
        free: [Allocation; 2],
        pointer: Allocation,
    ) -> Result<AccessRegisters, Unsupported> {
        let quad = |place| register(place, View::Quad);
        Ok(AccessRegisters {
            bits: quad(bits)?,
            index: quad(free[0])?,
            value: free[1],
            pointer: quad(pointer)?,
        })
    }
}

impl Emitter<'_> {
    /// Emits a masked load. Operands: mask bits, their clobbered register, two general and a vector temporary, address,
    /// results.
    pub fn masked_load(&mut self, masked: &Masked, allocs: &[Allocation]) -> Result<(), Unsupported> {
        let [bits, _, index, value, spare, pointer, parts @ ..] = allocs else {
            return Err(Unsupported("a load of nothing"));
        };
        let names = AccessRegisters::of(*bits, [*index, *value], *pointer)?;
        let slot = self.slot_at(masked.slot, 0);
        let mut done = Vec::new();
        if masked.is_whole() {
            let others = self.unless_all(masked, &names)?;
            self.read_all(masked, names.pointer, parts)?;
            done.push(self.ahead(&JUMP));
            self.land(others);
        }
        if masked.is_zero {
            let zero = Reg(register(parts[0], View::Vector(Size::X))?);
            self.write_row(VecOp::Vpxor, Size::X, &[zero, zero, zero])?;
            self.store_row(VecOp::Vmovdqus, masked.size, slot, &vec![parts[0]; parts.len()])?;
        }
        self.write(Encoding::Test_rm64_r64, &[Reg(names.bits), Reg(names.bits)])?;
        let none = self.ahead(&JUMP_IF_ZERO);
        if let Some(constants) = masked.expand {
            let crossing = self.unless_one_page(masked, &names)?;
            self.read_some(masked, constants, &names, *spare, parts[0])?;
            done.push(self.ahead(&JUMP));
            self.land(crossing);
        }
        self.lane_by_lane(masked, &names, false)?;
        self.land(none);
        self.load_row(VecOp::Vmovdqu, masked.size, slot, parts)?;
        done.into_iter().for_each(|hole| self.land(hole));
        Ok(())
    }

    /// Emits a masked store. Operands: mask bits, their clobbered register, two general temporaries, address, values.
    pub fn masked_store(&mut self, masked: &Masked, allocs: &[Allocation]) -> Result<(), Unsupported> {
        let [bits, _, index, value, pointer, parts @ ..] = allocs else {
            return Err(Unsupported("a store of nothing"));
        };
        let names = AccessRegisters::of(*bits, [*index, *value], *pointer)?;
        let mut done = None;
        if masked.is_whole() {
            let others = self.unless_all(masked, &names)?;
            let row = match masked.total() {
                4 => VecOp::Vmovds,
                8 => VecOp::Vmovqs,
                _ => VecOp::Vmovdqus,
            };
            self.store_row(row, masked.size, Mem(names.pointer, None, 0), parts)?;
            done = Some(self.ahead(&JUMP));
            self.land(others);
        }
        self.store_row(VecOp::Vmovdqus, masked.size, self.slot_at(masked.slot, 0), parts)?;
        self.write(Encoding::Test_rm64_r64, &[Reg(names.bits), Reg(names.bits)])?;
        let none = self.ahead(&JUMP_IF_ZERO);
        self.lane_by_lane(masked, &names, true)?;
        self.land(none);
        done.into_iter().for_each(|hole| self.land(hole));
        Ok(())
    }

    /// Emits a masked store of one register. Operands: general temporary, address, mask, value.
    pub fn masked_part(&mut self, size: Size, bits: u32, allocs: &[Allocation]) -> Result<(), Unsupported> {
        let &[spare, pointer, mask, part] = allocs else { return Err(Unsupported("a store of nothing")) };
        let set = Reg(register(spare, View::Long)?);
        let [mask, part] = [mask, part].map(|place| register(place, View::Vector(size)));
        let (mask, part) = (Reg(mask?), Reg(part?));
        let place = Mem(register(pointer, View::Quad)?, None, 0);
        let (signs, row) = match (bits, size) {
            (64, Size::X) => (Encoding::VEX_Vmovmskpd_r32_xmm, VecOp::Vpmaskmovqs),
            (64, _) => (Encoding::VEX_Vmovmskpd_r32_ymm, VecOp::Vpmaskmovqs),
            (_, Size::X) => (Encoding::VEX_Vmovmskps_r32_xmm, VecOp::Vpmaskmovds),
            _ => (Encoding::VEX_Vmovmskps_r32_ymm, VecOp::Vpmaskmovds),
        };
        let all = (1 << (size.bytes() * 8 / bits)) - 1;
        self.write(signs, &[set, mask])?;
        self.write(Encoding::Cmp_rm32_imm32, &[set, Imm(OpKind::Immediate32, all)])?;
        let some = self.ahead(&JUMP_UNLESS_ZERO);
        self.write_row(VecOp::Vmovdqus, size, &[place, part])?;
        let done = self.ahead(&JUMP);
        self.land(some);
        self.write_row(row, size, &[place, mask, part])?;
        self.land(done);
        Ok(())
    }

    /// Emits a jump that is taken if some lane is not set.
    fn unless_all(&mut self, masked: &Masked, names: &AccessRegisters) -> Result<usize, Unsupported> {
        let all = u64::MAX >> (WORD as u32 - masked.lanes);
        if masked.lanes < 32 {
            let all = Imm(OpKind::Immediate32to64, all as i64);
            self.write(Encoding::Cmp_rm64_imm32, &[Reg(names.bits), all])?;
        } else {
            // An immediate of 32 bits would be sign-extended.
            let other = Reg(register(names.value, View::Quad)?);
            self.write(Encoding::Mov_r64_imm64, &[other, Imm(OpKind::Immediate64, all as i64)])?;
            self.write(Encoding::Cmp_r64_rm64, &[Reg(names.bits), other])?;
        }
        Ok(self.ahead(&JUMP_UNLESS_ZERO))
    }

    /// Emits a jump that is taken if the lanes lie in two pages.
    fn unless_one_page(&mut self, masked: &Masked, names: &AccessRegisters) -> Result<usize, Unsupported> {
        let last = Reg(names.index);
        let end = Mem(names.pointer, None, masked.total() as i32 - 1);
        self.write(Encoding::Lea_r64_m, &[last, end])?;
        self.write(Encoding::Xor_r64_rm64, &[last, Reg(names.pointer)])?;
        self.write(Encoding::Cmp_rm64_imm32, &[last, Imm(OpKind::Immediate32to64, PAGE)])?;
        Ok(self.ahead(&JUMP_UNLESS_BELOW))
    }

    fn read_all(
        &mut self,
        masked: &Masked,
        pointer: Register,
        parts: &[Allocation],
    ) -> Result<(), Unsupported> {
        let (row, size) = match masked.total() {
            4 => (VecOp::Vmovd, Size::X),
            8 => (VecOp::Vmovq, Size::X),
            _ => (VecOp::Vmovdqu, masked.size),
        };
        self.load_row(row, size, Mem(pointer, None, 0), parts)
    }

    /// Loads all lanes, and replaces those that are not set.
    fn read_some(
        &mut self,
        masked: &Masked,
        (chosen, single): (u32, u32),
        names: &AccessRegisters,
        spare: Allocation,
        part: Allocation,
    ) -> Result<(), Unsupported> {
        let size = masked.size;
        let mask = Reg(register(spare, View::Vector(size))?);
        let low = Reg(register(spare, View::Vector(Size::X))?);
        self.write(Encoding::VEX_Vmovq_xmm_rm64, &[low, Reg(names.bits)])?;
        if size == Size::Y {
            self.write_row(VecOp::Vpbroadcastd, size, &[mask, low])?;
        }
        self.write_row(VecOp::Vpshufb, size, &[mask, mask, Pool(chosen)])?;
        self.write_row(VecOp::Vpand, size, &[mask, mask, Pool(single)])?;
        let equal = if masked.bytes == 1 { VecOp::Vpcmpeqb } else { VecOp::Vpcmpeqw };
        self.write_row(equal, size, &[mask, mask, Pool(single)])?;
        self.read_all(masked, names.pointer, &[part])?;
        let part = Reg(register(part, View::Vector(size))?);
        if masked.is_zero {
            return self.write_row(VecOp::Vpand, size, &[part, part, mask]);
        }
        let others = self.slot_at(masked.slot, 0);
        self.write_row(VecOp::Vpand, size, &[part, part, mask])?;
        self.write_row(VecOp::Vpandn, size, &[mask, mask, others])?;
        self.write_row(VecOp::Vpor, size, &[part, part, mask])
    }

    /// Emits a loop that copies the active lanes, at least one, from memory to the slot or back.
    fn lane_by_lane(
        &mut self,
        masked: &Masked,
        names: &AccessRegisters,
        is_store: bool,
    ) -> Result<(), Unsupported> {
        let top = self.here();
        self.write(Encoding::Tzcnt_r64_rm64, &[Reg(names.index), Reg(names.bits)])?;
        self.write(Encoding::VEX_Blsr_r64_rm64, &[Reg(names.bits), Reg(names.bits)])?;
        let memory = Mem(names.pointer, Some((names.index, masked.bytes)), 0);
        let slot = self.slot(masked.slot, names.index, masked.bytes);
        let (from, to) = if is_store { (slot, memory) } else { (memory, slot) };
        let lane = Reg(register(names.value, exact(masked.bytes))?);
        self.write(sized(Encoding::Mov_r8_rm8, masked.bytes), &[lane, from])?;
        self.write(sized(Encoding::Mov_rm8_r8, masked.bytes), &[to, lane])?;
        self.write(Encoding::Test_rm64_r64, &[Reg(names.bits), Reg(names.bits)])?;
        self.back(&JUMP_UNLESS_ZERO, top);
        Ok(())
    }
}
