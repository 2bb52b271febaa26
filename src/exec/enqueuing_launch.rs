//! Launches whose kernels may enqueue others, as the runner sees them. `device_queue`, which is above it, implements
//! them.

use grus_codegen::rtlib::enqueue::Link;

/// Launch whose kernel may enqueue others. Clones share its state.
pub(super) trait EnqueuingLaunch: Clone + Send + Sync + 'static {
    /// Enqueue sink of one thread.
    type Worker<'l>: EnqueuingWorker
    where
        Self: 'l;

    /// Creates the sink of a thread for the time in which it runs groups.
    fn worker(&self) -> Self::Worker<'_>;
}

/// Enqueue sink of one thread that runs groups.
pub(super) trait EnqueuingWorker {
    /// Returns the object that [`GroupContext::enqueue_sink`](grus_ir::abi::GroupContext::enqueue_sink) points at.
    fn link(&self) -> Link<'_>;

    /// Releases the children that wait for the end of the group, which has ended.
    fn group_ended(&self);

    /// Drops the children that wait for the end of the group, which has failed.
    fn group_failed(&self);
}
