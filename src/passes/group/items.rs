//! The loop over the work-items of a group.

use crate::ir::{Attr, Block, Builder, IntCond, Op, Target, Type, Value};

/// Where an item is inside the loop nest.
#[derive(Clone, Copy)]
pub(super) struct Item {
    pub local_id: [Value; 3],
    /// Counts all items, x fastest.
    pub index: Value,
    /// The first block of the body; computes `index`.
    pub start: Block,
    /// The region that follows, as far as the items before this one have said.
    pub next: Value,
    /// Ends the item; takes the region that follows.
    pub latch: Block,
    /// Where the nest is left, and the region that follows.
    pub done: Block,
    pub done_next: Value,
}

/// Opens the nest at the builder's position; the builder stands in the body afterwards.
/// `start` is the region that follows if no item names one.
pub(super) fn open(b: &mut Builder<'_>, size: [Value; 3], start: u64) -> Item {
    let zero = b.iconst(Type::I64, 0);
    let next = b.iconst(Type::I32, start);
    let done = b.func.add_block();
    let done_next = b.func.add_param(done, Type::I32);
    let z = loop_over(b, size[2], Level { id: zero, next, latch: done });
    let y = loop_over(b, size[1], Level { id: zero, next: z.next, latch: z.latch });
    let plane = b.same(Op::Imul, &[z.id, size[1]]);
    let row = b.same(Op::Iadd, &[plane, y.id]);
    let first = b.same(Op::Imul, &[row, size[0]]);
    let x = loop_over(b, size[0], Level { id: zero, next: y.next, latch: y.latch });
    let index = b.same(Op::Iadd, &[first, x.id]);
    Item {
        local_id: [x.id, y.id, z.id],
        index,
        start: b.block,
        next: x.next,
        latch: x.latch,
        done,
        done_next,
    }
}

/// One loop of the nest.
struct Level {
    id: Value,
    next: Value,
    /// Ends an iteration; takes the region that follows.
    latch: Block,
}

/// `for id in 0..size`, starting at `outer.id` and leaving to `outer.latch`; the builder
/// stands in the body afterwards. The exit edge of the header comes first: code
/// generation hoists invariants out of loops of that shape only.
fn loop_over(b: &mut Builder<'_>, size: Value, outer: Level) -> Level {
    let header = b.func.add_block();
    let id = b.func.add_param(header, Type::I64);
    let next = b.func.add_param(header, Type::I32);
    let body = b.func.add_block();
    let latch = b.func.add_block();
    let latch_next = b.func.add_param(latch, Type::I32);
    b.jump(header, &[outer.id, outer.next]);
    b.switch_to(header);
    let over = b.icmp(IntCond::Uge, id, size);
    let targets = vec![Target::new(outer.latch, &[next]), Target::new(body, &[])];
    b.inst(Op::BrIf, Type::VOID, &[over], Attr::None, targets);
    b.switch_to(latch);
    let one = b.iconst(Type::I64, 1);
    let id_after = b.same(Op::Iadd, &[id, one]);
    b.jump(header, &[id_after, latch_next]);
    b.switch_to(body);
    Level { id, next, latch }
}
