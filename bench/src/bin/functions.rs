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

const fn one(name: &'static str, code: &'static str, x: (f64, f64)) -> Function {
    Function { name, code, x, y: (1.0, 2.0) }
}

const fn two(name: &'static str, code: &'static str, x: (f64, f64), y: (f64, f64)) -> Function {
    Function { name, code, x, y }
}

const ANY: (f64, f64) = (-10.0, 10.0);
const UNIT: (f64, f64) = (-1.0, 1.0);
const ABOVE: (f64, f64) = (0.01, 100.0);

/// Functions for float and double.
const BOTH: &[Function] = &[
    one("(copy)", "x", ANY),
    two("divide", "x / y", ANY, (0.5, 3.0)),
    one("fma", "fma(x, y, z)", ANY),
    one("mad", "mad(x, y, z)", ANY),
    one("sqrt", "sqrt(x)", ABOVE),
    one("rsqrt", "rsqrt(x)", ABOVE),
    one("cbrt", "cbrt(x)", ANY),
    two("hypot", "hypot(x, y)", ANY, ANY),
    one("exp", "exp(x)", ANY),
    one("exp2", "exp2(x)", ANY),
    one("exp10", "exp10(x)", ANY),
    one("expm1", "expm1(x)", ANY),
    one("log", "log(x)", ABOVE),
    one("log2", "log2(x)", ABOVE),
    one("log10", "log10(x)", ABOVE),
    one("log1p", "log1p(x)", ABOVE),
    two("pow", "pow(x, y)", ABOVE, ANY),
    two("powr", "powr(x, y)", ABOVE, ANY),
    two("pown", "pown(x, (I)y)", ABOVE, ANY),
    two("rootn", "rootn(x, (I)y)", ABOVE, (1.0, 9.0)),
    one("sin", "sin(x)", ANY),
    one("sin-large", "sin(x)", (1e5, 1e9)),
    one("cos", "cos(x)", ANY),
    one("tan", "tan(x)", ANY),
    one("sincos", "sincos(x, &t) + t", ANY),
    one("sinpi", "sinpi(x)", ANY),
    one("cospi", "cospi(x)", ANY),
    one("tanpi", "tanpi(x)", ANY),
    one("asin", "asin(x)", UNIT),
    one("acos", "acos(x)", UNIT),
    one("atan", "atan(x)", ANY),
    two("atan2", "atan2(x, y)", ANY, ANY),
    one("sinh", "sinh(x)", ANY),
    one("cosh", "cosh(x)", ANY),
    one("tanh", "tanh(x)", ANY),
    one("asinh", "asinh(x)", ANY),
    one("acosh", "acosh(x)", (1.0, 100.0)),
    one("atanh", "atanh(x)", UNIT),
    one("erf", "erf(x)", (-4.0, 4.0)),
    one("erfc", "erfc(x)", (-4.0, 4.0)),
    one("tgamma", "tgamma(x)", (0.1, 20.0)),
    one("lgamma", "lgamma(x)", (0.1, 20.0)),
    two("fmod", "fmod(x, y)", ANY, (0.5, 3.0)),
    two("remainder", "remainder(x, y)", ANY, (0.5, 3.0)),
    one("floor", "floor(x)", ANY),
    one("round", "round(x)", ANY),
    two("fmin", "fmin(x, y)", ANY, ANY),
    two("ldexp", "ldexp(x, (I)y)", ANY, ANY),
    one("frexp", "frexp(x, &n) + n", ANY),
    one("ilogb", "ilogb(x)", ANY),
    one("fract", "fract(x, &t) + t", ANY),
    two("nextafter", "nextafter(x, y)", ANY, ANY),
    one("normalize3", "normalize((V3)(x, y, z)).x", ANY),
    one("length4", "length((V4)(x, y, z, x))", ANY),
    two("smoothstep", "smoothstep(x, y, z)", UNIT, (2.0, 3.0)),
];

/// Functions for float only.
const FLOAT: &[Function] = &[
    one("native_sin", "native_sin(x)", ANY),
    one("native_cos", "native_cos(x)", ANY),
    one("native_tan", "native_tan(x)", ANY),
    one("native_exp", "native_exp(x)", ANY),
    one("native_exp2", "native_exp2(x)", ANY),
    one("native_log", "native_log(x)", ABOVE),
    one("native_log2", "native_log2(x)", ABOVE),
    two("native_powr", "native_powr(x, y)", ABOVE, ANY),
    one("native_sqrt", "native_sqrt(x)", ABOVE),
    one("native_rsqrt", "native_rsqrt(x)", ABOVE),
    one("native_recip", "native_recip(x)", ABOVE),
    two("native_divide", "native_divide(x, y)", ANY, (0.5, 3.0)),
    one("half_sin", "half_sin(x)", ANY),
    one("half_exp", "half_exp(x)", ANY),
    one("half_log", "half_log(x)", ABOVE),
    two("half_powr", "half_powr(x, y)", ABOVE, ANY),
    one("half_rsqrt", "half_rsqrt(x)", ABOVE),
];

fn main() {
    tie_to_one_processor();
    let wanted: Vec<String> = std::env::args().skip(1).collect();
    let table = Table::begin("functions", &format!("{:<22}", "ns for each element"));
    let all = BOTH.iter().map(|f| ("float", f)).chain(FLOAT.iter().map(|f| ("float", f)));
    for (ty, function) in all.chain(BOTH.iter().map(|f| ("double", f))) {
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
