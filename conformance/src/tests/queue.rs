//! Tests of command queues.

use std::ptr::{null, null_mut};

use cl_sys::*;

use crate::check::Outcome;
use crate::context::{Ctx, raw};
use crate::{equal, fails, holds, make, make_fails, ok, query, query_fails, tests};

tests! {
    "test_api":
        get_command_queue_info, retain_queue_single, retain_queue_multiple, negative_create_command_queue,
        negative_create_command_queue_with_properties, negative_retain_command_queue,
        negative_release_command_queue, negative_get_command_queue_info, negative_set_command_queue_property,
        queue_flush_on_release, multi_queue_flush_on_release, queue_properties, negative_flush_and_finish;
    "test_multiples":
        hundred_queues;
}

const BOTH: cl_ulong = CL_QUEUE_OUT_OF_ORDER_EXEC_MODE_ENABLE | CL_QUEUE_PROFILING_ENABLE;

fn flags(cx: &Ctx, queue: cl_command_queue) -> Outcome<cl_ulong> {
    query!(cx.clGetCommandQueueInfo(queue, CL_QUEUE_PROPERTIES)).value()
}

fn get_command_queue_info(cx: &Ctx) -> Outcome {
    equal!(query!(cx.clGetCommandQueueInfo(cx.queue, CL_QUEUE_CONTEXT)).value::<cl_context>()?, cx.context);
    equal!(query!(cx.clGetCommandQueueInfo(cx.queue, CL_QUEUE_DEVICE)).value::<cl_device_id>()?, cx.device);
    equal!(query!(cx.clGetCommandQueueInfo(cx.queue, CL_QUEUE_REFERENCE_COUNT)).value::<cl_uint>()?, 1);
    equal!(flags(cx, cx.queue)?, 0);
    Ok(())
}

fn queue_properties(cx: &Ctx) -> Outcome {
    for wanted in [0, CL_QUEUE_OUT_OF_ORDER_EXEC_MODE_ENABLE, CL_QUEUE_PROFILING_ENABLE, BOTH] {
        equal!(flags(cx, cx.queue(wanted)?)?, wanted);
        let list = [cl_ulong::from(CL_QUEUE_PROPERTIES), wanted, 0];
        let queue = make!(cx.clCreateCommandQueueWithProperties(cx.context, cx.device, list.as_ptr()));
        equal!(flags(cx, queue)?, wanted);
    }
    let queue = make!(cx.clCreateCommandQueueWithProperties(cx.context, cx.device, null()));
    equal!(flags(cx, queue)?, 0);
    let queue = make!(cx.clCreateCommandQueueWithProperties(cx.context, cx.device, &0));
    equal!(flags(cx, queue)?, 0);
    Ok(())
}

fn count(cx: &Ctx, queue: cl_command_queue) -> Outcome<cl_uint> {
    query!(cx.clGetCommandQueueInfo(queue, CL_QUEUE_REFERENCE_COUNT)).value()
}

fn retain_queue_single(cx: &Ctx) -> Outcome {
    let queue = cx.queue(0)?;
    equal!(count(cx, queue)?, 1);
    ok!(cx.clReleaseCommandQueue(queue));
    if cx.is_vendor() {
        fails!(CL_INVALID_COMMAND_QUEUE, cx.clRetainCommandQueue(queue));
        fails!(CL_INVALID_COMMAND_QUEUE, cx.clReleaseCommandQueue(queue));
        fails!(CL_INVALID_COMMAND_QUEUE, cx.clFinish(queue));
    }
    Ok(())
}

fn retain_queue_multiple(cx: &Ctx) -> Outcome {
    let queue = cx.queue(0)?;
    for i in 1..=17 {
        equal!(count(cx, queue)?, i);
        ok!(cx.clRetainCommandQueue(queue));
    }
    for i in (1..=18).rev() {
        equal!(count(cx, queue)?, i);
        ok!(cx.clReleaseCommandQueue(queue));
    }
    Ok(())
}

fn negative_create_command_queue(cx: &Ctx) -> Outcome {
    make_fails!(CL_INVALID_CONTEXT, cx.clCreateCommandQueue(null_mut(), cx.device, 0));
    make_fails!(CL_INVALID_CONTEXT, cx.clCreateCommandQueue(cx.queue, cx.device, 0));
    make_fails!(CL_INVALID_DEVICE, cx.clCreateCommandQueue(cx.context, null_mut(), 0));
    make_fails!(CL_INVALID_DEVICE, cx.clCreateCommandQueue(cx.context, cx.context, 0));
    make_fails!(CL_INVALID_VALUE, cx.clCreateCommandQueue(cx.context, cx.device, 1 << 30));
    Ok(())
}

fn negative_create_command_queue_with_properties(cx: &Ctx) -> Outcome {
    let list = |pairs: &[(cl_uint, cl_ulong)]| {
        let mut list: Vec<cl_ulong> = pairs.iter().flat_map(|&(k, v)| [k.into(), v]).collect();
        list.push(0);
        list
    };
    let create = |list: Vec<cl_ulong>, expected| -> Outcome {
        make_fails!(expected, cx.clCreateCommandQueueWithProperties(cx.context, cx.device, list.as_ptr()));
        Ok(())
    };
    create(list(&[(0x7777, 0)]), CL_INVALID_VALUE)?;
    create(list(&[(CL_QUEUE_PROPERTIES, 1 << 30)]), CL_INVALID_VALUE)?;
    create(list(&[(CL_QUEUE_SIZE, 1024)]), CL_INVALID_VALUE)?;
    create(list(&[(CL_QUEUE_PROPERTIES, CL_QUEUE_ON_DEVICE)]), CL_INVALID_VALUE)?;
    create(list(&[(CL_QUEUE_PROPERTIES, CL_QUEUE_ON_DEVICE_DEFAULT)]), CL_INVALID_VALUE)?;
    make_fails!(CL_INVALID_CONTEXT, cx.clCreateCommandQueueWithProperties(null_mut(), cx.device, null()));
    make_fails!(CL_INVALID_DEVICE, cx.clCreateCommandQueueWithProperties(cx.context, null_mut(), null()));
    Ok(())
}

