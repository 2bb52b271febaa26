//! Tests of the order of commands: in-order and out-of-order queues, markers, barriers, wait lists across queues.

use std::ptr::{null, null_mut};

use cl_sys::*;

use crate::check::Outcome;
use crate::context::Ctx;
use crate::{equal, fails, holds, ok, query, tests};

tests! {
    "test_events":
        waitlists, event_enqueue_marker, event_enqueue_marker_with_event_list,
        event_enqueue_barrier_with_event_list, out_of_order_event_waitlist_single_queue,
        out_of_order_event_waitlist_multi_queue, out_of_order_event_enqueue_wait_for_events_single_queue,
        out_of_order_event_enqueue_barrier_single_queue, out_of_order_event_enqueue_marker_single_queue,
        out_of_order_overtakes, out_of_order_finish, in_order_stays_in_order, queues_wait_for_each_other,
        negative_markers_and_barriers;
}

const OUT_OF_ORDER: cl_ulong = CL_QUEUE_OUT_OF_ORDER_EXEC_MODE_ENABLE;

/// Sets word `index` of a buffer.
fn set(
    cx: &Ctx,
    queue: cl_command_queue,
    buffer: cl_mem,
    index: usize,
    value: u32,
    waits: &[cl_event],
) -> Outcome<cl_event> {
    let mut event = null_mut();
    let list = if waits.is_empty() { null() } else { waits.as_ptr() };
    let (pattern, count) = ((&raw const value).cast(), waits.len() as cl_uint);
    ok!(cx.clEnqueueFillBuffer(queue, buffer, pattern, 4, index * 4, 4, count, list, &mut event));
    Ok(event)
}

/// Copies word `from` to word `to`.
fn copy(
    cx: &Ctx,
    queue: cl_command_queue,
    buffer: cl_mem,
    (from, to): (usize, usize),
    waits: &[cl_event],
) -> Outcome<cl_event> {
    let mut event = null_mut();
    let list = if waits.is_empty() { null() } else { waits.as_ptr() };
    ok!(cx.clEnqueueCopyBuffer(
        queue,
        buffer,
        buffer,
        from * 4,
        to * 4,
        4,
        waits.len() as cl_uint,
        list,
        &mut event
    ));
    Ok(event)
}

fn waitlists(cx: &Ctx) -> Outcome {
    let buffer = cx.buffer(&[0u32; 8])?;
    let gates = [cx.user_event()?, cx.user_event()?, cx.user_event()?];
    let event = set(cx, cx.queue, buffer, 0, 1, &gates)?;
    ok!(cx.clFlush(cx.queue));
    for gate in gates {
        holds!(cx.status(event)? > CL_RUNNING);
        ok!(cx.clSetUserEventStatus(gate, CL_COMPLETE));
    }
    equal!(cx.poll(event, CL_COMPLETE)?, CL_COMPLETE);
    // An event may occur twice in a wait list, and may be complete already.
    let event = set(cx, cx.queue, buffer, 0, 2, &[event, event, gates[0]])?;
    ok!(cx.clWaitForEvents(1, &event));
    equal!(cx.contents::<u32>(buffer, 1)?, vec![2]);
    Ok(())
}

fn in_order_stays_in_order(cx: &Ctx) -> Outcome {
    let buffer = cx.buffer(&[0u32; 64])?;
    let gate = cx.user_event()?;
    set(cx, cx.queue, buffer, 0, 77, &[gate])?;
    // Each command depends on the one before it only by the order of the queue.
    for i in 0..63 {
        copy(cx, cx.queue, buffer, (i, i + 1), &[])?;
    }
    ok!(cx.clFlush(cx.queue));
    ok!(cx.clSetUserEventStatus(gate, CL_COMPLETE));
    equal!(cx.contents::<u32>(buffer, 64)?, vec![77; 64]);
    Ok(())
}

fn out_of_order_overtakes(cx: &Ctx) -> Outcome {
    // A waiting command does not block other commands.
    let queue = cx.queue(OUT_OF_ORDER)?;
    let buffer = cx.buffer(&[0u32; 2])?;
    let gate = cx.user_event()?;
    let blocked = set(cx, queue, buffer, 0, 1, &[gate])?;
    let free = set(cx, queue, buffer, 1, 1, &[])?;
    ok!(cx.clWaitForEvents(1, &free));
    holds!(cx.status(blocked)? > CL_RUNNING);
    ok!(cx.clSetUserEventStatus(gate, CL_COMPLETE));
    ok!(cx.clFinish(queue));
    equal!(cx.status(blocked)?, CL_COMPLETE);
    Ok(())
}

