//! OpenCL objects and commands: everything between the C ABI and the compiler.
//!
//! `object` defines handles; `queue` and `event` determine when a command runs and on which thread. Nothing here
//! reads the application's argument pointers (the ICD does) or knows how kernels are compiled.
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

/// Prepares a thread at its first call. The C library allocates memory when a thread first registers a destructor
/// for thread-local data, and ends the process if that fails. The registration is therefore made now, not when
/// memory is short.
#[cold]
pub fn first_call() {
    queue::init_thread_locals();
    kernel::init_thread_locals();
    bound_launch::init_thread_locals();
    crate::exec::init_thread_locals();
    crate::support::trace::init_thread_locals();
}

pub use crate::support::fork;
pub use host::{Host, host};
