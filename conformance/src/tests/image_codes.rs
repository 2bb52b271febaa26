//! Tests of the error codes of commands on images. Each command is called with one wrong argument. A failing call
//! writes no event and maps nothing. `codes_enqueue` lists the error codes that no test can provoke.

use std::ffi::c_void;
use std::ptr::{null, null_mut};

use cl_sys::*;

use super::codes_enqueue;
use super::image_model::*;
use crate::check::{Outcome, failed};
use crate::context::{Ctx, raw};
use crate::{equal, fails, make, make_fails, ok, place, query, tests};

tests! {
    "test_api":
        image_command_objects, image_command_wait_lists, image_command_regions, image_command_failures,
        negative_image_transfers, negative_image_copies, negative_image_maps, buffers_are_no_images;
    "test_mem_host_flags":
        image_host_access;
    "test_profiling":
        image_command_types;
}

/// Arguments with which a command is enqueued. The tests change one of them at a time.
#[derive(Clone, Copy)]
struct Call {
    queue: cl_command_queue,
    image: cl_mem,
    /// Target of a copy.
    other: cl_mem,
    origin: *const usize,
    region: *const usize,
    count: cl_uint,
    list: *const cl_event,
    event: *mut cl_event,
    blocking: cl_bool,
    host: *mut c_void,
}

struct Function {
    name: &'static str,
    command: cl_uint,
    /// True if the second object of a copy is an image, false if it is a buffer. `None` for other commands.
    other: Option<bool>,
    blocks: bool,
    enqueue: fn(&Ctx, Call) -> cl_int,
}

fn map(cx: &Ctx, c: Call) -> cl_int {
    let (mut row, mut slice, mut code) = (0, 0, 1);
    let (rows, slices) = (&raw mut row, &raw mut slice);
    let (flags, blocking) = (CL_MAP_READ, c.blocking);
    let mapped = cx.clEnqueueMapImage(
        c.queue, c.image, blocking, flags, c.origin, c.region, rows, slices, c.count, c.list, c.event,
        &mut code,
    );
    // The call must return either a pointer or an error.
    if (code == CL_SUCCESS) == mapped.is_null() { CL_MAP_FAILURE } else { code }
}

fn functions() -> [Function; 7] {
    let function = |name, command, other, blocks, enqueue| Function { name, command, other, blocks, enqueue };
    [
        function("clEnqueueReadImage", CL_COMMAND_READ_IMAGE, None, true, |cx, c| {
            let (at, size, host, count) = (c.origin, c.region, c.host, c.count);
            cx.clEnqueueReadImage(c.queue, c.image, c.blocking, at, size, 0, 0, host, count, c.list, c.event)
        }),
        function("clEnqueueWriteImage", CL_COMMAND_WRITE_IMAGE, None, true, |cx, c| {
            let (at, size, host, count) = (c.origin, c.region, c.host, c.count);
            cx.clEnqueueWriteImage(c.queue, c.image, c.blocking, at, size, 0, 0, host, count, c.list, c.event)
        }),
        function("clEnqueueCopyImage", CL_COMMAND_COPY_IMAGE, Some(true), false, |cx, c| {
            let (at, size) = (c.origin, c.region);
            cx.clEnqueueCopyImage(c.queue, c.image, c.other, at, at, size, c.count, c.list, c.event)
        }),
        function(
            "clEnqueueCopyImageToBuffer",
            CL_COMMAND_COPY_IMAGE_TO_BUFFER,
            Some(false),
            false,
            |cx, c| {
                let (at, size) = (c.origin, c.region);
                cx.clEnqueueCopyImageToBuffer(
                    c.queue, c.image, c.other, at, size, 0, c.count, c.list, c.event,
                )
            },
        ),
        function(
            "clEnqueueCopyBufferToImage",
            CL_COMMAND_COPY_BUFFER_TO_IMAGE,
            Some(false),
            false,
            |cx, c| {
                let (at, size) = (c.origin, c.region);
                cx.clEnqueueCopyBufferToImage(
                    c.queue, c.other, c.image, 0, at, size, c.count, c.list, c.event,
                )
            },
        ),
        function("clEnqueueFillImage", CL_COMMAND_FILL_IMAGE, None, false, |cx, c| {
            let (color, at, size) = (c.host.cast_const(), c.origin, c.region);
            cx.clEnqueueFillImage(c.queue, c.image, color, at, size, c.count, c.list, c.event)
        }),
        function("clEnqueueMapImage", CL_COMMAND_MAP_IMAGE, None, true, map),
    ]
}

