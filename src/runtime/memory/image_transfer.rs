//! Commands that transfer texels: read, write, copy, fill and map (API s5.3.3 to s5.3.6).
//!
//! The commands treat a texel as bytes and use the rectangle functions of buffers. A fill converts its color at
//! enqueue.

use std::sync::Arc;

use super::copier::Pattern;
use super::rect::{self, Extent, Layout};
use super::transfer::{Buffer, MapAccess, PendingMap};
use super::{HostPtr, Mem};
use crate::cl::*;
use crate::runtime::error::{Error, Result};
use crate::runtime::event::{Event, Events};
use crate::runtime::object::Object;
use crate::runtime::queue::{Enqueued, Queue};
use grus_ir::image::texel;

/// Memory object whose use requires an image; checked by each command.
type Image = Arc<Object<Mem>>;

/// Position in an image, in texels (and layers of arrays).
type Origin = [usize; 3];

/// Result of mapping an image.
pub struct MappedImage {
    pub pointer: HostPtr,
    /// Distance between rows in bytes.
    pub row_pitch: usize,
    /// Distance between slices or layers in bytes; 0 for images without them.
    pub slice_pitch: usize,
    pub event: Option<Arc<Object<Event>>>,
}

impl Object<Queue> {
    /// Checks a region of an image. Returns the region in bytes and its layout.
    fn check_image(&self, image: &Mem, origin: Origin, region: Extent) -> Result<(Extent, Layout)> {
        let texels = image.image()?;
        self.check_context(image)?;
        texels.place(origin, region)
    }

    /// Implements clEnqueueReadImage. `pitches` are the row pitch and slice pitch at `target`, in bytes.
    pub fn read_image(
        self: &Arc<Self>,
        image: Image,
        blocking: bool,
        (origin, region): (Origin, Extent),
        (target, pitches): (HostPtr, (usize, usize)),
        events: &Events,
    ) -> Enqueued {
        let (region, from) = self.check_image(&image, origin, region)?;
        let to = image.image()?.host_layout(region, pitches)?;
        if target.is_null() {
            return Err(Error::InvalidValue);
        }
        if !image.host_may_read() {
            return Err(Error::InvalidOperation);
        }
        let copier = self.copier();
        let work = move || {
            // SAFETY: the region is in the image, as checked above; the application guarantees that its memory is
            // valid.
            unsafe { rect::copy(&copier, region, (image.base(), from), (target, to)) };
            Ok(())
        };
        self.start(CL_COMMAND_READ_IMAGE, blocking, events, work)
    }

    /// Implements clEnqueueWriteImage. `pitches` are the row pitch and slice pitch at `source`, in bytes.
    pub fn write_image(
        self: &Arc<Self>,
        image: Image,
        blocking: bool,
        (origin, region): (Origin, Extent),
        (source, pitches): (HostPtr, (usize, usize)),
        events: &Events,
    ) -> Enqueued {
        let (region, to) = self.check_image(&image, origin, region)?;
        let from = image.image()?.host_layout(region, pitches)?;
        if source.is_null() {
            return Err(Error::InvalidValue);
        }
        if !image.host_may_write() {
            return Err(Error::InvalidOperation);
        }
        let copier = self.copier();
        let work = move || {
            // SAFETY: the region is in the image, as checked above; the application guarantees that its memory is
            // valid.
            unsafe { rect::copy(&copier, region, (source, from), (image.base(), to)) };
            Ok(())
        };
        self.start(CL_COMMAND_WRITE_IMAGE, blocking, events, work)
    }

    /// Implements clEnqueueCopyImage.
    pub fn copy_image(
        self: &Arc<Self>,
        (source, source_origin): (Image, Origin),
        (target, target_origin): (Image, Origin),
        region: Extent,
        events: &Events,
    ) -> Enqueued {
        if source.image()?.format() != target.image()?.format() {
            return Err(Error::ImageFormatMismatch);
        }
        let (_, from) = self.check_image(&source, source_origin, region)?;
        let (region, to) = self.check_image(&target, target_origin, region)?;
        let places = ((source.base(), from), (target.base(), to));
        if source.shares_storage(&target) && rect::overlap(region, places.0, places.1)? {
            return Err(Error::MemCopyOverlap);
        }
        let copier = self.copier();
        let work = move || {
            let _in_use = (&source, &target);
            // SAFETY: both regions are in their images, as checked above.
            unsafe { rect::copy(&copier, region, places.0, places.1) };
            Ok(())
        };
        self.start(CL_COMMAND_COPY_IMAGE, false, events, work)
    }

