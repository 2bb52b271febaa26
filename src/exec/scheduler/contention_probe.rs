//! Threads that are in each other's way. Where all of them change the same memory by atomic operations, its lines go from one
//! processor to the other for each of those, and many threads together get less done than one alone, the less the more they
//! are. Launches begin on one thread, so that it is known what a group takes alone. If groups take longer by more than the
//! number of threads, one goes on alone; it claims groups in their order, so that what waits for groups before it comes to an
//! end. If that is no better, groups differ and are not in each other's way: all go on.

// Of `std`: nothing depends on when threads see them.
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Duration;

/// All threads run groups.
const TOGETHER: u64 = 0;
/// One does.
const ALONE: u64 = 1;
/// That was no better.
const TOGETHER_AGAIN: u64 = 2;

/// The threads of one launch.
pub(in crate::exec) struct ContentionProbe {
    /// Nanoseconds that a group takes alone.
    alone: u64,
    threads: u64,
    state: AtomicU64,
    /// What a group took when that was too long.
    together: AtomicU64,
}

/// What a thread does next.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(in crate::exec) enum Next {
    /// It claims more.
    GoOn,
    /// It leaves the rest to another one.
    Leave,
    /// It runs all that is left.
    Alone,
    /// It has others come again.
    Together,
}

/// What a thread knows of itself.
#[derive(Clone, Copy, Debug, Default)]
pub(in crate::exec) struct WorkerStats {
    /// It has run a chunk.
    is_warm: bool,
    /// Chunks that it has run since it is alone; 0 if it isn't.
    alone: u64,
}

/// The first chunk of a thread may take that much longer than others: nothing of what it needs is in the caches.
const COLD: Duration = Duration::from_micros(500);

impl ContentionProbe {
    /// So many threads, one of which takes so many nanoseconds for a group.
    pub fn new(alone: u64, threads: usize) -> ContentionProbe {
        let [state, together] = [TOGETHER, 0].map(AtomicU64::new);
        ContentionProbe { alone, threads: threads as u64, state, together }
    }

    /// Whether one thread was better, if that was tried.
    pub fn is_better_alone(&self) -> Option<bool> {
        match self.state.load(Ordering::Relaxed) {
            TOGETHER => None,
            state => Some(state == ALONE),
        }
    }

    /// A thread has run a chunk of so many groups in that time.
    pub fn after(&self, member: &mut WorkerStats, groups: u64, time: Duration) -> Next {
        let group = u64::try_from(time.as_nanos()).unwrap_or(u64::MAX) / groups.max(1);
        let is_cold = !std::mem::replace(&mut member.is_warm, true) && time < COLD;
        match self.state.load(Ordering::Relaxed) {
            TOGETHER if is_cold => Next::GoOn,
            TOGETHER => self.compare(member, group),
            ALONE if member.alone == 0 => {
                // Only one may have been held up.
                self.together.fetch_min(group, Ordering::Relaxed);
                Next::Leave
            }
            ALONE => {
                member.alone += 1;
                // While the first one ran others were still there.
                let is_told = member.alone == 3;
                // A quarter at least is to be gained.
                let together = self.together.load(Ordering::Relaxed);
                if is_told && group.saturating_mul(self.threads) >= together / 5 * 4 {
                    member.alone = 0;
                    self.state.store(TOGETHER_AGAIN, Ordering::Relaxed);
                    return Next::Together;
                }
                Next::GoOn
            }
            _ => Next::GoOn,
        }
    }

    fn compare(&self, member: &mut WorkerStats, group: u64) -> Next {
        // Half as much again: what is fetched from memory, or differs a little, is not meant.
        if group / 3 <= self.alone.saturating_mul(self.threads) / 2 {
            return Next::GoOn;
        }
        self.together.store(group, Ordering::Relaxed);
        let begin = self.state.compare_exchange(TOGETHER, ALONE, Ordering::Relaxed, Ordering::Relaxed);
        if begin.is_err() {
            return Next::Leave;
        }
        member.alone = 1;
        Next::Alone
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const MICRO: Duration = Duration::from_micros(1);

    /// Threads that have run something.
    fn warm<const N: usize>(crowd: &ContentionProbe) -> [WorkerStats; N] {
        let mut members = [WorkerStats::default(); N];
        for member in &mut members {
            assert_eq!(crowd.after(member, 1, 100 * MICRO), Next::GoOn);
        }
        members
    }

    #[test]
    fn one_goes_on_where_threads_are_in_each_others_way() {
        let crowd = ContentionProbe::new(1000, 4);
        let mut members = warm::<4>(&crowd);
        // Four threads may share what one has.
        assert_eq!(crowd.after(&mut members[0], 2, 8 * MICRO), Next::GoOn);
        assert_eq!(crowd.after(&mut members[2], 1, 20 * MICRO), Next::Alone);
        assert_eq!(crowd.after(&mut members[3], 1, 20 * MICRO), Next::Leave);
        assert_eq!(crowd.after(&mut members[0], 1, 20 * MICRO), Next::Leave);
        for _ in 0..10 {
            assert_eq!(crowd.after(&mut members[2], 1, MICRO), Next::GoOn);
        }
        assert_eq!(crowd.is_better_alone(), Some(true));
    }

    #[test]
    fn all_come_again_where_groups_take_that_long() {
        let crowd = ContentionProbe::new(1000, 4);
        let mut members = warm::<2>(&crowd);
        assert_eq!(crowd.after(&mut members[0], 1, 20 * MICRO), Next::Alone);
        assert_eq!(crowd.after(&mut members[1], 1, 20 * MICRO), Next::Leave);
        assert_eq!(crowd.after(&mut members[0], 1, 20 * MICRO), Next::GoOn);
        assert_eq!(crowd.after(&mut members[0], 1, 19 * MICRO), Next::Together);
        assert_eq!(crowd.after(&mut members[0], 1, 20 * MICRO), Next::GoOn);
        assert_eq!(crowd.is_better_alone(), Some(false));
    }

    #[test]
    fn all_come_again_where_one_was_held_up() {
        let crowd = ContentionProbe::new(1000, 2);
        let mut members = warm::<2>(&crowd);
        assert_eq!(crowd.after(&mut members[0], 1, 200 * MICRO), Next::Alone);
        assert_eq!(crowd.after(&mut members[1], 1, MICRO), Next::Leave);
        assert_eq!(crowd.after(&mut members[0], 1, MICRO), Next::GoOn);
        assert_eq!(crowd.after(&mut members[0], 1, MICRO), Next::Together);
        assert_eq!(crowd.is_better_alone(), Some(false));
    }

    #[test]
    fn threads_share_what_one_has() {
        let crowd = ContentionProbe::new(1000, 2);
        let [mut member] = warm(&crowd);
        assert!((0..10).all(|_| crowd.after(&mut member, 4, 9 * MICRO) == Next::GoOn));
        // What takes long is looked at from the first on.
        assert_eq!(crowd.after(&mut WorkerStats::default(), 1, 2 * COLD), Next::Alone);
    }
}
