//! Tests of the contents of images: written, read, copied and mapped, in memory of the application and of other
//! objects.

use std::ffi::c_void;
use std::ptr::{null, null_mut};

use cl_sys::*;

use super::image_model::*;
use crate::check::Outcome;
use crate::context::{Ctx, raw};
use crate::{equal, holds, make, ok, tests};

tests! {
    "test_cl_read_write_images":
        every_format_and_type, host_pitches, host_pointers;
    "test_cl_copy_images":
        copies_between_types, copies_within_an_image, copies_with_buffers;
    "test_image_streams":
        image_maps, images_in_buffers, views_of_images;
}

fn every_format_and_type(cx: &Ctx) -> Outcome {
    for (kind, size) in SHAPES {
        for (seed, format) in formats(cx, CL_MEM_READ_WRITE, kind)?.into_iter().enumerate() {
            let texel = texel_size(format);
            let bytes = noise(seed as u64, size.iter().product::<usize>() * texel);
            let image = image(cx, CL_MEM_READ_WRITE, format, (kind, size))?;
            equal!(info(cx, image, CL_IMAGE_ELEMENT_SIZE)?, texel);
            write(cx, image, [0; 3], size, &bytes)?;
            let mut model = Model::new(size, texel, bytes);
            for (seed, (origin, region)) in regions(size).into_iter().enumerate() {
                let part = noise(seed as u64 + 99, region.iter().product::<usize>() * texel);
                write(cx, image, origin, region, &part)?;
                model.put(origin, region, &part);
                equal!(read(cx, image, [0; 3], size, texel)?, model.bytes.clone());
                equal!(read(cx, image, origin, region, texel)?, part);
            }
            ok!(cx.clReleaseMemObject(image));
        }
    }
    Ok(())
}

/// Returns one format for each texel size.
fn sizes() -> Vec<Format> {
    let format = |image_channel_order, image_channel_data_type| Format {
        image_channel_order,
        image_channel_data_type,
    };
    vec![
        format(CL_R, CL_UNSIGNED_INT8),
        format(CL_RG, CL_UNORM_INT8),
        RGBA8,
        format(CL_RGBA, CL_HALF_FLOAT),
        format(CL_RGBA, CL_FLOAT),
    ]
}

fn host_pitches(cx: &Ctx) -> Outcome {
    for (kind, size) in SHAPES {
        for format in sizes() {
            let texel = texel_size(format);
            let image = image(cx, 0, format, (kind, size))?;
            let mut model = Model::new(size, texel, noise(1, size.iter().product::<usize>() * texel));
            write(cx, image, [0; 3], size, &model.bytes)?;
            for (origin, region) in regions(size) {
                for gaps in [(0, 0), (2, 0), (0, 1), (3, 2)] {
                    let data = noise(gaps.0 as u64 + 7, region.iter().product::<usize>() * texel);
                    let source = spread(kind, region, texel, &data, gaps);
                    let (from, size) = (source.bytes.as_ptr(), region.as_ptr());
                    let (row, slice, list, none) = (source.row_pitch, source.slice_pitch, null(), null_mut());
                    let (pointer, at) = (from.cast::<c_void>().cast_mut(), origin.as_ptr());
                    ok!(cx.clEnqueueWriteImage(
                        cx.queue, image, CL_FALSE, at, size, row, slice, pointer, 0, list, none
                    ));
                    model.put(origin, region, &data);
                    let mut found = vec![GAP; source.bytes.len()];
                    let pointer = raw(&mut found);
                    ok!(cx.clEnqueueReadImage(
                        cx.queue, image, CL_TRUE, at, size, row, slice, pointer, 0, list, none
                    ));
                    // The gaps between rows are unchanged, too.
                    equal!(&found, &source.bytes);
                }
            }
            equal!(read(cx, image, [0; 3], size, texel)?, model.bytes);
            ok!(cx.clReleaseMemObject(image));
        }
    }
    Ok(())
}

