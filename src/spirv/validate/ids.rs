//! Definitions of ids, and the ids that instructions outside of functions use.

use grus_support::FastMap;

use super::classes::{Shape, flag};
use super::environment::Environment;
use crate::chain::Chain;
use crate::constants::ConstForm;
use crate::error::{Fault, Messages, shortened};
use crate::globals::{Globals, Variable};
use crate::grammar::{self, Instruction, Opcode, Section, access_qualifier, dim, image_format};
use crate::module::{Annotation, HEADER, Id, Module, text};
use crate::types::{Space, TypeForm, TypeId, TypeTable};

/// Kind of what an id stands for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Kind {
    Nothing,
    Type,
    Constant,
    /// Variable of the module.
    Variable,
    Function,
    Parameter,
    /// Result of an instruction of a function.
    Local,
    Label,
    String,
    Set,
    Group,
    /// Domain, scope or list of scopes.
    Alias,
    /// Description for debuggers.
    Other,
}

impl Kind {
    /// Returns what the id is, for messages.
    pub(super) fn text(self) -> &'static str {
        match self {
            Kind::Nothing => "which nothing defines",
            Kind::Type => "a type",
            Kind::Constant => "a constant",
            Kind::Variable => "a variable",
            Kind::Function => "a function",
            Kind::Parameter => "a parameter",
            Kind::Local => "a value",
            Kind::Label => "a label",
            Kind::String => "a string",
            Kind::Set => "a set of extended instructions",
            Kind::Group => "a group of decorations",
            Kind::Alias => "a declaration of alias scopes",
            Kind::Other => "a description for debuggers",
        }
    }
}

/// Definition of an id.
#[derive(Clone, Copy, Debug)]
pub(super) struct Definition {
    pub kind: Kind,
    /// Row of the type of a value or function, counted from 1; 0 if there is none.
    ty: u32,
    /// Number of the function in which it is.
    pub function: u32,
    /// Number of the block in which it is, or that it begins.
    pub block: u32,
}

impl Definition {
    const NOTHING: Definition = Definition { kind: Kind::Nothing, ty: 0, function: OUTSIDE, block: 0 };

    /// Returns the type of a value, or `None` if it has none that is valid.
    #[inline]
    pub(super) fn ty(self) -> Option<TypeId> {
        self.ty.checked_sub(1).map(TypeId)
    }
}

/// Number of the function of what is in none.
const OUTSIDE: u32 = u32::MAX;

/// Call of a function of the module.
#[derive(Clone, Copy, Debug)]
pub(super) struct Call {
    pub caller: u32,
    pub callee: Id,
    pub place: u32,
}

/// Tables of a module that rules look up.
pub(super) struct Facts<'m> {
    pub module: &'m Module,
    pub globals: &'m Globals,
    definitions: Vec<Definition>,
    shapes: Vec<Shape>,
    /// Calls in the order of their callers.
    pub calls: Vec<Call>,
    has_private_constants: bool,
}

