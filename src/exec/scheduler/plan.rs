//! Plan of a launch: whether several threads run it, how many, and in what chunks. It is a function of what is known
//! before the launch, of measured times, and of the numbers in `tuning`; `simulation` runs it for machines of up to 128
//! CPUs.

use std::time::Duration;

use super::super::tuning::Tuning;
use super::contention::ProbePlan;
use super::wakeup::SharingCost;

/// Facts that are known before a launch.
#[derive(Clone, Copy, Debug)]
pub(super) struct Known {
    pub groups: u64,
    /// Time of one group in an earlier launch; 0 if unknown.
    pub group_time: Duration,
    /// Maximum number of threads.
    pub threads: usize,
    /// Number of threads in the NUMA node of the first one.
    pub near_threads: usize,
    /// Suggestion of the kernel's contention probes.
    pub probe_plan: ProbePlan,
    /// True if a contention probe needs the time of a serial start.
    pub is_sample_needed: bool,
}

impl Known {
    /// Returns the run time of all groups on one thread; 0 if unknown.
    pub fn estimate(&self) -> Duration {
        scaled(self.group_time, self.groups)
    }

    /// Checks whether the beginning of a serial start must be measured: the end of a short launch is not, unless the
    /// launch is known to be short.
    pub fn measures_beginning(&self, tuning: &Tuning) -> bool {
        self.estimate().is_zero() || self.estimate() >= tuning.min_shared
    }
}

impl SharingCost {
    /// Returns the number of threads for one more job: those of other jobs run already.
    fn part_of(&self, threads: usize) -> usize {
        threads / (1 + self.jobs)
    }
}

/// Plan of a launch.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Plan {
    /// The launching thread runs all groups.
    Serial,
    /// The launching thread begins alone.
    SerialStart(SerialStart),
    /// Several threads run the groups.
    Share(SharedRun),
}

/// Distribution of the groups `from..to` over threads, which claim them in chunks.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct SharedRun {
    pub from: u64,
    pub to: u64,
    /// Number of groups per chunk.
    pub chunk: u64,
    /// Maximum number of threads, the launching one included.
    pub threads: usize,
    /// True if sleeping threads are woken for it.
    pub wakes: bool,
}

impl SharedRun {
    /// Distributes the groups `from..to`, each of which takes `group_nanos` nanoseconds and which take one thread
    /// `time` together, over at most `threads` threads, so many of them in the first NUMA node.
    fn new(
        tuning: &Tuning,
        (from, to): (u64, u64),
        group_nanos: u128,
        (time, cost): (Duration, SharingCost),
        (threads, near_threads): (usize, usize),
    ) -> SharedRun {
        let groups = to - from;
        let of_time = time.as_nanos() / tuning.min_per_thread.as_nanos();
        // The sum of time / n and thread_cost * n is least for this n.
        let best = |thread_cost: Duration| (time.as_nanos() / thread_cost.as_nanos()).isqrt();
        let best = best(tuning.thread_cost).min(best(tuning.far_thread_cost).max(near_threads as u128));
        // That of left / n and level * log2(n) is least for n = ln 2 left / level.
        let left = time.saturating_sub(cost.min_time).as_nanos();
        let woken = (left * 69 / 100).checked_div(cost.level.as_nanos()).unwrap_or(u128::MAX);
        let wanted = of_time.min(best).min(woken).min(2 * threads as u128) as usize;
        let threads = threads.min(rounded(wanted)).min(groups.try_into().unwrap_or(usize::MAX)).max(2);
        let groups_of = |time: Duration| (time.as_nanos() / group_nanos.max(1)).min(groups.into()) as u64;
        let part = |parts: u64| groups.div_ceil(threads as u64 * parts);
        // A part of a thread's share, so that threads end together, but neither too long nor too short.
        let least = groups_of(tuning.min_chunk).min(part(2));
        let chunk = part(tuning.chunks_per_thread).min(groups_of(tuning.max_chunk)).max(least).max(1);
        SharedRun { from, to, chunk, threads, wakes: time >= cost.waking }
    }
}

/// Rounds a number of threads to a power of two, or to one and a half. Times differ a little from launch to launch; the
/// same number gives all threads the same groups again, whose data they have in their caches.
fn rounded(threads: usize) -> usize {
    let threads = threads.max(1);
    let power = 1 << threads.ilog2();
    match threads * 4 / power {
        4 => power,
        5 | 6 => power / 2 * 3,
        _ => power * 2,
    }
}

