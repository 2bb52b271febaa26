//! Process forks do not occur in the model. Globals are created anew for each interleaving.

use std::marker::PhantomData;

use crate::harness;

pub struct Task(());

impl Task {
    #[expect(clippy::new_without_default, reason = "as the real one")]
    pub fn new() -> Self {
        Self(())
    }
}

impl Drop for Task {
    fn drop(&mut self) {}
}

/// Value that exists once per interleaving. Values of earlier interleavings are leaked, since their contents must
/// not be accessed any more.
pub struct Global<T> {
    /// Byte that gives each global an address of its own.
    _place: u8,
    _value: PhantomData<T>,
}

impl<T> Global<T> {
    const fn new() -> Self {
        Self { _place: 0, _value: PhantomData }
    }

    pub const fn of_threads() -> Self {
        Self::new()
    }

    pub const fn fact() -> Self {
        Self::new()
    }

    pub fn get(&self, make: impl FnOnce() -> T) -> &T {
        let address =
            harness::global(std::ptr::from_ref(self).addr(), || Box::into_raw(Box::new(make())).cast());
        // SAFETY: `address` was made by this global from a leaked box of `T`, so it is valid for ever.
        unsafe { &*address.cast::<T>() }
    }
}

// SAFETY: all threads of an interleaving that share a value run on one thread of the system.
unsafe impl<T> Sync for Global<T> {}
