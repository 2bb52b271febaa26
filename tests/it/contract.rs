//! Tests in which expressions lowering contracts products and sums to fused multiply-adds (s6.12.2). The results of
//! such kernels are tested by `tests/run/scalar/contract.cl`.

use grus_core::clc::{self, Options, TargetInfo};
use grus_core::lower;

fn fused(text: &str, fma: bool) -> usize {
    fused_by(text, &TargetInfo { fma, ..TargetInfo::default() })
}

fn fused_by(text: &str, facts: &TargetInfo) -> usize {
    let analysis = clc::analyze(("contract.cl", text), &[], &Options::default(), facts);
    let unit = analysis.unit.unwrap_or_else(|| panic!("{}", analysis.log));
    lower::lower(&unit, lower::LoweredFunctions::All).module.to_string().matches("= fma").count()
}

const SUMS: &str = "kernel void k(global float *g, global float4 *v, global double *d, global int *i) {
    g[0] = g[1] * g[2] + g[3];
    g[4] = (g[1] - g[2] * g[3]) * 2.0f;
    g[5] -= g[1] * g[2];
    v[0] = 2.0f * v[1] - v[2];
    d[0] = d[1] + (double)(g[0] * g[1]);
    i[0] = i[1] * i[2] + i[3];
}";

#[test]
fn products_go_into_sums_where_the_machine_can() {
    assert_eq!(fused(SUMS, true), 4);
    assert_eq!(fused(SUMS, false), 0);
    assert_eq!(fused(&format!("#pragma OPENCL FP_CONTRACT OFF\n{SUMS}"), true), 0);
}

#[test]
fn products_of_halves_do_where_that_is_one_instruction() {
    let text = "#pragma OPENCL EXTENSION cl_khr_fp16 : enable
kernel void k(global half *h, global half4 *v, global float *g) {
    h[0] = h[1] * h[2] + h[3];
    v[0] = v[1] - v[2] * v[3];
    h[4] = mad(h[1], h[2], h[3]);
    g[0] = g[1] + h[1] * h[2];
}";
    let facts = TargetInfo { half_fma: true, ..TargetInfo::default() };
    assert_eq!(fused_by(text, &facts), 3);
    // `mad` is computed in `float`, where it becomes a fused multiply-add.
    assert_eq!(fused(text, true), 1);
    assert_eq!(fused(text, false), 0);
}
