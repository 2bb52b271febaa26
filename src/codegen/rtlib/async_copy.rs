//! Async copies of a work-group (s6.15.11). They run synchronously. Addresses come from kernels: a bad one faults in
//! here as if the kernel itself had accessed it.

use std::hint::black_box;
use std::ptr;

use super::guard::guard;
use grus_support::copy;

/// Implements async_work_group_copy and async_work_group_strided_copy (s6.15.11): copies `count` elements of `size`
/// bytes, with strides in elements.
///
/// # Safety
/// All source elements can be read and all destination elements can be written.
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
        // SAFETY: the addresses are the kernel's responsibility (see the module).
        unsafe { copy_lines(to, from, count as usize, [to_step as usize, from_step as usize], size) }
    });
}

/// Implements async_work_group_copy_2D2D and async_work_group_copy_3D3D. `words` points at the operands of
/// `Op::AsyncRect`: destination, source, bytes per line, number of lines, number of planes, line and plane pitch of the
/// destination, line and plane pitch of the source; pitches in bytes.
///
/// # Safety
/// `words` points at nine words, all source lines can be read and all destination lines can be written.
pub unsafe extern "C" fn rect_copy(words: *const [u64; 9]) {
    guard("an async copy", || {
        // SAFETY: the caller passes nine words, which compiled code has written to its stack.
        let [to, from, bytes, lines, planes, to_line, to_plane, from_line, from_plane] =
            unsafe { words.read_unaligned() };
        let (mut to, mut from) = (to as *mut u8, from as *const u8);
        for _ in 0..planes {
            // SAFETY: the addresses are the kernel's responsibility (see the module).
            unsafe {
                copy_lines(to, from, lines as usize, [to_line as usize, from_line as usize], bytes as usize);
            }
            (to, from) = (to.wrapping_add(to_plane as usize), from.wrapping_add(from_plane as usize));
        }
    });
}

/// Copies `count` lines of `size` bytes. `steps` are the distances in bytes between consecutive lines of the
/// destination and of the source.
///
/// # Safety
/// All source lines can be read and all destination lines can be written.
#[inline(always)]
unsafe fn copy_lines(to: *mut u8, from: *const u8, count: usize, steps: [usize; 2], size: usize) {
    // SAFETY: the caller guarantees that the elements are valid for the copy.
    unsafe {
        if steps == [size; 2] {
            copy::copy(from, to, count.wrapping_mul(size));
        } else {
            copy_strided(to, from, count, steps, size);
        }
    }
}

/// Copies lines that are not contiguous in the destination or in the source, as [`copy_lines`].
///
/// # Safety
/// See [`copy_lines`].
#[inline(never)]
unsafe fn copy_strided(to: *mut u8, from: *const u8, count: usize, steps: [usize; 2], size: usize) {
    // SAFETY: the caller guarantees that the elements are valid for the copy.
    unsafe {
        match size {
            8 if has_set_conflicts(steps[0]) => copy_in_halves::<u32>(to, from, count, steps),
            16 if has_set_conflicts(steps[0]) => copy_in_halves::<u64>(to, from, count, steps),
            32 if has_set_conflicts(steps[0]) => copy_in_halves::<u128>(to, from, count, steps),
            1 => copy_elements::<u8>(to, from, count, steps),
            2 => copy_elements::<u16>(to, from, count, steps),
            4 => copy_elements::<u32>(to, from, count, steps),
            8 => copy_elements::<u64>(to, from, count, steps),
            16 => copy_elements::<u128>(to, from, count, steps),
            #[cfg(target_arch = "x86_64")]
            32 | 64 if is_x86_feature_detected!("avx") => copy_by_avx(to, from, count, steps, size),
            32 => copy_elements::<[u128; 2]>(to, from, count, steps),
            64 => copy_elements::<[u128; 4]>(to, from, count, steps),
            _ => copy_any_size(to, from, count, steps, size),
        }
    }
}

