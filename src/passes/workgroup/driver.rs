//! Group driver: combines the regions of a kernel, with the effects that happen once for the group between
//! them.
//!
//! A small kernel becomes one function, in which uniform values may stay in registers. In a large one each
//! region is a function, which keeps code generation linear, and a driver calls them in turn.

use super::body::RegionBody;
use super::continuations::returns;
use super::invariants::{BodyInput, Prologue, SLOT_BYTES, Slots};
use super::regions::{KernelRegions, Region};
use super::storage_plan::StoragePlan;
use super::{collectives, work_item_loop};
use grus_ir::abi::{AREA_ALIGN, Param};
use grus_ir::analysis::prune_unreachable;
use grus_ir::group_code::Tracked;
use grus_ir::{Attr, Block, Builder, FuncId, Function, Helper, InstId, Mem, Op, Target, Type, Value};
use grus_support::Id;

/// Maximum number of slots on the stack, which passes may promote to registers. Promoting more of them would
/// only add spills.
// Arbitrary.
const MAX_STACK_SLOTS: usize = 24;

/// A function, and the ids of the work-items that its loops run.
pub(super) type RegionPart = (Function, Tracked);

/// Functions of a kernel: the group function, and the regions if they are separate functions.
pub(super) struct Assembled {
    pub group: RegionPart,
    pub regions: Vec<RegionPart>,
    /// Size of the private memory outside the stack in bytes, up to the context arrays.
    pub area: u64,
    pub has_slots_on_stack: bool,
}

/// Builds one function of all regions.
pub(super) fn single_function(
    regions: &KernelRegions,
    plan: &StoragePlan,
    params: &[Param],
    bodies: &[RegionBody],
) -> Assembled {
    let lanes = max_lanes(bodies).into();
    let (shared_at, area) = slots_in_area(plan, lanes, plan.slots.len() <= MAX_STACK_SLOTS);
    let (mut func, entry) = begin(regions.func.name.clone(), Type::VOID);
    let slots = Slots { sizes: &plan.slots, shared_at };
    let mut prologue = Prologue::new(&func, params, plan, slots, area, lanes);
    let starts: Vec<Block> = bodies.iter().map(|_| func.add_block()).collect();
    let (mut allocas, mut tracked) = (Vec::new(), Vec::new());
    let mut dispatcher = None;
    for (number, body) in bodies.iter().enumerate() {
        let b = &mut Builder::new(&mut func, starts[number]);
        let rows = work_item_loop::emit(b, regions, plan, number, body, &mut prologue, &mut allocas);
        tracked.extend(rows.item_ids);
        dispatch(b, regions, plan, &regions.regions[number], rows.next, &starts, &mut dispatcher);
    }
    finish(&mut func, entry, starts[0], allocas);
    let has_slots_on_stack = shared_at.is_none() && !plan.slots.is_empty();
    Assembled { group: (func, tracked), regions: Vec::new(), area, has_slots_on_stack }
}

/// Builds a driver and a function for each region, `(context) -> number of the next region`. `first` is the
/// position of the first region's function.
pub(super) fn separate_functions(
    regions: &KernelRegions,
    plan: &StoragePlan,
    params: &[Param],
    bodies: &[RegionBody],
    first: usize,
) -> Assembled {
    let lanes = max_lanes(bodies).into();
    let (shared_at, area) = slots_in_area(plan, lanes, false);
    let slots = Slots { sizes: &plan.slots, shared_at };
    let group = (drive(regions, first), Tracked::new());
    let mut parts = Vec::with_capacity(bodies.len());
    for (number, body) in bodies.iter().enumerate() {
        let (mut func, entry) = begin(body.func.name.clone(), Type::I32);
        let mut prologue = Prologue::new(&func, params, plan, slots, area, lanes);
        let start = func.add_block();
        let mut allocas = Vec::new();
        let b = &mut Builder::new(&mut func, start);
        let rows = work_item_loop::emit(b, regions, plan, number, body, &mut prologue, &mut allocas);
        b.ret(&[rows.next]);
        finish(&mut func, entry, start, allocas);
        parts.push((func, rows.item_ids));
    }
    Assembled { group, regions: parts, area, has_slots_on_stack: false }
}

/// Returns the maximum number of work-items in a vector.
pub(super) fn max_lanes(bodies: &[RegionBody]) -> u16 {
    bodies.iter().filter_map(|body| body.wide.as_ref()).map(|wide| wide.lanes).max().unwrap_or(1)
}

/// Returns the largest number of rows whose vectors run together.
pub(super) fn max_rows(bodies: &[RegionBody]) -> u16 {
    let jammed = bodies.iter().filter_map(|body| body.wide.as_ref()?.jammed_rows.as_ref());
    jammed.map(|jammed| jammed.rows).max().unwrap_or(1)
}

/// Returns the offset of the slots in the private area if they are not on the stack, and the size of the
/// area.
fn slots_in_area(plan: &StoragePlan, lanes: u64, on_stack: bool) -> (Option<u64>, u64) {
    let end = (plan.area * lanes).next_multiple_of(AREA_ALIGN);
    if on_stack { (None, end) } else { (Some(end), end + SLOT_BYTES * plan.slots.len() as u64) }
}

fn begin(name: String, ret: Type) -> (Function, Block) {
    let mut func = Function::new(name, ret);
    let entry = func.add_block();
    func.add_param(entry, Type::PRIVATE);
    (func, entry)
}

/// Terminates the entry block and moves allocations to its start.
fn finish(func: &mut Function, entry: Block, start: Block, allocas: Vec<InstId>) {
    Builder::new(func, entry).jump(start, &[]);
    func.blocks[entry].insts.splice(0..0, allocas);
    prune_unreachable(func);
}

