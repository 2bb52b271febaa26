//! The bytes behind memory objects.
//!
//! This module, `copier`, `fill`, and those of commands (`transfer`, `image_transfer`) are the only ones in the runtime that copy
//! bytes through pointers.

use std::alloc::{Layout, alloc, alloc_zeroed, dealloc};
use std::ptr;
use std::sync::atomic::{AtomicU64, Ordering};

use super::fill;
use super::pages::{LEAST, Pages};
use crate::runtime::device::MEM_ALIGN;
use crate::runtime::error::{Error, Result};
use crate::runtime::host::host;
use crate::support::copy;
use crate::support::environment::environment;

/// Buffers from here on begin at a page.
const PAGE: usize = 4096;

/// Allocations up to here are cleared. Counters and partial sums are small, and programs that forget to clear them find
/// zeros on devices with memory of their own; here they would find what was freed before. What is large would take time.
const CLEARED: usize = 64 << 10;

/// A pointer into memory that commands read and write, the application's or ours. It may be sent to the thread that
/// runs the command; that nobody else writes there meanwhile is the application's promise, as the API has it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct HostPtr(*mut u8);

// SAFETY: a `HostPtr` is only followed by the functions below, which are unsafe and say what their caller must know.
unsafe impl Send for HostPtr {}
// SAFETY: as above.
unsafe impl Sync for HostPtr {}

impl HostPtr {
    /// No memory.
    pub const NULL: Self = Self(ptr::null_mut());

    /// A pointer that the application gave.
    pub fn new<T>(pointer: *const T) -> Self {
        Self(pointer.cast_mut().cast())
    }

    /// The pointer as the application sees it.
    pub fn as_ptr<T>(self) -> *mut T {
        self.0.cast()
    }

    /// Whether there is no memory.
    pub fn is_null(self) -> bool {
        self.0.is_null()
    }

    /// The address.
    pub fn address(self) -> usize {
        self.0.addr()
    }

    /// The pointer `bytes` further. Like the addresses of C it may leave its object; following it then is wrong.
    #[must_use]
    pub fn at(self, bytes: usize) -> Self {
        Self(self.0.wrapping_add(bytes))
    }

    /// Copies `size` bytes to `target`; the ranges may overlap.
    ///
    /// # Safety
    /// Both ranges are valid for `size` bytes.
    pub unsafe fn copy_to(self, target: HostPtr, size: usize) {
        // SAFETY: the caller's promise.
        unsafe { ptr::copy(self.0, target.0, size) }
    }

    /// The same by what is fastest for so many bytes. If the ranges overlap, what is in the target afterwards is not defined.
    ///
    /// # Safety
    /// Both ranges are valid for `size` bytes.
    pub unsafe fn copy_apart(self, target: HostPtr, size: usize) {
        // SAFETY: the caller's promise.
        unsafe { copy::copy(self.0, target.0, size) }
    }

    /// The same past the caches, for copies that do not fit in.
    ///
    /// # Safety
    /// Both ranges are valid for `size` bytes and do not overlap.
    pub unsafe fn stream_to(self, target: HostPtr, size: usize) {
        // SAFETY: the caller's promise.
        unsafe { copy::past_caches(self.0, target.0, size) };
    }

    /// Writes `pattern` here again and again until `size` bytes are full.
    ///
    /// # Safety
    /// `size` bytes from here are valid, and `size` is a multiple of the pattern's length, which is not 0.
    pub unsafe fn fill(self, pattern: &[u8], size: usize) {
        // SAFETY: the caller's promise.
        unsafe { fill::fill(self.0, pattern, size, false) };
    }

    /// The same past the caches, for fills that do not fit in.
    ///
    /// # Safety
    /// As of [`HostPtr::fill`].
    pub unsafe fn stream_fill(self, pattern: &[u8], size: usize) {
        // SAFETY: the caller's promise.
        unsafe { fill::fill(self.0, pattern, size, true) };
    }
}

/// Memory that was allocated for buffers or that the application lent.
pub(in crate::runtime) struct Storage {
    base: HostPtr,
    share: MemoryQuota,
    owner: Owner,
}

/// Bytes of the device's memory that an allocation takes. All together are at most what the device says it has: where the
/// system overcommits it would give more, and kill somebody when it is written.
struct MemoryQuota(usize);

