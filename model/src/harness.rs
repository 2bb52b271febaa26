//! Harness that runs scenarios. Each interleaving begins with fresh globals, and ends when the library's threads
//! have been told to end.
//!
//! All threads of an interleaving run on one thread of the system, so the state of an interleaving is thread-local.

use std::cell::{Cell, RefCell};
use std::panic::resume_unwind;
use std::sync::Arc;
use std::thread_local;

use loom::model::Builder;
use loom::sync::Condvar;

use crate::support::FastMap;

thread_local! {
    /// Number of library threads that may still be started.
    static ALLOWED: Cell<usize> = const { Cell::new(0) };
    /// Number of library threads that have not ended.
    static ALIVE: Cell<usize> = const { Cell::new(0) };
    /// True if the library's threads are to end.
    static IS_CLOSING: Cell<bool> = const { Cell::new(false) };
    /// Condition variables on which a thread has slept.
    static CONDVARS: RefCell<Vec<Arc<Condvar>>> = const { RefCell::new(Vec::new()) };
    /// Values of globals, by the globals' addresses.
    static GLOBALS: RefCell<FastMap<usize, *const ()>> = RefCell::default();
}

/// Panic payload with which a library thread ends.
pub struct Closing;

/// Guard that counts a running library thread.
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

/// Returns the guard of a thread that is about to sleep. If the scenario is over, the thread releases it and ends.
pub(crate) fn if_open<G>(guard: G) -> G {
    if IS_CLOSING.get() {
        drop(guard);
        resume_unwind(Box::new(Closing));
    }
    guard
}

/// Records a condition variable on which a thread is about to sleep.
pub(crate) fn knows(condvar: &Arc<Condvar>) {
    CONDVARS.with_borrow_mut(|all| all.push(Arc::clone(condvar)));
}

/// Returns the value of a global in this interleaving, and creates it at the first use.
pub(crate) fn global(address: usize, make: impl FnOnce() -> *const ()) -> *const () {
    if let Some(made) = GLOBALS.with_borrow(|all| all.get(&address).copied()) {
        return made;
    }
    let made = make();
    GLOBALS.with_borrow_mut(|all| all.insert(address, made));
    made
}

/// Maximum number of preemptions of a runnable thread in an interleaving, unless LOOM_MAX_PREEMPTIONS says
/// otherwise.
// Arbitrary.
const PREEMPTIONS: usize = 2;

/// Runs a scenario in every interleaving, with up to `workers` threads of the library. The scenario joins the
/// threads that it starts itself. A thread that waits for ever is reported as a deadlock.
pub fn explore(workers: usize, scenario: impl Fn() + Send + Sync + 'static) {
    explore_within(PREEMPTIONS, workers, scenario);
}

/// Runs a scenario like [`explore`], with another bound on preemptions, for scenarios of many steps.
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

/// Ends the threads of the library, once they have finished their tasks.
pub fn close() {
    IS_CLOSING.set(true);
    while ALIVE.get() > 0 {
        let all = CONDVARS.with_borrow(Clone::clone);
        all.iter().for_each(|condvar| condvar.notify_all());
        loom::thread::yield_now();
    }
    CONDVARS.take();
}
