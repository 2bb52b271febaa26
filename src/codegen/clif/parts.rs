//! Representation of IR values by Cranelift values.

use cranelift_codegen::ir::{self as clif, InstBuilder, types};
use smallvec::SmallVec;

use super::mask::MaskForm;
use super::translate::Translator;
use grus_ir::{Kind, Type};

/// Cranelift values that hold one IR value.
pub(super) type ClifParts = SmallVec<[clif::Value; 4]>;

/// Returns the Cranelift type of one lane.
pub(super) fn lane_type(kind: Kind) -> clif::Type {
    match kind {
        Kind::Void => types::INVALID,
        // Truth values are bytes of 0 or 1.
        Kind::I1 | Kind::I8 => types::I8,
        // Halves are kept as their bits (`half.rs`).
        Kind::I16 | Kind::F16 => types::I16,
        Kind::I32 => types::I32,
        Kind::F32 => types::F32,
        Kind::F64 => types::F64,
        Kind::I64
        | Kind::PtrPrivate
        | Kind::PtrGlobal
        | Kind::PtrLocal
        | Kind::PtrConstant
        | Kind::PtrGeneric => types::I64,
    }
}

/// Type, number and lanes of the parts of a value.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) struct Layout {
    pub part: clif::Type,
    pub count: usize,
    pub lanes_per_part: usize,
}

/// Returns the layout of a type: 128-bit vectors if the lanes fill them exactly. Masks have the layout of
/// [`MaskForm::of`], in which they are passed to other blocks.
pub(super) fn layout(ty: Type) -> Layout {
    if let (true, MaskForm::Lanes(kind)) = (ty.is_mask(), MaskForm::of(ty.lanes)) {
        return layout(ty.with_kind(kind));
    }
    let lane = lane_type(ty.kind);
    let lanes = usize::from(ty.lanes);
    let bits = lane.bits() as usize * lanes;
    let chunked = lanes > 1 && bits.is_multiple_of(128) && ty.kind != Kind::I1 && !ty.kind.is_ptr();
    if chunked {
        let lanes_per_part = 128 / lane.bits() as usize;
        let part = lane.by(lanes_per_part as u32).expect("128-bit vectors exist");
        Layout { part, count: lanes / lanes_per_part, lanes_per_part }
    } else {
        Layout { part: lane, count: lanes, lanes_per_part: 1 }
    }
}