fn out_of_order_finish(cx: &Ctx) -> Outcome {
    let queue = cx.queue(OUT_OF_ORDER)?;
    let buffer = cx.buffer(&[0u32; 1000])?;
    let events: Vec<_> =
        (0..1000).map(|i| set(cx, queue, buffer, i, i as u32, &[])).collect::<Outcome<_>>()?;
    ok!(cx.clFinish(queue));
    for event in events {
        equal!(cx.status(event)?, CL_COMPLETE);
    }
    equal!(cx.contents::<u32>(buffer, 1000)?, (0..1000).collect::<Vec<u32>>());
    Ok(())
}

fn chain(cx: &Ctx, queues: &[cl_command_queue]) -> Outcome {
    let buffer = cx.buffer(&[0u32; 200])?;
    let mut last = set(cx, queues[0], buffer, 0, 5, &[])?;
    for i in 0..199 {
        last = copy(cx, queues[i % queues.len()], buffer, (i, i + 1), &[last])?;
    }
    for &queue in queues {
        ok!(cx.clFlush(queue));
    }
    ok!(cx.clWaitForEvents(1, &last));
    equal!(cx.contents::<u32>(buffer, 200)?, vec![5; 200]);
    Ok(())
}

fn out_of_order_event_waitlist_single_queue(cx: &Ctx) -> Outcome {
    chain(cx, &[cx.queue(OUT_OF_ORDER)?])
}

fn out_of_order_event_waitlist_multi_queue(cx: &Ctx) -> Outcome {
    chain(cx, &[cx.queue(OUT_OF_ORDER)?, cx.queue(OUT_OF_ORDER)?, cx.queue(0)?])
}

fn queues_wait_for_each_other(cx: &Ctx) -> Outcome {
    // In-order queues that alternately wait for each other. The host waits for the last event only.
    let queues = [cx.queue(0)?, cx.queue(0)?];
    let buffer = cx.buffer(&[0u32; 100])?;
    let mut last = set(cx, queues[0], buffer, 0, 6, &[])?;
    for i in 0..99 {
        last = copy(cx, queues[(i + 1) % 2], buffer, (i, i + 1), &[last])?;
    }
    ok!(cx.clWaitForEvents(1, &last));
    equal!(cx.contents::<u32>(buffer, 100)?, vec![6; 100]);
    Ok(())
}

fn kind(cx: &Ctx, event: cl_event) -> Outcome<cl_uint> {
    query!(cx.clGetEventInfo(event, CL_EVENT_COMMAND_TYPE)).value()
}

fn event_enqueue_marker(cx: &Ctx) -> Outcome {
    for properties in [0, OUT_OF_ORDER] {
        let queue = cx.queue(properties)?;
        let buffer = cx.buffer(&[0u32; 4])?;
        let gate = cx.user_event()?;
        set(cx, queue, buffer, 0, 1, &[gate])?;
        let mut marker = null_mut();
        ok!(cx.clEnqueueMarker(queue, &mut marker));
        equal!(kind(cx, marker)?, CL_COMMAND_MARKER);
        ok!(cx.clFlush(queue));
        holds!(cx.status(marker)? > CL_COMPLETE);
        ok!(cx.clSetUserEventStatus(gate, CL_COMPLETE));
        ok!(cx.clWaitForEvents(1, &marker));
        ok!(cx.clFinish(queue));
        equal!(cx.contents::<u32>(buffer, 1)?, vec![1]);
    }
    Ok(())
}

fn event_enqueue_marker_with_event_list(cx: &Ctx) -> Outcome {
    let queue = cx.queue(OUT_OF_ORDER)?;
    let buffer = cx.buffer(&[0u32; 4])?;
    let gates = [cx.user_event()?, cx.user_event()?];
    let first = set(cx, queue, buffer, 0, 1, &gates[..1])?;
    let second = set(cx, queue, buffer, 1, 1, &gates[1..])?;
    // The marker waits for its wait list only, and blocks no command.
    let (mut marker, mut all) = (null_mut(), null_mut());
    ok!(cx.clEnqueueMarkerWithWaitList(queue, 1, &first, &mut marker));
    ok!(cx.clEnqueueMarkerWithWaitList(queue, 0, null(), &mut all));
    let free = set(cx, queue, buffer, 2, 1, &[])?;
    ok!(cx.clWaitForEvents(1, &free));
    ok!(cx.clSetUserEventStatus(gates[0], CL_COMPLETE));
    ok!(cx.clWaitForEvents(1, &marker));
    holds!(cx.status(second)? > CL_COMPLETE && cx.status(all)? > CL_COMPLETE);
    ok!(cx.clSetUserEventStatus(gates[1], CL_COMPLETE));
    ok!(cx.clWaitForEvents(1, &all));
    equal!(cx.status(second)?, CL_COMPLETE);
    Ok(())
}

