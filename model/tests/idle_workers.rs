//! Idle workers: every submitted task is done once, by any thread, and no thread waits for ever.

use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

use grus_model::exec::{Awake, Order};
use grus_model::harness::explore_within;
use loom::thread;

/// Starts `threads` workers, of which some may be idle already; each spins `looks` times for a task.
fn run_idle(awake: &Arc<Awake>, threads: usize, looks: usize) -> Vec<thread::JoinHandle<()>> {
    let start = |_| {
        let awake = Arc::clone(awake);
        thread::spawn(move || awake.run_idle(looks))
    };
    let threads = (0..threads).map(start).collect();
    thread::yield_now();
    threads
}

#[test]
fn what_is_handed_over_is_done_once() {
    for (orders, threads, most) in [(1, 1, 1), (2, 1, 1), (1, 2, 2), (2, 2, 2), (2, 2, 1), (1, 1, 0)] {
        let any = Arc::new(AtomicUsize::new(0));
        let met = Arc::clone(&any);
        explore_within(if threads == 1 { 3 } else { 1 }, 0, move || {
            let awake = Arc::new(Awake::new(most));
            let done = Arc::new(AtomicUsize::new(0));
            let threads = run_idle(&awake, threads, 2);
            let mut taken = 0;
            for _ in 0..orders {
                let done = Arc::clone(&done);
                taken += usize::from(awake.submit(move || {
                    done.fetch_add(1, Ordering::Relaxed);
                }));
            }
            threads.into_iter().for_each(|thread| thread.join().expect("it ends"));
            assert_eq!(done.load(Ordering::Relaxed), taken);
            met.fetch_add(taken, Ordering::Relaxed);
            // A worker that has left is not counted on.
            assert!(!awake.submit(|| ()));
        });
        assert_eq!(any.load(Ordering::Relaxed) > 0, most > 0);
    }
}

/// A task on a reserved worker is done once, by the worker or the submitter, and is over when it has ended; no
/// thread sleeps for ever.
#[test]
fn what_is_lent_ends() {
    type Scenario = (usize, usize, usize, &'static [bool]);
    const SCENARIOS: [Scenario; 4] =
        [(1, 1, 1, &[true]), (1, 1, 2, &[false]), (1, 1, 1, &[true, false]), (1, 2, 1, &[true])];
    let ends = Arc::new([const { AtomicUsize::new(0) }; 4]);
    for (orders, threads, looks, wells) in SCENARIOS {
        let seen = Arc::clone(&ends);
        explore_within(if wells.len() * threads == 1 { 3 } else { 1 }, 0, move || {
            let awake = Arc::new(Awake::new(threads));
            let done = Arc::new(AtomicUsize::new(0));
            let threads = run_idle(&awake, threads, 1);
            for &is_well in wells {
                let order = |_| {
                    let done = Arc::clone(&done);
                    Box::new(move || {
                        done.fetch_add(1, Ordering::Relaxed);
                        is_well
                    }) as Order
                };
                let before = done.load(Ordering::Relaxed);
                let ended = awake.run_reserved((0..orders).map(order).collect(), looks, thread::yield_now);
                let [well, failed, taken_back] = ended;
                assert_eq!(if is_well { failed } else { well }, 0);
                assert!([0, orders].contains(&(well + failed + taken_back)));
                assert_eq!(done.load(Ordering::Relaxed), before + well + failed);
                let absent = orders - well - failed - taken_back;
                [well, failed, taken_back, absent].iter().zip(&*seen).for_each(|(count, seen)| {
                    seen.fetch_add(*count, Ordering::Relaxed);
                });
            }
            threads.into_iter().for_each(|thread| thread.join().expect("it ends"));
        });
    }
    // Each of the outcomes occurs in some interleaving.
    assert!(ends.iter().all(|end| end.load(Ordering::Relaxed) > 0), "{ends:?}");
}
