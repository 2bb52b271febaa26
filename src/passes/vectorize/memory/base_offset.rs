//! Pointers of lanes as a uniform base, and an index of 32 or 64 bits for each lane that is scaled. Gather and
//! scatter instructions take these operands, and they are cheaper to compute than pointers.

use super::super::divergence::{VectorShape, VectorShapes};
use super::super::stride::MAX_I32;
use super::super::widen::Widener;
use crate::alias::{Sum, Terms, full};
use crate::scalar::simplify::max_value;
use grus_ir::{Attr, Inst, Kind, Op, Type, Value};

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
        if let Some(object) = self.source.interleaved.object(pointer) {
            return self.interleaved_index(pointer, object);
        }
        let Some((base, mut index, uniform_offsets)) = self.uniform_base(pointer) else {
            let varying_sum = self.varying_sum(pointer)?;
            let emitted = self.emit_small_sum(&varying_sum);
            return Some(emitted.unwrap_or_else(|| self.emit_sum(&varying_sum)));
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
        let extension = self.available_def(index).filter(|inst| {
            let (op, from) = (inst.op, inst.args.first().map(|&arg| self.source.func.ty(arg)));
            inst.ty == Type::I64 && (op == Op::Sext && from == Some(Type::I32) || op == Op::Zext)
        });
        let narrow = extension.and_then(|inst| self.narrow(inst.op, inst.args[0]));
        let narrow = narrow.or_else(|| self.bounded_lanes(index, MAX_DEPTH));
        let index = narrow.unwrap_or_else(|| self.vector(index));
        let mut base_address = self.uniform_sum(base, &uniform_offsets);
        if let Some(uniform_term) = uniform_term {
            let scale_factor = self.b.iconst(Type::I64, scale.into());
            let uniform_term = self.scalar(uniform_term);
            let offset = self.b.same(Op::Imul, &[uniform_term, scale_factor]);
            base_address = self.b.ptr_add(base_address, offset);
        }
        Some(BaseIndex { base: base_address, index, scale })
    }

    /// Returns base and index of a pointer into a lane-interleaved object, where each lane has elements of its own, unless it
    /// is a choice of pointers. The index is the number of the element, of 32 bits, since such objects are small
    /// (`MAX_PRIVATE_BYTES`).
    fn interleaved_index(&mut self, pointer: Value, object: Value) -> Option<BaseIndex> {
        let size = self.source.interleaved.element(object)?;
        let (mut varying, mut uniform, mut at) = (Vec::new(), Vec::new(), pointer);
        while at != object {
            let inst = self.available_def(at).filter(|inst| inst.op == Op::PtrAdd)?;
            let offset = inst.args[1];
            if self.shape(offset).is_uniform() {
                uniform.push(offset)
            } else {
                varying.push(offset)
            }
            at = inst.args[0];
        }
        let base = self.uniform_sum(object, &uniform);
        let ty = Type::vector(Kind::I32, self.lanes);
        let mut index = self.b.value(Op::Iota, ty, &[], Attr::None);
        for offset in varying {
            let number = self.element_number(offset, size);
            index = self.b.same(Op::Iadd, &[index, number]);
        }
        Some(BaseIndex { base, index, scale: size })
    }

    /// Adds uniform offsets to the first lane of a pointer.
    fn uniform_sum(&mut self, base: Value, offsets: &[Value]) -> Value {
        let mut sum = self.scalar(base);
        for &offset in offsets {
            let offset = self.scalar(offset);
            sum = self.b.ptr_add(sum, offset);
        }
        sum
    }

    /// Returns the lanes of an integer of up to 32 bits, extended by an op, as signed numbers of 32 bits, if these have the
    /// same values as its extension to 64 bits.
    fn narrow(&mut self, extension: Op, value: Value) -> Option<Value> {
        let bits = self.source.func.ty(value).kind.bits();
        let fits = extension == Op::Sext || bits < 32 || self.max_index(value).is_some();
        if !fits || !(8..=32).contains(&bits) {
            return None;
        }
        let lanes = self.vector(value);
        Some(self.b.convert(extension, Type::vector(Kind::I32, self.lanes), lanes))
    }

    /// Returns the lanes of an integer of 64 bits as numbers of 32 bits, if it has a bound.
    fn bounded_lanes(&mut self, value: Value, depth: usize) -> Option<Value> {
        if self.source.func.ty(value) != Type::I64 || self.max_index(value).is_none() {
            return None;
        }
        let ty = Type::vector(Kind::I32, self.lanes);
        let def = self.available_def(value).filter(|_| depth > 0);
        let constant = |inst: &Inst| self.source.func.as_const(*inst.args.get(1)?);
        Some(match def.and_then(|inst| Some((inst.op, inst.args[0], constant(inst)?))) {
            Some((Op::And, number, mask)) => {
                let lanes = self.low_lanes(number);
                let mask = self.b.iconst(ty, mask);
                self.b.same(Op::And, &[lanes, mask])
            }
            Some((op @ (Op::Imul | Op::Shl), number, by)) if self.max_index(number).is_some() => {
                let lanes = self.bounded_lanes(number, depth - 1)?;
                let by = self.b.iconst(ty, by);
                self.b.same(op, &[lanes, by])
            }
            _ => self.low_lanes(value),
        })
    }

    /// Returns the lower halves of the lanes of an integer of 64 bits.
    fn low_lanes(&mut self, value: Value) -> Value {
        if let VectorShape::Affine(stride) = self.shape(value) {
            let first = self.scalar(value);
            let first = self.b.convert(Op::Trunc, Type::I32, first);
            return self.affine_vector(first, stride.step);
        }
        let lanes = self.vector(value);
        self.b.convert(Op::Trunc, Type::vector(Kind::I32, self.lanes), lanes)
    }

    /// Returns an upper bound of a value, if one is known that is no larger than the largest signed number of 32 bits.
    fn max_index(&self, value: Value) -> Option<u64> {
        let max = max_value(self.source.func, value, MAX_DEPTH as u32);
        let full = full(self.source.func.ty(value).kind);
        Some(max.unwrap_or(full)).filter(|&max| max <= MAX_I32)
    }

    /// Returns the number of elements of `size` bytes in an offset of 64 bits, as a vector of 32 bits, to which it is cut.
    fn element_number(&mut self, offset: Value, size: u32) -> Value {
        let ty = Type::vector(Kind::I32, self.lanes);
        let (mut value, mut count) = (offset, 1);
        while let Some(inst) = self.available_def(value)
            && let Some(factor) = self.scale_factor(inst)
            && let Some(product) = factor.checked_mul(count)
        {
            (value, count) = (inst.args[0], product);
        }
        if !count.is_multiple_of(size) {
            let offset = self.vector(offset);
            let number = self.b.shift(Op::Ashr, offset, size.trailing_zeros());
            return self.b.convert(Op::Trunc, ty, number);
        }
        let extension = self.available_def(value).filter(|inst| {
            let bits = inst.args.first().map_or(0, |&arg| self.source.func.ty(arg).kind.bits());
            matches!(inst.op, Op::Sext | Op::Zext) && (8..=32).contains(&bits)
        });
        let number = match extension {
            Some(inst) => {
                let narrow = self.vector(inst.args[0]);
                self.b.convert(inst.op, ty, narrow)
            }
            None => {
                let whole = self.vector(value);
                self.b.convert(Op::Trunc, ty, whole)
            }
        };
        let count = self.b.iconst(ty, u64::from(count / size));
        self.b.same(Op::Imul, &[number, count])
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

    /// Emits the uniform part of a sum.
    fn emit_base(&mut self, varying_sum: &VaryingSum) -> Value {
        let mut base = self.scalar(varying_sum.base);
        for &((op, value), extend_and_multiply) in &varying_sum.shared {
            let value = self.scalar(value);
            let offset = self.extend_and_multiply(op, value, extend_and_multiply);
            base = self.b.ptr_add(base, offset);
        }
        match varying_sum.constant {
            0 => base,
            constant => self.b.ptr_offset(base, constant as u64),
        }
    }

    /// Emits base and index of a sum whose varying part is a number of 32 bits: its terms are affine, and then their first
    /// lanes are added to the base, or have bounds. Sums with equal varying terms share one index.
    fn emit_small_sum(&mut self, varying_sum: &VaryingSum) -> Option<BaseIndex> {
        let (mut affine, mut bounded) = (Terms::new(), Terms::new());
        let (mut step, mut limit) = (0i64, 0u64);
        for &term in &varying_sum.varying {
            let ((op, value), times) = term;
            let max = match self.shape(value) {
                VectorShape::Affine(stride)
                    if op.is_none() || op == Some(Op::Zext) && stride.max.is_some() =>
                {
                    affine.push(term);
                    step = step.checked_add(stride.step.checked_mul(times)?)?;
                    stride.step.unsigned_abs().checked_mul(self.lanes.into())?
                }
                _ => {
                    bounded.push(term);
                    self.max_index(value)?
                }
            };
            limit = limit.checked_add(max.checked_mul(times.unsigned_abs())?)?;
        }
        if limit > MAX_I32 {
            return None;
        }
        let mut base = self.emit_base(varying_sum);
        for ((op, value), times) in affine {
            let first = self.scalar(value);
            let offset = self.extend_and_multiply(op, first, times);
            base = self.b.ptr_add(base, offset);
        }
        let ty = Type::vector(Kind::I32, self.lanes);
        let key = (self.b.block, varying_sum.varying.clone());
        let index = match self.memory_state.offset_indices.get(&key) {
            Some(&index) => index,
            None => {
                let mut index = self.step_vector(ty, step);
                for ((op, value), times) in bounded {
                    let lanes = match op {
                        Some(op) => {
                            let lanes = self.vector(value);
                            self.b.convert(op, ty, lanes)
                        }
                        None => self.bounded_lanes(value, MAX_DEPTH)?,
                    };
                    let times = self.b.iconst(ty, times as u64);
                    let product = self.b.same(Op::Imul, &[lanes, times]);
                    index = self.b.same(Op::Iadd, &[index, product]);
                }
                index
            }
        };
        self.memory_state.offset_indices.insert(key, index);
        Some(BaseIndex { base, index, scale: 1 })
    }

    /// Emits base and index of any sum. Sums with equal varying terms share one index.
    fn emit_sum(&mut self, varying_sum: &VaryingSum) -> BaseIndex {
        let base = self.emit_base(varying_sum);
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
