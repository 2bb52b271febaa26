//! Lowering of divisions and remainders. Of floats, a division by a power of two becomes a product. Of integers, a
//! division by a constant becomes shifts or the upper half of a product (Granlund, Montgomery: Division by Invariant
//! Integers using Multiplication, PLDI 1994). Vectors of 8, 16 or 32-bit lanes with a variable divisor are divided in a
//! float type that is large enough for an exact result, since there is no integer vector division. So are those of 64
//! bits whose lanes are known to be below 2^52; if they are below 2^32, they are divided as numbers of 32 bits. Other
//! numbers of 64 bits are divided in two steps, each by the inverse of the divisor as a double.
//!
//! Division of integers by 0 gives the result of division by 1, and the minimum integer divided by -1 is itself, as in
//! `ir::interp`.

use super::super::pass_manager::PassContext;
use super::replace::rewrite;
use super::simplify::max_value;
use grus_ir::interp::signed;
use grus_ir::{Attr, Block, Builder, Function, Inst, IntCond, Kind, Op, Type, Value};

/// Runs the pass.
pub fn run(func: &mut Function, _: &mut PassContext<'_>) -> bool {
    let is_division = |inst: &Inst| matches!(inst.op, Op::Udiv | Op::Sdiv | Op::Urem | Op::Srem | Op::Fdiv);
    rewrite(func, is_division, |func, block, inst| {
        if inst.op == Op::Fdiv {
            multiply_by_inverse(func, block, inst)
        } else {
            lower_division(func, block, inst)
        }
    })
}

/// Writes the product that equals a quotient of floats whose divisor is a power of two.
fn multiply_by_inverse(func: &mut Function, block: Block, inst: &Inst) -> Option<Value> {
    let [number, divisor] = [inst.args[0], inst.args[1]];
    let splat = func.def_inst(divisor).filter(|def| def.op == Op::Splat);
    let constant =
        func.def_inst(splat.map_or(divisor, |def| def.args[0])).filter(|def| def.op == Op::Fconst)?;
    let inverse = inverse_power(inst.ty.kind, constant.int())?;
    let mut b = Builder::new(func, block);
    b.loc = inst.loc;
    let inverse = b.constant(inst.ty, inverse);
    Some(b.same(Op::Fmul, &[number, inverse]))
}

/// Returns the bits of the inverse of a power of two or its negative, if both are normal numbers.
fn inverse_power(kind: Kind, bits: u64) -> Option<u64> {
    let (fraction_bits, exponent_bits) = match kind {
        Kind::F16 => (10, 5),
        Kind::F32 => (23, 8),
        Kind::F64 => (52, 11),
        _ => return None,
    };
    let largest = (1u64 << exponent_bits) - 1;
    let exponent = bits >> fraction_bits & largest;
    let sign = bits >> (fraction_bits + exponent_bits) << (fraction_bits + exponent_bits);
    let inverse = largest - 1 - exponent.min(largest - 1);
    let is_normal = |exponent| (1..largest).contains(&exponent);
    (bits & ((1 << fraction_bits) - 1) == 0 && is_normal(exponent) && is_normal(inverse))
        .then_some(sign | inverse << fraction_bits)
}

