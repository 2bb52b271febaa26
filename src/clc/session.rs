//! State of one analysis: the tokens being read, the names in scope, and the typed tree under construction. Parsing
//! (`parse/`) and checking (`sema/`) are methods of [`Session`], with one concern per file: the parser recognises a
//! production and passes its operands to a check, which returns a typed tree or reports an error.

use std::collections::BTreeMap;

use super::library::Library;
use super::library::resolve::Instances;
use super::names::{Keyword, Names, Symbol, keyword};
use super::options::{Options, TargetInfo};
use super::pp::{self, Headers};
use super::scope::Scopes;
use super::sema::{BlockSource, BlockState, Blocks, Usage};
use super::token::{CONTRACT_OFF, CONTRACT_ON, Token, TokenKind, UNROLL};
use super::tree::{Case, Expr, ExprKind, Function, FunctionId, Global, GlobalId, LabelId, Local, LocalId};
use super::types::{QualType, Scalar, Space, Type, TypeId, TypeTable};
use crate::diag::{Diagnostic, Diagnostics, SourceMap, Span};
use crate::support::{FastMap, FastSet, IdVec, memory};

/// Ids of types that are used often.
#[derive(Clone, Copy, Debug)]
pub struct CommonTypes {
    pub error: TypeId,
    pub void: TypeId,
    pub bool: TypeId,
    pub int: TypeId,
    pub long: TypeId,
    pub ulong: TypeId,
    pub char: TypeId,
}

/// Properties of a function that are not part of its tree.
#[derive(Clone, Debug)]
pub struct FunctionInfo {
    pub ty: TypeId,
    pub ret: TypeId,
    pub params: Vec<QualType>,
    pub defined: bool,
    pub is_kernel: bool,
    /// True if the function has the attribute `overloadable`.
    pub overloadable: bool,
    /// True for a library function whose result may differ between the work-items of a work-group (`__varies`).
    pub varies: bool,
    /// True for a library function that all work-items of a work-group must call (`__gathers`).
    pub gathers: bool,
    /// Functions that this one calls, with the source range of the first call of each.
    pub calls: Vec<(FunctionId, Span)>,
}

impl FunctionInfo {
    /// Returns the information on an ordinary function that has no calls yet.
    pub fn new(ty: TypeId, ret: TypeId, params: Vec<QualType>, defined: bool) -> Self {
        Self {
            ty,
            ret,
            params,
            defined,
            is_kernel: false,
            overloadable: false,
            varies: false,
            gathers: false,
            calls: Vec::new(),
        }
    }
}

/// Label of the current function.
#[derive(Clone, Copy, Debug)]
pub struct LabelState {
    pub id: LabelId,
    pub defined: bool,
    pub span: Span,
}

/// Enclosing `switch` statement.
#[derive(Debug)]
pub struct SwitchState {
    pub ty: TypeId,
    pub cases: Vec<Case>,
    /// First value of each case, mapped to its last value and its source range.
    pub seen: BTreeMap<i128, (i128, Span)>,
    pub default: Option<(LabelId, Span)>,
}

/// State of the function being parsed.
#[derive(Debug)]
pub struct FunctionState {
    pub id: FunctionId,
    pub ret: TypeId,
    pub is_kernel: bool,
    pub name: Symbol,
    pub locals: IdVec<LocalId, Local>,
    pub labels: FastMap<Symbol, LabelState>,
    pub label_count: u32,
    pub loops: u32,
    pub switches: Vec<SwitchState>,
    /// Number of enclosing loops and switches. `break` requires at least one, `continue` requires a loop.
    pub breakables: u32,
    /// Block depth: 1 is the function's outermost scope.
    pub depth: u32,
    /// Values of const-qualified integer variables with constant initialisers.
    pub constants: FastMap<LocalId, u64>,
    /// Scope depth at the start of the function. Names bound at this depth or less belong to enclosing scopes.
    pub scope_base: u32,
    /// State of the block literal, if the function is the body of one.
    pub block: Option<BlockState>,
    /// Block variable whose initialiser is being parsed.
    pub initialising: Option<LocalId>,
    /// Sources of the values of the function's block variables.
    pub block_variables: FastMap<LocalId, BlockSource>,
    /// Variables that are used after their declaration.
    pub used: FastSet<LocalId>,
}

