//! Arithmetic types: an element type and a number of lanes.

use std::fmt;

/// Type of a scalar or of a vector's element.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Kind {
    Char,
    UChar,
    Short,
    UShort,
    Int,
    UInt,
    Long,
    ULong,
    Float,
    Double,
}

pub const INTEGERS: [Kind; 8] =
    [Kind::Char, Kind::UChar, Kind::Short, Kind::UShort, Kind::Int, Kind::UInt, Kind::Long, Kind::ULong];

impl Kind {
    pub fn name(self) -> &'static str {
        match self {
            Self::Char => "char",
            Self::UChar => "uchar",
            Self::Short => "short",
            Self::UShort => "ushort",
            Self::Int => "int",
            Self::UInt => "uint",
            Self::Long => "long",
            Self::ULong => "ulong",
            Self::Float => "float",
            Self::Double => "double",
        }
    }

    pub fn bits(self) -> u32 {
        match self {
            Self::Char | Self::UChar => 8,
            Self::Short | Self::UShort => 16,
            Self::Int | Self::UInt | Self::Float => 32,
            Self::Long | Self::ULong | Self::Double => 64,
        }
    }

    pub fn is_float(self) -> bool {
        matches!(self, Self::Float | Self::Double)
    }

    pub fn is_signed(self) -> bool {
        matches!(self, Self::Char | Self::Short | Self::Int | Self::Long)
    }

    /// Returns the integer type with this number of bits.
    pub fn integer(bits: u32, signed: bool) -> Self {
        match (bits, signed) {
            (8, true) => Self::Char,
            (8, false) => Self::UChar,
            (16, true) => Self::Short,
            (16, false) => Self::UShort,
            (32, true) => Self::Int,
            (32, false) => Self::UInt,
            (_, true) => Self::Long,
            (_, false) => Self::ULong,
        }
    }

    pub fn unsigned(self) -> Self {
        Self::integer(self.bits(), false)
    }

    pub fn signed(self) -> Self {
        Self::integer(self.bits(), true)
    }

    /// Checks whether a scalar of this type is promoted to `int` in arithmetic.
    pub fn is_promoted(self) -> bool {
        self.bits() < 32
    }
}

/// Scalar or vector type.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Ty {
    pub kind: Kind,
    /// Number of lanes: 1, 2, 3, 4, 8 or 16.
    pub lanes: u32,
}

impl Ty {
    pub fn scalar(kind: Kind) -> Self {
        Self { kind, lanes: 1 }
    }

    pub fn is_scalar(self) -> bool {
        self.lanes == 1
    }

    /// Returns the type with the same number of lanes and another element type.
    pub fn of(self, kind: Kind) -> Self {
        Self { kind, ..self }
    }

    pub fn element(self) -> Self {
        Self::scalar(self.kind)
    }

    /// Returns the size in bits. A vector of three lanes has the size of one of four.
    pub fn size(self) -> u32 {
        self.kind.bits() * if self.lanes == 3 { 4 } else { self.lanes }
    }
}

impl fmt::Display for Ty {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.kind.name())?;
        if self.lanes > 1 { write!(f, "{}", self.lanes) } else { Ok(()) }
    }
}
