//! Count of the ended commands of an in-order queue, and the threads that sleep until it is high enough.
//!
//! Commands end frequently and threads sleep rarely, so the fence between counting and checking for sleepers is
//! left to the thread that is about to sleep (`support::sync::fence`).

use std::time::Duration;

use grus_support::sync::atomic::{AtomicU64, Ordering};
use grus_support::sync::{Condvar, Mutex, fence};

/// Number of commands of a queue that have ended.
pub(super) struct CompletionCounter {
    /// Number of commands that have ended; written by the thread that has the batch.
    count: AtomicU64,
    /// Smallest count that a thread sleeps for, or less; `NO_SLEEPER` if no thread sleeps. Written under the queue's
    /// lock.
    wanted: AtomicU64,
    /// Condition variable at which the threads sleep.
    reached: Condvar,
}

/// Value of `wanted` while no thread sleeps.
const NO_SLEEPER: u64 = u64::MAX;

/// Maximum time for which a thread sleeps if it cannot rely on being woken.
// Arbitrary.
const MAX_SLEEP: Duration = Duration::from_millis(1);

impl Default for CompletionCounter {
    fn default() -> Self {
        Self { count: AtomicU64::new(0), wanted: AtomicU64::new(NO_SLEEPER), reached: Condvar::new() }
    }
}

impl CompletionCounter {
    /// Checks whether the first `number` commands have ended.
    pub fn reaches(&self, number: u64) -> bool {
        self.count.load(Ordering::Acquire) >= number
    }

    /// Returns the position of the first command that has not ended. Only for the thread that has the batch.
    pub fn next(&self) -> u64 {
        self.count.load(Ordering::Relaxed) + 1
    }

    /// Counts one more command that has ended. Only for the thread that has the batch; `lock` is the queue's.
    pub fn count<S>(&self, lock: &Mutex<S>) {
        let count = self.count.load(Ordering::Relaxed) + 1;
        self.count.store(count, Ordering::Release);
        // A thread that is about to sleep first writes `wanted` and then reads the count; this thread first writes
        // the count and then reads `wanted`. With a fence in between on both sides, at least one of them sees the
        // other's write.
        fence::light();
        if self.wanted.load(Ordering::Relaxed) <= count {
            self.wake(lock);
        }
    }

    #[cold]
    fn wake<S>(&self, lock: &Mutex<S>) {
        // A sleeping thread checked the count under the lock and was asleep when it gave up the lock. A thread that
        // has to sleep again writes `wanted` again.
        let state = lock.lock();
        self.wanted.store(NO_SLEEPER, Ordering::Relaxed);
        drop(state);
        self.reached.notify_all();
    }

    /// Sleeps until the first `number` commands have ended.
    pub fn sleep_until<S>(&self, number: u64, lock: &Mutex<S>) {
        let mut state = lock.lock();
        loop {
            let wanted = self.wanted.load(Ordering::Relaxed);
            self.wanted.store(wanted.min(number), Ordering::Relaxed);
            let is_fenced = fence::heavy();
            if self.reaches(number) {
                break;
            }
            state = if is_fenced {
                self.reached.wait(state)
            } else {
                self.reached.wait_timeout(state, MAX_SLEEP)
            };
        }
        drop(state);
    }
}
