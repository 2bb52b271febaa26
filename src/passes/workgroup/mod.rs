//! Kernel → group code: a function of one [`GroupContext`](crate::ir::abi::GroupContext) that runs a whole work-group.
//!
//! ```text
//! lockstep  loops in steps of the whole range get barriers of their own
//! regions   what a work-item can run from one barrier to the next, and what lives across barriers
//! plan      where that lives, and everything else that is not a value of one region
//! body      a region → Function(context, x, y, z, index, roots...) → number of the region that follows
//! fold      where items are to be counted by one number, bodies compute their ids from it
//! rows      the loop over the items of the group around a body
//! driver    what the group does between regions, and which follows which
//! ```
//!
//! The kernel is cut at barriers (continuation-based synchronisation: Meyer et al., IWOCL 2023). A region ends by naming
//! the one that follows; since a barrier is reached by all items or none, the last item's answer is everyone's. Correct
//! for barriers in loops, branches and inlined functions by construction. Between `body` and `rows` the passes see
//! functions that know nothing of loops over items.
//!
//! Values that live across a barrier are recomputed when that is cheap. Those that are the same for all items have a
//! place in the group's memory, the others an element for each item in context arrays.

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

/// Machine-independent form of a kernel.
#[derive(Clone, Debug)]
pub struct GroupCode {
    /// The group function first, then functions that it calls, called by position.
    pub functions: Vec<Function>,
    /// Bytes of `local` variables.
    pub local_size: u64,
    /// Bytes of private memory outside the stack, once for each worker.
    pub private_size: u64,
    /// Room that the context arrays take.
    pub context: ContextSize,
    /// Bytes behind the context arrays, for what crosses between the chunks of a function that was split.
    pub frame_size: u64,
    /// The group function holds private memory for values of the group, which passes can make registers of.
    pub has_slots_on_stack: bool,
    /// Groups can be coalesced, or run on several threads: nothing asks for groups or local ids, or means one's own group.
    pub is_group_agnostic: bool,
    /// Its groups go through memory side by side, in steps of the whole range: large ones are better.
    pub steps: Option<Steps>,
    /// For each function the values that are the local ids of the item that runs: what a report of a fault wants to
    /// know. None where they are kept in memory.
    pub tracked: Vec<Tracked>,
    /// Items that run side by side at most.
    pub lanes: u16,
    /// A body is for one item because it is large: `RangeFacts::is_tiered_up` may change that.
    pub has_optimized_tier: bool,
}

/// A kernel whose items go through memory in steps of the whole range.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Steps {
    /// They do little else.
    pub streams: bool,
    /// What the kernel's one loop is, if its turns could be items.
    pub grid_stride: Option<GridStride>,
    /// What that loop writes by stores that could go past the caches, if anything: its turns, and the bytes of each.
    pub nontemporal: Option<(Iterations, u64)>,
}

/// Local ids, for each loop that runs items.
pub type Tracked = Vec<ItemIds>;

/// Which items run.
#[derive(Clone, Copy, Debug)]
pub struct ItemIds {
    /// The first.
    pub first: First,
    /// How many run side by side.
    pub lanes: u16,
    /// None of the group is left out.
    pub are_all: bool,
}

impl ItemIds {
    /// The values that count them.
    pub fn counters(&self) -> impl Iterator<Item = Value> {
        let ids = match self.first {
            First::Ids(ids) => ids.map(Some),
            First::Number(number) => [Some(number), None, None],
            First::Noted { .. } => [None; 3],
        };
        ids.into_iter().flatten()
    }
}

/// Values that say which item runs.
#[derive(Clone, Copy, Debug)]
pub enum First {
    /// Its local ids.
    Ids([Value; 3]),
    /// Its number in the group, x fastest: items that run side by side may be of several rows.
    Number(Value),
    /// It is in memory which one was noted last, of those that are called side by side. With `is_number` they may be of several
    /// rows.
    Noted { is_number: bool },
}

/// A body for several items side by side.
#[derive(Clone, Debug)]
pub struct Wide {
    pub lanes: u16,
    /// What all of them take, about, in each turn of the loop over rows: not counted is what goes before that.
    pub time: u64,
    /// All of them run.
    pub all: Function,
    /// A last parameter says which ones run.
    pub some: Option<Function>,
}

/// How a body is to be.
pub enum Choice {
    /// As it is.
    One,
    /// As it is, until launches have taken long (`RangeFacts::is_tiered_up`): the code is large.
    Later,
    Wide(Box<Wide>),
}

impl Choice {
    fn wide(self) -> Option<Wide> {
        if let Choice::Wide(wide) = self { Some(*wide) } else { None }
    }
}

