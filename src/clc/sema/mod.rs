//! Semantic analysis: checks the constructs that the parser recognised and builds the typed tree, or reports an
//! error.

mod assign;
mod binary;
mod block;
mod call;
mod capture;
mod constant;
mod convert;
mod evaluate;
mod finish;
mod lookup;
mod member;
mod overload;
mod shape;
mod statics;
mod suggest;
mod unary;
mod warn;

pub use block::{BlockSource, BlockState, Blocks};
pub use convert::AssignAction;
pub use evaluate::round_half;
pub use suggest::suggestion;
pub use warn::Usage;
