//! Cost model for waking threads: decides whether a launch is worth sharing. Waking a sleeping thread may take longer
//! than a launch. It pays for long launches, and for streaks of short launches, because a woken thread stays idle,
//! ready for the next launches.

use std::cell::Cell;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::{Duration, Instant};

use super::super::tuning::{AVERAGED, IDLE_POLLS, Tuning};
use super::idle_workers::{IdleWorkers, Presence};

/// Measured costs of waking threads, and the pauses between launches. Times are moving averages in nanoseconds.
#[derive(Debug)]
pub(super) struct WakeCosts {
    /// Time until a woken thread begins.
    latency: AtomicU64,
    /// Time that the waking thread spends on waking.
    overhead: AtomicU64,
    /// Time from the end of a launch that could be shared to the next one of the same thread.
    pause: AtomicU64,
}

/// Cost of sharing work now.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct SharingCost {
    /// Minimum run time of work that is worth sharing.
    pub min_time: Duration,
    /// Minimum run time of work for which sleeping threads are woken.
    pub waking: Duration,
    /// Time by which each doubling of the number of threads delays the work.
    pub level: Duration,
    /// Number of jobs that other threads share now.
    pub jobs: usize,
}

/// Launches of one thread that could be shared.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct History {
    streak: Option<SerialStreak>,
    /// End of the last launch.
    last_end: Option<Instant>,
}

/// Run time of consecutive launches that a thread has run serially without a pause.
#[derive(Clone, Copy, Debug)]
struct SerialStreak {
    until: Instant,
    spent: Duration,
}

static COSTS: WakeCosts = WakeCosts::new();

thread_local! {
    static HISTORY: Cell<History> = const { Cell::new(History { streak: None, last_end: None }) };
}

impl WakeCosts {
    pub const fn new() -> WakeCosts {
        WakeCosts {
            latency: AtomicU64::new(20_000),
            overhead: AtomicU64::new(10_000),
            pause: AtomicU64::new(0),
        }
    }

    /// Returns what sharing costs if there are no other jobs, and records the pause before it.
    pub fn sharing_cost(
        &self,
        tuning: &Tuning,
        history: &mut History,
        workers: Presence,
        now: Instant,
    ) -> SharingCost {
        if let Some(end) = history.last_end.take() {
            update_average(&self.pause, now.saturating_duration_since(end), 2 * tuning.max_pause);
        }
        let waking = Duration::from_nanos(self.overhead.load(Ordering::Relaxed));
        if workers == Presence::Idle {
            return SharingCost { min_time: tuning.min_shared, waking, level: Duration::ZERO, jobs: 0 };
        }
        // A woken thread will also help with the launches that follow.
        let rest = self.wake_cost(tuning).saturating_sub(self.streak_time(tuning, history, now));
        let level = if workers == Presence::Asleep { tuning.wake_level } else { Duration::ZERO };
        SharingCost { min_time: rest.max(tuning.min_shared), waking: Duration::ZERO, level, jobs: 0 }
    }

    /// Returns the estimated cost of waking threads: work of this run time takes as long with one woken thread as
    /// without.
    fn wake_cost(&self, tuning: &Tuning) -> Duration {
        let sum = self.latency.load(Ordering::Relaxed) + self.overhead.load(Ordering::Relaxed);
        Duration::from_nanos(sum).clamp(tuning.wake_cost[0], tuning.wake_cost[1])
    }

    /// Returns the time for which a worker stays idle before it sleeps: twice the usual pause between launches, if that
    /// is short.
    pub fn idle_time(&self, tuning: &Tuning) -> Duration {
        let pause = Duration::from_nanos(self.pause.load(Ordering::Relaxed));
        if pause <= tuning.max_pause { tuning.spin.max(2 * pause) } else { tuning.spin }
    }

    /// Returns the run time of a thread's streak; 0 after a pause.
    fn streak_time(&self, tuning: &Tuning, history: &History, now: Instant) -> Duration {
        let is_going_on =
            |streak: &SerialStreak| now.saturating_duration_since(streak.until) <= self.idle_time(tuning);
        history.streak.filter(is_going_on).map_or(Duration::ZERO, |streak| streak.spent)
    }

    /// Records that a thread has run work serially from `begin` for `time` that could have been shared.
    pub fn record_serial_run(&self, tuning: &Tuning, history: &mut History, begin: Instant, time: Duration) {
        let until = begin + time;
        let spent = self.streak_time(tuning, history, begin) + time;
        *history = History { streak: Some(SerialStreak { until, spent }), last_end: Some(until) };
    }

    /// Records the time until a woken thread has begun.
    pub fn record_latency(&self, tuning: &Tuning, time: Duration) {
        update_average(&self.latency, time, 2 * tuning.wake_cost[1]);
    }

    /// Records the time that waking has taken on the waking thread.
    pub fn record_overhead(&self, tuning: &Tuning, time: Duration) {
        update_average(&self.overhead, time, 2 * tuning.wake_cost[1]);
    }
}

impl History {
    /// Records that work was run on several threads until `end`.
    pub fn record_shared_run(&mut self, end: Instant) {
        self.last_end = Some(end);
    }
}

/// Updates an exponential moving average. Longer times count as `most`.
fn update_average(average: &AtomicU64, time: Duration, most: Duration) {
    // Bounded, because a busy system may delay a thread by any time.
    let time = time.min(most).as_nanos() as u64;
    let before = average.load(Ordering::Relaxed);
    average.store(before - before / AVERAGED + time / AVERAGED, Ordering::Relaxed);
}

