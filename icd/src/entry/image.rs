//! Images (API s5.3).
//!
//! If images are not supported (`IMAGES`), no handle is an image, so commands need not check that.

use std::sync::Arc;

use grus_core::cl::*;
use grus_core::runtime::context::Context;
use grus_core::runtime::device::IMAGES;
use grus_core::runtime::error::{Error, Result};
use grus_core::runtime::event::Event;
use grus_core::runtime::memory::{MapAccess, Mem, supported_formats};
use grus_core::runtime::object::Object;
use grus_core::runtime::queue::Queue;

use crate::arg::{Handle, Handles, In, Memory, Out, OutArray};
use crate::boundary::{Pointer, entry};
use crate::wait::events;

/// Returns the context, if its devices support images.
pub(super) fn with_images(context: &Handle<Context>) -> Result<Arc<Object<Context>>> {
    let context = context.get()?;
    if IMAGES { Ok(context) } else { Err(Error::InvalidOperation) }
}

entry! {
    /// s5.3.1
    fn clCreateImage(
        context: Handle<Context>,
        flags: cl_mem_flags,
        image_format: In<cl_image_format>,
        image_desc: In<cl_image_desc>,
        host_ptr: Memory,
    ) -> create Mem {
        let (format, desc) = (image_format.get(), image_desc.get());
        Mem::create_image(&with_images(&context)?, flags, format, desc, host_ptr.host_ptr(), Vec::new())
    }
}

entry! {
    /// s5.3.1 (3.0): no property is defined without an extension.
    fn clCreateImageWithProperties(
        context: Handle<Context>,
        properties: In<cl_mem_properties>,
        flags: cl_mem_flags,
        image_format: In<cl_image_format>,
        image_desc: In<cl_image_desc>,
        host_ptr: Memory,
    ) -> create Mem {
        let context = with_images(&context)?;
        let list = properties.list();
        if list.len() > 1 {
            return Err(Error::InvalidProperty);
        }
        let (format, desc) = (image_format.get(), image_desc.get());
        Mem::create_image(&context, flags, format, desc, host_ptr.host_ptr(), list)
    }
}

entry! {
    /// s5.3.1 (deprecated by 1.2)
    fn clCreateImage2D(
        context: Handle<Context>,
        flags: cl_mem_flags,
        image_format: In<cl_image_format>,
        image_width: usize,
        image_height: usize,
        image_row_pitch: usize,
        host_ptr: Memory,
    ) -> create Mem {
        let (size, pitches) = ((image_width, image_height, None), (image_row_pitch, 0));
        let (context, format) = (with_images(&context)?, image_format.get());
        Mem::create_image_of_size(&context, flags, format, size, pitches, host_ptr.host_ptr())
    }
}

entry! {
    /// s5.3.1 (deprecated by 1.2)
    fn clCreateImage3D(
        context: Handle<Context>,
        flags: cl_mem_flags,
        image_format: In<cl_image_format>,
        image_width: usize,
        image_height: usize,
        image_depth: usize,
        image_row_pitch: usize,
        image_slice_pitch: usize,
        host_ptr: Memory,
    ) -> create Mem {
        let size = (image_width, image_height, Some(image_depth));
        let pitches = (image_row_pitch, image_slice_pitch);
        let (context, format) = (with_images(&context)?, image_format.get());
        Mem::create_image_of_size(&context, flags, format, size, pitches, host_ptr.host_ptr())
    }
}

entry! {
    /// s5.3.2
    fn clGetSupportedImageFormats(
        context: Handle<Context>,
        flags: cl_mem_flags,
        image_type: cl_mem_object_type,
        num_entries: cl_uint,
        image_formats: OutArray<cl_image_format>,
        num_image_formats: Out<cl_uint>,
    ) -> status {
        context.get()?;
        let formats = supported_formats(flags, image_type)?;
        // There is no room for any format.
        if num_entries == 0 && !image_formats.is_null() {
            return Err(Error::InvalidValue);
        }
        num_image_formats.set(formats.len() as cl_uint);
        image_formats.write(formats, num_entries as usize);
        Ok(())
    }
}

