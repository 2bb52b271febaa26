//! Selection of lanes by a mask. With AVX-512, an operation with this single use is executed under the mask: it leaves
//! the other lanes as they are, or clears them.

use regalloc2::{Operand, OperandConstraint, OperandKind, RegClass, VReg};

use super::super::inst::{InstBuilder, OperandSlot};
use super::super::vec_ops::VecOp;
use super::mask::{BLEND, MOVE, at};
use super::{Lower, Lowered, RegShape, ValueRegs};
use grus_ir::{Class, FloatBinary, FloatTernary, FloatUnary, Inst, IntCond, Op, Value};

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
        if let Some(regs) = self.select_by_sign(inst, shape)? {
            return Ok(regs);
        }
        let (masks, is_inverse) = self.mask_or_inverse(inst.args[0], shape.bits)?;
        let (yes, no) = if is_inverse { (inst.args[2], inst.args[1]) } else { (inst.args[1], inst.args[2]) };
        if let Some(operation) = self.maskable_operation(shape, yes, no) {
            return self.operation_under_mask(shape, operation, no, &masks);
        }
        // Without AVX-512, lanes of a mask are all ones or zero.
        let by_bits = match (self.is_zero(yes), self.is_zero(no)) {
            _ if self.target.avx512 => None,
            (_, true) => Some((VecOp::Vpand, yes)),
            (true, _) => Some((VecOp::Vpandn, no)),
            _ if self.is_all_ones(yes, shape.bits) => Some((VecOp::Vpor, no)),
            _ => None,
        };
        let mut regs = ValueRegs::new();
        for (register, &mask) in masks.iter().enumerate() {
            if let Some((vec_op, lanes)) = by_bits {
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

    /// Lowers a select of lanes of 32 or 64 bits by their signs without AVX-512, whose blends look at the sign bits only.
    fn select_by_sign(&mut self, inst: &Inst, shape: RegShape) -> Lowered<Option<ValueRegs>> {
        let [mask, yes, no] = [inst.args[0], inst.args[1], inst.args[2]];
        let vec_op = match shape.bits {
            32 => VecOp::Vblendvps,
            64 => VecOp::Vblendvpd,
            _ => return Ok(None),
        };
        let is_sign = |def: &&Inst| {
            def.op == Op::Icmp
                && def.int_cond() == IntCond::Slt
                && self.source.ty(def.args[0]).kind.bits() == shape.bits
                && self.is_zero(def.args[1])
        };
        let sign = self.source.def_inst(mask).filter(is_sign).map(|def| def.args[0]);
        let is_among_bits = self.is_zero(yes) || self.is_zero(no) || self.is_all_ones(yes, shape.bits);
        let Some(sign) = sign.filter(|_| !self.target.avx512 && !is_among_bits && self.is_sunk(mask)) else {
            return Ok(None);
        };
        let mut regs = ValueRegs::new();
        for register in 0..shape.count {
            let sign = self.value_reg(sign, register)?;
            let yes = self.source(yes, register, vec_op, shape.size)?;
            let no = self.value_reg(no, register)?;
            let result = self.code.vreg(RegClass::Float);
            self.note_size(shape.size);
            self.emitted
                .push(InstBuilder::vec_op(vec_op, shape.size).def(result).read(no).src(yes).read(sign));
            regs.push(result);
        }
        self.mark_used(sign);
        Ok(Some(regs))
    }

    /// Checks whether all bits of all lanes are set.
    fn is_all_ones(&self, value: Value, bits: u32) -> bool {
        self.splat_of(value).is_some_and(|lane| lane == u64::MAX >> (64 - bits))
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
