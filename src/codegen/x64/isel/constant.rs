//! Constants in registers and as memory operands.

use iced_x86::{Code as Encoding, OpKind};
use regalloc2::{RegClass, VReg};

use super::super::inst::{Amode, InstBuilder, Src, View};
use super::super::vec_ops::{Size, VecOp};
use super::{Lower, RegShape};
use grus_ir::{Op, Value};

impl Lower<'_> {
    /// Returns the lanes of a constant vector.
    pub fn constant_lanes(&self, value: Value) -> Option<Vec<u64>> {
        let inst = self.source.def_inst(value)?;
        let scalar = |value: Value| {
            let def = self.source.def_inst(value)?;
            matches!(def.op, Op::Iconst | Op::Fconst).then(|| def.int())
        };
        let lanes = usize::from(inst.ty.lanes);
        match inst.op {
            Op::Splat => Some(vec![scalar(inst.args[0])?; lanes]),
            Op::BuildVector => inst.args.iter().map(|&arg| scalar(arg)).collect(),
            Op::Iota => Some((0..lanes as u64).collect()),
            _ => None,
        }
    }

    /// Returns the constant of all lanes of a vector, or a constant scalar.
    pub fn splat_of(&self, value: Value) -> Option<u64> {
        let inst = self.source.def_inst(self.origin(value))?;
        let constant = match inst.op {
            Op::Iconst | Op::Fconst => inst.int(),
            Op::Splat => self.splat_of(inst.args[0])?,
            _ => return None,
        };
        super::vector::splat_in_width(constant, inst.ty.kind.bits(), self.source.ty(value).kind.bits())
    }

    /// Loads a constant into a general register.
    pub fn integer(&mut self, bits: u64) -> VReg {
        let register = self.code.vreg(RegClass::Int);
        let build = if u32::try_from(bits).is_ok() {
            InstBuilder::code(Encoding::Mov_r32_imm32)
                .def_as(register, View::Dword)
                .imm(OpKind::Immediate32, bits as i64)
        } else if i32::try_from(bits as i64).is_ok() {
            InstBuilder::code(Encoding::Mov_rm64_imm32)
                .def_as(register, View::Qword)
                .imm(OpKind::Immediate32to64, bits as i64)
        } else {
            InstBuilder::code(Encoding::Mov_r64_imm64)
                .def_as(register, View::Qword)
                .imm(OpKind::Immediate64, bits as i64)
        };
        self.emitted.push(build);
        register
    }

    /// Loads a constant into all lanes of a vector register.
    pub fn splat_constant(&mut self, size: Size, bits: u32, value: u64) -> VReg {
        self.note_size(size);
        let pattern = repeat(value, bits);
        let register = self.code.vreg(RegClass::Float);
        if pattern == 0 {
            // A write to the lower bits clears all others.
            let view = View::Vector(Size::X);
            self.emitted.push(InstBuilder::vec_op(VecOp::Vpxor, Size::X).def_all_operands(register, view));
            return register;
        }
        if pattern == u64::MAX {
            let view = View::Vector(size);
            let build = if self.target.avx512 {
                InstBuilder::vec_op(VecOp::Vpternlogd, size).def_all_operands(register, view).imm8(0xff)
            } else {
                InstBuilder::vec_op(VecOp::Vpcmpeqd, size).def_all_operands(register, view)
            };
            self.emitted.push(build);
            return register;
        }
        if bits <= 32 && pattern as u32 == (pattern >> 32) as u32 {
            let constant = self.code.pool.add((pattern as u32).to_le_bytes().to_vec());
            self.emitted.push(
                InstBuilder::vec_op(VecOp::Vpbroadcastd, size).def(register).mem(Amode::pool(constant)),
            );
        } else {
            let constant = self.code.pool.add(pattern.to_le_bytes().to_vec());
            self.emitted.push(
                InstBuilder::vec_op(VecOp::Vpbroadcastq, size).def(register).mem(Amode::pool(constant)),
            );
        }
        register
    }

    /// Returns a register with undefined contents.
    pub fn undefined_vector(&mut self) -> VReg {
        let register = self.code.vreg(RegClass::Float);
        let mut build = InstBuilder::new(super::super::inst::InstKind::NoCode);
        build = build.def(register);
        self.emitted.push(build);
        register
    }

    /// Returns the bytes of one register of a constant vector.
    pub fn chunk_bytes(shape: RegShape, lanes: &[u64], chunk: usize) -> Vec<u8> {
        let bytes = shape.bits as usize / 8;
        let mut all = Vec::with_capacity(shape.size.bytes() as usize);
        for lane in 0..shape.lanes {
            let value = lanes.get(chunk * shape.lanes + lane).copied().unwrap_or(0);
            all.extend_from_slice(&value.to_le_bytes()[..bytes]);
        }
        all.resize(shape.size.bytes() as usize, 0);
        all
    }

    pub fn lanes_constant(&mut self, shape: RegShape, lanes: &[u64], chunk: usize) -> VReg {
        let chunk_lanes =
            &lanes[(chunk * shape.lanes).min(lanes.len())..lanes.len().min((chunk + 1) * shape.lanes)];
        if chunk_lanes.iter().all(|lane| *lane == chunk_lanes[0]) {
            return self.splat_constant(shape.size, shape.bits, chunk_lanes[0]);
        }
        let bytes = Self::chunk_bytes(shape, lanes, chunk);
        self.note_size(shape.size);
        let constant = self.code.pool.add(bytes);
        self.vector1(VecOp::Vmovdqu, shape.size, Amode::pool(constant))
    }

    /// Returns a constant in all lanes of `bits` bits as the last source of `vec_op`.
    pub fn constant_source(&mut self, vec_op: VecOp, size: Size, bits: u32, value: u64) -> Src {
        let pattern = repeat(value, bits);
        if pattern == 0 || pattern == u64::MAX {
            return Src::Reg(self.splat_constant(size, bits, value));
        }
        self.note_size(size);
        let element = vec_op.form().broadcast_bits;
        let fits = element != 0 && pattern == repeat(pattern, element.into());
        if self.target.avx512 && fits {
            let bytes = pattern.to_le_bytes()[..usize::from(element) / 8].to_vec();
            return Src::Broadcast(Amode::pool(self.code.pool.add(bytes)));
        }
        let bytes = pattern.to_le_bytes().repeat(size.bytes() as usize / 8);
        Src::Mem(Amode::pool(self.code.pool.add(bytes)))
    }
}

/// Repeats a lane of `bits` bits.
fn repeat(value: u64, bits: u32) -> u64 {
    match bits {
        8 => (value & 0xff) * 0x0101_0101_0101_0101,
        16 => (value & 0xffff) * 0x0001_0001_0001_0001,
        32 => (value & 0xffff_ffff) * 0x0000_0001_0000_0001,
        _ => value,
    }
}
