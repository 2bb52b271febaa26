//! Which region an item goes on with.
//!
//! Between barriers that all items reach it is the same for all: the last item's answer is everyone's, and only who has
//! returned is noted, a byte for each item. Where regions begin without a barrier (`Formed::apart`) each item has the number
//! of the region that it waits for; the smallest of all runs next, for those who wait for it. Numbers of regions behind
//! barriers are the larger ones, so they run when everyone who is left has arrived.

use super::body::{BodyBuilder, ENDED, OVER};
use super::context::{Array, Arrays};
use super::regions::{Formed, Region};
use super::roots::{Prologue, Root};
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
    if number == 0 {
        return;
    }
    let array = match waiting {
        Waiting::Nothing => return,
        Waiting::Returned(array) | Waiting::Region(array) => array,
    };
    let parts: Vec<_> =
        Arrays::parts(array).map(|part| (part, prologue.value(b.func, Root::Arrays(part)))).collect();
    let value = |wanted| parts.iter().find(|(part, _)| *part == wanted).expect("listed by `parts`").1;
    let at = Arrays::element(b, array, item.index, value);
    let (skip, next) = if let Waiting::Region(_) = waiting {
        let wanted = b.load(Type::I32, at, Mem::natural(Type::I32));
        let this = b.iconst(Type::I32, number as u64);
        (b.icmp(IntCond::Ne, wanted, this), sooner(b, item.next, wanted))
    } else {
        let gone = b.load(Type::I8, at, Mem::natural(Type::I8));
        let zero = b.iconst(Type::I8, 0);
        (b.icmp(IntCond::Ne, gone, zero), item.next)
    };
    let live = b.func.add_block();
    let targets = vec![Target::new(item.latch, &[next]), Target::new(live, &[])];
    b.inst(Op::BrIf, Type::VOID, &[skip], Attr::None, targets);
    b.switch_to(live);
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
