//! A context with an in-order queue that measures.

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

/// A context and a queue on one device.
pub struct Session {
    pub(super) device: Device,
    pub(super) context: Handle,
    pub(super) queue: Handle,
    /// What the context said last.
    said: Box<Mutex<String>>,
}

/// From CL_INVALID_VALUE on, codes say that the call was wrong.
const FIRST_INVALID: i32 = -30;

/// An ND-range: offset, global size, local size if it is given. All have as many dimensions.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Range {
    pub offset: Option<Vec<usize>>,
    pub global: Vec<usize>,
    pub local: Option<Vec<usize>>,
}

impl Session {
    /// A context on `device`.
    ///
    /// # Errors
    /// If the vendor refuses.
    pub fn new(device: Device) -> Result<Session> {
        let properties = [CL_CONTEXT_PLATFORM, device.platform as isize, 0];
        let said: Box<Mutex<String>> = Box::default();
        let to = ptr::from_ref(&*said).cast_mut().cast();
        let mut code = 0;
        // SAFETY: a list of properties that ends with 0, one device, a callback whose data outlives the context.
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
        let mut session = Session { device, context, queue: ptr::null_mut(), said };
        // SAFETY: a device of the context.
        session.queue = unsafe {
            (device.functions.clCreateCommandQueue)(context, device.id, CL_QUEUE_PROFILING_ENABLE, &mut code)
        };
        check("clCreateCommandQueue", code)?;
        Ok(session)
    }

    /// How people call the device.
    pub fn name(&self) -> String {
        self.device.name()
    }

    /// A program of source text.
    ///
    /// # Errors
    /// If the vendor refuses.
    pub fn source(&self, text: &str) -> Result<Program<'_>> {
        Program::of_source(self, text)
    }

    /// A program of a binary.
    ///
    /// # Errors
    /// If the vendor does not know it.
    pub fn binary(&self, binary: &[u8]) -> Result<Program<'_>> {
        Program::of_binary(self, binary)
    }

    /// A buffer of `size` bytes, at least one.
    ///
    /// # Errors
    /// If there is no memory for it.
    pub fn buffer(&self, size: usize) -> Result<Buffer<'_>> {
        let (size, mut code) = (size.max(1), 0);
        // SAFETY: no host memory.
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

    /// A part of a buffer.
    ///
    /// # Errors
    /// If it is none, or the device wants another alignment.
    pub fn part<'s>(&'s self, buffer: &Buffer<'s>, origin: usize, size: usize) -> Result<Buffer<'s>> {
        let (region, mut code) = (BufferRegion { origin, size }, 0);
        // SAFETY: a region, as the type says.
        let id = unsafe {
            let region = (&raw const region).cast();
            let create = self.device.functions.clCreateSubBuffer;
            create(buffer.id, 0, CL_BUFFER_CREATE_TYPE_REGION, region, &mut code)
        };
        check(&format!("a part of a buffer from byte {origin} on"), code)?;
        Ok(Buffer { session: self, id, size })
    }

    /// An image.
    ///
    /// # Errors
    /// If the format is not supported, or there is no memory for it.
    pub fn image(&self, format: ImageFormat, desc: ImageDesc) -> Result<Image<'_>> {
        self.image_with(CL_MEM_READ_WRITE, format, desc)
    }

    /// An image with these flags, which name no host memory; of another object if the description names one.
    ///
    /// # Errors
    /// As [`Session::image`].
    pub fn image_with(&self, flags: u64, format: ImageFormat, desc: ImageDesc) -> Result<Image<'_>> {
        let mut code = 0;
        // SAFETY: no host memory, and if there is an object it is of this context.
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

    /// A sampler.
    ///
    /// # Errors
    /// If the vendor refuses the combination.
    pub fn sampler(&self, normalized: bool, addressing: u32, filter: u32) -> Result<Sampler<'_>> {
        let mut code = 0;
        // SAFETY: numbers only.
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

    /// Runs a kernel, waits, and gives the nanoseconds that it took.
    ///
    /// # Errors
    /// The name of the code that the launch or its event gave, with what the context said.
    pub fn run(&self, kernel: &Kernel<'_>, range: &Range) -> Result<u64> {
        if let Ok(mut said) = self.said.lock() {
            said.clear();
        }
        let dimensions = range.global.len();
        let whole =
            |list: &Option<Vec<usize>>| list.as_ref().filter(|list| list.len() == dimensions).cloned();
        let (offset, local) = (whole(&range.offset), whole(&range.local));
        let start = |list: &Option<Vec<usize>>| list.as_ref().map_or(ptr::null(), Vec::as_ptr);
        let mut event = ptr::null_mut();
        // SAFETY: the lists are null or as long as there are dimensions; no events are waited for.
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
        // Sizes and arguments are the user's.
        check("clEnqueueNDRangeKernel", code).map_err(|problem| match problem {
            Problem::Failed(text) if code <= FIRST_INVALID => Problem::Input(text),
            other => other,
        })?;
        let time = self.wait(event);
        // SAFETY: the event of the launch, used no more.
        unsafe { (self.device.functions.clReleaseEvent)(event) };
        time
    }

    fn wait(&self, event: Handle) -> Result<u64> {
        // SAFETY: one event.
        let code = unsafe { (self.device.functions.clWaitForEvents)(1, &event) };
        let status = self.status(event);
        if code != 0 || status < 0 {
            let name = error_name(if status < 0 { status } else { code });
            let said = self.said.lock().map(|said| said.clone()).unwrap_or_default();
            // Grus has said the same on standard error.
            let is_told = said.is_empty() || self.device.is_grus();
            let said = if is_told { String::new() } else { format!(" ({said})") };
            return Err(Problem::Failed(format!("the kernel failed: {name}{said}")));
        }
        let time = |what| {
            let mut time = 0u64;
            // SAFETY: room for a cl_ulong.
            let code = unsafe {
                let to = (&raw mut time).cast();
                (self.device.functions.clGetEventProfilingInfo)(event, what, 8, to, ptr::null_mut())
            };
            check("clGetEventProfilingInfo", code).map(|()| time)
        };
        Ok(time(CL_PROFILING_COMMAND_END)?.saturating_sub(time(CL_PROFILING_COMMAND_START)?))
    }

    fn status(&self, event: Handle) -> i32 {
        let mut status = 0i32;
        // SAFETY: room for a cl_int.
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
        // SAFETY: objects of this session, whose other objects are gone.
        unsafe {
            if !self.queue.is_null() {
                (self.device.functions.clReleaseCommandQueue)(self.queue);
            }
            (self.device.functions.clReleaseContext)(self.context);
        }
    }
}
