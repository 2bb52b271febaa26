//! Buffers, images and samplers, released on drop.

use std::ptr;

use super::functions::Handle;
use super::session::Session;
use super::{CL_IMAGE_ELEMENT_SIZE, check};
use crate::problem::Result;

/// Buffer.
pub struct Buffer<'s> {
    pub(super) session: &'s Session,
    pub(super) id: Handle,
    pub size: usize,
}

/// Image.
pub struct Image<'s> {
    pub(super) session: &'s Session,
    pub(super) id: Handle,
    /// Number of texels in each dimension; array layers count as a dimension.
    pub region: [usize; 3],
}

/// Sampler.
pub struct Sampler<'s> {
    pub(super) session: &'s Session,
    pub(super) id: Handle,
}

impl Buffer<'_> {
    /// Returns the handle, for the creation of a view.
    pub fn handle(&self) -> Handle {
        self.id
    }

    /// Overwrites the beginning of the buffer.
    ///
    /// # Errors
    /// If the command fails.
    pub fn write(&self, bytes: &[u8]) -> Result<()> {
        let bytes = &bytes[..bytes.len().min(self.size)];
        if bytes.is_empty() {
            return Ok(());
        }
        // SAFETY: the write is blocking, `bytes` is valid, and it fits into the buffer.
        check("clEnqueueWriteBuffer", unsafe {
            (self.session.device.functions.clEnqueueWriteBuffer)(
                self.session.queue,
                self.id,
                1,
                0,
                bytes.len(),
                bytes.as_ptr().cast(),
                0,
                ptr::null(),
                ptr::null_mut(),
            )
        })
    }

    /// Returns the contents of the buffer.
    ///
    /// # Errors
    /// If the command fails.
    pub fn read(&self) -> Result<Vec<u8>> {
        let mut bytes = vec![0; self.size];
        // SAFETY: the read is blocking, and there is room for all bytes.
        check("clEnqueueReadBuffer", unsafe {
            (self.session.device.functions.clEnqueueReadBuffer)(
                self.session.queue,
                self.id,
                1,
                0,
                self.size,
                bytes.as_mut_ptr().cast(),
                0,
                ptr::null(),
                ptr::null_mut(),
            )
        })?;
        Ok(bytes)
    }
}

impl Image<'_> {
    /// Returns the handle, for the creation of a view.
    pub fn handle(&self) -> Handle {
        self.id
    }

    /// Returns the size of a texel in bytes, as the device reports it.
    ///
    /// # Errors
    /// If the query fails.
    pub fn texel_size(&self) -> Result<usize> {
        let mut size = 0usize;
        // SAFETY: there is room for a `size_t`.
        check("clGetImageInfo", unsafe {
            let to = (&raw mut size).cast();
            let ask = self.session.device.functions.clGetImageInfo;
            ask(self.id, CL_IMAGE_ELEMENT_SIZE, size_of::<usize>(), to, ptr::null_mut())
        })?;
        Ok(size)
    }

    /// Overwrites the whole image with tightly packed texels; there must be enough of them.
    ///
    /// # Errors
    /// If the command fails.
    pub fn write(&self, texels: &[u8], texel_size: usize) -> Result<()> {
        assert_eq!(
            texels.len(),
            texel_size * self.region.iter().product::<usize>(),
            "bytes of the whole image"
        );
        let origin = [0usize; 3];
        // SAFETY: the write is blocking, and `texels` has as many texels as the region.
        check("clEnqueueWriteImage", unsafe {
            (self.session.device.functions.clEnqueueWriteImage)(
                self.session.queue,
                self.id,
                1,
                origin.as_ptr(),
                self.region.as_ptr(),
                0,
                0,
                texels.as_ptr().cast(),
                0,
                ptr::null(),
                ptr::null_mut(),
            )
        })
    }

    /// Returns all texels, tightly packed.
    ///
    /// # Errors
    /// If the command fails.
    pub fn read(&self, texel_size: usize) -> Result<Vec<u8>> {
        let mut texels = vec![0; texel_size * self.region.iter().product::<usize>()];
        let origin = [0usize; 3];
        // SAFETY: the read is blocking, and there is room for all texels.
        check("clEnqueueReadImage", unsafe {
            (self.session.device.functions.clEnqueueReadImage)(
                self.session.queue,
                self.id,
                1,
                origin.as_ptr(),
                self.region.as_ptr(),
                0,
                0,
                texels.as_mut_ptr().cast(),
                0,
                ptr::null(),
                ptr::null_mut(),
            )
        })?;
        Ok(texels)
    }
}

impl Drop for Buffer<'_> {
    fn drop(&mut self) {
        // SAFETY: the reference is owned by this value.
        unsafe { (self.session.device.functions.clReleaseMemObject)(self.id) };
    }
}

impl Drop for Image<'_> {
    fn drop(&mut self) {
        // SAFETY: the reference is owned by this value.
        unsafe { (self.session.device.functions.clReleaseMemObject)(self.id) };
    }
}

impl Drop for Sampler<'_> {
    fn drop(&mut self) {
        // SAFETY: the reference is owned by this value.
        unsafe { (self.session.device.functions.clReleaseSampler)(self.id) };
    }
}
