//! Tests that the memory orders and scopes of a program reach the attributes of IR operations after library
//! functions are inlined, and that the parser and the verifier refuse invalid orders.

use grus_core::compile::{self, Source};
use grus_core::ir::{Consistency, MemoryOrder, MemoryScope, parse_module, verify_module};

/// Returns the atomic operations and fences of a kernel with this body, in order, without results and operands.
fn operations(body: &str, options: &str) -> Vec<String> {
    let text = format!(
        "kernel void k(volatile global int *g, volatile global ulong *u, int n) {{\n\
         #if __OPENCL_C_VERSION__ >= 200\n\
         volatile global atomic_int *a = (volatile global atomic_int *)g; (void)a;\n\
         #endif\n{body}\n}}\n"
    );
    let built = compile::build(&Source { name: "orders.cl".into(), text }, &[], options);
    let artifact = built.result.unwrap_or_else(|_| panic!("{}", built.log));
    let text = artifact.module().to_string();
    let lines = text.lines().map(|line| line.split(" = ").last().expect("a line has an end").trim());
    let is_wanted = |line: &&str| line.starts_with("atomic_") || line.starts_with("fence");
    let words = |line: &str| {
        let words = line.split(' ').take_while(|word| !word.starts_with('v'));
        words.collect::<Vec<_>>().join(" ")
    };
    lines.filter(is_wanted).map(words).collect()
}

#[test]
fn orders_reach_the_attribute() {
    for (body, expected) in [
        ("g[0] = atomic_load(a);", "atomic_load.i32 seq_cst device"),
        ("g[0] = atomic_load_explicit(a, memory_order_relaxed);", "atomic_load.i32 relaxed device"),
        (
            "g[0] = atomic_load_explicit(a, memory_order_acquire, memory_scope_work_group);",
            "atomic_load.i32 acquire work_group",
        ),
        ("atomic_store(a, n);", "atomic_store seq_cst device"),
        ("atomic_store_explicit(a, n, memory_order_relaxed);", "atomic_store relaxed device"),
        (
            "atomic_store_explicit(a, n, memory_order_release, memory_scope_all_svm_devices);",
            "atomic_store release all_svm_devices",
        ),
        ("atomic_flag_clear_explicit(a, memory_order_release);", "atomic_store release device"),
        ("atomic_fetch_add(a, n);", "atomic_rmw.i32 add seq_cst device"),
        ("atomic_fetch_min_explicit(a, n, memory_order_acq_rel);", "atomic_rmw.i32 smin acq_rel device"),
        (
            "atomic_exchange_explicit(a, n, memory_order_acquire, memory_scope_sub_group);",
            "atomic_rmw.i32 xchg acquire work_group",
        ),
        ("n = atomic_compare_exchange_strong(a, &n, 1);", "atomic_cas.i32 seq_cst device"),
        (
            "n = atomic_compare_exchange_weak_explicit(a, &n, 1, memory_order_release, memory_order_acquire);",
            "atomic_cas.i32 acq_rel device",
        ),
        (
            "n = atomic_compare_exchange_weak_explicit(a, &n, 1, memory_order_release, memory_order_relaxed);",
            "atomic_cas.i32 release device",
        ),
        (
            "n = atomic_compare_exchange_strong_explicit(a, &n, 1, memory_order_relaxed, memory_order_seq_cst);",
            "atomic_cas.i32 seq_cst device",
        ),
        // The strongest order and scope are not printed.
        ("atomic_store_explicit(a, 1, memory_order_seq_cst, memory_scope_all_svm_devices);", "atomic_store"),
        // These orders are not constants, or the operation does not allow them.
        ("g[0] = atomic_load_explicit(a, n);", "atomic_load.i32"),
        ("g[0] = atomic_load_explicit(a, memory_order_release);", "atomic_load.i32 seq_cst device"),
        ("atomic_store_explicit(a, 1, memory_order_acquire);", "atomic_store seq_cst device"),
        (
            "atomic_work_item_fence(CLK_GLOBAL_MEM_FENCE, memory_order_acq_rel, memory_scope_work_group);",
            "fence acq_rel work_group",
        ),
        (
            "atomic_work_item_fence(CLK_IMAGE_MEM_FENCE, memory_order_release, memory_scope_work_item);",
            "fence release work_item",
        ),
        ("atomic_work_item_fence(CLK_GLOBAL_MEM_FENCE, n, memory_scope_device);", "fence"),
        (
            "for (int order = 0; order < 1; order++) g[0] = atomic_load_explicit(a, order);",
            "atomic_load.i32 relaxed device",
        ),
    ] {
        assert_eq!(operations(body, "-cl-std=CL2.0"), [expected], "{body}");
    }
}

