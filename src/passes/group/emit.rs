//! Writes the group function: regions in item loops, values that cross barriers,
//! private and local memory.

mod collective;
mod waiting;

use collective::Collectives;
use waiting::{OVER, Waiting};

use super::context::{Array, Arrays};
use super::cut::{Cut, Region, barrier_at_end};
use super::items::{self, Item};
use super::{GroupCode, calls, remat};
use crate::ir::abi::{AREA_ALIGN, Param, item, offset};
use crate::ir::{
    Args, Attr, Block, Builder, Def, FuncId, Function, GlobalId, Helper, Inst, InstId, Mem, Module, Op,
    Query, Target, Type, Value,
};
use crate::support::environment::environment;
use crate::support::{FastMap, Id, IdMap};

/// Private objects up to this size may stand on the stack, as long as all together
/// stay below eight times that.
const STACK_OBJECT: u64 = 4096;

/// Offsets of `local` variables, given out as they are met.
pub(super) struct LocalLayout<'m> {
    module: &'m Module,
    offsets: FastMap<GlobalId, u64>,
    size: u64,
}

impl LocalLayout<'_> {
    pub(super) fn offset(&mut self, global: GlobalId) -> u64 {
        if let Some(&offset) = self.offsets.get(&global) {
            return offset;
        }
        let variable = &self.module.globals[global];
        let start = self.size.next_multiple_of(variable.align.clamp(1, AREA_ALIGN));
        self.size = start + variable.size;
        self.offsets.insert(global, start);
        start
    }
}

/// Where an alloca of the kernel lives.
#[derive(Clone, Copy)]
enum Home {
    /// At this address for all items, one after the other.
    Shared(Value),
    /// An element of this context array.
    Context(Array),
}

/// Marks a value whose definition is still to be copied.
const PENDING: Def = Def::Param(Block(u32::MAX), 0);

/// More carried values than this are not fetched at the start of a region: they would only be spilled.
const MANY: usize = 64;

struct Emitter<'a, 'm> {
    cut: &'a Cut,
    params: &'a [Param],
    b: Builder<'a>,
    entry: Block,
    ctx: Value,
    local_size: [Value; 3],
    /// Kernel values that are the same for all items, made in the entry.
    roots: FastMap<Value, Value>,
    queries: FastMap<(Query, u8), Value>,
    homes: FastMap<InstId, Home>,
    /// Private copy of each carried value, and its context array.
    carried: FastMap<Value, (Value, Array)>,
    /// Operands of each async copy, on their way from the items to the group.
    operands: FastMap<InstId, Vec<Value>>,
    collectives: Collectives,
    waiting: Waiting,
    /// Goes on with any region, where that must be.
    dispatcher: Option<Block>,
    starts: Vec<Block>,
    region_of_head: FastMap<Block, usize>,
    position: IdMap<FuncId, u32>,
    item_context: Option<Value>,
    /// Local ids in each region, see `GroupCode::item_ids`.
    item_ids: Vec<[Value; 3]>,
    locals: LocalLayout<'m>,
    arrays: Arrays,
    private_size: u64,
    flat: bool,
}

