//! Tests of kernels and their arguments.

use std::ffi::c_void;
use std::ptr::{null, null_mut};

use cl_sys::*;

use crate::check::Outcome;
use crate::context::Ctx;
use crate::{equal, fails, holds, make, make_fails, ok, query, query_fails, tests};

tests! {
    "test_api":
        get_kernel_info, get_kernel_arg_info, kernel_work_group_info, kernel_life, kernel_arg_changes,
        launches_between_arg_changes,
        set_kernel_arg_by_index, set_kernel_arg_constant, set_kernel_arg_struct_array, null_buffer_arg,
        retain_mem_object_set_kernel_arg, negative_invalid_arg_index, negative_invalid_arg_size,
        negative_invalid_arg_mem_obj, negative_invalid_kernel, local_arg_size_zero, negative_local_arg,
        negative_create_kernel, negative_set_kernel_arg, kernel_attributes, kernel_local_memory_size;
}

const SUM: &str = "
    kernel void sum(global const int *a, constant int *b, local int *t, float f, short3 v, global int *restrict out) {
        size_t i = get_global_id(0);
        t[get_local_id(0)] = a[i];
        out[i] = t[get_local_id(0)] + b[0] + (int)f + v.y;
    }";

fn get_kernel_info(cx: &Ctx) -> Outcome {
    let kernel = cx.kernel(SUM, "sum")?;
    equal!(query!(cx.clGetKernelInfo(kernel, CL_KERNEL_FUNCTION_NAME)).string()?.as_str(), "sum");
    equal!(query!(cx.clGetKernelInfo(kernel, CL_KERNEL_NUM_ARGS)).value::<cl_uint>()?, 6);
    equal!(query!(cx.clGetKernelInfo(kernel, CL_KERNEL_REFERENCE_COUNT)).value::<cl_uint>()?, 1);
    equal!(query!(cx.clGetKernelInfo(kernel, CL_KERNEL_CONTEXT)).value::<cl_context>()?, cx.context);
    query_fails!(CL_INVALID_VALUE, cx.clGetKernelInfo(kernel, 0xdead));
    Ok(())
}

fn get_kernel_arg_info(cx: &Ctx) -> Outcome {
    let source = "
        typedef struct { int x; } pair;
        kernel void k(global const unsigned int *a, constant float4 *b, local volatile char *c, pair d,
                      const unsigned long e, global int *restrict f) {}";
    let kernel = cx.kernel_with(source, "-cl-kernel-arg-info", "k")?;
    let (global, constant) = (CL_KERNEL_ARG_ADDRESS_GLOBAL, CL_KERNEL_ARG_ADDRESS_CONSTANT);
    let (local, private) = (CL_KERNEL_ARG_ADDRESS_LOCAL, CL_KERNEL_ARG_ADDRESS_PRIVATE);
    let expected = [
        ("a", global, "uint*", CL_KERNEL_ARG_TYPE_CONST),
        ("b", constant, "float4*", CL_KERNEL_ARG_TYPE_CONST),
        ("c", local, "char*", CL_KERNEL_ARG_TYPE_VOLATILE),
        ("d", private, "pair", CL_KERNEL_ARG_TYPE_NONE),
        ("e", private, "ulong", CL_KERNEL_ARG_TYPE_NONE),
        ("f", global, "int*", CL_KERNEL_ARG_TYPE_RESTRICT),
    ];
    for (i, (name, space, kind, qualifier)) in (0..).zip(expected) {
        equal!(query!(cx.clGetKernelArgInfo(kernel, i, CL_KERNEL_ARG_NAME)).string()?.as_str(), name);
        equal!(
            query!(cx.clGetKernelArgInfo(kernel, i, CL_KERNEL_ARG_ADDRESS_QUALIFIER)).value::<cl_uint>()?,
            space
        );
        equal!(query!(cx.clGetKernelArgInfo(kernel, i, CL_KERNEL_ARG_TYPE_NAME)).string()?.as_str(), kind);
        equal!(
            query!(cx.clGetKernelArgInfo(kernel, i, CL_KERNEL_ARG_TYPE_QUALIFIER)).value::<cl_ulong>()?,
            qualifier
        );
        let access =
            query!(cx.clGetKernelArgInfo(kernel, i, CL_KERNEL_ARG_ACCESS_QUALIFIER)).value::<cl_uint>()?;
        equal!(access, CL_KERNEL_ARG_ACCESS_NONE);
    }
    query_fails!(CL_INVALID_ARG_INDEX, cx.clGetKernelArgInfo(kernel, 6, CL_KERNEL_ARG_NAME));
    query_fails!(CL_INVALID_VALUE, cx.clGetKernelArgInfo(kernel, 0, 0xdead));
    query_fails!(CL_INVALID_KERNEL, cx.clGetKernelArgInfo(null_mut(), 0, CL_KERNEL_ARG_NAME));
    Ok(())
}

