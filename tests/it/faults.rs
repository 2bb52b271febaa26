//! Tests faults in kernels: the launch reports the fault, and the process continues.

use std::ffi::{c_int, c_void};
use std::sync::Arc;
use std::sync::atomic::{AtomicU32, AtomicUsize, Ordering};
use std::time::Duration;

use grus_core::compile::{self, Artifact, BuildOutput, Source, SpecializationKey};
use grus_core::exec::{self, Fault, Launch, NdRange, ProbePlan, ProfiledKernel};
use grus_core::passes::Forced;
use grus_core::support::target::Backend;

fn build(text: &str) -> Arc<Artifact> {
    let source = Source { name: "faulty.cl".into(), text: text.into() };
    let built = compile::build(&source, &[], "-cl-std=CL2.0");
    built.result.unwrap_or_else(|e| panic!("{e:?}: {}", built.log))
}

/// Launches the only kernel with these 8-byte arguments. An argument that is `None` is local memory.
fn launch(artifact: &Artifact, args: &[Option<u64>], global: [u64; 3], local: [u64; 3]) -> Result<(), Fault> {
    launch_by(artifact, &SpecializationKey::default(), args, global, local)
}

/// Returns a key for each available backend that compiles the kernel without vectorization.
fn item_by_item() -> impl Iterator<Item = SpecializationKey> {
    let here =
        Backend::NAMES.map(|(_, backend)| backend).into_iter().filter(|backend| backend.is_supported());
    here.map(|backend| SpecializationKey {
        forced: Forced { lanes: Some(1), backend: Some(backend), ..Forced::default() },
        ..SpecializationKey::default()
    })
}

/// Launches the code for a key.
fn launch_by(
    artifact: &Artifact,
    key: &SpecializationKey,
    args: &[Option<u64>],
    global: [u64; 3],
    local: [u64; 3],
) -> Result<(), Fault> {
    let info = &artifact.kernels[0];
    let mut block = vec![0; 8 * args.len() + 64];
    let mut local_args = Vec::new();
    for (arg, value) in info.args.iter().zip(args) {
        match value {
            Some(value) => {
                let at = arg.offset as usize;
                block[at..at + 8].copy_from_slice(&value.to_ne_bytes());
            }
            None => local_args.push((arg.offset, 256)),
        }
    }
    let kernel = artifact.compiled_for(0, key).expect("it compiles");
    let range = NdRange { work_dim: 3, offset: [100, 0, 0], global, local };
    exec::run(&kernel, &Launch::new(&kernel, range, (&block[..]).into(), local_args), None)
}

/// Returns line, work-item and message of the fault that a launch must end with. If the faulting
/// vector includes the work-item with global id 777, that one is returned.
fn reported_fault(artifact: &Artifact, result: Result<(), Fault>) -> (u32, Option<[u64; 3]>, String) {
    let fault = result.expect_err("the kernel faults");
    let (file, line) = artifact.source_line(fault.loc).unwrap_or(("", 0));
    assert!(line == 0 || file == "faulty.cl", "{file}");
    let mut item = fault.item;
    if let Some([x, ..]) = &mut item
        && (*x..=fault.last.as_ref().map_or(*x, |last| last[0])).contains(&777)
    {
        *x = 777;
    }
    (line, item, fault.message)
}

/// Address that is not null and that no process has mapped.
const WILD: u64 = 0x6666_0000_1230;

const STORE: &str = "kernel void k(global int *out, ulong at) {
    size_t i = get_global_id(0);
    if (i == 777)
        *(global int *)at = 1;
    out[i] = 2;
}
";

#[test]
fn a_bad_address_is_reported_with_line_and_work_item() {
    let artifact = build(STORE);
    let mut out = vec![0u32; 2000];
    let pointer = Some(out.as_mut_ptr().expose_provenance() as u64);
    for (at, what) in [(0, "write to address 0x0"), (WILD, "write to address 0x666600001230")] {
        for local in [1, 50, 1000] {
            let result = launch(&artifact, &[pointer, Some(at)], [1000, 1, 1], [local, 1, 1]);
            assert_eq!(reported_fault(&artifact, result), (4, Some([777, 0, 0]), what.to_owned()));
        }
    }
    // A non-canonical address raises a general protection fault instead of a page fault on x86-64. On other
    // machines the address is an ordinary one, or its highest byte is ignored.
    let result = launch(&artifact, &[pointer, Some(0xdead << 48)], [1000, 1, 1], [10, 1, 1]);
    let (line, item, message) = reported_fault(&artifact, result);
    assert_eq!((line, item), (4, Some([777, 0, 0])));
    assert!(!cfg!(target_arch = "x86_64") || message == "access to a bad address", "{message}");
    // Later launches work as before.
    let good = out.as_ptr().expose_provenance() as u64 + 4 * 1500;
    assert_eq!(launch(&artifact, &[pointer, Some(good)], [1000, 1, 1], [10, 1, 1]), Ok(()));
    assert!(out[100..1100].iter().all(|&n| n == 2) && out[1500] == 1);
}

