//! Block copies for machine code. Addresses come from kernels; a bad one faults like any
//! access of theirs.

use std::ptr;

use super::guard::guard;
use crate::ir::abi::{GroupContext, space};

/// The copy behind async_work_group_copy and async_work_group_strided_copy (s6.15.11):
/// `count` elements of `size` bytes, strides in elements.
///
/// # Safety
/// All elements are valid for the copy.
pub unsafe extern "C" fn strided_copy(
    to: *mut u8,
    from: *const u8,
    count: u64,
    to_stride: u64,
    from_stride: u64,
    size: u64,
) {
    guard("an async copy", || {
        if to_stride == 1 && from_stride == 1 {
            // SAFETY: the kernel asked for these addresses.
            unsafe { ptr::copy(from, to, count.wrapping_mul(size) as usize) };
            return;
        }
        let steps = [to_stride, from_stride].map(|stride| stride.wrapping_mul(size) as usize);
        // SAFETY: the kernel asked for these addresses.
        unsafe {
            match size {
                1 => copy_each::<u8>(to, from, count, steps),
                2 => copy_each::<u16>(to, from, count, steps),
                4 => copy_each::<u32>(to, from, count, steps),
                8 => copy_each::<u64>(to, from, count, steps),
                16 => copy_each::<[u64; 2]>(to, from, count, steps),
                32 => copy_each::<[u64; 4]>(to, from, count, steps),
                64 => copy_each::<[u64; 8]>(to, from, count, steps),
                _ => {
                    for i in 0..count as usize {
                        let [target, source] = steps.map(|step| i.wrapping_mul(step));
                        ptr::copy(from.wrapping_add(source), to.wrapping_add(target), size as usize);
                    }
                }
            }
        }
    });
}

/// Copies elements of type `T`, which need not be aligned; `steps` are bytes from one to the next in both places.
///
/// # Safety
/// All elements are valid for the copy.
unsafe fn copy_each<T: Copy>(to: *mut u8, from: *const u8, count: u64, steps: [usize; 2]) {
    let (mut to, mut from) = (to, from);
    for _ in 0..count {
        // SAFETY: the caller vouches for the element.
        unsafe { to.cast::<T>().write_unaligned(from.cast::<T>().read_unaligned()) };
        (to, from) = (to.wrapping_add(steps[0]), from.wrapping_add(steps[1]));
    }
}

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