#[test]
fn atomics_of_opencl_c_1_are_relaxed() {
    for (body, expected) in [
        ("atomic_add(g, n);", "atomic_rmw.i32 add relaxed device"),
        ("atomic_inc(g);", "atomic_rmw.i32 add relaxed device"),
        ("atomic_cmpxchg(g, n, 1);", "atomic_cas.i32 relaxed device"),
        ("atom_max(u, 1ul);", "atomic_rmw.i64 umax relaxed device"),
        ("mem_fence(CLK_GLOBAL_MEM_FENCE);", "fence seq_cst device"),
        ("mem_fence(CLK_LOCAL_MEM_FENCE | CLK_GLOBAL_MEM_FENCE);", "fence seq_cst device"),
        ("mem_fence(CLK_LOCAL_MEM_FENCE);", "fence seq_cst work_group"),
        ("read_mem_fence(CLK_LOCAL_MEM_FENCE);", "fence acquire device"),
        ("write_mem_fence(CLK_LOCAL_MEM_FENCE);", "fence release device"),
    ] {
        for options in ["-cl-std=CL1.2", "-cl-std=CL2.0"] {
            assert_eq!(operations(body, options), [expected], "{options}: {body}");
        }
    }
}

/// Returns the error of a function with this one instruction, if the parser or the verifier refuses it.
fn refused(inst: &str) -> Option<String> {
    let text =
        format!("func f0 \"k\" void {{\nb0(v0: ptr.global, v1: i32, v2: i64):\n    {inst}\n    ret\n}}\n");
    match parse_module(&text) {
        Err(error) => Some(error.message),
        Ok(module) => verify_module(&module).err().map(|error| error.to_string()),
    }
}

#[test]
fn orders_that_cannot_be_are_refused() {
    for inst in [
        "v3 = atomic_load.i32 release device v0",
        "v3 = atomic_load.i32 acq_rel device v0",
        "atomic_store acquire device v0, v1",
        "atomic_store acq_rel device v0, v1",
        "atomic_store relaxed device v0, v1, v1, v1",
        "atomic_store v0, v1, v1",
        "atomic_store v0, v1, v1, v2",
        "v3 = atomic_rmw.i32 add v0, v1, v2, v2",
        "v3 = atomic_rmw.i32 add v0",
        "v3 = atomic_rmw.i32 add relaxed v0, v1",
        "v3 = atomic_rmw.i32 relaxed device add v0, v1",
        "fence acquire",
        "fence acquire nobody",
        "fence v2, v2",
        "fence v1",
    ] {
        assert!(refused(inst).is_some(), "{inst}");
    }
    for inst in ["v3 = atomic_load.i32 acquire device v0", "fence relaxed work_item", "fence v1, v1", "fence"]
    {
        assert_eq!(refused(inst), None, "{inst}");
    }
}

/// Checks that only the strongest order with a scope beyond the work-group needs a store-load fence: all work-items
/// of a group run on one thread.
#[test]
fn scopes_of_a_group_cost_nothing() {
    for (order, scope, expected) in [
        (MemoryOrder::SeqCst, MemoryScope::AllSvmDevices, true),
        (MemoryOrder::SeqCst, MemoryScope::Device, true),
        (MemoryOrder::SeqCst, MemoryScope::WorkGroup, false),
        (MemoryOrder::SeqCst, MemoryScope::WorkItem, false),
        (MemoryOrder::AcqRel, MemoryScope::Device, false),
        (MemoryOrder::Release, MemoryScope::AllSvmDevices, false),
        (MemoryOrder::Relaxed, MemoryScope::Device, false),
    ] {
        let consistency = Consistency { order, scope };
        assert_eq!(consistency.needs_store_load_fence(), expected, "{consistency:?}");
    }
}
