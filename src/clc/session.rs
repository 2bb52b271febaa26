//! The state of one analysis: tokens being read, names in scope, and the tree that
//! grows. Parsing (`parse/`) and checking (`sema/`) are methods of it, one concern per
//! file: the parser recognises a production and hands the pieces to a check, which
//! returns a piece of typed tree or reports an error.

use std::collections::BTreeMap;

use super::library::Library;
use super::library::resolve::Instances;
use super::names::{Keyword, Names, Symbol, keyword};
use super::options::{Options, TargetFacts};
use super::pp::{self, Headers};
use super::scope::Scopes;
use super::sema::{BlockSource, BlockState, Blocks, Usage};
use super::token::{CONTRACT_OFF, CONTRACT_ON, Token, TokenKind, UNROLL};
use super::tree::{Case, Expr, ExprKind, Function, FunctionId, Global, GlobalId, LabelId, Local, LocalId};
use super::types::{QualType, Scalar, Space, Type, TypeId, TypeTable};
use crate::diag::{Diagnostic, Diagnostics, SourceMap, Span};
use crate::support::{FastMap, FastSet, IdVec, memory};

/// Types the checks name all the time.
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

/// What is known of a function beside its tree.
#[derive(Clone, Debug)]
pub struct FunctionInfo {
    pub ty: TypeId,
    pub ret: TypeId,
    pub params: Vec<QualType>,
    pub defined: bool,
    pub is_kernel: bool,
    /// Has the attribute.
    pub overloadable: bool,
    /// Of the library: the result differs from item to item of a group.
    pub varies: bool,
    /// Of the library: all items of a group must call it.
    pub gathers: bool,
    /// Functions it calls, where first.
    pub calls: Vec<(FunctionId, Span)>,
}

impl FunctionInfo {
    /// An ordinary function that calls nothing yet.
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

/// A label of the function being read.
#[derive(Clone, Copy, Debug)]
pub struct LabelState {
    pub id: LabelId,
    pub defined: bool,
    pub span: Span,
}

/// A `switch` being read.
#[derive(Debug)]
pub struct SwitchState {
    pub ty: TypeId,
    pub cases: Vec<Case>,
    /// First values of the cases to their last ones, and where they stand.
    pub seen: BTreeMap<i128, (i128, Span)>,
    pub default: Option<(LabelId, Span)>,
}

/// The function being read.
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
    /// `switches.len()` and `loops` tell what `break` leaves; `continue` needs a loop.
    pub breakables: u32,
    /// Block depth: 1 is the function's outermost scope.
    pub depth: u32,
    /// Values of const-qualified integer variables with constant initialisers.
    pub constants: FastMap<LocalId, u64>,
    /// Names bound at a scope as deep as this or less are not the function's own.
    pub scope_base: u32,
    /// If it is a block.
    pub block: Option<BlockState>,
    /// The block variable whose initialiser is being read.
    pub initialising: Option<LocalId>,
    /// Where the values of its block variables come from.
    pub block_variables: FastMap<LocalId, BlockSource>,
    /// Variables that were named after their declaration.
    pub used: FastSet<LocalId>,
}

/// Tokens and where the reader is in them.
#[derive(Debug, Default)]
pub struct Cursor {
    pub tokens: Vec<Token>,
    pub at: usize,
}

/// One analysis.
pub struct Session<'a> {
    pub names: Names,
    pub map: SourceMap,
    pub diags: Diagnostics,
    pub library: Library,
    pub options: &'a Options,
    pub facts: &'a TargetFacts,
    pub headers: Headers<'a>,
    /// What `#pragma pack` says in the program.
    pub packings: Vec<pp::Packing>,
    /// What `#pragma unroll` says in the program.
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
    /// All functions of a name by the first of them, where there are several.
    pub overloads: FastMap<FunctionId, Vec<FunctionId>>,
    pub instances: Instances,
    /// String literals by contents.
    pub strings: FastMap<Vec<u8>, GlobalId>,
    /// Structs with members a kernel cannot take by value, and what they are.
    pub unportable: FastMap<super::types::StructId, &'static str>,
    /// Uses of variables declared `extern`, and the functions that they are in, if any.
    pub extern_uses: Vec<(GlobalId, Option<FunctionId>, Span)>,
    /// Structs whose members are being read.
    pub open_structs: Vec<super::types::StructId>,
    /// Products may stay unrounded where they are added (s6.12.2, FP_CONTRACT).
    pub contract: bool,
    /// What warnings need and the tree does not tell.
    pub usage: Usage,
    /// Caller and callee of every call that `infos` tells of.
    pub called: FastSet<(FunctionId, FunctionId)>,
    /// Block depth of the statement expression being read; 0 if there is none.
    pub value_depth: u32,
    /// The last decimal constant that no signed type holds, and that does not ask for an unsigned one.
    pub excessive: Option<Span>,
    /// Nested productions being read.
    pub nesting: u32,
    /// Levels of the tree, which may be more: those of the expression that was read last, the most of any expression since
    /// this was last asked for, and the `else if`s around the statement being read.
    pub levels: Levels,
    /// Inside `sizeof` or `vec_step`: nothing is called.
    pub unevaluated: u32,
    /// Set once the program is too deeply nested: everything is skipped.
    pub aborted: bool,
}

