//! Memory of memory objects.
//!
//! In the runtime, only this module, `copier`, `fill`, and the modules of commands (`transfer`, `image_transfer`)
//! copy bytes through pointers.

use std::alloc::{Layout, alloc, alloc_zeroed, dealloc};
use std::ptr;
use std::sync::atomic::{AtomicU64, Ordering};

use super::fill;
use super::pages::{MIN_MAPPING, Pages};
use crate::runtime::device::MEM_ALIGN;
use crate::runtime::error::{Error, Result};
use crate::runtime::host::host;
use grus_support::copy;
use grus_support::environment::environment;

/// Size in bytes from which on buffers are aligned to a page, and size of a page.
const PAGE: usize = 4096;

/// Size in bytes up to which allocations are cleared. Counters and partial sums are small, and a program that
/// forgets to clear them finds zeros on devices with their own memory; without clearing it would find freed data
/// here. Clearing large buffers would take too much time.
// Arbitrary.
const CLEARED: usize = 64 << 10;

/// Pointer to memory that commands read and write, the application's or the library's. It may be sent to the thread
/// that runs the command; the API makes the application responsible that nothing else writes there meanwhile.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct HostPtr(*mut u8);

// SAFETY: a `HostPtr` is dereferenced only by the unsafe functions below, whose contracts cover other threads'
// accesses.
unsafe impl Send for HostPtr {}
// SAFETY: shared access can only copy the address; the functions below that dereference it are unsafe.
unsafe impl Sync for HostPtr {}

impl HostPtr {
    /// Null pointer.
    pub const NULL: Self = Self(ptr::null_mut());

    /// Returns a pointer that the application passed.
    pub fn new<T>(pointer: *const T) -> Self {
        Self(pointer.cast_mut().cast())
    }

    /// Returns the pointer as the application passes it.
    pub fn as_ptr<T>(self) -> *mut T {
        self.0.cast()
    }

    /// Checks whether the pointer is null.
    pub fn is_null(self) -> bool {
        self.0.is_null()
    }

    /// Returns the address.
    pub fn address(self) -> usize {
        self.0.addr()
    }

    /// Returns the pointer `bytes` further. The result may lie outside the object, but must not be dereferenced
    /// then.
    #[must_use]
    pub fn at(self, bytes: usize) -> Self {
        Self(self.0.wrapping_add(bytes))
    }

    /// Copies `size` bytes to `target`; the ranges may overlap.
    ///
    /// # Safety
    /// Both ranges are valid for `size` bytes.
    pub unsafe fn copy_to(self, target: HostPtr, size: usize) {
        // SAFETY: this function's contract makes both ranges valid for `size` bytes.
        unsafe { ptr::copy(self.0, target.0, size) }
    }

    /// Copies `size` bytes with the fastest method for that size. If the ranges overlap, the contents of the target
    /// are undefined afterwards.
    ///
    /// # Safety
    /// Both ranges are valid for `size` bytes.
    pub unsafe fn copy_apart(self, target: HostPtr, size: usize) {
        // SAFETY: this function's contract makes both ranges valid for `size` bytes.
        unsafe { copy::copy(self.0, target.0, size) }
    }

    /// Copies `size` bytes with non-temporal stores, for copies larger than the caches.
    ///
    /// # Safety
    /// Both ranges are valid for `size` bytes and do not overlap.
    pub unsafe fn stream_to(self, target: HostPtr, size: usize) {
        // SAFETY: this function's contract makes both ranges valid for `size` bytes and disjoint.
        unsafe { copy::copy_nontemporal(self.0, target.0, size) };
    }

    /// Fills `size` bytes with repetitions of `pattern`.
    ///
    /// # Safety
    /// `size` bytes from here are valid, and `size` is a multiple of the pattern's length, which is not 0.
    pub unsafe fn fill(self, pattern: &[u8], size: usize) {
        // SAFETY: this function has the contract of `fill::fill`.
        unsafe { fill::fill(self.0, pattern, size, false) };
    }

    /// Fills like [`HostPtr::fill`] with non-temporal stores, for fills larger than the caches.
    ///
    /// # Safety
    /// The contract is that of [`HostPtr::fill`].
    pub unsafe fn stream_fill(self, pattern: &[u8], size: usize) {
        // SAFETY: this function has the contract of `fill::fill`.
        unsafe { fill::fill(self.0, pattern, size, true) };
    }
}

/// Memory of memory objects, allocated by the runtime or lent by the application.
pub(in crate::runtime) struct Storage {
    base: HostPtr,
    share: MemoryQuota,
    owner: Owner,
}

/// Share of the device's memory that an allocation takes, in bytes. The sum is limited to the memory that the
/// device reports: a system that overcommits would allocate more, and the OOM killer would act at first touch.
struct MemoryQuota(usize);

/// Number of bytes that all allocations of the process take. One counter serves all contexts and devices:
/// sub-devices are parts of one machine, so each may use all of its memory, but not more together.
static TAKEN: AtomicU64 = AtomicU64::new(0);

impl MemoryQuota {
    fn take(size: usize) -> Result<Self> {
        if claims(&TAKEN, size as u64, host().memory) {
            Ok(Self(size))
        } else {
            Err(Error::MemObjectAllocationFailure)
        }
    }
}

/// Adds `size` to the counter unless the sum would exceed `all`. Returns whether it was added.
fn claims(taken: &AtomicU64, size: u64, all: u64) -> bool {
    let sum = |taken: u64| taken.checked_add(size).filter(|&sum| sum <= all);
    taken.fetch_update(Ordering::Relaxed, Ordering::Relaxed, sum).is_ok()
}

