//! Region bodies: a region as a function of one work-item, `(context, x, y, z, index, inputs...) -> number of
//! the next region`.
//!
//! Values that live across barriers are read from context arrays or, if uniform, from slots of the group.
//! Within the body they are variables in private memory; `promote`, which runs afterwards, restores SSA form.

use super::super::private_arrays::access_type;
use super::super::work_items::{Extent, Record, Step, Wide};
use super::context_arrays::{Array, Arrays};
use super::invariants::{self, BodyInput};
use super::regions::{KernelRegions, Region, barrier_at_end};
use super::rematerialize;
use super::storage_plan::{CrossBarrierStorage, LocalLayout, Placement, StoragePlan};
use grus_ir::abi::enqueue::MAX_WORK_GROUP_SIZE;
use grus_ir::abi::{RangeFacts, item};
use grus_ir::{
    Args, Attr, Block, Builder, Def, FuncId, Function, Inst, InstId, Mem, Op, ParamFacts, Query, Target,
    Type, Value, ValueData,
};
use grus_support::{FastMap, Id};

/// Region number for the end of the kernel, the largest one.
pub(super) const KERNEL_END: u64 = 0xffff_ffff;

/// Function of a region.
#[derive(Clone)]
pub(super) struct RegionBody {
    pub func: Function,
    /// Meanings of the parameters after the first [`NUM_FIXED_PARAMS`].
    pub inputs: Vec<BodyInput>,
    /// Vectorized version.
    pub wide: Option<Wide>,
    /// True if its code observes groups, so that they cannot be merged.
    pub observes_group: bool,
    /// Size of groups, if the body identifies work-items by a linear id.
    pub extents: Option<[Extent; 3]>,
}

/// Number of parameters that every body has: context, three local ids, linear id.
pub(super) const NUM_FIXED_PARAMS: usize = 5;

impl RegionBody {
    /// Returns the item record that the body writes.
    pub(super) fn record(&self) -> Option<Record> {
        let at = self.inputs.iter().position(|&input| input == BodyInput::Item)?;
        let params = self.func.params();
        Some(Record { at: params[NUM_FIXED_PARAMS + at], first: params[1], extents: self.extents })
    }

    /// Returns the positions of parameters that differ between consecutive work-items of a row, and of those
    /// that differ between rows.
    pub(super) fn varying_params(&self) -> [Vec<usize>; 2] {
        if self.extents.is_some() {
            return [Vec::new(), vec![1]];
        }
        let (mut items, mut rows) = (vec![1], (2..NUM_FIXED_PARAMS).collect::<Vec<usize>>());
        for (&input, at) in self.inputs.iter().zip(NUM_FIXED_PARAMS..) {
            match input {
                BodyInput::GlobalId(0) => items.push(at),
                BodyInput::GlobalId(_) => rows.push(at),
                _ => {}
            }
        }
        [items, rows]
    }

    /// Returns the step of each parameter from a row to the next one. With linear ids there are no rows.
    pub(super) fn row_steps(&self) -> Vec<Step> {
        let fixed = [Step::None, Step::None, Step::By(1), Step::None, Step::Rows(1)];
        debug_assert_eq!(fixed.len(), NUM_FIXED_PARAMS);
        let of_input = |&input: &BodyInput| match input {
            BodyInput::GlobalId(1) => Step::By(1),
            _ => Step::None,
        };
        fixed.into_iter().chain(self.inputs.iter().map(of_input)).collect()
    }
}

/// Placeholder definition of a value whose instruction is still to be copied.
const PENDING: Def = Def::Param(Block(u32::MAX), 0);

/// Maximum number of values that are loaded at the start of a region. With more of them, each is loaded where
/// it is used, because they would be spilled otherwise.
// Arbitrary.
const MAX_PRELOADED: usize = 64;

/// Builder of one body.
pub(super) struct BodyBuilder<'a, 'm> {
    pub regions: &'a KernelRegions,
    pub plan: &'a StoragePlan,
    pub b: Builder<'a>,
    pub number: usize,
    locals: &'a mut LocalLayout<'m>,
    region: &'a Region,
    entry: Block,
    inputs: Vec<BodyInput>,
    input_values: FastMap<BodyInput, Value>,
    values: FastMap<Value, Value>,
    blocks: FastMap<Block, Block>,
    /// Private variables of values that live across barriers.
    copies: FastMap<Value, Value>,
    /// True if values are saved where they are defined rather than at the region's exits.
    saves_early: bool,
    /// True if values that the region does not redefine are loaded where they are used.
    loads_late: bool,
    /// Values loaded so far by block; used if `loads_late`.
    loaded: FastMap<(Block, Value), Value>,
    /// True if the ids must be stored for callees or fault reports.
    stores_item_ids: bool,
    observes_group: bool,
}

