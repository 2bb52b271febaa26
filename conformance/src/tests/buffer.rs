//! Tests of buffers: creation, contents, access by the host, lifetime.

use std::ffi::c_void;
use std::ptr::{null, null_mut};
use std::sync::Mutex;

use cl_sys::*;

use crate::check::Outcome;
use crate::context::{Ctx, raw};
use crate::{equal, fails, holds, make, make_fails, ok, query, query_fails, tests};

tests! {
    "test_buffers":
        array_info_size, mem_read_write_flags, mem_copy_host_flags, mem_alloc_ref_flags, buffer_read_int,
        buffer_read_async_int, buffer_write_int, buffer_write_async_int, buffer_read_random_size, buffer_copy,
        buffer_partial_copy, buffer_fill, buffer_fill_zero_size, buffer_migrate, negative_create_buffer,
        negative_read_write, negative_copy, negative_fill, negative_migrate, zero_size;
    "test_api":
        retain_mem_object_single, retain_mem_object_multiple, mem_object_destructor_callback, get_buffer_info,
        min_data_type_align_size_alignment, destructor_after_use, negative_mem_object;
    "test_mem_host_flags":
        mem_host_read_only_buffer, mem_host_write_only_buffer, mem_host_no_access_buffer;
    "test_basic":
        hostptr;
}

fn info<T: Copy>(cx: &Ctx, mem: cl_mem, name: cl_uint) -> Outcome<T> {
    query!(cx.clGetMemObjectInfo(mem, name)).value()
}

fn array_info_size(cx: &Ctx) -> Outcome {
    for size in [1usize, 2, 127, 4096, 1 << 20] {
        let buffer = cx.empty_buffer(size)?;
        equal!(info::<usize>(cx, buffer, CL_MEM_SIZE)?, size);
        ok!(cx.clReleaseMemObject(buffer));
    }
    Ok(())
}

fn get_buffer_info(cx: &Ctx) -> Outcome {
    let buffer = make!(cx.clCreateBuffer(cx.context, 0, 64, null_mut()));
    equal!(info::<cl_uint>(cx, buffer, CL_MEM_TYPE)?, CL_MEM_OBJECT_BUFFER);
    equal!(info::<cl_ulong>(cx, buffer, CL_MEM_FLAGS)?, CL_MEM_READ_WRITE);
    equal!(info::<*mut c_void>(cx, buffer, CL_MEM_HOST_PTR)?, null_mut());
    equal!(info::<cl_uint>(cx, buffer, CL_MEM_MAP_COUNT)?, 0);
    equal!(info::<cl_context>(cx, buffer, CL_MEM_CONTEXT)?, cx.context);
    equal!(info::<cl_mem>(cx, buffer, CL_MEM_ASSOCIATED_MEMOBJECT)?, null_mut());
    equal!(info::<usize>(cx, buffer, CL_MEM_OFFSET)?, 0);
    equal!(info::<cl_bool>(cx, buffer, CL_MEM_USES_SVM_POINTER)?, CL_FALSE);
    query_fails!(CL_INVALID_VALUE, cx.clGetMemObjectInfo(buffer, 0xdead));
    Ok(())
}

fn mem_read_write_flags(cx: &Ctx) -> Outcome {
    let access = [CL_MEM_READ_WRITE, CL_MEM_READ_ONLY, CL_MEM_WRITE_ONLY];
    let host = [0, CL_MEM_HOST_READ_ONLY, CL_MEM_HOST_WRITE_ONLY, CL_MEM_HOST_NO_ACCESS];
    let place = [0, CL_MEM_USE_HOST_PTR, CL_MEM_COPY_HOST_PTR, CL_MEM_ALLOC_HOST_PTR];
    let mut data = vec![1u8; 256];
    let all = access.iter().flat_map(|a| host.map(|h| a | h)).flat_map(|f| place.map(|p| f | p));
    for flags in all {
        let uses = flags & (CL_MEM_USE_HOST_PTR | CL_MEM_COPY_HOST_PTR) != 0;
        let pointer = if uses { raw(&mut data) } else { null_mut() };
        let buffer = make!(cx.clCreateBuffer(cx.context, flags, 256, pointer));
        equal!(info::<cl_ulong>(cx, buffer, CL_MEM_FLAGS)?, flags);
        let expected = if flags & CL_MEM_USE_HOST_PTR != 0 { pointer } else { null_mut() };
        equal!(info::<*mut c_void>(cx, buffer, CL_MEM_HOST_PTR)?, expected);
        ok!(cx.clReleaseMemObject(buffer));
    }
    Ok(())
}

