//! Emits the widened function: every block once, and every value for all lanes, with the masks that
//! linearization requires.
//!
//! Uniform and affine values stay scalars, namely the value of the first lane; they become vectors where an
//! instruction uses them as such. Arguments of deferred blocks, masks, and live-outs of divergent loops are
//! kept in private memory, which `promote` turns into SSA values afterwards.

use super::super::private_arrays::PrivateArrays;
use super::super::work_items::Record;
use super::block_order::BlockOrder;
use super::calls::vectorized_functions::Callees;
use super::divergence::{VectorShape, VectorShapes};
use super::linearize::{BlockMask, Linearization, latch_of, next_of};
use super::memory::interleaved_groups::InterleavedGroups;
use super::memory::row_segments::RowSegments;
use super::scalarize::AccessGroups;
use super::versioning::guards::VersionedCode;
use super::versioning::speculative_stride;
use super::widen_state::{BlockMasks, ControlFlow, MemoryState, Prologue, WidenedValues};
use super::{Refusal, WidenOptions};
use grus_ir::analysis::{DomTree, LoopId, Loops};
use grus_ir::{Attr, Block, Builder, Function, Inst, InstId, IntCond, Kind, Mem, Op, Target, Type, Value};
use grus_support::{FastSet, Id, IdMap};

/// Results of the analyses of the scalar function.
pub(super) struct WidenInput<'f> {
    pub func: &'f Function,
    pub order: &'f BlockOrder,
    pub loops: &'f Loops,
    pub shapes: &'f VectorShapes<'f>,
    pub dom: &'f DomTree,
    pub linearization: &'f Linearization,
    pub groups: &'f AccessGroups,
    pub interleaved: &'f PrivateArrays,
    pub speculative_strides: &'f speculative_stride::SpeculativeStrides,
    pub interleaved_groups: &'f InterleavedGroups,
    /// True for values that have a use.
    pub is_used: &'f IdMap<Value, bool>,
    pub versioned: &'f VersionedCode,
    /// Memory in which the body notes the work-item that runs.
    pub record: Option<Record>,
    /// Row segments, if a vector spans several rows of the work-group.
    pub segments: Option<&'f RowSegments<'f>>,
}

/// Execution frequencies of the blocks of a widened function.
#[derive(Clone, Default)]
pub(super) struct BlockFrequencies {
    /// Blocks that are rarely executed.
    pub cold: FastSet<Block>,
    /// Headers of divergent loops: lanes that have left the loop stay idle until the last lane leaves.
    pub divergent_headers: FastSet<Block>,
    /// Headers of divergent loops of which there is a scalar copy for the last lanes.
    pub copied_headers: FastSet<Block>,
}

/// Builder of a widened function.
pub(super) struct Widener<'f, 'b> {
    pub source: &'f WidenInput<'f>,
    pub b: Builder<'b>,
    pub lanes: u16,
    pub options: WidenOptions,
    /// Functions that are not inlined.
    pub callees: &'b mut Callees,
    /// Block of the scalar function that is being widened.
    pub current: Block,
    pub values: WidenedValues,
    pub memory_state: MemoryState,
    pub frequencies: BlockFrequencies,
    masks: BlockMasks,
    pub flow: ControlFlow,
    prologue: Prologue,
}

/// Result of a step that can fail.
pub(super) type WidenResult = Result<(), Refusal>;

impl<'f, 'b> Widener<'f, 'b> {
    /// Creates the builder and the blocks; `into` has no blocks yet.
    pub(super) fn new(
        source: &'f WidenInput<'f>,
        into: &'b mut Function,
        options: WidenOptions,
        callees: &'b mut Callees,
    ) -> Widener<'f, 'b> {
        let flow = ControlFlow::new(source, into, options.backend);
        let entry = flow.blocks[source.func.entry()];
        Widener {
            source,
            b: Builder::new(into, entry),
            lanes: options.lanes,
            options,
            callees,
            current: source.func.entry(),
            values: WidenedValues::new(source.func),
            memory_state: MemoryState::default(),
            frequencies: BlockFrequencies::default(),
            masks: BlockMasks::new(source.func),
            flow,
            prologue: Prologue { entry, insts: Vec::new() },
        }
    }

