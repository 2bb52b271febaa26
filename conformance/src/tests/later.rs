//! Tests of features of OpenCL 2.1 and later versions, and of extensions of the API.

use std::collections::BTreeSet;
use std::ffi::c_void;
use std::ptr::{null, null_mut};
use std::sync::Mutex;

use cl_sys::*;

use crate::check::{Failure, Outcome};
use crate::context::{Ctx, c_string, raw};
use crate::{equal, fails, holds, make, make_fails, ok, query, query_fails, tests};

tests! {
    "test_device_timer":
        timer_resolution_queries, device_and_host_timers, negative_timers;
    "test_api":
        create_buffer_with_properties_intel, mem_object_properties_queries, negative_buffer_with_properties,
        set_default_device_command_queue, kernel_sub_group_info, program_release_callback,
        context_destructor_callback, work_group_suggested_local_size, suggested_local_size_of_required,
        negative_suggested_local_size, create_command_queue_with_properties_khr, clone_kernel,
        extensions_are_no_macros, clone_kernel_with_local;
    "test_computeinfo":
        extended_versioning, device_uuid, kernel_clock, later_device_info, later_program_info;
}

// Constants that the binding lacks, or declares for later versions only.
const NAME_SIZE: usize = 64;
const PLATFORM_NUMERIC_VERSION: cl_uint = 0x0906;
const PLATFORM_EXTENSIONS_WITH_VERSION: cl_uint = 0x0907;
const DEVICE_NUMERIC_VERSION: cl_uint = 0x105E;
const DEVICE_OPENCL_C_NUMERIC_VERSION: cl_uint = 0x105F;
const DEVICE_EXTENSIONS_WITH_VERSION: cl_uint = 0x1060;
const DEVICE_BUILT_IN_KERNELS_WITH_VERSION: cl_uint = 0x1062;
const DEVICE_ATOMIC_MEMORY_CAPABILITIES: cl_uint = 0x1063;
const DEVICE_ATOMIC_FENCE_CAPABILITIES: cl_uint = 0x1064;
const DEVICE_NON_UNIFORM_WORK_GROUP_SUPPORT: cl_uint = 0x1065;
const DEVICE_OPENCL_C_ALL_VERSIONS: cl_uint = 0x1066;
const DEVICE_PREFERRED_WORK_GROUP_SIZE_MULTIPLE: cl_uint = 0x1067;
const DEVICE_WORK_GROUP_COLLECTIVE_FUNCTIONS_SUPPORT: cl_uint = 0x1068;
const DEVICE_GENERIC_ADDRESS_SPACE_SUPPORT: cl_uint = 0x1069;
const DEVICE_OPENCL_C_FEATURES: cl_uint = 0x106F;
const DEVICE_DEVICE_ENQUEUE_CAPABILITIES: cl_uint = 0x1070;
const DEVICE_PIPE_SUPPORT: cl_uint = 0x1071;
const DEVICE_LATEST_CONFORMANCE_VERSION_PASSED: cl_uint = 0x1072;
const DEVICE_KERNEL_CLOCK_CAPABILITIES: cl_uint = 0x1076;
const DEVICE_UUID: cl_uint = 0x106A;
const DRIVER_UUID: cl_uint = 0x106B;
const DEVICE_LUID_VALID: cl_uint = 0x106C;
const DEVICE_LUID: cl_uint = 0x106D;
const DEVICE_NODE_MASK: cl_uint = 0x106E;
const MEM_PROPERTIES: cl_uint = 0x110A;
const PROGRAM_IL: cl_uint = 0x1169;
const PROGRAM_GLOBAL_CTORS_PRESENT: cl_uint = 0x116A;
const PROGRAM_GLOBAL_DTORS_PRESENT: cl_uint = 0x116B;

/// Skips the test unless the device supports an extension.
pub(super) fn wants(cx: &Ctx, extension: &str) -> Outcome {
    let all = query!(cx.clGetDeviceInfo(cx.device, CL_DEVICE_EXTENSIONS)).string()?;
    if all.split(' ').any(|name| name == extension) {
        return Ok(());
    }
    Err(Failure::Skipped(format!("no {extension}")))
}

/// Returns the address of an extension function.
pub(super) fn function(cx: &Ctx, name: &str) -> Outcome<*mut c_void> {
    let found = cx.clGetExtensionFunctionAddressForPlatform(cx.platform, c_string(name).as_ptr());
    holds!(!found.is_null());
    Ok(found)
}

fn timer_resolution_queries(cx: &Ctx) -> Outcome {
    let host =
        query!(cx.clGetPlatformInfo(cx.platform, CL_PLATFORM_HOST_TIMER_RESOLUTION)).value::<cl_ulong>()?;
    let device =
        query!(cx.clGetDeviceInfo(cx.device, CL_DEVICE_PROFILING_TIMER_RESOLUTION)).value::<usize>()?;
    holds!(host >= 1 && device >= 1);
    Ok(())
}

