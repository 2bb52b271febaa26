//! Functions in double precision, for results in float and half. `libm` is a port of musl's library to Rust, with
//! errors of about one ulp of a double. Functions that it lacks are composed here. Arguments must be ordinary, as
//! in `wide`.

use std::f64::consts::PI;

/// Returns the sine of pi times `x`. The argument reduction is exact.
pub fn sinpi([x, ..]: [f64; 3]) -> f64 {
    let whole = x.round_ties_even();
    let value = libm::sin(PI * (x - whole));
    if whole % 2.0 == 0.0 { value } else { -value }
}

pub fn cospi([x, ..]: [f64; 3]) -> f64 {
    let whole = x.round_ties_even();
    let rest = (x - whole).abs();
    let value = if rest > 0.25 { libm::sin(PI * (0.5 - rest)) } else { libm::cos(PI * rest) };
    if whole % 2.0 == 0.0 { value } else { -value }
}

pub fn tanpi(x: [f64; 3]) -> f64 {
    sinpi(x) / cospi(x)
}

pub fn rootn([x, n, _]: [f64; 3]) -> f64 {
    libm::exp(libm::log(x.abs()) / n).copysign(if n % 2.0 == 0.0 { 1.0 } else { x })
}

/// Returns the logarithm of the absolute value of gamma.
pub fn lgamma([x, ..]: [f64; 3]) -> f64 {
    libm::lgamma_r(x).0
}
