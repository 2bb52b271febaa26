//! Tests of hosts in unusual states: floating-point modes, blocked signals, failing thread creation, small stacks.
//! OpenCL does not define them. These tests require that results do not change, and that the library preserves the
//! state of the host.

use std::ffi::{c_int, c_void};
use std::mem::MaybeUninit;
use std::ptr::{null, null_mut};
use std::sync::atomic::{AtomicU64, AtomicUsize, Ordering};
use std::time::{Duration, Instant};

use cl_sys::*;

use crate::check::{Failure, Outcome};
use crate::context::{Ctx, raw};
use crate::{equal, fails, float_mode, holds, ok, tests};

tests! {
    "test_host":
        float_mode_down, float_mode_up, float_mode_zero, float_mode_flush, float_mode_denormals_are_zero,
        float_mode_single_x87, float_mode_trap_invalid, float_mode_trap_denormal, float_mode_trap_division,
        float_mode_trap_overflow, float_mode_trap_underflow, float_mode_trap_inexact, float_mode_odd,
        callbacks_see_the_hosts_mode, faults_with_all_signals_blocked, faults_on_threads_that_inherit_a_mask,
        handlers_run_on_threads_of_the_application, no_threads_to_be_had, events_meet_without_threads,
        small_stacks, large_frames_on_small_stacks;
}

/// Kernels whose expressions the compiler folds (`folded`) or the machine computes (`computed`). The values of `in`
/// are 0.1f, 3.0f, 1e-40f, 1.0f, 0.0f.
const FLOATS: &str = r#"
constant float table[3] = {0.1f, 1.0f / 3.0f, 1e-40f * 1.0f};
kernel void folded(global uint *out) {
    out[0] = as_uint(0.1f);
    out[1] = as_uint(1.0f / 3.0f);
    out[2] = as_uint(1e-40f * 1.0f);
    out[3] = as_uint(1.0f / 0.0f);
    out[4] = as_uint(-2.0f / 3.0f);
    out[5] = as_uint(3e38f * 2.0f);
    out[6] = as_uint(1e-30f * 1e-30f);
    out[7] = (int)2.5f;
    out[8] = as_uint((float)16777217);
    out[9] = as_uint((float)0.1);
    out[10] = as_uint(table[0]) + as_uint(table[1]) + as_uint(table[2]);
    out[11] = isnan(0.0f / 0.0f);
}
kernel void computed(global const float *in, global uint *out) {
    float tenth = in[0], three = in[1], small = in[2], one = in[3], none = in[4];
    out[0] = as_uint(tenth);
    out[1] = as_uint(one / three);
    out[2] = as_uint(small * one);
    out[3] = as_uint(one / none);
    out[4] = as_uint((one - three) / three);
    out[5] = as_uint(three * 1e38f * 2.0f);
    out[6] = as_uint(small * small);
    out[7] = convert_int_rte(one + 1.5f);
    out[8] = as_uint((float)(16777216 + (int)one));
    out[9] = as_uint(sqrt(three) - exp(tenth));
    out[10] = as_uint(pow(three, tenth) + sin(three) + tgamma(three + tenth));
    out[11] = isnan(none / none);
}
"#;

/// Results of the kernel `folded`. 1e-40f is subnormal.
const FOLDED: [u32; 12] = [
    0x3dcc_cccd,
    0x3eaa_aaab,
    0x0001_16c2,
    0x7f80_0000,
    0xbf2a_aaab,
    0x7f80_0000,
    0,
    2,
    0x4b80_0000,
    0x3dcc_cccd,
    0x3dcc_cccd_u32.wrapping_add(0x3eaa_aaab).wrapping_add(0x0001_16c2),
    1,
];

/// Results of the kernel `computed`, up to the first that depends on mathematical functions.
const COMPUTED: [u32; 9] =
    [0x3dcc_cccd, 0x3eaa_aaab, 0x0001_16c2, 0x7f80_0000, 0xbf2a_aaab, 0x7f80_0000, 0, 2, 0x4b80_0000];

