//! Numbers that threads change, each few of them in a line of the caches that nobody else has.

use std::mem;

use crate::support::sync::atomic::AtomicU64;

/// Bytes from one row to the next: machines fetch lines in pairs.
const APART: usize = 128;

/// So many words have room.
const WORDS: usize = APART / mem::size_of::<AtomicU64>();

/// Rows of words, each in lines of its own. The allocator is not asked to align them, for which the C library's takes as long as a
/// line takes from one processor to another: the first word is looked for.
pub(in crate::exec) struct PaddedCounters {
    words: Box<[AtomicU64]>,
    first: usize,
}

impl PaddedCounters {
    /// Rows that begin with these words.
    pub fn new<const N: usize>(rows: usize, row: impl Fn(usize) -> [u64; N]) -> PaddedCounters {
        const { assert!(N <= WORDS) };
        let mut words: Vec<AtomicU64> = Vec::with_capacity((rows + 1) * WORDS);
        let missing = words.as_ptr().addr().next_multiple_of(APART) - words.as_ptr().addr();
        let first = (missing / mem::size_of::<AtomicU64>()).min(WORDS - 1);
        words.extend((0..first).map(|_| AtomicU64::new(0)));
        for at in 0..rows {
            words.extend(row(at).map(AtomicU64::new));
            words.extend((N..WORDS).map(|_| AtomicU64::new(0)));
        }
        words.extend((words.len()..(rows + 1) * WORDS).map(|_| AtomicU64::new(0)));
        PaddedCounters { words: words.into_boxed_slice(), first }
    }

    /// The words of a row.
    pub fn row<const N: usize>(&self, row: usize) -> &[AtomicU64; N] {
        let begin = self.first + row * WORDS;
        self.words[begin..].first_chunk().expect("there are so many rows")
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::support::sync::atomic::Ordering;

    #[test]
    fn every_row_has_lines_of_its_own() {
        for rows in 1..20 {
            let lines = PaddedCounters::new(rows, |at| [at as u64, 7]);
            for at in 0..rows {
                let words: &[AtomicU64; 2] = lines.row(at);
                assert_eq!(words.each_ref().map(|word| word.load(Ordering::Relaxed)), [at as u64, 7]);
                assert!(words.as_ptr().addr().is_multiple_of(APART));
            }
        }
    }
}
