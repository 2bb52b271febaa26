//! Tests of unified shared memory (cl_intel_unified_shared_memory): allocations, kernels and commands that use them.
//! `usm_codes` has the tests of error codes.

use std::ffi::c_void;
use std::ptr::{null, null_mut};
use std::sync::atomic::{AtomicI32, Ordering};
use std::time::Duration;

use cl_sys::*;

use crate::api::Usm;
use crate::check::{Failure, Outcome};
use crate::context::{Ctx, raw};
use crate::{equal, holds, make, ok, query, tests};

tests! {
    "test_usm":
        usm_capabilities, usm_allocations, usm_large_alignments, usm_queries, usm_kernels, usm_kernels_of_other_memory,
        usm_overlapping_arguments, usm_indirect_access, usm_atomics, usm_fills, usm_copies, usm_hints,
        usm_wait_lists, usm_profiling, usm_blocking_free, usm_many_queues, usm_buffers, usm_sub_devices,
        usm_release_order;
}

pub const MEM_ALLOC_FLAGS: cl_ulong = 0x4195;
pub const WRITE_COMBINED: cl_ulong = 1 << 0;
pub const PLACEMENT_DEVICE: cl_ulong = 1 << 1;
pub const PLACEMENT_HOST: cl_ulong = 1 << 2;
const MEM_TYPE_UNKNOWN: cl_uint = 0x4196;
const MEM_TYPE_HOST: cl_uint = 0x4197;
const MEM_TYPE_DEVICE: cl_uint = 0x4198;
const MEM_TYPE_SHARED: cl_uint = 0x4199;
pub const MEM_ALLOC_TYPE: cl_uint = 0x419A;
const MEM_ALLOC_BASE_PTR: cl_uint = 0x419B;
const MEM_ALLOC_SIZE: cl_uint = 0x419C;
const MEM_ALLOC_DEVICE: cl_uint = 0x419D;
pub const INDIRECT_ACCESS: [cl_uint; 3] = [0x4200, 0x4201, 0x4202];
pub const USM_PTRS: cl_uint = 0x4203;
const COMMAND_MEMFILL: cl_uint = 0x4204;
const COMMAND_MEMCPY: cl_uint = 0x4205;
const COMMAND_MIGRATEMEM: cl_uint = 0x4206;
const COMMAND_MEMADVISE: cl_uint = 0x4207;
const CAPABILITIES: [cl_uint; 5] = [0x4190, 0x4191, 0x4192, 0x4193, 0x4194];

/// Returns the functions, or skips the test without the extension.
pub fn usm(cx: &Ctx) -> Outcome<Usm> {
    let all = query!(cx.clGetDeviceInfo(cx.device, CL_DEVICE_EXTENSIONS)).string()?;
    if !all.split(' ').any(|name| name == "cl_intel_unified_shared_memory") {
        return Err(Failure::Skipped("no cl_intel_unified_shared_memory".into()));
    }
    Usm::find(cx, cx.platform).map_err(Failure::Failed)
}

/// Kind of an allocation. The shared ones are associated with a device or with none.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Kind {
    Host,
    Device,
    Shared,
    SharedByAll,
}

pub const KINDS: [Kind; 4] = [Kind::Host, Kind::Device, Kind::Shared, Kind::SharedByAll];

impl Kind {
    /// Calls the function that allocates this kind.
    pub fn allocate(
        self,
        (cx, usm): (&Ctx, &Usm),
        properties: *const cl_ulong,
        size: usize,
        alignment: cl_uint,
        code: *mut cl_int,
    ) -> *mut c_void {
        let (context, device) = (cx.context, cx.device);
        match self {
            Kind::Host => usm.clHostMemAllocINTEL(context, properties, size, alignment, code),
            Kind::Device => usm.clDeviceMemAllocINTEL(context, device, properties, size, alignment, code),
            Kind::Shared => usm.clSharedMemAllocINTEL(context, device, properties, size, alignment, code),
            Kind::SharedByAll => {
                usm.clSharedMemAllocINTEL(context, null_mut(), properties, size, alignment, code)
            }
        }
    }

    fn type_number(self) -> cl_uint {
        match self {
            Kind::Host => MEM_TYPE_HOST,
            Kind::Device => MEM_TYPE_DEVICE,
            Kind::Shared | Kind::SharedByAll => MEM_TYPE_SHARED,
        }
    }

    fn device(self, cx: &Ctx) -> cl_device_id {
        if matches!(self, Kind::Device | Kind::Shared) { cx.device } else { null_mut() }
    }
}

/// Allocation of `count` values.
pub struct Allocation<T>(pub *mut T, usize);

impl<T: Copy> Allocation<T> {
    pub fn new(cx: &Ctx, usm: &Usm, kind: Kind, count: usize) -> Outcome<Self> {
        let mut code = 1;
        let base = kind.allocate((cx, usm), null(), count * size_of::<T>(), 0, &mut code);
        equal!(code, CL_SUCCESS);
        holds!(!base.is_null());
        Ok(Self(base.cast(), count))
    }

    pub fn at(&self, index: usize) -> *mut c_void {
        self.0.wrapping_add(index).cast()
    }

    fn size(&self) -> usize {
        self.1 * size_of::<T>()
    }

