//! Tests of pipes.

use std::ptr::{null, null_mut};

use cl_sys::*;

use crate::check::{Failure, Outcome};
use crate::context::{Ctx, raw};
use crate::{equal, fails, holds, make, make_fails, ok, query, query_fails, tests};

tests! {
    "test_pipes":
        pipe_info, negative_create_pipe, negative_get_pipe_info, pipes_are_not_buffers, negative_pipe_arg,
        pipe_limits, packets_arrive_once, packets_keep_their_order, packets_of_every_size, reservations_of_groups;
}

const VERSION_2: &str = "-cl-std=CL2.0";
/// CL_PIPE_PROPERTIES of 3.0.
const PROPERTIES: cl_uint = 0x1122;
const OUT_OF_ORDER: cl_ulong = CL_QUEUE_OUT_OF_ORDER_EXEC_MODE_ENABLE;

fn has_pipes(cx: &Ctx) -> Outcome {
    let args = query!(cx.clGetDeviceInfo(cx.device, CL_DEVICE_MAX_PIPE_ARGS)).value::<cl_uint>()?;
    if args == 0 { Err(Failure::Skipped("the device has no pipes".into())) } else { Ok(()) }
}

fn pipe(cx: &Ctx, packet: cl_uint, packets: cl_uint) -> Outcome<cl_mem> {
    Ok(make!(cx.clCreatePipe(cx.context, CL_MEM_HOST_NO_ACCESS, packet, packets, null())))
}

fn pipe_info(cx: &Ctx) -> Outcome {
    has_pipes(cx)?;
    let pipe = make!(cx.clCreatePipe(cx.context, 0, 12, 1000, null()));
    equal!(query!(cx.clGetPipeInfo(pipe, CL_PIPE_PACKET_SIZE)).value::<cl_uint>()?, 12);
    equal!(query!(cx.clGetPipeInfo(pipe, CL_PIPE_MAX_PACKETS)).value::<cl_uint>()?, 1000);
    equal!(query!(cx.clGetPipeInfo(pipe, PROPERTIES)).size(), 0);
    equal!(query!(cx.clGetMemObjectInfo(pipe, CL_MEM_TYPE)).value::<cl_uint>()?, CL_MEM_OBJECT_PIPE);
    equal!(query!(cx.clGetMemObjectInfo(pipe, CL_MEM_CONTEXT)).value::<cl_context>()?, cx.context);
    let flags = query!(cx.clGetMemObjectInfo(pipe, CL_MEM_FLAGS)).value::<cl_ulong>()?;
    equal!(flags, CL_MEM_READ_WRITE | CL_MEM_HOST_NO_ACCESS);
    equal!(query!(cx.clGetMemObjectInfo(pipe, CL_MEM_HOST_PTR)).value::<usize>()?, 0);
    equal!(query!(cx.clGetMemObjectInfo(pipe, CL_MEM_REFERENCE_COUNT)).value::<cl_uint>()?, 1);
    holds!(query!(cx.clGetMemObjectInfo(pipe, CL_MEM_SIZE)).value::<usize>()? >= 12 * 1000);
    ok!(cx.clReleaseMemObject(pipe));
    Ok(())
}

fn negative_create_pipe(cx: &Ctx) -> Outcome {
    has_pipes(cx)?;
    make_fails!(CL_INVALID_CONTEXT, cx.clCreatePipe(null_mut(), 0, 4, 16, null()));
    make_fails!(CL_INVALID_CONTEXT, cx.clCreatePipe(cx.queue.cast(), 0, 4, 16, null()));
    for flags in [
        CL_MEM_READ_ONLY,
        CL_MEM_WRITE_ONLY,
        CL_MEM_USE_HOST_PTR,
        CL_MEM_COPY_HOST_PTR,
        CL_MEM_ALLOC_HOST_PTR,
        CL_MEM_HOST_READ_ONLY,
        CL_MEM_READ_WRITE | CL_MEM_HOST_WRITE_ONLY,
        1 << 40,
    ] {
        make_fails!(CL_INVALID_VALUE, cx.clCreatePipe(cx.context, flags, 4, 16, null()));
    }
    let properties = [5isize, 0];
    make_fails!(CL_INVALID_VALUE, cx.clCreatePipe(cx.context, 0, 4, 16, properties.as_ptr()));
    let most = query!(cx.clGetDeviceInfo(cx.device, CL_DEVICE_PIPE_MAX_PACKET_SIZE)).value::<cl_uint>()?;
    for (packet, packets) in [(0, 16), (4, 0), (most + 1, 1), (most, u32::MAX), (u32::MAX, u32::MAX)] {
        make_fails!(CL_INVALID_PIPE_SIZE, cx.clCreatePipe(cx.context, 0, packet, packets, null()));
    }
    Ok(())
}

