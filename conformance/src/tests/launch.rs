//! Tests of launches: ND-ranges, ids and sizes, and all error checks.

use std::ptr::{null, null_mut};

use cl_sys::*;

use crate::check::{Failure, Outcome};
use crate::context::{Ctx, EQUALLY};
use crate::{equal, fails, holds, make, ok, query, tests};

tests! {
    "test_api":
        enqueue_task, kernel_required_group_size, null_required_work_group_size, execute_kernel_local_sizes,
        release_kernel_order, release_during_execute, kernel_global_constant, negative_nd_range, launches_of_no_items,
        scope_of_a_group, negative_work_group_size, negative_enqueue_task, missing_arguments, too_much_local_memory,
        local_memory_of_a_chosen_size, memory_that_is_only_updated;
    "test_basic":
        work_item_functions, global_work_offsets, local_kernel_def, local_arg_def, barrier, constant, loops;
    "test_thread_dimensions":
        quick_1d_explicit_local, quick_2d_explicit_local, quick_3d_explicit_local, quick_1d_implicit_local,
        quick_3d_implicit_local;
    "test_non_uniform_work_group":
        non_uniform_1d_basic, non_uniform_needs_2_0;
    "test_device_partition":
        launch_on_sub_device, sub_devices_use_the_build_of_their_parent;
    "test_profiling":
        execute;
}

const SET: &str = "kernel void set(global int *a, int value) { a[get_global_id(0)] = value; }";

/// Launches `kernel` with these sizes. `offset` and `local` may be empty.
fn nd_range(cx: &Ctx, kernel: cl_kernel, offset: &[usize], global: &[usize], local: &[usize]) -> cl_int {
    let pointer = |list: &[usize]| if list.is_empty() { null() } else { list.as_ptr() };
    let dimensions = global.len() as cl_uint;
    let (offset, local) = (pointer(offset), pointer(local));
    let global = global.as_ptr();
    cx.clEnqueueNDRangeKernel(cx.queue, kernel, dimensions, offset, global, local, 0, null(), null_mut())
}

fn set_kernel(cx: &Ctx, size: usize) -> Outcome<(cl_kernel, cl_mem)> {
    let kernel = cx.kernel(SET, "set")?;
    let buffer = cx.buffer(&vec![0i32; size])?;
    cx.arg(kernel, 0, buffer)?;
    cx.arg(kernel, 1, 7i32)?;
    Ok((kernel, buffer))
}

const UPDATES: &str = r"
#define UPDATE(NAME, FUNCTION, TYPE, VALUE) \
    kernel void NAME(volatile global TYPE *z, uint count) { \
        uint i = get_global_id(0), at = i * 7 % count; TYPE value = VALUE; FUNCTION(&z[at], value); }
UPDATE(sum, atomic_add, int, i) UPDATE(difference, atomic_sub, uint, i) UPDATE(bits, atomic_or, uint, 1u << i % 29)
UPDATE(common, atomic_and, uint, ~(1u << i % 31)) UPDATE(parity, atomic_xor, int, i)
UPDATE(smallest, atomic_min, int, 1000 - (int)i) UPDATE(largest, atomic_max, uint, i + 5)
UPDATE(wide, atom_add, long, (long)i << 20)
kernel void seen(volatile global int *z, uint count) { uint i = get_global_id(0), at = i * 7 % count;
    if (atomic_add(&z[at], 1) == -1) atomic_add(&z[at], 100); }
kernel void two(volatile global int *y, volatile global int *z, uint count) { uint i = get_global_id(0);
    atomic_add(&y[i % count], 1); atomic_sub(&z[(i + 1) % count], 3); }";

/// Counters that many work-items update, as many as a thread may have copies of and more, by launches of few work-items
/// and of many.
fn memory_that_is_only_updated(cx: &Ctx) -> Outcome {
    type Update = fn(i64, i64) -> i64;
    let low = |value: i64| i64::from(value as u32);
    let updates: [(&str, i64, Update); 8] = [
        ("sum", 5, |z, i| z + i),
        ("difference", 5, |z, i| z - i),
        ("bits", 1 << 30, |z, i| z | 1 << (i % 29)),
        ("common", 0xffff_ffff, |z, i| z & !(1 << (i % 31))),
        ("parity", 3, |z, i| z ^ i),
        ("smallest", 100, |z, i| z.min(1000 - i)),
        ("largest", 2, |z, i| z.max(i + 5)),
        ("wide", -7, |z, i| z + (i << 20)),
    ];
    for (name, start, update) in updates {
        let kernel = cx.kernel(UPDATES, name)?;
        for count in [1, 40, 1000, 4096, 5000] {
            let is_wide = name == "wide";
            let buffer = if is_wide {
                cx.buffer(&vec![start; count])?
            } else {
                cx.buffer(&vec![start as u32; count])?
            };
            cx.arg(kernel, 0, buffer)?;
            cx.arg(kernel, 1, count as cl_uint)?;
            let mut expected = vec![start; count];
            for items in [100, 20_000, 4096, 65_536] {
                ok!(nd_range(cx, kernel, &[], &[items], &[]));
                for i in 0..items as i64 {
                    let z = &mut expected[i as usize * 7 % count];
                    *z = update(*z, i);
                }
            }
            let found: Vec<i64> = if is_wide {
                cx.contents::<i64>(buffer, count)?
            } else {
                cx.contents::<u32>(buffer, count)?.into_iter().map(i64::from).collect()
            };
            let expected: Vec<i64> = if is_wide { expected } else { expected.into_iter().map(low).collect() };
            equal!((name, count, found), (name, count, expected));
        }
    }
    let (seen, two) = (cx.kernel(UPDATES, "seen")?, cx.kernel(UPDATES, "two")?);
    let buffer = cx.buffer(&[-65_536i32; 1])?;
    cx.arg(seen, 0, buffer)?;
    cx.arg(seen, 1, 1 as cl_uint)?;
    ok!(nd_range(cx, seen, &[], &[65_536], &[]));
    equal!(cx.contents::<i32>(buffer, 1)?, vec![100]);
    // The same memory twice.
    let buffer = cx.buffer(&[0i32; 16])?;
    cx.arg(two, 0, buffer)?;
    cx.arg(two, 1, buffer)?;
    cx.arg(two, 2, 16 as cl_uint)?;
    ok!(nd_range(cx, two, &[], &[65_536], &[]));
    equal!(cx.contents::<i32>(buffer, 16)?, vec![-8192; 16]);
    Ok(())
}