/// Kernels of the program and their output buffer.
struct Floats {
    folded: cl_kernel,
    computed: cl_kernel,
    out: cl_mem,
}

impl Floats {
    fn new(cx: &Ctx) -> Outcome<Self> {
        let program = cx.program_with(FLOATS, "")?;
        let kernel = |name: &std::ffi::CStr| -> Outcome<cl_kernel> {
            let mut code = 1;
            let kernel = cx.clCreateKernel(program, name.as_ptr(), &mut code);
            equal!(code, CL_SUCCESS);
            Ok(kernel)
        };
        let (folded, computed) = (kernel(c"folded")?, kernel(c"computed")?);
        let input = cx.buffer(&[0.1f32, 3.0, 1e-40, 1.0, 0.0])?;
        let out = cx.buffer(&[0u32; 12])?;
        cx.arg(folded, 0, out)?;
        cx.arg(computed, 0, input)?;
        cx.arg(computed, 1, out)?;
        ok!(cx.clReleaseProgram(program));
        Ok(Self { folded, computed, out })
    }

    fn run(&self, cx: &Ctx, kernel: cl_kernel) -> Outcome<Vec<u32>> {
        let event = cx.launch(kernel, 1, Some(1))?;
        ok!(cx.clWaitForEvents(1, &event));
        ok!(cx.clReleaseEvent(event));
        cx.contents(self.out, 12)
    }

    /// Builds the program, launches both kernels twice, and returns their results.
    fn results(cx: &Ctx) -> Outcome<[Vec<u32>; 2]> {
        let floats = Self::new(cx)?;
        let first = [floats.run(cx, floats.folded)?, floats.run(cx, floats.computed)?];
        let later = [floats.run(cx, floats.folded)?, floats.run(cx, floats.computed)?];
        holds!(first == later);
        Ok(first)
    }
}

/// Tests that code and data created at first use in an unusual mode are the same as those created in the default
/// mode.
fn in_mode(cx: &Ctx, name: &str) -> Outcome {
    if !float_mode::SUPPORTED {
        return Err(Failure::Skipped(String::from("modes are set on x86-64 only")));
    }
    let mode = float_mode::mode(name).ok_or(Failure::Failed(format!("no mode {name}")))?;
    float_mode::set_mode(mode);
    let odd = Floats::results(cx);
    float_mode::set_mode(0);
    let [folded, computed] = odd?;
    equal!(folded, FOLDED.to_vec());
    equal!(computed[..COMPUTED.len()].to_vec(), COMPUTED.to_vec());
    let [_, usual] = Floats::results(cx)?;
    equal!(computed, usual);
    Ok(())
}

macro_rules! modes {
    ($($test:ident = $name:literal,)*) => {
        $(fn $test(cx: &Ctx) -> Outcome {
            in_mode(cx, $name)
        })*
    };
}

modes! {
    float_mode_down = "down",
    float_mode_up = "up",
    float_mode_zero = "zero",
    float_mode_flush = "flush",
    float_mode_denormals_are_zero = "denormals-are-zero",
    float_mode_single_x87 = "single-x87",
    float_mode_trap_invalid = "trap-invalid",
    float_mode_trap_denormal = "trap-denormal",
    float_mode_trap_division = "trap-division",
    float_mode_trap_overflow = "trap-overflow",
    float_mode_trap_underflow = "trap-underflow",
    float_mode_trap_inexact = "trap-inexact",
    float_mode_odd = "odd",
}

static RECORDED_MODE: AtomicU64 = AtomicU64::new(0);

unsafe extern "C" fn record_mode(_: *mut c_void) {
    RECORDED_MODE.store(float_mode::current(), Ordering::Release);
}

unsafe extern "C" fn record_mode_of_event(_: cl_event, _: cl_int, _: *mut c_void) {
    RECORDED_MODE.store(float_mode::current(), Ordering::Release);
}

