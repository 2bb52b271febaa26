//! Tests of commands that run concurrently, of the times of all kinds of commands, and of events that outlive their
//! queue.

use std::ffi::c_void;
use std::ptr::{null, null_mut};
use std::sync::atomic::{AtomicI32, AtomicU32, Ordering};
use std::time::{Duration, Instant};

use cl_sys::*;

use super::codes_enqueue::{Call, functions, world};
use crate::check::{Failure, Outcome};
use crate::context::Ctx;
use crate::{equal, fails, holds, make, ok, query, query_fails, tests};

tests! {
    "test_events":
        out_of_order_commands_meet, queues_meet, events_outlive_queue_and_context,
        release_queue_with_gated_work, failures_of_every_command, callbacks_in_order;
    "test_profiling":
        times_of_every_command, times_of_every_gated_command, times_in_the_callback;
}

const OUT_OF_ORDER: cl_ulong = CL_QUEUE_OUT_OF_ORDER_EXEC_MODE_ENABLE;

/// Numbers of commands that have arrived, and that have seen all others arrive.
static ARRIVED: AtomicU32 = AtomicU32::new(0);
static MET: AtomicU32 = AtomicU32::new(0);

/// Waits until two commands have arrived, with a time limit.
unsafe extern "C" fn meet(_args: *mut c_void) {
    ARRIVED.fetch_add(1, Ordering::SeqCst);
    let start = Instant::now();
    while start.elapsed() < Duration::from_secs(10) {
        if ARRIVED.load(Ordering::SeqCst) >= 2 {
            MET.fetch_add(1, Ordering::SeqCst);
            return;
        }
        std::thread::yield_now();
    }
}

fn native(
    cx: &Ctx,
    queue: cl_command_queue,
    function: unsafe extern "C" fn(*mut c_void),
) -> Outcome<cl_event> {
    let mut event = null_mut();
    let (function, none) = (Some(function), null_mut());
    ok!(cx.clEnqueueNativeKernel(queue, function, null_mut(), 0, 0, null(), none, 0, null(), &mut event));
    Ok(event)
}

/// Runs two native kernels that only end if they run concurrently.
fn both_meet(cx: &Ctx, queues: [cl_command_queue; 2]) -> Outcome {
    let units = query!(cx.clGetDeviceInfo(cx.device, CL_DEVICE_MAX_COMPUTE_UNITS)).value::<cl_uint>()?;
    if units < 2 {
        return Err(Failure::Skipped(String::from("one command at a time")));
    }
    ARRIVED.store(0, Ordering::SeqCst);
    MET.store(0, Ordering::SeqCst);
    let events = [native(cx, queues[0], meet)?, native(cx, queues[1], meet)?];
    for queue in queues {
        ok!(cx.clFlush(queue));
    }
    ok!(cx.clWaitForEvents(2, events.as_ptr()));
    equal!(MET.load(Ordering::SeqCst), 2);
    Ok(())
}

fn out_of_order_commands_meet(cx: &Ctx) -> Outcome {
    let queue = cx.queue(OUT_OF_ORDER)?;
    both_meet(cx, [queue, queue])
}

fn queues_meet(cx: &Ctx) -> Outcome {
    both_meet(cx, [cx.queue(0)?, cx.queue(0)?])
}

fn events_outlive_queue_and_context(cx: &Ctx) -> Outcome {
    for properties in [0, OUT_OF_ORDER, CL_QUEUE_PROFILING_ENABLE] {
        let context = make!(cx.clCreateContext(null(), 1, &cx.device, None, null_mut()));
        let queue = make!(cx.clCreateCommandQueue(context, cx.device, properties));
        let buffer = make!(cx.clCreateBuffer(context, CL_MEM_READ_WRITE, 64, null_mut()));
        let gate = make!(cx.clCreateUserEvent(context));
        let mut event = null_mut();
        let pattern = [1u8];
        ok!(cx.clEnqueueFillBuffer(queue, buffer, pattern.as_ptr().cast(), 1, 0, 64, 1, &gate, &mut event));
        ok!(cx.clReleaseMemObject(buffer));
        ok!(cx.clReleaseCommandQueue(queue));
        ok!(cx.clReleaseContext(context));
        // The event still returns its queue.
        let from = query!(cx.clGetEventInfo(event, CL_EVENT_COMMAND_QUEUE)).value::<cl_command_queue>()?;
        equal!(from, queue);
        equal!(query!(cx.clGetEventInfo(event, CL_EVENT_CONTEXT)).value::<cl_context>()?, context);
        equal!(query!(cx.clGetEventInfo(gate, CL_EVENT_CONTEXT)).value::<cl_context>()?, context);
        ok!(cx.clSetUserEventStatus(gate, CL_COMPLETE));
        ok!(cx.clReleaseEvent(gate));
        ok!(cx.clWaitForEvents(1, &event));
        equal!(cx.status(event)?, CL_COMPLETE);
        if properties == CL_QUEUE_PROFILING_ENABLE {
            query!(cx.clGetEventProfilingInfo(event, CL_PROFILING_COMMAND_END)).value::<cl_ulong>()?;
        }
        ok!(cx.clReleaseEvent(event));
        if cx.is_vendor() {
            fails!(CL_INVALID_COMMAND_QUEUE, cx.clFinish(queue));
            // The context is destroyed with the last event, as soon as no thread looks for work in it.
            let start = Instant::now();
            let ask = || cx.clGetContextInfo(context, CL_CONTEXT_DEVICES, 0, null_mut(), null_mut());
            while ask() == CL_SUCCESS && start.elapsed() < Duration::from_secs(10) {
                std::thread::yield_now();
            }
            fails!(CL_INVALID_CONTEXT, ask());
        }
    }
    Ok(())
}