/// Emits the code of a kernel that was cut.
/// With `ids_in_memory` the local ids are where callees find them, even if there are none.
pub(super) fn emit(
    module: &Module,
    cut: &Cut,
    params: &[Param],
    callees: &[FuncId],
    ids_in_memory: bool,
) -> GroupCode {
    let mut func = Function::new(cut.func.name.clone(), Type::VOID);
    let entry = func.add_block();
    let ctx = func.add_param(entry, Type::PRIVATE);
    let asking = callees.iter().any(|&callee| calls::asks(&module.funcs[callee]));
    let calling = ids_in_memory || !callees.is_empty() || cut.func.instructions().any(leaves_code);
    let mut emitter = Emitter {
        cut,
        params,
        b: Builder::new(&mut func, entry),
        entry,
        ctx,
        local_size: [ctx; 3],
        roots: FastMap::default(),
        queries: FastMap::default(),
        homes: FastMap::default(),
        carried: FastMap::default(),
        operands: FastMap::default(),
        collectives: Collectives::default(),
        waiting: Waiting::default(),
        dispatcher: None,
        starts: Vec::new(),
        region_of_head: FastMap::default(),
        position: calls::positions(callees, module.funcs.len()),
        item_context: None,
        item_ids: Vec::new(),
        locals: LocalLayout { module, offsets: FastMap::default(), size: 0 },
        arrays: Arrays::default(),
        private_size: 0,
        flat: cut.regions.len() == 1 && !asking && !params.iter().any(|p| matches!(p, Param::Local(_))),
    };
    emitter.prologue(calling);
    for number in 0..cut.regions.len() {
        emitter.region(number);
    }
    emitter.epilogue();
    let Emitter { mut locals, arrays, private_size, flat, position, item_ids, .. } = emitter;
    let mut functions = vec![func];
    for &callee in callees {
        functions.push(calls::convert(&module.funcs[callee], &position, &mut locals));
    }
    let local_size = locals.size.next_multiple_of(AREA_ALIGN);
    GroupCode { functions, local_size, private_size, context: arrays.size, frame_size: 0, flat, item_ids }
}

impl Emitter<'_, '_> {
    /// What is made once for each group: sizes, context arrays, private memory.
    fn prologue(&mut self, calls: bool) {
        let persistent = persistent_allocas(self.cut);
        self.local_size = [0, 1, 2].map(|dim| self.query(Query::LocalSize, dim));
        let starts = self.cut.regions.iter().map(|_| self.b.func.add_block()).collect();
        self.starts = starts;
        for (i, region) in self.cut.regions.iter().enumerate() {
            self.region_of_head.insert(region.head, i);
        }
        if calls {
            let record = self.b.alloca(item::SIZE, 8);
            let slot = self.b.ptr_offset(self.ctx, offset::ITEM);
            self.b.store(record, slot, natural(Type::I64));
            self.item_context = Some(record);
        }
        let shared = self.find_homes(&persistent);
        self.private_size = self.private_size.next_multiple_of(AREA_ALIGN);
        let area = calls::load(&mut self.b, Type::PRIVATE, self.ctx, offset::PRIVATE);
        let arrays = self.b.ptr_offset(area, self.private_size);
        for (alloca, at) in shared {
            let address = self.b.ptr_offset(area, at);
            self.homes.insert(alloca, Home::Shared(address));
        }
        self.lay_out_context(arrays, &persistent);
        for region in &self.cut.regions {
            if let Some(barrier) = region.barrier.filter(|&i| self.cut.func.insts[i].op == Op::AsyncCopy) {
                let types = self.cut.func.insts[barrier].args.iter().map(|&a| self.cut.func.ty(a));
                let slots = types.map(|ty| self.b.alloca(u64::from(ty.bytes()), ty.bytes())).collect();
                self.operands.insert(barrier, slots);
            }
        }
        self.make_room_for_collectives();
    }

    /// Decides where each alloca lives. Those in the shared area come back with their
    /// offset; those of the stack are made here; those of context arrays come later.
    fn find_homes(&mut self, persistent: &[InstId]) -> Vec<(InstId, u64)> {
        let mut area = Vec::new();
        let mut stack = 0;
        for &block in &self.cut.func.layout {
            for &id in &self.cut.func.blocks[block].insts {
                let Attr::SizeAlign(size, align) = self.cut.func.insts[id].attr else { continue };
                if self.cut.func.insts[id].op != Op::Alloca || persistent.binary_search(&id).is_ok() {
                    continue;
                }
                let fits = size <= STACK_OBJECT && align <= 16 && stack + size <= 8 * STACK_OBJECT;
                if fits {
                    stack += size;
                    let address = self.b.alloca(size, align);
                    self.homes.insert(id, Home::Shared(address));
                } else {
                    let at = self.private_size.next_multiple_of(u64::from(align).min(AREA_ALIGN));
                    self.private_size = at + size;
                    area.push((id, at));
                }
            }
        }
        area
    }

