//! Images: validation of clCreateImage, and the layout of texels (API s5.3.1, s5.3.2).
//!
//! An image is rows of texels in host memory, one row after the other and one slice after the other. Kernels
//! (through its [`Descriptor`]) and host commands use the same layout, so nothing is converted and mapping is free.
//! Memory lent by the application keeps the application's pitches; memory of the runtime has no gaps.
//!
//! Mipmaps and multisampled images are not supported (cl_khr_mipmap_image, cl_khr_gl_msaa_sharing).

use std::sync::Arc;

use super::copier::ParallelCopier;
use super::rect::{self, Extent, Layout};
use super::{Area, HostPtr, Mem, Storage, check_flags, check_host_ptr};
use crate::cl::*;
use crate::runtime::context::Context;
use crate::runtime::device::{
    IMAGE_BASE_ADDRESS_ALIGNMENT, IMAGE_MAX_ARRAY_SIZE, IMAGE_PITCH_ALIGNMENT, IMAGE2D_MAX_SIZE,
    IMAGE3D_MAX_SIZE, IMAGES,
};
use crate::runtime::error::{Error, Result};
use crate::runtime::object::Object;
use grus_ir::image::{Descriptor, Format, ImageType, Order};

/// Properties of a memory object that is an image.
pub struct Image {
    ty: ImageType,
    format: Format,
    /// Descriptor for kernels. It does not move while the image exists, because launches pass its address.
    descriptor: Box<Descriptor>,
    /// Values of CL_IMAGE_ROW_PITCH and CL_IMAGE_SLICE_PITCH: the application's, even if the texels were copied to
    /// memory without gaps.
    said: Pitches,
}

/// Distances in bytes between rows, and between slices or layers.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Pitches {
    row: usize,
    slice: usize,
}

impl Pitches {
    /// Returns the pitches of texels without gaps.
    fn tight(format: Format, [width, height, _]: [usize; 3]) -> Result<Self> {
        let row = width.checked_mul(format.texel_size());
        let slice = row.and_then(|row| row.checked_mul(height));
        let (row, slice) = row.zip(slice).ok_or(Error::MemObjectAllocationFailure)?;
        Ok(Self { row, slice })
    }

    /// Returns the application's pitches for its memory at `host_ptr`; a pitch of 0 means no gaps.
    fn of_host(ty: ImageType, format: Format, size: [usize; 3], desc: &cl_image_desc) -> Result<Self> {
        let tight = Self::tight(format, size)?;
        let row = if desc.image_row_pitch == 0 { tight.row } else { desc.image_row_pitch };
        let smallest = row.checked_mul(size[1]).ok_or(Error::InvalidImageDescriptor)?;
        let has_slices = slices_of(ty) != Slices::None;
        let said = if has_slices { desc.image_slice_pitch } else { 0 };
        let slice = if said == 0 { smallest } else { said };
        let rows_fit = row >= tight.row && row.is_multiple_of(format.texel_size());
        if !rows_fit || slice < smallest || !slice.is_multiple_of(row) {
            return Err(Error::InvalidImageDescriptor);
        }
        Ok(Self { row, slice })
    }

    /// Returns the size in bytes of an image with these pitches.
    fn bytes(self, [_, _, depth]: [usize; 3]) -> Result<usize> {
        self.slice.checked_mul(depth).ok_or(Error::MemObjectAllocationFailure)
    }

    fn layout(self) -> Layout {
        Layout { origin: [0; 3], row_pitch: self.row, slice_pitch: self.slice }
    }
}

/// Meaning of an image's third dimension.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Slices {
    None,
    Layers,
    Depth,
}

fn slices_of(ty: ImageType) -> Slices {
    match ty {
        ImageType::Image1d | ImageType::Image1dBuffer | ImageType::Image2d | ImageType::Image2dDepth => {
            Slices::None
        }
        ImageType::Image1dArray | ImageType::Image2dArray | ImageType::Image2dArrayDepth => Slices::Layers,
        ImageType::Image3d => Slices::Depth,
    }
}