fn enqueue_task(cx: &Ctx) -> Outcome {
    let (kernel, buffer) = set_kernel(cx, 2)?;
    let mut event = null_mut();
    ok!(cx.clEnqueueTask(cx.queue, kernel, 0, null(), &mut event));
    equal!(query!(cx.clGetEventInfo(event, CL_EVENT_COMMAND_TYPE)).value::<cl_uint>()?, CL_COMMAND_TASK);
    equal!(cx.contents::<i32>(buffer, 2)?, vec![7, 0]);
    Ok(())
}

fn negative_enqueue_task(cx: &Ctx) -> Outcome {
    let (kernel, _) = set_kernel(cx, 2)?;
    fails!(CL_INVALID_COMMAND_QUEUE, cx.clEnqueueTask(null_mut(), kernel, 0, null(), null_mut()));
    fails!(CL_INVALID_KERNEL, cx.clEnqueueTask(cx.queue, null_mut(), 0, null(), null_mut()));
    fails!(CL_INVALID_EVENT_WAIT_LIST, cx.clEnqueueTask(cx.queue, kernel, 1, null(), null_mut()));
    Ok(())
}

/// Kernel that writes the ids and sizes of each work-item.
const IDS: &str = "
    kernel void ids(global uint *out) {
        size_t i = (get_global_id(2) - get_global_offset(2)) * get_global_size(1) * get_global_size(0)
                 + (get_global_id(1) - get_global_offset(1)) * get_global_size(0)
                 + (get_global_id(0) - get_global_offset(0));
        out += i * 16;
        for (uint d = 0; d < 3; d++) {
            out[d] = get_global_id(d);
            out[3 + d] = get_local_id(d);
            out[6 + d] = get_group_id(d);
            out[9 + d] = get_local_size(d);
            out[12 + d] = get_num_groups(d);
        }
        out[15] = get_work_dim();
    }";

/// Launches `ids` and compares the results of each work-item. Without a local size, compares only values that do
/// not depend on it.
fn check_ids(cx: &Ctx, kernel: cl_kernel, offset: [usize; 3], global: &[usize], local: &[usize]) -> Outcome {
    let size = |list: &[usize], d: usize| list.get(d).copied().unwrap_or(1);
    let items = (0..3).map(|d| size(global, d)).product::<usize>();
    let buffer = cx.empty_buffer(items * 64)?;
    cx.arg(kernel, 0, buffer)?;
    ok!(nd_range(cx, kernel, &offset[..global.len()], global, local));
    let found = cx.contents::<u32>(buffer, items * 16)?;
    for (i, answers) in found.chunks_exact(16).enumerate() {
        let mut rest = i;
        for d in 0..3 {
            let id = rest % size(global, d);
            rest /= size(global, d);
            let start = if d < global.len() { offset[d] } else { 0 };
            equal!(answers[d] as usize, id + start);
            let (local_id, group, groups) = (answers[3 + d], answers[6 + d], answers[12 + d]);
            let local_size = if local.is_empty() { answers[9 + d] as usize } else { size(local, d) };
            equal!(answers[9 + d] as usize, local_size);
            equal!(local_id as usize, id % local_size);
            equal!(group as usize, id / local_size);
            equal!(groups as usize, size(global, d) / local_size);
        }
        equal!(answers[15] as usize, global.len());
    }
    ok!(cx.clReleaseMemObject(buffer));
    Ok(())
}

fn work_item_functions(cx: &Ctx) -> Outcome {
    let kernel = cx.kernel(IDS, "ids")?;
    check_ids(cx, kernel, [0; 3], &[64], &[16])?;
    check_ids(cx, kernel, [0; 3], &[12, 6], &[3, 2])?;
    check_ids(cx, kernel, [0; 3], &[6, 4, 8], &[2, 1, 4])
}

