//! Copies and fills by several threads. One alone reaches a part of what the memory can do.

use std::sync::Arc;
use std::time::Duration;

use super::pages;
use super::storage::HostPtr;
use crate::exec::{self, CpuSet};
use crate::support::trace;

/// Bytes from which on other threads may help.
const LARGE: usize = 128 << 10;

/// Bytes that a thread copies or fills at once, at least: so few only where they make up all that a handful of threads have.
const PIECES: [usize; 2] = [64 << 10, 128 << 10];
const HANDFUL: usize = 8;

/// Bytes that a thread moves in a nanosecond, from memory to memory.
const RATE: usize = 32;

/// Bytes from which on fills go past the caches, which most do not hold.
const UNCACHED_FILL: usize = 32 << 20;

/// The same of copies. The processor's string copies, which are faster up to there, do not read what they fill either.
const UNCACHED: usize = 64 << 20;

/// Moves bytes with the threads of a device.
#[derive(Clone, Default)]
pub(in crate::runtime) struct ParallelCopier(Option<Arc<CpuSet>>);

impl ParallelCopier {
    /// With the threads of a part of the device, or all.
    pub fn new(cores: Option<&Arc<CpuSet>>) -> Self {
        Self(cores.cloned())
    }

    /// Copies `size` bytes; the ranges may overlap.
    ///
    /// # Safety
    /// Both ranges are valid for `size` bytes.
    pub unsafe fn copy(&self, source: HostPtr, target: HostPtr, size: usize) {
        if source.address().abs_diff(target.address()) < size {
            trace::moved(size);
            // SAFETY: the caller's promise.
            return unsafe { source.copy_to(target, size) };
        }
        let copy = Self::way(size);
        let copy = move |from, to| {
            // SAFETY: a part of both ranges, which the caller says are valid. They do not overlap.
            unsafe { copy(source.at(from), target.at(from), to - from) };
        };
        // SAFETY: the caller's promise.
        unsafe { self.spread_to(target, size, 1, copy) };
    }

    /// How parts of so many bytes are copied that do not overlap.
    pub fn way(size: usize) -> unsafe fn(HostPtr, HostPtr, usize) {
        if size < UNCACHED { HostPtr::copy_apart } else { HostPtr::stream_to }
    }

    /// Writes `pattern` again and again until `size` bytes are full.
    ///
    /// # Safety
    /// `size` bytes at `target` are valid, and `size` is a multiple of the pattern's length, which is not 0.
    pub unsafe fn fill(&self, target: HostPtr, pattern: Pattern, size: usize) {
        if size < LARGE {
            trace::moved(size);
            // SAFETY: the caller's promise.
            return unsafe { target.fill(pattern.bytes(), size) };
        }
        let fill = if size < UNCACHED_FILL { HostPtr::fill } else { HostPtr::stream_fill };
        let length = pattern.bytes().len();
        let fill = move |from, to| {
            // SAFETY: a part of the range, which the caller says is valid, and a multiple of the pattern's length.
            unsafe { fill(target.at(from * length), pattern.bytes(), (to - from) * length) };
        };
        // SAFETY: the caller's promise.
        unsafe { self.spread_to(target, size / length, length, fill) };
    }

    /// The same as [`Self::spread`], where what stands for those bytes at `target` is written for the first time, perhaps: then
    /// each thread has its pages made at once.
    ///
    /// # Safety
    /// So many bytes at `target` are valid.
    unsafe fn spread_to(
        &self,
        target: HostPtr,
        count: usize,
        bytes: usize,
        what: impl Fn(usize, usize) + Copy + Send + Sync + 'static,
    ) {
        let size = count * bytes;
        if size >= LARGE && pages::begin_to_fill(target.address(), size) {
            return self.spread(count, bytes, move |from, to| {
                // SAFETY: a part of the range, which the caller says is valid.
                unsafe { pages::populate(target.at(from * bytes).as_ptr(), (to - from) * bytes) };
                what(from, to);
            });
        }
        self.spread(count, bytes, what);
    }