    /// Copies values to the allocation.
    fn write(&self, cx: &Ctx, usm: &Usm, values: &[T]) -> Outcome {
        let (from, size) = (values.as_ptr().cast(), size_of_val(values));
        holds!(size <= self.size());
        ok!(usm.clEnqueueMemcpyINTEL(cx.queue, CL_TRUE, self.at(0), from, size, 0, null(), null_mut()));
        Ok(())
    }

    /// Copies all values from the allocation, after all commands enqueued before.
    fn read(&self, cx: &Ctx, usm: &Usm) -> Outcome<Vec<T>> {
        let mut values = Vec::<T>::with_capacity(self.1);
        let (to, size) = (values.as_mut_ptr(), self.size());
        let copied =
            usm.clEnqueueMemcpyINTEL(cx.queue, CL_TRUE, to.cast(), self.at(0), size, 0, null(), null_mut());
        ok!(copied);
        // SAFETY: the copy has written this number of values.
        unsafe { values.set_len(self.1) };
        Ok(values)
    }
}

/// Returns the type of a command, after waiting for it, and releases its event.
fn kind(cx: &Ctx, event: cl_event) -> Outcome<cl_uint> {
    let kind = query!(cx.clGetEventInfo(event, CL_EVENT_COMMAND_TYPE)).value()?;
    ok!(cx.clWaitForEvents(1, &event));
    equal!(cx.status(event)?, CL_COMPLETE);
    ok!(cx.clReleaseEvent(event));
    Ok(kind)
}

fn usm_capabilities(cx: &Ctx) -> Outcome {
    usm(cx)?;
    let capability = |name| -> Outcome<_> { query!(cx.clGetDeviceInfo(cx.device, name)).value::<cl_ulong>() };
    for name in CAPABILITIES {
        let capabilities = capability(name)?;
        equal!(capabilities & !0b1111, 0);
        // Every other capability is one of memory that the device may access.
        holds!(capabilities == 0 || capabilities & 1 != 0);
    }
    holds!(capability(CAPABILITIES[1])? & 1 != 0);
    let svm = query!(cx.clGetDeviceInfo(cx.device, CL_DEVICE_SVM_CAPABILITIES)).value::<cl_ulong>()?;
    equal!(svm & CL_DEVICE_SVM_FINE_GRAIN_SYSTEM != 0, capability(CAPABILITIES[4])? != 0);
    Ok(())
}

fn usm_allocations(cx: &Ctx) -> Outcome {
    let usm = usm(cx)?;
    let placements = [0, PLACEMENT_DEVICE, PLACEMENT_HOST];
    for kind in KINDS {
        let is_shared = matches!(kind, Kind::Shared | Kind::SharedByAll);
        for flags in placements.into_iter().flat_map(|flags| [flags, flags | WRITE_COMBINED]) {
            if flags & !WRITE_COMBINED != 0 && !is_shared {
                continue;
            }
            for alignment in [0, 1, 2, 4, 8, 16, 32, 64, 128] {
                let mut code = 1;
                let list = [MEM_ALLOC_FLAGS, flags, 0];
                let base = kind.allocate((cx, &usm), list.as_ptr(), 1000, alignment, &mut code);
                equal!(code, CL_SUCCESS);
                holds!(!base.is_null());
                let wanted = if alignment == 0 { 128 } else { alignment as usize };
                holds!(base.addr().is_multiple_of(wanted));
                // SAFETY: the allocation is memory of this process and has 1000 bytes.
                unsafe { base.cast::<u8>().write_bytes(1, 1000) };
                let found = query!(usm.clGetMemAllocInfoINTEL(cx.context, base, MEM_ALLOC_FLAGS as cl_uint));
                equal!(found.value::<cl_ulong>()?, flags);
                ok!(usm.clMemFreeINTEL(cx.context, base));
            }
        }
        // The code is not requested, and the list is empty.
        let base = kind.allocate((cx, &usm), [0].as_ptr(), 64 << 20, 0, null_mut());
        holds!(!base.is_null());
        ok!(usm.clMemBlockingFreeINTEL(cx.context, base));
    }
    ok!(usm.clMemFreeINTEL(cx.context, null_mut()));
    ok!(usm.clMemBlockingFreeINTEL(cx.context, null_mut()));
    Ok(())
}

fn usm_large_alignments(cx: &Ctx) -> Outcome {
    let usm = usm(cx)?;
    for kind in KINDS {
        for alignment in (7..=21).map(|bits| 1 << bits) {
            // Smaller than a page, than a mapping, and than a huge page; one byte more than a huge page.
            for size in [1usize, 1000, 100_000, (2 << 20) + 1] {
                let mut code = 1;
                let base = kind.allocate((cx, &usm), [0].as_ptr(), size, alignment, &mut code);
                equal!((kind, alignment, size, code), (kind, alignment, size, CL_SUCCESS));
                holds!(!base.is_null() && base.addr().is_multiple_of(alignment as usize));
                // SAFETY: the allocation is memory of this process and has `size` bytes.
                unsafe { base.cast::<u8>().write_bytes(1, size) };
                let known = (kind.type_number(), base, size, kind.device(cx));
                is_described(cx, &usm, base.wrapping_byte_add(size - 1), known)?;
                ok!(usm.clMemFreeINTEL(cx.context, base));
            }
        }
    }
    Ok(())
}

