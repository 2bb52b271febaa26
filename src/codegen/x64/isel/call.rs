//! Calls and parameters. Values are passed as Cranelift's code passes them (`clif::translate`), since code of either
//! backend may call the other: by the C calling convention (System V ABI for x86-64, section 3.2.3). A vector is passed
//! in segments of 128 bits if its lanes fill them, else as a scalar for each lane; a half is passed as an integer.
//! Segments without a register are passed on the stack. A result of several segments is returned through memory, whose
//! address is the last argument.

use iced_x86::{Code as Encoding, OpKind};
use regalloc2::{PReg, RegClass, VReg};

use super::super::inst::{Amode, InstBuilder, InstKind, View};
use super::super::vcode::{ARGUMENTS, RAX};
use super::super::vec_ops::{Size, VecOp};
use super::mask::CANONICAL_MASK_BITS;
use super::{Lower, Lowered, RegShape, ValueRegs, one};
use crate::rtlib;
use grus_ir::{Inst, Kind, Type, Value};
use grus_support::Id;

/// Number of vector registers for arguments.
// Source: System V ABI for AMD64, 3.2.3: xmm0 to xmm7.
const MAX_VECTOR_ARGUMENTS: usize = 8;

/// Bytes of a segment that is a vector.
const VECTOR_BYTES: u32 = 16;

/// Location in which a segment is passed.
#[derive(Clone, Copy)]
enum SegmentLocation {
    Register(PReg),
    /// Offset from the stack pointer at the call.
    Stack(u32),
}

/// Registers and bytes of the stack that are taken by previous arguments.
#[derive(Default)]
struct Arguments {
    general: usize,
    vector: usize,
    stack: u32,
}

impl Arguments {
    fn next(&mut self, class: RegClass, bytes: u32) -> SegmentLocation {
        let number = match class {
            RegClass::Int => {
                self.general += 1;
                ARGUMENTS.get(self.general - 1).map(|&number| usize::from(number))
            }
            _ => {
                self.vector += 1;
                (self.vector <= MAX_VECTOR_ARGUMENTS).then(|| self.vector - 1)
            }
        };
        if let Some(number) = number {
            return SegmentLocation::Register(PReg::new(number, class));
        }
        let at = self.stack.next_multiple_of(bytes);
        self.stack = at + bytes;
        SegmentLocation::Stack(at)
    }
}

/// Segments in which a value is passed.
#[derive(Clone, Copy)]
struct Passing {
    class: RegClass,
    /// Bytes of a segment on the stack.
    bytes: u32,
    count: usize,
}

/// Returns the type as which a value is passed. A mask becomes lanes of -1 and 0, or bytes of 1 and 0 if its lanes do
/// not fill 128 bits.
fn passed_type(ty: Type) -> Type {
    match ty.lanes {
        _ if !ty.is_mask() => ty,
        2 => ty.with_kind(Kind::I64),
        lanes if lanes.is_multiple_of(4) => ty.with_kind(Kind::I32),
        _ => ty.with_kind(Kind::I8),
    }
}

fn passing(ty: Type) -> Passing {
    let ty = passed_type(ty);
    let bytes = ty.bytes();
    if ty.is_vector() && bytes.is_multiple_of(VECTOR_BYTES) && !ty.kind.is_ptr() {
        return Passing {
            class: RegClass::Float,
            bytes: VECTOR_BYTES,
            count: (bytes / VECTOR_BYTES) as usize,
        };
    }
    // A half is passed as an integer with its bits.
    let is_float = ty.kind.is_float() && ty.kind != Kind::F16;
    let class = if is_float { RegClass::Float } else { RegClass::Int };
    Passing { class, bytes: 8, count: usize::from(ty.lanes) }
}

/// Checks whether a result is returned through memory.
fn is_by_address(ty: Type) -> bool {
    ty != Type::VOID && passing(ty).count > 1
}

/// Segment of an argument, and its bytes on the stack.
type ArgSegment = (VReg, u32);

