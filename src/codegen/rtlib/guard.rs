//! Panic guard for functions that machine code calls. Frames of machine code cannot be unwound, so the function catches
//! the panic itself and then leaves the kernel in the way a fault does, by a function that the executor has registered.

use std::sync::atomic::{AtomicPtr, Ordering};

use grus_support::bug::{self, Bug, PanicSite};

/// Function that leaves the kernel running on this thread and fails its launch with a message that names `helper`. It
/// returns only if the kernel cannot be left.
pub type Leave = fn(helper: &'static str);

/// Registered [`Leave`] function; null before the first launch.
static LEAVE: AtomicPtr<()> = AtomicPtr::new(std::ptr::null_mut());

/// Registers the function that leaves kernels.
pub fn set_leave(leave: Leave) {
    LEAVE.store(leave as *mut (), Ordering::Release);
}

/// Runs `body`, the body of a helper, and catches its panics. Every function that machine code calls uses it.
#[inline]
pub(super) fn guard<T: Default>(helper: &'static str, body: impl FnOnce() -> T) -> T {
    bug::contained(helper, body).unwrap_or_else(|Bug| fail(helper))
}

/// Leaves the kernel after a panic of `helper`, whose values have been dropped. Returns a default result if the kernel
/// cannot be left; the launch then fails when its groups have ended.
#[cold]
fn fail<T: Default>(helper: &'static str) -> T {
    let leave = LEAVE.load(Ordering::Acquire);
    if !leave.is_null() {
        // SAFETY: only `set_leave` writes it.
        let leave = unsafe { std::mem::transmute::<*mut (), Leave>(leave) };
        leave(helper);
    }
    T::default()
}

/// Panics in place of a helper, when a test injects a bug. It stands in for helpers of every signature, since it uses
/// no argument and does not return.
pub(super) extern "C" fn panic() -> u64 {
    guard("a helper", || {
        PanicSite::Helpers.pass();
        0
    })
}
