//! Work that threads share: chunks that each of them claims, and the end of the last one.

use crossbeam::utils::CachePadded;

use super::{Fault, FirstFault, Runner};
use crate::support::bug::{self, Bug, Place};
use crate::support::sync::atomic::{AtomicU64, Ordering};
use crate::support::sync::{Backoff, Condvar, Mutex};

/// Does what has numbers from the first to before the second one.
type Run = dyn Fn(&mut Runner, u64, u64) -> Result<(), Fault> + Send + Sync;

/// Work that is shared between threads: the groups of a launch, or pieces of a transfer.
pub(super) struct Job {
    run: Box<Run>,
    first: u64,
    total: u64,
    chunk: u64,
    /// The next one that nobody has claimed.
    next: CachePadded<AtomicU64>,
    /// How many are not finished yet.
    left: CachePadded<AtomicU64>,
    fault: FirstFault,
    finished: Mutex<bool>,
    changed: Condvar,
}

impl Job {
    /// In chunks of so many.
    pub fn new(run: Box<Run>, first: u64, total: u64, chunk: u64) -> Job {
        Job {
            run,
            first,
            total,
            chunk,
            next: CachePadded::new(AtomicU64::new(first)),
            left: CachePadded::new(AtomicU64::new(total - first)),
            fault: Mutex::new(None),
            finished: Mutex::new(false),
            changed: Condvar::new(),
        }
    }

    /// How many there are in all.
    pub fn chunks(&self) -> u64 {
        (self.total - self.first).div_ceil(self.chunk)
    }

    /// Claims and runs chunks until none is left.
    pub fn take_part(&self, runner: &mut Runner) {
        loop {
            let from = self.next.fetch_add(self.chunk, Ordering::Relaxed);
            if from >= self.total {
                return;
            }
            let to = (from + self.chunk).min(self.total);
            let ran = bug::contained("the executor", || {
                Place::Groups.pass();
                (self.run)(runner, from, to)
            });
            let mut over = to - from;
            if let Err(fault) = ran.unwrap_or_else(|Bug| Err(Fault::bug())) {
                self.fault.lock().get_or_insert(fault);
                // What nobody has claimed is not run any more.
                over += self.total.saturating_sub(self.next.swap(self.total, Ordering::Relaxed));
            }
            // Release what the kernel wrote; the thread that sees zero acquires it.
            if self.left.fetch_sub(over, Ordering::AcqRel) == over {
                *self.finished.lock() = true;
                self.changed.notify_all();
            }
        }
    }

    /// Until every claimed chunk is done.
    pub fn wait(&self) -> Result<(), Fault> {
        // The last chunks are short: look a while before sleeping.
        let backoff = Backoff::new();
        while !backoff.is_completed() {
            if self.left.load(Ordering::Acquire) == 0 {
                return self.result();
            }
            backoff.snooze();
        }
        let mut finished = self.finished.lock();
        while !*finished {
            finished = self.changed.wait(finished);
        }
        drop(finished);
        self.result()
    }

    fn result(&self) -> Result<(), Fault> {
        self.fault.lock().take().map_or(Ok(()), Err)
    }
}