fn global_work_offsets(cx: &Ctx) -> Outcome {
    let kernel = cx.kernel(IDS, "ids")?;
    check_ids(cx, kernel, [5, 0, 0], &[8], &[4])?;
    check_ids(cx, kernel, [100, 7, 0], &[8, 4], &[4, 4])?;
    check_ids(cx, kernel, [1, 2, 3], &[4, 4, 4], &[])
}

fn quick_1d_explicit_local(cx: &Ctx) -> Outcome {
    let kernel = cx.kernel(IDS, "ids")?;
    for (global, local) in [(1, 1), (7, 7), (1000, 8), (1000, 1), (4096, 4096), (8192, 512), (997, 1)] {
        check_ids(cx, kernel, [0; 3], &[global], &[local])?;
    }
    Ok(())
}

fn quick_2d_explicit_local(cx: &Ctx) -> Outcome {
    let kernel = cx.kernel(IDS, "ids")?;
    for (global, local) in [([64, 64], [8, 8]), ([1, 300], [1, 3]), ([300, 1], [3, 1]), ([17, 13], [17, 13])]
    {
        check_ids(cx, kernel, [0; 3], &global, &local)?;
    }
    Ok(())
}

fn quick_3d_explicit_local(cx: &Ctx) -> Outcome {
    let kernel = cx.kernel(IDS, "ids")?;
    for (global, local) in [([16, 16, 16], [4, 4, 4]), ([1, 1, 64], [1, 1, 64]), ([5, 7, 3], [5, 1, 3])] {
        check_ids(cx, kernel, [0; 3], &global, &local)?;
    }
    Ok(())
}

fn quick_1d_implicit_local(cx: &Ctx) -> Outcome {
    let kernel = cx.kernel(IDS, "ids")?;
    for global in [1, 2, 3, 64, 100, 997, 4096, 10_007] {
        check_ids(cx, kernel, [0; 3], &[global], &[])?;
    }
    Ok(())
}

fn quick_3d_implicit_local(cx: &Ctx) -> Outcome {
    let kernel = cx.kernel(IDS, "ids")?;
    for global in [[1, 1, 1], [13, 1, 7], [16, 16, 16], [97, 3, 2]] {
        check_ids(cx, kernel, [0; 3], &global, &[])?;
    }
    Ok(())
}

fn execute_kernel_local_sizes(cx: &Ctx) -> Outcome {
    let (kernel, buffer) = set_kernel(cx, 512)?;
    for local in [1, 2, 4, 8, 16, 32, 64, 128, 256, 512] {
        ok!(nd_range(cx, kernel, &[], &[512], &[local]));
    }
    equal!(cx.contents::<i32>(buffer, 512)?, vec![7; 512]);
    Ok(())
}

const REQUIRED: &str = "kernel __attribute__((reqd_work_group_size(8, 1, 1))) void k(global uint *a) {
    a[get_global_id(0)] = get_local_size(0); }";

fn required(cx: &Ctx) -> Outcome<(cl_kernel, cl_mem)> {
    let kernel = cx.kernel(REQUIRED, "k")?;
    let buffer = cx.buffer(&[0u32; 32])?;
    cx.arg(kernel, 0, buffer)?;
    Ok((kernel, buffer))
}

fn kernel_required_group_size(cx: &Ctx) -> Outcome {
    let (kernel, buffer) = required(cx)?;
    ok!(nd_range(cx, kernel, &[], &[32], &[8]));
    equal!(cx.contents::<u32>(buffer, 32)?, vec![8; 32]);
    for local in [1, 4, 16, 32] {
        fails!(CL_INVALID_WORK_GROUP_SIZE, nd_range(cx, kernel, &[], &[32], &[local]));
    }
    fails!(CL_INVALID_WORK_GROUP_SIZE, nd_range(cx, kernel, &[], &[12], &[8]));
    fails!(CL_INVALID_WORK_GROUP_SIZE, nd_range(cx, kernel, &[], &[8, 2], &[8, 2]));
    Ok(())
}

fn null_required_work_group_size(cx: &Ctx) -> Outcome {
    let (kernel, buffer) = required(cx)?;
    ok!(nd_range(cx, kernel, &[], &[32], &[]));
    equal!(cx.contents::<u32>(buffer, 32)?, vec![8; 32]);
    fails!(CL_INVALID_WORK_GROUP_SIZE, nd_range(cx, kernel, &[], &[30], &[]));
    Ok(())
}

fn release_kernel_order(cx: &Ctx) -> Outcome {
    let (kernel, buffer) = set_kernel(cx, 4)?;
    ok!(nd_range(cx, kernel, &[], &[4], &[]));
    ok!(cx.clReleaseKernel(kernel));
    equal!(cx.contents::<i32>(buffer, 4)?, vec![7; 4]);
    Ok(())
}