/// Tests that callbacks on the host's own thread run in the host's mode, and those on other threads in the default
/// mode.
fn callbacks_see_the_hosts_mode(cx: &Ctx) -> Outcome {
    if !float_mode::SUPPORTED {
        return Err(Failure::Skipped(String::from("modes are set on x86-64 only")));
    }
    let odd = float_mode::mode("odd").unwrap_or(0);
    let usual = float_mode::current();
    float_mode::set_mode(odd);
    let native = |queue| -> Outcome {
        let (nothing, none) = (null_mut(), null_mut());
        ok!(cx.clEnqueueNativeKernel(
            queue,
            Some(record_mode),
            nothing,
            0,
            0,
            null(),
            none,
            0,
            null(),
            null_mut()
        ));
        Ok(())
    };
    let here = || -> Outcome<[u64; 2]> {
        native(cx.queue)?;
        ok!(cx.clFinish(cx.queue));
        let in_kernel = RECORDED_MODE.swap(0, Ordering::Acquire);
        let gate = cx.user_event()?;
        ok!(cx.clSetEventCallback(gate, CL_COMPLETE, Some(record_mode_of_event), null_mut()));
        ok!(cx.clSetUserEventStatus(gate, CL_COMPLETE));
        ok!(cx.clReleaseEvent(gate));
        Ok([in_kernel, RECORDED_MODE.swap(0, Ordering::Acquire)])
    };
    let there = || -> Outcome<u64> {
        native(cx.queue)?;
        ok!(cx.clFlush(cx.queue));
        let start = Instant::now();
        while RECORDED_MODE.load(Ordering::Acquire) == 0 && start.elapsed() < TIME_LIMIT {
            std::thread::yield_now();
        }
        Ok(RECORDED_MODE.swap(0, Ordering::Acquire))
    };
    let (here, there) = (here(), there());
    float_mode::set_mode(0);
    equal!(here?, [float_mode::masked(odd); 2]);
    equal!(there?, usual);
    Ok(())
}

/// Time limit of a wait.
// Arbitrary.
const TIME_LIMIT: Duration = Duration::from_secs(20);

const FAULTY: &str = "kernel void fault(ulong at, ulong bad) {
    for (volatile int i = 0; i < 300; i++) {}
    if (get_global_id(0) == bad) *(global int *)at = 1;
}";

/// Launches a kernel of which one work-item writes to page 0. Waits for the failure, or flushes and polls if
/// `polls` is set.
fn fault(cx: &Ctx, items: usize, bad: cl_ulong, polls: bool) -> Outcome {
    let kernel = cx.kernel(FAULTY, "fault")?;
    cx.arg(kernel, 0, 16 as cl_ulong)?;
    cx.arg(kernel, 1, bad)?;
    let event = cx.launch(kernel, items, Some(1))?;
    if polls {
        ok!(cx.clFlush(cx.queue));
        equal!(cx.poll(event, CL_OUT_OF_RESOURCES)?, CL_OUT_OF_RESOURCES);
    } else {
        fails!(CL_EXEC_STATUS_ERROR_FOR_EVENTS_IN_WAIT_LIST, cx.clWaitForEvents(1, &event));
    }
    ok!(cx.clReleaseEvent(event));
    ok!(cx.clReleaseKernel(kernel));
    Ok(())
}

fn set(fill: unsafe extern "C" fn(*mut libc::sigset_t) -> c_int) -> libc::sigset_t {
    let mut set = MaybeUninit::zeroed();
    // SAFETY: `fill` initializes the set.
    unsafe {
        fill(set.as_mut_ptr());
        set.assume_init()
    }
}

/// Changes this thread's signal mask and returns the numbers of the signals that were blocked before.
fn mask(how: c_int, signals: &libc::sigset_t) -> Vec<c_int> {
    let mut before = set(libc::sigemptyset);
    // SAFETY: both pointers are to valid sets.
    unsafe { libc::pthread_sigmask(how, signals, &raw mut before) };
    // SAFETY: `before` is a valid set.
    (1..=64).filter(|&signal| unsafe { libc::sigismember(&raw const before, signal) } == 1).collect()
}

fn blocked() -> Vec<c_int> {
    mask(libc::SIG_BLOCK, &set(libc::sigemptyset))
}

