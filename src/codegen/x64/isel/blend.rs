//! Selection of lanes by a mask. With AVX-512, an operation with this single use is executed under the mask: it leaves
//! the other lanes as they are, or clears them.

use regalloc2::{Operand, OperandConstraint, OperandKind, RegClass, VReg};

use super::super::inst::{InstBuilder, OperandSlot};
use super::super::vec_ops::VecOp;
use super::mask::{BLEND, MOVE, at};
use super::{Lower, Lowered, RegShape, ValueRegs};
use grus_ir::{Class, FloatBinary, FloatTernary, FloatUnary, Inst, Value};

/// Lanes of a result that the mask does not select.
#[derive(Clone, Copy)]
enum OtherLanes {
    Zero,
    Of(VReg),
}

impl<'a> Lower<'a> {
    /// Lowers a select of lanes by a mask.
    pub fn select_lanes(&mut self, inst: &Inst) -> Lowered<ValueRegs> {
        let shape = self.shape_of(inst.ty)?;
        let (masks, is_inverse) = self.mask_or_inverse(inst.args[0], shape.bits)?;
        let (yes, no) = if is_inverse { (inst.args[2], inst.args[1]) } else { (inst.args[1], inst.args[2]) };
        if let Some(operation) = self.maskable_operation(shape, yes, no) {
            return self.operation_under_mask(shape, operation, no, &masks);
        }
        // Without AVX-512, lanes of a mask are all ones or zero.
        let among_zeros = match (self.is_zero(yes), self.is_zero(no)) {
            _ if self.target.avx512 => None,
            (_, true) => Some((VecOp::Vpand, yes)),
            (true, _) => Some((VecOp::Vpandn, no)),
            _ => None,
        };
        let mut regs = ValueRegs::new();
        for (register, &mask) in masks.iter().enumerate() {
            if let Some((vec_op, lanes)) = among_zeros {
                let lanes = self.source(lanes, register, vec_op, shape.size)?;
                regs.push(self.vector2(vec_op, shape.size, mask, lanes));
                continue;
            }
            if !self.target.avx512 {
                let yes = self.source(yes, register, VecOp::Vpblendvb, shape.size)?;
                let no = self.value_reg(no, register)?;
                regs.push(self.blend_vectors(shape.size, mask, yes, no));
                continue;
            }
            if self.is_zero(no) {
                let yes = self.value_reg(yes, register)?;
                regs.push(self.blend_lanes(shape, mask, yes, OtherLanes::Zero));
                continue;
            }
            let vec_op = at(BLEND, shape.bits);
            let second = self.source(yes, register, vec_op, shape.size)?;
            let first = self.value_reg(no, register)?;
            regs.push(self.vector2_masked(vec_op, shape.size, first, second, mask));
        }
        Ok(regs)
    }

    fn blend_lanes(&mut self, shape: RegShape, mask: VReg, yes: VReg, others: OtherLanes) -> VReg {
        match others {
            OtherLanes::Of(no) => self.vector2_masked(at(BLEND, shape.bits), shape.size, no, yes, mask),
            OtherLanes::Zero => {
                let result = self.code.vreg(RegClass::Float);
                self.note_size(shape.size);
                let build = InstBuilder::vec_op(at(MOVE, shape.bits), shape.size).def(result).read(yes);
                self.emitted.push(build.mask(mask).zeroing());
                result
            }
        }
    }

