//! Passes over IR, and the order they run in: all of it is in this file.
//!
//! ```text
//! program      define closure switches; for each function, callees first: inline (chains of functions called once: at their end),
//!              SCALAR; what nobody calls goes; what stays: unroll, and where that did something settle
//! variant      for what a launch knows of its range: sizes, SCALAR, unroll, settle; for what it knows of images and
//!              samplers: specialise, SCALAR, inline, again and again; stream
//! kernel       share; reuse, carry, and where that did something SCALAR and reuse; lockstep, and where that did something SCALAR;
//!              counters, and where that did something SIMPLIFY; regions become bodies; for each, and for functions that stay
//!              calls: BODY; lanes; rows and driver around them: group; if that keeps values for the group: SCALAR; split
//! settle       SCALAR, and again as long as PROMOTE does something
//! ```
//!
//! A [`Pass`] is a value with a name. It is verified after in debug builds, timed under `GRUS_TIMING`, printed under
//! `GRUS_PRINT_AFTER=name` (or `all`, to stderr), and has text tests in `tests/ir/<name>/`.

mod alias;
pub mod closures;
pub mod gather;
pub mod image;
pub mod interchange;
mod loop_variant;
pub mod pass_manager;
mod private_arrays;
pub mod scalar;
pub mod specialize;
pub mod split;
pub mod vectorize;
pub mod workgroup;

use scalar::inline::{self, Copied, Limits, callees, callees_first};

use crate::image::ArgumentKey;
use crate::ir::abi::{Param, RangeFacts, SUB_GROUP};
use crate::ir::analysis::Keeps;
use crate::ir::{FuncId, Function, GlobalId, Module};
use crate::support::target::{Backend, Choice, Overrides};
use crate::support::{FastSet, IdMap};

pub use interchange::Interchange;
use pass_manager::{PassContext, after, take};
pub use vectorize::{asks_for_sub_groups, may_lack_sub_groups};
use workgroup::{GroupCode, implicit_barriers};

pub use pass_manager::{Debugging, Pass};

const INLINE: Pass = Pass { name: "inline", run: inline::run, keeps: Keeps::Nothing };
const PROMOTE: Pass = Pass { name: "promote", run: scalar::promote::run, keeps: Keeps::ControlFlow };
const SIMPLIFY: Pass = Pass { name: "simplify", run: scalar::simplify::run, keeps: Keeps::Nothing };
const DEMANDED_BITS: Pass =
    Pass { name: "demanded_bits", run: scalar::demanded_bits::run, keeps: Keeps::ControlFlow };
const UNROLL_OUTER: Pass =
    Pass { name: "unroll_outer", run: scalar::unroll::unroll_outer, keeps: Keeps::Nothing };
const UNROLL: Pass = Pass { name: "unroll", run: scalar::unroll::run, keeps: Keeps::Nothing };
const IF_CONVERT: Pass = Pass { name: "if_convert", run: scalar::if_convert::run, keeps: Keeps::Nothing };
const GVN: Pass = Pass { name: "gvn", run: scalar::gvn::run, keeps: Keeps::ControlFlow };
const LICM: Pass = Pass { name: "licm", run: scalar::licm::run, keeps: Keeps::Nothing };
const DIVIDE: Pass = Pass { name: "divide", run: scalar::divide::run, keeps: Keeps::ControlFlow };
const REASSOCIATE_ADDRESS: Pass =
    Pass { name: "reassociate_address", run: scalar::reassociate_address::run, keeps: Keeps::ControlFlow };
const REASSOCIATE: Pass =
    Pass { name: "reassociate", run: scalar::reassociate::run, keeps: Keeps::ControlFlow };
const COMPARE_VECTORIZE: Pass =
    Pass { name: "compare_vectorize", run: scalar::compare_vectorize::run, keeps: Keeps::Nothing };
const SUBWORD_GATHERS: Pass =
    Pass { name: "subword_gathers", run: crate::passes::gather::subword::run, keeps: Keeps::ControlFlow };
