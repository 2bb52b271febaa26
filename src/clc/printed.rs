//! Prints a preprocessed program as text that can be compiled again, so that users can inspect the expansion of
//! macros.

use super::names::Names;
use super::token::{CONTRACT_OFF, CONTRACT_ON, PACKED, Token, TokenKind, UNROLL};
use super::{Options, TargetInfo, library, pp};
use grus_support::diag::{Diagnostics, SourceMap};

/// Result of preprocessing.
#[derive(Debug)]
pub struct Preprocessed {
    /// Text of the tokens, with the line breaks of the source. It contains `#line` directives where source lines
    /// are not consecutive, and the pragmas that have an effect.
    pub text: String,
    /// Names of the included files, without duplicates, in the order of their first inclusion.
    pub files: Vec<String>,
    /// Log of errors and warnings.
    pub log: String,
}

/// Tokens of a program and the data that describes them.
struct PreprocessedTokens {
    tokens: Vec<Token>,
    pragmas: pp::PragmaTables,
    names: Names,
    map: SourceMap,
    log: String,
}

fn preprocess_tokens(
    main: (&str, &str),
    headers: pp::Headers<'_>,
    options: &Options,
    target: &TargetInfo,
) -> PreprocessedTokens {
    let (mut names, mut map) = (Names::new(), SourceMap::new());
    let mut diags = Diagnostics::default();
    let mut library = library::Library::new(options, target);
    let mut pragmas = pp::PragmaTables::default();
    let input = pp::Input {
        names: &mut names,
        map: &mut map,
        diags: &mut diags,
        library: &mut library,
        options,
        target,
        headers,
        pragmas: &mut pragmas,
    };
    let tokens = pp::preprocess(input, main);
    let log = diags.render(&map);
    PreprocessedTokens { tokens, pragmas, names, map, log }
}

/// Returns the tokens as text with the line breaks of the source, without `#line` and pragmas, and the log.
pub fn preprocess(
    main: (&str, &str),
    headers: &[(&str, &str)],
    options: &Options,
    target: &TargetInfo,
) -> (String, String) {
    let program = preprocess_tokens(main, headers, options, target);
    let mut out = String::new();
    for token in &program.tokens {
        separate(&mut out, token);
        out.push_str(program.names.text(token.symbol));
    }
    (out.trim_end().to_owned(), program.log)
}

/// Appends the white space that precedes a token.
fn separate(out: &mut String, token: &Token) {
    if token.at_line_start() && !out.is_empty() {
        out.push('\n');
    } else if token.after_space() && !out.is_empty() {
        out.push(' ');
    }
}

/// Preprocesses a program into text that can be compiled again.
pub fn preprocessed(
    main: (&str, &str),
    headers: &[(&str, &str)],
    options: &Options,
    target: &TargetInfo,
) -> Preprocessed {
    let program = preprocess_tokens(main, headers, options, target);
    let mut files: Vec<String> = Vec::new();
    for file in program.map.included_files() {
        let is_embedded = headers.iter().any(|(name, _)| *name == file);
        if !is_embedded && !files.iter().any(|known| known == file) {
            files.push(file.to_owned());
        }
    }
    Preprocessed { text: printed(&program), files, log: program.log }
}

/// Maximum number of consecutive lines without tokens that are printed as empty lines. Longer gaps become a
/// `#line`.
// Arbitrary.
const MAX_EMPTY_LINES: u32 = 8;

/// Printed text, and the source position of its last line.
struct Printer<'r> {
    out: String,
    file: &'r str,
    line: u32,
}

impl<'r> Printer<'r> {
    /// Starts a new output line, which stands for `line` of the source, preceded by `pragmas`.
    fn start_line(&mut self, file: &'r str, line: u32, pragmas: &str) {
        self.end_line();
        self.out += pragmas;
        let gap = line.checked_sub(self.line.saturating_add(1)).filter(|gap| *gap <= MAX_EMPTY_LINES);
        match gap {
            Some(gap) if file == self.file && pragmas.is_empty() => {
                self.out.extend(std::iter::repeat_n('\n', gap as usize));
            }
            _ => {
                let name = file.replace('\\', "\\\\").replace('"', "\\\"");
                self.out += &format!("#line {line} \"{name}\"\n");
            }
        }
        (self.file, self.line) = (file, line);
    }

    fn end_line(&mut self) {
        if !self.out.is_empty() && !self.out.ends_with('\n') {
            self.out.push('\n');
        }
    }
}

fn printed(program: &PreprocessedTokens) -> String {
    let mut printer = Printer { out: String::new(), file: "", line: 0 };
    let mut end = 0;
    for (index, token) in program.tokens.iter().enumerate() {
        let pragmas = pragmas(program, index, token);
        if token.kind == TokenKind::Eof {
            break;
        }
        let (file, line) = program.map.line_at(token.lo).map_or(("", 1), |at| (at.file, at.number));
        if token.at_line_start() || !pragmas.is_empty() || file != printer.file {
            printer.start_line(file, line, &pragmas);
        } else if token.after_space() || token.lo != end || !is_spelled_as_source(program, token) {
            // A token from a macro expansion must not merge with the previous token.
            printer.out.push(' ');
        }
        printer.out.push_str(program.names.text(token.symbol));
        end = token.lo + u32::from(token.len);
    }
    printer.end_line();
    printer.out
}

/// Checks whether the token is spelled as in the source at its position. This is false for tokens of macro
/// expansions.
fn is_spelled_as_source(program: &PreprocessedTokens, token: &Token) -> bool {
    program.map.text_of(token.span()) == Some(program.names.text(token.symbol))
}

/// Returns the pragmas that precede a token, one per line.
fn pragmas(program: &PreprocessedTokens, index: usize, token: &Token) -> String {
    let mut text = String::new();
    let argument = |number: u64| if number == 0 { String::new() } else { number.to_string() };
    if token.flags & PACKED != 0 {
        let align = program.pragmas.pack_at(index).map_or(0, |pack| pack.max_align);
        text += &format!("#pragma pack({})\n", argument(align));
    }
    if token.flags & UNROLL != 0 {
        let count = program.pragmas.unroll_at(index).map_or(0, |unroll| unroll.count);
        text += format!("#pragma unroll {}", argument(u64::from(count))).trim_end();
        text.push('\n');
    }
    for (flag, state) in [(CONTRACT_ON, "ON"), (CONTRACT_OFF, "OFF")] {
        if token.flags & flag != 0 {
            text += &format!("#pragma OPENCL FP_CONTRACT {state}\n");
        }
    }
    text
}
