//! Memory that a context allocates without a memory object: shared virtual memory (`svm`) and unified shared memory
//! (`usm`). Both are ordinary memory of the process.
//!
//! The map by address is needed where the API distinguishes allocations from other memory: to free one, to answer
//! queries about a pointer, and to check whether a buffer lies inside one. Allocations that the application has not
//! freed are freed with the context.
//!
//! This module also has the commands that both have in common, which are commands on pointers.

use std::collections::BTreeMap;
use std::ops::Range;
use std::sync::Arc;

use super::context::Context;
use super::error::{Error, Result};
use super::event::Events;
use super::memory::{HostPtr, Pattern, Storage, is_pattern_length};
use super::object::Object;
use super::queue::{Enqueued, Queue};
use super::usm::UsmProperties;
use crate::cl::*;
use grus_support::sync::Mutex;

/// Kind of an allocation.
pub(super) enum AllocationKind {
    Svm,
    Usm(UsmProperties),
}

impl AllocationKind {
    fn is_svm(&self) -> bool {
        matches!(self, Self::Svm)
    }
}

struct Allocation {
    storage: Storage,
    kind: AllocationKind,
}

impl Allocation {
    fn range(&self) -> Range<usize> {
        let start = self.storage.base().address();
        start..start + self.storage.size()
    }
}

/// Allocations of a context, by the address of their first byte. They do not overlap, so an address lies in the
/// last allocation that begins at or before it, if in any.
#[derive(Default)]
pub(super) struct Allocations(Mutex<BTreeMap<usize, Allocation>>);

impl Allocations {
    /// Allocates memory, which the map owns until it is freed, in a NUMA node if there is one to prefer. The alignment
    /// is a power of two, and counts if it is above that of all allocations.
    pub fn allocate(
        &self,
        size: usize,
        align: usize,
        node: Option<usize>,
        kind: AllocationKind,
    ) -> Result<HostPtr> {
        let storage = Storage::allocate_aligned(size, align, node)?;
        let base = storage.base();
        self.0.lock().insert(base.address(), Allocation { storage, kind });
        Ok(base)
    }

    /// Removes the allocation of shared virtual memory that begins at `pointer` and returns its memory.
    pub fn take_svm(&self, pointer: HostPtr) -> Option<Storage> {
        self.take(pointer, AllocationKind::is_svm)
    }

    /// Removes the allocation of unified shared memory that begins at `pointer` and returns its memory.
    pub fn take_usm(&self, pointer: HostPtr) -> Option<Storage> {
        self.take(pointer, |kind| !kind.is_svm())
    }

    /// Removes an allocation of the right kind. The caller drops its memory after the lock is released, because
    /// returning pages takes time.
    fn take(&self, pointer: HostPtr, is_right: impl FnOnce(&AllocationKind) -> bool) -> Option<Storage> {
        let mut allocations = self.0.lock();
        let address = pointer.address();
        if !is_right(&allocations.get(&address)?.kind) {
            return None;
        }
        allocations.remove(&address).map(|allocation| allocation.storage)
    }

    /// Returns a range that contains the addresses of all allocations; none if there are no allocations.
    pub fn bounds(&self) -> Option<Range<usize>> {
        let allocations = self.0.lock();
        let (_, first) = allocations.first_key_value()?;
        let (_, last) = allocations.last_key_value()?;
        Some(first.range().start..last.range().end)
    }

    /// Returns the addresses of the allocation of any kind that contains `address`.
    pub fn around(&self, address: usize) -> Option<Range<usize>> {
        self.find(address, |allocation| Some(allocation.range()))
    }

    /// Returns the addresses of the allocation of shared virtual memory that contains `address`.
    pub fn svm_around(&self, address: usize) -> Option<Range<usize>> {
        self.find(address, |allocation| allocation.kind.is_svm().then(|| allocation.range()))
    }

    /// Returns what `describe` makes of the allocation of unified shared memory that contains `address`: of its
    /// properties, its first byte and its size in bytes.
    pub fn usm_around<T>(
        &self,
        address: usize,
        describe: impl FnOnce(&UsmProperties, HostPtr, usize) -> T,
    ) -> Option<T> {
        self.find(address, |Allocation { storage, kind }| match kind {
            AllocationKind::Svm => None,
            AllocationKind::Usm(properties) => Some(describe(properties, storage.base(), storage.size())),
        })
    }

