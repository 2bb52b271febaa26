//! Images (API s5.3). The device has none: CL_DEVICE_IMAGE_SUPPORT is false, and these calls say so once their other
//! objects are valid. No handle is an image, so commands on images end with CL_INVALID_MEM_OBJECT.

use grus_core::cl::*;
use grus_core::runtime::context::Context;
use grus_core::runtime::error::{Error, Result};
use grus_core::runtime::event::Event;
use grus_core::runtime::memory::Mem;
use grus_core::runtime::queue::Queue;

use crate::arg::{Handle, Handles, In, Memory, Out, OutArray};
use crate::boundary::{Mapping, entry};
use crate::wait::wait_list;

/// What creating an image ends with.
fn no_images(context: &Handle<Context>) -> Result<std::sync::Arc<grus_core::runtime::object::Object<Mem>>> {
    context.get()?;
    Err(Error::InvalidOperation)
}

entry! {
    /// s5.3.1
    fn clCreateImage(
        context: Handle<Context>,
        _flags: cl_mem_flags,
        _image_format: In<cl_image_format>,
        _image_desc: In<cl_image_desc>,
        _host_ptr: Memory,
    ) -> create Mem {
        no_images(&context)
    }
}

entry! {
    /// s5.3.1 (3.0)
    fn clCreateImageWithProperties(
        context: Handle<Context>,
        _properties: In<cl_mem_properties>,
        _flags: cl_mem_flags,
        _image_format: In<cl_image_format>,
        _image_desc: In<cl_image_desc>,
        _host_ptr: Memory,
    ) -> create Mem {
        no_images(&context)
    }
}

entry! {
    /// s5.3.1 (deprecated by 1.2)
    fn clCreateImage2D(
        context: Handle<Context>,
        _flags: cl_mem_flags,
        _image_format: In<cl_image_format>,
        _image_width: usize,
        _image_height: usize,
        _image_row_pitch: usize,
        _host_ptr: Memory,
    ) -> create Mem {
        no_images(&context)
    }
}

entry! {
    /// s5.3.1 (deprecated by 1.2)
    fn clCreateImage3D(
        context: Handle<Context>,
        _flags: cl_mem_flags,
        _image_format: In<cl_image_format>,
        _image_width: usize,
        _image_height: usize,
        _image_depth: usize,
        _image_row_pitch: usize,
        _image_slice_pitch: usize,
        _host_ptr: Memory,
    ) -> create Mem {
        no_images(&context)
    }
}

entry! {
    /// s5.3.2: the list is empty.
    fn clGetSupportedImageFormats(
        context: Handle<Context>,
        flags: cl_mem_flags,
        image_type: cl_mem_object_type,
        num_entries: cl_uint,
        image_formats: OutArray<cl_image_format>,
        num_image_formats: Out<cl_uint>,
    ) -> status {
        context.get()?;
        let device_access = [CL_MEM_READ_WRITE, CL_MEM_READ_ONLY, CL_MEM_WRITE_ONLY];
        let accesses = device_access.iter().filter(|&&bit| flags & bit != 0).count();
        let is_image = (CL_MEM_OBJECT_IMAGE2D..=CL_MEM_OBJECT_IMAGE1D_BUFFER).contains(&image_type);
        // Flags or type are not valid, or there is no room for any format.
        if accesses > 1 || !is_image || num_entries == 0 && !image_formats.is_null() {
            return Err(Error::InvalidValue);
        }
        num_image_formats.set(0);
        Ok(())
    }
}

entry! {
    /// s5.3.7
    fn clGetImageInfo(image: Handle<Mem>, _param_name: cl_image_info) -> info |_out| {
        image.get()?;
        Err(Error::InvalidMemObject)
    }
}

/// What a command on images ends with: none of the memory objects is one.
fn not_an_image(
    queue: &Handle<Queue>,
    objects: &[&Handle<Mem>],
    (count, list): (cl_uint, &Handles<Event>),
) -> Result<()> {
    let queue = queue.get()?;
    for object in objects {
        object.get()?;
    }
    wait_list(&queue, count, list)?;
    Err(Error::InvalidMemObject)
}