fn device_and_host_timers(cx: &Ctx) -> Outcome {
    let queue = cx.queue(CL_QUEUE_PROFILING_ENABLE)?;
    let mut times = [[0; 2]; 3];
    let mut event = null_mut();
    for (i, [device, host]) in times.iter_mut().enumerate() {
        ok!(cx.clGetDeviceAndHostTimer(cx.device, device, host));
        if i == 0 {
            ok!(cx.clEnqueueMarkerWithWaitList(queue, 0, null(), &mut event));
            ok!(cx.clWaitForEvents(1, &event));
        }
    }
    holds!(times.iter().flatten().all(|&time| time != 0));
    holds!(times.is_sorted());
    let mut host = 0;
    ok!(cx.clGetHostTimer(cx.device, &mut host));
    holds!(host >= times[2][1] && host < times[2][1] + 1_000_000_000);
    // The device timer is the clock of profiling.
    let queued =
        query!(cx.clGetEventProfilingInfo(event, CL_PROFILING_COMMAND_QUEUED)).value::<cl_ulong>()?;
    let end = query!(cx.clGetEventProfilingInfo(event, CL_PROFILING_COMMAND_END)).value::<cl_ulong>()?;
    holds!(times[0][0] <= queued && end <= times[1][0]);
    Ok(())
}

fn negative_timers(cx: &Ctx) -> Outcome {
    let (mut device, mut host) = (0, 0);
    fails!(CL_INVALID_VALUE, cx.clGetDeviceAndHostTimer(cx.device, null_mut(), &mut host));
    fails!(CL_INVALID_VALUE, cx.clGetDeviceAndHostTimer(cx.device, &mut device, null_mut()));
    fails!(CL_INVALID_VALUE, cx.clGetHostTimer(cx.device, null_mut()));
    for handle in [null_mut(), cx.queue] {
        fails!(CL_INVALID_DEVICE, cx.clGetDeviceAndHostTimer(handle, &mut device, &mut host));
        fails!(CL_INVALID_DEVICE, cx.clGetHostTimer(handle, &mut host));
    }
    Ok(())
}

/// Type of clCreateBufferWithPropertiesINTEL.
type CreateBuffer = unsafe extern "C" fn(
    cl_context,
    *const cl_ulong,
    cl_mem_flags,
    usize,
    *mut c_void,
    *mut cl_int,
) -> cl_mem;

/// Checks cl_intel_create_buffer_with_properties, the function of OpenCL 3.0 under another name.
fn create_buffer_with_properties_intel(cx: &Ctx) -> Outcome {
    wants(cx, "cl_intel_create_buffer_with_properties")?;
    let found = function(cx, "clCreateBufferWithPropertiesINTEL")?;
    // SAFETY: the extension gives this function this type.
    let create = unsafe { std::mem::transmute::<*mut c_void, CreateBuffer>(found) };
    let mut host = [7u8; 64];
    let from = raw(&mut host);
    let call = |context, properties: &[cl_ulong], flags, size| {
        let mut code = 1;
        // SAFETY: the list ends with 0, and the host's memory has the size, or the function must reject the call.
        (unsafe { create(context, properties.as_ptr(), flags, size, from, &mut code) }, code)
    };
    let (buffer, code) = call(cx.context, &[0], CL_MEM_COPY_HOST_PTR, 64);
    equal!(code, CL_SUCCESS);
    equal!(cx.contents::<u8>(buffer, 64)?, vec![7; 64]);
    ok!(cx.clReleaseMemObject(buffer));
    equal!(call(null_mut(), &[0], CL_MEM_COPY_HOST_PTR, 64), (null_mut(), CL_INVALID_CONTEXT));
    equal!(call(cx.context, &[0xdead, 1, 0], CL_MEM_COPY_HOST_PTR, 64), (null_mut(), CL_INVALID_PROPERTY));
    equal!(call(cx.context, &[0], CL_MEM_COPY_HOST_PTR, 0), (null_mut(), CL_INVALID_BUFFER_SIZE));
    equal!(call(cx.context, &[0], CL_MEM_READ_WRITE, 64), (null_mut(), CL_INVALID_HOST_PTR));
    Ok(())
}

