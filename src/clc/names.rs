//! Interned names. Each spelling in the program is interned once, so that later stages compare and index by number.
//! Keywords and names of built-in types are interned first and have fixed numbers: testing for one is a comparison
//! with a constant.

use std::hash::Hasher;

use super::token::PUNCTUATORS;
use super::types::{AccessQualifier, Opaque, Scalar};

grus_support::define_id! {
    /// Interned spelling.
    Symbol, "n"
}

/// Keyword (s6.1.9 and C99 s6.4.1). The spellings with and without underscores are the same keyword.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Keyword {
    Void,
    Bool,
    Char,
    Short,
    Int,
    Long,
    Half,
    Float,
    Double,
    Signed,
    Unsigned,
    Struct,
    Union,
    Enum,
    Typedef,
    Extern,
    Static,
    Inline,
    Auto,
    Register,
    Const,
    Volatile,
    Restrict,
    Global,
    Local,
    Constant,
    Private,
    Generic,
    ReadOnly,
    WriteOnly,
    ReadWrite,
    Kernel,
    Pipe,
    If,
    Else,
    While,
    Do,
    For,
    Switch,
    Case,
    Default,
    Break,
    Continue,
    Return,
    Goto,
    Sizeof,
    VecStep,
    Attribute,
    /// `__extension__`, which has no effect.
    Extension,
    /// `__func__`.
    Func,
    True,
    False,
    /// `__typeof__`.
    Typeof,
    /// `__auto_type`.
    AutoType,
    /// `_Alignas`.
    Alignas,
    /// `_Alignof`.
    Alignof,
    /// `_Static_assert`.
    StaticAssert,
    /// `_Generic`.
    GenericSelection,
    /// `_Noreturn`.
    Noreturn,
    /// `__asm__`.
    Asm,
    /// Built-in function that no declaration can describe.
    Builtin(ParserBuiltin),
    /// Reserved word without a meaning.
    Reserved,
}

/// Built-in function of Clang that takes types, or arguments of any type. The parser needs to recognize these
/// functions, hence they are keywords. All other builtins are declared in `kernels/`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ParserBuiltin {
    /// Reinterpretation of the bits of a value as another type: `(value, type)`
    AsType,
    /// `(vector, vector type)`
    ConvertVector,
    /// `(vector, vector, lane...)`, `(vector, lanes)`
    ShuffleVector,
    /// `(constant, expression, expression)`
    ChooseExpr,
    /// `(type, type)`
    TypesCompatible,
    /// `(expression)`
    ConstantP,
    /// `(type, member)`
    OffsetOf,
}

use Keyword as K;

