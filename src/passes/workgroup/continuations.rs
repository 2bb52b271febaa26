//! Continuation dispatch: the region in which a work-item continues.
//!
//! Between barriers that all work-items reach, the next region is uniform: the last work-item's result holds
//! for all, and only a byte for each work-item records whether it has returned. Where regions begin without a
//! barrier (`Formed::apart`), each work-item stores the number of the region that it waits for. The smallest
//! of all numbers runs next, for the work-items that wait for it. Regions after barriers have the largest
//! numbers, so they run when all remaining work-items have arrived.

use super::body::{BodyBuilder, ENDED, OVER};
use super::context_arrays::{Array, Arrays};
use super::invariants::Prologue;
use super::regions::{Formed, Region};
use super::work_item_loop::Item;
use crate::ir::{Attr, Block, Builder, IntCond, Mem, Op, Target, Type, Value};

/// State stored for each work-item.
#[derive(Clone, Copy, Debug)]
pub(super) enum Waiting {
    /// Nothing: no work-item returns before others.
    Nothing,
    /// One byte: 1 if it has returned.
    Returned(Array),
    /// Number of the region that it waits for; and the number of regions scheduled round-robin, which are the
    /// first ones, if any are.
    Region(Array, Option<u32>),
}

impl Waiting {
    pub(super) fn of(formed: &Formed, arrays: &mut Arrays) -> Waiting {
        // If all work-items return together, none is left to be skipped.
        let ends =
            |&block: &Block| formed.func.terminator(block).op == Op::Ret && !formed.uniform.blocks[block];
        let parts = |region: &Region| region.blocks.iter().any(ends) && goes_on(formed, region);
        if formed.apart {
            let barriers = formed.regions.iter().filter(|region| region.barrier.is_some()).count();
            let turns = formed.takes_turns.then_some((formed.regions.len() - barriers) as u32);
            Waiting::Region(arrays.add(4), turns)
        } else if formed.regions.iter().any(parts) {
            Waiting::Returned(arrays.add(1))
        } else {
            Waiting::Nothing
        }
    }

    /// Returns the array that records which work-items execute a region, its element type, and the value for
    /// those that do; none if all do.
    pub(super) fn notes(self, number: usize) -> Option<(Array, Type, u64)> {
        match self {
            _ if number == 0 => None,
            Waiting::Nothing => None,
            Waiting::Returned(array) => Some((array, Type::I8, 0)),
            Waiting::Region(array, _) => Some((array, Type::I32, number as u64)),
        }
    }
}

impl BodyBuilder<'_, '_> {
    /// Ends the region for the work-item, which continues with region `next`.
    pub(super) fn wait_for(&mut self, next: usize) {
        let named = match self.plan.waiting {
            Waiting::Region(_, Some(turns)) => turns_until(turns, self.number, next),
            _ => next as u64,
        };
        let named = self.b.iconst(Type::I32, named);
        match self.plan.waiting {
            Waiting::Nothing => {}
            // The first region clears the flags of all work-items.
            Waiting::Returned(_) if self.number > 0 => {}
            Waiting::Returned(flags) => self.note(flags, Type::I8, 0),
            Waiting::Region(numbers, _) => self.note(numbers, Type::I32, next as u64),
        }
        self.b.ret(&[named]);
    }

    /// Ends the work-item.
    pub(super) fn end_item(&mut self) {
        match self.plan.waiting {
            Waiting::Nothing => {}
            Waiting::Returned(flags) => self.note(flags, Type::I8, 1),
            Waiting::Region(numbers, _) => self.note(numbers, Type::I32, OVER),
        }
        let ended = self.b.iconst(Type::I32, ENDED);
        self.b.ret(&[ended]);
    }

    fn note(&mut self, array: Array, ty: Type, bits: u64) {
        let at = self.element(array);
        let value = self.b.iconst(ty, bits);
        self.b.store(value, at, Mem::natural(ty));
    }
}