/// Checks whether the images are one-dimensional, or arrays of one-dimensional images.
fn is_1d(ty: ImageType) -> bool {
    matches!(ty, ImageType::Image1d | ImageType::Image1dBuffer | ImageType::Image1dArray)
}

/// Returns the image type for a constant of the host API, if it is not a depth image.
fn type_of_number(number: cl_mem_object_type) -> Option<ImageType> {
    Some(match number {
        CL_MEM_OBJECT_IMAGE1D => ImageType::Image1d,
        CL_MEM_OBJECT_IMAGE1D_BUFFER => ImageType::Image1dBuffer,
        CL_MEM_OBJECT_IMAGE1D_ARRAY => ImageType::Image1dArray,
        CL_MEM_OBJECT_IMAGE2D => ImageType::Image2d,
        CL_MEM_OBJECT_IMAGE2D_ARRAY => ImageType::Image2dArray,
        CL_MEM_OBJECT_IMAGE3D => ImageType::Image3d,
        _ => return None,
    })
}

/// Returns the type of an image with this format; none if such images do not exist.
fn type_with_format(ty: ImageType, format: Format) -> Option<ImageType> {
    match (ty, format.order()) {
        (ImageType::Image2d, Order::DEPTH) => Some(ImageType::Image2dDepth),
        (ImageType::Image2dArray, Order::DEPTH) => Some(ImageType::Image2dArrayDepth),
        (_, Order::DEPTH) => None,
        // These formats are optional, and the specification and the conformance tests disagree about their border
        // colors.
        (_, Order::Rx | Order::RGx | Order::RGBx | Order::sRGBx) => None,
        _ => Some(ty),
    }
}

/// Implements clGetSupportedImageFormats. Formats that every device must support are first.
///
/// # Errors
/// CL_INVALID_VALUE if `flags` or `image_type` are not valid.
pub fn supported_formats(
    flags: cl_mem_flags,
    image_type: cl_mem_object_type,
) -> Result<Vec<cl_image_format>> {
    check_flags(flags & !CL_MEM_KERNEL_READ_AND_WRITE)?;
    let ty = type_of_number(image_type).ok_or(Error::InvalidValue)?;
    if !IMAGES {
        return Ok(Vec::new());
    }
    // All formats support reading and writing in one kernel, except those for which few devices offer that.
    let both = flags & CL_MEM_KERNEL_READ_AND_WRITE != 0;
    let is_supported = |format: &Format| {
        let offered = !both || !format.is_srgb() && !format.channel_type().is_packed();
        offered && type_with_format(ty, *format).is_some()
    };
    let mut formats: Vec<Format> = Format::all().filter(is_supported).collect();
    formats.sort_by_key(|format| !format.is_required());
    Ok(formats.into_iter().map(host_format).collect())
}

fn host_format(format: Format) -> cl_image_format {
    cl_image_format {
        image_channel_order: format.order() as cl_channel_order,
        image_channel_data_type: format.channel_type() as cl_channel_type,
    }
}

impl Image {
    fn new(ty: ImageType, format: Format, size: [usize; 3], base: HostPtr, pitches: Pitches) -> Self {
        // The limits of image sizes are far below 2^32.
        let texels = size.map(|texels| texels as u32);
        let (row, slice) = (pitches.row as u64, pitches.slice as u64);
        let descriptor = Box::new(Descriptor::new(base.as_ptr(), format, texels, row, slice));
        Self { ty, format, descriptor, said: pitches }
    }

    /// Returns the image type of a kernel parameter that accepts the image.
    pub fn image_type(&self) -> ImageType {
        self.ty
    }

    /// Returns the format.
    pub fn format(&self) -> Format {
        self.format
    }

    /// Returns the address that is passed to kernels.
    pub(in crate::runtime) fn descriptor(&self) -> usize {
        std::ptr::from_ref(&*self.descriptor).addr()
    }

    /// Returns the layout of the texels in memory.
    pub(in crate::runtime) fn place_in_memory(&self) -> &Descriptor {
        &self.descriptor
    }

