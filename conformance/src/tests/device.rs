//! Tests of devices and sub-devices.

use std::ptr::{null, null_mut};

use cl_sys::*;

use crate::check::{Failure, Outcome};
use crate::context::{BY_AFFINITY_DOMAIN, BY_COUNTS, COUNTS_END, Ctx, EQUALLY, c_string, raw};
use crate::{equal, fails, holds, make, make_fails, ok, query, query_fails, tests};

tests! {
    "test_api":
        get_device_info, negative_get_device_ids, negative_get_device_info, min_max_compute_units,
        min_max_work_items_sizes, min_max_work_group_size, min_max_mem_alloc_size, min_max_parameter_size,
        min_max_constant_buffer_size, min_max_constant_args, min_max_address_bits, min_max_single_fp_config,
        min_max_double_fp_config, min_max_local_mem_size, min_max_execution_capabilities,
        min_max_queue_properties, min_max_device_version, min_max_language_version, vector_widths,
        images_are_consistent, negative_create_sub_devices, negative_retain_device, negative_release_device,
        bool_type;
    "test_device_partition":
        partition_equally, partition_by_counts, partition_of_partition, partition_by_affinity_domain_numa,
        partition_by_affinity_domain_l4_cache, partition_by_affinity_domain_l3_cache,
        partition_by_affinity_domain_l2_cache, partition_by_affinity_domain_l1_cache,
        partition_by_affinity_domain_next_partitionable, partition_all, sub_device_context, sub_device_life;
}

fn info<T: Copy>(cx: &Ctx, name: cl_uint) -> Outcome<T> {
    query!(cx.clGetDeviceInfo(cx.device, name)).value()
}

fn get_device_info(cx: &Ctx) -> Outcome {
    let mut count = 0;
    ok!(cx.clGetDeviceIDs(cx.platform, CL_DEVICE_TYPE_ALL, 0, null_mut(), &mut count));
    equal!(count, 1);
    for kind in [CL_DEVICE_TYPE_CPU, CL_DEVICE_TYPE_DEFAULT, CL_DEVICE_TYPE_CPU | CL_DEVICE_TYPE_GPU] {
        let mut device = null_mut();
        ok!(cx.clGetDeviceIDs(cx.platform, kind, 1, &mut device, null_mut()));
        equal!(device, cx.device);
    }
    equal!(info::<cl_ulong>(cx, CL_DEVICE_TYPE)?, CL_DEVICE_TYPE_CPU);
    equal!(info::<cl_platform_id>(cx, CL_DEVICE_PLATFORM)?, cx.platform);
    equal!(info::<cl_device_id>(cx, CL_DEVICE_PARENT_DEVICE)?, null_mut());
    equal!(info::<cl_uint>(cx, CL_DEVICE_REFERENCE_COUNT)?, 1);
    equal!(query!(cx.clGetDeviceInfo(cx.device, CL_DEVICE_PROFILE)).string()?.as_str(), "FULL_PROFILE");
    holds!(!query!(cx.clGetDeviceInfo(cx.device, CL_DEVICE_NAME)).string()?.is_empty());
    holds!(!query!(cx.clGetDeviceInfo(cx.device, CL_DEVICE_VENDOR)).string()?.is_empty());
    holds!(!query!(cx.clGetDeviceInfo(cx.device, CL_DRIVER_VERSION)).string()?.is_empty());
    equal!(query!(cx.clGetDeviceInfo(cx.device, CL_DEVICE_BUILT_IN_KERNELS)).string()?.as_str(), "");
    holds!(info::<usize>(cx, CL_DEVICE_PRINTF_BUFFER_SIZE)? >= 1 << 20);
    holds!(info::<usize>(cx, CL_DEVICE_PROFILING_TIMER_RESOLUTION)? >= 1);
    holds!(info::<cl_uint>(cx, CL_DEVICE_MAX_CLOCK_FREQUENCY)? < 10_000);
    Ok(())
}

