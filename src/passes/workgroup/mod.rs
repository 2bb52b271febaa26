//! Work-group formation: turns a kernel into a function of one
//! [`GroupContext`](crate::ir::abi::GroupContext) that runs a whole work-group.
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
mod soa;
mod storage_plan;
mod uniform_regions;
mod uniformity;
mod work_item_loop;

pub use context_arrays::ContextSize;
pub use linear_ids::{Extent, ids};

use super::pass_manager::{Debugging, PassContext};
use super::vectorize::{self, Callees};
use super::{Forced, SIMPLIFY, split};
use crate::ir::abi::{AREA_ALIGN, GridStride, Iterations, Param, RangeFacts, offset};
use crate::ir::{Attr, Builder, Function, Helper, Inst, Module, Op, Query, Type, Value};
use crate::support::target::Backend;
use body::RegionBody;
pub use body::optional;
use driver::{Assembled, RegionPart};
use regions::Formed;
use storage_plan::{LocalLayout, StoragePlan};

/// Machine-independent code of a kernel for one work-group.
#[derive(Clone, Debug)]
pub struct GroupCode {
    /// The group function first, then functions that it calls; calls refer to positions in this list.
    pub functions: Vec<Function>,
    /// Size of the `local` variables in bytes.
    pub local_size: u64,
    /// Size of the private memory outside the stack in bytes. Each worker has its own.
    pub private_size: u64,
    /// Size of the context arrays.
    pub context: ContextSize,
    /// Size in bytes of the memory past the context arrays, which holds the values that cross between the
    /// chunks of a split function.
    pub frame_size: u64,
    /// True if the group function keeps uniform values in stack slots that passes may promote to registers.
    pub has_slots_on_stack: bool,
    /// True if groups may be coalesced or split over several threads: the kernel does not observe its groups
    /// by queries, local ids or scopes of atomic operations.
    pub is_group_agnostic: bool,
    /// Facts about loops in which consecutive work-items access consecutive memory, with a stride of the
    /// whole range from iteration to iteration; such kernels gain from large groups.
    pub steps: Option<Steps>,
    /// Values, by function, that hold the local ids of the running work-item, for reports of faults.
    /// Empty where the ids are in memory.
    pub tracked: Vec<Tracked>,
    /// Maximum number of work-items in a vector.
    pub lanes: u16,
    /// True if a body stays scalar only because it is large: `RangeFacts::is_tiered_up` may change that.
    pub has_optimized_tier: bool,
}

/// A kernel whose work-items go through memory with a stride of the whole range.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Steps {
    /// True if the kernel does little else than access memory.
    pub streams: bool,
    /// The kernel's only loop, if its iterations could be separate work-items.
    pub grid_stride: Option<GridStride>,
    /// Iterations of that loop, and the bytes that each writes by stores that could be non-temporal, if it
    /// has such stores.
    pub nontemporal: Option<(Iterations, u64)>,
}

/// Local ids of the running work-item, one entry for each loop over work-items.
pub type Tracked = Vec<ItemIds>;

/// Values that identify the work-items that run.
#[derive(Clone, Copy, Debug)]
pub struct ItemIds {
    /// First work-item of the vector.
    pub first: First,
    /// Number of work-items in the vector.
    pub lanes: u16,
    /// True if no work-item of the group is skipped.
    pub are_all: bool,
}

impl ItemIds {
    /// Returns the values that count work-items.
    pub fn counters(&self) -> impl Iterator<Item = Value> {
        let ids = match self.first {
            First::Ids(ids) => ids.map(Some),
            First::Number(number) => [Some(number), None, None],
            First::Noted { .. } => [None; 3],
        };
        ids.into_iter().flatten()
    }
}

/// Values that identify the first work-item of a vector.
#[derive(Clone, Copy, Debug)]
pub enum First {
    /// Its local ids.
    Ids([Value; 3]),
    /// Its linear local id, x fastest. The vector may contain work-items of several rows.
    Number(Value),
    /// Not in registers: the item record in memory identifies the vector whose call is running. If
    /// `is_number` is set, it holds a linear id, and the vector may contain work-items of several rows.
    Noted { is_number: bool },
}

