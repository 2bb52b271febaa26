//! Commands that transfer bytes: read, write, copy, fill and map, and their variants for rectangles (API s5.2).
//!
//! Every function makes the checks that the specification lists and then enqueues a closure. The closure holds the
//! memory objects. The application's memory is a bare pointer; the API obliges the application to leave that memory
//! alone until the command has ended.

use std::sync::Arc;

use super::copier::{ParallelCopier, Pattern};
use super::{Extent, HostPtr, Layout, MappedRegion, Mem, rect};
use crate::cl::*;
use crate::runtime::error::{Error, Result};
use crate::runtime::event::{Event, Events};
use crate::runtime::object::Object;
use crate::runtime::queue::{Enqueued, Queue};

pub(super) type Buffer = Arc<Object<Mem>>;

/// Access that a map requests.
#[derive(Clone, Copy, Debug)]
pub struct MapAccess(cl_map_flags);

impl MapAccess {
    /// Returns the access for valid map flags.
    pub fn new(flags: cl_map_flags) -> Result<Self> {
        const KNOWN: cl_map_flags = CL_MAP_READ | CL_MAP_WRITE | CL_MAP_WRITE_INVALIDATE_REGION;
        let invalidates = flags & CL_MAP_WRITE_INVALIDATE_REGION != 0;
        let exclusive = invalidates && flags != CL_MAP_WRITE_INVALIDATE_REGION;
        if flags & !KNOWN != 0 || exclusive {
            return Err(Error::InvalidValue);
        }
        Ok(Self(flags))
    }

    /// Checks whether the host is going to write.
    pub fn writes(self) -> bool {
        self.0 & (CL_MAP_WRITE | CL_MAP_WRITE_INVALIDATE_REGION) != 0
    }

    /// Checks that the object allows the host this access.
    pub fn check(self, mem: &Mem) -> Result<()> {
        let reads = self.0 & CL_MAP_READ != 0;
        if reads && !mem.host_may_read() || self.writes() && !mem.host_may_write() {
            return Err(Error::InvalidOperation);
        }
        Ok(())
    }
}

/// Mapping whose command has not run. It is removed if the command never runs because a dependency has failed.
pub(super) struct PendingMap(Option<(Buffer, HostPtr)>);

impl PendingMap {
    pub(super) fn new(mem: Buffer, pointer: HostPtr) -> Self {
        Self(Some((mem, pointer)))
    }

    pub(super) fn done(mut self) {
        self.0 = None;
    }
}

impl Drop for PendingMap {
    fn drop(&mut self) {
        if let Some((buffer, pointer)) = self.0.take()
            && buffer.unmap(pointer).is_ok()
        {
            buffer.unmapped();
        }
    }
}

/// Mapping whose unmap has not run. It is restored if the unmap never runs.
struct PendingUnmap(Option<(Buffer, MappedRegion)>);

impl PendingUnmap {
    fn done(mut self) {
        if let Some((mem, _)) = self.0.take() {
            mem.unmapped();
        }
    }
}

impl Drop for PendingUnmap {
    fn drop(&mut self) {
        if let Some((mem, mapping)) = self.0.take() {
            mem.remap(mapping);
        }
    }
}

impl Object<Queue> {
    pub(super) fn check_context(&self, mem: &Mem) -> Result<()> {
        if Arc::ptr_eq(self.context(), mem.context()) { Ok(()) } else { Err(Error::InvalidContext) }
    }

    /// Returns a copier that uses the processors of this queue's device.
    pub(in crate::runtime) fn copier(&self) -> ParallelCopier {
        ParallelCopier::new(self.device().cpu_set())
    }

    /// Checks that `mem` is a buffer of this queue's context.
    pub(super) fn check_buffer(&self, mem: &Mem) -> Result<()> {
        mem.check_buffer()?;
        self.check_context(mem)
    }

    /// Implements clEnqueueReadBuffer.
    pub fn read_buffer(
        self: &Arc<Self>,
        buffer: Buffer,
        blocking: bool,
        (offset, size): (usize, usize),
        target: HostPtr,
        events: &Events,
    ) -> Enqueued {
        self.check_buffer(&buffer)?;
        buffer.check_range(offset, size)?;
        if target.is_null() {
            return Err(Error::InvalidValue);
        }
        if !buffer.host_may_read() {
            return Err(Error::InvalidOperation);
        }
        let copier = self.copier();
        let work = move || {
            // SAFETY: the range is in the buffer, as checked above; the application guarantees that `target` has
            // `size` bytes.
            unsafe { copier.copy(buffer.base().at(offset), target, size) };
            Ok(())
        };
        self.start(CL_COMMAND_READ_BUFFER, blocking, events, work)
    }