/// Token list and the current position in it.
#[derive(Debug, Default)]
pub struct Cursor {
    pub tokens: Vec<Token>,
    pub at: usize,
}

/// State of one analysis.
pub struct Session<'a> {
    pub names: Names,
    pub map: SourceMap,
    pub diags: Diagnostics,
    pub library: Library,
    pub options: &'a Options,
    pub facts: &'a TargetInfo,
    pub headers: Headers<'a>,
    /// Effects of `#pragma pack` in the program, in order of position.
    pub packings: Vec<pp::Packing>,
    /// Effects of `#pragma unroll` in the program, in order of position.
    pub unrollings: Vec<pp::Unrolling>,
    pub types: TypeTable,
    pub common: CommonTypes,
    pub globals: IdVec<GlobalId, Global>,
    pub functions: IdVec<FunctionId, Function>,
    pub infos: IdVec<FunctionId, FunctionInfo>,
    pub scopes: Scopes,
    pub cursor: Cursor,
    pub function: Option<FunctionState>,
    pub blocks: Blocks,
    /// All functions of each overloaded name, by the first of them.
    pub overloads: FastMap<FunctionId, Vec<FunctionId>>,
    pub instances: Instances,
    /// String literals by contents.
    pub strings: FastMap<Vec<u8>, GlobalId>,
    /// Structs with a member that cannot be passed to a kernel by value, and a description of that member.
    pub unportable: FastMap<super::types::StructId, &'static str>,
    /// Uses of variables declared `extern`, and the functions that contain them, if any.
    pub extern_uses: Vec<(GlobalId, Option<FunctionId>, Span)>,
    /// Structs whose members are being parsed.
    pub open_structs: Vec<super::types::StructId>,
    /// True if products may stay unrounded where they are added (s6.12.2, FP_CONTRACT).
    pub contract: bool,
    /// Data for warnings that is not in the tree.
    pub usage: Usage,
    /// Caller and callee of each call recorded in `infos`.
    pub called: FastSet<(FunctionId, FunctionId)>,
    /// Block depth of the enclosing statement expression; 0 if there is none.
    pub value_depth: u32,
    /// Source range of the last decimal constant without a `u` suffix that exceeds all signed types.
    pub excessive: Option<Span>,
    /// Depth of nested productions.
    pub nesting: u32,
    /// Depth of trees, which may exceed `nesting`.
    pub levels: TreeDepth,
    /// Number of enclosing unevaluated operands (`sizeof`, `vec_step` and similar). Calls in them are not recorded.
    pub unevaluated: u32,
    /// True once a limit on the size or nesting of the program is exceeded. All further tokens are skipped.
    pub aborted: bool,
}

/// Depth of a tree that flat text makes deep, such as `a + b + c` or a chain of `else if`.
#[derive(Clone, Copy, Debug, Default)]
pub struct TreeDepth {
    /// Depth of the last expression.
    pub last: u32,
    /// Maximum depth of the expressions since this field was last reset.
    pub most: u32,
    /// Number of `else if` branches around the current statement.
    pub alternatives: u32,
}

/// Maximum depth of an expression, or of a chain of `else if`. The stages after the parser traverse trees by
/// recursion.
// Source: `tests/it/hostile.rs` compiles the deepest programs, which use a sixth of `clc::STACK`.
pub const MAX_TREE_DEPTH: u32 = 10_000;

/// Maximum depth of nested productions. Each level needs stack in the parser and in later stages.
// Arbitrary.
pub const MAX_NESTING: u32 = 500;

