//! Copies that a work-group does at once. Addresses come from kernels; a bad one faults like any access of theirs.

use std::hint::black_box;
use std::ptr;

use super::guard::guard;
use crate::support::copy;

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
#[inline(always)]
unsafe fn copy_lines(to: *mut u8, from: *const u8, count: usize, steps: [usize; 2], size: usize) {
    // SAFETY: the caller's promise.
    unsafe {
        if steps == [size; 2] {
            copy::copy(from, to, count.wrapping_mul(size));
        } else {
            copy_apart(to, from, count, steps, size);
        }
    }
}

/// The same for lines that do not follow each other in both places.
///
/// # Safety
/// As of [`copy_lines`].
#[inline(never)]
unsafe fn copy_apart(to: *mut u8, from: *const u8, count: usize, steps: [usize; 2], size: usize) {
    // SAFETY: the caller's promise.
    unsafe {
        match size {
            8 if is_crowded(steps[0]) => copy_halves::<u32>(to, from, count, steps),
            16 if is_crowded(steps[0]) => copy_halves::<u64>(to, from, count, steps),
            32 if is_crowded(steps[0]) => copy_halves::<u128>(to, from, count, steps),
            1 => copy_each::<u8>(to, from, count, steps),
            2 => copy_each::<u16>(to, from, count, steps),
            4 => copy_each::<u32>(to, from, count, steps),
            8 => copy_each::<u64>(to, from, count, steps),
            16 => copy_each::<u128>(to, from, count, steps),
            #[cfg(target_arch = "x86_64")]
            32 | 64 if is_x86_feature_detected!("avx") => copy_by_avx(to, from, count, steps, size),
            32 => copy_each::<[u128; 2]>(to, from, count, steps),
            64 => copy_each::<[u128; 4]>(to, from, count, steps),
            _ => copy_long(to, from, count, steps, size),
        }
    }
}

/// Whether what is that far apart shares few places of the first cache, so that stores wait for lines. At odd multiples of this
/// length, two stores to a line take less time than one, by a fourth to a half (Zen 5, 256 elements; at even ones a tenth more).
fn is_crowded(step: usize) -> bool {
    const FAR: usize = 512;
    step % (2 * FAR) == FAR
}

/// Copies elements of two `T` each, as of [`copy_each`].
///
/// # Safety
/// As of [`copy_each`].
unsafe fn copy_halves<T: Copy>(to: *mut u8, from: *const u8, count: usize, steps: [usize; 2]) {
    let (mut to, mut from) = (to.cast::<T>(), from.cast::<T>());
    for _ in 0..count {
        // SAFETY: the caller's promise.
        unsafe {
            let halves = [from.read_unaligned(), from.wrapping_add(1).read_unaligned()];
            to.write_unaligned(halves[0]);
            to.wrapping_add(1).write_unaligned(halves[1]);
        }
        (to, from) = (to.wrapping_byte_add(steps[0]), from.wrapping_byte_add(steps[1]));
    }
}

/// Copies elements of 32 or 64 bytes by registers of 32.
///
/// # Safety
/// As of [`copy_each`], and the machine has AVX.
#[cfg(target_arch = "x86_64")]
#[target_feature(enable = "avx")]
unsafe fn copy_by_avx(to: *mut u8, from: *const u8, count: usize, steps: [usize; 2], size: usize) {
    use std::arch::x86_64::__m256i;
    // SAFETY: the caller's promise.
    unsafe {
        if size == 32 {
            copy_each::<__m256i>(to, from, count, steps);
        } else {
            copy_each::<[__m256i; 2]>(to, from, count, steps);
        }
    }
}

/// Copies elements of type `T`, which need not be aligned; `steps` are bytes from one to the next in both places. On one of
/// the sides they are neighbours, if a strided copy asks: there addresses take no time.
///
/// # Safety
/// All elements are valid for the copy.
#[inline(always)]
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

/// Where eight elements are, from the first. Odd multiples of a step that is not known are hidden from the compiler: each
/// address is then a sum of the machine's, where a chain of additions would take a cycle for each element.
#[inline(always)]
fn eight(step: usize, size: usize) -> [usize; 8] {
    let times = |factor| step.wrapping_mul(factor);
    let odd = [times(3), times(5), times(7)];
    let [three, five, seven] = if step == size { odd } else { black_box(odd) };
    [0, step, times(2), three, times(4), five, three.wrapping_mul(2), seven]
}

