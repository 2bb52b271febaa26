//! Passes that make constants of what a launch says of its range, its arguments and its memory.

pub mod nontemporal;
pub mod range;
pub mod unit_strides;