fn negative_get_pipe_info(cx: &Ctx) -> Outcome {
    has_pipes(cx)?;
    let pipe = pipe(cx, 4, 16)?;
    let buffer = cx.empty_buffer(64)?;
    for wrong in [null_mut(), buffer, cx.queue] {
        query_fails!(CL_INVALID_MEM_OBJECT, cx.clGetPipeInfo(wrong, CL_PIPE_PACKET_SIZE));
    }
    query_fails!(CL_INVALID_VALUE, cx.clGetPipeInfo(pipe, 0));
    let mut short = 0u16;
    let small = (&raw mut short).cast();
    fails!(CL_INVALID_VALUE, cx.clGetPipeInfo(pipe, CL_PIPE_PACKET_SIZE, 2, small, null_mut()));
    Ok(())
}

fn pipes_are_not_buffers(cx: &Ctx) -> Outcome {
    has_pipes(cx)?;
    let pipe = pipe(cx, 4, 16)?;
    let buffer = cx.empty_buffer(64)?;
    let mut data = [0u8; 64];
    let (queue, wrong, to) = (cx.queue, CL_INVALID_MEM_OBJECT, raw(&mut data));
    fails!(wrong, cx.clEnqueueReadBuffer(queue, pipe, CL_TRUE, 0, 4, to, 0, null(), null_mut()));
    fails!(wrong, cx.clEnqueueWriteBuffer(queue, pipe, CL_TRUE, 0, 4, to, 0, null(), null_mut()));
    fails!(wrong, cx.clEnqueueCopyBuffer(queue, pipe, buffer, 0, 0, 4, 0, null(), null_mut()));
    fails!(wrong, cx.clEnqueueCopyBuffer(queue, buffer, pipe, 0, 0, 4, 0, null(), null_mut()));
    fails!(wrong, cx.clEnqueueFillBuffer(queue, pipe, to, 4, 0, 4, 0, null(), null_mut()));
    let read = CL_MAP_READ;
    make_fails!(wrong, cx.clEnqueueMapBuffer(queue, pipe, CL_TRUE, read, 0, 4, 0, null(), null_mut()));
    let region = [0usize, 4];
    let kind = CL_BUFFER_CREATE_TYPE_REGION;
    make_fails!(wrong, cx.clCreateSubBuffer(pipe, 0, kind, region.as_ptr().cast()));
    query_fails!(wrong, cx.clGetImageInfo(pipe, CL_IMAGE_WIDTH));
    let kernel = cx.kernel("kernel void k(global int *p) {}", "k")?;
    fails!(wrong, cx.clSetKernelArg(kernel, 0, size_of::<cl_mem>(), (&raw const pipe).cast()));
    // Pipes are accepted where all memory objects are.
    ok!(cx.clEnqueueMigrateMemObjects(queue, 1, &pipe, 0, 0, null(), null_mut()));
    ok!(cx.clRetainMemObject(pipe));
    ok!(cx.clReleaseMemObject(pipe));
    ok!(cx.clFinish(queue));
    Ok(())
}