/// Writes the replacement of a division at the end of a block.
fn lower_division(func: &mut Function, block: Block, inst: &Inst) -> Option<Value> {
    let [number, divisor] = [inst.args[0], inst.args[1]];
    let known = func.as_const_of_lanes(divisor);
    let is_long = inst.ty.kind == Kind::I64;
    let bound = if is_long && inst.ty.is_vector() { largest_operand(func, inst) } else { u64::MAX };
    let is_beyond = is_long && bound >= MAX_IN_DOUBLES;
    if known.is_none() && (!inst.ty.is_vector() || is_beyond && inst.ty.lanes < MIN_LONG_LANES) {
        return None;
    }
    let is_signed = matches!(inst.op, Op::Sdiv | Op::Srem) && bound > i64::MAX as u64;
    let mut b = Builder::new(func, block);
    b.loc = inst.loc;
    let is_quotient = matches!(inst.op, Op::Udiv | Op::Sdiv);
    // There is no multiplication of byte lanes, and that of 64 bits takes long.
    let ty = match inst.ty.kind {
        Kind::I8 => inst.ty.with_kind(Kind::I16),
        Kind::I64 if bound <= u32::MAX.into() => inst.ty.with_kind(Kind::I32),
        _ => inst.ty,
    };
    let extend = match ty.kind {
        Kind::I32 if is_long => Op::Trunc,
        _ if is_signed => Op::Sext,
        _ => Op::Zext,
    };
    let number = b.convert(extend, ty, number);
    if known.is_none() && is_beyond {
        return Some(divide_long(&mut b, inst, is_signed));
    }
    if known.is_none() && ty.kind == Kind::I64 {
        let divisor = safe_divisor(&mut b, ty, number, divisor, false);
        return Some(divide_in_doubles(&mut b, ty, number, divisor, is_quotient));
    }
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
                divide_signed(&mut b, ty, number, bits as i64)
            } else {
                divide_unsigned(&mut b, ty, number, bits)
            };
            if is_quotient {
                quotient
            } else {
                let divisor = b.iconst(ty, bits.max(1));
                rest(&mut b, quotient, divisor)
            }
        }
        None if let Some(lane) = shared_lane(b.func, divisor) => {
            let scalar = Type::scalar(ty.kind);
            let lane = b.convert(extend, scalar, lane);
            let lane = safe_divisor(&mut b, scalar, lane, lane, false);
            let quotient = divide_by_lane(&mut b, ty, number, lane, is_signed);
            if is_quotient {
                quotient
            } else {
                let divisor = b.splat(ty, lane);
                rest(&mut b, quotient, divisor)
            }
        }
        None => {
            let divisor = b.convert(extend, ty, divisor);
            let divisor = safe_divisor(&mut b, ty, number, divisor, is_signed);
            let quotient = divide_in_floats(&mut b, ty, number, divisor, is_signed);
            if is_quotient { quotient } else { rest(&mut b, quotient, divisor) }
        }
    };
    let back = if ty.kind.bits() < inst.ty.kind.bits() { Op::Zext } else { Op::Trunc };
    Some(b.convert(back, inst.ty, result))
}

/// Returns the value of all lanes of a vector, if that was made of one.
fn shared_lane(func: &Function, value: Value) -> Option<Value> {
    func.def_inst(value).filter(|def| def.op == Op::Splat).map(|def| def.args[0])
}

/// Returns an upper bound of both operands of a division of 64 bits.
fn largest_operand(func: &Function, inst: &Inst) -> u64 {
    // Arbitrary.
    const MAX_DEPTH: u32 = 6;
    let bound = |value| max_value(func, value, MAX_DEPTH).unwrap_or(u64::MAX);
    bound(inst.args[0]).max(bound(inst.args[1]))
}

/// Bound of integers that are divided as doubles: if both are below it, the quotient of two integers is no nearer to the next
/// integer than to itself.
// Source: the difference to the next integer q is at least 1 / divisor, and more than q / 2^53, half a unit in its last place.
const MAX_IN_DOUBLES: u64 = 1 << 52;

/// Minimum number of lanes of 64 bits that are divided together rather than one by one.
// Source: the sequence of AVX2 takes as long as two divisions on Zen 3; that of AVX-512 less than one, 2026-12-01.
const MIN_LONG_LANES: u16 = 4;

/// Factor and shift that replace an unsigned division: `(number * factor >> width) >> shift`, or `(number * (factor
/// + 2^width) >> width) >> shift` if the factor does not fit in `width` bits.
struct Reciprocal {
    factor: u64,
    exceeds_width: bool,
    shift: u32,
}

