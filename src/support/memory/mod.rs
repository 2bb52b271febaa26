//! Handling of memory exhaustion.
//!
//! Rust's collections, and the crates that the library uses, abort the process if an allocation fails. The
//! library's allocator ([`Allocator`]) therefore has a reserve. Allocations that the system refuses are taken from
//! the reserve, and the calls and builds under way end with an error before the reserve is used up:
//!
//! - Entry points that create something fail at once while the reserve is in use and the system has no memory
//!   ([`is_low`]). Entry points that free, wait or query still work.
//! - A build regularly checks for that state ([`check`]), and checks before each stage that the memory which the
//!   stage needs is available ([`expect`]). If not, it unwinds with [`NoMemory`], which `compile` catches.
//! - Allocations of a size that the application chooses use `try_reserve`, and come from the reserve only if they
//!   are small.
//!
//! The reserve is part of the library's zeroed data: it costs address space, but no memory until it is used.

use std::alloc::{GlobalAlloc, Layout, System};
use std::cell::{Cell, UnsafeCell};
use std::mem::MaybeUninit;
use std::ptr::{NonNull, null_mut};
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::sync::{Mutex, PoisonError};

use rlsf::Tlsf;

use super::fork::Global;

mod lists;

/// Size of the reserve in bytes.
// Arbitrary.
const RESERVE_SIZE: usize = 16 << 20;

/// Size in bytes above which allocations outside of builds do not use the reserve.
// Arbitrary.
const MAX_SIZE_OUTSIDE_BUILDS: usize = 4 << 20;

/// Number of bytes that must be available for the system to count as having memory.
// Arbitrary.
const MIN_AVAILABLE: usize = 1 << 20;

/// Memory of the reserve.
#[repr(align(64))]
struct ReserveMemory(UnsafeCell<MaybeUninit<[u8; RESERVE_SIZE]>>);

// SAFETY: only the pool hands out blocks of it, each to one owner.
unsafe impl Sync for ReserveMemory {}

static RESERVE_MEMORY: ReserveMemory = ReserveMemory(UnsafeCell::new(MaybeUninit::uninit()));

/// Allocator of the reserve: two-level segregated free lists (TLSF), which allocate and free in constant time.
struct ReservePool {
    lists: Tlsf<'static, u32, u32, 24, 8>,
    is_filled: bool,
}

// SAFETY: the pointers inside point into `RESERVE_MEMORY`, which only the pool accesses.
unsafe impl Send for ReservePool {}

/// Reserve's allocator. It is locked for a few hundred instructions, and only after the system has refused an
/// allocation.
static POOL: Mutex<ReservePool> = Mutex::new(ReservePool { lists: Tlsf::new(), is_filled: false });

/// Number of bytes of the reserve that are in use.
static IN_USE: AtomicUsize = AtomicUsize::new(0);

/// True in a child that was forked while another thread held the lock: the reserve is neither used nor freed any
/// more.
static ABANDONED: AtomicBool = AtomicBool::new(false);

thread_local! {
    /// True if this thread is building, and may take large blocks of the reserve.
    static IS_BUILDING: Cell<bool> = const { Cell::new(false) };
}

impl ReservePool {
    fn take(&mut self, layout: Layout) -> *mut u8 {
        if !self.is_filled {
            self.is_filled = true;
            let memory =
                NonNull::slice_from_raw_parts(NonNull::from(&RESERVE_MEMORY.0).cast::<u8>(), RESERVE_SIZE);
            // SAFETY: the memory is static and is used through the pool only.
            unsafe { self.lists.insert_free_block_ptr(memory) };
        }
        self.lists.allocate(layout).map_or(null_mut(), NonNull::as_ptr)
    }
}

fn is_reserve(pointer: *const u8) -> bool {
    pointer.addr().wrapping_sub(RESERVE_MEMORY.0.get().addr()) < RESERVE_SIZE
}

/// Callback that returns unused memory to the system, and reports whether there was any. It may be called while any
/// lock is held.
static RECLAIM: Global<fn() -> bool> = Global::fact();

/// Registers a callback to call after the system has refused an allocation, and in forked children.
pub fn set_reclaim(reclaim: fn() -> bool) {
    RECLAIM.get(|| reclaim);
}

