//! Tests of images as objects: valid and invalid parameters, queries, and lifetime.
//!
//! No test can provoke CL_INVALID_DEVICE and most cases of CL_INVALID_PROPERTY, which extensions define.

use std::ffi::c_void;
use std::ptr::{null, null_mut};
use std::sync::atomic::{AtomicUsize, Ordering};

use cl_sys::*;

use super::image_model::*;
use crate::check::Outcome;
use crate::context::{Ctx, raw};
use crate::{equal, fails, holds, make, make_fails, ok, query, query_fails, tests};

tests! {
    "test_cl_get_info":
        image_info, image_mem_info, images_of_1_1;
    "test_api":
        image_formats, negative_image_formats, negative_image_format, negative_image_desc, negative_image_size,
        negative_image_pitches, negative_image_flags, negative_image_in_a_buffer, negative_image_view,
        negative_images_of_1_1, image_limits, image_life, image_destructors;
}

/// Checks that creating an image fails with this error, with and without a list of properties.
fn refused(
    cx: &Ctx,
    expected: cl_int,
    flags: cl_ulong,
    format: Format,
    desc: cl_image_desc,
    host_ptr: *mut c_void,
) -> Outcome {
    make_fails!(expected, cx.clCreateImage(cx.context, flags, format.raw(), &desc, host_ptr));
    let context = cx.context;
    make_fails!(
        expected,
        cx.clCreateImageWithProperties(context, null(), flags, format.raw(), &desc, host_ptr)
    );
    Ok(())
}

fn plane() -> cl_image_desc {
    desc(CL_MEM_OBJECT_IMAGE2D, [8, 4, 1])
}

fn image_info(cx: &Ctx) -> Outcome {
    // (type, height, depth, array size, slice pitch) of images with 5 texels in rows of 20 bytes
    let expected = [
        (CL_MEM_OBJECT_IMAGE1D, 0, 0, 0, 0),
        (CL_MEM_OBJECT_IMAGE1D_BUFFER, 0, 0, 0, 0),
        (CL_MEM_OBJECT_IMAGE1D_ARRAY, 0, 0, 4, 20),
        (CL_MEM_OBJECT_IMAGE2D, 4, 0, 0, 0),
        (CL_MEM_OBJECT_IMAGE2D_ARRAY, 4, 0, 3, 80),
        (CL_MEM_OBJECT_IMAGE3D, 4, 3, 0, 80),
    ];
    for (kind, height, depth, layers, slice_pitch) in expected {
        let image = image(cx, 0, RGBA8, (kind, [5, 4, 3]))?;
        let format: Format = query!(cx.clGetImageInfo(image, CL_IMAGE_FORMAT)).value()?;
        equal!((format.image_channel_order, format.image_channel_data_type), (CL_RGBA, CL_UNORM_INT8));
        equal!(info(cx, image, CL_IMAGE_ELEMENT_SIZE)?, 4);
        equal!(info(cx, image, CL_IMAGE_WIDTH)?, 5);
        equal!(info(cx, image, CL_IMAGE_HEIGHT)?, height);
        equal!(info(cx, image, CL_IMAGE_DEPTH)?, depth);
        equal!(info(cx, image, CL_IMAGE_ARRAY_SIZE)?, layers);
        equal!(info(cx, image, CL_IMAGE_ROW_PITCH)?, 20);
        equal!(info(cx, image, CL_IMAGE_SLICE_PITCH)?, slice_pitch);
        let has_buffer = kind == CL_MEM_OBJECT_IMAGE1D_BUFFER;
        let buffer: cl_mem = query!(cx.clGetImageInfo(image, CL_IMAGE_BUFFER)).value()?;
        equal!(buffer.is_null(), !has_buffer);
        equal!(query!(cx.clGetMemObjectInfo(image, CL_MEM_ASSOCIATED_MEMOBJECT)).value::<cl_mem>()?, buffer);
        equal!(query!(cx.clGetImageInfo(image, CL_IMAGE_NUM_MIP_LEVELS)).value::<cl_uint>()?, 0);
        equal!(query!(cx.clGetImageInfo(image, CL_IMAGE_NUM_SAMPLES)).value::<cl_uint>()?, 0);
        query_fails!(CL_INVALID_VALUE, cx.clGetImageInfo(image, CL_MEM_TYPE));
        ok!(cx.clReleaseMemObject(image));
    }
    for wrong in [null_mut(), cx.queue, cx.empty_buffer(64)?] {
        query_fails!(CL_INVALID_MEM_OBJECT, cx.clGetImageInfo(wrong, CL_IMAGE_WIDTH));
    }
    Ok(())
}

