//! Values across calls, as Cranelift's code has them cross (`clif::translate`), since either may call the other: by the
//! calling convention of C (System V ABI for x86-64, section 3.2.3). A vector is 128 bits for 128 bits where lanes fill
//! them, else a scalar for each lane; halves are bits. What finds no register lies on the stack. A result of several pieces
//! goes through memory, of which the address comes last.

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

/// Registers of arguments that are vectors or floats.
const VECTORS: usize = 8;

/// Bytes of a piece that is a vector.
const WHOLE: u32 = 16;

/// Where a piece is while control passes.
#[derive(Clone, Copy)]
enum PieceLocation {
    Register(PReg),
    /// So far behind where the stack pointer is.
    Stack(u32),
}

/// How far arguments have taken registers and stack.
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

/// The pieces of a value.
#[derive(Clone, Copy)]
struct Crossing {
    class: RegClass,
    /// What each takes on the stack.
    bytes: u32,
    count: usize,
}

/// What crosses for a value of a type: for a mask, lanes of -1 and 0, or of 1 and 0 where they fill no register.
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
    // The bits of a half are an integer here.
    let is_float = ty.kind.is_float() && ty.kind != Kind::F16;
    let class = if is_float { RegClass::Float } else { RegClass::Int };
    Crossing { class, bytes: 8, count: usize::from(ty.lanes) }
}

/// Whether a result goes through memory.
fn is_by_address(ty: Type) -> bool {
    ty != Type::VOID && crossing(ty).count > 1
}

/// A piece of an argument, and what it takes on the stack.
type ArgPiece = (VReg, u32);

impl Lower<'_> {
    /// Parameters of the function that somebody asked for.
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

    /// The register that will hold the address of the result, if it goes through memory.
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

    /// Hands a result over.
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

    /// Calls a function of the group code.
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

    /// Calls a runtime function by its address.
    pub fn call_helper(&mut self, declaration: &rtlib::Declaration, args: &[Value]) -> Lowered<ValueRegs> {
        let mut registers = Vec::new();
        for &arg in args {
            registers.push(self.scalar(arg)?);
        }
        self.call_address(declaration, &registers)
    }

    /// The same with arguments that are in registers.
    pub fn call_address(&mut self, declaration: &rtlib::Declaration, args: &[VReg]) -> Lowered<ValueRegs> {
        let address = self.general();
        self.made.push(
            InstBuilder::code(Encoding::Mov_r64_imm64)
                .def_as(address, View::Quad)
                .imm(OpKind::Immediate64, declaration.address as i64),
        );
        // No argument is there.
        let build = InstBuilder::of(InstKind::CallAddress).fixed_read(address, RAX);
        let pieces: Vec<ArgPiece> = args.iter().map(|&arg| (arg, 8)).collect();
        let ty = if declaration.result == Kind::Void { Type::VOID } else { Type::scalar(declaration.result) };
        self.finish_call(build, &pieces, ty)
    }

    /// Puts arguments in place, calls, and takes a result of one piece.
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

    /// A value as it crosses, in registers as vectors lie in.
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
