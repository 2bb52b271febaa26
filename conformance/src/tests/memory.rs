//! Tests of memory: buffers of several gigabytes, exhausted memory, overlapping objects, and lifetimes.

use std::ffi::c_void;
use std::ptr::{null, null_mut};
use std::sync::Mutex;

use cl_sys::*;

use crate::check::{Failure, Outcome};
use crate::context::{Ctx, raw};
use crate::{equal, fails, holds, make, make_fails, ok, query, tests};

tests! {
    "test_allocations":
        more_memory_than_there_is, more_together_than_there_is, sizes_beyond_reason, five_gigabytes, five_gigabytes_in_kernels;
    "test_buffers":
        sub_buffers_copy_overlap, sub_buffers_rect_overlap, destructors_of_parts, destructor_after_kernel,
        unmap_of_another_object, map_count_until_unmapped, maps_that_overlap, maps_for_writing,
        map_that_fails_later;
}

const GIGABYTE: usize = 1 << 30;

/// Returns the value in bytes of a line of /proc/self/status, which is in kilobytes there.
fn status(name: &str) -> Outcome<usize> {
    let text = std::fs::read_to_string("/proc/self/status").unwrap_or_default();
    let line = text.lines().find_map(|line| line.strip_prefix(name)?.strip_prefix(':'));
    let number = line.and_then(|line| line.trim().trim_end_matches("kB").trim().parse::<usize>().ok());
    number.map(|n| n << 10).ok_or_else(|| Failure::Skipped(format!("no {name} in /proc/self/status")))
}

unsafe extern "C" {
    fn setrlimit(resource: i32, limit: *const [u64; 2]) -> i32;
}

/// Limits the address space of this process to `more` bytes beyond its current size.
fn limit_memory(more: usize) -> Outcome {
    const RLIMIT_AS: i32 = 9;
    let most = (status("VmSize")? + more) as u64;
    // SAFETY: the call only reads the two limits.
    let done = unsafe { setrlimit(RLIMIT_AS, &[most, most]) };
    if done == 0 { Ok(()) } else { Err(Failure::Skipped(String::from("no limit can be set"))) }
}

unsafe extern "C" fn nothing(_args: *mut c_void) {}

fn more_memory_than_there_is(cx: &Ctx) -> Outcome {
    // Zeroed pages that are never written need address space, but no memory.
    let mut large = vec![0u8; GIGABYTE];
    let kernel = cx.kernel("kernel void k(global int *a) { *a = 3; }", "k")?;
    let small = cx.buffer(&[1u8; 64])?;
    ok!(cx.clFinish(cx.queue));
    limit_memory(GIGABYTE / 2)?;
    let most = query!(cx.clGetDeviceInfo(cx.device, CL_DEVICE_MAX_MEM_ALLOC_SIZE)).value::<cl_ulong>()?;
    holds!(most >= GIGABYTE as u64);
    for _ in 0..3 {
        let error = CL_MEM_OBJECT_ALLOCATION_FAILURE;
        let buffer = CL_MEM_READ_WRITE;
        make_fails!(error, cx.clCreateBuffer(cx.context, buffer, GIGABYTE, null_mut()));
        let (none, list) = (null_mut(), null());
        make_fails!(error, cx.clCreateBufferWithProperties(cx.context, list, buffer, GIGABYTE, none));
        let copy = CL_MEM_COPY_HOST_PTR | CL_MEM_ALLOC_HOST_PTR;
        make_fails!(error, cx.clCreateBuffer(cx.context, copy, GIGABYTE, raw(&mut large)));
        holds!(cx.clSVMAlloc(cx.context, CL_MEM_READ_WRITE, GIGABYTE, 0).is_null());
    }
    // Copies that the runtime makes of data of the application.
    let mut text = large.as_ptr().cast();
    make_fails!(CL_OUT_OF_HOST_MEMORY, cx.clCreateProgramWithSource(cx.context, 1, &mut text, &GIGABYTE));
    let function = Some(nothing as unsafe extern "C" fn(*mut c_void));
    let block = raw(&mut large);
    let (queue, none) = (cx.queue, null_mut());
    let native =
        cx.clEnqueueNativeKernel(queue, function, block, GIGABYTE, 0, null(), none, 0, null(), null_mut());
    fails!(CL_OUT_OF_HOST_MEMORY, native);
    // Memory of the application needs no allocation, and small allocations still succeed.
    let lent = make!(cx.clCreateBuffer(cx.context, CL_MEM_USE_HOST_PTR, GIGABYTE, raw(&mut large)));
    ok!(cx.clEnqueueCopyBuffer(cx.queue, small, lent, 0, GIGABYTE - 64, 64, 0, null(), null_mut()));
    cx.arg(kernel, 0, small)?;
    let event = cx.launch(kernel, 1, None)?;
    ok!(cx.clWaitForEvents(1, &event));
    equal!(cx.contents::<i32>(small, 1)?, vec![3]);
    ok!(cx.clReleaseMemObject(lent));
    equal!((large[GIGABYTE - 65], large[GIGABYTE - 64]), (0, 1));
    let other = cx.empty_buffer(1 << 20)?;
    ok!(cx.clReleaseMemObject(other));
    Ok(())
}