impl Lower<'_> {
    /// Emits the reception of the function's parameters that have uses.
    pub fn entry(&mut self) -> Lowered<()> {
        let source = self.source;
        let mut arguments = Arguments::default();
        let mut build = InstBuilder::new(InstKind::NoCode);
        let mut loads = Vec::new();
        let mut requested = Vec::new();
        for &param in source.params() {
            let Passing { class, bytes, count } = passing(source.ty(param));
            let is_requested = self.first_reg(param).is_some();
            let mut segments = ValueRegs::new();
            for _ in 0..count {
                let location = arguments.next(class, bytes);
                if !is_requested {
                    continue;
                }
                let segment = self.code.vreg(class);
                segments.push(segment);
                match location {
                    SegmentLocation::Register(register) => build = build.fixed_def(segment, register),
                    SegmentLocation::Stack(at) => {
                        loads.push(Self::load_abi_segment(segment, bytes, Amode::incoming(at)))
                    }
                }
            }
            if is_requested {
                requested.push((param, segments));
            }
        }
        if let Some(address) = self.result_address {
            match arguments.next(RegClass::Int, 8) {
                SegmentLocation::Register(register) => build = build.fixed_def(address, register),
                SegmentLocation::Stack(at) => {
                    loads.push(Self::load_abi_segment(address, 8, Amode::incoming(at)))
                }
            }
        }
        self.emitted.push(build);
        self.emitted.extend(loads);
        for (param, segments) in requested {
            let regs = self.value_of_segments(source.ty(param), &segments)?;
            self.bind(param, &regs)?;
        }
        Ok(())
    }

    /// Reserves the register of the address of the result, if that is returned through memory.
    pub fn make_result_address(&mut self) {
        if is_by_address(self.source.ret) {
            self.result_address = Some(self.general());
        }
    }

    fn load_abi_segment(segment: VReg, bytes: u32, from: Amode) -> InstBuilder {
        match (segment.class(), bytes) {
            (RegClass::Int, _) => InstBuilder::code(Encoding::Mov_r64_rm64).def(segment).mem(from),
            (_, VECTOR_BYTES) => InstBuilder::vec_op(VecOp::Vmovdqu, Size::X).def(segment).mem(from),
            _ => InstBuilder::vec_op(VecOp::Vmovq, Size::X).def(segment).mem(from),
        }
    }

    fn store_abi_segment(segment: VReg, bytes: u32, to: Amode) -> InstBuilder {
        match (segment.class(), bytes) {
            (RegClass::Int, _) => InstBuilder::code(Encoding::Mov_rm64_r64).mem(to).read(segment),
            (_, VECTOR_BYTES) => InstBuilder::vec_op(VecOp::Vmovdqus, Size::X).mem(to).read(segment),
            _ => InstBuilder::vec_op(VecOp::Vmovqs, Size::X).mem(to).read(segment),
        }
    }

    /// Lowers a return.
    pub fn ret(&mut self, inst: &Inst) -> Lowered<()> {
        let mut build = InstBuilder::new(InstKind::Return);
        if let Some(&value) = inst.args.first() {
            let ty = self.source.ty(value);
            if let Some(address) = self.result_address {
                let (regs, shape) = self.passed_regs(value)?;
                self.store_vector(&regs, shape, passed_type(ty).bytes(), Amode::at(address));
            } else {
                let mut segments = Vec::new();
                self.segments_of_value(value, &mut segments)?;
                for (segment, _) in segments {
                    build = build.fixed_read(segment, PReg::new(0, segment.class()));
                }
            }
        }
        self.emitted.push(build);
        Ok(())
    }

    /// Lowers a call of another function of the module.
    pub fn call(&mut self, inst: &Inst) -> Lowered<ValueRegs> {
        let mut segments = Vec::new();
        for &arg in &inst.args {
            self.segments_of_value(arg, &mut segments)?;
        }
        let ty = inst.ty;
        let build = InstBuilder::new(InstKind::CallFunction(inst.callee().index() as u32));
        if !is_by_address(ty) {
            return self.finish_call(build, &segments, ty);
        }
        let bytes = passed_type(ty).bytes();
        let result = self.slot(bytes, VECTOR_BYTES);
        let address = self.lea(Amode::frame(result, 0));
        segments.push((address, 8));
        self.finish_call(build, &segments, Type::VOID)?;
        let shape = self.shape_of(passed_type(ty))?;
        let regs = self.load_vector(shape, bytes, Amode::frame(result, 0));
        self.value_of_passed(ty, regs)
    }

    /// Calls a runtime function with scalar values as arguments.
    pub fn call_helper(&mut self, declaration: &rtlib::Declaration, args: &[Value]) -> Lowered<ValueRegs> {
        let mut registers = Vec::new();
        for &arg in args {
            registers.push(self.scalar(arg)?);
        }
        self.call_address(declaration, &registers)
    }

    /// Calls a runtime function with arguments in registers.
    pub fn call_address(&mut self, declaration: &rtlib::Declaration, args: &[VReg]) -> Lowered<ValueRegs> {
        let address = self.general();
        self.emitted.push(
            InstBuilder::code(Encoding::Mov_r64_imm64)
                .def_as(address, View::Qword)
                .imm(OpKind::Immediate64, declaration.address as i64),
        );
        // `rax` holds no argument.
        let build = InstBuilder::new(InstKind::CallAddress).fixed_read(address, RAX);
        let segments: Vec<ArgSegment> = args.iter().map(|&arg| (arg, 8)).collect();
        let ty = if declaration.result == Kind::Void { Type::VOID } else { Type::scalar(declaration.result) };
        self.finish_call(build, &segments, ty)
    }

    /// Passes the arguments, emits the call, and receives a result of one segment.
    fn finish_call(
        &mut self,
        mut build: InstBuilder,
        segments: &[ArgSegment],
        ty: Type,
    ) -> Lowered<ValueRegs> {
        build.inst.is_call = true;
        let mut arguments = Arguments::default();
        for &(segment, bytes) in segments {
            match arguments.next(segment.class(), bytes) {
                SegmentLocation::Register(register) => build = build.fixed_read(segment, register),
                SegmentLocation::Stack(at) => {
                    self.emitted.push(Self::store_abi_segment(segment, bytes, Amode::outgoing(at)));
                }
            }
        }
        self.code.outgoing = self.code.outgoing.max(arguments.stack);
        if ty == Type::VOID {
            self.emitted.push(build);
            return Ok(ValueRegs::new());
        }
        let class = passing(ty).class;
        let result = self.code.vreg(class);
        self.emitted.push(build.fixed_def(result, PReg::new(0, class)));
        self.value_of_segments(ty, &one(result))
    }

    /// Returns the registers of a value as it is passed.
    fn passed_regs(&mut self, value: Value) -> Lowered<(ValueRegs, RegShape)> {
        let ty = self.source.ty(value);
        let shape = self.shape_of(passed_type(ty))?;
        let regs = match passed_type(ty).kind {
            _ if !ty.is_mask() => self.value_regs(value)?,
            Kind::I8 => self.truths_of_mask(value)?,
            kind => self.lanes_of(value, kind.bits())?,
        };
        Ok((regs, shape))
    }

    fn segments_of_value(&mut self, value: Value, segments: &mut Vec<ArgSegment>) -> Lowered<()> {
        let ty = self.source.ty(value);
        let Passing { bytes, .. } = passing(ty);
        if !ty.is_vector() {
            let scalar = self.scalar(value)?;
            segments.push((if ty.kind == Kind::F16 { self.half_bits(scalar) } else { scalar }, bytes));
            return Ok(());
        }
        let (regs, shape) = self.passed_regs(value)?;
        let ty = passed_type(ty);
        if bytes == VECTOR_BYTES {
            let split = self.split_regs(&regs, shape, (VECTOR_BYTES * 8 / shape.bits) as usize);
            segments.extend(split.into_iter().map(|segment| (segment, bytes)));
            return Ok(());
        }
        for lane in 0..usize::from(ty.lanes) {
            let lane = self.extract_lane(ty, &regs, lane)?;
            segments.push((if ty.kind == Kind::F16 { self.half_bits(lane) } else { lane }, bytes));
        }
        Ok(())
    }

    fn value_of_segments(&mut self, ty: Type, segments: &ValueRegs) -> Lowered<ValueRegs> {
        if !ty.is_vector() {
            return Ok(one(if ty.kind == Kind::F16 { self.half_of_bits(segments[0]) } else { segments[0] }));
        }
        let passed = passed_type(ty);
        let regs = if passing(ty).bytes == VECTOR_BYTES {
            let shape = self.shape_of(passed)?;
            let lanes = (VECTOR_BYTES * 8 / shape.bits) as usize;
            self.join_regs(segments, RegShape { size: Size::X, lanes, ..shape }, shape)
        } else {
            self.build_vector(passed, segments)?
        };
        self.value_of_passed(ty, regs)
    }

    fn value_of_passed(&mut self, ty: Type, regs: ValueRegs) -> Lowered<ValueRegs> {
        if !ty.is_mask() {
            return Ok(regs);
        }
        let bits = passed_type(ty).kind.bits();
        let shape = self.shape_of(passed_type(ty))?;
        let mask = self.lowest_bits(ty.lanes, shape, &regs);
        self.convert_mask(mask, ty.lanes, bits, CANONICAL_MASK_BITS)
    }
}
