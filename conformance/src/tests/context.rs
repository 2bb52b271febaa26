//! Tests of contexts.

use std::ffi::{c_char, c_void};
use std::ptr::{null, null_mut};
use std::sync::atomic::{AtomicU32, Ordering};

use cl_sys::*;

use crate::check::Outcome;
use crate::context::{Ctx, INTEROP_USER_SYNC, PLATFORM, c_string};
use crate::{equal, fails, holds, make, make_fails, ok, query, query_fails, tests};

tests! {
    "test_api":
        get_context_info, create_context_from_type, create_context_from_type_device_type_all,
        create_context_from_type_device_type_default, negative_create_context,
        negative_create_context_from_type, negative_retain_context, negative_release_context,
        negative_get_context_info, context_life, context_properties_are_echoed,
        create_context_from_type_combinations;
    "test_multiples":
        context_multiple_contexts_same_device, errors_are_told_to_their_own_context;
}

fn get_context_info(cx: &Ctx) -> Outcome {
    equal!(query!(cx.clGetContextInfo(cx.context, CL_CONTEXT_REFERENCE_COUNT)).value::<cl_uint>()?, 1);
    equal!(query!(cx.clGetContextInfo(cx.context, CL_CONTEXT_NUM_DEVICES)).value::<cl_uint>()?, 1);
    let devices = query!(cx.clGetContextInfo(cx.context, CL_CONTEXT_DEVICES)).array::<cl_device_id>()?;
    equal!(&devices[..], &[cx.device][..]);
    equal!(query!(cx.clGetContextInfo(cx.context, CL_CONTEXT_PROPERTIES)).size(), 0);
    Ok(())
}

fn context_properties_are_echoed(cx: &Ctx) -> Outcome {
    let platform = cx.platform.expose_provenance().cast_signed();
    let list = [PLATFORM, platform, INTEROP_USER_SYNC, 1, 0];
    let twice = [cx.device, cx.device];
    let context = make!(cx.clCreateContext(list.as_ptr(), 2, twice.as_ptr(), None, null_mut()));
    let found = query!(cx.clGetContextInfo(context, CL_CONTEXT_PROPERTIES)).array::<isize>()?;
    equal!(&found[..], &list[..]);
    // A device that is listed twice counts once.
    equal!(query!(cx.clGetContextInfo(context, CL_CONTEXT_NUM_DEVICES)).value::<cl_uint>()?, 1);
    let empty = [0isize];
    let context = make!(cx.clCreateContext(empty.as_ptr(), 1, &cx.device, None, null_mut()));
    let found = query!(cx.clGetContextInfo(context, CL_CONTEXT_PROPERTIES)).array::<isize>()?;
    equal!(&found[..], &empty[..]);
    Ok(())
}

fn from_type(cx: &Ctx, kind: cl_ulong) -> Outcome {
    let platform = cx.platform.expose_provenance().cast_signed();
    let list = [PLATFORM, platform, 0];
    let context = make!(cx.clCreateContextFromType(list.as_ptr(), kind, None, null_mut()));
    let devices = query!(cx.clGetContextInfo(context, CL_CONTEXT_DEVICES)).array::<cl_device_id>()?;
    equal!(&devices[..], &[cx.device][..]);
    let queue = make!(cx.clCreateCommandQueue(context, devices[0], 0));
    ok!(cx.clReleaseCommandQueue(queue));
    ok!(cx.clReleaseContext(context));
    Ok(())
}

fn create_context_from_type(cx: &Ctx) -> Outcome {
    from_type(cx, CL_DEVICE_TYPE_CPU)
}

fn create_context_from_type_device_type_all(cx: &Ctx) -> Outcome {
    from_type(cx, CL_DEVICE_TYPE_ALL)
}

fn create_context_from_type_device_type_default(cx: &Ctx) -> Outcome {
    from_type(cx, CL_DEVICE_TYPE_DEFAULT)
}

fn create_context_from_type_combinations(cx: &Ctx) -> Outcome {
    let others = CL_DEVICE_TYPE_GPU | CL_DEVICE_TYPE_ACCELERATOR | CL_DEVICE_TYPE_CUSTOM;
    from_type(cx, CL_DEVICE_TYPE_CPU | others)?;
    from_type(cx, CL_DEVICE_TYPE_CPU | CL_DEVICE_TYPE_DEFAULT)?;
    from_type(cx, CL_DEVICE_TYPE_DEFAULT | others)?;
    let platform = cx.platform.expose_provenance().cast_signed();
    let list = [PLATFORM, platform, 0];
    for kind in [CL_DEVICE_TYPE_ACCELERATOR, CL_DEVICE_TYPE_CUSTOM, others] {
        make_fails!(CL_DEVICE_NOT_FOUND, cx.clCreateContextFromType(list.as_ptr(), kind, None, null_mut()));
    }
    for sync in [0, 1] {
        let list = [INTEROP_USER_SYNC, sync, PLATFORM, platform, 0];
        let kind = CL_DEVICE_TYPE_CPU;
        let context = make!(cx.clCreateContextFromType(list.as_ptr(), kind, None, null_mut()));
        let found = query!(cx.clGetContextInfo(context, CL_CONTEXT_PROPERTIES)).array::<isize>()?;
        equal!(&found[..], &list[..]);
        ok!(cx.clReleaseContext(context));
    }
    Ok(())
}

