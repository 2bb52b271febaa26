//! Numbers that threads claim in chunks. Each thread begins with neighbours of its own, which have a counter of their own: so
//! threads do not meet at one, and a thread that takes part again finds in its caches what it had before. Who has no more takes
//! chunks of the others'.

use crossbeam::utils::CachePadded;

use crate::support::sync::atomic::{AtomicBool, AtomicU64, Ordering};

/// Places at which a thread tries to begin before it shares one.
const MOST_TRIED: usize = 4;

/// The numbers that are left.
pub(super) struct Claims {
    spans: Box<[CachePadded<Span>]>,
    chunk: u64,
    /// Whoever has looked everywhere says that there is nothing: those who come late need not look.
    is_empty: CachePadded<AtomicBool>,
}

/// Neighbours.
struct Span {
    /// The next one that nobody has claimed.
    next: AtomicU64,
    end: u64,
    /// A thread began here.
    is_taken: AtomicBool,
}

/// Where a thread claims.
pub(super) struct Seat {
    span: usize,
    /// Spans in which it has found nothing more.
    passed: usize,
}

impl Seat {
    /// From which numbers are claimed in their order, as far as they are left.
    pub const FIRST: Seat = Seat { span: 0, passed: 0 };
}

impl Claims {
    /// Those from one to before another, in chunks of so many, for up to so many threads.
    pub fn new(from: u64, to: u64, chunk: u64, threads: usize) -> Claims {
        let chunks = (to - from).div_ceil(chunk);
        let count = chunks.clamp(1, threads.max(1) as u64);
        // The first ones have one more.
        let begin = |span: u64| {
            let chunks = chunks / count * span + span.min(chunks % count);
            (from + chunks * chunk).min(to)
        };
        let span = |at: u64| Span {
            next: AtomicU64::new(begin(at)),
            end: begin(at + 1),
            is_taken: AtomicBool::new(false),
        };
        let spans = (0..count).map(|at| CachePadded::new(span(at))).collect();
        Claims { spans, chunk, is_empty: CachePadded::new(AtomicBool::new(false)) }
    }

    /// How many threads have something to claim; at least one.
    pub fn threads(&self) -> usize {
        self.spans.len()
    }

    /// A place to begin at: this one, unless somebody was there. The first one is left to the thread of place 0, which is always
    /// there and may come later than others.
    pub fn seat(&self, place: usize) -> Seat {
        let count = self.spans.len();
        let preferred = if place == 0 || count == 1 { 0 } else { 1 + (place - 1) % (count - 1) };
        let all = (0..count).map(|at| (preferred + at) % count);
        let is_free = |&span: &usize| !self.spans[span].is_taken.swap(true, Ordering::Relaxed);
        Seat { span: all.take(MOST_TRIED).find(is_free).unwrap_or(preferred), passed: 0 }
    }

    /// Whether it is known that nothing is left.
    pub fn is_empty(&self) -> bool {
        self.is_empty.load(Ordering::Relaxed)
    }

    /// The next chunk.
    pub fn claim(&self, seat: &mut Seat) -> Option<(u64, u64)> {
        while seat.passed < self.spans.len() {
            let span = &self.spans[(seat.span + seat.passed) % self.spans.len()];
            let is_own = seat.passed == 0;
            if !is_own && self.is_empty() {
                return None;
            }
            // Looking is cheaper than claiming what is not there.
            if is_own || span.next.load(Ordering::Relaxed) < span.end {
                let from = span.next.fetch_add(self.chunk, Ordering::Relaxed);
                if from < span.end {
                    return Some((from, span.end.min(from + self.chunk)));
                }
            }
            seat.passed += 1;
        }
        self.is_empty.store(true, Ordering::Relaxed);
        None
    }

    /// Leaves nothing; says how many there were.
    pub fn clear(&self) -> u64 {
        let rest =
            |span: &CachePadded<Span>| span.end.saturating_sub(span.next.swap(span.end, Ordering::Relaxed));
        self.spans.iter().map(rest).sum()
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
                let claims = Claims::new(from, to, chunk, threads);
                let mut seats: Vec<_> = (0..threads.max(1)).map(|at| claims.seat(first + at)).collect();
                let mut seen = vec![0; to as usize];
                let mut at = 0;
                while let Some((from, to)) = claims.claim(&mut seats[at]) {
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
        let threads = |threads, to, chunk| Claims::new(0, to, chunk, threads).threads();
        assert_eq!([threads(8, 3, 1), threads(8, 100, 20), threads(8, 1000, 1)], [3, 5, 8]);
        assert_eq!([threads(1, 1000, 1), threads(8, 0, 1)], [1, 1]);
    }

    #[test]
    fn threads_begin_with_neighbours() {
        let claims = Claims::new(0, 100, 10, 3);
        let mut seats = [0, 1, 1].map(|preferred| claims.seat(preferred));
        assert_eq!(seats.each_ref().map(|seat| seat.span), [0, 1, 2]);
        let first = seats.each_mut().map(|seat| claims.claim(seat));
        assert_eq!(first, [Some((0, 10)), Some((40, 50)), Some((70, 80))]);
        assert_eq!(claims.claim(&mut seats[0]), Some((10, 20)));
        let claims = Claims::new(0, 100, 10, 3);
        assert_eq!([3, 5, 0].map(|place| claims.seat(place).span), [1, 2, 0]);
    }

    #[test]
    fn what_is_cleared_is_counted() {
        let claims = Claims::new(0, 100, 10, 3);
        let mut seat = claims.seat(2);
        claims.claim(&mut seat);
        assert_eq!(claims.clear(), 90);
        assert_eq!(claims.claim(&mut seat), None);
    }
}
