//! Jobs: work that several threads run in chunks, with completion and fault handling.

use std::time::{Duration, Instant};

use super::super::fault::{Fault, FirstFault};
use super::super::runner::Runner;
use super::chunk_scheduler::{ChunkScheduler, WorkerCursor};
use super::contention_probe::{ContentionProbe, NextStep, WorkerStats};
use super::padded_counters::PaddedCounters;
use grus_support::bug::{self, Bug, PanicSite};
use grus_support::sync::atomic::{AtomicU64, Ordering};
use grus_support::sync::{Condvar, Mutex};

/// Function that runs the indices from the first number up to, but not including, the second.
type Run = dyn Fn(&mut Runner, u64, u64) -> Result<(), Fault> + Send + Sync;

/// Range of indices that several threads run in chunks: groups of a launch, or segments of a transfer.
pub(crate) struct Job {
    run: Box<Run>,
    chunks: ChunkScheduler,
    /// Number of unfinished indices, and nanoseconds that threads have spent on the others. A thread updates them when its
    /// own partition is exhausted, and at the end.
    progress: PaddedCounters,
    /// Contention probe, if threads may contend.
    probe: Option<ContentionProbe>,
    fault: FirstFault,
    finished: Mutex<bool>,
    changed: Condvar,
}

impl Job {
    /// Creates a job for the indices `from..to` in chunks of `chunk`, for at most `threads` threads.
    pub fn new(run: Box<Run>, from: u64, to: u64, chunk: u64, threads: usize) -> Job {
        Job {
            run,
            chunks: ChunkScheduler::new(from, to, chunk, threads),
            progress: PaddedCounters::new(1, |_| [to - from, 0]),
            probe: None,
            fault: Mutex::new(None),
            finished: Mutex::new(false),
            changed: Condvar::new(),
        }
    }

    /// Adds a contention probe.
    pub fn with_probe(self, probe: Option<ContentionProbe>) -> Job {
        Job { probe, ..self }
    }

    /// Returns the contention probe.
    pub fn probe(&self) -> Option<&ContentionProbe> {
        self.probe.as_ref()
    }

    /// Returns the number of threads that can take part.
    pub fn threads(&self) -> usize {
        self.chunks.threads()
    }

    /// Checks whether all chunks are known to be claimed, so that no further thread is needed.
    pub fn is_claimed(&self) -> bool {
        self.chunks.is_empty()
    }

    /// Claims and runs chunks until none is left, first in the partition of this thread number unless another thread
    /// owns that. Returns true if the caller must call the other threads again and then call this method again: serial
    /// execution was tried and was not faster.
    pub fn run_chunks(&self, runner: &mut Runner, thread: usize) -> bool {
        let mut cursor = self.chunks.cursor(thread);
        let mut completed = 0;
        let mut begin = Some(Instant::now());
        // Completed indices are reported before this thread searches other partitions, so that the waiting thread does
        // not have to wait for the search.
        let report = |runner: &mut Runner, completed: &mut u64, begin: &mut Option<Instant>| {
            runner.combine_copies();
            let time = begin.take().map_or(Duration::ZERO, |begin| begin.elapsed());
            self.complete(std::mem::take(completed), time);
        };
        let mut stats = WorkerStats::default();
        let mut recalls_workers = false;
        while let Some((from, to)) =
            self.chunks.claim(&mut cursor, || report(runner, &mut completed, &mut begin))
        {
            begin.get_or_insert_with(Instant::now);
            let chunk_begin = self.probe.is_some().then(Instant::now);
            let ran = bug::contained("the executor", || {
                PanicSite::Groups.pass();
                (self.run)(runner, from, to)
            });
            completed += to - from;
            if let Err(fault) = ran.unwrap_or_else(|Bug| Err(Fault::bug())) {
                self.fault.lock().get_or_insert(fault);
                // Unclaimed indices will not be run.
                completed += self.chunks.cancel();
            }
            if let Some((probe, begin)) = self.probe.as_ref().zip(chunk_begin) {
                match probe.record_chunk(&mut stats, to - from, begin.elapsed()) {
                    NextStep::Continue => {}
                    NextStep::Leave => break,
                    NextStep::RunSerially => cursor = WorkerCursor::START,
                    NextStep::RecallWorkers => {
                        recalls_workers = true;
                        break;
                    }
                }
            }
        }
        report(runner, &mut completed, &mut begin);
        recalls_workers
    }

    fn progress(&self) -> &[AtomicU64; 2] {
        self.progress.row(0)
    }

    /// Returns the time that all threads together have spent on completed indices, once all are.
    pub fn busy_time(&self) -> Duration {
        Duration::from_nanos(self.progress()[1].load(Ordering::Relaxed))
    }

    /// Records that indices are completed, on which the thread has spent `time`.
    fn complete(&self, completed: u64, time: Duration) {
        if completed == 0 {
            return;
        }
        let [unfinished, busy] = self.progress();
        busy.fetch_add(time.as_nanos() as u64, Ordering::Relaxed);
        // Releases the kernel's writes; the thread that reads 0 acquires them.
        if unfinished.fetch_sub(completed, Ordering::AcqRel) == completed {
            // Workers that search other partitions become idle at once, for the next launch.
            self.chunks.end_search();
            *self.finished.lock() = true;
            self.changed.notify_all();
        }
    }

    /// Waits until all indices are completed: spinning while `may_spin` returns true, then asleep. Returns the first
    /// fault.
    pub fn wait(&self, mut may_spin: impl FnMut() -> bool) -> Result<(), Fault> {
        loop {
            if self.progress()[0].load(Ordering::Acquire) == 0 {
                return self.result();
            }
            if !may_spin() {
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
