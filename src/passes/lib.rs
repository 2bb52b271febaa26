//! Passes over IR. `registry.rs` lists every pass. This file orders them, except those that clean up a widened body
//! (`vectorize/mod.rs`).
//!
//! Input is the IR of a program as lowered: functions of one work-item. Output is a [`GroupCode`] for each variant
//! of a kernel: functions that run one work-group, ready for code generation. `compile` calls the entry points:
//!
//! ```text
//! optimize_program   once per build: inlining, SCALAR, unrolling; without facts about launches
//! unroll_closures    once per build: calls of blocks that contain barriers
//! specialize_kernel  once per variant: range, arguments, images and memory of a launch become constants
//! form_group_code    once per variant: a kernel of one work-item becomes a function that runs a work-group
//!
//! form_group_code:
//!   barrier functions        functions with barriers that are still called become part of the kernel
//!   promote memory           removes redundant loads, keeps memory that loops read and write in registers
//!   implicit barriers        loops in steps of the range are split, so that all work-items run an iteration together
//!   split induction          per-item induction variables become a base for each item and a counter for the group
//!   loop vectorization       iterations of inner loops become lanes, if a group has next to no work-items
//!   workgroup::form          regions between barriers become functions of one work-item; each goes through BODY
//!   widen                    their vectorized forms, where the cost model predicts a gain
//!   assemble                 loops over work-items and the driver between regions
//!   SCALAR                   if slots of the group lie on the stack
//!   BEFORE_X64, split        passes that the x64 backend does not have; functions that are too large are split
//! ```
//!
//! # Modules
//!
//! | Module | Passes |
//! |---|---|
//! | [`scalar`] | passes that ignore work-items: inlining, promotion of memory, simplification, loops, GVN, LICM |
//! | [`specialize`], [`image`] | facts about a launch as constants; operations on texels |
//! | [`interchange`] | choice of the dimension along which work-items are vectorized |
//! | [`workgroup`] | regions, bodies, work-item loops, the driver |
//! | [`vectorize`] | a body for several work-items, in lanes; the cost model |
//! | [`work_items`] | interface between `workgroup` and `vectorize` |
//! | [`gather`] | gathers and scatters as accesses that processors execute faster |
//! | [`split`] | a large function as several chunks |
//! | [`closures`] | calls of blocks whose literal is not known |
//! | `alias` | which addresses are known to be apart |
//! | `constant_arrays`, `constant_memory` | private arrays that are constants; contents of constant variables |
//!
//! # Passes
//!
//! A [`Pass`] is a value with a name and a function, `fn(&mut Function, &mut PassContext) -> bool`, which returns
//! whether it changed the function. [`registry`] lists all of them by name. [`pass_manager::PassContext`] has
//! the facts that a pass may use and cached analyses; [`Pass::preserves`] says which of these stay valid.
//! [`Debugging`] and [`Forced`] are choices of users and tests.
//!
//! The function is verified after each pass in debug builds, its time is printed under `GRUS_TIMING`, the IR
//! under `GRUS_PRINT_AFTER=name` (or `all`), and its text tests are in `tests/ir/<name>/`. [`STAGES`] have names
//! and tests, too: they make several functions of one.
//!
//! ```text
//! GRUS_PRINT_AFTER=if_convert grus build kernel.cl --emit=asm 2> after.ir
//! ```
//!
//! As an example, `if_convert` takes this function
//!
//! ```ir
//! func f0 "k" void kernel {
//! b0(v0: ptr.global, v1: i1, v2: i32):
//!     brif v1 -> b1, b2
//! b1():
//!     v3 = iadd.i32 v2, v2
//!     jump -> b3(v3)
//! b2():
//!     v4 = isub.i32 v2, v2
//!     jump -> b3(v4)
//! b3(v5: i32):
//!     store align 4 v0, v5
//!     ret
//! }
//! ```
//!
//! and computes both sides:
//!
//! ```ir
//! func f0 "k" void kernel {
//! b0(v0: ptr.global, v1: i1, v2: i32):
//!     v3 = iadd.i32 v2, v2
//!     v4 = isub.i32 v2, v2
//!     v5 = select.i32 v1, v3, v4
//!     store align 4 v0, v5
//!     ret
//! }
//! ```
//!
//! # Invariants
//!
//! - Passes know neither OpenCL C nor a backend's instructions. They know sizes and properties of registers
//!   (`support::target::Backend`), and the ABI of group code (`ir::abi`).
//! - Passes do not read the environment; settings are arguments.
//! - Before `workgroup::form` and within bodies, a function describes one work-item. After it, work-item queries are
//!   loads from the group's context or parameters.
//! - Without specialization the result is valid for every launch.

