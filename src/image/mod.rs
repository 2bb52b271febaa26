//! Images as memory: formats, the bits of a texel, and what a kernel gets to see of an image.
//!
//! Host commands, the interpreter and the helpers of machine code use the conversions here; what
//! `passes::image` writes into kernels computes the same bits.

use serde::{Deserialize, Serialize};

pub mod descriptor;
pub mod format;
pub mod sampler;
pub mod texel;

pub use descriptor::Descriptor;
pub use format::{ChannelType, Format, Order};
pub use sampler::Sampler;

/// The image types of OpenCL C (s6.1.3).
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub enum ImageType {
    Image1d,
    Image1dBuffer,
    Image1dArray,
    Image2d,
    Image2dArray,
    Image2dDepth,
    Image2dArrayDepth,
    Image3d,
}

impl ImageType {
    /// The type of that name in OpenCL C.
    pub fn from_name(name: &str) -> Option<ImageType> {
        Some(match name {
            "image1d_t" => ImageType::Image1d,
            "image1d_buffer_t" => ImageType::Image1dBuffer,
            "image1d_array_t" => ImageType::Image1dArray,
            "image2d_t" => ImageType::Image2d,
            "image2d_array_t" => ImageType::Image2dArray,
            "image2d_depth_t" => ImageType::Image2dDepth,
            "image2d_array_depth_t" => ImageType::Image2dArrayDepth,
            "image3d_t" => ImageType::Image3d,
            _ => return None,
        })
    }
}

/// What a launch knows of an argument that is an image or a sampler.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum ArgumentKey {
    Image(Format),
    /// [`Sampler::bits`].
    Sampler(u32),
}
