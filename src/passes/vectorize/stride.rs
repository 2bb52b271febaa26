//! Affine values: the facts known about a value that is affine in the lane number, and their propagation
//! through arithmetic.

use super::super::alias::full;
use grus_ir::interp::signed;
use grus_ir::{Function, Inst, IntCond, Kind, NoWrap, Op, Type};

/// Facts about a value that differs by a constant from lane to lane.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Stride {
    /// Difference between neighboring lanes, modulo the width.
    pub step: i64,
    /// True if no lane wraps as a signed integer.
    pub no_signed_wrap: bool,
    /// Largest value in any lane, if no lane wraps as an unsigned integer.
    pub max: Option<u64>,
    /// Guarantees that hold for active lanes only: the value is a sum or product that does not wrap in an active lane, of
    /// operands of which the same is known. Its extension is affine if it is computed from extended operands.
    pub active_no_wrap: NoWrap,
    /// Number of low bits known to be zero in the first lane.
    pub known_trailing_zeros: u8,
}

/// Bounds for 31 bits and for 32 bits: a join rounds the upper bound up to one of these, so that the analysis
/// terminates.
// Source: the largest numbers of these types.
pub(super) const MAX_I32: u64 = i32::MAX as u64;
const MAX_U32: u64 = u32::MAX as u64;

impl Stride {
    /// Returns the facts about any uniform value.
    pub(super) fn uniform(kind: Kind) -> Stride {
        Stride { no_signed_wrap: true, max: Some(full(kind)), ..Stride::unbounded(0) }
    }

    /// Returns an affine value of which only the step is known.
    pub(super) fn unbounded(step: i64) -> Stride {
        let active_no_wrap = NoWrap::default();
        Stride { step, no_signed_wrap: false, max: None, active_no_wrap, known_trailing_zeros: 0 }
    }

    /// Returns the number of the lane.
    pub(super) fn lane(lanes: u16) -> Stride {
        Stride {
            no_signed_wrap: true,
            max: Some(u64::from(lanes) - 1),
            known_trailing_zeros: lanes.trailing_zeros() as u8,
            ..Stride::unbounded(1)
        }
    }

    /// Returns an affine value from 0 to 2³¹ - 1.
    pub(super) fn non_negative_i32(step: i64) -> Stride {
        Stride { no_signed_wrap: true, max: Some(MAX_I32), ..Stride::unbounded(step) }
    }

    pub(super) fn join(self, other: Stride) -> Option<Stride> {
        // Few different values, so that the analysis of loops terminates.
        let zeros = match (self.known_trailing_zeros, other.known_trailing_zeros) {
            (a, b) if a == b => a,
            (a, b) => [6, 4, 3].into_iter().find(|&few| few <= a.min(b)).unwrap_or(0),
        };
        let max = match (self.max, other.max) {
            (Some(a), Some(b)) if a == b => Some(a),
            (Some(a), Some(b)) if a.max(b) <= MAX_I32 => Some(MAX_I32),
            (Some(a), Some(b)) if a.max(b) <= MAX_U32 => Some(MAX_U32),
            // Uniform values do not wrap from lane to lane.
            (Some(_), Some(_)) if self.step == 0 => Some(u64::MAX),
            _ => None,
        };
        (self.step == other.step).then_some(Stride {
            step: self.step,
            no_signed_wrap: self.no_signed_wrap && other.no_signed_wrap,
            max,
            active_no_wrap: self.active_no_wrap.intersection(other.active_no_wrap),
            known_trailing_zeros: zeros,
        })
    }

    /// Returns the extensions after which the value is affine, in active lanes.
    fn extensions(self) -> NoWrap {
        let NoWrap { signed, unsigned } = self.active_no_wrap;
        NoWrap { signed: signed || self.no_signed_wrap, unsigned: unsigned || self.max.is_some() }
    }

    /// Checks whether the extension of the value must be computed from extended operands, since the first lane may
    /// wrap.
    pub(super) fn extends_operands(self, extension: Op) -> bool {
        match extension {
            Op::Sext => self.active_no_wrap.signed && !self.no_signed_wrap,
            Op::Zext => self.active_no_wrap.unsigned && self.max.is_none(),
            _ => false,
        }
    }

    /// Returns the facts about a value that is one of several: those of its operands are lost.
    pub(super) fn joined(self) -> Stride {
        Stride { active_no_wrap: NoWrap::default(), ..self }
    }

    /// Returns the number of low bits that contain all differences between lanes, if the first lane has zeros
    /// there.
    fn varying_bits(self, lanes: u16) -> Option<u32> {
        let last = u64::try_from(self.step).ok()?.checked_mul(u64::from(lanes) - 1)?;
        let bits = 64 - last.leading_zeros();
        (bits <= self.known_trailing_zeros.into()).then_some(bits)
    }