impl<'m> Facts<'m> {
    pub(super) fn of(module: &'m Module, globals: &'m Globals) -> Facts<'m> {
        let shapes = (0..globals.types.len() as u32).map(|ty| Shape::of(&globals.types, TypeId(ty)));
        let mut facts = Facts {
            module,
            globals,
            definitions: vec![Definition::NOTHING; module.bound() as usize],
            shapes: shapes.collect(),
            calls: Vec::new(),
            has_private_constants: globals.variables.values().any(is_private_constant),
        };
        facts.define_all();
        facts
    }

    fn define_all(&mut self) {
        let module = self.module;
        // Numbers of the next function, and of the block of the function.
        let (mut functions, mut function, mut labels) = (0, OUTSIDE, 0u32);
        for place in module.all_instructions() {
            let (row, words) = decoded(module, place);
            match row.opcode {
                Opcode::Function => (function, functions, labels) = (functions, functions + 1, 0),
                Opcode::FunctionEnd => function = OUTSIDE,
                Opcode::Label => labels += 1,
                Opcode::FunctionCall => {
                    self.calls.push(Call { caller: function, callee: Id(words[3]), place });
                }
                _ => {}
            }
            if row.has_result {
                let id = words[1 + usize::from(row.has_type)];
                let kind = kind_of(row, function != OUTSIDE);
                let type_id = match row.opcode {
                    Opcode::Function => Some(Id(words[4])),
                    _ => row.has_type.then(|| Id(words[1])),
                };
                let ty = type_id.and_then(|id| self.globals.types.find(id)).map_or(0, |ty| ty.0 + 1);
                let block = labels.saturating_sub(1);
                self.definitions[id as usize] = Definition { kind, ty, function, block };
            }
        }
    }

    /// Returns the definition of an id.
    #[inline]
    pub(super) fn definition(&self, id: Id) -> Definition {
        self.definitions.get(id.0 as usize).copied().unwrap_or(Definition::NOTHING)
    }

    pub(super) fn types(&self) -> &'m TypeTable {
        &self.globals.types
    }

    #[inline]
    pub(super) fn shape(&self, ty: TypeId) -> Shape {
        self.shapes[ty.0 as usize]
    }

    /// Returns the type of a vector's components, or the type itself.
    #[inline]
    pub(super) fn element(&self, ty: TypeId) -> TypeId {
        match *self.types().form(ty) {
            TypeForm::Vector { element, .. } => element,
            _ => ty,
        }
    }

    /// Checks whether two types are one: by their ids, or numbers and vectors by their widths.
    #[inline]
    pub(super) fn is_same(&self, a: TypeId, b: TypeId) -> bool {
        a == b || {
            let (a, b) = (self.shape(a), self.shape(b));
            a == b && a.is_plain()
        }
    }

    /// Returns an id with the name that OpName gives to it, for messages.
    pub(super) fn named(&self, id: Id) -> String {
        match name_of(self.module, id) {
            Some(name) => format!("{id} ({name})"),
            None => id.to_string(),
        }
    }

    /// Returns the variable of the module in memory of functions in which an address is, if its computation shows that.
    pub(super) fn private_constant(&self, address: Id) -> Option<Id> {
        let mut id = address;
        for _ in 0..if self.has_private_constants { MAX_STEPS } else { 0 } {
            if let Some(variable) = self.globals.variables.get(&id) {
                return is_private_constant(variable).then_some(id);
            }
            if let Some(constant) = self.globals.constants.find(id) {
                let ConstForm::Address { variable, .. } = self.globals.constants.get(constant).form else {
                    return None;
                };
                return self
                    .globals
                    .variables
                    .get(&variable)
                    .is_some_and(is_private_constant)
                    .then_some(variable);
            }
            let (row, words) = self.module.definition(id)?;
            let at = match row.opcode {
                Opcode::Bitcast | Opcode::CopyObject | Opcode::PtrCastToGeneric => 3,
                opcode => 3 + usize::from(Chain::of(opcode)?.is_untyped),
            };
            id = Id(words[at]);
        }
        None
    }

    /// Returns a description of a type, for messages.
    pub(super) fn describe(&self, ty: TypeId) -> String {
        self.types().describe(ty)
    }

    /// Returns a description of a type with its id, for messages.
    pub(super) fn described(&self, ty: TypeId) -> String {
        format!("{} ({})", self.describe(ty), self.types().get(ty).id)
    }
}

/// Maximum number of instructions that compute an address from another that are looked through: a message may cost no
/// more, however long the chain.
// Arbitrary; compilers write two or three.
const MAX_STEPS: usize = 16;

/// Checks whether a variable of the module is in memory of functions: a constant, of which each use has a copy.
fn is_private_constant(variable: &Variable) -> bool {
    variable.space == Space::Function && !variable.is_built_in()
}

/// Returns the row of the grammar and the words of an instruction.
#[inline]
pub(super) fn decoded(module: &Module, place: u32) -> (&'static Instruction, &[u32]) {
    let words = module.raw(place as usize);
    (grammar::instruction(words[0] as u16).expect("reading has checked it"), words)
}

/// Maximum number of words of a name that are looked at: a message may cost no more, whatever the name's length.
// Source: more than a message shows.
const MAX_NAME_WORDS: usize = 64;

/// Maximum number of names of an id and its members that are looked at.
// Arbitrary; producers name an id in front of its members.
const MAX_NAMES: usize = 16;

/// Maximum number of parameters of a function, a universal limit of SPIR-V (s2.17).
const MAX_PARAMETERS: usize = 255;

/// Maximum number of members of a structure, a universal limit of SPIR-V (s2.17).
const MAX_MEMBERS: usize = 16_383;

/// Returns the name that OpName gives to an id.
fn name_of(module: &Module, id: Id) -> Option<String> {
    let start = module.names.partition_point(|name| name.target < id);
    let of_id = module.names[start..].iter().take(MAX_NAMES).take_while(|name| name.target == id);
    let found = of_id.clone().find(|name| name.member == Annotation::WHOLE)?;
    let words = &module.raw(found.place as usize)[2..];
    let name = shortened(&text(&words[..words.len().min(MAX_NAME_WORDS)]));
    (!name.is_empty()).then_some(name)
}