fn mem_object_properties_queries(cx: &Ctx) -> Outcome {
    let properties = |mem| query!(cx.clGetMemObjectInfo(mem, MEM_PROPERTIES)).array::<cl_ulong>();
    let empty = [0];
    let with = make!(cx.clCreateBufferWithProperties(
        cx.context,
        empty.as_ptr(),
        CL_MEM_READ_WRITE,
        256,
        null_mut()
    ));
    equal!(properties(with)?, vec![0]);
    let without =
        make!(cx.clCreateBufferWithProperties(cx.context, null(), CL_MEM_READ_WRITE, 256, null_mut()));
    let region = cl_buffer_region { origin: 0, size: 128 };
    let (kind, info) = (CL_BUFFER_CREATE_TYPE_REGION, (&raw const region).cast());
    let part = make!(cx.clCreateSubBuffer(with, 0, kind, info));
    for mem in [without, cx.empty_buffer(64)?, part] {
        equal!(properties(mem)?, vec![]);
    }
    let mut host = [5u8; 64];
    let flags = CL_MEM_COPY_HOST_PTR;
    let copy = make!(cx.clCreateBufferWithProperties(cx.context, null(), flags, 64, raw(&mut host)));
    equal!(cx.contents::<u8>(copy, 64)?, vec![5; 64]);
    Ok(())
}

fn negative_buffer_with_properties(cx: &Ctx) -> Outcome {
    let unknown = [0xdead, 1, 0];
    let (flags, none) = (CL_MEM_READ_WRITE, null_mut());
    make_fails!(
        CL_INVALID_PROPERTY,
        cx.clCreateBufferWithProperties(cx.context, unknown.as_ptr(), flags, 64, none)
    );
    make_fails!(CL_INVALID_CONTEXT, cx.clCreateBufferWithProperties(null_mut(), null(), flags, 64, none));
    make_fails!(CL_INVALID_VALUE, cx.clCreateBufferWithProperties(cx.context, null(), 1 << 40, 64, none));
    make_fails!(CL_INVALID_BUFFER_SIZE, cx.clCreateBufferWithProperties(cx.context, null(), flags, 0, none));
    let mut host = [0u8; 64];
    let pointer = raw(&mut host);
    make_fails!(CL_INVALID_HOST_PTR, cx.clCreateBufferWithProperties(cx.context, null(), flags, 64, pointer));
    let uses = CL_MEM_USE_HOST_PTR;
    make_fails!(CL_INVALID_HOST_PTR, cx.clCreateBufferWithProperties(cx.context, null(), uses, 64, none));
    Ok(())
}

fn set_default_device_command_queue(cx: &Ctx) -> Outcome {
    let other = make!(cx.clCreateContext(null(), 1, &cx.device, None, null_mut()));
    holds!(!other.is_null());
    let capabilities =
        query!(cx.clGetDeviceInfo(cx.device, DEVICE_DEVICE_ENQUEUE_CAPABILITIES)).value::<cl_ulong>()?;
    if capabilities & 2 == 0 {
        fails!(CL_INVALID_OPERATION, cx.clSetDefaultDeviceCommandQueue(cx.context, cx.device, cx.queue));
    }
    fails!(CL_INVALID_CONTEXT, cx.clSetDefaultDeviceCommandQueue(null_mut(), cx.device, cx.queue));
    fails!(CL_INVALID_DEVICE, cx.clSetDefaultDeviceCommandQueue(cx.context, null_mut(), cx.queue));
    fails!(CL_INVALID_COMMAND_QUEUE, cx.clSetDefaultDeviceCommandQueue(cx.context, cx.device, null_mut()));
    Ok(())
}

const COPY: &str =
    "kernel void copy(global int *a, global int *b) { b[get_global_id(0)] = a[get_global_id(0)]; }";

