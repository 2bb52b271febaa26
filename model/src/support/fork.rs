//! Nobody forks. Globals are made anew for each interleaving.

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

/// A value of one interleaving. Those of earlier ones are leaked: what is in them must not be touched any more.
pub struct Global<T> {
    /// So that two have different addresses.
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
        // SAFETY: this global made it, and it is never freed.
        unsafe { &*address.cast::<T>() }
    }
}

// SAFETY: all threads that share one value are one thread of the system.
unsafe impl<T> Sync for Global<T> {}