/// Copies elements, those that fit into registers eight at a time, which the machine has under way together. What becomes
/// neighbours and is less than a register is stored as one.
///
/// # Safety
/// As of [`copy_each`].
#[inline(always)]
unsafe fn copy_some<T: Copy>(to: *mut u8, from: *const u8, count: usize, steps: [usize; 2]) {
    let (size, [to_step, from_step]) = (size_of::<T>(), steps);
    let (mut to, mut from, mut left) = (to, from, count);
    if size <= 32 && left >= 8 {
        let (targets, sources) = (eight(to_step, size), eight(from_step, size));
        let further = steps.map(|step| step.wrapping_mul(8));
        while left >= 8 {
            let sources = sources.map(|at| from.wrapping_add(at));
            if size <= 4 && to_step == size {
                let each = 8 / size;
                for word in 0..size {
                    // SAFETY: the caller's promise.
                    let element = |i: usize| unsafe { bits::<T>(sources[word * each + i]) << (8 * size * i) };
                    let whole = (0..each).map(element).fold(0, |all, one| all | one);
                    // SAFETY: as above.
                    unsafe { to.wrapping_add(8 * word).cast::<u64>().write_unaligned(whole.to_le()) };
                }
            } else if size >= 16 {
                for (at, source) in targets.into_iter().zip(sources) {
                    // SAFETY: the caller's promise.
                    unsafe {
                        to.wrapping_add(at).cast::<T>().write_unaligned(source.cast::<T>().read_unaligned())
                    };
                }
            } else {
                // SAFETY: the caller's promise.
                let elements = sources.map(|source| unsafe { source.cast::<T>().read_unaligned() });
                for (at, element) in targets.into_iter().zip(elements) {
                    // SAFETY: as above.
                    unsafe { to.wrapping_add(at).cast::<T>().write_unaligned(element) };
                }
            }
            (to, from) = (to.wrapping_add(further[0]), from.wrapping_add(further[1]));
            left -= 8;
        }
    }
    for _ in 0..left {
        // SAFETY: the caller's promise.
        unsafe { to.cast::<T>().write_unaligned(from.cast::<T>().read_unaligned()) };
        (to, from) = (to.wrapping_add(to_step), from.wrapping_add(from_step));
    }
}

/// The bits of an element of at most four bytes, the first byte in the lowest.
///
/// # Safety
/// The element can be read.
#[inline(always)]
unsafe fn bits<T>(at: *const u8) -> u64 {
    // SAFETY: the caller's promise.
    unsafe {
        match size_of::<T>() {
            1 => u64::from(at.read()),
            2 => u64::from(u16::from_le(at.cast::<u16>().read_unaligned())),
            _ => u64::from(u32::from_le(at.cast::<u32>().read_unaligned())),
        }
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

#[cfg(test)]
mod tests {
    use super::*;

    /// Bytes that a copy leaves behind, of elements that one loop copies.
    fn expected(from: &[u8], length: usize, count: usize, steps: [usize; 2], size: usize) -> Vec<u8> {
        let mut to = vec![0; length];
        for i in 0..count {
            to[i * steps[0]..][..size].copy_from_slice(&from[i * steps[1]..][..size]);
        }
        to
    }

    #[test]
    fn every_size_stride_and_number() {
        let from: Vec<u8> = (0..16384u32).map(|i| ((i * 167) >> 3) as u8 | 1).collect();
        for size in [1, 2, 4, 8, 16, 24, 32, 64] {
            for strides in [[1, 1], [1, 2], [2, 1], [1, 5], [5, 1], [3, 2], [1, 0], [0, 1], [512 / size, 1]] {
                for count in 0..=20 {
                    let steps = strides.map(|stride| stride * size);
                    let length = count * steps[0] + size;
                    let mut to = vec![0; length];
                    // SAFETY: both places have room for the last element.
                    unsafe { copy_lines(to.as_mut_ptr(), from.as_ptr(), count, steps, size) };
                    let wanted = expected(&from, length, count, steps, size);
                    assert_eq!(to, wanted, "{size} {strides:?} {count}");
                }
            }
        }
    }
}
