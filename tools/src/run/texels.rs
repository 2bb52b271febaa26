//! Texel formats by short names: channel order and type, as in `rgba8`, `r32f`, `rg16u`.

use half::f16;

use super::types::{Element, Number, Scalar};
use crate::cl::*;

/// Interpretation of a channel's bits.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Meaning {
    /// Fraction of the integer's range: zero to one, or minus one to one.
    Normalized,
    Plain,
}

/// Texel format.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Format {
    pub of_api: ImageFormat,
    pub channels: usize,
    pub scalar: Scalar,
    meaning: Meaning,
}

const ORDERS: [(&str, u32, usize); 9] = [
    ("srgba", CL_sRGBA, 4),
    ("rgba", CL_RGBA, 4),
    ("bgra", CL_BGRA, 4),
    ("rg", CL_RG, 2),
    ("r", CL_R, 1),
    ("a", CL_A, 1),
    ("l", CL_LUMINANCE, 1),
    ("i", CL_INTENSITY, 1),
    ("d", CL_DEPTH, 1),
];

const TYPES: [(&str, u32, Scalar, Meaning); 12] = [
    ("8", CL_UNORM_INT8, Scalar::U8, Meaning::Normalized),
    ("16", CL_UNORM_INT16, Scalar::U16, Meaning::Normalized),
    ("8s", CL_SNORM_INT8, Scalar::I8, Meaning::Normalized),
    ("16s", CL_SNORM_INT16, Scalar::I16, Meaning::Normalized),
    ("8i", CL_SIGNED_INT8, Scalar::I8, Meaning::Plain),
    ("16i", CL_SIGNED_INT16, Scalar::I16, Meaning::Plain),
    ("32i", CL_SIGNED_INT32, Scalar::I32, Meaning::Plain),
    ("8u", CL_UNSIGNED_INT8, Scalar::U8, Meaning::Plain),
    ("16u", CL_UNSIGNED_INT16, Scalar::U16, Meaning::Plain),
    ("32u", CL_UNSIGNED_INT32, Scalar::U32, Meaning::Plain),
    ("16f", CL_HALF_FLOAT, Scalar::F16, Meaning::Plain),
    ("32f", CL_FLOAT, Scalar::F32, Meaning::Plain),
];

impl Format {
    /// Returns a format by its name.
    pub fn parse(name: &str) -> Option<Format> {
        let (order, rest) = ORDERS.iter().find_map(|order| Some((order, name.strip_prefix(order.0)?)))?;
        let (_, data_type, scalar, meaning) = *TYPES.iter().find(|(name, ..)| *name == rest)?;
        let of_api = ImageFormat { order: order.1, data_type };
        Some(Format { of_api, channels: order.2, scalar, meaning })
    }

    /// Returns a format by its constants of the API.
    pub fn of_api(of_api: ImageFormat) -> Option<Format> {
        let order = ORDERS.iter().find(|order| order.1 == of_api.order)?;
        let (.., scalar, meaning) = *TYPES.iter().find(|ty| ty.1 == of_api.data_type)?;
        Some(Format { of_api, channels: order.2, scalar, meaning })
    }

    /// Returns the element type of a buffer with the same layout.
    pub fn element(&self) -> Element {
        Element { scalar: self.scalar, lanes: self.channels }
    }

    /// Returns the size of a texel in bytes.
    pub fn size(&self) -> usize {
        self.channels * self.scalar.size()
    }

    pub fn is_normalized(&self) -> bool {
        self.meaning == Meaning::Normalized
    }

    /// Converts a number to its representation in memory. For normalized formats numbers are from 0 to 1, or -1 to
    /// 1.
    pub fn stored(&self, number: Number) -> Number {
        if !self.is_normalized() {
            return number;
        }
        let (low, high) = self.scalar.limits();
        let scaled = (number.float() * high as f64).round_ties_even();
        Number::Int((scaled as i128).clamp(if low < 0 { low + 1 } else { low }, high))
    }

    /// Converts a picture's channel, 0 to 255, to its bytes in memory: integer formats keep the number, others
    /// store a fraction from 0 to 1.
    pub fn of_byte(&self, byte: u8) -> Vec<u8> {
        let number = match self.meaning {
            Meaning::Normalized => self.stored(Number::Float(f64::from(byte) / 255.0)),
            Meaning::Plain => of_byte(self.scalar, byte),
        };
        let mut bytes = Vec::new();
        // The value fits every type except `char`, whose maximum is 127.
        if self.scalar.encode(number, &mut bytes).is_err() {
            bytes = vec![0x7f];
        }
        bytes
    }

    /// Converts a channel in memory to that of a picture.
    pub fn byte_of(&self, bytes: &[u8]) -> u8 {
        let number = self.scalar.decode(bytes);
        match self.meaning {
            Meaning::Normalized => {
                let high = self.scalar.limits().1 as f64;
                (number.float() / high * 255.0).round().clamp(0.0, 255.0) as u8
            }
            Meaning::Plain => to_byte(number),
        }
    }

    /// Checks whether red and blue are swapped compared with a picture, whose order is red, green, blue, alpha.
    pub fn is_swapped(&self) -> bool {
        self.of_api.order == CL_BGRA
    }
}

/// Converts a picture's channel to a number of a type; floats are from 0 to 1.
pub fn of_byte(scalar: Scalar, byte: u8) -> Number {
    match scalar {
        Scalar::F16 => Number::Float(f16::from_f32(f32::from(byte) / 255.0).to_f64()),
        Scalar::F32 => Number::Float((f32::from(byte) / 255.0).into()),
        Scalar::F64 => Number::Float(f64::from(byte) / 255.0),
        Scalar::I8 => Number::Int(i128::from(byte).min(127)),
        _ => Number::Int(byte.into()),
    }
}

/// Converts a number to a picture's channel, clamped to its range.
pub fn to_byte(number: Number) -> u8 {
    match number {
        Number::Int(number) => number.clamp(0, 255) as u8,
        Number::Float(number) => (number * 255.0).round().clamp(0.0, 255.0) as u8,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_of_formats() {
        let format = Format::parse("bgra8").expect("a format");
        assert_eq!(Format::of_api(format.of_api), Some(format));
        assert_eq!((format.channels, format.size(), format.is_swapped()), (4, 4, true));
        assert_eq!(Format::parse("r32f").map(|f| f.of_api.data_type), Some(CL_FLOAT));
        assert_eq!(Format::parse("rg16u").map(|f| f.of_api.order), Some(CL_RG));
        assert!(["", "8", "rgba", "rgba9", "x8", "rgb8"].iter().all(|name| Format::parse(name).is_none()));
    }

    #[test]
    fn channels_there_and_back() {
        for name in ["rgba8", "r16", "r32f", "r16f", "r8u", "r32i"] {
            let format = Format::parse(name).expect("a format");
            for byte in 0..=255 {
                assert_eq!(format.byte_of(&format.of_byte(byte)), byte, "{name}");
            }
        }
        assert_eq!(Format::parse("r8s").expect("a format").stored(Number::Float(-1.0)), Number::Int(-127));
    }
}