const ZERO: Triple = [0; 3];
const SIZE: Triple = [8, 4, 1];
const BYTES: usize = 128;

/// Environment of a test, with valid arguments. The second object of copies is set for each function.
struct World<'a> {
    cx: &'a Ctx,
    call: Call,
    image: cl_mem,
    buffer: cl_mem,
    foreign: Ctx,
}

/// Value that is not an event, to check that a failing call does not overwrite it.
const UNTOUCHED: *mut c_void = std::ptr::without_provenance_mut(0x5a5a);

fn world<'a>(cx: &'a Ctx, host: &mut [u8; BYTES]) -> Outcome<World<'a>> {
    let flat = || image(cx, 0, RGBA8, (CL_MEM_OBJECT_IMAGE2D, SIZE));
    let call = Call {
        queue: cx.queue,
        image: flat()?,
        other: null_mut(),
        origin: ZERO.as_ptr(),
        region: SIZE.as_ptr(),
        count: 0,
        list: null(),
        event: null_mut(),
        blocking: CL_FALSE,
        host: raw(host),
    };
    Ok(World { cx, call, image: flat()?, buffer: cx.empty_buffer(BYTES)?, foreign: cx.sibling()? })
}

impl World<'_> {
    /// Returns valid arguments for a function.
    fn right(&self, function: &Function) -> Call {
        let other = match function.other {
            Some(true) => self.image,
            Some(false) => self.buffer,
            None => null_mut(),
        };
        Call { other, ..self.call }
    }

    /// Checks that the call fails with this code and has no effect.
    fn fails(&self, function: &Function, what: &str, call: Call, expected: cl_int) -> Outcome {
        let mut event = UNTOUCHED;
        for place in [&raw mut event, null_mut()] {
            let found = (function.enqueue)(self.cx, Call { event: place, ..call });
            if found != expected {
                let text = format!("{} with {what} gives {found}, not {expected}", function.name);
                return failed(place!(), &text);
            }
        }
        let cx = self.cx;
        let maps: cl_uint = query!(cx.clGetMemObjectInfo(self.call.image, CL_MEM_MAP_COUNT)).value()?;
        if event != UNTOUCHED || maps != 0 {
            return failed(place!(), &format!("{} with {what} failed and did something", function.name));
        }
        Ok(())
    }
}

fn image_command_objects(cx: &Ctx) -> Outcome {
    let mut host = [0; BYTES];
    let world = world(cx, &mut host)?;
    let (sibling, flat) = (&world.foreign, (CL_MEM_OBJECT_IMAGE2D, SIZE));
    let (foreign_image, foreign_buffer) = (image(sibling, 0, RGBA8, flat)?, sibling.empty_buffer(BYTES)?);
    for function in functions() {
        let right = world.right(&function);
        equal!((function.enqueue)(cx, right), CL_SUCCESS);
        ok!(cx.clFinish(cx.queue));
        for queue in [null_mut(), cx.context, right.image] {
            world.check_maps_away(&function)?;
            world.fails(&function, "a wrong queue", Call { queue, ..right }, CL_INVALID_COMMAND_QUEUE)?;
        }
        let call = Call { queue: sibling.queue, ..right };
        world.fails(&function, "another context's queue", call, CL_INVALID_CONTEXT)?;
        for wrong in [null_mut(), cx.queue, world.buffer] {
            let call = Call { image: wrong, ..right };
            world.fails(&function, "a wrong image", call, CL_INVALID_MEM_OBJECT)?;
        }
        let call = Call { image: foreign_image, ..right };
        world.fails(&function, "another context's image", call, CL_INVALID_CONTEXT)?;
        let Some(is_image) = function.other else { continue };
        let no = if is_image { world.buffer } else { world.image };
        for other in [null_mut(), cx.queue, no] {
            world.fails(
                &function,
                "a wrong second object",
                Call { other, ..right },
                CL_INVALID_MEM_OBJECT,
            )?;
        }
        let other = if is_image { foreign_image } else { foreign_buffer };
        world.fails(
            &function,
            "another context's second object",
            Call { other, ..right },
            CL_INVALID_CONTEXT,
        )?;
    }
    Ok(())
}