/// A body that may become wide.
pub struct Candidate<'b> {
    pub body: &'b Function,
    /// A form for some of so many items is worth having, too.
    pub may_lack: bool,
    /// Items may take no part though they are in the middle of a row.
    pub has_gaps: bool,
    /// Items are counted by one number: those of several rows may run side by side.
    pub is_folded: bool,
    /// The number of items in a row, or that of all if they are counted by one number; none if it is not known.
    pub row: Option<u32>,
    /// Items of a row of the group, where several rows are one: a power of two.
    pub piece: Option<u16>,
    /// Who makes code of it.
    pub backend: Backend,
    /// Bytes of private objects that are not on the stack, of one item.
    pub private_size: u64,
    /// Where it notes which item runs, if it does.
    pub record: Option<Record>,
    /// The places of parameters that are something else in the next items of a row, and in the next row.
    pub turning: [Vec<usize>; 2],
    /// It is worth much time (`RangeFacts::is_tiered_up`).
    pub is_tiered_up: bool,
    pub debugging: Debugging,
}

/// Where a body notes which item runs, for who is called and asks (`ir::abi::item`).
#[derive(Clone, Copy, Debug)]
pub struct Record {
    /// Its address.
    pub at: Value,
    /// The parameter that counts items: the local id in the first dimension, or the number in a group of this size.
    pub first: Value,
    pub extents: Option<[Extent; 3]>,
}

/// A kernel whose regions are functions.
pub struct Forming {
    formed: Formed,
    plan: StoragePlan,
    bodies: Vec<RegionBody>,
    /// Functions that stay calls.
    callees: Vec<RegionPart>,
    local_size: u64,
    is_group_agnostic: bool,
    limits: split::Limits,
    /// Who makes code of it.
    backend: Backend,
    debugging: Debugging,
    /// See [`GroupCode::has_optimized_tier`].
    has_optimized_tier: bool,
}

/// Kernels of more than this, by `split`'s measure, become a function for each region.
const TOGETHER: usize = 4_000;

/// Makes functions of the regions of `func`, a kernel that calls functions of the module and whose parameters lie in the
/// argument block as `params` says; `range` is what it may take for granted, `forced` what is not to be chosen. `waits`: the
/// program holds barriers; `of_sub_groups`: its items belong to sub-groups.
///
/// # Errors
/// If a function is called that has no body, or calls itself.
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
    if formed.apart {
        limits = limits.at_most(split::Limits::REGIONS);
    }
    let callees = calls::reachable(module, func)?;
    let position = calls::positions(&callees, module.funcs.len());
    let is_split = formed.sizes().into_iter().any(|size| size > limits.function);
    let notes_item = is_split || !callees.is_empty() || formed.func.instructions().any(leaves_code);
    let plan = StoragePlan::new(&formed, position, range);
    let mut locals = LocalLayout::new(module);
    let bodies: Vec<RegionBody> = (0..formed.regions.len())
        .map(|number| body::write(&formed, &plan, &mut locals, number, notes_item))
        .collect();
    let asks = bodies.iter().any(|body| body.asks_for_group)
        || callees.iter().any(|&callee| calls::asks(&module.funcs[callee]))
        || calls::means_group(&formed.func)
        || params.iter().any(|param| matches!(param, Param::Local(_)));
    let callees: Vec<RegionPart> = callees
        .iter()
        .map(|&callee| (calls::convert(&module.funcs[callee], &plan.position, &mut locals), Tracked::new()))
        .collect();
    let is_group_agnostic = !waits && !asks;
    if is_group_agnostic && range.local_size.is_some() {
        // It runs in groups of other sizes.
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
    /// Bodies of regions, and functions that stay calls.
    pub fn functions_mut(&mut self) -> impl Iterator<Item = &mut Function> {
        self.bodies
            .iter_mut()
            .map(|body| &mut body.func)
            .chain(self.callees.iter_mut().map(|part| &mut part.0))
    }

    /// Has all items of a group counted by one number: `rows` runs one row of all of them.
    pub fn fold(&mut self) {
        self.bodies.iter_mut().for_each(|body| linear_ids::fold(body, self.plan.range));
    }

    /// Makes bodies for several items side by side where `choose` has them, and what they call so. `folds`: those of several
    /// rows, too, if that is faster.
    ///
    /// # Errors
    /// Those of `choose`.
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
            let has_gaps = plan.waiting.notes(number).is_some();
            // The end of a row of coalesced groups is a small part of it, if rows are not short.
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
                    piece: size.filter(|_| is_folded).and_then(piece_of),
                    backend,
                    private_size: plan.area,
                    record: body.record(),
                    turning: body.turning(),
                    is_tiered_up: plan.range.is_tiered_up,
                    debugging,
                };
                choose(candidate, &mut callees)
            };
            let choice = wide(body)?;
            self.has_optimized_tier |= matches!(choice, Choice::Later);
            body.wide = choice.wide();
            let Some(mut linear_ids) = folds.then(|| may_fold(body, plan.range, debugging)).flatten() else {
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

    /// Puts rows around the bodies, and a driver around the rows; says when to split what that makes.
    pub fn assemble(self, params: &[Param]) -> (GroupCode, SplitAt) {
        let size = self.bodies.iter().map(|body| split::size_of(&body.func)).sum::<usize>();
        let is_one = self.bodies.len() == 1 || size <= TOGETHER && self.debugging.chunk.is_none();
        let Assembled { group, regions, area, has_slots_on_stack } = if is_one {
            driver::together(&self.formed, &self.plan, params, &self.bodies)
        } else {
            driver::apart(&self.formed, &self.plan, params, &self.bodies, 1 + self.callees.len())
        };
        // Callees come behind the group function: their positions were known before anything else.
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
            lanes: driver::most_lanes(&self.bodies),
            has_optimized_tier: self.has_optimized_tier,
        };
        let callees = dead_functions::drop_others(&mut code, behind);
        (code, SplitAt { limits: self.limits, callees, backend: self.backend, chunk: self.debugging.chunk })
    }
}