/// Returns the code of the only kernel for any launch.
fn code(artifact: &Artifact) -> Arc<ProfiledKernel> {
    artifact.compiled_for(0, &SpecializationKey::default()).expect("it compiles")
}

#[test]
fn a_faulting_launch_does_not_change_time_estimates() {
    if exec::compute_units() == 1 {
        return;
    }
    let artifact = build(STORE);
    let mut out = vec![0u32; 100_000];
    let pointer = Some(out.as_mut_ptr().expose_provenance() as u64);
    // With 100 µs per work-item, several threads share a launch.
    let code = code(&artifact);
    code.profile.record_item_time(1, Duration::from_micros(100));
    let time = code.profile.item_time();
    for _ in 0..10 {
        launch(&artifact, &[pointer, Some(0)], [90_000, 1, 1], [10, 1, 1]).expect_err("it faults");
        assert_eq!(code.profile.item_time(), time);
    }
    launch(&artifact, &[pointer, pointer], [90_000, 1, 1], [10, 1, 1]).expect("it runs");
    assert_ne!(code.profile.item_time(), time);
}

#[test]
fn a_faulting_launch_does_not_change_contention_history() {
    if exec::compute_units() == 1 {
        return;
    }
    let artifact = build(
        "kernel void k(global int *out, ulong at) {
            atomic_inc(out);
            if (get_global_id(0) == 777)
                *(global int *)at = 1;
        }",
    );
    let mut out = vec![0u32; 16];
    let pointer = Some(out.as_mut_ptr().expose_provenance() as u64);
    let code = code(&artifact);
    let contention = code.profile.contention().expect("it changes memory of others");
    // These records say that serial launches are better: the shared launch was very fast, and two probes chose one
    // thread.
    contention.record_shared_launch(1000, Duration::from_nanos(1));
    contention.record_verdict(true);
    contention.record_verdict(true);
    assert_eq!(contention.next_plan(), ProbePlan::Serial);
    launch(&artifact, &[pointer, Some(0)], [1000, 1, 1], [10, 1, 1]).expect_err("it faults");
    assert_eq!(contention.next_plan(), ProbePlan::Serial);
    launch(&artifact, &[pointer, pointer], [1000, 1, 1], [10, 1, 1]).expect("it runs");
    assert_eq!(contention.next_plan(), ProbePlan::Parallel);
}

#[test]
fn a_kernel_with_interchanged_dimensions_names_the_ids_of_the_program() {
    let source = "kernel void k(global int *out, ulong width) {
        size_t row = get_global_id(0) - 100, column = get_global_id(1);
        if (row == 5 && column == 23)
            *(global int *)0 = 1;
        out[row * width + column] = 2;
    }
    ";
    let artifact = build(source);
    let mut out = vec![0u32; 512];
    let args = [Some(out.as_mut_ptr().expose_provenance() as u64), Some(64)];
    let (global, local) = ([8, 64, 1], [4, 32, 1]);
    let range = artifact.range_facts(0, [100, 0, 0], global, local);
    assert!(range.is_interchanged);
    for lanes in [1, 8] {
        let forced = Forced { lanes: Some(lanes), ..Forced::default() };
        let key = SpecializationKey { range, forced, ..SpecializationKey::default() };
        let fault = launch_by(&artifact, &key, &args, global, local).expect_err("it faults");
        let first = fault.item.expect("an item");
        let last = fault.last.map_or(first, |last| *last);
        assert_eq!([first[0], first[2], last[0], last[2]], [105, 0, 105, 0]);
        assert!((first[1]..=last[1]).contains(&23) && last[1] - first[1] < u64::from(lanes));
    }
}

