//! Lookup of names that are not in scope: those of the library.

use crate::library::resolve::elem_and_lanes_of_signature;
use crate::library::{Candidate, LibraryName, generic_types};
use crate::names::{Symbol, arithmetic_type};
use crate::scope::{Entity, Typedef};
use crate::session::Session;
use crate::types::{Scalar, Space};

impl Session<'_> {
    /// Checks whether the library has a type, or an address space pattern, with this name.
    pub fn is_library_type(&self, symbol: Symbol) -> bool {
        let name = self.names.text(symbol);
        if self.in_library() && (generic_types::generic_type(name).is_some() || is_space_pattern(name)) {
            return true;
        }
        // A library type is not yet a type while its own declaration is parsed.
        !self.builtins.is_open(symbol)
            && matches!(self.builtins.library.find(name), Some(LibraryName::Type(_)))
    }

    /// Returns the library type with this name.
    pub fn find_library_type(&mut self, symbol: Symbol) -> Option<Typedef> {
        if let Some(args) = self.builtins.generic_args()
            && let Some(generic) = generic_types::generic_type(self.names.text(symbol))
        {
            let args = args.clone();
            let ty = self.signature_type_id(generic.ty, &args)?;
            return Some(Typedef { ty, space: None, is_const: false, is_volatile: false, host_sized: false });
        }
        if !self.is_library_type(symbol) {
            return None;
        }
        match self.find_library_entity(symbol) {
            Some(Entity::Typedef(found)) => Some(found),
            _ => None,
        }
    }

    /// Returns the address space that a pattern such as `__any` stands for in the current instance.
    pub fn library_space(&self, symbol: Symbol) -> Option<Space> {
        let args = self.builtins.generic_args()?;
        if !is_space_pattern(self.names.text(symbol)) {
            return None;
        }
        Some(args.spaces.first().copied().unwrap_or(Space::Private))
    }

    /// Returns the library's entity with this name, unless it is a function.
    pub fn find_library_entity(&mut self, symbol: Symbol) -> Option<Entity> {
        if let Some(found) = self.builtins.entity(symbol) {
            return Some(found);
        }
        match self.builtins.library.find(self.names.text(symbol))? {
            LibraryName::Type(text) | LibraryName::Text(text) => {
                self.builtins.begin_declaration(symbol);
                self.parse_library_declaration(text);
                self.builtins.end_declaration();
                self.builtins.entity(symbol)
            }
            LibraryName::Functions(_) => None,
        }
    }

    /// Checks whether the library has functions with this name.
    pub fn is_library_function(&self, symbol: Symbol) -> bool {
        self.library_functions(symbol).is_some()
    }

    /// Checks whether the library has a variadic function with this name, such as `printf`.
    pub fn is_variadic_builtin(&self, symbol: Symbol) -> bool {
        self.library_functions(symbol).is_some_and(|found| found.iter().any(|f| f.decl().variadic))
    }

    /// Returns the library functions with this name. In library text a name may contain a generic type, as
    /// `as_inttype` does.
    pub fn library_functions(&self, symbol: Symbol) -> Option<Vec<Candidate>> {
        let name = self.names.text(symbol);
        let found = match (self.builtins.library.find(name), self.builtins.generic_args()) {
            (None, Some(args)) => self.builtins.library.find_typed(name, self.library_scalars(), |word| {
                let generic =
                    generic_types::generic_type(word).and_then(|m| elem_and_lanes_of_signature(m.ty, args));
                generic.or_else(|| arithmetic_type(word))
            }),
            (found, _) => found,
        };
        match found {
            Some(LibraryName::Functions(list)) => Some(list),
            _ => None,
        }
    }

    /// Returns the beginning of the diagnostic for a name that is not a type: some names are reserved (s6.1.3).
    pub fn reserved_type(&self, symbol: Symbol) -> &'static str {
        let name = self.names.text(symbol);
        let base = name.trim_end_matches(|c: char| c.is_ascii_digit());
        let matrix = name
            .split_once('x')
            .is_some_and(|(rows, columns)| arithmetic_type(rows).is_some() && columns.parse::<u8>().is_ok());
        let is_vector = base.len() < name.len()
            && (base == "bool" || base == "quad" || Scalar::ALL.iter().any(|s| s.name() == base));
        if is_vector || matrix { "reserved and unsupported type" } else { "unknown type name" }
    }
}

fn is_space_pattern(name: &str) -> bool {
    matches!(name, "__any" | "__readable" | "__shared")
}
