//! Types of OpenCL C (s6.3), interned: equal types have equal ids.
//!
//! A qualifier belongs to the place that holds a value ([`QualType`]), never to
//! the value's type, so `const int` and `int` share one [`TypeId`]. The address
//! space of a pointer is the space of what it points at.

use crate::support::{FastMap, IdVec};

crate::define_id! {
    /// An interned type.
    TypeId, "t"
}
crate::define_id! {
    /// A struct or union definition; two definitions never share an id.
    StructId, "s"
}

/// An arithmetic scalar that can be a vector element. `bool` is separate.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Scalar {
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

impl Scalar {
    /// All scalars, lowest rank first.
    pub const ALL: [Scalar; 11] = [
        Scalar::Char,
        Scalar::UChar,
        Scalar::Short,
        Scalar::UShort,
        Scalar::Int,
        Scalar::UInt,
        Scalar::Long,
        Scalar::ULong,
        Scalar::Half,
        Scalar::Float,
        Scalar::Double,
    ];
    /// Size in bytes, which is the alignment too.
    pub fn size(self) -> u64 {
        match self {
            Scalar::Char | Scalar::UChar => 1,
            Scalar::Short | Scalar::UShort | Scalar::Half => 2,
            Scalar::Int | Scalar::UInt | Scalar::Float => 4,
            Scalar::Long | Scalar::ULong | Scalar::Double => 8,
        }
    }
    /// Whether this is a floating type.
    pub fn is_float(self) -> bool {
        matches!(self, Scalar::Half | Scalar::Float | Scalar::Double)
    }
    /// Whether this is a signed integer type.
    pub fn is_signed_int(self) -> bool {
        matches!(self, Scalar::Char | Scalar::Short | Scalar::Int | Scalar::Long)
    }
    /// Whether this is an unsigned integer type.
    pub fn is_unsigned(self) -> bool {
        matches!(self, Scalar::UChar | Scalar::UShort | Scalar::UInt | Scalar::ULong)
    }
    /// The signed integer of the same size: what a vector comparison yields (s6.5.4).
    pub fn signed_same_size(self) -> Scalar {
        match self.size() {
            1 => Scalar::Char,
            2 => Scalar::Short,
            4 => Scalar::Int,
            _ => Scalar::Long,
        }
    }
    /// The spelling in OpenCL C.
    pub fn name(self) -> &'static str {
        match self {
            Scalar::Char => "char",
            Scalar::UChar => "uchar",
            Scalar::Short => "short",
            Scalar::UShort => "ushort",
            Scalar::Int => "int",
            Scalar::UInt => "uint",
            Scalar::Long => "long",
            Scalar::ULong => "ulong",
            Scalar::Half => "half",
            Scalar::Float => "float",
            Scalar::Double => "double",
        }
    }
}

/// Address spaces (s6.7).
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Space {
    Private,
    Global,
    Local,
    Constant,
    Generic,
}

/// A type with the qualifiers of the place that holds it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct QualType {
    pub ty: TypeId,
    pub space: Space,
    pub is_const: bool,
    pub is_volatile: bool,
    pub is_restrict: bool,
}

impl QualType {
    /// An unqualified type in `space`.
    pub fn new(ty: TypeId, space: Space) -> Self {
        Self { ty, space, is_const: false, is_volatile: false, is_restrict: false }
    }
}

/// Access qualifiers of images and pipes (s6.6).
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum AccessQualifier {
    None,
    ReadOnly,
    WriteOnly,
    ReadWrite,
}

/// Types without object representation of their own in the language (s6.3.3).
/// Each is a 64-bit handle to the code that is generated.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Opaque {
    Event,
    Sampler,
    Queue,
    ClkEvent,
    ReserveId,
    NdRange,
    /// Image types by the name that the program writes, e.g. `image2d_t`. Images with
    /// different access are different types; a parameter always says which it is.
    Image(&'static str, AccessQualifier),
}