fn negative_get_device_ids(cx: &Ctx) -> Outcome {
    let mut device = null_mut();
    let mut count = 0;
    fails!(CL_INVALID_DEVICE_TYPE, cx.clGetDeviceIDs(cx.platform, 0, 1, &mut device, null_mut()));
    fails!(CL_INVALID_DEVICE_TYPE, cx.clGetDeviceIDs(cx.platform, 1 << 20, 1, &mut device, null_mut()));
    fails!(CL_INVALID_VALUE, cx.clGetDeviceIDs(cx.platform, CL_DEVICE_TYPE_ALL, 0, &mut device, null_mut()));
    fails!(CL_INVALID_VALUE, cx.clGetDeviceIDs(cx.platform, CL_DEVICE_TYPE_ALL, 1, null_mut(), null_mut()));
    for kind in [CL_DEVICE_TYPE_GPU, CL_DEVICE_TYPE_ACCELERATOR, CL_DEVICE_TYPE_CUSTOM] {
        fails!(CL_DEVICE_NOT_FOUND, cx.clGetDeviceIDs(cx.platform, kind, 0, null_mut(), &mut count));
    }
    let kind = CL_DEVICE_TYPE_ALL;
    fails!(CL_INVALID_PLATFORM, cx.clGetDeviceIDs(cx.context, kind, 1, &mut device, null_mut()));
    Ok(())
}

fn negative_get_device_info(cx: &Ctx) -> Outcome {
    query_fails!(CL_INVALID_VALUE, cx.clGetDeviceInfo(cx.device, 0xdead));
    query_fails!(CL_INVALID_DEVICE, cx.clGetDeviceInfo(null_mut(), CL_DEVICE_TYPE));
    query_fails!(CL_INVALID_DEVICE, cx.clGetDeviceInfo(cx.context, CL_DEVICE_TYPE));
    Ok(())
}

fn min_max_compute_units(cx: &Ctx) -> Outcome {
    let units = info::<cl_uint>(cx, CL_DEVICE_MAX_COMPUTE_UNITS)?;
    holds!(units >= 1 && units as usize <= std::thread::available_parallelism().map_or(1, usize::from));
    Ok(())
}

fn min_max_work_items_sizes(cx: &Ctx) -> Outcome {
    let dimensions = info::<cl_uint>(cx, CL_DEVICE_MAX_WORK_ITEM_DIMENSIONS)?;
    holds!(dimensions >= 3);
    let sizes = query!(cx.clGetDeviceInfo(cx.device, CL_DEVICE_MAX_WORK_ITEM_SIZES)).array::<usize>()?;
    equal!(sizes.len(), dimensions as usize);
    holds!(sizes.iter().all(|&size| size >= 1));
    Ok(())
}

fn min_max_work_group_size(cx: &Ctx) -> Outcome {
    holds!(info::<usize>(cx, CL_DEVICE_MAX_WORK_GROUP_SIZE)? >= 1024);
    Ok(())
}

fn min_max_mem_alloc_size(cx: &Ctx) -> Outcome {
    let total = info::<cl_ulong>(cx, CL_DEVICE_GLOBAL_MEM_SIZE)?;
    let most = info::<cl_ulong>(cx, CL_DEVICE_MAX_MEM_ALLOC_SIZE)?;
    holds!(most <= total);
    holds!(most >= (total / 4).max(128 << 20));
    // Pages are allocated at first use, so creating the largest buffer succeeds on any machine.
    let size = usize::try_from(most).unwrap_or(usize::MAX);
    let buffer = make!(cx.clCreateBuffer(cx.context, CL_MEM_READ_WRITE, size, null_mut()));
    let mut byte = [7u8];
    ok!(cx.clEnqueueWriteBuffer(
        cx.queue,
        buffer,
        CL_TRUE,
        size - 1,
        1,
        raw(&mut byte),
        0,
        null(),
        null_mut()
    ));
    ok!(cx.clReleaseMemObject(buffer));
    make_fails!(
        CL_INVALID_BUFFER_SIZE,
        cx.clCreateBuffer(cx.context, CL_MEM_READ_WRITE, size + 1, null_mut())
    );
    Ok(())
}