fn image_mem_info(cx: &Ctx) -> Outcome {
    for (kind, size) in SHAPES {
        let image = image(cx, 0, RGBA8, (kind, size))?;
        equal!(query!(cx.clGetMemObjectInfo(image, CL_MEM_TYPE)).value::<cl_uint>()?, kind);
        equal!(query!(cx.clGetMemObjectInfo(image, CL_MEM_FLAGS)).value::<cl_ulong>()?, CL_MEM_READ_WRITE);
        let bytes = size.iter().product::<usize>() * 4;
        equal!(query!(cx.clGetMemObjectInfo(image, CL_MEM_SIZE)).value::<usize>()?, bytes);
        equal!(query!(cx.clGetMemObjectInfo(image, CL_MEM_OFFSET)).value::<usize>()?, 0);
        let host_ptr: *mut c_void = query!(cx.clGetMemObjectInfo(image, CL_MEM_HOST_PTR)).value()?;
        holds!(host_ptr.is_null());
        equal!(query!(cx.clGetMemObjectInfo(image, CL_MEM_MAP_COUNT)).value::<cl_uint>()?, 0);
        equal!(query!(cx.clGetMemObjectInfo(image, CL_MEM_CONTEXT)).value::<cl_context>()?, cx.context);
        equal!(query!(cx.clGetMemObjectInfo(image, CL_MEM_REFERENCE_COUNT)).value::<cl_uint>()?, 1);
        equal!(query!(cx.clGetMemObjectInfo(image, CL_MEM_USES_SVM_POINTER)).value::<cl_bool>()?, 0);
        ok!(cx.clReleaseMemObject(image));
    }
    // Memory of the application with its own pitches, and images that use it.
    let mut host = vec![0u8; 4 * 64];
    let pointer = raw(&mut host);
    let mut plane = plane();
    plane.image_row_pitch = 64;
    let flags = CL_MEM_USE_HOST_PTR | CL_MEM_READ_ONLY | CL_MEM_HOST_READ_ONLY;
    let image = make!(cx.clCreateImage(cx.context, flags, RGBA8.raw(), &plane, pointer));
    equal!(query!(cx.clGetMemObjectInfo(image, CL_MEM_HOST_PTR)).value::<*mut c_void>()?, pointer);
    equal!(query!(cx.clGetMemObjectInfo(image, CL_MEM_SIZE)).value::<usize>()?, 256);
    equal!(query!(cx.clGetMemObjectInfo(image, CL_MEM_FLAGS)).value::<cl_ulong>()?, flags);
    plane.buffer = image;
    let srgb = Format { image_channel_order: CL_sRGBA, ..RGBA8 };
    let view = make!(cx.clCreateImage(cx.context, 0, srgb.raw(), &plane, null_mut()));
    equal!(query!(cx.clGetMemObjectInfo(view, CL_MEM_ASSOCIATED_MEMOBJECT)).value::<cl_mem>()?, image);
    equal!(query!(cx.clGetMemObjectInfo(view, CL_MEM_FLAGS)).value::<cl_ulong>()?, flags);
    Ok(())
}

fn images_of_1_1(cx: &Ctx) -> Outcome {
    let mut host: Vec<u8> = noise(51, 2 * 4 * 48);
    let pointer = raw(&mut host);
    let flags = CL_MEM_COPY_HOST_PTR;
    let plane = make!(cx.clCreateImage2D(cx.context, flags, RGBA8.raw(), 8, 4, 48, pointer));
    equal!(query!(cx.clGetMemObjectInfo(plane, CL_MEM_TYPE)).value::<cl_uint>()?, CL_MEM_OBJECT_IMAGE2D);
    equal!(info(cx, plane, CL_IMAGE_ROW_PITCH)?, 48);
    equal!(&read(cx, plane, [1, 3, 0], [7, 1, 1], 4)?[..], &host[3 * 48 + 4..3 * 48 + 32]);
    let volume = make!(cx.clCreateImage3D(cx.context, flags, RGBA8.raw(), 8, 3, 2, 48, 192, pointer));
    equal!(query!(cx.clGetMemObjectInfo(volume, CL_MEM_TYPE)).value::<cl_uint>()?, CL_MEM_OBJECT_IMAGE3D);
    equal!(info(cx, volume, CL_IMAGE_SLICE_PITCH)?, 192);
    equal!(&read(cx, volume, [1, 2, 1], [7, 1, 1], 4)?[..], &host[192 + 2 * 48 + 4..192 + 2 * 48 + 32]);
    Ok(())
}

/// Returns the formats that every device of the full profile must support for reading and, except for sRGB, for
/// writing.
fn required() -> Vec<(cl_uint, cl_uint)> {
    let types = [
        CL_UNORM_INT8,
        CL_UNORM_INT16,
        CL_SNORM_INT8,
        CL_SNORM_INT16,
        CL_SIGNED_INT8,
        CL_SIGNED_INT16,
        CL_SIGNED_INT32,
        CL_UNSIGNED_INT8,
        CL_UNSIGNED_INT16,
        CL_UNSIGNED_INT32,
        CL_HALF_FLOAT,
        CL_FLOAT,
    ];
    let orders = [CL_R, CL_RG, CL_RGBA];
    let mut all: Vec<_> = orders.into_iter().flat_map(|o| types.map(|ty| (o, ty))).collect();
    all.extend([(CL_BGRA, CL_UNORM_INT8), (CL_sRGBA, CL_UNORM_INT8)]);
    all
}

