//! The loop over the work-items of a group, around the body of a region.

use super::body::{Body, ENDED, FIXED, OVER};
use super::plan::Plan;
use super::regions::Formed;
use super::roots::{Prologue, Root};
use super::waiting::Waiting;
use super::{ItemIds, Tracked, driver, same, waiting};
use crate::ir::{Attr, Block, Builder, Function, InstId, IntCond, Mem, Op, Query, Target, Type, Value};
use crate::passes::scalar::inline::Copier;
use crate::support::Id;

/// Where an item is inside the loop nest.
pub(super) struct Item {
    pub local_id: [Value; 3],
    /// Counts all items, x fastest.
    pub index: Value,
    /// The region that follows, as far as the items before this one have said.
    pub next: Value,
    /// Ends the item; takes the region that follows.
    pub latch: Block,
}

/// What the rows of a region are.
pub(super) struct Rows {
    /// The region that follows.
    pub next: Value,
    /// Local ids of the running item, for each loop that runs some.
    pub item_ids: Tracked,
}

/// Emits a region at the builder's position: what the group does at its start, then its items. The builder stands behind
/// the loop afterwards. Private memory of the body goes to `allocas`.
pub(super) fn emit(
    b: &mut Builder<'_>,
    formed: &Formed,
    plan: &Plan,
    number: usize,
    body: &Body,
    prologue: &mut Prologue<'_>,
    allocas: &mut Vec<InstId>,
) -> Rows {
    driver::group_action(b, formed, plan, number, prologue);
    let before = values_before(b, body, prologue);
    driver::begin_collectives(b, formed, plan, number, prologue);
    let is_same = matches!(plan.waiting, Waiting::Nothing) && same::is_same(body);
    let size = [0, 1, 2].map(|dim| match is_same {
        true => b.iconst(Type::I64, 1),
        false => prologue.value(b.func, Root::Query(Query::LocalSize, dim)),
    });
    let nest = open(b, size, OVER);
    let mut item_ids = Vec::new();
    let mut run = |b: &mut Builder<'_>, func: &Function, lanes: u16, x: Level| {
        let item = nest.item(b, x);
        item_ids.push(ItemIds { ids: item.local_id, lanes });
        waiting::skip(b, plan.waiting, number, &item, prologue);
        let mut args = vec![prologue.context];
        args.extend(item.local_id);
        args.push(item.index);
        args.extend(body.roots.iter().zip(&before).map(|(&root, before)| match before {
            Some(value) => *value,
            None => root_of_item(b, root, &item, prologue),
        }));
        debug_assert_eq!(args.len(), FIXED + body.roots.len());
        one(b, plan, &item, func, &args, allocas);
    };
    let row = Level { id: nest.zero, next: nest.next, latch: nest.latch };
    match &body.wide {
        _ if is_same => {
            let x = loop_over(b, size[0], 1, row);
            run(b, &body.func, 1, x);
        }
        None => {
            let x = loop_over(b, size[0], 1, row);
            run(b, &body.func, 1, x);
        }
        Some((wide, lanes)) => {
            // As many as fill all lanes, then what is left, one by one.
            let mask = b.iconst(Type::I64, !(u64::from(*lanes) - 1));
            let end = b.same(Op::And, &[size[0], mask]);
            let rest = b.func.add_block();
            let next = b.func.add_param(rest, Type::I32);
            let x = loop_over(b, end, u64::from(*lanes), Level { latch: rest, ..row });
            run(b, wide, *lanes, x);
            b.switch_to(rest);
            let is_whole = plan.range.local_size.is_some_and(|size| size[0] % u32::from(*lanes) == 0);
            if is_whole {
                b.jump(nest.latch, &[next]);
            } else {
                let x = loop_over(b, size[0], 1, Level { id: end, next, latch: nest.latch });
                run(b, &body.func, 1, x);
            }
        }
    }
    b.switch_to(nest.done);
    Rows { next: nest.done_next, item_ids }
}

/// One item, or as many as the body is for.
fn one(
    b: &mut Builder<'_>,
    plan: &Plan,
    item: &Item,
    body: &Function,
    args: &[Value],
    allocas: &mut Vec<InstId>,
) {
    let after = b.func.add_block();
    let named = b.func.add_param(after, Type::I32);
    let first = b.func.blocks.next_id();
    let start = Copier::copy(b.func, body, args, after, 0, allocas);
    b.jump(start, &[]);
    skip_constants(b, plan, item, first, after);
    // What the body does not name as a constant.
    b.switch_to(after);
    let ended = b.iconst(Type::I32, ENDED);
    let has_ended = b.icmp(IntCond::Eq, named, ended);
    let next = waiting::after_item(b, plan.waiting, item.next, named);
    let next = b.select(has_ended, item.next, next);
    b.jump(item.latch, &[next]);
}

