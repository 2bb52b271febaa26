//! Tests that vectorized kernels access no memory that the scalar kernels would not access. Buffers end, or begin,
//! at a page without access rights.

use std::sync::Arc;

use grus_core::compile::{self, Artifact, Source, SpecializationKey};
use grus_core::exec::{self, Fault, Launch, NdRange};
use grus_core::passes::Forced;

/// Memory that ends at a page without access rights. Another such page precedes its first page.
struct Guarded {
    pages: *mut libc::c_void,
    length: usize,
    bytes: usize,
}

const PAGE: usize = 4096;

impl Guarded {
    fn new(bytes: usize) -> Guarded {
        let length = bytes.next_multiple_of(PAGE);
        // SAFETY: the mapping is new, at an address that the system chooses; both `mprotect` calls cover one page
        // inside it.
        let pages = unsafe {
            let (read, none) = (libc::PROT_READ | libc::PROT_WRITE, libc::PROT_NONE);
            let flags = libc::MAP_PRIVATE | libc::MAP_ANONYMOUS;
            let pages = libc::mmap(std::ptr::null_mut(), length + 2 * PAGE, read, flags, -1, 0);
            assert_ne!(pages, libc::MAP_FAILED);
            assert_eq!(libc::mprotect(pages, PAGE, none), 0);
            assert_eq!(libc::mprotect(pages.byte_add(PAGE + length), PAGE, none), 0);
            pages
        };
        Guarded { pages, length, bytes }
    }

    fn start(&self) -> *mut u8 {
        self.pages.wrapping_byte_add(PAGE + self.length - self.bytes).cast()
    }

    fn ints(&self) -> &[i32] {
        // SAFETY: the bytes are mapped until `drop`, any bytes are valid integers, and no kernel writes to them
        // while the slice is alive: launches end before a test reads.
        unsafe { std::slice::from_raw_parts(self.start().cast(), self.bytes / 4) }
    }

    fn ints_mut(&mut self) -> &mut [i32] {
        // SAFETY: the bytes are mapped until `drop`, any bytes are valid integers, and `&mut self` makes this the
        // only slice of them. No kernel runs while it is alive.
        unsafe { std::slice::from_raw_parts_mut(self.start().cast(), self.bytes / 4) }
    }
}

impl Drop for Guarded {
    fn drop(&mut self) {
        // SAFETY: `new` mapped this range, and neither slices nor kernels use it when the value is dropped.
        unsafe { libc::munmap(self.pages, self.length + 2 * PAGE) };
    }
}

fn build(text: &str) -> Arc<Artifact> {
    let source = Source { name: "lanes.cl".into(), text: text.into() };
    let built = compile::build(&source, &[], "-cl-std=CL2.0");
    built.result.unwrap_or_else(|e| panic!("{e:?}: {}", built.log))
}

/// Runs the only kernel over 128 work-items in groups of 64. Its arguments are `from`, `to` and `count`.
fn launch(artifact: &Artifact, lanes: u16, from: &Guarded, to: &Guarded, count: i32) -> Result<(), Fault> {
    let mut block = [0; 64];
    block[..8].copy_from_slice(&(from.start().expose_provenance() as u64).to_ne_bytes());
    block[8..16].copy_from_slice(&(to.start().expose_provenance() as u64).to_ne_bytes());
    block[16..20].copy_from_slice(&count.to_ne_bytes());
    let (offset, global, local) = ([0; 3], [128, 1, 1], [64, 1, 1]);
    let range = artifact.range_facts(0, offset, global, local);
    let key = SpecializationKey {
        range,
        forced: Forced { lanes: Some(lanes), linear_ids: false, ..Forced::default() },
        ..SpecializationKey::default()
    };
    let kernel = artifact.compiled_for(0, &key).expect("it compiles");
    let range = NdRange { work_dim: 1, offset, global, local };
    exec::run(&kernel, &Launch::new(&kernel, range, (&block[..]).into(), []), None)
}