impl World<'_> {
    /// Unmaps the image that the valid call of a map function has mapped.
    fn check_maps_away(&self, function: &Function) -> Outcome {
        let cx = self.cx;
        let maps: cl_uint = query!(cx.clGetMemObjectInfo(self.call.image, CL_MEM_MAP_COUNT)).value()?;
        if function.command != CL_COMMAND_MAP_IMAGE || maps == 0 {
            return Ok(());
        }
        let (mut row, mut slice) = (0, 0);
        let (at, size, list, none) = (self.call.origin, self.call.region, null(), null_mut());
        let pointer = make!(cx.clEnqueueMapImage(
            cx.queue,
            self.call.image,
            CL_TRUE,
            CL_MAP_READ,
            at,
            size,
            &mut row,
            &mut slice,
            0,
            list,
            none
        ));
        for _ in 0..2 {
            ok!(cx.clEnqueueUnmapMemObject(cx.queue, self.call.image, pointer, 0, list, none));
        }
        ok!(cx.clFinish(cx.queue));
        Ok(())
    }
}

fn image_command_wait_lists(cx: &Ctx) -> Outcome {
    let mut host = [0; BYTES];
    let world = world(cx, &mut host)?;
    let gate = cx.user_event()?;
    let mixed = [gate, world.foreign.user_event()?];
    let (no_event, with_queue) = ([null_mut()], [gate, cx.queue]);
    let wrong: [(cl_uint, *const cl_event); 4] =
        [(1, null()), (0, &gate), (1, no_event.as_ptr()), (2, with_queue.as_ptr())];
    for function in functions() {
        let right = world.right(&function);
        for (count, list) in wrong {
            let call = Call { count, list, ..right };
            world.fails(&function, "a wrong wait list", call, CL_INVALID_EVENT_WAIT_LIST)?;
        }
        let call = Call { count: 2, list: mixed.as_ptr(), ..right };
        world.fails(&function, "another context's event", call, CL_INVALID_CONTEXT)?;
    }
    ok!(cx.clFinish(cx.queue));
    Ok(())
}

fn image_command_regions(cx: &Ctx) -> Outcome {
    let mut host = [0; BYTES];
    let world = world(cx, &mut host)?;
    for (kind, size) in SHAPES {
        let shaped = || image(cx, 0, RGBA8, (kind, size));
        let call = Call { image: shaped()?, region: [1usize; 3].as_ptr(), ..world.call };
        let (other, buffer) = (shaped()?, cx.empty_buffer(4096)?);
        // In each dimension: an empty region, one that is too large, one too far out, and one whose end overflows.
        let mut wrong = vec![];
        for i in 0..3 {
            for (origin, extent) in [
                (0, 0),
                (0, size[i] + 1),
                (size[i], 1),
                (usize::MAX, 1),
                (1, usize::MAX),
                (2, usize::MAX - 1),
            ] {
                let (mut origins, mut region) = (ZERO, [1; 3]);
                (origins[i], region[i]) = (origin, extent);
                wrong.push((origins, region));
            }
        }
        for function in functions() {
            let other = if function.other == Some(true) { other } else { buffer };
            let call = Call { other, ..call };
            for (origin, region) in &wrong {
                let call = Call { origin: origin.as_ptr(), region: region.as_ptr(), ..call };
                let what = format!("{origin:?} {region:?} of {size:?}");
                world.fails(&function, &what, call, CL_INVALID_VALUE)?;
            }
            let code = CL_INVALID_VALUE;
            world.fails(&function, "no origin", Call { origin: null(), ..call }, code)?;
            world.fails(&function, "no region", Call { region: null(), ..call }, code)?;
        }
    }
    Ok(())
}

