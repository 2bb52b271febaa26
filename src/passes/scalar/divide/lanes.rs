//! Divisions of lanes by divisors that vary, as floats. If the float type has enough bits, the quotient is exact.
//! Others are computed in two steps, each by the inverse of the divisor: numbers of 64 bits in double, and those of 32 bits
//! in single precision where registers have mask bits and 512 bits, since two divisions of doubles take three times as
//! long there as one of singles. What the second step leaves is corrected.

use grus_ir::{Attr, Builder, IntCond, Kind, Op, Type, Value};

/// Bound of integers that are divided as doubles: if both are below it, the quotient of two integers is no nearer to the next
/// integer than to itself.
// Source: the difference to the next integer q is at least 1 / divisor, and more than q / 2^53, half a unit in its last place.
pub(super) const MAX_IN_DOUBLES: u64 = 1 << 52;

/// Bound of integers that are divided in single precision.
// Source: as for doubles, with 24 bits instead of 53.
const MAX_IN_SINGLES: u64 = 1 << 23;

/// Bound of integers that are divided in single precision by a shared divisor.
// Source: `inverse_of_lane`.
const MAX_BY_SINGLE: u64 = 1 << 20;

/// Minimum number of lanes of 32 bits that are divided in two steps of single precision.
// Source: fewer lanes are one division of doubles, of 256 bits.
pub const MIN_LANES_IN_STEPS: u16 = 8;

/// Division of vectors of 16, 32 or 64-bit lanes.
#[derive(Clone, Copy)]
pub(super) struct Division {
    pub number: Value,
    pub divisor: Value,
    pub is_signed: bool,
    /// True for the quotient, false for the remainder.
    pub is_quotient: bool,
    /// Upper bound of both operands.
    pub bound: u64,
    /// True if the code is for registers of 512 bits and mask registers.
    pub has_masks: bool,
}

impl Division {
    /// Writes the quotient or the remainder.
    pub fn write(self, b: &mut Builder<'_>) -> Value {
        let ty = b.func.ty(self.number);
        match ty.kind {
            Kind::I64 if self.bound < MAX_IN_DOUBLES => self.in_doubles(b),
            Kind::I64 => self.in_steps(b),
            Kind::I32 if self.has_masks && ty.lanes >= MIN_LANES_IN_STEPS && self.bound >= MAX_IN_SINGLES => {
                self.in_steps(b)
            }
            _ => self.in_one_step(b),
        }
    }

    /// Divides lanes of 64 bits that are below `MAX_IN_DOUBLES`.
    fn in_doubles(self, b: &mut Builder<'_>) -> Value {
        let ty = b.func.ty(self.number);
        let wide = ty.with_kind(Kind::F64);
        // 2^52 + n has n in its last bits.
        let magic_bits = b.iconst(ty, 0x4330_0000_0000_0000);
        let magic = b.constant(wide, 0x4330_0000_0000_0000);
        let divisor = self.positive_divisor(b, self.divisor);
        let [number, divisor] = [self.number, divisor].map(|value| {
            let bits = b.same(Op::Or, &[value, magic_bits]);
            let sum = b.convert(Op::Bitcast, wide, bits);
            b.same(Op::Fsub, &[sum, magic])
        });
        let quotient = b.same(Op::Fdiv, &[number, divisor]);
        let quotient = b.same(Op::Ftrunc, &[quotient]);
        let result = if self.is_quotient {
            quotient
        } else {
            let negative = b.same(Op::Fneg, &[quotient]);
            b.same(Op::Fma, &[negative, divisor, number])
        };
        let sum = b.same(Op::Fadd, &[result, magic]);
        let bits = b.convert(Op::Bitcast, ty, sum);
        b.same(Op::Xor, &[bits, magic_bits])
    }

    /// Divides lanes in a float type with enough bits for an exact quotient.
    fn in_one_step(self, b: &mut Builder<'_>) -> Value {
        let ty = b.func.ty(self.number);
        let divisor =
            if self.is_signed { self.safe_divisor(b) } else { self.positive_divisor(b, self.divisor) };
        let (wide, [to, back]) = float_division(ty, self.is_signed, self.bound, MAX_IN_SINGLES);
        let operands = [self.number, divisor].map(|value| b.value(to, wide, &[value], Attr::None));
        let quotient = b.same(Op::Fdiv, &operands);
        let quotient = b.value(back, ty, &[quotient], Attr::None);
        if self.is_quotient {
            return quotient;
        }
        let product = b.same(Op::Imul, &[quotient, divisor]);
        b.same(Op::Isub, &[self.number, product])
    }

