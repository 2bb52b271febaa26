//! Tests of buffers with an address (cl_ext_buffer_device_address).

use std::ffi::c_void;
use std::ptr::{null, null_mut};
use std::sync::atomic::{AtomicBool, Ordering};

use cl_sys::*;

use super::later::{function, wants};
use crate::check::Outcome;
use crate::context::{Ctx, raw};
use crate::{equal, fails, holds, make, make_fails, ok, query, query_fails, tests};

tests! {
    "test_cl_ext_buffer_device_address":
        device_address_queries, device_address_of_each_device, device_address_of_host_memory,
        device_address_arguments, device_address_in_memory, device_address_keeps_buffers,
        negative_device_address;
}

const PRIVATE_ADDRESS: cl_ulong = 0x5000;
const ADDRESS: cl_uint = 0x5001;
const DEVICE_PTRS: cl_uint = 0x5002;
const PROPERTIES: cl_uint = 0x110A;
const WITH_ADDRESS: [cl_ulong; 3] = [PRIVATE_ADDRESS, 1, 0];

type SetArg = unsafe extern "C" fn(cl_kernel, cl_uint, cl_ulong) -> cl_int;

/// Returns clSetKernelArgDevicePointerEXT, or skips the test without the extension.
fn set_arg(cx: &Ctx) -> Outcome<impl Fn(cl_kernel, cl_uint, cl_ulong) -> cl_int> {
    wants(cx, "cl_ext_buffer_device_address")?;
    let found = function(cx, "clSetKernelArgDevicePointerEXT")?;
    // SAFETY: the extension gives this function this type.
    let set = unsafe { std::mem::transmute::<*mut c_void, SetArg>(found) };
    // SAFETY: the function checks its handle.
    Ok(move |kernel, index, address| unsafe { set(kernel, index, address) })
}

/// Creates a buffer with an address.
fn addressed<T: Copy>(cx: &Ctx, data: &[T]) -> Outcome<cl_mem> {
    let (size, from) = (size_of_val(data), data.as_ptr().cast_mut().cast());
    let list = WITH_ADDRESS.as_ptr();
    Ok(make!(cx.clCreateBufferWithProperties(cx.context, list, CL_MEM_COPY_HOST_PTR, size, from)))
}

fn address(cx: &Ctx, mem: cl_mem) -> Outcome<cl_ulong> {
    query!(cx.clGetMemObjectInfo(mem, ADDRESS)).value()
}

fn device_address_queries(cx: &Ctx) -> Outcome {
    wants(cx, "cl_ext_buffer_device_address")?;
    let buffer = addressed(cx, &[1, 2, 3, 4])?;
    let found = address(cx, buffer)?;
    holds!(found != 0 && found.is_multiple_of(4));
    equal!(query!(cx.clGetMemObjectInfo(buffer, PROPERTIES)).array::<cl_ulong>()?, WITH_ADDRESS.to_vec());
    let other = addressed(cx, &[0])?;
    holds!(address(cx, other)?.abs_diff(found) >= 4);
    // The kernel sees the same address, and it does not change.
    let text = "kernel void tell(global int *p, global ulong *to) { *to = (ulong)p; p[0]++; }";
    let (kernel, to) = (cx.kernel(text, "tell")?, cx.buffer(&[0 as cl_ulong])?);
    for times in 1..4 {
        cx.arg(kernel, 0, buffer)?;
        cx.arg(kernel, 1, to)?;
        cx.launch(kernel, 1, None)?;
        equal!(cx.contents::<cl_ulong>(to, 1)?, vec![found]);
        equal!(cx.contents::<cl_int>(buffer, 1)?, vec![1 + times]);
        equal!(address(cx, buffer)?, found);
    }
    // Addresses of parts are sums.
    let region = cl_buffer_region { origin: 1024, size: 64 };
    let whole = addressed(cx, &[0u8; 4096])?;
    let (kind, info) = (CL_BUFFER_CREATE_TYPE_REGION, (&raw const region).cast());
    cx.arg(kernel, 0, make!(cx.clCreateSubBuffer(whole, 0, kind, info)))?;
    cx.launch(kernel, 1, None)?;
    equal!(cx.contents::<cl_ulong>(to, 1)?, vec![address(cx, whole)? + 1024]);
    Ok(())
}

