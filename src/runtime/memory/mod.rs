//! Memory objects. All of them are in host memory, so mapping is free and CL_MEM_USE_HOST_PTR memory is used in
//! place.

mod copier;
mod fill;
mod image;
mod image_transfer;
mod pages;
mod pipe;
mod rect;
mod storage;
mod transfer;

use std::ffi::c_void;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU32, Ordering};

use super::context::{Context, Destructor};
use super::device::MEM_ALIGN;
use super::error::{Error, Result};
use super::object::{Object, ObjectBody, ParentRef};
use crate::cl::*;
use grus_support::sync::Mutex;

pub(in crate::runtime) use copier::{ParallelCopier, Pattern};
pub(in crate::runtime) use storage::Storage;
pub(in crate::runtime) use transfer::is_pattern_length;

pub use image::{Image, supported_formats};
pub use image_transfer::MappedImage;
pub(in crate::runtime) use pipe::packets;
pub use pipe::{MAX_PIPE_ARGS, PIPE_MAX_ACTIVE_RESERVATIONS, PIPE_MAX_PACKET_SIZE, Pipe};
pub use rect::{Extent, Layout};
pub use storage::HostPtr;
pub use transfer::MapAccess;

/// Body of a cl_mem.
pub struct Mem {
    context: ParentRef<Context>,
    flags: cl_mem_flags,
    size: usize,
    /// Property list that the object was created with, including the final 0; empty if there was none.
    properties: Vec<cl_mem_properties>,
    /// True if the application's pointer lies in shared virtual memory.
    uses_svm: bool,
    /// True if the application may ask for the address (cl_ext_buffer_device_address).
    has_known_address: AtomicBool,
    /// Object that this one is a part or a view of.
    parent: Option<ParentRef<Mem>>,
    /// Address of the first byte.
    base: HostPtr,
    image: Option<Image>,
    pipe: Option<Pipe>,
    storage: Arc<Storage>,
    /// Mapped regions whose unmap has not been enqueued.
    maps: Mutex<Vec<MappedRegion>>,
    map_count: AtomicU32,
    destructors: Mutex<Vec<Destructor>>,
}

/// Region of a mapping in each dimension: bytes of a buffer, or texels of an image.
type Area = [std::ops::Range<usize>; 3];

/// Mapped region.
struct MappedRegion {
    /// Pointer that was returned to the application.
    pointer: HostPtr,
    area: Area,
    writes: bool,
}

impl ObjectBody for Mem {
    const INVALID: Error = Error::InvalidMemObject;

    fn destroyed(&mut self, handle: *mut c_void) {
        while let Some(destructor) = self.destructors.get_mut().pop() {
            destructor(handle);
        }
        if self.has_known_address() {
            self.context.addressed().remove(self.base.address());
        }
    }
}

const DEVICE_ACCESS: cl_mem_flags = CL_MEM_READ_WRITE | CL_MEM_READ_ONLY | CL_MEM_WRITE_ONLY;
const HOST_ACCESS: cl_mem_flags = CL_MEM_HOST_READ_ONLY | CL_MEM_HOST_WRITE_ONLY | CL_MEM_HOST_NO_ACCESS;
const HOST_PTR: cl_mem_flags = CL_MEM_USE_HOST_PTR | CL_MEM_ALLOC_HOST_PTR | CL_MEM_COPY_HOST_PTR;

/// Checks that `host_ptr` is null exactly if no flag uses it.
fn check_host_ptr(flags: cl_mem_flags, host_ptr: HostPtr) -> Result<()> {
    let uses_host_ptr = flags & (CL_MEM_USE_HOST_PTR | CL_MEM_COPY_HOST_PTR) != 0;
    if uses_host_ptr == host_ptr.is_null() { Err(Error::InvalidHostPtr) } else { Ok(()) }
}

/// Checks whether at most one of these flags is set.
fn at_most_one(flags: cl_mem_flags) -> bool {
    flags & flags.wrapping_sub(1) == 0
}