fn negative_pipe_arg(cx: &Ctx) -> Outcome {
    has_pipes(cx)?;
    let kernel = cx.kernel_with("kernel void k(write_only pipe int4 p) {}", VERSION_2, "k")?;
    let set = |mem: cl_mem| cx.clSetKernelArg(kernel, 0, size_of::<cl_mem>(), (&raw const mem).cast());
    let right = pipe(cx, 16, 4)?;
    for wrong in [null_mut(), cx.queue, cx.context, cx.empty_buffer(64)?] {
        equal!(set(wrong), CL_INVALID_MEM_OBJECT);
    }
    fails!(CL_INVALID_MEM_OBJECT, cx.clSetKernelArg(kernel, 0, size_of::<cl_mem>(), null()));
    for size in [0, 4, 16] {
        fails!(CL_INVALID_ARG_SIZE, cx.clSetKernelArg(kernel, 0, size, (&raw const right).cast()));
    }
    let other = cx.sibling()?;
    equal!(set(pipe(&other, 16, 4)?), CL_INVALID_CONTEXT);
    // Kernels would write beyond the end of a packet, or to a misaligned address.
    for size in [4, 12, 20, 24] {
        equal!(set(pipe(cx, size, 4)?), CL_INVALID_ARG_VALUE);
    }
    let launch = || cx.clEnqueueNDRangeKernel(cx.queue, kernel, 1, null(), &1, null(), 0, null(), null_mut());
    equal!(launch(), CL_INVALID_KERNEL_ARGS);
    ok!(set(right));
    ok!(launch());
    ok!(cx.clReleaseMemObject(right));
    ok!(cx.clFinish(cx.queue));
    equal!(launch(), CL_INVALID_KERNEL_ARGS);
    Ok(())
}

fn pipe_limits(cx: &Ctx) -> Outcome {
    has_pipes(cx)?;
    let limit = |name| query!(cx.clGetDeviceInfo(cx.device, name)).value::<cl_uint>();
    holds!(limit(CL_DEVICE_MAX_PIPE_ARGS)? >= 16);
    holds!(limit(CL_DEVICE_PIPE_MAX_ACTIVE_RESERVATIONS)? >= 1);
    let size = limit(CL_DEVICE_PIPE_MAX_PACKET_SIZE)?;
    holds!(size >= 1024);
    let source = "
        typedef struct { uchar bytes[SIZE]; } packet;
        kernel void put(write_only pipe packet p, global packet *from) { write_pipe(p, from); }
        kernel void get(read_only pipe packet p, global packet *to) { read_pipe(p, to); }";
    let program = cx.program_with(source, &format!("{VERSION_2} -DSIZE={size}"))?;
    let data: Vec<u8> = (0..size).map(|i| (i % 251) as u8).collect();
    let (from, to) = (cx.buffer(&data)?, cx.empty_buffer(size as usize)?);
    let pipe = pipe(cx, size, 1)?;
    for (name, buffer) in [(c"put", from), (c"get", to)] {
        let kernel = make!(cx.clCreateKernel(program, name.as_ptr()));
        cx.arg(kernel, 0, pipe)?;
        cx.arg(kernel, 1, buffer)?;
        cx.launch(kernel, 1, None)?;
    }
    equal!(cx.contents::<u8>(to, size as usize)?, data);
    Ok(())
}

