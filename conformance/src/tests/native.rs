//! Tests of native kernels.

use std::ffi::c_void;
use std::ptr::{null, null_mut};

use cl_sys::*;

use crate::check::{Failure, Outcome};
use crate::context::Ctx;
use crate::{equal, fails, ok, query, tests};

tests! {
    "test_api":
        native_kernel, native_kernel_without_arguments, negative_native_kernel;
}

/// Arguments of the native kernel below.
#[repr(C)]
struct Args {
    factor: u64,
    source: *const u32,
    target: *mut u32,
    nothing: *mut u32,
}

unsafe extern "C" fn multiply(args: *mut c_void) {
    // SAFETY: the test passes `Args`, in which the runtime has replaced the memory objects by pointers to buffers
    // of 16 words.
    unsafe {
        let args = &*args.cast::<Args>();
        for i in 0..16 {
            args.target.add(i).write(args.source.add(i).read() * args.factor as u32);
        }
        if !args.nothing.is_null() {
            args.target.write(0);
        }
    }
}

fn available(cx: &Ctx) -> Outcome {
    let capabilities =
        query!(cx.clGetDeviceInfo(cx.device, CL_DEVICE_EXECUTION_CAPABILITIES)).value::<cl_ulong>()?;
    if capabilities & CL_EXEC_NATIVE_KERNEL == 0 {
        return Err(Failure::Skipped(String::from("no native kernels")));
    }
    Ok(())
}

fn native_kernel(cx: &Ctx) -> Outcome {
    available(cx)?;
    let data: Vec<u32> = (0..16).collect();
    let mems = [cx.buffer(&data)?, cx.empty_buffer(64)?, null_mut()];
    let mut args = Args { factor: 3, source: null(), target: null_mut(), nothing: std::ptr::dangling_mut() };
    let mut places: [*const c_void; 3] =
        [(&raw const args.source).cast(), (&raw const args.target).cast(), (&raw const args.nothing).cast()];
    let mut event = null_mut();
    let (block, size) = ((&raw mut args).cast(), size_of::<Args>());
    let (mems_list, places_list) = (mems.as_ptr(), places.as_mut_ptr());
    ok!(cx.clEnqueueNativeKernel(
        cx.queue,
        Some(multiply),
        block,
        size,
        3,
        mems_list,
        places_list.cast(),
        0,
        null(),
        &mut event
    ));
    // The argument block was copied, and the original is unchanged.
    equal!(args.source, null());
    args.factor = 100;
    std::hint::black_box(&args);
    ok!(cx.clWaitForEvents(1, &event));
    equal!(
        query!(cx.clGetEventInfo(event, CL_EVENT_COMMAND_TYPE)).value::<cl_uint>()?,
        CL_COMMAND_NATIVE_KERNEL
    );
    equal!(cx.contents::<u32>(mems[1], 16)?, data.iter().map(|v| v * 3).collect::<Vec<_>>());
    Ok(())
}

static CALLED: std::sync::atomic::AtomicBool = std::sync::atomic::AtomicBool::new(false);

unsafe extern "C" fn without_arguments(args: *mut c_void) {
    CALLED.store(args.is_null(), std::sync::atomic::Ordering::Relaxed);
}

fn native_kernel_without_arguments(cx: &Ctx) -> Outcome {
    available(cx)?;
    let function = Some(without_arguments as unsafe extern "C" fn(*mut c_void));
    ok!(cx.clEnqueueNativeKernel(
        cx.queue,
        function,
        null_mut(),
        0,
        0,
        null(),
        null_mut(),
        0,
        null(),
        null_mut()
    ));
    ok!(cx.clFinish(cx.queue));
    equal!(CALLED.load(std::sync::atomic::Ordering::Relaxed), true);
    Ok(())
}

fn negative_native_kernel(cx: &Ctx) -> Outcome {
    available(cx)?;
    let mem = cx.empty_buffer(64)?;
    let mut args = [0usize; 4];
    let block: *mut c_void = args.as_mut_ptr().cast();
    let mut place: *const c_void = block;
    let places = (&raw mut place).cast();
    let call = |queue, function, block, size, count, list, places| {
        cx.clEnqueueNativeKernel(queue, function, block, size, count, list, places, 0, null(), null_mut())
    };
    let function = Some(multiply as unsafe extern "C" fn(*mut c_void));
    fails!(CL_INVALID_COMMAND_QUEUE, call(null_mut(), function, block, 32, 0, null(), null_mut()));
    fails!(CL_INVALID_VALUE, call(cx.queue, None, block, 32, 0, null(), null_mut()));
    fails!(CL_INVALID_VALUE, call(cx.queue, function, null_mut(), 32, 0, null(), null_mut()));
    fails!(CL_INVALID_VALUE, call(cx.queue, function, block, 0, 0, null(), null_mut()));
    fails!(CL_INVALID_VALUE, call(cx.queue, function, null_mut(), 0, 1, &mem, places));
    fails!(CL_INVALID_VALUE, call(cx.queue, function, block, 32, 1, null(), places));
    fails!(CL_INVALID_VALUE, call(cx.queue, function, block, 32, 1, &mem, null_mut()));
    fails!(CL_INVALID_VALUE, call(cx.queue, function, block, 32, 0, &mem, null_mut()));
    fails!(CL_INVALID_MEM_OBJECT, call(cx.queue, function, block, 32, 1, &cx.queue, places));
    Ok(())
}
