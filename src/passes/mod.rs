//! Passes over IR, and the order they run in.
//!
//! A pass is a value of the registry: it has a name, is verified after in debug
//! builds, and can be printed (`GRUS_PRINT_AFTER=name` or `all`, to stderr).

pub mod blocks;
pub mod group;
pub mod image;
pub mod scalar;
pub mod split;

use scalar::inline::Limits;

use crate::ir::{FuncId, Function, GlobalId, Module, verify};
use crate::support::environment::environment;
use crate::support::memory;
use crate::support::{FastSet, IdMap};

/// A transformation of one function.
pub struct Pass {
    pub name: &'static str,
    pub run: fn(&mut Function),
}

/// What every function goes through after its callees were inlined, and again after
/// the group pass.
pub const SCALAR: &[Pass] = &[
    Pass { name: "promote", run: scalar::promote::run },
    Pass { name: "simplify", run: scalar::simplify::run },
];

/// What a pass takes at most for each instruction, as measured.
const BYTES_FOR_INSTRUCTION: usize = 400;

/// Runs passes on one function. A verifier failure names the pass; it is a bug of ours.
pub fn run(passes: &[Pass], func: &mut Function, module: Option<&Module>) {
    if !func.is_defined() {
        return;
    }
    for pass in passes {
        memory::expect(func.size() * BYTES_FOR_INSTRUCTION);
        memory::check();
        (pass.run)(func);
        after(pass.name, func, module);
    }
}

/// Verifies (debug builds) and prints (on request) what a pass left.
pub fn after(name: &str, func: &Function, module: Option<&Module>) {
    if print_after().is_some_and(|wanted| wanted == name || wanted == "all") {
        eprintln!("; after {name}\nfunc {func}");
    }
    if cfg!(debug_assertions)
        && let Err(message) = verify(func, module)
    {
        panic!("pass {name} left invalid IR: {message}\n{func}");
    }
}

fn print_after() -> Option<&'static str> {
    environment().print_after.as_deref()
}

/// Inlines, promotes and simplifies what `roots` need, callees first; bodies of functions
/// that nothing needs any more are dropped. Headers full of helpers are the rule: most
/// functions of a program go without having been looked at.
pub fn optimise(module: &mut Module, roots: &[FuncId], limits: Limits) {
    let order = scalar::inline::callees_first(module, roots);
    keep_only(module, &order);
    let size = order.iter().map(|&id| module.funcs[id].size()).sum();
    let mut callers = Callers::new(module, roots, &order);
    let mut copied = scalar::inline::Copied::default();
    for id in order {
        let mut func = std::mem::replace(&mut module.funcs[id], Function::new("", crate::ir::Type::VOID));
        let callees = scalar::inline::callees(&func);
        copied += scalar::inline::run(&mut func, id, module, limits.after(size, copied));
        after("inline", &func, Some(module));
        run(SCALAR, &mut func, Some(module));
        callers.remove(module, callees, &func);
        module.funcs[id] = func;
    }
    let called = scalar::inline::callees_first(module, roots);
    keep_only(module, &called);
}

/// How many calls of each function are still to be looked at or will stay. Bodies go with the last: of a long chain of
/// functions not all are kept until its end.
struct Callers {
    calls: IdMap<FuncId, usize>,
}

impl Callers {
    fn new(module: &Module, roots: &[FuncId], order: &[FuncId]) -> Callers {
        let mut calls = IdMap::with_len(0, module.funcs.len());
        roots.iter().for_each(|&root| calls[root] += 1);
        for &id in order {
            scalar::inline::callees(&module.funcs[id]).into_iter().for_each(|callee| calls[callee] += 1);
        }
        Callers { calls }
    }

    /// A caller called these and is now as it will be.
    fn remove(&mut self, module: &mut Module, callees: Vec<FuncId>, caller: &Function) {
        scalar::inline::callees(caller).into_iter().for_each(|callee| self.calls[callee] += 1);
        for callee in callees {
            self.calls[callee] -= 1;
            if self.calls[callee] == 0 {
                module.funcs[callee].remove_body();
            }
        }
    }
}

/// Leaves of all functions but those listed the declaration.
fn keep_only(module: &mut Module, kept: &[FuncId]) {
    let mut keep = IdMap::with_len(false, module.funcs.len());
    kept.iter().for_each(|&id| keep[id] = true);
    for id in module.funcs.ids().filter(|&id| !keep[id]) {
        module.funcs[id].remove_body();
    }
}

/// Times that a kernel is inlined into again, and the size that ends it.
const MOST_ROUNDS: usize = 64;
const MOST_SIZE: usize = 300_000;

/// Inlines until no call of something with a barrier is left in a kernel. Once is enough but
/// where a dispatcher of closures is on a cycle: each round shows which closures there are
/// one level deeper, and takes the way of the others out.
pub fn unroll_closures(module: &mut Module, roots: &[FuncId], identities: &FastSet<GlobalId>) {
    if identities.is_empty() {
        return;
    }
    let blocked = scalar::inline::reach_barriers(module);
    for &id in roots {
        for _ in 0..MOST_ROUNDS {
            let func = &module.funcs[id];
            let blocks = scalar::inline::callees(func).into_iter().any(|callee| blocked[callee]);
            if func.size() > MOST_SIZE || !blocks {
                break;
            }
            let mut func = func.clone();
            let limits = Limits { most_with_barriers: MOST_SIZE, ..Limits::NORMAL };
            if scalar::inline::run(&mut func, id, module, limits).all == 0 {
                break;
            }
            after("inline", &func, Some(module));
            run(SCALAR, &mut func, Some(module));
            if blocks::fold_identities(&mut func, identities) {
                run(SCALAR, &mut func, Some(module));
            }
            module.funcs[id] = func;
        }
    }
    let called = scalar::inline::callees_first(module, roots);
    keep_only(module, &called);
}
