//! Launches of a tree that can begin, and the threads that look for them.
//!
//! Each thread has a queue of its own, and takes from those of others when it finds nothing there. What all share are three
//! words, which change once for several launches: how many are ready, how many are not over, how many threads help.

use std::collections::VecDeque;

use crossbeam::utils::CachePadded;

use crate::support::sync::Mutex;
use crate::support::sync::atomic::{AtomicUsize, Ordering};

/// What one thread takes at once at most.
const MOST_TAKEN: usize = 16;

/// The highest bit of a word says something else than a number.
const MARK: usize = 1 << (usize::BITS - 1);

/// See the module.
pub(super) struct ReadyQueues<T> {
    queues: Box<[CachePadded<Mutex<VecDeque<T>>>]>,
    /// Launches that nobody has claimed. Marked while the thread that waits for the tree sleeps.
    ready: CachePadded<AtomicUsize>,
    /// Launches that are ready or run.
    active: CachePadded<AtomicUsize>,
    /// Threads that run launches beside the one that waits for the tree. Marked after a bug of ours: nothing more begins.
    helpers: CachePadded<AtomicUsize>,
}

impl<T> ReadyQueues<T> {
    /// For so many threads, while one launch runs.
    pub fn new(threads: usize) -> Self {
        ReadyQueues {
            queues: (0..threads.max(1)).map(|_| CachePadded::default()).collect(),
            ready: CachePadded::new(AtomicUsize::new(0)),
            active: CachePadded::new(AtomicUsize::new(1)),
            helpers: CachePadded::new(AtomicUsize::new(0)),
        }
    }

    /// Adds launches to the queue at this place. Says whether the thread that waits for the tree is to be woken.
    pub fn push(&self, place: usize, launches: impl ExactSizeIterator<Item = T>) -> bool {
        let count = launches.len();
        if count == 0 {
            return false;
        }
        // What makes them ready runs: the number does not become 0 in between.
        self.active.fetch_add(count, Ordering::Relaxed);
        self.queues[place % self.queues.len()].lock().extend(launches);
        self.ready.fetch_add(count, Ordering::AcqRel) & MARK != 0
    }

    /// Moves the next launches to `taken`, those at this place first. There are several if many are ready.
    pub fn take(&self, place: usize, taken: &mut Vec<T>) {
        if self.is_broken() {
            return;
        }
        let threads = self.queues.len();
        let share = |ready: usize| (ready / (2 * threads)).clamp(1, MOST_TAKEN);
        let mut claimed = 0;
        let claim = |word: usize| {
            let ready = word & !MARK;
            claimed = share(ready);
            ready.checked_sub(claimed).map(|left| left | word & MARK)
        };
        if self.ready.fetch_update(Ordering::AcqRel, Ordering::Acquire, claim).is_err() {
            return;
        }
        // As many are in the queues and are nobody else's, though others may take and add some meanwhile.
        let mut at = place % threads;
        while claimed > 0 {
            let mut queue = self.queues[at].lock();
            let found = claimed.min(queue.len());
            taken.extend(queue.drain(..found));
            claimed -= found;
            at = (at + 1) % threads;
        }
    }

    /// How many launches nobody has claimed.
    pub fn len(&self) -> usize {
        self.ready.load(Ordering::Relaxed) & !MARK
    }

    /// So many launches are over. Says whether none is left that runs or can.
    pub fn over(&self, count: usize) -> bool {
        count != 0 && self.active.fetch_sub(count, Ordering::AcqRel) == count
    }

    /// Whether a launch runs or can.
    pub fn is_active(&self) -> bool {
        self.active.load(Ordering::Acquire) != 0
    }

    /// The thread that waits for the tree is going to sleep; not if something is ready.
    pub fn falls_asleep(&self) -> bool {
        let is_empty = self.ready.fetch_or(MARK, Ordering::AcqRel) & !MARK == 0;
        if !is_empty {
            self.wakes_up();
        }
        is_empty
    }

    /// It sleeps no more.
    pub fn wakes_up(&self) {
        self.ready.fetch_and(!MARK, Ordering::AcqRel);
    }

    /// Counts threads that are to be called, so that there are as many as have something to do. The result is how many.
    pub fn call(&self, threads: usize) -> usize {
        let wanted = self.len().saturating_sub(1).min(threads.saturating_sub(1));
        let helpers = self.helpers.load(Ordering::Relaxed);
        // Whoever comes at the same time calls them.
        let is_mine = helpers < wanted
            && self.helpers.compare_exchange(helpers, wanted, Ordering::AcqRel, Ordering::Relaxed).is_ok();
        if is_mine { wanted - helpers } else { 0 }
    }

    /// A thread helps no more. Says whether the thread that waits for the tree waits for that.
    pub fn leave(&self) -> bool {
        self.helpers.fetch_sub(1, Ordering::AcqRel) & MARK != 0
    }

    /// After a bug of ours: nothing more begins.
    pub fn break_up(&self) {
        self.helpers.fetch_or(MARK, Ordering::AcqRel);
    }

    /// Whether nothing more begins.
    pub fn is_broken(&self) -> bool {
        self.helpers.load(Ordering::Relaxed) & MARK != 0
    }

    /// Whether a thread helps.
    pub fn has_helpers(&self) -> bool {
        self.helpers.load(Ordering::Acquire) & !MARK != 0
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// What a thread takes at a place.
    fn taken(queues: &ReadyQueues<u32>, place: usize) -> Vec<u32> {
        let mut taken = Vec::new();
        queues.take(place, &mut taken);
        taken
    }

    #[test]
    fn threads_take_their_own_first_and_then_from_others() {
        let queues = ReadyQueues::new(2);
        assert!(!queues.push(0, [1, 2].into_iter()));
        assert!(!queues.push(1, [3].into_iter()));
        assert_eq!(queues.len(), 3);
        assert_eq!([1, 1, 0, 0].map(|place| taken(&queues, place)), [vec![3], vec![1], vec![2], vec![]]);
        assert!(!queues.over(3));
        assert!(queues.is_active());
        assert!(queues.over(1));
        assert!(!queues.is_active());
    }

    #[test]
    fn many_are_taken_together() {
        let queues = ReadyQueues::new(2);
        queues.push(5, 0..100);
        assert_eq!(taken(&queues, 0).len(), MOST_TAKEN);
        while queues.len() > 7 {
            taken(&queues, 0);
        }
        assert_eq!(taken(&queues, 0).len(), 1);
    }

    #[test]
    fn a_sleeper_is_woken_once_there_is_something() {
        let queues = ReadyQueues::new(1);
        assert!(queues.falls_asleep());
        assert!(queues.push(0, [1].into_iter()));
        queues.wakes_up();
        assert!(!queues.falls_asleep());
        assert_eq!(taken(&queues, 0), [1]);
        assert!(!queues.push(0, [2].into_iter()));
    }

    #[test]
    fn as_many_help_as_have_something_to_do() {
        let queues = ReadyQueues::new(4);
        assert_eq!(queues.call(4), 0);
        queues.push(0, 0..3);
        assert_eq!([queues.call(4), queues.call(4)], [2, 0]);
        queues.push(0, 0..100);
        assert_eq!(queues.call(4), 1);
        queues.break_up();
        assert_eq!(queues.call(4), 0);
        assert!(taken(&queues, 0).is_empty());
        assert!(queues.leave() && queues.leave() && queues.has_helpers());
        assert!(queues.leave() && !queues.has_helpers());
    }
}
