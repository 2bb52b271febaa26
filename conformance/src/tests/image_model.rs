//! Common code of the tests of images: shapes, formats, and a model of an image to compare with.

#![expect(non_upper_case_globals, reason = "channel orders have the names of the specification")]

use std::ptr::{null, null_mut};

use cl_sys::*;

use crate::check::Outcome;
use crate::context::Ctx;
use crate::{make, ok, query};

/// Position or size: texels, rows (or layers of a 1D array), slices (or layers of a 2D array).
pub(super) type Triple = [usize; 3];

/// Image format that can be copied, unlike that of the binding.
#[repr(C)]
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Format {
    pub image_channel_order: cl_uint,
    pub image_channel_data_type: cl_uint,
}

impl Format {
    /// Returns a pointer to the type of the API.
    pub fn raw(&self) -> *const cl_image_format {
        std::ptr::from_ref(self).cast()
    }
}

pub(super) const RGBA8: Format =
    Format { image_channel_order: CL_RGBA, image_channel_data_type: CL_UNORM_INT8 };

pub(super) const DEPTH: Format = Format { image_channel_order: CL_DEPTH, image_channel_data_type: CL_FLOAT };

/// Image types, each with a size.
pub(super) const SHAPES: [(cl_uint, Triple); 6] = [
    (CL_MEM_OBJECT_IMAGE1D, [13, 1, 1]),
    (CL_MEM_OBJECT_IMAGE1D_BUFFER, [13, 1, 1]),
    (CL_MEM_OBJECT_IMAGE1D_ARRAY, [7, 5, 1]),
    (CL_MEM_OBJECT_IMAGE2D, [9, 6, 1]),
    (CL_MEM_OBJECT_IMAGE2D_ARRAY, [5, 4, 3]),
    (CL_MEM_OBJECT_IMAGE3D, [6, 3, 4]),
];

/// Checks whether images of this type have a slice pitch.
pub(super) fn has_slices(kind: cl_uint) -> bool {
    let kinds = [CL_MEM_OBJECT_IMAGE1D_ARRAY, CL_MEM_OBJECT_IMAGE2D_ARRAY, CL_MEM_OBJECT_IMAGE3D];
    kinds.contains(&kind)
}

/// Returns the descriptor of an image of this size.
pub(super) fn desc(kind: cl_uint, [width, second, third]: Triple) -> cl_image_desc {
    let layers = if kind == CL_MEM_OBJECT_IMAGE1D_ARRAY { second } else { third };
    cl_image_desc {
        image_type: kind,
        image_width: width,
        image_height: second,
        image_depth: third,
        image_array_size: layers,
        image_row_pitch: 0,
        image_slice_pitch: 0,
        num_mip_levels: 0,
        num_samples: 0,
        buffer: null_mut(),
    }
}

/// Returns the supported formats of images of this type.
pub(super) fn formats(cx: &Ctx, flags: cl_ulong, kind: cl_uint) -> Outcome<Vec<Format>> {
    let mut count = 0;
    ok!(cx.clGetSupportedImageFormats(cx.context, flags, kind, 0, null_mut(), &mut count));
    let mut list = vec![RGBA8; count as usize];
    let none = null_mut();
    if count > 0 {
        ok!(cx.clGetSupportedImageFormats(cx.context, flags, kind, count, list.as_mut_ptr().cast(), none));
    }
    Ok(list)
}

/// Returns the size of a texel in bytes, according to the tables of the specification.
pub(super) fn texel_size(format: Format) -> usize {
    let channel = match format.image_channel_data_type {
        CL_UNORM_SHORT_565 | CL_UNORM_SHORT_555 => return 2,
        CL_UNORM_INT_101010 | CL_UNORM_INT_101010_2 => return 4,
        CL_SNORM_INT8 | CL_UNORM_INT8 | CL_SIGNED_INT8 | CL_UNSIGNED_INT8 => 1,
        CL_SNORM_INT16 | CL_UNORM_INT16 | CL_SIGNED_INT16 | CL_UNSIGNED_INT16 | CL_HALF_FLOAT => 2,
        _ => 4,
    };
    let channels = match format.image_channel_order {
        CL_R | CL_A | CL_INTENSITY | CL_LUMINANCE | CL_DEPTH => 1,
        CL_RG | CL_RA | CL_RGx => 2,
        CL_RGB | CL_sRGB => 3,
        _ => 4,
    };
    channels * channel
}

/// Creates an image of this size. A 1D buffer image gets a buffer with the same lifetime.
pub(super) fn image(
    cx: &Ctx,
    flags: cl_ulong,
    format: Format,
    (kind, size): (cl_uint, Triple),
) -> Outcome<cl_mem> {
    let mut desc = desc(kind, size);
    if kind == CL_MEM_OBJECT_IMAGE1D_BUFFER {
        desc.buffer = cx.empty_buffer(size[0] * texel_size(format))?;
    }
    let made = make!(cx.clCreateImage(cx.context, flags, format.raw(), &desc, null_mut()));
    if !desc.buffer.is_null() {
        ok!(cx.clReleaseMemObject(desc.buffer));
    }
    Ok(made)
}

