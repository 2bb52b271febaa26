//! Tests of panics inside the library, provoked by `GRUS_TEST=panic=PLACE`: a panic may fail the affected events,
//! but the process and its queues must continue to work.

use std::ptr::{null, null_mut};

use cl_sys::*;

use crate::check::{Failure, Outcome};
use crate::context::Ctx;
use crate::{equal, holds, ok, query, tests};

tests! {
    "test_events": bugs_of_the_library_fail_events_only;
}

/// Kernels that reach the places of the panics. Each has one argument, an array of integers.
const SOURCE: &str = "
kernel void prints(global int *out) { printf(\"%d\", 1); out[get_global_id(0)] = 1; }
uint long_way(uint x) {
    for (int i = 0; i < 80000; i++)
        x = x * 1664525 + 1013904223;
    return x | 1;
}
kernel void enqueues(global int *out) {
    if (get_global_id(0) < 100)
        enqueue_kernel(get_default_queue(), CLK_ENQUEUE_FLAGS_NO_WAIT, ndrange_1D(64),
                       ^{ out[get_global_id(0)] = long_way(get_global_id(0)); });
}
kernel void takes_long(global int *out) { out[get_global_id(0)] = long_way(get_global_id(0)); }
kernel void fill(global int *out) { out[get_global_id(0)] = 3; }";

/// Number of work-items of a launch.
const SIZE: usize = 1 << 14;

fn kernel(cx: &Ctx, name: &str, out: cl_mem) -> Outcome<cl_kernel> {
    let kernel = cx.kernel_with(SOURCE, "-cl-std=CL2.0", name)?;
    ok!(cx.clSetKernelArg(kernel, 0, 8, (&raw const out).cast()));
    Ok(kernel)
}

/// Returns the final statuses of a launch and of one that waits for it.
fn ends(cx: &Ctx, queue: cl_command_queue, kernel: cl_kernel, fill: cl_kernel) -> Outcome<[cl_int; 2]> {
    let (mut event, mut waiting) = (null_mut(), null_mut());
    ok!(cx.clEnqueueNDRangeKernel(queue, kernel, 1, null(), &SIZE, null(), 0, null(), &mut event));
    ok!(cx.clEnqueueNDRangeKernel(queue, fill, 1, null(), &64, null(), 1, &event, &mut waiting));
    ok!(cx.clFinish(queue));
    let status =
        |event| query!(cx.clGetEventInfo(event, CL_EVENT_COMMAND_EXECUTION_STATUS)).value::<cl_int>();
    let both = [status(event)?, status(waiting)?];
    ok!(cx.clReleaseEvent(event));
    ok!(cx.clReleaseEvent(waiting));
    Ok(both)
}

const FAILED: [cl_int; 2] = [CL_OUT_OF_RESOURCES, CL_EXEC_STATUS_ERROR_FOR_EVENTS_IN_WAIT_LIST];

fn bugs_of_the_library_fail_events_only(cx: &Ctx) -> Outcome {
    let asked = std::env::var("GRUS_TEST").unwrap_or_default();
    let Some(place) = asked.split(',').find_map(|part| part.strip_prefix("panic=")) else {
        return Err(Failure::Skipped("no bug is asked for".into()));
    };
    let units = query!(cx.clGetDeviceInfo(cx.device, CL_DEVICE_MAX_COMPUTE_UNITS)).value::<cl_uint>()?;
    let out = cx.buffer(&[0i32; SIZE])?;
    let fill = kernel(cx, "fill", out)?;
    let default_queue = [
        CL_QUEUE_PROPERTIES as cl_queue_properties,
        CL_QUEUE_OUT_OF_ORDER_EXEC_MODE_ENABLE | CL_QUEUE_ON_DEVICE | CL_QUEUE_ON_DEVICE_DEFAULT,
        0,
    ];
    let device_queue =
        crate::make!(cx.clCreateCommandQueueWithProperties(cx.context, cx.device, default_queue.as_ptr()));
    let name = match place {
        "helpers" => "prints",
        "enqueue" | "children" => "enqueues",
        "groups" => "takes_long",
        _ => "fill",
    };
    let bad = kernel(cx, name, out)?;
    let mut failures = 0;
    for properties in [0, CL_QUEUE_OUT_OF_ORDER_EXEC_MODE_ENABLE] {
        let queue = cx.queue(properties)?;
        for _ in 0..20 {
            let statuses = ends(cx, queue, bad, fill)?;
            match place {
                "helpers" | "enqueue" => equal!(statuses, FAILED),
                // The launch may end before a second thread has joined it.
                "children" | "groups" => holds!(statuses == FAILED || statuses == [CL_COMPLETE; 2]),
                _ => equal!(statuses, [CL_COMPLETE; 2]),
            }
            failures += usize::from(statuses == FAILED);
            // A launch that causes no panic.
            let mut event = null_mut();
            ok!(cx.clEnqueueNDRangeKernel(queue, fill, 1, null(), &64, null(), 0, null(), &mut event));
            ok!(cx.clFlush(queue));
            while query!(cx.clGetEventInfo(event, CL_EVENT_COMMAND_EXECUTION_STATUS)).value::<cl_int>()?
                > CL_COMPLETE
            {
                std::thread::yield_now();
            }
            ok!(cx.clWaitForEvents(1, &event));
            ok!(cx.clReleaseEvent(event));
        }
        ok!(cx.clReleaseCommandQueue(queue));
    }
    holds!(failures > 0 || place == "queue" || units == 1);
    equal!(cx.contents::<i32>(out, 64)?, vec![3; 64]);
    ok!(cx.clReleaseCommandQueue(device_queue));
    ok!(cx.clReleaseMemObject(out));
    Ok(())
}
