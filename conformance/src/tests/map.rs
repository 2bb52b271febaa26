//! Tests of mapping and unmapping.

use std::ptr::{null, null_mut};

use cl_sys::*;

use crate::check::Outcome;
use crate::context::Ctx;
use crate::{equal, fails, holds, make, make_fails, ok, query, tests};

tests! {
    "test_buffers":
        buffer_map_read_int, buffer_map_write_int, map_count, map_twice, negative_map, negative_unmap, map_waits;
    "test_basic":
        enqueue_map_buffer;
}

fn mapped(cx: &Ctx, buffer: cl_mem) -> Outcome<cl_uint> {
    query!(cx.clGetMemObjectInfo(buffer, CL_MEM_MAP_COUNT)).value()
}

fn buffer_map_read_int(cx: &Ctx) -> Outcome {
    let data: Vec<u32> = (0..512).map(|i| i ^ 0x55).collect();
    let buffer = cx.buffer(&data)?;
    let pointer =
        make!(cx.clEnqueueMapBuffer(cx.queue, buffer, CL_TRUE, CL_MAP_READ, 40, 400, 0, null(), null_mut()));
    // SAFETY: the mapping has 400 bytes.
    let found = unsafe { std::slice::from_raw_parts(pointer.cast::<u32>(), 100) };
    equal!(found, &data[10..110]);
    ok!(cx.clEnqueueUnmapMemObject(cx.queue, buffer, pointer, 0, null(), null_mut()));
    ok!(cx.clFinish(cx.queue));
    Ok(())
}

fn buffer_map_write_int(cx: &Ctx) -> Outcome {
    for flags in [CL_MAP_WRITE, CL_MAP_READ | CL_MAP_WRITE, CL_MAP_WRITE_INVALIDATE_REGION] {
        let buffer = cx.buffer(&[1u32; 64])?;
        let pointer =
            make!(cx.clEnqueueMapBuffer(cx.queue, buffer, CL_TRUE, flags, 128, 64, 0, null(), null_mut()));
        // SAFETY: the mapping has 64 bytes.
        unsafe { std::slice::from_raw_parts_mut(pointer.cast::<u32>(), 16) }.fill(7);
        ok!(cx.clEnqueueUnmapMemObject(cx.queue, buffer, pointer, 0, null(), null_mut()));
        let found = cx.contents::<u32>(buffer, 64)?;
        holds!(found.iter().enumerate().all(|(i, &v)| v == if (32..48).contains(&i) { 7 } else { 1 }));
        ok!(cx.clReleaseMemObject(buffer));
    }
    Ok(())
}

fn map_count(cx: &Ctx) -> Outcome {
    let buffer = cx.empty_buffer(256)?;
    equal!(mapped(cx, buffer)?, 0);
    let map = |offset| -> Outcome<*mut std::ffi::c_void> {
        Ok(make!(cx.clEnqueueMapBuffer(
            cx.queue,
            buffer,
            CL_TRUE,
            CL_MAP_READ,
            offset,
            64,
            0,
            null(),
            null_mut()
        )))
    };
    let (a, b) = (map(0)?, map(128)?);
    equal!(mapped(cx, buffer)?, 2);
    ok!(cx.clEnqueueUnmapMemObject(cx.queue, buffer, a, 0, null(), null_mut()));
    ok!(cx.clFinish(cx.queue));
    equal!(mapped(cx, buffer)?, 1);
    ok!(cx.clEnqueueUnmapMemObject(cx.queue, buffer, b, 0, null(), null_mut()));
    ok!(cx.clFinish(cx.queue));
    equal!(mapped(cx, buffer)?, 0);
    Ok(())
}

fn map_twice(cx: &Ctx) -> Outcome {
    // A region that is mapped twice can be unmapped twice, but not a third time.
    let buffer = cx.empty_buffer(256)?;
    let map = || -> Outcome<*mut std::ffi::c_void> {
        Ok(make!(cx.clEnqueueMapBuffer(cx.queue, buffer, CL_TRUE, CL_MAP_READ, 0, 64, 0, null(), null_mut())))
    };
    let (a, b) = (map()?, map()?);
    equal!(a, b);
    ok!(cx.clEnqueueUnmapMemObject(cx.queue, buffer, a, 0, null(), null_mut()));
    ok!(cx.clEnqueueUnmapMemObject(cx.queue, buffer, a, 0, null(), null_mut()));
    fails!(CL_INVALID_VALUE, cx.clEnqueueUnmapMemObject(cx.queue, buffer, a, 0, null(), null_mut()));
    ok!(cx.clFinish(cx.queue));
    Ok(())
}