const LOAD_COMBINE: Pass =
    Pass { name: "load_combine", run: scalar::load_combine::run, keeps: Keeps::ControlFlow };
const ROW_LOADS: Pass =
    Pass { name: "row_loads", run: crate::passes::gather::row_loads::run, keeps: Keeps::ControlFlow };
const COALESCE_GATHERS: Pass =
    Pass { name: "coalesce_gathers", run: crate::passes::gather::coalesce::run, keeps: Keeps::ControlFlow };
const REGISTER_PROMOTION: Pass =
    Pass { name: "register_promotion", run: scalar::register_promotion::run, keeps: Keeps::Nothing };
const REDUNDANT_LOADS: Pass =
    Pass { name: "redundant_loads", run: scalar::redundant_loads::run, keeps: Keeps::ControlFlow };
const BARRIER_FUNCTIONS: Pass =
    Pass { name: "barrier_functions", run: scalar::barrier_functions::run, keeps: Keeps::Nothing };
const IMPLICIT_BARRIERS: Pass =
    Pass { name: "implicit_barriers", run: implicit_barriers::run, keeps: Keeps::Nothing };
const INDUCTION: Pass = Pass { name: "induction", run: workgroup::induction::run, keeps: Keeps::ControlFlow };
const RANGE: Pass =
    Pass { name: "range", run: crate::passes::specialize::range::run, keeps: Keeps::ControlFlow };
const UNIT_STRIDES: Pass = Pass {
    name: "unit_strides",
    run: crate::passes::specialize::unit_strides::run,
    keeps: Keeps::ControlFlow,
};
const NONTEMPORAL: Pass =
    Pass { name: "nontemporal", run: crate::passes::specialize::nontemporal::run, keeps: Keeps::ControlFlow };
const SPECIALIZE_IMAGES: Pass =
    Pass { name: "specialize_images", run: image::specialize, keeps: Keeps::ControlFlow };
const EXPAND_TEXELS: Pass = Pass { name: "expand_texels", run: image::expand, keeps: Keeps::ControlFlow };

/// Every pass over one function.
pub const PASSES: &[Pass] = &[
    INLINE,
    PROMOTE,
    SIMPLIFY,
    DEMANDED_BITS,
    UNROLL_OUTER,
    UNROLL,
    IF_CONVERT,
    GVN,
    LICM,
    DIVIDE,
    LOAD_COMBINE,
    ROW_LOADS,
    COALESCE_GATHERS,
    SUBWORD_GATHERS,
    REASSOCIATE_ADDRESS,
    COMPARE_VECTORIZE,
    REASSOCIATE,
    REDUNDANT_LOADS,
    REGISTER_PROMOTION,
    BARRIER_FUNCTIONS,
    IMPLICIT_BARRIERS,
    INDUCTION,
    RANGE,
    UNIT_STRIDES,
    SPECIALIZE_IMAGES,
    NONTEMPORAL,
    EXPAND_TEXELS,
];

/// Stages, which make several functions of one: IR is printed after them under these names.
pub const STAGES: &[&str] = &["body", "vectorize", "workgroup", "split"];

/// What the x64 backend leaves to passes, and Cranelift does itself. What several blocks compute is the same once it has come
/// before a loop.
const BEFORE_WIDE: &[Pass] =
    &[DIVIDE, REASSOCIATE_ADDRESS, GVN, LOAD_COMBINE, COMPARE_VECTORIZE, REASSOCIATE, LICM, GVN];

/// What every function goes through after its callees were inlined.
const SCALAR: &[Pass] = &[PROMOTE, SIMPLIFY, DEMANDED_BITS, IF_CONVERT];

/// What bodies of regions and functions that stay calls go through.
const BODY: &[Pass] = &[EXPAND_TEXELS, PROMOTE, SIMPLIFY];

/// Returns what IR can be printed after: passes, stages, and `all` of them.
pub fn printable() -> impl Iterator<Item = &'static str> {
    PASSES.iter().map(|pass| pass.name).chain(STAGES.iter().copied()).chain(["all"])
}

