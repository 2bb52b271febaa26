//! Load tests: very many commands from very many threads, with concurrent releases.

use std::cell::RefCell;
use std::ffi::c_void;
use std::ptr::{null, null_mut};
use std::sync::Mutex;
use std::sync::atomic::{AtomicU64, Ordering};

use cl_sys::*;

use crate::check::Outcome;
use crate::context::{Ctx, raw};
use crate::{equal, holds, make, ok, tests};

tests! {
    "test_api":
        sixty_four_threads, a_million_enqueues_hold_memory_flat;
}

const THREADS: u32 = 64;

/// Returns the number of commands of each thread. `GRUS_LOAD` overrides it: the nightly tier asks for 10,000.
fn commands() -> u32 {
    std::env::var("GRUS_LOAD").ok().and_then(|text| text.parse().ok()).unwrap_or(1_000)
}

/// Number of buffers that threads replace by new ones while other threads use them.
const SHARED: usize = 16;

/// Number of words of each buffer.
const WORDS: usize = 64;
const BYTES: usize = WORDS * 4;

const SOURCE: &str = "kernel void count(global int *total) { if (get_global_id(0) == 0) atomic_inc(total); }
kernel void fill(global int *out, int n) { out[get_global_id(0)] = n; }";

/// Objects that all threads use. Handles are stored as addresses.
struct World<'a> {
    cx: &'a Ctx,
    queues: Vec<usize>,
    buffers: Vec<Mutex<usize>>,
    program: usize,
    total: usize,
}

// SAFETY: OpenCL calls can be made from any thread, and all other fields are addresses and locks.
unsafe impl Sync for World<'_> {}

/// Returns the handle with this address.
fn handle(address: usize) -> *mut c_void {
    std::ptr::with_exposed_provenance_mut(address)
}

/// Numbers of callbacks and of native kernels that have run.
static CALLED: AtomicU64 = AtomicU64::new(0);
static NATIVE: AtomicU64 = AtomicU64::new(0);
static DESTROYED: AtomicU64 = AtomicU64::new(0);

unsafe extern "C" fn called(_event: cl_event, _status: cl_int, _data: *mut c_void) {
    CALLED.fetch_add(1, Ordering::Relaxed);
}

unsafe extern "C" fn native(_args: *mut c_void) {
    NATIVE.fetch_add(1, Ordering::Relaxed);
}

unsafe extern "C" fn destroyed(_object: *mut c_void, _data: *mut c_void) {
    DESTROYED.fetch_add(1, Ordering::Relaxed);
}

/// Operations of one thread, to be checked at the end.
#[derive(Default)]
struct Tally {
    counted: u64,
    called: u64,
    native: u64,
    made: u64,
}

/// State of one thread.
struct Worker<'a> {
    world: &'a World<'a>,
    random: RefCell<u64>,
    queue: cl_command_queue,
    mine: cl_mem,
    count: cl_kernel,
    fill: cl_kernel,
    tally: RefCell<Tally>,
}

impl<'a> Worker<'a> {
    fn new(world: &'a World<'a>, seed: u32) -> Outcome<Self> {
        let cx = world.cx;
        let program = handle(world.program);
        let count = make!(cx.clCreateKernel(program, c"count".as_ptr()));
        let fill = make!(cx.clCreateKernel(program, c"fill".as_ptr()));
        let total = handle(world.total);
        ok!(cx.clSetKernelArg(count, 0, 8, (&raw const total).cast()));
        let mine = cx.buffer(&[0i32; WORDS])?;
        ok!(cx.clSetKernelArg(fill, 0, 8, (&raw const mine).cast()));
        let properties = if seed.is_multiple_of(2) { 0 } else { CL_QUEUE_PROFILING_ENABLE };
        let random = RefCell::new(u64::from(seed + 1).wrapping_mul(0x9e37_79b9_7f4a_7c15));
        let queue = cx.queue(properties)?;
        Ok(Self { world, random, queue, mine, count, fill, tally: RefCell::default() })
    }

    /// Returns a random number below `end`.
    fn below(&self, end: usize) -> usize {
        let mut state = self.random.borrow_mut();
        *state ^= *state << 13;
        *state ^= *state >> 7;
        *state ^= *state << 17;
        (*state >> 33) as usize % end
    }

    fn shared_queue(&self) -> cl_command_queue {
        handle(self.world.queues[self.below(self.world.queues.len())])
    }

