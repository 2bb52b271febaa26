//! Continuation dispatch: the region in which a work-item continues.
//!
//! Between barriers that all work-items reach, the next region is uniform: the last work-item's result holds
//! for all, and only a byte for each work-item records whether it has returned. Where regions begin without a
//! barrier (`KernelRegions::has_divergent_regions`), each work-item stores the number of the region that it waits
//! for. The smallest of all numbers runs next, for the work-items that wait for it. Regions after barriers have
//! the largest numbers, so they run when all remaining work-items have arrived.

use super::super::work_items::ITEM_ENDED;
use super::body::{BodyBuilder, KERNEL_END};
use super::context_arrays::{Array, Arrays};
use super::invariants::Prologue;
use super::regions::{KernelRegions, Region};
use super::work_item_loop::Item;
use grus_ir::{Attr, Block, Builder, IntCond, Mem, Op, Target, Type, Value};

/// State stored for each work-item.
#[derive(Clone, Copy, Debug)]
pub(super) enum ItemStatus {
    /// Nothing: no work-item returns before others.
    Nothing,
    /// One byte: 1 if it has returned.
    Returned(Array),
    /// Number of the region that it waits for; and the number of regions scheduled round-robin, which are the
    /// first ones, if any are.
    Region(Array, Option<u32>),
}

impl ItemStatus {
    pub(super) fn of(regions: &KernelRegions, arrays: &mut Arrays) -> ItemStatus {
        // If all work-items return together, none is left to be skipped.
        let ends =
            |&block: &Block| regions.func.terminator(block).op == Op::Ret && !regions.uniform.blocks[block];
        let returns_early =
            |region: &Region| region.blocks.iter().any(ends) && has_successor(regions, region);
        if regions.has_divergent_regions {
            let barriers = regions.regions.iter().filter(|region| region.barrier.is_some()).count();
            let num_scheduled = regions.is_round_robin.then_some((regions.regions.len() - barriers) as u32);
            ItemStatus::Region(arrays.add(4), num_scheduled)
        } else if regions.regions.iter().any(returns_early) {
            ItemStatus::Returned(arrays.add(1))
        } else {
            ItemStatus::Nothing
        }
    }

    /// Returns the array that records which work-items execute a region, its element type, and the value for
    /// those that do; none if all do.
    pub(super) fn activity(self, number: usize) -> Option<(Array, Type, u64)> {
        match self {
            _ if number == 0 => None,
            ItemStatus::Nothing => None,
            ItemStatus::Returned(array) => Some((array, Type::I8, 0)),
            ItemStatus::Region(array, _) => Some((array, Type::I32, number as u64)),
        }
    }
}

impl BodyBuilder<'_, '_> {
    /// Ends the region for the work-item, which continues with region `next`.
    pub(super) fn wait_for(&mut self, next: usize) {
        let named_region = match self.plan.status {
            ItemStatus::Region(_, Some(num_scheduled)) => schedule_distance(num_scheduled, self.number, next),
            _ => next as u64,
        };
        let named_region = self.b.iconst(Type::I32, named_region);
        match self.plan.status {
            ItemStatus::Nothing => {}
            // The first region clears the flags of all work-items.
            ItemStatus::Returned(_) if self.number > 0 => {}
            ItemStatus::Returned(flags) => self.store_status(flags, Type::I8, 0),
            ItemStatus::Region(numbers, _) => self.store_status(numbers, Type::I32, next as u64),
        }
        self.b.ret(&[named_region]);
    }

    /// Ends the work-item.
    pub(super) fn end_item(&mut self) {
        match self.plan.status {
            ItemStatus::Nothing => {}
            ItemStatus::Returned(flags) => self.store_status(flags, Type::I8, 1),
            ItemStatus::Region(numbers, _) => self.store_status(numbers, Type::I32, KERNEL_END),
        }
        let ended = self.b.iconst(Type::I32, ITEM_ENDED);
        self.b.ret(&[ended]);
    }

    fn store_status(&mut self, array: Array, ty: Type, bits: u64) {
        let at = self.element(array);
        let value = self.b.iconst(ty, bits);
        self.b.store(value, at, Mem::natural(ty));
    }
}

