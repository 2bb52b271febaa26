//! Tests of the error codes of functions that create, query and modify objects, as far as the tests of the objects
//! themselves do not cover them. A failing call changes nothing, and `errcode_ret` may be NULL.
//!
//! Error codes that no test can provoke:
//! - platforms and devices: CL_PLATFORM_NOT_FOUND_KHR, which the loader returns; CL_DEVICE_NOT_AVAILABLE, because
//!   the device is always available; CL_INVALID_OPERATION of the timers, which are supported.
//! - contexts: CL_INVALID_OPERATION and all codes for sharing with OpenGL and other APIs, which is not supported.
//! - queues: CL_INVALID_QUEUE_PROPERTIES of clCreateCommandQueue, because all properties it accepts are supported;
//!   every code of clSetCommandQueueProperty except CL_INVALID_OPERATION, which it always returns since 1.1.
//! - memory: CL_INVALID_DEVICE, CL_INVALID_OPERATION of clCreateBuffer and clGetMemObjectInfo, which extensions
//!   define, and CL_MEM_OBJECT_ALLOCATION_FAILURE of clCreateSubBuffer, which allocates nothing.
//! - programs: CL_COMPILER_NOT_AVAILABLE and CL_LINKER_NOT_AVAILABLE, because both are always available;
//!   CL_INVALID_BINARY of clBuildProgram, because a binary is checked when the program is created, for each of its
//!   devices.
//! - programs of an intermediate language: CL_INVALID_OPERATION of their creation and constants, because all devices
//!   support them.
//! - kernels: CL_MAX_SIZE_RESTRICTION_EXCEEDED, which SPIR-V defines; CL_INVALID_OPERATION of shared virtual
//!   memory and of sub-groups, which are supported.
//! - CL_OUT_OF_RESOURCES and CL_OUT_OF_HOST_MEMORY, except in `memory.rs`.

use std::ffi::c_void;
use std::ptr::{null, null_mut};

use cl_sys::*;

use crate::check::{Failure, Outcome};
use crate::context::{Ctx, EQUALLY, PLATFORM, c_string};
use crate::{equal, fails, holds, make, make_fails, ok, query, query_fails, tests};

tests! {
    "test_api":
        codes_need_not_be_taken, negative_context_properties, negative_context_from_type_properties,
        negative_built_in_kernels, negative_wait_for_events_in_a_queue, negative_arg_of_another_context,
        negative_opaque_args, arg_info_needs_an_option, arg_info_of_a_binary, negative_task,
        handles_in_the_wrong_place;
    "test_compiler":
        negative_compile_program_objects, negative_build_program_objects, kernels_that_differ_by_device,
        binary_without_a_build;
}

const SET: &str = "kernel void set(global int *a, int value) { a[get_global_id(0)] = value; }";

fn codes_need_not_be_taken(cx: &Ctx) -> Outcome {
    let none = null_mut();
    // `errcode_ret` may be NULL, for calls that succeed and for calls that fail.
    for context in [cx.context, null_mut()] {
        let (good, mut text) = (!context.is_null(), c"".as_ptr());
        let buffer = cx.clCreateBuffer(context, 0, 64, null_mut(), none);
        let queue = cx.clCreateCommandQueue(context, cx.device, 0, none);
        let other = cx.clCreateCommandQueueWithProperties(context, cx.device, null(), none);
        let program = cx.clCreateProgramWithSource(context, 1, &mut text, null(), none);
        let event = cx.clCreateUserEvent(context, none);
        for made in [buffer, queue, other, program, event] {
            holds!(made.is_null() != good);
        }
        if good {
            ok!(cx.clReleaseMemObject(buffer));
            ok!(cx.clReleaseCommandQueue(queue));
            ok!(cx.clReleaseCommandQueue(other));
            ok!(cx.clReleaseProgram(program));
            ok!(cx.clReleaseEvent(event));
        }
    }
    let context = cx.clCreateContext(null(), 1, &cx.device, None, null_mut(), none);
    holds!(!context.is_null());
    ok!(cx.clReleaseContext(context));
    holds!(cx.clCreateContext(null(), 0, &cx.device, None, null_mut(), none).is_null());
    let program = cx.program_with(SET, "")?;
    let kernel = cx.clCreateKernel(program, c"set".as_ptr(), none);
    holds!(!kernel.is_null());
    ok!(cx.clReleaseKernel(kernel));
    holds!(cx.clCreateKernel(program, c"get".as_ptr(), none).is_null());
    let buffer = cx.empty_buffer(64)?;
    let (list, event) = (null(), null_mut());
    let map = cx.clEnqueueMapBuffer(cx.queue, buffer, CL_TRUE, CL_MAP_READ, 0, 64, 0, list, event, none);
    holds!(!map.is_null());
    ok!(cx.clEnqueueUnmapMemObject(cx.queue, buffer, map, 0, null(), null_mut()));
    let map = cx.clEnqueueMapBuffer(cx.queue, buffer, CL_TRUE, CL_MAP_READ, 0, 65, 0, list, event, none);
    holds!(map.is_null());
    ok!(cx.clFinish(cx.queue));
    Ok(())
}