mod alias;
pub mod closures;
mod constant_arrays;
mod constant_memory;
pub mod gather;
pub mod image;
pub mod interchange;
mod loop_variant;
pub mod pass_manager;
mod private_arrays;
pub mod registry;
pub mod scalar;
pub mod specialize;
pub mod split;
pub mod vectorize;
pub mod work_items;
pub mod workgroup;

use std::borrow::Cow;

use grus_ir::abi::{Param, RangeFacts, SUB_GROUP};
use grus_ir::group_code::{GroupCode, StridedAccess};
use grus_ir::image::ArgumentKey;
use grus_ir::{FuncId, Function, GlobalId, Module};
use grus_support::target::{Backend, BackendChoice, Overrides};
use grus_support::{FastSet, IdMap};
pub use interchange::Interchange;
pub use pass_manager::{Debugging, Pass};
use pass_manager::{Facts, PassContext, after, take};
use registry::{
    BARRIER_FUNCTIONS, COALESCE_GATHERS, COMPARE_VECTORIZE, CONSTANT_LOADS, DEMANDED_BITS, DERIVED_COUNTERS,
    DIVIDE, EXPAND_TEXELS, GVN, IF_CONVERT, IMPLICIT_BARRIERS, INDUCTION, INLINE, LICM, LOAD_COMBINE,
    LOOP_VECTORIZE, MASKED_SUBWORD_GATHERS, NONTEMPORAL, PROMOTE, RANGE, REASSOCIATE, REASSOCIATE_ADDRESS,
    REDUNDANT_LOADS, REGISTER_PROMOTION, ROW_LOADS, SIMPLIFY, SPECIALIZE_IMAGES, SUBWORD_GATHERS,
    TABLE_LOOKUP, UNIT_STRIDES, UNROLL, UNROLL_OUTER, UNROTATE,
};
pub use registry::{PASSES, STAGES, find, printable};
use scalar::inline::{self, CopiedSize, Inlining, Limits, callees, callees_first};
use vectorize::loops::LoopOptions;
pub use vectorize::{Refusal, may_lack_sub_groups};
use workgroup::{RegionFunctions, implicit_barriers};

/// Returns for each function whether it has sub-group operations, or calls a function that has them: those of large
/// kernels are not inlined into them.
pub fn sub_group_users(module: &Module) -> IdMap<FuncId, bool> {
    inline::reach(module, vectorize::has_sub_group_ops)
}

/// Checks whether a function has sub-group operations, or calls a function that has them.
pub fn uses_sub_groups(module: &Module, id: FuncId) -> bool {
    let func = &module.funcs[id];
    vectorize::has_sub_group_ops(func) || !callees(func).is_empty() && sub_group_users(module)[id]
}

/// Passes that clean up after inlining, and after each pass that leaves private memory, constants or small branches.
const SCALAR: &[Pass] = &[PROMOTE, CONSTANT_LOADS, SIMPLIFY, IF_CONVERT, DEMANDED_BITS];

/// Passes over the bodies of regions, and over functions that stay calls.
const BODY: &[Pass] = &[EXPAND_TEXELS, PROMOTE, SIMPLIFY];

/// Passes whose transformations Cranelift performs itself and the x64 backend does not. GVN runs again at the end,
/// since values of several blocks become equal once LICM has moved them before a loop.
const BEFORE_X64: &[Pass] =
    &[DIVIDE, REASSOCIATE_ADDRESS, GVN, LOAD_COMBINE, COMPARE_VECTORIZE, REASSOCIATE, LICM, GVN];