    /// Gives everything that lives across a barrier its array.
    fn lay_out_context(&mut self, start: Value, persistent: &[InstId]) {
        for &id in persistent {
            let Attr::SizeAlign(size, align) = self.cut.func.insts[id].attr else { continue };
            let size = size.max(1).next_multiple_of(u64::from(align).clamp(1, AREA_ALIGN));
            self.homes.insert(id, Home::Context(self.arrays.add(size)));
        }
        for &value in &self.cut.carried {
            let ty = self.cut.func.ty(value);
            let copy = self.b.alloca(u64::from(ty.bytes()), ty.bytes().next_power_of_two());
            self.carried.insert(value, (copy, self.arrays.add(u64::from(ty.bytes()))));
        }
        self.make_room_for_waiting();
        let plane = self.b.same(Op::Imul, &[self.local_size[0], self.local_size[1]]);
        let items = self.b.same(Op::Imul, &[plane, self.local_size[2]]);
        self.arrays.place(&mut self.b, start, items);
    }

    /// The end of the entry, and the return.
    fn epilogue(&mut self) {
        self.b.switch_to(self.entry);
        let first = self.starts[0];
        self.b.jump(first, &[]);
    }

    /// A group-wide query, read once.
    fn query(&mut self, query: Query, dim: u8) -> Value {
        if let Some(&value) = self.queries.get(&(query, dim)) {
            return value;
        }
        let value = self.in_entry(|e| calls::uniform(&mut e.b, e.ctx, query, dim));
        self.queries.insert((query, dim), value);
        value
    }

    /// Emits into the entry block.
    fn in_entry<T>(&mut self, emit: impl FnOnce(&mut Self) -> T) -> T {
        let here = self.b.block;
        self.b.switch_to(self.entry);
        let result = emit(self);
        self.b.switch_to(here);
        result
    }

    fn region(&mut self, number: usize) {
        let cut = self.cut;
        let region = &cut.regions[number];
        self.b.switch_to(self.starts[number]);
        self.group_action(region);
        let values = self.collective_results(region);
        self.begin_collectives(region);
        let item = items::open(&mut self.b, self.local_size, OVER);
        self.item_ids.push(item.local_id);
        let mut copy = RegionCopy {
            number,
            region,
            item,
            ids: FastMap::default(),
            values,
            blocks: FastMap::default(),
            saves_early: saves_early(cut, region),
            fetches_late: region.needs.len() > if environment().chunk.is_some() { 0 } else { MANY },
            fetched: FastMap::default(),
        };
        // What `at_item_start` emits goes in between.
        let body = self.b.func.add_block();
        self.b.switch_to(body);
        self.skip_waiting(number, item);
        self.tell_callees(item);
        self.restore(&mut copy);
        let head = self.block_of(&mut copy, region.head);
        self.b.jump(head, &[]);
        for &block in &region.blocks {
            self.copy_block(&mut copy, block);
        }
        self.b.switch_to(item.start);
        self.b.jump(body, &[]);
        self.b.switch_to(item.done);
        self.dispatch(region, item.done_next);
    }

    /// What happens once for the group before the region starts: the end of a work-group
    /// function, the async copy.
    fn group_action(&mut self, region: &Region) {
        let Some(barrier) = region.barrier else { return };
        let inst = &self.cut.func.insts[barrier];
        self.end_collective(barrier);
        if inst.op != Op::AsyncCopy {
            return;
        }
        let slots = self.operands[&barrier].clone();
        let mut args = Vec::new();
        for (slot, &arg) in slots.into_iter().zip(&inst.args) {
            let ty = self.cut.func.ty(arg);
            args.push(self.b.load(ty, slot, natural(ty)));
        }
        args.push(self.b.iconst(Type::I64, inst.int()));
        self.b.helper(Helper::StridedCopy, Type::VOID, &args);
    }

    fn tell_callees(&mut self, item: Item) {
        let Some(context) = self.item_context else { return };
        self.b.store(self.ctx, context, natural(Type::I64));
        for (dim, &id) in item.local_id.iter().enumerate() {
            let at = self.b.ptr_offset(context, item::LOCAL_ID + 8 * dim as u64);
            self.b.store(id, at, natural(Type::I64));
        }
    }