fn more_together_than_there_is(cx: &Ctx) -> Outcome {
    // The buffers are never written, so without a limit of the runtime allocations would succeed for a long time.
    let largest = query!(cx.clGetDeviceInfo(cx.device, CL_DEVICE_MAX_MEM_ALLOC_SIZE)).value::<cl_ulong>()?;
    let all = query!(cx.clGetDeviceInfo(cx.device, CL_DEVICE_GLOBAL_MEM_SIZE)).value::<cl_ulong>()?;
    let size = (largest / 2) as usize;
    let create = |code: &mut cl_int| cx.clCreateBuffer(cx.context, CL_MEM_READ_WRITE, size, null_mut(), code);
    let mut buffers = Vec::new();
    let mut code = CL_SUCCESS;
    for _ in 0..=all / size as u64 {
        let buffer = create(&mut code);
        if code != CL_SUCCESS {
            break;
        }
        buffers.push(buffer);
    }
    equal!(code, CL_MEM_OBJECT_ALLOCATION_FAILURE);
    holds!(buffers.len() >= 2 && (buffers.len() * size) as u64 <= all);
    holds!(cx.clSVMAlloc(cx.context, CL_MEM_READ_WRITE, size, 0).is_null());
    ok!(cx.clReleaseMemObject(buffers.pop().expect("there are two")));
    buffers.push(create(&mut code));
    equal!(code, CL_SUCCESS);
    for buffer in buffers {
        ok!(cx.clReleaseMemObject(buffer));
    }
    Ok(())
}

