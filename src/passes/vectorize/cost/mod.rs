//! Costs that the vectorization plan weighs besides the number of instructions.

pub(super) mod access_streams;
pub(super) mod instruction;
pub(super) mod latency;
pub(super) mod pressure;
pub(super) mod throughput;
