//! What a pass is, and what is done around each: memory, time, verification, printing.

use std::cell::Cell;

use super::scalar::inline::{Copied, Limits};
use super::workgroup::ItemIds;
use crate::image::ArgumentKey;
use crate::ir::abi::RangeFacts;
use crate::ir::analysis::{Analyses, Keeps};
use crate::ir::{Block, FuncId, Function, Module, Type, verify};
use crate::support::environment::{environment, warn_invalid};
use crate::support::fork::Global;
use crate::support::{FastSet, IdMap, memory, timing};

/// A transformation of one function.
#[derive(Clone, Copy, Debug)]
pub struct Pass {
    /// What `GRUS_PRINT_AFTER` and the text tests call it.
    pub name: &'static str,
    /// Changes the function and says whether it did.
    pub run: fn(&mut Function, &mut PassContext<'_>) -> bool,
    /// What still holds after a change.
    pub keeps: Keeps,
}

/// What passes may look at besides the function, and what is known of it.
#[derive(Debug)]
pub struct PassContext<'m> {
    /// The functions that it calls; none once calls go by position.
    pub module: Option<&'m Module>,
    /// The function's place in the module.
    pub id: Option<FuncId>,
    pub limits: Limits,
    /// What inlining has copied.
    pub copied: Copied,
    /// What a launch says of the kernel's images and samplers, by the position of the parameter.
    pub known: &'m [(usize, ArgumentKey)],
    /// What it says of its range.
    pub range: RangeFacts,
    /// Which parameters are strides that are one, a bit for each position.
    pub unit_strides: u64,
    /// The items that its loops run, in a function that runs a group.
    pub items: &'m [ItemIds],
    /// Headers of the loops that are not to be unrolled: the group runs their turns in lockstep.
    pub implicit_barrier_loops: FastSet<Block>,
    /// Functions that are inlined once their caller is.
    pub postponed: Option<&'m IdMap<FuncId, bool>>,
    /// This function is such a caller.
    pub postpones: bool,
    pub analyses: Analyses,
}

impl<'m> PassContext<'m> {
    /// For a function of a module.
    pub fn of(module: &'m Module, id: FuncId, limits: Limits) -> PassContext<'m> {
        PassContext { module: Some(module), id: Some(id), limits, ..PassContext::alone() }
    }
    /// For a function whose calls nobody looks at.
    pub fn alone() -> PassContext<'m> {
        PassContext {
            module: None,
            id: None,
            limits: Limits::NORMAL,
            copied: Copied::default(),
            known: &[],
            range: RangeFacts::default(),
            unit_strides: 0,
            items: &[],
            implicit_barrier_loops: FastSet::default(),
            postponed: None,
            postpones: false,
            analyses: Analyses::default(),
        }
    }

    /// Runs passes in this order. A function without a body stays as it is. A verifier failure names the pass; it is a
    /// bug of ours. Says whether any changed it.
    pub fn run(&mut self, passes: &[Pass], func: &mut Function) -> bool {
        let mut changed = false;
        if func.is_defined() {
            passes.iter().for_each(|pass| changed |= self.run_one(pass, func));
        }
        changed
    }

    fn run_one(&mut self, pass: &Pass, func: &mut Function) -> bool {
        /// What a pass takes at most for each instruction, as measured.
        const BYTES_FOR_INSTRUCTION: usize = 400;
        memory::expect(func.size() * BYTES_FOR_INSTRUCTION);
        memory::check();
        let timed = timing::part(pass.name);
        let changed = (pass.run)(func, self);
        drop(timed);
        if changed {
            self.analyses.forget(pass.keeps);
        }
        after(pass.name, func, self.module);
        changed
    }

    /// Says that the function has changed in the middle of a pass.
    pub fn changed(&mut self) {
        self.analyses.forget(Keeps::Nothing);
    }
}

thread_local! {
    /// Passes on this thread are verified.
    static VERIFIES: Cell<bool> = const { Cell::new(cfg!(debug_assertions)) };
}

/// Says whether passes on this thread are verified from now on, in debug builds: tests that run very many forms of a kernel
/// verify some.
pub fn set_verification(verifies: bool) {
    VERIFIES.set(verifies);
}

/// Verifies (debug builds) and prints (on request) what a pass left.
pub fn after(name: &str, func: &Function, module: Option<&Module>) {
    if print_after().is_some_and(|wanted| wanted == name || wanted == "all") {
        eprintln!("; after {name}\nfunc {func}");
    }
    if cfg!(debug_assertions)
        && VERIFIES.get()
        && let Err(message) = verify(func, module)
    {
        panic!("pass {name} left invalid IR: {message}\n{func}");
    }
}

/// What `GRUS_PRINT_AFTER` names, if there is such a pass.
fn print_after() -> Option<&'static str> {
    static WANTED: Global<Option<&'static str>> = Global::fact();
    *WANTED.get(|| {
        let wanted = environment().print_after.as_deref()?;
        let passes = super::PASSES.iter().map(|pass| pass.name).chain(super::STAGES.iter().copied());
        let names: Vec<&str> = passes.chain(["all"]).collect();
        if names.contains(&wanted) {
            return Some(wanted);
        }
        warn_invalid("GRUS_PRINT_AFTER", &format!("one of {}", names.join(", ")), wanted);
        None
    })
}

/// Takes a function out of its module, for as long as it is worked on.
pub fn take(module: &mut Module, id: FuncId) -> Function {
    std::mem::replace(&mut module.funcs[id], Function::new("", Type::VOID))
}