/// Inlines and optimizes the functions that `roots` reach, callees first, and drops the bodies of all others. Most
/// functions of a program with large headers are never looked at.
pub fn optimize_program(module: &mut Module, roots: &[FuncId], limits: Limits, debugging: Debugging) {
    let order = callees_first(module, roots);
    keep_only(module, &order);
    let size = order.iter().map(|&id| module.funcs[id].size()).sum();
    let mut callers = Callers::new(module, roots, &order);
    let postponed = inline::postponed(module, &order, &callers.calls);
    let mut copied = CopiedSize::default();
    let mut optimize = |module: &mut Module, id: FuncId, may_postpone: bool| {
        let mut func = take(module, id);
        let called = callees(&func);
        let is_postponing = may_postpone && called.iter().any(|&callee| postponed[callee]);
        let limits = limits.after(size, copied, debugging.chunk);
        let inlining = Inlining { limits, postponed: Some(&postponed), is_postponing };
        let mut context = PassContext::for_function(module, id, debugging);
        copied += run_inline(&mut func, &mut context, &inlining);
        context.run(SCALAR, &mut func);
        callers.remove(module, called, &func);
        module.funcs[id] = func;
        is_postponing
    };
    let mut unfinished = IdMap::with_len(false, module.funcs.len());
    for id in order {
        unfinished[id] = optimize(module, id, true);
    }
    // Functions whose callees were postponed and that were not inlined themselves are processed callers first.
    for id in callees_first(module, roots).into_iter().rev().filter(|&id| unfinished[id]) {
        if module.funcs[id].is_defined() {
            optimize(module, id, false);
        }
    }
    let called = callees_first(module, roots);
    keep_only(module, &called);
    for id in called {
        let mut func = take(module, id);
        let mut context = PassContext::for_function(module, id, debugging);
        if context.run(&[UNROTATE, DERIVED_COUNTERS], &mut func) {
            context.run(&[SIMPLIFY], &mut func);
        }
        // Not before inlining: an unrolled function is too large to be inlined, or would be copied unrolled.
        unroll(&mut func, &mut context);
        module.funcs[id] = func;
        if constant_arrays::run(module, id) {
            let mut func = take(module, id);
            PassContext::for_function(module, id, debugging).run(&[SIMPLIFY], &mut func);
            module.funcs[id] = func;
        }
    }
}

/// Runs the inlining pass with these options. Returns the sizes of the bodies that were copied.
fn run_inline(func: &mut Function, context: &mut PassContext<'_>, inlining: &Inlining<'_>) -> CopiedSize {
    let mut copied = CopiedSize::default();
    context.run_with(INLINE, func, |func, context| {
        copied = inline::inline(func, context, inlining);
        copied.all > 0
    });
    copied
}

/// Unrolls loops, except those that the work-items of a group run iteration by iteration.
fn unroll(func: &mut Function, context: &mut PassContext<'_>) {
    let mut excluded = implicit_barriers::implicit_barrier_loops(func, &mut context.analyses);
    if context.run_with(UNROLL_OUTER, func, |func, context| {
        scalar::unroll::unroll_outer_except(func, context, &excluded)
    }) {
        clean_up_unrolled(func, context);
        excluded = implicit_barriers::implicit_barrier_loops(func, &mut context.analyses);
    }
    if context.run_with(UNROLL, func, |func, context| scalar::unroll::unroll_except(func, context, &excluded))
    {
        clean_up_unrolled(func, context);
    }
}

/// Runs SCALAR after loops were unrolled, repeatedly: an index into one object may have become a constant element
/// of another (`a[order[i]]`), so that one object after the other is promoted.
fn clean_up_unrolled(func: &mut Function, context: &mut PassContext<'_>) {
    // Arbitrary.
    const MAX_ROUNDS: usize = 3;
    context.run(SCALAR, func);
    for _ in 1..MAX_ROUNDS {
        if !context.run(&[PROMOTE], func) {
            break;
        }
        context.run(&[SIMPLIFY, IF_CONVERT], func);
    }
}

