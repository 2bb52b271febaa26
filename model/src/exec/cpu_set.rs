//! Processor sets; sub-devices are not modeled.

pub enum CpuSet {}
