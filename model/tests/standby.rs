//! Threads that stand by: what is handed over is done once, by whoever it is, and nobody waits for ever.

use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

use grus_model::exec::Awake;
use grus_model::harness::explore_within;
use loom::thread;

#[test]
fn what_is_handed_over_is_done_once() {
    for (orders, threads, most) in [(1, 1, 1), (2, 1, 1), (1, 2, 2), (2, 2, 2), (2, 2, 1), (1, 1, 0)] {
        let any = Arc::new(AtomicUsize::new(0));
        let met = Arc::clone(&any);
        explore_within(if threads == 1 { 3 } else { 1 }, 0, move || {
            let awake = Arc::new(Awake::new(most));
            let done = Arc::new(AtomicUsize::new(0));
            let start = |_| {
                let awake = Arc::clone(&awake);
                thread::spawn(move || awake.stand_by(2))
            };
            let threads: Vec<_> = (0..threads).map(start).collect();
            // Somebody may be there already.
            thread::yield_now();
            let mut taken = 0;
            for _ in 0..orders {
                let done = Arc::clone(&done);
                taken += usize::from(awake.hand_over(move || {
                    done.fetch_add(1, Ordering::Relaxed);
                }));
            }
            threads.into_iter().for_each(|thread| thread.join().expect("it ends"));
            assert_eq!(done.load(Ordering::Relaxed), taken);
            met.fetch_add(taken, Ordering::Relaxed);
            // Whoever has left is not counted on.
            assert!(!awake.hand_over(|| ()));
        });
        assert_eq!(any.load(Ordering::Relaxed) > 0, most > 0);
    }
}
