//! Passes that know nothing of work-items.

pub(super) mod cost;
pub mod forward;
pub mod gvn;
pub mod ifconv;
pub mod inline;
pub mod licm;
mod private;
pub mod promote;
pub mod reduce;
mod replace;
pub mod share;
pub mod simplify;
pub mod sizes;
pub mod unroll;
