//! Kernels, without a profile.

use super::super::Code;

/// Kernel whose code is a Rust function.
pub struct ProfiledKernel {
    pub code: Box<Code>,
}

impl ProfiledKernel {
    /// Returns the bytes of local variables; the model has none.
    pub fn local_size(&self) -> u64 {
        0
    }
}
