//! Tests of the error codes of cl_intel_unified_shared_memory.

use std::ffi::c_void;
use std::ptr::{null, null_mut, without_provenance_mut};

use cl_sys::*;

use super::usm::{
    Allocation, INDIRECT_ACCESS, KINDS, Kind, MEM_ALLOC_FLAGS, MEM_ALLOC_TYPE, PLACEMENT_DEVICE,
    PLACEMENT_HOST, USM_PTRS, WRITE_COMBINED, usm,
};
use crate::api::Usm;
use crate::check::Outcome;
use crate::context::{Ctx, raw};
use crate::{equal, fails, holds, make, make_fails, ok, query, query_fails, tests};

tests! {
    "test_usm":
        usm_negative_allocations, usm_negative_properties, usm_memory_runs_out, usm_negative_free, usm_negative_queries,
        usm_negative_set_kernel_arg, usm_negative_exec_info, usm_negative_enqueue, usm_negative_fill,
        usm_negative_copy, usm_negative_hints;
}

/// Checks that an allocation of this kind fails with a code.
fn fails_to_allocate(
    at: (&Ctx, &Usm),
    kind: Kind,
    properties: &[cl_ulong],
    (size, alignment): (usize, cl_uint),
    wanted: cl_int,
) -> Outcome {
    let mut code = 1;
    holds!(kind.allocate(at, properties.as_ptr(), size, alignment, &mut code).is_null());
    equal!((kind, size, alignment, code), (kind, size, alignment, wanted));
    holds!(kind.allocate(at, properties.as_ptr(), size, alignment, null_mut()).is_null());
    Ok(())
}

fn usm_negative_allocations(cx: &Ctx) -> Outcome {
    let usm = usm(cx)?;
    let most = query!(cx.clGetDeviceInfo(cx.device, CL_DEVICE_MAX_MEM_ALLOC_SIZE)).value::<cl_ulong>()?;
    for kind in KINDS {
        for size in [0, most as usize + 1, usize::MAX] {
            fails_to_allocate((cx, &usm), kind, &[0], (size, 0), CL_INVALID_BUFFER_SIZE)?;
        }
        // Not a power of two, or too large.
        for alignment in [3, 24, 127, 129, 4095, 4097, 1 << 22, 1 << 31, cl_uint::MAX] {
            fails_to_allocate((cx, &usm), kind, &[0], (64, alignment), CL_INVALID_VALUE)?;
        }
    }
    let device = cx.device;
    for context in [null_mut(), cx.queue, cx.device] {
        make_fails!(CL_INVALID_CONTEXT, usm.clHostMemAllocINTEL(context, null(), 64, 0));
        make_fails!(CL_INVALID_CONTEXT, usm.clDeviceMemAllocINTEL(context, device, null(), 64, 0));
        make_fails!(CL_INVALID_CONTEXT, usm.clSharedMemAllocINTEL(context, device, null(), 64, 0));
        make_fails!(CL_INVALID_CONTEXT, usm.clSharedMemAllocINTEL(context, null_mut(), null(), 64, 0));
    }
    let context = cx.context;
    for device in [cx.queue, cx.platform, without_provenance_mut(64)] {
        make_fails!(CL_INVALID_DEVICE, usm.clDeviceMemAllocINTEL(context, device, null(), 64, 0));
        make_fails!(CL_INVALID_DEVICE, usm.clSharedMemAllocINTEL(context, device, null(), 64, 0));
    }
    make_fails!(CL_INVALID_DEVICE, usm.clDeviceMemAllocINTEL(context, null_mut(), null(), 64, 0));
    Ok(())
}

fn usm_negative_properties(cx: &Ctx) -> Outcome {
    let usm = usm(cx)?;
    let flags = MEM_ALLOC_FLAGS;
    let bad: [&[cl_ulong]; 7] = [
        &[flags, 1 << 3, 0],
        &[flags, 1 << 63 | WRITE_COMBINED, 0],
        &[flags, PLACEMENT_DEVICE | PLACEMENT_HOST, 0],
        &[flags, WRITE_COMBINED, flags, WRITE_COMBINED, 0],
        &[flags, 0, flags, 0, 0],
        &[flags + 1, 0, 0],
        &[flags, 0, 1, 0, 0],
    ];
    for kind in KINDS {
        for list in bad {
            fails_to_allocate((cx, &usm), kind, list, (64, 0), CL_INVALID_PROPERTY)?;
        }
    }
    for kind in [Kind::Host, Kind::Device] {
        for placement in [PLACEMENT_DEVICE, PLACEMENT_HOST, PLACEMENT_HOST | WRITE_COMBINED] {
            fails_to_allocate((cx, &usm), kind, &[flags, placement, 0], (64, 0), CL_INVALID_PROPERTY)?;
        }
    }
    Ok(())
}

