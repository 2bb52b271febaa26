//! Lanes of several rows of a group: those of one row are a piece. Where the lanes of a piece look at one place or at
//! neighbours, an access is one for each piece.
//!
//! What goes in steps within a piece is what goes in steps if there are as many lanes as a piece has (`shape`).

use super::super::divergence::{Shapes, VectorShape};
use super::super::widen::Widener;
use crate::ir::{Attr, Effect, Inst, Op, Type, Value};

/// Instructions behind each other that are done once more for each piece.
const DEPTH: u32 = 16;

/// What is known of pieces.
pub(in crate::passes::vectorize) struct RowSegments<'f> {
    /// Lanes of one.
    pub length: u16,
    /// What values are within one.
    pub shapes: Shapes<'f>,
}

/// Where each piece begins.
pub(in crate::passes::vectorize) struct Starts {
    at: Vec<Value>,
    length: u16,
    /// All lanes of a piece look at one place, not at neighbours.
    is_one: bool,
}

impl Widener<'_, '_> {
    /// Where pieces begin, if that is all there is to say of an access of all lanes.
    pub(in crate::passes::vectorize) fn starts(&mut self, pointer: Value, ty: Type) -> Option<Starts> {
        let pieces = self.source.pieces.filter(|_| self.mask().is_none() && !ty.is_vector())?;
        let step = pieces.shapes.at(pointer, self.here).step()?;
        if step != 0 && step != i64::from(ty.bytes()) {
            return None;
        }
        let firsts = (0..self.lanes).step_by(pieces.length.into());
        let at = firsts.map(|lane| self.first_of_piece(pointer, lane, DEPTH));
        Some(Starts { at: at.collect(), length: pieces.length, is_one: step == 0 })
    }

    /// The value of a lane that is the first of a piece, computed from those of what it comes from.
    fn first_of_piece(&mut self, value: Value, lane: u16, depth: u32) -> Value {
        let known = (self.b.block, value, lane);
        if let Some(&made) = self.firsts_of_pieces.get(&known) {
            return made;
        }
        let func = self.source.func;
        let goes_in_steps = |arg: &Value| {
            self.source.pieces.is_some_and(|pieces| pieces.shapes.at(*arg, self.here).step().is_some())
        };
        let def = func.def_inst(value).filter(|inst| {
            self.shape(value) == VectorShape::Varying
                && depth > 0
                && inst.op.effect() == Effect::Pure
                && inst.args.iter().all(goes_in_steps)
                && !inst.args.iter().any(|&arg| func.ty(arg).is_vector())
        });
        let made = match def {
            None => self.lane(value, lane),
            Some(inst) => {
                let args: Vec<Value> =
                    inst.args.iter().map(|&arg| self.first_of_piece(arg, lane, depth - 1)).collect();
                self.b.value(inst.op, inst.ty, &args, inst.attr.clone())
            }
        };
        self.firsts_of_pieces.insert(known, made);
        made
    }

    /// Bits of numbers that go in steps, from one that ends with as many zeros as lanes differ in: `number & 7` and
    /// `number >> 3` are a scalar and constants.
    pub(in crate::passes::vectorize) fn bits_of_steps(&mut self, inst: &Inst) -> Option<Value> {
        let by = self.source.func.as_const(*inst.args.get(1)?)?;
        let VectorShape::Stride(stride) = self.shape(inst.args[0]) else { return None };
        let step = u64::try_from(stride.step).ok()?;
        let span = step.checked_mul(u64::from(self.lanes) - 1)?;
        if stride.zeros == 0 || span >> stride.zeros.min(63) != 0 {
            return None;
        }
        let of = |number: u64| match inst.op {
            Op::And => Some(number & by),
            Op::Lshr => Some(number >> (by % u64::from(inst.ty.kind.bits()))),
            _ => None,
        };
        let ends: Option<Vec<u64>> = (0..u64::from(self.lanes)).map(|lane| of(step * lane)).collect();
        let ends: Vec<Value> = ends?.into_iter().map(|end| self.b.iconst(inst.ty, end)).collect();
        let wide = self.wide(inst.ty);
        let ends = self.b.value(Op::BuildVector, wide, &ends, Attr::None);
        if inst.op == Op::And && by >> stride.zeros.min(63) == 0 {
            return Some(ends);
        }
        let args = [self.scalar(inst.args[0]), self.scalar(inst.args[1])];
        let first = self.b.value(inst.op, inst.ty, &args, Attr::None);
        let all = self.b.splat(wide, first);
        Some(self.b.same(Op::Iadd, &[all, ends]))
    }

    /// Loads a piece from each place.
    pub(in crate::passes::vectorize) fn load_pieces(&mut self, inst: &Inst, starts: &Starts) -> Value {
        let piece = Type::vector(inst.ty.kind, starts.length);
        let mut parts: Vec<Value> = Vec::new();
        for &at in &starts.at {
            let ty = if starts.is_one { inst.ty } else { piece };
            let loaded = self.b.value(Op::Load, ty, &[at], Attr::Mem(inst.mem()));
            parts.push(if starts.is_one { self.b.splat(piece, loaded) } else { loaded });
        }
        while parts.len() > 1 {
            let join = |pair: &[Value]| {
                let lanes = 2 * self.b.func.ty(pair[0]).lanes;
                self.b.shuffle(pair[0], pair[1], &(0..lanes).collect::<Vec<u16>>())
            };
            parts = parts.chunks(2).map(join).collect();
        }
        parts[0]
    }

    /// Stores a piece to each place: where lanes have one place, the last one's.
    pub(in crate::passes::vectorize) fn store_pieces(&mut self, inst: &Inst, starts: &Starts) {
        let (value, mem) = (inst.args[1], inst.mem());
        for (&at, first) in starts.at.iter().zip((0..).step_by(starts.length.into())) {
            let last = first + starts.length - 1;
            let stored = if starts.is_one {
                self.lane(value, last)
            } else {
                let vector = self.vector(value);
                self.b.shuffle(vector, vector, &(first..=last).collect::<Vec<u16>>())
            };
            self.b.store(stored, at, mem);
        }
    }
}
