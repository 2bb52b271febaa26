//! The index of `kernels/`, made by the build script: where every name of the library
//! is declared, with signatures already taken apart. Nothing here is text that has to
//! be scanned before a program uses the name.

use super::words::Word;
use crate::clc::types::Space;

/// A file of the library.
#[derive(Debug)]
pub struct File {
    pub name: &'static str,
    pub text: &'static str,
}

/// A range of bytes in a library file.
#[derive(Clone, Copy, Debug)]
pub struct Range {
    pub file: u16,
    pub lo: u32,
    pub hi: u32,
}

/// What the device or program must have for a name to exist.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Needs {
    /// Least language version.
    pub since: u16,
    /// Extensions and parts of the language that a device may lack (`TargetFacts::parts`),
    /// joined by '+'; or empty.
    pub extension: &'static str,
}

/// A macro of the prelude: the range begins at its name.
#[derive(Debug)]
pub struct MacroEntry {
    pub name: &'static str,
    pub needs: Needs,
    pub range: Range,
}

/// Spaces a pointer parameter takes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Spaces {
    Only(Space),
    /// `__any`: private, local, global; generic from 2.0.
    Any,
    /// `__readable`: those and constant.
    Readable,
    /// `__shared`: global and local; generic from 2.0.
    Shared,
}

/// How a parameter is a pointer.
#[derive(Clone, Copy, Debug)]
pub struct Pointer {
    pub spaces: Spaces,
    pub is_const: bool,
    pub is_volatile: bool,
}

/// Access that an image or pipe parameter needs.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Needed {
    ReadOnly,
    WriteOnly,
    ReadWrite,
    /// `__reads`: read-only or read-write.
    Reads,
    /// `__writes`: write-only or read-write.
    Writes,
    /// Nothing is said: any.
    Any,
}

/// The type of a parameter or result.
#[derive(Clone, Copy, Debug)]
pub struct Pattern {
    pub word: Word,
    pub pointer: Option<Pointer>,
    pub access: Needed,
}

/// A parameter.
#[derive(Debug)]
pub struct Param {
    pub name: &'static str,
    pub pattern: Pattern,
}

/// What a library function is made of.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum BodyKind {
    /// An operation of the lowering.
    Op(&'static str),
    /// Written for one lane.
    Each,
    Plain,
    /// The same bits as another type.
    Bitcast,
}

/// A function, or one for each type its generic type names allow.
#[derive(Debug)]
pub struct FunctionDecl {
    /// The name, or what is before the type in it.
    pub name: &'static str,
    /// What is after the type in the name; `None` if the name has no type in it.
    pub suffix: Option<&'static str>,
    pub needs: Needs,
    pub ret: Pattern,
    pub params: &'static [Param],
    pub variadic: bool,
    pub kind: BodyKind,
    /// `__outlined`: hardly ever called; what calls it stays small.
    pub is_outlined: bool,
    /// `__deferred`: a call until formats of images and samplers are known.
    pub is_deferred: bool,
    /// `__end`: never returns.
    pub is_end: bool,
    /// `__varies`: the result differs from item to item of a group.
    pub varies: bool,
    /// `__gathers`: all items of a group must call it.
    pub gathers: bool,
    /// `__wide`: integers given to it are `long` or `ulong`, by their signedness.
    pub widens: bool,
    /// Scalars E may be; bit i is `Scalar::ALL[i]`.
    pub elems: u16,
    /// Scalars D may be.
    pub dst_elems: u16,
    /// Lanes N and M may be; bit i is `words::LANES[i]`.
    pub lanes: u8,
    /// The body with its braces, or the name.
    pub range: Range,
    /// The name.
    pub name_range: Range,
}

/// A declaration of anything else: a type, constants, a table.
#[derive(Debug)]
pub struct TextDecl {
    pub needs: Needs,
    pub range: Range,
}

/// What a name is.
#[derive(Clone, Copy, Debug)]
pub enum Entry {
    Functions(&'static [u16]),
    /// A type.
    Type(u16),
    /// A constant or table.
    Text(u16),
}

include!(concat!(env!("OUT_DIR"), "/library.rs"));
