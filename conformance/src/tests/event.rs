//! Tests of events, user events and callbacks.

use std::ffi::c_void;
use std::ptr::{null, null_mut};
use std::sync::Mutex;
use std::time::{Duration, Instant};

use cl_sys::*;

use crate::check::{Failure, Outcome};
use crate::context::{Ctx, raw};
use crate::{equal, fails, holds, make, make_fails, ok, query, query_fails, tests};

tests! {
    "test_events":
        event_get_info, event_get_write_array_status, event_wait_for_array, event_flush, event_finish_array,
        event_release_before_done, event_life, userevents, userevents_multithreaded, user_event_twice,
        user_event_given_up, callbacks, callbacks_of_a_done_event, callbacks_without_flush, callbacks_simultaneous,
        callback_on_error_simple, callback_on_error_enqueue_command, callback_enqueues, errors_propagate,
        blocking_calls_report_errors, markers_report_errors, negative_wait, negative_user_event,
        negative_callback, negative_event;
}

fn references(cx: &Ctx, event: cl_event) -> Outcome<cl_uint> {
    query!(cx.clGetEventInfo(event, CL_EVENT_REFERENCE_COUNT)).value()
}

/// Enqueues a fill that waits for `gate`, if there is one.
fn fill(
    cx: &Ctx,
    queue: cl_command_queue,
    buffer: cl_mem,
    value: u32,
    gate: Option<cl_event>,
) -> Outcome<cl_event> {
    let mut event = null_mut();
    let pattern = (&raw const value).cast();
    let list = gate.as_ref().map_or(null(), std::ptr::from_ref);
    ok!(cx.clEnqueueFillBuffer(
        queue,
        buffer,
        pattern,
        4,
        0,
        4,
        cl_uint::from(gate.is_some()),
        list,
        &mut event
    ));
    Ok(event)
}

fn event_get_info(cx: &Ctx) -> Outcome {
    let buffer = cx.empty_buffer(64)?;
    let event = fill(cx, cx.queue, buffer, 1, None)?;
    equal!(query!(cx.clGetEventInfo(event, CL_EVENT_COMMAND_QUEUE)).value::<cl_command_queue>()?, cx.queue);
    equal!(query!(cx.clGetEventInfo(event, CL_EVENT_CONTEXT)).value::<cl_context>()?, cx.context);
    equal!(
        query!(cx.clGetEventInfo(event, CL_EVENT_COMMAND_TYPE)).value::<cl_uint>()?,
        CL_COMMAND_FILL_BUFFER
    );
    equal!(references(cx, event)?, 1);
    query_fails!(CL_INVALID_VALUE, cx.clGetEventInfo(event, 0xdead));
    ok!(cx.clFinish(cx.queue));
    equal!(cx.status(event)?, CL_COMPLETE);
    let user = cx.user_event()?;
    equal!(query!(cx.clGetEventInfo(user, CL_EVENT_COMMAND_QUEUE)).value::<cl_command_queue>()?, null_mut());
    equal!(query!(cx.clGetEventInfo(user, CL_EVENT_CONTEXT)).value::<cl_context>()?, cx.context);
    equal!(query!(cx.clGetEventInfo(user, CL_EVENT_COMMAND_TYPE)).value::<cl_uint>()?, CL_COMMAND_USER);
    equal!(cx.status(user)?, CL_SUBMITTED);
    Ok(())
}

fn event_get_write_array_status(cx: &Ctx) -> Outcome {
    let buffer = cx.empty_buffer(1 << 20)?;
    let mut data = vec![1u8; 1 << 20];
    let mut event = null_mut();
    let pointer = raw(&mut data);
    ok!(cx.clEnqueueWriteBuffer(cx.queue, buffer, CL_FALSE, 0, 1 << 20, pointer, 0, null(), &mut event));
    // The status changes without a wait. A poll may miss intermediate states.
    let mut last = CL_QUEUED;
    let start = Instant::now();
    while last != CL_COMPLETE {
        let status = cx.status(event)?;
        holds!(status <= last && status >= CL_COMPLETE);
        last = status;
        holds!(start.elapsed() < Duration::from_secs(10));
    }
    ok!(cx.clReleaseEvent(event));
    Ok(())
}