fn sizes_beyond_reason(cx: &Ctx) -> Outcome {
    // Calls with any size return.
    let buffer = cx.empty_buffer(64)?;
    let bytes = [0u8; 64];
    let pointer = bytes.as_ptr().cast();
    let kernel = cx.kernel("kernel void k(global int *a, int b, local int *c) { *a = b + c[0]; }", "k")?;
    let shared = cx.clSVMAlloc(cx.context, CL_MEM_READ_WRITE, 64, 0);
    for size in [usize::MAX, usize::MAX / 2 + 1, usize::MAX / 2, 1 << 62, 1 << 40] {
        let (queue, list, event) = (cx.queue, null(), null_mut());
        fails!(CL_INVALID_VALUE, cx.clEnqueueFillBuffer(queue, buffer, pointer, size, 0, 64, 0, list, event));
        fails!(CL_INVALID_VALUE, cx.clEnqueueFillBuffer(queue, buffer, pointer, 1, 0, size, 0, list, event));
        fails!(CL_INVALID_VALUE, cx.clEnqueueFillBuffer(queue, buffer, pointer, 1, size, 64, 0, list, event));
        fails!(CL_INVALID_VALUE, cx.clEnqueueSVMMemFill(queue, shared, pointer, size, 64, 0, list, event));
        fails!(CL_INVALID_VALUE, cx.clEnqueueCopyBuffer(queue, buffer, buffer, size, 0, 8, 0, list, event));
        fails!(CL_INVALID_VALUE, cx.clEnqueueCopyBuffer(queue, buffer, buffer, 0, 0, size, 0, list, event));
        for index in 0..2 {
            fails!(CL_INVALID_ARG_SIZE, cx.clSetKernelArg(kernel, index, size, pointer));
        }
        fails!(CL_INVALID_ARG_VALUE, cx.clSetKernelArg(kernel, 2, size, pointer));
        make_fails!(CL_INVALID_BUFFER_SIZE, cx.clCreateBuffer(cx.context, 0, size, null_mut()));
        holds!(cx.clSVMAlloc(cx.context, CL_MEM_READ_WRITE, size, 0).is_null());
        let region = cl_buffer_region { origin: 0, size };
        let (kind, region) = (CL_BUFFER_CREATE_TYPE_REGION, (&raw const region).cast());
        make_fails!(CL_INVALID_VALUE, cx.clCreateSubBuffer(buffer, 0, kind, region));
    }
    // The argument may have any size, but no device has that much local memory.
    ok!(cx.clSetKernelArg(kernel, 0, size_of::<cl_mem>(), (&raw const buffer).cast()));
    cx.arg(kernel, 1, 1i32)?;
    ok!(cx.clSetKernelArg(kernel, 2, usize::MAX, null()));
    let global = 1usize;
    let code = cx.clEnqueueNDRangeKernel(cx.queue, kernel, 1, null(), &global, null(), 0, null(), null_mut());
    fails!(CL_OUT_OF_RESOURCES, code);
    cx.clSVMFree(cx.context, shared);
    Ok(())
}

/// Creates a buffer of five gigabytes, of which no page is written.
fn huge(cx: &Ctx) -> Outcome<cl_mem> {
    let most = query!(cx.clGetDeviceInfo(cx.device, CL_DEVICE_MAX_MEM_ALLOC_SIZE)).value::<cl_ulong>()?;
    if most < 5 * GIGABYTE as u64 {
        return Err(Failure::Skipped(format!("a buffer has at most {most} bytes")));
    }
    let before = status("VmRSS")?;
    let buffer = cx.empty_buffer(5 * GIGABYTE)?;
    // Memory is allocated at first use.
    holds!(status("VmRSS")? < before + (64 << 20));
    Ok(buffer)
}

/// Offset beyond 32 bits.
const FAR_OFFSET: usize = 4 * GIGABYTE + (GIGABYTE >> 1) + 4096;

