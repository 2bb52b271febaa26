//! Commands on buffers, markers and barriers, and commands that run code (API s5.2, s5.5, s5.10, s5.12).

use grus_core::cl::*;
use grus_core::runtime::error::{Error, Result};
use grus_core::runtime::event::Event;
use grus_core::runtime::kernel::Kernel;
use grus_core::runtime::launch::NdRangeArgs;
use grus_core::runtime::memory::{Layout, MapAccess, Mem};
use grus_core::runtime::queue::{Queue, QueueOrder};

use crate::arg::{Handle, Handles, In, Memory, Out};
use crate::boundary::{Pointer, entry};
use crate::callback;
use crate::wait::{events, wait_list};

entry! {
    /// s5.2.2
    fn clEnqueueReadBuffer(
        buffer: Handle<Mem>,
        blocking_read: cl_bool,
        offset: usize,
        size: usize,
        ptr: Memory,
    ) -> enqueue |queue, buffer = buffer; events| {
        let blocking = blocking_read != CL_FALSE;
        queue.read_buffer(buffer, blocking, (offset, size), ptr.host_ptr(), &events)
    }
}

entry! {
    /// s5.2.2
    fn clEnqueueWriteBuffer(
        buffer: Handle<Mem>,
        blocking_write: cl_bool,
        offset: usize,
        size: usize,
        ptr: Memory,
    ) -> enqueue |queue, buffer = buffer; events| {
        let blocking = blocking_write != CL_FALSE;
        queue.write_buffer(buffer, blocking, (offset, size), ptr.host_ptr(), &events)
    }
}

/// Returns the layout of a rectangle from its parameters.
fn layout(origin: &In<usize>, region: [usize; 3], row_pitch: usize, slice_pitch: usize) -> Result<Layout> {
    Layout::new(origin.triple().ok_or(Error::InvalidValue)?, region, row_pitch, slice_pitch)
}

entry! {
    /// s5.2.2
    fn clEnqueueReadBufferRect(
        buffer: Handle<Mem>,
        blocking_read: cl_bool,
        buffer_origin: In<usize>,
        host_origin: In<usize>,
        region: In<usize>,
        buffer_row_pitch: usize,
        buffer_slice_pitch: usize,
        host_row_pitch: usize,
        host_slice_pitch: usize,
        ptr: Memory,
    ) -> enqueue |queue, buffer = buffer; events| {
        let region = region.triple().ok_or(Error::InvalidValue)?;
        let from = layout(&buffer_origin, region, buffer_row_pitch, buffer_slice_pitch)?;
        let to = layout(&host_origin, region, host_row_pitch, host_slice_pitch)?;
        let host = (ptr.host_ptr(), to);
        let blocking = blocking_read != CL_FALSE;
        queue.read_buffer_rect((buffer, from), blocking, region, host, &events)
    }
}

entry! {
    /// s5.2.2
    fn clEnqueueWriteBufferRect(
        buffer: Handle<Mem>,
        blocking_write: cl_bool,
        buffer_origin: In<usize>,
        host_origin: In<usize>,
        region: In<usize>,
        buffer_row_pitch: usize,
        buffer_slice_pitch: usize,
        host_row_pitch: usize,
        host_slice_pitch: usize,
        ptr: Memory,
    ) -> enqueue |queue, buffer = buffer; events| {
        let region = region.triple().ok_or(Error::InvalidValue)?;
        let to = layout(&buffer_origin, region, buffer_row_pitch, buffer_slice_pitch)?;
        let from = layout(&host_origin, region, host_row_pitch, host_slice_pitch)?;
        let host = (ptr.host_ptr(), from);
        let blocking = blocking_write != CL_FALSE;
        queue.write_buffer_rect((buffer, to), blocking, region, host, &events)
    }
}

entry! {
    /// s5.2.2
    fn clEnqueueCopyBuffer(
        src_buffer: Handle<Mem>,
        dst_buffer: Handle<Mem>,
        src_offset: usize,
        dst_offset: usize,
        size: usize,
    ) -> enqueue |queue, source = src_buffer, target = dst_buffer; events| {
        let (from, to) = ((source, src_offset), (target, dst_offset));
        queue.copy_buffer(from, to, size, &events)
    }
}