/// Compares the results of a kernel that guards its accesses by `i < n` with `expected`, for several counts and
/// every number of lanes.
fn check(text: &str, expected: impl Fn(&[i32], usize) -> i32) {
    let artifact = build(text);
    for lanes in [1, 2, 4, 8, 16, 32, 64] {
        for count in [0, 1, 37, 64, 100] {
            let (mut from, to) = (Guarded::new(4 * count), Guarded::new(4 * count));
            from.ints_mut().iter_mut().enumerate().for_each(|(i, n)| *n = (i as i32 * 7) % 11);
            let ran = launch(&artifact, lanes, &from, &to, count as i32);
            assert_eq!(ran, Ok(()), "{lanes} lanes, {count} numbers");
            let found = to.ints().to_vec();
            let wanted: Vec<i32> = (0..count).map(|i| expected(from.ints(), i)).collect();
            assert_eq!(found, wanted, "{lanes} lanes, {count} numbers");
        }
    }
}

#[test]
fn neighbors_behind_the_end_are_not_touched() {
    let text = "kernel void k(global const int *from, global int *to, int n) {
        int i = get_global_id(0);
        if (i < n)
            to[i] = from[i] + 1;
    }";
    check(text, |from, i| from[i] + 1);
}

#[test]
fn what_is_gathered_for_nobody_is_not_touched() {
    let text = "kernel void k(global const int *from, global int *to, int n) {
        size_t i = get_global_id(0);
        if (i >= n)
            return;
        int sum = 0;
        for (int j = i; j < n; j += 1 + from[j])
            sum += from[j];
        to[n - 1 - i] = sum;
    }";
    check(text, |from, at| {
        let (mut j, mut sum) = (from.len() - 1 - at, 0);
        while j < from.len() {
            sum += from[j];
            j += 1 + from[j] as usize;
        }
        sum
    });
}

#[test]
fn functions_that_stay_calls_touch_nothing_for_nobody() {
    let text = "__attribute__((noinline)) int chase(global const int *from, int at, int n) {
        int sum = 0;
        while (at < n) {
            sum += from[at];
            at += 1 + from[at];
        }
        return sum;
    }
    __attribute__((noinline)) void put(global int *to, int value) {
        if (value % 3)
            *to = value;
        else
            to[0] = -value;
    }
    kernel void k(global const int *from, global int *to, int n) {
        size_t i = get_global_id(0);
        if (i >= n)
            return;
        int sum = chase(from, i, n);
        if (i % 5 < 3)
            sum += chase(from + n - 1, i % 2, 1);
        put(&to[n - 1 - i], sum);
    }";
    check(text, |from, at| {
        let first = from.len() - 1 - at;
        let (mut j, mut sum) = (first, 0);
        while j < from.len() {
            sum += from[j];
            j += 1 + from[j] as usize;
        }
        if first % 5 < 3 && first % 2 == 0 {
            sum += from[from.len() - 1];
        }
        if sum % 3 != 0 { sum } else { -sum }
    });
}

#[test]
fn functions_that_cannot_be_widened_are_called_for_each_lane() {
    // The loop has two entries, so the function is not vectorized. For more than 16 lanes the calls are made by a
    // helper function.
    let text = "__attribute__((noinline)) int2 twice_entered(global const int *from, int n, int2 v, bool odd, int *count) {
        int sum = v.x - v.y;
        if (odd)
            goto inside;
        while (sum < 20) {
            sum += n;
        inside:
            sum += *from + 1;
            *count += 1;
        }
        return (int2)(sum + (int)get_local_id(0), *count);
    }
    kernel void k(global const int *from, global int *to, int n) {
        int i = get_global_id(0), count = i % 3;
        if (i >= n || i % 7 == 5)
            return;
        int2 made = twice_entered(from + i, n, (int2)(i, 3), i & 1, &count);
        to[i] = made.x * 100 + made.y + count;
    }";
    check(text, |from, i| {
        if i % 7 == 5 {
            return 0;
        }
        let (mut sum, mut count, mut inside) = (i as i32 - 3, i as i32 % 3, i % 2 == 1);
        while inside || sum < 20 {
            if !std::mem::take(&mut inside) {
                sum += from.len() as i32;
            }
            sum += from[i] + 1;
            count += 1;
        }
        (sum + i as i32 % 64) * 100 + 2 * count
    });
}