fn negative_create_buffer(cx: &Ctx) -> Outcome {
    let mut data = [0u8; 64];
    let pointer = raw(&mut data);
    make_fails!(CL_INVALID_CONTEXT, cx.clCreateBuffer(null_mut(), 0, 64, null_mut()));
    make_fails!(CL_INVALID_CONTEXT, cx.clCreateBuffer(cx.queue, 0, 64, null_mut()));
    for flags in [
        CL_MEM_READ_WRITE | CL_MEM_READ_ONLY,
        CL_MEM_READ_ONLY | CL_MEM_WRITE_ONLY,
        CL_MEM_HOST_READ_ONLY | CL_MEM_HOST_WRITE_ONLY,
        CL_MEM_HOST_READ_ONLY | CL_MEM_HOST_NO_ACCESS,
        1 << 40,
    ] {
        make_fails!(CL_INVALID_VALUE, cx.clCreateBuffer(cx.context, flags, 64, null_mut()));
    }
    for flags in [CL_MEM_USE_HOST_PTR | CL_MEM_COPY_HOST_PTR, CL_MEM_USE_HOST_PTR | CL_MEM_ALLOC_HOST_PTR] {
        make_fails!(CL_INVALID_VALUE, cx.clCreateBuffer(cx.context, flags, 64, pointer));
    }
    make_fails!(CL_INVALID_BUFFER_SIZE, cx.clCreateBuffer(cx.context, 0, 0, null_mut()));
    make_fails!(CL_INVALID_BUFFER_SIZE, cx.clCreateBuffer(cx.context, 0, usize::MAX, null_mut()));
    for flags in [CL_MEM_USE_HOST_PTR, CL_MEM_COPY_HOST_PTR] {
        make_fails!(CL_INVALID_HOST_PTR, cx.clCreateBuffer(cx.context, flags, 64, null_mut()));
    }
    for flags in [0, CL_MEM_READ_ONLY, CL_MEM_ALLOC_HOST_PTR] {
        make_fails!(CL_INVALID_HOST_PTR, cx.clCreateBuffer(cx.context, flags, 64, pointer));
    }
    // `errcode_ret` may be NULL.
    holds!(cx.clCreateBuffer(cx.context, 0, 0, null_mut(), null_mut()).is_null());
    Ok(())
}

fn mem_copy_host_flags(cx: &Ctx) -> Outcome {
    let mut data: Vec<u32> = (0..1000).collect();
    let expected = data.clone();
    let flags = CL_MEM_COPY_HOST_PTR | CL_MEM_ALLOC_HOST_PTR;
    let buffer = make!(cx.clCreateBuffer(cx.context, flags, 4000, raw(&mut data)));
    // The data were copied at creation.
    data.fill(7);
    equal!(cx.contents::<u32>(buffer, 1000)?, expected);
    Ok(())
}

fn mem_alloc_ref_flags(cx: &Ctx) -> Outcome {
    let buffer = make!(cx.clCreateBuffer(cx.context, CL_MEM_ALLOC_HOST_PTR, 4000, null_mut()));
    let flags = CL_MAP_WRITE_INVALIDATE_REGION;
    let pointer =
        make!(cx.clEnqueueMapBuffer(cx.queue, buffer, CL_TRUE, flags, 0, 4000, 0, null(), null_mut()));
    for i in 0..1000u32 {
        // SAFETY: the mapping has 4000 bytes.
        unsafe { pointer.cast::<u32>().add(i as usize).write(i) };
    }
    ok!(cx.clEnqueueUnmapMemObject(cx.queue, buffer, pointer, 0, null(), null_mut()));
    equal!(cx.contents::<u32>(buffer, 1000)?, (0..1000).collect::<Vec<u32>>());
    Ok(())
}