unsafe extern "C" fn report(_: *const std::ffi::c_char, _: *const c_void, _: usize, _: *mut c_void) {}

fn negative_context_properties(cx: &Ctx) -> Outcome {
    let platform = cx.platform.expose_provenance().cast_signed();
    // The whole list is checked, including an invalid property after a valid one.
    let list = [PLATFORM, platform, 0x7777, 1, 0];
    let notify =
        Some(report as unsafe extern "C" fn(*const std::ffi::c_char, *const c_void, usize, *mut c_void));
    let data = std::ptr::without_provenance_mut(5);
    make_fails!(CL_INVALID_PROPERTY, cx.clCreateContext(list.as_ptr(), 1, &cx.device, notify, data));
    make_fails!(CL_INVALID_VALUE, cx.clCreateContext(null(), 0, null(), None, null_mut()));
    // Data without a callback are invalid, a callback without data is valid.
    for data in [data, null_mut()] {
        let context =
            make!(cx.clCreateContext(list[3..].as_ptr().wrapping_add(1), 1, &cx.device, notify, data));
        ok!(cx.clReleaseContext(context));
    }
    // An invalid device after a valid one.
    if cx.is_vendor() {
        for wrong in [null_mut(), cx.context] {
            let devices = [cx.device, wrong];
            make_fails!(CL_INVALID_DEVICE, cx.clCreateContext(null(), 2, devices.as_ptr(), None, null_mut()));
        }
    }
    Ok(())
}

fn negative_context_from_type_properties(cx: &Ctx) -> Outcome {
    let platform = cx.platform.expose_provenance().cast_signed();
    let kind = CL_DEVICE_TYPE_CPU;
    for list in [&[PLATFORM, platform, 0x7777, 1, 0][..], &[PLATFORM, platform, PLATFORM, platform, 0]] {
        make_fails!(CL_INVALID_PROPERTY, cx.clCreateContextFromType(list.as_ptr(), kind, None, null_mut()));
    }
    // A loader would dereference the pointer.
    if cx.is_vendor() {
        for wrong in [0, cx.device.expose_provenance().cast_signed()] {
            let list = [PLATFORM, wrong, 0];
            make_fails!(
                CL_INVALID_PLATFORM,
                cx.clCreateContextFromType(list.as_ptr(), kind, None, null_mut())
            );
        }
        // Without properties, a vendor library uses its own platform.
        let context = make!(cx.clCreateContextFromType(null(), kind, None, null_mut()));
        ok!(cx.clReleaseContext(context));
    }
    Ok(())
}

fn negative_built_in_kernels(cx: &Ctx) -> Outcome {
    let name = c"no_such_kernel".as_ptr();
    for context in [null_mut(), cx.queue] {
        make_fails!(CL_INVALID_CONTEXT, cx.clCreateProgramWithBuiltInKernels(context, 1, &cx.device, name));
    }
    for device in [null_mut(), cx.queue] {
        make_fails!(CL_INVALID_DEVICE, cx.clCreateProgramWithBuiltInKernels(cx.context, 1, &device, name));
    }
    make_fails!(CL_INVALID_VALUE, cx.clCreateProgramWithBuiltInKernels(cx.context, 0, null(), name));
    Ok(())
}