/// Allocates what the system has refused: from memory that others give back, or from the reserve. Returns null if
/// neither suffices.
///
/// # Safety
/// The contract is that of `GlobalAlloc::alloc`.
#[cold]
unsafe fn refused(layout: Layout) -> *mut u8 {
    if lists::release(0) | RECLAIM.peek().is_some_and(|reclaim| reclaim()) {
        // SAFETY: this function has the contract of `alloc`.
        let block = unsafe { System.alloc(layout) };
        if !block.is_null() {
            return block;
        }
    }
    take(layout)
}

/// Allocates a block of the reserve; null if that is impossible.
fn take(layout: Layout) -> *mut u8 {
    let is_building = || IS_BUILDING.try_with(Cell::get).unwrap_or(false);
    if ABANDONED.load(Ordering::Relaxed) || layout.size() > MAX_SIZE_OUTSIDE_BUILDS && !is_building() {
        return null_mut();
    }
    let block = POOL.lock().unwrap_or_else(PoisonError::into_inner).take(layout);
    if !block.is_null() {
        IN_USE.fetch_add(layout.size(), Ordering::Relaxed);
    }
    block
}

/// Returns a block to the reserve.
///
/// # Safety
/// `take` returned the pointer for this layout, and the block is no longer in use.
#[cold]
unsafe fn put_back(pointer: *mut u8, layout: Layout) {
    IN_USE.fetch_sub(layout.size(), Ordering::Relaxed);
    let Some(pointer) = NonNull::new(pointer).filter(|_| !ABANDONED.load(Ordering::Relaxed)) else { return };
    let mut pool = POOL.lock().unwrap_or_else(PoisonError::into_inner);
    // SAFETY: by this function's contract the pool allocated the block, with this alignment.
    unsafe { pool.lists.deallocate(pointer, layout.align()) };
}

/// Global allocator of the library: the system's allocator with free lists of small blocks for builds ([`lists`]),
/// and the reserve for what the system refuses.
pub struct Allocator;

// SAFETY: every block comes from the system or from the reserve and returns there, which its address decides. A
// block in a thread's list is the system's, and at least as large as any block taken from that list.
unsafe impl GlobalAlloc for Allocator {
    #[inline]
    unsafe fn alloc(&self, layout: Layout) -> *mut u8 {
        let cached = lists::take(layout);
        if !cached.is_null() {
            return cached;
        }
        // SAFETY: `alloc`'s contract makes the layout non-empty, and `whole` only enlarges it.
        let block = unsafe { System.alloc(lists::class_layout(layout)) };
        // SAFETY: `refused` has the contract of `alloc`.
        if block.is_null() { unsafe { refused(layout) } } else { block }
    }

    #[inline]
    unsafe fn alloc_zeroed(&self, layout: Layout) -> *mut u8 {
        let mut block = lists::take(layout);
        if block.is_null() {
            // SAFETY: `alloc_zeroed`'s contract makes the layout non-empty, and `whole` only enlarges it.
            block = unsafe { System.alloc_zeroed(lists::class_layout(layout)) };
            if !block.is_null() {
                return block;
            }
            // SAFETY: `refused` has the contract of `alloc`, which is that of `alloc_zeroed`.
            block = unsafe { refused(layout) };
        }
        if !block.is_null() {
            // SAFETY: the block has this size. It may have been used before.
            unsafe { block.write_bytes(0, layout.size()) };
        }
        block
    }

    #[inline]
    unsafe fn dealloc(&self, pointer: *mut u8, layout: Layout) {
        if is_reserve(pointer) {
            // SAFETY: by `dealloc`'s contract the block is unused and has this layout; its address says that `take`
            // returned it.
            unsafe { put_back(pointer, layout) }
        // SAFETY: by `dealloc`'s contract the block is unused; outside the reserve it was allocated with the layout
        // `whole`.
        } else if !unsafe { lists::put(pointer, layout) } {
            // SAFETY: `keep` did not take the block, which was allocated with the layout `whole`.
            unsafe { System.dealloc(pointer, lists::class_layout(layout)) }
        }
    }

