//! Executor: runs ND-ranges on threads. It does not depend on OpenCL objects or error codes.

mod arena;
mod args;
#[cfg(any(test, target_arch = "aarch64"))]
mod arm_access;
mod cpu_set;
mod device_queue;
mod fault;
mod grid_stride;
mod range;
mod scheduler;
mod signal;

use std::sync::Arc;
use std::time::Instant;

use crate::ir::abi::interchanged;
pub use crate::rtlib::enqueue::MAX_EVENTS;
pub use crate::rtlib::print::PRINTF_BUFFER_SIZE;
use crate::rtlib::print::Printed;
use crate::support::caches;
use crate::support::float_mode;
use crate::support::stack::{NoStack, on_stack};
use crate::support::sync::Mutex;
pub use args::ArgBlock;
pub use cpu_set::{BoundThread, CpuSet, compute_units, processors, unbind};
pub use device_queue::{DeviceQueue, EnqueueEnvironment, EnqueuedBlock, Program};
pub use range::choose_local_size;
pub use scheduler::contention::ProbePlan;
pub use scheduler::profile::{KernelProfile, ProfiledKernel};
pub use scheduler::{in_background, in_chunks, other_threads, split};

use arena::Arena;
use device_queue::LaunchHandle;
use range::{Coalescing, Grid};

/// Initializes the executor's thread-local variables, so that their destructors are registered before they hold
/// anything.
pub fn init_thread_locals() {
    arena::init_thread_locals();
    fault::init_thread_locals();
}

/// ND-range. Unused dimensions have size 1 and offset 0.
#[derive(Clone, Copy, Debug, Default)]
pub struct NdRange {
    /// Number of dimensions, 1 to 3.
    pub work_dim: u32,
    pub offset: [u64; 3],
    pub global: [u64; 3],
    /// Local size, at least 1 in each dimension. If it does not divide `global`, the last group of that dimension is
    /// smaller (OpenCL 2.0); callers reject this for 1.x programs.
    pub local: [u64; 3],
}

impl NdRange {
    /// Returns the range with its first two dimensions interchanged.
    fn interchanged(&self) -> NdRange {
        let NdRange { work_dim, offset, global, local } = *self;
        NdRange {
            work_dim,
            offset: interchanged(offset),
            global: interchanged(global),
            local: interchanged(local),
        }
    }
}

/// Arguments and local memory of a launch. Memory that the arguments point to outlives the launch.
#[derive(Clone, Debug, Default)]
pub struct Inputs {
    args: ArgBlock,
    /// Bytes of local memory per work-group.
    local_size: u64,
}

impl Inputs {
    /// Wraps arguments, which [`Inputs::prepare`] completes.
    fn of(args: ArgBlock) -> Inputs {
        Inputs { args, local_size: 0 }
    }

    /// Returns the size of the arguments in bytes.
    fn bytes(&self) -> usize {
        self.args.bytes()
    }

    /// Returns the arguments, which [`Inputs::prepare`] completes.
    pub fn args(&mut self) -> &mut ArgBlock {
        &mut self.args
    }

    /// Completes the arguments for `kernel`, each of which is at its `ArgInfo::offset`. `local_args` lists for each
    /// argument in local memory the offset of its 8-byte entry and its size. In local memory they follow the kernel's
    /// own local variables, each aligned for any type.
    pub fn prepare(&mut self, kernel: &ProfiledKernel, local_args: impl IntoIterator<Item = (u32, u64)>) {
        self.local_size = kernel.local_size();
        for (at, size) in local_args {
            self.args.put(at as usize, &self.local_size.to_le_bytes());
            self.local_size += size.next_multiple_of(crate::ir::abi::AREA_ALIGN);
        }
    }
}

/// ND-range with the arguments of its kernel.
#[derive(Clone, Debug, Default)]
pub struct Launch {
    range: NdRange,
    inputs: Inputs,
}

impl Launch {
    /// Creates a launch of `kernel`; see [`Inputs::prepare`] for `args` and `local_args`.
    pub fn new(
        kernel: &ProfiledKernel,
        range: NdRange,
        args: ArgBlock,
        local_args: impl IntoIterator<Item = (u32, u64)>,
    ) -> Launch {
        let mut inputs = Inputs { args, ..Inputs::default() };
        inputs.prepare(kernel, local_args);
        Launch { range, inputs }
    }

    /// Returns a launch of the same arguments over another range.
    pub fn over(&self, range: NdRange) -> Launch {
        Launch { range, inputs: self.inputs.clone() }
    }

