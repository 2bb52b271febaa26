//! Expected results of functions: exact, or with many more bits than the type.

pub mod exact;
pub mod single;
pub mod special;
#[cfg(test)]
mod tests;
pub mod wide;

use super::number::Type;
use super::ulp::Wide;
use wide::{Calc, WideFn};

/// Method to compute the expected result. Arguments and results of all types, integers included, are passed as
/// doubles.
#[derive(Clone, Copy)]
pub enum Reference {
    /// Exact result of the type for all arguments.
    Exact(fn(Type, [f64; 3]) -> f64),
    /// Two permitted results: zeros of either sign, or with and without an intermediate rounding.
    Either(fn(Type, [f64; 3]) -> f64, fn(Type, [f64; 3]) -> f64),
    Near(Near),
}

/// Function that must be approximated.
#[derive(Clone, Copy)]
pub struct Near {
    /// Exactly known results: Annex F of C99 and s7.5 of OpenCL C.
    pub special: fn([f64; 3]) -> Option<f64>,
    /// Approximation with the precision of a double, for results in float and half.
    pub single: fn([f64; 3]) -> f64,
    /// Approximation with arbitrary precision, for results in double.
    pub wide: WideFn,
}

/// Expected result.
#[derive(Clone, Copy, PartialEq, Debug)]
pub enum Want {
    /// Exactly this number, including the sign of zero.
    Exact(f64),
    /// One of these two numbers.
    Either(f64, f64),
    /// Number close to this one, within the bound of the function.
    Near(Wide),
}

impl Reference {
    pub fn want(&self, ty: Type, x: [f64; 3], calc: &mut Option<Calc>) -> Want {
        match self {
            Reference::Exact(f) => Want::Exact(f(ty, x)),
            Reference::Either(f, g) => Want::Either(f(ty, x), g(ty, x)),
            Reference::Near(near) => {
                if let Some(value) = (near.special)(x) {
                    // Numbers such as pi/2 are only known approximately.
                    let known = value == 0.0 || !value.is_finite();
                    return if known { Want::Exact(value) } else { Want::Near(value.into()) };
                }
                if ty == Type::Double {
                    let calc = calc.get_or_insert_with(Calc::new);
                    return Want::Near(wide::to_wide(&(near.wide)(calc, x)));
                }
                Want::Near((near.single)(x).into())
            }
        }
    }
}

impl Want {
    /// Returns one acceptable result of the type.
    pub fn shown(self, ty: Type) -> f64 {
        match self {
            Want::Exact(value) | Want::Either(value, _) => value,
            Want::Near(wide) => wide.round(ty),
        }
    }
}
