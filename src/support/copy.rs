//! Copies of bytes, with a method chosen by size. Vector registers are fastest while source and target fit into the
//! first-level cache: C libraries switch to string copies (`rep movsb`) too early there. String copies are fastest
//! if not even the second-level cache holds the data, because they do not read the target's lines before filling
//! them. In between, the C library chooses.

use std::ptr;

/// Sizes in bytes that are copied through vector registers.
// Source: measured. From 2 KiB on, async copies of 256 longs are 5 % faster. C libraries begin string copies at 4
// or 8 KiB, although registers move 1.7 times as much from the first-level cache to itself.
#[cfg(target_arch = "x86_64")]
const REGISTER_COPY_SIZES: std::ops::RangeInclusive<usize> = 2 << 10..=16 << 10;

/// Size in bytes from which on string copies are faster than the method of C libraries.
// Source: measured. C libraries stop using string copies below a megabyte, although they are 10 to 50 % faster
// there.
#[cfg(target_arch = "x86_64")]
const MIN_STRING_COPY_SIZE: usize = 512 << 10;

#[cfg(target_arch = "x86_64")]
const LINE: usize = 64;

/// Copies `size` bytes from `source` to `target`. If the ranges overlap, the contents of the target are undefined
/// afterwards.
///
/// # Safety
/// Both ranges are valid for `size` bytes.
#[inline]
pub unsafe fn copy(source: *const u8, target: *mut u8, size: usize) {
    #[cfg(target_arch = "x86_64")]
    // SAFETY: this function's contract makes both ranges valid for `size` bytes. Each instruction is used only if
    // the processor has it, and `REGISTER_COPY_SIZES` begins above two lines.
    unsafe {
        if REGISTER_COPY_SIZES.contains(&size) {
            if is_x86_feature_detected!("avx512f") {
                return by_registers(source, target, size);
            }
        } else if size >= MIN_STRING_COPY_SIZE
            && !is_just_behind(source, target)
            && is_x86_feature_detected!("ermsb")
        {
            return by_strings(source, target, size);
        }
    }
    // SAFETY: this function's contract makes both ranges valid for `size` bytes.
    unsafe { ptr::copy(source, target, size) };
}

/// Checks whether, modulo the page size, the target begins less than a line after the source. Some processors then
/// mistake the loads of a string copy for loads of the bytes that it has just stored (4K aliasing).
#[cfg(target_arch = "x86_64")]
fn is_just_behind(source: *const u8, target: *mut u8) -> bool {
    const PAGE: usize = 4096;
    (1..LINE).contains(&(target.addr().wrapping_sub(source.addr()) % PAGE))
}

/// Copies with the processor's string instruction. The effect is that of copying byte after byte upwards, so a
/// source byte may be one that was written earlier in the same copy.
///
/// # Safety
/// Both ranges are valid for `size` bytes.
#[cfg(target_arch = "x86_64")]
pub unsafe fn by_strings(source: *const u8, target: *mut u8, size: usize) {
    // SAFETY: this function's contract makes both ranges valid for `size` bytes, and the ABI requires a clear
    // direction flag.
    unsafe {
        std::arch::asm!(
            "rep movsb",
            inout("rdi") target => _,
            inout("rsi") source => _,
            inout("rcx") size => _,
            options(nostack, preserves_flags)
        );
    }
}

/// Copies through 64-byte registers with aligned stores. Only the stores to the first and the last line are
/// unaligned; they overlap their neighbors.
///
/// # Safety
/// The processor has AVX-512F, both ranges are valid for `size` bytes, and `size` is at least two lines.
#[cfg(target_arch = "x86_64")]
#[target_feature(enable = "avx512f")]
unsafe fn by_registers(source: *const u8, target: *mut u8, size: usize) {
    use std::arch::x86_64::{_mm512_loadu_si512, _mm512_store_si512, _mm512_storeu_si512};
    const UNROLL: usize = 4;
    // SAFETY: every access lies in one of the two ranges, as the comments below show.
    unsafe {
        let line = |at: usize| _mm512_loadu_si512(source.add(at).cast());
        // The first and the last line of the range lie inside it and may be unaligned.
        _mm512_storeu_si512(target.cast(), line(0));
        let last = size - LINE;
        _mm512_storeu_si512(target.add(last).cast(), line(last));
        // The first aligned line begins at most one line after the start, and a line that begins before the last
        // one ends inside the range.
        let mut at = LINE - target.addr() % LINE;
        while at + UNROLL * LINE <= size {
            for i in 0..UNROLL {
                _mm512_store_si512(target.add(at + i * LINE).cast(), line(at + i * LINE));
            }
            at += UNROLL * LINE;
        }
        while at < last {
            _mm512_store_si512(target.add(at).cast(), line(at));
            at += LINE;
        }
    }
}