fn image_formats(cx: &Ctx) -> Outcome {
    let uses = [0, CL_MEM_READ_WRITE, CL_MEM_READ_ONLY, CL_MEM_WRITE_ONLY, CL_MEM_KERNEL_READ_AND_WRITE];
    for (kind, size) in SHAPES {
        for flags in uses {
            let list = formats(cx, flags, kind)?;
            let list: Vec<_> =
                list.iter().map(|f| (f.image_channel_order, f.image_channel_data_type)).collect();
            let both = flags == CL_MEM_KERNEL_READ_AND_WRITE;
            for format in required() {
                holds!(list.contains(&format) || both && [CL_sRGBA, CL_BGRA].contains(&format.0));
            }
            let has_depth = matches!(kind, CL_MEM_OBJECT_IMAGE2D | CL_MEM_OBJECT_IMAGE2D_ARRAY);
            for ty in [CL_UNORM_INT16, CL_FLOAT] {
                equal!(list.contains(&(CL_DEPTH, ty)), has_depth);
            }
            let mut once = list.clone();
            once.sort_unstable();
            once.dedup();
            equal!(once.len(), list.len());
            if !both {
                for format in formats(cx, flags, kind)? {
                    ok!(cx.clReleaseMemObject(image(cx, flags, format, (kind, size))?));
                }
            }
        }
    }
    // The list is shorter than the number of formats.
    let (mut some, mut count) = ([DEPTH; 3], 0);
    let (kind, list) = (CL_MEM_OBJECT_IMAGE3D, some.as_mut_ptr().cast::<cl_image_format>());
    ok!(cx.clGetSupportedImageFormats(cx.context, CL_MEM_READ_ONLY, kind, 2, list, &mut count));
    holds!(count > 30);
    equal!(some.map(|f| f.image_channel_order == CL_DEPTH), [false, false, true]);
    ok!(cx.clGetSupportedImageFormats(cx.context, CL_MEM_READ_ONLY, kind, 2, list, null_mut()));
    Ok(())
}

fn negative_image_formats(cx: &Ctx) -> Outcome {
    let (mut format, mut count) = (RGBA8, 7);
    let (list, count) = ((&raw mut format).cast(), &raw mut count);
    let (read, plane) = (CL_MEM_READ_ONLY, CL_MEM_OBJECT_IMAGE2D);
    for wrong in [null_mut(), cx.queue] {
        fails!(CL_INVALID_CONTEXT, cx.clGetSupportedImageFormats(wrong, read, plane, 1, list, count));
    }
    for flags in [CL_MEM_READ_ONLY | CL_MEM_WRITE_ONLY, 1 << 40, CL_MEM_READ_WRITE | CL_MEM_READ_ONLY] {
        fails!(CL_INVALID_VALUE, cx.clGetSupportedImageFormats(cx.context, flags, plane, 1, list, count));
    }
    for kind in [0, CL_MEM_OBJECT_BUFFER, CL_MEM_OBJECT_PIPE, CL_MEM_OBJECT_PIPE + 1] {
        fails!(CL_INVALID_VALUE, cx.clGetSupportedImageFormats(cx.context, read, kind, 1, list, count));
    }
    fails!(CL_INVALID_VALUE, cx.clGetSupportedImageFormats(cx.context, read, plane, 0, list, count));
    Ok(())
}

fn negative_image_format(cx: &Ctx) -> Outcome {
    let (plane, code) = (plane(), CL_INVALID_IMAGE_FORMAT_DESCRIPTOR);
    for wrong in [null_mut(), cx.queue] {
        make_fails!(CL_INVALID_CONTEXT, cx.clCreateImage(wrong, 0, RGBA8.raw(), &plane, null_mut()));
    }
    make_fails!(code, cx.clCreateImage(cx.context, 0, null(), &plane, null_mut()));
    let wrong = [
        (0, CL_UNORM_INT8),
        (CL_RGBA, 0),
        (CL_UNORM_INT8, CL_RGBA),
        (CL_RGB, CL_UNORM_INT8),
        (CL_RGBx, CL_FLOAT),
        (CL_RGBA, CL_UNORM_SHORT_565),
        (CL_RGB, CL_UNORM_INT_101010_2),
        (CL_BGRA, CL_UNORM_INT16),
        (CL_ARGB, CL_FLOAT),
        (CL_INTENSITY, CL_SIGNED_INT8),
        (CL_LUMINANCE, CL_UNSIGNED_INT32),
        (CL_sRGBA, CL_UNORM_INT16),
        (CL_sRGB, CL_FLOAT),
        (CL_DEPTH, CL_UNORM_INT8),
        (CL_DEPTH, CL_HALF_FLOAT),
    ];
    for (image_channel_order, image_channel_data_type) in wrong {
        let format = Format { image_channel_order, image_channel_data_type };
        refused(cx, code, 0, format, self::plane(), null_mut())?;
    }
    // A format that is valid for other image types only.
    for (kind, size) in SHAPES {
        let mut desc = desc(kind, size);
        match kind {
            CL_MEM_OBJECT_IMAGE2D | CL_MEM_OBJECT_IMAGE2D_ARRAY => continue,
            CL_MEM_OBJECT_IMAGE1D_BUFFER => desc.buffer = cx.empty_buffer(256)?,
            _ => {}
        }
        refused(cx, CL_IMAGE_FORMAT_NOT_SUPPORTED, 0, DEPTH, desc, null_mut())?;
    }
    Ok(())
}

