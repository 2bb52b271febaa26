//! Tests of images and samplers as kernel arguments: which objects are accepted, and the errors for the others.

use std::ffi::c_void;
use std::ptr::{null, null_mut};

use cl_sys::*;

use super::image_model::*;
use crate::check::Outcome;
use crate::context::Ctx;
use crate::{equal, fails, make, ok, tests};

tests! {
    "test_api":
        image_arg_types, image_arg_access, negative_image_arg, negative_sampler_arg, image_args_may_go,
        image_arg_changes;
    "test_image_streams":
        kernels_see_what_the_host_wrote;
}

/// Image types of the language, each with the object type it accepts and whether it is a depth image.
const TYPES: [(&str, cl_uint, bool); 8] = [
    ("image1d_t", CL_MEM_OBJECT_IMAGE1D, false),
    ("image1d_buffer_t", CL_MEM_OBJECT_IMAGE1D_BUFFER, false),
    ("image1d_array_t", CL_MEM_OBJECT_IMAGE1D_ARRAY, false),
    ("image2d_t", CL_MEM_OBJECT_IMAGE2D, false),
    ("image2d_array_t", CL_MEM_OBJECT_IMAGE2D_ARRAY, false),
    ("image2d_depth_t", CL_MEM_OBJECT_IMAGE2D, true),
    ("image2d_array_depth_t", CL_MEM_OBJECT_IMAGE2D_ARRAY, true),
    ("image3d_t", CL_MEM_OBJECT_IMAGE3D, false),
];

fn kernel(cx: &Ctx, arguments: &str) -> Outcome<cl_kernel> {
    cx.kernel_with(&format!("kernel void k({arguments}) {{}}"), "-cl-std=CL2.0", "k")
}

/// Sets the first argument.
fn set(cx: &Ctx, kernel: cl_kernel, handle: *mut c_void) -> cl_int {
    cx.clSetKernelArg(kernel, 0, size_of::<cl_mem>(), (&raw const handle).cast())
}

fn launch(cx: &Ctx, kernel: cl_kernel) -> cl_int {
    cx.clEnqueueNDRangeKernel(cx.queue, kernel, 1, null(), &1, null(), 0, null(), null_mut())
}

fn image_arg_types(cx: &Ctx) -> Outcome {
    let mut images = vec![];
    for (_, kind, is_depth) in TYPES {
        let format = if is_depth { DEPTH } else { RGBA8 };
        images.push(image(cx, 0, format, (kind, [4, 3, 2]))?);
    }
    for (i, (name, ..)) in TYPES.into_iter().enumerate() {
        for access in ["read_only", "write_only", "read_write"] {
            let kernel = kernel(cx, &format!("{access} {name} image"))?;
            for (k, &image) in images.iter().enumerate() {
                equal!(set(cx, kernel, image), if i == k { CL_SUCCESS } else { CL_INVALID_MEM_OBJECT });
            }
            ok!(launch(cx, kernel));
            ok!(cx.clReleaseKernel(kernel));
        }
    }
    ok!(cx.clFinish(cx.queue));
    Ok(())
}

fn image_arg_access(cx: &Ctx) -> Outcome {
    let flat = |flags| image(cx, flags, RGBA8, (CL_MEM_OBJECT_IMAGE2D, [4, 3, 1]));
    let images = [flat(CL_MEM_READ_WRITE)?, flat(CL_MEM_READ_ONLY)?, flat(CL_MEM_WRITE_ONLY)?];
    let (fine, wrong) = (CL_SUCCESS, CL_INVALID_ARG_VALUE);
    for (access, expected) in [
        ("", [fine, fine, wrong]),
        ("read_only", [fine, fine, wrong]),
        ("write_only", [fine, wrong, fine]),
        ("read_write", [fine, wrong, wrong]),
    ] {
        let kernel = kernel(cx, &format!("{access} image2d_t image"))?;
        for (image, expected) in images.iter().zip(expected) {
            equal!(set(cx, kernel, *image), expected);
        }
    }
    Ok(())
}

