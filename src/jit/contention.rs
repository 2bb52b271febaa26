//! What launches of a kernel have told of threads that are in each other's way (`exec::contention`).

use std::sync::atomic::{AtomicI64, AtomicU64, Ordering};
use std::time::Duration;

/// Launches for which it holds that one thread is better, once so many in a row have told it, and that it isn't, the more the
/// more often that was told: arguments change, and who looks may be held up.
const ALONE: i64 = 16;
const TIMES: u64 = 2;
const TOGETHER: [i64; 3] = [4, 16, 64];

/// Launches that tell what an item takes alone: in the first one nothing is in the caches.
const SAMPLES: u64 = 3;

/// What is known of a kernel.
#[derive(Debug, Default)]
pub struct ContentionHistory {
    /// Picoseconds that an item takes at least if one thread runs; 0 if that is not known.
    alone: AtomicU64,
    /// How many launches have told that.
    samples: AtomicU64,
    /// The same of a launch that threads shared to its end, and of one that one thread ran, with its items.
    shared: AtomicU64,
    whole: AtomicU64,
    items: AtomicU64,
    /// That many launches are for one thread if it is above zero; in that many nobody looks if it is below.
    left: AtomicI64,
    /// Launches in a row that have told that one thread is better, and that it isn't.
    times: AtomicU64,
    others: AtomicU64,
}

/// What is to be done about a launch.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ProbePlan {
    /// Threads share it, and look whether they are in each other's way.
    Look,
    /// They share it.
    Together,
    /// One runs it.
    Alone,
}

impl ContentionHistory {
    /// For the next launch.
    pub fn plan(&self) -> ProbePlan {
        match self.left.load(Ordering::Relaxed) {
            0 => ProbePlan::Look,
            left => {
                self.left.store(left - left.signum(), Ordering::Relaxed);
                if left > 0 { ProbePlan::Alone } else { ProbePlan::Together }
            }
        }
    }

    /// One thread has run so many items in that time.
    pub fn note_alone(&self, items: u64, time: Duration) {
        let before = self.alone.load(Ordering::Relaxed);
        let least = if before == 0 { u64::MAX } else { before };
        self.alone.store(item(items, time).min(least), Ordering::Relaxed);
        self.samples.fetch_add(1, Ordering::Relaxed);
    }

    /// Whether that is known of enough launches.
    pub fn knows_alone(&self) -> bool {
        self.samples.load(Ordering::Relaxed) >= SAMPLES
    }

    /// Threads have shared a launch of so many items that took that time. If one thread was faster with about as many, as
    /// launches say that were run whole, they have been told wrongly, by what was held up by others.
    pub fn note_shared(&self, items: u64, time: Duration) {
        let shared = item(items, time);
        self.shared.store(shared, Ordering::Relaxed);
        let (whole, before) = (self.whole.load(Ordering::Relaxed), self.items.load(Ordering::Relaxed));
        if whole > 0 && (before / 2..=before.saturating_mul(2)).contains(&items) && shared / 5 * 4 > whole {
            self.times.store(TIMES, Ordering::Relaxed);
            self.left.store(ALONE, Ordering::Relaxed);
        }
    }

    /// One thread has run a launch of so many items in that time, since that was told to be better.
    pub fn check(&self, items: u64, time: Duration) {
        let (shared, whole) = (self.shared.load(Ordering::Relaxed), item(items, time));
        self.whole.store(whole, Ordering::Relaxed);
        self.items.store(items, Ordering::Relaxed);
        if shared > 0 && whole > shared {
            self.learn(false);
        }
    }

    /// Nanoseconds that so many items take if one thread runs; none if that is not known.
    pub fn alone(&self, items: u64) -> Option<u64> {
        let time = self.alone.load(Ordering::Relaxed).saturating_mul(items) / 1000;
        (time > 0).then_some(time)
    }

    /// A launch has told whether one thread is better.
    pub fn learn(&self, is_better_alone: bool) {
        if !is_better_alone {
            self.times.store(0, Ordering::Relaxed);
            let others = self.others.fetch_add(1, Ordering::Relaxed) as usize;
            self.left.store(-TOGETHER[others.min(TOGETHER.len() - 1)], Ordering::Relaxed);
            return;
        }
        self.others.store(0, Ordering::Relaxed);
        if self.times.fetch_add(1, Ordering::Relaxed) + 1 >= TIMES {
            self.left.store(ALONE, Ordering::Relaxed);
        }
    }
}

/// Picoseconds of one of so many items.
fn item(items: u64, time: Duration) -> u64 {
    u64::try_from(time.as_nanos() * 1000 / u128::from(items.max(1))).unwrap_or(u64::MAX)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_was_told_holds_for_a_while() {
        let kernel = ContentionHistory::default();
        for (is_better_alone, plan, launches) in [
            (true, ProbePlan::Look, 0),
            (true, ProbePlan::Alone, ALONE),
            (false, ProbePlan::Together, TOGETHER[0]),
            (false, ProbePlan::Together, TOGETHER[1]),
            (false, ProbePlan::Together, TOGETHER[2]),
            (false, ProbePlan::Together, TOGETHER[2]),
            (true, ProbePlan::Look, 0),
            (true, ProbePlan::Alone, ALONE),
            (false, ProbePlan::Together, TOGETHER[0]),
        ] {
            assert_eq!(kernel.plan(), ProbePlan::Look);
            kernel.learn(is_better_alone);
            assert!((0..launches).all(|_| kernel.plan() == plan));
        }
        assert_eq!(kernel.plan(), ProbePlan::Look);
        assert_eq!(kernel.alone(16), None);
        kernel.note_alone(32, Duration::from_micros(2));
        assert_eq!(kernel.alone(16), Some(1000));
        assert!(!kernel.knows_alone());
        (1..SAMPLES).for_each(|_| kernel.note_alone(16, Duration::from_micros(2)));
        assert_eq!(kernel.alone(16), Some(1000));
        assert!(kernel.knows_alone());
    }

    #[test]
    fn what_whole_launches_tell_counts_more() {
        let kernel = ContentionHistory::default();
        (0..TIMES).for_each(|_| kernel.learn(true));
        kernel.check(20, Duration::from_micros(2));
        kernel.learn(false);
        // A fifth is not worth it, and fewer items tell nothing.
        kernel.note_shared(20, Duration::from_nanos(2400));
        kernel.note_shared(9, Duration::from_micros(9));
        assert_eq!(kernel.plan(), ProbePlan::Together);
        kernel.note_shared(20, Duration::from_micros(9));
        assert_eq!(kernel.plan(), ProbePlan::Alone);
    }

    #[test]
    fn what_turns_out_to_be_slower_is_not_done_again() {
        let kernel = ContentionHistory::default();
        kernel.note_shared(10, Duration::from_micros(2));
        (0..TIMES).for_each(|_| kernel.learn(true));
        assert_eq!(kernel.plan(), ProbePlan::Alone);
        kernel.check(20, Duration::from_micros(3));
        assert_eq!(kernel.plan(), ProbePlan::Alone);
        kernel.check(20, Duration::from_micros(5));
        assert_eq!(kernel.plan(), ProbePlan::Together);
    }
}