fn event_wait_for_array(cx: &Ctx) -> Outcome {
    let buffer = cx.empty_buffer(64)?;
    let queues = [cx.queue, cx.queue(0)?, cx.queue(CL_QUEUE_OUT_OF_ORDER_EXEC_MODE_ENABLE)?];
    let mut events = Vec::new();
    for i in 0..30 {
        events.push(fill(cx, queues[i % 3], buffer, i as u32, None)?);
    }
    ok!(cx.clWaitForEvents(30, events.as_ptr()));
    for event in events {
        equal!(cx.status(event)?, CL_COMPLETE);
        ok!(cx.clReleaseEvent(event));
    }
    Ok(())
}

fn event_flush(cx: &Ctx) -> Outcome {
    for properties in [0, CL_QUEUE_OUT_OF_ORDER_EXEC_MODE_ENABLE] {
        let queue = cx.queue(properties)?;
        let buffer = cx.empty_buffer(64)?;
        let event = fill(cx, queue, buffer, 1, None)?;
        ok!(cx.clFlush(queue));
        holds!(cx.status(event)? <= CL_SUBMITTED);
        // Polling is enough to make the command run.
        equal!(cx.poll(event, CL_COMPLETE)?, CL_COMPLETE);
    }
    Ok(())
}

fn event_finish_array(cx: &Ctx) -> Outcome {
    let buffer = cx.empty_buffer(64)?;
    let events: Vec<_> = (0..100).map(|i| fill(cx, cx.queue, buffer, i, None)).collect::<Outcome<_>>()?;
    ok!(cx.clFinish(cx.queue));
    for event in events {
        equal!(cx.status(event)?, CL_COMPLETE);
    }
    equal!(cx.contents::<u32>(buffer, 1)?, vec![99]);
    Ok(())
}

fn event_release_before_done(cx: &Ctx) -> Outcome {
    let buffer = cx.empty_buffer(64)?;
    let gate = cx.user_event()?;
    for i in 0..100 {
        let event = fill(cx, cx.queue, buffer, i, Some(gate))?;
        ok!(cx.clReleaseEvent(event));
        if cx.is_vendor() {
            fails!(CL_INVALID_EVENT, cx.clReleaseEvent(event));
        }
    }
    ok!(cx.clSetUserEventStatus(gate, CL_COMPLETE));
    ok!(cx.clReleaseEvent(gate));
    equal!(cx.contents::<u32>(buffer, 1)?, vec![99]);
    Ok(())
}

fn event_life(cx: &Ctx) -> Outcome {
    let buffer = cx.empty_buffer(64)?;
    let gate = cx.user_event()?;
    equal!(references(cx, gate)?, 1);
    let event = fill(cx, cx.queue, buffer, 1, Some(gate))?;
    // A command that waits for an event does not increment its reference count.
    equal!(references(cx, gate)?, 1);
    for i in 2..10 {
        ok!(cx.clRetainEvent(event));
        equal!(references(cx, event)?, i);
    }
    ok!(cx.clSetUserEventStatus(gate, CL_COMPLETE));
    ok!(cx.clFinish(cx.queue));
    for i in (2..10).rev() {
        equal!(references(cx, event)?, i);
        ok!(cx.clReleaseEvent(event));
    }
    ok!(cx.clReleaseEvent(event));
    Ok(())
}

fn userevents(cx: &Ctx) -> Outcome {
    let buffer = cx.buffer(&[0u32; 16])?;
    let gate = cx.user_event()?;
    let event = fill(cx, cx.queue, buffer, 5, Some(gate))?;
    ok!(cx.clFlush(cx.queue));
    std::thread::sleep(Duration::from_millis(20));
    let status = cx.status(event)?;
    holds!(status == CL_SUBMITTED || status == CL_QUEUED);
    ok!(cx.clSetUserEventStatus(gate, CL_COMPLETE));
    equal!(cx.status(gate)?, CL_COMPLETE);
    equal!(cx.poll(event, CL_COMPLETE)?, CL_COMPLETE);
    equal!(cx.contents::<u32>(buffer, 1)?, vec![5]);
    Ok(())
}

