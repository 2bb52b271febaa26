//! Loads and stores of consecutive lanes under a mask.
//!
//! AVX-512 has instructions for all lanes, AVX2 for lanes of 32 and 64 bits; AMD's processors take forty times as long
//! for such a store as for one without a mask. Masks mostly have all lanes set. So accesses that AVX2 lacks, and its
//! stores, test for that first. Bytes and words under a partial mask are loaded all at once if that touches no other
//! page than an active lane does, else one by one; they are stored one by one.

use iced_x86::{Code as Encoding, OpKind, Register};
use regalloc2::{Allocation, RegClass, VReg};

use super::super::CodegenBug;
use super::super::emit::{Emitter, EncodedOperand, code_for_bytes, register};
use super::super::inst::{Amode, InstBuilder, InstKind, MaskedAccess, OperandSlot, View};
use super::super::pseudo_insts::{JUMP, JUMP_IF_ZERO, JUMP_UNLESS_ZERO, exact_view};
use super::super::vec_ops::{Size, VecOp};
use super::mask::WORD_LANES;
use super::{Lower, Lowered, RegShape, ValueRegs};
use EncodedOperand::{Imm, Mem, Pool, Reg};
use grus_ir::{Inst, Type};

/// Opcode of `jae`.
const JUMP_UNLESS_BELOW: [u8; 2] = [0x0f, 0x83];

/// Bytes of the smallest page.
const PAGE_BYTES: i64 = 4096;

