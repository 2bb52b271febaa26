//! Tests of forked child processes. OpenCL does not define them. These tests require that calls in a child either
//! work or return an error, and never wait for threads that do not exist there.

use std::ptr::{null, null_mut};
use std::sync::atomic::{AtomicBool, AtomicU32, Ordering};

use cl_sys::*;

use crate::check::{Failure, Outcome, failed};
use crate::context::{Ctx, c_string, raw};
use crate::{equal, fails, holds, make, ok, query, tests};

tests! {
    "test_fork":
        child_of_an_idle_process, child_while_others_work, child_while_a_thread_waits, child_of_a_child,
        child_with_commands_that_wait, child_has_nothing_that_was_released;
}

unsafe extern "C" {
    fn fork() -> i32;
    fn waitpid(process: i32, status: *mut i32, options: i32) -> i32;
    fn alarm(seconds: u32) -> u32;
    fn _exit(code: i32) -> !;
}

/// Time in seconds after which a child process counts as hung.
// Arbitrary.
const TIME_LIMIT: u32 = 20;

/// Runs `work` in a child process and returns its failure, if any.
fn in_child(what: &str, work: impl FnOnce() -> Outcome) -> Outcome {
    // SAFETY: the child leaves through `_exit`. Whether OpenCL calls work in it is the subject of the test.
    let process = unsafe { fork() };
    if process == 0 {
        // SAFETY: this only requests a signal.
        unsafe { alarm(TIME_LIMIT) };
        let result = std::panic::catch_unwind(std::panic::AssertUnwindSafe(work));
        let code = match result {
            Ok(Ok(())) => 0,
            Ok(Err(Failure::Failed(text) | Failure::Skipped(text))) => {
                eprintln!("in the child: {text}");
                1
            }
            Err(_) => 2,
        };
        // SAFETY: the child has nothing to clean up.
        unsafe { _exit(code) };
    }
    holds!(process > 0);
    let mut status = 0;
    // SAFETY: `status` is valid for writes.
    equal!(unsafe { waitpid(process, &mut status, 0) }, process);
    match (status & 0x7f, status >> 8 & 0xff) {
        (0, 0) => Ok(()),
        (0, code) => failed("child", &format!("{what}: it ended with {code}")),
        // SIGALRM
        (14, _) => failed("child", &format!("{what}: it hangs")),
        (signal, _) => failed("child", &format!("{what}: it was killed by signal {signal}")),
    }
}

const ADD: &str = "kernel void add(global uint *d, uint n) { d[get_global_id(0)] += n; }";

/// Creates a context and a program, and runs launches that are large enough for all threads.
fn from_the_beginning(cx: &Ctx, seed: u32) -> Outcome {
    let context = make!(cx.clCreateContext(null(), 1, &cx.device, None, null_mut()));
    let queue = make!(cx.clCreateCommandQueue(context, cx.device, 0));
    let text = c_string(&format!("{ADD} // {seed}"));
    let mut text = text.as_ptr();
    let program = make!(cx.clCreateProgramWithSource(context, 1, &mut text, null()));
    ok!(cx.clBuildProgram(program, 0, null(), null(), None, null_mut()));
    let kernel = make!(cx.clCreateKernel(program, c_string("add").as_ptr()));
    let mut data = vec![seed; 1 << 14];
    let size = size_of_val(&data[..]);
    let buffer = make!(cx.clCreateBuffer(context, CL_MEM_COPY_HOST_PTR, size, raw(&mut data)));
    cx.arg(kernel, 0, buffer)?;
    cx.arg(kernel, 1, 3u32)?;
    for _ in 0..4 {
        let mut event = null_mut();
        let (global, local) = (data.len(), 16);
        ok!(cx.clEnqueueNDRangeKernel(queue, kernel, 1, null(), &global, &local, 0, null(), &mut event));
        // After the flush, a thread of the library may run the command.
        ok!(cx.clFlush(queue));
        ok!(cx.clWaitForEvents(1, &event));
        ok!(cx.clReleaseEvent(event));
    }
    ok!(cx.clEnqueueReadBuffer(queue, buffer, CL_TRUE, 0, size, raw(&mut data), 0, null(), null_mut()));
    holds!(data.iter().all(|&value| value == seed + 12));
    ok!(cx.clReleaseKernel(kernel));
    ok!(cx.clReleaseProgram(program));
    ok!(cx.clReleaseMemObject(buffer));
    ok!(cx.clReleaseCommandQueue(queue));
    ok!(cx.clReleaseContext(context));
    Ok(())
}

/// Objects that the parent creates before it forks.
struct Objects {
    queues: [cl_command_queue; 2],
    kernel: cl_kernel,
    buffer: cl_mem,
}

