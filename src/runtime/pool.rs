//! The threads that run flushed commands nobody waits for.
//!
//! A few threads of our own rather than the pool that work-groups run on: commands may block (native kernels, callbacks)
//! and must not take a worker away from a kernel. They are started when they are needed and sleep on a condition
//! variable. A forked child starts over with none.

use std::collections::VecDeque;
use std::sync::atomic::{AtomicPtr, AtomicU64, Ordering};
use std::sync::{Arc, Once};
use std::thread;

use parking_lot::{Condvar, Mutex};

use super::object::Object;
use super::queue::Queue;

struct Pool {
    state: Mutex<State>,
    work: Condvar,
    /// The number of forks this process had behind it when the pool was made.
    generation: u64,
}

#[derive(Default)]
struct State {
    offers: VecDeque<Arc<Object<Queue>>>,
    idle: usize,
    threads: usize,
}

static POOL: AtomicPtr<Pool> = AtomicPtr::new(std::ptr::null_mut());
static FORKS: AtomicU64 = AtomicU64::new(0);

extern "C" fn count_fork() {
    FORKS.fetch_add(1, Ordering::Relaxed);
}

/// The pool of this process. A pool whose threads a fork has left behind is given up: its locks may be held by threads
/// that do not exist here.
fn pool() -> &'static Pool {
    static WATCH: Once = Once::new();
    WATCH.call_once(|| {
        // SAFETY: `count_fork` is async-signal-safe: it adds to an atomic.
        let _ = unsafe { libc::pthread_atfork(None, None, Some(count_fork)) };
    });
    let generation = FORKS.load(Ordering::Relaxed);
    let current = POOL.load(Ordering::Acquire);
    // SAFETY: a pool that was stored is leaked, so the pointer is null or valid for ever.
    if let Some(pool) = unsafe { current.as_ref() }
        && pool.generation == generation
    {
        return pool;
    }
    let fresh = Box::leak(Box::new(Pool { state: Mutex::default(), work: Condvar::new(), generation }));
    match POOL.compare_exchange(current, fresh, Ordering::AcqRel, Ordering::Acquire) {
        Ok(_) => fresh,
        // SAFETY: as above; another thread of this process was faster.
        Err(other) => unsafe { &*other },
    }
}

/// Asks for one thread to run what is ready in `queue`.
pub(super) fn submit(queue: Arc<Object<Queue>>) {
    let pool = pool();
    let mut state = pool.state.lock();
    state.offers.push_back(queue);
    if state.idle >= state.offers.len() {
        drop(state);
        pool.work.notify_one();
    } else if state.threads < max_threads() {
        state.threads += 1;
        drop(state);
        let name = String::from("grus-queue");
        let started = thread::Builder::new().name(name).spawn(|| pool.serve());
        if started.is_err() {
            pool.state.lock().threads -= 1;
        }
    }
}

/// Enough that commands that block leave others a thread.
pub(super) fn max_threads() -> usize {
    crate::exec::compute_units().max(4)
}

impl Pool {
    fn serve(&self) {
        let mut state = self.state.lock();
        loop {
            while let Some(queue) = state.offers.pop_front() {
                drop(state);
                queue.work();
                drop(queue);
                state = self.state.lock();
            }
            state.idle += 1;
            self.work.wait(&mut state);
            state.idle -= 1;
        }
    }
}
