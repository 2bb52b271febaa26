//! Values of literals (C99 s6.4.4, OpenCL C s6.1.4 and s6.3.1).

use std::fmt;

use super::lex::universal_character;

/// Value and suffix of an integer constant.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Integer {
    pub value: u64,
    /// True if the constant has a `u` suffix.
    pub unsigned: bool,
    /// True if the constant has an `l` suffix.
    pub long: bool,
    /// True if the constant is not decimal, so that its type may be unsigned without a `u` suffix (C99 s6.4.4.1p5).
    pub may_be_unsigned: bool,
}

/// Suffix of a floating constant.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum FloatSuffix {
    None,
    Float,
    Half,
}

/// Value of a floating constant, rounded both to `double` and to `float`, since its type is not known yet.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Floating {
    pub as_double: f64,
    /// Value rounded directly to `float`; rounding `as_double` again could differ.
    pub as_float: f32,
    pub suffix: FloatSuffix,
}

/// Error in a literal. The text is the message of a diagnostic, to which the caller adds the source position.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum LiteralError {
    InvalidIntegerSuffix {
        suffix: String,
    },
    IntegerTooLarge,
    InvalidInteger {
        text: String,
    },
    InvalidFloating {
        text: String,
    },
    EmptyCharacter,
    CharacterTooLong,
    IncompleteEscape,
    /// Universal character name that begins with `\` and this letter.
    InvalidUniversalCharacter {
        letter: char,
    },
    MissingHexDigits,
    UnknownEscape {
        letter: char,
    },
}

impl fmt::Display for LiteralError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::InvalidIntegerSuffix { suffix } => {
                write!(f, "invalid suffix '{suffix}' on integer constant")
            }
            Self::IntegerTooLarge => f.write_str("integer constant is too large"),
            Self::InvalidInteger { text } => write!(f, "invalid integer constant '{text}'"),
            Self::InvalidFloating { text } => write!(f, "invalid floating constant '{text}'"),
            Self::EmptyCharacter => f.write_str("empty character constant"),
            Self::CharacterTooLong => f.write_str("character constant is too long"),
            Self::IncompleteEscape => f.write_str("incomplete escape sequence"),
            Self::InvalidUniversalCharacter { letter } => {
                write!(f, "'\\{letter}' does not name a character")
            }
            Self::MissingHexDigits => f.write_str("'\\x' needs hexadecimal digits"),
            Self::UnknownEscape { letter } => write!(f, "unknown escape sequence '\\{letter}'"),
        }
    }
}

impl std::error::Error for LiteralError {}

/// Checks whether the spelling of a number is that of a floating constant.
pub fn is_floating(text: &str) -> bool {
    let bytes = text.as_bytes();
    if is_hexadecimal(text) {
        return bytes.iter().any(|b| matches!(b, b'p' | b'P' | b'.'));
    }
    bytes.iter().any(|b| matches!(b, b'.' | b'e' | b'E'))
        || text.ends_with(['f', 'F', 'h', 'H']) && bytes[0].is_ascii_digit()
}

fn is_hexadecimal(text: &str) -> bool {
    text.starts_with("0x") || text.starts_with("0X")
}

/// Parses an integer constant.
pub fn integer(text: &str) -> Result<Integer, LiteralError> {
    let (radix, digits) = if is_hexadecimal(text) {
        (16, &text[2..])
    } else if text.starts_with("0b") || text.starts_with("0B") {
        (2, &text[2..])
    } else if text.len() > 1 && text.starts_with('0') {
        (8, &text[1..])
    } else {
        (10, text)
    };
    let end = digits
        .bytes()
        .position(|b| !(b as char).is_digit(if radix == 8 { 10 } else { radix }))
        .unwrap_or(digits.len());
    let (digits, suffix) = digits.split_at(end);
    let (unsigned, long) = match suffix.to_ascii_lowercase().as_str() {
        "" => (false, false),
        "u" => (true, false),
        "l" | "ll" => (false, true),
        "ul" | "lu" | "ull" | "llu" => (true, true),
        _ => return Err(LiteralError::InvalidIntegerSuffix { suffix: suffix.to_owned() }),
    };
    let digits = if digits.is_empty() && radix == 8 { "0" } else { digits };
    let value = match u64::from_str_radix(digits, radix) {
        Ok(value) => value,
        Err(e) if *e.kind() == std::num::IntErrorKind::PosOverflow => {
            return Err(LiteralError::IntegerTooLarge);
        }
        Err(_) => return Err(LiteralError::InvalidInteger { text: text.to_owned() }),
    };
    Ok(Integer { value, unsigned, long, may_be_unsigned: radix != 10 })
}

