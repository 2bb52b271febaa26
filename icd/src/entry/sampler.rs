//! Samplers (API s5.7). Without images there are none, and no handle is one.

use std::ffi::c_void;

use grus_core::cl::*;
use grus_core::runtime::context::Context;
use grus_core::runtime::error::Error;
use grus_core::runtime::object::Body;

use crate::arg::{Handle, In};
use crate::boundary::entry;

/// What cl_sampler would point to. No value of this type exists.
pub enum Sampler {}

impl Body for Sampler {
    const INVALID: Error = Error::InvalidSampler;

    fn destroyed(&mut self, _handle: *mut c_void) {
        match *self {}
    }
}

entry! {
    /// s5.7.1 (deprecated by 2.0)
    fn clCreateSampler(
        context: Handle<Context>,
        _normalized_coords: cl_bool,
        _addressing_mode: cl_addressing_mode,
        _filter_mode: cl_filter_mode,
    ) -> create Sampler {
        context.get()?;
        Err(Error::InvalidOperation)
    }
}

entry! {
    /// s5.7.1
    fn clCreateSamplerWithProperties(
        context: Handle<Context>,
        _sampler_properties: In<cl_sampler_properties>,
    ) -> create Sampler {
        context.get()?;
        Err(Error::InvalidOperation)
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
    fn clGetSamplerInfo(sampler: Handle<Sampler>, _param_name: cl_sampler_info) -> info |_out| {
        sampler.get().map(drop)
    }
}