    /// Emits the function and returns the execution frequencies of its blocks. Definitions need not dominate
    /// their uses afterwards.
    pub(super) fn run(mut self) -> Result<BlockFrequencies, Refusal> {
        let source = self.source;
        self.find_live_outs();
        for &block in &source.order.blocks {
            let first = self.b.func.blocks.next_id();
            self.widen_block(block)?;
            if source.versioned.cold.contains(&block) {
                self.frequencies.cold.insert(self.flow.blocks[block]);
                self.frequencies.cold.extend((first.index()..self.b.func.blocks.len()).map(Block::new));
            }
        }
        let entry = self.prologue.entry;
        let first = std::mem::take(&mut self.prologue.insts);
        self.b.func.blocks[entry].insts.splice(0..0, first);
        let divergent = source.order.blocks.iter().filter(|&&block| {
            source
                .loops
                .of(block)
                .is_some_and(|id| source.loops.get(id).header == block && source.shapes.is_divergent_loop(id))
        });
        self.frequencies.divergent_headers = divergent.map(|&block| self.flow.blocks[block]).collect();
        Ok(self.frequencies)
    }

    /// Returns the type of a value in all lanes. Pointers become integers.
    pub(super) fn widened_type(&self, ty: Type) -> Type {
        let kind = if ty.kind.is_ptr() { Kind::I64 } else { ty.kind };
        Type::vector(kind, self.lanes)
    }

    /// Returns the type of a mask.
    fn mask_type(&self) -> Type {
        Type::vector(Kind::I1, self.lanes)
    }

    pub(super) fn all_lanes(&mut self) -> Value {
        self.constant_mask(true)
    }

    /// Returns the mask that is `truth` in all lanes, which is created at the start of the function.
    fn constant_mask(&mut self, truth: bool) -> Value {
        let at = usize::from(truth);
        if let Some(known) = self.masks.constants[at] {
            return known;
        }
        let mask = self.in_prologue(|widener| {
            let bit = widener.b.iconst(Type::I1, u64::from(truth));
            widener.b.splat(widener.mask_type(), bit)
        });
        self.masks.constants[at] = Some(mask);
        mask
    }

    /// Emits instructions that precede everything else.
    fn in_prologue<T>(&mut self, emit: impl FnOnce(&mut Self) -> T) -> T {
        let (current, entry) = (self.b.block, self.prologue.entry);
        let length = self.b.func.blocks[entry].insts.len();
        self.b.switch_to(entry);
        let result = emit(self);
        let insts: Vec<InstId> = self.b.func.blocks[entry].insts.drain(length..).collect();
        self.prologue.insts.extend(insts);
        self.b.switch_to(current);
        result
    }

    /// Creates an uninitialized variable for a value of one lane or of all lanes.
    pub(super) fn variable(&mut self, ty: Type) -> Value {
        variable(self.b.func, ty, &mut self.prologue.insts)
    }

    /// Creates an object of this many bytes in private memory.
    pub(super) fn new_object(&mut self, size: u64, align: u32) -> Value {
        memory(self.b.func, size, align, &mut self.prologue.insts)
    }

    pub(super) fn load_variable(&mut self, ty: Type, variable: Value) -> Value {
        self.b.load(ty, variable, Mem::natural(ty))
    }

    pub(super) fn store_variable(&mut self, variable: Value, value: Value) {
        let ty = self.b.func.ty(value);
        self.b.store(value, variable, Mem::natural(ty));
    }

    // ---- values

    /// Returns a uniform value, or the first lane of an affine one.
    pub(super) fn scalar(&mut self, value: Value) -> Value {
        self.values.scalars[value].expect("defined before it is used")
    }

    /// Checks whether a value has been emitted.
    pub(super) fn is_defined(&self, value: Value) -> bool {
        self.values.scalars[value].is_some()
            || self.values.vectors[value].is_some()
            || self.values.speculative.contains_key(&value)
    }

    pub(super) fn shape(&self, value: Value) -> VectorShape {
        self.source.shapes.at(value, self.current)
    }