fn event_enqueue_barrier_with_event_list(cx: &Ctx) -> Outcome {
    let queue = cx.queue(OUT_OF_ORDER)?;
    let buffer = cx.buffer(&[0u32; 4])?;
    let gate = cx.user_event()?;
    let before = set(cx, queue, buffer, 0, 1, &[])?;
    let mut barrier = null_mut();
    ok!(cx.clEnqueueBarrierWithWaitList(queue, 1, &gate, &mut barrier));
    equal!(kind(cx, barrier)?, CL_COMMAND_BARRIER);
    // Commands after the barrier wait for it, commands before it do not.
    let after = set(cx, queue, buffer, 1, 1, &[])?;
    ok!(cx.clWaitForEvents(1, &before));
    ok!(cx.clFlush(queue));
    std::thread::sleep(std::time::Duration::from_millis(10));
    holds!(cx.status(after)? > CL_RUNNING);
    ok!(cx.clSetUserEventStatus(gate, CL_COMPLETE));
    ok!(cx.clWaitForEvents(1, &after));
    equal!(cx.status(barrier)?, CL_COMPLETE);
    Ok(())
}

fn out_of_order_event_enqueue_barrier_single_queue(cx: &Ctx) -> Outcome {
    let queue = cx.queue(OUT_OF_ORDER)?;
    let buffer = cx.buffer(&[0u32; 300])?;
    // Rounds of independent commands, separated by barriers.
    for round in 0..10u32 {
        for i in 0..30 {
            set(cx, queue, buffer, i, round, &[])?;
        }
        ok!(cx.clEnqueueBarrier(queue));
    }
    for i in 0..30 {
        copy(cx, queue, buffer, (i, i + 100), &[])?;
    }
    ok!(cx.clFinish(queue));
    equal!(&cx.contents::<u32>(buffer, 300)?[100..130], &[9; 30][..]);
    Ok(())
}

fn out_of_order_event_enqueue_wait_for_events_single_queue(cx: &Ctx) -> Outcome {
    let queue = cx.queue(OUT_OF_ORDER)?;
    let buffer = cx.buffer(&[0u32; 4])?;
    let gate = cx.user_event()?;
    let first = set(cx, queue, buffer, 0, 8, &[gate])?;
    ok!(cx.clEnqueueWaitForEvents(queue, 1, &first));
    let last = copy(cx, queue, buffer, (0, 1), &[])?;
    ok!(cx.clFlush(queue));
    holds!(cx.status(last)? > CL_RUNNING);
    ok!(cx.clSetUserEventStatus(gate, CL_COMPLETE));
    ok!(cx.clWaitForEvents(1, &last));
    equal!(cx.contents::<u32>(buffer, 2)?, vec![8, 8]);
    Ok(())
}

fn out_of_order_event_enqueue_marker_single_queue(cx: &Ctx) -> Outcome {
    let queue = cx.queue(OUT_OF_ORDER)?;
    let buffer = cx.buffer(&[0u32; 100])?;
    for i in 0..50 {
        set(cx, queue, buffer, i, 3, &[])?;
    }
    let mut marker = null_mut();
    ok!(cx.clEnqueueMarkerWithWaitList(queue, 0, null(), &mut marker));
    for i in 0..50 {
        copy(cx, queue, buffer, (i, i + 50), &[marker])?;
    }
    ok!(cx.clFinish(queue));
    equal!(cx.contents::<u32>(buffer, 100)?, vec![3; 100]);
    Ok(())
}

fn negative_markers_and_barriers(cx: &Ctx) -> Outcome {
    let event = cx.user_event()?;
    let mut out = null_mut();
    for queue in [null_mut(), cx.context] {
        let error = CL_INVALID_COMMAND_QUEUE;
        fails!(error, cx.clEnqueueMarkerWithWaitList(queue, 0, null(), null_mut()));
        fails!(error, cx.clEnqueueBarrierWithWaitList(queue, 0, null(), null_mut()));
        fails!(error, cx.clEnqueueMarker(queue, &mut out));
        fails!(error, cx.clEnqueueBarrier(queue));
        fails!(error, cx.clEnqueueWaitForEvents(queue, 1, &event));
    }
    let error = CL_INVALID_EVENT_WAIT_LIST;
    for (count, list) in [(1, null()), (0, &raw const event), (1, &raw const cx.queue)] {
        fails!(error, cx.clEnqueueMarkerWithWaitList(cx.queue, count, list, null_mut()));
        fails!(error, cx.clEnqueueBarrierWithWaitList(cx.queue, count, list, null_mut()));
    }
    fails!(CL_INVALID_VALUE, cx.clEnqueueMarker(cx.queue, null_mut()));
    fails!(CL_INVALID_VALUE, cx.clEnqueueWaitForEvents(cx.queue, 0, &event));
    fails!(CL_INVALID_VALUE, cx.clEnqueueWaitForEvents(cx.queue, 1, null()));
    fails!(CL_INVALID_EVENT, cx.clEnqueueWaitForEvents(cx.queue, 1, &cx.queue));
    Ok(())
}
