//! Tests of processes that run out of address space. Every call must succeed or return a code for a lack of memory,
//! and the process must not crash.
//!
//! Each limit is tested in a child process. The code in the child must not allocate memory itself, because it has
//! no more memory than the library.

use std::ffi::{CStr, c_void};
use std::ptr::{null, null_mut};

use cl_sys::*;

use crate::check::{Failure, Outcome, failed};
use crate::context::{Ctx, c_string};
use crate::{holds, tests};

tests! {
    "test_shortage":
        builds_under_falling_limits, first_launches_under_falling_limits, objects_until_memory_is_gone,
        commands_until_memory_is_gone, what_was_made_still_works;
}

const MIB: usize = 1 << 20;

/// Limits of the additional address space of a child process, in bytes.
// Arbitrary.
const LIMITS: [usize; 22] = [
    400 * MIB,
    200 * MIB,
    150 * MIB,
    120 * MIB,
    100 * MIB,
    90 * MIB,
    82 * MIB,
    74 * MIB,
    66 * MIB,
    50 * MIB,
    40 * MIB,
    32 * MIB,
    24 * MIB,
    18 * MIB,
    14 * MIB,
    10 * MIB,
    7 * MIB,
    5 * MIB,
    3 * MIB,
    2 * MIB,
    MIB,
    MIB / 4,
];

/// Exit codes of a child process besides 0.
const WRONG_CODE: i32 = 1;
const WRONG_RESULT: i32 = 2;
const SUCCEEDED: i32 = 3;

/// Returns the size of this process's address space in bytes.
fn mapped() -> Outcome<usize> {
    let text = std::fs::read_to_string("/proc/self/statm");
    let pages = text.ok().and_then(|text| text.split(' ').next()?.parse::<usize>().ok());
    // SAFETY: the call only returns a number.
    let page = unsafe { libc::sysconf(libc::_SC_PAGESIZE) } as usize;
    pages.map(|pages| pages * page).ok_or(Failure::Skipped(String::from("no /proc/self/statm")))
}

/// Runs `work` in a child process that may map `left` more bytes, and returns the exit code that `work` returns.
fn with_limit(left: usize, work: impl FnOnce() -> i32) -> Outcome<i32> {
    let limit = (mapped()? + left) as libc::rlim_t;
    // SAFETY: the child leaves through `_exit` and changes only its own limits.
    let child = unsafe { libc::fork() };
    if child == 0 {
        let limit = libc::rlimit { rlim_cur: limit, rlim_max: libc::RLIM_INFINITY };
        // SAFETY: these calls affect the child only, which ends with `_exit`.
        unsafe {
            libc::alarm(60);
            libc::setrlimit(libc::RLIMIT_AS, &raw const limit);
            let code = work();
            libc::_exit(code)
        }
    }
    holds!(child > 0);
    let mut status = 0;
    // SAFETY: `child` is a child of this process, and `status` is valid for writes.
    unsafe { libc::waitpid(child, &raw mut status, 0) };
    if libc::WIFEXITED(status) {
        return Ok(libc::WEXITSTATUS(status));
    }
    failed(
        "shortage",
        &format!("with {} KiB left the process ended by signal {}", left / 1024, libc::WTERMSIG(status)),
    )
}

/// Checks that the work succeeds under at least one limit, and otherwise ends with a valid code.
fn under_falling_limits(what: &str, work: impl Fn() -> i32) -> Outcome {
    let mut succeeded = 0;
    for left in LIMITS {
        match with_limit(left, &work)? {
            SUCCEEDED => succeeded += 1,
            0 => {}
            code => {
                let why = if code == WRONG_CODE { "an unexpected code" } else { "a wrong result" };
                return failed("shortage", &format!("{what} with {} KiB left: {why}", left / 1024));
            }
        }
    }
    if succeeded == 0 {
        return failed("shortage", &format!("{what} fails with {} MiB left", LIMITS[0] / MIB));
    }
    Ok(())
}

