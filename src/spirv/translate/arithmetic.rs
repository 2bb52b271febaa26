//! Instructions that compute with numbers and bools: arithmetic, bits, comparisons, conversions. Each becomes one
//! op of the IR or a few. Specialization constants are computed by the same code.

use grus_ir::{Attr, Builder, FloatCond, IntCond, Kind, NoWrap, Op, Type, Value};

use crate::error::Fault;
use crate::grammar::Opcode;

type Result<T> = std::result::Result<T, Fault>;

/// Emits an instruction whose operands and result are scalars or vectors; returns its result of type `ty`.
///
/// # Errors
/// If the operands do not fit, or the instruction is none of this kind.
pub(crate) fn op(b: &mut Builder, opcode: Opcode, ty: Type, args: &[Value]) -> Result<Value> {
    if let Some((op, count)) = plain(opcode) {
        check(b, args, count, ty)?;
        let better = match op {
            Op::And => zero_extension(b, args[0], args[1]),
            Op::Or => disjoint_sum(b, args),
            _ => None,
        };
        return Ok(better.unwrap_or_else(|| b.same(op, args)));
    }
    if let Some(cond) = int_cond(opcode) {
        let of = alike(b, args, |kind| !kind.is_float() && kind != Kind::I1)?;
        of_type(ty, of.compared())?;
        return Ok(b.icmp(cond, args[0], args[1]));
    }
    if let Some(cond) = float_cond(opcode) {
        let of = alike(b, args, Kind::is_float)?;
        of_type(ty, of.compared())?;
        return Ok(b.fcmp(cond, args[0], args[1]));
    }
    match opcode {
        Opcode::IsNan | Opcode::IsInf | Opcode::IsFinite | Opcode::IsNormal | Opcode::SignBitSet => {
            classify(b, opcode, ty, args)
        }
        Opcode::LogicalEqual
        | Opcode::LogicalNotEqual
        | Opcode::LogicalOr
        | Opcode::LogicalAnd
        | Opcode::LogicalNot => logical(b, opcode, ty, args),
        Opcode::Any | Opcode::All => reduce(b, opcode, ty, args),
        Opcode::Select => select(b, ty, args),
        Opcode::ShiftLeftLogical | Opcode::ShiftRightLogical | Opcode::ShiftRightArithmetic => {
            shift(b, opcode, ty, args)
        }
        Opcode::BitCount => count_bits(b, ty, args),
        Opcode::SMod => {
            check(b, args, 2, ty)?;
            Ok(signed_modulo(b, args))
        }
        Opcode::Not => {
            check(b, args, 1, ty)?;
            let ones = b.iconst(ty, u64::MAX);
            Ok(b.same(Op::Xor, &[args[0], ones]))
        }
        Opcode::SNegate => {
            check(b, args, 1, ty)?;
            let zero = b.zero(ty);
            Ok(b.same(Op::Isub, &[zero, args[0]]))
        }
        Opcode::VectorTimesScalar => {
            let [vector, scalar] = *args else { return Err(operands(2)) };
            of_type(b.func.ty(vector), ty)?;
            of_type(b.func.ty(scalar), ty.lane())?;
            let splat = b.splat(ty, scalar);
            Ok(b.same(Op::Fmul, &[vector, splat]))
        }
        _ => convert(b, opcode, ty, args),
    }
}

/// Returns the op of an instruction that is one op, and the number of its operands.
fn plain(opcode: Opcode) -> Option<(Op, usize)> {
    Some(match opcode {
        Opcode::IAdd => (Op::Iadd, 2),
        Opcode::ISub => (Op::Isub, 2),
        Opcode::IMul => (Op::Imul, 2),
        Opcode::UDiv => (Op::Udiv, 2),
        Opcode::SDiv => (Op::Sdiv, 2),
        Opcode::UMod => (Op::Urem, 2),
        Opcode::SRem => (Op::Srem, 2),
        Opcode::BitwiseOr => (Op::Or, 2),
        Opcode::BitwiseXor => (Op::Xor, 2),
        Opcode::BitwiseAnd => (Op::And, 2),
        Opcode::FAdd => (Op::Fadd, 2),
        Opcode::FSub => (Op::Fsub, 2),
        Opcode::FMul => (Op::Fmul, 2),
        Opcode::FDiv => (Op::Fdiv, 2),
        Opcode::FNegate => (Op::Fneg, 1),
        _ => return None,
    })
}

