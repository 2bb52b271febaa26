//! Tests of shared virtual memory.

use std::ffi::c_void;
use std::ptr::{null, null_mut, without_provenance_mut};
use std::sync::atomic::{AtomicI32, AtomicU32, AtomicUsize, Ordering};

use cl_sys::*;

use crate::check::{Failure, Outcome};
use crate::context::{Ctx, raw};
use crate::{equal, fails, holds, make, make_fails, ok, query, tests};

tests! {
    "test_svm":
        svm_allocate_shared_buffer, svm_allocate_shared_buffer_negative, svm_free, svm_enqueue_api, svm_wait_lists,
        svm_enqueue_free, svm_pointer_passing, svm_shared_address_space_coarse_grain,
        svm_shared_address_space_fine_grain, svm_fine_grain_memory_consistency, svm_shared_sub_buffers,
        svm_buffers, svm_migrate, svm_negative_memcpy_overlap, svm_negative_enqueue, svm_negative_free,
        svm_set_kernel_exec_info_svm_ptrs, svm_pointers_in_arguments, svm_negative_set_kernel_arg, svm_clone_kernel,
        svm_release_order;
}

const SYSTEM: cl_ulong = CL_DEVICE_SVM_FINE_GRAIN_SYSTEM;
const GRAINS: [cl_ulong; 3] =
    [0, CL_MEM_SVM_FINE_GRAIN_BUFFER, CL_MEM_SVM_FINE_GRAIN_BUFFER | CL_MEM_SVM_ATOMICS];

/// Skips the test if the device lacks one of these capabilities.
fn wants(cx: &Ctx, wanted: cl_ulong) -> Outcome {
    let has = query!(cx.clGetDeviceInfo(cx.device, CL_DEVICE_SVM_CAPABILITIES)).value::<cl_ulong>()?;
    if has & wanted == wanted {
        return Ok(());
    }
    Err(Failure::Skipped(format!("CL_DEVICE_SVM_CAPABILITIES is {has:#x}")))
}

/// Allocation of `count` values. Accessors wait for all commands enqueued before.
struct Shared<T>(*mut T, usize);

impl<T: Copy> Shared<T> {
    fn new(cx: &Ctx, count: usize) -> Outcome<Self> {
        wants(cx, CL_DEVICE_SVM_COARSE_GRAIN_BUFFER)?;
        let base = cx.clSVMAlloc(cx.context, CL_MEM_READ_WRITE, count * size_of::<T>(), 0);
        holds!(!base.is_null());
        Ok(Self(base.cast(), count))
    }

    fn at(&self, index: usize) -> *mut c_void {
        self.0.wrapping_add(index).cast()
    }

    fn size(&self) -> usize {
        self.1 * size_of::<T>()
    }

    /// Maps the allocation for writing, writes the values, and unmaps it.
    fn write(&self, cx: &Ctx, values: &[T]) -> Outcome {
        let (size, flags) = (self.size(), CL_MAP_WRITE_INVALIDATE_REGION);
        ok!(cx.clEnqueueSVMMap(cx.queue, CL_TRUE, flags, self.at(0), size, 0, null(), null_mut()));
        for (i, &value) in values.iter().enumerate().take(self.1) {
            // SAFETY: the allocation has at least `i + 1` values and is mapped.
            unsafe { self.0.add(i).write(value) };
        }
        ok!(cx.clEnqueueSVMUnmap(cx.queue, self.at(0), 0, null(), null_mut()));
        Ok(())
    }

    /// Maps the allocation for reading, reads the values, and unmaps it.
    fn read(&self, cx: &Ctx) -> Outcome<Vec<T>> {
        let size = self.size();
        ok!(cx.clEnqueueSVMMap(cx.queue, CL_TRUE, CL_MAP_READ, self.at(0), size, 0, null(), null_mut()));
        // SAFETY: the allocation has this number of values and is mapped.
        let values = unsafe { std::slice::from_raw_parts(self.0, self.1) }.to_vec();
        ok!(cx.clEnqueueSVMUnmap(cx.queue, self.at(0), 0, null(), null_mut()));
        Ok(values)
    }
}

fn svm_allocate_shared_buffer(cx: &Ctx) -> Outcome {
    wants(cx, CL_DEVICE_SVM_FINE_GRAIN_BUFFER | CL_DEVICE_SVM_ATOMICS)?;
    for access in [0, CL_MEM_READ_WRITE, CL_MEM_READ_ONLY, CL_MEM_WRITE_ONLY] {
        for grain in GRAINS {
            for alignment in [0, 1, 2, 4, 8, 16, 32, 64, 128] {
                let base = cx.clSVMAlloc(cx.context, access | grain, 1000, alignment);
                holds!(!base.is_null());
                let wanted = if alignment == 0 { 128 } else { alignment as usize };
                holds!(base.addr().is_multiple_of(wanted));
                // SAFETY: the allocation is memory of this process and has 1000 bytes.
                unsafe { base.cast::<u8>().write_bytes(1, 1000) };
                cx.clSVMFree(cx.context, base);
            }
        }
    }
    let large = cx.clSVMAlloc(cx.context, 0, 64 << 20, 0);
    holds!(!large.is_null() && large.addr().is_multiple_of(4096));
    cx.clSVMFree(cx.context, large);
    Ok(())
}