/// Checks the answers about a pointer: type, first byte, size and device.
fn is_described(
    cx: &Ctx,
    usm: &Usm,
    pointer: *const c_void,
    (kind, base, size, device): (cl_uint, *mut c_void, usize, cl_device_id),
) -> Outcome {
    let context = cx.context;
    equal!(query!(usm.clGetMemAllocInfoINTEL(context, pointer, MEM_ALLOC_TYPE)).value::<cl_uint>()?, kind);
    equal!(
        query!(usm.clGetMemAllocInfoINTEL(context, pointer, MEM_ALLOC_BASE_PTR)).value::<*mut c_void>()?,
        base
    );
    equal!(query!(usm.clGetMemAllocInfoINTEL(context, pointer, MEM_ALLOC_SIZE)).value::<usize>()?, size);
    equal!(
        query!(usm.clGetMemAllocInfoINTEL(context, pointer, MEM_ALLOC_DEVICE)).value::<cl_device_id>()?,
        device
    );
    let flags = query!(usm.clGetMemAllocInfoINTEL(context, pointer, MEM_ALLOC_FLAGS as cl_uint));
    equal!(flags.value::<cl_ulong>()?, 0);
    Ok(())
}

fn usm_queries(cx: &Ctx) -> Outcome {
    let usm = usm(cx)?;
    let unknown = (MEM_TYPE_UNKNOWN, null_mut(), 0, null_mut());
    for kind in KINDS {
        let memory = Allocation::<u8>::new(cx, &usm, kind, 1000)?;
        let known = (kind.type_number(), memory.at(0), 1000, kind.device(cx));
        for inside in [0, 1, 500, 999] {
            is_described(cx, &usm, memory.at(inside), known)?;
        }
        is_described(cx, &usm, memory.0.wrapping_sub(1).cast(), unknown)?;
        is_described(cx, &usm, memory.at(1000), unknown)?;
        // Another context does not know the allocation.
        let other = cx.sibling()?;
        is_described(&other, &usm, memory.at(0), unknown)?;
        ok!(usm.clMemFreeINTEL(cx.context, memory.at(0)));
        is_described(cx, &usm, memory.at(0), unknown)?;
    }
    let mut local = [0u8; 64];
    let svm = cx.clSVMAlloc(cx.context, CL_MEM_READ_WRITE, 64, 0);
    for other in [null_mut(), raw(&mut local), svm] {
        is_described(cx, &usm, other, unknown)?;
    }
    cx.clSVMFree(cx.context, svm);
    Ok(())
}

const ADD: &str =
    "kernel void add(global int *a, constant int *b) { a[get_global_id(0)] += b[get_global_id(0)]; }";

fn usm_kernels(cx: &Ctx) -> Outcome {
    let usm = usm(cx)?;
    let kernel = cx.kernel(ADD, "add")?;
    let numbers: Vec<i32> = (0..64).collect();
    for target in KINDS {
        for source in KINDS {
            let a = Allocation::<i32>::new(cx, &usm, target, 64)?;
            let b = Allocation::<i32>::new(cx, &usm, source, 64)?;
            a.write(cx, &usm, &[1; 64])?;
            b.write(cx, &usm, &numbers)?;
            ok!(usm.clSetKernelArgMemPointerINTEL(kernel, 0, a.at(0)));
            ok!(usm.clSetKernelArgMemPointerINTEL(kernel, 1, b.at(0)));
            cx.launch(kernel, 64, None)?;
            equal!(a.read(cx, &usm)?, (1..65).collect::<Vec<_>>());
            // Pointers into the allocations.
            ok!(usm.clSetKernelArgMemPointerINTEL(kernel, 0, a.at(10)));
            ok!(usm.clSetKernelArgMemPointerINTEL(kernel, 1, b.at(32)));
            cx.launch(kernel, 8, None)?;
            let expected = (0..64).map(|i| if (10..18).contains(&i) { i + 1 + i + 22 } else { i + 1 });
            equal!(a.read(cx, &usm)?, expected.collect::<Vec<_>>());
            // Both pointers may be the same.
            ok!(usm.clSetKernelArgMemPointerINTEL(kernel, 1, a.at(10)));
            cx.launch(kernel, 1, None)?;
            equal!(a.read(cx, &usm)?[10], 86);
            ok!(usm.clMemBlockingFreeINTEL(cx.context, a.at(0)));
            ok!(usm.clMemBlockingFreeINTEL(cx.context, b.at(0)));
        }
    }
    Ok(())
}

