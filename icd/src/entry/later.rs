//! Functions that OpenCL 2.1 and 3.1 added: timers, sub-group queries, the suggested local size and the default
//! device-side queue. Also those of an unsupported feature, program destructors (API s5.8.1), which
//! check their objects and return the error code that the specification lists for that case.

use std::sync::Arc;

use grus_core::cl::*;
use grus_core::runtime::context::Context;
use grus_core::runtime::device::{Device, MAX_NUM_SUB_GROUPS};
use grus_core::runtime::error::{Error, Result};
use grus_core::runtime::event::now;
use grus_core::runtime::kernel::Kernel;
use grus_core::runtime::object::Object;
use grus_core::runtime::program::Program;
use grus_core::runtime::queue::Queue;

use super::enqueue::range;
use crate::arg::{Handle, In, Memory, Out, OutArray};
use crate::boundary::entry;
use crate::info::Info;

entry! {
    /// s5.8.1 (2.2): program-scope variables have no destructors.
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
    /// s5.1 (2.1): kernels that are enqueued from now on use this queue.
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
        // The queue is not a queue on this device.
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

entry! {
    /// s5.9.3 (cl_khr_subgroups), with the queries of 2.1 too, which programs of SYCL make by this name.
    /// CL_KERNEL_CODE_GRUS: docs/grus.md.
    fn clGetKernelSubGroupInfoKHR(
        kernel: Handle<Kernel>,
        device: Handle<Device>,
        param_name: cl_kernel_sub_group_info,
        input_value_size: usize,
        input_value: Memory,
    ) -> info |out| {
        SubGroups::of(&kernel, &device)?.answer(param_name, &input_value, input_value_size, out)
    }
}

entry! {
    /// s5.9.3 (2.1)
    fn clGetKernelSubGroupInfo(
        kernel: Handle<Kernel>,
        device: Handle<Device>,
        param_name: cl_kernel_sub_group_info,
        input_value_size: usize,
        input_value: Memory,
    ) -> info |out| {
        SubGroups::of(&kernel, &device)?.answer(param_name, &input_value, input_value_size, out)
    }
}

/// Sub-groups of a kernel on a device.
struct SubGroups {
    kernel: Arc<Object<Kernel>>,
    device: Arc<Object<Device>>,
    /// Size of a sub-group in work-items; only the last one of a work-group may be smaller.
    size: usize,
    /// Required work-group size, if the kernel has one.
    required: Option<[usize; 3]>,
    /// Value of CL_KERNEL_WORK_GROUP_SIZE.
    max_work_group_size: usize,
}

impl SubGroups {
    fn of(kernel: &Handle<Kernel>, device: &Handle<Device>) -> Result<SubGroups> {
        let kernel = kernel.get()?;
        let device = kernel.device(device.get_or_null()?)?;
        let size = kernel.sub_group_size(&device)?.into();
        let required = kernel.info_on(&device)?.reqd_work_group_size.map(|size| size.map(|n| n as usize));
        let max_work_group_size = kernel.max_work_group_size(&device)?;
        Ok(SubGroups { kernel, device, size, required, max_work_group_size })
    }

    /// Returns the maximum number of work-items in a work-group, which also respects the maximum number of
    /// sub-groups.
    fn max_items(&self) -> usize {
        self.max_work_group_size.min(MAX_NUM_SUB_GROUPS * self.size)
    }

    /// Answers a query.
    fn answer(&self, name: cl_kernel_sub_group_info, input: &Memory, bytes: usize, out: Info) -> Result<()> {
        match name {
            CL_KERNEL_MAX_SUB_GROUP_SIZE_FOR_NDRANGE | CL_KERNEL_SUB_GROUP_COUNT_FOR_NDRANGE => {
                out.write::<usize>(self.of_range(name, input, bytes)?)
            }
            CL_KERNEL_CODE_GRUS => {
                let facts = self.kernel.code_facts(&self.device, &sizes(input, bytes)?)?;
                out.string(&facts.to_string())
            }
            CL_KERNEL_LOCAL_SIZE_FOR_SUB_GROUP_COUNT => {
                let [count] = sizes(input, bytes)?[..] else { return Err(Error::InvalidValue) };
                let local = self.local_size_for(count);
                // The answer has as many dimensions as fit into the caller's memory.
                let dimensions = (out.capacity() / size_of::<usize>()).clamp(1, 3);
                if local[dimensions..].iter().any(|&size| size > 1) {
                    return out.array::<usize>(&[0; 3][..dimensions]);
                }
                out.array::<usize>(&local[..dimensions])
            }
            CL_KERNEL_MAX_NUM_SUB_GROUPS => out.write::<usize>(self.max_items().div_ceil(self.size)),
            CL_KERNEL_COMPILE_SUB_GROUP_SIZE_INTEL => {
                let required = self.kernel.info_on(&self.device)?.sub_group_size;
                out.write::<usize>(required.map_or(0, usize::from))
            }
            // Kernels in OpenCL C cannot require a number of sub-groups.
            CL_KERNEL_COMPILE_NUM_SUB_GROUPS => out.write::<usize>(0),
            _ => Err(Error::InvalidValue),
        }
    }

    /// Returns the size of sub-groups for a local size, or their number.
    fn of_range(&self, name: cl_kernel_sub_group_info, input: &Memory, bytes: usize) -> Result<usize> {
        let local = sizes(input, bytes)?;
        let items = local.iter().fold(1usize, |all, &size| all.saturating_mul(size));
        let is_count = name == CL_KERNEL_SUB_GROUP_COUNT_FOR_NDRANGE;
        Ok(if is_count { items.div_ceil(self.size) } else { self.size })
    }

    /// Returns a local size with `count` sub-groups; zeros if there is none.
    fn local_size_for(&self, count: usize) -> [usize; 3] {
        let local = self.required.unwrap_or([count.saturating_mul(self.size), 1, 1]);
        let items = local.iter().try_fold(1usize, |all, &size| all.checked_mul(size)).unwrap_or(0);
        let fits = (1..=self.max_items()).contains(&items) && items.div_ceil(self.size) == count;
        if fits { local } else { [0; 3] }
    }
}

/// Returns the one to three sizes of a query's input.
fn sizes(input: &Memory, bytes: usize) -> Result<Vec<usize>> {
    const SIZE: usize = size_of::<usize>();
    if bytes == 0 || !bytes.is_multiple_of(SIZE) || bytes > 3 * SIZE {
        return Err(Error::InvalidValue);
    }
    let sizes_given = input.bytes(bytes).ok_or(Error::InvalidValue)?;
    let size = |bytes: &[u8]| usize::from_ne_bytes(bytes.try_into().expect("as many as a size has"));
    Ok(sizes_given.chunks_exact(SIZE).map(size).collect())
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