    /// Returns a shared buffer, retained for this thread.
    fn borrow(&self) -> Outcome<cl_mem> {
        let cx = self.world.cx;
        let slot = &self.world.buffers[self.below(SHARED)];
        let address = slot.lock().map_or_else(
            |broken| *broken.into_inner(),
            |slot| {
                let _ = cx.clRetainMemObject(handle(*slot));
                *slot
            },
        );
        Ok(handle(address))
    }

    /// Puts a new buffer into a slot and releases the old one, which commands may still use.
    fn exchange(&self) -> Outcome {
        let cx = self.world.cx;
        let new = cx.empty_buffer(BYTES)?;
        ok!(cx.clSetMemObjectDestructorCallback(new, Some(destroyed), null_mut()));
        self.tally.borrow_mut().made += 1;
        let slot = &self.world.buffers[self.below(SHARED)];
        let old = match slot.lock() {
            Ok(mut slot) => std::mem::replace(&mut *slot, new.expose_provenance()),
            Err(_) => return crate::check::failed("load", "a thread panicked"),
        };
        ok!(cx.clReleaseMemObject(handle(old)));
        Ok(())
    }

    /// Launches a kernel over a shared buffer.
    fn launch(&self, kernel: cl_kernel, queue: cl_command_queue, waits: &[cl_event]) -> Outcome<cl_event> {
        let cx = self.world.cx;
        let mut event = null_mut();
        let list = if waits.is_empty() { null() } else { waits.as_ptr() };
        let count = waits.len() as cl_uint;
        let (one, global) = (1, [WORDS]);
        ok!(cx.clEnqueueNDRangeKernel(
            queue,
            kernel,
            one,
            null(),
            global.as_ptr(),
            null(),
            count,
            list,
            &mut event
        ));
        Ok(event)
    }

    /// Enqueues one command, or a few related ones.
    fn step(&self, round: u32) -> Outcome {
        let cx = self.world.cx;
        let queue = self.shared_queue();
        match self.below(16) {
            0..4 => {
                let event = self.launch(self.count, queue, &[])?;
                self.tally.borrow_mut().counted += 1;
                ok!(cx.clReleaseEvent(event));
            }
            4 => self.exchange()?,
            5..7 => {
                let (a, b) = (self.borrow()?, self.borrow()?);
                if a != b {
                    ok!(cx.clEnqueueCopyBuffer(queue, a, b, 0, 0, BYTES, 0, null(), null_mut()));
                }
                ok!(cx.clReleaseMemObject(a));
                ok!(cx.clReleaseMemObject(b));
            }
            7 => {
                let buffer = self.borrow()?;
                let (pattern, null) = ((&raw const round).cast(), null());
                ok!(cx.clEnqueueFillBuffer(queue, buffer, pattern, 4, 0, BYTES, 0, null, null_mut()));
                ok!(cx.clReleaseMemObject(buffer));
            }
            8 => self.callbacks(queue)?,
            9 => self.gated(queue)?,
            10 => self.own_round_trip(round)?,
            11 => self.mapping(queue)?,
            12 => {
                let mut event = null_mut();
                ok!(cx.clEnqueueNativeKernel(
                    queue,
                    Some(native),
                    null_mut(),
                    0,
                    0,
                    null(),
                    null_mut(),
                    0,
                    null(),
                    &mut event
                ));
                self.tally.borrow_mut().native += 1;
                ok!(cx.clReleaseEvent(event));
            }
            13 => ok!(cx.clFlush(queue)),
            14 => {
                ok!(cx.clEnqueueBarrierWithWaitList(queue, 0, null(), null_mut()));
                ok!(cx.clRetainCommandQueue(queue));
                ok!(cx.clReleaseCommandQueue(queue));
            }
            _ if round.is_multiple_of(64) => ok!(cx.clFinish(queue)),
            _ => self.short_lived_queue()?,
        }
        Ok(())
    }

    /// Enqueues a command with callbacks for all states.
    fn callbacks(&self, queue: cl_command_queue) -> Outcome {
        let cx = self.world.cx;
        let event = self.launch(self.count, queue, &[])?;
        for status in [CL_SUBMITTED, CL_RUNNING, CL_COMPLETE] {
            ok!(cx.clSetEventCallback(event, status, Some(called), null_mut()));
        }
        let mut tally = self.tally.borrow_mut();
        (tally.counted, tally.called) = (tally.counted + 1, tally.called + 3);
        ok!(cx.clReleaseEvent(event));
        Ok(())
    }