/// Checks whether a code reports a lack of memory.
fn is_shortage(code: cl_int) -> bool {
    matches!(code, CL_OUT_OF_HOST_MEMORY | CL_OUT_OF_RESOURCES | CL_MEM_OBJECT_ALLOCATION_FAILURE)
}

/// Returns a program with `count` functions that a kernel calls, and one long function.
fn large_program(count: usize) -> String {
    let mut text = String::new();
    for i in 0..count {
        text += &format!("int f{i}(int x, global int *g) {{\n");
        for j in 0..20 {
            text += &format!("    if (x > g[{j}]) x = x * {j} + g[x & 15]; else x ^= mul_hi(x, {i});\n");
        }
        text += "    return x;\n}\n";
    }
    text += "kernel void k(global int *g) {\n    int x = g[0];\n";
    for i in 0..count {
        text += &format!("    x += f{i}(x, g);\n");
    }
    text + "    g[0] = 7;\n    g[1] = x;\n}\n"
}

/// Objects for a child process, created before the fork.
struct Prepared {
    program: cl_program,
    buffer: cl_mem,
}

impl Prepared {
    fn new(cx: &Ctx, source: &str) -> Outcome<Self> {
        Ok(Self { program: cx.source(source)?, buffer: cx.buffer(&[1i32; 64])? })
    }
}

fn build(cx: &Ctx, program: cl_program) -> cl_int {
    cx.clBuildProgram(program, 0, null(), null(), None, null_mut())
}

/// Creates the kernel `k` of a program and launches it. The kernel must write 7.
fn launch(cx: &Ctx, made: &Prepared) -> i32 {
    let mut code = 0;
    let kernel = cx.clCreateKernel(made.program, c"k".as_ptr(), &mut code);
    if code != CL_SUCCESS {
        return if is_shortage(code) { 0 } else { WRONG_CODE };
    }
    let code = cx.clSetKernelArg(kernel, 0, 8, (&raw const made.buffer).cast());
    if code != CL_SUCCESS {
        return if is_shortage(code) { 0 } else { WRONG_CODE };
    }
    let mut event = null_mut();
    let code = cx.clEnqueueNDRangeKernel(cx.queue, kernel, 1, null(), &1, null(), 0, null(), &mut event);
    if code != CL_SUCCESS {
        return if is_shortage(code) { 0 } else { WRONG_CODE };
    }
    match cx.clWaitForEvents(1, &event) {
        CL_SUCCESS => {}
        CL_EXEC_STATUS_ERROR_FOR_EVENTS_IN_WAIT_LIST => return 0,
        code => return if is_shortage(code) { 0 } else { WRONG_CODE },
    }
    let mut first = 0i32;
    let to = (&raw mut first).cast();
    match cx.clEnqueueReadBuffer(cx.queue, made.buffer, CL_TRUE, 0, 4, to, 0, null(), null_mut()) {
        CL_SUCCESS if first == 7 => SUCCEEDED,
        CL_SUCCESS => WRONG_RESULT,
        code if is_shortage(code) => 0,
        _ => WRONG_CODE,
    }
}

fn builds_under_falling_limits(cx: &Ctx) -> Outcome {
    let small = "kernel void k(global int *g) { g[0] = 7; }".to_owned();
    let math =
        "kernel void k(global float *g) { g[1] = pow(g[2], g[3]) + lgamma(g[4]); ((global int *)g)[0] = 7; }";
    let data = format!("constant int t[] = {{{}}};\nkernel void k(global int *g) {{ g[0] = t[7]; }}", {
        (0..300_000).map(|i| i.to_string()).collect::<Vec<_>>().join(",")
    });
    let macros = {
        let mut text = String::from("#define X0 g[0] = 7; g[1] += 1;\n");
        for i in 1..15 {
            text += &format!("#define X{i} X{} X{}\n", i - 1, i - 1);
        }
        text + "kernel void k(global int *g) { X14 }"
    };
    for source in [small, math.to_owned(), large_program(40), large_program(400), data, macros] {
        let made = Prepared::new(cx, &source)?;
        let shown = &source[..source.len().min(60)];
        under_falling_limits(shown, || match build(cx, made.program) {
            CL_SUCCESS => launch(cx, &made),
            // Other codes would mean that the program is invalid.
            CL_OUT_OF_HOST_MEMORY => 0,
            _ => WRONG_CODE,
        })?;
    }
    Ok(())
}

