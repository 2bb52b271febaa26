//! Context with an in-order queue that has profiling enabled.

use std::ptr;
use std::sync::Mutex;

use super::functions::Handle;
use super::kernel::Kernel;
use super::memory::{Buffer, Image, Sampler};
use super::program::Program;
use super::vendor::{Device, notify};
use super::{
    BufferRegion, CL_BUFFER_CREATE_TYPE_REGION, CL_CONTEXT_PLATFORM, CL_MEM_READ_WRITE,
    CL_PROFILING_COMMAND_END, CL_PROFILING_COMMAND_START, CL_QUEUE_PROFILING_ENABLE, ImageDesc, ImageFormat,
    check, error_name,
};
use crate::problem::{Problem, Result};

/// Context and queue on one device.
pub struct Session {
    pub(super) device: Device,
    pub(super) context: Handle,
    pub(super) queue: Handle,
    /// Last message of the context's callback.
    notification: Box<Mutex<String>>,
}

/// Code from which downward errors mean invalid calls: CL_INVALID_VALUE.
const FIRST_INVALID: i32 = -30;

/// ND-range: offset, global size, local size if it is given. All have the same number of dimensions.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Range {
    pub offset: Option<Vec<usize>>,
    pub global: Vec<usize>,
    pub local: Option<Vec<usize>>,
}

impl Session {
    /// Creates a context on `device`.
    ///
    /// # Errors
    /// If the vendor rejects a call.
    pub fn new(device: Device) -> Result<Session> {
        let properties = [CL_CONTEXT_PLATFORM, device.platform as isize, 0];
        let notification: Box<Mutex<String>> = Box::default();
        let to = ptr::from_ref(&*notification).cast_mut().cast();
        let mut code = 0;
        // SAFETY: the list of properties ends with 0, there is one device, and the callback's data outlives the
        // context.
        let context = unsafe {
            (device.functions.clCreateContext)(
                properties.as_ptr(),
                1,
                &device.id,
                Some(notify),
                to,
                &mut code,
            )
        };
        check("clCreateContext", code)?;
        let mut session = Session { device, context, queue: ptr::null_mut(), notification };
        // SAFETY: the device belongs to the context.
        session.queue = unsafe {
            (device.functions.clCreateCommandQueue)(context, device.id, CL_QUEUE_PROFILING_ENABLE, &mut code)
        };
        check("clCreateCommandQueue", code)?;
        Ok(session)
    }

    /// Returns the device's name for messages.
    pub fn name(&self) -> String {
        self.device.name()
    }