fn image_command_failures(cx: &Ctx) -> Outcome {
    let mut host = [0; BYTES];
    let world = world(cx, &mut host)?;
    let gate = cx.user_event()?;
    ok!(cx.clSetUserEventStatus(gate, -9));
    let error = CL_EXEC_STATUS_ERROR_FOR_EVENTS_IN_WAIT_LIST;
    for function in functions() {
        let call = Call { count: 1, list: &gate, blocking: CL_TRUE, ..world.right(&function) };
        if function.blocks {
            world.fails(&function, "an event that failed", call, error)?;
            continue;
        }
        // Non-blocking commands are enqueued, and fail later.
        let mut event = null_mut();
        equal!((function.enqueue)(cx, Call { event: &mut event, ..call }), CL_SUCCESS);
        equal!(cx.clWaitForEvents(1, &event), error);
        ok!(cx.clReleaseEvent(event));
    }
    Ok(())
}

fn image_command_types(cx: &Ctx) -> Outcome {
    let mut host = [0; BYTES];
    let queue = cx.queue(CL_QUEUE_PROFILING_ENABLE)?;
    let world = world(cx, &mut host)?;
    for function in functions() {
        let mut event = null_mut();
        let call = Call { queue, event: &mut event, ..world.right(&function) };
        equal!((function.enqueue)(cx, call), CL_SUCCESS);
        ok!(cx.clWaitForEvents(1, &event));
        equal!(query!(cx.clGetEventInfo(event, CL_EVENT_COMMAND_TYPE)).value::<cl_uint>()?, function.command);
        let names = [
            CL_PROFILING_COMMAND_QUEUED,
            CL_PROFILING_COMMAND_SUBMIT,
            CL_PROFILING_COMMAND_START,
            CL_PROFILING_COMMAND_END,
        ];
        let mut times = vec![];
        for name in names {
            times.push(query!(cx.clGetEventProfilingInfo(event, name)).value::<cl_ulong>()?);
        }
        equal!(times.is_sorted(), true);
        ok!(cx.clReleaseEvent(event));
    }
    // Memory objects of all kinds may be migrated together.
    let (mems, none) = ([world.image, world.buffer], null_mut());
    ok!(cx.clEnqueueMigrateMemObjects(queue, 2, mems.as_ptr(), CL_MIGRATE_MEM_OBJECT_HOST, 0, null(), none));
    ok!(cx.clFinish(queue));
    Ok(())
}

