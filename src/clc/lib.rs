//! Front end: translates OpenCL C into a typed tree. It depends neither on the IR nor on the OpenCL API.
//!
//! [`analyze`] takes the text of a program, embedded headers, [`Options`] and the properties of the device
//! ([`TargetInfo`]). The result, [`Analysis`], has a [`tree::Unit`] if there are no errors, and the build log.
//! `lower` turns the unit into IR.
//!
//! # Stages
//!
//! ```text
//! text ──▶ lex            preprocessing tokens (token::Token), on demand
//!            │
//!            ▼
//!          pp             directives and macros: tokens → tokens (Prosser's algorithm)
//!            │
//!            ▼
//!          parse ───────▶ sema
//!            │  operands    │  types, conversions, constants; a node of the typed tree or an error
//!            │ ◀────────────┘
//!            ▼
//!          library        functions of kernels/ that the program calls, parsed like the program itself
//!            │
//!            ▼
//!          check_program  bodies that are missing, recursion
//!          check_warnings sema/warn, on the finished tree
//!            │
//!            ▼
//!          tree::Unit, build log
//! ```
//!
//! There is no untyped syntax tree. `parse/` has one method per production of the grammar, with the production as
//! its comment. It passes the operands of a construct to a check in `sema/`, which returns a typed node or reports
//! an error. Both are methods of one type, `session::Session`, which holds the state of an analysis.
//!
//! # Builtins
//!
//! The builtin functions are OpenCL C in `kernels/`. The build script makes an index of their signatures
//! ([`library`]). A name that is not in scope is looked up there. The body of a function is read only if the
//! program uses it, once for each instance of its generic types. Some bodies are single operations,
//! `__op(name)`, which stay in the tree as [`tree::FunctionBody::Op`].
//!
//! # Results
//!
//! - [`tree`] describes the typed tree. Conversions are explicit, names are resolved, constants are bytes. Values
//!   ([`tree::Expr`]) and places ([`tree::Lvalue`]) are different types.
//! - [`types`]: types are interned, so equal types have equal ids. Qualifiers belong to objects
//!   ([`types::QualType`]).
//! - Diagnostics are collected in `diag::Diagnostics` and rendered at the end:
//!
//! ```c
//! constant float threshold = 0.5f;
//! kernel void k(global float *result)
//! {
//!     result[0] = thershold;
//! }
//! ```
//!
//! ```log
//! k.cl:4:17: error: use of undeclared identifier 'thershold'; did you mean 'threshold'?
//!   |
//! 4 |     result[0] = thershold;
//!   |                 ^^^^^^^^^
//! k.cl:1:16: note: declared here
//!   |
//! 1 | constant float threshold = 0.5f;
//!   |                ^^^^^^^^^
//! 1 error
//! ```
//!
//! # Begin with
//!
//! | Topic | File |
//! |---|---|
//! | origin of a message | `parse/`, `sema/`, `pp/`: search for its text |
//! | build options | `options.rs` |
//! | resolution of calls of builtins | `library/resolve.rs`; `docs/builtins.md` for the marks in `kernels/` |
//! | types of expressions | `sema/binary.rs`, `sema/unary.rs`, `sema/convert.rs` |
//! | warnings | `sema/warn/mod.rs`; `docs/diagnostics.md` |
//!
//! # Invariants
//!
//! - A unit contains no errors, so lowering has no error path.
//! - No name of a builtin occurs in this module, except those of clang's that take types (`names::ParserBuiltin`).
//! - One cause yields one diagnostic: operations on the error type report nothing.
//! - Limits on tokens, nesting and includes keep hostile programs from using all memory or the whole stack. A
//!   program is analyzed on a stack of [`STACK_SIZE`] bytes.

mod attributes;
mod parse;
mod printed;
mod scope;
mod sema;
mod session;

pub mod lex;
pub mod library;
pub mod literal;
pub mod names;
pub mod options;
pub mod pp;
pub mod token;
pub mod tree;
pub mod types;

pub use options::{Options, TargetInfo};
pub use printed::{Preprocessed, preprocess, preprocessed};

use self::session::{Cursor, Session};
use grus_support::diag::SourceMap;
use grus_support::stack::{NoStack, on_stack};

/// Result of the analysis of a program.
#[derive(Debug)]
pub struct Analysis {
    /// Typed tree; `None` if there were errors.
    pub unit: Option<tree::Unit>,
    /// Build log: errors and warnings.
    pub log: String,
    /// Source map of the positions in `unit`.
    pub map: SourceMap,
}

/// Size in bytes of the stack for parsing and lowering. Nesting is limited, but the caller's stack may be smaller
/// than these limits need.
// Source: the deepest programs of `tests/it/hostile.rs` use a sixth of it.
pub const STACK_SIZE: usize = 16 << 20;

/// Analyzes the program `main` (name and text) on a new stack of [`STACK_SIZE`] bytes. `#include` searches `headers`
/// before any file.
pub fn analyze(
    main: (&str, &str),
    headers: &[(&str, &str)],
    options: &Options,
    target: &TargetInfo,
) -> Analysis {
    on_stack(STACK_SIZE, || analyze_on_current_stack(main, headers, options, target))
        .unwrap_or_else(|NoStack| Analysis { unit: None, log: NO_STACK.into(), map: SourceMap::new() })
}

/// Build log if no stack could be allocated.
const NO_STACK: &str = "error: no memory for a stack to compile on\n";

/// Does the work of [`analyze`] on the caller's stack, which must have at least [`STACK_SIZE`] bytes.
pub fn analyze_on_current_stack(
    main: (&str, &str),
    headers: &[(&str, &str)],
    options: &Options,
    target: &TargetInfo,
) -> Analysis {
    let mut session = Session::new(options, target, headers);
    session.cursor = Cursor::new(pp::preprocess(session.pp_input(), main));
    session.translation_unit();
    if session.diags.error_count() == 0 {
        session.define_declared_builtins();
        session.parse_instances();
        session.check_program();
    }
    if session.diags.error_count() == 0 {
        session.check_warnings();
    }
    let log = session.diags.render(&session.source.map);
    let unit = (session.diags.error_count() == 0).then(|| tree::Unit {
        types: session.types,
        globals: session.unit.globals,
        functions: session.unit.functions,
        blocks: session.blocks.literals,
    });
    Analysis { unit, log, map: session.source.map }
}

/// Checks every instance of every library function. Returns the log, which is empty if there are no errors.
pub fn check_library(options: &Options, target: &TargetInfo) -> String {
    on_stack(STACK_SIZE, || {
        let mut session = Session::new(options, target, &[]);
        session.instantiate_all();
        session.parse_instances();
        session.check_program();
        session.diags.render(&session.source.map)
    })
    .unwrap_or_else(|NoStack| NO_STACK.into())
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Returns the code block of the page in this language.
    fn block(language: &str) -> String {
        let page = include_str!("lib.rs").lines().map_while(|line| line.strip_prefix("//!"));
        let lines = page.map(|line| line.strip_prefix(' ').unwrap_or(line));
        let lines = lines.skip_while(|line| line.strip_prefix("```") != Some(language)).skip(1);
        lines.take_while(|line| *line != "```").map(|line| format!("{line}\n")).collect()
    }

    #[test]
    fn the_example_in_the_documentation_has_this_log() {
        let options = Options::parse("").expect("no option is legal");
        let analysis = analyze(("k.cl", &block("c")), &[], &options, &TargetInfo::default());
        assert!(analysis.unit.is_none());
        assert_eq!(analysis.log, block("log"));
    }
}
