//! Tests of the error codes that all functions that enqueue a command have in common. Each function is called with
//! one wrong argument: the queue, a memory object, or the wait list. A failing call must have no effect: it writes
//! no event, changes no reference count, maps nothing, and enqueues nothing.
//!
//! Error codes that no test can provoke:
//! - CL_MISALIGNED_SUB_BUFFER_OFFSET of commands: all devices of a context have the same alignment, so
//!   clCreateSubBuffer has already refused such a sub-buffer.
//! - CL_MEM_OBJECT_ALLOCATION_FAILURE of commands: memory is allocated when the object is created.
//! - CL_MAP_FAILURE: a mapping is the memory itself.
//! - CL_INVALID_OPERATION of commands on shared virtual memory: the device supports all kinds of it.
//! - CL_INVALID_OPERATION of native kernels: the device supports them.
//! - CL_INVALID_IMAGE_SIZE and CL_IMAGE_FORMAT_NOT_SUPPORTED of launches and of commands on images,
//!   CL_INVALID_OPERATION of the latter: all devices of a context support the same images, and clCreateImage has
//!   refused all others.
//! - CL_OUT_OF_RESOURCES except for launches (`launch.rs`), CL_OUT_OF_HOST_MEMORY except in `memory.rs`.

use std::ffi::c_void;
use std::ptr::{null, null_mut};

use cl_sys::*;

use crate::check::{Outcome, failed};
use crate::context::{Ctx, raw};
use crate::{equal, holds, make, ok, place, query, tests};

tests! {
    "test_api":
        enqueue_with_a_wrong_queue, enqueue_with_a_wrong_memory_object, enqueue_with_a_wrong_wait_list,
        blocking_after_a_failure;
}

/// Arguments with which a command is enqueued. The tests change one of them at a time.
#[derive(Clone, Copy)]
pub(super) struct Call {
    pub queue: cl_command_queue,
    /// Memory object. For copies it is the source, and `other` the target.
    pub mem: cl_mem,
    pub other: cl_mem,
    pub count: cl_uint,
    pub list: *const cl_event,
    pub event: *mut cl_event,
    pub blocking: cl_bool,
}

/// Further valid arguments, which are the same in all calls.
pub(super) struct ValidArguments<'a> {
    cx: &'a Ctx,
    kernel: cl_kernel,
    host: *mut c_void,
    shared: *mut c_void,
    mapped: *mut c_void,
}

pub(super) type Enqueue = fn(&ValidArguments, Call) -> cl_int;

/// Function under test, and the arguments it takes besides a queue and a wait list.
pub(super) struct Function {
    pub name: &'static str,
    mems: usize,
    blocks: bool,
    pub enqueue: Enqueue,
}

const ZERO: *const usize = [0usize; 3].as_ptr();
const REGION: *const usize = [4usize, 2, 2].as_ptr();
const PATTERN: *const c_void = [1u8; 4].as_ptr().cast();

unsafe extern "C" fn nothing(_args: *mut c_void) {}

fn function(name: &'static str, mems: usize, blocks: bool, enqueue: Enqueue) -> Function {
    Function { name, mems, blocks, enqueue }
}

