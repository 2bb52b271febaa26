//! Tests of extensions of OpenCL C through the API: work-group arithmetic, atomic operations on floating-point
//! numbers, blocks of sub-groups.

use std::ptr::null_mut;

use cl_sys::*;

use super::later::wants;
use crate::check::Outcome;
use crate::context::{Ctx, raw};
use crate::{equal, holds, make, ok, query, tests};

tests! {
    "test_workgroups":
        work_group_uniform_arithmetic;
    "test_c11_atomics":
        float_atomic_capabilities, float_atomic_sums;
    "test_subgroups":
        blocks_of_buffers, blocks_of_images;
}

const VERSION_2: &str = "-cl-std=CL2.0";
const CAPABILITIES: [(&str, cl_uint); 3] = [("fp32", 0x4231), ("fp64", 0x4232), ("fp16", 0x4233)];
const COMMON: [(&str, u32); 4] = [
    ("global_atomic_add", 1),
    ("global_atomic_min_max", 2),
    ("local_atomic_add", 17),
    ("local_atomic_min_max", 18),
];

fn work_group_uniform_arithmetic(cx: &Ctx) -> Outcome {
    wants(cx, "cl_khr_work_group_uniform_arithmetic")?;
    let text = "
        #pragma OPENCL EXTENSION cl_khr_work_group_uniform_arithmetic : enable
        kernel void k(global const uint *in, global uint *out)
        {
            size_t i = get_global_id(0);
            uint x = in[i], y = 0;
            y += work_group_reduce_mul(x | 1) + work_group_scan_inclusive_mul(x | 1);
            y = y * 31 + work_group_scan_exclusive_mul(x | 1);
            y = y * 31 + work_group_reduce_and(x | 8) + work_group_scan_inclusive_or(x);
            y = y * 31 + work_group_scan_exclusive_xor(x);
            y = y * 31 + (work_group_reduce_logical_xor((int)(x & 1)) != 0);
            y = y * 31 + (work_group_scan_exclusive_logical_and((int)(x & 7)) != 0);
            out[i] = y;
        }";
    let kernel = cx.kernel_with(text, VERSION_2, "k")?;
    for (global, local) in [(1, 1), (7, 7), (96, 32), (100, 33), (2048, 256)] {
        let data: Vec<u32> = (0..global as u32).map(|i| i.wrapping_mul(0x9e37_79b9) >> 3).collect();
        let out = cx.buffer(&data)?;
        cx.arg(kernel, 0, cx.buffer(&data)?)?;
        cx.arg(kernel, 1, out)?;
        cx.launch(kernel, global, Some(local))?;
        let wanted: Vec<u32> = data.chunks(local).flat_map(reduced).collect();
        equal!(cx.contents::<u32>(out, global)?, wanted);
    }
    Ok(())
}

/// Returns what the kernel of [`work_group_uniform_arithmetic`] computes for the work-items of one work-group.
fn reduced(group: &[u32]) -> Vec<u32> {
    let product = |part: &[u32]| part.iter().fold(1u32, |all, x| all.wrapping_mul(x | 1));
    let one = |i: usize| {
        let (before, here) = (&group[..i], &group[..=i]);
        [
            product(group).wrapping_add(product(here)),
            product(before),
            group.iter().fold(!0, |all, x| all & (x | 8)).wrapping_add(here.iter().fold(0, |all, x| all | x)),
            before.iter().fold(0, |all, x| all ^ x),
            group.iter().fold(0, |all, x| all ^ x & 1),
            before.iter().all(|x| x & 7 != 0).into(),
        ]
        .into_iter()
        .fold(0u32, |sum, part| sum.wrapping_mul(31).wrapping_add(part))
    };
    (0..group.len()).map(one).collect()
}