fn negative_wait_for_events_in_a_queue(cx: &Ctx) -> Outcome {
    let other = cx.sibling()?;
    let (mine, foreign) = (cx.user_event()?, other.user_event()?);
    for list in [&[foreign][..], &[mine, foreign]] {
        let count = list.len() as cl_uint;
        fails!(CL_INVALID_CONTEXT, cx.clEnqueueWaitForEvents(cx.queue, count, list.as_ptr()));
    }
    ok!(cx.clFinish(cx.queue));
    Ok(())
}

fn negative_arg_of_another_context(cx: &Ctx) -> Outcome {
    let kernel = cx.kernel(SET, "set")?;
    let mine = cx.buffer(&[0i32; 2])?;
    cx.arg(kernel, 0, mine)?;
    cx.arg(kernel, 1, 4i32)?;
    let foreign = cx.sibling()?.empty_buffer(64)?;
    let size = size_of::<cl_mem>();
    fails!(CL_INVALID_CONTEXT, cx.clSetKernelArg(kernel, 0, size, (&raw const foreign).cast()));
    // The failed calls have not changed the argument.
    cx.launch(kernel, 2, None)?;
    equal!(cx.contents::<i32>(mine, 2)?, vec![4, 4]);
    Ok(())
}

fn negative_opaque_args(cx: &Ctx) -> Outcome {
    let size = size_of::<cl_mem>();
    let buffer = cx.empty_buffer(64)?;
    for (kind, options, expected) in [
        ("sampler_t", "", CL_INVALID_SAMPLER),
        ("read_only image2d_t", "", CL_INVALID_MEM_OBJECT),
        ("queue_t", "-cl-std=CL2.0", CL_INVALID_DEVICE_QUEUE),
    ] {
        let program = cx.source(&format!("kernel void k({kind} x) {{}}"))?;
        let options = c_string(options);
        // A device without support for these types may refuse the program.
        if cx.clBuildProgram(program, 0, null(), options.as_ptr(), None, null_mut()) != CL_SUCCESS {
            continue;
        }
        let kernel = make!(cx.clCreateKernel(program, c"k".as_ptr()));
        for handle in [null_mut(), cx.queue, cx.context] {
            fails!(expected, cx.clSetKernelArg(kernel, 0, size, (&raw const handle).cast()));
        }
        if kind != "read_only image2d_t" {
            fails!(expected, cx.clSetKernelArg(kernel, 0, size, (&raw const buffer).cast()));
        }
        fails!(CL_INVALID_ARG_SIZE, cx.clSetKernelArg(kernel, 0, size / 2, (&raw const buffer).cast()));
        fails!(CL_INVALID_ARG_VALUE, cx.clSetKernelArgSVMPointer(kernel, 0, null()));
    }
    Ok(())
}

fn arg_info_needs_an_option(cx: &Ctx) -> Outcome {
    let (name, index) = (CL_KERNEL_ARG_NAME, CL_INVALID_ARG_INDEX);
    let kernel = cx.kernel(SET, "set")?;
    for asked in [name, CL_KERNEL_ARG_TYPE_NAME, CL_KERNEL_ARG_ADDRESS_QUALIFIER] {
        query_fails!(CL_KERNEL_ARG_INFO_NOT_AVAILABLE, cx.clGetKernelArgInfo(kernel, 1, asked));
    }
    query_fails!(index, cx.clGetKernelArgInfo(kernel, 2, name));
    // A linked program has the argument information of each unit that was compiled with the option.
    for (options, expected) in [(c"-cl-kernel-arg-info", CL_SUCCESS), (c"", CL_KERNEL_ARG_INFO_NOT_AVAILABLE)]
    {
        let program = cx.source(SET)?;
        let options = options.as_ptr();
        ok!(cx.clCompileProgram(program, 0, null(), options, 0, null(), null_mut(), None, null_mut()));
        let linked = make!(cx.clLinkProgram(cx.context, 0, null(), null(), 1, &program, None, null_mut()));
        let kernel = make!(cx.clCreateKernel(linked, c"set".as_ptr()));
        let mut size = 0;
        fails!(expected, cx.clGetKernelArgInfo(kernel, 0, name, 0, null_mut(), &mut size));
    }
    Ok(())
}