impl Objects {
    fn new(cx: &Ctx) -> Outcome<Self> {
        let kernel = cx.kernel(ADD, "add")?;
        let buffer = cx.buffer(&[5u32; 4096])?;
        cx.arg(kernel, 0, buffer)?;
        cx.arg(kernel, 1, 1u32)?;
        let queues = [cx.queue, cx.queue(CL_QUEUE_OUT_OF_ORDER_EXEC_MODE_ENABLE)?];
        let objects = Self { queues, kernel, buffer };
        objects.work(cx, 6)?;
        Ok(objects)
    }

    /// Adds one with each queue. The buffer must contain `expected` after the first queue and `expected + 1` after
    /// the second.
    fn work(&self, cx: &Ctx, expected: u32) -> Outcome {
        for (i, &queue) in self.queues.iter().enumerate() {
            let mut event = null_mut();
            let global = 4096;
            let kernel = self.kernel;
            ok!(cx.clEnqueueNDRangeKernel(queue, kernel, 1, null(), &global, null(), 0, null(), &mut event));
            // This thread only polls, so a thread of the library must run the command.
            ok!(cx.clFlush(queue));
            equal!(cx.poll(event, CL_COMPLETE)?, CL_COMPLETE);
            let mut back = vec![0u32; 4096];
            let target = raw(&mut back);
            ok!(cx.clEnqueueReadBuffer(
                queue,
                self.buffer,
                CL_TRUE,
                0,
                4 << 12,
                target,
                0,
                null(),
                null_mut()
            ));
            let expected = expected + i as u32;
            holds!(back.iter().all(|&value| value == expected));
        }
        Ok(())
    }
}

impl Objects {
    /// Takes the locks of these objects as often as possible.
    fn contend(&self, cx: &Ctx) -> Outcome {
        for &queue in self.queues.iter().cycle().take(50) {
            let mut event = null_mut();
            ok!(cx.clEnqueueNDRangeKernel(
                queue,
                self.kernel,
                1,
                null(),
                &4096,
                null(),
                0,
                null(),
                &mut event
            ));
            ok!(cx.clFlush(queue));
            ok!(cx.clWaitForEvents(1, &event));
            ok!(cx.clReleaseEvent(event));
        }
        Ok(())
    }
}

fn child_of_an_idle_process(cx: &Ctx) -> Outcome {
    let objects = Objects::new(cx)?;
    for round in 0..30 {
        // The child has a copy of the memory, so its additions do not affect the parent.
        in_child("its parent's objects", || objects.work(cx, 8 + 2 * round))?;
        in_child("its own objects", || from_the_beginning(cx, 7))?;
        objects.work(cx, 8 + 2 * round)?;
    }
    from_the_beginning(cx, 7)
}

fn child_of_a_child(cx: &Ctx) -> Outcome {
    let objects = Objects::new(cx)?;
    in_child("a child", || {
        objects.work(cx, 8)?;
        in_child("a child's child", || {
            objects.work(cx, 10)?;
            from_the_beginning(cx, 1)
        })?;
        objects.work(cx, 10)
    })?;
    objects.work(cx, 8)
}

/// Tests that pending commands are copied to the child, and that each process runs its own copy.
fn child_with_commands_that_wait(cx: &Ctx) -> Outcome {
    let objects = Objects::new(cx)?;
    let gate = cx.user_event()?;
    let (global, queue) = (4096, objects.queues[0]);
    let mut event = null_mut();
    ok!(cx.clEnqueueNDRangeKernel(queue, objects.kernel, 1, null(), &global, null(), 1, &gate, &mut event));
    ok!(cx.clFlush(queue));
    let open = || -> Outcome {
        ok!(cx.clSetUserEventStatus(gate, CL_COMPLETE));
        ok!(cx.clWaitForEvents(1, &event));
        objects.work(cx, 9)
    };
    in_child("commands that wait", open)?;
    open()
}

/// Context and objects that several threads use.
struct Shared<'a>(&'a Ctx, Objects);

// SAFETY: OpenCL calls can be made from any thread.
unsafe impl Sync for Shared<'_> {}

/// Checks that a call in the child of a busy process succeeds or reports that the object does not exist.
fn works_or_is_refused(code: cl_int, refusal: cl_int) -> Outcome<bool> {
    holds!(code == CL_SUCCESS || code == refusal);
    Ok(code == CL_SUCCESS)
}

/// Uses the parent's objects as far as they are valid.
fn inherited(cx: &Ctx, objects: &Objects) -> Outcome {
    let (queue, kernel, global) = (objects.queues[0], objects.kernel, 4096);
    let mut size = 0;
    let code = cx.clGetContextInfo(cx.context, CL_CONTEXT_DEVICES, 0, null_mut(), &mut size);
    let is_inherited = works_or_is_refused(code, CL_INVALID_CONTEXT)?;
    let code = cx.clEnqueueNDRangeKernel(queue, kernel, 1, null(), &global, null(), 0, null(), null_mut());
    equal!(works_or_is_refused(code, CL_INVALID_COMMAND_QUEUE)?, is_inherited);
    for queue in objects.queues {
        equal!(works_or_is_refused(cx.clFinish(queue), CL_INVALID_COMMAND_QUEUE)?, is_inherited);
    }
    equal!(works_or_is_refused(cx.clReleaseMemObject(objects.buffer), CL_INVALID_MEM_OBJECT)?, is_inherited);
    equal!(works_or_is_refused(cx.clReleaseKernel(kernel), CL_INVALID_KERNEL)?, is_inherited);
    equal!(works_or_is_refused(cx.clReleaseCommandQueue(queue), CL_INVALID_COMMAND_QUEUE)?, is_inherited);
    Ok(())
}

