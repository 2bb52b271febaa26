//! Tests of commands on rectangles of buffers, compared with a bytewise copy.

use std::ptr::{null, null_mut};

use cl_sys::*;

use crate::check::Outcome;
use crate::context::{Ctx, raw};
use crate::{equal, fails, holds, ok, query, tests};

tests! {
    "test_basic":
        bufferreadwriterect, rect_copy, rect_within_one_buffer, rect_defaults, negative_rect, negative_rect_copy;
}

/// Origin and pitches of a rectangle.
#[derive(Clone, Copy, Debug)]
struct Place {
    origin: [usize; 3],
    row: usize,
    slice: usize,
}

impl Place {
    fn offset(&self, region: [usize; 3], [x, y, z]: [usize; 3]) -> usize {
        let row = if self.row == 0 { region[0] } else { self.row };
        let slice = if self.slice == 0 { row * region[1] } else { self.slice };
        (self.origin[2] + z) * slice + (self.origin[1] + y) * row + self.origin[0] + x
    }
}

/// Copies a rectangle byte by byte, as the reference.
fn copy(region: [usize; 3], source: &[u8], from: Place, target: &mut [u8], to: Place) {
    for z in 0..region[2] {
        for y in 0..region[1] {
            for x in 0..region[0] {
                target[to.offset(region, [x, y, z])] = source[from.offset(region, [x, y, z])];
            }
        }
    }
}

fn bytes(seed: usize, size: usize) -> Vec<u8> {
    (0..size).map(|i| ((i + seed) * 37 % 251) as u8).collect()
}

const CASES: [([usize; 3], Place, Place); 5] = [
    (
        [5, 4, 3],
        Place { origin: [1, 2, 0], row: 16, slice: 128 },
        Place { origin: [3, 0, 1], row: 8, slice: 64 },
    ),
    ([16, 1, 1], Place { origin: [0; 3], row: 0, slice: 0 }, Place { origin: [7, 0, 0], row: 0, slice: 0 }),
    ([8, 8, 4], Place { origin: [0; 3], row: 8, slice: 64 }, Place { origin: [0; 3], row: 8, slice: 64 }),
    ([1, 7, 2], Place { origin: [4, 1, 1], row: 9, slice: 90 }, Place { origin: [0; 3], row: 0, slice: 0 }),
    (
        [3, 2, 2],
        Place { origin: [0, 0, 2], row: 3, slice: 12 },
        Place { origin: [1, 1, 0], row: 20, slice: 60 },
    ),
];

fn bufferreadwriterect(cx: &Ctx) -> Outcome {
    for blocking in [CL_TRUE, CL_FALSE] {
        for (region, buffer_place, host_place) in CASES {
            let (device, mut host) = (bytes(1, 1024), bytes(2, 1024));
            let buffer = cx.buffer(&device)?;
            let (mut expected, at) = (host.clone(), (buffer_place, host_place));
            copy(region, &device, at.0, &mut expected, at.1);
            let mut event = null_mut();
            ok!(cx.clEnqueueReadBufferRect(
                cx.queue,
                buffer,
                blocking,
                at.0.origin.as_ptr(),
                at.1.origin.as_ptr(),
                region.as_ptr(),
                at.0.row,
                at.0.slice,
                at.1.row,
                at.1.slice,
                raw(&mut host),
                0,
                null(),
                &mut event
            ));
            ok!(cx.clWaitForEvents(1, &event));
            let kind = query!(cx.clGetEventInfo(event, CL_EVENT_COMMAND_TYPE)).value::<cl_uint>()?;
            equal!(kind, CL_COMMAND_READ_BUFFER_RECT);
            equal!(host, expected);
            ok!(cx.clReleaseEvent(event));

            let mut expected = device.clone();
            let mut host = bytes(3, 1024);
            copy(region, &host, at.1, &mut expected, at.0);
            ok!(cx.clEnqueueWriteBufferRect(
                cx.queue,
                buffer,
                blocking,
                at.0.origin.as_ptr(),
                at.1.origin.as_ptr(),
                region.as_ptr(),
                at.0.row,
                at.0.slice,
                at.1.row,
                at.1.slice,
                raw(&mut host),
                0,
                null(),
                null_mut()
            ));
            equal!(cx.contents::<u8>(buffer, 1024)?, expected);
            ok!(cx.clReleaseMemObject(buffer));
        }
    }
    Ok(())
}

