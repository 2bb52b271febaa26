//! Optimizations of a single function that need no knowledge of work-items.

pub mod barrier_functions;
pub mod compare_vectorize;
pub mod constant_loads;
pub(crate) mod cost;
pub mod demanded_bits;
pub mod derived_counters;
pub mod divide;
mod equality;
mod float_logic;
pub mod gvn;
pub mod if_convert;
pub mod inline;
mod insert_chains;
pub mod licm;
pub mod load_combine;
mod narrow_params;
mod private_memory;
pub mod promote;
pub mod reassociate;
pub mod reassociate_address;
pub mod redundant_loads;
pub mod register_promotion;
pub(super) mod replace;
pub mod simplify;
pub(super) mod truth_logic;
pub mod unroll;
pub mod unrotate;
