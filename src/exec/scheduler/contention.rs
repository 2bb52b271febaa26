//! History of a kernel's contention probes (`contention_probe`), which decides whether its next
//! launches run on one thread (serially) or on several (in parallel). A probe ends with a verdict for one of the two.

use std::sync::atomic::{AtomicI64, AtomicU64, Ordering};
use std::time::Duration;

use super::super::tuning::contention::{
    MIN_SAMPLES, MIN_SERIAL_VERDICTS, PARALLEL_LAUNCHES, SERIAL_LAUNCHES,
};

/// Measurements and verdicts of a kernel's launches. Times are in picoseconds per work-item; 0 is unknown.
#[derive(Debug, Default)]
pub struct ContentionHistory {
    /// Minimum time of the serial start of a launch.
    serial_item_time: AtomicU64,
    /// Number of launches whose serial start was measured.
    samples: AtomicU64,
    /// Time of the last launch that several threads ran to its end.
    shared_item_time: AtomicU64,
    /// Time of the last launch that was left to one thread.
    serial_launch_item_time: AtomicU64,
    /// Work-items of that launch.
    serial_launch_items: AtomicU64,
    /// Number of following launches whose plan is fixed: serial if positive, parallel without a probe if negative.
    planned_launches: AtomicI64,
    /// Number of consecutive verdicts for serial execution.
    serial_verdicts: AtomicU64,
    /// Number of consecutive verdicts for parallel execution.
    parallel_verdicts: AtomicU64,
}

/// Plan of a launch.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ProbePlan {
    /// Several threads run it and probe for contention.
    Probe,
    /// Several threads run it.
    Parallel,
    /// One thread runs it.
    Serial,
}

impl ContentionHistory {
    /// Returns the plan of the next launch, and counts that launch.
    pub fn next_plan(&self) -> ProbePlan {
        match self.planned_launches.load(Ordering::Relaxed) {
            0 => ProbePlan::Probe,
            left => {
                self.planned_launches.store(left - left.signum(), Ordering::Relaxed);
                if left > 0 { ProbePlan::Serial } else { ProbePlan::Parallel }
            }
        }
    }

    /// Records that one thread has run the first `items` work-items of a launch in `time`.
    pub fn record_serial_sample(&self, items: u64, time: Duration) {
        let before = self.serial_item_time.load(Ordering::Relaxed);
        let upper = if before == 0 { u64::MAX } else { before };
        self.serial_item_time.store(item_time(items, time).min(upper), Ordering::Relaxed);
        self.samples.fetch_add(1, Ordering::Relaxed);
    }

    /// Checks whether the serial start of enough launches was measured.
    pub fn has_enough_samples(&self) -> bool {
        self.samples.load(Ordering::Relaxed) >= MIN_SAMPLES
    }

    /// Records that several threads have run a launch of `items` work-items in `time`. If one thread was faster by more
    /// than a fifth with about as many work-items, the verdict for parallel execution was wrong (a thread was preempted
    /// during the probe), and serial launches are resumed.
    pub fn record_shared_launch(&self, items: u64, time: Duration) {
        let shared = item_time(items, time);
        self.shared_item_time.store(shared, Ordering::Relaxed);
        let (serial, serial_items) = (
            self.serial_launch_item_time.load(Ordering::Relaxed),
            self.serial_launch_items.load(Ordering::Relaxed),
        );
        if serial > 0
            && (serial_items / 2..=serial_items.saturating_mul(2)).contains(&items)
            && shared / 5 * 4 > serial
        {
            self.serial_verdicts.store(MIN_SERIAL_VERDICTS, Ordering::Relaxed);
            self.planned_launches.store(SERIAL_LAUNCHES, Ordering::Relaxed);
        }
    }

    /// Records that a launch of `items` work-items, planned as serial, has taken `time`. If launches in parallel were
    /// faster, this counts as a verdict against serial execution.
    pub fn record_serial_launch(&self, items: u64, time: Duration) {
        let (shared, serial) = (self.shared_item_time.load(Ordering::Relaxed), item_time(items, time));
        self.serial_launch_item_time.store(serial, Ordering::Relaxed);
        self.serial_launch_items.store(items, Ordering::Relaxed);
        if shared > 0 && serial > shared {
            self.record_verdict(false);
        }
    }