unsafe extern "C" fn count(text: *const c_char, _: *const c_void, _: usize, user_data: *mut c_void) {
    // SAFETY: the tests pass a counter that outlives the context.
    let counter = unsafe { &*user_data.cast::<AtomicU32>() };
    counter.fetch_add(u32::from(!text.is_null()), Ordering::Relaxed);
}

const FAULT: &str = "kernel void f(ulong at) { *(global int *)at = 1; }";

fn errors_are_told_to_their_own_context(cx: &Ctx) -> Outcome {
    let counters = [const { AtomicU32::new(0) }; 3];
    let mut contexts = Vec::new();
    for counter in &counters {
        let user_data = std::ptr::from_ref(counter).cast_mut().cast();
        contexts.push(make!(cx.clCreateContext(null(), 1, &cx.device, Some(count), user_data)));
    }
    let text = c_string(FAULT);
    let mut text = text.as_ptr();
    let program = make!(cx.clCreateProgramWithSource(contexts[1], 1, &mut text, null()));
    ok!(cx.clBuildProgram(program, 0, null(), null(), None, null_mut()));
    let kernel = make!(cx.clCreateKernel(program, c_string("f").as_ptr()));
    cx.arg(kernel, 0, 16u64)?;
    let queue = make!(cx.clCreateCommandQueue(contexts[1], cx.device, 0));
    let (mut event, one) = (null_mut(), 1);
    ok!(cx.clEnqueueNDRangeKernel(queue, kernel, 1, null(), &one, null(), 0, null(), &mut event));
    fails!(CL_EXEC_STATUS_ERROR_FOR_EVENTS_IN_WAIT_LIST, cx.clWaitForEvents(1, &event));
    equal!(counters.each_ref().map(|c| c.load(Ordering::Relaxed)), [0, 1, 0]);
    ok!(cx.clReleaseEvent(event));
    ok!(cx.clReleaseCommandQueue(queue));
    ok!(cx.clReleaseKernel(kernel));
    ok!(cx.clReleaseProgram(program));
    for context in contexts {
        ok!(cx.clReleaseContext(context));
    }
    Ok(())
}

fn negative_create_context(cx: &Ctx) -> Outcome {
    make_fails!(CL_INVALID_VALUE, cx.clCreateContext(null(), 0, &cx.device, None, null_mut()));
    make_fails!(CL_INVALID_VALUE, cx.clCreateContext(null(), 1, null(), None, null_mut()));
    let mut data = 0u32;
    let user_data = (&raw mut data).cast();
    make_fails!(CL_INVALID_VALUE, cx.clCreateContext(null(), 1, &cx.device, None, user_data));
    let unknown = [0x7777, 0, 0];
    make_fails!(CL_INVALID_PROPERTY, cx.clCreateContext(unknown.as_ptr(), 1, &cx.device, None, null_mut()));
    let platform = cx.platform.expose_provenance().cast_signed();
    let twice = [PLATFORM, platform, PLATFORM, platform, 0];
    make_fails!(CL_INVALID_PROPERTY, cx.clCreateContext(twice.as_ptr(), 1, &cx.device, None, null_mut()));
    let wrong = [INTEROP_USER_SYNC, 7, 0];
    make_fails!(CL_INVALID_PROPERTY, cx.clCreateContext(wrong.as_ptr(), 1, &cx.device, None, null_mut()));
    if cx.is_vendor() {
        make_fails!(CL_INVALID_DEVICE, cx.clCreateContext(null(), 1, &null_mut(), None, null_mut()));
        make_fails!(CL_INVALID_DEVICE, cx.clCreateContext(null(), 1, &cx.platform, None, null_mut()));
        let nowhere = [PLATFORM, 0, 0];
        make_fails!(
            CL_INVALID_PLATFORM,
            cx.clCreateContext(nowhere.as_ptr(), 1, &cx.device, None, null_mut())
        );
    }
    Ok(())
}

