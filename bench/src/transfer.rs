//! Commands of the client that move memory: copies, rectangles, fills, maps, shared virtual memory, reads of
//! images.

use std::ptr;

use cl_sys as cl;
use libc::c_void;

use crate::client::{Buffer, Image, Result, Session, check};

/// Rectangle within a larger picture, at the same position in source and destination of a copy.
#[derive(Clone, Copy)]
pub struct Window {
    /// Number of bytes per row, and number of rows.
    pub size: [usize; 2],
    /// Number of bytes and of rows before the rectangle.
    pub origin: [usize; 2],
    /// Distance between rows in bytes.
    pub pitch: usize,
}

impl Window {
    fn region(&self) -> [usize; 3] {
        [self.size[0], self.size[1], 1]
    }

    fn start(&self) -> [usize; 3] {
        [self.origin[0], self.origin[1], 0]
    }
}

/// Allocation of shared virtual memory, freed on drop.
pub struct Shared<'s> {
    session: &'s Session,
    pointer: *mut c_void,
    pub size: usize,
}

impl Session {
    /// Enqueues a copy between the starts of two buffers.
    pub fn copy(&self, from: &Buffer, to: &Buffer, size: usize) -> Result<()> {
        let (none, event) = (ptr::null(), ptr::null_mut());
        // SAFETY: both buffers belong to the context; the implementation checks the size.
        check("clEnqueueCopyBuffer", unsafe {
            cl::clEnqueueCopyBuffer(self.queue, from.id, to.id, 0, 0, size, 0, none, event)
        })
    }

    /// Enqueues a copy of a window to the same position of another buffer.
    pub fn copy_window(&self, from: &Buffer, to: &Buffer, window: Window) -> Result<()> {
        let (start, region, pitch) = (window.start(), window.region(), window.pitch);
        let (none, event, start) = (ptr::null(), ptr::null_mut(), start.as_ptr());
        // SAFETY: each array has three numbers; the implementation checks them.
        check("clEnqueueCopyBufferRect", unsafe {
            cl::clEnqueueCopyBufferRect(
                self.queue,
                from.id,
                to.id,
                start,
                start,
                region.as_ptr(),
                pitch,
                0,
                pitch,
                0,
                0,
                none,
                event,
            )
        })
    }

    /// Reads a window to the same position of the host's picture and waits.
    pub fn read_window(&self, buffer: &Buffer, to: &mut [u8], window: Window) -> Result<()> {
        let end = (window.origin[1] + window.size[1]) * window.pitch;
        if to.len() < end {
            return Err(format!("{} bytes for a window that ends at {end}", to.len()));
        }
        let (start, region, pitch) = (window.start(), window.region(), window.pitch);
        let (none, event, start) = (ptr::null(), ptr::null_mut(), start.as_ptr());
        // SAFETY: each array has three numbers, the window lies inside of `to`, and the call blocks.
        check("clEnqueueReadBufferRect", unsafe {
            cl::clEnqueueReadBufferRect(
                self.queue,
                buffer.id,
                cl::CL_TRUE,
                start,
                start,
                region.as_ptr(),
                pitch,
                0,
                pitch,
                0,
                to.as_mut_ptr().cast(),
                0,
                none,
                event,
            )
        })
    }

    /// Enqueues a fill of the start of a buffer.
    pub fn fill(&self, buffer: &Buffer, pattern: &[u8], size: usize) -> Result<()> {
        let (none, event, from) = (ptr::null(), ptr::null_mut(), pattern.as_ptr().cast());
        // SAFETY: the pattern has that many bytes, and the call copies it.
        check("clEnqueueFillBuffer", unsafe {
            cl::clEnqueueFillBuffer(self.queue, buffer.id, from, pattern.len(), 0, size, 0, none, event)
        })
    }

    /// Maps the start of a buffer, waits, passes the bytes to `look`, unmaps and waits.
    pub fn map(
        &self,
        buffer: &Buffer,
        flags: cl::cl_map_flags,
        size: usize,
        look: impl FnOnce(&mut [u8]),
    ) -> Result<()> {
        let (none, mut code) = (ptr::null(), 0);
        // SAFETY: the wait list is empty.
        let pointer = unsafe {
            let (yes, event) = (cl::CL_TRUE, ptr::null_mut());
            cl::clEnqueueMapBuffer(self.queue, buffer.id, yes, flags, 0, size, 0, none, event, &mut code)
        };
        check("clEnqueueMapBuffer", code)?;
        // SAFETY: `size` bytes are mapped until the unmap below.
        look(unsafe { std::slice::from_raw_parts_mut(pointer.cast(), size) });
        // SAFETY: the pointer was mapped from this buffer above.
        check("clEnqueueUnmapMemObject", unsafe {
            cl::clEnqueueUnmapMemObject(self.queue, buffer.id, pointer, 0, none, ptr::null_mut())
        })?;
        self.finish()
    }