fn min_max_parameter_size(cx: &Ctx) -> Outcome {
    holds!(info::<usize>(cx, CL_DEVICE_MAX_PARAMETER_SIZE)? >= 1024);
    Ok(())
}

fn min_max_constant_buffer_size(cx: &Ctx) -> Outcome {
    holds!(info::<cl_ulong>(cx, CL_DEVICE_MAX_CONSTANT_BUFFER_SIZE)? >= 64 << 10);
    holds!(info::<usize>(cx, CL_DEVICE_MAX_GLOBAL_VARIABLE_SIZE)? >= 64 << 10);
    Ok(())
}

fn min_max_constant_args(cx: &Ctx) -> Outcome {
    holds!(info::<cl_uint>(cx, CL_DEVICE_MAX_CONSTANT_ARGS)? >= 8);
    Ok(())
}

fn min_max_address_bits(cx: &Ctx) -> Outcome {
    equal!(info::<cl_uint>(cx, CL_DEVICE_ADDRESS_BITS)?, usize::BITS);
    holds!(info::<cl_uint>(cx, CL_DEVICE_MEM_BASE_ADDR_ALIGN)? >= 1024);
    holds!(info::<cl_uint>(cx, CL_DEVICE_MIN_DATA_TYPE_ALIGN_SIZE)? >= 128);
    Ok(())
}

fn min_max_single_fp_config(cx: &Ctx) -> Outcome {
    let config = info::<cl_ulong>(cx, CL_DEVICE_SINGLE_FP_CONFIG)?;
    let required = CL_FP_ROUND_TO_NEAREST | CL_FP_INF_NAN;
    equal!(config & required, required);
    Ok(())
}

fn min_max_double_fp_config(cx: &Ctx) -> Outcome {
    let config = info::<cl_ulong>(cx, CL_DEVICE_DOUBLE_FP_CONFIG)?;
    let required = CL_FP_FMA
        | CL_FP_ROUND_TO_NEAREST
        | CL_FP_ROUND_TO_ZERO
        | CL_FP_ROUND_TO_INF
        | CL_FP_INF_NAN
        | CL_FP_DENORM;
    equal!(config & required, required);
    Ok(())
}

fn min_max_local_mem_size(cx: &Ctx) -> Outcome {
    holds!(info::<cl_ulong>(cx, CL_DEVICE_LOCAL_MEM_SIZE)? >= 32 << 10);
    let kind = info::<cl_uint>(cx, CL_DEVICE_LOCAL_MEM_TYPE)?;
    holds!(kind == CL_LOCAL || kind == CL_GLOBAL);
    Ok(())
}

fn min_max_execution_capabilities(cx: &Ctx) -> Outcome {
    let capabilities = info::<cl_ulong>(cx, CL_DEVICE_EXECUTION_CAPABILITIES)?;
    equal!(capabilities & CL_EXEC_KERNEL, CL_EXEC_KERNEL);
    Ok(())
}

fn min_max_queue_properties(cx: &Ctx) -> Outcome {
    let properties = info::<cl_ulong>(cx, CL_DEVICE_QUEUE_ON_HOST_PROPERTIES)?;
    equal!(properties & CL_QUEUE_PROFILING_ENABLE, CL_QUEUE_PROFILING_ENABLE);
    Ok(())
}

fn min_max_device_version(cx: &Ctx) -> Outcome {
    let version = query!(cx.clGetDeviceInfo(cx.device, CL_DEVICE_VERSION)).string()?;
    holds!(version.starts_with("OpenCL 2.0 "));
    Ok(())
}

fn min_max_language_version(cx: &Ctx) -> Outcome {
    let version = query!(cx.clGetDeviceInfo(cx.device, CL_DEVICE_OPENCL_C_VERSION)).string()?;
    holds!(version.starts_with("OpenCL C 2.0 "));
    Ok(())
}