fn five_gigabytes(cx: &Ctx) -> Outcome {
    let buffer = huge(cx)?;
    equal!(query!(cx.clGetMemObjectInfo(buffer, CL_MEM_SIZE)).value::<usize>()?, 5 * GIGABYTE);
    let (queue, list, event) = (cx.queue, null(), null_mut());
    let read = |offset: usize| -> Outcome<[u32; 4]> {
        let mut found = [0u32; 4];
        let target = raw(&mut found);
        ok!(cx.clEnqueueReadBuffer(queue, buffer, CL_TRUE, offset, 16, target, 0, list, event));
        Ok(found)
    };
    let seven = 7u32;
    let pattern = (&raw const seven).cast();
    ok!(cx.clEnqueueFillBuffer(queue, buffer, pattern, 4, FAR_OFFSET, 4096, 0, list, event));
    // The same offset modulo 4 GiB is unchanged.
    equal!(read(FAR_OFFSET)?, [7; 4]);
    equal!(read(FAR_OFFSET + 4080)?, [7; 4]);
    equal!(read(FAR_OFFSET - 4 * GIGABYTE)?, [0; 4]);
    let data = [1u32, 2, 3, 4];
    let source = data.as_ptr().cast();
    ok!(cx.clEnqueueWriteBuffer(queue, buffer, CL_TRUE, 5 * GIGABYTE - 16, 16, source, 0, list, event));
    equal!(read(5 * GIGABYTE - 16)?, data);
    ok!(cx.clEnqueueCopyBuffer(
        queue,
        buffer,
        buffer,
        5 * GIGABYTE - 16,
        FAR_OFFSET + 64,
        16,
        0,
        list,
        event
    ));
    equal!(read(FAR_OFFSET + 64)?, data);
    ok!(cx.clEnqueueCopyBuffer(queue, buffer, buffer, FAR_OFFSET + 64, 0, 16, 0, list, event));
    equal!(read(0)?, data);
    let flags = CL_MAP_READ | CL_MAP_WRITE;
    let map = make!(cx.clEnqueueMapBuffer(queue, buffer, CL_TRUE, flags, FAR_OFFSET, 128, 0, list, event));
    // SAFETY: the mapping has 128 bytes.
    let words = unsafe { std::slice::from_raw_parts_mut(map.cast::<u32>(), 32) };
    equal!((words[0], words[16]), (7, 1));
    words[1] = 99;
    ok!(cx.clEnqueueUnmapMemObject(queue, buffer, map, 0, list, event));
    equal!(read(FAR_OFFSET)?, [7, 99, 7, 7]);
    // A rectangle whose slices are a gigabyte apart.
    let (from, to, region) = ([0usize, 0, 0], [0usize, 1, 2], [16usize, 1, 3]);
    let (from, to, region) = (from.as_ptr(), to.as_ptr(), region.as_ptr());
    let (row, slice) = (4096, GIGABYTE);
    let numbers: Vec<u32> = (0..12).collect();
    let host = numbers.as_ptr().cast();
    ok!(cx.clEnqueueWriteBufferRect(
        queue, buffer, CL_TRUE, to, from, region, row, slice, 0, 0, host, 0, list, event
    ));
    equal!(read(4 * GIGABYTE + 4096)?, [8, 9, 10, 11]);
    let part = cl_buffer_region { origin: 4 * GIGABYTE + 4096, size: 4096 };
    let (kind, part) = (CL_BUFFER_CREATE_TYPE_REGION, (&raw const part).cast());
    let part = make!(cx.clCreateSubBuffer(buffer, 0, kind, part));
    equal!(query!(cx.clGetMemObjectInfo(part, CL_MEM_OFFSET)).value::<usize>()?, 4 * GIGABYTE + 4096);
    equal!(cx.contents::<u32>(part, 4)?, vec![8, 9, 10, 11]);
    fails!(
        CL_INVALID_VALUE,
        cx.clEnqueueFillBuffer(queue, buffer, pattern, 4, 5 * GIGABYTE - 4, 8, 0, list, event)
    );
    Ok(())
}

fn five_gigabytes_in_kernels(cx: &Ctx) -> Outcome {
    let buffer = huge(cx)?;
    let source = "
        kernel void at(global uint *a, ulong index) { a[index + get_global_id(0)] = 100 + get_global_id(0); }
        kernel void here(global uchar *a) { a[get_global_id(0)] = (uchar)(get_global_id(0) - get_global_offset(0)); }";
    let program = cx.program_with(source, "")?;
    let at = make!(cx.clCreateKernel(program, c"at".as_ptr()));
    let here = make!(cx.clCreateKernel(program, c"here".as_ptr()));
    let read = |offset: usize| -> Outcome<[u32; 4]> {
        let mut found = [0u32; 4];
        let (queue, target) = (cx.queue, raw(&mut found));
        ok!(cx.clEnqueueReadBuffer(queue, buffer, CL_TRUE, offset, 16, target, 0, null(), null_mut()));
        Ok(found)
    };
    cx.arg(at, 0, buffer)?;
    cx.arg(at, 1, (FAR_OFFSET / 4) as cl_ulong)?;
    cx.launch(at, 4, None)?;
    equal!(read(FAR_OFFSET)?, [100, 101, 102, 103]);
    equal!(read(FAR_OFFSET - 4 * GIGABYTE)?, [0; 4]);
    cx.arg(here, 0, buffer)?;
    let (offset, global) = (FAR_OFFSET + 4096, 16usize);
    let (queue, none) = (cx.queue, null());
    ok!(cx.clEnqueueNDRangeKernel(queue, here, 1, &offset, &global, none, 0, null(), null_mut()));
    let expected = [0x0302_0100, 0x0706_0504, 0x0b0a_0908, 0x0f0e_0d0c];
    equal!(read(FAR_OFFSET + 4096)?.map(u32::from_le), expected);
    Ok(())
}

