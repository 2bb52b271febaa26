//! The loop over the work-items of a group, around the body of a region.

use super::super::scalar::inline::Copier;
use super::body::{ENDED, FIXED, OVER, RegionBody};
use super::context_arrays::ArrayBase;
use super::continuations::Waiting;
use super::invariants::{Prologue, Root};
use super::regions::Formed;
use super::storage_plan::StoragePlan;
use super::{First, ItemIds, Tracked, Wide, continuations, driver, uniform_regions};
use crate::ir::{Block, Builder, Function, InstId, IntCond, Mem, Op, Query, Target, Type, Value};
use crate::support::Id;

/// Where an item is inside the loop nest.
#[derive(Clone, Copy)]
pub(super) struct Item {
    /// Of a folded body the first is the number, too.
    pub local_id: [Value; 3],
    /// Counts all items, x fastest.
    pub index: Value,
    /// The region that follows, as far as the items before this one have said.
    pub next: Value,
    /// Ends the item; takes the region that follows.
    pub latch: Block,
}

/// What the rows of a region are.
pub(super) struct WorkItemLoop {
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
    plan: &StoragePlan,
    number: usize,
    body: &RegionBody,
    prologue: &mut Prologue<'_>,
    allocas: &mut Vec<InstId>,
) -> WorkItemLoop {
    driver::group_action(b, formed, plan, number, prologue);
    let before = values_before(b, body, prologue);
    let is_same = matches!(plan.waiting, Waiting::Nothing) && uniform_regions::is_same(body);
    let size = plan.range.local_size;
    // The length of a row, and the loops around it.
    let (length, nest, known) = if is_same {
        let one = b.iconst(Type::I64, 1);
        (one, open(b, [one; 2], one), None)
    } else if body.extents.is_some() {
        let known = size.map(|size| size.iter().product::<u32>());
        let all = match known {
            Some(known) => b.iconst(Type::I64, known.into()),
            None => prologue.value(b.func, Root::Arrays(ArrayBase::Items)),
        };
        (all, Nest::of_one_row(b), known)
    } else {
        let [x, y, z] = [0, 1, 2].map(|dim| prologue.value(b.func, Root::Query(Query::LocalSize, dim)));
        (x, open(b, [y, z], x), size.map(|size| size[0]))
    };
    let are_all = plan.waiting.notes(number).is_none();
    let mut runner = Runner { plan, body, before, prologue, allocas, are_all, item_ids: Vec::new() };
    let row = Level { id: nest.zero, next: nest.next, latch: nest.latch };
    match body.wide.as_ref().filter(|_| !is_same) {
        None => {
            let x = loop_over(b, length, 1, row);
            let item = nest.item(b, x);
            continuations::skip(b, plan.waiting, number, &item, runner.prologue);
            runner.run(b, &body.func, 1, &item, None);
        }
        Some(Wide { lanes, all, some: Some(some), .. }) if plan.waiting.notes(number).is_some() => {
            // Whoever there is of so many: all of them if the row goes on and nobody takes no part.
            let x = loop_over(b, length, u64::from(*lanes), row);
            let item = nest.item(b, x);
            let exist = continuations::before(b, x.id, length, *lanes);
            let whole = b.func.add_block();
            let (here, next) =
                continuations::sort_out(b, plan.waiting, number, &item, exist, whole, runner.prologue)
                    .expect("some take no part");
            runner.run(b, some, *lanes, &Item { next, ..item }, Some(here));
            b.switch_to(whole);
            runner.run(b, all, *lanes, &item, None);
        }
        Some(Wide { lanes, all, some, .. }) => {
            // As many as fill all lanes, then what is left.
            let mask = b.iconst(Type::I64, !(u64::from(*lanes) - 1));
            let end = b.same(Op::And, &[length, mask]);
            let rest = b.func.add_block();
            let next = b.func.add_param(rest, Type::I32);
            if known.is_some_and(|row| row < u32::from(*lanes)) {
                b.jump(rest, &[row.next]);
            } else {
                let x = loop_over(b, end, u64::from(*lanes), Level { latch: rest, ..row });
                let item = nest.item(b, x);
                runner.run(b, all, *lanes, &item, None);
            }
            b.switch_to(rest);
            let left = Level { id: end, next, latch: nest.latch };
            if known.is_some_and(|row| row % u32::from(*lanes) == 0) {
                b.jump(nest.latch, &[next]);
            } else if let Some(some) = some {
                // Of one turn at most: what counts is kept to its end, where a report of a fault finds it.
                let x = loop_over(b, length, u64::from(*lanes), left);
                let item = nest.item(b, x);
                let here = continuations::before(b, end, length, *lanes);
                runner.run(b, some, *lanes, &item, Some(here));
            } else {
                let x = loop_over(b, length, 1, left);
                let item = nest.item(b, x);
                runner.run(b, &body.func, 1, &item, None);
            }
        }
    }
    let item_ids = runner.item_ids;
    b.switch_to(nest.done);
    let next = continuations::region_named(b, plan.waiting, number, nest.done_next);
    WorkItemLoop { next, item_ids }
}