fn svm_allocate_shared_buffer_negative(cx: &Ctx) -> Outcome {
    wants(cx, CL_DEVICE_SVM_COARSE_GRAIN_BUFFER)?;
    let most = query!(cx.clGetDeviceInfo(cx.device, CL_DEVICE_MAX_MEM_ALLOC_SIZE)).value::<cl_ulong>()?;
    let none = |flags: cl_ulong, size: usize, align: cl_uint| {
        cx.clSVMAlloc(cx.context, flags, size, align).is_null()
    };
    holds!(none(CL_MEM_READ_WRITE, 0, 0));
    holds!(none(CL_MEM_READ_WRITE, most as usize + 1, 0));
    holds!(none(CL_MEM_READ_WRITE, usize::MAX, 0));
    for alignment in [3, 24, 127, 256, 1 << 31, cl_uint::MAX] {
        holds!(none(CL_MEM_READ_WRITE, 64, alignment));
    }
    for flags in [
        CL_MEM_READ_WRITE | CL_MEM_READ_ONLY,
        CL_MEM_READ_WRITE | CL_MEM_WRITE_ONLY,
        CL_MEM_READ_ONLY | CL_MEM_WRITE_ONLY,
        CL_MEM_SVM_ATOMICS,
        CL_MEM_READ_WRITE | CL_MEM_SVM_ATOMICS,
        CL_MEM_USE_HOST_PTR,
        CL_MEM_ALLOC_HOST_PTR,
        CL_MEM_COPY_HOST_PTR,
        CL_MEM_HOST_NO_ACCESS,
        CL_MEM_KERNEL_READ_AND_WRITE,
        1 << 30,
    ] {
        holds!(none(flags, 64, 0));
    }
    if cx.is_vendor() {
        holds!(cx.clSVMAlloc(null_mut(), CL_MEM_READ_WRITE, 64, 0).is_null());
        holds!(cx.clSVMAlloc(cx.queue, CL_MEM_READ_WRITE, 64, 0).is_null());
    }
    Ok(())
}

fn svm_free(cx: &Ctx) -> Outcome {
    let shared = Shared::<u8>::new(cx, 100)?;
    let mut local = [7u8; 64];
    // Freeing pointers that are not allocations has no effect.
    for pointer in [null_mut(), raw(&mut local), shared.at(1), without_provenance_mut(64)] {
        cx.clSVMFree(cx.context, pointer);
    }
    let other = make!(cx.clCreateContext(null(), 1, &cx.device, None, null_mut()));
    cx.clSVMFree(other, shared.at(0));
    shared.write(cx, &[3; 100])?;
    equal!(shared.read(cx)?, vec![3; 100]);
    ok!(cx.clFinish(cx.queue));
    cx.clSVMFree(cx.context, shared.at(0));
    equal!(local, [7; 64]);
    Ok(())
}

/// Returns the type of a command and releases its event.
fn kind(cx: &Ctx, event: cl_event) -> Outcome<cl_uint> {
    let kind = query!(cx.clGetEventInfo(event, CL_EVENT_COMMAND_TYPE)).value()?;
    ok!(cx.clWaitForEvents(1, &event));
    equal!(cx.status(event)?, CL_COMPLETE);
    ok!(cx.clReleaseEvent(event));
    Ok(kind)
}

fn svm_enqueue_api(cx: &Ctx) -> Outcome {
    let (a, b) = (Shared::<u32>::new(cx, 256)?, Shared::<u32>::new(cx, 256)?);
    let mut event = null_mut();
    let queue = cx.queue;
    for length in [1usize, 2, 4, 8, 16, 32, 64, 128] {
        let pattern: Vec<u8> = (0..length as u8).collect();
        let from = pattern.as_ptr().cast();
        ok!(cx.clEnqueueSVMMemFill(queue, a.at(0), from, length, 1024, 0, null(), &mut event));
        equal!(kind(cx, event)?, CL_COMMAND_SVM_MEMFILL);
        // The pattern begins at the pointer.
        ok!(cx.clEnqueueSVMMemFill(queue, b.at(32), from, length, 128, 0, null(), null_mut()));
        let filled = a.read(cx)?;
        equal!(filled[0].to_ne_bytes()[0], 0);
        let byte = |i: usize| filled[i / 4].to_ne_bytes()[i % 4];
        holds!((0..1024).all(|i| byte(i) == (i % length) as u8));
        equal!(&b.read(cx)?[32..64], &filled[..32]);
    }
    let mut host: Vec<u32> = (0..256).collect();
    let target = a.at(0);
    ok!(cx.clEnqueueSVMMemcpy(queue, CL_FALSE, target, raw(&mut host), 1024, 0, null(), &mut event));
    equal!(kind(cx, event)?, CL_COMMAND_SVM_MEMCPY);
    ok!(cx.clEnqueueSVMMemcpy(queue, CL_TRUE, b.at(0), a.at(0), 1024, 0, null(), null_mut()));
    equal!(b.read(cx)?, host.clone());
    // Adjacent ranges do not overlap. An empty copy is permitted.
    ok!(cx.clEnqueueSVMMemcpy(queue, CL_TRUE, b.at(0), b.at(128), 512, 0, null(), null_mut()));
    ok!(cx.clEnqueueSVMMemcpy(queue, CL_TRUE, b.at(0), b.at(0), 0, 0, null(), null_mut()));
    let nothing = [1u8; 4];
    ok!(cx.clEnqueueSVMMemFill(queue, b.at(0), nothing.as_ptr().cast(), 4, 0, 0, null(), null_mut()));
    ok!(cx.clEnqueueSVMMemcpy(queue, CL_TRUE, raw(&mut host), b.at(0), 1024, 0, null(), null_mut()));
    equal!(&host[..128], &(128..256).collect::<Vec<_>>()[..]);
    for flags in [CL_MAP_READ, CL_MAP_WRITE, CL_MAP_READ | CL_MAP_WRITE, CL_MAP_WRITE_INVALIDATE_REGION] {
        ok!(cx.clEnqueueSVMMap(queue, CL_FALSE, flags, a.at(1), 12, 0, null(), &mut event));
        equal!(kind(cx, event)?, CL_COMMAND_SVM_MAP);
        ok!(cx.clEnqueueSVMUnmap(queue, a.at(1), 0, null(), &mut event));
        equal!(kind(cx, event)?, CL_COMMAND_SVM_UNMAP);
    }
    Ok(())
}

