//! Functions in double, for results in float and half. `libm` is a port of musl's library to Rust: its errors are about one
//! ulp of a double. What it lacks is composed here; arguments are ordinary, as in `wide`.

use std::f64::consts::PI;

/// A sine of pi times something: the reduction is exact.
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

/// By the definition where libm's version has poles.
pub fn lgamma([x, ..]: [f64; 3]) -> f64 {
    libm::lgamma_r(x).0
}
