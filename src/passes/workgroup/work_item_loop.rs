//! Work-item loops: the loops over the work-items of a group around a region body.

use super::super::scalar::inline::Copier;
use super::super::work_items::{ITEM_ENDED, JammedRows, Wide};
use super::body::{KERNEL_END, NUM_FIXED_PARAMS, RegionBody};
use super::context_arrays::ArrayBase;
use super::continuations::ItemStatus;
use super::invariants::{BodyInput, Prologue};
use super::regions::KernelRegions;
use super::storage_plan::StoragePlan;
use super::{continuations, driver, uniform_regions};
use grus_ir::group_code::{FirstItem, ItemIds, Tracked};
use grus_ir::{Block, Builder, Function, InstId, IntCond, Mem, Op, Query, Target, Type, Value};
use grus_support::Id;

/// A work-item, or the first one of a vector, inside the loop nest.
#[derive(Clone, Copy)]
pub(super) struct Item {
    /// Local ids; with linear ids the first is the linear id.
    pub local_id: [Value; 3],
    /// Linear local id, x fastest.
    pub index: Value,
    /// Next region, as named by the work-items before this one.
    pub next: Value,
    /// Block that ends the iteration; its parameter is the next region.
    pub latch: Block,
}

/// Results of the loops of a region.
pub(super) struct WorkItemLoop {
    /// Number of the next region.
    pub next: Value,
    /// Local ids of the running work-item, for each innermost loop.
    pub item_ids: Tracked,
}

/// Emits a region at the builder's position: the effects that happen once for the group, then the loops over
/// its work-items. The builder is at the end of the loops afterwards. Allocations of the body go to
/// `allocas`.
pub(super) fn emit(
    b: &mut Builder<'_>,
    regions: &KernelRegions,
    plan: &StoragePlan,
    number: usize,
    body: &RegionBody,
    prologue: &mut Prologue<'_>,
    allocas: &mut Vec<InstId>,
) -> WorkItemLoop {
    driver::group_action(b, regions, plan, number, prologue);
    let before = values_before(b, body, prologue);
    let is_uniform_region =
        matches!(plan.status, ItemStatus::Nothing) && uniform_regions::is_uniform_region(body);
    let size = plan.range.local_size;
    let covers_all_items = plan.status.activity(number).is_none();
    let mut runner = Runner { plan, body, before, prologue, allocas, covers_all_items, item_ids: Vec::new() };
    let wide = body.wide.as_ref().filter(|_| !is_uniform_region);
    let mut next = b.iconst(Type::I32, KERNEL_END);
    let mut jammed_rows = None;
    // `length` is the number of work-items in a row, and `nest` the loops around a row.
    let (length, nest, known) = if is_uniform_region {
        let one = b.iconst(Type::I64, 1);
        (one, open(b, Rows::all(one), one, one, next), None)
    } else if body.extents.is_some() {
        let known = size.map(|size| size.iter().product::<u32>());
        let unmasked = match known {
            Some(known) => b.iconst(Type::I64, known.into()),
            None => runner.prologue.value(b.func, BodyInput::Arrays(ArrayBase::Items)),
        };
        (unmasked, Nest::of_one_row(b, next), known)
    } else {
        let mut query = |dim| runner.prologue.value(b.func, BodyInput::Query(Query::LocalSize, dim));
        let [x, y, z] = [0, 1, 2].map(&mut query);
        if let Some((wide, jammed)) = wide.and_then(|wide| Some((wide, wide.jammed_rows.as_ref()?))) {
            let end = runner.jammed_rows(b, [x, y, z], wide.lanes, jammed, &mut next);
            let is_all = is_multiple(size, 1, jammed.rows);
            if is_all && is_multiple(size, 0, wide.lanes) {
                return runner.finish(b, number, next);
            }
            jammed_rows = Some(JammedPart { end, is_all });
        }
        (x, open(b, Rows::all(y), z, x, next), size.map(|size| size[0]))
    };
    let row = nest.row();
    match wide {
        None => {
            let x = loop_over(b, length, 1, row);
            let item = nest.item(b, x);
            continuations::skip_inactive(b, plan.status, number, &item, runner.prologue);
            runner.run(b, Version::of_one(&body.func), &item);
        }
        Some(Wide { lanes, unmasked, masked: Some(masked), .. })
            if plan.status.activity(number).is_some() =>
        {
            // Work-items may be inactive: full vectors run the unmasked body, the others the masked one.
            let x = loop_over(b, length, u64::from(*lanes), row);
            let item = nest.item(b, x);
            let in_range = continuations::before(b, x.id, length, *lanes);
            let full_block = b.func.add_block();
            let (mask, next) = continuations::dispatch_vector(
                b,
                plan.status,
                number,
                &item,
                in_range,
                full_block,
                runner.prologue,
            )
            .expect("some take no part");
            runner.run(b, Version::masked(masked, *lanes, mask), &Item { next, ..item });
            b.switch_to(full_block);
            runner.run(b, Version::unmasked(unmasked, *lanes), &item);
        }
        Some(wide) => runner.row(b, wide, &nest, RowLength { value: length, known }, jammed_rows.as_ref()),
    }
    b.switch_to(nest.done);
    runner.finish(b, number, nest.done_next)
}