/// Returns the reciprocal of a divisor that is greater than 2 and no power of two.
fn reciprocal(width: u32, divisor: u64) -> Reciprocal {
    let divisor = u128::from(divisor);
    let log2_ceil = 128 - (divisor - 1).leading_zeros();
    for shift in 0..log2_ceil {
        // The rounded-up factor is too large by `excess / divisor`. The error must not reach the next quotient.
        let power = 1u128 << (width + shift);
        let factor = power.div_ceil(divisor);
        let excess = factor * divisor - power;
        if factor < 1 << width && excess <= 1 << shift {
            return Reciprocal { factor: factor as u64, exceeds_width: false, shift };
        }
    }
    let factor = ((1u128 << width) * ((1 << log2_ceil) - divisor)) / divisor + 1;
    Reciprocal { factor: factor as u64, exceeds_width: true, shift: log2_ceil }
}

fn divide_unsigned(b: &mut Builder<'_>, ty: Type, number: Value, divisor: u64) -> Value {
    if divisor <= 1 {
        return number;
    }
    if divisor.is_power_of_two() {
        return b.shift(Op::Lshr, number, divisor.trailing_zeros());
    }
    let Reciprocal { factor, exceeds_width, shift } = reciprocal(ty.kind.bits(), divisor);
    let factor = b.iconst(ty, factor);
    let high = b.same(Op::Umulhi, &[number, factor]);
    if !exceeds_width {
        return b.shift(Op::Lshr, high, shift);
    }
    // `number + high` could overflow, so half of the difference is added first.
    let rest = b.same(Op::Isub, &[number, high]);
    let half = b.shift(Op::Lshr, rest, 1);
    let sum = b.same(Op::Iadd, &[half, high]);
    b.shift(Op::Lshr, sum, shift - 1)
}

fn divide_signed(b: &mut Builder<'_>, ty: Type, number: Value, divisor: i64) -> Value {
    let width = ty.kind.bits();
    let size = divisor.unsigned_abs();
    let quotient = if size <= 1 {
        number
    } else if size.is_power_of_two() {
        // Quotients are rounded towards zero.
        let power = size.trailing_zeros();
        let sign = b.shift(Op::Ashr, number, width - 1);
        let more = b.shift(Op::Lshr, sign, width - power);
        let number = b.same(Op::Iadd, &[number, more]);
        b.shift(Op::Ashr, number, power)
    } else {
        let log2_ceil = 64 - (size - 1).leading_zeros();
        // The factor is between the signed maximum and twice that, so it is negative as a signed number, and
        // `number` is added once.
        let factor = (1u128 << (width + log2_ceil - 1)) / u128::from(size) + 1;
        let factor = b.iconst(ty, factor as u64);
        let high = b.same(Op::Smulhi, &[number, factor]);
        let sum = b.same(Op::Iadd, &[high, number]);
        let rounded = b.shift(Op::Ashr, sum, log2_ceil - 1);
        let sign = b.shift(Op::Ashr, number, width - 1);
        b.same(Op::Isub, &[rounded, sign])
    };
    if divisor >= 0 {
        return quotient;
    }
    let zero = b.zero(ty);
    b.same(Op::Isub, &[zero, quotient])
}

