//! Lowering of vector integers: to one instruction if there is one, else to a few, else lane by lane through memory.

use regalloc2::{RegClass, VReg};

use super::super::CodegenBug;
use super::super::inst::{Amode, InstBuilder, Src};
use super::super::vec_ops::{Size, VecOp};
use super::qwords::UPPER_HALVES;
use super::{Lower, Lowered, RegShape, ValueRegs};
use grus_ir::{Inst, IntBinary, IntUnary, Op, Value};

/// Order of `vpshufd`: the upper half of each lane of 64 bits twice.
const UPPER_OF_PAIRS: u8 = 0xf5;

/// Instructions for lanes of 8, 16, 32 and 64 bits.
type Widths = [Option<VecOp>; 4];

fn for_bits(vec_ops: Widths, bits: u32) -> Option<VecOp> {
    vec_ops[bits.trailing_zeros() as usize - 3]
}

/// Returns the instructions of AVX2 for an operation.
fn native(op: IntBinary) -> Widths {
    use VecOp as R;
    match op {
        IntBinary::Iadd => [Some(R::Vpaddb), Some(R::Vpaddw), Some(R::Vpaddd), Some(R::Vpaddq)],
        IntBinary::Isub => [Some(R::Vpsubb), Some(R::Vpsubw), Some(R::Vpsubd), Some(R::Vpsubq)],
        IntBinary::Imul => [None, Some(R::Vpmullw), Some(R::Vpmulld), None],
        IntBinary::And => [Some(R::Vpand); 4],
        IntBinary::Or => [Some(R::Vpor); 4],
        IntBinary::Xor => [Some(R::Vpxor); 4],
        IntBinary::Shl => [None, None, Some(R::Vpsllvd), Some(R::Vpsllvq)],
        IntBinary::Lshr => [None, None, Some(R::Vpsrlvd), Some(R::Vpsrlvq)],
        IntBinary::Ashr => [None, None, Some(R::Vpsravd), None],
        IntBinary::Smin => [Some(R::Vpminsb), Some(R::Vpminsw), Some(R::Vpminsd), None],
        IntBinary::Smax => [Some(R::Vpmaxsb), Some(R::Vpmaxsw), Some(R::Vpmaxsd), None],
        IntBinary::Umin => [Some(R::Vpminub), Some(R::Vpminuw), Some(R::Vpminud), None],
        IntBinary::Umax => [Some(R::Vpmaxub), Some(R::Vpmaxuw), Some(R::Vpmaxud), None],
        IntBinary::Smulhi => [None, Some(R::Vpmulhw), None, None],
        IntBinary::Umulhi => [None, Some(R::Vpmulhuw), None, None],
        IntBinary::SaddSat => [Some(R::Vpaddsb), Some(R::Vpaddsw), None, None],
        IntBinary::UaddSat => [Some(R::Vpaddusb), Some(R::Vpaddusw), None, None],
        IntBinary::SsubSat => [Some(R::Vpsubsb), Some(R::Vpsubsw), None, None],
        IntBinary::UsubSat => [Some(R::Vpsubusb), Some(R::Vpsubusw), None, None],
        IntBinary::Rotl | IntBinary::Udiv | IntBinary::Sdiv | IntBinary::Urem | IntBinary::Srem => [None; 4],
    }
}

/// Returns the additional instructions of AVX-512.
fn native512(op: IntBinary) -> Widths {
    use VecOp as R;
    match op {
        IntBinary::Imul => [None, None, None, Some(R::Vpmullq)],
        IntBinary::And => [None, None, None, Some(R::Vpandq)],
        IntBinary::Or => [None, None, None, Some(R::Vporq)],
        IntBinary::Xor => [None, None, None, Some(R::Vpxorq)],
        IntBinary::Shl => [None, Some(R::Vpsllvw), None, None],
        IntBinary::Lshr => [None, Some(R::Vpsrlvw), None, None],
        IntBinary::Ashr => [None, Some(R::Vpsravw), None, Some(R::Vpsravq)],
        IntBinary::Rotl => [None, None, Some(R::Vprolvd), Some(R::Vprolvq)],
        IntBinary::Smin => [None, None, None, Some(R::Vpminsq)],
        IntBinary::Smax => [None, None, None, Some(R::Vpmaxsq)],
        IntBinary::Umin => [None, None, None, Some(R::Vpminuq)],
        IntBinary::Umax => [None, None, None, Some(R::Vpmaxuq)],
        _ => [None; 4],
    }
}

