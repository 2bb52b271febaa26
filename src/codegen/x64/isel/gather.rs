//! Lowering of gathers, scatters and atomics of lanes. Without a machine instruction the operands are stored to the
//! stack, and a loop processes the active lanes.

use std::borrow::Cow;

use iced_x86::Code as Encoding;
use regalloc2::{RegClass, VReg};

use super::super::inst::{Amode, Base, InstBuilder, InstKind, LaneLoop, LaneWork, OperandSlot, RmwOp, View};
use super::super::vec_ops::{Size, VecOp};
use super::mask::WORD_LANES;
use super::memory::rmw_op;
use super::{Lower, Lowered, RegShape, ValueRegs, one};
use grus_ir::interp::signed;
use grus_ir::{Effect, Inst, InstId, Op, Rmw, Value};

/// Maximum number of lanes for straight code instead of a loop.
// Arbitrary.
const MAX_UNROLLED_LANES: u16 = 32;

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
struct ExtractedAddresses {
    address: Amode,
    /// Segments of 128 bits with offsets of `bits` bits.
    offsets: ValueRegs,
    bits: u32,
    scale: u8,
    known: Vec<Amode>,
}

impl Lower<'_> {
    /// Checks whether a mask is constant with all lanes set.
    pub(in crate::x64) fn is_all_set(&self, mask: Value) -> bool {
        self.splat_of(mask) == Some(1)
    }

    fn lane_addresses(&self, inst: &Inst) -> LaneAddresses {
        match inst.op {
            Op::GatherAt | Op::ScatterAt => {
                LaneAddresses { base: Some(inst.args[0]), index: inst.args[1], scale: inst.scaled_mem().1 }
            }
            _ => LaneAddresses { base: None, index: inst.args[0], scale: 1 },
        }
    }

    /// Returns offsets that an instruction can use as index: registers, bits of a lane, scale.
    fn offsets(&mut self, addresses: LaneAddresses) -> Lowered<(ValueRegs, u32, u8)> {
        let ty = self.source.ty(addresses.index);
        let regs = self.value_regs(addresses.index)?;
        let bits = ty.kind.bits();
        if matches!(addresses.scale, 1 | 2 | 4 | 8) {
            return Ok((regs, bits, addresses.scale as u8));
        }
        let regs = self.resize(&regs, ty.lanes, bits, 64, true)?;
        let scaled = self.scaled(ty.lanes, &regs, addresses.scale)?;
        Ok((scaled, 64, 1))
    }

    /// Multiplies lanes of 64 bits by a constant.
    fn scaled(&mut self, lanes: u16, regs: &ValueRegs, scale: u32) -> Lowered<ValueRegs> {
        let shape = self.shape_of_lanes(lanes, 64)?;
        if scale == 1 {
            return Ok(regs.clone());
        }
        if scale.is_power_of_two() {
            let count = scale.trailing_zeros() as u8;
            return Ok(regs
                .iter()
                .map(|&reg| self.vector1i(VecOp::Vpsllqi, shape.size, reg, count))
                .collect());
        }
        // Adds exact products of 32 bits of both halves.
        let times = |t: &mut Self, reg| {
            let factor = t.constant_source(VecOp::Vpmuludq, shape.size, 64, u64::from(scale));
            let low = t.vector2(VecOp::Vpmuludq, shape.size, reg, factor);
            let high = t.vector1i(VecOp::Vpsrlqi, shape.size, reg, 32);
            let factor = t.constant_source(VecOp::Vpmuludq, shape.size, 64, u64::from(scale));
            let high = t.vector2(VecOp::Vpmuludq, shape.size, high, factor);
            let high = t.vector1i(VecOp::Vpsllqi, shape.size, high, 32);
            t.vector2(VecOp::Vpaddq, shape.size, low, high)
        };
        Ok(regs.iter().map(|&reg| times(self, reg)).collect())
    }

    /// Returns the base of lane addresses.
    fn base(&mut self, addresses: LaneAddresses) -> Lowered<Amode> {
        let Some(base) = addresses.base else {
            return Ok(Amode { base: Base::None, index: None, disp: 0 });
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
        let addresses = self.lane_addresses(inst);
        let is_narrow = shape.bits < 32;
        if self.is_all_set(mask)
            && ty.lanes.is_power_of_two()
            && (self.target.features.slow_gathers && u32::from(ty.lanes) * shape.bits >= 128
                || is_narrow && (2..=MAX_UNROLLED_LANES).contains(&ty.lanes))
        {
            return self.gather_by_loads(addresses, ty.lanes, shape);
        }
        if is_narrow || !ty.lanes.is_power_of_two() {
            return self.load_by_lanes(inst, mask, other);
        }
        let address = self.base(addresses)?;
        let (offsets, index_bits, scale) = self.offsets(addresses)?;
        let index_shape = self.shape_of_lanes(ty.lanes, index_bits)?;
        let others = self.value_regs(other)?;
        let lanes = shape.lanes.min(index_shape.lanes);
        let offsets = self.split_regs(&offsets, index_shape, lanes);
        let others = self.split_regs(&others, shape, lanes);
        let elem_bits = if lanes == shape.lanes { shape.bits } else { index_bits };
        let masks = self.gather_masks(mask, ty.lanes, elem_bits, shape.bits)?;
        let vec_op = match (index_bits, shape.bits) {
            (32, 32) => VecOp::Vpgatherdd,
            (32, _) => VecOp::Vpgatherdq,
            (_, 32) => VecOp::Vpgatherqd,
            _ => VecOp::Vpgatherqq,
        };
        let size_of = |bits: u32| Size::of_bytes(lanes as u32 * bits / 8);
        let (size, value_view) = (size_of(index_bits.max(shape.bits)), View::Vector(size_of(shape.bits)));
        let index_view = View::Vector(size_of(index_bits));
        self.note_size(size);
        let mut segments = ValueRegs::new();
        for ((&offset, &old), &mask) in offsets.iter().zip(&others).zip(&masks) {
            let operand = Amode { index: Some((offset, scale)), ..address };
            let (result, left) = (self.code.vreg(RegClass::Float), self.code.vreg(mask.class()));
            let build = InstBuilder::vec_op(vec_op, size)
                .reuse_def_as(old, result, value_view)
                .vector_mem(operand, index_view);
            let build = if self.target.avx512 {
                build.clobbered_read(mask, left, OperandSlot::Predicate, View::Mask)
            } else {
                build.reuse_def_as(mask, left, value_view)
            };
            self.emitted.push(build);
            segments.push(result);
        }
        Ok(self.join_regs(&segments, RegShape { lanes, size: size_of(shape.bits), ..shape }, shape))
    }

    /// Lowers a gather of all lanes to a load for each lane.
    ///
    /// Source: Zen 3 takes 12 cycles to gather eight floats, 8 to extract their offsets from a register and load them,
    /// and 5 if the offsets are constants (13 if the offsets are reloaded from the stack). Zen 4 takes 20 cycles to
    /// gather sixteen floats and 15 to load them; for eight elements of 64 bits it takes 12 and 8.
    fn gather_by_loads(
        &mut self,
        addresses: LaneAddresses,
        lanes: u16,
        shape: RegShape,
    ) -> Lowered<ValueRegs> {
        let mut addresses = self.extracted_addresses(addresses, lanes)?;
        let each = 128 / shape.bits as usize;
        let mut segments = ValueRegs::new();
        for begin in (0..usize::from(lanes)).step_by(each) {
            let end = usize::from(lanes).min(begin + each);
            let found = self.addresses_between(&mut addresses, begin, end);
            segments.push(self.load_lanes(shape.bits, found));
        }
        Ok(self.join_regs(&segments, RegShape { lanes: each, size: Size::X, ..shape }, shape))
    }

    /// Loads lanes of 128 bits from one address each; lanes without an address are zero.
    fn load_lanes(&mut self, bits: u32, addresses: &[Amode]) -> VReg {
        let insert = match bits {
            8 => VecOp::Vpinsrb,
            16 => VecOp::Vpinsrw,
            32 => VecOp::Vpinsrd,
            _ => VecOp::Vpinsrq,
        };
        let mut loaded = match bits {
            32 => self.vector1(VecOp::Vmovd, Size::X, addresses[0]),
            64 => self.vector1(VecOp::Vmovq, Size::X, addresses[0]),
            _ => {
                let zero = self.splat_constant(Size::X, 64, 0);
                self.vector2i(insert, Size::X, zero, addresses[0], 0)
            }
        };
        for (at, &address) in (1u8..).zip(&addresses[1..]) {
            loaded = self.vector2i(insert, Size::X, loaded, address, at);
        }
        loaded
    }

    /// Lowers a vector of narrow lanes that are all loaded to loads into the lanes.
    pub fn build_from_loads(&mut self, inst: &Inst) -> Lowered<Option<ValueRegs>> {
        let shape = self.shape_of(inst.ty)?;
        let are_loads = inst.args.iter().all(|&arg| self.is_foldable_load(self.origin(arg)));
        if shape.bits > 16 || !are_loads {
            return Ok(None);
        }
        let mut addresses = Vec::new();
        for &arg in &inst.args {
            let load = self.source.def_inst(self.origin(arg)).expect("a load");
            addresses.push(self.address(load.args[0])?);
        }
        let each = 128 / shape.bits as usize;
        let segments = addresses.chunks(each).map(|lanes| self.load_lanes(shape.bits, lanes)).collect();
        Ok(Some(self.join_regs(&segments, RegShape { lanes: each, size: Size::X, ..shape }, shape)))
    }

    /// Checks whether a scatter is lowered to a store for each lane: that of all lanes, without an instruction that is
    /// faster.
    ///
    /// Source: Zen 4 takes 15 cycles to scatter eight lanes of 64 bits and 10 to store them; for lanes of 32 bits it takes
    /// 24 either way. RC4 with arrays of bytes takes 0.8 of its time on Zen 3 compared with a loop over the lanes.
    fn is_scatter_by_stores(&self, mask: Value, lanes: u16, bits: u32) -> bool {
        let has_instruction = self.target.avx512 && bits >= 32;
        self.is_all_set(mask)
            && (2..=MAX_UNROLLED_LANES).contains(&lanes)
            && lanes.is_power_of_two()
            && (!has_instruction || bits == 64 && self.target.features.slow_gathers)
    }

    /// Lowers a scatter of all lanes to a store for each lane, in the order of lanes.
    fn scatter_by_stores(
        &mut self,
        addresses: LaneAddresses,
        value: Value,
        lanes: u16,
        shape: RegShape,
    ) -> Lowered<()> {
        let mut addresses = self.extracted_addresses(addresses, lanes)?;
        let each = 128 / shape.bits as usize;
        let (first, next) = match shape.bits {
            8 => (VecOp::Vpextrb, VecOp::Vpextrb),
            16 => (VecOp::Vpextrw, VecOp::Vpextrw),
            32 => (VecOp::Vmovds, VecOp::Vpextrd),
            _ => (VecOp::Vmovqs, VecOp::Vpextrq),
        };
        let values = self.value_regs(value)?;
        let values = self.split_regs(&values, shape, each);
        for lane in 0..usize::from(lanes) {
            let found = self.addresses_between(&mut addresses, lane, lane + 1)[0];
            let (segment, at) = (values[lane / each], lane % each);
            let vec_op = if at == 0 { first } else { next };
            let build = InstBuilder::vec_op(vec_op, Size::X).mem(found).read(segment);
            let has_number = !matches!(vec_op, VecOp::Vmovds | VecOp::Vmovqs);
            self.emitted.push(if has_number { build.imm8(at as u8) } else { build });
        }
        Ok(())
    }

    /// Prepares the extraction of the addresses of lanes one by one.
    fn extracted_addresses(&mut self, addresses: LaneAddresses, lanes: u16) -> Lowered<ExtractedAddresses> {
        let address = self.base(addresses)?;
        if addresses.base.is_some()
            && let Some(known) = self.displacements(addresses, address)
        {
            let found = known.into_iter().map(|disp| Amode { disp, ..address }).collect();
            return Ok(ExtractedAddresses {
                address,
                offsets: ValueRegs::new(),
                bits: 64,
                scale: 1,
                known: found,
            });
        }
        let (offsets, bits, scale) = self.offsets(addresses)?;
        let from = self.shape_of_lanes(lanes, bits)?;
        let offsets = self.split_regs(&offsets, from, 128 / bits as usize);
        Ok(ExtractedAddresses { address, offsets, bits, scale, known: Vec::new() })
    }

    /// Returns the addresses of some lanes. Only those are extracted, since registers are few.
    fn addresses_between<'p>(
        &mut self,
        addresses: &'p mut ExtractedAddresses,
        begin: usize,
        end: usize,
    ) -> &'p [Amode] {
        let ExtractedAddresses { address, ref offsets, bits, scale, ref mut known } = *addresses;
        let lanes = 128 / bits as usize;
        while known.len() < end {
            let (segment, half) = (offsets[known.len() / lanes], known.len() % lanes * bits as usize / 64);
            for offset in self.two_offsets(segment, half as u8, bits) {
                known.push(match address.base {
                    Base::None => Amode::at(offset),
                    _ => Amode { index: Some((offset, scale)), ..address },
                });
            }
        }
        &known[begin..end]
    }

    /// Extracts the offsets in a half of 128 bits: two of 32 bits, or one of 64.
    fn two_offsets(&mut self, segment: VReg, half: u8, bits: u32) -> ValueRegs {
        let whole = if half == 0 {
            self.general_of(segment, 64)
        } else {
            let whole = self.general();
            self.emitted
                .push(InstBuilder::vec_op(VecOp::Vpextrq, Size::X).def(whole).read(segment).imm8(half));
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
    fn displacements(&self, addresses: LaneAddresses, address: Amode) -> Option<Vec<i32>> {
        let bits = self.source.ty(addresses.index).kind.bits();
        let lanes = self.constant_lanes(addresses.index)?;
        let displacement = |&lane: &u64| {
            let offset = signed(bits, lane).checked_mul(i64::from(addresses.scale))?;
            i32::try_from(offset.checked_add(i64::from(address.disp))?).ok()
        };
        lanes.iter().map(displacement).collect()
    }

    /// Returns the masks of gathers: with AVX-512 mask registers with as many lanes as a register of lanes of
    /// `elem_bits` bits, else vector registers with as many lanes of `bits` bits.
    fn gather_masks(&mut self, mask: Value, lanes: u16, elem_bits: u32, bits: u32) -> Lowered<ValueRegs> {
        if self.target.avx512 {
            return self.mask_as(mask, elem_bits);
        }
        let regs = self.mask_as(mask, bits)?;
        let (from, to) = (self.shape_of_lanes(lanes, bits)?, self.shape_of_lanes(lanes, elem_bits)?);
        let regs = self.split_regs(&regs, from, to.lanes);
        // Lanes that only pad the register must not be loaded.
        if u32::from(lanes) * bits >= 128 {
            return Ok(regs);
        }
        let bytes: Vec<u8> =
            (0..16).map(|byte| if byte < u32::from(lanes) * bits / 8 { 0xff } else { 0 }).collect();
        let kept = self.code.pool.add(bytes);
        Ok(regs.iter().map(|&reg| self.vector2(VecOp::Vpand, Size::X, reg, Amode::pool(kept))).collect())
    }

    /// Lowers a scatter.
    pub fn scatter(&mut self, inst: &Inst) -> Lowered<ValueRegs> {
        let (value, mask) = (inst.args[inst.args.len() - 2], inst.args[inst.args.len() - 1]);
        let ty = self.source.ty(value);
        let shape = self.shape_of(ty)?;
        let addresses = self.lane_addresses(inst);
        if self.is_scatter_by_stores(mask, ty.lanes, shape.bits) {
            self.scatter_by_stores(addresses, value, ty.lanes, shape)?;
            return Ok(ValueRegs::new());
        }
        if shape.bits < 32 || !self.target.avx512 || !ty.lanes.is_power_of_two() {
            let pointers = self.pointers(addresses)?;
            return self.store_by_lanes(pointers, value, mask);
        }
        let address = self.base(addresses)?;
        let (offsets, index_bits, scale) = self.offsets(addresses)?;
        let index_shape = self.shape_of_lanes(ty.lanes, index_bits)?;
        let values = self.value_regs(value)?;
        let lanes = shape.lanes.min(index_shape.lanes);
        let offsets = self.split_regs(&offsets, index_shape, lanes);
        let values = self.split_regs(&values, shape, lanes);
        let elem_bits = if lanes == shape.lanes { shape.bits } else { index_bits };
        let masks = self.mask_as(mask, elem_bits)?;
        let vec_op = match (index_bits, shape.bits) {
            (32, 32) => VecOp::Vpscatterdd,
            (32, _) => VecOp::Vpscatterdq,
            (_, 32) => VecOp::Vpscatterqd,
            _ => VecOp::Vpscatterqq,
        };
        let size_of = |bits: u32| Size::of_bytes(lanes as u32 * bits / 8);
        let size = size_of(index_bits.max(shape.bits));
        self.note_size(size);
        for ((&offset, &value), &mask) in offsets.iter().zip(&values).zip(&masks) {
            let operand = Amode { index: Some((offset, scale)), ..address };
            let left = self.code.vreg(RegClass::Vector);
            let build =
                InstBuilder::vec_op(vec_op, size).vector_mem(operand, View::Vector(size_of(index_bits)));
            let build = build.read_as(value, View::Vector(size_of(shape.bits)));
            self.emitted.push(build.clobbered_read(mask, left, OperandSlot::Predicate, View::Mask));
        }
        Ok(ValueRegs::new())
    }

    /// Stores a pointer for each lane to a new stack slot.
    fn pointers(&mut self, addresses: LaneAddresses) -> Lowered<u32> {
        let ty = self.source.ty(addresses.index);
        let shape = self.shape_of_lanes(ty.lanes, 64)?;
        let regs = self.value_regs(addresses.index)?;
        let mut regs = self.resize(&regs, ty.lanes, ty.kind.bits(), 64, true)?;
        if let Some(base) = addresses.base {
            let base = self.scalar(base)?;
            regs = self.scaled(ty.lanes, &regs, addresses.scale)?;
            let base = self.splat_qword(shape, base);
            regs = regs.iter().map(|&reg| self.vector2(VecOp::Vpaddq, shape.size, reg, base)).collect();
        }
        let slot = self.slot(shape.size.bytes() * shape.count as u32, 64);
        self.store_regs(&regs, shape, Amode::frame(slot, 0));
        Ok(slot)
    }

    fn store_to_slot(&mut self, value: Value) -> Lowered<(u32, RegShape)> {
        let shape = self.shape(value)?;
        let regs = self.value_regs(value)?;
        let slot = self.slot(shape.size.bytes() * shape.count as u32, 64);
        self.store_regs(&regs, shape, Amode::frame(slot, 0));
        Ok((slot, shape))
    }

    fn load_by_lanes(&mut self, inst: &Inst, mask: Value, other: Value) -> Lowered<ValueRegs> {
        let pointers = self.pointers(self.lane_addresses(inst))?;
        let (results, shape) = self.store_to_slot(other)?;
        let bits = self.words_of_mask(mask)?;
        let lanes = LaneLoop {
            work: LaneWork::Load,
            bytes: shape.bits / 8,
            first: 0,
            pointers,
            values: results,
            expected: results,
            results,
            single_thread: true,
            full_lanes: None,
            constant: None,
        };
        self.lane_loops(lanes, &bits);
        Ok(self.load_regs(shape, Amode::frame(results, 0)))
    }

    fn store_by_lanes(&mut self, pointers: u32, value: Value, mask: Value) -> Lowered<ValueRegs> {
        let (values, shape) = self.store_to_slot(value)?;
        let bits = self.words_of_mask(mask)?;
        let lanes = LaneLoop {
            work: LaneWork::Store,
            bytes: shape.bits / 8,
            first: 0,
            pointers,
            values,
            expected: values,
            results: values,
            single_thread: true,
            full_lanes: None,
            constant: None,
        };
        self.lane_loops(lanes, &bits);
        Ok(ValueRegs::new())
    }

    /// Emits a loop for each word of a mask.
    fn lane_loops(&mut self, lanes: LaneLoop, words: &[VReg]) {
        for (first, &bits) in (0u32..).step_by(WORD_LANES).zip(words) {
            self.lane_loop(LaneLoop { first, ..lanes }, bits);
        }
    }

    fn lane_loop(&mut self, lanes: LaneLoop, bits: VReg) {
        let left = self.general();
        let mut build = InstBuilder::new(InstKind::LaneLoop(Box::new(lanes)));
        build = build.clobbered_read(bits, left, OperandSlot::Implicit, View::Qword);
        for _ in 0..3 {
            let spare = self.general();
            build = build.temporary(spare);
        }
        let accumulator = self.general();
        self.emitted.push(build.fixed_early_def(accumulator, super::super::vcode::RAX));
    }

    /// Checks whether an instruction is an atomic operation on lanes that needs one instruction for each lane, since
    /// its result is not used.
    pub fn is_lane_update(&self, inst: &Inst) -> bool {
        inst.op == Op::LaneRmw
            && inst.ty.kind.bits() >= 32
            && matches!(inst.rmw(), Rmw::Add | Rmw::Sub | Rmw::And | Rmw::Or | Rmw::Xor)
            && inst.result.is_none_or(|result| self.use_count(result) == 0)
    }

    /// Returns the instructions of a block with lane updates grouped, if only pure instructions are between them.
    pub fn group_lane_updates<'b>(&self, insts: &'b [InstId]) -> Cow<'b, [InstId]> {
        /// Maximum number of lane updates in a group: the operands of more would not stay in registers.
        // Arbitrary.
        const MAX_GROUPED_UPDATES: usize = 8;
        let source = self.source;
        if insts.iter().filter(|&&id| self.is_lane_update(&source.insts[id])).count() < 2 {
            return Cow::Borrowed(insts);
        }
        let (mut order, mut changes) = (Vec::with_capacity(insts.len()), Vec::new());
        for &id in insts {
            let inst = &source.insts[id];
            let is_lane_update = self.is_lane_update(inst);
            if !is_lane_update && inst.op.effect() != Effect::Pure || changes.len() == MAX_GROUPED_UPDATES {
                order.append(&mut changes);
            }
            if is_lane_update { changes.push(id) } else { order.push(id) }
        }
        Cow::Owned(order)
    }

    /// Lowers a lane update. The instructions that store its operands are deferred, so that they come before all
    /// updates of the group: updates access addresses that are loaded from the stack, and processors delay later loads
    /// until the addresses of earlier stores are known, once such a load has been mispredicted.
    fn lane_update(&mut self, inst: &Inst, op: RmwOp) -> Lowered<ValueRegs> {
        let (value, mask) = (inst.args[1], inst.args[2]);
        let lanes = inst.ty.lanes;
        let pointers = self.pointers(LaneAddresses { base: None, index: inst.args[0], scale: 1 })?;
        let bits = inst.ty.kind.bits();
        let known = self.splat_of(value).map(|number| signed(bits, number));
        let constant = known.and_then(|number| i8::try_from(number).ok());
        let values = if constant.is_some() { pointers } else { self.store_to_slot(value)?.0 };
        let full_lanes = (self.is_all_set(mask) && lanes <= MAX_UNROLLED_LANES).then_some(lanes.into());
        let set = if full_lanes.is_some() { one(self.integer(0)) } else { self.words_of_mask(mask)? };
        let lanes = LaneLoop {
            work: LaneWork::Update(op),
            bytes: bits / 8,
            first: 0,
            pointers,
            values,
            expected: values,
            results: values,
            single_thread: self.source.is_of_group(inst),
            full_lanes,
            constant,
        };
        let before = self.emitted.len();
        self.lane_loops(lanes, &set);
        self.deferred.extend(self.emitted.drain(..before).rev().map(|build| (build, inst.loc)));
        Ok(ValueRegs::new())
    }

    /// Lowers an atomic operation on lanes; inactive lanes return 0.
    pub fn lane_atomic(&mut self, inst: &Inst) -> Lowered<ValueRegs> {
        let is_rmw = inst.op == Op::LaneRmw;
        if self.is_lane_update(inst) {
            return self.lane_update(inst, rmw_op(inst.rmw())?);
        }
        let mask = inst.args[if is_rmw { 2 } else { 3 }];
        let pointers = self.pointers(LaneAddresses { base: None, index: inst.args[0], scale: 1 })?;
        let (first, shape) = self.store_to_slot(inst.args[1])?;
        let (values, expected) =
            if is_rmw { (first, first) } else { (self.store_to_slot(inst.args[2])?.0, first) };
        let results = self.slot(shape.size.bytes() * shape.count as u32, 64);
        let zero = self.splat_constant(shape.size, 64, 0);
        self.store_regs(&ValueRegs::from_elem(zero, shape.count), shape, Amode::frame(results, 0));
        let bits = self.words_of_mask(mask)?;
        let lanes = LaneLoop {
            work: if is_rmw { LaneWork::Rmw(rmw_op(inst.rmw())?) } else { LaneWork::CompareExchange },
            bytes: shape.bits / 8,
            first: 0,
            pointers,
            values,
            expected,
            results,
            single_thread: self.source.is_of_group(inst),
            full_lanes: None,
            constant: None,
        };
        self.lane_loops(lanes, &bits);
        Ok(self.load_regs(shape, Amode::frame(results, 0)))
    }
}