    /// Returns CL_MEM_TYPE.
    pub fn object_type(&self) -> cl_mem_object_type {
        match self.ty {
            ImageType::Image1d => CL_MEM_OBJECT_IMAGE1D,
            ImageType::Image1dBuffer => CL_MEM_OBJECT_IMAGE1D_BUFFER,
            ImageType::Image1dArray => CL_MEM_OBJECT_IMAGE1D_ARRAY,
            ImageType::Image2d | ImageType::Image2dDepth => CL_MEM_OBJECT_IMAGE2D,
            ImageType::Image2dArray | ImageType::Image2dArrayDepth => CL_MEM_OBJECT_IMAGE2D_ARRAY,
            ImageType::Image3d => CL_MEM_OBJECT_IMAGE3D,
        }
    }

    /// Returns CL_IMAGE_FORMAT.
    pub fn host_format(&self) -> cl_image_format {
        host_format(self.format)
    }

    /// Returns CL_IMAGE_ELEMENT_SIZE, in bytes.
    pub fn element_size(&self) -> usize {
        self.format.texel_size()
    }

    /// Returns CL_IMAGE_ROW_PITCH, in bytes.
    pub fn row_pitch(&self) -> usize {
        self.said.row
    }

    /// Returns CL_IMAGE_SLICE_PITCH, in bytes; 0 for images without slices.
    pub fn slice_pitch(&self) -> usize {
        if self.has_slices() { self.said.slice } else { 0 }
    }

    /// Returns CL_IMAGE_WIDTH, in texels.
    pub fn width(&self) -> usize {
        self.descriptor.width as usize
    }

    /// Returns CL_IMAGE_HEIGHT, in texels; 0 for images without a height.
    pub fn height(&self) -> usize {
        if is_1d(self.ty) { 0 } else { self.descriptor.height as usize }
    }

    /// Returns CL_IMAGE_DEPTH, in texels; 0 for images without a depth.
    pub fn depth(&self) -> usize {
        if slices_of(self.ty) == Slices::Depth { self.descriptor.depth as usize } else { 0 }
    }

    /// Returns CL_IMAGE_ARRAY_SIZE, in layers; 0 for images that are not arrays.
    pub fn array_size(&self) -> usize {
        if slices_of(self.ty) == Slices::Layers { self.descriptor.depth as usize } else { 0 }
    }

    /// Checks whether the image has slices or layers, and therefore a slice pitch.
    pub fn has_slices(&self) -> bool {
        slices_of(self.ty) != Slices::None
    }

    /// Returns the size of a fill color in bytes.
    pub fn fill_color_size(&self) -> usize {
        if self.format.order() == Order::DEPTH { size_of::<f32>() } else { size_of::<[f32; 4]>() }
    }

    /// Returns the actual pitches of the memory, as a mapping reports them.
    pub(super) fn mapped_pitches(&self) -> (usize, usize) {
        let slice = if self.has_slices() { self.descriptor.slice_pitch as usize } else { 0 };
        (self.descriptor.row_pitch as usize, slice)
    }

    /// Returns the extent in the order of commands, in which the layers of a 1D array are second.
    fn extent(&self) -> [usize; 3] {
        let [width, height, depth] =
            [self.descriptor.width, self.descriptor.height, self.descriptor.depth].map(|n| n as usize);
        if self.ty == ImageType::Image1dArray { [width, depth, 1] } else { [width, height, depth] }
    }

    /// Locates a region whose origin and size are in texels. Returns the region in bytes and its layout.
    ///
    /// # Errors
    /// CL_INVALID_VALUE if the region is empty or out of bounds. A dimension that the image does not have has size
    /// 1.
    pub(super) fn place(&self, origin: [usize; 3], region: Extent) -> Result<(Extent, Layout)> {
        self.area(origin, region)?;
        let texel = self.element_size();
        let (row, slice) = (self.descriptor.row_pitch as usize, self.descriptor.slice_pitch as usize);
        let (row_pitch, slice_pitch) = match self.ty {
            ImageType::Image1dArray => (slice, slice * self.descriptor.depth as usize),
            _ => (row, slice),
        };
        let layout = Layout { origin: [origin[0] * texel, origin[1], origin[2]], row_pitch, slice_pitch };
        Ok(([region[0] * texel, region[1], region[2]], layout))
    }

