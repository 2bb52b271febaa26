//! Unified shared memory (cl_intel_unified_shared_memory). These functions have no slots in the dispatch table.

use grus_core::cl::*;
use grus_core::runtime::context::Context;
use grus_core::runtime::device::Device;
use grus_core::runtime::error::Error;
use grus_core::runtime::kernel::Kernel;
use grus_core::runtime::usm::UsmOwner;

use crate::arg::{Handle, In, Memory};
use crate::boundary::{Pointer, entry};

entry! {
    /// cl_intel_unified_shared_memory
    fn clHostMemAllocINTEL(
        context: Handle<Context>,
        properties: In<cl_mem_properties_intel>,
        size: usize,
        alignment: cl_uint,
    ) -> create Pointer {
        context.get()?.usm_alloc(&UsmOwner::Host, &properties.list(), size, alignment)
    }
}

entry! {
    /// cl_intel_unified_shared_memory
    fn clDeviceMemAllocINTEL(
        context: Handle<Context>,
        device: Handle<Device>,
        properties: In<cl_mem_properties_intel>,
        size: usize,
        alignment: cl_uint,
    ) -> create Pointer {
        let context = context.get()?;
        let owner = UsmOwner::Device(device.get()?);
        context.usm_alloc(&owner, &properties.list(), size, alignment)
    }
}

entry! {
    /// cl_intel_unified_shared_memory: NULL stands for no particular device.
    fn clSharedMemAllocINTEL(
        context: Handle<Context>,
        device: Handle<Device>,
        properties: In<cl_mem_properties_intel>,
        size: usize,
        alignment: cl_uint,
    ) -> create Pointer {
        let context = context.get()?;
        let owner = UsmOwner::Shared(device.get_or_null()?);
        context.usm_alloc(&owner, &properties.list(), size, alignment)
    }
}

entry! {
    /// cl_intel_unified_shared_memory
    fn clMemFreeINTEL(context: Handle<Context>, ptr: Memory) -> status {
        context.get()?.usm_free(ptr.host_ptr(), false)
    }
}

entry! {
    /// cl_intel_unified_shared_memory
    fn clMemBlockingFreeINTEL(context: Handle<Context>, ptr: Memory) -> status {
        context.get()?.usm_free(ptr.host_ptr(), true)
    }
}

entry! {
    /// cl_intel_unified_shared_memory: any pointer is valid, also one that is in no allocation.
    fn clGetMemAllocInfoINTEL(
        context: Handle<Context>,
        ptr: Memory,
        param_name: cl_mem_info_intel,
    ) -> info |out| {
        const FLAGS: cl_mem_info_intel = CL_MEM_ALLOC_FLAGS_INTEL as cl_mem_info_intel;
        let info = context.get()?.usm_info(ptr.host_ptr());
        match param_name {
            CL_MEM_ALLOC_TYPE_INTEL => out.write::<cl_unified_shared_memory_type_intel>(info.kind),
            CL_MEM_ALLOC_BASE_PTR_INTEL => out.write::<*mut std::ffi::c_void>(info.base.as_ptr()),
            CL_MEM_ALLOC_SIZE_INTEL => out.write::<usize>(info.size),
            CL_MEM_ALLOC_DEVICE_INTEL => out.write::<cl_device_id>(info.device),
            FLAGS => out.write::<cl_mem_alloc_flags_intel>(info.flags),
            _ => Err(Error::InvalidValue),
        }
    }
}

entry! {
    /// cl_intel_unified_shared_memory
    fn clSetKernelArgMemPointerINTEL(
        kernel: Handle<Kernel>,
        arg_index: cl_uint,
        arg_value: Memory,
    ) -> status {
        kernel.get()?.set_pointer_arg(arg_index, arg_value.address())
    }
}

entry! {
    /// cl_intel_unified_shared_memory
    fn clEnqueueMemFillINTEL(
        dst_ptr: Memory,
        pattern: Memory,
        pattern_size: usize,
        size: usize,
    ) -> enqueue |queue; events| {
        let pattern = pattern.bytes(pattern_size).ok_or(Error::InvalidValue)?;
        queue.fill_pointer(CL_COMMAND_MEMFILL_INTEL, dst_ptr.host_ptr(), pattern, size, &events)
    }
}

entry! {
    /// cl_intel_unified_shared_memory: earlier form of clEnqueueMemFillINTEL, which fills with one byte, as `memset`
    /// does.
    fn clEnqueueMemsetINTEL(
        dst_ptr: Memory,
        value: cl_int,
        size: usize,
    ) -> enqueue |queue; events| {
        queue.fill_pointer(CL_COMMAND_MEMFILL_INTEL, dst_ptr.host_ptr(), &value.to_le_bytes()[..1], size, &events)
    }
}

entry! {
    /// cl_intel_unified_shared_memory
    fn clEnqueueMemcpyINTEL(
        blocking: cl_bool,
        dst_ptr: Memory,
        src_ptr: Memory,
        size: usize,
    ) -> enqueue |queue; events| {
        let blocking = blocking != CL_FALSE;
        queue.copy_pointers(CL_COMMAND_MEMCPY_INTEL, blocking, dst_ptr.host_ptr(), src_ptr.host_ptr(), size, &events)
    }
}

entry! {
    /// cl_intel_unified_shared_memory: any range is valid. No flags stand for the device of the queue, from version 1.2
    /// of the extension on.
    fn clEnqueueMigrateMemINTEL(
        _ptr: Memory,
        _size: usize,
        flags: cl_mem_migration_flags,
    ) -> enqueue |queue; events| {
        let known = CL_MIGRATE_MEM_OBJECT_HOST | CL_MIGRATE_MEM_OBJECT_CONTENT_UNDEFINED;
        if flags & !known != 0 {
            return Err(Error::InvalidValue);
        }
        queue.usm_migrate(&events)
    }
}

entry! {
    /// cl_intel_unified_shared_memory: any range is valid. The extension defines no advice, so only none is supported.
    fn clEnqueueMemAdviseINTEL(
        _ptr: Memory,
        _size: usize,
        advice: cl_mem_advice_intel,
    ) -> enqueue |queue; events| {
        if advice != 0 {
            return Err(Error::InvalidValue);
        }
        queue.usm_advise(&events)
    }
}