fn negative_image_desc(cx: &Ctx) -> Outcome {
    let code = CL_INVALID_IMAGE_DESCRIPTOR;
    make_fails!(code, cx.clCreateImage(cx.context, 0, RGBA8.raw(), null(), null_mut()));
    for image_type in [0, CL_MEM_OBJECT_BUFFER, CL_MEM_OBJECT_PIPE, CL_MEM_OBJECT_IMAGE1D_BUFFER + 10] {
        refused(cx, code, 0, RGBA8, cl_image_desc { image_type, ..plane() }, null_mut())?;
    }
    for levels in [1, 2, 50] {
        refused(cx, code, 0, RGBA8, cl_image_desc { num_mip_levels: levels, ..plane() }, null_mut())?;
        refused(cx, code, 0, RGBA8, cl_image_desc { num_samples: levels, ..plane() }, null_mut())?;
    }
    // Objects from which no image of this type can be created.
    let (buffer, other) = (cx.empty_buffer(4096)?, cx.sibling()?);
    let flat = image(cx, 0, RGBA8, (CL_MEM_OBJECT_IMAGE2D, [8, 4, 1]))?;
    let deep = image(cx, 0, RGBA8, (CL_MEM_OBJECT_IMAGE3D, [8, 4, 2]))?;
    for (kind, size) in SHAPES {
        let takes_buffer = matches!(kind, CL_MEM_OBJECT_IMAGE1D_BUFFER | CL_MEM_OBJECT_IMAGE2D);
        let mut wrong = vec![cx.queue, cx.context, deep, other.empty_buffer(4096)?];
        wrong.extend((!takes_buffer).then_some(buffer));
        wrong.extend((kind != CL_MEM_OBJECT_IMAGE2D).then_some(flat));
        wrong.extend((kind == CL_MEM_OBJECT_IMAGE1D_BUFFER).then_some(null_mut()));
        for object in wrong {
            refused(cx, code, 0, RGBA8, cl_image_desc { buffer: object, ..desc(kind, size) }, null_mut())?;
        }
    }
    let properties = [CL_MEM_READ_ONLY, 1, 0];
    let (context, plane, list) = (cx.context, plane(), properties.as_ptr());
    let property = CL_INVALID_PROPERTY;
    make_fails!(property, cx.clCreateImageWithProperties(context, list, 0, RGBA8.raw(), &plane, null_mut()));
    let empty = [0];
    let list = empty.as_ptr();
    let image = make!(cx.clCreateImageWithProperties(context, list, 0, RGBA8.raw(), &plane, null_mut()));
    equal!(query!(cx.clGetMemObjectInfo(image, 0x110A)).array::<cl_ulong>()?, vec![0]);
    Ok(())
}

fn negative_image_size(cx: &Ctx) -> Outcome {
    let limit = |name| query!(cx.clGetDeviceInfo(cx.device, name)).value::<usize>();
    let (width, height) = (limit(CL_DEVICE_IMAGE2D_MAX_WIDTH)?, limit(CL_DEVICE_IMAGE2D_MAX_HEIGHT)?);
    let layers = limit(CL_DEVICE_IMAGE_MAX_ARRAY_SIZE)?;
    let volume = [
        limit(CL_DEVICE_IMAGE3D_MAX_WIDTH)?,
        limit(CL_DEVICE_IMAGE3D_MAX_HEIGHT)?,
        limit(CL_DEVICE_IMAGE3D_MAX_DEPTH)?,
    ];
    let most = [
        (CL_MEM_OBJECT_IMAGE1D, vec![width]),
        (CL_MEM_OBJECT_IMAGE1D_BUFFER, vec![limit(CL_DEVICE_IMAGE_MAX_BUFFER_SIZE)?]),
        (CL_MEM_OBJECT_IMAGE1D_ARRAY, vec![width, layers]),
        (CL_MEM_OBJECT_IMAGE2D, vec![width, height]),
        (CL_MEM_OBJECT_IMAGE2D_ARRAY, vec![width, height, layers]),
        (CL_MEM_OBJECT_IMAGE3D, volume.to_vec()),
    ];
    let buffer = cx.empty_buffer(64)?;
    for (kind, most) in most {
        for (i, most) in most.into_iter().enumerate() {
            for wrong in [0, most + 1, usize::MAX, usize::MAX / 4 + 1] {
                let mut size = [1; 3];
                size[i] = wrong;
                let mut desc = desc(kind, size);
                if kind == CL_MEM_OBJECT_IMAGE1D_BUFFER {
                    desc.buffer = buffer;
                }
                refused(cx, CL_INVALID_IMAGE_SIZE, 0, RGBA8, desc, null_mut())?;
            }
        }
    }
    // Fields that an image type does not use are ignored.
    let mut line = desc(CL_MEM_OBJECT_IMAGE1D, [4, 0, 0]);
    (line.image_height, line.image_depth, line.image_array_size) = (0, usize::MAX, 0);
    ok!(cx.clReleaseMemObject(make!(cx.clCreateImage(cx.context, 0, RGBA8.raw(), &line, null_mut()))));
    // Each dimension is valid, but the product exceeds the available memory.
    let float = Format { image_channel_data_type: CL_FLOAT, ..RGBA8 };
    let huge = desc(CL_MEM_OBJECT_IMAGE2D_ARRAY, [width, height, layers]);
    refused(cx, CL_MEM_OBJECT_ALLOCATION_FAILURE, 0, float, huge, null_mut())
}

