//! Decisions of the launch scheduler: when several threads run a launch, how many, and in what chunks. They depend on
//! nothing but measured times, which the caller passes.

use std::time::Duration;

use super::wakeup::MIN_SHARED_TIME;

/// Time for which a launch of unknown length runs on the launching thread only.
// Arbitrary.
const SERIAL_START_TIME: Duration = Duration::from_micros(15);

/// Minimum run time per thread that takes part.
// Arbitrary.
const MIN_TIME_PER_THREAD: Duration = Duration::from_micros(3);

/// Maximum run time of a chunk, unless one group takes longer.
// Arbitrary.
const MAX_CHUNK_TIME: Duration = Duration::from_micros(10);

/// Distribution of the groups `from..to` over threads, which claim them in chunks.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct SharedRun {
    pub from: u64,
    pub to: u64,
    /// Number of groups per chunk.
    pub chunk: u64,
    /// Maximum number of threads, the launching one included.
    pub threads: usize,
}

impl SharedRun {
    /// Distributes the groups `from..to`, each of which takes `group_nanos` nanoseconds and which take one thread
    /// `time` together, over at most `threads` threads.
    fn new(from: u64, to: u64, group_nanos: u128, time: Duration, threads: usize) -> SharedRun {
        let groups = to - from;
        let worthwhile = (time.as_nanos() / MIN_TIME_PER_THREAD.as_nanos()).min(groups.into()).max(2);
        let threads = threads.min(usize::try_from(worthwhile).unwrap_or(threads));
        SharedRun { from, to, chunk: chunk_size(group_nanos, groups, threads), threads }
    }
}

/// Returns the number of groups per chunk, for groups that take `group_nanos` nanoseconds: at most
/// [`MAX_CHUNK_TIME`], and at most an eighth of a thread's share; at least one group.
fn chunk_size(group_nanos: u128, groups: u64, threads: usize) -> u64 {
    let by_time = (MAX_CHUNK_TIME.as_nanos() / group_nanos.max(1)) as u64;
    let by_share = groups.div_ceil(threads as u64 * 8);
    by_time.min(by_share).max(1)
}

/// Multiplies a time by a count.
pub(super) fn scaled(time: Duration, count: u64) -> Duration {
    time.saturating_mul(u32::try_from(count).unwrap_or(u32::MAX))
}

/// Plans a launch of `groups` groups, each of which took `group_time` in an earlier launch. Returns `None` if the
/// launching thread starts alone: `is_sample_needed` says that a contention probe needs the time of a serial start.
/// `min_parallel_time` is asked only about launches that are long enough.
///
/// Few long groups never start serially: the first one may be most of the work, and while it runs the other threads
/// lose time.
pub(super) fn share_at_once(
    groups: u64,
    group_time: Duration,
    threads: usize,
    is_sample_needed: bool,
    min_parallel_time: impl FnOnce() -> Duration,
) -> Option<SharedRun> {
    let estimate = scaled(group_time, groups);
    let is_shared = estimate >= MIN_SHARED_TIME
        && (group_time >= SERIAL_START_TIME || !is_sample_needed)
        && estimate >= min_parallel_time();
    is_shared.then(|| SharedRun::new(0, groups, group_time.as_nanos(), estimate, threads))
}

/// Start of a launch on the launching thread, which runs groups in steps of growing size.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct SerialStart {
    groups: u64,
    done: u64,
    step: u64,
    /// Time that the finished groups took, when the clock was last read.
    spent: Duration,
}

/// Continuation of a serial start after a step.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum AfterStep {
    /// This thread runs the next step.
    Continue(SerialStart),
    /// Several threads run the rest.
    Share(SharedRun),
}

impl SerialStart {
    pub fn new(groups: u64) -> SerialStart {
        SerialStart { groups, done: 0, step: 1, spent: Duration::ZERO }
    }

    /// Returns the groups of the current step, the first and one past the last.
    pub fn range(&self) -> (u64, u64) {
        (self.done, (self.done + self.step).min(self.groups))
    }

    /// Checks whether the current step is the last one.
    pub fn is_last(&self) -> bool {
        self.range().1 == self.groups
    }

    /// Checks whether the clock is read after the current step. It is read only a few times: the last groups of a
    /// launch that was short so far do not make it long.
    pub fn reads_clock(&self) -> bool {
        !self.is_last() || self.spent >= MIN_SHARED_TIME / 4
    }

