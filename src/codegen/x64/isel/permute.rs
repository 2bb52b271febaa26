//! Lowering of permutations by lane indices that are known at run time. AVX-512 permutes lanes of every width of one or
//! two registers; bytes require VBMI and are extended to words without it. AVX2 permutes lanes of 32 bits of one
//! register: narrower lanes are extended, wider ones are two lanes. If the table has more registers, the results for
//! each are blended.

use regalloc2::VReg;

use super::super::inst::Amode;
use super::super::vec_ops::{Size, VecOp};
use super::mask::{BLEND, COMPARE_UNSIGNED, at};
use super::{Lower, Lowered, RegShape, ValueRegs};
use grus_ir::{Inst, Type};

/// Predicate of integer comparisons: not less than.
const NOT_LESS: u8 = 5;

/// Returns the size of the registers in which AVX-512 looks up lanes of `bits` bits: there is no instruction for lanes
/// of 32 and 64 bits in the smallest ones.
fn lookup_size(size: Size, bits: u32) -> Size {
    if bits >= 32 { size.max(Size::Y) } else { size }
}

impl Lower<'_> {
    /// Lowers a permutation by lane indices modulo the number of lanes.
    pub fn permute_at(&mut self, inst: &Inst, from: Type) -> Lowered<ValueRegs> {
        let (regs, numbers) = (self.value_regs(inst.args[0])?, self.value_regs(inst.args[1])?);
        let picks = self.source.ty(inst.args[1]);
        let bits = from.kind.bits();
        let width = match bits {
            _ if !self.target.avx512 => 32,
            8 if !self.target.features.vbmi => 16,
            _ => bits,
        };
        if !from.lanes.is_power_of_two()
            || !self.target.avx512 && self.is_faster_lane_by_lane(from, picks, width)?
        {
            return self.permute_in_memory(inst, from, &regs, &numbers);
        }
        let wide = bits.max(width);
        let table = self.resize(&regs, from.lanes, bits, wide, false)?;
        let shape = self.shape_of_lanes(from.lanes, wide)?;
        let order = self.shape_of_lanes(picks.lanes, wide)?;
        let numbers = if self.is_modulo(from.lanes, shape.size.max(order.size), width, table.len()) {
            numbers
        } else {
            self.modulo_lanes(from.lanes, picks, &numbers)?
        };
        let numbers = self.resize(&numbers, picks.lanes, picks.kind.bits(), wide, false)?;
        let mut found = ValueRegs::new();
        for number in numbers {
            found.push(if self.target.avx512 {
                self.look_up(shape.size.max(order.size), width, number, &table)
            } else {
                self.look_up_dwords(shape, order, number, &table)
            });
        }
        self.resize(&found, picks.lanes, wide, bits, false)
    }

    /// Checks whether lane by lane is faster: the cost of blending grows with the product of the registers of table and
    /// indices.
    // The factors 3 and 5: arbitrary.
    fn is_faster_lane_by_lane(&self, from: Type, picks: Type, width: u32) -> Lowered<bool> {
        let wide = from.kind.bits().max(width);
        let registers = |lanes: u16| Ok(self.shape_of_lanes(lanes, wide)?.count);
        Ok(3 * registers(from.lanes)? * registers(picks.lanes)? > 5 * usize::from(picks.lanes))
    }

    /// Checks whether the instructions that look up a table of `count` registers take indices modulo its lanes: they
    /// ignore all bits above those that number the lanes of one register, or of two with AVX-512.
    fn is_modulo(&self, lanes: u16, size: Size, width: u32, count: usize) -> bool {
        if self.target.avx512 {
            return count <= 2
                && u32::from(lanes) == lookup_size(size, width).bytes() * 8 / width * count as u32;
        }
        u32::from(lanes) == Size::Y.bytes() / 4 && count == 1
    }

    /// Reduces indices modulo a power of two.
    fn modulo_lanes(&mut self, lanes: u16, picks: Type, numbers: &ValueRegs) -> Lowered<ValueRegs> {
        let shape = self.shape_of(picks)?;
        let mut kept = ValueRegs::new();
        for &reg in numbers {
            let vec_op = self.and_op(shape.bits);
            let last = self.constant_source(vec_op, shape.size, shape.bits, u64::from(lanes) - 1);
            kept.push(self.vector2(vec_op, shape.size, reg, last));
        }
        Ok(kept)
    }

    /// Permutes with AVX-512, which looks up two registers at once.
    fn look_up(&mut self, size: Size, bits: u32, number: VReg, table: &ValueRegs) -> VReg {
        let size = lookup_size(size, bits);
        let lanes = u64::from(size.bytes() * 8 / bits);
        let mut found = self.permute_by(size, bits, number, &table[..table.len().min(2)]);
        for (pair, first) in table.chunks(2).zip((0..).step_by(2 * lanes as usize)).skip(1) {
            let other = self.permute_by(size, bits, number, pair);
            let vec_op = at(COMPARE_UNSIGNED, bits);
            let first = self.constant_source(vec_op, size, bits, first);
            let is_above = self.vectors_to_mask(vec_op, size, number, first, Some(NOT_LESS), None);
            found = self.vector2_masked(at(BLEND, bits), size, found, other, is_above);
        }
        found
    }

    /// Permutes with AVX2 lanes of 32 bits, or lanes of 64 bits as two of those.
    fn look_up_dwords(&mut self, shape: RegShape, order: RegShape, number: VReg, table: &ValueRegs) -> VReg {
        let size = Size::Y;
        let number = if shape.bits == 64 {
            // The index n becomes 2n in the lower half, and 2n + 1 in the upper one.
            let low = self.vector2(VecOp::Vpaddq, order.size, number, number);
            let high = self.vector1i(VecOp::Vpsllqi, order.size, low, 32);
            let both = self.vector2(VecOp::Vpaddq, order.size, low, high);
            let one = self.constant_source(VecOp::Vpaddq, order.size, 64, 1 << 32);
            self.vector2(VecOp::Vpaddq, order.size, both, one)
        } else {
            number
        };
        let mut found = self.vector2(VecOp::Vpermd, size, number, table[0]);
        for (&reg, first) in table.iter().zip((0..).step_by(size.bytes() as usize / 4)).skip(1) {
            let other = self.vector2(VecOp::Vpermd, size, number, reg);
            let before = self.constant_source(VecOp::Vpcmpgtd, size, 32, first - 1);
            let is_above = self.vector2(VecOp::Vpcmpgtd, size, number, before);
            found = self.blend_vectors(size, is_above, other, found);
        }
        found
    }

    fn permute_in_memory(
        &mut self,
        inst: &Inst,
        from: Type,
        regs: &ValueRegs,
        numbers: &ValueRegs,
    ) -> Lowered<ValueRegs> {
        let (shape, picks) = (self.shape_of(from)?, self.source.ty(inst.args[1]));
        let slot = self.store_to_new_slot(shape, regs);
        let mut lanes = Vec::new();
        for lane in 0..usize::from(inst.ty.lanes) {
            let number = self.extract_lane(picks, numbers, lane)?;
            let index = self.lane_number(from.lanes, number)?;
            let lane_address =
                Amode { index: Some((index, (shape.bits / 8) as u8)), ..Amode::frame(slot, 0) };
            lanes.push(self.load_scalar(from.kind, lane_address));
        }
        self.build_vector(inst.ty, &lanes)
    }
}
