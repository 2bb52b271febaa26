//! Passes that know nothing of work-items.

pub mod inline;
pub mod promote;
pub mod share;
pub mod simplify;