fn shifts_by_constant(op: IntBinary) -> Widths {
    use VecOp as R;
    match op {
        IntBinary::Shl => [None, Some(R::Vpsllwi), Some(R::Vpslldi), Some(R::Vpsllqi)],
        IntBinary::Lshr => [None, Some(R::Vpsrlwi), Some(R::Vpsrldi), Some(R::Vpsrlqi)],
        IntBinary::Ashr => [None, Some(R::Vpsrawi), Some(R::Vpsradi), None],
        _ => [None; 4],
    }
}

fn is_shift(op: IntBinary) -> bool {
    matches!(op, IntBinary::Shl | IntBinary::Lshr | IntBinary::Ashr | IntBinary::Rotl)
}

/// Operands of an operation in registers.
struct Pair {
    a: ValueRegs,
    b: ValueRegs,
    /// True if the second operand is a number of bits that is known to be below the lanes' width.
    has_valid_counts: bool,
}

impl Lower<'_> {
    fn vec_op_of(&self, op: IntBinary, bits: u32) -> Option<VecOp> {
        let more = if self.target.avx512 { for_bits(native512(op), bits) } else { None };
        more.or(for_bits(native(op), bits))
    }

    /// Lowers integer operations of vectors with two operands.
    pub fn vector_int_binary(&mut self, inst: &Inst, op: IntBinary) -> Lowered<ValueRegs> {
        let shape = self.shape_of(inst.ty)?;
        if let Some(regs) = self.ternary(inst, op, shape)? {
            return Ok(regs);
        }
        if let Some(regs) = self.bit_select(inst, op, shape)? {
            return Ok(regs);
        }
        if let Some((a, b)) = self.and_not_operands(inst, op) {
            self.mark_used(a);
            return self.each_register(VecOp::Vpandn, false, [a, b], shape);
        }
        let (a, b) = (inst.args[0], inst.args[1]);
        if op == IntBinary::Imul
            && let Some((factor, other)) = self.power_of_two_factor(inst)
            && let Some(regs) =
                self.shift_by_constant(other, IntBinary::Shl, shape, factor.trailing_zeros().into())?
        {
            return Ok(regs);
        }
        if op == IntBinary::Imul
            && let Some(regs) = self.special_product(inst, shape)?
        {
            return Ok(regs);
        }
        if is_shift(op) {
            if let Some(count) = self.splat_of(b)
                && let Some(regs) = self.shift_by_constant(a, op, shape, count)?
            {
                return Ok(regs);
            }
        } else if let Some(vec_op) = self.vec_op_of(op, shape.bits) {
            return self.each_register(vec_op, inst.op.is_commutative(), [a, b], shape);
        }
        let has_valid_counts = is_shift(op) && self.is_count(b, shape.bits);
        let pair = Pair { a: self.value_regs(a)?, b: self.value_regs(b)?, has_valid_counts };
        self.expand(op, inst.ty.lanes, shape, pair)
    }

    /// Emits one instruction for each register of the operands. The second operand may be read from memory.
    pub fn each_register(
        &mut self,
        vec_op: VecOp,
        is_commutative: bool,
        [mut a, mut b]: [Value; 2],
        shape: RegShape,
    ) -> Lowered<ValueRegs> {
        if is_commutative && self.is_memory_operand(a) && !self.is_memory_operand(b) {
            (a, b) = (b, a);
        }
        let regs = (0..shape.count).map(|chunk| {
            let second = self.source(b, chunk, vec_op, shape.size)?;
            let first = self.value_reg(a, chunk)?;
            Ok(self.vector2(vec_op, shape.size, first, second))
        });
        regs.collect()
    }

    fn zip(&mut self, pair: &Pair, mut f: impl FnMut(&mut Self, VReg, VReg) -> VReg) -> ValueRegs {
        pair.a.iter().zip(&pair.b).map(|(&a, &b)| f(self, a, b)).collect()
    }

    /// Emits the expansion of an operation without a single instruction.
    fn expand(&mut self, op: IntBinary, lanes: u16, shape: RegShape, pair: Pair) -> Lowered<ValueRegs> {
        let (size, bits) = (shape.size, shape.bits);
        if let Some(vec_op) = self.vec_op_of(op, bits) {
            let is_counted = is_shift(op) && op != IntBinary::Rotl && !pair.has_valid_counts;
            let counted = if is_counted { self.counts(shape, &pair.b) } else { pair.b };
            let pair = Pair { b: counted, ..pair };
            return Ok(self.zip(&pair, |t, a, b| t.vector2(vec_op, size, a, b)));
        }
        match op {
            IntBinary::Ashr => {
                // Negative numbers are complemented, shifted logically, and complemented again.
                let counts = if pair.has_valid_counts { pair.b } else { self.counts(shape, &pair.b) };
                let pair = Pair { b: counts, ..pair };
                Ok(self.zip(&pair, |t, a, b| {
                    let sign = t.sign_mask(size, a);
                    let positive = t.vector2(VecOp::Vpxor, size, a, sign);
                    let shifted = t.vector2(VecOp::Vpsrlvq, size, positive, b);
                    t.vector2(VecOp::Vpxor, size, shifted, sign)
                }))
            }
            IntBinary::Imul => Ok(self.zip(&pair, |t, a, b| t.multiply_qwords(size, a, b))),
            IntBinary::Smulhi | IntBinary::Umulhi if bits == 32 => {
                Ok(self.zip(&pair, |t, a, b| t.multiply_high_dwords(op, size, a, b)))
            }
            IntBinary::Smulhi | IntBinary::Umulhi => {
                Ok(self.zip(&pair, |t, a, b| t.multiply_high_lanes(size, op == IntBinary::Smulhi, a, b)))
            }
            IntBinary::Udiv | IntBinary::Sdiv | IntBinary::Urem | IntBinary::Srem => {
                let signed = matches!(op, IntBinary::Sdiv | IntBinary::Srem);
                self.by_lanes(shape, lanes, &[pair.a, pair.b], signed, |t, args| {
                    t.divide_registers(op, bits, args[0], args[1], false)
                })
            }
            _ => Err(CodegenBug("an integer op of vectors")),
        }
    }

    /// Checks whether a shift count is known to be below the lane width.
    fn is_count(&self, value: Value, bits: u32) -> bool {
        let value = self.origin(value);
        let limit = bits.into();
        let def = self.source.def_inst(value);
        self.splat_of(value).is_some_and(|count| count < limit)
            || def.is_some_and(|def| def.op == Op::And && self.is_masked_below(def, limit))
    }

    /// Checks whether an operand of an [`Op::And`] is a constant below a limit.
    pub fn is_masked_below(&self, and: &Inst, limit: u64) -> bool {
        and.args.iter().any(|&arg| self.splat_of(arg).is_some_and(|constant| constant < limit))
    }

    /// Reduces shift counts modulo the lane width.
    fn counts(&mut self, shape: RegShape, counts: &ValueRegs) -> ValueRegs {
        let vec_op = self.and_op(shape.bits);
        let limit = u64::from(shape.bits) - 1;
        let bounded = |t: &mut Self, reg| {
            let source = t.constant_source(vec_op, shape.size, shape.bits, limit);
            t.vector2(vec_op, shape.size, reg, source)
        };
        counts.iter().map(|&reg| bounded(self, reg)).collect()
    }

    /// Returns a factor that is a power of two in all lanes, and the other factor.
    fn power_of_two_factor(&self, inst: &Inst) -> Option<(u64, Value)> {
        let (a, b) = (inst.args[0], inst.args[1]);
        let factor = |value| self.splat_of(value).filter(|factor| factor.is_power_of_two());
        factor(b).map(|factor| (factor, a)).or_else(|| factor(a).map(|factor| (factor, b)))
    }

    fn shift_by_constant(
        &mut self,
        value: Value,
        op: IntBinary,
        shape: RegShape,
        count: u64,
    ) -> Lowered<Option<ValueRegs>> {
        let (bits, size) = (shape.bits, shape.size);
        let count = (count % u64::from(bits)) as u8;
        let vec_op = match (op, bits) {
            (IntBinary::Rotl, 32) if self.target.avx512 => Some(VecOp::Vproldi),
            (IntBinary::Rotl, 64) if self.target.avx512 => Some(VecOp::Vprolqi),
            (IntBinary::Ashr, 64) if self.target.avx512 => Some(VecOp::Vpsraqi),
            _ => for_bits(shifts_by_constant(op), bits),
        };
        let regs = self.value_regs(value)?;
        if (op, count) == (IntBinary::Shl, 1)
            && let Some(add) = for_bits(native(IntBinary::Iadd), bits)
        {
            // Most processors execute additions on more ports than shifts.
            return Ok(Some(regs.iter().map(|&reg| self.vector2(add, size, reg, reg)).collect()));
        }
        if op == IntBinary::Rotl && vec_op.is_none() && count.is_multiple_of(8) {
            let indices = Amode::pool(self.rotation_indices(size, bits, count));
            let rotated = |&reg| self.vector2(VecOp::Vpshufb, size, reg, indices);
            return Ok(Some(regs.iter().map(rotated).collect()));
        }
        if let Some(vec_op) = vec_op {
            return Ok(Some(regs.iter().map(|&reg| self.vector1i(vec_op, size, reg, count)).collect()));
        }
        if (op, bits) == (IntBinary::Ashr, 64) && (count < 32 || count == 63) {
            return Ok(Some(regs.iter().map(|&reg| self.shift_signed_qwords(size, reg, count)).collect()));
        }
        if bits == 8 && op != IntBinary::Rotl {
            // Shifts words, and clears the bits that come from the neighboring byte.
            let (vec_op, kept) = match op {
                IntBinary::Shl => (VecOp::Vpsllwi, 0xffu64 << count & 0xff),
                _ => (VecOp::Vpsrlwi, 0xff >> count),
            };
            let shift = |t: &mut Self, reg| {
                let shifted = t.vector1i(vec_op, size, reg, count);
                let mask = t.constant_source(VecOp::Vpand, size, 8, kept);
                let shifted = t.vector2(VecOp::Vpand, size, shifted, mask);
                if op != IntBinary::Ashr {
                    return shifted;
                }
                // Extends the sign.
                let sign = t.splat_constant(size, 8, 0x80 >> count);
                let flipped = t.vector2(VecOp::Vpxor, size, shifted, sign);
                t.vector2(VecOp::Vpsubb, size, flipped, sign)
            };
            return Ok(Some(regs.iter().map(|&reg| shift(self, reg)).collect()));
        }
        Ok(None)
    }

    /// Shifts signed lanes of 64 bits down without AVX-512, by 63 or by less than 32: the upper halves as numbers of 32 bits.
    fn shift_signed_qwords(&mut self, size: Size, reg: VReg, count: u8) -> VReg {
        if count == 63 {
            return self.sign_mask(size, reg);
        }
        let lower = self.vector1i(VecOp::Vpsrlqi, size, reg, count);
        let upper = self.vector1i(VecOp::Vpsradi, size, reg, count);
        self.vector2i(VecOp::Vpblendd, size, lower, upper, UPPER_HALVES)
    }

    /// Returns the `vpshufb` indices that rotate lanes to the left by a whole number of bytes.
    fn rotation_indices(&mut self, size: Size, bits: u32, count: u8) -> u32 {
        let (bytes, by) = (bits as u8 / 8, count / 8);
        let indices: Vec<u8> = (0..16).map(|at| at / bytes * bytes + (at + bytes - by) % bytes).collect();
        self.code.pool.add(indices.repeat(size.bytes() as usize / 16))
    }

    /// Returns the upper halves of products of 32 bits: the even and the odd lanes separately.
    fn multiply_high_dwords(&mut self, op: IntBinary, size: Size, a: VReg, b: VReg) -> VReg {
        let vec_op = if op == IntBinary::Smulhi { VecOp::Vpmuldq } else { VecOp::Vpmuludq };
        // Shuffles and products are executed on different ports, shifts and products are not.
        let even = self.vector2(vec_op, size, a, b);
        let even = self.vector1i(VecOp::Vpshufd, size, even, UPPER_OF_PAIRS);
        let a_odd = self.vector1i(VecOp::Vpshufd, size, a, UPPER_OF_PAIRS);
        let b_odd = self.vector1i(VecOp::Vpshufd, size, b, UPPER_OF_PAIRS);
        let odd = self.vector2(vec_op, size, a_odd, b_odd);
        if !self.target.avx512 {
            return self.vector2i(VecOp::Vpblendd, size, even, odd, UPPER_HALVES);
        }
        // Selects bits by the third operand.
        let upper = self.constant_source(VecOp::Vpternlogq, size, 64, 0xffff_ffff_0000_0000);
        let result = self.code.vreg(RegClass::Float);
        let build = InstBuilder::vec_op(VecOp::Vpternlogq, size).reuse_def(even, result).read(odd).src(upper);
        self.emitted.push(build.imm8(0xd8));
        result
    }

    /// Applies a scalar operation lane by lane, through memory.
    pub fn by_lanes(
        &mut self,
        shape: RegShape,
        lanes: u16,
        args: &[ValueRegs],
        signed: bool,
        mut each: impl FnMut(&mut Self, &[VReg]) -> VReg,
    ) -> Lowered<ValueRegs> {
        let bytes = shape.size.bytes() * shape.count as u32;
        let slots: Vec<u32> = args.iter().map(|_| self.slot(bytes, 64)).collect();
        let result = self.slot(bytes, 64);
        for (regs, &slot) in args.iter().zip(&slots) {
            self.store_regs(regs, shape, Amode::frame(slot, 0));
        }
        let step = shape.bits / 8;
        for lane in 0..u32::from(lanes) {
            let at = (lane * step) as i32;
            let loaded: Vec<VReg> = slots
                .iter()
                .map(|&slot| self.load_integer(Amode::frame(slot, at), shape.bits, signed))
                .collect();
            let value = each(self, &loaded);
            self.store_integer(value, Amode::frame(result, at), shape.bits);
        }
        Ok(self.load_regs(shape, Amode::frame(result, 0)))
    }

    /// Lowers bit counts and magnitudes.
    pub fn vector_int_unary(&mut self, inst: &Inst, op: IntUnary) -> Lowered<ValueRegs> {
        let shape = self.shape_of(inst.ty)?;
        let regs = self.value_regs(inst.args[0])?;
        match op {
            IntUnary::Iabs => Ok(regs.iter().map(|&reg| self.magnitude(shape, reg)).collect()),
            IntUnary::Popcnt => Ok(regs.iter().map(|&reg| self.count_bits(shape, reg)).collect()),
            IntUnary::Clz if shape.bits == 8 => {
                Ok(regs.iter().map(|&reg| self.count_leading_zeros_of_bytes(shape.size, reg)).collect())
            }
            IntUnary::Clz if self.target.avx512 => {
                let vec_op = if shape.bits == 64 { VecOp::Vplzcntq } else { VecOp::Vplzcntd };
                Ok(regs.iter().map(|&reg| self.vector1(vec_op, shape.size, reg)).collect())
            }
            IntUnary::Clz => Ok(regs.iter().map(|&reg| self.count_leading_zeros(shape, reg)).collect()),
            // Counts the zeros below the lowest bit.
            IntUnary::Ctz => Ok(regs
                .iter()
                .map(|&reg| {
                    let ones = self.splat_constant(shape.size, 64, u64::MAX);
                    let add = for_bits(native(IntBinary::Iadd), shape.bits).unwrap_or(VecOp::Vpaddq);
                    let below = self.vector2(add, shape.size, reg, ones);
                    let zeros = self.vector2(VecOp::Vpandn, shape.size, reg, below);
                    self.count_bits(shape, zeros)
                })
                .collect()),
        }
    }

    /// Counts leading zeros of bytes, by a table for each half: where the upper half is not zero, its count is the smaller one.
    /// For bytes with the highest bit the table of lower halves gives zero.
    fn count_leading_zeros_of_bytes(&mut self, size: Size, reg: VReg) -> VReg {
        let zeros = |n: u8| n.leading_zeros() as u8;
        let mut table = |count: fn(u8, u8) -> u8| {
            let counts: Vec<u8> = (0..16u8).map(|n| count(n, zeros(n))).collect();
            let counts = self.code.pool.add(counts.repeat(size.bytes() as usize / 16));
            self.vector1(VecOp::Vmovdqu, size, Amode::pool(counts))
        };
        let lower = table(|_, zeros| zeros);
        let upper = table(|n, zeros| if n == 0 { 8 } else { zeros - 4 });
        let nibble = self.constant_source(VecOp::Vpand, size, 8, 0x0f);
        let shifted = self.vector1i(VecOp::Vpsrlwi, size, reg, 4);
        let high = self.vector2(VecOp::Vpand, size, shifted, nibble);
        let high = self.vector2(VecOp::Vpshufb, size, upper, high);
        let low = self.vector2(VecOp::Vpshufb, size, lower, reg);
        self.vector2(VecOp::Vpminub, size, low, high)
    }

    /// Counts leading zeros with AVX2: those of 32 bits by the exponent of a float.
    fn count_leading_zeros(&mut self, shape: RegShape, reg: VReg) -> VReg {
        /// Exponent of 2³¹ as a float.
        const TOP: u64 = 127 + 31;
        let size = shape.size;
        // Without the bits that follow the first eight, the conversion does not round up to the next power of two. A
        // number with its first bit set is negative, and so is the float: shifted down it is above the bias of all others.
        let later = self.vector1i(VecOp::Vpsrldi, size, reg, 8);
        let first = self.vector2(VecOp::Vpandn, size, later, reg);
        let float = self.vector1(VecOp::Vcvtdq2ps, size, first);
        let exponent = self.vector1i(VecOp::Vpsrldi, size, float, 23);
        let top = self.splat_constant(size, 32, TOP);
        let zeros = self.vector2(VecOp::Vpsubusw, size, top, exponent);
        let most = self.splat_constant(size, 32, 32);
        let zeros = self.vector2(VecOp::Vpminsw, size, zeros, most);
        if shape.bits == 32 {
            return zeros;
        }
        // Those of the lower half count where all 32 bits of the upper half are zeros.
        let upper = self.vector1i(VecOp::Vpsrlqi, size, zeros, 32);
        let is_empty = self.vector2(VecOp::Vpcmpeqd, size, zeros, most);
        let is_empty = self.vector1i(VecOp::Vpsrlqi, size, is_empty, 32);
        let lower = self.vector2(VecOp::Vpand, size, zeros, is_empty);
        self.vector2(VecOp::Vpaddd, size, upper, lower)
    }

    fn magnitude(&mut self, shape: RegShape, reg: VReg) -> VReg {
        let vec_op = match shape.bits {
            8 => VecOp::Vpabsb,
            16 => VecOp::Vpabsw,
            32 => VecOp::Vpabsd,
            _ if self.target.avx512 => VecOp::Vpabsq,
            _ => {
                let sign = self.sign_mask(shape.size, reg);
                let flipped = self.vector2(VecOp::Vpxor, shape.size, reg, sign);
                return self.vector2(VecOp::Vpsubq, shape.size, flipped, sign);
            }
        };
        self.vector1(vec_op, shape.size, reg)
    }

    fn count_bits(&mut self, shape: RegShape, reg: VReg) -> VReg {
        let size = shape.size;
        match shape.bits {
            8 if self.target.features.bitalg => return self.vector1(VecOp::Vpopcntb, size, reg),
            16 if self.target.features.bitalg => return self.vector1(VecOp::Vpopcntw, size, reg),
            32 if self.target.features.vpopcntdq => return self.vector1(VecOp::Vpopcntd, size, reg),
            64 if self.target.features.vpopcntdq => return self.vector1(VecOp::Vpopcntq, size, reg),
            _ => {}
        }
        // A table counts the bits of half bytes; then neighbors are added.
        let table: Vec<u8> = (0..16u8).map(|n| n.count_ones() as u8).collect();
        let table = self.code.pool.add(table.repeat(size.bytes() as usize / 16));
        let table = self.vector1(VecOp::Vmovdqu, size, Amode::pool(table));
        let nibble = self.constant_source(VecOp::Vpand, size, 8, 0x0f);
        let low = self.vector2(VecOp::Vpand, size, reg, nibble);
        let upper = self.vector1i(VecOp::Vpsrlwi, size, reg, 4);
        let high = self.vector2(VecOp::Vpand, size, upper, nibble);
        let low = self.vector2(VecOp::Vpshufb, size, table, low);
        let high = self.vector2(VecOp::Vpshufb, size, table, high);
        let bytes = self.vector2(VecOp::Vpaddb, size, low, high);
        match shape.bits {
            8 => bytes,
            64 => {
                let zero = self.splat_constant(size, 64, 0);
                self.vector2(VecOp::Vpsadbw, size, bytes, zero)
            }
            _ => {
                let ones = self.constant_source(VecOp::Vpmaddubsw, size, 8, 1);
                let words = self.vector2(VecOp::Vpmaddubsw, size, bytes, ones);
                if shape.bits == 16 {
                    return words;
                }
                let ones = self.constant_source(VecOp::Vpmaddwd, size, 16, 1);
                self.vector2(VecOp::Vpmaddwd, size, words, ones)
            }
        }
    }

    /// Checks whether a value is a splat of zero.
    pub fn is_zero(&self, value: grus_ir::Value) -> bool {
        let value = self.origin(value);
        self.splat_of(value) == Some(0) && self.source.def_inst(value).is_some_and(|def| def.op != Op::Iota)
    }

    /// Returns one register of a vector; other registers of a constant are not emitted.
    pub fn value_reg(&mut self, value: Value, chunk: usize) -> Lowered<VReg> {
        let value = self.origin(value);
        if !self.source.ty(value).is_mask()
            && let Some(lanes) = self.constant_lanes(value)
        {
            let shape = self.shape(value)?;
            return Ok(self.lanes_constant(shape, &lanes, chunk));
        }
        Ok(self.value_regs(value)?[chunk])
    }

    /// Blends vectors by a mask of lanes, without AVX-512.
    pub fn blend_vectors(&mut self, size: Size, mask: VReg, yes: impl Into<Src>, no: VReg) -> VReg {
        self.note_size(size);
        let result = self.code.vreg(regalloc2::RegClass::Float);
        let build = super::super::inst::InstBuilder::vec_op(VecOp::Vpblendvb, size).def(result);
        self.emitted.push(build.read(no).src(yes).read(mask));
        result
    }
}