/// The pass of that name.
pub fn find(name: &str) -> Option<&'static Pass> {
    PASSES.iter().find(|pass| pass.name == name)
}

/// Inlines and optimises what `roots` need, callees first; bodies of functions that nothing needs any more are dropped.
/// Headers full of helpers are the rule: most functions of a program go without having been looked at.
pub fn program(module: &mut Module, roots: &[FuncId], limits: Limits, debugging: Debugging) {
    let order = callees_first(module, roots);
    keep_only(module, &order);
    let size = order.iter().map(|&id| module.funcs[id].size()).sum();
    let mut callers = Callers::new(module, roots, &order);
    let postponed = inline::postponed(module, &order, &callers.calls);
    let mut copied = Copied::default();
    let mut optimize = |module: &mut Module, id: FuncId, postpones: bool| {
        let mut func = take(module, id);
        let called = callees(&func);
        let limits = limits.after(size, copied, debugging.chunk);
        let postpones = postpones && called.iter().any(|&callee| postponed[callee]);
        let mut context = PassContext {
            postponed: Some(&postponed),
            postpones,
            debugging,
            ..PassContext::of(module, id, limits)
        };
        context.run(&[INLINE], &mut func);
        context.run(SCALAR, &mut func);
        copied += context.copied;
        callers.remove(module, called, &func);
        module.funcs[id] = func;
        postpones
    };
    let mut unfinished = IdMap::with_len(false, module.funcs.len());
    for id in order {
        unfinished[id] = optimize(module, id, true);
    }
    // What was not inlined after all is finished alone, callers first.
    for id in callees_first(module, roots).into_iter().rev().filter(|&id| unfinished[id]) {
        if module.funcs[id].is_defined() {
            optimize(module, id, false);
        }
    }
    let called = callees_first(module, roots);
    keep_only(module, &called);
    for id in called {
        let mut func = take(module, id);
        let mut context = PassContext { debugging, ..PassContext::of(module, id, limits) };
        // Not before: what grows is not inlined, and what is inlined would grow in every copy.
        unroll(&mut func, &mut context);
        module.funcs[id] = func;
    }
}

/// Unrolls loops, but for those that are run in lockstep.
fn unroll(func: &mut Function, context: &mut PassContext<'_>) {
    context.implicit_barrier_loops = implicit_barriers::implicit_barrier_loops(func, &mut context.analyses);
    if context.run(&[UNROLL_OUTER], func) {
        settle(func, context);
        context.implicit_barrier_loops =
            implicit_barriers::implicit_barrier_loops(func, &mut context.analyses);
    }
    if context.run(&[UNROLL], func) {
        settle(func, context);
    }
}

/// SCALAR after loops were unrolled: what was an index into an object may be an element of another (`a[order[i]]`), so that
/// objects become values one after the other.
fn settle(func: &mut Function, context: &mut PassContext<'_>) {
    const MOST_ROUNDS: usize = 3;
    context.run(SCALAR, func);
    for _ in 1..MOST_ROUNDS {
        if !context.run(&[PROMOTE], func) {
            break;
        }
        context.run(&[SIMPLIFY, IF_CONVERT], func);
    }
}