    /// Returns all lanes of a value.
    pub(super) fn vector(&mut self, value: Value) -> Value {
        if self.source.shapes.is_temporally_divergent(value, self.current) {
            let variable = self.flow.live_outs[&value];
            let ty = self.widened_type(self.source.func.ty(value));
            return self.load_variable(ty, variable);
        }
        if let Some(vector) = self.values.vectors[value] {
            return vector;
        }
        let key = (self.b.block, value);
        if let Some(&vector) = self.values.expanded.get(&key) {
            return vector;
        }
        let vector = if self.values.speculative.contains_key(&value) {
            self.speculative_lanes(value)
        } else {
            let scalar = self.scalar(value);
            let step = self.source.shapes.of(value).step().unwrap_or(0);
            self.affine_vector(scalar, step)
        };
        self.values.expanded.insert(key, vector);
        vector
    }

    /// Returns the vector whose lane `i` is `scalar + i * step`.
    pub(super) fn affine_vector(&mut self, scalar: Value, step: i64) -> Value {
        let ty = self.b.func.ty(scalar);
        let wide = self.widened_type(ty);
        let bits = if ty.kind.is_ptr() { self.b.convert(Op::Bitcast, Type::I64, scalar) } else { scalar };
        let all = self.b.splat(wide, bits);
        if step == 0 {
            return all;
        }
        let step_vector = self.step_vector(wide, step);
        self.b.same(Op::Iadd, &[all, step_vector])
    }

    /// Returns the vector of constants `0, step, 2 * step, ...`.
    pub(super) fn step_vector(&mut self, ty: Type, step: i64) -> Value {
        let lanes: Vec<Value> = (0..self.lanes)
            .map(|lane| self.b.iconst(ty.lane(), step.wrapping_mul(i64::from(lane)) as u64))
            .collect();
        self.b.value(Op::BuildVector, ty, &lanes, Attr::None)
    }

    /// Returns one lane of a value, in the type that the value has in the scalar function.
    pub(super) fn lane(&mut self, value: Value, lane: u16) -> Value {
        let func = self.source.func;
        let ty = func.ty(value);
        match self.shape(value).step() {
            Some(0) => self.scalar(value),
            None if ty.is_vector() => match func.def_inst(value) {
                Some(inst) if inst.op == Op::BuildVector => {
                    let parts: Vec<Value> = inst.args.iter().map(|&part| self.lane(part, lane)).collect();
                    self.b.value(Op::BuildVector, ty, &parts, Attr::None)
                }
                _ => match self.values.components.get(&value).cloned() {
                    Some(parts) => {
                        let parts: Vec<Value> =
                            parts.into_iter().map(|part| self.b.extract(part, lane)).collect();
                        self.b.value(Op::BuildVector, ty, &parts, Attr::None)
                    }
                    None => self.values.per_lane[&value][usize::from(lane)],
                },
            },
            Some(step) => {
                let first = self.scalar(value);
                if lane == 0 {
                    return first;
                }
                let more = step.wrapping_mul(i64::from(lane)) as u64;
                if ty.kind.is_ptr() {
                    return self.b.ptr_offset(first, more);
                }
                let more = self.b.iconst(ty, more);
                self.b.same(Op::Iadd, &[first, more])
            }
            None => {
                let vector = self.vector(value);
                let lane = self.b.extract(vector, lane);
                self.b.convert(Op::Bitcast, ty, lane)
            }
        }
    }

    pub(super) fn define(&mut self, inst: &Inst, new: Value) {
        let Some(result) = inst.result else { return };
        if self.source.shapes.of(result) == VectorShape::Varying {
            self.values.vectors[result] = Some(new);
        } else {
            self.values.scalars[result] = Some(new);
        }
    }

    // ---- masks

    /// Returns the active lanes of the current block; none means all.
    pub(super) fn mask(&self) -> Option<Value> {
        self.masks.active[self.current]
    }

    /// Returns the active lanes of the current block as a value.
    pub(super) fn mask_value(&mut self) -> Value {
        match self.mask() {
            Some(mask) => mask,
            None => self.all_lanes(),
        }
    }

    fn and_mask(&mut self, a: Option<Value>, b: Value) -> Value {
        match a {
            Some(a) => self.b.same(Op::And, &[a, b]),
            None => b,
        }
    }

    pub(super) fn not(&mut self, mask: Value) -> Value {
        let all = self.all_lanes();
        self.b.same(Op::Xor, &[mask, all])
    }