fn child_while_others_work(cx: &Ctx) -> Outcome {
    let shared = Shared(cx, Objects::new(cx)?);
    let (stop, rounds) = (AtomicBool::new(false), AtomicU32::new(0));
    let busy = |shared: &Shared, seed: u32| -> Outcome {
        while !stop.load(Ordering::Relaxed) {
            match seed {
                0 => from_the_beginning(shared.0, seed)?,
                _ => shared.1.contend(shared.0)?,
            }
            rounds.fetch_add(1, Ordering::Relaxed);
        }
        Ok(())
    };
    std::thread::scope(|scope| {
        let start = |seed| {
            let (shared, busy) = (&shared, &busy);
            scope.spawn(move || busy(shared, seed))
        };
        let threads: Vec<_> = (0..3).map(start).collect();
        let mut result = Ok(());
        for round in 0..160 {
            result = in_child("while others work", || {
                // The platform and its device are valid even if all other objects are not.
                let kind = query!(cx.clGetDeviceInfo(cx.device, CL_DEVICE_TYPE)).value::<cl_ulong>()?;
                equal!(kind, CL_DEVICE_TYPE_CPU);
                if round % 8 != 1 {
                    inherited(cx, &shared.1)?;
                }
                if round % 8 < 2 { from_the_beginning(cx, round) } else { Ok(()) }
            });
            if result.is_err() {
                break;
            }
        }
        stop.store(true, Ordering::Relaxed);
        for thread in threads {
            thread.join().unwrap_or_else(|_| failed("thread", "it panicked"))?;
        }
        result
    })?;
    holds!(rounds.into_inner() > 0);
    from_the_beginning(cx, 9)
}

/// Tests a fork while a thread is in a call that does not end. The child cannot use earlier objects, but can create
/// new ones.
fn child_while_a_thread_waits(cx: &Ctx) -> Outcome {
    let shared = Shared(cx, Objects::new(cx)?);
    let gate = cx.user_event()?.expose_provenance();
    let gate = || std::ptr::with_exposed_provenance_mut(gate);
    let shared = &shared;
    std::thread::scope(|scope| {
        let waiting = scope.spawn(move || -> Outcome {
            let (cx, gate) = (shared.0, gate());
            ok!(cx.clWaitForEvents(1, &gate));
            Ok(())
        });
        std::thread::sleep(std::time::Duration::from_millis(100));
        let result = in_child("while a thread waits", || {
            inherited(cx, &shared.1)?;
            if cx.is_vendor() {
                fails!(CL_INVALID_EVENT, cx.clSetUserEventStatus(gate(), CL_COMPLETE));
            }
            from_the_beginning(cx, 3)?;
            in_child("its child", || from_the_beginning(cx, 4))
        });
        ok!(cx.clSetUserEventStatus(gate(), CL_COMPLETE));
        waiting.join().unwrap_or_else(|_| failed("thread", "it panicked"))?;
        result
    })?;
    shared.1.work(cx, 8)
}

/// Returns the resident memory of this process in bytes.
fn resident() -> Outcome<usize> {
    let text = std::fs::read_to_string("/proc/self/statm").unwrap_or_default();
    let pages = text.split_whitespace().nth(1).and_then(|pages| pages.parse::<usize>().ok());
    pages.map(|pages| pages * 4096).ok_or_else(|| Failure::Failed("statm says nothing".into()))
}

/// Tests that a child does not copy released memory. A parent may keep released memory for its next allocation;
/// after a fork, its writes to this memory must not create copies for the child.
fn child_has_nothing_that_was_released(cx: &Ctx) -> Outcome {
    const SIZE: usize = 96 << 20;
    Objects::new(cx)?;
    let before = resident()?;
    for _ in 0..2 {
        let buffer = make!(cx.clCreateBuffer(cx.context, 0, SIZE, null_mut()));
        let pattern = raw(&mut [7u32]);
        ok!(cx.clEnqueueFillBuffer(cx.queue, buffer, pattern, 4, 0, SIZE, 0, null(), null_mut()));
        ok!(cx.clFinish(cx.queue));
        ok!(cx.clReleaseMemObject(buffer));
    }
    in_child("after a release", || {
        let now = resident()?;
        if now < before + SIZE / 2 { Ok(()) } else { failed("resident", &format!("{before}, then {now}")) }
    })
}