/// Allocates as much as the device has. The memory is never touched, so this takes none.
fn usm_memory_runs_out(cx: &Ctx) -> Outcome {
    let usm = usm(cx)?;
    let most = query!(cx.clGetDeviceInfo(cx.device, CL_DEVICE_MAX_MEM_ALLOC_SIZE)).value::<cl_ulong>()?;
    for kind in KINDS {
        let mut made = Vec::new();
        let mut code = CL_SUCCESS;
        // An implementation may promise more memory than there is.
        while code == CL_SUCCESS && made.len() < 4 {
            let base = kind.allocate((cx, &usm), null(), most as usize, 0, &mut code);
            holds!(base.is_null() == (code != CL_SUCCESS));
            made.extend((!base.is_null()).then_some(base));
        }
        holds!([CL_SUCCESS, CL_OUT_OF_RESOURCES, CL_OUT_OF_HOST_MEMORY].contains(&code));
        for base in made {
            ok!(usm.clMemFreeINTEL(cx.context, base));
        }
        // What was freed is there again.
        let base = kind.allocate((cx, &usm), null(), 1 << 20, 0, &mut code);
        equal!(code, CL_SUCCESS);
        ok!(usm.clMemFreeINTEL(cx.context, base));
    }
    Ok(())
}

fn usm_negative_free(cx: &Ctx) -> Outcome {
    let usm = usm(cx)?;
    let free = |context, pointer: *mut c_void, is_blocking: bool| {
        if is_blocking {
            usm.clMemBlockingFreeINTEL(context, pointer)
        } else {
            usm.clMemFreeINTEL(context, pointer)
        }
    };
    let svm = cx.clSVMAlloc(cx.context, CL_MEM_READ_WRITE, 64, 0);
    let mut local = [0u8; 64];
    let other = cx.sibling()?;
    for is_blocking in [false, true] {
        for kind in KINDS {
            let memory = Allocation::<u8>::new(cx, &usm, kind, 64)?;
            for pointer in [memory.at(1), memory.at(63), raw(&mut local), svm, without_provenance_mut(64)] {
                fails!(CL_INVALID_VALUE, free(cx.context, pointer, is_blocking));
            }
            fails!(CL_INVALID_VALUE, free(other.context, memory.at(0), is_blocking));
            for context in [null_mut(), cx.queue] {
                fails!(CL_INVALID_CONTEXT, free(context, memory.at(0), is_blocking));
                fails!(CL_INVALID_CONTEXT, free(context, null_mut(), is_blocking));
            }
            // It is no shared virtual memory, so this has no effect.
            cx.clSVMFree(cx.context, memory.at(0));
            ok!(free(cx.context, memory.at(0), is_blocking));
            fails!(CL_INVALID_VALUE, free(cx.context, memory.at(0), is_blocking));
        }
    }
    cx.clSVMFree(cx.context, svm);
    Ok(())
}

fn usm_negative_queries(cx: &Ctx) -> Outcome {
    let usm = usm(cx)?;
    let memory = Allocation::<u8>::new(cx, &usm, Kind::Shared, 64)?;
    let mut local = [0u8; 64];
    for pointer in [memory.at(0), raw(&mut local), null_mut()] {
        for name in [0, 0x4194, 0x4196, 0x419E, cl_uint::MAX] {
            query_fails!(CL_INVALID_VALUE, usm.clGetMemAllocInfoINTEL(cx.context, pointer, name));
        }
        query_fails!(CL_INVALID_CONTEXT, usm.clGetMemAllocInfoINTEL(null_mut(), pointer, MEM_ALLOC_TYPE));
        query_fails!(CL_INVALID_CONTEXT, usm.clGetMemAllocInfoINTEL(cx.queue, pointer, MEM_ALLOC_TYPE));
        let mut value = 0u32;
        let to = (&raw mut value).cast();
        let short = usm.clGetMemAllocInfoINTEL(cx.context, pointer, MEM_ALLOC_TYPE, 3, to, null_mut());
        fails!(CL_INVALID_VALUE, short);
        ok!(usm.clGetMemAllocInfoINTEL(cx.context, pointer, MEM_ALLOC_TYPE, 0, null_mut(), null_mut()));
    }
    ok!(usm.clMemFreeINTEL(cx.context, memory.at(0)));
    Ok(())
}

