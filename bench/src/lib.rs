//! What the demo and the benchmarks share: a small OpenCL client, and tables.

pub mod client;
pub mod table;
