//! Instruction selection: lowers IR to machine instructions over virtual registers.
//!
//! Blocks are lowered from the last to the first, and so are the instructions of each: a value that has not been
//! requested by then is not computed, and a value with one use can become part of that use (a load, a comparison, an
//! address). Each instruction of the IR appends its machine instructions to `emitted`, in order; these are then
//! appended to the code backwards.
//!
//! A scalar is in a general register, whose bits above the scalar's width are arbitrary, or, if it is a float, in a
//! vector register. A vector is in as many vector registers as it fills ([`RegShape`]); some lanes of the last one may
//! be arbitrary. For masks see `mask.rs`.

pub(super) mod bitwise;
pub(super) mod blend;
pub(super) mod branch;
pub(super) mod call;
mod compare;
pub(super) mod constant;
pub(super) mod convert;
pub(super) mod float;
mod float_range;
mod flow;
pub(super) mod gather;
pub(super) mod lanes;
pub(super) mod mask;
pub(super) mod masked;
pub(super) mod memory;
pub(super) mod permute;
mod qwords;
pub(super) mod scalar;
pub(super) mod shuffle;
pub(super) mod vector;

use regalloc2::{Block as Label, Inst as InstIndex, RegClass, VReg};
use smallvec::SmallVec;

use super::super::Environment;
use super::inst::{Amode, InstBuilder, Src};
use super::vcode::{FrameSlot, MachineBlock, VCode};
use super::vec_ops::{Size, VecOp};
use super::{CodegenBug, X64Target};
use grus_ir::analysis::{Cfg, DomTree, Liveness, Loops};
use grus_ir::{
    Address, Attr, Block, CallOp, Choice, Class, Comparison, Constant, Def, Effect, FloatTernary, Function,
    Inst, InstId, Kind, Op, Type, Value,
};
use grus_support::{FastMap, Id, IdMap};

/// Registers that hold a value.
pub type ValueRegs = SmallVec<[VReg; 2]>;

/// Result of lowering, or the reason why it failed.
pub type Lowered<T> = Result<T, CodegenBug>;

/// Layout of a value in registers.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct RegShape {
    pub class: RegClass,
    pub size: Size,
    /// Number of registers.
    pub count: usize,
    /// Lanes in each register.
    pub lanes: usize,
    /// Bits of a lane.
    pub bits: u32,
}

/// Edge of the control-flow graph: target in the IR, and machine block that the branch goes to, which may be the block
/// of the edge.
pub struct Edge<'a> {
    pub target: &'a grus_ir::Target,
    pub label: Label,
}

/// State of lowering one function.
pub struct Lower<'a> {
    pub source: &'a Function,
    pub environment: &'a Environment<'a>,
    pub target: X64Target,
    pub code: VCode,
    /// Machine instructions of the current IR instruction, in order.
    pub emitted: Vec<InstBuilder>,
    /// Instructions, with source positions, that are moved before the group of lane updates lowered last; backwards.
    pub deferred: Vec<(InstBuilder, u32)>,
    values: IdMap<Value, ValueRegs>,
    /// Number of uses of each value.
    uses: IdMap<Value, u32>,
    /// Block that defines each value.
    def_blocks: IdMap<Value, Option<Block>>,
    /// Element width in bits of each mask; see `mask.rs`.
    pub mask_elem_bits: FastMap<Value, u32>,
    /// Stack slot of each `alloca`.
    slots: FastMap<Value, u32>,
    /// Memory version that each load reads: block, and number of writes before the load in it.
    memory_versions: FastMap<InstId, (Block, u32)>,
    /// Memory version at the current instruction.
    pub memory_version: (Block, u32),
    /// Live values between blocks, if the function has instructions whose lowering depends on last uses.
    liveness: Option<Liveness>,
    /// True if a value is used behind the current instruction; and the list of those values.
    is_used_after: IdMap<Value, bool>,
    used_after: Vec<Value>,
    /// Machine block of each block.
    pub labels: IdMap<Block, Label>,
    /// Address of the result, if that is returned through memory.
    pub result_address: Option<VReg>,
}

