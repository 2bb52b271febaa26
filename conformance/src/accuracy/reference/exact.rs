//! References for functions whose results are numbers of the type: exact or correctly rounded. Arguments of float
//! and half are doubles, in which most of these functions are exact too.

use super::super::number::{Type, exponent, power};
use super::super::ulp::two_sum;

type Args = [f64; 3];

macro_rules! one {
    ($($name:ident = |$x:ident| $value:expr;)*) => {
        $(pub fn $name(_: Type, [$x, ..]: Args) -> f64 { $value })*
    };
}

one! {
    ceil = |x| x.ceil();
    floor = |x| x.floor();
    trunc = |x| x.trunc();
    rint = |x| x.round_ties_even();
    round = |x| x.round();
    fabs = |x| x.abs();
    sign = |x| if x.is_nan() { 0.0 } else if x == 0.0 { x } else { x.signum() };
    nan = |_x| f64::NAN;
}

macro_rules! two {
    ($($name:ident = |$x:ident, $y:ident| $value:expr;)*) => {
        $(pub fn $name(_: Type, [$x, $y, _]: Args) -> f64 { $value })*
    };
}

two! {
    copysign = |x, y| x.copysign(y);
    fmin = |x, y| if x.is_nan() || y < x { y } else { x };
    fmin_other = |x, y| if y.is_nan() || x < y { x } else { y };
    fmax = |x, y| if x.is_nan() || x < y { y } else { x };
    fmax_other = |x, y| if y.is_nan() || y < x { x } else { y };
    min = |x, y| if y < x { y } else { x };
    max = |x, y| if x < y { y } else { x };
    step = |edge, x| if x < edge { 0.0 } else { 1.0 };
    fmod = |x, y| x % y;
}

fn by_size(ty: Type, args: Args, greater: bool, same: fn(Type, Args) -> f64) -> f64 {
    let [x, y, _] = args;
    if x.abs() > y.abs() {
        if greater { x } else { y }
    } else if y.abs() > x.abs() {
        if greater { y } else { x }
    } else {
        same(ty, args)
    }
}

pub fn maxmag(ty: Type, args: Args) -> f64 {
    by_size(ty, args, true, fmax)
}

pub fn maxmag_other(ty: Type, args: Args) -> f64 {
    by_size(ty, args, true, fmax_other)
}

pub fn minmag(ty: Type, args: Args) -> f64 {
    by_size(ty, args, false, fmin)
}

pub fn minmag_other(ty: Type, args: Args) -> f64 {
    by_size(ty, args, false, fmin_other)
}

/// Returns the median, for arguments with `low` not above `high`.
pub fn clamp(_: Type, [x, low, high]: Args) -> f64 {
    if x < low {
        low
    } else if x > high {
        high
    } else {
        x
    }
}

/// Returns the sum, rounded once to the type.
fn sum(ty: Type, a: f64, b: f64) -> f64 {
    let (sum, rest) = two_sum(a, b);
    if ty == Type::Double || rest == 0.0 || !sum.is_finite() || !rest.is_finite() || sum.to_bits() & 1 == 1 {
        return ty.round(sum);
    }
    // Round to odd, so that the second rounding is correct.
    let away = (rest > 0.0) == (sum > 0.0);
    ty.round(f64::from_bits(sum.to_bits().wrapping_add(if away { 1 } else { u64::MAX })))
}

pub fn fdim(ty: Type, [x, y, _]: Args) -> f64 {
    if x.is_nan() || y.is_nan() {
        f64::NAN
    } else if x > y {
        sum(ty, x, -y)
    } else {
        0.0
    }
}

pub fn fma(ty: Type, [a, b, c]: Args) -> f64 {
    match ty {
        Type::Double => a.mul_add(b, c),
        // The product of two numbers is exact in a double.
        Type::Float | Type::Half => {
            let product = a * b;
            if product.is_finite() && c.is_finite() { sum(ty, product, c) } else { ty.round(product + c) }
        }
    }
}

/// Returns a product and a sum, each of them rounded.
pub fn multiply_add(ty: Type, [a, b, c]: Args) -> f64 {
    sum(ty, ty.round(a * b), c)
}

pub fn divide(ty: Type, [x, y, _]: Args) -> f64 {
    // Double has more than twice as many digits plus two, so rounding twice is harmless.
    ty.round(x / y)
}

pub fn recip(ty: Type, [x, ..]: Args) -> f64 {
    ty.round(1.0 / x)
}

pub fn sqrt(ty: Type, [x, ..]: Args) -> f64 {
    ty.round(x.sqrt())
}

pub fn to_float(_: Type, [x, ..]: Args) -> f64 {
    Type::Float.round(x)
}

pub fn same(_: Type, [x, ..]: Args) -> f64 {
    x
}

/// Returns fmin(x - floor(x), the largest number below one) (s6.13.2).
pub fn fract(ty: Type, [x, ..]: Args) -> f64 {
    if x == 0.0 || x.is_nan() {
        x
    } else if x.is_infinite() {
        0f64.copysign(x)
    } else {
        sum(ty, x, -x.floor()).min(1.0 - power(-ty.digits()))
    }
}

pub fn modf(_: Type, [x, ..]: Args) -> f64 {
    if x.is_infinite() { 0f64.copysign(x) } else { (x - x.trunc()).copysign(x) }
}