/// Checks the rules about flags that hold for every memory object.
fn check_flags(flags: cl_mem_flags) -> Result<()> {
    let exclusive = flags & CL_MEM_USE_HOST_PTR != 0 && flags & HOST_PTR != CL_MEM_USE_HOST_PTR;
    let unknown = flags & !(DEVICE_ACCESS | HOST_ACCESS | HOST_PTR) != 0;
    if unknown || exclusive || !at_most_one(flags & DEVICE_ACCESS) || !at_most_one(flags & HOST_ACCESS) {
        return Err(Error::InvalidValue);
    }
    Ok(())
}

impl Mem {
    /// Creates a buffer of `size` bytes.
    pub fn create_buffer(
        context: &Arc<Object<Context>>,
        flags: cl_mem_flags,
        size: usize,
        host_ptr: HostPtr,
        properties: Vec<cl_mem_properties>,
    ) -> Result<Arc<Object<Self>>> {
        check_flags(flags)?;
        // `size` is 0 or above CL_DEVICE_MAX_MEM_ALLOC_SIZE of every device.
        if size == 0 || size as u64 > context.max_alloc_size() {
            return Err(Error::InvalidBufferSize);
        }
        check_host_ptr(flags, host_ptr)?;
        let shared = context.allocations().svm_around(host_ptr.address());
        // The buffer exceeds a shared allocation. The sum does not overflow, because `size` is at most the size of
        // the memory.
        if shared.as_ref().is_some_and(|shared| host_ptr.address() + size > shared.end) {
            return Err(Error::InvalidBufferSize);
        }
        let storage = if flags & CL_MEM_USE_HOST_PTR != 0 {
            Storage::borrowed(host_ptr)
        } else {
            let storage = Storage::allocate(size, context.node())?;
            if flags & CL_MEM_COPY_HOST_PTR != 0 {
                // SAFETY: the application guarantees that `host_ptr` has `size` bytes. The storage is fresh and has
                // as many.
                unsafe { ParallelCopier::default().copy(host_ptr, storage.base(), size) };
            }
            storage
        };
        let uses_svm = storage.is_borrowed() && shared.is_some();
        let mem = Self::new(context, flags, size, storage);
        Ok(Object::new(Self { properties, uses_svm, ..mem }))
    }

    /// Returns an object with its own memory.
    fn new(context: &Arc<Object<Context>>, flags: cl_mem_flags, size: usize, storage: Storage) -> Self {
        let flags = if flags & DEVICE_ACCESS == 0 { flags | CL_MEM_READ_WRITE } else { flags };
        Self::of_storage(ParentRef::new(context), flags, size, Arc::new(storage))
    }

    fn of_storage(
        context: ParentRef<Context>,
        flags: cl_mem_flags,
        size: usize,
        storage: Arc<Storage>,
    ) -> Self {
        Self {
            context,
            flags,
            size,
            properties: Vec::new(),
            uses_svm: false,
            has_known_address: AtomicBool::new(false),
            parent: None,
            base: storage.base(),
            image: None,
            pipe: None,
            storage,
            maps: Mutex::default(),
            map_count: AtomicU32::new(0),
            destructors: Mutex::default(),
        }
    }

    /// Returns the context.
    pub fn context(&self) -> &Arc<Object<Context>> {
        self.context.object()
    }

    /// Returns CL_MEM_FLAGS.
    pub fn flags(&self) -> cl_mem_flags {
        self.flags
    }

    /// Returns CL_MEM_SIZE.
    pub fn size(&self) -> usize {
        self.size
    }

    /// Returns CL_MEM_PROPERTIES.
    pub fn properties(&self) -> &[cl_mem_properties] {
        &self.properties
    }

    /// Returns CL_MEM_USES_SVM_POINTER.
    pub fn uses_svm(&self) -> bool {
        let source = self.parent().map_or(self, |parent| parent);
        source.uses_svm && !self.is_image()
    }

    /// Checks whether the application may ask for the address.
    pub(super) fn has_known_address(&self) -> bool {
        self.has_known_address.load(Ordering::Relaxed)
    }

