//! Tests of queues on the device and of kernels that enqueue kernels.

use std::ptr::{null, null_mut};

use cl_sys::*;

use crate::check::{Failure, Outcome};
use crate::context::{Ctx, raw};
use crate::{equal, fails, holds, make, make_fails, ok, query, query_fails, tests};

tests! {
    "test_device_execution":
        device_queue_info, negative_device_queue, device_queues_are_not_hosts, default_device_queue, negative_queue_arg,
        enqueue_forms, enqueue_flags, ranges_of_children, events_on_device, failed_user_event, event_times,
        parent_ends_after_children, recursion_by_enqueue, breadth_by_enqueue, children_in_parallel,
        captured_values, blocks_of_functions, blocks_of_other_units, enqueue_error_codes, queue_is_full,
        forgotten_user_event, fault_of_child, binary_enqueues, enqueue_on_sub_device;
}

const VERSION_2: &str = "-cl-std=CL2.0";
const ON_DEVICE: u64 = 1 << 2;
const ON_DEVICE_DEFAULT: u64 = 1 << 3;
const OUT_OF_ORDER: u64 = CL_QUEUE_OUT_OF_ORDER_EXEC_MODE_ENABLE;
const PROPERTIES: u64 = 0x1093;
const SIZE: cl_uint = 0x1094;
const DEVICE_DEFAULT: cl_uint = 0x1095;
const MAX_SIZE: cl_uint = 0x1050;
const COMMAND_COMPLETE: cl_uint = 0x1284;

fn has_queues(cx: &Ctx) -> Outcome {
    let queues = query!(cx.clGetDeviceInfo(cx.device, CL_DEVICE_MAX_ON_DEVICE_QUEUES)).value::<cl_uint>()?;
    if queues == 0 { Err(Failure::Skipped("the device has no queues of its own".into())) } else { Ok(()) }
}

fn queue_of(cx: &Ctx, list: &[u64]) -> Outcome<cl_command_queue> {
    Ok(make!(cx.clCreateCommandQueueWithProperties(cx.context, cx.device, list.as_ptr())))
}

/// Creates the default queue on the device.
fn default_queue(cx: &Ctx) -> Outcome<cl_command_queue> {
    has_queues(cx)?;
    queue_of(cx, &[PROPERTIES, ON_DEVICE | ON_DEVICE_DEFAULT | OUT_OF_ORDER, 0])
}

/// Runs `kernel void k(global int *out, int n)` of a program and returns the first entries of `out`, which was
/// initialized with 0.
fn run(cx: &Ctx, source: &str, n: cl_int, items: usize, entries: usize) -> Outcome<Vec<cl_int>> {
    run_with(cx, source, VERSION_2, n, items, entries)
}

fn run_with(
    cx: &Ctx,
    source: &str,
    options: &str,
    n: cl_int,
    items: usize,
    entries: usize,
) -> Outcome<Vec<cl_int>> {
    let kernel = cx.kernel_with(source, options, "k")?;
    let out = cx.buffer(&vec![0 as cl_int; entries])?;
    cx.arg(kernel, 0, out)?;
    cx.arg(kernel, 1, n)?;
    cx.launch(kernel, items, None)?;
    let found = cx.contents::<cl_int>(out, entries)?;
    ok!(cx.clReleaseKernel(kernel));
    ok!(cx.clReleaseMemObject(out));
    Ok(found)
}

fn device_queue_info(cx: &Ctx) -> Outcome {
    has_queues(cx)?;
    let queue = queue_of(cx, &[PROPERTIES, ON_DEVICE | OUT_OF_ORDER, SIZE.into(), 100_000, 0])?;
    equal!(query!(cx.clGetCommandQueueInfo(queue, SIZE)).value::<cl_uint>()?, 100_000);
    let flags = query!(cx.clGetCommandQueueInfo(queue, CL_QUEUE_PROPERTIES)).value::<cl_ulong>()?;
    equal!(flags, ON_DEVICE | OUT_OF_ORDER);
    equal!(query!(cx.clGetCommandQueueInfo(queue, CL_QUEUE_CONTEXT)).value::<cl_context>()?, cx.context);
    equal!(query!(cx.clGetCommandQueueInfo(queue, CL_QUEUE_DEVICE)).value::<cl_device_id>()?, cx.device);
    equal!(query!(cx.clGetCommandQueueInfo(queue, CL_QUEUE_REFERENCE_COUNT)).value::<cl_uint>()?, 1);
    let preferred = query!(cx.clGetDeviceInfo(cx.device, CL_DEVICE_QUEUE_ON_DEVICE_PREFERRED_SIZE));
    let other = queue_of(cx, &[PROPERTIES, ON_DEVICE | OUT_OF_ORDER, 0])?;
    equal!(query!(cx.clGetCommandQueueInfo(other, SIZE)).value::<cl_uint>()?, preferred.value()?);
    let most = query!(cx.clGetDeviceInfo(cx.device, MAX_SIZE)).value::<cl_uint>()?;
    let large = queue_of(cx, &[PROPERTIES, ON_DEVICE | OUT_OF_ORDER, SIZE.into(), most.into(), 0])?;
    equal!(query!(cx.clGetCommandQueueInfo(large, SIZE)).value::<cl_uint>()?, most);
    query_fails!(CL_INVALID_COMMAND_QUEUE, cx.clGetCommandQueueInfo(cx.queue, SIZE));
    for queue in [queue, other, large] {
        ok!(cx.clRetainCommandQueue(queue));
        ok!(cx.clReleaseCommandQueue(queue));
        ok!(cx.clReleaseCommandQueue(queue));
    }
    Ok(())
}

