//! Passes, the context they run in, and the work around each one: reserving memory, timing, verifying, printing.

use std::cell::Cell;

use grus_ir::abi::RangeFacts;
use grus_ir::analysis::{Analyses, PreservedAnalyses};
use grus_ir::group_code::ItemIds;
use grus_ir::image::ArgumentKey;
use grus_ir::{FuncId, Function, Module, Type, verify};
use grus_support::{memory, timing};

/// A transformation of one function.
#[derive(Clone, Copy, Debug)]
pub struct Pass {
    /// Name for `GRUS_PRINT_AFTER` and the text tests.
    pub name: &'static str,
    /// Function that changes its argument, and returns whether it did.
    pub run: fn(&mut Function, &mut PassContext<'_>) -> bool,
    /// Analyses that still hold after a change.
    pub preserves: PreservedAnalyses,
}

/// Settings for debugging the compiler and for tests.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Debugging {
    /// Pass after which IR is printed, or `all`.
    pub print_after: Option<&'static str>,
    /// Instructions of a chunk: functions of more than two chunks are split (`passes::split`), and other limits above which
    /// kernels count as large are lowered to match.
    pub chunk: Option<usize>,
}

/// Facts about launches and about the function that passes may rely on. An unknown fact is `None`, empty or false.
#[derive(Clone, Copy, Debug, Default)]
pub struct Facts<'m> {
    /// Keys of images and samplers, by the position of the parameter.
    pub images: &'m [(usize, ArgumentKey)],
    pub range: RangeFacts,
    /// Parameters that are strides of one: a bit for each position.
    pub unit_strides: u64,
    /// Local ids in the work-item loops of a group function.
    pub items: &'m [ItemIds],
    /// True if the code will be for a backend with mask registers.
    pub has_masks: bool,
}

/// Context of passes over one function.
#[derive(Debug)]
pub struct PassContext<'m> {
    /// Module of the function's callees; `None` once calls refer to functions by position.
    pub module: Option<&'m Module>,
    /// Id of the function in the module.
    pub id: Option<FuncId>,
    pub facts: Facts<'m>,
    pub analyses: Analyses,
    pub debugging: Debugging,
}

impl<'m> PassContext<'m> {
    /// Returns a context for a function of a module.
    pub fn for_function(module: &'m Module, id: FuncId, debugging: Debugging) -> PassContext<'m> {
        PassContext { module: Some(module), id: Some(id), ..PassContext::standalone(debugging) }
    }

    /// Returns a context for a function whose callees are unknown.
    pub fn standalone(debugging: Debugging) -> PassContext<'m> {
        PassContext {
            module: None,
            id: None,
            facts: Facts::default(),
            analyses: Analyses::default(),
            debugging,
        }
    }

    /// Runs passes in this order, and returns whether any of them changed the function. A function without a body stays as
    /// it is. If the function is invalid afterwards, the panic names the pass, in debug builds.
    pub fn run(&mut self, passes: &[Pass], func: &mut Function) -> bool {
        passes.iter().fold(false, |changed, &pass| changed | self.run_with(pass, func, pass.run))
    }

    /// Runs one pass by calling `run` in place of the pass's own function, for passes that take more arguments.
    /// Returns whether it changed the function.
    pub fn run_with(
        &mut self,
        pass: Pass,
        func: &mut Function,
        run: impl FnOnce(&mut Function, &mut Self) -> bool,
    ) -> bool {
        // Source: the largest use of memory by a pass, measured per instruction.
        const BYTES_PER_INSTRUCTION: usize = 400;
        if !func.is_defined() {
            return false;
        }
        memory::expect(func.size() * BYTES_PER_INSTRUCTION);
        memory::check();
        let timed = timing::phase(pass.name);
        let changed = run(func, self);
        drop(timed);
        if changed {
            self.analyses.forget(pass.preserves);
        }
        after(pass.name, func, self.module, self.debugging);
        changed
    }

    /// Drops all analyses, for a pass that continues after it has changed the function.
    pub fn changed(&mut self) {
        self.analyses.forget(PreservedAnalyses::None);
    }
}

thread_local! {
    /// True if passes on this thread are verified.
    static VERIFIES: Cell<bool> = const { Cell::new(cfg!(debug_assertions)) };
}

/// Turns the verification of passes on this thread on or off, in debug builds: tests that run very many forms of a kernel
/// verify some of them.
pub fn set_verification(verifies: bool) {
    VERIFIES.set(verifies);
}

/// Verifies a function after a pass, in debug builds, and prints it, on request.
pub fn after(name: &str, func: &Function, module: Option<&Module>, debugging: Debugging) {
    if debugging.print_after.is_some_and(|wanted| wanted == name || wanted == "all") {
        eprintln!("; after {name}\nfunc {func}");
    }
    if cfg!(debug_assertions)
        && VERIFIES.get()
        && let Err(message) = verify(func, module)
    {
        panic!("pass {name} left invalid IR: {message}\n{func}");
    }
}

/// Takes a function out of its module while passes change it.
pub fn take(module: &mut Module, id: FuncId) -> Function {
    std::mem::replace(&mut module.funcs[id], Function::new("", Type::VOID))
}