/// Spelling, meaning, and first language version of each keyword.
const KEYWORDS: &[(&str, Keyword, u32)] = &[
    ("void", K::Void, 0),
    ("bool", K::Bool, 0),
    ("_Bool", K::Bool, 0),
    ("char", K::Char, 0),
    ("short", K::Short, 0),
    ("int", K::Int, 0),
    ("long", K::Long, 0),
    ("half", K::Half, 0),
    ("float", K::Float, 0),
    ("double", K::Double, 0),
    ("signed", K::Signed, 0),
    ("__signed", K::Signed, 0),
    ("__signed__", K::Signed, 0),
    ("unsigned", K::Unsigned, 0),
    ("struct", K::Struct, 0),
    ("union", K::Union, 0),
    ("enum", K::Enum, 0),
    ("typedef", K::Typedef, 0),
    ("extern", K::Extern, 0),
    ("static", K::Static, 0),
    ("inline", K::Inline, 0),
    ("__inline", K::Inline, 0),
    ("__inline__", K::Inline, 0),
    ("auto", K::Auto, 0),
    ("register", K::Register, 0),
    ("const", K::Const, 0),
    ("__const", K::Const, 0),
    ("__const__", K::Const, 0),
    ("volatile", K::Volatile, 0),
    ("__volatile", K::Volatile, 0),
    ("__volatile__", K::Volatile, 0),
    ("restrict", K::Restrict, 0),
    ("__restrict", K::Restrict, 0),
    ("__restrict__", K::Restrict, 0),
    ("global", K::Global, 0),
    ("__global", K::Global, 0),
    ("local", K::Local, 0),
    ("__local", K::Local, 0),
    ("constant", K::Constant, 0),
    ("__constant", K::Constant, 0),
    ("private", K::Private, 0),
    ("__private", K::Private, 0),
    ("generic", K::Generic, 0),
    ("__generic", K::Generic, 0),
    ("read_only", K::ReadOnly, 0),
    ("__read_only", K::ReadOnly, 0),
    ("write_only", K::WriteOnly, 0),
    ("__write_only", K::WriteOnly, 0),
    ("read_write", K::ReadWrite, 0),
    ("__read_write", K::ReadWrite, 0),
    ("kernel", K::Kernel, 0),
    ("__kernel", K::Kernel, 0),
    ("pipe", K::Pipe, 200),
    ("if", K::If, 0),
    ("else", K::Else, 0),
    ("while", K::While, 0),
    ("do", K::Do, 0),
    ("for", K::For, 0),
    ("switch", K::Switch, 0),
    ("case", K::Case, 0),
    ("default", K::Default, 0),
    ("break", K::Break, 0),
    ("continue", K::Continue, 0),
    ("return", K::Return, 0),
    ("goto", K::Goto, 0),
    ("sizeof", K::Sizeof, 0),
    ("vec_step", K::VecStep, 110),
    ("__attribute__", K::Attribute, 0),
    ("__attribute", K::Attribute, 0),
    ("__extension__", K::Extension, 0),
    ("true", K::True, 0),
    ("false", K::False, 0),
    ("__func__", K::Func, 0),
    ("__FUNCTION__", K::Func, 0),
    ("__PRETTY_FUNCTION__", K::Func, 0),
    ("typeof", K::Typeof, 0),
    ("__typeof", K::Typeof, 0),
    ("__typeof__", K::Typeof, 0),
    ("__auto_type", K::AutoType, 0),
    ("_Alignas", K::Alignas, 0),
    ("_Alignof", K::Alignof, 0),
    ("__alignof", K::Alignof, 0),
    ("__alignof__", K::Alignof, 0),
    ("_Static_assert", K::StaticAssert, 0),
    ("_Generic", K::GenericSelection, 0),
    ("_Noreturn", K::Noreturn, 0),
    ("asm", K::Asm, 0),
    ("__asm", K::Asm, 0),
    ("__asm__", K::Asm, 0),
    ("__builtin_astype", K::Builtin(ParserBuiltin::AsType), 0),
    ("__builtin_convertvector", K::Builtin(ParserBuiltin::ConvertVector), 0),
    ("__builtin_shufflevector", K::Builtin(ParserBuiltin::ShuffleVector), 0),
    ("__builtin_choose_expr", K::Builtin(ParserBuiltin::ChooseExpr), 0),
    ("__builtin_types_compatible_p", K::Builtin(ParserBuiltin::TypesCompatible), 0),
    ("__builtin_constant_p", K::Builtin(ParserBuiltin::ConstantP), 0),
    ("__builtin_offsetof", K::Builtin(ParserBuiltin::OffsetOf), 0),
    ("_Complex", K::Reserved, 0),
    ("_Imaginary", K::Reserved, 0),
    ("complex", K::Reserved, 0),
    ("imaginary", K::Reserved, 0),
    ("quad", K::Reserved, 0),
    ("_Atomic", K::Reserved, 0),
    ("__block", K::Reserved, 200),
];

/// Type with a name that is not a keyword.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum NamedType {
    Scalar(Scalar),
    /// `size_t` and similar types. Their size may differ on the host, so a kernel cannot have a parameter of such a
    /// type.
    HostSized(Scalar),
    Vector(Scalar, u8),
    Atomic(Scalar),
    Opaque(Opaque),
}

use NamedType::{Atomic, HostSized, Opaque as Op, Vector};

macro_rules! vectors {
    ($scalar:ident: $($name:literal $lanes:literal),*) => {
        [$(($name, Vector(Scalar::$scalar, $lanes), 0u32)),*]
    };
}