impl Drop for MemoryQuota {
    fn drop(&mut self) {
        TAKEN.fetch_sub(self.0 as u64, Ordering::Relaxed);
    }
}

/// Owner of the memory, which determines how it is freed.
enum Owner {
    Application,
    Allocator(Layout),
    Pages { _pages: Pages },
}

impl Storage {
    /// Allocates memory, large allocations in the NUMA node if there is one to prefer. Its initial contents are
    /// undefined, but zeros if `size` is small or the user wants cleared memory.
    pub fn allocate(size: usize, node: Option<usize>) -> Result<Self> {
        Self::allocate_aligned(size, MEM_ALIGN, node)
    }

    /// Allocates memory as [`Storage::allocate`] does, with an alignment, which is a power of two. The alignment is
    /// at least [`MEM_ALIGN`].
    pub fn allocate_aligned(size: usize, align: usize, node: Option<usize>) -> Result<Self> {
        Self::allocate_for(size, align, node, environment().clear_memory)
    }

    fn allocate_for(size: usize, align: usize, node: Option<usize>, clears: bool) -> Result<Self> {
        let share = MemoryQuota::take(size)?;
        if size >= MIN_MAPPING
            && let Some(pages) = Pages::allocate(size, node)
            && pages.start().addr().is_multiple_of(align)
        {
            let base = pages.start();
            if clears && !pages.is_fresh {
                // SAFETY: the mapping has `size` bytes, and nothing else uses it.
                unsafe { base.write_bytes(0, size) };
            }
            return Ok(Self { base: HostPtr(base), share, owner: Owner::Pages { _pages: pages } });
        }
        let align = align.max(if size >= PAGE { PAGE } else { MEM_ALIGN });
        let layout = Layout::from_size_align(size.next_multiple_of(MEM_ALIGN), align);
        let layout = layout.map_err(|_| Error::MemObjectAllocationFailure)?;
        // SAFETY: the layout's size is not 0, since `size` is not (checked by the callers: CL_INVALID_BUFFER_SIZE).
        let base = unsafe { if clears || size <= CLEARED { alloc_zeroed(layout) } else { alloc(layout) } };
        if base.is_null() {
            return Err(Error::MemObjectAllocationFailure);
        }
        Ok(Self { base: HostPtr(base), share, owner: Owner::Allocator(layout) })
    }

    /// Returns storage for memory lent by the application.
    pub fn borrowed(base: HostPtr) -> Self {
        Self { base, share: MemoryQuota(0), owner: Owner::Application }
    }

    /// Returns the address of the first byte.
    pub fn base(&self) -> HostPtr {
        self.base
    }

    /// Returns the requested size in bytes; 0 for memory lent by the application.
    pub fn size(&self) -> usize {
        self.share.0
    }

    /// Checks whether the memory is lent by the application.
    pub fn is_borrowed(&self) -> bool {
        matches!(self.owner, Owner::Application)
    }
}

impl Drop for Storage {
    fn drop(&mut self) {
        if let Owner::Allocator(layout) = self.owner {
            // SAFETY: `base` was allocated with this layout. Nothing uses it, because commands hold the memory
            // object, which holds this.
            unsafe { dealloc(self.base.0, layout) }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn storage_is_aligned() {
        for size in [1, 127, 4095, 4096, 100_000] {
            let storage = Storage::allocate(size, None).unwrap();
            let align = if size >= PAGE { PAGE } else { MEM_ALIGN };
            assert_eq!(storage.base().address() % align, 0);
        }
    }

    #[test]
    fn storage_has_the_alignment_that_is_asked_for() {
        for align in (0..=21).map(|bits| 1 << bits) {
            for size in [1, 5000, MIN_MAPPING, (3 << 20) + 1] {
                let storage = Storage::allocate_aligned(size, align, None).unwrap();
                assert!(storage.base().address().is_multiple_of(align.max(MEM_ALIGN)), "{size} {align}");
                assert_eq!(storage.size(), size);
            }
        }
    }

    #[test]
    fn nobody_gets_more_than_there_is() {
        let taken = AtomicU64::new(0);
        for (size, is_there) in
            [(60, true), (41, false), (40, true), (1, false), (0, true), (u64::MAX, false)]
        {
            assert_eq!(claims(&taken, size, 100), is_there, "{size}");
        }
        assert_eq!(taken.into_inner(), 100);
    }

    #[test]
    fn small_storage_is_cleared() {
        for size in [1, 532, 5000, CLEARED] {
            // The second allocation is likely to get the memory of the first.
            for _ in 0..2 {
                let storage = Storage::allocate(size, None).unwrap();
                let mut bytes = vec![1u8; size];
                // SAFETY: storage and vector have `size` bytes.
                unsafe { storage.base().copy_to(HostPtr::new(bytes.as_mut_ptr()), size) };
                assert!(bytes.iter().all(|&byte| byte == 0));
                // SAFETY: the storage has `size` bytes.
                unsafe { storage.base().fill(&[0xff], size) };
            }
        }
    }

    #[test]
    fn everything_is_cleared_on_request() {
        for size in [MIN_MAPPING - 1, MIN_MAPPING, 3 << 20] {
            for _ in 0..2 {
                let storage = Storage::allocate_for(size, MEM_ALIGN, None, true).unwrap();
                // SAFETY: the storage has `size` bytes.
                let bytes = unsafe { std::slice::from_raw_parts_mut(storage.base().as_ptr::<u8>(), size) };
                assert!(bytes.iter().all(|&byte| byte == 0));
                bytes.fill(1);
            }
        }
    }
}
