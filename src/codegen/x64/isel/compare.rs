//! Lowering of comparisons of vectors, whose results are masks.

use regalloc2::VReg;

use super::super::CodegenBug;
use super::super::vec_ops::VecOp;
use super::float::float_predicate;
use super::mask::{COMPARE_UNSIGNED, SIGNS, TEST, at};
use super::{Lower, Lowered, RegShape, ValueRegs};
use grus_ir::{Attr, Class, Comparison, Inst, IntBinary, IntCond, Kind, Op, Value};

const TEST_NOT: [VecOp; 4] = [VecOp::Vptestnmb, VecOp::Vptestnmw, VecOp::Vptestnmd, VecOp::Vptestnmq];
const COMPARE: [VecOp; 4] = [VecOp::Vpcmpb, VecOp::Vpcmpw, VecOp::Vpcmpd, VecOp::Vpcmpq];
const EQUAL: [VecOp; 4] = [VecOp::Vpcmpeqb, VecOp::Vpcmpeqw, VecOp::Vpcmpeqd, VecOp::Vpcmpeqq];
const ADD: [VecOp; 4] = [VecOp::Vpaddb, VecOp::Vpaddw, VecOp::Vpaddd, VecOp::Vpaddq];
const GREATER: [VecOp; 4] = [VecOp::Vpcmpgtb, VecOp::Vpcmpgtw, VecOp::Vpcmpgtd, VecOp::Vpcmpgtq];

/// Checks whether AVX2, which has "equal" and "greater" only, computes the inverse of a comparison.
fn is_inverted_by_avx2(cond: IntCond) -> bool {
    matches!(cond, IntCond::Ne | IntCond::Sle | IntCond::Sge | IntCond::Ule | IntCond::Uge)
}

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
        let vec_op = at(if matches!(cond, IntCond::Eq | IntCond::Ne) { EQUAL } else { GREATER }, bits);
        let swaps = matches!(cond, IntCond::Slt | IntCond::Ult | IntCond::Sge | IntCond::Uge);
        if let Some(neighbor) = self.neighbor(cond, b, bits) {
            let (variable, neighbor) = if is_unsigned {
                (self.sign_flipped(shape, a, register)?, neighbor ^ 1 << (bits - 1))
            } else {
                (self.value_reg(a, register)?, neighbor)
            };
            if swaps {
                let constant = self.constant_source(vec_op, size, bits, neighbor);
                return Ok(self.vector2(vec_op, size, variable, constant));
            }
            let constant = self.splat_constant(size, bits, neighbor);
            return Ok(self.vector2(vec_op, size, constant, variable));
        }
        let (x, y) = if swaps { (b, a) } else { (a, b) };
        let result = if is_unsigned {
            // Unsigned numbers are compared as signed ones after flipping the sign bit.
            let (x, y) = (self.sign_flipped(shape, x, register)?, self.sign_flipped(shape, y, register)?);
            self.vector2(vec_op, size, x, y)
        } else {
            let second = self.source(y, register, vec_op, size)?;
            let first = self.value_reg(x, register)?;
            self.vector2(vec_op, size, first, second)
        };
        if !is_inverted_by_avx2(cond) {
            return Ok(result);
        }
        let ones = self.splat_constant(size, 64, u64::MAX);
        Ok(self.vector2(VecOp::Vpxor, size, result, ones))
    }

    /// Returns the number next to a constant with which a comparison for "at least" or "at most" becomes "greater" or
    /// "less"; none if there is no such number.
    fn neighbor(&self, cond: IntCond, constant: Value, bits: u32) -> Option<u64> {
        let sign = 1u64 << (bits - 1);
        let ones = u64::MAX >> (64 - bits);
        let (end, step) = match cond {
            IntCond::Sge => (sign, ones),
            IntCond::Uge => (0, ones),
            IntCond::Sle => (sign - 1, 1),
            IntCond::Ule => (ones, 1),
            _ => return None,
        };
        let constant = self.splat_of(constant)? & ones;
        (constant != end).then(|| constant.wrapping_add(step) & ones)
    }

    /// Checks whether AVX2 computes the inverse of a mask in fewer instructions, and nothing else uses the mask.
    fn has_shorter_inverse(&self, mask: Value, def: &Inst) -> bool {
        if self.target.avx512 || def.op != Op::Icmp || self.source.ty(def.args[0]).is_mask() {
            return false;
        }
        let (cond, bits) = (def.int_cond(), self.source.ty(def.args[0]).kind.bits());
        is_inverted_by_avx2(cond)
            && self.neighbor(cond, def.args[1], bits).is_none()
            && self.use_count(mask) == 1
            && self.is_unrequested(mask)
    }

    /// Returns a mask, or its inverse and true if AVX2 computes the inverse in fewer instructions and nothing else uses the
    /// mask.
    pub fn mask_or_inverse(&mut self, value: Value, elem_bits: u32) -> Lowered<(ValueRegs, bool)> {
        let Some(inst) = self.source.def_inst(value).filter(|def| self.has_shorter_inverse(value, def))
        else {
            return Ok((self.mask_as(value, elem_bits)?, false));
        };
        let (lanes, from) = (inst.ty.lanes, self.elem_bits(value));
        inst.args.iter().for_each(|&arg| self.mark_used(arg));
        let mut inverse = inst.clone();
        inverse.attr = Attr::IntCond(inst.int_cond().negated());
        let regs = self.vector_icmp(&inverse)?;
        Ok((self.convert_mask(regs, lanes, from, elem_bits)?, true))
    }

    /// Returns one register of a vector of integers with the sign bits flipped, which constants and sums with constants
    /// need no instruction for.
    fn sign_flipped(&mut self, shape: RegShape, value: Value, register: usize) -> Lowered<VReg> {
        let RegShape { size, bits, .. } = shape;
        let sign = 1u64 << (bits - 1);
        if let Some(constant) = self.splat_of(value) {
            return Ok(self.splat_constant(size, bits, constant ^ sign));
        }
        if let Some((term, constant)) = self.sum_with_constant(value) {
            let first = self.value_reg(term, register)?;
            let constant = self.constant_source(at(ADD, bits), size, bits, constant.wrapping_add(sign));
            return Ok(self.vector2(at(ADD, bits), size, first, constant));
        }
        let first = self.value_reg(value, register)?;
        let sign = self.constant_source(VecOp::Vpxor, size, bits, sign);
        Ok(self.vector2(VecOp::Vpxor, size, first, sign))
    }

    /// Returns the variable and the constant of a sum or difference that has not been requested and has no other use.
    fn sum_with_constant(&mut self, value: Value) -> Option<(Value, u64)> {
        let value = self.origin(value);
        let def = self.source.def_inst(value).filter(|def| matches!(def.op, Op::Iadd | Op::Isub))?;
        let (term, other) = (def.args[0], def.args[1]);
        let constant = self.splat_of(other)?;
        if self.use_count(value) != 1 || !self.is_unrequested(value) {
            return None;
        }
        self.mark_used(term);
        Some((term, if def.op == Op::Isub { constant.wrapping_neg() } else { constant }))
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