    /// Checks a copy between an image and a buffer, in either direction. Returns the region in bytes, its layout in
    /// the image, and its address and layout in the buffer, where it has no gaps.
    fn check_image_and_buffer(
        &self,
        (image, origin): (&Mem, Origin),
        (buffer, offset): (&Mem, usize),
        region: Extent,
    ) -> Result<(Extent, Layout, (HostPtr, Layout))> {
        let texels = image.image()?;
        self.check_buffer(buffer)?;
        // The image shows this same buffer.
        let is_buffer = texels.object_type() == CL_MEM_OBJECT_IMAGE1D_BUFFER
            && image.parent().is_some_and(|parent| std::ptr::eq::<Mem>(&***parent, buffer));
        if is_buffer {
            return Err(Error::InvalidMemObject);
        }
        let (region, place) = self.check_image(image, origin, region)?;
        let linear = Layout::of_texels(region, 0, 0)?;
        let (_, size) = linear.extent(region)?;
        buffer.check_range(offset, size)?;
        Ok((region, place, (buffer.base().at(offset), linear)))
    }

    /// Implements clEnqueueCopyImageToBuffer.
    pub fn copy_image_to_buffer(
        self: &Arc<Self>,
        (source, origin): (Image, Origin),
        region: Extent,
        (target, offset): (Buffer, usize),
        events: &Events,
    ) -> Enqueued {
        let (region, from, to) = self.check_image_and_buffer((&source, origin), (&target, offset), region)?;
        let copier = self.copier();
        let work = move || {
            let _in_use = &target;
            // SAFETY: the region is in the image and fits into the buffer, as checked above.
            unsafe { rect::copy(&copier, region, (source.base(), from), to) };
            Ok(())
        };
        self.start(CL_COMMAND_COPY_IMAGE_TO_BUFFER, false, events, work)
    }

    /// Implements clEnqueueCopyBufferToImage.
    pub fn copy_buffer_to_image(
        self: &Arc<Self>,
        (source, offset): (Buffer, usize),
        (target, origin): (Image, Origin),
        region: Extent,
        events: &Events,
    ) -> Enqueued {
        let (region, to, from) = self.check_image_and_buffer((&target, origin), (&source, offset), region)?;
        let copier = self.copier();
        let work = move || {
            let _in_use = &source;
            // SAFETY: the region is in the image and fits into the buffer, as checked above.
            unsafe { rect::copy(&copier, region, from, (target.base(), to)) };
            Ok(())
        };
        self.start(CL_COMMAND_COPY_BUFFER_TO_IMAGE, false, events, work)
    }

    /// Implements clEnqueueFillImage. `color` has [`super::Image::fill_color_size`] bytes.
    pub fn fill_image(
        self: &Arc<Self>,
        image: Image,
        color: &[u8],
        (origin, region): (Origin, Extent),
        events: &Events,
    ) -> Enqueued {
        let (region, to) = self.check_image(&image, origin, region)?;
        let format = image.image()?.format();
        let mut components = [0; 4];
        for (component, bytes) in components.iter_mut().zip(color.chunks_exact(4)) {
            *component = bytes.try_into().map_or(0, u32::from_ne_bytes);
        }
        let texel = texel::fill_texel(format, components);
        let texel = Pattern::new(&texel[..format.texel_size()]);
        let copier = self.copier();
        let work = move || {
            // SAFETY: the region is in the image, as checked above, and its rows are whole texels.
            unsafe { rect::fill(&copier, region, (image.base(), to), texel) };
            Ok(())
        };
        self.start(CL_COMMAND_FILL_IMAGE, false, events, work)
    }

    /// Implements clEnqueueMapImage. Pointer and pitches are known at once, the contents when the event completes.
    pub fn map_image(
        self: &Arc<Self>,
        image: Image,
        blocking: bool,
        access: MapAccess,
        (origin, region): (Origin, Extent),
        events: &Events,
    ) -> Result<MappedImage> {
        let (bytes, place) = self.check_image(&image, origin, region)?;
        let texels = image.image()?;
        let area = texels.area(origin, region)?;
        let (row_pitch, slice_pitch) = texels.mapped_pitches();
        access.check(&image)?;
        let (offset, _) = place.extent(bytes)?;
        let pointer = image.map(offset, area, access.writes())?;
        let pending = PendingMap::new(image, pointer);
        let work = move || {
            pending.done();
            Ok(())
        };
        let event = self.start(CL_COMMAND_MAP_IMAGE, blocking, events, work)?;
        Ok(MappedImage { pointer, row_pitch, slice_pitch, event })
    }
}
