//! Tests of profiling.

use std::ptr::{null, null_mut};

use cl_sys::*;

use crate::check::Outcome;
use crate::context::{Ctx, raw};
use crate::{equal, fails, holds, ok, query, query_fails, tests};

tests! {
    "test_profiling":
        read_array_int, write_array_int, copy_array, copy_partial_array, marker_times, waiting_shows,
        negative_profiling, profiling_of_errors;
}

const TIMES: [cl_uint; 5] = [
    CL_PROFILING_COMMAND_QUEUED,
    CL_PROFILING_COMMAND_SUBMIT,
    CL_PROFILING_COMMAND_START,
    CL_PROFILING_COMMAND_END,
    CL_PROFILING_COMMAND_COMPLETE,
];

/// Returns the times of a command, and checks that they are in order.
fn times(cx: &Ctx, event: cl_event) -> Outcome<[cl_ulong; 5]> {
    let mut times = [0; 5];
    for (time, name) in times.iter_mut().zip(TIMES) {
        *time = query!(cx.clGetEventProfilingInfo(event, name)).value::<cl_ulong>()?;
    }
    holds!(times[0] != 0);
    holds!(times.is_sorted());
    Ok(times)
}

fn profiled(cx: &Ctx) -> Outcome<cl_command_queue> {
    cx.queue(CL_QUEUE_PROFILING_ENABLE)
}

fn read_array_int(cx: &Ctx) -> Outcome {
    let queue = profiled(cx)?;
    let buffer = cx.buffer(&vec![1u8; 1 << 22])?;
    let mut data = vec![0u8; 1 << 22];
    let mut event = null_mut();
    let target = raw(&mut data);
    ok!(cx.clEnqueueReadBuffer(queue, buffer, CL_TRUE, 0, 1 << 22, target, 0, null(), &mut event));
    let times = times(cx, event)?;
    // Copying four megabytes takes a measurable time, but less than a second.
    holds!((10_000..1_000_000_000).contains(&(times[3] - times[2])));
    Ok(())
}

fn write_array_int(cx: &Ctx) -> Outcome {
    let queue = profiled(cx)?;
    let buffer = cx.empty_buffer(4096)?;
    let mut data = vec![0u8; 4096];
    let mut event = null_mut();
    ok!(cx.clEnqueueWriteBuffer(queue, buffer, CL_FALSE, 0, 4096, raw(&mut data), 0, null(), &mut event));
    ok!(cx.clWaitForEvents(1, &event));
    times(cx, event)?;
    Ok(())
}

fn copies(cx: &Ctx, size: usize) -> Outcome {
    let queue = profiled(cx)?;
    let (a, b) = (cx.empty_buffer(4096)?, cx.empty_buffer(4096)?);
    let mut events = [null_mut(); 3];
    for event in &mut events {
        ok!(cx.clEnqueueCopyBuffer(queue, a, b, 0, 4096 - size, size, 0, null(), event));
    }
    ok!(cx.clFinish(queue));
    let all: Vec<_> = events.iter().map(|&event| times(cx, event)).collect::<Outcome<_>>()?;
    // In an in-order queue a command begins after the previous one has ended.
    for pair in all.windows(2) {
        holds!(pair[1][0] >= pair[0][0]);
        holds!(pair[1][2] >= pair[0][3]);
    }
    Ok(())
}

fn copy_array(cx: &Ctx) -> Outcome {
    copies(cx, 4096)
}

fn copy_partial_array(cx: &Ctx) -> Outcome {
    copies(cx, 100)
}

fn marker_times(cx: &Ctx) -> Outcome {
    let queue = profiled(cx)?;
    let mut event = null_mut();
    ok!(cx.clEnqueueMarkerWithWaitList(queue, 0, null(), &mut event));
    ok!(cx.clFinish(queue));
    times(cx, event)?;
    Ok(())
}

fn waiting_shows(cx: &Ctx) -> Outcome {
    let queue = profiled(cx)?;
    let buffer = cx.empty_buffer(64)?;
    let gate = cx.user_event()?;
    let mut event = null_mut();
    ok!(cx.clEnqueueFillBuffer(queue, buffer, [1u8].as_ptr().cast(), 1, 0, 64, 1, &gate, &mut event));
    ok!(cx.clFlush(queue));
    std::thread::sleep(std::time::Duration::from_millis(20));
    query_fails!(
        CL_PROFILING_INFO_NOT_AVAILABLE,
        cx.clGetEventProfilingInfo(event, CL_PROFILING_COMMAND_QUEUED)
    );
    ok!(cx.clSetUserEventStatus(gate, CL_COMPLETE));
    ok!(cx.clWaitForEvents(1, &event));
    let times = times(cx, event)?;
    holds!(times[2] - times[0] >= 15_000_000);
    holds!(times[1] - times[0] < 15_000_000);
    Ok(())
}

fn negative_profiling(cx: &Ctx) -> Outcome {
    let buffer = cx.empty_buffer(64)?;
    let enqueue = |queue| -> Outcome<cl_event> {
        let mut event = null_mut();
        ok!(cx.clEnqueueFillBuffer(queue, buffer, [1u8].as_ptr().cast(), 1, 0, 64, 0, null(), &mut event));
        ok!(cx.clFinish(queue));
        Ok(event)
    };
    let plain = enqueue(cx.queue)?;
    let user = cx.user_event()?;
    for event in [plain, user] {
        query_fails!(
            CL_PROFILING_INFO_NOT_AVAILABLE,
            cx.clGetEventProfilingInfo(event, CL_PROFILING_COMMAND_END)
        );
    }
    let event = enqueue(profiled(cx)?)?;
    query_fails!(CL_INVALID_VALUE, cx.clGetEventProfilingInfo(event, 0xdead));
    let mut time = 0u64;
    let value = (&raw mut time).cast();
    fails!(
        CL_INVALID_VALUE,
        cx.clGetEventProfilingInfo(event, CL_PROFILING_COMMAND_END, 4, value, null_mut())
    );
    equal!(time, 0);
    Ok(())
}

fn profiling_of_errors(cx: &Ctx) -> Outcome {
    let queue = profiled(cx)?;
    let gate = cx.user_event()?;
    ok!(cx.clSetUserEventStatus(gate, -1));
    let mut event = null_mut();
    ok!(cx.clEnqueueMarkerWithWaitList(queue, 1, &gate, &mut event));
    ok!(cx.clFinish(queue));
    query_fails!(
        CL_PROFILING_INFO_NOT_AVAILABLE,
        cx.clGetEventProfilingInfo(event, CL_PROFILING_COMMAND_END)
    );
    Ok(())
}