impl Lower<'_> {
    /// Checks whether the lanes of a type fill its registers.
    fn fills_registers(&self, ty: Type, shape: RegShape) -> bool {
        ty.bytes() == shape.size.bytes() * shape.count as u32
    }

    /// Lowers a masked load of consecutive lanes.
    pub fn masked_load(&mut self, inst: &Inst) -> Lowered<ValueRegs> {
        let shape = self.shape_of(inst.ty)?;
        let (mask, other) = (inst.args[1], inst.args[2]);
        if self.is_all_set(mask) && self.fills_registers(inst.ty, shape) {
            let address = self.address(inst.args[0])?;
            return Ok(self.load_regs(shape, address));
        }
        let has_instruction = shape.bits >= 32 && self.fills_registers(inst.ty, shape);
        if !self.target.avx512 && !has_instruction {
            return self.load_without_instruction(inst, shape);
        }
        let address = self.address(inst.args[0])?;
        let masks = self.mask_as(mask, shape.bits)?;
        let mut regs = ValueRegs::new();
        for (chunk, &mask) in masks.iter().enumerate() {
            let chunk_address = address.plus((chunk as u32 * shape.size.bytes()) as i32);
            let result = self.code.vreg(RegClass::Float);
            self.note_size(shape.size);
            if self.target.avx512 {
                let vec_op = [VecOp::Vmovdqu8, VecOp::Vmovdqu16, VecOp::Vmovdqu, VecOp::Vmovdqu64]
                    [shape.bits.trailing_zeros() as usize - 3];
                let build = InstBuilder::vec_op(vec_op, shape.size);
                let build = if self.is_zero(other) {
                    build.def(result).mem(chunk_address).mask(mask).zeroing()
                } else {
                    let old = self.value_reg(other, chunk)?;
                    build.reuse_def(old, result).mem(chunk_address).mask(mask)
                };
                self.emitted.push(build);
                regs.push(result);
                continue;
            }
            let vec_op = if shape.bits == 64 { VecOp::Vpmaskmovq } else { VecOp::Vpmaskmovd };
            self.emitted
                .push(InstBuilder::vec_op(vec_op, shape.size).def(result).read(mask).mem(chunk_address));
            if self.is_zero(other) {
                regs.push(result);
            } else {
                let old = self.value_reg(other, chunk)?;
                regs.push(self.blend_vectors(shape.size, mask, result, old));
            }
        }
        Ok(regs)
    }

    /// Lowers a masked store of consecutive lanes.
    pub fn masked_store(&mut self, inst: &Inst) -> Lowered<ValueRegs> {
        let (value, mask) = (inst.args[1], inst.args[2]);
        let ty = self.source.ty(value);
        let shape = self.shape_of(ty)?;
        if self.is_all_set(mask) && self.fills_registers(ty, shape) {
            let address = self.address(inst.args[0])?;
            let regs = self.value_regs(value)?;
            self.store_regs(&regs, shape, address);
            return Ok(ValueRegs::new());
        }
        let has_instruction = shape.bits >= 32 && self.fills_registers(ty, shape);
        if !self.target.avx512 && !has_instruction {
            return self.store_without_instruction(inst, ty, shape);
        }
        let address = self.address(inst.args[0])?;
        let (regs, masks) = (self.value_regs(value)?, self.mask_as(mask, shape.bits)?);
        self.note_size(shape.size);
        for (chunk, (&reg, &mask)) in regs.iter().zip(&masks).enumerate() {
            let chunk_address = address.plus((chunk as u32 * shape.size.bytes()) as i32);
            let build = if self.target.avx512 {
                let vec_op = [VecOp::Vmovdqu8s, VecOp::Vmovdqu16s, VecOp::Vmovdqus, VecOp::Vmovdqu64s]
                    [shape.bits.trailing_zeros() as usize - 3];
                InstBuilder::vec_op(vec_op, shape.size).mem(chunk_address).read(reg).mask(mask)
            } else {
                let pointer = self.lea(chunk_address);
                let spare = self.general();
                let build = InstBuilder::new(InstKind::MaskedStoreVector(shape.size, shape.bits));
                build.temporary(spare).late_read(pointer).late_read(mask).late_read(reg)
            };
            self.emitted.push(build);
        }
        Ok(ValueRegs::new())
    }

    /// Describes the access of the lanes in one word of a mask.
    fn describe_access(&mut self, ty: Type, shape: RegShape, word: usize) -> MaskedAccess {
        let first = word * WORD_LANES;
        let lanes = (usize::from(ty.lanes) - first).min(WORD_LANES);
        let count = lanes.div_ceil(shape.lanes);
        MaskedAccess {
            bytes: shape.bits / 8,
            lanes: lanes as u32,
            size: shape.size,
            count: count as u32,
            slot: self.slot(shape.size.bytes() * count as u32, 64),
            zero_fill: false,
            expansion: None,
        }
    }

    /// Computes the address of the lanes in one word of a mask.
    fn word_address(&mut self, address: Amode, shape: RegShape, word: usize) -> VReg {
        self.lea(address.plus((word * WORD_LANES) as i32 * (shape.bits / 8) as i32))
    }

    fn load_without_instruction(&mut self, inst: &Inst, shape: RegShape) -> Lowered<ValueRegs> {
        let (mask, other) = (inst.args[1], inst.args[2]);
        let address = self.address(inst.args[0])?;
        let words = self.words_of_mask(mask)?;
        let mut regs = ValueRegs::new();
        for (word, &bits) in words.iter().enumerate() {
            let mut masked = self.describe_access(inst.ty, shape, word);
            masked.zero_fill = self.is_zero(other);
            masked.expansion = self.expansion(&masked);
            let from = regs.len();
            if !masked.zero_fill {
                let others = self.value_regs(other)?;
                let others = others[from..from + masked.count as usize].into();
                let shape = RegShape { count: masked.count as usize, ..shape };
                self.store_regs(&others, shape, Amode::frame(masked.slot, 0));
            }
            self.note_size(shape.size);
            let pointer = self.word_address(address, shape, word);
            let (left, index, value) = (self.general(), self.general(), self.general());
            let count = masked.count;
            let build = InstBuilder::new(InstKind::MaskedLoad(Box::new(masked)));
            let build = build.clobbered_read(bits, left, OperandSlot::Implicit, View::Qword);
            let spare = self.code.vreg(RegClass::Float);
            let mut build = build.temporary(index).temporary(value).temporary(spare).late_read(pointer);
            for _ in 0..count {
                let reg = self.code.vreg(RegClass::Float);
                build = build.def_as(reg, View::Vector(shape.size));
                regs.push(reg);
            }
            self.emitted.push(build);
        }
        Ok(regs)
    }

    /// Returns constants that expand mask bits to bytes or words in one register: for each byte of the register, the
    /// byte of the mask word to look at, and the bit to test.
    fn expansion(&mut self, masked: &MaskedAccess) -> Option<(u32, u32)> {
        if masked.bytes > 2 || masked.count != 1 || !masked.is_exact() {
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

    fn store_without_instruction(&mut self, inst: &Inst, ty: Type, shape: RegShape) -> Lowered<ValueRegs> {
        let address = self.address(inst.args[0])?;
        let regs = self.value_regs(inst.args[1])?;
        let words = self.words_of_mask(inst.args[2])?;
        self.note_size(shape.size);
        let mut from = 0;
        for (word, &bits) in words.iter().enumerate() {
            let masked = self.describe_access(ty, shape, word);
            let range = from..from + masked.count as usize;
            from = range.end;
            let pointer = self.word_address(address, shape, word);
            let (left, index, value) = (self.general(), self.general(), self.general());
            let build = InstBuilder::new(InstKind::MaskedStore(Box::new(masked)));
            let build = build.clobbered_read(bits, left, OperandSlot::Implicit, View::Qword);
            let build = build.temporary(index).temporary(value).late_read(pointer);
            self.emitted.push(regs[range].iter().fold(build, |build, &reg| build.late_read(reg)));
        }
        Ok(ValueRegs::new())
    }
}

impl MaskedAccess {
    fn total(&self) -> u32 {
        self.lanes * self.bytes
    }

    /// Checks whether one instruction for each register accesses exactly all lanes.
    fn is_exact(&self) -> bool {
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
    fn new(
        bits: Allocation,
        free: [Allocation; 2],
        pointer: Allocation,
    ) -> Result<AccessRegisters, CodegenBug> {
        let quad = |alloc| register(alloc, View::Qword);
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
    pub fn masked_load(&mut self, masked: &MaskedAccess, allocs: &[Allocation]) -> Result<(), CodegenBug> {
        let [bits, _, index, value, spare, pointer, regs @ ..] = allocs else {
            return Err(CodegenBug("a load of nothing"));
        };
        let names = AccessRegisters::new(*bits, [*index, *value], *pointer)?;
        let slot = self.slot_at(masked.slot, 0);
        let mut done = Vec::new();
        if masked.is_exact() {
            let partial = self.jump_unless_all_set(masked, &names)?;
            self.load_all(masked, names.pointer, regs)?;
            done.push(self.jump_forward(&JUMP));
            self.bind_jump(partial);
        }
        if masked.zero_fill {
            let zero = Reg(register(regs[0], View::Vector(Size::X))?);
            self.write_vec_op(VecOp::Vpxor, Size::X, &[zero, zero, zero])?;
            self.store_registers(VecOp::Vmovdqus, masked.size, slot, &vec![regs[0]; regs.len()])?;
        }
        self.write(Encoding::Test_rm64_r64, &[Reg(names.bits), Reg(names.bits)])?;
        let none = self.jump_forward(&JUMP_IF_ZERO);
        if let Some(constants) = masked.expansion {
            let crosses_page = self.jump_unless_one_page(masked, &names)?;
            self.load_and_blend(masked, constants, &names, *spare, regs[0])?;
            done.push(self.jump_forward(&JUMP));
            self.bind_jump(crosses_page);
        }
        self.copy_lane_by_lane(masked, &names, false)?;
        self.bind_jump(none);
        self.load_registers(VecOp::Vmovdqu, masked.size, slot, regs)?;
        done.into_iter().for_each(|jump| self.bind_jump(jump));
        Ok(())
    }

    /// Emits a masked store. Operands: mask bits, their clobbered register, two general temporaries, address, values.
    pub fn masked_store(&mut self, masked: &MaskedAccess, allocs: &[Allocation]) -> Result<(), CodegenBug> {
        let [bits, _, index, value, pointer, regs @ ..] = allocs else {
            return Err(CodegenBug("a store of nothing"));
        };
        let names = AccessRegisters::new(*bits, [*index, *value], *pointer)?;
        let mut done = None;
        if masked.is_exact() {
            let partial = self.jump_unless_all_set(masked, &names)?;
            let vec_op = match masked.total() {
                4 => VecOp::Vmovds,
                8 => VecOp::Vmovqs,
                _ => VecOp::Vmovdqus,
            };
            self.store_registers(vec_op, masked.size, Mem(names.pointer, None, 0), regs)?;
            done = Some(self.jump_forward(&JUMP));
            self.bind_jump(partial);
        }
        self.store_registers(VecOp::Vmovdqus, masked.size, self.slot_at(masked.slot, 0), regs)?;
        self.write(Encoding::Test_rm64_r64, &[Reg(names.bits), Reg(names.bits)])?;
        let none = self.jump_forward(&JUMP_IF_ZERO);
        self.copy_lane_by_lane(masked, &names, true)?;
        self.bind_jump(none);
        done.into_iter().for_each(|jump| self.bind_jump(jump));
        Ok(())
    }

    /// Emits a masked store of one register. Operands: general temporary, address, mask, value.
    pub fn masked_store_vector(
        &mut self,
        size: Size,
        bits: u32,
        allocs: &[Allocation],
    ) -> Result<(), CodegenBug> {
        let &[spare, pointer, mask, reg] = allocs else { return Err(CodegenBug("a store of nothing")) };
        let set = Reg(register(spare, View::Dword)?);
        let [mask, reg] = [mask, reg].map(|alloc| register(alloc, View::Vector(size)));
        let (mask, reg) = (Reg(mask?), Reg(reg?));
        let address = Mem(register(pointer, View::Qword)?, None, 0);
        let (signs, vec_op) = match (bits, size) {
            (64, Size::X) => (Encoding::VEX_Vmovmskpd_r32_xmm, VecOp::Vpmaskmovqs),
            (64, _) => (Encoding::VEX_Vmovmskpd_r32_ymm, VecOp::Vpmaskmovqs),
            (_, Size::X) => (Encoding::VEX_Vmovmskps_r32_xmm, VecOp::Vpmaskmovds),
            _ => (Encoding::VEX_Vmovmskps_r32_ymm, VecOp::Vpmaskmovds),
        };
        let all = (1 << (size.bytes() * 8 / bits)) - 1;
        self.write(signs, &[set, mask])?;
        self.write(Encoding::Cmp_rm32_imm32, &[set, Imm(OpKind::Immediate32, all)])?;
        let some = self.jump_forward(&JUMP_UNLESS_ZERO);
        self.write_vec_op(VecOp::Vmovdqus, size, &[address, reg])?;
        let done = self.jump_forward(&JUMP);
        self.bind_jump(some);
        self.write_vec_op(vec_op, size, &[address, mask, reg])?;
        self.bind_jump(done);
        Ok(())
    }

    /// Emits a jump that is taken if some lane is not set.
    fn jump_unless_all_set(
        &mut self,
        masked: &MaskedAccess,
        names: &AccessRegisters,
    ) -> Result<usize, CodegenBug> {
        let all = u64::MAX >> (WORD_LANES as u32 - masked.lanes);
        if masked.lanes < 32 {
            let all = Imm(OpKind::Immediate32to64, all as i64);
            self.write(Encoding::Cmp_rm64_imm32, &[Reg(names.bits), all])?;
        } else {
            // An immediate of 32 bits would be sign-extended.
            let other = Reg(register(names.value, View::Qword)?);
            self.write(Encoding::Mov_r64_imm64, &[other, Imm(OpKind::Immediate64, all as i64)])?;
            self.write(Encoding::Cmp_r64_rm64, &[Reg(names.bits), other])?;
        }
        Ok(self.jump_forward(&JUMP_UNLESS_ZERO))
    }

    /// Emits a jump that is taken if the lanes lie in two pages.
    fn jump_unless_one_page(
        &mut self,
        masked: &MaskedAccess,
        names: &AccessRegisters,
    ) -> Result<usize, CodegenBug> {
        let last = Reg(names.index);
        let end = Mem(names.pointer, None, masked.total() as i32 - 1);
        self.write(Encoding::Lea_r64_m, &[last, end])?;
        self.write(Encoding::Xor_r64_rm64, &[last, Reg(names.pointer)])?;
        self.write(Encoding::Cmp_rm64_imm32, &[last, Imm(OpKind::Immediate32to64, PAGE_BYTES)])?;
        Ok(self.jump_forward(&JUMP_UNLESS_BELOW))
    }

    fn load_all(
        &mut self,
        masked: &MaskedAccess,
        pointer: Register,
        regs: &[Allocation],
    ) -> Result<(), CodegenBug> {
        let (vec_op, size) = match masked.total() {
            4 => (VecOp::Vmovd, Size::X),
            8 => (VecOp::Vmovq, Size::X),
            _ => (VecOp::Vmovdqu, masked.size),
        };
        self.load_registers(vec_op, size, Mem(pointer, None, 0), regs)
    }

    /// Loads all lanes, and replaces those that are not set.
    fn load_and_blend(
        &mut self,
        masked: &MaskedAccess,
        (chosen, single): (u32, u32),
        names: &AccessRegisters,
        spare: Allocation,
        reg: Allocation,
    ) -> Result<(), CodegenBug> {
        let size = masked.size;
        let mask = Reg(register(spare, View::Vector(size))?);
        let low = Reg(register(spare, View::Vector(Size::X))?);
        self.write(Encoding::VEX_Vmovq_xmm_rm64, &[low, Reg(names.bits)])?;
        if size == Size::Y {
            self.write_vec_op(VecOp::Vpbroadcastd, size, &[mask, low])?;
        }
        self.write_vec_op(VecOp::Vpshufb, size, &[mask, mask, Pool(chosen)])?;
        self.write_vec_op(VecOp::Vpand, size, &[mask, mask, Pool(single)])?;
        let equal = if masked.bytes == 1 { VecOp::Vpcmpeqb } else { VecOp::Vpcmpeqw };
        self.write_vec_op(equal, size, &[mask, mask, Pool(single)])?;
        self.load_all(masked, names.pointer, &[reg])?;
        let reg = Reg(register(reg, View::Vector(size))?);
        if masked.zero_fill {
            return self.write_vec_op(VecOp::Vpand, size, &[reg, reg, mask]);
        }
        let others = self.slot_at(masked.slot, 0);
        self.write_vec_op(VecOp::Vpand, size, &[reg, reg, mask])?;
        self.write_vec_op(VecOp::Vpandn, size, &[mask, mask, others])?;
        self.write_vec_op(VecOp::Vpor, size, &[reg, reg, mask])
    }

    /// Emits a loop that copies the active lanes, at least one, from memory to the slot or back.
    fn copy_lane_by_lane(
        &mut self,
        masked: &MaskedAccess,
        names: &AccessRegisters,
        is_store: bool,
    ) -> Result<(), CodegenBug> {
        let top = self.offset();
        self.write(Encoding::Tzcnt_r64_rm64, &[Reg(names.index), Reg(names.bits)])?;
        self.write(Encoding::VEX_Blsr_r64_rm64, &[Reg(names.bits), Reg(names.bits)])?;
        let memory = Mem(names.pointer, Some((names.index, masked.bytes)), 0);
        let slot = self.slot(masked.slot, names.index, masked.bytes);
        let (from, to) = if is_store { (slot, memory) } else { (memory, slot) };
        let lane = Reg(register(names.value, exact_view(masked.bytes))?);
        self.write(code_for_bytes(Encoding::Mov_r8_rm8, masked.bytes), &[lane, from])?;
        self.write(code_for_bytes(Encoding::Mov_rm8_r8, masked.bytes), &[to, lane])?;
        self.write(Encoding::Test_rm64_r64, &[Reg(names.bits), Reg(names.bits)])?;
        self.jump_back(&JUMP_UNLESS_ZERO, top);
        Ok(())
    }
}
