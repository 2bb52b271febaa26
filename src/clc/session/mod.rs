//! State of one analysis: the tokens being read, the names in scope, and the typed tree under construction. Parsing
//! (`parse/`) and checking (`sema/`) are methods of [`Session`], with one concern per file: the parser recognizes a
//! production and passes its operands to a check, which returns a typed tree or reports an error.
//!
//! Each part of the state is a structure with its own file, here or beside the code that uses it, and hides what only
//! its own methods need.

mod context;
mod cursor;
mod depth;
mod function;
mod structs;
mod unit;

use self::context::ExprContext;
use self::depth::ParseDepth;
use self::structs::StructInfos;
use self::unit::UnitBuilder;
use super::library::Library;
use super::library::builtins::Builtins;
use super::names::{Keyword, Names, keyword};
use super::options::{Options, TargetInfo};
use super::pp::{self, Headers, PragmaTables};
use super::scope::Scopes;
use super::sema::{Blocks, Usage};
use super::token::{CONTRACT_OFF, CONTRACT_ON, Token, TokenKind, UNROLL};
use super::tree::{Expr, ExprKind};
use super::types::{QualType, Scalar, Space, Type, TypeId, TypeTable};
use grus_support::diag::{Diagnostic, Diagnostics, SourceMap, Span};

pub use self::cursor::Cursor;
pub use self::depth::MAX_NESTING;
pub use self::function::{FunctionState, LabelState, SwitchState};
pub use self::unit::{ExternUse, FunctionInfo};

/// Source text of the program, apart from its tokens.
pub struct SourceText<'a> {
    pub(crate) map: SourceMap,
    headers: Headers<'a>,
    pragmas: PragmaTables,
}

/// State of one analysis.
pub struct Session<'a> {
    pub(super) options: &'a Options,
    pub(super) target: &'a TargetInfo,
    pub(super) source: SourceText<'a>,
    pub(super) names: Names,
    pub(super) diags: Diagnostics,
    pub(super) cursor: Cursor,
    pub(super) depth: ParseDepth,
    pub(super) scopes: Scopes,
    pub(super) types: TypeTable,
    pub(super) structs: StructInfos,
    pub(super) unit: UnitBuilder,
    pub(super) blocks: Blocks,
    pub(super) builtins: Builtins,
    /// Function being parsed; `None` at program scope.
    pub(super) function: Option<FunctionState>,
    pub(super) context: ExprContext,
    /// Data for warnings that is not in the tree.
    pub(super) usage: Usage,
}

impl<'a> Session<'a> {
    /// Returns a session without tokens and declarations.
    pub fn new(options: &'a Options, target: &'a TargetInfo, headers: Headers<'a>) -> Self {
        let mut diags = Diagnostics::default();
        diags.no_warnings = options.no_warnings;
        diags.warnings_are_errors = options.warnings_are_errors;
        Self {
            options,
            target,
            source: SourceText { map: SourceMap::new(), headers, pragmas: PragmaTables::default() },
            names: Names::new(),
            diags,
            cursor: Cursor::default(),
            depth: ParseDepth::default(),
            scopes: Scopes::default(),
            types: TypeTable::default(),
            structs: StructInfos::default(),
            unit: UnitBuilder::default(),
            blocks: Blocks::default(),
            builtins: Builtins::new(Library::new(options, target)),
            function: None,
            context: ExprContext::default(),
            usage: Usage::default(),
        }
    }