fn int_cond(opcode: Opcode) -> Option<IntCond> {
    Some(match opcode {
        Opcode::IEqual | Opcode::PtrEqual => IntCond::Eq,
        Opcode::INotEqual | Opcode::PtrNotEqual => IntCond::Ne,
        Opcode::UGreaterThan => IntCond::Ugt,
        Opcode::SGreaterThan => IntCond::Sgt,
        Opcode::UGreaterThanEqual => IntCond::Uge,
        Opcode::SGreaterThanEqual => IntCond::Sge,
        Opcode::ULessThan => IntCond::Ult,
        Opcode::SLessThan => IntCond::Slt,
        Opcode::ULessThanEqual => IntCond::Ule,
        Opcode::SLessThanEqual => IntCond::Sle,
        _ => return None,
    })
}

fn float_cond(opcode: Opcode) -> Option<FloatCond> {
    Some(match opcode {
        Opcode::FOrdEqual => FloatCond::Oeq,
        Opcode::FUnordEqual => FloatCond::Ueq,
        Opcode::FOrdNotEqual | Opcode::LessOrGreater => FloatCond::One,
        Opcode::FUnordNotEqual => FloatCond::Une,
        Opcode::FOrdLessThan => FloatCond::Olt,
        Opcode::FUnordLessThan => FloatCond::Ult,
        Opcode::FOrdGreaterThan => FloatCond::Ogt,
        Opcode::FUnordGreaterThan => FloatCond::Ugt,
        Opcode::FOrdLessThanEqual => FloatCond::Ole,
        Opcode::FUnordLessThanEqual => FloatCond::Ule,
        Opcode::FOrdGreaterThanEqual => FloatCond::Oge,
        Opcode::FUnordGreaterThanEqual => FloatCond::Uge,
        Opcode::Ordered => FloatCond::Ord,
        Opcode::Unordered => FloatCond::Uno,
        _ => return None,
    })
}

fn operands(count: usize) -> Fault {
    Fault::new(format!("{count} operands are wanted"))
}

/// Checks that two types are equal.
fn of_type(found: Type, wanted: Type) -> Result<()> {
    if found == wanted {
        Ok(())
    } else {
        Err(Fault::new(format!("{found} is found where {wanted} is wanted")))
    }
}

/// Checks that the operands are so many of the result's type, which suits the op.
fn check(b: &Builder, args: &[Value], count: usize, ty: Type) -> Result<()> {
    if args.len() != count {
        return Err(operands(count));
    }
    args.iter().try_for_each(|&arg| of_type(b.func.ty(arg), ty))
}

/// Checks that all operands are of one type of a suitable kind; returns it.
fn alike(b: &Builder, args: &[Value], suits: impl Fn(Kind) -> bool) -> Result<Type> {
    let [first, second] = *args else { return Err(operands(2)) };
    let ty = b.func.ty(first);
    of_type(b.func.ty(second), ty)?;
    if suits(ty.kind) { Ok(ty) } else { Err(Fault::new(format!("{ty} does not suit the instruction"))) }
}

fn classify(b: &mut Builder, opcode: Opcode, ty: Type, args: &[Value]) -> Result<Value> {
    let [value] = *args else { return Err(operands(1)) };
    let of = b.func.ty(value);
    if !of.kind.is_float() {
        return Err(Fault::new("a float is wanted"));
    }
    of_type(ty, of.compared())?;
    let bits = b.value(Op::Bitcast, of.bits_type(), &[value], Attr::None);
    let (infinity, smallest): (u64, u64) = match of.kind {
        Kind::F16 => (0x7c00, 0x400),
        Kind::F32 => (0x7f80_0000, 0x80_0000),
        _ => (0x7ff0_0000_0000_0000, 0x10_0000_0000_0000),
    };
    // By the bits, so that denormals are told from zero in any mode of the machine.
    let mask = b.iconst(of.bits_type(), u64::MAX >> (65 - of.kind.bits()));
    let magnitude = b.same(Op::And, &[bits, mask]);
    let infinity = b.iconst(of.bits_type(), infinity);
    Ok(match opcode {
        Opcode::IsNan => b.fcmp(FloatCond::Uno, value, value),
        Opcode::IsInf => b.icmp(IntCond::Eq, magnitude, infinity),
        Opcode::IsFinite => b.icmp(IntCond::Ult, magnitude, infinity),
        Opcode::IsNormal => {
            let smallest = b.iconst(of.bits_type(), smallest);
            let above = b.same(Op::Isub, &[magnitude, smallest]);
            let range = b.same(Op::Isub, &[infinity, smallest]);
            b.icmp(IntCond::Ult, above, range)
        }
        _ => b.sign_mask(bits),
    })
}