fn negative_image_arg(cx: &Ctx) -> Outcome {
    let kernel = kernel(cx, "read_only image2d_t image")?;
    let flat = (CL_MEM_OBJECT_IMAGE2D, [4, 3, 1]);
    let image_of = |cx: &Ctx| image(cx, 0, RGBA8, flat);
    let right = image_of(cx)?;
    equal!(launch(cx, kernel), CL_INVALID_KERNEL_ARGS);
    for wrong in [null_mut(), cx.queue, cx.context, cx.empty_buffer(64)?] {
        equal!(set(cx, kernel, wrong), CL_INVALID_MEM_OBJECT);
    }
    fails!(CL_INVALID_MEM_OBJECT, cx.clSetKernelArg(kernel, 0, size_of::<cl_mem>(), null()));
    let pointer = (&raw const right).cast();
    for size in [0, 4, 16] {
        fails!(CL_INVALID_ARG_SIZE, cx.clSetKernelArg(kernel, 0, size, pointer));
    }
    fails!(CL_INVALID_ARG_INDEX, cx.clSetKernelArg(kernel, 1, size_of::<cl_mem>(), pointer));
    fails!(CL_INVALID_ARG_VALUE, cx.clSetKernelArgSVMPointer(kernel, 0, pointer));
    equal!(set(cx, kernel, image_of(&cx.sibling()?)?), CL_INVALID_CONTEXT);
    // The failed calls have not set the argument.
    equal!(launch(cx, kernel), CL_INVALID_KERNEL_ARGS);
    ok!(set(cx, kernel, right));
    ok!(launch(cx, kernel));
    ok!(cx.clFinish(cx.queue));
    Ok(())
}

fn negative_sampler_arg(cx: &Ctx) -> Outcome {
    let kernel = kernel(cx, "sampler_t sampler")?;
    let sampler = make!(cx.clCreateSampler(cx.context, CL_TRUE, CL_ADDRESS_REPEAT, CL_FILTER_LINEAR));
    let image = image(cx, 0, RGBA8, (CL_MEM_OBJECT_IMAGE2D, [4, 3, 1]))?;
    for wrong in [null_mut(), cx.queue, image] {
        equal!(set(cx, kernel, wrong), CL_INVALID_SAMPLER);
    }
    fails!(CL_INVALID_SAMPLER, cx.clSetKernelArg(kernel, 0, size_of::<cl_sampler>(), null()));
    for size in [0, 4, 16] {
        fails!(CL_INVALID_ARG_SIZE, cx.clSetKernelArg(kernel, 0, size, (&raw const sampler).cast()));
    }
    let other = cx.sibling()?;
    let foreign = make!(other.clCreateSamplerWithProperties(other.context, null()));
    equal!(set(cx, kernel, foreign), CL_INVALID_CONTEXT);
    equal!(launch(cx, kernel), CL_INVALID_KERNEL_ARGS);
    ok!(set(cx, kernel, sampler));
    // The kernel has a copy of the sampler's properties.
    ok!(cx.clReleaseSampler(sampler));
    ok!(launch(cx, kernel));
    ok!(cx.clFinish(cx.queue));
    Ok(())
}

fn image_args_may_go(cx: &Ctx) -> Outcome {
    let kernel = kernel(cx, "read_only image2d_t image")?;
    let image = image(cx, 0, RGBA8, (CL_MEM_OBJECT_IMAGE2D, [4, 3, 1]))?;
    ok!(set(cx, kernel, image));
    let copy = cx.clCloneKernel(kernel, &mut 0);
    // A pending command keeps the image alive, a kernel argument does not.
    let gate = cx.user_event()?;
    let mut event = null_mut();
    ok!(cx.clEnqueueNDRangeKernel(cx.queue, kernel, 1, null(), &1, null(), 1, &gate, &mut event));
    ok!(cx.clReleaseMemObject(image));
    ok!(cx.clSetUserEventStatus(gate, CL_COMPLETE));
    ok!(cx.clWaitForEvents(1, &event));
    for kernel in [kernel, copy] {
        equal!(launch(cx, kernel), CL_INVALID_KERNEL_ARGS);
        ok!(cx.clReleaseKernel(kernel));
    }
    ok!(cx.clReleaseEvent(event));
    Ok(())
}