    /// Returns the state that the preprocessor reads and writes.
    pub fn pp_input(&mut self) -> pp::Input<'_> {
        pp::Input {
            names: &mut self.names,
            map: &mut self.source.map,
            diags: &mut self.diags,
            library: &mut self.builtins.library,
            options: self.options,
            target: self.target,
            headers: self.source.headers,
            pragmas: &mut self.source.pragmas,
        }
    }

    /// Returns the alignment limit that `#pragma pack` sets for the members of a struct that begins at the current
    /// token.
    pub fn pack_alignment(&self) -> Option<u64> {
        if self.in_library() {
            return None;
        }
        self.source.pragmas.pack_alignment(self.cursor.position())
    }

    /// Returns the unroll count that `#pragma unroll` sets for a loop that begins at the current token.
    pub fn unroll_count(&self) -> Option<u32> {
        if self.peek().flags & UNROLL == 0 || self.in_library() {
            return None;
        }
        self.source.pragmas.unroll_count(self.cursor.position())
    }

    /// Returns the current token.
    pub fn peek(&self) -> Token {
        self.cursor.peek()
    }

    /// Returns the kind of the current token.
    pub fn kind(&self) -> TokenKind {
        self.peek().kind
    }

    /// Returns the token `n` positions after the current one.
    pub fn peek_at(&self, n: usize) -> Token {
        self.cursor.peek_at(n)
    }

    /// Returns the current token as a keyword, if it is one.
    pub fn keyword(&self) -> Option<Keyword> {
        self.as_keyword(self.peek())
    }

    /// Returns `token` as a keyword, if it is one.
    pub fn as_keyword(&self, token: Token) -> Option<Keyword> {
        if token.kind != TokenKind::Ident {
            return None;
        }
        keyword(token.symbol, self.options.std)
    }

    /// Consumes and returns the current token. The cursor stays at the last token.
    pub fn bump(&mut self) -> Token {
        self.cursor.bump()
    }

    /// Consumes the current token if it has the given kind. Returns true if so.
    pub fn eat(&mut self, kind: TokenKind) -> bool {
        let found = self.kind() == kind;
        if found {
            self.bump();
        }
        found
    }

    /// Consumes the current token if it is the given keyword. Returns true if so.
    pub fn eat_keyword(&mut self, expected: Keyword) -> bool {
        let found = self.keyword() == Some(expected);
        if found {
            self.bump();
        }
        found
    }

    /// Consumes a token of the given kind, or reports that `what` is missing. Returns true if the token was
    /// present.
    pub fn expect(&mut self, kind: TokenKind, what: &str) -> bool {
        if self.eat(kind) {
            return true;
        }
        let token = self.peek();
        let found = self.token_text(token);
        if self.follows_unterminated_token(token) {
            return false;
        }
        // If a new line follows, the missing token belongs at the end of the previous one.
        let span = if token.at_line_start() || token.kind == TokenKind::Eof {
            self.end_of_last()
        } else {
            token.span()
        };
        self.error(span, format!("expected {what} before {found}"));
        false
    }

    /// Consumes a closing token, or reports that `what` is missing, with a note at the opening token `open`.
    pub fn expect_closing(&mut self, kind: TokenKind, what: &str, open: Span) -> bool {
        let before = self.diags.error_count();
        let found = self.expect(kind, what);
        if !found
            && self.diags.error_count() > before
            && let Some(report) = self.diags.last_mut()
        {
            report.note(open, "to match this");
        }
        found
    }

    /// Checks whether a token seems to be missing only because an earlier one was unterminated: a string took the
    /// rest of its line, or a comment or `#if` the rest of the program.
    fn follows_unterminated_token(&self, token: Token) -> bool {
        let last = self.last_span();
        self.depth.is_aborted()
            || token.kind == TokenKind::Eof && self.diags.has_error(None, "unterminated")
            || self.diags.has_error(Some(last), "missing terminating")
    }

    /// Returns the empty range just after the last consumed token.
    pub fn end_of_last(&self) -> Span {
        match self.cursor.lookbehind(1) {
            Some(last) => {
                let hi = last.span().hi;
                Span { lo: hi, hi }
            }
            None => self.peek().span(),
        }
    }

    /// Returns the range of the last consumed token.
    pub fn last_span(&self) -> Span {
        self.cursor.lookbehind(1).map_or(Span::default(), |token| token.span())
    }

    /// Returns the text that denotes a token in a diagnostic.
    pub fn token_text(&self, token: Token) -> String {
        match token.kind {
            TokenKind::Eof => "the end of the program".into(),
            _ => format!("'{}'", self.names.text(token.symbol)),
        }
    }

    /// Reports an error.
    pub fn error(&mut self, span: Span, message: impl Into<String>) -> &mut Diagnostic {
        self.diags.error(span, message)
    }

    /// Reports a warning.
    pub fn warning(&mut self, span: Span, message: impl Into<String>) -> &mut Diagnostic {
        self.diags.warning(span, message)
    }

    /// Applies an FP_CONTRACT pragma that precedes the current token.
    pub fn apply_fp_contract_pragma(&mut self) {
        match self.peek().flags & (CONTRACT_ON | CONTRACT_OFF) {
            0 => {}
            flags => self.context.set_fp_contract(flags & CONTRACT_ON != 0),
        }
    }

    /// Returns a placeholder for an expression whose error has been reported.
    pub fn error_expr(&self, span: Span) -> Expr {
        Expr { kind: ExprKind::Zero, ty: self.types.common.error, span }
    }

    /// Returns the id of a type.
    pub fn intern(&mut self, ty: Type) -> TypeId {
        self.types.intern(ty)
    }

    /// Returns the scalar type, or the vector type if `lanes` is more than one.
    pub fn arithmetic_type(&mut self, scalar: Scalar, lanes: u8) -> TypeId {
        self.types.intern(if lanes == 1 { Type::Scalar(scalar) } else { Type::Vector(scalar, lanes) })
    }

    /// Returns the type of a pointer to `to`.
    pub fn pointer(&mut self, to: QualType) -> TypeId {
        self.types.intern(Type::Pointer(to))
    }

    /// Returns the address space of an unqualified pointee (s6.7.9).
    pub fn default_pointee(&self) -> Space {
        if self.options.std >= 200 { Space::Generic } else { Space::Private }
    }

    /// Checks whether library text is being parsed.
    pub fn in_library(&self) -> bool {
        self.builtins.is_parsing()
    }
}
