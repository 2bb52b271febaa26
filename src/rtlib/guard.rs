//! Where a panic of a function that machine code calls stops. No frame of machine code can be unwound, so the function
//! catches it itself, and leaves the kernel as a fault does: the executor says how.

use std::sync::atomic::{AtomicPtr, Ordering};

use crate::support::bug::{self, Bug, PanicSite};

/// Leaves the kernel that runs on this thread: its launch fails, by this helper. Returns where that is not possible.
pub type Leave = fn(helper: &'static str);

/// A [`Leave`]; null before the first launch.
static LEAVE: AtomicPtr<()> = AtomicPtr::new(std::ptr::null_mut());

/// Says how kernels are left.
pub fn set_leave(leave: Leave) {
    LEAVE.store(leave as *mut (), Ordering::Release);
}

/// What a function that machine code calls does. All of them do it in here.
#[inline]
pub(super) fn guard<T: Default>(helper: &'static str, body: impl FnOnce() -> T) -> T {
    bug::contained(helper, body).unwrap_or_else(|Bug| fail(helper))
}

/// Everything that the helper owned is gone. Comes back if the kernel cannot be left: its launch fails at its end.
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

/// What machine code calls instead of any helper when a test asks for a bug. Whatever the helper is given, and whatever
/// it returns: this does not return.
pub(super) extern "C" fn panic() -> u64 {
    guard("a helper", || {
        PanicSite::Helpers.pass();
        0
    })
}
