//! Number of sleeping threads. A wake-up is a system call even if no thread sleeps, so threads check this number
//! first.

use super::atomic::{AtomicU32, Ordering};

/// Number of threads that sleep or are about to, and have not reacquired the lock yet.
#[derive(Debug, Default)]
pub struct Sleepers {
    pub(super) count: AtomicU32,
}

impl Sleepers {
    /// Counts this thread as a sleeper during `sleep`, which releases the lock that guards the awaited condition.
    #[inline]
    pub fn while_asleep<G>(&self, sleep: impl FnOnce() -> G) -> G {
        // This is under the lock, so a thread that later changes the condition sees the count.
        self.count.fetch_add(1, Ordering::Relaxed);
        let guard = sleep();
        self.count.fetch_sub(1, Ordering::Relaxed);
        guard
    }

    /// Checks whether any thread sleeps. The caller has changed the condition under the lock.
    #[inline]
    pub fn any(&self) -> bool {
        self.count.load(Ordering::Relaxed) != 0
    }
}
