//! Emits the widened function: every block once, and every value for all lanes, with the masks that
//! linearization requires.
//!
//! Uniform and affine values stay scalars, namely the value of the first lane; they become vectors where an
//! instruction uses them as such. Arguments of deferred blocks, masks, and live-outs of divergent loops are
//! kept in private memory, which `promote` turns into SSA values afterwards.

use super::super::alias::Terms;
use super::super::private_arrays::Elements;
use super::super::workgroup::Record;
use super::block_order::BlockOrder;
use super::calls::vectorized_functions::Callees;
use super::divergence::{Shapes, VectorShape};
use super::linearize::{BlockMask, Linearization, latch_of, next_of};
use super::memory::interleaved_groups::Runs;
use super::memory::row_segments::RowSegments;
use super::scalarize::Groups;
use super::versioning::guards::Agreed;
use super::versioning::speculative_stride::{self, Likely};
use super::{Asked, Refusal};
use crate::ir::analysis::{DomTree, LoopId, Loops};
use crate::ir::{Attr, Block, Builder, Function, Inst, InstId, IntCond, Kind, Mem, Op, Target, Type, Value};
use crate::support::{FastMap, FastSet, Id, IdMap};

/// Results of the analyses of the scalar function.
pub(super) struct WidenInput<'f> {
    pub func: &'f Function,
    pub order: &'f BlockOrder,
    pub loops: &'f Loops,
    pub shapes: &'f Shapes<'f>,
    pub dom: &'f DomTree,
    pub plan: &'f Linearization,
    pub groups: &'f Groups,
    pub interleaved: &'f Elements,
    pub likely: &'f speculative_stride::Steps,
    pub runs: &'f Runs,
    /// True for values that have a use.
    pub is_used: &'f IdMap<Value, bool>,
    pub agreed: &'f Agreed,
    /// Memory in which the body notes the work-item that runs.
    pub record: Option<Record>,
    /// Row segments, if a vector spans several rows of the work-group.
    pub pieces: Option<&'f RowSegments<'f>>,
}

/// Execution frequencies of the blocks of a widened function.
#[derive(Default)]
pub(super) struct Frequencies {
    /// Blocks that are rarely executed.
    pub cold: FastSet<Block>,
    /// Headers of divergent loops: lanes that have left the loop stay idle until the last lane leaves.
    pub uneven: FastSet<Block>,
}

/// Builder of a widened function.
pub(super) struct Widener<'f, 'b> {
    pub source: &'f WidenInput<'f>,
    pub b: Builder<'b>,
    pub lanes: u16,
    pub asked: Asked,
    /// Functions that are not inlined.
    pub callees: &'b mut Callees,
    /// Private memory for arguments and results of calls.
    pub frame: Option<Value>,
    /// Scalars of uniform values, and the first lanes of affine ones.
    scalars: IdMap<Value, Option<Value>>,
    /// Vectors of varying values.
    vectors: IdMap<Value, Option<Value>>,
    /// Vectors of uniform and affine values, by the block in which they were built.
    spread: FastMap<(Block, Value), Value>,
    /// Values of the first lanes of row segments, by the block in which they were computed and the lane.
    pub firsts_of_pieces: FastMap<(Block, Value, u16), Value>,
    /// Offsets of the lanes from a base, by the block in which they were computed and the terms that are added
    /// up.
    pub indices: FastMap<(Block, Terms), Value>,
    /// OpenCL vectors with one value for each lane.
    pub apart: FastMap<Value, Vec<Value>>,
    /// OpenCL vectors with one widened value for each component.
    pub components: FastMap<Value, Vec<Value>>,
    /// Speculatively affine values.
    pub likely: FastMap<Value, Likely>,
    pub frequencies: Frequencies,
    /// Bytes of all private objects of one lane.
    pub private_size: u64,
    /// Values that hold the number of the lane, as far as they have been defined.
    pub lane_numbers: Vec<Value>,
    blocks: IdMap<Block, Block>,
    /// Entries of blocks: of a guarded block, the block that tests its mask.
    doors: IdMap<Block, Block>,
    /// Active lanes of each block; none if all lanes are active.
    masks: IdMap<Block, Option<Value>>,
    sent: FastMap<Block, Value>,
    /// Variables for the parameters of deferred blocks.
    given: FastMap<Value, Value>,
    /// True for deferred blocks whose variables have been set.
    has_given: IdMap<Block, bool>,
    /// Variables for the live-outs of divergent loops.
    leaving: FastMap<Value, Value>,
    left: FastMap<LoopId, Vec<Value>>,
    /// Block of the scalar function that is being widened.
    pub here: Block,
    entry: Block,
    /// Masks of no lane and of all lanes.
    truths: [Option<Value>; 2],
    /// Instructions that are put at the start of the entry block once the function is complete.
    first: Vec<InstId>,
}

