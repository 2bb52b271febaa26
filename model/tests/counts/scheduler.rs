//! Files of the scheduler that the scenarios use.

#[path = "../../../src/exec/scheduler/chunk_scheduler.rs"]
mod chunk_scheduler;
#[path = "../../../src/exec/scheduler/contention_probe.rs"]
mod contention_probe;
#[path = "../../../src/exec/scheduler/job.rs"]
pub(super) mod job;
#[path = "../../../src/exec/scheduler/padded_counters.rs"]
mod padded_counters;