fn kernel_sub_group_info(cx: &Ctx) -> Outcome {
    const MAX_NUM_SUB_GROUPS: cl_uint = 0x11B9;
    const LOCAL_SIZE_FOR_COUNT: cl_uint = 0x11B8;
    const MAX_SIZE_FOR_NDRANGE: cl_uint = 0x2033;
    const COUNT_FOR_NDRANGE: cl_uint = 0x2034;
    let kernel = cx.kernel(COPY, "copy")?;
    let ask = |kernel, device| {
        let mut size = 0;
        cx.clGetKernelSubGroupInfo(kernel, device, MAX_NUM_SUB_GROUPS, 0, null(), 0, null_mut(), &mut size)
    };
    fails!(CL_INVALID_KERNEL, ask(null_mut(), cx.device));
    fails!(CL_INVALID_KERNEL, ask(cx.queue, cx.device));
    fails!(CL_INVALID_DEVICE, ask(kernel, cx.queue));
    let most = query!(cx.clGetDeviceInfo(cx.device, CL_DEVICE_MAX_NUM_SUB_GROUPS)).value::<cl_uint>()?;
    if most == 0 {
        fails!(CL_INVALID_OPERATION, ask(kernel, cx.device));
        fails!(CL_INVALID_OPERATION, ask(kernel, null_mut()));
    }
    if most > 0 {
        let size = |name, input: &[usize], room: usize| {
            let (mut values, mut written) = ([0usize; 3], 0);
            let bytes = size_of_val(input);
            let code = cx.clGetKernelSubGroupInfo(
                kernel,
                cx.device,
                name,
                bytes,
                input.as_ptr().cast(),
                8 * room,
                values.as_mut_ptr().cast(),
                &mut written,
            );
            (code, values, written)
        };
        let (code, [items, ..], written) = size(MAX_SIZE_FOR_NDRANGE, &[40, 3], 1);
        holds!(code == CL_SUCCESS && written == 8 && items > 0);
        equal!(size(COUNT_FOR_NDRANGE, &[40, 3], 1), (CL_SUCCESS, [120usize.div_ceil(items), 0, 0], 8));
        equal!(size(LOCAL_SIZE_FOR_COUNT, &[3], 2), (CL_SUCCESS, [3 * items, 1, 0], 16));
        equal!(size(LOCAL_SIZE_FOR_COUNT, &[1 << 40], 1), (CL_SUCCESS, [0, 0, 0], 8));
        equal!(size(MAX_NUM_SUB_GROUPS, &[], 1).0, CL_SUCCESS);
        equal!(size(COUNT_FOR_NDRANGE, &[], 1).0, CL_INVALID_VALUE);
        equal!(size(COUNT_FOR_NDRANGE, &[1, 1, 1, 1], 1).0, CL_INVALID_VALUE);
        equal!(size(COUNT_FOR_NDRANGE, &[40], 0).0, CL_INVALID_VALUE);
        equal!(size(0x2035, &[40], 1).0, CL_INVALID_VALUE);
    }
    Ok(())
}

unsafe extern "C" fn ignore(_handle: *mut c_void, _data: *mut c_void) {}

fn program_release_callback(cx: &Ctx) -> Outcome {
    let program = cx.source(COPY)?;
    fails!(CL_INVALID_VALUE, cx.clSetProgramReleaseCallback(program, None, null_mut()));
    fails!(CL_INVALID_PROGRAM, cx.clSetProgramReleaseCallback(null_mut(), Some(ignore), null_mut()));
    // Program-scope variables have no destructors, so the callback is not supported.
    fails!(CL_INVALID_OPERATION, cx.clSetProgramReleaseCallback(program, Some(ignore), null_mut()));
    Ok(())
}

static NOTES: Mutex<Vec<(usize, usize)>> = Mutex::new(Vec::new());

unsafe extern "C" fn note(context: cl_context, data: *mut c_void) {
    NOTES.lock().expect("nobody panics here").push((context.addr(), data.addr()));
}

fn context_destructor_callback(cx: &Ctx) -> Outcome {
    let context = make!(cx.clCreateContext(null(), 1, &cx.device, None, null_mut()));
    for data in 1..=3 {
        let data = std::ptr::without_provenance_mut(data);
        ok!(cx.clSetContextDestructorCallback(context, Some(note), data));
    }
    let buffer = make!(cx.clCreateBuffer(context, CL_MEM_READ_WRITE, 64, null_mut()));
    ok!(cx.clReleaseContext(context));
    // Objects of the context keep it alive.
    holds!(NOTES.lock().expect("nobody panics here").is_empty());
    ok!(cx.clReleaseMemObject(buffer));
    let notes = NOTES.lock().expect("nobody panics here").clone();
    equal!(notes, (1..=3).rev().map(|data| (context.addr(), data)).collect::<Vec<_>>());
    fails!(CL_INVALID_VALUE, cx.clSetContextDestructorCallback(cx.context, None, null_mut()));
    fails!(CL_INVALID_CONTEXT, cx.clSetContextDestructorCallback(null_mut(), Some(note), null_mut()));
    Ok(())
}

/// Type of clGetKernelSuggestedLocalWorkSizeKHR.
type Suggest = unsafe extern "C" fn(
    cl_command_queue,
    cl_kernel,
    cl_uint,
    *const usize,
    *const usize,
    *mut usize,
) -> cl_int;

fn suggest(cx: &Ctx) -> Outcome<Suggest> {
    wants(cx, "cl_khr_suggested_local_work_size")?;
    let found = function(cx, "clGetKernelSuggestedLocalWorkSizeKHR")?;
    // SAFETY: the extension gives this function this type.
    Ok(unsafe { std::mem::transmute::<*mut c_void, Suggest>(found) })
}