fn logical(b: &mut Builder, opcode: Opcode, ty: Type, args: &[Value]) -> Result<Value> {
    check(b, args, if opcode == Opcode::LogicalNot { 1 } else { 2 }, ty)?;
    if ty.kind != Kind::I1 {
        return Err(Fault::new("bools are wanted"));
    }
    Ok(match opcode {
        Opcode::LogicalOr => b.same(Op::Or, args),
        Opcode::LogicalAnd => b.same(Op::And, args),
        Opcode::LogicalNotEqual => b.same(Op::Xor, args),
        Opcode::LogicalNot => not(b, args[0]),
        _ => {
            let differ = b.same(Op::Xor, args);
            not(b, differ)
        }
    })
}

/// Emits the negation of a bool or of each lane of a mask.
pub(crate) fn not(b: &mut Builder, value: Value) -> Value {
    let ty = b.func.ty(value);
    let ones = b.iconst(ty, 1);
    b.same(Op::Xor, &[value, ones])
}

/// Emits OpAny or OpAll. Producers also apply it to integers, of which the sign bits count.
fn reduce(b: &mut Builder, opcode: Opcode, ty: Type, args: &[Value]) -> Result<Value> {
    let [vector] = *args else { return Err(operands(1)) };
    of_type(ty, Type::I1)?;
    let of = b.func.ty(vector);
    let mask = match of.kind {
        Kind::I1 => vector,
        kind if kind.is_int() => b.sign_mask(vector),
        _ => return Err(Fault::new("bools are wanted")),
    };
    if !of.is_vector() {
        return Ok(mask);
    }
    let op = if opcode == Opcode::Any { Op::Any } else { Op::All };
    Ok(b.value(op, Type::I1, &[mask], Attr::None))
}

/// Emits a selection; the condition is a bool or one for each lane.
pub(crate) fn select(b: &mut Builder, ty: Type, args: &[Value]) -> Result<Value> {
    let [cond, yes, no] = *args else { return Err(operands(3)) };
    of_type(b.func.ty(yes), ty)?;
    of_type(b.func.ty(no), ty)?;
    let of = b.func.ty(cond);
    if of != Type::I1 && of != ty.compared() {
        return Err(Fault::new("the condition is no bool, nor one for each component"));
    }
    if ty.kind != Kind::I1 || !ty.is_vector() {
        return Ok(b.select(cond, yes, no));
    }
    let cond = if of == ty { cond } else { b.splat(ty, cond) };
    let yes = b.same(Op::And, &[cond, yes]);
    let other = not(b, cond);
    let no = b.same(Op::And, &[other, no]);
    Ok(b.same(Op::Or, &[yes, no]))
}

/// Emits a shift, whose count may have another width than the value.
fn shift(b: &mut Builder, opcode: Opcode, ty: Type, args: &[Value]) -> Result<Value> {
    let [value, count] = *args else { return Err(operands(2)) };
    of_type(b.func.ty(value), ty)?;
    let of = b.func.ty(count);
    if !ty.kind.is_int() || !of.kind.is_int() || of.lanes != ty.lanes {
        return Err(Fault::new("integers of as many components are wanted"));
    }
    let op = match opcode {
        Opcode::ShiftLeftLogical => Op::Shl,
        Opcode::ShiftRightLogical => Op::Lshr,
        _ => Op::Ashr,
    };
    let count = resize(b, Op::Zext, ty, count);
    if opcode == Opcode::ShiftRightArithmetic
        && let Some(value) = sign_extension(b, value, count)
    {
        return Ok(value);
    }
    Ok(b.same(op, &[value, count]))
}

/// Emits the extension of the lower bits of a word, instead of shifts to the left and back by which LLVM writes it.
/// The shift back may be by less, which multiplies the extended number.
fn sign_extension(b: &mut Builder, value: Value, count: Value) -> Option<Value> {
    let ty = b.func.ty(value);
    let back = b.func.as_const_of_lanes(count)?;
    // A constant may have been added to the lower bits while they were above.
    let (shifted, added) = match b.func.def_inst(value) {
        Some(def) if def.op == Op::Iadd => (def.args[0], b.func.as_const_of_lanes(def.args[1])?),
        _ => (value, 0),
    };
    let (source, up) = shifted_left(b, shifted)?;
    let left = u64::from(ty.kind.bits()).checked_sub(up).filter(|bits| matches!(bits, 8 | 16 | 32))?;
    let factor = up.checked_sub(back)?;
    if added.trailing_zeros() < up as u32 && added != 0 {
        return None;
    }
    let narrow_type = ty.with_kind(Kind::int_of_bits(left as u32));
    let mut narrow = b.convert(Op::Trunc, narrow_type, source);
    if added != 0 {
        let added = b.iconst(narrow_type, added >> up);
        narrow = b.same(Op::Iadd, &[narrow, added]);
    }
    let wide = b.convert(Op::Sext, ty, narrow);
    Some(scaled(b, wide, factor, NoWrap::SIGNED))
}

