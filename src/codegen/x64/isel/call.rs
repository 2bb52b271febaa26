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
use super::mask::CANONICAL;
use super::{Lower, Lowered, RegShape, ValueRegs, one};
use crate::ir::{Inst, Kind, Type, Value};
use crate::rtlib;
use crate::support::Id;

/// Number of vector registers for arguments.
const VECTORS: usize = 8;

/// Bytes of a segment that is a vector.
const WHOLE: u32 = 16;

/// Location in which a segment is passed.
#[derive(Clone, Copy)]
enum PieceLocation {
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
    fn next(&mut self, class: RegClass, bytes: u32) -> PieceLocation {
        let number = match class {
            RegClass::Int => {
                self.general += 1;
                ARGUMENTS.get(self.general - 1).map(|&number| usize::from(number))
            }
            _ => {
                self.vector += 1;
                (self.vector <= VECTORS).then(|| self.vector - 1)
            }
        };
        if let Some(number) = number {
            return PieceLocation::Register(PReg::new(number, class));
        }
        let at = self.stack.next_multiple_of(bytes);
        self.stack = at + bytes;
        PieceLocation::Stack(at)
    }
}

/// Segments in which a value is passed.
#[derive(Clone, Copy)]
struct Crossing {
    class: RegClass,
    /// Bytes of a segment on the stack.
    bytes: u32,
    count: usize,
}

/// Returns the type as which a value is passed. A mask becomes lanes of -1 and 0, or bytes of 1 and 0 if its lanes do
/// not fill 128 bits.
fn carried(ty: Type) -> Type {
    match ty.lanes {
        _ if !ty.is_mask() => ty,
        2 => ty.with_kind(Kind::I64),
        lanes if lanes.is_multiple_of(4) => ty.with_kind(Kind::I32),
        _ => ty.with_kind(Kind::I8),
    }
}

fn crossing(ty: Type) -> Crossing {
    let ty = carried(ty);
    let bytes = ty.bytes();
    if ty.is_vector() && bytes.is_multiple_of(WHOLE) && !ty.kind.is_ptr() {
        return Crossing { class: RegClass::Float, bytes: WHOLE, count: (bytes / WHOLE) as usize };
    }
    // A half is passed as an integer with its bits.
    let is_float = ty.kind.is_float() && ty.kind != Kind::F16;
    let class = if is_float { RegClass::Float } else { RegClass::Int };
    Crossing { class, bytes: 8, count: usize::from(ty.lanes) }
}

/// Checks whether a result is returned through memory.
fn is_by_address(ty: Type) -> bool {
    ty != Type::VOID && crossing(ty).count > 1
}

/// Segment of an argument, and its bytes on the stack.
type ArgPiece = (VReg, u32);