#[test]
fn a_trap_that_the_program_asks_for_is_a_fault() {
    let source = "int checked(int x) {
        if (x == 777)
            __builtin_trap();
        return x;
    }
    kernel void k(global int *out) {
        size_t i = get_global_id(0);
        out[i] = checked(i);
        barrier(CLK_GLOBAL_MEM_FENCE);
        if (i == 2000)
            __builtin_unreachable();
    }
    ";
    let artifact = build(source);
    let mut out = vec![0u32; 1100];
    let pointer = Some(out.as_mut_ptr().expose_provenance() as u64);
    for local in [1, 50] {
        let result = launch(&artifact, &[pointer], [1000, 1, 1], [local, 1, 1]);
        assert_eq!(reported_fault(&artifact, result), (3, Some([777, 0, 0]), "trap".to_owned()));
        assert_eq!(launch(&artifact, &[pointer], [500, 1, 1], [local, 1, 1]), Ok(()));
    }
}

#[test]
fn a_binary_knows_its_lines() {
    let bytes = compile::save(&build(STORE));
    let Ok(BuildOutput::Executable(artifact)) = compile::load(&bytes) else {
        panic!("the binary is not loaded")
    };
    let mut out = vec![0u32; 2000];
    let pointer = Some(out.as_mut_ptr().expose_provenance() as u64);
    let result = launch(&artifact, &[pointer, Some(8)], [1000, 1, 1], [10, 1, 1]);
    assert_eq!(reported_fault(&artifact, result).0, 4);
}

#[test]
fn linked_programs_know_the_lines_of_each_unit() {
    let unit = |text: &str| {
        let source = Source { name: "faulty.cl".into(), text: text.into() };
        compile::compile(&source, &[], "").result.expect("it compiles")
    };
    let store = "\n\n\nvoid put(global int *p, int n) {\n    *p = n;\n}\n";
    let kernel = "void put(global int *p, int n);\nkernel void k(global int *p) { put(p, 1); }\n";
    let built = compile::link(&[unit(kernel), unit(store)], "");
    let Ok(BuildOutput::Executable(artifact)) = built.result else { panic!("{}", built.log) };
    let result = launch(&artifact, &[Some(16)], [1, 1, 1], [1, 1, 1]);
    assert_eq!(reported_fault(&artifact, result), (5, Some([100, 0, 0]), "write to address 0x10".to_owned()));
}

#[test]
fn items_are_known_in_three_dimensions_and_behind_barriers() {
    let artifact = build(
        "kernel void k(global int *out, local int *l, ulong at) {
    size_t x = get_local_id(0), y = get_local_id(1), z = get_local_id(2);
    l[x] = (int)x;
    for (int n = 0; n < 3; n++) {
        barrier(CLK_LOCAL_MEM_FENCE);
        if (n == 2 && get_group_id(0) == 1 && x == 3 && y == 2 && z == 1)
            out[0] = *(global int *)at;
        barrier(CLK_LOCAL_MEM_FENCE);
    }
    out[1] = l[0];
}
",
    );
    let mut out = [0u32; 4];
    let pointer = Some(out.as_mut_ptr().expose_provenance() as u64);
    for key in item_by_item() {
        let result = launch_by(&artifact, &key, &[pointer, None, Some(64)], [8, 3, 2], [4, 3, 2]);
        let expected = (7, Some([107, 2, 1]), "read of address 0x40".to_owned());
        assert_eq!(reported_fault(&artifact, result), expected, "{key:?}");
    }
}

#[test]
fn items_are_known_in_loops_with_implicit_barriers() {
    let artifact = build(
        "kernel void k(global int *out, ulong at) {
    for (size_t i = get_global_id(0); i < 4000; i += get_global_size(0)) {
        if (i == 2777)
            *(global int *)at = 1;
        out[i] = 2;
    }
}
",
    );
    let mut out = vec![0i32; 4000];
    let args = [Some(out.as_mut_ptr() as u64), Some(WILD)];
    let result = launch(&artifact, &args, [1000, 1, 1], [10, 1, 1]);
    let (line, item, message) = reported_fault(&artifact, result);
    assert_eq!((line, item), (4, Some([777, 0, 0])), "{message}");
}