fn release_queue_with_gated_work(cx: &Ctx) -> Outcome {
    for properties in [0, OUT_OF_ORDER] {
        let queue = cx.queue(properties)?;
        let buffer = cx.buffer(&[0u32; 8])?;
        let gate = cx.user_event()?;
        for i in 0..8u32 {
            let (pattern, at) = ((&raw const i).cast(), i as usize * 4);
            ok!(cx.clEnqueueFillBuffer(queue, buffer, pattern, 4, at, 4, 1, &gate, null_mut()));
        }
        let mut last = null_mut();
        ok!(cx.clEnqueueMarkerWithWaitList(queue, 0, null(), &mut last));
        ok!(cx.clReleaseCommandQueue(queue));
        holds!(cx.status(last)? > CL_COMPLETE);
        ok!(cx.clSetUserEventStatus(gate, CL_COMPLETE));
        // Releasing a queue flushes it, so the commands complete without a wait.
        equal!(cx.poll(last, CL_COMPLETE)?, CL_COMPLETE);
        equal!(cx.contents::<u32>(buffer, 8)?, (0..8).collect::<Vec<u32>>());
    }
    Ok(())
}

const TIMES: [cl_uint; 4] = [
    CL_PROFILING_COMMAND_QUEUED,
    CL_PROFILING_COMMAND_SUBMIT,
    CL_PROFILING_COMMAND_START,
    CL_PROFILING_COMMAND_END,
];

fn times(cx: &Ctx, event: cl_event) -> Outcome<Vec<cl_ulong>> {
    let time = |&name| query!(cx.clGetEventProfilingInfo(event, name)).value::<cl_ulong>();
    TIMES.iter().map(time).collect()
}

/// Enqueues one command of each kind into a queue with profiling, waits for it and checks its times.
fn profile_all(cx: &Ctx, properties: cl_ulong, gated: bool) -> Outcome {
    let queue = cx.queue(properties | CL_QUEUE_PROFILING_ENABLE)?;
    let mut last = 0;
    for function in functions() {
        let mut host = [0; 64];
        let world = world(cx, &mut host)?;
        let (gate, mut event) = (world.gate, null_mut());
        let (count, list) = if gated { (1, &raw const gate) } else { (0, null()) };
        let call = Call { queue, count, list, event: &mut event, ..world.call };
        equal!((function.enqueue)(&world.right, call), CL_SUCCESS);
        ok!(cx.clFlush(queue));
        if gated {
            for name in TIMES {
                query_fails!(CL_PROFILING_INFO_NOT_AVAILABLE, cx.clGetEventProfilingInfo(event, name));
            }
            ok!(cx.clSetUserEventStatus(gate, CL_COMPLETE));
        }
        // No time is available before the command is complete.
        query_fails!(CL_PROFILING_INFO_NOT_AVAILABLE, cx.clGetEventProfilingInfo(gate, TIMES[0]));
        ok!(cx.clWaitForEvents(1, &event));
        let times = times(cx, event)?;
        if !times.is_sorted() || times[0] < last || times[0] == 0 {
            return Err(Failure::Failed(format!("{}: times {times:?} after {last}", function.name)));
        }
        last = times[0];
        ok!(cx.clReleaseEvent(event));
        ok!(cx.clFinish(queue));
    }
    Ok(())
}

fn times_of_every_command(cx: &Ctx) -> Outcome {
    profile_all(cx, 0, false)?;
    profile_all(cx, OUT_OF_ORDER, false)
}

