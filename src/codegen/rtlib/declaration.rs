//! Addresses and signatures of helper functions, for code generation. The signature is derived from the type of the
//! Rust function, so that the two cannot differ.

use grus_ir::Kind;

/// Function that machine code calls with the C calling convention.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Declaration {
    pub address: usize,
    /// Kinds of the parameters, all scalar; a pointer is `I64`.
    pub params: &'static [Kind],
    /// Kind of the result; `Void` if the function returns nothing.
    pub result: Kind,
}

/// Rust types that are passed in one register, and the unit type, which is not passed.
pub trait Crossing {
    const KIND: Kind;
}

macro_rules! crossings {
    ($($ty:ty => $kind:ident,)*) => {
        $(impl Crossing for $ty {
            const KIND: Kind = Kind::$kind;
        })*
    };
}

crossings! {
    () => Void,
    u32 => I32,
    i32 => I32,
    u64 => I64,
    i64 => I64,
    f32 => F32,
    f64 => F64,
}

impl<T> Crossing for *const T {
    const KIND: Kind = Kind::I64;
}

impl<T> Crossing for *mut T {
    const KIND: Kind = Kind::I64;
}

impl<T> Crossing for &T {
    const KIND: Kind = Kind::I64;
}

/// Function pointer types from which a [`Declaration`] can be derived.
pub trait Declare {
    fn declaration(self) -> Declaration;
}

macro_rules! functions {
    ($(($($param:ident)*))*) => {
        $(impl<$($param: Crossing,)* R: Crossing> Declare for unsafe extern "C" fn($($param),*) -> R {
            fn declaration(self) -> Declaration {
                Declaration { address: self as usize, params: const { &[$($param::KIND),*] }, result: R::KIND }
            }
        })*
    };
}

functions! { () (A) (A B) (A B C) (A B C D) (A B C D E F) }