/// Tests concurrent writers and readers in many work-groups: every packet arrives exactly once.
fn packets_arrive_once(cx: &Ctx) -> Outcome {
    has_pipes(cx)?;
    let source = "
        kernel void put(write_only pipe ulong p, global uint *done, uint each)
        {
            uint id = get_global_id(0), next = done[id];
            for (uint tries = 0; tries < 100 && next < each; ++tries) {
                if (next % 3 == 0 && next + 2 < each) {
                    reserve_id_t places = reserve_write_pipe(p, 2);
                    if (is_valid_reserve_id(places)) {
                        ulong a = (ulong)id << 32 | next, b = a + 1;
                        write_pipe(p, places, 1, &b);
                        write_pipe(p, places, 0, &a);
                        commit_write_pipe(p, places);
                        next += 2;
                    }
                } else {
                    ulong packet = (ulong)id << 32 | next;
                    next += write_pipe(p, &packet) == 0;
                }
            }
            done[id] = next;
        }
        kernel void get(read_only pipe ulong p, global uint *seen, uint each, global uint *count)
        {
            ulong packet;
            for (uint tries = 0; tries < 100; ++tries)
                if (read_pipe(p, &packet) == 0) {
                    atomic_inc(seen + (uint)(packet >> 32) * each + (uint)packet);
                    atomic_inc(count);
                }
        }";
    let program = cx.program_with(source, VERSION_2)?;
    let (writers, each, readers) = (256usize, 200u32, 192);
    let total = writers * each as usize;
    let pipe = pipe(cx, 8, 1000)?;
    let done = cx.buffer(&vec![0u32; writers])?;
    let seen = cx.buffer(&vec![0u32; total])?;
    let count = cx.buffer(&[0u32])?;
    let put = make!(cx.clCreateKernel(program, c"put".as_ptr()));
    cx.arg(put, 0, pipe)?;
    cx.arg(put, 1, done)?;
    cx.arg(put, 2, each)?;
    let get = make!(cx.clCreateKernel(program, c"get".as_ptr()));
    cx.arg(get, 0, pipe)?;
    cx.arg(get, 1, seen)?;
    cx.arg(get, 2, each)?;
    cx.arg(get, 3, count)?;
    let queue = cx.queue(OUT_OF_ORDER)?;
    for _ in 0..10_000 {
        for (kernel, items) in [(put, writers), (get, readers), (get, readers)] {
            let local = 8;
            ok!(cx.clEnqueueNDRangeKernel(queue, kernel, 1, null(), &items, &local, 0, null(), null_mut()));
        }
        ok!(cx.clFinish(queue));
        if cx.contents::<u32>(count, 1)?[0] as usize >= total {
            break;
        }
    }
    equal!(cx.contents::<u32>(count, 1)?[0] as usize, total);
    holds!(cx.contents::<u32>(seen, total)?.iter().all(|&times| times == 1));
    Ok(())
}

/// Tests the order of packets of a single writer, while the ring buffer wraps around many times.
fn packets_keep_their_order(cx: &Ctx) -> Outcome {
    has_pipes(cx)?;
    let source = "
        kernel void put(write_only pipe uint p, uint from, global uint *out)
        {
            uint packet = from;
            while (write_pipe(p, &packet) == 0)
                ++packet;
            *out = packet;
        }
        kernel void get(read_only pipe uint p, uint most, global uint *out)
        {
            uint next = 0;
            while (next < most && read_pipe(p, out + next) == 0)
                ++next;
        }";
    let program = cx.program_with(source, VERSION_2)?;
    let put = make!(cx.clCreateKernel(program, c"put".as_ptr()));
    let get = make!(cx.clCreateKernel(program, c"get".as_ptr()));
    let pipe = pipe(cx, 4, 7)?;
    let out = cx.buffer(&[0u32; 7])?;
    cx.arg(put, 0, pipe)?;
    cx.arg(put, 2, out)?;
    cx.arg(get, 0, pipe)?;
    cx.arg(get, 2, out)?;
    let (mut written, mut read) = (0u32, 0u32);
    for lap in 0..50 {
        cx.arg(put, 1, written)?;
        cx.launch(put, 1, None)?;
        equal!(cx.contents::<u32>(out, 1)?[0], read + 7);
        written = read + 7;
        let most = lap % 8;
        cx.arg(get, 1, most)?;
        cx.launch(get, 1, None)?;
        let expected: Vec<u32> = (read..read + most.min(7)).collect();
        equal!(cx.contents::<u32>(out, expected.len().max(1))?[..expected.len()].to_vec(), expected);
        read += most.min(7);
    }
    Ok(())
}

