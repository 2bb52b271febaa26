//! Runtime: the modeled files, and stand-ins for their dependencies.

#[path = "../../../src/runtime/command.rs"]
mod command;
pub mod context;
pub mod device;
#[path = "../../../src/runtime/error.rs"]
pub mod error;
#[path = "../../../src/runtime/event.rs"]
pub mod event;
mod launch;
pub mod object;
#[path = "../../../src/runtime/queue/mod.rs"]
pub mod queue;
#[path = "../../../src/runtime/queue_workers.rs"]
mod queue_workers;

/// Creates the globals before other threads use them, since `loom` does not see that they are passed between
/// threads.
pub(crate) fn begin() {
    queue_workers::help();
    event::now();
}

/// Registers hooks at the first call; the model has none.
fn first_call() {}

impl object::Object<queue::Queue> {
    /// Enqueues a command without an event on an in-order queue, as kernel launches are.
    ///
    /// # Errors
    /// If there is no memory.
    pub fn enqueue_bare(self: &std::sync::Arc<Self>, work: event::CommandTask) -> error::Result<()> {
        let body = command::CommandBody::Work(Some(work));
        self.enqueue_body(crate::cl::CL_COMMAND_NATIVE_KERNEL, &event::Events::default(), body).map(drop)
    }

    /// Runs a command as a blocking call does.
    ///
    /// # Errors
    /// If there is no memory, and the errors of the work.
    pub fn run_blocking(
        self: &std::sync::Arc<Self>,
        work: impl FnOnce() -> error::Result<()> + Send + 'static,
    ) -> error::Result<()> {
        self.start(crate::cl::CL_COMMAND_NATIVE_KERNEL, true, &event::Events::default(), work).map(drop)
    }
}