fn usm_kernels_of_other_memory(cx: &Ctx) -> Outcome {
    let usm = usm(cx)?;
    let memory = Allocation::<i32>::new(cx, &usm, Kind::Shared, 8)?;
    memory.write(cx, &usm, &[1; 8])?;
    // A pointer and a buffer in one launch. The last call for an argument determines its value.
    let kernel = cx.kernel(ADD, "add")?;
    ok!(usm.clSetKernelArgMemPointerINTEL(kernel, 0, memory.at(0)));
    ok!(usm.clSetKernelArgMemPointerINTEL(kernel, 1, memory.at(0)));
    let buffer = cx.buffer(&[10i32; 8])?;
    cx.arg(kernel, 1, buffer)?;
    cx.launch(kernel, 8, None)?;
    equal!(memory.read(cx, &usm)?, vec![11; 8]);
    let svm = cx.clSVMAlloc(cx.context, CL_MEM_READ_WRITE, 32, 0);
    ok!(usm.clEnqueueMemcpyINTEL(cx.queue, CL_TRUE, svm, memory.at(0), 32, 0, null(), null_mut()));
    ok!(usm.clSetKernelArgMemPointerINTEL(kernel, 1, svm));
    ok!(cx.clSetKernelArgSVMPointer(kernel, 0, memory.at(0)));
    cx.launch(kernel, 8, None)?;
    equal!(memory.read(cx, &usm)?, vec![22; 8]);
    cx.clSVMFree(cx.context, svm);
    // NULL, and a kernel that was cloned.
    let source = "kernel void k(global int *a, global int *b) { if (!b) a[get_global_id(0)] = 5; }";
    let first = cx.kernel(source, "k")?;
    ok!(usm.clSetKernelArgMemPointerINTEL(first, 0, memory.at(0)));
    ok!(usm.clSetKernelArgMemPointerINTEL(first, 1, null()));
    let clone = make!(cx.clCloneKernel(first));
    ok!(usm.clSetKernelArgMemPointerINTEL(first, 1, memory.at(0)));
    cx.launch(first, 8, None)?;
    equal!(memory.read(cx, &usm)?, vec![22; 8]);
    cx.launch(clone, 8, None)?;
    equal!(memory.read(cx, &usm)?, vec![5; 8]);
    // Ordinary memory of the host, if the device may access it.
    let system = query!(cx.clGetDeviceInfo(cx.device, CAPABILITIES[4])).value::<cl_ulong>()?;
    if system & 1 != 0 {
        let mut host = [1i32, 2, 3, 4];
        ok!(usm.clSetKernelArgMemPointerINTEL(kernel, 0, raw(&mut host)));
        ok!(usm.clSetKernelArgMemPointerINTEL(kernel, 1, memory.at(0)));
        cx.launch(kernel, 4, None)?;
        ok!(cx.clFinish(cx.queue));
        equal!(host, [6, 7, 8, 9]);
    }
    ok!(usm.clMemFreeINTEL(cx.context, memory.at(0)));
    Ok(())
}

/// Checks that the compiler does not assume that pointers lead to different memory.
fn usm_overlapping_arguments(cx: &Ctx) -> Outcome {
    const COUNT: usize = 4096;
    let usm = usm(cx)?;
    let source = "kernel void sums(global int *to, global int *from, int count) {
            for (int i = 0; i < count; i++) to[i] = from[i] + 1;
        }
        kernel void scale(global float *x, global float *factor) {
            int i = get_global_id(0);
            x[i] = i == 0 ? 2.0f : x[i];
            x[i] = x[i] * *factor;
        }";
    let sums = cx.kernel(source, "sums")?;
    let memory = Allocation::<i32>::new(cx, &usm, Kind::Device, COUNT + 1)?;
    memory.write(cx, &usm, &vec![0; COUNT + 1])?;
    ok!(usm.clSetKernelArgMemPointerINTEL(sums, 0, memory.at(1)));
    ok!(usm.clSetKernelArgMemPointerINTEL(sums, 1, memory.at(0)));
    cx.arg(sums, 2, COUNT as cl_int)?;
    cx.launch(sums, 1, None)?;
    equal!(memory.read(cx, &usm)?, (0..=COUNT as i32).collect::<Vec<_>>());
    // A buffer that uses the allocation.
    let whole = make!(cx.clCreateBuffer(cx.context, CL_MEM_USE_HOST_PTR, memory.size(), memory.at(0)));
    cx.arg(sums, 1, whole)?;
    memory.write(cx, &usm, &[5])?;
    cx.launch(sums, 1, None)?;
    equal!(memory.read(cx, &usm)?[COUNT], COUNT as i32 + 5);
    ok!(cx.clReleaseMemObject(whole));
    let scale = cx.kernel(source, "scale")?;
    let floats = Allocation::<f32>::new(cx, &usm, Kind::Shared, 1)?;
    floats.write(cx, &usm, &[1.0])?;
    ok!(usm.clSetKernelArgMemPointerINTEL(scale, 0, floats.at(0)));
    ok!(usm.clSetKernelArgMemPointerINTEL(scale, 1, floats.at(0)));
    cx.launch(scale, 1, None)?;
    equal!(floats.read(cx, &usm)?, vec![4.0]);
    ok!(usm.clMemFreeINTEL(cx.context, memory.at(0)));
    ok!(usm.clMemFreeINTEL(cx.context, floats.at(0)));
    Ok(())
}

const FOLLOW: &str = "typedef struct { global int *at; int add; } entry;
    kernel void follow(global entry *table) {
        int i = get_global_id(0);
        for (int k = 0; k < 3; k++) table[k].at[i] += table[k].add;
    }";

#[repr(C)]
#[derive(Clone, Copy)]
struct Entry {
    at: *mut c_void,
    add: cl_int,
}

