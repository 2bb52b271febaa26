//! Threads that stay awake a while after their share of something: programs that launch or copy in a loop come again at once, and
//! to wake a thread takes as long as a short launch.
//!
//! Each has a place, one line of the caches, at which it looks and others leave what it is to do: two transfers of a line from
//! one processor to another, which may take a third of a microsecond each.

use std::sync::Arc;

use crossbeam::utils::CachePadded;

use crate::support::sync::Mutex;
use crate::support::sync::atomic::{AtomicU32, Ordering};

/// What a thread is given to do.
pub(super) type Order = Box<dyn FnOnce(&Arc<Standby>) + Send>;

/// The threads of a pool that stand by.
pub(super) struct Standby {
    /// As many as there may be, those at work included: more would take processors from those that work.
    places: Box<[CachePadded<Place>]>,
}

/// Where a thread stands by.
#[derive(Default)]
struct Place {
    state: AtomicU32,
    order: Mutex<Option<Order>>,
}

/// Nobody is there.
const EMPTY: u32 = 0;
/// Somebody looks.
const FREE: u32 = 1;
/// Somebody is about to leave an order.
const PROMISED: u32 = 2;
/// There is an order.
const ORDERED: u32 = 3;
/// The one whose place it is is at work.
const BUSY: u32 = 4;

impl Place {
    /// Goes from one state to another, if that is the one.
    fn change(&self, from: u32, to: u32) -> bool {
        // Looking first leaves the line where it is.
        self.state.load(Ordering::Relaxed) == from
            && self.state.compare_exchange(from, to, Ordering::AcqRel, Ordering::Relaxed).is_ok()
    }

    /// The next order; none if nothing has come as long as `waits` says, and nothing will.
    fn next(&self, mut waits: impl FnMut() -> bool) -> Option<Order> {
        loop {
            if self.state.load(Ordering::Acquire) == ORDERED {
                self.state.store(BUSY, Ordering::Relaxed);
                return self.order.lock().take();
            }
            if !waits() && self.change(FREE, EMPTY) {
                return None;
            }
        }
    }
}

impl Standby {
    /// None yet, and at most so many.
    pub fn new(most: usize) -> Standby {
        Standby { places: (0..most).map(|_| CachePadded::default()).collect() }
    }

    /// Whether there is one that nobody has promised anything. Those at work may be about to end it: as long as `waits` says, which
    /// is asked again and again, one of them may become free.
    pub fn has_free(&self, mut waits: impl FnMut() -> bool) -> bool {
        loop {
            let mut states = self.places.iter().map(|place| place.state.load(Ordering::Relaxed));
            let mut is_there = false;
            if states.any(|state| {
                is_there |= state != EMPTY;
                state == FREE
            }) {
                return true;
            }
            if !is_there || !waits() {
                return false;
            }
        }
    }

    /// Has a thread that stands by do it, first at this place; gives it back if there is none.
    pub fn hand_over(&self, order: Order, first: usize) -> Result<(), Order> {
        let count = self.places.len();
        let mut places = (0..count).map(|at| &self.places[(first + at) % count]);
        let Some(place) = places.find(|place| place.change(FREE, PROMISED)) else { return Err(order) };
        *place.order.lock() = Some(order);
        place.state.store(ORDERED, Ordering::Release);
        Ok(())
    }

    /// Stands by, if there is a place, and does what is handed over, until nothing comes as long as the patience says, which is
    /// asked again and again.
    pub fn stand_by<W: FnMut() -> bool>(self: &Arc<Self>, patience: impl Fn() -> W) {
        let Some(place) = self.places.iter().find(|place| place.change(EMPTY, FREE)) else { return };
        while let Some(order) = place.next(patience()) {
            order(self);
            place.state.store(FREE, Ordering::Release);
        }
    }
}
