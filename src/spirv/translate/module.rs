//! Translation of the module as a whole: variables, functions, and kernels with their descriptions.

use grus_ir::{FuncId, Function, Global, GlobalId, GlobalSpace, Linkage, ParamFacts, Type};
use grus_support::{FastMap, FastSet, Id as _};

use super::contract::{Contraction, Machine};
use super::device::{EnqueuedFunction, EnqueuedKey};
use super::function::FunctionTranslator;
use super::imports::{Import, KnownImport};
use crate::arg_strings::ArgStrings;
use crate::constants::{ConstForm, ConstId};
use crate::error::{Fault, Mark, Messages, debug_line};
use crate::globals::{Globals, Variable};
use crate::grammar::{decoration, function_parameter_attribute, linkage_type};
use crate::kernels::{self, Kernel};
use crate::module::{FunctionRange, Id, Module, text};
use crate::request::Request;
use crate::specialize::SpecValues;
use crate::types::{Leaf, Space, TypeForm, TypeId, TypeTable};
use crate::validate::validate;

/// Module of the IR with what its user has to know.
#[derive(Debug)]
pub struct Translated {
    pub module: grus_ir::Module,
    pub kernels: Vec<Kernel>,
    /// Functions of the builtin library, each declared by a function without body.
    pub requests: Vec<(FuncId, Request)>,
    /// Imported functions whose names are those of the library's.
    pub imports: Vec<Import>,
    /// Functions that kernels enqueue.
    pub enqueued: Vec<EnqueuedFunction>,
}

/// Translates a module for a machine, with these values of specialization constants.
///
/// # Errors
/// If the module breaks a rule, or needs something that the device does not have.
pub fn translate(module: &Module, values: &SpecValues, machine: Machine) -> Result<Translated, Messages> {
    let mut messages = Messages::default();
    let globals = Globals::read(module, values, &mut messages);
    validate(module, &globals, &mut messages);
    if !messages.is_empty() {
        return Err(messages);
    }
    let mut translator = Translator {
        contraction: Contraction::of(module, &globals, machine),
        module,
        globals,
        out: grus_ir::Module::default(),
        functions: FastMap::default(),
        variables: FastMap::default(),
        constant_variables: FastMap::default(),
        requests: Vec::new(),
        request_functions: FastMap::default(),
        enqueued: Vec::new(),
        enqueued_index: FastMap::default(),
        imports: Vec::new(),
        known_imports: FastMap::default(),
        library_imports: FastMap::default(),
        lines: FastMap::default(),
        files: FastMap::default(),
        contents: 0,
        places_by_word: !has_lines(module),
        arg_strings: ArgStrings::of(module),
    };
    translator.variables(&mut messages);
    translator.declare(&mut messages);
    translator.bodies(&mut messages);
    let kernels = translator.kernels(&mut messages);
    if !messages.is_empty() {
        return Err(messages);
    }
    let Translator { out: module, requests, enqueued, imports, .. } = translator;
    Ok(Translated { module, kernels, requests, imports, enqueued })
}

/// State of translating a module.
pub(crate) struct Translator<'m> {
    pub module: &'m Module,
    pub globals: Globals,
    pub contraction: Contraction,
    pub out: grus_ir::Module,
    /// Functions of the IR.
    pub functions: FastMap<Id, FuncId>,
    variables: FastMap<Id, GlobalId>,
    /// Variables that hold constants too large for values.
    constant_variables: FastMap<ConstId, GlobalId>,
    pub requests: Vec<(FuncId, Request)>,
    pub request_functions: FastMap<Request, FuncId>,
    pub enqueued: Vec<EnqueuedFunction>,
    pub enqueued_index: FastMap<EnqueuedKey, usize>,
    pub imports: Vec<Import>,
    pub known_imports: FastMap<Id, KnownImport>,
    /// Requests of imported functions that nothing has called yet.
    pub library_imports: FastMap<Id, Request>,
    /// Positions in the line table by file and line.
    lines: FastMap<(Id, u32), u32>,
    /// Numbers of files in the line table, by the ids of their names.
    files: FastMap<Id, u32>,
    /// Number of bytes of all variables that have contents.
    contents: u64,
    /// True if the module says nowhere which source lines its code comes from: reports of faults name words then.
    pub places_by_word: bool,
    pub arg_strings: ArgStrings,
}

