//! Quotients and remainders without a division: by numbers that are known they are shifts, or the upper half of a product
//! (Granlund, Montgomery: Division by Invariant Integers using Multiplication, PLDI 1994). Those of lanes by anything else
//! are computed in floats that are large enough to be exact; there is no division of integer lanes.
//!
//! Division by 0 is division by 1, and the smallest number over -1 is itself, as `ir::interp` has it.

use super::super::pass_manager::PassContext;
use super::replace::rewrite;
use crate::ir::interp::signed;
use crate::ir::{Attr, Block, Builder, Function, Inst, IntCond, Kind, Op, Type, Value};

/// Runs the pass.
pub fn run(func: &mut Function, _: &mut PassContext<'_>) -> bool {
    let is_division = |inst: &Inst| matches!(inst.op, Op::Udiv | Op::Sdiv | Op::Urem | Op::Srem);
    rewrite(func, is_division, without)
}

/// Writes what takes the place of a division at the end of a block.
fn without(func: &mut Function, block: Block, inst: &Inst) -> Option<Value> {
    let [number, divisor] = [inst.args[0], inst.args[1]];
    let is_signed = matches!(inst.op, Op::Sdiv | Op::Srem);
    let known = func.as_const_of_lanes(divisor);
    if known.is_none() && (!inst.ty.is_vector() || inst.ty.kind == Kind::I64) {
        return None;
    }
    let mut b = Builder::new(func, block);
    b.loc = inst.loc;
    // There are no products of bytes.
    let ty = if inst.ty.kind == Kind::I8 { Type { kind: Kind::I16, ..inst.ty } } else { inst.ty };
    let extend = if is_signed { Op::Sext } else { Op::Zext };
    let number = b.convert(extend, ty, number);
    let is_quotient = matches!(inst.op, Op::Udiv | Op::Sdiv);
    let rest = |b: &mut Builder<'_>, quotient, divisor| {
        let product = b.same(Op::Imul, &[quotient, divisor]);
        b.same(Op::Isub, &[number, product])
    };
    let result = match known {
        Some(bits) if !is_quotient && !is_signed && bits.is_power_of_two() => {
            let mask = b.iconst(ty, bits - 1);
            b.same(Op::And, &[number, mask])
        }
        Some(bits) => {
            let bits = if is_signed { signed(inst.ty.kind.bits(), bits) as u64 } else { bits };
            let quotient = if is_signed {
                by_signed(&mut b, ty, number, bits as i64)
            } else {
                by_unsigned(&mut b, ty, number, bits)
            };
            if is_quotient {
                quotient
            } else {
                let divisor = b.iconst(ty, bits.max(1));
                rest(&mut b, quotient, divisor)
            }
        }
        None => {
            let divisor = b.convert(extend, ty, divisor);
            let divisor = safe(&mut b, ty, number, divisor, is_signed);
            let quotient = in_floats(&mut b, ty, number, divisor, is_signed);
            if is_quotient { quotient } else { rest(&mut b, quotient, divisor) }
        }
    };
    Some(b.convert(Op::Trunc, inst.ty, result))
}

/// A factor and a shift: `(number * (factor + 2^width) >> width) >> shift` is the quotient for unsigned numbers if the factor
/// has a bit too much, else the same without the power.
struct Reciprocal {
    factor: u64,
    has_bit_too_much: bool,
    shift: u32,
}

/// That of a number that is above 2 and not a power of it.
fn reciprocal(width: u32, divisor: u64) -> Reciprocal {
    let divisor = u128::from(divisor);
    let most = 128 - (divisor - 1).leading_zeros();
    for shift in 0..most {
        // Rounded up it is too large by `excess` parts, which must not reach the next quotient.
        let power = 1u128 << (width + shift);
        let factor = power.div_ceil(divisor);
        let excess = factor * divisor - power;
        if factor < 1 << width && excess <= 1 << shift {
            return Reciprocal { factor: factor as u64, has_bit_too_much: false, shift };
        }
    }
    let factor = ((1u128 << width) * ((1 << most) - divisor)) / divisor + 1;
    Reciprocal { factor: factor as u64, has_bit_too_much: true, shift: most }
}