/// Emits a branch to the latch for a work-item that has returned or waits for another region.
pub(super) fn skip(
    b: &mut Builder<'_>,
    waiting: Waiting,
    number: usize,
    item: &Item,
    prologue: &mut Prologue<'_>,
) {
    let Some((noted, is_here)) = is_here(b, waiting, number, item.index, prologue) else { return };
    let next = match waiting {
        Waiting::Nothing | Waiting::Returned(_) => item.next,
        Waiting::Region(_, turns) => {
            let named = turns.map_or(noted, |turns| until_noted(b, turns, number, noted));
            sooner(b, item.next, named)
        }
    };
    let live = b.func.add_block();
    b.br_to(is_here, Target::new(live, &[]), Target::new(item.latch, &[next]));
    b.switch_to(live);
}

/// Emits a test of a work-item's state. Returns the state, and whether the work-item executes the region;
/// none if all do.
pub(super) fn is_here(
    b: &mut Builder<'_>,
    waiting: Waiting,
    number: usize,
    index: Value,
    prologue: &mut Prologue<'_>,
) -> Option<(Value, Value)> {
    let (array, ty, wanted) = waiting.notes(number)?;
    let at = prologue.element(b, array, index);
    let noted = b.load(ty, at, Mem::natural(ty));
    let wanted = b.iconst(ty, wanted);
    Some((noted, b.icmp(IntCond::Eq, noted, wanted)))
}

/// Emits the test for a vector of work-items, of which only the lanes in `exist` exist.
pub(super) fn are_here(
    b: &mut Builder<'_>,
    waiting: Waiting,
    number: usize,
    index: Value,
    exist: Value,
    prologue: &mut Prologue<'_>,
) -> Option<(Value, Value)> {
    let (array, ty, wanted) = waiting.notes(number)?;
    let at = prologue.element(b, array, index);
    let wide = ty.with_lanes(b.func.ty(exist).lanes);
    let other = b.iconst(wide, ENDED);
    let noted = b.value(Op::MaskedLoad, wide, &[at, exist, other], Attr::Mem(Mem::natural(ty)));
    let wanted = b.iconst(wide, wanted);
    let mut here = b.icmp(IntCond::Eq, noted, wanted);
    if let Waiting::Region(_, Some(_)) = waiting {
        // A sub-group runs the region only if none of its work-items is behind it.
        let is_behind = b.icmp(IntCond::Ult, noted, wanted);
        let any = b.value(Op::Any, Type::I1, &[is_behind], Attr::None);
        let nobody = b.zero(b.func.ty(here));
        here = b.select(any, nobody, here);
    }
    Some((noted, here))
}

/// Emits the mask of the lanes of a vector at `at` that lie before `end`.
pub(super) fn before(b: &mut Builder<'_>, at: Value, end: Value, lanes: u16) -> Value {
    let left = b.same(Op::Isub, &[end, at]);
    let most = b.iconst(Type::I64, lanes.into());
    let left = b.same(Op::Umin, &[left, most]);
    let left = b.convert(Op::Trunc, Type::I32, left);
    let wide = Type::I32.with_lanes(lanes);
    let (left, lane) = (b.splat(wide, left), b.value(Op::Iota, wide, &[], Attr::None));
    b.icmp(IntCond::Ult, lane, left)
}