/// Bytes that all allocations of the process take. There is one count for all contexts and devices: sub-devices are parts of one
/// machine, so each may use all of its memory, and together they have no more of it.
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

/// Takes `size` bytes, unless it were more than `all` then.
fn claims(taken: &AtomicU64, size: u64, all: u64) -> bool {
    let sum = |taken: u64| taken.checked_add(size).filter(|&sum| sum <= all);
    taken.fetch_update(Ordering::Relaxed, Ordering::Relaxed, sum).is_ok()
}

impl Drop for MemoryQuota {
    fn drop(&mut self) {
        TAKEN.fetch_sub(self.0 as u64, Ordering::Relaxed);
    }
}

/// Whose memory it is, and how it goes back.
enum Owner {
    Application,
    Allocator(Layout),
    Pages { _pages: Pages },
}

impl Storage {
    /// Fresh memory. What a program reads before it wrote is not defined, but zeros if `size` is small, or the user wants
    /// that.
    pub fn allocate(size: usize) -> Result<Self> {
        Self::allocate_for(size, environment().clear_memory)
    }

    fn allocate_for(size: usize, clears: bool) -> Result<Self> {
        let share = MemoryQuota::take(size)?;
        if size >= LEAST
            && let Some(pages) = Pages::allocate(size)
        {
            let base = pages.start();
            if clears && !pages.is_fresh {
                // SAFETY: the piece has so many bytes, and nobody else uses it.
                unsafe { base.write_bytes(0, size) };
            }
            return Ok(Self { base: HostPtr(base), share, owner: Owner::Pages { _pages: pages } });
        }
        let align = if size >= PAGE { PAGE } else { MEM_ALIGN };
        let layout = Layout::from_size_align(size.next_multiple_of(MEM_ALIGN), align);
        let layout = layout.map_err(|_| Error::MemObjectAllocationFailure)?;
        // SAFETY: the layout's size is not 0, since `size` is not (checked by the callers: CL_INVALID_BUFFER_SIZE).
        let base = unsafe { if clears || size <= CLEARED { alloc_zeroed(layout) } else { alloc(layout) } };
        if base.is_null() {
            return Err(Error::MemObjectAllocationFailure);
        }
        Ok(Self { base: HostPtr(base), share, owner: Owner::Allocator(layout) })
    }

    /// The application's memory.
    pub fn borrowed(base: HostPtr) -> Self {
        Self { base, share: MemoryQuota(0), owner: Owner::Application }
    }

    /// The first byte.
    pub fn base(&self) -> HostPtr {
        self.base
    }

    /// Bytes asked for, 0 if it is the application's.
    pub fn size(&self) -> usize {
        self.share.0
    }

    /// Whether it is the application's.
    pub fn is_borrowed(&self) -> bool {
        matches!(self.owner, Owner::Application)
    }
}

impl Drop for Storage {
    fn drop(&mut self) {
        if let Owner::Allocator(layout) = self.owner {
            // SAFETY: `base` was allocated with this layout, and nothing uses it: commands hold the memory object,
            // which holds this.
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
            let storage = Storage::allocate(size).unwrap();
            let align = if size >= PAGE { PAGE } else { MEM_ALIGN };
            assert_eq!(storage.base().address() % align, 0);
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
            // The second is likely to get the memory of the first.
            for _ in 0..2 {
                let storage = Storage::allocate(size).unwrap();
                let mut bytes = vec![1u8; size];
                // SAFETY: both have `size` bytes.
                unsafe { storage.base().copy_to(HostPtr::new(bytes.as_mut_ptr()), size) };
                assert!(bytes.iter().all(|&byte| byte == 0));
                // SAFETY: as above.
                unsafe { storage.base().fill(&[0xff], size) };
            }
        }
    }

    #[test]
    fn everything_is_cleared_on_request() {
        for size in [LEAST - 1, LEAST, 3 << 20] {
            for _ in 0..2 {
                let storage = Storage::allocate_for(size, true).unwrap();
                // SAFETY: the storage has so many bytes.
                let bytes = unsafe { std::slice::from_raw_parts_mut(storage.base().as_ptr::<u8>(), size) };
                assert!(bytes.iter().all(|&byte| byte == 0));
                bytes.fill(1);
            }
        }
    }
}
