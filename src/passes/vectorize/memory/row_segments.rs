//! Vectors that span several rows of a work-group: the lanes of one row are a segment. If the addresses within
//! each segment are equal or contiguous, an access becomes one access per segment.
//!
//! A value is affine within a segment if it is affine for as many lanes as a segment has (`divergence`).

use super::super::divergence::{VectorShape, VectorShapes};
use super::super::widen::Widener;
use grus_ir::{Attr, Effect, Inst, Op, Type, Value};

/// Limit of chained instructions that are repeated for each segment.
// Arbitrary.
const MAX_DEPTH: u32 = 16;

/// Row segments of the vectors of a function.
pub(in crate::vectorize) struct RowSegments<'f> {
    /// Number of lanes of a segment.
    pub length: u16,
    /// Shapes of values within a segment.
    pub shapes: VectorShapes<'f>,
}

/// Addresses of the segments of an access.
pub(in crate::vectorize) struct SegmentAddresses {
    at: Vec<Value>,
    length: u16,
    /// True if all lanes of a segment have one address, false if their addresses are contiguous.
    is_uniform: bool,
}

impl Widener<'_, '_> {
    /// Returns the addresses of the segments, if the address is affine within them with a step that allows it.
    pub(in crate::vectorize) fn segment_addresses(
        &mut self,
        pointer: Value,
        ty: Type,
    ) -> Option<SegmentAddresses> {
        let segments = self.source.segments.filter(|_| self.mask().is_none() && !ty.is_vector())?;
        let step = segments.shapes.at(pointer, self.current).step()?;
        if step != 0 && step != i64::from(ty.bytes()) {
            return None;
        }
        let firsts = (0..self.lanes).step_by(segments.length.into());
        let at = firsts.map(|lane| self.segment_start(pointer, lane, MAX_DEPTH));
        Some(SegmentAddresses { at: at.collect(), length: segments.length, is_uniform: step == 0 })
    }

    /// Returns the value of the first lane of a segment, recomputed from the first lanes of its operands.
    fn segment_start(&mut self, value: Value, lane: u16, depth: u32) -> Value {
        let key = (self.b.block, value, lane);
        if let Some(&value) = self.memory_state.segment_starts.get(&key) {
            return value;
        }
        let func = self.source.func;
        let is_affine = |arg: &Value| {
            self.source
                .segments
                .is_some_and(|segments| segments.shapes.at(*arg, self.current).step().is_some())
        };
        let def = func.def_inst(value).filter(|inst| {
            self.shape(value) == VectorShape::Varying
                && depth > 0
                && inst.op.effect() == Effect::Pure
                && inst.args.iter().all(is_affine)
                && !inst.args.iter().any(|&arg| func.ty(arg).is_vector())
        });
        let value = match def {
            None => self.lane(value, lane),
            Some(inst) => {
                let args: Vec<Value> =
                    inst.args.iter().map(|&arg| self.segment_start(arg, lane, depth - 1)).collect();
                self.b.value(inst.op, inst.ty, &args, inst.attr.clone())
            }
        };
        self.memory_state.segment_starts.insert(key, value);
        value
    }

    /// Emits a bit operation on an affine value whose first lane is aligned to the number of lanes: `number &
    /// 7` and `number >> 3` are a scalar plus constants.
    pub(in crate::vectorize) fn aligned_bit_op(&mut self, inst: &Inst) -> Option<Value> {
        let by = self.source.func.as_const(*inst.args.get(1)?)?;
        let VectorShape::Affine(stride) = self.shape(inst.args[0]) else { return None };
        let step = u64::try_from(stride.step).ok()?;
        let difference = step.checked_mul(u64::from(self.lanes) - 1)?;
        if stride.known_trailing_zeros == 0 || difference >> stride.known_trailing_zeros.min(63) != 0 {
            return None;
        }
        let of = |number: u64| match inst.op {
            Op::And => Some(number & by),
            Op::Lshr => Some(number >> (by % u64::from(inst.ty.kind.bits()))),
            _ => None,
        };
        let constants: Option<Vec<u64>> = (0..u64::from(self.lanes)).map(|lane| of(step * lane)).collect();
        let constants: Vec<Value> =
            constants?.into_iter().map(|constant| self.b.iconst(inst.ty, constant)).collect();
        let wide = self.widened_type(inst.ty);
        let constants = self.b.value(Op::BuildVector, wide, &constants, Attr::None);
        if inst.op == Op::And && by >> stride.known_trailing_zeros.min(63) == 0 {
            return Some(constants);
        }
        let args = [self.scalar(inst.args[0]), self.scalar(inst.args[1])];
        let first = self.b.value(inst.op, inst.ty, &args, Attr::None);
        let all = self.b.splat(wide, first);
        Some(self.b.same(Op::Iadd, &[all, constants]))
    }

    /// Loads each segment and concatenates them.
    pub(in crate::vectorize) fn load_segments(&mut self, inst: &Inst, segments: &SegmentAddresses) -> Value {
        let segment = Type::vector(inst.ty.kind, segments.length);
        let mut parts: Vec<Value> = Vec::new();
        for &at in &segments.at {
            let ty = if segments.is_uniform { inst.ty } else { segment };
            let loaded = self.b.value(Op::Load, ty, &[at], Attr::Mem(inst.mem()));
            parts.push(if segments.is_uniform { self.b.splat(segment, loaded) } else { loaded });
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
    pub(in crate::vectorize) fn store_segments(&mut self, inst: &Inst, segments: &SegmentAddresses) {
        let (value, mem) = (inst.args[1], inst.mem());
        for (&at, first) in segments.at.iter().zip((0..).step_by(segments.length.into())) {
            let last = first + segments.length - 1;
            let stored = if segments.is_uniform {
                self.lane(value, last)
            } else {
                let vector = self.vector(value);
                self.b.shuffle(vector, vector, &(first..=last).collect::<Vec<u16>>())
            };
            self.b.store(stored, at, mem);
        }
    }
}