#[test]
fn one_address_for_all_is_not_touched_if_nobody_is_there() {
    let text = "kernel void k(global const int *from, global int *to, int n) {
        int i = get_global_id(0);
        if (i % 2 == 0 && i < n)
            to[i] = from[0] + from[n - 1];
        else if (i < n)
            to[i] = 3;
    }";
    check(text, |from, i| if i % 2 == 0 { from[0].wrapping_add(from[from.len() - 1]) } else { 3 });
}

/// Runs a kernel that does not guard its accesses. The buffers have exactly the bytes that its 128 work-items
/// access.
fn check_all(text: &str, bytes: [usize; 2], expected: impl Fn(&[u8], &mut [u8])) {
    let artifact = build(text);
    for lanes in [1, 2, 4, 8, 16, 32, 64] {
        let (from, to) = (Guarded::new(bytes[0]), Guarded::new(bytes[1]));
        // SAFETY: `Guarded::new` mapped that number of bytes from `start`. This slice is written before the launch
        // only, and kernels only read from `from`.
        let from_bytes = unsafe { std::slice::from_raw_parts_mut(from.start(), bytes[0]) };
        from_bytes.iter_mut().enumerate().for_each(|(i, n)| *n = (i * 7 % 251) as u8);
        assert_eq!(launch(&artifact, lanes, &from, &to, 0), Ok(()), "{lanes} lanes");
        let mut wanted = vec![0; bytes[1]];
        expected(from_bytes, &mut wanted);
        // SAFETY: `Guarded::new` mapped that number of bytes from `start`, and the launch that wrote them has
        // ended.
        let found = unsafe { std::slice::from_raw_parts(to.start(), bytes[1]) };
        assert!(found == wanted, "{lanes} lanes");
    }
}

#[test]
fn every_second_number_ends_with_the_last() {
    let text = "kernel void k(global const int *from, global int *to, int n) {
        int i = get_global_id(0);
        to[2 * i] = from[2 * i] + n;
    }";
    check_all(text, [4 * 255, 4 * 255], |from, to| {
        let ints = from.chunks(8).zip(to.chunks_mut(8));
        ints.for_each(|(from, to)| to[..4].copy_from_slice(&from[..4]));
    });
}

#[test]
fn every_second_number_begins_with_the_first() {
    let text = "kernel void k(global const short *from, global short *to, int n) {
        int i = get_global_id(0);
        to[i] = from[2 * (i + n)] + from[2047 - 2 * i];
    }";
    check_all(text, [4096, 256], |from, to| {
        let short = |at: usize| i16::from_le_bytes([from[2 * at], from[2 * at + 1]]);
        for (i, to) in to.chunks_mut(2).enumerate() {
            to.copy_from_slice(&short(2 * i).wrapping_add(short(2047 - 2 * i)).to_le_bytes());
        }
    });
}

#[test]
fn two_colors_of_three_end_with_the_last() {
    let text = "kernel void k(global const uchar *from, global uchar *to, int n) {
        int i = get_global_id(0);
        to[3 * i] = from[3 * i + 1];
        to[3 * i + 1] = from[3 * i];
        to[i * 3 + 2] = from[3 * i] ^ from[3 * i + 1];
    }";
    check_all(text, [3 * 127 + 2, 3 * 128], |from, to| {
        for (from, to) in from.chunks(3).zip(to.chunks_mut(3)) {
            to.copy_from_slice(&[from[1], from[0], from[0] ^ from[1]]);
        }
    });
}

