//! Specialization of a kernel for the range, arguments and memory that a launch is known to have.

pub mod nontemporal;
pub mod private_updates;
pub mod range;
pub mod unit_strides;
