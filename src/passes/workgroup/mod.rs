//! Work-group formation: turns a kernel into a function of one
//! [`GroupContext`](grus_ir::abi::GroupContext) that runs a whole work-group.
//!
//! ```text
//! implicit_barriers  inserts barriers into loops whose iterations access distant memory
//! regions            splits the kernel at barriers, finds the values that live across them
//! storage_plan       assigns storage to those values and to private objects
//! body               region -> function (context, x, y, z, index, inputs...) -> number of the next region
//! linear_ids         lets bodies compute their ids from a linear id, if rows are short
//! work_item_loop     emits the loops over the work-items of the group around a body
//! driver             emits the effects that happen once for the group, and the dispatch between regions
//! ```
//!
//! The kernel is split at its barriers into regions (continuation-based synchronization: Meyer et al., IWOCL
//! 2023). A region ends by naming the next one. A barrier is reached by all work-items or none, so the last
//! work-item's answer holds for the whole group. This is correct for barriers in loops, branches and inlined
//! functions without special cases. Between `body` and `work_item_loop`, passes see functions of a single
//! work-item without loops over work-items.
//!
//! A value that lives across a barrier is recomputed if that is cheap. Otherwise a uniform value is stored in a
//! slot of the group, and a varying one in a context array with an element for each work-item.

mod body;
mod calls;
mod collectives;
mod context_arrays;
mod continuations;
mod dead_functions;
mod driver;
pub mod implicit_barriers;
pub mod induction;
mod invariants;
mod linear_ids;
mod region_entries;
mod regions;
mod rematerialize;
pub mod returns;
mod soa;
mod storage_plan;
mod uniform_regions;
mod uniformity;
mod work_item_loop;

use super::gather::table_lookup::{self, ConstantTables};
use super::pass_manager::{Debugging, PassContext};
use super::vectorize::{self, Callees};
use super::work_items::{Candidate, VectorPlan, Wide};
use super::{Forced, GroupCodeError, SIMPLIFY, split};
use body::{NUM_FIXED_PARAMS, RegionBody};
use driver::{Assembled, RegionPart};
use grus_ir::abi::enqueue::MAX_STATELESS_GROUP_SIZE;
use grus_ir::abi::{AREA_ALIGN, Param, RangeFacts, Tier, offset};
use grus_ir::group_code::{FirstItem, GroupCode, Tracked};
use grus_ir::{Attr, Builder, Function, Helper, Inst, Module, Op, Query, Type};
use grus_support::target::Backend;
use regions::KernelRegions;
use storage_plan::{LocalLayout, StoragePlan};

/// A kernel whose regions have become functions.
pub struct RegionFunctions {
    regions: KernelRegions,
    plan: StoragePlan,
    bodies: Vec<RegionBody>,
    /// Functions that are not inlined.
    callees: Vec<RegionPart>,
    tables: ConstantTables,
    local_size: u64,
    is_group_agnostic: bool,
    limits: split::Limits,
    /// Backend that will compile it.
    backend: Backend,
    debugging: Debugging,
    /// See [`GroupCode::next_tier`].
    next_tier: Option<Tier>,
}

/// Maximum size of a kernel, in instructions, as `split` counts them, that becomes one function; a larger one has a
/// function for each region.
// Arbitrary.
const MAX_SINGLE_FUNCTION_SIZE: usize = 4_000;