fn device_address_of_each_device(cx: &Ctx) -> Outcome {
    wants(cx, "cl_ext_buffer_device_address")?;
    let properties = [crate::context::EQUALLY, 1, 0];
    let (mut parts, mut count) = ([null_mut(); 256], 0);
    let made = cx.clCreateSubDevices(cx.device, properties.as_ptr(), 256, parts.as_mut_ptr(), &mut count);
    let count = if made == CL_SUCCESS { count } else { 0 };
    if count > 0 {
        let context = make!(cx.clCreateContext(null(), count, parts.as_ptr(), None, null_mut()));
        let flags = CL_MEM_READ_WRITE;
        let list = WITH_ADDRESS.as_ptr();
        let buffer = make!(cx.clCreateBufferWithProperties(context, list, flags, 64, null_mut()));
        let all = query!(cx.clGetMemObjectInfo(buffer, ADDRESS)).array::<cl_ulong>()?;
        holds!(all.len() == count as usize && all.iter().all(|&one| one != 0));
        ok!(cx.clReleaseMemObject(buffer));
        ok!(cx.clReleaseContext(context));
    }
    for part in &parts[..count as usize] {
        ok!(cx.clReleaseDevice(*part));
    }
    Ok(())
}

fn device_address_of_host_memory(cx: &Ctx) -> Outcome {
    wants(cx, "cl_ext_buffer_device_address")?;
    let shared = cx.clSVMAlloc(cx.context, CL_MEM_READ_WRITE, 256, 0);
    holds!(!shared.is_null());
    let (list, flags) = (WITH_ADDRESS.as_ptr(), CL_MEM_USE_HOST_PTR);
    let buffer = make!(cx.clCreateBufferWithProperties(cx.context, list, flags, 256, shared));
    equal!(address(cx, buffer)?, shared.expose_provenance() as cl_ulong);
    ok!(cx.clReleaseMemObject(buffer));
    ok!(cx.clFinish(cx.queue));
    cx.clSVMFree(cx.context, shared);
    Ok(())
}

fn device_address_arguments(cx: &Ctx) -> Outcome {
    let set = set_arg(cx)?;
    let text = "
        kernel void around(global const int *p, global int *to) { to[0] = p[-2], to[1] = p[0], to[2] = p[1]; }
        kernel void unused(global const int *p, global int *to) { to[0] = p == 0; }";
    let data: Vec<cl_int> = (0..100).map(|i| i * i).collect();
    let (from, to) = (addressed(cx, &data)?, addressed(cx, &[0 as cl_int; 4])?);
    let kernel = cx.kernel(text, "around")?;
    let (start, end) = (address(cx, from)?, address(cx, to)?);
    for i in [2, 50, 98] {
        equal!(set(kernel, 0, start + 4 * i), CL_SUCCESS);
        equal!(set(kernel, 1, end), CL_SUCCESS);
        cx.launch(kernel, 1, None)?;
        let wanted = [i - 2, i, i + 1].map(|i| (i * i) as cl_int);
        equal!(cx.contents::<cl_int>(to, 3)?, wanted.to_vec());
    }
    // Both ways of setting an argument replace each other, and a copy of the kernel has its own.
    cx.arg(kernel, 1, cx.buffer(&[0 as cl_int; 4])?)?;
    let copy = make!(cx.clCloneKernel(kernel));
    equal!(set(copy, 0, start + 8), CL_SUCCESS);
    equal!(set(copy, 1, end), CL_SUCCESS);
    cx.launch(copy, 1, None)?;
    equal!(cx.contents::<cl_int>(to, 3)?, vec![0, 4, 9]);
    // Addresses that the kernel does not follow.
    let kernel = cx.kernel(text, "unused")?;
    cx.arg(kernel, 1, to)?;
    for (any, is_null) in [(0, 1), (1, 0), (cl_ulong::MAX, 0), (start + 400, 0)] {
        equal!(set(kernel, 0, any), CL_SUCCESS);
        cx.launch(kernel, 1, None)?;
        equal!(cx.contents::<cl_int>(to, 1)?, vec![is_null]);
    }
    Ok(())
}

