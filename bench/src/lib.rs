//! What the demo and the benchmarks share: a small OpenCL client.

pub mod client;