/// Creates functions of the regions of `func`, a kernel that calls functions of the module. `params` are the
/// locations of its parameters in the argument block, `range` the assumptions about the range, `forced` the
/// decisions that are not left to the compiler. `has_barriers` is true if the program contains barriers,
/// `has_sub_groups` if the kernel uses sub-groups.
///
/// # Errors
/// Fails if a called function has no body or contains a barrier and calls itself.
pub fn form(
    module: &Module,
    func: &Function,
    params: &[Param],
    range: RangeFacts,
    has_barriers: bool,
    has_sub_groups: bool,
    forced: Forced,
) -> Result<RegionFunctions, GroupCodeError> {
    let (backend, debugging) = (forced.backend(), forced.debugging);
    let regions = regions::form(func, has_sub_groups, debugging.chunk.is_some());
    let mut limits = split::Limits::of(&regions.func, backend, debugging.chunk);
    if regions.has_divergent_regions {
        limits = limits.min(split::Limits::DIVERGENT_REGIONS);
    }
    let callees = calls::reachable(module, func)?;
    let position = calls::positions(&callees, module.funcs.len());
    let is_split = regions.sizes().into_iter().any(|size| size > limits.function);
    let stores_item_ids = is_split || !callees.is_empty() || regions.func.instructions().any(calls_runtime);
    let plan = StoragePlan::new(&regions, position, range);
    let mut locals = LocalLayout::new(module);
    let bodies: Vec<RegionBody> = (0..regions.regions.len())
        .map(|number| body::write(&regions, &plan, &mut locals, number, stores_item_ids))
        .collect();
    let observes_group = bodies.iter().any(|body| body.observes_group)
        || callees.iter().any(|&callee| calls::observes_group(&module.funcs[callee]))
        || calls::has_group_scope(&regions.func)
        || params.iter().any(|param| matches!(param, Param::Local(_)));
    let functions = callees.iter().map(|&callee| &module.funcs[callee]).chain([&regions.func]);
    let tables = table_lookup::tables(module, functions);
    let callees: Vec<RegionPart> = callees
        .iter()
        .map(|&callee| (calls::convert(&module.funcs[callee], &plan.position, &mut locals), Tracked::new()))
        .collect();
    let is_group_agnostic = !has_barriers && !observes_group;
    if is_group_agnostic && range.local_size.is_some() {
        // Merged groups have other sizes, so the size must not be assumed.
        let range = RangeFacts { local_size: None, ..range };
        return form(module, func, params, range, has_barriers, has_sub_groups, forced);
    }
    let local_size = locals.size.next_multiple_of(AREA_ALIGN);
    Ok(RegionFunctions {
        regions,
        plan,
        bodies,
        callees,
        tables,
        local_size,
        is_group_agnostic,
        limits,
        backend,
        debugging,
        next_tier: None,
    })
}

impl RegionFunctions {
    /// Checks whether lanes of work-items would be idle: the launch has next to none, or each group has and groups are not
    /// merged.
    pub fn has_few_items(&self, range: RangeFacts) -> bool {
        range.has_few_items || !self.is_group_agnostic && range.has_small_groups()
    }

    /// Lets a group have up to [`MAX_STATELESS_GROUP_SIZE`] work-items: that many are merged if the kernel has implicit
    /// barriers.
    pub fn allow_large_groups(&mut self) {
        for body in self.bodies.iter_mut().filter(|_| self.is_group_agnostic) {
            for facts in &mut body.func.param_facts[1..NUM_FIXED_PARAMS] {
                facts.max = Some(MAX_STATELESS_GROUP_SIZE - 1);
            }
        }
    }

    /// Returns the bodies of regions and the functions that are not inlined.
    pub fn functions_mut(&mut self) -> impl Iterator<Item = &mut Function> {
        self.bodies
            .iter_mut()
            .map(|body| &mut body.func)
            .chain(self.callees.iter_mut().map(|part| &mut part.0))
    }

    /// Makes all bodies identify work-items by linear ids: `work_item_loop` runs a group as a single row.
    pub fn linearize_ids(&mut self) {
        self.bodies.iter_mut().for_each(|body| linear_ids::linearize_ids(body, self.plan.range));
    }

