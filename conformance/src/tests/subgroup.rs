//! Tests of sub-groups (cl_khr_subgroups): queries of the host, and kernels that depend on them.

use std::ffi::c_void;
use std::ptr::{null, null_mut};

use cl_sys::*;

use crate::check::{Failure, Outcome};
use crate::context::{Ctx, c_string};
use crate::{equal, fails, holds, make, ok, query, query_fails, tests};

tests! {
    "test_subgroups":
        sub_groups_are_as_told, sub_groups_of_required_size, sub_groups_of_impossible_size, sub_groups_of_wanted_size,
        groups_of_sub_groups, sub_groups_of_large_objects, sub_groups_wait_for_each_other,
        sub_groups_of_blocks, reservations_of_sub_groups, negative_sub_group_info;
}

const VERSION_2: &str = "-cl-std=CL2.0";
const MAX_SIZE_FOR_NDRANGE: cl_uint = 0x2033;
const COUNT_FOR_NDRANGE: cl_uint = 0x2034;
// cl_intel_required_subgroup_size
const SUB_GROUP_SIZES: cl_uint = 0x4108;
const SPILL_MEM_SIZE: cl_uint = 0x4109;
const COMPILE_SIZE: cl_uint = 0x410A;

type GetInfo = unsafe extern "C" fn(
    cl_kernel,
    cl_device_id,
    cl_uint,
    usize,
    *const c_void,
    usize,
    *mut c_void,
    *mut usize,
) -> cl_int;

fn get_info(cx: &Ctx) -> Outcome<GetInfo> {
    let all = query!(cx.clGetDeviceInfo(cx.device, CL_DEVICE_EXTENSIONS)).string()?;
    if !all.split(' ').any(|name| name == "cl_khr_subgroups") {
        return Err(Failure::Skipped("no cl_khr_subgroups".into()));
    }
    let name = c_string("clGetKernelSubGroupInfoKHR");
    let found = cx.clGetExtensionFunctionAddressForPlatform(cx.platform, name.as_ptr());
    holds!(!found.is_null());
    // SAFETY: the extension gives this function this type.
    Ok(unsafe { std::mem::transmute::<*mut c_void, GetInfo>(found) })
}

/// Returns the number of work-items of a sub-group, and the number of sub-groups of a work-group of this size.
fn sub_groups(cx: &Ctx, kernel: cl_kernel, local: &[usize]) -> Outcome<[usize; 2]> {
    let get = get_info(cx)?;
    let mut answers = [0usize; 2];
    for (name, answer) in [MAX_SIZE_FOR_NDRANGE, COUNT_FOR_NDRANGE].into_iter().zip(&mut answers) {
        let mut written = 0;
        let to = std::ptr::from_mut(answer).cast();
        // SAFETY: the pointers are valid for the sizes that are passed.
        let code = unsafe {
            get(kernel, cx.device, name, size_of_val(local), local.as_ptr().cast(), 8, to, &mut written)
        };
        equal!(code, CL_SUCCESS);
        equal!(written, 8);
    }
    Ok(answers)
}

const TELL: &str = "
    kernel void tell(global uint *out)
    {
        uint i = get_global_linear_id();
        out[4 * i] = get_max_sub_group_size();
        out[4 * i + 1] = get_num_sub_groups();
        out[4 * i + 2] = get_sub_group_id() * get_max_sub_group_size() + get_sub_group_local_id();
        out[4 * i + 3] = sub_group_reduce_add(1u) == get_sub_group_size();
    }";

fn tells(cx: &Ctx, kernel: cl_kernel, global: &[usize], local: &[usize]) -> Outcome<usize> {
    let items: usize = global.iter().product();
    let out = cx.buffer(&vec![0 as cl_uint; 4 * items])?;
    cx.arg(kernel, 0, out)?;
    ok!(cx.clEnqueueNDRangeKernel(
        cx.queue,
        kernel,
        global.len() as cl_uint,
        std::ptr::null(),
        global.as_ptr(),
        local.as_ptr(),
        0,
        std::ptr::null(),
        null_mut()
    ));
    let [size, count] = sub_groups(cx, kernel, local)?;
    equal!(count, local.iter().product::<usize>().div_ceil(size));
    let mut places = vec![0usize; local.iter().product()];
    for told in cx.contents::<cl_uint>(out, 4 * items)?.chunks(4) {
        equal!((told[0] as usize, told[1] as usize, told[3]), (size, count, 1));
        places[told[2] as usize] += 1;
    }
    // Each position in each sub-group occurs equally often.
    holds!(places.iter().all(|&times| times == items / places.len()));
    Ok(size)
}