fn image_arg_changes(cx: &Ctx) -> Outcome {
    // Each launch sees the format of the image that was set when the launch was enqueued.
    let source = "kernel void k(read_only image2d_t image, global int *log) {
        log[++*log] = get_image_channel_data_type(image) == CLK_UNORM_INT8; }";
    let kernel = cx.kernel_with(source, "-cl-std=CL2.0", "k")?;
    let size = (CL_MEM_OBJECT_IMAGE2D, [4, 3, 1]);
    let floats = Format { image_channel_order: CL_RGBA, image_channel_data_type: CL_FLOAT };
    let images = [image(cx, 0, RGBA8, size)?, image(cx, 0, floats, size)?];
    let log = cx.buffer(&[0i32; 200])?;
    cx.arg(kernel, 1, log)?;
    for i in 0..120 {
        if i % 3 == 0 {
            ok!(set(cx, kernel, images[i / 6 % 2]));
        }
        ok!(launch(cx, kernel));
    }
    let found = cx.contents::<i32>(log, 121)?;
    equal!(found[0], 120);
    equal!(found[1..].to_vec(), (0..120).map(|i| 1 - i / 6 % 2).collect::<Vec<i32>>());
    Ok(())
}

/// Kernel that samples the image at twice the coordinates of each target texel. Coordinates outside the image yield
/// the border color.
const COPY: &str = "
    kernel void k(global float *seen, read_only image2d_t in, sampler_t sampler, write_only image2d_t out) {
        int2 at = (int2)(get_global_id(0), get_global_id(1));
        float4 color = read_imagef(in, sampler, at * 2);
        write_imagef(out, at, color);
        seen[at.y * get_global_size(0) + at.x] = color.x;
    }";

fn kernels_see_what_the_host_wrote(cx: &Ctx) -> Outcome {
    let kernel = cx.kernel_with(COPY, "-cl-std=CL2.0", "k")?;
    let (size, seen) = ([6, 5, 1], cx.empty_buffer(6 * 5 * 4)?);
    cx.arg(kernel, 0, seen)?;
    // One kernel is launched with several formats and samplers. Red is the first float, or the first byte.
    for (order, ty) in
        [(CL_RGBA, CL_UNORM_INT8), (CL_R, CL_FLOAT), (CL_RGBA, CL_FLOAT), (CL_R, CL_UNORM_INT8)]
    {
        let format = Format { image_channel_order: order, image_channel_data_type: ty };
        let flat = |flags| image(cx, flags, format, (CL_MEM_OBJECT_IMAGE2D, size));
        let (source, target) = (flat(CL_MEM_READ_ONLY)?, flat(CL_MEM_WRITE_ONLY)?);
        let texel = texel_size(format);
        let data: Vec<u8> = match ty {
            CL_FLOAT => (0..30 * texel / 4).flat_map(|i| (i as f32 + 0.5).to_le_bytes()).collect(),
            _ => noise(71, 30 * texel),
        };
        write(cx, source, [0; 3], size, &data)?;
        for addressing in [CL_ADDRESS_CLAMP, CL_ADDRESS_CLAMP_TO_EDGE] {
            let sampler = make!(cx.clCreateSampler(cx.context, CL_FALSE, addressing, CL_FILTER_NEAREST));
            cx.arg(kernel, 1, source)?;
            cx.arg(kernel, 2, sampler)?;
            cx.arg(kernel, 3, target)?;
            let (global, none) = ([6usize, 5], null());
            let enqueued = cx.clEnqueueNDRangeKernel(
                cx.queue,
                kernel,
                2,
                none,
                global.as_ptr(),
                none,
                0,
                null(),
                null_mut(),
            );
            ok!(enqueued);
            let clamps = addressing == CL_ADDRESS_CLAMP_TO_EDGE;
            // The border color of a format with red only has an alpha, which is not stored.
            let expected: Vec<u8> = (0..30)
                .flat_map(|i| {
                    let (x, y) = (i % 6 * 2, i / 6 * 2);
                    let inside = x < 6 && y < 5;
                    let at = (y.min(4) * 6 + x.min(5)) * texel;
                    if inside || clamps { data[at..at + texel].to_vec() } else { vec![0; texel] }
                })
                .collect();
            equal!(read(cx, target, [0; 3], size, texel)?, expected.clone());
            let red = |texel: &[u8]| match ty {
                CL_FLOAT => f32::from_le_bytes([texel[0], texel[1], texel[2], texel[3]]),
                _ => f32::from(texel[0]) / 255.0,
            };
            let found = cx.contents::<f32>(seen, 30)?;
            let close = |(found, texel): (&f32, &[u8])| (found - red(texel)).abs() < 1e-6;
            equal!(found.iter().zip(expected.chunks_exact(texel)).all(close), true);
            ok!(cx.clReleaseSampler(sampler));
        }
        ok!(cx.clReleaseMemObject(source));
        ok!(cx.clReleaseMemObject(target));
    }
    Ok(())
}