    /// Returns the range of texels that a region covers.
    ///
    /// # Errors
    /// The errors are those of [`Image::place`].
    pub(super) fn area(&self, origin: [usize; 3], region: Extent) -> Result<Area> {
        let extent = self.extent();
        let mut area = [0..0, 0..0, 0..0];
        for (i, range) in area.iter_mut().enumerate() {
            let end = origin[i].checked_add(region[i]).filter(|&end| end <= extent[i]);
            *range = origin[i]..end.ok_or(Error::InvalidValue)?;
            if region[i] == 0 {
                return Err(Error::InvalidValue);
            }
        }
        Ok(area)
    }

    /// Returns the layout of the application's memory in a command on a region (in bytes); pitches of 0 get their
    /// defaults.
    ///
    /// # Errors
    /// CL_INVALID_VALUE if a pitch is too small, or if a slice pitch is given for an image without slices.
    pub(super) fn host_layout(&self, region: Extent, pitches: (usize, usize)) -> Result<Layout> {
        let (row_pitch, slice_pitch) = pitches;
        if !self.has_slices() && slice_pitch != 0 {
            return Err(Error::InvalidValue);
        }
        if self.ty != ImageType::Image1dArray {
            return Layout::of_texels(region, row_pitch, slice_pitch);
        }
        let [width, layers, _] = region;
        let layout = Layout::of_texels([width, 1, layers], row_pitch, slice_pitch)?;
        let whole = layout.slice_pitch.saturating_mul(layers);
        Ok(Layout { row_pitch: layout.slice_pitch, slice_pitch: whole, ..layout })
    }
}

/// Returns the size of an image in texels: width, height, and slices or layers; 1 for a dimension that it does not
/// have.
fn size_of_desc(context: &Context, ty: ImageType, desc: &cl_image_desc) -> Result<[usize; 3]> {
    let (width, height) = (desc.image_width, desc.image_height);
    let (layers, depth) = (desc.image_array_size, desc.image_depth);
    let (size, most) = match ty {
        ImageType::Image1d => ([width, 1, 1], [IMAGE2D_MAX_SIZE, 1, 1]),
        ImageType::Image1dBuffer => ([width, 1, 1], [context.max_image_buffer_size(), 1, 1]),
        ImageType::Image1dArray => ([width, 1, layers], [IMAGE2D_MAX_SIZE, 1, IMAGE_MAX_ARRAY_SIZE]),
        ImageType::Image2d | ImageType::Image2dDepth => {
            ([width, height, 1], [IMAGE2D_MAX_SIZE, IMAGE2D_MAX_SIZE, 1])
        }
        ImageType::Image2dArray | ImageType::Image2dArrayDepth => {
            ([width, height, layers], [IMAGE2D_MAX_SIZE, IMAGE2D_MAX_SIZE, IMAGE_MAX_ARRAY_SIZE])
        }
        ImageType::Image3d => ([width, height, depth], [IMAGE3D_MAX_SIZE; 3]),
    };
    let is_valid = size.iter().zip(most).all(|(&size, most)| (1..=most).contains(&size));
    if is_valid { Ok(size) } else { Err(Error::InvalidImageSize) }
}

impl Mem {
    /// Implements clCreateImage and clCreateImageWithProperties. `None` stands for a NULL pointer.
    ///
    /// # Errors
    /// The errors are those of API s5.3.1.
    pub fn create_image(
        context: &Arc<Object<Context>>,
        flags: cl_mem_flags,
        format: Option<cl_image_format>,
        desc: Option<cl_image_desc>,
        host_ptr: HostPtr,
        properties: Vec<cl_mem_properties>,
    ) -> Result<Arc<Object<Self>>> {
        check_flags(flags)?;
        let numbers = format.ok_or(Error::InvalidImageFormatDescriptor)?;
        let format = Format::from_numbers(numbers.image_channel_order, numbers.image_channel_data_type)
            .ok_or(Error::InvalidImageFormatDescriptor)?;
        let desc = desc.ok_or(Error::InvalidImageDescriptor)?;
        let ty = type_of_number(desc.image_type).ok_or(Error::InvalidImageDescriptor)?;
        if desc.num_mip_levels != 0 || desc.num_samples != 0 {
            return Err(Error::InvalidImageDescriptor);
        }
        let source = source(context, ty, &desc)?;
        let size = size_of_desc(context, ty, &desc)?;
        let ty = type_with_format(ty, format).ok_or(Error::ImageFormatNotSupported)?;
        let mem = match source {
            None => own_image(context, flags, (ty, format), size, &desc, host_ptr)?,
            Some(source) => {
                let flags = source.inherited_flags(flags)?;
                if !host_ptr.is_null() {
                    return Err(Error::InvalidHostPtr);
                }
                let pitches = match &source.image {
                    Some(image) => pitches_in_image(image, format, size, &desc)?,
                    None => pitches_in_buffer(&source, ty, format, size, &desc)?,
                };
                let image = Image::new(ty, format, size, source.base, pitches);
                Mem { image: Some(image), ..source.view(flags, 0, pitches.bytes(size)?) }
            }
        };
        Ok(Object::new(Mem { properties, ..mem }))
    }

