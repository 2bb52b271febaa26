//! Arbitrary-precision references for results in double: the functions of `astro-float`, and series for the
//! functions it lacks. About 128 bits are correct; 63 bits would be enough to measure the error of a double's 53
//! bits to a thousandth of an ulp.
//!
//! Arguments must be ordinary: finite, inside the domain, and without an exactly known result (`special`).

use astro_float::{BigFloat, Consts, RoundingMode, Sign};

use super::super::ulp::Wide;

/// Number of bits of intermediate results.
const BITS: usize = 192;

/// Number of terms of Stirling's series, and the argument from which they are enough: the first omitted term is
/// below 2^-200.
const STIRLING: usize = 30;
const STIRLING_FROM: f64 = 48.0;

/// Constants shared by calculations.
pub struct Calc {
    constants: Consts,
    /// Coefficients B(2k) / (2k (2k - 1)) for k from 1.
    stirling: Vec<BigFloat>,
    pi: BigFloat,
    ln2: BigFloat,
    ln10: BigFloat,
}

/// Function of up to three numbers.
pub type WideFn = fn(&mut Calc, [f64; 3]) -> BigFloat;

pub fn big(x: f64) -> BigFloat {
    // `from_f64` of astro-float 0.9 returns half the value for subnormal numbers.
    let (fraction, exponent) = libm::frexp(x);
    let mut value = BigFloat::from_f64(fraction, BITS);
    if x != 0.0 {
        value.set_exponent(exponent);
    }
    value
}

fn int(x: i64) -> BigFloat {
    BigFloat::from_i64(x, BITS)
}

/// Rounding mode, which is irrelevant this far beyond the last significant bit.
const ANY: RoundingMode = RoundingMode::None;

fn add(a: &BigFloat, b: &BigFloat) -> BigFloat {
    a.add(b, BITS, ANY)
}

fn sub(a: &BigFloat, b: &BigFloat) -> BigFloat {
    a.sub(b, BITS, ANY)
}

fn mul(a: &BigFloat, b: &BigFloat) -> BigFloat {
    a.mul(b, BITS, ANY)
}

fn div(a: &BigFloat, b: &BigFloat) -> BigFloat {
    a.div(b, BITS, ANY)
}

fn sqrt(a: &BigFloat) -> BigFloat {
    a.sqrt(BITS, ANY)
}

fn half(a: &BigFloat) -> BigFloat {
    mul(a, &big(0.5))
}

/// Returns the leading 128 bits.
pub fn to_wide(x: &BigFloat) -> Wide {
    let Some((words, _, sign, exponent, _)) = x.as_raw_parts() else {
        return Wide::from(if x.is_nan() {
            f64::NAN
        } else if x.is_inf_neg() {
            f64::NEG_INFINITY
        } else {
            f64::INFINITY
        });
    };
    if x.is_zero() {
        return Wide::from(0.0);
    }
    let top = words[words.len() - 1];
    let next = if words.len() > 1 { words[words.len() - 2] } else { 0 };
    let unit = super::super::number::power(-63);
    let hi = (top & !0x7ff) as f64 * unit;
    let lo = (top & 0x7ff) as f64 * unit + next as f64 * unit * unit * 0.5;
    let sign = if sign == Sign::Neg { -1.0 } else { 1.0 };
    Wide { hi: sign * hi, lo: sign * lo, scale: exponent - 1 }
}

impl Calc {
    pub fn new() -> Self {
        let mut constants = Consts::new().expect("memory for constants");
        let pi = constants.pi(BITS, ANY);
        let ln2 = constants.ln_2(BITS, ANY);
        let ln10 = constants.ln_10(BITS, ANY);
        Calc { constants, stirling: stirling(), pi, ln2, ln10 }
    }

    fn natural_exp(&mut self, x: &BigFloat) -> BigFloat {
        // Larger exponents overflow or underflow a double in any case.
        let limit = big(4000.0);
        let x = x.clamp(&limit.neg(), &limit);
        x.exp(BITS, ANY, &mut self.constants)
    }

    fn natural_log(&mut self, x: &BigFloat) -> BigFloat {
        x.ln(BITS, ANY, &mut self.constants)
    }