fn negative_retain_command_queue(cx: &Ctx) -> Outcome {
    fails!(CL_INVALID_COMMAND_QUEUE, cx.clRetainCommandQueue(null_mut()));
    fails!(CL_INVALID_COMMAND_QUEUE, cx.clRetainCommandQueue(cx.context));
    Ok(())
}

fn negative_release_command_queue(cx: &Ctx) -> Outcome {
    fails!(CL_INVALID_COMMAND_QUEUE, cx.clReleaseCommandQueue(null_mut()));
    fails!(CL_INVALID_COMMAND_QUEUE, cx.clReleaseCommandQueue(cx.device));
    Ok(())
}

fn negative_get_command_queue_info(cx: &Ctx) -> Outcome {
    query_fails!(CL_INVALID_VALUE, cx.clGetCommandQueueInfo(cx.queue, 0xdead));
    query_fails!(CL_INVALID_COMMAND_QUEUE, cx.clGetCommandQueueInfo(null_mut(), CL_QUEUE_DEVICE));
    query_fails!(CL_INVALID_COMMAND_QUEUE, cx.clGetCommandQueueInfo(cx.queue, CL_QUEUE_SIZE));
    Ok(())
}

fn negative_set_command_queue_property(cx: &Ctx) -> Outcome {
    let bit = CL_QUEUE_PROFILING_ENABLE;
    fails!(CL_INVALID_OPERATION, cx.clSetCommandQueueProperty(cx.queue, bit, CL_TRUE, null_mut()));
    fails!(CL_INVALID_COMMAND_QUEUE, cx.clSetCommandQueueProperty(null_mut(), bit, CL_TRUE, null_mut()));
    Ok(())
}

fn negative_flush_and_finish(cx: &Ctx) -> Outcome {
    for queue in [null_mut(), cx.context] {
        fails!(CL_INVALID_COMMAND_QUEUE, cx.clFlush(queue));
        fails!(CL_INVALID_COMMAND_QUEUE, cx.clFinish(queue));
    }
    ok!(cx.clFlush(cx.queue));
    ok!(cx.clFinish(cx.queue));
    Ok(())
}

/// Enqueues a write, releases the queue, and checks that the write completes.
fn write_and_release(cx: &Ctx, properties: cl_ulong) -> Outcome {
    let queue = cx.queue(properties)?;
    let buffer = cx.empty_buffer(4096)?;
    let mut data: Vec<u8> = (0..=255).cycle().take(4096).collect();
    let mut event = null_mut();
    let pointer = raw(&mut data);
    ok!(cx.clEnqueueWriteBuffer(queue, buffer, CL_FALSE, 0, 4096, pointer, 0, null(), &mut event));
    ok!(cx.clReleaseCommandQueue(queue));
    equal!(cx.poll(event, CL_COMPLETE)?, CL_COMPLETE);
    // The event still returns its queue.
    let found = query!(cx.clGetEventInfo(event, CL_EVENT_COMMAND_QUEUE)).value::<cl_command_queue>()?;
    equal!(found, queue);
    ok!(cx.clReleaseEvent(event));
    equal!(cx.contents::<u8>(buffer, 4096)?, data);
    ok!(cx.clReleaseMemObject(buffer));
    Ok(())
}

fn queue_flush_on_release(cx: &Ctx) -> Outcome {
    write_and_release(cx, 0)?;
    write_and_release(cx, CL_QUEUE_OUT_OF_ORDER_EXEC_MODE_ENABLE)
}

fn multi_queue_flush_on_release(cx: &Ctx) -> Outcome {
    // A chain of commands over several queues, without an explicit flush.
    let buffer = cx.empty_buffer(4)?;
    let gate = cx.user_event()?;
    let mut previous = gate;
    let mut events = Vec::new();
    for i in 0..20u32 {
        let queue = cx.queue(0)?;
        let mut event = null_mut();
        let pattern = (&raw const i).cast();
        ok!(cx.clEnqueueFillBuffer(queue, buffer, pattern, 4, 0, 4, 1, &previous, &mut event));
        ok!(cx.clReleaseCommandQueue(queue));
        events.push(event);
        previous = event;
    }
    ok!(cx.clSetUserEventStatus(gate, CL_COMPLETE));
    ok!(cx.clWaitForEvents(1, &previous));
    equal!(cx.contents::<u32>(buffer, 1)?, vec![19]);
    for event in events {
        ok!(cx.clReleaseEvent(event));
    }
    Ok(())
}

fn hundred_queues(cx: &Ctx) -> Outcome {
    let queues: Vec<_> = (0..100).map(|_| cx.queue(0)).collect::<Outcome<_>>()?;
    let buffer = cx.buffer(&[0u32; 100])?;
    for (i, &queue) in queues.iter().enumerate() {
        let value = i as u32;
        let pattern = (&raw const value).cast();
        ok!(cx.clEnqueueFillBuffer(queue, buffer, pattern, 4, i * 4, 4, 0, null(), null_mut()));
        ok!(cx.clFlush(queue));
    }
    for &queue in &queues {
        ok!(cx.clFinish(queue));
        ok!(cx.clReleaseCommandQueue(queue));
    }
    let found = cx.contents::<u32>(buffer, 100)?;
    holds!(found.iter().enumerate().all(|(i, &value)| value as usize == i));
    Ok(())
}
