//! Kernels: parameters, resources, arguments.

use std::ffi::c_void;
use std::ptr;

use serde::Serialize;

use super::functions::Handle;
use super::session::Session;
use super::*;

/// Kernel.
pub struct Kernel<'s> {
    pub(super) session: &'s Session,
    pub(super) id: Handle,
}

/// Address space of a parameter's target.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum Space {
    Private,
    Global,
    Constant,
    Local,
}

/// Parameter of a kernel.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Parameter {
    pub name: String,
    /// Type as in the source, without qualifiers: `float4*`.
    #[serde(rename = "type")]
    pub type_name: String,
    pub space: Space,
    /// Access qualifier of an image or a pipe: `read_only`, `write_only`, `read_write`.
    pub access: Option<&'static str>,
    /// Type qualifiers: `const`, `restrict`, `volatile`, `pipe`.
    pub qualifiers: Vec<&'static str>,
}

/// Resources of a kernel.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct KernelResources {
    /// Maximum number of work-items of a work-group.
    pub work_group_size: u64,
    /// Preferred multiple of the work-group size.
    pub preferred_multiple: u64,
    /// Private memory of a work-item in bytes.
    pub private_memory: u64,
    /// Local memory of a work-group in bytes.
    pub local_memory: u64,
    /// Size required by `reqd_work_group_size`.
    pub required_size: Option<[u64; 3]>,
}