/// A root for the running item.
fn root_of_item(b: &mut Builder<'_>, root: Root, item: &Item, prologue: &mut Prologue<'_>) -> Value {
    let Root::GlobalId(dim) = root else { return prologue.value(b.func, root) };
    let base = prologue.value(b.func, Root::Base(dim));
    b.same(Op::Iadd, &[base, item.local_id[usize::from(dim)]])
}

/// What slots hold before the items begin, for the roots that ask.
fn values_before(b: &mut Builder<'_>, body: &Body, prologue: &mut Prologue<'_>) -> Vec<Option<Value>> {
    let read = |&root: &Root| match root {
        Root::Before(slot, ty) => {
            let at = prologue.value(b.func, Root::Slot(slot));
            Some(b.load(ty, at, Mem::natural(ty)))
        }
        _ => None,
    };
    body.roots.iter().map(read).collect()
}

/// Ends of the body that name a region by a constant go straight to the latch. `first` is the first block of the copy.
fn skip_constants(b: &mut Builder<'_>, plan: &Plan, item: &Item, first: Block, after: Block) {
    let blocks: Vec<Block> = (first.index()..b.func.blocks.len()).map(Block::new).collect();
    for block in blocks {
        let Some(last) = b.func.blocks[block].insts.last().copied() else { continue };
        let inst = &b.func.insts[last];
        let target = inst.targets.first().filter(|target| inst.op == Op::Jump && target.block == after);
        let Some(number) = target.map(|target| target.args[0]) else { continue };
        let Some(bits) = b.func.as_const(number) else { continue };
        b.func.blocks[block].insts.pop();
        b.switch_to(block);
        let next =
            if bits == ENDED { item.next } else { waiting::after_item(b, plan.waiting, item.next, number) };
        b.jump(item.latch, &[next]);
    }
}

/// The loops over planes and rows.
struct Nest {
    zero: Value,
    y: Value,
    z: Value,
    /// The number of the row's first item.
    first: Value,
    next: Value,
    latch: Block,
    done: Block,
    done_next: Value,
}

impl Nest {
    /// The item of a loop over a row.
    fn item(&self, b: &mut Builder<'_>, x: Level) -> Item {
        let index = b.same(Op::Iadd, &[self.first, x.id]);
        Item { local_id: [x.id, self.y, self.z], index, next: x.next, latch: x.latch }
    }
}

/// Opens the nest at the builder's position; the builder stands before a row afterwards.
/// `start` is the region that follows if no item names one.
fn open(b: &mut Builder<'_>, size: [Value; 3], start: u64) -> Nest {
    let zero = b.iconst(Type::I64, 0);
    let next = b.iconst(Type::I32, start);
    let done = b.func.add_block();
    let done_next = b.func.add_param(done, Type::I32);
    let z = loop_over(b, size[2], 1, Level { id: zero, next, latch: done });
    let y = loop_over(b, size[1], 1, Level { id: zero, next: z.next, latch: z.latch });
    let plane = b.same(Op::Imul, &[z.id, size[1]]);
    let row = b.same(Op::Iadd, &[plane, y.id]);
    let first = b.same(Op::Imul, &[row, size[0]]);
    Nest { zero, y: y.id, z: z.id, first, next: y.next, latch: y.latch, done, done_next }
}

/// One loop of the nest.
#[derive(Clone, Copy)]
struct Level {
    id: Value,
    next: Value,
    /// Ends an iteration; takes the region that follows.
    latch: Block,
}

/// `for id in (outer.id..size)` by steps, leaving to `outer.latch`; the builder
/// stands in the body afterwards. The exit edge of the header comes first: code
/// generation hoists invariants out of loops of that shape only.
fn loop_over(b: &mut Builder<'_>, size: Value, step: u64, outer: Level) -> Level {
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
    let step = b.iconst(Type::I64, step);
    let id_after = b.same(Op::Iadd, &[id, step]);
    b.jump(header, &[id_after, latch_next]);
    b.switch_to(body);
    Level { id, next, latch }
}
