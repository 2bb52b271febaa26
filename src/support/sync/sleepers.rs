//! Whether anybody sleeps. Waking is a system call even if nobody does, so threads that could wake others ask first.

use super::atomic::{AtomicU32, Ordering};

/// Threads that sleep or are about to, and have not given the lock back.
#[derive(Debug, Default)]
pub struct Sleepers {
    pub(super) count: AtomicU32,
}

impl Sleepers {
    /// This thread sleeps inside `sleep`, which gives the lock back that what it waits for changes under.
    #[inline]
    pub fn while_asleep<G>(&self, sleep: impl FnOnce() -> G) -> G {
        // Under the lock: a thread that changes what this one waits for sees it.
        self.count.fetch_add(1, Ordering::Relaxed);
        let guard = sleep();
        self.count.fetch_sub(1, Ordering::Relaxed);
        guard
    }

    /// For a thread that has had the lock, and changed something under it.
    #[inline]
    pub fn any(&self) -> bool {
        self.count.load(Ordering::Relaxed) != 0
    }
}
