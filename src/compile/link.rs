//! The linker: merges units into one module (clLinkProgram, API s5.8.3).
//!
//! A compiled object is the IR of a unit before any pass. Linking copies functions and variables of all units into
//! one module. Symbols with internal linkage stay separate, symbols with external linkage are merged by name, and
//! all references are updated. The merged module is optimized afterwards, so that calls into another unit are
//! inlined like any other.
//!
//! C types are not available here: a call matches if the IR types of its operands match, a variable if its address
//! space and size do.

use super::{KernelDescription, Settings};
use grus_ir::{Attr, ClosureSwitch, FuncId, Function, Global, GlobalId, Linkage, Module, Op, Type, Value};
use grus_passes::scalar::inline::{Limits, callees};
use grus_support::{FastMap, FastSet, Id, IdMap};

/// Compiled object of one unit, or the linked result of several if that is a library.
#[derive(Clone, Debug)]
pub struct CompiledObject {
    /// True if it was built with `-create-library`.
    pub is_library: bool,
    /// Options that affect code generation.
    pub settings: Settings,
    pub(super) module: Module,
    /// Kernels in order; the sizes of their memory are not known yet.
    pub(super) kernels: Vec<KernelDescription>,
}

impl CompiledObject {
    /// Returns the IR as it was lowered.
    pub fn module(&self) -> &Module {
        &self.module
    }

    /// Returns the limits of inlining for the executable.
    pub(super) fn limits(&self) -> Limits {
        if self.settings.opt_disable { Limits::MINIMAL } else { Limits::NORMAL }
    }
}

/// Definition or declaration of a name with external linkage.
#[derive(Clone, Copy)]
enum Symbol {
    Func(FuncId),
    Global(GlobalId),
}

/// Reason why units cannot be linked.
#[derive(Clone, Debug, PartialEq, Eq, Hash, thiserror::Error)]
pub(super) enum LinkError {
    /// A name with a different meaning in another unit.
    #[error("'{name}' is a {first} in one unit, a {second} in another")]
    Kind { name: String, first: SymbolKind, second: SymbolKind },
    #[error("{kind} '{name}' is defined more than once")]
    Duplicate { kind: SymbolKind, name: String },
    #[error("{kind} '{name}' is declared with different types")]
    Type { kind: SymbolKind, name: String },
    #[error("'{caller}' calls function '{callee}' with other types than it has")]
    Call { caller: String, callee: String },
    #[error("undefined reference to {kind} '{name}' in '{user}'")]
    Undefined { kind: SymbolKind, name: String, user: String },
    #[error("recursion is not supported: '{0}' calls itself")]
    Recursion(String),
}

/// Kind of a symbol.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(super) enum SymbolKind {
    Function,
    Variable,
}

impl std::fmt::Display for SymbolKind {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(match self {
            SymbolKind::Function => "function",
            SymbolKind::Variable => "variable",
        })
    }
}

/// State of the linker: the module so far, and the errors.
struct Linker {
    whole: CompiledObject,
    symbols: FastMap<String, Symbol>,
    /// Functions of the kernels so far.
    described: FastSet<FuncId>,
    /// Indices of closure switches in the module's list, by function.
    closure_switches: FastMap<FuncId, usize>,
    errors: Vec<LinkError>,
}

/// New ids of the functions and variables of one unit.
pub(super) struct IdMapping {
    /// Number that is added to line numbers of its instructions.
    pub lines: u32,
    pub funcs: IdMap<FuncId, FuncId>,
    pub globals: IdMap<GlobalId, GlobalId>,
}

/// Merges all objects into one. Undefined names are allowed only in a library.
///
/// # Errors
/// All errors that were found.
pub(super) fn merge<'o>(
    objects: impl Iterator<Item = &'o CompiledObject>,
    is_library: bool,
) -> Result<CompiledObject, Vec<LinkError>> {
    // Denormals are flushed only if all units allow it; the program requires uniform work-groups if one unit does.
    let settings = Settings { flush_denormals: true, ..Settings::default() };
    let whole = CompiledObject { is_library, settings, module: Module::default(), kernels: Vec::new() };
    let (symbols, closure_switches) = (FastMap::default(), FastMap::default());
    let described = FastSet::default();
    let mut linker = Linker { whole, symbols, described, closure_switches, errors: Vec::new() };
    for object in objects {
        linker.add(object);
    }
    linker.check_calls();
    if !is_library {
        linker.check_undefined();
        linker.check_recursion();
    }
    if linker.errors.is_empty() { Ok(linker.whole) } else { Err(linker.errors) }
}

