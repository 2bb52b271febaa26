//! What kernels ask of the executor.

#[path = "../../src/ir/abi.rs"]
pub mod abi;

/// The questions that `abi` knows answers to.
pub mod op {
    #[derive(Clone, Copy, Debug, PartialEq, Eq)]
    pub enum Query {
        LocalSize,
        EnqueuedLocalSize,
    }
}
