//! Instructions for all lanes.

use super::super::work_items::{self, Extent, Record};
use super::Refusal;
use super::divergence::{VectorShape, padded_size};
use super::stride;
use super::widen::{WidenResult, Widener};
use grus_ir::abi::item;
use grus_ir::{Attr, Class, Inst, InstId, LaneOp, Mem, MemoryOp, Op, Target, Type, Value};

/// Limit of lanes for which an instruction is repeated lane by lane without a loop.
// Arbitrary.
pub(super) const MAX_UNROLLED_LANES: u16 = 16;

impl Widener<'_, '_> {
    pub(super) fn inst(&mut self, id: InstId, inst: &Inst) -> WidenResult {
        let types = inst.args.iter().map(|&arg| self.source.func.ty(arg)).chain([inst.ty]);
        if types.into_iter().any(Type::is_vector) {
            return self.opencl_vector_inst(inst);
        }
        match inst.op.class() {
            Class::MemoryOp(op) => return self.memory(id, inst, op),
            Class::CallOp(_) => return self.call(inst),
            Class::SubGroupOp(op) => return self.sub_group(inst, op),
            Class::GroupOp(_) | Class::ItemOp(_) => return Err(Refusal::GroupOps),
            Class::Address(_) if inst.op == Op::Alloca => return self.alloca(inst),
            Class::Constant(_)
            | Class::IntBinary(_)
            | Class::IntUnary(_)
            | Class::FloatBinary(_)
            | Class::FloatUnary(_)
            | Class::FloatTernary(_)
            | Class::Comparison(_)
            | Class::Conversion(_)
            | Class::LaneOp(_)
            | Class::MaskOp(_)
            | Class::Choice(_)
            | Class::Address(_)
            | Class::Terminator(_) => {}
        }
        let result = inst.result.expect("a pure instruction has one");
        if self.source.shapes.of(result) != VectorShape::Varying {
            return self.emit_scalar(inst);
        }
        if self.emit_speculative(inst) {
            return Ok(());
        }
        let new = match inst.op.class() {
            Class::Choice(_) => self.select(inst),
            Class::Address(_) => self.address(inst),
            Class::LaneOp(LaneOp::Bitcast) => self.bitcast(inst),
            Class::Comparison(_) => self.comparison(inst)?,
            _ if let Some(bits) = self.aligned_bit_op(inst) => bits,
            _ => {
                let args: Vec<Value> = inst.args.iter().map(|&arg| self.vector(arg)).collect();
                let ty = self.widened_type(inst.ty);
                self.b.value(inst.op, ty, &args, inst.attr.clone())
            }
        };
        self.define(inst, new);
        Ok(())
    }

    /// Widens an instruction on OpenCL vectors: possible if they are uniform, or if they are only passed to a
    /// call or come from one.
    fn opencl_vector_inst(&mut self, inst: &Inst) -> WidenResult {
        let is_uniform = inst.args.iter().all(|&arg| self.shape(arg).is_uniform());
        let is_plain =
            inst.op.effect() == grus_ir::Effect::Pure || inst.op == Op::Load && !inst.is_volatile();
        match inst.op {
            _ if is_uniform && is_plain => self.emit_scalar(inst),
            // It is built for each lane at its uses.
            Op::BuildVector => Ok(()),
            Op::Call => self.call(inst),
            Op::CallHelper => self.repeat_noted(inst),
            Op::Extract => self.extract_component(inst),
            _ => Err(Refusal::OpenClVectors),
        }
    }

    /// Widens the extraction of a component from the result of a call.
    fn extract_component(&mut self, inst: &Inst) -> WidenResult {
        if let Some(components) = self.values.components.get(&inst.args[0]) {
            let extract_component = components[inst.int() as usize];
            self.define(inst, extract_component);
            return Ok(());
        }
        let Some(vectors) = self.values.per_lane.get(&inst.args[0]).cloned() else {
            return Err(Refusal::OpenClVectors);
        };
        let lane = inst.int() as u16;
        let components: Vec<Value> = vectors.into_iter().map(|vector| self.b.extract(vector, lane)).collect();
        let ty = self.widened_type(inst.ty);
        let all = self.b.value(Op::BuildVector, ty, &components, Attr::None);
        self.define(inst, all);
        Ok(())
    }

    /// Emits the instruction once, for a uniform or affine result.
    pub(super) fn emit_scalar(&mut self, inst: &Inst) -> WidenResult {
        let new = match self.operand_to_extend(inst) {
            Some(operand) => {
                let extended = self.extended(operand, inst.op);
                if inst.ty == Type::I64 { extended } else { self.b.convert(Op::Trunc, inst.ty, extended) }
            }
            None => {
                let args: Vec<Value> = inst.args.iter().map(|&arg| self.scalar(arg)).collect();
                let attr = self.first_lane_attr(inst);
                self.b.value(inst.op, inst.ty, &args, attr)
            }
        };
        self.define(inst, new);
        self.emit_extended(inst);
        Ok(())
    }