#[test]
fn items_are_known_where_registers_are_few() {
    // So many values are live that local ids are spilled to the stack.
    let mut text = String::from("kernel void k(global ulong *in, global ulong *out, ulong at) {\n");
    text += "    size_t i = get_local_id(0), j = get_local_id(1);\n";
    for n in 0..24 {
        text += &format!("    ulong a{n} = in[i * {n} + j + 1];\n");
    }
    text += "    if (i == 5 && j == 6) *(global int *)at = (int)i;\n";
    for n in 0..24 {
        text += &format!("    out[i * {n} + j] = a{n} * (i + {n}) ^ j;\n");
    }
    text += "}\n";
    let artifact = build(&text);
    let (mut input, mut output) = (vec![1u64; 1000], vec![0u64; 1000]);
    let pointer = |data: &mut Vec<u64>| Some(data.as_mut_ptr().expose_provenance() as u64);
    let args = [pointer(&mut input), pointer(&mut output), Some(0)];
    for key in item_by_item() {
        let result = launch_by(&artifact, &key, &args, [16, 16, 1], [16, 16, 1]);
        let expected = (27, Some([105, 6, 0]), "write to address 0x0".to_owned());
        assert_eq!(reported_fault(&artifact, result), expected, "{key:?}");
    }
}

#[test]
fn functions_that_stay_calls_are_looked_through() {
    let artifact = build(
        "__attribute__((noinline)) int inner(global int *p) {
    return p[1];
}
__attribute__((noinline)) int outer(global int *p, int n) { return n + inner(p); }
kernel void k(global int *out, ulong at) {
    size_t i = get_global_id(0);
    out[i] = outer(i == 105 ? (global int *)at : out, 3);
}
",
    );
    let mut out = vec![0u32; 200];
    let pointer = Some(out.as_mut_ptr().expose_provenance() as u64);
    let result = launch(&artifact, &[pointer, Some(4)], [64, 1, 1], [8, 1, 1]);
    assert_eq!(reported_fault(&artifact, result), (2, Some([105, 0, 0]), "read of address 0x8".to_owned()));
}

#[test]
fn builtin_functions_are_reported_by_the_line_of_their_call() {
    let artifact = build(
        "kernel void k(global float *out, ulong at) {
    float4 v = 1.0f;
    out[100] = 3.0f;

    vstore4(v, 0, (global float *)at);
}
",
    );
    let mut out = vec![0u32; 200];
    let pointer = Some(out.as_mut_ptr().expose_provenance() as u64);
    let result = launch(&artifact, &[pointer, Some(0)], [1, 1, 1], [1, 1, 1]);
    assert_eq!(reported_fault(&artifact, result), (5, Some([100, 0, 0]), "write to address 0x0".to_owned()));

    // These faults happen in the runtime's own code: a long copy, and a string to print.
    for (body, line) in [
        (
            "struct Long { int words[64]; };\nkernel void k(global int *out, ulong at) {\n    \
          *(global struct Long *)out = *(global struct Long *)at;\n}\n",
            3,
        ),
        (
            "kernel void k(global int *out, ulong at) {\n    \
          printf(\"%s\", (constant char *)at);\n}\n",
            2,
        ),
    ] {
        let artifact = build(body);
        let result = launch(&artifact, &[pointer, Some(4096)], [1, 1, 1], [1, 1, 1]);
        let (at, item, message) = reported_fault(&artifact, result);
        assert_eq!((at, item), (line, Some([100, 0, 0])), "{body}");
        assert!(message.starts_with("read of address 0x1"), "{message}");
    }
}

#[test]
fn a_group_is_named_where_no_item_is_to_blame() {
    let artifact = build(
        "kernel void k(local int *l, ulong at) {
    event_t e = async_work_group_copy(l, (const global int *)at, 32, 0);
    wait_group_events(1, &e);
}
",
    );
    let result = launch(&artifact, &[None, Some(WILD)], [32, 1, 1], [8, 1, 1]);
    let fault = result.expect_err("the kernel faults");
    assert!(fault.group.is_some(), "{fault:?}");
    assert!(fault.message.starts_with("read of address 0x66660000"), "{fault:?}");
}

/// Calls a function with at least this number of stack bytes in use below the address `top`.
fn below<T>(bytes: usize, top: usize, function: &dyn Fn() -> T) -> T {
    let room = std::hint::black_box([0u8; 256]);
    if top - room.as_ptr().addr() > bytes { function() } else { below(bytes, top, function) }
}

