//! Lowering of loads, stores, atomics and block copies. Accesses keep the order of the program, so that orderings that
//! x86-64 guarantees need no instruction.

use iced_x86::{Code as Encoding, OpKind};
use regalloc2::{RegClass, VReg};

use super::super::Unsupported;
use super::super::inst::{Amode, CompareExchange, Flag, InstBuilder, InstKind, Modify, Retry, Test, View};
use super::super::vcode::RAX;
use super::super::vec_ops::{Size, VecOp};
use super::scalar::{Alu, Second, step, view};
use super::{Lower, Lowered, RegShape, ValueRegs, one};
use crate::ir::{Helper, Inst, Kind, MemoryOp, Rmw};
use crate::rtlib;

/// Maximum number of bytes that copies and fills expand inline.
// Arbitrary.
const INLINE: u64 = 128;

/// Checks whether the machine guarantees the ordering of a store or fence: only a later load can be executed before a
/// store.
fn is_ordered_by_machine(inst: &Inst) -> bool {
    !inst.consistency().holds_loads_back()
}

/// Returns the operation of an atomic read-modify-write.
pub fn modify(rmw: Rmw) -> Modify {
    match rmw {
        Rmw::Add => Modify::Add,
        Rmw::Sub => Modify::Sub,
        Rmw::And => Modify::And,
        Rmw::Or => Modify::Or,
        Rmw::Xor => Modify::Xor,
        Rmw::Xchg => Modify::Exchange,
        Rmw::Smin => Modify::Smin,
        Rmw::Smax => Modify::Smax,
        Rmw::Umin => Modify::Umin,
        Rmw::Umax => Modify::Umax,
    }
}

/// Returns the view of a register with `bits` bits.
fn exact(bits: u32) -> View {
    match bits {
        0..=8 => View::Byte,
        16 => View::Word,
        32 => View::Long,
        _ => View::Quad,
    }
}