fn sub_groups_are_as_told(cx: &Ctx) -> Outcome {
    get_info(cx)?;
    let kernel = cx.kernel_with(TELL, VERSION_2, "tell")?;
    for local in [1, 3, 8, 21, 64, 100] {
        tells(cx, kernel, &[3 * local], &[local])?;
    }
    tells(cx, kernel, &[10, 9], &[5, 3])?;
    tells(cx, kernel, &[8, 8, 2], &[4, 2, 2])?;
    tells(cx, kernel, &[32, 4], &[16, 4])?;
    Ok(())
}

/// Returns CL_DEVICE_SUB_GROUP_SIZES_INTEL, or skips the test without cl_intel_required_subgroup_size.
fn sub_group_sizes(cx: &Ctx) -> Outcome<Vec<usize>> {
    get_info(cx)?;
    let all = query!(cx.clGetDeviceInfo(cx.device, CL_DEVICE_EXTENSIONS)).string()?;
    if !all.split(' ').any(|name| name == "cl_intel_required_subgroup_size") {
        return Err(Failure::Skipped("no cl_intel_required_subgroup_size".into()));
    }
    query!(cx.clGetDeviceInfo(cx.device, SUB_GROUP_SIZES)).array()
}

/// Returns the kernel of [`TELL`] with the attribute for a required size.
fn required(size: usize, text: &str) -> String {
    text.replace("kernel void", &format!("__attribute__((intel_reqd_sub_group_size({size}))) kernel void"))
}

/// Returns CL_KERNEL_COMPILE_SUB_GROUP_SIZE_INTEL, and checks that both query functions agree.
fn compile_size(cx: &Ctx, kernel: cl_kernel) -> Outcome<usize> {
    let get = get_info(cx)?;
    let (mut size, mut written) = (usize::MAX, 0);
    let to = std::ptr::from_mut(&mut size).cast();
    // The input is ignored.
    for input in [null(), std::ptr::from_ref(&7usize).cast()] {
        // SAFETY: the pointers are valid for the sizes that are passed, or null.
        let code = unsafe { get(kernel, cx.device, COMPILE_SIZE, 0, input, 8, to, &mut written) };
        equal!(code, CL_SUCCESS);
        equal!(written, 8);
        // SAFETY: the pointers are valid for the sizes that are passed, or null.
        let code = unsafe { get(kernel, cx.device, COMPILE_SIZE, 0, input, 7, to, null_mut()) };
        equal!(code, CL_INVALID_VALUE);
    }
    Ok(size)
}

fn sub_groups_of_required_size(cx: &Ctx) -> Outcome {
    let sizes = sub_group_sizes(cx)?;
    holds!(sizes.contains(&8) && sizes.iter().all(|size| size.is_power_of_two()));
    let kernel = cx.kernel_with(TELL, VERSION_2, "tell")?;
    equal!(compile_size(cx, kernel)?, 0);
    for size in sizes {
        let text = format!(
            "#ifndef cl_intel_required_subgroup_size
            #error no macro
            #endif
            #pragma OPENCL EXTENSION cl_intel_required_subgroup_size : enable
            {}",
            required(size, TELL)
        );
        let kernel = cx.kernel_with(&text, VERSION_2, "tell")?;
        equal!(tells(cx, kernel, &[80], &[40])?, size);
        equal!(tells(cx, kernel, &[300], &[150])?, size);
        equal!(tells(cx, kernel, &[12, 16], &[6, 16])?, size);
        equal!(compile_size(cx, kernel)?, size);
        let attributes = query!(cx.clGetKernelInfo(kernel, CL_KERNEL_ATTRIBUTES)).string()?;
        equal!(attributes, format!("intel_reqd_sub_group_size({size})"));
        // The size of spilled registers may be any number of bytes.
        let spilled = query!(cx.clGetKernelWorkGroupInfo(kernel, cx.device, SPILL_MEM_SIZE));
        spilled.value::<cl_ulong>()?;
        query_fails!(CL_INVALID_DEVICE, cx.clGetKernelWorkGroupInfo(kernel, cx.queue.cast(), SPILL_MEM_SIZE));
    }
    Ok(())
}