fn vector_widths(cx: &Ctx) -> Outcome {
    const WIDTHS: [cl_uint; 12] = [
        CL_DEVICE_PREFERRED_VECTOR_WIDTH_CHAR,
        CL_DEVICE_PREFERRED_VECTOR_WIDTH_SHORT,
        CL_DEVICE_PREFERRED_VECTOR_WIDTH_INT,
        CL_DEVICE_PREFERRED_VECTOR_WIDTH_LONG,
        CL_DEVICE_PREFERRED_VECTOR_WIDTH_FLOAT,
        CL_DEVICE_PREFERRED_VECTOR_WIDTH_DOUBLE,
        CL_DEVICE_NATIVE_VECTOR_WIDTH_CHAR,
        CL_DEVICE_NATIVE_VECTOR_WIDTH_SHORT,
        CL_DEVICE_NATIVE_VECTOR_WIDTH_INT,
        CL_DEVICE_NATIVE_VECTOR_WIDTH_LONG,
        CL_DEVICE_NATIVE_VECTOR_WIDTH_FLOAT,
        CL_DEVICE_NATIVE_VECTOR_WIDTH_DOUBLE,
    ];
    for name in WIDTHS {
        let width = info::<cl_uint>(cx, name)?;
        holds!(width.is_power_of_two() && width <= 64);
    }
    let extensions = query!(cx.clGetDeviceInfo(cx.device, CL_DEVICE_EXTENSIONS)).string()?;
    let half = extensions.contains("cl_khr_fp16");
    equal!(info::<cl_uint>(cx, CL_DEVICE_NATIVE_VECTOR_WIDTH_HALF)? != 0, half);
    if half {
        let config = info::<cl_ulong>(cx, CL_DEVICE_HALF_FP_CONFIG)?;
        holds!(config & CL_FP_INF_NAN != 0);
        holds!(config & (CL_FP_ROUND_TO_NEAREST | CL_FP_ROUND_TO_ZERO) != 0);
    }
    Ok(())
}

fn images_are_consistent(cx: &Ctx) -> Outcome {
    let images = info::<cl_bool>(cx, CL_DEVICE_IMAGE_SUPPORT)? != 0;
    for name in [
        CL_DEVICE_IMAGE2D_MAX_WIDTH,
        CL_DEVICE_IMAGE2D_MAX_HEIGHT,
        CL_DEVICE_IMAGE3D_MAX_WIDTH,
        CL_DEVICE_IMAGE3D_MAX_HEIGHT,
        CL_DEVICE_IMAGE3D_MAX_DEPTH,
        CL_DEVICE_IMAGE_MAX_BUFFER_SIZE,
        CL_DEVICE_IMAGE_MAX_ARRAY_SIZE,
    ] {
        equal!(info::<usize>(cx, name)? != 0, images);
    }
    for name in [CL_DEVICE_MAX_READ_IMAGE_ARGS, CL_DEVICE_MAX_WRITE_IMAGE_ARGS, CL_DEVICE_MAX_SAMPLERS] {
        equal!(info::<cl_uint>(cx, name)? != 0, images);
    }
    Ok(())
}

fn bool_type(cx: &Ctx) -> Outcome {
    for name in [
        CL_DEVICE_IMAGE_SUPPORT,
        CL_DEVICE_ERROR_CORRECTION_SUPPORT,
        CL_DEVICE_HOST_UNIFIED_MEMORY,
        CL_DEVICE_ENDIAN_LITTLE,
        CL_DEVICE_AVAILABLE,
        CL_DEVICE_COMPILER_AVAILABLE,
        CL_DEVICE_LINKER_AVAILABLE,
        CL_DEVICE_PREFERRED_INTEROP_USER_SYNC,
    ] {
        holds!(info::<cl_bool>(cx, name)? <= 1);
    }
    equal!(info::<cl_bool>(cx, CL_DEVICE_AVAILABLE)?, CL_TRUE);
    equal!(info::<cl_bool>(cx, CL_DEVICE_COMPILER_AVAILABLE)?, CL_TRUE);
    Ok(())
}