fn faults_with_all_signals_blocked(cx: &Ctx) -> Outcome {
    mask(libc::SIG_BLOCK, &set(libc::sigfillset));
    let before = blocked();
    holds!(before.contains(&libc::SIGSEGV));
    for _ in 0..3 {
        fault(cx, 64, 5, false)?;
        holds!(blocked() == before);
    }
    // The signal is not blocked in this launch, but in those before and after it.
    mask(libc::SIG_UNBLOCK, &set(libc::sigfillset));
    fault(cx, 64, 5, false)?;
    mask(libc::SIG_BLOCK, &set(libc::sigfillset));
    fault(cx, 64, 5, false)?;
    holds!(blocked() == before);
    Ok(())
}

/// Tests faults on threads that the library creates from a thread that blocks all signals.
fn faults_on_threads_that_inherit_a_mask(cx: &Ctx) -> Outcome {
    mask(libc::SIG_BLOCK, &set(libc::sigfillset));
    let before = blocked();
    for round in 0..20 {
        let items = 200_000;
        fault(cx, items, items as cl_ulong - 1 - round * 977, false)?;
        fault(cx, 64, 5, true)?;
    }
    holds!(blocked() == before);
    Ok(())
}

static ON_OTHER_THREADS: AtomicUsize = AtomicUsize::new(0);
static ON_MAIN_THREAD: AtomicUsize = AtomicUsize::new(0);
static MAIN: AtomicU64 = AtomicU64::new(0);

fn this_thread() -> u64 {
    // SAFETY: the call only returns a number.
    unsafe { libc::pthread_self() as u64 }
}

extern "C" fn on_alarm(_: c_int) {
    let here = this_thread() == MAIN.load(Ordering::Relaxed);
    let count = if here { &ON_MAIN_THREAD } else { &ON_OTHER_THREADS };
    count.fetch_add(1, Ordering::Relaxed);
}

/// Tests that the application's signal handlers do not run on threads of the library. The only thread of the
/// application blocks the signal for a while, and no other thread may handle it.
fn handlers_run_on_threads_of_the_application(cx: &Ctx) -> Outcome {
    MAIN.store(this_thread(), Ordering::Relaxed);
    // SAFETY: the handler only counts, and the timer belongs to this process.
    unsafe {
        libc::signal(libc::SIGALRM, on_alarm as *const () as usize);
        let every = libc::timeval { tv_sec: 0, tv_usec: 500 };
        let timer = libc::itimerval { it_interval: every, it_value: every };
        equal!(libc::setitimer(libc::ITIMER_REAL, &raw const timer, null_mut()), 0);
    }
    let kernel = cx.kernel(FAULTY, "fault")?;
    cx.arg(kernel, 0, 0 as cl_ulong)?;
    cx.arg(kernel, 1, cl_ulong::MAX)?;
    for round in 0..40 {
        let how = if round % 2 == 0 { libc::SIG_BLOCK } else { libc::SIG_UNBLOCK };
        mask(how, &set(libc::sigfillset));
        let event = cx.launch(kernel, 50_000, Some(1))?;
        ok!(cx.clFlush(cx.queue));
        equal!(cx.poll(event, CL_COMPLETE)?, CL_COMPLETE);
        let event_here = cx.launch(kernel, 50_000, Some(1))?;
        ok!(cx.clWaitForEvents(1, &event_here));
        ok!(cx.clReleaseEvent(event));
        ok!(cx.clReleaseEvent(event_here));
    }
    equal!(ON_OTHER_THREADS.load(Ordering::Relaxed), 0);
    holds!(ON_MAIN_THREAD.load(Ordering::Relaxed) > 0);
    Ok(())
}

/// Makes thread creation fail from now on. The limit does not apply to the superuser, so the process changes its
/// user first.
fn allow_no_threads() -> Outcome {
    const NOBODY: libc::uid_t = 65534;
    // SAFETY: these calls change rights and limits of this process only.
    unsafe {
        if libc::getuid() == 0 {
            equal!(libc::setresuid(NOBODY, NOBODY, NOBODY), 0);
        }
        let none = libc::rlimit { rlim_cur: 0, rlim_max: 0 };
        equal!(libc::setrlimit(libc::RLIMIT_NPROC, &raw const none), 0);
    }
    let started = std::thread::Builder::new().spawn(|| ());
    if started.is_ok() {
        return Err(Failure::Skipped(String::from("threads cannot be forbidden here")));
    }
    Ok(())
}

