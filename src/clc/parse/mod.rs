//! The parser: one method per production of the grammar (C99 annex A, OpenCL C s6),
//! with the production as its comment. It builds no tree of its own; what it recognises
//! goes to the checks in `sema/`, which return typed tree.

mod attribute;
mod block;
mod declaration;
mod declarator;
mod expression;
mod external;
mod gnu;
mod initializer;
mod primary;
mod special;
mod specifiers;
mod statement;
mod structs;

pub use attribute::Attributes;
pub use declarator::{Declarator, Parameter};
pub use expression::Operand;
pub use specifiers::{Specifiers, Spelling, Storage, Written};