entry! {
    /// s5.3.7
    fn clGetImageInfo(image: Handle<Mem>, param_name: cl_image_info) -> info |out| {
        let mem = image.get()?;
        let image = mem.image()?;
        match param_name {
            CL_IMAGE_FORMAT => out.write::<cl_image_format>(image.host_format()),
            CL_IMAGE_ELEMENT_SIZE => out.write::<usize>(image.element_size()),
            CL_IMAGE_ROW_PITCH => out.write::<usize>(image.row_pitch()),
            CL_IMAGE_SLICE_PITCH => out.write::<usize>(image.slice_pitch()),
            CL_IMAGE_WIDTH => out.write::<usize>(image.width()),
            CL_IMAGE_HEIGHT => out.write::<usize>(image.height()),
            CL_IMAGE_DEPTH => out.write::<usize>(image.depth()),
            CL_IMAGE_ARRAY_SIZE => out.write::<usize>(image.array_size()),
            CL_IMAGE_BUFFER => {
                let buffer = mem.parent().filter(|parent| parent.is_buffer());
                out.write::<cl_mem>(buffer.map_or(std::ptr::null_mut(), |buffer| buffer.handle()))
            }
            CL_IMAGE_NUM_MIP_LEVELS | CL_IMAGE_NUM_SAMPLES => out.write::<cl_uint>(0),
            _ => Err(Error::InvalidValue),
        }
    }
}

/// Returns origin and size of a region in texels.
fn place(origin: &In<usize>, region: &In<usize>) -> Result<([usize; 3], [usize; 3])> {
    origin.triple().zip(region.triple()).ok_or(Error::InvalidValue)
}

/// Queue and image of a command on an image.
type QueueAndImage = (Arc<Object<Queue>>, Arc<Object<Mem>>);

/// Returns the queue and the memory object, which must be an image.
fn queue_and_image(queue: &Handle<Queue>, image: &Handle<Mem>) -> Result<QueueAndImage> {
    let (queue, image) = (queue.host()?, image.get()?);
    image.image()?;
    Ok((queue, image))
}

entry! {
    /// s5.3.3
    fn clEnqueueReadImage(
        command_queue: Handle<Queue>,
        image: Handle<Mem>,
        blocking_read: cl_bool,
        origin: In<usize>,
        region: In<usize>,
        row_pitch: usize,
        slice_pitch: usize,
        ptr: Memory,
        num_events_in_wait_list: cl_uint,
        event_wait_list: Handles<Event>,
        event: Out<cl_event>,
    ) -> status {
        let (queue, image) = queue_and_image(&command_queue, &image)?;
        let events = events(&queue, num_events_in_wait_list, &event_wait_list, &event)?;
        let target = (ptr.host_ptr(), (row_pitch, slice_pitch));
        let blocking = blocking_read != CL_FALSE;
        event.publish_any(queue.read_image(image, blocking, place(&origin, &region)?, target, &events)?.as_ref());
        Ok(())
    }
}

entry! {
    /// s5.3.3
    fn clEnqueueWriteImage(
        command_queue: Handle<Queue>,
        image: Handle<Mem>,
        blocking_write: cl_bool,
        origin: In<usize>,
        region: In<usize>,
        input_row_pitch: usize,
        input_slice_pitch: usize,
        ptr: Memory,
        num_events_in_wait_list: cl_uint,
        event_wait_list: Handles<Event>,
        event: Out<cl_event>,
    ) -> status {
        let (queue, image) = queue_and_image(&command_queue, &image)?;
        let events = events(&queue, num_events_in_wait_list, &event_wait_list, &event)?;
        let source = (ptr.host_ptr(), (input_row_pitch, input_slice_pitch));
        let blocking = blocking_write != CL_FALSE;
        event.publish_any(queue.write_image(image, blocking, place(&origin, &region)?, source, &events)?.as_ref());
        Ok(())
    }
}

entry! {
    /// s5.3.3
    fn clEnqueueCopyImage(
        command_queue: Handle<Queue>,
        src_image: Handle<Mem>,
        dst_image: Handle<Mem>,
        src_origin: In<usize>,
        dst_origin: In<usize>,
        region: In<usize>,
        num_events_in_wait_list: cl_uint,
        event_wait_list: Handles<Event>,
        event: Out<cl_event>,
    ) -> status {
        let (queue, source) = queue_and_image(&command_queue, &src_image)?;
        let (_, target) = queue_and_image(&command_queue, &dst_image)?;
        let events = events(&queue, num_events_in_wait_list, &event_wait_list, &event)?;
        let (from, size) = place(&src_origin, &region)?;
        let (to, _) = place(&dst_origin, &region)?;
        event.publish_any(queue.copy_image((source, from), (target, to), size, &events)?.as_ref());
        Ok(())
    }
}

