//! Shared jobs: every chunk is run once, and the waiting thread wakes when all chunks are complete.

use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

use grus_model::exec::{Fault, Shared};
use grus_model::harness::explore_within;
use grus_model::support::bug::panic_on_purpose;
use loom::thread;

/// Shares `job` with `others` other threads and waits for it.
fn run(job: Shared, others: usize) -> Result<(), Fault> {
    let job = Arc::new(job);
    let run_chunks = |_| {
        let job = Arc::clone(&job);
        // Helpers do not know of each other, so all pass the same index.
        thread::spawn(move || job.run_chunks(1))
    };
    let others: Vec<_> = (0..others).map(run_chunks).collect();
    job.run_chunks(0);
    let result = job.wait();
    others.into_iter().for_each(|other| other.join().expect("it ends"));
    result
}

/// Returns the bound on preemptions for that many other threads; a job has many steps.
fn preemptions(others: usize) -> usize {
    if others == 1 { 2 } else { 1 }
}

#[test]
fn every_piece_is_done_once() {
    for (total, chunk, others) in [(3, 1, 1), (5, 2, 1), (3, 1, 2), (2, 1, 3), (1, 4, 2)] {
        explore_within(preemptions(others), 0, move || {
            let done: Arc<[AtomicU64]> = (0..total).map(|_| AtomicU64::new(0)).collect();
            let mine = Arc::clone(&done);
            let work = move |from: u64, to: u64| {
                for done in &mine[from as usize..to as usize] {
                    done.fetch_add(1, Ordering::Relaxed);
                }
                Ok(())
            };
            assert_eq!(run(Shared::new(total, chunk, others + 1, work), others), Ok(()));
            assert!(done.iter().all(|count| count.load(Ordering::Relaxed) == 1));
        });
    }
}

/// One chunk, or all, fail or panic: unclaimed chunks are skipped, and no thread waits for them.
#[test]
fn a_fault_ends_the_job() {
    for bad in [Some(0), Some(1), Some(3), None] {
        for panics in [false, true] {
            for others in [1, 2] {
                explore_within(preemptions(others), 0, move || {
                    let work = move |from: u64, _| match bad.is_none_or(|bad| bad == from) {
                        true if panics => panic_on_purpose(),
                        true => Err(Fault::new("bad")),
                        false => Ok(()),
                    };
                    let fault = run(Shared::new(4, 1, others + 1, work), others).expect_err("it has one");
                    assert_eq!(fault, Fault::new(if panics { "bug" } else { "bad" }));
                });
            }
        }
    }
}
