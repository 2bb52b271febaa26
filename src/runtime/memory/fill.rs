//! Fills: a pattern again and again. What fits into the second cache vector registers write. Of more, the C library writes what is
//! alike in all bytes; patterns that fit into a word, the processor's string stores, which do not read lines first; others, string
//! copies of what registers wrote.

#![cfg_attr(not(target_arch = "x86_64"), allow(dead_code, unused_variables))]

use std::ptr;

#[cfg(target_arch = "x86_64")]
use crate::support::copy;

/// Bytes that are copied at once, and those that are written from registers.
const BLOCK: usize = 16 << 10;
const ROW: usize = 128;

/// Bytes from which on string stores are faster than registers: less is in the second cache.
const MUCH: usize = 1 << 20;

/// Bytes from which on string copies are faster than registers, and how far behind they read what they have written: the second
/// cache has it.
const MORE: usize = 2 << 20;
const COPIED: usize = 64 << 10;

/// Writes `pattern` again and again until `size` bytes are full; past the caches, where that makes a difference.
///
/// # Safety
/// `size` bytes from `target` are valid, and `size` is a multiple of the pattern's length, which is not 0.
pub(super) unsafe fn fill(target: *mut u8, pattern: &[u8], size: usize, is_past: bool) {
    let byte = pattern[0];
    let is_even = pattern.iter().all(|&other| other == byte);
    #[cfg(target_arch = "x86_64")]
    if size >= 4 * ROW
        && !(is_even && size >= MUCH)
        && ROW.is_multiple_of(pattern.len())
        && is_x86_feature_detected!("avx")
    {
        let has_strings = is_x86_feature_detected!("ermsb");
        let way = match pattern.len() {
            ..=WORD if size >= MUCH && has_strings => by_words,
            _ if is_past => past_caches,
            _ if size >= MORE && has_strings => by_copies,
            _ => widest(),
        };
        // SAFETY: the caller's promise; patterns of the length go into rows.
        return unsafe { aligned(target, pattern, size, way) };
    }
    if is_even {
        // SAFETY: the caller's promise.
        return unsafe { ptr::write_bytes(target, byte, size) };
    }
    let first = pattern.len().min(size);
    // SAFETY: the pattern fits, see above. `size` is 0 or at least the pattern's length.
    unsafe { ptr::copy_nonoverlapping(pattern.as_ptr(), target, first) };
    let mut full = first;
    // What is copied again and again stays in the first cache.
    let most = (BLOCK / pattern.len()).max(1) * pattern.len();
    while full < size {
        let next = full.min(most).min(size - full);
        // SAFETY: `full` bytes are written and `next` more are in range; they do not overlap as `next <= full`.
        unsafe { ptr::copy_nonoverlapping(target, target.add(full), next) };
        full += next;
    }
}

/// Writes a row so many times, from the beginning of a line on.
#[cfg(target_arch = "x86_64")]
type RowFill = unsafe fn(*mut u8, &[u8; ROW], usize);

#[cfg(target_arch = "x86_64")]
const WORD: usize = 8;

/// Fills by whole rows, and what is before and behind them by itself.
///
/// # Safety
/// As of [`fill`]; [`ROW`] is a multiple of the pattern's length, there is more than a row, and the machine can do `rows`.
#[cfg(target_arch = "x86_64")]
unsafe fn aligned(target: *mut u8, pattern: &[u8], size: usize, rows: RowFill) {
    let mut pieces = [0u8; 2 * ROW];
    // SAFETY: as long as that. So little is not done here.
    unsafe { fill(pieces.as_mut_ptr(), pattern, pieces.len(), false) };
    // What comes before the first line, and the pattern from there on.
    let before = target.align_offset(64).min(size);
    let mut row = [0u8; ROW];
    row.copy_from_slice(&pieces[before % pattern.len()..][..ROW]);
    let whole = (size - before) / ROW;
    let behind = before + whole * ROW;
    // SAFETY: parts of the range, which is valid.
    unsafe {
        ptr::copy_nonoverlapping(pieces.as_ptr(), target, before);
        rows(target.add(before), &row, whole);
        ptr::copy_nonoverlapping(row.as_ptr(), target.add(behind), size - behind);
    }
}

/// By the processor's string stores, where the row is one word again and again.
///
/// # Safety
/// As many rows are valid.
#[cfg(target_arch = "x86_64")]
unsafe fn by_words(target: *mut u8, row: &[u8; ROW], count: usize) {
    let mut word = [0u8; WORD];
    word.copy_from_slice(&row[..WORD]);
    // SAFETY: the caller's promise; the direction flag is clear, as the ABI has it.
    unsafe {
        std::arch::asm!(
            "rep stosq",
            inout("rdi") target => _,
            inout("rcx") count * (ROW / WORD) => _,
            in("rax") u64::from_ne_bytes(word),
            options(nostack, preserves_flags)
        );
    }
}