const CHARS: [NamedTypeRow; 5] = vectors!(Char: "char2" 2, "char3" 3, "char4" 4, "char8" 8, "char16" 16);
const UCHARS: [NamedTypeRow; 5] =
    vectors!(UChar: "uchar2" 2, "uchar3" 3, "uchar4" 4, "uchar8" 8, "uchar16" 16);
const SHORTS: [NamedTypeRow; 5] =
    vectors!(Short: "short2" 2, "short3" 3, "short4" 4, "short8" 8, "short16" 16);
const USHORTS: [NamedTypeRow; 5] =
    vectors!(UShort: "ushort2" 2, "ushort3" 3, "ushort4" 4, "ushort8" 8, "ushort16" 16);
const INTS: [NamedTypeRow; 5] = vectors!(Int: "int2" 2, "int3" 3, "int4" 4, "int8" 8, "int16" 16);
const UINTS: [NamedTypeRow; 5] = vectors!(UInt: "uint2" 2, "uint3" 3, "uint4" 4, "uint8" 8, "uint16" 16);
const LONGS: [NamedTypeRow; 5] = vectors!(Long: "long2" 2, "long3" 3, "long4" 4, "long8" 8, "long16" 16);
const ULONGS: [NamedTypeRow; 5] =
    vectors!(ULong: "ulong2" 2, "ulong3" 3, "ulong4" 4, "ulong8" 8, "ulong16" 16);
const HALVES: [NamedTypeRow; 5] = vectors!(Half: "half2" 2, "half3" 3, "half4" 4, "half8" 8, "half16" 16);
const FLOATS: [NamedTypeRow; 5] =
    vectors!(Float: "float2" 2, "float3" 3, "float4" 4, "float8" 8, "float16" 16);
const DOUBLES: [NamedTypeRow; 5] =
    vectors!(Double: "double2" 2, "double3" 3, "double4" 4, "double8" 8, "double16" 16);

