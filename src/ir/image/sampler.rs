//! Samplers as kernels see them: a number (OpenCL C s6.13.14.1).

/// Bits of the filter mode.
const NEAREST: u32 = 0x10;
const LINEAR: u32 = 0x20;

/// Addressing mode: handling of coordinates outside the image.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[repr(u32)]
pub enum Addressing {
    None = 0,
    ClampToEdge = 2,
    Clamp = 4,
    Repeat = 6,
    MirroredRepeat = 8,
}

/// Filter mode.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Filter {
    Nearest,
    Linear,
}

/// Sampler.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Sampler {
    pub normalized: bool,
    pub addressing: Addressing,
    pub filter: Filter,
}

impl Sampler {
    /// Returns the number composed of CLK_NORMALIZED_COORDS_*, CLK_ADDRESS_* and CLK_FILTER_*.
    pub fn bits(self) -> u32 {
        let filter = if self.filter == Filter::Linear { LINEAR } else { NEAREST };
        u32::from(self.normalized) | self.addressing as u32 | filter
    }

    /// Decodes a number that [`Sampler::bits`] has returned.
    pub fn of_bits(bits: u32) -> Sampler {
        use Addressing::{Clamp, ClampToEdge, MirroredRepeat, None, Repeat};
        let mut addressings = [ClampToEdge, Clamp, Repeat, MirroredRepeat].into_iter();
        Sampler {
            normalized: bits & 1 != 0,
            addressing: addressings.find(|&mode| mode as u32 == bits & 0xe).unwrap_or(None),
            filter: if bits & LINEAR != 0 { Filter::Linear } else { Filter::Nearest },
        }
    }
}