/// Returns all functions that enqueue commands on buffers, launches, markers and barriers. Functions for images are
/// in `image_codes`.
pub(super) fn functions() -> Vec<Function> {
    vec![
        function("clEnqueueReadBuffer", 1, true, |r, c| {
            r.cx.clEnqueueReadBuffer(c.queue, c.mem, c.blocking, 0, 64, r.host, c.count, c.list, c.event)
        }),
        function("clEnqueueWriteBuffer", 1, true, |r, c| {
            r.cx.clEnqueueWriteBuffer(c.queue, c.mem, c.blocking, 0, 64, r.host, c.count, c.list, c.event)
        }),
        function("clEnqueueReadBufferRect", 1, true, |r, c| {
            let (queue, mem, blocking, host) = (c.queue, c.mem, c.blocking, r.host);
            let (count, list, event) = (c.count, c.list, c.event);
            r.cx.clEnqueueReadBufferRect(
                queue, mem, blocking, ZERO, ZERO, REGION, 0, 0, 0, 0, host, count, list, event,
            )
        }),
        function("clEnqueueWriteBufferRect", 1, true, |r, c| {
            let (queue, mem, blocking, host) = (c.queue, c.mem, c.blocking, r.host);
            let (count, list, event) = (c.count, c.list, c.event);
            r.cx.clEnqueueWriteBufferRect(
                queue, mem, blocking, ZERO, ZERO, REGION, 0, 0, 0, 0, host, count, list, event,
            )
        }),
        function("clEnqueueCopyBuffer", 2, false, |r, c| {
            r.cx.clEnqueueCopyBuffer(c.queue, c.mem, c.other, 0, 0, 64, c.count, c.list, c.event)
        }),
        function("clEnqueueCopyBufferRect", 2, false, |r, c| {
            let (queue, from, to) = (c.queue, c.mem, c.other);
            let (count, list, event) = (c.count, c.list, c.event);
            r.cx.clEnqueueCopyBufferRect(queue, from, to, ZERO, ZERO, REGION, 0, 0, 0, 0, count, list, event)
        }),
        function("clEnqueueFillBuffer", 1, false, |r, c| {
            r.cx.clEnqueueFillBuffer(c.queue, c.mem, PATTERN, 4, 0, 64, c.count, c.list, c.event)
        }),
        function("clEnqueueMapBuffer", 1, true, |r, c| {
            let (count, list, event, mut code) = (c.count, c.list, c.event, 1);
            let (queue, mem, flags) = (c.queue, c.mem, CL_MAP_READ);
            let mapped =
                r.cx.clEnqueueMapBuffer(queue, mem, c.blocking, flags, 0, 64, count, list, event, &mut code);
            // The call must return either a pointer or an error.
            if (code == CL_SUCCESS) == mapped.is_null() { CL_MAP_FAILURE } else { code }
        }),
        function("clEnqueueUnmapMemObject", 1, false, |r, c| {
            r.cx.clEnqueueUnmapMemObject(c.queue, c.mem, r.mapped, c.count, c.list, c.event)
        }),
        function("clEnqueueMigrateMemObjects", 2, false, |r, c| {
            let mems = [c.mem, c.other];
            r.cx.clEnqueueMigrateMemObjects(c.queue, 2, mems.as_ptr(), 0, c.count, c.list, c.event)
        }),
        function("clEnqueueNDRangeKernel", 0, false, |r, c| {
            let (global, none) = (1usize, null());
            r.cx.clEnqueueNDRangeKernel(c.queue, r.kernel, 1, none, &global, none, c.count, c.list, c.event)
        }),
        function("clEnqueueTask", 0, false, |r, c| {
            r.cx.clEnqueueTask(c.queue, r.kernel, c.count, c.list, c.event)
        }),
        function("clEnqueueNativeKernel", 0, false, native),
        function("clEnqueueMarkerWithWaitList", 0, false, |r, c| {
            r.cx.clEnqueueMarkerWithWaitList(c.queue, c.count, c.list, c.event)
        }),
        function("clEnqueueBarrierWithWaitList", 0, false, |r, c| {
            r.cx.clEnqueueBarrierWithWaitList(c.queue, c.count, c.list, c.event)
        }),
        function("clEnqueueSVMFree", 0, false, |r, c| {
            r.cx.clEnqueueSVMFree(c.queue, 0, null_mut(), None, null_mut(), c.count, c.list, c.event)
        }),
        function("clEnqueueSVMMemcpy", 0, true, |r, c| {
            r.cx.clEnqueueSVMMemcpy(c.queue, c.blocking, r.shared, r.host, 64, c.count, c.list, c.event)
        }),
        function("clEnqueueSVMMemFill", 0, false, |r, c| {
            r.cx.clEnqueueSVMMemFill(c.queue, r.shared, PATTERN, 4, 64, c.count, c.list, c.event)
        }),
        function("clEnqueueSVMMap", 0, true, |r, c| {
            r.cx.clEnqueueSVMMap(c.queue, c.blocking, CL_MAP_READ, r.shared, 64, c.count, c.list, c.event)
        }),
        function("clEnqueueSVMUnmap", 0, false, |r, c| {
            r.cx.clEnqueueSVMUnmap(c.queue, r.shared, c.count, c.list, c.event)
        }),
        function("clEnqueueSVMMigrateMem", 0, false, |r, c| {
            let mut pointers = [r.shared.cast_const()];
            let list = pointers.as_mut_ptr();
            r.cx.clEnqueueSVMMigrateMem(c.queue, 1, list, null(), 0, c.count, c.list, c.event)
        }),
    ]
}

/// Enqueues a native kernel with a memory object among its arguments.
fn native(r: &ValidArguments, c: Call) -> cl_int {
    let mut args = [0usize; 2];
    let block: *mut c_void = args.as_mut_ptr().cast();
    let mut place: *const c_void = block;
    let (function, places) = (Some(nothing as unsafe extern "C" fn(*mut c_void)), &raw mut place);
    r.cx.clEnqueueNativeKernel(c.queue, function, block, 16, 1, &c.mem, places, c.count, c.list, c.event)
}

