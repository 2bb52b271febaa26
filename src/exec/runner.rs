//! Runs groups of a launch on the calling thread: with local and private memory, a stack, and containment of faults.

use std::sync::Arc;

use super::arena::{self, Arena};
use super::enqueuing_launch::{EnqueuingLaunch, EnqueuingWorker};
use super::fault::{self, Fault};
use super::launch::Inputs;
use super::private_copies::PrivateCopies;
use super::range::{Grid, MAX_MERGED_ITEMS};
use super::scheduler::profile::ProfiledKernel;
use grus_codegen::rtlib::print::PrintfBuffer;
use grus_support::caches;
use grus_support::float_mode;
use grus_support::stack::{NoStack, on_stack};

/// Initializes the executor's thread-local variables, so that their destructors are registered before they hold
/// anything.
pub fn init_thread_locals() {
    arena::init_thread_locals();
    fault::init_thread_locals();
}

/// Runner of consecutive launches on this thread, which caches the thread's resources.
#[derive(Default)]
pub struct Runner {
    cache: Option<ThreadCache>,
    /// Copies of the memory that the launch updates, while it runs.
    copies: Option<PrivateCopies>,
}

/// Resources of a thread that runs groups.
struct ThreadCache {
    arena: Arena,
    record: fault::ThreadRecord,
}

impl Runner {
    /// Releases the cached resources. Callers do this before code of the application runs on this thread, so that its
    /// launches reuse the memory instead of allocating more.
    pub fn release_caches(&mut self) {
        self.cache = None;
    }

    /// Combines the copies of the memory that a launch updates with the memory itself. Threads call this before they
    /// report that they have run their groups.
    pub(super) fn combine_copies(&mut self) {
        if let Some(copies) = self.copies.take() {
            copies.combine();
        }
    }
}

impl ThreadCache {
    fn of_this_thread() -> ThreadCache {
        ThreadCache { arena: Arena::of_this_thread(), record: fault::ThreadRecord::of_this_thread() }
    }
}

/// Maximum stack size of kernels that run on the thread's own stack, which may have only 64 KiB.
// Arbitrary.
const MAX_FRAME_BYTES_ON_THREAD_STACK: u64 = 16 << 10;

/// Bytes of a separate stack in addition to the kernel's frames, for runtime functions that the kernel calls.
// Arbitrary.
const RUNTIME_STACK_BYTES: usize = 256 << 10;

/// Runs groups whose frames need `frames` bytes, on a separate stack if that is too much for the thread's own.
fn with_stack(frames: u64, run: impl FnOnce() -> Result<(), Fault>) -> Result<(), Fault> {
    if frames <= MAX_FRAME_BYTES_ON_THREAD_STACK {
        return run();
    }
    let size = usize::try_from(frames)
        .unwrap_or(usize::MAX)
        .saturating_add(RUNTIME_STACK_BYTES)
        .checked_next_multiple_of(RUNTIME_STACK_BYTES);
    let no_memory = |NoStack| Err(Fault::new("no memory for the stack of the work-group"));
    size.ok_or(NoStack).and_then(|size| on_stack(size, run)).unwrap_or_else(no_memory)
}

/// Launch divided into groups, or a part of it, and its printf output.
#[derive(Clone)]
pub(super) struct LaunchWork {
    pub grid: Grid,
    /// Number of the first group of this part of the launch.
    pub first: u64,
    /// Number of groups.
    pub count: u64,
    /// Output; `None` if the kernel does not call printf.
    pub printed: Option<Arc<PrintfBuffer>>,
}

/// Kernel, its arguments, and its launch in a launch graph if it may enqueue others.
pub(super) type RunParts<'a, L> = (&'a Arc<ProfiledKernel>, &'a Inputs, Option<&'a L>);

impl LaunchWork {
    /// Runs groups `from..to` of this part on this thread.
    pub fn run_groups<L: EnqueuingLaunch>(
        &self,
        runner: &mut Runner,
        (kernel, inputs, handle): RunParts<'_, L>,
        from: u64,
        to: u64,
    ) -> Result<(), Fault> {
        let items: u64 = self.grid.local().iter().product();
        let code = &kernel.code;
        let private = code.footprint.private_size(items);
        let ThreadCache { arena, record } = runner.cache.get_or_insert_with(ThreadCache::of_this_thread);
        let Some((local, area)) = arena.areas(inputs.local_size, private) else {
            return Err(Fault::new("no memory for the work-group"));
        };
        let mode = float_mode::KernelMode::enter(code.mode.flush_denormals);
        let end = area.wrapping_add(private as usize);
        let args = if code.traits.private_updates.is_empty() {
            inputs.args.as_ptr()
        } else {
            runner.copies.get_or_insert_with(|| PrivateCopies::new(&code.traits, inputs)).args()
        };
        let mut context = self.grid.context(args, local, area, end);
        context.printf_buffer = self.printed.as_ref().map_or(std::ptr::null(), |p| Arc::as_ptr(p).cast());
        let worker = handle.map(L::worker);
        let worker = worker.as_ref();
        let link = worker.map(|worker| worker.link());
        context.enqueue_sink = link.as_ref().map_or(std::ptr::null(), |link| std::ptr::from_ref(link).cast());
        let context = &raw mut context;
        // Small groups that the kernel cannot tell from one another run in one call.
        let is_row = code.traits.is_group_agnostic && !code.footprint.has_item_context() && worker.is_none();
        let max_count = if is_row { (MAX_MERGED_ITEMS / items).max(1) } else { 1 };
        let run = || {
            fault::contain(record, code, context, || {
                let mut group = self.grid.group(self.first + from);
                let mut left = to - from;
                while left != 0 {
                    // SAFETY: the context lives in the enclosing frame, and no other reference to it is in use.
                    let context = unsafe { &mut *context };
                    let (count, next) = self.grid.rest_of_row(group, max_count.min(left));
                    self.grid.set_groups(group, count, context);
                    (group, left) = (next, left - count);
                    // SAFETY: the context describes a group of this launch, the argument block was laid out for this
                    // kernel, and the areas have the sizes it requires.
                    unsafe { code.run_group(context) };
                    if let Some(worker) = worker {
                        worker.group_ended();
                    }
                }
            })
        };
        let result = with_stack(code.footprint.stack_size, run);
        if code.mode.is_nontemporal {
            caches::store_fence();
        }
        if let (Err(_), Some(worker)) = (&result, worker) {
            worker.group_failed();
        }
        drop(mode);
        arena.trim();
        result
    }
}