/// Checks whether a module says which source lines its code comes from.
fn has_lines(module: &Module) -> bool {
    module.all_instructions().any(|place| {
        let (row, words) = module.instruction(place);
        Mark::of(module, row.opcode, words) == Some(Mark::Line)
    })
}

impl<'m> Translator<'m> {
    pub(super) fn types(&self) -> &TypeTable {
        &self.globals.types
    }

    /// Returns the name of an id in the IR: that of its linkage, that of OpName, or its number.
    pub(super) fn name(&self, id: Id) -> String {
        let linked = self.module.linkage(id).map(|(name, _)| name);
        linked
            .or_else(|| self.module.name(id))
            .filter(|name| !name.is_empty())
            .unwrap_or_else(|| id.to_string())
    }

    fn link(&self, id: Id) -> (Linkage, bool) {
        match self.module.linkage(id).map(|(_, kind)| kind) {
            Some(linkage_type::Import) => (Linkage::EXTERNAL, false),
            Some(linkage_type::LinkOnceODR) => (Linkage::External { is_odr: true }, true),
            Some(_) => (Linkage::EXTERNAL, true),
            None => (Linkage::Internal, true),
        }
    }

    /// Makes the variables of the module.
    fn variables(&mut self, messages: &mut Messages) {
        let order = std::mem::take(&mut self.globals.order);
        for &id in &order {
            let variable = &self.globals.variables[&id];
            if !variable.is_built_in() {
                let place = variable.place;
                match self.declare_variable(&variable.clone()) {
                    Ok(global) => {
                        self.variables.insert(id, global);
                    }
                    Err(fault) => messages.add(self.module, place, fault),
                }
            }
        }
        for &id in &order {
            let variable = self.globals.variables[&id].clone();
            if let (Some(&global), Some(initializer)) = (self.variables.get(&id), variable.initializer)
                // What another unit defines has its contents there.
                && self.out.globals[global].is_defined
                && let Err(fault) = self.initialize(global, &variable, initializer)
            {
                messages.add(self.module, variable.place, fault);
            }
        }
        self.globals.order = order;
    }

    fn declare_variable(&mut self, variable: &Variable) -> Result<GlobalId, Fault> {
        let space = match variable.space {
            Space::Workgroup => GlobalSpace::Local,
            Space::UniformConstant | Space::Function => GlobalSpace::Constant,
            _ => GlobalSpace::Global,
        };
        let (linkage, is_defined) = self.link(variable.id);
        let row = self.types().get(variable.contents);
        let size = row.size;
        if size > MAX_VARIABLE {
            return Err(Fault::new(format!("the variable has {size} bytes; {MAX_VARIABLE} are the limit")));
        }
        let align = self.alignment(variable.id).unwrap_or(1).max(row.align.into());
        let init = Vec::new();
        let name = self.name(variable.id);
        let relocs = Vec::new();
        Ok(self.out.globals.push(Global { name, linkage, is_defined, space, size, align, init, relocs }))
    }

    /// Returns the alignment that decorates an id, if it is one.
    pub(super) fn alignment(&self, id: Id) -> Option<u64> {
        let align = *self.module.decoration(id, decoration::Alignment)?.first()?;
        (align.is_power_of_two() && align <= MAX_ALIGN).then_some(align.into())
    }

