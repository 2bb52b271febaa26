//! Buffers, and functions common to all memory objects (API s5.2, s5.5).

use grus_core::cl::*;
use grus_core::runtime::context::Context;
use grus_core::runtime::error::{Error, Result};
use grus_core::runtime::memory::Mem;

use crate::arg::{Handle, In, Memory};
use crate::boundary::entry;
use crate::callback;

entry! {
    /// s5.2.1
    fn clCreateBuffer(
        context: Handle<Context>,
        flags: cl_mem_flags,
        size: usize,
        host_ptr: Memory,
    ) -> create Mem {
        Mem::create_buffer(&context.get()?, flags, size, host_ptr.host_ptr(), Vec::new())
    }
}

/// Returns the value of CL_MEM_DEVICE_PRIVATE_ADDRESS_EXT, the only property of buffers.
fn has_device_address(list: &[cl_mem_properties]) -> Result<bool> {
    let mut found = None;
    for pair in list.chunks_exact(2) {
        let value = match cl_bool::try_from(pair[1]) {
            Ok(CL_FALSE) => false,
            Ok(CL_TRUE) => true,
            _ => return Err(Error::InvalidProperty),
        };
        // The name is unknown or occurs twice.
        if pair[0] != CL_MEM_DEVICE_PRIVATE_ADDRESS_EXT || found.replace(value).is_some() {
            return Err(Error::InvalidProperty);
        }
    }
    Ok(found == Some(true))
}

entry! {
    /// s5.2.1 (3.0)
    fn clCreateBufferWithProperties(
        context: Handle<Context>,
        properties: In<cl_mem_properties>,
        flags: cl_mem_flags,
        size: usize,
        host_ptr: Memory,
    ) -> create Mem {
        let context = context.get()?;
        let list = properties.list();
        let has_address = has_device_address(&list)?;
        let mem = Mem::create_buffer(&context, flags, size, host_ptr.host_ptr(), list)?;
        if has_address {
            mem.keep_address();
        }
        Ok(mem)
    }
}

entry! {
    /// s5.2.1
    fn clCreateSubBuffer(
        buffer: Handle<Mem>,
        flags: cl_mem_flags,
        buffer_create_type: cl_buffer_create_type,
        buffer_create_info: In<cl_buffer_region>,
    ) -> create Mem {
        let buffer = buffer.get()?;
        if buffer_create_type != CL_BUFFER_CREATE_TYPE_REGION {
            return Err(Error::InvalidValue);
        }
        let region = buffer_create_info.get().ok_or(Error::InvalidValue)?;
        buffer.create_sub_buffer(flags, region)
    }
}

entry! {
    /// s5.5.1
    fn clRetainMemObject(memobj: Handle<Mem>) -> status {
        memobj.get()?.retain();
        Ok(())
    }
}

entry! {
    /// s5.5.1
    fn clReleaseMemObject(memobj: Handle<Mem>) -> status {
        memobj.get()?.release()
    }
}

entry! {
    /// s5.5.1
    fn clSetMemObjectDestructorCallback(
        memobj: Handle<Mem>,
        pfn_notify: Option<MemDestructor>,
        user_data: Memory,
    ) -> status {
        let mem = memobj.get()?;
        let function = pfn_notify.ok_or(Error::InvalidValue)?;
        mem.on_destruction(callback::destructor(function, user_data));
        Ok(())
    }
}

entry! {
    /// s5.5.6
    fn clGetMemObjectInfo(memobj: Handle<Mem>, param_name: cl_mem_info) -> info |out| {
        let mem = memobj.get()?;
        match param_name {
            CL_MEM_TYPE => out.write::<cl_mem_object_type>(mem.object_type()),
            CL_MEM_FLAGS => out.write::<cl_mem_flags>(mem.flags()),
            CL_MEM_SIZE => out.write::<usize>(mem.size()),
            CL_MEM_HOST_PTR => out.write(mem.host_ptr().as_ptr::<std::ffi::c_void>()),
            CL_MEM_MAP_COUNT => out.write::<cl_uint>(mem.map_count()),
            CL_MEM_REFERENCE_COUNT => out.write::<cl_uint>(mem.api_refs()),
            CL_MEM_CONTEXT => out.write::<cl_context>(mem.context().handle()),
            CL_MEM_ASSOCIATED_MEMOBJECT => {
                out.write::<cl_mem>(mem.parent().map_or(std::ptr::null_mut(), |p| p.handle()))
            }
            CL_MEM_OFFSET => out.write::<usize>(mem.offset()),
            CL_MEM_USES_SVM_POINTER => out.write::<cl_bool>(cl_bool::from(mem.uses_svm())),
            CL_MEM_DEVICE_ADDRESS_EXT => out.array::<cl_mem_device_address_ext>(&mem.device_addresses()?),
            CL_MEM_PROPERTIES => out.array::<cl_mem_properties>(mem.properties()),
            _ => Err(Error::InvalidValue),
        }
    }
}