/// Builds the body of a region. With `stores_item_ids` it stores the work-item's ids where callees find them.
pub(super) fn write(
    regions: &KernelRegions,
    plan: &StoragePlan,
    locals: &mut LocalLayout<'_>,
    number: usize,
    stores_item_ids: bool,
) -> RegionBody {
    let mut func = Function::new(format!("{}.{number}", regions.func.name), Type::I32);
    let entry = func.add_block();
    func.add_param(entry, Type::PRIVATE);
    func.param_facts.push(ParamFacts { stride: Some(0), ..ParamFacts::default() });
    for (at, stride) in [1, 0, 0, 1].into_iter().enumerate() {
        func.add_param(entry, Type::I64);
        // The number of lanes and the maximum group size are powers of two, so ids of inactive lanes are below
        // the maximum, too.
        let max = Some(MAX_WORK_GROUP_SIZE - 1);
        let facts =
            ParamFacts { max, is_aligned_to_lanes: at == 0, stride: Some(stride), ..Default::default() };
        func.param_facts.push(facts);
    }
    let region = &regions.regions[number];
    let mut builder = BodyBuilder {
        regions,
        plan,
        b: Builder::new(&mut func, entry),
        number,
        locals,
        region,
        entry,
        inputs: Vec::new(),
        input_values: FastMap::default(),
        values: FastMap::default(),
        blocks: FastMap::default(),
        copies: FastMap::default(),
        saves_early: saves_early(regions, region),
        loads_late: region.needs.len() > if regions.is_formed_as_large { 0 } else { MAX_PRELOADED },
        loaded: FastMap::default(),
        stores_item_ids,
        observes_group: false,
    };
    builder.write();
    let BodyBuilder { inputs, observes_group, .. } = builder;
    RegionBody { func, inputs, wide: None, observes_group, extents: None }
}