/// Parses a floating constant.
pub fn floating(text: &str) -> Result<Floating, LiteralError> {
    let hexadecimal = is_hexadecimal(text);
    let last = text.as_bytes()[text.len() - 1];
    let (digits, suffix) = match last {
        b'f' | b'F' if !hexadecimal || text.contains(['p', 'P']) => {
            (&text[..text.len() - 1], FloatSuffix::Float)
        }
        b'h' | b'H' => (&text[..text.len() - 1], FloatSuffix::Half),
        // `long double` is reserved (s6.1.4). Other compilers treat such a constant as a `double`.
        b'l' | b'L' => (&text[..text.len() - 1], FloatSuffix::None),
        _ => (text, FloatSuffix::None),
    };
    let invalid = || LiteralError::InvalidFloating { text: text.to_owned() };
    let (as_double, as_float) = if hexadecimal {
        let (mantissa, exponent, sticky) = hexadecimal_parts(digits).ok_or_else(invalid)?;
        (
            round_to(mantissa, exponent, sticky, 53, -1074, 1023),
            round_to(mantissa, exponent, sticky, 24, -149, 127) as f32,
        )
    } else {
        if !digits.bytes().all(|b| b.is_ascii_digit() || matches!(b, b'.' | b'e' | b'E' | b'+' | b'-')) {
            return Err(invalid());
        }
        (digits.parse().map_err(|_| invalid())?, digits.parse().map_err(|_| invalid())?)
    };
    Ok(Floating { as_double, as_float, suffix })
}

/// Parses a hexadecimal floating constant without its suffix. Returns the mantissa, the binary exponent, and true
/// if nonzero low digits were cut off.
fn hexadecimal_parts(text: &str) -> Option<(u64, i64, bool)> {
    let body = &text[2..];
    let (digits, exponent) = body.split_once(['p', 'P'])?;
    let mut exponent: i64 = exponent.parse::<i64>().ok()?.clamp(-100_000, 100_000);
    let (mut mantissa, mut sticky, mut after_point, mut any) = (0u64, false, false, false);
    for c in digits.chars() {
        if c == '.' && !after_point {
            after_point = true;
            continue;
        }
        let digit = u64::from(c.to_digit(16)?);
        any = true;
        if mantissa >> 60 == 0 {
            mantissa = mantissa << 4 | digit;
            exponent -= 4 * i64::from(after_point);
        } else {
            sticky |= digit != 0;
            exponent += 4 * i64::from(!after_point);
        }
    }
    any.then_some((mantissa, exponent, sticky))
}

/// Rounds `mantissa * 2^exponent` to `precision` bits, to nearest, ties to even. `min_exponent` is the exponent
/// of the smallest denormal, `max_exponent` that of the largest finite value. `sticky` is set if the exact value is
/// slightly larger than `mantissa`.
fn round_to(
    mantissa: u64,
    exponent: i64,
    sticky: bool,
    precision: i64,
    min_exponent: i64,
    max_exponent: i64,
) -> f64 {
    if mantissa == 0 {
        return 0.0;
    }
    let bits = 64 - i64::from(mantissa.leading_zeros());
    // Exponent of the last bit that is kept.
    let last = (exponent + bits - precision).max(min_exponent);
    let drop = last - exponent;
    let (mut kept, mut last) = (u128::from(mantissa), last);
    if drop > 0 {
        let drop = drop.min(100) as u32;
        let rest = kept & ((1 << drop) - 1);
        let half = 1u128 << (drop - 1);
        kept >>= drop;
        if rest > half || rest == half && (sticky || kept & 1 == 1) {
            kept += 1;
        }
    } else {
        last = exponent;
    }
    let top = last + 127 - i64::from(kept.leading_zeros());
    if kept != 0 && top > max_exponent {
        return f64::INFINITY;
    }
    scale(kept as f64, last)
}

fn scale(value: f64, exponent: i64) -> f64 {
    // The value already has its final precision. The scaling is divided into steps that neither overflow nor round.
    let (mut value, mut exponent) = (value, exponent);
    while exponent < -1000 && value != 0.0 {
        // Keep the mantissa normal until the last step.
        let step = exponent.max(-1000);
        if exponent - step < -1000 {
            return 0.0;
        }
        value *= (step as f64).exp2();
        exponent -= step;
    }
    value * (exponent.clamp(-1000, 1023) as f64).exp2()
}

/// Returns the `int` value of a character constant, which is given with its quotes.
pub fn character(text: &str) -> Result<i32, LiteralError> {
    let bytes = unescape(&text[1..text.len() - 1])?;
    match bytes.as_slice() {
        [] => Err(LiteralError::EmptyCharacter),
        [one] => Ok(i32::from(*one as i8)),
        many if many.len() <= 4 => Ok(many.iter().fold(0, |value, b| value << 8 | i32::from(*b))),
        _ => Err(LiteralError::CharacterTooLong),
    }
}

