//! Types of OpenCL C (s6.3). Types are interned: equal types have equal ids.
//!
//! Qualifiers belong to the object that holds a value ([`QualType`]), not to the type of the value, so `const int`
//! and `int` share one [`TypeId`]. A pointer type includes the address space of its pointee.

use grus_support::{FastMap, IdVec};

grus_support::define_id! {
    /// Interned type.
    TypeId, "t"
}
grus_support::define_id! {
    /// Struct or union definition. Two definitions never share an id.
    StructId, "s"
}

/// Arithmetic scalar type that can be a vector element. `bool` is [`Type::Bool`].
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
    /// All scalar types, lowest rank first.
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
    /// Returns the size in bytes, which is also the alignment.
    pub fn size(self) -> u64 {
        match self {
            Scalar::Char | Scalar::UChar => 1,
            Scalar::Short | Scalar::UShort | Scalar::Half => 2,
            Scalar::Int | Scalar::UInt | Scalar::Float => 4,
            Scalar::Long | Scalar::ULong | Scalar::Double => 8,
        }
    }
    /// Checks whether this is a floating type.
    pub fn is_float(self) -> bool {
        matches!(self, Scalar::Half | Scalar::Float | Scalar::Double)
    }
    /// Checks whether this is a signed integer type.
    pub fn is_signed_int(self) -> bool {
        matches!(self, Scalar::Char | Scalar::Short | Scalar::Int | Scalar::Long)
    }
    /// Checks whether this is an unsigned integer type.
    pub fn is_unsigned(self) -> bool {
        matches!(self, Scalar::UChar | Scalar::UShort | Scalar::UInt | Scalar::ULong)
    }
    /// Returns the signed integer type of the same size, which is the element type of vector comparisons (s6.5.4).
    pub fn signed_same_size(self) -> Scalar {
        match self.size() {
            1 => Scalar::Char,
            2 => Scalar::Short,
            4 => Scalar::Int,
            _ => Scalar::Long,
        }
    }
    /// Returns the spelling in OpenCL C.
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

/// Address space (s6.7).
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Space {
    Private,
    Global,
    Local,
    Constant,
    Generic,
}

/// Type with the qualifiers and address space of the object that holds it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct QualType {
    pub ty: TypeId,
    pub space: Space,
    pub is_const: bool,
    pub is_volatile: bool,
    pub is_restrict: bool,
}

impl QualType {
    /// Returns the unqualified type `ty` in `space`.
    pub fn new(ty: TypeId, space: Space) -> Self {
        Self { ty, space, is_const: false, is_volatile: false, is_restrict: false }
    }
}

/// Access qualifier of an image or pipe (s6.6).
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum AccessQualifier {
    None,
    ReadOnly,
    WriteOnly,
    ReadWrite,
}

/// Type without an object representation in the language (s6.3.3). In generated code a value is a 64-bit handle.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Opaque {
    Event,
    Sampler,
    Queue,
    ClkEvent,
    ReserveId,
    NdRange,
    /// Image type by its name in the program, e.g. `image2d_t`. Images of different access are different types; a
    /// parameter always has an access qualifier.
    Image(&'static str, AccessQualifier),
}

/// Structure of a type.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub enum Type {
    /// Type of an erroneous expression, which suppresses follow-up errors.
    Error,
    Void,
    Bool,
    Scalar(Scalar),
    /// Vector of 2, 3, 4, 8 or 16 lanes.
    Vector(Scalar, u8),
    /// Pointer; the address space is that of the pointee.
    Pointer(QualType),
    /// Array; the length is `None` if it is incomplete (`extern int a[]`, or a parameter before its adjustment).
    Array(QualType, Option<u64>),
    /// Struct or union.
    Struct(StructId),
    Function(FunctionType),
    /// Block (s6.12): the address of its closure object, see [`super::tree::BlockLiteral`].
    Block(FunctionType),
    /// C11 atomic type (`atomic_int`, ...) with the layout of the scalar.
    Atomic(Scalar),
    Opaque(Opaque),
    /// Pipe with packets of the given type (s6.13.16).
    Pipe(TypeId, AccessQualifier),
}

/// Return and parameter types of a function or block.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct FunctionType {
    pub ret: TypeId,
    pub params: Vec<TypeId>,
    pub variadic: bool,
}

/// Member of a struct or union. OpenCL C has no bit-fields.
#[derive(Clone, Debug)]
pub struct Field {
    /// Name; empty for an anonymous struct or union member.
    pub name: String,
    pub ty: QualType,
    /// Offset in bytes from the start.
    pub offset: u64,
}

