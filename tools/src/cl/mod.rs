//! OpenCL client: opens a vendor's library without a loader, takes its functions, and wraps objects in types that
//! release them on drop. The module does not depend on Grus.

mod functions;
mod il;
mod kernel;
mod later;
mod memory;
mod numbers;
mod program;
mod session;
mod vendor;

pub use functions::{BufferRegion, Handle, ImageDesc, ImageFormat};
pub use kernel::{Kernel, KernelResources, Parameter, Space};
pub use later::{DeviceQueue, Shared};
pub use memory::{Buffer, Image, Sampler};
pub use numbers::*;
pub use program::{BuildResult, Program};
pub use session::{Range, Session};
pub use vendor::{Device, Vendor};

use crate::problem::{Problem, Result};

/// Converts an error code of the call `what` to a result.
fn check(what: &str, code: i32) -> Result<()> {
    if code == 0 { Ok(()) } else { Err(Problem::Failed(format!("{what}: {}", error_name(code)))) }
}

/// Returns the bytes of a query's result. `ask` is called with the size of the buffer, the buffer, and the place
/// for the result's size.
fn bytes(what: &str, ask: impl Fn(usize, *mut std::ffi::c_void, *mut usize) -> i32) -> Result<Vec<u8>> {
    let mut size = 0;
    check(what, ask(0, std::ptr::null_mut(), &mut size))?;
    let mut bytes = vec![0u8; size];
    check(what, ask(size, bytes.as_mut_ptr().cast(), std::ptr::null_mut()))?;
    Ok(bytes)
}

/// Converts a zero-terminated text.
fn text(mut bytes: Vec<u8>) -> String {
    while bytes.last() == Some(&0) {
        bytes.pop();
    }
    String::from_utf8_lossy(&bytes).into_owned()
}

/// Converts a query's result to a number.
fn number(bytes: &[u8]) -> u64 {
    bytes.iter().take(8).rev().fold(0, |number, &byte| number << 8 | u64::from(byte))
}
