//! Programs whose work-groups must have one size: 1.x, or with `-cl-uniform-work-group-size`, in whatever way the program
//! came about (API s5.10: a linked one if any of its inputs is so).

use std::ptr::{null, null_mut};

use cl_sys::*;

use super::program::{binary, build, link, with_binary};
use crate::check::Outcome;
use crate::context::{Ctx, c_string};
use crate::{equal, fails, make, ok, tests};

tests! {
    "test_non_uniform_work_group":
        uniform_if_built_so, uniform_if_a_linked_unit_is, uniform_if_the_library_is, uniform_from_a_binary,
        uniform_by_a_build_of_a_binary, macros_are_no_options;
}

const CALLER: &str = "int seven(void); kernel void k(global int *a) { a[get_global_id(0)] = seven(); }";
const CALLED: &str = "int seven(void) { return 7; }";

/// Options, and whether groups must have one size then.
const OPTIONS: [(&str, bool); 6] = [
    ("", true),
    ("-cl-std=CL1.1", true),
    ("-cl-std=CL1.2", true),
    ("-cl-std=CL2.0", false),
    ("-cl-std=CL2.0 -cl-uniform-work-group-size", true),
    ("-cl-uniform-work-group-size -cl-std=CL2.0 -D X=1", true),
];

/// Launches 100 work-items in groups of 32.
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
        // An executable need not be built again.
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
