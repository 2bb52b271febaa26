//! Affine values: the facts known about a value that is affine in the lane number, and their propagation
//! through arithmetic.

use super::super::alias::full;
use crate::ir::interp::signed;
use crate::ir::{Attr, Function, Inst, IntCond, Kind, Op, Type};

/// Facts about a value that differs by a constant from lane to lane.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Stride {
    /// Difference between neighboring lanes, modulo the width.
    pub step: i64,
    /// True if no lane wraps as a signed integer.
    pub is_exact: bool,
    /// Largest value in any lane, if no lane wraps as an unsigned integer.
    pub max: Option<u64>,
    /// Number of low bits known to be zero in the first lane.
    pub zeros: u8,
}

/// Bounds for 31 bits and for 32 bits: a join rounds the upper bound up to one of these, so that the analysis
/// terminates.
pub(super) const SMALL: u64 = i32::MAX as u64;
const WORD: u64 = u32::MAX as u64;

impl Stride {
    /// Returns the facts about any uniform value.
    pub(super) fn uniform(kind: Kind) -> Stride {
        Stride { step: 0, is_exact: true, max: Some(full(kind)), zeros: 0 }
    }

    /// Returns an affine value of which only the step is known.
    pub(super) fn only(step: i64) -> Stride {
        Stride { step, is_exact: false, max: None, zeros: 0 }
    }

    /// Returns the number of the lane.
    pub(super) fn lane(lanes: u16) -> Stride {
        Stride {
            step: 1,
            is_exact: true,
            max: Some(u64::from(lanes) - 1),
            zeros: lanes.trailing_zeros() as u8,
        }
    }

    /// Returns an affine value from 0 to 2³¹ - 1.
    pub(super) fn small(step: i64) -> Stride {
        Stride { step, is_exact: true, max: Some(SMALL), zeros: 0 }
    }

    pub(super) fn join(self, other: Stride) -> Option<Stride> {
        // Few different values, so that the analysis of loops terminates.
        let zeros = match (self.zeros, other.zeros) {
            (a, b) if a == b => a,
            (a, b) => [6, 4, 3].into_iter().find(|&few| few <= a.min(b)).unwrap_or(0),
        };
        let max = match (self.max, other.max) {
            (Some(a), Some(b)) if a == b => Some(a),
            (Some(a), Some(b)) if a.max(b) <= SMALL => Some(SMALL),
            (Some(a), Some(b)) if a.max(b) <= WORD => Some(WORD),
            // Uniform values do not wrap from lane to lane.
            (Some(_), Some(_)) if self.step == 0 => Some(u64::MAX),
            _ => None,
        };
        (self.step == other.step).then_some(Stride {
            step: self.step,
            is_exact: self.is_exact && other.is_exact,
            max,
            zeros,
        })
    }

    /// Returns the number of low bits that contain all differences between lanes, if the first lane has zeros
    /// there.
    fn varying_bits(self, lanes: u16) -> Option<u32> {
        let last = u64::try_from(self.step).ok()?.checked_mul(u64::from(lanes) - 1)?;
        let bits = 64 - last.leading_zeros();
        (bits <= self.zeros.into()).then_some(bits)
    }

    /// Checks whether all lanes are non-negative as signed integers.
    fn is_positive(self, kind: Kind) -> bool {
        self.max.is_some_and(|max| max <= full(kind) >> 1)
    }
}

/// Returns the facts about the result of an instruction with affine operands, if it is affine; `all` are those
/// of the operands, by position.
pub(super) fn result(func: &Function, inst: &Inst, all: &[Stride], lanes: u16) -> Option<Stride> {
    let is_uniform = all.iter().all(|stride| stride.step == 0);
    if inst.ty.is_vector() || inst.ty.kind.is_float() {
        return is_uniform.then(|| Stride::uniform(inst.ty.kind));
    }
    let made = Maker { func, inst, all, lanes }.make();
    match made {
        _ if !is_uniform => made,
        Some(made) if made.step == 0 => {
            let max = made.max.unwrap_or(full(inst.ty.kind));
            Some(Stride { is_exact: true, max: Some(max), ..made })
        }
        _ => Some(Stride::uniform(inst.ty.kind)),
    }
}

struct Maker<'f> {
    func: &'f Function,
    inst: &'f Inst,
    all: &'f [Stride],
    lanes: u16,
}