    /// Reads a whole image and waits.
    pub fn read_image<T: Copy>(&self, image: &Image, data: &mut [T]) -> Result<()> {
        let (none, event) = (ptr::null(), ptr::null_mut());
        let (origin, region, texels) = ([0; 3].as_ptr(), image.size.as_ptr(), data.as_mut_ptr().cast());
        // SAFETY: callers pass data as large as the image, with rows without gaps; the call blocks.
        check("clEnqueueReadImage", unsafe {
            let yes = cl::CL_TRUE;
            cl::clEnqueueReadImage(self.queue, image.id, yes, origin, region, 0, 0, texels, 0, none, event)
        })
    }

    /// Allocates coarse-grained shared virtual memory of `size` bytes.
    pub fn shared(&self, size: usize) -> Result<Shared<'_>> {
        // SAFETY: the context belongs to this session.
        let pointer = unsafe { cl::clSVMAlloc(self.context, cl::CL_MEM_READ_WRITE, size, 0) };
        if pointer.is_null() {
            return Err(format!("clSVMAlloc gave nothing for {size} bytes"));
        }
        Ok(Shared { session: self, pointer, size })
    }

    /// Enqueues a copy, and waits for it if `wait` is set.
    ///
    /// # Safety
    /// Both ranges have at least `size` bytes and stay valid until the copy ends, and nothing else accesses the
    /// destination until then.
    unsafe fn shared_copy(
        &self,
        to: *mut c_void,
        from: *const c_void,
        size: usize,
        wait: bool,
    ) -> Result<()> {
        let (wait, none, event) = (cl::cl_bool::from(wait), ptr::null(), ptr::null_mut());
        // SAFETY: the caller guarantees the ranges.
        check("clEnqueueSVMMemcpy", unsafe {
            cl::clEnqueueSVMMemcpy(self.queue, wait, to, from, size, 0, none, event)
        })
    }
}

impl Shared<'_> {
    /// Copies from the host and waits.
    pub fn write(&self, data: &[u8]) -> Result<()> {
        let size = self.size.min(data.len());
        // SAFETY: neither range is shorter than `size`, and the call blocks while `data` is borrowed.
        unsafe { self.session.shared_copy(self.pointer, data.as_ptr().cast(), size, true) }
    }

    /// Copies to the host and waits.
    pub fn read(&self, data: &mut [u8]) -> Result<()> {
        let size = self.size.min(data.len());
        // SAFETY: neither range is shorter than `size`, and the call blocks while `data` is borrowed.
        unsafe { self.session.shared_copy(data.as_mut_ptr().cast(), self.pointer, size, true) }
    }

    /// Enqueues a copy to other memory of the same session.
    pub fn copy_to(&self, to: &Shared<'_>) -> Result<()> {
        if !ptr::eq(self.session, to.session) {
            return Err("memory of another session".to_owned());
        }
        // SAFETY: both allocations have that many bytes, and each lasts until its commands have ended (see `drop`). Only
        // commands of the session's queue access them.
        unsafe { self.session.shared_copy(to.pointer, self.pointer, self.size.min(to.size), false) }
    }

    /// Enqueues a fill of the whole allocation.
    pub fn fill(&self, pattern: &[u8]) -> Result<()> {
        let (queue, size) = (self.session.queue, self.size);
        let (none, event, from) = (ptr::null(), ptr::null_mut(), pattern.as_ptr().cast());
        // SAFETY: the call copies the pattern, which has that many bytes, and the memory is owned by this value.
        check("clEnqueueSVMMemFill", unsafe {
            cl::clEnqueueSVMMemFill(queue, self.pointer, from, pattern.len(), size, 0, none, event)
        })
    }
}

impl Drop for Shared<'_> {
    fn drop(&mut self) {
        // Commands that still use the memory must end first. Without that, the memory is leaked.
        if self.session.finish().is_ok() {
            // SAFETY: the memory is owned by this value, and no command uses it any more.
            unsafe { cl::clSVMFree(self.session.context, self.pointer) };
        }
    }
}
