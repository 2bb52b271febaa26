//! Sharing with OpenGL, Direct3D, DX9 media surfaces and EGL, and the 1.1 extension that became sub-devices. None
//! of these extensions is advertised; the functions exist because the dispatch table has slots for them. Each
//! checks the object it is called on.

use grus_core::cl::*;
use grus_core::runtime::context::Context;
use grus_core::runtime::device::Device;
use grus_core::runtime::error::Error;
use grus_core::runtime::event::Event;
use grus_core::runtime::memory::Mem;
use grus_core::runtime::platform::Platform;
use grus_core::runtime::queue::Queue;

use crate::arg::{Handle, Handles, In, Memory, Out, OutArray};
use crate::boundary::entry;
use crate::wait::wait_list;

/// Defines functions that would create an object of a context.
macro_rules! no_create {
    ($($name:ident($($arg:ident: $type:ty),*) -> $kind:ty;)*) => {
        $(entry! {
            fn $name(context: Handle<Context>, $($arg: $type),*) -> create $kind {
                context.get()?;
                Err(Error::InvalidOperation)
            }
        })*
    };
}

no_create! {
    clCreateFromGLBuffer(_flags: cl_mem_flags, _bufobj: cl_uint) -> Mem;
    clCreateFromGLTexture(_flags: cl_mem_flags, _target: cl_uint, _miplevel: cl_int, _texture: cl_uint) -> Mem;
    clCreateFromGLTexture2D(_flags: cl_mem_flags, _target: cl_uint, _miplevel: cl_int, _texture: cl_uint) -> Mem;
    clCreateFromGLTexture3D(_flags: cl_mem_flags, _target: cl_uint, _miplevel: cl_int, _texture: cl_uint) -> Mem;
    clCreateFromGLRenderbuffer(_flags: cl_mem_flags, _renderbuffer: cl_uint) -> Mem;
    clCreateEventFromGLsyncKHR(_sync: Memory) -> Event;
    clCreateFromD3D10BufferKHR(_flags: cl_mem_flags, _resource: Memory) -> Mem;
    clCreateFromD3D10Texture2DKHR(_flags: cl_mem_flags, _resource: Memory, _subresource: cl_uint) -> Mem;
    clCreateFromD3D10Texture3DKHR(_flags: cl_mem_flags, _resource: Memory, _subresource: cl_uint) -> Mem;
    clCreateFromD3D11BufferKHR(_flags: cl_mem_flags, _resource: Memory) -> Mem;
    clCreateFromD3D11Texture2DKHR(_flags: cl_mem_flags, _resource: Memory, _subresource: cl_uint) -> Mem;
    clCreateFromD3D11Texture3DKHR(_flags: cl_mem_flags, _resource: Memory, _subresource: cl_uint) -> Mem;
    clCreateFromDX9MediaSurfaceKHR(
        _flags: cl_mem_flags, _adapter_type: cl_uint, _surface_info: Memory, _plane: cl_uint
    ) -> Mem;
    clCreateFromEGLImageKHR(
        _display: Memory, _image: Memory, _flags: cl_mem_flags, _properties: In<isize>
    ) -> Mem;
    clCreateEventFromEGLSyncKHR(_sync: Memory, _display: Memory) -> Event;
}

/// Defines functions that would enqueue the acquisition or release of shared objects.
macro_rules! no_enqueue {
    ($($name:ident,)*) => {
        $(entry! {
            fn $name(
                command_queue: Handle<Queue>,
                num_objects: cl_uint,
                mem_objects: Handles<Mem>,
                num_events_in_wait_list: cl_uint,
                event_wait_list: Handles<Event>,
                _event: Out<cl_event>,
            ) -> status {
                let queue = command_queue.host()?;
                wait_list(&queue, num_events_in_wait_list, &event_wait_list)?;
                if (num_objects == 0) != mem_objects.is_null() {
                    return Err(Error::InvalidValue);
                }
                let _objects: Vec<_> = mem_objects.get(num_objects)?;
                Err(Error::InvalidOperation)
            }
        })*
    };
}

no_enqueue! {
    clEnqueueAcquireGLObjects,
    clEnqueueReleaseGLObjects,
    clEnqueueAcquireD3D10ObjectsKHR,
    clEnqueueReleaseD3D10ObjectsKHR,
    clEnqueueAcquireD3D11ObjectsKHR,
    clEnqueueReleaseD3D11ObjectsKHR,
    clEnqueueAcquireDX9MediaSurfacesKHR,
    clEnqueueReleaseDX9MediaSurfacesKHR,
    clEnqueueAcquireEGLObjectsKHR,
    clEnqueueReleaseEGLObjectsKHR,
}

/// Defines functions that would return the device of a Direct3D object; there is none.
macro_rules! no_devices {
    ($($name:ident($($arg:ident: $type:ty),*);)*) => {
        $(entry! {
            fn $name(
                platform: Handle<Platform>,
                $($arg: $type,)*
                _device_set: cl_uint,
                _num_entries: cl_uint,
                _devices: OutArray<cl_device_id>,
                num_devices: Out<cl_uint>,
            ) -> status {
                platform.get()?;
                num_devices.set(0);
                Err(Error::DeviceNotFound)
            }
        })*
    };
}

no_devices! {
    clGetDeviceIDsFromD3D10KHR(_source: cl_uint, _object: Memory);
    clGetDeviceIDsFromD3D11KHR(_source: cl_uint, _object: Memory);
    clGetDeviceIDsFromDX9MediaAdapterKHR(
        _num_adapters: cl_uint, _adapter_types: In<cl_uint>, _adapters: Memory
    );
}

entry! {
    /// cl_khr_gl_sharing: memory objects are never created from OpenGL objects.
    fn clGetGLObjectInfo(
        memobj: Handle<Mem>,
        _gl_object_type: Out<cl_uint>,
        _gl_object_name: Out<cl_uint>,
    ) -> status {
        memobj.get()?;
        Err(Error::InvalidGlObject)
    }
}

entry! {
    /// cl_khr_gl_sharing
    fn clGetGLTextureInfo(memobj: Handle<Mem>, _param_name: cl_uint) -> info |_out| {
        memobj.get()?;
        Err(Error::InvalidGlObject)
    }
}

entry! {
    /// cl_khr_gl_sharing: no OpenGL context can be shared.
    fn clGetGLContextInfoKHR(_properties: In<cl_context_properties>, _param_name: cl_uint) -> info |_out| {
        Err(Error::InvalidGlSharegroupReference)
    }
}

entry! {
    /// cl_ext_device_fission, which is not advertised; clCreateSubDevices replaces it.
    fn clCreateSubDevicesEXT(
        in_device: Handle<Device>,
        _properties: In<cl_ulong>,
        _num_entries: cl_uint,
        _out_devices: OutArray<cl_device_id>,
        _num_devices: Out<cl_uint>,
    ) -> status {
        in_device.get()?;
        Err(Error::InvalidValue)
    }
}

entry! {
    /// cl_ext_device_fission
    fn clRetainDeviceEXT(device: Handle<Device>) -> status {
        device.get()?.retain_device();
        Ok(())
    }
}

entry! {
    /// cl_ext_device_fission
    fn clReleaseDeviceEXT(device: Handle<Device>) -> status {
        device.get()?.release_device()
    }
}
