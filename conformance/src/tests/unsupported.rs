//! Tests of features that a device may lack: calls must return an error instead of crashing.

use std::ptr::null;

use cl_sys::*;

use crate::check::Outcome;
use crate::context::Ctx;
use crate::{make_fails, tests};

tests! {
    "test_api":
        no_built_in_kernels;
}

fn no_built_in_kernels(cx: &Ctx) -> Outcome {
    let name = c"nothing".as_ptr();
    make_fails!(CL_INVALID_VALUE, cx.clCreateProgramWithBuiltInKernels(cx.context, 1, &cx.device, name));
    make_fails!(CL_INVALID_VALUE, cx.clCreateProgramWithBuiltInKernels(cx.context, 0, &cx.device, name));
    make_fails!(CL_INVALID_VALUE, cx.clCreateProgramWithBuiltInKernels(cx.context, 1, null(), name));
    make_fails!(CL_INVALID_VALUE, cx.clCreateProgramWithBuiltInKernels(cx.context, 1, &cx.device, null()));
    Ok(())
}