fn svm_wait_lists(cx: &Ctx) -> Outcome {
    let shared = Shared::<u32>::new(cx, 4)?;
    shared.write(cx, &[0; 4])?;
    let gate = cx.user_event()?;
    let values = [5u32, 6, 7, 8];
    let (mut first, mut last) = (null_mut(), null_mut());
    let from = values.as_ptr().cast();
    ok!(cx.clEnqueueSVMMemcpy(cx.queue, CL_FALSE, shared.at(0), from, 16, 1, &gate, &mut first));
    ok!(cx.clEnqueueSVMMap(cx.queue, CL_FALSE, CL_MAP_READ, shared.at(0), 16, 1, &first, &mut last));
    ok!(cx.clFlush(cx.queue));
    holds!(cx.status(last)? > CL_COMPLETE);
    ok!(cx.clSetUserEventStatus(gate, CL_COMPLETE));
    ok!(cx.clWaitForEvents(1, &last));
    equal!(shared.read(cx)?, values.to_vec());
    // A command fails if an event of its wait list fails. A blocking call returns the error.
    let gate = cx.user_event()?;
    ok!(cx.clSetUserEventStatus(gate, -7));
    let code = CL_EXEC_STATUS_ERROR_FOR_EVENTS_IN_WAIT_LIST;
    fails!(code, cx.clEnqueueSVMMemcpy(cx.queue, CL_TRUE, shared.at(0), from, 8, 1, &gate, null_mut()));
    let map = cx.clEnqueueSVMMap(cx.queue, CL_TRUE, CL_MAP_READ, shared.at(0), 16, 1, &gate, null_mut());
    fails!(code, map);
    Ok(())
}

static FREED: AtomicUsize = AtomicUsize::new(0);

/// Records a checksum of all arguments.
unsafe extern "C" fn count_freed(
    queue: cl_command_queue,
    count: cl_uint,
    list: *mut *mut c_void,
    data: *mut c_void,
) {
    // SAFETY: the list has `count` entries.
    let list = unsafe { std::slice::from_raw_parts(list, count as usize) };
    let sum = list.iter().fold(queue.addr() ^ data.addr(), |sum, pointer| sum ^ pointer.addr());
    FREED.store(sum, Ordering::Release);
}

fn svm_enqueue_free(cx: &Ctx) -> Outcome {
    let (a, b) = (Shared::<u8>::new(cx, 64)?, Shared::<u8>::new(cx, 64)?);
    let mut host = [0u8; 8];
    let mut list = [a.at(0), raw(&mut host), b.at(0)];
    let expected = list.iter().fold(cx.queue.addr() ^ 77, |sum, pointer| sum ^ pointer.addr());
    let gate = cx.user_event()?;
    let mut event = null_mut();
    let (pointer, data) = (raw(&mut list), without_provenance_mut(77));
    let function = Some(count_freed as unsafe extern "C" fn(_, _, _, _));
    ok!(cx.clEnqueueSVMFree(cx.queue, 3, pointer, function, data, 1, &gate, &mut event));
    // The list was copied. The callback is called when the command runs.
    list.fill(null_mut());
    ok!(cx.clFlush(cx.queue));
    equal!(FREED.load(Ordering::Acquire), 0);
    ok!(cx.clSetUserEventStatus(gate, CL_COMPLETE));
    equal!(kind(cx, event)?, CL_COMMAND_SVM_FREE);
    equal!(FREED.load(Ordering::Acquire), expected);
    // The callback has not freed the allocations, so they are still valid.
    a.write(cx, &[1; 64])?;
    // Without a callback, allocations of this context are freed and all other pointers are ignored.
    let mut list = [a.at(0), null_mut(), raw(&mut host), b.at(0), a.at(0)];
    ok!(cx.clEnqueueSVMFree(cx.queue, 5, raw(&mut list), None, null_mut(), 0, null(), null_mut()));
    ok!(cx.clEnqueueSVMFree(cx.queue, 0, null_mut(), None, null_mut(), 0, null(), &mut event));
    equal!(kind(cx, event)?, CL_COMMAND_SVM_FREE);
    ok!(cx.clFinish(cx.queue));
    Ok(())
}

const ADD: &str =
    "kernel void add(global int *a, constant int *b) { a[get_global_id(0)] += b[get_global_id(0)]; }";