fn release_during_execute(cx: &Ctx) -> Outcome {
    let mut host = vec![0i32; 4];
    let kernel = cx.kernel(SET, "set")?;
    let flags = CL_MEM_USE_HOST_PTR;
    let buffer = make!(cx.clCreateBuffer(cx.context, flags, 16, host.as_mut_ptr().cast()));
    cx.arg(kernel, 0, buffer)?;
    cx.arg(kernel, 1, 3i32)?;
    let gate = cx.user_event()?;
    let (global, mut event) = (4usize, null_mut());
    ok!(cx.clEnqueueNDRangeKernel(cx.queue, kernel, 1, null(), &global, null(), 1, &gate, &mut event));
    ok!(cx.clReleaseKernel(kernel));
    ok!(cx.clReleaseMemObject(buffer));
    ok!(cx.clSetUserEventStatus(gate, CL_COMPLETE));
    ok!(cx.clReleaseEvent(gate));
    ok!(cx.clWaitForEvents(1, &event));
    equal!(host, vec![3; 4]);
    Ok(())
}

fn kernel_global_constant(cx: &Ctx) -> Outcome {
    let source = "constant int table[4] = { 1, 10, 100, 1000 };
        kernel void k(global int *a) { size_t i = get_global_id(0); a[i] = table[i] * 2; }";
    let kernel = cx.kernel(source, "k")?;
    let buffer = cx.buffer(&[0i32; 4])?;
    cx.arg(kernel, 0, buffer)?;
    ok!(nd_range(cx, kernel, &[], &[4], &[]));
    equal!(cx.contents::<i32>(buffer, 4)?, vec![2, 20, 200, 2000]);
    Ok(())
}

/// Tests atomic operations with work-group scope in a work-group whose work is divided among several threads.
fn scope_of_a_group(cx: &Ctx) -> Outcome {
    let source = "kernel void k(global atomic_int *sum, int turns) {
            for (int i = 0; i < turns; i++)
                atomic_fetch_add_explicit(sum, 1, memory_order_relaxed, memory_scope_work_group);
        }";
    let kernel = cx.kernel_with(source, "-cl-std=CL2.0", "k")?;
    let (size, turns) = (1024, 100_000);
    cx.arg(kernel, 1, turns)?;
    for _ in 0..5 {
        let buffer = cx.buffer(&[0i32])?;
        cx.arg(kernel, 0, buffer)?;
        ok!(nd_range(cx, kernel, &[], &[size], &[size]));
        equal!(cx.contents::<i32>(buffer, 1)?, vec![turns * size as i32]);
    }
    Ok(())
}

/// Checks whether launches without work-items do nothing, as in 2.1 and later, instead of failing.
fn may_be_empty(cx: &Ctx) -> Outcome<bool> {
    let version = query!(cx.clGetDeviceInfo(cx.device, CL_DEVICE_VERSION)).string()?;
    let is_later = !["OpenCL 1.", "OpenCL 2.0"].iter().any(|earlier| version.starts_with(earlier));
    Ok(is_later || std::env::var("GRUS_EMPTY_LAUNCHES").is_ok_and(|value| value == "1"))
}

fn launches_of_no_items(cx: &Ctx) -> Outcome {
    if !may_be_empty(cx)? {
        return Err(Failure::Skipped("they are errors until 2.1".into()));
    }
    let (kernel, buffer) = set_kernel(cx, 16)?;
    let sizes: [(&[usize], &[usize]); 4] =
        [(&[0], &[]), (&[4, 0], &[]), (&[0, 4, 4], &[1, 2, 2]), (&[0], &[8])];
    for properties in [0, CL_QUEUE_OUT_OF_ORDER_EXEC_MODE_ENABLE] {
        let queue = cx.queue(properties | CL_QUEUE_PROFILING_ENABLE)?;
        for (global, local) in sizes {
            let (dimensions, global) = (global.len() as cl_uint, global.as_ptr());
            let local = if local.is_empty() { null() } else { local.as_ptr() };
            // The command waits for its wait list.
            let (gate, mut event) = (cx.user_event()?, null_mut());
            let call = |count, gate, event| {
                cx.clEnqueueNDRangeKernel(
                    queue,
                    kernel,
                    dimensions,
                    null(),
                    global,
                    local,
                    count,
                    gate,
                    event,
                )
            };
            ok!(call(1, &gate, &mut event));
            ok!(call(1, &gate, null_mut()));
            ok!(cx.clFlush(queue));
            holds!(cx.status(event)? > CL_COMPLETE);
            ok!(cx.clSetUserEventStatus(gate, CL_COMPLETE));
            ok!(cx.clWaitForEvents(1, &event));
            equal!(cx.status(event)?, CL_COMPLETE);
            let command = query!(cx.clGetEventInfo(event, CL_EVENT_COMMAND_TYPE)).value::<cl_uint>()?;
            equal!(command, CL_COMMAND_NDRANGE_KERNEL);
            let time = |name| query!(cx.clGetEventProfilingInfo(event, name)).value::<cl_ulong>();
            holds!(time(CL_PROFILING_COMMAND_START)? <= time(CL_PROFILING_COMMAND_END)?);
            // The command fails if an event of its wait list fails.
            let (gate, mut event) = (cx.user_event()?, null_mut());
            ok!(cx.clEnqueueNDRangeKernel(queue, kernel, 1, null(), global, null(), 1, &gate, &mut event));
            ok!(cx.clSetUserEventStatus(gate, -5));
            holds!(cx.clWaitForEvents(1, &event) == CL_EXEC_STATUS_ERROR_FOR_EVENTS_IN_WAIT_LIST);
            holds!(cx.status(event)? < 0);
            ok!(call(0, null(), null_mut()));
            ok!(cx.clFinish(queue));
        }
        // Without sizes there are no work-items.
        ok!(cx.clEnqueueNDRangeKernel(queue, kernel, 2, null(), null(), null(), 0, null(), null_mut()));
        ok!(cx.clFinish(queue));
    }
    equal!(cx.contents::<i32>(buffer, 16)?, vec![0; 16]);
    // All other errors are unchanged.
    fails!(CL_INVALID_WORK_GROUP_SIZE, nd_range(cx, kernel, &[], &[0], &[0]));
    fails!(CL_INVALID_WORK_ITEM_SIZE, nd_range(cx, kernel, &[], &[0], &[1 << 30]));
    fails!(CL_INVALID_WORK_GROUP_SIZE, nd_range(cx, kernel, &[], &[0, 9], &[4096, 9]));
    fails!(CL_INVALID_KERNEL_ARGS, nd_range(cx, cx.kernel(SET, "set")?, &[], &[0], &[]));
    Ok(())
}