/// Number of work-items in a row.
#[derive(Clone, Copy)]
struct RowLength {
    value: Value,
    known: Option<u32>,
}

/// Rows whose full vectors were computed several rows at a time.
struct JammedPart {
    /// Number of the first row that was not.
    end: Value,
    /// True if all rows of the group certainly were.
    is_all: bool,
}

/// Checks whether the size of the group is known to be a multiple of a number in a dimension.
fn is_multiple(size: Option<[u32; 3]>, dim: usize, of: u16) -> bool {
    size.is_some_and(|size| size[dim].is_multiple_of(of.into()))
}

/// Emits the part of a size that whole steps cover; `step` is a power of two.
fn full_steps(b: &mut Builder<'_>, size: Value, step: u16) -> Value {
    let mask = b.iconst(Type::I64, !(u64::from(step) - 1));
    b.same(Op::And, &[size, mask])
}

/// A version of a region's body.
struct Version<'f> {
    func: &'f Function,
    lanes: u16,
    /// Number of rows that it computes together.
    rows: u16,
    /// Mask of active lanes, or length of a row if there are several.
    last_arg: Option<Value>,
}

impl Version<'_> {
    fn of_one(func: &Function) -> Version<'_> {
        Version::unmasked(func, 1)
    }

    fn unmasked(func: &Function, lanes: u16) -> Version<'_> {
        Version { func, lanes, rows: 1, last_arg: None }
    }

    fn masked(func: &Function, lanes: u16, mask: Value) -> Version<'_> {
        Version { func, lanes, rows: 1, last_arg: Some(mask) }
    }
}

/// Emits the body for the work-items of a region.
struct Runner<'r, 'p> {
    plan: &'r StoragePlan,
    body: &'r RegionBody,
    /// Values of slots at the start of the region, for the inputs that are such values.
    before: Vec<Option<Value>>,
    prologue: &'r mut Prologue<'p>,
    allocas: &'r mut Vec<InstId>,
    /// True if no work-item of the group is skipped.
    covers_all_items: bool,
    item_ids: Tracked,
}

impl Runner<'_, '_> {
    /// Emits one work-item or vector, or the vectors of several rows.
    fn run(&mut self, b: &mut Builder<'_>, version: Version<'_>, item: &Item) {
        let Version { func, lanes, rows, last_arg } = version;
        let first = match self.body.extents {
            Some(_) => FirstItem::LinearId(item.index),
            None => FirstItem::LocalIds(item.local_id),
        };
        self.item_ids.push(ItemIds { first, lanes, rows, covers_all_items: self.covers_all_items });
        let mut args = vec![self.prologue.context];
        args.extend(item.local_id);
        args.push(item.index);
        for (&root, &before) in self.body.inputs.iter().zip(&self.before) {
            args.push(before.unwrap_or_else(|| input_of_item(b, root, item, self.prologue)));
        }
        debug_assert_eq!(args.len(), NUM_FIXED_PARAMS + self.body.inputs.len());
        args.extend(last_arg);
        inline_body(b, self.plan, item, func, &args, self.allocas);
    }

