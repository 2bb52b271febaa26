//! Types of IR values: a scalar kind times a number of lanes.
//!
//! The same notation serves OpenCL vectors (`f32x4`) and, after vectorization, lanes of work-items
//! (`f32x16`). Aggregates exist only in memory.

use std::fmt;

/// Scalar kind of a value. Pointers carry their address space for alias analysis; all of them have 64 bits.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
#[repr(u8)]
pub enum Kind {
    Void,
    I1,
    I8,
    I16,
    I32,
    I64,
    F16,
    F32,
    F64,
    PtrPrivate,
    PtrGlobal,
    PtrLocal,
    PtrConstant,
    PtrGeneric,
}

impl Kind {
    const ALL: [(Kind, &'static str); 14] = [
        (Kind::Void, "void"),
        (Kind::I1, "i1"),
        (Kind::I8, "i8"),
        (Kind::I16, "i16"),
        (Kind::I32, "i32"),
        (Kind::I64, "i64"),
        (Kind::F16, "f16"),
        (Kind::F32, "f32"),
        (Kind::F64, "f64"),
        (Kind::PtrPrivate, "ptr.private"),
        (Kind::PtrGlobal, "ptr.global"),
        (Kind::PtrLocal, "ptr.local"),
        (Kind::PtrConstant, "ptr.constant"),
        (Kind::PtrGeneric, "ptr.generic"),
    ];

    /// Returns the size in bits. `i1` has one bit, though it takes a byte in memory.
    pub fn bits(self) -> u32 {
        match self {
            Kind::Void => 0,
            Kind::I1 => 1,
            Kind::I8 => 8,
            Kind::I16 | Kind::F16 => 16,
            Kind::I32 | Kind::F32 => 32,
            _ => 64,
        }
    }
    /// Returns the size in memory in bytes.
    pub fn bytes(self) -> u32 {
        self.bits().div_ceil(8)
    }
    /// Checks whether this is an integer kind, `i1` included.
    pub fn is_int(self) -> bool {
        matches!(self, Kind::I1 | Kind::I8 | Kind::I16 | Kind::I32 | Kind::I64)
    }
    /// Checks whether this is a floating-point kind.
    pub fn is_float(self) -> bool {
        matches!(self, Kind::F16 | Kind::F32 | Kind::F64)
    }
    /// Checks whether this is a pointer kind.
    pub fn is_ptr(self) -> bool {
        self >= Kind::PtrPrivate
    }
    /// Returns the integer kind of `bits` bits.
    pub fn int_of_bits(bits: u32) -> Kind {
        match bits {
            1 => Kind::I1,
            8 => Kind::I8,
            16 => Kind::I16,
            32 => Kind::I32,
            _ => Kind::I64,
        }
    }
    /// Returns the spelling in IR text.
    pub fn name(self) -> &'static str {
        Self::ALL[self as usize].1
    }
}

/// A kind times a number of lanes; a type of one lane is a scalar.
#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Type {
    pub kind: Kind,
    pub lanes: u16,
}

impl Type {
    pub const VOID: Type = Type::scalar(Kind::Void);
    pub const I1: Type = Type::scalar(Kind::I1);
    pub const I8: Type = Type::scalar(Kind::I8);
    pub const I16: Type = Type::scalar(Kind::I16);
    pub const I32: Type = Type::scalar(Kind::I32);
    pub const I64: Type = Type::scalar(Kind::I64);
    pub const F32: Type = Type::scalar(Kind::F32);
    pub const F64: Type = Type::scalar(Kind::F64);
    pub const PRIVATE: Type = Type::scalar(Kind::PtrPrivate);
    pub const GLOBAL: Type = Type::scalar(Kind::PtrGlobal);
    pub const LOCAL: Type = Type::scalar(Kind::PtrLocal);
    pub const CONSTANT: Type = Type::scalar(Kind::PtrConstant);

    /// Returns the type of one lane of `kind`.
    pub const fn scalar(kind: Kind) -> Type {
        Type { kind, lanes: 1 }
    }
    /// Returns the type of `lanes` lanes of `kind`.
    pub const fn vector(kind: Kind, lanes: u16) -> Type {
        Type { kind, lanes }
    }
    /// Returns the type of one lane.
    pub fn lane(self) -> Type {
        Type::scalar(self.kind)
    }
    /// Returns the type with the same number of lanes of another kind.
    pub fn with_kind(self, kind: Kind) -> Type {
        Type { kind, lanes: self.lanes }
    }
    /// Returns the type with the same kind and `lanes` lanes.
    pub fn with_lanes(self, lanes: u16) -> Type {
        Type { lanes, ..self }
    }
    /// Checks whether the type has more than one lane.
    pub fn is_vector(self) -> bool {
        self.lanes > 1
    }
    /// Returns the number of bits of all lanes.
    pub fn bits(self) -> u32 {
        self.kind.bits() * u32::from(self.lanes)
    }
    /// Returns the number of bytes that a load or store accesses: lanes are packed, and vectors of three are
    /// not padded to four.
    pub fn bytes(self) -> u32 {
        self.kind.bytes() * u32::from(self.lanes)
    }
    /// Returns the type of a comparison of two such values: one `i1` for each lane.
    pub fn compared(self) -> Type {
        self.with_kind(Kind::I1)
    }
    /// Checks whether the type is a mask, that is, several lanes of `i1`.
    pub fn is_mask(self) -> bool {
        self.kind == Kind::I1 && self.is_vector()
    }
    /// Returns the type of as many integers of the same width: the result of vector comparisons in OpenCL C
    /// (s6.5.4).
    pub fn bits_type(self) -> Type {
        self.with_kind(Kind::int_of_bits(self.kind.bits()))
    }
    /// Parses the text that `Display` prints.
    pub fn parse(text: &str) -> Option<Type> {
        let (name, lanes) = match text.rsplit_once('x') {
            Some((name, lanes)) => (name, lanes.parse().ok()?),
            None => (text, 1),
        };
        let kind = Kind::ALL.iter().find(|(_, n)| *n == name)?.0;
        (lanes > 0).then_some(Type { kind, lanes })
    }
}

impl fmt::Display for Type {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.kind.name())?;
        if self.lanes > 1 { write!(f, "x{}", self.lanes) } else { Ok(()) }
    }
}

impl fmt::Debug for Type {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Display::fmt(self, f)
    }
}
