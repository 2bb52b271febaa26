//! Shared virtual memory (API s5.6). The device works in the address space of the process, so every host pointer is
//! valid on the device: all four kinds of SVM are supported, and a command on shared memory is a command on
//! ordinary memory.
//!
//! A context keeps a map of its allocations by address. The map is needed where the API distinguishes SVM
//! allocations: to free one, and to check whether a buffer lies inside one. Allocations that the application has
//! not freed are freed with the context.

use std::collections::BTreeMap;
use std::ffi::c_void;
use std::ops::Range;
use std::sync::Arc;

use super::context::Context;
use super::device::MEM_ALIGN;
use super::error::{Error, Result};
use super::event::Events;
use super::memory::{HostPtr, MapAccess, Pattern, Storage, is_pattern_length};
use super::object::Object;
use super::queue::{Enqueued, Queue};
use crate::cl::*;
use grus_support::sync::Mutex;

/// Value of CL_DEVICE_SVM_CAPABILITIES.
pub const CAPABILITIES: cl_device_svm_capabilities = CL_DEVICE_SVM_COARSE_GRAIN_BUFFER
    | CL_DEVICE_SVM_FINE_GRAIN_BUFFER
    | CL_DEVICE_SVM_FINE_GRAIN_SYSTEM
    | CL_DEVICE_SVM_ATOMICS;

/// Function of the application that frees pointers, called with the handle of the queue.
pub type FreeFunction = Box<dyn FnOnce(*mut c_void, &[HostPtr]) + Send>;

/// Allocations of a context, by the address of their first byte. They do not overlap, so an address lies in the
/// last allocation that begins at or before it, if in any.
#[derive(Default)]
pub(super) struct Allocations(Mutex<BTreeMap<usize, Storage>>);

impl Allocations {
    /// Allocates memory, which the map owns until it is freed.
    fn allocate(&self, size: usize) -> Result<HostPtr> {
        let storage = Storage::allocate(size)?;
        let base = storage.base();
        self.0.lock().insert(base.address(), storage);
        Ok(base)
    }

    /// Frees the allocation that begins at `pointer`, if there is one.
    fn free(&self, pointer: HostPtr) {
        let storage = self.0.lock().remove(&pointer.address());
        // Returning pages takes time, so the lock is released before.
        drop(storage);
    }

    /// Returns a range that contains the addresses of all allocations; none if there are no allocations.
    pub fn bounds(&self) -> Option<Range<usize>> {
        let allocations = self.0.lock();
        let (&start, _) = allocations.first_key_value()?;
        let (&last, storage) = allocations.last_key_value()?;
        Some(start..last + storage.size())
    }

    /// Returns the addresses of the allocation that contains `address`.
    pub fn around(&self, address: usize) -> Option<Range<usize>> {
        let allocations = self.0.lock();
        let (&start, storage) = allocations.range(..=address).next_back()?;
        let range = start..start + storage.size();
        range.contains(&address).then_some(range)
    }
}

/// Checks whether these flags of an allocation are valid together.
fn check_flags(flags: cl_svm_mem_flags) -> bool {
    const ACCESS: cl_svm_mem_flags = CL_MEM_READ_WRITE | CL_MEM_WRITE_ONLY | CL_MEM_READ_ONLY;
    const GRAIN: cl_svm_mem_flags = CL_MEM_SVM_FINE_GRAIN_BUFFER | CL_MEM_SVM_ATOMICS;
    let one_access = (flags & ACCESS).count_ones() <= 1;
    flags & !(ACCESS | GRAIN) == 0 && one_access && flags & GRAIN != CL_MEM_SVM_ATOMICS
}

impl Context {
    /// Implements clSVMAlloc, which has no error codes; the codes here only name the cause.
    pub fn svm_alloc(&self, flags: cl_svm_mem_flags, size: usize, alignment: cl_uint) -> Result<HostPtr> {
        // 0 stands for the size of the largest type, to which all allocations are aligned.
        let aligned = alignment == 0 || alignment.is_power_of_two() && alignment as usize <= MEM_ALIGN;
        if !check_flags(flags) || !aligned {
            return Err(Error::InvalidValue);
        }
        // `size` is 0 or above CL_DEVICE_MAX_MEM_ALLOC_SIZE of any device.
        if size == 0 || self.devices().iter().any(|device| size as u64 > device.max_alloc_size()) {
            return Err(Error::InvalidBufferSize);
        }
        self.svm().allocate(size)
    }

    /// Implements clSVMFree. Pointers that are not allocations of this context are ignored.
    pub fn svm_free(&self, pointer: HostPtr) {
        self.svm().free(pointer);
    }
}

/// Checks that a pointer is not null.
fn check_pointer(pointer: HostPtr) -> Result<()> {
    if pointer.is_null() { Err(Error::InvalidValue) } else { Ok(()) }
}

impl Object<Queue> {
    /// Implements clEnqueueSVMFree, with the application's function or the runtime's.
    pub fn svm_free(
        self: &Arc<Self>,
        pointers: Vec<HostPtr>,
        function: Option<FreeFunction>,
        events: &Events,
    ) -> Enqueued {
        let queue = Arc::clone(self);
        let work = move || {
            match function {
                Some(function) => function(queue.handle(), &pointers),
                None => pointers.iter().for_each(|&pointer| queue.context().svm_free(pointer)),
            }
            Ok(())
        };
        self.start(CL_COMMAND_SVM_FREE, false, events, work)
    }