    /// Fetches what lives across the barrier: carried values into their private copies,
    /// cheap ones computed anew.
    fn restore(&mut self, copy: &mut RegionCopy<'_>) {
        for &value in &copy.region.needs {
            if let Some(&(private, array)) = self.carried.get(&value) {
                if !copy.is_fetched_late(value) {
                    let loaded = self.fetch(copy, value, array);
                    self.b.store(loaded, private, natural(self.cut.func.ty(value)));
                }
            } else {
                self.recompute(copy, value);
            }
        }
    }

    /// A carried value of the item.
    fn fetch(&mut self, copy: &RegionCopy<'_>, value: Value, array: Array) -> Value {
        let ty = self.cut.func.ty(value);
        let at = self.element(array, copy.item.index);
        self.b.load(ty, at, natural(ty))
    }

    fn recompute(&mut self, copy: &mut RegionCopy<'_>, value: Value) -> Value {
        if let Some(known) = self.known(copy, value) {
            return known;
        }
        let cut = self.cut;
        let inst = cut.func.def_inst(value).expect("parameters are known");
        let args: Args = inst.args.iter().map(|&arg| self.recompute(copy, arg)).collect();
        let new = self.b.value(inst.op, inst.ty, &args, inst.attr.clone());
        copy.values.insert(value, new);
        new
    }

    /// A value that needs no definition inside the region.
    fn known(&mut self, copy: &mut RegionCopy<'_>, value: Value) -> Option<Value> {
        if let Some(&new) = copy.values.get(&value).or_else(|| self.roots.get(&value)) {
            return Some(new);
        }
        if let Def::Param(block, index) = self.cut.func.values[value].def {
            if block != self.cut.func.entry() {
                return None;
            }
            let root = self.argument(index as usize, self.cut.func.ty(value));
            self.roots.insert(value, root);
            return Some(root);
        }
        let inst = self.cut.func.def_inst(value)?;
        match (inst.op, &inst.attr) {
            (Op::Iconst | Op::Fconst | Op::GlobalAddr, _) => {
                let (op, ty, attr) = (inst.op, inst.ty, inst.attr.clone());
                let root = self.in_entry(|e| e.b.value(op, ty, &[], attr));
                self.roots.insert(value, root);
                Some(root)
            }
            (Op::LocalAddr, &Attr::Global(global)) => {
                self.flat = false;
                let at = self.locals.offset(global);
                let root = self.in_entry(|e| {
                    let local = calls::load(&mut e.b, Type::LOCAL, e.ctx, offset::LOCAL);
                    e.b.ptr_offset(local, at)
                });
                self.roots.insert(value, root);
                Some(root)
            }
            (Op::WorkItem, &Attr::Query(query, dim)) => Some(self.work_item(copy, query, dim)),
            (Op::Alloca, _) => {
                let Def::Inst(id) = self.cut.func.values[value].def else { return None };
                let address = match self.homes[&id] {
                    Home::Shared(address) => address,
                    Home::Context(array) => self.at_item_start(copy, |e, item| e.element(array, item.index)),
                };
                copy.values.insert(value, address);
                Some(address)
            }
            _ => None,
        }
    }

    /// A kernel argument, loaded once for each group.
    fn argument(&mut self, index: usize, ty: Type) -> Value {
        let param = self.params[index];
        self.in_entry(|e| {
            let args = calls::load(&mut e.b, Type::CONSTANT, e.ctx, offset::ARGS);
            match param {
                Param::Value(at) => {
                    let ptr = e.b.ptr_offset(args, u64::from(at));
                    e.b.load(ty, ptr, natural(ty))
                }
                Param::Struct(at) => {
                    let ptr = e.b.ptr_offset(args, u64::from(at));
                    e.b.convert(Op::Bitcast, ty, ptr)
                }
                Param::Local(at) => {
                    let within = calls::load(&mut e.b, Type::I64, args, u64::from(at));
                    let local = calls::load(&mut e.b, Type::LOCAL, e.ctx, offset::LOCAL);
                    e.b.ptr_add(local, within)
                }
            }
        })
    }

