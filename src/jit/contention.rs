//! What launches of a kernel have told of threads that are in each other's way (`exec::contention`).

use std::sync::atomic::{AtomicI64, AtomicU64, Ordering};
use std::time::Duration;

/// Launches for which it holds: arguments change.
const LAUNCHES: i64 = 64;

/// What is known of a kernel.
#[derive(Debug, Default)]
pub struct Contention {
    /// Picoseconds that an item takes if one thread runs; 0 if that is not known.
    alone: AtomicU64,
    /// That many launches are for one thread if it is above zero; in that many nobody looks if it is below.
    left: AtomicI64,
}

/// What is to be done about a launch.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Plan {
    /// Threads share it, and look whether they are in each other's way.
    Look,
    /// They share it.
    Together,
    /// One runs it.
    Alone,
}

impl Contention {
    /// For the next launch.
    pub fn plan(&self) -> Plan {
        match self.left.load(Ordering::Relaxed) {
            0 => Plan::Look,
            left => {
                self.left.store(left - left.signum(), Ordering::Relaxed);
                if left > 0 { Plan::Alone } else { Plan::Together }
            }
        }
    }

    /// One thread has run so many items in that time.
    pub fn note_alone(&self, items: u64, time: Duration) {
        let item = time.as_nanos() * 1000 / u128::from(items.max(1));
        self.alone.store(u64::try_from(item).unwrap_or(u64::MAX), Ordering::Relaxed);
    }

    /// Nanoseconds that so many items take if one thread runs; none if that is not known.
    pub fn alone(&self, items: u64) -> Option<u64> {
        let time = self.alone.load(Ordering::Relaxed).saturating_mul(items) / 1000;
        (time > 0).then_some(time)
    }

    /// A launch has told whether one thread is better.
    pub fn learn(&self, is_better_alone: bool) {
        self.left.store(if is_better_alone { LAUNCHES } else { -LAUNCHES }, Ordering::Relaxed);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_was_told_holds_for_a_while() {
        let kernel = Contention::default();
        for (is_better_alone, plan) in [(true, Plan::Alone), (false, Plan::Together)] {
            assert_eq!(kernel.plan(), Plan::Look);
            kernel.learn(is_better_alone);
            assert!((0..LAUNCHES).all(|_| kernel.plan() == plan));
        }
        assert_eq!(kernel.alone(16), None);
        kernel.note_alone(32, Duration::from_micros(2));
        assert_eq!(kernel.alone(16), Some(1000));
    }
}
