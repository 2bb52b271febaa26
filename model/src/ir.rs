//! Operations by which kernels query the executor.

#[path = "../../src/ir/abi.rs"]
pub mod abi;

/// Queries that `abi` refers to.
pub mod op {
    #[derive(Clone, Copy, Debug, PartialEq, Eq)]
    pub enum Query {
        LocalSize,
        EnqueuedLocalSize,
    }
}