fn negative_image_transfers(cx: &Ctx) -> Outcome {
    let mut host = vec![0u8; 4096];
    let (pointer, list, none) = (raw(&mut host), null(), null_mut());
    for (kind, size) in SHAPES {
        let image = image(cx, 0, RGBA8, (kind, size))?;
        let (at, extent) = (ZERO.as_ptr(), size.as_ptr());
        let both = |row, slice, pointer, expected| -> Outcome {
            let queue = cx.queue;
            fails!(
                expected,
                cx.clEnqueueReadImage(queue, image, CL_TRUE, at, extent, row, slice, pointer, 0, list, none)
            );
            fails!(
                expected,
                cx.clEnqueueWriteImage(queue, image, CL_TRUE, at, extent, row, slice, pointer, 0, list, none)
            );
            Ok(())
        };
        both(0, 0, null_mut(), CL_INVALID_VALUE)?;
        let row = size[0] * 4;
        both(row, 0, pointer, CL_SUCCESS)?;
        both(row - 1, 0, pointer, CL_INVALID_VALUE)?;
        let rows = if kind == CL_MEM_OBJECT_IMAGE1D_ARRAY { 1 } else { size[1] };
        let expected = if has_slices(kind) { CL_SUCCESS } else { CL_INVALID_VALUE };
        both(row, row * rows, pointer, expected)?;
        // The specification does not require a slice pitch to be a multiple of the row pitch.
        both(row, row * rows + 4, pointer, expected)?;
        both(row, row * rows - 1, pointer, CL_INVALID_VALUE)?;
        if size[1] > 1 {
            both(usize::MAX - 3, 0, pointer, CL_INVALID_VALUE)?;
            both(1 << 63, 0, pointer, CL_INVALID_VALUE)?;
        }
        let (color, queue) = (null(), cx.queue);
        fails!(CL_INVALID_VALUE, cx.clEnqueueFillImage(queue, image, color, at, extent, 0, list, none));
        ok!(cx.clReleaseMemObject(image));
    }
    Ok(())
}

fn negative_image_copies(cx: &Ctx) -> Outcome {
    let mut host = [0; BYTES];
    let world = world(cx, &mut host)?;
    let (list, none, queue) = (null(), null_mut(), cx.queue);
    let (at, extent) = (world.call.origin, world.call.region);
    let flat = (CL_MEM_OBJECT_IMAGE2D, SIZE);
    // The same texel size, but another format.
    for (image_channel_order, image_channel_data_type) in
        [(CL_RGBA, CL_UNSIGNED_INT8), (CL_BGRA, CL_UNORM_INT8), (CL_sRGBA, CL_UNORM_INT8), (CL_R, CL_FLOAT)]
    {
        let format = Format { image_channel_order, image_channel_data_type };
        let other = image(cx, 0, format, flat)?;
        let (a, b) = (world.image, other);
        fails!(CL_IMAGE_FORMAT_MISMATCH, cx.clEnqueueCopyImage(queue, a, b, at, at, extent, 0, list, none));
    }
    // The region is valid for one image but not for the other.
    let small = image(cx, 0, RGBA8, (CL_MEM_OBJECT_IMAGE2D, [8, 3, 1]))?;
    for (a, b) in [(world.image, small), (small, world.image)] {
        fails!(CL_INVALID_VALUE, cx.clEnqueueCopyImage(queue, a, b, at, at, extent, 0, list, none));
    }
    let (image, buffer) = (world.image, world.buffer);
    for to in [null(), [1usize, 0, 0].as_ptr()] {
        let (a, b, code) = (world.call.image, image, CL_INVALID_VALUE);
        fails!(code, cx.clEnqueueCopyImage(queue, a, b, at, to, extent, 0, list, none));
        fails!(code, cx.clEnqueueCopyImage(queue, a, b, to, at, extent, 0, list, none));
    }
    for offset in [1, BYTES, BYTES + 1, usize::MAX, usize::MAX - BYTES + 1] {
        let code = CL_INVALID_VALUE;
        fails!(code, cx.clEnqueueCopyImageToBuffer(queue, image, buffer, at, extent, offset, 0, list, none));
        fails!(code, cx.clEnqueueCopyBufferToImage(queue, buffer, image, offset, at, extent, 0, list, none));
    }
    // An image of the buffer itself.
    let line = cl_image_desc { buffer, ..desc(CL_MEM_OBJECT_IMAGE1D_BUFFER, [8, 1, 1]) };
    let line = make!(cx.clCreateImage(cx.context, 0, RGBA8.raw(), &line, null_mut()));
    let (code, extent) = (CL_INVALID_MEM_OBJECT, [2usize, 1, 1].as_ptr());
    fails!(code, cx.clEnqueueCopyImageToBuffer(queue, line, buffer, at, extent, 64, 0, list, none));
    fails!(code, cx.clEnqueueCopyBufferToImage(queue, buffer, line, 64, at, extent, 0, list, none));
    Ok(())
}

