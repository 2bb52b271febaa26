//! Half precision. Cranelift supports neither arithmetic nor conversions of halves, so arithmetic is done in float,
//! and conversions are written out in integer operations (after F. Giesen, "Float->half conversion").
//!
//! Halves are 16-bit lanes. For arithmetic they are converted to *chunks*, 128-bit vectors of four 32-bit lanes,
//! some of which may be padding. A scalar has a chunk of its own, which avoids moves between integer and vector
//! registers. No step has a denormal float as its result, nor one as an operand whose value matters, so denormal
//! halves survive on a thread that flushes denormals.
//!
//! The result of an operation is kept both as halves and as floats with the same values. Cranelift removes the form
//! that is not used, so a chain of operations only rounds in between.

use cranelift_codegen::ir::condcodes::{FloatCC, IntCC};
use cranelift_codegen::ir::{self as clif, InstBuilder, types};

use super::packed;
use super::parts::{ClifParts, layout};
use super::translate::Translator;
use grus_ir::analysis::Cfg;
use grus_ir::{Conversion, FloatUnary, Inst, Kind, Op, Type, Value};
use grus_support::f16;

/// Vectors of four 32-bit lanes.
pub(super) type Chunks = ClifParts;

/// Number of lanes of a chunk.
const FOUR: usize = 4;
/// 2^-14, the smallest normal half, as the bits of a float.
const SMALLEST_NORMAL: u64 = 113 << 23;
/// 2^16, which is beyond the largest half, as the bits of a float.
const TOO_LARGE: u64 = 143 << 23;