    /// Plans what follows the current step, which was not the last; all steps together took `spent`.
    pub fn next(
        &self,
        spent: Duration,
        threads: usize,
        min_parallel_time: impl FnOnce() -> Duration,
    ) -> AfterStep {
        let (groups, done) = (self.groups, self.range().1);
        let mut step = (self.step * 2).min(groups - done);
        if spent >= SERIAL_START_TIME {
            let rest = scaled(spent, groups - done) / u32::try_from(done).unwrap_or(u32::MAX);
            if rest >= min_parallel_time() {
                let group_nanos = spent.as_nanos() / u128::from(done);
                return AfterStep::Share(SharedRun::new(done, groups, group_nanos, rest, threads));
            }
            // The remaining groups may take longer than those before.
            step = step.min((done * SERIAL_START_TIME.as_nanos() as u64).div_ceil(spent.as_nanos() as u64));
        }
        AfterStep::Continue(SerialStart { groups, done, step, spent })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const fn micros(count: u64) -> Duration {
        Duration::from_micros(count)
    }

    #[test]
    fn short_launches_do_not_look_for_threads() {
        let plan = share_at_once(3, micros(1), 8, false, || panic!("it is not asked"));
        assert_eq!(plan, None);
        let plan = share_at_once(100, Duration::ZERO, 8, false, || panic!("it is not asked"));
        assert_eq!(plan, None);
    }

    #[test]
    fn threads_and_chunks_follow_the_estimate() {
        let plan = |groups, time, threads| share_at_once(groups, time, threads, false, || MIN_SHARED_TIME);
        // 3 µs per thread at least.
        let few = SharedRun { from: 0, to: 12, chunk: 1, threads: 4 };
        assert_eq!(plan(12, micros(1), 8), Some(few));
        // 10 µs per chunk at most.
        let many = SharedRun { from: 0, to: 10_000, chunk: 10, threads: 8 };
        assert_eq!(plan(10_000, micros(1), 8), Some(many));
        // 8 chunks per thread at least.
        let short = SharedRun { from: 0, to: 10_000, chunk: 157, threads: 8 };
        assert_eq!(plan(10_000, Duration::from_nanos(10), 8), Some(short));
        // No more threads than groups.
        let long = SharedRun { from: 0, to: 3, chunk: 1, threads: 3 };
        assert_eq!(plan(3, micros(1000), 8), Some(long));
    }

    #[test]
    fn a_missing_sample_makes_launches_of_short_groups_start_serially() {
        let plan = |time, is_needed| share_at_once(1000, time, 8, is_needed, || MIN_SHARED_TIME).is_some();
        assert!(!plan(micros(1), true) && plan(micros(1), false) && plan(SERIAL_START_TIME, true));
        assert_eq!(share_at_once(1000, micros(1), 8, false, || micros(1001)), None);
    }

    /// Returns the steps of a serial start of groups that take `group_time`, and what follows them.
    fn steps(
        groups: u64,
        group_time: Duration,
        min_parallel_time: Duration,
    ) -> (Vec<u64>, Option<SharedRun>) {
        let (mut start, mut steps) = (SerialStart::new(groups), Vec::new());
        loop {
            let (from, to) = start.range();
            steps.push(to - from);
            if start.is_last() {
                return (steps, None);
            }
            match start.next(scaled(group_time, to), 8, || min_parallel_time) {
                AfterStep::Continue(next) => start = next,
                AfterStep::Share(shared) => return (steps, Some(shared)),
            }
        }
    }

    #[test]
    fn a_serial_start_ends_after_some_microseconds() {
        let (first, shared) = steps(1000, micros(1), MIN_SHARED_TIME);
        assert_eq!(first, [1, 2, 4, 8]);
        assert_eq!(shared, Some(SharedRun { from: 15, to: 1000, chunk: 10, threads: 8 }));
        // Steps stay short if other threads cannot help yet.
        let (all, shared) = steps(100, micros(1), micros(1000));
        assert_eq!((all.iter().sum(), shared), (100, None));
        assert!(all[4..].iter().all(|&step| step <= 15), "{all:?}");
        assert_eq!(steps(7, micros(1), MIN_SHARED_TIME), (vec![1, 2, 4], None));
    }

    #[test]
    fn the_clock_is_not_read_at_the_end_of_a_short_launch() {
        let start = SerialStart::new(3);
        assert!(start.reads_clock());
        let after = |spent| match start.next(spent, 2, || MIN_SHARED_TIME) {
            AfterStep::Continue(next) => next.reads_clock(),
            AfterStep::Share(_) => panic!("it is short"),
        };
        assert!(!after(Duration::from_nanos(100)) && after(MIN_SHARED_TIME / 4));
    }
}