fn negative_device_queue(cx: &Ctx) -> Outcome {
    has_queues(cx)?;
    let most = query!(cx.clGetDeviceInfo(cx.device, MAX_SIZE)).value::<cl_uint>()?;
    for list in [
        // Queues on the device must be out of order.
        vec![PROPERTIES, ON_DEVICE, 0],
        vec![PROPERTIES, ON_DEVICE_DEFAULT | OUT_OF_ORDER, 0],
        vec![PROPERTIES, ON_DEVICE_DEFAULT, 0],
        // Queues of the host have no size.
        vec![PROPERTIES, OUT_OF_ORDER, SIZE.into(), 16384, 0],
        vec![SIZE.into(), 16384, 0],
        vec![PROPERTIES, ON_DEVICE | OUT_OF_ORDER | 1 << 20, 0],
    ] {
        make_fails!(
            CL_INVALID_VALUE,
            cx.clCreateCommandQueueWithProperties(cx.context, cx.device, list.as_ptr())
        );
    }
    let list = [PROPERTIES, ON_DEVICE | OUT_OF_ORDER, SIZE.into(), u64::from(most) + 1, 0];
    make_fails!(
        CL_INVALID_QUEUE_PROPERTIES,
        cx.clCreateCommandQueueWithProperties(cx.context, cx.device, list.as_ptr())
    );
    make_fails!(CL_INVALID_VALUE, cx.clCreateCommandQueue(cx.context, cx.device, ON_DEVICE | OUT_OF_ORDER));
    Ok(())
}

fn device_queues_are_not_hosts(cx: &Ctx) -> Outcome {
    let (queue, wrong) = (default_queue(cx)?, CL_INVALID_COMMAND_QUEUE);
    let buffer = cx.empty_buffer(64)?;
    let kernel = cx.kernel("kernel void k(void) {}", "k")?;
    let mut data = [0u8; 4];
    let to = raw(&mut data);
    fails!(wrong, cx.clFlush(queue));
    fails!(wrong, cx.clFinish(queue));
    fails!(wrong, cx.clEnqueueReadBuffer(queue, buffer, CL_TRUE, 0, 4, to, 0, null(), null_mut()));
    fails!(wrong, cx.clEnqueueFillBuffer(queue, buffer, to, 4, 0, 4, 0, null(), null_mut()));
    fails!(wrong, cx.clEnqueueNDRangeKernel(queue, kernel, 1, null(), &1, null(), 0, null(), null_mut()));
    fails!(wrong, cx.clEnqueueTask(queue, kernel, 0, null(), null_mut()));
    fails!(wrong, cx.clEnqueueMarkerWithWaitList(queue, 0, null(), null_mut()));
    fails!(wrong, cx.clEnqueueBarrierWithWaitList(queue, 0, null(), null_mut()));
    fails!(wrong, cx.clEnqueueMigrateMemObjects(queue, 1, &buffer, 0, 0, null(), null_mut()));
    Ok(())
}

fn default_device_queue(cx: &Ctx) -> Outcome {
    has_queues(cx)?;
    let source = "kernel void k(global int *out, int n) { out[0] = get_default_queue() != CLK_NULL_QUEUE; }";
    let of = |queue| query!(cx.clGetCommandQueueInfo(queue, DEVICE_DEFAULT)).value::<cl_command_queue>();
    equal!(run(cx, source, 0, 1, 1)?[0], 0);
    equal!(of(cx.queue)?, null_mut());
    let first = default_queue(cx)?;
    equal!(run(cx, source, 0, 1, 1)?[0], 1);
    equal!(of(cx.queue)?, first);
    // There is one default queue. Creating it again returns the same one.
    equal!(default_queue(cx)?, first);
    equal!(query!(cx.clGetCommandQueueInfo(first, CL_QUEUE_REFERENCE_COUNT)).value::<cl_uint>()?, 2);
    ok!(cx.clReleaseCommandQueue(first));
    let second = queue_of(cx, &[PROPERTIES, ON_DEVICE | OUT_OF_ORDER, 0])?;
    ok!(cx.clSetDefaultDeviceCommandQueue(cx.context, cx.device, second));
    equal!(of(cx.queue)?, second);
    let (wrong, other) = (CL_INVALID_COMMAND_QUEUE, cx.sibling()?);
    fails!(CL_INVALID_CONTEXT, cx.clSetDefaultDeviceCommandQueue(null_mut(), cx.device, second));
    fails!(CL_INVALID_DEVICE, cx.clSetDefaultDeviceCommandQueue(cx.context, null_mut(), second));
    fails!(wrong, cx.clSetDefaultDeviceCommandQueue(cx.context, cx.device, null_mut()));
    fails!(wrong, cx.clSetDefaultDeviceCommandQueue(cx.context, cx.device, cx.queue));
    fails!(wrong, cx.clSetDefaultDeviceCommandQueue(other.context, cx.device, second));
    equal!(of(cx.queue)?, second);
    ok!(cx.clReleaseCommandQueue(second));
    equal!(of(cx.queue)?, null_mut());
    ok!(cx.clReleaseCommandQueue(first));
    Ok(())
}