    /// Returns the variable that collects the lanes that branch to a block.
    fn arrivals_at(&mut self, block: Block) -> Value {
        if let Some(&variable) = self.masks.arrivals.get(&block) {
            return variable;
        }
        let variable = self.variable(self.mask_type());
        self.masks.arrivals.insert(block, variable);
        // No lane has branched there at first.
        let no_lane = self.constant_mask(false);
        self.in_prologue(|widener| widener.store_variable(variable, no_lane));
        variable
    }

    // ---- blocks

    fn widen_block(&mut self, block: Block) -> WidenResult {
        let source = self.source;
        self.current = block;
        let mask_ty = self.mask_type();
        if source.linearization.is_guarded(block) {
            let entry_block = self.flow.entries[block];
            self.b.func.layout.push(entry_block);
            self.b.switch_to(entry_block);
            let mask = match source.linearization.masks[block] {
                BlockMask::Collected => {
                    let variable = self.arrivals_at(block);
                    self.load_variable(mask_ty, variable)
                }
                BlockMask::SameAs(other) => {
                    let all = self.all_lanes();
                    self.masks.active[other].unwrap_or(all)
                }
                BlockMask::All => self.all_lanes(),
            };
            self.branch_if_any(
                mask,
                Target::new(self.flow.blocks[block], &[]),
                self.flow.entries[source.linearization.pending(block)[0]],
            );
        }
        self.b.switch_to(self.flow.blocks[block]);
        self.masks.active[block] = match source.linearization.masks[block] {
            BlockMask::All => None,
            BlockMask::SameAs(other) => self.masks.active[other],
            BlockMask::Collected => {
                let variable = self.arrivals_at(block);
                let mask = self.load_variable(mask_ty, variable);
                let no_lane = self.constant_mask(false);
                self.store_variable(variable, no_lane);
                Some(mask)
            }
        };
        self.define_params(block)?;
        let insts = &source.func.blocks[block].insts;
        for &id in insts {
            let inst = &source.func.insts[id];
            self.b.loc = inst.loc;
            if inst.op.is_terminator() {
                self.terminator(block, inst)?;
            } else {
                self.inst(id, inst)?;
            }
        }
        Ok(())
    }

    /// Defines the parameters of a block: parameters again, or variables if the block is deferred.
    fn define_params(&mut self, block: Block) -> WidenResult {
        let source = self.source;
        let is_entry = block == source.func.entry();
        for &param in &source.func.blocks[block].params {
            let ty = self.widened_type_of(param)?;
            let value = if is_entry || !source.linearization.is_deferred(block) {
                let new = self.flow.blocks[block];
                self.b.func.add_param(new, ty)
            } else {
                let variable = self.param_variable(param)?;
                self.load_variable(ty, variable)
            };
            if source.shapes.of(param) == VectorShape::Varying {
                self.values.vectors[param] = Some(value);
            } else {
                self.values.scalars[param] = Some(value);
            }
        }
        Ok(())
    }

    /// Returns the type that a value has in the widened function.
    fn widened_type_of(&self, value: Value) -> Result<Type, Refusal> {
        let ty = self.source.func.ty(value);
        if self.source.shapes.of(value) != VectorShape::Varying {
            return Ok(ty);
        }
        if ty.is_vector() { Err(Refusal::OpenClVectors) } else { Ok(self.widened_type(ty)) }
    }

    pub(super) fn param_variable(&mut self, param: Value) -> Result<Value, Refusal> {
        if let Some(&variable) = self.flow.param_variables.get(&param) {
            return Ok(variable);
        }
        let ty = self.widened_type_of(param)?;
        let variable = self.variable(ty);
        self.flow.param_variables.insert(param, variable);
        Ok(variable)
    }

    // ---- edges

    fn terminator(&mut self, block: Block, inst: &Inst) -> WidenResult {
        let source = self.source;
        if let Some(id) = latch_of(source.func, source.loops, block) {
            return self.latch(block, inst, source.shapes.is_divergent_loop(id));
        }
        match inst.op {
            Op::Ret => self.ret(inst),
            Op::Unreachable => {
                self.b.inst(Op::Unreachable, Type::VOID, &[], Attr::None, Vec::new());
                Ok(())
            }
            _ if source.shapes.is_divergent_branch(block) => self.diverge(block, inst),
            Op::Jump => self.uniform_edge(block, &inst.targets[0]),
            _ => self.uniform_branch(block, inst),
        }
    }

