//! Tests of programs that require uniform work-groups: programs of 1.x, and those built with
//! `-cl-uniform-work-group-size`, in all ways to create a program. A linked program requires them if any of its
//! inputs does (API s5.10).

use std::ptr::{null, null_mut};

use cl_sys::*;

use super::program::{binary, build, link, with_binary};
use crate::check::{Failure, Outcome};
use crate::context::{Ctx, c_string};
use crate::{equal, fails, make, ok, query, tests};

tests! {
    "test_non_uniform_work_group":
        uniform_if_built_so, uniform_if_a_linked_unit_is, uniform_if_the_library_is, uniform_from_a_binary,
        uniform_by_a_build_of_a_binary, macros_are_no_options, options_are_of_a_device;
}

const CALLER: &str = "int seven(void); kernel void k(global int *a) { a[get_global_id(0)] = seven(); }";
const CALLED: &str = "int seven(void) { return 7; }";

/// Build options, and whether they require uniform work-groups.
const OPTIONS: [(&str, bool); 6] = [
    ("", true),
    ("-cl-std=CL1.1", true),
    ("-cl-std=CL1.2", true),
    ("-cl-std=CL2.0", false),
    ("-cl-std=CL2.0 -cl-uniform-work-group-size", true),
    ("-cl-uniform-work-group-size -cl-std=CL2.0 -D X=1", true),
];

/// Launches 100 work-items in work-groups of 32.
fn check(cx: &Ctx, program: cl_program, uniform: bool) -> Outcome {
    let kernel = make!(cx.clCreateKernel(program, c"k".as_ptr()));
    let buffer = cx.buffer(&[0i32; 100])?;
    cx.arg(kernel, 0, buffer)?;
    let (global, local) = (100, 32);
    let code = cx.clEnqueueNDRangeKernel(cx.queue, kernel, 1, null(), &global, &local, 0, null(), null_mut());
    if uniform {
        fails!(CL_INVALID_WORK_GROUP_SIZE, code);
    } else {
        ok!(code);
        equal!(cx.contents::<i32>(buffer, 100)?, vec![7; 100]);
    }
    ok!(cx.clReleaseKernel(kernel));
    Ok(())
}

fn compiled(cx: &Ctx, text: &str, options: &str) -> Outcome<cl_program> {
    let (program, options) = (cx.source(text)?, c_string(options));
    ok!(cx.clCompileProgram(program, 0, null(), options.as_ptr(), 0, null(), null_mut(), None, null_mut()));
    Ok(program)
}

fn linked(cx: &Ctx, options: &str, inputs: &[cl_program]) -> Outcome<cl_program> {
    let (program, code) = link(cx, options, inputs);
    equal!(code, CL_SUCCESS);
    Ok(program)
}

fn whole() -> String {
    format!("{CALLED} {CALLER}")
}

fn uniform_if_built_so(cx: &Ctx) -> Outcome {
    for (options, uniform) in OPTIONS {
        check(cx, cx.program_with(&whole(), options)?, uniform)?;
    }
    Ok(())
}

fn uniform_if_a_linked_unit_is(cx: &Ctx) -> Outcome {
    for (options, uniform) in OPTIONS {
        let alone = compiled(cx, &whole(), options)?;
        check(cx, linked(cx, "", &[alone])?, uniform)?;
        for (others, other) in OPTIONS {
            let units = [compiled(cx, CALLER, options)?, compiled(cx, CALLED, others)?];
            check(cx, linked(cx, "", &units)?, uniform || other)?;
        }
    }
    Ok(())
}

fn uniform_if_the_library_is(cx: &Ctx) -> Outcome {
    for (options, uniform) in OPTIONS {
        let library = linked(cx, "-create-library", &[compiled(cx, CALLED, options)?])?;
        let (loaded, _, _) = with_binary(cx, &binary(cx, library)?);
        for library in [library, loaded] {
            let caller = compiled(cx, CALLER, "-cl-std=CL2.0")?;
            check(cx, linked(cx, "", &[caller, library])?, uniform)?;
        }
    }
    Ok(())
}

fn uniform_from_a_binary(cx: &Ctx) -> Outcome {
    for (options, uniform) in OPTIONS {
        let object = compiled(cx, &whole(), options)?;
        for made in [cx.program_with(&whole(), options)?, linked(cx, "", &[object])?, object] {
            let (loaded, _, _) = with_binary(cx, &binary(cx, made)?);
            equal!(build(cx, loaded, ""), CL_SUCCESS);
            check(cx, loaded, uniform)?;
        }
        // An executable loaded from a binary need not be built.
        let (loaded, _, _) = with_binary(cx, &binary(cx, cx.program_with(&whole(), options)?)?);
        check(cx, loaded, uniform)?;
    }
    Ok(())
}