    /// Enqueues commands that wait for a user event, then sets and releases the event concurrently.
    fn gated(&self, queue: cl_command_queue) -> Outcome {
        let cx = self.world.cx;
        let gate = cx.user_event()?;
        let first = self.launch(self.count, queue, &[gate])?;
        let other = self.launch(self.count, self.shared_queue(), &[first, gate])?;
        self.tally.borrow_mut().counted += 2;
        ok!(cx.clReleaseEvent(first));
        ok!(cx.clSetUserEventStatus(gate, CL_COMPLETE));
        ok!(cx.clReleaseEvent(gate));
        if self.below(4) == 0 {
            ok!(cx.clWaitForEvents(1, &other));
        }
        ok!(cx.clReleaseEvent(other));
        Ok(())
    }

    /// Fills this thread's own buffer and reads it back.
    fn own_round_trip(&self, round: u32) -> Outcome {
        let cx = self.world.cx;
        ok!(cx.clSetKernelArg(self.fill, 1, 4, (&raw const round).cast()));
        let event = self.launch(self.fill, self.queue, &[])?;
        let mut data = [0u32; WORDS];
        let (size, to) = (BYTES, raw(&mut data));
        ok!(cx.clEnqueueReadBuffer(self.queue, self.mine, CL_TRUE, 0, size, to, 1, &event, null_mut()));
        equal!(data, [round; WORDS]);
        ok!(cx.clReleaseEvent(event));
        Ok(())
    }

    /// Maps and unmaps a sub-buffer of a shared buffer.
    fn mapping(&self, queue: cl_command_queue) -> Outcome {
        let cx = self.world.cx;
        let buffer = self.borrow()?;
        let region = cl_buffer_region { origin: 128, size: 64 };
        let (kind, info) = (CL_BUFFER_CREATE_TYPE_REGION, (&raw const region).cast());
        let part = make!(cx.clCreateSubBuffer(buffer, 0, kind, info));
        ok!(cx.clReleaseMemObject(buffer));
        let (flags, no) = (CL_MAP_READ, CL_FALSE);
        let pointer = make!(cx.clEnqueueMapBuffer(queue, part, no, flags, 0, 64, 0, null(), null_mut()));
        ok!(cx.clEnqueueUnmapMemObject(queue, part, pointer, 0, null(), null_mut()));
        ok!(cx.clReleaseMemObject(part));
        Ok(())
    }

    /// Releases a queue that has pending commands.
    fn short_lived_queue(&self) -> Outcome {
        let cx = self.world.cx;
        let kinds = [0, CL_QUEUE_OUT_OF_ORDER_EXEC_MODE_ENABLE, CL_QUEUE_PROFILING_ENABLE];
        let queue = cx.queue(kinds[self.below(3)])?;
        for _ in 0..2 {
            let event = self.launch(self.count, queue, &[])?;
            self.tally.borrow_mut().counted += 1;
            ok!(cx.clReleaseEvent(event));
        }
        ok!(cx.clReleaseCommandQueue(queue));
        Ok(())
    }

    /// Runs all commands and returns the number of operations.
    fn run(self) -> Outcome<Tally> {
        let cx = self.world.cx;
        for round in 0..commands() {
            self.step(round)?;
        }
        ok!(cx.clFinish(self.queue));
        for kernel in [self.count, self.fill] {
            ok!(cx.clReleaseKernel(kernel));
        }
        ok!(cx.clReleaseMemObject(self.mine));
        ok!(cx.clReleaseCommandQueue(self.queue));
        Ok(self.tally.into_inner())
    }
}

/// Waits until a counter has its final value, which may be shortly after the last command has completed.
fn reaches(counter: &AtomicU64, value: u64) -> bool {
    let start = std::time::Instant::now();
    while counter.load(Ordering::Relaxed) != value && start.elapsed().as_secs() < 20 {
        std::thread::sleep(std::time::Duration::from_millis(1));
    }
    counter.load(Ordering::Relaxed) == value
}

/// Creates four queues, the shared buffers and a program.
fn world(cx: &Ctx) -> Outcome<World<'_>> {
    let out_of_order = CL_QUEUE_OUT_OF_ORDER_EXEC_MODE_ENABLE;
    let kinds = [0, 0, out_of_order, out_of_order | CL_QUEUE_PROFILING_ENABLE];
    let mut queues = Vec::new();
    for kind in kinds {
        queues.push(cx.queue(kind)?.expose_provenance());
    }
    let mut buffers = Vec::new();
    for _ in 0..SHARED {
        let buffer = cx.empty_buffer(BYTES)?;
        ok!(cx.clSetMemObjectDestructorCallback(buffer, Some(destroyed), null_mut()));
        buffers.push(Mutex::new(buffer.expose_provenance()));
    }
    let program = cx.program_with(SOURCE, "")?.expose_provenance();
    let total = cx.buffer(&[0u32])?.expose_provenance();
    Ok(World { cx, queues, buffers, program, total })
}