fn negative_queue_arg(cx: &Ctx) -> Outcome {
    let right = default_queue(cx)?;
    let source = "kernel void k(queue_t q, global int *out) {
            *out = q == get_default_queue();
            enqueue_kernel(q, CLK_ENQUEUE_FLAGS_NO_WAIT, ndrange_1D(1), ^{ out[1] = 7; });
        }";
    let kernel = cx.kernel_with(source, VERSION_2, "k")?;
    let wrong = CL_INVALID_DEVICE_QUEUE;
    let set =
        |queue: *mut std::ffi::c_void, size| cx.clSetKernelArg(kernel, 0, size, (&raw const queue).cast());
    let whole = size_of::<cl_command_queue>();
    equal!(set(null_mut(), whole), wrong);
    equal!(set(cx.queue, whole), wrong);
    equal!(set(cx.context, whole), wrong);
    equal!(set(cx.empty_buffer(4)?, whole), wrong);
    fails!(wrong, cx.clSetKernelArg(kernel, 0, whole, null()));
    for size in [0, 4, 16] {
        equal!(set(right, size), CL_INVALID_ARG_SIZE);
    }
    let other = cx.sibling()?;
    equal!(set(default_queue(&other)?, whole), CL_INVALID_CONTEXT);
    let out = cx.buffer(&[0 as cl_int; 2])?;
    cx.arg(kernel, 1, out)?;
    let launch = || cx.clEnqueueNDRangeKernel(cx.queue, kernel, 1, null(), &1, null(), 0, null(), null_mut());
    equal!(launch(), CL_INVALID_KERNEL_ARGS);
    ok!(set(right, whole));
    ok!(launch());
    equal!(cx.contents::<cl_int>(out, 2)?, vec![1, 7]);
    // A pending command keeps its queue alive, a kernel argument does not.
    ok!(launch());
    ok!(cx.clReleaseCommandQueue(right));
    ok!(cx.clFinish(cx.queue));
    equal!(launch(), CL_INVALID_KERNEL_ARGS);
    Ok(())
}

fn enqueue_forms(cx: &Ctx) -> Outcome {
    default_queue(cx)?;
    let source = "
        kernel void k(global int *out, int n) {
            queue_t q = get_default_queue();
            clk_event_t first, second;
            int a = enqueue_kernel(q, CLK_ENQUEUE_FLAGS_NO_WAIT, ndrange_1D(4), ^{ out[get_global_id(0)] = n; });
            int b = enqueue_kernel(q, CLK_ENQUEUE_FLAGS_NO_WAIT, ndrange_1D(4), 0, NULL, &first,
                ^{ out[4 + get_global_id(0)] = n + 1; });
            int c = enqueue_kernel(q, CLK_ENQUEUE_FLAGS_NO_WAIT, ndrange_1D(8, 8), 1, &first, &second,
                ^(local void *p, local void *q) {
                    local int *mine = p;
                    local double *numbers = q;
                    size_t i = get_local_id(0);
                    mine[i] = i;
                    numbers[i] = 2 * i;
                    barrier(CLK_LOCAL_MEM_FENCE);
                    out[8 + i] = mine[7 - i] + (int)numbers[7 - i] + out[4];
                }, 8 * sizeof(int), 64ul);
            int d = enqueue_kernel(q, CLK_ENQUEUE_FLAGS_WAIT_KERNEL, ndrange_1D(1),
                ^(local void *p) { *(local int *)p = 5; out[16] = *(local int *)p; }, (uchar)4);
            out[17] = a | b | c | d;
            out[18] = is_valid_event(first) && is_valid_event(second);
            release_event(first);
            release_event(second);
            out[19] = is_valid_event(CLK_NULL_EVENT);
        }";
    let found = run(cx, source, 40, 1, 20)?;
    let mut expected = vec![40; 4];
    expected.extend([41; 4]);
    expected.extend((0..8).map(|i| 3 * (7 - i) + 41));
    expected.extend([5, 0, 1, 0]);
    equal!(found, expected);
    Ok(())
}