fn userevents_multithreaded(cx: &Ctx) -> Outcome {
    let buffer = cx.empty_buffer(64)?;
    let gates: Vec<_> = (0..100).map(|_| cx.user_event()).collect::<Outcome<_>>()?;
    let events: Vec<_> =
        gates.iter().map(|&gate| fill(cx, cx.queue, buffer, 1, Some(gate))).collect::<Outcome<_>>()?;
    let addresses: Vec<_> = gates.iter().map(|gate| gate.expose_provenance()).collect();
    let set = |address: usize| {
        std::thread::sleep(Duration::from_micros(50));
        cx.clSetUserEventStatus(std::ptr::with_exposed_provenance_mut(address), CL_COMPLETE)
    };
    let shared = Shared(&set);
    std::thread::scope(|scope| {
        for half in addresses.chunks(50) {
            let shared = &shared;
            scope.spawn(move || {
                half.iter().rev().for_each(|&address| {
                    shared.call(address);
                })
            });
        }
        ok!(cx.clWaitForEvents(100, events.as_ptr()));
        Ok(())
    })
}

/// Function that several threads may call.
struct Shared<'a>(&'a dyn Fn(usize) -> cl_int);

// SAFETY: OpenCL calls can be made from any thread.
unsafe impl Sync for Shared<'_> {}

impl Shared<'_> {
    fn call(&self, address: usize) -> cl_int {
        (self.0)(address)
    }
}

fn user_event_twice(cx: &Ctx) -> Outcome {
    let event = cx.user_event()?;
    ok!(cx.clSetUserEventStatus(event, -5));
    fails!(CL_INVALID_OPERATION, cx.clSetUserEventStatus(event, CL_COMPLETE));
    fails!(CL_INVALID_OPERATION, cx.clSetUserEventStatus(event, -5));
    equal!(cx.status(event)?, -5);
    Ok(())
}

fn user_event_given_up(cx: &Ctx) -> Outcome {
    // The released event can no longer be set, so the command that waits for it fails.
    let buffer = cx.empty_buffer(64)?;
    let gate = cx.user_event()?;
    let event = fill(cx, cx.queue, buffer, 1, Some(gate))?;
    ok!(cx.clReleaseEvent(gate));
    fails!(CL_EXEC_STATUS_ERROR_FOR_EVENTS_IN_WAIT_LIST, cx.clWaitForEvents(1, &event));
    Ok(())
}

static NOTES: Mutex<Vec<(usize, cl_int, usize)>> = Mutex::new(Vec::new());

unsafe extern "C" fn note(event: cl_event, status: cl_int, data: *mut c_void) {
    NOTES.lock().expect("nobody panics here").push((event.addr(), status, data.addr()));
}

/// Waits for `count` callbacks and returns the statuses and data with which they were called.
fn notes(count: usize) -> Outcome<Vec<(cl_int, usize)>> {
    let start = Instant::now();
    loop {
        let mut notes = NOTES.lock().expect("nobody panics here");
        if notes.len() >= count {
            let taken = std::mem::take(&mut *notes);
            return Ok(taken.into_iter().map(|(_, status, data)| (status, data)).collect());
        }
        drop(notes);
        if start.elapsed() > Duration::from_secs(10) {
            return Err(Failure::Failed(String::from("a callback was not called")));
        }
        std::thread::sleep(Duration::from_millis(1));
    }
}

fn data(number: usize) -> *mut c_void {
    std::ptr::without_provenance_mut(number)
}

fn callbacks(cx: &Ctx) -> Outcome {
    let buffer = cx.empty_buffer(64)?;
    let gate = cx.user_event()?;
    let event = fill(cx, cx.queue, buffer, 1, Some(gate))?;
    for (i, status) in [CL_COMPLETE, CL_RUNNING, CL_SUBMITTED].into_iter().enumerate() {
        ok!(cx.clSetEventCallback(event, status, Some(note), data(i)));
    }
    ok!(cx.clSetUserEventStatus(gate, CL_COMPLETE));
    ok!(cx.clWaitForEvents(1, &event));
    let mut called = notes(3)?;
    called.sort();
    equal!(called, vec![(CL_COMPLETE, 0), (CL_RUNNING, 1), (CL_SUBMITTED, 2)]);
    Ok(())
}

