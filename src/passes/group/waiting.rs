//! Which region an item goes on with.
//!
//! Between barriers that all items reach it is the same for all: the last item's answer is everyone's, and only who has
//! returned is noted, a byte for each item. Where regions begin without a barrier (`Formed::apart`) each item has the number
//! of the region that it waits for; the smallest of all runs next, for those who wait for it. Numbers of regions behind
//! barriers are the larger ones, so they run when everyone who is left has arrived.

use super::body::{BodyBuilder, ENDED, OVER};
use super::context::{Array, Arrays};
use super::regions::{Formed, Region};
use super::roots::Prologue;
use super::rows::Item;
use crate::ir::{Attr, Block, Builder, IntCond, Mem, Op, Target, Type, Value};

/// What is kept for each item.
#[derive(Clone, Copy, Debug)]
pub(super) enum Waiting {
    /// Nothing: no item returns before others do.
    Nothing,
    /// One byte: it has returned.
    Returned(Array),
    /// The number of the region it waits for.
    Region(Array),
}

impl Waiting {
    pub(super) fn of(formed: &Formed, arrays: &mut Arrays) -> Waiting {
        // If all items return together, nobody is left to tell them apart.
        let ends =
            |&block: &Block| formed.func.terminator(block).op == Op::Ret && !formed.uniform.blocks[block];
        let parts = |region: &Region| region.blocks.iter().any(ends) && goes_on(formed, region);
        if formed.apart {
            Waiting::Region(arrays.add(4))
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
            Waiting::Region(array) => Some((array, Type::I32, number as u64)),
        }
    }
}

impl BodyBuilder<'_, '_> {
    /// Ends the item in this region; it goes on with another.
    pub(super) fn wait_for(&mut self, next: usize) {
        let number = self.b.iconst(Type::I32, next as u64);
        match self.plan.waiting {
            Waiting::Nothing => {}
            // In the first region everyone notes that it has not.
            Waiting::Returned(_) if self.number > 0 => {}
            Waiting::Returned(flags) => self.note(flags, Type::I8, 0),
            Waiting::Region(numbers) => self.note(numbers, Type::I32, next as u64),
        }
        self.b.ret(&[number]);
    }

    /// Ends the item.
    pub(super) fn end_item(&mut self) {
        match self.plan.waiting {
            Waiting::Nothing => {}
            Waiting::Returned(flags) => self.note(flags, Type::I8, 1),
            Waiting::Region(numbers) => self.note(numbers, Type::I32, OVER),
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
    let next = if let Waiting::Region(_) = waiting { sooner(b, item.next, noted) } else { item.next };
    let live = b.func.add_block();
    let targets = vec![Target::new(live, &[]), Target::new(item.latch, &[next])];
    b.inst(Op::BrIf, Type::VOID, &[is_here], Attr::None, targets);
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
    Some((noted, b.icmp(IntCond::Eq, noted, wanted)))
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
    b.inst(Op::BrIf, Type::VOID, &[is_all], Attr::None, [all, part].map(|to| Target::new(to, &[])).into());
    b.switch_to(part);
    let next = match waiting {
        Waiting::Nothing | Waiting::Returned(_) => item.next,
        Waiting::Region(_) => {
            let ended = b.iconst(b.func.ty(noted), ENDED);
            let others = b.select(are_here, ended, noted);
            let soonest = b.halve(others, |b, pair| b.same(Op::Umin, &pair));
            sooner(b, item.next, soonest)
        }
    };
    let is_any = bit(b, Op::Any);
    let targets = vec![Target::new(some, &[]), Target::new(item.latch, &[next])];
    b.inst(Op::BrIf, Type::VOID, &[is_any], Attr::None, targets);
    b.switch_to(some);
    Some((are_here, next))
}

/// The region that follows, after an item has named one and those before it another.
pub(super) fn after_item(b: &mut Builder<'_>, waiting: Waiting, before: Value, named: Value) -> Value {
    match waiting {
        Waiting::Nothing | Waiting::Returned(_) => named,
        Waiting::Region(_) => sooner(b, before, named),
    }
}

fn sooner(b: &mut Builder<'_>, a: Value, other: Value) -> Value {
    let is_less = b.icmp(IntCond::Ult, a, other);
    b.select(is_less, a, other)
}

/// Whether an item can return inside a region.
pub(super) fn returns(formed: &Formed, region: &Region) -> bool {
    region.blocks.iter().any(|&b| formed.func.terminator(b).op == Op::Ret)
}

/// Whether another region can follow.
fn goes_on(formed: &Formed, region: &Region) -> bool {
    region.blocks.iter().any(|&b| formed.func.successors(b).any(|next| formed.is_head[next]))
}
