//! The builtin library: `kernels/`, compiled by this front end in library mode. Names are looked up in an index
//! that was generated when the crate was built; text is read only when a program uses the name. See
//! docs/builtins.md.

pub mod builtins;
pub mod generic_types;
pub mod index;
pub mod resolve;

use self::index::{
    FILES, FUNCTIONS, FileRange, FunctionDecl, LibraryMacro, NameEntry, Requirements, TextDecl,
};
use super::lex::Lexer;
use super::names::arithmetic_type;
use super::options::{Options, TargetInfo};
use super::types::Scalar;
use grus_support::diag::{SourceMap, Text};

/// Meaning of a library name.
#[derive(Clone, Debug)]
pub enum LibraryName {
    Functions(Vec<Candidate>),
    Type(&'static TextDecl),
    Text(&'static TextDecl),
}

/// Candidate for a call of a library function.
#[derive(Clone, Copy, Debug)]
pub struct Candidate {
    /// Index of the declaration in `FUNCTIONS`.
    pub index: u16,
    /// Type in the name.
    pub dst: Option<(Scalar, u8)>,
}

impl Candidate {
    /// Returns the declaration.
    pub fn decl(self) -> &'static FunctionDecl {
        &FUNCTIONS[usize::from(self.index)]
    }
}

/// The library, as far as it exists for one build.
#[derive(Debug)]
pub struct Library {
    std: u32,
    extensions: Vec<String>,
    /// Bit mask of the scalars that exist.
    pub scalars: u16,
    /// Source map positions of the library's files, once they were added.
    bases: Vec<Option<u32>>,
}

impl Library {
    /// Creates the library for these options and this device.
    pub fn new(options: &Options, target: &TargetInfo) -> Self {
        let mut scalars = generic_types::ALL_SCALARS;
        for (exists, scalar) in [(target.fp64, Scalar::Double), (target.fp16, Scalar::Half)] {
            if !exists {
                scalars &= !(1 << scalar as u16);
            }
        }
        // Functions with a faster form under -cl-fast-relaxed-math are declared once for each mode.
        let math = if options.fast_relaxed_math { "relaxed_math" } else { "exact_math" };
        let features = target.optional_features().chain([math]).map(str::to_owned);
        Self {
            std: options.std,
            extensions: target.extensions.iter().cloned().chain(features).collect(),
            scalars,
            bases: vec![None; FILES.len()],
        }
    }

    /// Checks whether the conditions of a name are fulfilled.
    pub fn has(&self, requires: Requirements) -> bool {
        let there = |expected: &str| expected.is_empty() || self.extensions.iter().any(|e| e == expected);
        u32::from(requires.since) <= self.std && requires.extension.split('+').all(there)
    }

    /// Returns the conditions of the functions named `name`, if this build does not fulfill them.
    pub fn missing_requirements(&self, name: &str) -> Option<Requirements> {
        let at = index::NAMES.binary_search_by(|n| n.0.cmp(name)).ok()?;
        match index::NAMES[at].1 {
            NameEntry::Functions(list) => {
                let requires = list.iter().map(|&index| FUNCTIONS[usize::from(index)].requires);
                requires.into_iter().find(|requires| !self.has(*requires))
            }
            NameEntry::Type(text) | NameEntry::Text(text) => {
                let requires = index::TEXTS[usize::from(text)].requires;
                (!self.has(requires)).then_some(requires)
            }
        }
    }

    /// Returns the prelude's macro named `name`.
    pub fn find_macro(&self, name: &str) -> Option<&'static LibraryMacro> {
        let at = index::MACROS.binary_search_by(|m| m.name.cmp(name)).ok()?;
        let found = &index::MACROS[at];
        self.has(found.requires).then_some(found)
    }

    /// Looks up a name.
    pub fn find(&self, name: &str) -> Option<LibraryName> {
        let Ok(at) = index::NAMES.binary_search_by(|n| n.0.cmp(name)) else {
            return self.find_generic(name);
        };
        match index::NAMES[at].1 {
            NameEntry::Type(text) => {
                let text = &index::TEXTS[usize::from(text)];
                self.has(text.requires).then_some(LibraryName::Type(text))
            }
            NameEntry::Text(text) => {
                let text = &index::TEXTS[usize::from(text)];
                self.has(text.requires).then_some(LibraryName::Text(text))
            }
            NameEntry::Functions(list) => {
                let candidates = list.iter().map(|&index| Candidate { index, dst: None });
                self.functions(candidates.collect())
            }
        }
    }

    /// Checks whether there are functions with this name.
    pub fn has_function(&self, name: &str) -> bool {
        matches!(self.find(name), Some(LibraryName::Functions(_)))
    }

    fn functions(&self, mut list: Vec<Candidate>) -> Option<LibraryName> {
        list.retain(|c| self.has(c.decl().requires));
        (!list.is_empty()).then_some(LibraryName::Functions(list))
    }

    /// Looks up a name that contains a type, such as `convert_int4_sat`.
    fn find_generic(&self, name: &str) -> Option<LibraryName> {
        self.find_typed(name, self.scalars, arithmetic_type)
    }

    /// Looks up a name that contains a type. `type_of` returns the type that a part of the name stands for, and
    /// `scalars` is a bit mask of the scalars that exist.
    pub fn find_typed(
        &self,
        name: &str,
        scalars: u16,
        type_of: impl Fn(&str) -> Option<(Scalar, u8)>,
    ) -> Option<LibraryName> {
        let mut list = Vec::new();
        for &index in index::TYPED_NAMES {
            let decl = &FUNCTIONS[usize::from(index)];
            let dst = name
                .strip_prefix(decl.name)
                .and_then(|rest| rest.strip_suffix(decl.suffix?))
                .and_then(&type_of);
            if let Some((scalar, _)) = dst
                && (decl.dst_elems & scalars) >> scalar as u16 & 1 != 0
            {
                list.push(Candidate { index, dst });
            }
        }
        self.functions(list)
    }

    /// Returns a lexer of a range of a library file.
    pub fn lexer(&mut self, map: &mut SourceMap, range: FileRange) -> Option<Lexer> {
        let file = usize::from(range.file);
        let text = FILES[file].text;
        let base = match self.bases[file] {
            Some(base) => base,
            None => map.add(FILES[file].name, Text::Static(text), 0)?,
        };
        self.bases[file] = Some(base);
        let part = &text[range.lo as usize..range.hi as usize];
        Some(Lexer::new(Text::Static(part), base + range.lo))
    }

    /// Returns the signature of a function as the specification writes it.
    pub fn signature(&self, decl: &FunctionDecl, name: &str) -> String {
        let text = FILES[usize::from(decl.name_range.file)].text;
        let rest = &text[decl.name_range.lo as usize..];
        let open = rest.find('(').unwrap_or(0);
        let close = rest.find(')').unwrap_or(rest.len());
        let params: Vec<&str> = rest[(open + 1).min(close)..close]
            .split_whitespace()
            .filter(|ty| !matches!(*ty, "__any" | "__readable" | "__shared"))
            // The prefix `v` of a generic type name is not in the specification.
            .map(|ty| if ty.starts_with("vgentype") { &ty[1..] } else { ty })
            .collect();
        format!("{name}({})", params.join(" "))
    }

    /// Returns all names, for suggestions.
    pub fn names(&self) -> impl Iterator<Item = &'static str> + use<> {
        index::NAMES.iter().map(|n| n.0).chain(index::MACROS.iter().map(|m| m.name))
    }
}