    fn find<T>(&self, address: usize, found: impl FnOnce(&Allocation) -> Option<T>) -> Option<T> {
        let allocations = self.0.lock();
        let (_, allocation) = allocations.range(..=address).next_back()?;
        if allocation.range().contains(&address) { found(allocation) } else { None }
    }
}

impl Context {
    /// Checks that the size of an allocation is not 0, and not above CL_DEVICE_MAX_MEM_ALLOC_SIZE of any device.
    pub(super) fn check_allocation_size(&self, size: usize) -> Result<()> {
        if size == 0 || self.devices().iter().any(|device| size as u64 > device.max_alloc_size()) {
            return Err(Error::InvalidBufferSize);
        }
        Ok(())
    }
}

/// Checks that a pointer is not null.
pub(super) fn check_pointer(pointer: HostPtr) -> Result<()> {
    if pointer.is_null() { Err(Error::InvalidValue) } else { Ok(()) }
}

impl Object<Queue> {
    /// Implements clEnqueueSVMMemcpy and clEnqueueMemcpyINTEL, which differ in the type of the command.
    pub fn copy_pointers(
        self: &Arc<Self>,
        command_type: cl_command_type,
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
        self.start(command_type, blocking, events, work)
    }

    /// Implements clEnqueueSVMMemFill, clEnqueueMemFillINTEL and clEnqueueMemsetINTEL.
    pub fn fill_pointer(
        self: &Arc<Self>,
        command_type: cl_command_type,
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
        self.start(command_type, false, events, work)
    }
}

#[cfg(test)]
mod tests {
    use super::super::device::MEM_ALIGN;
    use super::*;

    #[test]
    fn any_address_inside_finds_its_allocation() {
        let allocations = Allocations::default();
        let allocate = |&size: &usize| allocations.allocate(size, 1, None, AllocationKind::Svm).unwrap();
        let bases: Vec<HostPtr> = [1, 128, 5000].iter().map(allocate).collect();
        for (base, size) in bases.iter().zip([1, 128, 5000]) {
            let (start, end) = (base.address(), base.address() + size);
            assert_eq!(start % MEM_ALIGN, 0);
            for inside in [start, start + size / 2, end - 1] {
                assert_eq!(allocations.around(inside), Some(start..end));
                assert_eq!(allocations.svm_around(inside), Some(start..end));
            }
            assert_ne!(allocations.around(end), Some(start..end));
            assert_ne!(allocations.around(start - 1), Some(start..end));
        }
        let bounds = allocations.bounds().unwrap();
        assert!(bases.iter().all(|base| bounds.contains(&base.address())));
        // Only the address of the first byte frees an allocation.
        assert!(allocations.take_svm(bases[2].at(1)).is_none());
        assert!(allocations.around(bases[2].address()).is_some());
        assert!(allocations.take_svm(bases[2]).is_some());
        assert!(allocations.around(bases[2].address()).is_none());
        assert!(allocations.take_svm(bases[2]).is_none());
    }

    #[test]
    fn kinds_are_told_apart() {
        let allocations = Allocations::default();
        let svm = allocations.allocate(64, 1, None, AllocationKind::Svm).unwrap();
        let usm = allocations.allocate(64, 1, None, AllocationKind::Usm(UsmProperties::default())).unwrap();
        assert!(
            allocations.around(usm.address()).is_some() && allocations.svm_around(usm.address()).is_none()
        );
        assert_eq!(
            allocations.usm_around(usm.at(63).address(), |_, base, size| (base, size)),
            Some((usm, 64))
        );
        assert!(allocations.usm_around(svm.address(), |_, _, _| ()).is_none());
        assert!(allocations.take_svm(usm).is_none() && allocations.take_usm(svm).is_none());
        assert!(allocations.take_svm(svm).is_some() && allocations.take_usm(usm).is_some());
        assert!(allocations.bounds().is_none());
    }
}