/// A vectorized body.
#[derive(Clone, Debug)]
pub struct Wide {
    pub lanes: u16,
    /// Estimated time of one iteration of the work-item loop; code that is hoisted out of it is not counted.
    pub time: u64,
    /// Body for full vectors.
    pub all: Function,
    /// Masked body, whose last parameter is the mask of active lanes.
    pub some: Option<Function>,
}

/// Decision of the vectorizer about a body.
pub enum Choice {
    /// The body stays scalar.
    One,
    /// The body stays scalar because of its size until the kernel has tiered up (`RangeFacts::is_tiered_up`).
    Later,
    Wide(Box<Wide>),
}

impl Choice {
    fn wide(self) -> Option<Wide> {
        if let Choice::Wide(wide) = self { Some(*wide) } else { None }
    }
}

/// A body that may be vectorized.
pub struct Candidate<'b> {
    pub body: &'b Function,
    /// True if a masked body is needed, too.
    pub may_lack: bool,
    /// True if work-items in the middle of a row may be inactive.
    pub has_gaps: bool,
    /// True if the body identifies work-items by a linear id, so that a vector may contain several rows.
    pub is_folded: bool,
    /// Number of work-items in a row, or in the group if they are identified by a linear id; none if unknown.
    pub row: Option<u32>,
    /// Length of a row of the group if rows are linearized and the length is a power of two.
    pub piece: Option<u16>,
    /// Backend that will compile it.
    pub backend: Backend,
    /// Size in bytes of one work-item's private objects outside the stack.
    pub private_size: u64,
    /// Item record that the body writes, if it does.
    pub record: Option<Record>,
    /// Positions of the parameters that differ between consecutive work-items of a row, and of those that
    /// differ between rows.
    pub turning: [Vec<usize>; 2],
    /// True if the kernel has tiered up (`RangeFacts::is_tiered_up`), which allows a longer compile time.
    pub is_tiered_up: bool,
    pub debugging: Debugging,
}

/// Item record of a body, by which callees find the running work-item (`ir::abi::item`).
#[derive(Clone, Copy, Debug)]
pub struct Record {
    /// Address of the record.
    pub at: Value,
    /// Parameter that counts work-items: the local id in the first dimension, or the linear id in a group of
    /// this size.
    pub first: Value,
    pub extents: Option<[Extent; 3]>,
}

/// A kernel whose regions have become functions.
pub struct Forming {
    formed: Formed,
    plan: StoragePlan,
    bodies: Vec<RegionBody>,
    /// Functions that are not inlined.
    callees: Vec<RegionPart>,
    local_size: u64,
    is_group_agnostic: bool,
    limits: split::Limits,
    /// Backend that will compile it.
    backend: Backend,
    debugging: Debugging,
    /// See [`GroupCode::has_optimized_tier`].
    has_optimized_tier: bool,
}

/// Maximum size of a kernel, in units of `split`, that becomes one function; a larger one has a function for
/// each region.
// Arbitrary.
const MAX_SINGLE_FUNCTION_SIZE: usize = 4_000;