    fn ret(&mut self, inst: &Inst) -> WidenResult {
        let Some(&arg) = inst.args.first() else {
            self.b.ret(&[]);
            return Ok(());
        };
        let result = if self.shape(arg).is_uniform() {
            self.scalar(arg)
        } else {
            // The result is the next region of the work-group function. The smallest number is the region to
            // run first; lanes that have ended have a number that is greater than that of any region.
            let all = self.vector(arg);
            self.b.halve(all, |b, pair| b.same(Op::Umin, &pair))
        };
        self.b.ret(&[result]);
        Ok(())
    }

    /// Emits a branch that all lanes take alike.
    fn uniform_branch(&mut self, block: Block, inst: &Inst) -> WidenResult {
        let on = match self.source.versioned.uniform_tests.get(&block) {
            Some(&all_or_any) if !self.shape(inst.args[0]).is_uniform() => {
                let on = self.vector(inst.args[0]);
                self.b.value(all_or_any, Type::I1, &[on], Attr::None)
            }
            _ => self.scalar(inst.args[0]),
        };
        let from = self.b.block;
        let mut targets = Vec::new();
        for target in &inst.targets {
            let uniform_edge = self.b.func.add_block();
            targets.push(Target::new(uniform_edge, &[]));
            self.b.switch_to(uniform_edge);
            self.uniform_edge(block, target)?;
        }
        self.b.switch_to(from);
        self.b.inst(inst.op, Type::VOID, &[on], inst.attr.clone(), targets);
        Ok(())
    }

    /// Emits the edge from a block to a target that all of its lanes take.
    fn uniform_edge(&mut self, block: Block, target: &Target) -> WidenResult {
        let mask = self.masks.active[block];
        self.pass_lanes(block, target, mask, mask)?;
        self.continue_to_next(block, &[target], &[mask], self.source.linearization.has_active_lane[block])
    }

    /// Emits a divergent branch.
    fn diverge(&mut self, block: Block, inst: &Inst) -> WidenResult {
        let own = self.masks.active[block];
        let on = self.vector(inst.args[0]);
        let way_masks: Vec<Value> = if inst.op == Op::BrIf {
            let not = self.not(on);
            vec![on, not]
        } else {
            self.switch_masks(inst, on)
        };
        let mut masks = Vec::new();
        for way_mask in way_masks {
            masks.push(self.and_mask(own, way_mask));
        }
        // Edges to the same target with the same arguments are merged.
        let mut targets: Vec<(&Target, Value)> = Vec::new();
        for (target, mask) in inst.targets.iter().zip(masks) {
            match targets.iter_mut().find(|(other, _)| *other == target) {
                Some((_, all)) => *all = self.b.same(Op::Or, &[*all, mask]),
                None => targets.push((target, mask)),
            }
        }
        for (at, &(target, mask)) in targets.iter().enumerate() {
            let is_first = targets[..at].iter().all(|(other, _)| other.block != target.block);
            // What is passed to lanes that do not branch there is never read, or overwritten where they do.
            let overwritten = if is_first { own } else { Some(mask) };
            self.pass_lanes(block, target, Some(mask), overwritten)?;
        }
        let (targets, masks): (Vec<&Target>, Vec<Option<Value>>) =
            targets.into_iter().map(|(target, mask)| (target, Some(mask))).unzip();
        self.continue_to_next(block, &targets, &masks, false)
    }

    /// Returns the mask of each target of a switch, the default target first.
    fn switch_masks(&mut self, inst: &Inst, on: Value) -> Vec<Value> {
        let ty = self.b.func.ty(on);
        let mut way_masks = Vec::new();
        let mut default = self.all_lanes();
        for &case in inst.cases() {
            let case = self.b.iconst(ty, case);
            let is_case = self.b.icmp(IntCond::Eq, on, case);
            let is_not = self.not(is_case);
            default = self.b.same(Op::And, &[default, is_not]);
            way_masks.push(is_case);
        }
        way_masks.insert(0, default);
        way_masks
    }

