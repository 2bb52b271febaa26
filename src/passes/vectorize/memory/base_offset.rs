//! Pointers of lanes as a uniform base, and an index of 32 or 64 bits for each lane that is scaled. Gather and
//! scatter instructions take these operands, and they are cheaper to compute than pointers.

use super::super::divergence::Shapes;
use super::super::widen::Widener;
use crate::ir::{Inst, Kind, Op, Type, Value};
use crate::passes::alias::{Sum, Terms};

/// Addresses of lanes: `base` + `index` × `scale`, with a signed index.
pub(in crate::passes::vectorize) struct Offsets {
    /// Uniform base.
    pub base: Value,
    /// Index of each lane, of 32 or 64 bits.
    pub index: Value,
    pub scale: u32,
}

/// A pointer as a sum with several varying terms.
struct Split {
    /// Uniform part: a pointer, terms, and a constant.
    base: Value,
    shared: Terms,
    constant: i64,
    varying: Terms,
}

/// Limit of additions that are analyzed.
// Arbitrary.
const DEPTH: usize = 4;
/// Limit of varying terms that are added up for an index.
// Arbitrary.
const MOST_VARYING: usize = 4;

impl<'f> Widener<'f, '_> {
    /// Returns base and index of a varying pointer, if it has them.
    pub(in crate::passes::vectorize) fn offsets(&mut self, pointer: Value) -> Option<Offsets> {
        if self.is_own(pointer) {
            return None;
        }
        let Some((base, mut index, more)) = self.base_of(pointer) else {
            let split = self.split(pointer)?;
            return Some(self.summed(&split));
        };
        let mut scale = 1;
        if let Some((inst, factor)) = self.seen(index).and_then(|inst| Some((inst, self.factor(inst)?))) {
            (index, scale) = (inst.args[0], factor);
        }
        // A uniform term that is added before scaling.
        let mut sum = None;
        if let Some(inst) = self.seen(index).filter(|inst| inst.op == Op::Iadd)
            && let Some(at) = inst.args.iter().position(|&arg| self.shape(arg).is_uniform())
        {
            (sum, index) = (Some(inst.args[at]), inst.args[1 - at]);
        }
        if let Some(inst) = self.seen(index).filter(|inst| inst.op == Op::Sext)
            && self.source.func.ty(inst.args[0]) == Type::I32
        {
            index = inst.args[0];
        }
        let mut place = self.scalar(base);
        for offset in more {
            let offset = self.scalar(offset);
            place = self.b.ptr_add(place, offset);
        }
        if let Some(sum) = sum {
            let factor = self.b.iconst(Type::I64, scale.into());
            let sum = self.scalar(sum);
            let offset = self.b.same(Op::Imul, &[sum, factor]);
            place = self.b.ptr_add(place, offset);
        }
        Some(Offsets { base: place, index: self.vector(index), scale })
    }

    /// Checks whether a varying pointer has a base and an index.
    pub(in crate::passes::vectorize) fn has_base(&self, pointer: Value) -> bool {
        self.base_of(pointer).is_some() || self.split(pointer).is_some()
    }

    /// Returns the sum that a pointer is, if its terms are defined here.
    fn split(&self, pointer: Value) -> Option<Split> {
        let source = self.source;
        let shapes: &Shapes<'_> = source.shapes;
        let bound = |value| shapes.bound(value);
        let sum = Sum::of(source.func, pointer, &bound, &|value| value);
        let (mut base, mut shared, mut varying) = (None, Terms::new(), Terms::new());
        for term in sum.terms {
            let ((_, value), times) = term;
            if !self.is_defined(value) || shapes.leaves(value, self.here) {
                return None;
            }
            match (source.func.ty(value).kind.is_ptr(), self.shape(value).is_uniform()) {
                (true, true) if times == 1 && base.is_none() => base = Some(value),
                (true, _) => return None,
                (false, true) => shared.push(term),
                (false, false) => varying.push(term),
            }
        }
        let is_short = (1..=MOST_VARYING).contains(&varying.len());
        Some(Split { base: base?, shared, constant: sum.constant, varying }).filter(|_| is_short)
    }

    /// Emits base and index of such a sum. Sums with equal varying terms share one index.
    fn summed(&mut self, split: &Split) -> Offsets {
        let mut base = self.scalar(split.base);
        for &((op, value), times) in &split.shared {
            let value = self.scalar(value);
            let offset = self.times(op, value, times);
            base = self.b.ptr_add(base, offset);
        }
        if split.constant != 0 {
            base = self.b.ptr_offset(base, split.constant as u64);
        }
        let key = (self.b.block, split.varying.clone());
        let index = self.indices.get(&key).copied().unwrap_or_else(|| {
            let parts: Vec<Value> = (split.varying.iter())
                .map(|&((op, value), times)| {
                    let lanes = self.vector(value);
                    self.times(op, lanes, times)
                })
                .collect();
            parts.into_iter().reduce(|a, b| self.b.same(Op::Iadd, &[a, b])).expect("something varies")
        });
        self.indices.insert(key, index);
        Offsets { base, index, scale: 1 }
    }

    /// Emits the extension of a scalar or vector by an operation, multiplied by `times`.
    fn times(&mut self, op: Option<Op>, value: Value, times: i64) -> Value {
        let ty = self.b.func.ty(value);
        let long = if ty.is_vector() { Type::vector(Kind::I64, ty.lanes) } else { Type::I64 };
        let value = op.map_or(value, |op| self.b.convert(op, long, value));
        if times == 1 {
            return value;
        }
        let by = self.b.iconst(Type::I64, times as u64);
        let by = if long.is_vector() { self.b.splat(long, by) } else { by };
        self.b.same(Op::Imul, &[value, by])
    }

    /// Returns a uniform pointer, a varying offset, and uniform offsets whose sum is the pointer.
    fn base_of(&self, mut pointer: Value) -> Option<(Value, Value, Vec<Value>)> {
        let mut more = Vec::new();
        for _ in 0..DEPTH {
            let inst = self.seen(pointer).filter(|inst| inst.op == Op::PtrAdd)?;
            let &[base, offset] = &inst.args[..] else { return None };
            match (self.shape(base).is_uniform(), self.shape(offset).is_uniform()) {
                (true, _) => return Some((base, offset, more)),
                (false, true) => more.push(offset),
                (false, false) => return None,
            }
            pointer = base;
        }
        None
    }

    /// Returns the constant by which an offset is multiplied.
    fn factor(&self, inst: &Inst) -> Option<u32> {
        let by = self.source.func.as_const(*inst.args.get(1)?)?;
        match inst.op {
            Op::Imul => u32::try_from(by).ok(),
            Op::Shl => 1u32.checked_shl(u32::try_from(by).ok()?).filter(|_| by < 31),
            _ => None,
        }
    }

    /// Returns the instruction that defines a value, if its operands have the same values here.
    fn seen(&self, value: Value) -> Option<&'f Inst> {
        let source = self.source;
        let inst = source.func.def_inst(value)?;
        let is_here = |&arg: &Value| self.is_defined(arg) && !source.shapes.leaves(arg, self.here);
        inst.args.iter().all(is_here).then_some(inst)
    }
}
