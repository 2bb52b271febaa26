//! C ABI of Grus: the library that an OpenCL ICD loader loads.
//!
//! A call of an application comes through the loader's dispatch table, or through the address that
//! `clGetExtensionFunctionAddressForPlatform` returned. An entry point checks the parameters in the order in which
//! the specification lists the errors, makes one call of the runtime, and returns a code or a handle.
//!
//! ```text
//! application ──▶ loader ──▶ dispatch   table of 150 slots, to which the first word of every object points
//!                               │
//!                               ▼
//!                            entry      one function for each slot, in one of five forms
//!                               │         arg        handles, pointers and lists → checked Rust values
//!                               │         wait       wait lists and events of commands
//!                               │         info       answers of queries
//!                               │         callback   functions of the application, called without a lock
//!                               ▼
//!                            grus_core::runtime
//!                               │
//!                            boundary   Error → cl_int, panic → CL_OUT_OF_HOST_MEMORY, object → handle
//! ```
//!
//! # Example
//!
//! ```ignore
//! entry! {
//!     /// s5.9.1
//!     fn clCreateKernel(program: Handle<Program>, kernel_name: InStr) -> create Kernel {
//!         let program = program.get()?;                                  // CL_INVALID_PROGRAM
//!         let name = kernel_name.get().ok_or(Error::InvalidValue)?;      // kernel_name is NULL
//!         program.create_kernel(&name)
//!     }
//! }
//! ```
//!
//! The macro `boundary::entry` adds `errcode_ret`, catches panics, and defines a second version of the function that
//! records the call, which `traced` puts into the table under `GRUS_TRACE`.
//!
//! # Invariants
//!
//! - Only `arg` reads or writes memory of the application.
//! - Only `boundary` turns errors into codes, and no panic crosses it.
//! - Two symbols are exported; a loader finds all other functions through the table.
//! - A call that fails changes nothing.

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
#[cfg(all(test, debug_assertions))]
mod locks;
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