fn part(cx: &Ctx, parent: cl_mem, origin: usize, size: usize) -> Outcome<cl_mem> {
    let region = cl_buffer_region { origin, size };
    let (kind, region) = (CL_BUFFER_CREATE_TYPE_REGION, (&raw const region).cast());
    Ok(make!(cx.clCreateSubBuffer(parent, 0, kind, region)))
}

/// Returns the alignment of sub-buffers in bytes.
fn step(cx: &Ctx) -> Outcome<usize> {
    let bits = query!(cx.clGetDeviceInfo(cx.device, CL_DEVICE_MEM_BASE_ADDR_ALIGN)).value::<cl_uint>()?;
    Ok(bits as usize / 8)
}

fn sub_buffers_copy_overlap(cx: &Ctx) -> Outcome {
    let step = step(cx)?;
    let parent = cx.buffer(&vec![1u8; step * 4])?;
    let (a, b) = (part(cx, parent, 0, step * 2)?, part(cx, parent, step, step * 2)?);
    let copy = |from, to, source, target, size| {
        cx.clEnqueueCopyBuffer(cx.queue, from, to, source, target, size, 0, null(), null_mut())
    };
    // The second half of `a` is the first half of `b`.
    fails!(CL_MEM_COPY_OVERLAP, copy(a, b, step, 0, step));
    fails!(CL_MEM_COPY_OVERLAP, copy(b, a, 0, step, 1));
    fails!(CL_MEM_COPY_OVERLAP, copy(a, b, 1, 0, step));
    fails!(CL_MEM_COPY_OVERLAP, copy(a, b, 0, 0, step * 2));
    fails!(CL_MEM_COPY_OVERLAP, copy(parent, b, step, 0, 1));
    fails!(CL_MEM_COPY_OVERLAP, copy(b, parent, step, step + 1, step));
    ok!(copy(a, b, 0, 0, step));
    ok!(copy(a, b, 0, step, step));
    ok!(copy(b, parent, 0, step * 3, step));
    // Two buffers never overlap.
    let other = cx.empty_buffer(step * 2)?;
    ok!(copy(a, other, 0, 0, step * 2));
    ok!(cx.clFinish(cx.queue));
    Ok(())
}

fn sub_buffers_rect_overlap(cx: &Ctx) -> Outcome {
    let step = step(cx)?;
    let parent = cx.buffer(&vec![1u8; step * 8])?;
    let (a, b) = (part(cx, parent, 0, step * 4)?, part(cx, parent, step * 2, step * 4)?);
    let copy = |from, to, source: [usize; 3], target: [usize; 3], region: [usize; 3]| {
        let (queue, list, event) = (cx.queue, null(), null_mut());
        let (source, target, region) = (source.as_ptr(), target.as_ptr(), region.as_ptr());
        cx.clEnqueueCopyBufferRect(queue, from, to, source, target, region, step, 0, step, 0, 0, list, event)
    };
    let half = step / 2;
    // Rows 2 and 3 of `a` are rows 0 and 1 of `b`.
    fails!(CL_MEM_COPY_OVERLAP, copy(a, b, [0, 2, 0], [0, 0, 0], [half, 1, 1]));
    fails!(CL_MEM_COPY_OVERLAP, copy(a, b, [0, 1, 0], [0, 0, 0], [half, 2, 1]));
    fails!(CL_MEM_COPY_OVERLAP, copy(a, b, [0, 2, 0], [half - 1, 0, 0], [half, 1, 1]));
    fails!(CL_MEM_COPY_OVERLAP, copy(a, parent, [0, 0, 0], [half - 1, 0, 0], [half, 4, 1]));
    // The left and right halves of the same rows.
    ok!(copy(a, b, [0, 2, 0], [half, 0, 0], [half, 2, 1]));
    ok!(copy(a, b, [0, 0, 0], [0, 0, 0], [step, 2, 1]));
    ok!(copy(a, a, [0, 0, 0], [half, 0, 0], [half, 4, 1]));
    // Within one object the pitches must be equal.
    let (zero, far, region) = ([0usize; 3], [0usize, 2, 0], [8usize, 1, 1]);
    let (zero, far, region) = (zero.as_ptr(), far.as_ptr(), region.as_ptr());
    let (queue, list, event) = (cx.queue, null(), null_mut());
    for (rows, slices) in [((step, half), (0, 0)), ((step, step), (step, step * 2))] {
        let ((a_row, b_row), (a_slice, b_slice)) = (rows, slices);
        let code = cx.clEnqueueCopyBufferRect(
            queue, a, a, zero, far, region, a_row, a_slice, b_row, b_slice, 0, list, event,
        );
        fails!(CL_INVALID_VALUE, code);
    }
    ok!(cx.clFinish(cx.queue));
    Ok(())
}