/// Tests that a child kernel sees all memory writes of its parent, or of the parent's work-group.
fn enqueue_flags(cx: &Ctx) -> Outcome {
    default_queue(cx)?;
    let source = "
        kernel void k(global int *out, int n) {
            size_t id = get_global_id(0), size = get_global_size(0), group = get_group_id(0), local_size = 16;
            queue_t q = get_default_queue();
            if (id == 0)
                enqueue_kernel(q, CLK_ENQUEUE_FLAGS_WAIT_KERNEL, ndrange_1D(1), ^{
                    int sum = 0;
                    for (size_t i = 0; i < size; ++i)
                        sum += out[i];
                    out[size] = sum;
                });
            if (get_local_id(0) == 0)
                enqueue_kernel(q, CLK_ENQUEUE_FLAGS_WAIT_WORK_GROUP, ndrange_1D(1), ^{
                    int sum = 0;
                    for (size_t i = 0; i < local_size; ++i)
                        sum += out[group * local_size + i];
                    out[size + 1 + group] = sum;
                });
            barrier(CLK_GLOBAL_MEM_FENCE);
            out[id] = n;
        }";
    let kernel = cx.kernel_with(source, VERSION_2, "k")?;
    let (items, groups) = (16 * 200, 200);
    let out = cx.buffer(&vec![0 as cl_int; items + groups + 1])?;
    cx.arg(kernel, 0, out)?;
    cx.arg(kernel, 1, 3 as cl_int)?;
    cx.launch(kernel, items, Some(16))?;
    let found = cx.contents::<cl_int>(out, items + groups + 1)?;
    equal!(found[items], 3 * items as cl_int);
    holds!(found[items + 1..].iter().all(|&sum| sum == 3 * 16));
    Ok(())
}

fn ranges_of_children(cx: &Ctx) -> Outcome {
    default_queue(cx)?;
    let source = "
        void note(global int *out) {
            int i = atomic_inc(out);
            global int *to = out + 1 + 0 * i;
            for (int d = 0; d < 3; ++d) {
                to[d] = get_global_size(d);
                to[3 + d] = get_enqueued_local_size(d);
                to[6 + d] = get_global_offset(d);
            }
            to[9] = get_work_dim();
        }
        kernel void k(global int *out, int n) {
            size_t offset[3] = { 5, 6, 7 }, size[3] = { 4, 6, 8 }, group[3] = { 2, 3, 4 };
            ndrange_t range = n == 0 ? ndrange_1D(10) : ndrange_1D(1);
            if (n == 1) range = ndrange_1D(10, 4);
            if (n == 2) range = ndrange_1D(3, 10, 5);
            if (n == 3) range = ndrange_2D(size);
            if (n == 4) range = ndrange_2D(size, group);
            if (n == 5) range = ndrange_2D(offset, size, group);
            if (n == 6) range = ndrange_3D(size);
            if (n == 7) range = ndrange_3D(size, group);
            if (n == 8) range = ndrange_3D(offset, size, group);
            enqueue_kernel(get_default_queue(), CLK_ENQUEUE_FLAGS_WAIT_KERNEL, range, ^{ note(out); });
        }";
    for n in 0..9 {
        let found = run(cx, source, n, 1, 11)?;
        let dimensions = n as usize / 3 + 1;
        let (has_local, has_offset) = (n % 3 > 0, n % 3 == 2);
        let (mut size, mut local, mut offset) = ([1; 3], [1; 3], [0; 3]);
        if dimensions == 1 {
            size[0] = 10;
            local[0] = if has_offset { 5 } else { 4 };
            offset[0] = 3;
        }
        for d in 0..dimensions {
            if dimensions > 1 {
                (size[d], local[d], offset[d]) = ([4, 6, 8][d], [2, 3, 4][d], [5, 6, 7][d]);
            }
        }
        if !has_offset {
            offset = [0; 3];
        }
        equal!(found[0], size.iter().product::<cl_int>());
        equal!(found[1..4].to_vec(), size.to_vec());
        if has_local {
            equal!(found[4..7].to_vec(), local.to_vec());
        }
        equal!(found[7..10].to_vec(), offset.to_vec());
        equal!(found[10], dimensions as cl_int);
    }
    Ok(())
}

fn events_on_device(cx: &Ctx) -> Outcome {
    default_queue(cx)?;
    let source = "
        kernel void k(global int *out, int n) {
            queue_t q = get_default_queue();
            clk_event_t gate = create_user_event(), steps[4], all, done;
            for (int i = 0; i < 4; ++i)
                enqueue_kernel(q, CLK_ENQUEUE_FLAGS_NO_WAIT, ndrange_1D(1), 1, &gate, &steps[i],
                    ^{ out[i] = atomic_inc(out + 8) + 1; });
            out[5] = enqueue_marker(q, 4, steps, &all);
            enqueue_kernel(q, CLK_ENQUEUE_FLAGS_NO_WAIT, ndrange_1D(1), 1, &all, &done, ^{ out[6] = out[8]; });
            out[7] = out[8];
            retain_event(gate);
            release_event(gate);
            set_user_event_status(gate, CL_COMPLETE);
            out[9] = is_valid_event(gate);
            release_event(gate);
            out[10] = is_valid_event(gate);
            for (int i = 0; i < 4; ++i)
                release_event(steps[i]);
            release_event(all);
            release_event(done);
        }";
    let found = run(cx, source, 0, 1, 11)?;
    let mut order = found[..4].to_vec();
    order.sort_unstable();
    equal!(order, vec![1, 2, 3, 4]);
    equal!(found[5..].to_vec(), vec![0, 4, 0, 4, 1, 0]);
    Ok(())
}

