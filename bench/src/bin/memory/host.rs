//! Measurements of the host's own memory operations, and the bytes that all rows move.

use std::cell::RefCell;
use std::hint::{black_box, spin_loop};
use std::rc::Rc;
use std::sync::Mutex;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::thread;

use grus_bench::client::Result;

use super::sheet::Work;

/// Returns the first bytes of a sequence with a long period, so that parts of it differ from each other.
pub fn pattern(size: usize) -> &'static [u8] {
    static PATTERN: Mutex<&[u8]> = Mutex::new(&[]);
    let mut pattern_bytes = PATTERN.lock().expect("nobody panics in here");
    if pattern_bytes.len() < size {
        let bytes: Vec<u8> =
            (0..size.max(1 << 16)).map(|i| (i ^ i >> 8 ^ i >> 16).wrapping_mul(29) as u8).collect();
        // Shorter patterns stay allocated for their users.
        *pattern_bytes = Vec::leak(bytes);
    }
    &pattern_bytes[..size]
}

/// Checks that both byte strings are equal; the error names the first difference.
pub fn compare(what: &str, found: &[u8], expected: &[u8]) -> Result<()> {
    if found == expected {
        return Ok(());
    }
    let at = found.iter().zip(expected).position(|(a, b)| a != b).unwrap_or(found.len().min(expected.len()));
    Err(format!("{what}: byte {at} of {} is wrong", expected.len()))
}

/// Minimum number of bytes for which a second thread can gain time.
// Arbitrary.
const MIN_SHARED_BYTES: usize = 256 << 10;

/// Returns the size of the pieces of a target that `threads` threads write, or `None` if the target is too small
/// for them.
fn piece_size(size: usize, threads: usize, alignment: usize) -> Option<usize> {
    (threads == 1 || size >= MIN_SHARED_BYTES).then(|| size.div_ceil(threads).next_multiple_of(alignment))
}

/// Spinning barrier of threads: a transfer is over when all of its pieces have arrived.
#[derive(Default)]
struct SpinBarrier(AtomicUsize);

impl SpinBarrier {
    /// Counts the calling thread, and waits until `all` threads have been counted.
    fn wait_for(&self, all: usize) {
        let mut arrived = self.0.fetch_add(1, Ordering::AcqRel) + 1;
        let mut polls = 0;
        while arrived < all {
            polls += 1;
            if polls % 10_000 == 0 {
                thread::yield_now();
            }
            spin_loop();
            arrived = self.0.load(Ordering::Acquire);
        }
    }
}

/// Returns a work of threads that repeatedly call `what` with their piece of `to`, and its offset in bytes.
fn work(
    threads: usize,
    size: usize,
    alignment: usize,
    what: impl Fn(usize, &mut [u8]) + Sync + Copy + 'static,
    check: impl Fn(&[u8]) -> Result<()> + 'static,
) -> Option<Work> {
    let piece = piece_size(size, threads, alignment)?;
    let to = Rc::new(RefCell::new(vec![0u8; size]));
    let target = to.clone();
    let run = move |count: usize| {
        let mut to = target.borrow_mut();
        let barrier = SpinBarrier::default();
        let threads = to.len().div_ceil(piece);
        let each = |at: usize, to: &mut [u8]| {
            for round in 1..=count {
                what(at, black_box(&mut *to));
                barrier.wait_for(round * threads);
            }
        };
        thread::scope(|scope| {
            let mut pieces = to.chunks_mut(piece).enumerate();
            let (_, first) = pieces.next().expect("there are bytes");
            for (number, rest) in pieces {
                scope.spawn(move || each(number * piece, rest));
            }
            each(0, first);
        });
        Ok(())
    };
    Some(Work { amount: size as f64, run: Box::new(run), check: Box::new(move || check(&to.borrow())) })
}

/// Returns the work of memcpy by that many threads.
pub fn copy(threads: usize, size: usize) -> Option<Work> {
    let from = pattern(size);
    let what = move |at: usize, to: &mut [u8]| to.copy_from_slice(&black_box(from)[at..at + to.len()]);
    work(threads, size, 64, what, move |to| compare("memcpy", to, from))
}

/// Returns the work of memcpy of each row of a window with this `pitch`; `size` is the bytes per row and the number
/// of rows.
pub fn copy_rows(threads: usize, size: [usize; 2], origin: usize, pitch: usize) -> Option<Work> {
    let from = pattern(pitch * size[1]);
    let what = move |at: usize, to: &mut [u8]| {
        for (to, from) in to.chunks_mut(pitch).zip(black_box(from)[at..].chunks(pitch)) {
            to[origin..][..size[0]].copy_from_slice(&from[origin..][..size[0]]);
        }
    };
    let rows = move |bytes: &[u8]| -> Vec<u8> {
        bytes.chunks(pitch).flat_map(|row| row[origin..][..size[0]].to_vec()).collect()
    };
    let check = move |to: &[u8]| compare("rows", &rows(to), &rows(from));
    let mut work = work(threads, pitch * size[1], pitch, what, check)?;
    work.amount = (size[0] * size[1]) as f64;
    Some(work)
}

/// Returns the work of memset by that many threads.
pub fn fill(threads: usize, size: usize) -> Option<Work> {
    let what = |_, to: &mut [u8]| to.fill(black_box(0x5A));
    work(threads, size, 64, what, |to| compare("memset", to, &vec![0x5A; to.len()]))
}
