//! Speed of the builtin functions: nanoseconds per element, on one core, over 4,096 elements that stay in the
//! cache, on every device the loader finds, side by side.
//!
//! Usage: `functions [NAME...]`; all of them by default. Nothing is asserted: read the table. The process binds
//! itself to one processor before it queries devices, so that every vendor computes on one core. The range has a
//! second dimension that repeats the same work, so that the cost of a launch is negligible and no compiler can see
//! the repetition.

use std::time::Instant;

use cl_sys as cl;
use grus_bench::client::{Arg, Device, Result, Session};
use grus_bench::table::Table;

const ELEMENTS: usize = 4096;
const GROUP: usize = 1024;

/// Expression of x, y and z, and the ranges of x and y.
struct Function {
    name: &'static str,
    code: &'static str,
    x: (f64, f64),
    y: (f64, f64),
}

const fn unary(name: &'static str, code: &'static str, x: (f64, f64)) -> Function {
    Function { name, code, x, y: (1.0, 2.0) }
}

const fn binary(name: &'static str, code: &'static str, x: (f64, f64), y: (f64, f64)) -> Function {
    Function { name, code, x, y }
}

const ANY: (f64, f64) = (-10.0, 10.0);
const UNIT: (f64, f64) = (-1.0, 1.0);
const POSITIVE: (f64, f64) = (0.01, 100.0);

/// Functions for float and double.
const FLOAT_AND_DOUBLE: &[Function] = &[
    unary("(copy)", "x", ANY),
    binary("divide", "x / y", ANY, (0.5, 3.0)),
    unary("fma", "fma(x, y, z)", ANY),
    unary("mad", "mad(x, y, z)", ANY),
    unary("sqrt", "sqrt(x)", POSITIVE),
    unary("rsqrt", "rsqrt(x)", POSITIVE),
    unary("cbrt", "cbrt(x)", ANY),
    binary("hypot", "hypot(x, y)", ANY, ANY),
    unary("exp", "exp(x)", ANY),
    unary("exp2", "exp2(x)", ANY),
    unary("exp10", "exp10(x)", ANY),
    unary("expm1", "expm1(x)", ANY),
    unary("log", "log(x)", POSITIVE),
    unary("log2", "log2(x)", POSITIVE),
    unary("log10", "log10(x)", POSITIVE),
    unary("log1p", "log1p(x)", POSITIVE),
    binary("pow", "pow(x, y)", POSITIVE, ANY),
    binary("powr", "powr(x, y)", POSITIVE, ANY),
    binary("pown", "pown(x, (I)y)", POSITIVE, ANY),
    binary("rootn", "rootn(x, (I)y)", POSITIVE, (1.0, 9.0)),
    unary("sin", "sin(x)", ANY),
    unary("sin-large", "sin(x)", (1e5, 1e9)),
    unary("cos", "cos(x)", ANY),
    unary("tan", "tan(x)", ANY),
    unary("sincos", "sincos(x, &t) + t", ANY),
    unary("sinpi", "sinpi(x)", ANY),
    unary("cospi", "cospi(x)", ANY),
    unary("tanpi", "tanpi(x)", ANY),
    unary("asin", "asin(x)", UNIT),
    unary("acos", "acos(x)", UNIT),
    unary("atan", "atan(x)", ANY),
    binary("atan2", "atan2(x, y)", ANY, ANY),
    unary("sinh", "sinh(x)", ANY),
    unary("cosh", "cosh(x)", ANY),
    unary("tanh", "tanh(x)", ANY),
    unary("asinh", "asinh(x)", ANY),
    unary("acosh", "acosh(x)", (1.0, 100.0)),
    unary("atanh", "atanh(x)", UNIT),
    unary("erf", "erf(x)", (-4.0, 4.0)),
    unary("erfc", "erfc(x)", (-4.0, 4.0)),
    unary("tgamma", "tgamma(x)", (0.1, 20.0)),
    unary("lgamma", "lgamma(x)", (0.1, 20.0)),
    binary("fmod", "fmod(x, y)", ANY, (0.5, 3.0)),
    binary("remainder", "remainder(x, y)", ANY, (0.5, 3.0)),
    unary("floor", "floor(x)", ANY),
    unary("round", "round(x)", ANY),
    binary("fmin", "fmin(x, y)", ANY, ANY),
    binary("ldexp", "ldexp(x, (I)y)", ANY, ANY),
    unary("frexp", "frexp(x, &n) + n", ANY),
    unary("ilogb", "ilogb(x)", ANY),
    unary("fract", "fract(x, &t) + t", ANY),
    binary("nextafter", "nextafter(x, y)", ANY, ANY),
    unary("normalize3", "normalize((V3)(x, y, z)).x", ANY),
    unary("length4", "length((V4)(x, y, z, x))", ANY),
    binary("smoothstep", "smoothstep(x, y, z)", UNIT, (2.0, 3.0)),
];