fn failed_user_event(cx: &Ctx) -> Outcome {
    default_queue(cx)?;
    let source = "
        kernel void k(global int *out, int n) {
            queue_t q = get_default_queue();
            clk_event_t gate = create_user_event(), next;
            enqueue_kernel(q, CLK_ENQUEUE_FLAGS_NO_WAIT, ndrange_1D(1), 1, &gate, &next, ^{ out[0] = 1; });
            enqueue_kernel(q, CLK_ENQUEUE_FLAGS_NO_WAIT, ndrange_1D(1), 1, &next, NULL, ^{ out[1] = 1; });
            enqueue_kernel(q, CLK_ENQUEUE_FLAGS_NO_WAIT, ndrange_1D(1), ^{ out[2] = 1; });
            set_user_event_status(gate, -5);
            release_event(gate);
            release_event(next);
        }";
    equal!(run(cx, source, 0, 1, 3)?, vec![0, 0, 1]);
    Ok(())
}

fn event_times(cx: &Ctx) -> Outcome {
    default_queue(cx)?;
    let source = "
        kernel void k(global int *out, int n) {
            queue_t q = get_default_queue();
            global ulong *times = (global ulong *)out;
            clk_event_t busy;
            enqueue_kernel(q, CLK_ENQUEUE_FLAGS_NO_WAIT, ndrange_1D(1), 0, NULL, &busy, ^{
                enqueue_kernel(get_default_queue(), CLK_ENQUEUE_FLAGS_WAIT_KERNEL, ndrange_1D(1), ^{
                    for (int i = 0; i < 100000; ++i)
                        atomic_inc(out + 8);
                });
            });
            capture_event_profiling_info(busy, CLK_PROFILING_COMMAND_EXEC_TIME, times);
            enqueue_kernel(q, CLK_ENQUEUE_FLAGS_NO_WAIT, ndrange_1D(1), 1, &busy, NULL, ^{
                capture_event_profiling_info(busy, CLK_PROFILING_COMMAND_EXEC_TIME, times + 2);
            });
        }";
    let found = run(cx, source, 0, 1, 10)?;
    let time = |i: usize| u64::from(found[2 * i] as u32) | u64::from(found[2 * i + 1] as u32) << 32;
    holds!(time(0) > 0 && time(1) > time(0));
    equal!([time(2), time(3)], [time(0), time(1)]);
    equal!(found[8], 100_000);
    Ok(())
}

fn parent_ends_after_children(cx: &Ctx) -> Outcome {
    default_queue(cx)?;
    let source = "kernel void k(global int *out, int n) {
            enqueue_kernel(get_default_queue(), CLK_ENQUEUE_FLAGS_WAIT_KERNEL, ndrange_1D(1), ^{
                for (int i = 0; i < n; ++i)
                    atomic_inc(out);
            });
        }";
    let kernel = cx.kernel_with(source, VERSION_2, "k")?;
    let (n, out) = (200_000 as cl_int, cx.buffer(&[0 as cl_int])?);
    cx.arg(kernel, 0, out)?;
    cx.arg(kernel, 1, n)?;
    let queue = cx.queue(CL_QUEUE_PROFILING_ENABLE)?;
    let mut event = null_mut();
    ok!(cx.clEnqueueNDRangeKernel(queue, kernel, 1, null(), &1, null(), 0, null(), &mut event));
    ok!(cx.clWaitForEvents(1, &event));
    equal!(cx.contents::<cl_int>(out, 1)?[0], n);
    let time = |name| query!(cx.clGetEventProfilingInfo(event, name)).value::<cl_ulong>();
    let (start, end) = (time(CL_PROFILING_COMMAND_START)?, time(CL_PROFILING_COMMAND_END)?);
    holds!(start <= end && end < time(COMMAND_COMPLETE)?);
    Ok(())
}

fn recursion_by_enqueue(cx: &Ctx) -> Outcome {
    default_queue(cx)?;
    let source = "
        void step(global int *out, int n, int flags) {
            atomic_inc(out);
            if (n > 1) {
                void (^next)(void) = ^{ step(out, n - 1, flags); };
                if (enqueue_kernel(get_default_queue(), flags, ndrange_1D(1), next) != CLK_SUCCESS)
                    out[1] = 1;
            }
        }
        kernel void k(global int *out, int n) {
            step(out, n, CLK_ENQUEUE_FLAGS_WAIT_KERNEL);
            step(out + 2, n, CLK_ENQUEUE_FLAGS_NO_WAIT);
            step(out + 4, n, CLK_ENQUEUE_FLAGS_WAIT_WORK_GROUP);
        }";
    equal!(run(cx, source, 1000, 1, 6)?, vec![1000, 0, 1000, 0, 1000, 0]);
    equal!(run(cx, source, 20_000, 1, 6)?, vec![20_000, 0, 20_000, 0, 20_000, 0]);
    Ok(())
}

fn breadth_by_enqueue(cx: &Ctx) -> Outcome {
    default_queue(cx)?;
    let source = "
        kernel void k(global int *out, int n) {
            int id = get_global_id(0);
            int status = enqueue_kernel(get_default_queue(), n, ndrange_1D(1), ^{ atomic_add(out, id); });
            if (status != CLK_SUCCESS)
                atomic_inc(out + 1);
        }";
    for flags in 0..3 {
        let found = run(cx, source, flags, 100_000, 2)?;
        equal!(found, vec![(0..100_000).fold(0 as cl_int, |sum, id| sum.wrapping_add(id)), 0]);
    }
    Ok(())
}