fn usm_negative_set_kernel_arg(cx: &Ctx) -> Outcome {
    let usm = usm(cx)?;
    let memory = Allocation::<i32>::new(cx, &usm, Kind::Device, 8)?;
    let source = "kernel void k(global int *a, constant int *b, local int *c, int d) { a[0] = b[0] + d; }";
    let kernel = cx.kernel(source, "k")?;
    let pointer = memory.at(0);
    // Any pointer is valid.
    for valid in [pointer, memory.at(3), null_mut(), without_provenance_mut(1)] {
        ok!(usm.clSetKernelArgMemPointerINTEL(kernel, 0, valid));
        ok!(usm.clSetKernelArgMemPointerINTEL(kernel, 1, valid));
    }
    fails!(CL_INVALID_ARG_VALUE, usm.clSetKernelArgMemPointerINTEL(kernel, 2, pointer));
    fails!(CL_INVALID_ARG_VALUE, usm.clSetKernelArgMemPointerINTEL(kernel, 3, pointer));
    fails!(CL_INVALID_ARG_INDEX, usm.clSetKernelArgMemPointerINTEL(kernel, 4, pointer));
    fails!(CL_INVALID_ARG_INDEX, usm.clSetKernelArgMemPointerINTEL(kernel, cl_uint::MAX, pointer));
    fails!(CL_INVALID_KERNEL, usm.clSetKernelArgMemPointerINTEL(null_mut(), 0, pointer));
    fails!(CL_INVALID_KERNEL, usm.clSetKernelArgMemPointerINTEL(cx.queue, 0, pointer));
    // The failed calls have not set the arguments.
    let global = 1usize;
    fails!(
        CL_INVALID_KERNEL_ARGS,
        cx.clEnqueueNDRangeKernel(cx.queue, kernel, 1, null(), &global, null(), 0, null(), null_mut())
    );
    ok!(usm.clMemFreeINTEL(cx.context, pointer));
    Ok(())
}

fn usm_negative_exec_info(cx: &Ctx) -> Outcome {
    usm(cx)?;
    let kernel = cx.kernel("kernel void k(global int *a) { *a = 1; }", "k")?;
    let word = size_of::<*mut c_void>();
    // Any pointers are valid, and so is the empty set.
    let pointers = [null_mut(), without_provenance_mut::<c_void>(1)];
    let from = pointers.as_ptr().cast();
    ok!(cx.clSetKernelExecInfo(kernel, USM_PTRS, 2 * word, from));
    ok!(cx.clSetKernelExecInfo(kernel, USM_PTRS, 0, null()));
    fails!(CL_INVALID_VALUE, cx.clSetKernelExecInfo(kernel, USM_PTRS, word, null()));
    fails!(CL_INVALID_VALUE, cx.clSetKernelExecInfo(kernel, USM_PTRS, word - 1, from));
    fails!(CL_INVALID_VALUE, cx.clSetKernelExecInfo(kernel, USM_PTRS + 1, word, from));
    fails!(CL_INVALID_KERNEL, cx.clSetKernelExecInfo(null_mut(), USM_PTRS, word, from));
    for name in INDIRECT_ACCESS {
        for truth in [CL_TRUE, CL_FALSE] {
            let value = (&raw const truth).cast();
            ok!(cx.clSetKernelExecInfo(kernel, name, size_of::<cl_bool>(), value));
            for size in [0, 1, 8] {
                fails!(CL_INVALID_VALUE, cx.clSetKernelExecInfo(kernel, name, size, value));
            }
        }
        fails!(CL_INVALID_VALUE, cx.clSetKernelExecInfo(kernel, name, size_of::<cl_bool>(), null()));
    }
    Ok(())
}

fn usm_negative_enqueue(cx: &Ctx) -> Outcome {
    let usm = usm(cx)?;
    let memory = Allocation::<u8>::new(cx, &usm, Kind::Shared, 256)?;
    let (pointer, next) = (memory.at(0), memory.at(128));
    let other = make!(cx.clCreateContext(null(), 1, &cx.device, None, null_mut()));
    let foreign = make!(cx.clCreateUserEvent(other));
    let call = |queue, count: cl_uint, list: *const cl_event, which: usize| match which {
        0 => usm.clEnqueueMemcpyINTEL(queue, CL_TRUE, pointer, next, 1, count, list, null_mut()),
        1 => usm.clEnqueueMemFillINTEL(queue, pointer, next, 1, 1, count, list, null_mut()),
        2 => usm.clEnqueueMemsetINTEL(queue, pointer, 0, 1, count, list, null_mut()),
        3 => usm.clEnqueueMigrateMemINTEL(queue, pointer, 1, 1, count, list, null_mut()),
        _ => usm.clEnqueueMemAdviseINTEL(queue, pointer, 1, 0, count, list, null_mut()),
    };
    let properties =
        [cl_ulong::from(CL_QUEUE_PROPERTIES), CL_QUEUE_ON_DEVICE | CL_QUEUE_OUT_OF_ORDER_EXEC_MODE_ENABLE, 0];
    let on_device = make!(cx.clCreateCommandQueueWithProperties(cx.context, cx.device, properties.as_ptr()));
    for which in 0..5 {
        ok!(call(cx.queue, 0, null(), which));
        fails!(CL_INVALID_COMMAND_QUEUE, call(null_mut(), 0, null(), which));
        fails!(CL_INVALID_COMMAND_QUEUE, call(cx.context, 0, null(), which));
        fails!(CL_INVALID_COMMAND_QUEUE, call(on_device, 0, null(), which));
        fails!(CL_INVALID_EVENT_WAIT_LIST, call(cx.queue, 1, null(), which));
        fails!(CL_INVALID_EVENT_WAIT_LIST, call(cx.queue, 0, &foreign, which));
        fails!(CL_INVALID_EVENT_WAIT_LIST, call(cx.queue, 1, &cx.context, which));
        fails!(CL_INVALID_CONTEXT, call(cx.queue, 1, &foreign, which));
    }
    ok!(cx.clReleaseCommandQueue(on_device));
    ok!(cx.clReleaseEvent(foreign));
    ok!(cx.clReleaseContext(other));
    ok!(usm.clMemBlockingFreeINTEL(cx.context, pointer));
    Ok(())
}