fn svm_pointer_passing(cx: &Ctx) -> Outcome {
    let shared = Shared::<i32>::new(cx, 64)?;
    let kernel = cx.kernel(ADD, "add")?;
    shared.write(cx, &(0..64).collect::<Vec<_>>())?;
    // Pointers into an allocation.
    ok!(cx.clSetKernelArgSVMPointer(kernel, 0, shared.at(10)));
    ok!(cx.clSetKernelArgSVMPointer(kernel, 1, shared.at(32)));
    cx.launch(kernel, 8, None)?;
    let expected: Vec<i32> =
        (0..64).map(|i| if (10..18).contains(&i) { i + 32 + i - 10 } else { i }).collect();
    equal!(shared.read(cx)?, expected);
    // A pointer and a buffer in one launch. The last call for an argument determines its value.
    let buffer = cx.buffer(&[1000i32; 8])?;
    cx.arg(kernel, 1, buffer)?;
    cx.launch(kernel, 8, None)?;
    equal!(shared.read(cx)?[10], 1042);
    wants(cx, SYSTEM)?;
    let mut host = [1i32, 2, 3, 4];
    ok!(cx.clSetKernelArgSVMPointer(kernel, 0, raw(&mut host)));
    cx.launch(kernel, 4, None)?;
    ok!(cx.clFinish(cx.queue));
    equal!(host, [1001, 1002, 1003, 1004]);
    Ok(())
}

#[repr(C)]
#[derive(Clone, Copy)]
struct Node {
    next: *mut Node,
    value: i32,
}

const LIST: &str = "
    typedef struct node { global struct node *next; int value; } node;
    kernel void build(global node *nodes, int count) {
        int i = get_global_id(0);
        nodes[i].next = i + 1 < count ? &nodes[i + 1] : 0;
        nodes[i].value = i * i;
    }
    kernel void double_all(global node *first) {
        for (global node *n = first; n; n = n->next) n->value *= 2;
    }
    kernel void sum(global node *first, global int *out) {
        int sum = 0;
        for (global node *n = first; n; n = n->next) sum += n->value;
        *out = sum;
    }";

fn svm_shared_address_space_coarse_grain(cx: &Ctx) -> Outcome {
    const COUNT: usize = 100;
    let nodes = Shared::<Node>::new(cx, COUNT)?;
    let build = cx.kernel(LIST, "build")?;
    ok!(cx.clSetKernelArgSVMPointer(build, 0, nodes.at(0)));
    cx.arg(build, 1, COUNT as cl_int)?;
    cx.launch(build, COUNT, None)?;
    // The host follows pointers that the device has written.
    let size = nodes.size();
    ok!(cx.clEnqueueSVMMap(
        cx.queue,
        CL_TRUE,
        CL_MAP_READ | CL_MAP_WRITE,
        nodes.at(0),
        size,
        0,
        null(),
        null_mut()
    ));
    let mut node = nodes.0;
    let mut seen = 0;
    while !node.is_null() {
        // SAFETY: `node` points to a node of the list, which is mapped.
        let here = unsafe { &mut *node };
        equal!(here.value, seen * seen);
        here.value = seen;
        (node, seen) = (here.next, seen + 1);
    }
    equal!(seen as usize, COUNT);
    ok!(cx.clEnqueueSVMUnmap(cx.queue, nodes.at(0), 0, null(), null_mut()));
    // The device follows pointers that the host has written.
    let sum = cx.kernel(LIST, "sum")?;
    let out = cx.buffer(&[0i32])?;
    ok!(cx.clSetKernelArgSVMPointer(sum, 0, nodes.at(50)));
    cx.arg(sum, 1, out)?;
    cx.launch(sum, 1, None)?;
    equal!(cx.contents::<i32>(out, 1)?, vec![(50..100).sum::<i32>()]);
    Ok(())
}

fn svm_shared_address_space_fine_grain(cx: &Ctx) -> Outcome {
    wants(cx, SYSTEM)?;
    // A list in ordinary memory of the host, with a separate allocation for each node.
    let mut first = null_mut();
    for value in 0..100 {
        first = Box::into_raw(Box::new(Node { next: first, value }));
    }
    let double = cx.kernel(LIST, "double_all")?;
    ok!(cx.clSetKernelArgSVMPointer(double, 0, first.cast()));
    cx.launch(double, 1, None)?;
    ok!(cx.clFinish(cx.queue));
    let mut sum = 0;
    while !first.is_null() {
        // SAFETY: each node was boxed above and is visited once.
        let node = unsafe { Box::from_raw(first) };
        (first, sum) = (node.next, sum + node.value);
    }
    equal!(sum, (0..100).sum::<i32>() * 2);
    Ok(())
}

const TALK: &str = "
    kernel void talk(global atomic_int *turn, global int *word, int rounds) {
        for (int i = 0; i < rounds; i++) {
            while (atomic_load_explicit(turn, memory_order_acquire, memory_scope_all_svm_devices) != 1);
            *word += i;
            atomic_store_explicit(turn, 0, memory_order_release, memory_scope_all_svm_devices);
        }
    }
    kernel void count(global atomic_uint *counter) {
        atomic_fetch_add_explicit(counter, 1u, memory_order_relaxed, memory_scope_all_svm_devices);
    }";

