//! Tests functions of `half` on every half against double precision, and conversions on all values near rounding
//! boundaries.

use std::f64::consts::{FRAC_1_PI, PI};
use std::fmt::Write;
use std::sync::Arc;

use grus_core::compile::{self, Artifact, Source};
use grus_core::exec::{self, Launch, NdRange};
use grus_core::support::f16;

unsafe extern "C" {
    safe fn erf(x: f64) -> f64;
    safe fn erfc(x: f64) -> f64;
    safe fn tgamma(x: f64) -> f64;
    safe fn lgamma(x: f64) -> f64;
    safe fn remainder(x: f64, y: f64) -> f64;
}

/// Error bound of results that are computed in `float` and then rounded: half a unit, and the error of the `float`.
const ROUNDED: f64 = 0.51;
/// Error bound of results that are exact or correctly rounded.
const EXACT: f64 = 0.5;

/// Name, reference function, and error bound in units of the last place.
type Unary = (&'static str, fn(f64) -> f64, f64);
type Binary = (&'static str, fn(f64, f64) -> f64, f64);

const UNARY: &[Unary] = &[
    ("acos", f64::acos, ROUNDED),
    ("acosh", f64::acosh, ROUNDED),
    ("acospi", |x| x.acos() * FRAC_1_PI, ROUNDED),
    ("asin", f64::asin, ROUNDED),
    ("asinh", asinh, ROUNDED),
    ("asinpi", |x| x.asin() * FRAC_1_PI, ROUNDED),
    ("atan", f64::atan, ROUNDED),
    ("atanh", f64::atanh, ROUNDED),
    ("atanpi", |x| x.atan() * FRAC_1_PI, ROUNDED),
    ("cbrt", f64::cbrt, ROUNDED),
    ("ceil", f64::ceil, EXACT),
    ("cos", f64::cos, ROUNDED),
    ("cosh", f64::cosh, ROUNDED),
    ("cospi", cospi, ROUNDED),
    ("degrees", f64::to_degrees, ROUNDED),
    ("erf", |x| erf(x), ROUNDED),
    ("erfc", |x| erfc(x), ROUNDED),
    ("exp", f64::exp, ROUNDED),
    ("exp10", |x| 10f64.powf(x), ROUNDED),
    ("exp2", f64::exp2, ROUNDED),
    ("expm1", f64::exp_m1, ROUNDED),
    ("fabs", f64::abs, EXACT),
    ("floor", f64::floor, EXACT),
    ("lgamma", |x| lgamma(x), ROUNDED),
    ("log", f64::ln, ROUNDED),
    ("log10", f64::log10, ROUNDED),
    ("log1p", f64::ln_1p, ROUNDED),
    ("log2", f64::log2, ROUNDED),
    ("logb", logb, EXACT),
    ("radians", f64::to_radians, ROUNDED),
    ("rint", f64::round_ties_even, EXACT),
    ("round", f64::round, EXACT),
    ("rsqrt", |x| 1.0 / x.sqrt(), ROUNDED),
    (
        "sign",
        |x| {
            if x.is_nan() {
                0.0
            } else if x == 0.0 {
                x
            } else {
                x.signum()
            }
        },
        EXACT,
    ),
    ("sin", f64::sin, ROUNDED),
    ("sinh", f64::sinh, ROUNDED),
    ("sinpi", sinpi, ROUNDED),
    ("sqrt", f64::sqrt, EXACT),
    ("tan", f64::tan, ROUNDED),
    ("tanh", f64::tanh, ROUNDED),
    ("tanpi", tanpi, ROUNDED),
    ("tgamma", |x| if x < 0.0 && x.floor() == x { f64::NAN } else { tgamma(x) }, ROUNDED),
    ("trunc", f64::trunc, EXACT),
];

const BINARY: &[Binary] = &[
    ("add", |x, y| x + y, EXACT),
    ("subtract", |x, y| x - y, EXACT),
    ("multiply", |x, y| x * y, EXACT),
    ("divide", |x, y| x / y, EXACT),
    ("atan2", f64::atan2, ROUNDED),
    ("atan2pi", |y, x| y.atan2(x) * FRAC_1_PI, ROUNDED),
    ("copysign", |x, y| if x.is_nan() { x } else { x.copysign(y) }, EXACT),
    ("fdim", |x, y| if x <= y { 0.0 } else { x - y }, EXACT),
    ("fmod", |x, y| x % y, EXACT),
    ("hypot", f64::hypot, ROUNDED),
    ("nextafter", nextafter, EXACT),
    ("pow", pow, ROUNDED),
    ("remainder", |x, y| remainder(x, y), EXACT),
];

/// Computes asinh. The function of the standard library is inaccurate for small arguments.
fn asinh(x: f64) -> f64 {
    let size = x.abs();
    let value = (size + size * size / (1.0 + (1.0 + size * size).sqrt())).ln_1p();
    if x.is_infinite() { x } else { value.copysign(x) }
}

fn sinpi(x: f64) -> f64 {
    if x.fract() == 0.0 { 0f64.copysign(x) } else { (PI * (x % 2.0)).sin() }
}

fn cospi(x: f64) -> f64 {
    if x.abs().fract() == 0.5 { 0.0 } else { (PI * (x % 2.0)).cos() }
}

fn tanpi(x: f64) -> f64 {
    if x.is_infinite() {
        return f64::NAN;
    }
    let odd = (x.floor() % 2.0) != 0.0;
    match x.abs().fract() {
        0.0 => 0f64.copysign(if odd { -x } else { x }),
        0.5 => f64::INFINITY.copysign(if odd { -1.0 } else { 1.0 }),
        _ => (PI * (x % 1.0)).tan(),
    }
}

fn logb(x: f64) -> f64 {
    match x.classify() {
        std::num::FpCategory::Zero => f64::NEG_INFINITY,
        std::num::FpCategory::Infinite => f64::INFINITY,
        std::num::FpCategory::Nan => x,
        _ => ((x.to_bits() >> 52 & 0x7ff) as i32 - 1023).into(),
    }
}

fn pow(x: f64, y: f64) -> f64 {
    x.powf(y)
}

fn nextafter(x: f64, y: f64) -> f64 {
    let step = |x: f64, up: bool| {
        let bits = f16::from_f64(x);
        let away = (x > 0.0) == up;
        let next = if x == 0.0 {
            1 | u16::from(!up) << 15
        } else if away {
            bits + 1
        } else {
            bits - 1
        };
        f64::from(f16::to_f32(next))
    };
    if x.is_nan() || y.is_nan() || x == y { if x == y { y } else { f64::NAN } } else { step(x, y > x) }
}

/// Returns the value of a half.
fn value(bits: u16) -> f64 {
    f64::from(f16::to_f32(bits))
}

/// Describes the error of a result, if it exceeds the bound.
fn problem(found: u16, expected: f64, bound: f64) -> Option<String> {
    let nearest = f16::from_f64(expected);
    let number = value(found);
    if nearest == found || expected.is_nan() && number.is_nan() {
        return None;
    }
    let say = |error: f64| {
        Some(format!("{number} ({found:#06x}), expected {expected} ({nearest:#06x}): {error} ulp"))
    };
    if bound == EXACT || number.is_nan() || expected.is_nan() || expected.is_infinite() {
        return say(f64::NAN);
    }
    // Infinity counts as the next number after the largest finite half.
    let number = if number.is_infinite() { 65536f64.copysign(number) } else { number };
    let unit = (logb(expected).max(-14.0) - 10.0).exp2();
    let error = (number - expected).abs() / unit;
    if error <= bound { None } else { say(error) }
}

fn build(text: String, options: &str) -> Arc<Artifact> {
    let source = Source { name: "half.cl".into(), text };
    let built = compile::build(&source, &[], options);
    built.result.unwrap_or_else(|_| panic!("{}", built.log))
}

/// Runs a kernel whose arguments are all addresses.
fn run(artifact: &Artifact, name: &str, items: usize, buffers: &[u64]) {
    let index = artifact.kernels.iter().position(|k| k.name == name).expect("it is there");
    let kernel = artifact.compiled(index).expect("code");
    let args: Vec<u8> = buffers.iter().flat_map(|b| b.to_le_bytes()).collect();
    let range = NdRange { work_dim: 1, offset: [0; 3], global: [items as u64, 1, 1], local: [16, 1, 1] };
    exec::run(&kernel, &Launch::new(&kernel, range, (&args[..]).into(), []), None).expect("it runs");
}

fn all_halves() -> Vec<u16> {
    (0..=u16::MAX).collect()
}

fn address<T>(buffer: &[T]) -> u64 {
    buffer.as_ptr() as u64
}

/// Returns a zeroed buffer to which kernels write through its address.
fn output_buffer<T: Clone + Default>(len: usize) -> Vec<T> {
    vec![T::default(); len]
}

#[test]
fn unary_functions_on_every_half() {
    let mut text = String::new();
    for (name, ..) in UNARY {
        let _ = writeln!(
            text,
            "kernel void k_{name}(global const half *in, global half *out)
            {{ size_t i = get_global_id(0); out[i] = {name}(in[i]); }}"
        );
    }
    let artifact = build(text, "");
    let input = all_halves();
    let mut wrong = Vec::new();
    for (name, reference, bound) in UNARY {
        let mut output: Vec<u16> = output_buffer(input.len());
        run(&artifact, &format!("k_{name}"), input.len(), &[address(&input), output.as_mut_ptr() as u64]);
        let problems = input.iter().zip(&output).filter_map(|(&x, &found)| {
            let problem = problem(found, reference(value(x)), *bound)?;
            Some(format!("{name}({}) is {problem}", value(x)))
        });
        wrong.extend(problems.take(3));
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

/// Second operands: special values, and values near rounding boundaries.
const OTHERS: [u16; 24] = [
    0, 0x8000, 0x3c00, 0xbc00, 0x7c00, 0xfc00, 0x7e00, 1, 0x8001, 0x03ff, 0x0400, 0x7bff, 0xfbff, 0x3800,
    0xc000, 0x4200, 0x3555, 0x3c01, 0x1000, 0x6c00, 0xc25a, 0x5640, 0x2e66, 0x0155,
];

#[test]
fn binary_functions_on_every_half_and_some() {
    let mut text = String::new();
    for (name, ..) in BINARY {
        let call = match *name {
            "add" => "x + y".into(),
            "subtract" => "x - y".into(),
            "multiply" => "x * y".into(),
            "divide" => "x / y".into(),
            _ => format!("{name}(x, y)"),
        };
        let _ = writeln!(
            text,
            "kernel void k_{name}(global const half *in, global half *out, global const half *others) {{
                size_t i = get_global_id(0);
                half x = in[i], y = *others;
                out[i] = {call};
            }}"
        );
    }
    let artifact = build(text, "");
    let input = all_halves();
    let mut wrong = Vec::new();
    for (name, reference, bound) in BINARY {
        for other in OTHERS {
            let mut output: Vec<u16> = output_buffer(input.len());
            let second = [other];
            let buffers = [address(&input), output.as_mut_ptr() as u64, address(&second)];
            run(&artifact, &format!("k_{name}"), input.len(), &buffers);
            let y = value(other);
            let problems = input.iter().zip(&output).filter_map(|(&x, &found)| {
                let problem = problem(found, reference(value(x), y), *bound)?;
                Some(format!("{name}({}, {y}) is {problem}", value(x)))
            });
            wrong.extend(problems.take(3));
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.iter().take(40).cloned().collect::<Vec<_>>().join("\n"));
}

/// Checks that `fma` rounds once, on products near the middle of two halves, where a second rounding would change
/// the result.
#[test]
fn fma_rounds_once() {
    let text = "kernel void k(global const half *in, global half *out, global const half *c)
        { size_t i = get_global_id(0); out[i] = fma(in[2 * i], in[2 * i + 1], *c); }";
    let artifact = build(text.into(), "");
    let mut state = 1u64;
    let mut input: Vec<u16> = Vec::new();
    for _ in 0..1 << 18 {
        state ^= state << 13;
        state ^= state >> 7;
        state ^= state << 17;
        input.push(state as u16);
    }
    for c in OTHERS {
        let mut output: Vec<u16> = output_buffer(input.len() / 2);
        let third = [c];
        let buffers = [address(&input), output.as_mut_ptr() as u64, address(&third)];
        run(&artifact, "k", output.len(), &buffers);
        for (i, &found) in output.iter().enumerate() {
            let (a, b) = (value(input[2 * i]), value(input[2 * i + 1]));
            // The sum is computed in integers, in units of 2^-48: every product of two halves is a multiple of
            // that.
            let expected = match a * b + value(c) {
                sum if !sum.is_finite() => f16::from_f64(sum),
                sum => {
                    let exact = (a * b * 48f64.exp2()) as i128 + (value(c) * 48f64.exp2()) as i128;
                    if exact == 0 { f16::from_f64(sum) } else { nearest_half(exact) }
                }
            };
            let both_nan = value(found).is_nan() && value(expected).is_nan();
            assert!(
                found == expected || both_nan,
                "fma({a}, {b}, {}) is {found:#x}, not {expected:#x}",
                value(c)
            );
        }
    }
}

/// Returns the half nearest to `number` times 2^-48.
fn nearest_half(number: i128) -> u16 {
    let sign = u16::from(number < 0) << 15;
    let size = number.unsigned_abs();
    // At least the bits below 2^-24, the smallest subnormal half, are rounded away.
    let drop = (128 - size.leading_zeros()).saturating_sub(11).max(24);
    let (kept, rest, tie) = (size >> drop, size & ((1 << drop) - 1), 1u128 << (drop - 1));
    let up = rest > tie || rest == tie && kept & 1 == 1;
    let bits = (u128::from(drop - 24) << 10) + kept + u128::from(up);
    sign | if bits >= 0x7c00 { 0x7c00 } else { bits as u16 }
}

#[test]
fn remquo_has_the_low_bits_of_the_quotient() {
    let text = "kernel void k(global const half *in, global half *out, global int *quotients, global const half *y) {
        size_t i = get_global_id(0);
        out[i] = remquo(in[i], *y, &quotients[i]);
    }";
    let artifact = build(text.into(), "");
    let input = all_halves();
    for other in OTHERS {
        let (y, second) = (value(other), [other]);
        let (mut output, mut quotients): (Vec<u16>, Vec<i32>) =
            (output_buffer(input.len()), output_buffer(input.len()));
        let buffers =
            [address(&input), output.as_mut_ptr() as u64, quotients.as_mut_ptr() as u64, address(&second)];
        run(&artifact, "k", input.len(), &buffers);
        for (i, &x) in input.iter().enumerate() {
            let x = value(x);
            assert_eq!(problem(output[i], remainder(x, y), EXACT), None, "remquo({x}, {y})");
            if x.is_finite() && y.is_finite() && y != 0.0 {
                // `x` and `y` are multiples of 2^-24, so this division is exact.
                let whole = ((x - remainder(x, y)) / y) as i64;
                let low = whole.signum() * (whole.abs() & 0x7f);
                assert_eq!(i64::from(quotients[i]), low, "remquo({x}, {y})");
            }
        }
    }
}

/// Returns kernels that convert vectors of every width, which are compiled differently. With `between`, the
/// conversion has an intermediate type.
fn conversions(from: &str, between: &str, to: &str) -> String {
    let mut text = String::new();
    for lanes in ["", "2", "3", "4", "8", "16"] {
        let n = if lanes.is_empty() { "1" } else { lanes };
        let (load, store) = match lanes {
            "" => ("in[i]".into(), "out[i] = y".into()),
            _ => (format!("vload{n}(i, in)"), format!("vstore{n}(y, i, out)")),
        };
        let between = if between.is_empty() { String::new() } else { format!("convert_{between}{lanes}") };
        let _ = writeln!(
            text,
            "kernel void to{n}(global const {from} *in, global {to} *out) {{
                size_t i = get_global_id(0);
                {to}{lanes} y = convert_{to}{lanes}({between}({load}));
                {store};
            }}"
        );
    }
    text
}

