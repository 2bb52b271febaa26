//! Vectors of narrow lanes that do not fill a register: four bytes, four shorts or halves, eight bytes. Their lanes are
//! scalars, as those of all such vectors; where all of them come from memory or a conversion together, the word that
//! holds them is kept beside, so that loads, stores and conversions are of whole vectors.

use cranelift_codegen::ir::{self as clif, InstBuilder, types};

use super::parts::{ClifParts, lane_type, layout};
use super::translate::Translator;
use crate::ir::{Conversion, Inst, Kind, Type};

/// The scalar that holds all lanes; none for types that are not packed.
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

/// Whether its lanes are integers that vectors can be widened to and narrowed from.
fn is_narrow(kind: Kind) -> bool {
    matches!(kind, Kind::I8 | Kind::I16 | Kind::I32)
}

impl Translator<'_> {
    /// The lanes of a word, which is remembered as the result of `inst`.
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

    /// The operand as whole registers, if it is there in such a form; of the last one some lanes may be of no use.
    fn registers(&mut self, inst: &Inst, index: usize) -> Option<ClifParts> {
        let ty = self.arg_type(inst, index);
        if layout(ty).lanes_per_part > 1 {
            return Some(self.arg(inst, index));
        }
        let &word = self.packed.get(&inst.args[index])?;
        Some(ClifParts::from_elem(self.register(lane_type(ty.kind), word), 1))
    }

    /// A word as a register of lanes; the upper ones are of no use.
    pub(super) fn register(&mut self, lane: clif::Type, word: clif::Value) -> clif::Value {
        let width = self.func().dfg.value_type(word);
        let vector = width.by(128 / width.bits()).expect("128-bit vectors exist");
        let vector = self.ins().scalar_to_vector(vector, word);
        let lanes = lane.by(128 / lane.bits()).expect("128-bit vectors exist");
        self.ins().bitcast(lanes, super::memory::little(), vector)
    }

    /// The result of `inst` from whole registers.
    pub(super) fn take_registers(&mut self, inst: &Inst, registers: &ClifParts) -> ClifParts {
        let Some(width) = word(inst.ty) else { return registers.clone() };
        let vector = width.by(128 / width.bits()).expect("128-bit vectors exist");
        let vector = self.ins().bitcast(vector, super::memory::little(), registers[0]);
        let word = self.ins().extractlane(vector, 0);
        self.unpack(inst, word)
    }

    /// An integer as 32 bits: zeros above narrower ones, without the upper half of wider ones.
    pub(super) fn low_word(&mut self, value: clif::Value) -> clif::Value {
        match self.func().dfg.value_type(value) {
            types::I32 => value,
            types::I64 => self.ins().ireduce(types::I32, value),
            _ => self.ins().uextend(types::I32, value),
        }
    }

    /// Conversions between vectors of narrow integers, and between them and floats.
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

    /// The lanes' bits that are in the mask.
    fn masked_lanes(&mut self, value: clif::Value, mask: u64) -> clif::Value {
        let ty = self.func().dfg.value_type(value);
        let mask = self.splat_integer(ty, mask);
        self.ins().band(value, mask)
    }

    fn splat_integer(&mut self, ty: clif::Type, bits: u64) -> clif::Value {
        let scalar = self.integer(ty.lane_type(), bits);
        self.ins().splat(ty, scalar)
    }

    /// Lanes twice as wide, until they are of kind `to`. Only the registers that `from` has lanes for.
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
            let wanted = (u32::from(from.lanes) * bits).div_ceil(128) as usize;
            let mut wider = ClifParts::new();
            for register in registers {
                for high in [false, true] {
                    if wider.len() < wanted {
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

    /// Bytes as the low ones of words: one shuffle instead of widening twice.
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

    /// Lanes half as wide, until they are of kind `to`. The values fit, as unsigned numbers.
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