    /// Returns the nanoseconds that one thread takes for `items` work-items; `None` if unknown.
    pub fn serial_time(&self, items: u64) -> Option<u64> {
        let time = self.serial_item_time.load(Ordering::Relaxed).saturating_mul(items) / 1000;
        (time > 0).then_some(time)
    }

    /// Records the verdict of a probe.
    pub fn record_verdict(&self, is_serial_better: bool) {
        if !is_serial_better {
            self.serial_verdicts.store(0, Ordering::Relaxed);
            let earlier = self.parallel_verdicts.fetch_add(1, Ordering::Relaxed) as usize;
            self.planned_launches
                .store(-PARALLEL_LAUNCHES[earlier.min(PARALLEL_LAUNCHES.len() - 1)], Ordering::Relaxed);
            return;
        }
        self.parallel_verdicts.store(0, Ordering::Relaxed);
        if self.serial_verdicts.fetch_add(1, Ordering::Relaxed) + 1 >= MIN_SERIAL_VERDICTS {
            self.planned_launches.store(SERIAL_LAUNCHES, Ordering::Relaxed);
        }
    }
}

/// Returns the picoseconds per work-item.
fn item_time(items: u64, time: Duration) -> u64 {
    u64::try_from(time.as_nanos() * 1000 / u128::from(items.max(1))).unwrap_or(u64::MAX)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn verdicts_hold_for_a_number_of_launches() {
        let kernel = ContentionHistory::default();
        for (is_serial_better, plan, launches) in [
            (true, ProbePlan::Probe, 0),
            (true, ProbePlan::Serial, SERIAL_LAUNCHES),
            (false, ProbePlan::Parallel, PARALLEL_LAUNCHES[0]),
            (false, ProbePlan::Parallel, PARALLEL_LAUNCHES[1]),
            (false, ProbePlan::Parallel, PARALLEL_LAUNCHES[2]),
            (false, ProbePlan::Parallel, PARALLEL_LAUNCHES[2]),
            (true, ProbePlan::Probe, 0),
            (true, ProbePlan::Serial, SERIAL_LAUNCHES),
            (false, ProbePlan::Parallel, PARALLEL_LAUNCHES[0]),
        ] {
            assert_eq!(kernel.next_plan(), ProbePlan::Probe);
            kernel.record_verdict(is_serial_better);
            assert!((0..launches).all(|_| kernel.next_plan() == plan));
        }
        assert_eq!(kernel.next_plan(), ProbePlan::Probe);
        assert_eq!(kernel.serial_time(16), None);
        kernel.record_serial_sample(32, Duration::from_micros(2));
        assert_eq!(kernel.serial_time(16), Some(1000));
        assert!(!kernel.has_enough_samples());
        (1..MIN_SAMPLES).for_each(|_| kernel.record_serial_sample(16, Duration::from_micros(2)));
        assert_eq!(kernel.serial_time(16), Some(1000));
        assert!(kernel.has_enough_samples());
    }

    #[test]
    fn a_faster_serial_launch_overrules_a_verdict() {
        let kernel = ContentionHistory::default();
        (0..MIN_SERIAL_VERDICTS).for_each(|_| kernel.record_verdict(true));
        kernel.record_serial_launch(20, Duration::from_micros(2));
        kernel.record_verdict(false);
        // A gain of a fifth is too small, and launches of half the size are not compared.
        kernel.record_shared_launch(20, Duration::from_nanos(2400));
        kernel.record_shared_launch(9, Duration::from_micros(9));
        assert_eq!(kernel.next_plan(), ProbePlan::Parallel);
        kernel.record_shared_launch(20, Duration::from_micros(9));
        assert_eq!(kernel.next_plan(), ProbePlan::Serial);
    }

    #[test]
    fn slower_serial_launches_end_serial_execution() {
        let kernel = ContentionHistory::default();
        kernel.record_shared_launch(10, Duration::from_micros(2));
        (0..MIN_SERIAL_VERDICTS).for_each(|_| kernel.record_verdict(true));
        assert_eq!(kernel.next_plan(), ProbePlan::Serial);
        kernel.record_serial_launch(20, Duration::from_micros(3));
        assert_eq!(kernel.next_plan(), ProbePlan::Serial);
        kernel.record_serial_launch(20, Duration::from_micros(5));
        assert_eq!(kernel.next_plan(), ProbePlan::Parallel);
    }
}