    /// Passes the mask and the arguments of lanes that branch to a target. Arguments may be passed to all lanes in
    /// `overwritten`, a superset of these lanes.
    fn pass_lanes(
        &mut self,
        block: Block,
        target: &Target,
        mask: Option<Value>,
        overwritten: Option<Value>,
    ) -> WidenResult {
        let source = self.source;
        self.save_live_outs(block, target.block, overwritten);
        self.enter_copied_loop(block, target.block);
        self.arrive(target.block, mask);
        if !source.linearization.is_deferred(target.block) {
            return Ok(());
        }
        let is_first = !std::mem::replace(&mut self.flow.are_params_set[target.block], true)
            && source.shapes.innermost_divergent_loop(block)
                == source.shapes.innermost_divergent_loop(target.block);
        let params = &source.func.blocks[target.block].params;
        let mut param_variables = Vec::new();
        for (&param, &arg) in params.iter().zip(&target.args) {
            let variable = self.param_variable(param)?;
            let is_varying = source.shapes.of(param) == VectorShape::Varying;
            let mut value = self.argument(param, arg);
            if let Some(overwritten) = overwritten.filter(|_| is_varying && !is_first) {
                let ty = self.b.func.ty(value);
                let previous = self.load_variable(ty, variable);
                value = self.b.select(overwritten, value, previous);
            }
            param_variables.push((variable, value));
        }
        // All variables are set at the end: a block may pass its own parameters to itself in another order.
        param_variables.into_iter().for_each(|(variable, value)| self.store_variable(variable, value));
        Ok(())
    }

    /// Adds the lanes of a mask to those that branch to a block, if these are collected.
    pub(super) fn arrive(&mut self, block: Block, mask: Option<Value>) {
        if self.source.linearization.masks[block] != BlockMask::Collected {
            return;
        }
        let variable = self.arrivals_at(block);
        let previous = self.load_variable(self.mask_type(), variable);
        let mask = match mask {
            Some(mask) => mask,
            None => self.all_lanes(),
        };
        let after = self.b.same(Op::Or, &[previous, mask]);
        self.store_variable(variable, after);
    }

    /// Jumps to the first block in the order: a target of this branch, or a pending block.
    fn continue_to_next(
        &mut self,
        block: Block,
        targets: &[&Target],
        masks: &[Option<Value>],
        has_active_lane: bool,
    ) -> WidenResult {
        let source = self.source;
        let pending = source.linearization.pending(block);
        let next_blocks: Vec<Block> = targets.iter().map(|target| target.block).collect();
        let Some((first, rest)) = next_of(source.order, pending, &next_blocks) else { return Ok(()) };
        if source.linearization.is_deferred(first) {
            self.b.jump(self.flow.entries[first], &[]);
            return Ok(());
        }
        let at =
            next_blocks.iter().position(|&next| next == first).expect("what is not deferred is gone to now");
        let args = self.target_args(targets[at])?;
        let to = self.flow.blocks[first];
        let is_guarded = !rest.is_empty() && source.linearization.expensive[first] && !has_active_lane;
        match masks[at].filter(|_| is_guarded) {
            Some(mask) => self.branch_if_any(mask, Target::new(to, &args), self.flow.entries[rest[0]]),
            None => self.b.jump(to, &args),
        }
        Ok(())
    }

    /// Branches to a block if any lane of the mask is set, else to the entry of a pending block, which is deferred.
    pub(super) fn branch_if_any(&mut self, mask: Value, to: Target, pending: Block) {
        let is_any = if self.is_in_copied_loop() {
            // The end of the iteration counts the same bits (`remaining_lanes`).
            let places = self.places(mask);
            let zero = self.b.iconst(self.b.func.ty(places), 0);
            self.b.icmp(IntCond::Ne, places, zero)
        } else {
            self.b.value(Op::Any, Type::I1, &[mask], Attr::None)
        };
        let pass = self.b.func.add_block();
        self.b.br_to(is_any, to, Target::new(pass, &[]));
        self.b.switch_to(pass);
        self.b.jump(pending, &[]);
    }

    /// Returns an argument in the form that its parameter has.
    fn argument(&mut self, param: Value, arg: Value) -> Value {
        let is_varying = self.source.shapes.of(param) == VectorShape::Varying;
        if is_varying { self.vector(arg) } else { self.scalar(arg) }
    }