/// Queries a number of an image.
pub(super) fn info(cx: &Ctx, image: cl_mem, name: cl_uint) -> Outcome<usize> {
    query!(cx.clGetImageInfo(image, name)).value()
}

/// Returns pseudo-random bytes.
pub(super) fn noise(seed: u64, length: usize) -> Vec<u8> {
    let mut state = seed.wrapping_mul(0x9e37_79b9_7f4a_7c15) | 1;
    let next = || {
        state ^= state << 13;
        state ^= state >> 7;
        state ^= state << 17;
        (state >> 32) as u8
    };
    std::iter::repeat_with(next).take(length).collect()
}

/// Bytes in host memory with gaps between rows and slices.
pub(super) struct PaddedBytes {
    pub bytes: Vec<u8>,
    pub row_pitch: usize,
    pub slice_pitch: usize,
}

/// Value of the bytes in gaps.
pub(super) const GAP: u8 = 0xee;

/// Expected texels of an image, without gaps.
#[derive(Clone)]
pub(super) struct Model {
    pub size: Triple,
    pub texel: usize,
    pub bytes: Vec<u8>,
}

impl Model {
    pub fn new(size: Triple, texel: usize, bytes: Vec<u8>) -> Self {
        Self { size, texel, bytes }
    }

    /// Returns the offsets of the first bytes of the rows of a region.
    fn rows(&self, origin: Triple, region: Triple) -> Vec<usize> {
        let mut rows = Vec::new();
        for z in origin[2]..origin[2] + region[2] {
            for y in origin[1]..origin[1] + region[1] {
                rows.push(((z * self.size[1] + y) * self.size[0] + origin[0]) * self.texel);
            }
        }
        rows
    }

    /// Returns the bytes of a region, without gaps.
    pub fn region(&self, origin: Triple, region: Triple) -> Vec<u8> {
        let width = region[0] * self.texel;
        self.rows(origin, region).into_iter().flat_map(|row| self.bytes[row..row + width].to_vec()).collect()
    }

    /// Overwrites a region with bytes without gaps.
    pub fn put(&mut self, origin: Triple, region: Triple, bytes: &[u8]) {
        let width = region[0] * self.texel;
        for (row, from) in self.rows(origin, region).into_iter().zip(bytes.chunks_exact(width)) {
            self.bytes[row..row + width].copy_from_slice(from);
        }
    }
}

/// Inserts gaps after each row and each slice of a region. Layers of a 1D array are slices of one row.
pub(super) fn spread(
    kind: cl_uint,
    region: Triple,
    texel: usize,
    bytes: &[u8],
    (row_gap, slice_gap): (usize, usize),
) -> PaddedBytes {
    let (rows, slices) = match kind {
        CL_MEM_OBJECT_IMAGE1D_ARRAY => (1, region[1]),
        _ => (region[1], region[2]),
    };
    let width = region[0] * texel;
    let row_pitch = width + row_gap * texel;
    let slice_pitch = if has_slices(kind) { row_pitch * (rows + slice_gap) } else { row_pitch * rows };
    let mut all = vec![GAP; slice_pitch * slices];
    for (i, row) in bytes.chunks_exact(width).enumerate() {
        let at = i / rows * slice_pitch + i % rows * row_pitch;
        all[at..at + width].copy_from_slice(row);
    }
    let slice_pitch = if has_slices(kind) { slice_pitch } else { 0 };
    PaddedBytes { bytes: all, row_pitch, slice_pitch }
}

/// Reads a region without gaps, after all commands enqueued before.
pub(super) fn read(
    cx: &Ctx,
    image: cl_mem,
    origin: Triple,
    region: Triple,
    texel: usize,
) -> Outcome<Vec<u8>> {
    let mut bytes = vec![0u8; region.iter().product::<usize>() * texel];
    let (origin, region, pointer) = (origin.as_ptr(), region.as_ptr(), bytes.as_mut_ptr().cast());
    let none = null_mut();
    ok!(cx.clEnqueueReadImage(cx.queue, image, CL_TRUE, origin, region, 0, 0, pointer, 0, null(), none));
    Ok(bytes)
}

/// Writes a region without gaps.
pub(super) fn write(cx: &Ctx, image: cl_mem, origin: Triple, region: Triple, bytes: &[u8]) -> Outcome {
    let (origin, region, pointer) = (origin.as_ptr(), region.as_ptr(), bytes.as_ptr().cast_mut().cast());
    let none = null_mut();
    ok!(cx.clEnqueueWriteImage(cx.queue, image, CL_TRUE, origin, region, 0, 0, pointer, 0, null(), none));
    Ok(())
}

/// Returns regions of an image to test: all of it, its last texel, its first row, and one in the middle.
pub(super) fn regions(size: Triple) -> Vec<(Triple, Triple)> {
    let last = size.map(|n| n - 1);
    let middle = size.map(|n| n / 3);
    let rest = [0, 1, 2].map(|i| (size[i] - middle[i]).div_ceil(2));
    vec![([0; 3], size), (last, [1; 3]), ([0; 3], [size[0], 1, 1]), (middle, rest)]
}