/// Checks that macros and queries agree.
fn float_atomic_capabilities(cx: &Ctx) -> Outcome {
    wants(cx, "cl_ext_float_atomics")?;
    for (kind, name) in CAPABILITIES {
        let all = query!(cx.clGetDeviceInfo(cx.device, name)).value::<cl_ulong>()?;
        equal!(all & !0x70007, 0);
        let more: &[(&str, u32)] = &[("global_atomic_load_store", 0), ("local_atomic_load_store", 16)];
        let more = if kind == "fp16" { more } else { &[] };
        for (what, bit) in COMMON.iter().chain(more) {
            let text = format!(
                "#if {}defined(__opencl_c_ext_{kind}_{what})\n#error\n#endif\nkernel void k(void) {{}}",
                if all >> bit & 1 != 0 { "!" } else { "" }
            );
            cx.kernel_with(&text, VERSION_2, "k")?;
        }
        // What OpenCL C 2.0 has.
        holds!(kind == "fp16" || all & 0x10001 == 0x10001);
    }
    Ok(())
}

/// Lets all work-groups meet at the same numbers.
fn float_atomic_sums(cx: &Ctx) -> Outcome {
    wants(cx, "cl_ext_float_atomics")?;
    for ((_, name), (ty, limit)) in
        CAPABILITIES.into_iter().zip([("float", 4096), ("double", 4096), ("half", 512)])
    {
        let all = query!(cx.clGetDeviceInfo(cx.device, name)).value::<cl_ulong>()?;
        if all & 0x60006 != 0x60006 {
            continue;
        }
        let text = format!(
            "
            #pragma OPENCL EXTENSION cl_khr_fp16 : enable
            kernel void k(global atomic_{ty} *sums, global int *right)
            {{
                local atomic_{ty} here;
                int l = get_local_id(0), n = get_local_size(0);
                if (l == 0)
                    atomic_init(&here, ({ty})n);
                barrier(CLK_LOCAL_MEM_FENCE);
                {ty} old = atomic_fetch_add(&here, ({ty})1);
                barrier(CLK_LOCAL_MEM_FENCE);
                right[get_global_id(0)] = old >= n && old < 2 * n && atomic_load(&here) == 2 * n;
                atomic_fetch_add_explicit(&sums[0], ({ty})1, memory_order_relaxed);
                atomic_fetch_sub_explicit(&sums[1], ({ty})1, memory_order_relaxed, memory_scope_device);
                atomic_fetch_min(&sums[2], ({ty})-(int)get_group_id(0));
                atomic_fetch_max(&sums[3], ({ty})get_group_id(0));
            }}
            kernel void tell(global const {ty} *sums, global int *to)
            {{
                for (int i = 0; i < 4; i++)
                    to[i] = (int)sums[i];
            }}"
        );
        let (sums, right) = (cx.buffer(&[0u64; 4])?, cx.buffer(&vec![0 as cl_int; limit])?);
        let to = cx.buffer(&[0 as cl_int; 4])?;
        let kernel = cx.kernel_with(&text, VERSION_2, "k")?;
        cx.arg(kernel, 0, sums)?;
        cx.arg(kernel, 1, right)?;
        cx.launch(kernel, limit, Some(64))?;
        holds!(cx.contents::<cl_int>(right, limit)?.iter().all(|&yes| yes == 1));
        let kernel = cx.kernel_with(&text, VERSION_2, "tell")?;
        cx.arg(kernel, 0, sums)?;
        cx.arg(kernel, 1, to)?;
        cx.launch(kernel, 1, None)?;
        let (limit, last) = (limit as cl_int, limit as cl_int / 64 - 1);
        equal!((ty, cx.contents::<cl_int>(to, 4)?), (ty, vec![limit, -limit, -last, last]));
    }
    Ok(())
}

