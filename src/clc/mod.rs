//! OpenCL C → typed tree. Knows nothing of IR or of the API.

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

use crate::diag::{Diagnostics, SourceMap};

/// Preprocesses only: the tokens as text, line by line, and the log.
pub fn preprocess(
    main: (&str, &str),
    headers: &[(&str, &str)],
    options: &Options,
    facts: &TargetFacts,
) -> (String, String) {
    let (mut names, mut map) = (names::Names::new(), SourceMap::new());
    let mut diags = Diagnostics::default();
    let mut library = library::Library::new(options, facts);
    let input = pp::Input {
        names: &mut names,
        map: &mut map,
        diags: &mut diags,
        library: &mut library,
        options,
        facts,
        headers,
    };
    let tokens = pp::preprocess(input, main);
    let mut out = String::new();
    for token in &tokens {
        if token.at_line_start() && !out.is_empty() {
            out.push('\n');
        } else if token.after_space() && !out.is_empty() {
            out.push(' ');
        }
        out.push_str(names.text(token.symbol));
    }
    (out.trim_end().to_owned(), diags.render(&map))
}
