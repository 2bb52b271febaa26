//! Parser: one method per production of the grammar (C99 annex A, OpenCL C s6), with the production as its comment.
//! The parser builds no syntax tree; it passes the operands of each production to the checks in `sema/`, which
//! return the typed tree.

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
pub use specifiers::{DeclaredType, Specifiers, StorageClass, TypeSpelling};
