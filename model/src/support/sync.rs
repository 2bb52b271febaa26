//! Locks and atomics of `loom` with the interface of `support::sync`.

#[path = "../../../src/support/sync/sleepers.rs"]
mod sleepers;

use std::cell::Cell;
use std::mem::{ManuallyDrop, MaybeUninit};
use std::sync::{Arc, PoisonError};

pub use loom::sync::MutexGuard;

use crate::harness;
use sleepers::Sleepers;

/// Atomics that `loom` does not see dropped: it would report the drop as a racing access, since it does not know
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

/// Asymmetric fences. Both halves are full fences, since the kernel's part of the cheap one is not modeled.
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

/// Declares thread-local values. `loom` creates them when a thread begins, so no initializer is `const`.
macro_rules! of_thread {
    ($(#[$doc:meta])* static $name:ident: $type:ty = const $init:block;) => {
        loom::thread_local! { $(#[$doc])* static $name: $type = $init; }
    };
}
pub(crate) use of_thread as thread_local;

/// Cell that is handed from thread to thread. `loom` checks that one thread at a time accesses it.
pub struct HandoffCell<T>(ManuallyDrop<loom::cell::UnsafeCell<MaybeUninit<T>>>);

// SAFETY: accesses are exclusive by the contracts of `put` and `take`, and `loom` checks that; `T` may be sent.
unsafe impl<T: Send> Sync for HandoffCell<T> {}

impl<T> HandoffCell<T> {
    pub fn empty() -> Self {
        Self(ManuallyDrop::new(loom::cell::UnsafeCell::new(MaybeUninit::uninit())))
    }

    /// # Safety
    /// The cell is empty, and earlier accesses by other threads happened before.
    pub unsafe fn put(&self, value: T) {
        // SAFETY: the contract of `put` makes the access exclusive.
        self.0.with_mut(|place| unsafe { (*place).write(value) });
    }

    /// # Safety
    /// The cell has a value, and earlier accesses by other threads happened before.
    pub unsafe fn take(&self) -> T {
        // SAFETY: the contract of `take` makes the access exclusive and the value initialized.
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

// SAFETY: all threads of an interleaving run on one thread of the system.
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

    /// Waits without a time limit: wherever there are fences, nothing may rely on the timeout, so a missed wake-up
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