/// Checks whether lines at this distance map to few sets of the L1 cache, so that stores wait for evictions. At odd
/// multiples of `PERIOD` bytes, two stores per line are faster than one by 25 to 50 %; at even multiples they are 10 %
/// slower.
// Source: bench of strided async copies, Zen 5, 256 elements.
fn has_set_conflicts(step: usize) -> bool {
    const PERIOD: usize = 512;
    step % (2 * PERIOD) == PERIOD
}

/// Copies elements that consist of two `T`, as [`copy_elements`], with one store for each half.
///
/// # Safety
/// See [`copy_elements`].
unsafe fn copy_in_halves<T: Copy>(to: *mut u8, from: *const u8, count: usize, steps: [usize; 2]) {
    let (mut to, mut from) = (to.cast::<T>(), from.cast::<T>());
    for _ in 0..count {
        // SAFETY: the caller guarantees that the elements are valid for the copy.
        unsafe {
            let halves = [from.read_unaligned(), from.wrapping_add(1).read_unaligned()];
            to.write_unaligned(halves[0]);
            to.wrapping_add(1).write_unaligned(halves[1]);
        }
        (to, from) = (to.wrapping_byte_add(steps[0]), from.wrapping_byte_add(steps[1]));
    }
}

/// Copies elements of 32 or 64 bytes with 32-byte registers.
///
/// # Safety
/// See [`copy_elements`]; the CPU supports AVX.
#[cfg(target_arch = "x86_64")]
#[target_feature(enable = "avx")]
unsafe fn copy_by_avx(to: *mut u8, from: *const u8, count: usize, steps: [usize; 2], size: usize) {
    use std::arch::x86_64::__m256i;
    // SAFETY: the caller guarantees that the elements are valid for the copy.
    unsafe {
        if size == 32 {
            copy_elements::<__m256i>(to, from, count, steps);
        } else {
            copy_elements::<[__m256i; 2]>(to, from, count, steps);
        }
    }
}

/// Copies elements of type `T`, which need not be aligned. `steps` are the distances in bytes between consecutive
/// elements of the destination and of the source. The strided copies of the specification are contiguous on one side:
/// passing that step as a constant lets the compiler fold the addresses of that side.
///
/// # Safety
/// All source elements can be read and all destination elements can be written.
#[inline(always)]
unsafe fn copy_elements<T: Copy>(to: *mut u8, from: *const u8, count: usize, steps: [usize; 2]) {
    let (size, [to_step, from_step]) = (size_of::<T>(), steps);
    // SAFETY: the caller guarantees that the elements are valid for the copy.
    unsafe {
        if to_step == size {
            copy_unrolled::<T>(to, from, count, [size, from_step]);
        } else if from_step == size {
            copy_unrolled::<T>(to, from, count, [to_step, size]);
        } else {
            copy_unrolled::<T>(to, from, count, steps);
        }
    }
}

/// Returns the byte offsets of eight elements from the first. If the step is not a constant, its odd multiples are
/// hidden from the compiler with `black_box`: each address is then one base-plus-index operand instead of a link in a
/// chain of additions, which would cost a cycle per element.
#[inline(always)]
fn eight_offsets(step: usize, size: usize) -> [usize; 8] {
    let times = |factor| step.wrapping_mul(factor);
    let odd = [times(3), times(5), times(7)];
    let [three, five, seven] = if step == size { odd } else { black_box(odd) };
    [0, step, times(2), three, times(4), five, three.wrapping_mul(2), seven]
}

