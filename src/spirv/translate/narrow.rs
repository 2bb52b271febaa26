//! Integers of widths that the IR lacks, such as 24 bits, which LLVM makes where it optimizes. In the IR they are the next
//! wider integers with the upper bits zero ([`ValueType`]), and so are the components of vectors. Instructions compute
//! with those: the ones that look at a sign get their operands sign-extended, and what may be in the upper bits of a
//! result is cleared.
//!
//! In memory an integer takes as many bytes as its bits need, and has the alignment of the wider one. A vector takes as
//! many as the bits of all its components, which lie side by side, the first in the lowest bits. That is LLVM's layout.

use grus_ir::{Attr, Builder, Kind, Mem, Op, Type, Value};
use smallvec::SmallVec;

use super::arithmetic;
use crate::error::Fault;
use crate::grammar::Opcode;
use crate::request::{self, After};
use crate::types::ValueType;

/// Emits an instruction whose operands and result are scalars or vectors; returns its result of type `ty`.
///
/// # Errors
/// If the operands do not fit, or the instruction is none of numbers.
pub(crate) fn op(
    b: &mut Builder,
    opcode: Opcode,
    ty: ValueType,
    args: &[(ValueType, Value)],
) -> Result<Value, Fault> {
    if let (Opcode::Bitcast, &[(from, value)]) = (opcode, args)
        && (from.is_narrow() || ty.is_narrow())
    {
        return bitcast(b, ty, from, value);
    }
    let mut values = SmallVec::<[Value; 4]>::new();
    for (at, &(of, value)) in args.iter().enumerate() {
        values.push(if sees_sign(opcode, at) { sign_extended(b, of, value) } else { value });
    }
    let value = arithmetic::op(b, opcode, ty.ir, &values)?;
    if let Opcode::ConvertFToS | Opcode::ConvertFToU = opcode {
        // Numbers out of range are not defined; they become the nearest ones, as in other widths.
        let after = request::of_core(opcode).map_or(After::Clear, |adjustment| adjustment.after);
        return Ok(adjusted(b, after, ty, value));
    }
    Ok(if keeps_upper_bits_zero(opcode) { value } else { cleared(b, ty, value) })
}

/// Checks whether an instruction looks at the sign of an operand.
fn sees_sign(opcode: Opcode, operand: usize) -> bool {
    use Opcode::*;
    match opcode {
        ShiftRightArithmetic => operand == 0,
        SDiv | SRem | SMod | SLessThan | SLessThanEqual | SGreaterThan | SGreaterThanEqual | SConvert
        | ConvertSToF | Any | All => true,
        _ => false,
    }
}

/// Checks whether the upper bits of the result are zero if those of all operands are.
fn keeps_upper_bits_zero(opcode: Opcode) -> bool {
    use Opcode::*;
    matches!(opcode, UDiv | UMod | BitwiseAnd | BitwiseOr | BitwiseXor | ShiftRightLogical | Select)
}

/// Emits the value with upper bits that are zero.
pub(crate) fn cleared(b: &mut Builder, ty: ValueType, value: Value) -> Value {
    if !ty.is_narrow() {
        return value;
    }
    let mask = b.iconst(ty.ir, ty.mask());
    b.same(Op::And, &[value, mask])
}

/// Emits the value with upper bits that are like the sign.
pub(crate) fn sign_extended(b: &mut Builder, ty: ValueType, value: Value) -> Value {
    if !ty.is_narrow() {
        return value;
    }
    let count = ty.ir.kind.bits() - ty.width;
    let upper = b.shift(Op::Shl, value, count);
    b.shift(Op::Ashr, upper, count)
}

/// Emits the result of a function or op that was applied to the wider integers.
pub(crate) fn adjusted(b: &mut Builder, after: After, ty: ValueType, value: Value) -> Value {
    if !ty.is_narrow() {
        return value;
    }
    let surplus = ty.ir.kind.bits() - ty.width;
    let (mask, width) = (ty.mask(), u64::from(ty.width));
    match after {
        After::Clear => cleared(b, ty, value),
        After::ClampSigned => {
            let [least, most] = [!(mask >> 1), mask >> 1].map(|bits| b.iconst(ty.ir, bits));
            let value = b.same(Op::Smax, &[value, least]);
            let value = b.same(Op::Smin, &[value, most]);
            cleared(b, ty, value)
        }
        After::ClampUnsigned => {
            let most = b.iconst(ty.ir, mask);
            b.same(Op::Umin, &[value, most])
        }
        After::LeadingZeros => {
            let surplus = b.iconst(ty.ir, surplus.into());
            b.same(Op::Isub, &[value, surplus])
        }
        After::TrailingZeros => {
            let width = b.iconst(ty.ir, width);
            b.same(Op::Umin, &[value, width])
        }
        After::Reversed => b.shift(Op::Lshr, value, surplus),
    }
}

/// Emits both halves of the product of two numbers, which are sign-extended if `high` is an op of signed numbers.
pub(crate) fn product(b: &mut Builder, high: Op, ty: ValueType, args: [Value; 2]) -> [Value; 2] {
    let (low, upper) = (b.same(Op::Imul, &args), b.same(high, &args));
    if !ty.is_narrow() {
        return [low, upper];
    }
    let rest = b.shift(Op::Lshr, low, ty.width);
    let upper = b.shift(Op::Shl, upper, ty.ir.kind.bits() - ty.width);
    let upper = b.same(Op::Or, &[upper, rest]);
    [cleared(b, ty, low), cleared(b, ty, upper)]
}

