//! Lowering of operations that move lanes: segments of registers, splats, single lanes, shuffles.

use regalloc2::{RegClass, VReg};

use super::super::CodegenBug;
use super::super::inst::{Amode, InstBuilder, View};
use super::super::vec_ops::{Size, VecOp};
use super::shuffle::ShuffleCache;
use super::{Lower, Lowered, RegShape, ValueRegs, one};
use grus_ir::{Inst, Kind, LaneOp, Op, Type, Value};

/// Source of a lane of a shuffle: index of a register, and lane in it.
pub type Pick = (usize, usize);

/// One register of a shuffle's result: bits of a lane, size of the registers, and source of each lane.
pub struct Picked<'p> {
    pub bits: u32,
    pub size: Size,
    pub picks: &'p [Pick],
}

impl Lower<'_> {
    /// Splits registers into segments of `lanes` lanes, each in the lowest lanes of a register.
    pub fn split_regs(&mut self, regs: &ValueRegs, from: RegShape, lanes: usize) -> ValueRegs {
        if from.lanes <= lanes {
            return regs.clone();
        }
        let mut segments = ValueRegs::new();
        for &reg in regs {
            for segment in 0..from.lanes / lanes {
                let bytes = (segment * lanes) as u32 * from.bits / 8;
                let size = lanes as u32 * from.bits / 8;
                segments.push(self.extract_segment(reg, from.size, bytes, size));
            }
        }
        segments
    }

    /// Extracts `bytes` bytes of a register from byte `at` on, which is a multiple of `bytes`.
    fn extract_segment(&mut self, reg: VReg, from: Size, at: u32, bytes: u32) -> VReg {
        if at == 0 {
            return reg;
        }
        if bytes >= 32 {
            return self.vector1i(VecOp::Vextract256, Size::Z, reg, (at / 32) as u8);
        }
        let quarter = at / 16;
        let reg =
            if quarter == 0 { reg } else { self.vector1i(VecOp::Vextract128, from, reg, quarter as u8) };
        if at.is_multiple_of(16) {
            return reg;
        }
        self.vector1i(VecOp::Vpsrldq, Size::X, reg, (at % 16) as u8)
    }

    /// Concatenates segments to registers.
    pub fn join_regs(&mut self, segments: &ValueRegs, from: RegShape, to: RegShape) -> ValueRegs {
        let mut regs = segments.clone();
        let mut lanes = from.lanes;
        while lanes < to.lanes && regs.len() > 1 {
            let bytes = lanes as u32 * from.bits / 8;
            regs = regs
                .chunks(2)
                .map(|pair| self.concat(bytes, pair[0], *pair.last().unwrap_or(&pair[0])))
                .collect();
            lanes *= 2;
        }
        regs
    }

    /// Concatenates two segments of `bytes` bytes in one register.
    fn concat(&mut self, bytes: u32, low: VReg, high: VReg) -> VReg {
        match bytes {
            1 => self.vector2(VecOp::Vpunpcklbw, Size::X, low, high),
            2 => self.vector2(VecOp::Vpunpcklwd, Size::X, low, high),
            4 => self.vector2(VecOp::Vpunpckldq, Size::X, low, high),
            8 => self.vector2(VecOp::Vpunpcklqdq, Size::X, low, high),
            16 => self.vector2i(VecOp::Vinsert128, Size::Y, low, high, 1),
            _ => self.vector2i(VecOp::Vinsert256, Size::Z, low, high, 1),
        }
    }

    /// Lowers operations that move lanes.
    pub fn lane_op(&mut self, inst: &Inst, op: LaneOp) -> Lowered<ValueRegs> {
        let ty = inst.ty;
        if ty.is_mask() {
            return self.mask_lanes(inst, op);
        }
        let from = inst.args.first().map_or(ty, |&arg| self.source.ty(arg));
        match op {
            LaneOp::Bitcast => self.bitcast(inst),
            LaneOp::Splat => self.splat(inst),
            LaneOp::Extract if from.is_mask() => self.mask_lane(inst.args[0], inst.int() as u32).map(one),
            LaneOp::Extract => {
                let regs = self.value_regs(inst.args[0])?;
                self.extract_lane(from, &regs, inst.int() as usize).map(one)
            }
            LaneOp::Insert => {
                let (regs, value) = (self.value_regs(inst.args[0])?, self.scalar(inst.args[1])?);
                self.insert_lane(ty, regs, inst.int() as usize, value)
            }
            LaneOp::Shuffle => {
                let (a, b) = (self.value_regs(inst.args[0])?, self.value_regs(inst.args[1])?);
                self.shuffle(from, &a, &b, inst.lanes(), ty)
            }
            LaneOp::BuildVector => {
                if let Some(regs) = self.build_from_lanes(inst)? {
                    return Ok(regs);
                }
                if let Some(regs) = self.build_from_loads(inst)? {
                    return Ok(regs);
                }
                let mut lanes = Vec::new();
                for &arg in &inst.args {
                    lanes.push(self.lane_from_memory(arg)?.map_or_else(|| self.scalar(arg), Ok)?);
                }
                self.build_vector(ty, &lanes)
            }
            LaneOp::Iota => Err(CodegenBug("a constant has a place")),
            LaneOp::ExtractAt if from.is_mask() => {
                let at = self.scalar(inst.args[1])?;
                self.mask_lane_at(inst.args[0], at).map(one)
            }
            LaneOp::ExtractAt => {
                let (regs, at) = (self.value_regs(inst.args[0])?, self.scalar(inst.args[1])?);
                self.extract_at(from, &regs, at).map(one)
            }
            LaneOp::Permute => self.permute_at(inst, from),
            LaneOp::InsertAt => {
                let regs = self.value_regs(inst.args[0])?;
                let (at, value) = (self.scalar(inst.args[1])?, self.scalar(inst.args[2])?);
                self.insert_at(ty, &regs, at, value)
            }
        }
    }

    fn bitcast(&mut self, inst: &Inst) -> Lowered<ValueRegs> {
        let (from, to) = (self.shape(inst.args[0])?, self.shape_of(inst.ty)?);
        let regs = self.value_regs(inst.args[0])?;
        match (from.class, to.class) {
            (RegClass::Int, RegClass::Float) => Ok(one(self.vector_of(regs[0], from.bits))),
            (RegClass::Float, RegClass::Int) => Ok(one(self.general_of(regs[0], to.bits))),
            _ if regs.len() == to.count => Ok(regs),
            _ => Err(CodegenBug("a bit cast between registers of other sizes")),
        }
    }

    /// Loads an integer of 32 or 64 bits, or a pointer, to the lowest lane of a vector register, if nothing else needs it.
    fn lane_from_memory(&mut self, value: Value) -> Lowered<Option<VReg>> {
        let vec_op = match self.source.ty(value).bits() {
            32 => VecOp::Vmovss,
            64 => VecOp::Vmovsd,
            _ => return Ok(None),
        };
        let Some(load) = self.source.def_inst(value).filter(|_| self.is_foldable_load(value)) else {
            return Ok(None);
        };
        let address = self.address(load.args[0])?;
        Ok(Some(self.vector1(vec_op, Size::X, address)))
    }

    /// Moves a general register to the lowest lane of a vector register.
    pub fn vector_of(&mut self, register: VReg, bits: u32) -> VReg {
        let result = self.code.vreg(RegClass::Float);
        let build = if bits == 64 {
            InstBuilder::vec_op(VecOp::Vmovq, Size::X).def(result).read(register)
        } else {
            InstBuilder::vec_op(VecOp::Vmovd, Size::X).def(result).read_as(register, View::Dword)
        };
        self.emitted.push(build);
        result
    }

    /// Moves the lowest lane of a vector register to a general register.
    pub fn general_of(&mut self, register: VReg, bits: u32) -> VReg {
        let result = self.general();
        let build = if bits == 64 {
            InstBuilder::vec_op(VecOp::Vmovqs, Size::X).def(result).read(register)
        } else {
            InstBuilder::vec_op(VecOp::Vmovds, Size::X).def_as(result, View::Dword).read(register)
        };
        self.emitted.push(build);
        result
    }

    /// Lowers a splat of a scalar.
    fn splat(&mut self, inst: &Inst) -> Lowered<ValueRegs> {
        let shape = self.shape_of(inst.ty)?;
        let (vec_op, from_general) = match shape.bits {
            8 => (VecOp::Vpbroadcastb, VecOp::Vpbroadcastbr),
            16 => (VecOp::Vpbroadcastw, VecOp::Vpbroadcastwr),
            32 => (VecOp::Vpbroadcastd, VecOp::Vpbroadcastdr),
            _ => (VecOp::Vpbroadcastq, VecOp::Vpbroadcastqr),
        };
        let origin = self.origin(inst.args[0]);
        let register = if self.is_foldable_load(origin)
            && let Some(load) = self.source.def_inst(origin)
            && load.op == Op::Load
        {
            let address = self.address(load.args[0])?;
            self.vector1(vec_op, shape.size, address)
        } else {
            let scalar = self.scalar(inst.args[0])?;
            self.splat_register(shape, vec_op, from_general, scalar)
        };
        Ok(ValueRegs::from_elem(register, shape.count))
    }

    fn splat_register(&mut self, shape: RegShape, vec_op: VecOp, from_general: VecOp, scalar: VReg) -> VReg {
        if scalar.class() == RegClass::Float {
            return self.vector1(vec_op, shape.size, scalar);
        }
        if !self.target.avx512 {
            let low = self.vector_of(scalar, shape.bits);
            return self.vector1(vec_op, shape.size, low);
        }
        self.note_size(shape.size);
        let result = self.code.vreg(RegClass::Float);
        let view = if shape.bits == 64 { View::Qword } else { View::Dword };
        self.emitted.push(InstBuilder::vec_op(from_general, shape.size).def(result).read_as(scalar, view));
        result
    }

    /// Splats a scalar of 64 bits.
    pub fn splat_qword(&mut self, shape: RegShape, scalar: VReg) -> VReg {
        self.splat_register(shape, VecOp::Vpbroadcastq, VecOp::Vpbroadcastqr, scalar)
    }

    /// Extracts a lane with a constant index.
    pub fn extract_lane(&mut self, from: Type, regs: &ValueRegs, lane: usize) -> Lowered<VReg> {
        let shape = self.shape_of(from)?;
        let (reg, inside) = (regs[lane / shape.lanes], (lane % shape.lanes) as u32);
        let bytes = shape.bits / 8;
        if from.kind.is_float() {
            return Ok(self.extract_segment(reg, shape.size, inside * bytes, bytes));
        }
        let each = 16 / bytes;
        let quarter = inside / each;
        let reg = if quarter == 0 {
            reg
        } else {
            self.vector1i(VecOp::Vextract128, shape.size, reg, quarter as u8)
        };
        let at = (inside % each) as u8;
        if at == 0 {
            return Ok(self.general_of(reg, shape.bits));
        }
        let (vec_op, view) = match shape.bits {
            8 => (VecOp::Vpextrb, View::Dword),
            16 => (VecOp::Vpextrw, View::Dword),
            32 => (VecOp::Vpextrd, View::Dword),
            _ => (VecOp::Vpextrq, View::Qword),
        };
        let result = self.general();
        self.emitted.push(InstBuilder::vec_op(vec_op, Size::X).def_as(result, view).read(reg).imm8(at));
        Ok(result)
    }

    /// Replaces a lane with a constant index.
    pub fn insert_lane(
        &mut self,
        ty: Type,
        mut regs: ValueRegs,
        lane: usize,
        value: VReg,
    ) -> Lowered<ValueRegs> {
        let shape = self.shape_of(ty)?;
        let (chunk, inside) = (lane / shape.lanes, (lane % shape.lanes) as u32);
        let each = 128 / shape.bits;
        let (quarter, at) = (inside / each, (inside % each) as u8);
        let whole = regs[chunk];
        let old = if quarter == 0 {
            whole
        } else {
            self.vector1i(VecOp::Vextract128, shape.size, whole, quarter as u8)
        };
        let new = self.insert_into(ty.kind, old, at, value);
        regs[chunk] = if shape.size == Size::X {
            new
        } else {
            self.vector2i(VecOp::Vinsert128, shape.size, whole, new, quarter as u8)
        };
        Ok(regs)
    }

    /// Replaces a lane of a register of 128 bits.
    fn insert_into(&mut self, kind: Kind, old: VReg, at: u8, value: VReg) -> VReg {
        match kind {
            Kind::F32 => return self.vector2i(VecOp::Vinsertps, Size::X, old, value, at << 4),
            Kind::F64 if at == 0 => return self.vector2i(VecOp::Vshufpd, Size::X, value, old, 2),
            Kind::F64 => return self.vector2(VecOp::Vpunpcklqdq, Size::X, old, value),
            _ => {}
        }
        let value = if kind == Kind::F16 { self.half_bits(value) } else { value };
        let (vec_op, view) = match kind.bits() {
            0..=8 => (VecOp::Vpinsrb, View::Dword),
            16 => (VecOp::Vpinsrw, View::Dword),
            32 => (VecOp::Vpinsrd, View::Dword),
            _ => (VecOp::Vpinsrq, View::Qword),
        };
        let result = self.code.vreg(RegClass::Float);
        self.emitted
            .push(InstBuilder::vec_op(vec_op, Size::X).def(result).read(old).read_as(value, view).imm8(at));
        result
    }

    /// Builds a vector from scalars.
    pub fn build_vector(&mut self, ty: Type, lanes: &[VReg]) -> Lowered<ValueRegs> {
        let shape = self.shape_of(ty)?;
        let mut segments: ValueRegs = lanes
            .iter()
            .map(|&lane| if lane.class() == RegClass::Int { self.vector_of(lane, shape.bits) } else { lane })
            .collect();
        while let Some(&last) = segments.last()
            && segments.len() < shape.lanes * shape.count
        {
            segments.push(last);
        }
        Ok(self.join_regs(&segments, RegShape { lanes: 1, ..shape }, shape))
    }

    /// Stores a vector to a new stack slot.
    pub fn store_to_new_slot(&mut self, shape: RegShape, regs: &ValueRegs) -> u32 {
        let slot = self.slot(shape.size.bytes() * shape.count as u32, 64);
        self.store_regs(regs, shape, Amode::frame(slot, 0));
        slot
    }

    /// Extracts the lane with index `at`, modulo the number of lanes, through memory.
    pub fn extract_at(&mut self, from: Type, regs: &ValueRegs, at: VReg) -> Lowered<VReg> {
        let shape = self.shape_of(from)?;
        let slot = self.store_to_new_slot(shape, regs);
        let index = self.lane_number(from.lanes, at)?;
        let lane_address = Amode { index: Some((index, (shape.bits / 8) as u8)), ..Amode::frame(slot, 0) };
        Ok(self.load_scalar(from.kind, lane_address))
    }

    /// Replaces the lane with index `at`, modulo the number of lanes, through memory.
    pub fn insert_at(&mut self, ty: Type, regs: &ValueRegs, at: VReg, value: VReg) -> Lowered<ValueRegs> {
        let shape = self.shape_of(ty)?;
        let slot = self.store_to_new_slot(shape, regs);
        let index = self.lane_number(ty.lanes, at)?;
        let lane_address = Amode { index: Some((index, (shape.bits / 8) as u8)), ..Amode::frame(slot, 0) };
        self.store_scalar(ty.kind, lane_address, value);
        Ok(self.load_regs(shape, Amode::frame(slot, 0)))
    }

    /// Shuffles lanes of two vectors of one type.
    pub fn shuffle(
        &mut self,
        from: Type,
        a: &ValueRegs,
        b: &ValueRegs,
        picks: &[u16],
        to: Type,
    ) -> Lowered<ValueRegs> {
        let (source, target) = (self.shape_of(from)?, self.shape_of(to)?);
        let registers: ValueRegs = a.iter().chain(b).copied().collect();
        let lanes = usize::from(from.lanes);
        let pick = |&pick: &u16| {
            let pick = usize::from(pick);
            let (base, lane) = if pick < lanes { (0, pick) } else { (a.len(), pick - lanes) };
            let register = base + lane / source.lanes;
            // Equal registers are unified.
            let first = registers.iter().position(|r| *r == registers[register]).unwrap_or(register);
            (first, lane % source.lanes)
        };
        let picks: Vec<Pick> = picks.iter().map(pick).collect();
        let (mut regs, mut cache) = (ValueRegs::new(), ShuffleCache::new());
        for picks in picks.chunks(target.lanes) {
            regs.push(self.shuffle_one(&registers, source, target, picks, &mut cache)?);
        }
        Ok(regs)
    }

    /// Computes one register of a shuffle.
    fn shuffle_one(
        &mut self,
        registers: &ValueRegs,
        source: RegShape,
        target: RegShape,
        picks: &[Pick],
        cache: &mut ShuffleCache,
    ) -> Lowered<VReg> {
        let (first, lane) = picks[0];
        let bytes = picks.len() as u32 * source.bits / 8;
        let is_run = picks.iter().enumerate().all(|(i, &pick)| pick == (first, lane + i));
        if is_run && (lane == 0 || picks.len().is_power_of_two() && lane.is_multiple_of(picks.len())) {
            return Ok(self.extract_segment(
                registers[first],
                source.size,
                lane as u32 * source.bits / 8,
                bytes,
            ));
        }
        // Whole registers are concatenated.
        if target.lanes > source.lanes && picks.len().is_multiple_of(source.lanes) {
            let is_whole =
                |picks: &[Pick]| picks.iter().enumerate().all(|(i, &pick)| pick == (picks[0].0, i));
            if picks.chunks(source.lanes).all(is_whole) {
                let segments: ValueRegs =
                    picks.chunks(source.lanes).map(|picks| registers[picks[0].0]).collect();
                let joined = self.join_regs(&segments, source, target);
                return Self::first(&joined);
            }
        }
        if picks.iter().all(|pick| *pick == picks[0]) {
            let low = self.extract_segment(
                registers[first],
                source.size,
                lane as u32 * source.bits / 8,
                source.bits / 8,
            );
            let vec_op = match source.bits {
                8 => VecOp::Vpbroadcastb,
                16 => VecOp::Vpbroadcastw,
                32 => VecOp::Vpbroadcastd,
                _ => VecOp::Vpbroadcastq,
            };
            return Ok(self.vector1(vec_op, target.size, low));
        }
        let picked = Picked { bits: source.bits, size: source.size.max(target.size), picks };
        self.permute(registers, &picked, cache)
    }

    fn first(regs: &ValueRegs) -> Lowered<VReg> {
        regs.first().copied().ok_or(CodegenBug("a value without registers"))
    }

    /// Permutes lanes of any number of registers.
    pub fn permute(
        &mut self,
        registers: &ValueRegs,
        picked: &Picked<'_>,
        cache: &mut ShuffleCache,
    ) -> Lowered<VReg> {
        if !self.target.avx512 && picked.bits >= 32 {
            return Ok(self.permute_dwords(registers, (picked.bits, picked.size), picked.picks, cache));
        }
        let mut used: Vec<usize> = picked.picks.iter().map(|pick| pick.0).collect();
        used.sort_unstable();
        used.dedup();
        if !self.target.avx512 {
            return Ok(self.permute_by_bytes(registers, &used, picked, cache));
        }
        if picked.bits >= 32
            && used.len() <= 2
            && let Some(found) = self.permute_within_segments(
                registers,
                &used,
                (picked.bits, picked.size),
                picked.picks,
                cache,
            )
        {
            return Ok(found);
        }
        let size =
            if picked.bits >= 32 || picked.size > Size::X { picked.size.max(Size::Y) } else { Size::X };
        let by_words = picked.bits == 8 && !self.target.features.vbmi;
        if by_words && size == Size::X {
            return Ok(self.permute_by_bytes(registers, &used, picked, cache));
        }
        let mut result: Option<VReg> = None;
        for pair in used.chunks(2) {
            let reg = if by_words {
                self.permute_bytes(registers, pair, size, picked)
            } else {
                self.permute_pair(registers, pair, size, picked)
            };
            result = Some(match result {
                None => reg,
                Some(before) => {
                    let is_from_pair = |pick: &Pick| pair.contains(&pick.0);
                    let bits = picked
                        .picks
                        .iter()
                        .enumerate()
                        .fold(0, |all, (i, pick)| all | u64::from(is_from_pair(pick)) << i);
                    let mask = self.code.vreg(RegClass::Vector);
                    let general = self.integer(bits);
                    let code = iced_x86::Code::VEX_Kmovq_kr_r64;
                    self.emitted.push(InstBuilder::code(code).def(mask).read(general));
                    let vec_op = match picked.bits {
                        8 => VecOp::Vpblendmb,
                        16 => VecOp::Vpblendmw,
                        32 => VecOp::Vpblendmd,
                        _ => VecOp::Vpblendmq,
                    };
                    self.vector2_masked(vec_op, size, before, reg, mask)
                }
            });
        }
        result.ok_or(CodegenBug("a shuffle of nothing"))
    }

    /// Returns a constant of lane indices, in memory.
    pub fn order(&mut self, bits: u32, size: Size, numbers: impl Iterator<Item = u64>) -> Amode {
        let mut bytes: Vec<u8> =
            numbers.flat_map(|number| number.to_le_bytes()[..bits as usize / 8].to_vec()).collect();
        bytes.resize(size.bytes() as usize, 0);
        Amode::pool(self.code.pool.add(bytes))
    }

    /// Permutes lanes of one or two registers. Lanes that come from other registers are arbitrary.
    fn permute_pair(
        &mut self,
        registers: &ValueRegs,
        pair: &[usize],
        size: Size,
        picked: &Picked<'_>,
    ) -> VReg {
        let numbers = Self::numbers(pair, size, picked);
        let order = self.order(picked.bits, size, numbers.into_iter());
        let order = self.vector1(VecOp::Vmovdqu, size, order);
        let pair: ValueRegs = pair.iter().map(|&register| registers[register]).collect();
        self.permute_by(size, picked.bits, order, &pair)
    }

    /// Returns the lane indices in the concatenation of one or two registers.
    fn numbers(pair: &[usize], size: Size, picked: &Picked<'_>) -> Vec<u64> {
        let lanes = u64::from(size.bytes() * 8 / picked.bits);
        let number = |pick: &Pick| {
            let which = pair.iter().position(|&register| register == pick.0).unwrap_or(0);
            pick.1 as u64 + which as u64 * lanes
        };
        picked.picks.iter().map(number).collect()
    }

    /// Permutes bytes of one or two registers with instructions that permute words: one permutation provides the words
    /// with the bytes for even positions, one those for odd positions, and `vpshufb` selects the bytes.
    fn permute_bytes(
        &mut self,
        registers: &ValueRegs,
        pair: &[usize],
        size: Size,
        picked: &Picked<'_>,
    ) -> VReg {
        let numbers = Self::numbers(pair, size, picked);
        let pair: ValueRegs = pair.iter().map(|&register| registers[register]).collect();
        let [even, odd] = [0, 1].map(|odd| {
            let own_numbers = || numbers.iter().skip(odd).step_by(2);
            let order = self.order(16, size, own_numbers().map(|number| number / 2));
            let order = self.vector1(VecOp::Vmovdqu, size, order);
            let words = self.permute_by(size, 16, order, &pair);
            let mut indices = vec![0x80u8; size.bytes() as usize];
            for (word, number) in own_numbers().enumerate() {
                indices[2 * word + odd] = (2 * word % 16) as u8 + (number % 2) as u8;
            }
            let indices = self.code.pool.add(indices);
            self.vector2(VecOp::Vpshufb, size, words, Amode::pool(indices))
        });
        self.vector2(VecOp::Vpor, size, even, odd)
    }

    /// Permutes lanes of one or two registers by the indices in `order`.
    pub fn permute_by(&mut self, size: Size, bits: u32, order: VReg, pair: &[VReg]) -> VReg {
        let &[first, second] = pair else {
            let vec_op = match bits {
                8 => VecOp::Vpermb,
                16 => VecOp::Vpermw,
                32 => VecOp::Vpermd,
                _ => VecOp::Vpermvq,
            };
            return self.vector2(vec_op, size, order, pair[0]);
        };
        let vec_op = match bits {
            8 => VecOp::Vpermt2b,
            16 => VecOp::Vpermt2w,
            32 => VecOp::Vpermt2d,
            _ => VecOp::Vpermt2q,
        };
        self.note_size(size);
        let result = self.code.vreg(RegClass::Float);
        let build = InstBuilder::vec_op(vec_op, size).reuse_def(first, result);
        self.emitted.push(build.read(order).read(second));
        result
    }

    /// Permutes lanes without AVX-512: moves the bytes of each register to their positions, and combines the results.
    fn permute_by_bytes(
        &mut self,
        registers: &ValueRegs,
        used: &[usize],
        picked: &Picked<'_>,
        cache: &mut ShuffleCache,
    ) -> VReg {
        let step = picked.bits as usize / 8;
        let size = picked.size;
        let mut result: Option<VReg> = None;
        for &register in used {
            // For each byte of the result, the byte of this register that it comes from.
            let mut bytes: Vec<Option<usize>> = Vec::new();
            for pick in picked.picks {
                let is_from_register = pick.0 == register;
                bytes.extend((0..step).map(|byte| is_from_register.then_some(pick.1 * step + byte)));
            }
            bytes.resize(size.bytes() as usize, None);
            let reg = self.place_bytes(registers[register], size, &bytes, cache);
            result = Some(match result {
                Some(before) => self.vector2(VecOp::Vpor, size, before, reg),
                None => reg,
            });
        }
        result.unwrap_or(registers[0])
    }

    /// Moves bytes of one register to other positions, with zeros between them.
    fn place_bytes(
        &mut self,
        register: VReg,
        size: Size,
        bytes: &[Option<usize>],
        cache: &mut ShuffleCache,
    ) -> VReg {
        let order = |crossed: bool| -> Vec<u8> {
            let byte_index = |(at, byte): (usize, &Option<usize>)| match byte {
                Some(byte) if (byte / 16 != at / 16) == crossed => (byte % 16) as u8,
                _ => 0x80,
            };
            bytes.iter().enumerate().map(byte_index).collect()
        };
        let within = order(false);
        let within = Amode::pool(self.code.pool.add(within));
        let placed = self.vector2(VecOp::Vpshufb, size, register, within);
        let crossing = order(true);
        if size == Size::X || crossing.iter().all(|byte| *byte == 0x80) {
            return placed;
        }
        let swapped = self.cached_op(cache, (VecOp::Vpermqi, register, register, 0x4e), Size::Y);
        let crossing = Amode::pool(self.code.pool.add(crossing));
        let crossed = self.vector2(VecOp::Vpshufb, size, swapped, crossing);
        self.vector2(VecOp::Vpor, size, placed, crossed)
    }
}
