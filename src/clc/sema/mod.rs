//! The checks: pieces of the program that the parser recognised come in, typed tree or
//! an error goes out. One file per kind of question.

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
pub use evaluate::round_half;
pub use suggest::suggestion;
pub use warn::Usage;