fn first_launches_under_falling_limits(cx: &Ctx) -> Outcome {
    for source in ["kernel void k(global int *g) { g[0] = 7; }", &large_program(100), &large_program(400)] {
        let made = Prepared::new(cx, source)?;
        crate::ok!(build(cx, made.program));
        under_falling_limits("a first launch", || launch(cx, &made))?;
    }
    // Much private and local memory.
    let made = Prepared::new(
        cx,
        "kernel void k(global int *g) {
            volatile int a[200000];
            local int l[8000];
            for (int i = 0; i < 200000; i++) a[i] = g[i & 63];
            l[get_local_id(0)] = a[7];
            barrier(CLK_LOCAL_MEM_FENCE);
            g[0] = 7 + 0 * l[0];
        }",
    )?;
    crate::ok!(build(cx, made.program));
    under_falling_limits("a launch with much memory", || launch(cx, &made))
}

/// Repeats a call, at most 50 million times, until it fails. The code must report a lack of memory.
fn exhaust(mut call: impl FnMut() -> cl_int) -> i32 {
    for _ in 0..50_000_000 {
        let code = call();
        if code != CL_SUCCESS {
            return if is_shortage(code) { SUCCEEDED } else { WRONG_CODE };
        }
    }
    0
}

/// Tests calls that create an object each, without releasing any.
fn objects_until_memory_is_gone(cx: &Ctx) -> Outcome {
    let program = cx.program_with("kernel void k(global int *g) { g[0] = 7; }", "")?;
    let text = c_string("kernel void k(global int *g) { g[0] = 7; }");
    let kernel = cx.kernel("kernel void k(global int *g) { g[0] = 7; }", "k")?;
    let buffer = cx.buffer(&[0i32; 4096])?;
    let name: &CStr = c"k";
    type Make<'a> = (&'a str, Box<dyn Fn(&mut cl_int) -> *mut c_void + 'a>);
    let makes: [Make; 11] = [
        ("buffer", Box::new(|code| cx.clCreateBuffer(cx.context, CL_MEM_READ_WRITE, 100, null_mut(), code))),
        (
            "large buffer",
            Box::new(|code| cx.clCreateBuffer(cx.context, CL_MEM_READ_WRITE, 3 * MIB, null_mut(), code)),
        ),
        (
            "sub-buffer",
            Box::new(|code| {
                let region = [0usize, 128];
                let (kind, region) = (CL_BUFFER_CREATE_TYPE_REGION, region.as_ptr().cast());
                cx.clCreateSubBuffer(buffer, CL_MEM_READ_WRITE, kind, region, code)
            }),
        ),
        ("user event", Box::new(|code| cx.clCreateUserEvent(cx.context, code))),
        ("queue", Box::new(|code| cx.clCreateCommandQueue(cx.context, cx.device, 0, code))),
        ("context", Box::new(|code| cx.clCreateContext(null(), 1, &cx.device, None, null_mut(), code))),
        ("kernel", Box::new(|code| cx.clCreateKernel(program, name.as_ptr(), code))),
        ("clone", Box::new(|code| cx.clCloneKernel(kernel, code))),
        (
            "program",
            Box::new(|code| {
                let mut text = text.as_ptr();
                cx.clCreateProgramWithSource(cx.context, 1, &mut text, null(), code)
            }),
        ),
        (
            "sampler",
            Box::new(|code| cx.clCreateSampler(cx.context, 0, CL_ADDRESS_CLAMP, CL_FILTER_NEAREST, code)),
        ),
        ("pipe", Box::new(|code| cx.clCreatePipe(cx.context, 0, 64, 64, null(), code))),
    ];
    for (what, make) in &makes {
        for left in [24 * MIB, 3 * MIB] {
            let ended = with_limit(left, || {
                let call = || {
                    let mut code = 1;
                    make(&mut code);
                    code
                };
                let ended = exhaust(call);
                // Further calls keep failing without a crash, and calls that only query or release still work.
                for _ in 0..1000 {
                    call();
                    if cx.clRetainMemObject(buffer) != CL_SUCCESS
                        || cx.clReleaseMemObject(buffer) != CL_SUCCESS
                    {
                        return WRONG_CODE;
                    }
                }
                if cx.clFinish(cx.queue) == CL_SUCCESS { ended } else { WRONG_CODE }
            })?;
            if ended != SUCCEEDED {
                return failed("shortage", &format!("{what} with {} MiB left: {ended}", left / MIB));
            }
        }
    }
    Ok(())
}