/// Layout of a struct or union, identical to that of the host's C compiler.
#[derive(Clone, Debug, Default)]
pub struct StructDef {
    /// Tag, or the typedef's name for an untagged one; empty if it has neither.
    pub name: String,
    pub is_union: bool,
    /// True once the type is defined; false after only `struct S;`.
    pub complete: bool,
    pub fields: Vec<Field>,
    pub size: u64,
    pub align: u64,
}

/// Ids of types that are used often.
#[derive(Clone, Copy, Debug)]
pub struct CommonTypes {
    pub error: TypeId,
    pub void: TypeId,
    pub bool: TypeId,
    pub int: TypeId,
    pub long: TypeId,
    pub ulong: TypeId,
    pub char: TypeId,
}

/// All types of one translation unit.
#[derive(Clone, Debug)]
pub struct TypeTable {
    types: IdVec<TypeId, Type>,
    index: FastMap<Type, TypeId>,
    /// Struct and union definitions.
    pub structs: IdVec<StructId, StructDef>,
    pub common: CommonTypes,
}

impl Default for TypeTable {
    /// Returns a table that contains only the common types.
    fn default() -> Self {
        let (mut types, mut index) = (IdVec::new(), FastMap::default());
        let mut add = |ty: Type| {
            let id = types.push(ty.clone());
            index.insert(ty, id);
            id
        };
        let common = CommonTypes {
            int: add(Type::Scalar(Scalar::Int)),
            long: add(Type::Scalar(Scalar::Long)),
            ulong: add(Type::Scalar(Scalar::ULong)),
            char: add(Type::Scalar(Scalar::Char)),
            error: add(Type::Error),
            void: add(Type::Void),
            bool: add(Type::Bool),
        };
        Self { types, index, structs: IdVec::new(), common }
    }
}

impl TypeTable {
    /// Returns the id of `ty`, which is created if it is new.
    pub fn intern(&mut self, ty: Type) -> TypeId {
        if let Some(&id) = self.index.get(&ty) {
            return id;
        }
        let id = self.types.push(ty.clone());
        self.index.insert(ty, id);
        id
    }

    /// Returns the structure of `id`.
    pub fn get(&self, id: TypeId) -> &Type {
        &self.types[id]
    }

    /// Returns the size in bytes as `sizeof` reports it: vectors of 3 lanes count as 4 (s6.3.5). Functions and
    /// incomplete types except `void` have size 0.
    pub fn size_of(&self, id: TypeId) -> u64 {
        match self.get(id) {
            Type::Error | Type::Function(_) => 0,
            // GNU C: `void *` arithmetic is in bytes.
            Type::Void => 1,
            Type::Bool => 1,
            Type::Scalar(s) | Type::Atomic(s) => s.size(),
            Type::Vector(s, n) => s.size() * padded_lanes(*n),
            // A sampler is represented by a 32-bit number.
            Type::Opaque(Opaque::Sampler) => 4,
            Type::Opaque(Opaque::NdRange) => ND_RANGE_SIZE,
            Type::Pointer(_) | Type::Opaque(_) | Type::Pipe(..) | Type::Block(_) => 8,
            Type::Array(elem, len) => self.size_of(elem.ty).saturating_mul(len.unwrap_or(0)),
            Type::Struct(s) => self.structs[*s].size,
        }
    }

    /// Returns the alignment in bytes, at least 1.
    pub fn align_of(&self, id: TypeId) -> u64 {
        match self.get(id) {
            Type::Error | Type::Void | Type::Bool | Type::Function(_) => 1,
            Type::Scalar(s) | Type::Atomic(s) => s.size(),
            Type::Vector(s, n) => s.size() * padded_lanes(*n),
            // A sampler is represented by a 32-bit number.
            Type::Opaque(Opaque::Sampler) => 4,
            Type::Pointer(_) | Type::Opaque(_) | Type::Pipe(..) | Type::Block(_) => 8,
            Type::Array(elem, _) => self.align_of(elem.ty),
            Type::Struct(s) => self.structs[*s].align.max(1),
        }
    }
}

/// Size in bytes of an `ndrange_t`: the number of dimensions, then three global offsets, three global sizes and
/// three local sizes, each a `ulong`. If a local size is 0, the device chooses it.
pub const ND_RANGE_SIZE: u64 = 80;

/// Returns the number of lanes that a vector occupies in memory: 4 for 3.
fn padded_lanes(n: u8) -> u64 {
    if n == 3 { 4 } else { u64::from(n) }
}