fn negative_image_maps(cx: &Ctx) -> Outcome {
    for (kind, size) in SHAPES {
        let image = image(cx, 0, RGBA8, (kind, size))?;
        let (mut row, mut slice) = (7, 7);
        let (rows, slices) = (&raw mut row, &raw mut slice);
        let (at, extent, list, none) = (ZERO.as_ptr(), size.as_ptr(), null(), null_mut());
        let both = CL_MAP_WRITE | CL_MAP_WRITE_INVALIDATE_REGION;
        for flags in [1 << 10, both, CL_MAP_READ | CL_MAP_WRITE_INVALIDATE_REGION] {
            make_fails!(
                CL_INVALID_VALUE,
                cx.clEnqueueMapImage(
                    cx.queue, image, CL_TRUE, flags, at, extent, rows, slices, 0, list, none
                )
            );
        }
        let read = CL_MAP_READ;
        make_fails!(
            CL_INVALID_VALUE,
            cx.clEnqueueMapImage(
                cx.queue,
                image,
                CL_TRUE,
                read,
                at,
                extent,
                null_mut(),
                slices,
                0,
                list,
                none
            )
        );
        equal!((row, slice), (7, 7));
        // An image without slices does not need the slice pitch, so the pointer may be NULL.
        let unmap = |pointer| -> Outcome {
            ok!(cx.clEnqueueUnmapMemObject(cx.queue, image, pointer, 0, list, none));
            Ok(())
        };
        if has_slices(kind) {
            make_fails!(
                CL_INVALID_VALUE,
                cx.clEnqueueMapImage(
                    cx.queue,
                    image,
                    CL_TRUE,
                    read,
                    at,
                    extent,
                    rows,
                    null_mut(),
                    0,
                    list,
                    none
                )
            );
        } else {
            unmap(make!(cx.clEnqueueMapImage(
                cx.queue,
                image,
                CL_TRUE,
                read,
                at,
                extent,
                rows,
                null_mut(),
                0,
                list,
                none
            )))?;
        }
        // Regions mapped for writing must not overlap. Adjacent regions of the same rows do not overlap.
        let (half, rest) = ([size[0] / 2, size[1], size[2]], [size[0] - size[0] / 2, size[1], size[2]]);
        let place = [size[0] / 2, 0, 0];
        let (a, b, c) = (half.as_ptr(), rest.as_ptr(), place.as_ptr());
        let write = CL_MAP_WRITE;
        let first =
            make!(cx.clEnqueueMapImage(cx.queue, image, CL_TRUE, write, at, a, rows, slices, 0, list, none));
        let second =
            make!(cx.clEnqueueMapImage(cx.queue, image, CL_TRUE, write, c, b, rows, slices, 0, list, none));
        for flags in [CL_MAP_WRITE, CL_MAP_WRITE_INVALIDATE_REGION] {
            make_fails!(
                CL_INVALID_OPERATION,
                cx.clEnqueueMapImage(
                    cx.queue, image, CL_TRUE, flags, at, extent, rows, slices, 0, list, none
                )
            );
        }
        equal!(query!(cx.clGetMemObjectInfo(image, CL_MEM_MAP_COUNT)).value::<cl_uint>()?, 2);
        unmap(first)?;
        unmap(second)?;
        let again = cx.clEnqueueUnmapMemObject(cx.queue, image, second, 0, list, none);
        fails!(CL_INVALID_VALUE, again);
        ok!(cx.clFinish(cx.queue));
        equal!(query!(cx.clGetMemObjectInfo(image, CL_MEM_MAP_COUNT)).value::<cl_uint>()?, 0);
        ok!(cx.clReleaseMemObject(image));
    }
    Ok(())
}