fn usm_indirect_access(cx: &Ctx) -> Outcome {
    let usm = usm(cx)?;
    let kernel = cx.kernel(FOLLOW, "follow")?;
    let data =
        [Kind::Host, Kind::Device, Kind::Shared].map(|kind| Allocation::<i32>::new(cx, &usm, kind, 16));
    let [host, device, shared] = data;
    let data = [host?, device?, shared?];
    for memory in &data {
        memory.write(cx, &usm, &[1; 16])?;
    }
    // The second pointer leads into its allocation.
    let entry = |i: usize| Entry { at: data[i].at([0, 4, 0][i]), add: 10 * (i as cl_int + 1) };
    for kind in KINDS {
        let table = Allocation::<Entry>::new(cx, &usm, kind, 3)?;
        table.write(cx, &usm, &[entry(0), entry(1), entry(2)])?;
        let pointers = [data[0].at(0), data[1].at(4), data[2].at(0)];
        ok!(cx.clSetKernelExecInfo(kernel, USM_PTRS, size_of_val(&pointers), pointers.as_ptr().cast()));
        for name in INDIRECT_ACCESS {
            let value = CL_TRUE;
            ok!(cx.clSetKernelExecInfo(kernel, name, size_of::<cl_bool>(), (&raw const value).cast()));
        }
        ok!(usm.clSetKernelArgMemPointerINTEL(kernel, 0, table.at(0)));
        cx.launch(kernel, 8, None)?;
        ok!(usm.clMemBlockingFreeINTEL(cx.context, table.at(0)));
    }
    for (i, memory) in data.iter().enumerate() {
        let begin = [0, 4, 0][i];
        let expected = |at: usize| if (begin..begin + 8).contains(&at) { 1 + 40 * (i as i32 + 1) } else { 1 };
        equal!(memory.read(cx, &usm)?, (0..16).map(expected).collect::<Vec<_>>());
        ok!(usm.clMemFreeINTEL(cx.context, memory.at(0)));
    }
    Ok(())
}

const SPIN: &str = "kernel void spin(global atomic_int *gate, global int *out) {
        while (atomic_load_explicit(gate, memory_order_acquire, memory_scope_all_svm_devices) == 0);
        out[get_global_id(0)] = 7;
    }
    kernel void count(global atomic_int *counter) {
        atomic_fetch_add_explicit(counter, 1, memory_order_relaxed, memory_scope_all_svm_devices);
    }";

fn usm_atomics(cx: &Ctx) -> Outcome {
    const COUNT: i32 = 1 << 16;
    let usm = usm(cx)?;
    let count = cx.kernel_with(SPIN, "-cl-std=CL2.0", "count")?;
    for (kind, name) in [(Kind::Host, 0), (Kind::Shared, 2)] {
        let concurrent = query!(cx.clGetDeviceInfo(cx.device, CAPABILITIES[name])).value::<cl_ulong>()?;
        if concurrent & 0b1000 == 0 {
            continue;
        }
        let memory = Allocation::<i32>::new(cx, &usm, kind, 1)?;
        memory.write(cx, &usm, &[0])?;
        ok!(usm.clSetKernelArgMemPointerINTEL(count, 0, memory.at(0)));
        let event = cx.launch(count, COUNT as usize, None)?;
        ok!(cx.clFlush(cx.queue));
        // SAFETY: the allocation has room for a number, and is accessed by atomics only.
        let counter = unsafe { AtomicI32::from_ptr(memory.0) };
        for _ in 0..COUNT {
            counter.fetch_add(1, Ordering::Relaxed);
        }
        ok!(cx.clWaitForEvents(1, &event));
        equal!(counter.load(Ordering::Relaxed), 2 * COUNT);
        ok!(usm.clMemFreeINTEL(cx.context, memory.at(0)));
    }
    Ok(())
}

fn usm_fills(cx: &Ctx) -> Outcome {
    const SIZE: usize = 300 << 10;
    let usm = usm(cx)?;
    let queue = cx.queue;
    let mut event = null_mut();
    for allocated in KINDS {
        let memory = Allocation::<u8>::new(cx, &usm, allocated, SIZE)?;
        for length in [1usize, 2, 4, 8, 16, 32, 64, 128] {
            for (begin, size) in [(0, SIZE), (length, 128 * 7), (128, 0)] {
                ok!(usm.clEnqueueMemsetINTEL(queue, memory.at(0), 0x1ee, SIZE, 0, null(), null_mut()));
                let mut pattern: Vec<u8> = (1..=length as u8).collect();
                let (to, from) = (memory.at(begin), pattern.as_ptr().cast());
                ok!(usm.clEnqueueMemFillINTEL(queue, to, from, length, size, 0, null(), &mut event));
                // The pattern was copied.
                pattern.fill(0);
                equal!(kind(cx, event)?, COMMAND_MEMFILL);
                let expected = |at: usize| {
                    if (begin..begin + size).contains(&at) { ((at - begin) % length) as u8 + 1 } else { 0xee }
                };
                let found = memory.read(cx, &usm)?;
                holds!(found.iter().enumerate().all(|(at, &byte)| byte == expected(at)));
            }
        }
        ok!(usm.clEnqueueMemsetINTEL(queue, memory.at(3), -1, 5, 0, null(), &mut event));
        equal!(kind(cx, event)?, COMMAND_MEMFILL);
        equal!(&memory.read(cx, &usm)?[3..8], &[0xff; 5][..]);
        ok!(usm.clMemFreeINTEL(cx.context, memory.at(0)));
    }
    // Memory of the host.
    let mut host = [0u32; 16];
    let pattern = [1u32, 2];
    let filled = usm.clEnqueueMemFillINTEL(
        queue,
        raw(&mut host),
        pattern.as_ptr().cast(),
        4,
        60,
        0,
        null(),
        null_mut(),
    );
    ok!(filled);
    ok!(cx.clFinish(queue));
    equal!(host, std::array::from_fn(|i| u32::from(i < 15)));
    Ok(())
}

