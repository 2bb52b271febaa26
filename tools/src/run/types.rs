//! Element types: scalars of OpenCL C, and vectors of them.

use half::f16;

use crate::problem::{Result, input};

/// Scalar type.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Scalar {
    I8,
    U8,
    I16,
    U16,
    I32,
    U32,
    I64,
    U64,
    F16,
    F32,
    F64,
}

use Scalar::{F16, F32, F64, I8, I16, I32, I64, U8, U16, U32, U64};

/// Number of the user's input or of a result.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Number {
    Int(i128),
    Float(f64),
}

impl Number {
    /// Parses a number: decimal or hexadecimal, with a fraction or an exponent, `inf`, `nan`; a suffix of C is
    /// allowed.
    pub fn parse(text: &str) -> Option<Number> {
        let (sign, digits) = match text.strip_prefix('-') {
            Some(rest) => (-1, rest),
            None => (1, text.strip_prefix('+').unwrap_or(text)),
        };
        if digits.starts_with(['-', '+']) {
            return None;
        }
        if let Some(hex) = digits.strip_prefix("0x").or_else(|| digits.strip_prefix("0X")) {
            let hex = hex.trim_end_matches(['u', 'U', 'l', 'L']);
            return u64::from_str_radix(hex, 16).ok().map(|number| Number::Int(sign * i128::from(number)));
        }
        let whole = digits.trim_end_matches(['u', 'U', 'l', 'L']);
        if !whole.is_empty() && whole.bytes().all(|byte| byte.is_ascii_digit()) {
            let fits = |number: &i128| *number <= u64::MAX.into();
            if let Some(number) = whole.parse::<i128>().ok().filter(fits) {
                return Some(Number::Int(sign * number));
            }
        }
        let float = match digits.strip_suffix(['f', 'F', 'h', 'H']) {
            Some(rest) if !digits.eq_ignore_ascii_case("inf") => rest,
            _ => digits,
        };
        float.parse::<f64>().ok().map(|number| Number::Float(number * sign as f64))
    }

    /// Converts the number to a float.
    pub fn float(self) -> f64 {
        match self {
            Number::Int(number) => number as f64,
            Number::Float(number) => number,
        }
    }
}

impl std::fmt::Display for Number {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Number::Int(number) => write!(f, "{number}"),
            Number::Float(number) => write!(f, "{number}"),
        }
    }
}

impl Scalar {
    /// Returns the scalar type with a name of OpenCL C.
    pub fn named(name: &str) -> Option<Scalar> {
        let names: [(&[&str], Scalar); 11] = [
            (&["char", "signed char", "int8_t", "i8"], I8),
            (&["uchar", "unsigned char", "bool", "uint8_t", "u8"], U8),
            (&["short", "signed short", "short int", "int16_t", "i16"], I16),
            (&["ushort", "unsigned short", "uint16_t", "u16"], U16),
            (&["int", "signed int", "signed", "int32_t", "i32"], I32),
            (&["uint", "unsigned int", "unsigned", "uint32_t", "u32"], U32),
            (&["long", "signed long", "long int", "int64_t", "i64"], I64),
            (&["ulong", "unsigned long", "uint64_t", "u64"], U64),
            (&["half", "f16"], F16),
            (&["float", "f32"], F32),
            (&["double", "f64"], F64),
        ];
        names.iter().find(|(names, _)| names.contains(&name)).map(|(_, scalar)| *scalar)
    }

    /// Returns the name in OpenCL C.
    pub fn name(self) -> &'static str {
        match self {
            I8 => "char",
            U8 => "uchar",
            I16 => "short",
            U16 => "ushort",
            I32 => "int",
            U32 => "uint",
            I64 => "long",
            U64 => "ulong",
            F16 => "half",
            F32 => "float",
            F64 => "double",
        }
    }

    /// Returns the size in bytes.
    pub fn size(self) -> usize {
        match self {
            I8 | U8 => 1,
            I16 | U16 | F16 => 2,
            I32 | U32 | F32 => 4,
            I64 | U64 | F64 => 8,
        }
    }

    pub fn is_float(self) -> bool {
        matches!(self, F16 | F32 | F64)
    }

    /// Returns the smallest and largest number of an integer type.
    pub fn limits(self) -> (i128, i128) {
        match self {
            I8 => (i8::MIN.into(), i8::MAX.into()),
            U8 => (0, u8::MAX.into()),
            I16 => (i16::MIN.into(), i16::MAX.into()),
            U16 => (0, u16::MAX.into()),
            I32 => (i32::MIN.into(), i32::MAX.into()),
            U32 => (0, u32::MAX.into()),
            I64 => (i64::MIN.into(), i64::MAX.into()),
            U64 => (0, u64::MAX.into()),
            F16 | F32 | F64 => (0, 0),
        }
    }

    /// Appends the representation of a number.
    ///
    /// # Errors
    /// If an integer type cannot represent the number.
    pub fn encode(self, number: Number, to: &mut Vec<u8>) -> Result<()> {
        if self.is_float() {
            self.encode_float(number.float(), to);
            return Ok(());
        }
        let (low, high) = self.limits();
        let whole = match number {
            Number::Int(whole) => Some(whole),
            Number::Float(float) if float.fract() == 0.0 => Some(float as i128),
            Number::Float(_) => None,
        };
        match whole.filter(|whole| (low..=high).contains(whole)) {
            Some(whole) => to.extend(&whole.to_le_bytes()[..self.size()]),
            None => return input(format!("{number} is no {}", self.name())),
        }
        Ok(())
    }

    fn encode_float(self, number: f64, to: &mut Vec<u8>) {
        match self {
            F16 => to.extend(f16::from_f64(number).to_le_bytes()),
            F32 => to.extend((number as f32).to_le_bytes()),
            _ => to.extend(number.to_le_bytes()),
        }
    }

    /// Reads a number from the first bytes.
    pub fn decode(self, bytes: &[u8]) -> Number {
        let mut eight = [0; 8];
        eight[..self.size()].copy_from_slice(&bytes[..self.size()]);
        let bits = u64::from_le_bytes(eight);
        match self {
            U8 | U16 | U32 | U64 => Number::Int(bits.into()),
            I8 => Number::Int((bits as i8).into()),
            I16 => Number::Int((bits as i16).into()),
            I32 => Number::Int((bits as i32).into()),
            I64 => Number::Int((bits as i64).into()),
            F16 => Number::Float(f16::from_bits(bits as u16).to_f64()),
            F32 => Number::Float(f32::from_bits(bits as u32).into()),
            F64 => Number::Float(f64::from_bits(bits)),
        }
    }

    /// Formats a number with the fewest digits that distinguish it from its neighbors.
    pub fn shown(self, bytes: &[u8]) -> String {
        match (self, self.decode(bytes)) {
            (F16, Number::Float(number)) => f16::from_f64(number).to_string(),
            (F32, Number::Float(number)) => {
                short(&format!("{}", number as f32), &format!("{:e}", number as f32))
            }
            (_, Number::Float(number)) => short(&format!("{number}"), &format!("{number:e}")),
            (_, number) => number.to_string(),
        }
    }
}

