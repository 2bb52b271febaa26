//! A region as a function of one item: `(context, x, y, z, index, roots...) -> number of the region that follows`.
//!
//! Values that live across barriers come from context arrays or, if they are the same for all items, from slots of the
//! group. Inside they are put into private memory, and `promote`, which runs afterwards, restores SSA form.

use super::super::private_arrays::moved_as;
use super::context_arrays::{Array, Arrays};
use super::invariants::{self, Root};
use super::linear_ids::Extent;
use super::regions::{Formed, Region, barrier_at_end};
use super::rematerialize;
use super::storage_plan::{CrossingStorage, LocalLayout, Placement, StoragePlan};
use super::{Record, Wide};
use crate::ir::abi::enqueue::MAX_WORK_GROUP_SIZE;
use crate::ir::abi::item;
use crate::ir::{
    Args, Attr, Block, Builder, Def, FuncId, Function, Inst, InstId, Mem, Op, ParamFacts, Query, Target,
    Type, Value, ValueData,
};
use crate::support::{FastMap, Id};

/// Region number that means: the kernel is over. The largest there is.
pub(super) const OVER: u64 = 0xffff_ffff;

/// What a body returns for an item that has ended: it names no region.
pub(super) const ENDED: u64 = 0xffff_fffe;

/// A region's function.
#[derive(Clone)]
pub(super) struct RegionBody {
    pub func: Function,
    /// What its parameters after the first [`FIXED`] are.
    pub roots: Vec<Root>,
    /// The same for several items side by side.
    pub wide: Option<Wide>,
    /// Its code asks for groups, so that they cannot be coalesced.
    pub asks_for_group: bool,
    /// The size of groups, if it counts items by one number (`fold`).
    pub extents: Option<[Extent; 3]>,
}

/// Parameters that every body has: context, three local ids, linear index.
pub(super) const FIXED: usize = 5;

impl RegionBody {
    /// Where it notes which item runs.
    pub(super) fn record(&self) -> Option<Record> {
        let at = self.roots.iter().position(|&root| root == Root::Item)?;
        let params = self.func.params();
        Some(Record { at: params[FIXED + at], first: params[1], extents: self.extents })
    }

    /// The places of parameters that are something else in the next items of a row, and in the next row.
    pub(super) fn turning(&self) -> [Vec<usize>; 2] {
        if self.extents.is_some() {
            return [Vec::new(), vec![1]];
        }
        let (mut items, mut rows) = (vec![1], (2..FIXED).collect::<Vec<usize>>());
        for (&root, at) in self.roots.iter().zip(FIXED..) {
            match root {
                Root::GlobalId(0) => items.push(at),
                Root::GlobalId(_) => rows.push(at),
                _ => {}
            }
        }
        [items, rows]
    }
}

/// Marks a value whose definition is still to be copied.
const PENDING: Def = Def::Param(Block(u32::MAX), 0);

/// More live values than this are not fetched at the start of a region: they would only be spilled.
const MANY: usize = 64;

/// Writes one body.
pub(super) struct BodyBuilder<'a, 'm> {
    pub formed: &'a Formed,
    pub plan: &'a StoragePlan,
    pub b: Builder<'a>,
    pub number: usize,
    locals: &'a mut LocalLayout<'m>,
    region: &'a Region,
    entry: Block,
    roots: Vec<Root>,
    root_values: FastMap<Root, Value>,
    values: FastMap<Value, Value>,
    blocks: FastMap<Block, Block>,
    /// Private copies of values that live across barriers.
    copies: FastMap<Value, Value>,
    /// Values are saved where they are defined, not where the region is left.
    saves_early: bool,
    /// Values are fetched where they are used, unless the region gives them anew.
    fetches_late: bool,
    /// What was fetched so, in each block.
    fetched: FastMap<(Block, Value), Value>,
    /// Functions that stay calls, or code that looks for the item, find it in memory.
    notes_item: bool,
    asks_for_group: bool,
}

