//! Samplers (API s5.7).

use grus_core::cl::*;
use grus_core::runtime::context::Context;
use grus_core::runtime::error::Error;
use grus_core::runtime::sampler::{Sampler, Settings};

use super::image::with_images;
use crate::arg::{Handle, In};
use crate::boundary::entry;

entry! {
    /// s5.7.1 (deprecated by 2.0)
    fn clCreateSampler(
        context: Handle<Context>,
        normalized_coords: cl_bool,
        addressing_mode: cl_addressing_mode,
        filter_mode: cl_filter_mode,
    ) -> create Sampler {
        let context = with_images(&context)?;
        Sampler::create(&context, Settings { normalized_coords, addressing_mode, filter_mode })
    }
}

entry! {
    /// s5.7.1
    fn clCreateSamplerWithProperties(
        context: Handle<Context>,
        sampler_properties: In<cl_sampler_properties>,
    ) -> create Sampler {
        let context = with_images(&context)?;
        Sampler::create_with_properties(&context, sampler_properties.list())
    }
}

entry! {
    /// s5.7.1
    fn clRetainSampler(sampler: Handle<Sampler>) -> status {
        sampler.get()?.retain();
        Ok(())
    }
}

entry! {
    /// s5.7.1
    fn clReleaseSampler(sampler: Handle<Sampler>) -> status {
        sampler.get()?.release()
    }
}

entry! {
    /// s5.7.2
    fn clGetSamplerInfo(sampler: Handle<Sampler>, param_name: cl_sampler_info) -> info |out| {
        let sampler = sampler.get()?;
        let settings = sampler.settings();
        match param_name {
            CL_SAMPLER_REFERENCE_COUNT => out.write::<cl_uint>(sampler.api_refs()),
            CL_SAMPLER_CONTEXT => out.write::<cl_context>(sampler.context().handle()),
            CL_SAMPLER_NORMALIZED_COORDS => out.write::<cl_bool>(settings.normalized_coords),
            CL_SAMPLER_ADDRESSING_MODE => out.write::<cl_addressing_mode>(settings.addressing_mode),
            CL_SAMPLER_FILTER_MODE => out.write::<cl_filter_mode>(settings.filter_mode),
            CL_SAMPLER_PROPERTIES => out.array::<cl_sampler_properties>(sampler.properties()),
            _ => Err(Error::InvalidValue),
        }
    }
}