fn hostptr(cx: &Ctx) -> Outcome {
    let mut data: Vec<u32> = (0..256).collect();
    let pointer = raw(&mut data);
    let buffer = make!(cx.clCreateBuffer(cx.context, CL_MEM_USE_HOST_PTR, 1024, pointer));
    let five = 5u32;
    ok!(cx.clEnqueueFillBuffer(cx.queue, buffer, (&raw const five).cast(), 4, 0, 512, 0, null(), null_mut()));
    // Mapping returns a pointer into the application's memory, without a copy.
    let mapped =
        make!(cx.clEnqueueMapBuffer(cx.queue, buffer, CL_TRUE, CL_MAP_READ, 4, 64, 0, null(), null_mut()));
    equal!(mapped.addr(), pointer.addr() + 4);
    holds!(data[..128].iter().all(|&v| v == 5) && data[128] == 128);
    ok!(cx.clEnqueueUnmapMemObject(cx.queue, buffer, mapped, 0, null(), null_mut()));
    ok!(cx.clFinish(cx.queue));
    ok!(cx.clReleaseMemObject(buffer));
    Ok(())
}

fn buffer_read_int(cx: &Ctx) -> Outcome {
    let data: Vec<u32> = (0..4096).map(|i| i * 7 + 1).collect();
    let buffer = cx.buffer(&data)?;
    let mut part = [0u32; 10];
    ok!(cx.clEnqueueReadBuffer(cx.queue, buffer, CL_TRUE, 400, 40, raw(&mut part), 0, null(), null_mut()));
    equal!(&part[..], &data[100..110]);
    equal!(cx.contents::<u32>(buffer, 4096)?, data);
    Ok(())
}

fn buffer_read_async_int(cx: &Ctx) -> Outcome {
    let data: Vec<u32> = (0..4096).map(|i| i * 3).collect();
    let buffer = cx.buffer(&data)?;
    let mut back = vec![0u32; 4096];
    let mut event = null_mut();
    let target = raw(&mut back);
    ok!(cx.clEnqueueReadBuffer(cx.queue, buffer, CL_FALSE, 0, 16384, target, 0, null(), &mut event));
    let kind = query!(cx.clGetEventInfo(event, CL_EVENT_COMMAND_TYPE)).value::<cl_uint>()?;
    equal!(kind, CL_COMMAND_READ_BUFFER);
    ok!(cx.clWaitForEvents(1, &event));
    equal!(back, data);
    ok!(cx.clReleaseEvent(event));
    Ok(())
}

fn buffer_write_int(cx: &Ctx) -> Outcome {
    let buffer = cx.buffer(&[9u8; 64])?;
    let mut data = [1u8, 2, 3, 4];
    ok!(cx.clEnqueueWriteBuffer(cx.queue, buffer, CL_TRUE, 30, 4, raw(&mut data), 0, null(), null_mut()));
    data.fill(0);
    let found = cx.contents::<u8>(buffer, 64)?;
    equal!(&found[28..36], &[9, 9, 1, 2, 3, 4, 9, 9][..]);
    Ok(())
}

fn buffer_write_async_int(cx: &Ctx) -> Outcome {
    let buffer = cx.empty_buffer(4096)?;
    let mut data: Vec<u8> = (0..4096).map(|i| (i % 251) as u8).collect();
    let mut events = Vec::new();
    for part in 0..8 {
        let mut event = null_mut();
        let pointer = raw(&mut data[part * 512..]);
        ok!(cx.clEnqueueWriteBuffer(
            cx.queue,
            buffer,
            CL_FALSE,
            part * 512,
            512,
            pointer,
            0,
            null(),
            &mut event
        ));
        events.push(event);
    }
    ok!(cx.clWaitForEvents(8, events.as_ptr()));
    equal!(cx.contents::<u8>(buffer, 4096)?, data);
    for event in events {
        ok!(cx.clReleaseEvent(event));
    }
    Ok(())
}

