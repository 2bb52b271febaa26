//! OpenCL as this client uses it: a vendor's library opened without a loader, its functions, and objects that release
//! themselves. Nothing here knows of Grus in particular.

mod functions;
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
pub use program::{Built, Program};
pub use session::{Range, Session};
pub use vendor::{Device, Vendor};

use crate::problem::{Problem, Result};

/// What a call gave.
fn check(what: &str, code: i32) -> Result<()> {
    if code == 0 { Ok(()) } else { Err(Problem::Failed(format!("{what}: {}", error_name(code)))) }
}

/// The bytes of an answer: `ask` gets room, where to write, and where to write how much there is.
fn bytes(what: &str, ask: impl Fn(usize, *mut std::ffi::c_void, *mut usize) -> i32) -> Result<Vec<u8>> {
    let mut size = 0;
    check(what, ask(0, std::ptr::null_mut(), &mut size))?;
    let mut bytes = vec![0u8; size];
    check(what, ask(size, bytes.as_mut_ptr().cast(), std::ptr::null_mut()))?;
    Ok(bytes)
}

/// A text that ends with a zero.
fn text(mut bytes: Vec<u8>) -> String {
    while bytes.last() == Some(&0) {
        bytes.pop();
    }
    String::from_utf8_lossy(&bytes).into_owned()
}

/// The number that is an answer's bytes.
fn number(bytes: &[u8]) -> u64 {
    bytes.iter().take(8).rev().fold(0, |number, &byte| number << 8 | u64::from(byte))
}
