//! Requests of translated modules: makes IR of the functions of the builtin library that they call.
//!
//! A module of SPIR-V names builtins by [`Request`]s. [`lower_requests`] writes OpenCL C with a function for each, whose
//! body is the call, and compiles it like any program: overloads, conversions and the library's own language have one
//! meaning, that of the front end. [`resolve_requests`] copies the results into the translated module, in place of its
//! declarations.
//!
//! Of the options of a build only `-cl-fast-relaxed-math` matters to the library, so results are kept for the process by
//! request. Programs that build thousands of small modules compile each function once. Requests that are compiled
//! together share a module of IR, and what they call; only what is reached from a request is copied.

use std::fmt::Write as _;
use std::sync::Arc;

use super::link::{IdMapping, calls, fits};
use super::{facts, lower};
use grus_clc::Options;
use grus_ir::{FuncId, Function, Global, GlobalId, LineTable, Linkage, Module};
use grus_spirv::Request;
use grus_support::fork;
use grus_support::sync::Mutex;
use grus_support::{FastMap, FastSet, Id, IdMap, memory, timing};

/// IR of a list of requests.
#[derive(Clone, Debug, Default)]
pub(super) struct RequestedFunctions {
    /// For each request its function, in a module that may have others.
    bodies: Vec<Body>,
}

/// Request that no function of the library fulfills.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("no builtin function is '{signature}':\n{log}")]
pub(super) struct RequestError {
    /// Index of the request.
    pub index: usize,
    pub signature: String,
    /// Messages of the front end.
    pub log: String,
}

/// Declaration that does not fit the function that was requested for it.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub(super) enum ResolveError {
    #[error("'{name}' is declared with another result type than the builtin function of request {index} has")]
    Result { name: String, index: usize },
    #[error("'{caller}' calls the builtin function of request {index} with other types than it has")]
    Call { caller: String, index: usize },
    #[error("there is no request {index}")]
    Missing { index: usize },
}

/// Function in a module.
#[derive(Clone, Debug)]
struct Body {
    module: Arc<Module>,
    func: FuncId,
}

/// Declarations whose functions are in one module, with the indices of their requests.
struct Group<'m> {
    library: &'m Arc<Module>,
    members: Vec<(FuncId, usize)>,
}

/// Maximum number of requests whose functions are kept. Beyond it all are forgotten.
// Arbitrary.
const MAX_KEPT: usize = 1024;

/// Maximum number of requests in one text, so that a module with few kept ones stays small.
// Arbitrary.
const MAX_TOGETHER: usize = 64;

static KEPT: fork::Global<Mutex<FastMap<Request, Body>>> = fork::Global::of_objects();

/// Compiles the functions that a module requests. Runs on a stack of [`grus_clc::STACK_SIZE`] bytes, as a build does.
///
/// # Errors
/// All requests that no function of the library fulfills.
pub(super) fn lower_requests(
    requests: &[Request],
    options: &Options,
) -> Result<RequestedFunctions, Vec<RequestError>> {
    let keys: Vec<Request> = requests
        .iter()
        .map(|request| Request {
            is_relaxed: request.is_relaxed || options.fast_relaxed_math,
            ..request.clone()
        })
        .collect();
    let mut bodies: Vec<Option<Body>> = {
        let kept = KEPT.get(Mutex::default).lock();
        keys.iter().map(|key| kept.get(key).cloned()).collect()
    };
    let (mut errors, mut made) = (Vec::new(), Vec::new());
    for is_relaxed in [false, true] {
        let is_missing = |index: &usize| bodies[*index].is_none() && keys[*index].is_relaxed == is_relaxed;
        let missing: Vec<usize> = (0..keys.len()).filter(is_missing).collect();
        for indices in missing.chunks(MAX_TOGETHER) {
            match lower_missing(&keys, indices, is_relaxed) {
                Ok(bodies) => made.extend(indices.iter().copied().zip(bodies)),
                Err(found) => errors.extend(found),
            }
        }
    }
    if !errors.is_empty() {
        return Err(errors);
    }
    keep(&keys, &made);
    made.into_iter().for_each(|(index, body)| bodies[index] = Some(body));
    Ok(RequestedFunctions { bodies: bodies.into_iter().flatten().collect() })
}

