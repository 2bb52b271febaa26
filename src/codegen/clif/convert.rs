//! Conversions and bit casts.

use cranelift_codegen::ir::{self as clif, InstBuilder, types};

use super::packed;
use super::parts::{ClifParts, lane_type, layout};
use super::translate::Translator;
use grus_ir::{Conversion, Inst, Kind, Type};

impl Translator<'_> {
    pub(super) fn convert(&mut self, inst: &Inst, op: Conversion) -> ClifParts {
        let (from, to) = (self.arg_type(inst, 0), inst.ty);
        if from.is_mask() {
            return self.extend_mask(inst, op);
        }
        if to.is_mask() {
            return self.truncate_to_mask(inst);
        }
        if from.kind == Kind::F16 || to.kind == Kind::F16 {
            return self.convert_half(inst, op);
        }
        if let Some(result) = self.convert_packed(inst, op) {
            return result;
        }
        let parts = self.arg(inst, 0);
        if let Some(result) = self.convert_vectors(op, from, to, &parts) {
            return result;
        }
        let lanes = self.split_lanes(from, &parts);
        let lanes: Vec<clif::Value> =
            lanes.into_iter().map(|lane| self.convert_lane(op, from.kind, to.kind, lane)).collect();
        self.join_lanes(to, &lanes)
    }

    /// Translates the conversions that Cranelift supports on whole vectors.
    fn convert_vectors(
        &mut self,
        op: Conversion,
        from: Type,
        to: Type,
        parts: &ClifParts,
    ) -> Option<ClifParts> {
        let vector = layout(from).lanes_per_part > 1 && layout(to).lanes_per_part > 1;
        let op = match (op, from.kind, to.kind) {
            (Conversion::Sitofp, Kind::I32, Kind::F32) => clif::Opcode::FcvtFromSint,
            (Conversion::Uitofp, Kind::I32, Kind::F32) => clif::Opcode::FcvtFromUint,
            (Conversion::Fptosi, Kind::F32, Kind::I32) => clif::Opcode::FcvtToSintSat,
            (Conversion::Fptoui, Kind::F32, Kind::I32) => clif::Opcode::FcvtToUintSat,
            _ => return None,
        };
        let part = layout(to).part;
        vector.then(|| parts.iter().map(|&p| self.unary(op, part, p)).collect())
    }

    fn unary(&mut self, op: clif::Opcode, ty: clif::Type, value: clif::Value) -> clif::Value {
        let (inst, graph) = self.ins().Unary(op, ty, value);
        graph.first_result(inst)
    }

    /// Converts a scalar between any kinds except half.
    pub(super) fn convert_lane(
        &mut self,
        op: Conversion,
        from: Kind,
        to: Kind,
        value: clif::Value,
    ) -> clif::Value {
        let target = lane_type(to);
        match op {
            // An i1 is a byte already.
            Conversion::Zext if lane_type(from) == target => value,
            Conversion::Zext => self.ins().uextend(target, value),
            Conversion::Sext if from == Kind::I1 => {
                let negative = self.ins().ineg(value);
                if target == types::I8 { negative } else { self.ins().sextend(target, negative) }
            }
            Conversion::Sext => self.ins().sextend(target, value),
            Conversion::Trunc if to == Kind::I1 => {
                let byte =
                    if lane_type(from) == types::I8 { value } else { self.ins().ireduce(types::I8, value) };
                let one = self.integer(types::I8, 1);
                self.ins().band(byte, one)
            }
            Conversion::Trunc => self.ins().ireduce(target, value),
            Conversion::Fpext => self.ins().fpromote(target, value),
            Conversion::Fptrunc => self.ins().fdemote(target, value),
            Conversion::Sitofp => self.int_to_float(true, from, to, value),
            Conversion::Uitofp => self.int_to_float(false, from, to, value),
            Conversion::Fptosi => self.float_to_int(true, to, value),
            Conversion::Fptoui => self.float_to_int(false, to, value),
        }
    }

    fn int_to_float(&mut self, signed: bool, from: Kind, to: Kind, value: clif::Value) -> clif::Value {
        let target = lane_type(to);
        match from {
            Kind::I64 if signed => self.ins().fcvt_from_sint(target, value),
            Kind::I64 => self.ins().fcvt_from_uint(target, value),
            // Unsigned integers of less than 64 bits are converted as signed 64-bit ones.
            _ => {
                let wide = if signed {
                    self.ins().sextend(types::I64, value)
                } else {
                    self.ins().uextend(types::I64, value)
                };
                self.ins().fcvt_from_sint(target, wide)
            }
        }
    }

    /// Converts with saturation, towards zero, and NaN to 0.
    fn float_to_int(&mut self, signed: bool, to: Kind, value: clif::Value) -> clif::Value {
        let target = lane_type(to);
        if signed {
            self.ins().fcvt_to_sint_sat(target, value)
        } else {
            self.ins().fcvt_to_uint_sat(target, value)
        }
    }

    pub(super) fn bitcast(&mut self, inst: &Inst) -> ClifParts {
        let (from, to) = (self.arg_type(inst, 0), inst.ty);
        let parts = self.arg(inst, 0);
        let (source, target) = (layout(from), layout(to));
        if source.part == target.part {
            if let (Some(result), Some(&word)) = (inst.result, self.packed.get(&inst.args[0])) {
                self.packed.insert(result, word);
            }
            return parts;
        }
        if source.part.bits() == target.part.bits() {
            let flags = super::memory::little();
            return parts.iter().map(|&p| self.ins().bitcast(target.part, flags, p)).collect();
        }
        if let Some(width) = packed::word(to)
            && width == source.part
            && source.count == 1
        {
            return self.unpack(inst, parts[0]);
        }
        if let Some(&word) = self.packed.get(&inst.args[0])
            && target.count == 1
            && self.func().dfg.value_type(word) == target.part
        {
            return ClifParts::from_slice(&[word]);
        }
        // The parts group the bytes differently, so the value is converted through memory.
        let bytes = from.bytes();
        let address = self.scratch(bytes.max(16));
        let flags = super::memory::access();
        for (i, &part) in parts.iter().enumerate() {
            self.ins().store(flags, part, address, (i as u32 * source.part.bytes()) as i32);
        }
        (0..target.count)
            .map(|i| self.ins().load(target.part, flags, address, (i as u32 * target.part.bytes()) as i32))
            .collect()
    }
}