    /// Implements clEnqueueWriteBuffer.
    pub fn write_buffer(
        self: &Arc<Self>,
        buffer: Buffer,
        blocking: bool,
        (offset, size): (usize, usize),
        source: HostPtr,
        events: &Events,
    ) -> Enqueued {
        self.check_buffer(&buffer)?;
        buffer.check_range(offset, size)?;
        if source.is_null() {
            return Err(Error::InvalidValue);
        }
        if !buffer.host_may_write() {
            return Err(Error::InvalidOperation);
        }
        let copier = self.copier();
        let work = move || {
            // SAFETY: the range is in the buffer, as checked above; the application guarantees that `source` has
            // `size` bytes.
            unsafe { copier.copy(source, buffer.base().at(offset), size) };
            Ok(())
        };
        self.start(CL_COMMAND_WRITE_BUFFER, blocking, events, work)
    }

    /// Implements clEnqueueCopyBuffer.
    pub fn copy_buffer(
        self: &Arc<Self>,
        (source, source_offset): (Buffer, usize),
        (target, target_offset): (Buffer, usize),
        size: usize,
        events: &Events,
    ) -> Enqueued {
        self.check_buffer(&source)?;
        self.check_buffer(&target)?;
        source.check_range(source_offset, size)?;
        target.check_range(target_offset, size)?;
        let from = source.base().at(source_offset);
        let to = target.base().at(target_offset);
        let apart = from.address().abs_diff(to.address());
        if source.shares_storage(&target) && apart < size {
            return Err(Error::MemCopyOverlap);
        }
        let copier = self.copier();
        let work = move || {
            let _in_use = (&source, &target);
            // SAFETY: both ranges are in their buffers, as checked above.
            unsafe { copier.copy(from, to, size) };
            Ok(())
        };
        self.start(CL_COMMAND_COPY_BUFFER, false, events, work)
    }

    /// Implements clEnqueueFillBuffer.
    pub fn fill_buffer(
        self: &Arc<Self>,
        buffer: Buffer,
        pattern: &[u8],
        (offset, size): (usize, usize),
        events: &Events,
    ) -> Enqueued {
        self.check_buffer(&buffer)?;
        buffer.check_range(offset, size)?;
        let length = pattern.len();
        if !is_pattern_length(length) || !offset.is_multiple_of(length) || !size.is_multiple_of(length) {
            return Err(Error::InvalidValue);
        }
        let pattern = Pattern::new(pattern);
        let copier = self.copier();
        let work = move || {
            // SAFETY: the range is in the buffer and a multiple of the pattern's length, as checked above.
            unsafe { copier.fill(buffer.base().at(offset), pattern, size) };
            Ok(())
        };
        self.start(CL_COMMAND_FILL_BUFFER, false, events, work)
    }

    /// Implements clEnqueueReadBufferRect.
    pub fn read_buffer_rect(
        self: &Arc<Self>,
        buffer: (Buffer, Layout),
        blocking: bool,
        region: Extent,
        host: (HostPtr, Layout),
        events: &Events,
    ) -> Enqueued {
        let (source, from) = self.check_rect(buffer, region)?;
        if host.0.is_null() {
            return Err(Error::InvalidValue);
        }
        if !source.host_may_read() {
            return Err(Error::InvalidOperation);
        }
        let copier = self.copier();
        let work = move || {
            // SAFETY: the rectangle is in the buffer, as checked above; the application guarantees that its own is
            // valid.
            unsafe { rect::copy(&copier, region, (source.base(), from), host) };
            Ok(())
        };
        self.start(CL_COMMAND_READ_BUFFER_RECT, blocking, events, work)
    }

