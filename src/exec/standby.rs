//! Threads that stay awake a while after their share of something: programs that launch or copy in a loop come again at once, and
//! to wake a thread takes as long as a short launch.
//!
//! Each has a place, one line of the caches, at which it looks and others leave what it is to do: two transfers of a line from
//! one processor to another, which may take a third of a microsecond each.

use std::ptr;

use crossbeam::utils::CachePadded;

use crate::support::sync::atomic::{AtomicPtr, Ordering};

/// The threads of a pool that stand by for orders.
pub(super) struct Standby<O> {
    /// As many as there may be, those at work included: more would take processors from those that work.
    places: Box<[CachePadded<Place<O>>]>,
}

/// Where a thread stands by: one of the states below, or the order that was left there, which the thread owns.
struct Place<O>(AtomicPtr<O>);

/// Nobody is there.
fn empty<O>() -> *mut O {
    ptr::null_mut()
}

/// Somebody looks.
fn free<O>() -> *mut O {
    ptr::without_provenance_mut(1)
}

/// The one whose place it is is at work.
fn busy<O>() -> *mut O {
    ptr::without_provenance_mut(2)
}

impl<O> Place<O> {
    fn new() -> Place<O> {
        const { assert!(align_of::<O>() > 2, "no order has the address of a state") };
        Place(AtomicPtr::new(empty()))
    }

    /// Goes from one state to another, if that is the one.
    fn change(&self, from: *mut O, to: *mut O) -> bool {
        // Looking first leaves the line where it is.
        self.0.load(Ordering::Relaxed) == from
            && self.0.compare_exchange(from, to, Ordering::AcqRel, Ordering::Relaxed).is_ok()
    }

    /// The next order; none if nothing has come as long as `waits` says, and nothing will.
    fn next(&self, mut waits: impl FnMut() -> bool) -> Option<Box<O>> {
        loop {
            let found = self.0.load(Ordering::Acquire);
            if found != free() {
                self.0.store(busy(), Ordering::Relaxed);
                // SAFETY: what somebody has left comes from a box, and only this thread takes it from here.
                return Some(unsafe { Box::from_raw(found) });
            }
            if !waits() && self.change(free(), empty()) {
                return None;
            }
        }
    }
}

impl<O: Send> Standby<O> {
    /// None yet, and at most so many.
    pub fn new(most: usize) -> Standby<O> {
        Standby { places: (0..most).map(|_| CachePadded::new(Place::new())).collect() }
    }

    /// Whether there is one that nobody has left anything for. Those at work may be about to end it: as long as `waits` says,
    /// which is asked again and again, one of them may become free.
    pub fn has_free(&self, mut waits: impl FnMut() -> bool) -> bool {
        loop {
            let mut states = self.places.iter().map(|place| place.0.load(Ordering::Relaxed));
            let mut is_there = false;
            if states.any(|state| {
                is_there |= state != empty();
                state == free()
            }) {
                return true;
            }
            if !is_there || !waits() {
                return false;
            }
        }
    }

    /// Leaves an order for a thread that stands by, first at this place; gives it back if there is none.
    pub fn hand_over(&self, order: Box<O>, first: usize) -> Result<(), Box<O>> {
        let count = self.places.len();
        let mut places = (0..count).map(|at| &self.places[(first + at) % count]);
        let order = Box::into_raw(order);
        if places.any(|place| place.change(free(), order)) {
            return Ok(());
        }
        // SAFETY: it comes from a box, see above, and nobody has seen it.
        Err(unsafe { Box::from_raw(order) })
    }

    /// Stands by, if there is a place, and does with orders what `run` says, until nothing comes as long as the patience
    /// says, which is asked again and again.
    pub fn stand_by<W: FnMut() -> bool>(&self, patience: impl Fn() -> W, run: impl Fn(O)) {
        let Some(place) = self.places.iter().find(|place| place.change(empty(), free())) else { return };
        while let Some(order) = place.next(patience()) {
            run(*order);
            place.0.store(free(), Ordering::Release);
        }
    }
}
