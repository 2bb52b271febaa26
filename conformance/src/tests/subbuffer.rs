//! Tests of sub-buffers.

use std::ffi::c_void;
use std::ptr::{null, null_mut};

use cl_sys::*;

use crate::check::Outcome;
use crate::context::{Ctx, raw};
use crate::{equal, fails, holds, make, make_fails, ok, query, tests};

tests! {
    "test_buffers":
        sub_buffers_read_write, sub_buffers_overlapping, sub_buffers_in_turns, sub_buffer_info, sub_buffer_flags,
        sub_buffer_life, kernel_arguments_in_one_buffer, negative_create_sub_buffer;
    "test_mem_host_flags":
        mem_host_read_only_subbuffer, mem_host_write_only_subbuffer, mem_host_no_access_subbuffer;
}

/// Returns the alignment of sub-buffers in bytes.
fn align(cx: &Ctx) -> Outcome<usize> {
    let bits = query!(cx.clGetDeviceInfo(cx.device, CL_DEVICE_MEM_BASE_ADDR_ALIGN)).value::<cl_uint>()?;
    Ok(bits as usize / 8)
}

fn sub(cx: &Ctx, parent: cl_mem, flags: cl_ulong, origin: usize, size: usize) -> Outcome<cl_mem> {
    let region = cl_buffer_region { origin, size };
    let info = (&raw const region).cast();
    Ok(make!(cx.clCreateSubBuffer(parent, flags, CL_BUFFER_CREATE_TYPE_REGION, info)))
}

fn info<T: Copy>(cx: &Ctx, mem: cl_mem, name: cl_uint) -> Outcome<T> {
    query!(cx.clGetMemObjectInfo(mem, name)).value()
}

fn sub_buffers_read_write(cx: &Ctx) -> Outcome {
    let step = align(cx)?;
    let parent = cx.buffer(&vec![0u8; step * 4])?;
    let part = sub(cx, parent, 0, step, step)?;
    let mut data: Vec<u8> = (0..step).map(|i| i as u8 | 1).collect();
    ok!(cx.clEnqueueWriteBuffer(cx.queue, part, CL_TRUE, 0, step, raw(&mut data), 0, null(), null_mut()));
    let whole = cx.contents::<u8>(parent, step * 4)?;
    equal!(&whole[step..2 * step], &data[..]);
    holds!(whole[..step].iter().chain(&whole[2 * step..]).all(|&b| b == 0));
    equal!(cx.contents::<u8>(part, step)?, data);
    // The size of the sub-buffer limits accesses, not that of the parent.
    let mut byte = [0u8];
    let beyond =
        cx.clEnqueueReadBuffer(cx.queue, part, CL_TRUE, step, 1, raw(&mut byte), 0, null(), null_mut());
    fails!(CL_INVALID_VALUE, beyond);
    Ok(())
}

/// Tests that a kernel reads through one argument what it has written through another, if both are in the same
/// buffer.
fn kernel_arguments_in_one_buffer(cx: &Ctx) -> Outcome {
    let text = "kernel void add(global int *sum, global const int *all, int count)
        { size_t i = get_global_id(0); for (int k = 0; k < count; ++k) sum[i] += all[k]; }";
    let kernel = cx.kernel(text, "add")?;
    let ints = align(cx)? / size_of::<cl_int>();
    let data: Vec<cl_int> = (0..4 * ints as cl_int).map(|i| i % 7 - 2).collect();
    let (parent, other) = (cx.buffer(&data)?, cx.buffer(&data)?);
    let bytes = |ints: usize| ints * size_of::<cl_int>();
    let part = |origin: usize, size: usize| sub(cx, parent, 0, bytes(origin), bytes(size));
    let (first, second, all) = (part(0, ints)?, part(ints, ints)?, part(0, 3 * ints)?);
    // Both arguments, and the offsets of the sum and of the addends in the parent. Calls with and without aliasing
    // alternate.
    let calls = [
        (parent, other, 0, None),
        (parent, parent, 0, Some(0)),
        (parent, other, 0, None),
        (second, all, ints, Some(0)),
        (all, second, 0, Some(ints)),
        (second, first, ints, Some(0)),
        (first, first, 0, Some(0)),
    ];
    let mut expected = data.clone();
    for (sum, all, to, from) in calls {
        let count = if all == first || all == second { ints } else { 2 * ints };
        cx.arg(kernel, 0, sum)?;
        cx.arg(kernel, 1, all)?;
        cx.arg(kernel, 2, count as cl_int)?;
        cx.launch(kernel, 1, None)?;
        for k in 0..count {
            let added = from.map_or(data[k], |from: usize| expected[from + k]);
            expected[to] = expected[to].wrapping_add(added);
        }
        equal!(cx.contents::<cl_int>(parent, 4 * ints)?, expected.clone());
    }
    Ok(())
}

