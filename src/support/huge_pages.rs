//! Huge pages. The first touch of memory costs a tenth in huge pages.

use std::ptr::NonNull;

/// Size of a huge page in bytes.
pub const HUGE: usize = 2 << 20;

/// Asks the kernel to use huge pages. A failure has no effect.
///
/// # Safety
/// The caller owns the `size` bytes from `start`, which are whole pages.
pub unsafe fn advise(start: NonNull<u8>, size: usize) {
    // SAFETY: this function's contract makes the range the caller's whole pages; the call changes no byte of it.
    unsafe { libc::madvise(start.as_ptr().cast(), size, libc::MADV_HUGEPAGE) };
}