static GONE: Mutex<Vec<usize>> = Mutex::new(Vec::new());

unsafe extern "C" fn gone(_mem: cl_mem, data: *mut c_void) {
    GONE.lock().expect("nobody panics here").push(data.addr());
}

fn all_gone() -> Vec<usize> {
    GONE.lock().expect("nobody panics here").clone()
}

fn watch(cx: &Ctx, mem: cl_mem, number: usize) -> Outcome {
    let data = std::ptr::without_provenance_mut(number);
    ok!(cx.clSetMemObjectDestructorCallback(mem, Some(gone), data));
    Ok(())
}

fn destructors_of_parts(cx: &Ctx) -> Outcome {
    let step = step(cx)?;
    let mut host = vec![0u8; step * 2];
    let parent = make!(cx.clCreateBuffer(cx.context, CL_MEM_USE_HOST_PTR, step * 2, raw(&mut host)));
    let (a, b) = (part(cx, parent, 0, step)?, part(cx, parent, step, step)?);
    for (mem, first) in [(parent, 10), (a, 20), (b, 30)] {
        watch(cx, mem, first + 1)?;
        watch(cx, mem, first + 2)?;
    }
    ok!(cx.clReleaseMemObject(parent));
    equal!(all_gone(), vec![]);
    ok!(cx.clReleaseMemObject(b));
    equal!(all_gone(), vec![32, 31]);
    // Releasing the last sub-buffer destroys its parent, after the sub-buffer itself.
    ok!(cx.clReleaseMemObject(a));
    equal!(all_gone(), vec![32, 31, 22, 21, 12, 11]);
    Ok(())
}

fn destructor_after_kernel(cx: &Ctx) -> Outcome {
    let kernel = cx.kernel("kernel void k(global int *a) { *a = 5; }", "k")?;
    let mut host = [0i32; 4];
    let buffer = make!(cx.clCreateBuffer(cx.context, CL_MEM_USE_HOST_PTR, 16, raw(&mut host)));
    watch(cx, buffer, 1)?;
    cx.arg(kernel, 0, buffer)?;
    let (gate, global) = (cx.user_event()?, 1usize);
    let mut event = null_mut();
    ok!(cx.clEnqueueNDRangeKernel(cx.queue, kernel, 1, null(), &global, null(), 1, &gate, &mut event));
    ok!(cx.clReleaseMemObject(buffer));
    ok!(cx.clReleaseKernel(kernel));
    ok!(cx.clFlush(cx.queue));
    equal!(all_gone(), vec![]);
    ok!(cx.clSetUserEventStatus(gate, CL_COMPLETE));
    ok!(cx.clWaitForEvents(1, &event));
    equal!(all_gone(), vec![1]);
    equal!(host[0], 5);
    // A command that never runs releases its buffer, too.
    let lost = cx.empty_buffer(64)?;
    watch(cx, lost, 2)?;
    let gate = cx.user_event()?;
    let pattern = [1u8];
    let mut event = null_mut();
    ok!(cx.clEnqueueFillBuffer(cx.queue, lost, pattern.as_ptr().cast(), 1, 0, 64, 1, &gate, &mut event));
    ok!(cx.clReleaseMemObject(lost));
    ok!(cx.clSetUserEventStatus(gate, -1));
    fails!(CL_EXEC_STATUS_ERROR_FOR_EVENTS_IN_WAIT_LIST, cx.clWaitForEvents(1, &event));
    equal!(all_gone(), vec![1, 2]);
    Ok(())
}