    /// Emits the full vectors of as many rows as `jammed` computes together, for all such rows of a group of this size.
    /// Returns the first row that is left, and updates the next region. The builder is behind the loops.
    fn jammed_rows(
        &mut self,
        b: &mut Builder<'_>,
        [x, y, z]: [Value; 3],
        lanes: u16,
        jammed: &JammedRows,
        next: &mut Value,
    ) -> Value {
        debug_assert!(self.covers_all_items, "jammed bodies take no mask");
        let JammedRows { rows, body: ref func } = *jammed;
        let end = full_steps(b, y, rows);
        let nest = open(b, Rows { count: y, end, step: rows }, z, x, *next);
        let full = full_steps(b, x, lanes);
        let at = loop_over(b, full, lanes.into(), nest.row());
        let item = nest.item(b, at);
        self.run(b, Version { func, lanes, rows, last_arg: Some(x) }, &item);
        b.switch_to(nest.done);
        *next = nest.done_next;
        end
    }

    /// Emits a row in which no work-item is inactive: full vectors first, then the remainder. `jammed` are the rows
    /// whose full vectors have been emitted.
    fn row(
        &mut self,
        b: &mut Builder<'_>,
        wide: &Wide,
        nest: &Nest,
        length: RowLength,
        jammed: Option<&JammedPart>,
    ) {
        let Wide { lanes, ref unmasked, ref masked, .. } = *wide;
        let row = nest.row();
        let end = full_steps(b, length.value, lanes);
        let rest = b.func.add_block();
        let next = b.func.add_param(rest, Type::I32);
        if length.known.is_some_and(|row| row < lanes.into()) || jammed.is_some_and(|jammed| jammed.is_all) {
            b.jump(rest, &[row.next]);
        } else {
            let id = match jammed {
                // Only the remainder is left of the rows that were computed together.
                Some(jammed) => {
                    let is_remainder = b.icmp(IntCond::Ult, nest.y, jammed.end);
                    b.select(is_remainder, end, nest.zero)
                }
                None => nest.zero,
            };
            let x = loop_over(b, end, lanes.into(), Level { id, latch: rest, ..row });
            let item = nest.item(b, x);
            self.run(b, Version::unmasked(unmasked, lanes), &item);
        }
        b.switch_to(rest);
        let left = Level { id: end, next, latch: nest.latch };
        if length.known.is_some_and(|row| row.is_multiple_of(lanes.into())) {
            b.jump(nest.latch, &[next]);
        } else if let Some(masked) = masked {
            // A loop of at most one iteration. It keeps the counter live to the end, where the report of a fault
            // finds it.
            let x = loop_over(b, length.value, lanes.into(), left);
            let item = nest.item(b, x);
            let mask = continuations::before(b, end, length.value, lanes);
            self.run(b, Version::masked(masked, lanes, mask), &item);
        } else {
            let x = loop_over(b, length.value, 1, left);
            let item = nest.item(b, x);
            self.run(b, Version::of_one(&self.body.func), &item);
        }
    }

    /// Returns the results of the loops. The builder is behind them; `next` is what the last work-item answered.
    fn finish(self, b: &mut Builder<'_>, number: usize, next: Value) -> WorkItemLoop {
        let next = continuations::region_named(b, self.plan.status, number, next);
        WorkItemLoop { next, item_ids: self.item_ids }
    }
}

/// Inlines the body for one work-item or vector.
fn inline_body(
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
    // Exits that name the next region by a value.
    b.switch_to(after);
    let ended = b.iconst(Type::I32, ITEM_ENDED);
    let has_ended = b.icmp(IntCond::Eq, named, ended);
    let next = continuations::after_item(b, plan.status, item.next, named);
    let next = b.select(has_ended, item.next, next);
    b.jump(item.latch, &[next]);
}

/// Emits an input for the running work-item.
fn input_of_item(b: &mut Builder<'_>, root: BodyInput, item: &Item, prologue: &mut Prologue<'_>) -> Value {
    let BodyInput::GlobalId(dim) = root else { return prologue.value(b.func, root) };
    let base = prologue.value(b.func, BodyInput::Base(dim));
    b.same(Op::Iadd, &[base, item.local_id[usize::from(dim)]])
}

