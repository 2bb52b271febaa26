//! What sharing work costs as threads become many: atomic operations, and how often cache lines change hands. The files are
//! those of `grus`, compiled against atomics that count. Threads take turns, chunk by chunk, so that counts are the same each
//! time, and machines with few processors can tell what many would see.

mod exec;
mod support;
mod turns;

use std::sync::Arc;

use exec::{Children, Shared};
use support::lines::{self, Counts};
use turns::Turns;

/// Chunks for each thread, as launches have.
const CHUNKS: u64 = 8;

/// Shares `chunks` between so many threads, of which each takes so many turns for a chunk; says what that cost.
fn share(threads: usize, chunks: u64, turns_of: impl Fn(usize) -> usize + Send + Sync + 'static) -> Counts {
    let turns = Turns::new(threads);
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

/// A launch costs each thread a few transfers, however many threads there are, and none for each chunk.
#[test]
fn lines_change_hands_a_few_times_for_each_thread() {
    let _alone = lines::alone();
    for threads in THREADS {
        let counts = share(threads, CHUNKS * threads as u64, |_| 1);
        println!("{threads} threads: {counts:?}");
        let n = threads as u64;
        assert!(counts.operations <= (3 * CHUNKS + 8) * n + 2, "{threads}: {counts:?}");
        assert!(counts.transfers <= 7 * n, "{threads}: {counts:?}");
        // The busiest line is that of what is left, or of whether something is.
        assert!(counts.busiest <= 2 * n + 1, "{threads}: {counts:?}");
    }
}

/// Where one thread is slow its chunks go to others, each of which has looked at the spans of all before it finds them.
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

/// Children that kernels enqueue: each thread adds some and runs some, all in turns. What they share changes hands twice for
/// each batch, however many threads there are.
#[test]
fn children_cost_by_the_batch() {
    const ROUNDS: usize = 100;
    const BATCH: usize = 16;
    let _alone = lines::alone();
    for threads in THREADS {
        let children = Children::new(threads);
        // There is always enough to do for batches.
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
