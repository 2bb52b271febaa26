//! Work-stealing queues of ready launches, and counters of launches and helper threads.
//!
//! Each thread has its own queue, and steals from other queues when its own is empty. All threads share three counters,
//! which are updated once per batch of launches: ready launches, active launches, helper threads.

use std::collections::VecDeque;

use crossbeam::utils::CachePadded;

use grus_support::sync::Mutex;
use grus_support::sync::atomic::{AtomicUsize, Ordering};

/// Maximum number of launches that a thread takes at once.
// Arbitrary.
const MAX_TAKEN: usize = 16;

/// Flag in the highest bit of a counter.
const FLAG: usize = 1 << (usize::BITS - 1);

/// Ready launches of a tree; see the module.
pub(super) struct ReadyQueues<T> {
    queues: Box<[CachePadded<Mutex<VecDeque<T>>>]>,
    /// Number of unclaimed launches. The flag is set while the thread that waits for the tree sleeps.
    ready: CachePadded<AtomicUsize>,
    /// Number of launches that are ready or running.
    active: CachePadded<AtomicUsize>,
    /// Number of threads that help the thread that waits for the tree. The flag is set after an internal error: no more
    /// launches begin.
    helpers: CachePadded<AtomicUsize>,
}

impl<T> ReadyQueues<T> {
    /// Creates queues for `threads` threads, while one launch is running.
    pub fn new(threads: usize) -> Self {
        ReadyQueues {
            queues: (0..threads.max(1)).map(|_| CachePadded::default()).collect(),
            ready: CachePadded::new(AtomicUsize::new(0)),
            active: CachePadded::new(AtomicUsize::new(1)),
            helpers: CachePadded::new(AtomicUsize::new(0)),
        }
    }

    /// Adds launches to a queue. Returns true if the thread that waits for the tree must be woken.
    pub fn push(&self, queue: usize, launches: impl ExactSizeIterator<Item = T>) -> bool {
        let count = launches.len();
        if count == 0 {
            return false;
        }
        // The launch that made them ready is still counted, so that the counter does not become 0 in between.
        self.active.fetch_add(count, Ordering::Relaxed);
        self.queues[queue % self.queues.len()].lock().extend(launches);
        self.ready.fetch_add(count, Ordering::AcqRel) & FLAG != 0
    }

    /// Moves the next launches to `taken`, first from `queue`, then from others: one, or several if many are ready.
    pub fn take(&self, queue: usize, taken: &mut Vec<T>) {
        if self.is_aborted() {
            return;
        }
        let threads = self.queues.len();
        let share = |ready: usize| (ready / (2 * threads)).clamp(1, MAX_TAKEN);
        let mut claimed = 0;
        let claim = |word: usize| {
            let ready = word & !FLAG;
            claimed = share(ready);
            ready.checked_sub(claimed).map(|left| left | word & FLAG)
        };
        if self.ready.fetch_update(Ordering::AcqRel, Ordering::Acquire, claim).is_err() {
            return;
        }
        // The queues hold at least as many launches as are claimed, although other threads take and add some meanwhile.
        let mut at = queue % threads;
        while claimed > 0 {
            let mut launches = self.queues[at].lock();
            let found = claimed.min(launches.len());
            taken.extend(launches.drain(..found));
            claimed -= found;
            at = (at + 1) % threads;
        }
    }

    /// Returns the number of unclaimed launches.
    pub fn len(&self) -> usize {
        self.ready.load(Ordering::Relaxed) & !FLAG
    }

    /// Records that `count` launches have ended. Returns true if no launch is ready or running any more.
    pub fn finish(&self, count: usize) -> bool {
        count != 0 && self.active.fetch_sub(count, Ordering::AcqRel) == count
    }

    /// Checks whether a launch is ready or running.
    pub fn is_active(&self) -> bool {
        self.active.load(Ordering::Acquire) != 0
    }