fn negative_nd_range(cx: &Ctx) -> Outcome {
    let (kernel, _) = set_kernel(cx, 16)?;
    let size = [4usize, 1, 1, 1];
    let global = size.as_ptr();
    let call = |queue, kernel, dimensions, offset, global| {
        cx.clEnqueueNDRangeKernel(queue, kernel, dimensions, offset, global, null(), 0, null(), null_mut())
    };
    fails!(CL_INVALID_COMMAND_QUEUE, call(null_mut(), kernel, 1, null(), global));
    fails!(CL_INVALID_KERNEL, call(cx.queue, null_mut(), 1, null(), global));
    fails!(CL_INVALID_KERNEL, call(cx.queue, cx.context, 1, null(), global));
    for dimensions in [0, 4, 100] {
        fails!(CL_INVALID_WORK_DIMENSION, call(cx.queue, kernel, dimensions, null(), global));
    }
    if !may_be_empty(cx)? {
        fails!(CL_INVALID_GLOBAL_WORK_SIZE, call(cx.queue, kernel, 1, null(), null()));
        fails!(CL_INVALID_GLOBAL_WORK_SIZE, nd_range(cx, kernel, &[], &[0], &[]));
        fails!(CL_INVALID_GLOBAL_WORK_SIZE, nd_range(cx, kernel, &[], &[4, 0], &[]));
    }
    fails!(CL_INVALID_GLOBAL_OFFSET, nd_range(cx, kernel, &[usize::MAX], &[4], &[]));
    fails!(CL_INVALID_GLOBAL_OFFSET, nd_range(cx, kernel, &[0, usize::MAX - 2], &[4, 4], &[]));
    let other = make!(cx.clCreateContext(null(), 1, &cx.device, None, null_mut()));
    let queue = make!(cx.clCreateCommandQueue(other, cx.device, 0));
    fails!(CL_INVALID_CONTEXT, call(queue, kernel, 1, null(), global));
    let event = cx.user_event()?;
    let list = |count, list| {
        cx.clEnqueueNDRangeKernel(cx.queue, kernel, 1, null(), global, null(), count, list, null_mut())
    };
    fails!(CL_INVALID_EVENT_WAIT_LIST, list(1, null()));
    fails!(CL_INVALID_EVENT_WAIT_LIST, list(0, &event));
    fails!(CL_INVALID_EVENT_WAIT_LIST, list(1, &cx.queue));
    Ok(())
}

fn negative_work_group_size(cx: &Ctx) -> Outcome {
    let (kernel, _) = set_kernel(cx, 16)?;
    let sizes = query!(cx.clGetDeviceInfo(cx.device, CL_DEVICE_MAX_WORK_ITEM_SIZES)).array::<usize>()?;
    let most = query!(cx.clGetDeviceInfo(cx.device, CL_DEVICE_MAX_WORK_GROUP_SIZE)).value::<usize>()?;
    fails!(CL_INVALID_WORK_GROUP_SIZE, nd_range(cx, kernel, &[], &[16], &[3]));
    fails!(CL_INVALID_WORK_GROUP_SIZE, nd_range(cx, kernel, &[], &[16], &[32]));
    fails!(CL_INVALID_WORK_GROUP_SIZE, nd_range(cx, kernel, &[], &[16], &[0]));
    fails!(CL_INVALID_WORK_GROUP_SIZE, nd_range(cx, kernel, &[], &[most, 2], &[most, 2]));
    fails!(CL_INVALID_WORK_ITEM_SIZE, nd_range(cx, kernel, &[], &[sizes[0] * 2], &[sizes[0] * 2]));
    let code = nd_range(cx, kernel, &[], &[1, 1, sizes[2] * 2], &[1, 1, sizes[2] * 2]);
    fails!(CL_INVALID_WORK_ITEM_SIZE, code);
    Ok(())
}