/// Specializes `func`, a copy of kernel `id` of the module, for launches with the given facts: the range, the
/// parameters that are strides of one, and `images`, the keys of images and samplers by parameter position.
pub fn specialize_kernel(
    func: &mut Function,
    id: FuncId,
    module: &Module,
    images: &[(usize, ArgumentKey)],
    range: RangeFacts,
    unit_strides: u64,
    debugging: Debugging,
) {
    // Inlining also uncovers calls that were deferred.
    // Source: library functions are not nested deeper.
    const MAX_ROUNDS: usize = 8;
    if range.is_interchanged {
        interchange::run(func);
    }
    let facts = Facts { images, range, unit_strides, ..Facts::default() };
    let mut context = PassContext { facts, ..PassContext::for_function(module, id, debugging) };
    if context.run(&[RANGE, UNIT_STRIDES], func) {
        context.run(SCALAR, func);
        unroll(func, &mut context);
    }
    let limits = Limits { deferred: true, ..Limits::NORMAL };
    let rounds = if images.is_empty() { 0 } else { MAX_ROUNDS };
    for _ in 0..rounds {
        context.run(&[SPECIALIZE_IMAGES], func);
        context.run(SCALAR, func);
        let mut called = callees(func).into_iter();
        if !called.any(|callee| module.funcs[callee].is_deferred) {
            break;
        }
        run_inline(func, &mut context, &Inlining { limits, ..Inlining::default() });
    }
    context.run(&[NONTEMPORAL], func);
}

/// Choices that tests make instead of the cost model.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Forced {
    /// Work-items per vector.
    pub lanes: Option<u16>,
    /// Iterations per vector of every loop whose iterations can be lanes.
    pub loop_lanes: Option<u16>,
    /// True if bodies count work-items by one linear id, so that a vector spans several rows.
    pub linear_ids: bool,
    /// True if bodies that stay scalar interleave two work-items where they can (unroll-and-jam), and others vectors of
    /// two or four rows.
    pub interleaved: bool,
    /// Backend that generates the code; `None` for the default one.
    pub backend: Option<Backend>,
    /// Choices within the x64 backend.
    pub overrides: Overrides,
    pub debugging: Debugging,
}

impl Forced {
    /// Returns the backend that generates the code.
    pub fn backend(&self) -> Backend {
        BackendChoice::of(self.backend, false).backend
    }
}

/// Reason why a kernel has no group code. All but [`GroupCodeError::SubGroups`] are bugs in what ran before, except for
/// IR from outside.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum GroupCodeError {
    #[error("the kernel's parameters and their layout differ")]
    Params,
    #[error("call of a function that does not exist")]
    UnknownFunction,
    /// A call of the function of this name.
    #[error("function `{0}` is called but has no body")]
    NoBody(String),
    /// A function that cannot be inlined, by its name, although its barriers must become part of the kernel.
    #[error("function `{0}` holds a barrier and calls itself")]
    Recursion(String),
    /// A body that cannot be vectorized for sub-groups of this size.
    #[error("{function}: no sub-groups of {lanes} ({refusal})")]
    SubGroups {
        function: String,
        lanes: u16,
        #[source]
        refusal: Refusal,
    },
}