/// Returns the number of compute units, or skips the test if the device cannot be partitioned.
fn units(cx: &Ctx) -> Outcome<usize> {
    let units = info::<cl_uint>(cx, CL_DEVICE_PARTITION_MAX_SUB_DEVICES)?;
    if units < 2 {
        return Err(Failure::Skipped(String::from("one compute unit")));
    }
    equal!(units, info::<cl_uint>(cx, CL_DEVICE_MAX_COMPUTE_UNITS)?);
    Ok(units as usize)
}

/// Creates the sub-devices that a property list describes.
fn partition(cx: &Ctx, properties: &[isize]) -> Outcome<Vec<cl_device_id>> {
    let mut count = 0;
    ok!(cx.clCreateSubDevices(cx.device, properties.as_ptr(), 0, null_mut(), &mut count));
    let mut devices = vec![null_mut(); count as usize];
    ok!(cx.clCreateSubDevices(cx.device, properties.as_ptr(), count, devices.as_mut_ptr(), null_mut()));
    Ok(devices)
}

fn of<T: Copy>(cx: &Ctx, device: cl_device_id, name: cl_uint) -> Outcome<T> {
    query!(cx.clGetDeviceInfo(device, name)).value()
}

fn partition_equally(cx: &Ctx) -> Outcome {
    let units = units(cx)?;
    let properties = [EQUALLY, 1, 0];
    let devices = partition(cx, &properties)?;
    equal!(devices.len(), units);
    for &device in &devices {
        equal!(of::<cl_uint>(cx, device, CL_DEVICE_MAX_COMPUTE_UNITS)?, 1);
        equal!(of::<cl_device_id>(cx, device, CL_DEVICE_PARENT_DEVICE)?, cx.device);
        equal!(of::<cl_ulong>(cx, device, CL_DEVICE_TYPE)?, CL_DEVICE_TYPE_CPU);
        let kind = query!(cx.clGetDeviceInfo(device, CL_DEVICE_PARTITION_TYPE)).array::<isize>()?;
        equal!(&kind[..], &properties[..]);
        ok!(cx.clReleaseDevice(device));
    }
    Ok(())
}

fn partition_by_counts(cx: &Ctx) -> Outcome {
    units(cx)?;
    let properties = [BY_COUNTS, 1, 1, COUNTS_END, 0];
    let devices = partition(cx, &properties)?;
    equal!(devices.len(), 2);
    for &device in &devices {
        equal!(of::<cl_uint>(cx, device, CL_DEVICE_MAX_COMPUTE_UNITS)?, 1);
        let kind = query!(cx.clGetDeviceInfo(device, CL_DEVICE_PARTITION_TYPE)).array::<isize>()?;
        equal!(&kind[..], &properties[..]);
        ok!(cx.clReleaseDevice(device));
    }
    Ok(())
}

fn partition_of_partition(cx: &Ctx) -> Outcome {
    units(cx)?;
    let device = partition(cx, &[EQUALLY, 1, 0])?[0];
    // One compute unit cannot be partitioned.
    equal!(of::<cl_uint>(cx, device, CL_DEVICE_PARTITION_MAX_SUB_DEVICES)?, 0);
    let kinds = query!(cx.clGetDeviceInfo(device, CL_DEVICE_PARTITION_PROPERTIES)).array::<isize>()?;
    equal!(&kinds[..], &[0][..]);
    let mut count = 0;
    let list = [EQUALLY, 1, 0];
    fails!(
        CL_DEVICE_PARTITION_FAILED,
        cx.clCreateSubDevices(device, list.as_ptr(), 0, null_mut(), &mut count)
    );
    Ok(())
}

