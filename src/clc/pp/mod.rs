//! Preprocessor (C99 s6.10): converts source text into preprocessed tokens.
//!
//! Expansion is Prosser's algorithm: each token has a hide set of the macros that produced it, and these are not
//! expanded again at this token. Tokens of a replacement list have the position of the macro's use in the program;
//! arguments keep their own position.
//!
//! Limits apply to everything that a malicious program can inflate: the number of expanded tokens, and the number
//! and depth of includes.

mod condition;
mod directive;
mod expand;
mod hide;
mod include;
mod macros;
mod query;

use std::path::PathBuf;

use self::hide::HideSets;
use self::macros::{BodyToken, Macro, MacroKind, MacroTable};
use self::query::QUERIES;
use super::lex::Lexer;
use super::library::Library;
use super::names::{Names, Symbol};
use super::options::{Options, TargetInfo};
use super::token::{PACKED, Token, TokenKind, UNROLL};
use crate::diag::{Diagnostics, SourceMap, Span, Text};
use crate::support::memory;

/// Maximum number of tokens that macros and files may produce.
// Arbitrary.
const MAX_TOKENS: usize = 10_000_000;

/// State of an open file.
struct FileState {
    lexer: Lexer,
    conditions: Vec<Condition>,
    /// Directory that is searched first for quoted includes.
    dir: Option<PathBuf>,
    /// Directory of an embedded header: its name up to the last slash.
    header_dir: String,
    /// Identity of the file for `#pragma once`.
    identity: Option<String>,
}

/// Open `#if`.
struct Condition {
    span: Span,
    /// True if a branch has been taken.
    taken: bool,
    seen_else: bool,
}

/// Names with a meaning in the preprocessor.
struct PredefinedNames {
    defined: Symbol,
    va_args: Symbol,
    pragma: Symbol,
}

/// Effect of `#pragma pack`: the index of the first token that it applies to, and the maximum alignment of members,
/// or 0 for no limit.
pub type Packing = (usize, u64);

/// Effect of `#pragma unroll`: the index of the loop's first token, and the unroll count, which is 0 for full
/// unrolling and 1 for none.
pub type Unrolling = (usize, u32);

/// Names and texts of headers that `#include` finds without a file system.
pub type Headers<'a> = &'a [(&'a str, &'a str)];

/// State of the preprocessing of one translation unit.
pub struct Preprocessor<'a> {
    names: &'a mut Names,
    map: &'a mut SourceMap,
    diags: &'a mut Diagnostics,
    library: &'a mut Library,
    options: &'a Options,
    facts: &'a TargetInfo,
    headers: Headers<'a>,
    known: PredefinedNames,
    macros: MacroTable,
    hides: HideSets,
    files: Vec<FileState>,
    /// Tokens that are read before the current file, in reverse order.
    pending: Vec<Token>,
    /// True if only `pending` is read, because a macro argument or a directive is being expanded.
    isolated: bool,
    /// True while the line of an `#if` is being expanded, in which `defined` is an operator.
    in_condition: bool,
    nesting: u32,
    counter: u32,
    made: usize,
    includes: u32,
    /// Name of the main file.
    base_file: String,
    once: Vec<String>,
    /// Flags for the next token, set by pragmas for the parser.
    announced: u8,
    /// Current alignment limit of `#pragma pack`, and the stack of pushed limits.
    packing: u64,
    pushed: Vec<u64>,
    packings: &'a mut Vec<Packing>,
    /// Unroll count of the last `#pragma unroll`.
    unroll: u32,
    unrollings: &'a mut Vec<Unrolling>,
}

/// State of the compiler that the preprocessor reads and writes.
pub struct Input<'a> {
    pub names: &'a mut Names,
    pub map: &'a mut SourceMap,
    pub diags: &'a mut Diagnostics,
    pub library: &'a mut Library,
    pub options: &'a Options,
    pub facts: &'a TargetInfo,
    pub headers: Headers<'a>,
    pub packings: &'a mut Vec<Packing>,
    pub unrollings: &'a mut Vec<Unrolling>,
}

/// Preprocesses `main` (name and text). The returned tokens end with `Eof`.
pub fn preprocess(input: Input<'_>, main: (&str, &str)) -> Vec<Token> {
    let mut pp = Preprocessor::new(input);
    pp.define_builtin();
    let predefined = pp.predefined();
    pp.enter_text("<built-in>", &predefined);
    pp.run(Vec::new());
    pp.base_file = main.0.to_owned();
    pp.enter_text(main.0, main.1);
    pp.run(Vec::with_capacity(main.1.len() / 4 + 16))
}

/// Preprocesses library text, in which only the library's macros are defined.
pub fn preprocess_library(input: Input<'_>, lexer: Lexer) -> Vec<Token> {
    let mut pp = Preprocessor::new(input);
    pp.enter(lexer, None, None);
    pp.run(Vec::new())
}

impl<'a> Preprocessor<'a> {
    fn new(input: Input<'a>) -> Self {
        let known = PredefinedNames {
            defined: input.names.intern("defined"),
            va_args: input.names.intern("__VA_ARGS__"),
            pragma: input.names.intern("_Pragma"),
        };
        Self {
            names: input.names,
            map: input.map,
            diags: input.diags,
            library: input.library,
            options: input.options,
            facts: input.facts,
            headers: input.headers,
            known,
            macros: MacroTable::default(),
            hides: HideSets::new(),
            files: Vec::new(),
            pending: Vec::new(),
            isolated: false,
            in_condition: false,
            nesting: 0,
            counter: 0,
            made: 0,
            includes: 0,
            base_file: String::new(),
            once: Vec::new(),
            announced: 0,
            packing: 0,
            pushed: Vec::new(),
            packings: input.packings,
            unroll: 0,
            unrollings: input.unrollings,
        }
    }