fn sub_buffers_overlapping(cx: &Ctx) -> Outcome {
    let step = align(cx)?;
    let parent = cx.empty_buffer(step * 4)?;
    let (a, b) = (sub(cx, parent, 0, 0, step * 2)?, sub(cx, parent, 0, step, step * 2)?);
    let copy = |from, to, source, target, size| {
        cx.clEnqueueCopyBuffer(cx.queue, from, to, source, target, size, 0, null(), null_mut())
    };
    fails!(CL_MEM_COPY_OVERLAP, copy(a, b, 0, 0, step * 2));
    fails!(CL_MEM_COPY_OVERLAP, copy(a, b, step, 0, 1));
    fails!(CL_MEM_COPY_OVERLAP, copy(parent, b, step, 0, 1));
    ok!(copy(a, b, 0, 0, step));
    ok!(copy(a, b, 0, step, step));
    ok!(copy(parent, b, 0, step, step));
    ok!(cx.clFinish(cx.queue));
    Ok(())
}

/// Tests a loop that reads through one sub-buffer what the previous iteration has written through another, and
/// loops without such a dependence.
fn sub_buffers_in_turns(cx: &Ctx) -> Outcome {
    const TEXT: &str = "kernel void k(global const int *from, global int *to, int n) {
        for (int i = get_global_id(0); i < n; i += get_global_size(0))
            to[i] = from[i] + 1;
    }";
    const ITEMS: usize = 1024;
    const TURNS: usize = 50;
    let step = (ITEMS * size_of::<i32>()).next_multiple_of(align(cx)?);
    let size = TURNS * step;
    let kernel = cx.kernel(TEXT, "k")?;
    let items = step / size_of::<i32>();
    let count = (TURNS - 1) * items;
    // Offsets of the sub-buffers that are read and written.
    for (from_at, to_at) in [(0, step), (step, 0), (0, 0), (0, size)] {
        let parent = cx.buffer(&vec![0i32; 2 * size / size_of::<i32>()])?;
        let (from, to) = (sub(cx, parent, 0, from_at, size - step)?, sub(cx, parent, 0, to_at, size - step)?);
        cx.arg(kernel, 0, from)?;
        cx.arg(kernel, 1, to)?;
        cx.arg(kernel, 2, count as cl_int)?;
        cx.launch(kernel, items, None)?;
        let found = cx.contents::<i32>(to, count)?;
        let wanted = |at: usize| if (from_at, to_at) == (0, step) { (at / items) as i32 + 1 } else { 1 };
        equal!(found, (0..count).map(wanted).collect::<Vec<i32>>());
    }
    Ok(())
}

fn sub_buffer_info(cx: &Ctx) -> Outcome {
    let step = align(cx)?;
    let mut host = vec![0u8; step * 3];
    let pointer = raw(&mut host);
    let parent = make!(cx.clCreateBuffer(cx.context, CL_MEM_USE_HOST_PTR, step * 3, pointer));
    let part = sub(cx, parent, CL_MEM_READ_ONLY, step, 17)?;
    equal!(info::<cl_uint>(cx, part, CL_MEM_TYPE)?, CL_MEM_OBJECT_BUFFER);
    equal!(info::<usize>(cx, part, CL_MEM_SIZE)?, 17);
    equal!(info::<usize>(cx, part, CL_MEM_OFFSET)?, step);
    equal!(info::<cl_mem>(cx, part, CL_MEM_ASSOCIATED_MEMOBJECT)?, parent);
    equal!(info::<*mut c_void>(cx, part, CL_MEM_HOST_PTR)?.addr(), pointer.addr() + step);
    equal!(info::<cl_ulong>(cx, part, CL_MEM_FLAGS)?, CL_MEM_READ_ONLY | CL_MEM_USE_HOST_PTR);
    Ok(())
}

fn sub_buffer_flags(cx: &Ctx) -> Outcome {
    // (parent's flags, requested flags, resulting flags)
    let inherited = [
        (CL_MEM_READ_ONLY, 0, CL_MEM_READ_ONLY),
        (CL_MEM_READ_WRITE, CL_MEM_WRITE_ONLY, CL_MEM_WRITE_ONLY),
        (CL_MEM_ALLOC_HOST_PTR, 0, CL_MEM_READ_WRITE | CL_MEM_ALLOC_HOST_PTR),
        (CL_MEM_HOST_READ_ONLY, 0, CL_MEM_READ_WRITE | CL_MEM_HOST_READ_ONLY),
        (CL_MEM_HOST_WRITE_ONLY, CL_MEM_HOST_NO_ACCESS, CL_MEM_READ_WRITE | CL_MEM_HOST_NO_ACCESS),
    ];
    for (parent, asked, expected) in inherited {
        let parent = make!(cx.clCreateBuffer(cx.context, parent, 256, null_mut()));
        let part = sub(cx, parent, asked, 0, 128)?;
        equal!(info::<cl_ulong>(cx, part, CL_MEM_FLAGS)?, expected);
    }
    let widened = [
        (CL_MEM_WRITE_ONLY, CL_MEM_READ_WRITE),
        (CL_MEM_WRITE_ONLY, CL_MEM_READ_ONLY),
        (CL_MEM_READ_ONLY, CL_MEM_READ_WRITE),
        (CL_MEM_READ_ONLY, CL_MEM_WRITE_ONLY),
        (CL_MEM_READ_WRITE, CL_MEM_ALLOC_HOST_PTR),
        (CL_MEM_READ_WRITE, CL_MEM_COPY_HOST_PTR),
        (CL_MEM_READ_WRITE, CL_MEM_USE_HOST_PTR),
        (CL_MEM_HOST_WRITE_ONLY, CL_MEM_HOST_READ_ONLY),
        (CL_MEM_HOST_READ_ONLY, CL_MEM_HOST_WRITE_ONLY),
        (CL_MEM_HOST_NO_ACCESS, CL_MEM_HOST_READ_ONLY),
        (CL_MEM_HOST_NO_ACCESS, CL_MEM_HOST_WRITE_ONLY),
    ];
    let region = cl_buffer_region { origin: 0, size: 64 };
    let region = (&raw const region).cast();
    for (parent, asked) in widened {
        let parent = make!(cx.clCreateBuffer(cx.context, parent, 256, null_mut()));
        let kind = CL_BUFFER_CREATE_TYPE_REGION;
        make_fails!(CL_INVALID_VALUE, cx.clCreateSubBuffer(parent, asked, kind, region));
    }
    Ok(())
}