impl Translator<'_> {
    /// Extracts all lanes as scalars.
    pub(super) fn split_lanes(&mut self, ty: Type, parts: &[clif::Value]) -> Vec<clif::Value> {
        let layout = layout(ty);
        if layout.lanes_per_part == 1 {
            return parts.to_vec();
        }
        let mut lanes = Vec::with_capacity(usize::from(ty.lanes));
        for &part in parts {
            for lane in 0..layout.lanes_per_part {
                lanes.push(self.ins().extractlane(part, lane as u8));
            }
        }
        lanes
    }

    /// Builds parts from scalars.
    pub(super) fn join_lanes(&mut self, ty: Type, lanes: &[clif::Value]) -> ClifParts {
        let layout = layout(ty);
        if layout.lanes_per_part == 1 {
            return lanes.into();
        }
        lanes.chunks(layout.lanes_per_part).map(|chunk| self.join(layout.part, chunk)).collect()
    }

    fn join(&mut self, part: clif::Type, lanes: &[clif::Value]) -> clif::Value {
        // Not scalar_to_vector, which has no form for 8 and 16 bits.
        let mut vector = self.ins().splat(part, lanes[0]);
        if lanes.iter().all(|l| l == &lanes[0]) {
            return vector;
        }
        for (i, &lane) in lanes.iter().enumerate().skip(1) {
            vector = self.ins().insertlane(vector, lane, i as u8);
        }
        vector
    }

    /// Extracts one lane.
    pub(super) fn lane(&mut self, ty: Type, parts: &[clif::Value], lane: usize) -> clif::Value {
        let layout = layout(ty);
        if layout.lanes_per_part == 1 {
            return parts[lane];
        }
        let (part, inside) = (lane / layout.lanes_per_part, lane % layout.lanes_per_part);
        self.ins().extractlane(parts[part], inside as u8)
    }

    /// Returns the value with one lane replaced.
    pub(super) fn with_lane(
        &mut self,
        ty: Type,
        parts: &ClifParts,
        lane: usize,
        value: clif::Value,
    ) -> ClifParts {
        let layout = layout(ty);
        let mut parts = parts.clone();
        if layout.lanes_per_part == 1 {
            parts[lane] = value;
        } else {
            let (part, inside) = (lane / layout.lanes_per_part, lane % layout.lanes_per_part);
            parts[part] = self.ins().insertlane(parts[part], value, inside as u8);
        }
        parts
    }

    /// Translates a shuffle of the lanes of two values of one type.
    pub(super) fn shuffle(
        &mut self,
        from: Type,
        a: &ClifParts,
        b: &ClifParts,
        picks: &[u16],
        to: Type,
    ) -> ClifParts {
        if let Some(parts) = self.byte_shuffle(from, a, b, picks, to) {
            return parts;
        }
        let lanes = usize::from(from.lanes);
        let picked: Vec<clif::Value> = picks
            .iter()
            .map(|&p| {
                let p = usize::from(p);
                if p < lanes { self.lane(from, a, p) } else { self.lane(from, b, p - lanes) }
            })
            .collect();
        self.join_lanes(to, &picked)
    }

    /// Emits one Cranelift shuffle for each part of the result, if each one takes lanes from at most two parts.
    fn byte_shuffle(
        &mut self,
        from: Type,
        a: &ClifParts,
        b: &ClifParts,
        picks: &[u16],
        to: Type,
    ) -> Option<ClifParts> {
        let (source, target) = (layout(from), layout(to));
        if source.lanes_per_part == 1 || target.lanes_per_part == 1 {
            return None;
        }
        let per = source.lanes_per_part;
        let size = 16 / per;
        let all: ClifParts = a.iter().chain(b).copied().collect();
        let mut out = ClifParts::new();
        for picks in picks.chunks(per) {
            let mut sources: SmallVec<[usize; 2]> = SmallVec::new();
            let mut mask = [0u8; 16];
            for (i, &pick) in picks.iter().enumerate() {
                let (part, lane) = (usize::from(pick) / per, usize::from(pick) % per);
                let same = |s: &usize| all[*s] == all[part];
                let which = match sources.iter().position(same) {
                    Some(which) => which,
                    None => {
                        sources.push(part);
                        sources.len() - 1
                    }
                };
                if which > 1 {
                    return None;
                }
                for byte in 0..size {
                    mask[i * size + byte] = (which * 16 + lane * size + byte) as u8;
                }
            }
            let is_same = mask.iter().enumerate().all(|(at, &byte)| at == usize::from(byte));
            if is_same && source.part == target.part {
                out.push(all[sources[0]]);
                continue;
            }
            let first = all[sources[0]];
            let second = all[*sources.last().unwrap_or(&sources[0])];
            out.push(self.shuffle_bytes(target.part, first, second, &mask));
        }
        Some(out)
    }

    pub(super) fn shuffle_bytes(
        &mut self,
        part: clif::Type,
        a: clif::Value,
        b: clif::Value,
        mask: &[u8; 16],
    ) -> clif::Value {
        let flags = super::memory::little();
        let a = if part == types::I8X16 { a } else { self.ins().bitcast(types::I8X16, flags, a) };
        let b = if part == types::I8X16 { b } else { self.ins().bitcast(types::I8X16, flags, b) };
        let mask = self.func().dfg.immediates.push(clif::ConstantData::from(&mask[..]));
        let result = self.ins().shuffle(a, b, mask);
        if part == types::I8X16 { result } else { self.ins().bitcast(part, flags, result) }
    }
}
