//! Shared virtual memory (API s5.6). CL_DEVICE_SVM_CAPABILITIES is 0, so these calls end with CL_INVALID_OPERATION once
//! their objects are valid.

use std::ffi::c_void;

use grus_core::cl::*;
use grus_core::runtime::context::Context;
use grus_core::runtime::error::{Error, Result};
use grus_core::runtime::event::Event;
use grus_core::runtime::kernel::Kernel;
use grus_core::runtime::queue::Queue;

use crate::arg::{Handle, Handles, In, Memory, Out};
use crate::boundary::entry;
use crate::wait::wait_list;

entry! {
    /// s5.6.1: NULL means that there is no such memory.
    fn clSVMAlloc(
        _context: Handle<Context>,
        _flags: cl_svm_mem_flags,
        _size: usize,
        _alignment: cl_uint,
    ) -> plain *mut c_void {
        std::ptr::null_mut()
    }
}

entry! {
    /// s5.6.1: nothing was allocated, so there is nothing to free.
    fn clSVMFree(_context: Handle<Context>, _svm_pointer: Memory) -> plain () {}
}

/// What a command on shared virtual memory ends with.
fn no_svm(queue: &Handle<Queue>, count: cl_uint, list: &Handles<Event>) -> Result<()> {
    wait_list(&*queue.get()?, count, list)?;
    Err(Error::InvalidOperation)
}

entry! {
    /// s5.6.2
    fn clEnqueueSVMFree(
        command_queue: Handle<Queue>,
        _num_svm_pointers: cl_uint,
        _svm_pointers: In<Memory>,
        _pfn_free_func: Option<SvmFree>,
        _user_data: Memory,
        num_events_in_wait_list: cl_uint,
        event_wait_list: Handles<Event>,
        _event: Out<cl_event>,
    ) -> status {
        no_svm(&command_queue, num_events_in_wait_list, &event_wait_list)
    }
}

entry! {
    /// s5.6.2
    fn clEnqueueSVMMemcpy(
        command_queue: Handle<Queue>,
        _blocking_copy: cl_bool,
        _dst_ptr: Memory,
        _src_ptr: Memory,
        _size: usize,
        num_events_in_wait_list: cl_uint,
        event_wait_list: Handles<Event>,
        _event: Out<cl_event>,
    ) -> status {
        no_svm(&command_queue, num_events_in_wait_list, &event_wait_list)
    }
}

entry! {
    /// s5.6.2
    fn clEnqueueSVMMemFill(
        command_queue: Handle<Queue>,
        _svm_ptr: Memory,
        _pattern: Memory,
        _pattern_size: usize,
        _size: usize,
        num_events_in_wait_list: cl_uint,
        event_wait_list: Handles<Event>,
        _event: Out<cl_event>,
    ) -> status {
        no_svm(&command_queue, num_events_in_wait_list, &event_wait_list)
    }
}

entry! {
    /// s5.6.2
    fn clEnqueueSVMMap(
        command_queue: Handle<Queue>,
        _blocking_map: cl_bool,
        _flags: cl_map_flags,
        _svm_ptr: Memory,
        _size: usize,
        num_events_in_wait_list: cl_uint,
        event_wait_list: Handles<Event>,
        _event: Out<cl_event>,
    ) -> status {
        no_svm(&command_queue, num_events_in_wait_list, &event_wait_list)
    }
}

entry! {
    /// s5.6.2
    fn clEnqueueSVMUnmap(
        command_queue: Handle<Queue>,
        _svm_ptr: Memory,
        num_events_in_wait_list: cl_uint,
        event_wait_list: Handles<Event>,
        _event: Out<cl_event>,
    ) -> status {
        no_svm(&command_queue, num_events_in_wait_list, &event_wait_list)
    }
}

entry! {
    /// s5.6.2 (2.1)
    fn clEnqueueSVMMigrateMem(
        command_queue: Handle<Queue>,
        _num_svm_pointers: cl_uint,
        _svm_pointers: In<Memory>,
        _sizes: In<usize>,
        _flags: cl_mem_migration_flags,
        num_events_in_wait_list: cl_uint,
        event_wait_list: Handles<Event>,
        _event: Out<cl_event>,
    ) -> status {
        no_svm(&command_queue, num_events_in_wait_list, &event_wait_list)
    }
}

entry! {
    /// s5.9.2
    fn clSetKernelArgSVMPointer(
        kernel: Handle<Kernel>,
        arg_index: cl_uint,
        _arg_value: Memory,
    ) -> status {
        kernel.get()?.arg(arg_index)?;
        Err(Error::InvalidOperation)
    }
}

entry! {
    /// s5.9.2
    fn clSetKernelExecInfo(
        kernel: Handle<Kernel>,
        param_name: cl_kernel_exec_info,
        _param_value_size: usize,
        param_value: Memory,
    ) -> status {
        kernel.get()?;
        let known = [CL_KERNEL_EXEC_INFO_SVM_PTRS, CL_KERNEL_EXEC_INFO_SVM_FINE_GRAIN_SYSTEM];
        if !known.contains(&param_name) || param_value.is_null() {
            return Err(Error::InvalidValue);
        }
        Err(Error::InvalidOperation)
    }
}