    /// Creates a program from source text.
    ///
    /// # Errors
    /// If the vendor rejects the source.
    pub fn source(&self, text: &str) -> Result<Program<'_>> {
        Program::of_source(self, text)
    }

    /// Creates a program from a binary.
    ///
    /// # Errors
    /// If the vendor does not accept the binary.
    pub fn binary(&self, binary: &[u8]) -> Result<Program<'_>> {
        Program::of_binary(self, binary)
    }

    /// Creates a buffer of `size` bytes, at least one.
    ///
    /// # Errors
    /// If there is no memory for it.
    pub fn buffer(&self, size: usize) -> Result<Buffer<'_>> {
        let (size, mut code) = (size.max(1), 0);
        // SAFETY: no host memory is passed.
        let id = unsafe {
            (self.device.functions.clCreateBuffer)(
                self.context,
                CL_MEM_READ_WRITE,
                size,
                ptr::null_mut(),
                &mut code,
            )
        };
        check(&format!("a buffer of {size} bytes"), code)?;
        Ok(Buffer { session: self, id, size })
    }

    /// Creates a sub-buffer.
    ///
    /// # Errors
    /// If the region is invalid, or the device requires another alignment.
    pub fn part<'s>(&'s self, buffer: &Buffer<'s>, origin: usize, size: usize) -> Result<Buffer<'s>> {
        let (region, mut code) = (BufferRegion { origin, size }, 0);
        // SAFETY: a region is passed, as the creation type requires.
        let id = unsafe {
            let region = (&raw const region).cast();
            let create = self.device.functions.clCreateSubBuffer;
            create(buffer.id, 0, CL_BUFFER_CREATE_TYPE_REGION, region, &mut code)
        };
        check(&format!("a part of a buffer from byte {origin} on"), code)?;
        Ok(Buffer { session: self, id, size })
    }

    /// Creates an image.
    ///
    /// # Errors
    /// If the format is not supported, or there is no memory for it.
    pub fn image(&self, format: ImageFormat, desc: ImageDesc) -> Result<Image<'_>> {
        self.image_with(CL_MEM_READ_WRITE, format, desc)
    }

    /// Creates an image with these flags, which refer to no host memory. It is a view if the description names an
    /// object.
    ///
    /// # Errors
    /// If the format is not supported, or there is no memory for the image.
    pub fn image_with(&self, flags: u64, format: ImageFormat, desc: ImageDesc) -> Result<Image<'_>> {
        let mut code = 0;
        // SAFETY: no host memory is passed, and the object, if any, belongs to this context.
        let id = unsafe {
            (self.device.functions.clCreateImage)(
                self.context,
                flags,
                &format,
                &desc,
                ptr::null_mut(),
                &mut code,
            )
        };
        check("clCreateImage", code)?;
        let region = match desc.array_size {
            0 => [desc.width, desc.height.max(1), desc.depth.max(1)],
            size if desc.height == 0 => [desc.width, size, 1],
            size => [desc.width, desc.height, size],
        };
        Ok(Image { session: self, id, region })
    }

    /// Creates a sampler.
    ///
    /// # Errors
    /// If the vendor rejects the combination.
    pub fn sampler(&self, normalized: bool, addressing: u32, filter: u32) -> Result<Sampler<'_>> {
        let mut code = 0;
        // SAFETY: the only pointer is that of the error code.
        let id = unsafe {
            (self.device.functions.clCreateSampler)(
                self.context,
                u32::from(normalized),
                addressing,
                filter,
                &mut code,
            )
        };
        check("clCreateSampler", code)?;
        Ok(Sampler { session: self, id })
    }

    /// Runs a kernel and waits for it. Returns its run time in nanoseconds.
    ///
    /// # Errors
    /// Returns the name of the error code of the launch or its event, with the context's message.
    pub fn run(&self, kernel: &Kernel<'_>, range: &Range) -> Result<u64> {
        if let Ok(mut notification) = self.notification.lock() {
            notification.clear();
        }
        let dimensions = range.global.len();
        let whole =
            |list: &Option<Vec<usize>>| list.as_ref().filter(|list| list.len() == dimensions).cloned();
        let (offset, local) = (whole(&range.offset), whole(&range.local));
        let start = |list: &Option<Vec<usize>>| list.as_ref().map_or(ptr::null(), Vec::as_ptr);
        let mut event = ptr::null_mut();
        // SAFETY: the lists are null or have one element per dimension; the wait list is empty.
        let code = unsafe {
            (self.device.functions.clEnqueueNDRangeKernel)(
                self.queue,
                kernel.id,
                dimensions as u32,
                start(&offset),
                range.global.as_ptr(),
                start(&local),
                0,
                ptr::null(),
                &mut event,
            )
        };
        // An invalid call is the user's mistake, since sizes and arguments are those of the user.
        check("clEnqueueNDRangeKernel", code).map_err(|problem| match problem {
            Problem::Failed(text) if code <= FIRST_INVALID => Problem::Input(text),
            other => other,
        })?;
        let time = self.wait(event);
        // SAFETY: this is the event of the launch, and it is not used any more.
        unsafe { (self.device.functions.clReleaseEvent)(event) };
        time
    }

    fn wait(&self, event: Handle) -> Result<u64> {
        // SAFETY: one event is passed.
        let code = unsafe { (self.device.functions.clWaitForEvents)(1, &event) };
        let status = self.status(event);
        if code != 0 || status < 0 {
            let name = error_name(if status < 0 { status } else { code });
            let notification = self.notification();
            // Grus has printed the same message on standard error.
            let is_reported = notification.is_empty() || self.device.is_grus();
            let notification = if is_reported { String::new() } else { format!(" ({notification})") };
            return Err(Problem::Failed(format!("the kernel failed: {name}{notification}")));
        }
        let time = |what| {
            let mut time = 0u64;
            // SAFETY: there is room for a `cl_ulong`.
            let code = unsafe {
                let to = (&raw mut time).cast();
                (self.device.functions.clGetEventProfilingInfo)(event, what, 8, to, ptr::null_mut())
            };
            check("clGetEventProfilingInfo", code).map(|()| time)
        };
        Ok(time(CL_PROFILING_COMMAND_END)?.saturating_sub(time(CL_PROFILING_COMMAND_START)?))
    }

    /// Returns the last message of the context's callback, or an empty one.
    pub(super) fn notification(&self) -> String {
        self.notification.lock().map(|notification| notification.clone()).unwrap_or_default()
    }

    fn status(&self, event: Handle) -> i32 {
        let mut status = 0i32;
        // SAFETY: there is room for a `cl_int`.
        unsafe {
            let to = (&raw mut status).cast();
            let what = super::CL_EVENT_COMMAND_EXECUTION_STATUS;
            (self.device.functions.clGetEventInfo)(event, what, 4, to, ptr::null_mut())
        };
        status
    }
}

impl Drop for Session {
    fn drop(&mut self) {
        // SAFETY: the objects are owned by this session, and all objects that depend on them have been released.
        unsafe {
            if !self.queue.is_null() {
                (self.device.functions.clReleaseCommandQueue)(self.queue);
            }
            (self.device.functions.clReleaseContext)(self.context);
        }
    }
}