    /// Implements clEnqueueWriteBufferRect.
    pub fn write_buffer_rect(
        self: &Arc<Self>,
        buffer: (Buffer, Layout),
        blocking: bool,
        region: Extent,
        host: (HostPtr, Layout),
        events: &Events,
    ) -> Enqueued {
        let (target, to) = self.check_rect(buffer, region)?;
        if host.0.is_null() {
            return Err(Error::InvalidValue);
        }
        if !target.host_may_write() {
            return Err(Error::InvalidOperation);
        }
        let copier = self.copier();
        let work = move || {
            // SAFETY: the rectangle is in the buffer, as checked above; the application guarantees that its own is
            // valid.
            unsafe { rect::copy(&copier, region, host, (target.base(), to)) };
            Ok(())
        };
        self.start(CL_COMMAND_WRITE_BUFFER_RECT, blocking, events, work)
    }

    /// Implements clEnqueueCopyBufferRect.
    pub fn copy_buffer_rect(
        self: &Arc<Self>,
        source: (Buffer, Layout),
        target: (Buffer, Layout),
        region: Extent,
        events: &Events,
    ) -> Enqueued {
        let (source, from) = self.check_rect(source, region)?;
        let (target, to) = self.check_rect(target, region)?;
        if source.shares_storage(&target) {
            let same_pitches = (from.row_pitch, from.slice_pitch) == (to.row_pitch, to.slice_pitch);
            // Within one buffer object the pitches must agree; two sub-buffers with other pitches are compared as a
            // whole.
            if Arc::ptr_eq(&source, &target) && !same_pitches {
                return Err(Error::InvalidValue);
            }
            if rect::overlap(region, (source.base(), from), (target.base(), to))? {
                return Err(Error::MemCopyOverlap);
            }
        }
        let copier = self.copier();
        let work = move || {
            // SAFETY: both rectangles are in their buffers and do not overlap, as checked above.
            unsafe { rect::copy(&copier, region, (source.base(), from), (target.base(), to)) };
            Ok(())
        };
        self.start(CL_COMMAND_COPY_BUFFER_RECT, false, events, work)
    }

    fn check_rect(&self, (buffer, layout): (Buffer, Layout), region: Extent) -> Result<(Buffer, Layout)> {
        self.check_buffer(&buffer)?;
        let (offset, size) = layout.extent(region)?;
        buffer.check_range(offset, size)?;
        Ok((buffer, layout))
    }

    /// Implements clEnqueueMapBuffer. The pointer is known at once, the contents when the event completes.
    pub fn map_buffer(
        self: &Arc<Self>,
        buffer: Buffer,
        blocking: bool,
        access: MapAccess,
        (offset, size): (usize, usize),
        events: &Events,
    ) -> Result<(HostPtr, Option<Arc<Object<Event>>>)> {
        self.check_buffer(&buffer)?;
        buffer.check_range(offset, size)?;
        if size == 0 {
            return Err(Error::InvalidValue);
        }
        access.check(&buffer)?;
        let pointer = buffer.map(offset, [offset..offset + size, 0..1, 0..1], access.writes())?;
        let pending = PendingMap::new(buffer, pointer);
        let work = move || {
            pending.done();
            Ok(())
        };
        let event = self.start(CL_COMMAND_MAP_BUFFER, blocking, events, work)?;
        Ok((pointer, event))
    }

    /// Implements clEnqueueUnmapMemObject.
    pub fn unmap(self: &Arc<Self>, mem: Buffer, pointer: HostPtr, events: &Events) -> Enqueued {
        self.check_context(&mem)?;
        let mapping = mem.unmap(pointer)?;
        let pending = PendingUnmap(Some((mem, mapping)));
        let work = move || {
            pending.done();
            Ok(())
        };
        self.start(CL_COMMAND_UNMAP_MEM_OBJECT, false, events, work)
    }

    /// Implements clEnqueueMigrateMemObjects. There is only one memory, so the command only has an effect on
    /// ordering.
    pub fn migrate(self: &Arc<Self>, objects: Vec<Buffer>, events: &Events) -> Enqueued {
        for mem in &objects {
            self.check_context(mem)?;
        }
        let work = move || {
            drop(objects);
            Ok(())
        };
        self.start(CL_COMMAND_MIGRATE_MEM_OBJECTS, false, events, work)
    }
}

/// Checks whether a fill pattern may have this length: that of a scalar or vector type.
pub(in crate::runtime) fn is_pattern_length(length: usize) -> bool {
    length.is_power_of_two() && length <= 128
}
