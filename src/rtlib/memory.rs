//! Block copies for machine code, and the spaces of pointers. Addresses come from kernels; a bad one faults like any
//! access of theirs.

use std::ptr;

use super::guard::guard;
use crate::ir::abi::{GroupContext, space};

/// The address space that a generic pointer points into: what is behind to_global,
/// to_local, to_private and get_fence (s6.13.9). Private memory is on this thread's stack
/// between this function and the one that made the context, or in the group's private area;
/// what is neither that nor local memory is global.
pub extern "C" fn space_of(context: &GroupContext, pointer: *const u8) -> u32 {
    guard("to_global", || {
        let here = ptr::from_ref(&pointer).cast::<u8>();
        let on_stack = here..ptr::from_ref(context).cast::<u8>();
        if (context.local.cast_const()..context.private.cast_const()).contains(&pointer) {
            space::LOCAL
        } else if (context.private.cast_const()..context.end.cast_const()).contains(&pointer)
            || on_stack.contains(&pointer)
        {
            space::PRIVATE
        } else {
            space::GLOBAL
        }
    })
}

/// Copy of a large aggregate; overlap is allowed.
///
/// # Safety
/// Both objects have `size` bytes.
pub unsafe extern "C" fn mem_copy(to: *mut u8, from: *const u8, size: u64) {
    // SAFETY: the kernel asked for these addresses.
    guard("a copy", || unsafe { ptr::copy(from, to, size as usize) });
}

/// Zeroes a large aggregate.
///
/// # Safety
/// The object has `size` bytes.
pub unsafe extern "C" fn mem_zero(to: *mut u8, size: u64) {
    // SAFETY: the kernel asked for this address.
    guard("zeroing", || unsafe { ptr::write_bytes(to, 0, size as usize) });
}