    fn target_args(&mut self, target: &Target) -> Result<Vec<Value>, Refusal> {
        let params = &self.source.func.blocks[target.block].params;
        let mut args = Vec::new();
        for (&param, &arg) in params.iter().zip(&target.args) {
            args.push(self.argument(param, arg));
        }
        Ok(args)
    }

    /// Emits the back edge to the header: unconditional, or taken while any lane is active.
    fn latch(&mut self, block: Block, inst: &Inst, is_divergent: bool) -> WidenResult {
        let source = self.source;
        let target = &inst.targets[0];
        let mask = self.masks.active[block];
        self.pass_lanes(block, target, mask, mask)?;
        let args = if source.linearization.is_deferred(target.block) {
            Vec::new()
        } else {
            self.target_args(target)?
        };
        let header = self.flow.blocks[target.block];
        if !is_divergent || source.linearization.pending(block).is_empty() {
            self.b.jump(header, &args);
            return Ok(());
        }
        let mask = mask.expect("a loop that lanes leave at different times is masked");
        let id = source.loops.of(block).expect("a latch is in a loop");
        let pending = self.flow.entries[source.linearization.pending(block)[0]];
        self.repeat_for_lanes(id, inst, mask, Target::new(header, &args), pending)
    }

    // ---- values that leave loops

    fn find_live_outs(&mut self) {
        let source = self.source;
        for &block in &source.order.blocks {
            for &id in &source.func.blocks[block].insts {
                // An argument of an edge has the shape that it has in the source block of the edge.
                for arg in source.func.insts[id].uses() {
                    if source.shapes.is_temporally_divergent(arg, block)
                        && !self.flow.live_outs.contains_key(&arg)
                    {
                        let ty = self.widened_type(source.func.ty(arg));
                        let variable = self.variable(ty);
                        self.flow.live_outs.insert(arg, variable);
                        let divergent_loop =
                            source.shapes.innermost_divergent_loop(source.shapes.def_block(arg));
                        self.flow
                            .live_outs_of_loop
                            .entry(divergent_loop.expect("it leaves a loop"))
                            .or_default()
                            .push(arg);
                    }
                }
            }
        }
    }

    /// Returns the live-outs of the loops that lanes leave on an edge.
    pub(super) fn live_outs_at(&self, from: Block, to: Block) -> Vec<Value> {
        let source = self.source;
        let is_left = |id: &LoopId| source.shapes.is_divergent_loop(*id) && !source.loops.contains(*id, to);
        let exited_loops = source.loops.around(from).filter(is_left);
        let live_outs = exited_loops.filter_map(|id| self.flow.live_outs_of_loop.get(&id)).flatten().copied();
        live_outs.filter(|&value| source.dom.dominates(source.shapes.def_block(value), from)).collect()
    }

    /// Saves the live-outs of the loops that lanes leave on an edge, for the lanes of a mask. Lanes of it that stay in the
    /// loop save theirs again when they leave.
    fn save_live_outs(&mut self, from: Block, to: Block, mask: Option<Value>) {
        for value in self.live_outs_at(from, to) {
            let lanes_now = self.vector(value);
            self.store_lanes(self.flow.live_outs[&value], mask, lanes_now);
        }
    }

    /// Stores the lanes of a mask, or all, to a variable.
    pub(super) fn store_lanes(&mut self, variable: Value, mask: Option<Value>, mut lanes: Value) {
        if let Some(mask) = mask {
            let previous = self.load_variable(self.b.func.ty(lanes), variable);
            lanes = self.b.select(mask, lanes, previous);
        }
        self.store_variable(variable, lanes);
    }
}

/// Creates a variable for a value of this type and appends the instruction to a list.
pub(super) fn variable(func: &mut Function, ty: Type, insts: &mut Vec<InstId>) -> Value {
    memory(func, ty.bytes().into(), ty.kind.bytes(), insts)
}

fn memory(func: &mut Function, size: u64, align: u32, insts: &mut Vec<InstId>) -> Value {
    let attr = Attr::SizeAlign(size, align);
    let id = func.make_inst(Op::Alloca, Type::PRIVATE, smallvec::SmallVec::new(), attr, Vec::new(), 0);
    insts.push(id);
    func.insts[id].result.expect("an address")
}
