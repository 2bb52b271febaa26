//! Fills with a repeated pattern. Data that fits into the second-level cache is written from vector registers.
//! Beyond that, the C library writes patterns of equal bytes; the processor's string stores, which do not read
//! lines first, write patterns that fit into a word; and string copies of a part written from registers write all
//! other patterns.

#![cfg_attr(not(target_arch = "x86_64"), allow(dead_code, unused_variables))]

use std::ptr;

#[cfg(target_arch = "x86_64")]
use grus_support::copy;

/// Number of bytes that are copied at a time, and number of bytes that are written from registers at a time.
// Arbitrary.
const BLOCK: usize = 16 << 10;
const ROW: usize = 128;

/// Size in bytes from which on string stores are faster than registers, because the second-level cache holds less.
// Source: measured; fills of 16 MB with patterns of 2 to 8 bytes reach 240 GB/s instead of 184 (Zen 5).
const MIN_STRING_STORE: usize = 1 << 20;

/// Size in bytes from which on string copies are faster than registers, and distance at which they read the bytes
/// written before, so that those are in the second-level cache.
// Source: measured; fills of 16 MB with patterns of 16 to 128 bytes reach 230 GB/s instead of 210.
const MORE: usize = 2 << 20;
const COPIED: usize = 64 << 10;

/// Fills `size` bytes with repetitions of `pattern`, with non-temporal stores if `is_past` is set and the pattern
/// allows it.
///
/// # Safety
/// `size` bytes from `target` are valid, and `size` is a multiple of the pattern's length, which is not 0.
pub(super) unsafe fn fill(target: *mut u8, pattern: &[u8], size: usize, is_past: bool) {
    let byte = pattern[0];
    let is_even = pattern.iter().all(|&other| other == byte);
    #[cfg(target_arch = "x86_64")]
    if size >= 4 * ROW
        && !(is_even && size >= MIN_STRING_STORE)
        && ROW.is_multiple_of(pattern.len())
        && is_x86_feature_detected!("avx")
    {
        let has_strings = is_x86_feature_detected!("ermsb");
        let way = match pattern.len() {
            ..=WORD if size >= MIN_STRING_STORE && has_strings => by_words,
            _ if is_past => copy_nontemporal,
            _ if size >= MORE && has_strings => by_copies,
            _ => widest(),
        };
        // SAFETY: this function has the contract of `aligned`; the pattern's length divides `ROW`, there are four
        // rows, and the chosen function's instructions were detected.
        return unsafe { aligned(target, pattern, size, way) };
    }
    if is_even {
        // SAFETY: this function's contract makes `size` bytes valid.
        return unsafe { ptr::write_bytes(target, byte, size) };
    }
    let first = pattern.len().min(size);
    // SAFETY: the pattern fits, because `size` is 0 or at least the pattern's length.
    unsafe { ptr::copy_nonoverlapping(pattern.as_ptr(), target, first) };
    let mut full = first;
    // The source of the repeated copies stays in the first-level cache.
    let most = (BLOCK / pattern.len()).max(1) * pattern.len();
    while full < size {
        let next = full.min(most).min(size - full);
        // SAFETY: `full` bytes are written and `next` more are in range; they do not overlap as `next <= full`.
        unsafe { ptr::copy_nonoverlapping(target, target.add(full), next) };
        full += next;
    }
}

/// Function that writes a row a number of times, from the beginning of a cache line on.
#[cfg(target_arch = "x86_64")]
type RowFill = unsafe fn(*mut u8, &[u8; ROW], usize);

#[cfg(target_arch = "x86_64")]
const WORD: usize = 8;

/// Fills whole rows with `rows`, and the bytes before and after them directly.
///
/// # Safety
/// The contract is that of [`fill`]. In addition, [`ROW`] is a multiple of the pattern's length, `size` is more
/// than a row, and the processor has the instructions of `rows`.
#[cfg(target_arch = "x86_64")]
unsafe fn aligned(target: *mut u8, pattern: &[u8], size: usize, rows: RowFill) {
    let mut pieces = [0u8; 2 * ROW];
    // SAFETY: the array has that many bytes. The recursion ends because the size is below four rows.
    unsafe { fill(pieces.as_mut_ptr(), pattern, pieces.len(), false) };
    // The bytes before the first line, and the pattern as it continues after them.
    let before = target.align_offset(64).min(size);
    let mut row = [0u8; ROW];
    row.copy_from_slice(&pieces[before % pattern.len()..][..ROW]);
    let whole = (size - before) / ROW;
    let behind = before + whole * ROW;
    // SAFETY: all three ranges are parts of the valid range of `size` bytes.
    unsafe {
        ptr::copy_nonoverlapping(pieces.as_ptr(), target, before);
        rows(target.add(before), &row, whole);
        ptr::copy_nonoverlapping(row.as_ptr(), target.add(behind), size - behind);
    }
}