fn blocks_of_buffers(cx: &Ctx) -> Outcome {
    for (extension, ty, suffix, most, size) in [
        ("cl_intel_subgroups", "uint", "", 8, 4),
        ("cl_intel_subgroups_char", "uchar", "_uc", 16, 1),
        ("cl_intel_subgroups_short", "ushort", "_us", 16, 2),
        ("cl_intel_subgroups_long", "ulong", "_ul", 8, 8),
    ] {
        if wants(cx, extension).is_err() {
            continue;
        }
        for count in [1, 2, 4, 8, 16].into_iter().filter(|&count| count <= most) {
            let number = if count == 1 { String::new() } else { count.to_string() };
            let text = format!(
                "kernel void k(global const {ty} *in, global {ty} *out)
                {{
                    size_t first = get_group_id(0) * get_local_size(0) + get_sub_group_id() * get_max_sub_group_size();
                    {ty}{number} x = intel_sub_group_block_read{suffix}{number}(in + {count} * first);
                    intel_sub_group_block_write{suffix}{number}(out + {count} * first, x + ({ty})3);
                }}"
            );
            // Work-groups of 64 have whole sub-groups only.
            let kernel = cx.kernel(&text, "k")?;
            let bytes = 256 * count * size;
            let data: Vec<u8> = (0..bytes).map(|i| (i % 199) as u8).collect();
            let out = cx.buffer(&vec![0u8; bytes])?;
            cx.arg(kernel, 0, cx.buffer(&data)?)?;
            cx.arg(kernel, 1, out)?;
            cx.launch(kernel, 256, Some(64))?;
            let wanted: Vec<u8> = data.chunks(size).flat_map(plus_three).collect();
            equal!((ty, count, cx.contents::<u8>(out, bytes)? == wanted), (ty, count, true));
        }
    }
    Ok(())
}

/// Adds 3 to a number of this many bytes.
fn plus_three(bytes: &[u8]) -> Vec<u8> {
    let mut wide = [0; 8];
    wide[..bytes.len()].copy_from_slice(bytes);
    u64::from_le_bytes(wide).wrapping_add(3).to_le_bytes()[..bytes.len()].to_vec()
}

/// Copies an image by blocks, the last of which lie outside in part, and shows it moved by some bytes.
fn blocks_of_images(cx: &Ctx) -> Outcome {
    wants(cx, "cl_intel_subgroups")?;
    let text = "
        kernel void copy(read_only image2d_t from, write_only image2d_t to, global uint *edge)
        {
            int size = get_max_sub_group_size(), l = get_sub_group_local_id();
            int2 at = (int2)(4 * size * (get_global_id(0) / size), 4 * get_global_id(1));
            intel_sub_group_block_write4(to, at, intel_sub_group_block_read4(from, at));
            if (at.x == 0 && at.y == 0) {
                edge[2 * l] = intel_sub_group_block_read(from, (int2)(-4 * size, 1));
                edge[2 * l + 1] = intel_sub_group_block_read2(from, (int2)(2, -1)).y;
            }
        }";
    let kernel = cx.kernel(text, "copy")?;
    let (width, height) = (75usize, 30usize);
    let mut data: Vec<u8> = (0..4 * width * height).map(|i| (i * 7 % 251) as u8).collect();
    let format = cl_image_format { image_channel_order: CL_RGBA, image_channel_data_type: CL_UNORM_INT8 };
    // SAFETY: all members are numbers, pointers or unions of those, which may be zero.
    let mut desc: cl_image_desc = unsafe { std::mem::zeroed() };
    (desc.image_type, desc.image_width, desc.image_height) = (CL_MEM_OBJECT_IMAGE2D, width, height);
    let from = make!(cx.clCreateImage(cx.context, CL_MEM_COPY_HOST_PTR, &format, &desc, raw(&mut data)));
    let to = make!(cx.clCreateImage(cx.context, CL_MEM_READ_WRITE, &format, &desc, null_mut()));
    let edge = cx.buffer(&[0 as cl_uint; 128])?;
    cx.arg(kernel, 0, from)?;
    cx.arg(kernel, 1, to)?;
    cx.arg(kernel, 2, edge)?;
    let event = cx.launch_over(kernel, &[128, 8], Some(&[64, 1]))?;
    ok!(cx.clReleaseEvent(event));
    let mut copied = vec![0u8; data.len()];
    let (origin, region) = ([0; 3], [width, height, 1]);
    let target = raw(&mut copied);
    ok!(cx.clEnqueueReadImage(
        cx.queue,
        to,
        CL_TRUE,
        origin.as_ptr(),
        region.as_ptr(),
        0,
        0,
        target,
        0,
        std::ptr::null(),
        null_mut()
    ));
    holds!(copied == data);
    let word = |at: usize| u32::from_le_bytes([data[at], data[at + 1], data[at + 2], data[at + 3]]);
    let seen = cx.contents::<cl_uint>(edge, 128)?;
    equal!(seen[0], word(4 * width));
    equal!((seen[1], seen[3]), (word(2), word(6)));
    Ok(())
}