fn copy_rect(
    cx: &Ctx,
    (source, from): (cl_mem, Place),
    (target, to): (cl_mem, Place),
    region: [usize; 3],
) -> cl_int {
    cx.clEnqueueCopyBufferRect(
        cx.queue,
        source,
        target,
        from.origin.as_ptr(),
        to.origin.as_ptr(),
        region.as_ptr(),
        from.row,
        from.slice,
        to.row,
        to.slice,
        0,
        null(),
        null_mut(),
    )
}

fn rect_copy(cx: &Ctx) -> Outcome {
    for (region, from, to) in CASES {
        let (a, b) = (bytes(4, 1024), bytes(5, 1024));
        let (source, target) = (cx.buffer(&a)?, cx.buffer(&b)?);
        let mut expected = b.clone();
        copy(region, &a, from, &mut expected, to);
        ok!(copy_rect(cx, (source, from), (target, to), region));
        equal!(cx.contents::<u8>(target, 1024)?, expected);
        equal!(cx.contents::<u8>(source, 1024)?, a);
    }
    Ok(())
}

fn rect_within_one_buffer(cx: &Ctx) -> Outcome {
    // The left and right halves of a picture. Their address ranges interleave, but the rectangles do not overlap.
    let data = bytes(6, 256);
    let buffer = cx.buffer(&data)?;
    let left = Place { origin: [0; 3], row: 16, slice: 256 };
    let right = Place { origin: [8, 0, 0], ..left };
    let mut expected = data.clone();
    copy([8, 16, 1], &data, left, &mut expected, right);
    ok!(copy_rect(cx, (buffer, left), (buffer, right), [8, 16, 1]));
    equal!(cx.contents::<u8>(buffer, 256)?, expected);
    // With one more column they overlap.
    let region = [9, 15, 1];
    let right = Place { origin: [8, 0, 0], ..left };
    fails!(CL_MEM_COPY_OVERLAP, copy_rect(cx, (buffer, left), (buffer, right), region));
    fails!(CL_MEM_COPY_OVERLAP, copy_rect(cx, (buffer, right), (buffer, left), region));
    let below = Place { origin: [0, 4, 0], ..left };
    ok!(copy_rect(cx, (buffer, left), (buffer, below), [16, 4, 1]));
    fails!(CL_MEM_COPY_OVERLAP, copy_rect(cx, (buffer, left), (buffer, below), [16, 5, 1]));
    // Within one buffer the pitches must be equal.
    let other = Place { origin: [0, 4, 0], row: 32, slice: 256 };
    fails!(CL_INVALID_VALUE, copy_rect(cx, (buffer, left), (buffer, other), [4, 1, 1]));
    ok!(cx.clFinish(cx.queue));
    Ok(())
}

fn rect_defaults(cx: &Ctx) -> Outcome {
    // Pitches of 0 mean a rectangle without gaps.
    let data = bytes(7, 60);
    let buffer = cx.buffer(&data)?;
    let mut host = vec![0u8; 60];
    let (zero, region) = ([0usize; 3], [5usize, 4, 3]);
    ok!(cx.clEnqueueReadBufferRect(
        cx.queue,
        buffer,
        CL_TRUE,
        zero.as_ptr(),
        zero.as_ptr(),
        region.as_ptr(),
        0,
        0,
        0,
        0,
        raw(&mut host),
        0,
        null(),
        null_mut()
    ));
    equal!(host, data);
    Ok(())
}