/// Writes the body of a region. With `notes_item` the item's ids are stored where callees find them.
pub(super) fn write(
    formed: &Formed,
    plan: &StoragePlan,
    locals: &mut LocalLayout<'_>,
    number: usize,
    notes_item: bool,
) -> RegionBody {
    let mut func = Function::new(format!("{}.{number}", formed.func.name), Type::I32);
    let entry = func.add_block();
    func.add_param(entry, Type::PRIVATE);
    func.param_facts.push(ParamFacts { stride: Some(0), ..ParamFacts::default() });
    for (at, stride) in [1, 0, 0, 1].into_iter().enumerate() {
        func.add_param(entry, Type::I64);
        // Those side by side are as many as a power of two, and so is the limit: also items that do not exist are below it.
        let max = Some(MAX_WORK_GROUP_SIZE - 1);
        let facts = ParamFacts { max, is_row_id: at == 0, stride: Some(stride), ..Default::default() };
        func.param_facts.push(facts);
    }
    let region = &formed.regions[number];
    let mut builder = BodyBuilder {
        formed,
        plan,
        b: Builder::new(&mut func, entry),
        number,
        locals,
        region,
        entry,
        roots: Vec::new(),
        root_values: FastMap::default(),
        values: FastMap::default(),
        blocks: FastMap::default(),
        copies: FastMap::default(),
        saves_early: saves_early(formed, region),
        fetches_late: region.needs.len() > if formed.is_test { 0 } else { MANY },
        fetched: FastMap::default(),
        notes_item,
        asks_for_group: false,
    };
    builder.write();
    let BodyBuilder { roots, asks_for_group, .. } = builder;
    RegionBody { func, roots, wide: None, asks_for_group, extents: None }
}

/// A body of which a last parameter says whether the item takes part.
pub fn optional(body: &Function) -> Function {
    let mut func = body.clone();
    let entry = func.entry();
    let is_here = func.add_param(entry, Type::I1);
    func.param_facts.push(ParamFacts::default());
    let (start, gone) = (func.add_block(), func.add_block());
    // Private memory and constants are not in anyone's way.
    let stays = |inst: &Inst| matches!(inst.op, Op::Alloca | Op::Iconst | Op::Fconst);
    let insts = std::mem::take(&mut func.blocks[entry].insts);
    let (first, rest): (Vec<InstId>, _) = insts.into_iter().partition(|&id| stays(&func.insts[id]));
    func.blocks[entry].insts = first;
    func.blocks[start].insts = rest;
    let b = &mut Builder::new(&mut func, entry);
    b.br_if(is_here, start, gone);
    b.switch_to(gone);
    let ended = b.iconst(Type::I32, ENDED);
    b.ret(&[ended]);
    func
}

impl BodyBuilder<'_, '_> {
    fn write(&mut self) {
        // What belongs before everything is added to the entry as it is found.
        let start = self.b.func.add_block();
        self.b.switch_to(start);
        self.note_item();
        self.restore();
        let region = self.region;
        let head = self.block_of(region.head);
        self.b.jump(head, &[]);
        for &block in &region.blocks {
            self.copy_block(block);
        }
        self.b.switch_to(self.entry);
        self.b.jump(start, &[]);
    }

    /// A parameter for a root.
    pub(super) fn root(&mut self, root: Root) -> Value {
        if let Some(&value) = self.root_values.get(&root) {
            return value;
        }
        let value = self.b.func.add_param(self.entry, invariants::type_of(root));
        let facts = self.facts_of(root);
        self.b.func.param_facts.push(facts);
        self.roots.push(root);
        self.root_values.insert(root, value);
        value
    }

    /// What is known of a root. Items that run side by side differ in `x` only.
    fn facts_of(&self, root: Root) -> ParamFacts {
        let max = match root {
            Root::Query(Query::LocalSize | Query::EnqueuedLocalSize | Query::WorkDim, _) => {
                Some(MAX_WORK_GROUP_SIZE)
            }
            Root::GlobalId(_) | Root::Query(..) => self.plan.range.ids_fit_31.then_some(ParamFacts::SMALL),
            _ => None,
        };
        let told = match root {
            Root::Argument(index, _) => self.formed.func.param_facts.get(index as usize).copied(),
            _ => None,
        };
        let stride = match root {
            Root::GlobalId(0) => 1,
            Root::Object(object) => object.size,
            _ => 0,
        };
        let stride = u32::try_from(stride).ok();
        ParamFacts { max, stride, ..told.unwrap_or_default() }
    }

