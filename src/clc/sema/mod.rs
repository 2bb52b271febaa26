//! Semantic analysis: checks the constructs that the parser recognized and builds the typed tree, or reports an
//! error.

mod assign;
mod binary;
mod block;
mod call;
mod capture;
mod classify;
mod constant;
mod convert;
mod evaluate;
mod lookup;
mod member;
mod overload;
mod statics;
mod suggest;
mod unary;
mod warn;
mod whole_program;

pub use block::{BlockSource, BlockState, Blocks};
pub use convert::AssignAction;
pub use evaluate::round_half;
pub use suggest::suggestion;
pub use warn::Usage;