/// Creates functions of the regions of `func`, a kernel that calls functions of the module. `params` are the
/// locations of its parameters in the argument block, `range` the assumptions about the range, `forced` the
/// decisions that are not left to the compiler. `waits` is true if the program contains barriers,
/// `of_sub_groups` if the kernel uses sub-groups.
///
/// # Errors
/// Fails if a called function has no body or contains a barrier and calls itself.
pub fn form(
    module: &Module,
    func: &Function,
    params: &[Param],
    range: RangeFacts,
    waits: bool,
    of_sub_groups: bool,
    forced: Forced,
) -> Result<Forming, String> {
    let (backend, debugging) = (forced.backend(), forced.debugging);
    let formed = regions::form(func, of_sub_groups, debugging.chunk.is_some());
    let mut limits = split::Limits::of(&formed.func, backend, debugging.chunk);
    if formed.has_divergent_regions {
        limits = limits.at_most(split::Limits::REGIONS);
    }
    let callees = calls::reachable(module, func)?;
    let position = calls::positions(&callees, module.funcs.len());
    let is_split = formed.sizes().into_iter().any(|size| size > limits.function);
    let stores_item_ids = is_split || !callees.is_empty() || formed.func.instructions().any(calls_runtime);
    let plan = StoragePlan::new(&formed, position, range);
    let mut locals = LocalLayout::new(module);
    let bodies: Vec<RegionBody> = (0..formed.regions.len())
        .map(|number| body::write(&formed, &plan, &mut locals, number, stores_item_ids))
        .collect();
    let observes_group = bodies.iter().any(|body| body.asks_for_group)
        || callees.iter().any(|&callee| calls::observes_group(&module.funcs[callee]))
        || calls::has_group_scope(&formed.func)
        || params.iter().any(|param| matches!(param, Param::Local(_)));
    let callees: Vec<RegionPart> = callees
        .iter()
        .map(|&callee| (calls::convert(&module.funcs[callee], &plan.position, &mut locals), Tracked::new()))
        .collect();
    let is_group_agnostic = !waits && !observes_group;
    if is_group_agnostic && range.local_size.is_some() {
        // Coalesced groups have other sizes, so the size must not be assumed.
        let range = RangeFacts { local_size: None, ..range };
        return form(module, func, params, range, waits, of_sub_groups, forced);
    }
    let local_size = locals.size.next_multiple_of(AREA_ALIGN);
    Ok(Forming {
        formed,
        plan,
        bodies,
        callees,
        local_size,
        is_group_agnostic,
        limits,
        backend,
        debugging,
        has_optimized_tier: false,
    })
}

impl Forming {
    /// Returns the bodies of regions and the functions that are not inlined.
    pub fn functions_mut(&mut self) -> impl Iterator<Item = &mut Function> {
        self.bodies
            .iter_mut()
            .map(|body| &mut body.func)
            .chain(self.callees.iter_mut().map(|part| &mut part.0))
    }

    /// Linearizes the work-items of all bodies: `work_item_loop` runs a group as a single row.
    pub fn fold(&mut self) {
        self.bodies.iter_mut().for_each(|body| linear_ids::fold(body, self.plan.range));
    }

