//! How scenarios are run: each interleaving begins with nothing, and ends when the threads of the library have been told to.
//!
//! All threads of an interleaving are one thread of the system, so what is said of it stands in thread-local cells.

use std::cell::{Cell, RefCell};
use std::panic::resume_unwind;
use std::sync::Arc;
use std::thread_local;

use loom::model::Builder;
use loom::sync::Condvar;

use crate::support::FastMap;

thread_local! {
    /// Threads of the library that may still be started.
    static ALLOWED: Cell<usize> = const { Cell::new(0) };
    /// Those that have not ended.
    static ALIVE: Cell<usize> = const { Cell::new(0) };
    /// They are to end.
    static IS_CLOSING: Cell<bool> = const { Cell::new(false) };
    /// Where somebody has slept.
    static CONDVARS: RefCell<Vec<Arc<Condvar>>> = const { RefCell::new(Vec::new()) };
    /// Values of globals, by the globals' addresses.
    static GLOBALS: RefCell<FastMap<usize, *const ()>> = RefCell::default();
}

/// What a thread of the library ends with.
pub struct Closing;

/// A thread of the library.
pub(crate) struct Worker;

impl Drop for Worker {
    fn drop(&mut self) {
        ALIVE.set(ALIVE.get() - 1);
    }
}

pub(crate) fn worker_begins() -> Option<Worker> {
    ALLOWED.set(ALLOWED.get().checked_sub(1)?);
    ALIVE.set(ALIVE.get() + 1);
    Some(Worker)
}

/// The lock of a thread that sleeps. If the scenario is over, the thread gives it back and ends.
pub(crate) fn if_open<G>(guard: G) -> G {
    if IS_CLOSING.get() {
        drop(guard);
        resume_unwind(Box::new(Closing));
    }
    guard
}

/// Somebody is going to sleep there.
pub(crate) fn knows(condvar: &Arc<Condvar>) {
    CONDVARS.with_borrow_mut(|all| all.push(Arc::clone(condvar)));
}

/// The value of a global.
pub(crate) fn global(address: usize, make: impl FnOnce() -> *const ()) -> *const () {
    if let Some(made) = GLOBALS.with_borrow(|all| all.get(&address).copied()) {
        return made;
    }
    let made = make();
    GLOBALS.with_borrow_mut(|all| all.insert(address, made));
    made
}

/// How often a thread is interrupted where it could go on, at most, unless LOOM_MAX_PREEMPTIONS says more.
const PREEMPTIONS: usize = 2;

/// Runs a scenario in every interleaving, with up to so many threads of the library. The scenario joins the threads that it
/// starts itself. Who waits for ever is found as a deadlock.
pub fn explore(workers: usize, scenario: impl Fn() + Send + Sync + 'static) {
    explore_within(PREEMPTIONS, workers, scenario);
}

/// The same with another bound on how often a thread is interrupted, for scenarios of many steps.
pub fn explore_within(preemptions: usize, workers: usize, scenario: impl Fn() + Send + Sync + 'static) {
    let mut builder = Builder::new();
    builder.max_threads = 5;
    builder.max_branches = 50_000;
    builder.preemption_bound.get_or_insert(preemptions);
    let runs = Arc::new(std::sync::atomic::AtomicUsize::new(0));
    let count = Arc::clone(&runs);
    builder.check(move || {
        count.fetch_add(1, std::sync::atomic::Ordering::Relaxed);
        ALLOWED.set(workers);
        ALIVE.set(0);
        IS_CLOSING.set(false);
        GLOBALS.with_borrow_mut(FastMap::clear);
        crate::runtime::begin();
        scenario();
        close();
    });
    println!("interleavings: {}", runs.load(std::sync::atomic::Ordering::Relaxed));
}

/// Ends the threads of the library, once they have done what they were asked for.
pub fn close() {
    IS_CLOSING.set(true);
    while ALIVE.get() > 0 {
        let all = CONDVARS.with_borrow(Clone::clone);
        all.iter().for_each(|condvar| condvar.notify_all());
        loom::thread::yield_now();
    }
    CONDVARS.take();
}