fn by_unsigned(b: &mut Builder<'_>, ty: Type, number: Value, divisor: u64) -> Value {
    if divisor <= 1 {
        return number;
    }
    if divisor.is_power_of_two() {
        return b.shift(Op::Lshr, number, divisor.trailing_zeros());
    }
    let Reciprocal { factor, has_bit_too_much, shift } = reciprocal(ty.kind.bits(), divisor);
    let factor = b.iconst(ty, factor);
    let high = b.same(Op::Umulhi, &[number, factor]);
    if !has_bit_too_much {
        return b.shift(Op::Lshr, high, shift);
    }
    // The sum of both would overflow: half of what is missing is added first.
    let rest = b.same(Op::Isub, &[number, high]);
    let half = b.shift(Op::Lshr, rest, 1);
    let sum = b.same(Op::Iadd, &[half, high]);
    b.shift(Op::Lshr, sum, shift - 1)
}

fn by_signed(b: &mut Builder<'_>, ty: Type, number: Value, divisor: i64) -> Value {
    let width = ty.kind.bits();
    let size = divisor.unsigned_abs();
    let quotient = if size <= 1 {
        number
    } else if size.is_power_of_two() {
        // Quotients are rounded towards 0.
        let power = size.trailing_zeros();
        let sign = b.shift(Op::Ashr, number, width - 1);
        let more = b.shift(Op::Lshr, sign, width - power);
        let number = b.same(Op::Iadd, &[number, more]);
        b.shift(Op::Ashr, number, power)
    } else {
        let most = 64 - (size - 1).leading_zeros();
        // Between the largest number and twice that: a negative one, to which the number is added once.
        let factor = (1u128 << (width + most - 1)) / u128::from(size) + 1;
        let factor = b.iconst(ty, factor as u64);
        let high = b.same(Op::Smulhi, &[number, factor]);
        let sum = b.same(Op::Iadd, &[high, number]);
        let rounded = b.shift(Op::Ashr, sum, most - 1);
        let sign = b.shift(Op::Ashr, number, width - 1);
        b.same(Op::Isub, &[rounded, sign])
    };
    if divisor >= 0 {
        return quotient;
    }
    let zero = b.zero(ty);
    b.same(Op::Isub, &[zero, quotient])
}

/// 1 in place of a divisor of zero, or of -1 under the smallest number.
fn safe(b: &mut Builder<'_>, ty: Type, number: Value, divisor: Value, is_signed: bool) -> Value {
    let (zero, one) = (b.zero(ty), b.iconst(ty, 1));
    let mut is_one = b.icmp(IntCond::Eq, divisor, zero);
    if is_signed {
        let smallest = b.iconst(ty, 1 << (ty.kind.bits() - 1));
        let minus_one = b.iconst(ty, u64::MAX);
        let both = [(number, smallest), (divisor, minus_one)].map(|(x, y)| b.icmp(IntCond::Eq, x, y));
        let overflows = b.same(Op::And, &both);
        is_one = b.same(Op::Or, &[is_one, overflows]);
    }
    b.select(is_one, one, divisor)
}

/// The quotient of lanes of 16 or 32 bits. In floats with more than twice as many bits in front of the rounding error none
/// comes up to the next integer.
fn in_floats(b: &mut Builder<'_>, ty: Type, number: Value, divisor: Value, is_signed: bool) -> Value {
    let kind = if ty.kind == Kind::I16 { Kind::F32 } else { Kind::F64 };
    let wide = Type::vector(kind, ty.lanes);
    let (to, back) = if is_signed { (Op::Sitofp, Op::Fptosi) } else { (Op::Uitofp, Op::Fptoui) };
    let [number, divisor] = [number, divisor].map(|value| b.value(to, wide, &[value], Attr::None));
    let quotient = b.same(Op::Fdiv, &[number, divisor]);
    b.value(back, ty, &[quotient], Attr::None)
}
