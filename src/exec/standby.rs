//! Threads that stay awake a while after their share of something: programs that launch or copy in a loop come again at once, and
//! to wake a thread takes as long as a short launch.

use crossbeam::utils::CachePadded;

use crate::support::sync::Mutex;
use crate::support::sync::atomic::{AtomicUsize, Ordering};

/// What a thread is given to do.
pub(super) type Order = Box<dyn FnOnce() + Send>;

/// The threads of a pool that stand by.
pub(super) struct Standby {
    /// How many do at most, those that are at work included: more would take processors from those that work.
    most: usize,
    /// How many do.
    all: CachePadded<AtomicUsize>,
    /// Those of them that have been promised nothing.
    free: CachePadded<AtomicUsize>,
    /// How many orders there are.
    count: CachePadded<AtomicUsize>,
    /// One for each promise that nobody has redeemed yet.
    orders: Mutex<Vec<Order>>,
}

impl Standby {
    /// None yet, and at most so many.
    pub fn new(most: usize) -> Standby {
        let [all, free, count] = [0, 0, 0].map(|none| CachePadded::new(AtomicUsize::new(none)));
        Standby { most, all, free, count, orders: Mutex::new(Vec::with_capacity(most)) }
    }

    /// Whether there is one that nobody has promised anything. Those at work may be about to end it: as long as `waits` says, which
    /// is asked again and again, one of them may become free.
    pub fn has_free(&self, mut waits: impl FnMut() -> bool) -> bool {
        while self.all.load(Ordering::Relaxed) != 0 {
            if self.free.load(Ordering::Relaxed) != 0 {
                return true;
            }
            if !waits() {
                break;
            }
        }
        false
    }

    /// Has a thread that stands by do it; gives it back if there is none.
    pub fn hand_over(&self, order: Order) -> Result<(), Order> {
        if !self.reserve() {
            return Err(order);
        }
        self.orders.lock().push(order);
        self.count.fetch_add(1, Ordering::Release);
        Ok(())
    }

    /// Stands by and does what is handed over, until nothing comes as long as the patience says, which is asked again and again.
    pub fn stand_by<W: FnMut() -> bool>(&self, patience: impl Fn() -> W) {
        let one_more = |all: usize| (all < self.most).then_some(all + 1);
        if self.all.fetch_update(Ordering::Relaxed, Ordering::Relaxed, one_more).is_err() {
            return;
        }
        loop {
            self.free.fetch_add(1, Ordering::Release);
            let Some(order) = self.next(patience()) else { break };
            order();
        }
        self.all.fetch_sub(1, Ordering::Relaxed);
    }

    fn next(&self, mut waits: impl FnMut() -> bool) -> Option<Order> {
        loop {
            if self.count.load(Ordering::Acquire) != 0
                && let Some(order) = self.orders.lock().pop()
            {
                self.count.fetch_sub(1, Ordering::Relaxed);
                return Some(order);
            }
            // If none is free, each has been promised something: it is about to come.
            if !waits() && self.reserve() {
                return None;
            }
        }
    }

    fn reserve(&self) -> bool {
        let one_less = |free: usize| free.checked_sub(1);
        self.free.fetch_update(Ordering::Acquire, Ordering::Relaxed, one_less).is_ok()
    }
}