impl<'a> Session<'a> {
    /// Returns a session without tokens and declarations.
    pub fn new(options: &'a Options, facts: &'a TargetInfo, headers: Headers<'a>) -> Self {
        let mut types = TypeTable::default();
        let mut scalar = |s| types.intern(Type::Scalar(s));
        let (int, long, ulong, char) =
            (scalar(Scalar::Int), scalar(Scalar::Long), scalar(Scalar::ULong), scalar(Scalar::Char));
        let common = CommonTypes {
            error: types.intern(Type::Error),
            void: types.intern(Type::Void),
            bool: types.intern(Type::Bool),
            int,
            long,
            ulong,
            char,
        };
        let mut diags = Diagnostics::default();
        diags.no_warnings = options.no_warnings;
        diags.warnings_are_errors = options.warnings_are_errors;
        Self {
            names: Names::new(),
            map: SourceMap::new(),
            diags,
            library: Library::new(options, facts),
            options,
            facts,
            headers,
            packings: Vec::new(),
            unrollings: Vec::new(),
            types,
            common,
            globals: IdVec::new(),
            functions: IdVec::new(),
            infos: IdVec::new(),
            scopes: Scopes::default(),
            cursor: Cursor::default(),
            function: None,
            blocks: Blocks::default(),
            overloads: FastMap::default(),
            instances: Instances::default(),
            strings: FastMap::default(),
            unportable: FastMap::default(),
            extern_uses: Vec::new(),
            open_structs: Vec::new(),
            contract: true,
            value_depth: 0,
            called: FastSet::default(),
            usage: Usage::default(),
            excessive: None,
            nesting: 0,
            levels: TreeDepth::default(),
            unevaluated: 0,
            aborted: false,
        }
    }