fn map(cx: &Ctx, mem: cl_mem, flags: cl_ulong, offset: usize, size: usize) -> Outcome<*mut c_void> {
    let (queue, list, event) = (cx.queue, null(), null_mut());
    Ok(make!(cx.clEnqueueMapBuffer(queue, mem, CL_TRUE, flags, offset, size, 0, list, event)))
}

fn maps(cx: &Ctx, mem: cl_mem) -> Outcome<cl_uint> {
    query!(cx.clGetMemObjectInfo(mem, CL_MEM_MAP_COUNT)).value()
}

fn unmap_of_another_object(cx: &Ctx) -> Outcome {
    let step = step(cx)?;
    let (a, b) = (cx.empty_buffer(step * 2)?, cx.empty_buffer(step * 2)?);
    let sub = part(cx, a, 0, step)?;
    let (in_a, in_b) = (map(cx, a, CL_MAP_READ, 0, step)?, map(cx, b, CL_MAP_READ, 0, step)?);
    let unmap = |mem, pointer| cx.clEnqueueUnmapMemObject(cx.queue, mem, pointer, 0, null(), null_mut());
    fails!(CL_INVALID_VALUE, unmap(a, in_b));
    fails!(CL_INVALID_VALUE, unmap(b, in_a));
    // The same memory, but not a mapping of this object.
    fails!(CL_INVALID_VALUE, unmap(sub, in_a));
    fails!(CL_INVALID_VALUE, unmap(a, in_a.wrapping_byte_add(1)));
    equal!((maps(cx, a)?, maps(cx, b)?, maps(cx, sub)?), (1, 1, 0));
    ok!(unmap(a, in_a));
    fails!(CL_INVALID_VALUE, unmap(a, in_a));
    ok!(unmap(b, in_b));
    ok!(cx.clFinish(cx.queue));
    equal!((maps(cx, a)?, maps(cx, b)?), (0, 0));
    Ok(())
}

fn map_count_until_unmapped(cx: &Ctx) -> Outcome {
    let buffer = cx.empty_buffer(64)?;
    let pointer = map(cx, buffer, CL_MAP_WRITE, 0, 64)?;
    let gate = cx.user_event()?;
    ok!(cx.clEnqueueUnmapMemObject(cx.queue, buffer, pointer, 1, &gate, null_mut()));
    ok!(cx.clFlush(cx.queue));
    // The region is unmapped when the command has run. Until then, a second unmap is an error.
    equal!(maps(cx, buffer)?, 1);
    let again = cx.clEnqueueUnmapMemObject(cx.queue, buffer, pointer, 1, &gate, null_mut());
    fails!(CL_INVALID_VALUE, again);
    ok!(cx.clSetUserEventStatus(gate, CL_COMPLETE));
    ok!(cx.clFinish(cx.queue));
    equal!(maps(cx, buffer)?, 0);
    Ok(())
}

