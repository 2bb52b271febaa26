//! Locks and atomics of `loom` in the clothes of `support::sync`.

#[path = "../../../src/support/sync/sleepers.rs"]
mod sleepers;

use std::cell::Cell;
use std::mem::{ManuallyDrop, MaybeUninit};
use std::sync::{Arc, PoisonError};

pub use loom::sync::MutexGuard;

use crate::harness;
use sleepers::Sleepers;

/// Atomics, whose end `loom` does not see: it would take it for an access that races with others, since it does not know of
/// the reference counts of `Arc`.
pub mod atomic {
    use std::mem::ManuallyDrop;
    use std::ops::Deref;

    pub use loom::sync::atomic::Ordering;

    macro_rules! atomics {
        ($($name:ident: $value:ty),*) => {
            $(#[derive(Debug)]
            pub struct $name(ManuallyDrop<loom::sync::atomic::$name>);

            impl $name {
                pub fn new(value: $value) -> Self {
                    Self(ManuallyDrop::new(loom::sync::atomic::$name::new(value)))
                }
            }

            impl Default for $name {
                fn default() -> Self {
                    Self::new(Default::default())
                }
            }

            impl Deref for $name {
                type Target = loom::sync::atomic::$name;
                fn deref(&self) -> &Self::Target {
                    &self.0
                }
            })*
        };
    }

    atomics!(AtomicBool: bool, AtomicI32: i32, AtomicU32: u32, AtomicU64: u64, AtomicUsize: usize);

    pub struct AtomicPtr<T>(ManuallyDrop<loom::sync::atomic::AtomicPtr<T>>);

    impl<T> AtomicPtr<T> {
        pub fn new(value: *mut T) -> Self {
            Self(ManuallyDrop::new(loom::sync::atomic::AtomicPtr::new(value)))
        }
    }

    impl<T> Deref for AtomicPtr<T> {
        type Target = loom::sync::atomic::AtomicPtr<T>;
        fn deref(&self) -> &Self::Target {
            &self.0
        }
    }
}

/// Both halves are whole fences: what the kernel does for the cheap one is not to be modelled.
pub mod fence {
    use loom::sync::atomic::{Ordering, fence};

    pub fn light() {
        fence(Ordering::SeqCst);
    }

    pub fn heavy() -> bool {
        fence(Ordering::SeqCst);
        true
    }
}

/// `loom` makes them when a thread begins, so nothing is `const`.
macro_rules! of_thread {
    ($(#[$doc:meta])* static $name:ident: $type:ty = const $init:block;) => {
        loom::thread_local! { $(#[$doc])* static $name: $type = $init; }
    };
}
pub(crate) use of_thread as thread_local;

/// `loom` sees to it that one thread at a time touches it.
pub struct HandoffCell<T>(ManuallyDrop<loom::cell::UnsafeCell<MaybeUninit<T>>>);

// SAFETY: as of what it stands for.
unsafe impl<T: Send> Sync for HandoffCell<T> {}

impl<T> HandoffCell<T> {
    pub fn empty() -> Self {
        Self(ManuallyDrop::new(loom::cell::UnsafeCell::new(MaybeUninit::uninit())))
    }

    /// # Safety
    /// As of what it stands for.
    pub unsafe fn put(&self, value: T) {
        // SAFETY: the caller's promise.
        self.0.with_mut(|place| unsafe { (*place).write(value) });
    }

    /// # Safety
    /// As of what it stands for.
    pub unsafe fn take(&self) -> T {
        // SAFETY: the caller's promise.
        self.0.with_mut(|place| unsafe { (*place).assume_init_read() })
    }
}

#[derive(Debug, Default)]
pub struct Mutex<T>(loom::sync::Mutex<T>);

impl<T> Mutex<T> {
    pub fn new(value: T) -> Self {
        Self(loom::sync::Mutex::new(value))
    }

    pub fn lock(&self) -> MutexGuard<'_, T> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }

    pub fn get_mut(&mut self) -> &mut T {
        self.0.get_mut().unwrap_or_else(PoisonError::into_inner)
    }
}

#[derive(Debug, Default)]
pub struct Condvar {
    inner: Arc<loom::sync::Condvar>,
    sleepers: Sleepers,
    known: Cell<bool>,
}

// SAFETY: all threads of an interleaving are one thread of the system.
unsafe impl Sync for Condvar {}

impl Condvar {
    pub fn new() -> Self {
        Self::default()
    }

    pub fn wait<'a, T>(&self, guard: MutexGuard<'a, T>) -> MutexGuard<'a, T> {
        if !self.known.replace(true) {
            harness::knows(&self.inner);
        }
        let guard = harness::if_open(guard);
        let sleep = || self.inner.wait(guard).unwrap_or_else(PoisonError::into_inner);
        harness::if_open(self.sleepers.while_asleep(sleep))
    }

    /// As long as any: where there are fences nothing may rely on the end of a nap, so that one that should have been ended
    /// shows as a deadlock.
    pub fn wait_timeout<'a, T>(
        &self,
        guard: MutexGuard<'a, T>,
        _most: std::time::Duration,
    ) -> MutexGuard<'a, T> {
        self.wait(guard)
    }

    pub fn notify_one(&self) {
        if self.sleepers.any() {
            self.inner.notify_one();
        }
    }

    pub fn notify_all(&self) {
        if self.sleepers.any() {
            self.inner.notify_all();
        }
    }
}
