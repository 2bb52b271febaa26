//! Executor: runs ND-ranges on threads. It does not depend on OpenCL objects or error codes.
//!
//! A launch enters here once, and goes down: to `device_queue` if its kernel may enqueue others, to `run_one`, which
//! runs one kernel over its range, to `scheduler`, which distributes the groups over threads, and to `runner`, which
//! runs groups on one thread.

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
mod range;
mod run_one;
mod runner;
mod scheduler;
mod signal;

use std::sync::Arc;

pub use crate::rtlib::enqueue::MAX_EVENTS;
pub use crate::rtlib::print::PRINTF_BUFFER_SIZE;
pub use args::ArgBlock;
pub use cpu_set::{BoundThread, CpuSet, compute_units, processors, unbind};
pub use device_queue::{DeviceQueue, EnqueueEnvironment, EnqueuedBlock, Program};
pub use fault::Fault;
pub use launch::{Inputs, Launch};
pub use range::{NdRange, choose_local_size};
pub use runner::{Runner, init_thread_locals};
pub use scheduler::contention::ProbePlan;
pub use scheduler::profile::{KernelProfile, ProfiledKernel};
pub use scheduler::{in_background, in_chunks, other_threads, split};

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
        let threads = scheduler::threads(environment.part.as_deref());
        device_queue::run(self, (kernel, range, inputs), environment, threads, ended)
    }
}