fn negative_map(cx: &Ctx) -> Outcome {
    let buffer = cx.empty_buffer(64)?;
    let (read, list, event) = (CL_MAP_READ, null(), null_mut());
    make_fails!(
        CL_INVALID_COMMAND_QUEUE,
        cx.clEnqueueMapBuffer(null_mut(), buffer, CL_TRUE, read, 0, 64, 0, list, event)
    );
    make_fails!(
        CL_INVALID_MEM_OBJECT,
        cx.clEnqueueMapBuffer(cx.queue, null_mut(), CL_TRUE, read, 0, 64, 0, list, event)
    );
    make_fails!(
        CL_INVALID_VALUE,
        cx.clEnqueueMapBuffer(cx.queue, buffer, CL_TRUE, read, 0, 65, 0, list, event)
    );
    make_fails!(
        CL_INVALID_VALUE,
        cx.clEnqueueMapBuffer(cx.queue, buffer, CL_TRUE, read, 64, 1, 0, list, event)
    );
    make_fails!(
        CL_INVALID_VALUE,
        cx.clEnqueueMapBuffer(cx.queue, buffer, CL_TRUE, read, 0, 0, 0, list, event)
    );
    make_fails!(
        CL_INVALID_VALUE,
        cx.clEnqueueMapBuffer(cx.queue, buffer, CL_TRUE, 1 << 10, 0, 64, 0, list, event)
    );
    let both = CL_MAP_WRITE | CL_MAP_WRITE_INVALIDATE_REGION;
    make_fails!(
        CL_INVALID_VALUE,
        cx.clEnqueueMapBuffer(cx.queue, buffer, CL_TRUE, both, 0, 64, 0, list, event)
    );
    make_fails!(
        CL_INVALID_EVENT_WAIT_LIST,
        cx.clEnqueueMapBuffer(cx.queue, buffer, CL_TRUE, read, 0, 64, 1, list, event)
    );
    equal!(mapped(cx, buffer)?, 0);
    Ok(())
}

fn negative_unmap(cx: &Ctx) -> Outcome {
    let buffer = cx.empty_buffer(64)?;
    let mut host = 0u8;
    let foreign = (&raw mut host).cast();
    fails!(CL_INVALID_VALUE, cx.clEnqueueUnmapMemObject(cx.queue, buffer, foreign, 0, null(), null_mut()));
    fails!(CL_INVALID_VALUE, cx.clEnqueueUnmapMemObject(cx.queue, buffer, null_mut(), 0, null(), null_mut()));
    fails!(
        CL_INVALID_MEM_OBJECT,
        cx.clEnqueueUnmapMemObject(cx.queue, null_mut(), foreign, 0, null(), null_mut())
    );
    fails!(
        CL_INVALID_COMMAND_QUEUE,
        cx.clEnqueueUnmapMemObject(null_mut(), buffer, foreign, 0, null(), null_mut())
    );
    Ok(())
}

fn map_waits(cx: &Ctx) -> Outcome {
    // The pointer is returned at once. The contents are valid when the event is complete.
    let buffer = cx.buffer(&[1u32; 16])?;
    let gate = cx.user_event()?;
    let two = 2u32;
    ok!(cx.clEnqueueFillBuffer(cx.queue, buffer, (&raw const two).cast(), 4, 0, 64, 1, &gate, null_mut()));
    let mut event = null_mut();
    let pointer =
        make!(cx.clEnqueueMapBuffer(cx.queue, buffer, CL_FALSE, CL_MAP_READ, 0, 64, 0, null(), &mut event));
    holds!(cx.status(event)? > CL_COMPLETE);
    ok!(cx.clSetUserEventStatus(gate, CL_COMPLETE));
    ok!(cx.clWaitForEvents(1, &event));
    // SAFETY: the mapping has 64 bytes and is complete.
    equal!(unsafe { pointer.cast::<u32>().add(15).read() }, 2);
    ok!(cx.clEnqueueUnmapMemObject(cx.queue, buffer, pointer, 0, null(), null_mut()));
    ok!(cx.clFinish(cx.queue));
    Ok(())
}

fn enqueue_map_buffer(cx: &Ctx) -> Outcome {
    let flags = [0, CL_MEM_USE_HOST_PTR, CL_MEM_COPY_HOST_PTR, CL_MEM_ALLOC_HOST_PTR];
    for flag in flags {
        let mut host = vec![3u8; 1000];
        let uses = flag & (CL_MEM_USE_HOST_PTR | CL_MEM_COPY_HOST_PTR) != 0;
        let pointer = if uses { host.as_mut_ptr().cast() } else { null_mut() };
        let buffer = make!(cx.clCreateBuffer(cx.context, flag, 1000, pointer));
        let map = make!(cx.clEnqueueMapBuffer(
            cx.queue,
            buffer,
            CL_TRUE,
            CL_MAP_WRITE,
            0,
            1000,
            0,
            null(),
            null_mut()
        ));
        // SAFETY: the mapping has 1000 bytes.
        unsafe { map.cast::<u8>().write_bytes(8, 500) };
        ok!(cx.clEnqueueUnmapMemObject(cx.queue, buffer, map, 0, null(), null_mut()));
        let found = cx.contents::<u8>(buffer, 1000)?;
        holds!(found[..500].iter().all(|&b| b == 8));
        holds!(!uses || found[500..].iter().all(|&b| b == 3));
        ok!(cx.clReleaseMemObject(buffer));
    }
    Ok(())
}