fn group<T: Copy>(cx: &Ctx, kernel: cl_kernel, name: cl_uint) -> Outcome<T> {
    query!(cx.clGetKernelWorkGroupInfo(kernel, cx.device, name)).value()
}

fn kernel_work_group_info(cx: &Ctx) -> Outcome {
    let source = "kernel void a(global int *x) { *x = 1; }
        kernel __attribute__((reqd_work_group_size(4, 2, 1))) void b(global int *x) { *x = 1; }";
    let program = cx.program_with(source, "")?;
    let (a, b) =
        (make!(cx.clCreateKernel(program, c"a".as_ptr())), make!(cx.clCreateKernel(program, c"b".as_ptr())));
    equal!(group::<[usize; 3]>(cx, a, CL_KERNEL_COMPILE_WORK_GROUP_SIZE)?, [0, 0, 0]);
    equal!(group::<[usize; 3]>(cx, b, CL_KERNEL_COMPILE_WORK_GROUP_SIZE)?, [4, 2, 1]);
    let most = query!(cx.clGetDeviceInfo(cx.device, CL_DEVICE_MAX_WORK_GROUP_SIZE)).value::<usize>()?;
    let size = group::<usize>(cx, a, CL_KERNEL_WORK_GROUP_SIZE)?;
    holds!(size >= 1 && size <= most);
    holds!(group::<usize>(cx, a, CL_KERNEL_PREFERRED_WORK_GROUP_SIZE_MULTIPLE)? >= 1);
    equal!(group::<cl_ulong>(cx, a, CL_KERNEL_LOCAL_MEM_SIZE)?, 0);
    group::<cl_ulong>(cx, a, CL_KERNEL_PRIVATE_MEM_SIZE)?;
    // If there is only one device, the query need not name it.
    query!(cx.clGetKernelWorkGroupInfo(a, null_mut(), CL_KERNEL_WORK_GROUP_SIZE)).value::<usize>()?;
    query_fails!(CL_INVALID_VALUE, cx.clGetKernelWorkGroupInfo(a, cx.device, CL_KERNEL_GLOBAL_WORK_SIZE));
    query_fails!(CL_INVALID_VALUE, cx.clGetKernelWorkGroupInfo(a, cx.device, 0xdead));
    query_fails!(CL_INVALID_DEVICE, cx.clGetKernelWorkGroupInfo(a, cx.queue, CL_KERNEL_WORK_GROUP_SIZE));
    query_fails!(
        CL_INVALID_KERNEL,
        cx.clGetKernelWorkGroupInfo(cx.queue, cx.device, CL_KERNEL_WORK_GROUP_SIZE)
    );
    Ok(())
}

fn kernel_attributes(cx: &Ctx) -> Outcome {
    let source = "kernel __attribute__((reqd_work_group_size(4, 2, 1))) void k(global int *x) { *x = 1; }";
    let kernel = cx.kernel(source, "k")?;
    let text = query!(cx.clGetKernelInfo(kernel, CL_KERNEL_ATTRIBUTES)).string()?;
    let dense: String = text.chars().filter(|c| !c.is_whitespace()).collect();
    holds!(dense.contains("reqd_work_group_size(4,2,1)"));
    Ok(())
}

fn kernel_local_memory_size(cx: &Ctx) -> Outcome {
    let source = "kernel void k(local int *a, global int *b) { local int t[16]; t[get_local_id(0)] = 1;
        barrier(CLK_LOCAL_MEM_FENCE); a[0] = t[1]; b[0] = a[0]; }";
    let kernel = cx.kernel(source, "k")?;
    let own = group::<cl_ulong>(cx, kernel, CL_KERNEL_LOCAL_MEM_SIZE)?;
    holds!(own >= 64);
    ok!(cx.clSetKernelArg(kernel, 0, 1000, null()));
    holds!(group::<cl_ulong>(cx, kernel, CL_KERNEL_LOCAL_MEM_SIZE)? >= own + 1000);
    Ok(())
}