    /// Returns the attribute of an instruction that is executed for the first lane, which may be inactive.
    pub(super) fn first_lane_attr(&self, inst: &Inst) -> Attr {
        let Attr::NoWrap(_) = inst.attr else { return inst.attr.clone() };
        let is_uniform = inst.args.iter().all(|&arg| self.shape(arg).is_uniform());
        stride::no_wrap_in_all_lanes(inst, self.source.shapes.is_masked(self.current), is_uniform).attr()
    }

    /// Returns the operand of an extension that must be computed from extended operands.
    fn operand_to_extend(&self, inst: &Inst) -> Option<Value> {
        let &[operand] = &inst.args[..] else { return None };
        matches!(self.shape(operand), VectorShape::Affine(stride) if stride.extends_operands(inst.op))
            .then_some(operand)
    }

    /// Emits the first lane of a sum or product again, from operands that are extended to 64 bits, for extensions of it.
    fn emit_extended(&mut self, inst: &Inst) {
        let Some(result) = inst.result else { return };
        let VectorShape::Affine(stride) = self.source.shapes.of(result) else { return };
        if inst.ty.bits() >= 64 {
            return;
        }
        for extension in [Op::Sext, Op::Zext] {
            if stride.extends_operands(extension) {
                let args: Vec<Value> = inst.args.iter().map(|&arg| self.extended(arg, extension)).collect();
                let extended = self.b.same(inst.op, &args);
                self.values.extended.insert((result, extension), extended);
            }
        }
    }

    /// Returns the first lane of a value, extended to 64 bits such that active lanes are affine.
    fn extended(&mut self, value: Value, extension: Op) -> Value {
        if let Some(&extended) = self.values.extended.get(&(value, extension)) {
            return extended;
        }
        let scalar = self.scalar(value);
        if self.b.func.ty(scalar) == Type::I64 {
            scalar
        } else {
            self.b.convert(extension, Type::I64, scalar)
        }
    }

    fn select(&mut self, inst: &Inst) -> Value {
        let [a, b] = [1, 2].map(|i| self.vector(inst.args[i]));
        let on = if self.shape(inst.args[0]).is_uniform() {
            self.scalar(inst.args[0])
        } else {
            self.vector(inst.args[0])
        };
        self.b.select(on, a, b)
    }

    /// Emits an address; in vectors, addresses are integers.
    fn address(&mut self, inst: &Inst) -> Value {
        let [base, offset] = [0, 1].map(|i| self.vector(inst.args[i]));
        self.b.same(Op::Iadd, &[base, offset])
    }

    fn bitcast(&mut self, inst: &Inst) -> Value {
        let vector = self.vector(inst.args[0]);
        let ty = self.widened_type(inst.ty);
        self.b.convert(Op::Bitcast, ty, vector)
    }

    /// Allocates a private object with one copy for each lane.
    fn alloca(&mut self, inst: &Inst) -> WidenResult {
        /// Limit of the bytes of all objects together, which is below the part of its pages that a spare stack
        /// keeps (`support::stack`).
        // Arbitrary within that limit.
        const MAX_PRIVATE_BYTES: u64 = 192 << 10;
        /// Alignment of interleaved objects: the width of an SSE register and the alignment of a stack slot.
        const OBJECT_ALIGN: u32 = 16;
        let (size, mut align) = inst.size_align();
        let mut size = padded_size(size, align);
        if let Some(element) = inst.result.and_then(|object| self.source.interleaved.element(object)) {
            size = size.next_multiple_of(element.into());
            align = align.max(OBJECT_ALIGN);
        }
        self.memory_state.private_size += size * u64::from(self.lanes);
        if self.memory_state.private_size > MAX_PRIVATE_BYTES {
            return Err(Refusal::PrivateMemory);
        }
        let size = size * u64::from(self.lanes);
        let new = self.b.alloca(size, align);
        self.define(inst, new);
        Ok(())
    }

    /// Repeats something for each active lane, one after the other; `each` gets the number of the lane.
    pub(super) fn repeat_per_lane(
        &mut self,
        inst: &Inst,
        mut each: impl FnMut(&mut Self, u16) -> Option<Value>,
    ) -> WidenResult {
        // With sub-groups, the number of lanes is not the vectorizer's choice.
        if self.lanes > MAX_UNROLLED_LANES && !self.options.may_wait {
            return Err(Refusal::Op(inst.op));
        }
        let mask = self.mask();
        let mut results = Vec::new();
        for lane in 0..self.lanes {
            let Some(mask) = mask else {
                results.extend(each(self, lane));
                continue;
            };
            let is_active = self.b.extract(mask, lane);
            let (active, after) = (self.b.func.add_block(), self.b.func.add_block());
            let zero = (inst.ty != Type::VOID).then(|| self.b.zero(inst.ty));
            let args: Vec<Value> = zero.into_iter().collect();
            self.b.br_to(is_active, Target::new(active, &[]), Target::new(after, &args));
            self.b.switch_to(active);
            let result = each(self, lane);
            self.b.jump(after, &result.into_iter().collect::<Vec<_>>());
            self.b.switch_to(after);
            if inst.ty != Type::VOID {
                results.push(self.b.func.add_param(after, inst.ty));
            }
        }
        if inst.ty == Type::VOID {
            return Ok(());
        }
        if inst.ty.is_vector() {
            self.values.per_lane.extend(inst.result.map(|result| (result, results)));
            return Ok(());
        }
        let wide = self.widened_type(inst.ty);
        if inst.ty.kind.is_ptr() {
            results =
                results.into_iter().map(|value| self.b.convert(Op::Bitcast, Type::I64, value)).collect();
        }
        let all = self.b.value(Op::BuildVector, wide, &results, Attr::None);
        self.define(inst, all);
        Ok(())
    }