    /// Returns the operation that computes the selected lanes, if it can be executed under the mask without a copy of
    /// the other lanes: these are zero, constant or not needed any more.
    fn maskable_operation(&self, shape: RegShape, yes: Value, no: Value) -> Option<&'a Inst> {
        let yes = self.origin(yes);
        let operation = self.source.def_inst(yes)?;
        if !self.target.avx512
            || shape.bits < 32
            || !self.is_sunk(yes)
            || operation.ty.kind.bits() != shape.bits
        {
            return None;
        }
        let (clears, is_constant) = (self.is_zero(no), self.constant_lanes(no).is_some());
        let is_maskable = match operation.op.class() {
            Class::IntBinary(_) | Class::IntUnary(_) => true,
            Class::Conversion(_) => !self.source.ty(operation.args[0]).is_mask(),
            // They take long, and would also wait for the mask and the other lanes.
            Class::FloatBinary(FloatBinary::Fdiv) | Class::FloatUnary(FloatUnary::Fsqrt) => false,
            Class::FloatBinary(_) | Class::FloatUnary(_) => true,
            Class::FloatTernary(FloatTernary::Fma) => {
                clears || !is_constant && self.is_fma_operand(operation, no)
            }
            _ => false,
        };
        let is_free = clears || is_constant || self.is_last_use(no);
        (is_maskable && is_free).then_some(operation)
    }

    fn operation_under_mask(
        &mut self,
        shape: RegShape,
        operation: &Inst,
        no: Value,
        masks: &ValueRegs,
    ) -> Lowered<ValueRegs> {
        let mut others = ValueRegs::new();
        if !self.is_zero(no) {
            others = self.value_regs(no)?;
        }
        let start = self.emitted.len();
        let computed = match operation.op.class() {
            Class::FloatTernary(FloatTernary::Fma) => self.fma_over(operation, Some(no))?,
            _ => self.compute(operation)?,
        };
        let mut regs = ValueRegs::new();
        for (chunk, (&reg, &mask)) in computed.iter().zip(masks).enumerate() {
            let others = others.get(chunk).map_or(OtherLanes::Zero, |&reg| OtherLanes::Of(reg));
            regs.push(if self.put_under_mask(start, shape, reg, mask, others) {
                reg
            } else {
                self.blend_lanes(shape, mask, reg, others)
            });
        }
        operation.uses().for_each(|value| self.mark_used(value));
        Ok(regs)
    }

    /// Adds a mask to the instruction that writes `reg`, if it is among those emitted from `start` on and has a form
    /// for lanes of this width.
    fn put_under_mask(
        &mut self,
        start: usize,
        shape: RegShape,
        reg: VReg,
        mask: VReg,
        others: OtherLanes,
    ) -> bool {
        let names = |build: &InstBuilder| build.operands.iter().any(|(operand, _)| operand.vreg() == reg);
        let mut naming = (start..self.emitted.len()).filter(|&at| names(&self.emitted[at]));
        let (Some(at), None) = (naming.next(), naming.next()) else { return false };
        let build = &mut self.emitted[at];
        // Elements of a broadcast are as wide as those that a mask selects.
        let has_form = build.inst.vec_op.is_some_and(|(vec_op, size)| {
            let form = vec_op.form();
            u32::from(form.broadcast_bits) == shape.bits && form.evex(size).is_some()
        });
        let is_masked = build.operands.iter().any(|(_, field)| field.slot == OperandSlot::Predicate);
        if !has_form || is_masked {
            return false;
        }
        // The result is a new register, or overwrites the first operand.
        let is_result = |operand: &Operand, constraint| {
            (operand.vreg(), operand.kind(), operand.constraint()) == (reg, OperandKind::Def, constraint)
        };
        let overwritten = match build.operands[..] {
            [(result, _), ..] if is_result(&result, OperandConstraint::Reg) => None,
            [(first, _), (result, _), ..] if is_result(&result, OperandConstraint::Reuse(0)) => {
                Some(first.vreg())
            }
            _ => return false,
        };
        match (others, overwritten) {
            (OtherLanes::Zero, _) => build.inst.template.set_zeroing_masking(true),
            (OtherLanes::Of(no), Some(overwritten)) if no == overwritten => {}
            (OtherLanes::Of(no), None) => build.keep_lanes_of(no),
            (OtherLanes::Of(_), Some(_)) => return false,
        }
        build.add_mask(mask);
        true
    }
}