/// Emits a branch to the latch for a work-item that has returned or waits for another region.
pub(super) fn skip_inactive(
    b: &mut Builder<'_>,
    status: ItemStatus,
    number: usize,
    item: &Item,
    prologue: &mut Prologue<'_>,
) {
    let Some((status_value, is_active)) = is_active(b, status, number, item.index, prologue) else { return };
    let next = match status {
        ItemStatus::Nothing | ItemStatus::Returned(_) => item.next,
        ItemStatus::Region(_, num_scheduled) => {
            let named_region = num_scheduled.map_or(status_value, |num_scheduled| {
                emit_schedule_distance(b, num_scheduled, number, status_value)
            });
            min_region(b, item.next, named_region)
        }
    };
    let live = b.func.add_block();
    b.br_to(is_active, Target::new(live, &[]), Target::new(item.latch, &[next]));
    b.switch_to(live);
}

/// Emits a test of a work-item's state. Returns the state, and whether the work-item executes the region;
/// none if all do.
pub(super) fn is_active(
    b: &mut Builder<'_>,
    status: ItemStatus,
    number: usize,
    index: Value,
    prologue: &mut Prologue<'_>,
) -> Option<(Value, Value)> {
    let (array, ty, expected) = status.activity(number)?;
    let at = prologue.element(b, array, index);
    let status_value = b.load(ty, at, Mem::natural(ty));
    let expected = b.iconst(ty, expected);
    Some((status_value, b.icmp(IntCond::Eq, status_value, expected)))
}

/// Emits the test for a vector of work-items, of which only the lanes in `in_range` exist.
pub(super) fn active_lanes(
    b: &mut Builder<'_>,
    status: ItemStatus,
    number: usize,
    index: Value,
    in_range: Value,
    prologue: &mut Prologue<'_>,
) -> Option<(Value, Value)> {
    let (array, ty, expected) = status.activity(number)?;
    let at = prologue.element(b, array, index);
    let wide = ty.with_lanes(b.func.ty(in_range).lanes);
    let other = b.iconst(wide, ITEM_ENDED);
    let status_value = b.value(Op::MaskedLoad, wide, &[at, in_range, other], Attr::Mem(Mem::natural(ty)));
    let expected = b.iconst(wide, expected);
    let mut active = b.icmp(IntCond::Eq, status_value, expected);
    if let ItemStatus::Region(_, Some(_)) = status {
        // A sub-group runs the region only if none of its work-items is behind it.
        let is_behind = b.icmp(IntCond::Ult, status_value, expected);
        let any = b.value(Op::Any, Type::I1, &[is_behind], Attr::None);
        let no_lanes = b.zero(b.func.ty(active));
        active = b.select(any, no_lanes, active);
    }
    Some((status_value, active))
}

/// Emits the mask of the lanes of a vector at `at` that lie before `end`.
pub(super) fn before(b: &mut Builder<'_>, at: Value, end: Value, lanes: u16) -> Value {
    let left = b.same(Op::Isub, &[end, at]);
    let max_lanes = b.iconst(Type::I64, lanes.into());
    let left = b.same(Op::Umin, &[left, max_lanes]);
    let left = b.convert(Op::Trunc, Type::I32, left);
    let wide = Type::I32.with_lanes(lanes);
    let (left, lane) = (b.splat(wide, left), b.value(Op::Iota, wide, &[], Attr::None));
    b.icmp(IntCond::Ult, lane, left)
}