/// Checks an object that is a whole program: nothing is undefined, and no function calls itself.
///
/// # Errors
/// All errors that were found.
pub(super) fn checked(object: CompiledObject) -> Result<CompiledObject, Vec<LinkError>> {
    let closure_switches = object.module.closure_switches.iter().enumerate();
    let closure_switches = closure_switches.map(|(index, switch)| (switch.func, index)).collect();
    let (symbols, described) = (FastMap::default(), FastSet::default());
    let mut linker = Linker { whole: object, symbols, described, closure_switches, errors: Vec::new() };
    linker.check_undefined();
    linker.check_recursion();
    if linker.errors.is_empty() { Ok(linker.whole) } else { Err(linker.errors) }
}

impl Linker {
    fn add(&mut self, object: &CompiledObject) {
        let settings = &mut self.whole.settings;
        settings.opt_disable |= object.settings.opt_disable;
        settings.debug |= object.settings.debug;
        settings.uniform_groups |= object.settings.uniform_groups;
        settings.has_il |= object.settings.has_il;
        settings.flush_denormals &= object.settings.flush_denormals;
        let module = &object.module;
        let lines = self.whole.module.lines.append(&module.lines);
        let mut places = IdMapping {
            lines,
            funcs: IdMap::with_len(FuncId::new(0), module.funcs.len()),
            globals: IdMap::with_len(GlobalId::new(0), module.globals.len()),
        };
        let mut taken = (Vec::new(), Vec::new());
        for (id, global) in module.globals.iter() {
            let (place, is_new) = self.place_global(global);
            places.globals[id] = place;
            taken.0.extend(is_new.then_some(place));
        }
        for (id, func) in module.funcs.iter() {
            let (place, is_new) = self.place_func(func);
            places.funcs[id] = place;
            taken.1.extend(is_new.then_some(place));
        }
        for id in taken.0 {
            for reloc in &mut self.whole.module.globals[id].relocs {
                reloc.1 = places.globals[reloc.1];
            }
        }
        for &id in &taken.1 {
            places.redirect(&mut self.whole.module.funcs[id]);
        }
        for closure_switch in &module.closure_switches {
            self.add_closure_switch(closure_switch, &places);
        }
        for kernel in &object.kernels {
            let func = places.funcs[kernel.func];
            // A kernel that several units define is described once, by the unit whose definition is taken.
            if !self.described.insert(func) {
                if !taken.1.contains(&func) {
                    continue;
                }
                self.whole.kernels.retain(|known| known.func != func);
            }
            let block = kernel.block.map(|block| block.moved(&places.globals));
            self.whole.kernels.push(KernelDescription { func, block, ..kernel.clone() });
        }
    }

    /// Adds a unit's blocks to the closure switch with the same name.
    fn add_closure_switch(&mut self, closure_switch: &ClosureSwitch, places: &IdMapping) {
        let func = places.funcs[closure_switch.func];
        let all = &mut self.whole.module.closure_switches;
        let known = *self.closure_switches.entry(func).or_insert(all.len());
        if known == all.len() {
            all.push(ClosureSwitch { func, blocks: Vec::new(), ..closure_switch.clone() });
        }
        let blocks = closure_switch.blocks.iter();
        let moved = blocks.map(|&(descriptor, invoke)| (places.globals[descriptor], places.funcs[invoke]));
        all[known].blocks.extend(moved);
    }

    /// Returns the new id of a variable, and `true` if it now has the contents of this unit's variable.
    fn place_global(&mut self, global: &Global) -> (GlobalId, bool) {
        let globals = &mut self.whole.module.globals;
        if global.linkage == Linkage::Internal {
            return (globals.push(global.clone()), true);
        }
        let name = &global.name;
        let id = match self.symbols.get(name) {
            Some(&Symbol::Global(id)) => id,
            Some(Symbol::Func(_)) => {
                let name = name.clone();
                self.errors.push(LinkError::Kind {
                    name,
                    first: SymbolKind::Function,
                    second: SymbolKind::Variable,
                });
                return (globals.push(global.clone()), true);
            }
            None => {
                let id = globals.push(global.clone());
                self.symbols.insert(name.clone(), Symbol::Global(id));
                return (id, global.is_defined);
            }
        };
        let there = &mut globals[id];
        let are_defined = [there.is_defined, global.is_defined];
        let Some(takes) = takes_definition(are_defined, [there.linkage, global.linkage]) else {
            self.errors.push(LinkError::Duplicate { kind: SymbolKind::Variable, name: name.clone() });
            return (id, false);
        };
        // Size 0 means that the type was incomplete in its unit.
        let sizes_fit = there.size == global.size || there.size == 0 || global.size == 0;
        if there.space != global.space || !sizes_fit {
            self.errors.push(LinkError::Type { kind: SymbolKind::Variable, name: name.clone() });
        }
        if takes {
            *there = global.clone();
        } else {
            there.size = there.size.max(global.size);
        }
        (id, takes)
    }

