//! Runs ND-ranges. Knows nothing of OpenCL objects or error codes.

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
use std::sync::atomic::Ordering;
use std::time::Instant;

use crate::ir::abi::interchanged;
pub use crate::jit::CompiledKernel;
pub use crate::rtlib::enqueue::MOST_EVENTS;
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
pub use scheduler::{in_background, in_chunks, other_threads, split};

use arena::Arena;
use device_queue::LaunchHandle;
use range::{Coalescing, Grid};

/// Registers what a thread gives back when it ends, before there is any.
pub fn note_thread() {
    arena::note_thread();
    fault::note_thread();
}

/// An ND-range. Unused dimensions have size 1 and offset 0.
#[derive(Clone, Copy, Debug, Default)]
pub struct NdRange {
    /// 1 to 3.
    pub work_dim: u32,
    pub offset: [u64; 3],
    pub global: [u64; 3],
    /// Every entry at least 1. Where it does not divide `global`, the last group of
    /// that dimension is smaller (2.0); the caller has rejected that for 1.x programs.
    pub local: [u64; 3],
}

impl NdRange {
    /// With the first two dimensions in each other's place.
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

/// What a kernel reads when it runs. The memory that pointers in the arguments name outlives the launch.
#[derive(Clone, Debug, Default)]
pub struct Inputs {
    args: ArgBlock,
    /// Bytes of local memory.
    local_size: u64,
}

impl Inputs {
    /// Arguments, to be completed as well.
    fn of(args: ArgBlock) -> Inputs {
        Inputs { args, local_size: 0 }
    }

    /// Bytes of the arguments.
    fn bytes(&self) -> usize {
        self.args.bytes()
    }

    /// The arguments, to be completed by [`Inputs::prepare`].
    pub fn args(&mut self) -> &mut ArgBlock {
        &mut self.args
    }

    /// Completes arguments for `kernel`, each of which is at its `ArgInfo::offset`. `local_args` has for each `Local` one,
    /// in order, the offset of its 8-byte entry and the bytes that are wanted. Local arguments follow the kernel's own
    /// local variables, each aligned for any type.
    pub fn prepare(&mut self, kernel: &CompiledKernel, local_args: impl IntoIterator<Item = (u32, u64)>) {
        self.local_size = kernel.local_size;
        for (at, size) in local_args {
            self.args.put(at as usize, &self.local_size.to_le_bytes());
            self.local_size += size.next_multiple_of(crate::ir::abi::AREA_ALIGN);
        }
    }
}

/// A range and what is read there.
#[derive(Clone, Debug, Default)]
pub struct Launch {
    range: NdRange,
    inputs: Inputs,
}

impl Launch {
    /// A launch of `kernel`; `args` and `local_args` as for [`Inputs::prepare`].
    pub fn new(
        kernel: &CompiledKernel,
        range: NdRange,
        args: ArgBlock,
        local_args: impl IntoIterator<Item = (u32, u64)>,
    ) -> Launch {
        let mut inputs = Inputs { args, ..Inputs::default() };
        inputs.prepare(kernel, local_args);
        Launch { range, inputs }
    }

    /// The same arguments over another range.
    pub fn over(&self, range: NdRange) -> Launch {
        Launch { range, inputs: self.inputs.clone() }
    }

    /// The range.
    pub fn range(&self) -> &NdRange {
        &self.range
    }
}

/// What went wrong inside a kernel.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Fault {
    pub message: String,
    /// Where in the program, as `ir::SourceLines` of its module has it; 0 if that is not known.
    pub loc: u32,
    /// Global id of the work-item, where one is to blame and it is known.
    pub item: Option<[u64; 3]>,
    /// The last of those that run side by side from there on, x fastest, one of which is to blame; none if there is one.
    pub last: Option<Box<[u64; 3]>>,
    /// Its work-group; none where the executor has made groups of its own.
    pub group: Option<[u64; 3]>,
    /// The kernel, if it is not the one that was launched but one that it enqueued.
    pub kernel: Option<Arc<str>>,
}