fn svm_fine_grain_memory_consistency(cx: &Ctx) -> Outcome {
    wants(cx, SYSTEM | CL_DEVICE_SVM_ATOMICS)?;
    const ROUNDS: i32 = 1000;
    let talk = cx.kernel_with(TALK, "-cl-std=CL2.0", "talk")?;
    // The host and a running kernel alternately update a word.
    let turn = AtomicI32::new(0);
    let word = AtomicI32::new(0);
    ok!(cx.clSetKernelArgSVMPointer(talk, 0, turn.as_ptr().cast()));
    ok!(cx.clSetKernelArgSVMPointer(talk, 1, word.as_ptr().cast()));
    cx.arg(talk, 2, ROUNDS)?;
    let event = cx.launch(talk, 1, None)?;
    ok!(cx.clFlush(cx.queue));
    let mut expected = 0;
    for i in 0..ROUNDS {
        word.store(expected * 2, Ordering::Relaxed);
        turn.store(1, Ordering::Release);
        while turn.load(Ordering::Acquire) != 0 {
            std::thread::yield_now();
        }
        expected = expected * 2 + i;
        equal!(word.load(Ordering::Relaxed), expected);
        expected %= 1000;
    }
    ok!(cx.clWaitForEvents(1, &event));
    // The host and the kernel concurrently increment a counter.
    let count = cx.kernel_with(TALK, "-cl-std=CL2.0", "count")?;
    let counter = AtomicU32::new(0);
    ok!(cx.clSetKernelArgSVMPointer(count, 0, counter.as_ptr().cast()));
    let event = cx.launch(count, 1 << 18, None)?;
    ok!(cx.clFlush(cx.queue));
    for _ in 0..1 << 18 {
        counter.fetch_add(1, Ordering::Relaxed);
    }
    ok!(cx.clWaitForEvents(1, &event));
    equal!(counter.load(Ordering::Relaxed), 1 << 19);
    Ok(())
}

fn uses_svm(cx: &Ctx, mem: cl_mem) -> Outcome<bool> {
    Ok(query!(cx.clGetMemObjectInfo(mem, CL_MEM_USES_SVM_POINTER)).value::<cl_bool>()? == CL_TRUE)
}

fn svm_buffers(cx: &Ctx) -> Outcome {
    let shared = Shared::<u8>::new(cx, 1024)?;
    let (make, base) = (CL_MEM_USE_HOST_PTR, shared.at(0));
    let buffer = make!(cx.clCreateBuffer(cx.context, make, 1024, base));
    holds!(uses_svm(cx, buffer)?);
    equal!(query!(cx.clGetMemObjectInfo(buffer, CL_MEM_HOST_PTR)).value::<*mut c_void>()?, base);
    let inner = make!(cx.clCreateBuffer(cx.context, make, 512, shared.at(512)));
    holds!(uses_svm(cx, inner)?);
    let copy = make!(cx.clCreateBuffer(cx.context, CL_MEM_COPY_HOST_PTR, 1024, base));
    let mut host = [0u8; 2048];
    let plain = make!(cx.clCreateBuffer(cx.context, make, 2048, raw(&mut host)));
    for other in [copy, plain, cx.empty_buffer(64)?] {
        holds!(!uses_svm(cx, other)?);
    }
    // A buffer must not extend beyond its allocation.
    for flags in [CL_MEM_USE_HOST_PTR, CL_MEM_COPY_HOST_PTR] {
        make_fails!(CL_INVALID_BUFFER_SIZE, cx.clCreateBuffer(cx.context, flags, 1025, base));
        make_fails!(CL_INVALID_BUFFER_SIZE, cx.clCreateBuffer(cx.context, flags, 513, shared.at(512)));
    }
    // The buffer and the allocation share the memory.
    let pattern = [9u8];
    ok!(cx.clEnqueueFillBuffer(cx.queue, buffer, pattern.as_ptr().cast(), 1, 0, 1024, 0, null(), null_mut()));
    let (queue, list, event) = (cx.queue, null(), null_mut());
    let mapped = make!(cx.clEnqueueMapBuffer(queue, inner, CL_TRUE, CL_MAP_READ, 0, 512, 0, list, event));
    equal!(mapped, shared.at(512));
    ok!(cx.clEnqueueUnmapMemObject(cx.queue, inner, mapped, 0, null(), null_mut()));
    equal!(shared.read(cx)?, vec![9; 1024]);
    ok!(cx.clFinish(cx.queue));
    for mem in [buffer, inner, copy, plain] {
        ok!(cx.clReleaseMemObject(mem));
    }
    cx.clSVMFree(cx.context, base);
    Ok(())
}

fn svm_shared_sub_buffers(cx: &Ctx) -> Outcome {
    let shared = Shared::<i32>::new(cx, 64)?;
    shared.write(cx, &[1; 64])?;
    let buffer = make!(cx.clCreateBuffer(cx.context, CL_MEM_USE_HOST_PTR, 256, shared.at(0)));
    let region = cl_buffer_region { origin: 128, size: 128 };
    let (kind, info) = (CL_BUFFER_CREATE_TYPE_REGION, (&raw const region).cast());
    let part = make!(cx.clCreateSubBuffer(buffer, 0, kind, info));
    holds!(uses_svm(cx, part)?);
    // The kernel sees the same address as the host.
    let source =
        "kernel void k(global int *part, global int *at) { if (part == at) part[get_global_id(0)] = 5; }";
    let kernel = cx.kernel(source, "k")?;
    cx.arg(kernel, 0, part)?;
    ok!(cx.clSetKernelArgSVMPointer(kernel, 1, shared.at(32)));
    cx.launch(kernel, 32, None)?;
    let mut expected = vec![1; 32];
    expected.resize(64, 5);
    equal!(shared.read(cx)?, expected);
    Ok(())
}

