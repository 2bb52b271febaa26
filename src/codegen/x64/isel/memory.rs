//! Lowering of loads, stores, atomics and block copies. Accesses keep the order of the program, so that orderings that
//! x86-64 guarantees need no instruction.

use iced_x86::{Code as Encoding, OpKind};
use regalloc2::{RegClass, VReg};

use super::super::CodegenBug;
use super::super::inst::{
    Amode, CasLoop, CompareExchange, CondCode, InstBuilder, InstKind, RmwOp, Test, View,
};
use super::super::vcode::RAX;
use super::super::vec_ops::{Size, VecOp};
use super::scalar::{Alu, AluOperand, code_plus, view};
use super::{Lower, Lowered, RegShape, ValueRegs, one};
use crate::rtlib;
use grus_ir::{Helper, Inst, Kind, MemoryOp, Rmw};

/// Maximum number of bytes that copies and fills expand inline.
// Arbitrary.
const MAX_INLINE_BYTES: u64 = 128;

/// Checks whether the machine guarantees the ordering of a store or fence: only a later load can be executed before a
/// store.
fn is_ordered_by_machine(inst: &Inst) -> bool {
    !inst.consistency().needs_store_load_fence()
}

/// Returns the operation of an atomic read-modify-write.
pub fn rmw_op(rmw: Rmw) -> Lowered<RmwOp> {
    Ok(match rmw {
        Rmw::Add => RmwOp::Add,
        Rmw::Sub => RmwOp::Sub,
        Rmw::And => RmwOp::And,
        Rmw::Or => RmwOp::Or,
        Rmw::Xor => RmwOp::Xor,
        Rmw::Xchg => RmwOp::Exchange,
        Rmw::Smin => RmwOp::Smin,
        Rmw::Smax => RmwOp::Smax,
        Rmw::Umin => RmwOp::Umin,
        Rmw::Umax => RmwOp::Umax,
        Rmw::Fadd | Rmw::Fmin | Rmw::Fmax => return Err(CodegenBug("left after legalization")),
    })
}

/// Returns the view of a register with `bits` bits.
fn exact_view(bits: u32) -> View {
    match bits {
        0..=8 => View::Byte,
        16 => View::Word,
        32 => View::Dword,
        _ => View::Qword,
    }
}

/// Returns 0 for 8 bits, 1 for 16, and so on: the index among consecutive encodings.
fn encoding_index(bits: u32) -> usize {
    bits.max(8).trailing_zeros() as usize - 3
}