entry! {
    /// s5.3.5
    fn clEnqueueCopyImageToBuffer(
        command_queue: Handle<Queue>,
        src_image: Handle<Mem>,
        dst_buffer: Handle<Mem>,
        src_origin: In<usize>,
        region: In<usize>,
        dst_offset: usize,
        num_events_in_wait_list: cl_uint,
        event_wait_list: Handles<Event>,
        event: Out<cl_event>,
    ) -> status {
        let (queue, image) = queue_and_image(&command_queue, &src_image)?;
        let buffer = dst_buffer.get()?;
        let events = events(&queue, num_events_in_wait_list, &event_wait_list, &event)?;
        let (origin, size) = place(&src_origin, &region)?;
        event.publish_any(queue.copy_image_to_buffer((image, origin), size, (buffer, dst_offset), &events)?.as_ref());
        Ok(())
    }
}

entry! {
    /// s5.3.5
    fn clEnqueueCopyBufferToImage(
        command_queue: Handle<Queue>,
        src_buffer: Handle<Mem>,
        dst_image: Handle<Mem>,
        src_offset: usize,
        dst_origin: In<usize>,
        region: In<usize>,
        num_events_in_wait_list: cl_uint,
        event_wait_list: Handles<Event>,
        event: Out<cl_event>,
    ) -> status {
        let (queue, image) = queue_and_image(&command_queue, &dst_image)?;
        let buffer = src_buffer.get()?;
        let events = events(&queue, num_events_in_wait_list, &event_wait_list, &event)?;
        let (origin, size) = place(&dst_origin, &region)?;
        event.publish_any(queue.copy_buffer_to_image((buffer, src_offset), (image, origin), size, &events)?.as_ref());
        Ok(())
    }
}

entry! {
    /// s5.3.4
    fn clEnqueueFillImage(
        command_queue: Handle<Queue>,
        image: Handle<Mem>,
        fill_color: Memory,
        origin: In<usize>,
        region: In<usize>,
        num_events_in_wait_list: cl_uint,
        event_wait_list: Handles<Event>,
        event: Out<cl_event>,
    ) -> status {
        let (queue, image) = queue_and_image(&command_queue, &image)?;
        let events = events(&queue, num_events_in_wait_list, &event_wait_list, &event)?;
        let size = image.image()?.fill_color_size();
        let color = fill_color.bytes(size).ok_or(Error::InvalidValue)?;
        event.publish_any(queue.fill_image(image, color, place(&origin, &region)?, &events)?.as_ref());
        Ok(())
    }
}

entry! {
    /// s5.3.6
    fn clEnqueueMapImage(
        command_queue: Handle<Queue>,
        image: Handle<Mem>,
        blocking_map: cl_bool,
        map_flags: cl_map_flags,
        origin: In<usize>,
        region: In<usize>,
        image_row_pitch: Out<usize>,
        image_slice_pitch: Out<usize>,
        num_events_in_wait_list: cl_uint,
        event_wait_list: Handles<Event>,
        event: Out<cl_event>,
    ) -> create Pointer {
        let (queue, image) = queue_and_image(&command_queue, &image)?;
        let events = events(&queue, num_events_in_wait_list, &event_wait_list, &event)?;
        let access = MapAccess::new(map_flags)?;
        // Mapped memory is useless without its pitches.
        if image_row_pitch.is_null() || image_slice_pitch.is_null() && image.image()?.has_slices() {
            return Err(Error::InvalidValue);
        }
        let (blocking, place) = (blocking_map != CL_FALSE, place(&origin, &region)?);
        let mapped = queue.map_image(image, blocking, access, place, &events)?;
        image_row_pitch.set(mapped.row_pitch);
        image_slice_pitch.set(mapped.slice_pitch);
        event.publish_any(mapped.event.as_ref());
        Ok(mapped.pointer)
    }
}
