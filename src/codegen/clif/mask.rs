//! Masks: truth values of several lanes.
//!
//! A mask is represented as its definition produces it: a comparison of whole vectors produces lanes of -1 and 0,
//! as wide as its operands; a comparison lane by lane produces bytes of 1 and 0. Users convert. Masks without a
//! definition in the block (block parameters, results of calls) have the representation of their type,
//! [`MaskForm::of`].

use cranelift_codegen::ir::condcodes::IntCC;
use cranelift_codegen::ir::{self as clif, InstBuilder, types};

use super::parts::{ClifParts, lane_type, layout};
use super::translate::Translator;
use grus_ir::{Conversion, Inst, IntBinary, IntCond, Kind, LaneOp, MaskOp, Op, Type, Value};

/// Representation of a mask.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum MaskForm {
    /// A byte of 1 or 0 for each lane.
    Bytes,
    /// Lanes of -1 or 0 of this kind, in whole vectors.
    Lanes(Kind),
}

impl MaskForm {
    /// Returns the default representation of a mask with `lanes` lanes: vectors if the lanes fill them.
    pub(super) fn of(lanes: u16) -> MaskForm {
        match lanes {
            0 => MaskForm::Bytes,
            lanes if lanes % 4 == 0 => MaskForm::Lanes(Kind::I32),
            2 => MaskForm::Lanes(Kind::I64),
            _ => MaskForm::Bytes,
        }
    }

    /// Returns the representation that a comparison of operands of type `ty` produces.
    pub(super) fn compared(ty: Type) -> MaskForm {
        if layout(ty).lanes_per_part > 1 { MaskForm::Lanes(ty.bits_type().kind) } else { MaskForm::Bytes }
    }
}