fn negative_rect(cx: &Ctx) -> Outcome {
    let buffer = cx.empty_buffer(1024)?;
    let mut host = vec![0u8; 4096];
    let pointer = raw(&mut host);
    type Case = ([usize; 3], [usize; 3], [usize; 4]);
    let read = |(origin, region, pitches): Case| {
        cx.clEnqueueReadBufferRect(
            cx.queue,
            buffer,
            CL_TRUE,
            origin.as_ptr(),
            [0usize; 3].as_ptr(),
            region.as_ptr(),
            pitches[0],
            pitches[1],
            pitches[2],
            pitches[3],
            pointer,
            0,
            null(),
            null_mut(),
        )
    };
    let write = |(origin, region, pitches): Case| {
        cx.clEnqueueWriteBufferRect(
            cx.queue,
            buffer,
            CL_TRUE,
            origin.as_ptr(),
            [0usize; 3].as_ptr(),
            region.as_ptr(),
            pitches[0],
            pitches[1],
            pitches[2],
            pitches[3],
            pointer,
            0,
            null(),
            null_mut(),
        )
    };
    let good = ([0; 3], [8, 8, 4], [16, 256, 16, 256]);
    ok!(read(good));
    ok!(write(good));
    for (name, case) in [
        ("a zero in the region", ([0; 3], [8, 0, 1], [0; 4])),
        ("a row pitch below the region", ([0; 3], [8, 2, 1], [7, 0, 0, 0])),
        ("a host row pitch below the region", ([0; 3], [8, 2, 1], [0, 0, 7, 0])),
        ("a slice pitch below the rows", ([0; 3], [8, 2, 2], [8, 15, 0, 0])),
        ("a slice pitch that is no multiple", ([0; 3], [8, 2, 2], [8, 20, 0, 0])),
        ("a host slice pitch that is no multiple", ([0; 3], [8, 2, 2], [0, 0, 8, 20])),
        ("the end beyond the buffer", ([0; 3], [8, 8, 5], [16, 256, 0, 0])),
        ("the origin beyond the buffer", ([0, 0, 4], [8, 1, 1], [16, 256, 0, 0])),
        ("an origin without end", ([0, usize::MAX, 0], [8, 1, 1], [16, 256, 0, 0])),
    ] {
        for code in [read(case), write(case)] {
            if code != CL_INVALID_VALUE {
                return crate::check::failed(crate::place!(), &format!("{name} gives {code}"));
            }
        }
    }
    let (zero, region) = ([0usize; 3], [8usize, 1, 1]);
    let (zero, region) = (zero.as_ptr(), region.as_ptr());
    let call = |queue, buffer, origin, host, region, pointer| {
        cx.clEnqueueReadBufferRect(
            queue,
            buffer,
            CL_TRUE,
            origin,
            host,
            region,
            0,
            0,
            0,
            0,
            pointer,
            0,
            null(),
            null_mut(),
        )
    };
    fails!(CL_INVALID_COMMAND_QUEUE, call(null_mut(), buffer, zero, zero, region, pointer));
    fails!(CL_INVALID_MEM_OBJECT, call(cx.queue, null_mut(), zero, zero, region, pointer));
    fails!(CL_INVALID_VALUE, call(cx.queue, buffer, null(), zero, region, pointer));
    fails!(CL_INVALID_VALUE, call(cx.queue, buffer, zero, null(), region, pointer));
    fails!(CL_INVALID_VALUE, call(cx.queue, buffer, zero, zero, null(), pointer));
    fails!(CL_INVALID_VALUE, call(cx.queue, buffer, zero, zero, region, null_mut()));
    Ok(())
}

fn negative_rect_copy(cx: &Ctx) -> Outcome {
    let (a, b) = (cx.empty_buffer(256)?, cx.empty_buffer(128)?);
    let dense = Place { origin: [0; 3], row: 0, slice: 0 };
    fails!(CL_INVALID_MEM_OBJECT, copy_rect(cx, (null_mut(), dense), (b, dense), [1; 3]));
    fails!(CL_INVALID_MEM_OBJECT, copy_rect(cx, (a, dense), (cx.queue, dense), [1; 3]));
    fails!(CL_INVALID_VALUE, copy_rect(cx, (a, dense), (b, dense), [16, 9, 1]));
    fails!(CL_INVALID_VALUE, copy_rect(cx, (a, dense), (b, dense), [16, 0, 1]));
    let narrow = Place { row: 8, ..dense };
    fails!(CL_INVALID_VALUE, copy_rect(cx, (a, narrow), (b, dense), [16, 2, 1]));
    fails!(CL_INVALID_VALUE, copy_rect(cx, (a, dense), (b, narrow), [16, 2, 1]));
    fails!(CL_MEM_COPY_OVERLAP, copy_rect(cx, (a, dense), (a, dense), [16, 2, 1]));
    holds!(copy_rect(cx, (a, dense), (b, dense), [16, 8, 1]) == CL_SUCCESS);
    ok!(cx.clFinish(cx.queue));
    Ok(())
}
