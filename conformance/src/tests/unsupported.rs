//! Features that a device may lack: calls must say so instead of crashing.

use std::ptr::{null, null_mut};

use cl_sys::*;

use crate::check::{Failure, Outcome};
use crate::context::{Ctx, raw};
use crate::{equal, fails, make_fails, ok, query, tests};

tests! {
    "test_api":
        no_images, no_samplers, no_pipes, no_built_in_kernels;
}

fn unsupported(has: bool, what: &str) -> Outcome {
    if has { Err(Failure::Skipped(format!("the device has {what}"))) } else { Ok(()) }
}

fn images(cx: &Ctx) -> Outcome<bool> {
    Ok(query!(cx.clGetDeviceInfo(cx.device, CL_DEVICE_IMAGE_SUPPORT)).value::<cl_bool>()? != 0)
}

fn no_images(cx: &Ctx) -> Outcome {
    unsupported(images(cx)?, "images")?;
    let format = cl_image_format { image_channel_order: CL_RGBA, image_channel_data_type: CL_UNORM_INT8 };
    // SAFETY: the structure is numbers and a pointer.
    let mut desc: cl_image_desc = unsafe { std::mem::zeroed() };
    desc.image_type = CL_MEM_OBJECT_IMAGE2D;
    (desc.image_width, desc.image_height) = (8, 8);
    make_fails!(CL_INVALID_OPERATION, cx.clCreateImage(cx.context, 0, &format, &desc, null_mut()));
    make_fails!(CL_INVALID_CONTEXT, cx.clCreateImage(null_mut(), 0, &format, &desc, null_mut()));
    make_fails!(CL_INVALID_OPERATION, cx.clCreateImage2D(cx.context, 0, &format, 8, 8, 0, null_mut()));
    make_fails!(CL_INVALID_OPERATION, cx.clCreateImage3D(cx.context, 0, &format, 8, 8, 8, 0, 0, null_mut()));
    let mut count = 7;
    ok!(cx.clGetSupportedImageFormats(
        cx.context,
        CL_MEM_READ_ONLY,
        CL_MEM_OBJECT_IMAGE2D,
        0,
        null_mut(),
        &mut count
    ));
    equal!(count, 0);
    let kind = CL_MEM_OBJECT_BUFFER;
    fails!(CL_INVALID_VALUE, cx.clGetSupportedImageFormats(cx.context, 0, kind, 0, null_mut(), &mut count));
    // A buffer is no image.
    let buffer = cx.empty_buffer(1024)?;
    let (zero, one) = ([0usize; 3], [1usize; 3]);
    let (zero, one) = (zero.as_ptr(), one.as_ptr());
    let mut data = [0u8; 64];
    let pointer = raw(&mut data);
    fails!(
        CL_INVALID_MEM_OBJECT,
        cx.clEnqueueReadImage(cx.queue, buffer, 1, zero, one, 0, 0, pointer, 0, null(), null_mut())
    );
    fails!(
        CL_INVALID_MEM_OBJECT,
        cx.clEnqueueWriteImage(cx.queue, buffer, 1, zero, one, 0, 0, pointer, 0, null(), null_mut())
    );
    fails!(
        CL_INVALID_MEM_OBJECT,
        cx.clEnqueueCopyImage(cx.queue, buffer, buffer, zero, zero, one, 0, null(), null_mut())
    );
    fails!(
        CL_INVALID_MEM_OBJECT,
        cx.clEnqueueFillImage(cx.queue, buffer, pointer, zero, one, 0, null(), null_mut())
    );
    fails!(
        CL_INVALID_COMMAND_QUEUE,
        cx.clEnqueueFillImage(null_mut(), buffer, pointer, zero, one, 0, null(), null_mut())
    );
    let to_buffer =
        cx.clEnqueueCopyImageToBuffer(cx.queue, buffer, buffer, zero, one, 0, 0, null(), null_mut());
    fails!(CL_INVALID_MEM_OBJECT, to_buffer);
    let to_image =
        cx.clEnqueueCopyBufferToImage(cx.queue, buffer, buffer, 0, zero, one, 0, null(), null_mut());
    fails!(CL_INVALID_MEM_OBJECT, to_image);
    let (mut row, mut slice) = (0usize, 0usize);
    let (list, event) = (null(), null_mut());
    make_fails!(
        CL_INVALID_MEM_OBJECT,
        cx.clEnqueueMapImage(
            cx.queue,
            buffer,
            1,
            CL_MAP_READ,
            zero,
            one,
            &mut row,
            &mut slice,
            0,
            list,
            event
        )
    );
    let mut size = 0;
    fails!(CL_INVALID_MEM_OBJECT, cx.clGetImageInfo(buffer, CL_IMAGE_WIDTH, 0, null_mut(), &mut size));
    Ok(())
}

fn no_samplers(cx: &Ctx) -> Outcome {
    unsupported(images(cx)?, "images")?;
    let (address, filter) = (CL_ADDRESS_CLAMP, CL_FILTER_NEAREST);
    make_fails!(CL_INVALID_OPERATION, cx.clCreateSampler(cx.context, CL_TRUE, address, filter));
    make_fails!(CL_INVALID_CONTEXT, cx.clCreateSampler(null_mut(), CL_TRUE, address, filter));
    make_fails!(CL_INVALID_OPERATION, cx.clCreateSamplerWithProperties(cx.context, null()));
    for handle in [null_mut(), cx.queue] {
        fails!(CL_INVALID_SAMPLER, cx.clRetainSampler(handle));
        fails!(CL_INVALID_SAMPLER, cx.clReleaseSampler(handle));
        let name = CL_SAMPLER_CONTEXT;
        fails!(CL_INVALID_SAMPLER, cx.clGetSamplerInfo(handle, name, 0, null_mut(), null_mut()));
    }
    Ok(())
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
