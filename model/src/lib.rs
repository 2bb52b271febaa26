//! Model of queues, events, worker threads, shared jobs and launch trees for the model checker `loom`: the files
//! are those of `grus`, compiled against locks and atomics of which every interleaving is explored. Devices,
//! contexts, kernels and other things that these files use are reduced to the minimum.
//!
//! `tests/` contains the scenarios. `LOOM_MAX_PREEMPTIONS` replaces their bound on preemptions.

#![expect(dead_code, reason = "the files have more than the scenarios need")]

// The files name the crates of the library. In the model these are modules.
extern crate self as grus_codegen;
extern crate self as grus_exec;
extern crate self as grus_ir;
extern crate self as grus_support;

#[path = "../../src/cl/mod.rs"]
pub mod cl;
pub mod exec;
pub mod harness;
pub mod ir;
pub mod rtlib;
pub mod runtime;
pub mod support;

pub use exec::{MAX_EVENTS, Runner, compute_units, unbind};
pub use ir::abi;
pub use support::{FastMap, bug, fork, sync, thread, trace};