fn kernel_life(cx: &Ctx) -> Outcome {
    let kernel = cx.kernel(SUM, "sum")?;
    ok!(cx.clRetainKernel(kernel));
    equal!(query!(cx.clGetKernelInfo(kernel, CL_KERNEL_REFERENCE_COUNT)).value::<cl_uint>()?, 2);
    ok!(cx.clReleaseKernel(kernel));
    ok!(cx.clReleaseKernel(kernel));
    if cx.is_vendor() {
        fails!(CL_INVALID_KERNEL, cx.clReleaseKernel(kernel));
    }
    Ok(())
}

const SET: &str = "kernel void set(global int *a, int value) { a[get_global_id(0)] = value; }";

fn kernel_arg_changes(cx: &Ctx) -> Outcome {
    // Each launch uses the arguments at the time when it was enqueued.
    let kernel = cx.kernel(SET, "set")?;
    let gate = cx.user_event()?;
    let mut marker = null_mut();
    ok!(cx.clEnqueueMarkerWithWaitList(cx.queue, 1, &gate, &mut marker));
    let buffers: Vec<_> = (0..10).map(|_| cx.buffer(&[0i32; 8])).collect::<Outcome<_>>()?;
    for (value, &buffer) in (1i32..).zip(&buffers) {
        cx.arg(kernel, 0, buffer)?;
        cx.arg(kernel, 1, value)?;
        cx.launch(kernel, 8, None)?;
    }
    cx.arg(kernel, 1, 99i32)?;
    ok!(cx.clReleaseKernel(kernel));
    ok!(cx.clSetUserEventStatus(gate, CL_COMPLETE));
    for (value, &buffer) in (1i32..).zip(&buffers) {
        equal!(cx.contents::<i32>(buffer, 8)?, vec![value; 8]);
    }
    Ok(())
}

fn launches_between_arg_changes(cx: &Ctx) -> Outcome {
    // Some launches follow a change of an argument, others do not. They run while more are enqueued.
    const COUNT: i32 = 3000;
    let source =
        "kernel void note(global int *log, local int *t, int value) { *t = value; log[++*log] = *t; }";
    let mut kernel = cx.kernel(source, "note")?;
    let (queues, mut logs) = ([cx.queue, cx.queue(0)?], [vec![], vec![]]);
    let room = vec![0i32; COUNT as usize * 2];
    let buffers = [cx.buffer(&room)?, cx.buffer(&room)?];
    let launch = |queue, kernel| {
        cx.clEnqueueNDRangeKernel(queue, kernel, 1, null(), &1, null(), 0, null(), null_mut())
    };
    let mut value = 0;
    cx.arg(kernel, 2, value)?;
    for i in 0..COUNT {
        let which = i as usize / 50 % 2;
        if i % 50 == 0 {
            cx.arg(kernel, 0, buffers[which])?;
        }
        if i % 7 == 0 {
            ok!(cx.clSetKernelArg(kernel, 1, 4 << (i % 5), null()));
        }
        if i % 3 == 0 {
            value = i;
            cx.arg(kernel, 2, value)?;
        }
        ok!(launch(queues[which], kernel));
        logs[which].push(value);
        if i % 11 == 0 {
            // One of the two kernels is released while its launches are pending.
            let other = make!(cx.clCloneKernel(kernel));
            cx.arg(kernel, 2, -i)?;
            ok!(launch(queues[which], kernel));
            ok!(launch(queues[which], other));
            logs[which].extend([-i, value]);
            ok!(cx.clReleaseKernel(std::mem::replace(&mut kernel, other)));
        }
        if i % 40 == 0 {
            ok!(cx.clFlush(queues[which]));
        }
    }
    ok!(cx.clFinish(queues[1]));
    for (buffer, log) in buffers.into_iter().zip(logs) {
        let found = cx.contents::<i32>(buffer, log.len() + 1)?;
        equal!(found[0] as usize, log.len());
        equal!(&found[1..], &log[..]);
    }
    Ok(())
}

fn set_kernel_arg_by_index(cx: &Ctx) -> Outcome {
    let kernel = cx.kernel(SUM, "sum")?;
    let out = cx.buffer(&[0i32; 4])?;
    // Arguments may be set in any order.
    cx.arg(kernel, 5, out)?;
    cx.arg(kernel, 4, [1i16, 20, 3, 4])?;
    cx.arg(kernel, 3, 300.5f32)?;
    ok!(cx.clSetKernelArg(kernel, 2, 16, null()));
    cx.arg(kernel, 1, cx.buffer(&[4000i32])?)?;
    cx.arg(kernel, 0, cx.buffer(&[1i32, 2, 3, 4])?)?;
    cx.launch(kernel, 4, Some(2))?;
    equal!(cx.contents::<i32>(out, 4)?, vec![4321, 4322, 4323, 4324]);
    Ok(())
}

