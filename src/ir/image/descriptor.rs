//! Image descriptors: the value of an image argument is the address of a [`Descriptor`].

use super::format::Format;

/// Image as kernels access it. The descriptor is not moved while a launch uses the image.
#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub struct Descriptor {
    /// Address of the first texel.
    pub base: *mut u8,
    /// Distance from a row to the next one in bytes.
    pub row_pitch: u64,
    /// Distance from a slice of a 3D image, or a layer of an array, to the next one in bytes.
    pub slice_pitch: u64,
    /// Table of the linear values of the 256 raw values of sRGB ([`super::texel::srgb_table`]).
    pub srgb: *const f32,
    /// Width in texels.
    pub width: u32,
    /// Height in texels; 1 for 1D images and their arrays.
    pub height: u32,
    /// Number of slices of a 3D image or layers of an array, else 1.
    pub depth: u32,
    /// Number of the `Order`.
    pub order: u32,
    /// Number of the `ChannelType`.
    pub channel_type: u32,
    /// Size of a texel in bytes.
    pub texel_size: u32,
    /// Alpha of the border color of CLK_ADDRESS_CLAMP ([`super::texel::border_alpha`]).
    pub border: u32,
    /// Factor by which kernels multiply loaded components ([`super::texel::scale`]).
    pub scale: f32,
}

// SAFETY: a descriptor is read only; the texels that it points to belong to a memory object, for which OpenCL's
// rules about concurrent use hold.
unsafe impl Send for Descriptor {}
// SAFETY: a shared descriptor is only read, and no method follows its pointers; texels are accessed by unsafe
// functions, whose callers follow OpenCL's rules about concurrent use.
unsafe impl Sync for Descriptor {}

impl Descriptor {
    /// Creates a descriptor of `size` texels (width, height, depth or layers; 1 for missing dimensions).
    pub fn new(
        base: *mut u8,
        format: Format,
        size: [u32; 3],
        row_pitch: u64,
        slice_pitch: u64,
    ) -> Descriptor {
        Descriptor {
            base,
            row_pitch,
            slice_pitch,
            srgb: super::texel::srgb_table().as_ptr(),
            width: size[0],
            height: size[1],
            depth: size[2],
            order: format.order() as u32,
            channel_type: format.channel_type() as u32,
            texel_size: format.texel_size() as u32,
            border: super::texel::border_alpha(format),
            scale: super::texel::scale(format),
        }
    }

    /// Returns the format.
    pub fn format(&self) -> Option<Format> {
        Format::from_numbers(self.order, self.channel_type)
    }
}