/// The shape of a type.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub enum Type {
    /// Stands for the type of an erroneous expression: silences follow-up errors.
    Error,
    Void,
    Bool,
    Scalar(Scalar),
    /// 2, 3, 4, 8 or 16 lanes.
    Vector(Scalar, u8),
    /// Pointer; the space is the pointee's.
    Pointer(QualType),
    /// `None`: incomplete (`extern int a[]`, or a parameter before it decays).
    Array(QualType, Option<u64>),
    /// Struct or union.
    Struct(StructId),
    Function(FunctionType),
    /// A block (s6.12): the address of its record, see [`super::tree::Block`].
    Block(FunctionType),
    /// C11 atomic types (`atomic_int`, ...): same layout as the scalar.
    Atomic(Scalar),
    Opaque(Opaque),
    /// A pipe of packets of this type (s6.13.16).
    Pipe(TypeId, AccessQualifier),
}

/// Return and parameter types of a function or block.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct FunctionType {
    pub ret: TypeId,
    pub params: Vec<TypeId>,
    pub variadic: bool,
}

/// One member; bit-fields do not exist in OpenCL C.
#[derive(Clone, Debug)]
pub struct Field {
    /// Empty for an anonymous struct or union member.
    pub name: String,
    pub ty: QualType,
    /// Byte offset from the start.
    pub offset: u64,
}

/// Layout of a struct or union, as the host's C compiler would lay it out.
#[derive(Clone, Debug, Default)]
pub struct StructDef {
    /// Tag, or the typedef's name for an untagged one; empty if neither.
    pub name: String,
    pub is_union: bool,
    /// False between `struct S;` and its definition.
    pub complete: bool,
    pub fields: Vec<Field>,
    pub size: u64,
    pub align: u64,
}

/// All types of one translation unit.
#[derive(Clone, Debug, Default)]
pub struct TypeTable {
    types: IdVec<TypeId, Type>,
    index: FastMap<Type, TypeId>,
    /// Struct and union definitions.
    pub structs: IdVec<StructId, StructDef>,
}

impl TypeTable {
    /// The id of `ty`, made when it is new.
    pub fn intern(&mut self, ty: Type) -> TypeId {
        if let Some(&id) = self.index.get(&ty) {
            return id;
        }
        let id = self.types.push(ty.clone());
        self.index.insert(ty, id);
        id
    }

    /// The shape of `id`.
    pub fn get(&self, id: TypeId) -> &Type {
        &self.types[id]
    }

    /// Size in bytes as `sizeof` gives it: vectors of 3 count as 4 (s6.3.5).
    /// Void, functions and incomplete types have size 0.
    pub fn size_of(&self, id: TypeId) -> u64 {
        match self.get(id) {
            Type::Error | Type::Function(_) => 0,
            // GNU C: what a pointer to it steps by.
            Type::Void => 1,
            Type::Bool => 1,
            Type::Scalar(s) | Type::Atomic(s) => s.size(),
            Type::Vector(s, n) => s.size() * padded_lanes(*n),
            // A number.
            Type::Opaque(Opaque::Sampler) => 4,
            Type::Opaque(Opaque::NdRange) => ND_RANGE_SIZE,
            Type::Pointer(_) | Type::Opaque(_) | Type::Pipe(..) | Type::Block(_) => 8,
            Type::Array(elem, len) => self.size_of(elem.ty).saturating_mul(len.unwrap_or(0)),
            Type::Struct(s) => self.structs[*s].size,
        }
    }

    /// Alignment in bytes, at least 1.
    pub fn align_of(&self, id: TypeId) -> u64 {
        match self.get(id) {
            Type::Error | Type::Void | Type::Bool | Type::Function(_) => 1,
            Type::Scalar(s) | Type::Atomic(s) => s.size(),
            Type::Vector(s, n) => s.size() * padded_lanes(*n),
            // A number.
            Type::Opaque(Opaque::Sampler) => 4,
            Type::Pointer(_) | Type::Opaque(_) | Type::Pipe(..) | Type::Block(_) => 8,
            Type::Array(elem, _) => self.align_of(elem.ty),
            Type::Struct(s) => self.structs[*s].align.max(1),
        }
    }
}

/// Bytes of an `ndrange_t`: the number of dimensions, and three offsets, global and local sizes, each a `ulong`; a local
/// size of 0 is for the device to choose.
pub const ND_RANGE_SIZE: u64 = 80;

/// Lanes a vector takes in memory: three take the room of four.
fn padded_lanes(n: u8) -> u64 {
    if n == 3 { 4 } else { u64::from(n) }
}
