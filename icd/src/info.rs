//! Protocol of queries: the caller requests the size, the value, or both (API s4.1 and others).

use std::ffi::c_void;
use std::sync::Arc;

use grus_core::cl::{CL_NAME_VERSION_MAX_NAME_SIZE, cl_image_format, cl_name_version, cl_version};
use grus_core::runtime::error::{Error, Result};

use crate::arg::{In, Memory, Out};

/// Size in bytes of a name with a version, including its NUL.
const NAME_SIZE: usize = CL_NAME_VERSION_MAX_NAME_SIZE as usize;

/// Last three parameters of a query.
pub struct Info {
    capacity: usize,
    value: Memory,
    size_ret: Out<usize>,
}

impl Info {
    /// Returns a query with these parameters.
    pub fn new(capacity: usize, value: Memory, size_ret: Out<usize>) -> Self {
        Self { capacity, value, size_ret }
    }

    /// Returns the size in bytes of the caller's memory for the answer.
    pub fn capacity(&self) -> usize {
        self.capacity
    }

    /// Answers with one value, whose type must be the one in the specification.
    pub fn write<T: Plain>(&self, value: T) -> Result<()> {
        self.array(&[value])
    }

    /// Answers with an array, which may be empty.
    pub fn array<T: Plain>(&self, values: &[T]) -> Result<()> {
        // SAFETY: `Plain` types have no padding, so all of their bytes are initialized.
        let bytes = unsafe { std::slice::from_raw_parts(values.as_ptr().cast::<u8>(), size_of_val(values)) };
        self.bytes(bytes)
    }

    /// Answers with names and their versions.
    pub fn versions<'a>(&self, names: impl Iterator<Item = (&'a str, cl_version)>) -> Result<()> {
        let entry = |(name, version): (&str, cl_version)| {
            let mut entry = cl_name_version { version, name: [0; NAME_SIZE] };
            // The last byte remains 0.
            for (to, &from) in entry.name[..NAME_SIZE - 1].iter_mut().zip(name.as_bytes()) {
                *to = std::ffi::c_char::from_ne_bytes([from]);
            }
            entry
        };
        self.array(&names.map(entry).collect::<Vec<_>>())
    }

    /// Answers with a string and a NUL.
    pub fn string(&self, text: &str) -> Result<()> {
        self.check_capacity(text.len() + 1)?;
        self.value.write(text.as_bytes());
        self.value.at(text.len()).write(&[0]);
        self.size_ret.set(text.len() + 1);
        Ok(())
    }

    fn bytes(&self, bytes: &[u8]) -> Result<()> {
        self.check_capacity(bytes.len())?;
        self.value.write(bytes);
        self.size_ret.set(bytes.len());
        Ok(())
    }

    /// Answers CL_PROGRAM_BINARIES: the value is an array of the caller's pointers, which are null for binaries
    /// that are not requested.
    pub fn blobs(&self, blobs: &[Arc<[u8]>]) -> Result<()> {
        let size = blobs.len() * size_of::<Memory>();
        self.check_capacity(size)?;
        if let Some(bytes) = self.value.bytes(size) {
            for (target, blob) in bytes.chunks_exact(size_of::<Memory>()).zip(blobs) {
                Memory::from_bytes(target).write(blob);
            }
        }
        self.size_ret.set(size);
        Ok(())
    }

    fn check_capacity(&self, size: usize) -> Result<()> {
        if !self.value.is_null() && self.capacity < size {
            return Err(Error::InvalidValue);
        }
        Ok(())
    }
}

/// Types without padding that have the same representation in C.
///
/// # Safety
/// The type has no padding.
pub unsafe trait Plain: Copy {}

// SAFETY: no padding.
unsafe impl Plain for u8 {}
// SAFETY: no padding.
unsafe impl Plain for i32 {}
// SAFETY: no padding.
unsafe impl Plain for u32 {}
// SAFETY: no padding.
unsafe impl Plain for u64 {}
// SAFETY: no padding.
unsafe impl Plain for usize {}
// SAFETY: no padding.
unsafe impl Plain for isize {}
// SAFETY: no padding.
unsafe impl Plain for *mut c_void {}
// SAFETY: no padding: two numbers of the same size.
unsafe impl Plain for cl_image_format {}
// SAFETY: no padding: a number of four bytes, then single bytes.
unsafe impl Plain for cl_name_version {}
// SAFETY: an array of a type without padding.
unsafe impl<T: Plain, const N: usize> Plain for [T; N] {}

impl Memory {
    /// Reads a pointer that is stored in the caller's memory.
    fn from_bytes(bytes: &[u8]) -> Self {
        In::<Self>::unaligned(bytes)
    }
}