impl Maker<'_> {
    /// Returns the value of a constant operand.
    fn constant(&self, i: usize) -> Option<u64> {
        self.func.as_const(self.inst.args[i])
    }

    /// Returns a constant shift amount, modulo the width.
    fn count(&self, i: usize) -> Option<u32> {
        Some((self.constant(i)? % u64::from(self.kind().bits())) as u32)
    }

    fn kind(&self) -> Kind {
        self.inst.ty.kind
    }

    /// Builds the facts about a result. A result that does not wrap as an unsigned integer, and is small, does
    /// not wrap as a signed one.
    fn made(&self, step: i64, max: Option<u64>, zeros: u32) -> Stride {
        let all = full(self.kind());
        let max = max.filter(|&max| max <= all);
        let keeps = self.inst.attr == Attr::NoSignedWrap && self.all.iter().all(|stride| stride.is_exact);
        let is_exact = keeps || max.is_some_and(|max| max <= all >> 1);
        Stride { step, is_exact, max, zeros: zeros.min(64) as u8 }
    }

    /// Returns the bound of a sum or product. With `NoSignedWrap`, the result of non-negative operands is
    /// non-negative.
    fn unless_it_wraps(&self, max: Option<u64>) -> Option<u64> {
        let largest = full(self.kind()) >> 1;
        let is_kept = self.inst.attr == Attr::NoSignedWrap
            && self.all.iter().all(|stride| stride.is_positive(self.kind()));
        if is_kept { Some(max.map_or(largest, |max| max.min(largest))) } else { max }
    }

    fn make(&self) -> Option<Stride> {
        let of = |i: usize| self.all[i];
        let zeros = |i: usize| u32::from(self.all[i].zeros);
        Some(match self.inst.op {
            Op::Iconst => {
                let bits = self.inst.int();
                self.made(0, Some(bits), bits.trailing_zeros())
            }
            Op::Iadd => {
                let max = of(0).max.zip(of(1).max).and_then(|(a, b)| a.checked_add(b));
                let max = self.unless_it_wraps(max);
                self.made(of(0).step.checked_add(of(1).step)?, max, zeros(0).min(zeros(1)))
            }
            Op::Isub => self.made(of(0).step.checked_sub(of(1).step)?, None, zeros(0).min(zeros(1))),
            Op::PtrAdd => Stride::only(of(0).step.checked_add(of(1).step)?),
            Op::Imul => {
                let (a, b) = if of(1).step == 0 { (0, 1) } else { (1, 0) };
                let max = of(a).max.zip(of(b).max).and_then(|(a, b)| a.checked_mul(b));
                let is_negative = self.constant(b).is_some_and(|by| signed(self.kind().bits(), by) < 0);
                let max = self.unless_it_wraps(max.filter(|_| !is_negative));
                let step = match self.constant(b) {
                    _ if of(a).step == 0 && of(b).step == 0 => 0,
                    Some(by) => of(a).step.checked_mul(signed(self.kind().bits(), by))?,
                    None => return None,
                };
                self.made(step, max, zeros(0) + zeros(1))
            }
            Op::Shl => {
                let by = self.count(1)?;
                let step = of(0).step.checked_mul(1i64.checked_shl(by).filter(|&by| by > 0)?)?;
                let max = of(0).max.and_then(|max| max.checked_mul(1 << by));
                self.made(step, max, zeros(0) + by)
            }
            Op::And if self.constant(1).is_none() && of(0).step == 0 && of(1).step == 0 => {
                let max = of(0).max.into_iter().chain(of(1).max).min();
                self.made(0, max, zeros(0).max(zeros(1)))
            }
            Op::And => self.masked(0, self.constant(1)?)?,
            Op::Urem => self.masked(0, self.power(1)? - 1)?,
            Op::Srem if of(0).is_positive(self.kind()) => self.masked(0, self.power(1)? - 1)?,
            Op::Lshr => self.shifted(0, self.count(1)?)?,
            Op::Ashr if of(0).is_positive(self.kind()) => self.shifted(0, self.count(1)?)?,
            Op::Udiv => self.shifted(0, self.power(1)?.trailing_zeros())?,
            Op::Sdiv if of(0).is_positive(self.kind()) => self.shifted(0, self.power(1)?.trailing_zeros())?,
            Op::Or | Op::Xor => self.with_bits(0, self.constant(1)?)?,
            Op::Sext | Op::Zext | Op::Trunc => return self.converted(),
            Op::Bitcast if self.inst.ty.bits() == 64 => {
                let from = self.func.ty(self.inst.args[0]);
                (!from.kind.is_float() && !from.is_vector()).then_some(of(0))?
            }
            Op::Icmp => self.compared()?,
            Op::Select if of(0).step == 0 => of(1).join(of(2))?,
            _ => return None,
        })
    }

    /// Derives a uniform comparison: if lanes differ only in low bits that are zero in the first lane, and the
    /// bound has zeros there, all lanes compare alike.
    fn compared(&self) -> Option<Stride> {
        let (a, b) = match self.inst.int_cond() {
            IntCond::Slt | IntCond::Ult | IntCond::Sge | IntCond::Uge => (0, 1),
            IntCond::Sgt | IntCond::Ugt | IntCond::Sle | IntCond::Ule => (1, 0),
            IntCond::Eq | IntCond::Ne => return None,
        };
        let bits = self.all[a].varying_bits(self.lanes)?;
        let is_bound = self.all[b].step == 0 && u32::from(self.all[b].zeros) >= bits;
        is_bound.then(|| self.made(0, None, 0))
    }

    /// Returns a constant operand that is a positive power of two.
    fn power(&self, i: usize) -> Option<u64> {
        self.constant(i).filter(|&by| by.is_power_of_two() && by <= full(self.kind()) >> 1)
    }

    /// Derives the result of a mask: if it keeps all bits in which lanes differ, the result is affine with the
    /// same step; if it clears all, uniform.
    fn masked(&self, i: usize, mask: u64) -> Option<Stride> {
        let stride = self.all[i];
        let zeros = u32::from(stride.zeros).max(mask.trailing_zeros());
        let max = stride.max.map_or(mask, |max| max.min(mask));
        if mask & mask.wrapping_add(1) == 0 && stride.max.is_some_and(|max| max <= mask) {
            return Some(stride);
        }
        let differ = low_bits(stride.varying_bits(self.lanes)?);
        match mask & differ {
            0 => Some(self.made(0, Some(max), zeros)),
            all if all == differ => Some(self.made(stride.step, Some(max), zeros)),
            _ => None,
        }
    }

    /// Derives the result of a right shift.
    fn shifted(&self, i: usize, by: u32) -> Option<Stride> {
        let stride = self.all[i];
        let (max, zeros) = (stride.max.map(|max| max >> by), u32::from(stride.zeros).saturating_sub(by));
        if stride.varying_bits(self.lanes).is_some_and(|bits| bits <= by) {
            return Some(self.made(0, max.or(Some(full(self.kind()) >> by)), zeros));
        }
        let is_even = stride.step.trailing_zeros() >= by && stride.max.is_some();
        is_even.then(|| self.made(stride.step >> by, max, zeros))
    }

    /// Derives the result of setting or flipping bits that are zero in all lanes.
    fn with_bits(&self, i: usize, bits: u64) -> Option<Stride> {
        let stride = self.all[i];
        let free = u32::from(stride.zeros).min(stride.step.trailing_zeros());
        let max = stride.max.and_then(|max| max.checked_add(bits));
        (bits <= low_bits(free)).then(|| self.made(stride.step, max, bits.trailing_zeros().min(free)))
    }

    fn converted(&self) -> Option<Stride> {
        let (stride, to) = (self.all[0], self.inst.ty);
        let from = self.func.ty(self.inst.args[0]).kind;
        if to.kind == Kind::I1 || from == Kind::I1 {
            return None;
        }
        let made = |step: i64, max: Option<u64>| self.made(step, max, stride.zeros.into());
        match self.inst.op {
            Op::Trunc if stride.max.is_some_and(|max| max <= full(to.kind)) => {
                Some(made(stride.step, stride.max))
            }
            Op::Trunc => Some(made(signed(to.kind.bits(), stride.step as u64), None)),
            // A value that does not wrap is the same number in all widths.
            Op::Zext if stride.max.is_some() => Some(made(stride.step, stride.max)),
            Op::Sext if stride.is_positive(from) => Some(made(stride.step, stride.max)),
            Op::Sext if stride.is_exact => Some(Stride { is_exact: true, ..made(stride.step, None) }),
            _ => None,
        }
    }
}

/// Returns a mask of this many low bits.
fn low_bits(bits: u32) -> u64 {
    if bits == 0 { 0 } else { u64::MAX >> (64 - bits.min(64)) }
}

/// Returns the facts about a parameter.
pub(super) fn param(ty: Type, facts: crate::ir::ParamFacts, lanes: u16) -> Option<Stride> {
    let step = facts.stride?;
    let mut stride = match step {
        _ if facts.is_small() => Stride { max: facts.max.map(u64::from), ..Stride::small(step.into()) },
        0 => Stride::uniform(ty.kind),
        _ => Stride::only(step.into()),
    };
    if facts.is_row_id {
        stride.zeros = lanes.trailing_zeros() as u8;
    }
    Some(stride)
}