    /// Returns the range.
    pub fn range(&self) -> &NdRange {
        &self.range
    }
}

/// Fault of a kernel, as reported to the application.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Fault {
    pub message: String,
    /// Source position, as an index into `ir::SourceLines` of the kernel's module; 0 if unknown.
    pub loc: u32,
    /// Global id of the work-item that faulted, if known; else the first of the work-items of its vector.
    pub item: Option<[u64; 3]>,
    /// Global id of the last work-item of the vector, one of whose work-items has faulted; `None` if `item` is exact.
    pub last: Option<Box<[u64; 3]>>,
    /// Id of the work-group; `None` if groups were coalesced.
    pub group: Option<[u64; 3]>,
    /// Name of the kernel, if it was enqueued by another kernel.
    pub kernel: Option<Arc<str>>,
}

impl Fault {
    fn new(message: &str) -> Fault {
        Fault { message: message.into(), ..Fault::default() }
    }

    /// Maps iterations of a grid-stride loop, which were run as work-items, to the work-items of the original range of
    /// `items`.
    fn at_work_item(mut self, items: u64) -> Fault {
        let Some([first, ..]) = &mut self.item else { return self };
        let iteration = *first / items;
        *first %= items;
        if let Some([last, ..]) = self.last.as_deref_mut() {
            // A vector that spans two iterations may include any work-item.
            if *last / items == iteration {
                *last %= items;
            } else {
                (*first, *last) = (0, items - 1);
            }
        }
        self
    }

    /// Creates the fault that a panic of the executor reports.
    fn bug() -> Fault {
        Fault::new("internal error in the executor")
    }
}

/// Runs one launch of `kernel`; see [`Runner::run`].
pub fn run(kernel: &Arc<ProfiledKernel>, launch: &Launch, cpu_set: Option<&CpuSet>) -> Result<(), Fault> {
    Runner::default().run(kernel, &launch.range, &launch.inputs, cpu_set)
}

/// Runner of consecutive launches on this thread, which caches the thread's resources.
#[derive(Default)]
pub struct Runner(Option<ThreadCache>);

/// Resources of a thread that runs groups.
struct ThreadCache {
    arena: Arena,
    record: fault::ThreadRecord,
}

impl Runner {
    /// Releases the cached resources. Callers do this before code of the application runs on this thread, so that its
    /// launches reuse the memory instead of allocating more.
    pub fn release_caches(&mut self) {
        self.0 = None;
    }

    /// Runs a launch of `kernel` to its end, on this thread and on pool threads: on `cpu_set` (a sub-device), or on all
    /// CPUs. Small ranges run on this thread only, without waking another.
    pub fn run(
        &mut self,
        kernel: &Arc<ProfiledKernel>,
        range: &NdRange,
        inputs: &Inputs,
        cpu_set: Option<&CpuSet>,
    ) -> Result<(), Fault> {
        self.run_one(kernel, range, inputs, cpu_set, None)
    }

    /// Runs a kernel that may enqueue other kernels, and all kernels that it enqueues. Calls `ended` when the first
    /// kernel itself has ended.
    ///
    /// # Errors
    /// Returns the first fault of any of the kernels.
    pub fn run_tree(
        &mut self,
        kernel: &Arc<ProfiledKernel>,
        range: &NdRange,
        inputs: &Inputs,
        environment: &EnqueueEnvironment,
        ended: &mut dyn FnMut(),
    ) -> Result<(), Fault> {
        let threads = scheduler::threads(environment.part.as_deref());
        device_queue::run(self, (kernel, range, inputs), environment, threads, ended)
    }