    /// Implements clCreateImage2D and, with a depth, clCreateImage3D.
    ///
    /// # Errors
    /// The errors are those of API s5.3.1, except that wrong pitches are CL_INVALID_IMAGE_SIZE.
    pub fn create_image_of_size(
        context: &Arc<Object<Context>>,
        flags: cl_mem_flags,
        format: Option<cl_image_format>,
        (width, height, depth): (usize, usize, Option<usize>),
        (row_pitch, slice_pitch): (usize, usize),
        host_ptr: HostPtr,
    ) -> Result<Arc<Object<Self>>> {
        let desc = cl_image_desc {
            image_type: if depth.is_some() { CL_MEM_OBJECT_IMAGE3D } else { CL_MEM_OBJECT_IMAGE2D },
            image_width: width,
            image_height: height,
            // A depth of 1 is valid in clCreateImage, but not in clCreateImage3D.
            image_depth: depth.filter(|&depth| depth != 1).unwrap_or(0),
            image_array_size: 0,
            image_row_pitch: row_pitch,
            image_slice_pitch: slice_pitch,
            num_mip_levels: 0,
            num_samples: 0,
            mem_object: std::ptr::null_mut(),
        };
        let made = Self::create_image(context, flags, format, Some(desc), host_ptr, Vec::new());
        made.map_err(|error| match error {
            Error::InvalidImageDescriptor => Error::InvalidImageSize,
            other => other,
        })
    }
}

/// Returns the object whose memory the image shows.
fn source(
    context: &Arc<Object<Context>>,
    ty: ImageType,
    desc: &cl_image_desc,
) -> Result<Option<Arc<Object<Mem>>>> {
    if desc.mem_object.is_null() {
        // A 1D image from a buffer is the only type that requires an object.
        return if ty == ImageType::Image1dBuffer { Err(Error::InvalidImageDescriptor) } else { Ok(None) };
    }
    let source = Object::<Mem>::find(desc.mem_object).map_err(|_| Error::InvalidImageDescriptor)?;
    let fits = match ty {
        ImageType::Image1dBuffer => source.is_buffer(),
        ImageType::Image2d => matches!(source.object_type(), CL_MEM_OBJECT_BUFFER | CL_MEM_OBJECT_IMAGE2D),
        _ => false,
    };
    if !fits || !Arc::ptr_eq(source.context(), context) {
        return Err(Error::InvalidImageDescriptor);
    }
    Ok(Some(source))
}

