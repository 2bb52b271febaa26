//! Tests of fill colors. The values that clEnqueueFillImage stores are computed here from the conversions of OpenCL
//! C s8.3.

#![expect(non_upper_case_globals, reason = "channel orders have the names of the specification")]

use std::ptr::{null, null_mut};

use cl_sys::*;

use super::image_model::*;
use crate::check::{Outcome, failed};
use crate::context::Ctx;
use crate::{equal, ok, place, tests};

tests! {
    "test_cl_fill_images":
        fill_colors, fill_regions, fill_large;
}

/// Fills a region. `color` has the bits of four floats or integers.
fn fill(cx: &Ctx, image: cl_mem, color: [u32; 4], origin: Triple, region: Triple) -> Outcome {
    let (pointer, at, extent) = (color.as_ptr().cast(), origin.as_ptr(), region.as_ptr());
    ok!(cx.clEnqueueFillImage(cx.queue, image, pointer, at, extent, 0, null(), null_mut()));
    Ok(())
}

/// Returns the indices of the color components that the channels in memory receive, in memory order.
fn components(order: cl_uint) -> &'static [usize] {
    match order {
        CL_R | CL_INTENSITY | CL_LUMINANCE | CL_DEPTH => &[0],
        CL_A => &[3],
        CL_RG => &[0, 1],
        CL_RA => &[0, 3],
        // The value of the channel x is undefined.
        CL_Rx => &[0],
        CL_RGx => &[0, 1],
        CL_RGB | CL_sRGB | CL_RGBx | CL_sRGBx => &[0, 1, 2],
        CL_BGRA | CL_sBGRA => &[2, 1, 0, 3],
        CL_ARGB => &[3, 0, 1, 2],
        CL_ABGR => &[3, 2, 1, 0],
        _ => &[0, 1, 2, 3],
    }
}

/// Checks whether `stored` is a valid normalized integer for `value`, where `most` represents 1.
fn is_code(stored: i64, value: f32, most: f64, least: f64) -> bool {
    let exact = if value.is_nan() { 0.0 } else { (f64::from(value) * most).clamp(least, most) };
    (stored as f64 - exact).abs() <= 0.6
}

fn is_srgb_code(stored: i64, value: f32) -> bool {
    let c = if value.is_nan() { 0.0 } else { f64::from(value).clamp(0.0, 1.0) };
    let curve = if c < 0.003_130_8 { 12.92 * c } else { 1.055 * c.powf(1.0 / 2.4) - 0.055 };
    (stored as f64 - 255.0 * curve).abs() <= 0.6
}

/// Returns the bits of a half. Only values that occur in the colors are supported.
fn half(value: f32) -> i64 {
    match value {
        v if v.is_nan() => -1,
        0.0 => 0,
        v => {
            let bits = v.to_bits();
            let exponent = i64::from(bits >> 23 & 0xff) - 127 + 15;
            i64::from(bits >> 31) << 15 | exponent << 10 | i64::from(bits >> 13 & 0x3ff)
        }
    }
}

/// Checks whether channel `index` of a texel is a valid conversion of `value`.
fn channel_is_right(format: Format, texel: &[u8], index: usize, value: u32) -> bool {
    let float = f32::from_bits(value);
    let byte = |i: usize| texel.get(i).copied().unwrap_or_default();
    let short = u16::from_le_bytes([byte(2 * index), byte(2 * index + 1)]);
    let word = u32::from_le_bytes([4 * index, 4 * index + 1, 4 * index + 2, 4 * index + 3].map(byte));
    let is_srgb = matches!(format.image_channel_order, CL_sRGB | CL_sRGBx | CL_sRGBA | CL_sBGRA);
    let component = components(format.image_channel_order)[index];
    match format.image_channel_data_type {
        CL_UNORM_INT8 if is_srgb && component < 3 => is_srgb_code(byte(index).into(), float),
        CL_UNORM_INT8 => is_code(byte(index).into(), float, 255.0, 0.0),
        CL_UNORM_INT16 => is_code(short.into(), float, 65535.0, 0.0),
        CL_SNORM_INT8 => is_code((byte(index) as i8).into(), float, 127.0, -128.0),
        CL_SNORM_INT16 => is_code((short as i16).into(), float, 32767.0, -32768.0),
        CL_SIGNED_INT8 => i32::from(byte(index) as i8) == (value as i32).clamp(-128, 127),
        CL_SIGNED_INT16 => i32::from(short as i16) == (value as i32).clamp(-32768, 32767),
        CL_UNSIGNED_INT8 => u32::from(byte(index)) == value.min(255),
        CL_UNSIGNED_INT16 => u32::from(short) == value.min(65535),
        CL_HALF_FLOAT if float.is_nan() => short & 0x7fff > 0x7c00,
        CL_HALF_FLOAT => i64::from(short) == half(float),
        CL_FLOAT if float.is_nan() => f32::from_bits(word).is_nan(),
        _ => word == value,
    }
}

