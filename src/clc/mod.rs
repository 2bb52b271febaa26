//! OpenCL C → typed tree. Knows nothing of IR or of the API.

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

pub use options::{Options, TargetFacts};
pub use printed::{Preprocessed, preprocess, preprocessed};

use self::session::Session;
use crate::diag::SourceMap;
use crate::support::stack::{NoStack, on_stack};

/// What comes of reading a program.
#[derive(Debug)]
pub struct Analysis {
    /// Only without errors.
    pub unit: Option<tree::Unit>,
    /// The build log: errors and warnings.
    pub log: String,
    /// Positions in the unit are of this map.
    pub map: SourceMap,
}

/// The stack that a program is read and lowered on: nesting is limited, but not to what is left of the caller's stack.
/// The deepest programs of `tests/it/hostile.rs` take a sixth of it.
pub const STACK: usize = 16 << 20;

/// Reads the program `main` (name and text). `headers` are found by `#include` before
/// any file.
pub fn analyse(
    main: (&str, &str),
    headers: &[(&str, &str)],
    options: &Options,
    facts: &TargetFacts,
) -> Analysis {
    on_stack(STACK, || analyse_here(main, headers, options, facts)).unwrap_or_else(|NoStack| Analysis {
        unit: None,
        log: NO_STACK.into(),
        map: SourceMap::new(),
    })
}

/// A line for the log.
const NO_STACK: &str = "error: no memory for a stack to compile on\n";

/// [`analyse`] on the caller's stack, which must be as large as [`STACK`].
pub fn analyse_here(
    main: (&str, &str),
    headers: &[(&str, &str)],
    options: &Options,
    facts: &TargetFacts,
) -> Analysis {
    let mut session = Session::new(options, facts, headers);
    session.cursor.tokens = pp::preprocess(session.pp_input(), main);
    session.translation_unit();
    if session.diags.error_count() == 0 {
        session.define_declared_builtins();
        session.read_instances();
        session.check_program();
    }
    if session.diags.error_count() == 0 {
        session.check_warnings();
    }
    let log = session.diags.render(&session.map);
    let unit = (session.diags.error_count() == 0).then(|| tree::Unit {
        types: session.types,
        globals: session.globals,
        functions: session.functions,
        blocks: session.blocks.literals,
    });
    Analysis { unit, log, map: session.map }
}

/// Reads every instance of every library function; the log is empty if all is well.
pub fn check_library(options: &Options, facts: &TargetFacts) -> String {
    on_stack(STACK, || {
        let mut session = Session::new(options, facts, &[]);
        session.instantiate_all();
        session.read_instances();
        session.check_program();
        session.diags.render(&session.map)
    })
    .unwrap_or_else(|NoStack| NO_STACK.into())
}
