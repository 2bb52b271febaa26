//! Tests that unroll hints of every spelling are attached to the header block of their loop in the IR, and to no
//! other block.

use grus_core::compile::{self, Source};

/// Returns the unroll hints of the loop headers of a kernel with this body, in order.
fn hints(body: &str) -> Vec<u32> {
    let text = format!("#define FOUR 4\nkernel void k(global int *g, int n) {{\n{body}\n}}\n");
    let module =
        compile::lower_only(&Source { name: "hints.cl".into(), text }, "-cl-std=CL2.0").expect("it compiles");
    let kernel = module.funcs.values().find(|func| func.is_kernel).expect("there is a kernel");
    kernel.layout.iter().filter_map(|&block| kernel.blocks[block].unroll).collect()
}

#[test]
fn hints_reach_their_loops() {
    const LOOP: &str = "for (int i = 0; i < n; i++) g[i] = i;";
    for (before, expected) in [
        ("", vec![]),
        ("#pragma unroll\n", vec![0]),
        ("#pragma unroll 4\n", vec![4]),
        ("#pragma unroll(8)\n", vec![8]),
        ("#pragma unroll FOUR\n", vec![0]),
        ("#pragma nounroll\n", vec![1]),
        ("_Pragma(\"unroll 2\")\n", vec![2]),
        ("__attribute__((opencl_unroll_hint))\n", vec![0]),
        ("__attribute__((opencl_unroll_hint(FOUR)))\n", vec![4]),
        ("__attribute__((opencl_unroll_hint(1)))\n", vec![1]),
    ] {
        assert_eq!(hints(&format!("{before}{LOOP}")), expected, "{before}");
    }
}

#[test]
fn hints_are_of_one_loop() {
    assert_eq!(hints("#pragma unroll 3\nfor (int i = 0; i < n; i++) while (g[i]) g[i]--;"), [3]);
    assert_eq!(hints("for (int i = 0; i < n; i++)\n#pragma unroll 3\nwhile (g[i]) g[i]--;"), [3]);
    assert_eq!(hints("#pragma unroll 3\ndo g[n]--; while (g[n]); while (g[0]) g[0]--;"), [3]);
    assert_eq!(hints("#pragma unroll 3\nn++; while (g[0]) g[0]--;"), []);
    assert_eq!(hints("if (n)\n#pragma unroll 3\nfor (;;) if (g[0]--) break;\nelse n = 1;"), [3]);
}