    /// Checks whether all lanes are non-negative as signed integers.
    fn is_non_negative(self, kind: Kind) -> bool {
        self.max.is_some_and(|max| max <= full(kind) >> 1)
    }
}

/// Returns what an instruction guarantees for all lanes: in a masked block, what it guarantees holds for active lanes
/// only, which the first lane need not be, unless all lanes are alike.
pub(super) fn no_wrap_in_all_lanes(inst: &Inst, is_masked: bool, is_uniform: bool) -> NoWrap {
    if is_masked && !is_uniform { NoWrap::default() } else { inst.no_wrap() }
}

/// Returns the facts about the result of an instruction with affine operands, if it is affine; `all` are those
/// of the operands, by position. `is_masked` says whether only a part of the lanes may execute it.
pub(super) fn result(
    func: &Function,
    inst: &Inst,
    all: &[Stride],
    lanes: u16,
    is_masked: bool,
) -> Option<Stride> {
    let is_uniform = all.iter().all(|stride| stride.step == 0);
    if inst.ty.is_vector() || inst.ty.kind.is_float() {
        return is_uniform.then(|| Stride::uniform(inst.ty.kind));
    }
    let no_wrap = no_wrap_in_all_lanes(inst, is_masked, is_uniform);
    match (Transfer { func, inst, all, lanes, no_wrap }).apply() {
        Some(result) if result.step == 0 => {
            let max = result.max.unwrap_or(full(inst.ty.kind));
            Some(Stride { no_signed_wrap: true, max: Some(max), ..result })
        }
        result if !is_uniform => result,
        _ => Some(Stride::uniform(inst.ty.kind)),
    }
}

struct Transfer<'f> {
    func: &'f Function,
    inst: &'f Inst,
    all: &'f [Stride],
    lanes: u16,
    /// Guarantees of the instruction for all lanes.
    no_wrap: NoWrap,
}

