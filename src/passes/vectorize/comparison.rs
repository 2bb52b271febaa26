//! Comparisons of all lanes.

use super::Refusal;
use super::divergence::VectorShape;
use super::stride::Stride;
use super::widen::Widener;
use grus_ir::{Inst, IntCond, Kind, Op, Type, Value};

/// Minimum number of lanes for comparisons with 32 bits: fewer lanes of 64 bits fit into one AVX2 register, and so does
/// the mask that their other operations need.
// Source: bits of an AVX2 register.
const MIN_NARROWED_LANES: u16 = 8;

/// Largest distance from the first lane, with the sign bit clear.
// Source: the largest number of the type.
const MAX_DISTANCE: u64 = i32::MAX as u64;

impl Widener<'_, '_> {
    /// Emits a comparison.
    pub(super) fn comparison(&mut self, inst: &Inst) -> Result<Value, Refusal> {
        if let Some(mask) = self.distance_comparison(inst) {
            return Ok(mask);
        }
        let [a, b] = [0, 1].map(|i| self.vector(inst.args[i]));
        if self.source.func.ty(inst.args[0]).kind != Kind::I1 {
            let ty = self.widened_type(inst.ty);
            return Ok(self.b.value(inst.op, ty, &[a, b], inst.attr.clone()));
        }
        let differ = self.b.same(Op::Xor, &[a, b]);
        match inst.int_cond() {
            IntCond::Ne => Ok(differ),
            IntCond::Eq => Ok(self.not(differ)),
            _ => Err(Refusal::Op(inst.op)),
        }
    }

    /// Emits a comparison of an affine value of 64 bits, such as a global id, with a uniform one, as a comparison of 32
    /// bits: how far each lane is from the first one, with how far the uniform value is. Returns none if the instruction
    /// is no such comparison.
    fn distance_comparison(&mut self, inst: &Inst) -> Option<Value> {
        let &[a, b] = &inst.args[..] else { return None };
        if inst.op != Op::Icmp || self.source.func.ty(a) != Type::I64 || self.lanes < MIN_NARROWED_LANES {
            return None;
        }
        let (stride, a, b, cond) = match [a, b].map(|arg| self.shape(arg)) {
            [VectorShape::Affine(stride), other] if other.is_uniform() => (stride, a, b, inst.int_cond()),
            [other, VectorShape::Affine(stride)] if other.is_uniform() => {
                (stride, b, a, inst.int_cond().swapped())
            }
            _ => return None,
        };
        if !self.has_distances(stride, cond) {
            return None;
        }
        let [first, bound] = [a, b].map(|value| self.scalar(value));
        let distance = self.b.same(Op::Isub, &[bound, first]);
        let [zero, none, max] = [0, u64::MAX, MAX_DISTANCE].map(|bits| self.b.iconst(Type::I64, bits));
        // The distance of the bound, limited such that all lanes compare alike.
        let distance = match cond {
            IntCond::Eq | IntCond::Ne => {
                let is_near = self.b.icmp(IntCond::Ule, distance, max);
                self.b.select(is_near, distance, none)
            }
            _ => {
                let is_below = matches!(cond, IntCond::Slt | IntCond::Sle | IntCond::Ult | IntCond::Ule);
                let below = if is_below { cond } else { cond.negated() };
                let is_after = self.b.icmp(below, first, bound);
                let near = self.b.same(Op::Umin, &[distance, max]);
                let is_strict = matches!(below, IntCond::Slt | IntCond::Ult);
                self.b.select(is_after, near, if is_strict { zero } else { none })
            }
        };
        let distance = self.b.convert(Op::Trunc, Type::I32, distance);
        let wide = self.widened_type(Type::I32);
        let distance = self.b.splat(wide, distance);
        let lanes = self.step_vector(wide, stride.step);
        let cond = match cond {
            IntCond::Eq | IntCond::Ne => cond,
            IntCond::Slt | IntCond::Ult => IntCond::Slt,
            IntCond::Sle | IntCond::Ule => IntCond::Sle,
            IntCond::Sgt | IntCond::Ugt => IntCond::Sgt,
            IntCond::Sge | IntCond::Uge => IntCond::Sge,
        };
        Some(self.b.icmp(cond, lanes, distance))
    }

    /// Checks whether all lanes are less than 2³¹ after the first one in the order of a comparison.
    fn has_distances(&self, stride: Stride, cond: IntCond) -> bool {
        let is_ordered = match cond {
            IntCond::Eq | IntCond::Ne => true,
            _ if cond.is_signed() => stride.no_signed_wrap,
            _ => stride.max.is_some(),
        };
        let last =
            u64::try_from(stride.step).ok().and_then(|step| step.checked_mul(u64::from(self.lanes) - 1));
        is_ordered && stride.step > 0 && last.is_some_and(|last| last < MAX_DISTANCE)
    }
}
