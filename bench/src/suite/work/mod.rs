//! Workloads, in the order of the table.

mod bits;
mod dense;
mod groups;
mod math;
mod objects;
mod stream;
mod strided;

use crate::suite::plan::{Plan, Size};

/// Workload: its name, a description of one line, and its plan.
pub struct Workload {
    pub name: &'static str,
    pub about: &'static str,
    pub plan: fn(Size) -> Plan,
}

const fn workload(name: &'static str, about: &'static str, plan: fn(Size) -> Plan) -> Workload {
    Workload { name, about, plan }
}

/// All workloads.
pub const ALL: &[Workload] = &[
    workload("launch-finish", "10,000 launches of 64 items, clFinish after each", stream::launch_finish),
    workload("launch-batch", "20,000 launches of 64 items, one clFinish", stream::launch_batch),
    workload("copy", "64 MiB of floats copied", stream::copy),
    workload("copy-int", "the same, indexed by an int", stream::copy_int),
    workload("triad", "a = b + s c, 64 MiB each", stream::triad),
    workload("stride-64", "a grid-stride loop over 1 Mi floats by 64 items, 8 times", stream::stride_64),
    workload("stride-4k", "the same by 4096 items", stream::stride_4k),
    workload("stride-256k", "the same by 262,144 items", stream::stride_256k),
    workload("axpy-128", "z = 2 x + y over 2 Mi floats in steps of 128", strided::axpy_128),
    workload("axpy-1k", "the same in steps of 1024", strided::axpy_1k),
    workload("axpy-8k", "the same in steps of 8192", strided::axpy_8k),
    workload("axpy-64k", "the same in steps of 65,536", strided::axpy_64k),
    workload("axpy-all", "the same by an item for each", strided::axpy_all),
    workload(
        "array-sum",
        "array expressions: a x + b y over 2 Mi floats, 64 groups of 128",
        strided::elements,
    ),
    workload("array-dot", "array expressions: a dot product over 2 Mi floats", strided::dot),
    workload("array-scan", "array expressions: prefix sums of 2 Mi ints", strided::prefix),
    workload("uneven", "saxpy of 999,983 and a mirror of 1021 x 1019, 4 times", stream::uneven),
    workload(
        "async-copy",
        "strided async copies to local memory and back, 2 Mi floats",
        stream::async_copies,
    ),
    workload("transpose", "2048 x 2048 floats by tiles of 16 x 16", stream::transpose),
    workload("polynomial", "Horner with 64 coefficients in L1, 1 Mi items", math::polynomial),
    workload("fractal", "Mandelbrot, 640 x 480, up to 256 turns: divergent loops", math::fractal),
    workload("black-scholes", "512 Ki European options", math::black_scholes),
    workload("trigonometry", "sin, cos, tan, atan2 of 512 Ki pairs", math::trigonometry),
    workload("powers", "pow, exp2, log2 of 512 Ki pairs", math::powers),
    workload("nbody", "all pairs of 2048 bodies, blocks in local memory", dense::nbody),
    workload("sgemm-naive", "320 x 320, an item for each element", dense::sgemm_naive),
    workload("sgemm-tiled", "320 x 320, tiles of 16 x 16 in local memory", dense::sgemm_tiled),
    workload("sgemm-blocked", "320 x 320, 4 x 4 elements in registers of each item", dense::sgemm_blocked),
    workload("dgemm-tiled", "320 x 320 doubles, tiles of 16 x 16", dense::dgemm_tiled),
    workload("lennard-jones", "forces on 21,952 atoms by lists of 64, double", dense::lennard_jones),
    workload("csr", "sparse matrix times vector, 128 Ki rows, 4 times", dense::csr),
    workload("stencil", "nine points, 2048 x 2048 floats", dense::stencil),
    workload("convolution", "a uniform filter of 7 x 7 over 1024 x 512", dense::convolution),
    workload("reduction", "trees in local memory over 2 Mi floats", groups::reduce),
    workload("scan", "prefix sums of 4 Mi ints by work-group functions", groups::scan),
    workload("histogram-local", "4 Mi bytes, atomics in local memory", groups::histogram_local),
    workload("histogram-global", "1 Mi bytes, atomics in global memory", groups::histogram_global),
    workload("bitonic", "sort of 128 Ki uints by 153 launches", groups::bitonic),
    workload("fft", "512 transforms of 1024 points in local memory", groups::fft),
    workload("dct", "the 8 x 8 cosine transform of JPEG over 1024 x 512", groups::dct),
    workload("md5", "256 Ki blocks", bits::md5_rounds),
    workload("sha256", "64 Ki blocks", bits::sha256_rounds),
    workload("pixels-8", "8-bit pixels sharpened and blended, 2048 x 1024", bits::pixels_8),
    workload("pixels-16", "16-bit pixels smoothed and stretched, 2048 x 1024", bits::pixels_16),
    workload("image", "an 8-bit image of 1024 x 1024 turned, linear filter", objects::image),
    workload("generic", "generic pointers to global, local and private memory", objects::generic),
    workload("particles", "512 Ki structures of float4", objects::particles),
    workload("build-200", "200 functions, from source to the first result", objects::build),
];

/// Returns a workload by its name.
pub fn by_name(name: &str) -> Option<&'static Workload> {
    ALL.iter().find(|workload| workload.name == name)
}
