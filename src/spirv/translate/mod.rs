//! Translation of a module to the IR.
//!
//! - `function.rs` has the state of a function's translation: values of ids, and the instructions one by one. The
//!   other files translate groups of instructions.
//! - `flow.rs` finds blocks. Each reachable one becomes a block of the IR, each φ block parameters.
//! - Values that are scalars, vectors, pointers or handles are values of the IR. Structures and arrays are lists of
//!   *leaves* ([`crate::types::Leaf`]), or if these are too many, addresses of memory that is not written while the
//!   value is in use.
//! - Integers of other widths than the IR has are wider there, with upper bits that are zero (`narrow.rs`).
//! - Products and the sums that use them are fused at the end of each function (`contract.rs`).
//! - Functions of the builtin library are *requests*: declarations without body, which the caller resolves.
//! - Structure parameters and results are passed as `lower` passes those of OpenCL C: a parameter is the address of the
//!   caller's object, a result is stored through a pointer that comes first.

pub(crate) mod arithmetic;
mod atomic;
mod call;
mod composite;
mod contract;
mod device;
mod extended;
mod flow;
mod function;
mod image;
mod imports;
mod mangled;
mod memory;
pub(crate) mod module;
pub(crate) mod narrow;
mod print;
mod variables;

pub use contract::Machine;
pub use device::EnqueuedFunction;
pub(crate) use extended::{arg_type, image};
pub use imports::Import;
pub use module::{Translated, translate};
