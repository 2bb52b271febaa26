//! Lowering of lanes of 64 bits that there is no instruction for: products of 32 bits, upper halves of products, and,
//! without AVX-512, conversions between integers and doubles.

use regalloc2::{RegClass, VReg};

use super::super::super::two_powers::TwoPowers;
use super::super::inst::{InstBuilder, Src};
use super::super::vec_ops::{Size, VecOp};
use super::{Lower, Lowered, RegShape, ValueRegs};
use grus_ir::{Inst, Op, Value};

/// Bits of the double 2⁵²: added to a number of 32 bits they have its bits at their end.
const TWO_52: u64 = 0x4330_0000_0000_0000;

/// Bits of the double 2⁸⁴, whose last place is that of 2³².
const TWO_84: u64 = 0x4530_0000_0000_0000;

/// Rounding towards zero, without exceptions, as an immediate of `vroundpd`.
const TOWARDS_ZERO: u8 = 11;

/// Upper halves of lanes of 64 bits, as an immediate of `vpblendd`.
pub(super) const UPPER_HALVES: u8 = 0xaa;

/// Takes a factor of lanes of 32 or 64 bits apart, if shifts are shorter than its product: one of 32 bits is hardly longer
/// than two instructions.
fn short_powers(factor: u64, bits: u32) -> Option<TwoPowers> {
    TwoPowers::of(factor, bits).filter(|powers| bits == 64 || bits == 32 && powers.second == 0)
}