/// Replaces a divisor of zero by 1, and also a divisor of -1 if the dividend is the minimum integer.
fn safe_divisor(b: &mut Builder<'_>, ty: Type, number: Value, divisor: Value, is_signed: bool) -> Value {
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

/// Divides lanes of 64 bits that are below `MAX_IN_DOUBLES`. Returns the quotient or the remainder.
fn divide_in_doubles(
    b: &mut Builder<'_>,
    ty: Type,
    number: Value,
    divisor: Value,
    is_quotient: bool,
) -> Value {
    let wide = ty.with_kind(Kind::F64);
    // 2^52 + n has n in its last bits.
    let magic_bits = b.iconst(ty, 0x4330_0000_0000_0000);
    let magic = b.constant(wide, 0x4330_0000_0000_0000);
    let [number, divisor] = [number, divisor].map(|value| {
        let bits = b.same(Op::Or, &[value, magic_bits]);
        let sum = b.convert(Op::Bitcast, wide, bits);
        b.same(Op::Fsub, &[sum, magic])
    });
    let quotient = b.same(Op::Fdiv, &[number, divisor]);
    let quotient = b.same(Op::Ftrunc, &[quotient]);
    let result = if is_quotient {
        quotient
    } else {
        let negative = b.same(Op::Fneg, &[quotient]);
        b.same(Op::Fma, &[negative, divisor, number])
    };
    let sum = b.same(Op::Fadd, &[result, magic]);
    let bits = b.convert(Op::Bitcast, ty, sum);
    b.same(Op::Xor, &[bits, magic_bits])
}

/// Divides lanes of 64 bits. Returns the quotient or the remainder.
fn divide_long(b: &mut Builder<'_>, inst: &Inst, is_signed: bool) -> Value {
    let (ty, is_quotient) = (inst.ty, matches!(inst.op, Op::Udiv | Op::Sdiv));
    let [number, divisor] = [inst.args[0], inst.args[1]];
    // The minimum integer by -1 need not be excluded: as magnitudes the quotient is 2^63, which is that integer again.
    let divisor = safe_divisor(b, ty, number, divisor, false);
    if !is_signed {
        return divide_positive(b, ty, number, divisor, is_quotient);
    }
    let [size, by] = [number, divisor].map(|value| b.same(Op::Iabs, &[value]));
    let result = divide_positive(b, ty, size, by, is_quotient);
    let signs = if is_quotient { b.same(Op::Xor, &[number, divisor]) } else { number };
    let sign = b.shift(Op::Ashr, signs, 63);
    let flipped = b.same(Op::Xor, &[result, sign]);
    b.same(Op::Isub, &[flipped, sign])
}

/// Divides unsigned lanes of 64 bits, by the double next to a little less than 1 / divisor.
///
/// With that inverse a product n / d is estimated as (n / d) (1 - e), where e is from 2^-51 to 2^-49: the factor 1 - 2^-50
/// outweighs the roundings of n, d, the inverse and the product, each of at most 2^-53. So the first quotient is not too
/// large, the rest is positive and below (2^-49 n / d + 1) d, and the second quotient is below 2^16. It is rounded to the
/// nearest integer, so it is right or one too large: then the last rest is negative, which shows in that it is larger than
/// the one before.
fn divide_positive(b: &mut Builder<'_>, ty: Type, number: Value, divisor: Value, is_quotient: bool) -> Value {
    let wide = ty.with_kind(Kind::F64);
    let to_double = |b: &mut Builder<'_>, value| b.value(Op::Uitofp, wide, &[value], Attr::None);
    let almost_one = b.constant(wide, (1.0 - 2f64.powi(-50)).to_bits());
    let by = to_double(b, divisor);
    let inverse = b.same(Op::Fdiv, &[almost_one, by]);
    let n = to_double(b, number);
    let estimate = b.same(Op::Fmul, &[n, inverse]);
    let first = b.value(Op::Fptoui, ty, &[estimate], Attr::None);
    let product = b.same(Op::Imul, &[first, divisor]);
    let rest = b.same(Op::Isub, &[number, product]);
    let r = to_double(b, rest);
    // 2^52 + n has n in its last bits.
    let magic = b.constant(wide, 0x4330_0000_0000_0000);
    let sum = b.same(Op::Fma, &[r, inverse, magic]);
    let bits = b.convert(Op::Bitcast, ty, sum);
    let mask = b.iconst(ty, u32::MAX.into());
    let second = b.same(Op::And, &[bits, mask]);
    let product = b.same(Op::Imul, &[second, divisor]);
    let last = b.same(Op::Isub, &[rest, product]);
    let is_too_large = b.icmp(IntCond::Ugt, last, rest);
    let (zero, one) = (b.zero(ty), b.iconst(ty, 1));
    if is_quotient {
        let sum = b.same(Op::Iadd, &[first, second]);
        let excess = b.select(is_too_large, one, zero);
        b.same(Op::Isub, &[sum, excess])
    } else {
        let missing = b.select(is_too_large, divisor, zero);
        b.same(Op::Iadd, &[last, missing])
    }
}

/// Returns the float type in which lanes of 16 or 32 bits are divided, and the conversions to it and back.
fn float_division(ty: Type, is_signed: bool) -> (Type, [Op; 2]) {
    let kind = if ty.kind == Kind::I16 { Kind::F32 } else { Kind::F64 };
    let conversions = if is_signed { [Op::Sitofp, Op::Fptosi] } else { [Op::Uitofp, Op::Fptoui] };
    (ty.with_kind(kind), conversions)
}

/// Divides lanes of 16 or 32 bits in a float type with more than twice as many significand bits, so that the
/// rounding error cannot reach the next integer.
fn divide_in_floats(b: &mut Builder<'_>, ty: Type, number: Value, divisor: Value, is_signed: bool) -> Value {
    let (wide, [to, back]) = float_division(ty, is_signed);
    let [number, divisor] = [number, divisor].map(|value| b.value(to, wide, &[value], Attr::None));
    let quotient = b.same(Op::Fdiv, &[number, divisor]);
    b.value(back, ty, &[quotient], Attr::None)
}

/// Divides lanes of 16 or 32 bits by the divisor that all of them share, which is not zero. Its inverse is likely to be the
/// same in the next iteration and for the next lanes.
fn divide_by_lane(b: &mut Builder<'_>, ty: Type, number: Value, lane: Value, is_signed: bool) -> Value {
    let (wide, [to, back]) = float_division(ty, is_signed);
    let inverse = inverse_of_lane(b, wide.kind, lane, is_signed);
    let inverse = b.splat(wide, inverse);
    let float = b.value(to, wide, &[number], Attr::None);
    let quotient = b.same(Op::Fmul, &[float, inverse]);
    let quotient = b.value(back, ty, &[quotient], Attr::None);
    if !is_signed {
        return quotient;
    }
    // The smallest number divided by -1 is out of range.
    let smallest = b.iconst(ty, 1 << (ty.kind.bits() - 1));
    let is_smallest = b.icmp(IntCond::Eq, number, smallest);
    let minus_one = b.iconst(Type::scalar(ty.kind), u64::MAX);
    let negates = b.icmp(IntCond::Eq, lane, minus_one);
    let negates = b.splat(Type::vector(Kind::I1, ty.lanes), negates);
    let overflows = b.same(Op::And, &[is_smallest, negates]);
    b.select(overflows, number, quotient)
}

/// Returns a little more than the inverse of a divisor.
///
/// With p bits of precision the inverse is by 2^(1 - p), the product with it by at least 2^-p and at most 2^(3 - p) of itself
/// too large, whatever is rounded. So whole quotients are not too small, and others are too large by less than what is
/// missing to the next one, 1 / divisor at least: dividends have fewer than p - 3 bits.
fn inverse_of_lane(b: &mut Builder<'_>, kind: Kind, lane: Value, is_signed: bool) -> Value {
    let float = Type::scalar(kind);
    // Source: significands of float and double.
    let (number, more) = if kind == Kind::F32 {
        (Kind::I32, u64::from((1.0 + 2f32.powi(-22)).to_bits()))
    } else {
        (Kind::I64, (1.0 + 2f64.powi(-51)).to_bits())
    };
    // Scalars of more bits are converted by one instruction, since they are not negative where they are unsigned.
    let extend = if is_signed { Op::Sext } else { Op::Zext };
    let lane = b.convert(extend, Type::scalar(number), lane);
    let divisor = b.value(Op::Sitofp, float, &[lane], Attr::None);
    let more = b.constant(float, more);
    b.same(Op::Fdiv, &[more, divisor])
}