/// Levels of a tree that flat text makes deep, such as `a + b + c` or a chain of `else if`.
#[derive(Clone, Copy, Debug, Default)]
pub struct Levels {
    /// Of the expression that was read last.
    pub last: u32,
    /// The most of any expression since it was reset.
    pub most: u32,
    /// `else if`s around the statement being read.
    pub alternatives: u32,
}

/// Levels that an expression, or a chain of `else if`, may have: what comes after the parser goes through trees by
/// recursion. The deepest ones are tried in `tests/it/hostile.rs`.
pub const MAX_LEVELS: u32 = 10_000;

/// How deep productions may nest. Each level costs stack here and in what follows.
pub const MAX_NESTING: u32 = 500;

impl<'a> Session<'a> {
    /// A session with nothing read.
    pub fn new(options: &'a Options, facts: &'a TargetFacts, headers: Headers<'a>) -> Self {
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
            levels: Levels::default(),
            unevaluated: 0,
            aborted: false,
        }
    }

    /// What the preprocessor works on.
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

    /// The most that members of a struct that begins here are aligned to.
    pub fn packing(&self) -> Option<u64> {
        if self.in_library() {
            return None;
        }
        let before = self.packings.partition_point(|&(index, _)| index <= self.cursor.at);
        let (_, packing) = self.packings[..before].last()?;
        (*packing > 0).then_some(*packing)
    }

    /// What `#pragma unroll` says of a loop that begins here.
    pub fn unrolling(&self) -> Option<u32> {
        if self.peek().flags & UNROLL == 0 || self.in_library() {
            return None;
        }
        let at = self.unrollings.binary_search_by_key(&self.cursor.at, |&(index, _)| index).ok()?;
        Some(self.unrollings[at].1)
    }

    /// The current token.
    pub fn peek(&self) -> Token {
        self.cursor.tokens[self.cursor.at]
    }

    /// The kind of the current token.
    pub fn kind(&self) -> TokenKind {
        self.peek().kind
    }

    /// The token `n` further on.
    pub fn peek_at(&self, n: usize) -> Token {
        let last = self.cursor.tokens.len() - 1;
        self.cursor.tokens[(self.cursor.at + n).min(last)]
    }

    /// The current token if it is a keyword.
    pub fn keyword(&self) -> Option<Keyword> {
        self.keyword_of(self.peek())
    }

    /// `token` if it is a keyword.
    pub fn keyword_of(&self, token: Token) -> Option<Keyword> {
        if token.kind != TokenKind::Name {
            return None;
        }
        keyword(token.symbol, self.options.std)
    }

    /// Takes the current token; the last one is never passed.
    pub fn bump(&mut self) -> Token {
        let token = self.peek();
        if self.cursor.at + 1 < self.cursor.tokens.len() {
            self.cursor.at += 1;
        }
        token
    }

    /// Takes the current token if it is a `kind`.
    pub fn eat(&mut self, kind: TokenKind) -> bool {
        let found = self.kind() == kind;
        if found {
            self.bump();
        }
        found
    }

    /// Takes the current token if it is the keyword.
    pub fn eat_keyword(&mut self, wanted: Keyword) -> bool {
        let found = self.keyword() == Some(wanted);
        if found {
            self.bump();
        }
        found
    }

    /// Takes a `kind`, or reports that `what` is missing.
    pub fn expect(&mut self, kind: TokenKind, what: &str) -> bool {
        if self.eat(kind) {
            return true;
        }
        let token = self.peek();
        let found = self.describe(token);
        if self.follows_broken_token(token) {
            return false;
        }
        // Behind the last token is where something is missing.
        let span = if token.at_line_start() || token.kind == TokenKind::Eof {
            self.behind_last()
        } else {
            token.span()
        };
        self.error(span, format!("expected {what} before {found}"));
        false
    }

    /// Takes a `kind`, or reports that what closes the mark at `open` is missing.
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

    /// Whether something is missing only because the text before was never closed: a
    /// string took the rest of its line, or a comment or `#if` the rest of the program.
    fn follows_broken_token(&self, token: Token) -> bool {
        let last = self.last_span();
        self.aborted
            || token.kind == TokenKind::Eof && self.diags.has_error(None, "unterminated")
            || self.diags.has_error(Some(last), "missing terminating")
    }

    /// The place right after the token read last.
    pub fn behind_last(&self) -> Span {
        match self.cursor.at.checked_sub(1) {
            Some(before) => {
                let hi = self.cursor.tokens[before].span().hi;
                Span { lo: hi, hi }
            }
            None => self.peek().span(),
        }
    }

    /// The token read last.
    pub fn last_span(&self) -> Span {
        self.cursor.at.checked_sub(1).map_or(Span::default(), |n| self.cursor.tokens[n].span())
    }

    /// A token for an error message.
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

    /// Obeys an FP_CONTRACT pragma before the current token.
    pub fn obey_pragma(&mut self) {
        match self.peek().flags & (CONTRACT_ON | CONTRACT_OFF) {
            0 => {}
            flags => self.contract = flags & CONTRACT_ON != 0,
        }
    }

    /// Enters a nested production; false (with an error, and the rest of the program
    /// skipped) when the nesting is too deep.
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

    /// Leaves it.
    pub fn leave(&mut self) {
        self.nesting -= 1;
    }

    /// Notes how many levels the expression has that was just read, and gives the build up if it has too many.
    pub fn set_levels(&mut self, levels: u32) {
        self.levels.last = levels;
        self.levels.most = self.levels.most.max(levels);
        self.limit_levels(levels);
    }

    /// Reads an operand of what had `levels` levels before; what both are parts of has one more than either.
    pub fn beside<T>(&mut self, levels: u32, read: impl FnOnce(&mut Self) -> T) -> T {
        self.levels.last = 0;
        let found = read(self);
        self.set_levels(levels.max(self.levels.last) + 1);
        found
    }

    /// Reads an expression that consists of others, perhaps in statements: it has a level more than any of them.
    pub fn around<T>(&mut self, read: impl FnOnce(&mut Self) -> T) -> T {
        let most = std::mem::take(&mut self.levels.most);
        let found = read(self);
        let levels = self.levels.most + 1;
        self.levels.most = most;
        self.set_levels(levels);
        found
    }

    /// Gives the build up if a tree has too many levels.
    pub fn limit_levels(&mut self, levels: u32) {
        if levels > MAX_LEVELS && !self.aborted {
            let span = self.peek().span();
            self.error(
                span,
                "the program is nested too deeply: this has too many parts, one within the other",
            );
            self.abort();
        }
    }

    /// Goes to the end of the tokens.
    pub fn abort(&mut self) {
        self.aborted = true;
        self.cursor.at = self.cursor.tokens.len() - 1;
    }

    /// An expression that stands for an error already reported.
    pub fn error_expr(&self, span: Span) -> Expr {
        Expr { kind: ExprKind::Zero, ty: self.common.error, span }
    }

    /// The id of a type.
    pub fn intern(&mut self, ty: Type) -> TypeId {
        self.types.intern(ty)
    }

    /// A scalar, or a vector with more than one lane.
    pub fn arithmetic(&mut self, scalar: Scalar, lanes: u8) -> TypeId {
        self.types.intern(if lanes == 1 { Type::Scalar(scalar) } else { Type::Vector(scalar, lanes) })
    }

    /// A pointer to `to`.
    pub fn pointer(&mut self, to: QualType) -> TypeId {
        self.types.intern(Type::Pointer(to))
    }

    /// The space an unqualified pointee is in (s6.7.9).
    pub fn default_pointee(&self) -> Space {
        if self.options.std >= 200 { Space::Generic } else { Space::Private }
    }

    /// Whether library text is being read.
    pub fn in_library(&self) -> bool {
        self.instances.binding.is_some() || !self.instances.reading.is_empty()
    }
}