    /// Returns the state that the preprocessor reads and writes.
    pub fn pp_input(&mut self) -> pp::Input<'_> {
        pp::Input {
            names: &mut self.names,
            map: &mut self.map,
            diags: &mut self.diags,
            library: &mut self.library,
            options: self.options,
            facts: self.facts,
            headers: self.headers,
            packings: &mut self.packings,
            unrollings: &mut self.unrollings,
        }
    }

    /// Returns the alignment limit that `#pragma pack` sets for the members of a struct that begins at the current
    /// token.
    pub fn packing(&self) -> Option<u64> {
        if self.in_library() {
            return None;
        }
        let before = self.packings.partition_point(|&(index, _)| index <= self.cursor.at);
        let (_, packing) = self.packings[..before].last()?;
        (*packing > 0).then_some(*packing)
    }

    /// Returns the unroll count that `#pragma unroll` sets for a loop that begins at the current token.
    pub fn unrolling(&self) -> Option<u32> {
        if self.peek().flags & UNROLL == 0 || self.in_library() {
            return None;
        }
        let at = self.unrollings.binary_search_by_key(&self.cursor.at, |&(index, _)| index).ok()?;
        Some(self.unrollings[at].1)
    }

    /// Returns the current token.
    pub fn peek(&self) -> Token {
        self.cursor.tokens[self.cursor.at]
    }

    /// Returns the kind of the current token.
    pub fn kind(&self) -> TokenKind {
        self.peek().kind
    }

    /// Returns the token `n` positions after the current one.
    pub fn peek_at(&self, n: usize) -> Token {
        let last = self.cursor.tokens.len() - 1;
        self.cursor.tokens[(self.cursor.at + n).min(last)]
    }

    /// Returns the current token as a keyword, if it is one.
    pub fn keyword(&self) -> Option<Keyword> {
        self.keyword_of(self.peek())
    }

    /// Returns `token` as a keyword, if it is one.
    pub fn keyword_of(&self, token: Token) -> Option<Keyword> {
        if token.kind != TokenKind::Name {
            return None;
        }
        keyword(token.symbol, self.options.std)
    }

    /// Consumes and returns the current token. The cursor stays at the last token.
    pub fn bump(&mut self) -> Token {
        let token = self.peek();
        if self.cursor.at + 1 < self.cursor.tokens.len() {
            self.cursor.at += 1;
        }
        token
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
    pub fn eat_keyword(&mut self, wanted: Keyword) -> bool {
        let found = self.keyword() == Some(wanted);
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
        let found = self.describe(token);
        if self.follows_broken_token(token) {
            return false;
        }
        // If a new line follows, the missing token belongs at the end of the previous one.
        let span = if token.at_line_start() || token.kind == TokenKind::Eof {
            self.behind_last()
        } else {
            token.span()
        };
        self.error(span, format!("expected {what} before {found}"));
        false
    }

    /// Consumes a closing token, or reports that `what` is missing, with a note at the opening token `open`.
    pub fn expect_close(&mut self, kind: TokenKind, what: &str, open: Span) -> bool {
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
    fn follows_broken_token(&self, token: Token) -> bool {
        let last = self.last_span();
        self.aborted
            || token.kind == TokenKind::Eof && self.diags.has_error(None, "unterminated")
            || self.diags.has_error(Some(last), "missing terminating")
    }

    /// Returns the empty range just after the last consumed token.
    pub fn behind_last(&self) -> Span {
        match self.cursor.at.checked_sub(1) {
            Some(before) => {
                let hi = self.cursor.tokens[before].span().hi;
                Span { lo: hi, hi }
            }
            None => self.peek().span(),
        }
    }

    /// Returns the range of the last consumed token.
    pub fn last_span(&self) -> Span {
        self.cursor.at.checked_sub(1).map_or(Span::default(), |n| self.cursor.tokens[n].span())
    }

    /// Returns the text that denotes a token in a diagnostic.
    pub fn describe(&self, token: Token) -> String {
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
    pub fn obey_pragma(&mut self) {
        match self.peek().flags & (CONTRACT_ON | CONTRACT_OFF) {
            0 => {}
            flags => self.contract = flags & CONTRACT_ON != 0,
        }
    }

    /// Enters a nested production. If the nesting is too deep, reports an error, skips the rest of the program and
    /// returns false.
    pub fn enter(&mut self) -> bool {
        memory::check();
        self.nesting += 1;
        if self.nesting > MAX_NESTING && !self.aborted {
            let span = self.peek().span();
            self.error(span, "the program is nested too deeply");
            self.abort();
        }
        !self.aborted
    }

    /// Leaves a production that [`Session::enter`] entered.
    pub fn leave(&mut self) {
        self.nesting -= 1;
    }

    /// Sets the depth of the expression that was just parsed, and aborts if it exceeds the limit.
    pub fn set_levels(&mut self, levels: u32) {
        self.levels.last = levels;
        self.levels.most = self.levels.most.max(levels);
        self.limit_levels(levels);
    }

    /// Parses the second operand of an operator whose first operand has depth `levels`. The depth of the resulting
    /// expression is one more than the maximum of both.
    pub fn beside<T>(&mut self, levels: u32, read: impl FnOnce(&mut Self) -> T) -> T {
        self.levels.last = 0;
        let found = read(self);
        self.set_levels(levels.max(self.levels.last) + 1);
        found
    }

    /// Parses an expression that contains other expressions, possibly in statements. Its depth is one more than
    /// their maximum.
    pub fn around<T>(&mut self, read: impl FnOnce(&mut Self) -> T) -> T {
        let most = std::mem::take(&mut self.levels.most);
        let found = read(self);
        let levels = self.levels.most + 1;
        self.levels.most = most;
        self.set_levels(levels);
        found
    }

    /// Reports an error and aborts if a tree of depth `levels` exceeds the limit.
    pub fn limit_levels(&mut self, levels: u32) {
        if levels > MAX_TREE_DEPTH && !self.aborted {
            let span = self.peek().span();
            self.error(
                span,
                "the program is nested too deeply: this has too many parts, one within the other",
            );
            self.abort();
        }
    }

    /// Skips all remaining tokens.
    pub fn abort(&mut self) {
        self.aborted = true;
        self.cursor.at = self.cursor.tokens.len() - 1;
    }

    /// Returns a placeholder for an expression whose error has been reported.
    pub fn error_expr(&self, span: Span) -> Expr {
        Expr { kind: ExprKind::Zero, ty: self.common.error, span }
    }

    /// Returns the id of a type.
    pub fn intern(&mut self, ty: Type) -> TypeId {
        self.types.intern(ty)
    }

    /// Returns the scalar type, or the vector type if `lanes` is more than one.
    pub fn arithmetic(&mut self, scalar: Scalar, lanes: u8) -> TypeId {
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
        self.instances.binding.is_some() || !self.instances.reading.is_empty()
    }
}