    fn work_item(&mut self, copy: &mut RegionCopy<'_>, query: Query, dim: u8) -> Value {
        let asks_for_group =
            !matches!(query, Query::GlobalId | Query::GlobalSize | Query::GlobalOffset | Query::WorkDim);
        self.flat &= !asks_for_group;
        if remat::is_uniform(&Attr::Query(query, dim)) {
            return self.query(query, dim);
        }
        let local_id = copy.item.local_id[usize::from(dim)];
        if query == Query::LocalId {
            return local_id;
        }
        if let Some(&id) = copy.ids.get(&dim) {
            return id;
        }
        let base =
            self.in_entry(|e| calls::load(&mut e.b, Type::I64, e.ctx, offset::BASE + 8 * u64::from(dim)));
        let id = self.at_item_start(copy, |e, _| e.b.same(Op::Iadd, &[base, local_id]));
        copy.ids.insert(dim, id);
        id
    }

    /// Emits where it dominates the whole region: at the top of the innermost loop's body.
    fn at_item_start<T>(&mut self, copy: &RegionCopy<'_>, emit: impl FnOnce(&mut Self, Item) -> T) -> T {
        let here = self.b.block;
        self.b.switch_to(copy.item.start);
        let result = emit(self, copy.item);
        self.b.switch_to(here);
        result
    }

    fn element(&mut self, array: Array, index: Value) -> Value {
        self.arrays.element(&mut self.b, array, index)
    }

    fn block_of(&mut self, copy: &mut RegionCopy<'_>, block: Block) -> Block {
        if let Some(&new) = copy.blocks.get(&block) {
            return new;
        }
        let new = self.b.func.add_block();
        copy.blocks.insert(block, new);
        if block != self.cut.func.entry() {
            for &param in &self.cut.func.blocks[block].params {
                let ty = self.cut.func.ty(param);
                let value = self.b.func.add_param(new, ty);
                // It may have been used already, under a placeholder.
                if let Some(placeholder) = copy.values.insert(param, value) {
                    let last = self.b.func.blocks[new].params.len() - 1;
                    self.b.func.blocks[new].params[last] = placeholder;
                    self.b.func.values[placeholder].def = Def::Param(new, last as u32);
                    copy.values.insert(param, placeholder);
                }
            }
        }
        new
    }

    fn copy_block(&mut self, copy: &mut RegionCopy<'_>, block: Block) {
        let cut = self.cut;
        let new = self.block_of(copy, block);
        self.b.switch_to(new);
        if block != cut.func.entry() {
            for &param in &cut.func.blocks[block].params {
                let value = copy.values[&param];
                self.keep(copy, param, value);
            }
        }
        let barrier = barrier_at_end(&cut.func, block);
        for &id in &cut.func.blocks[block].insts {
            let inst = &cut.func.insts[id];
            self.b.loc = inst.loc;
            if Some(id) == barrier {
                self.hand_over(copy, id);
            } else if inst.op.is_terminator() {
                self.terminator(copy, inst);
            } else {
                self.copy_inst(copy, inst);
            }
        }
    }

    /// Stores a carried value into its private copy.
    fn keep(&mut self, copy: &RegionCopy<'_>, old: Value, new: Value) {
        if let Some(&(private, array)) = self.carried.get(&old) {
            let ty = self.b.func.ty(new);
            self.b.store(new, private, natural(ty));
            if copy.saves_early {
                let at = self.element(array, copy.item.index);
                self.b.store(new, at, natural(ty));
            }
        }
    }

    /// The value that an operand is here.
    fn operand(&mut self, copy: &mut RegionCopy<'_>, value: Value) -> Value {
        if let Some(&(private, array)) = self.carried.get(&value) {
            if !copy.is_fetched_late(value) {
                let ty = self.cut.func.ty(value);
                return self.b.load(ty, private, natural(ty));
            }
            let here = (self.b.block, value);
            if let Some(&fetched) = copy.fetched.get(&here) {
                return fetched;
            }
            let fetched = self.fetch(copy, value, array);
            copy.fetched.insert(here, fetched);
            return fetched;
        }
        if let Some(known) = self.known(copy, value) {
            return known;
        }
        // Defined in a block of the region that is copied later.
        let ty = self.cut.func.ty(value);
        let placeholder = self.b.func.values.push(crate::ir::ValueData { ty, def: PENDING });
        copy.values.insert(value, placeholder);
        placeholder
    }

