//! Names in scope. Each symbol heads a list of its bindings, innermost first, so that lookup takes constant time at
//! any depth. Leaving a scope removes its bindings.

use super::names::Symbol;
use super::tree::{FunctionId, GlobalId, LocalId};
use super::types::{Space, StructId, TypeId};
use grus_support::diag::Span;

/// Type and qualifiers that a `typedef` gives a name to.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Typedef {
    pub ty: TypeId,
    pub space: Option<Space>,
    pub is_const: bool,
    pub is_volatile: bool,
    /// True for `size_t` and similar types, whose size may differ on the host.
    pub host_sized: bool,
}

/// Meaning of an ordinary identifier.
#[derive(Clone, Copy, Debug)]
pub enum Entity {
    Local(LocalId),
    Global(GlobalId),
    Function(FunctionId),
    Typedef(Typedef),
    /// Enumeration constant: its bits and type.
    Constant(u64, TypeId),
}

/// Meaning of a tag.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Tag {
    Struct(StructId),
    /// Enumeration, represented by its integer type.
    Enum(TypeId),
}

#[derive(Clone, Debug)]
struct NameBinding<T> {
    symbol: Symbol,
    decl: T,
    span: Span,
    depth: u32,
    /// Index + 1 of the binding that this one hides; 0 if there is none.
    shadows: u32,
}

/// Name space (C99 s6.2.3).
#[derive(Debug)]
struct NameSpace<T> {
    bindings: Vec<NameBinding<T>>,
    /// Index + 1 of the innermost binding of each symbol; 0 if there is none.
    innermost: Vec<u32>,
    /// Number of leading bindings that are invisible: those of the program, while library text is parsed.
    hidden_len: usize,
}

impl<T> Default for NameSpace<T> {
    fn default() -> Self {
        Self { bindings: Vec::new(), innermost: Vec::new(), hidden_len: 0 }
    }
}

impl<T: Copy> NameSpace<T> {
    fn find(&self, symbol: Symbol) -> Option<&NameBinding<T>> {
        let head = *self.innermost.get(symbol.0 as usize)? as usize;
        (head > self.hidden_len).then(|| &self.bindings[head - 1])
    }

    fn bind(&mut self, symbol: Symbol, decl: T, span: Span, depth: u32) {
        let index = symbol.0 as usize;
        if index >= self.innermost.len() {
            self.innermost.resize(index + 64, 0);
        }
        self.bindings.push(NameBinding { symbol, decl, span, depth, shadows: self.innermost[index] });
        self.innermost[index] = self.bindings.len() as u32;
    }

    fn pop_to(&mut self, len: usize) {
        for binding in self.bindings.drain(len..).rev() {
            self.innermost[binding.symbol.0 as usize] = binding.shadows;
        }
    }
}

/// Result of a lookup: the meaning of a name, the source range of its declaration, and its scope.
#[derive(Clone, Copy, Debug)]
pub struct FoundName<T> {
    pub decl: T,
    pub span: Span,
    /// Number of scopes that were open at the declaration.
    pub depth: u32,
    pub is_innermost: bool,
}

/// Program scopes, saved while library text is parsed.
#[derive(Debug)]
pub struct LibraryScope {
    hidden_lens: (usize, usize),
    starts: Vec<(usize, usize)>,
    lens: (usize, usize),
}

/// All scopes of a translation unit.
#[derive(Debug, Default)]
pub struct Scopes {
    ordinary: NameSpace<Entity>,
    tags: NameSpace<Tag>,
    starts: Vec<(usize, usize)>,
}

impl Scopes {
    /// Opens a scope.
    pub fn push(&mut self) {
        self.starts.push((self.ordinary.bindings.len(), self.tags.bindings.len()));
    }

    /// Closes the innermost scope.
    pub fn pop(&mut self) {
        if let Some((ordinary, tags)) = self.starts.pop() {
            self.ordinary.pop_to(ordinary);
            self.tags.pop_to(tags);
        }
    }

    /// Returns the number of open scopes, not counting program scope.
    pub fn depth(&self) -> u32 {
        self.starts.len() as u32
    }

    /// Hides all bindings that are in scope. Returns the argument for [`Scopes::reveal_program_names`].
    fn hide_program_names(&mut self) -> (usize, usize) {
        let before = (self.ordinary.hidden_len, self.tags.hidden_len);
        self.ordinary.hidden_len = self.ordinary.bindings.len();
        self.tags.hidden_len = self.tags.bindings.len();
        before
    }

    /// Reverts [`Scopes::hide_program_names`].
    fn reveal_program_names(&mut self, before: (usize, usize)) {
        (self.ordinary.hidden_len, self.tags.hidden_len) = before;
    }

    /// Looks up the ordinary identifier `symbol`.
    pub fn find(&self, symbol: Symbol) -> Option<FoundName<Entity>> {
        let found = self.ordinary.find(symbol)?;
        let is_innermost = found.depth == self.depth();
        Some(FoundName { decl: found.decl, span: found.span, depth: found.depth, is_innermost })
    }

    /// Looks up the tag `symbol`.
    pub fn find_tag(&self, symbol: Symbol) -> Option<FoundName<Tag>> {
        let found = self.tags.find(symbol)?;
        let is_innermost = found.depth == self.depth();
        Some(FoundName { decl: found.decl, span: found.span, depth: found.depth, is_innermost })
    }

    /// Declares an ordinary identifier in the innermost scope.
    pub fn bind(&mut self, symbol: Symbol, decl: Entity, span: Span) {
        let depth = self.depth();
        self.ordinary.bind(symbol, decl, span, depth);
    }

    /// Declares a tag in the innermost scope.
    pub fn bind_tag(&mut self, symbol: Symbol, decl: Tag, span: Span) {
        let depth = self.depth();
        self.tags.bind(symbol, decl, span, depth);
    }

    /// Starts an empty set of scopes for library text. Returns the argument for [`Scopes::close_library`].
    pub fn open_library(&mut self) -> LibraryScope {
        LibraryScope {
            hidden_lens: self.hide_program_names(),
            starts: std::mem::take(&mut self.starts),
            lens: (self.ordinary.bindings.len(), self.tags.bindings.len()),
        }
    }

    /// Restores the scopes from before [`Scopes::open_library`]. Returns the declarations made since then.
    pub fn close_library(&mut self, before: LibraryScope) -> Vec<(Symbol, Entity)> {
        let declared = self.ordinary.bindings[before.lens.0..].iter().map(|b| (b.symbol, b.decl)).collect();
        self.ordinary.pop_to(before.lens.0);
        self.tags.pop_to(before.lens.1);
        self.starts = before.starts;
        self.reveal_program_names(before.hidden_lens);
        declared
    }

    /// Checks whether the innermost scope is program scope.
    pub fn at_program_scope(&self) -> bool {
        self.starts.is_empty()
    }

    /// Returns all ordinary identifiers in scope, for spelling suggestions.
    pub fn names(&self) -> impl Iterator<Item = Symbol> {
        self.ordinary.bindings[self.ordinary.hidden_len..].iter().map(|b| b.symbol)
    }
}
