//! Environment of a test: a library, its platform and device, a context and a queue. Also common steps of tests.

use std::ffi::{CString, c_void};
use std::ops::Deref;
use std::path::PathBuf;
use std::ptr::{null, null_mut};
use std::sync::Arc;

use cl_sys::*;

use crate::api::Api;
use crate::check::{Failure, Outcome};
use crate::{make, ok, query};

/// Library and platform under test.
#[derive(Clone)]
pub struct Target {
    pub library: PathBuf,
    /// True for a vendor library, false for a loader.
    pub vendor: bool,
    /// Prefix of the platform's name.
    pub platform: String,
}

/// Environment of a test.
pub struct Ctx {
    api: Arc<Api>,
    pub platform: cl_platform_id,
    pub device: cl_device_id,
    pub context: cl_context,
    pub queue: cl_command_queue,
}

impl Deref for Ctx {
    type Target = Api;
    fn deref(&self) -> &Api {
        &self.api
    }
}

impl Ctx {
    /// Opens the target.
    pub fn new(target: &Target) -> Outcome<Self> {
        let api = Api::open(&target.library, target.vendor).map_err(Failure::Failed)?;
        let mut found = null_mut();
        for platform in api.platforms() {
            let name = query!(api.clGetPlatformInfo(platform, CL_PLATFORM_NAME)).string()?;
            if name.starts_with(&target.platform) {
                found = platform;
                break;
            }
        }
        if found.is_null() {
            return Err(Failure::Failed(format!("no platform {}", target.platform)));
        }
        let mut device = null_mut();
        ok!(api.clGetDeviceIDs(found, CL_DEVICE_TYPE_ALL, 1, &mut device, null_mut()));
        Self::of_device(api, found, device)
    }

    /// Creates a context and a queue of this device.
    pub fn of_device(api: Api, platform: cl_platform_id, device: cl_device_id) -> Outcome<Self> {
        Self::with(Arc::new(api), platform, device)
    }

    /// Creates another context and queue of the same device.
    pub fn sibling(&self) -> Outcome<Self> {
        Self::with(Arc::clone(&self.api), self.platform, self.device)
    }

    /// Creates a context and a queue of another device of the platform.
    pub fn on(&self, device: cl_device_id) -> Outcome<Self> {
        Self::with(Arc::clone(&self.api), self.platform, device)
    }

    fn with(api: Arc<Api>, platform: cl_platform_id, device: cl_device_id) -> Outcome<Self> {
        let mut cx = Self { api, platform, device, context: null_mut(), queue: null_mut() };
        cx.context = make!(cx.clCreateContext(null(), 1, &cx.device, None, null_mut()));
        cx.queue = make!(cx.clCreateCommandQueue(cx.context, cx.device, 0));
        Ok(cx)
    }

    /// Creates a queue with these properties.
    pub fn queue(&self, properties: cl_ulong) -> Outcome<cl_command_queue> {
        let cx = self;
        Ok(make!(cx.clCreateCommandQueue(cx.context, cx.device, properties)))
    }

    /// Creates a buffer with these contents.
    pub fn buffer<T: Copy>(&self, data: &[T]) -> Outcome<cl_mem> {
        let cx = self;
        let pointer = data.as_ptr().cast_mut().cast();
        Ok(make!(cx.clCreateBuffer(cx.context, CL_MEM_COPY_HOST_PTR, size_of_val(data), pointer)))
    }

    /// Creates a buffer of `size` bytes.
    pub fn empty_buffer(&self, size: usize) -> Outcome<cl_mem> {
        let cx = self;
        Ok(make!(cx.clCreateBuffer(cx.context, CL_MEM_READ_WRITE, size, null_mut())))
    }

    /// Reads the first `count` elements of a buffer, after all commands enqueued before.
    pub fn contents<T: Copy + Default>(&self, buffer: cl_mem, count: usize) -> Outcome<Vec<T>> {
        let mut data = vec![T::default(); count];
        let cx = self;
        let (size, target) = (size_of_val(&data[..]), data.as_mut_ptr().cast());
        ok!(cx.clEnqueueReadBuffer(cx.queue, buffer, CL_TRUE, 0, size, target, 0, null(), null_mut()));
        Ok(data)
    }

    /// Creates a program from source without building it.
    pub fn source(&self, text: &str) -> Outcome<cl_program> {
        let cx = self;
        let text = c_string(text);
        let mut string = text.as_ptr();
        Ok(make!(cx.clCreateProgramWithSource(cx.context, 1, &mut string, null())))
    }