type NamedTypeRow = (&'static str, NamedType, u32);

const OTHER_TYPES: [NamedTypeRow; 36] = [
    ("uchar", NamedType::Scalar(Scalar::UChar), 0),
    ("ushort", NamedType::Scalar(Scalar::UShort), 0),
    ("uint", NamedType::Scalar(Scalar::UInt), 0),
    ("ulong", NamedType::Scalar(Scalar::ULong), 0),
    ("size_t", HostSized(Scalar::ULong), 0),
    ("ptrdiff_t", HostSized(Scalar::Long), 0),
    ("intptr_t", HostSized(Scalar::Long), 0),
    ("uintptr_t", HostSized(Scalar::ULong), 0),
    ("event_t", Op(Opaque::Event), 0),
    ("sampler_t", Op(Opaque::Sampler), 0),
    ("queue_t", Op(Opaque::Queue), 200),
    ("clk_event_t", Op(Opaque::ClkEvent), 200),
    ("reserve_id_t", Op(Opaque::ReserveId), 200),
    ("ndrange_t", Op(Opaque::NdRange), 200),
    ("image1d_t", Op(Opaque::Image("image1d_t", AccessQualifier::None)), 120),
    ("image1d_buffer_t", Op(Opaque::Image("image1d_buffer_t", AccessQualifier::None)), 120),
    ("image1d_array_t", Op(Opaque::Image("image1d_array_t", AccessQualifier::None)), 120),
    ("image2d_t", Op(Opaque::Image("image2d_t", AccessQualifier::None)), 0),
    ("image2d_array_t", Op(Opaque::Image("image2d_array_t", AccessQualifier::None)), 120),
    ("image2d_depth_t", Op(Opaque::Image("image2d_depth_t", AccessQualifier::None)), 120),
    ("image2d_array_depth_t", Op(Opaque::Image("image2d_array_depth_t", AccessQualifier::None)), 120),
    ("image3d_t", Op(Opaque::Image("image3d_t", AccessQualifier::None)), 0),
    ("atomic_int", Atomic(Scalar::Int), 200),
    ("atomic_uint", Atomic(Scalar::UInt), 200),
    ("atomic_long", Atomic(Scalar::Long), 200),
    ("atomic_ulong", Atomic(Scalar::ULong), 200),
    ("atomic_half", Atomic(Scalar::Half), 200),
    ("atomic_float", Atomic(Scalar::Float), 200),
    ("atomic_double", Atomic(Scalar::Double), 200),
    ("atomic_flag", Atomic(Scalar::Int), 200),
    ("atomic_size_t", Atomic(Scalar::ULong), 200),
    ("atomic_ptrdiff_t", Atomic(Scalar::Long), 200),
    ("atomic_intptr_t", Atomic(Scalar::Long), 200),
    ("atomic_uintptr_t", Atomic(Scalar::ULong), 200),
    ("__int64_t", NamedType::Scalar(Scalar::Long), 0),
    ("__uint64_t", NamedType::Scalar(Scalar::ULong), 0),
];

const NAMED_TYPES: [&[NamedTypeRow]; 12] = [
    &OTHER_TYPES,
    &CHARS,
    &UCHARS,
    &SHORTS,
    &USHORTS,
    &INTS,
    &UINTS,
    &LONGS,
    &ULONGS,
    &HALVES,
    &FLOATS,
    &DOUBLES,
];

/// Number of keyword spellings. The symbols of named types follow those of keywords.
const KEYWORD_COUNT: usize = KEYWORDS.len();

/// Returns the symbol of entry `index` of [`PUNCTUATORS`].
pub const fn punctuator(index: usize) -> Symbol {
    Symbol((KEYWORD_COUNT + OTHER_TYPES.len() + 11 * 5 + index) as u32)
}

/// Returns the keyword that `symbol` denotes in language version `std`.
pub fn keyword(symbol: Symbol, std: u32) -> Option<Keyword> {
    let (_, keyword, since) = KEYWORDS.get(symbol.0 as usize)?;
    (*since <= std).then_some(*keyword)
}

/// Returns the built-in type that `symbol` denotes in language version `std`.
pub fn named_type(symbol: Symbol, std: u32) -> Option<NamedType> {
    let index = (symbol.0 as usize).checked_sub(KEYWORD_COUNT)?;
    let (_, ty, since) = match index.checked_sub(OTHER_TYPES.len()) {
        None => OTHER_TYPES[index],
        Some(rest) => *NAMED_TYPES.get(1 + rest / 5)?.get(rest % 5)?,
    };
    (since <= std).then_some(ty)
}

/// Returns all keywords and type names of language version `std`.
pub fn words(std: u32) -> impl Iterator<Item = &'static str> {
    let keywords = KEYWORDS.iter().filter(move |k| k.2 <= std).map(|k| k.0);
    let types = NAMED_TYPES.into_iter().flatten().filter(move |t| t.2 <= std).map(|t| t.0);
    keywords.chain(types)
}

/// Returns the scalar type and the number of lanes of the type named `text`, e.g. `uchar` or `float4`.
pub fn arithmetic_type(text: &str) -> Option<(Scalar, u8)> {
    let digits = text.bytes().rev().take_while(u8::is_ascii_digit).count();
    let (name, digits) = text.split_at(text.len() - digits);
    let scalar = Scalar::ALL.into_iter().find(|s| s.name() == name)?;
    match digits {
        "" => Some((scalar, 1)),
        "2" => Some((scalar, 2)),
        "3" => Some((scalar, 3)),
        "4" => Some((scalar, 4)),
        "8" => Some((scalar, 8)),
        "16" => Some((scalar, 16)),
        _ => None,
    }
}

/// Table of interned names: a hash table with open addressing over one text buffer. Looking up a known name
/// allocates nothing.
#[derive(Debug)]
pub struct Names {
    text: String,
    /// End of each name in `text`. A name starts at the end of the previous one.
    ends: Vec<u32>,
    hashes: Vec<u32>,
    /// Hash table of `symbol + 1`, or 0 for a free slot. The length is a power of two.
    slots: Vec<u32>,
}

impl Default for Names {
    fn default() -> Self {
        Self::new()
    }
}