/// Emits the extension with zeros of the lower bits of a word, instead of a mask. The word may be shifted to the
/// left before, which multiplies the extended number.
fn zero_extension(b: &mut Builder, value: Value, mask: Value) -> Option<Value> {
    let ty = b.func.ty(value);
    let mask = b.func.as_const_of_lanes(mask).filter(|_| ty.kind == Kind::I64)?;
    let factor = u64::from(mask.trailing_zeros().min(63));
    if factor > 31 || mask >> factor != u64::from(u32::MAX) {
        return None;
    }
    let source = match factor {
        0 => value,
        _ => shifted_left(b, value).filter(|&(_, by)| by == factor)?.0,
    };
    let narrow = b.convert(Op::Trunc, ty.with_kind(Kind::I32), source);
    let wide = b.convert(Op::Zext, ty, narrow);
    Some(scaled(b, wide, factor, NoWrap { signed: true, unsigned: true }))
}

/// Returns the operand and the constant count if a value is shifted to the left.
fn shifted_left(b: &Builder, value: Value) -> Option<(Value, u64)> {
    let def = b.func.def_inst(value).filter(|def| def.op == Op::Shl)?;
    Some((def.args[0], b.func.as_const_of_lanes(def.args[1])?))
}

/// Emits the multiplication by a power of two that does not wrap.
fn scaled(b: &mut Builder, value: Value, log2: u64, no_wrap: NoWrap) -> Value {
    if log2 == 0 {
        return value;
    }
    let ty = b.func.ty(value);
    let count = b.iconst(ty, log2);
    b.value(Op::Shl, ty, &[value, count], no_wrap.attr())
}

/// Emits a sum instead of OpBitwiseOr if the operands have no bit in common: one is shifted to the left, the other a
/// constant of the bits that come in.
fn disjoint_sum(b: &mut Builder, args: &[Value]) -> Option<Value> {
    let [value, constant] = *args else { return None };
    let bits = b.func.as_const_of_lanes(constant)?;
    let (_, by) = shifted_left(b, value)?;
    let ty = b.func.ty(value);
    (by < 64 && bits >> by == 0)
        .then(|| b.value(Op::Iadd, ty, args, NoWrap { signed: true, unsigned: true }.attr()))
}

/// Emits the number of bits that are set. The result may have another width than the operand.
fn count_bits(b: &mut Builder, ty: Type, args: &[Value]) -> Result<Value> {
    let [value] = *args else { return Err(operands(1)) };
    let of = b.func.ty(value);
    let is_int = |kind: Kind| kind.is_int() && kind != Kind::I1;
    if !is_int(of.kind) || !is_int(ty.kind) || of.lanes != ty.lanes {
        return Err(Fault::new("integers of as many components are wanted"));
    }
    let count = b.same(Op::Popcnt, &[value]);
    Ok(resize(b, Op::Zext, ty, count))
}

/// Emits the change of an integer's width: `extend` (`zext` or `sext`), `trunc` or nothing.
pub(crate) fn resize(b: &mut Builder, extend: Op, ty: Type, value: Value) -> Value {
    let op = if b.func.ty(value).kind.bits() > ty.kind.bits() { Op::Trunc } else { extend };
    b.convert(op, ty, value)
}

/// Emits the remainder whose sign is the divisor's.
fn signed_modulo(b: &mut Builder, args: &[Value]) -> Value {
    let ty = b.func.ty(args[0]);
    let rest = b.same(Op::Srem, args);
    let zero = b.zero(ty);
    let signs = b.same(Op::Xor, &[rest, args[1]]);
    let differ = b.icmp(IntCond::Slt, signs, zero);
    let is_rest = b.icmp(IntCond::Ne, rest, zero);
    let wants = b.same(Op::And, &[differ, is_rest]);
    let sum = b.same(Op::Iadd, &[rest, args[1]]);
    b.select(wants, sum, rest)
}