entry! {
    /// s5.2.2
    fn clEnqueueCopyBufferRect(
        src_buffer: Handle<Mem>,
        dst_buffer: Handle<Mem>,
        src_origin: In<usize>,
        dst_origin: In<usize>,
        region: In<usize>,
        src_row_pitch: usize,
        src_slice_pitch: usize,
        dst_row_pitch: usize,
        dst_slice_pitch: usize,
    ) -> enqueue |queue, source = src_buffer, target = dst_buffer; events| {
        let region = region.triple().ok_or(Error::InvalidValue)?;
        let from = layout(&src_origin, region, src_row_pitch, src_slice_pitch)?;
        let to = layout(&dst_origin, region, dst_row_pitch, dst_slice_pitch)?;
        queue.copy_buffer_rect((source, from), (target, to), region, &events)
    }
}

entry! {
    /// s5.2.3
    fn clEnqueueFillBuffer(
        buffer: Handle<Mem>,
        pattern: Memory,
        pattern_size: usize,
        offset: usize,
        size: usize,
    ) -> enqueue |queue, buffer = buffer; events| {
        let pattern = pattern.bytes(pattern_size).ok_or(Error::InvalidValue)?;
        queue.fill_buffer(buffer, pattern, (offset, size), &events)
    }
}

entry! {
    /// s5.2.4
    fn clEnqueueMapBuffer(
        command_queue: Handle<Queue>,
        buffer: Handle<Mem>,
        blocking_map: cl_bool,
        map_flags: cl_map_flags,
        offset: usize,
        size: usize,
        num_events_in_wait_list: cl_uint,
        event_wait_list: Handles<Event>,
        event: Out<cl_event>,
    ) -> create Pointer {
        let (queue, buffer) = (command_queue.host()?, buffer.get()?);
        let events = events(&queue, num_events_in_wait_list, &event_wait_list, &event)?;
        let access = MapAccess::new(map_flags)?;
        let blocking = blocking_map != CL_FALSE;
        let (pointer, made) = queue.map_buffer(buffer, blocking, access, (offset, size), &events)?;
        event.publish_any(made.as_ref());
        Ok(pointer)
    }
}

entry! {
    /// s5.5.2
    fn clEnqueueUnmapMemObject(
        memobj: Handle<Mem>,
        mapped_ptr: Memory,
    ) -> enqueue |queue, mem = memobj; events| {
        queue.unmap(mem, mapped_ptr.host_ptr(), &events)
    }
}

entry! {
    /// s5.5.4
    fn clEnqueueMigrateMemObjects(
        num_mem_objects: cl_uint,
        mem_objects: Handles<Mem>,
        flags: cl_mem_migration_flags,
    ) -> enqueue |queue; events| {
        let known = CL_MIGRATE_MEM_OBJECT_HOST | CL_MIGRATE_MEM_OBJECT_CONTENT_UNDEFINED;
        // There are no objects, or there are unknown flags.
        if num_mem_objects == 0 || mem_objects.is_null() || flags & !known != 0 {
            return Err(Error::InvalidValue);
        }
        queue.migrate(mem_objects.get(num_mem_objects)?, &events)
    }
}

/// Sizes of a range without work-items.
const NO_ITEMS: [usize; 3] = [0; 3];

/// Returns the arrays of an ND-range after checking its dimension. A range without sizes has no work-items.
pub(super) fn range<'a>(
    work_dim: cl_uint,
    offset: &'a In<usize>,
    global: &'a In<usize>,
    local: &'a In<usize>,
) -> Result<NdRangeArgs<'a>> {
    if !(1..=3).contains(&work_dim) {
        return Err(Error::InvalidWorkDimension);
    }
    Ok(NdRangeArgs {
        offset: offset.array(work_dim),
        global: global.array(work_dim).unwrap_or(&NO_ITEMS[..work_dim as usize]),
        local: local.array(work_dim),
    })
}

entry! {
    /// s5.10
    fn clEnqueueNDRangeKernel(
        command_queue: Handle<Queue>,
        kernel: Handle<Kernel>,
        work_dim: cl_uint,
        global_work_offset: In<usize>,
        global_work_size: In<usize>,
        local_work_size: In<usize>,
        num_events_in_wait_list: cl_uint,
        event_wait_list: Handles<Event>,
        event: Out<cl_event>,
    ) -> status {
        let (queue, kernel) = (command_queue.host()?, kernel.get()?);
        let events = events(&queue, num_events_in_wait_list, &event_wait_list, &event)?;
        let range = range(work_dim, &global_work_offset, &global_work_size, &local_work_size)?;
        let made = queue.launch(CL_COMMAND_NDRANGE_KERNEL, &kernel, range, &events)?;
        event.publish_any(made.as_ref());
        Ok(())
    }
}