/// Writes rows with the processor's string stores. A row consists of one repeated word.
///
/// # Safety
/// `count` rows from `target` are valid.
#[cfg(target_arch = "x86_64")]
unsafe fn by_words(target: *mut u8, row: &[u8; ROW], count: usize) {
    let mut word = [0u8; WORD];
    word.copy_from_slice(&row[..WORD]);
    // SAFETY: this function's contract makes `count` rows valid, and the ABI requires a clear direction flag.
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

/// Returns the function that uses the widest registers of this processor.
#[cfg(target_arch = "x86_64")]
fn widest() -> RowFill {
    if is_x86_feature_detected!("avx512f") { by_lines } else { by_rows }
}

/// Writes rows with the processor's string copies of bytes that were written before; the first rows are written
/// from registers.
///
/// # Safety
/// The processor has AVX, and `count` rows from `target` are valid.
#[cfg(target_arch = "x86_64")]
unsafe fn by_copies(target: *mut u8, row: &[u8; ROW], count: usize) {
    let first = count.min(COPIED / ROW);
    // SAFETY: `first` is at most `count`, and the processor has AVX.
    unsafe { widest()(target, row, first) };
    // SAFETY: the range ends at row `count`; each byte that is read was written before.
    unsafe { copy::by_strings(target, target.add(first * ROW), (count - first) * ROW) };
}

/// Defines a function that writes rows from registers of one kind.
#[cfg(target_arch = "x86_64")]
macro_rules! by_registers {
    ($(#[$doc:meta])* $name:ident, $feature:literal, $bytes:literal, $load:ident, $store:ident, $after:expr) => {
        $(#[$doc])*
        ///
        /// # Safety
        /// The processor has the instructions, and `count` rows from `target` are valid and begin at a cache line.
        #[cfg(target_arch = "x86_64")]
        #[target_feature(enable = $feature)]
        unsafe fn $name(target: *mut u8, row: &[u8; ROW], count: usize) {
            use std::arch::x86_64::*;
            let row: [_; ROW / $bytes] = std::array::from_fn(|i| {
                // SAFETY: the load is inside the row.
                unsafe { $load(row.as_ptr().add($bytes * i).cast()) }
            });
            for at in 0..count {
                for (i, part) in row.iter().enumerate() {
                    // SAFETY: the store is inside one of the valid rows, which begin at a cache line.
                    unsafe { $store(target.add(ROW * at + $bytes * i).cast(), *part) };
                }
            }
            $after
        }
    };
}

by_registers!(
    /// Writes rows from 32-byte registers.
    by_rows,
    "avx",
    32,
    _mm256_loadu_si256,
    _mm256_store_si256,
    ()
);
by_registers!(
    /// Writes rows from 64-byte registers, which are whole cache lines.
    by_lines,
    "avx512f",
    64,
    _mm512_loadu_si512,
    _mm512_store_si512,
    ()
);
by_registers!(
    /// Writes rows from 32-byte registers with non-temporal stores. The bytes are visible to every thread that
    /// observes a later store of this thread.
    copy_nontemporal,
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
                // SAFETY: `size` bytes follow the start, a multiple of the pattern's length.
                unsafe { fill(bytes.as_mut_ptr().add(start), &pattern, size, start % 2 == 1) };
                let (before, rest) = bytes.split_at(start);
                assert!(before.iter().chain(&rest[size..]).all(|&byte| byte == 0));
                assert!(rest[..size].chunks(length).all(|chunk| chunk == pattern));
            }
        }
    }

    #[test]
    fn very_long_fills_begin_and_end_anywhere() {
        let much =
            |length| [(length, MIN_STRING_STORE + 3 * length), (length, MORE + COPIED / 2 + 3 * length)];
        let sizes = [2, 4, 8, 16, 128].into_iter().flat_map(much);
        for ((length, size), start) in sizes.flat_map(|size| [0, 1, 63].map(move |i| (size, i))) {
            let pattern: Vec<u8> = (1..=length as u8).collect();
            let mut bytes = vec![0u8; start + size + 1];
            // SAFETY: `size` bytes follow the start, a multiple of the pattern's length.
            unsafe { fill(bytes.as_mut_ptr().add(start), &pattern, size, false) };
            let (before, rest) = bytes.split_at(start);
            assert!(before.iter().chain(&rest[size..]).all(|&byte| byte == 0));
            assert!(rest[..size].chunks(length).all(|chunk| chunk == pattern));
        }
    }
}