/// Tests two children that wait for each other to begin, which requires a device with two compute units.
fn children_in_parallel(cx: &Ctx) -> Outcome {
    default_queue(cx)?;
    let units = query!(cx.clGetDeviceInfo(cx.device, CL_DEVICE_MAX_COMPUTE_UNITS)).value::<cl_uint>()?;
    if units < 2 {
        return Err(Failure::Skipped("the device has one compute unit".into()));
    }
    let source = "
        void meet(volatile global int *out, int me) {
            atomic_inc(out);
            // A few seconds at most.
            for (long i = 0; i < 1000000000 && atomic_or(out, 0) < 2; ++i)
                ;
            out[1 + me] = atomic_or(out, 0);
        }
        kernel void k(global int *out, int n) {
            enqueue_kernel(get_default_queue(), n, ndrange_1D(1), ^{ meet(out, 0); });
            enqueue_kernel(get_default_queue(), n, ndrange_1D(1), ^{ meet(out, 1); });
        }";
    for flags in 0..3 {
        equal!(run(cx, source, flags, 1, 3)?, vec![2, 2, 2]);
    }
    Ok(())
}

fn captured_values(cx: &Ctx) -> Outcome {
    default_queue(cx)?;
    let source = "
        typedef struct { char a; double16 b; int c[3]; } things;
        constant int table[3] = { 7, 8, 9 };
        global int counter = 5;
        kernel void k(global int *out, int n) {
            things t;
            t.a = 1;
            t.b = (double16)(2.0);
            t.c[2] = 3;
            float3 v = (float3)(4, 5, 6);
            half h = 0.5h;
            global int *p = out + 1;
            for (int i = 0; i < 3; ++i)
                enqueue_kernel(get_default_queue(), CLK_ENQUEUE_FLAGS_WAIT_KERNEL, ndrange_1D(1), ^{
                    p[i] = t.a + (int)t.b.sf + t.c[2] + (int)v.z + (int)(2 * h) + table[i] + n;
                    atomic_inc(&counter);
                    if (i == 2)
                        enqueue_kernel(get_default_queue(), CLK_ENQUEUE_FLAGS_WAIT_KERNEL, ndrange_1D(1), ^{
                            out[4] = counter + (int)v.x + i;
                        });
                });
            // What is changed later is not what was captured.
            t.a = 100;
            v = 0;
            out[0] = 1;
        }";
    let found = run(cx, source, 1000, 1, 5)?;
    equal!(found[..4].to_vec(), vec![1, 1020, 1021, 1022]);
    // The child of the third kernel may run before the others have counted.
    holds!((5 + 1 + 4 + 2..=5 + 3 + 4 + 2).contains(&found[4]));
    Ok(())
}

fn blocks_of_functions(cx: &Ctx) -> Outcome {
    default_queue(cx)?;
    let source = "
        void (^constant at_program_scope)(void) = ^{ };
        global int result;
        void (^constant writes)(void) = ^{ atomic_add(&result, 10); };
        int give(void (^block)(void)) {
            return enqueue_kernel(get_default_queue(), CLK_ENQUEUE_FLAGS_WAIT_KERNEL, ndrange_1D(3), block);
        }
        int both(void (^block)(void)) { block(); return give(block); }
        kernel void k(global int *out, int n) {
            void (^add)(void) = ^{ atomic_add(out, n); };
            out[1] = give(add) | both(add) | give(^{ atomic_inc(out + 2); });
            give(writes);
            give(at_program_scope);
            enqueue_kernel(get_default_queue(), CLK_ENQUEUE_FLAGS_WAIT_KERNEL, ndrange_1D(1), writes);
            out[4] = get_kernel_work_group_size(add) > 0;
            out[5] = get_kernel_preferred_work_group_size_multiple(add) > 0;
            out[6] = get_kernel_work_group_size(^(local void *p) { }) > 0;
        }
        kernel void see(global int *out, int n) { out[3] = result; }";
    let program = cx.program_with(source, VERSION_2)?;
    let out = cx.buffer(&[0 as cl_int; 7])?;
    for name in [c"k", c"see"] {
        let kernel = make!(cx.clCreateKernel(program, name.as_ptr()));
        cx.arg(kernel, 0, out)?;
        cx.arg(kernel, 1, 2 as cl_int)?;
        cx.launch(kernel, 1, None)?;
    }
    equal!(cx.contents::<cl_int>(out, 7)?, vec![14, 0, 3, 40, 1, 1, 1]);
    // Blocks are not kernels of the program.
    equal!(query!(cx.clGetProgramInfo(program, CL_PROGRAM_NUM_KERNELS)).value::<usize>()?, 2);
    equal!(query!(cx.clGetProgramInfo(program, CL_PROGRAM_KERNEL_NAMES)).string()?, "k;see".to_owned());
    make_fails!(CL_INVALID_KERNEL_NAME, cx.clCreateKernel(program, c"block in k".as_ptr()));
    let mut count = 0;
    ok!(cx.clCreateKernelsInProgram(program, 0, null_mut(), &mut count));
    equal!(count, 2);
    Ok(())
}