/// Makes `func`, a copy of kernel `id` of the module, the kernel for images and samplers of which this is known, by the
/// position of the parameter, and for a range of which that is known.
pub fn variant(
    func: &mut Function,
    id: FuncId,
    module: &Module,
    known: &[(usize, ArgumentKey)],
    range: RangeFacts,
    unit_strides: u64,
    debugging: Debugging,
) {
    /// Inlining uncovers calls that were deferred too; library functions are not nested deeper.
    const MOST_ROUNDS: usize = 8;
    let limits = Limits { deferred: true, ..Limits::NORMAL };
    if range.is_interchanged {
        interchange::run(func);
    }
    let of_module = PassContext::of(module, id, limits);
    let mut context = PassContext { known, range, unit_strides, debugging, ..of_module };
    if context.run(&[RANGE, UNIT_STRIDES], func) {
        context.run(SCALAR, func);
        unroll(func, &mut context);
    }
    let rounds = if known.is_empty() { 0 } else { MOST_ROUNDS };
    for _ in 0..rounds {
        context.run(&[SPECIALIZE_IMAGES], func);
        context.run(SCALAR, func);
        let mut called = callees(func).into_iter();
        if !called.any(|callee| module.funcs[callee].is_deferred) {
            break;
        }
        context.run(&[INLINE], func);
    }
    context.run(&[NONTEMPORAL], func);
}

/// What is not to be chosen of a kernel's code: tests want it all.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Forced {
    /// How many items run side by side.
    pub lanes: Option<u16>,
    /// Items are counted by one number, so that those of several rows run side by side.
    pub linear_ids: bool,
    /// Where no lanes are, two items go by turns if they can.
    pub interleaved: bool,
    /// Who makes the code; none for the usual one.
    pub backend: Option<Backend>,
    /// Choices made for the x64 backend.
    pub overrides: Overrides,
    pub debugging: Debugging,
}

impl Forced {
    /// Who makes the code.
    pub fn backend(&self) -> Backend {
        Choice::of(self.backend, false).backend
    }
}

/// Makes the group function of `func`, a kernel that calls functions of the module and whose parameters lie in the
/// argument block as `params` says; `range` is what it may take for granted, `forced` what is not to be chosen. In kernels that
/// ask for sub-groups its lanes are the items of one, and all is done for so many.
///
/// # Errors
/// If a function is called that has no body, or calls itself; if there is something that cannot be done for sub-groups of that
/// size: of those of one item nothing can't.
pub fn kernel(
    module: &Module,
    func: &Function,
    params: &[Param],
    range: RangeFacts,
    forced: Forced,
) -> Result<GroupCode, String> {
    if func.params().len() != params.len() {
        return Err("the kernel's parameters and their layout differ".into());
    }
    let debugging = forced.debugging;
    let mut shared = None;
    if scalar::barrier_functions::is_needed(module, func) {
        let mut context = PassContext { module: Some(module), ..PassContext::alone(debugging) };
        let kernel = shared.insert(func.clone());
        context.run(&[BARRIER_FUNCTIONS], kernel);
        context.run(SCALAR, kernel);
    }
    let func = shared.as_ref().unwrap_or(func);
    let with_promoted_memory = with_promoted_memory(func, debugging);
    let func = with_promoted_memory.as_ref().unwrap_or(func);
    let of_sub_groups = vectorize::asks_for_sub_groups(func).then(|| forced.lanes.unwrap_or(SUB_GROUP));
    let mut alone = None;
    let func = if of_sub_groups == Some(1) { alone.insert(vectorize::of_one_item(func)) } else { func };
    let waits = of_sub_groups.is_some() || func.instructions().any(|inst| inst.op.is_group_barrier());
    let stepped = with_implicit_barriers(func, range, debugging);
    let kernel = stepped.as_ref().unwrap_or(func);
    let with_split_induction = with_split_induction(kernel, debugging);
    let kernel = with_split_induction.as_ref().unwrap_or(kernel);
    let mut forming = workgroup::form(module, kernel, params, range, waits, of_sub_groups.is_some(), forced)?;
    if forced.linear_ids || of_sub_groups.is_some_and(|items| items > 1 && !are_in_rows(range, items)) {
        forming.fold();
    }
    for func in forming.functions_mut() {
        after("body", func, None, debugging);
        PassContext::alone(debugging).run(BODY, func);
    }
    let folds = of_sub_groups.is_none() && forced.lanes.is_none();
    forming.widen(folds, |candidate, callees| match of_sub_groups {
        None => Ok(vectorize::choose(candidate, forced, callees)),
        Some(1) => Ok(workgroup::Choice::One),
        Some(lanes) => {
            let name = candidate.body.name.clone();
            vectorize::sub_group(&candidate, lanes, callees)
                .map(|wide| workgroup::Choice::Wide(Box::new(wide)))
                .map_err(|why| format!("{name}: no sub-groups of {lanes} ({why})"))
        }
    })?;
    let (mut code, split_at) = forming.assemble(params);
    code.steps = stepped.is_some().then(|| {
        let found = implicit_barriers::grid_stride::find(func, params);
        let bytes = crate::passes::specialize::nontemporal::bytes_of_iteration(func);
        workgroup::Steps {
            streams: implicit_barriers::streams(func),
            nontemporal: found.as_ref().filter(|_| bytes > 0).map(|found| (found.turns, bytes)),
            grid_stride: found.and_then(|found| found.grid_stride).filter(|_| code.is_group_agnostic),
        }
    });
    for func in &mut code.functions {
        after("workgroup", func, None, debugging);
    }
    // What the group keeps on the stack can be in registers.
    if code.has_slots_on_stack {
        PassContext::alone(debugging).run(SCALAR, &mut code.functions[0]);
    }
    if forced.backend() != Backend::Cranelift {
        for (func, items) in code.functions.iter_mut().zip(&code.tracked) {
            PassContext { items, ..PassContext::alone(debugging) }.run(BEFORE_WIDE, func);
        }
    }
    workgroup::split(&mut code, split_at, &|func| after("split", func, None, debugging));
    Ok(code)
}

