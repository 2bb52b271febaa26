//! OpenCL constants and C types.
//!
//! This is a copy of the definitions in `CL/cl.h`, so that neither the library nor the ICD needs an OpenCL loader
//! or the headers to build. `conformance` compares it with an independent binding.

#![allow(
    non_camel_case_types,
    non_upper_case_globals,
    reason = "the names are those of the C headers, so that a reader can search for them"
)]

mod dispatch;
mod numbers;
mod types;

pub use dispatch::SLOTS;
pub use numbers::*;
pub use types::*;