fn host_pointers(cx: &Ctx) -> Outcome {
    let shapes = SHAPES.into_iter().filter(|(kind, _)| *kind != CL_MEM_OBJECT_IMAGE1D_BUFFER);
    for (kind, size) in shapes {
        for flags in [CL_MEM_USE_HOST_PTR, CL_MEM_COPY_HOST_PTR, CL_MEM_COPY_HOST_PTR | CL_MEM_ALLOC_HOST_PTR]
        {
            for gaps in [(0, 0), (2, 0), (3, 2)] {
                let texel = texel_size(RGBA8);
                let mut model = Model::new(size, texel, noise(5, size.iter().product::<usize>() * texel));
                let mut host = spread(kind, size, texel, &model.bytes, gaps);
                let mut desc = desc(kind, size);
                (desc.image_row_pitch, desc.image_slice_pitch) = (host.row_pitch, host.slice_pitch);
                let pointer = raw(&mut host.bytes);
                let image = make!(cx.clCreateImage(cx.context, flags, RGBA8.raw(), &desc, pointer));
                equal!(info(cx, image, CL_IMAGE_ROW_PITCH)?, host.row_pitch);
                equal!(info(cx, image, CL_IMAGE_SLICE_PITCH)?, host.slice_pitch);
                equal!(read(cx, image, [0; 3], size, texel)?, model.bytes.clone());
                let (origin, region) = regions(size)[3];
                let part = noise(6, region.iter().product::<usize>() * texel);
                write(cx, image, origin, region, &part)?;
                model.put(origin, region, &part);
                equal!(read(cx, image, [0; 3], size, texel)?, model.bytes.clone());
                if flags & CL_MEM_USE_HOST_PTR != 0 {
                    // Texels are in the application's memory at its pitches, and the gaps are unchanged.
                    equal!(map_whole(cx, image, size)?.0.addr(), pointer.addr());
                    equal!(&host.bytes, &spread(kind, size, texel, &model.bytes, gaps).bytes);
                }
                ok!(cx.clReleaseMemObject(image));
            }
        }
    }
    Ok(())
}

/// Maps a whole image, unmaps it, and returns its address and pitches.
fn map_whole(cx: &Ctx, image: cl_mem, size: Triple) -> Outcome<(*mut c_void, usize, usize)> {
    let (mut row, mut slice) = (0, 0);
    let (origin, region, list, none) = ([0usize; 3].as_ptr(), size.as_ptr(), null(), null_mut());
    let pointer = make!(cx.clEnqueueMapImage(
        cx.queue,
        image,
        CL_TRUE,
        CL_MAP_READ,
        origin,
        region,
        &mut row,
        &mut slice,
        0,
        list,
        none
    ));
    ok!(cx.clEnqueueUnmapMemObject(cx.queue, image, pointer, 0, list, none));
    ok!(cx.clFinish(cx.queue));
    Ok((pointer, row, slice))
}

/// Returns the largest region that fits both sizes, with an origin in the middle of each image.
fn common(from: Triple, to: Triple) -> (Triple, Triple, Triple) {
    let middle = |size: Triple| size.map(|n| n / 3);
    let region = [0, 1, 2].map(|i| (from[i] - from[i] / 3).min(to[i] - to[i] / 3));
    (middle(from), middle(to), region)
}

fn copies_between_types(cx: &Ctx) -> Outcome {
    for format in sizes() {
        let texel = texel_size(format);
        for (from_kind, from_size) in SHAPES {
            for (to_kind, to_size) in SHAPES {
                let source = image(cx, CL_MEM_READ_ONLY, format, (from_kind, from_size))?;
                let target = image(cx, CL_MEM_HOST_READ_ONLY, format, (to_kind, to_size))?;
                let data =
                    Model::new(from_size, texel, noise(3, from_size.iter().product::<usize>() * texel));
                write(cx, source, [0; 3], from_size, &data.bytes)?;
                let mut model = Model::new(to_size, texel, read(cx, target, [0; 3], to_size, texel)?);
                let (from, to, region) = common(from_size, to_size);
                let (a, b, size, none) = (from.as_ptr(), to.as_ptr(), region.as_ptr(), null_mut());
                ok!(cx.clEnqueueCopyImage(cx.queue, source, target, a, b, size, 0, null(), none));
                model.put(to, region, &data.region(from, region));
                equal!(read(cx, target, [0; 3], to_size, texel)?, model.bytes);
                ok!(cx.clReleaseMemObject(source));
                ok!(cx.clReleaseMemObject(target));
            }
        }
    }
    Ok(())
}