    /// Divides lanes of 32 or 64 bits, signed ones by their magnitudes.
    fn in_steps(self, b: &mut Builder<'_>) -> Value {
        let Division { number, divisor, .. } = self;
        if !self.is_signed {
            let divisor = self.positive_divisor(b, divisor);
            return self.positive_in_steps(b, number, divisor);
        }
        // The minimum integer by -1 need not be excluded: as magnitudes the quotient is 2^31 or 2^63, which is that integer
        // again.
        let [size, by] = [number, divisor].map(|value| b.same(Op::Iabs, &[value]));
        let by = self.positive_divisor(b, by);
        let result = self.positive_in_steps(b, size, by);
        let signs = if self.is_quotient { b.same(Op::Xor, &[number, divisor]) } else { number };
        if self.has_masks {
            let zero = b.zero(b.func.ty(signs));
            let is_negative = b.icmp(IntCond::Slt, signs, zero);
            let negative = b.same(Op::Isub, &[zero, result]);
            return b.select(is_negative, negative, result);
        }
        let sign = b.shift(Op::Ashr, signs, b.func.ty(signs).kind.bits() - 1);
        let flipped = b.same(Op::Xor, &[result, sign]);
        b.same(Op::Isub, &[flipped, sign])
    }

    /// Divides unsigned lanes by a number a little less than 1 / divisor in a float type of p bits, 24 or 53.
    ///
    /// With u = 2^-p, the inverse is (1 - c u) / divisor, rounded; c is 5 or 8. A product n / d is estimated as (n / d) (1 - e)
    /// with 0 < e < (c + 4) u + 2^(5 - 2p), since the roundings of n, d, the inverse and the product change it by at most 4 u and a few
    /// u^2. So the first quotient is not too large, and the rest is positive and below (1 + e n / d) d. Divided by d it is below
    /// 1 + 9 2^-24 2^32 < 2^12 or 1 + 12 2^-53 2^64 < 2^15, which is estimated with an error below 0.01. The second quotient is
    /// that estimate rounded to the nearest integer, so it is right or one too large. In the second case the last rest is
    /// negative, which shows in that it is larger than the one before, as an unsigned number: the product that is subtracted
    /// is below the rest plus 0.51 d, which is below 1.51 d + 2^15, or it is d if d has the highest bit. So it does not overflow.
    fn positive_in_steps(self, b: &mut Builder<'_>, number: Value, divisor: Value) -> Value {
        let ty = b.func.ty(number);
        let Steps { float, almost_one, magic, mask } = Steps::of(ty.kind);
        let wide = ty.with_kind(float);
        let to_float = |b: &mut Builder<'_>, value| b.value(Op::Uitofp, wide, &[value], Attr::None);
        let almost_one = b.constant(wide, almost_one);
        let by = to_float(b, divisor);
        let inverse = b.same(Op::Fdiv, &[almost_one, by]);
        let n = to_float(b, number);
        let estimate = b.same(Op::Fmul, &[n, inverse]);
        let first = b.value(Op::Fptoui, ty, &[estimate], Attr::None);
        let product = b.same(Op::Imul, &[first, divisor]);
        let rest = b.same(Op::Isub, &[number, product]);
        let r = to_float(b, rest);
        let magic = b.constant(wide, magic);
        let sum = b.same(Op::Fma, &[r, inverse, magic]);
        let bits = b.convert(Op::Bitcast, ty, sum);
        let mask = b.iconst(ty, mask);
        let second = b.same(Op::And, &[bits, mask]);
        let product = b.same(Op::Imul, &[second, divisor]);
        let last = b.same(Op::Isub, &[rest, product]);
        let is_too_large = b.icmp(IntCond::Ugt, last, rest);
        if self.is_quotient {
            let (sum, one) = (b.same(Op::Iadd, &[first, second]), b.iconst(ty, 1));
            self.in_some_lanes(b, is_too_large, Op::Isub, [sum, one])
        } else {
            self.in_some_lanes(b, is_too_large, Op::Iadd, [last, divisor])
        }
    }

    /// Adds or subtracts the second operand in some lanes.
    fn in_some_lanes(self, b: &mut Builder<'_>, lanes: Value, op: Op, [value, by]: [Value; 2]) -> Value {
        if self.has_masks {
            let changed = b.same(op, &[value, by]);
            return b.select(lanes, changed, value);
        }
        let zero = b.zero(b.func.ty(by));
        let by = b.select(lanes, by, zero);
        b.same(op, &[value, by])
    }

    /// Replaces a divisor of zero by 1.
    fn positive_divisor(self, b: &mut Builder<'_>, divisor: Value) -> Value {
        let ty = b.func.ty(divisor);
        if ty.kind == Kind::I64 && !self.has_masks {
            return super::safe_lane(b, divisor);
        }
        let one = b.iconst(ty, 1);
        b.same(Op::Umax, &[divisor, one])
    }