fn negative_create_context_from_type(cx: &Ctx) -> Outcome {
    let platform = cx.platform.expose_provenance().cast_signed();
    let list = [PLATFORM, platform, 0];
    let list = list.as_ptr();
    make_fails!(CL_INVALID_DEVICE_TYPE, cx.clCreateContextFromType(list, 0, None, null_mut()));
    make_fails!(CL_INVALID_DEVICE_TYPE, cx.clCreateContextFromType(list, 1 << 40, None, null_mut()));
    make_fails!(CL_DEVICE_NOT_FOUND, cx.clCreateContextFromType(list, CL_DEVICE_TYPE_GPU, None, null_mut()));
    let kind = CL_DEVICE_TYPE_CPU;
    for bad in [
        [PLATFORM, platform, PLATFORM, platform, 0],
        [PLATFORM, platform, 0x7777, 0, 0],
        [PLATFORM, platform, INTEROP_USER_SYNC, 2, 0],
    ] {
        make_fails!(CL_INVALID_PROPERTY, cx.clCreateContextFromType(bad.as_ptr(), kind, None, null_mut()));
    }
    if cx.is_vendor() {
        let nowhere = [PLATFORM, 0, 0];
        make_fails!(
            CL_INVALID_PLATFORM,
            cx.clCreateContextFromType(nowhere.as_ptr(), kind, None, null_mut())
        );
    }
    let mut data = 0u32;
    let user_data = (&raw mut data).cast();
    make_fails!(CL_INVALID_VALUE, cx.clCreateContextFromType(list, CL_DEVICE_TYPE_CPU, None, user_data));
    Ok(())
}

fn negative_retain_context(cx: &Ctx) -> Outcome {
    fails!(CL_INVALID_CONTEXT, cx.clRetainContext(null_mut()));
    fails!(CL_INVALID_CONTEXT, cx.clRetainContext(cx.device));
    Ok(())
}

fn negative_release_context(cx: &Ctx) -> Outcome {
    fails!(CL_INVALID_CONTEXT, cx.clReleaseContext(null_mut()));
    fails!(CL_INVALID_CONTEXT, cx.clReleaseContext(cx.queue));
    Ok(())
}

fn negative_get_context_info(cx: &Ctx) -> Outcome {
    query_fails!(CL_INVALID_VALUE, cx.clGetContextInfo(cx.context, 0xdead));
    query_fails!(CL_INVALID_CONTEXT, cx.clGetContextInfo(null_mut(), CL_CONTEXT_DEVICES));
    query_fails!(CL_INVALID_CONTEXT, cx.clGetContextInfo(cx.device, CL_CONTEXT_DEVICES));
    Ok(())
}

fn context_life(cx: &Ctx) -> Outcome {
    let context = make!(cx.clCreateContext(null(), 1, &cx.device, None, null_mut()));
    let count = || query!(cx.clGetContextInfo(context, CL_CONTEXT_REFERENCE_COUNT)).value::<cl_uint>();
    equal!(count()?, 1);
    ok!(cx.clRetainContext(context));
    equal!(count()?, 2);
    // Objects of a context do not increment its reference count.
    let buffer = make!(cx.clCreateBuffer(context, 0, 64, null_mut()));
    let queue = make!(cx.clCreateCommandQueue(context, cx.device, 0));
    equal!(count()?, 2);
    ok!(cx.clReleaseContext(context));
    ok!(cx.clReleaseContext(context));
    // They keep the context alive nevertheless, and queries return it.
    equal!(query!(cx.clGetMemObjectInfo(buffer, CL_MEM_CONTEXT)).value::<cl_context>()?, context);
    equal!(count()?, 0);
    ok!(cx.clEnqueueFillBuffer(queue, buffer, [1u8].as_ptr().cast(), 1, 0, 64, 0, null(), null_mut()));
    ok!(cx.clFinish(queue));
    ok!(cx.clReleaseMemObject(buffer));
    ok!(cx.clReleaseCommandQueue(queue));
    if cx.is_vendor() {
        fails!(CL_INVALID_CONTEXT, cx.clReleaseContext(context));
    }
    Ok(())
}

fn context_multiple_contexts_same_device(cx: &Ctx) -> Outcome {
    let mut worlds = Vec::new();
    for i in 0..50u32 {
        let context = make!(cx.clCreateContext(null(), 1, &cx.device, None, null_mut()));
        let queue = make!(cx.clCreateCommandQueue(context, cx.device, 0));
        let mut data = [i; 16];
        let pointer = data.as_mut_ptr().cast();
        let buffer = make!(cx.clCreateBuffer(context, CL_MEM_COPY_HOST_PTR, 64, pointer));
        worlds.push((context, queue, buffer));
    }
    for (i, &(_, queue, buffer)) in worlds.iter().enumerate() {
        let mut data = [0u32; 16];
        let target = data.as_mut_ptr().cast();
        ok!(cx.clEnqueueReadBuffer(queue, buffer, CL_TRUE, 0, 64, target, 0, null(), null_mut()));
        holds!(data.iter().all(|&value| value as usize == i));
        // Commands cannot combine objects of two contexts.
        let (_, other, _) = worlds[(i + 1) % worlds.len()];
        let mixed = cx.clEnqueueReadBuffer(other, buffer, CL_TRUE, 0, 64, target, 0, null(), null_mut());
        fails!(CL_INVALID_CONTEXT, mixed);
    }
    for (context, queue, buffer) in worlds {
        ok!(cx.clReleaseMemObject(buffer));
        ok!(cx.clReleaseCommandQueue(queue));
        ok!(cx.clReleaseContext(context));
    }
    Ok(())
}