/// Builds a kernel with a chain of `levels` nested calls. Each function has 5000 bytes in its frame.
fn deep_calls(levels: usize) -> Arc<Artifact> {
    let mut text = String::from("__attribute__((noinline)) int f0(int n) { return n; }\n");
    for n in 1..=levels {
        text += &format!("__attribute__((noinline)) int f{n}(int n) {{\n    volatile int a[1250];\n");
        text += &format!("    a[n] = n;\n    return f{}(n + 1) + a[n];\n}}\n", n - 1);
    }
    text += &format!("kernel void k(global int *out) {{ out[get_global_id(0)] = f{levels}(0); }}\n");
    build(&text)
}

#[test]
fn large_frames_do_not_need_the_stack_of_the_thread() {
    let artifact = deep_calls(40);
    let mut out = vec![0u32; 200];
    let pointer = out.as_mut_ptr().expose_provenance() as u64;
    let result = std::thread::scope(|scope| {
        let small = std::thread::Builder::new().stack_size(64 << 10);
        let run = || launch(&artifact, &[Some(pointer)], [1, 1, 1], [1, 1, 1]);
        small.spawn_scoped(scope, run).expect("a thread starts").join().expect("it lives")
    });
    assert_eq!(result, Ok(()));
    assert_eq!(out[100], (0..40).sum::<u32>() + 40);
}

#[test]
fn a_stack_overflow_is_reported() {
    // The frames would fit on the calling thread's stack if it were not nearly full already.
    let artifact = deep_calls(3);
    let mut out = vec![0u32; 200];
    let pointer = out.as_mut_ptr().expose_provenance() as u64;
    let run = || launch(&artifact, &[Some(pointer)], [1, 1, 1], [1, 1, 1]);
    assert_eq!(run(), Ok(()));
    let result = std::thread::scope(|scope| {
        let small = std::thread::Builder::new().stack_size(64 << 10);
        let run = || {
            let top = 0u8;
            below(48 << 10, (&raw const top).addr(), &run)
        };
        small.spawn_scoped(scope, run).expect("a thread starts").join().expect("it lives")
    });
    let (_, item, message) = reported_fault(&artifact, result);
    assert_eq!((item, message), (Some([100, 0, 0]), "the stack is used up".to_owned()));
    // The launch succeeds on a larger stack.
    assert_eq!(run(), Ok(()));
    assert_eq!(out[100], 6);
}

#[test]
fn many_threads_may_fault_at_once() {
    let artifact = build(STORE);
    std::thread::scope(|scope| {
        for thread in 0..8 {
            let artifact = &artifact;
            scope.spawn(move || {
                let mut out = vec![0u32; 2000];
                let pointer = out.as_mut_ptr().expose_provenance() as u64;
                for round in 0..200 {
                    let bad = (thread + round) % 2 == 0;
                    let at = if bad { 8 } else { pointer };
                    let result = launch(artifact, &[Some(pointer), Some(at)], [1000, 1, 1], [10, 1, 1]);
                    assert_eq!(result.is_err(), bad);
                }
            });
        }
    });
}

/// Address of a page that [`mend`] makes accessible.
static BROKEN: AtomicUsize = AtomicUsize::new(0);
static MENDED: AtomicU32 = AtomicU32::new(0);

extern "C" fn mend(_signal: c_int, info: *mut libc::siginfo_t, _context: *mut c_void) {
    let page = BROKEN.load(Ordering::Relaxed);
    // SAFETY: the system passes a valid `siginfo_t` to handlers with SA_SIGINFO; the protection changes only for
    // the page that the test has mapped and stored in `BROKEN`.
    unsafe {
        let address = (*info).si_addr().addr();
        if address != page || libc::mprotect((*info).si_addr(), 4096, libc::PROT_READ | libc::PROT_WRITE) != 0
        {
            libc::_exit(3);
        }
    }
    MENDED.fetch_add(1, Ordering::Relaxed);
}

const CHILD: &str = "GRUS_TEST_FAULTS";

/// Runs a test again in its own process, since signal handlers belong to the process. Returns `None` if this is
/// that process.
fn child(test: &str, catch: &str) -> Option<std::process::Output> {
    if std::env::var_os(CHILD).is_some() {
        return None;
    }
    let this = std::env::current_exe().expect("a test has a file");
    let mut command = std::process::Command::new(this);
    command
        .args(["--exact", &format!("faults::{test}"), "--nocapture"])
        .env("GRUS_CATCH_FAULTS", catch)
        .env(CHILD, "1");
    Some(command.output().expect("it starts"))
}