fn maps_that_overlap(cx: &Ctx) -> Outcome {
    let data: Vec<u8> = (0..200).collect();
    let buffer = cx.buffer(&data)?;
    let read = CL_MAP_READ;
    let all =
        [map(cx, buffer, read, 0, 100)?, map(cx, buffer, read, 50, 100)?, map(cx, buffer, read, 0, 200)?];
    equal!(maps(cx, buffer)?, 3);
    equal!(all[1].addr() - all[0].addr(), 50);
    // SAFETY: the mapping has 100 bytes.
    equal!(unsafe { all[1].cast::<u8>().add(99).read() }, 149);
    for (left, pointer) in (0..3).rev().zip(all) {
        ok!(cx.clEnqueueUnmapMemObject(cx.queue, buffer, pointer, 0, null(), null_mut()));
        ok!(cx.clFinish(cx.queue));
        equal!(maps(cx, buffer)?, left);
    }
    Ok(())
}

fn maps_for_writing(cx: &Ctx) -> Outcome {
    let buffer = cx.empty_buffer(256)?;
    let (write, discard) = (CL_MAP_WRITE, CL_MAP_WRITE_INVALIDATE_REGION);
    let refused = |flags, offset, size| -> Outcome {
        let (queue, list, event) = (cx.queue, null(), null_mut());
        let map = CL_INVALID_OPERATION;
        make_fails!(map, cx.clEnqueueMapBuffer(queue, buffer, CL_TRUE, flags, offset, size, 0, list, event));
        Ok(())
    };
    let unmap = |pointer| cx.clEnqueueUnmapMemObject(cx.queue, buffer, pointer, 0, null(), null_mut());
    let first = map(cx, buffer, write, 64, 64)?;
    for (flags, offset, size) in [
        (write, 64, 64),
        (write, 0, 65),
        (discard, 127, 1),
        (CL_MAP_READ | write, 0, 256),
        (discard, 100, 100),
    ] {
        refused(flags, offset, size)?;
    }
    equal!(maps(cx, buffer)?, 1);
    // Regions next to it, and a mapping for reading.
    let others = [map(cx, buffer, write, 0, 64)?, map(cx, buffer, discard, 128, 64)?];
    let reader = map(cx, buffer, CL_MAP_READ, 64, 64)?;
    equal!(reader, first);
    equal!(maps(cx, buffer)?, 4);
    // The region can be mapped again once an unmap is enqueued, even if it has not run.
    ok!(unmap(first));
    let again = map(cx, buffer, write, 64, 64)?;
    for pointer in [again, reader, others[0], others[1]] {
        ok!(unmap(pointer));
    }
    fails!(CL_INVALID_VALUE, unmap(first));
    ok!(cx.clFinish(cx.queue));
    equal!(maps(cx, buffer)?, 0);
    Ok(())
}

fn map_that_fails_later(cx: &Ctx) -> Outcome {
    // A map command whose wait list fails maps nothing, although it has returned the pointer.
    let buffer = cx.empty_buffer(64)?;
    let (gate, mut event, list) = (cx.user_event()?, null_mut(), null());
    let (queue, flags) = (cx.queue, CL_MAP_WRITE);
    let pointer = make!(cx.clEnqueueMapBuffer(queue, buffer, CL_FALSE, flags, 0, 64, 1, &gate, &mut event));
    equal!(maps(cx, buffer)?, 1);
    ok!(cx.clSetUserEventStatus(gate, -2));
    fails!(CL_EXEC_STATUS_ERROR_FOR_EVENTS_IN_WAIT_LIST, cx.clWaitForEvents(1, &event));
    equal!(maps(cx, buffer)?, 0);
    fails!(CL_INVALID_VALUE, cx.clEnqueueUnmapMemObject(queue, buffer, pointer, 0, list, null_mut()));
    let mapped = map(cx, buffer, CL_MAP_WRITE, 0, 64)?;
    // A failed unmap leaves the region mapped.
    ok!(cx.clEnqueueUnmapMemObject(queue, buffer, mapped, 1, &gate, &mut event));
    fails!(CL_EXEC_STATUS_ERROR_FOR_EVENTS_IN_WAIT_LIST, cx.clWaitForEvents(1, &event));
    equal!(maps(cx, buffer)?, 1);
    ok!(cx.clEnqueueUnmapMemObject(queue, buffer, mapped, 0, list, null_mut()));
    ok!(cx.clFinish(queue));
    Ok(())
}