    /// Returns the new id of a function, and `true` if it now has the body of this unit's function.
    fn place_func(&mut self, func: &Function) -> (FuncId, bool) {
        let funcs = &mut self.whole.module.funcs;
        if func.linkage == Linkage::Internal {
            return (funcs.push(func.clone()), true);
        }
        let name = &func.name;
        let id = match self.symbols.get(name) {
            Some(&Symbol::Func(id)) => id,
            Some(Symbol::Global(_)) => {
                let name = name.clone();
                self.errors.push(LinkError::Kind {
                    name,
                    first: SymbolKind::Variable,
                    second: SymbolKind::Function,
                });
                return (funcs.push(func.clone()), true);
            }
            None => {
                let id = funcs.push(func.clone());
                self.symbols.insert(name.clone(), Symbol::Func(id));
                return (id, func.is_defined());
            }
        };
        let there = &mut funcs[id];
        let are_defined = [there.is_defined(), func.is_defined()];
        let Some(takes) = takes_definition(are_defined, [there.linkage, func.linkage]) else {
            self.errors.push(LinkError::Duplicate { kind: SymbolKind::Function, name: name.clone() });
            return (id, false);
        };
        if there.ret != func.ret {
            self.errors.push(LinkError::Type { kind: SymbolKind::Function, name: name.clone() });
        }
        if takes {
            *there = func.clone();
        }
        (id, takes)
    }

    /// Reports calls that do not match the definition in another unit.
    fn check_calls(&mut self) {
        let module = &self.whole.module;
        let mut found = Vec::new();
        for caller in module.funcs.values() {
            for (callee, args, ret) in calls(caller) {
                let callee = &module.funcs[callee];
                if callee.is_defined() && !fits(callee, caller, args, ret) {
                    let (caller, callee) = (caller.name.clone(), callee.name.clone());
                    found.push(LinkError::Call { caller, callee });
                }
            }
        }
        self.report(found);
    }

    /// Reports functions and variables that are used and not defined in any unit. As in a program of one unit,
    /// functions that neither kernels nor blocks reach are ignored.
    fn check_undefined(&mut self) {
        let module = &self.whole.module;
        let reached = self.reached_functions();
        let mut found = Vec::new();
        let mut variable = |id: GlobalId, user: &str| {
            let global = &module.globals[id];
            if !global.is_defined {
                let (name, user) = (global.name.clone(), user.to_owned());
                found.push(LinkError::Undefined { kind: SymbolKind::Variable, name, user });
            }
        };
        for global in module.globals.values() {
            global.relocs.iter().for_each(|&(_, target, _)| variable(target, &global.name));
        }
        let compiled = || module.funcs.iter().filter(|(id, _)| reached[*id]).map(|(_, func)| func);
        for func in compiled() {
            for inst in func.instructions() {
                if let Attr::Global(global) = inst.attr {
                    variable(global, &func.name);
                }
            }
        }
        let is_missing =
            |id: &FuncId| !module.funcs[*id].is_defined() && !self.closure_switches.contains_key(id);
        for func in compiled() {
            for callee in callees(func).into_iter().filter(is_missing).map(|id| &module.funcs[id]) {
                let (name, user) = (callee.name.clone(), func.name.clone());
                found.push(LinkError::Undefined { kind: SymbolKind::Function, name, user });
            }
        }
        self.report(found);
    }

    /// Marks the functions reachable from kernels and bodies of blocks.
    fn reached_functions(&self) -> IdMap<FuncId, bool> {
        let module = &self.whole.module;
        let mut reached = IdMap::with_len(false, module.funcs.len());
        let mut waiting: Vec<FuncId> = self.whole.kernels.iter().map(|kernel| kernel.func).collect();
        while let Some(id) = waiting.pop() {
            if !std::mem::replace(&mut reached[id], true) {
                waiting.extend(callees(&module.funcs[id]));
            }
        }
        reached
    }