fn uniform_by_a_build_of_a_binary(cx: &Ctx) -> Outcome {
    let options = "-cl-std=CL2.0";
    for made in [cx.program_with(&whole(), options)?, compiled(cx, &whole(), options)?] {
        for (options, uniform) in [(options, false), ("-cl-uniform-work-group-size", true), ("", false)] {
            let (loaded, _, _) = with_binary(cx, &binary(cx, made)?);
            equal!(build(cx, loaded, options), CL_SUCCESS);
            check(cx, loaded, uniform)?;
        }
        let (loaded, _, _) = with_binary(cx, &binary(cx, made)?);
        equal!(build(cx, loaded, "-cl-no-such-option"), CL_INVALID_BUILD_OPTIONS);
    }
    Ok(())
}

fn macros_are_no_options(cx: &Ctx) -> Outcome {
    let none = "-cl-std=CL2.0 -D \"X=1 -cl-uniform-work-group-size\" -I '-cl-std=CL1.2'";
    check(cx, cx.program_with(&whole(), none)?, false)
}

/// Creates two sub-devices of half the device each, or skips the test if it is too small.
fn halves(cx: &Ctx) -> Outcome<[cl_device_id; 2]> {
    let units = query!(cx.clGetDeviceInfo(cx.device, CL_DEVICE_MAX_COMPUTE_UNITS)).value::<cl_uint>()?;
    let list = [CL_DEVICE_PARTITION_EQUALLY as cl_device_partition_property, (units / 2) as _, 0];
    let mut devices = [null_mut(); 2];
    let mut count = 0;
    let code = cx.clCreateSubDevices(cx.device, list.as_ptr(), 2, devices.as_mut_ptr(), &mut count);
    if units < 2 || code != CL_SUCCESS || count != 2 {
        return Err(Failure::Skipped(format!("no sub-devices: {code}")));
    }
    Ok(devices)
}

/// Tests that a program may be built for each device with different options.
fn options_are_of_a_device(cx: &Ctx) -> Outcome {
    let devices = halves(cx)?;
    let context = make!(cx.clCreateContext(null(), 2, devices.as_ptr(), None, null_mut()));
    let text = "
#ifdef SIZE
__attribute__((reqd_work_group_size(SIZE, 1, 1)))
#endif
kernel void k(global int *a) { a[get_global_id(0)] = 7; }";
    let buffer = make!(cx.clCreateBuffer(context, 0, 400, null_mut()));
    // The result must not depend on the program that is built first, for the first device of the context.
    let plain = c"-cl-std=CL2.0";
    let strict = c"-cl-std=CL2.0 -cl-uniform-work-group-size -cl-kernel-arg-info";
    let sized = c"-cl-std=CL2.0 -D SIZE=25";
    for (first, second) in [(plain, strict), (strict, plain), (plain, sized), (sized, plain)] {
        let (mut data, size) = (text.as_ptr().cast(), text.len());
        let program = make!(cx.clCreateProgramWithSource(context, 1, &mut data, &size));
        for (device, options) in devices.iter().zip([first, second]) {
            ok!(cx.clBuildProgram(program, 1, device, options.as_ptr(), None, null_mut()));
        }
        let kernel = make!(cx.clCreateKernel(program, c"k".as_ptr()));
        cx.arg(kernel, 0, buffer)?;
        for (device, options) in devices.into_iter().zip([first, second]) {
            let queue = make!(cx.clCreateCommandQueue(context, device, 0));
            let launch = |local: usize| {
                cx.clEnqueueNDRangeKernel(queue, kernel, 1, null(), &100, &local, 0, null(), null_mut())
            };
            equal!(launch(32), if options == plain { CL_SUCCESS } else { CL_INVALID_WORK_GROUP_SIZE });
            equal!(launch(50), if options == sized { CL_INVALID_WORK_GROUP_SIZE } else { CL_SUCCESS });
            equal!(launch(25), CL_SUCCESS);
            ok!(cx.clFinish(queue));
            let name = CL_KERNEL_COMPILE_WORK_GROUP_SIZE;
            let sizes = query!(cx.clGetKernelWorkGroupInfo(kernel, device, name)).array::<usize>()?;
            equal!(sizes[0], if options == sized { 25 } else { 0 });
            ok!(cx.clReleaseCommandQueue(queue));
        }
        // Without a device in the query, the argument information of either build is sufficient.
        let keeps = first == strict || second == strict;
        let mut size = 0;
        let code = cx.clGetKernelArgInfo(kernel, 0, CL_KERNEL_ARG_NAME, 0, null_mut(), &mut size);
        equal!(code, if keeps { CL_SUCCESS } else { CL_KERNEL_ARG_INFO_NOT_AVAILABLE });
        ok!(cx.clReleaseKernel(kernel));
        ok!(cx.clReleaseProgram(program));
    }
    ok!(cx.clReleaseMemObject(buffer));
    Ok(())
}
