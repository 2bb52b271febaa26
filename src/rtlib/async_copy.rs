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
    guard("an async copy", || {
        let (size, to_step, from_step) =
            (size as usize, to_stride.wrapping_mul(size), from_stride.wrapping_mul(size));
        // SAFETY: the kernel asked for these addresses.
        unsafe { copy_lines(to, from, count as usize, [to_step as usize, from_step as usize], size) }
    });
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
            unsafe {
                copy_lines(to, from, lines as usize, [to_line as usize, from_line as usize], bytes as usize);
            }
            (to, from) = (to.wrapping_add(to_plane as usize), from.wrapping_add(from_plane as usize));
        }
    });
}

/// Copies `count` lines of `size` bytes; `steps` are bytes from one to the next in both places.
///
/// # Safety
/// All lines are valid for the copy.
#[inline]
unsafe fn copy_lines(to: *mut u8, from: *const u8, count: usize, steps: [usize; 2], size: usize) {
    // SAFETY: the caller's promise.
    unsafe {
        if steps[0] == size && steps[1] == size {
            return ptr::copy(from, to, count.wrapping_mul(size));
        }
        match size {
            1 => copy_each::<u8>(to, from, count, steps),
            2 => copy_each::<u16>(to, from, count, steps),
            4 => copy_each::<u32>(to, from, count, steps),
            8 => copy_each::<u64>(to, from, count, steps),
            16 => copy_each::<u128>(to, from, count, steps),
            32 => copy_each::<[u128; 2]>(to, from, count, steps),
            64 => copy_each::<[u128; 4]>(to, from, count, steps),
            _ => copy_long(to, from, count, steps, size),
        }
    }
}

/// Copies elements of type `T`, which need not be aligned; `steps` are bytes from one to the next in both places. On one of
/// the sides they are neighbours, if a strided copy asks: there addresses take no time.
///
/// # Safety
/// All elements are valid for the copy.
unsafe fn copy_each<T: Copy>(to: *mut u8, from: *const u8, count: usize, steps: [usize; 2]) {
    let (size, [to_step, from_step]) = (size_of::<T>(), steps);
    // SAFETY: the caller's promise.
    unsafe {
        if to_step == size {
            copy_some::<T>(to, from, count, [size, from_step]);
        } else if from_step == size {
            copy_some::<T>(to, from, count, [to_step, size]);
        } else {
            copy_some::<T>(to, from, count, steps);
        }
    }
}

/// Copies elements, those that fit into registers eight at a time, which the machine has under way together.
///
/// # Safety
/// As of [`copy_each`].
#[inline(always)]
unsafe fn copy_some<T: Copy>(to: *mut u8, from: *const u8, count: usize, steps: [usize; 2]) {
    let at = |i: usize, step: usize| i.wrapping_mul(step);
    let mut first = 0;
    while size_of::<T>() <= 16 && count - first >= 8 {
        let (target, source) = (to.wrapping_add(at(first, steps[0])), from.wrapping_add(at(first, steps[1])));
        // SAFETY: the caller's promise.
        let read = |i: usize| unsafe { source.wrapping_add(at(i, steps[1])).cast::<T>().read_unaligned() };
        let elements = [read(0), read(1), read(2), read(3), read(4), read(5), read(6), read(7)];
        let write = |i: usize| {
            let target = target.wrapping_add(at(i, steps[0])).cast::<T>();
            // SAFETY: as above.
            unsafe { target.write_unaligned(elements[i]) };
        };
        write(0);
        write(1);
        write(2);
        write(3);
        write(4);
        write(5);
        write(6);
        write(7);
        first += 8;
    }
    let (mut to, mut from) = (to.wrapping_add(at(first, steps[0])), from.wrapping_add(at(first, steps[1])));
    for _ in first..count {
        // SAFETY: the caller's promise.
        unsafe { to.cast::<T>().write_unaligned(from.cast::<T>().read_unaligned()) };
        (to, from) = (to.wrapping_add(steps[0]), from.wrapping_add(steps[1]));
    }
}

/// Copies lines of any length.
///
/// # Safety
/// As of [`copy_lines`].
unsafe fn copy_long(to: *mut u8, from: *const u8, count: usize, steps: [usize; 2], size: usize) {
    for i in 0..count {
        let (target, source) =
            (to.wrapping_add(i.wrapping_mul(steps[0])), from.wrapping_add(i.wrapping_mul(steps[1])));
        // SAFETY: the caller's promise.
        unsafe { ptr::copy(source, target, size) };
    }
}