impl Fault {
    fn new(message: &str) -> Fault {
        Fault { message: message.into(), ..Fault::default() }
    }

    /// Told of the item that the turn belongs to, where turns of so many items were items themselves.
    fn of_items(mut self, items: u64) -> Fault {
        let Some([first, ..]) = &mut self.item else { return self };
        let turn = *first / items;
        *first %= items;
        if let Some([last, ..]) = self.last.as_deref_mut() {
            // Of two turns side by side it can be any item.
            if *last / items == turn {
                *last %= items;
            } else {
                (*first, *last) = (0, items - 1);
            }
        }
        self
    }

    /// The executor has panicked.
    fn bug() -> Fault {
        Fault::new("internal error in the executor")
    }
}

/// Runs one launch of `kernel`, see [`Runner::run`].
pub fn run(kernel: &Arc<CompiledKernel>, launch: &Launch, part: Option<&CpuSet>) -> Result<(), Fault> {
    Runner::default().run(kernel, &launch.range, &launch.inputs, part)
}

/// Runs launches on this thread, one after the other. What each of them needs of the thread is looked up once.
#[derive(Default)]
pub struct Runner(Option<ThreadCache>);

struct ThreadCache {
    arena: Arena,
    record: fault::ThreadRecord,
}

impl Runner {
    /// Lets go what it has at hand. To be called before others' code runs on this thread: what that launches uses the
    /// same memory then, else it gets memory of its own.
    pub fn release_caches(&mut self) {
        self.0 = None;
    }

    /// Runs a launch of `kernel` to its end, on this thread and the pool's: everywhere, or on a part of the
    /// device. Small ranges run on this thread alone, without waking another one.
    pub fn run(
        &mut self,
        kernel: &Arc<CompiledKernel>,
        range: &NdRange,
        inputs: &Inputs,
        part: Option<&CpuSet>,
    ) -> Result<(), Fault> {
        self.run_one(kernel, range, inputs, part, None)
    }

    /// The same for a kernel that may enqueue others, and all of those; `ended` is called when the kernel itself has ended.
    ///
    /// # Errors
    /// The first fault of any of them.
    pub fn run_tree(
        &mut self,
        kernel: &Arc<CompiledKernel>,
        range: &NdRange,
        inputs: &Inputs,
        environment: &EnqueueEnvironment,
        ended: &mut dyn FnMut(),
    ) -> Result<(), Fault> {
        let threads = scheduler::threads(environment.part.as_deref());
        device_queue::run(self, (kernel, range, inputs), environment, threads, ended)
    }

    fn run_one(
        &mut self,
        kernel: &Arc<CompiledKernel>,
        range: &NdRange,
        inputs: &Inputs,
        part: Option<&CpuSet>,
        handle: Option<&LaunchHandle>,
    ) -> Result<(), Fault> {
        let _bound = part.map(CpuSet::enter);
        let threads = scheduler::threads(part);
        let mut range = if kernel.is_interchanged { range.interchanged() } else { *range };
        let items_asked = range.global[0];
        let turns = kernel.steps.as_ref().and_then(|steps| steps.grid_stride.as_ref());
        let turns = turns.filter(|_| threads > 1).and_then(|it| grid_stride::items(it, &range, &inputs.args));
        if let Some(turns) = turns {
            range.global[0] = turns;
        }
        let items = || range.global.iter().product();
        let pieces = || match &kernel.steps {
            None => {
                let item = kernel.item_time.load(Ordering::Relaxed);
                let meets = kernel.contention.is_some();
                Coalescing::of_items(threads as u64, items(), kernel.lanes.into(), item, meets)
            }
            Some(steps) => {
                Coalescing::of_steps(threads as u64, items(), kernel.has_item_context(), steps.streams)
            }
        };
        let grid = Grid::new(range, kernel.is_group_agnostic.then(pieces));
        let printed = kernel.prints.then(Arc::<Printed>::default);
        let work = LaunchWork { grid, printed };
        let begin = kernel.has_optimized_tier.then(Instant::now);
        let result = scheduler::run((kernel, inputs, handle), &work, self, threads, part);
        if let Some(begin) = begin {
            kernel.spent.fetch_add(begin.elapsed().as_nanos() as u64, Ordering::Relaxed);
        }
        if let Some(printed) = work.printed {
            printed.flush();
        }
        result.map_err(|fault| if turns.is_some() { fault.of_items(items_asked) } else { fault })
    }