impl Lower<'_> {
    /// Lowers memory operations.
    pub fn memory_op(&mut self, inst: &Inst, op: MemoryOp) -> Lowered<ValueRegs> {
        match op {
            MemoryOp::Load => self.load(inst),
            MemoryOp::Store => self.store(inst),
            MemoryOp::MaskedLoad => self.masked_load(inst),
            MemoryOp::MaskedStore => self.masked_store(inst),
            MemoryOp::Gather | MemoryOp::GatherAt => self.gather(inst),
            MemoryOp::Scatter | MemoryOp::ScatterAt => self.scatter(inst),
            MemoryOp::LaneRmw | MemoryOp::LaneCas => self.lane_atomic(inst),
            MemoryOp::MemCopy => self.mem_copy(inst),
            MemoryOp::MemZero => self.mem_zero(inst),
            MemoryOp::AtomicRmw => self.atomic_rmw(inst),
            MemoryOp::AtomicCas => self.atomic_cas(inst),
            MemoryOp::AtomicLoad => {
                let address = self.address(inst.args[0])?;
                Ok(one(self.load_scalar(inst.ty.kind, address)))
            }
            MemoryOp::AtomicStore => self.atomic_store(inst),
            MemoryOp::Fence => {
                if !is_ordered_by_machine(inst) {
                    self.emitted.push(InstBuilder::code(Encoding::Mfence));
                }
                Ok(ValueRegs::new())
            }
            MemoryOp::Trap => {
                self.emitted.push(InstBuilder::code(Encoding::Ud2));
                Ok(ValueRegs::new())
            }
            MemoryOp::CallHelper => {
                let declaration = rtlib::declaration(inst.helper());
                self.call_helper(&declaration, &inst.args)
            }
            MemoryOp::ImageQuery | MemoryOp::ImageLoad | MemoryOp::ImageStore => {
                Err(CodegenBug("left after the passes"))
            }
        }
    }

    fn load(&mut self, inst: &Inst) -> Lowered<ValueRegs> {
        let address = self.address(inst.args[0])?;
        let ty = inst.ty;
        if !ty.is_vector() {
            return Ok(one(self.load_scalar(ty.kind, address)));
        }
        let shape = self.shape_of_lanes(ty.lanes, ty.kind.bits().max(8))?;
        let regs = self.load_vector(shape, ty.bytes(), address);
        if ty.is_mask() { self.mask_of_bytes(ty.lanes, &regs) } else { Ok(regs) }
    }

    /// Loads a vector of `bytes` bytes, without reading beyond them.
    pub fn load_vector(&mut self, shape: RegShape, bytes: u32, address: Amode) -> ValueRegs {
        if bytes == shape.size.bytes() * shape.count as u32 {
            return self.load_regs(shape, address);
        }
        if bytes > 16 {
            // Vector of three lanes of 64 bits.
            let low = self.vector1(VecOp::Vmovdqu, Size::X, address);
            let high = self.load_segment(bytes - 16, address.plus(16));
            return one(self.vector2i(VecOp::Vinsert128, Size::Y, low, high, 1));
        }
        one(self.load_segment(bytes, address))
    }

    /// Loads up to 16 bytes.
    fn load_segment(&mut self, bytes: u32, address: Amode) -> VReg {
        if bytes == 16 {
            return self.vector1(VecOp::Vmovdqu, Size::X, address);
        }
        let (mut at, mut all) = match bytes {
            8.. => (8, self.vector1(VecOp::Vmovq, Size::X, address)),
            4.. => (4, self.vector1(VecOp::Vmovd, Size::X, address)),
            _ => (0, self.splat_constant(Size::X, 64, 0)),
        };
        while at < bytes {
            let (step, vec_op) = match bytes - at {
                4.. => (4, VecOp::Vpinsrd),
                2.. => (2, VecOp::Vpinsrw),
                _ => (1, VecOp::Vpinsrb),
            };
            all = self.vector2i(vec_op, Size::X, all, address.plus(at as i32), (at / step) as u8);
            at += step;
        }
        all
    }

    /// Loads all registers of a vector that fills them.
    pub fn load_regs(&mut self, shape: RegShape, address: Amode) -> ValueRegs {
        let step = shape.size.bytes();
        (0..shape.count)
            .map(|i| self.vector1(VecOp::Vmovdqu, shape.size, address.plus((i as u32 * step) as i32)))
            .collect()
    }

    /// Stores all registers of a vector.
    pub fn store_regs(&mut self, regs: &ValueRegs, shape: RegShape, address: Amode) {
        self.note_size(shape.size);
        for (i, &reg) in regs.iter().enumerate() {
            let chunk_address = address.plus((i as u32 * shape.size.bytes()) as i32);
            self.emitted.push(InstBuilder::vec_op(VecOp::Vmovdqus, shape.size).mem(chunk_address).read(reg));
        }
    }

    /// Loads a scalar.
    pub fn load_scalar(&mut self, kind: Kind, address: Amode) -> VReg {
        match kind {
            Kind::F32 => self.vector1(VecOp::Vmovss, Size::X, address),
            Kind::F64 => self.vector1(VecOp::Vmovsd, Size::X, address),
            Kind::F16 => {
                let zero = self.splat_constant(Size::X, 64, 0);
                self.vector2i(VecOp::Vpinsrw, Size::X, zero, address, 0)
            }
            _ => self.load_integer(address, kind.bits(), false),
        }
    }

    /// Loads an integer, extended to 32 bits if it is narrower.
    pub fn load_integer(&mut self, address: Amode, bits: u32, signed: bool) -> VReg {
        let (code, view) = match (bits, signed) {
            (0..=8, false) => (Encoding::Movzx_r32_rm8, View::Dword),
            (16, false) => (Encoding::Movzx_r32_rm16, View::Dword),
            (0..=8, true) => (Encoding::Movsx_r32_rm8, View::Dword),
            (16, true) => (Encoding::Movsx_r32_rm16, View::Dword),
            (32, _) => (Encoding::Mov_r32_rm32, View::Dword),
            _ => (Encoding::Mov_r64_rm64, View::Qword),
        };
        let result = self.general();
        self.emitted.push(InstBuilder::code(code).def_as(result, view).mem(address));
        result
    }

    /// Stores an integer.
    pub fn store_integer(&mut self, value: VReg, address: Amode, bits: u32) {
        let code = code_plus(Encoding::Mov_rm8_r8, encoding_index(bits));
        self.emitted.push(InstBuilder::code(code).mem(address).read_as(value, exact_view(bits)));
    }

    /// Stores a scalar.
    pub fn store_scalar(&mut self, kind: Kind, address: Amode, value: VReg) {
        match kind {
            Kind::F32 => {
                self.emitted.push(InstBuilder::vec_op(VecOp::Vmovsss, Size::X).mem(address).read(value))
            }
            Kind::F64 => {
                self.emitted.push(InstBuilder::vec_op(VecOp::Vmovsds, Size::X).mem(address).read(value))
            }
            Kind::F16 => self
                .emitted
                .push(InstBuilder::vec_op(VecOp::Vpextrw, Size::X).mem(address).read(value).imm8(0)),
            _ => self.store_integer(value, address, kind.bits()),
        }
    }

    fn store(&mut self, inst: &Inst) -> Lowered<ValueRegs> {
        let value = inst.args[1];
        let ty = self.source.ty(value);
        let address = self.address(inst.args[0])?;
        if !ty.is_vector() {
            if let Some(constant) = self.source.as_const(value)
                && ty.kind.bits() <= 32
            {
                let bits = ty.kind.bits().max(8);
                let (code, kind) = match bits {
                    8 => (Encoding::Mov_rm8_imm8, OpKind::Immediate8),
                    16 => (Encoding::Mov_rm16_imm16, OpKind::Immediate16),
                    _ => (Encoding::Mov_rm32_imm32, OpKind::Immediate32),
                };
                self.emitted.push(InstBuilder::code(code).mem(address).imm(kind, constant as i64));
                return Ok(ValueRegs::new());
            }
            let register = self.scalar(value)?;
            self.store_scalar(ty.kind, address, register);
            return Ok(ValueRegs::new());
        }
        let shape = self.shape_of_lanes(ty.lanes, ty.kind.bits().max(8))?;
        let regs = if ty.is_mask() { self.truths_of_mask(value)? } else { self.value_regs(value)? };
        if inst.mem().nontemporal
            && shape.size >= Size::Y
            && ty.bytes() == shape.size.bytes() * shape.count as u32
        {
            self.nontemporal_store(&regs, shape.size, address);
        } else {
            self.store_vector(&regs, shape, ty.bytes(), address);
        }
        Ok(ValueRegs::new())
    }

    /// Stores full registers non-temporally: a few at once, since all of them are held in registers meanwhile.
    fn nontemporal_store(&mut self, regs: &ValueRegs, size: Size, address: Amode) {
        // Source: fixtures with AVX2, two interleaved work-items and few registers, 2026-11-26: eight did not fit.
        const MAX_REGISTERS: usize = 4;
        self.note_size(size);
        for (at, some) in regs.chunks(MAX_REGISTERS).enumerate() {
            let pointer = self.lea(address.plus((at * MAX_REGISTERS) as i32 * size.bytes() as i32));
            let build = InstBuilder::new(InstKind::NontemporalStore(size)).late_read(pointer);
            self.emitted.push(some.iter().fold(build, |build, &reg| build.late_read(reg)));
        }
    }

    /// Stores a vector of `bytes` bytes.
    pub fn store_vector(&mut self, regs: &ValueRegs, shape: RegShape, bytes: u32, address: Amode) {
        if bytes == shape.size.bytes() * shape.count as u32 {
            return self.store_regs(regs, shape, address);
        }
        if bytes > 16 {
            self.emitted.push(InstBuilder::vec_op(VecOp::Vmovdqus, Size::X).mem(address).read(regs[0]));
            let high = self.vector1i(VecOp::Vextract128, Size::Y, regs[0], 1);
            return self.store_segment(high, bytes - 16, address.plus(16));
        }
        self.store_segment(regs[0], bytes, address);
    }

    fn store_segment(&mut self, reg: VReg, bytes: u32, address: Amode) {
        if bytes == 16 {
            self.emitted.push(InstBuilder::vec_op(VecOp::Vmovdqus, Size::X).mem(address).read(reg));
            return;
        }
        let mut at = match bytes {
            8.. => {
                self.emitted.push(InstBuilder::vec_op(VecOp::Vmovqs, Size::X).mem(address).read(reg));
                8
            }
            4.. => {
                self.emitted.push(InstBuilder::vec_op(VecOp::Vmovds, Size::X).mem(address).read(reg));
                4
            }
            _ => 0,
        };
        while at < bytes {
            let (step, vec_op) = match bytes - at {
                4.. => (4, VecOp::Vpextrd),
                2.. => (2, VecOp::Vpextrw),
                _ => (1, VecOp::Vpextrb),
            };
            let build = InstBuilder::vec_op(vec_op, Size::X).mem(address.plus(at as i32)).read(reg);
            self.emitted.push(build.imm8((at / step) as u8));
            at += step;
        }
    }

    /// Returns the bits of a value in a general register.
    fn bits_of(&mut self, value: grus_ir::Value) -> Lowered<VReg> {
        let register = self.scalar(value)?;
        let bits = self.source.ty(value).kind.bits();
        Ok(if register.class() == RegClass::Float { self.general_of(register, bits) } else { register })
    }

    /// Converts bits to a value of a kind.
    fn of_bits(&mut self, kind: Kind, bits: VReg) -> VReg {
        if kind.is_float() { self.vector_of(bits, kind.bits()) } else { bits }
    }

    fn locked(mut build: InstBuilder) -> InstBuilder {
        build.inst.template.set_has_lock_prefix(true);
        build
    }

    fn atomic_rmw(&mut self, inst: &Inst) -> Lowered<ValueRegs> {
        let bits = inst.ty.kind.bits();
        let address = self.address(inst.args[0])?;
        let value = self.bits_of(inst.args[1])?;
        let op = rmw_op(inst.rmw())?;
        if self.source.is_of_group(inst) {
            let before = self.load_integer(address, bits, matches!(op, RmwOp::Smin | RmwOp::Smax));
            let after = self.new_value(op, bits, before, value);
            self.store_integer(after, address, bits);
            return Ok(one(self.of_bits(inst.ty.kind, before)));
        }
        let before = match op {
            RmwOp::Add | RmwOp::Sub => {
                let value = if op == RmwOp::Sub { self.negate(bits.max(32), value) } else { value };
                let before = self.general();
                let code = code_plus(Encoding::Xadd_rm8_r8, encoding_index(bits));
                let build =
                    InstBuilder::code(code).mem(address).reuse_def_as(value, before, exact_view(bits));
                self.emitted.push(Self::locked(build));
                before
            }
            RmwOp::Exchange => self.exchange(address, value, bits),
            _ => {
                let pointer = self.lea(address);
                let (before, spare) = (self.general(), self.general());
                let cas_loop = CasLoop { op, bytes: bits / 8 };
                let build = InstBuilder::new(InstKind::CasLoop(cas_loop)).late_read(pointer).late_read(value);
                self.emitted.push(build.fixed_early_def(before, RAX).temporary(spare));
                before
            }
        };
        Ok(one(self.of_bits(inst.ty.kind, before)))
    }

    fn exchange(&mut self, address: Amode, value: VReg, bits: u32) -> VReg {
        let before = self.general();
        let code = code_plus(Encoding::Xchg_rm8_r8, encoding_index(bits));
        self.emitted.push(InstBuilder::code(code).mem(address).reuse_def_as(value, before, exact_view(bits)));
        before
    }

    /// Computes the new value of an atomic read-modify-write.
    fn new_value(&mut self, op: RmwOp, bits: u32, before: VReg, value: VReg) -> VReg {
        let wide = bits.max(32);
        let alu = match op {
            RmwOp::Exchange => return value,
            RmwOp::Add => Alu::Add,
            RmwOp::Sub => Alu::Sub,
            RmwOp::And => Alu::And,
            RmwOp::Or => Alu::Or,
            RmwOp::Xor => Alu::Xor,
            RmwOp::Smin | RmwOp::Smax | RmwOp::Umin | RmwOp::Umax => {
                let signed = matches!(op, RmwOp::Smin | RmwOp::Smax);
                let value = if bits < 32 { self.extend(value, bits, 32, signed) } else { value };
                let code = code_plus(Encoding::Cmp_r32_rm32, usize::from(bits == 64));
                self.emitted
                    .push(InstBuilder::code(code).read_as(before, view(wide)).read_as(value, view(wide)));
                let flag = match op {
                    RmwOp::Smin => CondCode::Less,
                    RmwOp::Smax => CondCode::Greater,
                    RmwOp::Umin => CondCode::Below,
                    _ => CondCode::Above,
                };
                return self.choose(Test::One(flag), wide, before, value);
            }
        };
        self.alu(alu, wide, before, AluOperand::Reg(value))
    }

    fn atomic_cas(&mut self, inst: &Inst) -> Lowered<ValueRegs> {
        let bits = inst.ty.kind.bits();
        let address = self.address(inst.args[0])?;
        let (expected, value) = (self.bits_of(inst.args[1])?, self.bits_of(inst.args[2])?);
        let (pointer, before) = (self.lea(address), self.general());
        let exchange = CompareExchange { bytes: bits / 8, single_thread: self.source.is_of_group(inst) };
        let build = InstBuilder::new(InstKind::CompareExchange(exchange));
        self.emitted
            .push(build.late_read(pointer).late_read(expected).late_read(value).fixed_early_def(before, RAX));
        Ok(one(self.of_bits(inst.ty.kind, before)))
    }

    fn atomic_store(&mut self, inst: &Inst) -> Lowered<ValueRegs> {
        let kind = self.source.ty(inst.args[1]).kind;
        let address = self.address(inst.args[0])?;
        let value = self.bits_of(inst.args[1])?;
        if is_ordered_by_machine(inst) || self.source.is_of_group(inst) {
            self.store_integer(value, address, kind.bits());
        } else {
            self.exchange(address, value, kind.bits());
        }
        Ok(ValueRegs::new())
    }

    fn mem_copy(&mut self, inst: &Inst) -> Lowered<ValueRegs> {
        let (size, _) = inst.size_align();
        if size > MAX_INLINE_BYTES {
            let args = [self.scalar(inst.args[0])?, self.scalar(inst.args[1])?, self.integer(size)];
            return self.call_address(&rtlib::declaration(Helper::MemCopy), &args);
        }
        let (to, from) = (self.address(inst.args[0])?, self.address(inst.args[1])?);
        // All loads come first, since the objects may overlap.
        let segments: Vec<(u32, u32)> =
            (0..size as u32).step_by(16).map(|at| (at, (size as u32 - at).min(16))).collect();
        let loaded: Vec<VReg> =
            segments.iter().map(|&(at, bytes)| self.load_segment(bytes, from.plus(at as i32))).collect();
        for (&(at, bytes), reg) in segments.iter().zip(loaded) {
            self.store_segment(reg, bytes, to.plus(at as i32));
        }
        Ok(ValueRegs::new())
    }

    fn mem_zero(&mut self, inst: &Inst) -> Lowered<ValueRegs> {
        let (size, _) = inst.size_align();
        if size > MAX_INLINE_BYTES {
            let args = [self.scalar(inst.args[0])?, self.integer(size)];
            return self.call_address(&rtlib::declaration(Helper::MemZero), &args);
        }
        let to = self.address(inst.args[0])?;
        let zero = self.splat_constant(Size::X, 64, 0);
        for at in (0..size as u32).step_by(16) {
            self.store_segment(zero, (size as u32 - at).min(16), to.plus(at as i32));
        }
        Ok(ValueRegs::new())
    }
}