fn usm_copies(cx: &Ctx) -> Outcome {
    const COUNT: usize = 100_000;
    let usm = usm(cx)?;
    let queue = cx.queue;
    let numbers: Vec<u32> = (0..COUNT as u32).collect();
    let mut event = null_mut();
    for blocking in [CL_TRUE, CL_FALSE] {
        for source in KINDS {
            for target in KINDS {
                let a = Allocation::<u32>::new(cx, &usm, source, COUNT)?;
                let b = Allocation::<u32>::new(cx, &usm, target, COUNT)?;
                let size = a.size();
                let copy = |to, from, event: *mut cl_event| {
                    usm.clEnqueueMemcpyINTEL(queue, blocking, to, from, size, 0, null(), event)
                };
                ok!(copy(a.at(0), numbers.as_ptr().cast(), null_mut()));
                ok!(copy(b.at(0), a.at(0), &mut event));
                if blocking == CL_TRUE {
                    equal!(cx.status(event)?, CL_COMPLETE);
                }
                equal!(kind(cx, event)?, COMMAND_MEMCPY);
                let mut host = vec![0u32; COUNT];
                ok!(copy(raw(&mut host), b.at(0), null_mut()));
                ok!(cx.clFinish(queue));
                holds!(host == numbers);
                ok!(usm.clMemFreeINTEL(cx.context, a.at(0)));
                ok!(usm.clMemFreeINTEL(cx.context, b.at(0)));
            }
        }
    }
    // From the host to the host, adjacent ranges, and nothing.
    let mut host = [1u8, 2, 3, 4, 0, 0, 0, 0];
    let (first, second) = (raw(&mut host[..4]), raw(&mut host[4..]));
    ok!(usm.clEnqueueMemcpyINTEL(queue, CL_TRUE, second, first, 4, 0, null(), null_mut()));
    ok!(usm.clEnqueueMemcpyINTEL(queue, CL_TRUE, second, second, 0, 0, null(), null_mut()));
    equal!(host, [1, 2, 3, 4, 1, 2, 3, 4]);
    Ok(())
}

fn usm_hints(cx: &Ctx) -> Outcome {
    let usm = usm(cx)?;
    let mut event = null_mut();
    let both = CL_MIGRATE_MEM_OBJECT_HOST | CL_MIGRATE_MEM_OBJECT_CONTENT_UNDEFINED;
    for allocated in KINDS {
        let memory = Allocation::<i32>::new(cx, &usm, allocated, 1024)?;
        memory.write(cx, &usm, &[3; 1024])?;
        for flags in [0, CL_MIGRATE_MEM_OBJECT_HOST, CL_MIGRATE_MEM_OBJECT_CONTENT_UNDEFINED, both] {
            for (pointer, size) in [(memory.at(0), 4096), (memory.at(1), 7), (memory.at(1023), 0)] {
                let migrated =
                    usm.clEnqueueMigrateMemINTEL(cx.queue, pointer, size, flags, 0, null(), &mut event);
                ok!(migrated);
                equal!(kind(cx, event)?, COMMAND_MIGRATEMEM);
            }
        }
        ok!(usm.clEnqueueMemAdviseINTEL(cx.queue, memory.at(0), 4096, 0, 0, null(), &mut event));
        equal!(kind(cx, event)?, COMMAND_MEMADVISE);
        ok!(usm.clEnqueueMemAdviseINTEL(cx.queue, memory.at(5), 1, 0, 0, null(), null_mut()));
        equal!(memory.read(cx, &usm)?, vec![3; 1024]);
        ok!(usm.clMemFreeINTEL(cx.context, memory.at(0)));
    }
    Ok(())
}