fn negative_image_pitches(cx: &Ctx) -> Outcome {
    let code = CL_INVALID_IMAGE_DESCRIPTOR;
    let mut host = vec![0u8; 4096];
    let pointer = raw(&mut host);
    for (kind, size) in SHAPES {
        if kind == CL_MEM_OBJECT_IMAGE1D_BUFFER {
            continue;
        }
        let row = size[0] * 4;
        let desc = desc(kind, size);
        // Without a host pointer, pitches must be 0.
        let with =
            |image_row_pitch, image_slice_pitch| cl_image_desc { image_row_pitch, image_slice_pitch, ..desc };
        refused(cx, code, 0, RGBA8, with(row, 0), null_mut())?;
        refused(cx, code, 0, RGBA8, with(0, row * 8), null_mut())?;
        for flags in [CL_MEM_USE_HOST_PTR, CL_MEM_COPY_HOST_PTR] {
            // Too small, or not a multiple of the texel size.
            for pitch in [1, 4, row - 4, row + 2, row * 2 + 1, usize::MAX] {
                refused(cx, code, flags, RGBA8, with(pitch, 0), pointer)?;
            }
            if !has_slices(kind) {
                continue;
            }
            let rows = if kind == CL_MEM_OBJECT_IMAGE1D_ARRAY { 1 } else { size[1] };
            // Too small, or not a multiple of the row pitch.
            for pitch in [4, row * rows - 4, row * rows + 4, row * rows + row / 2, usize::MAX] {
                refused(cx, code, flags, RGBA8, with(row, pitch), pointer)?;
            }
            // The size in bytes overflows.
            let far = usize::MAX / 8 / row * row;
            let huge = cl_image_desc { image_depth: 16, image_array_size: 16, ..with(row, far) };
            refused(cx, CL_MEM_OBJECT_ALLOCATION_FAILURE, flags, RGBA8, huge, pointer)?;
        }
        let far = usize::MAX / 8 * 4;
        if kind == CL_MEM_OBJECT_IMAGE2D {
            refused(cx, code, CL_MEM_USE_HOST_PTR, RGBA8, with(far, 0), pointer)?;
        }
    }
    Ok(())
}

fn negative_image_flags(cx: &Ctx) -> Outcome {
    let mut host = vec![0u8; 256];
    let pointer = raw(&mut host);
    let flags = [
        CL_MEM_READ_WRITE | CL_MEM_READ_ONLY,
        CL_MEM_WRITE_ONLY | CL_MEM_READ_ONLY,
        CL_MEM_HOST_READ_ONLY | CL_MEM_HOST_NO_ACCESS,
        CL_MEM_HOST_READ_ONLY | CL_MEM_HOST_WRITE_ONLY,
        CL_MEM_KERNEL_READ_AND_WRITE,
        1 << 50,
    ];
    for flags in flags {
        refused(cx, CL_INVALID_VALUE, flags, RGBA8, plane(), null_mut())?;
    }
    for flags in [CL_MEM_USE_HOST_PTR | CL_MEM_COPY_HOST_PTR, CL_MEM_USE_HOST_PTR | CL_MEM_ALLOC_HOST_PTR] {
        refused(cx, CL_INVALID_VALUE, flags, RGBA8, plane(), pointer)?;
    }
    for flags in [0, CL_MEM_ALLOC_HOST_PTR] {
        refused(cx, CL_INVALID_HOST_PTR, flags, RGBA8, plane(), pointer)?;
    }
    for flags in [CL_MEM_USE_HOST_PTR, CL_MEM_COPY_HOST_PTR, CL_MEM_COPY_HOST_PTR | CL_MEM_ALLOC_HOST_PTR] {
        refused(cx, CL_INVALID_HOST_PTR, flags, RGBA8, plane(), null_mut())?;
    }
    // Images of another object: flags must not permit more than those of the object, and must not describe host
    // memory.
    let widened = [
        (CL_MEM_WRITE_ONLY, CL_MEM_READ_WRITE),
        (CL_MEM_WRITE_ONLY, CL_MEM_READ_ONLY),
        (CL_MEM_READ_ONLY, CL_MEM_READ_WRITE),
        (CL_MEM_READ_ONLY, CL_MEM_WRITE_ONLY),
        (CL_MEM_HOST_WRITE_ONLY, CL_MEM_HOST_READ_ONLY),
        (CL_MEM_HOST_READ_ONLY, CL_MEM_HOST_WRITE_ONLY),
        (CL_MEM_HOST_NO_ACCESS, CL_MEM_HOST_READ_ONLY),
        (CL_MEM_HOST_NO_ACCESS, CL_MEM_HOST_WRITE_ONLY),
        (CL_MEM_READ_WRITE, CL_MEM_ALLOC_HOST_PTR),
        (CL_MEM_READ_WRITE, CL_MEM_COPY_HOST_PTR),
        (CL_MEM_READ_WRITE, CL_MEM_USE_HOST_PTR),
    ];
    let srgb = Format { image_channel_order: CL_sRGBA, ..RGBA8 };
    for (flags, asked) in widened {
        let buffer = make!(cx.clCreateBuffer(cx.context, flags, 256, null_mut()));
        let image = image(cx, flags, RGBA8, (CL_MEM_OBJECT_IMAGE2D, [8, 4, 1]))?;
        let line = desc(CL_MEM_OBJECT_IMAGE1D_BUFFER, [8, 1, 1]);
        refused(cx, CL_INVALID_VALUE, asked, RGBA8, cl_image_desc { buffer, ..line }, null_mut())?;
        refused(cx, CL_INVALID_VALUE, asked, RGBA8, cl_image_desc { buffer, ..plane() }, null_mut())?;
        refused(cx, CL_INVALID_VALUE, asked, srgb, cl_image_desc { buffer: image, ..plane() }, null_mut())?;
        refused(cx, CL_INVALID_HOST_PTR, 0, RGBA8, cl_image_desc { buffer, ..plane() }, pointer)?;
        ok!(cx.clReleaseMemObject(image));
        ok!(cx.clReleaseMemObject(buffer));
    }
    Ok(())
}