/// Environment of a test: valid arguments, and the objects whose reference counts must not change.
pub(super) struct World<'a> {
    pub right: ValidArguments<'a>,
    pub call: Call,
    pub gate: cl_event,
    /// Environment with another context.
    foreign: Ctx,
    foreign_mem: cl_mem,
    foreign_event: cl_event,
}

/// Value that is not an event, to check that a failing call does not overwrite it.
const UNTOUCHED: *mut c_void = std::ptr::without_provenance_mut(0x5a5a);

pub(super) fn world<'a>(cx: &'a Ctx, host: &mut [u8; 64]) -> Outcome<World<'a>> {
    let kernel = cx.kernel("kernel void k(void) {}", "k")?;
    let (mem, other) = (cx.empty_buffer(64)?, cx.empty_buffer(64)?);
    let shared = cx.clSVMAlloc(cx.context, CL_MEM_READ_WRITE, 64, 0);
    holds!(!shared.is_null());
    let (list, event) = (null(), null_mut());
    let mapped = make!(cx.clEnqueueMapBuffer(cx.queue, mem, CL_TRUE, CL_MAP_READ, 0, 64, 0, list, event));
    let foreign = cx.sibling()?;
    Ok(World {
        right: ValidArguments { cx, kernel, host: raw(host), shared, mapped },
        call: Call { queue: cx.queue, mem, other, count: 0, list, event, blocking: CL_FALSE },
        gate: cx.user_event()?,
        foreign_mem: foreign.empty_buffer(64)?,
        foreign_event: foreign.user_event()?,
        foreign,
    })
}

impl World<'_> {
    /// Returns the reference counts that a failing call must not change.
    fn counts(&self) -> Outcome<[cl_uint; 6]> {
        let cx = self.right.cx;
        let (queue, gate) = (cx.queue, self.gate);
        let mem = |mem, name| query!(cx.clGetMemObjectInfo(mem, name)).value::<cl_uint>();
        Ok([
            query!(cx.clGetCommandQueueInfo(queue, CL_QUEUE_REFERENCE_COUNT)).value()?,
            mem(self.call.mem, CL_MEM_REFERENCE_COUNT)?,
            mem(self.call.other, CL_MEM_REFERENCE_COUNT)?,
            mem(self.call.mem, CL_MEM_MAP_COUNT)?,
            query!(cx.clGetEventInfo(gate, CL_EVENT_REFERENCE_COUNT)).value()?,
            query!(cx.clGetKernelInfo(self.right.kernel, CL_KERNEL_REFERENCE_COUNT)).value()?,
        ])
    }

    /// Checks that the call fails with this code and has no effect.
    fn fails(&self, function: &Function, what: &str, call: Call, expected: cl_int) -> Outcome {
        let before = self.counts()?;
        let mut event = UNTOUCHED;
        let found = (function.enqueue)(&self.right, Call { event: &mut event, ..call });
        let name = function.name;
        if found != expected {
            return failed(place!(), &format!("{name} with {what} gives {found}, not {expected}"));
        }
        if event != UNTOUCHED || self.counts()? != before {
            return failed(place!(), &format!("{name} with {what} failed and did something all the same"));
        }
        Ok(())
    }

    /// Checks the call with and without a pointer for an event.
    fn fails_twice(&self, function: &Function, what: &str, call: Call, expected: cl_int) -> Outcome {
        self.fails(function, what, call, expected)?;
        let found = (function.enqueue)(&self.right, call);
        if found == expected {
            return Ok(());
        }
        failed(place!(), &format!("{} with {what} and no event gives {found}", function.name))
    }
}

fn enqueue_with_a_wrong_queue(cx: &Ctx) -> Outcome {
    let mut host = [0; 64];
    let world = world(cx, &mut host)?;
    let dead = cx.queue(0)?;
    ok!(cx.clReleaseCommandQueue(dead));
    let mut wrong = vec![null_mut(), cx.context, cx.device, world.call.mem, world.gate];
    // Only a vendor library checks dead handles; a loader dereferences them.
    wrong.extend(cx.is_vendor().then_some(dead));
    for function in functions() {
        for &queue in &wrong {
            let call = Call { queue, ..world.call };
            world.fails_twice(&function, "a wrong queue", call, CL_INVALID_COMMAND_QUEUE)?;
        }
        // A valid queue of another context than the other objects.
        if function.mems > 0 {
            let call = Call { queue: world.foreign.queue, ..world.call };
            world.fails_twice(&function, "another context's queue", call, CL_INVALID_CONTEXT)?;
        }
    }
    Ok(())
}

