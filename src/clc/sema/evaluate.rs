//! Arithmetic on constants, with the same results as in kernels.

use crate::tree::{BinaryOp, UnaryOp};
use crate::types::Scalar;

/// A scalar constant.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum ScalarConst {
    /// Bit pattern, zero-extended.
    Int(u64),
    Float(f64),
}

impl ScalarConst {
    /// Returns zero of the type.
    pub fn zero(scalar: Scalar) -> Self {
        if scalar.is_float() { ScalarConst::Float(0.0) } else { ScalarConst::Int(0) }
    }

    /// Checks whether the number is not zero.
    pub fn truth(self) -> bool {
        match self {
            ScalarConst::Int(bits) => bits != 0,
            ScalarConst::Float(value) => value != 0.0,
        }
    }
}

/// Clears the bits of `bits` that `scalar` does not have.
pub fn truncate(bits: u64, scalar: Scalar) -> u64 {
    super::unary::truncate(bits, scalar)
}

/// Sign-extends `bits` if `scalar` is signed.
pub fn sign_extend(bits: u64, scalar: Scalar) -> i64 {
    match scalar {
        Scalar::Char => i64::from(bits as i8),
        Scalar::Short => i64::from(bits as i16),
        Scalar::Int => i64::from(bits as i32),
        _ => bits as i64,
    }
}

/// Rounds `value` to the precision of `scalar`.
pub fn round(value: f64, scalar: Scalar) -> f64 {
    match scalar {
        Scalar::Half => round_half(value),
        Scalar::Float => f64::from(value as f32),
        _ => value,
    }
}

/// Rounds `value` to half precision, to nearest, ties to even.
pub fn round_half(value: f64) -> f64 {
    if value == 0.0 || !value.is_finite() {
        return value;
    }
    let exponent = ((value.to_bits() >> 52 & 0x7ff) as i32 - 1023).max(-14);
    let unit = ((exponent - 10) as f64).exp2();
    let rounded = (value / unit).round_ties_even() * unit;
    if rounded.abs() > 65504.0 { f64::INFINITY.copysign(value) } else { rounded }
}

/// Returns the half precision bits of a value that is already rounded.
pub fn half_bits(value: f64) -> u16 {
    let sign = if value.is_sign_negative() { 0x8000 } else { 0 };
    if value.is_nan() {
        return sign | 0x7e00;
    }
    let size = value.abs();
    if size.is_infinite() {
        return sign | 0x7c00;
    }
    if size < 2f64.powi(-14) {
        return sign | (size * 2f64.powi(24)) as u16;
    }
    let exponent = (size.to_bits() >> 52) as i32 - 1023;
    let mantissa = (size.to_bits() >> 42 & 0x3ff) as u16;
    sign | ((exponent + 15) as u16) << 10 | mantissa
}

/// Returns the value of half precision bits.
pub fn half_value(bits: u16) -> f64 {
    let sign = if bits & 0x8000 != 0 { -1.0 } else { 1.0 };
    let (exponent, mantissa) = (i32::from(bits >> 10 & 0x1f), f64::from(bits & 0x3ff));
    sign * match exponent {
        0 => mantissa * 2f64.powi(-24),
        31 if mantissa == 0.0 => f64::INFINITY,
        31 => f64::NAN,
        _ => (1024.0 + mantissa) * 2f64.powi(exponent - 25),
    }
}

/// Converts between scalars as C does.
pub fn convert(value: ScalarConst, from: Scalar, to: Scalar) -> ScalarConst {
    match (value, to.is_float()) {
        (ScalarConst::Float(v), true) => ScalarConst::Float(round(v, to)),
        (ScalarConst::Float(v), false) => ScalarConst::Int(truncate(float_to_bits(v, to), to)),
        (ScalarConst::Int(bits), true) => ScalarConst::Float(int_to_float(bits, from, to)),
        (ScalarConst::Int(bits), false) => {
            let wide = if from.is_signed_int() { sign_extend(bits, from) as u64 } else { bits };
            ScalarConst::Int(truncate(wide, to))
        }
    }
}

fn float_to_bits(value: f64, to: Scalar) -> u64 {
    if to == Scalar::ULong {
        return value as u64;
    }
    value as i64 as u64
}

/// Converts an integer to a float with a single rounding.
fn int_to_float(bits: u64, from: Scalar, to: Scalar) -> f64 {
    let signed = from.is_signed_int();
    let value = sign_extend(bits, from);
    match (to, signed) {
        (Scalar::Float, true) => f64::from(value as f32),
        (Scalar::Float, false) => f64::from(bits as f32),
        (Scalar::Half, true) => round_half(value as f64),
        (Scalar::Half, false) => round_half(bits as f64),
        (_, true) => value as f64,
        (_, false) => bits as f64,
    }
}

/// Evaluates `-`, `~` or `!`; the last gives 1 or 0.
pub fn unary(op: UnaryOp, value: ScalarConst, scalar: Scalar) -> ScalarConst {
    match (op, value) {
        (UnaryOp::LogicalNot, v) => ScalarConst::Int(u64::from(!v.truth())),
        (UnaryOp::Neg, ScalarConst::Float(v)) => ScalarConst::Float(-v),
        (UnaryOp::Neg, ScalarConst::Int(v)) => ScalarConst::Int(truncate(v.wrapping_neg(), scalar)),
        (UnaryOp::BitNot, ScalarConst::Int(v)) => ScalarConst::Int(truncate(!v, scalar)),
        (UnaryOp::BitNot, other) => other,
    }
}