impl Lower<'_> {
    /// Emits the reception of the function's parameters that have uses.
    pub fn entry(&mut self) -> Lowered<()> {
        let source = self.source;
        let mut arguments = Arguments::default();
        let mut build = InstBuilder::of(InstKind::Nothing);
        let mut loads = Vec::new();
        let mut wanted = Vec::new();
        for &param in source.params() {
            let Crossing { class, bytes, count } = crossing(source.ty(param));
            let is_wanted = self.place_of(param).is_some();
            let mut pieces = ValueRegs::new();
            for _ in 0..count {
                let place = arguments.next(class, bytes);
                if !is_wanted {
                    continue;
                }
                let piece = self.code.vreg(class);
                pieces.push(piece);
                match place {
                    PieceLocation::Register(register) => build = build.fixed_def(piece, register),
                    PieceLocation::Stack(at) => {
                        loads.push(Self::load_piece_of(piece, bytes, Amode::incoming(at)))
                    }
                }
            }
            if is_wanted {
                wanted.push((param, pieces));
            }
        }
        if let Some(address) = self.result_address {
            match arguments.next(RegClass::Int, 8) {
                PieceLocation::Register(register) => build = build.fixed_def(address, register),
                PieceLocation::Stack(at) => loads.push(Self::load_piece_of(address, 8, Amode::incoming(at))),
            }
        }
        self.made.push(build);
        self.made.extend(loads);
        for (param, pieces) in wanted {
            let parts = self.value_of_pieces(source.ty(param), &pieces)?;
            self.bind(param, &parts)?;
        }
        Ok(())
    }

    /// Reserves the register of the address of the result, if that is returned through memory.
    pub fn make_result_address(&mut self) {
        if is_by_address(self.source.ret) {
            self.result_address = Some(self.general());
        }
    }

    fn load_piece_of(piece: VReg, bytes: u32, from: Amode) -> InstBuilder {
        match (piece.class(), bytes) {
            (RegClass::Int, _) => InstBuilder::code(Encoding::Mov_r64_rm64).def(piece).mem(from),
            (_, WHOLE) => InstBuilder::row(VecOp::Vmovdqu, Size::X).def(piece).mem(from),
            _ => InstBuilder::row(VecOp::Vmovq, Size::X).def(piece).mem(from),
        }
    }

    fn store_piece_of(piece: VReg, bytes: u32, to: Amode) -> InstBuilder {
        match (piece.class(), bytes) {
            (RegClass::Int, _) => InstBuilder::code(Encoding::Mov_rm64_r64).mem(to).read(piece),
            (_, WHOLE) => InstBuilder::row(VecOp::Vmovdqus, Size::X).mem(to).read(piece),
            _ => InstBuilder::row(VecOp::Vmovqs, Size::X).mem(to).read(piece),
        }
    }

    /// Lowers a return.
    pub fn ret(&mut self, inst: &Inst) -> Lowered<()> {
        let mut build = InstBuilder::of(InstKind::Return);
        if let Some(&value) = inst.args.first() {
            let ty = self.source.ty(value);
            if let Some(address) = self.result_address {
                let (parts, shape) = self.carried_parts(value)?;
                self.store_vector(&parts, shape, carried(ty).bytes(), Amode::at(address));
            } else {
                let mut pieces = Vec::new();
                self.pieces_of_value(value, &mut pieces)?;
                for (piece, _) in pieces {
                    build = build.fixed_read(piece, PReg::new(0, piece.class()));
                }
            }
        }
        self.made.push(build);
        Ok(())
    }

    /// Lowers a call of another function of the module.
    pub fn call(&mut self, inst: &Inst) -> Lowered<ValueRegs> {
        let mut pieces = Vec::new();
        for &arg in &inst.args {
            self.pieces_of_value(arg, &mut pieces)?;
        }
        let ty = inst.ty;
        let build = InstBuilder::of(InstKind::CallFunction(inst.callee().index() as u32));
        if !is_by_address(ty) {
            return self.finish_call(build, &pieces, ty);
        }
        let bytes = carried(ty).bytes();
        let result = self.slot(bytes, WHOLE);
        let address = self.lea(Amode::frame(result, 0));
        pieces.push((address, 8));
        self.finish_call(build, &pieces, Type::VOID)?;
        let shape = self.shape_of(carried(ty))?;
        let parts = self.load_vector(shape, bytes, Amode::frame(result, 0));
        self.value_of_carried(ty, parts)
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
        self.made.push(
            InstBuilder::code(Encoding::Mov_r64_imm64)
                .def_as(address, View::Quad)
                .imm(OpKind::Immediate64, declaration.address as i64),
        );
        // `rax` holds no argument.
        let build = InstBuilder::of(InstKind::CallAddress).fixed_read(address, RAX);
        let pieces: Vec<ArgPiece> = args.iter().map(|&arg| (arg, 8)).collect();
        let ty = if declaration.result == Kind::Void { Type::VOID } else { Type::scalar(declaration.result) };
        self.finish_call(build, &pieces, ty)
    }

    /// Passes the arguments, emits the call, and receives a result of one segment.
    fn finish_call(&mut self, mut build: InstBuilder, pieces: &[ArgPiece], ty: Type) -> Lowered<ValueRegs> {
        build.inst.is_call = true;
        let mut arguments = Arguments::default();
        for &(piece, bytes) in pieces {
            match arguments.next(piece.class(), bytes) {
                PieceLocation::Register(register) => build = build.fixed_read(piece, register),
                PieceLocation::Stack(at) => {
                    self.made.push(Self::store_piece_of(piece, bytes, Amode::outgoing(at)));
                }
            }
        }
        self.code.outgoing = self.code.outgoing.max(arguments.stack);
        if ty == Type::VOID {
            self.made.push(build);
            return Ok(ValueRegs::new());
        }
        let class = crossing(ty).class;
        let result = self.code.vreg(class);
        self.made.push(build.fixed_def(result, PReg::new(0, class)));
        self.value_of_pieces(ty, &one(result))
    }

    /// Returns the registers of a value as it is passed.
    fn carried_parts(&mut self, value: Value) -> Lowered<(ValueRegs, RegShape)> {
        let ty = self.source.ty(value);
        let shape = self.shape_of(carried(ty))?;
        let parts = match carried(ty).kind {
            _ if !ty.is_mask() => self.parts(value)?,
            Kind::I8 => self.truths_of_mask(value)?,
            kind => self.lanes_of(value, kind.bits())?,
        };
        Ok((parts, shape))
    }

    fn pieces_of_value(&mut self, value: Value, pieces: &mut Vec<ArgPiece>) -> Lowered<()> {
        let ty = self.source.ty(value);
        let Crossing { bytes, .. } = crossing(ty);
        if !ty.is_vector() {
            let scalar = self.scalar(value)?;
            pieces.push((if ty.kind == Kind::F16 { self.half_bits(scalar) } else { scalar }, bytes));
            return Ok(());
        }
        let (parts, shape) = self.carried_parts(value)?;
        let ty = carried(ty);
        if bytes == WHOLE {
            let cut = self.pieces(&parts, shape, (WHOLE * 8 / shape.bits) as usize);
            pieces.extend(cut.into_iter().map(|piece| (piece, bytes)));
            return Ok(());
        }
        for lane in 0..usize::from(ty.lanes) {
            let lane = self.extract_lane(ty, &parts, lane)?;
            pieces.push((if ty.kind == Kind::F16 { self.half_bits(lane) } else { lane }, bytes));
        }
        Ok(())
    }

    fn value_of_pieces(&mut self, ty: Type, pieces: &ValueRegs) -> Lowered<ValueRegs> {
        if !ty.is_vector() {
            return Ok(one(if ty.kind == Kind::F16 { self.half_of_bits(pieces[0]) } else { pieces[0] }));
        }
        let lies = carried(ty);
        let parts = if crossing(ty).bytes == WHOLE {
            let shape = self.shape_of(lies)?;
            let lanes = (WHOLE * 8 / shape.bits) as usize;
            self.join(pieces, RegShape { size: Size::X, lanes, ..shape }, shape)
        } else {
            self.build_vector(lies, pieces)?
        };
        self.value_of_carried(ty, parts)
    }

    fn value_of_carried(&mut self, ty: Type, parts: ValueRegs) -> Lowered<ValueRegs> {
        if !ty.is_mask() {
            return Ok(parts);
        }
        let bits = carried(ty).kind.bits();
        let shape = self.shape_of(carried(ty))?;
        let mask = self.lowest_bits(ty.lanes, shape, &parts);
        self.reform(mask, ty.lanes, bits, CANONICAL)
    }
}