    /// Does `what` with ranges that make up `0..count`, each of which stands for so many bytes.
    pub fn spread(
        &self,
        count: usize,
        bytes: usize,
        what: impl Fn(usize, usize) + Copy + Send + Sync + 'static,
    ) {
        let size = count.saturating_mul(bytes);
        trace::moved(size);
        if size < LARGE {
            return what(0, count);
        }
        let least = (size / HANDFUL).clamp(PIECES[0], PIECES[1]) / bytes.max(1);
        let what = move |from, to| what(from as usize, to as usize);
        let time = Duration::from_nanos((size / RATE) as u64);
        exec::split(count as u64, least as u64, self.0.as_deref(), time, what);
    }
}

/// A pattern of a fill, which is not longer than the longest vector.
#[derive(Clone, Copy)]
pub(in crate::runtime) struct Pattern {
    bytes: [u8; Self::MOST],
    length: usize,
}

impl Pattern {
    const MOST: usize = 128;

    /// Of so many bytes.
    pub fn new(pattern: &[u8]) -> Pattern {
        let mut bytes = [0; Self::MOST];
        bytes[..pattern.len()].copy_from_slice(pattern);
        Pattern { bytes, length: pattern.len() }
    }

    pub fn bytes(&self) -> &[u8] {
        &self.bytes[..self.length]
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn pointer(bytes: &mut [u8]) -> HostPtr {
        HostPtr::new(bytes.as_mut_ptr())
    }

    #[test]
    fn large_copies_are_whole() {
        let mut source: Vec<u8> = (0..3 * LARGE + 5).map(|i| (i % 251) as u8).collect();
        let mut target = vec![0; source.len()];
        // SAFETY: both have that many bytes.
        unsafe { ParallelCopier::default().copy(pointer(&mut source), pointer(&mut target), source.len()) };
        assert!(source == target);
    }

    #[test]
    fn huge_copies_are_whole_wherever_they_begin() {
        let mut source: Vec<u8> = (0..UNCACHED + 1000).map(|i| (i % 251) as u8).collect();
        for (from, to, size) in
            [(0, 0, UNCACHED), (1, 3, UNCACHED + 77), (64, 63, UNCACHED + 1), (5, 69, UNCACHED + 130)]
        {
            let mut target = vec![0xff; UNCACHED + 1000];
            // SAFETY: both have that many bytes.
            unsafe {
                ParallelCopier::default().copy(
                    pointer(&mut source).at(from),
                    pointer(&mut target).at(to),
                    size,
                )
            };
            assert!(target[to..to + size] == source[from..from + size]);
            assert!(target[..to].iter().chain(&target[to + size..]).all(|&byte| byte == 0xff));
        }
        for size in 0..200 {
            let mut target = [0xff; 300];
            // SAFETY: both have that many bytes.
            unsafe { pointer(&mut source).stream_to(pointer(&mut target).at(size % 7), size) };
            assert!(target[size % 7..][..size] == source[..size] && target[size % 7 + size] == 0xff);
        }
    }

    #[test]
    fn overlapping_copies_move() {
        let mut bytes: Vec<u8> = (0..3 * LARGE).map(|i| (i % 251) as u8).collect();
        let expected = bytes[..2 * LARGE].to_vec();
        // SAFETY: both ranges are in the vector.
        unsafe {
            ParallelCopier::default().copy(pointer(&mut bytes), pointer(&mut bytes).at(LARGE), 2 * LARGE)
        };
        assert!(bytes[LARGE..] == expected);
    }

    #[test]
    fn large_fills_repeat_the_pattern() {
        let mut bytes = vec![0; 3 * LARGE];
        let size = bytes.len() / 12 * 12;
        let pattern: [u8; 12] = std::array::from_fn(|i| i as u8 + 1);
        // SAFETY: the vector has more bytes.
        unsafe { ParallelCopier::default().fill(pointer(&mut bytes), Pattern::new(&pattern), size) };
        assert!(bytes[..size].chunks(12).all(|chunk| chunk == pattern));
        assert!(bytes[size..].iter().all(|&byte| byte == 0));
    }
}
