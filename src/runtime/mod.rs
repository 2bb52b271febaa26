//! OpenCL objects and commands: everything between the C ABI and the compiler.
//!
//! Input is an entry point of `icd` with checked handles and arguments. Output is an object, a command in a queue, or
//! an [`error::Error`]. Nothing here reads the application's argument pointers (`icd` does), or knows how kernels are
//! compiled (`compile` does).
//!
//! ```text
//! icd entry point
//!   │
//!   ▼
//! Program::build ───────▶ compile::build                    Artifact
//! Kernel::set_arg ──────▶ argument block of the kernel
//! Queue::launch ────────▶ bound_launch: code for this range and these arguments
//!   │
//!   ▼
//! Event, CommandBody      waits for the events of its wait list and for its turn in the queue
//!   │ ready
//!   ▼
//! queue: run              on a thread that waits for the queue, or on a worker if the queue was flushed
//!   │
//!   ▼
//! exec::Runner::run       the launch; other commands are closures
//!   │
//!   ▼
//! Event: status           wakes threads, makes dependents ready, calls callbacks
//! ```
//!
//! # Objects
//!
//! | API | Type | Module |
//! |---|---|---|
//! | platform, device, context | [`platform::Platform`], [`device::Device`], [`context::Context`] | of the same name |
//! | command queue, event | [`queue::Queue`], [`event::Event`] | `queue/`, `event` |
//! | memory object, SVM and USM, sampler | [`memory::Mem`], allocations of a context, [`sampler::Sampler`] | `memory/`, `allocations`, `sampler` |
//! | program, kernel | [`program::Program`], [`kernel::Kernel`] | of the same name |
//!
//! A handle points to an [`object::Object`] of one of these types, which lives in an `Arc`. The object counts the
//! application's references apart from those of the library. `registry` knows all live handles, so a handle that is
//! null, foreign or dead yields an error instead of a fault.
//!
//! Methods that are documented as "Implements clX" do the work of that function of the API, after those of its checks
//! that `icd` leaves to them.
//!
//! # Example
//!
//! ```ignore
//! let device = Object::new(Device::root());
//! let context = Context::create(&[Arc::clone(&device)], Vec::new(), None);
//! let queue = Queue::create(&context, &device, 0, None, Vec::new())?;
//! let program = Program::with_source(&context, "kernel void k(global int *x) { *x = 7; }".into());
//! program.build(None, "")?;
//! let kernel = program.create_kernel("k")?;
//! kernel.set_pointer_arg(0, (&raw mut x).expose_provenance())?;
//! let range = NdRangeArgs { offset: None, global: &[1], local: None };
//! queue.launch(CL_COMMAND_NDRANGE_KERNEL, &kernel, range, &Events::default())?;
//! queue.finish();                                           // runs the kernel, on this thread
//! ```
//!
//! # Begin with
//!
//! | Topic | File |
//! |---|---|
//! | life of an object | `object.rs` |
//! | order of commands | `queue/mod.rs`, `queue/in_order.rs`, `queue/out_of_order.rs` |
//! | path of a launch | `launch.rs`, then `kernel.rs` and `bound_launch.rs` |
//! | dependencies, callbacks, profiling times | `event.rs` |
//! | values that device queries report | `device.rs` |
//! | copies, fills and maps | `memory/transfer.rs`, `memory/image_transfer.rs` |
//! | captures for `grus replay` | `capture/` |
//!
//! # Invariants
//!
//! - Lock order: context, queue, event. No two events are ever locked at the same time.
//! - No callback and no kernel runs under a lock.
//! - One function changes the status of an event, `Object::<Event>::change`.
//! - A command owns the objects that it uses. An event owns its dependents, never its dependencies.
//! - Errors are values of [`error::Error`]; `icd::boundary` turns them into codes.
//! - All memory is memory of the process, so mapping is free.

mod allocations;
mod bound_launch;
mod capture;
mod cgroup;
mod command;
pub mod context;
pub mod device;
mod device_address;
pub mod error;
pub mod event;
mod host;
pub mod kernel;
pub mod launch;
pub mod memory;
pub mod object;
pub mod platform;
pub mod program;
mod program_text;
pub mod queue;
mod queue_workers;
mod registry;
pub mod sampler;
pub mod svm;
pub mod usm;
pub mod uuid;

/// Prepares a thread at its first call. The C library allocates memory when a thread first registers a destructor
/// for thread-local data, and ends the process if that fails. The registration is therefore made now, not when
/// memory is short.
#[cold]
pub fn first_call() {
    queue::init_thread_locals();
    kernel::init_thread_locals();
    bound_launch::init_thread_locals();
    grus_exec::init_thread_locals();
    grus_support::trace::init_thread_locals();
}

pub use grus_support::fork;
pub use host::{Host, host};

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use super::context::Context;
    use super::device::Device;
    use super::event::Events;
    use super::launch::NdRangeArgs;
    use super::object::Object;
    use super::program::Program;
    use super::queue::Queue;
    use crate::cl::CL_COMMAND_NDRANGE_KERNEL;

    #[test]
    fn the_example_in_the_documentation_runs() {
        let mut x = 0i32;
        let device = Object::new(Device::root());
        let context = Context::create(&[Arc::clone(&device)], Vec::new(), None);
        let queue = Queue::create(&context, &device, 0, None, Vec::new()).expect("a queue");
        let program = Program::with_source(&context, "kernel void k(global int *x) { *x = 7; }".into());
        program.build(None, "").expect("no errors");
        let kernel = program.create_kernel("k").expect("a kernel");
        kernel.set_pointer_arg(0, (&raw mut x).expose_provenance()).expect("an argument");
        let range = NdRangeArgs { offset: None, global: &[1], local: None };
        queue.launch(CL_COMMAND_NDRANGE_KERNEL, &kernel, range, &Events::default()).expect("a command");
        queue.finish();
        assert_eq!(x, 7);
    }
}