#[test]
fn handlers_of_the_application_are_kept() {
    if let Some(output) = child("handlers_of_the_application_are_kept", "1") {
        return assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    }
    // SAFETY: `action` is all zeros but for `mend`, which has the type that SA_SIGINFO requires; the system chooses
    // the address of the mapping, so it replaces no other.
    let page = unsafe {
        let mut action: libc::sigaction = std::mem::zeroed();
        action.sa_sigaction = mend as *const () as usize;
        action.sa_flags = libc::SA_SIGINFO;
        libc::sigaction(libc::SIGSEGV, &raw const action, std::ptr::null_mut());
        let flags = libc::MAP_PRIVATE | libc::MAP_ANONYMOUS;
        libc::mmap(std::ptr::null_mut(), 4096, libc::PROT_NONE, flags, -1, 0)
    };
    BROKEN.store(page.expose_provenance(), Ordering::Relaxed);
    let artifact = build(STORE);
    let mut out = vec![0u32; 2000];
    let pointer = Some(out.as_mut_ptr().expose_provenance() as u64);
    for _ in 0..3 {
        let result = launch(&artifact, &[pointer, Some(0)], [1000, 1, 1], [10, 1, 1]);
        assert_eq!(reported_fault(&artifact, result).0, 4);
    }
    assert_eq!(MENDED.load(Ordering::Relaxed), 0);
    // SAFETY: the page is mapped, and the handler makes it writable before the access is repeated.
    unsafe { page.cast::<u32>().write_volatile(7) };
    assert_eq!(MENDED.load(Ordering::Relaxed), 1);
}

/// Faults in a kernel, prints a line if the process survives that, and then faults outside of kernels.
fn fault_twice() {
    let artifact = build(STORE);
    let mut out = vec![0u32; 2000];
    let pointer = Some(out.as_mut_ptr().expose_provenance() as u64);
    let result = launch(&artifact, &[pointer, Some(0)], [1000, 1, 1], [10, 1, 1]);
    assert!(result.is_err());
    println!("contained");
    // SAFETY: the address is invalid on purpose: the test expects that this access ends the process.
    unsafe { std::ptr::without_provenance_mut::<u32>(8).write_volatile(1) };
}

/// Returns whether a child was ended by SIGSEGV, and whether it survived the fault in the kernel.
fn how_it_ended(output: &std::process::Output) -> (bool, bool) {
    use std::os::unix::process::ExitStatusExt;
    let lived = String::from_utf8_lossy(&output.stdout).contains("contained");
    (output.status.signal() == Some(libc::SIGSEGV), lived)
}

#[test]
fn containment_can_be_turned_off() {
    match child("containment_can_be_turned_off", "0") {
        Some(output) => assert_eq!(how_it_ended(&output), (true, false)),
        None => fault_twice(),
    }
}

#[test]
fn faults_outside_of_kernels_end_the_process() {
    match child("faults_outside_of_kernels_end_the_process", "1") {
        Some(output) => assert_eq!(how_it_ended(&output), (true, true)),
        None => fault_twice(),
    }
}

#[test]
fn items_of_several_rows_are_reported_from_first_to_last() {
    let artifact = build(
        "kernel void k(global int *out, local int *l, ulong at) {
    size_t x = get_local_id(0), y = get_local_id(1), z = get_local_id(2);
    l[x] = (int)x;
    barrier(CLK_LOCAL_MEM_FENCE);
    if (x == 3 && y == 2 && z == 1)
        out[0] = *(global int *)at;
    out[1] = l[0];
}
",
    );
    let mut out = [0u32; 4];
    let out = out.as_mut_ptr().expose_provenance() as u64;
    let (global, local) = ([5, 3, 2], [5, 3, 2]);
    // The faulting work-item is number 28 of 30 in linear order.
    let reported = [
        (1, [103, 2, 1], None),
        (2, [103, 2, 1], Some([104, 2, 1])),
        (4, [103, 2, 1], Some([104, 2, 1])),
        (8, [104, 1, 1], Some([104, 2, 1])),
        (16, [101, 0, 1], Some([104, 2, 1])),
    ];
    for (lanes, first, last) in reported {
        let key = SpecializationKey {
            range: artifact.range_facts(0, [100, 0, 0], global, local),
            forced: Forced { lanes: Some(lanes), linear_ids: true, ..Forced::default() },
            ..SpecializationKey::default()
        };
        let result = launch_by(&artifact, &key, &[Some(out), None, Some(64)], global, local);
        let fault = result.expect_err("the kernel faults");
        let place = artifact.source_line(fault.loc).map(|(_, line)| line);
        assert_eq!(
            (place, fault.item, fault.last.as_deref().copied()),
            (Some(6), Some(first), last),
            "{lanes} lanes"
        );
    }
}