    /// Reads tokens up to the end of all files.
    fn run(&mut self, mut out: Vec<Token>) -> Vec<Token> {
        loop {
            memory::check();
            let token = self.fetch();
            match token.kind {
                TokenKind::Eof => {
                    out.push(token);
                    return out;
                }
                TokenKind::Name if self.expand(token) => {}
                _ => {
                    memory::expect_growth(&out);
                    let flags = token.flags | std::mem::take(&mut self.announced);
                    if flags & PACKED != 0 {
                        self.packings.push((out.len(), self.packing));
                    }
                    if flags & UNROLL != 0 {
                        self.unrollings.push((out.len(), self.unroll));
                    }
                    out.push(Token { flags, ..token });
                }
            }
            if out.len() > MAX_TOKENS {
                self.give_up(token, "the program is too long");
            }
        }
    }

    /// Returns the next token before expansion. Directives are executed on the way.
    fn fetch(&mut self) -> Token {
        loop {
            if let Some(token) = self.pending.pop() {
                return token;
            }
            let Some(file) = self.files.last_mut() else {
                return self.end_token();
            };
            if self.isolated {
                return self.end_token();
            }
            let token = file.lexer.next(self.names, self.diags);
            match token.kind {
                TokenKind::Hash if token.at_line_start() => self.directive(token),
                TokenKind::Eof => {
                    self.leave_file();
                    if self.files.is_empty() {
                        return token;
                    }
                }
                _ => return token,
            }
        }
    }

    fn end_token(&mut self) -> Token {
        Token { kind: TokenKind::Eof, flags: 0, len: 0, symbol: self.names.intern(""), lo: 0, hide: 0 }
    }

    fn leave_file(&mut self) {
        let Some(file) = self.files.pop() else {
            return;
        };
        for condition in file.conditions {
            self.diags.error(condition.span, "unterminated conditional directive");
        }
    }

    /// Reports an error and stops reading: all further tokens are `Eof`.
    fn give_up(&mut self, at: Token, message: &str) {
        if self.made == usize::MAX {
            return;
        }
        self.made = usize::MAX;
        self.diags.error(at.span(), message);
        self.pending.clear();
        self.files.clear();
    }

    /// Returns the remaining tokens of the directive's line.
    fn line_tokens(&mut self) -> Vec<Token> {
        let mut line = Vec::new();
        if let Some(file) = self.files.last_mut() {
            while let Some(token) = file.lexer.next_in_line(self.names, self.diags) {
                line.push(token);
            }
        }
        line
    }

    fn enter_text(&mut self, name: &str, text: &str) {
        // A byte order mark is not part of the program.
        let text = text.strip_prefix('\u{feff}').unwrap_or(text);
        let text = Text::Shared(text.into());
        match self.map.add(name, text.clone(), 0) {
            Some(base) => self.enter(Lexer::new(text, base), None, None),
            None => {
                self.diags.error(Span::default(), "the program text is too long");
            }
        }
    }

    fn enter(&mut self, lexer: Lexer, dir: Option<PathBuf>, identity: Option<String>) {
        self.files.push(FileState {
            lexer,
            conditions: Vec::new(),
            dir,
            header_dir: String::new(),
            identity,
        });
    }

    fn define_builtin(&mut self) {
        for (name, kind) in [
            ("__LINE__", MacroKind::Line),
            ("__FILE__", MacroKind::File),
            ("__COUNTER__", MacroKind::Counter),
            ("__FILE_NAME__", MacroKind::FileName),
            ("__BASE_FILE__", MacroKind::BaseFile),
            ("__INCLUDE_LEVEL__", MacroKind::IncludeLevel),
        ]
        .into_iter()
        .chain(QUERIES.iter().map(|&(name, query)| (name, MacroKind::Query(query))))
        {
            let name = self.names.intern(name);
            let definition = Macro { kind, body: Box::new([]), defined_at: 0, is_library: false };
            self.macros.set(name, Some(definition.into()));
        }
    }

    /// Returns the source text of the predefined macros that depend on the device and the options.
    fn predefined(&self) -> String {
        let mut text = String::with_capacity(1024);
        let mut define = |name: &str, value: &str| {
            text.push_str("#define ");
            text.push_str(name);
            text.push(' ');
            text.push_str(value);
            text.push('\n');
        };
        define("__OPENCL_VERSION__", &self.facts.version.to_string());
        define("__OPENCL_C_VERSION__", &self.options.std.to_string());
        define("__ENDIAN_LITTLE__", "1");
        if self.facts.images {
            define("__IMAGE_SUPPORT__", "1");
        }
        if self.options.fast_relaxed_math {
            define("__FAST_RELAXED_MATH__", "1");
        }
        if self.options.single_precision_constant {
            define("__SINGLE_PRECISION_CONSTANT__", "1");
        }
        for extension in &self.facts.extensions {
            define(extension, "1");
        }
        for (name, value) in &self.options.defines {
            define(name, value);
        }
        text
    }
}