/// Creates an image that is not a view of another object.
fn own_image(
    context: &Arc<Object<Context>>,
    flags: cl_mem_flags,
    (ty, format): (ImageType, Format),
    size: [usize; 3],
    desc: &cl_image_desc,
    host_ptr: HostPtr,
) -> Result<Mem> {
    check_host_ptr(flags, host_ptr)?;
    // Pitches describe the application's memory and are invalid without it.
    if host_ptr.is_null() && (desc.image_row_pitch != 0 || desc.image_slice_pitch != 0) {
        return Err(Error::InvalidImageDescriptor);
    }
    let said = Pitches::of_host(ty, format, size, desc)?;
    let said_bytes = said.bytes(size)?;
    if flags & CL_MEM_USE_HOST_PTR != 0 {
        let mem = Mem::new(context, flags, said_bytes, Storage::borrowed(host_ptr));
        return Ok(Mem { image: Some(Image::new(ty, format, size, host_ptr, said)), ..mem });
    }
    let pitches = Pitches::tight(format, size)?;
    let bytes = pitches.bytes(size)?;
    if bytes as u64 > context.max_alloc_size() {
        return Err(Error::MemObjectAllocationFailure);
    }
    let storage = Storage::allocate(bytes, context.node())?;
    if flags & CL_MEM_COPY_HOST_PTR != 0 {
        let region = [pitches.row, size[1], size[2]];
        let (from, to) = ((host_ptr, said.layout()), (storage.base(), pitches.layout()));
        // SAFETY: the application guarantees that `host_ptr` has the size that follows from its pitches. The
        // storage is fresh and has room for all texels.
        unsafe { rect::copy(&ParallelCopier::default(), region, from, to) };
    }
    let image = Image::new(ty, format, size, storage.base(), pitches);
    let mem = Mem::new(context, flags, bytes, storage);
    Ok(Mem { image: Some(Image { said, ..image }), ..mem })
}

/// Returns the pitches of an image in a buffer. Fails if the image does not fit.
fn pitches_in_buffer(
    buffer: &Mem,
    ty: ImageType,
    format: Format,
    size: [usize; 3],
    desc: &cl_image_desc,
) -> Result<Pitches> {
    let tight = Pitches::tight(format, size)?;
    if desc.image_slice_pitch != 0 {
        return Err(Error::InvalidImageDescriptor);
    }
    let row = if desc.image_row_pitch == 0 { tight.row } else { desc.image_row_pitch };
    let is_plane = ty != ImageType::Image1dBuffer;
    // Texels of three channels have no power-of-two size; the alignment applies to the channel.
    let texel = 1usize << format.texel_size().trailing_zeros();
    let alignment = IMAGE_BASE_ADDRESS_ALIGNMENT as usize * texel;
    let misplaced = buffer.storage.is_borrowed() && !buffer.base.address().is_multiple_of(alignment);
    if is_plane && (misplaced || !row.is_multiple_of(IMAGE_PITCH_ALIGNMENT as usize * format.texel_size())) {
        return Err(Error::InvalidImageFormatDescriptor);
    }
    if row < tight.row || !row.is_multiple_of(format.texel_size()) {
        return Err(Error::InvalidImageDescriptor);
    }
    let slice = row.checked_mul(size[1]).ok_or(Error::InvalidImageSize)?;
    if slice > buffer.size {
        return Err(Error::InvalidImageSize);
    }
    Ok(Pitches { row, slice })
}

/// Returns the pitches of a view of a 2D image. Fails unless the view is that image with another channel order.
fn pitches_in_image(
    image: &Image,
    format: Format,
    size: [usize; 3],
    desc: &cl_image_desc,
) -> Result<Pitches> {
    let same = |said: usize, is: usize| said == 0 || said == is;
    let matches = size == image.extent()
        && same(desc.image_row_pitch, image.row_pitch())
        && same(desc.image_slice_pitch, image.slice_pitch())
        && format.channel_type() == image.format.channel_type()
        && orders_are_compatible(format.order(), image.format.order());
    if !matches {
        return Err(Error::InvalidImageFormatDescriptor);
    }
    let (row, _) = image.mapped_pitches();
    Ok(Pitches { row, slice: row * size[1] })
}

/// Checks whether a view may have the channel order `view` if the image itself has `order`.
fn orders_are_compatible(view: Order, order: Order) -> bool {
    use Order as O;
    matches!(
        (view, order),
        (O::sBGRA, O::BGRA)
            | (O::BGRA, O::sBGRA)
            | (O::sRGBA, O::RGBA)
            | (O::RGBA, O::sRGBA)
            | (O::sRGB, O::RGB)
            | (O::RGB, O::sRGB)
            | (O::sRGBx, O::RGBx)
            | (O::RGBx, O::sRGBx)
            | (O::DEPTH, O::R)
    )
}