/// Builds a driver that calls region functions until the kernel has ended.
fn drive(regions: &KernelRegions, first: usize) -> Function {
    let (mut func, entry) = begin(regions.func.name.clone(), Type::VOID);
    let context = func.params()[0];
    let (next, end) = (func.add_block(), func.add_block());
    let number = func.add_param(next, Type::I32);
    let b = &mut Builder::new(&mut func, entry);
    let zero = b.iconst(Type::I32, 0);
    b.jump(next, &[zero]);
    b.switch_to(end);
    b.ret(&[]);
    let mut targets = vec![Target::new(end, &[])];
    for region in 0..regions.regions.len() {
        let block = b.func.add_block();
        targets.push(Target::new(block, &[]));
        b.switch_to(block);
        let callee = FuncId::new(first + region);
        let call = b.inst(Op::Call, Type::I32, &[context], Attr::Func(callee), Vec::new());
        let successor = b.func.insts[call].result.expect("a region names the next");
        b.jump(next, &[successor]);
    }
    b.switch_to(next);
    let cases = (0..regions.regions.len() as u64).collect();
    b.inst(Op::Switch, Type::VOID, &[number], Attr::Cases(cases), targets);
    func
}

/// Emits the effect of the region's barrier that happens once for the group: a collective function or an
/// async copy.
pub(super) fn group_action(
    b: &mut Builder<'_>,
    regions: &KernelRegions,
    plan: &StoragePlan,
    number: usize,
    prologue: &mut Prologue<'_>,
) {
    let Some(barrier) = regions.regions[number].barrier else { return };
    let inst = &regions.func.insts[barrier];
    if let Some(&collective) = plan.collectives.get(&barrier) {
        collectives::finish(b, inst, plan, number, collective, prologue);
    }
    let Some(slots) = plan.operands.get(&barrier) else { return };
    let mut args: Vec<Value> = Vec::new();
    for (&slot, &arg) in slots.iter().zip(&inst.args) {
        let (ty, at) = (regions.func.ty(arg), prologue.value(b.func, BodyInput::Slot(slot)));
        args.push(b.load(ty, at, Mem::natural(ty)));
    }
    if inst.op == Op::AsyncCopy {
        args.push(b.iconst(Type::I64, inst.int()));
        b.helper(Helper::StridedCopy, Type::VOID, &args);
    } else {
        rect_copy(b, &args, prologue);
    }
}

/// Calls the helper with its operands in memory, because there are more than argument registers.
fn rect_copy(b: &mut Builder<'_>, args: &[Value], prologue: &mut Prologue<'_>) {
    let words = prologue.value(b.func, BodyInput::HelperOperands);
    for (at, &arg) in args.iter().enumerate() {
        let address = b.ptr_offset(words, 8 * at as u64);
        b.store(arg, address, Mem::natural(Type::I64));
    }
    b.helper(Helper::RectCopy, Type::VOID, &[words]);
}

/// Branches to the region that the work-items have named.
fn dispatch(
    b: &mut Builder<'_>,
    regions: &KernelRegions,
    plan: &StoragePlan,
    region: &Region,
    next: Value,
    starts: &[Block],
    dispatcher: &mut Option<Block>,
) {
    let mut successors: Vec<usize> = Vec::new();
    for &block in &region.blocks {
        successors.extend(regions.func.successors(block).filter_map(|b| plan.region_of_head.get(&b)));
    }
    successors.sort_unstable();
    successors.dedup();
    if regions.has_divergent_regions {
        return dispatch_any(b, &successors, next, starts, dispatcher);
    }
    let end = (returns(regions, region) || successors.is_empty()).then(|| return_block(b));
    let default = end.unwrap_or_else(|| starts[successors[0]]);
    if end.is_none() && successors.len() == 1 || successors.is_empty() {
        return b.jump(default, &[]);
    }
    let cases: Box<[u64]> = successors.iter().map(|&f| f as u64).collect();
    let mut targets = vec![Target::new(default, &[])];
    targets.extend(successors.iter().map(|&f| Target::new(starts[f], &[])));
    b.inst(Op::Switch, Type::VOID, &[next], Attr::Cases(cases), targets);
}

fn return_block(b: &mut Builder<'_>) -> Block {
    let here = b.block;
    let block = b.func.add_block();
    b.switch_to(block);
    b.ret(&[]);
    b.switch_to(here);
    block
}

/// Branches through one switch for all regions: work-items that an earlier region left behind may wait for
/// any of them.
fn dispatch_any(
    b: &mut Builder<'_>,
    successors: &[usize],
    next: Value,
    starts: &[Block],
    dispatcher: &mut Option<Block>,
) {
    let all = *dispatcher.get_or_insert_with(|| {
        let here = b.block;
        let all = b.func.add_block();
        let next = b.func.add_param(all, Type::I32);
        let end = return_block(b);
        b.switch_to(all);
        let cases = (0..starts.len() as u64).collect();
        let mut targets = vec![Target::new(end, &[])];
        targets.extend(starts.iter().map(|&start| Target::new(start, &[])));
        b.inst(Op::Switch, Type::VOID, &[next], Attr::Cases(cases), targets);
        b.switch_to(here);
        all
    });
    let cases: Box<[u64]> = successors.iter().take(2).map(|&f| f as u64).collect();
    let mut targets = vec![Target::new(all, &[next])];
    targets.extend(successors.iter().take(2).map(|&f| Target::new(starts[f], &[])));
    if cases.is_empty() {
        return b.jump(all, &[next]);
    }
    b.inst(Op::Switch, Type::VOID, &[next], Attr::Cases(cases), targets);
}