/// Copies with non-temporal stores, for data larger than the caches: lines of the target are not read before they
/// are written. The copied bytes are visible to every thread that observes a later store of this thread.
///
/// # Safety
/// Both ranges are valid for `size` bytes and do not overlap.
#[cfg(target_arch = "x86_64")]
pub unsafe fn copy_nontemporal(source: *const u8, target: *mut u8, size: usize) {
    use std::arch::x86_64::{__m128i, _mm_loadu_si128, _mm_sfence, _mm_stream_si128};
    let before = target.align_offset(LINE).min(size);
    let lines = (size - before) / LINE;
    let behind = before + lines * LINE;
    // SAFETY: every access lies in one of the two valid ranges; the lines of the target are aligned.
    unsafe {
        ptr::copy(source, target, before);
        let (from, to) = (source.add(before).cast::<__m128i>(), target.add(before).cast::<__m128i>());
        for line in 0..lines {
            let (from, to) = (from.add(line * 4), to.add(line * 4));
            let (a, b) = (_mm_loadu_si128(from), _mm_loadu_si128(from.add(1)));
            let (c, d) = (_mm_loadu_si128(from.add(2)), _mm_loadu_si128(from.add(3)));
            _mm_stream_si128(to, a);
            _mm_stream_si128(to.add(1), b);
            _mm_stream_si128(to.add(2), c);
            _mm_stream_si128(to.add(3), d);
        }
        ptr::copy(source.add(behind), target.add(behind), size - behind);
        _mm_sfence();
    }
}

/// Copies with the C library's method.
///
/// # Safety
/// Both ranges are valid for `size` bytes and do not overlap.
#[cfg(not(target_arch = "x86_64"))]
pub unsafe fn copy_nontemporal(source: *const u8, target: *mut u8, size: usize) {
    // SAFETY: this function's contract makes both ranges valid for `size` bytes and disjoint.
    unsafe { ptr::copy_nonoverlapping(source, target, size) };
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Checks that a copy writes the source's bytes to the target and nothing outside it.
    fn check(way: unsafe fn(*const u8, *mut u8, usize), [from, to]: [usize; 2], size: usize) {
        let source: Vec<u8> = (0..from + size).map(|i| (i % 251) as u8 + 1).collect();
        let mut target = vec![0; to + size + 70];
        // SAFETY: `from` and `to` are followed by at least `size` bytes in both vectors.
        unsafe { way(source[from..].as_ptr(), target[to..].as_mut_ptr(), size) };
        let (before, rest) = target.split_at(to);
        assert!(rest[..size] == source[from..], "{size} bytes from {from} to {to}");
        assert!(
            before.iter().chain(&rest[size..]).all(|&byte| byte == 0),
            "{size} bytes from {from} to {to}"
        );
    }

    #[test]
    fn every_byte_arrives_and_no_other() {
        for at in 0..=65 {
            for size in [0, 1, 100, 2047, 2048, 2100, 2048 + at, 6000 + 3 * at, 16 << 10, (16 << 10) + 1] {
                check(copy, [0, at], size);
                check(copy, [at, 0], size);
                check(copy, [at, 65 - at], size);
            }
        }
    }

    #[test]
    fn long_copies_begin_and_end_anywhere() {
        for at in [[0, 0], [1, 3], [3, 1], [64, 63], [5, 69], [0, 4096], [17, 4096 + 18]] {
            for size in [1 << 20, (1 << 20) + 77] {
                check(copy, at, size);
                check(copy_nontemporal, at, size);
            }
        }
        (0..200).for_each(|size| check(copy_nontemporal, [size % 5, size % 7], size));
    }
}
