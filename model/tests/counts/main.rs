//! Costs of sharing work as the number of threads grows: atomic operations, and transfers of cache lines. The files
//! are those of `grus`, compiled against atomics that count. Threads alternate chunk by chunk, so that the counts
//! are reproducible, and machines with few processors can simulate many.

// The files name a crate of the library. Here it is a module.
extern crate self as grus_support;

mod exec;
mod round_robin;
mod support;

use std::sync::Arc;

use exec::{Children, Shared};
use round_robin::RoundRobin;
use support::lines::{self, Counts};
use support::{bug, sync};

/// Number of chunks per thread, as in launches.
const CHUNKS: u64 = 8;

/// Shares `chunks` between `threads` threads. Thread `i` gives up its turn `turns_of(i)` times per chunk. Returns
/// the counts.
fn share(threads: usize, chunks: u64, turns_of: impl Fn(usize) -> usize + Send + Sync + 'static) -> Counts {
    let turns = RoundRobin::new(threads);
    let run = {
        let turns = Arc::clone(&turns);
        move || {
            let me = lines::me();
            (0..turns_of(me)).for_each(|_| turns.pass(me));
        }
    };
    lines::begin();
    let job = Arc::new(Shared::new(chunks, threads, run));
    assert_eq!(job.threads(), threads);
    let run_chunks = |me: usize| {
        let (job, turns) = (Arc::clone(&job), Arc::clone(&turns));
        std::thread::spawn(move || {
            lines::i_am(me);
            turns.wait(me);
            job.run_chunks(me);
            turns.leave(me);
        })
    };
    let threads: Vec<_> = (0..threads).map(run_chunks).collect();
    threads.into_iter().for_each(|thread| thread.join().expect("it ends"));
    let counts = lines::end();
    assert!(job.is_over());
    counts
}

const THREADS: [usize; 8] = [1, 2, 4, 8, 16, 32, 64, 128];

/// A launch costs each thread a few transfers, independent of the number of threads and of the number of chunks.
#[test]
fn lines_change_hands_a_few_times_for_each_thread() {
    let _alone = lines::alone();
    for threads in THREADS {
        let counts = share(threads, CHUNKS * threads as u64, |_| 1);
        println!("{threads} threads: {counts:?}");
        let n = threads as u64;
        assert!(counts.operations <= (3 * CHUNKS + 8) * n + 2, "{threads}: {counts:?}");
        assert!(counts.transfers <= 7 * n, "{threads}: {counts:?}");
        // The busiest line is that of the remaining work, or of the flag that there is work.
        assert!(counts.busiest <= 2 * n + 1, "{threads}: {counts:?}");
    }
}

/// Other threads take the chunks of a slow thread, each of them after it has looked at the ranges of all threads
/// before it.
#[test]
fn what_slow_threads_leave_costs_by_the_chunk() {
    let _alone = lines::alone();
    for threads in THREADS {
        let counts = share(threads, CHUNKS * threads as u64, |me| if me == 0 { 10 } else { 1 });
        println!("{threads} threads: {counts:?}");
        let n = threads as u64;
        assert!(counts.transfers <= (5 + CHUNKS) * n + 4 * CHUNKS, "{threads}: {counts:?}");
    }
}

/// Children that kernels enqueue: each thread adds and runs some, alternating. The shared line is transferred twice
/// per batch, independent of the number of threads.
#[test]
fn children_cost_by_the_batch() {
    const ROUNDS: usize = 100;
    const BATCH: usize = 16;
    let _alone = lines::alone();
    for threads in THREADS {
        let children = Children::new(threads);
        // There are always enough children for whole batches.
        (0..threads).for_each(|place| children.push(place, 2 * BATCH));
        lines::begin();
        let mut ran = 0;
        for _ in 0..ROUNDS {
            for place in 0..threads {
                lines::i_am(place);
                children.push(place, BATCH);
                ran += children.run(place);
            }
        }
        let counts = lines::end();
        println!("{threads} threads, {ran} children: {counts:?}");
        assert_eq!(ran, ROUNDS * BATCH * threads);
        assert!(counts.transfers as usize <= (2 * ROUNDS + 4) * threads, "{threads}: {counts:?}");
    }
}