/// Returns the shorter of two representations of a number.
fn short(plain: &str, exponent: &str) -> String {
    if plain.len() > 12 && exponent.len() < plain.len() { exponent.into() } else { plain.into() }
}

/// Scalar or vector type.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Element {
    pub scalar: Scalar,
    /// Number of lanes: 1, 2, 3, 4, 8 or 16.
    pub lanes: usize,
}

impl Element {
    /// Returns the type with a name: `float4`, `unsigned int`, `uchar`.
    pub fn named(name: &str) -> Option<Element> {
        let name = name.trim();
        if let Some(scalar) = Scalar::named(name) {
            return Some(Element { scalar, lanes: 1 });
        }
        let digits = name.len() - name.bytes().rev().take_while(u8::is_ascii_digit).count();
        let (scalar, lanes) = (Scalar::named(&name[..digits])?, name[digits..].parse().ok()?);
        [2, 3, 4, 8, 16].contains(&lanes).then_some(Element { scalar, lanes })
    }

    /// Returns the size in bytes: vectors of three are as large as those of four.
    pub fn size(self) -> usize {
        self.scalar.size() * if self.lanes == 3 { 4 } else { self.lanes }
    }

    /// Returns the bytes of each component, from [`Element::size`] bytes.
    pub fn components(self, bytes: &[u8]) -> impl Iterator<Item = &[u8]> {
        bytes.chunks_exact(self.scalar.size()).take(self.lanes)
    }

    /// Returns the name in OpenCL C.
    pub fn name(self) -> String {
        let lanes = if self.lanes == 1 { String::new() } else { self.lanes.to_string() };
        format!("{}{lanes}", self.scalar.name())
    }

    /// Formats an element.
    pub fn shown(self, bytes: &[u8]) -> String {
        let shown: Vec<String> = self.components(bytes).map(|part| self.scalar.shown(part)).collect();
        if self.lanes == 1 { shown.concat() } else { format!("({})", shown.join(", ")) }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers() {
        assert_eq!(Number::parse("-12"), Some(Number::Int(-12)));
        assert_eq!(Number::parse("0xffu"), Some(Number::Int(255)));
        assert_eq!(Number::parse("1.5f"), Some(Number::Float(1.5)));
        assert_eq!(Number::parse("1e-3"), Some(Number::Float(1e-3)));
        assert_eq!(Number::parse("-inf"), Some(Number::Float(f64::NEG_INFINITY)));
        assert_eq!(Number::parse("100000000000000000000"), Some(Number::Float(1e20)));
        assert_eq!(Number::parse("18446744073709551615"), Some(Number::Int(u64::MAX.into())));
        assert!(["", "x", "1x", "--1", "0x", "1 2"].iter().all(|text| Number::parse(text).is_none()));
    }

    #[test]
    fn names() {
        assert_eq!(Element::named("float4"), Some(Element { scalar: F32, lanes: 4 }));
        assert_eq!(Element::named("unsigned int"), Some(Element { scalar: U32, lanes: 1 }));
        assert_eq!(Element::named("uchar3").map(Element::size), Some(4));
        assert!(Element::named("float5").is_none() && Element::named("struct s").is_none());
    }

    #[test]
    fn all_scalars_there_and_back() {
        for scalar in [I8, U8, I16, U16, I32, U32, I64, U64, F16, F32, F64] {
            assert_eq!(Scalar::named(scalar.name()), Some(scalar));
            let (low, high) = scalar.limits();
            let numbers = if scalar.is_float() {
                vec![Number::Float(-1.5), Number::Float(f64::INFINITY)]
            } else {
                vec![Number::Int(low), Number::Int(high), Number::Int(1)]
            };
            for number in numbers {
                let mut bytes = Vec::new();
                scalar.encode(number, &mut bytes).expect("it fits");
                assert_eq!((bytes.len(), scalar.decode(&bytes)), (scalar.size(), number));
            }
            if !scalar.is_float() {
                assert!(scalar.encode(Number::Int(high + 1), &mut Vec::new()).is_err());
                assert!(scalar.encode(Number::Float(0.5), &mut Vec::new()).is_err());
            }
        }
    }
}