    /// Notes that the application may ask for the address.
    pub(super) fn note_address(&self) {
        self.has_known_address.store(true, Ordering::Relaxed);
    }

    /// Returns CL_MEM_TYPE.
    pub fn object_type(&self) -> cl_mem_object_type {
        match (&self.image, &self.pipe) {
            (Some(image), _) => image.object_type(),
            (None, Some(_)) => CL_MEM_OBJECT_PIPE,
            (None, None) => CL_MEM_OBJECT_BUFFER,
        }
    }

    /// Checks whether the object is an image.
    pub fn is_image(&self) -> bool {
        self.image.is_some()
    }

    /// Checks whether the object is a buffer.
    pub fn is_buffer(&self) -> bool {
        self.image.is_none() && self.pipe.is_none()
    }

    /// Returns the image properties.
    ///
    /// # Errors
    /// CL_INVALID_MEM_OBJECT if the object is not an image.
    pub fn image(&self) -> Result<&Image> {
        self.image.as_ref().ok_or(Error::InvalidMemObject)
    }

    /// Checks that the object is a buffer.
    pub(in crate::runtime) fn check_buffer(&self) -> Result<()> {
        if self.is_buffer() { Ok(()) } else { Err(Error::InvalidMemObject) }
    }

    /// Returns CL_MEM_ASSOCIATED_MEMOBJECT.
    pub fn parent(&self) -> Option<&Arc<Object<Mem>>> {
        self.parent.as_ref().map(ParentRef::object)
    }

    /// Returns CL_MEM_OFFSET: the offset of a sub-buffer in its parent, otherwise 0.
    pub fn offset(&self) -> usize {
        let parent = self.parent().filter(|_| !self.is_image());
        parent.map_or(0, |parent| self.base.address() - parent.base.address())
    }

    /// Returns CL_MEM_HOST_PTR: the application's pointer if it is used in place, otherwise null.
    pub fn host_ptr(&self) -> HostPtr {
        if self.storage.is_borrowed() { self.base() } else { HostPtr::NULL }
    }

    /// Returns CL_MEM_MAP_COUNT.
    pub fn map_count(&self) -> u32 {
        self.map_count.load(Ordering::Relaxed)
    }

    /// Returns the address of the first byte.
    pub fn base(&self) -> HostPtr {
        self.base
    }

    /// Checks whether the host may read the object, by a read or a map for reading.
    pub fn host_may_read(&self) -> bool {
        self.flags & (CL_MEM_HOST_WRITE_ONLY | CL_MEM_HOST_NO_ACCESS) == 0
    }

    /// Checks whether the host may write the object, by a write or a map for writing.
    pub fn host_may_write(&self) -> bool {
        self.flags & (CL_MEM_HOST_READ_ONLY | CL_MEM_HOST_NO_ACCESS) == 0
    }

    /// Checks that `[offset, offset + size)` is inside this object.
    pub fn check_range(&self, offset: usize, size: usize) -> Result<()> {
        match offset.checked_add(size) {
            Some(end) if end <= self.size => Ok(()),
            _ => Err(Error::InvalidValue),
        }
    }

    /// Checks whether this object and `other` are parts of one allocation.
    pub fn shares_storage(&self, other: &Mem) -> bool {
        Arc::ptr_eq(&self.storage, &other.storage)
    }

    /// Registers a function to call when the object is destroyed. Functions are called in reverse order of
    /// registration.
    pub fn on_destruction(&self, destructor: Destructor) {
        self.destructors.lock().push(destructor);
    }

    /// Records a mapping that begins at `offset`, and returns the pointer for the application. Fails if both this
    /// mapping and an overlapping one are for writing.
    fn map(&self, offset: usize, area: Area, writes: bool) -> Result<HostPtr> {
        let pointer = self.base.at(offset);
        let mut maps = self.maps.lock();
        let meets = |other: &MappedRegion| {
            other.area.iter().zip(&area).all(|(a, b)| a.start < b.end && b.start < a.end)
        };
        if writes && maps.iter().any(|other| other.writes && meets(other)) {
            return Err(Error::InvalidOperation);
        }
        maps.push(MappedRegion { pointer, area, writes });
        self.map_count.fetch_add(1, Ordering::Relaxed);
        Ok(pointer)
    }

