//! Shared virtual memory (API s5.6).

use std::ffi::c_void;

use grus_core::cl::*;
use grus_core::runtime::context::Context;
use grus_core::runtime::error::Error;
use grus_core::runtime::kernel::{Kernel, SharedSet};
use grus_core::runtime::memory::MapAccess;

use crate::arg::{Handle, In, Memory, reserve};
use crate::boundary::entry;
use crate::callback;

entry! {
    /// s5.6.1: returns NULL for all errors.
    fn clSVMAlloc(
        context: Handle<Context>,
        flags: cl_svm_mem_flags,
        size: usize,
        alignment: cl_uint,
    ) -> plain *mut c_void {
        let made = context.get().and_then(|context| context.svm_alloc(flags, size, alignment));
        made.map_or(std::ptr::null_mut(), |pointer| pointer.as_ptr())
    }
}

entry! {
    /// s5.6.1: ignores pointers that are not allocations of this context, including NULL.
    fn clSVMFree(context: Handle<Context>, svm_pointer: Memory) -> plain () {
        if let Ok(context) = context.get() {
            context.svm_free(svm_pointer.host_ptr());
        }
    }
}

entry! {
    /// s5.6.1
    fn clEnqueueSVMFree(
        num_svm_pointers: cl_uint,
        svm_pointers: In<Memory>,
        pfn_free_func: Option<SvmFree>,
        user_data: Memory,
    ) -> enqueue |queue; events| {
        // `svm_pointers` is NULL and `num_svm_pointers` above 0, or vice versa.
        if svm_pointers.is_null() != (num_svm_pointers == 0) {
            return Err(Error::InvalidValue);
        }
        let pointers = svm_pointers.array(num_svm_pointers).unwrap_or(&[]);
        let mut list = Vec::new();
        reserve(&mut list, pointers.len())?;
        list.extend(pointers.iter().map(Memory::host_ptr));
        let function = pfn_free_func.map(|function| callback::svm_free(function, user_data));
        queue.svm_free(list, function, &events)
    }
}

entry! {
    /// s5.6.1
    fn clEnqueueSVMMemcpy(
        blocking_copy: cl_bool,
        dst_ptr: Memory,
        src_ptr: Memory,
        size: usize,
    ) -> enqueue |queue; events| {
        let blocking = blocking_copy != CL_FALSE;
        queue.copy_pointers(CL_COMMAND_SVM_MEMCPY, blocking, dst_ptr.host_ptr(), src_ptr.host_ptr(), size, &events)
    }
}

entry! {
    /// s5.6.1
    fn clEnqueueSVMMemFill(
        svm_ptr: Memory,
        pattern: Memory,
        pattern_size: usize,
        size: usize,
    ) -> enqueue |queue; events| {
        let pattern = pattern.bytes(pattern_size).ok_or(Error::InvalidValue)?;
        queue.fill_pointer(CL_COMMAND_SVM_MEMFILL, svm_ptr.host_ptr(), pattern, size, &events)
    }
}

entry! {
    /// s5.6.1
    fn clEnqueueSVMMap(
        blocking_map: cl_bool,
        flags: cl_map_flags,
        svm_ptr: Memory,
        size: usize,
    ) -> enqueue |queue; events| {
        let access = MapAccess::new(flags)?;
        let blocking = blocking_map != CL_FALSE;
        queue.svm_map(blocking, access, (svm_ptr.host_ptr(), size), &events)
    }
}

entry! {
    /// s5.6.1
    fn clEnqueueSVMUnmap(
        svm_ptr: Memory,
    ) -> enqueue |queue; events| {
        queue.svm_unmap(svm_ptr.host_ptr(), &events)
    }
}

entry! {
    /// s5.6.1 (2.1)
    fn clEnqueueSVMMigrateMem(
        num_svm_pointers: cl_uint,
        svm_pointers: In<Memory>,
        sizes: In<usize>,
        flags: cl_mem_migration_flags,
    ) -> enqueue |queue; events| {
        let known = CL_MIGRATE_MEM_OBJECT_HOST | CL_MIGRATE_MEM_OBJECT_CONTENT_UNDEFINED;
        // There are no pointers, or there are unknown flags.
        if num_svm_pointers == 0 || flags & !known != 0 {
            return Err(Error::InvalidValue);
        }
        let pointers = svm_pointers.array(num_svm_pointers).ok_or(Error::InvalidValue)?;
        // Without sizes, or with a size of 0, a pointer stands for the allocation that contains it.
        let sizes = sizes.array(num_svm_pointers).unwrap_or(&[]).iter().copied();
        let ranges = pointers.iter().map(Memory::host_ptr).zip(sizes);
        queue.svm_migrate(ranges, &events)
    }
}

entry! {
    /// s5.9.2
    fn clSetKernelArgSVMPointer(
        kernel: Handle<Kernel>,
        arg_index: cl_uint,
        arg_value: Memory,
    ) -> status {
        kernel.get()?.set_pointer_arg(arg_index, arg_value.address())
    }
}

entry! {
    /// cl_ext_buffer_device_address
    fn clSetKernelArgDevicePointerEXT(
        kernel: Handle<Kernel>,
        arg_index: cl_uint,
        arg_value: cl_mem_device_address_ext,
    ) -> status {
        kernel.get()?.set_device_address_arg(arg_index, arg_value)
    }
}

entry! {
    /// s5.9.2
    fn clSetKernelExecInfo(
        kernel: Handle<Kernel>,
        param_name: cl_kernel_exec_info,
        param_value_size: usize,
        param_value: Memory,
    ) -> status {
        let kernel = kernel.get()?;
        let fits = match param_name {
            CL_KERNEL_EXEC_INFO_SVM_PTRS
            | CL_KERNEL_EXEC_INFO_USM_PTRS_INTEL
            | CL_KERNEL_EXEC_INFO_DEVICE_PTRS_EXT => {
                param_value_size.is_multiple_of(size_of::<*const c_void>())
            }
            CL_KERNEL_EXEC_INFO_SVM_FINE_GRAIN_SYSTEM
            | CL_KERNEL_EXEC_INFO_INDIRECT_HOST_ACCESS_INTEL
            | CL_KERNEL_EXEC_INFO_INDIRECT_DEVICE_ACCESS_INTEL
            | CL_KERNEL_EXEC_INFO_INDIRECT_SHARED_ACCESS_INTEL => param_value_size == size_of::<cl_bool>(),
            _ => false,
        };
        // An empty set of pointers is NULL with size 0.
        if !fits || param_value.is_null() && param_value_size != 0 {
            return Err(Error::InvalidValue);
        }
        // Kernels may follow any pointer, whatever the flags are.
        let set = match param_name {
            CL_KERNEL_EXEC_INFO_SVM_PTRS => Some(SharedSet::Svm),
            CL_KERNEL_EXEC_INFO_USM_PTRS_INTEL => Some(SharedSet::Usm),
            CL_KERNEL_EXEC_INFO_DEVICE_PTRS_EXT => Some(SharedSet::DeviceAddresses),
            _ => None,
        };
        if let Some(set) = set {
            let pointers = param_value.bytes(param_value_size).unwrap_or_default();
            let pointers = pointers.chunks_exact(size_of::<*const c_void>());
            let addresses = pointers.map(|bytes| bytes.try_into().map_or(0, usize::from_ne_bytes));
            kernel.set_shared(set, addresses);
        }
        Ok(())
    }
}
