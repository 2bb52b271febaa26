//! Buffers, images and samplers, released when they go.

use std::ptr;

use super::functions::Handle;
use super::session::Session;
use super::{CL_IMAGE_ELEMENT_SIZE, check};
use crate::problem::Result;

/// A buffer.
pub struct Buffer<'s> {
    pub(super) session: &'s Session,
    pub(super) id: Handle,
    pub size: usize,
}

/// An image.
pub struct Image<'s> {
    pub(super) session: &'s Session,
    pub(super) id: Handle,
    /// Texels in each dimension; layers count as one.
    pub region: [usize; 3],
}

/// A sampler.
pub struct Sampler<'s> {
    pub(super) session: &'s Session,
    pub(super) id: Handle,
}

impl Buffer<'_> {
    /// What an image of it names.
    pub fn handle(&self) -> Handle {
        self.id
    }

    /// Overwrites its beginning.
    ///
    /// # Errors
    /// If the command fails.
    pub fn write(&self, bytes: &[u8]) -> Result<()> {
        let bytes = &bytes[..bytes.len().min(self.size)];
        if bytes.is_empty() {
            return Ok(());
        }
        // SAFETY: a blocking write of bytes that are there, within the buffer.
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

    /// All of it.
    ///
    /// # Errors
    /// If the command fails.
    pub fn read(&self) -> Result<Vec<u8>> {
        let mut bytes = vec![0; self.size];
        // SAFETY: a blocking read with room for all bytes.
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
    /// What a view of it names.
    pub fn handle(&self) -> Handle {
        self.id
    }

    /// Bytes of a texel, as the device says.
    ///
    /// # Errors
    /// If it does not say.
    pub fn texel_size(&self) -> Result<usize> {
        let mut size = 0usize;
        // SAFETY: room for a size_t.
        check("clGetImageInfo", unsafe {
            let to = (&raw mut size).cast();
            let ask = self.session.device.functions.clGetImageInfo;
            ask(self.id, CL_IMAGE_ELEMENT_SIZE, size_of::<usize>(), to, ptr::null_mut())
        })?;
        Ok(size)
    }

    /// Overwrites all of it with texels that lie one behind the other; there must be enough of them.
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
        // SAFETY: a blocking write of as many texels as there are.
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

    /// All texels, one behind the other.
    ///
    /// # Errors
    /// If the command fails.
    pub fn read(&self, texel_size: usize) -> Result<Vec<u8>> {
        let mut texels = vec![0; texel_size * self.region.iter().product::<usize>()];
        let origin = [0usize; 3];
        // SAFETY: a blocking read with room for all texels.
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
        // SAFETY: its own reference.
        unsafe { (self.session.device.functions.clReleaseMemObject)(self.id) };
    }
}

impl Drop for Image<'_> {
    fn drop(&mut self) {
        // SAFETY: its own reference.
        unsafe { (self.session.device.functions.clReleaseMemObject)(self.id) };
    }
}

impl Drop for Sampler<'_> {
    fn drop(&mut self) {
        // SAFETY: its own reference.
        unsafe { (self.session.device.functions.clReleaseSampler)(self.id) };
    }
}