fn buffer_read_random_size(cx: &Ctx) -> Outcome {
    let data: Vec<u8> = (0..10_000).map(|i| (i * i % 253) as u8).collect();
    let buffer = cx.buffer(&data)?;
    let mut seed = 1usize;
    for _ in 0..200 {
        seed = seed.wrapping_mul(6364136223846793005).wrapping_add(1442695040888963407);
        let offset = (seed >> 33) % 9_000;
        let size = (seed >> 20) % 1000 + 1;
        let mut part = vec![0u8; size];
        ok!(cx.clEnqueueReadBuffer(
            cx.queue,
            buffer,
            CL_TRUE,
            offset,
            size,
            raw(&mut part),
            0,
            null(),
            null_mut()
        ));
        equal!(&part[..], &data[offset..offset + size]);
    }
    Ok(())
}

fn negative_read_write(cx: &Ctx) -> Outcome {
    let buffer = cx.empty_buffer(64)?;
    let mut data = [0u8; 128];
    let pointer = raw(&mut data);
    let read = |queue, buffer, offset, size, pointer, count, list| {
        cx.clEnqueueReadBuffer(queue, buffer, CL_TRUE, offset, size, pointer, count, list, null_mut())
    };
    let write = |queue, buffer, offset, size, pointer: *mut c_void, count, list| {
        cx.clEnqueueWriteBuffer(queue, buffer, CL_TRUE, offset, size, pointer, count, list, null_mut())
    };
    type Transfer<'a> =
        &'a dyn Fn(cl_command_queue, cl_mem, usize, usize, *mut c_void, cl_uint, *const cl_event) -> cl_int;
    for transfer in [&read as Transfer, &write as Transfer] {
        fails!(CL_INVALID_COMMAND_QUEUE, transfer(null_mut(), buffer, 0, 64, pointer, 0, null()));
        fails!(CL_INVALID_MEM_OBJECT, transfer(cx.queue, null_mut(), 0, 64, pointer, 0, null()));
        fails!(CL_INVALID_MEM_OBJECT, transfer(cx.queue, cx.context, 0, 64, pointer, 0, null()));
        fails!(CL_INVALID_VALUE, transfer(cx.queue, buffer, 0, 65, pointer, 0, null()));
        fails!(CL_INVALID_VALUE, transfer(cx.queue, buffer, 64, 1, pointer, 0, null()));
        fails!(CL_INVALID_VALUE, transfer(cx.queue, buffer, 1, usize::MAX, pointer, 0, null()));
        fails!(CL_INVALID_VALUE, transfer(cx.queue, buffer, 0, 64, null_mut(), 0, null()));
        let event = cx.user_event()?;
        fails!(CL_INVALID_EVENT_WAIT_LIST, transfer(cx.queue, buffer, 0, 64, pointer, 1, null()));
        fails!(CL_INVALID_EVENT_WAIT_LIST, transfer(cx.queue, buffer, 0, 64, pointer, 0, &event));
        fails!(CL_INVALID_EVENT_WAIT_LIST, transfer(cx.queue, buffer, 0, 64, pointer, 1, &null_mut()));
        fails!(CL_INVALID_EVENT_WAIT_LIST, transfer(cx.queue, buffer, 0, 64, pointer, 1, &cx.queue));
        let other = make!(cx.clCreateContext(null(), 1, &cx.device, None, null_mut()));
        let foreign = make!(cx.clCreateUserEvent(other));
        fails!(CL_INVALID_CONTEXT, transfer(cx.queue, buffer, 0, 64, pointer, 1, &foreign));
        ok!(cx.clReleaseEvent(foreign));
        ok!(cx.clReleaseContext(other));
        ok!(cx.clReleaseEvent(event));
    }
    Ok(())
}

fn zero_size(cx: &Ctx) -> Outcome {
    // A command that moves no data is a command nevertheless.
    let buffer = cx.buffer(&[3u8; 64])?;
    let mut byte = [1u8];
    ok!(cx.clEnqueueReadBuffer(cx.queue, buffer, CL_TRUE, 64, 0, raw(&mut byte), 0, null(), null_mut()));
    ok!(cx.clEnqueueWriteBuffer(cx.queue, buffer, CL_TRUE, 0, 0, raw(&mut byte), 0, null(), null_mut()));
    equal!(byte[0], 1);
    equal!(cx.contents::<u8>(buffer, 64)?, vec![3; 64]);
    Ok(())
}