/// Lowers a function.
pub fn lower<'a>(
    source: &'a Function,
    tracked: &[Value],
    environment: &'a Environment<'a>,
    target: X64Target,
) -> Lowered<VCode> {
    let cfg = Cfg::new(source);
    if !cfg.preds(source.entry()).is_empty() {
        return Err(CodegenBug("a loop begins at the entry"));
    }
    let mut lower = Lower {
        source,
        environment,
        target,
        code: VCode::new(),
        emitted: Vec::new(),
        deferred: Vec::new(),
        values: IdMap::with_len(ValueRegs::new(), source.values.len()),
        uses: IdMap::with_len(0, source.values.len()),
        def_blocks: IdMap::with_len(None, source.values.len()),
        mask_elem_bits: FastMap::default(),
        slots: FastMap::default(),
        memory_versions: FastMap::default(),
        memory_version: (source.entry(), 0),
        liveness: source
            .instructions()
            .any(|inst| inst.op == Op::Fma || target.avx512 && inst.op == Op::Select && inst.ty.is_vector())
            .then(|| Liveness::new(source, &cfg)),
        is_used_after: IdMap::with_len(false, source.values.len()),
        used_after: Vec::new(),
        labels: IdMap::with_len(Label::new(0), source.blocks.len()),
        result_address: None,
    };
    lower.make_result_address();
    lower.prepare(&cfg)?;
    lower.blocks(&cfg)?;
    lower.track(tracked);
    lower.code.resolve_all();
    Ok(lower.code)
}

impl<'a> Lower<'a> {
    /// Counts uses and writes, determines the element widths of masks, and reserves stack slots.
    fn prepare(&mut self, cfg: &Cfg) -> Lowered<()> {
        for &block in cfg.rpo() {
            let mut writes = 0;
            for &param in &self.source.blocks[block].params {
                if self.source.ty(param).is_mask() {
                    self.mask_elem_bits.insert(param, mask::CANONICAL_MASK_BITS);
                }
            }
            for &id in &self.source.blocks[block].insts {
                let inst = &self.source.insts[id];
                if let Some(result) = inst.result {
                    self.def_blocks[result] = Some(block);
                    // A value that is an alias of another one does not use it.
                    if self.origin(result) != result {
                        continue;
                    }
                }
                for used in inst.uses() {
                    let origin = self.origin(used);
                    self.uses[origin] += 1;
                }
                match inst.op.effect() {
                    Effect::Write => writes += 1,
                    Effect::Read => {
                        self.memory_versions.insert(id, (block, writes));
                    }
                    Effect::Pure | Effect::End => {}
                }
                if let Some(result) = inst.result {
                    if inst.ty.is_mask() {
                        let elem_bits = self.result_elem_bits(inst);
                        self.mask_elem_bits.insert(result, elem_bits);
                    }
                    if inst.op == Op::Alloca {
                        let (size, align) = inst.size_align();
                        let size = u32::try_from(size).map_err(|_| CodegenBug("a large object"))?;
                        let slot = self.slot(size, align.max(1));
                        self.slots.insert(result, slot);
                    }
                }
            }
        }
        Ok(())
    }

    /// Reserves a stack slot.
    pub fn slot(&mut self, size: u32, align: u32) -> u32 {
        self.code.slots.push(FrameSlot { size, align });
        self.code.slots.len() as u32 - 1
    }

