//! Contexts (API s4.4).

use std::sync::Arc;

use grus_core::cl::*;
use grus_core::runtime::context::Context;
use grus_core::runtime::device::Device;
use grus_core::runtime::error::{Error, Result};
use grus_core::runtime::object::Object;
use grus_core::runtime::platform::{Platform, platform};

use crate::arg::{Handle, Handles, In, Memory};
use crate::boundary::entry;
use crate::callback;

/// Checks a property list and returns it as the context query reports it.
fn properties(list: &In<cl_context_properties>) -> Result<Vec<cl_context_properties>> {
    let list = list.list();
    let mut seen = Vec::new();
    for pair in list.chunks_exact(2) {
        // A property is named twice.
        if seen.contains(&pair[0]) {
            return Err(Error::InvalidProperty);
        }
        seen.push(pair[0]);
        match pair[0] {
            CL_CONTEXT_PLATFORM => {
                let handle = std::ptr::without_provenance(pair[1].cast_unsigned());
                Object::<Platform>::find(handle)?;
            }
            CL_CONTEXT_INTEROP_USER_SYNC if pair[1] == 0 || pair[1] == 1 => {}
            // Extensions that define other properties are not supported, and other values do not exist.
            _ => return Err(Error::InvalidProperty),
        }
    }
    Ok(list)
}

entry! {
    /// s4.4
    fn clCreateContext(
        properties: In<cl_context_properties>,
        num_devices: cl_uint,
        devices: Handles<Device>,
        pfn_notify: Option<ContextNotify>,
        user_data: Memory,
    ) -> create Context {
        let list = self::properties(&properties)?;
        // `devices` is NULL or `num_devices` is 0.
        if devices.is_null() || num_devices == 0 {
            return Err(Error::InvalidValue);
        }
        // `pfn_notify` is NULL and `user_data` is not.
        if pfn_notify.is_none() && !user_data.is_null() {
            return Err(Error::InvalidValue);
        }
        let devices: Vec<_> = devices.get(num_devices)?;
        let notify = pfn_notify.map(|function| callback::context(function, user_data));
        Ok(Context::create(&devices, list, notify))
    }
}

entry! {
    /// s4.4
    fn clCreateContextFromType(
        properties: In<cl_context_properties>,
        device_type: cl_device_type,
        pfn_notify: Option<ContextNotify>,
        user_data: Memory,
    ) -> create Context {
        let list = self::properties(&properties)?;
        // `pfn_notify` is NULL and `user_data` is not.
        if pfn_notify.is_none() && !user_data.is_null() {
            return Err(Error::InvalidValue);
        }
        Device::valid_types(device_type)?;
        let device = platform().device();
        if !device.is_of_type(device_type) {
            return Err(Error::DeviceNotFound);
        }
        let notify = pfn_notify.map(|function| callback::context(function, user_data));
        Ok(Context::create(&[Arc::clone(device)], list, notify))
    }
}

entry! {
    /// s4.4
    fn clRetainContext(context: Handle<Context>) -> status {
        context.get()?.retain();
        Ok(())
    }
}

entry! {
    /// s4.4
    fn clReleaseContext(context: Handle<Context>) -> status {
        context.get()?.release()
    }
}

entry! {
    /// s4.4
    fn clGetContextInfo(context: Handle<Context>, param_name: cl_context_info) -> info |out| {
        let context = context.get()?;
        match param_name {
            CL_CONTEXT_REFERENCE_COUNT => out.write::<cl_uint>(context.api_refs()),
            CL_CONTEXT_NUM_DEVICES => out.write::<cl_uint>(context.devices().len() as cl_uint),
            CL_CONTEXT_DEVICES => {
                let handles: Vec<_> = context.devices().iter().map(|d| d.handle()).collect();
                out.array::<cl_device_id>(&handles)
            }
            CL_CONTEXT_PROPERTIES => out.array::<cl_context_properties>(context.properties()),
            _ => Err(Error::InvalidValue),
        }
    }
}

entry! {
    /// s4.4 (3.0)
    fn clSetContextDestructorCallback(
        context: Handle<Context>,
        pfn_notify: Option<ContextDestructor>,
        user_data: Memory,
    ) -> status {
        let context = context.get()?;
        let function = pfn_notify.ok_or(Error::InvalidValue)?;
        context.on_destruction(callback::destructor(function, user_data));
        Ok(())
    }
}
