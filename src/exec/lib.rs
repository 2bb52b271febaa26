//! Executor: runs ND-ranges on threads. It does not depend on OpenCL objects or error codes.
//!
//! Input is machine code of a kernel ([`ProfiledKernel`]), an [`NdRange`], and arguments as a block of bytes
//! ([`ArgBlock`]). [`Runner::run`] returns when all work-items have ended, or with the first [`Fault`]. The code runs
//! on the calling thread, and on others if that pays.
//!
//! ```text
//! NdRange ──▶ range       Grid: numbered work-groups; small ones are merged if the kernel cannot tell
//!               │
//!               ▼
//!             scheduler   first groups on the calling thread, until the time of a group is known;
//!               │           then chunks of groups for several threads
//!               │           wakeup             decides whether waking other threads pays
//!               │           idle_workers       threads that still spin for work
//!               │           chunk_scheduler    a share for each thread, and stealing
//!               │           contention_probe   back to one thread if atomics contend
//!               ▼
//!             run_groups  on each thread: memory from its arena, fault::contain, one call for each group
//!               │
//!               ▼
//!             CompiledKernel::run_group(&GroupContext)
//! ```
//!
//! A launch enters here once, and goes down: to `device_queue` if its kernel may enqueue others, to `run_one`, which
//! runs one kernel over its range, to `scheduler`, which distributes the groups over threads, and to `runner`, which
//! runs groups on one thread.
//!
//! A work-group runs on one thread from its beginning to its end. Barriers are part of the machine code, so the
//! executor does not know them.
//!
//! # Main types
//!
//! - [`NdRange`]: offset, global and local size. Sizes that do not divide leave smaller groups at the end.
//! - [`Inputs`]: arguments and the size of local memory. [`Inputs::prepare`] lays out arguments in local memory.
//! - [`Runner`]: runs launches one after the other and keeps the thread's arena and fault record in between.
//!   [`run`] is the same for a single [`Launch`].
//! - [`CpuSet`]: the processors of a sub-device, with a thread pool of their own.
//! - [`EnqueueEnvironment`] and [`Runner::run_tree`]: kernels that enqueue kernels (`device_queue/`). Their launch
//!   ends when all descendants have ended.
//! - [`split`], [`in_chunks`], [`in_background`]: the same threads, for copies and for the compiler.
//!
//! # Example
//!
//! ```ignore
//! let kernel = artifact.compiled(0)?;
//! let range = NdRange { work_dim: 1, offset: [0; 3], global: [1000, 1, 1], local: [64, 1, 1] };
//! let mut args = ArgBlock::zeroed(16);
//! args.put(0, &buffer.to_ne_bytes());                   // at ArgInfo::offset of the first argument
//! run(&kernel, &Launch::new(&kernel, range, args, []), None)?;
//! ```
//!
//! The range has 16 groups, of which the last has 40 work-items. If the kernel cannot tell, it runs in larger ones.
//!
//! # Faults
//!
//! A bad address, a trap, a stack overflow or a panic in a runtime function ends the launch, not the process.
//! `fault` holds the state of running threads; `signal` is the part that depends on processor and system.
//! [`Fault`] names the work-items and the source line, as far as they are known.
//!
//! # Begin with
//!
//! | Topic | File |
//! |---|---|
//! | number of threads of a launch | `scheduler/plan.rs`, `scheduler/wakeup.rs`, `scheduler/contention_probe.rs` |
//! | NUMA nodes | `topology.rs`; `cpu_set.rs` for the threads |
//! | size of work-groups | `range.rs`; `grid_stride.rs` for grid-stride loops |
//! | which code of a kernel is fastest | `tier_trial.rs` |
//! | local and private memory | `arena.rs` |
//! | reports of faults | `fault.rs`, `jit::CompiledKernel::local_ids` |
//! | kernels that enqueue kernels | `device_queue/mod.rs` |
//!
//! # Invariants
//!
//! - No lock is held while a kernel runs.
//! - Code of kernels runs in the floating-point mode of kernels, with the signals of faults unblocked.
//! - Results do not depend on the number of threads or on merging, unless work-items race.
//! - Signal handlers neither allocate nor lock.

mod arena;
mod args;
#[cfg(any(test, target_arch = "aarch64"))]
mod arm_access;
mod cpu_set;
mod device_queue;
mod enqueuing_launch;
mod fault;
mod grid_stride;
mod launch;
mod private_copies;
mod range;
mod run_one;
mod runner;
mod scheduler;
mod signal;
mod tier_trial;
mod topology;
mod tuning;

use std::sync::Arc;

pub use args::ArgBlock;
pub use cpu_set::{BoundThread, CpuSet, compute_units, processors, unbind};
pub use device_queue::{DeviceQueue, EnqueueEnvironment, EnqueuedBlock, Program};
pub use fault::Fault;
pub use grus_codegen::rtlib::enqueue::MAX_EVENTS;
pub use grus_codegen::rtlib::print::PRINTF_BUFFER_SIZE;
pub use launch::{Inputs, Launch};
pub use range::{NdRange, choose_local_size};
pub use runner::{Runner, init_thread_locals};
pub use scheduler::contention::ProbePlan;
pub use scheduler::profile::{KernelProfile, ProfiledKernel};
pub use scheduler::{in_background, in_chunks, other_threads, split};
pub use tier_trial::{TierCompiler, TierTrial};
pub use topology::{Domain, Topology, topology};

use device_queue::LaunchHandle;

/// Runs one launch of `kernel`; see [`Runner::run`].
pub fn run(kernel: &Arc<ProfiledKernel>, launch: &Launch, cpu_set: Option<&CpuSet>) -> Result<(), Fault> {
    Runner::default().run(kernel, &launch.range, &launch.inputs, cpu_set)
}

impl Runner {
    /// Runs a launch of `kernel` to its end, on this thread and on pool threads: on `cpu_set` (a sub-device), or on all
    /// CPUs. Small ranges run on this thread only, without waking another.
    pub fn run(
        &mut self,
        kernel: &Arc<ProfiledKernel>,
        range: &NdRange,
        inputs: &Inputs,
        cpu_set: Option<&CpuSet>,
    ) -> Result<(), Fault> {
        self.run_one(kernel, range, inputs, cpu_set, None::<&LaunchHandle>)
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
        let threads = scheduler::threads(environment.cpu_set.as_deref());
        device_queue::run(self, (kernel, range, inputs), environment, threads, ended)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use range::Grid;

    #[test]
    fn the_range_in_the_documentation_has_16_groups() {
        use std::ptr::{null, null_mut};
        let range = NdRange { work_dim: 1, offset: [0; 3], global: [1000, 1, 1], local: [64, 1, 1] };
        let grid = Grid::new(range, None);
        let mut context = grid.context(null(), null_mut(), null_mut(), null_mut());
        grid.set_groups(grid.group(grid.len() - 1), 1, &mut context);
        assert_eq!((grid.len(), context.local_size), (16, [40, 1, 1]));
    }
}