    /// Announces that the thread that waits for the tree is about to sleep. Returns false if a launch is ready: it must
    /// not sleep.
    pub fn try_sleep(&self) -> bool {
        let is_empty = self.ready.fetch_or(FLAG, Ordering::AcqRel) & !FLAG == 0;
        if !is_empty {
            self.end_sleep();
        }
        is_empty
    }

    /// Records that the thread that waits for the tree is awake.
    pub fn end_sleep(&self) {
        self.ready.fetch_and(!FLAG, Ordering::AcqRel);
    }

    /// Raises the number of helpers to that of launches they can run. Returns how many threads the caller must start.
    pub fn recruit(&self, threads: usize) -> usize {
        let required = self.len().saturating_sub(1).min(threads.saturating_sub(1));
        let helpers = self.helpers.load(Ordering::Relaxed);
        // If the exchange fails, another thread starts them.
        let is_ours = helpers < required
            && self.helpers.compare_exchange(helpers, required, Ordering::AcqRel, Ordering::Relaxed).is_ok();
        if is_ours { required - helpers } else { 0 }
    }

    /// Removes a helper. Returns true if the thread that waits for the tree must be woken, since it waits for helpers
    /// to leave.
    pub fn remove_helper(&self) -> bool {
        self.helpers.fetch_sub(1, Ordering::AcqRel) & FLAG != 0
    }

    /// Prevents further launches from beginning, after an internal error.
    pub fn abort(&self) {
        self.helpers.fetch_or(FLAG, Ordering::AcqRel);
    }

    /// Checks whether further launches are prevented from beginning.
    pub fn is_aborted(&self) -> bool {
        self.helpers.load(Ordering::Relaxed) & FLAG != 0
    }

    /// Checks whether there are helpers.
    pub fn has_helpers(&self) -> bool {
        self.helpers.load(Ordering::Acquire) & !FLAG != 0
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Returns the launches that a thread takes.
    fn taken(queues: &ReadyQueues<u32>, queue: usize) -> Vec<u32> {
        let mut taken = Vec::new();
        queues.take(queue, &mut taken);
        taken
    }

    #[test]
    fn threads_take_their_own_first_and_then_from_others() {
        let queues = ReadyQueues::new(2);
        assert!(!queues.push(0, [1, 2].into_iter()));
        assert!(!queues.push(1, [3].into_iter()));
        assert_eq!(queues.len(), 3);
        assert_eq!([1, 1, 0, 0].map(|queue| taken(&queues, queue)), [vec![3], vec![1], vec![2], vec![]]);
        assert!(!queues.finish(3));
        assert!(queues.is_active());
        assert!(queues.finish(1));
        assert!(!queues.is_active());
    }

    #[test]
    fn many_are_taken_together() {
        let queues = ReadyQueues::new(2);
        queues.push(5, 0..100);
        assert_eq!(taken(&queues, 0).len(), MAX_TAKEN);
        while queues.len() > 7 {
            taken(&queues, 0);
        }
        assert_eq!(taken(&queues, 0).len(), 1);
    }

    #[test]
    fn a_sleeper_is_woken_when_a_launch_is_ready() {
        let queues = ReadyQueues::new(1);
        assert!(queues.try_sleep());
        assert!(queues.push(0, [1].into_iter()));
        queues.end_sleep();
        assert!(!queues.try_sleep());
        assert_eq!(taken(&queues, 0), [1]);
        assert!(!queues.push(0, [2].into_iter()));
    }

    #[test]
    fn there_are_as_many_helpers_as_launches() {
        let queues = ReadyQueues::new(4);
        assert_eq!(queues.recruit(4), 0);
        queues.push(0, 0..3);
        assert_eq!([queues.recruit(4), queues.recruit(4)], [2, 0]);
        queues.push(0, 0..100);
        assert_eq!(queues.recruit(4), 1);
        queues.abort();
        assert_eq!(queues.recruit(4), 0);
        assert!(taken(&queues, 0).is_empty());
        assert!(queues.remove_helper() && queues.remove_helper() && queues.has_helpers());
        assert!(queues.remove_helper() && !queues.has_helpers());
    }
}
