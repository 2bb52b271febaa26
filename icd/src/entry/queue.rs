//! Command queues (API s5.1, s5.13), flush and finish (s5.15).

use grus_core::cl::*;
use grus_core::runtime::context::Context;
use grus_core::runtime::device::Device;
use grus_core::runtime::error::{Error, Result};
use grus_core::runtime::queue::Queue;

use crate::arg::{Handle, In, Out};
use crate::boundary::entry;

entry! {
    /// s5.1 (deprecated by 2.0)
    fn clCreateCommandQueue(
        context: Handle<Context>,
        device: Handle<Device>,
        properties: cl_command_queue_properties,
    ) -> create Queue {
        let (context, device) = (context.get()?, device.get()?);
        // Device-side queues cannot be created by this function.
        if properties & (CL_QUEUE_ON_DEVICE | CL_QUEUE_ON_DEVICE_DEFAULT) != 0 {
            return Err(Error::InvalidValue);
        }
        Queue::create(&context, &device, properties, None, Vec::new())
    }
}

/// Returns the values of CL_QUEUE_PROPERTIES and CL_QUEUE_SIZE in a property list.
fn queue_flags(list: &[cl_queue_properties]) -> Result<(cl_command_queue_properties, Option<cl_uint>)> {
    let mut flags = 0;
    let mut size = None;
    for pair in list.chunks_exact(2) {
        match u32::try_from(pair[0]) {
            Ok(CL_QUEUE_PROPERTIES) => flags = pair[1],
            Ok(CL_QUEUE_SIZE) => size = Some(cl_uint::try_from(pair[1]).unwrap_or(cl_uint::MAX)),
            _ => return Err(Error::InvalidValue),
        }
    }
    Ok((flags, size))
}

entry! {
    /// s5.1
    fn clCreateCommandQueueWithProperties(
        context: Handle<Context>,
        device: Handle<Device>,
        properties: In<cl_queue_properties>,
    ) -> create Queue {
        let (context, device) = (context.get()?, device.get()?);
        let list = properties.list();
        let (flags, size) = queue_flags(&list)?;
        Queue::create(&context, &device, flags, size, list)
    }
}

entry! {
    /// s5.1
    fn clRetainCommandQueue(command_queue: Handle<Queue>) -> status {
        command_queue.get()?.retain();
        Ok(())
    }
}

entry! {
    /// s5.1: implies a flush.
    fn clReleaseCommandQueue(command_queue: Handle<Queue>) -> status {
        let queue = command_queue.get()?;
        queue.flush();
        queue.release()
    }
}

entry! {
    /// s5.1
    fn clGetCommandQueueInfo(command_queue: Handle<Queue>, param_name: cl_command_queue_info) -> info |out| {
        let queue = command_queue.get()?;
        match param_name {
            CL_QUEUE_CONTEXT => out.write::<cl_context>(queue.context().handle()),
            CL_QUEUE_DEVICE => out.write::<cl_device_id>(queue.device().handle()),
            CL_QUEUE_REFERENCE_COUNT => out.write::<cl_uint>(queue.api_refs()),
            CL_QUEUE_PROPERTIES => out.write::<cl_command_queue_properties>(queue.flags()),
            CL_QUEUE_PROPERTIES_ARRAY => out.array::<cl_queue_properties>(queue.properties()),
            CL_QUEUE_SIZE => out.write::<cl_uint>(queue.size()?),
            CL_QUEUE_DEVICE_DEFAULT => {
                let default = queue.context().default_queue(queue.device());
                out.write::<cl_command_queue>(default.map_or(std::ptr::null_mut(), |queue| queue.handle()))
            }
            _ => Err(Error::InvalidValue),
        }
    }
}

entry! {
    /// s5.1 (1.0 only): the properties of a queue cannot be changed.
    fn clSetCommandQueueProperty(
        command_queue: Handle<Queue>,
        _properties: cl_command_queue_properties,
        _enable: cl_bool,
        _old_properties: Out<cl_command_queue_properties>,
    ) -> status {
        command_queue.get()?;
        Err(Error::InvalidOperation)
    }
}

entry! {
    /// s5.15
    fn clFlush(command_queue: Handle<Queue>) -> status {
        command_queue.host()?.flush();
        Ok(())
    }
}

entry! {
    /// s5.15
    fn clFinish(command_queue: Handle<Queue>) -> status {
        command_queue.host()?.finish();
        Ok(())
    }
}