/// Whether so many items whose linear ids follow each other are certainly of one row, if the first of them is a multiple.
fn are_in_rows(range: RangeFacts, items: u16) -> bool {
    range.local_size.is_some_and(|[x, y, z]| (y, z) == (1, 1) || x.is_multiple_of(items.into()))
}

/// A kernel whose group counts for its items, if that is of use.
fn with_split_induction(func: &Function, debugging: Debugging) -> Option<Function> {
    if !workgroup::induction::may_run(func) {
        return None;
    }
    let mut kernel = func.clone();
    let mut context = PassContext::alone(debugging);
    let changes = context.run(&[INDUCTION], &mut kernel);
    changes.then(|| {
        context.run(&[SIMPLIFY], &mut kernel);
        kernel
    })
}

/// A kernel that keeps in registers what it would read again from memory, if there is any.
fn with_promoted_memory(func: &Function, debugging: Debugging) -> Option<Function> {
    if !scalar::redundant_loads::may_run(func) {
        return None;
    }
    let mut kernel = func.clone();
    let local = scalar::register_promotion::local_params(func);
    scalar::register_promotion::set_apart(&mut kernel, local);
    let mut context = PassContext::alone(debugging);
    let reuses = context.run(&[REDUNDANT_LOADS], &mut kernel);
    if context.run(&[REGISTER_PROMOTION], &mut kernel) {
        context.run(SCALAR, &mut kernel);
        // What is stored behind a loop may be loaded there.
        context.run(&[REDUNDANT_LOADS], &mut kernel);
        return Some(kernel);
    }
    reuses.then_some(kernel)
}

/// A kernel whose loops in steps of the whole range are run in lockstep, if it has any.
fn with_implicit_barriers(func: &Function, range: RangeFacts, debugging: Debugging) -> Option<Function> {
    let mut context = PassContext { range, ..PassContext::alone(debugging) };
    if !implicit_barriers::may_run(func, &mut context.analyses) {
        return None;
    }
    let mut kernel = func.clone();
    context.run(&[IMPLICIT_BARRIERS], &mut kernel).then(|| {
        context.run(SCALAR, &mut kernel);
        kernel
    })
}

