//! Threads that stay awake a while after their share of something: programs that launch or copy in a loop come again at once, and
//! to wake a thread takes as long as a short launch.
//!
//! Each has a place, at which it looks and others leave what it is to do: one line of the caches, with all that it needs to
//! begin, since each line goes from one processor to another in a tenth of a microsecond, or a fifth. Where only those look who
//! leave something stands who may do so. A thread that looks has the line to itself, by an operation that would change what it
//! finds: so it has claimed the order when it has seen it, which then costs one transfer, and its end another one.

use crossbeam::utils::CachePadded;

use crate::support::sync::atomic::{AtomicU32, Ordering};
use crate::support::sync::{Condvar, Handed, Mutex};

/// The threads of a pool that stand by for orders.
pub(in crate::exec) struct IdleWorkers<O> {
    /// As many as there may be, those at work included: more would take processors from those that work.
    places: Box<[WorkerSlot<O>]>,
}

/// Where a thread stands by.
struct WorkerSlot<O> {
    door: CachePadded<SlotState>,
    slot: CachePadded<Mailbox<O>>,
}

/// What those look at who have an order.
struct SlotState {
    state: AtomicU32,
    /// Where somebody sleeps who waits for the end of an order.
    sleep: Mutex<()>,
    ended: Condvar,
}

/// Nobody is there.
const EMPTY: u32 = 0;
/// Somebody looks, and nobody has left anything.
const FREE: u32 = 1;
/// For somebody with an order, until that is done.
const HELD: u32 = 2;

/// What the thread looks at.
#[repr(C)]
pub(in crate::exec) struct Mailbox<O> {
    word: AtomicU32,
    /// Whose it is, the word says.
    order: Handed<O>,
}

/// There is none.
const NOTHING: u32 = 0;
/// There is one, whose end nobody waits for.
const GIVEN: u32 = 1;
/// There is one, that somebody waits for, and may take back.
const LENT: u32 = 2;
/// It is being done.
const CLAIMED: u32 = 3;
/// The same, and somebody sleeps until it is over.
const AWAITED: u32 = 4;
/// It is over, well or not.
const DONE: u32 = 5;
const FAILED: u32 = 6;

impl<O> WorkerSlot<O> {
    fn new() -> WorkerSlot<O> {
        let door = SlotState { state: AtomicU32::new(EMPTY), sleep: Mutex::new(()), ended: Condvar::new() };
        let slot = Mailbox { word: AtomicU32::new(NOTHING), order: Handed::empty() };
        WorkerSlot { door: CachePadded::new(door), slot: CachePadded::new(slot) }
    }

    /// Goes from one state to another, if that is the one.
    fn change(&self, from: u32, to: u32) -> bool {
        let state = &self.door.state;
        // Looking first leaves the line where it is.
        state.load(Ordering::Relaxed) == from
            && state.compare_exchange(from, to, Ordering::AcqRel, Ordering::Relaxed).is_ok()
    }

    /// Leaves an order, by whoever holds the place.
    fn leave(&self, order: O, how: u32) {
        // SAFETY: the last one was taken, by who did it or who took it back; both came before this one holds the place.
        unsafe { self.slot.order.put(order) };
        self.slot.word.store(how, Ordering::Release);
    }

    /// The next order, and whether somebody waits for it; none if nothing has come as long as `waits` says, and nothing will.
    fn next(&self, mut waits: impl FnMut() -> bool) -> Option<(O, bool)> {
        let word = &self.slot.word;
        loop {
            let is_lent = match word.compare_exchange(LENT, CLAIMED, Ordering::Acquire, Ordering::Acquire) {
                Ok(_) => Some(true),
                Err(GIVEN) => Some(false),
                Err(_) => None,
            };
            if let Some(is_lent) = is_lent {
                // SAFETY: it was left here, and nobody else takes what was given, or what was claimed.
                return Some((unsafe { self.slot.order.take() }, is_lent));
            }
            if !waits() && self.change(FREE, EMPTY) {
                return None;
            }
        }
    }

    /// Says to who waits for it how an order has ended.
    fn say(&self, is_well: bool) {
        let end = if is_well { DONE } else { FAILED };
        if self.slot.word.swap(end, Ordering::AcqRel) == AWAITED {
            let _sleep = self.door.sleep.lock();
            self.door.ended.notify_all();
        }
    }
}