/// Emits the dispatch of a vector with inactive work-items: to `all` if every lane is active, to the latch if
/// none is. Afterwards the builder is in the block for partly active vectors. Returns the mask of active
/// lanes, and the next region as far as inactive lanes determine it.
pub(super) fn dispatch_vector(
    b: &mut Builder<'_>,
    status: ItemStatus,
    number: usize,
    item: &Item,
    in_range: Value,
    all: Block,
    prologue: &mut Prologue<'_>,
) -> Option<(Value, Value)> {
    let (status_value, active_lanes) = active_lanes(b, status, number, item.index, in_range, prologue)?;
    let [part, some] = [(); 2].map(|()| b.func.add_block());
    let bit = |b: &mut Builder<'_>, op: Op| b.value(op, Type::I1, &[active_lanes], Attr::None);
    let is_all = bit(b, Op::All);
    b.br_if(is_all, all, part);
    b.switch_to(part);
    let next = match status {
        ItemStatus::Nothing | ItemStatus::Returned(_) => item.next,
        ItemStatus::Region(_, num_scheduled) => {
            let ended = b.iconst(b.func.ty(status_value), ITEM_ENDED);
            let named_region = num_scheduled.map_or(status_value, |num_scheduled| {
                emit_schedule_distance(b, num_scheduled, number, status_value)
            });
            let others = b.select(active_lanes, ended, named_region);
            let first_region = b.halve(others, |b, pair| b.same(Op::Umin, &pair));
            min_region(b, item.next, first_region)
        }
    };
    let is_any = bit(b, Op::Any);
    b.br_to(is_any, Target::new(some, &[]), Target::new(item.latch, &[next]));
    b.switch_to(some);
    Some((active_lanes, next))
}

/// Returns the next region after a work-item has named one and earlier ones another.
pub(super) fn after_item(
    b: &mut Builder<'_>,
    status: ItemStatus,
    before: Value,
    named_region: Value,
) -> Value {
    match status {
        ItemStatus::Nothing | ItemStatus::Returned(_) => named_region,
        ItemStatus::Region(..) => min_region(b, before, named_region),
    }
}

fn min_region(b: &mut Builder<'_>, a: Value, other: Value) -> Value {
    let is_less = b.icmp(IntCond::Ult, a, other);
    b.select(is_less, a, other)
}

/// Returns the cyclic distance from region `number` to `region` in the round-robin schedule; regions outside
/// of it come last, in ascending order. Bodies of round-robin regions name the next region by this distance.
fn schedule_distance(num_scheduled: u32, number: usize, region: usize) -> u64 {
    let (num_scheduled, region) = (u64::from(num_scheduled), region as u64);
    if region >= num_scheduled {
        region
    } else {
        (region + num_scheduled - first_scheduled(num_scheduled, number)) % num_scheduled
    }
}

/// Returns the region that is scheduled first after region `number`; after a barrier that is region 0.
fn first_scheduled(num_scheduled: u64, number: usize) -> u64 {
    let number = number as u64;
    if number + 1 < num_scheduled { number + 1 } else { 0 }
}

/// Emits [`schedule_distance`] for a stored region number.
fn emit_schedule_distance(
    b: &mut Builder<'_>,
    num_scheduled: u32,
    number: usize,
    status_value: Value,
) -> Value {
    let first = u64::from(num_scheduled) - first_scheduled(num_scheduled.into(), number);
    rotated(b, num_scheduled, first, status_value)
}

/// Emits the rotation of numbers below `num_scheduled` by `by`; others are unchanged.
fn rotated(b: &mut Builder<'_>, num_scheduled: u32, by: u64, value: Value) -> Value {
    let ty = b.func.ty(value);
    let count = b.iconst(ty, num_scheduled.into());
    let is_round_robin = b.icmp(IntCond::Ult, value, count);
    let by = b.iconst(ty, by);
    let ahead = b.same(Op::Iadd, &[value, by]);
    let is_past = b.icmp(IntCond::Uge, ahead, count);
    let wrapped = b.same(Op::Isub, &[ahead, count]);
    let ahead = b.select(is_past, wrapped, ahead);
    b.select(is_round_robin, ahead, value)
}

/// Emits the number of the next region from the name that the bodies computed.
pub(super) fn region_named(
    b: &mut Builder<'_>,
    status: ItemStatus,
    number: usize,
    named_region: Value,
) -> Value {
    match status {
        ItemStatus::Region(_, Some(num_scheduled)) => {
            rotated(b, num_scheduled, first_scheduled(num_scheduled.into(), number), named_region)
        }
        _ => named_region,
    }
}

/// Checks whether a work-item can return inside a region.
pub(super) fn returns(regions: &KernelRegions, region: &Region) -> bool {
    region.blocks.iter().any(|&b| regions.func.terminator(b).op == Op::Ret)
}

/// Checks whether another region can follow.
fn has_successor(regions: &KernelRegions, region: &Region) -> bool {
    region.blocks.iter().any(|&b| regions.func.successors(b).any(|next| regions.is_head[next]))
}
