//! Work that threads share: chunks that each of them claims, and the end of the last one.

use std::time::Instant;

use super::super::{Fault, FirstFault, Runner};
use super::chunk_scheduler::{ChunkScheduler, WorkerCursor};
use super::contention_probe::{ContentionProbe, Next, WorkerStats};
use super::padded_counters::PaddedCounters;
use crate::support::bug::{self, Bug, PanicSite};
use crate::support::sync::atomic::{AtomicU64, Ordering};
use crate::support::sync::{Condvar, Mutex};

/// Does what has numbers from the first to before the second one.
type Run = dyn Fn(&mut Runner, u64, u64) -> Result<(), Fault> + Send + Sync;

/// Work that is shared between threads: the groups of a launch, or pieces of a transfer.
pub(in crate::exec) struct Job {
    run: Box<Run>,
    claims: ChunkScheduler,
    /// How many are not finished yet. Threads say what they have done when they have no more of their own, and at the end.
    left: PaddedCounters,
    /// If threads could be in each other's way.
    crowd: Option<ContentionProbe>,
    fault: FirstFault,
    finished: Mutex<bool>,
    changed: Condvar,
}

impl Job {
    /// What has numbers from one to before another, in chunks of so many, for up to so many threads.
    pub fn new(run: Box<Run>, from: u64, to: u64, chunk: u64, threads: usize) -> Job {
        Job {
            run,
            claims: ChunkScheduler::new(from, to, chunk, threads),
            left: PaddedCounters::new(1, |_| [to - from]),
            crowd: None,
            fault: Mutex::new(None),
            finished: Mutex::new(false),
            changed: Condvar::new(),
        }
    }

    /// Has threads look whether they are in each other's way.
    pub fn looks(self, crowd: Option<ContentionProbe>) -> Job {
        Job { crowd, ..self }
    }

    /// Those that look.
    pub fn crowd(&self) -> Option<&ContentionProbe> {
        self.crowd.as_ref()
    }

    /// How many threads have something to do.
    pub fn threads(&self) -> usize {
        self.claims.threads()
    }

    /// Whether threads that have not begun need not.
    pub fn is_claimed(&self) -> bool {
        self.claims.is_empty()
    }

    /// Claims and runs chunks until none is left, at this place first, unless another thread began there. Says whether others
    /// are to come again: this one has gone on alone, and is to take part again, too.
    pub fn run_chunks(&self, runner: &mut Runner, place: usize) -> bool {
        let mut seat = self.claims.seat(place);
        let mut over = 0;
        // What is done of one's own is said before others' parts are looked at: those who wait for it need not wait for that.
        let said = |over: &mut u64| self.say(std::mem::take(over));
        let mut member = WorkerStats::default();
        let mut comes_again = false;
        while let Some((from, to)) = self.claims.claim(&mut seat, || said(&mut over)) {
            let begin = self.crowd.is_some().then(Instant::now);
            let ran = bug::contained("the executor", || {
                PanicSite::Groups.pass();
                (self.run)(runner, from, to)
            });
            over += to - from;
            if let Err(fault) = ran.unwrap_or_else(|Bug| Err(Fault::bug())) {
                self.fault.lock().get_or_insert(fault);
                // What nobody has claimed is not run any more.
                over += self.claims.clear();
            }
            if let Some((crowd, begin)) = self.crowd.as_ref().zip(begin) {
                match crowd.after(&mut member, to - from, begin.elapsed()) {
                    Next::GoOn => {}
                    Next::Leave => break,
                    Next::Alone => seat = WorkerCursor::FIRST,
                    Next::Together => {
                        comes_again = true;
                        break;
                    }
                }
            }
        }
        said(&mut over);
        comes_again
    }

    fn left(&self) -> &AtomicU64 {
        let [left] = self.left.row(0);
        left
    }

    /// So many more are done.
    fn say(&self, over: u64) {
        // Release what the kernel wrote; the thread that sees zero acquires it.
        if over != 0 && self.left().fetch_sub(over, Ordering::AcqRel) == over {
            *self.finished.lock() = true;
            self.changed.notify_all();
        }
    }

    /// Until every claimed chunk is done. Stays awake as long as `waits` says, which is asked again and again.
    pub fn wait(&self, mut waits: impl FnMut() -> bool) -> Result<(), Fault> {
        loop {
            if self.left().load(Ordering::Acquire) == 0 {
                return self.result();
            }
            if !waits() {
                break;
            }
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