/// Checks that a program does not build if the size that the attribute requires is impossible.
fn sub_groups_of_impossible_size(cx: &Ctx) -> Outcome {
    let sizes = sub_group_sizes(cx)?;
    let fails = |text: &str| -> Outcome {
        let program = cx.source(text)?;
        let options = c_string(VERSION_2);
        let code = cx.clBuildProgram(program, 1, &cx.device, options.as_ptr(), None, null_mut());
        equal!(code, CL_BUILD_PROGRAM_FAILURE);
        let log = query!(cx.clGetProgramBuildInfo(program, cx.device, CL_PROGRAM_BUILD_LOG)).string()?;
        holds!(!log.is_empty());
        Ok(())
    };
    let most = sizes.iter().copied().max().unwrap_or(1);
    for size in [0, 3, 2 * most] {
        fails(&required(size, TELL))?;
    }
    // Private objects that are too large for vectorization: the kernel builds without sub-group functions, and must
    // not build with them.
    let large = "
        kernel void k(global uint *out)
        {
            uint room[50000];
            for (uint j = 0; j < 50000; ++j)
                room[j] = j * out[j];
            out[get_global_id(0)] = WHAT(room[out[7]]);
        }";
    let text = required(8, large);
    cx.program_with(&text, "-cl-std=CL2.0 -DWHAT=")?;
    fails(&text.replace("WHAT", "sub_group_reduce_add"))
}

/// Tests `GRUS_SUB_GROUP_SIZE`, which sets the sub-group size of kernels that require none. It does not affect
/// kernels with a required size.
fn sub_groups_of_wanted_size(cx: &Ctx) -> Outcome {
    let wanted = std::env::var("GRUS_SUB_GROUP_SIZE").ok().and_then(|size| size.parse::<usize>().ok());
    let Some(wanted) = wanted else {
        return Err(Failure::Skipped("no size is asked for".into()));
    };
    let kernel = cx.kernel_with(TELL, VERSION_2, "tell")?;
    equal!(tells(cx, kernel, &[80], &[40])?, wanted);
    equal!(compile_size(cx, kernel)?, 0);
    let kernel = cx.kernel_with(&required(16, TELL), VERSION_2, "tell")?;
    equal!(tells(cx, kernel, &[80], &[40])?, 16);
    equal!(compile_size(cx, kernel)?, 16);
    Ok(())
}

/// Tests that the maximum work-group size of kernels that use sub-groups may be smaller than that of others.
fn groups_of_sub_groups(cx: &Ctx) -> Outcome {
    get_info(cx)?;
    let plain = cx.kernel("kernel void k(global int *a) { a[get_global_id(0)] = 1; }", "k")?;
    let kernel = cx.kernel_with(TELL, VERSION_2, "tell")?;
    let most = |kernel| {
        query!(cx.clGetKernelWorkGroupInfo(kernel, cx.device, CL_KERNEL_WORK_GROUP_SIZE)).value::<usize>()
    };
    let (of_plain, of_sub_groups) = (most(plain)?, most(kernel)?);
    holds!((1..=of_plain).contains(&of_sub_groups));
    tells(cx, kernel, &[2 * of_sub_groups], &[of_sub_groups])?;
    let too_many = 2 * of_sub_groups;
    let code = cx.clEnqueueNDRangeKernel(
        cx.queue,
        kernel,
        1,
        std::ptr::null(),
        &too_many,
        &too_many,
        0,
        std::ptr::null(),
        null_mut(),
    );
    equal!(code, CL_INVALID_WORK_GROUP_SIZE);
    // The limit also applies to work-group sizes that the implementation chooses.
    let out = cx.buffer(&vec![0 as cl_uint; 4 * 8 * of_plain])?;
    cx.arg(kernel, 0, out)?;
    cx.launch(kernel, 8 * of_plain, None)?;
    let told = cx.contents::<cl_uint>(out, 2)?;
    holds!((told[0] * told[1]) as usize <= of_sub_groups);
    // A required work-group size is supported nevertheless.
    let text = format!("__attribute__((reqd_work_group_size({of_plain}, 1, 1))) {}", TELL.trim());
    let kernel = cx.kernel_with(&text, VERSION_2, "tell")?;
    equal!(most(kernel)?, of_plain);
    tells(cx, kernel, &[of_plain], &[of_plain])?;
    Ok(())
}

