//! Types of OpenCL C, and their texts.

use std::fmt;

use super::{Access, Image, ImageDim, Number, Space};

/// Type of a parameter or result of a builtin function.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub enum CType {
    Void,
    Scalar {
        kind: CScalar,
        lanes: u8,
    },
    Pointer {
        to: Box<CType>,
        space: Space,
        is_const: bool,
    },
    Image {
        name: &'static str,
        access: Access,
    },
    Opaque(COpaque),
    /// Pipe whose packets the function is told about by other parameters.
    Pipe {
        access: Access,
    },
}

/// Scalar type.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum CScalar {
    Bool,
    Char,
    UChar,
    Short,
    UShort,
    Int,
    UInt,
    Long,
    ULong,
    Half,
    Float,
    Double,
}

/// Type whose values are handles.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum COpaque {
    Sampler,
    Event,
    ClkEvent,
    Queue,
    ReserveId,
    NdRange,
}

/// Interpretation of the bits of an integer, which SPIR-V leaves to the instruction.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Sign {
    Signed,
    Unsigned,
}

impl CScalar {
    const fn name(self) -> &'static str {
        match self {
            CScalar::Bool => "bool",
            CScalar::Char => "char",
            CScalar::UChar => "uchar",
            CScalar::Short => "short",
            CScalar::UShort => "ushort",
            CScalar::Int => "int",
            CScalar::UInt => "uint",
            CScalar::Long => "long",
            CScalar::ULong => "ulong",
            CScalar::Half => "half",
            CScalar::Float => "float",
            CScalar::Double => "double",
        }
    }

    /// Returns the type as a number of one lane; `None` for `bool`.
    pub(super) fn number(self) -> Option<Number> {
        let (is_float, bits) = match self {
            CScalar::Bool => return None,
            CScalar::Char | CScalar::UChar => (false, 8),
            CScalar::Short | CScalar::UShort => (false, 16),
            CScalar::Int | CScalar::UInt => (false, 32),
            CScalar::Long | CScalar::ULong => (false, 64),
            CScalar::Half => (true, 16),
            CScalar::Float => (true, 32),
            CScalar::Double => (true, 64),
        };
        Some(Number { is_float, bits, lanes: 1 })
    }
}

impl CType {
    /// Returns the type of a number; `None` if OpenCL C has none.
    pub(super) fn of_number(number: Number, sign: Sign) -> Option<CType> {
        let kind = match (number.is_float, number.bits, sign) {
            (false, 8, Sign::Signed) => CScalar::Char,
            (false, 8, Sign::Unsigned) => CScalar::UChar,
            (false, 16, Sign::Signed) => CScalar::Short,
            (false, 16, Sign::Unsigned) => CScalar::UShort,
            (false, 32, Sign::Signed) => CScalar::Int,
            (false, 32, Sign::Unsigned) => CScalar::UInt,
            (false, 64, Sign::Signed) => CScalar::Long,
            (false, 64, Sign::Unsigned) => CScalar::ULong,
            (true, 16, _) => CScalar::Half,
            (true, 32, _) => CScalar::Float,
            (true, 64, _) => CScalar::Double,
            _ => return None,
        };
        let is_known = matches!(number.lanes, 1 | 2 | 3 | 4 | 8 | 16);
        is_known.then_some(CType::Scalar { kind, lanes: number.lanes })
    }

    /// Returns the type of an image; `None` if OpenCL C has none.
    pub(super) fn of_image(image: Image) -> Option<CType> {
        let Image { dim, is_arrayed, is_depth, is_multisampled, access } = image;
        let name = match (dim, is_arrayed, is_depth, is_multisampled) {
            (ImageDim::One, false, false, false) => "image1d_t",
            (ImageDim::One, true, false, false) => "image1d_array_t",
            (ImageDim::Buffer, false, false, false) => "image1d_buffer_t",
            (ImageDim::Two, false, false, false) => "image2d_t",
            (ImageDim::Two, true, false, false) => "image2d_array_t",
            (ImageDim::Two, false, true, false) => "image2d_depth_t",
            (ImageDim::Two, true, true, false) => "image2d_array_depth_t",
            (ImageDim::Three, false, false, false) => "image3d_t",
            _ => return None,
        };
        Some(CType::Image { name, access })
    }
}

impl fmt::Display for CType {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            CType::Void => f.write_str("void"),
            CType::Scalar { kind, lanes: 1 } => f.write_str(kind.name()),
            CType::Scalar { kind, lanes } => write!(f, "{}{lanes}", kind.name()),
            CType::Pointer { to, space, is_const } => {
                let qualifier = if *is_const { "const " } else { "" };
                write!(f, "{qualifier}{} {to} *", space.name())
            }
            CType::Image { name, access } => write!(f, "{} {name}", access.name()),
            // Any packet does: its size is an argument.
            CType::Pipe { access } => write!(f, "{} pipe uchar", access.name()),
            CType::Opaque(opaque) => f.write_str(match opaque {
                COpaque::Sampler => "sampler_t",
                COpaque::Event => "event_t",
                COpaque::ClkEvent => "clk_event_t",
                COpaque::Queue => "queue_t",
                COpaque::ReserveId => "reserve_id_t",
                COpaque::NdRange => "ndrange_t",
            }),
        }
    }
}

impl Space {
    const fn name(self) -> &'static str {
        match self {
            Space::Private => "private",
            Space::Global => "global",
            Space::Local => "local",
            Space::Constant => "constant",
            Space::Generic => "generic",
        }
    }
}

impl Access {
    const fn name(self) -> &'static str {
        match self {
            Access::ReadOnly => "read_only",
            Access::WriteOnly => "write_only",
            Access::ReadWrite => "read_write",
        }
    }
}