/// Multiplies a time by a count.
fn scaled(time: Duration, count: u64) -> Duration {
    time.saturating_mul(u32::try_from(count).unwrap_or(u32::MAX))
}

impl Plan {
    /// Plans a launch. `sharing_cost` is called only for launches that are long enough.
    ///
    /// Few long groups never start serially: the first one may be most of the work, and while it runs the other threads
    /// lose time. The first step of a launch that is expected to be short is a part of it, so that the clock is read
    /// only a few times.
    pub fn new(tuning: &Tuning, known: &Known, sharing_cost: impl FnOnce() -> SharingCost) -> Plan {
        let Known { groups, group_time, threads, near_threads, probe_plan, is_sample_needed } = *known;
        if threads <= 1 || groups <= 1 || probe_plan == ProbePlan::Serial {
            return Plan::Serial;
        }
        let estimate = known.estimate();
        if estimate >= tuning.min_shared && (group_time >= tuning.serial_start || !is_sample_needed) {
            let cost = sharing_cost();
            let threads = cost.part_of(threads);
            if estimate >= cost.min_time && threads > 1 {
                let (nanos, time) = (group_time.as_nanos(), (estimate, cost));
                return Plan::Share(SharedRun::new(
                    tuning,
                    (0, groups),
                    nanos,
                    time,
                    (threads, near_threads),
                ));
            }
        }
        let step = if group_time.is_zero() { 1 } else { groups.div_ceil(tuning.first_part) };
        Plan::SerialStart(SerialStart { groups, threads, near_threads, done: 0, step, spent: Duration::ZERO })
    }
}

/// Start of a launch on the launching thread, which runs groups in steps of growing size.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct SerialStart {
    groups: u64,
    threads: usize,
    near_threads: usize,
    done: u64,
    step: u64,
    /// Time that the finished groups took, when the clock was last read.
    spent: Duration,
}

impl SerialStart {
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
    pub fn reads_clock(&self, tuning: &Tuning) -> bool {
        !self.is_last() || self.spent >= tuning.min_shared / 4
    }