fn callbacks_of_a_done_event(cx: &Ctx) -> Outcome {
    let buffer = cx.empty_buffer(64)?;
    let event = fill(cx, cx.queue, buffer, 1, None)?;
    ok!(cx.clFinish(cx.queue));
    for status in [CL_COMPLETE, CL_RUNNING, CL_SUBMITTED] {
        ok!(cx.clSetEventCallback(event, status, Some(note), data(7)));
        equal!(notes(1)?, vec![(status, 7)]);
    }
    Ok(())
}

fn callbacks_without_flush(cx: &Ctx) -> Outcome {
    // The callbacks must be called without a flush, a wait or a query.
    for properties in [0, CL_QUEUE_OUT_OF_ORDER_EXEC_MODE_ENABLE] {
        let queue = cx.queue(properties)?;
        let event = fill(cx, queue, cx.empty_buffer(64)?, 1, None)?;
        ok!(cx.clSetEventCallback(event, CL_COMPLETE, Some(note), data(3)));
        equal!(notes(1)?, vec![(CL_COMPLETE, 3)]);
    }
    Ok(())
}

fn callbacks_simultaneous(cx: &Ctx) -> Outcome {
    let buffer = cx.empty_buffer(64)?;
    let queues = [cx.queue, cx.queue(CL_QUEUE_OUT_OF_ORDER_EXEC_MODE_ENABLE)?];
    let gate = cx.user_event()?;
    let mut previous = gate;
    let mut events = Vec::new();
    for i in 0..40 {
        let wait = if i % 3 == 0 { gate } else { previous };
        let event = fill(cx, queues[i % 2], buffer, 0, Some(wait))?;
        for status in [CL_SUBMITTED, CL_RUNNING, CL_COMPLETE] {
            ok!(cx.clSetEventCallback(event, status, Some(note), data(i)));
        }
        events.push(event);
        previous = event;
    }
    for queue in queues {
        ok!(cx.clFlush(queue));
    }
    ok!(cx.clSetUserEventStatus(gate, CL_COMPLETE));
    ok!(cx.clWaitForEvents(40, events.as_ptr()));
    let mut called = notes(120)?;
    called.sort_by_key(|&(status, event)| (event, status));
    let expected: Vec<_> = (0..40).flat_map(|i| (0..3).map(move |status| (status, i))).collect();
    equal!(called, expected);
    // Each callback is called exactly once.
    std::thread::sleep(Duration::from_millis(20));
    equal!(notes(0)?, vec![]);
    Ok(())
}

fn callback_on_error_simple(cx: &Ctx) -> Outcome {
    let event = cx.user_event()?;
    ok!(cx.clSetEventCallback(event, CL_COMPLETE, Some(note), data(1)));
    ok!(cx.clSetUserEventStatus(event, -42));
    equal!(notes(1)?, vec![(-42, 1)]);
    Ok(())
}

fn callback_on_error_enqueue_command(cx: &Ctx) -> Outcome {
    let buffer = cx.empty_buffer(64)?;
    let gate = cx.user_event()?;
    let event = fill(cx, cx.queue, buffer, 1, Some(gate))?;
    ok!(cx.clSetEventCallback(event, CL_COMPLETE, Some(note), data(2)));
    ok!(cx.clSetUserEventStatus(gate, -42));
    fails!(CL_EXEC_STATUS_ERROR_FOR_EVENTS_IN_WAIT_LIST, cx.clWaitForEvents(1, &event));
    equal!(notes(1)?, vec![(CL_EXEC_STATUS_ERROR_FOR_EVENTS_IN_WAIT_LIST, 2)]);
    Ok(())
}

/// Data that a callback needs to enqueue a command.
struct Enqueue<'a> {
    cx: &'a Ctx,
    buffer: cl_mem,
    done: Mutex<Option<cl_int>>,
}