/// Returns the bytes of a string literal, which is given with its quotes. They have no final NUL.
pub fn string(text: &str) -> Result<Vec<u8>, LiteralError> {
    unescape(&text[1..text.len() - 1])
}

fn unescape(text: &str) -> Result<Vec<u8>, LiteralError> {
    let mut out = Vec::with_capacity(text.len());
    let mut rest = text.as_bytes();
    while let Some((&byte, after)) = rest.split_first() {
        rest = after;
        if byte != b'\\' {
            out.push(byte);
            continue;
        }
        let Some((&code, after)) = rest.split_first() else {
            return Err(LiteralError::IncompleteEscape);
        };
        rest = after;
        let simple = match code {
            b'n' => b'\n',
            b't' => b'\t',
            b'r' => b'\r',
            b'a' => 7,
            b'b' => 8,
            b'v' => 11,
            b'f' => 12,
            b'e' => 27,
            b'\\' | b'\'' | b'"' | b'?' => code,
            b'u' | b'U' => {
                let spelled = &text[text.len() - after.len() - 1..];
                let (named, len) = universal_character(spelled)
                    .ok_or(LiteralError::InvalidUniversalCharacter { letter: code as char })?;
                rest = &spelled.as_bytes()[len..];
                out.extend_from_slice(named.encode_utf8(&mut [0; 4]).as_bytes());
                continue;
            }
            b'x' => digits(&mut rest, 16, usize::MAX).ok_or(LiteralError::MissingHexDigits)?,
            b'0'..=b'7' => {
                rest = &text.as_bytes()[text.len() - after.len() - 1..];
                digits(&mut rest, 8, 3).expect("one digit is there")
            }
            other => return Err(LiteralError::UnknownEscape { letter: other as char }),
        };
        out.push(simple);
    }
    Ok(out)
}

/// Reads at most `limit` digits as one byte, or returns `None` if there are none.
fn digits(rest: &mut &[u8], radix: u32, limit: usize) -> Option<u8> {
    let count = rest.iter().take(limit).take_while(|b| (**b as char).is_digit(radix)).count();
    let value = rest[..count]
        .iter()
        .fold(0u32, |value, b| value << radix.trailing_zeros() | (*b as char).to_digit(radix).unwrap_or(0));
    *rest = &rest[count..];
    (count > 0).then_some(value as u8)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn integers() {
        let i = |t: &str| integer(t).map(|i| (i.value, i.unsigned, i.long));
        assert_eq!(i("0"), Ok((0, false, false)));
        assert_eq!(i("017"), Ok((15, false, false)));
        assert_eq!(i("0xFFul"), Ok((255, true, true)));
        assert_eq!(i("18446744073709551615u"), Ok((u64::MAX, true, false)));
        for bad in ["08", "1x", "0x", "18446744073709551616"] {
            assert!(integer(bad).is_err(), "{bad}");
        }
    }

    #[test]
    fn floats_round_once() {
        let f = |t: &str| floating(t).unwrap();
        assert_eq!(f("1.5f").as_float, 1.5);
        assert_eq!(f("0x1.8p1f").as_float, 3.0);
        assert_eq!(f("0x1.fffffep127f").as_float, f32::MAX);
        assert_eq!(f("0x1p-149f").as_float, f32::from_bits(1));
        assert_eq!(f("0x1p-1074").as_double, f64::from_bits(1));
        assert_eq!(f("0x1p-1075").as_double, 0.0);
        assert_eq!(f("0x1.fffffffffffffp1023").as_double, f64::MAX);
        assert_eq!(f("0x1.ffffffp127f").as_float, f32::INFINITY);
        assert_eq!(f("0x1.000001p0f").as_float, 1.0);
        assert_eq!(f("0x1.0000010000000001p0f").as_float, 1.0 + f32::EPSILON);
        assert_eq!(f("1e-3").as_double, 1e-3);
        assert_eq!((f("1.5L").as_double, f("0x1.8p1l").as_double), (1.5, 3.0));
        assert!(["1.0x", "1.0LL", "1.0fL"].iter().all(|t| floating(t).is_err()));
        assert!(is_floating("1f") && is_floating("1e5") && !is_floating("0xe5f"));
    }

    #[test]
    fn characters_and_strings() {
        assert_eq!(character("'a'"), Ok(97));
        assert_eq!(character("'\\n'"), Ok(10));
        assert_eq!(character("'\\xff'"), Ok(-1));
        assert_eq!(character("'\\0'"), Ok(0));
        assert_eq!(string("\"a\\101\\x41\\\"\""), Ok(b"aAA\"".to_vec()));
        assert_eq!(string("\"\\u00e9\\U0001f600\""), Ok("é😀".as_bytes().to_vec()));
        assert!(string("\"\\u12\"").is_err() && string("\"\\u0041\"").is_err());
        assert!(character("''").is_err());
        assert!(string("\"\\q\"").is_err());
    }
}