fn missing_arguments(cx: &Ctx) -> Outcome {
    let kernel = cx.kernel(SET, "set")?;
    fails!(CL_INVALID_KERNEL_ARGS, nd_range(cx, kernel, &[], &[1], &[]));
    let buffer = cx.buffer(&[0i32; 4])?;
    cx.arg(kernel, 0, buffer)?;
    fails!(CL_INVALID_KERNEL_ARGS, nd_range(cx, kernel, &[], &[1], &[]));
    fails!(CL_INVALID_KERNEL_ARGS, cx.clEnqueueTask(cx.queue, kernel, 0, null(), null_mut()));
    cx.arg(kernel, 1, 1i32)?;
    ok!(nd_range(cx, kernel, &[], &[1], &[]));
    ok!(cx.clFinish(cx.queue));
    Ok(())
}

const LOCAL: &str =
    "kernel void k(local int *t, global int *a) { size_t i = get_local_id(0), n = get_local_size(0);
    t[i] = a[get_global_id(0)];
    barrier(CLK_LOCAL_MEM_FENCE);
    a[get_global_id(0)] = t[n - 1 - i]; }";

fn too_much_local_memory(cx: &Ctx) -> Outcome {
    let most = query!(cx.clGetDeviceInfo(cx.device, CL_DEVICE_LOCAL_MEM_SIZE)).value::<cl_ulong>()?;
    let kernel = cx.kernel(LOCAL, "k")?;
    cx.arg(kernel, 1, cx.buffer(&[0i32; 4])?)?;
    ok!(cx.clSetKernelArg(kernel, 0, most as usize, null()));
    ok!(nd_range(cx, kernel, &[], &[4], &[4]));
    ok!(cx.clFinish(cx.queue));
    ok!(cx.clSetKernelArg(kernel, 0, most as usize + 1, null()));
    fails!(CL_OUT_OF_RESOURCES, nd_range(cx, kernel, &[], &[4], &[4]));
    Ok(())
}

/// Kernels with a local array, and with a local argument of a child kernel, of SIZE bytes.
const SIZED: &str = "
    kernel void own(global int *a) {
        local char t[SIZE];
        int i = get_local_id(0);
        t[SIZE - 1 - i] = i;
        barrier(CLK_LOCAL_MEM_FENCE);
        a[i] = t[SIZE - 4 + i];
    }
    kernel void parent(global int *a) {
        a[0] = enqueue_kernel(get_default_queue(), CLK_ENQUEUE_FLAGS_NO_WAIT, ndrange_1D(4, 4),
            ^(local void *p) { ((local char *)p)[get_local_id(0)] = 1; }, SIZE) == CLK_SUCCESS;
    }";

/// Tests that local memory has the size in bytes that `GRUS_LOCAL_MEM_SIZE` requests.
fn local_memory_of_a_chosen_size(cx: &Ctx) -> Outcome {
    let asked = std::env::var("GRUS_LOCAL_MEM_SIZE").ok().and_then(|size| size.parse::<usize>().ok());
    let Some(most) = asked else { return Err(Failure::Skipped("no size is asked for".into())) };
    let said = query!(cx.clGetDeviceInfo(cx.device, CL_DEVICE_LOCAL_MEM_SIZE)).value::<cl_ulong>()?;
    equal!(said, most as cl_ulong);
    too_much_local_memory(cx)?;
    // The default queue on the device, which is out of order.
    let properties: [u64; 3] = [0x1093, 1 << 2 | 1 << 3 | CL_QUEUE_OUT_OF_ORDER_EXEC_MODE_ENABLE, 0];
    let device_queue =
        make!(cx.clCreateCommandQueueWithProperties(cx.context, cx.device, properties.as_ptr()));
    let sized = |name: &str, size: usize| -> Outcome<(cl_kernel, cl_mem)> {
        let kernel = cx.kernel_with(SIZED, &format!("-cl-std=CL2.0 -DSIZE={size}"), name)?;
        let buffer = cx.buffer(&[7i32; 4])?;
        cx.arg(kernel, 0, buffer)?;
        Ok((kernel, buffer))
    };
    let (fits, buffer) = sized("own", most)?;
    ok!(nd_range(cx, fits, &[], &[4], &[4]));
    equal!(cx.contents::<i32>(buffer, 4)?, vec![3, 2, 1, 0]);
    fails!(CL_OUT_OF_RESOURCES, nd_range(cx, sized("own", most + 1)?.0, &[], &[4], &[4]));
    for (size, is_enqueued) in [(most, 1), (most + 1, 0)] {
        let (parent, buffer) = sized("parent", size)?;
        ok!(nd_range(cx, parent, &[], &[1], &[1]));
        equal!(cx.contents::<i32>(buffer, 1)?, vec![is_enqueued]);
    }
    ok!(cx.clReleaseCommandQueue(device_queue));
    Ok(())
}

