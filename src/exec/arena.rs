//! Local and private memory of work-groups: one block for each thread that runs them,
//! kept from launch to launch.

use std::alloc::{Layout, alloc, dealloc};
use std::cell::Cell;
use std::ptr::NonNull;

use crate::ir::abi::AREA_ALIGN;

/// Kept between launches up to this size.
const KEEP: usize = 16 << 20;

/// A block of memory.
pub(super) struct Arena {
    start: NonNull<u8>,
    size: usize,
}

thread_local! {
    static KEPT: Cell<Option<Arena>> = const { Cell::new(None) };
}

impl Arena {
    /// Calls `body` with local and private memory of these sizes; none if there is not
    /// that much memory.
    pub(super) fn with<T>(local: u64, private: u64, body: impl FnOnce(*mut u8, *mut u8) -> T) -> Option<T> {
        let local = usize::try_from(local).ok()?.checked_next_multiple_of(AREA_ALIGN as usize)?;
        let wanted = local.checked_add(usize::try_from(private).ok()?)?.max(AREA_ALIGN as usize);
        // Taken out for the time of the call, so that a launch inside a launch gets its own.
        let arena = match KEPT.take() {
            Some(arena) if arena.size >= wanted => arena,
            _ => Arena::new(wanted)?,
        };
        let start = arena.start.as_ptr();
        let result = body(start, start.wrapping_add(local));
        if arena.size <= KEEP {
            KEPT.set(Some(arena));
        }
        Some(result)
    }

    fn layout(size: usize) -> Option<Layout> {
        Layout::from_size_align(size, AREA_ALIGN as usize).ok()
    }

    fn new(size: usize) -> Option<Arena> {
        let size = size.checked_next_power_of_two()?.max(4096);
        let layout = Self::layout(size)?;
        // SAFETY: the size is not zero.
        let start = NonNull::new(unsafe { alloc(layout) })?;
        Some(Arena { start, size })
    }
}

impl Drop for Arena {
    fn drop(&mut self) {
        if let Some(layout) = Self::layout(self.size) {
            // SAFETY: allocated in `new` with this layout.
            unsafe { dealloc(self.start.as_ptr(), layout) };
        }
    }
}
