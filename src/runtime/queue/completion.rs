//! How many commands of an in-order queue have ended, and the threads that sleep until there are enough.
//!
//! Commands end all the time and somebody sleeps rarely, so the fence between counting and looking for sleepers is left to
//! the thread that is about to sleep (`support::sync::fence`).

use std::time::Duration;

use crate::support::sync::atomic::{AtomicU64, Ordering};
use crate::support::sync::{Condvar, Mutex, fence};

/// How many commands of a queue have ended.
pub(super) struct Ended {
    /// Written by the thread that has the batch.
    count: AtomicU64,
    /// The least count that a thread sleeps for, or less; all ones if none does. Written under the queue's lock.
    wanted: AtomicU64,
    /// Where they sleep.
    reached: Condvar,
}

/// Nobody sleeps.
const NOBODY: u64 = u64::MAX;

/// How long a thread sleeps that cannot rely on being woken.
const NAP: Duration = Duration::from_millis(1);

impl Default for Ended {
    fn default() -> Self {
        Self { count: AtomicU64::new(0), wanted: AtomicU64::new(NOBODY), reached: Condvar::new() }
    }
}

impl Ended {
    /// Whether the first so many commands have ended.
    pub fn reaches(&self, number: u64) -> bool {
        self.count.load(Ordering::Acquire) >= number
    }

    /// The place of the first that has not, for the thread that has the batch.
    pub fn next(&self) -> u64 {
        self.count.load(Ordering::Relaxed) + 1
    }

    /// One more has. Only for the thread that has the batch; `lock` is the queue's.
    pub fn count<S>(&self, lock: &Mutex<S>) {
        let count = self.count.load(Ordering::Relaxed) + 1;
        self.count.store(count, Ordering::Release);
        // A thread that is going to sleep says so and then looks at the count; this one counts and then looks whether anybody
        // sleeps. With a fence between both on both sides, either this sees the other, or the other the count.
        fence::light();
        if self.wanted.load(Ordering::Relaxed) <= count {
            self.wake(lock);
        }
    }

    #[cold]
    fn wake<S>(&self, lock: &Mutex<S>) {
        // Threads that sleep have looked under the lock, and sleep once this one has it. If they must sleep on, they say so
        // anew.
        let state = lock.lock();
        self.wanted.store(NOBODY, Ordering::Relaxed);
        drop(state);
        self.reached.notify_all();
    }

    /// Sleeps until the first so many commands have ended.
    pub fn sleep_until<S>(&self, number: u64, lock: &Mutex<S>) {
        let mut state = lock.lock();
        loop {
            let wanted = self.wanted.load(Ordering::Relaxed);
            self.wanted.store(wanted.min(number), Ordering::Relaxed);
            let is_fenced = fence::heavy();
            if self.reaches(number) {
                break;
            }
            state = if is_fenced { self.reached.wait(state) } else { self.reached.wait_timeout(state, NAP) };
        }
        drop(state);
    }
}