fn enqueue_with_a_wrong_memory_object(cx: &Ctx) -> Outcome {
    let mut host = [0; 64];
    let world = world(cx, &mut host)?;
    let dead = cx.empty_buffer(64)?;
    ok!(cx.clReleaseMemObject(dead));
    // NULL is an invalid object too, except for native kernels. A dead handle is tested with a vendor library only,
    // because a loader may dereference it.
    let wrong = [null_mut(), cx.queue, cx.context, world.gate, dead];
    let wrong = &wrong[..if cx.is_vendor() { 5 } else { 4 }];
    for function in functions() {
        for &mem in wrong {
            if function.mems > 0 {
                let call = Call { mem, ..world.call };
                world.fails_twice(&function, "a wrong object", call, CL_INVALID_MEM_OBJECT)?;
            }
            if function.mems > 1 {
                let call = Call { other: mem, ..world.call };
                world.fails_twice(&function, "a wrong second object", call, CL_INVALID_MEM_OBJECT)?;
            }
        }
        if function.mems > 0 {
            let call = Call { mem: world.foreign_mem, ..world.call };
            world.fails_twice(&function, "another context's object", call, CL_INVALID_CONTEXT)?;
        }
        if function.mems > 1 {
            let call = Call { other: world.foreign_mem, ..world.call };
            world.fails_twice(&function, "another context's second object", call, CL_INVALID_CONTEXT)?;
        }
    }
    let native = function("clEnqueueNativeKernel", 1, false, native);
    for &mem in &wrong[1..] {
        world.fails_twice(&native, "a wrong object", Call { mem, ..world.call }, CL_INVALID_MEM_OBJECT)?;
    }
    let call = Call { mem: world.foreign_mem, ..world.call };
    world.fails_twice(&native, "another context's object", call, CL_INVALID_CONTEXT)?;
    equal!((native.enqueue)(&world.right, Call { mem: null_mut(), ..world.call }), CL_SUCCESS);
    ok!(cx.clFinish(cx.queue));
    Ok(())
}

fn enqueue_with_a_wrong_wait_list(cx: &Ctx) -> Outcome {
    let mut host = [0; 64];
    let world = world(cx, &mut host)?;
    let dead = cx.user_event()?;
    ok!(cx.clReleaseEvent(dead));
    let gate = world.gate;
    let (no_event, half, with_queue) = ([null_mut()], [gate, null_mut()], [gate, cx.queue]);
    let wrong: [(&str, cl_uint, *const cl_event); 6] = [
        ("a count and no list", 1, null()),
        ("a list and no count", 0, &gate),
        ("a null event", 1, no_event.as_ptr()),
        ("a null event behind a right one", 2, half.as_ptr()),
        ("a queue among the events", 2, with_queue.as_ptr()),
        ("a dead event", 1, &dead),
    ];
    let mixed = [gate, world.foreign_event];
    for function in functions() {
        for (what, count, list) in wrong {
            let call = Call { count, list, ..world.call };
            world.fails_twice(&function, what, call, CL_INVALID_EVENT_WAIT_LIST)?;
        }
        for list in [&mixed[1..], &mixed] {
            let call = Call { count: list.len() as cl_uint, list: list.as_ptr(), ..world.call };
            world.fails_twice(&function, "another context's event", call, CL_INVALID_CONTEXT)?;
        }
    }
    // No command was enqueued, so nothing waits for the gate.
    ok!(cx.clFinish(cx.queue));
    Ok(())
}

fn blocking_after_a_failure(cx: &Ctx) -> Outcome {
    let mut host = [0; 64];
    let world = world(cx, &mut host)?;
    let gate = world.gate;
    ok!(cx.clSetUserEventStatus(gate, -9));
    let error = CL_EXEC_STATUS_ERROR_FOR_EVENTS_IN_WAIT_LIST;
    for function in functions() {
        let call = Call { count: 1, list: &gate, blocking: CL_TRUE, ..world.call };
        if function.blocks {
            world.fails_twice(&function, "an event that failed", call, error)?;
            continue;
        }
        if function.name == "clEnqueueUnmapMemObject" {
            continue;
        }
        // Non-blocking commands are enqueued, and fail later.
        let mut event = null_mut();
        equal!((function.enqueue)(&world.right, Call { event: &mut event, ..call }), CL_SUCCESS);
        equal!(cx.clWaitForEvents(1, &event), error);
        equal!(cx.status(event)?, error);
        ok!(cx.clReleaseEvent(event));
    }
    equal!(world.counts()?, [1; 6]);
    Ok(())
}