impl<O: Send> IdleWorkers<O> {
    /// None yet, and at most so many.
    pub fn new(most: usize) -> IdleWorkers<O> {
        IdleWorkers { places: (0..most).map(|_| WorkerSlot::new()).collect() }
    }

    /// Whether there is one that nobody has left anything for. Those at work may be about to end it: as long as `waits` says,
    /// which is asked again and again, one of them may become free.
    pub fn has_free(&self, mut waits: impl FnMut() -> bool) -> bool {
        loop {
            let mut states = self.places.iter().map(|place| place.door.state.load(Ordering::Relaxed));
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

    /// Leaves an order for a thread that stands by, first at this place; gives it back if there is none.
    pub fn hand_over(&self, order: O, first: usize) -> Result<(), O> {
        let count = self.places.len();
        let mut places = (0..count).map(|at| &self.places[(first + at) % count]);
        let Some(place) = places.find(|place| place.change(FREE, HELD)) else { return Err(order) };
        place.leave(order, GIVEN);
        Ok(())
    }

    /// So many threads that stand by, for somebody who waits for what they do; fewer if there are not so many.
    pub fn hold(&self, count: usize) -> impl Iterator<Item = ReservedWorker<'_, O>> {
        let held = self.places.iter().filter(|place| place.change(FREE, HELD));
        held.take(count).map(|place| ReservedWorker { place })
    }

    /// Stands by, if there is a place, and does with orders what `run` says, and says whether it went well, until nothing comes as
    /// long as the patience says, which is asked again and again.
    pub fn run_idle<W: FnMut() -> bool>(&self, spin_budget: impl Fn() -> W, run: impl Fn(O) -> bool) {
        let Some(place) = self.places.iter().find(|place| place.change(EMPTY, FREE)) else { return };
        while let Some((order, is_lent)) = place.next(spin_budget()) {
            let is_well = run(order);
            if is_lent {
                place.say(is_well);
            } else {
                place.slot.word.store(NOTHING, Ordering::Relaxed);
                place.door.state.store(FREE, Ordering::Release);
            }
        }
    }
}

/// A thread that stands by and that nobody else gives anything to do.
pub(in crate::exec) struct ReservedWorker<'a, O> {
    place: &'a WorkerSlot<O>,
}

impl<'a, O> ReservedWorker<'a, O> {
    /// Has it do something.
    pub fn lend(self, order: O) -> PendingTask<'a, O> {
        self.place.leave(order, LENT);
        PendingTask { held: self }
    }
}

impl<O> Drop for ReservedWorker<'_, O> {
    fn drop(&mut self) {
        self.place.door.state.store(FREE, Ordering::Release);
    }
}

/// What a thread that stands by is doing for somebody. If that one does not wait for it, nobody knows when it is over.
#[must_use = "it may not be done"]
pub(in crate::exec) struct PendingTask<'a, O> {
    held: ReservedWorker<'a, O>,
}

/// How that ends.
#[derive(Debug, PartialEq, Eq)]
pub(in crate::exec) enum TaskEnd {
    Done,
    Failed,
    /// It was not begun, and will not be.
    TakenBack,
}

impl<O> PendingTask<'_, O> {
    /// Takes the order back, or waits until it is done, awake for as long as the patience says, which is asked again and again.
    pub fn end<W: FnMut() -> bool>(self, spin_budget: impl Fn() -> W) -> TaskEnd {
        let place = self.held.place;
        let word = &place.slot.word;
        let mut waits = None;
        loop {
            match word.load(Ordering::Acquire) {
                DONE => return TaskEnd::Done,
                FAILED => return TaskEnd::Failed,
                LENT => {
                    if word.compare_exchange(LENT, NOTHING, Ordering::Relaxed, Ordering::Relaxed).is_ok() {
                        // SAFETY: this one left it, and nobody has claimed it.
                        drop(unsafe { place.slot.order.take() });
                        return TaskEnd::TakenBack;
                    }
                }
                _ => {
                    if !waits.get_or_insert_with(&spin_budget)() {
                        Self::sleep(place);
                    }
                }
            }
        }
    }

    /// Until it is over.
    fn sleep(WorkerSlot { door, slot }: &WorkerSlot<O>) {
        let mut sleep = door.sleep.lock();
        // It may be over meanwhile.
        let _ = slot.word.compare_exchange(CLAIMED, AWAITED, Ordering::Relaxed, Ordering::Relaxed);
        while slot.word.load(Ordering::Relaxed) == AWAITED {
            sleep = door.ended.wait(sleep);
        }
    }
}
