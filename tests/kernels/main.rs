//! Kernels run by the interpreter and as machine code, from IR and from OpenCL C.

mod access;
mod async_copy;
mod builtins;
mod contract;
mod harness;
mod hints;
mod link;
mod litmus;
mod ops;
mod orders;
mod random;
mod strided;