/// Launches one group of this size, whose ids begin with 100 in x, in the form in which this many lanes are
/// interleaved; the arguments are a buffer and a wild pointer. Returns the line of the fault, and the first and the last
/// work-item.
fn fault_of_interleaved(
    artifact: &Artifact,
    lanes: u16,
    size: [u64; 3],
) -> (Option<u32>, Option<[u64; 3]>, Option<[u64; 3]>) {
    let mut out = vec![0u32; 2000];
    let out = out.as_mut_ptr().expose_provenance() as u64;
    let key = SpecializationKey {
        range: artifact.range_facts(0, [100, 0, 0], size, size),
        forced: Forced { lanes: Some(lanes), interleaved: true, ..Forced::default() },
        ..SpecializationKey::default()
    };
    let fault = launch_by(artifact, &key, &[Some(out), Some(WILD)], size, size).expect_err("it faults");
    let line = artifact.source_line(fault.loc).map(|(_, line)| line);
    (line, fault.item, fault.last.as_deref().copied())
}

#[test]
fn jammed_items_are_reported_from_first_to_last() {
    let artifact = build(
        "kernel void k(global int *out, ulong at) {
    size_t i = get_global_id(0);
    const global int *from = i == 113 ? (const global int *)at : out;
    for (int turn = 0; turn < 3; turn++)
        out[i] += from[turn];
}
",
    );
    let (line, first, last) = fault_of_interleaved(&artifact, 1, [15, 1, 1]);
    let ends = (first.map(|item| item[0]), last.map(|item| item[0]));
    assert_eq!((line, ends), (Some(5), (Some(112), Some(113))));
}

#[test]
fn rows_that_run_together_are_reported_from_first_to_last() {
    let artifact = build(
        "kernel void k(global int *out, ulong at) {
    size_t x = get_global_id(0), y = get_local_id(1);
    int sum = 0;
    for (int turn = 0; turn < 3; turn++)
        sum += out[turn] * ((global int *)at)[y * 64 + x + turn];
    out[y * 200 + x] = sum;
}
",
    );
    assert_eq!(
        fault_of_interleaved(&artifact, 4, [8, 12, 1]),
        (Some(5), Some([100, 0, 0]), Some([103, 3, 0]))
    );
}

#[test]
fn items_in_vectorized_functions_are_reported_from_first_to_last() {
    let artifact = build(
        "__attribute__((noinline)) int fetch(global int *p, int turns) {
    int sum = turns;
    for (int t = 0; t < turns; t++)
        sum += p[t];
    return sum;
}
kernel void k(global int *out, ulong at) {
    size_t i = get_global_id(0);
    out[i] = fetch(i == 113 ? (global int *)at : out, (int)i % 3 + 1);
}
",
    );
    let mut out = vec![0u32; 200];
    let out = out.as_mut_ptr().expose_provenance() as u64;
    let (global, local) = ([22, 1, 1], [22, 1, 1]);
    // A vector's access can fault at a lower address than that of work-item 113, so the address is not compared.
    // The last vector of the 22 work-items is not full.
    let reported = [(1, 113, None), (4, 112, Some(115)), (8, 108, Some(115)), (16, 100, Some(115))];
    for backend in
        Backend::NAMES.map(|(_, backend)| backend).into_iter().filter(|backend| backend.is_supported())
    {
        for (lanes, first, last) in reported {
            let key = SpecializationKey {
                range: artifact.range_facts(0, [100, 0, 0], global, local),
                forced: Forced { lanes: Some(lanes), backend: Some(backend), ..Forced::default() },
                ..SpecializationKey::default()
            };
            let result = launch_by(&artifact, &key, &[Some(out), Some(WILD)], global, local);
            let fault = result.expect_err("the kernel faults");
            let place = artifact.source_line(fault.loc).map(|(_, line)| line);
            let ends = (fault.item.map(|item| item[0]), fault.last.map(|item| item[0]));
            assert_eq!((place, ends), (Some(4), (Some(first), last)), "{backend:?}, {lanes} lanes");
        }
    }
}
