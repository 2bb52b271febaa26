//! Block copies, and the address space of a generic pointer. Addresses come from kernels: a bad one faults in here as
//! if the kernel itself had accessed it.

use std::ptr;

use super::guard::guard;
use grus_ir::abi::{GroupContext, space};

/// Returns the address space that a generic pointer points into, for to_global, to_local, to_private and get_fence
/// (s6.13.9). Private memory is either in the group's private area or on this thread's stack, between the frame of this
/// function and the context, which lives in a frame of the executor. Memory that is neither private nor local is
/// global.
pub extern "C" fn space_of(context: &GroupContext, pointer: *const u8) -> u32 {
    guard("to_global", || {
        let here = ptr::from_ref(&pointer).cast::<u8>();
        let on_stack = here..ptr::from_ref(context).cast::<u8>();
        if (context.local.cast_const()..context.private.cast_const()).contains(&pointer) {
            space::LOCAL
        } else if (context.private.cast_const()..context.private_end.cast_const()).contains(&pointer)
            || on_stack.contains(&pointer)
        {
            space::PRIVATE
        } else {
            space::GLOBAL
        }
    })
}

/// Copies a large aggregate; source and destination may overlap.
///
/// # Safety
/// Both objects have `size` bytes.
pub unsafe extern "C" fn mem_copy(to: *mut u8, from: *const u8, size: u64) {
    // SAFETY: the addresses are the kernel's responsibility (see the module).
    guard("a copy", || unsafe { ptr::copy(from, to, size as usize) });
}

/// Zeroes a large aggregate.
///
/// # Safety
/// The object has `size` bytes.
pub unsafe extern "C" fn mem_zero(to: *mut u8, size: u64) {
    // SAFETY: the address is the kernel's responsibility (see the module).
    guard("zeroing", || unsafe { ptr::write_bytes(to, 0, size as usize) });
}
