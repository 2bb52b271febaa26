//! Locks: those of the standard library, without poisoning.
//!
//! They are words that the kernel's futex waits on. Nothing outside the word remembers which threads wait, so a forked child can go
//! on with a lock that was free, even if threads it does not have were asleep at it. (Locks that queue their waiters in
//! user memory would hand such a lock on to a thread that does not exist.)
//!
//! What coordinates threads takes all of this, atomics included, from here: `model/` compiles the same files against types
//! that go through every interleaving.

pub mod fence;
mod handed;
mod sleepers;

use std::sync::{self, PoisonError, TryLockError};

pub use std::sync::atomic;
pub use std::thread_local;

pub use handed::Handed;
use sleepers::Sleepers;

pub use std::sync::MutexGuard;
pub use std::sync::{RwLockReadGuard, RwLockWriteGuard};

/// Mutual exclusion. A panic under the lock leaves the value as it is.
#[derive(Debug, Default)]
pub struct Mutex<T>(sync::Mutex<T>);

impl<T> Mutex<T> {
    /// A lock around `value`.
    pub const fn new(value: T) -> Self {
        Self(sync::Mutex::new(value))
    }

    /// Waits for the lock.
    #[inline]
    pub fn lock(&self) -> MutexGuard<'_, T> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// The lock, if nobody has it.
    pub fn try_lock(&self) -> Option<MutexGuard<'_, T>> {
        match self.0.try_lock() {
            Ok(guard) => Some(guard),
            Err(TryLockError::Poisoned(poisoned)) => Some(poisoned.into_inner()),
            Err(TryLockError::WouldBlock) => None,
        }
    }

    /// The value, by a reference that nobody shares.
    pub fn get_mut(&mut self) -> &mut T {
        self.0.get_mut().unwrap_or_else(PoisonError::into_inner)
    }

    /// The value.
    pub fn into_inner(self) -> T {
        self.0.into_inner().unwrap_or_else(PoisonError::into_inner)
    }
}

/// What threads that hold a lock can sleep at. What they wait for must change under that lock: to notify is to ask first
/// whether anybody sleeps, since waking is a system call even if nobody does.
#[derive(Debug, Default)]
pub struct Condvar {
    inner: sync::Condvar,
    /// In a child, those of the parent stay.
    sleepers: Sleepers,
}

impl Condvar {
    /// One without sleepers.
    pub const fn new() -> Self {
        Self { inner: sync::Condvar::new(), sleepers: Sleepers { count: atomic::AtomicU32::new(0) } }
    }

    /// Gives the lock back and sleeps; has it again when this returns. May return without reason.
    #[must_use = "this is the lock"]
    pub fn wait<'a, T>(&self, guard: MutexGuard<'a, T>) -> MutexGuard<'a, T> {
        self.sleepers.while_asleep(|| self.inner.wait(guard).unwrap_or_else(PoisonError::into_inner))
    }

    /// As [`Condvar::wait`], for at most this time.
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

/// Many readers or one writer.
#[derive(Debug, Default)]
pub struct RwLock<T>(sync::RwLock<T>);

impl<T> RwLock<T> {
    /// A lock around `value`.
    pub const fn new(value: T) -> Self {
        Self(sync::RwLock::new(value))
    }

    /// Waits until nobody writes.
    #[inline]
    pub fn read(&self) -> RwLockReadGuard<'_, T> {
        self.0.read().unwrap_or_else(PoisonError::into_inner)
    }

    /// Waits until nobody reads or writes.
    #[inline]
    pub fn write(&self) -> RwLockWriteGuard<'_, T> {
        self.0.write().unwrap_or_else(PoisonError::into_inner)
    }
}