fn compiled(cx: &Ctx, text: &str) -> Outcome<cl_program> {
    let program = cx.source(text)?;
    ok!(cx.clCompileProgram(
        program,
        1,
        &cx.device,
        c"-cl-std=CL2.0".as_ptr(),
        0,
        null_mut(),
        null_mut(),
        None,
        null_mut()
    ));
    Ok(program)
}

fn blocks_of_other_units(cx: &Ctx) -> Outcome {
    default_queue(cx)?;
    let units = [
        compiled(
            cx,
            "int give(void (^block)(void)) {
                return enqueue_kernel(get_default_queue(), CLK_ENQUEUE_FLAGS_WAIT_KERNEL, ndrange_1D(3), block);
            }
            int give_local(void (^block)(local void *)) {
                return enqueue_kernel(get_default_queue(), CLK_ENQUEUE_FLAGS_NO_WAIT, ndrange_1D(1), block, 16);
            }",
        )?,
        compiled(
            cx,
            "int give(void (^block)(void));
            int give_local(void (^block)(local void *));
            global int unused[100];
            kernel void k(global int *out, int n) {
                out[1] = give(^{ atomic_add(out, n); });
                out[2] = give_local(^(local void *p) { *(local int *)p = n; out[3] = *(local int *)p; });
            }",
        )?,
    ];
    let mut code = 1;
    let (options, devices) = (null(), &cx.device);
    let program =
        cx.clLinkProgram(cx.context, 1, devices, options, 2, units.as_ptr(), None, null_mut(), &mut code);
    equal!(code, CL_SUCCESS);
    let kernel = make!(cx.clCreateKernel(program, c"k".as_ptr()));
    let out = cx.buffer(&[0 as cl_int; 4])?;
    cx.arg(kernel, 0, out)?;
    cx.arg(kernel, 1, 5 as cl_int)?;
    cx.launch(kernel, 1, None)?;
    equal!(cx.contents::<cl_int>(out, 4)?, vec![15, 0, 0, 5]);
    Ok(())
}

/// Tests the error codes of enqueue_kernel. Without `-g` all errors have the same code.
fn enqueue_error_codes(cx: &Ctx) -> Outcome {
    default_queue(cx)?;
    let source = "
        kernel void k(global int *out, int n) {
            queue_t q = get_default_queue();
            ndrange_t one = ndrange_1D(1);
            clk_event_t event = create_user_event(), made;
            set_user_event_status(event, CL_COMPLETE);
            size_t size[3] = { 4, 0, 4 };
            int flags = CLK_ENQUEUE_FLAGS_NO_WAIT;
            out[0] = enqueue_kernel((queue_t)CLK_NULL_QUEUE, flags, one, ^{ });
            out[1] = enqueue_kernel(q, flags, ndrange_1D(0), ^{ });
            out[2] = enqueue_kernel(q, flags, ndrange_1D(100000, 100000), ^{ });
            out[3] = enqueue_kernel(q, flags, ndrange_3D(size), ^{ });
            out[4] = enqueue_kernel(q, flags, one, 1, NULL, &made, ^{ });
            out[5] = enqueue_kernel(q, flags, one, 0, &event, &made, ^{ });
            release_event(event);
            out[6] = enqueue_kernel(q, flags, one, 1, &event, &made, ^{ });
            out[7] = enqueue_kernel(q, flags, one, ^(local void *p) { }, 0);
            out[8] = enqueue_kernel(q, flags, one, ^(local void *p) { }, 0x40000000);
            out[9] = enqueue_marker((queue_t)CLK_NULL_QUEUE, 0, NULL, &made);
            out[10] = enqueue_marker(q, 0, NULL, &made);
            out[11] = enqueue_marker(q, 1, &event, NULL);
            out[12] = enqueue_kernel(q, flags, one, ^{ out[13] = 1; });
            out[14] = enqueue_kernel(q, flags, one, 0xffffffff, &event, &made, ^{ });
        }";
    let failure = -101;
    let mut expected = vec![failure; 11];
    expected.extend([0, 0, 1, failure]);
    equal!(run(cx, source, 0, 1, 15)?, expected);
    let (queue, range, list, arg, resources) = (-102, -160, -57, -51, -5);
    let expected = vec![queue, range, range, range, list, list, list, arg, resources];
    let found = run_with(cx, source, "-cl-std=CL2.0 -g", 0, 1, 15)?;
    equal!(found[..9].to_vec(), expected);
    // With two errors, either code may be returned.
    holds!([queue, list].contains(&found[9]));
    equal!(found[10..].to_vec(), vec![list, 0, 0, 1, list]);
    let uneven = "
        kernel void k(global int *out, int n) {
            out[0] = enqueue_kernel(get_default_queue(), 0, ndrange_1D(10, 4), ^{ out[1] = 1; });
        }";
    equal!(run_with(cx, uneven, "-cl-std=CL2.0 -g -cl-uniform-work-group-size", 0, 1, 2)?, vec![range, 0]);
    equal!(run_with(cx, uneven, "-cl-std=CL2.0 -g", 0, 1, 2)?, vec![0, 1]);
    Ok(())
}

