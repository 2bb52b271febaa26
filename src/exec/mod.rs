//! Runs ND-ranges. Knows nothing of OpenCL objects or error codes.

use std::sync::Arc;

/// Machine code of one kernel and what a launch needs to know of it.
#[derive(Debug)]
pub struct CompiledKernel;

/// An ND-range. Unused dimensions have size 1 and offset 0.
#[derive(Clone, Copy, Debug)]
pub struct NdRange {
    /// 1 to 3.
    pub work_dim: u32,
    pub offset: [u64; 3],
    pub global: [u64; 3],
    /// Every entry at least 1. Where it does not divide `global`, the last group of
    /// that dimension is smaller (2.0); the caller has rejected that for 1.x programs.
    pub local: [u64; 3],
}

/// Everything a launch reads. The memory that pointers in `args` name outlives the launch.
pub struct Launch {
    pub kernel: Arc<CompiledKernel>,
    pub range: NdRange,
    /// Argument block: each argument at its `ArgInfo::offset`.
    pub args: Vec<u8>,
    /// For each `Local` argument, in order: offset of its 8-byte entry in `args`, bytes wanted.
    pub local_args: Vec<(u32, u64)>,
}

/// What went wrong inside a kernel.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Fault {
    pub message: String,
}

/// Runs the launch to its end, on this thread and on up to `max_threads` in all (0: all of
/// the pool's). Small ranges run on this thread alone, without waking another one.
pub fn run(_launch: &Launch, _max_threads: usize) -> Result<(), Fault> {
    Err(Fault {
        message: String::from("no executor yet"),
    })
}

/// Compute units: hardware threads this process may use (affinity and cgroup quota honoured).
pub fn compute_units() -> usize {
    std::thread::available_parallelism().map_or(1, std::num::NonZero::get)
}

/// A work-group size for a range the application left to us: `max` bounds the product.
pub fn choose_local_size(_range_global: [u64; 3], _work_dim: u32, _max: u64) -> [u64; 3] {
    [1; 3]
}
