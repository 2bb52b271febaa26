//! Probe for contention between the threads of a launch. If all threads update the same memory with atomic operations,
//! its cache lines move between CPUs at each operation, and many threads together make less progress than one.
//!
//! Launches begin on one thread, which measures the serial time per group. If a group takes longer than that, by a
//! factor well above the number of threads, one thread continues alone. It claims groups in their order, so that groups
//! which wait for earlier ones make progress. If groups are no faster then, they were just slow, without contention,
//! and all threads continue.

// Atomics of `std`, not of `support::sync`, which the model checker replaces: correctness does not depend on their
// values.
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Duration;

use super::super::tuning::contention::MAX_COLD_CHUNK_TIME;

/// State of a probe, stored as its discriminant in an atomic variable.
#[derive(Clone, Copy, PartialEq, Eq)]
enum ProbeState {
    /// All threads run groups.
    Parallel,
    /// One thread runs groups, because contention is suspected.
    Serial,
    /// All threads run groups again, because one thread was not faster.
    ParallelAgain,
}

impl ProbeState {
    fn from_u64(value: u64) -> ProbeState {
        const PARALLEL: u64 = ProbeState::Parallel as u64;
        const SERIAL: u64 = ProbeState::Serial as u64;
        match value {
            PARALLEL => ProbeState::Parallel,
            SERIAL => ProbeState::Serial,
            _ => ProbeState::ParallelAgain,
        }
    }
}

/// Contention probe of one launch.
pub(crate) struct ContentionProbe {
    /// Nanoseconds per group on one thread.
    serial_group_time: u64,
    threads: u64,
    state: AtomicU64,
    /// Nanoseconds per group on several threads, measured when contention was suspected.
    parallel_group_time: AtomicU64,
}

/// Next step of a thread after a chunk.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum NextStep {
    /// Claim the next chunk.
    Continue,
    /// Leave the remaining chunks to another thread.
    Leave,
    /// Run all remaining chunks alone.
    RunSerially,
    /// Call the other threads again.
    RecallWorkers,
}

/// State of one thread that takes part in a launch.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct WorkerStats {
    /// True if the thread has run a chunk.
    is_warm: bool,
    /// Number of chunks plus one since the thread runs alone; 0 if it does not.
    serial_chunks: u64,
}

impl ContentionProbe {
    /// Creates a probe for `threads` threads, with the nanoseconds per group on one thread.
    pub fn new(serial_group_time: u64, threads: usize) -> ContentionProbe {
        let [state, parallel_group_time] = [ProbeState::Parallel as u64, 0].map(AtomicU64::new);
        ContentionProbe { serial_group_time, threads: threads as u64, state, parallel_group_time }
    }

    /// Returns the verdict, if serial execution was tried: true if it was better.
    pub fn is_serial_better(&self) -> Option<bool> {
        match self.state() {
            ProbeState::Parallel => None,
            ProbeState::Serial => Some(true),
            ProbeState::ParallelAgain => Some(false),
        }
    }

    fn state(&self) -> ProbeState {
        ProbeState::from_u64(self.state.load(Ordering::Relaxed))
    }

    /// Records that a thread has run a chunk of `groups` groups in `time`, and returns its next step.
    pub fn record_chunk(&self, stats: &mut WorkerStats, groups: u64, time: Duration) -> NextStep {
        let group = u64::try_from(time.as_nanos()).unwrap_or(u64::MAX) / groups.max(1);
        let is_cold = !std::mem::replace(&mut stats.is_warm, true) && time < MAX_COLD_CHUNK_TIME;
        match self.state() {
            ProbeState::Parallel if is_cold => NextStep::Continue,
            ProbeState::Parallel => self.check_for_contention(stats, group),
            ProbeState::Serial if stats.serial_chunks == 0 => {
                // The minimum counts, because a thread may have been preempted.
                self.parallel_group_time.fetch_min(group, Ordering::Relaxed);
                NextStep::Leave
            }
            ProbeState::Serial => {
                stats.serial_chunks += 1;
                // Other threads were still running during the first chunk.
                let is_measured = stats.serial_chunks == 3;
                // The time must fall below four fifths.
                let parallel = self.parallel_group_time.load(Ordering::Relaxed);
                if is_measured && group.saturating_mul(self.threads) >= parallel / 5 * 4 {
                    stats.serial_chunks = 0;
                    self.state.store(ProbeState::ParallelAgain as u64, Ordering::Relaxed);
                    return NextStep::RecallWorkers;
                }
                NextStep::Continue
            }
            ProbeState::ParallelAgain => NextStep::Continue,
        }
    }