entry! {
    /// s5.3.3
    fn clEnqueueReadImage(
        command_queue: Handle<Queue>,
        image: Handle<Mem>,
        _blocking_read: cl_bool,
        _origin: In<usize>,
        _region: In<usize>,
        _row_pitch: usize,
        _slice_pitch: usize,
        _ptr: Memory,
        num_events_in_wait_list: cl_uint,
        event_wait_list: Handles<Event>,
        _event: Out<cl_event>,
    ) -> status {
        not_an_image(&command_queue, &[&image], (num_events_in_wait_list, &event_wait_list))
    }
}

entry! {
    /// s5.3.3
    fn clEnqueueWriteImage(
        command_queue: Handle<Queue>,
        image: Handle<Mem>,
        _blocking_write: cl_bool,
        _origin: In<usize>,
        _region: In<usize>,
        _input_row_pitch: usize,
        _input_slice_pitch: usize,
        _ptr: Memory,
        num_events_in_wait_list: cl_uint,
        event_wait_list: Handles<Event>,
        _event: Out<cl_event>,
    ) -> status {
        not_an_image(&command_queue, &[&image], (num_events_in_wait_list, &event_wait_list))
    }
}

entry! {
    /// s5.3.3
    fn clEnqueueCopyImage(
        command_queue: Handle<Queue>,
        src_image: Handle<Mem>,
        dst_image: Handle<Mem>,
        _src_origin: In<usize>,
        _dst_origin: In<usize>,
        _region: In<usize>,
        num_events_in_wait_list: cl_uint,
        event_wait_list: Handles<Event>,
        _event: Out<cl_event>,
    ) -> status {
        let objects = [&src_image, &dst_image];
        not_an_image(&command_queue, &objects, (num_events_in_wait_list, &event_wait_list))
    }
}

entry! {
    /// s5.3.5
    fn clEnqueueCopyImageToBuffer(
        command_queue: Handle<Queue>,
        src_image: Handle<Mem>,
        dst_buffer: Handle<Mem>,
        _src_origin: In<usize>,
        _region: In<usize>,
        _dst_offset: usize,
        num_events_in_wait_list: cl_uint,
        event_wait_list: Handles<Event>,
        _event: Out<cl_event>,
    ) -> status {
        let objects = [&src_image, &dst_buffer];
        not_an_image(&command_queue, &objects, (num_events_in_wait_list, &event_wait_list))
    }
}

entry! {
    /// s5.3.5
    fn clEnqueueCopyBufferToImage(
        command_queue: Handle<Queue>,
        src_buffer: Handle<Mem>,
        dst_image: Handle<Mem>,
        _src_offset: usize,
        _dst_origin: In<usize>,
        _region: In<usize>,
        num_events_in_wait_list: cl_uint,
        event_wait_list: Handles<Event>,
        _event: Out<cl_event>,
    ) -> status {
        let objects = [&src_buffer, &dst_image];
        not_an_image(&command_queue, &objects, (num_events_in_wait_list, &event_wait_list))
    }
}

entry! {
    /// s5.3.4
    fn clEnqueueFillImage(
        command_queue: Handle<Queue>,
        image: Handle<Mem>,
        _fill_color: Memory,
        _origin: In<usize>,
        _region: In<usize>,
        num_events_in_wait_list: cl_uint,
        event_wait_list: Handles<Event>,
        _event: Out<cl_event>,
    ) -> status {
        not_an_image(&command_queue, &[&image], (num_events_in_wait_list, &event_wait_list))
    }
}

entry! {
    /// s5.3.6
    fn clEnqueueMapImage(
        command_queue: Handle<Queue>,
        image: Handle<Mem>,
        _blocking_map: cl_bool,
        _map_flags: cl_map_flags,
        _origin: In<usize>,
        _region: In<usize>,
        _image_row_pitch: Out<usize>,
        _image_slice_pitch: Out<usize>,
        num_events_in_wait_list: cl_uint,
        event_wait_list: Handles<Event>,
        _event: Out<cl_event>,
    ) -> create Mapping {
        let waits = (num_events_in_wait_list, &event_wait_list);
        not_an_image(&command_queue, &[&image], waits)?;
        Err(Error::InvalidMemObject)
    }
}
