//! Copies that a work-group does at once. Addresses come from kernels; a bad one faults like any access of theirs.

use std::ptr;

use super::guard::guard;

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
    let steps = [to_stride, from_stride].map(|stride| stride.wrapping_mul(size) as usize);
    // SAFETY: the kernel asked for these addresses.
    guard("an async copy", || unsafe { copy_lines(to, from, count, steps, size as usize) });
}

/// The copy behind async_work_group_copy_2D2D and async_work_group_copy_3D3D. The words are the operands of
/// `Op::AsyncRect`: destination, source, bytes of a line, lines, planes, and bytes from line to line and from plane to plane,
/// first of the destination.
///
/// # Safety
/// There are nine words, and all lines are valid for the copy.
pub unsafe extern "C" fn rect_copy(words: *const [u64; 9]) {
    guard("an async copy", || {
        // SAFETY: the caller's promise; the compiler puts them there.
        let [to, from, bytes, lines, planes, to_line, to_plane, from_line, from_plane] =
            unsafe { words.read_unaligned() };
        let (mut to, mut from) = (to as *mut u8, from as *const u8);
        for _ in 0..planes {
            // SAFETY: the kernel asked for these addresses.
            unsafe { copy_lines(to, from, lines, [to_line as usize, from_line as usize], bytes as usize) };
            (to, from) = (to.wrapping_add(to_plane as usize), from.wrapping_add(from_plane as usize));
        }
    });
}

/// Copies `count` lines of `size` bytes; `steps` are bytes from one to the next in both places.
///
/// # Safety
/// All lines are valid for the copy.
unsafe fn copy_lines(to: *mut u8, from: *const u8, count: u64, steps: [usize; 2], size: usize) {
    // SAFETY: the caller's promise.
    unsafe {
        if steps == [size; 2] {
            return ptr::copy(from, to, (count as usize).wrapping_mul(size));
        }
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
                    ptr::copy(from.wrapping_add(source), to.wrapping_add(target), size);
                }
            }
        }
    }
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
