//! Cost model for waking threads: decides whether a launch is worth sharing. Waking a sleeping thread may take longer
//! than a launch. It pays for long launches, and for streaks of short launches, because a woken thread stays idle,
//! ready for the next launches.

use std::cell::Cell;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::{Duration, Instant};

use super::idle_workers::IdleWorkers;

/// Time for which a waiting or idle thread spins before it sleeps.
// Arbitrary.
const SPIN_TIME: Duration = Duration::from_micros(100);

/// Minimum run time of work that is shared with idle workers.
// Source: launches and transfers of 4 µs and more, Zen 5, 2026-11-28 (docs/performance.md).
pub(crate) const MIN_SHARED_TIME: Duration = Duration::from_micros(4);

/// Lower and upper bound of the estimated cost of waking threads.
// Source: waking takes 30 to 100 µs on Zen 5, 2026-11-28 (docs/performance.md).
const WAKE_COST_BOUNDS: [Duration; 2] = [Duration::from_micros(20), Duration::from_micros(150)];

/// Moving average of the nanoseconds until a woken thread begins.
static WAKE_LATENCY: AtomicU64 = AtomicU64::new(20_000);

/// Moving average of the nanoseconds that the waking thread spends on waking.
static WAKE_OVERHEAD: AtomicU64 = AtomicU64::new(10_000);

/// Run time of consecutive launches that a thread has run serially without a pause.
#[derive(Clone, Copy)]
struct SerialStreak {
    until: Instant,
    spent: Duration,
}

thread_local! {
    static SERIAL_STREAK: Cell<Option<SerialStreak>> = const { Cell::new(None) };
}

/// Returns the minimum run time of work that is worth sharing now; `has_idle_worker` is the result of
/// [`has_idle_worker`].
pub(crate) fn min_parallel_time(has_idle_worker: bool, now: Instant) -> Duration {
    if has_idle_worker { MIN_SHARED_TIME } else { reduced_by_streak(wake_cost(), now) }
}

/// Checks whether a worker is idle, or will be at once: the last worker to finish a job wakes the waiting thread before
/// it becomes idle.
pub(crate) fn has_idle_worker<O: Send>(workers: &IdleWorkers<O>) -> bool {
    let mut polls = 0;
    workers.has_idle(|| {
        polls += 1;
        std::hint::spin_loop();
        polls < 30
    })
}

/// Reduces the cost of waking by the run time of this thread's streak, since a woken thread will also help with the
/// next launches.
fn reduced_by_streak(cost: Duration, now: Instant) -> Duration {
    cost.saturating_sub(streak_time(now)).max(MIN_SHARED_TIME)
}

/// Returns the run time of this thread's streak; 0 after a pause.
fn streak_time(now: Instant) -> Duration {
    let streak =
        SERIAL_STREAK.get().filter(|streak| now.saturating_duration_since(streak.until) <= SPIN_TIME);
    streak.map_or(Duration::ZERO, |streak| streak.spent)
}

/// Returns the estimated cost of waking threads: work of this run time takes as long with one woken thread as without.
pub(crate) fn wake_cost() -> Duration {
    let sum = WAKE_LATENCY.load(Ordering::Relaxed) + WAKE_OVERHEAD.load(Ordering::Relaxed);
    Duration::from_nanos(sum).clamp(WAKE_COST_BOUNDS[0], WAKE_COST_BOUNDS[1])
}

/// Creates a spin budget: a function that returns true while a waiting thread may go on spinning. It pauses the CPU, or
/// yields to other threads at every 64th call.
pub(crate) fn spin_budget() -> impl FnMut() -> bool {
    let begin = Instant::now();
    let mut polls = 0_u32;
    move || {
        polls += 1;
        if polls.is_multiple_of(64) {
            std::thread::yield_now();
        } else {
            std::hint::spin_loop();
        }
        begin.elapsed() < SPIN_TIME
    }
}

/// Records that the calling thread has run work serially from `begin` for `time`, if that was long enough to be shared.
/// Returns true if so.
pub(crate) fn record_serial_run_if_long(begin: Instant, time: Duration) -> bool {
    let is_long = time >= MIN_SHARED_TIME;
    if is_long {
        record_serial_run(begin, time);
    }
    is_long
}

/// Records that the calling thread has run work serially from `begin` for `time` that could have been shared.
pub(crate) fn record_serial_run(begin: Instant, time: Duration) {
    let streak = SerialStreak { until: begin + time, spent: streak_time(begin) + time };
    SERIAL_STREAK.set(Some(streak));
}

/// Records the time until a woken thread has begun.
pub(crate) fn record_latency(time: Duration) {
    update_average(&WAKE_LATENCY, time);
}

/// Records the time that waking has taken on the waking thread.
pub(crate) fn record_overhead(time: Duration) {
    update_average(&WAKE_OVERHEAD, time);
}

/// Updates an exponential moving average with weight 1/8.
// Arbitrary.
fn update_average(average: &AtomicU64, time: Duration) {
    // Bounded, because a busy system may delay a thread by any time.
    let time = time.min(2 * WAKE_COST_BOUNDS[1]).as_nanos() as u64;
    let before = average.load(Ordering::Relaxed);
    average.store(before - before / 8 + time / 8, Ordering::Relaxed);
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn consecutive_launches_add_up() {
        let begin = Instant::now();
        let micros = Duration::from_micros;
        let cost = micros(80);
        assert_eq!(reduced_by_streak(cost, begin), cost);
        record_serial_run_if_long(begin, micros(30));
        record_serial_run_if_long(begin + micros(40), micros(20));
        // Short launches do not count.
        record_serial_run_if_long(begin + micros(65), MIN_SHARED_TIME / 2);
        assert_eq!(reduced_by_streak(cost, begin + micros(70)), micros(30));
        record_serial_run_if_long(begin + micros(70), micros(500));
        assert_eq!(reduced_by_streak(cost, begin + micros(600)), MIN_SHARED_TIME);
        // After a pause the other threads are asleep.
        let later = begin + micros(700) + SPIN_TIME;
        assert_eq!(reduced_by_streak(cost, later), cost);
        record_serial_run_if_long(later, micros(10));
        assert_eq!(reduced_by_streak(cost, later + micros(20)), micros(70));
    }

    #[test]
    fn the_cost_of_waking_is_an_average() {
        let average = AtomicU64::new(50_000);
        (0..100).for_each(|_| update_average(&average, Duration::from_micros(16)));
        assert!((15_000..17_000).contains(&average.load(Ordering::Relaxed)));
        update_average(&average, Duration::from_secs(1));
        assert!(average.load(Ordering::Relaxed) < 60_000);
        assert!((WAKE_COST_BOUNDS[0]..=WAKE_COST_BOUNDS[1]).contains(&wake_cost()));
    }

    #[test]
    fn spin_budgets_end() {
        // Measured before the budget begins, since this thread may be preempted in between.
        let begin = Instant::now();
        let mut may_spin = spin_budget();
        assert!(may_spin() || begin.elapsed() >= SPIN_TIME);
        while may_spin() {}
        assert!(begin.elapsed() >= SPIN_TIME);
    }
}