    /// Removes a mapping when its unmap is enqueued. Fails if nothing is mapped at `pointer`. If several mappings
    /// have this pointer, one for writing is removed first, because it prevents other mappings.
    fn unmap(&self, pointer: HostPtr) -> Result<MappedRegion> {
        let mut maps = self.maps.lock();
        let mine = maps.iter().enumerate().filter(|(_, mapping)| mapping.pointer == pointer);
        let found = mine.max_by_key(|(_, mapping)| mapping.writes).map(|(place, _)| place);
        Ok(maps.swap_remove(found.ok_or(Error::InvalidValue)?))
    }

    /// Restores a mapping that `unmap` has removed, because the unmap command did not run.
    fn remap(&self, mapping: MappedRegion) {
        self.maps.lock().push(mapping);
    }

    /// Decrements the map count after the unmap command has run.
    fn unmapped(&self) {
        self.map_count.fetch_sub(1, Ordering::Relaxed);
    }
}

impl Object<Mem> {
    /// Creates a sub-buffer of this buffer.
    pub fn create_sub_buffer(
        self: &Arc<Self>,
        flags: cl_mem_flags,
        region: cl_buffer_region,
    ) -> Result<Arc<Object<Mem>>> {
        // The object is a sub-buffer itself, or not a buffer.
        if self.parent.is_some() || !self.is_buffer() {
            return Err(Error::InvalidMemObject);
        }
        let flags = self.inherited_flags(flags)?;
        if region.size == 0 {
            return Err(Error::InvalidBufferSize);
        }
        self.check_range(region.origin, region.size)?;
        if !region.origin.is_multiple_of(MEM_ALIGN) {
            return Err(Error::MisalignedSubBufferOffset);
        }
        Ok(Object::new(self.view(flags, region.origin, region.size)))
    }

    /// Returns an object that shares the memory of this one from `offset` on.
    fn view(self: &Arc<Self>, flags: cl_mem_flags, offset: usize, size: usize) -> Mem {
        let mem = Mem::of_storage(self.context.clone(), flags, size, Arc::clone(&self.storage));
        Mem { parent: Some(ParentRef::new(self)), base: self.base.at(offset), ..mem }
    }

    /// Returns the flags of a sub-buffer, or of an image that shows this object. Unspecified access flags are
    /// inherited, and a child cannot allow more than its parent.
    fn inherited_flags(&self, flags: cl_mem_flags) -> Result<cl_mem_flags> {
        // Only the parent determines the origin of the memory.
        if flags & HOST_PTR != 0 {
            return Err(Error::InvalidValue);
        }
        check_flags(flags)?;
        let parent = self.flags;
        let widens = parent & CL_MEM_WRITE_ONLY != 0 && flags & (CL_MEM_READ_WRITE | CL_MEM_READ_ONLY) != 0
            || parent & CL_MEM_READ_ONLY != 0 && flags & (CL_MEM_READ_WRITE | CL_MEM_WRITE_ONLY) != 0
            || parent & CL_MEM_HOST_WRITE_ONLY != 0 && flags & CL_MEM_HOST_READ_ONLY != 0
            || parent & CL_MEM_HOST_READ_ONLY != 0 && flags & CL_MEM_HOST_WRITE_ONLY != 0
            || parent & CL_MEM_HOST_NO_ACCESS != 0
                && flags & (CL_MEM_HOST_READ_ONLY | CL_MEM_HOST_WRITE_ONLY) != 0;
        if widens {
            return Err(Error::InvalidValue);
        }
        let mut inherited = flags | parent & HOST_PTR;
        if flags & DEVICE_ACCESS == 0 {
            inherited |= parent & DEVICE_ACCESS;
        }
        if flags & HOST_ACCESS == 0 {
            inherited |= parent & HOST_ACCESS;
        }
        Ok(inherited)
    }
}