/// Partitions the device along a domain. This must succeed if the device supports the domain, and fail if not.
fn along(cx: &Ctx, domain: cl_ulong) -> Outcome {
    let supported = info::<cl_ulong>(cx, CL_DEVICE_PARTITION_AFFINITY_DOMAIN)?;
    let kinds = query!(cx.clGetDeviceInfo(cx.device, CL_DEVICE_PARTITION_PROPERTIES)).array::<isize>()?;
    equal!(kinds.contains(&BY_AFFINITY_DOMAIN), supported != 0);
    let list = [BY_AFFINITY_DOMAIN, domain as isize, 0];
    if supported & domain == 0 {
        let mut count = 0;
        fails!(CL_INVALID_VALUE, cx.clCreateSubDevices(cx.device, list.as_ptr(), 0, null_mut(), &mut count));
        return Err(Failure::Skipped(String::from("the machine is not divided like this")));
    }
    let devices = partition(cx, &list)?;
    holds!(devices.len() > 1);
    let mut units = 0;
    for &device in &devices {
        units += of::<cl_uint>(cx, device, CL_DEVICE_MAX_COMPUTE_UNITS)?;
        let kind = query!(cx.clGetDeviceInfo(device, CL_DEVICE_PARTITION_TYPE)).array::<isize>()?;
        equal!((kind.len(), kind[0], kind[2]), (3, BY_AFFINITY_DOMAIN, 0));
        // The next partitionable domain is reported by its own name.
        if domain == CL_DEVICE_AFFINITY_DOMAIN_NEXT_PARTITIONABLE {
            let used = kind[1] as cl_ulong;
            holds!(used != domain && used.is_power_of_two() && supported & used != 0);
        } else {
            equal!(kind[1], list[1]);
        }
        // A sub-device whose units share this domain cannot be partitioned along it.
        holds!(of::<cl_ulong>(cx, device, CL_DEVICE_PARTITION_AFFINITY_DOMAIN)? & kind[1] as cl_ulong == 0);
        ok!(cx.clReleaseDevice(device));
    }
    equal!(units, info::<cl_uint>(cx, CL_DEVICE_MAX_COMPUTE_UNITS)?);
    Ok(())
}

fn partition_by_affinity_domain_numa(cx: &Ctx) -> Outcome {
    along(cx, CL_DEVICE_AFFINITY_DOMAIN_NUMA)
}

fn partition_by_affinity_domain_l4_cache(cx: &Ctx) -> Outcome {
    along(cx, CL_DEVICE_AFFINITY_DOMAIN_L4_CACHE)
}

fn partition_by_affinity_domain_l3_cache(cx: &Ctx) -> Outcome {
    along(cx, CL_DEVICE_AFFINITY_DOMAIN_L3_CACHE)
}

fn partition_by_affinity_domain_l2_cache(cx: &Ctx) -> Outcome {
    along(cx, CL_DEVICE_AFFINITY_DOMAIN_L2_CACHE)
}

fn partition_by_affinity_domain_l1_cache(cx: &Ctx) -> Outcome {
    along(cx, CL_DEVICE_AFFINITY_DOMAIN_L1_CACHE)
}

fn partition_by_affinity_domain_next_partitionable(cx: &Ctx) -> Outcome {
    along(cx, CL_DEVICE_AFFINITY_DOMAIN_NEXT_PARTITIONABLE)
}