/// Returns a program created from the binary of another program, not built.
fn reloaded(cx: &Ctx, program: cl_program) -> Outcome<cl_program> {
    let sizes = query!(cx.clGetProgramInfo(program, CL_PROGRAM_BINARY_SIZES)).array::<usize>()?;
    let mut bytes = vec![0u8; sizes[0]];
    let mut place = bytes.as_mut_ptr();
    let room = size_of::<*mut u8>();
    let value = (&raw mut place).cast();
    ok!(cx.clGetProgramInfo(program, CL_PROGRAM_BINARIES, room, value, null_mut()));
    let (mut data, mut status) = (bytes.as_ptr(), 1);
    let made = make!(cx.clCreateProgramWithBinary(
        cx.context,
        1,
        &cx.device,
        sizes.as_ptr(),
        &mut data,
        &mut status
    ));
    ok!(status);
    Ok(made)
}

fn arg_info_of_a_binary(cx: &Ctx) -> Outcome {
    // The binary records whether its source was compiled with the option.
    for (options, expected) in [("-cl-kernel-arg-info", CL_SUCCESS), ("", CL_KERNEL_ARG_INFO_NOT_AVAILABLE)] {
        let program = reloaded(cx, cx.program_with(SET, options)?)?;
        ok!(cx.clBuildProgram(program, 0, null(), null(), None, null_mut()));
        let kernel = make!(cx.clCreateKernel(program, c"set".as_ptr()));
        let mut size = 0;
        fails!(expected, cx.clGetKernelArgInfo(kernel, 1, CL_KERNEL_ARG_NAME, 0, null_mut(), &mut size));
    }
    Ok(())
}

fn binary_without_a_build(cx: &Ctx) -> Outcome {
    // The binary of an executable is an executable at once, without a build.
    let program = reloaded(cx, cx.program_with(SET, "")?)?;
    let status = query!(cx.clGetProgramBuildInfo(program, cx.device, CL_PROGRAM_BUILD_STATUS));
    equal!(status.value::<cl_int>()?, CL_BUILD_NONE);
    equal!(query!(cx.clGetProgramInfo(program, CL_PROGRAM_KERNEL_NAMES)).string()?.as_str(), "set");
    let kernel = make!(cx.clCreateKernel(program, c"set".as_ptr()));
    let buffer = cx.buffer(&[0i32; 2])?;
    cx.arg(kernel, 0, buffer)?;
    cx.arg(kernel, 1, 8i32)?;
    cx.launch(kernel, 2, None)?;
    equal!(cx.contents::<i32>(buffer, 2)?, vec![8, 8]);
    ok!(cx.clReleaseKernel(kernel));
    ok!(cx.clBuildProgram(program, 0, null(), null(), None, null_mut()));
    // A compiled object has no kernels before it is linked.
    let source = cx.source(SET)?;
    ok!(cx.clCompileProgram(source, 0, null(), null(), 0, null(), null_mut(), None, null_mut()));
    let object = reloaded(cx, source)?;
    make_fails!(CL_INVALID_PROGRAM_EXECUTABLE, cx.clCreateKernel(object, c"set".as_ptr()));
    query_fails!(CL_INVALID_PROGRAM_EXECUTABLE, cx.clGetProgramInfo(object, CL_PROGRAM_NUM_KERNELS));
    Ok(())
}

