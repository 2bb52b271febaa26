//! OpenCL objects and commands: everything between the C ABI and the compiler.
//!
//! `object` says what a handle is; `queue` and `event` say when a command runs and on which thread. Nothing here reads the
//! application's arguments (the ICD does) or knows how a kernel is made.
//!
//! Lock order: context, queue, event. No callback and no kernel runs under a lock.

mod bound_launch;
mod capture;
mod cgroup;
mod command;
pub mod context;
pub mod device;
pub mod error;
pub mod event;
mod host;
pub mod kernel;
pub mod launch;
pub mod memory;
pub mod object;
pub mod platform;
pub mod program;
pub mod queue;
mod queue_workers;
mod registry;
pub mod sampler;
pub mod svm;
mod topology;

/// A thread's first call. What a thread keeps until its end is noted by the C library, which ends the process if it has no
/// memory for the note: so that is done now, not when memory is short.
#[cold]
pub fn first_call() {
    queue::note_thread();
    kernel::note_thread();
    bound_launch::note_thread();
    crate::exec::note_thread();
    crate::support::trace::note_thread();
}

pub use crate::support::fork;
pub use host::{Host, host};
