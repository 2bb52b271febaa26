//! Pointers of lanes as a uniform base, and an index of 32 or 64 bits for each lane that is scaled. Gather and
//! scatter instructions take these operands, and they are cheaper to compute than pointers.

use super::super::divergence::VectorShapes;
use super::super::widen::Widener;
use crate::alias::{Sum, Terms};
use grus_ir::{Inst, Kind, Op, Type, Value};

/// Addresses of lanes: `base` + `index` × `scale`, with a signed index.
pub(in crate::vectorize) struct BaseIndex {
    /// Uniform base.
    pub base: Value,
    /// Index of each lane, of 32 or 64 bits.
    pub index: Value,
    pub scale: u32,
}

/// A pointer as a sum with several varying terms.
struct VaryingSum {
    /// Uniform part: a pointer, terms, and a constant.
    base: Value,
    shared: Terms,
    constant: i64,
    varying: Terms,
}

/// Limit of additions that are analyzed.
// Arbitrary.
const MAX_DEPTH: usize = 4;
/// Limit of varying terms that are added up for an index.
// Arbitrary.
const MAX_VARYING_TERMS: usize = 4;

impl<'f> Widener<'f, '_> {
    /// Returns base and index of a varying pointer, if it has them.
    pub(in crate::vectorize) fn base_index(&mut self, pointer: Value) -> Option<BaseIndex> {
        if self.is_lane_interleaved(pointer) {
            return None;
        }
        let Some((base, mut index, uniform_offsets)) = self.uniform_base(pointer) else {
            let varying_sum = self.varying_sum(pointer)?;
            return Some(self.emit_sum(&varying_sum));
        };
        let mut scale = 1;
        if let Some((inst, scale_factor)) =
            self.available_def(index).and_then(|inst| Some((inst, self.scale_factor(inst)?)))
        {
            (index, scale) = (inst.args[0], scale_factor);
        }
        // A uniform term that is added before scaling.
        let mut uniform_term = None;
        if let Some(inst) = self.available_def(index).filter(|inst| inst.op == Op::Iadd)
            && let Some(at) = inst.args.iter().position(|&arg| self.shape(arg).is_uniform())
        {
            (uniform_term, index) = (Some(inst.args[at]), inst.args[1 - at]);
        }
        if let Some(inst) = self.available_def(index).filter(|inst| inst.op == Op::Sext)
            && self.source.func.ty(inst.args[0]) == Type::I32
        {
            index = inst.args[0];
        }
        let mut base_address = self.scalar(base);
        for offset in uniform_offsets {
            let offset = self.scalar(offset);
            base_address = self.b.ptr_add(base_address, offset);
        }
        if let Some(uniform_term) = uniform_term {
            let scale_factor = self.b.iconst(Type::I64, scale.into());
            let uniform_term = self.scalar(uniform_term);
            let offset = self.b.same(Op::Imul, &[uniform_term, scale_factor]);
            base_address = self.b.ptr_add(base_address, offset);
        }
        Some(BaseIndex { base: base_address, index: self.vector(index), scale })
    }

    /// Checks whether a varying pointer has a base and an index.
    pub(in crate::vectorize) fn has_base_index(&self, pointer: Value) -> bool {
        self.uniform_base(pointer).is_some() || self.varying_sum(pointer).is_some()
    }

    /// Returns the sum that a pointer is, if its terms are defined here.
    fn varying_sum(&self, pointer: Value) -> Option<VaryingSum> {
        let source = self.source;
        let shapes: &VectorShapes<'_> = source.shapes;
        let bound = |value| shapes.bound(value);
        let uniform_term = Sum::of(source.func, pointer, &bound, &|value| value);
        let (mut base, mut shared, mut varying) = (None, Terms::new(), Terms::new());
        for term in uniform_term.terms {
            let ((_, value), extend_and_multiply) = term;
            if !self.is_defined(value) || shapes.is_temporally_divergent(value, self.current) {
                return None;
            }
            match (source.func.ty(value).kind.is_ptr(), self.shape(value).is_uniform()) {
                (true, true) if extend_and_multiply == 1 && base.is_none() => base = Some(value),
                (true, _) => return None,
                (false, true) => shared.push(term),
                (false, false) => varying.push(term),
            }
        }
        let is_small = (1..=MAX_VARYING_TERMS).contains(&varying.len());
        Some(VaryingSum { base: base?, shared, constant: uniform_term.constant, varying })
            .filter(|_| is_small)
    }

    /// Emits base and index of such a sum. Sums with equal varying terms share one index.
    fn emit_sum(&mut self, varying_sum: &VaryingSum) -> BaseIndex {
        let mut base = self.scalar(varying_sum.base);
        for &((op, value), extend_and_multiply) in &varying_sum.shared {
            let value = self.scalar(value);
            let offset = self.extend_and_multiply(op, value, extend_and_multiply);
            base = self.b.ptr_add(base, offset);
        }
        if varying_sum.constant != 0 {
            base = self.b.ptr_offset(base, varying_sum.constant as u64);
        }
        let key = (self.b.block, varying_sum.varying.clone());
        let index = self.memory_state.offset_indices.get(&key).copied().unwrap_or_else(|| {
            let terms: Vec<Value> = (varying_sum.varying.iter())
                .map(|&((op, value), extend_and_multiply)| {
                    let lanes = self.vector(value);
                    self.extend_and_multiply(op, lanes, extend_and_multiply)
                })
                .collect();
            terms.into_iter().reduce(|a, b| self.b.same(Op::Iadd, &[a, b])).expect("something varies")
        });
        self.memory_state.offset_indices.insert(key, index);
        BaseIndex { base, index, scale: 1 }
    }

    /// Emits the extension of a scalar or vector by an operation, multiplied by `times`.
    fn extend_and_multiply(&mut self, op: Option<Op>, value: Value, extend_and_multiply: i64) -> Value {
        let ty = self.b.func.ty(value);
        let wide_type = if ty.is_vector() { Type::vector(Kind::I64, ty.lanes) } else { Type::I64 };
        let value = op.map_or(value, |op| self.b.convert(op, wide_type, value));
        if extend_and_multiply == 1 {
            return value;
        }
        let factor = self.b.iconst(Type::I64, extend_and_multiply as u64);
        let factor = if wide_type.is_vector() { self.b.splat(wide_type, factor) } else { factor };
        self.b.same(Op::Imul, &[value, factor])
    }

    /// Returns a uniform pointer, a varying offset, and uniform offsets whose sum is the pointer.
    fn uniform_base(&self, mut pointer: Value) -> Option<(Value, Value, Vec<Value>)> {
        let mut uniform_offsets = Vec::new();
        for _ in 0..MAX_DEPTH {
            let inst = self.available_def(pointer).filter(|inst| inst.op == Op::PtrAdd)?;
            let &[base, offset] = &inst.args[..] else { return None };
            match (self.shape(base).is_uniform(), self.shape(offset).is_uniform()) {
                (true, _) => return Some((base, offset, uniform_offsets)),
                (false, true) => uniform_offsets.push(offset),
                (false, false) => return None,
            }
            pointer = base;
        }
        None
    }

    /// Returns the constant by which an offset is multiplied.
    fn scale_factor(&self, inst: &Inst) -> Option<u32> {
        let factor = self.source.func.as_const(*inst.args.get(1)?)?;
        match inst.op {
            Op::Imul => u32::try_from(factor).ok(),
            Op::Shl => 1u32.checked_shl(u32::try_from(factor).ok()?).filter(|_| factor < 31),
            _ => None,
        }
    }

    /// Returns the instruction that defines a value, if its operands have the same values here.
    fn available_def(&self, value: Value) -> Option<&'f Inst> {
        let source = self.source;
        let inst = source.func.def_inst(value)?;
        let is_here =
            |&arg: &Value| self.is_defined(arg) && !source.shapes.is_temporally_divergent(arg, self.current);
        inst.args.iter().all(is_here).then_some(inst)
    }
}