/// Result of a step that can fail.
pub(super) type Done = Result<(), Refusal>;

impl<'f, 'b> Widener<'f, 'b> {
    /// Creates the builder and the blocks; `into` has no blocks yet.
    pub(super) fn new(
        source: &'f WidenInput<'f>,
        into: &'b mut Function,
        asked: Asked,
        callees: &'b mut Callees,
    ) -> Widener<'f, 'b> {
        let func = source.func;
        let len = func.blocks.len();
        let mut blocks = IdMap::with_len(Block(u32::MAX), len);
        let mut doors = blocks.clone();
        for &block in &source.order.blocks {
            blocks[block] = into.add_block();
            doors[block] =
                if source.plan.is_guarded(block) { into.add_detached_block() } else { blocks[block] };
        }
        let entry = blocks[func.entry()];
        let b = Builder::new(into, entry);
        Widener {
            source,
            b,
            lanes: asked.lanes,
            asked,
            callees,
            frame: None,
            scalars: IdMap::with_len(None, func.values.len()),
            vectors: IdMap::with_len(None, func.values.len()),
            spread: FastMap::default(),
            firsts_of_pieces: FastMap::default(),
            indices: FastMap::default(),
            apart: FastMap::default(),
            components: FastMap::default(),
            likely: FastMap::default(),
            frequencies: Frequencies::default(),
            private_size: 0,
            lane_numbers: Vec::new(),
            blocks,
            doors,
            masks: IdMap::with_len(None, len),
            sent: FastMap::default(),
            given: FastMap::default(),
            has_given: IdMap::with_len(false, len),
            leaving: FastMap::default(),
            left: FastMap::default(),
            here: func.entry(),
            entry,
            truths: [None; 2],
            first: Vec::new(),
        }
    }

    /// Emits the function and returns the execution frequencies of its blocks. Definitions need not dominate
    /// their uses afterwards.
    pub(super) fn write(mut self) -> Result<Frequencies, Refusal> {
        let source = self.source;
        self.find_leaving();
        for &block in &source.order.blocks {
            let first = self.b.func.blocks.next_id();
            self.block(block)?;
            if source.agreed.rare.contains(&block) {
                self.frequencies.cold.insert(self.blocks[block]);
                self.frequencies.cold.extend((first.index()..self.b.func.blocks.len()).map(Block::new));
            }
        }
        let entry = self.entry;
        let first = std::mem::take(&mut self.first);
        self.b.func.blocks[entry].insts.splice(0..0, first);
        let divergent = source.order.blocks.iter().filter(|&&block| {
            source
                .loops
                .of(block)
                .is_some_and(|id| source.loops.get(id).header == block && source.shapes.is_divergent(id))
        });
        self.frequencies.uneven = divergent.map(|&block| self.blocks[block]).collect();
        Ok(self.frequencies)
    }

    /// Returns the type of a value in all lanes. Pointers become integers.
    pub(super) fn wide(&self, ty: Type) -> Type {
        let kind = if ty.kind.is_ptr() { Kind::I64 } else { ty.kind };
        Type::vector(kind, self.lanes)
    }

    /// Returns the type of a mask.
    fn mask_type(&self) -> Type {
        Type::vector(Kind::I1, self.lanes)
    }

    pub(super) fn all_lanes(&mut self) -> Value {
        self.truths(true)
    }

    /// Returns the mask that is `truth` in all lanes, which is created at the start of the function.
    fn truths(&mut self, truth: bool) -> Value {
        let at = usize::from(truth);
        if let Some(known) = self.truths[at] {
            return known;
        }
        let made = self.at_start(|widener| {
            let bit = widener.b.iconst(Type::I1, u64::from(truth));
            widener.b.splat(widener.mask_type(), bit)
        });
        self.truths[at] = Some(made);
        made
    }