fn device_address_in_memory(cx: &Ctx) -> Outcome {
    wants(cx, "cl_ext_buffer_device_address")?;
    let text = "
        typedef struct list { global struct list *next; int value; } list;
        kernel void sum(global const ulong *first, global int *to)
        {
            int sum = 0;
            for (global list *at = (global list *)*first; at; at = at->next)
                sum += at->value++;
            *to = sum;
        }";
    let mut next = 0;
    let (mut all, mut buffers) = (Vec::new(), Vec::new());
    for i in 0..20 {
        let buffer = addressed::<cl_ulong>(cx, &[next, 5 * i])?;
        next = address(cx, buffer)?;
        all.push(next);
        buffers.push(buffer);
    }
    let (kernel, to) = (cx.kernel(text, "sum")?, cx.buffer(&[0 as cl_int])?);
    cx.arg(kernel, 0, cx.buffer(&[next])?)?;
    cx.arg(kernel, 1, to)?;
    ok!(cx.clSetKernelExecInfo(kernel, DEVICE_PTRS, 8 * all.len(), raw(&mut all)));
    for round in 0..3 {
        cx.launch(kernel, 1, None)?;
        equal!(cx.contents::<cl_int>(to, 1)?, vec![950 + 20 * round]);
    }
    equal!(cx.contents::<cl_ulong>(buffers[3], 2)?[1], 18);
    // An empty set, and addresses of nothing.
    ok!(cx.clSetKernelExecInfo(kernel, DEVICE_PTRS, 0, null()));
    ok!(cx.clSetKernelExecInfo(kernel, DEVICE_PTRS, 16, [0 as cl_ulong, 77].as_ptr().cast()));
    Ok(())
}

unsafe extern "C" fn note(_: cl_mem, gone: *mut c_void) {
    // SAFETY: the test passes a flag that outlives the buffer.
    unsafe { &*gone.cast::<AtomicBool>() }.store(true, Ordering::Release);
}

/// Releases a buffer that a launch reaches by its address only, and checks that it is there until the launch is over.
fn device_address_keeps_buffers(cx: &Ctx) -> Outcome {
    let set = set_arg(cx)?;
    let text = "
        kernel void add(global int *p, global int *to) { *to = *p + 1; }
        kernel void follow(global const ulong *p, global int *to) { *to = *(global int *)*p + 1; }";
    for name in ["add", "follow"] {
        let (kernel, to) = (cx.kernel(text, name)?, cx.buffer(&[0 as cl_int])?);
        let gone = Box::leak(Box::new(AtomicBool::new(false)));
        let buffer = addressed(cx, &[41 as cl_int])?;
        ok!(cx.clSetMemObjectDestructorCallback(buffer, Some(note), std::ptr::from_mut(gone).cast()));
        let at = address(cx, buffer)?;
        cx.arg(kernel, 1, to)?;
        if name == "add" {
            equal!(set(kernel, 0, at), CL_SUCCESS);
        } else {
            cx.arg(kernel, 0, cx.buffer(&[at])?)?;
            ok!(cx.clSetKernelExecInfo(kernel, DEVICE_PTRS, 8, (&raw const at).cast()));
        }
        let (gate, mut done) = (cx.user_event()?, null_mut());
        let size = 1;
        ok!(cx.clEnqueueNDRangeKernel(cx.queue, kernel, 1, null(), &size, null(), 1, &gate, &mut done));
        ok!(cx.clReleaseMemObject(buffer));
        ok!(cx.clFlush(cx.queue));
        holds!(!gone.load(Ordering::Acquire));
        ok!(cx.clSetUserEventStatus(gate, CL_COMPLETE));
        ok!(cx.clWaitForEvents(1, &done));
        equal!(cx.contents::<cl_int>(to, 1)?, vec![42]);
        ok!(cx.clReleaseEvent(done));
        ok!(cx.clReleaseKernel(kernel));
        ok!(cx.clFinish(cx.queue));
        // Afterwards it goes, perhaps a little later.
        let start = std::time::Instant::now();
        while !gone.load(Ordering::Acquire) {
            holds!(start.elapsed().as_secs() < 20);
            std::thread::yield_now();
        }
    }
    Ok(())
}