/// Tests one buffer with a queue on each sub-device, and a program that was built for the parent only.
fn partition_all(cx: &Ctx) -> Outcome {
    units(cx)?;
    let mut devices = partition(cx, &[EQUALLY, 1, 0])?;
    let parts = devices.len();
    devices.push(cx.device);
    let count = devices.len() as cl_uint;
    let context = make!(cx.clCreateContext(null(), count, devices.as_ptr(), None, null_mut()));
    let text = c_string("kernel void f(global uint *d) { d[get_global_id(0)] += get_local_size(0); }");
    let mut text = text.as_ptr();
    let program = make!(cx.clCreateProgramWithSource(context, 1, &mut text, null()));
    ok!(cx.clBuildProgram(program, 1, &cx.device, null(), None, null_mut()));
    let kernel = make!(cx.clCreateKernel(program, c_string("f").as_ptr()));
    let size = 4 << 16;
    let buffer = make!(cx.clCreateBuffer(context, CL_MEM_READ_WRITE, size, null_mut()));
    cx.arg(kernel, 0, buffer)?;
    let mut last: cl_event = null_mut();
    for round in 0..20 {
        for (i, &device) in devices.iter().enumerate() {
            let queue = make!(cx.clCreateCommandQueue(context, device, 0));
            if round == 0 && i == 0 {
                let pattern = [0u32; 1];
                let pattern = pattern.as_ptr().cast();
                ok!(cx.clEnqueueFillBuffer(queue, buffer, pattern, 4, 0, size, 0, null(), null_mut()));
            }
            let (global, local) = (1 << 16, 64);
            let (waits, list) = if last.is_null() { (0, null()) } else { (1, &raw const last) };
            let mut event = null_mut();
            ok!(cx.clEnqueueNDRangeKernel(
                queue,
                kernel,
                1,
                null(),
                &global,
                &local,
                waits,
                list,
                &mut event
            ));
            ok!(cx.clFlush(queue));
            last = event;
            ok!(cx.clReleaseCommandQueue(queue));
        }
    }
    let queue = make!(cx.clCreateCommandQueue(context, devices[parts - 1], 0));
    let mut back = vec![0u32; 1 << 16];
    ok!(cx.clEnqueueReadBuffer(queue, buffer, CL_TRUE, 0, size, raw(&mut back), 1, &last, null_mut()));
    holds!(back.iter().all(|&value| value as usize == 20 * 64 * (parts + 1)));
    Ok(())
}

fn sub_device_context(cx: &Ctx) -> Outcome {
    units(cx)?;
    let devices = partition(cx, &[EQUALLY, 1, 0])?;
    let count = devices.len() as cl_uint;
    let context = make!(cx.clCreateContext(null(), count, devices.as_ptr(), None, null_mut()));
    let found = query!(cx.clGetContextInfo(context, CL_CONTEXT_DEVICES)).array::<cl_device_id>()?;
    equal!(&found[..], &devices[..]);
    let queue = make!(cx.clCreateCommandQueue(context, devices[1], 0));
    equal!(query!(cx.clGetCommandQueueInfo(queue, CL_QUEUE_DEVICE)).value::<cl_device_id>()?, devices[1]);
    // The root device does not belong to this context.
    make_fails!(CL_INVALID_DEVICE, cx.clCreateCommandQueue(context, cx.device, 0));
    make_fails!(CL_INVALID_DEVICE, cx.clCreateCommandQueue(cx.context, devices[0], 0));
    let mut data = [1u32, 2, 3];
    let size = size_of_val(&data);
    let buffer = make!(cx.clCreateBuffer(context, CL_MEM_COPY_HOST_PTR, size, raw(&mut data)));
    let mut back = [0u32; 3];
    ok!(cx.clEnqueueReadBuffer(queue, buffer, CL_TRUE, 0, size, raw(&mut back), 0, null(), null_mut()));
    equal!(back, data);
    Ok(())
}

