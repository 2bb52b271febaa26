//! Which region an item goes on with.
//!
//! Between barriers that all items reach it is the same for all: the last item's answer is everyone's, and only who has
//! returned is noted, a byte for each item. Where regions begin without a barrier (`Formed::apart`) each item has the number
//! of the region that it waits for; the smallest of all runs next, for those who wait for it. Numbers of regions behind
//! barriers are the larger ones, so they run when everyone who is left has arrived.

use super::body::{BodyBuilder, ENDED, OVER};
use super::context_arrays::{Array, Arrays};
use super::invariants::Prologue;
use super::regions::{Formed, Region};
use super::work_item_loop::Item;
use crate::ir::{Attr, Block, Builder, IntCond, Mem, Op, Target, Type, Value};

/// What is kept for each item.
#[derive(Clone, Copy, Debug)]
pub(super) enum Waiting {
    /// Nothing: no item returns before others do.
    Nothing,
    /// One byte: it has returned.
    Returned(Array),
    /// The number of the region it waits for. If regions take turns, how many do: the first ones.
    Region(Array, Option<u32>),
}

impl Waiting {
    pub(super) fn of(formed: &Formed, arrays: &mut Arrays) -> Waiting {
        // If all items return together, nobody is left to tell them apart.
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

    /// Where it is noted which items take part in a region, and as what; none if all do.
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
    /// Ends the item in this region; it goes on with another.
    pub(super) fn wait_for(&mut self, next: usize) {
        let named = match self.plan.waiting {
            Waiting::Region(_, Some(turns)) => turns_until(turns, self.number, next),
            _ => next as u64,
        };
        let named = self.b.iconst(Type::I32, named);
        match self.plan.waiting {
            Waiting::Nothing => {}
            // In the first region everyone notes that it has not.
            Waiting::Returned(_) if self.number > 0 => {}
            Waiting::Returned(flags) => self.note(flags, Type::I8, 0),
            Waiting::Region(numbers, _) => self.note(numbers, Type::I32, next as u64),
        }
        self.b.ret(&[named]);
    }

    /// Ends the item.
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

/// Items that returned, or wait for another region, take no part: the loop goes on with the next one.
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

/// What is noted of an item, and whether it takes part in a region; `None` if all do.
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

/// The same for several items from a number on, of which the first few `exist`.
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
        // Who is further on waits for the others of the sub-group.
        let is_behind = b.icmp(IntCond::Ult, noted, wanted);
        let any = b.value(Op::Any, Type::I1, &[is_behind], Attr::None);
        let nobody = b.zero(b.func.ty(here));
        here = b.select(any, nobody, here);
    }
    Some((noted, here))
}

/// The lanes of those that stand from `at` on, before `end`.
pub(super) fn before(b: &mut Builder<'_>, at: Value, end: Value, lanes: u16) -> Value {
    let left = b.same(Op::Isub, &[end, at]);
    let most = b.iconst(Type::I64, lanes.into());
    let left = b.same(Op::Umin, &[left, most]);
    let left = b.convert(Op::Trunc, Type::I32, left);
    let wide = Type::I32.with_lanes(lanes);
    let (left, lane) = (b.splat(wide, left), b.value(Op::Iota, wide, &[], Attr::None));
    b.icmp(IntCond::Ult, lane, left)
}

/// Before several items of which some may take no part: the builder stands where some of them do afterwards, and those are
/// returned. Where none does it goes on with the next ones; where all do, to `all`.
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

/// The region that follows, after an item has named one and those before it another.
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

/// How many regions take their turn after the one with a number, before another does; those that take none come later, in
/// their order. In regions that take turns items name the one that follows so.
fn turns_until(turns: u32, number: usize, region: usize) -> u64 {
    let (turns, region) = (u64::from(turns), region as u64);
    if region >= turns { region } else { (region + turns - first_turn(turns, number)) % turns }
}

/// Whose turn it is first after a region. Behind a barrier all begin anew.
fn first_turn(turns: u64, number: usize) -> u64 {
    let number = number as u64;
    if number + 1 < turns { number + 1 } else { 0 }
}

/// What [`turns_until`] says, of regions that are noted.
fn until_noted(b: &mut Builder<'_>, turns: u32, number: usize, noted: Value) -> Value {
    let first = u64::from(turns) - first_turn(turns.into(), number);
    moved(b, turns, first, noted)
}

/// Numbers below `turns` moved on, around and around.
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

/// The region that follows, of what items have named.
pub(super) fn region_named(b: &mut Builder<'_>, waiting: Waiting, number: usize, named: Value) -> Value {
    match waiting {
        Waiting::Region(_, Some(turns)) => moved(b, turns, first_turn(turns.into(), number), named),
        _ => named,
    }
}

/// Whether an item can return inside a region.
pub(super) fn returns(formed: &Formed, region: &Region) -> bool {
    region.blocks.iter().any(|&b| formed.func.terminator(b).op == Op::Ret)
}

/// Whether another region can follow.
fn goes_on(formed: &Formed, region: &Region) -> bool {
    region.blocks.iter().any(|&b| formed.func.successors(b).any(|next| formed.is_head[next]))
}