/// Functions for float only.
const FLOAT_ONLY: &[Function] = &[
    unary("native_sin", "native_sin(x)", ANY),
    unary("native_cos", "native_cos(x)", ANY),
    unary("native_tan", "native_tan(x)", ANY),
    unary("native_exp", "native_exp(x)", ANY),
    unary("native_exp2", "native_exp2(x)", ANY),
    unary("native_log", "native_log(x)", POSITIVE),
    unary("native_log2", "native_log2(x)", POSITIVE),
    binary("native_powr", "native_powr(x, y)", POSITIVE, ANY),
    unary("native_sqrt", "native_sqrt(x)", POSITIVE),
    unary("native_rsqrt", "native_rsqrt(x)", POSITIVE),
    unary("native_recip", "native_recip(x)", POSITIVE),
    binary("native_divide", "native_divide(x, y)", ANY, (0.5, 3.0)),
    unary("half_sin", "half_sin(x)", ANY),
    unary("half_exp", "half_exp(x)", ANY),
    unary("half_log", "half_log(x)", POSITIVE),
    binary("half_powr", "half_powr(x, y)", POSITIVE, ANY),
    unary("half_rsqrt", "half_rsqrt(x)", POSITIVE),
];

fn main() {
    tie_to_one_processor();
    let wanted: Vec<String> = std::env::args().skip(1).collect();
    let table = Table::begin("functions", &format!("{:<22}", "ns for each element"));
    let all = FLOAT_AND_DOUBLE.iter().map(|f| ("float", f)).chain(FLOAT_ONLY.iter().map(|f| ("float", f)));
    for (ty, function) in all.chain(FLOAT_AND_DOUBLE.iter().map(|f| ("double", f))) {
        let name = format!("{ty} {}", function.name);
        if !wanted.is_empty() && !wanted.iter().any(|w| *w == name || w == function.name || w == ty) {
            continue;
        }
        let label = format!("{name:<22}");
        table.row(&name, &label, |device| Ok(format!("{:.2}", measure(device, ty, function)?)));
    }
}

/// Binds the process to one of the processors that it may use.
fn tie_to_one_processor() {
    // SAFETY: an all-zero set is valid; the calls read and write the set that they are given, with its size.
    unsafe {
        let mut set: libc::cpu_set_t = std::mem::zeroed();
        let size = std::mem::size_of::<libc::cpu_set_t>();
        if libc::sched_getaffinity(0, size, &mut set) != 0 {
            return;
        }
        let Some(last) = (0..libc::CPU_SETSIZE as usize).rev().find(|&i| libc::CPU_ISSET(i, &set)) else {
            return;
        };
        let mut only: libc::cpu_set_t = std::mem::zeroed();
        libc::CPU_SET(last, &mut only);
        libc::sched_setaffinity(0, size, &only);
    }
}

fn source(ty: &str, function: &Function) -> String {
    format!(
        "#pragma OPENCL EXTENSION cl_khr_fp64 : enable
typedef {ty} T; typedef {ty}3 V3; typedef {ty}4 V4; typedef int I;
kernel void apply(global const T *xs, global const T *ys, global T *out)
{{
    size_t i = get_global_id(0);
    T x = xs[i], y = ys[i], z = 0.75f * x, t = z;
    int n = 0;
    out[i] = {};
}}
",
        function.code
    )
}

/// Returns random numbers in a range, the same in every run.
fn numbers(range: (f64, f64), seed: u64) -> Vec<f64> {
    let mut state = seed;
    let mut next = || {
        state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (state >> 11) as f64 / (1u64 << 53) as f64
    };
    (0..ELEMENTS).map(|_| range.0 + (range.1 - range.0) * next()).collect()
}

/// Measures nanoseconds per element. Returns the best of some runs of about ten milliseconds.
fn measure(device: Device, ty: &str, function: &Function) -> Result<f64> {
    if ty == "double" && !device.text(cl::CL_DEVICE_EXTENSIONS).contains("cl_khr_fp64") {
        return Err("no cl_khr_fp64".into());
    }
    let session = Session::new(device)?;
    let (xs, ys) = (numbers(function.x, 1), numbers(function.y, 2));
    let (x, y, out) =
        (session.buffer(8 * ELEMENTS)?, session.buffer(8 * ELEMENTS)?, session.buffer(8 * ELEMENTS)?);
    if ty == "double" {
        session.write(&x, &xs)?;
        session.write(&y, &ys)?;
    } else {
        session.write(&x, &xs.iter().map(|&v| v as f32).collect::<Vec<_>>())?;
        session.write(&y, &ys.iter().map(|&v| v as f32).collect::<Vec<_>>())?;
    }
    let program = session.build(source(ty, function), "")?;
    let kernel = program.kernel("apply")?;
    kernel.set(&[Arg::Buffer(&x), Arg::Buffer(&y), Arg::Buffer(&out)])?;
    let run = |rounds: usize| -> Result<f64> {
        let start = Instant::now();
        session.enqueue(&kernel, &[ELEMENTS, rounds], Some(&[GROUP, 1]))?;
        session.finish()?;
        Ok(start.elapsed().as_secs_f64() * 1e9)
    };
    run(1)?;
    let estimate = run(16)? / 16.0;
    let rounds = ((10e6 / estimate) as usize).clamp(16, 1 << 16);
    let mut best = f64::INFINITY;
    for _ in 0..5 {
        best = best.min(run(rounds)?);
    }
    Ok(best / (rounds * ELEMENTS) as f64)
}
