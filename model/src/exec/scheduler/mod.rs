//! Model of the scheduler: each thread of the pool runs one task.

#[path = "../../../../src/exec/scheduler/chunk_scheduler.rs"]
mod chunk_scheduler;
#[path = "../../../../src/exec/scheduler/contention_probe.rs"]
mod contention_probe;
#[path = "../../../../src/exec/scheduler/idle_workers.rs"]
pub(super) mod idle_workers;
#[path = "../../../../src/exec/scheduler/job.rs"]
pub(super) mod job;
#[path = "../../../../src/exec/scheduler/padded_counters.rs"]
mod padded_counters;
pub(super) mod profile;

use super::CpuSet;
use crate::support::thread;

pub(super) fn spawn(_part: Option<&CpuSet>, what: impl FnOnce() + Send + 'static) -> bool {
    thread::start("pool", || (), what).is_ok()
}

/// Returns the index of a thread's queue. All helping threads use one queue, so that they also take tasks of other
/// threads.
pub(super) fn thread_index() -> usize {
    0
}