fn buffer_copy(cx: &Ctx) -> Outcome {
    let data: Vec<u32> = (0..1024).collect();
    let (source, target) = (cx.buffer(&data)?, cx.empty_buffer(4096)?);
    ok!(cx.clEnqueueCopyBuffer(cx.queue, source, target, 0, 0, 4096, 0, null(), null_mut()));
    equal!(cx.contents::<u32>(target, 1024)?, data);
    Ok(())
}

fn buffer_partial_copy(cx: &Ctx) -> Outcome {
    let data: Vec<u8> = (0..200).collect();
    let (source, target) = (cx.buffer(&data)?, cx.buffer(&[0u8; 200])?);
    ok!(cx.clEnqueueCopyBuffer(cx.queue, source, target, 10, 50, 30, 0, null(), null_mut()));
    let found = cx.contents::<u8>(target, 200)?;
    equal!(&found[50..80], &data[10..40]);
    holds!(found[..50].iter().chain(&found[80..]).all(|&b| b == 0));
    // Adjacent ranges of one buffer, which do not overlap.
    ok!(cx.clEnqueueCopyBuffer(cx.queue, source, source, 0, 100, 100, 0, null(), null_mut()));
    equal!(&cx.contents::<u8>(source, 200)?[100..], &data[..100]);
    Ok(())
}

fn negative_copy(cx: &Ctx) -> Outcome {
    let (a, b) = (cx.empty_buffer(64)?, cx.empty_buffer(32)?);
    let copy = |queue, from, to, source, target, size| {
        cx.clEnqueueCopyBuffer(queue, from, to, source, target, size, 0, null(), null_mut())
    };
    fails!(CL_INVALID_COMMAND_QUEUE, copy(null_mut(), a, b, 0, 0, 32));
    fails!(CL_INVALID_MEM_OBJECT, copy(cx.queue, null_mut(), b, 0, 0, 32));
    fails!(CL_INVALID_MEM_OBJECT, copy(cx.queue, a, null_mut(), 0, 0, 32));
    fails!(CL_INVALID_VALUE, copy(cx.queue, a, b, 0, 0, 33));
    fails!(CL_INVALID_VALUE, copy(cx.queue, a, b, 33, 0, 32));
    fails!(CL_INVALID_VALUE, copy(cx.queue, a, b, 0, 1, 32));
    fails!(CL_INVALID_VALUE, copy(cx.queue, a, b, usize::MAX, 0, 2));
    fails!(CL_MEM_COPY_OVERLAP, copy(cx.queue, a, a, 0, 31, 32));
    fails!(CL_MEM_COPY_OVERLAP, copy(cx.queue, a, a, 31, 0, 32));
    fails!(CL_MEM_COPY_OVERLAP, copy(cx.queue, a, a, 0, 0, 1));
    ok!(copy(cx.queue, a, a, 0, 32, 32));
    ok!(cx.clFinish(cx.queue));
    Ok(())
}

fn buffer_fill(cx: &Ctx) -> Outcome {
    for length in [1usize, 2, 4, 8, 16, 32, 64, 128] {
        let pattern: Vec<u8> = (0..length).map(|i| (i * 3 + 1) as u8).collect();
        let buffer = cx.buffer(&[0u8; 1024])?;
        let (offset, size) = (length, 1024 - 2 * length.max(64));
        let size = size / length * length;
        ok!(cx.clEnqueueFillBuffer(
            cx.queue,
            buffer,
            pattern.as_ptr().cast(),
            length,
            offset,
            size,
            0,
            null(),
            null_mut()
        ));
        // The pattern is copied when the command is enqueued.
        let found = cx.contents::<u8>(buffer, 1024)?;
        for (i, &byte) in found.iter().enumerate() {
            let inside = (offset..offset + size).contains(&i);
            equal!(byte, if inside { pattern[(i - offset) % length] } else { 0 });
        }
        ok!(cx.clReleaseMemObject(buffer));
    }
    Ok(())
}

