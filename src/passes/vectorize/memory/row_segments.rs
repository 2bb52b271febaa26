//! Vectors that span several rows of a work-group: the lanes of one row are a segment. If the addresses within
//! each segment are equal or contiguous, an access becomes one access per segment.
//!
//! A value is affine within a segment if it is affine for as many lanes as a segment has (`divergence`).

use super::super::divergence::{Shapes, VectorShape};
use super::super::widen::Widener;
use crate::ir::{Attr, Effect, Inst, Op, Type, Value};

/// Limit of chained instructions that are repeated for each segment.
// Arbitrary.
const DEPTH: u32 = 16;

/// Row segments of the vectors of a function.
pub(in crate::passes::vectorize) struct RowSegments<'f> {
    /// Number of lanes of a segment.
    pub length: u16,
    /// Shapes of values within a segment.
    pub shapes: Shapes<'f>,
}

/// Addresses of the segments of an access.
pub(in crate::passes::vectorize) struct Starts {
    at: Vec<Value>,
    length: u16,
    /// True if all lanes of a segment have one address, false if their addresses are contiguous.
    is_one: bool,
}

impl Widener<'_, '_> {
    /// Returns the addresses of the segments, if the address is affine within them with a step that allows it.
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

    /// Returns the value of the first lane of a segment, recomputed from the first lanes of its operands.
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

    /// Emits a bit operation on an affine value whose first lane is aligned to the number of lanes: `number &
    /// 7` and `number >> 3` are a scalar plus constants.
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

    /// Loads each segment and concatenates them.
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

    /// Stores each segment; the value of the last lane where a segment has one address.
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