/// Returns the offset and the width in bits of the fields of a packed texel.
fn fields(ty: cl_uint) -> &'static [(u32, u32)] {
    match ty {
        CL_UNORM_SHORT_565 => &[(11, 5), (5, 6), (0, 5)],
        CL_UNORM_SHORT_555 => &[(10, 5), (5, 5), (0, 5)],
        CL_UNORM_INT_101010 => &[(20, 10), (10, 10), (0, 10)],
        CL_UNORM_INT_101010_2 => &[(22, 10), (12, 10), (2, 10), (0, 2)],
        _ => &[],
    }
}

/// Checks whether a texel is a valid conversion of the color.
fn is_right(format: Format, texel: &[u8], color: [u32; 4]) -> bool {
    let fields = fields(format.image_channel_data_type);
    if fields.is_empty() {
        let channels = components(format.image_channel_order).iter().enumerate();
        return channels.into_iter().all(|(i, &from)| channel_is_right(format, texel, i, color[from]));
    }
    let word = texel.iter().rev().fold(0u32, |word, &byte| word << 8 | u32::from(byte));
    fields.iter().zip(color).all(|(&(at, bits), value)| {
        let most = (1u32 << bits) - 1;
        is_code((word >> at & most).into(), f32::from_bits(value), most.into(), 0.0)
    })
}

/// Returns the bits of test colors, for channels that kernels read as floats or as integers.
fn colors(ty: cl_uint) -> Vec<[u32; 4]> {
    let is_integer = (CL_SIGNED_INT8..=CL_UNSIGNED_INT32).contains(&ty);
    if is_integer {
        let large = [200, 40_000, i32::MAX as u32, 0x80];
        let negative = [-1, -129, -40_000, i32::MIN].map(|n: i32| n as u32);
        return vec![[1, 2, 3, 4], large, negative, [u32::MAX, 0, 127, 255]];
    }
    let floats = [
        [0.0, 0.25, 0.5, 1.0],
        [1.0, 0.75, 0.125, 0.0],
        [-0.25, -1.0, -2.0, 2.0],
        [0.001953125, 0.0078125, 0.0625, 0.375],
        [f32::NAN, 1.0, 0.0, 0.625],
    ];
    floats.map(|color| color.map(f32::to_bits)).to_vec()
}

fn fill_colors(cx: &Ctx) -> Outcome {
    for (kind, size) in SHAPES {
        for format in formats(cx, CL_MEM_READ_WRITE, kind)? {
            let texel = texel_size(format);
            let image = image(cx, CL_MEM_READ_WRITE, format, (kind, size))?;
            for color in colors(format.image_channel_data_type) {
                fill(cx, image, color, [0; 3], size)?;
                let found = read(cx, image, [0; 3], size, texel)?;
                let first = &found[..texel];
                if !is_right(format, first, color) {
                    let order = format.image_channel_order;
                    let ty = format.image_channel_data_type;
                    let text = format!("{color:x?} in order {order:x}, type {ty:x} is {first:x?}");
                    return failed(place!(), &text);
                }
                equal!(found.clone(), first.repeat(size.iter().product()));
            }
            ok!(cx.clReleaseMemObject(image));
        }
    }
    Ok(())
}

fn fill_regions(cx: &Ctx) -> Outcome {
    for (kind, size) in SHAPES {
        let texel = texel_size(RGBA8);
        // Access restrictions of kernels and of the host do not apply to fills.
        let flags = CL_MEM_READ_ONLY | CL_MEM_HOST_READ_ONLY;
        let image = image(cx, flags, RGBA8, (kind, size))?;
        fill(cx, image, [0; 4], [0; 3], size)?;
        let mut model = Model::new(size, texel, vec![0; size.iter().product::<usize>() * texel]);
        for (origin, region) in regions(size).into_iter().skip(1) {
            fill(cx, image, [1.0f32, 0.0, 1.0, 0.0].map(f32::to_bits), origin, region)?;
            model.put(origin, region, &[255, 0, 255, 0].repeat(region.iter().product()));
            equal!(read(cx, image, [0; 3], size, texel)?, model.bytes.clone());
        }
        ok!(cx.clReleaseMemObject(image));
    }
    Ok(())
}

/// Tests rows that are longer than the block size of a fill.
fn fill_large(cx: &Ctx) -> Outcome {
    for (order, ty) in [(CL_RGBA, CL_UNSIGNED_INT32), (CL_RG, CL_UNSIGNED_INT8), (CL_R, CL_UNSIGNED_INT8)] {
        let format = Format { image_channel_order: order, image_channel_data_type: ty };
        let (texel, size) = (texel_size(format), [10_007, 5, 1]);
        let image = image(cx, 0, format, (CL_MEM_OBJECT_IMAGE2D, size))?;
        fill(cx, image, [1, 2, 3, 4], [0; 3], size)?;
        fill(cx, image, [5, 6, 7, 8], [3, 1, 0], [10_001, 3, 1])?;
        let found = read(cx, image, [0; 3], size, texel)?;
        for (i, texels) in found.chunks_exact(texel).enumerate() {
            let inside = (3..10_004).contains(&(i % size[0])) && (1..4).contains(&(i / size[0]));
            equal!(texels[0], if inside { 5 } else { 1 });
        }
        ok!(cx.clReleaseMemObject(image));
    }
    Ok(())
}
