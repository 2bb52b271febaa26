//! Tests of the library's Rust interface, without fixtures of kernels: the front end's fixtures and diagnostics,
//! hostile programs, faults, `printf`, memory accesses of vectorized kernels, `half` arithmetic, compilation tiers.

mod clc;
mod contract;
mod faults;
mod half;
mod hints;
mod hostile;
mod lanes;
mod litmus;
mod messages;
mod orders;
mod printf;
mod spirv_mutations;
mod tiers;