fn svm_migrate(cx: &Ctx) -> Outcome {
    let shared = Shared::<u8>::new(cx, 1024)?;
    let queue = cx.queue;
    let mut list = [shared.at(0).cast_const(), shared.at(1000)];
    let pointers = list.as_mut_ptr();
    let mut event = null_mut();
    ok!(cx.clEnqueueSVMMigrateMem(queue, 2, pointers, null(), 0, 0, null(), &mut event));
    equal!(kind(cx, event)?, 0x120E);
    let both = CL_MIGRATE_MEM_OBJECT_HOST | CL_MIGRATE_MEM_OBJECT_CONTENT_UNDEFINED;
    for (sizes, flags) in [([1024, 24], CL_MIGRATE_MEM_OBJECT_HOST), ([0, 0], 0), ([1, 1], both)] {
        ok!(cx.clEnqueueSVMMigrateMem(queue, 2, pointers, sizes.as_ptr(), flags, 0, null(), null_mut()));
    }
    for sizes in [[1025, 1], [1024, 25], [usize::MAX, 0], [0, usize::MAX]] {
        let beyond = cx.clEnqueueSVMMigrateMem(queue, 2, pointers, sizes.as_ptr(), 0, 0, null(), null_mut());
        fails!(CL_INVALID_VALUE, beyond);
    }
    let mut host = [0u8; 8];
    let mut foreign = [raw(&mut host).cast_const()];
    let size = [8usize];
    let outside = foreign.as_mut_ptr();
    fails!(
        CL_INVALID_VALUE,
        cx.clEnqueueSVMMigrateMem(queue, 1, outside, size.as_ptr(), 0, 0, null(), null_mut())
    );
    let migrate = |count: cl_uint, list, flags| {
        cx.clEnqueueSVMMigrateMem(queue, count, list, null(), flags, 0, null(), null_mut())
    };
    fails!(CL_INVALID_VALUE, migrate(0, pointers, 0));
    fails!(CL_INVALID_VALUE, migrate(2, null_mut(), 0));
    fails!(CL_INVALID_VALUE, migrate(2, pointers, 1 << 20));
    fails!(
        CL_INVALID_COMMAND_QUEUE,
        cx.clEnqueueSVMMigrateMem(null_mut(), 2, pointers, null(), 0, 0, null(), null_mut())
    );
    fails!(
        CL_INVALID_EVENT_WAIT_LIST,
        cx.clEnqueueSVMMigrateMem(queue, 2, pointers, null(), 0, 1, null(), null_mut())
    );
    Ok(())
}

fn svm_negative_memcpy_overlap(cx: &Ctx) -> Outcome {
    let shared = Shared::<u8>::new(cx, 64)?;
    for (target, source) in [(0, 0), (0, 31), (31, 0), (16, 1)] {
        let (target, source) = (shared.at(target), shared.at(source));
        for blocking in [CL_TRUE, CL_FALSE] {
            fails!(
                CL_MEM_COPY_OVERLAP,
                cx.clEnqueueSVMMemcpy(cx.queue, blocking, target, source, 32, 0, null(), null_mut())
            );
        }
    }
    Ok(())
}

fn svm_negative_enqueue(cx: &Ctx) -> Outcome {
    let shared = Shared::<u8>::new(cx, 256)?;
    let (pointer, next) = (shared.at(0), shared.at(128));
    let other = make!(cx.clCreateContext(null(), 1, &cx.device, None, null_mut()));
    let foreign = make!(cx.clCreateUserEvent(other));
    let call = |queue, count: cl_uint, list: *const cl_event, which: usize| match which {
        0 => cx.clEnqueueSVMMemcpy(queue, CL_TRUE, pointer, next, 1, count, list, null_mut()),
        1 => cx.clEnqueueSVMMemFill(queue, pointer, next, 1, 1, count, list, null_mut()),
        2 => cx.clEnqueueSVMMap(queue, CL_TRUE, CL_MAP_READ, pointer, 1, count, list, null_mut()),
        3 => cx.clEnqueueSVMUnmap(queue, pointer, count, list, null_mut()),
        _ => cx.clEnqueueSVMFree(queue, 0, null_mut(), None, null_mut(), count, list, null_mut()),
    };
    for which in 0..5 {
        fails!(CL_INVALID_COMMAND_QUEUE, call(null_mut(), 0, null(), which));
        fails!(CL_INVALID_COMMAND_QUEUE, call(cx.context, 0, null(), which));
        fails!(CL_INVALID_EVENT_WAIT_LIST, call(cx.queue, 1, null(), which));
        fails!(CL_INVALID_EVENT_WAIT_LIST, call(cx.queue, 0, &foreign, which));
        fails!(CL_INVALID_EVENT_WAIT_LIST, call(cx.queue, 1, &cx.context, which));
        fails!(CL_INVALID_CONTEXT, call(cx.queue, 1, &foreign, which));
    }
    let copy = |to, from| cx.clEnqueueSVMMemcpy(cx.queue, CL_TRUE, to, from, 8, 0, null(), null_mut());
    fails!(CL_INVALID_VALUE, copy(null_mut(), pointer));
    fails!(CL_INVALID_VALUE, copy(pointer, null_mut()));
    let fill = |to, pattern, length: usize, size: usize| {
        cx.clEnqueueSVMMemFill(cx.queue, to, pattern, length, size, 0, null(), null_mut())
    };
    let pattern = [0u8; 256];
    let from = pattern.as_ptr().cast();
    fails!(CL_INVALID_VALUE, fill(null_mut(), from, 4, 8));
    fails!(CL_INVALID_VALUE, fill(pointer, null(), 4, 8));
    fails!(CL_INVALID_VALUE, fill(pointer, from, 0, 8));
    fails!(CL_INVALID_VALUE, fill(pointer, from, 3, 9));
    fails!(CL_INVALID_VALUE, fill(pointer, from, 256, 256));
    fails!(CL_INVALID_VALUE, fill(pointer, from, 4, 10));
    fails!(CL_INVALID_VALUE, fill(shared.at(2), from, 4, 8));
    let map = |flags: cl_ulong, to, size: usize| {
        cx.clEnqueueSVMMap(cx.queue, CL_TRUE, flags, to, size, 0, null(), null_mut())
    };
    fails!(CL_INVALID_VALUE, map(CL_MAP_READ, null_mut(), 8));
    fails!(CL_INVALID_VALUE, map(CL_MAP_READ, pointer, 0));
    fails!(CL_INVALID_VALUE, map(1 << 10, pointer, 8));
    fails!(CL_INVALID_VALUE, map(CL_MAP_READ | CL_MAP_WRITE_INVALIDATE_REGION, pointer, 8));
    fails!(CL_INVALID_VALUE, cx.clEnqueueSVMUnmap(cx.queue, null_mut(), 0, null(), null_mut()));
    Ok(())
}