unsafe extern "C" fn enqueue(_event: cl_event, _status: cl_int, data: *mut c_void) {
    // SAFETY: the test keeps the value until `done` is set.
    let enqueue = unsafe { &*data.cast::<Enqueue>() };
    let (cx, nine) = (enqueue.cx, 9u32);
    let pattern = (&raw const nine).cast();
    let mut code = cx.clEnqueueFillBuffer(cx.queue, enqueue.buffer, pattern, 4, 4, 4, 0, null(), null_mut());
    if code == CL_SUCCESS {
        code = cx.clFlush(cx.queue);
    }
    *enqueue.done.lock().expect("nobody panics here") = Some(code);
}

fn callback_enqueues(cx: &Ctx) -> Outcome {
    // Callbacks run without a lock, so a callback may use the queue of its event.
    let buffer = cx.buffer(&[0u32; 2])?;
    let enqueue_data = Enqueue { cx, buffer, done: Mutex::new(None) };
    let gate = cx.user_event()?;
    let event = fill(cx, cx.queue, buffer, 1, Some(gate))?;
    let pointer = (&raw const enqueue_data).cast_mut().cast();
    ok!(cx.clSetEventCallback(event, CL_COMPLETE, Some(enqueue), pointer));
    ok!(cx.clSetUserEventStatus(gate, CL_COMPLETE));
    ok!(cx.clWaitForEvents(1, &event));
    let start = Instant::now();
    while enqueue_data.done.lock().expect("nobody panics here").is_none() {
        holds!(start.elapsed() < Duration::from_secs(10));
        std::thread::yield_now();
    }
    equal!(*enqueue_data.done.lock().expect("nobody panics here"), Some(CL_SUCCESS));
    equal!(cx.contents::<u32>(buffer, 2)?, vec![1, 9]);
    Ok(())
}

fn errors_propagate(cx: &Ctx) -> Outcome {
    let buffer = cx.buffer(&[0u32; 4])?;
    let other = cx.queue(CL_QUEUE_OUT_OF_ORDER_EXEC_MODE_ENABLE)?;
    let gate = cx.user_event()?;
    let first = fill(cx, cx.queue, buffer, 1, Some(gate))?;
    let second = fill(cx, other, buffer, 2, Some(first))?;
    // This command comes later in the queue, but does not wait for an event that fails.
    let unrelated = fill(cx, cx.queue, buffer, 3, None)?;
    ok!(cx.clSetUserEventStatus(gate, -1));
    fails!(CL_EXEC_STATUS_ERROR_FOR_EVENTS_IN_WAIT_LIST, cx.clWaitForEvents(1, &second));
    for event in [first, second] {
        equal!(cx.poll(event, CL_COMPLETE)?, CL_EXEC_STATUS_ERROR_FOR_EVENTS_IN_WAIT_LIST);
    }
    ok!(cx.clWaitForEvents(1, &unrelated));
    ok!(cx.clFinish(cx.queue));
    ok!(cx.clFinish(other));
    equal!(cx.contents::<u32>(buffer, 1)?, vec![3]);
    Ok(())
}

fn blocking_calls_report_errors(cx: &Ctx) -> Outcome {
    let buffer = cx.buffer(&[1u32; 4])?;
    let gate = cx.user_event()?;
    ok!(cx.clSetUserEventStatus(gate, -7));
    let mut data = [0u32; 4];
    let pointer = raw(&mut data);
    let error = CL_EXEC_STATUS_ERROR_FOR_EVENTS_IN_WAIT_LIST;
    let mut event = null_mut();
    fails!(error, cx.clEnqueueReadBuffer(cx.queue, buffer, CL_TRUE, 0, 16, pointer, 1, &gate, &mut event));
    fails!(error, cx.clEnqueueWriteBuffer(cx.queue, buffer, CL_TRUE, 0, 16, pointer, 1, &gate, null_mut()));
    let flags = CL_MAP_READ;
    make_fails!(error, cx.clEnqueueMapBuffer(cx.queue, buffer, CL_TRUE, flags, 0, 16, 1, &gate, null_mut()));
    equal!(data, [0; 4]);
    equal!(query!(cx.clGetMemObjectInfo(buffer, CL_MEM_MAP_COUNT)).value::<cl_uint>()?, 0);
    equal!(cx.contents::<u32>(buffer, 4)?, vec![1; 4]);
    Ok(())
}

