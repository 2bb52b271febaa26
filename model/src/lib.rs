//! Model of queues, events, worker threads, shared jobs and launch trees for the model checker `loom`: the files
//! are those of `grus`, compiled against locks and atomics of which every interleaving is explored. Devices,
//! contexts, kernels and other things that these files use are reduced to the minimum.
//!
//! `tests/` contains the scenarios. `LOOM_MAX_PREEMPTIONS` replaces their bound on preemptions.

#![expect(dead_code, reason = "the files have more than the scenarios need")]

#[path = "../../src/cl/mod.rs"]
pub mod cl;
pub mod exec;
pub mod harness;
pub mod ir;
pub mod rtlib;
pub mod runtime;
pub mod support;