entry! {
    /// s5.10 (deprecated by 2.0)
    fn clEnqueueTask(
        command_queue: Handle<Queue>,
        kernel: Handle<Kernel>,
        num_events_in_wait_list: cl_uint,
        event_wait_list: Handles<Event>,
        event: Out<cl_event>,
    ) -> status {
        let (queue, kernel) = (command_queue.host()?, kernel.get()?);
        let events = events(&queue, num_events_in_wait_list, &event_wait_list, &event)?;
        let range = NdRangeArgs { offset: None, global: &[1], local: Some(&[1]) };
        let made = queue.launch(CL_COMMAND_TASK, &kernel, range, &events)?;
        event.publish_any(made.as_ref());
        Ok(())
    }
}

entry! {
    /// s5.10
    fn clEnqueueNativeKernel(
        user_func: Option<NativeKernel>,
        args: Memory,
        cb_args: usize,
        num_mem_objects: cl_uint,
        mem_list: Handles<Mem>,
        args_mem_loc: In<Memory>,
    ) -> enqueue |queue; events| {
        let function = user_func.ok_or(Error::InvalidValue)?;
        // `args` is NULL exactly if `cb_args` is 0, and then there are no memory objects. Memory objects and their
        // locations are both given or both missing.
        let lists_agree = (num_mem_objects == 0) == mem_list.is_null()
            && (num_mem_objects == 0) == args_mem_loc.is_null();
        if args.is_null() != (cb_args == 0) || args.is_null() && num_mem_objects != 0 || !lists_agree {
            return Err(Error::InvalidValue);
        }
        let mems = mem_list.get_or_null(num_mem_objects)?;
        let places = args_mem_loc.array(num_mem_objects).unwrap_or(&[]);
        let offsets = places.iter().map(|place| place.address().wrapping_sub(args.address()));
        let block = callback::block(args.bytes(cb_args).unwrap_or(&[]))?;
        let function = callback::native_kernel(function, !args.is_null());
        let mems = mems.into_iter().zip(offsets).collect();
        queue.launch_native(function, block, mems, &events)
    }
}

entry! {
    /// s5.12
    fn clEnqueueMarkerWithWaitList(

    ) -> enqueue |queue; events| {
        let order = if events.waits.is_empty() { QueueOrder::AfterAll } else { QueueOrder::Free };
        queue.enqueue(CL_COMMAND_MARKER, &events.waits, order, None).map(Some)
    }
}

entry! {
    /// s5.12
    fn clEnqueueBarrierWithWaitList(

    ) -> enqueue |queue; events| {
        let order = QueueOrder::Barrier { after_all: events.waits.is_empty() };
        queue.enqueue(CL_COMMAND_BARRIER, &events.waits, order, None).map(Some)
    }
}

entry! {
    /// s5.12 (deprecated by 1.2)
    fn clEnqueueMarker(command_queue: Handle<Queue>, event: Out<cl_event>) -> status {
        let queue = command_queue.host()?;
        if event.is_null() {
            return Err(Error::InvalidValue);
        }
        event.publish(&queue.enqueue(CL_COMMAND_MARKER, &[], QueueOrder::AfterAll, None)?);
        Ok(())
    }
}

entry! {
    /// s5.12 (deprecated by 1.2)
    fn clEnqueueBarrier(command_queue: Handle<Queue>) -> status {
        let order = QueueOrder::Barrier { after_all: true };
        command_queue.host()?.enqueue(CL_COMMAND_BARRIER, &[], order, None)?;
        Ok(())
    }
}

entry! {
    /// s5.12 (deprecated by 1.2)
    fn clEnqueueWaitForEvents(
        command_queue: Handle<Queue>,
        num_events: cl_uint,
        event_list: Handles<Event>,
    ) -> status {
        let queue = command_queue.host()?;
        if num_events == 0 || event_list.is_null() {
            return Err(Error::InvalidValue);
        }
        let waits = wait_list(&queue, num_events, &event_list).map_err(|error| match error {
            Error::InvalidEventWaitList => Error::InvalidEvent,
            other => other,
        })?;
        let order = QueueOrder::Barrier { after_all: false };
        queue.enqueue(CL_COMMAND_BARRIER, &waits, order, None)?;
        Ok(())
    }
}
