//! Small OpenCL client on the C API: one device, one in-order queue. Every call is checked; an error names the call
//! and the code.

use std::ffi::CString;
use std::ptr;

use cl_sys as cl;

/// Result of a call; the error is a message.
pub type Result<T> = std::result::Result<T, String>;

/// Code that a program is created from.
#[derive(Clone, Copy)]
pub enum Code<'c> {
    /// OpenCL C.
    Source(&'c [u8]),
    /// Module of SPIR-V.
    Module(&'c [u8]),
}

/// Signature of clCreateProgramWithILKHR.
type CreateWithModule = unsafe extern "C" fn(
    cl::cl_context,
    *const libc::c_void,
    libc::size_t,
    *mut cl::cl_int,
) -> cl::cl_program;

pub(crate) fn check(what: &str, code: cl::cl_int) -> Result<()> {
    if code == cl::CL_SUCCESS { Ok(()) } else { Err(format!("{what} gave {code}")) }
}

/// First device of a platform.
#[derive(Clone, Copy)]
pub struct Device {
    platform: cl::cl_platform_id,
    pub id: cl::cl_device_id,
}

impl Device {
    /// Returns the first device of every platform that the loader finds.
    pub fn all() -> Result<Vec<Device>> {
        let mut count = 0;
        // SAFETY: only the number of platforms is queried; `count` is a valid place for it.
        check("clGetPlatformIDs", unsafe { cl::clGetPlatformIDs(0, ptr::null_mut(), &mut count) })?;
        let mut platforms = vec![ptr::null_mut(); count as usize];
        // SAFETY: `platforms` has room for `count` platforms.
        check("clGetPlatformIDs", unsafe {
            cl::clGetPlatformIDs(count, platforms.as_mut_ptr(), ptr::null_mut())
        })?;
        let mut devices = Vec::new();
        for platform in platforms {
            let mut id = ptr::null_mut();
            // SAFETY: room for one device.
            let code =
                unsafe { cl::clGetDeviceIDs(platform, cl::CL_DEVICE_TYPE_ALL, 1, &mut id, ptr::null_mut()) };
            if code == cl::CL_SUCCESS {
                devices.push(Device { platform, id });
            }
        }
        Ok(devices)
    }

    /// Returns a text of clGetDeviceInfo.
    pub fn text(&self, what: cl::cl_device_info) -> String {
        let mut bytes = vec![0u8; 4096];
        let mut len = 0;
        // SAFETY: room for 4096 bytes.
        let code =
            unsafe { cl::clGetDeviceInfo(self.id, what, bytes.len(), bytes.as_mut_ptr().cast(), &mut len) };
        bytes.truncate(if code == cl::CL_SUCCESS { len.saturating_sub(1) } else { 0 });
        String::from_utf8_lossy(&bytes).trim().to_owned()
    }

    /// Returns the name of the platform.
    pub fn platform_name(&self) -> String {
        let mut bytes = vec![0u8; 4096];
        let mut len = 0;
        // SAFETY: room for 4096 bytes.
        let code = unsafe {
            cl::clGetPlatformInfo(
                self.platform,
                cl::CL_PLATFORM_NAME,
                bytes.len(),
                bytes.as_mut_ptr().cast(),
                &mut len,
            )
        };
        bytes.truncate(if code == cl::CL_SUCCESS { len.saturating_sub(1) } else { 0 });
        String::from_utf8_lossy(&bytes).into_owned()
    }

    /// Returns a number of clGetDeviceInfo, or 0 if the query fails.
    pub fn number(&self, what: cl::cl_device_info) -> u32 {
        let mut number = 0u32;
        // SAFETY: room for a cl_uint.
        unsafe { cl::clGetDeviceInfo(self.id, what, 4, (&raw mut number).cast(), ptr::null_mut()) };
        number
    }

    /// Returns the function of cl_khr_il_program. Loaders before OpenCL 2.1 do not export the function of the core.
    fn create_with_module(&self) -> Option<CreateWithModule> {
        let name = c"clCreateProgramWithILKHR".as_ptr();
        // SAFETY: the platform is one of the loader's, and the name is NUL-terminated.
        let address = unsafe { cl::clGetExtensionFunctionAddressForPlatform(self.platform, name) };
        // SAFETY: a function of that name has that signature; NULL is None.
        unsafe { std::mem::transmute::<*mut libc::c_void, Option<CreateWithModule>>(address.cast()) }
    }

    /// Returns the number of compute units.
    pub fn units(&self) -> u32 {
        self.number(cl::CL_DEVICE_MAX_COMPUTE_UNITS)
    }
}

/// Context with a queue.
pub struct Session {
    pub(crate) context: cl::cl_context,
    pub(crate) queue: cl::cl_command_queue,
    device: Device,
    create_with_module: Option<CreateWithModule>,
}

/// Program that has been built.
pub struct Program {
    id: cl::cl_program,
}

/// Kernel.
pub struct Kernel {
    id: cl::cl_kernel,
}

/// Buffer.
pub struct Buffer {
    pub(crate) id: cl::cl_mem,
    pub size: usize,
}

/// Image.
pub struct Image {
    pub(crate) id: cl::cl_mem,
    /// Width, height and depth; the depth of a 2D image is 1.
    pub size: [usize; 3],
}

/// Sampler.
pub struct Sampler {
    id: cl::cl_sampler,
}

/// On-device queue.
pub struct DeviceQueue {
    id: cl::cl_command_queue,
}

/// Pipe.
pub struct Pipe {
    id: cl::cl_mem,
}

/// Kernel argument.
pub enum Arg<'a> {
    Buffer(&'a Buffer),
    Image(&'a Image),
    Sampler(&'a Sampler),
    Pipe(&'a Pipe),
    Int(i32),
    Float(f32),
    /// Local memory, in bytes.
    Local(usize),
}

impl Session {
    /// Creates a context and an in-order queue on `device`.
    pub fn new(device: Device) -> Result<Session> {
        let mut code = 0;
        // SAFETY: one device, no properties, no callback.
        let context =
            unsafe { cl::clCreateContext(ptr::null(), 1, &device.id, None, ptr::null_mut(), &mut code) };
        check("clCreateContext", code)?;
        // SAFETY: the device belongs to the context.
        let queue = unsafe { cl::clCreateCommandQueue(context, device.id, 0, &mut code) };
        check("clCreateCommandQueue", code)?;
        Ok(Session { context, queue, device, create_with_module: device.create_with_module() })
    }

    /// Creates a program, which is not built yet.
    pub fn create(&self, code: Code<'_>) -> Result<Program> {
        match code {
            Code::Source(text) => self.create_with_source(text),
            Code::Module(module) => self.create_with_module(module),
        }
    }

    fn create_with_source(&self, source: &[u8]) -> Result<Program> {
        let mut code = 0;
        let (text, len) = (source.as_ptr().cast(), source.len());
        // SAFETY: one source with its length.
        let id = unsafe { cl::clCreateProgramWithSource(self.context, 1, &text, &len, &mut code) };
        check("clCreateProgramWithSource", code)?;
        Ok(Program { id })
    }

    fn create_with_module(&self, module: &[u8]) -> Result<Program> {
        let create = self.create_with_module.ok_or("the platform has no clCreateProgramWithILKHR")?;
        let mut code = 0;
        // SAFETY: one module with its length.
        let id = unsafe { create(self.context, module.as_ptr().cast(), module.len(), &mut code) };
        check("clCreateProgramWithILKHR", code)?;
        Ok(Program { id })
    }

    /// Builds a program from source; the error is the build log.
    pub fn build(&self, source: impl AsRef<[u8]>, options: &str) -> Result<Program> {
        self.complete(self.create(Code::Source(source.as_ref()))?, options)
    }

    /// Builds a program that has been created; the error is the build log.
    pub fn complete(&self, program: Program, options: &str) -> Result<Program> {
        let options = CString::new(options).map_err(|e| e.to_string())?;
        let (id, device) = (program.id, &raw const self.device.id);
        // SAFETY: the context's device, a NUL-terminated string, no callback.
        let code = unsafe { cl::clBuildProgram(id, 1, device, options.as_ptr(), None, ptr::null_mut()) };
        program.checked("clBuildProgram", code, self.device)
    }

    /// Compiles a program without linking it; the error is the log.
    pub fn compile(&self, source: impl AsRef<[u8]>, options: &str) -> Result<Program> {
        let program = self.create_with_source(source.as_ref())?;
        let options = CString::new(options).map_err(|e| e.to_string())?;
        let (id, device) = (program.id, &raw const self.device.id);
        let (options, none) = (options.as_ptr(), ptr::null());
        // SAFETY: the context's device, a NUL-terminated string, no headers, no callback.
        let code = unsafe {
            cl::clCompileProgram(id, 1, device, options, 0, none, ptr::null_mut(), None, ptr::null_mut())
        };
        program.checked("clCompileProgram", code, self.device)
    }

    /// Creates a buffer of `size` bytes.
    pub fn buffer(&self, size: usize) -> Result<Buffer> {
        let mut code = 0;
        // SAFETY: no host pointer is passed.
        let id = unsafe {
            cl::clCreateBuffer(self.context, cl::CL_MEM_READ_WRITE, size, ptr::null_mut(), &mut code)
        };
        check("clCreateBuffer", code)?;
        Ok(Buffer { id, size })
    }

    /// Creates a 2D image (depth 1) or a 3D one, RGBA with channels of this type.
    pub fn image(&self, channel_type: cl::cl_channel_type, size: [usize; 3]) -> Result<Image> {
        let format =
            cl::cl_image_format { image_channel_order: cl::CL_RGBA, image_channel_data_type: channel_type };
        let image_type = if size[2] == 1 { cl::CL_MEM_OBJECT_IMAGE2D } else { cl::CL_MEM_OBJECT_IMAGE3D };
        let desc = cl::cl_image_desc {
            image_type,
            image_width: size[0],
            image_height: size[1],
            image_depth: size[2],
            image_array_size: 0,
            image_row_pitch: 0,
            image_slice_pitch: 0,
            num_mip_levels: 0,
            num_samples: 0,
            buffer: ptr::null_mut(),
        };
        let mut code = 0;
        let flags = cl::CL_MEM_READ_WRITE;
        // SAFETY: the format and the description are valid, and no host pointer is passed.
        let id =
            unsafe { cl::clCreateImage(self.context, flags, &format, &desc, ptr::null_mut(), &mut code) };
        check("clCreateImage", code)?;
        Ok(Image { id, size })
    }

    /// Creates the default queue on the device, of the maximum size.
    pub fn device_queue(&self) -> Result<DeviceQueue> {
        let kind = cl::CL_QUEUE_OUT_OF_ORDER_EXEC_MODE_ENABLE
            | cl::CL_QUEUE_ON_DEVICE
            | cl::CL_QUEUE_ON_DEVICE_DEFAULT;
        let size = self.device.number(cl::CL_DEVICE_QUEUE_ON_DEVICE_MAX_SIZE);
        let properties =
            [u64::from(cl::CL_QUEUE_PROPERTIES), kind, u64::from(cl::CL_QUEUE_SIZE), size.into(), 0];
        let mut code = 0;
        // SAFETY: the list of properties ends with 0.
        let id = unsafe {
            let properties = properties.as_ptr().cast();
            cl::clCreateCommandQueueWithProperties(self.context, self.device.id, properties, &mut code)
        };
        check("clCreateCommandQueueWithProperties", code)?;
        Ok(DeviceQueue { id })
    }

    /// Creates a pipe for `packets` packets of this size.
    pub fn pipe(&self, packet_size: usize, packets: usize) -> Result<Pipe> {
        let (size, packets, mut code) = (packet_size as u32, packets as u32, 0);
        let flags = cl::CL_MEM_READ_WRITE | cl::CL_MEM_HOST_NO_ACCESS;
        // SAFETY: no properties are passed.
        let id = unsafe { cl::clCreatePipe(self.context, flags, size, packets, ptr::null(), &mut code) };
        check("clCreatePipe", code)?;
        Ok(Pipe { id })
    }

    /// Creates a sampler.
    pub fn sampler(&self, normalized: bool, addressing: u32, filter: u32) -> Result<Sampler> {
        let (normalized, mut code) = (u32::from(normalized), 0);
        // SAFETY: the only pointer is that of the error code.
        let id = unsafe { cl::clCreateSampler(self.context, normalized, addressing, filter, &mut code) };
        check("clCreateSampler", code)?;
        Ok(Sampler { id })
    }

    /// Writes a whole image and waits.
    pub fn write_image<T: Copy>(&self, image: &Image, data: &[T]) -> Result<()> {
        // SAFETY: callers pass data as large as the image, with rows without gaps; the call blocks.
        check("clEnqueueWriteImage", unsafe {
            let (yes, none, event) = (cl::CL_TRUE, ptr::null(), ptr::null_mut());
            let (origin, region, texels) = ([0; 3].as_ptr(), image.size.as_ptr(), data.as_ptr());
            cl::clEnqueueWriteImage(
                self.queue,
                image.id,
                yes,
                origin,
                region,
                0,
                0,
                texels.cast_mut().cast(),
                0,
                none,
                event,
            )
        })
    }

    /// Enqueues the copy of a whole image to another of its size.
    pub fn copy_image(&self, from: &Image, to: &Image) -> Result<()> {
        let (start, region) = ([0; 3].as_ptr(), from.size.as_ptr());
        let (none, event) = (ptr::null(), ptr::null_mut());
        // SAFETY: both images have that size.
        check("clEnqueueCopyImage", unsafe {
            cl::clEnqueueCopyImage(self.queue, from.id, to.id, start, start, region, 0, none, event)
        })
    }

    /// Enqueues a fill of a whole image with a float color.
    pub fn fill_image(&self, image: &Image, color: [f32; 4]) -> Result<()> {
        let (start, region) = ([0; 3].as_ptr(), image.size.as_ptr());
        let (none, event) = (ptr::null(), ptr::null_mut());
        // SAFETY: the color has four floats, and the image has the region's size.
        check("clEnqueueFillImage", unsafe {
            cl::clEnqueueFillImage(self.queue, image.id, color.as_ptr().cast(), start, region, 0, none, event)
        })
    }

    /// Writes to the start of a buffer and waits.
    pub fn write<T: Copy>(&self, buffer: &Buffer, data: &[T]) -> Result<()> {
        let size = size_of_val(data);
        // SAFETY: the data has `size` bytes, and the call blocks.
        check("clEnqueueWriteBuffer", unsafe {
            cl::clEnqueueWriteBuffer(
                self.queue,
                buffer.id,
                cl::CL_TRUE,
                0,
                size,
                data.as_ptr().cast(),
                0,
                ptr::null(),
                ptr::null_mut(),
            )
        })
    }

    /// Reads from the start of a buffer and waits.
    pub fn read<T: Copy>(&self, buffer: &Buffer, data: &mut [T]) -> Result<()> {
        let size = size_of_val(data);
        // SAFETY: there is room for `size` bytes, and the call blocks.
        check("clEnqueueReadBuffer", unsafe {
            cl::clEnqueueReadBuffer(
                self.queue,
                buffer.id,
                cl::CL_TRUE,
                0,
                size,
                data.as_mut_ptr().cast(),
                0,
                ptr::null(),
                ptr::null_mut(),
            )
        })
    }

    /// Maps a buffer for reading and writing, waits, and enqueues the unmap.
    pub fn map_and_unmap(&self, buffer: &Buffer, size: usize) -> Result<()> {
        let (none, mut code) = (ptr::null(), 0);
        let flags = cl::CL_MAP_READ | cl::CL_MAP_WRITE;
        // SAFETY: the buffer has `size` bytes; the wait list is empty.
        let pointer = unsafe {
            let (yes, event) = (cl::CL_TRUE, ptr::null_mut());
            cl::clEnqueueMapBuffer(self.queue, buffer.id, yes, flags, 0, size, 0, none, event, &mut code)
        };
        check("clEnqueueMapBuffer", code)?;
        // SAFETY: the pointer was mapped from this buffer above.
        check("clEnqueueUnmapMemObject", unsafe {
            cl::clEnqueueUnmapMemObject(self.queue, buffer.id, pointer, 0, none, ptr::null_mut())
        })
    }

    /// Enqueues a kernel over one or two dimensions.
    pub fn enqueue(&self, kernel: &Kernel, global: &[usize], local: Option<&[usize]>) -> Result<()> {
        let local = local.map_or(ptr::null(), <[usize]>::as_ptr);
        // SAFETY: the arrays have as many sizes as dimensions; the wait list is empty.
        check("clEnqueueNDRangeKernel", unsafe {
            cl::clEnqueueNDRangeKernel(
                self.queue,
                kernel.id,
                global.len() as u32,
                ptr::null(),
                global.as_ptr(),
                local,
                0,
                ptr::null(),
                ptr::null_mut(),
            )
        })
    }

    /// Waits for all commands of the queue.
    pub fn finish(&self) -> Result<()> {
        // SAFETY: the queue is alive.
        check("clFinish", unsafe { cl::clFinish(self.queue) })
    }
}

impl Program {
    fn checked(self, call: &str, code: cl::cl_int, device: Device) -> Result<Program> {
        if code == cl::CL_SUCCESS {
            Ok(self)
        } else {
            Err(format!("{call} gave {code}\n{}", self.log(device)))
        }
    }

    /// Returns the names of the program's kernels.
    pub fn kernel_names(&self) -> Vec<String> {
        let mut bytes = vec![0u8; 1 << 16];
        let (mut len, room) = (0, bytes.len());
        let what = cl::CL_PROGRAM_KERNEL_NAMES;
        // SAFETY: room for 65536 bytes.
        unsafe { cl::clGetProgramInfo(self.id, what, room, bytes.as_mut_ptr().cast(), &mut len) };
        bytes.truncate(len.saturating_sub(1));
        String::from_utf8_lossy(&bytes).split(';').map(str::to_owned).collect()
    }

    fn log(&self, device: Device) -> String {
        let mut bytes = vec![0u8; 1 << 16];
        let mut len = 0;
        // SAFETY: room for 65536 bytes.
        unsafe {
            cl::clGetProgramBuildInfo(
                self.id,
                device.id,
                cl::CL_PROGRAM_BUILD_LOG,
                bytes.len(),
                bytes.as_mut_ptr().cast(),
                &mut len,
            );
        }
        bytes.truncate(len.saturating_sub(1));
        String::from_utf8_lossy(&bytes).into_owned()
    }

    /// Creates a kernel by name.
    pub fn kernel(&self, name: &str) -> Result<Kernel> {
        let mut code = 0;
        let name = CString::new(name).map_err(|e| e.to_string())?;
        // SAFETY: the name is NUL-terminated.
        let id = unsafe { cl::clCreateKernel(self.id, name.as_ptr(), &mut code) };
        check("clCreateKernel", code)?;
        Ok(Kernel { id })
    }
}

impl Kernel {
    /// Returns the number of the kernel's arguments.
    pub fn arg_count(&self) -> usize {
        let mut count = 0u32;
        let (at, none) = (&raw mut count, ptr::null_mut());
        // SAFETY: room for a cl_uint.
        unsafe { cl::clGetKernelInfo(self.id, cl::CL_KERNEL_NUM_ARGS, 4, at.cast(), none) };
        count as usize
    }

    /// Sets all arguments in order.
    pub fn set(&self, args: &[Arg<'_>]) -> Result<()> {
        for (index, arg) in args.iter().enumerate() {
            let (size, value): (usize, *const libc::c_void) = match arg {
                Arg::Buffer(buffer) => (size_of::<cl::cl_mem>(), (&raw const buffer.id).cast()),
                Arg::Image(image) => (size_of::<cl::cl_mem>(), (&raw const image.id).cast()),
                Arg::Sampler(sampler) => (size_of::<cl::cl_sampler>(), (&raw const sampler.id).cast()),
                Arg::Pipe(pipe) => (size_of::<cl::cl_mem>(), (&raw const pipe.id).cast()),
                Arg::Int(value) => (4, ptr::from_ref(value).cast()),
                Arg::Float(value) => (4, ptr::from_ref(value).cast()),
                Arg::Local(size) => (*size, ptr::null()),
            };
            // SAFETY: `value` points at `size` bytes, or is null for local memory.
            check("clSetKernelArg", unsafe { cl::clSetKernelArg(self.id, index as u32, size, value) })?;
        }
        Ok(())
    }
}

impl Drop for Kernel {
    fn drop(&mut self) {
        // SAFETY: the reference is owned by this value.
        unsafe { cl::clReleaseKernel(self.id) };
    }
}

impl Drop for Program {
    fn drop(&mut self) {
        // SAFETY: the reference is owned by this value.
        unsafe { cl::clReleaseProgram(self.id) };
    }
}

impl Drop for Buffer {
    fn drop(&mut self) {
        // SAFETY: the reference is owned by this value.
        unsafe { cl::clReleaseMemObject(self.id) };
    }
}

impl Drop for Image {
    fn drop(&mut self) {
        // SAFETY: the reference is owned by this value.
        unsafe { cl::clReleaseMemObject(self.id) };
    }
}

impl Drop for Pipe {
    fn drop(&mut self) {
        // SAFETY: the reference is owned by this value.
        unsafe { cl::clReleaseMemObject(self.id) };
    }
}

impl Drop for DeviceQueue {
    fn drop(&mut self) {
        // SAFETY: the reference is owned by this value.
        unsafe { cl::clReleaseCommandQueue(self.id) };
    }
}

impl Drop for Sampler {
    fn drop(&mut self) {
        // SAFETY: the reference is owned by this value.
        unsafe { cl::clReleaseSampler(self.id) };
    }
}

impl Drop for Session {
    fn drop(&mut self) {
        // SAFETY: the references are owned by this value.
        unsafe {
            cl::clReleaseCommandQueue(self.queue);
            cl::clReleaseContext(self.context);
        }
    }
}
