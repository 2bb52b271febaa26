//! Texts of floating-point literals: as C's `printf` writes them with as many digits as tell all values apart, and in
//! hexadecimal where decimal digits do not say the bits (infinities, NaNs, subnormal numbers, halves).

use std::fmt::Write as _;

/// Fields of a format.
struct Format {
    fraction_bits: u32,
    exponent_bits: u32,
}

impl Format {
    /// Returns the format of a width, which is 16, 32 or 64.
    fn of(width: u32) -> Format {
        match width {
            16 => Format { fraction_bits: 10, exponent_bits: 5 },
            32 => Format { fraction_bits: 23, exponent_bits: 8 },
            64 => Format { fraction_bits: 52, exponent_bits: 11 },
            _ => unreachable!("SPIR-V has no other literals"),
        }
    }

    fn bias(&self) -> i32 {
        (1 << (self.exponent_bits - 1)) - 1
    }

    /// Returns sign, exponent and fraction of a number.
    fn split(&self, bits: u64) -> (bool, u64, u64) {
        let exponent = bits >> self.fraction_bits & ((1 << self.exponent_bits) - 1);
        let fraction = bits & ((1 << self.fraction_bits) - 1);
        (bits >> (self.fraction_bits + self.exponent_bits) & 1 != 0, exponent, fraction)
    }
}

/// Returns the text of the float of these bits.
pub(crate) fn print(bits: u64, width: u32) -> String {
    let format = Format::of(width);
    let (_, exponent, fraction) = format.split(bits);
    let is_normal = exponent != 0 && exponent != (1 << format.exponent_bits) - 1;
    match width {
        32 if is_normal || exponent | fraction == 0 => decimal(f64::from(f32::from_bits(bits as u32)), 9),
        64 if is_normal || exponent | fraction == 0 => decimal(f64::from_bits(bits), 17),
        _ => hexadecimal(bits, &format),
    }
}

/// Writes a number as `printf("%.{digits}g")` does.
fn decimal(value: f64, digits: usize) -> String {
    let text = format!("{value:.*e}", digits - 1);
    let (mantissa, exponent) = text.split_once('e').expect("the form has an exponent");
    let exponent: i32 = exponent.parse().expect("an exponent is a number");
    let shortened = |text: &str| match text.contains('.') {
        true => text.trim_end_matches('0').trim_end_matches('.').to_owned(),
        false => text.to_owned(),
    };
    if exponent < -4 || exponent >= digits as i32 {
        let sign = if exponent < 0 { '-' } else { '+' };
        return format!("{}e{sign}{:02}", shortened(mantissa), exponent.unsigned_abs());
    }
    shortened(&format!("{value:.*}", (digits as i32 - 1 - exponent) as usize))
}

/// Writes a number as `0x1.8p+1`. Infinities and NaNs have the exponent that follows the last one.
fn hexadecimal(bits: u64, format: &Format) -> String {
    let (is_negative, biased, fraction) = format.split(bits);
    let mut exponent = biased as i32 - format.bias();
    let mut fraction = fraction;
    let is_zero = biased | fraction == 0;
    if is_zero {
        exponent = 0;
    } else if biased == 0 {
        // The first bit of a subnormal number becomes the digit before the point.
        let zeros = fraction.leading_zeros() - (u64::BITS - format.fraction_bits);
        fraction = fraction << (zeros + 1) & ((1 << format.fraction_bits) - 1);
        exponent -= zeros as i32;
    }
    let digits = format.fraction_bits.div_ceil(4);
    fraction <<= 4 * digits - format.fraction_bits;
    let mut text = format!("{}0x{}", if is_negative { "-" } else { "" }, u8::from(!is_zero));
    if fraction != 0 {
        let shown = format!("{fraction:0width$x}", width = digits as usize);
        text.push('.');
        text.push_str(shown.trim_end_matches('0'));
    }
    let _ = write!(text, "p{exponent:+}");
    text
}

/// Returns the bits of a float in decimal or hexadecimal, or `None` if the text is none or too large. Numbers are rounded
/// to the nearest, but hexadecimal ones must be exact.
pub fn parse(text: &str, width: u32) -> Option<u64> {
    let format = Format::of(width);
    let (is_negative, magnitude) = text.strip_prefix('-').map_or((false, text), |rest| (true, rest));
    let sign = u64::from(is_negative) << (width - 1);
    if let Some(hex) = magnitude.strip_prefix("0x").or_else(|| magnitude.strip_prefix("0X")) {
        return parse_hexadecimal(hex, &format).map(|bits| bits | sign);
    }
    if !magnitude.starts_with(|c: char| c.is_ascii_digit() || c == '.') {
        return None;
    }
    let bits = match width {
        64 => magnitude.parse::<f64>().ok().filter(|value| value.is_finite())?.to_bits(),
        32 => u64::from(magnitude.parse::<f32>().ok().filter(|value| value.is_finite())?.to_bits()),
        _ => half(magnitude.parse::<f64>().ok()?)?,
    };
    Some(bits | sign)
}