/// Tests commands that wait for an event that is never completed, with and without events of their own.
fn commands_until_memory_is_gone(cx: &Ctx) -> Outcome {
    let kernel = cx.kernel("kernel void k(global int *g) { g[0] = 7; }", "k")?;
    let buffer = cx.buffer(&[0i32; 4096])?;
    cx.arg(kernel, 0, buffer)?;
    // The code of the kernel exists already.
    let event = cx.launch(kernel, 1, None)?;
    crate::ok!(cx.clWaitForEvents(1, &event));
    let data = [0u8; 64];
    for properties in [0, CL_QUEUE_OUT_OF_ORDER_EXEC_MODE_ENABLE] {
        let queue = cx.queue(properties)?;
        for with_event in [false, true] {
            let ended = with_limit(12 * MIB, || {
                let mut code = 1;
                let gate = cx.clCreateUserEvent(cx.context, &mut code);
                let mut turn = 0;
                let mut enqueued = 0u64;
                let call = || {
                    turn += 1;
                    let mut event = null_mut();
                    let event = if with_event { &raw mut event } else { null_mut() };
                    let code = match turn % 3 {
                        0 => cx.clEnqueueNDRangeKernel(queue, kernel, 1, null(), &1, null(), 1, &gate, event),
                        1 => {
                            let from = data.as_ptr().cast();
                            cx.clEnqueueWriteBuffer(queue, buffer, CL_FALSE, 0, 64, from, 1, &gate, event)
                        }
                        _ => cx.clEnqueueMarkerWithWaitList(queue, 1, &gate, event),
                    };
                    enqueued += u64::from(code == CL_SUCCESS);
                    code
                };
                let ended = exhaust(call);
                // All enqueued commands can run.
                let opened = cx.clSetUserEventStatus(gate, CL_COMPLETE);
                let finished = cx.clFinish(queue);
                if opened == CL_SUCCESS && finished == CL_SUCCESS && enqueued > 100 {
                    ended
                } else {
                    WRONG_CODE
                }
            })?;
            if ended != SUCCEEDED {
                return failed(
                    "shortage",
                    &format!("commands, events {with_event}, queue {properties}: {ended}"),
                );
            }
        }
    }
    Ok(())
}

/// Tests that a kernel that was launched before runs without any memory left.
fn what_was_made_still_works(cx: &Ctx) -> Outcome {
    let made = Prepared::new(cx, "kernel void k(global int *g) { g[0] = 7; }")?;
    crate::ok!(build(cx, made.program));
    let kernel = cx.clCreateKernel(made.program, c"k".as_ptr(), null_mut());
    cx.arg(kernel, 0, made.buffer)?;
    let event = cx.launch(kernel, 1000, None)?;
    crate::ok!(cx.clWaitForEvents(1, &event));
    let ended = with_limit(0, || {
        let mut seen = 0;
        for _ in 0..1000 {
            let code =
                cx.clEnqueueNDRangeKernel(cx.queue, kernel, 1, null(), &1000, null(), 0, null(), null_mut());
            if code != CL_SUCCESS && !is_shortage(code) || cx.clFinish(cx.queue) != CL_SUCCESS {
                return WRONG_CODE;
            }
            seen += i32::from(code == CL_SUCCESS);
        }
        if seen > 0 { SUCCEEDED } else { 0 }
    })?;
    holds!(ended == SUCCEEDED);
    Ok(())
}