fn negative_image_in_a_buffer(cx: &Ctx) -> Outcome {
    let buffer = cx.empty_buffer(128)?;
    let line = |width| cl_image_desc { buffer, ..desc(CL_MEM_OBJECT_IMAGE1D_BUFFER, [width, 1, 1]) };
    let made = make!(cx.clCreateImage(cx.context, 0, RGBA8.raw(), &line(32), null_mut()));
    ok!(cx.clReleaseMemObject(made));
    refused(cx, CL_INVALID_IMAGE_SIZE, 0, RGBA8, line(33), null_mut())?;
    let plane =
        |image_row_pitch, image_height| cl_image_desc { buffer, image_row_pitch, image_height, ..plane() };
    for (row, height) in [(0, 4), (32, 4), (64, 2), (128, 1), (36, 3)] {
        let made = make!(cx.clCreateImage(cx.context, 0, RGBA8.raw(), &plane(row, height), null_mut()));
        ok!(cx.clReleaseMemObject(made));
    }
    for (row, height) in [(0, 5), (36, 4), (64, 3), (132, 1), (1 << 62, 16), (usize::MAX - 3, 2)] {
        refused(cx, CL_INVALID_IMAGE_SIZE, 0, RGBA8, plane(row, height), null_mut())?;
    }
    // Row pitches that are too small or not a multiple of the texel size.
    for row in [33, 34, 38, 31] {
        refused(cx, CL_INVALID_IMAGE_FORMAT_DESCRIPTOR, 0, RGBA8, plane(row, 2), null_mut())?;
    }
    for row in [4, 28] {
        refused(cx, CL_INVALID_IMAGE_DESCRIPTOR, 0, RGBA8, plane(row, 2), null_mut())?;
    }
    let sliced = cl_image_desc { image_slice_pitch: 64, ..plane(0, 2) };
    refused(cx, CL_INVALID_IMAGE_DESCRIPTOR, 0, RGBA8, sliced, null_mut())?;
    // Memory of the application with a misaligned address.
    let mut host = vec![0u32; 64];
    let odd = raw(&mut host).wrapping_byte_add(2);
    let buffer = make!(cx.clCreateBuffer(cx.context, CL_MEM_USE_HOST_PTR, 128, odd));
    let desc = cl_image_desc { buffer, ..plane(0, 2) };
    refused(cx, CL_INVALID_IMAGE_FORMAT_DESCRIPTOR, 0, RGBA8, desc, null_mut())
}

fn negative_image_view(cx: &Ctx) -> Outcome {
    let code = CL_INVALID_IMAGE_FORMAT_DESCRIPTOR;
    let image = image(cx, 0, RGBA8, (CL_MEM_OBJECT_IMAGE2D, [8, 4, 1]))?;
    let view = || cl_image_desc { buffer: image, ..plane() };
    let format = |image_channel_order, image_channel_data_type| Format {
        image_channel_order,
        image_channel_data_type,
    };
    let srgb = format(CL_sRGBA, CL_UNORM_INT8);
    // The same order, another order, and another type.
    let wrong = [RGBA8, format(CL_BGRA, CL_UNORM_INT8), format(CL_sBGRA, CL_UNORM_INT8), DEPTH];
    for format in wrong {
        refused(cx, code, 0, format, view(), null_mut())?;
    }
    // Another size.
    refused(cx, code, 0, srgb, cl_image_desc { image_width: 7, ..view() }, null_mut())?;
    refused(cx, code, 0, srgb, cl_image_desc { image_height: 5, ..view() }, null_mut())?;
    refused(cx, code, 0, srgb, cl_image_desc { image_row_pitch: 36, ..view() }, null_mut())?;
    refused(cx, code, 0, srgb, cl_image_desc { image_slice_pitch: 128, ..view() }, null_mut())?;
    // A depth image may be created from an image of order R, but not the reverse.
    let depth = super::image_model::image(cx, 0, DEPTH, (CL_MEM_OBJECT_IMAGE2D, [8, 4, 1]))?;
    refused(cx, code, 0, format(CL_R, CL_FLOAT), cl_image_desc { buffer: depth, ..view() }, null_mut())
}

