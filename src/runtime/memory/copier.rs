//! Copies and fills by several threads, because one thread does not reach the bandwidth of the memory.

use std::sync::Arc;
use std::time::Duration;

use super::pages;
use super::storage::HostPtr;
use grus_exec::CpuSet;
use grus_support::trace;

/// Size in bytes from which on several threads share a transfer.
// Arbitrary.
const LARGE: usize = 128 << 10;

/// Minimum number of bytes per chunk of a thread; the smaller value holds only for transfers with fewer than
/// [`HANDFUL`] larger chunks.
// Arbitrary.
const MIN_CHUNK: [usize; 2] = [64 << 10, 128 << 10];
const HANDFUL: usize = 8;

/// Number of bytes that a thread moves from memory to memory in a nanosecond, for the estimate of a transfer's
/// time.
// Arbitrary.
const RATE: usize = 32;

/// Size in bytes from which on fills bypass the caches, since most caches do not hold as much.
// Arbitrary.
const NONTEMPORAL_FILL: usize = 32 << 20;

/// Size in bytes from which on copies bypass the caches. Below it, the processor's string copies are faster and do
/// not read the target either.
// Arbitrary.
const NONTEMPORAL_COPY: usize = 64 << 20;

/// Copies and fills memory with the threads of a device.
#[derive(Clone, Default)]
pub(in crate::runtime) struct ParallelCopier(Option<Arc<CpuSet>>);

impl ParallelCopier {
    /// Returns a copier that uses the processors of a sub-device, or all if there is none.
    pub fn new(cpu_set: Option<&Arc<CpuSet>>) -> Self {
        Self(cpu_set.cloned())
    }

    /// Copies `size` bytes; the ranges may overlap.
    ///
    /// # Safety
    /// Both ranges are valid for `size` bytes.
    pub unsafe fn copy(&self, source: HostPtr, target: HostPtr, size: usize) {
        if source.address().abs_diff(target.address()) < size {
            trace::moved(size);
            // SAFETY: this function's contract makes both ranges valid for `size` bytes.
            return unsafe { source.copy_to(target, size) };
        }
        let copy = Self::way(size);
        let copy = move |from, to| {
            // SAFETY: `from..to` is in `0..size`, for which this function's contract makes both ranges valid. They
            // do not overlap.
            unsafe { copy(source.at(from), target.at(from), to - from) };
        };
        // SAFETY: this function's contract makes the target valid for `size` bytes.
        unsafe { self.spread_to(target, size, 1, copy) };
    }

    /// Returns the function that copies disjoint ranges for a transfer of `size` bytes in total.
    pub fn way(size: usize) -> unsafe fn(HostPtr, HostPtr, usize) {
        if size < NONTEMPORAL_COPY { HostPtr::copy_apart } else { HostPtr::stream_to }
    }

    /// Fills `size` bytes with repetitions of `pattern`.
    ///
    /// # Safety
    /// `size` bytes at `target` are valid, and `size` is a multiple of the pattern's length, which is not 0.
    pub unsafe fn fill(&self, target: HostPtr, pattern: Pattern, size: usize) {
        if size < LARGE {
            trace::moved(size);
            // SAFETY: this function has the contract of `HostPtr::fill`.
            return unsafe { target.fill(pattern.bytes(), size) };
        }
        let fill = if size < NONTEMPORAL_FILL { HostPtr::fill } else { HostPtr::stream_fill };
        let length = pattern.bytes().len();
        let fill = move |from, to| {
            // SAFETY: `from..to` is in `0..size / length`, so the bytes are in the range that the contract makes
            // valid.
            unsafe { fill(target.at(from * length), pattern.bytes(), (to - from) * length) };
        };
        // SAFETY: this function's contract makes the target valid for `size` bytes, and `size / length` patterns
        // fit into it.
        unsafe { self.spread_to(target, size / length, length, fill) };
    }

    /// Splits work as [`Self::spread`] does. If the bytes at `target` may be written for the first time, each
    /// thread first populates all pages of its part at once.
    ///
    /// # Safety
    /// `count * bytes` bytes at `target` are valid.
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
                // SAFETY: `from..to` is in `0..count`, so the bytes are in the range that the contract makes valid.
                unsafe { pages::populate(target.at(from * bytes).as_ptr(), (to - from) * bytes) };
                what(from, to);
            });
        }
        self.spread(count, bytes, what);
    }

    /// Calls `what` with subranges that make up `0..count`, on several threads if the work is large. Each index
    /// stands for `bytes` bytes.
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
        let least = (size / HANDFUL).clamp(MIN_CHUNK[0], MIN_CHUNK[1]) / bytes.max(1);
        let what = move |from, to| what(from as usize, to as usize);
        let time = Duration::from_nanos((size / RATE) as u64);
        grus_exec::split(count as u64, least as u64, self.0.as_deref(), time, what);
    }
}

/// Pattern of a fill. It is no longer than the longest vector.
#[derive(Clone, Copy)]
pub(in crate::runtime) struct Pattern {
    bytes: [u8; Self::MAX_SPLIT],
    length: usize,
}

impl Pattern {
    const MAX_SPLIT: usize = 128;

    /// Returns a pattern with these bytes.
    pub fn new(pattern: &[u8]) -> Pattern {
        let mut bytes = [0; Self::MAX_SPLIT];
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
        // SAFETY: both vectors have `source.len()` bytes.
        unsafe { ParallelCopier::default().copy(pointer(&mut source), pointer(&mut target), source.len()) };
        assert!(source == target);
    }

    #[test]
    fn huge_copies_are_whole_wherever_they_begin() {
        let mut source: Vec<u8> = (0..NONTEMPORAL_COPY + 1000).map(|i| (i % 251) as u8).collect();
        for (from, to, size) in [
            (0, 0, NONTEMPORAL_COPY),
            (1, 3, NONTEMPORAL_COPY + 77),
            (64, 63, NONTEMPORAL_COPY + 1),
            (5, 69, NONTEMPORAL_COPY + 130),
        ] {
            let mut target = vec![0xff; NONTEMPORAL_COPY + 1000];
            // SAFETY: both vectors have that many bytes.
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
            // SAFETY: both vectors have that many bytes.
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
        // SAFETY: the vector has at least `size` bytes.
        unsafe { ParallelCopier::default().fill(pointer(&mut bytes), Pattern::new(&pattern), size) };
        assert!(bytes[..size].chunks(12).all(|chunk| chunk == pattern));
        assert!(bytes[size..].iter().all(|&byte| byte == 0));
    }
}