/// Checks whether an instruction declares a type.
fn is_type(row: &Instruction) -> bool {
    row.section == Section::Global && row.has_result && !row.has_type
}

fn kind_of(row: &Instruction, is_in_function: bool) -> Kind {
    match row.opcode {
        Opcode::Function => Kind::Function,
        Opcode::FunctionParameter => Kind::Parameter,
        Opcode::Label => Kind::Label,
        Opcode::String => Kind::String,
        Opcode::ExtInstImport => Kind::Set,
        Opcode::DecorationGroup => Kind::Group,
        Opcode::AliasDomainDeclINTEL | Opcode::AliasScopeDeclINTEL | Opcode::AliasScopeListDeclINTEL => {
            Kind::Alias
        }
        _ if is_type(row) => Kind::Type,
        _ if is_in_function => Kind::Local,
        Opcode::Variable | Opcode::UntypedVariableKHR => Kind::Variable,
        Opcode::ExtInst | Opcode::ExtInstWithForwardRefsKHR => Kind::Other,
        _ => Kind::Constant,
    }
}

/// Checks the instructions in front of the functions, as far as reading the declarations has not.
pub(super) fn check_globals(facts: &Facts<'_>, environment: &Environment, messages: &mut Messages) {
    let module = facts.module;
    let end = module.functions().first().map_or(module.words().len() as u32, |function| function.start);
    let mut types: FastMap<(u32, &[u32]), Id> = FastMap::default();
    for place in module.instructions(HEADER as u32, end) {
        let (row, words) = decoded(module, place);
        let mut add = |fault: Fault| messages.add(module, place, fault);
        if let Err(fault) = check_ids(facts, row.opcode, words) {
            add(fault);
        }
        if row.section != Section::Global && row.section != Section::Either {
            continue;
        }
        if let Err(fault) = environment.check_instruction(module, row, words) {
            add(fault);
        }
        if let Err(fault) = environment.check_type(facts, row.opcode, words) {
            add(fault);
        }
        let is_unique = !matches!(
            row.opcode,
            Opcode::TypeStruct | Opcode::TypeArray | Opcode::TypePointer | Opcode::TypeUntypedPointerKHR
        );
        if is_type(row) && is_unique {
            let first = *types.entry((words[0], &words[2..])).or_insert(Id(words[1]));
            if first != Id(words[1]) {
                add(Fault::at(1, format!("the type is declared before, as {}", facts.named(first))));
            }
        }
        if row.opcode == Opcode::TypeImage
            && let Err(fault) = check_image(facts, words)
        {
            add(fault);
        }
    }
}

/// Checks that ids outside of functions stand for what they should.
fn check_ids(facts: &Facts<'_>, opcode: Opcode, words: &[u32]) -> Result<(), Fault> {
    let is = |at: usize, wanted: &[Kind], text: &str| {
        let id = Id(words[at]);
        let kind = facts.definition(id).kind;
        if wanted.contains(&kind) {
            return Ok(());
        }
        Err(Fault::at(at, format!("operand {at} is {}, {}; {text} is wanted", facts.named(id), kind.text())))
    };
    let is_defined = |at: usize| {
        let id = Id(words[at]);
        match facts.definition(id).kind {
            Kind::Nothing => Err(Fault::at(at, format!("operand {at} is {id}, which nothing defines"))),
            _ => Ok(()),
        }
    };
    match opcode {
        Opcode::Line => is(1, &[Kind::String], "a string"),
        Opcode::ExecutionMode | Opcode::ExecutionModeId => is(1, &[Kind::Function], "an entry point"),
        Opcode::Decorate | Opcode::DecorateId | Opcode::DecorateString => is_defined(1),
        Opcode::MemberDecorate | Opcode::MemberDecorateString => is(1, &[Kind::Type], "a structure"),
        Opcode::GroupDecorate => {
            is(1, &[Kind::Group], "a group of decorations")?;
            (2..words.len()).try_for_each(is_defined)
        }
        Opcode::GroupMemberDecorate => {
            is(1, &[Kind::Group], "a group of decorations")?;
            (2..words.len()).step_by(2).try_for_each(|at| is(at, &[Kind::Type], "a structure"))
        }
        Opcode::TypeForwardPointer => is(1, &[Kind::Type], "a pointer"),
        // Pointees and initializers may be declared later.
        Opcode::TypePointer => match facts.definition(Id(words[3])).kind {
            Kind::Type => Ok(()),
            kind => {
                let found = facts.named(Id(words[3]));
                Err(Fault::at(3, format!("the pointee is {found}, {}; a type is wanted", kind.text())))
            }
        },
        Opcode::TypeFunction if words.len() - 3 > MAX_PARAMETERS => {
            let count = words.len() - 3;
            Err(Fault::new(format!("the type has {count} parameters; {MAX_PARAMETERS} are the limit")))
        }
        Opcode::TypeStruct if words.len() - 2 > MAX_MEMBERS => {
            let count = words.len() - 2;
            Err(Fault::new(format!("the type has {count} members; {MAX_MEMBERS} are the limit")))
        }
        Opcode::TypeSampledImage => match facts.types().find(Id(words[2])) {
            Some(ty) if !matches!(facts.types().form(ty), TypeForm::Image(_)) => {
                let found = facts.describe(ty);
                Err(Fault::at(2, format!("operand 1 is {found}; an image is wanted")))
            }
            _ => Ok(()),
        },
        Opcode::Variable | Opcode::UntypedVariableKHR => check_variable(facts, words),
        _ => Ok(()),
    }
}

