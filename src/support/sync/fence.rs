//! Asymmetric fences. Two threads that each write one location and then read the other's need a fence in between,
//! or neither may see the other's write. If one of them does so often and the other rarely, the rare one has the
//! kernel execute the fence in every running thread (membarrier), and the frequent one only prevents reordering by
//! the compiler.

use std::sync::atomic::{AtomicBool, Ordering, compiler_fence, fence};

/// True while threads must execute the fence themselves: until the kernel has been queried, or if it has no
/// membarrier.
static IS_MEMBARRIER_MISSING: AtomicBool = AtomicBool::new(true);

const MEMBARRIER_PRIVATE_EXPEDITED: i32 = 1 << 3;
const MEMBARRIER_REGISTER_PRIVATE_EXPEDITED: i32 = 1 << 4;

fn membarrier(command: i32) -> bool {
    // SAFETY: the system call takes numbers only.
    unsafe { libc::syscall(libc::SYS_membarrier, command, 0, 0) == 0 }
}

/// Registers the process for membarrier. Returns whether the kernel supports it; then [`light`] fences become free.
/// A forked child calls it again; it uses only a system call and stores.
pub fn register() -> bool {
    let registered = membarrier(MEMBARRIER_REGISTER_PRIVATE_EXPEDITED);
    IS_MEMBARRIER_MISSING.store(!registered, Ordering::SeqCst);
    registered
}

/// Executes the cheap half of a fence between this thread's previous writes and its next reads.
#[inline]
pub fn light() {
    compiler_fence(Ordering::SeqCst);
    // Acquire: a thread that sees that its own fence has just become unnecessary also sees the writes of a thread
    // that has relied on membarrier.
    if IS_MEMBARRIER_MISSING.load(Ordering::Acquire) {
        fence(Ordering::SeqCst);
    }
}

/// Executes the expensive half: a fence in every running thread, unless those execute fences themselves. Returns
/// whether that was possible.
pub fn heavy() -> bool {
    fence(Ordering::SeqCst);
    IS_MEMBARRIER_MISSING.load(Ordering::Relaxed) || membarrier(MEMBARRIER_PRIVATE_EXPEDITED)
}
