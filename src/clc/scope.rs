//! Names in scope. Every symbol heads a chain of its bindings, innermost first, so a
//! look-up is one index whatever the depth; leaving a scope pops its bindings.

use super::names::Symbol;
use super::tree::{FunctionId, GlobalId, LocalId};
use super::types::{Space, StructId, TypeId};
use crate::diag::Span;

/// What `typedef` gives a name to: a type and what was written around it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Typedef {
    pub ty: TypeId,
    pub space: Option<Space>,
    pub is_const: bool,
    pub is_volatile: bool,
    /// `size_t` and its like.
    pub host_sized: bool,
}

/// What an ordinary name means.
#[derive(Clone, Copy, Debug)]
pub enum Entity {
    Local(LocalId),
    Global(GlobalId),
    Function(FunctionId),
    Typedef(Typedef),
    /// An enumeration constant: its bits and type.
    Constant(u64, TypeId),
}

/// What a tag means.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Tag {
    Struct(StructId),
    /// An enumeration, and the integer type it is.
    Enum(TypeId),
}

#[derive(Clone, Debug)]
struct Binding<T> {
    symbol: Symbol,
    what: T,
    span: Span,
    depth: u32,
    /// Binding (+ 1) this one hides.
    hides: u32,
}

/// One name space.
#[derive(Debug)]
struct NameSpace<T> {
    bindings: Vec<Binding<T>>,
    /// Innermost binding (+ 1) by symbol.
    heads: Vec<u32>,
    /// Bindings below are invisible: the program's, while library text is read.
    floor: usize,
}

impl<T> Default for NameSpace<T> {
    fn default() -> Self {
        Self { bindings: Vec::new(), heads: Vec::new(), floor: 0 }
    }
}

impl<T: Copy> NameSpace<T> {
    fn find(&self, symbol: Symbol) -> Option<&Binding<T>> {
        let head = *self.heads.get(symbol.0 as usize)? as usize;
        (head > self.floor).then(|| &self.bindings[head - 1])
    }

    fn bind(&mut self, symbol: Symbol, what: T, span: Span, depth: u32) {
        let index = symbol.0 as usize;
        if index >= self.heads.len() {
            self.heads.resize(index + 64, 0);
        }
        self.bindings.push(Binding { symbol, what, span, depth, hides: self.heads[index] });
        self.heads[index] = self.bindings.len() as u32;
    }

    fn pop_to(&mut self, len: usize) {
        for binding in self.bindings.drain(len..).rev() {
            self.heads[binding.symbol.0 as usize] = binding.hides;
        }
    }
}

/// A name found: what it is, where it was declared, whether in the innermost scope.
#[derive(Clone, Copy, Debug)]
pub struct FoundName<T> {
    pub what: T,
    pub span: Span,
    /// How many scopes were open where it was declared.
    pub depth: u32,
    pub is_innermost: bool,
}

/// The program's scopes, put aside while library text is read.
#[derive(Debug)]
pub struct LibraryScope {
    floors: (usize, usize),
    starts: Vec<(usize, usize)>,
    lens: (usize, usize),
}

/// All scopes.
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

    /// How many scopes are open, the program's not counted.
    pub fn depth(&self) -> u32 {
        self.starts.len() as u32
    }

    /// Hides everything that is in scope now; returns what [`Scopes::reveal`] takes.
    fn hide_all(&mut self) -> (usize, usize) {
        let before = (self.ordinary.floor, self.tags.floor);
        self.ordinary.floor = self.ordinary.bindings.len();
        self.tags.floor = self.tags.bindings.len();
        before
    }

    /// Undoes [`Scopes::hide_all`].
    fn reveal(&mut self, before: (usize, usize)) {
        (self.ordinary.floor, self.tags.floor) = before;
    }

    /// What `symbol` names.
    pub fn find(&self, symbol: Symbol) -> Option<FoundName<Entity>> {
        let found = self.ordinary.find(symbol)?;
        let is_innermost = found.depth == self.depth();
        Some(FoundName { what: found.what, span: found.span, depth: found.depth, is_innermost })
    }

    /// What the tag `symbol` names.
    pub fn find_tag(&self, symbol: Symbol) -> Option<FoundName<Tag>> {
        let found = self.tags.find(symbol)?;
        let is_innermost = found.depth == self.depth();
        Some(FoundName { what: found.what, span: found.span, depth: found.depth, is_innermost })
    }

    /// Declares a name in the innermost scope.
    pub fn bind(&mut self, symbol: Symbol, what: Entity, span: Span) {
        let depth = self.depth();
        self.ordinary.bind(symbol, what, span, depth);
    }

    /// Declares a tag in the innermost scope.
    pub fn bind_tag(&mut self, symbol: Symbol, what: Tag, span: Span) {
        let depth = self.depth();
        self.tags.bind(symbol, what, span, depth);
    }

    /// Starts an empty set of scopes, as library text has it; returns what
    /// [`Scopes::close_library`] takes.
    pub fn open_library(&mut self) -> LibraryScope {
        LibraryScope {
            floors: self.hide_all(),
            starts: std::mem::take(&mut self.starts),
            lens: (self.ordinary.bindings.len(), self.tags.bindings.len()),
        }
    }

    /// Goes back to before [`Scopes::open_library`]; returns what was declared since.
    pub fn close_library(&mut self, before: LibraryScope) -> Vec<(Symbol, Entity)> {
        let declared = self.ordinary.bindings[before.lens.0..].iter().map(|b| (b.symbol, b.what)).collect();
        self.ordinary.pop_to(before.lens.0);
        self.tags.pop_to(before.lens.1);
        self.starts = before.starts;
        self.reveal(before.floors);
        declared
    }

    /// Whether the innermost scope is the program's outermost.
    pub fn at_program_scope(&self) -> bool {
        self.starts.is_empty()
    }

    /// All names in scope, for "did you mean".
    pub fn names(&self) -> impl Iterator<Item = Symbol> {
        self.ordinary.bindings[self.ordinary.floor..].iter().map(|b| b.symbol)
    }
}
