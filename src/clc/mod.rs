//! Front end: translates OpenCL C into a typed tree. It depends neither on the IR nor on the OpenCL API.

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
use crate::diag::SourceMap;
use crate::support::stack::{NoStack, on_stack};

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

/// Analyses the program `main` (name and text) on a new stack of [`STACK_SIZE`] bytes. `#include` searches `headers`
/// before any file.
pub fn analyse(
    main: (&str, &str),
    headers: &[(&str, &str)],
    options: &Options,
    target: &TargetInfo,
) -> Analysis {
    on_stack(STACK_SIZE, || analyse_on_current_stack(main, headers, options, target))
        .unwrap_or_else(|NoStack| Analysis { unit: None, log: NO_STACK.into(), map: SourceMap::new() })
}

/// Build log if no stack could be allocated.
const NO_STACK: &str = "error: no memory for a stack to compile on\n";

/// Does the work of [`analyse`] on the caller's stack, which must have at least [`STACK_SIZE`] bytes.
pub fn analyse_on_current_stack(
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