fn copies_within_an_image(cx: &Ctx) -> Outcome {
    for (kind, size) in SHAPES {
        let texel = texel_size(RGBA8);
        let image = image(cx, 0, RGBA8, (kind, size))?;
        let mut model = Model::new(size, texel, noise(8, size.iter().product::<usize>() * texel));
        write(cx, image, [0; 3], size, &model.bytes)?;
        let none = null_mut();
        // All pairs of positions of a small region, overlapping or not.
        let region = size.map(|n| n.min(2));
        let places: Vec<Triple> = (0..size.iter().product::<usize>())
            .map(|i| [i % size[0], i / size[0] % size[1], i / size[0] / size[1]])
            .filter(|place| (0..3).all(|i| place[i] + region[i] <= size[i]))
            .collect();
        for from in &places {
            for to in &places {
                let meet = (0..3).all(|i| from[i].abs_diff(to[i]) < region[i]);
                let (a, b, size) = (from.as_ptr(), to.as_ptr(), region.as_ptr());
                let code = cx.clEnqueueCopyImage(cx.queue, image, image, a, b, size, 0, null(), none);
                equal!(code, if meet { CL_MEM_COPY_OVERLAP } else { CL_SUCCESS });
                if !meet {
                    model.put(*to, region, &model.clone().region(*from, region));
                }
            }
        }
        equal!(read(cx, image, [0; 3], size, texel)?, model.bytes);
        ok!(cx.clReleaseMemObject(image));
    }
    Ok(())
}

fn copies_with_buffers(cx: &Ctx) -> Outcome {
    for (kind, size) in SHAPES {
        for format in sizes() {
            let texel = texel_size(format);
            let bytes = size.iter().product::<usize>() * texel;
            let image = image(cx, 0, format, (kind, size))?;
            let mut model = Model::new(size, texel, noise(11, bytes));
            // Offsets need no alignment.
            let offset = 5;
            let mut linear = noise(12, bytes + offset);
            linear[offset..].copy_from_slice(&model.bytes);
            let buffer = cx.buffer(&linear)?;
            let (zero, none) = ([0usize; 3].as_ptr(), null_mut());
            let whole = size.as_ptr();
            ok!(cx.clEnqueueCopyBufferToImage(cx.queue, buffer, image, offset, zero, whole, 0, null(), none));
            equal!(read(cx, image, [0; 3], size, texel)?, model.bytes.clone());
            for (origin, region) in regions(size) {
                let (at, extent) = (origin.as_ptr(), region.as_ptr());
                let part = model.region(origin, region);
                ok!(cx.clEnqueueCopyImageToBuffer(cx.queue, image, buffer, at, extent, 3, 0, null(), none));
                linear[3..3 + part.len()].copy_from_slice(&part);
                equal!(cx.contents::<u8>(buffer, linear.len())?, linear.clone());
                ok!(cx.clEnqueueCopyBufferToImage(cx.queue, buffer, image, 0, at, extent, 0, null(), none));
                model.put(origin, region, &linear[..part.len()]);
                equal!(read(cx, image, [0; 3], size, texel)?, model.bytes.clone());
            }
            ok!(cx.clReleaseMemObject(image));
            ok!(cx.clReleaseMemObject(buffer));
        }
    }
    Ok(())
}

fn image_maps(cx: &Ctx) -> Outcome {
    for (kind, size) in SHAPES {
        let texel = texel_size(RGBA8);
        let image = image(cx, 0, RGBA8, (kind, size))?;
        let mut model = Model::new(size, texel, noise(21, size.iter().product::<usize>() * texel));
        write(cx, image, [0; 3], size, &model.bytes)?;
        let (whole, whole_row, whole_slice) = map_whole(cx, image, size)?;
        holds!(has_slices(kind) == (whole_slice != 0));
        for (origin, region) in regions(size) {
            let (mut row, mut slice) = (0, 0);
            let (at, extent, list, none) = (origin.as_ptr(), region.as_ptr(), null(), null_mut());
            let flags = CL_MAP_READ | CL_MAP_WRITE;
            let pointer = make!(cx.clEnqueueMapImage(
                cx.queue, image, CL_TRUE, flags, at, extent, &mut row, &mut slice, 0, list, none
            ));
            equal!((row, slice), (whole_row, whole_slice));
            let per_layer = if kind == CL_MEM_OBJECT_IMAGE1D_ARRAY { slice } else { row };
            let place = origin[0] * texel + origin[1] * per_layer + origin[2] * slice;
            equal!(pointer.addr(), whole.addr() + place);
            let mut found = Vec::new();
            let new = noise(22, region.iter().product::<usize>() * texel);
            for (i, bytes) in new.chunks_exact(region[0] * texel).enumerate() {
                let place = i % region[1] * per_layer + i / region[1] * slice;
                // SAFETY: the pointer is to a row of the mapped region.
                let mapped =
                    unsafe { std::slice::from_raw_parts_mut(pointer.cast::<u8>().add(place), bytes.len()) };
                found.extend_from_slice(mapped);
                mapped.copy_from_slice(bytes);
            }
            equal!(found, model.region(origin, region));
            ok!(cx.clEnqueueUnmapMemObject(cx.queue, image, pointer, 0, list, none));
            model.put(origin, region, &new);
            equal!(read(cx, image, [0; 3], size, texel)?, model.bytes.clone());
        }
        ok!(cx.clReleaseMemObject(image));
    }
    Ok(())
}