fn packets_of_every_size(cx: &Ctx) -> Outcome {
    has_pipes(cx)?;
    for (name, size) in [
        ("char", 1),
        ("ushort", 2),
        ("half", 2),
        ("uchar3", 4),
        ("float", 4),
        ("struct { char c[3]; }", 3),
        ("struct { short s[3]; }", 6),
        ("int3", 16),
        ("double", 8),
        ("struct { int a; char b; }", 8),
        ("float16", 64),
        ("double16", 128),
        ("struct { long16 a; int b; }", 256),
    ] {
        let source = format!(
            "typedef {name} packet;
             kernel void put(write_only pipe packet p, global packet *io) {{
                 size_t i = get_global_id(0);
                 write_pipe(p, &io[i]);
             }}
             kernel void get(read_only pipe packet p, global packet *io) {{
                 local packet room[4];
                 size_t i = get_local_id(0);
                 read_pipe(p, &room[i]);
                 io[i] = room[i];
             }}"
        );
        let program = cx.program_with(&source, VERSION_2)?;
        let data: Vec<u8> = (0..4 * size).map(|i| (i * 7 % 120) as u8).collect();
        let io = cx.buffer(&data)?;
        let pipe = pipe(cx, size, 4)?;
        for kernel in [c"put", c"get"] {
            let kernel = make!(cx.clCreateKernel(program, kernel.as_ptr()));
            cx.arg(kernel, 0, pipe)?;
            cx.arg(kernel, 1, io)?;
            cx.launch(kernel, 4, Some(4))?;
        }
        // The work-items of a single work-group run in order. Otherwise the order is unspecified, but the set of
        // packets is the same.
        let mut found: Vec<Vec<u8>> =
            cx.contents::<u8>(io, data.len())?.chunks(size as usize).map(<[u8]>::to_vec).collect();
        let mut expected: Vec<Vec<u8>> = data.chunks(size as usize).map(<[u8]>::to_vec).collect();
        let padding = match name {
            "uchar3" => 3..4,
            "int3" => 12..16,
            "struct { int a; char b; }" => 5..8,
            "struct { long16 a; int b; }" => 132..256,
            _ => 0..0,
        };
        for packet in found.iter_mut().chain(&mut expected) {
            packet[padding.clone()].fill(0);
        }
        found.sort();
        expected.sort();
        equal!(found, expected);
    }
    Ok(())
}

fn reservations_of_groups(cx: &Ctx) -> Outcome {
    has_pipes(cx)?;
    let source = "
        kernel void put(write_only pipe uint2 p)
        {
            uint n = get_local_size(0), i = get_local_id(0);
            reserve_id_t id = work_group_reserve_write_pipe(p, n);
            if (is_valid_reserve_id(id)) {
                uint2 packet = (uint2)(get_group_id(0), i);
                write_pipe(p, id, i, &packet);
                work_group_commit_write_pipe(p, id);
            }
        }
        kernel void get(read_only pipe uint2 p, global uint2 *out)
        {
            uint n = get_local_size(0);
            reserve_id_t id = work_group_reserve_read_pipe(p, n);
            if (is_valid_reserve_id(id)) {
                read_pipe(p, id, get_local_id(0), &out[get_global_id(0)]);
                work_group_commit_read_pipe(p, id);
            }
        }";
    let program = cx.program_with(source, VERSION_2)?;
    let (groups, local) = (500usize, 16usize);
    let items = groups * local;
    let pipe = pipe(cx, 8, items as cl_uint)?;
    let out = cx.buffer(&vec![u32::MAX; 2 * items])?;
    let put = make!(cx.clCreateKernel(program, c"put".as_ptr()));
    let get = make!(cx.clCreateKernel(program, c"get".as_ptr()));
    cx.arg(put, 0, pipe)?;
    cx.arg(get, 0, pipe)?;
    cx.arg(get, 1, out)?;
    for round in 0..5 {
        cx.launch(put, items, Some(local))?;
        cx.launch(get, items, Some(local))?;
        let found = cx.contents::<u32>(out, 2 * items)?;
        let mut seen = vec![false; groups];
        for group in found.chunks(2 * local) {
            // The packets of a reservation are consecutive and in order.
            let whole = group.chunks(2).zip(0..).all(|(packet, i)| packet == [group[0], i]);
            holds!(whole && (group[0] as usize) < groups);
            seen[group[0] as usize] = true;
        }
        holds!(seen.iter().all(|&seen| seen) && round < 5);
    }
    Ok(())
}
