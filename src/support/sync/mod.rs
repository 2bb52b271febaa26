//! Locks: those of the standard library, without poisoning.
//!
//! A lock is one word that the kernel's futex waits on. Nothing outside the word records the waiting threads, so a
//! forked child can use a lock that was free, even if threads that do not exist in the child were asleep at it. (A
//! lock that queues its waiters in user memory would hand itself over to a thread that does not exist.)
//!
//! Code that coordinates threads takes all of this, atomics included, from here: `model/` compiles the same files
//! against types of loom, which explores every interleaving.

pub mod fence;
mod handed;
#[cfg(debug_assertions)]
pub mod recorded;
mod sleepers;

use std::sync::{self, PoisonError, TryLockError};

pub use std::sync::atomic;
pub use std::thread_local;

pub use handed::HandoffCell;
use sleepers::Sleepers;

pub use std::sync::MutexGuard;
pub use std::sync::{RwLockReadGuard, RwLockWriteGuard};

/// Mutual exclusion without poisoning: a panic under the lock leaves the value as it is.
#[derive(Debug, Default)]
pub struct Mutex<T>(sync::Mutex<T>);

impl<T> Mutex<T> {
    /// Returns an unlocked lock around `value`.
    pub const fn new(value: T) -> Self {
        Self(sync::Mutex::new(value))
    }

    /// Acquires the lock, waiting if necessary.
    #[inline]
    pub fn lock(&self) -> MutexGuard<'_, T> {
        #[cfg(debug_assertions)]
        recorded::record(self);
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Acquires the lock if no thread holds it.
    pub fn try_lock(&self) -> Option<MutexGuard<'_, T>> {
        #[cfg(debug_assertions)]
        recorded::record(self);
        match self.0.try_lock() {
            Ok(guard) => Some(guard),
            Err(TryLockError::Poisoned(poisoned)) => Some(poisoned.into_inner()),
            Err(TryLockError::WouldBlock) => None,
        }
    }

    /// Returns a mutable reference to the value, which nothing else can access.
    pub fn get_mut(&mut self) -> &mut T {
        self.0.get_mut().unwrap_or_else(PoisonError::into_inner)
    }

    /// Returns the value.
    pub fn into_inner(self) -> T {
        self.0.into_inner().unwrap_or_else(PoisonError::into_inner)
    }
}

/// Condition variable. The awaited condition must change under the lock, because notifying first checks for
/// sleepers: a wake-up is a system call even if no thread sleeps.
#[derive(Debug, Default)]
pub struct Condvar {
    inner: sync::Condvar,
    /// Number of sleepers. A forked child keeps the count of its parent's sleepers, which costs it superfluous
    /// wake-ups only.
    sleepers: Sleepers,
}

impl Condvar {
    /// Returns a condition variable without sleepers.
    pub const fn new() -> Self {
        Self { inner: sync::Condvar::new(), sleepers: Sleepers { count: atomic::AtomicU32::new(0) } }
    }

    /// Releases the lock and sleeps; holds the lock again on return. May return spuriously.
    #[must_use = "this is the lock"]
    pub fn wait<'a, T>(&self, guard: MutexGuard<'a, T>) -> MutexGuard<'a, T> {
        self.sleepers.while_asleep(|| self.inner.wait(guard).unwrap_or_else(PoisonError::into_inner))
    }

    /// Waits like [`Condvar::wait`], but for at most this time.
    #[must_use = "this is the lock"]
    pub fn wait_timeout<'a, T>(
        &self,
        guard: MutexGuard<'a, T>,
        most: std::time::Duration,
    ) -> MutexGuard<'a, T> {
        let sleep = || self.inner.wait_timeout(guard, most).unwrap_or_else(PoisonError::into_inner);
        self.sleepers.while_asleep(sleep).0
    }

    /// Wakes one sleeper.
    #[inline]
    pub fn notify_one(&self) {
        if self.sleepers.any() {
            self.inner.notify_one();
        }
    }

    /// Wakes all sleepers.
    #[inline]
    pub fn notify_all(&self) {
        if self.sleepers.any() {
            self.inner.notify_all();
        }
    }
}

/// Lock for many readers or one writer, without poisoning.
#[derive(Debug, Default)]
pub struct RwLock<T>(sync::RwLock<T>);

impl<T> RwLock<T> {
    /// Returns an unlocked lock around `value`.
    pub const fn new(value: T) -> Self {
        Self(sync::RwLock::new(value))
    }

    /// Waits until no thread writes.
    #[inline]
    pub fn read(&self) -> RwLockReadGuard<'_, T> {
        #[cfg(debug_assertions)]
        recorded::record(self);
        self.0.read().unwrap_or_else(PoisonError::into_inner)
    }

    /// Waits until no thread reads or writes.
    #[inline]
    pub fn write(&self) -> RwLockWriteGuard<'_, T> {
        #[cfg(debug_assertions)]
        recorded::record(self);
        self.0.write().unwrap_or_else(PoisonError::into_inner)
    }
}