fn work_group_suggested_local_size(cx: &Ctx) -> Outcome {
    let suggest = suggest(cx)?;
    let source = "kernel void k(global int *out) {
        if (get_global_linear_id() == 0) for (int i = 0; i < 3; i++) out[i] = get_local_size(i); }";
    let kernel = cx.kernel_with(source, "-cl-std=CL2.0", "k")?;
    let out = cx.buffer(&[0i32; 3])?;
    cx.arg(kernel, 0, out)?;
    let offset = [10usize, 0, 3];
    for dims in 1..=3 {
        for global in [[1, 1, 1], [64, 3, 2], [113, 12, 1], [1024, 7, 3], [8191, 2, 1]] {
            for offset in [null(), offset.as_ptr()] {
                let mut local = [1usize; 3];
                let (sizes, to) = (global.as_ptr(), local.as_mut_ptr());
                // SAFETY: the arrays have at least as many elements as dimensions.
                ok!(unsafe { suggest(cx.queue, kernel, dims, offset, sizes, to) });
                holds!((0..3).all(|d| local[d] >= 1 && (d >= dims as usize || local[d] <= global[d])));
                let launch = cx.clEnqueueNDRangeKernel(
                    cx.queue,
                    kernel,
                    dims,
                    offset,
                    sizes,
                    null(),
                    0,
                    null(),
                    null_mut(),
                );
                ok!(launch);
                equal!(cx.contents::<i32>(out, 3)?, local.map(|size| size as i32).to_vec());
            }
        }
    }
    Ok(())
}

fn suggested_local_size_of_required(cx: &Ctx) -> Outcome {
    let suggest = suggest(cx)?;
    let source = "kernel __attribute__((reqd_work_group_size(4, 2, 1))) void k(global int *x) { *x = 1; }";
    let kernel = cx.kernel(source, "k")?;
    cx.arg(kernel, 0, cx.empty_buffer(4)?)?;
    let global = [8usize, 8];
    // Elements beyond the number of dimensions are not written.
    let mut local = [7usize; 3];
    // SAFETY: the arrays have at least two elements, for two dimensions.
    ok!(unsafe { suggest(cx.queue, kernel, 2, null(), global.as_ptr(), local.as_mut_ptr()) });
    equal!(local, [4, 2, 7]);
    Ok(())
}

fn negative_suggested_local_size(cx: &Ctx) -> Outcome {
    let suggest = suggest(cx)?;
    let call = |queue, kernel, dims, offset: *const usize, global: *const usize, local: *mut usize| {
        // SAFETY: the test passes valid arguments, or arguments that the implementation must reject.
        unsafe { suggest(queue, kernel, dims, offset, global, local) }
    };
    let kernel = cx.kernel(COPY, "copy")?;
    let global = [64usize, 64, 64, 64];
    let mut local = [0usize; 4];
    let (sizes, to, queue) = (global.as_ptr(), local.as_mut_ptr(), cx.queue);
    fails!(CL_INVALID_KERNEL_ARGS, call(queue, kernel, 1, null(), sizes, to));
    let buffer = cx.buffer(&[0i32; 64])?;
    cx.arg(kernel, 0, buffer)?;
    cx.arg(kernel, 1, buffer)?;
    ok!(call(queue, kernel, 1, null(), sizes, to));
    for handle in [null_mut(), cx.context] {
        fails!(CL_INVALID_COMMAND_QUEUE, call(handle, kernel, 1, null(), sizes, to));
        fails!(CL_INVALID_KERNEL, call(queue, handle, 1, null(), sizes, to));
    }
    for dims in [0, 4] {
        fails!(CL_INVALID_WORK_DIMENSION, call(queue, kernel, dims, null(), sizes, to));
    }
    let zero = [4usize, 0];
    fails!(CL_INVALID_GLOBAL_WORK_SIZE, call(queue, kernel, 1, null(), null(), to));
    fails!(CL_INVALID_GLOBAL_WORK_SIZE, call(queue, kernel, 2, null(), zero.as_ptr(), to));
    let far = [usize::MAX - 3];
    fails!(CL_INVALID_GLOBAL_OFFSET, call(queue, kernel, 1, far.as_ptr(), sizes, to));
    fails!(CL_INVALID_VALUE, call(queue, kernel, 1, null(), sizes, null_mut()));
    let other = make!(cx.clCreateContext(null(), 1, &cx.device, None, null_mut()));
    let foreign = make!(cx.clCreateCommandQueue(other, cx.device, 0));
    fails!(CL_INVALID_CONTEXT, call(foreign, kernel, 1, null(), sizes, to));
    Ok(())
}