    fn initialize(&mut self, global: GlobalId, variable: &Variable, initializer: Id) -> Result<(), Fault> {
        if self.out.globals[global].space == GlobalSpace::Local {
            let is_null = self.globals.constants.find(initializer);
            let is_null = is_null.is_some_and(|id| self.globals.constants.is_zero(id));
            return if is_null {
                Ok(())
            } else {
                Err(Fault::at(4, "memory of work-groups has no initial contents"))
            };
        }
        if self.globals.variables.contains_key(&initializer) {
            let target = self.global_of(initializer)?;
            let global = &mut self.out.globals[global];
            if global.size != 8 {
                return Err(Fault::at(4, "the initializer is an address, and the variable no pointer"));
            }
            global.init = vec![0; 8];
            global.relocs.push((0, target, 0));
            return Ok(());
        }
        let constant = self.globals.constants.find(initializer);
        let constant = constant.ok_or_else(|| Fault::at(4, format!("{initializer} is no constant")))?;
        let found = self.globals.constants.get(constant).ty;
        if !self.globals.may_initialize(constant, found, variable.contents) {
            return Err(Fault::at(4, "the initializer has another type than the contents"));
        }
        self.fill(global, constant)
    }

    /// Writes a constant into a variable.
    fn fill(&mut self, global: GlobalId, constant: ConstId) -> Result<(), Fault> {
        if self.globals.constants.get(constant).form == ConstForm::Null {
            return Ok(());
        }
        let size = self.out.globals[global].size;
        // One constant may be the contents of many variables.
        self.contents += size;
        if self.contents > MAX_VARIABLE {
            return Err(Fault::new(format!("the variables have more than {MAX_VARIABLE} bytes of contents")));
        }
        let mut bytes = vec![0; size as usize];
        let (variables, mut relocs, mut missing) = (&self.variables, Vec::new(), None);
        self.globals.constants.write(
            &self.globals.types,
            constant,
            &mut bytes,
            &mut |at, variable, addend| match variables.get(&variable) {
                Some(&target) => relocs.push((at, target, addend)),
                None => missing = Some(variable),
            },
        );
        if let Some(missing) = missing {
            return Err(Fault::at(4, format!("{missing} has no address that a constant may have")));
        }
        relocs.sort_unstable_by_key(|&(at, target, _)| (at, target.index()));
        let global = &mut self.out.globals[global];
        (global.init, global.relocs) = (bytes, relocs);
        Ok(())
    }

    /// Returns the variable of the IR.
    pub(super) fn global_of(&self, id: Id) -> Result<GlobalId, Fault> {
        self.variables.get(&id).copied().ok_or_else(|| Fault::new(format!("{id} is no variable in memory")))
    }

    /// Returns a variable that holds a constant.
    pub(super) fn constant_variable(&mut self, id: ConstId) -> Result<GlobalId, Fault> {
        if let Some(&global) = self.constant_variables.get(&id) {
            return Ok(global);
        }
        let row = self.globals.constants.get(id);
        let ty = self.types().get(row.ty);
        if ty.size > MAX_VARIABLE {
            return Err(Fault::new("the constant is too large"));
        }
        let global = Global {
            name: format!("constant {}", row.id),
            linkage: Linkage::Internal,
            is_defined: true,
            space: GlobalSpace::Constant,
            size: ty.size,
            align: ty.align.into(),
            init: Vec::new(),
            relocs: Vec::new(),
        };
        let global = self.out.globals.push(global);
        self.fill(global, id)?;
        self.constant_variables.insert(id, global);
        Ok(global)
    }

    /// Declares all functions.
    fn declare(&mut self, messages: &mut Messages) {
        for range in self.module.functions() {
            let words = self.module.raw(range.start as usize);
            let mut function = Function::new(self.name(range.id), Type::VOID);
            let (linkage, is_defined) = self.link(range.id);
            function.linkage = linkage;
            match self.signature(words) {
                Ok((result, _)) => {
                    function.ret = self.types().ir(result).unwrap_or(Type::VOID);
                    if is_defined && range.body == range.end {
                        messages.add(self.module, range.start, Fault::new("the function has no body"));
                    }
                }
                Err(fault) => messages.add(self.module, range.start, fault),
            }
            if !is_defined {
                self.import(range.id, words, &function.name);
            }
            let id = self.out.funcs.push(function);
            self.functions.insert(range.id, id);
        }
    }

