//! Stacks of the library's own, because callers may have small ones. Go, musl and Java call from threads with 64
//! KiB or less; parsing and lowering a program, and running a kernel with large frames, need more.
//!
//! Code runs on another stack on the same thread, which requires no additional thread and sees the caller's
//! thread-local state. A few spare stacks are kept; pages that only deep calls can have used are returned to the
//! system.

use std::ptr::null_mut;
use std::sync::atomic::{AtomicPtr, Ordering};

use corosensei::stack::{DefaultStack, Stack};

/// Error of missing memory for a stack.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct NoStack;

/// Stack that is not in use.
struct Spare {
    stack: DefaultStack,
    size: usize,
}

/// Spare stacks that are kept.
static SPARE_STACKS: [AtomicPtr<Spare>; 8] = [const { AtomicPtr::new(null_mut()) }; 8];

/// Number of bytes at the base of a spare stack whose pages are kept.
// Arbitrary.
const RESIDENT_BYTES: usize = 1 << 20;

impl Spare {
    fn take(size: usize) -> Result<Box<Spare>, NoStack> {
        SPARE_STACKS
            .iter()
            .find_map(|slot| Self::take_from(slot, size))
            .map_or_else(|| Self::allocate(size), Ok)
    }

    /// Takes the stack of a slot if that is large enough.
    fn take_from(slot: &AtomicPtr<Spare>, size: usize) -> Option<Box<Spare>> {
        let kept = slot.swap(null_mut(), Ordering::AcqRel);
        // SAFETY: `put_into` stored a pointer from a box, and the swap made this thread its only owner.
        let kept = (!kept.is_null()).then(|| unsafe { Box::from_raw(kept) })?;
        if kept.size >= size {
            return Some(kept);
        }
        kept.put_into(slot);
        None
    }

    fn allocate(size: usize) -> Result<Box<Spare>, NoStack> {
        let stack_memory = DefaultStack::new(size).or_else(|_| {
            // Spare stacks that are too small occupy memory.
            SPARE_STACKS.iter().for_each(|slot| drop(Self::take_from(slot, 0)));
            DefaultStack::new(size)
        });
        Ok(Box::new(Spare { stack: stack_memory.map_err(|_| NoStack)?, size }))
    }

    /// Keeps the stack for later use if a slot is free. `requested` is the size that was requested: pages are returned
    /// only after requests above [`RESIDENT_BYTES`], because a kernel takes a stack once for every few work-groups and
    /// `madvise` interrupts all threads of the process.
    fn put_back(self: Box<Self>, requested: usize) {
        if requested > RESIDENT_BYTES {
            self.release_pages();
        }
        let mut spare = Some(self);
        for slot in &SPARE_STACKS {
            let Some(here) = spare.take() else { return };
            spare = here.put_into(slot);
        }
    }

    /// Stores the stack in a slot, or returns it if the slot is taken.
    fn put_into(self: Box<Self>, slot: &AtomicPtr<Spare>) -> Option<Box<Spare>> {
        let spare = Box::into_raw(self);
        let put = slot.compare_exchange(null_mut(), spare, Ordering::AcqRel, Ordering::Relaxed);
        // SAFETY: the pointer comes from the box above and was not stored.
        put.is_err().then(|| unsafe { Box::from_raw(spare) })
    }

    /// Returns the pages to the system that only deep calls can have used.
    fn release_pages(&self) {
        let (start, end) = (self.stack.limit().get(), self.stack.base().get());
        // The lowest page of the stack is its guard.
        if end - start > RESIDENT_BYTES {
            let start = std::ptr::with_exposed_provenance_mut(start);
            // SAFETY: the stack is not in use, and both ends of the range are page boundaries.
            unsafe {
                libc::madvise(start, end - start.expose_provenance() - RESIDENT_BYTES, libc::MADV_DONTNEED)
            };
        }
    }
}

/// Runs `work` on a stack of at least `size` bytes. A panic propagates to the caller.
///
/// # Errors
/// Returns [`NoStack`] if there is no memory for the stack; `work` was not run then.
pub fn on_stack<T>(size: usize, work: impl FnOnce() -> T) -> Result<T, NoStack> {
    /// Guard that puts the stack back even if the work panics.
    struct StackGuard {
        spare: Option<Box<Spare>>,
        requested: usize,
    }
    impl Drop for StackGuard {
        fn drop(&mut self) {
            self.spare.take().into_iter().for_each(|spare| spare.put_back(self.requested));
        }
    }
    let mut guard = StackGuard { spare: Some(Spare::take(size)?), requested: size };
    let spare = guard.spare.as_mut().ok_or(NoStack)?;
    Ok(corosensei::on_stack(&mut spare.stack, work))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn deep(levels: usize) -> usize {
        let room = std::hint::black_box([levels; 128]);
        if levels == 0 { 0 } else { deep(levels - 1) + usize::from(room[levels % 128] == levels) }
    }

    #[test]
    fn a_small_thread_goes_deep() {
        let thread = std::thread::Builder::new().stack_size(64 << 10);
        let work = || {
            for _ in 0..3 {
                assert_eq!(on_stack(16 << 20, || deep(8000)), Ok(8000));
            }
            // One stack is used within the other.
            assert_eq!(on_stack(1 << 20, || on_stack(16 << 20, || deep(8000))), Ok(Ok(8000)));
        };
        thread.spawn(work).unwrap().join().unwrap();
    }

    #[test]
    fn a_panic_comes_through() {
        let caught =
            std::panic::catch_unwind(|| on_stack(1 << 20, || std::panic::resume_unwind(Box::new(7))));
        assert_eq!(caught.unwrap_err().downcast_ref::<i32>(), Some(&7));
    }

    #[test]
    fn no_stack_is_an_error() {
        assert_eq!(on_stack(1 << 60, || 1), Err(NoStack));
        assert_eq!(on_stack(1 << 20, || 1), Ok(1));
    }
}
