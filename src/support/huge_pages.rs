//! Huge pages: touching memory costs a tenth in them.

use std::ptr::NonNull;

/// The size of one.
pub const HUGE: usize = 2 << 20;

/// Asks for huge pages. Where there are none that fails, and nothing is lost.
///
/// # Safety
/// `size` bytes from here are the caller's, whole pages.
pub unsafe fn advise(start: NonNull<u8>, size: usize) {
    // SAFETY: the caller's promise; it changes no byte.
    unsafe { libc::madvise(start.as_ptr().cast(), size, libc::MADV_HUGEPAGE) };
}