/// Forms the group code of `func`: a function that runs one work-group. `func` is a kernel that calls functions of
/// the module; `params` gives the layout of its parameters in the argument block, and `range` holds for all
/// launches of the code. In kernels with sub-groups the lanes of a vector are the work-items of one sub-group.
///
/// # Errors
/// If a called function has no body or is recursive, or if the kernel cannot be vectorized for sub-groups of that
/// size. Sub-groups of one work-item are always possible.
pub fn form_group_code(
    module: &Module,
    func: &Function,
    params: &[Param],
    range: RangeFacts,
    forced: Forced,
) -> Result<GroupCode, GroupCodeError> {
    if func.params().len() != params.len() {
        return Err(GroupCodeError::Params);
    }
    let debugging = forced.debugging;
    let mut kernel = Cow::Borrowed(func);
    inline_barrier_functions(module, &mut kernel, debugging);
    promote_memory(&mut kernel, debugging);
    if workgroup::returns::are_merged(&kernel) {
        workgroup::returns::separate(kernel.to_mut());
    }
    let sub_group = vectorize::has_sub_group_ops(&kernel).then(|| forced.lanes.unwrap_or(SUB_GROUP));
    if sub_group == Some(1) {
        kernel = Cow::Owned(vectorize::with_single_item_sub_groups(&kernel));
    }
    let has_barriers = sub_group.is_some() || kernel.instructions().any(|inst| inst.op.is_group_barrier());
    let strided = add_implicit_barriers(&mut kernel, params, range, debugging);
    // With a work-item for each iteration, there are more than the launch has.
    let may_grow = strided.as_ref().is_some_and(|strided| strided.grid_stride.is_some());
    let range = RangeFacts { ids_fit_26: range.ids_fit_26 && !may_grow, ..range };
    split_induction(&mut kernel, debugging);
    let has_sub_groups = sub_group.is_some();
    let form = |kernel: &Function| {
        let mut forming =
            workgroup::form(module, kernel, params, range, has_barriers, has_sub_groups, forced)?;
        if strided.is_some() {
            forming.allow_large_groups();
        }
        Ok::<_, GroupCodeError>(forming)
    };
    let mut forming = form(&kernel)?;
    let may_vectorize_loops = forced.lanes.is_none() && forming.has_few_items(range);
    let has_wide_loops =
        (may_vectorize_loops || forced.loop_lanes.is_some()) && vectorize_loops(&mut kernel, forced);
    if has_wide_loops {
        forming = form(&kernel)?;
    }
    if forced.linear_ids || sub_group.is_some_and(|items| items > 1 && !are_in_rows(range, items)) {
        forming.linearize_ids();
    }
    for func in forming.functions_mut() {
        after("body", func, None, debugging);
        PassContext::standalone(debugging).run(BODY, func);
    }
    let forced = if has_wide_loops { Forced { lanes: Some(1), ..forced } } else { forced };
    widen(&mut forming, sub_group, forced)?;
    let (mut code, split_at) = forming.assemble(params);
    code.strided_access = strided.map(|mut strided| {
        strided.grid_stride = strided.grid_stride.filter(|_| code.is_group_agnostic);
        strided
    });
    for func in &mut code.functions {
        after("workgroup", func, None, debugging);
    }
    if code.has_slots_on_stack {
        // Values that the group keeps in private memory become registers.
        PassContext::standalone(debugging).run(SCALAR, &mut code.functions[0]);
    }
    if forced.backend() != Backend::Cranelift {
        let has_masks = forced.backend().has_masks();
        for (func, items) in code.functions.iter_mut().zip(&code.tracked) {
            let facts = Facts { items, has_masks, ..Facts::default() };
            PassContext { facts, ..PassContext::standalone(debugging) }.run(BEFORE_X64, func);
        }
    }
    workgroup::split(&mut code, split_at, &|func| after("split", func, None, debugging));
    Ok(code)
}

/// Inlines functions with barriers that are still called into the kernel: regions can be formed only around
/// barriers of the kernel itself.
fn inline_barrier_functions(module: &Module, kernel: &mut Cow<'_, Function>, debugging: Debugging) {
    if scalar::barrier_functions::is_needed(module, kernel) {
        let mut context = PassContext { module: Some(module), ..PassContext::standalone(debugging) };
        context.run(&[BARRIER_FUNCTIONS], kernel.to_mut());
        context.run(SCALAR, kernel.to_mut());
    }
}