fn times_of_every_gated_command(cx: &Ctx) -> Outcome {
    profile_all(cx, 0, true)?;
    profile_all(cx, OUT_OF_ORDER, true)
}

fn failures_of_every_command(cx: &Ctx) -> Outcome {
    // The error of a user event reaches the commands that wait for it, in both kinds of queues, and no others.
    for properties in [0, OUT_OF_ORDER] {
        let queue = cx.queue(properties)?;
        for function in functions() {
            let mut host = [0; 64];
            let world = world(cx, &mut host)?;
            let (gate, mut event, mut after) = (world.gate, null_mut(), null_mut());
            let call = Call { queue, count: 1, list: &gate, event: &mut event, ..world.call };
            equal!((function.enqueue)(&world.right, call), CL_SUCCESS);
            ok!(cx.clEnqueueMarkerWithWaitList(queue, 0, null(), &mut after));
            ok!(cx.clFlush(queue));
            holds!(cx.status(event)? > CL_COMPLETE);
            ok!(cx.clSetUserEventStatus(gate, -77));
            let error = CL_EXEC_STATUS_ERROR_FOR_EVENTS_IN_WAIT_LIST;
            fails!(error, cx.clWaitForEvents(1, &event));
            equal!(cx.status(event)?, error);
            equal!(cx.status(gate)?, -77);
            ok!(cx.clWaitForEvents(1, &after));
            ok!(cx.clFinish(queue));
        }
    }
    Ok(())
}

/// Result of a callback: 1 for success, else a code.
static FOUND: AtomicI32 = AtomicI32::new(0);

unsafe extern "C" fn ask_times(event: cl_event, _status: cl_int, data: *mut c_void) {
    // SAFETY: the test waits for this call, and keeps the context until then.
    let cx = unsafe { &*data.cast::<Ctx>() };
    let sorted = times(cx, event).map(|times| times.is_sorted());
    FOUND.store(if matches!(sorted, Ok(true)) { 1 } else { -1 }, Ordering::SeqCst);
}

fn times_in_the_callback(cx: &Ctx) -> Outcome {
    // The times of a command are available as soon as its completion is reported.
    let queue = cx.queue(CL_QUEUE_PROFILING_ENABLE)?;
    for gated in [false, true] {
        let gate = cx.user_event()?;
        let (count, list) = if gated { (1, &raw const gate) } else { (0, null()) };
        let mut event = null_mut();
        ok!(cx.clEnqueueMarkerWithWaitList(queue, count, list, &mut event));
        FOUND.store(0, Ordering::SeqCst);
        let data = std::ptr::from_ref(cx).cast_mut().cast();
        ok!(cx.clSetEventCallback(event, CL_COMPLETE, Some(ask_times), data));
        ok!(cx.clSetUserEventStatus(gate, CL_COMPLETE));
        ok!(cx.clWaitForEvents(1, &event));
        let start = Instant::now();
        while FOUND.load(Ordering::SeqCst) == 0 && start.elapsed() < Duration::from_secs(10) {
            std::thread::yield_now();
        }
        equal!(FOUND.load(Ordering::SeqCst), 1);
    }
    Ok(())
}

static STATUSES: std::sync::Mutex<Vec<cl_int>> = std::sync::Mutex::new(Vec::new());

unsafe extern "C" fn note(_event: cl_event, status: cl_int, _data: *mut c_void) {
    STATUSES.lock().expect("nobody panics here").push(status);
}

fn callbacks_in_order(cx: &Ctx) -> Outcome {
    // Callbacks may be registered in any order. Each is called once, in the order of the states.
    for properties in [0, OUT_OF_ORDER] {
        let queue = cx.queue(properties)?;
        let (gate, mut event) = (cx.user_event()?, null_mut());
        ok!(cx.clEnqueueMarkerWithWaitList(queue, 1, &gate, &mut event));
        for status in [CL_COMPLETE, CL_SUBMITTED, CL_RUNNING] {
            ok!(cx.clSetEventCallback(event, status, Some(note), null_mut()));
        }
        ok!(cx.clSetUserEventStatus(gate, CL_COMPLETE));
        ok!(cx.clFinish(queue));
        let start = Instant::now();
        loop {
            let called = STATUSES.lock().expect("nobody panics here").clone();
            if called.len() == 3 || start.elapsed() > Duration::from_secs(10) {
                equal!(called, vec![CL_SUBMITTED, CL_RUNNING, CL_COMPLETE]);
                break;
            }
            std::thread::yield_now();
        }
        STATUSES.lock().expect("nobody panics here").clear();
    }
    Ok(())
}