    /// Reports functions that call themselves through other units: a depth-first search with an explicit stack.
    fn check_recursion(&mut self) {
        let module = &self.whole.module;
        let funcs = &module.funcs;
        let made: FastMap<GlobalId, FuncId> =
            module.closure_switches.iter().flat_map(|d| &d.blocks).copied().collect();
        let followers = |id: FuncId| followers(module, &made, id);
        let mut found = Vec::new();
        let (mut seen, mut open) = (IdMap::with_len(false, funcs.len()), IdMap::with_len(false, funcs.len()));
        for root in funcs.ids() {
            if seen[root] {
                continue;
            }
            (seen[root], open[root]) = (true, true);
            let mut path = vec![(root, followers(root))];
            while let Some((func, pending)) = path.last_mut() {
                match pending.pop() {
                    Some(callee) if open[callee] => {
                        found.push(LinkError::Recursion(funcs[callee].name.clone()));
                    }
                    Some(callee) if !seen[callee] => {
                        (seen[callee], open[callee]) = (true, true);
                        path.push((callee, followers(callee)));
                    }
                    Some(_) => {}
                    None => {
                        open[*func] = false;
                        path.pop();
                    }
                }
            }
        }
        self.report(found);
    }

    /// Adds errors without duplicates.
    fn report(&mut self, found: Vec<LinkError>) {
        let mut seen: FastSet<LinkError> = self.errors.iter().cloned().collect();
        self.errors.extend(found.into_iter().filter(|error| seen.insert(error.clone())));
    }
}

/// Checks whether a definition or declaration of a name replaces another one that comes before it; none if both are
/// definitions and neither may have others. Of definitions that may have others the first one stays, unless there is
/// one that may not.
fn takes_definition(are_defined: [bool; 2], linkages: [Linkage; 2]) -> Option<bool> {
    match (are_defined, linkages.map(Linkage::is_odr)) {
        ([_, false], _) => Some(false),
        ([false, true], _) => Some(true),
        ([true, true], [false, false]) => None,
        ([true, true], [is_odr, is_other_odr]) => Some(is_odr && !is_other_odr),
    }
}

impl IdMapping {
    /// Updates the references of a copied function to the new ids.
    pub(super) fn redirect(&self, func: &mut Function) {
        for inst in func.insts.values_mut() {
            if inst.loc != 0 {
                inst.loc += self.lines;
            }
            match &mut inst.attr {
                Attr::Func(id) => *id = self.funcs[*id],
                Attr::Global(id) => *id = self.globals[*id],
                Attr::None
                | Attr::NoWrap(_)
                | Attr::Int(_)
                | Attr::Mem(_)
                | Attr::ScaledMem(..)
                | Attr::SizeAlign(..)
                | Attr::IntCond(_)
                | Attr::FloatCond(_)
                | Attr::Lanes(_)
                | Attr::Rmw(..)
                | Attr::Consistency(_)
                | Attr::Reduction(_)
                | Attr::Helper(_)
                | Attr::Query(..)
                | Attr::Cases(_)
                | Attr::Field(_)
                | Attr::Format(_) => {}
            }
        }
    }
}

/// Returns the functions that `id` calls, and bodies of the blocks that it creates or names. Those can only be
/// called while `id` is active, so calls through closure switches need not be followed.
fn followers(module: &Module, made: &FastMap<GlobalId, FuncId>, id: FuncId) -> Vec<FuncId> {
    let mut found = callees(&module.funcs[id]);
    for inst in module.funcs[id].instructions() {
        let Attr::Global(global) = inst.attr else { continue };
        found.extend(made.get(&global));
        found.extend(module.globals[global].relocs.iter().filter_map(|(_, target, _)| made.get(target)));
    }
    found
}

/// Returns the calls in a function: callee, arguments and result type.
pub(super) fn calls(func: &Function) -> impl Iterator<Item = (FuncId, &[Value], Type)> {
    func.instructions().filter_map(|inst| match inst.attr {
        Attr::Func(callee) if inst.op == Op::Call => Some((callee, &inst.args[..], inst.ty)),
        _ => None,
    })
}

/// Checks whether a call has the types of the function.
pub(super) fn fits(callee: &Function, caller: &Function, args: &[Value], ret: Type) -> bool {
    let wanted = callee.params().iter().map(|&p| callee.ty(p));
    callee.ret == ret && wanted.eq(args.iter().map(|&a| caller.ty(a)))
}

#[cfg(test)]
mod tests {
    use super::super::{self as compile, BuildOutput, Source};
    use super::*;