    /// Returns result and parameters of the function type that an OpFunction names.
    pub(crate) fn signature(&self, words: &[u32]) -> Result<(TypeId, Box<[TypeId]>), Fault> {
        let ty = self.globals.type_at(words, 4)?;
        match self.types().form(ty) {
            TypeForm::Function { result, params } => Ok((*result, params.clone())),
            _ => Err(Fault::at(4, format!("{} is no type of functions", Id(words[4])))),
        }
    }

    fn bodies(&mut self, messages: &mut Messages) {
        let module = self.module;
        for &range in module.functions() {
            if range.body == range.end {
                continue;
            }
            let id = self.functions[&range.id];
            let Ok((result, _)) = self.signature(module.raw(range.start as usize)) else { continue };
            let mut function = self.out.funcs[id].clone();
            let done = FunctionTranslator::translate(self, &mut function, range, result);
            if let Err((place, fault)) = done {
                messages.add(module, place, fault);
                continue;
            }
            self.out.funcs[id] = function;
        }
    }

    /// Returns the range of words of a function.
    pub(super) fn range_of(&self, id: Id) -> Option<FunctionRange> {
        // Functions of the module were declared first, in their order.
        let func = self.functions.get(&id)?;
        self.module.functions().get(func.index()).copied()
    }

    /// Checks whether an entry point is of use to kernels only, since the host has no argument for it.
    fn is_launched_by_kernels(&self, id: Id) -> bool {
        let Some(range) = self.range_of(id).filter(|_| self.module.has_device_enqueue()) else {
            return false;
        };
        let is_generic =
            |&ty: &TypeId| matches!(self.types().form(ty), TypeForm::Pointer { space: Space::Generic, .. });
        let signature = self.signature(self.module.raw(range.start as usize));
        signature.is_ok_and(|(_, params)| params.iter().any(is_generic))
    }

    /// Makes a kernel of each entry point. A function with several has a copy for each.
    fn kernels(&mut self, messages: &mut Messages) -> Vec<Kernel> {
        let module = self.module;
        let mut found: Vec<Kernel> = Vec::new();
        let (mut is_taken, mut names) = (FastMap::default(), FastSet::default());
        for &place in module.entry_points() {
            if self.is_launched_by_kernels(Id(module.raw(place as usize)[2])) {
                continue;
            }
            match self.kernel(place, &mut is_taken) {
                Ok(kernel) if !names.insert(kernel.name.clone()) => {
                    let name = &kernel.name;
                    messages.add(
                        module,
                        place,
                        Fault::at(3, format!("a second entry point is named \"{name}\"")),
                    );
                }
                Ok(kernel) => found.push(kernel),
                Err(fault) => messages.add(module, place, fault),
            }
        }
        found
    }

    fn kernel(&mut self, place: u32, is_taken: &mut FastMap<Id, u32>) -> Result<Kernel, Fault> {
        let words = self.module.raw(place as usize);
        let id = Id(words[2]);
        let name = text(&words[3..]);
        let range = self.range_of(id).ok_or_else(|| Fault::at(2, format!("{id} is no function")))?;
        if range.body == range.end {
            return Err(Fault::at(2, format!("the function {id} has no body")));
        }
        let mut func = self.functions[&id];
        let count = is_taken.entry(id).or_insert(0);
        *count += 1;
        if *count > MAX_ENTRY_POINTS {
            return Err(Fault::at(2, format!("{id} has more than {MAX_ENTRY_POINTS} entry points")));
        }
        if *count > 1 {
            func = self.out.funcs.push(self.out.funcs[func].clone());
        }
        let function = &mut self.out.funcs[func];
        function.name.clone_from(&name);
        (function.is_kernel, function.linkage) = (true, Linkage::EXTERNAL);
        kernels::describe(self, range, func, name)
    }