impl Names {
    /// Returns a table that contains the keywords, punctuators and named types.
    pub fn new() -> Self {
        let mut names = Self {
            text: String::with_capacity(1 << 14),
            ends: Vec::with_capacity(1024),
            hashes: Vec::with_capacity(1024),
            slots: vec![0; 2048],
        };
        for (text, _, _) in KEYWORDS {
            names.intern(text);
        }
        for (text, _, _) in NAMED_TYPES.iter().copied().flatten() {
            names.intern(text);
        }
        for (text, _) in PUNCTUATORS {
            names.intern(text);
        }
        names
    }

    /// Returns the symbol of `text` if it has been interned.
    pub fn find(&self, text: &str) -> Option<Symbol> {
        let hash = hash(text);
        let mut slot = hash as usize & (self.slots.len() - 1);
        while self.slots[slot] != 0 {
            let symbol = Symbol(self.slots[slot] - 1);
            if self.hashes[symbol.0 as usize] == hash && self.text(symbol) == text {
                return Some(symbol);
            }
            slot = (slot + 1) & (self.slots.len() - 1);
        }
        None
    }

    /// Returns the symbol of `text`, and interns it if it is new.
    pub fn intern(&mut self, text: &str) -> Symbol {
        let hash = hash(text);
        let mut slot = hash as usize & (self.slots.len() - 1);
        while self.slots[slot] != 0 {
            let symbol = Symbol(self.slots[slot] - 1);
            if self.hashes[symbol.0 as usize] == hash && self.text(symbol) == text {
                return symbol;
            }
            slot = (slot + 1) & (self.slots.len() - 1);
        }
        let symbol = Symbol(self.ends.len() as u32);
        self.text.push_str(text);
        self.ends.push(u32::try_from(self.text.len()).expect("names fit in the source positions"));
        self.hashes.push(hash);
        self.slots[slot] = symbol.0 + 1;
        if self.ends.len() * 2 > self.slots.len() {
            self.grow();
        }
        symbol
    }

    fn grow(&mut self) {
        let mask = self.slots.len() * 2 - 1;
        self.slots = vec![0; mask + 1];
        for (index, hash) in self.hashes.iter().enumerate() {
            let mut slot = *hash as usize & mask;
            while self.slots[slot] != 0 {
                slot = (slot + 1) & mask;
            }
            self.slots[slot] = index as u32 + 1;
        }
    }

    /// Returns the spelling of `symbol`.
    pub fn text(&self, symbol: Symbol) -> &str {
        let index = symbol.0 as usize;
        let start = if index == 0 { 0 } else { self.ends[index - 1] };
        &self.text[start as usize..self.ends[index] as usize]
    }

    /// Returns the number of symbols.
    pub fn len(&self) -> usize {
        self.ends.len()
    }

    /// Returns false, since the table always contains the keywords.
    pub fn is_empty(&self) -> bool {
        false
    }
}

fn hash(text: &str) -> u32 {
    let mut hasher = rustc_hash::FxHasher::default();
    hasher.write(text.as_bytes());
    let wide = hasher.finish();
    (wide ^ (wide >> 32)) as u32
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn fixed_numbers_and_growth() {
        let mut names = Names::new();
        let while_ = names.intern("while");
        assert_eq!(keyword(while_, 120), Some(Keyword::While));
        let pipe = names.intern("pipe");
        assert_eq!(keyword(pipe, 120), None);
        assert_eq!(keyword(pipe, 200), Some(Keyword::Pipe));
        for (name, lanes) in [("float16", 16), ("char2", 2), ("double3", 3)] {
            let symbol = names.intern(name);
            let (scalar, _) = arithmetic_type(name).unwrap();
            assert_eq!(named_type(symbol, 120), Some(Vector(scalar, lanes)));
        }
        for (i, (text, _)) in PUNCTUATORS.iter().enumerate() {
            assert_eq!(names.text(punctuator(i)), *text);
        }
        let symbols: Vec<_> = (0..5000).map(|i| names.intern(&format!("v{i}"))).collect();
        for (i, symbol) in symbols.iter().enumerate() {
            assert_eq!(names.text(*symbol), format!("v{i}"));
            assert_eq!(names.intern(&format!("v{i}")), *symbol);
            assert_eq!(named_type(*symbol, 200), None);
        }
    }
}
