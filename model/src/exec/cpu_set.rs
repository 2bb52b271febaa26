//! Processor sets; sub-devices are not modelled.

pub enum CpuSet {}