    /// Lowers all blocks. An edge gets a block of its own if it is critical, or if a branch with several successors
    /// passes arguments.
    fn blocks(&mut self, cfg: &Cfg) -> Lowered<()> {
        let mut labels = 0;
        let mut edges: FastMap<(Block, usize), Label> = FastMap::default();
        for &block in cfg.rpo() {
            self.labels[block] = Label::new(labels);
            labels += 1;
            let targets = &self.source.terminator(block).targets;
            // A switch may have several edges to one block.
            let mut edge_counts: FastMap<Block, u32> = FastMap::default();
            for target in targets.iter().filter(|_| targets.len() > 1) {
                *edge_counts.entry(target.block).or_default() += 1;
            }
            for (index, target) in targets.iter().enumerate().filter(|_| targets.len() > 1) {
                // Only jumps can pass arguments.
                let is_shared = cfg.preds(target.block).len() > 1 || edge_counts[&target.block] > 1;
                if is_shared || !target.args.is_empty() {
                    edges.insert((block, index), Label::new(labels));
                    labels += 1;
                }
            }
        }
        self.code.blocks = (0..labels).map(|_| MachineBlock::default()).collect();
        let dominators = DomTree::new(self.source, cfg);
        let loops = Loops::new(self.source, cfg, &dominators);
        let mut note = |label: Label, block: Block| {
            let machine_block = &mut self.code.blocks[label.index()];
            (machine_block.innermost_loop, machine_block.depth) = (loops.of(block), loops.depth(block));
            machine_block.is_conditional = machine_block.innermost_loop.is_some_and(|id| {
                !loops.get(id).latches.iter().all(|&latch| dominators.dominates(block, latch))
            });
        };
        for &block in cfg.rpo() {
            note(self.labels[block], block);
        }
        for (&(block, index), &label) in &edges {
            let target = self.source.terminator(block).targets[index].block;
            note(label, if loops.depth(target) < loops.depth(block) { target } else { block });
        }
        for &block in cfg.rpo().iter().rev() {
            let targets = &self.source.terminator(block).targets;
            for (index, target) in targets.iter().enumerate().rev() {
                if let Some(&label) = edges.get(&(block, index)) {
                    self.edge_block(label, block, target)?;
                }
            }
            let label = self.labels[block];
            let before = self.code.insts.len();
            let terminator = self.source.terminator(block);
            self.memory_version = (block, u32::MAX);
            let out_edges: SmallVec<[Edge<'a>; 2]> = (0..terminator.targets.len())
                .map(|index| {
                    let target = &terminator.targets[index];
                    let label = edges.get(&(block, index)).copied().unwrap_or(self.labels[target.block]);
                    Edge { target, label }
                })
                .collect();
            let args = self.block(block, &out_edges)?;
            self.set_block_range(label, before);
            self.connect(label, &out_edges, args);
        }
        self.finish();
        Ok(())
    }

    /// Emits the block of an edge: a jump with arguments.
    fn edge_block(&mut self, label: Label, from: Block, target: &'a grus_ir::Target) -> Lowered<()> {
        let before = self.code.insts.len();
        self.memory_version = (from, u32::MAX);
        let args = self.arguments(target)?;
        self.emitted.push(InstBuilder::new(super::inst::InstKind::Jump));
        self.flush(0);
        self.set_block_range(label, before);
        let block = &mut self.code.blocks[label.index()];
        block.successors.push(self.labels[target.block]);
        block.args.push(args);
        Ok(())
    }

    /// Sets the range of a block's instructions, counted from the end while the code is reversed.
    fn set_block_range(&mut self, label: Label, before: usize) {
        let block = &mut self.code.blocks[label.index()];
        (block.first, block.end) = (before as u32, self.code.insts.len() as u32);
    }

    /// Sets the successors of a block, and the arguments of a jump.
    fn connect(&mut self, label: Label, out_edges: &[Edge<'a>], mut args: Vec<VReg>) {
        let block = &mut self.code.blocks[label.index()];
        for edge in out_edges {
            block.successors.push(edge.label);
            block.args.push(std::mem::take(&mut args));
        }
    }

    /// Reverses the code, and sets parameters and predecessors of blocks.
    fn finish(&mut self) {
        let count = self.code.insts.len() as u32;
        self.code.insts.reverse();
        for block in &mut self.code.blocks {
            (block.first, block.end) = (count - block.end, count - block.first);
        }
        for index in 0..self.code.blocks.len() {
            for successor in self.code.blocks[index].successors.clone() {
                self.code.blocks[successor.index()].predecessors.push(Label::new(index));
            }
        }
        let source = self.source;
        for &block in source.layout.iter().skip(1) {
            let label = self.labels[block];
            if source.blocks[block].params.is_empty() || (label.index() == 0) {
                continue;
            }
            let params = source.blocks[block].params.iter();
            let params = params.flat_map(|&param| self.values[param].clone()).collect();
            self.code.blocks[label.index()].params = params;
        }
    }

    /// Returns the registers of the arguments for a block's parameters.
    pub fn arguments(&mut self, target: &grus_ir::Target) -> Lowered<Vec<VReg>> {
        let source = self.source;
        let mut all = Vec::new();
        for (&arg, &param) in target.args.iter().zip(&source.blocks[target.block].params) {
            // All parameters get registers: a block that jumps backwards is lowered before its target.
            self.reserve(param)?;
            let regs = if source.ty(param).is_mask() {
                self.mask_as(arg, mask::CANONICAL_MASK_BITS)?
            } else {
                self.value_regs(arg)?
            };
            all.extend(regs);
        }
        Ok(all)
    }

    fn block(&mut self, block: Block, out_edges: &[Edge<'a>]) -> Lowered<Vec<VReg>> {
        let source = self.source;
        let mut args = Vec::new();
        let insts = &source.blocks[block].insts;
        if let Some(liveness) = self.liveness.take() {
            self.used_after.drain(..).for_each(|value| self.is_used_after[value] = false);
            source
                .successors(block)
                .flat_map(|next| liveness.alive(next))
                .for_each(|value| self.mark_used(value));
            self.liveness = Some(liveness);
        }
        let mut writes =
            insts.iter().filter(|&&id| source.insts[id].op.effect() == Effect::Write).count() as u32;
        let insts = self.sink_loop_masks(block, self.group_lane_updates(insts));
        for &id in insts.iter().rev() {
            let inst = &source.insts[id];
            if !self.is_lane_update(inst) {
                self.flush_deferred();
            }
            if inst.op.effect() == Effect::Write {
                writes -= 1;
            }
            self.memory_version = (block, writes);
            if inst.op.is_terminator() {
                args = self.terminator(inst, out_edges)?;
            } else {
                self.inst(inst)?;
            }
            self.flush(inst.loc);
            if self.liveness.is_some() {
                inst.uses().for_each(|value| self.mark_used(value));
            }
        }
        self.flush_deferred();
        if block == source.entry() {
            self.entry()?;
            self.flush(0);
        }
        Ok(args)
    }

    /// Notes that a value is used behind the instruction that is lowered next.
    pub fn mark_used(&mut self, value: Value) {
        let value = self.origin(value);
        if !std::mem::replace(&mut self.is_used_after[value], true) {
            self.used_after.push(value);
        }
    }

    fn flush(&mut self, loc: u32) {
        let mut emitted = std::mem::take(&mut self.emitted);
        for build in emitted.drain(..).rev() {
            self.code.push(build, loc);
        }
        self.emitted = emitted;
    }

    /// Appends the instructions that were deferred before a group of lane updates.
    fn flush_deferred(&mut self) {
        for (build, loc) in self.deferred.drain(..) {
            self.code.push(build, loc);
        }
    }

    /// Lowers an instruction, if it has an effect or its result has been requested.
    fn inst(&mut self, inst: &Inst) -> Lowered<()> {
        let requested = inst.result.filter(|&result| !self.values[result].is_empty());
        let has_effect = inst.op.effect() == Effect::Write || inst.is_volatile();
        if requested.is_none() && !has_effect || inst.op == Op::Alloca {
            return Ok(());
        }
        let regs = self.compute(inst)?;
        requested.map_or(Ok(()), |result| self.bind(result, &regs))
    }

    /// Makes the registers of a value aliases of `regs`.
    pub fn bind(&mut self, value: Value, regs: &ValueRegs) -> Lowered<()> {
        let reserved = self.values[value].clone();
        let are_alike = reserved.iter().map(|reg| reg.class()).eq(regs.iter().map(|reg| reg.class()));
        if !are_alike {
            return Err(CodegenBug("parts differ"));
        }
        self.code.aliases.extend(reserved.into_iter().zip(regs.iter().copied()));
        Ok(())
    }

    fn compute(&mut self, inst: &Inst) -> Lowered<ValueRegs> {
        let ty = inst.ty;
        let is_scalar = !ty.is_vector();
        match inst.op.class() {
            // Constants are rematerialized at each use.
            Class::Constant(Constant::Iconst | Constant::Fconst) => Err(CodegenBug("a constant has a place")),
            Class::IntBinary(op) if ty.is_mask() => self.mask_logic(inst, op),
            Class::IntBinary(op) if is_scalar => self.int_binary(inst, op).map(one),
            Class::IntBinary(op) => self.vector_int_binary(inst, op),
            Class::IntUnary(op) if is_scalar => self.int_unary(inst, op).map(one),
            Class::IntUnary(op) => self.vector_int_unary(inst, op),
            Class::FloatBinary(op) => self.float_binary(inst, op),
            Class::FloatUnary(op) => self.float_unary(inst, op),
            Class::FloatTernary(FloatTernary::Fma) => self.fma(inst),
            Class::Comparison(Comparison::Icmp | Comparison::Fcmp) if is_scalar => {
                self.scalar_compare(inst).map(one)
            }
            Class::Comparison(Comparison::Icmp) => self.vector_icmp(inst),
            Class::Comparison(Comparison::Fcmp) => self.vector_fcmp(inst),
            Class::Conversion(op) if is_scalar => self.convert_scalar(inst, op).map(one),
            Class::Conversion(op) => self.convert_vector(inst, op),
            Class::LaneOp(op) => self.lane_op(inst, op),
            Class::MaskOp(op) => self.mask_op(inst, op).map(one),
            Class::Choice(Choice::Select) => self.select(inst),
            Class::Address(Address::PtrAdd) => {
                let address = self.address_of(inst)?;
                Ok(one(self.lea(address)))
            }
            Class::Address(_) => Err(CodegenBug("an address has a place")),
            Class::MemoryOp(op) => self.memory_op(inst, op),
            Class::CallOp(CallOp::Call) => self.call(inst),
            Class::ItemOp(_) | Class::GroupOp(_) | Class::SubGroupOp(_) | Class::Terminator(_) => {
                Err(CodegenBug("left after the passes"))
            }
        }
    }

    /// Returns the layout of a value of a type in registers.
    pub fn shape_of(&self, ty: Type) -> Lowered<RegShape> {
        let bits = ty.kind.bits();
        if !ty.is_vector() {
            let class = if ty.kind.is_float() { RegClass::Float } else { RegClass::Int };
            return Ok(RegShape { class, size: Size::X, count: 1, lanes: 1, bits });
        }
        if ty.is_mask() {
            return Err(CodegenBug("a mask has no shape of its own"));
        }
        self.shape_of_lanes(ty.lanes, bits)
    }

    /// Returns the layout of `lanes` lanes of `bits` bits in vector registers.
    pub fn shape_of_lanes(&self, lanes: u16, bits: u32) -> Lowered<RegShape> {
        if !lanes.is_power_of_two() && lanes != 3 {
            return Err(CodegenBug("an odd number of lanes"));
        }
        let lanes = usize::from(lanes.next_power_of_two());
        let widest = self.target.widest.bytes() as usize * 8 / bits as usize;
        let each = lanes.min(widest);
        let size = Size::of_bytes(each as u32 * bits / 8);
        Ok(RegShape { class: RegClass::Float, size, count: lanes / each, lanes: each, bits })
    }

    /// Returns the layout of a value in registers.
    pub fn shape(&self, value: Value) -> Lowered<RegShape> {
        let ty = self.source.ty(value);
        if ty.is_mask() { self.mask_shape(ty.lanes, self.elem_bits(value)) } else { self.shape_of(ty) }
    }

    /// Returns the value that `value` is a bitcast of, or `value` itself.
    pub fn origin(&self, mut value: Value) -> Value {
        while let Some(def) = self.source.def_inst(value) {
            let same = def.op == Op::Bitcast
                && !def.ty.is_mask()
                && matches!((self.shape_of(def.ty), self.shape_of(self.source.ty(def.args[0]))),
                    (Ok(to), Ok(from)) if to.class == from.class && to.count == from.count && to.size == from.size);
            if !same {
                break;
            }
            value = def.args[0];
        }
        value
    }

    /// Returns the registers of a value that is defined by an instruction or parameter, and requests it.
    fn reserve(&mut self, value: Value) -> Lowered<ValueRegs> {
        if self.values[value].is_empty() {
            let shape = self.shape(value)?;
            let regs: ValueRegs = (0..shape.count).map(|_| self.code.vreg(shape.class)).collect();
            if shape.class == RegClass::Float {
                self.note_size(shape.size);
            }
            self.values[value] = regs;
        }
        Ok(self.values[value].clone())
    }

    /// Notes that vector registers of `size` are used.
    pub fn note_size(&mut self, size: Size) {
        self.code.widest = self.code.widest.max(size);
    }

    /// Returns the registers of a value, and requests it.
    pub fn value_regs(&mut self, value: Value) -> Lowered<ValueRegs> {
        let value = self.origin(value);
        if let Some(regs) = self.constant_regs(value)? {
            return Ok(regs);
        }
        if let Some(&slot) = self.slots.get(&value) {
            return Ok(one(self.lea(Amode::frame(slot, 0))));
        }
        self.reserve(value)
    }

    /// Returns the register of a scalar.
    pub fn scalar(&mut self, value: Value) -> Lowered<VReg> {
        Ok(self.value_regs(value)?[0])
    }

    /// Rematerializes a constant.
    fn constant_regs(&mut self, value: Value) -> Lowered<Option<ValueRegs>> {
        let Some(inst) = self.source.def_inst(value) else { return Ok(None) };
        match (inst.op, &inst.attr) {
            (Op::Iconst, &Attr::Int(bits)) => Ok(Some(one(self.integer(bits)))),
            (Op::GlobalAddr, &Attr::Global(global)) => {
                Ok(Some(one(self.integer(self.environment.globals[global]))))
            }
            (Op::Fconst, &Attr::Int(bits)) => {
                Ok(Some(one(self.splat_constant(Size::X, inst.ty.kind.bits(), bits))))
            }
            _ if inst.ty.is_mask() => self.constant_mask(value),
            _ => {
                let Some(lanes) = self.constant_lanes(value) else { return Ok(None) };
                let shape = self.shape(value)?;
                let mut regs = ValueRegs::new();
                for chunk in 0..shape.count {
                    regs.push(self.lanes_constant(shape, &lanes, chunk));
                }
                Ok(Some(regs))
            }
        }
    }

    /// Returns register `chunk` of a value as the last source of `vec_op`: a memory operand, if a load or constant can
    /// be folded.
    pub fn source(&mut self, value: Value, chunk: usize, vec_op: VecOp, size: Size) -> Lowered<Src> {
        let value = self.origin(value);
        let shape = self.shape(value)?;
        let is_whole = shape.size == size && shape.lanes as u32 * shape.bits == size.bytes() * 8;
        if let Some(inst) = self.source.def_inst(value)
            && is_whole
        {
            if let Some(bits) = self.splat_of(value) {
                return Ok(self.constant_source(vec_op, size, shape.bits, bits));
            }
            if let Some(lanes) = self.constant_lanes(value) {
                let bytes = Self::chunk_bytes(shape, &lanes, chunk);
                return Ok(Src::Mem(Amode::pool(self.code.pool.add(bytes))));
            }
            // Vectors of three lanes are not folded: the memory behind them may not exist, or hold denormals that slow
            // down arithmetic.
            if self.is_foldable_load(value) && inst.ty.bytes() == size.bytes() * shape.count as u32 {
                let address = self.address(inst.args[0])?;
                return Ok(Src::Mem(address.plus((chunk as u32 * size.bytes()) as i32)));
            }
            if u32::from(vec_op.form().broadcast_bits) == shape.bits
                && self.is_broadcast(value)
                && let Some(load) = self.source.def_inst(self.origin(inst.args[0]))
            {
                return Ok(Src::Broadcast(self.address(load.args[0])?));
            }
        }
        Ok(Src::Reg(self.value_reg(value, chunk)?))
    }

    /// Checks whether a value is the splat of a load that can be folded as a broadcast.
    pub fn is_broadcast(&self, value: Value) -> bool {
        self.source.def_inst(value).is_some_and(|inst| {
            inst.op == Op::Splat
                && self.target.avx512
                && self.uses[value] == 1
                && self.is_foldable_load(self.origin(inst.args[0]))
        })
    }

    /// Checks whether a value has no use behind the current instruction.
    pub fn is_last_use(&self, value: Value) -> bool {
        !self.is_used_after[self.origin(value)]
    }

    /// Returns a scalar float as the last source of an instruction.
    pub fn float_source(&mut self, value: Value) -> Lowered<Src> {
        let value = self.origin(value);
        if let Some(inst) = self.source.def_inst(value) {
            if inst.op == Op::Fconst && inst.int() != 0 && inst.ty.kind != Kind::F16 {
                let bytes = inst.int().to_le_bytes()[..inst.ty.kind.bytes() as usize].to_vec();
                return Ok(Src::Mem(Amode::pool(self.code.pool.add(bytes))));
            }
            if inst.ty.kind != Kind::F16 && self.is_foldable_load(value) {
                return Ok(Src::Mem(self.address(inst.args[0])?));
            }
        }
        Ok(Src::Reg(self.scalar(value)?))
    }

    /// Checks whether a load can be folded into the current instruction: it has one use, and memory is not written in
    /// between.
    pub fn is_foldable_load(&self, value: Value) -> bool {
        let Def::Inst(id) = self.source.values[value].def else { return false };
        let inst = &self.source.insts[id];
        inst.op == Op::Load
            && !inst.is_volatile()
            && !inst.ty.is_mask()
            && self.uses[value] == 1
            && self.values[value].is_empty()
            && self.memory_versions.get(&id) == Some(&self.memory_version)
    }

    /// Returns the number of uses of a value.
    pub fn use_count(&self, value: Value) -> u32 {
        self.uses[value]
    }

    /// Returns the block that defines a value.
    pub fn def_block(&self, value: Value) -> Option<Block> {
        self.def_blocks[value]
    }

    /// Returns the stack slot that a value is the address of.
    pub fn slot_of(&self, value: Value) -> Option<u32> {
        self.slots.get(&value).copied()
    }

    /// Returns the first register of a value, if the value has been requested.
    pub fn first_reg(&self, value: Value) -> Option<VReg> {
        self.values[value].first().copied()
    }

    /// Emits a vector instruction with one source.
    pub fn vector1(&mut self, vec_op: VecOp, size: Size, a: impl Into<Src>) -> VReg {
        self.note_size(size);
        let result = self.code.vreg(RegClass::Float);
        self.emitted.push(InstBuilder::vec_op(vec_op, size).def(result).src(a));
        result
    }

    /// Emits a vector instruction with two sources.
    pub fn vector2(&mut self, vec_op: VecOp, size: Size, a: VReg, b: impl Into<Src>) -> VReg {
        self.note_size(size);
        let result = self.code.vreg(RegClass::Float);
        self.emitted.push(InstBuilder::vec_op(vec_op, size).def(result).read(a).src(b));
        result
    }

    /// Emits a vector instruction with one source and an immediate.
    pub fn vector1i(&mut self, vec_op: VecOp, size: Size, a: impl Into<Src>, immediate: u8) -> VReg {
        self.note_size(size);
        let result = self.code.vreg(RegClass::Float);
        self.emitted.push(InstBuilder::vec_op(vec_op, size).def(result).src(a).imm8(immediate));
        result
    }

    /// Emits a vector instruction with two sources and an immediate.
    pub fn vector2i(&mut self, vec_op: VecOp, size: Size, a: VReg, b: impl Into<Src>, immediate: u8) -> VReg {
        self.note_size(size);
        let result = self.code.vreg(RegClass::Float);
        self.emitted.push(InstBuilder::vec_op(vec_op, size).def(result).read(a).src(b).imm8(immediate));
        result
    }

    /// Adds debug labels for tracked values: scalar integers that have not been optimized away.
    fn track(&mut self, tracked: &[Value]) {
        let end = InstIndex::new(self.code.insts.len());
        for (index, &value) in tracked.iter().enumerate() {
            if let [vreg] = self.values[self.origin(value)][..]
                && vreg.class() == RegClass::Int
            {
                self.code.debug_labels.push((vreg, InstIndex::new(0), end, index as u32));
            }
        }
        debug_assert!(tracked.iter().all(|value| value.index() < self.source.values.len()));
    }
}

/// Returns the registers of a value in one register.
pub fn one(register: VReg) -> ValueRegs {
    ValueRegs::from_slice(&[register])
}