/// Removes redundant loads, and keeps memory that loops read and write in registers.
fn promote_memory(kernel: &mut Cow<'_, Function>, debugging: Debugging) {
    if !scalar::redundant_loads::may_run(kernel) {
        return;
    }
    let mut func = kernel.clone().into_owned();
    let local = scalar::register_promotion::local_params(&func);
    scalar::register_promotion::set_no_alias(&mut func, local);
    let mut context = PassContext::standalone(debugging);
    let mut has_changed = context.run(&[REDUNDANT_LOADS], &mut func);
    if context.run(&[REGISTER_PROMOTION], &mut func) {
        context.run(SCALAR, &mut func);
        // Register promotion stores values after a loop; later loads of them are redundant.
        context.run(&[REDUNDANT_LOADS], &mut func);
        has_changed = true;
    }
    if has_changed {
        *kernel = Cow::Owned(func);
    }
}

/// Splits loops in steps of the whole range, so that all work-items run an iteration together. Returns a
/// description of the memory accesses of such a kernel, or `None` if it has no such loop.
fn add_implicit_barriers(
    kernel: &mut Cow<'_, Function>,
    params: &[Param],
    range: RangeFacts,
    debugging: Debugging,
) -> Option<StridedAccess> {
    let facts = Facts { range, ..Facts::default() };
    let mut context = PassContext { facts, ..PassContext::standalone(debugging) };
    if !implicit_barriers::may_run(kernel, &mut context.analyses) {
        return None;
    }
    let mut func = kernel.clone().into_owned();
    if !context.run(&[IMPLICIT_BARRIERS], &mut func) {
        return None;
    }
    context.run(SCALAR, &mut func);
    let found = implicit_barriers::grid_stride::find(kernel, params);
    let bytes = specialize::nontemporal::bytes_of_iteration(kernel);
    let strided = StridedAccess {
        streams: implicit_barriers::streams(kernel),
        nontemporal: found.as_ref().filter(|_| bytes > 0).map(|found| (found.iterations, bytes)),
        grid_stride: found.and_then(|found| found.grid_stride),
    };
    *kernel = Cow::Owned(func);
    Some(strided)
}

/// Splits induction variables of work-items into a base for each work-item and a counter for the group.
fn split_induction(kernel: &mut Cow<'_, Function>, debugging: Debugging) {
    if !workgroup::induction::may_run(kernel) {
        return;
    }
    let mut func = kernel.clone().into_owned();
    let mut context = PassContext::standalone(debugging);
    if context.run(&[INDUCTION], &mut func) {
        context.run(&[SIMPLIFY], &mut func);
        *kernel = Cow::Owned(func);
    }
}

/// Makes lanes of iterations of loops. Returns whether it changed the kernel.
fn vectorize_loops(kernel: &mut Cow<'_, Function>, forced: Forced) -> bool {
    let debugging = forced.debugging;
    let options = LoopOptions { lanes: forced.loop_lanes, backend: forced.backend() };
    let mut func = kernel.clone().into_owned();
    let mut context = PassContext::standalone(debugging);
    let has_changed = context
        .run_with(LOOP_VECTORIZE, &mut func, |func, context| vectorize::loops::run(func, context, options));
    if has_changed {
        context.run(SCALAR, &mut func);
        *kernel = Cow::Owned(func);
    }
    has_changed
}

/// Vectorizes the bodies, as the cost model decides or, if `sub_group` is given, for sub-groups of that size.
fn widen(
    forming: &mut RegionFunctions,
    sub_group: Option<u16>,
    forced: Forced,
) -> Result<(), GroupCodeError> {
    let may_use_linear_ids = sub_group.is_none() && forced.lanes.is_none();
    forming.widen(may_use_linear_ids, |candidate, callees| match sub_group {
        None => Ok(vectorize::plan(candidate, forced, callees)),
        Some(1) => Ok(work_items::VectorPlan::default()),
        Some(lanes) => {
            let function = candidate.body.name.clone();
            vectorize::sub_group(&candidate, lanes, callees)
                .map(|wide| work_items::VectorPlan { wide: Some(wide), next_tier: None })
                .map_err(|refusal| GroupCodeError::SubGroups { function, lanes, refusal })
        }
    })
}