fn negative_images_of_1_1(cx: &Ctx) -> Outcome {
    let (context, none) = (cx.context, null_mut());
    let mut host = vec![0u8; 4096];
    let (pointer, size) = (raw(&mut host), CL_INVALID_IMAGE_SIZE);
    make_fails!(CL_INVALID_CONTEXT, cx.clCreateImage2D(none, 0, RGBA8.raw(), 8, 4, 0, none));
    make_fails!(CL_INVALID_CONTEXT, cx.clCreateImage3D(none, 0, RGBA8.raw(), 8, 4, 2, 0, 0, none));
    make_fails!(CL_INVALID_VALUE, cx.clCreateImage2D(context, 1 << 50, RGBA8.raw(), 8, 4, 0, none));
    make_fails!(CL_INVALID_VALUE, cx.clCreateImage3D(context, 1 << 50, RGBA8.raw(), 8, 4, 2, 0, 0, none));
    let format = CL_INVALID_IMAGE_FORMAT_DESCRIPTOR;
    make_fails!(format, cx.clCreateImage2D(context, 0, null(), 8, 4, 0, none));
    make_fails!(format, cx.clCreateImage3D(context, 0, null(), 8, 4, 2, 0, 0, none));
    make_fails!(
        CL_IMAGE_FORMAT_NOT_SUPPORTED,
        cx.clCreateImage3D(context, 0, DEPTH.raw(), 8, 4, 2, 0, 0, none)
    );
    for (width, height) in [(0, 4), (8, 0), (1 << 40, 4), (8, 1 << 40)] {
        make_fails!(size, cx.clCreateImage2D(context, 0, RGBA8.raw(), width, height, 0, none));
        make_fails!(size, cx.clCreateImage3D(context, 0, RGBA8.raw(), width, height, 2, 0, 0, none));
    }
    for depth in [0, 1, 1 << 40] {
        make_fails!(size, cx.clCreateImage3D(context, 0, RGBA8.raw(), 8, 4, depth, 0, 0, none));
    }
    make_fails!(size, cx.clCreateImage2D(context, 0, RGBA8.raw(), 8, 4, 32, none));
    make_fails!(size, cx.clCreateImage3D(context, 0, RGBA8.raw(), 8, 4, 2, 32, 0, none));
    make_fails!(size, cx.clCreateImage3D(context, 0, RGBA8.raw(), 8, 4, 2, 0, 128, none));
    let flags = CL_MEM_USE_HOST_PTR;
    for row in [28, 33] {
        make_fails!(size, cx.clCreateImage2D(context, flags, RGBA8.raw(), 8, 4, row, pointer));
        make_fails!(size, cx.clCreateImage3D(context, flags, RGBA8.raw(), 8, 4, 2, row, 0, pointer));
    }
    for slice in [96, 130] {
        make_fails!(size, cx.clCreateImage3D(context, flags, RGBA8.raw(), 8, 4, 2, 32, slice, pointer));
    }
    make_fails!(CL_INVALID_HOST_PTR, cx.clCreateImage2D(context, flags, RGBA8.raw(), 8, 4, 0, none));
    make_fails!(CL_INVALID_HOST_PTR, cx.clCreateImage2D(context, 0, RGBA8.raw(), 8, 4, 0, pointer));
    make_fails!(CL_INVALID_HOST_PTR, cx.clCreateImage3D(context, flags, RGBA8.raw(), 8, 4, 2, 0, 0, none));
    make_fails!(CL_INVALID_HOST_PTR, cx.clCreateImage3D(context, 0, RGBA8.raw(), 8, 4, 2, 0, 0, pointer));
    Ok(())
}

