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

/// Maximum pause between launches for which workers stay idle instead of asleep, if the pauses before were as short: a
/// program in Python takes 50 to 300 µs from one launch to the next.
// Source: measured with 16 cores of a Xeon, 2026-11-30 (docs/performance.md).
const MAX_PAUSE: Duration = Duration::from_millis(1);

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

/// Moving average of the nanoseconds from the end of a launch that could be shared to the next one of the same thread.
static PAUSE: AtomicU64 = AtomicU64::new(0);

/// Run time of consecutive launches that a thread has run serially without a pause.
#[derive(Clone, Copy)]
struct SerialStreak {
    until: Instant,
    spent: Duration,
}

thread_local! {
    static SERIAL_STREAK: Cell<Option<SerialStreak>> = const { Cell::new(None) };
    /// End of the last launch that could be shared.
    static LAST_END: Cell<Option<Instant>> = const { Cell::new(None) };
}

/// Returns the minimum run time of work that is worth sharing now; `has_idle_worker` is the result of
/// [`has_idle_worker`].
pub(crate) fn min_parallel_time(has_idle_worker: bool, now: Instant) -> Duration {
    if let Some(end) = LAST_END.take() {
        update_average(&PAUSE, now.saturating_duration_since(end), 2 * MAX_PAUSE);
    }
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
        SERIAL_STREAK.get().filter(|streak| now.saturating_duration_since(streak.until) <= idle_time());
    streak.map_or(Duration::ZERO, |streak| streak.spent)
}

/// Returns the estimated cost of waking threads: work of this run time takes as long with one woken thread as without.
fn wake_cost() -> Duration {
    let sum = WAKE_LATENCY.load(Ordering::Relaxed) + WAKE_OVERHEAD.load(Ordering::Relaxed);
    Duration::from_nanos(sum).clamp(WAKE_COST_BOUNDS[0], WAKE_COST_BOUNDS[1])
}

/// Returns the time for which a worker stays idle before it sleeps: twice the usual pause between launches, if that is
/// short.
fn idle_time() -> Duration {
    let pause = Duration::from_nanos(PAUSE.load(Ordering::Relaxed));
    if pause <= MAX_PAUSE { SPIN_TIME.max(2 * pause) } else { SPIN_TIME }
}

/// Records that the calling thread has run work that could be shared, on several threads.
pub(crate) fn record_shared_run() {
    LAST_END.set(Some(Instant::now()));
}

/// Creates the spin budget of an idle worker, see [`spin_budget`].
pub(crate) fn idle_budget() -> impl FnMut() -> bool {
    budget(idle_time())
}

/// Creates a spin budget: a function that returns true while a waiting thread may go on spinning. It pauses the CPU, or
/// yields to other threads at every 64th call.
pub(crate) fn spin_budget() -> impl FnMut() -> bool {
    budget(SPIN_TIME)
}

/// Creates a budget of this time.
fn budget(time: Duration) -> impl FnMut() -> bool {
    let begin = Instant::now();
    let mut polls = 0_u32;
    move || {
        polls += 1;
        if polls.is_multiple_of(64) {
            std::thread::yield_now();
        } else {
            std::hint::spin_loop();
        }
        begin.elapsed() < time
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
    LAST_END.set(Some(streak.until));
}

/// Records the time until a woken thread has begun.
pub(crate) fn record_latency(time: Duration) {
    update_average(&WAKE_LATENCY, time, 2 * WAKE_COST_BOUNDS[1]);
}

/// Records the time that waking has taken on the waking thread.
pub(crate) fn record_overhead(time: Duration) {
    update_average(&WAKE_OVERHEAD, time, 2 * WAKE_COST_BOUNDS[1]);
}

/// Updates an exponential moving average with weight 1/8. Longer times count as `most`.
// Arbitrary.
fn update_average(average: &AtomicU64, time: Duration, most: Duration) {
    // Bounded, because a busy system may delay a thread by any time.
    let time = time.min(most).as_nanos() as u64;
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
        let most = 2 * WAKE_COST_BOUNDS[1];
        (0..100).for_each(|_| update_average(&average, Duration::from_micros(16), most));
        assert!((15_000..17_000).contains(&average.load(Ordering::Relaxed)));
        update_average(&average, Duration::from_secs(1), most);
        assert!(average.load(Ordering::Relaxed) < 60_000);
        assert!((WAKE_COST_BOUNDS[0]..=WAKE_COST_BOUNDS[1]).contains(&wake_cost()));
    }

    #[test]
    fn workers_stay_idle_over_short_pauses() {
        // The first test of the process to record pauses: the averages of all tests are one.
        let after = |pause: Duration| {
            for _ in 0..100 {
                let end = Instant::now();
                LAST_END.set(Some(end));
                min_parallel_time(true, end + pause);
            }
            idle_time()
        };
        assert!((390..=400).contains(&after(Duration::from_micros(200)).as_micros()));
        assert_eq!(after(Duration::from_millis(3)), SPIN_TIME);
        assert_eq!(after(Duration::from_micros(10)), SPIN_TIME);
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