fn set_kernel_arg_constant(cx: &Ctx) -> Outcome {
    let source = "kernel void k(constant int *a, constant int *b, global int *out) {
        size_t i = get_global_id(0); out[i] = a[i] * b[i]; }";
    let kernel = cx.kernel(source, "k")?;
    let out = cx.buffer(&[0i32; 4])?;
    cx.arg(kernel, 0, cx.buffer(&[1i32, 2, 3, 4])?)?;
    cx.arg(kernel, 1, cx.buffer(&[10i32, 20, 30, 40])?)?;
    cx.arg(kernel, 2, out)?;
    cx.launch(kernel, 4, None)?;
    equal!(cx.contents::<i32>(out, 4)?, vec![10, 40, 90, 160]);
    Ok(())
}

fn set_kernel_arg_struct_array(cx: &Ctx) -> Outcome {
    #[repr(C)]
    #[derive(Clone, Copy)]
    struct Pair {
        a: i8,
        b: f32,
        c: [i16; 3],
    }
    let source = "typedef struct { char a; float b; short c[3]; } pair;
        kernel void k(pair p, global const pair *q, global float *out) {
            size_t i = get_global_id(0); out[i] = p.a + p.b + p.c[2] + q[i].b * q[i].c[1]; }";
    let kernel = cx.kernel(source, "k")?;
    let pair = |n: i8| Pair { a: n, b: f32::from(n) / 4.0, c: [1, 2, 3] };
    let out = cx.buffer(&[0f32; 2])?;
    cx.arg(kernel, 0, pair(8))?;
    cx.arg(kernel, 1, cx.buffer(&[pair(4), pair(6)])?)?;
    cx.arg(kernel, 2, out)?;
    cx.launch(kernel, 2, None)?;
    equal!(cx.contents::<f32>(out, 2)?, vec![15.0, 16.0]);
    Ok(())
}

fn null_buffer_arg(cx: &Ctx) -> Outcome {
    let source = "kernel void k(global int *a, constant int *b, global int *out) {
        *out = (a == 0 ? 1 : 0) + (b == 0 ? 2 : 0); }";
    let kernel = cx.kernel(source, "k")?;
    let out = cx.buffer(&[0i32])?;
    cx.arg(kernel, 2, out)?;
    // A null pointer, or a pointer to a null handle.
    ok!(cx.clSetKernelArg(kernel, 0, size_of::<cl_mem>(), null()));
    cx.arg(kernel, 1, null_mut::<c_void>())?;
    cx.launch(kernel, 1, None)?;
    equal!(cx.contents::<i32>(out, 1)?, vec![3]);
    Ok(())
}

fn retain_mem_object_set_kernel_arg(cx: &Ctx) -> Outcome {
    let kernel = cx.kernel(SET, "set")?;
    let buffer = cx.buffer(&[0i32; 4])?;
    let count = || query!(cx.clGetMemObjectInfo(buffer, CL_MEM_REFERENCE_COUNT)).value::<cl_uint>();
    for _ in 0..10 {
        cx.arg(kernel, 0, buffer)?;
    }
    equal!(count()?, 1);
    cx.arg(kernel, 1, 1i32)?;
    let gate = cx.user_event()?;
    let global = 4usize;
    let mut event = null_mut();
    ok!(cx.clEnqueueNDRangeKernel(cx.queue, kernel, 1, null(), &global, null(), 1, &gate, &mut event));
    equal!(count()?, 1);
    // The command keeps the buffer alive, the kernel does not.
    ok!(cx.clReleaseMemObject(buffer));
    ok!(cx.clSetUserEventStatus(gate, CL_COMPLETE));
    ok!(cx.clWaitForEvents(1, &event));
    let code = cx.clEnqueueNDRangeKernel(cx.queue, kernel, 1, null(), &global, null(), 0, null(), null_mut());
    fails!(CL_INVALID_KERNEL_ARGS, code);
    Ok(())
}

fn negative_invalid_arg_index(cx: &Ctx) -> Outcome {
    let kernel = cx.kernel(SET, "set")?;
    let value = 1i32;
    for index in [2, 3, u32::MAX] {
        fails!(CL_INVALID_ARG_INDEX, cx.clSetKernelArg(kernel, index, 4, (&raw const value).cast()));
    }
    Ok(())
}

