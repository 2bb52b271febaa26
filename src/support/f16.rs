//! IEEE 754 binary16 as bits in a `u16`: exact widening, and narrowing with one rounding to nearest, ties to even.

/// Converts half bits to `f32`, exactly.
pub fn to_f32(bits: u16) -> f32 {
    let sign = u32::from(bits & 0x8000) << 16;
    let exponent = u32::from(bits >> 10 & 0x1f);
    let fraction = u32::from(bits & 0x3ff);
    match exponent {
        0 => {
            // Subnormal: fraction × 2^-24, exact in f32.
            let magnitude = fraction as f32 * f32::from_bits(0x3380_0000);
            f32::from_bits(magnitude.to_bits() | sign)
        }
        // NaNs become quiet and keep their payload.
        31 if fraction != 0 => f32::from_bits(sign | 0x7fc0_0000 | fraction << 13),
        31 => f32::from_bits(sign | 0x7f80_0000),
        _ => f32::from_bits(sign | (exponent + 112) << 23 | fraction << 13),
    }
}

/// Rounds `value` once to the nearest half and returns its bits.
pub fn from_f64(value: f64) -> u16 {
    let bits = value.to_bits();
    let sign = (bits >> 48 & 0x8000) as u16;
    let exponent = (bits >> 52 & 0x7ff) as i32 - 1023;
    let fraction = bits & ((1 << 52) - 1);
    if exponent == 1024 {
        let payload = (fraction >> 42) as u16;
        return if fraction == 0 { sign | 0x7c00 } else { sign | 0x7e00 | payload };
    }
    if exponent < -26 {
        return sign;
    }
    // The significand with its hidden bit, and the number of its bits below the last bit of a half.
    let significand = fraction | 1 << 52;
    let shift = if exponent < -14 { 42 + (-14 - exponent) } else { 42 } as u32;
    let kept = significand >> shift;
    let rest = significand & ((1 << shift) - 1);
    let tie = 1u64 << (shift - 1);
    let rounded = kept + u64::from(rest > tie || (rest == tie && kept & 1 == 1));
    // A normal significand has bit 10 set, which adds one to the exponent in `base`.
    let base = if exponent < -14 { 0 } else { (exponent + 14) as u64 };
    let result = (base << 10) + rounded;
    if result >= 0x7c00 { sign | 0x7c00 } else { sign | result as u16 }
}

#[cfg(test)]
mod tests {
    use super::{from_f64, to_f32};

    #[test]
    fn every_half_survives_the_round_trip() {
        for bits in 0..=u16::MAX {
            let value = to_f32(bits);
            if value.is_nan() {
                assert_eq!(from_f64(f64::from(value)), bits | 0x200);
            } else {
                assert_eq!(from_f64(f64::from(value)), bits, "{bits:#x} is {value}");
            }
        }
    }

    #[test]
    fn rounds_to_nearest_even_once() {
        assert_eq!(from_f64(65519.99), 0x7bff);
        assert_eq!(from_f64(65520.0), 0x7c00);
        assert_eq!(from_f64(2f64.powi(-25)), 0);
        assert_eq!(from_f64(2f64.powi(-25) * 1.0001), 1);
        assert_eq!(from_f64(1.0 + 2f64.powi(-11)), 0x3c00);
        // A conversion through f32 would round twice here.
        assert_eq!(from_f64(1.0 + 2f64.powi(-11) + 2f64.powi(-40)), 0x3c01);
    }
}
