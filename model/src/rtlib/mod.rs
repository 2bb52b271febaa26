//! Interface of kernels to the runtime library.

#[path = "../../../src/codegen/rtlib/enqueue.rs"]
pub mod enqueue;
mod guard;