    fn cache(&mut self) -> &mut ThreadCache {
        let look =
            || ThreadCache { arena: Arena::of_this_thread(), record: fault::ThreadRecord::of_this_thread() };
        self.0.get_or_insert_with(look)
    }
}

/// Kernels that need no more than this run on the stack of their thread, which may be one of 64 KiB.
const SMALL_FRAMES: u64 = 16 << 10;

/// What a stack has besides the frames of a kernel: for functions of ours that it calls.
const ROOM: usize = 256 << 10;

/// Runs groups whose frames have this size.
fn with_stack(frames: u64, run: impl FnOnce() -> Result<(), Fault>) -> Result<(), Fault> {
    if frames <= SMALL_FRAMES {
        return run();
    }
    let size =
        usize::try_from(frames).unwrap_or(usize::MAX).saturating_add(ROOM).checked_next_multiple_of(ROOM);
    let no_memory = |NoStack| Err(Fault::new("no memory for the stack of the work-group"));
    size.ok_or(NoStack).and_then(|size| on_stack(size, run)).unwrap_or_else(no_memory)
}

/// How a launch is cut, and what it has printed.
#[derive(Clone)]
struct LaunchWork {
    grid: Grid,
    /// Only if it prints.
    printed: Option<Arc<Printed>>,
}

/// First thing that went wrong in a launch.
type FirstFault = Mutex<Option<Fault>>;

/// What runs, what it reads, and where it is in its tree, if it may enqueue.
type RunParts<'a> = (&'a Arc<CompiledKernel>, &'a Inputs, Option<&'a LaunchHandle>);

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
        let private = kernel.private_size(items);
        let ThreadCache { arena, record } = runner.cache();
        let Some((local, area)) = arena.areas(inputs.local_size, private) else {
            return Err(Fault::new("no memory for the work-group"));
        };
        let mode = float_mode::Kernels::enter(kernel.flush_denormals);
        let end = area.wrapping_add(private as usize);
        let mut context = self.grid.context(inputs.args.as_ptr(), local, area, end);
        context.printed = self.printed.as_ref().map_or(std::ptr::null(), |p| Arc::as_ptr(p).cast());
        let worker = handle.map(LaunchHandle::worker);
        let worker = worker.as_ref();
        let link = worker.map(|worker| worker.link());
        context.parent = link.as_ref().map_or(std::ptr::null(), |link| std::ptr::from_ref(link).cast());
        let context = &raw mut context;
        let run = || {
            fault::contain(record, kernel, context, || {
                let mut group = self.grid.group(from);
                for _ in from..to {
                    // SAFETY: the context stands above, and nobody else uses it now.
                    let context = unsafe { &mut *context };
                    self.grid.enter(group, context);
                    group = self.grid.after(group);
                    // SAFETY: the context describes a group of this launch; the argument
                    // block was laid out for this kernel; the areas have the sizes it wants.
                    unsafe { kernel.run_group(context) };
                    if let Some(worker) = worker {
                        worker.group_ended();
                    }
                }
            })
        };
        let result = with_stack(kernel.stack_size, run);
        if kernel.is_nontemporal {
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
    fn faults_of_turns_are_told_of_items() {
        let told = |first: u64, last: Option<u64>| {
            let last = last.map(|last| Box::new([last, 0, 0]));
            let fault = Fault { item: Some([first, 0, 0]), last, ..Fault::default() }.of_items(100);
            (fault.item.map(|id| id[0]), fault.last.map(|id| id[0]))
        };
        assert_eq!(told(1234, None), (Some(34), None));
        assert_eq!(told(1200, Some(1215)), (Some(0), Some(15)));
        assert_eq!(told(1290, Some(1305)), (Some(0), Some(99)));
        assert_eq!(Fault::default().of_items(1), Fault::default());
    }
}