    /// Implements clEnqueueSVMMemcpy.
    pub fn svm_copy(
        self: &Arc<Self>,
        blocking: bool,
        target: HostPtr,
        source: HostPtr,
        size: usize,
        events: &Events,
    ) -> Enqueued {
        check_pointer(target)?;
        check_pointer(source)?;
        if source.address().abs_diff(target.address()) < size {
            return Err(Error::MemCopyOverlap);
        }
        let copier = self.copier();
        let work = move || {
            // SAFETY: the application guarantees that both pointers have `size` bytes.
            unsafe { copier.copy(source, target, size) };
            Ok(())
        };
        self.start(CL_COMMAND_SVM_MEMCPY, blocking, events, work)
    }

    /// Implements clEnqueueSVMMemFill.
    pub fn svm_fill(
        self: &Arc<Self>,
        target: HostPtr,
        pattern: &[u8],
        size: usize,
        events: &Events,
    ) -> Enqueued {
        check_pointer(target)?;
        let length = pattern.len();
        if !is_pattern_length(length)
            || !target.address().is_multiple_of(length)
            || !size.is_multiple_of(length)
        {
            return Err(Error::InvalidValue);
        }
        let pattern = Pattern::new(pattern);
        let copier = self.copier();
        let work = move || {
            // SAFETY: the application guarantees that the pointer has `size` bytes, which is a multiple of the
            // pattern's length, as checked above.
            unsafe { copier.fill(target, pattern, size) };
            Ok(())
        };
        self.start(CL_COMMAND_SVM_MEMFILL, false, events, work)
    }

    /// Implements clEnqueueSVMMap. The host always sees the memory, so the command only has an effect on ordering.
    pub fn svm_map(
        self: &Arc<Self>,
        blocking: bool,
        _access: MapAccess,
        (pointer, size): (HostPtr, usize),
        events: &Events,
    ) -> Enqueued {
        check_pointer(pointer)?;
        if size == 0 {
            return Err(Error::InvalidValue);
        }
        self.start(CL_COMMAND_SVM_MAP, blocking, events, || Ok(()))
    }

    /// Implements clEnqueueSVMUnmap, which only has an effect on ordering.
    pub fn svm_unmap(self: &Arc<Self>, pointer: HostPtr, events: &Events) -> Enqueued {
        check_pointer(pointer)?;
        self.start(CL_COMMAND_SVM_UNMAP, false, events, || Ok(()))
    }

    /// Implements clEnqueueSVMMigrateMem. There is only one memory. A range of size 0 stands for the allocation
    /// around it.
    pub fn svm_migrate(
        self: &Arc<Self>,
        ranges: impl Iterator<Item = (HostPtr, usize)>,
        events: &Events,
    ) -> Enqueued {
        for (pointer, size) in ranges.filter(|(_, size)| *size != 0) {
            let allocation = self.context().svm().around(pointer.address());
            let end = pointer.address().checked_add(size);
            // The range is not contained in an allocation.
            if allocation.zip(end).is_none_or(|(allocation, end)| end > allocation.end) {
                return Err(Error::InvalidValue);
            }
        }
        self.start(CL_COMMAND_SVM_MIGRATE_MEM, false, events, || Ok(()))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn any_address_inside_finds_its_allocation() {
        let allocations = Allocations::default();
        let bases: Vec<HostPtr> =
            [1, 128, 5000].iter().map(|&size| allocations.allocate(size).unwrap()).collect();
        for (base, size) in bases.iter().zip([1, 128, 5000]) {
            let (start, end) = (base.address(), base.address() + size);
            assert_eq!(start % MEM_ALIGN, 0);
            for inside in [start, start + size / 2, end - 1] {
                assert_eq!(allocations.around(inside), Some(start..end));
            }
            assert_ne!(allocations.around(end), Some(start..end));
            assert_ne!(allocations.around(start - 1), Some(start..end));
        }
        let bounds = allocations.bounds().unwrap();
        assert!(bases.iter().all(|base| bounds.contains(&base.address())));
        // Only the address of the first byte frees an allocation.
        allocations.free(bases[2].at(1));
        assert!(allocations.around(bases[2].address()).is_some());
        allocations.free(bases[2]);
        assert!(allocations.around(bases[2].address()).is_none());
    }

    #[test]
    fn flags_exclude_each_other() {
        for good in [
            0,
            CL_MEM_READ_WRITE,
            CL_MEM_READ_ONLY | CL_MEM_SVM_FINE_GRAIN_BUFFER,
            CL_MEM_WRITE_ONLY | CL_MEM_SVM_FINE_GRAIN_BUFFER | CL_MEM_SVM_ATOMICS,
        ] {
            assert!(check_flags(good), "{good:#x}");
        }
        for bad in [
            CL_MEM_SVM_ATOMICS,
            CL_MEM_READ_ONLY | CL_MEM_WRITE_ONLY,
            CL_MEM_READ_WRITE | CL_MEM_WRITE_ONLY,
            CL_MEM_USE_HOST_PTR,
            1 << 40,
        ] {
            assert!(!check_flags(bad), "{bad:#x}");
        }
    }
}
