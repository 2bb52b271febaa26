//! Free lists of small blocks that a build has released, for its next allocations.
//!
//! A build allocates thousands of blocks of a few dozen bytes and frees them soon. The C library caches seven
//! blocks of each size per thread, merges the rest with their neighbors and splits them again, which takes a
//! seventh of the time of a small build. Threads that build therefore keep freed blocks in lists, one for each size
//! class.
//!
//! All blocks are the C library's own: any thread can return them to it at any time.

use std::alloc::{GlobalAlloc, Layout, System};
use std::cell::Cell;
use std::ptr::null_mut;

/// Distance between size classes in bytes.
const STEP: usize = 16;

/// Offset of the size classes in bytes: the C library adds a header of 8 bytes to each block and rounds the sum up
/// to [`STEP`].
const OFFSET: usize = 8;

/// Size in bytes above which blocks are left to the C library.
// Arbitrary.
const MAX_SIZE: usize = 64 * STEP + OFFSET;

const CLASSES: usize = MAX_SIZE / STEP + 1;

/// Maximum number of bytes that a thread keeps during a build, and after it.
// Arbitrary.
const MAX_KEPT_BUILDING: usize = 16 << 20;
const MAX_KEPT_IDLE: usize = 1 << 20;

/// Free lists of a thread. The first word of a listed block is the address of the next one.
struct Lists {
    is_open: Cell<bool>,
    bytes: Cell<usize>,
    first: [Cell<*mut u8>; CLASSES],
}

thread_local! {
    static LISTS: Lists = const {
        Lists { is_open: Cell::new(false), bytes: Cell::new(0), first: [const { Cell::new(null_mut()) }; CLASSES] }
    };

    /// Guard that empties the lists when the thread ends.
    static CLEANUP: ReleaseAtExit = const { ReleaseAtExit };
}

impl Lists {
    /// Removes a block from a list and returns it; null if the list is empty.
    #[inline]
    fn pop(&self, class: usize) -> *mut u8 {
        let block = self.first[class].get();
        if !block.is_null() {
            // SAFETY: blocks in lists have no owner, and `put` wrote the link into their first word.
            self.first[class].set(unsafe { block.cast::<*mut u8>().read() });
            self.bytes.set(self.bytes.get() - class * STEP);
        }
        block
    }
}

struct ReleaseAtExit;

impl Drop for ReleaseAtExit {
    fn drop(&mut self) {
        release(0);
    }
}

/// Returns the size class of blocks with this layout, if they have one.
#[inline]
fn class_of(layout: Layout) -> Option<usize> {
    (layout.size() <= MAX_SIZE && layout.align() <= STEP)
        .then(|| ((layout.size() + OFFSET - 1) / STEP).max(1))
}

/// Returns the layout with which blocks of a size class are allocated.
#[inline]
fn layout_of(class: usize) -> Layout {
    // SAFETY: the alignment is a power of two, and the size is far below `isize::MAX`.
    unsafe { Layout::from_size_align_unchecked(class * STEP + OFFSET, STEP) }
}

/// Returns the layout with which a block is requested from the C library: that of the block's size class.
#[inline]
pub fn class_layout(layout: Layout) -> Layout {
    class_of(layout).map_or(layout, layout_of)
}

/// Checks whether a block with one layout can serve for another.
#[inline]
pub fn is_same_class(one: Layout, other: Layout) -> bool {
    class_of(one).is_some_and(|class| class_of(other) == Some(class))
}

/// Returns a kept block for this layout; null if the thread keeps none.
#[inline]
pub fn take(layout: Layout) -> *mut u8 {
    class_of(layout).map_or(null_mut(), |class| LISTS.with(|lists| lists.pop(class)))
}

/// Keeps a block unless the thread is not building or has kept enough. Returns whether the block is kept.
///
/// # Safety
/// The block was allocated by the C library with the layout [`class_layout`], and is no longer in use.
#[inline]
pub unsafe fn put(block: *mut u8, layout: Layout) -> bool {
    let Some(class) = class_of(layout) else { return false };
    LISTS.with(|lists| {
        if !lists.is_open.get() || lists.bytes.get() >= MAX_KEPT_BUILDING {
            return false;
        }
        // SAFETY: by this function's contract the block is unused, and the smallest class has room for a word.
        unsafe { block.cast::<*mut u8>().write(lists.first[class].get()) };
        lists.first[class].set(block);
        lists.bytes.set(lists.bytes.get() + class * STEP);
        true
    })
}

/// Lets the thread keep the blocks that it frees from now on.
pub fn open() {
    // A thread that is about to end must keep nothing.
    let is_cleaned_up = CLEANUP.try_with(|_| ()).is_ok();
    LISTS.with(|lists| lists.is_open.set(is_cleaned_up));
}

/// Ends what [`open`] began, and frees most of the kept blocks.
pub fn close() {
    LISTS.with(|lists| lists.is_open.set(false));
    release(MAX_KEPT_IDLE);
}

/// Returns kept blocks in excess of `max_bytes` bytes to the C library. Returns whether any were freed.
pub fn release(max_bytes: usize) -> bool {
    LISTS.with(|lists| {
        let before = lists.bytes.get();
        for class in 0..CLASSES {
            while lists.bytes.get() > max_bytes {
                let block = lists.pop(class);
                if block.is_null() {
                    break;
                }
                // SAFETY: the block has no owner, and was allocated with the layout of its class.
                unsafe { System.dealloc(block, layout_of(class)) };
            }
        }
        lists.bytes.get() < before
    })
}
