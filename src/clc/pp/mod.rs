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
use grus_support::diag::{Diagnostics, SourceMap, Span, Text};
use grus_support::memory;

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
struct SpecialNames {
    defined: Symbol,
    va_args: Symbol,
    pragma: Symbol,
}

/// Effect of `#pragma pack`.
#[derive(Clone, Copy, Debug)]
pub struct PackPragma {
    /// Index of the first token that it applies to.
    pub token: usize,
    /// Maximum alignment of members; 0 for no limit.
    pub max_align: u64,
}

/// Effect of `#pragma unroll`.
#[derive(Clone, Copy, Debug)]
pub struct UnrollPragma {
    /// Index of the loop's first token.
    pub token: usize,
    /// Unroll count: 0 for full unrolling, 1 for none.
    pub count: u32,
}

/// Effects of pragmas that do not fit into the flags of a token, in order of position.
#[derive(Debug, Default)]
pub struct PragmaTables {
    packs: Vec<PackPragma>,
    unrolls: Vec<UnrollPragma>,
}

impl PragmaTables {
    /// Returns the last `#pragma pack` up to the token with this index.
    pub fn pack_at(&self, token: usize) -> Option<PackPragma> {
        let count = self.packs.partition_point(|pack| pack.token <= token);
        self.packs[..count].last().copied()
    }

    /// Returns the last `#pragma unroll` up to the token with this index.
    pub fn unroll_at(&self, token: usize) -> Option<UnrollPragma> {
        let count = self.unrolls.partition_point(|unroll| unroll.token <= token);
        self.unrolls[..count].last().copied()
    }

    /// Returns the maximum alignment of the members of a struct that begins at the token with this index.
    pub fn pack_alignment(&self, token: usize) -> Option<u64> {
        self.pack_at(token).map(|pack| pack.max_align).filter(|align| *align > 0)
    }

    /// Returns the unroll count of a loop that begins at the token with this index.
    pub fn unroll_count(&self, token: usize) -> Option<u32> {
        let index = self.unrolls.binary_search_by_key(&token, |unroll| unroll.token).ok()?;
        Some(self.unrolls[index].count)
    }
}

/// Names and texts of headers that `#include` finds without a file system.
pub type Headers<'a> = &'a [(&'a str, &'a str)];

/// State of the preprocessing of one translation unit.
pub struct Preprocessor<'a> {
    names: &'a mut Names,
    map: &'a mut SourceMap,
    diags: &'a mut Diagnostics,
    library: &'a mut Library,
    options: &'a Options,
    target: &'a TargetInfo,
    headers: Headers<'a>,
    special_names: SpecialNames,
    macros: MacroTable,
    hide_sets: HideSets,
    files: Vec<FileState>,
    /// Tokens that are read before the current file, in reverse order.
    pending: Vec<Token>,
    /// True if only `pending` is read, because a macro argument or a directive is being expanded.
    only_pending: bool,
    /// True while the line of an `#if` is being expanded, in which `defined` is an operator.
    in_condition: bool,
    nesting: u32,
    counter: u32,
    /// Number of tokens that macro expansion made; `usize::MAX` once preprocessing is aborted.
    expanded_tokens: usize,
    /// Number of file lookups by `#include` and `__has_include`.
    include_lookups: u32,
    /// Name of the main file.
    base_file: String,
    once_files: Vec<String>,
    /// Flags for the next token, set by pragmas for the parser.
    next_flags: u8,
    /// Current alignment limit of `#pragma pack`, and the stack of pushed limits.
    pack_align: u64,
    pack_stack: Vec<u64>,
    /// Unroll count of the last `#pragma unroll`.
    unroll_count: u32,
    pragmas: &'a mut PragmaTables,
}

/// State of the compiler that the preprocessor reads and writes.
pub struct Input<'a> {
    pub names: &'a mut Names,
    pub map: &'a mut SourceMap,
    pub diags: &'a mut Diagnostics,
    pub library: &'a mut Library,
    pub options: &'a Options,
    pub target: &'a TargetInfo,
    pub headers: Headers<'a>,
    pub pragmas: &'a mut PragmaTables,
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
        let special_names = SpecialNames {
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
            target: input.target,
            headers: input.headers,
            special_names,
            macros: MacroTable::default(),
            hide_sets: HideSets::new(),
            files: Vec::new(),
            pending: Vec::new(),
            only_pending: false,
            in_condition: false,
            nesting: 0,
            counter: 0,
            expanded_tokens: 0,
            include_lookups: 0,
            base_file: String::new(),
            once_files: Vec::new(),
            next_flags: 0,
            pack_align: 0,
            pack_stack: Vec::new(),
            unroll_count: 0,
            pragmas: input.pragmas,
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
                TokenKind::Ident if self.expand(token) => {}
                _ => {
                    memory::expect_growth(&out);
                    let flags = token.flags | std::mem::take(&mut self.next_flags);
                    if flags & PACKED != 0 {
                        let pack = PackPragma { token: out.len(), max_align: self.pack_align };
                        self.pragmas.packs.push(pack);
                    }
                    if flags & UNROLL != 0 {
                        let unroll = UnrollPragma { token: out.len(), count: self.unroll_count };
                        self.pragmas.unrolls.push(unroll);
                    }
                    out.push(Token { flags, ..token });
                }
            }
            if out.len() > MAX_TOKENS {
                self.abort(token, "the program is too long");
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
            if self.only_pending {
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
    fn abort(&mut self, at: Token, message: &str) {
        if self.expanded_tokens == usize::MAX {
            return;
        }
        self.expanded_tokens = usize::MAX;
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
        define("__OPENCL_VERSION__", &self.target.version.to_string());
        define("__OPENCL_C_VERSION__", &self.options.std.to_string());
        define("__ENDIAN_LITTLE__", "1");
        if self.target.images {
            define("__IMAGE_SUPPORT__", "1");
        }
        if self.options.fast_relaxed_math {
            define("__FAST_RELAXED_MATH__", "1");
        }
        if self.options.single_precision_constant {
            define("__SINGLE_PRECISION_CONSTANT__", "1");
        }
        for extension in &self.target.extensions {
            define(extension, "1");
        }
        for (name, value) in &self.options.defines {
            define(name, value);
        }
        text
    }
}