fn markers_report_errors(cx: &Ctx) -> Outcome {
    let gate = cx.user_event()?;
    let (mut marker, mut barrier, mut free) = (null_mut(), null_mut(), null_mut());
    ok!(cx.clEnqueueMarkerWithWaitList(cx.queue, 1, &gate, &mut marker));
    ok!(cx.clEnqueueBarrierWithWaitList(cx.queue, 1, &gate, &mut barrier));
    ok!(cx.clEnqueueMarkerWithWaitList(cx.queue, 0, null(), &mut free));
    ok!(cx.clSetUserEventStatus(gate, -3));
    let error = CL_EXEC_STATUS_ERROR_FOR_EVENTS_IN_WAIT_LIST;
    for event in [marker, barrier] {
        fails!(error, cx.clWaitForEvents(1, &event));
        equal!(cx.status(event)?, error);
    }
    ok!(cx.clWaitForEvents(1, &free));
    Ok(())
}

fn negative_wait(cx: &Ctx) -> Outcome {
    let event = cx.user_event()?;
    fails!(CL_INVALID_VALUE, cx.clWaitForEvents(0, &event));
    fails!(CL_INVALID_VALUE, cx.clWaitForEvents(1, null()));
    if cx.is_vendor() {
        fails!(CL_INVALID_EVENT, cx.clWaitForEvents(1, &null_mut()));
    }
    fails!(CL_INVALID_EVENT, cx.clWaitForEvents(1, &cx.queue));
    let other = make!(cx.clCreateContext(null(), 1, &cx.device, None, null_mut()));
    let foreign = make!(cx.clCreateUserEvent(other));
    let list = [event, foreign];
    fails!(CL_INVALID_CONTEXT, cx.clWaitForEvents(2, list.as_ptr()));
    Ok(())
}

fn negative_user_event(cx: &Ctx) -> Outcome {
    make_fails!(CL_INVALID_CONTEXT, cx.clCreateUserEvent(null_mut()));
    make_fails!(CL_INVALID_CONTEXT, cx.clCreateUserEvent(cx.queue));
    let event = cx.user_event()?;
    for status in [CL_RUNNING, CL_SUBMITTED, CL_QUEUED, 100] {
        fails!(CL_INVALID_VALUE, cx.clSetUserEventStatus(event, status));
    }
    fails!(CL_INVALID_EVENT, cx.clSetUserEventStatus(null_mut(), CL_COMPLETE));
    let buffer = cx.empty_buffer(64)?;
    let command = fill(cx, cx.queue, buffer, 1, None)?;
    fails!(CL_INVALID_EVENT, cx.clSetUserEventStatus(command, CL_COMPLETE));
    ok!(cx.clFinish(cx.queue));
    Ok(())
}

fn negative_callback(cx: &Ctx) -> Outcome {
    let event = cx.user_event()?;
    fails!(CL_INVALID_EVENT, cx.clSetEventCallback(null_mut(), CL_COMPLETE, Some(note), null_mut()));
    fails!(CL_INVALID_VALUE, cx.clSetEventCallback(event, CL_COMPLETE, None, null_mut()));
    for status in [CL_QUEUED, -1, 17] {
        fails!(CL_INVALID_VALUE, cx.clSetEventCallback(event, status, Some(note), null_mut()));
    }
    Ok(())
}

fn negative_event(cx: &Ctx) -> Outcome {
    for handle in [null_mut(), cx.context, cx.queue] {
        fails!(CL_INVALID_EVENT, cx.clRetainEvent(handle));
        fails!(CL_INVALID_EVENT, cx.clReleaseEvent(handle));
        query_fails!(CL_INVALID_EVENT, cx.clGetEventInfo(handle, CL_EVENT_CONTEXT));
        query_fails!(CL_INVALID_EVENT, cx.clGetEventProfilingInfo(handle, CL_PROFILING_COMMAND_END));
    }
    Ok(())
}