    /// Emits the instruction for one lane.
    pub(super) fn emit_for_lane(&mut self, inst: &Inst, lane: u16) -> Option<Value> {
        let args: Vec<Value> = inst.args.iter().map(|&arg| self.lane(arg, lane)).collect();
        let id = self.b.inst(inst.op, inst.ty, &args, inst.attr.clone(), Vec::new());
        self.b.func.insts[id].result
    }

    pub(super) fn repeat_unnoted(&mut self, inst: &Inst) -> WidenResult {
        self.repeat_per_lane(inst, |widener, lane| widener.emit_for_lane(inst, lane))
    }

    /// Repeats an instruction lane by lane and notes the work-item before each, for callees that query or
    /// report it.
    pub(super) fn repeat_noted(&mut self, inst: &Inst) -> WidenResult {
        self.repeat_per_lane(inst, |widener, lane| {
            widener.note_work_item(lane);
            widener.emit_for_lane(inst, lane)
        })
    }

    /// Notes the work-item of a lane as the one that runs. The note at the start of the body may name any of
    /// them.
    fn note_work_item(&mut self, lane: u16) {
        let Some(Record { at: record_address, first, extents }) = self.source.record else { return };
        let record_address = self.scalar(record_address);
        let number = self.lane(first, lane);
        let ids = match extents {
            None => vec![number],
            Some(extents) => {
                let size = extents.map(|extent| match extent {
                    Extent::Known(length) => self.b.iconst(Type::I64, length.into()),
                    Extent::Param(length) => self.scalar(length),
                });
                work_items::delinearize(&mut self.b, number, size).to_vec()
            }
        };
        for (dim, id) in (0u64..).zip(ids) {
            let address = self.b.ptr_offset(record_address, item::LOCAL_ID + 8 * dim);
            self.b.store(id, address, Mem::natural(Type::I64));
        }
    }

    /// Emits an instruction once if any lane is active.
    pub(super) fn emit_once(&mut self, inst: &Inst) -> WidenResult {
        self.b.inst(inst.op, inst.ty, &[], inst.attr.clone(), Vec::new());
        Ok(())
    }

    pub(super) fn memory(&mut self, id: InstId, inst: &Inst, op: MemoryOp) -> WidenResult {
        match op {
            MemoryOp::Load if !inst.is_volatile() => self.load(id, inst),
            MemoryOp::Store if !inst.is_volatile() => self.store(id, inst),
            MemoryOp::AtomicLoad if self.may_combine_atomics() => self.atomic_load(id, inst),
            MemoryOp::AtomicStore if self.may_combine_atomics() => self.atomic_store(id, inst),
            MemoryOp::AtomicRmw if inst.ty.kind.is_int() => self.lane_atomic(inst, Op::LaneRmw),
            MemoryOp::AtomicRmw if self.may_merge_extrema(inst) => self.merge_extrema(inst),
            MemoryOp::AtomicCas if inst.ty.kind.is_int() => self.lane_atomic(inst, Op::LaneCas),
            MemoryOp::Fence => self.emit_once(inst),
            MemoryOp::Load
            | MemoryOp::Store
            | MemoryOp::AtomicRmw
            | MemoryOp::AtomicCas
            | MemoryOp::AtomicLoad
            | MemoryOp::AtomicStore => self.repeat_unnoted(inst),
            MemoryOp::MemCopy | MemoryOp::MemZero | MemoryOp::Trap | MemoryOp::CallHelper => {
                self.repeat_noted(inst)
            }
            MemoryOp::ImageQuery => {
                let result = inst.result.expect("an answer");
                if self.source.shapes.of(result) == VectorShape::Varying {
                    self.repeat_unnoted(inst)
                } else {
                    self.emit_scalar(inst)
                }
            }
            MemoryOp::MaskedLoad
            | MemoryOp::MaskedStore
            | MemoryOp::Gather
            | MemoryOp::Scatter
            | MemoryOp::GatherAt
            | MemoryOp::ScatterAt
            | MemoryOp::LaneRmw
            | MemoryOp::LaneCas
            | MemoryOp::ImageLoad
            | MemoryOp::ImageStore => Err(Refusal::Op(inst.op)),
        }
    }
}