    fn copy_inst(&mut self, copy: &mut RegionCopy<'_>, inst: &Inst) {
        let rooted = matches!(
            inst.op,
            Op::Iconst | Op::Fconst | Op::GlobalAddr | Op::LocalAddr | Op::WorkItem | Op::Alloca
        );
        if rooted {
            return;
        }
        let mut args: Args = inst.args.iter().map(|&a| self.operand(copy, a)).collect();
        let mut attr = inst.attr.clone();
        if let Attr::Func(callee) = attr {
            attr = Attr::Func(FuncId::new(self.position[callee] as usize));
            // Callees that ask for nothing get something they do not look at.
            args.insert(0, self.item_context.unwrap_or(self.ctx));
        }
        let id = self.b.func.insts.next_id();
        let mut result = None;
        if let Some(old) = inst.result {
            let value = match copy.values.get(&old).copied() {
                Some(value) if self.b.func.values[value].def == PENDING => value,
                // Recomputed at the start of the region already.
                Some(_) => return,
                None => self.b.func.values.push(crate::ir::ValueData { ty: inst.ty, def: PENDING }),
            };
            self.b.func.values[value].def = Def::Inst(id);
            copy.values.insert(old, value);
            result = Some(value);
        }
        let loc = self.b.loc;
        let new = Inst { op: inst.op, ty: inst.ty, args, attr, targets: Vec::new(), result, loc };
        self.b.func.insts.push(new);
        let here = self.b.block;
        self.b.func.blocks[here].insts.push(id);
        if let (Some(old), Some(value)) = (inst.result, result) {
            self.keep(copy, old, value);
        }
    }

    /// Before a barrier: the operands of the group's action leave the item.
    fn hand_over(&mut self, copy: &mut RegionCopy<'_>, barrier: InstId) {
        self.join_collective(copy, barrier);
        let Some(slots) = self.operands.get(&barrier).cloned() else { return };
        let cut = self.cut;
        for (slot, &arg) in slots.into_iter().zip(&cut.func.insts[barrier].args) {
            let value = self.operand(copy, arg);
            let ty = self.b.func.ty(value);
            self.b.store(value, slot, natural(ty));
        }
    }

    fn terminator(&mut self, copy: &mut RegionCopy<'_>, inst: &Inst) {
        if inst.op == Op::Ret {
            return self.leave_kernel(copy);
        }
        let args: Args = inst.args.iter().map(|&a| self.operand(copy, a)).collect();
        let mut targets = Vec::new();
        let mut exits = Vec::new();
        for target in &inst.targets {
            if let Some(&next) = self.region_of_head.get(&target.block) {
                // A loop back to the kernel's start cannot be: the entry has no predecessor.
                let exit = self.b.func.add_block();
                exits.push((exit, next));
                targets.push(Target::new(exit, &[]));
            } else {
                let args: Vec<Value> = target.args.iter().map(|&a| self.operand(copy, a)).collect();
                let block = self.block_of(copy, target.block);
                targets.push(Target::new(block, &args));
            }
        }
        self.b.inst(inst.op, Type::VOID, &args, inst.attr.clone(), targets);
        for (exit, next) in exits {
            self.b.switch_to(exit);
            self.leave_region(copy, next);
        }
    }

    /// Saves what later regions may need and ends the item.
    fn leave_region(&mut self, copy: &mut RegionCopy<'_>, next: usize) {
        let cut = self.cut;
        let changes = if copy.saves_early { &[][..] } else { &copy.region.changes[..] };
        for &value in changes.iter().filter(|&&value| cut.is_alive(value, &cut.regions[next])) {
            let (private, array) = self.carried[&value];
            let ty = cut.func.ty(value);
            let loaded = self.b.load(ty, private, natural(ty));
            let at = self.element(array, copy.item.index);
            self.b.store(loaded, at, natural(ty));
        }
        self.wait_for(copy, next);
    }
}

