//! Local and private memory of work-groups: one block for each thread that runs them,
//! kept from launch to launch.
//!
//! Running launches takes the thread's block for that time, so that a launch inside a launch gets its own.

use std::alloc::{Layout, alloc, dealloc};
use std::cell::Cell;
use std::ptr::NonNull;

use crate::ir::abi::AREA_ALIGN;
use crate::support::huge_pages::{self, HUGE};

/// Kept between launches up to this size.
const KEEP: usize = 16 << 20;

/// This thread's block, as long as this lives.
pub(super) struct Arena(Option<ArenaBlock>);

/// A block of memory.
struct ArenaBlock {
    start: NonNull<u8>,
    size: usize,
}

thread_local! {
    static KEPT: Cell<Option<ArenaBlock>> = const { Cell::new(None) };
}

/// See [`super::note_thread`].
pub(super) fn note_thread() {
    let _ = KEPT.try_with(|_| ());
}

impl Arena {
    /// What the thread has kept.
    pub(super) fn of_this_thread() -> Arena {
        Arena(KEPT.try_with(Cell::take).ok().flatten())
    }

    /// Local and private memory of these sizes, until it is asked for others; none if there is not that much memory.
    pub(super) fn areas(&mut self, local: u64, private: u64) -> Option<(*mut u8, *mut u8)> {
        let local = usize::try_from(local).ok()?.checked_next_multiple_of(AREA_ALIGN as usize)?;
        let wanted = local.checked_add(usize::try_from(private).ok()?)?.max(AREA_ALIGN as usize);
        if self.0.as_ref().is_none_or(|block| block.size < wanted) {
            // The one that is too small goes first.
            self.0 = None;
            self.0 = Some(ArenaBlock::new(wanted)?);
        }
        let start = self.0.as_ref()?.start.as_ptr();
        Some((start, start.wrapping_add(local)))
    }

    /// After a launch: what is too large to be kept goes.
    pub(super) fn trim(&mut self) {
        self.0.take_if(|block| block.size > KEEP);
    }
}

impl Drop for Arena {
    fn drop(&mut self) {
        if let Some(block) = self.0.take() {
            // A thread that is ending keeps none.
            let _ = KEPT.try_with(|kept| kept.set(Some(block)));
        }
    }
}

impl ArenaBlock {
    fn layout(size: usize) -> Option<Layout> {
        // Large blocks begin at a huge page.
        let align = if size >= HUGE { HUGE } else { AREA_ALIGN as usize };
        Layout::from_size_align(size, align).ok()
    }

    fn new(size: usize) -> Option<ArenaBlock> {
        let size = size.checked_next_power_of_two()?.max(4096);
        let layout = Self::layout(size)?;
        // SAFETY: the size is not zero.
        let start = NonNull::new(unsafe { alloc(layout) })?;
        if size >= HUGE {
            // SAFETY: the block is ours, and whole pages.
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