/// Tests that sub-groups are smaller where work-items cannot be vectorized, and that all queries report it.
fn sub_groups_of_large_objects(cx: &Ctx) -> Outcome {
    get_info(cx)?;
    let source = "
        kernel void tell(global uint *out)
        {
            uint i = get_global_linear_id();
            uint room[50000];
            for (uint j = 0; j < 50000; ++j)
                room[j] = j * i;
            out[4 * i] = get_max_sub_group_size();
            out[4 * i + 1] = get_num_sub_groups();
            out[4 * i + 2] = get_sub_group_id() * get_max_sub_group_size() + get_sub_group_local_id();
            out[4 * i + 3] = sub_group_reduce_add(room[i * 7] == i * 7 * i) == get_sub_group_size();
        }";
    let kernel = cx.kernel_with(source, VERSION_2, "tell")?;
    tells(cx, kernel, &[40], &[20])?;
    Ok(())
}

fn sub_groups_wait_for_each_other(cx: &Ctx) -> Outcome {
    get_info(cx)?;
    let source = "
        kernel void wait(global int *out, int rounds)
        {
            local atomic_int turn;
            if (get_local_id(0) == 0)
                atomic_init(&turn, 0);
            barrier(CLK_LOCAL_MEM_FENCE);
            int groups = get_num_sub_groups(), mine = groups - 1 - (int)get_sub_group_id(), sum = 0;
            for (int round = 0; round < rounds; ++round) {
                if (get_sub_group_local_id() == 0)
                    while (atomic_load(&turn) != round * groups + mine)
                        ;
                sum += sub_group_reduce_add(round + 1);
                if (get_sub_group_local_id() == 0)
                    atomic_store(&turn, round * groups + mine + 1);
            }
            out[get_global_id(0)] = sum / (int)get_sub_group_size();
        }";
    let kernel = cx.kernel_with(source, VERSION_2, "wait")?;
    let (global, local) = (400, 50);
    let out = cx.buffer(&vec![0 as cl_int; global])?;
    cx.arg(kernel, 0, out)?;
    cx.arg(kernel, 1, 20 as cl_int)?;
    cx.launch(kernel, global, Some(local))?;
    equal!(cx.contents::<cl_int>(out, global)?, vec![210; global]);
    Ok(())
}

fn sub_groups_of_blocks(cx: &Ctx) -> Outcome {
    get_info(cx)?;
    let queues = query!(cx.clGetDeviceInfo(cx.device, CL_DEVICE_MAX_ON_DEVICE_QUEUES)).value::<cl_uint>()?;
    if queues == 0 {
        return Err(Failure::Skipped("the device has no queues of its own".into()));
    }
    // CL_QUEUE_PROPERTIES: the default queue on the device, out of order.
    let list: [u64; 3] = [0x1093, 1 << 2 | 1 << 3 | CL_QUEUE_OUT_OF_ORDER_EXEC_MODE_ENABLE, 0];
    make!(cx.clCreateCommandQueueWithProperties(cx.context, cx.device, list.as_ptr()));
    let source = "
        kernel void k(global uint *out)
        {
            void (^block)(void) = ^{
                size_t i = get_global_id(0);
                out[2 + 2 * i] = get_max_sub_group_size();
                out[3 + 2 * i] = get_num_sub_groups();
            };
            ndrange_t range = ndrange_1D(40, 20);
            out[0] = get_kernel_max_sub_group_size_for_ndrange(range, block);
            out[1] = get_kernel_sub_group_count_for_ndrange(range, block);
            enqueue_kernel(get_default_queue(), CLK_ENQUEUE_FLAGS_WAIT_KERNEL, range, block);
        }";
    let kernel = cx.kernel_with(source, VERSION_2, "k")?;
    let out = cx.buffer(&[0 as cl_uint; 82])?;
    cx.arg(kernel, 0, out)?;
    cx.launch(kernel, 1, None)?;
    let told = cx.contents::<cl_uint>(out, 82)?;
    holds!(told[0] > 0 && told[1] == 20_u32.div_ceil(told[0]));
    holds!(told.chunks(2).all(|pair| pair == &told[..2]));
    Ok(())
}