fn local_arg_def(cx: &Ctx) -> Outcome {
    let kernel = cx.kernel(LOCAL, "k")?;
    for local in [1usize, 4, 64, 256] {
        let data: Vec<i32> = (0..512).collect();
        let buffer = cx.buffer(&data)?;
        ok!(cx.clSetKernelArg(kernel, 0, local * 4, null()));
        cx.arg(kernel, 1, buffer)?;
        ok!(nd_range(cx, kernel, &[], &[512], &[local]));
        let expected: Vec<i32> = data.chunks(local).flat_map(|c| c.iter().rev().copied()).collect();
        equal!(cx.contents::<i32>(buffer, 512)?, expected);
    }
    Ok(())
}

fn local_kernel_def(cx: &Ctx) -> Outcome {
    let source = "kernel void k(global int *a) { local int t[64]; size_t i = get_local_id(0);
        t[i] = a[get_global_id(0)]; barrier(CLK_LOCAL_MEM_FENCE); int s = 0;
        for (int j = 0; j < 64; j++) s += t[j];
        a[get_global_id(0)] = s; }";
    let kernel = cx.kernel(source, "k")?;
    let data: Vec<i32> = (0..256).collect();
    let buffer = cx.buffer(&data)?;
    cx.arg(kernel, 0, buffer)?;
    ok!(nd_range(cx, kernel, &[], &[256], &[64]));
    let expected: Vec<i32> = data.chunks(64).flat_map(|c| vec![c.iter().sum::<i32>(); 64]).collect();
    equal!(cx.contents::<i32>(buffer, 256)?, expected);
    Ok(())
}

fn barrier(cx: &Ctx) -> Outcome {
    // A reduction tree with a barrier in a loop.
    let source = "kernel void k(global const int *a, global int *sums, local int *t) {
        size_t i = get_local_id(0), n = get_local_size(0);
        t[i] = a[get_global_id(0)];
        for (size_t m = n / 2; m > 0; m /= 2) {
            barrier(CLK_LOCAL_MEM_FENCE);
            if (i < m) t[i] += t[i + m];
        }
        if (i == 0) sums[get_group_id(0)] = t[0]; }";
    let kernel = cx.kernel(source, "k")?;
    let data: Vec<i32> = (0..4096).map(|i| i * i % 101).collect();
    let sums = cx.buffer(&[0i32; 16])?;
    cx.arg(kernel, 0, cx.buffer(&data)?)?;
    cx.arg(kernel, 1, sums)?;
    ok!(cx.clSetKernelArg(kernel, 2, 1024, null()));
    ok!(nd_range(cx, kernel, &[], &[4096], &[256]));
    let expected: Vec<i32> = data.chunks(256).map(|c| c.iter().sum()).collect();
    equal!(cx.contents::<i32>(sums, 16)?, expected);
    Ok(())
}

fn constant(cx: &Ctx) -> Outcome {
    let source = "kernel void k(global float *out, constant float *f, constant int *i) {
        size_t id = get_global_id(0); out[id] = f[id] * i[id]; }";
    let kernel = cx.kernel(source, "k")?;
    let floats: Vec<f32> = (0..1000u16).map(f32::from).collect();
    let ints: Vec<i32> = (0..1000).map(|i| i % 7).collect();
    let out = cx.empty_buffer(4000)?;
    cx.arg(kernel, 0, out)?;
    cx.arg(kernel, 1, cx.buffer(&floats)?)?;
    cx.arg(kernel, 2, cx.buffer(&ints)?)?;
    ok!(nd_range(cx, kernel, &[], &[1000], &[]));
    let expected: Vec<f32> = floats.iter().zip(&ints).map(|(f, &i)| f * i as f32).collect();
    equal!(cx.contents::<f32>(out, 1000)?, expected);
    Ok(())
}

fn loops(cx: &Ctx) -> Outcome {
    let source = "kernel void k(global uint *a) { size_t i = get_global_id(0); uint n = a[i], steps = 0;
        while (n != 1) { n = n % 2 == 0 ? n / 2 : 3 * n + 1; steps++; } a[i] = steps; }";
    let kernel = cx.kernel(source, "k")?;
    let data: Vec<u32> = (1..=1000).collect();
    let buffer = cx.buffer(&data)?;
    cx.arg(kernel, 0, buffer)?;
    ok!(nd_range(cx, kernel, &[], &[1000], &[]));
    let steps = |mut n: u32| {
        let mut steps = 0;
        while n != 1 {
            n = if n.is_multiple_of(2) { n / 2 } else { 3 * n + 1 };
            steps += 1;
        }
        steps
    };
    equal!(cx.contents::<u32>(buffer, 1000)?, data.into_iter().map(steps).collect::<Vec<_>>());
    Ok(())
}

const SIZES: &str = "kernel void k(global uint *a) { a[get_global_id(0)] = get_local_size(0) * 1000
    + get_group_id(0); }";

fn non_uniform_1d_basic(cx: &Ctx) -> Outcome {
    let kernel = cx.kernel_with(SIZES, "-cl-std=CL2.0", "k")?;
    let buffer = cx.empty_buffer(400)?;
    cx.arg(kernel, 0, buffer)?;
    ok!(nd_range(cx, kernel, &[], &[100], &[32]));
    let expected: Vec<u32> = (0..100).map(|i| if i < 96 { 32_000 + i / 32 } else { 4_003 }).collect();
    equal!(cx.contents::<u32>(buffer, 100)?, expected);
    Ok(())
}