    /// Emits instructions that precede everything else.
    fn at_start<T>(&mut self, emit: impl FnOnce(&mut Self) -> T) -> T {
        let (here, entry) = (self.b.block, self.entry);
        let length = self.b.func.blocks[entry].insts.len();
        self.b.switch_to(entry);
        let result = emit(self);
        let made: Vec<InstId> = self.b.func.blocks[entry].insts.drain(length..).collect();
        self.first.extend(made);
        self.b.switch_to(here);
        result
    }

    /// Creates an uninitialized variable for a value of one lane or of all lanes.
    fn variable(&mut self, ty: Type) -> Value {
        variable(self.b.func, ty, &mut self.first)
    }

    /// Creates an object of this many bytes in private memory.
    pub(super) fn memory_of(&mut self, size: u64, align: u32) -> Value {
        memory(self.b.func, size, align, &mut self.first)
    }

    fn get(&mut self, ty: Type, variable: Value) -> Value {
        self.b.load(ty, variable, Mem::natural(ty))
    }

    fn set(&mut self, variable: Value, value: Value) {
        let ty = self.b.func.ty(value);
        self.b.store(value, variable, Mem::natural(ty));
    }

    // ---- values

    /// Returns a uniform value, or the first lane of an affine one.
    pub(super) fn scalar(&mut self, value: Value) -> Value {
        self.scalars[value].expect("defined before it is used")
    }

    /// Checks whether a value has been emitted.
    pub(super) fn is_defined(&self, value: Value) -> bool {
        self.scalars[value].is_some() || self.vectors[value].is_some() || self.likely.contains_key(&value)
    }

    pub(super) fn shape(&self, value: Value) -> VectorShape {
        self.source.shapes.at(value, self.here)
    }

    /// Returns all lanes of a value.
    pub(super) fn vector(&mut self, value: Value) -> Value {
        if self.source.shapes.leaves(value, self.here) {
            let variable = self.leaving[&value];
            let ty = self.wide(self.source.func.ty(value));
            return self.get(ty, variable);
        }
        if let Some(vector) = self.vectors[value] {
            return vector;
        }
        let here = (self.b.block, value);
        if let Some(&vector) = self.spread.get(&here) {
            return vector;
        }
        let vector = if self.likely.contains_key(&value) {
            self.lanes_of_likely(value)
        } else {
            let scalar = self.scalar(value);
            let step = self.source.shapes.of(value).step().unwrap_or(0);
            self.spread(scalar, step)
        };
        self.spread.insert(here, vector);
        vector
    }

    /// Returns the vector whose lane `i` is `scalar + i * step`.
    pub(super) fn spread(&mut self, scalar: Value, step: i64) -> Value {
        let ty = self.b.func.ty(scalar);
        let wide = self.wide(ty);
        let bits = if ty.kind.is_ptr() { self.b.convert(Op::Bitcast, Type::I64, scalar) } else { scalar };
        let all = self.b.splat(wide, bits);
        if step == 0 {
            return all;
        }
        let steps = self.steps(wide, step);
        self.b.same(Op::Iadd, &[all, steps])
    }

    /// Returns the vector of constants `0, step, 2 * step, ...`.
    pub(super) fn steps(&mut self, ty: Type, step: i64) -> Value {
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
                _ => match self.components.get(&value).cloned() {
                    Some(parts) => {
                        let parts: Vec<Value> =
                            parts.into_iter().map(|part| self.b.extract(part, lane)).collect();
                        self.b.value(Op::BuildVector, ty, &parts, Attr::None)
                    }
                    None => self.apart[&value][usize::from(lane)],
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
            self.vectors[result] = Some(new);
        } else {
            self.scalars[result] = Some(new);
        }
    }

    // ---- masks

    /// Returns the active lanes of the current block; none means all.
    pub(super) fn mask(&self) -> Option<Value> {
        self.masks[self.here]
    }

    /// Returns the active lanes of the current block as a value.
    pub(super) fn mask_value(&mut self) -> Value {
        match self.mask() {
            Some(mask) => mask,
            None => self.all_lanes(),
        }
    }