/// Emits the number whose bits are bools, the first in the lowest bit.
fn bits_of_bools(b: &mut Builder, ty: Type, value: Value) -> Value {
    let word = Type::scalar(Kind::int_of_bits(ty.bits()));
    let bits = b.value(Op::Movemask, Type::I32, &[value], Attr::None);
    let bits = b.convert(Op::Trunc, word, bits);
    b.convert(Op::Bitcast, ty, bits)
}

/// Emits a bool for each of the lowest bits of an integer, the first for the lowest one.
pub(crate) fn bools_of_bits(b: &mut Builder, ty: Type, bits: Value) -> Value {
    let word = b.func.ty(bits);
    let each = word.with_lanes(ty.lanes);
    let all = b.splat(each, bits);
    let masks: Vec<Value> = (0..ty.lanes).map(|lane| b.iconst(word, 1 << lane)).collect();
    let masks = b.value(Op::BuildVector, each, &masks, Attr::None);
    let found = b.same(Op::And, &[all, masks]);
    let zero = b.zero(each);
    b.icmp(IntCond::Ne, found, zero)
}

fn convert(b: &mut Builder, opcode: Opcode, ty: Type, args: &[Value]) -> Result<Value> {
    let [value] = *args else { return Err(Fault::new("the device does not support this instruction")) };
    let from = b.func.ty(value);
    let suits = |from_suits: bool, to_suits: bool| {
        if from_suits && to_suits && from.lanes == ty.lanes {
            Ok(())
        } else {
            Err(Fault::new(format!("{from} cannot be converted to {ty} by this instruction")))
        }
    };
    let is_int = |kind: Kind| kind.is_int() && kind != Kind::I1;
    match opcode {
        Opcode::ConvertFToU | Opcode::ConvertFToS => {
            suits(from.kind.is_float(), is_int(ty.kind))?;
            let op = if opcode == Opcode::ConvertFToU { Op::Fptoui } else { Op::Fptosi };
            Ok(b.convert(op, ty, value))
        }
        Opcode::ConvertSToF | Opcode::ConvertUToF => {
            suits(is_int(from.kind), ty.kind.is_float())?;
            let op = if opcode == Opcode::ConvertUToF { Op::Uitofp } else { Op::Sitofp };
            Ok(b.convert(op, ty, value))
        }
        Opcode::UConvert | Opcode::SConvert => {
            suits(is_int(from.kind), is_int(ty.kind))?;
            let extend = if opcode == Opcode::UConvert { Op::Zext } else { Op::Sext };
            Ok(resize(b, extend, ty, value))
        }
        Opcode::FConvert => {
            suits(from.kind.is_float(), ty.kind.is_float())?;
            let op = if from.kind.bits() > ty.kind.bits() { Op::Fptrunc } else { Op::Fpext };
            Ok(b.convert(op, ty, value))
        }
        Opcode::ConvertPtrToU => {
            suits(from.kind.is_ptr(), is_int(ty.kind))?;
            let bits = b.convert(Op::Bitcast, Type::I64, value);
            Ok(b.convert(Op::Trunc, ty, bits))
        }
        Opcode::ConvertUToPtr => {
            suits(is_int(from.kind), ty.kind.is_ptr())?;
            let bits = resize(b, Op::Zext, Type::I64, value);
            Ok(b.convert(Op::Bitcast, ty, bits))
        }
        Opcode::PtrCastToGeneric | Opcode::GenericCastToPtr => {
            suits(from.kind.is_ptr(), ty.kind.is_ptr())?;
            Ok(b.convert(Op::Bitcast, ty, value))
        }
        Opcode::Bitcast if from == ty => Ok(value),
        Opcode::Bitcast if from.bits() != ty.bits() => {
            Err(Fault::new(format!("{from} and {ty} have different numbers of bits")))
        }
        Opcode::Bitcast if from.kind == Kind::I1 => Ok(bits_of_bools(b, ty, value)),
        Opcode::Bitcast if ty.kind == Kind::I1 => {
            let bits = b.convert(Op::Bitcast, Type::scalar(Kind::int_of_bits(ty.bits())), value);
            Ok(bools_of_bits(b, ty, bits))
        }
        Opcode::Bitcast => Ok(b.convert(Op::Bitcast, ty, value)),
        Opcode::CopyLogical | Opcode::CopyObject | Opcode::FreezeKHR | Opcode::ArithmeticFenceEXT => {
            of_type(from, ty)?;
            Ok(value)
        }
        _ => Err(Fault::new("the device does not support this instruction")),
    }
}
