//! Interface of kernels to the runtime library.

#[path = "../../../src/rtlib/enqueue.rs"]
pub mod enqueue;
mod guard;