    /// Runs one kernel; `handle` is its place in a launch tree if it may enqueue others.
    fn run_one(
        &mut self,
        kernel: &Arc<ProfiledKernel>,
        range: &NdRange,
        inputs: &Inputs,
        cpu_set: Option<&CpuSet>,
        handle: Option<&LaunchHandle>,
    ) -> Result<(), Fault> {
        let _bound = cpu_set.map(CpuSet::enter);
        let ProfiledKernel { code, profile } = &**kernel;
        let traits = &code.traits;
        let threads = scheduler::threads(cpu_set);
        let mut range = if code.mode.is_interchanged { range.interchanged() } else { *range };
        let requested_items = range.global[0];
        let iterations = traits.steps.as_ref().and_then(|steps| steps.grid_stride.as_ref());
        let iterations =
            iterations.filter(|_| threads > 1).and_then(|it| grid_stride::items(it, &range, &inputs.args));
        if let Some(iterations) = iterations {
            range.global[0] = iterations;
        }
        let items = || range.global.iter().product();
        let coalescing = || match &traits.steps {
            None => {
                let (item, may_contend) = (profile.item_time(), traits.has_global_atomics);
                Coalescing::for_independent_items(
                    threads as u64,
                    items(),
                    traits.lanes.into(),
                    item,
                    may_contend,
                )
            }
            Some(steps) => Coalescing::for_strided_items(
                threads as u64,
                items(),
                code.footprint.has_item_context(),
                steps.streams,
            ),
        };
        let grid = Grid::new(range, traits.is_group_agnostic.then(coalescing));
        let printed = traits.prints.then(Arc::<Printed>::default);
        let work = LaunchWork { grid, printed };
        let begin = traits.has_optimized_tier.then(Instant::now);
        let result = scheduler::run((kernel, inputs, handle), &work, self, threads, cpu_set);
        if let Some(begin) = begin {
            profile.add_run_time(begin.elapsed());
        }
        if let Some(printed) = work.printed {
            printed.flush();
        }
        result.map_err(|fault| if iterations.is_some() { fault.at_work_item(requested_items) } else { fault })
    }

    fn cache(&mut self) -> &mut ThreadCache {
        let init =
            || ThreadCache { arena: Arena::of_this_thread(), record: fault::ThreadRecord::of_this_thread() };
        self.0.get_or_insert_with(init)
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

/// Division of a launch into groups, and its printf output.
#[derive(Clone)]
struct LaunchWork {
    grid: Grid,
    /// Output; `None` if the kernel does not call printf.
    printed: Option<Arc<Printed>>,
}

/// First fault of a launch.
type FirstFault = Mutex<Option<Fault>>;

/// Kernel, its arguments, and its handle in a launch tree if it may enqueue.
type RunParts<'a> = (&'a Arc<ProfiledKernel>, &'a Inputs, Option<&'a LaunchHandle>);

impl LaunchWork {
    /// Runs groups `from..to` on this thread.
    fn run_groups(
        &self,
        runner: &mut Runner,
        (kernel, inputs, handle): RunParts,
        from: u64,
        to: u64,
    ) -> Result<(), Fault> {
        let items: u64 = self.grid.local().iter().product();
        let code = &kernel.code;
        let private = code.footprint.private_size(items);
        let ThreadCache { arena, record } = runner.cache();
        let Some((local, area)) = arena.areas(inputs.local_size, private) else {
            return Err(Fault::new("no memory for the work-group"));
        };
        let mode = float_mode::Kernels::enter(code.mode.flush_denormals);
        let end = area.wrapping_add(private as usize);
        let mut context = self.grid.context(inputs.args.as_ptr(), local, area, end);
        context.printed = self.printed.as_ref().map_or(std::ptr::null(), |p| Arc::as_ptr(p).cast());
        let worker = handle.map(LaunchHandle::worker);
        let worker = worker.as_ref();
        let link = worker.map(|worker| worker.link());
        context.parent = link.as_ref().map_or(std::ptr::null(), |link| std::ptr::from_ref(link).cast());
        let context = &raw mut context;
        let run = || {
            fault::contain(record, code, context, || {
                let mut group = self.grid.group(from);
                for _ in from..to {
                    // SAFETY: the context lives in the enclosing frame, and no other reference to it is in use.
                    let context = unsafe { &mut *context };
                    self.grid.set_group(group, context);
                    group = self.grid.next_group(group);
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
            caches::settle();
        }
        if let (Err(_), Some(worker)) = (&result, worker) {
            worker.group_failed();
        }
        drop(mode);
        arena.trim();
        result
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn faults_of_iterations_name_work_items() {
        let reported = |first: u64, last: Option<u64>| {
            let last = last.map(|last| Box::new([last, 0, 0]));
            let fault = Fault { item: Some([first, 0, 0]), last, ..Fault::default() }.at_work_item(100);
            (fault.item.map(|id| id[0]), fault.last.map(|id| id[0]))
        };
        assert_eq!(reported(1234, None), (Some(34), None));
        assert_eq!(reported(1200, Some(1215)), (Some(0), Some(15)));
        assert_eq!(reported(1290, Some(1305)), (Some(0), Some(99)));
        assert_eq!(Fault::default().at_work_item(1), Fault::default());
    }
}
