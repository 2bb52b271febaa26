//! Sub-groups (cl_khr_subgroups): what the host is told of them, and kernels that rely on it.

use std::ffi::c_void;
use std::ptr::null_mut;

use cl_sys::*;

use crate::check::{Failure, Outcome};
use crate::context::{Ctx, c_string};
use crate::{equal, fails, holds, make, ok, query, tests};

tests! {
    "test_subgroups":
        sub_groups_are_as_told, sub_groups_of_required_size, sub_groups_of_large_objects, sub_groups_wait_for_each_other,
        sub_groups_of_blocks, reservations_of_sub_groups, negative_sub_group_info;
}

const VERSION_2: &str = "-cl-std=CL2.0";
const MAX_SIZE_FOR_NDRANGE: cl_uint = 0x2033;
const COUNT_FOR_NDRANGE: cl_uint = 0x2034;

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
    // SAFETY: the extension declares it so.
    Ok(unsafe { std::mem::transmute::<*mut c_void, GetInfo>(found) })
}

/// Work-items of a sub-group, and sub-groups of a group of this size.
fn sub_groups(cx: &Ctx, kernel: cl_kernel, local: &[usize]) -> Outcome<[usize; 2]> {
    let get = get_info(cx)?;
    let mut answers = [0usize; 2];
    for (name, answer) in [MAX_SIZE_FOR_NDRANGE, COUNT_FOR_NDRANGE].into_iter().zip(&mut answers) {
        let mut written = 0;
        let to = std::ptr::from_mut(answer).cast();
        // SAFETY: the pointers are to what their sizes say.
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
    // Each place of each group is somebody's.
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

fn sub_groups_of_required_size(cx: &Ctx) -> Outcome {
    get_info(cx)?;
    for size in [4, 16] {
        let text = TELL.replace(
            "kernel void",
            &format!("__attribute__((intel_reqd_sub_group_size({size}))) kernel void"),
        );
        let kernel = cx.kernel_with(&text, VERSION_2, "tell")?;
        let told = tells(cx, kernel, &[80], &[40])?;
        // It is a wish here: nothing says that the device has that extension.
        holds!(told == size || told > 0);
        let attributes = query!(cx.clGetKernelInfo(kernel, CL_KERNEL_ATTRIBUTES)).string()?;
        equal!(attributes, format!("intel_reqd_sub_group_size({size})"));
    }
    Ok(())
}

/// Where items cannot be brought together sub-groups are smaller, and everybody knows.
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
    // CL_QUEUE_PROPERTIES: on the device, the default one, out of order.
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
    // Many at once: who has lost a race must not look again before all others have lost theirs.
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
        // SAFETY: the pointers are to what their sizes say, or null.
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
