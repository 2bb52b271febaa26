//! What kernels ask of the executor.

#[path = "../../src/ir/abi.rs"]
pub mod abi;
