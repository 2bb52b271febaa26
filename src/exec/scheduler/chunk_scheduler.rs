//! Chunked scheduling of a range of indices with one partition per worker. Each partition has its own counter, so that
//! workers do not contend for one, and a worker that has the same number in the next launch finds the data of its
//! partition in its caches. A worker whose partition is exhausted steals chunks from other partitions.

use super::padded_counters::PaddedCounters;
use grus_support::sync::atomic::{AtomicU64, Ordering};

/// Scheduler of the unclaimed indices.
pub(crate) struct ChunkScheduler {
    partitions: Partitions,
    /// One row per partition: the next unclaimed index. A last row: 1 if all indices are known to be claimed.
    counters: PaddedCounters,
}

/// Division of a range into contiguous partitions of whole chunks, one per worker.
struct Partitions {
    from: u64,
    to: u64,
    chunk: u64,
    /// Number of chunks per partition, rounded down.
    chunks: u64,
    /// Number of partitions, the first ones, that have one more chunk.
    longer_partitions: u64,
    count: usize,
}

impl Partitions {
    /// Returns the first index of a partition; for the number of partitions, the end of the range.
    fn begin(&self, partition: usize) -> u64 {
        let before = self.chunks * partition as u64 + self.longer_partitions.min(partition as u64);
        (self.from + before * self.chunk).min(self.to)
    }
}

/// Position of a worker.
pub(crate) struct WorkerCursor {
    /// Partition in which the worker began.
    partition: usize,
    /// Number of partitions, from that one on, that the worker has found exhausted.
    exhausted: usize,
}

impl WorkerCursor {
    /// Position from which the remaining indices are claimed in ascending order.
    pub const START: WorkerCursor = WorkerCursor { partition: 0, exhausted: 0 };

    /// Returns the number of partitions that the worker has found exhausted.
    #[cfg(test)]
    pub fn exhausted(&self) -> usize {
        self.exhausted
    }
}

impl ChunkScheduler {
    /// Creates a scheduler of the indices `from..to` in chunks of `chunk`, for at most `threads` workers.
    pub fn new(from: u64, to: u64, chunk: u64, threads: usize) -> ChunkScheduler {
        let all = (to - from).div_ceil(chunk);
        let count = all.clamp(1, threads.max(1) as u64);
        let (chunks, longer_partitions) = (all / count, all % count);
        let partitions = Partitions { from, to, chunk, chunks, longer_partitions, count: count as usize };
        let counters = PaddedCounters::new(partitions.count + 1, |at| {
            [if at < partitions.count { partitions.begin(at) } else { 0 }]
        });
        ChunkScheduler { partitions, counters }
    }

    /// Returns the number of workers that can claim something, at least 1.
    pub fn threads(&self) -> usize {
        self.partitions.count
    }

    /// Returns the counter and the end of a partition.
    fn partition(&self, partition: usize) -> (&AtomicU64, u64) {
        let [next] = self.counters.row(partition);
        (next, self.partitions.begin(partition + 1))
    }

    /// Returns the flag that a worker sets when it has found all partitions exhausted, so that late workers need not
    /// search.
    fn empty_flag(&self) -> &AtomicU64 {
        let [is_empty] = self.counters.row(self.partitions.count);
        is_empty
    }

    /// Returns the start position of a worker: the partition of its number, counted from 0.
    pub fn cursor(&self, worker: usize) -> WorkerCursor {
        WorkerCursor { partition: worker % self.partitions.count, exhausted: 0 }
    }

    /// Checks whether all indices are known to be claimed.
    pub fn is_empty(&self) -> bool {
        self.empty_flag().load(Ordering::Relaxed) != 0
    }

    /// Ends the search of all workers, once all indices are claimed.
    pub fn end_search(&self) {
        self.empty_flag().store(1, Ordering::Relaxed);
    }

    /// Claims the next chunk. Calls `before_stealing` before it searches other partitions for the first time.
    pub fn claim(&self, cursor: &mut WorkerCursor, mut before_stealing: impl FnMut()) -> Option<(u64, u64)> {
        while cursor.exhausted < self.partitions.count {
            let (next, end) = self.partition((cursor.partition + cursor.exhausted) % self.partitions.count);
            let is_own = cursor.exhausted == 0;
            if !is_own && self.is_empty() {
                return None;
            }
            // A load is cheaper than an addition that claims nothing.
            if is_own || next.load(Ordering::Relaxed) < end {
                let from = next.fetch_add(self.partitions.chunk, Ordering::Relaxed);
                if from < end {
                    return Some((from, end.min(from + self.partitions.chunk)));
                }
            }
            if is_own {
                before_stealing();
            }
            cursor.exhausted += 1;
        }
        self.end_search();
        None
    }

    /// Cancels all unclaimed indices, and returns their number.
    pub fn cancel(&self) -> u64 {
        let rest = |partition: usize| {
            let (next, end) = self.partition(partition);
            end.saturating_sub(next.swap(end, Ordering::Relaxed))
        };
        (0..self.partitions.count).map(rest).sum()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_index_is_claimed_once() {
        for (from, to, chunk, threads) in
            [(0, 1, 1, 1), (3, 100, 7, 4), (0, 64, 1, 64), (5, 6, 10, 8), (0, 1000, 3, 7), (0, 10, 1, 0)]
        {
            for first in 0..3 {
                let scheduler = ChunkScheduler::new(from, to, chunk, threads);
                let mut cursors: Vec<_> =
                    (0..threads.max(1)).map(|at| scheduler.cursor(first + at)).collect();
                let mut seen = vec![0; to as usize];
                let mut at = 0;
                while let Some((from, to)) = scheduler.claim(&mut cursors[at], || ()) {
                    assert!(from < to && to - from <= chunk);
                    (from..to).for_each(|number| seen[number as usize] += 1);
                    // Workers progress at different speeds.
                    at = (at * 5 + 1) % cursors.len();
                }
                assert!(scheduler.is_empty());
                assert!(seen[from as usize..].iter().all(|&count| count == 1), "{seen:?}");
                assert_eq!(scheduler.cancel(), 0);
            }
        }
    }

    #[test]
    fn there_are_no_more_workers_than_chunks() {
        let threads = |threads, to, chunk| ChunkScheduler::new(0, to, chunk, threads).threads();
        assert_eq!([threads(8, 3, 1), threads(8, 100, 20), threads(8, 1000, 1)], [3, 5, 8]);
        assert_eq!([threads(1, 1000, 1), threads(8, 0, 1)], [1, 1]);
    }

    #[test]
    fn workers_begin_in_partitions_of_their_own() {
        let scheduler = ChunkScheduler::new(0, 100, 10, 3);
        let mut cursors = [0, 1, 2].map(|worker| scheduler.cursor(worker));
        let first = cursors.each_mut().map(|cursor| scheduler.claim(cursor, || ()));
        assert_eq!(first, [Some((0, 10)), Some((40, 50)), Some((70, 80))]);
        assert_eq!(scheduler.claim(&mut cursors[0], || ()), Some((10, 20)));
    }

    #[test]
    fn canceled_indices_are_counted() {
        let scheduler = ChunkScheduler::new(0, 100, 10, 3);
        let mut cursor = scheduler.cursor(2);
        scheduler.claim(&mut cursor, || ());
        assert_eq!(scheduler.cancel(), 90);
        assert_eq!(scheduler.claim(&mut cursor, || ()), None);
        assert_eq!(cursor.exhausted(), 3);
    }
}