impl BodyBuilder<'_, '_> {
    fn write(&mut self) {
        // Loop-invariant code is added to the entry block while the body is copied.
        let start = self.b.func.add_block();
        self.b.switch_to(start);
        self.store_item_ids();
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

    /// Returns the parameter for an input; adds it at the first use.
    pub(super) fn input(&mut self, input: BodyInput) -> Value {
        if let Some(&value) = self.input_values.get(&input) {
            return value;
        }
        let value = self.b.func.add_param(self.entry, invariants::type_of(input));
        let facts = self.facts_of(input);
        self.b.func.param_facts.push(facts);
        self.inputs.push(input);
        self.input_values.insert(input, value);
        value
    }

    /// Returns the facts about an input. The work-items of a vector differ in `x` only.
    fn facts_of(&self, input: BodyInput) -> ParamFacts {
        let max = match input {
            BodyInput::Query(Query::LocalSize | Query::EnqueuedLocalSize | Query::WorkDim, _) => {
                Some(MAX_WORK_GROUP_SIZE)
            }
            BodyInput::GlobalId(_) | BodyInput::Query(..) => match self.plan.range {
                RangeFacts { ids_fit_26: true, .. } => Some(ParamFacts::SHORT),
                RangeFacts { ids_fit_31: true, .. } => Some(ParamFacts::SMALL),
                _ => None,
            },
            _ => None,
        };
        let declared = match input {
            BodyInput::Argument(index, _) => self.regions.func.param_facts.get(index as usize).copied(),
            _ => None,
        };
        let stride = match input {
            BodyInput::GlobalId(0) => 1,
            BodyInput::Object(object) => object.size,
            _ => 0,
        };
        let stride = u32::try_from(stride).ok();
        ParamFacts { max, stride, ..declared.unwrap_or_default() }
    }

    fn context(&self) -> Value {
        self.b.func.params()[0]
    }
    /// Returns the linear local id, x fastest.
    pub(super) fn index(&self) -> Value {
        self.b.func.params()[NUM_FIXED_PARAMS - 1]
    }
    fn local_id(&self, dim: u8) -> Value {
        self.b.func.params()[1 + usize::from(dim)]
    }

    fn store_item_ids(&mut self) {
        if !self.stores_item_ids {
            return;
        }
        let record = self.input(BodyInput::Item);
        let context = self.context();
        self.b.store(context, record, Mem::natural(Type::I64));
        for dim in 0..3 {
            let at = self.b.ptr_offset(record, item::LOCAL_ID + 8 * u64::from(dim));
            let id = self.local_id(dim);
            self.b.store(id, at, Mem::natural(Type::I64));
        }
    }

    /// Emits code in the entry block, which dominates the whole body.
    fn at_start<T>(&mut self, emit: impl FnOnce(&mut Self) -> T) -> T {
        let here = self.b.block;
        self.b.switch_to(self.entry);
        let result = emit(self);
        self.b.switch_to(here);
        result
    }

    /// Returns the address of the work-item's element of an array.
    pub(super) fn element(&mut self, array: Array) -> Value {
        for part in Arrays::parts(array) {
            self.input(BodyInput::Arrays(part));
        }
        let index = self.index();
        let inputs = &self.input_values;
        Arrays::element(&mut self.b, array, index, |part| inputs[&BodyInput::Arrays(part)])
    }

    /// Makes the values that live across the barrier available: loads stored ones into their private
    /// variables, and recomputes cheap ones.
    fn restore(&mut self) {
        let region = self.region;
        for &value in &region.needs {
            match self.plan.stored.get(&value) {
                Some(_) if self.is_loaded_late(value) => {}
                Some(&stored) => {
                    let loaded = self.load_stored(value, stored);
                    let copy = self.copy_of(value);
                    self.b.store(loaded, copy, Mem::natural(self.regions.func.ty(value)));
                }
                None => {
                    self.recompute(value);
                }
            }
        }
    }

    /// Returns the private variable of a stored value.
    fn copy_of(&mut self, value: Value) -> Value {
        if let Some(&copy) = self.copies.get(&value) {
            return copy;
        }
        let ty = self.regions.func.ty(value);
        let copy = self.at_start(|body| body.b.alloca(u64::from(ty.bytes()), ty.bytes().next_power_of_two()));
        self.copies.insert(value, copy);
        copy
    }

    fn is_loaded_late(&self, value: Value) -> bool {
        self.loads_late && self.region.changes.binary_search(&value).is_err()
    }

    /// Loads the work-item's value.
    fn load_stored(&mut self, value: Value, stored: CrossBarrierStorage) -> Value {
        let ty = self.regions.func.ty(value);
        match stored {
            CrossBarrierStorage::Slot(slot) => self.input(BodyInput::SlotAtStart(slot, ty)),
            CrossBarrierStorage::Array(array) => {
                let at = self.element(array);
                self.b.load(ty, at, Mem::natural(ty))
            }
            CrossBarrierStorage::Reassembled => self.reassemble(value),
        }
    }

    /// Reassembles a sum from the work-item's ids and the uniform values at the start of the region. Operands
    /// are not recorded as known values, because the region may redefine them.
    fn reassemble(&mut self, value: Value) -> Value {
        let regions = self.regions;
        if let Some(&CrossBarrierStorage::Slot(slot)) = self.plan.stored.get(&value) {
            return self.input(BodyInput::SlotAtStart(slot, regions.func.ty(value)));
        }
        if let Some(known) = self.known_value(value) {
            return known;
        }
        let inst = regions.func.def_inst(value).expect("a sum of what is known");
        let args: Args = inst.args.iter().map(|&arg| self.reassemble(arg)).collect();
        self.b.value(inst.op, inst.ty, &args, inst.attr.clone())
    }

    fn recompute(&mut self, value: Value) -> Value {
        if let Some(known) = self.known(value) {
            return known;
        }
        let regions = self.regions;
        let Def::Inst(id) = regions.func.values[value].def else { unreachable!("parameters are known") };
        let inst = &regions.func.insts[id];
        let mut args: Args = inst.args.iter().map(|&arg| self.recompute(arg)).collect();
        let mut attr = inst.attr.clone();
        self.enter_arrays(id, inst.op, &mut args, &mut attr);
        let new = self.b.value(inst.op, inst.ty, &args, attr);
        self.values.insert(value, new);
        new
    }

    /// Adapts an access to a structure of arrays: offsets are multiplied by the array length, and the
    /// alignment is at most the element's size.
    fn enter_arrays(&mut self, source: InstId, op: Op, args: &mut Args, attr: &mut Attr) {
        let Some(alloca) = self.plan.soa.accessed_object(source) else { return };
        if op == Op::PtrAdd {
            let items = self.items_of(alloca);
            args[1] = self.b.same(Op::Imul, &[args[1], items]);
        }
        if let Attr::Mem(mem) = attr {
            mem.align = mem.align.min(self.plan.soa.element(alloca).expect("it is one"));
        }
    }

    /// Fills the elements of a structure of arrays with zeros.
    fn fill(&mut self, alloca: InstId, at: Value, size: u64) {
        let element = self.plan.soa.element(alloca).expect("it is one");
        let items = self.items_of(alloca);
        let ty = access_type(element);
        let zero = self.b.zero(ty);
        for start in (0..size).step_by(element as usize) {
            let start = self.b.iconst(Type::I64, start);
            let start = self.b.same(Op::Imul, &[start, items]);
            let at = self.b.ptr_add(at, start);
            self.b.store(zero, at, Mem::natural(ty));
        }
    }

    /// Returns the number of elements in one array of a structure of arrays.
    fn items_of(&mut self, alloca: InstId) -> Value {
        let Placement::Context(array) = self.plan.placements[&alloca] else {
            unreachable!("it lives across barriers")
        };
        self.input(BodyInput::Arrays(array.items()))
    }

    /// Returns a value that needs no definition inside the region.
    fn known(&mut self, value: Value) -> Option<Value> {
        if let Some(&new) = self.values.get(&value) {
            return Some(new);
        }
        let new = self.known_value(value)?;
        self.values.insert(value, new);
        Some(new)
    }

    fn known_value(&mut self, value: Value) -> Option<Value> {
        let func = &self.regions.func;
        let id = match func.values[value].def {
            Def::Param(block, index) => {
                return (block == func.entry())
                    .then(|| self.input(BodyInput::Argument(index, func.ty(value))));
            }
            Def::Inst(id) => id,
        };
        let inst = &func.insts[id];
        match (inst.op, &inst.attr) {
            (Op::Iconst | Op::Fconst | Op::GlobalAddr, attr) => {
                Some(self.at_start(|body| body.b.value(inst.op, inst.ty, &[], attr.clone())))
            }
            (Op::LocalAddr, &Attr::Global(global)) => {
                self.observes_group = true;
                let at = self.locals.offset(global);
                Some(self.input(BodyInput::Local(at)))
            }
            (Op::WorkItem, &Attr::Query(query, dim)) => Some(self.work_item(query, dim)),
            (Op::Alloca, &Attr::SizeAlign(size, align)) => Some(match self.plan.placements[&id] {
                Placement::Stack => self.at_start(|body| body.b.alloca(size, align)),
                Placement::Area(object) => self.input(BodyInput::Object(object)),
                Placement::Context(array) => {
                    let element = self.plan.soa.element(id);
                    self.at_start(|body| {
                        body.element(element.map_or(array, |bytes| array.with_elements(bytes.into())))
                    })
                }
            }),
            _ => {
                // The result of a collective function that is uniform.
                let result = self.plan.collectives.get(&id).and_then(|collective| collective.result());
                result.map(|result| self.input(BodyInput::SlotAtStart(result, inst.ty)))
            }
        }
    }

    fn work_item(&mut self, query: Query, dim: u8) -> Value {
        let is_of_range =
            matches!(query, Query::GlobalId | Query::GlobalSize | Query::GlobalOffset | Query::WorkDim);
        self.observes_group |= !is_of_range && !matches!(query, Query::FirstId | Query::Items);
        if rematerialize::is_uniform(&Attr::Query(query, dim)) {
            return self.input(BodyInput::Query(query, dim));
        }
        match query {
            Query::LocalId => self.local_id(dim),
            Query::LinearId => self.index(),
            _ => self.input(BodyInput::GlobalId(dim)),
        }
    }

    fn block_of(&mut self, block: Block) -> Block {
        if let Some(&new) = self.blocks.get(&block) {
            return new;
        }
        let new = self.b.func.add_block();
        self.blocks.insert(block, new);
        if block != self.regions.func.entry() {
            for &param in &self.regions.func.blocks[block].params {
                let ty = self.regions.func.ty(param);
                let value = self.b.func.add_param(new, ty);
                // A placeholder stands for the parameter if it has been used already.
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
        let regions = self.regions;
        let new = self.block_of(block);
        self.b.switch_to(new);
        if block != regions.func.entry() {
            for &param in &regions.func.blocks[block].params {
                let value = self.values[&param];
                self.keep(param, value);
            }
        }
        let barrier = barrier_at_end(&regions.func, block);
        for &id in &regions.func.blocks[block].insts {
            let inst = &regions.func.insts[id];
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

    /// Stores a definition into the private variable of a value that lives across barriers.
    pub(super) fn keep(&mut self, old: Value, new: Value) {
        if let Some(&stored) = self.plan.stored.get(&old) {
            let ty = self.b.func.ty(new);
            let copy = self.copy_of(old);
            self.b.store(new, copy, Mem::natural(ty));
            if self.saves_early {
                self.save(new, stored);
            }
        }
    }

    /// Saves a value for later regions.
    fn save(&mut self, value: Value, stored: CrossBarrierStorage) {
        let at = match stored {
            CrossBarrierStorage::Array(array) => self.element(array),
            CrossBarrierStorage::Slot(slot) => self.input(BodyInput::Slot(slot)),
            CrossBarrierStorage::Reassembled => return,
        };
        self.b.store(value, at, Mem::natural(self.b.func.ty(value)));
    }

    /// Returns the value that an operand has at this point.
    pub(super) fn operand(&mut self, value: Value) -> Value {
        if let Some(&stored) = self.plan.stored.get(&value) {
            if !self.is_loaded_late(value) {
                let (ty, copy) = (self.regions.func.ty(value), self.copy_of(value));
                return self.b.load(ty, copy, Mem::natural(ty));
            }
            let here = (self.b.block, value);
            if let Some(&loaded) = self.loaded.get(&here) {
                return loaded;
            }
            let loaded = self.load_stored(value, stored);
            self.loaded.insert(here, loaded);
            return loaded;
        }
        if let Some(known) = self.known(value) {
            return known;
        }
        // The definition is in a block of the region that is copied later.
        let ty = self.regions.func.ty(value);
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
            && let Some(alloca) = self.plan.soa.accessed_object(source)
        {
            return self.fill(alloca, args[0], inst.size_align().0);
        }
        let mut attr = inst.attr.clone();
        self.enter_arrays(source, inst.op, &mut args, &mut attr);
        if let Attr::Func(callee) = attr {
            attr = Attr::Func(FuncId::new(self.plan.position[callee] as usize));
            // Callees that query nothing do not use their hidden argument, so any pointer will do.
            let item = if self.stores_item_ids { self.input(BodyInput::Item) } else { self.context() };
            args.insert(0, item);
        }
        let id = self.b.func.insts.next_id();
        let mut result = None;
        if let Some(old) = inst.result {
            let value = match self.values.get(&old).copied() {
                Some(value) if self.b.func.values[value].def == PENDING => value,
                // The value was recomputed at the start of the region.
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

    /// Stores the operands of the group's effect before the barrier.
    fn arrive(&mut self, barrier: InstId) {
        self.join_collective(barrier);
        let Some(slots) = self.plan.operands.get(&barrier) else { return };
        let regions = self.regions;
        for (&slot, &arg) in slots.iter().zip(&regions.func.insts[barrier].args) {
            let (value, at) = (self.operand(arg), self.input(BodyInput::Slot(slot)));
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
                // The target is not the start of the kernel, because the entry has no predecessor.
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

    /// Saves the values that the next region may need and ends the region for the work-item.
    fn leave(&mut self, next: usize) {
        let regions = self.regions;
        let changes = if self.saves_early { &[][..] } else { &self.region.changes[..] };
        for &value in changes.iter().filter(|&&value| regions.is_alive(value, &regions.regions[next])) {
            let (ty, copy) = (regions.func.ty(value), self.copy_of(value));
            let loaded = self.b.load(ty, copy, Mem::natural(ty));
            self.save(loaded, self.plan.stored[&value]);
        }
        self.wait_for(next);
    }
}

/// Checks whether a region has so many exits that saving all its definitions at each one would take too much
/// code.
fn saves_early(regions: &KernelRegions, region: &Region) -> bool {
    // Arbitrary.
    const MAX_SAVES_AT_EXITS: usize = 8;
    let ends = |block: Block| regions.func.successors(block).filter(|&next| regions.is_head[next]).count();
    region.changes.len() > MAX_SAVES_AT_EXITS
        && region.blocks.iter().map(|&block| ends(block)).sum::<usize>() > MAX_SAVES_AT_EXITS
}
