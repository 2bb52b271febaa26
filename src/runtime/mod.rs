//! OpenCL objects and commands: everything between the C ABI and the compiler.
//!
//! `object` says what a handle is; `queue` and `event` say when a command runs and who runs it. Nothing here reads the
//! application's arguments (the ICD does) or knows how a kernel is made.
//!
//! Lock order: context, queue, event. No callback and no kernel runs under a lock.

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
mod pool;
mod prepared;
pub mod program;
pub mod queue;
mod registry;
pub mod sampler;
pub mod svm;
mod topology;

pub use crate::support::fork;
pub use host::{Host, host};