/// Emits the reinterpretation of all bits of a scalar or vector.
fn bitcast(b: &mut Builder, ty: ValueType, from: ValueType, value: Value) -> Result<Value, Fault> {
    if from.bits() != ty.bits() {
        let (found, wanted) = (from.bits(), ty.bits());
        return Err(Fault::new(format!("the operand has {found} bits; {wanted} are wanted")));
    }
    let words = words_of(b, from, value);
    Ok(of_words(b, ty, &words))
}

/// Emits the bits of a scalar or vector in words of 64 bits, the first component in the lowest bits.
fn words_of(b: &mut Builder, of: ValueType, value: Value) -> Vec<Value> {
    if of.ir.kind == Kind::I1 {
        let bits = b.value(Op::Movemask, Type::I32, &[value], Attr::None);
        return vec![b.convert(Op::Zext, Type::I64, bits)];
    }
    let value = if of.ir.kind.is_int() { value } else { b.convert(Op::Bitcast, of.ir.bits_type(), value) };
    let mut words: Vec<Option<Value>> = vec![None; of.bits().div_ceil(64) as usize];
    for lane in 0..of.ir.lanes {
        let number = if of.ir.is_vector() { b.extract(value, lane) } else { value };
        let number = b.convert(Op::Zext, Type::I64, number);
        let (at, shift) = place(of, lane);
        add(b, &mut words[at], number, Op::Shl, shift);
        if shift + of.width > 64 {
            add(b, &mut words[at + 1], number, Op::Lshr, 64 - shift);
        }
    }
    words.into_iter().map(|word| word.expect("there are no bits between components")).collect()
}

/// Adds shifted bits to a word.
fn add(b: &mut Builder, word: &mut Option<Value>, bits: Value, shift: Op, count: u32) {
    let bits = b.shift(shift, bits, count);
    *word = Some(match *word {
        Some(word) => b.same(Op::Or, &[word, bits]),
        None => bits,
    });
}

/// Returns the word of a component's first bit, and the position in the word.
fn place(of: ValueType, lane: u16) -> (usize, u32) {
    let bit = u32::from(lane) * of.width;
    ((bit / 64) as usize, bit % 64)
}

/// Emits the scalar or vector whose bits are in words.
fn of_words(b: &mut Builder, ty: ValueType, words: &[Value]) -> Value {
    if ty.ir.kind == Kind::I1 {
        let word = b.convert(Op::Trunc, Type::I16, words[0]);
        return arithmetic::bools_of_bits(b, ty.ir, word);
    }
    let bits = if ty.ir.kind.is_int() { ty.ir } else { ty.ir.bits_type() };
    let mut lanes = Vec::new();
    for lane in 0..ty.ir.lanes {
        let (at, shift) = place(ty, lane);
        let mut number = b.shift(Op::Lshr, words[at], shift);
        if shift + ty.width > 64 {
            let upper = b.shift(Op::Shl, words[at + 1], 64 - shift);
            number = b.same(Op::Or, &[number, upper]);
        }
        let number = b.convert(Op::Trunc, bits.lane(), number);
        lanes.push(cleared(b, ty.lane(), number));
    }
    let value = if bits.is_vector() { b.value(Op::BuildVector, bits, &lanes, Attr::None) } else { lanes[0] };
    b.convert(Op::Bitcast, ty.ir, value)
}

/// Returns the accesses to the bytes of a value: the offset of each, and the number of bytes.
fn accesses(ty: ValueType) -> impl Iterator<Item = (u32, u32)> {
    let bytes = ty.bits().div_ceil(8);
    let mut next = 0;
    std::iter::from_fn(move || {
        let (offset, left) = (next, bytes - next);
        let size = if left >= 8 { 8 } else { 1 << left.checked_ilog2()? };
        next += size;
        Some((offset, size))
    })
}

/// Checks whether a value takes as many bytes as in the IR.
fn fills_memory(ty: ValueType) -> bool {
    !ty.ir.is_vector() && ty.width.div_ceil(8) == ty.ir.kind.bytes()
}

fn part_of(mem: Mem, offset: u32, size: u32) -> Mem {
    let of_offset = if offset == 0 { u32::MAX } else { 1 << offset.trailing_zeros() };
    Mem { align: mem.align.min(size).min(of_offset), ..mem }
}

/// Emits the load of a narrow value.
pub(crate) fn load(b: &mut Builder, ty: ValueType, address: Value, mem: Mem) -> Value {
    if fills_memory(ty) {
        let value = b.load(ty.ir, address, mem);
        return cleared(b, ty, value);
    }
    let mut words: Vec<Option<Value>> = vec![None; ty.bits().div_ceil(64) as usize];
    for (offset, size) in accesses(ty) {
        let at = b.ptr_offset(address, offset.into());
        let bits = b.load(Type::scalar(Kind::int_of_bits(size * 8)), at, part_of(mem, offset, size));
        let bits = b.convert(Op::Zext, Type::I64, bits);
        add(b, &mut words[offset as usize / 8], bits, Op::Shl, offset % 8 * 8);
    }
    let words: Vec<Value> = words.into_iter().map(|word| word.expect("each word is loaded")).collect();
    of_words(b, ty, &words)
}

/// Emits the store of a narrow value, and of no byte behind it.
pub(crate) fn store(b: &mut Builder, ty: ValueType, value: Value, address: Value, mem: Mem) {
    if fills_memory(ty) {
        b.store(value, address, mem);
        return;
    }
    let words = words_of(b, ty, value);
    for (offset, size) in accesses(ty) {
        let at = b.ptr_offset(address, offset.into());
        let bits = b.shift(Op::Lshr, words[offset as usize / 8], offset % 8 * 8);
        let bits = b.convert(Op::Trunc, Type::scalar(Kind::int_of_bits(size * 8)), bits);
        b.store(bits, at, part_of(mem, offset, size));
    }
}