/// Inlines until no call of something with a barrier is left in a kernel. Once is enough but where a closure switch is on
/// a cycle: each round shows which closures there are one level deeper, and takes the way of the others out.
pub fn unroll_closures(
    module: &mut Module,
    roots: &[FuncId],
    descriptors: &FastSet<GlobalId>,
    debugging: Debugging,
) {
    /// Times that a kernel is inlined into again, and the size that ends it.
    const MOST_ROUNDS: usize = 64;
    const MOST_SIZE: usize = 300_000;
    if descriptors.is_empty() {
        return;
    }
    let blocked = inline::reach_barriers(module);
    let limits = Limits { most_with_barriers: MOST_SIZE, ..Limits::NORMAL };
    for &id in roots {
        for _ in 0..MOST_ROUNDS {
            let func = &module.funcs[id];
            let blocks = callees(func).into_iter().any(|callee| blocked[callee]);
            if func.size() > MOST_SIZE || !blocks {
                break;
            }
            let mut func = func.clone();
            let mut context = PassContext { debugging, ..PassContext::of(module, id, limits) };
            context.run(&[INLINE], &mut func);
            if context.copied.all == 0 {
                break;
            }
            context.run(SCALAR, &mut func);
            if closures::fold_descriptors(&mut func, descriptors) {
                context.changed();
                context.run(SCALAR, &mut func);
            }
            module.funcs[id] = func;
        }
    }
    let called = callees_first(module, roots);
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
            callees(&module.funcs[id]).into_iter().for_each(|callee| calls[callee] += 1);
        }
        Callers { calls }
    }

    /// A caller called these and is now as it will be.
    fn remove(&mut self, module: &mut Module, mut called: Vec<FuncId>, caller: &Function) {
        callees(caller).into_iter().for_each(|callee| self.calls[callee] += 1);
        while let Some(callee) = called.pop() {
            self.calls[callee] -= 1;
            if self.calls[callee] == 0 {
                called.extend(callees(&module.funcs[callee]));
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

#[cfg(test)]
mod tests {
    use super::*;

    /// A kernel that calls the first of a chain of functions, each of `size` additions and a call of the next one.
    fn chain(count: usize, size: usize) -> Module {
        let mut text = String::new();
        for number in 0..count {
            text += &format!("func f{number} \"f{number}\" i32 internal {{\nb0(v0: i32):\n");
            (1..=size).for_each(|at| text += &format!(" v{at} = iadd.i32 v{}, v0\n", at - 1));
            let next = size + 1;
            text += &match number + 1 {
                last if last == count => format!(" ret v{size}\n}}\n"),
                callee => format!(" v{next} = call.i32 f{callee} v{size}\n ret v{next}\n}}\n"),
            };
        }
        text += &format!(
            "func f{count} \"k\" void kernel {{\nb0(v0: ptr.global, v1: i32):\n v2 = call.i32 f0 v1\n store align 4 v0, v2\n ret\n}}\n"
        );
        crate::ir::parse_module(&text).expect("it is IR")
    }

    /// Which functions are left of it, and what they call.
    fn left(count: usize, limits: Limits) -> Vec<(usize, Vec<usize>)> {
        use crate::support::Id;
        let mut module = chain(count, 20);
        program(&mut module, &[FuncId::new(count)], limits, Debugging::default());
        crate::ir::verify_module(&module).expect("it is valid");
        let defined = module.funcs.iter().filter(|(_, func)| func.is_defined());
        defined.map(|(id, func)| (id.index(), callees(func).iter().map(|id| id.index()).collect())).collect()
    }

    #[test]
    fn a_chain_of_calls_is_inlined_whole() {
        assert_eq!(left(10, Limits::NORMAL), [(10, vec![])]);
    }

    #[test]
    fn what_does_not_fit_into_its_caller_is_inlined_into_each_other() {
        let limits = Limits { most: 70, most_by_value: 70, small: 0, ..Limits::NORMAL };
        assert_eq!(left(8, limits), [(3, vec![6]), (6, vec![]), (8, vec![3])]);
    }

    #[test]
    fn nothing_is_inlined_that_need_not_be() {
        assert_eq!(left(2, Limits::LEAST), [(0, vec![1]), (1, vec![]), (2, vec![0])]);
    }
}