    #[inline]
    unsafe fn realloc(&self, pointer: *mut u8, layout: Layout, size: usize) -> *mut u8 {
        if !is_reserve(pointer) {
            // SAFETY: `realloc`'s contract makes the new size valid for this alignment.
            let new_layout = unsafe { Layout::from_size_align_unchecked(size, layout.align()) };
            if lists::is_same_class(layout, new_layout) {
                return pointer;
            }
            let cached = lists::take(new_layout);
            if !cached.is_null() {
                // SAFETY: by `realloc`'s contract the old block is the caller's; the new one is unused and has this
                // size.
                unsafe { self.copy_and_free(pointer, layout, cached, size) };
                return cached;
            }
            // SAFETY: by `realloc`'s contract the block is the caller's; it was allocated with the layout `whole`.
            let block = unsafe {
                System.realloc(pointer, lists::class_layout(layout), lists::class_layout(new_layout).size())
            };
            if !block.is_null() {
                return block;
            }
        }
        // SAFETY: `move_to` has the contract of `realloc`.
        unsafe { self.move_to(pointer, layout, size) }
    }
}

impl Allocator {
    /// Moves a block that cannot be resized in place. Returns null if there is no memory.
    ///
    /// # Safety
    /// The contract is that of `GlobalAlloc::realloc`.
    #[cold]
    unsafe fn move_to(&self, pointer: *mut u8, layout: Layout, size: usize) -> *mut u8 {
        // SAFETY: `realloc`'s contract makes the new size valid for this alignment.
        let new_layout = unsafe { Layout::from_size_align_unchecked(size, layout.align()) };
        // SAFETY: by `realloc`'s contract the size is not zero and the old block is the caller's; the new block has
        // this size.
        unsafe {
            let block = self.alloc(new_layout);
            if !block.is_null() {
                self.copy_and_free(pointer, layout, block, size);
            }
            block
        }
    }

    /// Copies the old block into a new one of `size` bytes, as far as it fits, and frees the old one.
    ///
    /// # Safety
    /// The contract is that of `GlobalAlloc::realloc`; the new block is not in use.
    unsafe fn copy_and_free(&self, pointer: *mut u8, layout: Layout, block: *mut u8, size: usize) {
        // SAFETY: both blocks are at least as large as the copy, and the old one is the caller's to free.
        unsafe {
            block.copy_from_nonoverlapping(pointer, layout.size().min(size));
            self.dealloc(pointer, layout);
        }
    }
}

/// Panic payload with which a build unwinds when memory runs out: see [`check`].
#[derive(Clone, Copy, Debug)]
pub struct NoMemory;

/// Checks whether the system has `bytes` bytes for this process at the moment.
pub fn has(bytes: usize) -> bool {
    let (protection, flags) = (libc::PROT_READ | libc::PROT_WRITE, libc::MAP_PRIVATE | libc::MAP_ANONYMOUS);
    // SAFETY: the mapping is at an address of the system's choice and is removed at once.
    unsafe {
        let start = libc::mmap(null_mut(), bytes.max(1), protection, flags, -1, 0);
        start != libc::MAP_FAILED && libc::munmap(start, bytes.max(1)) == 0
    }
}

/// Checks whether memory has run out: the reserve is in use, and the system has no memory.
#[inline]
pub fn is_low() -> bool {
    IN_USE.load(Ordering::Relaxed) != 0 && !has_any()
}

/// Checks whether there is so much memory that several threads may build at the same time, although none of them
/// sees what the others are about to allocate.
pub fn is_plentiful() -> bool {
    const PLENTIFUL_BYTES: usize = 512 << 20;
    has(PLENTIFUL_BYTES)
}

/// Checks whether the system has memory for operations that must not fail, such as starting a thread. Also asks the
/// system's allocator for several blocks at once, since it may have memory that no new mapping shows, or may be
/// made to fail by a test.
#[cold]
pub fn has_any() -> bool {
    const LAYOUT: Layout = match Layout::from_size_align(8 << 10, 16) {
        Ok(layout) => layout,
        Err(_) => unreachable!(),
    };
    // SAFETY: the layout is not empty.
    let blocks: [*mut u8; 8] = std::array::from_fn(|_| unsafe { System.alloc(LAYOUT) });
    for block in blocks.into_iter().filter(|block| !block.is_null()) {
        // SAFETY: the block was allocated with this layout just above, and is freed once.
        unsafe { System.dealloc(block, LAYOUT) };
    }
    blocks.iter().all(|block| !block.is_null()) && has(MIN_AVAILABLE)
}

