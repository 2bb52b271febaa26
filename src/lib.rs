//! Grus: an OpenCL runtime whose device is the CPU. `ARCHITECTURE.md` is the map.

pub mod cl;
pub mod clc;
pub mod codegen;
pub mod compile;
pub mod diag;
pub mod exec;
pub mod image;
pub mod ir;
pub mod jit;
pub mod lower;
pub mod passes;
pub mod rtlib;
pub mod runtime;
pub mod support;