/// Returns the lanes of `to` bits of a vector whose lanes of `from` bits are all `lane`, or none if they differ.
pub fn splat_in_width(lane: u64, from: u32, to: u32) -> Option<u64> {
    if from == to {
        return Some(lane);
    }
    let mask = |bits: u32| u64::MAX >> (64 - bits);
    let repeated = |lane: u64, bits: u32| (0..64 / bits).fold(0, |all, at| all | lane << (at * bits));
    let all = repeated(lane & mask(from), from);
    let lane = all & mask(to);
    (repeated(lane, to) == all).then_some(lane)
}

#[cfg(test)]
mod tests {
    use super::splat_in_width;

    #[test]
    fn constants_of_lanes_are_those_of_other_lanes() {
        assert_eq!(splat_in_width(1, 8, 16), Some(0x101));
        assert_eq!(splat_in_width(0x101, 16, 8), Some(1));
        assert_eq!(splat_in_width(0x102, 16, 8), None);
        assert_eq!(splat_in_width(7, 32, 32), Some(7));
        assert_eq!(splat_in_width(7, 32, 64), Some(0x7_0000_0007));
        assert_eq!(splat_in_width(u64::MAX, 64, 8), Some(0xff));
        assert_eq!(splat_in_width(u64::MAX, 8, 64), Some(u64::MAX));
        assert_eq!(splat_in_width(0, 64, 16), Some(0));
    }
}