    fn context(&self) -> Value {
        self.b.func.params()[0]
    }
    /// The number of the item, x fastest.
    pub(super) fn index(&self) -> Value {
        self.b.func.params()[FIXED - 1]
    }
    fn local_id(&self, dim: u8) -> Value {
        self.b.func.params()[1 + usize::from(dim)]
    }

    fn note_item(&mut self) {
        if !self.notes_item {
            return;
        }
        let record = self.root(Root::Item);
        let context = self.context();
        self.b.store(context, record, Mem::natural(Type::I64));
        for dim in 0..3 {
            let at = self.b.ptr_offset(record, item::LOCAL_ID + 8 * u64::from(dim));
            let id = self.local_id(dim);
            self.b.store(id, at, Mem::natural(Type::I64));
        }
    }

    /// Emits where it dominates the whole body.
    fn at_start<T>(&mut self, emit: impl FnOnce(&mut Self) -> T) -> T {
        let here = self.b.block;
        self.b.switch_to(self.entry);
        let result = emit(self);
        self.b.switch_to(here);
        result
    }

    /// The address of the item's element of an array.
    pub(super) fn element(&mut self, array: Array) -> Value {
        for part in Arrays::parts(array) {
            self.root(Root::Arrays(part));
        }
        let index = self.index();
        let roots = &self.root_values;
        Arrays::element(&mut self.b, array, index, |part| roots[&Root::Arrays(part)])
    }

    /// Fetches what lives across the barrier: kept values into their private copies, cheap ones computed anew.
    fn restore(&mut self) {
        let region = self.region;
        for &value in &region.needs {
            match self.plan.kept.get(&value) {
                Some(_) if self.is_fetched_late(value) => {}
                Some(&kept) => {
                    let fetched = self.fetch(value, kept);
                    let copy = self.copy_of(value);
                    self.b.store(fetched, copy, Mem::natural(self.formed.func.ty(value)));
                }
                None => {
                    self.recompute(value);
                }
            }
        }
    }

    /// The private copy of a kept value.
    fn copy_of(&mut self, value: Value) -> Value {
        if let Some(&copy) = self.copies.get(&value) {
            return copy;
        }
        let ty = self.formed.func.ty(value);
        let copy = self.at_start(|w| w.b.alloca(u64::from(ty.bytes()), ty.bytes().next_power_of_two()));
        self.copies.insert(value, copy);
        copy
    }

    fn is_fetched_late(&self, value: Value) -> bool {
        self.fetches_late && self.region.changes.binary_search(&value).is_err()
    }

    /// A kept value of the item.
    fn fetch(&mut self, value: Value, kept: CrossingStorage) -> Value {
        let ty = self.formed.func.ty(value);
        match kept {
            CrossingStorage::Slot(slot) => self.root(Root::Before(slot, ty)),
            CrossingStorage::Array(array) => {
                let at = self.element(array);
                self.b.load(ty, at, Mem::natural(ty))
            }
            CrossingStorage::Sum => self.put_together(value),
        }
    }

    /// A sum of what was the same for all items when the region began, and of ids. What it is made of is not noted for others:
    /// the region may give it anew.
    fn put_together(&mut self, value: Value) -> Value {
        let formed = self.formed;
        if let Some(&CrossingStorage::Slot(slot)) = self.plan.kept.get(&value) {
            return self.root(Root::Before(slot, formed.func.ty(value)));
        }
        if let Some(known) = self.make_known(value) {
            return known;
        }
        let inst = formed.func.def_inst(value).expect("a sum of what is known");
        let args: Args = inst.args.iter().map(|&arg| self.put_together(arg)).collect();
        self.b.value(inst.op, inst.ty, &args, inst.attr.clone())
    }