fn svm_negative_free(cx: &Ctx) -> Outcome {
    let shared = Shared::<u8>::new(cx, 64)?;
    let mut list = [shared.at(0)];
    let free = |count: cl_uint, list: *mut c_void| {
        cx.clEnqueueSVMFree(cx.queue, count, list, None, null_mut(), 0, null(), null_mut())
    };
    fails!(CL_INVALID_VALUE, free(0, raw(&mut list)));
    fails!(CL_INVALID_VALUE, free(1, null_mut()));
    ok!(free(1, raw(&mut list)));
    ok!(cx.clFinish(cx.queue));
    Ok(())
}

fn svm_set_kernel_exec_info_svm_ptrs(cx: &Ctx) -> Outcome {
    let (table, data) = (Shared::<*mut c_void>::new(cx, 2)?, Shared::<i32>::new(cx, 8)?);
    data.write(cx, &[1, 2, 3, 4, 5, 6, 7, 8])?;
    table.write(cx, &[data.at(0), data.at(4)])?;
    let source = "typedef struct { global int *at[2]; } table;
        kernel void k(global table *t) { int i = get_global_id(0); t->at[0][i] += t->at[1][i]; }";
    let kernel = cx.kernel(source, "k")?;
    ok!(cx.clSetKernelArgSVMPointer(kernel, 0, table.at(0)));
    let pointers = [data.at(3)];
    let (set, system) = (CL_KERNEL_EXEC_INFO_SVM_PTRS, CL_KERNEL_EXEC_INFO_SVM_FINE_GRAIN_SYSTEM);
    let from = pointers.as_ptr().cast();
    let word = size_of::<*mut c_void>();
    ok!(cx.clSetKernelExecInfo(kernel, set, word, from));
    cx.launch(kernel, 4, None)?;
    equal!(data.read(cx)?, vec![6, 8, 10, 12, 5, 6, 7, 8]);
    // An empty list of pointers.
    ok!(cx.clSetKernelExecInfo(kernel, set, 0, null()));
    fails!(CL_INVALID_VALUE, cx.clSetKernelExecInfo(kernel, set, word, null()));
    fails!(CL_INVALID_VALUE, cx.clSetKernelExecInfo(kernel, set, word - 1, from));
    fails!(CL_INVALID_VALUE, cx.clSetKernelExecInfo(kernel, 0xdead, word, from));
    fails!(CL_INVALID_KERNEL, cx.clSetKernelExecInfo(cx.queue, set, word, from));
    fails!(CL_INVALID_KERNEL, cx.clSetKernelExecInfo(null_mut(), set, word, from));
    wants(cx, SYSTEM)?;
    for truth in [CL_TRUE, CL_FALSE] {
        let value = (&raw const truth).cast();
        ok!(cx.clSetKernelExecInfo(kernel, system, size_of::<cl_bool>(), value));
        for size in [0, 1, 8] {
            fails!(CL_INVALID_VALUE, cx.clSetKernelExecInfo(kernel, system, size, value));
        }
    }
    fails!(CL_INVALID_VALUE, cx.clSetKernelExecInfo(kernel, system, size_of::<cl_bool>(), null()));
    Ok(())
}

/// Tests structures passed by value that contain pointers, which OpenCL C 2.0 permits. The compiler must not assume
/// that these pointers do not alias other arguments.
fn svm_pointers_in_arguments(cx: &Ctx) -> Outcome {
    #[repr(C)]
    struct Argument {
        values: *mut c_void,
        index: cl_int,
    }
    let data = Shared::<i32>::new(cx, 8)?;
    data.write(cx, &[1, 2, 3, 4, 5, 6, 7, 8])?;
    let source = "typedef struct { global int *p; int n; } S;
        kernel void pick(S s, global int *o) { o[get_global_id(0)] = s.p[s.n + get_global_id(0)]; }
        kernel void turns(S s, global int *o) { for (int i = 0; i < s.n; ++i) { o[0] += 1; s.p[0] *= 2; } }";
    let pick = cx.kernel_with(source, "-cl-std=CL2.0", "pick")?;
    let argument = Argument { values: data.at(0), index: 4 };
    let from = (&raw const argument).cast();
    ok!(cx.clSetKernelArg(pick, 0, size_of::<Argument>(), from));
    fails!(CL_INVALID_ARG_SIZE, cx.clSetKernelArg(pick, 0, 8, from));
    ok!(cx.clSetKernelArgSVMPointer(pick, 1, data.at(0)));
    let set = CL_KERNEL_EXEC_INFO_SVM_PTRS;
    let pointers = [data.at(0)];
    ok!(cx.clSetKernelExecInfo(pick, set, size_of::<*mut c_void>(), pointers.as_ptr().cast()));
    cx.launch(pick, 4, None)?;
    equal!(data.read(cx)?, vec![5, 6, 7, 8, 5, 6, 7, 8]);
    let turns = cx.kernel_with(source, "-cl-std=CL2.0", "turns")?;
    let argument = Argument { values: data.at(0), index: 3 };
    ok!(cx.clSetKernelArg(turns, 0, size_of::<Argument>(), (&raw const argument).cast()));
    ok!(cx.clSetKernelArgSVMPointer(turns, 1, data.at(0)));
    cx.launch(turns, 1, None)?;
    equal!(data.read(cx)?[0], 54);
    // Before 2.0 it is an error.
    let old = cx.source(source)?;
    let options = c"-cl-std=CL1.2".as_ptr();
    fails!(
        CL_BUILD_PROGRAM_FAILURE,
        cx.clBuildProgram(old, 1, &raw const cx.device, options, None, null_mut())
    );
    Ok(())
}