fn create_command_queue_with_properties_khr(cx: &Ctx) -> Outcome {
    wants(cx, "cl_khr_create_command_queue")?;
    type Create =
        unsafe extern "C" fn(cl_context, cl_device_id, *const cl_ulong, *mut cl_int) -> cl_command_queue;
    let found = function(cx, "clCreateCommandQueueWithPropertiesKHR")?;
    // SAFETY: the extension gives this function this type.
    let create = unsafe { std::mem::transmute::<*mut c_void, Create>(found) };
    let list = [cl_ulong::from(CL_QUEUE_PROPERTIES), CL_QUEUE_PROFILING_ENABLE, 0];
    let mut code = 1;
    // SAFETY: the handles are live and the list ends with 0.
    let queue = unsafe { create(cx.context, cx.device, list.as_ptr(), &mut code) };
    ok!(code);
    let flags = query!(cx.clGetCommandQueueInfo(queue, CL_QUEUE_PROPERTIES)).value::<cl_ulong>()?;
    equal!(flags, CL_QUEUE_PROFILING_ENABLE);
    ok!(cx.clReleaseCommandQueue(queue));
    let unknown = [0xdead, 1, 0];
    // SAFETY: the handles are live and the list ends with 0.
    let queue = unsafe { create(cx.context, cx.device, unknown.as_ptr(), &mut code) };
    fails!(CL_INVALID_VALUE, code);
    holds!(queue.is_null());
    // SAFETY: the function must reject a null handle.
    unsafe { create(null_mut(), cx.device, null(), &mut code) };
    fails!(CL_INVALID_CONTEXT, code);
    Ok(())
}

fn clone_kernel(cx: &Ctx) -> Outcome {
    let kernel = cx.kernel(COPY, "copy")?;
    let (a, b) = (cx.buffer(&[1i32, 2, 3])?, cx.buffer(&[0i32; 3])?);
    cx.arg(kernel, 0, a)?;
    // An argument that is not set in the kernel is not set in its clone.
    let half = make!(cx.clCloneKernel(kernel));
    let global = 3usize;
    let launch = |kernel| {
        cx.clEnqueueNDRangeKernel(cx.queue, kernel, 1, null(), &global, null(), 0, null(), null_mut())
    };
    fails!(CL_INVALID_KERNEL_ARGS, launch(half));
    cx.arg(half, 1, b)?;
    ok!(launch(half));
    equal!(cx.contents::<i32>(b, 3)?, vec![1, 2, 3]);
    fails!(CL_INVALID_KERNEL_ARGS, launch(kernel));
    // A clone of a clone outlives both.
    let last = make!(cx.clCloneKernel(half));
    ok!(cx.clReleaseKernel(kernel));
    ok!(cx.clReleaseKernel(half));
    equal!(query!(cx.clGetKernelInfo(last, CL_KERNEL_FUNCTION_NAME)).string()?.as_str(), "copy");
    let c = cx.buffer(&[0i32; 3])?;
    cx.arg(last, 1, c)?;
    ok!(launch(last));
    equal!(cx.contents::<i32>(c, 3)?, vec![1, 2, 3]);
    Ok(())
}

fn clone_kernel_with_local(cx: &Ctx) -> Outcome {
    let source = "kernel void k(local int *t, global int *out, int4 v) {
        size_t i = get_local_id(0); t[i] = i; barrier(CLK_LOCAL_MEM_FENCE);
        out[get_global_id(0)] = t[get_local_size(0) - 1 - i] + v.w; }";
    let kernel = cx.kernel(source, "k")?;
    let out = cx.buffer(&[0i32; 4])?;
    ok!(cx.clSetKernelArg(kernel, 0, 16, null()));
    cx.arg(kernel, 1, out)?;
    cx.arg(kernel, 2, [1i32, 2, 3, 40])?;
    let clone = make!(cx.clCloneKernel(kernel));
    ok!(cx.clReleaseKernel(kernel));
    cx.launch(clone, 4, Some(4))?;
    equal!(cx.contents::<i32>(out, 4)?, vec![43, 42, 41, 40]);
    Ok(())
}

fn extensions_are_no_macros(cx: &Ctx) -> Outcome {
    // Extensions of the API define no macros in the language.
    let source = "
        #if defined(cl_khr_icd) || defined(cl_khr_create_command_queue) || defined(cl_khr_extended_versioning) \\
            || defined(cl_khr_device_uuid) || defined(cl_intel_unified_shared_memory) \\
            || defined(cl_khr_suggested_local_work_size) || defined(cl_khr_il_program) \\
            || defined(cl_khr_spirv_queries) || defined(cl_khr_spirv_linkonce_odr) \\
            || defined(cl_ext_buffer_device_address)
        #error a macro
        #endif
        kernel void k(global int *a) { *a = 1; }";
    cx.program_with(source, "").map(drop)
}

/// Entry of a list of names with versions.
#[repr(C)]
#[derive(Clone, Copy)]
pub(super) struct NameVersion {
    pub version: cl_uint,
    name: [u8; NAME_SIZE],
}

impl NameVersion {
    pub fn name(&self) -> Outcome<String> {
        let end = self.name.iter().position(|&byte| byte == 0);
        holds!(end.is_some());
        Ok(String::from_utf8_lossy(&self.name[..end.unwrap_or(0)]).into_owned())
    }
}