/// Calls `function` with the calling thread's history.
fn with_history<R>(function: impl FnOnce(&mut History) -> R) -> R {
    let mut history = HISTORY.get();
    let result = function(&mut history);
    HISTORY.set(history);
    result
}

/// Returns what sharing with these workers costs now.
pub(super) fn sharing_cost<O: Send>(workers: &IdleWorkers<O>, now: Instant) -> SharingCost {
    let presence = presence(workers);
    let cost = with_history(|history| COSTS.sharing_cost(&Tuning::MEASURED, history, presence, now));
    SharingCost { jobs: workers.jobs(), ..cost }
}

/// Checks whether a worker is idle, or will be at once: the last worker to finish a job wakes the waiting thread before
/// it becomes idle.
fn presence<O: Send>(workers: &IdleWorkers<O>) -> Presence {
    let mut polls = 0;
    workers.presence(|| {
        polls += 1;
        std::hint::spin_loop();
        polls < IDLE_POLLS
    })
}

/// Records that the calling thread has run work that could be shared, on several threads.
pub(crate) fn record_shared_run() {
    with_history(|history| history.record_shared_run(Instant::now()));
}

/// Records that the calling thread has run work serially from `begin` for `time`, if that was long enough to be shared.
pub(crate) fn record_serial_run_if_long(begin: Instant, time: Duration) {
    if time >= Tuning::MEASURED.min_shared {
        record_serial_run(begin, time);
    }
}

/// Records that the calling thread has run work serially from `begin` for `time` that could have been shared.
pub(crate) fn record_serial_run(begin: Instant, time: Duration) {
    with_history(|history| COSTS.record_serial_run(&Tuning::MEASURED, history, begin, time));
}

/// Records the time until a woken thread has begun.
pub(crate) fn record_latency(time: Duration) {
    COSTS.record_latency(&Tuning::MEASURED, time);
}

/// Records the time that waking has taken on the waking thread.
pub(crate) fn record_overhead(time: Duration) {
    COSTS.record_overhead(&Tuning::MEASURED, time);
}

/// Creates the spin budget of an idle worker, see [`spin_budget`].
pub(crate) fn idle_budget() -> impl FnMut() -> bool {
    budget(COSTS.idle_time(&Tuning::MEASURED))
}

/// Creates a spin budget: a function that returns true while a waiting thread may go on spinning. It pauses the CPU, or
/// yields to other threads at every 64th call.
pub(crate) fn spin_budget() -> impl FnMut() -> bool {
    budget(Tuning::MEASURED.spin)
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

#[cfg(test)]
mod tests {
    use super::*;

    const TUNING: &Tuning = &Tuning::MEASURED;

    #[test]
    fn consecutive_launches_add_up() {
        let begin = Instant::now();
        let micros = Duration::from_micros;
        let (costs, mut history) = (WakeCosts::new(), History::default());
        costs.latency.store(70_000, Ordering::Relaxed);
        let needed = |history: &History, after: Duration| {
            let mut history = History { last_end: None, ..*history };
            costs.sharing_cost(TUNING, &mut history, Presence::Asleep, begin + after).min_time
        };
        assert_eq!(needed(&history, micros(0)), micros(80));
        costs.record_serial_run(TUNING, &mut history, begin, micros(30));
        costs.record_serial_run(TUNING, &mut history, begin + micros(40), micros(20));
        assert_eq!(needed(&history, micros(70)), micros(30));
        costs.record_serial_run(TUNING, &mut history, begin + micros(70), micros(500));
        assert_eq!(needed(&history, micros(600)), TUNING.min_shared);
        // After a pause the other threads are asleep.
        let later = micros(700) + TUNING.spin;
        assert_eq!(needed(&history, later), micros(80));
        costs.record_serial_run(TUNING, &mut history, begin + later, micros(10));
        assert_eq!(needed(&history, later + micros(20)), micros(70));
        assert_eq!(
            costs.sharing_cost(TUNING, &mut history, Presence::Idle, begin).min_time,
            TUNING.min_shared
        );
    }

    #[test]
    fn the_cost_of_waking_is_an_average() {
        let costs = WakeCosts::new();
        costs.latency.store(50_000, Ordering::Relaxed);
        (0..100).for_each(|_| costs.record_latency(TUNING, Duration::from_micros(16)));
        assert!((15_000..17_000).contains(&costs.latency.load(Ordering::Relaxed)));
        costs.record_latency(TUNING, Duration::from_secs(1));
        assert!(costs.latency.load(Ordering::Relaxed) < 60_000);
        let [least, most] = TUNING.wake_cost;
        assert!((least..=most).contains(&costs.wake_cost(TUNING)));
    }

    #[test]
    fn workers_stay_idle_over_short_pauses() {
        let after = |pause: Duration| {
            let (costs, mut history, mut now) = (WakeCosts::new(), History::default(), Instant::now());
            for _ in 0..100 {
                history.record_shared_run(now);
                now += pause;
                costs.sharing_cost(TUNING, &mut history, Presence::Idle, now);
            }
            costs.idle_time(TUNING)
        };
        assert!((390..=400).contains(&after(Duration::from_micros(200)).as_micros()));
        assert_eq!(after(Duration::from_millis(3)), TUNING.spin);
        assert_eq!(after(Duration::from_micros(10)), TUNING.spin);
    }

    #[test]
    fn spin_budgets_end() {
        // Measured before the budget begins, since this thread may be preempted in between.
        let begin = Instant::now();
        let mut may_spin = spin_budget();
        assert!(may_spin() || begin.elapsed() >= TUNING.spin);
        while may_spin() {}
        assert!(begin.elapsed() >= TUNING.spin);
    }
}
