//! Features of version 2.0: shared virtual memory, pipes, on-device queues.

use std::ffi::c_void;
use std::ptr;

use super::functions::{Functions20, Handle};
use super::kernel::Kernel;
use super::memory::Buffer;
use super::session::Session;
use super::*;
use crate::problem::{Problem, Result, failed};

/// Allocation of shared virtual memory.
pub struct Shared<'s> {
    session: &'s Session,
    functions: Functions20,
    pointer: *mut c_void,
    pub size: usize,
}

/// On-device queue.
pub struct DeviceQueue<'s> {
    session: &'s Session,
    id: Handle,
}

impl Kernel<'_> {
    /// Returns the result of clGetKernelSubGroupInfoKHR for work-groups of a size.
    ///
    /// # Errors
    /// If the vendor does not support the query, or work-groups of this size.
    pub fn sub_group_info(&self, what: u32, local: &[usize]) -> Result<Vec<u8>> {
        let (functions, device) = (self.session.later()?, self.session.device.id);
        bytes("clGetKernelSubGroupInfoKHR", |size, to, got| {
            let (bytes, local) = (size_of_val(local), local.as_ptr().cast());
            // SAFETY: `local` has `bytes` bytes; there is room for `size` bytes, or `to` is null.
            unsafe {
                (functions.clGetKernelSubGroupInfoKHR)(self.id, device, what, bytes, local, size, to, got)
            }
        })
    }
}

impl Session {
    /// Returns the functions of version 2.0.
    fn later(&self) -> Result<Functions20> {
        if self.device.version() < (2, 0) {
            return failed(format!("{} is of version 1: it lacks what this takes", self.device.name()));
        }
        // SAFETY: the platform supports version 2.0 or later.
        unsafe { Functions20::of(self.device.platform) }.map_err(Problem::Failed)
    }

    /// Allocates shared virtual memory of `size` bytes, at least one.
    ///
    /// # Errors
    /// If the device does not support it, or has not enough memory.
    pub fn shared(&self, size: usize) -> Result<Shared<'_>> {
        let (size, functions) = (size.max(1), self.later()?);
        // SAFETY: the context belongs to this session.
        let pointer = unsafe { (functions.clSVMAlloc)(self.context, CL_MEM_READ_WRITE, size, 0) };
        if pointer.is_null() {
            return failed(format!("{} gives no shared virtual memory of {size} bytes", self.device.name()));
        }
        Ok(Shared { session: self, functions, pointer, size })
    }

    /// Creates an empty pipe.
    ///
    /// # Errors
    /// If the device does not support pipes, or pipes of this size.
    pub fn pipe(&self, packet_size: u32, max_packets: u32) -> Result<Buffer<'_>> {
        let (functions, mut code) = (self.later()?, 0);
        // SAFETY: no properties are passed.
        let id = unsafe {
            (functions.clCreatePipe)(self.context, 0, packet_size, max_packets, ptr::null(), &mut code)
        };
        check("clCreatePipe", code)?;
        Ok(Buffer { session: self, id, size: packet_size as usize * max_packets as usize })
    }

    /// Creates an on-device queue.
    ///
    /// # Errors
    /// If the device does not support on-device queues.
    pub fn device_queue(&self, size: u32, is_default: bool) -> Result<DeviceQueue<'_>> {
        let (functions, mut code) = (self.later()?, 0);
        let default = if is_default { CL_QUEUE_ON_DEVICE_DEFAULT } else { 0 };
        let flags = CL_QUEUE_OUT_OF_ORDER_EXEC_MODE_ENABLE | CL_QUEUE_ON_DEVICE | default;
        let properties = [CL_QUEUE_PROPERTIES, flags, CL_QUEUE_SIZE, u64::from(size), 0];
        // SAFETY: the list of properties ends with 0.
        let id = unsafe {
            let create = functions.clCreateCommandQueueWithProperties;
            create(self.context, self.device.id, properties.as_ptr(), &mut code)
        };
        check("a queue on the device", code)?;
        Ok(DeviceQueue { session: self, id })
    }
}

impl Shared<'_> {
    /// Returns the address of the allocation.
    pub fn address(&self) -> u64 {
        self.pointer.addr() as u64
    }

    fn copy(&self, to: *mut c_void, from: *const c_void) -> Result<()> {
        let copy = self.functions.clEnqueueSVMMemcpy;
        // SAFETY: the copy is blocking, and both ranges have `size` bytes in all callers.
        check("clEnqueueSVMMemcpy", unsafe {
            copy(self.session.queue, 1, to, from, self.size, 0, ptr::null(), ptr::null_mut())
        })
    }

    /// Overwrites the whole allocation; `bytes` must have its size.
    ///
    /// # Errors
    /// If the command fails.
    pub fn write(&self, bytes: &[u8]) -> Result<()> {
        assert_eq!(bytes.len(), self.size, "all bytes");
        self.copy(self.pointer, bytes.as_ptr().cast())
    }

    /// Returns the contents of the allocation.
    ///
    /// # Errors
    /// If the command fails.
    pub fn read(&self) -> Result<Vec<u8>> {
        let mut bytes = vec![0u8; self.size];
        self.copy(bytes.as_mut_ptr().cast(), self.pointer)?;
        Ok(bytes)
    }
}

impl Drop for Shared<'_> {
    fn drop(&mut self) {
        // SAFETY: the allocation is owned by this value, and no command uses it any more.
        unsafe { (self.functions.clSVMFree)(self.session.context, self.pointer) };
    }
}

impl Drop for DeviceQueue<'_> {
    fn drop(&mut self) {
        // SAFETY: the reference is owned by this value.
        unsafe { (self.session.device.functions.clReleaseCommandQueue)(self.id) };
    }
}

impl Kernel<'_> {
    /// Sets a pointer into shared virtual memory.
    ///
    /// # Errors
    /// If the parameter is not a pointer.
    pub fn set_shared(&self, index: usize, shared: &Shared<'_>, offset: usize) -> Result<()> {
        let pointer = shared.pointer.cast::<u8>().wrapping_add(offset);
        // SAFETY: the pointer points into an allocation of the context.
        check("clSetKernelArgSVMPointer", unsafe {
            (shared.functions.clSetKernelArgSVMPointer)(self.id, index as u32, pointer.cast())
        })
    }

    /// Declares the shared virtual memory that the kernel accesses without an argument.
    ///
    /// # Errors
    /// If the vendor rejects the call.
    pub fn uses_shared<'a>(&self, all: impl Iterator<Item = &'a Shared<'a>> + Clone) -> Result<()> {
        let Some(first) = all.clone().next() else { return Ok(()) };
        let list: Vec<*mut c_void> = all.map(|shared| shared.pointer).collect();
        let set = first.functions.clSetKernelExecInfo;
        // SAFETY: the list of pointers is passed with its size in bytes.
        check("clSetKernelExecInfo", unsafe {
            set(self.id, CL_KERNEL_EXEC_INFO_SVM_PTRS, size_of_val(&*list), list.as_ptr().cast())
        })
    }

    /// Sets an on-device queue.
    ///
    /// # Errors
    /// If the parameter does not take a queue.
    pub fn set_queue(&self, index: usize, queue: &DeviceQueue<'_>) -> Result<()> {
        self.set_handle(index, queue.id)
    }
}