/// Formats the major and minor number of a version.
pub(super) fn major_minor(version: cl_uint) -> String {
    format!("{}.{}", version >> 22, version >> 12 & 0x3ff)
}

/// Returns all names, and checks that each occurs once.
fn names(list: &[NameVersion]) -> Outcome<BTreeSet<String>> {
    let names = list.iter().map(NameVersion::name).collect::<Outcome<BTreeSet<_>>>()?;
    equal!(names.len(), list.len());
    Ok(names)
}

fn extended_versioning(cx: &Ctx) -> Outcome {
    wants(cx, "cl_khr_extended_versioning")?;
    let platform = |name| -> Outcome<_> { Ok(query!(cx.clGetPlatformInfo(cx.platform, name))) };
    let version = platform(PLATFORM_NUMERIC_VERSION)?.value::<cl_uint>()?;
    holds!(
        platform(CL_PLATFORM_VERSION)?.string()?.starts_with(&format!("OpenCL {} ", major_minor(version)))
    );
    let split = |text: String| text.split(' ').map(String::from).collect::<BTreeSet<_>>();
    let listed = platform(PLATFORM_EXTENSIONS_WITH_VERSION)?.array::<NameVersion>()?;
    equal!(names(&listed)?, split(platform(CL_PLATFORM_EXTENSIONS)?.string()?));
    let device = |name| -> Outcome<_> { Ok(query!(cx.clGetDeviceInfo(cx.device, name))) };
    let version = device(DEVICE_NUMERIC_VERSION)?.value::<cl_uint>()?;
    holds!(device(CL_DEVICE_VERSION)?.string()?.starts_with(&format!("OpenCL {} ", major_minor(version))));
    let version = device(DEVICE_OPENCL_C_NUMERIC_VERSION)?.value::<cl_uint>()?;
    let text = device(CL_DEVICE_OPENCL_C_VERSION)?.string()?;
    holds!(text.starts_with(&format!("OpenCL C {} ", major_minor(version))));
    let listed = device(DEVICE_EXTENSIONS_WITH_VERSION)?.array::<NameVersion>()?;
    equal!(names(&listed)?, split(device(CL_DEVICE_EXTENSIONS)?.string()?));
    holds!(listed.iter().all(|entry| entry.version >> 22 >= 1));
    equal!(device(CL_DEVICE_BUILT_IN_KERNELS)?.string()?.as_str(), "");
    equal!(device(DEVICE_BUILT_IN_KERNELS_WITH_VERSION)?.size(), 0);
    Ok(())
}

fn device_uuid(cx: &Ctx) -> Outcome {
    wants(cx, "cl_khr_device_uuid")?;
    type Uuid = [u8; 16];
    let uuid = |device, name| -> Outcome<_> { query!(cx.clGetDeviceInfo(device, name)).value::<Uuid>() };
    let (device, driver) = (uuid(cx.device, DEVICE_UUID)?, uuid(cx.device, DRIVER_UUID)?);
    holds!(device != Uuid::default() && driver != Uuid::default() && device != driver);
    equal!(uuid(cx.device, DEVICE_UUID)?, device);
    equal!(uuid(cx.device, DRIVER_UUID)?, driver);
    let valid = query!(cx.clGetDeviceInfo(cx.device, DEVICE_LUID_VALID)).value::<cl_bool>()?;
    holds!(valid == CL_FALSE || valid == CL_TRUE);
    // Both are undefined without a valid LUID, but no errors.
    equal!(query!(cx.clGetDeviceInfo(cx.device, DEVICE_LUID)).size(), 8);
    let mask = query!(cx.clGetDeviceInfo(cx.device, DEVICE_NODE_MASK)).value::<cl_uint>()?;
    holds!(valid == CL_FALSE || mask.is_power_of_two());
    // Sub-devices are other devices of the same driver.
    let properties = [crate::context::EQUALLY, 1, 0];
    let (mut parts, mut count) = ([null_mut(); 256], 0);
    let made = cx.clCreateSubDevices(cx.device, properties.as_ptr(), 256, parts.as_mut_ptr(), &mut count);
    let count = if made == CL_SUCCESS { count as usize } else { 0 };
    for (i, &part) in parts[..count].iter().enumerate() {
        holds!(uuid(part, DEVICE_UUID)? != device);
        holds!(i == 0 || uuid(part, DEVICE_UUID)? != uuid(parts[i - 1], DEVICE_UUID)?);
        equal!(uuid(part, DRIVER_UUID)?, driver);
    }
    for part in &parts[..count] {
        ok!(cx.clReleaseDevice(*part));
    }
    Ok(())
}