/// Loads the slots whose values at the start of the region are inputs.
fn values_before(b: &mut Builder<'_>, body: &RegionBody, prologue: &mut Prologue<'_>) -> Vec<Option<Value>> {
    let read = |&root: &BodyInput| match root {
        BodyInput::SlotAtStart(slot, ty) => {
            let at = prologue.value(b.func, BodyInput::Slot(slot));
            Some(b.load(ty, at, Mem::natural(ty)))
        }
        _ => None,
    };
    body.inputs.iter().map(read).collect()
}

/// Redirects exits of the body that name a region by a constant to the latch. `first` is the first block of
/// the copy.
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
        let next = if bits == ITEM_ENDED {
            item.next
        } else {
            continuations::after_item(b, plan.status, item.next, number)
        };
        b.jump(item.latch, &[next]);
    }
}

/// Loops over planes and rows.
struct Nest {
    zero: Value,
    y: Value,
    z: Value,
    /// Linear id of the row's first work-item.
    first: Value,
    next: Value,
    latch: Block,
    done: Block,
    done_next: Value,
}

impl Nest {
    /// Returns a nest without loops, for a group of one row.
    fn of_one_row(b: &mut Builder<'_>, next: Value) -> Nest {
        let zero = b.iconst(Type::I64, 0);
        let done = b.func.add_block();
        let done_next = b.func.add_param(done, Type::I32);
        Nest { zero, y: zero, z: zero, first: zero, next, latch: done, done, done_next }
    }

    /// Returns the level of the nest around a loop over a row.
    fn row(&self) -> Level {
        Level { id: self.zero, next: self.next, latch: self.latch }
    }

    /// Returns the work-item of a loop over a row.
    fn item(&self, b: &mut Builder<'_>, x: Level) -> Item {
        let index = if self.first == self.zero { x.id } else { b.same(Op::Iadd, &[self.first, x.id]) };
        Item { local_id: [x.id, self.y, self.z], index, next: x.next, latch: x.latch }
    }
}

/// Rows of a plane over which a loop iterates.
struct Rows {
    /// Number of rows of the plane.
    count: Value,
    /// First row that it leaves out.
    end: Value,
    step: u16,
}

impl Rows {
    fn all(count: Value) -> Rows {
        Rows { count, end: count, step: 1 }
    }
}

/// Opens the loops over rows and planes at the builder's position; the builder is before a row afterwards.
fn open(b: &mut Builder<'_>, rows: Rows, planes: Value, length: Value, next: Value) -> Nest {
    let zero = b.iconst(Type::I64, 0);
    let done = b.func.add_block();
    let done_next = b.func.add_param(done, Type::I32);
    let z = loop_over(b, planes, 1, Level { id: zero, next, latch: done });
    let y = loop_over(b, rows.end, rows.step.into(), Level { id: zero, next: z.next, latch: z.latch });
    let plane = b.same(Op::Imul, &[z.id, rows.count]);
    let row = b.same(Op::Iadd, &[plane, y.id]);
    let first = b.same(Op::Imul, &[row, length]);
    Nest { zero, y: y.id, z: z.id, first, next: y.next, latch: y.latch, done, done_next }
}

/// One loop of the nest.
#[derive(Clone, Copy)]
struct Level {
    id: Value,
    next: Value,
    /// Block that ends an iteration; its parameter is the next region.
    latch: Block,
}

/// Emits `for id in (outer.id..size)` by steps, with `outer.latch` as the exit; the builder is in the body
/// afterwards. The exit edge of the header comes first, because code generation hoists invariants only out of
/// loops of that form.
fn loop_over(b: &mut Builder<'_>, size: Value, step: u64, outer: Level) -> Level {
    let header = b.func.add_block();
    let id = b.func.add_param(header, Type::I64);
    let next = b.func.add_param(header, Type::I32);
    let body = b.func.add_block();
    let latch = b.func.add_block();
    let latch_next = b.func.add_param(latch, Type::I32);
    b.jump(header, &[outer.id, outer.next]);
    b.switch_to(header);
    let is_done = b.icmp(IntCond::Uge, id, size);
    b.br_to(is_done, Target::new(outer.latch, &[next]), Target::new(body, &[]));
    b.switch_to(latch);
    let step = b.iconst(Type::I64, step);
    let id_after = b.same(Op::Iadd, &[id, step]);
    b.jump(header, &[id_after, latch_next]);
    b.switch_to(body);
    Level { id, next, latch }
}