/// Checks whether work-items with that many consecutive linear ids certainly lie in one row, if the first id is a
/// multiple of their number.
fn are_in_rows(range: RangeFacts, items: u16) -> bool {
    range.local_size.is_some_and(|[x, y, z]| (y, z) == (1, 1) || x.is_multiple_of(items.into()))
}

/// Inlines until no function with a barrier is called in a kernel. One round suffices unless a closure switch is on a cycle
/// of calls: each round then determines the closures one level deeper, and removes the branches to the others.
pub fn unroll_closures(
    module: &mut Module,
    roots: &[FuncId],
    descriptors: &FastSet<GlobalId>,
    debugging: Debugging,
) {
    // Rounds of inlining into a kernel, and the size that ends them.
    // Arbitrary.
    const MAX_ROUNDS: usize = 64;
    const MAX_SIZE: usize = 300_000;
    if descriptors.is_empty() {
        return;
    }
    let blocked = inline::reach_barriers(module);
    let limits = Limits { max_size_with_barriers: MAX_SIZE, ..Limits::NORMAL };
    for &id in roots {
        for _ in 0..MAX_ROUNDS {
            let func = &module.funcs[id];
            let blocks = callees(func).into_iter().any(|callee| blocked[callee]);
            if func.size() > MAX_SIZE || !blocks {
                break;
            }
            let mut func = func.clone();
            let mut context = PassContext::for_function(module, id, debugging);
            let inlining = Inlining { limits, ..Inlining::default() };
            if run_inline(&mut func, &mut context, &inlining).all == 0 {
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

/// Number of calls of each function that are not inlined yet or will stay. The body is dropped with the last call,
/// so that a long chain of functions is never in memory as a whole.
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

    /// Updates the counts after all inlining into `caller`, which called the functions `called` before.
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

/// Drops the bodies of all functions except those in `kept`.
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

    /// Returns a module with a kernel that calls the first of `count` functions, each of `size` additions and a
    /// call of the next one.
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
        grus_ir::parse_module(&text).expect("it is IR")
    }

    /// Returns the functions of the chain that keep a body after optimization, each with its remaining callees.
    fn left(count: usize, limits: Limits) -> Vec<(usize, Vec<usize>)> {
        use grus_support::Id;
        let mut module = chain(count, 20);
        optimize_program(&mut module, &[FuncId::new(count)], limits, Debugging::default());
        grus_ir::verify_module(&module).expect("it is valid");
        let defined = module.funcs.iter().filter(|(_, func)| func.is_defined());
        defined.map(|(id, func)| (id.index(), callees(func).iter().map(|id| id.index()).collect())).collect()
    }

    #[test]
    fn a_chain_of_calls_is_inlined_whole() {
        assert_eq!(left(10, Limits::NORMAL), [(10, vec![])]);
    }

    #[test]
    fn what_does_not_fit_into_its_caller_is_inlined_into_each_other() {
        let limits =
            Limits { max_caller_size: 70, max_size_by_value: 70, always_inlined_size: 0, ..Limits::NORMAL };
        assert_eq!(left(8, limits), [(3, vec![6]), (6, vec![]), (8, vec![3])]);
    }

    #[test]
    fn nothing_is_inlined_that_need_not_be() {
        assert_eq!(left(2, Limits::MINIMAL), [(0, vec![1]), (1, vec![]), (2, vec![0])]);
    }
    #[test]
    fn the_example_in_the_documentation_is_what_the_pass_does() {
        let page = include_str!("lib.rs").lines().map_while(|line| line.strip_prefix("//!"));
        let page: String = page.map(|line| format!("{}\n", line.strip_prefix(' ').unwrap_or(line))).collect();
        let mut blocks = page.split("```ir\n").skip(1).filter_map(|rest| rest.split("```").next());
        let (before, after) = (blocks.next().expect("IR"), blocks.next().expect("IR"));
        let mut module = grus_ir::parse_module(before).expect("it is IR");
        for func in module.funcs.values_mut() {
            PassContext::standalone(Debugging::default()).run(&[IF_CONVERT], func);
            *func = func.compacted();
        }
        assert_eq!(module.to_string(), after);
    }
}