const SQUARES: &str = "kernel void squares(global uint *out) {
    local uint t[64];
    uint i = get_local_id(0);
    t[i] = get_global_id(0);
    barrier(CLK_LOCAL_MEM_FENCE);
    out[get_global_id(0)] = t[i] * t[i];
}";

fn squares(cx: &Ctx) -> Outcome<(cl_kernel, cl_mem)> {
    let kernel = cx.kernel(SQUARES, "squares")?;
    let out = cx.empty_buffer(4 << 16)?;
    cx.arg(kernel, 0, out)?;
    Ok((kernel, out))
}

fn check_squares(cx: &Ctx, out: cl_mem) -> Outcome {
    let found: Vec<u32> = cx.contents(out, 1 << 16)?;
    holds!(found.iter().zip(0u32..).all(|(&found, i)| found == i.wrapping_mul(i)));
    Ok(())
}

fn no_threads_to_be_had(cx: &Ctx) -> Outcome {
    allow_no_threads()?;
    let (kernel, out) = squares(cx)?;
    let range = 1 << 16;
    // Wait for the command.
    let event = cx.launch(kernel, range, Some(64))?;
    ok!(cx.clWaitForEvents(1, &event));
    check_squares(cx, out)?;
    // Flush and poll.
    let event = cx.launch(kernel, range, Some(64))?;
    ok!(cx.clFlush(cx.queue));
    equal!(cx.poll(event, CL_COMPLETE)?, CL_COMPLETE);
    // Poll only.
    let event = cx.launch(kernel, range, Some(64))?;
    equal!(cx.poll(event, CL_COMPLETE)?, CL_COMPLETE);
    // Flush, and wait for a callback only.
    CALLED.store(0, Ordering::Release);
    let event = cx.launch(kernel, range, Some(64))?;
    ok!(cx.clSetEventCallback(event, CL_COMPLETE, Some(count), null_mut()));
    ok!(cx.clFlush(cx.queue));
    equal!(CALLED.load(Ordering::Acquire), 1);
    // More commands than a queue usually holds.
    for _ in 0..10_000 {
        let local = 64;
        ok!(cx.clEnqueueNDRangeKernel(cx.queue, kernel, 1, null(), &64, &local, 0, null(), null_mut()));
    }
    ok!(cx.clFinish(cx.queue));
    check_squares(cx, out)
}

static CALLED: AtomicUsize = AtomicUsize::new(0);

unsafe extern "C" fn count(_: cl_event, _: cl_int, _: *mut c_void) {
    CALLED.fetch_add(1, Ordering::AcqRel);
}

/// Tests commands of several queues that wait for each other and for the host, without threads.
fn events_meet_without_threads(cx: &Ctx) -> Outcome {
    allow_no_threads()?;
    let (kernel, out) = squares(cx)?;
    let range = 1 << 16;
    for properties in [0, CL_QUEUE_OUT_OF_ORDER_EXEC_MODE_ENABLE] {
        let queues = [cx.queue(properties)?, cx.queue(properties)?, cx.queue(0)?];
        let gate = cx.user_event()?;
        let mut last = gate;
        for turn in 0..300 {
            let (queue, waits) = (queues[turn % 3], last);
            let local = 64;
            ok!(cx.clEnqueueNDRangeKernel(queue, kernel, 1, null(), &range, &local, 1, &waits, &mut last));
            ok!(cx.clFlush(queue));
        }
        ok!(cx.clSetUserEventStatus(gate, CL_COMPLETE));
        equal!(cx.poll(last, CL_COMPLETE)?, CL_COMPLETE);
        for queue in queues {
            ok!(cx.clFinish(queue));
            ok!(cx.clReleaseCommandQueue(queue));
        }
        check_squares(cx, out)?;
    }
    Ok(())
}

