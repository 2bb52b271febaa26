//! The threads that run flushed commands nobody waits for.
//!
//! A few threads of our own rather than the pool that work-groups run on: commands may block (native kernels, callbacks)
//! and must not take a worker away from a kernel. They are started when they are needed and sleep on a condition
//! variable. A forked child starts over with none.
//!
//! Where the system lets this process have no more threads, what was offered is left to the application's own: those that
//! flush, poll or wait help out ([`help`]).

use std::collections::VecDeque;
use std::sync::Arc;

use super::object::Object;
use super::queue::Queue;
use crate::exec;
use crate::support::bug::{self, PanicSite};
use crate::support::fork::{Global, Task};
use crate::support::sync::atomic::{AtomicBool, Ordering};
use crate::support::sync::{Condvar, Mutex, MutexGuard};
use crate::support::thread;

struct QueueWorkers {
    state: Mutex<WorkerState>,
    work: Condvar,
    /// Offers wait for a thread that could not be started.
    stranded: AtomicBool,
}

#[derive(Default)]
struct WorkerState {
    offers: VecDeque<(Arc<Object<Queue>>, Task)>,
    idle: usize,
    threads: usize,
}

/// The pool of this process. One whose threads a fork has left behind is given up.
fn pool() -> &'static QueueWorkers {
    static POOL: Global<QueueWorkers> = Global::of_threads();
    POOL.get(|| QueueWorkers {
        state: Mutex::default(),
        work: Condvar::new(),
        stranded: AtomicBool::new(false),
    })
}

/// Asks for one thread to run what is ready in `queue`.
pub(super) fn submit(queue: Arc<Object<Queue>>) {
    let pool = pool();
    let task = Task::new();
    let mut state = pool.state.lock();
    state.offers.push_back((queue, task));
    if state.idle >= state.offers.len() {
        drop(state);
        pool.work.notify_one();
    } else if state.threads < max_threads() {
        state.threads += 1;
        drop(state);
        let first = || {
            // The thread that has started it may be bound to a few processors.
            exec::unbind();
            super::first_call();
        };
        let started = thread::start("grus-queue", first, || pool.serve());
        if started.is_err() {
            let mut state = pool.state.lock();
            state.threads -= 1;
            pool.stranded.store(!state.offers.is_empty(), Ordering::Release);
        }
    }
}

/// Does on this thread, one of the application's, what was offered to threads that could not be started. Not to be called
/// from the middle of anything: it runs commands, and calls what is to be called when they end.
#[inline]
pub(super) fn help() {
    let pool = pool();
    if pool.stranded.load(Ordering::Acquire) {
        pool.help();
    }
}

/// Enough that commands that block leave others a thread.
pub(super) fn max_threads() -> usize {
    exec::compute_units().max(4)
}

impl QueueWorkers {
    fn serve(&self) {
        let mut state = self.state.lock();
        loop {
            state = self.work_off(state);
            state.idle += 1;
            state = self.work.wait(state);
            state.idle -= 1;
        }
    }

    #[cold]
    fn help(&self) {
        drop(self.work_off(self.state.lock()));
    }

    /// Answers offers until there are none.
    fn work_off<'p>(&'p self, mut state: MutexGuard<'p, WorkerState>) -> MutexGuard<'p, WorkerState> {
        while let Some((queue, task)) = state.offers.pop_front() {
            drop(state);
            // What the queue has taken is lost with a bug of ours. The thread is not.
            let _ = bug::contained("a thread of the queues", || {
                queue.work();
                PanicSite::Queue.pass();
            });
            // What the queue was the last to hold is let go before the task is over.
            drop(queue);
            drop(task);
            state = self.state.lock();
        }
        self.stranded.store(false, Ordering::Relaxed);
        state
    }
}