    /// Vectorizes the bodies for which `choose` decides so, and the functions they call. If `tries_linear_ids` is
    /// set,
    /// bodies with short rows are also tried with linear ids, and the faster version is kept.
    ///
    /// # Errors
    /// Returns the errors of `choose`.
    pub fn widen<E>(
        &mut self,
        tries_linear_ids: bool,
        mut plan_vectorization: impl FnMut(Candidate<'_>, &mut Callees) -> Result<VectorPlan, E>,
    ) -> Result<(), E> {
        let of_one = std::mem::take(&mut self.callees).into_iter().map(|(func, _)| func).collect();
        let (backend, debugging) = (self.backend, self.debugging);
        let mut callees = Callees::new(of_one, std::mem::take(&mut self.tables), debugging);
        let plan = &self.plan;
        for (number, body) in self.bodies.iter_mut().enumerate() {
            let has_inactive_lanes = plan.status.activity(number).is_some();
            // The end of a row of merged groups is a small part of it unless rows are short.
            let needs_masked_body =
                has_inactive_lanes || !self.is_group_agnostic || plan.range.needs_masked_row_ends;
            let mut wide = |body: &RegionBody| {
                let size = plan.range.local_size;
                let has_linear_ids = body.extents.is_some();
                let candidate = Candidate {
                    body: &body.func,
                    needs_masked_body,
                    has_inactive_lanes,
                    has_linear_ids,
                    row_length: size.map(|size| if has_linear_ids { size.iter().product() } else { size[0] }),
                    segment_lanes: size.filter(|_| has_linear_ids).and_then(row_in_vector),
                    backend,
                    private_size: plan.area,
                    record: body.record(),
                    loop_varying_params: body.varying_params(),
                    rows: size.map(|size| size[1]),
                    row_steps: body.row_steps(),
                    tier: plan.range.tier,
                    debugging,
                };
                let VectorPlan { wide, next_tier } = plan_vectorization(candidate, &mut callees)?;
                self.next_tier = self.next_tier.into_iter().chain(next_tier).min();
                Ok(wide)
            };
            body.wide = wide(body)?;
            let Some(mut linear_ids) =
                tries_linear_ids.then(|| linearized_if_short(body, plan.range, debugging)).flatten()
            else {
                continue;
            };
            linear_ids.wide = wide(&linear_ids)?;
            if is_faster(linear_ids.wide.as_ref(), body.wide.as_ref()) {
                *body = linear_ids;
            }
        }
        self.callees = callees.into_parts();
        Ok(())
    }

    /// Emits the work-item loops around the bodies and the driver around the loops. Also returns the limits
    /// for splitting the result.
    pub fn assemble(self, params: &[Param]) -> (GroupCode, SplitAt) {
        let size = self.bodies.iter().map(|body| split::size_of(&body.func)).sum::<usize>();
        let is_one =
            self.bodies.len() == 1 || size <= MAX_SINGLE_FUNCTION_SIZE && self.debugging.chunk.is_none();
        let Assembled { group, regions, area, has_slots_on_stack } = if is_one {
            driver::single_function(&self.regions, &self.plan, params, &self.bodies)
        } else {
            driver::separate_functions(
                &self.regions,
                &self.plan,
                params,
                &self.bodies,
                1 + self.callees.len(),
            )
        };
        // Callees directly follow the group function, because their positions are already used in calls.
        let behind = self.callees.len();
        let (functions, tracked) = std::iter::once(group).chain(self.callees).chain(regions).unzip();
        let mut code = GroupCode {
            functions,
            local_size: self.local_size,
            private_size: area,
            context_size: self.plan.arrays.size,
            frame_size: 0,
            has_slots_on_stack,
            is_group_agnostic: self.is_group_agnostic,
            strided_access: None,
            tracked,
            lanes: driver::max_lanes(&self.bodies),
            rows: driver::max_rows(&self.bodies),
            next_tier: self.next_tier,
            private_updates: Vec::new(),
        };
        let callees = dead_functions::remove_unreachable(&mut code, behind);
        (code, SplitAt { limits: self.limits, callees, backend: self.backend, chunk: self.debugging.chunk })
    }
}

/// Returns the length of a row if a vector can contain whole rows of it.
fn row_in_vector([row, _, _]: [u32; 3]) -> Option<u16> {
    u16::try_from(row).ok().filter(|row| row.is_power_of_two() && *row > 1)
}

/// Returns the body with linear ids if its rows are short and there are several.
fn linearized_if_short(body: &RegionBody, range: RangeFacts, debugging: Debugging) -> Option<RegionBody> {
    let [row, y, z] = range.local_size.filter(|_| body.extents.is_none())?;
    let lanes = body.wide.as_ref().map_or(vectorize::MAX_LANES, |wide| wide.lanes).into();
    // Computing ids from the linear id is cheap only if rows are a power of two long.
    if y * z == 1 || row > lanes || !row.is_power_of_two() {
        return None;
    }
    let mut linear_ids = RegionBody { wide: None, ..body.clone() };
    linear_ids::linearize_ids(&mut linear_ids, range);
    PassContext::standalone(debugging).run(&[SIMPLIFY], &mut linear_ids.func);
    Some(linear_ids)
}

/// Checks whether a vectorized body needs at most 90 % of another one's time per work-item. The margin makes
/// up for the other one's simpler addresses.
fn is_faster(one: Option<&Wide>, other: Option<&Wide>) -> bool {
    let (Some(one), Some(other)) = (one, other) else { return one.is_some() };
    let [a, b] = [(one, other), (other, one)].map(|(wide, by)| wide.cost.saturating_mul(by.lanes.into()));
    // The margin is arbitrary.
    a.saturating_mul(10) < b.saturating_mul(9)
}

/// Limits for splitting the functions of a kernel.
#[derive(Clone, Copy, Debug)]
pub struct SplitAt {
    limits: split::Limits,
    callees: usize,
    backend: Backend,
    chunk: Option<usize>,
}

/// Splits functions that are too large; calls `after` with each part.
pub fn split(code: &mut GroupCode, at: SplitAt, after: &dyn Fn(&Function)) {
    let before = code.functions.len();
    let has_region_functions = before > 1 + at.callees;
    for position in 0..before {
        // The driver of separate region functions is split like a callee, because the regions that it calls
        // use the memory past the context arrays.
        let is_callee = (1..=at.callees).contains(&position) || position == 0 && has_region_functions;
        let limits = if is_callee {
            split::Limits::of(&code.functions[position], at.backend, at.chunk)
        } else {
            at.limits
        };
        if !limits.are_exceeded(&code.functions[position]) {
            continue;
        }
        if is_callee {
            split_callee(code, position, limits);
        } else {
            split_group(code, position, limits);
        }
        after(&code.functions[position]);
    }
    code.functions[before..].iter().for_each(after);
}

/// Splits a function whose parameter is the group's context. Its frame lies past the context arrays.
fn split_group(code: &mut GroupCode, at: usize, limits: split::Limits) {
    let func = std::mem::replace(&mut code.functions[at], Function::new("", Type::VOID));
    let context = func.params()[0];
    let (private_size, size) = (code.private_size, code.context_size);
    let frame_memory = |b: &mut Builder<'_>, _: u64| {
        let sizes = [0, 1, 2].map(|dim| calls::uniform(b, context, Query::LocalSize, dim));
        let plane = b.same(Op::Imul, &[sizes[0], sizes[1]]);
        let items = b.same(Op::Imul, &[plane, sizes[2]]);
        let area = calls::load(b, Type::PRIVATE, context, offset::PRIVATE);
        let arrays = b.ptr_offset(area, private_size);
        context_arrays::end(b, size, arrays, items)
    };
    let cut = split::run(func, code.functions.len(), limits, &frame_memory);
    // Region functions do not call each other, so they share the frame.
    code.frame_size = code.frame_size.max(cut.frame.next_multiple_of(AREA_ALIGN));
    code.tracked[at].clear();
    insert_chunks(code, at, cut);
}