/// Guard during whose lifetime its thread builds. The thread may take large blocks of the reserve, since it often
/// checks the remaining memory.
pub struct Building {
    before: bool,
}

impl Building {
    /// Marks the thread as building.
    pub fn enter() -> Building {
        let before = IS_BUILDING.try_with(|is_building| is_building.replace(true)).unwrap_or(false);
        if !before {
            lists::open();
        }
        Building { before }
    }
}

impl Drop for Building {
    fn drop(&mut self) {
        let _ = IS_BUILDING.try_with(|is_building| is_building.set(self.before));
        if !self.before {
            lists::close();
        }
    }
}

/// Unwinds with [`NoMemory`] if memory has run out. Builds call it often.
#[inline]
pub fn check() {
    if is_low() {
        std::panic::resume_unwind(Box::new(NoMemory));
    }
}

/// Unwinds with [`NoMemory`] if the system does not have about `bytes` bytes. Builds call it before each stage.
pub fn expect(bytes: usize) {
    /// Size in bytes below which an allocation costs less than the check.
    // Arbitrary.
    const MIN_CHECKED_BYTES: usize = 256 << 10;
    if bytes > MIN_CHECKED_BYTES && !has(bytes) {
        std::panic::resume_unwind(Box::new(NoMemory));
    }
}

/// Unwinds with [`NoMemory`] if a list is full and there is no memory to double it. Builds call it before
/// appending.
#[inline]
pub fn expect_growth<T>(list: &Vec<T>) {
    if list.len() == list.capacity() {
        expect(2 * list.len() * size_of::<T>());
    }
}

/// Adjusts the state in a forked child. `was_quiet` says that no other thread was inside the library at the fork.
pub(super) fn after_fork(was_quiet: bool) {
    if !was_quiet && POOL.try_lock().is_err() {
        ABANDONED.store(true, Ordering::Relaxed);
    }
    if let Some(reclaim) = RECLAIM.peek().filter(|_| was_quiet) {
        reclaim();
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const SMALL: Layout = match Layout::from_size_align(100, 8) {
        Ok(layout) => layout,
        Err(_) => unreachable!(),
    };

    #[test]
    fn the_reserve_takes_back_what_it_gave() {
        let blocks: Vec<*mut u8> = (0..1000).map(|_| take(SMALL)).collect();
        assert!(blocks.iter().all(|&block| is_reserve(block) && block.addr() % 8 == 0));
        assert!(IN_USE.load(Ordering::Relaxed) >= 100_000);
        // The test process has memory.
        assert!(!is_low());
        let (mut moved, mut layout) = (blocks[0], SMALL);
        // SAFETY: each block is used with the layout that it was allocated with, and freed once.
        unsafe {
            moved.write_bytes(7, 100);
            for size in [50, 5000, 100] {
                moved = Allocator.realloc(moved, layout, size);
                layout = Layout::from_size_align(size, 8).unwrap();
                assert!(!is_reserve(moved));
                assert_eq!(moved.add(49).read(), 7);
            }
            Allocator.dealloc(moved, layout);
            blocks[1..].iter().for_each(|&block| Allocator.dealloc(block, SMALL));
        }
        // Other tests do not use the reserve.
        assert_eq!(IN_USE.load(Ordering::Relaxed), 0);
        let large = Layout::from_size_align(RESERVE_SIZE / 2, 8).unwrap();
        assert!(take(large).is_null());
        let building = Building::enter();
        let block = take(large);
        assert!(!block.is_null());
        // SAFETY: the block was allocated with this layout, and is freed once.
        unsafe { Allocator.dealloc(block, large) };
        drop(building);
    }

    #[test]
    fn what_no_system_has_is_not_expected() {
        assert!(has(1) && !has(1 << 60));
        check();
        expect(1 << 20);
        let caught = std::panic::catch_unwind(|| expect(1 << 60)).unwrap_err();
        assert!(caught.is::<NoMemory>());
    }
}
