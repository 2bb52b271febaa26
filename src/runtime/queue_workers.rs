//! Worker threads that run flushed commands for which no thread waits.
//!
//! They are separate from the threads that run work-groups: commands may block (native kernels, callbacks) and must
//! not take a worker away from a kernel. They are started on demand and sleep on a condition variable. A forked
//! child begins without any.
//!
//! If the system allows this process no more threads, offered commands are left to the application's threads, which
//! run them when they flush, poll or wait ([`help`]).

use std::collections::VecDeque;
use std::sync::Arc;

use super::object::Object;
use super::queue::Queue;
use grus_support::bug::{self, PanicSite};
use grus_support::fork::{Global, Task};
use grus_support::sync::atomic::{AtomicBool, Ordering};
use grus_support::sync::{Condvar, Mutex, MutexGuard};
use grus_support::thread;

struct QueueWorkers {
    state: Mutex<WorkerState>,
    work: Condvar,
    /// True if offers wait for a thread that could not be started.
    stranded: AtomicBool,
}

#[derive(Default)]
struct WorkerState {
    offers: VecDeque<(Arc<Object<Queue>>, Task)>,
    idle: usize,
    threads: usize,
}

/// Returns the pool of this process. A forked child abandons its parent's pool, whose threads it does not have.
fn pool() -> &'static QueueWorkers {
    static POOL: Global<QueueWorkers> = Global::of_threads();
    POOL.get(|| QueueWorkers {
        state: Mutex::default(),
        work: Condvar::new(),
        stranded: AtomicBool::new(false),
    })
}

/// Requests one thread to run the ready commands of `queue`.
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
            // The starting thread may be bound to a few processors.
            grus_exec::unbind();
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

/// Answers on this thread of the application the requests for which no worker could be started. It runs commands
/// and their callbacks, so it must be called only at the end of an operation, without locks.
#[inline]
pub(super) fn help() {
    let pool = pool();
    if pool.stranded.load(Ordering::Acquire) {
        pool.help();
    }
}

/// Returns the maximum number of workers: enough that commands which block leave a worker to others.
pub(super) fn max_threads() -> usize {
    grus_exec::compute_units().max(4)
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

    /// Answers requests until there are none.
    fn work_off<'p>(&'p self, mut state: MutexGuard<'p, WorkerState>) -> MutexGuard<'p, WorkerState> {
        while let Some((queue, task)) = state.offers.pop_front() {
            drop(state);
            // An internal error loses the commands that the queue has taken, but not the thread.
            let _ = bug::contained("a thread of the queues", || {
                queue.work();
                PanicSite::Queue.pass();
            });
            // The last reference to the queue is dropped before the task ends.
            drop(queue);
            drop(task);
            state = self.state.lock();
        }
        self.stranded.store(false, Ordering::Relaxed);
        state
    }
}