impl Kernel<'_> {
    fn arg_info(&self, index: u32, what: u32) -> Result<Vec<u8>> {
        bytes("clGetKernelArgInfo", |size, to, got| {
            // SAFETY: there is room for `size` bytes, or `to` is null.
            unsafe { (self.session.device.functions.clGetKernelArgInfo)(self.id, index, what, size, to, got) }
        })
    }

    fn info(&self, what: u32) -> Result<Vec<u8>> {
        bytes("clGetKernelInfo", |size, to, got| {
            // SAFETY: there is room for `size` bytes, or `to` is null.
            unsafe { (self.session.device.functions.clGetKernelInfo)(self.id, what, size, to, got) }
        })
    }

    fn group_info(&self, what: u32) -> Result<Vec<u8>> {
        let device = self.session.device.id;
        bytes("clGetKernelWorkGroupInfo", |size, to, got| {
            // SAFETY: there is room for `size` bytes, or `to` is null.
            unsafe {
                (self.session.device.functions.clGetKernelWorkGroupInfo)(self.id, device, what, size, to, got)
            }
        })
    }

    /// Returns the parameters in order.
    ///
    /// # Errors
    /// If the program was built without `-cl-kernel-arg-info`, or comes from a binary built without it.
    pub fn parameters(&self) -> Result<Vec<Parameter>> {
        let count = number(&self.info(CL_KERNEL_NUM_ARGS)?) as u32;
        (0..count).map(|index| self.parameter(index)).collect()
    }

    fn parameter(&self, index: u32) -> Result<Parameter> {
        let space = match number(&self.arg_info(index, CL_KERNEL_ARG_ADDRESS_QUALIFIER)?) as u32 {
            CL_KERNEL_ARG_ADDRESS_GLOBAL => Space::Global,
            CL_KERNEL_ARG_ADDRESS_CONSTANT => Space::Constant,
            CL_KERNEL_ARG_ADDRESS_LOCAL => Space::Local,
            _ => Space::Private,
        };
        let access = match number(&self.arg_info(index, CL_KERNEL_ARG_ACCESS_QUALIFIER)?) as u32 {
            CL_KERNEL_ARG_ACCESS_READ_ONLY => Some("read_only"),
            CL_KERNEL_ARG_ACCESS_WRITE_ONLY => Some("write_only"),
            CL_KERNEL_ARG_ACCESS_READ_WRITE => Some("read_write"),
            _ => None,
        };
        const QUALIFIERS: [(u64, &str); 4] = [
            (CL_KERNEL_ARG_TYPE_CONST, "const"),
            (CL_KERNEL_ARG_TYPE_RESTRICT, "restrict"),
            (CL_KERNEL_ARG_TYPE_VOLATILE, "volatile"),
            (CL_KERNEL_ARG_TYPE_PIPE, "pipe"),
        ];
        let said = number(&self.arg_info(index, CL_KERNEL_ARG_TYPE_QUALIFIER)?);
        Ok(Parameter {
            name: text(self.arg_info(index, CL_KERNEL_ARG_NAME)?),
            type_name: text(self.arg_info(index, CL_KERNEL_ARG_TYPE_NAME)?),
            space,
            access,
            qualifiers: QUALIFIERS.iter().filter(|(bit, _)| said & bit != 0).map(|(_, name)| *name).collect(),
        })
    }

    /// Returns the resources of the kernel.
    ///
    /// # Errors
    /// If a query of the vendor fails.
    pub fn resources(&self) -> Result<KernelResources> {
        let one = |what| self.group_info(what).map(|bytes| number(&bytes));
        let required: Vec<u64> = self
            .group_info(CL_KERNEL_COMPILE_WORK_GROUP_SIZE)?
            .chunks(size_of::<usize>())
            .map(number)
            .collect();
        Ok(KernelResources {
            work_group_size: one(CL_KERNEL_WORK_GROUP_SIZE)?,
            preferred_multiple: one(CL_KERNEL_PREFERRED_WORK_GROUP_SIZE_MULTIPLE)?,
            private_memory: one(CL_KERNEL_PRIVATE_MEM_SIZE)?,
            local_memory: one(CL_KERNEL_LOCAL_MEM_SIZE)?,
            required_size: <[u64; 3]>::try_from(required).ok().filter(|size| size[0] != 0),
        })
    }

    /// Returns the attributes as in the source, or an empty text if the query fails.
    pub fn attributes(&self) -> String {
        self.info(CL_KERNEL_ATTRIBUTES).map(text).unwrap_or_default()
    }

    fn set(&self, index: usize, size: usize, value: *const c_void) -> Result<()> {
        // SAFETY: `value` is null or points to `size` bytes in all callers below.
        check("clSetKernelArg", unsafe {
            (self.session.device.functions.clSetKernelArg)(self.id, index as u32, size, value)
        })
    }

    /// Sets an argument by its bytes.
    ///
    /// # Errors
    /// If the argument has another size.
    pub fn set_bytes(&self, index: usize, value: &[u8]) -> Result<()> {
        self.set(index, value.len(), value.as_ptr().cast())
    }

    /// Sets a local memory argument, with its size in bytes.
    ///
    /// # Errors
    /// If the parameter is not a pointer to local memory.
    pub fn set_local(&self, index: usize, size: usize) -> Result<()> {
        self.set(index, size, ptr::null())
    }

    /// Sets a pointer to NULL.
    ///
    /// # Errors
    /// If the parameter is not a pointer.
    pub fn set_null(&self, index: usize) -> Result<()> {
        self.set_handle(index, ptr::null_mut())
    }

    /// Sets a buffer.
    ///
    /// # Errors
    /// If the parameter does not take a buffer.
    pub fn set_buffer(&self, index: usize, buffer: &Buffer<'_>) -> Result<()> {
        self.set_handle(index, buffer.id)
    }

    /// Sets an image.
    ///
    /// # Errors
    /// If the parameter does not take an image.
    pub fn set_image(&self, index: usize, image: &Image<'_>) -> Result<()> {
        self.set_handle(index, image.id)
    }

    /// Sets a sampler.
    ///
    /// # Errors
    /// If the parameter does not take a sampler.
    pub fn set_sampler(&self, index: usize, sampler: &Sampler<'_>) -> Result<()> {
        self.set_handle(index, sampler.id)
    }

    pub(super) fn set_handle(&self, index: usize, handle: Handle) -> Result<()> {
        self.set(index, size_of::<Handle>(), (&raw const handle).cast())
    }
}

impl Drop for Kernel<'_> {
    fn drop(&mut self) {
        // SAFETY: the reference is owned by this value.
        unsafe { (self.session.device.functions.clReleaseKernel)(self.id) };
    }
}
