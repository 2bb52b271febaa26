//! What functions should give: a result that is known exactly, or a number to many more bits than the type has.

pub mod exact;
pub mod single;
pub mod special;
#[cfg(test)]
mod tests;
pub mod wide;

use super::number::Type;
use super::ulp::Wide;
use wide::{Calc, WideFn};

/// How one result of a function is found. Arguments and results of all types are passed as doubles, integers too.
#[derive(Clone, Copy)]
pub enum Reference {
    /// In every case one number of the type.
    Exact(fn(Type, [f64; 3]) -> f64),
    /// One of two: zeros of either sign, or with and without an intermediate rounding.
    Either(fn(Type, [f64; 3]) -> f64, fn(Type, [f64; 3]) -> f64),
    Near(Near),
}

/// A function that has to be approximated.
#[derive(Clone, Copy)]
pub struct Near {
    /// Where the result is known: Annex F of C99 and s7.5 of OpenCL C.
    pub special: fn([f64; 3]) -> Option<f64>,
    /// For results in float and half, to a double's precision.
    pub single: fn([f64; 3]) -> f64,
    /// For results in double.
    pub wide: WideFn,
}

/// What a result should be.
#[derive(Clone, Copy, PartialEq, Debug)]
pub enum Want {
    /// This number, with the sign of its zero.
    Exact(f64),
    /// One of these.
    Either(f64, f64),
    /// A number near to this one.
    Near(Wide),
}

impl Reference {
    pub fn want(&self, ty: Type, x: [f64; 3], calc: &mut Option<Calc>) -> Want {
        match self {
            Reference::Exact(f) => Want::Exact(f(ty, x)),
            Reference::Either(f, g) => Want::Either(f(ty, x), g(ty, x)),
            Reference::Near(near) => {
                if let Some(value) = (near.special)(x) {
                    // Numbers like pi/2 are known only nearly.
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
    /// One result of the type that would do.
    pub fn shown(self, ty: Type) -> f64 {
        match self {
            Want::Exact(value) | Want::Either(value, _) => value,
            Want::Near(wide) => wide.round(ty),
        }
    }
}