impl Translator<'_> {
    /// Finds the loop parameters that receive computed halves: they are passed as floats in addition.
    pub(super) fn find_carried_halves(&mut self, cfg: &Cfg) {
        for &block in cfg.rpo() {
            let targets = self.source.blocks[block].insts.iter().flat_map(|&i| &self.source.insts[i].targets);
            for target in targets.filter(|t| self.loops.is_header(t.block)) {
                let params = &self.source.blocks[target.block].params;
                for (&arg, &param) in target.args.iter().zip(params) {
                    let computed = self.source.def_inst(arg).is_some_and(|def| def.op == Op::Fptrunc);
                    if computed && self.source.ty(arg).kind == Kind::F16 {
                        self.carried_halves.insert(param);
                    }
                }
            }
        }
    }

    /// Appends the block parameters for the floats of a loop parameter.
    pub(super) fn append_carried(&mut self, param: Value, block: clif::Block) {
        if self.carried_halves.contains(&param) {
            let chunks = usize::from(self.source.ty(param).lanes).div_ceil(FOUR);
            let floats =
                (0..chunks).map(|_| self.func().dfg.append_block_param(block, types::F32X4)).collect();
            self.half_floats.insert(param, floats);
        }
    }

    /// Returns the halves of a value as floats.
    pub(super) fn widen_halves(&mut self, value: Value) -> Chunks {
        if let Some(floats) = self.half_floats.get(&value) {
            return floats.clone();
        }
        let ty = self.source.ty(value);
        if let Some(bits) = self.constant_half(value) {
            let float = self.all_lanes(u64::from(f16::to_f32(bits).to_bits()));
            let float = self.as_float(float);
            return Chunks::from_elem(float, usize::from(ty.lanes).div_ceil(FOUR));
        }
        if let Some(&word) = self.packed.get(&value) {
            let register = self.register(types::I16, word);
            let mut chunks = Chunks::from_elem(self.ins().uwiden_low(register), 1);
            if usize::from(ty.lanes) > FOUR {
                chunks.push(self.ins().uwiden_high(register));
            }
            return chunks.into_iter().map(|g| self.float_of_half(g)).collect();
        }
        let parts = self.values[value].clone();
        self.chunk_halves(ty, &parts).into_iter().map(|g| self.float_of_half(g)).collect()
    }

    /// Returns the bits of a constant whose lanes are equal.
    fn constant_half(&self, value: Value) -> Option<u16> {
        let def = self.source.def_inst(value)?;
        match def.op {
            Op::Fconst => Some(def.int() as u16),
            Op::Splat => self.constant_half(def.args[0]),
            _ => None,
        }
    }

    /// Rounds results that were computed in float, records the floats, and returns the halves.
    fn half_result(&mut self, inst: &Inst, results: &[clif::Value]) -> ClifParts {
        if let Some(result) = inst.result {
            let rounded = results.iter().map(|&g| self.round_to_half(g)).collect();
            self.half_floats.insert(result, rounded);
        }
        self.narrow_to_halves(inst, results)
    }

    /// Converts floats to the nearest halves.
    fn narrow_to_halves(&mut self, inst: &Inst, chunks: &[clif::Value]) -> ClifParts {
        let ty = inst.ty;
        let halves: Chunks = chunks.iter().map(|&g| self.half_of_float(g)).collect();
        if layout(ty).lanes_per_part > 1 {
            return halves.chunks(2).map(|two| self.ins().unarrow(two[0], two[1])).collect();
        }
        if packed::word(ty).is_some() {
            let register = self.ins().unarrow(halves[0], halves[0]);
            return self.take_registers(inst, &ClifParts::from_elem(register, 1));
        }
        let lanes = self.lanes_of_chunks(usize::from(ty.lanes), &halves);
        lanes.into_iter().map(|lane| self.ins().ireduce(types::I16, lane)).collect()
    }

    /// Returns halves as chunks, zero-extended.
    fn chunk_halves(&mut self, ty: Type, parts: &ClifParts) -> Chunks {
        if layout(ty).lanes_per_part > 1 {
            let mut chunks = Chunks::new();
            for &part in parts {
                chunks.push(self.ins().uwiden_low(part));
                chunks.push(self.ins().uwiden_high(part));
            }
            return chunks;
        }
        let lanes: Vec<clif::Value> =
            parts.iter().map(|&lane| self.ins().uextend(types::I32, lane)).collect();
        self.chunk(types::I32X4, &lanes)
    }

    /// Builds chunks from scalars; the padding is zero, which slows down no operation.
    fn chunk(&mut self, vector: clif::Type, lanes: &[clif::Value]) -> Chunks {
        let mut chunks = Chunks::new();
        for four in lanes.chunks(FOUR) {
            let mut chunk = self.ins().scalar_to_vector(vector, four[0]);
            for (i, &lane) in four.iter().enumerate().skip(1) {
                chunk = self.ins().insertlane(chunk, lane, i as u8);
            }
            chunks.push(chunk);
        }
        chunks
    }

    /// Extracts the lanes of chunks.
    fn lanes_of_chunks(&mut self, lanes: usize, chunks: &[clif::Value]) -> Vec<clif::Value> {
        (0..lanes).map(|lane| self.ins().extractlane(chunks[lane / FOUR], (lane % FOUR) as u8)).collect()
    }

    /// Converts chunks of floats to the parts of a float value.
    fn floats_of_chunks(&mut self, ty: Type, chunks: Chunks) -> ClifParts {
        if layout(ty).lanes_per_part > 1 {
            return chunks;
        }
        self.lanes_of_chunks(usize::from(ty.lanes), &chunks).into()
    }

    /// Converts the parts of a float value to chunks.
    fn chunks_of_floats(&mut self, ty: Type, parts: ClifParts) -> Chunks {
        if layout(ty).lanes_per_part > 1 {
            return parts;
        }
        self.chunk(types::F32X4, &parts)
    }

    /// Returns a vector with a constant in every lane.
    fn all_lanes(&mut self, bits: u64) -> clif::Value {
        let one = self.integer(types::I32, bits);
        self.ins().splat(types::I32X4, one)
    }

    /// Selects `yes` in lanes in which `a` compares (signed) to `bound`, and `no` elsewhere.
    fn pick(
        &mut self,
        cond: IntCC,
        a: clif::Value,
        bound: u64,
        yes: clif::Value,
        no: clif::Value,
    ) -> clif::Value {
        let bound = self.all_lanes(bound);
        let truth = self.ins().icmp(cond, a, bound);
        self.ins().bitselect(truth, yes, no)
    }

    fn shift_left(&mut self, a: clif::Value, count: u64) -> clif::Value {
        let count = self.integer(types::I32, count);
        self.ins().ishl(a, count)
    }

    fn shift_right(&mut self, a: clif::Value, count: u64) -> clif::Value {
        let count = self.integer(types::I32, count);
        self.ins().ushr(a, count)
    }

    fn masked(&mut self, a: clif::Value, bits: u64) -> clif::Value {
        let bits = self.all_lanes(bits);
        self.ins().band(a, bits)
    }

    fn plus(&mut self, a: clif::Value, bits: u64) -> clif::Value {
        let bits = self.all_lanes(bits);
        self.ins().iadd(a, bits)
    }

    fn as_float(&mut self, a: clif::Value) -> clif::Value {
        self.ins().bitcast(types::F32X4, super::memory::little(), a)
    }

    fn as_int(&mut self, a: clif::Value) -> clif::Value {
        self.ins().bitcast(types::I32X4, super::memory::little(), a)
    }

    /// Converts zero-extended half bits to float, exactly; NaNs become quiet.
    fn float_of_half(&mut self, half: clif::Value) -> clif::Value {
        let magnitude = self.masked(half, 0x7fff);
        let sign = self.ins().bxor(half, magnitude);
        let sign = self.shift_left(sign, 16);
        // The exponent is rebiased, and that of infinity and NaN becomes the largest one. Denormals get an implicit
        // leading bit, which the subtraction removes again; for other values it subtracts zero.
        let bits = self.shift_left(magnitude, 13);
        let normal = self.all_lanes(112 << 23);
        let special = self.all_lanes(224 << 23);
        let small = self.all_lanes(SMALLEST_NORMAL);
        let zero = self.all_lanes(0);
        let large = self.pick(IntCC::SignedGreaterThan, magnitude, 0x7bff, special, normal);
        let bias = self.pick(IntCC::SignedGreaterThan, magnitude, 0x3ff, large, small);
        let excess = self.pick(IntCC::SignedGreaterThan, magnitude, 0x3ff, zero, small);
        let biased = self.ins().iadd(bits, bias);
        let (biased, excess) = (self.as_float(biased), self.as_float(excess));
        let value = self.ins().fsub(biased, excess);
        let value = self.as_int(value);
        let value = self.ins().bor(value, sign);
        self.as_float(value)
    }

    /// Converts a float to the bits of the nearest half, ties to even; a NaN keeps the upper bits of its payload.
    fn half_of_float(&mut self, float: clif::Value) -> clif::Value {
        let bits = self.as_int(float);
        let magnitude = self.masked(bits, 0x7fff_ffff);
        let upper = self.shift_right(bits, 16);
        let sign = self.masked(upper, 0x8000);
        let cut = self.shift_right(magnitude, 13);
        // Normal results: rebias the exponent and add just less than half a unit in the last place, or exactly half
        // if the last bit is odd. A carry increments the exponent, and turns the largest value into infinity.
        let odd = self.masked(cut, 1);
        let normal = self.plus(magnitude, 0xc800_0fff);
        let normal = self.ins().iadd(normal, odd);
        let normal = self.shift_right(normal, 13);
        // Denormal results: adding 1/2 rounds at the last place of the half.
        let one_half = self.all_lanes(126 << 23);
        let (a, b) = (self.as_float(magnitude), self.as_float(one_half));
        let sum = self.ins().fadd(a, b);
        let sum = self.as_int(sum);
        let denormal = self.ins().isub(sum, one_half);
        let payload = self.masked(cut, 0x3ff);
        let quiet = self.all_lanes(0x7e00);
        let nan = self.ins().bor(payload, quiet);
        let infinity = self.all_lanes(0x7c00);
        let special = self.pick(IntCC::SignedGreaterThan, magnitude, 0x7f80_0000, nan, infinity);
        let finite = self.pick(IntCC::SignedGreaterThan, magnitude, SMALLEST_NORMAL - 1, normal, denormal);
        let half = self.pick(IntCC::SignedGreaterThan, magnitude, TOO_LARGE - 1, special, finite);
        self.ins().bor(half, sign)
    }

    /// Rounds a float to the value of the nearest half. Adding 2^13 times the value's power of two shifts out the
    /// bits that a half does not have; subtracting it again is exact.
    fn round_to_half(&mut self, float: clif::Value) -> clif::Value {
        let bits = self.as_int(float);
        let magnitude = self.masked(bits, 0x7fff_ffff);
        let sign = self.ins().bxor(bits, magnitude);
        let exponent = self.masked(bits, 0x7f80_0000);
        let (least, most) = (self.all_lanes(SMALLEST_NORMAL), self.all_lanes(TOO_LARGE));
        let exponent = self.ins().smax(exponent, least);
        let exponent = self.ins().smin(exponent, most);
        let above = self.plus(exponent, 13 << 23);
        let (magnitude, above) = (self.as_float(magnitude), self.as_float(above));
        let sum = self.ins().fadd(magnitude, above);
        let rounded = self.ins().fsub(sum, above);
        let limit = self.as_float(most);
        let overflows = self.ins().fcmp(FloatCC::GreaterThanOrEqual, rounded, limit);
        let rounded = self.as_int(rounded);
        // Only the payload of a NaN has bits below these.
        let rounded = self.masked(rounded, 0xffff_e000);
        let infinity = self.all_lanes(0x7f80_0000);
        let rounded = self.ins().bitselect(overflows, infinity, rounded);
        let rounded = self.ins().bor(rounded, sign);
        self.as_float(rounded)
    }

    /// Converts a double to a float that rounds to the same half: the truncated bits are combined into a sticky
    /// bit.
    fn float_for_half(&mut self, double: clif::Value) -> clif::Value {
        // The bits of doubles are in vector registers already, so the conversion is done there.
        let double = self.ins().scalar_to_vector(types::F64X2, double);
        let bits = self.ins().bitcast(types::I64X2, super::memory::little(), double);
        let rest = self.integer(types::I64, (1 << 29) - 1);
        let rest = self.ins().splat(types::I64X2, rest);
        // The addition carries into the lowest kept bit unless the truncated bits are zero.
        let low = self.ins().band(bits, rest);
        let carry = self.ins().iadd(low, rest);
        let sticky = self.ins().bor(bits, carry);
        let exact = self.ins().band_not(sticky, rest);
        let exact = self.ins().bitcast(types::F64X2, super::memory::little(), exact);
        let exact = self.ins().extractlane(exact, 0);
        self.ins().fdemote(types::F32, exact)
    }

    /// Translates conversions from and to half.
    pub(super) fn convert_half(&mut self, inst: &Inst, op: Conversion) -> ClifParts {
        let (from, to) = (self.arg_type(inst, 0), inst.ty);
        let parts = self.arg(inst, 0);
        if from.kind == Kind::F16 {
            let chunks = self.widen_halves(inst.args[0]);
            if to.kind == Kind::F32 {
                return self.floats_of_chunks(to, chunks);
            }
            let lanes = self.lanes_of_chunks(usize::from(from.lanes), &chunks);
            let lanes: Vec<clif::Value> =
                lanes.into_iter().map(|lane| self.convert_lane(op, Kind::F32, to.kind, lane)).collect();
            return self.join_lanes(to, &lanes);
        }
        if from.kind == Kind::F32 {
            let chunks = self.chunks_of_floats(from, parts);
            return self.half_result(inst, &chunks);
        }
        let lanes = self.split_lanes(from, &parts);
        let lanes: Vec<clif::Value> = lanes.into_iter().map(|lane| self.float_for_half(lane)).collect();
        let chunks = self.chunk(types::F32X4, &lanes);
        self.half_result(inst, &chunks)
    }

    /// Returns a constant in every 16-bit lane of a part.
    fn half_lanes(&mut self, part: clif::Value, bits: u64) -> clif::Value {
        let ty = self.func().dfg.value_type(part);
        let one = self.integer(types::I16, bits);
        if ty.is_vector() { self.ins().splat(ty, one) } else { one }
    }

    pub(super) fn half_copysign(&mut self, a: clif::Value, b: clif::Value) -> clif::Value {
        let (sign, magnitude) = (self.half_lanes(a, 0x8000), self.half_lanes(a, 0x7fff));
        let (sign, rest) = (self.ins().band(b, sign), self.ins().band(a, magnitude));
        self.ins().bor(sign, rest)
    }

    pub(super) fn half_unary(&mut self, inst: &Inst, op: FloatUnary) -> ClifParts {
        let arg = inst.args[0];
        // The op is exact on the floats too, if they are known.
        if let (Some(floats), Some(result)) = (self.half_floats.get(&arg).cloned(), inst.result) {
            let results: Chunks = floats.into_iter().map(|a| self.float1(op, a)).collect();
            self.half_floats.insert(result, results);
        }
        let change = |t: &mut Self, part| {
            if op == FloatUnary::Fneg {
                let sign = t.half_lanes(part, 0x8000);
                t.ins().bxor(part, sign)
            } else {
                let magnitude = t.half_lanes(part, 0x7fff);
                t.ins().band(part, magnitude)
            }
        };
        self.arg(inst, 0).into_iter().map(|part| change(self, part)).collect()
    }
}