fn buffer_fill_zero_size(cx: &Ctx) -> Outcome {
    let buffer = cx.buffer(&[5u8; 16])?;
    ok!(cx.clEnqueueFillBuffer(cx.queue, buffer, [1u8].as_ptr().cast(), 1, 16, 0, 0, null(), null_mut()));
    equal!(cx.contents::<u8>(buffer, 16)?, vec![5; 16]);
    Ok(())
}

fn negative_fill(cx: &Ctx) -> Outcome {
    let buffer = cx.empty_buffer(1024)?;
    let pattern = [0u8; 512];
    let fill = |buffer, pattern: *const c_void, length, offset, size| {
        cx.clEnqueueFillBuffer(cx.queue, buffer, pattern, length, offset, size, 0, null(), null_mut())
    };
    let pattern = pattern.as_ptr().cast();
    fails!(CL_INVALID_MEM_OBJECT, fill(null_mut(), pattern, 1, 0, 16));
    fails!(CL_INVALID_VALUE, fill(buffer, null(), 1, 0, 16));
    for length in [0, 3, 5, 12, 256] {
        fails!(CL_INVALID_VALUE, fill(buffer, pattern, length, 0, length * 2));
    }
    fails!(CL_INVALID_VALUE, fill(buffer, pattern, 4, 2, 16));
    fails!(CL_INVALID_VALUE, fill(buffer, pattern, 4, 0, 18));
    fails!(CL_INVALID_VALUE, fill(buffer, pattern, 4, 1024, 4));
    fails!(CL_INVALID_VALUE, fill(buffer, pattern, 4, 0, 1028));
    let queue = null_mut();
    fails!(
        CL_INVALID_COMMAND_QUEUE,
        cx.clEnqueueFillBuffer(queue, buffer, pattern, 1, 0, 16, 0, null(), null_mut())
    );
    Ok(())
}

fn buffer_migrate(cx: &Ctx) -> Outcome {
    let mems = [cx.buffer(&[1u8; 64])?, cx.buffer(&[2u8; 64])?];
    for flags in [0, CL_MIGRATE_MEM_OBJECT_HOST, CL_MIGRATE_MEM_OBJECT_CONTENT_UNDEFINED] {
        let mut event = null_mut();
        ok!(cx.clEnqueueMigrateMemObjects(cx.queue, 2, mems.as_ptr(), flags, 0, null(), &mut event));
        let kind = query!(cx.clGetEventInfo(event, CL_EVENT_COMMAND_TYPE)).value::<cl_uint>()?;
        equal!(kind, CL_COMMAND_MIGRATE_MEM_OBJECTS);
        ok!(cx.clWaitForEvents(1, &event));
        ok!(cx.clReleaseEvent(event));
    }
    equal!(cx.contents::<u8>(mems[1], 64)?, vec![2; 64]);
    Ok(())
}

fn negative_migrate(cx: &Ctx) -> Outcome {
    let mem = cx.empty_buffer(64)?;
    let migrate = |count, list, flags| {
        cx.clEnqueueMigrateMemObjects(cx.queue, count, list, flags, 0, null(), null_mut())
    };
    fails!(CL_INVALID_VALUE, migrate(0, &mem, 0));
    fails!(CL_INVALID_VALUE, migrate(1, null(), 0));
    fails!(CL_INVALID_VALUE, migrate(1, &mem, 1 << 20));
    fails!(CL_INVALID_MEM_OBJECT, migrate(1, &cx.queue, 0));
    Ok(())
}

fn min_data_type_align_size_alignment(cx: &Ctx) -> Outcome {
    let align =
        query!(cx.clGetDeviceInfo(cx.device, CL_DEVICE_MIN_DATA_TYPE_ALIGN_SIZE)).value::<cl_uint>()?;
    for size in [1, 100, 5000] {
        let buffer = cx.empty_buffer(size)?;
        let pointer = make!(cx.clEnqueueMapBuffer(
            cx.queue,
            buffer,
            CL_TRUE,
            CL_MAP_READ,
            0,
            size,
            0,
            null(),
            null_mut()
        ));
        equal!(pointer.addr() % align as usize, 0);
    }
    Ok(())
}