/// Returns 0 for 8 bits, 1 for 16, and so on: the index among consecutive encodings.
fn place(bits: u32) -> usize {
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
                    self.made.push(InstBuilder::code(Encoding::Mfence));
                }
                Ok(ValueRegs::new())
            }
            MemoryOp::Trap => {
                self.made.push(InstBuilder::code(Encoding::Ud2));
                Ok(ValueRegs::new())
            }
            MemoryOp::CallHelper => {
                let declaration = rtlib::declaration(inst.helper());
                self.call_helper(&declaration, &inst.args)
            }
            MemoryOp::ImageQuery | MemoryOp::ImageLoad | MemoryOp::ImageStore => {
                Err(Unsupported("left after the passes"))
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
        let parts = self.load_vector(shape, ty.bytes(), address);
        if ty.is_mask() { self.mask_of_bytes(ty.lanes, &parts) } else { Ok(parts) }
    }

    /// Loads a vector of `bytes` bytes, without reading beyond them.
    pub fn load_vector(&mut self, shape: RegShape, bytes: u32, address: Amode) -> ValueRegs {
        if bytes == shape.size.bytes() * shape.count as u32 {
            return self.load_parts(shape, address);
        }
        if bytes > 16 {
            // Vector of three lanes of 64 bits.
            let low = self.vector1(VecOp::Vmovdqu, Size::X, address);
            let high = self.load_piece(bytes - 16, address.plus(16));
            return one(self.vector2i(VecOp::Vinsert128, Size::Y, low, high, 1));
        }
        one(self.load_piece(bytes, address))
    }

    /// Loads up to 16 bytes.
    fn load_piece(&mut self, bytes: u32, address: Amode) -> VReg {
        if bytes == 16 {
            return self.vector1(VecOp::Vmovdqu, Size::X, address);
        }
        let (mut at, mut all) = match bytes {
            8.. => (8, self.vector1(VecOp::Vmovq, Size::X, address)),
            4.. => (4, self.vector1(VecOp::Vmovd, Size::X, address)),
            _ => (0, self.splat_constant(Size::X, 64, 0)),
        };
        while at < bytes {
            let (step, row) = match bytes - at {
                4.. => (4, VecOp::Vpinsrd),
                2.. => (2, VecOp::Vpinsrw),
                _ => (1, VecOp::Vpinsrb),
            };
            all = self.vector2i(row, Size::X, all, address.plus(at as i32), (at / step) as u8);
            at += step;
        }
        all
    }

    /// Loads all registers of a vector that fills them.
    pub fn load_parts(&mut self, shape: RegShape, address: Amode) -> ValueRegs {
        let step = shape.size.bytes();
        (0..shape.count)
            .map(|i| self.vector1(VecOp::Vmovdqu, shape.size, address.plus((i as u32 * step) as i32)))
            .collect()
    }

    /// Stores all registers of a vector.
    pub fn store_parts(&mut self, parts: &ValueRegs, shape: RegShape, address: Amode) {
        self.widen(shape.size);
        for (i, &part) in parts.iter().enumerate() {
            let place = address.plus((i as u32 * shape.size.bytes()) as i32);
            self.made.push(InstBuilder::row(VecOp::Vmovdqus, shape.size).mem(place).read(part));
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
            (0..=8, false) => (Encoding::Movzx_r32_rm8, View::Long),
            (16, false) => (Encoding::Movzx_r32_rm16, View::Long),
            (0..=8, true) => (Encoding::Movsx_r32_rm8, View::Long),
            (16, true) => (Encoding::Movsx_r32_rm16, View::Long),
            (32, _) => (Encoding::Mov_r32_rm32, View::Long),
            _ => (Encoding::Mov_r64_rm64, View::Quad),
        };
        let result = self.general();
        self.made.push(InstBuilder::code(code).def_as(result, view).mem(address));
        result
    }

    /// Stores an integer.
    pub fn store_integer(&mut self, value: VReg, address: Amode, bits: u32) {
        let code = step(Encoding::Mov_rm8_r8, place(bits));
        self.made.push(InstBuilder::code(code).mem(address).read_as(value, exact(bits)));
    }

    /// Stores a scalar.
    pub fn store_scalar(&mut self, kind: Kind, address: Amode, value: VReg) {
        match kind {
            Kind::F32 => self.made.push(InstBuilder::row(VecOp::Vmovsss, Size::X).mem(address).read(value)),
            Kind::F64 => self.made.push(InstBuilder::row(VecOp::Vmovsds, Size::X).mem(address).read(value)),
            Kind::F16 => {
                self.made.push(InstBuilder::row(VecOp::Vpextrw, Size::X).mem(address).read(value).imm8(0))
            }
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
                self.made.push(InstBuilder::code(code).mem(address).imm(kind, constant as i64));
                return Ok(ValueRegs::new());
            }
            let register = self.scalar(value)?;
            self.store_scalar(ty.kind, address, register);
            return Ok(ValueRegs::new());
        }
        let shape = self.shape_of_lanes(ty.lanes, ty.kind.bits().max(8))?;
        let parts = if ty.is_mask() { self.truths_of_mask(value)? } else { self.parts(value)? };
        if inst.mem().nontemporal
            && shape.size >= Size::Y
            && ty.bytes() == shape.size.bytes() * shape.count as u32
        {
            self.stream(&parts, shape.size, address);
        } else {
            self.store_vector(&parts, shape, ty.bytes(), address);
        }
        Ok(ValueRegs::new())
    }

    /// Stores full registers non-temporally: a few at once, since all of them are held in registers meanwhile.
    fn stream(&mut self, parts: &ValueRegs, size: Size, address: Amode) {
        const TOGETHER: usize = 4;
        self.widen(size);
        for (at, some) in parts.chunks(TOGETHER).enumerate() {
            let pointer = self.lea(address.plus((at * TOGETHER) as i32 * size.bytes() as i32));
            let build = InstBuilder::of(InstKind::Stream(size)).held(pointer);
            self.made.push(some.iter().fold(build, |build, &part| build.held(part)));
        }
    }

    /// Stores a vector of `bytes` bytes.
    pub fn store_vector(&mut self, parts: &ValueRegs, shape: RegShape, bytes: u32, address: Amode) {
        if bytes == shape.size.bytes() * shape.count as u32 {
            return self.store_parts(parts, shape, address);
        }
        if bytes > 16 {
            self.made.push(InstBuilder::row(VecOp::Vmovdqus, Size::X).mem(address).read(parts[0]));
            let high = self.vector1i(VecOp::Vextract128, Size::Y, parts[0], 1);
            return self.store_piece(high, bytes - 16, address.plus(16));
        }
        self.store_piece(parts[0], bytes, address);
    }

    fn store_piece(&mut self, part: VReg, bytes: u32, address: Amode) {
        if bytes == 16 {
            self.made.push(InstBuilder::row(VecOp::Vmovdqus, Size::X).mem(address).read(part));
            return;
        }
        let mut at = match bytes {
            8.. => {
                self.made.push(InstBuilder::row(VecOp::Vmovqs, Size::X).mem(address).read(part));
                8
            }
            4.. => {
                self.made.push(InstBuilder::row(VecOp::Vmovds, Size::X).mem(address).read(part));
                4
            }
            _ => 0,
        };
        while at < bytes {
            let (step, row) = match bytes - at {
                4.. => (4, VecOp::Vpextrd),
                2.. => (2, VecOp::Vpextrw),
                _ => (1, VecOp::Vpextrb),
            };
            let build = InstBuilder::row(row, Size::X).mem(address.plus(at as i32)).read(part);
            self.made.push(build.imm8((at / step) as u8));
            at += step;
        }
    }

    /// Returns the bits of a value in a general register.
    fn bits_of(&mut self, value: crate::ir::Value) -> Lowered<VReg> {
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
        let how = modify(inst.rmw());
        if self.source.is_of_group(inst) {
            let before = self.load_integer(address, bits, matches!(how, Modify::Smin | Modify::Smax));
            let after = self.modified(how, bits, before, value);
            self.store_integer(after, address, bits);
            return Ok(one(self.of_bits(inst.ty.kind, before)));
        }
        let before = match how {
            Modify::Add | Modify::Sub => {
                let value = if how == Modify::Sub { self.negate(bits.max(32), value) } else { value };
                let before = self.general();
                let code = step(Encoding::Xadd_rm8_r8, place(bits));
                let build = InstBuilder::code(code).mem(address).change_as(value, before, exact(bits));
                self.made.push(Self::locked(build));
                before
            }
            Modify::Exchange => self.exchange(address, value, bits),
            _ => {
                let pointer = self.lea(address);
                let (before, spare) = (self.general(), self.general());
                let retry = Retry { modify: how, bytes: bits / 8 };
                let build = InstBuilder::of(InstKind::Retry(retry)).held(pointer).held(value);
                self.made.push(build.fixed_early(before, RAX).temporary(spare));
                before
            }
        };
        Ok(one(self.of_bits(inst.ty.kind, before)))
    }

    fn exchange(&mut self, address: Amode, value: VReg, bits: u32) -> VReg {
        let before = self.general();
        let code = step(Encoding::Xchg_rm8_r8, place(bits));
        self.made.push(InstBuilder::code(code).mem(address).change_as(value, before, exact(bits)));
        before
    }

    /// Computes the new value of an atomic read-modify-write.
    fn modified(&mut self, how: Modify, bits: u32, before: VReg, value: VReg) -> VReg {
        let wide = bits.max(32);
        let alu = match how {
            Modify::Exchange => return value,
            Modify::Add => Alu::Add,
            Modify::Sub => Alu::Sub,
            Modify::And => Alu::And,
            Modify::Or => Alu::Or,
            Modify::Xor => Alu::Xor,
            Modify::Smin | Modify::Smax | Modify::Umin | Modify::Umax => {
                let signed = matches!(how, Modify::Smin | Modify::Smax);
                let value = if bits < 32 { self.extend(value, bits, 32, signed) } else { value };
                let code = step(Encoding::Cmp_r32_rm32, usize::from(bits == 64));
                self.made
                    .push(InstBuilder::code(code).read_as(before, view(wide)).read_as(value, view(wide)));
                let flag = match how {
                    Modify::Smin => Flag::Less,
                    Modify::Smax => Flag::Greater,
                    Modify::Umin => Flag::Below,
                    _ => Flag::Above,
                };
                return self.choose(Test::One(flag), wide, before, value);
            }
        };
        self.alu(alu, wide, before, Second::Reg(value))
    }

    fn atomic_cas(&mut self, inst: &Inst) -> Lowered<ValueRegs> {
        let bits = inst.ty.kind.bits();
        let address = self.address(inst.args[0])?;
        let (expected, value) = (self.bits_of(inst.args[1])?, self.bits_of(inst.args[2])?);
        let (pointer, before) = (self.lea(address), self.general());
        let exchange = CompareExchange { bytes: bits / 8, alone: self.source.is_of_group(inst) };
        let build = InstBuilder::of(InstKind::CompareExchange(exchange));
        self.made.push(build.held(pointer).held(expected).held(value).fixed_early(before, RAX));
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
        if size > INLINE {
            let args = [self.scalar(inst.args[0])?, self.scalar(inst.args[1])?, self.integer(size)];
            return self.call_address(&rtlib::declaration(Helper::MemCopy), &args);
        }
        let (to, from) = (self.address(inst.args[0])?, self.address(inst.args[1])?);
        // All loads come first, since the objects may overlap.
        let pieces: Vec<(u32, u32)> =
            (0..size as u32).step_by(16).map(|at| (at, (size as u32 - at).min(16))).collect();
        let loaded: Vec<VReg> =
            pieces.iter().map(|&(at, bytes)| self.load_piece(bytes, from.plus(at as i32))).collect();
        for (&(at, bytes), part) in pieces.iter().zip(loaded) {
            self.store_piece(part, bytes, to.plus(at as i32));
        }
        Ok(ValueRegs::new())
    }

    fn mem_zero(&mut self, inst: &Inst) -> Lowered<ValueRegs> {
        let (size, _) = inst.size_align();
        if size > INLINE {
            let args = [self.scalar(inst.args[0])?, self.integer(size)];
            return self.call_address(&rtlib::declaration(Helper::MemZero), &args);
        }
        let to = self.address(inst.args[0])?;
        let zero = self.splat_constant(Size::X, 64, 0);
        for at in (0..size as u32).step_by(16) {
            self.store_piece(zero, (size as u32 - at).min(16), to.plus(at as i32));
        }
        Ok(ValueRegs::new())
    }
}
