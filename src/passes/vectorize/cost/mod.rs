//! Costs that the vectorization plan weighs.

pub(super) mod access_streams;
pub(super) mod estimate;
pub(super) mod instruction;
pub(super) mod latency;
pub(super) mod pressure;
pub(super) mod throughput;
