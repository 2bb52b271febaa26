//! Kernels: what they are called with, what they need.

use std::ffi::c_void;
use std::ptr;

use serde::Serialize;

use super::functions::Handle;
use super::session::Session;
use super::*;

/// A kernel.
pub struct Kernel<'s> {
    pub(super) session: &'s Session,
    pub(super) id: Handle,
}

/// Where what a parameter points to is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum Space {
    Private,
    Global,
    Constant,
    Local,
}

/// A parameter of a kernel.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Parameter {
    pub name: String,
    /// As the source has it, without qualifiers: `float4*`.
    #[serde(rename = "type")]
    pub type_name: String,
    pub space: Space,
    /// Of an image or a pipe: `read_only`, `write_only`, `read_write`.
    pub access: Option<&'static str>,
    /// `const`, `restrict`, `volatile`, `pipe`.
    pub qualifiers: Vec<&'static str>,
}

/// What running a kernel takes.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct KernelResources {
    /// Work-items of a group at most.
    pub work_group_size: u64,
    /// A multiple of which the size of a group should be.
    pub preferred_multiple: u64,
    /// Bytes of a work-item.
    pub private_memory: u64,
    /// Bytes of a work-group.
    pub local_memory: u64,
    /// `reqd_work_group_size`.
    pub required_size: Option<[u64; 3]>,
}

impl Kernel<'_> {
    fn arg_info(&self, index: u32, what: u32) -> Result<Vec<u8>> {
        bytes("clGetKernelArgInfo", |size, to, got| {
            // SAFETY: there is room for `size` bytes, or nothing is to be written.
            unsafe { (self.session.device.functions.clGetKernelArgInfo)(self.id, index, what, size, to, got) }
        })
    }

    fn info(&self, what: u32) -> Result<Vec<u8>> {
        bytes("clGetKernelInfo", |size, to, got| {
            // SAFETY: there is room for `size` bytes, or nothing is to be written.
            unsafe { (self.session.device.functions.clGetKernelInfo)(self.id, what, size, to, got) }
        })
    }

    fn group_info(&self, what: u32) -> Result<Vec<u8>> {
        let device = self.session.device.id;
        bytes("clGetKernelWorkGroupInfo", |size, to, got| {
            // SAFETY: there is room for `size` bytes, or nothing is to be written.
            unsafe {
                (self.session.device.functions.clGetKernelWorkGroupInfo)(self.id, device, what, size, to, got)
            }
        })
    }

    /// Its parameters in order.
    ///
    /// # Errors
    /// If the program was built without `-cl-kernel-arg-info`, or came as a binary that was.
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

    /// What running it takes.
    ///
    /// # Errors
    /// If the vendor does not say.
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

    /// Its attributes as the source has them, empty if the vendor does not say.
    pub fn attributes(&self) -> String {
        self.info(CL_KERNEL_ATTRIBUTES).map(text).unwrap_or_default()
    }

    fn set(&self, index: usize, size: usize, value: *const c_void) -> Result<()> {
        // SAFETY: `value` is null or has `size` bytes: the callers below.
        check("clSetKernelArg", unsafe {
            (self.session.device.functions.clSetKernelArg)(self.id, index as u32, size, value)
        })
    }

    /// Sets an argument by its bytes.
    ///
    /// # Errors
    /// If it has another size.
    pub fn set_bytes(&self, index: usize, value: &[u8]) -> Result<()> {
        self.set(index, value.len(), value.as_ptr().cast())
    }

    /// Sets an argument in local memory.
    ///
    /// # Errors
    /// If the parameter is none.
    pub fn set_local(&self, index: usize, size: usize) -> Result<()> {
        self.set(index, size, ptr::null())
    }

    /// Sets a pointer to NULL.
    ///
    /// # Errors
    /// If the parameter is no pointer.
    pub fn set_null(&self, index: usize) -> Result<()> {
        self.set_handle(index, ptr::null_mut())
    }

    /// Sets a buffer.
    ///
    /// # Errors
    /// If the parameter takes none.
    pub fn set_buffer(&self, index: usize, buffer: &Buffer<'_>) -> Result<()> {
        self.set_handle(index, buffer.id)
    }

    /// Sets an image.
    ///
    /// # Errors
    /// If the parameter takes none.
    pub fn set_image(&self, index: usize, image: &Image<'_>) -> Result<()> {
        self.set_handle(index, image.id)
    }

    /// Sets a sampler.
    ///
    /// # Errors
    /// If the parameter takes none.
    pub fn set_sampler(&self, index: usize, sampler: &Sampler<'_>) -> Result<()> {
        self.set_handle(index, sampler.id)
    }

    pub(super) fn set_handle(&self, index: usize, handle: Handle) -> Result<()> {
        self.set(index, size_of::<Handle>(), (&raw const handle).cast())
    }
}

impl Drop for Kernel<'_> {
    fn drop(&mut self) {
        // SAFETY: its own reference.
        unsafe { (self.session.device.functions.clReleaseKernel)(self.id) };
    }
}
