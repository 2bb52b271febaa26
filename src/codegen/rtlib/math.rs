//! Scalar math functions, for operations that a target CPU may have no instruction for.

use super::guard::guard;

macro_rules! functions {
    ($($(#[$doc:meta])* $name:ident($($arg:ident: $ty:ty),*) -> $ret:ty = $body:expr;)*) => {
        $($(#[$doc])* pub extern "C" fn $name($($arg: $ty),*) -> $ret {
            guard(stringify!($name), || $body)
        })*
    };
}

functions! {
    /// Computes a fused multiply-add.
    fma_f32(a: f32, b: f32, c: f32) -> f32 = a.mul_add(b, c);
    /// Computes a fused multiply-add.
    fma_f64(a: f64, b: f64, c: f64) -> f64 = a.mul_add(b, c);
    /// Rounds up.
    ceil_f32(x: f32) -> f32 = x.ceil();
    /// Rounds up.
    ceil_f64(x: f64) -> f64 = x.ceil();
    /// Rounds down.
    floor_f32(x: f32) -> f32 = x.floor();
    /// Rounds down.
    floor_f64(x: f64) -> f64 = x.floor();
    /// Rounds towards zero.
    trunc_f32(x: f32) -> f32 = x.trunc();
    /// Rounds towards zero.
    trunc_f64(x: f64) -> f64 = x.trunc();
    /// Rounds to nearest, ties to even.
    nearest_f32(x: f32) -> f32 = x.round_ties_even();
    /// Rounds to nearest, ties to even.
    nearest_f64(x: f64) -> f64 = x.round_ties_even();
}
