//! Images in memory: formats, the encoding of texels, and the descriptors that kernels access images by.
//!
//! Host commands, the interpreter and runtime functions of machine code use the conversions in this module; the
//! code that `passes::image` generates computes the same bits.

use serde::{Deserialize, Serialize};

pub mod descriptor;
pub mod format;
pub mod sampler;
pub mod texel;

pub use descriptor::Descriptor;
pub use format::{ChannelType, Format, Order};
pub use sampler::Sampler;

/// Image types of OpenCL C (s6.1.3).
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
    /// Returns the type with this name in OpenCL C.
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

/// Property of an image or sampler argument that code is specialized for.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum ArgumentKey {
    Image(Format),
    /// Value of [`Sampler::bits`].
    Sampler(u32),
}