/// Checks a variable of the module: the type of its initializer, and that an input is a built-in variable.
fn check_variable(facts: &Facts<'_>, words: &[u32]) -> Result<(), Fault> {
    let Some(variable) = facts.globals.variables.get(&Id(words[2])) else { return Ok(()) };
    if variable.space == Space::Input && variable.built_in.is_none() {
        return Err(Fault::new("the variable is an input, and has no decoration BuiltIn"));
    }
    let Some(initializer) = variable.initializer else { return Ok(()) };
    let (at, definition) = (words.len() - 1, facts.definition(initializer));
    let found = facts.named(initializer);
    let is_right = match (definition.kind, definition.ty()) {
        (Kind::Constant | Kind::Variable, None) => return Ok(()),
        (Kind::Constant, Some(ty)) => {
            facts.is_same(ty, variable.contents)
                || facts
                    .globals
                    .constants
                    .find(initializer)
                    .is_some_and(|constant| facts.globals.may_initialize(constant, ty, variable.contents))
        }
        (Kind::Variable, Some(_)) => facts.shape(variable.contents).is_any(flag::ANY_POINTER),
        (kind, _) => {
            let text = format!("the initializer is {found}, {}; a constant is wanted", kind.text());
            return Err(Fault::at(at, text));
        }
    };
    if is_right {
        return Ok(());
    }
    let wanted = facts.described(variable.contents);
    let of = definition.ty().map_or_else(String::new, |ty| facts.described(ty));
    Err(Fault::at(at, format!("the initializer is {found}, {of}; {wanted} is wanted")))
}

/// Checks an image type by the rules of OpenCL.
fn check_image(facts: &Facts<'_>, words: &[u32]) -> Result<(), Fault> {
    let sampled = facts.types().find(Id(words[2]));
    if !sampled.is_some_and(|ty| *facts.types().form(ty) == TypeForm::Void) {
        let found = sampled.map_or_else(|| "no type".to_owned(), |ty| facts.describe(ty));
        return Err(Fault::at(2, format!("the sampled type is {found}; void is wanted")));
    }
    let is_arrayed = words[5] == 1;
    let can_be_arrayed = matches!(words[3], dim::Dim1D | dim::Dim2D);
    if !matches!(words[3], dim::Dim1D | dim::Dim2D | dim::Dim3D | dim::Buffer) {
        return Err(Fault::at(3, "the dimensions are none of 1D, 2D, 3D and Buffer"));
    }
    if words[5] > 1 || is_arrayed && !can_be_arrayed {
        return Err(Fault::at(5, "only images of dimensions 1D and 2D have arrays"));
    }
    if words[6] != 0 {
        return Err(Fault::at(6, "the images are multisampled, which the device does not have"));
    }
    if words[7] != 0 {
        return Err(Fault::at(7, format!("Sampled is {}; 0 is wanted", words[7])));
    }
    if words[8] != image_format::Unknown {
        return Err(Fault::at(8, "the format is given; Unknown is wanted"));
    }
    match words.get(9) {
        None => Err(Fault::new("the access qualifier is missing")),
        Some(&access) if access > access_qualifier::ReadWrite => {
            Err(Fault::at(9, "the access qualifier is unknown"))
        }
        Some(_) => Ok(()),
    }
}