fn usm_wait_lists(cx: &Ctx) -> Outcome {
    let usm = usm(cx)?;
    let memory = Allocation::<u32>::new(cx, &usm, Kind::Shared, 4)?;
    memory.write(cx, &usm, &[0; 4])?;
    let gate = cx.user_event()?;
    let values = [5u32, 6, 7, 8];
    let queue = cx.queue(CL_QUEUE_OUT_OF_ORDER_EXEC_MODE_ENABLE)?;
    let (to, from) = (memory.at(0), values.as_ptr().cast());
    let mut events = [null_mut(); 4];
    ok!(usm.clEnqueueMemcpyINTEL(queue, CL_FALSE, to, from, 16, 1, &gate, &mut events[0]));
    let pattern = [9u32];
    let (waits, filled) = (events[0], pattern.as_ptr().cast());
    ok!(usm.clEnqueueMemFillINTEL(queue, memory.at(2), filled, 4, 8, 1, &waits, &mut events[1]));
    let waits = events[1];
    ok!(usm.clEnqueueMigrateMemINTEL(queue, to, 16, CL_MIGRATE_MEM_OBJECT_HOST, 1, &waits, &mut events[2]));
    let waits = events[2];
    ok!(usm.clEnqueueMemAdviseINTEL(queue, to, 16, 0, 1, &waits, &mut events[3]));
    ok!(cx.clFlush(queue));
    for event in events {
        holds!(cx.status(event)? > CL_COMPLETE);
    }
    ok!(cx.clSetUserEventStatus(gate, CL_COMPLETE));
    ok!(cx.clWaitForEvents(1, &events[3]));
    equal!(memory.read(cx, &usm)?, vec![5, 6, 9, 9]);
    // A command fails if an event of its wait list fails. A blocking call returns the error.
    let gate = cx.user_event()?;
    ok!(cx.clSetUserEventStatus(gate, -7));
    let copied = usm.clEnqueueMemcpyINTEL(queue, CL_TRUE, to, from, 8, 1, &gate, null_mut());
    equal!(copied, CL_EXEC_STATUS_ERROR_FOR_EVENTS_IN_WAIT_LIST);
    let mut event = null_mut();
    ok!(usm.clEnqueueMemFillINTEL(queue, to, filled, 4, 16, 1, &gate, &mut event));
    ok!(cx.clFinish(queue));
    equal!(cx.status(event)?, CL_EXEC_STATUS_ERROR_FOR_EVENTS_IN_WAIT_LIST);
    equal!(memory.read(cx, &usm)?, vec![5, 6, 9, 9]);
    ok!(usm.clMemBlockingFreeINTEL(cx.context, to));
    Ok(())
}

fn usm_profiling(cx: &Ctx) -> Outcome {
    let usm = usm(cx)?;
    let queue = cx.queue(CL_QUEUE_PROFILING_ENABLE)?;
    let memory = Allocation::<u8>::new(cx, &usm, Kind::Device, 4096)?;
    let (to, pattern) = (memory.at(0), [1u8]);
    let mut events = [null_mut(); 4];
    ok!(usm.clEnqueueMemFillINTEL(queue, to, pattern.as_ptr().cast(), 1, 4096, 0, null(), &mut events[0]));
    ok!(usm.clEnqueueMemcpyINTEL(queue, CL_FALSE, to, memory.at(2048), 2048, 0, null(), &mut events[1]));
    ok!(usm.clEnqueueMigrateMemINTEL(queue, to, 4096, 0, 0, null(), &mut events[2]));
    ok!(usm.clEnqueueMemAdviseINTEL(queue, to, 4096, 0, 0, null(), &mut events[3]));
    ok!(cx.clFinish(queue));
    let mut before = 0;
    for event in events {
        let mut times = Vec::new();
        for name in [
            CL_PROFILING_COMMAND_QUEUED,
            CL_PROFILING_COMMAND_SUBMIT,
            CL_PROFILING_COMMAND_START,
            CL_PROFILING_COMMAND_END,
        ] {
            times.push(query!(cx.clGetEventProfilingInfo(event, name)).value::<cl_ulong>()?);
        }
        holds!(times.is_sorted() && times[0] >= before);
        before = times[0];
        ok!(cx.clReleaseEvent(event));
    }
    ok!(usm.clMemFreeINTEL(cx.context, to));
    Ok(())
}

/// Opens the gate of `spin` some time later, on another thread.
fn open_later(gate: &Allocation<i32>) -> std::thread::JoinHandle<()> {
    // SAFETY: the allocation has room for a number and lives until the thread has ended; only atomics access it.
    let gate: &'static AtomicI32 = unsafe { AtomicI32::from_ptr(gate.0) };
    std::thread::spawn(move || {
        std::thread::sleep(Duration::from_millis(20));
        gate.store(1, Ordering::Release);
    })
}

fn usm_blocking_free(cx: &Ctx) -> Outcome {
    let usm = usm(cx)?;
    for properties in [0, CL_QUEUE_OUT_OF_ORDER_EXEC_MODE_ENABLE] {
        for allocated in KINDS {
            let queue = cx.queue(properties)?;
            let kernel = cx.kernel_with(SPIN, "-cl-std=CL2.0", "spin")?;
            let gate = Allocation::<i32>::new(cx, &usm, Kind::Host, 1)?;
            gate.write(cx, &usm, &[0])?;
            let out = Allocation::<i32>::new(cx, &usm, allocated, 16)?;
            ok!(usm.clSetKernelArgMemPointerINTEL(kernel, 0, gate.at(0)));
            ok!(usm.clSetKernelArgMemPointerINTEL(kernel, 1, out.at(0)));
            let mut event = null_mut();
            let global = 16usize;
            let (none, list) = (null(), null());
            ok!(cx.clEnqueueNDRangeKernel(queue, kernel, 1, none, &global, none, 0, list, &mut event));
            // A command of another queue that uses the memory and waits for the kernel.
            let mut host = [0i32; 16];
            let (to, mut copied) = (raw(&mut host), null_mut());
            ok!(usm.clEnqueueMemcpyINTEL(cx.queue, CL_FALSE, to, out.at(0), 64, 1, &event, &mut copied));
            // Neither queue is flushed.
            let opens = open_later(&gate);
            ok!(usm.clMemBlockingFreeINTEL(cx.context, out.at(0)));
            equal!(cx.status(event)?, CL_COMPLETE);
            equal!(cx.status(copied)?, CL_COMPLETE);
            equal!(host, [7; 16]);
            holds!(opens.join().is_ok());
            let found = query!(usm.clGetMemAllocInfoINTEL(cx.context, out.at(0), MEM_ALLOC_TYPE));
            equal!(found.value::<cl_uint>()?, MEM_TYPE_UNKNOWN);
            ok!(usm.clMemFreeINTEL(cx.context, gate.at(0)));
            ok!(cx.clReleaseEvent(event));
            ok!(cx.clReleaseEvent(copied));
            ok!(cx.clReleaseKernel(kernel));
            ok!(cx.clReleaseCommandQueue(queue));
        }
    }
    Ok(())
}