/// Runs items of a region.
struct Runner<'r, 'p> {
    plan: &'r StoragePlan,
    body: &'r RegionBody,
    /// What slots held before the items, for the roots that ask.
    before: Vec<Option<Value>>,
    prologue: &'r mut Prologue<'p>,
    allocas: &'r mut Vec<InstId>,
    /// No item of the group is left out.
    are_all: bool,
    item_ids: Tracked,
}

impl Runner<'_, '_> {
    /// One, or as many as the function is for, which may want to know which ones.
    fn run(&mut self, b: &mut Builder<'_>, func: &Function, lanes: u16, item: &Item, here: Option<Value>) {
        let first = match self.body.extents {
            Some(_) => First::Number(item.index),
            None => First::Ids(item.local_id),
        };
        self.item_ids.push(ItemIds { first, lanes, are_all: self.are_all });
        let mut args = vec![self.prologue.context];
        args.extend(item.local_id);
        args.push(item.index);
        for (&root, &before) in self.body.roots.iter().zip(&self.before) {
            args.push(before.unwrap_or_else(|| root_of_item(b, root, item, self.prologue)));
        }
        debug_assert_eq!(args.len(), FIXED + self.body.roots.len());
        args.extend(here);
        one(b, self.plan, item, func, &args, self.allocas);
    }
}

/// One item, or as many as the body is for.
fn one(
    b: &mut Builder<'_>,
    plan: &StoragePlan,
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
    let next = continuations::after_item(b, plan.waiting, item.next, named);
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
fn values_before(b: &mut Builder<'_>, body: &RegionBody, prologue: &mut Prologue<'_>) -> Vec<Option<Value>> {
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
fn skip_constants(b: &mut Builder<'_>, plan: &StoragePlan, item: &Item, first: Block, after: Block) {
    let blocks: Vec<Block> = (first.index()..b.func.blocks.len()).map(Block::new).collect();
    for block in blocks {
        let Some(last) = b.func.blocks[block].insts.last().copied() else { continue };
        let inst = &b.func.insts[last];
        let target = inst.targets.first().filter(|target| inst.op == Op::Jump && target.block == after);
        let Some(number) = target.map(|target| target.args[0]) else { continue };
        let Some(bits) = b.func.as_const(number) else { continue };
        b.func.blocks[block].insts.pop();
        b.switch_to(block);
        let next = if bits == ENDED {
            item.next
        } else {
            continuations::after_item(b, plan.waiting, item.next, number)
        };
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
    /// There are none: a row is all there is.
    fn of_one_row(b: &mut Builder<'_>) -> Nest {
        let (zero, next) = (b.iconst(Type::I64, 0), b.iconst(Type::I32, OVER));
        let done = b.func.add_block();
        let done_next = b.func.add_param(done, Type::I32);
        Nest { zero, y: zero, z: zero, first: zero, next, latch: done, done, done_next }
    }

    /// The item of a loop over a row.
    fn item(&self, b: &mut Builder<'_>, x: Level) -> Item {
        let index = if self.first == self.zero { x.id } else { b.same(Op::Iadd, &[self.first, x.id]) };
        Item { local_id: [x.id, self.y, self.z], index, next: x.next, latch: x.latch }
    }
}

/// Opens the loops over so many rows and planes at the builder's position; the builder stands before a row afterwards.
fn open(b: &mut Builder<'_>, [rows, planes]: [Value; 2], length: Value) -> Nest {
    let zero = b.iconst(Type::I64, 0);
    let next = b.iconst(Type::I32, OVER);
    let done = b.func.add_block();
    let done_next = b.func.add_param(done, Type::I32);
    let z = loop_over(b, planes, 1, Level { id: zero, next, latch: done });
    let y = loop_over(b, rows, 1, Level { id: zero, next: z.next, latch: z.latch });
    let plane = b.same(Op::Imul, &[z.id, rows]);
    let row = b.same(Op::Iadd, &[plane, y.id]);
    let first = b.same(Op::Imul, &[row, length]);
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
    b.br_to(over, Target::new(outer.latch, &[next]), Target::new(body, &[]));
    b.switch_to(latch);
    let step = b.iconst(Type::I64, step);
    let id_after = b.same(Op::Iadd, &[id, step]);
    b.jump(header, &[id_after, latch_next]);
    b.switch_to(body);
    Level { id, next, latch }
}
