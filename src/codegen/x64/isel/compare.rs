//! Lowering of comparisons of vectors, whose results are masks.

use regalloc2::VReg;

use super::super::CodegenBug;
use super::super::vec_ops::VecOp;
use super::float::float_predicate;
use super::mask::{COMPARE_UNSIGNED, SIGNS, TEST, at};
use super::{Lower, Lowered, RegShape, ValueRegs};
use grus_ir::{Class, Comparison, Inst, IntBinary, IntCond, Kind, Op, Value};

const TEST_NOT: [VecOp; 4] = [VecOp::Vptestnmb, VecOp::Vptestnmw, VecOp::Vptestnmd, VecOp::Vptestnmq];
const COMPARE: [VecOp; 4] = [VecOp::Vpcmpb, VecOp::Vpcmpw, VecOp::Vpcmpd, VecOp::Vpcmpq];
const EQUAL: [VecOp; 4] = [VecOp::Vpcmpeqb, VecOp::Vpcmpeqw, VecOp::Vpcmpeqd, VecOp::Vpcmpeqq];
const GREATER: [VecOp; 4] = [VecOp::Vpcmpgtb, VecOp::Vpcmpgtw, VecOp::Vpcmpgtd, VecOp::Vpcmpgtq];

impl Lower<'_> {
    /// Lowers comparisons of vectors of integers.
    pub fn vector_icmp(&mut self, inst: &Inst) -> Lowered<ValueRegs> {
        self.vector_icmp_under(inst, None)
    }

    /// Lowers comparisons of vectors of integers; lanes that are not set in the mask `under` are not set in the result.
    fn vector_icmp_under(&mut self, inst: &Inst, under: Option<&ValueRegs>) -> Lowered<ValueRegs> {
        let from = self.source.ty(inst.args[0]);
        let (a, b, cond) = (inst.args[0], inst.args[1], inst.int_cond());
        if from.is_mask() {
            return self.compare_masks(inst, cond);
        }
        let shape = self.shape_of(from)?;
        if cond == IntCond::Slt
            && self.is_zero(b)
            && let Some(def) = self.source.def_inst(a)
            && def.op == Op::Sext
            && self.source.ty(def.args[0]).is_mask()
        {
            return self.mask_as(def.args[0], shape.bits);
        }
        let mut regs = ValueRegs::new();
        for register in 0..shape.count {
            let mask = if self.target.avx512 {
                let under = under.map(|masks| masks[register]);
                let mask = self.compare_to_mask(shape, cond, a, b, (register, under))?;
                self.clear_padding(from.lanes, shape, mask)
            } else {
                self.compare_to_lanes(shape, cond, a, b, register)?
            };
            regs.push(mask);
        }
        Ok(regs)
    }

    fn compare_masks(&mut self, inst: &Inst, cond: IntCond) -> Lowered<ValueRegs> {
        let elem_bits = self.elem_bits(inst.args[0]);
        let ty = self.source.ty(inst.args[0]);
        let (a, b) = (self.mask_as(inst.args[0], elem_bits)?, self.mask_as(inst.args[1], elem_bits)?);
        let differ = self.combine_masks(IntBinary::Xor, ty.lanes, elem_bits, &a, &b)?;
        match cond {
            IntCond::Ne => Ok(differ),
            IntCond::Eq => {
                let all = self.mask_of_bits(ty.lanes, elem_bits, u64::MAX)?;
                self.combine_masks(IntBinary::Xor, ty.lanes, elem_bits, &differ, &all)
            }
            _ => Err(CodegenBug("an order of masks")),
        }
    }

    fn compare_to_mask(
        &mut self,
        shape: RegShape,
        cond: IntCond,
        a: Value,
        b: Value,
        (register, under): (usize, Option<VReg>),
    ) -> Lowered<VReg> {
        let (size, bits) = (shape.size, shape.bits);
        if self.is_zero(b) && cond == IntCond::Slt && under.is_none() {
            let first = self.value_reg(a, register)?;
            return Ok(self.vector_to_mask(at(SIGNS, bits), size, first));
        }
        if self.is_zero(b) && matches!(cond, IntCond::Eq | IntCond::Ne) {
            let vec_op = at(if cond == IntCond::Eq { TEST_NOT } else { TEST }, bits);
            let Some((a, b)) = self.tested_operands(a) else {
                let first = self.value_reg(a, register)?;
                return Ok(self.vectors_to_mask(vec_op, size, first, first.into(), None, under));
            };
            let second = self.source(b, register, vec_op, size)?;
            let first = self.value_reg(a, register)?;
            return Ok(self.vectors_to_mask(vec_op, size, first, second, None, under));
        }
        let (vec_ops, predicate) = match cond {
            IntCond::Eq => (COMPARE, 0),
            IntCond::Ne => (COMPARE, 4),
            IntCond::Slt => (COMPARE, 1),
            IntCond::Sle => (COMPARE, 2),
            IntCond::Sgt => (COMPARE, 6),
            IntCond::Sge => (COMPARE, 5),
            IntCond::Ult => (COMPARE_UNSIGNED, 1),
            IntCond::Ule => (COMPARE_UNSIGNED, 2),
            IntCond::Ugt => (COMPARE_UNSIGNED, 6),
            IntCond::Uge => (COMPARE_UNSIGNED, 5),
        };
        let vec_op = at(vec_ops, bits);
        let second = self.source(b, register, vec_op, size)?;
        let first = self.value_reg(a, register)?;
        Ok(self.vectors_to_mask(vec_op, size, first, second, Some(predicate), under))
    }

    /// Returns the operands of a bitwise `and`, unless that has been requested: the comparison with zero computes it
    /// itself. An operand that can be in memory comes last.
    fn tested_operands(&mut self, value: Value) -> Option<(Value, Value)> {
        let value = self.origin(value);
        let def = self.source.def_inst(value).filter(|def| def.op == Op::And)?;
        let (a, b) = (def.args[0], def.args[1]);
        // A load must not be executed twice.
        let is_load = |value| self.is_memory_operand(value) && self.splat_of(value).is_none();
        let is_single = self.use_count(value) == 1 || !is_load(a) && !is_load(b);
        if !is_single || !self.is_unrequested(value) {
            return None;
        }
        self.mark_used(a);
        self.mark_used(b);
        Some(if self.is_memory_operand(a) && !self.is_memory_operand(b) { (b, a) } else { (a, b) })
    }

    fn compare_to_lanes(
        &mut self,
        shape: RegShape,
        cond: IntCond,
        a: Value,
        b: Value,
        register: usize,
    ) -> Lowered<VReg> {
        let (size, bits) = (shape.size, shape.bits);
        let is_unsigned = matches!(cond, IntCond::Ult | IntCond::Ule | IntCond::Ugt | IntCond::Uge);
        // Signed "greater" is the only ordering that AVX2 has.
        let (vec_op, x, y, invert) = match cond {
            IntCond::Eq => (at(EQUAL, bits), a, b, false),
            IntCond::Ne => (at(EQUAL, bits), a, b, true),
            IntCond::Sgt | IntCond::Ugt => (at(GREATER, bits), a, b, false),
            IntCond::Sle | IntCond::Ule => (at(GREATER, bits), a, b, true),
            IntCond::Slt | IntCond::Ult => (at(GREATER, bits), b, a, false),
            IntCond::Sge | IntCond::Uge => (at(GREATER, bits), b, a, true),
        };
        let result = if is_unsigned {
            // Unsigned numbers are compared as signed ones after flipping the sign bit.
            let mut flipped = |value| {
                let reg = self.value_reg(value, register)?;
                let sign = self.constant_source(VecOp::Vpxor, size, bits, 1 << (bits - 1));
                Ok(self.vector2(VecOp::Vpxor, size, reg, sign))
            };
            let (x, y) = (flipped(x)?, flipped(y)?);
            self.vector2(vec_op, size, x, y)
        } else {
            let second = self.source(y, register, vec_op, size)?;
            let first = self.value_reg(x, register)?;
            self.vector2(vec_op, size, first, second)
        };
        if !invert {
            return Ok(result);
        }
        let ones = self.splat_constant(size, 64, u64::MAX);
        Ok(self.vector2(VecOp::Vpxor, size, result, ones))
    }

    /// Lowers comparisons of vectors of floats.
    pub fn vector_fcmp(&mut self, inst: &Inst) -> Lowered<ValueRegs> {
        self.vector_fcmp_under(inst, None)
    }

    /// Lowers comparisons of vectors of floats; lanes that are not set in the mask `under` are not set in the result.
    fn vector_fcmp_under(&mut self, inst: &Inst, under: Option<&ValueRegs>) -> Lowered<ValueRegs> {
        let from = self.source.ty(inst.args[0]);
        let predicate = float_predicate(inst.float_cond());
        let shape = self.shape_of(from)?;
        let vec_op = match (from.kind, self.target.avx512) {
            (Kind::F16, _) => VecOp::Vcmpphk,
            (Kind::F64, true) => VecOp::Vcmppdk,
            (_, true) => VecOp::Vcmppsk,
            (Kind::F64, false) => VecOp::Vcmppd,
            (_, false) => VecOp::Vcmpps,
        };
        let mut regs = ValueRegs::new();
        for register in 0..shape.count {
            let second = self.source(inst.args[1], register, vec_op, shape.size)?;
            let first = self.value_reg(inst.args[0], register)?;
            if self.target.avx512 {
                let under = under.map(|masks| masks[register]);
                let mask = self.vectors_to_mask(vec_op, shape.size, first, second, Some(predicate), under);
                regs.push(self.clear_padding(from.lanes, shape, mask));
            } else {
                regs.push(self.vector2i(vec_op, shape.size, first, second, predicate));
            }
        }
        Ok(regs)
    }

    /// Lowers the `and` of a comparison and another mask to a comparison under that mask, with AVX-512, if nothing else
    /// uses the result of the comparison.
    pub fn comparison_under_mask(&mut self, and: &Inst, elem_bits: u32) -> Lowered<Option<ValueRegs>> {
        if !self.target.avx512 {
            return Ok(None);
        }
        for (comparison, other) in [(and.args[1], and.args[0]), (and.args[0], and.args[1])] {
            let Some(inst) =
                self.source.def_inst(comparison).filter(|inst| self.is_comparison(inst, elem_bits))
            else {
                continue;
            };
            if self.use_count(comparison) != 1 || !self.is_unrequested(comparison) {
                continue;
            }
            inst.args.iter().for_each(|&arg| self.mark_used(arg));
            let under = self.mask_as(other, elem_bits)?;
            let result = match inst.op.class() {
                Class::Comparison(Comparison::Icmp) => self.vector_icmp_under(inst, Some(&under))?,
                _ => self.vector_fcmp_under(inst, Some(&under))?,
            };
            return Ok(Some(result));
        }
        Ok(None)
    }

    /// Checks whether an instruction compares numbers of so many bits by an instruction that takes a mask.
    fn is_comparison(&self, inst: &Inst, elem_bits: u32) -> bool {
        let Class::Comparison(comparison) = inst.op.class() else { return false };
        let of_extended_mask = |value: Value| {
            let def = self.source.def_inst(value);
            def.is_some_and(|def| def.op == Op::Sext && self.source.ty(def.args[0]).is_mask())
        };
        self.source.ty(inst.args[0]).kind.bits() == elem_bits
            && (comparison == Comparison::Fcmp || !of_extended_mask(inst.args[0]))
    }
}