fn sub_buffer_life(cx: &Ctx) -> Outcome {
    let step = align(cx)?;
    let parent = cx.buffer(&vec![6u8; step * 2])?;
    let part = sub(cx, parent, 0, step, step)?;
    equal!(info::<cl_uint>(cx, parent, CL_MEM_REFERENCE_COUNT)?, 1);
    ok!(cx.clReleaseMemObject(parent));
    // The sub-buffer keeps the memory and the parent's handle alive.
    equal!(cx.contents::<u8>(part, step)?, vec![6; step]);
    equal!(info::<cl_mem>(cx, part, CL_MEM_ASSOCIATED_MEMOBJECT)?, parent);
    ok!(cx.clReleaseMemObject(part));
    if cx.is_vendor() {
        fails!(CL_INVALID_MEM_OBJECT, cx.clReleaseMemObject(parent));
    }
    Ok(())
}

fn negative_create_sub_buffer(cx: &Ctx) -> Outcome {
    let step = align(cx)?;
    let parent = cx.empty_buffer(step * 4)?;
    let kind = CL_BUFFER_CREATE_TYPE_REGION;
    let region = |origin, size| cl_buffer_region { origin, size };
    let good = region(0, step);
    make_fails!(CL_INVALID_MEM_OBJECT, cx.clCreateSubBuffer(null_mut(), 0, kind, (&raw const good).cast()));
    make_fails!(CL_INVALID_VALUE, cx.clCreateSubBuffer(parent, 0, 0x7777, (&raw const good).cast()));
    make_fails!(CL_INVALID_VALUE, cx.clCreateSubBuffer(parent, 0, kind, null()));
    for (origin, size, expected) in [
        (0, step * 4 + 1, CL_INVALID_VALUE),
        (step * 4, step, CL_INVALID_VALUE),
        (step, usize::MAX, CL_INVALID_VALUE),
        (0, 0, CL_INVALID_BUFFER_SIZE),
        (1, step, CL_MISALIGNED_SUB_BUFFER_OFFSET),
        (step / 2, step, CL_MISALIGNED_SUB_BUFFER_OFFSET),
    ] {
        let region = region(origin, size);
        make_fails!(expected, cx.clCreateSubBuffer(parent, 0, kind, (&raw const region).cast()));
    }
    let part = sub(cx, parent, 0, 0, step * 2)?;
    make_fails!(CL_INVALID_MEM_OBJECT, cx.clCreateSubBuffer(part, 0, kind, (&raw const good).cast()));
    Ok(())
}

/// Tests host access to a sub-buffer that inherits or sets its flags.
fn host_access(cx: &Ctx, flags: cl_ulong, reads: cl_int, writes: cl_int) -> Outcome {
    let mut byte = [0u8];
    let pointer = raw(&mut byte);
    for (parent, own) in [(flags, 0), (CL_MEM_READ_WRITE, flags)] {
        let parent = make!(cx.clCreateBuffer(cx.context, parent, 256, null_mut()));
        let part = sub(cx, parent, own, 0, 64)?;
        fails!(reads, cx.clEnqueueReadBuffer(cx.queue, part, CL_TRUE, 0, 1, pointer, 0, null(), null_mut()));
        fails!(
            writes,
            cx.clEnqueueWriteBuffer(cx.queue, part, CL_TRUE, 0, 1, pointer, 0, null(), null_mut())
        );
    }
    Ok(())
}

fn mem_host_read_only_subbuffer(cx: &Ctx) -> Outcome {
    host_access(cx, CL_MEM_HOST_READ_ONLY, CL_SUCCESS, CL_INVALID_OPERATION)
}

fn mem_host_write_only_subbuffer(cx: &Ctx) -> Outcome {
    host_access(cx, CL_MEM_HOST_WRITE_ONLY, CL_INVALID_OPERATION, CL_SUCCESS)
}

fn mem_host_no_access_subbuffer(cx: &Ctx) -> Outcome {
    host_access(cx, CL_MEM_HOST_NO_ACCESS, CL_INVALID_OPERATION, CL_INVALID_OPERATION)
}
