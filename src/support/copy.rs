//! Copies of bytes that do not overlap. Up to what the first cache holds of source and target, vector registers move more in a
//! cycle than the string copies that C libraries begin with early; of what even the second cache does not hold, string copies
//! move more, since they do not read the lines that they are about to fill. In between the C library decides.

use std::ptr;

/// Bytes from which and up to which registers copy.
#[cfg(target_arch = "x86_64")]
const BY_REGISTERS: std::ops::RangeInclusive<usize> = 2 << 10..=16 << 10;

/// Bytes from which on string copies are faster than what C libraries do with so much.
#[cfg(target_arch = "x86_64")]
const BY_STRINGS: usize = 512 << 10;

#[cfg(target_arch = "x86_64")]
const LINE: usize = 64;

/// Copies `size` bytes from `source` to `target`. If the ranges overlap, what is in the target afterwards is not defined.
///
/// # Safety
/// Both ranges are valid for `size` bytes.
#[inline]
pub unsafe fn copy(source: *const u8, target: *mut u8, size: usize) {
    #[cfg(target_arch = "x86_64")]
    // SAFETY: the caller's promise; the machine has what is asked for.
    unsafe {
        if BY_REGISTERS.contains(&size) {
            if is_x86_feature_detected!("avx512f") {
                return by_registers(source, target, size);
            }
        } else if size >= BY_STRINGS && !is_just_behind(source, target) && is_x86_feature_detected!("ermsb") {
            return by_strings(source, target, size);
        }
    }
    // SAFETY: the caller's promise.
    unsafe { ptr::copy(source, target, size) };
}

/// Whether the target begins less than a line behind the source, but for whole pages. Some machines take what string copies read
/// there for what they have just written.
#[cfg(target_arch = "x86_64")]
fn is_just_behind(source: *const u8, target: *mut u8) -> bool {
    const PAGE: usize = 4096;
    (1..LINE).contains(&(target.addr().wrapping_sub(source.addr()) % PAGE))
}

/// By the processor's string copies, byte by byte upwards, as far as can be seen: what was written may be read.
///
/// # Safety
/// Both ranges are valid for `size` bytes.
#[cfg(target_arch = "x86_64")]
pub unsafe fn by_strings(source: *const u8, target: *mut u8, size: usize) {
    // SAFETY: the caller's promise; the direction flag is clear, as the ABI has it.
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

/// By registers of 64 bytes, to whole lines but for the first and the last one, which others overlap.
///
/// # Safety
/// The machine has such registers, and both ranges are valid for `size` bytes, which are at least two lines.
#[cfg(target_arch = "x86_64")]
#[target_feature(enable = "avx512f")]
unsafe fn by_registers(source: *const u8, target: *mut u8, size: usize) {
    use std::arch::x86_64::{_mm512_loadu_si512, _mm512_store_si512, _mm512_storeu_si512};
    const AT_ONCE: usize = 4;
    // SAFETY: parts of both ranges, as said for each.
    unsafe {
        let line = |at: usize| _mm512_loadu_si512(source.add(at).cast());
        // The first line and the last one are there, and begin anywhere.
        _mm512_storeu_si512(target.cast(), line(0));
        let last = size - LINE;
        _mm512_storeu_si512(target.add(last).cast(), line(last));
        // What follows begins at most a line after the start, and lines that begin before the last one end before the end.
        let mut at = LINE - target.addr() % LINE;
        while at + AT_ONCE * LINE <= size {
            for i in 0..AT_ONCE {
                _mm512_store_si512(target.add(at + i * LINE).cast(), line(at + i * LINE));
            }
            at += AT_ONCE * LINE;
        }
        while at < last {
            _mm512_store_si512(target.add(at).cast(), line(at));
            at += LINE;
        }
    }
}

/// Copies past the caches, for what does not fit in: lines of the target are not read before they are written. What was
/// written is seen by whoever sees what this thread does later.
///
/// # Safety
/// Both ranges are valid for `size` bytes and do not overlap.
#[cfg(target_arch = "x86_64")]
pub unsafe fn past_caches(source: *const u8, target: *mut u8, size: usize) {
    use std::arch::x86_64::{__m128i, _mm_loadu_si128, _mm_sfence, _mm_stream_si128};
    let before = target.align_offset(LINE).min(size);
    let lines = (size - before) / LINE;
    let behind = before + lines * LINE;
    // SAFETY: parts of both ranges, which are valid; lines of the target are aligned.
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

/// As the C library does it.
///
/// # Safety
/// Both ranges are valid for `size` bytes and do not overlap.
#[cfg(not(target_arch = "x86_64"))]
pub unsafe fn past_caches(source: *const u8, target: *mut u8, size: usize) {
    // SAFETY: the caller's promise.
    unsafe { ptr::copy_nonoverlapping(source, target, size) };
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Whether a copy writes what it should, and nothing beside it.
    fn check(way: unsafe fn(*const u8, *mut u8, usize), [from, to]: [usize; 2], size: usize) {
        let source: Vec<u8> = (0..from + size).map(|i| (i % 251) as u8 + 1).collect();
        let mut target = vec![0; to + size + 70];
        // SAFETY: both have that many bytes.
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
                check(past_caches, at, size);
            }
        }
        (0..200).for_each(|size| check(past_caches, [size % 5, size % 7], size));
    }
}