    /// Compiles a unit. The names among `odr` may have other definitions.
    fn unit(text: &str, odr: &[&str]) -> CompiledObject {
        let source = Source { name: "unit.cl".into(), text: text.into() };
        let built = compile::compile(&source, &[], "");
        let object = built.result.unwrap_or_else(|_| panic!("{}", built.log));
        let mut object = (*object).clone();
        let module = &mut object.module;
        let is_named = |name: &String| odr.contains(&name.as_str());
        for func in module.funcs.values_mut().filter(|func| is_named(&func.name)) {
            func.linkage = Linkage::External { is_odr: true };
        }
        for global in module.globals.values_mut().filter(|global| is_named(&global.name)) {
            global.linkage = Linkage::External { is_odr: true };
        }
        let Ok(BuildOutput::Object(loaded)) = compile::load(&compile::save_object(&object)) else {
            panic!("its binary does not load")
        };
        assert_eq!(loaded.module.to_string(), object.module.to_string());
        (*loaded).clone()
    }

    fn merged(units: &[CompiledObject]) -> Result<CompiledObject, String> {
        merge(units.iter(), false).map_err(|errors| errors[0].to_string())
    }

    /// Returns the definitions of the function `f` and the variable `v`, as text.
    fn definitions(whole: &CompiledObject) -> (String, String) {
        let module = &whole.module;
        let func = module.funcs.values().filter(|func| func.name == "f").collect::<Vec<_>>();
        let global = module.globals.values().filter(|global| global.name == "v").collect::<Vec<_>>();
        assert!(func.len() == 1 && global.len() == 1, "{module}");
        (func[0].to_string(), format!("{:?} {:?}", global[0].linkage, global[0].init))
    }

    /// Returns a unit with a function and a variable, and its definition of both.
    fn numbered(number: u32, odr: &[&str]) -> (CompiledObject, (String, String)) {
        let unit = unit(&format!("int f(int x) {{ return x + {number}; }} constant int v = {number};"), odr);
        let found = definitions(&unit);
        (unit, found)
    }

    #[test]
    fn the_first_of_equivalent_definitions_is_taken() {
        let ((one, first), (two, second)) = (numbered(1, &["f", "v"]), numbered(2, &["f", "v"]));
        assert_ne!(first, second);
        let whole = merged(&[one.clone(), two.clone()]).expect("they link");
        assert_eq!(definitions(&whole), first);
        // The result may be linked again.
        let library = merge([two, one].iter(), true).expect("they link");
        assert_eq!(definitions(&library), second);
        assert_eq!(definitions(&merged(&[library.clone(), library]).expect("they link")), second);
    }

    #[test]
    fn a_definition_that_is_alone_wins() {
        let ((odr, first), (alone, second)) = (numbered(1, &["f", "v"]), numbered(2, &[]));
        let declared = unit("int f(int x); extern constant int v; int g(void) { return f(v); }", &[]);
        for units in [
            vec![odr.clone(), alone.clone()],
            vec![alone.clone(), odr.clone()],
            vec![declared.clone(), odr.clone(), odr.clone(), alone.clone(), odr.clone()],
        ] {
            assert_eq!(definitions(&merged(&units).expect("they link")), second);
        }
        let whole = merged(&[declared, odr.clone()]).expect("they link");
        assert_eq!(definitions(&whole), first);
        let error = merged(&[odr, alone.clone(), alone]).expect_err("two definitions");
        assert_eq!(error, "variable 'v' is defined more than once");
    }

    #[test]
    fn definitions_of_other_types_are_refused() {
        let int = unit("int f(int x) { return x; }", &["f"]);
        let float = unit("float f(float x) { return x; }", &["f"]);
        let error = merged(&[int, float]).expect_err("other types");
        assert_eq!(error, "function 'f' is declared with different types");
    }

    #[test]
    fn a_kernel_is_described_once() {
        let text = "kernel void k(global int *a) { *a = N; }";
        let units = [unit(&text.replace('N', "1"), &["k"]), unit(&text.replace('N', "2"), &["k"])];
        let whole = merged(&units).expect("they link");
        assert_eq!(whole.kernels.len(), 1);
        let alone = unit(&text.replace('N', "3"), &[]);
        let whole = merged(&[units[0].clone(), alone.clone()]).expect("they link");
        assert_eq!(whole.kernels.len(), 1);
        let name = |object: &CompiledObject| object.module.funcs[object.kernels[0].func].to_string();
        assert_eq!(name(&whole), name(&alone));
    }
}