fn non_uniform_needs_2_0(cx: &Ctx) -> Outcome {
    for options in ["", "-cl-std=CL1.2", "-cl-std=CL2.0 -cl-uniform-work-group-size"] {
        let kernel = cx.kernel_with(SIZES, options, "k")?;
        let buffer = cx.empty_buffer(400)?;
        cx.arg(kernel, 0, buffer)?;
        fails!(CL_INVALID_WORK_GROUP_SIZE, nd_range(cx, kernel, &[], &[100], &[32]));
        ok!(nd_range(cx, kernel, &[], &[100], &[]));
        ok!(cx.clFinish(cx.queue));
    }
    Ok(())
}

fn launch_on_sub_device(cx: &Ctx) -> Outcome {
    let list = [EQUALLY, 1, 0];
    let mut devices = [null_mut(); 64];
    let mut count = 0;
    let code = cx.clCreateSubDevices(cx.device, list.as_ptr(), 64, devices.as_mut_ptr(), &mut count);
    if code != CL_SUCCESS {
        return Err(crate::check::Failure::Skipped(format!("no sub-devices: {code}")));
    }
    let context = make!(cx.clCreateContext(null(), count, devices.as_ptr(), None, null_mut()));
    let (mut text, size) = (SET.as_ptr().cast(), SET.len());
    let program = make!(cx.clCreateProgramWithSource(context, 1, &mut text, &size));
    ok!(cx.clBuildProgram(program, 1, &devices[0], null(), None, null_mut()));
    let kernel = make!(cx.clCreateKernel(program, c"set".as_ptr()));
    let mut data = vec![0i32; 10_000];
    let buffer = make!(cx.clCreateBuffer(context, CL_MEM_USE_HOST_PTR, 40_000, data.as_mut_ptr().cast()));
    cx.arg(kernel, 0, buffer)?;
    cx.arg(kernel, 1, 9i32)?;
    let global = 10_000usize;
    let queue = make!(cx.clCreateCommandQueue(context, devices[0], 0));
    ok!(cx.clEnqueueNDRangeKernel(queue, kernel, 1, null(), &global, null(), 0, null(), null_mut()));
    ok!(cx.clFinish(queue));
    holds!(data.iter().all(|&v| v == 9));
    // The program was not built for the other device.
    let other = make!(cx.clCreateCommandQueue(context, devices[1], 0));
    let code = cx.clEnqueueNDRangeKernel(other, kernel, 1, null(), &global, null(), 0, null(), null_mut());
    fails!(CL_INVALID_PROGRAM_EXECUTABLE, code);
    Ok(())
}

fn sub_devices_use_the_build_of_their_parent(cx: &Ctx) -> Outcome {
    let list = [EQUALLY, 1, 0];
    let mut devices = [null_mut(); 65];
    let mut count = 0;
    let code = cx.clCreateSubDevices(cx.device, list.as_ptr(), 64, devices.as_mut_ptr(), &mut count);
    if code != CL_SUCCESS {
        return Err(crate::check::Failure::Skipped(format!("no sub-devices: {code}")));
    }
    devices[count as usize] = cx.device;
    let context = make!(cx.clCreateContext(null(), count + 1, devices.as_ptr(), None, null_mut()));
    let mut text = SET.as_ptr().cast();
    let program = make!(cx.clCreateProgramWithSource(context, 1, &mut text, &SET.len()));
    ok!(cx.clBuildProgram(program, 1, &cx.device, null(), None, null_mut()));
    let status = query!(cx.clGetProgramBuildInfo(program, devices[0], CL_PROGRAM_BUILD_STATUS));
    equal!(status.value::<cl_int>()?, CL_BUILD_SUCCESS);
    let kernel = make!(cx.clCreateKernel(program, c"set".as_ptr()));
    let buffer = make!(cx.clCreateBuffer(context, 0, 400, null_mut()));
    cx.arg(kernel, 0, buffer)?;
    cx.arg(kernel, 1, 9i32)?;
    for &device in &devices[..=count as usize] {
        let queue = make!(cx.clCreateCommandQueue(context, device, 0));
        let global = 100usize;
        ok!(cx.clEnqueueNDRangeKernel(queue, kernel, 1, null(), &global, null(), 0, null(), null_mut()));
        ok!(cx.clFinish(queue));
    }
    Ok(())
}

fn execute(cx: &Ctx) -> Outcome {
    let (kernel, _) = set_kernel(cx, 1 << 16)?;
    let queue = cx.queue(CL_QUEUE_PROFILING_ENABLE)?;
    let (global, mut event) = (1usize << 16, null_mut());
    ok!(cx.clEnqueueNDRangeKernel(queue, kernel, 1, null(), &global, null(), 0, null(), &mut event));
    ok!(cx.clFinish(queue));
    let time = |name| query!(cx.clGetEventProfilingInfo(event, name)).value::<cl_ulong>();
    holds!(time(CL_PROFILING_COMMAND_START)? < time(CL_PROFILING_COMMAND_END)?);
    Ok(())
}
