//! Fences of which one half is cheap. Two threads that each write something and then read what the other writes need a
//! fence in between, or neither may see the other. Where one of them does this all the time and the other rarely, the rare
//! one has the kernel put the fence into every thread that runs (membarrier), and the other only keeps the compiler from
//! moving things.

use std::sync::atomic::{AtomicBool, Ordering, compiler_fence, fence};

/// Whether threads must fence for themselves: until the kernel has been asked, and if it does not do it.
static ALONE: AtomicBool = AtomicBool::new(true);

const MEMBARRIER_PRIVATE_EXPEDITED: i32 = 1 << 3;
const MEMBARRIER_REGISTER_PRIVATE_EXPEDITED: i32 = 1 << 4;

fn membarrier(command: i32) -> bool {
    // SAFETY: the call takes numbers only.
    unsafe { libc::syscall(libc::SYS_membarrier, command, 0, 0) == 0 }
}

/// Asks the kernel for what makes fences of one's own unnecessary; whether it does it. A forked child asks anew: a system
/// call and stores only.
pub fn register() -> bool {
    let registered = membarrier(MEMBARRIER_REGISTER_PRIVATE_EXPEDITED);
    ALONE.store(!registered, Ordering::SeqCst);
    registered
}

/// The cheap half of a fence between what this thread has written and what it reads next.
#[inline]
pub fn light() {
    compiler_fence(Ordering::SeqCst);
    // Acquire: a thread that sees that fences of one's own have just become unnecessary sees, too, what was written by a thread that
    // has relied on them.
    if ALONE.load(Ordering::Acquire) {
        fence(Ordering::SeqCst);
    }
}

/// The other half: a fence in every thread that runs, as far as they do not fence for themselves. Returns whether that was
/// possible.
pub fn heavy() -> bool {
    fence(Ordering::SeqCst);
    ALONE.load(Ordering::Relaxed) || membarrier(MEMBARRIER_PRIVATE_EXPEDITED)
}