fn svm_negative_set_kernel_arg(cx: &Ctx) -> Outcome {
    let shared = Shared::<i32>::new(cx, 8)?;
    let source = "kernel void k(global int *a, constant int *b, local int *c, int d) { a[0] = b[0] + d; }";
    let kernel = cx.kernel(source, "k")?;
    let pointer = shared.at(0);
    ok!(cx.clSetKernelArgSVMPointer(kernel, 0, pointer));
    ok!(cx.clSetKernelArgSVMPointer(kernel, 1, pointer));
    ok!(cx.clSetKernelArgSVMPointer(kernel, 1, null()));
    fails!(CL_INVALID_ARG_VALUE, cx.clSetKernelArgSVMPointer(kernel, 2, pointer));
    fails!(CL_INVALID_ARG_VALUE, cx.clSetKernelArgSVMPointer(kernel, 3, pointer));
    fails!(CL_INVALID_ARG_INDEX, cx.clSetKernelArgSVMPointer(kernel, 4, pointer));
    fails!(CL_INVALID_KERNEL, cx.clSetKernelArgSVMPointer(null_mut(), 0, pointer));
    fails!(CL_INVALID_KERNEL, cx.clSetKernelArgSVMPointer(cx.queue, 0, pointer));
    // The failed calls have not set the arguments.
    let global = 1usize;
    fails!(
        CL_INVALID_KERNEL_ARGS,
        cx.clEnqueueNDRangeKernel(cx.queue, kernel, 1, null(), &global, null(), 0, null(), null_mut())
    );
    Ok(())
}

fn svm_clone_kernel(cx: &Ctx) -> Outcome {
    let (a, b) = (Shared::<i32>::new(cx, 4)?, Shared::<i32>::new(cx, 4)?);
    a.write(cx, &[1; 4])?;
    b.write(cx, &[2; 4])?;
    let kernel = cx.kernel(ADD, "add")?;
    ok!(cx.clSetKernelArgSVMPointer(kernel, 0, a.at(0)));
    ok!(cx.clSetKernelArgSVMPointer(kernel, 1, b.at(0)));
    let clone = make!(cx.clCloneKernel(kernel));
    // The clone has copies of the arguments. Changes to its arguments do not affect the original.
    ok!(cx.clSetKernelArgSVMPointer(kernel, 0, b.at(0)));
    ok!(cx.clReleaseKernel(kernel));
    cx.launch(clone, 4, None)?;
    equal!(a.read(cx)?, vec![3; 4]);
    equal!(b.read(cx)?, vec![2; 4]);
    equal!(query!(cx.clGetKernelInfo(clone, CL_KERNEL_REFERENCE_COUNT)).value::<cl_uint>()?, 1);
    make_fails!(CL_INVALID_KERNEL, cx.clCloneKernel(null_mut()));
    make_fails!(CL_INVALID_KERNEL, cx.clCloneKernel(cx.queue));
    Ok(())
}

fn svm_release_order(cx: &Ctx) -> Outcome {
    wants(cx, CL_DEVICE_SVM_COARSE_GRAIN_BUFFER)?;
    // A context that is released before its memory, its buffer and its queue.
    let context = make!(cx.clCreateContext(null(), 1, &cx.device, None, null_mut()));
    let queue = make!(cx.clCreateCommandQueue(context, cx.device, 0));
    let base = cx.clSVMAlloc(context, CL_MEM_READ_WRITE, 1 << 20, 0);
    holds!(!base.is_null());
    let left = cx.clSVMAlloc(context, CL_MEM_READ_WRITE, 64, 0);
    holds!(!left.is_null());
    let buffer = make!(cx.clCreateBuffer(context, CL_MEM_USE_HOST_PTR, 1 << 20, base));
    ok!(cx.clReleaseContext(context));
    let pattern = [1u8];
    let mut list = [base];
    let from = pattern.as_ptr().cast();
    ok!(cx.clEnqueueSVMMemFill(queue, base, from, 1, 1 << 20, 0, null(), null_mut()));
    ok!(cx.clEnqueueSVMFree(queue, 1, raw(&mut list), None, null_mut(), 0, null(), null_mut()));
    ok!(cx.clReleaseCommandQueue(queue));
    ok!(cx.clReleaseMemObject(buffer));
    Ok(())
}