    fn recompute(&mut self, value: Value) -> Value {
        if let Some(known) = self.known(value) {
            return known;
        }
        let formed = self.formed;
        let Def::Inst(id) = formed.func.values[value].def else { unreachable!("parameters are known") };
        let inst = &formed.func.insts[id];
        let mut args: Args = inst.args.iter().map(|&arg| self.recompute(arg)).collect();
        let mut attr = inst.attr.clone();
        self.enter_arrays(id, inst.op, &mut args, &mut attr);
        let new = self.b.value(inst.op, inst.ty, &args, attr);
        self.values.insert(value, new);
        new
    }

    /// In a structure of arrays an offset is one of whole arrays, and an element is aligned to its size at most.
    fn enter_arrays(&mut self, source: InstId, op: Op, args: &mut Args, attr: &mut Attr) {
        let Some(alloca) = self.plan.soa.reached(source) else { return };
        if op == Op::PtrAdd {
            let items = self.items_of(alloca);
            args[1] = self.b.same(Op::Imul, &[args[1], items]);
        }
        if let Attr::Mem(mem) = attr {
            mem.align = mem.align.min(self.plan.soa.element(alloca).expect("it is one"));
        }
    }

    /// Fills elements of a structure of arrays with zeros.
    fn fill(&mut self, alloca: InstId, at: Value, size: u64) {
        let element = self.plan.soa.element(alloca).expect("it is one");
        let items = self.items_of(alloca);
        let ty = moved_as(element);
        let nothing = self.b.zero(ty);
        for start in (0..size).step_by(element as usize) {
            let start = self.b.iconst(Type::I64, start);
            let start = self.b.same(Op::Imul, &[start, items]);
            let at = self.b.ptr_add(at, start);
            self.b.store(nothing, at, Mem::natural(ty));
        }
    }

    /// Elements of one array of a structure of arrays.
    fn items_of(&mut self, alloca: InstId) -> Value {
        let Placement::Context(array) = self.plan.placements[&alloca] else {
            unreachable!("it lives across barriers")
        };
        self.root(Root::Arrays(array.items()))
    }

    /// A value that needs no definition inside the region.
    fn known(&mut self, value: Value) -> Option<Value> {
        if let Some(&new) = self.values.get(&value) {
            return Some(new);
        }
        let new = self.make_known(value)?;
        self.values.insert(value, new);
        Some(new)
    }

    fn make_known(&mut self, value: Value) -> Option<Value> {
        let func = &self.formed.func;
        let id = match func.values[value].def {
            Def::Param(block, index) => {
                return (block == func.entry()).then(|| self.root(Root::Argument(index, func.ty(value))));
            }
            Def::Inst(id) => id,
        };
        let inst = &func.insts[id];
        match (inst.op, &inst.attr) {
            (Op::Iconst | Op::Fconst | Op::GlobalAddr, attr) => {
                Some(self.at_start(|w| w.b.value(inst.op, inst.ty, &[], attr.clone())))
            }
            (Op::LocalAddr, &Attr::Global(global)) => {
                self.asks_for_group = true;
                let at = self.locals.offset(global);
                Some(self.root(Root::Local(at)))
            }
            (Op::WorkItem, &Attr::Query(query, dim)) => Some(self.work_item(query, dim)),
            (Op::Alloca, &Attr::SizeAlign(size, align)) => Some(match self.plan.placements[&id] {
                Placement::Stack => self.at_start(|w| w.b.alloca(size, align)),
                Placement::Area(object) => self.root(Root::Object(object)),
                Placement::Context(array) => {
                    let element = self.plan.soa.element(id);
                    self.at_start(|w| {
                        w.element(element.map_or(array, |bytes| array.with_elements(bytes.into())))
                    })
                }
            }),
            _ => {
                // What a work-group function gave everyone.
                let result = self.plan.collectives.get(&id).and_then(|collective| collective.result());
                result.map(|result| self.root(Root::Before(result, inst.ty)))
            }
        }
    }

