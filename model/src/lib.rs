//! Queues, events, the threads that run them, work that threads share and launch trees, as `loom` sees them: the same files
//! as in `grus`, compiled against locks and atomics of which every interleaving is tried. What these files use besides (devices,
//! contexts, kernels) is as little here as they need.
//!
//! `tests/` has the scenarios. `LOOM_MAX_PREEMPTIONS` goes deeper than their bound.

#![expect(dead_code, reason = "the files have more than the scenarios need")]

#[path = "../../src/cl/mod.rs"]
pub mod cl;
pub mod exec;
pub mod harness;
pub mod ir;
pub mod rtlib;
pub mod runtime;
pub mod support;