/// The copy of one region's blocks.
struct RegionCopy<'c> {
    number: usize,
    region: &'c Region,
    item: Item,
    /// Global ids, by dimension.
    ids: FastMap<u8, Value>,
    values: FastMap<Value, Value>,
    blocks: FastMap<Block, Block>,
    /// Carried values are saved where they are defined, not where the region is left.
    saves_early: bool,
    /// Carried values are fetched where they are used, unless the region gives them anew.
    fetches_late: bool,
    /// What was fetched so, in each block.
    fetched: FastMap<(Block, Value), Value>,
}

impl RegionCopy<'_> {
    fn is_fetched_late(&self, value: Value) -> bool {
        self.fetches_late && self.region.changes.binary_search(&value).is_err()
    }
}

/// Whether a region has so many ways out that it should not save all it defines at each.
fn saves_early(cut: &Cut, region: &Region) -> bool {
    const FEW: usize = 8;
    let ends = |block: Block| cut.func.successors(block).filter(|&next| cut.is_head[next]).count();
    region.changes.len() > FEW && region.blocks.iter().map(|&block| ends(block)).sum::<usize>() > FEW
}

fn natural(ty: Type) -> Mem {
    Mem { align: ty.kind.bytes(), volatile: false }
}

/// Whether an instruction runs code that follows the program's pointers outside of what is generated here, or ends
/// the launch: in both cases nothing that comes later keeps the ids in registers.
fn leaves_code(inst: &Inst) -> bool {
    matches!(inst.op, Op::MemCopy | Op::MemZero | Op::Trap)
        || matches!(
            inst.attr,
            Attr::Helper(Helper::Enqueue | Helper::Printf | Helper::MemCopy | Helper::MemZero)
        )
}

/// Allocas whose contents must survive a barrier: reached from more than one region, or
/// from one that can follow itself, or whose address gets away.
fn persistent_allocas(cut: &Cut) -> Vec<InstId> {
    let mut found = Vec::new();
    if cut.regions.len() == 1 {
        return found;
    }
    let func = &cut.func;
    let mut root: IdMap<Value, Option<InstId>> = IdMap::with_len(None, func.values.len());
    let mut users: FastMap<InstId, Vec<Block>> = FastMap::default();
    for &block in &func.layout {
        for &id in &func.blocks[block].insts {
            let inst = &func.insts[id];
            for (i, &arg) in inst.args.iter().enumerate() {
                let Some(alloca) = root[arg] else { continue };
                let stays = matches!(
                    (inst.op, i),
                    (Op::PtrAdd | Op::Bitcast | Op::Load | Op::Store | Op::MemZero | Op::AtomicRmw, 0)
                        | (Op::MemCopy, _)
                );
                if stays {
                    users.entry(alloca).or_default().push(block);
                } else {
                    found.push(alloca);
                }
            }
            for &arg in inst.targets.iter().flat_map(|t| &t.args) {
                if let Some(alloca) = root[arg] {
                    found.push(alloca);
                }
            }
            let Some(result) = inst.result else { continue };
            root[result] = match inst.op {
                Op::Alloca => Some(id),
                Op::PtrAdd => root[inst.args[0]],
                Op::Bitcast if inst.ty.kind.is_ptr() => root[inst.args[0]],
                _ => None,
            };
            if inst.op == Op::Bitcast
                && !inst.ty.kind.is_ptr()
                && let Some(alloca) = root[inst.args[0]]
            {
                found.push(alloca);
            }
        }
    }
    let mut homes: IdMap<Block, Vec<usize>> = IdMap::with_len(Vec::new(), func.blocks.len());
    for (i, region) in cut.regions.iter().enumerate() {
        for &block in &region.blocks {
            homes[block].push(i);
        }
    }
    for (alloca, blocks) in users {
        let mut regions: Vec<usize> = blocks.iter().flat_map(|&b| homes[b].iter().copied()).collect();
        regions.sort_unstable();
        regions.dedup();
        if regions.len() > 1 || regions.iter().any(|&r| cut.cyclic[cut.regions[r].head]) {
            found.push(alloca);
        }
    }
    found.sort_unstable();
    found.dedup();
    found
}