    fn work_item(&mut self, query: Query, dim: u8) -> Value {
        let is_of_range =
            matches!(query, Query::GlobalId | Query::GlobalSize | Query::GlobalOffset | Query::WorkDim);
        self.asks_for_group |= !is_of_range && !matches!(query, Query::FirstId | Query::Items);
        if rematerialize::is_uniform(&Attr::Query(query, dim)) {
            return self.root(Root::Query(query, dim));
        }
        match query {
            Query::LocalId => self.local_id(dim),
            Query::LinearId => self.index(),
            _ => self.root(Root::GlobalId(dim)),
        }
    }

    fn block_of(&mut self, block: Block) -> Block {
        if let Some(&new) = self.blocks.get(&block) {
            return new;
        }
        let new = self.b.func.add_block();
        self.blocks.insert(block, new);
        if block != self.formed.func.entry() {
            for &param in &self.formed.func.blocks[block].params {
                let ty = self.formed.func.ty(param);
                let value = self.b.func.add_param(new, ty);
                // It may have been used already, under a placeholder.
                if let Some(placeholder) = self.values.insert(param, value) {
                    let last = self.b.func.blocks[new].params.len() - 1;
                    self.b.func.blocks[new].params[last] = placeholder;
                    self.b.func.values[placeholder].def = Def::Param(new, last as u32);
                    self.values.insert(param, placeholder);
                }
            }
        }
        new
    }

    fn copy_block(&mut self, block: Block) {
        let formed = self.formed;
        let new = self.block_of(block);
        self.b.switch_to(new);
        if block != formed.func.entry() {
            for &param in &formed.func.blocks[block].params {
                let value = self.values[&param];
                self.keep(param, value);
            }
        }
        let barrier = barrier_at_end(&formed.func, block);
        for &id in &formed.func.blocks[block].insts {
            let inst = &formed.func.insts[id];
            self.b.loc = inst.loc;
            if Some(id) == barrier {
                self.arrive(id);
            } else if inst.op.is_terminator() {
                self.terminator(inst);
            } else {
                self.copy_inst(id, inst);
            }
        }
    }

    /// Stores a kept value into its private copy.
    pub(super) fn keep(&mut self, old: Value, new: Value) {
        if let Some(&kept) = self.plan.kept.get(&old) {
            let ty = self.b.func.ty(new);
            let copy = self.copy_of(old);
            self.b.store(new, copy, Mem::natural(ty));
            if self.saves_early {
                self.save(new, kept);
            }
        }
    }

    /// Stores a value where later regions find it.
    fn save(&mut self, value: Value, kept: CrossingStorage) {
        let at = match kept {
            CrossingStorage::Array(array) => self.element(array),
            CrossingStorage::Slot(slot) => self.root(Root::Slot(slot)),
            CrossingStorage::Sum => return,
        };
        self.b.store(value, at, Mem::natural(self.b.func.ty(value)));
    }

    /// The value that an operand is here.
    pub(super) fn operand(&mut self, value: Value) -> Value {
        if let Some(&kept) = self.plan.kept.get(&value) {
            if !self.is_fetched_late(value) {
                let (ty, copy) = (self.formed.func.ty(value), self.copy_of(value));
                return self.b.load(ty, copy, Mem::natural(ty));
            }
            let here = (self.b.block, value);
            if let Some(&fetched) = self.fetched.get(&here) {
                return fetched;
            }
            let fetched = self.fetch(value, kept);
            self.fetched.insert(here, fetched);
            return fetched;
        }
        if let Some(known) = self.known(value) {
            return known;
        }
        // Defined in a block of the region that is copied later.
        let ty = self.formed.func.ty(value);
        let placeholder = self.b.func.values.push(ValueData { ty, def: PENDING });
        self.values.insert(value, placeholder);
        placeholder
    }

