//! Memory through which one thread passes a value to another.

use std::cell::UnsafeCell;
use std::mem::MaybeUninit;

/// Slot for a value. Other state says whether there is a value and which thread owns it; a value left in the slot
/// is not dropped.
pub struct HandoffCell<T>(UnsafeCell<MaybeUninit<T>>);

// SAFETY: the contracts of `put` and `take` let only one thread access the slot at a time.
unsafe impl<T: Send> Sync for HandoffCell<T> {}

impl<T> HandoffCell<T> {
    /// Returns an empty slot.
    pub const fn empty() -> Self {
        Self(UnsafeCell::new(MaybeUninit::uninit()))
    }

    /// Stores a value.
    ///
    /// # Safety
    /// The slot is empty, and earlier accesses by other threads happened before.
    pub unsafe fn put(&self, value: T) {
        // SAFETY: by this function's contract no other thread accesses the slot.
        unsafe { (*self.0.get()).write(value) };
    }

    /// Takes the value.
    ///
    /// # Safety
    /// The slot has a value, and earlier accesses by other threads happened before.
    pub unsafe fn take(&self) -> T {
        // SAFETY: by this function's contract the slot has a value and no other thread accesses it.
        unsafe { (*self.0.get()).assume_init_read() }
    }
}