fn kernel_clock(cx: &Ctx) -> Outcome {
    wants(cx, "cl_khr_kernel_clock")?;
    let scopes =
        query!(cx.clGetDeviceInfo(cx.device, DEVICE_KERNEL_CLOCK_CAPABILITIES)).value::<cl_bitfield>()?;
    holds!(scopes & !0b111 == 0);
    for (bit, scope) in ["device", "work_group", "sub_group"].into_iter().enumerate() {
        if scopes >> bit & 1 == 0 {
            continue;
        }
        let source = format!(
            "#if !defined(cl_khr_kernel_clock) || !defined(__opencl_c_kernel_clock_scope_{scope})
             #error no macro
             #endif
             kernel void k(global ulong *times) {{
                 size_t i = get_global_id(0);
                 times[3 * i] = clock_read_{scope}();
                 uint2 parts = clock_read_hilo_{scope}();
                 times[3 * i + 1] = upsample(parts.hi, parts.lo);
                 times[3 * i + 2] = clock_read_{scope}();
             }}"
        );
        let kernel = cx.kernel(&source, "k")?;
        let times = cx.buffer(&[[0 as cl_ulong; 3]; 100])?;
        cx.arg(kernel, 0, times)?;
        cx.launch(kernel, 100, None)?;
        for of_item in cx.contents::<[cl_ulong; 3]>(times, 100)? {
            holds!(of_item.is_sorted());
        }
    }
    Ok(())
}

fn later_device_info(cx: &Ctx) -> Outcome {
    let device = |name| -> Outcome<_> { Ok(query!(cx.clGetDeviceInfo(cx.device, name))) };
    let versions = device(DEVICE_OPENCL_C_ALL_VERSIONS)?.array::<NameVersion>()?;
    let numbers: Vec<String> = versions.iter().map(|entry| major_minor(entry.version)).collect();
    equal!(numbers.join(" ").as_str(), "1.0 1.1 1.2 2.0");
    for entry in &versions {
        equal!(entry.name()?.as_str(), "OpenCL C");
    }
    equal!(device(DEVICE_OPENCL_C_FEATURES)?.size(), 0);
    equal!(device(DEVICE_LATEST_CONFORMANCE_VERSION_PASSED)?.string()?.as_str(), "");
    // All atomic capabilities that 2.0 requires.
    let (memory, fence) = (0b111_0111, 0b111_1111);
    equal!(device(DEVICE_ATOMIC_MEMORY_CAPABILITIES)?.value::<cl_ulong>()?, memory);
    equal!(device(DEVICE_ATOMIC_FENCE_CAPABILITIES)?.value::<cl_ulong>()?, fence);
    for name in [
        DEVICE_NON_UNIFORM_WORK_GROUP_SUPPORT,
        DEVICE_WORK_GROUP_COLLECTIVE_FUNCTIONS_SUPPORT,
        DEVICE_GENERIC_ADDRESS_SPACE_SUPPORT,
    ] {
        equal!(device(name)?.value::<cl_bool>()?, CL_TRUE);
    }
    let pipes = device(CL_DEVICE_MAX_PIPE_ARGS)?.value::<cl_uint>()? != 0;
    equal!(device(DEVICE_PIPE_SUPPORT)?.value::<cl_bool>()?, cl_bool::from(pipes));
    let queues = device(CL_DEVICE_MAX_ON_DEVICE_QUEUES)?.value::<cl_uint>()? != 0;
    equal!(device(DEVICE_DEVICE_ENQUEUE_CAPABILITIES)?.value::<cl_ulong>()? != 0, queues);
    holds!(device(DEVICE_PREFERRED_WORK_GROUP_SIZE_MULTIPLE)?.value::<usize>()? >= 1);
    let sub_groups = device(CL_DEVICE_MAX_NUM_SUB_GROUPS)?.value::<cl_uint>()?;
    let independent = device(CL_DEVICE_SUB_GROUP_INDEPENDENT_FORWARD_PROGRESS)?.value::<cl_bool>()?;
    holds!(sub_groups != 0 || independent == CL_FALSE);
    query_fails!(CL_INVALID_VALUE, cx.clGetDeviceInfo(cx.device, 0x10ff));
    Ok(())
}

fn later_program_info(cx: &Ctx) -> Outcome {
    let program = cx.program_with(COPY, "")?;
    equal!(query!(cx.clGetProgramInfo(program, PROGRAM_IL)).size(), 0);
    let unbuilt = cx.source(COPY)?;
    for name in [PROGRAM_GLOBAL_CTORS_PRESENT, PROGRAM_GLOBAL_DTORS_PRESENT] {
        equal!(query!(cx.clGetProgramInfo(program, name)).value::<cl_bool>()?, CL_FALSE);
        query_fails!(CL_INVALID_PROGRAM_EXECUTABLE, cx.clGetProgramInfo(unbuilt, name));
    }
    Ok(())
}