fn buffers_are_no_images(cx: &Ctx) -> Outcome {
    // Commands on buffers do not accept images, and neither do other functions for buffers.
    let mut host = [0; 64];
    let world = codes_enqueue::world(cx, &mut host)?;
    let image = image(cx, 0, RGBA8, (CL_MEM_OBJECT_IMAGE2D, SIZE))?;
    for function in codes_enqueue::functions() {
        if !function.name.contains("Buffer") {
            continue;
        }
        let call = codes_enqueue::Call { mem: image, ..world.call };
        equal!((function.enqueue)(&world.right, call), CL_INVALID_MEM_OBJECT);
        if function.name.contains("Copy") {
            let call = codes_enqueue::Call { other: image, ..world.call };
            equal!((function.enqueue)(&world.right, call), CL_INVALID_MEM_OBJECT);
        }
    }
    ok!(cx.clSetUserEventStatus(world.gate, CL_COMPLETE));
    let region = cl_buffer_region { origin: 0, size: 64 };
    let (kind, pointer) = (CL_BUFFER_CREATE_TYPE_REGION, (&raw const region).cast());
    make_fails!(CL_INVALID_MEM_OBJECT, cx.clCreateSubBuffer(image, 0, kind, pointer));
    let kernel = cx.kernel("kernel void k(global int *p) {}", "k")?;
    fails!(
        CL_INVALID_MEM_OBJECT,
        cx.clSetKernelArg(kernel, 0, size_of::<cl_mem>(), (&raw const image).cast())
    );
    unsafe extern "C" fn nothing(_args: *mut c_void) {}
    let mut args = [0usize; 2];
    let block = raw(&mut args);
    let mut place = block.cast_const();
    let (function, none) = (Some(nothing as unsafe extern "C" fn(*mut c_void)), null_mut());
    fails!(
        CL_INVALID_MEM_OBJECT,
        cx.clEnqueueNativeKernel(cx.queue, function, block, 16, 1, &image, &raw mut place, 0, null(), none)
    );
    Ok(())
}

fn image_host_access(cx: &Ctx) -> Outcome {
    let denied = CL_INVALID_OPERATION;
    let flags = [
        (CL_MEM_HOST_READ_ONLY, CL_SUCCESS, denied),
        (CL_MEM_HOST_WRITE_ONLY, denied, CL_SUCCESS),
        (CL_MEM_HOST_NO_ACCESS, denied, denied),
    ];
    let mut host = vec![0u8; BYTES];
    let (pointer, list, none) = (raw(&mut host), null(), null_mut());
    let (at, extent) = (ZERO.as_ptr(), SIZE.as_ptr());
    for (flags, reads, writes) in flags {
        let image = image(cx, flags, RGBA8, (CL_MEM_OBJECT_IMAGE2D, SIZE))?;
        let queue = cx.queue;
        fails!(reads, cx.clEnqueueReadImage(queue, image, CL_TRUE, at, extent, 0, 0, pointer, 0, list, none));
        fails!(
            writes,
            cx.clEnqueueWriteImage(queue, image, CL_TRUE, at, extent, 0, 0, pointer, 0, list, none)
        );
        let (mut row, mut code) = (0, 1);
        let maps = [
            (CL_MAP_READ, reads),
            (CL_MAP_WRITE, writes),
            (CL_MAP_WRITE_INVALIDATE_REGION, writes),
            (CL_MAP_READ | CL_MAP_WRITE, denied),
        ];
        for (access, expected) in maps {
            let mapped = cx.clEnqueueMapImage(
                queue,
                image,
                CL_TRUE,
                access,
                at,
                extent,
                &mut row,
                null_mut(),
                0,
                list,
                none,
                &mut code,
            );
            equal!(code, expected);
            if !mapped.is_null() {
                ok!(cx.clEnqueueUnmapMemObject(queue, image, mapped, 0, list, none));
            }
        }
        ok!(cx.clFinish(queue));
    }
    Ok(())
}