fn negative_invalid_arg_size(cx: &Ctx) -> Outcome {
    let kernel = cx.kernel(SUM, "sum")?;
    let buffer = cx.buffer(&[0i32])?;
    let value = [0u8; 64];
    let value = value.as_ptr().cast();
    for size in [0, 4, 16] {
        fails!(CL_INVALID_ARG_SIZE, cx.clSetKernelArg(kernel, 0, size, (&raw const buffer).cast()));
        fails!(CL_INVALID_ARG_SIZE, cx.clSetKernelArg(kernel, 1, size, (&raw const buffer).cast()));
    }
    for size in [0, 2, 8] {
        fails!(CL_INVALID_ARG_SIZE, cx.clSetKernelArg(kernel, 3, size, value));
    }
    // A vector of three elements has the size of one of four.
    for size in [6, 4, 16] {
        fails!(CL_INVALID_ARG_SIZE, cx.clSetKernelArg(kernel, 4, size, value));
    }
    ok!(cx.clSetKernelArg(kernel, 4, 8, value));
    Ok(())
}

fn negative_invalid_arg_mem_obj(cx: &Ctx) -> Outcome {
    let kernel = cx.kernel(SET, "set")?;
    let size = size_of::<cl_mem>();
    for handle in [cx.queue, cx.context, kernel] {
        fails!(CL_INVALID_MEM_OBJECT, cx.clSetKernelArg(kernel, 0, size, (&raw const handle).cast()));
    }
    let dead = cx.empty_buffer(64)?;
    ok!(cx.clReleaseMemObject(dead));
    fails!(CL_INVALID_MEM_OBJECT, cx.clSetKernelArg(kernel, 0, size, (&raw const dead).cast()));
    Ok(())
}

fn negative_invalid_kernel(cx: &Ctx) -> Outcome {
    let value = 0i32;
    for handle in [null_mut(), cx.queue] {
        fails!(CL_INVALID_KERNEL, cx.clSetKernelArg(handle, 0, 4, (&raw const value).cast()));
        fails!(CL_INVALID_KERNEL, cx.clRetainKernel(handle));
        fails!(CL_INVALID_KERNEL, cx.clReleaseKernel(handle));
        query_fails!(CL_INVALID_KERNEL, cx.clGetKernelInfo(handle, CL_KERNEL_NUM_ARGS));
    }
    Ok(())
}

fn negative_set_kernel_arg(cx: &Ctx) -> Outcome {
    let kernel = cx.kernel(SET, "set")?;
    fails!(CL_INVALID_ARG_VALUE, cx.clSetKernelArg(kernel, 1, 4, null()));
    // A failed call does not change the argument.
    let buffer = cx.buffer(&[0i32; 2])?;
    cx.arg(kernel, 0, buffer)?;
    cx.arg(kernel, 1, 5i32)?;
    let wrong = 6i64;
    fails!(CL_INVALID_ARG_SIZE, cx.clSetKernelArg(kernel, 1, 8, (&raw const wrong).cast()));
    fails!(CL_INVALID_MEM_OBJECT, cx.clSetKernelArg(kernel, 0, 8, (&raw const cx.queue).cast()));
    cx.launch(kernel, 2, None)?;
    equal!(cx.contents::<i32>(buffer, 2)?, vec![5, 5]);
    Ok(())
}

fn local_arg_size_zero(cx: &Ctx) -> Outcome {
    let kernel = cx.kernel(SUM, "sum")?;
    fails!(CL_INVALID_ARG_SIZE, cx.clSetKernelArg(kernel, 2, 0, null()));
    Ok(())
}

fn negative_local_arg(cx: &Ctx) -> Outcome {
    let kernel = cx.kernel(SUM, "sum")?;
    let value = 0i32;
    fails!(CL_INVALID_ARG_VALUE, cx.clSetKernelArg(kernel, 2, 4, (&raw const value).cast()));
    Ok(())
}

fn negative_create_kernel(cx: &Ctx) -> Outcome {
    let program = cx.program_with(SET, "")?;
    make_fails!(CL_INVALID_PROGRAM, cx.clCreateKernel(null_mut(), c"set".as_ptr()));
    make_fails!(CL_INVALID_VALUE, cx.clCreateKernel(program, null()));
    for name in [c"", c"no", c"set2", c"se"] {
        make_fails!(CL_INVALID_KERNEL_NAME, cx.clCreateKernel(program, name.as_ptr()));
    }
    let unbuilt = cx.source(SET)?;
    make_fails!(CL_INVALID_PROGRAM_EXECUTABLE, cx.clCreateKernel(unbuilt, c"set".as_ptr()));
    let mut count = 0;
    let code = cx.clCreateKernelsInProgram(unbuilt, 0, null_mut(), &mut count);
    fails!(CL_INVALID_PROGRAM_EXECUTABLE, code);
    Ok(())
}
