//! Tests of many objects and commands from many threads.

use std::ptr::{null, null_mut};

use cl_sys::*;

use crate::check::Outcome;
use crate::context::{Ctx, raw};
use crate::{equal, make, ok, tests};

tests! {
    "test_api":
        repeated_setup_cleanup, threads_share_a_queue, threads_with_their_own_queues;
    "test_events":
        long_chain, long_chain_given_up, everything_released_early;
}

fn repeated_setup_cleanup(cx: &Ctx) -> Outcome {
    for _ in 0..200 {
        let context = make!(cx.clCreateContext(null(), 1, &cx.device, None, null_mut()));
        let queue = make!(cx.clCreateCommandQueue(context, cx.device, 0));
        let buffer = make!(cx.clCreateBuffer(context, 0, 1 << 16, null_mut()));
        let mut event = null_mut();
        ok!(cx.clEnqueueFillBuffer(
            queue,
            buffer,
            [1u8].as_ptr().cast(),
            1,
            0,
            1 << 16,
            0,
            null(),
            &mut event
        ));
        ok!(cx.clReleaseContext(context));
        ok!(cx.clReleaseMemObject(buffer));
        ok!(cx.clReleaseCommandQueue(queue));
        ok!(cx.clWaitForEvents(1, &event));
        ok!(cx.clReleaseEvent(event));
    }
    Ok(())
}

/// Context that several threads use, as OpenCL permits.
struct Shared<'a>(&'a Ctx);

// SAFETY: OpenCL calls can be made from any thread.
unsafe impl Sync for Shared<'_> {}
// SAFETY: OpenCL calls can be made from any thread.
unsafe impl Send for Shared<'_> {}

/// Runs `work` in eight threads.
fn threads(cx: &Ctx, work: impl Fn(&Ctx, u32) -> Outcome + Sync) -> Outcome {
    let shared = Shared(cx);
    std::thread::scope(|scope| {
        let start = |i| {
            let (shared, work) = (&shared, &work);
            scope.spawn(move || work(Shared::get(shared), i))
        };
        let threads: Vec<_> = (0..8).map(start).collect();
        for thread in threads {
            thread.join().unwrap_or_else(|_| crate::check::failed("thread", "it panicked"))?;
        }
        Ok(())
    })
}

impl Shared<'_> {
    fn get(&self) -> &Ctx {
        self.0
    }
}

/// Repeatedly writes, copies and reads back in one queue.
fn round_trips(cx: &Ctx, queue: cl_command_queue, seed: u32) -> Outcome {
    for round in 0..100u32 {
        let mut data: Vec<u32> = (0..256).map(|i| i ^ (seed << 16) ^ (round << 8)).collect();
        let (a, b) = (cx.empty_buffer(1024)?, cx.empty_buffer(1024)?);
        let mut event = null_mut();
        ok!(cx.clEnqueueWriteBuffer(queue, a, CL_FALSE, 0, 1024, raw(&mut data), 0, null(), &mut event));
        let mut copied = null_mut();
        ok!(cx.clEnqueueCopyBuffer(queue, a, b, 0, 0, 1024, 1, &event, &mut copied));
        let mut back = vec![0u32; 256];
        ok!(cx.clEnqueueReadBuffer(queue, b, CL_TRUE, 0, 1024, raw(&mut back), 1, &copied, null_mut()));
        equal!(back, data);
        for event in [event, copied] {
            ok!(cx.clReleaseEvent(event));
        }
        for buffer in [a, b] {
            ok!(cx.clReleaseMemObject(buffer));
        }
    }
    Ok(())
}

fn threads_share_a_queue(cx: &Ctx) -> Outcome {
    for properties in [0, CL_QUEUE_OUT_OF_ORDER_EXEC_MODE_ENABLE] {
        let address = cx.queue(properties)?.expose_provenance();
        threads(cx, |cx, i| round_trips(cx, std::ptr::with_exposed_provenance_mut(address), i))?;
    }
    Ok(())
}

fn threads_with_their_own_queues(cx: &Ctx) -> Outcome {
    threads(cx, |cx, i| {
        let queue = cx.queue(if i % 2 == 0 { 0 } else { CL_QUEUE_OUT_OF_ORDER_EXEC_MODE_ENABLE })?;
        round_trips(cx, queue, i)?;
        ok!(cx.clReleaseCommandQueue(queue));
        Ok(())
    })
}

/// Enqueues a chain of commands that wait for a user event. The chain is long enough to overflow the stack of a
/// recursive implementation.
fn chain(cx: &Ctx, properties: cl_ulong) -> Outcome<(cl_event, cl_event)> {
    let queue = cx.queue(properties)?;
    let gate = cx.user_event()?;
    ok!(cx.clRetainEvent(gate));
    let mut last = gate;
    for _ in 0..100_000 {
        let mut next = null_mut();
        ok!(cx.clEnqueueMarkerWithWaitList(queue, 1, &last, &mut next));
        ok!(cx.clReleaseEvent(last));
        last = next;
    }
    ok!(cx.clReleaseCommandQueue(queue));
    Ok((gate, last))
}

fn long_chain(cx: &Ctx) -> Outcome {
    for properties in [0, CL_QUEUE_OUT_OF_ORDER_EXEC_MODE_ENABLE] {
        let (gate, last) = chain(cx, properties)?;
        ok!(cx.clSetUserEventStatus(gate, CL_COMPLETE));
        ok!(cx.clWaitForEvents(1, &last));
        ok!(cx.clReleaseEvent(gate));
        ok!(cx.clReleaseEvent(last));
    }
    Ok(())
}

fn long_chain_given_up(cx: &Ctx) -> Outcome {
    for properties in [0, CL_QUEUE_OUT_OF_ORDER_EXEC_MODE_ENABLE] {
        let (gate, last) = chain(cx, properties)?;
        ok!(cx.clReleaseEvent(gate));
        equal!(cx.clWaitForEvents(1, &last), CL_EXEC_STATUS_ERROR_FOR_EVENTS_IN_WAIT_LIST);
        ok!(cx.clReleaseEvent(last));
    }
    Ok(())
}

fn everything_released_early(cx: &Ctx) -> Outcome {
    // Only the pending commands keep the objects alive, and all commands complete.
    let mut host = vec![0u32; 1000];
    let context = make!(cx.clCreateContext(null(), 1, &cx.device, None, null_mut()));
    let gate = make!(cx.clCreateUserEvent(context));
    let queue = make!(cx.clCreateCommandQueue(context, cx.device, CL_QUEUE_OUT_OF_ORDER_EXEC_MODE_ENABLE));
    let flags = CL_MEM_USE_HOST_PTR;
    let buffer = make!(cx.clCreateBuffer(context, flags, 4000, raw(&mut host)));
    let mut last = null_mut();
    for i in 0..1000u32 {
        let (pattern, place) = ((&raw const i).cast(), i as usize * 4);
        ok!(cx.clEnqueueFillBuffer(queue, buffer, pattern, 4, place, 4, 1, &gate, null_mut()));
    }
    ok!(cx.clEnqueueMarkerWithWaitList(queue, 0, null(), &mut last));
    ok!(cx.clReleaseMemObject(buffer));
    ok!(cx.clReleaseCommandQueue(queue));
    ok!(cx.clReleaseContext(context));
    ok!(cx.clSetUserEventStatus(gate, CL_COMPLETE));
    ok!(cx.clReleaseEvent(gate));
    ok!(cx.clWaitForEvents(1, &last));
    ok!(cx.clReleaseEvent(last));
    equal!(host, (0..1000).collect::<Vec<u32>>());
    Ok(())
}
