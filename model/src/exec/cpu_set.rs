//! The device has no parts.

pub enum CpuSet {}