pub fn frexp(_: Type, [x, ..]: Args) -> f64 {
    if x == 0.0 || !x.is_finite() { x } else { libm::frexp(x).0 }
}

pub fn frexp_exponent(_: Type, [x, ..]: Args) -> f64 {
    if x == 0.0 || !x.is_finite() { 0.0 } else { f64::from(exponent(x) + 1) }
}

const INT_MAX: f64 = i32::MAX as f64;

/// Returns ilogb with the given values for zero and NaN. FP_ILOGB0 and FP_ILOGBNAN each have two permitted values.
fn ilogb_with(x: f64, of_zero: f64, of_nan: f64) -> f64 {
    if x == 0.0 {
        of_zero
    } else if x.is_nan() {
        of_nan
    } else if x.is_infinite() {
        INT_MAX
    } else {
        exponent(x).into()
    }
}

pub fn ilogb(_: Type, [x, ..]: Args) -> f64 {
    ilogb_with(x, -INT_MAX - 1.0, INT_MAX)
}

pub fn ilogb_other(_: Type, [x, ..]: Args) -> f64 {
    ilogb_with(x, -INT_MAX, -INT_MAX - 1.0)
}

pub fn logb(_: Type, [x, ..]: Args) -> f64 {
    if x.is_nan() {
        x
    } else {
        ilogb_with(x, -f64::INFINITY, x) * if x.is_infinite() { f64::INFINITY } else { 1.0 }
    }
}

pub fn ldexp(ty: Type, [x, k, _]: Args) -> f64 {
    // In a double, these shifts move the smallest and largest numbers out of range without rounding.
    let limit = if ty == Type::Double { 4400.0 } else { 500.0 };
    ty.round(libm::ldexp(x, k.clamp(-limit, limit) as i32))
}

pub fn nextafter(ty: Type, [x, y, _]: Args) -> f64 {
    if x.is_nan() || y.is_nan() {
        f64::NAN
    } else if x == y {
        y
    } else if x == 0.0 {
        ty.value(1).copysign(y)
    } else {
        ty.step(x, if (y > x) == (x > 0.0) { 1 } else { -1 })
    }
}

/// Returns the remainder, which is exact. It is NaN for NaN, for y = 0 and for infinite x (s7.5.1).
pub fn remainder(_: Type, [x, y, _]: Args) -> f64 {
    if x.is_nan() || y.is_nan() || x.is_infinite() || y == 0.0 {
        f64::NAN
    } else if y.is_infinite() {
        x
    } else {
        libm::remquo(x, y).0
    }
}

/// Returns the sign and the seven lowest bits of the quotient of remquo, or 0 if the remainder is NaN.
pub fn quotient(ty: Type, args: Args) -> f64 {
    let [x, y, _] = args;
    if remainder(ty, args).is_nan() || y.is_infinite() {
        return 0.0;
    }
    f64::from(libm::remquo(x, y).1 % 128)
}

/// Returns the sign of gamma, which is 0 at zero and at negative integers (s7.5.1).
pub fn gamma_sign(_: Type, [x, ..]: Args) -> f64 {
    if x <= 0.0 && x == x.trunc() && x.is_finite() {
        0.0
    } else if x < 0.0 && x.is_finite() && x.floor() % 2.0 != 0.0 {
        -1.0
    } else {
        1.0
    }
}

pub fn mix(ty: Type, [x, y, a]: Args) -> f64 {
    ty.round(x + (y - x) * a)
}

pub fn smoothstep(ty: Type, [low, high, x]: Args) -> f64 {
    let t = ((x - low) / (high - low)).clamp(0.0, 1.0);
    ty.round(t * t * (3.0 - 2.0 * t))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sums_of_halves_are_rounded_once() {
        // Ties, and a product slightly above one.
        assert_eq!(fma(Type::Half, [2050.0, 1.0, 1.0]), 2052.0);
        assert_eq!(fma(Type::Half, [2.0, 2.0, 8192.0]), 8192.0);
        assert_eq!(fma(Type::Half, [2.001953125, 2.0, 8192.0]), 8200.0);
        assert_eq!(fma(Type::Float, [1.0, 1.0 + power(-23), power(-24)]), 1.0 + power(-22));
    }

    #[test]
    fn neighbors() {
        assert_eq!(nextafter(Type::Float, [0.0, -1.0, 0.0]), -power(-149));
        assert_eq!(nextafter(Type::Half, [65504.0, f64::INFINITY, 0.0]), f64::INFINITY);
        assert_eq!(nextafter(Type::Double, [1.0, 0.0, 0.0]), 1.0 - power(-53));
        assert_eq!(nextafter(Type::Double, [-1.0, 0.0, 0.0]), -1.0 + power(-53));
    }

    #[test]
    fn quotients() {
        assert_eq!(quotient(Type::Float, [7.0, 2.0, 0.0]), 4.0);
        assert_eq!(quotient(Type::Float, [-5.0, 2.0, 0.0]), -2.0);
        assert_eq!(remainder(Type::Float, [-5.0, 2.0, 0.0]), -1.0);
        assert_eq!(remainder(Type::Float, [1.0, 0.0, 0.0]).to_bits() & 0x7ff << 52, 0x7ff << 52);
    }
}