impl Translator<'_> {
    /// Returns the representation of a mask.
    fn form(&self, value: Value) -> MaskForm {
        self.forms.get(&value).copied().unwrap_or(MaskForm::of(self.source.ty(value).lanes))
    }

    /// Returns a mask in this representation.
    pub(super) fn mask(&mut self, value: Value, wanted_form: MaskForm) -> ClifParts {
        let (form, ty) = (self.form(value), self.source.ty(value));
        let parts = self.values[value].clone();
        match (form, wanted_form) {
            (from, to) if from == to => parts,
            (MaskForm::Lanes(from), MaskForm::Lanes(to)) => self.resize(parts, from, to, ty.lanes),
            (MaskForm::Lanes(kind), MaskForm::Bytes) => {
                let lanes = self.split_lanes(ty.with_kind(kind), &parts);
                lanes.into_iter().map(|lane| self.truth_of_lane(kind, lane)).collect()
            }
            (MaskForm::Bytes, MaskForm::Lanes(kind)) => {
                let lanes: Vec<clif::Value> =
                    parts.into_iter().map(|byte| self.lane_of_truth(kind, byte)).collect();
                self.join_lanes(ty.with_kind(kind), &lanes)
            }
            (MaskForm::Bytes, MaskForm::Bytes) => parts,
        }
    }

    /// Returns a value in the representation in which it is passed to another block or function.
    pub(super) fn crossing(&mut self, value: Value) -> ClifParts {
        let ty = self.source.ty(value);
        if ty.is_mask() { self.mask(value, MaskForm::of(ty.lanes)) } else { self.values[value].clone() }
    }

    /// Converts lanes of -1 and 0 to another width.
    fn resize(&mut self, parts: ClifParts, from: Kind, to: Kind, lanes: u16) -> ClifParts {
        let mut parts = self.widen_lanes(parts, Type::vector(from, lanes), to, true);
        let mut bits = from.bits();
        while bits > to.bits() {
            bits /= 2;
            let halves: Vec<(clif::Value, clif::Value)> =
                parts.chunks(2).map(|pair| (pair[0], pair[pair.len() - 1])).collect();
            parts = halves.into_iter().map(|(low, high)| self.narrow(bits, low, high)).collect();
        }
        parts
    }

    /// Packs two vectors of lanes of -1 and 0 into one of lanes of half the width, which is `bits`.
    fn narrow(&mut self, bits: u32, low: clif::Value, high: clif::Value) -> clif::Value {
        if bits < 32 {
            return self.ins().snarrow(low, high);
        }
        // Pick the lower half of each lane.
        let picks = [0u8, 1, 2, 3, 8, 9, 10, 11, 16, 17, 18, 19, 24, 25, 26, 27];
        self.shuffle_bytes(types::I32X4, low, high, &picks)
    }

    /// Returns the lowest bit of a lane of this kind.
    pub(super) fn truth_of_lane(&mut self, kind: Kind, lane: clif::Value) -> clif::Value {
        self.convert_lane(Conversion::Trunc, kind, Kind::I1, lane)
    }

    /// Converts a truth value to a lane of -1 or 0.
    fn lane_of_truth(&mut self, kind: Kind, byte: clif::Value) -> clif::Value {
        self.convert_lane(Conversion::Sext, Kind::I1, kind, byte)
    }

    /// Records the representation of an instruction's result.
    pub(super) fn set_form(&mut self, inst: &Inst, form: MaskForm) {
        if let Some(result) = inst.result {
            self.forms.insert(result, form);
        }
    }

    /// Translates logic on masks.
    pub(super) fn mask_logic(&mut self, inst: &Inst, op: IntBinary) -> ClifParts {
        let form = self.form(inst.args[0]);
        self.set_form(inst, form);
        let (a, b) = (self.mask(inst.args[0], form), self.mask(inst.args[1], form));
        let kind = match form {
            MaskForm::Bytes => Kind::I8,
            MaskForm::Lanes(kind) => kind,
        };
        a.iter().zip(&b).map(|(&a, &b)| self.int2(op, kind, a, b, None)).collect()
    }

    /// Translates the ops that move lanes of masks.
    pub(super) fn mask_lanes(&mut self, inst: &Inst, op: LaneOp) -> ClifParts {
        let lanes = inst.ty.lanes;
        if op == LaneOp::Shuffle
            && let MaskForm::Lanes(kind) = self.form(inst.args[0])
            && layout(Type::vector(kind, lanes)).lanes_per_part > 1
        {
            let from = self.arg_type(inst, 0);
            let [a, b] = [0, 1].map(|i| self.mask(inst.args[i], MaskForm::Lanes(kind)));
            self.set_form(inst, MaskForm::Lanes(kind));
            return self.shuffle(from.with_kind(kind), &a, &b, inst.lanes(), Type::vector(kind, lanes));
        }
        if op == LaneOp::Splat
            && let MaskForm::Lanes(kind) = MaskForm::of(lanes)
        {
            let byte = self.scalar(inst, 0);
            let lane = self.lane_of_truth(kind, byte);
            let layout = layout(Type::vector(kind, lanes));
            let vector = self.ins().splat(layout.part, lane);
            return ClifParts::from_elem(vector, layout.count);
        }
        self.set_form(inst, MaskForm::Bytes);
        let bytes = |t: &mut Self, i: usize| t.mask(inst.args[i], MaskForm::Bytes);
        match op {
            LaneOp::Splat => ClifParts::from_elem(self.scalar(inst, 0), usize::from(lanes)),
            LaneOp::BuildVector => (0..inst.args.len()).map(|i| self.scalar(inst, i)).collect(),
            LaneOp::Insert => {
                let mut all = bytes(self, 0);
                all[inst.int() as usize] = self.scalar(inst, 1);
                all
            }
            LaneOp::Shuffle => {
                let (a, b) = (bytes(self, 0), bytes(self, 1));
                let both: ClifParts = a.into_iter().chain(b).collect();
                inst.lanes().iter().map(|&pick| both[usize::from(pick)]).collect()
            }
            LaneOp::InsertAt => {
                let (all, value) = (bytes(self, 0), self.scalar(inst, 2));
                self.insert_at(all, self.scalar(inst, 1), value)
            }
            LaneOp::Bitcast => self.arg(inst, 0),
            LaneOp::Extract | LaneOp::ExtractAt | LaneOp::Iota | LaneOp::Permute => {
                unreachable!("gives no mask")
            }
        }
    }

    /// Returns one truth value of a mask.
    pub(super) fn mask_lane(&mut self, value: Value, lane: usize) -> clif::Value {
        match self.form(value) {
            MaskForm::Bytes => self.values[value][lane],
            MaskForm::Lanes(kind) => {
                let ty = self.source.ty(value).with_kind(kind);
                let parts = self.values[value].clone();
                let lane = self.lane(ty, &parts, lane);
                self.truth_of_lane(kind, lane)
            }
        }
    }

    /// Converts a mask to integers: -1 and 0, or 1 and 0.
    pub(super) fn extend_mask(&mut self, inst: &Inst, op: Conversion) -> ClifParts {
        let to = inst.ty;
        if layout(to).lanes_per_part > 1 {
            let parts = self.mask(inst.args[0], MaskForm::Lanes(to.kind));
            if op == Conversion::Sext {
                return parts;
            }
            let one = self.integer(lane_type(to.kind), 1);
            let ones = self.ins().splat(layout(to).part, one);
            return parts.into_iter().map(|part| self.ins().band(part, ones)).collect();
        }
        let bytes = self.mask(inst.args[0], MaskForm::Bytes);
        bytes.into_iter().map(|byte| self.convert_lane(op, Kind::I1, to.kind, byte)).collect()
    }

    /// Translates the ops that reduce a mask to a scalar.
    pub(super) fn mask_op(&mut self, inst: &Inst, op: MaskOp) -> clif::Value {
        let value = inst.args[0];
        let lanes = self.source.ty(value).lanes;
        match op {
            MaskOp::Movemask => {
                let ty = lane_type(inst.ty.kind);
                self.movemask(value, ty)
            }
            MaskOp::MaskFirstSet => {
                let bits = self.movemask(value, types::I64);
                let stopped = if lanes < 64 {
                    let stop = self.integer(types::I64, 1 << lanes);
                    self.ins().bor(bits, stop)
                } else {
                    bits
                };
                let first = self.ins().ctz(stopped);
                self.ins().ireduce(types::I32, first)
            }
            MaskOp::Any => self.test_mask(value, true),
            MaskOp::All => self.test_mask(value, false),
        }
    }

    /// Tests whether any lane of a mask is set (`is_any`), or all are.
    pub(super) fn test_mask(&mut self, value: Value, is_any: bool) -> clif::Value {
        let parts = self.values[value].clone();
        let both = |t: &mut Self, a, b| if is_any { t.ins().bor(a, b) } else { t.ins().band(a, b) };
        let all = parts.into_iter().reduce(|a, b| both(self, a, b)).expect("a mask has lanes");
        match self.form(value) {
            MaskForm::Bytes => all,
            MaskForm::Lanes(_) if is_any => self.ins().vany_true(all),
            MaskForm::Lanes(_) => self.ins().vall_true(all),
        }
    }

    /// Returns an integer of type `ty` with a bit for each lane.
    fn movemask(&mut self, value: Value, ty: clif::Type) -> clif::Value {
        let (parts, step) = match (self.signed_operand(value), self.form(value)) {
            // The sign bits of numbers can be tested without making a mask first.
            (Some(operand), MaskForm::Lanes(kind)) => (self.values[operand].clone(), 128 / kind.bits()),
            (_, MaskForm::Lanes(kind)) => (self.values[value].clone(), 128 / kind.bits()),
            (_, MaskForm::Bytes) => (self.values[value].clone(), 1),
        };
        let mut all = None;
        for (index, part) in (0u32..).zip(parts) {
            let part = if step > 1 {
                let bits = self.ins().vhigh_bits(types::I32, part);
                if ty == types::I32 { bits } else { self.ins().uextend(ty, bits) }
            } else {
                self.ins().uextend(ty, part)
            };
            let part = if index == 0 { part } else { self.ins().ishl_imm_u(part, i64::from(index * step)) };
            all = Some(all.map_or(part, |all| self.ins().bor(all, part)));
        }
        all.expect("a mask has lanes")
    }

    /// Returns the integer vector whose signs the mask consists of, if it does.
    fn signed_operand(&self, mask: Value) -> Option<Value> {
        let def = self.source.def_inst(mask).filter(|def| def.op == Op::Icmp)?;
        let is_less = def.int_cond() == IntCond::Slt && self.source.is_zero(def.args[1]);
        (is_less && layout(self.source.ty(def.args[0])).lanes_per_part > 1).then_some(def.args[0])
    }

    /// Translates a selection lane by lane.
    pub(super) fn select_lanes(&mut self, inst: &Inst) -> ClifParts {
        if inst.ty.is_mask() {
            return self.select_masks(inst);
        }
        let (a, b) = (self.arg(inst, 1), self.arg(inst, 2));
        let layout = layout(inst.ty);
        if layout.lanes_per_part == 1 {
            let mask = self.mask(inst.args[0], MaskForm::Bytes);
            return (0..a.len()).map(|i| self.ins().select(mask[i], a[i], b[i])).collect();
        }
        let kind = inst.ty.bits_type().kind;
        let mask = self.mask(inst.args[0], MaskForm::Lanes(kind));
        let nothing = self.source.is_zero(inst.args[1]);
        let flags = super::memory::little();
        let bits = lane_type(kind).by(layout.lanes_per_part as u32).expect("128-bit vectors exist");
        (0..a.len())
            .map(|i| {
                if nothing {
                    // The result is zero in lanes in which the mask is set.
                    let kept = if bits == layout.part { b[i] } else { self.ins().bitcast(bits, flags, b[i]) };
                    let kept = self.ins().band_not(kept, mask[i]);
                    return if bits == layout.part {
                        kept
                    } else {
                        self.ins().bitcast(layout.part, flags, kept)
                    };
                }
                let mask = if bits == layout.part {
                    mask[i]
                } else {
                    self.ins().bitcast(layout.part, flags, mask[i])
                };
                self.ins().bitselect(mask, a[i], b[i])
            })
            .collect()
    }

    fn select_masks(&mut self, inst: &Inst) -> ClifParts {
        let form = self.form(inst.args[1]);
        self.set_form(inst, form);
        let [mask, a, b] = [0, 1, 2].map(|i| self.mask(inst.args[i], form));
        (0..a.len())
            .map(|i| match form {
                MaskForm::Bytes => self.ins().select(mask[i], a[i], b[i]),
                MaskForm::Lanes(_) => self.ins().bitselect(mask[i], a[i], b[i]),
            })
            .collect()
    }

    /// Translates a selection between whole masks.
    pub(super) fn select_mask(&mut self, inst: &Inst) -> ClifParts {
        let form = self.form(inst.args[1]);
        self.set_form(inst, form);
        let cond = self.scalar(inst, 0);
        let [a, b] = [1, 2].map(|i| self.mask(inst.args[i], form));
        a.iter().zip(&b).map(|(&a, &b)| self.ins().select(cond, a, b)).collect()
    }

    /// Returns the lowest bit of each lane.
    pub(super) fn truncate_to_mask(&mut self, inst: &Inst) -> ClifParts {
        self.set_form(inst, MaskForm::Bytes);
        let (ty, parts) = (self.arg_type(inst, 0), self.arg(inst, 0));
        self.split_lanes(ty, &parts).into_iter().map(|lane| self.truth_of_lane(ty.kind, lane)).collect()
    }

    /// Checks whether the sign test of an integer vector is the vector itself, since its lanes are known to be -1
    /// or 0.
    pub(super) fn is_mask_already(&self, inst: &Inst) -> bool {
        inst.int_cond() == IntCond::Slt
            && self.source.is_zero(inst.args[1])
            && layout(self.arg_type(inst, 0)).lanes_per_part > 1
            && self.is_full(inst.args[0], 4)
    }

    /// Checks whether every lane is known to be -1 or 0, looking at most `depth` definitions back.
    fn is_full(&self, value: Value, depth: u32) -> bool {
        let Some(def) = self.source.def_inst(value).filter(|_| depth > 0) else { return false };
        match def.op {
            Op::Sext => self.source.ty(def.args[0]).kind == Kind::I1,
            Op::And | Op::Or | Op::Xor => def.args.iter().all(|&a| self.is_full(a, depth - 1)),
            Op::Splat => self.is_full(def.args[0], depth - 1),
            Op::Isub if self.source.as_const(def.args[0]) == Some(0) => self
                .source
                .def_inst(def.args[1])
                .is_some_and(|d| d.op == Op::Zext && self.source.ty(d.args[0]) == Type::I1),
            Op::Ashr => self.source.as_const(def.args[1]) == Some(u64::from(def.ty.kind.bits()) - 1),
            _ => false,
        }
    }

    /// Records the representation of a comparison's result, which is bytes if the operands are scalars.
    pub(super) fn truths(&mut self, inst: &Inst, truths: ClifParts) -> ClifParts {
        let from = self.arg_type(inst, 0);
        if from.is_vector() {
            self.set_form(inst, MaskForm::compared(from));
        }
        truths
    }

    /// Extracts the lane with a variable index, by comparing the index with all lane numbers.
    pub(super) fn extract_at(&mut self, lanes: &[clif::Value], at: clif::Value) -> clif::Value {
        let at = self.lane_number(lanes.len(), at);
        let mut found = lanes[0];
        for (i, &lane) in lanes.iter().enumerate().skip(1) {
            let this = self.integer(types::I32, i as u64);
            let is_it = self.ins().icmp(IntCC::Equal, at, this);
            found = self.ins().select(is_it, lane, found);
        }
        found
    }

    /// Replaces the lane with a variable index.
    pub(super) fn insert_at(&mut self, lanes: ClifParts, at: clif::Value, value: clif::Value) -> ClifParts {
        let at = self.lane_number(lanes.len(), at);
        let replaced = |(i, lane): (usize, clif::Value)| {
            let this = self.integer(types::I32, i as u64);
            let is_it = self.ins().icmp(IntCC::Equal, at, this);
            self.ins().select(is_it, value, lane)
        };
        lanes.into_iter().enumerate().map(replaced).collect()
    }

    /// Returns an index modulo the number of lanes.
    pub(super) fn lane_number(&mut self, lanes: usize, at: clif::Value) -> clif::Value {
        if lanes.is_power_of_two() {
            let last = self.integer(types::I32, lanes as u64 - 1);
            return self.ins().band(at, last);
        }
        let count = self.integer(types::I32, lanes as u64);
        self.ins().urem(at, count)
    }
}
