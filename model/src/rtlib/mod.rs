//! How kernels ask for it.

#[path = "../../../src/rtlib/enqueue.rs"]
pub mod enqueue;
mod guard;