fn images_in_buffers(cx: &Ctx) -> Outcome {
    let texel = texel_size(RGBA8);
    let data = noise(31, 4096);
    // A separate buffer, and a sub-buffer.
    let parent = cx.buffer(&data)?;
    let region = cl_buffer_region { origin: 1024, size: 2048 };
    let (kind, pointer) = (CL_BUFFER_CREATE_TYPE_REGION, (&raw const region).cast());
    let part = make!(cx.clCreateSubBuffer(parent, 0, kind, pointer));
    for (buffer, start) in [(parent, 0), (part, 1024)] {
        let mut line = desc(CL_MEM_OBJECT_IMAGE1D_BUFFER, [512, 1, 1]);
        line.buffer = buffer;
        let image = make!(cx.clCreateImage(cx.context, 0, RGBA8.raw(), &line, null_mut()));
        let expected = &data[start + 40..start + 60];
        equal!(&read(cx, image, [10, 0, 0], [5, 1, 1], texel)?[..], expected);
        ok!(cx.clReleaseMemObject(image));
        // Rows that are longer than the image is wide.
        let size = [10, 7, 1];
        let mut plane = desc(CL_MEM_OBJECT_IMAGE2D, size);
        (plane.buffer, plane.image_row_pitch) = (buffer, 200);
        let image = make!(cx.clCreateImage(cx.context, 0, RGBA8.raw(), &plane, null_mut()));
        equal!(info(cx, image, CL_IMAGE_ROW_PITCH)?, 200);
        let rows: Vec<u8> = (0..7).flat_map(|y| data[start + y * 200..][..40].to_vec()).collect();
        equal!(read(cx, image, [0; 3], size, texel)?, rows);
        let row = noise(32, 20);
        write(cx, image, [3, 2, 0], [5, 1, 1], &row)?;
        let at = start + 2 * 200 + 12;
        equal!(&cx.contents::<u8>(parent, 4096)?[at..at + 20], &row[..]);
        write(cx, image, [3, 2, 0], [5, 1, 1], &data[at..at + 20])?;
        let (pointer, row, slice) = map_whole(cx, image, size)?;
        holds!(!pointer.is_null());
        equal!((row, slice), (200, 0));
        ok!(cx.clReleaseMemObject(image));
    }
    ok!(cx.clReleaseMemObject(part));
    ok!(cx.clReleaseMemObject(parent));
    Ok(())
}

fn views_of_images(cx: &Ctx) -> Outcome {
    let unorm = CL_UNORM_INT8;
    let pairs = [
        (CL_RGBA, CL_sRGBA, unorm),
        (CL_sRGBA, CL_RGBA, unorm),
        (CL_BGRA, CL_sBGRA, unorm),
        (CL_sBGRA, CL_BGRA, unorm),
        (CL_R, CL_DEPTH, CL_FLOAT),
        (CL_R, CL_DEPTH, CL_UNORM_INT16),
    ];
    for (order, view_order, ty) in pairs {
        let format = |order| Format { image_channel_order: order, image_channel_data_type: ty };
        let (texel, size) = (texel_size(format(order)), [9, 6, 1]);
        let mut host = noise(41, 20 * 6 * texel);
        let mut whole = desc(CL_MEM_OBJECT_IMAGE2D, size);
        whole.image_row_pitch = 20 * texel;
        let flags = CL_MEM_USE_HOST_PTR;
        let image = make!(cx.clCreateImage(cx.context, flags, format(order).raw(), &whole, raw(&mut host)));
        for pitch in [0, 20 * texel] {
            (whole.buffer, whole.image_row_pitch) = (image, pitch);
            let view = make!(cx.clCreateImage(cx.context, 0, format(view_order).raw(), &whole, null_mut()));
            equal!(info(cx, view, CL_IMAGE_ROW_PITCH)?, 20 * texel);
            let bytes = noise(pitch as u64 + 42, 54 * texel);
            write(cx, view, [0; 3], size, &bytes)?;
            equal!(read(cx, image, [0; 3], size, texel)?, bytes);
            ok!(cx.clReleaseMemObject(view));
        }
        ok!(cx.clReleaseMemObject(image));
    }
    Ok(())
}
