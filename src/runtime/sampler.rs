//! Sampler objects (API s5.7): settings with a handle. Kernels receive them as bits.

use super::context::Context;
use super::error::{Error, Result};
use super::object::{Object, ObjectBody, ParentRef};
use crate::cl::*;
use grus_ir::image::sampler::{Addressing, Filter, Sampler as Bits};

use std::sync::Arc;

/// Body of a cl_sampler.
pub struct Sampler {
    context: ParentRef<Context>,
    settings: Settings,
    /// Property list that the sampler was created with, including the final 0; empty if there was none.
    properties: Vec<cl_sampler_properties>,
}

impl ObjectBody for Sampler {
    const INVALID: Error = Error::InvalidSampler;
}

/// Settings of a sampler, as constants of the host API.
#[derive(Clone, Copy, Debug)]
pub struct Settings {
    pub normalized_coords: cl_bool,
    pub addressing_mode: cl_addressing_mode,
    pub filter_mode: cl_filter_mode,
}

impl Settings {
    /// Defaults of properties that a list does not name.
    const DEFAULT: Self = Self {
        normalized_coords: CL_TRUE,
        addressing_mode: CL_ADDRESS_CLAMP,
        filter_mode: CL_FILTER_NEAREST,
    };

    /// Returns the settings that these bits of a kernel argument encode.
    pub(super) fn of_bits(bits: u32) -> Self {
        let sampler = Bits::of_bits(bits);
        Self {
            normalized_coords: cl_bool::from(sampler.normalized),
            addressing_mode: match sampler.addressing {
                Addressing::None => CL_ADDRESS_NONE,
                Addressing::ClampToEdge => CL_ADDRESS_CLAMP_TO_EDGE,
                Addressing::Clamp => CL_ADDRESS_CLAMP,
                Addressing::Repeat => CL_ADDRESS_REPEAT,
                Addressing::MirroredRepeat => CL_ADDRESS_MIRRORED_REPEAT,
            },
            filter_mode: match sampler.filter {
                Filter::Nearest => CL_FILTER_NEAREST,
                Filter::Linear => CL_FILTER_LINEAR,
            },
        }
    }

    /// Returns the encoding for kernels.
    fn bits(self) -> Result<Bits> {
        Ok(Bits {
            normalized: match self.normalized_coords {
                CL_TRUE => true,
                CL_FALSE => false,
                _ => return Err(Error::InvalidValue),
            },
            addressing: match self.addressing_mode {
                CL_ADDRESS_NONE => Addressing::None,
                CL_ADDRESS_CLAMP_TO_EDGE => Addressing::ClampToEdge,
                CL_ADDRESS_CLAMP => Addressing::Clamp,
                CL_ADDRESS_REPEAT => Addressing::Repeat,
                CL_ADDRESS_MIRRORED_REPEAT => Addressing::MirroredRepeat,
                _ => return Err(Error::InvalidValue),
            },
            filter: match self.filter_mode {
                CL_FILTER_NEAREST => Filter::Nearest,
                CL_FILTER_LINEAR => Filter::Linear,
                _ => return Err(Error::InvalidValue),
            },
        })
    }
}

impl Sampler {
    /// Implements clCreateSampler. Every combination can be created: repeating addressing with unnormalized
    /// coordinates is undefined only when a kernel uses it.
    ///
    /// # Errors
    /// CL_INVALID_VALUE if a setting does not exist.
    pub fn create(context: &Arc<Object<Context>>, settings: Settings) -> Result<Arc<Object<Self>>> {
        Self::with(context, settings, Vec::new())
    }

    /// Implements clCreateSamplerWithProperties. `properties` is pairs of a name and a value followed by a 0, or
    /// empty.
    ///
    /// # Errors
    /// CL_INVALID_VALUE if a property or value does not exist, or if a property is given twice.
    pub fn create_with_properties(
        context: &Arc<Object<Context>>,
        properties: Vec<cl_sampler_properties>,
    ) -> Result<Arc<Object<Self>>> {
        let mut settings = Settings::DEFAULT;
        let mut seen = Vec::new();
        for pair in properties.chunks_exact(2) {
            let name = u32::try_from(pair[0]).map_err(|_| Error::InvalidValue)?;
            let value = u32::try_from(pair[1]).map_err(|_| Error::InvalidValue)?;
            match name {
                _ if seen.contains(&name) => return Err(Error::InvalidValue),
                CL_SAMPLER_NORMALIZED_COORDS => settings.normalized_coords = value,
                CL_SAMPLER_ADDRESSING_MODE => settings.addressing_mode = value,
                CL_SAMPLER_FILTER_MODE => settings.filter_mode = value,
                _ => return Err(Error::InvalidValue),
            }
            seen.push(name);
        }
        Self::with(context, settings, properties)
    }

    fn with(
        context: &Arc<Object<Context>>,
        settings: Settings,
        properties: Vec<cl_sampler_properties>,
    ) -> Result<Arc<Object<Self>>> {
        settings.bits()?;
        Ok(Object::new(Self { context: ParentRef::new(context), settings, properties }))
    }

    /// Returns CL_SAMPLER_CONTEXT.
    pub fn context(&self) -> &Arc<Object<Context>> {
        self.context.object()
    }

    /// Returns the settings.
    pub fn settings(&self) -> Settings {
        self.settings
    }

    /// Returns CL_SAMPLER_PROPERTIES.
    pub fn properties(&self) -> &[cl_sampler_properties] {
        &self.properties
    }

    /// Returns the value of a kernel argument.
    ///
    /// # Errors
    /// None: the settings were checked when the sampler was created.
    pub(super) fn bits(&self) -> Result<u32> {
        self.settings.bits().map(Bits::bits)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn bits_lead_back_to_settings() {
        let modes = [
            CL_ADDRESS_NONE,
            CL_ADDRESS_CLAMP_TO_EDGE,
            CL_ADDRESS_CLAMP,
            CL_ADDRESS_REPEAT,
            CL_ADDRESS_MIRRORED_REPEAT,
        ];
        for addressing_mode in modes {
            for filter_mode in [CL_FILTER_NEAREST, CL_FILTER_LINEAR] {
                for normalized_coords in [CL_FALSE, CL_TRUE] {
                    let settings = Settings { normalized_coords, addressing_mode, filter_mode };
                    let bits = settings.bits().unwrap().bits();
                    let back = Settings::of_bits(bits);
                    let numbers = |s: Settings| (s.normalized_coords, s.addressing_mode, s.filter_mode);
                    assert_eq!(numbers(back), numbers(settings));
                }
            }
        }
    }
}
