//! Lowering of gathers, scatters and atomics of lanes. Without a machine instruction the operands are stored to the
//! stack, and a loop processes the active lanes.

use std::borrow::Cow;

use iced_x86::Code as Encoding;
use regalloc2::{RegClass, VReg};

use super::super::inst::{Amode, Base, InstBuilder, InstKind, LaneLoop, LaneWork, Modify, OperandSlot, View};
use super::super::vec_ops::{Size, VecOp};
use super::mask::WORD;
use super::memory::modify;
use super::{Lower, Lowered, RegShape, ValueRegs, one};
use crate::ir::interp::signed;
use crate::ir::{Effect, Inst, InstId, Op, Rmw, Value};

/// Addresses of lanes: an optional uniform base, and indices times a scale.
#[derive(Clone, Copy)]
struct LaneAddresses {
    /// Uniform base.
    base: Option<Value>,
    /// Pointers, or offsets from the base.
    index: Value,
    scale: u32,
}

/// Addresses of lanes that are extracted from registers one by one.
struct OneByOne {
    address: Amode,
    /// Segments of 128 bits with offsets of `bits` bits.
    offsets: ValueRegs,
    bits: u32,
    scale: u8,
    found: Vec<Amode>,
}

impl Lower<'_> {
    /// Checks whether a mask is constant with all lanes set.
    pub(in crate::codegen::x64) fn is_whole(&self, mask: Value) -> bool {
        self.splat_of(mask) == Some(1)
    }

    fn places(&self, inst: &Inst) -> LaneAddresses {
        match inst.op {
            Op::GatherAt | Op::ScatterAt => {
                LaneAddresses { base: Some(inst.args[0]), index: inst.args[1], scale: inst.scaled_mem().1 }
            }
            _ => LaneAddresses { base: None, index: inst.args[0], scale: 1 },
        }
    }

    /// Returns offsets that an instruction can use as index: registers, bits of a lane, scale.
    fn offsets(&mut self, places: LaneAddresses) -> Lowered<(ValueRegs, u32, u8)> {
        let ty = self.source.ty(places.index);
        let parts = self.parts(places.index)?;
        let bits = ty.kind.bits();
        if matches!(places.scale, 1 | 2 | 4 | 8) {
            return Ok((parts, bits, places.scale as u8));
        }
        let parts = self.resize(&parts, ty.lanes, bits, 64, true)?;
        let scaled = self.scaled(ty.lanes, &parts, places.scale)?;
        Ok((scaled, 64, 1))
    }

    /// Multiplies lanes of 64 bits by a constant.
    fn scaled(&mut self, lanes: u16, parts: &ValueRegs, scale: u32) -> Lowered<ValueRegs> {
        let shape = self.shape_of_lanes(lanes, 64)?;
        if scale == 1 {
            return Ok(parts.clone());
        }
        if scale.is_power_of_two() {
            let count = scale.trailing_zeros() as u8;
            return Ok(parts
                .iter()
                .map(|&part| self.vector1i(VecOp::Vpsllqi, shape.size, part, count))
                .collect());
        }
        // Adds exact products of 32 bits of both halves.
        let times = |t: &mut Self, part| {
            let factor = t.constant_source(VecOp::Vpmuludq, shape.size, 64, u64::from(scale));
            let low = t.vector2(VecOp::Vpmuludq, shape.size, part, factor);
            let high = t.vector1i(VecOp::Vpsrlqi, shape.size, part, 32);
            let factor = t.constant_source(VecOp::Vpmuludq, shape.size, 64, u64::from(scale));
            let high = t.vector2(VecOp::Vpmuludq, shape.size, high, factor);
            let high = t.vector1i(VecOp::Vpsllqi, shape.size, high, 32);
            t.vector2(VecOp::Vpaddq, shape.size, low, high)
        };
        Ok(parts.iter().map(|&part| times(self, part)).collect())
    }

    /// Returns the base of lane addresses.
    fn base(&mut self, places: LaneAddresses) -> Lowered<Amode> {
        let Some(base) = places.base else {
            return Ok(Amode { base: Base::Nothing, index: None, disp: 0 });
        };
        let address = self.address(base)?;
        if address.index.is_none() {
            return Ok(address);
        }
        let register = self.lea(address);
        Ok(Amode::at(register))
    }

    /// Lowers a gather.
    pub fn gather(&mut self, inst: &Inst) -> Lowered<ValueRegs> {
        let (mask, other) = (inst.args[inst.args.len() - 2], inst.args[inst.args.len() - 1]);
        let shape = self.shape_of(inst.ty)?;
        let ty = inst.ty;
        if shape.bits < 32 || !ty.lanes.is_power_of_two() {
            return self.load_by_lanes(inst, mask, other);
        }
        let places = self.places(inst);
        let is_slow = self.target.features.slow_gathers;
        if is_slow && self.is_whole(mask) && u32::from(ty.lanes) * shape.bits >= 128 {
            return self.gather_by_loads(places, ty.lanes, shape);
        }
        let address = self.base(places)?;
        let (offsets, index_bits, scale) = self.offsets(places)?;
        let index_shape = self.shape_of_lanes(ty.lanes, index_bits)?;
        let others = self.parts(other)?;
        let lanes = shape.lanes.min(index_shape.lanes);
        let offsets = self.pieces(&offsets, index_shape, lanes);
        let others = self.pieces(&others, shape, lanes);
        let form = if lanes == shape.lanes { shape.bits } else { index_bits };
        let masks = self.gather_masks(mask, ty.lanes, form, shape.bits)?;
        let row = match (index_bits, shape.bits) {
            (32, 32) => VecOp::Vpgatherdd,
            (32, _) => VecOp::Vpgatherdq,
            (_, 32) => VecOp::Vpgatherqd,
            _ => VecOp::Vpgatherqq,
        };
        let size_of = |bits: u32| Size::of_bytes(lanes as u32 * bits / 8);
        let (size, value_view) = (size_of(index_bits.max(shape.bits)), View::Vector(size_of(shape.bits)));
        let index_view = View::Vector(size_of(index_bits));
        self.widen(size);
        let mut pieces = ValueRegs::new();
        for ((&offset, &old), &mask) in offsets.iter().zip(&others).zip(&masks) {
            let place = Amode { index: Some((offset, scale)), ..address };
            let (result, left) = (self.code.vreg(RegClass::Float), self.code.vreg(mask.class()));
            let build =
                InstBuilder::row(row, size).change_as(old, result, value_view).vector_mem(place, index_view);
            let build = if self.target.avx512 {
                build.used_up(mask, left, OperandSlot::Predicate, View::Mask)
            } else {
                build.change_as(mask, left, value_view)
            };
            self.made.push(build);
            pieces.push(result);
        }
        Ok(self.join(&pieces, RegShape { lanes, size: size_of(shape.bits), ..shape }, shape))
    }

    /// Lowers a gather of all lanes to a load for each lane.
    ///
    /// Source: Zen 3 takes 12 cycles to gather eight floats, 8 to extract their offsets from a register and load them,
    /// and 5 if the offsets are constants (13 if the offsets are reloaded from the stack). Zen 4 takes 20 cycles to
    /// gather sixteen floats and 15 to load them; for eight elements of 64 bits it takes 12 and 8.
    fn gather_by_loads(&mut self, places: LaneAddresses, lanes: u16, shape: RegShape) -> Lowered<ValueRegs> {
        let mut places = self.one_by_one(places, lanes)?;
        let each = 128 / shape.bits as usize;
        let (first, next) =
            if shape.bits == 32 { (VecOp::Vmovd, VecOp::Vpinsrd) } else { (VecOp::Vmovq, VecOp::Vpinsrq) };
        let mut pieces = ValueRegs::new();
        for begin in (0..usize::from(lanes)).step_by(each) {
            let found = self.places_between(&mut places, begin, begin + each);
            let mut loaded = self.vector1(first, Size::X, found[0]);
            for (at, &place) in (1u8..).zip(&found[1..]) {
                loaded = self.vector2i(next, Size::X, loaded, place, at);
            }
            pieces.push(loaded);
        }
        Ok(self.join(&pieces, RegShape { lanes: each, size: Size::X, ..shape }, shape))
    }

    /// Lowers a scatter of all lanes of 64 bits to a store for each lane, in the order of lanes.
    ///
    /// Source: Zen 4 takes 15 cycles to scatter eight of them and 10 to store them; for lanes of 32 bits it takes 24
    /// either way.
    fn scatter_by_stores(
        &mut self,
        places: LaneAddresses,
        value: Value,
        lanes: u16,
        shape: RegShape,
    ) -> Lowered<()> {
        let mut places = self.one_by_one(places, lanes)?;
        let values = self.parts(value)?;
        let values = self.pieces(&values, shape, 2);
        for (begin, &pair) in (0..).step_by(2).zip(&values) {
            let found = self.places_between(&mut places, begin, begin + 2);
            self.made.push(InstBuilder::row(VecOp::Vmovqs, Size::X).mem(found[0]).read(pair));
            self.made.push(InstBuilder::row(VecOp::Vpextrq, Size::X).mem(found[1]).read(pair).imm8(1));
        }
        Ok(())
    }

    /// Prepares the extraction of the addresses of lanes one by one.
    fn one_by_one(&mut self, places: LaneAddresses, lanes: u16) -> Lowered<OneByOne> {
        let address = self.base(places)?;
        if places.base.is_some()
            && let Some(known) = self.displacements(places, address)
        {
            let found = known.into_iter().map(|disp| Amode { disp, ..address }).collect();
            return Ok(OneByOne { address, offsets: ValueRegs::new(), bits: 64, scale: 1, found });
        }
        let (offsets, bits, scale) = self.offsets(places)?;
        let from = self.shape_of_lanes(lanes, bits)?;
        let offsets = self.pieces(&offsets, from, 128 / bits as usize);
        Ok(OneByOne { address, offsets, bits, scale, found: Vec::new() })
    }

    /// Returns the addresses of some lanes. Only those are extracted, since registers are few.
    fn places_between<'p>(&mut self, places: &'p mut OneByOne, begin: usize, end: usize) -> &'p [Amode] {
        let OneByOne { address, ref offsets, bits, scale, ref mut found } = *places;
        let lanes = 128 / bits as usize;
        while found.len() < end {
            let (piece, half) = (offsets[found.len() / lanes], found.len() % lanes * bits as usize / 64);
            for offset in self.two_offsets(piece, half as u8, bits) {
                found.push(match address.base {
                    Base::Nothing => Amode::at(offset),
                    _ => Amode { index: Some((offset, scale)), ..address },
                });
            }
        }
        &found[begin..end]
    }

    /// Extracts the offsets in a half of 128 bits: two of 32 bits, or one of 64.
    fn two_offsets(&mut self, piece: VReg, half: u8, bits: u32) -> ValueRegs {
        let whole = if half == 0 {
            self.general_of(piece, 64)
        } else {
            let whole = self.general();
            self.made.push(InstBuilder::row(VecOp::Vpextrq, Size::X).def(whole).read(piece).imm8(half));
            whole
        };
        if bits == 64 {
            return one(whole);
        }
        let low = self.extend(whole, 32, 64, true);
        let high = self.shift(Encoding::Sar_rm32_imm8, 64, whole, 32);
        ValueRegs::from_iter([low, high])
    }

    /// Returns the displacements of lanes with constant offsets.
    fn displacements(&self, places: LaneAddresses, address: Amode) -> Option<Vec<i32>> {
        let bits = self.source.ty(places.index).kind.bits();
        let lanes = self.constant_lanes(places.index)?;
        let displacement = |&lane: &u64| {
            let offset = signed(bits, lane).checked_mul(i64::from(places.scale))?;
            i32::try_from(offset.checked_add(i64::from(address.disp))?).ok()
        };
        lanes.iter().map(displacement).collect()
    }

    /// Returns the masks of gathers: with AVX-512 mask registers with as many lanes as a register of lanes of
    /// `elem_bits` bits, else vector registers with as many lanes of `bits` bits.
    fn gather_masks(&mut self, mask: Value, lanes: u16, form: u32, bits: u32) -> Lowered<ValueRegs> {
        if self.target.avx512 {
            return self.mask_as(mask, form);
        }
        let parts = self.mask_as(mask, bits)?;
        let (from, to) = (self.shape_of_lanes(lanes, bits)?, self.shape_of_lanes(lanes, form)?);
        let parts = self.pieces(&parts, from, to.lanes);
        // Lanes that only pad the register must not be loaded.
        if u32::from(lanes) * bits >= 128 {
            return Ok(parts);
        }
        let bytes: Vec<u8> =
            (0..16).map(|byte| if byte < u32::from(lanes) * bits / 8 { 0xff } else { 0 }).collect();
        let kept = self.code.pool.add(bytes);
        Ok(parts.iter().map(|&part| self.vector2(VecOp::Vpand, Size::X, part, Amode::pool(kept))).collect())
    }

    /// Lowers a scatter.
    pub fn scatter(&mut self, inst: &Inst) -> Lowered<ValueRegs> {
        let (value, mask) = (inst.args[inst.args.len() - 2], inst.args[inst.args.len() - 1]);
        let ty = self.source.ty(value);
        let shape = self.shape_of(ty)?;
        let places = self.places(inst);
        if shape.bits < 32 || !self.target.avx512 || !ty.lanes.is_power_of_two() {
            let pointers = self.pointers(places)?;
            return self.store_by_lanes(pointers, value, mask);
        }
        if self.target.features.slow_gathers && shape.bits == 64 && ty.lanes >= 2 && self.is_whole(mask) {
            self.scatter_by_stores(places, value, ty.lanes, shape)?;
            return Ok(ValueRegs::new());
        }
        let address = self.base(places)?;
        let (offsets, index_bits, scale) = self.offsets(places)?;
        let index_shape = self.shape_of_lanes(ty.lanes, index_bits)?;
        let values = self.parts(value)?;
        let lanes = shape.lanes.min(index_shape.lanes);
        let offsets = self.pieces(&offsets, index_shape, lanes);
        let values = self.pieces(&values, shape, lanes);
        let form = if lanes == shape.lanes { shape.bits } else { index_bits };
        let masks = self.mask_as(mask, form)?;
        let row = match (index_bits, shape.bits) {
            (32, 32) => VecOp::Vpscatterdd,
            (32, _) => VecOp::Vpscatterdq,
            (_, 32) => VecOp::Vpscatterqd,
            _ => VecOp::Vpscatterqq,
        };
        let size_of = |bits: u32| Size::of_bytes(lanes as u32 * bits / 8);
        let size = size_of(index_bits.max(shape.bits));
        self.widen(size);
        for ((&offset, &value), &mask) in offsets.iter().zip(&values).zip(&masks) {
            let place = Amode { index: Some((offset, scale)), ..address };
            let left = self.code.vreg(RegClass::Vector);
            let build = InstBuilder::row(row, size).vector_mem(place, View::Vector(size_of(index_bits)));
            let build = build.read_as(value, View::Vector(size_of(shape.bits)));
            self.made.push(build.used_up(mask, left, OperandSlot::Predicate, View::Mask));
        }
        Ok(ValueRegs::new())
    }

    /// Stores a pointer for each lane to a new stack slot.
    fn pointers(&mut self, places: LaneAddresses) -> Lowered<u32> {
        let ty = self.source.ty(places.index);
        let shape = self.shape_of_lanes(ty.lanes, 64)?;
        let parts = self.parts(places.index)?;
        let mut parts = self.resize(&parts, ty.lanes, ty.kind.bits(), 64, true)?;
        if let Some(base) = places.base {
            let base = self.scalar(base)?;
            parts = self.scaled(ty.lanes, &parts, places.scale)?;
            let base = self.splat_quad(shape, base);
            parts = parts.iter().map(|&part| self.vector2(VecOp::Vpaddq, shape.size, part, base)).collect();
        }
        let slot = self.slot(shape.size.bytes() * shape.count as u32, 64);
        self.store_parts(&parts, shape, Amode::frame(slot, 0));
        Ok(slot)
    }

    fn spilled(&mut self, value: Value) -> Lowered<(u32, RegShape)> {
        let shape = self.shape(value)?;
        let parts = self.parts(value)?;
        let slot = self.slot(shape.size.bytes() * shape.count as u32, 64);
        self.store_parts(&parts, shape, Amode::frame(slot, 0));
        Ok((slot, shape))
    }

    fn load_by_lanes(&mut self, inst: &Inst, mask: Value, other: Value) -> Lowered<ValueRegs> {
        let pointers = self.pointers(self.places(inst))?;
        let (results, shape) = self.spilled(other)?;
        let bits = self.words_of_mask(mask)?;
        let lanes = LaneLoop {
            what: LaneWork::Load,
            bytes: shape.bits / 8,
            first: 0,
            pointers,
            values: results,
            expected: results,
            results,
            alone: true,
            all: None,
            constant: None,
        };
        self.lane_loops(lanes, &bits);
        Ok(self.load_parts(shape, Amode::frame(results, 0)))
    }

    fn store_by_lanes(&mut self, pointers: u32, value: Value, mask: Value) -> Lowered<ValueRegs> {
        let (values, shape) = self.spilled(value)?;
        let bits = self.words_of_mask(mask)?;
        let lanes = LaneLoop {
            what: LaneWork::Store,
            bytes: shape.bits / 8,
            first: 0,
            pointers,
            values,
            expected: values,
            results: values,
            alone: true,
            all: None,
            constant: None,
        };
        self.lane_loops(lanes, &bits);
        Ok(ValueRegs::new())
    }

    /// Emits a loop for each word of a mask.
    fn lane_loops(&mut self, lanes: LaneLoop, words: &[VReg]) {
        for (first, &bits) in (0u32..).step_by(WORD).zip(words) {
            self.lane_loop(LaneLoop { first, ..lanes }, bits);
        }
    }

    fn lane_loop(&mut self, lanes: LaneLoop, bits: VReg) {
        let left = self.general();
        let mut build = InstBuilder::of(InstKind::Lanes(Box::new(lanes)));
        build = build.used_up(bits, left, OperandSlot::Nowhere, View::Quad);
        for _ in 0..3 {
            let spare = self.general();
            build = build.temporary(spare);
        }
        let accumulator = self.general();
        self.made.push(build.fixed_early(accumulator, super::super::vcode::RAX));
    }

    /// Checks whether an instruction is an atomic operation on lanes that needs one instruction for each lane, since
    /// its result is not used.
    pub fn is_change(&self, inst: &Inst) -> bool {
        inst.op == Op::LaneRmw
            && inst.ty.kind.bits() >= 32
            && matches!(inst.rmw(), Rmw::Add | Rmw::Sub | Rmw::And | Rmw::Or | Rmw::Xor)
            && inst.result.is_none_or(|result| self.use_count(result) == 0)
    }

    /// Returns the instructions of a block with lane updates grouped, if only pure instructions are between them.
    pub fn with_changes_together<'b>(&self, insts: &'b [InstId]) -> Cow<'b, [InstId]> {
        /// Maximum number of lane updates in a group: the operands of more would not stay in registers.
        // Arbitrary.
        const MOST: usize = 8;
        let source = self.source;
        if insts.iter().filter(|&&id| self.is_change(&source.insts[id])).count() < 2 {
            return Cow::Borrowed(insts);
        }
        let (mut order, mut changes) = (Vec::with_capacity(insts.len()), Vec::new());
        for &id in insts {
            let inst = &source.insts[id];
            let is_change = self.is_change(inst);
            if !is_change && inst.op.effect() != Effect::Pure || changes.len() == MOST {
                order.append(&mut changes);
            }
            if is_change { changes.push(id) } else { order.push(id) }
        }
        Cow::Owned(order)
    }

    /// Lowers a lane update. The instructions that store its operands are deferred, so that they come before all
    /// updates of the group: updates access addresses that are loaded from the stack, and processors delay later loads
    /// until the addresses of earlier stores are known, once such a load has been mispredicted.
    fn lane_change(&mut self, inst: &Inst, how: Modify) -> Lowered<ValueRegs> {
        const MOST_STRAIGHT: u16 = 32;
        let (value, mask) = (inst.args[1], inst.args[2]);
        let lanes = inst.ty.lanes;
        let pointers = self.pointers(LaneAddresses { base: None, index: inst.args[0], scale: 1 })?;
        let bits = inst.ty.kind.bits();
        let known = self.splat_of(value).map(|number| signed(bits, number));
        let constant = known.and_then(|number| i8::try_from(number).ok());
        let values = if constant.is_some() { pointers } else { self.spilled(value)?.0 };
        let all = (self.is_whole(mask) && lanes <= MOST_STRAIGHT).then_some(lanes.into());
        let set = if all.is_some() { one(self.integer(0)) } else { self.words_of_mask(mask)? };
        let lanes = LaneLoop {
            what: LaneWork::Change(how),
            bytes: bits / 8,
            first: 0,
            pointers,
            values,
            expected: values,
            results: values,
            alone: self.source.is_of_group(inst),
            all,
            constant,
        };
        let before = self.made.len();
        self.lane_loops(lanes, &set);
        self.held.extend(self.made.drain(..before).rev().map(|build| (build, inst.loc)));
        Ok(ValueRegs::new())
    }

    /// Lowers an atomic operation on lanes; inactive lanes return 0.
    pub fn lane_atomic(&mut self, inst: &Inst) -> Lowered<ValueRegs> {
        let is_rmw = inst.op == Op::LaneRmw;
        if self.is_change(inst) {
            return self.lane_change(inst, modify(inst.rmw()));
        }
        let mask = inst.args[if is_rmw { 2 } else { 3 }];
        let pointers = self.pointers(LaneAddresses { base: None, index: inst.args[0], scale: 1 })?;
        let (first, shape) = self.spilled(inst.args[1])?;
        let (values, expected) = if is_rmw { (first, first) } else { (self.spilled(inst.args[2])?.0, first) };
        let results = self.slot(shape.size.bytes() * shape.count as u32, 64);
        let zero = self.splat_constant(shape.size, 64, 0);
        self.store_parts(&ValueRegs::from_elem(zero, shape.count), shape, Amode::frame(results, 0));
        let bits = self.words_of_mask(mask)?;
        let lanes = LaneLoop {
            what: if is_rmw { LaneWork::Rmw(modify(inst.rmw())) } else { LaneWork::CompareExchange },
            bytes: shape.bits / 8,
            first: 0,
            pointers,
            values,
            expected,
            results,
            alone: self.source.is_of_group(inst),
            all: None,
            constant: None,
        };
        self.lane_loops(lanes, &bits);
        Ok(self.load_parts(shape, Amode::frame(results, 0)))
    }
}