/// By the widest registers.
#[cfg(target_arch = "x86_64")]
fn widest() -> RowFill {
    if is_x86_feature_detected!("avx512f") { by_lines } else { by_rows }
}

/// By the processor's string copies of what was written before, which begins with rows from registers.
///
/// # Safety
/// The machine has registers of 32 bytes, and as many rows are valid.
#[cfg(target_arch = "x86_64")]
unsafe fn by_copies(target: *mut u8, row: &[u8; ROW], count: usize) {
    let first = count.min(COPIED / ROW);
    // SAFETY: not more than that.
    unsafe { widest()(target, row, first) };
    // SAFETY: from its first byte on, each was written before it is read.
    unsafe { copy::by_strings(target, target.add(first * ROW), (count - first) * ROW) };
}

/// A function that writes rows by registers of one kind.
#[cfg(target_arch = "x86_64")]
macro_rules! by_registers {
    ($(#[$doc:meta])* $name:ident, $feature:literal, $bytes:literal, $load:ident, $store:ident, $after:expr) => {
        $(#[$doc])*
        ///
        /// # Safety
        /// The machine has the registers, and as many rows are valid.
        #[cfg(target_arch = "x86_64")]
        #[target_feature(enable = $feature)]
        unsafe fn $name(target: *mut u8, row: &[u8; ROW], count: usize) {
            use std::arch::x86_64::*;
            let row: [_; ROW / $bytes] = std::array::from_fn(|i| {
                // SAFETY: a part of the row.
                unsafe { $load(row.as_ptr().add($bytes * i).cast()) }
            });
            for at in 0..count {
                for (i, part) in row.iter().enumerate() {
                    // SAFETY: a part of a row, which is valid and begins at a line.
                    unsafe { $store(target.add(ROW * at + $bytes * i).cast(), *part) };
                }
            }
            $after
        }
    };
}

by_registers!(
    /// By registers of 32 bytes.
    by_rows,
    "avx",
    32,
    _mm256_loadu_si256,
    _mm256_store_si256,
    ()
);
by_registers!(
    /// By registers of 64 bytes: whole lines.
    by_lines,
    "avx512f",
    64,
    _mm512_loadu_si512,
    _mm512_store_si512,
    ()
);
by_registers!(
    /// Past the caches, by registers of 32 bytes; what was written is seen by whoever sees what this thread does later.
    past_caches,
    "avx",
    32,
    _mm256_loadu_si256,
    _mm256_stream_si256,
    _mm_sfence()
);

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn fill_repeats_the_pattern() {
        for (pattern, size) in [
            (vec![7u8], 5),
            (vec![1, 2], 10),
            (vec![1, 2, 3, 4], 28),
            (vec![9; 8], 0),
            (vec![1, 2, 3], 99_999),
        ] {
            let mut bytes = vec![0u8; size + 1];
            // SAFETY: `bytes` has `size` bytes, a multiple of the pattern's length.
            unsafe { fill(bytes.as_mut_ptr(), &pattern, size, false) };
            assert!(bytes[..size].iter().enumerate().all(|(i, &b)| b == pattern[i % pattern.len()]));
            assert_eq!(bytes[size], 0);
        }
    }

    #[test]
    fn long_fills_begin_and_end_anywhere() {
        for (length, start) in
            [1, 2, 4, 8, 16, 32, 64, 128].into_iter().flat_map(|n| (0..70).map(move |i| (n, i)))
        {
            let pattern: Vec<u8> = (1..=length as u8).collect();
            for size in [4 * ROW, 4 * ROW + length, 7 * ROW - length] {
                let mut bytes = vec![0u8; start + size + 1];
                // SAFETY: so many bytes follow the start, a multiple of the pattern's length.
                unsafe { fill(bytes.as_mut_ptr().add(start), &pattern, size, start % 2 == 1) };
                let (before, rest) = bytes.split_at(start);
                assert!(before.iter().chain(&rest[size..]).all(|&byte| byte == 0));
                assert!(rest[..size].chunks(length).all(|chunk| chunk == pattern));
            }
        }
    }

    #[test]
    fn very_long_fills_begin_and_end_anywhere() {
        let much = |length| [(length, MUCH + 3 * length), (length, MORE + COPIED / 2 + 3 * length)];
        let sizes = [2, 4, 8, 16, 128].into_iter().flat_map(much);
        for ((length, size), start) in sizes.flat_map(|size| [0, 1, 63].map(move |i| (size, i))) {
            let pattern: Vec<u8> = (1..=length as u8).collect();
            let mut bytes = vec![0u8; start + size + 1];
            // SAFETY: so many bytes follow the start, a multiple of the pattern's length.
            unsafe { fill(bytes.as_mut_ptr().add(start), &pattern, size, false) };
            let (before, rest) = bytes.split_at(start);
            assert!(before.iter().chain(&rest[size..]).all(|&byte| byte == 0));
            assert!(rest[..size].chunks(length).all(|chunk| chunk == pattern));
        }
    }
}