/// Context that another thread uses.
struct Sent<'a>(&'a Ctx);

// SAFETY: OpenCL calls can be made from any thread.
unsafe impl Send for Sent<'_> {}

/// Runs `work` on a thread with a stack of `bytes` bytes.
fn on_small_stack(cx: &Ctx, bytes: usize, work: impl FnOnce(&Ctx) -> Outcome + Send) -> Outcome {
    let sent = Sent(cx);
    std::thread::scope(|scope| {
        let run = || {
            let sent = sent;
            work(sent.0)
        };
        let thread = std::thread::Builder::new().stack_size(bytes).spawn_scoped(scope, run);
        let thread = thread.map_err(|error| Failure::Failed(error.to_string()))?;
        thread.join().unwrap_or_else(|_| Err(Failure::Failed("the thread panicked".into())))
    })
}

fn small_stacks(cx: &Ctx) -> Outcome {
    let sum = |terms: usize| {
        format!("kernel void sum(global int *g) {{ g[0] = {}g[1]; }}", "g[1] + ".repeat(terms))
    };
    for (bytes, terms) in [(256 << 10, 1000), (64 << 10, 1000), (64 << 10, 3000)] {
        let source = sum(terms);
        on_small_stack(cx, bytes, move |cx| {
            let kernel = cx.kernel(&source, "sum")?;
            let buffer = cx.buffer(&[0, 3])?;
            cx.arg(kernel, 0, buffer)?;
            let event = cx.launch(kernel, 1, None)?;
            ok!(cx.clWaitForEvents(1, &event));
            equal!(cx.contents::<i32>(buffer, 1)?, vec![3 * (terms as i32 + 1)]);
            // Nesting up to the limits must be compiled or rejected with an error.
            for open in ["(", "-", "{", "*", "1 ? 2 : ", "if (1) "] {
                let deep = format!("kernel void k(global int *g) {{ g[0] = {}1; }}", open.repeat(5000));
                let program = cx.source(&deep)?;
                let code = cx.clBuildProgram(program, 0, null(), null(), None, null_mut());
                holds!(code == CL_SUCCESS || code == CL_BUILD_PROGRAM_FAILURE);
                ok!(cx.clReleaseProgram(program));
            }
            fault(cx, 64, 5, false)
        })?;
    }
    Ok(())
}

/// Tests private memory and calls that need more stack than the thread has.
fn large_frames_on_small_stacks(cx: &Ctx) -> Outcome {
    const SOURCE: &str = "
        __attribute__((noinline)) int inner(int x) {
            volatile int a[500];
            for (int i = 0; i < 500; i++) a[i] = x + i;
            int s = 0;
            for (int i = 0; i < 500; i++) s += a[i];
            return s;
        }
        __attribute__((noinline)) int middle(int x) {
            volatile int a[1000];
            for (int i = 0; i < 1000; i++) a[i] = inner(x) + i;
            return a[999];
        }
        kernel void frames(global int *out) {
            volatile int a[8][1000];
            int me = get_global_id(0);
            for (int j = 0; j < 8; j++) for (int i = 0; i < 1000; i++) a[j][i] = me + i + j;
            out[me] = a[7][999] + middle(me);
        }";
    on_small_stack(cx, 64 << 10, |cx| {
        let kernel = cx.kernel(SOURCE, "frames")?;
        let out = cx.buffer(&[0i32; 256])?;
        cx.arg(kernel, 0, out)?;
        for _ in 0..3 {
            let event = cx.launch(kernel, 256, None)?;
            ok!(cx.clWaitForEvents(1, &event));
        }
        let mut found = vec![0i32; 256];
        let to = raw(&mut found);
        ok!(cx.clEnqueueReadBuffer(cx.queue, out, CL_TRUE, 0, 1024, to, 0, null(), null_mut()));
        let expected: Vec<i32> = (0..256).map(|me| me + 1006 + 500 * me + 499 * 250 + 999).collect();
        equal!(found, expected);
        Ok(())
    })
}