fn reservations_of_sub_groups(cx: &Ctx) -> Outcome {
    const ITEMS: usize = 3000;
    get_info(cx)?;
    let source = "
        kernel void put(write_only pipe uint2 p)
        {
            uint n = get_sub_group_size(), i = get_sub_group_local_id();
            reserve_id_t id = sub_group_reserve_write_pipe(p, n);
            if (is_valid_reserve_id(id)) {
                uint2 packet = (uint2)(get_global_id(0), i);
                write_pipe(p, id, i, &packet);
                sub_group_commit_write_pipe(p, id);
            }
        }
        kernel void take(read_only pipe uint2 p, global uint2 *out)
        {
            uint n = get_sub_group_size(), i = get_sub_group_local_id();
            reserve_id_t id = sub_group_reserve_read_pipe(p, n);
            if (is_valid_reserve_id(id)) {
                read_pipe(p, id, i, out + get_global_id(0));
                sub_group_commit_read_pipe(p, id);
            }
        }";
    let program = cx.program_with(source, VERSION_2)?;
    let pipe = make!(cx.clCreatePipe(cx.context, CL_MEM_HOST_NO_ACCESS, 8, 4096, std::ptr::null()));
    let out = cx.buffer(&vec![u64::MAX; ITEMS])?;
    let [put, take] = [c"put", c"take"].map(|name| {
        let mut code = 0;
        cx.clCreateKernel(program, name.as_ptr(), &mut code)
    });
    cx.arg(put, 0, pipe)?;
    cx.arg(take, 0, pipe)?;
    cx.arg(take, 1, out)?;
    // Many concurrent reservations: a sub-group that fails to update the pipe's state must retry until it succeeds,
    // although all others compete with it.
    cx.launch(put, ITEMS, Some(1000))?;
    cx.launch(take, ITEMS, Some(1000))?;
    let mut ids: Vec<u64> =
        cx.contents::<u64>(out, ITEMS)?.iter().map(|packet| packet & 0xffff_ffff).collect();
    ids.sort_unstable();
    equal!(ids, (0..ITEMS as u64).collect::<Vec<u64>>());
    Ok(())
}

fn negative_sub_group_info(cx: &Ctx) -> Outcome {
    let get = get_info(cx)?;
    let kernel = cx.kernel_with(TELL, VERSION_2, "tell")?;
    let (local, mut answer) = ([4usize; 4], 0usize);
    let mut ask = |kernel, device, name, bytes: usize, from: *const usize, room: usize| {
        // SAFETY: the pointers are valid for the sizes that are passed, or null.
        unsafe {
            get(
                kernel,
                device,
                name,
                bytes,
                from.cast(),
                room,
                std::ptr::from_mut(&mut answer).cast(),
                null_mut(),
            )
        }
    };
    let from = local.as_ptr();
    fails!(CL_INVALID_KERNEL, ask(null_mut(), cx.device, COUNT_FOR_NDRANGE, 8, from, 8));
    fails!(CL_INVALID_DEVICE, ask(kernel, cx.queue.cast(), COUNT_FOR_NDRANGE, 8, from, 8));
    for bytes in [0, 4, 12, 32] {
        fails!(CL_INVALID_VALUE, ask(kernel, cx.device, COUNT_FOR_NDRANGE, bytes, from, 8));
        fails!(CL_INVALID_VALUE, ask(kernel, cx.device, MAX_SIZE_FOR_NDRANGE, bytes, from, 8));
    }
    fails!(CL_INVALID_VALUE, ask(kernel, cx.device, COUNT_FOR_NDRANGE, 8, std::ptr::null(), 8));
    fails!(CL_INVALID_VALUE, ask(kernel, cx.device, COUNT_FOR_NDRANGE, 8, from, 4));
    fails!(CL_INVALID_VALUE, ask(kernel, cx.device, 0x2036, 8, from, 8));
    Ok(())
}