fn sub_device_life(cx: &Ctx) -> Outcome {
    units(cx)?;
    let devices = partition(cx, &[EQUALLY, 1, 0])?;
    let device = devices[0];
    equal!(of::<cl_uint>(cx, device, CL_DEVICE_REFERENCE_COUNT)?, 1);
    ok!(cx.clRetainDevice(device));
    equal!(of::<cl_uint>(cx, device, CL_DEVICE_REFERENCE_COUNT)?, 2);
    ok!(cx.clReleaseDevice(device));
    let context = make!(cx.clCreateContext(null(), 1, &device, None, null_mut()));
    equal!(of::<cl_uint>(cx, device, CL_DEVICE_REFERENCE_COUNT)?, 1);
    // The context still keeps the sub-device alive.
    ok!(cx.clReleaseDevice(device));
    equal!(of::<cl_device_id>(cx, device, CL_DEVICE_PARENT_DEVICE)?, cx.device);
    ok!(cx.clReleaseContext(context));
    if cx.is_vendor() {
        fails!(CL_INVALID_DEVICE, cx.clReleaseDevice(device));
    }
    // The root device has no reference count.
    ok!(cx.clRetainDevice(cx.device));
    ok!(cx.clReleaseDevice(cx.device));
    ok!(cx.clReleaseDevice(cx.device));
    equal!(info::<cl_uint>(cx, CL_DEVICE_REFERENCE_COUNT)?, 1);
    Ok(())
}

fn negative_create_sub_devices(cx: &Ctx) -> Outcome {
    let units = units(cx)?;
    let mut count = 0;
    let mut make =
        |list: &[isize]| cx.clCreateSubDevices(cx.device, list.as_ptr(), 0, null_mut(), &mut count);
    let all = units.cast_signed();
    fails!(CL_INVALID_VALUE, make(&[0]));
    fails!(CL_INVALID_VALUE, make(&[BY_AFFINITY_DOMAIN, 0, 0]));
    fails!(CL_INVALID_VALUE, make(&[BY_AFFINITY_DOMAIN, -1, 0]));
    fails!(CL_INVALID_VALUE, make(&[BY_AFFINITY_DOMAIN, 3, 0]));
    fails!(CL_INVALID_VALUE, make(&[BY_AFFINITY_DOMAIN, 32, BY_AFFINITY_DOMAIN, 32, 0]));
    fails!(CL_INVALID_VALUE, make(&[-1, 1, 0]));
    fails!(CL_INVALID_VALUE, make(&[EQUALLY, 0, 0]));
    fails!(CL_INVALID_VALUE, make(&[EQUALLY, -1, 0]));
    fails!(CL_INVALID_VALUE, make(&[EQUALLY, 1, EQUALLY, 1, 0]));
    fails!(CL_DEVICE_PARTITION_FAILED, make(&[EQUALLY, all, 0]));
    fails!(CL_INVALID_DEVICE_PARTITION_COUNT, make(&[EQUALLY, all + 1, 0]));
    let end = COUNTS_END;
    fails!(CL_INVALID_DEVICE_PARTITION_COUNT, make(&[BY_COUNTS, all, 1, end, 0]));
    fails!(CL_INVALID_DEVICE_PARTITION_COUNT, make(&[BY_COUNTS, -1, end, 0]));
    fails!(CL_INVALID_DEVICE_PARTITION_COUNT, make(&[BY_COUNTS, all + 1, end, 0]));
    fails!(CL_INVALID_VALUE, cx.clCreateSubDevices(cx.device, null(), 0, null_mut(), null_mut()));
    let list = [EQUALLY, 1, 0];
    fails!(CL_INVALID_DEVICE, cx.clCreateSubDevices(null_mut(), list.as_ptr(), 0, null_mut(), null_mut()));
    let mut one = null_mut();
    let short = cx.clCreateSubDevices(cx.device, list.as_ptr(), 1, &mut one, null_mut());
    fails!(CL_INVALID_VALUE, short);
    Ok(())
}

fn negative_retain_device(cx: &Ctx) -> Outcome {
    fails!(CL_INVALID_DEVICE, cx.clRetainDevice(null_mut()));
    fails!(CL_INVALID_DEVICE, cx.clRetainDevice(cx.queue));
    Ok(())
}

fn negative_release_device(cx: &Ctx) -> Outcome {
    fails!(CL_INVALID_DEVICE, cx.clReleaseDevice(null_mut()));
    fails!(CL_INVALID_DEVICE, cx.clReleaseDevice(cx.queue));
    Ok(())
}