fn negative_compile_program_objects(cx: &Ctx) -> Outcome {
    let program = cx.source(SET)?;
    let header = cx.sibling()?.source("#define X 1")?;
    let mut name = c"x.h".as_ptr();
    let compile = |program, count, devices| {
        cx.clCompileProgram(program, count, devices, null(), 0, null(), null_mut(), None, null_mut())
    };
    // A header of another context.
    let foreign = cx.clCompileProgram(program, 0, null(), null(), 1, &header, &mut name, None, null_mut());
    fails!(CL_INVALID_CONTEXT, foreign);
    fails!(CL_INVALID_VALUE, compile(program, 0, &cx.device));
    fails!(CL_INVALID_VALUE, compile(program, 1, null()));
    for device in [null_mut(), cx.queue] {
        fails!(CL_INVALID_DEVICE, compile(program, 1, &device));
    }
    // None of the failed calls counts as a compilation.
    let status = query!(cx.clGetProgramBuildInfo(program, cx.device, CL_PROGRAM_BUILD_STATUS));
    equal!(status.value::<cl_int>()?, CL_BUILD_NONE);
    let built = cx.program_with(SET, "")?;
    let kernel = make!(cx.clCreateKernel(built, c"set".as_ptr()));
    fails!(CL_INVALID_OPERATION, compile(built, 0, null()));
    ok!(cx.clReleaseKernel(kernel));
    ok!(compile(built, 0, null()));
    // A program created from a binary has no source.
    let binary = reloaded(cx, cx.program_with(SET, "")?)?;
    fails!(CL_INVALID_OPERATION, compile(binary, 0, null()));
    Ok(())
}

fn negative_build_program_objects(cx: &Ctx) -> Outcome {
    let program = cx.program_with(SET, "")?;
    let kernel = make!(cx.clCreateKernel(program, c"set".as_ptr()));
    let build = |count, devices| cx.clBuildProgram(program, count, devices, null(), None, null_mut());
    fails!(CL_INVALID_OPERATION, build(0, null()));
    ok!(cx.clReleaseKernel(kernel));
    for device in [null_mut(), cx.queue] {
        fails!(CL_INVALID_DEVICE, build(1, &device));
        let asked = CL_PROGRAM_BUILD_STATUS;
        query_fails!(CL_INVALID_DEVICE, cx.clGetProgramBuildInfo(program, device, asked));
    }
    ok!(build(1, &cx.device));
    query_fails!(CL_INVALID_VALUE, cx.clGetProgramBuildInfo(program, cx.device, 0xdead));
    query_fails!(CL_INVALID_PROGRAM, cx.clGetProgramBuildInfo(cx.queue, cx.device, CL_PROGRAM_BUILD_STATUS));
    // A refused build does not remove the existing executable.
    let kernel = make!(cx.clCreateKernel(program, c"set".as_ptr()));
    ok!(cx.clReleaseKernel(kernel));
    // A linked program cannot be built again.
    let object = cx.source(SET)?;
    ok!(cx.clCompileProgram(object, 0, null(), null(), 0, null(), null_mut(), None, null_mut()));
    let linked = make!(cx.clLinkProgram(cx.context, 0, null(), null(), 1, &object, None, null_mut()));
    fails!(CL_INVALID_OPERATION, cx.clBuildProgram(linked, 0, null(), null(), None, null_mut()));
    let kernel = make!(cx.clCreateKernel(linked, c"set".as_ptr()));
    ok!(cx.clReleaseKernel(kernel));
    // The list is too short for all kernels.
    let mut kernels = [null_mut(); 1];
    let (mut count, list) = (77, kernels.as_mut_ptr());
    fails!(CL_INVALID_VALUE, cx.clCreateKernelsInProgram(program, 0, list, &mut count));
    equal!((count, kernels[0].is_null()), (77, true));
    ok!(cx.clCreateKernelsInProgram(program, 1, list, &mut count));
    equal!((count, kernels[0].is_null()), (1, false));
    Ok(())
}

