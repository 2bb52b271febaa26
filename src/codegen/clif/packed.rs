//! Packed vectors: vectors of narrow lanes that do not fill a register (four bytes, four shorts or halves, eight
//! bytes). Their lanes are scalars, as those of all vectors that do not. If all lanes come from one load or
//! conversion, the integer that holds them (the word) is kept too, so that loads, stores and conversions operate on
//! whole vectors.

use cranelift_codegen::ir::{self as clif, InstBuilder, types};

use super::parts::{ClifParts, lane_type, layout};
use super::translate::Translator;
use grus_ir::{Conversion, Inst, Kind, Type};

/// Returns the integer type that holds all lanes; `None` if the type is not packed.
pub(super) fn word(ty: Type) -> Option<clif::Type> {
    if !matches!(ty.kind, Kind::I8 | Kind::I16 | Kind::F16) || ty.lanes == 1 {
        return None;
    }
    match ty.bytes() {
        4 => Some(types::I32),
        8 => Some(types::I64),
        _ => None,
    }
}

/// Checks whether lanes of this kind are integers that vectors can be widened to and narrowed from.
fn is_narrow(kind: Kind) -> bool {
    matches!(kind, Kind::I8 | Kind::I16 | Kind::I32)
}

impl Translator<'_> {
    /// Extracts the lanes of a word, and records the word for the result of `inst`.
    pub(super) fn unpack(&mut self, inst: &Inst, word: clif::Value) -> ClifParts {
        if let Some(result) = inst.result {
            self.packed.insert(result, word);
        }
        let lane = lane_type(inst.ty.kind);
        let extract = |at: u32| {
            let shifted =
                if at == 0 { word } else { self.ins().ushr_imm_u(word, i64::from(at * lane.bits())) };
            self.ins().ireduce(lane, shifted)
        };
        (0..u32::from(inst.ty.lanes)).map(extract).collect()
    }

    /// Returns an operand as whole registers, if it is available in this form; the upper lanes of the last one may
    /// be undefined.
    fn registers(&mut self, inst: &Inst, index: usize) -> Option<ClifParts> {
        let ty = self.arg_type(inst, index);
        if layout(ty).lanes_per_part > 1 {
            return Some(self.arg(inst, index));
        }
        let &word = self.packed.get(&inst.args[index])?;
        Some(ClifParts::from_elem(self.register(lane_type(ty.kind), word), 1))
    }

    /// Returns a register with the lanes of a word; the upper lanes are undefined.
    pub(super) fn register(&mut self, lane: clif::Type, word: clif::Value) -> clif::Value {
        let width = self.func().dfg.value_type(word);
        let vector = width.by(128 / width.bits()).expect("128-bit vectors exist");
        let vector = self.ins().scalar_to_vector(vector, word);
        let lanes = lane.by(128 / lane.bits()).expect("128-bit vectors exist");
        self.ins().bitcast(lanes, super::memory::little(), vector)
    }

    /// Returns the result of `inst` from whole registers.
    pub(super) fn take_registers(&mut self, inst: &Inst, registers: &ClifParts) -> ClifParts {
        let Some(width) = word(inst.ty) else { return registers.clone() };
        let vector = width.by(128 / width.bits()).expect("128-bit vectors exist");
        let vector = self.ins().bitcast(vector, super::memory::little(), registers[0]);
        let word = self.ins().extractlane(vector, 0);
        self.unpack(inst, word)
    }

    /// Converts an integer to 32 bits: narrower ones are zero-extended, wider ones truncated.
    pub(super) fn low_word(&mut self, value: clif::Value) -> clif::Value {
        match self.func().dfg.value_type(value) {
            types::I32 => value,
            types::I64 => self.ins().ireduce(types::I32, value),
            _ => self.ins().uextend(types::I32, value),
        }
    }

    /// Translates conversions between vectors of narrow integers, and between them and floats.
    pub(super) fn convert_packed(&mut self, inst: &Inst, op: Conversion) -> Option<ClifParts> {
        let (from, to) = (self.arg_type(inst, 0), inst.ty);
        let whole = |ty: Type| layout(ty).lanes_per_part > 1 || word(ty).is_some();
        if !whole(from) || !whole(to) || from.kind == to.kind {
            return None;
        }
        match op {
            Conversion::Zext | Conversion::Sext if is_narrow(from.kind) && is_narrow(to.kind) => {
                let registers = self.registers(inst, 0)?;
                let wide = self.widen_lanes(registers, from, to.kind, op == Conversion::Sext);
                Some(self.take_registers(inst, &wide))
            }
            Conversion::Trunc if is_narrow(from.kind) && is_narrow(to.kind) => {
                let registers = self.registers(inst, 0)?;
                let mask = u64::MAX >> (64 - to.kind.bits());
                let masked = registers.iter().map(|&v| self.masked_lanes(v, mask)).collect();
                let narrow = self.narrow_lanes(masked, from.kind, to.kind);
                Some(self.take_registers(inst, &narrow))
            }
            _ => None,
        }
    }

    /// Clears the bits of each lane that are not in the mask.
    fn masked_lanes(&mut self, value: clif::Value, mask: u64) -> clif::Value {
        let ty = self.func().dfg.value_type(value);
        let mask = self.splat_integer(ty, mask);
        self.ins().band(value, mask)
    }

    fn splat_integer(&mut self, ty: clif::Type, bits: u64) -> clif::Value {
        let scalar = self.integer(ty.lane_type(), bits);
        self.ins().splat(ty, scalar)
    }

    /// Widens lanes repeatedly until they are of kind `to`; returns only the registers that `from` has lanes for.
    pub(super) fn widen_lanes(
        &mut self,
        mut registers: ClifParts,
        from: Type,
        to: Kind,
        signed: bool,
    ) -> ClifParts {
        if self.features.byte_shuffle && !signed && from.kind == Kind::I8 && to == Kind::I32 {
            return self.spread_bytes(&registers, from.lanes);
        }
        let mut bits = from.kind.bits();
        while bits < to.bits() {
            bits *= 2;
            let register_count = (u32::from(from.lanes) * bits).div_ceil(128) as usize;
            let mut wider = ClifParts::new();
            for register in registers {
                for high in [false, true] {
                    if wider.len() < register_count {
                        wider.push(match (signed, high) {
                            (true, false) => self.ins().swiden_low(register),
                            (true, true) => self.ins().swiden_high(register),
                            (false, false) => self.ins().uwiden_low(register),
                            (false, true) => self.ins().uwiden_high(register),
                        });
                    }
                }
            }
            registers = wider;
        }
        registers
    }

    /// Zero-extends bytes to 32 bits by one shuffle, instead of widening twice.
    fn spread_bytes(&mut self, registers: &ClifParts, lanes: u16) -> ClifParts {
        const NONE: u8 = 0x80;
        let spread = |first: u16| {
            let register = registers[usize::from(first / 16)];
            let sources: Vec<u8> =
                (first % 16..first % 16 + 4).flat_map(|lane| [lane as u8, NONE, NONE, NONE]).collect();
            let sources = self.func().dfg.constants.insert(sources.into());
            let sources = self.ins().vconst(types::I8X16, sources);
            let spread = self.ins().x86_pshufb(register, sources);
            self.ins().bitcast(types::I32X4, super::memory::little(), spread)
        };
        (0..lanes).step_by(4).map(spread).collect()
    }

    /// Narrows lanes repeatedly until they are of kind `to`. The values must fit, as unsigned numbers.
    fn narrow_lanes(&mut self, mut registers: ClifParts, from: Kind, to: Kind) -> ClifParts {
        let mut bits = from.bits();
        while bits > to.bits() {
            bits /= 2;
            let pairs: Vec<(clif::Value, clif::Value)> =
                registers.chunks(2).map(|pair| (pair[0], pair[pair.len() - 1])).collect();
            registers = pairs.into_iter().map(|(low, high)| self.ins().unarrow(low, high)).collect();
        }
        registers
    }
}