impl Lower<'_> {
    /// Lowers products that are shorter than those of any lanes of 32 or 64 bits: of numbers of 32 bits, and with
    /// constants that are sums or differences of two powers of two.
    pub fn special_product(&mut self, inst: &Inst, shape: RegShape) -> Lowered<Option<ValueRegs>> {
        let (a, b) = (inst.args[0], inst.args[1]);
        let fit = |signed| shape.bits == 64 && self.is_dword(a, signed) && self.is_dword(b, signed);
        if fit(false) {
            return self.product_of_dwords(VecOp::Vpmuludq, [a, b], shape).map(Some);
        }
        if fit(true) {
            return self.product_of_dwords(VecOp::Vpmuldq, [a, b], shape).map(Some);
        }
        let factor = |value| self.splat_of(value).and_then(|factor| short_powers(factor, shape.bits));
        if let Some((powers, number)) =
            factor(b).map(|powers| (powers, a)).or(factor(a).map(|powers| (powers, b)))
        {
            let regs = self.value_regs(number)?;
            return Ok(Some(regs.iter().map(|&reg| self.multiply_by_powers(shape, powers, reg)).collect()));
        }
        let short =
            if self.is_dword(b, false) { Some((a, b)) } else { self.is_dword(a, false).then_some((b, a)) };
        let Some((long, short)) = short.filter(|_| shape.bits == 64 && !self.target.avx512) else {
            return Ok(None);
        };
        let [longs, shorts] = [self.value_regs(long)?, self.value_regs(short)?];
        let products = longs.iter().zip(&shorts);
        Ok(Some(products.map(|(&long, &short)| self.multiply_by_dwords(shape.size, long, short)).collect()))
    }

    /// Multiplies numbers of 32 bits in lanes of 64.
    fn product_of_dwords(
        &mut self,
        vec_op: VecOp,
        factors: [Value; 2],
        shape: RegShape,
    ) -> Lowered<ValueRegs> {
        let factors = factors.map(|factor| self.without_mask(factor));
        self.each_register(vec_op, true, factors, shape)
    }

    /// Multiplies by a sum or difference of two powers of two.
    fn multiply_by_powers(
        &mut self,
        RegShape { size, bits, .. }: RegShape,
        powers: TwoPowers,
        reg: VReg,
    ) -> VReg {
        let (shift, add, subtract) = if bits == 64 {
            (VecOp::Vpsllqi, VecOp::Vpaddq, VecOp::Vpsubq)
        } else {
            (VecOp::Vpslldi, VecOp::Vpaddd, VecOp::Vpsubd)
        };
        let [first, second] = [powers.first, powers.second].map(|power| match power {
            0 => reg,
            1 => self.vector2(add, size, reg, reg),
            _ => self.vector1i(shift, size, reg, power as u8),
        });
        self.vector2(if powers.subtracts { subtract } else { add }, size, first, second)
    }

    /// Checks whether a value of 64 bits is the zero extension, or sign extension, of 32 bits.
    fn is_dword(&self, value: Value, signed: bool) -> bool {
        let value = self.origin(value);
        if let Some(constant) = self.splat_of(value) {
            return if signed {
                i32::try_from(constant.cast_signed()).is_ok()
            } else {
                u32::try_from(constant).is_ok()
            };
        }
        let Some(def) = self.source.def_inst(value) else { return false };
        let bits = |value| self.source.ty(value).kind.bits();
        let shift = || self.splat_of(def.args[1]).unwrap_or(0);
        match def.op {
            Op::Splat => self.is_dword(def.args[0], signed),
            Op::Zext => bits(def.args[0]) < 32 || bits(def.args[0]) == 32 && !signed,
            Op::Sext => signed && bits(def.args[0]) <= 32,
            Op::And => self.is_masked_below(def, if signed { 1 << 31 } else { 1 << 32 }),
            Op::Lshr => (if signed { 33..64 } else { 32..64 }).contains(&shift()),
            Op::Ashr => signed && (32..64).contains(&shift()),
            _ => false,
        }
    }

    /// Returns the number of which `value` is the lower half: multiplications of 32 bits do not read the upper one.
    fn without_mask(&mut self, value: Value) -> Value {
        let lower = |value: Value| {
            let def = self.source.def_inst(self.origin(value)).filter(|def| def.op == Op::And)?;
            let [a, b] = [def.args[0], def.args[1]];
            let is_mask = |value| self.splat_of(value) == Some(u32::MAX.into());
            if is_mask(b) { Some(a) } else { is_mask(a).then_some(b) }
        };
        let Some(whole) = lower(value) else { return value };
        self.mark_used(whole);
        whole
    }

    /// Returns the lower halves of products with factors of 32 bits.
    fn multiply_by_dwords(&mut self, size: Size, long: VReg, short: VReg) -> VReg {
        let low = self.vector2(VecOp::Vpmuludq, size, long, short);
        let upper = self.vector1i(VecOp::Vpsrlqi, size, long, 32);
        let high = self.vector2(VecOp::Vpmuludq, size, upper, short);
        let high = self.vector1i(VecOp::Vpsllqi, size, high, 32);
        self.vector2(VecOp::Vpaddq, size, low, high)
    }

    /// Returns the lower halves of products.
    pub fn multiply_qwords(&mut self, size: Size, a: VReg, b: VReg) -> VReg {
        let low = self.vector2(VecOp::Vpmuludq, size, a, b);
        let [a_high, b_high] = [a, b].map(|factor| self.vector1i(VecOp::Vpsrlqi, size, factor, 32));
        let first = self.vector2(VecOp::Vpmuludq, size, a_high, b);
        let second = self.vector2(VecOp::Vpmuludq, size, a, b_high);
        let sum = self.vector2(VecOp::Vpaddq, size, first, second);
        let high = self.vector1i(VecOp::Vpsllqi, size, sum, 32);
        self.vector2(VecOp::Vpaddq, size, low, high)
    }

    /// Returns the upper halves of products, from four products of 32 bits.
    pub fn multiply_high_lanes(&mut self, size: Size, signed: bool, a: VReg, b: VReg) -> VReg {
        let multiply = |t: &mut Self, a, b| t.vector2(VecOp::Vpmuludq, size, a, b);
        let add = |t: &mut Self, a, b| t.vector2(VecOp::Vpaddq, size, a, b);
        let upper = |t: &mut Self, number| t.vector1i(VecOp::Vpsrlqi, size, number, 32);
        let [a_high, b_high] = [a, b].map(|factor| upper(self, factor));
        let low = multiply(self, a, b);
        let first = multiply(self, a_high, b);
        let second = multiply(self, a, b_high);
        let high = multiply(self, a_high, b_high);
        // No sum exceeds 64 bits: the square of 2³² - 1, and twice that number, are 2⁶⁴ - 1.
        let carry = upper(self, low);
        let first = add(self, first, carry);
        let and = self.and_op(64);
        let mask = self.constant_source(and, size, 64, u32::MAX.into());
        let rest = self.vector2(and, size, first, mask);
        let second = add(self, second, rest);
        let [first, second] = [first, second].map(|sum| upper(self, sum));
        let sum = add(self, first, second);
        let high = add(self, high, sum);
        if !signed {
            return high;
        }
        // A negative factor counts as 2⁶⁴ more, so the other one was added once too often.
        let [a_excess, b_excess] = [(a, b), (b, a)].map(|(factor, other)| {
            let sign = self.sign_mask(size, factor);
            self.vector2(and, size, sign, other)
        });
        let excess = add(self, a_excess, b_excess);
        self.vector2(VecOp::Vpsubq, size, high, excess)
    }

    /// Returns ones in negative lanes of 64 bits, zeros in others.
    pub fn sign_mask(&mut self, size: Size, reg: VReg) -> VReg {
        if self.target.avx512 {
            return self.vector1i(VecOp::Vpsraqi, size, reg, 63);
        }
        let zero = self.splat_constant(size, 64, 0);
        self.vector2(VecOp::Vpcmpgtq, size, zero, reg)
    }

    /// Converts integers to doubles with AVX2. Both halves become the ends of large doubles, which are subtracted exactly;
    /// the sum of the halves is rounded once.
    pub fn qwords_to_doubles(&mut self, size: Size, signed: bool, reg: VReg) -> VReg {
        // A signed upper half is moved by 2³¹, so that it is positive.
        let (middle, offset) = if signed { (1 << 31, 2f64.powi(63)) } else { (0, 0.0) };
        let upper = self.vector1i(VecOp::Vpsrlqi, size, reg, 32);
        let bits = self.constant_source(VecOp::Vpxor, size, 64, TWO_84 | middle);
        let upper = self.vector2(VecOp::Vpxor, size, upper, bits);
        let bits = self.constant_source(VecOp::Vpblendd, size, 64, TWO_52);
        let lower = self.vector2i(VecOp::Vpblendd, size, reg, bits, UPPER_HALVES);
        let excess = f64::from_bits(TWO_84) + offset + f64::from_bits(TWO_52);
        let excess = self.constant_source(VecOp::Vsubpd, size, 64, excess.to_bits());
        let upper = self.vector2(VecOp::Vsubpd, size, upper, excess);
        self.vector2(VecOp::Vaddpd, size, upper, lower)
    }

    /// Rounds integers of more than 53 bits to 53 bits, so that as doubles they are exact: to the odd one of the two
    /// neighbors, so that the next rounding, to a float, is that of the integer itself (Boldo and Melquiond, Emulation of a
    /// FMA and Correctly Rounded Sums, IEEE Transactions on Computers 2008).
    pub fn rounded_for_floats(&mut self, size: Size, signed: bool, reg: VReg) -> VReg {
        // Source: 64 - 53 bits.
        const LOST: u64 = (1 << 11) - 1;
        let constant = |t: &mut Self, vec_op, value| t.constant_source(vec_op, size, 64, value);
        let lost = constant(self, VecOp::Vpand, LOST);
        let rest = self.vector2(VecOp::Vpand, size, reg, lost);
        let lost = constant(self, VecOp::Vpaddq, LOST);
        let odd = self.vector2(VecOp::Vpaddq, size, rest, lost);
        let odd = self.vector2(VecOp::Vpor, size, reg, odd);
        let kept = constant(self, VecOp::Vpand, !LOST);
        let rounded = self.vector2(VecOp::Vpand, size, odd, kept);
        let (number, bits) = if signed {
            let middle = constant(self, VecOp::Vpaddq, 1 << 53);
            (self.vector2(VecOp::Vpaddq, size, reg, middle), 54)
        } else {
            (reg, 53)
        };
        let beyond = self.vector1i(VecOp::Vpsrlqi, size, number, bits);
        let zero = self.splat_constant(size, 64, 0);
        let fits = self.vector2(VecOp::Vpcmpeqq, size, beyond, zero);
        self.blend_vectors(size, fits, reg, rounded)
    }

    /// Converts doubles to integers with AVX2. Numbers out of range become the nearest integer, NaN zero.
    pub fn doubles_to_qwords(&mut self, size: Size, signed: bool, reg: VReg) -> VReg {
        if !signed {
            let zero = self.splat_constant(size, 64, 0);
            let positive = self.vector2(VecOp::Vmaxpd, size, reg, zero);
            let number = self.positive_to_qwords(size, positive);
            let over = self.at_least(size, positive, 2f64.powi(64));
            return self.vector2(VecOp::Vpor, size, number, over);
        }
        let top = 2f64.powi(63);
        let ordered = self.vector2i(VecOp::Vcmppd, size, reg, reg, 0x07);
        let magnitude = self.constant_source(VecOp::Vpand, size, 64, i64::MAX as u64);
        let magnitude = self.vector2(VecOp::Vpand, size, reg, magnitude);
        let magnitude = self.vector2(VecOp::Vpand, size, magnitude, ordered);
        let limit = self.constant_source(VecOp::Vminpd, size, 64, top.to_bits());
        let magnitude = self.vector2(VecOp::Vminpd, size, magnitude, limit);
        let number = self.positive_to_qwords(size, magnitude);
        let sign = self.sign_mask(size, reg);
        let number = self.vector2(VecOp::Vpxor, size, number, sign);
        let number = self.vector2(VecOp::Vpsubq, size, number, sign);
        // 2⁶³ has become the smallest number.
        let over = self.at_least(size, reg, top);
        self.vector2(VecOp::Vpxor, size, number, over)
    }

    /// Converts doubles from zero to below 2⁶⁴: the multiple of 2³², and the rest.
    fn positive_to_qwords(&mut self, size: Size, reg: VReg) -> VReg {
        let scale = self.constant_source(VecOp::Vmulpd, size, 64, 2f64.powi(-32).to_bits());
        let upper = self.vector2(VecOp::Vmulpd, size, reg, scale);
        let upper = self.vector1i(VecOp::Vroundpd, size, upper, TOWARDS_ZERO);
        let scale = self.constant_source(VecOp::Vfnmadd132pd, size, 64, 2f64.powi(32).to_bits());
        let rest = self.code.vreg(RegClass::Float);
        let build = InstBuilder::vec_op(VecOp::Vfnmadd132pd, size);
        self.emitted.push(build.reuse_def(upper, rest).read(reg).src(scale));
        let rest = self.vector1i(VecOp::Vroundpd, size, rest, TOWARDS_ZERO);
        let [upper, lower] = [upper, rest].map(|part| {
            let magic = self.constant_source(VecOp::Vaddpd, size, 64, TWO_52);
            self.vector2(VecOp::Vaddpd, size, part, magic)
        });
        let upper = self.vector1i(VecOp::Vpsllqi, size, upper, 32);
        self.vector2i(VecOp::Vpblendd, size, lower, upper, UPPER_HALVES)
    }

    /// Returns ones in lanes that are not below a limit, zeros in others, also in those that are NaN.
    fn at_least(&mut self, size: Size, reg: VReg, limit: f64) -> VReg {
        let limit: Src = self.constant_source(VecOp::Vcmppd, size, 64, limit.to_bits());
        self.vector2i(VecOp::Vcmppd, size, reg, limit, 0x1d)
    }
}

#[cfg(test)]
mod tests {
    use super::short_powers;

    #[test]
    fn factors_are_taken_apart() {
        let of = |factor, bits| {
            let powers = short_powers(factor, bits)?;
            Some((powers.first, powers.second, powers.subtracts))
        };
        assert_eq!(
            [5, 3, 7, 1 << 31 | 1].map(|factor| of(factor, 32)),
            [Some((2, 0, false)), Some((1, 0, false)), Some((3, 0, true)), Some((31, 0, false)),]
        );
        assert_eq!([0, 1, 2, 6, 11, 0xffff_ffff].map(|factor| of(factor, 32)), [None; 6]);
        assert_eq!(of(10, 64), Some((3, 1, false)));
        assert_eq!(of(28, 64), Some((5, 2, true)));
        assert_eq!([13, u64::MAX].map(|factor| of(factor, 64)), [None; 2]);
        assert_eq!(of(5, 16), None);
    }
}
