//! Tests of kernels that fault: their events, dependent commands, and the queue afterwards.

use std::ffi::{CStr, c_char, c_void};
use std::ptr::{null, null_mut};
use std::sync::Mutex;

use cl_sys::*;

use crate::check::Outcome;
use crate::context::Ctx;
use crate::{equal, fails, holds, make, ok, query, tests};

tests! {
    "test_events":
        a_faulting_kernel_fails_its_event_and_those_that_wait, queues_live_on_after_a_fault,
        the_context_hears_of_a_fault;
}

const SOURCE: &str = "kernel void fault(ulong at) { if (get_global_id(0) == 5) *(global int *)at = 1; }
kernel void fill(global int *out) { out[get_global_id(0)] = 3; }";

const RANGE: [usize; 1] = [64];

/// Enqueues a kernel with 64 work-items that waits for `waits`.
fn enqueue(cx: &Ctx, queue: cl_command_queue, kernel: cl_kernel, waits: &[cl_event]) -> Outcome<cl_event> {
    let mut event = null_mut();
    let list = if waits.is_empty() { null() } else { waits.as_ptr() };
    let (global, count) = (RANGE.as_ptr(), waits.len() as cl_uint);
    ok!(cx.clEnqueueNDRangeKernel(queue, kernel, 1, null(), global, null(), count, list, &mut event));
    Ok(event)
}

fn faulty(cx: &Ctx) -> Outcome<cl_kernel> {
    let kernel = cx.kernel(SOURCE, "fault")?;
    let at: cl_ulong = 16;
    ok!(cx.clSetKernelArg(kernel, 0, 8, (&raw const at).cast()));
    Ok(kernel)
}

fn filling(cx: &Ctx, buffer: cl_mem) -> Outcome<cl_kernel> {
    let kernel = cx.kernel(SOURCE, "fill")?;
    ok!(cx.clSetKernelArg(kernel, 0, 8, (&raw const buffer).cast()));
    Ok(kernel)
}

fn status(cx: &Ctx, event: cl_event) -> Outcome<cl_int> {
    query!(cx.clGetEventInfo(event, CL_EVENT_COMMAND_EXECUTION_STATUS)).value::<cl_int>()
}

fn a_faulting_kernel_fails_its_event_and_those_that_wait(cx: &Ctx) -> Outcome {
    let kernel = faulty(cx)?;
    let buffer = cx.buffer(&[0i32; 64])?;
    let fill = filling(cx, buffer)?;
    for properties in [0, CL_QUEUE_OUT_OF_ORDER_EXEC_MODE_ENABLE] {
        let queue = cx.queue(properties)?;
        let bad = enqueue(cx, queue, kernel, &[])?;
        let waiting = enqueue(cx, queue, fill, &[bad])?;
        let waiting_longer = enqueue(cx, queue, fill, &[waiting])?;
        fails!(CL_EXEC_STATUS_ERROR_FOR_EVENTS_IN_WAIT_LIST, cx.clWaitForEvents(1, &bad));
        ok!(cx.clFinish(queue));
        equal!(status(cx, bad)?, CL_OUT_OF_RESOURCES);
        equal!(status(cx, waiting)?, CL_EXEC_STATUS_ERROR_FOR_EVENTS_IN_WAIT_LIST);
        equal!(status(cx, waiting_longer)?, CL_EXEC_STATUS_ERROR_FOR_EVENTS_IN_WAIT_LIST);
        // A blocking command that waits for the kernel fails.
        let mut data = [9i32; 64];
        let (size, to) = (size_of_val(&data), data.as_mut_ptr().cast());
        fails!(
            CL_EXEC_STATUS_ERROR_FOR_EVENTS_IN_WAIT_LIST,
            cx.clEnqueueReadBuffer(queue, buffer, CL_TRUE, 0, size, to, 1, &bad, null_mut())
        );
        equal!(data, [9; 64]);
        for event in [bad, waiting, waiting_longer] {
            ok!(cx.clReleaseEvent(event));
        }
        ok!(cx.clReleaseCommandQueue(queue));
    }
    // No dependent command has run.
    equal!(cx.contents::<i32>(buffer, 64)?, vec![0; 64]);
    ok!(cx.clReleaseMemObject(buffer));
    Ok(())
}

fn queues_live_on_after_a_fault(cx: &Ctx) -> Outcome {
    let kernel = faulty(cx)?;
    let buffer = cx.buffer(&[0i32; 64])?;
    let fill = filling(cx, buffer)?;
    for properties in [0, CL_QUEUE_OUT_OF_ORDER_EXEC_MODE_ENABLE] {
        let queue = cx.queue(properties)?;
        for _ in 0..20 {
            let bad = enqueue(cx, queue, kernel, &[])?;
            let good = enqueue(cx, queue, fill, &[])?;
            ok!(cx.clFlush(queue));
            ok!(cx.clWaitForEvents(1, &good));
            ok!(cx.clFinish(queue));
            equal!(status(cx, good)?, CL_COMPLETE);
            holds!(status(cx, bad)? < 0);
            ok!(cx.clReleaseEvent(bad));
            ok!(cx.clReleaseEvent(good));
        }
        ok!(cx.clReleaseCommandQueue(queue));
    }
    equal!(cx.contents::<i32>(buffer, 64)?, vec![3; 64]);
    ok!(cx.clReleaseMemObject(buffer));
    Ok(())
}

/// Messages that the context's callback received.
static MESSAGES: Mutex<Vec<String>> = Mutex::new(Vec::new());

unsafe extern "C" fn record_message(
    text: *const c_char,
    _blob: *const c_void,
    _size: usize,
    _data: *mut c_void,
) {
    // SAFETY: the runtime passes a string.
    let text = unsafe { CStr::from_ptr(text) }.to_string_lossy().into_owned();
    if let Ok(mut messages) = MESSAGES.lock() {
        messages.push(text);
    }
}

/// Returns the range of global ids, in the first dimension, of the work-items that the message names. Work-items
/// that run together are reported together.
fn blamed(text: &str) -> Option<(u64, u64)> {
    let ids = text.split("work-item").nth(1)?.split_once('(')?.1.split(',').next()?;
    let (first, last) = ids.split_once(" to ").unwrap_or((ids, ids));
    Some((first.parse().ok()?, last.parse().ok()?))
}

fn the_context_hears_of_a_fault(cx: &Ctx) -> Outcome {
    let context = make!(cx.clCreateContext(null(), 1, &cx.device, Some(record_message), null_mut()));
    let queue = make!(cx.clCreateCommandQueue(context, cx.device, 0));
    let text = crate::context::c_string(SOURCE);
    let program = make!(cx.clCreateProgramWithSource(context, 1, &mut text.as_ptr(), null()));
    ok!(cx.clBuildProgram(program, 1, &cx.device, null(), None, null_mut()));
    let kernel = make!(cx.clCreateKernel(program, c"fault".as_ptr()));
    let at: cl_ulong = 16;
    ok!(cx.clSetKernelArg(kernel, 0, 8, (&raw const at).cast()));
    let event = enqueue(cx, queue, kernel, &[])?;
    ok!(cx.clFinish(queue));
    holds!(status(cx, event)? < 0);
    let messages = MESSAGES.lock().map(|messages| messages.concat()).unwrap_or_default();
    holds!(messages.contains("kernel fault") && messages.contains(":1, work-item"));
    holds!(blamed(&messages).is_some_and(|(first, last)| (first..=last).contains(&5)));
    holds!(messages.contains("write to address 0x10"));
    Ok(())
}