/// Copies elements of at most 32 bytes in a loop that is unrolled eight times, so that eight loads are in flight.
/// Elements of at most 4 bytes with a contiguous destination are packed into 8-byte words before they are stored.
///
/// # Safety
/// See [`copy_elements`].
#[inline(always)]
unsafe fn copy_unrolled<T: Copy>(to: *mut u8, from: *const u8, count: usize, steps: [usize; 2]) {
    let (size, [to_step, from_step]) = (size_of::<T>(), steps);
    let (mut to, mut from, mut remaining) = (to, from, count);
    if size <= 32 && remaining >= 8 {
        let (targets, sources) = (eight_offsets(to_step, size), eight_offsets(from_step, size));
        let advance = steps.map(|step| step.wrapping_mul(8));
        while remaining >= 8 {
            let sources = sources.map(|at| from.wrapping_add(at));
            if size <= 4 && to_step == size {
                let per_word = 8 / size;
                for word in 0..size {
                    // SAFETY: the caller guarantees that the elements are valid for the copy.
                    let element = |i: usize| unsafe {
                        element_bits::<T>(sources[word * per_word + i]) << (8 * size * i)
                    };
                    let packed = (0..per_word).map(element).fold(0, |all, one| all | one);
                    // SAFETY: the caller guarantees that the element can be written.
                    unsafe { to.wrapping_add(8 * word).cast::<u64>().write_unaligned(packed.to_le()) };
                }
            } else if size >= 16 {
                for (at, source) in targets.into_iter().zip(sources) {
                    // SAFETY: the caller guarantees that the elements are valid for the copy.
                    unsafe {
                        to.wrapping_add(at).cast::<T>().write_unaligned(source.cast::<T>().read_unaligned())
                    };
                }
            } else {
                // SAFETY: the caller guarantees that the elements are valid for the copy.
                let elements = sources.map(|source| unsafe { source.cast::<T>().read_unaligned() });
                for (at, element) in targets.into_iter().zip(elements) {
                    // SAFETY: the caller guarantees that the element can be written.
                    unsafe { to.wrapping_add(at).cast::<T>().write_unaligned(element) };
                }
            }
            (to, from) = (to.wrapping_add(advance[0]), from.wrapping_add(advance[1]));
            remaining -= 8;
        }
    }
    for _ in 0..remaining {
        // SAFETY: the caller guarantees that the elements are valid for the copy.
        unsafe { to.cast::<T>().write_unaligned(from.cast::<T>().read_unaligned()) };
        (to, from) = (to.wrapping_add(to_step), from.wrapping_add(from_step));
    }
}

/// Returns the bits of an element of at most four bytes, the first byte in the lowest bits.
///
/// # Safety
/// The element can be read.
#[inline(always)]
unsafe fn element_bits<T>(at: *const u8) -> u64 {
    // SAFETY: the caller guarantees that the elements are valid for the copy.
    unsafe {
        match size_of::<T>() {
            1 => u64::from(at.read()),
            2 => u64::from(u16::from_le(at.cast::<u16>().read_unaligned())),
            _ => u64::from(u32::from_le(at.cast::<u32>().read_unaligned())),
        }
    }
}

/// Copies lines of any size.
///
/// # Safety
/// See [`copy_lines`].
unsafe fn copy_any_size(to: *mut u8, from: *const u8, count: usize, steps: [usize; 2], size: usize) {
    for i in 0..count {
        let (target, source) =
            (to.wrapping_add(i.wrapping_mul(steps[0])), from.wrapping_add(i.wrapping_mul(steps[1])));
        // SAFETY: the caller guarantees that the elements are valid for the copy.
        unsafe { ptr::copy(source, target, size) };
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Returns `length` bytes of a destination after a copy by a simple loop.
    fn copied_by_reference(
        from: &[u8],
        length: usize,
        count: usize,
        steps: [usize; 2],
        size: usize,
    ) -> Vec<u8> {
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
                    // SAFETY: source and destination have room for the last element.
                    unsafe { copy_lines(to.as_mut_ptr(), from.as_ptr(), count, steps, size) };
                    let expected = copied_by_reference(&from, length, count, steps, size);
                    assert_eq!(to, expected, "{size} {strides:?} {count}");
                }
            }
        }
    }
}
