//! Passes that know nothing of work-items.

pub mod address;
pub mod carry;
pub(in crate::passes) mod cost;
pub mod divide;
pub mod forward;
pub mod gvn;
pub mod ifconv;
pub mod inline;
mod inserts;
pub mod licm;
pub mod narrow;
pub mod neighbours;
mod private;
pub mod promote;
pub mod reassociate;
pub mod reduce;
pub mod regroup;
pub(super) mod replace;
pub mod reuse;
pub mod rows;
pub mod share;
pub mod simplify;
pub mod sizes;
pub mod slp;
pub mod stream;
pub mod unit_strides;
pub mod unroll;
