//! Memory through which threads hand something to each other.

use std::cell::UnsafeCell;
use std::mem::MaybeUninit;

/// Room for a value. Whether there is one, and whose it is, something else says; what is left in it is not dropped.
pub struct Handed<T>(UnsafeCell<MaybeUninit<T>>);

// SAFETY: it does nothing by itself. Callers promise that one thread at a time touches it.
unsafe impl<T: Send> Sync for Handed<T> {}

impl<T> Handed<T> {
    /// Without a value.
    pub const fn empty() -> Self {
        Self(UnsafeCell::new(MaybeUninit::uninit()))
    }

    /// Leaves a value.
    ///
    /// # Safety
    /// There is none, and what others have done here happened before.
    pub unsafe fn put(&self, value: T) {
        // SAFETY: the caller's promise.
        unsafe { (*self.0.get()).write(value) };
    }

    /// Takes the value.
    ///
    /// # Safety
    /// There is one, and what others have done here happened before.
    pub unsafe fn take(&self) -> T {
        // SAFETY: the caller's promise.
        unsafe { (*self.0.get()).assume_init_read() }
    }
}
