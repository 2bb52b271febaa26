//! Tests of invalid handles: dead, foreign, or of another kind.

use std::ptr::{null, null_mut};

use cl_sys::*;

use crate::check::{Failure, Outcome};
use crate::context::Ctx;
use crate::{fails, holds, make_fails, ok, query_fails, tests};

tests! {
    "test_api":
        dead_handles, foreign_handles, handles_of_another_kind, handles_begin_with_the_dispatch_table;
}

/// Skips the test with a loader, which dereferences handles itself.
fn vendor_only(cx: &Ctx) -> Outcome {
    if cx.is_vendor() { Ok(()) } else { Err(Failure::Skipped(String::from("through a loader"))) }
}

/// Calls functions with a handle that is no object of any kind.
fn none_of_them(cx: &Ctx, handle: *mut std::ffi::c_void) -> Outcome {
    let mut count = 0;
    fails!(CL_INVALID_PLATFORM, cx.clUnloadPlatformCompiler(handle));
    query_fails!(CL_INVALID_DEVICE, cx.clGetDeviceInfo(handle, CL_DEVICE_TYPE));
    query_fails!(CL_INVALID_CONTEXT, cx.clGetContextInfo(handle, CL_CONTEXT_DEVICES));
    make_fails!(CL_INVALID_CONTEXT, cx.clCreateBuffer(handle, 0, 64, null_mut()));
    make_fails!(CL_INVALID_CONTEXT, cx.clCreateUserEvent(handle));
    make_fails!(CL_INVALID_DEVICE, cx.clCreateCommandQueue(cx.context, handle, 0));
    fails!(CL_INVALID_COMMAND_QUEUE, cx.clFinish(handle));
    query_fails!(CL_INVALID_MEM_OBJECT, cx.clGetMemObjectInfo(handle, CL_MEM_SIZE));
    fails!(CL_INVALID_MEM_OBJECT, cx.clRetainMemObject(handle));
    fails!(CL_INVALID_PROGRAM, cx.clBuildProgram(handle, 0, null(), null(), None, null_mut()));
    query_fails!(CL_INVALID_PROGRAM, cx.clGetProgramInfo(handle, CL_PROGRAM_SOURCE));
    make_fails!(CL_INVALID_PROGRAM, cx.clCreateKernel(handle, c"k".as_ptr()));
    fails!(CL_INVALID_PROGRAM, cx.clCreateKernelsInProgram(handle, 0, null_mut(), &mut count));
    fails!(CL_INVALID_KERNEL, cx.clSetKernelArg(handle, 0, 8, null()));
    query_fails!(CL_INVALID_KERNEL, cx.clGetKernelInfo(handle, CL_KERNEL_NUM_ARGS));
    fails!(CL_INVALID_KERNEL, cx.clEnqueueTask(cx.queue, handle, 0, null(), null_mut()));
    fails!(CL_INVALID_EVENT, cx.clWaitForEvents(1, &handle));
    fails!(CL_INVALID_EVENT, cx.clSetUserEventStatus(handle, CL_COMPLETE));
    fails!(CL_INVALID_SAMPLER, cx.clReleaseSampler(handle));
    Ok(())
}

fn foreign_handles(cx: &Ctx) -> Outcome {
    vendor_only(cx)?;
    let mut local = [0usize; 32];
    none_of_them(cx, local.as_mut_ptr().cast())?;
    // Addresses that are not readable.
    for address in [1usize, 8, 4096, usize::MAX - 7] {
        none_of_them(cx, std::ptr::without_provenance_mut(address))?;
    }
    // Address inside an object.
    none_of_them(cx, cx.queue.wrapping_byte_add(8))?;
    none_of_them(cx, null_mut())
}

fn dead_handles(cx: &Ctx) -> Outcome {
    vendor_only(cx)?;
    let buffer = cx.empty_buffer(64)?;
    ok!(cx.clReleaseMemObject(buffer));
    none_of_them(cx, buffer)?;
    let event = cx.user_event()?;
    ok!(cx.clReleaseEvent(event));
    none_of_them(cx, event)?;
    let queue = cx.queue(0)?;
    ok!(cx.clReleaseCommandQueue(queue));
    none_of_them(cx, queue)?;
    let program = cx.source("")?;
    ok!(cx.clReleaseProgram(program));
    none_of_them(cx, program)
}

fn handles_of_another_kind(cx: &Ctx) -> Outcome {
    let event = cx.user_event()?;
    fails!(CL_INVALID_MEM_OBJECT, cx.clReleaseMemObject(event));
    fails!(CL_INVALID_COMMAND_QUEUE, cx.clFlush(event));
    fails!(CL_INVALID_PROGRAM, cx.clReleaseProgram(event));
    fails!(CL_INVALID_KERNEL, cx.clReleaseKernel(event));
    fails!(CL_INVALID_CONTEXT, cx.clReleaseContext(event));
    fails!(CL_INVALID_DEVICE, cx.clReleaseDevice(event));
    fails!(CL_INVALID_SAMPLER, cx.clReleaseSampler(event));
    let buffer = cx.empty_buffer(64)?;
    fails!(CL_INVALID_EVENT, cx.clReleaseEvent(buffer));
    ok!(cx.clReleaseEvent(event));
    ok!(cx.clReleaseMemObject(buffer));
    Ok(())
}

fn handles_begin_with_the_dispatch_table(cx: &Ctx) -> Outcome {
    let event = cx.user_event()?;
    let buffer = cx.empty_buffer(64)?;
    let program = cx.source("")?;
    // SAFETY: with a loader-compatible vendor library, every handle points to a pointer to the dispatch table.
    let table = |handle: *mut std::ffi::c_void| unsafe { handle.cast::<*const usize>().read() };
    let expected = table(cx.platform);
    holds!(!expected.is_null());
    for handle in [cx.device, cx.context, cx.queue, event, buffer, program] {
        holds!(table(handle) == expected);
    }
    Ok(())
}
