//! Timers, the choice of a local size and of the default queue on the device, which 2.1 and 3.1 added; and what the device
//! does not have: intermediate languages, destructors of programs (API s5.8.1), sub-groups. Calls about those check their
//! objects and end with the code the specification lists for that case.

use std::sync::Arc;

use grus_core::cl::*;
use grus_core::runtime::context::Context;
use grus_core::runtime::device::Device;
use grus_core::runtime::error::Error;
use grus_core::runtime::event::now;
use grus_core::runtime::kernel::Kernel;
use grus_core::runtime::program::Program;
use grus_core::runtime::queue::Queue;

use super::enqueue::range;
use crate::arg::{Handle, In, Memory, Out, OutArray};
use crate::boundary::entry;

entry! {
    /// s5.8.1 (2.1)
    fn clCreateProgramWithIL(context: Handle<Context>, il: Memory, length: usize) -> create Program {
        context.get()?;
        if il.is_null() || length == 0 {
            return Err(Error::InvalidValue);
        }
        Err(Error::InvalidOperation)
    }
}

entry! {
    /// s5.8.1 (2.2): no program-scope variable has a destructor.
    fn clSetProgramReleaseCallback(
        program: Handle<Program>,
        pfn_notify: Option<ProgramNotify>,
        _user_data: Memory,
    ) -> status {
        program.get()?;
        pfn_notify.ok_or(Error::InvalidValue)?;
        Err(Error::InvalidOperation)
    }
}

entry! {
    /// s5.8.1 (2.2)
    fn clSetProgramSpecializationConstant(
        program: Handle<Program>,
        _spec_id: cl_uint,
        _spec_size: usize,
        _spec_value: Memory,
    ) -> status {
        program.get()?;
        Err(Error::InvalidOperation)
    }
}

entry! {
    /// s4.3 (2.1): the device's clock is the host's.
    fn clGetDeviceAndHostTimer(
        device: Handle<Device>,
        device_timestamp: Out<cl_ulong>,
        host_timestamp: Out<cl_ulong>,
    ) -> status {
        device.get()?;
        if device_timestamp.is_null() || host_timestamp.is_null() {
            return Err(Error::InvalidValue);
        }
        let time = now();
        device_timestamp.set(time);
        host_timestamp.set(time);
        Ok(())
    }
}

entry! {
    /// s4.3 (2.1)
    fn clGetHostTimer(device: Handle<Device>, host_timestamp: Out<cl_ulong>) -> status {
        device.get()?;
        if host_timestamp.is_null() {
            return Err(Error::InvalidValue);
        }
        host_timestamp.set(now());
        Ok(())
    }
}

entry! {
    /// s5.1 (2.1): kernels that run from now on find this one.
    fn clSetDefaultDeviceCommandQueue(
        context: Handle<Context>,
        device: Handle<Device>,
        command_queue: Handle<Queue>,
    ) -> status {
        let (context, device) = (context.get()?, device.get()?);
        if !context.has_device(&device) {
            return Err(Error::InvalidDevice);
        }
        let queue = command_queue.get()?;
        // It is not a queue on this device.
        if !queue.is_on_device()
            || !Arc::ptr_eq(queue.context(), &context)
            || !Arc::ptr_eq(queue.device(), &device)
        {
            return Err(Error::InvalidCommandQueue);
        }
        context.set_default_queue(&queue);
        Ok(())
    }
}

/// Sub-groups do not exist.
macro_rules! sub_group_info {
    ($(#[$doc:meta])* $name:ident) => {
        entry! {
            $(#[$doc])*
            fn $name(
                kernel: Handle<Kernel>,
                device: Handle<Device>,
                _param_name: cl_kernel_sub_group_info,
                _input_value_size: usize,
                _input_value: Memory,
            ) -> info |_out| {
                let kernel = kernel.get()?;
                kernel.device(device.get_or_null()?)?;
                Err(Error::InvalidOperation)
            }
        }
    };
}

sub_group_info! {
    /// cl_khr_subgroups
    clGetKernelSubGroupInfoKHR
}

sub_group_info! {
    /// s5.9.3 (2.1)
    clGetKernelSubGroupInfo
}

entry! {
    /// s5.9.3 (3.1, cl_khr_suggested_local_work_size)
    fn clGetKernelSuggestedLocalWorkSize(
        command_queue: Handle<Queue>,
        kernel: Handle<Kernel>,
        work_dim: cl_uint,
        global_work_offset: In<usize>,
        global_work_size: In<usize>,
        suggested_local_work_size: OutArray<usize>,
    ) -> status {
        let (queue, kernel) = (command_queue.host()?, kernel.get()?);
        let no_local = In::null();
        let range = range(work_dim, &global_work_offset, &global_work_size, &no_local)?;
        if suggested_local_work_size.is_null() {
            return Err(Error::InvalidValue);
        }
        let local = queue.suggested_local_size(&kernel, range)?;
        suggested_local_work_size.write(local.map(|size| size as usize), work_dim as usize);
        Ok(())
    }
}