/// Emits the dispatch of a vector with inactive work-items: to `all` if every lane is active, to the latch if
/// none is. Afterwards the builder is in the block for partly active vectors. Returns the mask of active
/// lanes, and the next region as far as inactive lanes determine it.
pub(super) fn sort_out(
    b: &mut Builder<'_>,
    waiting: Waiting,
    number: usize,
    item: &Item,
    exist: Value,
    all: Block,
    prologue: &mut Prologue<'_>,
) -> Option<(Value, Value)> {
    let (noted, are_here) = are_here(b, waiting, number, item.index, exist, prologue)?;
    let [part, some] = [(); 2].map(|()| b.func.add_block());
    let bit = |b: &mut Builder<'_>, op: Op| b.value(op, Type::I1, &[are_here], Attr::None);
    let is_all = bit(b, Op::All);
    b.br_if(is_all, all, part);
    b.switch_to(part);
    let next = match waiting {
        Waiting::Nothing | Waiting::Returned(_) => item.next,
        Waiting::Region(_, turns) => {
            let ended = b.iconst(b.func.ty(noted), ENDED);
            let named = turns.map_or(noted, |turns| until_noted(b, turns, number, noted));
            let others = b.select(are_here, ended, named);
            let soonest = b.halve(others, |b, pair| b.same(Op::Umin, &pair));
            sooner(b, item.next, soonest)
        }
    };
    let is_any = bit(b, Op::Any);
    b.br_to(is_any, Target::new(some, &[]), Target::new(item.latch, &[next]));
    b.switch_to(some);
    Some((are_here, next))
}

/// Returns the next region after a work-item has named one and earlier ones another.
pub(super) fn after_item(b: &mut Builder<'_>, waiting: Waiting, before: Value, named: Value) -> Value {
    match waiting {
        Waiting::Nothing | Waiting::Returned(_) => named,
        Waiting::Region(..) => sooner(b, before, named),
    }
}

fn sooner(b: &mut Builder<'_>, a: Value, other: Value) -> Value {
    let is_less = b.icmp(IntCond::Ult, a, other);
    b.select(is_less, a, other)
}

/// Returns the cyclic distance from region `number` to `region` in the round-robin schedule; regions outside
/// of it come last, in ascending order. Bodies of round-robin regions name the next region by this distance.
fn turns_until(turns: u32, number: usize, region: usize) -> u64 {
    let (turns, region) = (u64::from(turns), region as u64);
    if region >= turns { region } else { (region + turns - first_turn(turns, number)) % turns }
}

/// Returns the region that is scheduled first after region `number`; after a barrier that is region 0.
fn first_turn(turns: u64, number: usize) -> u64 {
    let number = number as u64;
    if number + 1 < turns { number + 1 } else { 0 }
}

/// Emits [`turns_until`] for a stored region number.
fn until_noted(b: &mut Builder<'_>, turns: u32, number: usize, noted: Value) -> Value {
    let first = u64::from(turns) - first_turn(turns.into(), number);
    moved(b, turns, first, noted)
}

/// Emits the rotation of numbers below `turns` by `by`; others are unchanged.
fn moved(b: &mut Builder<'_>, turns: u32, by: u64, value: Value) -> Value {
    let ty = b.func.ty(value);
    let count = b.iconst(ty, turns.into());
    let takes_turns = b.icmp(IntCond::Ult, value, count);
    let by = b.iconst(ty, by);
    let ahead = b.same(Op::Iadd, &[value, by]);
    let is_past = b.icmp(IntCond::Uge, ahead, count);
    let around = b.same(Op::Isub, &[ahead, count]);
    let ahead = b.select(is_past, around, ahead);
    b.select(takes_turns, ahead, value)
}

/// Emits the number of the next region from the name that the bodies computed.
pub(super) fn region_named(b: &mut Builder<'_>, waiting: Waiting, number: usize, named: Value) -> Value {
    match waiting {
        Waiting::Region(_, Some(turns)) => moved(b, turns, first_turn(turns.into(), number), named),
        _ => named,
    }
}

/// Checks whether a work-item can return inside a region.
pub(super) fn returns(formed: &Formed, region: &Region) -> bool {
    region.blocks.iter().any(|&b| formed.func.terminator(b).op == Op::Ret)
}

/// Checks whether another region can follow.
fn goes_on(formed: &Formed, region: &Region) -> bool {
    region.blocks.iter().any(|&b| formed.func.successors(b).any(|next| formed.is_head[next]))
}