fn sixty_four_threads(cx: &Ctx) -> Outcome {
    // Half of the threads use each of two contexts.
    let other = cx.sibling()?;
    let worlds = [world(cx)?, world(&other)?];
    let tallies = std::thread::scope(|scope| {
        let start = |seed: u32| {
            let world = &worlds[seed as usize / 2 % 2];
            let run =
                move || Worker::new(world, seed).and_then(Worker::run).map(|tally| (world.total, tally));
            scope.spawn(run)
        };
        let threads: Vec<_> = (0..THREADS).map(start).collect();
        let join = |thread: std::thread::ScopedJoinHandle<'_, Outcome<(usize, Tally)>>| {
            thread.join().unwrap_or_else(|_| crate::check::failed("thread", "it panicked"))
        };
        threads.into_iter().map(join).collect::<Outcome<Vec<_>>>()
    })?;
    let sum = |part: fn(&Tally) -> u64| tallies.iter().map(|(_, tally)| part(tally)).sum::<u64>();
    for world in &worlds {
        let cx = world.cx;
        for &queue in &world.queues {
            ok!(cx.clFinish(handle(queue)));
        }
        let here = tallies.iter().filter(|(total, _)| *total == world.total);
        let expected: u64 = here.map(|(_, tally)| tally.counted).sum();
        // Queues that were released early finish by themselves, so the total is reached a little later.
        let start = std::time::Instant::now();
        loop {
            let counted = u64::from(cx.contents::<u32>(handle(world.total), 1)?[0]);
            if counted == expected {
                break;
            }
            holds!(counted < expected && start.elapsed().as_secs() < 20);
            std::thread::sleep(std::time::Duration::from_millis(1));
        }
    }
    holds!(reaches(&CALLED, sum(|t| t.called)));
    holds!(reaches(&NATIVE, sum(|t| t.native)));
    // All objects are destroyed once they are released.
    for world in &worlds {
        let cx = world.cx;
        for buffer in &world.buffers {
            let address = buffer.lock().map_or(0, |slot| *slot);
            ok!(cx.clReleaseMemObject(handle(address)));
        }
        ok!(cx.clReleaseMemObject(handle(world.total)));
        ok!(cx.clReleaseProgram(handle(world.program)));
        for &queue in &world.queues {
            ok!(cx.clReleaseCommandQueue(handle(queue)));
        }
    }
    holds!(reaches(&DESTROYED, sum(|t| t.made) + 2 * SHARED as u64));
    Ok(())
}

/// Returns the resident memory of this process in KiB, or `None` where the system does not report it.
fn resident() -> Option<u64> {
    let status = std::fs::read_to_string("/proc/self/status").ok()?;
    let line = status.lines().find_map(|line| line.strip_prefix("VmRSS:"))?;
    line.split_whitespace().next()?.parse().ok()
}

fn a_million_enqueues_hold_memory_flat(cx: &Ctx) -> Outcome {
    let kernel = cx.kernel(SOURCE, "count")?;
    let total = cx.buffer(&[0u32])?;
    ok!(cx.clSetKernelArg(kernel, 0, 8, (&raw const total).cast()));
    let global = [WORDS];
    let enqueue = |count: u32| -> Outcome {
        for _ in 0..count {
            let (sizes, no) = (global.as_ptr(), null());
            ok!(cx.clEnqueueNDRangeKernel(cx.queue, kernel, 1, no, sizes, no, 0, null(), null_mut()));
        }
        Ok(())
    };
    // No wait in between.
    enqueue(50_000)?;
    let before = resident();
    enqueue(950_000)?;
    let after = resident();
    equal!(cx.contents::<u32>(total, 1)?, vec![1_000_000]);
    if let (Some(before), Some(after)) = (before, after) {
        // The memory of pending commands varies by a few megabytes.
        if after > before + (16 << 10) {
            let text = format!("memory grew from {before} to {after} KiB");
            return crate::check::failed("load", &text);
        }
    }
    Ok(())
}
