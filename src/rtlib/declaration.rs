//! Helpers as code generation sees them: an address and a signature, which is taken from the Rust function, so that the two
//! cannot differ.

use crate::ir::Kind;

/// A function that machine code calls, by the calling convention of C.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Declaration {
    pub address: usize,
    /// Scalars; pointers are `i64`.
    pub params: &'static [Kind],
    /// `Void` if there is none.
    pub result: Kind,
}

/// What crosses a call in one register, or not at all.
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

/// Pointers to functions that can be declared.
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

functions! { (A) (A B) (A B C) (A B C D) (A B C D E F) }