#[test]
fn three_parts_of_four_end_with_the_last() {
    let text = "kernel void k(global const float *from, global float *to, int n) {
        uint i = get_global_id(0);
        float sum = from[4 * i] + from[4 * i + 1] + from[4 * i + 2];
        to[4 * i] = sum;
        to[4 * i + 2] = -sum;
    }";
    check_all(text, [4 * (4 * 127 + 3), 4 * (4 * 127 + 3)], |from, to| {
        let float = |bytes: &[u8]| f32::from_le_bytes(bytes.try_into().expect("four"));
        for (from, to) in from.chunks(16).zip(to.chunks_mut(16)) {
            let sum = float(&from[..4]) + float(&from[4..8]) + float(&from[8..12]);
            to[..4].copy_from_slice(&sum.to_le_bytes());
            to[8..12].copy_from_slice(&(-sum).to_le_bytes());
        }
    });
}

#[test]
fn vectors_of_three_end_with_the_last() {
    let text = "kernel void k(global const float *from, global float *to, int n) {
        int i = get_global_id(0);
        float3 sum = (float)(i + n) + vload3(127 - i, from);
        vstore3(sum * vload3(i, from), i, to);
    }";
    check_all(text, [12 * 128, 12 * 128], |from, to| {
        let float = |at: usize| f32::from_le_bytes(from[4 * at..4 * at + 4].try_into().expect("four"));
        for (at, to) in to.chunks_mut(4).enumerate() {
            let (i, part) = (at / 3, at % 3);
            let product = (i as f32 + float(3 * (127 - i) + part)) * float(at);
            to.copy_from_slice(&product.to_le_bytes());
        }
    });
}

#[test]
fn colors_of_pixels_that_are_anywhere_end_with_the_last_byte() {
    let text = "kernel void k(global const uchar *from, global uchar *to, int n) {
        int i = get_global_id(0), at = i * 37 % 128;
        uchar3 colors = vload3(at, from);
        vstore3(colors.zxy + (uchar3)(n), i, to);
    }";
    for pages in [3 * 128, 4096] {
        check_all(text, [pages, 3 * 128], |from, to| {
            for (i, to) in to.chunks_mut(3).enumerate() {
                let at = 3 * (i * 37 % 128);
                to.copy_from_slice(&[from[at + 2], from[at], from[at + 1]]);
            }
        });
    }
}

#[test]
fn pairs_that_are_anywhere_end_with_the_last_byte() {
    let text = "kernel void k(global const uchar *from, global uchar *to, int n) {
        int i = get_global_id(0), at = (i * 37 + n) % 128;
        to[at] = from[at] + from[at + 1] * 3;
    }";
    check_all(text, [129, 128], |from, to| {
        for (at, to) in to.iter_mut().enumerate() {
            *to = from[at].wrapping_add(from[at + 1].wrapping_mul(3));
        }
    });
    let text = "kernel void k(global const uchar *from, global uchar *to, int n) {
        int i = get_global_id(0), at = (i * 37 + n) % 128;
        to[at] = from[4095 - at] + from[4094 - at] * 3 + from[at] * 5 + from[at + 1];
    }";
    check_all(text, [4096, 128], |from, to| {
        for (at, to) in to.iter_mut().enumerate() {
            let sum = u32::from(from[4095 - at]) + u32::from(from[4094 - at]) * 3;
            *to = (sum + u32::from(from[at]) * 5 + u32::from(from[at + 1])) as u8;
        }
    });
}

#[test]
fn pixels_backwards_begin_with_the_first_byte_and_end_with_the_last() {
    let text = "kernel void k(global const uchar *from, global uchar *to, int n) {
        int i = get_global_id(0), at = 127 - i + n;
        uchar3 colors = vload3(at, from);
        to[3 * at] = colors.y;
        to[3 * at + 1] = colors.z;
        to[3 * at + 2] = colors.x + from[127 - i];
    }";
    for bytes in [3 * 128, 4096] {
        check_all(text, [bytes, 3 * 128], |from, to| {
            for (i, to) in to.chunks_mut(3).enumerate() {
                to.copy_from_slice(&[from[3 * i + 1], from[3 * i + 2], from[3 * i].wrapping_add(from[i])]);
            }
        });
    }
}