fn usm_negative_fill(cx: &Ctx) -> Outcome {
    let usm = usm(cx)?;
    let memory = Allocation::<u8>::new(cx, &usm, Kind::Host, 512)?;
    let fill = |to, pattern, length: usize, size: usize| {
        usm.clEnqueueMemFillINTEL(cx.queue, to, pattern, length, size, 0, null(), null_mut())
    };
    let pattern = [0u8; 256];
    let from = pattern.as_ptr().cast();
    fails!(CL_INVALID_VALUE, fill(null_mut(), from, 4, 8));
    fails!(CL_INVALID_VALUE, fill(memory.at(0), null(), 4, 8));
    for length in [0, 3, 5, 6, 7, 12, 24, 48, 96, 127, 129, 256] {
        fails!(CL_INVALID_VALUE, fill(memory.at(0), from, length, length));
    }
    for length in [2, 4, 8, 16, 32, 64, 128] {
        fails!(CL_INVALID_VALUE, fill(memory.at(0), from, length, length + 1));
        fails!(CL_INVALID_VALUE, fill(memory.at(length / 2), from, length, length));
        ok!(fill(memory.at(length), from, length, length));
    }
    let set = |to| usm.clEnqueueMemsetINTEL(cx.queue, to, 0, 8, 0, null(), null_mut());
    fails!(CL_INVALID_VALUE, set(null_mut()));
    ok!(usm.clMemBlockingFreeINTEL(cx.context, memory.at(0)));
    Ok(())
}

fn usm_negative_copy(cx: &Ctx) -> Outcome {
    let usm = usm(cx)?;
    let memory = Allocation::<u8>::new(cx, &usm, Kind::Device, 64)?;
    for blocking in [CL_TRUE, CL_FALSE] {
        let copy =
            |to, from| usm.clEnqueueMemcpyINTEL(cx.queue, blocking, to, from, 32, 0, null(), null_mut());
        fails!(CL_INVALID_VALUE, copy(null_mut(), memory.at(0)));
        fails!(CL_INVALID_VALUE, copy(memory.at(0), null_mut()));
        fails!(CL_INVALID_VALUE, copy(null_mut(), null_mut()));
        for (target, source) in [(0, 0), (0, 31), (31, 0), (16, 1)] {
            fails!(CL_MEM_COPY_OVERLAP, copy(memory.at(target), memory.at(source)));
        }
        ok!(copy(memory.at(0), memory.at(32)));
    }
    let gate = cx.user_event()?;
    ok!(cx.clSetUserEventStatus(gate, -1));
    let (to, from) = (memory.at(0), memory.at(32));
    let copied = usm.clEnqueueMemcpyINTEL(cx.queue, CL_TRUE, to, from, 32, 1, &gate, null_mut());
    fails!(CL_EXEC_STATUS_ERROR_FOR_EVENTS_IN_WAIT_LIST, copied);
    ok!(usm.clMemBlockingFreeINTEL(cx.context, to));
    Ok(())
}

fn usm_negative_hints(cx: &Ctx) -> Outcome {
    let usm = usm(cx)?;
    let memory = Allocation::<u8>::new(cx, &usm, Kind::Shared, 64)?;
    for flags in [1 << 2, 1 << 20, CL_MIGRATE_MEM_OBJECT_HOST | 1 << 63] {
        fails!(
            CL_INVALID_VALUE,
            usm.clEnqueueMigrateMemINTEL(cx.queue, memory.at(0), 64, flags, 0, null(), null_mut())
        );
    }
    for advice in [1, 0x4207, 0x4208, 0x4210, cl_uint::MAX] {
        fails!(
            CL_INVALID_VALUE,
            usm.clEnqueueMemAdviseINTEL(cx.queue, memory.at(0), 64, advice, 0, null(), null_mut())
        );
    }
    ok!(usm.clMemBlockingFreeINTEL(cx.context, memory.at(0)));
    Ok(())
}
