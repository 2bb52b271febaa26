//! Errors in units in the last place of the infinitely precise result (OpenCL C s7.4, "Relative error as ULPs").

use super::number::{Type, exponent, power};

/// Real number (hi + lo) 2^scale, where `hi` alone has the precision of a double. Infinities, NaN and zeros are in
/// `hi`.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct Wide {
    pub hi: f64,
    pub lo: f64,
    pub scale: i32,
}

impl From<f64> for Wide {
    fn from(x: f64) -> Self {
        if x == 0.0 || !x.is_finite() {
            return Wide { hi: x, lo: 0.0, scale: 0 };
        }
        let (hi, scale) = libm::frexp(x);
        Wide { hi, lo: 0.0, scale }
    }
}

impl Wide {
    /// Returns the exponent of a finite number other than zero.
    fn exponent(self) -> i32 {
        let e = exponent(self.hi);
        // The number is just below a power of two.
        let below = is_power(self.hi) && self.lo != 0.0 && (self.lo < 0.0) == (self.hi > 0.0);
        e - i32::from(below) + self.scale
    }

    /// Returns the nearest double, for display.
    pub fn nearest(self) -> f64 {
        // Adding zero would lose the sign of a zero.
        let sum = if self.lo == 0.0 { self.hi } else { self.hi + self.lo };
        libm::ldexp(sum, self.scale)
    }

    /// Returns the nearest number of a type.
    pub fn round(self, ty: Type) -> f64 {
        if ty == Type::Double || self.lo == 0.0 || !self.hi.is_finite() {
            return ty.round(self.nearest());
        }
        // Making the last bit sticky prevents the second rounding from seeing a false tie.
        let (sum, rest) = two_sum(self.hi, self.lo);
        let even = sum.to_bits() & 1 == 0;
        let toward = if (rest > 0.0) == (sum > 0.0) { 1 } else { u64::MAX };
        let sticky =
            if rest != 0.0 && even { f64::from_bits(sum.to_bits().wrapping_add(toward)) } else { sum };
        ty.round(libm::ldexp(sticky, self.scale))
    }
}

/// Returns the rounded sum and its rounding error.
pub fn two_sum(a: f64, b: f64) -> (f64, f64) {
    let sum = a + b;
    let part = sum - a;
    (sum, (a - (sum - part)) + (b - part))
}

fn is_power(x: f64) -> bool {
    x.to_bits() & 0xf_ffff_ffff_ffff == 0
}

/// Returns the signed distance of `got` from `want` in ulps of `want`. The distance is infinite between NaN and a
/// number, and between different infinities. A premature overflow counts as if the exponent range were unlimited.
pub fn error(got: f64, want: Wide, ty: Type) -> f64 {
    if want.hi.is_nan() || got.is_nan() {
        return if want.hi.is_nan() && got.is_nan() { 0.0 } else { f64::INFINITY };
    }
    if want.hi.is_infinite() {
        return if got == want.hi { 0.0 } else { f64::INFINITY };
    }
    if want.hi == 0.0 {
        return if got.is_infinite() { f64::INFINITY } else { got / ulp(ty.smallest_exponent(), ty) };
    }
    // The result is correctly rounded, even if it is infinite.
    if got == want.round(ty) && got.is_infinite() {
        return 0.0;
    }
    let e = want.exponent();
    // The neighbors of a power of two have different distances. The smaller one counts.
    let lower = is_power(want.hi) && want.lo == 0.0;
    let unit = (e - i32::from(lower)).max(ty.smallest_exponent()) - (ty.digits() - 1);
    // got 2^-scale is exact unless the result is far off.
    let scaled = if got.is_infinite() {
        libm::ldexp(1f64.copysign(got), ty.largest_exponent() + 1 - want.scale)
    } else {
        libm::ldexp(got, -want.scale)
    };
    libm::ldexp((scaled - want.hi) - want.lo, want.scale - unit)
}

fn ulp(exponent: i32, ty: Type) -> f64 {
    power(exponent - (ty.digits() - 1))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn of_normal_numbers() {
        let next = f64::from(1f32.next_up());
        assert_eq!(error(next, 1.0.into(), Type::Float), 2.0);
        assert_eq!(error(next, Wide { hi: 1.0, lo: power(-60), scale: 0 }, Type::Float).round(), 1.0);
        assert_eq!(error(1.5, 1.5.into(), Type::Double), 0.0);
        assert_eq!(error(1.5, Wide { hi: 1.5, lo: power(-53), scale: 0 }, Type::Double), -0.5);
        assert_eq!(error(3.0, Wide { hi: 1.5, lo: power(-53), scale: 1 }, Type::Double), -0.5);
    }

    #[test]
    fn of_subnormal_numbers() {
        assert_eq!(error(0.0, power(-149).into(), Type::Float), -1.0);
        assert_eq!(error(0.0, power(-151).into(), Type::Float), -0.25);
        assert_eq!(error(power(-1074), Wide { hi: 1.5, lo: 0.0, scale: -1074 }, Type::Double), -0.5);
        assert_eq!(error(0.0, Wide { hi: 1.5, lo: 0.0, scale: -3000 }, Type::Double), 0.0);
    }

    #[test]
    fn of_overflow() {
        let beyond = Wide { hi: 1.5, lo: 0.0, scale: 2000 };
        assert_eq!(error(f64::INFINITY, beyond, Type::Double), 0.0);
        assert!(error(f64::MAX, beyond, Type::Double).abs() > 1e15);
        assert_eq!(error(f64::INFINITY, f64::MAX.into(), Type::Double), 1.0);
        assert_eq!(error(f64::INFINITY, Type::Float.largest().into(), Type::Float), 1.0);
        assert_eq!(error(f64::INFINITY, 1e39.into(), Type::Float), 0.0);
        assert_eq!(error(f64::NEG_INFINITY, f64::INFINITY.into(), Type::Float), f64::INFINITY);
        assert_eq!(error(f64::NAN, 1.0.into(), Type::Float), f64::INFINITY);
    }

    #[test]
    fn rounding_is_done_once() {
        // Slightly above a tie of floats.
        let want = Wide { hi: 1.0 + power(-24), lo: power(-80), scale: 0 };
        assert_eq!(want.round(Type::Float), 1.0 + power(-23));
        let want = Wide { hi: 1.0 + power(-24), lo: -power(-80), scale: 0 };
        assert_eq!(want.round(Type::Float), 1.0);
    }
}
