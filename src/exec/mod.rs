//! Runs ND-ranges. Knows nothing of OpenCL objects or error codes.

mod arena;
mod args;
mod cores;
mod fault;
mod float_mode;
mod pool;
mod range;
mod signal;

use std::sync::Arc;

pub use crate::jit::CompiledKernel;
pub use crate::rtlib::print::PRINTF_BUFFER_SIZE;
use crate::rtlib::print::Printed;
use crate::support::sync::Mutex;
pub use args::ArgBlock;
pub use cores::{Bound, Cores, compute_units, processors, unbind};
pub use range::choose_local_size;

use arena::Arena;
use float_mode::FloatMode;
use range::Grid;

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

/// What a kernel reads when it runs. The memory that pointers in its arguments name outlives the launch.
#[derive(Clone, Debug, Default)]
pub struct Launch {
    range: NdRange,
    args: ArgBlock,
    /// Bytes of local memory.
    local_size: u64,
}

impl Launch {
    /// A launch of `kernel`. `args` has each argument at its `ArgInfo::offset`; `local_args` as for [`Launch::prepare`].
    pub fn new(
        kernel: &CompiledKernel,
        range: NdRange,
        args: ArgBlock,
        local_args: impl IntoIterator<Item = (u32, u64)>,
    ) -> Launch {
        let mut launch = Launch { args, ..Launch::default() };
        launch.prepare(kernel, range, local_args);
        launch
    }

    /// Completes a launch of `kernel` that has its arguments. `local_args` has for each `Local` one, in order, the offset
    /// of its 8-byte entry in `args` and the bytes that are wanted. Local arguments follow the kernel's own local
    /// variables, each aligned for any type.
    pub fn prepare(
        &mut self,
        kernel: &CompiledKernel,
        range: NdRange,
        local_args: impl IntoIterator<Item = (u32, u64)>,
    ) {
        self.range = range;
        self.local_size = kernel.local_size;
        for (at, size) in local_args {
            self.args.put(at as usize, &self.local_size.to_le_bytes());
            self.local_size += size.next_multiple_of(crate::ir::abi::AREA_ALIGN);
        }
    }

    /// The arguments.
    pub fn args(&mut self) -> &mut ArgBlock {
        &mut self.args
    }

    /// The same arguments over another range.
    pub fn over(&self, range: NdRange) -> Launch {
        Launch { range, ..self.clone() }
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
    /// Where in the program, as `ir::Places` of its module has it; 0 if that is not known.
    pub loc: u32,
    /// Global id of the work-item, where one is to blame and it is known.
    pub item: Option<[u64; 3]>,
    /// Its work-group; none where the executor has made groups of its own.
    pub group: Option<[u64; 3]>,
}

impl Fault {
    fn new(message: &str) -> Fault {
        Fault { message: message.into(), ..Fault::default() }
    }
}

/// Runs a launch of `kernel` to its end, on this thread and the pool's: everywhere, or on a part of the
/// device. Small ranges run on this thread alone, without waking another one.
pub fn run(kernel: &Arc<CompiledKernel>, launch: &Launch, part: Option<&Cores>) -> Result<(), Fault> {
    let _bound = part.map(Cores::enter);
    let threads = part.map_or_else(compute_units, |part| part.cpus().len());
    let grid = Grid::new(launch.range, kernel.flat, threads as u64);
    let printed = kernel.prints.then(Arc::<Printed>::default);
    let work = Work { grid, printed };
    let result = pool::run((kernel, launch), &work, threads, part);
    if let Some(printed) = work.printed {
        printed.flush();
    }
    result
}

/// How a launch is cut, and what it has printed.
#[derive(Clone)]
struct Work {
    grid: Grid,
    /// Only if it prints.
    printed: Option<Arc<Printed>>,
}

/// First thing that went wrong in a launch.
type FirstFault = Mutex<Option<Fault>>;

/// What runs, and what it reads.
type Parts<'a> = (&'a Arc<CompiledKernel>, &'a Launch);

impl Work {
    /// Runs groups `from..to` on this thread.
    fn run_groups(&self, (kernel, launch): Parts, from: u64, to: u64) -> Result<(), Fault> {
        let items: u64 = self.grid.local().iter().product();
        let private = kernel.private_size(items);
        Arena::with(launch.local_size, private, |local, area| {
            let _mode = FloatMode::enter(kernel.flush_denormals);
            let end = area.wrapping_add(private as usize);
            let mut context = self.grid.context(launch.args.as_ptr(), local, area, end);
            context.printed = self.printed.as_ref().map_or(std::ptr::null(), |p| Arc::as_ptr(p).cast());
            let context = &raw mut context;
            fault::contain(kernel, context, || {
                let mut group = self.grid.group(from);
                for _ in from..to {
                    // SAFETY: the context stands above, and nobody else uses it now.
                    let context = unsafe { &mut *context };
                    self.grid.enter(group, context);
                    group = self.grid.after(group);
                    // SAFETY: the context describes a group of this launch; the argument
                    // block was laid out for this kernel; the areas have the sizes it wants.
                    unsafe { kernel.run_group(context) };
                }
            })
        })
        .unwrap_or_else(|| Err(Fault::new("no memory for the work-group")))
    }
}