/// Calls `check` with the results of each width.
fn convert<T, U: Clone + Default>(artifact: &Artifact, input: &[T], mut check: impl FnMut(usize, &[U])) {
    for lanes in [1, 2, 3, 4, 8, 16] {
        let mut output: Vec<U> = output_buffer(input.len());
        let items = input.len() / lanes;
        run(artifact, &format!("to{lanes}"), items, &[address(input), output.as_mut_ptr() as u64]);
        check(lanes, &output[..items * lanes]);
    }
}

#[test]
fn every_half_becomes_its_float() {
    for options in ["", "-cl-denorms-are-zero"] {
        let artifact = build(conversions("half", "", "float"), options);
        let input = all_halves();
        convert(&artifact, &input, |lanes, output: &[u32]| {
            for (&x, &found) in input.iter().zip(output) {
                assert_eq!(found, f16::to_f32(x).to_bits(), "{x:#x}, {lanes} lanes {options}");
            }
        });
    }
}

#[test]
fn floats_become_the_nearest_half() {
    let mut input: Vec<f32> = Vec::new();
    for bits in 0..=u16::MAX {
        let x = f16::to_f32(bits);
        let next = if bits & 0x7fff < 0x7bff { f16::to_f32(bits + 1) } else { x };
        let middle = ((f64::from(x) + f64::from(next)) / 2.0) as f32;
        input.extend([x, middle, middle.next_up(), middle.next_down(), x.next_up(), x.next_down()]);
    }
    let special = [65519.996, 65520.0, 65535.0, 65536.0, f32::MAX, f32::MIN_POSITIVE, 1e-40, 2.9802322e-8];
    input.extend(special.iter().flat_map(|&x| [x, -x]));
    // Every exponent with every pattern of the upper mantissa bits, NaNs among them.
    input.extend((0..1 << 18).map(|i: u32| f32::from_bits(i << 14 | (i.wrapping_mul(0x9e37_79b9) >> 18))));
    input.truncate(input.len() / 48 * 48);
    for options in ["", "-cl-denorms-are-zero"] {
        let artifact = build(conversions("float", "", "half"), options);
        convert(&artifact, &input, |lanes, output: &[u16]| {
            for (&x, &found) in input.iter().zip(output) {
                assert_eq!(found, f16::from_f64(f64::from(x)), "{x:e}, {lanes} lanes {options}");
            }
        });
        // A conversion to `half` and back rounds, though the value need not be stored as a half.
        let artifact = build(conversions("float", "half", "float"), options);
        convert(&artifact, &input, |lanes, output: &[u32]| {
            for (&x, &found) in input.iter().zip(output) {
                let expected = f16::to_f32(f16::from_f64(f64::from(x))).to_bits();
                assert_eq!(found, expected, "{x:e} and back, {lanes} lanes {options}");
            }
        });
    }
}

#[test]
fn doubles_become_the_nearest_half() {
    let mut input: Vec<f64> = Vec::new();
    for bits in 0..=u16::MAX {
        let x = value(bits);
        let next = if bits & 0x7fff < 0x7bff { value(bits + 1) } else { x };
        let middle = (x + next) / 2.0;
        input.extend([x, middle, middle.next_up(), middle.next_down(), middle * (1.0 + 1e-12)]);
    }
    let special = [65519.99999999999, 65520.0, 1e300, f64::MIN_POSITIVE, 1e-310, 2f64.powi(-25)];
    input.extend(special.iter().flat_map(|&x| [x, -x]));
    input.extend((0..1 << 16).map(|i: u64| f64::from_bits(i << 48 | i << 29 | i)));
    input.truncate(input.len() / 48 * 48);
    let artifact = build(conversions("double", "", "half"), "");
    convert(&artifact, &input, |lanes, output: &[u16]| {
        for (&x, &found) in input.iter().zip(output) {
            let expected = f16::from_f64(x);
            let both_nan = x.is_nan() && value(found).is_nan();
            assert!(found == expected || both_nan, "{x:e}, {lanes} lanes: {found:#x}, not {expected:#x}");
        }
    });
}
