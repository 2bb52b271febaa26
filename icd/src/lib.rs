//! C ABI of Grus: the library that an OpenCL ICD loader loads.
//!
//! `entry` has one function for each slot of the dispatch table; each consists of the specification's error checks
//! and one call of the runtime. `arg` is the only module that reads the caller's memory, `boundary` the only one
//! that turns errors into codes and stops panics. Two symbols are exported; a loader finds all other functions
//! through the table.

#![allow(
    non_snake_case,
    reason = "entry points have the names of the C API, so that a reader can search for them"
)]

mod arg;
mod boundary;
mod callback;
mod dispatch;
mod entry;
mod info;
mod traced;
mod wait;

use std::ffi::{c_char, c_void};

use grus_core::support::memory::Allocator;
use grus_core::support::trace;

use grus_core::cl::{cl_int, cl_platform_id, cl_uint};

use arg::{InStr, Out, OutArray};

/// Allocator that turns memory exhaustion into errors instead of ending the process.
#[global_allocator]
static ALLOCATOR: Allocator = Allocator;

/// Returns the platforms to a loader (cl_khr_icd). Code of this library calls `entry::clIcdGetPlatformIDsKHR`
/// instead, so that another library's symbol cannot interpose.
#[unsafe(export_name = "clIcdGetPlatformIDsKHR")]
pub extern "C" fn exported_get_platform_ids(
    num_entries: cl_uint,
    platforms: OutArray<cl_platform_id>,
    num_platforms: Out<cl_uint>,
) -> cl_int {
    if trace::start() {
        return entry::clIcdGetPlatformIDsKHR::traced(num_entries, platforms, num_platforms);
    }
    entry::clIcdGetPlatformIDsKHR(num_entries, platforms, num_platforms)
}

/// Returns the addresses of functions that are not in the dispatch table to a loader.
#[unsafe(export_name = "clGetExtensionFunctionAddress")]
pub extern "C" fn exported_get_extension_function_address(name: InStr) -> *const c_void {
    if trace::start() {
        return entry::clGetExtensionFunctionAddress::traced(name);
    }
    entry::clGetExtensionFunctionAddress(name)
}

const _: () = assert!(size_of::<InStr>() == size_of::<*const c_char>());