/// Creates a context of two sub-devices.
fn two_devices(cx: &Ctx) -> Outcome<(cl_context, [cl_device_id; 2])> {
    let mut devices = [null_mut(); 16];
    let mut count = 0;
    let list = [EQUALLY, 1, 0];
    let code = cx.clCreateSubDevices(cx.device, list.as_ptr(), 16, devices.as_mut_ptr(), &mut count);
    if code != CL_SUCCESS || count < 2 {
        return Err(Failure::Skipped(String::from("the device has no two parts")));
    }
    let context = make!(cx.clCreateContext(null(), 2, devices.as_ptr(), None, null_mut()));
    Ok((context, [devices[0], devices[1]]))
}

fn kernels_that_differ_by_device(cx: &Ctx) -> Outcome {
    let (context, devices) = two_devices(cx)?;
    let source = c_string(
        "kernel void same(global int *a) { *a = N; }
         kernel void differs(TYPE a, global int *b) { *b = a; }
         #if N == 1
         kernel void first(global int *a) { *a = 1; }
         #else
         kernel void more(global int *a) { *a = 2; }
         #endif",
    );
    let mut text = source.as_ptr();
    let program = make!(cx.clCreateProgramWithSource(context, 1, &mut text, null()));
    for (device, options) in devices.iter().zip([c"-D N=1 -D TYPE=int", c"-D N=2 -D TYPE=float"]) {
        ok!(cx.clBuildProgram(program, 1, device, options.as_ptr(), None, null_mut()));
    }
    for name in [c"differs", c"first", c"more"] {
        make_fails!(CL_INVALID_KERNEL_DEFINITION, cx.clCreateKernel(program, name.as_ptr()));
    }
    make_fails!(CL_INVALID_KERNEL_NAME, cx.clCreateKernel(program, c"none".as_ptr()));
    equal!(query!(cx.clGetProgramInfo(program, CL_PROGRAM_NUM_KERNELS)).value::<usize>()?, 1);
    equal!(query!(cx.clGetProgramInfo(program, CL_PROGRAM_KERNEL_NAMES)).string()?.as_str(), "same");
    let mut count = 0;
    ok!(cx.clCreateKernelsInProgram(program, 0, null_mut(), &mut count));
    equal!(count, 1);
    // Each device runs the code that was built for it.
    let kernel = make!(cx.clCreateKernel(program, c"same".as_ptr()));
    // With two devices, a query must name one.
    let asked = CL_KERNEL_WORK_GROUP_SIZE;
    query_fails!(CL_INVALID_DEVICE, cx.clGetKernelWorkGroupInfo(kernel, null_mut(), asked));
    query_fails!(CL_INVALID_DEVICE, cx.clGetKernelWorkGroupInfo(kernel, cx.device, asked));
    for (device, expected) in devices.iter().zip([1i32, 2]) {
        query!(cx.clGetKernelWorkGroupInfo(kernel, *device, asked)).value::<usize>()?;
        let mut host = [0i32; 1];
        let pointer = host.as_mut_ptr().cast();
        let buffer = make!(cx.clCreateBuffer(context, CL_MEM_USE_HOST_PTR, 4, pointer));
        cx.arg(kernel, 0, buffer)?;
        let queue = make!(cx.clCreateCommandQueue(context, *device, 0));
        ok!(cx.clEnqueueTask(queue, kernel, 0, null(), null_mut()));
        ok!(cx.clFinish(queue));
        equal!(host[0], expected);
    }
    Ok(())
}

fn negative_task(cx: &Ctx) -> Outcome {
    let source = "kernel __attribute__((reqd_work_group_size(2, 1, 1))) void k(global int *a) { *a = 1; }";
    let kernel = cx.kernel(source, "k")?;
    cx.arg(kernel, 0, cx.empty_buffer(64)?)?;
    let mut event = null_mut();
    fails!(CL_INVALID_WORK_GROUP_SIZE, cx.clEnqueueTask(cx.queue, kernel, 0, null(), &mut event));
    holds!(event.is_null());
    let foreign = cx.sibling()?;
    fails!(CL_INVALID_CONTEXT, cx.clEnqueueTask(foreign.queue, kernel, 0, null(), null_mut()));
    // A program that was built for one of two devices.
    let (context, devices) = two_devices(cx)?;
    let source = c_string("kernel void k(void) {}");
    let mut text = source.as_ptr();
    let program = make!(cx.clCreateProgramWithSource(context, 1, &mut text, null()));
    ok!(cx.clBuildProgram(program, 1, &devices[0], null(), None, null_mut()));
    let kernel = make!(cx.clCreateKernel(program, c"k".as_ptr()));
    for (device, expected) in devices.iter().zip([CL_SUCCESS, CL_INVALID_PROGRAM_EXECUTABLE]) {
        let queue = make!(cx.clCreateCommandQueue(context, *device, 0));
        fails!(expected, cx.clEnqueueTask(queue, kernel, 0, null(), null_mut()));
        ok!(cx.clFinish(queue));
    }
    Ok(())
}