    fn check_for_contention(&self, stats: &mut WorkerStats, group: u64) -> NextStep {
        // The threshold is 1.5 times the serial time per thread, above effects of memory bandwidth and of varying
        // groups.
        if group / 3 <= self.serial_group_time.saturating_mul(self.threads) / 2 {
            return NextStep::Continue;
        }
        self.parallel_group_time.store(group, Ordering::Relaxed);
        let (from, to) = (ProbeState::Parallel as u64, ProbeState::Serial as u64);
        if self.state.compare_exchange(from, to, Ordering::Relaxed, Ordering::Relaxed).is_err() {
            return NextStep::Leave;
        }
        stats.serial_chunks = 1;
        NextStep::RunSerially
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const MICRO: Duration = Duration::from_micros(1);

    /// Returns the states of threads that have run a chunk.
    fn warm<const N: usize>(probe: &ContentionProbe) -> [WorkerStats; N] {
        let mut stats = [WorkerStats::default(); N];
        for worker in &mut stats {
            assert_eq!(probe.record_chunk(worker, 1, 100 * MICRO), NextStep::Continue);
        }
        stats
    }

    #[test]
    fn one_thread_continues_on_contention() {
        let probe = ContentionProbe::new(1000, 4);
        let mut stats = warm::<4>(&probe);
        // Four threads may take four times as long per group.
        assert_eq!(probe.record_chunk(&mut stats[0], 2, 8 * MICRO), NextStep::Continue);
        assert_eq!(probe.record_chunk(&mut stats[2], 1, 20 * MICRO), NextStep::RunSerially);
        assert_eq!(probe.record_chunk(&mut stats[3], 1, 20 * MICRO), NextStep::Leave);
        assert_eq!(probe.record_chunk(&mut stats[0], 1, 20 * MICRO), NextStep::Leave);
        for _ in 0..10 {
            assert_eq!(probe.record_chunk(&mut stats[2], 1, MICRO), NextStep::Continue);
        }
        assert_eq!(probe.is_serial_better(), Some(true));
    }

    #[test]
    fn all_threads_continue_if_groups_are_slow() {
        let probe = ContentionProbe::new(1000, 4);
        let mut stats = warm::<2>(&probe);
        assert_eq!(probe.record_chunk(&mut stats[0], 1, 20 * MICRO), NextStep::RunSerially);
        assert_eq!(probe.record_chunk(&mut stats[1], 1, 20 * MICRO), NextStep::Leave);
        assert_eq!(probe.record_chunk(&mut stats[0], 1, 20 * MICRO), NextStep::Continue);
        assert_eq!(probe.record_chunk(&mut stats[0], 1, 19 * MICRO), NextStep::RecallWorkers);
        assert_eq!(probe.record_chunk(&mut stats[0], 1, 20 * MICRO), NextStep::Continue);
        assert_eq!(probe.is_serial_better(), Some(false));
    }

    #[test]
    fn all_threads_continue_if_one_was_preempted() {
        let probe = ContentionProbe::new(1000, 2);
        let mut stats = warm::<2>(&probe);
        assert_eq!(probe.record_chunk(&mut stats[0], 1, 200 * MICRO), NextStep::RunSerially);
        assert_eq!(probe.record_chunk(&mut stats[1], 1, MICRO), NextStep::Leave);
        assert_eq!(probe.record_chunk(&mut stats[0], 1, MICRO), NextStep::Continue);
        assert_eq!(probe.record_chunk(&mut stats[0], 1, MICRO), NextStep::RecallWorkers);
        assert_eq!(probe.is_serial_better(), Some(false));
    }

    #[test]
    fn threads_share_without_contention() {
        let probe = ContentionProbe::new(1000, 2);
        let [mut stats] = warm(&probe);
        assert!((0..10).all(|_| probe.record_chunk(&mut stats, 4, 9 * MICRO) == NextStep::Continue));
        // A long chunk is compared even if it is a thread's first.
        assert_eq!(
            probe.record_chunk(&mut WorkerStats::default(), 1, 2 * MAX_COLD_CHUNK_TIME),
            NextStep::RunSerially
        );
    }
}