/// The items of a row that may be a part of several that run side by side.
fn piece_of([row, _, _]: [u32; 3]) -> Option<u16> {
    u16::try_from(row).ok().filter(|row| row.is_power_of_two() && *row > 1)
}

/// A body, folded, if its rows are short and there are several.
fn may_fold(body: &RegionBody, range: RangeFacts, debugging: Debugging) -> Option<RegionBody> {
    let [row, y, z] = range.local_size.filter(|_| body.extents.is_none())?;
    let lanes = body.wide.as_ref().map_or(vectorize::MOST_LANES, |wide| wide.lanes).into();
    // What is computed from numbers of items is little where rows are a power of two.
    if y * z == 1 || row > lanes || !row.is_power_of_two() {
        return None;
    }
    let mut linear_ids = RegionBody { wide: None, ..body.clone() };
    linear_ids::fold(&mut linear_ids, range);
    PassContext::alone(debugging).run(&[SIMPLIFY], &mut linear_ids.func);
    Some(linear_ids)
}

/// Whether a wide body takes less for each item than another: so much that the other's simpler addresses do not make up for it.
fn is_faster(one: Option<&Wide>, other: Option<&Wide>) -> bool {
    let (Some(one), Some(other)) = (one, other) else { return one.is_some() };
    let [a, b] = [(one, other), (other, one)].map(|(wide, by)| wide.time.saturating_mul(by.lanes.into()));
    a.saturating_mul(10) < b.saturating_mul(9)
}

/// When to split the functions of a group's code.
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
    let is_apart = before > 1 + at.callees;
    for place in 0..before {
        // The driver of regions that are functions calls what uses the room behind the context arrays.
        let is_callee = (1..=at.callees).contains(&place) || place == 0 && is_apart;
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

/// Splits a function that gets the group's context. The frame lies behind the context arrays.
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
    // Functions of regions do not call each other: they share the room.
    code.frame_size = code.frame_size.max(cut.frame.next_multiple_of(AREA_ALIGN));
    code.tracked[at].clear();
    put(code, at, cut);
}

/// Splits a function that stayed a call, or the driver, if its frame is one for the stack.
fn split_callee(code: &mut GroupCode, at: usize, limits: split::Limits) {
    const MOST: u64 = 64 << 10;
    let func = code.functions[at].clone();
    let cut = split::run(func, code.functions.len(), limits, &|b, size| b.alloca(size, 16));
    if cut.frame <= MOST {
        put(code, at, cut);
    }
}

fn put(code: &mut GroupCode, at: usize, cut: split::Cut) {
    let mut functions = cut.functions.into_iter();
    code.functions[at] = functions.next().expect("the driver");
    code.functions.extend(functions);
    // What is in memory its parts find there, too.
    let noted = code.tracked[at].iter().filter(|ids| matches!(ids.first, First::Noted { .. }));
    let noted = noted.copied().collect();
    code.tracked.resize(code.functions.len(), noted);
}

/// Whether an instruction runs code that follows the program's pointers outside of what is generated here, or ends
/// the launch: in both cases nothing that comes later keeps the ids in registers.
fn leaves_code(inst: &Inst) -> bool {
    matches!(inst.op, Op::MemCopy | Op::MemZero | Op::Trap)
        || matches!(
            inst.attr,
            Attr::Helper(Helper::Enqueue | Helper::Printf | Helper::MemCopy | Helper::MemZero)
        )
}