    /// Returns sin(pi r) for |r| <= 1/2.
    fn sin_of_pi(&mut self, r: f64) -> BigFloat {
        mul(&self.pi, &big(r)).sin(BITS, ANY, &mut self.constants)
    }

    /// Returns log gamma(x) for x > 0.
    fn log_gamma(&mut self, x: &BigFloat) -> BigFloat {
        let from = big(STIRLING_FROM);
        let mut product = int(1);
        let mut z = x.clone();
        while z.cmp(&from).is_some_and(|order| order < 0) {
            product = mul(&product, &z);
            z = add(&z, &int(1));
        }
        let inverse = div(&int(1), &z);
        let square = mul(&inverse, &inverse);
        let mut sum = int(0);
        for coefficient in self.stirling.iter().rev() {
            sum = add(&mul(&sum, &square), coefficient);
        }
        sum = mul(&sum, &inverse);
        let two_pi = mul(&self.pi, &int(2));
        let constant = half(&self.natural_log(&two_pi));
        let main = sub(&mul(&sub(&z, &big(0.5)), &self.natural_log(&z)), &z);
        let value = add(&add(&main, &constant), &sum);
        sub(&value, &self.natural_log(&product))
    }

    /// Returns erf(x) for 0 < x < 2. All terms of this series are positive.
    fn erf_series(&mut self, x: &BigFloat) -> BigFloat {
        let square = mul(x, x);
        let mut term = x.clone();
        let mut sum = x.clone();
        for n in 1..120 {
            term = div(&mul(&term, &mul(&square, &int(2))), &int(2 * n + 1));
            sum = add(&sum, &term);
        }
        let scale = div(&mul(&int(2), &self.natural_exp(&square.neg())), &sqrt(&self.pi));
        mul(&scale, &sum)
    }

    /// Returns erfc(x) for x >= 2, by its continued fraction.
    fn erfc_fraction(&mut self, x: &BigFloat, size: f64) -> BigFloat {
        let terms = 60 + (2400.0 / (size * size)) as i64;
        let mut fraction = x.clone();
        for n in (1..=terms).rev() {
            fraction = add(x, &div(&half(&int(n)), &fraction));
        }
        let exponential = self.natural_exp(&mul(x, x).neg());
        div(&exponential, &mul(&sqrt(&self.pi), &fraction))
    }

    fn erfc_positive(&mut self, size: f64) -> BigFloat {
        let x = big(size);
        if size < 2.0 { sub(&int(1), &self.erf_series(&x)) } else { self.erfc_fraction(&x, size) }
    }
}

/// Returns B(2k) / (2k (2k - 1)), computed from the tangent numbers of Brent and Harvey, "Fast computation of
/// Bernoulli, tangent and secant numbers" (2011). All integers are exact.
fn stirling() -> Vec<BigFloat> {
    const EXACT: usize = 512;
    let whole = |n: usize| BigFloat::from_u64(n as u64, EXACT);
    let mut tangent = vec![whole(1); STIRLING + 1];
    for k in 2..=STIRLING {
        tangent[k] = tangent[k - 1].mul(&whole(k - 1), EXACT, ANY);
    }
    for k in 2..=STIRLING {
        for j in k..=STIRLING {
            let kept = tangent[j].mul(&whole(j - k + 2), EXACT, ANY);
            tangent[j] = tangent[j - 1].mul(&whole(j - k), EXACT, ANY).add(&kept, EXACT, ANY);
        }
    }
    let mut power = whole(1);
    let mut list = Vec::new();
    for (k, tangent) in tangent.iter().enumerate().skip(1) {
        power = power.mul(&whole(4), EXACT, ANY);
        let divisor = power.mul(&power.sub(&whole(1), EXACT, ANY), EXACT, ANY);
        let divisor = divisor.mul(&whole(2 * k - 1), EXACT, ANY);
        let size = tangent.div(&divisor, BITS, ANY);
        list.push(if k % 2 == 1 { size } else { size.neg() });
    }
    list
}

macro_rules! same {
    ($($name:ident)*) => {
        $(pub fn $name(c: &mut Calc, [x, ..]: [f64; 3]) -> BigFloat {
            big(x).$name(BITS, ANY, &mut c.constants)
        })*
    };
}

same!(sin cos tan asin acos atan tanh asinh acosh atanh);