fn references(cx: &Ctx, mem: cl_mem) -> Outcome<cl_uint> {
    info(cx, mem, CL_MEM_REFERENCE_COUNT)
}

fn retain_mem_object_single(cx: &Ctx) -> Outcome {
    let buffer = cx.empty_buffer(64)?;
    equal!(references(cx, buffer)?, 1);
    ok!(cx.clReleaseMemObject(buffer));
    if cx.is_vendor() {
        fails!(CL_INVALID_MEM_OBJECT, cx.clRetainMemObject(buffer));
        fails!(CL_INVALID_MEM_OBJECT, cx.clReleaseMemObject(buffer));
    }
    Ok(())
}

fn retain_mem_object_multiple(cx: &Ctx) -> Outcome {
    let buffer = cx.empty_buffer(64)?;
    for i in 1..=17 {
        equal!(references(cx, buffer)?, i);
        ok!(cx.clRetainMemObject(buffer));
    }
    // Commands keep the buffer alive without incrementing its reference count.
    let gate = cx.user_event()?;
    let pattern = [1u8];
    ok!(cx.clEnqueueFillBuffer(cx.queue, buffer, pattern.as_ptr().cast(), 1, 0, 64, 1, &gate, null_mut()));
    for i in (1..=18).rev() {
        equal!(references(cx, buffer)?, i);
        ok!(cx.clReleaseMemObject(buffer));
    }
    ok!(cx.clSetUserEventStatus(gate, CL_COMPLETE));
    ok!(cx.clFinish(cx.queue));
    Ok(())
}

fn negative_mem_object(cx: &Ctx) -> Outcome {
    for handle in [null_mut(), cx.context, cx.queue] {
        fails!(CL_INVALID_MEM_OBJECT, cx.clRetainMemObject(handle));
        fails!(CL_INVALID_MEM_OBJECT, cx.clReleaseMemObject(handle));
        query_fails!(CL_INVALID_MEM_OBJECT, cx.clGetMemObjectInfo(handle, CL_MEM_SIZE));
        fails!(CL_INVALID_MEM_OBJECT, cx.clSetMemObjectDestructorCallback(handle, Some(note), null_mut()));
    }
    let buffer = cx.empty_buffer(64)?;
    fails!(CL_INVALID_VALUE, cx.clSetMemObjectDestructorCallback(buffer, None, null_mut()));
    Ok(())
}

static NOTES: Mutex<Vec<(usize, usize)>> = Mutex::new(Vec::new());

unsafe extern "C" fn note(mem: cl_mem, data: *mut c_void) {
    NOTES.lock().expect("nobody panics here").push((mem.addr(), data.addr()));
}

fn notes() -> Vec<(usize, usize)> {
    std::mem::take(&mut NOTES.lock().expect("nobody panics here"))
}

fn data(number: usize) -> *mut c_void {
    std::ptr::without_provenance_mut(number)
}

fn mem_object_destructor_callback(cx: &Ctx) -> Outcome {
    let mut host = [0u8; 64];
    let buffer = make!(cx.clCreateBuffer(cx.context, CL_MEM_USE_HOST_PTR, 64, raw(&mut host)));
    for i in 1..=4 {
        ok!(cx.clSetMemObjectDestructorCallback(buffer, Some(note), data(i)));
    }
    ok!(cx.clRetainMemObject(buffer));
    ok!(cx.clReleaseMemObject(buffer));
    equal!(notes(), vec![]);
    ok!(cx.clReleaseMemObject(buffer));
    // Callbacks are called in the reverse order of their registration.
    let address = buffer.addr();
    equal!(notes(), (1..=4).rev().map(|i| (address, i)).collect::<Vec<_>>());
    Ok(())
}

