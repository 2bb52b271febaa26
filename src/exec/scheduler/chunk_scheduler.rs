//! Numbers that threads claim in chunks. Each thread begins with neighbours of its own, which have a counter of their own: so
//! threads do not meet at one, and a thread that takes part again finds in its caches what it had before. Who has no more takes
//! chunks of the others'.

use super::padded_counters::PaddedCounters;
use crate::support::sync::atomic::{AtomicU64, Ordering};

/// Places at which a thread tries to begin before it shares one.
const MOST_TRIED: usize = 4;

/// The numbers that are left.
pub(in crate::exec) struct ChunkScheduler {
    spans: Partitions,
    /// For each span the next number that nobody has claimed, and whether a thread began there. In a last row whether it is
    /// known that nothing is left.
    lines: PaddedCounters,
}

/// Neighbours, one span of them for each thread.
struct Partitions {
    from: u64,
    to: u64,
    chunk: u64,
    /// Chunks of each, and how many of the first ones have one more.
    chunks: u64,
    longer: u64,
    count: usize,
}

impl Partitions {
    /// The first number of a span, or where the last one ends.
    fn begin(&self, span: usize) -> u64 {
        let before = self.chunks * span as u64 + self.longer.min(span as u64);
        (self.from + before * self.chunk).min(self.to)
    }
}

/// Where a thread claims.
pub(in crate::exec) struct WorkerCursor {
    span: usize,
    /// Spans in which it has found nothing more.
    passed: usize,
}

impl WorkerCursor {
    /// From which numbers are claimed in their order, as far as they are left.
    pub const FIRST: WorkerCursor = WorkerCursor { span: 0, passed: 0 };
}

impl ChunkScheduler {
    /// Those from one to before another, in chunks of so many, for up to so many threads.
    pub fn new(from: u64, to: u64, chunk: u64, threads: usize) -> ChunkScheduler {
        let all = (to - from).div_ceil(chunk);
        let count = all.clamp(1, threads.max(1) as u64);
        let (chunks, longer) = (all / count, all % count);
        let spans = Partitions { from, to, chunk, chunks, longer, count: count as usize };
        let lines = PaddedCounters::new(spans.count + 1, |at| {
            if at < spans.count { [spans.begin(at), 0] } else { [0; 2] }
        });
        ChunkScheduler { spans, lines }
    }

    /// How many threads have something to claim; at least one.
    pub fn threads(&self) -> usize {
        self.spans.count
    }

    /// The next number of a span, the one behind its last, and whether a thread began there.
    fn span(&self, span: usize) -> (&AtomicU64, u64, &AtomicU64) {
        let [next, is_taken] = self.lines.row(span);
        (next, self.spans.begin(span + 1), is_taken)
    }

    /// Whoever has looked everywhere says that there is nothing: those who come late need not look.
    fn empty(&self) -> &AtomicU64 {
        let [is_empty] = self.lines.row(self.spans.count);
        is_empty
    }

    /// A place to begin at: this one, unless somebody was there. The first one is left to the thread of place 0, which is always
    /// there and may come later than others.
    pub fn seat(&self, place: usize) -> WorkerCursor {
        let count = self.spans.count;
        let preferred = if place == 0 || count == 1 { 0 } else { 1 + (place - 1) % (count - 1) };
        let all = (0..count).map(|at| (preferred + at) % count);
        let is_free = |&span: &usize| self.span(span).2.swap(1, Ordering::Relaxed) == 0;
        WorkerCursor { span: all.take(MOST_TRIED).find(is_free).unwrap_or(preferred), passed: 0 }
    }

    /// Whether it is known that nothing is left.
    pub fn is_empty(&self) -> bool {
        self.empty().load(Ordering::Relaxed) != 0
    }

    /// The next chunk. Calls `passes` before it first looks at what others began with.
    pub fn claim(&self, seat: &mut WorkerCursor, mut passes: impl FnMut()) -> Option<(u64, u64)> {
        while seat.passed < self.spans.count {
            let (next, end, _) = self.span((seat.span + seat.passed) % self.spans.count);
            let is_own = seat.passed == 0;
            if !is_own && self.is_empty() {
                return None;
            }
            // Looking is cheaper than claiming what is not there.
            if is_own || next.load(Ordering::Relaxed) < end {
                let from = next.fetch_add(self.spans.chunk, Ordering::Relaxed);
                if from < end {
                    return Some((from, end.min(from + self.spans.chunk)));
                }
            }
            if is_own {
                passes();
            }
            seat.passed += 1;
        }
        self.empty().store(1, Ordering::Relaxed);
        None
    }

    /// Leaves nothing; says how many there were.
    pub fn clear(&self) -> u64 {
        let rest = |span: usize| {
            let (next, end, _) = self.span(span);
            end.saturating_sub(next.swap(end, Ordering::Relaxed))
        };
        (0..self.spans.count).map(rest).sum()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn everything_is_claimed_once() {
        for (from, to, chunk, threads) in
            [(0, 1, 1, 1), (3, 100, 7, 4), (0, 64, 1, 64), (5, 6, 10, 8), (0, 1000, 3, 7), (0, 10, 1, 0)]
        {
            for first in 0..3 {
                let claims = ChunkScheduler::new(from, to, chunk, threads);
                let mut seats: Vec<_> = (0..threads.max(1)).map(|at| claims.seat(first + at)).collect();
                let mut seen = vec![0; to as usize];
                let mut at = 0;
                while let Some((from, to)) = claims.claim(&mut seats[at], || ()) {
                    assert!(from < to && to - from <= chunk);
                    (from..to).for_each(|number| seen[number as usize] += 1);
                    // Some are faster than others.
                    at = (at * 5 + 1) % seats.len();
                }
                assert!(claims.is_empty());
                assert!(seen[from as usize..].iter().all(|&count| count == 1), "{seen:?}");
                assert_eq!(claims.clear(), 0);
            }
        }
    }

    #[test]
    fn nobody_comes_for_nothing() {
        let threads = |threads, to, chunk| ChunkScheduler::new(0, to, chunk, threads).threads();
        assert_eq!([threads(8, 3, 1), threads(8, 100, 20), threads(8, 1000, 1)], [3, 5, 8]);
        assert_eq!([threads(1, 1000, 1), threads(8, 0, 1)], [1, 1]);
    }

    #[test]
    fn threads_begin_with_neighbours() {
        let claims = ChunkScheduler::new(0, 100, 10, 3);
        let mut seats = [0, 1, 1].map(|preferred| claims.seat(preferred));
        assert_eq!(seats.each_ref().map(|seat| seat.span), [0, 1, 2]);
        let first = seats.each_mut().map(|seat| claims.claim(seat, || ()));
        assert_eq!(first, [Some((0, 10)), Some((40, 50)), Some((70, 80))]);
        assert_eq!(claims.claim(&mut seats[0], || ()), Some((10, 20)));
        let claims = ChunkScheduler::new(0, 100, 10, 3);
        assert_eq!([3, 5, 0].map(|place| claims.seat(place).span), [1, 2, 0]);
    }

    #[test]
    fn what_is_cleared_is_counted() {
        let claims = ChunkScheduler::new(0, 100, 10, 3);
        let mut seat = claims.seat(2);
        claims.claim(&mut seat, || ());
        assert_eq!(claims.clear(), 90);
        assert_eq!(claims.claim(&mut seat, || ()), None);
    }
}
