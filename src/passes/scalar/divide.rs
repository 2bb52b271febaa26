//! Lowering of divisions and remainders. Of floats, a division by a power of two becomes a product. Of integers, a
//! division by a constant becomes shifts or the upper half of a product (Granlund, Montgomery: Division by Invariant
//! Integers using Multiplication, PLDI 1994). Vectors with a variable divisor are divided as floats (`lanes`), since
//! there is no integer vector division; numbers of 64 bits that are known to be below 2^32 as numbers of 32 bits.
//!
//! Division of integers by 0 gives the result of division by 1, and the minimum integer divided by -1 is itself, as in
//! `ir::interp`.

mod lanes;

pub use lanes::MIN_LANES_IN_STEPS;

use super::super::pass_manager::PassContext;
use super::replace::rewrite;
use super::simplify::max_value;
use grus_ir::interp::signed;
use grus_ir::{Block, Builder, Function, Inst, IntCond, Kind, Op, Type, Value};

/// Runs the pass.
pub fn run(func: &mut Function, context: &mut PassContext<'_>) -> bool {
    let has_masks = context.facts.has_masks;
    let is_division = |inst: &Inst| matches!(inst.op, Op::Udiv | Op::Sdiv | Op::Urem | Op::Srem | Op::Fdiv);
    rewrite(func, is_division, |func, block, inst| {
        if inst.op == Op::Fdiv {
            multiply_by_inverse(func, block, inst)
        } else {
            lower_division(func, block, inst, has_masks)
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
fn lower_division(func: &mut Function, block: Block, inst: &Inst, has_masks: bool) -> Option<Value> {
    let [number, divisor] = [inst.args[0], inst.args[1]];
    let known = func.as_const_of_lanes(divisor);
    let is_long = inst.ty.kind == Kind::I64;
    let bound = if inst.ty.is_vector() { largest_operand(func, inst) } else { u64::MAX };
    let is_beyond = is_long && bound >= lanes::MAX_IN_DOUBLES;
    if known.is_none() && (!inst.ty.is_vector() || is_beyond && inst.ty.lanes < MIN_LONG_LANES) {
        return None;
    }
    let is_signed = matches!(inst.op, Op::Sdiv | Op::Srem) && bound >= 1 << (inst.ty.kind.bits() - 1);
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
        None if let Some(lane) = shared_lane(b.func, divisor).filter(|_| ty.kind != Kind::I64) => {
            let lane = b.convert(extend, Type::scalar(ty.kind), lane);
            let lane = safe_lane(&mut b, lane);
            let quotient = lanes::divide_by_lane(&mut b, number, lane, is_signed, bound);
            if is_quotient {
                quotient
            } else {
                let divisor = b.splat(ty, lane);
                rest(&mut b, quotient, divisor)
            }
        }
        None => {
            let divisor = b.convert(extend, ty, divisor);
            let division = lanes::Division { number, divisor, is_signed, is_quotient, bound, has_masks };
            division.write(&mut b)
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

/// Replaces a divisor of zero by 1.
fn safe_lane(b: &mut Builder<'_>, divisor: Value) -> Value {
    let ty = b.func.ty(divisor);
    let (zero, one) = (b.zero(ty), b.iconst(ty, 1));
    let is_zero = b.icmp(IntCond::Eq, divisor, zero);
    b.select(is_zero, one, divisor)
}
