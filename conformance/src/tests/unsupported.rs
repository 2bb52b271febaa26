//! Features that a device may lack: calls must say so instead of crashing.

use std::ptr::{null, null_mut};

use cl_sys::*;

use crate::check::{Failure, Outcome};
use crate::context::Ctx;
use crate::{fails, make_fails, query, tests};

tests! {
    "test_api":
        no_pipes, no_built_in_kernels;
}

fn unsupported(has: bool, what: &str) -> Outcome {
    if has { Err(Failure::Skipped(format!("the device has {what}"))) } else { Ok(()) }
}

fn no_pipes(cx: &Ctx) -> Outcome {
    let pipes = query!(cx.clGetDeviceInfo(cx.device, CL_DEVICE_MAX_PIPE_ARGS)).value::<cl_uint>()?;
    unsupported(pipes != 0, "pipes")?;
    make_fails!(CL_INVALID_OPERATION, cx.clCreatePipe(cx.context, 0, 4, 16, null()));
    make_fails!(CL_INVALID_CONTEXT, cx.clCreatePipe(null_mut(), 0, 4, 16, null()));
    let buffer = cx.empty_buffer(64)?;
    let name = CL_PIPE_PACKET_SIZE;
    fails!(CL_INVALID_MEM_OBJECT, cx.clGetPipeInfo(buffer, name, 0, null_mut(), null_mut()));
    Ok(())
}

fn no_built_in_kernels(cx: &Ctx) -> Outcome {
    let name = c"nothing".as_ptr();
    make_fails!(CL_INVALID_VALUE, cx.clCreateProgramWithBuiltInKernels(cx.context, 1, &cx.device, name));
    make_fails!(CL_INVALID_VALUE, cx.clCreateProgramWithBuiltInKernels(cx.context, 0, &cx.device, name));
    make_fails!(CL_INVALID_VALUE, cx.clCreateProgramWithBuiltInKernels(cx.context, 1, null(), name));
    make_fails!(CL_INVALID_VALUE, cx.clCreateProgramWithBuiltInKernels(cx.context, 1, &cx.device, null()));
    Ok(())
}