impl Transfer<'_> {
    /// Returns the value of a constant operand.
    fn constant(&self, i: usize) -> Option<u64> {
        self.func.as_const(self.inst.args[i])
    }

    /// Returns a constant shift amount, modulo the width.
    fn shift_amount(&self, i: usize) -> Option<u32> {
        Some((self.constant(i)? % u64::from(self.kind().bits())) as u32)
    }

    fn kind(&self) -> Kind {
        self.inst.ty.kind
    }

    /// Builds the facts about a result. A result that does not wrap as an unsigned integer, and is small, does
    /// not wrap as a signed one.
    fn arithmetic(&self, step: i64, max: Option<u64>, zeros: u32) -> Stride {
        let all = full(self.kind());
        let max = max.filter(|&max| max <= all);
        let keeps_no_signed_wrap = self.no_wrap.signed && self.all.iter().all(|stride| stride.no_signed_wrap);
        let no_signed_wrap = keeps_no_signed_wrap || max.is_some_and(|max| max <= all >> 1);
        let active_no_wrap =
            self.all.iter().fold(self.inst.no_wrap(), |all, stride| all.intersection(stride.extensions()));
        Stride { step, no_signed_wrap, max, active_no_wrap, known_trailing_zeros: zeros.min(64) as u8 }
    }

    /// Returns the bound of a sum or product. If it does not wrap as a signed number, the result of non-negative
    /// operands is non-negative. If it does not wrap as an unsigned number, nor its operands from lane to lane, it
    /// does not either.
    fn bound_without_wrap(&self, max: Option<u64>) -> Option<u64> {
        let (kind, no_wrap) = (self.kind(), self.no_wrap);
        let largest = if no_wrap.signed && self.all.iter().all(|stride| stride.is_non_negative(kind)) {
            full(kind) >> 1
        } else if no_wrap.unsigned && self.all.iter().all(|stride| stride.max.is_some()) {
            full(kind)
        } else {
            return max;
        };
        Some(max.map_or(largest, |max| max.min(largest)))
    }

    fn apply(&self) -> Option<Stride> {
        let of = |i: usize| self.all[i];
        let zeros = |i: usize| u32::from(self.all[i].known_trailing_zeros);
        Some(match self.inst.op {
            Op::Iconst => {
                let bits = self.inst.int();
                self.arithmetic(0, Some(bits), bits.trailing_zeros())
            }
            Op::Iadd => {
                let max = of(0).max.zip(of(1).max).and_then(|(a, b)| a.checked_add(b));
                let max = self.bound_without_wrap(max);
                self.arithmetic(of(0).step.checked_add(of(1).step)?, max, zeros(0).min(zeros(1)))
            }
            Op::Isub => {
                // The difference of unsigned numbers is not larger than the first one.
                let is_smaller = self.no_wrap.unsigned && of(1).max.is_some();
                let max = of(0).max.filter(|_| is_smaller);
                self.arithmetic(of(0).step.checked_sub(of(1).step)?, max, zeros(0).min(zeros(1)))
            }
            Op::PtrAdd => Stride::unbounded(of(0).step.checked_add(of(1).step)?),
            Op::Imul => {
                let (a, b) = if of(1).step == 0 { (0, 1) } else { (1, 0) };
                let max = of(a).max.zip(of(b).max).and_then(|(a, b)| a.checked_mul(b));
                let is_negative = self.constant(b).is_some_and(|by| signed(self.kind().bits(), by) < 0);
                let max = if is_negative { None } else { self.bound_without_wrap(max) };
                let step = match self.constant(b) {
                    _ if of(a).step == 0 && of(b).step == 0 => 0,
                    Some(by) => of(a).step.checked_mul(signed(self.kind().bits(), by))?,
                    None => return None,
                };
                let mut product = self.arithmetic(step, max, zeros(0) + zeros(1));
                // The step is that of a product with a signed number.
                product.active_no_wrap.unsigned &= !is_negative;
                product
            }
            Op::Shl => {
                let by = self.shift_amount(1)?;
                let step = of(0).step.checked_mul(1i64.checked_shl(by).filter(|&by| by > 0)?)?;
                let max = self.bound_without_wrap(of(0).max.and_then(|max| max.checked_mul(1 << by)));
                let mut product = self.arithmetic(step, max, zeros(0) + by);
                // With more bits, a larger amount would be another one.
                if self.constant(1) != Some(by.into()) {
                    product = product.joined();
                }
                product
            }
            Op::And if self.constant(1).is_none() && of(0).step == 0 && of(1).step == 0 => {
                let max = of(0).max.into_iter().chain(of(1).max).min();
                self.arithmetic(0, max, zeros(0).max(zeros(1)))
            }
            Op::And => self.and_mask(0, self.constant(1)?)?,
            Op::Urem => self.and_mask(0, self.power_of_two(1)? - 1)?,
            Op::Srem if of(0).is_non_negative(self.kind()) => self.and_mask(0, self.power_of_two(1)? - 1)?,
            Op::Lshr => self.shift_right(0, self.shift_amount(1)?)?,
            Op::Ashr if of(0).is_non_negative(self.kind()) => self.shift_right(0, self.shift_amount(1)?)?,
            Op::Udiv => self.shift_right(0, self.power_of_two(1)?.trailing_zeros())?,
            Op::Sdiv if of(0).is_non_negative(self.kind()) => {
                self.shift_right(0, self.power_of_two(1)?.trailing_zeros())?
            }
            Op::Or | Op::Xor => self.set_low_bits(0, self.constant(1)?)?,
            Op::Sext | Op::Zext | Op::Trunc => return self.conversion(),
            Op::Bitcast if self.inst.ty.bits() == 64 => {
                let from = self.func.ty(self.inst.args[0]);
                (!from.kind.is_float() && !from.is_vector()).then_some(of(0))?
            }
            Op::Icmp => self.comparison()?,
            Op::Select if of(0).step == 0 => of(1).join(of(2))?,
            _ => return None,
        })
    }

    /// Derives a uniform comparison: if lanes differ only in low bits that are zero in the first lane, and the
    /// bound has zeros there, all lanes compare alike.
    fn comparison(&self) -> Option<Stride> {
        let (a, b) = match self.inst.int_cond() {
            IntCond::Slt | IntCond::Ult | IntCond::Sge | IntCond::Uge => (0, 1),
            IntCond::Sgt | IntCond::Ugt | IntCond::Sle | IntCond::Ule => (1, 0),
            IntCond::Eq | IntCond::Ne => return None,
        };
        let bits = self.all[a].varying_bits(self.lanes)?;
        let is_bound = self.all[b].step == 0 && u32::from(self.all[b].known_trailing_zeros) >= bits;
        is_bound.then(|| self.arithmetic(0, None, 0))
    }

    /// Returns a constant operand that is a positive power of two.
    fn power_of_two(&self, i: usize) -> Option<u64> {
        self.constant(i).filter(|&by| by.is_power_of_two() && by <= full(self.kind()) >> 1)
    }

    /// Derives the result of a mask: if it keeps all bits in which lanes differ, or clears low bits that are the same
    /// in all lanes, the result is affine with the same step; if it clears all in which they differ, uniform.
    fn and_mask(&self, i: usize, mask: u64) -> Option<Stride> {
        let stride = self.all[i];
        let zeros = u32::from(stride.known_trailing_zeros).max(mask.trailing_zeros());
        let max = stride.max.map_or(mask, |max| max.min(mask));
        if mask & mask.wrapping_add(1) == 0 && stride.max.is_some_and(|max| max <= mask) {
            return Some(stride);
        }
        let cleared = mask.trailing_zeros();
        if mask | low_bits(cleared) == full(self.kind()) && stride.step.trailing_zeros() >= cleared {
            return Some(self.round_down(stride, zeros));
        }
        let differ = low_bits(stride.varying_bits(self.lanes)?);
        match mask & differ {
            0 => Some(self.arithmetic(0, Some(max), zeros)),
            all if all == differ => Some(self.arithmetic(stride.step, Some(max), zeros)),
            _ => None,
        }
    }

    /// Derives the result of clearing low bits that are the same in all lanes: each lane becomes smaller by the same
    /// number, which no lane wraps by.
    fn round_down(&self, stride: Stride, zeros: u32) -> Stride {
        let rounded = self.arithmetic(stride.step, stride.max, zeros);
        Stride { no_signed_wrap: stride.no_signed_wrap || rounded.no_signed_wrap, ..rounded.joined() }
    }

    /// Derives the result of a right shift.
    fn shift_right(&self, i: usize, by: u32) -> Option<Stride> {
        let stride = self.all[i];
        let (max, zeros) =
            (stride.max.map(|max| max >> by), u32::from(stride.known_trailing_zeros).saturating_sub(by));
        if stride.varying_bits(self.lanes).is_some_and(|bits| bits <= by) {
            return Some(self.arithmetic(0, max.or(Some(full(self.kind()) >> by)), zeros));
        }
        let is_even = stride.step.trailing_zeros() >= by && stride.max.is_some();
        is_even.then(|| self.arithmetic(stride.step >> by, max, zeros))
    }

    /// Derives the result of setting or flipping bits that are zero in all lanes.
    fn set_low_bits(&self, i: usize, bits: u64) -> Option<Stride> {
        let stride = self.all[i];
        let free = u32::from(stride.known_trailing_zeros).min(stride.step.trailing_zeros());
        let max = stride.max.and_then(|max| max.checked_add(bits));
        (bits <= low_bits(free)).then(|| self.arithmetic(stride.step, max, bits.trailing_zeros().min(free)))
    }

    fn conversion(&self) -> Option<Stride> {
        let (stride, to) = (self.all[0], self.inst.ty);
        let from = self.func.ty(self.inst.args[0]).kind;
        if to.kind == Kind::I1 || from == Kind::I1 {
            return None;
        }
        let result =
            |step: i64, max: Option<u64>| self.arithmetic(step, max, stride.known_trailing_zeros.into());
        match self.inst.op {
            Op::Trunc if stride.max.is_some_and(|max| max <= full(to.kind)) => {
                Some(result(stride.step, stride.max))
            }
            Op::Trunc => Some(result(signed(to.kind.bits(), stride.step as u64), None)),
            // A value that does not wrap is the same number in all widths.
            Op::Zext if stride.max.is_some() => Some(result(stride.step, stride.max)),
            Op::Sext if stride.is_non_negative(from) => Some(result(stride.step, stride.max)),
            Op::Sext if stride.no_signed_wrap => {
                Some(Stride { no_signed_wrap: true, ..result(stride.step, None) })
            }
            op if stride.extends_operands(op) => {
                let zeros = stride.known_trailing_zeros.min(from.bits() as u8);
                Some(Stride { known_trailing_zeros: zeros, ..Stride::unbounded(stride.step) })
            }
            _ => None,
        }
    }
}

/// Returns a mask of this many low bits.
fn low_bits(bits: u32) -> u64 {
    if bits == 0 { 0 } else { u64::MAX >> (64 - bits.min(64)) }
}

/// Returns the facts about a parameter.
pub(super) fn param(ty: Type, facts: grus_ir::ParamFacts, lanes: u16) -> Option<Stride> {
    let step = facts.stride?;
    let mut stride = match step {
        _ if facts.is_small() => {
            Stride { max: facts.max.map(u64::from), ..Stride::non_negative_i32(step.into()) }
        }
        0 => Stride::uniform(ty.kind),
        _ => Stride::unbounded(step.into()),
    };
    if facts.is_aligned_to_lanes {
        stride.known_trailing_zeros = lanes.trailing_zeros() as u8;
    }
    Some(stride)
}