fn image_limits(cx: &Ctx) -> Outcome {
    let size = |name| query!(cx.clGetDeviceInfo(cx.device, name)).value::<usize>();
    let number = |name| query!(cx.clGetDeviceInfo(cx.device, name)).value::<cl_uint>();
    let sizes = [
        (CL_DEVICE_IMAGE2D_MAX_WIDTH, 16384),
        (CL_DEVICE_IMAGE2D_MAX_HEIGHT, 16384),
        (CL_DEVICE_IMAGE3D_MAX_WIDTH, 2048),
        (CL_DEVICE_IMAGE3D_MAX_HEIGHT, 2048),
        (CL_DEVICE_IMAGE3D_MAX_DEPTH, 2048),
        (CL_DEVICE_IMAGE_MAX_ARRAY_SIZE, 2048),
        (CL_DEVICE_IMAGE_MAX_BUFFER_SIZE, 65536),
    ];
    for (name, least) in sizes {
        holds!(size(name)? >= least);
    }
    let numbers = [
        (CL_DEVICE_IMAGE_SUPPORT, 1),
        (CL_DEVICE_MAX_READ_IMAGE_ARGS, 128),
        (CL_DEVICE_MAX_WRITE_IMAGE_ARGS, 64),
        (CL_DEVICE_MAX_READ_WRITE_IMAGE_ARGS, 64),
        (CL_DEVICE_MAX_SAMPLERS, 16),
    ];
    for (name, least) in numbers {
        holds!(number(name)? >= least);
    }
    for name in [CL_DEVICE_IMAGE_PITCH_ALIGNMENT, CL_DEVICE_IMAGE_BASE_ADDRESS_ALIGNMENT] {
        holds!(number(name)?.is_power_of_two());
    }
    // The longest rows that the device supports.
    let wide = image(cx, 0, RGBA8, (CL_MEM_OBJECT_IMAGE1D, [size(CL_DEVICE_IMAGE2D_MAX_WIDTH)?, 1, 1]))?;
    ok!(cx.clReleaseMemObject(wide));
    Ok(())
}

/// Checks whether a handle is that of a memory object.
fn lives(cx: &Ctx, mem: cl_mem) -> bool {
    let mut kind = 0 as cl_uint;
    let value = (&raw mut kind).cast();
    cx.clGetMemObjectInfo(mem, CL_MEM_TYPE, 4, value, null_mut()) == CL_SUCCESS
}

fn image_life(cx: &Ctx) -> Outcome {
    // A chain of objects, released in every order. The last one's texels are the first one's bytes.
    let orders = [[0, 1, 2], [0, 2, 1], [1, 0, 2], [1, 2, 0], [2, 0, 1], [2, 1, 0]];
    for order in orders {
        let data = noise(61, 128);
        let buffer = cx.buffer(&data)?;
        let image = make!(cx.clCreateImage(
            cx.context,
            0,
            RGBA8.raw(),
            &cl_image_desc { buffer, ..plane() },
            null_mut()
        ));
        let srgb = Format { image_channel_order: CL_sRGBA, ..RGBA8 };
        let desc = cl_image_desc { buffer: image, ..plane() };
        let view = make!(cx.clCreateImage(cx.context, 0, srgb.raw(), &desc, null_mut()));
        let chain = [buffer, image, view];
        let mut held = [true; 3];
        for i in order {
            ok!(cx.clReleaseMemObject(chain[i]));
            held[i] = false;
            for mem in [1, 2] {
                if held[mem] {
                    equal!(read(cx, chain[mem], [0; 3], [8, 4, 1], 4)?, data.clone());
                }
            }
            if cx.is_vendor() {
                // An object lives as long as any object created from it.
                for mem in 0..3 {
                    equal!(lives(cx, chain[mem]), held[mem..].contains(&true));
                }
            }
        }
    }
    // A command keeps its image alive.
    let image = image(cx, 0, RGBA8, (CL_MEM_OBJECT_IMAGE2D, [8, 4, 1]))?;
    let gate = cx.user_event()?;
    let (mut host, zero, size) = (vec![1u8; 128], [0usize; 3], [8usize, 4, 1]);
    let data = noise(62, 128);
    write(cx, image, zero, size, &data)?;
    let (pointer, at, extent) = (raw(&mut host), zero.as_ptr(), size.as_ptr());
    let mut event = null_mut();
    ok!(cx.clEnqueueReadImage(cx.queue, image, CL_FALSE, at, extent, 0, 0, pointer, 1, &gate, &mut event));
    ok!(cx.clReleaseMemObject(image));
    ok!(cx.clSetUserEventStatus(gate, CL_COMPLETE));
    ok!(cx.clWaitForEvents(1, &event));
    equal!(host, data);
    Ok(())
}

unsafe extern "C" fn count(_mem: cl_mem, counter: *mut c_void) {
    // SAFETY: the tests pass a counter that outlives the image.
    unsafe { &*counter.cast::<AtomicUsize>() }.fetch_add(1, Ordering::SeqCst);
}

fn image_destructors(cx: &Ctx) -> Outcome {
    for (kind, size) in SHAPES {
        let counter = AtomicUsize::new(0);
        let data = (&raw const counter).cast_mut().cast();
        let image = image(cx, 0, RGBA8, (kind, size))?;
        ok!(cx.clSetMemObjectDestructorCallback(image, Some(count), data));
        ok!(cx.clSetMemObjectDestructorCallback(image, Some(count), data));
        ok!(cx.clRetainMemObject(image));
        ok!(cx.clReleaseMemObject(image));
        equal!(counter.load(Ordering::SeqCst), 0);
        ok!(cx.clReleaseMemObject(image));
        equal!(counter.load(Ordering::SeqCst), 2);
    }
    Ok(())
}