    /// Returns the size class of what a parameter points at, if it is passed by value.
    pub(crate) fn by_value(&self, ty: TypeId, id: Id) -> Option<TypeId> {
        let pointee = self.types().pointee(ty)?;
        let is_private = self.types().space(ty) == Some(Space::Function);
        let is_by_value = || self.module.has_attribute(id, function_parameter_attribute::ByVal);
        (is_private && self.types().get(pointee).is_sized && is_by_value()).then_some(pointee)
    }

    /// Returns the facts about a parameter that its decorations state.
    pub(crate) fn param_facts(&self, ty: TypeId, id: Id) -> ParamFacts {
        let TypeForm::Pointer { .. } = self.types().form(ty) else { return ParamFacts::default() };
        let mut facts = ParamFacts::default();
        self.module.each_decoration(id, |found| match (found.number, found.operands.first()) {
            (decoration::FuncParamAttr, Some(&function_parameter_attribute::NoAlias))
            | (decoration::Restrict, _) => facts.is_restrict = true,
            (
                decoration::FuncParamAttr,
                Some(&(function_parameter_attribute::NoWrite | function_parameter_attribute::NoReadWrite)),
            ) => facts.is_const = true,
            _ => {}
        });
        facts.align = self.alignment(id).map_or(1, |align| align as u32);
        facts
    }

    /// Returns the position in the line table of the line that a DebugLine names.
    pub(super) fn debug_line(&mut self, words: &[u32]) -> Option<u32> {
        let (file, line) = debug_line(self.module, words)?;
        Some(self.line(file, line))
    }

    /// Returns the position in the line table that stands for a word of the module.
    pub(super) fn word_line(&mut self, word: u32) -> u32 {
        self.out.lines.add(MODULE_NAME, word)
    }

    /// Returns the position in the line table of a line of a file, which is given by the string with its name.
    pub(super) fn line(&mut self, file: Id, line: u32) -> u32 {
        if let Some(&position) = self.lines.get(&(file, line)) {
            return position;
        }
        let (lines, module) = (&mut self.out.lines, self.module);
        let name = || module.string(file).unwrap_or_default();
        let file_number = *self.files.entry(file).or_insert_with(|| lines.add_file(name()));
        let position = lines.add_of_file(file_number, line);
        self.lines.insert((file, line), position);
        position
    }
}

/// File name of modules without lines, where words stand for lines.
const MODULE_NAME: &str = "module.spv";

/// Maximum size of a variable in bytes.
// Arbitrary, and larger than CL_DEVICE_MAX_GLOBAL_VARIABLE_SIZE: such a program has a better message of its own.
const MAX_VARIABLE: u64 = 1 << 30;

/// Maximum number of entry points of one function, which has a copy for each.
// Arbitrary; producers write one.
const MAX_ENTRY_POINTS: u32 = 16;

/// Maximum alignment of a variable.
// Arbitrary: a page.
const MAX_ALIGN: u32 = 4096;

impl Globals {
    /// Returns the constant at each leaf of a composite constant; `None` where it is zero.
    pub(super) fn leaf_constants(&self, id: ConstId, leaves: &[Leaf]) -> Vec<Option<ConstId>> {
        let mut found = vec![None; leaves.len()];
        let mut work = vec![(id, 0u64)];
        while let Some((id, offset)) = work.pop() {
            let row = self.constants.get(id);
            let is_composite = self.types.is_composite(row.ty);
            match &row.form {
                ConstForm::Null => {}
                ConstForm::Parts(parts) if is_composite => {
                    for (index, &part) in parts.iter().enumerate() {
                        if let Some((_, at)) = self.types.part(row.ty, index as u64) {
                            work.push((part, offset + at));
                        }
                    }
                }
                _ => {
                    // Leaves are in the order of their offsets unless a structure's members are not.
                    if let Some(at) = leaves.iter().position(|leaf| leaf.offset == offset) {
                        found[at] = Some(id);
                    }
                }
            }
        }
        found
    }
}