pub fn sinh(c: &mut Calc, [x, ..]: [f64; 3]) -> BigFloat {
    big(x.clamp(-4000.0, 4000.0)).sinh(BITS, ANY, &mut c.constants)
}

pub fn cosh(c: &mut Calc, [x, ..]: [f64; 3]) -> BigFloat {
    big(x.clamp(-4000.0, 4000.0)).cosh(BITS, ANY, &mut c.constants)
}

pub fn asinpi(c: &mut Calc, x: [f64; 3]) -> BigFloat {
    let value = asin(c, x);
    div(&value, &c.pi)
}

pub fn acospi(c: &mut Calc, x: [f64; 3]) -> BigFloat {
    let value = acos(c, x);
    div(&value, &c.pi)
}

pub fn atanpi(c: &mut Calc, x: [f64; 3]) -> BigFloat {
    let value = atan(c, x);
    div(&value, &c.pi)
}

pub fn atan2(c: &mut Calc, [y, x, _]: [f64; 3]) -> BigFloat {
    let angle = div(&big(y), &big(x)).atan(BITS, ANY, &mut c.constants);
    match (x < 0.0, y < 0.0) {
        (false, _) => angle,
        (true, false) => add(&angle, &c.pi),
        (true, true) => sub(&angle, &c.pi),
    }
}

pub fn atan2pi(c: &mut Calc, x: [f64; 3]) -> BigFloat {
    let value = atan2(c, x);
    div(&value, &c.pi)
}

pub fn sinpi(c: &mut Calc, [x, ..]: [f64; 3]) -> BigFloat {
    // The subtraction is exact.
    let whole = x.round_ties_even();
    let value = c.sin_of_pi(x - whole);
    if whole % 2.0 == 0.0 { value } else { value.neg() }
}

pub fn cospi(c: &mut Calc, [x, ..]: [f64; 3]) -> BigFloat {
    let whole = x.round_ties_even();
    let rest = (x - whole).abs();
    // Close to one half, use the sine, which is small there.
    let value = if rest > 0.25 {
        c.sin_of_pi(0.5 - rest)
    } else {
        mul(&c.pi, &big(rest)).cos(BITS, ANY, &mut c.constants)
    };
    if whole % 2.0 == 0.0 { value } else { value.neg() }
}

pub fn tanpi(c: &mut Calc, x: [f64; 3]) -> BigFloat {
    div(&sinpi(c, x), &cospi(c, x))
}

pub fn exp(c: &mut Calc, [x, ..]: [f64; 3]) -> BigFloat {
    c.natural_exp(&big(x))
}

pub fn exp2(c: &mut Calc, [x, ..]: [f64; 3]) -> BigFloat {
    let product = mul(&big(x), &c.ln2);
    c.natural_exp(&product)
}

pub fn exp10(c: &mut Calc, [x, ..]: [f64; 3]) -> BigFloat {
    let product = mul(&big(x), &c.ln10);
    c.natural_exp(&product)
}

pub fn expm1(c: &mut Calc, [x, ..]: [f64; 3]) -> BigFloat {
    if x.abs() > 1e-6 {
        return sub(&exp(c, [x, 0.0, 0.0]), &int(1));
    }
    let mut term = big(x);
    let mut sum = big(x);
    for n in 2..12 {
        term = div(&mul(&term, &big(x)), &int(n));
        sum = add(&sum, &term);
    }
    sum
}

pub fn log(c: &mut Calc, [x, ..]: [f64; 3]) -> BigFloat {
    c.natural_log(&big(x))
}

pub fn log2(c: &mut Calc, x: [f64; 3]) -> BigFloat {
    let value = log(c, x);
    div(&value, &c.ln2)
}

pub fn log10(c: &mut Calc, x: [f64; 3]) -> BigFloat {
    let value = log(c, x);
    div(&value, &c.ln10)
}

pub fn log1p(c: &mut Calc, [x, ..]: [f64; 3]) -> BigFloat {
    if x.abs() > 1e-6 {
        return c.natural_log(&add(&int(1), &big(x)));
    }
    let mut power = big(x);
    let mut sum = big(x);
    for n in 2..12 {
        power = mul(&power, &big(-x));
        sum = add(&sum, &div(&power, &int(n)));
    }
    sum
}