/// Splits a function that is not inlined, or the driver, unless its frame is too large for the stack.
fn split_callee(code: &mut GroupCode, at: usize, limits: split::Limits) {
    // Arbitrary.
    const MAX_FRAME_BYTES: u64 = 64 << 10;
    let func = code.functions[at].clone();
    let cut = split::run(func, code.functions.len(), limits, &|b, size| b.alloca(size, 16));
    if cut.frame <= MAX_FRAME_BYTES {
        insert_chunks(code, at, cut);
    }
}

fn insert_chunks(code: &mut GroupCode, at: usize, cut: split::SplitFunctions) {
    let mut functions = cut.functions.into_iter();
    code.functions[at] = functions.next().expect("the driver");
    code.functions.extend(functions);
    // Ids in memory are valid in the parts, too.
    let noted = code.tracked[at].iter().filter(|ids| matches!(ids.first, FirstItem::InMemory { .. }));
    let noted = noted.copied().collect();
    code.tracked.resize(code.functions.len(), noted);
}

/// Checks whether an instruction runs runtime code that accesses the program's pointers, or ends the launch.
/// In both cases the ids are not in registers when a fault is reported.
fn calls_runtime(inst: &Inst) -> bool {
    matches!(inst.op, Op::MemCopy | Op::MemZero | Op::Trap)
        || matches!(
            inst.attr,
            Attr::Helper(Helper::Enqueue | Helper::Printf | Helper::MemCopy | Helper::MemZero)
        )
}