/// Evaluates `a op b`, both of type `scalar`; comparisons give 1 or 0. Returns `None` for a division by zero, which
/// is not a constant.
pub fn binary(op: BinaryOp, a: ScalarConst, b: ScalarConst, scalar: Scalar) -> Option<ScalarConst> {
    match (a, b) {
        (ScalarConst::Float(x), ScalarConst::Float(y)) => float_binary(op, x, y, scalar),
        (ScalarConst::Int(x), ScalarConst::Int(y)) => int_binary(op, x, y, scalar),
        _ => None,
    }
}

fn float_binary(op: BinaryOp, x: f64, y: f64, scalar: Scalar) -> Option<ScalarConst> {
    let value = match op {
        BinaryOp::Add => x + y,
        BinaryOp::Sub => x - y,
        BinaryOp::Mul | BinaryOp::MulUnrounded => x * y,
        BinaryOp::Div => x / y,
        BinaryOp::Eq => return bool_const(x == y),
        BinaryOp::Ne => return bool_const(x != y),
        BinaryOp::Lt => return bool_const(x < y),
        BinaryOp::Le => return bool_const(x <= y),
        BinaryOp::Gt => return bool_const(x > y),
        BinaryOp::Ge => return bool_const(x >= y),
        BinaryOp::And => return bool_const(x != 0.0 && y != 0.0),
        BinaryOp::Or => return bool_const(x != 0.0 || y != 0.0),
        _ => return None,
    };
    Some(ScalarConst::Float(round(value, scalar)))
}

fn bool_const(value: bool) -> Option<ScalarConst> {
    Some(ScalarConst::Int(u64::from(value)))
}

fn int_binary(op: BinaryOp, x: u64, y: u64, scalar: Scalar) -> Option<ScalarConst> {
    let signed = scalar.is_signed_int();
    let (sx, sy) = (sign_extend(x, scalar), sign_extend(y, scalar));
    let order = if signed { sx.cmp(&sy) } else { x.cmp(&y) };
    let count = (y & (scalar.size() * 8 - 1)) as u32;
    let bits = match op {
        BinaryOp::Add => x.wrapping_add(y),
        BinaryOp::Sub => x.wrapping_sub(y),
        BinaryOp::Mul | BinaryOp::MulUnrounded => x.wrapping_mul(y),
        BinaryOp::Div | BinaryOp::Rem if y == 0 => return None,
        BinaryOp::Div if signed => sx.wrapping_div(sy) as u64,
        BinaryOp::Div => x / y,
        BinaryOp::Rem if signed => sx.wrapping_rem(sy) as u64,
        BinaryOp::Rem => x % y,
        BinaryOp::Shl => x << count,
        BinaryOp::Shr if signed => (sx >> count) as u64,
        BinaryOp::Shr => x >> count,
        BinaryOp::BitAnd => x & y,
        BinaryOp::BitOr => x | y,
        BinaryOp::BitXor => x ^ y,
        BinaryOp::Eq => return bool_const(x == y),
        BinaryOp::Ne => return bool_const(x != y),
        BinaryOp::Lt => return bool_const(order.is_lt()),
        BinaryOp::Le => return bool_const(order.is_le()),
        BinaryOp::Gt => return bool_const(order.is_gt()),
        BinaryOp::Ge => return bool_const(order.is_ge()),
        BinaryOp::And => return bool_const(x != 0 && y != 0),
        BinaryOp::Or => return bool_const(x != 0 || y != 0),
    };
    Some(ScalarConst::Int(truncate(bits, scalar)))
}

/// Returns the bit pattern of a number, zero-extended.
pub fn bits(value: ScalarConst, scalar: Scalar) -> u64 {
    match (value, scalar) {
        (ScalarConst::Int(bits), _) => bits,
        (ScalarConst::Float(v), Scalar::Half) => u64::from(half_bits(v)),
        (ScalarConst::Float(v), Scalar::Float) => u64::from((v as f32).to_bits()),
        (ScalarConst::Float(v), _) => v.to_bits(),
    }
}

/// Returns the number with this bit pattern.
pub fn from_bits(bits: u64, scalar: Scalar) -> ScalarConst {
    match scalar {
        Scalar::Half => ScalarConst::Float(half_value(bits as u16)),
        Scalar::Float => ScalarConst::Float(f64::from(f32::from_bits(bits as u32))),
        Scalar::Double => ScalarConst::Float(f64::from_bits(bits)),
        _ => ScalarConst::Int(truncate(bits, scalar)),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn halves_round_trip() {
        for bits in 0..=u16::MAX {
            let value = half_value(bits);
            if !value.is_nan() {
                assert_eq!(half_bits(round_half(value)), bits);
            }
        }
        assert_eq!(round_half(65520.0), f64::INFINITY);
        assert_eq!(round_half(65519.0), 65504.0);
        assert_eq!(round_half(2f64.powi(-25)), 0.0);
        assert_eq!(round_half(1.0 + 2f64.powi(-11)), 1.0);
    }

    #[test]
    fn conversions_and_shifts() {
        let c = |v, from, to| convert(v, from, to);
        assert_eq!(c(ScalarConst::Int(0xff), Scalar::Char, Scalar::Int), ScalarConst::Int(0xffff_ffff));
        assert_eq!(c(ScalarConst::Float(-1.5), Scalar::Float, Scalar::UChar), ScalarConst::Int(0xff));
        let shr = binary(BinaryOp::Shr, ScalarConst::Int(0xffff_fff8), ScalarConst::Int(33), Scalar::Int);
        assert_eq!(shr, Some(ScalarConst::Int(0xffff_fffc)));
    }
}