fn destructor_after_use(cx: &Ctx) -> Outcome {
    let mut host = [0u8; 64];
    let buffer = make!(cx.clCreateBuffer(cx.context, CL_MEM_USE_HOST_PTR, 64, raw(&mut host)));
    ok!(cx.clSetMemObjectDestructorCallback(buffer, Some(note), data(1)));
    let gate = cx.user_event()?;
    let pattern = [9u8];
    let mut event = null_mut();
    ok!(cx.clEnqueueFillBuffer(cx.queue, buffer, pattern.as_ptr().cast(), 1, 0, 64, 1, &gate, &mut event));
    ok!(cx.clReleaseMemObject(buffer));
    ok!(cx.clFlush(cx.queue));
    equal!(notes(), vec![]);
    ok!(cx.clSetUserEventStatus(gate, CL_COMPLETE));
    ok!(cx.clWaitForEvents(1, &event));
    // The object no longer exists once a wait for the last command returns.
    equal!(notes(), vec![(buffer.addr(), 1)]);
    equal!(host, [9; 64]);
    Ok(())
}

/// Tries all kinds of host access to a buffer with these flags.
fn host_access(cx: &Ctx, flags: cl_ulong, reads: cl_int, writes: cl_int) -> Outcome {
    let buffer = make!(cx.clCreateBuffer(cx.context, flags, 64, null_mut()));
    let mut bytes = [0u8; 64];
    let pointer = raw(&mut bytes);
    fails!(reads, cx.clEnqueueReadBuffer(cx.queue, buffer, CL_TRUE, 0, 64, pointer, 0, null(), null_mut()));
    fails!(writes, cx.clEnqueueWriteBuffer(cx.queue, buffer, CL_TRUE, 0, 64, pointer, 0, null(), null_mut()));
    let (zero, region) = ([0usize; 3], [8usize, 2, 2]);
    let (zero, region) = (zero.as_ptr(), region.as_ptr());
    let rect = cx.clEnqueueReadBufferRect(
        cx.queue,
        buffer,
        CL_TRUE,
        zero,
        zero,
        region,
        0,
        0,
        0,
        0,
        pointer,
        0,
        null(),
        null_mut(),
    );
    fails!(reads, rect);
    let rect = cx.clEnqueueWriteBufferRect(
        cx.queue,
        buffer,
        CL_TRUE,
        zero,
        zero,
        region,
        0,
        0,
        0,
        0,
        pointer,
        0,
        null(),
        null_mut(),
    );
    fails!(writes, rect);
    for (flags, expected) in [
        (CL_MAP_READ, reads),
        (CL_MAP_WRITE, writes),
        (CL_MAP_WRITE_INVALIDATE_REGION, writes),
        (CL_MAP_READ | CL_MAP_WRITE, if reads == 0 { writes } else { reads }),
    ] {
        let mut code = 1;
        let (list, event) = (null(), null_mut());
        let mapped =
            cx.clEnqueueMapBuffer(cx.queue, buffer, CL_TRUE, flags, 0, 64, 0, list, event, &mut code);
        equal!(code, expected);
        if expected == CL_SUCCESS {
            ok!(cx.clEnqueueUnmapMemObject(cx.queue, buffer, mapped, 0, null(), null_mut()));
        }
    }
    // The flags do not restrict commands that run on the device.
    let other = cx.empty_buffer(64)?;
    ok!(cx.clEnqueueCopyBuffer(cx.queue, buffer, other, 0, 0, 64, 0, null(), null_mut()));
    ok!(cx.clEnqueueCopyBuffer(cx.queue, other, buffer, 0, 0, 64, 0, null(), null_mut()));
    ok!(cx.clEnqueueFillBuffer(cx.queue, buffer, [1u8].as_ptr().cast(), 1, 0, 64, 0, null(), null_mut()));
    ok!(cx.clFinish(cx.queue));
    Ok(())
}

fn mem_host_read_only_buffer(cx: &Ctx) -> Outcome {
    host_access(cx, CL_MEM_HOST_READ_ONLY, CL_SUCCESS, CL_INVALID_OPERATION)
}

fn mem_host_write_only_buffer(cx: &Ctx) -> Outcome {
    host_access(cx, CL_MEM_HOST_WRITE_ONLY, CL_INVALID_OPERATION, CL_SUCCESS)
}

fn mem_host_no_access_buffer(cx: &Ctx) -> Outcome {
    host_access(cx, CL_MEM_HOST_NO_ACCESS, CL_INVALID_OPERATION, CL_INVALID_OPERATION)
}