fn handles_in_the_wrong_place(cx: &Ctx) -> Outcome {
    // Handles of every other kind, passed as the first argument of each function.
    let kernel = cx.kernel(SET, "set")?;
    let program = query!(cx.clGetKernelInfo(kernel, CL_KERNEL_PROGRAM)).value::<cl_program>()?;
    let (mem, event) = (cx.empty_buffer(64)?, cx.user_event()?);
    let all = [cx.context, cx.queue, mem, program, kernel, event, cx.device];
    type Ask<'a> = &'a dyn Fn(*mut c_void) -> cl_int;
    let none = null_mut();
    let functions: [(usize, cl_int, Ask); 14] = [
        (0, CL_INVALID_CONTEXT, &|h| cx.clRetainContext(h)),
        (0, CL_INVALID_CONTEXT, &|h| cx.clGetContextInfo(h, CL_CONTEXT_DEVICES, 0, null_mut(), none)),
        (1, CL_INVALID_COMMAND_QUEUE, &|h| cx.clRetainCommandQueue(h)),
        (1, CL_INVALID_COMMAND_QUEUE, &|h| cx.clFlush(h)),
        (1, CL_INVALID_COMMAND_QUEUE, &|h| cx.clFinish(h)),
        (2, CL_INVALID_MEM_OBJECT, &|h| cx.clRetainMemObject(h)),
        (2, CL_INVALID_MEM_OBJECT, &|h| cx.clGetMemObjectInfo(h, CL_MEM_SIZE, 0, null_mut(), none)),
        (3, CL_INVALID_PROGRAM, &|h| cx.clRetainProgram(h)),
        (3, CL_INVALID_PROGRAM, &|h| cx.clGetProgramInfo(h, CL_PROGRAM_SOURCE, 0, null_mut(), none)),
        (4, CL_INVALID_KERNEL, &|h| cx.clRetainKernel(h)),
        (4, CL_INVALID_KERNEL, &|h| cx.clGetKernelInfo(h, CL_KERNEL_NUM_ARGS, 0, null_mut(), none)),
        (5, CL_INVALID_EVENT, &|h| cx.clRetainEvent(h)),
        (5, CL_INVALID_EVENT, &|h| cx.clGetEventInfo(h, CL_EVENT_CONTEXT, 0, null_mut(), none)),
        (6, CL_INVALID_DEVICE, &|h| cx.clGetDeviceInfo(h, CL_DEVICE_TYPE, 0, null_mut(), none)),
    ];
    for (right, error, ask) in functions {
        for (kind, &handle) in all.iter().enumerate() {
            fails!(if kind == right { CL_SUCCESS } else { error }, ask(handle));
        }
        fails!(error, ask(null_mut()));
    }
    // The failed calls have not changed the reference counts. Each successful retain incremented one.
    let count = query!(cx.clGetMemObjectInfo(mem, CL_MEM_REFERENCE_COUNT)).value::<cl_uint>()?;
    equal!(count, 2);
    equal!(query!(cx.clGetEventInfo(event, CL_EVENT_REFERENCE_COUNT)).value::<cl_uint>()?, 2);
    equal!(query!(cx.clGetKernelInfo(kernel, CL_KERNEL_REFERENCE_COUNT)).value::<cl_uint>()?, 2);
    Ok(())
}