    /// Plans what follows the current step, which was not the last; all steps together took `spent`.
    pub fn next(self, tuning: &Tuning, spent: Duration, sharing_cost: impl FnOnce() -> SharingCost) -> Plan {
        let (groups, done) = (self.groups, self.range().1);
        let mut step = (self.step * 2).min(groups - done);
        if spent >= tuning.serial_start {
            let rest = scaled(spent, groups - done) / u32::try_from(done).unwrap_or(u32::MAX);
            let cost = sharing_cost();
            let threads = cost.part_of(self.threads);
            if rest >= cost.min_time && threads > 1 {
                let (nanos, time) = (spent.as_nanos() / u128::from(done), (rest, cost));
                return Plan::Share(SharedRun::new(
                    tuning,
                    (done, groups),
                    nanos,
                    time,
                    (threads, self.near_threads),
                ));
            }
            // The remaining groups may take longer than those before.
            let nanos = tuning.serial_start.as_nanos() as u64;
            step = step.min((done * nanos).div_ceil(spent.as_nanos() as u64));
        }
        Plan::SerialStart(SerialStart { done, step, spent, ..self })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const TUNING: &Tuning = &Tuning::MEASURED;

    const fn micros(count: u64) -> Duration {
        Duration::from_micros(count)
    }

    const fn known(groups: u64, group_time: Duration, threads: usize) -> Known {
        let near_threads = threads;
        Known {
            groups,
            group_time,
            threads,
            near_threads,
            probe_plan: ProbePlan::Parallel,
            is_sample_needed: false,
        }
    }

    const fn cost(min_time: Duration) -> SharingCost {
        SharingCost { min_time, waking: micros(10), level: Duration::ZERO, jobs: 0 }
    }

    fn share_at_once(known: &Known, min_time: Duration) -> Option<SharedRun> {
        match Plan::new(TUNING, known, || cost(min_time)) {
            Plan::Share(shared) => Some(shared),
            Plan::Serial | Plan::SerialStart(_) => None,
        }
    }

    #[test]
    fn short_launches_do_not_look_for_threads() {
        for (groups, time) in [(3, micros(1)), (100, Duration::ZERO)] {
            let plan = Plan::new(TUNING, &known(groups, time, 8), || panic!("it is not asked"));
            assert!(matches!(plan, Plan::SerialStart(_)));
        }
        let unasked = || panic!("it is not asked");
        assert_eq!(Plan::new(TUNING, &known(1, micros(100), 8), unasked), Plan::Serial);
        let contended = Known { probe_plan: ProbePlan::Serial, ..known(100, micros(100), 8) };
        assert_eq!(Plan::new(TUNING, &contended, unasked), Plan::Serial);
    }

    #[test]
    fn numbers_of_threads_are_rounded() {
        assert_eq!(
            [0, 1, 2, 3, 5, 7, 9, 10, 13, 14, 40, 47].map(rounded),
            [1, 1, 2, 3, 6, 8, 8, 12, 12, 16, 48, 48]
        );
    }

    #[test]
    fn threads_and_chunks_follow_the_estimate() {
        let plan = |groups, time, threads| share_at_once(&known(groups, time, threads), TUNING.min_shared);
        // 3 µs per thread at least.
        let few = SharedRun { from: 0, to: 12, chunk: 1, threads: 4, wakes: true };
        assert_eq!(plan(12, micros(1), 8), Some(few));
        // 10 µs per chunk at most.
        let many = SharedRun { from: 0, to: 10_000, chunk: 10, threads: 8, wakes: true };
        assert_eq!(plan(10_000, micros(1), 8), Some(many));
        // No more threads than groups.
        let long = SharedRun { from: 0, to: 3, chunk: 1, threads: 3, wakes: true };
        assert_eq!(plan(3, micros(1000), 8), Some(long));
    }

    #[test]
    fn jobs_at_the_same_time_divide_the_threads() {
        let plan = |jobs| {
            let known = known(1000, micros(10), 8);
            match Plan::new(TUNING, &known, || SharingCost { jobs, ..cost(TUNING.min_shared) }) {
                Plan::Share(shared) => shared.threads,
                Plan::Serial | Plan::SerialStart(_) => 1,
            }
        };
        assert_eq!([0, 1, 2, 3, 4, 100].map(plan), [8, 4, 2, 2, 1, 1]);
    }

    #[test]
    fn a_missing_sample_makes_launches_of_short_groups_start_serially() {
        let plan = |time, is_sample_needed| {
            let known = Known { is_sample_needed, ..known(1000, time, 8) };
            share_at_once(&known, TUNING.min_shared).is_some()
        };
        assert!(!plan(micros(1), true) && plan(micros(1), false) && plan(TUNING.serial_start, true));
        assert_eq!(share_at_once(&known(1000, micros(1), 8), micros(1001)), None);
    }

    /// Returns the steps of a serial start of groups that take `group_time`, and what follows them.
    fn steps(groups: u64, group_time: Duration, min_time: Duration) -> (Vec<u64>, Option<SharedRun>) {
        let mut plan = Plan::new(TUNING, &known(groups, Duration::ZERO, 8), || cost(min_time));
        let mut steps = Vec::new();
        loop {
            let Plan::SerialStart(start) = plan else { panic!("it starts serially") };
            let (from, to) = start.range();
            steps.push(to - from);
            if start.is_last() {
                return (steps, None);
            }
            plan = start.next(TUNING, scaled(group_time, to), || cost(min_time));
            if let Plan::Share(shared) = plan {
                return (steps, Some(shared));
            }
        }
    }

    #[test]
    fn a_serial_start_ends_after_some_microseconds() {
        let (first, shared) = steps(1000, micros(1), TUNING.min_shared);
        assert_eq!(first, [1, 2, 4, 8]);
        assert_eq!(shared, Some(SharedRun { from: 15, to: 1000, chunk: 10, threads: 8, wakes: true }));
        // Steps stay short if other threads cannot help yet.
        let (all, shared) = steps(100, micros(1), micros(1000));
        assert_eq!((all.iter().sum(), shared), (100, None));
        assert!(all[4..].iter().all(|&step| step <= 15), "{all:?}");
        assert_eq!(steps(7, micros(1), TUNING.min_shared), (vec![1, 2, 4], None));
    }

    #[test]
    fn the_clock_is_not_read_at_the_end_of_a_short_launch() {
        let after = |spent| {
            let start = Plan::new(TUNING, &known(3, Duration::ZERO, 2), || cost(TUNING.min_shared));
            let Plan::SerialStart(start) = start else { panic!("it starts serially") };
            assert!(start.reads_clock(TUNING));
            match start.next(TUNING, spent, || cost(TUNING.min_shared)) {
                Plan::SerialStart(next) => next.reads_clock(TUNING),
                Plan::Share(_) | Plan::Serial => panic!("it is short"),
            }
        };
        assert!(!after(Duration::from_nanos(100)) && after(TUNING.min_shared / 4));
    }
}
