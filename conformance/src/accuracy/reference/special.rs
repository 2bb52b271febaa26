//! Exactly known results: C99 annex F and its changes in s7.5 of OpenCL C. The functions return `None` for ordinary
//! arguments. A result that is neither zero nor infinite nor NaN is the double nearest to the exact one.

use std::f64::consts::PI;

type Special = Option<f64>;

const NAN: Special = Some(f64::NAN);
const INF: f64 = f64::INFINITY;

/// Returns `value`, the result of `libm`, if it is special: for zeros, infinities, NaN, and arguments outside the
/// domain, `libm` follows annex F.
fn as_libm(x: f64, value: f64) -> Special {
    (x == 0.0 || !x.is_finite() || value.is_nan()).then_some(value)
}

macro_rules! as_in_libm {
    ($($name:ident)*) => {
        $(pub fn $name([x, ..]: [f64; 3]) -> Special {
            as_libm(x, libm::$name(x))
        })*
    };
}

as_in_libm!(asin asinh atan cbrt cos cosh erf erfc exp exp2 exp10 expm1 sin sinh sqrt tan tanh);

/// Defines functions with a zero or a pole at one.
macro_rules! known_at_one {
    ($($name:ident)*) => {
        $(pub fn $name([x, ..]: [f64; 3]) -> Special {
            let value = libm::$name(x);
            if x == 1.0 { Some(value) } else { as_libm(x, value) }
        })*
    };
}

known_at_one!(acos log log2 log10);

/// Returns the special values of acosh. musl's version returns numbers for some arguments below one.
pub fn acosh([x, ..]: [f64; 3]) -> Special {
    if x < 1.0 {
        return NAN;
    }
    if x == 1.0 { Some(0.0) } else { as_libm(x, libm::acosh(x)) }
}

pub fn atanh([x, ..]: [f64; 3]) -> Special {
    if x.abs() == 1.0 { Some(INF.copysign(x)) } else { as_libm(x, libm::atanh(x)) }
}

pub fn log1p([x, ..]: [f64; 3]) -> Special {
    if x == -1.0 { Some(-INF) } else { as_libm(x, libm::log1p(x)) }
}

pub fn rsqrt([x, ..]: [f64; 3]) -> Special {
    as_libm(x, 1.0 / x.sqrt())
}

pub fn recip([x, ..]: [f64; 3]) -> Special {
    as_libm(x, 1.0 / x)
}

pub fn divide([x, y, _]: [f64; 3]) -> Special {
    let plain = x != 0.0 && x.is_finite() && y != 0.0 && y.is_finite();
    (!plain).then_some(x / y)
}

pub fn acospi(x: [f64; 3]) -> Special {
    acos(x).map(|v| v / PI)
}

pub fn asinpi(x: [f64; 3]) -> Special {
    asin(x).map(|v| v / PI)
}

pub fn atanpi(x: [f64; 3]) -> Special {
    atan(x).map(|v| v / PI)
}

pub fn atan2([y, x, _]: [f64; 3]) -> Special {
    let plain = x != 0.0 && x.is_finite() && y != 0.0 && y.is_finite();
    (!plain).then(|| libm::atan2(y, x))
}

/// Returns the special values of atan2pi, which are multiples of a quarter.
pub fn atan2pi(x: [f64; 3]) -> Special {
    let quarters = atan2(x)? / PI * 4.0;
    Some(quarters.round().copysign(quarters) / 4.0)
}

/// Returns the special values of sinpi: at integers, zero with the sign of x (s7.5.1).
pub fn sinpi([x, ..]: [f64; 3]) -> Special {
    if !x.is_finite() {
        return NAN;
    }
    (x == x.trunc()).then(|| 0f64.copysign(x))
}

fn is_half_way(x: f64) -> bool {
    x != x.trunc() && 2.0 * x == (2.0 * x).trunc()
}

/// Returns the special values of cospi: +0 at all n + 1/2 (s7.5.1).
pub fn cospi([x, ..]: [f64; 3]) -> Special {
    if !x.is_finite() {
        return NAN;
    }
    is_half_way(x).then_some(0.0)
}

