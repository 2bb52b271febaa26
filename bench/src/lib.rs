//! Code shared by the demo and the benchmarks: a small OpenCL client, tables, and the suite.

pub mod client;
pub mod suite;
pub mod table;
pub mod transfer;