    fn copy_inst(&mut self, source: InstId, inst: &Inst) {
        let is_known = matches!(
            inst.op,
            Op::Iconst | Op::Fconst | Op::GlobalAddr | Op::LocalAddr | Op::WorkItem | Op::Alloca
        );
        if is_known {
            return;
        }
        let mut args: Args = inst.args.iter().map(|&a| self.operand(a)).collect();
        if inst.op == Op::MemZero
            && let Some(alloca) = self.plan.soa.reached(source)
        {
            return self.fill(alloca, args[0], inst.size_align().0);
        }
        let mut attr = inst.attr.clone();
        self.enter_arrays(source, inst.op, &mut args, &mut attr);
        if let Attr::Func(callee) = attr {
            attr = Attr::Func(FuncId::new(self.plan.position[callee] as usize));
            // Callees that ask for nothing get something they do not look at.
            let item = if self.notes_item { self.root(Root::Item) } else { self.context() };
            args.insert(0, item);
        }
        let id = self.b.func.insts.next_id();
        let mut result = None;
        if let Some(old) = inst.result {
            let value = match self.values.get(&old).copied() {
                Some(value) if self.b.func.values[value].def == PENDING => value,
                // Recomputed at the start of the region already.
                Some(_) => return,
                None => self.b.func.values.push(ValueData { ty: inst.ty, def: PENDING }),
            };
            self.b.func.values[value].def = Def::Inst(id);
            self.values.insert(old, value);
            result = Some(value);
        }
        let loc = self.b.loc;
        let new = Inst { op: inst.op, ty: inst.ty, args, attr, targets: Vec::new(), result, loc };
        self.b.func.insts.push(new);
        let here = self.b.block;
        self.b.func.blocks[here].insts.push(id);
        if let (Some(old), Some(value)) = (inst.result, result) {
            self.keep(old, value);
        }
    }

    /// Before a barrier: the operands of the group's action leave the item.
    fn arrive(&mut self, barrier: InstId) {
        self.join_collective(barrier);
        let Some(slots) = self.plan.operands.get(&barrier) else { return };
        let formed = self.formed;
        for (&slot, &arg) in slots.iter().zip(&formed.func.insts[barrier].args) {
            let (value, at) = (self.operand(arg), self.root(Root::Slot(slot)));
            let ty = self.b.func.ty(value);
            self.b.store(value, at, Mem::natural(ty));
        }
    }

    fn terminator(&mut self, inst: &Inst) {
        if inst.op == Op::Ret {
            return self.end_item();
        }
        let args: Args = inst.args.iter().map(|&a| self.operand(a)).collect();
        let mut targets = Vec::new();
        let mut exits = Vec::new();
        for target in &inst.targets {
            if let Some(&next) = self.plan.region_of_head.get(&target.block) {
                // A loop back to the kernel's start cannot be: the entry has no predecessor.
                let exit = self.b.func.add_block();
                exits.push((exit, next));
                targets.push(Target::new(exit, &[]));
            } else {
                let args: Vec<Value> = target.args.iter().map(|&a| self.operand(a)).collect();
                let block = self.block_of(target.block);
                targets.push(Target::new(block, &args));
            }
        }
        self.b.inst(inst.op, Type::VOID, &args, inst.attr.clone(), targets);
        for (exit, next) in exits {
            self.b.switch_to(exit);
            self.leave(next);
        }
    }

    /// Saves what later regions may need and ends the region for the item.
    fn leave(&mut self, next: usize) {
        let formed = self.formed;
        let changes = if self.saves_early { &[][..] } else { &self.region.changes[..] };
        for &value in changes.iter().filter(|&&value| formed.is_alive(value, &formed.regions[next])) {
            let (ty, copy) = (formed.func.ty(value), self.copy_of(value));
            let loaded = self.b.load(ty, copy, Mem::natural(ty));
            self.save(loaded, self.plan.kept[&value]);
        }
        self.wait_for(next);
    }
}

/// Whether a region has so many ways out that it should not save all it defines at each.
fn saves_early(formed: &Formed, region: &Region) -> bool {
    const FEW: usize = 8;
    let ends = |block: Block| formed.func.successors(block).filter(|&next| formed.is_head[next]).count();
    region.changes.len() > FEW && region.blocks.iter().map(|&block| ends(block)).sum::<usize>() > FEW
}