    /// Replaces a divisor of zero by 1, and also a divisor of -1 if the dividend is the minimum integer.
    fn safe_divisor(self, b: &mut Builder<'_>) -> Value {
        let Division { number, divisor, .. } = self;
        let ty = b.func.ty(divisor);
        let (zero, one) = (b.zero(ty), b.iconst(ty, 1));
        let is_zero = b.icmp(IntCond::Eq, divisor, zero);
        let smallest = b.iconst(ty, 1 << (ty.kind.bits() - 1));
        let minus_one = b.iconst(ty, u64::MAX);
        let both = [(number, smallest), (divisor, minus_one)].map(|(x, y)| b.icmp(IntCond::Eq, x, y));
        let overflows = b.same(Op::And, &both);
        let is_one = b.same(Op::Or, &[is_zero, overflows]);
        b.select(is_one, one, divisor)
    }
}

/// Constants of a division in two steps.
struct Steps {
    float: Kind,
    /// Dividend of the inverse: 1 - 5 2^-24 or 1 - 8 2^-53.
    almost_one: u64,
    /// 2^23 or 2^52. That plus n has n in its last bits.
    magic: u64,
    /// Bits of the second quotient.
    mask: u64,
}

impl Steps {
    fn of(kind: Kind) -> Steps {
        if kind == Kind::I32 {
            let almost_one = (1.0 - 5.0 * 2f32.powi(-24)).to_bits().into();
            return Steps { float: Kind::F32, almost_one, magic: 0x4b00_0000, mask: 0x7f_ffff };
        }
        let almost_one = (1.0 - 2f64.powi(-50)).to_bits();
        Steps { float: Kind::F64, almost_one, magic: 0x4330_0000_0000_0000, mask: u32::MAX.into() }
    }
}

/// Returns the float type in which lanes of 16 or 32 bits are divided, and the conversions to it and back. Single precision
/// is enough for numbers below a limit.
fn float_division(ty: Type, is_signed: bool, bound: u64, single_limit: u64) -> (Type, [Op; 2]) {
    let is_single = ty.kind == Kind::I16 || bound < single_limit;
    let kind = if is_single { Kind::F32 } else { Kind::F64 };
    // Machines have more instructions for signed numbers.
    let fits_signed = bound < 1 << (ty.kind.bits() - 1);
    let conversions =
        if is_signed || fits_signed { [Op::Sitofp, Op::Fptosi] } else { [Op::Uitofp, Op::Fptoui] };
    (ty.with_kind(kind), conversions)
}

/// Divides lanes of 16 or 32 bits by the divisor that all of them share, which is not zero. Its inverse is likely to be the
/// same in the next iteration and for the next lanes.
pub(super) fn divide_by_lane(
    b: &mut Builder<'_>,
    number: Value,
    lane: Value,
    is_signed: bool,
    bound: u64,
) -> Value {
    let ty = b.func.ty(number);
    let (wide, [to, back]) = float_division(ty, is_signed, bound, MAX_BY_SINGLE);
    let inverse = inverse_of_lane(b, wide.kind, lane, is_signed);
    let inverse = b.splat(wide, inverse);
    let float = b.value(to, wide, &[number], Attr::None);
    let quotient = b.same(Op::Fmul, &[float, inverse]);
    let quotient = b.value(back, ty, &[quotient], Attr::None);
    if !is_signed {
        return quotient;
    }
    // The smallest number divided by -1 is out of range.
    let smallest = b.iconst(ty, 1 << (ty.kind.bits() - 1));
    let is_smallest = b.icmp(IntCond::Eq, number, smallest);
    let minus_one = b.iconst(Type::scalar(ty.kind), u64::MAX);
    let negates = b.icmp(IntCond::Eq, lane, minus_one);
    let negates = b.splat(Type::vector(Kind::I1, ty.lanes), negates);
    let overflows = b.same(Op::And, &[is_smallest, negates]);
    b.select(overflows, number, quotient)
}

/// Returns a little more than the inverse of a divisor.
///
/// With p bits of precision the inverse is by 2^(1 - p), the product with it by at least 2^-p and at most 2^(3 - p) of itself
/// too large, whatever is rounded. So whole quotients are not too small, and others are too large by less than what is
/// missing to the next one, 1 / divisor at least: dividends have fewer than p - 3 bits.
fn inverse_of_lane(b: &mut Builder<'_>, kind: Kind, lane: Value, is_signed: bool) -> Value {
    let float = Type::scalar(kind);
    // Source: significands of float and double.
    let (number, more) = if kind == Kind::F32 {
        (Kind::I32, u64::from((1.0 + 2f32.powi(-22)).to_bits()))
    } else {
        (Kind::I64, (1.0 + 2f64.powi(-51)).to_bits())
    };
    // Scalars of more bits are converted by one instruction, since they are not negative where they are unsigned.
    let extend = if is_signed { Op::Sext } else { Op::Zext };
    let lane = b.convert(extend, Type::scalar(number), lane);
    let divisor = b.value(Op::Sitofp, float, &[lane], Attr::None);
    let more = b.constant(float, more);
    b.same(Op::Fdiv, &[more, divisor])
}
