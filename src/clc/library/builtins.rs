//! Library names that the program uses, with the instances of generic functions.

use smallvec::SmallVec;

use super::Library;
use crate::names::Symbol;
use crate::scope::Entity;
use crate::tree::FunctionId;
use crate::types::{QualType, Scalar, Space};
use grus_support::FastMap;

/// Types that generic type names stand for in an instance.
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash)]
pub struct GenericArgs {
    /// Element type.
    pub elem: Option<Scalar>,
    /// Number of lanes of type names that end in `n`, such as `gentypen`.
    pub lanes_n: u8,
    /// Number of lanes of type names that end in `m`.
    pub lanes_m: u8,
    /// Element type of the type in the function's name.
    pub dst_elem: Option<Scalar>,
    /// Address spaces of the pointer parameters that accept several.
    pub spaces: SmallVec<[Space; 2]>,
    /// Types of the image and pipe parameters, and pointees of the pointers to any type, in the order of the
    /// parameters.
    pub types: SmallVec<[QualType; 1]>,
}

/// Instance of a library function whose body is parsed after the program.
#[derive(Clone, Debug)]
pub struct PendingBody {
    pub function: FunctionId,
    /// Index of the declaration in `FUNCTIONS`.
    pub decl: u16,
    pub args: GenericArgs,
}

/// The builtin library, and what the program uses of it.
#[derive(Debug)]
pub struct Builtins {
    pub(crate) library: Library,
    /// Generic arguments of the instance that is being parsed.
    args: Option<GenericArgs>,
    /// Library names in use that are not functions.
    entities: FastMap<Symbol, Entity>,
    /// Names whose declarations are being parsed, innermost last.
    open_names: Vec<Symbol>,
    instances: FastMap<(u16, GenericArgs), FunctionId>,
    pending: Vec<PendingBody>,
}

impl Builtins {
    /// Returns the library without any name in use.
    pub fn new(library: Library) -> Self {
        Self {
            library,
            args: None,
            entities: FastMap::default(),
            open_names: Vec::new(),
            instances: FastMap::default(),
            pending: Vec::new(),
        }
    }

    /// Checks whether library text is being parsed.
    pub fn is_parsing(&self) -> bool {
        self.args.is_some() || !self.open_names.is_empty()
    }

    /// Returns the generic arguments of the instance that is being parsed.
    pub fn generic_args(&self) -> Option<&GenericArgs> {
        self.args.as_ref()
    }

    /// Begins or ends (`None`) the text of an instance. Returns the arguments before.
    pub fn set_generic_args(&mut self, args: Option<GenericArgs>) -> Option<GenericArgs> {
        std::mem::replace(&mut self.args, args)
    }

    /// Begins the declaration of a name that is not a function.
    pub fn begin_declaration(&mut self, name: Symbol) {
        self.open_names.push(name);
    }

    /// Ends the declaration that was begun last.
    pub fn end_declaration(&mut self) {
        self.open_names.pop();
    }

    /// Checks whether the declaration of `name` is being parsed.
    pub fn is_open(&self, name: Symbol) -> bool {
        self.open_names.contains(&name)
    }

    /// Returns the entity of a name whose declaration was parsed.
    pub fn entity(&self, name: Symbol) -> Option<Entity> {
        self.entities.get(&name).copied()
    }

    /// Adds entities whose declarations were parsed.
    pub fn add_entities(&mut self, declared: Vec<(Symbol, Entity)>) {
        self.entities.extend(declared);
    }

    /// Returns the instance of a declaration with these arguments.
    pub fn instance(&self, key: &(u16, GenericArgs)) -> Option<FunctionId> {
        self.instances.get(key).copied()
    }

    /// Adds an instance. If `needs_body` is true, its body is parsed after the program.
    pub fn add_instance(&mut self, key: (u16, GenericArgs), function: FunctionId, needs_body: bool) {
        if needs_body {
            self.pending.push(PendingBody { function, decl: key.0, args: key.1.clone() });
        }
        self.instances.insert(key, function);
    }

    /// Returns entry `index` of the list of bodies to parse. Parsing a body may append further ones.
    pub fn pending_body(&self, index: usize) -> Option<PendingBody> {
        self.pending.get(index).cloned()
    }
}
