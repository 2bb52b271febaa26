//! Whether others are to help. To wake a thread from sleep may take longer than a launch: it pays for launches that take
//! longer, and for those that come so often that all of them together do, since who was woken stands by for more.

use std::cell::Cell;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::{Duration, Instant};

use super::idle_workers::IdleWorkers;

/// How long threads stay awake that wait for somebody.
const SPIN_TIME: Duration = Duration::from_micros(100);

/// What takes so long is shared with those who stand by.
pub(in crate::exec) const SHORTEST: Duration = Duration::from_micros(4);

/// What waking takes at least and at most, as far as it decides.
const COSTS: [Duration; 2] = [Duration::from_micros(20), Duration::from_micros(150)];

/// Nanoseconds until a thread of the pool begins that is called from sleep, and until the one that calls it goes on; of the last
/// times.
static LATENCY: AtomicU64 = AtomicU64::new(20_000);
static OVERHEAD: AtomicU64 = AtomicU64::new(10_000);

/// What a thread has done lately without help and without a pause.
#[derive(Clone, Copy)]
struct Streak {
    until: Instant,
    spent: Duration,
}

thread_local! {
    static STREAK: Cell<Option<Streak>> = const { Cell::new(None) };
}

/// What begins now must take so long to be shared, with a thread that is [near](is_near) or not.
pub(in crate::exec) fn least(is_near: bool, now: Instant) -> Duration {
    if is_near { SHORTEST } else { lowered(cost(), now) }
}

/// Whether a thread stands by, or will at once: the last one to end what was shared wakes who waits for it before it stands by.
pub(in crate::exec) fn is_near<O: Send>(standby: &IdleWorkers<O>) -> bool {
    let mut looks = 0;
    standby.has_free(|| {
        looks += 1;
        std::hint::spin_loop();
        looks < 30
    })
}

/// What waking costs without what this thread has done in a row.
fn lowered(cost: Duration, now: Instant) -> Duration {
    cost.saturating_sub(spent(now)).max(SHORTEST)
}

/// What this thread has done without help until now, if there was no pause.
fn spent(now: Instant) -> Duration {
    let streak = STREAK.get().filter(|streak| now.saturating_duration_since(streak.until) <= SPIN_TIME);
    streak.map_or(Duration::ZERO, |streak| streak.spent)
}

/// What somebody loses who has threads woken: with one of them, work that takes as long is done as early as without.
pub(in crate::exec) fn cost() -> Duration {
    let sum = LATENCY.load(Ordering::Relaxed) + OVERHEAD.load(Ordering::Relaxed);
    Duration::from_nanos(sum).clamp(COSTS[0], COSTS[1])
}

/// Says whether a thread is to stay awake that waits for others to do something, and lets those run meanwhile.
pub(in crate::exec) fn spin_budget() -> impl FnMut() -> bool {
    let begin = Instant::now();
    let mut asked = 0_u32;
    move || {
        asked += 1;
        if asked.is_multiple_of(64) {
            std::thread::yield_now();
        } else {
            std::hint::spin_loop();
        }
        begin.elapsed() < SPIN_TIME
    }
}

/// The calling thread has spent that much since then, without help; says whether others could have helped.
pub(in crate::exec) fn note_alone(begin: Instant, time: Duration) -> bool {
    let is_long = time >= SHORTEST;
    if is_long {
        record_serial_run(begin, time);
    }
    is_long
}

/// The calling thread has spent that much since then with what others could have helped with.
pub(in crate::exec) fn record_serial_run(begin: Instant, time: Duration) {
    let streak = Streak { until: begin + time, spent: spent(begin) + time };
    STREAK.set(Some(streak));
}

/// A thread that slept has begun so long after it was called.
pub(in crate::exec) fn note_latency(time: Duration) {
    note(&LATENCY, time);
}

/// To call threads from sleep has taken so long.
pub(in crate::exec) fn note_overhead(time: Duration) {
    note(&OVERHEAD, time);
}

/// An eighth of what is remembered is the last one.
fn note(of: &AtomicU64, time: Duration) {
    // On a machine that does something else meanwhile it can be anything.
    let time = time.min(2 * COSTS[1]).as_nanos() as u64;
    let before = of.load(Ordering::Relaxed);
    of.store(before - before / 8 + time / 8, Ordering::Relaxed);
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn launches_in_a_row_add_up() {
        let begin = Instant::now();
        let micros = Duration::from_micros;
        let cost = micros(80);
        assert_eq!(lowered(cost, begin), cost);
        note_alone(begin, micros(30));
        note_alone(begin + micros(40), micros(20));
        // Short ones change nothing.
        note_alone(begin + micros(65), SHORTEST / 2);
        assert_eq!(lowered(cost, begin + micros(70)), micros(30));
        note_alone(begin + micros(70), micros(500));
        assert_eq!(lowered(cost, begin + micros(600)), SHORTEST);
        // After a pause others are asleep.
        let later = begin + micros(700) + SPIN_TIME;
        assert_eq!(lowered(cost, later), cost);
        note_alone(later, micros(10));
        assert_eq!(lowered(cost, later + micros(20)), micros(70));
    }

    #[test]
    fn what_waking_costs_is_what_it_has_cost() {
        let of = AtomicU64::new(50_000);
        (0..100).for_each(|_| note(&of, Duration::from_micros(16)));
        assert!((15_000..17_000).contains(&of.load(Ordering::Relaxed)));
        note(&of, Duration::from_secs(1));
        assert!(of.load(Ordering::Relaxed) < 60_000);
        assert!((COSTS[0]..=COSTS[1]).contains(&cost()));
    }

    #[test]
    fn patience_ends() {
        // Before it begins: this thread may be interrupted in between.
        let begin = Instant::now();
        let mut waits = spin_budget();
        assert!(waits() || begin.elapsed() >= SPIN_TIME);
        while waits() {}
        assert!(begin.elapsed() >= SPIN_TIME);
    }
}