    /// Vectorizes the bodies for which `choose` decides so, and the functions they call. If `folds` is set,
    /// bodies with short rows are also tried with linear ids, and the faster version is kept.
    ///
    /// # Errors
    /// Returns the errors of `choose`.
    pub fn widen<E>(
        &mut self,
        folds: bool,
        mut choose: impl FnMut(Candidate<'_>, &mut Callees) -> Result<Choice, E>,
    ) -> Result<(), E> {
        let of_one = std::mem::take(&mut self.callees).into_iter().map(|(func, _)| func).collect();
        let (backend, debugging) = (self.backend, self.debugging);
        let mut callees = Callees::new(of_one, debugging);
        let plan = &self.plan;
        for (number, body) in self.bodies.iter_mut().enumerate() {
            let has_gaps = plan.status.activity(number).is_some();
            // The end of a row of coalesced groups is a small part of it unless rows are short.
            let may_lack = has_gaps || !self.is_group_agnostic || plan.range.has_row_ends;
            let mut wide = |body: &RegionBody| {
                let size = plan.range.local_size;
                let is_folded = body.extents.is_some();
                let candidate = Candidate {
                    body: &body.func,
                    may_lack,
                    has_gaps,
                    is_folded,
                    row: size.map(|size| if is_folded { size.iter().product() } else { size[0] }),
                    piece: size.filter(|_| is_folded).and_then(row_in_vector),
                    backend,
                    private_size: plan.area,
                    record: body.record(),
                    turning: body.varying_params(),
                    is_tiered_up: plan.range.is_tiered_up,
                    debugging,
                };
                choose(candidate, &mut callees)
            };
            let choice = wide(body)?;
            self.has_optimized_tier |= matches!(choice, Choice::Later);
            body.wide = choice.wide();
            let Some(mut linear_ids) =
                folds.then(|| linearized_if_short(body, plan.range, debugging)).flatten()
            else {
                continue;
            };
            linear_ids.wide = wide(&linear_ids)?.wide();
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
            driver::single_function(&self.formed, &self.plan, params, &self.bodies)
        } else {
            driver::separate_functions(&self.formed, &self.plan, params, &self.bodies, 1 + self.callees.len())
        };
        // Callees directly follow the group function, because their positions are already used in calls.
        let behind = self.callees.len();
        let (functions, tracked) = std::iter::once(group).chain(self.callees).chain(regions).unzip();
        let mut code = GroupCode {
            functions,
            local_size: self.local_size,
            private_size: area,
            context: self.plan.arrays.size,
            frame_size: 0,
            has_slots_on_stack,
            is_group_agnostic: self.is_group_agnostic,
            steps: None,
            tracked,
            lanes: driver::max_lanes(&self.bodies),
            has_optimized_tier: self.has_optimized_tier,
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
    let lanes = body.wide.as_ref().map_or(vectorize::MOST_LANES, |wide| wide.lanes).into();
    // Computing ids from the linear id is cheap only if rows are a power of two long.
    if y * z == 1 || row > lanes || !row.is_power_of_two() {
        return None;
    }
    let mut linear_ids = RegionBody { wide: None, ..body.clone() };
    linear_ids::fold(&mut linear_ids, range);
    PassContext::standalone(debugging).run(&[SIMPLIFY], &mut linear_ids.func);
    Some(linear_ids)
}

/// Checks whether a vectorized body needs at most 90 % of another one's time per work-item. The margin makes
/// up for the other one's simpler addresses.
fn is_faster(one: Option<&Wide>, other: Option<&Wide>) -> bool {
    let (Some(one), Some(other)) = (one, other) else { return one.is_some() };
    let [a, b] = [(one, other), (other, one)].map(|(wide, by)| wide.time.saturating_mul(by.lanes.into()));
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
    for place in 0..before {
        // The driver of separate region functions is split like a callee, because the regions that it calls
        // use the memory past the context arrays.
        let is_callee = (1..=at.callees).contains(&place) || place == 0 && has_region_functions;
        let limits = if is_callee {
            split::Limits::of(&code.functions[place], at.backend, at.chunk)
        } else {
            at.limits
        };
        if !limits.are_passed(&code.functions[place]) {
            continue;
        }
        if is_callee {
            split_callee(code, place, limits);
        } else {
            split_group(code, place, limits);
        }
        after(&code.functions[place]);
    }
    code.functions[before..].iter().for_each(after);
}

/// Splits a function whose parameter is the group's context. Its frame lies past the context arrays.
fn split_group(code: &mut GroupCode, at: usize, limits: split::Limits) {
    let func = std::mem::replace(&mut code.functions[at], Function::new("", Type::VOID));
    let context = func.params()[0];
    let (private_size, size) = (code.private_size, code.context);
    let room = |b: &mut Builder<'_>, _: u64| {
        let sizes = [0, 1, 2].map(|dim| calls::uniform(b, context, Query::LocalSize, dim));
        let plane = b.same(Op::Imul, &[sizes[0], sizes[1]]);
        let items = b.same(Op::Imul, &[plane, sizes[2]]);
        let area = calls::load(b, Type::PRIVATE, context, offset::PRIVATE);
        let arrays = b.ptr_offset(area, private_size);
        context_arrays::end(b, size, arrays, items)
    };
    let cut = split::run(func, code.functions.len(), limits, &room);
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

fn insert_chunks(code: &mut GroupCode, at: usize, cut: split::Cut) {
    let mut functions = cut.functions.into_iter();
    code.functions[at] = functions.next().expect("the driver");
    code.functions.extend(functions);
    // Ids in memory are valid in the parts, too.
    let noted = code.tracked[at].iter().filter(|ids| matches!(ids.first, First::Noted { .. }));
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
