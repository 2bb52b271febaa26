//! Local and private memory of work-groups: one block per thread, kept between launches.
//!
//! A running launch takes the block out of the thread-local variable, so that a nested launch allocates a block of its
//! own.

use std::alloc::{Layout, alloc, dealloc};
use std::cell::Cell;
use std::ptr::NonNull;

use grus_ir::abi::AREA_ALIGN;
use grus_support::huge_pages::{self, HUGE};

/// Maximum size of a block that is kept between launches.
// Arbitrary.
const MAX_KEPT_BYTES: usize = 16 << 20;

/// Block of this thread, taken out of the thread-local variable; dropping it puts the block back.
pub(super) struct Arena(Option<ArenaBlock>);

/// Allocated block of memory.
struct ArenaBlock {
    start: NonNull<u8>,
    size: usize,
}

thread_local! {
    static KEPT: Cell<Option<ArenaBlock>> = const { Cell::new(None) };
}

/// Initializes the thread-local variable; see [`super::runner::init_thread_locals`].
pub(super) fn init_thread_locals() {
    let _ = KEPT.try_with(|_| ());
}

impl Arena {
    /// Takes the block that the thread has kept, if any.
    pub(super) fn of_this_thread() -> Arena {
        Arena(KEPT.try_with(Cell::take).ok().flatten())
    }

    /// Returns pointers to local and private memory of these sizes, valid until the next call; `None` if memory is
    /// short.
    pub(super) fn areas(&mut self, local: u64, private: u64) -> Option<(*mut u8, *mut u8)> {
        let local = usize::try_from(local).ok()?.checked_next_multiple_of(AREA_ALIGN as usize)?;
        let required = local.checked_add(usize::try_from(private).ok()?)?.max(AREA_ALIGN as usize);
        if self.0.as_ref().is_none_or(|block| block.size < required) {
            // Frees the old block first, so that both need not fit into memory.
            self.0 = None;
            self.0 = Some(ArenaBlock::new(required)?);
        }
        let start = self.0.as_ref()?.start.as_ptr();
        Some((start, start.wrapping_add(local)))
    }

    /// Frees the block after a launch if it is too large to be kept.
    pub(super) fn trim(&mut self) {
        self.0.take_if(|block| block.size > MAX_KEPT_BYTES);
    }
}

impl Drop for Arena {
    fn drop(&mut self) {
        if let Some(block) = self.0.take() {
            // Fails if the thread is ending: the block is then freed.
            let _ = KEPT.try_with(|kept| kept.set(Some(block)));
        }
    }
}

impl ArenaBlock {
    fn layout(size: usize) -> Option<Layout> {
        // Large blocks are aligned to huge pages.
        let align = if size >= HUGE { HUGE } else { AREA_ALIGN as usize };
        Layout::from_size_align(size, align).ok()
    }

    fn new(size: usize) -> Option<ArenaBlock> {
        let size = size.checked_next_power_of_two()?.max(4096);
        let layout = Self::layout(size)?;
        // SAFETY: the size is not zero.
        let start = NonNull::new(unsafe { alloc(layout) })?;
        if size >= HUGE {
            // SAFETY: the block is ours and consists of whole pages.
            unsafe { huge_pages::advise(start, size) };
        }
        Some(ArenaBlock { start, size })
    }
}

impl Drop for ArenaBlock {
    fn drop(&mut self) {
        if let Some(layout) = Self::layout(self.size) {
            // SAFETY: allocated in `new` with this layout.
            unsafe { dealloc(self.start.as_ptr(), layout) };
        }
    }
}