/// Checks that a blocking free waits for a queue that was released, among many that are gone.
fn usm_many_queues(cx: &Ctx) -> Outcome {
    let usm = usm(cx)?;
    let pattern = [6u8];
    for _ in 0..20 {
        let memory = Allocation::<u8>::new(cx, &usm, Kind::Device, 1 << 20)?;
        let mut events = [null_mut(); 5];
        for event in &mut events {
            let queue = cx.queue(0)?;
            let from = pattern.as_ptr().cast();
            ok!(usm.clEnqueueMemFillINTEL(queue, memory.at(0), from, 1, 1 << 20, 0, null(), event));
            ok!(cx.clReleaseCommandQueue(queue));
        }
        ok!(usm.clMemBlockingFreeINTEL(cx.context, memory.at(0)));
        for event in events {
            equal!(cx.status(event)?, CL_COMPLETE);
            ok!(cx.clReleaseEvent(event));
        }
    }
    Ok(())
}

fn usm_buffers(cx: &Ctx) -> Outcome {
    let usm = usm(cx)?;
    let memory = Allocation::<u8>::new(cx, &usm, Kind::Host, 1024)?;
    memory.write(cx, &usm, &[4; 1024])?;
    // Whether an allocation may be the memory of a buffer is not specified. It is not shared virtual memory.
    let buffer = make!(cx.clCreateBuffer(cx.context, CL_MEM_USE_HOST_PTR, 1024, memory.at(0)));
    equal!(query!(cx.clGetMemObjectInfo(buffer, CL_MEM_USES_SVM_POINTER)).value::<cl_bool>()?, CL_FALSE);
    equal!(cx.contents::<u8>(buffer, 1024)?, vec![4; 1024]);
    ok!(cx.clEnqueueReadBuffer(cx.queue, buffer, CL_TRUE, 0, 512, memory.at(512), 0, null(), null_mut()));
    ok!(cx.clReleaseMemObject(buffer));
    ok!(usm.clMemBlockingFreeINTEL(cx.context, memory.at(0)));
    Ok(())
}

fn usm_sub_devices(cx: &Ctx) -> Outcome {
    let usm = usm(cx)?;
    let properties = [crate::context::EQUALLY, 1, 0];
    let mut count = 0;
    let listed = cx.clCreateSubDevices(cx.device, properties.as_ptr(), 0, null_mut(), &mut count);
    if listed != CL_SUCCESS || count == 0 {
        return Err(Failure::Skipped("a device of one compute unit".into()));
    }
    let mut parts = vec![null_mut(); count as usize];
    ok!(cx.clCreateSubDevices(cx.device, properties.as_ptr(), count, parts.as_mut_ptr(), null_mut()));
    let part = cx.on(parts[0])?;
    for kind in KINDS {
        let memory = Allocation::<i32>::new(&part, &usm, kind, 16)?;
        let known = (kind.type_number(), memory.at(0), 64, kind.device(&part));
        is_described(&part, &usm, memory.at(1), known)?;
        ok!(usm.clMemFreeINTEL(part.context, memory.at(0)));
    }
    // The whole device is not a device of this context.
    let mut code = 1;
    holds!(usm.clDeviceMemAllocINTEL(part.context, cx.device, null(), 64, 0, &mut code).is_null());
    equal!(code, CL_INVALID_DEVICE);
    for device in parts {
        ok!(cx.clReleaseDevice(device));
    }
    Ok(())
}

fn usm_release_order(cx: &Ctx) -> Outcome {
    let usm = usm(cx)?;
    // A context that is released before its memory and its queue. Some memory is never freed.
    let context = make!(cx.clCreateContext(null(), 1, &cx.device, None, null_mut()));
    let queue = make!(cx.clCreateCommandQueue(context, cx.device, 0));
    let base = make!(usm.clHostMemAllocINTEL(context, null(), 1 << 20, 0));
    make!(usm.clDeviceMemAllocINTEL(context, cx.device, null(), 1 << 20, 0));
    make!(usm.clSharedMemAllocINTEL(context, cx.device, null(), 64, 0));
    ok!(cx.clReleaseContext(context));
    let pattern = [1u8];
    let from = pattern.as_ptr().cast();
    ok!(usm.clEnqueueMemFillINTEL(queue, base, from, 1, 1 << 20, 0, null(), null_mut()));
    ok!(cx.clReleaseCommandQueue(queue));
    Ok(())
}
