//! The clock that kernels read (`cl_khr_kernel_clock`).

use super::guard::guard;

/// Returns the time in nanoseconds of a clock that never goes back, on any processor.
pub extern "C" fn clock() -> u64 {
    guard("a clock", grus_support::trace::now)
}