/// Puts functions in place of the declarations that stand for requests, each given with the request's index, and adds
/// what they call. All of them get internal linkage.
///
/// # Errors
/// If a declaration or a call of it has other types than the function. The module is then incomplete.
pub(super) fn resolve_requests(
    module: &mut Module,
    funcs: &[(FuncId, usize)],
    requested: &RequestedFunctions,
) -> Result<(), ResolveError> {
    // Requests that were compiled together are copied together.
    let (mut groups, mut group_of) = (Vec::<Group<'_>>::new(), FastMap::default());
    for &(declaration, index) in funcs {
        let body = requested.bodies.get(index).ok_or(ResolveError::Missing { index })?;
        let at = *group_of.entry(Arc::as_ptr(&body.module)).or_insert(groups.len());
        if at == groups.len() {
            groups.push(Group { library: &body.module, members: Vec::new() });
        }
        groups[at].members.push((declaration, index));
    }
    for Group { library, members } in groups {
        for &(declaration, index) in &members {
            let body = &library.funcs[requested.bodies[index].func];
            if module.funcs[declaration].ret != body.ret {
                let name = module.funcs[declaration].name.clone();
                return Err(ResolveError::Result { name, index });
            }
        }
        let places: Vec<(FuncId, FuncId)> =
            members.iter().map(|&(declaration, index)| (declaration, requested.bodies[index].func)).collect();
        copy_into(module, library, &places);
    }
    check_calls(module, funcs)
}

/// Compiles requests that are all relaxed or none. Finds the ones at fault if that fails.
fn lower_missing(
    keys: &[Request],
    indices: &[usize],
    is_relaxed: bool,
) -> Result<Vec<Body>, Vec<RequestError>> {
    let wanted: Vec<&Request> = indices.iter().map(|&index| &keys[index]).collect();
    if let Ok(bodies) = lower_together(&wanted, is_relaxed) {
        return Ok(bodies);
    }
    let alone = indices.iter().map(|&index| (index, lower_together(&[&keys[index]], is_relaxed)));
    let failed = alone.filter_map(|(index, result)| {
        let signature = signature(&keys[index], &keys[index].name);
        result.err().map(|log| RequestError { index, signature, log })
    });
    let errors: Vec<RequestError> = failed.collect();
    assert!(!errors.is_empty(), "requests compile one by one, but not together");
    Err(errors)
}

/// Compiles one text with a function for each request.
///
/// # Errors
/// The log of the front end.
fn lower_together(requests: &[&Request], is_relaxed: bool) -> Result<Vec<Body>, String> {
    let timed = timing::span("builtins", || format!("requests: {}", requests.len()));
    let text = text_of(requests);
    // The library is the same in all versions from 2.0 on; it has no warnings, and the calls need none.
    let options =
        Options { std: 200, no_warnings: true, fast_relaxed_math: is_relaxed, ..Options::default() };
    let analysis = grus_clc::analyze_on_current_stack(("requests.cl", &text), &[], &options, &facts());
    let unit = analysis.unit.ok_or(analysis.log)?;
    memory::check();
    let mut module = lower::lower(&unit, lower::LoweredFunctions::All).module;
    if let Err(why) = grus_ir::verify_module(&module) {
        panic!("a requested builtin is invalid: {why}");
    }
    for func in module.funcs.values_mut() {
        func.linkage = Linkage::Internal;
        // Instructions get the lines of calls.
        func.insts.values_mut().for_each(|inst| inst.loc = 0);
    }
    module.globals.values_mut().for_each(|global| global.linkage = Linkage::Internal);
    module.lines = LineTable::default();
    drop(timed);
    let named = module.funcs.iter().map(|(id, func)| (func.name.clone(), id));
    let named: FastMap<String, FuncId> = named.collect();
    let module = Arc::new(module);
    let body = |index| {
        let func = *named.get(&function_name(index)).expect("the text has a function for each request");
        Body { module: module.clone(), func }
    };
    Ok((0..requests.len()).map(body).collect())
}

/// Returns OpenCL C with a function for each request.
fn text_of(requests: &[&Request]) -> String {
    let mut text = String::new();
    for (index, request) in requests.iter().enumerate() {
        let args: Vec<String> = (0..request.params.len()).map(|at| format!("a{at}")).collect();
        let signature = signature(request, &function_name(index));
        let call = format!("{}({})", request.name, args.join(", "));
        let result = &request.result;
        let body = match result.as_str() {
            "void" => call,
            // Vectors of integers have no sign in SPIR-V, so that the function may return the other ones.
            vector if vector.ends_with(|c: char| c.is_ascii_digit()) => format!("return as_{result}({call})"),
            _ => format!("return {call}"),
        };
        let _ = writeln!(text, "{signature} {{ {body}; }}");
    }
    text
}

/// Returns the head of a function with the types of a request.
fn signature(request: &Request, name: &str) -> String {
    let params = request.params.iter().enumerate().map(|(at, ty)| format!("{ty} a{at}"));
    let params: Vec<String> = params.collect();
    let params = if params.is_empty() { "void".to_owned() } else { params.join(", ") };
    format!("{} {name}({params})", request.result)
}

fn function_name(index: usize) -> String {
    format!("__request_{index}")
}

/// Keeps functions of requests, given with their indices, for later builds.
fn keep(keys: &[Request], made: &[(usize, Body)]) {
    if made.is_empty() || made.len() > MAX_KEPT {
        return;
    }
    let mut kept = KEPT.get(Mutex::default).lock();
    if kept.len() + made.len() > MAX_KEPT {
        kept.clear();
    }
    kept.extend(made.iter().map(|(index, body)| (keys[*index].clone(), body.clone())));
}

/// Copies functions of a library into a module, each to the place of a declaration, and all that they reach.
fn copy_into(module: &mut Module, library: &Module, places: &[(FuncId, FuncId)]) {
    let (funcs, globals) = reached(library, places.iter().map(|&(_, body)| body));
    let none = (FuncId::new(0), GlobalId::new(0));
    let mut mapping = IdMapping {
        lines: 0,
        funcs: IdMap::with_len(none.0, library.funcs.len()),
        globals: IdMap::with_len(none.1, library.globals.len()),
    };
    let first_global = module.globals.len();
    for &id in &globals {
        mapping.globals[id] = module.globals.push(Global::clone(&library.globals[id]));
    }
    for id in module.globals.ids().skip(first_global) {
        for reloc in &mut module.globals[id].relocs {
            reloc.1 = mapping.globals[reloc.1];
        }
    }
    let mut copies = Vec::new();
    for &(declaration, body) in places {
        let name = std::mem::take(&mut module.funcs[declaration].name);
        module.funcs[declaration] = Function { name, ..library.funcs[body].clone() };
        mapping.funcs[body] = declaration;
        copies.push(declaration);
    }
    let bodies: FastSet<FuncId> = places.iter().map(|&(_, body)| body).collect();
    for id in funcs.into_iter().filter(|id| !bodies.contains(id)) {
        mapping.funcs[id] = module.funcs.push(library.funcs[id].clone());
        copies.push(mapping.funcs[id]);
    }
    for id in copies {
        mapping.redirect(&mut module.funcs[id]);
    }
}

/// Returns the functions and variables of a library that some functions reach, themselves included.
fn reached(library: &Module, roots: impl Iterator<Item = FuncId>) -> (Vec<FuncId>, Vec<GlobalId>) {
    let mut is_func = IdMap::with_len(false, library.funcs.len());
    let mut is_global = IdMap::with_len(false, library.globals.len());
    let (mut funcs, mut globals) = (Vec::new(), Vec::new());
    let (mut waiting, mut waiting_globals): (Vec<FuncId>, Vec<GlobalId>) = (roots.collect(), Vec::new());
    while let Some(id) = waiting.pop() {
        if std::mem::replace(&mut is_func[id], true) {
            continue;
        }
        funcs.push(id);
        for inst in library.funcs[id].instructions() {
            match inst.attr {
                grus_ir::Attr::Func(callee) => waiting.push(callee),
                grus_ir::Attr::Global(global) => waiting_globals.push(global),
                _ => {}
            }
        }
    }
    while let Some(id) = waiting_globals.pop() {
        if !std::mem::replace(&mut is_global[id], true) {
            globals.push(id);
            waiting_globals.extend(library.globals[id].relocs.iter().map(|reloc| reloc.1));
        }
    }
    (funcs, globals)
}

/// Checks whether all calls of requested functions have their types.
fn check_calls(module: &Module, funcs: &[(FuncId, usize)]) -> Result<(), ResolveError> {
    let indices: FastMap<FuncId, usize> = funcs.iter().copied().collect();
    for caller in module.funcs.values() {
        for (callee, args, ret) in calls(caller) {
            let Some(&index) = indices.get(&callee) else { continue };
            if !fits(&module.funcs[callee], caller, args, ret) {
                return Err(ResolveError::Call { caller: caller.name.clone(), index });
            }
        }
    }
    Ok(())
}

#[cfg(test)]
mod tests;