    fn both(&mut self, a: Option<Value>, b: Value) -> Value {
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
    fn sent_to(&mut self, block: Block) -> Value {
        if let Some(&variable) = self.sent.get(&block) {
            return variable;
        }
        let variable = self.variable(self.mask_type());
        self.sent.insert(block, variable);
        // No lane has branched there at first.
        let nobody = self.truths(false);
        self.at_start(|widener| widener.set(variable, nobody));
        variable
    }

    // ---- blocks

    fn block(&mut self, block: Block) -> Done {
        let source = self.source;
        self.here = block;
        let mask_ty = self.mask_type();
        if source.plan.is_guarded(block) {
            let door = self.doors[block];
            self.b.func.layout.push(door);
            self.b.switch_to(door);
            let mask = match source.plan.masks[block] {
                BlockMask::Sent => {
                    let variable = self.sent_to(block);
                    self.get(mask_ty, variable)
                }
                BlockMask::As(other) => {
                    let all = self.all_lanes();
                    self.masks[other].unwrap_or(all)
                }
                BlockMask::All => self.all_lanes(),
            };
            self.go_if_any(mask, Target::new(self.blocks[block], &[]), source.plan.pending(block));
        }
        self.b.switch_to(self.blocks[block]);
        self.masks[block] = match source.plan.masks[block] {
            BlockMask::All => None,
            BlockMask::As(other) => self.masks[other],
            BlockMask::Sent => {
                let variable = self.sent_to(block);
                let mask = self.get(mask_ty, variable);
                let nobody = self.truths(false);
                self.set(variable, nobody);
                Some(mask)
            }
        };
        self.params(block)?;
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
    fn params(&mut self, block: Block) -> Done {
        let source = self.source;
        let is_entry = block == source.func.entry();
        for &param in &source.func.blocks[block].params {
            let ty = self.type_of(param)?;
            let value = if is_entry || !source.plan.is_deferred(block) {
                let new = self.blocks[block];
                self.b.func.add_param(new, ty)
            } else {
                let variable = self.given_to(param)?;
                self.get(ty, variable)
            };
            if source.shapes.of(param) == VectorShape::Varying {
                self.vectors[param] = Some(value);
            } else {
                self.scalars[param] = Some(value);
            }
        }
        Ok(())
    }

    /// Returns the type that a value has in the widened function.
    fn type_of(&self, value: Value) -> Result<Type, Refusal> {
        let ty = self.source.func.ty(value);
        if self.source.shapes.of(value) != VectorShape::Varying {
            return Ok(ty);
        }
        if ty.is_vector() { Err(Refusal::Vectors) } else { Ok(self.wide(ty)) }
    }

    fn given_to(&mut self, param: Value) -> Result<Value, Refusal> {
        if let Some(&variable) = self.given.get(&param) {
            return Ok(variable);
        }
        let ty = self.type_of(param)?;
        let variable = self.variable(ty);
        self.given.insert(param, variable);
        Ok(variable)
    }

    // ---- edges

    fn terminator(&mut self, block: Block, inst: &Inst) -> Done {
        let source = self.source;
        if let Some(id) = latch_of(source.func, source.loops, block) {
            return self.latch(block, inst, source.shapes.is_divergent(id));
        }
        match inst.op {
            Op::Ret => self.ret(inst),
            Op::Unreachable => {
                self.b.inst(Op::Unreachable, Type::VOID, &[], Attr::None, Vec::new());
                Ok(())
            }
            _ if source.shapes.is_varying_branch(block) => self.part(block, inst),
            Op::Jump => self.edge(block, &inst.targets[0]),
            _ => self.branch(block, inst),
        }
    }

    fn ret(&mut self, inst: &Inst) -> Done {
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
    fn branch(&mut self, block: Block, inst: &Inst) -> Done {
        let on = match self.source.agreed.asks.get(&block) {
            Some(&all_or_any) if !self.shape(inst.args[0]).is_uniform() => {
                let on = self.vector(inst.args[0]);
                self.b.value(all_or_any, Type::I1, &[on], Attr::None)
            }
            _ => self.scalar(inst.args[0]),
        };
        let from = self.b.block;
        let mut targets = Vec::new();
        for target in &inst.targets {
            let edge = self.b.func.add_block();
            targets.push(Target::new(edge, &[]));
            self.b.switch_to(edge);
            self.edge(block, target)?;
        }
        self.b.switch_to(from);
        self.b.inst(inst.op, Type::VOID, &[on], inst.attr.clone(), targets);
        Ok(())
    }

    /// Emits the edge from a block to a target that all of its lanes take.
    fn edge(&mut self, block: Block, target: &Target) -> Done {
        let mask = self.masks[block];
        self.send(block, target, mask)?;
        self.go_on(block, &[target], &[mask], self.source.plan.sure[block])
    }

    /// Emits a divergent branch.
    fn part(&mut self, block: Block, inst: &Inst) -> Done {
        let own = self.masks[block];
        let on = self.vector(inst.args[0]);
        let ways: Vec<Value> = if inst.op == Op::BrIf {
            let not = self.not(on);
            vec![on, not]
        } else {
            self.ways_of_switch(inst, on)
        };
        let mut masks = Vec::new();
        for way in ways {
            masks.push(self.both(own, way));
        }
        // Edges to the same target with the same arguments are merged.
        let mut targets: Vec<(&Target, Value)> = Vec::new();
        for (target, mask) in inst.targets.iter().zip(masks) {
            match targets.iter_mut().find(|(other, _)| *other == target) {
                Some((_, all)) => *all = self.b.same(Op::Or, &[*all, mask]),
                None => targets.push((target, mask)),
            }
        }
        for &(target, mask) in &targets {
            self.send(block, target, Some(mask))?;
        }
        let (targets, masks): (Vec<&Target>, Vec<Option<Value>>) =
            targets.into_iter().map(|(target, mask)| (target, Some(mask))).unzip();
        self.go_on(block, &targets, &masks, false)
    }

    /// Returns the mask of each target of a switch, the default target first.
    fn ways_of_switch(&mut self, inst: &Inst, on: Value) -> Vec<Value> {
        let ty = self.b.func.ty(on);
        let mut ways = Vec::new();
        let mut other = self.all_lanes();
        for &case in inst.cases() {
            let case = self.b.iconst(ty, case);
            let is_it = self.b.icmp(IntCond::Eq, on, case);
            let is_not = self.not(is_it);
            other = self.b.same(Op::And, &[other, is_not]);
            ways.push(is_it);
        }
        ways.insert(0, other);
        ways
    }

    /// Passes the mask and the arguments of lanes that branch to a target.
    fn send(&mut self, block: Block, target: &Target, mask: Option<Value>) -> Done {
        let source = self.source;
        self.leave(block, target.block, mask);
        if source.plan.masks[target.block] == BlockMask::Sent {
            let variable = self.sent_to(target.block);
            let mask_ty = self.mask_type();
            let before = self.get(mask_ty, variable);
            let mask = match mask {
                Some(mask) => mask,
                None => self.all_lanes(),
            };
            let after = self.b.same(Op::Or, &[before, mask]);
            self.set(variable, after);
        }
        if !source.plan.is_deferred(target.block) {
            return Ok(());
        }
        let is_first = !std::mem::replace(&mut self.has_given[target.block], true)
            && source.shapes.divergent_around(block) == source.shapes.divergent_around(target.block);
        let params = &source.func.blocks[target.block].params;
        let mut given = Vec::new();
        for (&param, &arg) in params.iter().zip(&target.args) {
            let variable = self.given_to(param)?;
            let is_varying = source.shapes.of(param) == VectorShape::Varying;
            let mut value = self.handed(param, arg);
            if let Some(mask) = mask.filter(|_| is_varying && !is_first) {
                let ty = self.b.func.ty(value);
                let before = self.get(ty, variable);
                value = self.b.select(mask, value, before);
            }
            given.push((variable, value));
        }
        // All variables are set at the end: a block may pass its own parameters to itself in another order.
        given.into_iter().for_each(|(variable, value)| self.set(variable, value));
        Ok(())
    }

    /// Jumps to the first block in the order: a target of this branch, or a pending block.
    fn go_on(&mut self, block: Block, targets: &[&Target], masks: &[Option<Value>], sure: bool) -> Done {
        let source = self.source;
        let pending = source.plan.pending(block);
        let nexts: Vec<Block> = targets.iter().map(|target| target.block).collect();
        let Some((first, rest)) = next_of(source.order, pending, &nexts) else { return Ok(()) };
        if source.plan.is_deferred(first) {
            self.b.jump(self.doors[first], &[]);
            return Ok(());
        }
        let at = nexts.iter().position(|&next| next == first).expect("what is not deferred is gone to now");
        let args = self.arguments(targets[at])?;
        let to = self.blocks[first];
        let is_guarded = !rest.is_empty() && source.plan.dear[first] && !sure;
        match masks[at].filter(|_| is_guarded) {
            Some(mask) => self.go_if_any(mask, Target::new(to, &args), &rest),
            None => self.b.jump(to, &args),
        }
        Ok(())
    }

    /// Branches to a block if any lane of the mask is set, else to the first pending block, which is deferred.
    fn go_if_any(&mut self, mask: Value, to: Target, pending: &[Block]) {
        let is_any = self.b.value(Op::Any, Type::I1, &[mask], Attr::None);
        let pass = self.b.func.add_block();
        self.b.br_to(is_any, to, Target::new(pass, &[]));
        self.b.switch_to(pass);
        self.b.jump(self.doors[pending[0]], &[]);
    }

    /// Returns an argument in the form that its parameter has.
    fn handed(&mut self, param: Value, arg: Value) -> Value {
        let is_varying = self.source.shapes.of(param) == VectorShape::Varying;
        if is_varying { self.vector(arg) } else { self.scalar(arg) }
    }

    fn arguments(&mut self, target: &Target) -> Result<Vec<Value>, Refusal> {
        let params = &self.source.func.blocks[target.block].params;
        let mut args = Vec::new();
        for (&param, &arg) in params.iter().zip(&target.args) {
            args.push(self.handed(param, arg));
        }
        Ok(args)
    }

    /// Emits the back edge to the header: unconditional, or taken while any lane is active.
    fn latch(&mut self, block: Block, inst: &Inst, is_divergent: bool) -> Done {
        let source = self.source;
        let target = &inst.targets[0];
        let mask = self.masks[block];
        self.send(block, target, mask)?;
        let args = if source.plan.is_deferred(target.block) { Vec::new() } else { self.arguments(target)? };
        let header = self.blocks[target.block];
        if !is_divergent || source.plan.pending(block).is_empty() {
            self.b.jump(header, &args);
            return Ok(());
        }
        let mask = mask.expect("a loop that lanes leave at different times is masked");
        self.go_if_any(mask, Target::new(header, &args), source.plan.pending(block));
        Ok(())
    }

    // ---- values that leave loops

    fn find_leaving(&mut self) {
        let source = self.source;
        for &block in &source.order.blocks {
            for &id in &source.func.blocks[block].insts {
                // An argument of an edge has the shape that it has in the source block of the edge.
                for arg in source.func.insts[id].uses() {
                    if source.shapes.leaves(arg, block) && !self.leaving.contains_key(&arg) {
                        let ty = self.wide(source.func.ty(arg));
                        let variable = self.variable(ty);
                        self.leaving.insert(arg, variable);
                        let around = source.shapes.divergent_around(source.shapes.home(arg));
                        self.left.entry(around.expect("it leaves a loop")).or_default().push(arg);
                    }
                }
            }
        }
    }

    /// Saves the live-outs of the loops that lanes leave on an edge.
    fn leave(&mut self, from: Block, to: Block, mask: Option<Value>) {
        let source = self.source;
        let is_left = |id: &LoopId| source.shapes.is_divergent(*id) && !source.loops.contains(*id, to);
        let around: Vec<LoopId> = source.loops.around(from).filter(is_left).collect();
        let left: Vec<Value> = around.iter().flat_map(|id| self.left.get(id)).flatten().copied().collect();
        for value in left {
            if !source.dom.dominates(source.shapes.home(value), from) {
                continue;
            }
            let variable = self.leaving[&value];
            let mut now = self.vector(value);
            if let Some(mask) = mask {
                let ty = self.b.func.ty(now);
                let before = self.get(ty, variable);
                now = self.b.select(mask, now, before);
            }
            self.set(variable, now);
        }
    }
}

/// Creates a variable for a value of this type and appends the instruction to a list.
pub(super) fn variable(func: &mut Function, ty: Type, made: &mut Vec<InstId>) -> Value {
    memory(func, ty.bytes().into(), ty.kind.bytes(), made)
}

fn memory(func: &mut Function, size: u64, align: u32, made: &mut Vec<InstId>) -> Value {
    let attr = Attr::SizeAlign(size, align);
    let id = func.make_inst(Op::Alloca, Type::PRIVATE, smallvec::SmallVec::new(), attr, Vec::new(), 0);
    made.push(id);
    func.insts[id].result.expect("an address")
}