pub fn cbrt(_: &mut Calc, [x, ..]: [f64; 3]) -> BigFloat {
    big(x).cbrt(BITS, ANY)
}

pub fn square_root(_: &mut Calc, [x, ..]: [f64; 3]) -> BigFloat {
    sqrt(&big(x))
}

pub fn rsqrt(_: &mut Calc, [x, ..]: [f64; 3]) -> BigFloat {
    div(&int(1), &sqrt(&big(x)))
}

pub fn divide(_: &mut Calc, [x, y, _]: [f64; 3]) -> BigFloat {
    div(&big(x), &big(y))
}

pub fn recip(_: &mut Calc, [x, ..]: [f64; 3]) -> BigFloat {
    div(&int(1), &big(x))
}

pub fn hypot(_: &mut Calc, [x, y, _]: [f64; 3]) -> BigFloat {
    let (x, y) = (big(x), big(y));
    sqrt(&add(&mul(&x, &x), &mul(&y, &y)))
}

pub fn pow(c: &mut Calc, [x, y, _]: [f64; 3]) -> BigFloat {
    let product = mul(&big(y), &c.natural_log(&big(x.abs())));
    let size = c.natural_exp(&product);
    if x < 0.0 && y % 2.0 != 0.0 { size.neg() } else { size }
}

pub fn rootn(c: &mut Calc, [x, n, _]: [f64; 3]) -> BigFloat {
    let quotient = div(&c.natural_log(&big(x.abs())), &big(n));
    let size = c.natural_exp(&quotient);
    if x < 0.0 { size.neg() } else { size }
}

pub fn erf(c: &mut Calc, [x, ..]: [f64; 3]) -> BigFloat {
    let size = x.abs();
    let value = if size < 2.0 {
        c.erf_series(&big(size))
    } else {
        // The result rounds to one long before the argument reaches 60.
        sub(&int(1), &c.erfc_positive(size.min(60.0)))
    };
    if x < 0.0 { value.neg() } else { value }
}

pub fn erfc(c: &mut Calc, [x, ..]: [f64; 3]) -> BigFloat {
    if x < 0.0 {
        let value = erf(c, [-x, 0.0, 0.0]);
        return add(&int(1), &value);
    }
    c.erfc_positive(x.min(60.0))
}

pub fn lgamma(c: &mut Calc, [x, ..]: [f64; 3]) -> BigFloat {
    if x > 0.0 {
        return c.log_gamma(&big(x));
    }
    // gamma(x) gamma(1 - x) = pi / sin(pi x)
    let sine = sinpi(c, [x, 0.0, 0.0]).abs();
    let quotient = div(&c.pi, &sine);
    let mirrored = c.log_gamma(&sub(&int(1), &big(x)));
    sub(&c.natural_log(&quotient), &mirrored)
}

pub fn tgamma(c: &mut Calc, [x, ..]: [f64; 3]) -> BigFloat {
    // Larger arguments overflow a double.
    let x = if x > 1000.0 { 1000.0 } else { x };
    let value = lgamma(c, [x, 0.0, 0.0]);
    let size = c.natural_exp(&value);
    let negative = x < 0.0 && x.floor() % 2.0 != 0.0;
    if negative { size.neg() } else { size }
}

pub fn degrees(c: &mut Calc, [x, ..]: [f64; 3]) -> BigFloat {
    div(&mul(&big(x), &int(180)), &c.pi)
}

pub fn radians(c: &mut Calc, [x, ..]: [f64; 3]) -> BigFloat {
    div(&mul(&big(x), &c.pi), &int(180))
}

pub fn difference(x: f64, y: f64) -> BigFloat {
    sub(&big(x), &big(y))
}

pub fn quotient(x: &BigFloat, y: &BigFloat) -> BigFloat {
    div(x, y)
}

pub fn dot(x: &[f64], y: &[f64]) -> BigFloat {
    x.iter().zip(y).fold(int(0), |sum, (&x, &y)| add(&sum, &mul(&big(x), &big(y))))
}

/// Returns the square root of the sum of squares.
pub fn norm(x: &[BigFloat]) -> BigFloat {
    sqrt(&x.iter().fold(int(0), |sum, x| add(&sum, &mul(x, x))))
}