/// Tests that a kernel that enqueues endlessly gets an error before memory is exhausted.
fn queue_is_full(cx: &Ctx) -> Outcome {
    default_queue(cx)?;
    let source = "
        kernel void k(global int *out, int n) {
            clk_event_t gate = create_user_event();
            int status = CLK_SUCCESS;
            long count = 0;
            for (; status == CLK_SUCCESS && count < 100000000; ++count)
                status = enqueue_kernel(get_default_queue(), 0, ndrange_1D(1), 1, &gate, NULL, ^{ atomic_inc(out); });
            out[1] = count - 1;
            out[2] = status;
            set_user_event_status(gate, CL_COMPLETE);
            release_event(gate);
        }";
    let found = run_with(cx, source, "-cl-std=CL2.0 -g", 0, 1, 3)?;
    equal!(found[2], -161);
    equal!(found[0], found[1]);
    holds!(found[0] >= 100_000);
    Ok(())
}

/// Checks that the kernel of `source` fails and that the queue continues to work.
fn fails_well(cx: &Ctx, source: &str) -> Outcome {
    let kernel = cx.kernel_with(source, VERSION_2, "k")?;
    let out = cx.buffer(&[0 as cl_int; 4])?;
    cx.arg(kernel, 0, out)?;
    cx.arg(kernel, 1, 0 as cl_int)?;
    let event = cx.launch(kernel, 1, None)?;
    fails!(CL_EXEC_STATUS_ERROR_FOR_EVENTS_IN_WAIT_LIST, cx.clWaitForEvents(1, &event));
    holds!(cx.status(event)? < 0);
    let alive = "kernel void k(global int *out, int n) { out[0] = 3; }";
    equal!(run(cx, alive, 0, 1, 1)?[0], 3);
    Ok(())
}

fn forgotten_user_event(cx: &Ctx) -> Outcome {
    default_queue(cx)?;
    fails_well(
        cx,
        "kernel void k(global int *out, int n) {
            clk_event_t gate = create_user_event();
            enqueue_kernel(get_default_queue(), 0, ndrange_1D(1), 1, &gate, NULL, ^{ out[0] = 1; });
        }",
    )
}

fn fault_of_child(cx: &Ctx) -> Outcome {
    default_queue(cx)?;
    fails_well(
        cx,
        "kernel void k(global int *out, int n) {
            enqueue_kernel(get_default_queue(), 0, ndrange_1D(1), ^{
                global int *nowhere = (global int *)16ul;
                enqueue_kernel(get_default_queue(), 1, ndrange_1D(1), ^{ out[1] = 1; });
                *nowhere = 1;
            });
        }",
    )
}

fn binary_enqueues(cx: &Ctx) -> Outcome {
    default_queue(cx)?;
    let source = "
        global int used[3] = { 1, 2, 3 };
        kernel void other(global int *out) { out[0] = used[1]; }
        kernel void k(global int *out, int n) {
            int m = n + 1;
            enqueue_kernel(get_default_queue(), 1, ndrange_1D(2), ^(local void *p) {
                *(local int *)p = m;
                out[get_global_id(0)] = *(local int *)p + used[2];
            }, 4);
        }";
    let program = cx.program_with(source, VERSION_2)?;
    let size = query!(cx.clGetProgramInfo(program, CL_PROGRAM_BINARY_SIZES)).value::<usize>()?;
    let mut binary = vec![0u8; size];
    let mut pointers = [binary.as_mut_ptr()];
    let room = size_of_val(&pointers);
    ok!(cx.clGetProgramInfo(program, CL_PROGRAM_BINARIES, room, pointers.as_mut_ptr().cast(), null_mut()));
    let mut status = 1;
    let mut first = binary.as_ptr();
    let again =
        make!(cx.clCreateProgramWithBinary(cx.context, 1, &cx.device, &size, &mut first, &mut status));
    ok!(cx.clBuildProgram(again, 1, &cx.device, null(), None, null_mut()));
    let kernel = make!(cx.clCreateKernel(again, c"k".as_ptr()));
    let out = cx.buffer(&[0 as cl_int; 2])?;
    cx.arg(kernel, 0, out)?;
    cx.arg(kernel, 1, 6 as cl_int)?;
    cx.launch(kernel, 1, None)?;
    equal!(cx.contents::<cl_int>(out, 2)?, vec![10, 10]);
    Ok(())
}

fn enqueue_on_sub_device(cx: &Ctx) -> Outcome {
    has_queues(cx)?;
    let list = [CL_DEVICE_PARTITION_EQUALLY as isize, 1, 0];
    let mut count = 0;
    if cx.clCreateSubDevices(cx.device, list.as_ptr(), 0, null_mut(), &mut count) != CL_SUCCESS {
        return Err(Failure::Skipped("the device cannot be divided".into()));
    }
    let mut devices = vec![null_mut(); count as usize];
    ok!(cx.clCreateSubDevices(cx.device, list.as_ptr(), count, devices.as_mut_ptr(), null_mut()));
    let sub = cx.on(devices[0])?;
    default_queue(&sub)?;
    let source = "kernel void k(global int *out, int n) {
            enqueue_kernel(get_default_queue(), 2, ndrange_1D(100), ^{ atomic_add(out, n); });
        }";
    equal!(run(&sub, source, 3, 50, 1)?, vec![100 * 50 * 3]);
    Ok(())
}