/// Returns the special values of tanpi: zeros and infinities alternate their signs from one integer to the next
/// (s7.5.1).
pub fn tanpi([x, ..]: [f64; 3]) -> Special {
    if !x.is_finite() {
        return NAN;
    }
    let even = x.floor() % 2.0 == 0.0;
    if x == x.floor() {
        return Some(0f64.copysign(if even { x } else { -x }));
    }
    is_half_way(x).then_some(if even { INF } else { -INF })
}

pub fn hypot([x, y, _]: [f64; 3]) -> Special {
    if x.is_infinite() || y.is_infinite() {
        return Some(INF);
    }
    if x.is_nan() || y.is_nan() {
        return NAN;
    }
    (x == 0.0 || y == 0.0).then(|| x.abs() + y.abs())
}

/// Returns the special values of pow (C99 F.9.4.4), and of pown for an integer y.
pub fn pow([x, y, _]: [f64; 3]) -> Special {
    if y == 0.0 || x == 1.0 {
        return Some(1.0);
    }
    if x.is_nan() || y.is_nan() {
        return NAN;
    }
    let odd = y.is_finite() && y % 2.0 != 0.0 && y == y.trunc();
    if y.is_infinite() {
        let grows = (x.abs() > 1.0) == (y > 0.0);
        return Some(if x.abs() == 1.0 {
            1.0
        } else if grows {
            INF
        } else {
            0.0
        });
    }
    if x == 0.0 || x.is_infinite() {
        let size = if (x == 0.0) == (y > 0.0) { 0.0 } else { INF };
        return Some(if odd { size.copysign(x) } else { size });
    }
    if x < 0.0 && y != y.trunc() {
        return NAN;
    }
    (x == -1.0).then_some(if odd { -1.0 } else { 1.0 })
}

/// Returns the special values of powr, which is exp(y log x), so that fewer arguments are defined (s7.5.1).
pub fn powr([x, y, _]: [f64; 3]) -> Special {
    if x.is_nan() || y.is_nan() || x < 0.0 {
        return NAN;
    }
    if y == 0.0 {
        return if x == 0.0 || x == INF { NAN } else { Some(1.0) };
    }
    if x == 1.0 {
        return if y.is_infinite() { NAN } else { Some(1.0) };
    }
    if x == 0.0 || x == INF || y.is_infinite() {
        let falls = if y.is_infinite() && x != 0.0 && x != INF { x < 1.0 } else { x == 0.0 };
        return Some(if falls == (y > 0.0) { 0.0 } else { INF });
    }
    None
}

/// Returns the special values of rootn (s7.5.1).
pub fn rootn([x, n, _]: [f64; 3]) -> Special {
    let even = n % 2.0 == 0.0;
    if n == 0.0 || x.is_nan() || (x < 0.0 && even) {
        return NAN;
    }
    if x == 0.0 || x.is_infinite() {
        let size = if (x == 0.0) == (n > 0.0) { 0.0 } else { INF };
        return Some(if even { size } else { size.copysign(x) });
    }
    (x.abs() == 1.0).then_some(x)
}

fn is_pole(x: f64) -> bool {
    x <= 0.0 && x == x.trunc() && x.is_finite()
}

pub fn tgamma([x, ..]: [f64; 3]) -> Special {
    if x == 0.0 {
        return Some(INF.copysign(x));
    }
    if is_pole(x) || x == -INF || x.is_nan() {
        return NAN;
    }
    (x == INF).then_some(INF)
}

pub fn lgamma([x, ..]: [f64; 3]) -> Special {
    if x.is_nan() {
        return NAN;
    }
    if is_pole(x) || x.is_infinite() {
        return Some(INF);
    }
    (x == 1.0 || x == 2.0).then_some(0.0)
}

/// Returns the special values of degrees and radians.
pub fn scaled([x, ..]: [f64; 3]) -> Special {
    (x == 0.0 || !x.is_finite()).then_some(x)
}
