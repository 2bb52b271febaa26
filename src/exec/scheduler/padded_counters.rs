//! Counters that threads update, in rows that are padded to cache lines to avoid false sharing.

use std::mem;

use grus_support::sync::atomic::AtomicU64;

/// Size of a row: two cache lines, because CPUs prefetch lines in pairs.
const ROW_BYTES: usize = 128;

/// Number of words per row.
const ROW_WORDS: usize = ROW_BYTES / mem::size_of::<AtomicU64>();

/// Rows of counters, each in cache lines of its own. The rows are aligned within an allocation that is not: an aligned
/// allocation of the C library takes as long as a transfer of a cache line between CPUs.
pub(crate) struct PaddedCounters {
    words: Box<[AtomicU64]>,
    first: usize,
}

impl PaddedCounters {
    /// Creates `rows` rows; `row` returns the first words of each, and the rest is 0.
    pub fn new<const N: usize>(rows: usize, row: impl Fn(usize) -> [u64; N]) -> PaddedCounters {
        const { assert!(N <= ROW_WORDS) };
        let mut words: Vec<AtomicU64> = Vec::with_capacity((rows + 1) * ROW_WORDS);
        let misalignment = words.as_ptr().addr().next_multiple_of(ROW_BYTES) - words.as_ptr().addr();
        let first = (misalignment / mem::size_of::<AtomicU64>()).min(ROW_WORDS - 1);
        words.extend((0..first).map(|_| AtomicU64::new(0)));
        for at in 0..rows {
            words.extend(row(at).map(AtomicU64::new));
            words.extend((N..ROW_WORDS).map(|_| AtomicU64::new(0)));
        }
        words.extend((words.len()..(rows + 1) * ROW_WORDS).map(|_| AtomicU64::new(0)));
        PaddedCounters { words: words.into_boxed_slice(), first }
    }

    /// Returns the first words of a row.
    pub fn row<const N: usize>(&self, row: usize) -> &[AtomicU64; N] {
        let begin = self.first + row * ROW_WORDS;
        self.words[begin..].first_chunk().expect("there are so many rows")
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use grus_support::sync::atomic::Ordering;

    #[test]
    fn every_row_has_cache_lines_of_its_own() {
        for rows in 1..20 {
            let counters = PaddedCounters::new(rows, |at| [at as u64, 7]);
            for at in 0..rows {
                let words: &[AtomicU64; 2] = counters.row(at);
                assert_eq!(words.each_ref().map(|word| word.load(Ordering::Relaxed)), [at as u64, 7]);
                assert!(words.as_ptr().addr().is_multiple_of(ROW_BYTES));
            }
        }
    }
}