    /// Creates a program from source and builds it with these options.
    pub fn program_with(&self, text: &str, options: &str) -> Outcome<cl_program> {
        let cx = self;
        let program = cx.source(text)?;
        let c_options = c_string(options);
        let code = cx.clBuildProgram(program, 0, null(), c_options.as_ptr(), None, null_mut());
        if code != CL_SUCCESS {
            let log = crate::check::text(|room, to, size| {
                cx.clGetProgramBuildInfo(program, cx.device, CL_PROGRAM_BUILD_LOG, room, to, size)
            })?;
            return Err(Failure::Failed(format!("build returned {code}: {log}")));
        }
        Ok(program)
    }

    /// Creates the kernel `name` of this source.
    pub fn kernel(&self, text: &str, name: &str) -> Outcome<cl_kernel> {
        self.kernel_with(text, "", name)
    }

    /// Creates the kernel `name` of this source, built with these options.
    pub fn kernel_with(&self, text: &str, options: &str, name: &str) -> Outcome<cl_kernel> {
        let cx = self;
        let program = cx.program_with(text, options)?;
        let kernel = make!(cx.clCreateKernel(program, c_string(name).as_ptr()));
        ok!(cx.clReleaseProgram(program));
        Ok(kernel)
    }

    /// Sets an argument of a kernel.
    pub fn arg<T: Copy>(&self, kernel: cl_kernel, index: cl_uint, value: T) -> Outcome {
        let cx = self;
        ok!(cx.clSetKernelArg(kernel, index, size_of::<T>(), (&raw const value).cast()));
        Ok(())
    }

    /// Launches a one-dimensional range and returns the event.
    pub fn launch(&self, kernel: cl_kernel, global: usize, local: Option<usize>) -> Outcome<cl_event> {
        self.launch_over(kernel, &[global], local.as_ref().map(std::slice::from_ref))
    }

    /// Launches a range of as many dimensions as `global` has and returns the event.
    pub fn launch_over(
        &self,
        kernel: cl_kernel,
        global: &[usize],
        local: Option<&[usize]>,
    ) -> Outcome<cl_event> {
        let cx = self;
        let mut event = null_mut();
        let (dimensions, local) = (global.len() as cl_uint, local.map_or(null(), <[usize]>::as_ptr));
        ok!(cx.clEnqueueNDRangeKernel(
            cx.queue,
            kernel,
            dimensions,
            null(),
            global.as_ptr(),
            local,
            0,
            null(),
            &mut event
        ));
        Ok(event)
    }

    /// Creates a user event.
    pub fn user_event(&self) -> Outcome<cl_event> {
        let cx = self;
        Ok(make!(cx.clCreateUserEvent(cx.context)))
    }

    /// Returns the status of an event.
    pub fn status(&self, event: cl_event) -> Outcome<cl_int> {
        let cx = self;
        query!(cx.clGetEventInfo(event, CL_EVENT_COMMAND_EXECUTION_STATUS)).value()
    }

    /// Polls the status of an event until it is `target_status` or lower.
    pub fn poll(&self, event: cl_event, target_status: cl_int) -> Outcome<cl_int> {
        let start = std::time::Instant::now();
        loop {
            let status = self.status(event)?;
            if status <= target_status {
                return Ok(status);
            }
            if start.elapsed().as_secs() > 10 {
                return Err(Failure::Failed(format!("an event stays at status {status}")));
            }
            std::thread::yield_now();
        }
    }
}

/// Returns a string that ends with a NUL.
pub fn c_string(text: &str) -> CString {
    CString::new(text).unwrap_or_default()
}

/// Returns a pointer for a parameter of a C function.
pub fn raw<T>(data: &mut [T]) -> *mut c_void {
    data.as_mut_ptr().cast()
}

// Property names with the type of property lists. The binding declares them with another type.
pub const PLATFORM: isize = CL_CONTEXT_PLATFORM as isize;
pub const INTEROP_USER_SYNC: isize = CL_CONTEXT_INTEROP_USER_SYNC as isize;
pub const EQUALLY: isize = CL_DEVICE_PARTITION_EQUALLY as isize;
pub const BY_COUNTS: isize = CL_DEVICE_PARTITION_BY_COUNTS as isize;
pub const BY_AFFINITY_DOMAIN: isize = CL_DEVICE_PARTITION_BY_AFFINITY_DOMAIN as isize;
pub const COUNTS_END: isize = CL_DEVICE_PARTITION_BY_COUNTS_LIST_END as isize;
