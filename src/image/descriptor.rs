//! What a kernel argument of an image type is: the address of a [`Descriptor`].

use super::format::Format;

/// An image as kernels see it. It stays where it is while a launch uses the image.
#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub struct Descriptor {
    /// The first texel.
    pub base: *mut u8,
    /// Bytes from a row to the next one.
    pub row_pitch: u64,
    /// Bytes from a slice of a 3D image, or a layer of an array, to the next one.
    pub slice_pitch: u64,
    /// What the 256 raw values of sRGB mean ([`super::texel::srgb_table`]).
    pub srgb: *const f32,
    /// In texels.
    pub width: u32,
    /// In texels; 1 for 1D images and their arrays.
    pub height: u32,
    /// Slices of a 3D image or layers of an array, else 1.
    pub depth: u32,
    /// `Order` and `ChannelType`, by their numbers.
    pub order: u32,
    pub channel_type: u32,
    /// Bytes of a texel.
    pub texel_size: u32,
    /// The last component of what CLK_ADDRESS_CLAMP gives outside ([`super::texel::border_alpha`]).
    pub border: u32,
    /// What components that a kernel has loaded are multiplied by ([`super::texel::scale`]).
    pub scale: f32,
}

// SAFETY: a descriptor is read only; the texels that it leads to belong to a memory object, whose rules about
// concurrent use are OpenCL's.
unsafe impl Send for Descriptor {}
// SAFETY: as above.
unsafe impl Sync for Descriptor {}

impl Descriptor {
    /// A descriptor of `size` texels (width, height, depth or layers; 1 where there is no such dimension).
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

    /// The format.
    pub fn format(&self) -> Option<Format> {
        Format::from_numbers(self.order, self.channel_type)
    }
}