/// Returns the half that is nearest to a number that is not negative, or `None` if that is infinite.
fn half(value: f64) -> Option<u64> {
    // Halves are multiples of 2⁻²⁴ below 2⁻¹⁴, and have eleven digits above. `f64` is exact for all of these.
    let exponent = ((value.to_bits() >> 52) as i32 - 1023).max(-14);
    let scaled = (value * f64::powi(2.0, 10 - exponent)).round_ties_even() as u64;
    // A carry into the exponent is right.
    let bits = scaled + ((exponent + 14) as u64) * 1024;
    (bits < 0x7c00).then_some(bits)
}

fn parse_hexadecimal(text: &str, format: &Format) -> Option<u64> {
    let (digits, exponent) = text.split_once(['p', 'P'])?;
    let (whole, part) = digits.split_once('.').unwrap_or((digits, ""));
    if whole.len() + part.len() > 16 || whole.is_empty() || exponent.len() > 6 {
        return None;
    }
    let mantissa = u64::from_str_radix(&format!("{whole}{part}"), 16).ok()?;
    let exponent = exponent.parse::<i32>().ok()? - 4 * part.len() as i32;
    if mantissa == 0 {
        return Some(0);
    }
    // The number is 1.f · 2^top.
    let length = (u64::BITS - mantissa.leading_zeros()) as i32;
    let top = exponent + length - 1;
    let (bias, fraction_bits) = (format.bias(), format.fraction_bits as i32);
    if top > bias + 1 {
        return None;
    }
    let is_subnormal = top < 1 - bias;
    let lowest = if is_subnormal { 1 - bias } else { top } - fraction_bits;
    let shift = exponent - lowest;
    let scaled = match shift {
        0..64 if mantissa.leading_zeros() as i32 >= shift => mantissa << shift,
        -63..0 if mantissa.trailing_zeros() as i32 >= -shift => mantissa >> -shift,
        _ => return None,
    };
    let biased = if is_subnormal { 0 } else { (top + bias) as u64 };
    Some(biased << fraction_bits | scaled & ((1 << fraction_bits) - 1))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn texts_as_spirv_dis_writes_them() {
        let single = |value: f32| print(u64::from(value.to_bits()), 32);
        assert_eq!(single(1.0), "1");
        assert_eq!(single(-0.0), "-0");
        assert_eq!(single(0.1), "0.100000001");
        assert_eq!(single(1e10), "1e+10");
        assert_eq!(single(-1.5e-7), "-1.50000005e-07");
        assert_eq!(single(123_456_789.0), "123456792");
        assert_eq!(single(f32::INFINITY), "0x1p+128");
        assert_eq!(single(f32::NAN), "0x1.8p+128");
        assert_eq!(print(1, 32), "0x1p-149");
        assert_eq!(print(0x8060_0000, 32), "-0x1.8p-127");
        assert_eq!(print(0.1_f64.to_bits(), 64), "0.10000000000000001");
        assert_eq!(print(0x3c00, 16), "0x1p+0");
        assert_eq!(print(0x3e01, 16), "0x1.804p+0");
        assert_eq!(print(0, 16), "0x0p+0");
    }

    #[test]
    fn every_half_and_some_others_are_read_again() {
        for bits in 0..=u64::from(u16::MAX) {
            assert_eq!(parse(&print(bits, 16), 16), Some(bits));
        }
        // Steps that are prime reach every exponent.
        for bits in (0..=u64::from(u32::MAX)).step_by(99_991) {
            assert_eq!(parse(&print(bits, 32), 32), Some(bits), "{bits:#x}");
        }
        for bits in (0..u64::MAX - (1 << 51)).step_by(922_337_203_685_477) {
            assert_eq!(parse(&print(bits, 64), 64), Some(bits), "{bits:#x}");
        }
    }

    #[test]
    fn halves_are_rounded() {
        assert_eq!(parse("1", 16), Some(0x3c00));
        assert_eq!(parse("-2.5", 16), Some(0xc100));
        assert_eq!(parse("65504", 16), Some(0x7bff));
        assert_eq!(parse("65520", 16), None);
        assert_eq!(parse("5.96046448e-08", 16), Some(1));
        assert_eq!(parse("0.00006103515625", 16), Some(0x0400));
        assert_eq!(parse("x", 32), None);
        assert_eq!(parse("1e99", 32), None);
        assert_eq!(parse("0x1.fp", 32), None);
    }
}