fn negative_device_address(cx: &Ctx) -> Outcome {
    let set = set_arg(cx)?;
    let (flags, none) = (CL_MEM_READ_WRITE, null_mut());
    for list in [
        [PRIVATE_ADDRESS, 2, 0, 0, 0],
        [PRIVATE_ADDRESS, 1 << 32, 0, 0, 0],
        [PRIVATE_ADDRESS, 1, PRIVATE_ADDRESS, 1, 0],
        [PRIVATE_ADDRESS, 1, 0xdead, 1, 0],
        [ADDRESS.into(), 1, 0, 0, 0],
    ] {
        make_fails!(
            CL_INVALID_PROPERTY,
            cx.clCreateBufferWithProperties(cx.context, list.as_ptr(), flags, 64, none)
        );
    }
    let list = WITH_ADDRESS.as_ptr();
    make_fails!(CL_INVALID_BUFFER_SIZE, cx.clCreateBufferWithProperties(cx.context, list, flags, 0, none));
    make_fails!(CL_INVALID_VALUE, cx.clCreateBufferWithProperties(cx.context, list, 1 << 40, 64, none));
    // Objects without an address.
    let off = [PRIVATE_ADDRESS, 0, 0];
    let plain = make!(cx.clCreateBufferWithProperties(cx.context, off.as_ptr(), flags, 64, none));
    equal!(query!(cx.clGetMemObjectInfo(plain, PROPERTIES)).array::<cl_ulong>()?, off.to_vec());
    let addressed = addressed(cx, &[0u8; 256])?;
    let region = cl_buffer_region { origin: 0, size: 64 };
    let (kind, info) = (CL_BUFFER_CREATE_TYPE_REGION, (&raw const region).cast());
    let part = make!(cx.clCreateSubBuffer(addressed, 0, kind, info));
    for mem in [plain, cx.empty_buffer(64)?, part] {
        query_fails!(CL_INVALID_OPERATION, cx.clGetMemObjectInfo(mem, ADDRESS));
    }
    let mut room = [0u8; 4];
    fails!(CL_INVALID_VALUE, cx.clGetMemObjectInfo(addressed, ADDRESS, 4, raw(&mut room), null_mut()));
    query_fails!(CL_INVALID_MEM_OBJECT, cx.clGetMemObjectInfo(null_mut(), ADDRESS));
    let text =
        "kernel void k(global int *p, constant int *c, local int *l, int i, global int *q) { *p = *c; }";
    let kernel = cx.kernel(text, "k")?;
    let at = address(cx, addressed)?;
    equal!(set(null_mut(), 0, at), CL_INVALID_KERNEL);
    for index in [1, 2, 3, 5, cl_uint::MAX] {
        equal!(set(kernel, index, at), CL_INVALID_ARG_INDEX);
    }
    equal!(set(kernel, 4, at), CL_SUCCESS);
    let address = (&raw const at).cast();
    fails!(CL_INVALID_KERNEL, cx.clSetKernelExecInfo(null_mut(), DEVICE_PTRS, 8, address));
    fails!(CL_INVALID_VALUE, cx.clSetKernelExecInfo(kernel, DEVICE_PTRS, 8, null()));
    fails!(CL_INVALID_VALUE, cx.clSetKernelExecInfo(kernel, DEVICE_PTRS, 4, address));
    fails!(CL_INVALID_VALUE, cx.clSetKernelExecInfo(kernel, DEVICE_PTRS, 9, address));
    Ok(())
}
