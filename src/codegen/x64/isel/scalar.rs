//! Lowering of scalar integers, conditions and addresses. The upper bits of integers of 8 and 16 bits, and of truth
//! values, are arbitrary: operations that depend on them extend first.

use iced_x86::{Code as Encoding, OpKind};
use regalloc2::{RegClass, VReg};

use super::super::CodegenBug;
use super::super::inst::{Amode, Base, CondCode, InstBuilder, InstKind, Test, View};
use super::super::vcode::{RAX, RCX, RDX};
use super::super::vec_ops::{Size, VecOp};
use super::{Lower, Lowered};
use grus_ir::{FloatCond, Inst, IntBinary, IntCond, IntUnary, Kind, Op, Value};

/// Returns the encoding `by` positions behind `code` in the encoder's list, where the sizes of an instruction are
/// consecutive.
pub fn code_plus(code: Encoding, by: usize) -> Encoding {
    Encoding::try_from(code as usize + by).unwrap_or(Encoding::INVALID)
}

/// Instructions with two operands, the first of which is replaced.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Alu {
    Add,
    Or,
    And,
    Sub,
    Xor,
    Cmp,
}

impl Alu {
    /// Returns the encodings for: a register and a register or memory of 8 bits; an immediate of 32 bits; an immediate
    /// byte with 32 bits, and with 64 bits.
    fn codes(self) -> (Encoding, Encoding, Encoding, Encoding) {
        use Encoding as E;
        match self {
            Alu::Add => (E::Add_r8_rm8, E::Add_rm32_imm32, E::Add_rm32_imm8, E::Add_rm64_imm8),
            Alu::Or => (E::Or_r8_rm8, E::Or_rm32_imm32, E::Or_rm32_imm8, E::Or_rm64_imm8),
            Alu::And => (E::And_r8_rm8, E::And_rm32_imm32, E::And_rm32_imm8, E::And_rm64_imm8),
            Alu::Sub => (E::Sub_r8_rm8, E::Sub_rm32_imm32, E::Sub_rm32_imm8, E::Sub_rm64_imm8),
            Alu::Xor => (E::Xor_r8_rm8, E::Xor_rm32_imm32, E::Xor_rm32_imm8, E::Xor_rm64_imm8),
            Alu::Cmp => (E::Cmp_r8_rm8, E::Cmp_rm32_imm32, E::Cmp_rm32_imm8, E::Cmp_rm64_imm8),
        }
    }
    fn qword_immediate(self) -> Encoding {
        use Encoding as E;
        match self {
            Alu::Add => E::Add_rm64_imm32,
            Alu::Or => E::Or_rm64_imm32,
            Alu::And => E::And_rm64_imm32,
            Alu::Sub => E::Sub_rm64_imm32,
            Alu::Xor => E::Xor_rm64_imm32,
            Alu::Cmp => E::Cmp_rm64_imm32,
        }
    }
}

/// Second operand of an [`Alu`] instruction.
#[derive(Clone, Copy, Debug)]
pub enum AluOperand {
    Reg(VReg),
    Mem(Amode),
    Imm(i32),
}

/// Returns the view of the register of at least 32 bits for an integer of `bits` bits.
pub fn view(bits: u32) -> View {
    if bits == 64 { View::Qword } else { View::Dword }
}

/// Returns 1 for 64 bits, else 0.
fn qword_index(bits: u32) -> usize {
    usize::from(bits == 64)
}

fn cmov(flag: CondCode, bits: u32) -> Encoding {
    code_plus(Encoding::Cmovo_r32_rm32, 3 * flag as usize + qword_index(bits))
}

impl Lower<'_> {
    /// Returns a constant as a sign-extended immediate of 32 bits, if it is one.
    fn immediate(&self, value: Value, bits: u32) -> Option<i32> {
        let constant = self.source.as_const(value)?;
        let signed = match bits {
            64 => constant as i64,
            1 => (constant & 1) as i64,
            _ => ((constant << (64 - bits)) as i64) >> (64 - bits),
        };
        i32::try_from(signed).ok()
    }

    /// Returns a second operand: a register, an immediate or memory.
    pub fn alu_operand(&mut self, value: Value, bits: u32) -> Lowered<AluOperand> {
        if let Some(immediate) = self.immediate(value, bits) {
            return Ok(AluOperand::Imm(immediate));
        }
        let origin = self.origin(value);
        if bits >= 32
            && self.is_foldable_load(origin)
            && let Some(load) = self.source.def_inst(origin)
        {
            return Ok(AluOperand::Mem(self.address(load.args[0])?));
        }
        Ok(AluOperand::Reg(self.scalar(value)?))
    }

    /// Creates a general register.
    pub fn general(&mut self) -> VReg {
        self.code.vreg(RegClass::Int)
    }

    /// Emits an instruction with two operands.
    pub fn alu(&mut self, op: Alu, bits: u32, a: VReg, b: AluOperand) -> VReg {
        let result = self.general();
        let build = self.alu_code(op, bits, b).reuse_def_as(a, result, view(bits));
        let build = match b {
            AluOperand::Reg(b) => build.read_as(b, view(bits)),
            AluOperand::Mem(address) => build.mem(address),
            AluOperand::Imm(value) => Self::with_immediate(build, bits, value),
        };
        self.emitted.push(build);
        result
    }

    /// Emits `b & !a`.
    fn and_not(&mut self, bits: u32, a: VReg, b: AluOperand) -> VReg {
        let (result, view) = (self.general(), view(bits));
        let build = InstBuilder::code(code_plus(Encoding::VEX_Andn_r32_r32_rm32, qword_index(bits)));
        let build = build.def_as(result, view).read_as(a, view);
        self.emitted.push(match b {
            AluOperand::Reg(b) => build.read_as(b, view),
            AluOperand::Mem(address) => build.mem(address),
            AluOperand::Imm(_) => unreachable!("it takes no immediate"),
        });
        result
    }

    fn alu_code(&self, op: Alu, bits: u32, b: AluOperand) -> InstBuilder {
        let (registers, dword, byte, qword_byte) = op.codes();
        InstBuilder::code(match b {
            AluOperand::Imm(value) => match (bits == 64, i8::try_from(value).is_ok()) {
                (false, false) => dword,
                (false, true) => byte,
                (true, false) => op.qword_immediate(),
                (true, true) => qword_byte,
            },
            _ => code_plus(registers, 2 + qword_index(bits)),
        })
    }

    fn with_immediate(build: InstBuilder, bits: u32, value: i32) -> InstBuilder {
        let kind = match (bits == 64, i8::try_from(value).is_ok()) {
            (false, false) => OpKind::Immediate32,
            (false, true) => OpKind::Immediate8to32,
            (true, false) => OpKind::Immediate32to64,
            (true, true) => OpKind::Immediate8to64,
        };
        build.imm(kind, i64::from(value))
    }

    /// Compares integers of 32 or 64 bits.
    fn compare(&mut self, bits: u32, a: VReg, b: AluOperand) {
        if let AluOperand::Imm(0) = b {
            return self.test(bits, a);
        }
        let build = self.alu_code(Alu::Cmp, bits, b).read_as(a, view(bits));
        let build = match b {
            AluOperand::Reg(b) => build.read_as(b, view(bits)),
            AluOperand::Mem(address) => build.mem(address),
            AluOperand::Imm(value) => Self::with_immediate(build, bits, value),
        };
        self.emitted.push(build);
    }

    fn test(&mut self, bits: u32, a: VReg) {
        let (code, view) = match bits {
            1 | 8 => (Encoding::Test_rm8_r8, View::Byte),
            64 => (Encoding::Test_rm64_r64, View::Qword),
            _ => (Encoding::Test_rm32_r32, View::Dword),
        };
        self.emitted.push(InstBuilder::code(code).read_as(a, view).read_as(a, view));
    }

    /// Emits a shift or rotation by a constant.
    pub fn shift(&mut self, code32: Encoding, bits: u32, a: VReg, count: u32) -> VReg {
        let result = self.general();
        let code = code_plus(code32, qword_index(bits));
        self.emitted.push(InstBuilder::code(code).reuse_def_as(a, result, view(bits)).imm8(count as u8));
        result
    }

    /// Emits an instruction with one source, which is read by the view `from`, and a result of the view `to`.
    pub fn unary(&mut self, code: Encoding, to: View, a: VReg, from: View) -> VReg {
        let result = self.general();
        self.emitted.push(InstBuilder::code(code).def_as(result, to).read_as(a, from));
        result
    }

    /// Extends an integer to 32 or 64 bits.
    pub fn extend(&mut self, a: VReg, from: u32, to: u32, signed: bool) -> VReg {
        use Encoding as E;
        match (from, signed) {
            (1 | 8, false) => self.unary(E::Movzx_r32_rm8, View::Dword, a, View::Byte),
            (16, false) => self.unary(E::Movzx_r32_rm16, View::Dword, a, View::Word),
            (32, false) if to == 64 => self.unary(E::Mov_r32_rm32, View::Dword, a, View::Dword),
            (8, true) if to == 64 => self.unary(E::Movsx_r64_rm8, View::Qword, a, View::Byte),
            (8, true) => self.unary(E::Movsx_r32_rm8, View::Dword, a, View::Byte),
            (16, true) if to == 64 => self.unary(E::Movsx_r64_rm16, View::Qword, a, View::Word),
            (16, true) => self.unary(E::Movsx_r32_rm16, View::Dword, a, View::Word),
            (32, true) if to == 64 => self.unary(E::Movsxd_r64_rm32, View::Qword, a, View::Dword),
            (1, true) => {
                let wide = self.unary(E::Movzx_r32_rm8, View::Dword, a, View::Byte);
                self.negate(to.max(32), wide)
            }
            _ => a,
        }
    }

    /// Negates an integer.
    pub fn negate(&mut self, bits: u32, a: VReg) -> VReg {
        let result = self.general();
        let code = code_plus(Encoding::Neg_rm32, qword_index(bits));
        self.emitted.push(InstBuilder::code(code).reuse_def_as(a, result, view(bits)));
        result
    }

    fn invert(&mut self, bits: u32, a: VReg) -> VReg {
        let result = self.general();
        let code = code_plus(Encoding::Not_rm32, qword_index(bits));
        self.emitted.push(InstBuilder::code(code).reuse_def_as(a, result, view(bits)));
        result
    }

    /// Selects `yes` if the flags meet the condition, else `no`.
    pub fn choose(&mut self, test: Test, bits: u32, yes: VReg, no: VReg) -> VReg {
        let one = |t: &mut Self, flag: CondCode, no: VReg, yes: VReg| {
            let result = t.general();
            let build = InstBuilder::code(cmov(flag, bits)).reuse_def_as(no, result, view(bits));
            t.emitted.push(build.read_as(yes, view(bits)));
            result
        };
        match test {
            Test::One(flag) => one(self, flag, no, yes),
            Test::Either(a, b) => {
                let first = one(self, a, no, yes);
                one(self, b, first, yes)
            }
            Test::Both(a, b) => {
                let first = one(self, a.not(), yes, no);
                one(self, b.not(), first, no)
            }
        }
    }

    /// Lowers integer operations with two operands.
    pub fn int_binary(&mut self, inst: &Inst, op: IntBinary) -> Lowered<VReg> {
        let bits = inst.ty.kind.bits();
        let (a, b) = (inst.args[0], inst.args[1]);
        let (a, b) =
            if inst.op.is_commutative() && self.immediate(a, bits).is_some() { (b, a) } else { (a, b) };
        let simple = |t: &mut Self, alu: Alu| {
            // The second operand can be folded.
            let (a, b) = if inst.op.is_commutative() && bits >= 32 && t.is_foldable_load(t.origin(a)) {
                (b, a)
            } else {
                (a, b)
            };
            let second = t.alu_operand(b, bits)?;
            let first = t.scalar(a)?;
            Ok(t.alu(alu, bits, first, second))
        };
        match op {
            IntBinary::Iadd => simple(self, Alu::Add),
            IntBinary::Isub => simple(self, Alu::Sub),
            IntBinary::And => match self.and_not_operands(inst, op) {
                Some((a, b)) if inst.ty.kind != Kind::I1 && self.immediate(b, bits).is_none() => {
                    let second = self.alu_operand(b, bits)?;
                    let first = self.scalar(a)?;
                    self.mark_used(a);
                    Ok(self.and_not(bits, first, second))
                }
                _ => simple(self, Alu::And),
            },
            IntBinary::Or => simple(self, Alu::Or),
            IntBinary::Xor => simple(self, Alu::Xor),
            _ if inst.ty.kind == Kind::I1 => Err(CodegenBug("arithmetic of truth values")),
            IntBinary::Imul => {
                if let Some(factor) = self.immediate(b, bits) {
                    let first = self.scalar(a)?;
                    return Ok(self.multiply_by(bits, first, factor));
                }
                let (first, second) = (self.scalar(a)?, self.alu_operand(b, bits)?);
                Ok(self.multiply(bits, first, second))
            }
            IntBinary::Shl | IntBinary::Lshr | IntBinary::Ashr => self.scalar_shift(op, bits, a, b),
            IntBinary::Rotl => self.rotate(bits, a, b),
            IntBinary::Smin | IntBinary::Smax | IntBinary::Umin | IntBinary::Umax => {
                let signed = matches!(op, IntBinary::Smin | IntBinary::Smax);
                let (x, y) = (self.extended(a, bits, signed)?, self.extended(b, bits, signed)?);
                self.compare(bits, x, AluOperand::Reg(y));
                let flag = match op {
                    IntBinary::Smin => CondCode::Less,
                    IntBinary::Smax => CondCode::Greater,
                    IntBinary::Umin => CondCode::Below,
                    _ => CondCode::Above,
                };
                Ok(self.choose(Test::One(flag), bits, x, y))
            }
            IntBinary::Udiv | IntBinary::Sdiv | IntBinary::Urem | IntBinary::Srem => {
                self.divide(op, bits, a, b)
            }
            IntBinary::Smulhi | IntBinary::Umulhi => {
                let (first, second) = (self.scalar(a)?, self.scalar(b)?);
                Ok(self.multiply_high_qwords(op == IntBinary::Smulhi, first, second))
            }
            IntBinary::SaddSat | IntBinary::UaddSat | IntBinary::SsubSat | IntBinary::UsubSat => {
                self.saturate(op, bits, a, b)
            }
        }
    }

    /// Returns a scalar, extended to 32 bits if it is narrower.
    pub fn extended(&mut self, value: Value, bits: u32, signed: bool) -> Lowered<VReg> {
        if let Some(constant) = self.source.as_const(value)
            && bits < 32
        {
            let constant = if signed && bits > 1 {
                (((constant << (64 - bits)) as i64) >> (64 - bits)) as u32
            } else {
                (constant & ((1 << bits) - 1)) as u32
            };
            return Ok(self.integer(u64::from(constant)));
        }
        let register = self.scalar(value)?;
        Ok(if bits < 32 { self.extend(register, bits, 32, signed) } else { register })
    }

    fn multiply(&mut self, bits: u32, a: VReg, b: AluOperand) -> VReg {
        let result = self.general();
        let code = code_plus(Encoding::Imul_r32_rm32, qword_index(bits));
        let build = InstBuilder::code(code).reuse_def_as(a, result, view(bits));
        let build = match b {
            AluOperand::Reg(b) => build.read_as(b, view(bits)),
            AluOperand::Mem(address) => build.mem(address),
            AluOperand::Imm(_) => build,
        };
        self.emitted.push(build);
        result
    }

    fn multiply_by(&mut self, bits: u32, a: VReg, factor: i32) -> VReg {
        if factor > 0 && factor & (factor - 1) == 0 {
            return self.shift(Encoding::Shl_rm32_imm8, bits, a, factor.trailing_zeros());
        }
        let result = self.general();
        let is_byte = i8::try_from(factor).is_ok();
        let code = if is_byte { Encoding::Imul_r32_rm32_imm8 } else { Encoding::Imul_r32_rm32_imm32 };
        let build = InstBuilder::code(code_plus(code, qword_index(bits)));
        let build = build.def_as(result, view(bits)).read_as(a, view(bits));
        self.emitted.push(Self::with_immediate(build, bits, factor));
        result
    }

    fn scalar_shift(&mut self, op: IntBinary, bits: u32, a: Value, b: Value) -> Lowered<VReg> {
        use Encoding as E;
        let first = match op {
            IntBinary::Shl => self.scalar(a)?,
            IntBinary::Lshr => self.extended(a, bits, false)?,
            _ => self.extended(a, bits, true)?,
        };
        if let Some(count) = self.source.as_const(b) {
            let count = (count % u64::from(bits)) as u32;
            let code = match op {
                IntBinary::Shl => E::Shl_rm32_imm8,
                IntBinary::Lshr => E::Shr_rm32_imm8,
                _ => E::Sar_rm32_imm8,
            };
            return Ok(self.shift(code, bits, first, count));
        }
        let mut count = self.scalar(b)?;
        if bits < 32 {
            count = self.alu(Alu::And, 32, count, AluOperand::Imm(bits as i32 - 1));
        }
        let code = match op {
            IntBinary::Shl => E::VEX_Shlx_r32_rm32_r32,
            IntBinary::Lshr => E::VEX_Shrx_r32_rm32_r32,
            _ => E::VEX_Sarx_r32_rm32_r32,
        };
        Ok(self.shift_by(code_plus(code, qword_index(bits)), bits, first, count))
    }

    fn shift_by(&mut self, code: Encoding, bits: u32, a: VReg, count: VReg) -> VReg {
        let result = self.general();
        let view = view(bits);
        self.emitted.push(InstBuilder::code(code).def_as(result, view).read_as(a, view).read_as(count, view));
        result
    }

    fn rotate(&mut self, bits: u32, a: Value, b: Value) -> Lowered<VReg> {
        use Encoding as E;
        let first = self.scalar(a)?;
        let (by_constant, by_register, view) = match bits {
            8 => (E::Rol_rm8_imm8, E::Rol_rm8_CL, View::Byte),
            16 => (E::Rol_rm16_imm8, E::Rol_rm16_CL, View::Word),
            32 => (E::Rol_rm32_imm8, E::Rol_rm32_CL, View::Dword),
            _ => (E::Rol_rm64_imm8, E::Rol_rm64_CL, View::Qword),
        };
        let result = self.general();
        if let Some(count) = self.source.as_const(b) {
            let count = (count % u64::from(bits)) as u8;
            self.emitted.push(InstBuilder::code(by_constant).reuse_def_as(first, result, view).imm8(count));
            return Ok(result);
        }
        let count = self.scalar(b)?;
        let build = InstBuilder::code(by_register)
            .reuse_def_as(first, result, view)
            .count_in_cl()
            .fixed_read(count, RCX);
        self.emitted.push(build);
        Ok(result)
    }

    fn divide(&mut self, op: IntBinary, bits: u32, a: Value, b: Value) -> Lowered<VReg> {
        let signed = matches!(op, IntBinary::Sdiv | IntBinary::Srem);
        let number = self.extended(a, bits, signed)?;
        let is_safe = self.source.as_const(b).is_some_and(|b| {
            let minus_one = u64::MAX >> (64 - bits);
            b & minus_one != 0 && !(signed && b & minus_one == minus_one)
        });
        let divisor = self.extended(b, bits, signed)?;
        Ok(self.divide_registers(op, bits.max(32), number, divisor, is_safe))
    }

    /// Divides integers of 32 or 64 bits. `rax` and `rdx` hold the dividend, the quotient and the remainder.
    pub fn divide_registers(
        &mut self,
        op: IntBinary,
        bits: u32,
        number: VReg,
        mut divisor: VReg,
        is_safe: bool,
    ) -> VReg {
        use Encoding as E;
        let signed = matches!(op, IntBinary::Sdiv | IntBinary::Srem);
        let remainder = matches!(op, IntBinary::Urem | IntBinary::Srem);
        if !is_safe {
            divisor = self.safe_divisor(bits, signed, number, divisor);
        }
        let high = if signed {
            let high = self.general();
            let code = if bits == 64 { E::Cqo } else { E::Cdq };
            self.emitted.push(InstBuilder::code(code).fixed_read(number, RAX).fixed_def(high, RDX));
            high
        } else {
            self.integer(0)
        };
        let code = match (signed, bits) {
            (false, 32) => E::Div_rm32,
            (false, _) => E::Div_rm64,
            (true, 32) => E::Idiv_rm32,
            (true, _) => E::Idiv_rm64,
        };
        let (quotient, rest) = (self.general(), self.general());
        let build = InstBuilder::code(code)
            .read_as(divisor, view(bits))
            .fixed_read(number, RAX)
            .fixed_read(high, RDX);
        self.emitted.push(build.fixed_def(quotient, RAX).fixed_def(rest, RDX));
        if remainder { rest } else { quotient }
    }

    /// Returns the upper half of a product of 128 bits.
    pub fn multiply_high_qwords(&mut self, signed: bool, a: VReg, b: VReg) -> VReg {
        let (low, high) = (self.general(), self.general());
        let code = if signed { Encoding::Imul_rm64 } else { Encoding::Mul_rm64 };
        let build = InstBuilder::code(code).read(b).fixed_read(a, RAX);
        self.emitted.push(build.fixed_def(low, RAX).fixed_def(high, RDX));
        high
    }

    /// Replaces the divisor by 1 if it is zero, or if it is -1 and the dividend is the smallest integer.
    fn safe_divisor(&mut self, bits: u32, signed: bool, number: VReg, divisor: VReg) -> VReg {
        let one = self.integer(1);
        self.test(bits, divisor);
        let mut divisor = self.choose(Test::One(CondCode::Equal), bits, one, divisor);
        if signed {
            // The sign bit alone is the dividend that overflows; the inverse of -1 is 0. So both hold if this is zero.
            let min = self.integer(1 << (bits - 1));
            let is_min = self.alu(Alu::Xor, bits, number, AluOperand::Reg(min));
            let inverted = self.invert(bits, divisor);
            let both = self.alu(Alu::Or, bits, is_min, AluOperand::Reg(inverted));
            self.test(bits, both);
            divisor = self.choose(Test::One(CondCode::Equal), bits, one, divisor);
        }
        divisor
    }

    fn saturate(&mut self, op: IntBinary, bits: u32, a: Value, b: Value) -> Lowered<VReg> {
        let signed = matches!(op, IntBinary::SaddSat | IntBinary::SsubSat);
        let alu = if matches!(op, IntBinary::SaddSat | IntBinary::UaddSat) { Alu::Add } else { Alu::Sub };
        let (x, y) = (self.scalar(a)?, self.scalar(b)?);
        let limit = if signed {
            // The maximum for positive numbers, the minimum for negative ones.
            let sign = self.shift(Encoding::Sar_rm32_imm8, bits, x, bits - 1);
            let max = self.integer((1 << (bits - 1)) - 1);
            self.alu(Alu::Xor, bits, sign, AluOperand::Reg(max))
        } else if alu == Alu::Add {
            self.integer(u64::MAX)
        } else {
            self.integer(0)
        };
        // No instruction between the sum and the selection changes flags.
        let sum = self.alu(alu, bits, x, AluOperand::Reg(y));
        let flag = if signed { CondCode::Overflow } else { CondCode::Below };
        Ok(self.choose(Test::One(flag), bits, limit, sum))
    }

    /// Lowers bit counts and magnitudes.
    pub fn int_unary(&mut self, inst: &Inst, op: IntUnary) -> Lowered<VReg> {
        use Encoding as E;
        let bits = inst.ty.kind.bits();
        let value = inst.args[0];
        let wide = bits.max(32);
        match op {
            IntUnary::Iabs => {
                let a = self.extended(value, bits, true)?;
                let negated = self.negate(wide, a);
                self.test(wide, a);
                Ok(self.choose(Test::One(CondCode::Sign), wide, negated, a))
            }
            IntUnary::Popcnt => self.scalar(value).map(|a| self.count(E::Popcnt_r32_rm32, bits, a)),
            IntUnary::Clz => self.scalar(value).map(|a| self.count(E::Lzcnt_r32_rm32, bits, a)),
            IntUnary::Ctz => self.scalar(value).map(|a| self.count(E::Tzcnt_r32_rm32, bits, a)),
        }
    }

    /// Counts bits by the instruction `code`.
    pub fn count(&mut self, code: Encoding, bits: u32, a: VReg) -> VReg {
        self.unary(code_plus(code, qword_index(bits)), view(bits), a, view(bits))
    }

    /// Emits instructions that set flags by a truth value, and returns the condition to test. A comparison whose only
    /// use is this one is emitted here.
    pub fn flags(&mut self, cond: Value) -> Lowered<Test> {
        let source = self.source;
        if let Some(def) = source.def_inst(cond).filter(|_| self.sets_flags(cond)) {
            match def.op {
                Op::Icmp => return self.integer_flags(def),
                Op::Fcmp => return self.float_flags(def),
                _ => return self.mask_flags(def.args[0], def.op == Op::All),
            }
        }
        let truth = self.scalar(cond)?;
        self.test(8, truth);
        Ok(Test::One(CondCode::NotEqual))
    }

    /// Checks whether a condition has one use in its block, so that its use can test flags.
    pub fn sets_flags(&self, cond: Value) -> bool {
        let Some(def) = self.source.def_inst(cond) else { return false };
        let sets = match def.op {
            Op::Icmp | Op::Fcmp => !self.source.ty(def.args[0]).is_vector(),
            op => matches!(op, Op::Any | Op::All),
        };
        sets && self.use_count(cond) == 1 && self.is_in_current_block(cond)
    }

    /// Compares integers, and returns the condition to test.
    pub fn integer_flags(&mut self, inst: &Inst) -> Lowered<Test> {
        let bits = self.source.ty(inst.args[0]).kind.bits();
        let (mut a, mut b, mut cond) = (inst.args[0], inst.args[1], inst.int_cond());
        if self.immediate(a, bits).is_some() {
            (a, b, cond) = (b, a, cond.swapped());
        }
        let signed = matches!(cond, IntCond::Slt | IntCond::Sle | IntCond::Sgt | IntCond::Sge);
        if bits == 1 && signed {
            return Err(CodegenBug("truth values compared as signed numbers"));
        }
        let (first, second) = if bits < 32 {
            let first = self.extended(a, bits, signed)?;
            let second = match self.source.as_const(b) {
                Some(constant) if !signed => AluOperand::Imm((constant & ((1 << bits) - 1)) as i32),
                Some(constant) => AluOperand::Imm((((constant << (64 - bits)) as i64) >> (64 - bits)) as i32),
                None => AluOperand::Reg(self.extended(b, bits, signed)?),
            };
            (first, second)
        } else {
            let second = self.alu_operand(b, bits)?;
            (self.scalar(a)?, second)
        };
        self.compare(bits.max(32), first, second);
        Ok(Test::One(match cond {
            IntCond::Eq => CondCode::Equal,
            IntCond::Ne => CondCode::NotEqual,
            IntCond::Slt => CondCode::Less,
            IntCond::Sle => CondCode::LessEqual,
            IntCond::Sgt => CondCode::Greater,
            IntCond::Sge => CondCode::GreaterEqual,
            IntCond::Ult => CondCode::Below,
            IntCond::Ule => CondCode::BelowEqual,
            IntCond::Ugt => CondCode::Above,
            IntCond::Uge => CondCode::AboveEqual,
        }))
    }

    fn float_flags(&mut self, inst: &Inst) -> Lowered<Test> {
        let kind = self.source.ty(inst.args[0]).kind;
        let (mut a, mut b, mut cond) = (inst.args[0], inst.args[1], inst.float_cond());
        // Unordered operands set the flags of both below and equal.
        if matches!(cond, FloatCond::Olt | FloatCond::Ole | FloatCond::Ugt | FloatCond::Uge) {
            (a, b, cond) = (b, a, cond.swapped());
        }
        let vec_op = if kind == Kind::F64 { VecOp::Vucomisd } else { VecOp::Vucomiss };
        let second = self.float_source(b)?;
        let first = self.scalar(a)?;
        self.emitted.push(InstBuilder::vec_op(vec_op, Size::X).read(first).src(second));
        Ok(match cond {
            FloatCond::Oeq => Test::Both(CondCode::Equal, CondCode::NoParity),
            FloatCond::Une => Test::Either(CondCode::NotEqual, CondCode::Parity),
            FloatCond::One => Test::One(CondCode::NotEqual),
            FloatCond::Ueq => Test::One(CondCode::Equal),
            FloatCond::Ogt | FloatCond::Olt => Test::One(CondCode::Above),
            FloatCond::Oge | FloatCond::Ole => Test::One(CondCode::AboveEqual),
            FloatCond::Ult | FloatCond::Ugt => Test::One(CondCode::Below),
            FloatCond::Ule | FloatCond::Uge => Test::One(CondCode::BelowEqual),
            FloatCond::Ord => Test::One(CondCode::NoParity),
            FloatCond::Uno => Test::One(CondCode::Parity),
        })
    }

    /// Materializes a condition as a truth value.
    pub fn truth(&mut self, test: Test) -> VReg {
        let set = |t: &mut Self, flag: CondCode| {
            let result = t.general();
            t.emitted.push(
                InstBuilder::code(code_plus(Encoding::Seto_rm8, flag as usize)).def_as(result, View::Byte),
            );
            result
        };
        match test {
            Test::One(flag) => set(self, flag),
            Test::Both(a, b) | Test::Either(a, b) => {
                let (first, second) = (set(self, a), set(self, b));
                let op = if matches!(test, Test::Both(..)) { Alu::And } else { Alu::Or };
                self.alu(op, 32, first, AluOperand::Reg(second))
            }
        }
    }

    /// Lowers a comparison whose result is a value.
    pub fn scalar_compare(&mut self, inst: &Inst) -> Lowered<VReg> {
        let test = if inst.op == Op::Icmp { self.integer_flags(inst)? } else { self.float_flags(inst)? };
        Ok(self.truth(test))
    }

    /// Returns the address of an addition to a pointer.
    pub fn address_of(&mut self, inst: &Inst) -> Lowered<Amode> {
        match self.source.as_const(inst.args[1]) {
            Some(constant) => self.address_plus(inst.args[0], constant as i64),
            None => self.indexed_address(inst.args[0], inst.args[1], 0),
        }
    }

    /// Returns the address that a pointer holds.
    pub fn address(&mut self, pointer: Value) -> Lowered<Amode> {
        self.address_plus(pointer, 0)
    }

    fn address_plus(&mut self, pointer: Value, disp: i64) -> Lowered<Amode> {
        let (pointer, disp) = self.without_constants(pointer, disp);
        match self.source.def_inst(pointer).filter(|def| def.op == Op::PtrAdd) {
            Some(def) => self.indexed_address(def.args[0], def.args[1], disp),
            None => self.base_plus(pointer, disp),
        }
    }

    /// Returns the address `disp` bytes behind a pointer in a register or to a stack slot.
    fn base_plus(&mut self, pointer: Value, disp: i64) -> Lowered<Amode> {
        if let Some(slot) = self.slot_of(pointer)
            && let Ok(disp) = i32::try_from(disp)
        {
            return Ok(Amode::frame(slot, disp));
        }
        let register = self.scalar(pointer)?;
        Ok(self.displaced(Amode::at(register), disp))
    }

    /// Returns the sum of a pointer, an offset in a register, and a displacement.
    fn indexed_address(&mut self, pointer: Value, bytes: Value, disp: i64) -> Lowered<Amode> {
        let mut bytes = bytes;
        let mut disp = disp;
        let mut scale = 1;
        // Folds a few constant summands and small factors.
        // The number of 4: arbitrary.
        for _ in 0..4 {
            let Some(def) = self.source.def_inst(bytes) else { break };
            let constant = def.args.get(1).and_then(|&arg| self.source.as_const(arg));
            match (def.op, constant) {
                (Op::Iadd, Some(summand)) => {
                    disp = disp.wrapping_add((summand as i64).wrapping_mul(scale));
                }
                (Op::Shl, Some(count @ 1..=3)) if scale << count <= 8 => scale <<= count,
                (Op::Imul, Some(factor @ (2 | 4 | 8))) if scale * factor as i64 <= 8 => {
                    scale *= factor as i64
                }
                _ => break,
            }
            bytes = def.args[0];
        }
        let (pointer, disp) = self.without_constants(pointer, disp);
        // The base is computed separately, since other addresses may begin with it, too.
        let base = self.base_plus(pointer, disp)?;
        let index = self.scalar(bytes)?;
        Ok(match base {
            Amode { index: None, base: Base::Register(_) | Base::Frame(_), .. } => {
                Amode { index: Some((index, scale as u8)), ..base }
            }
            other => {
                let register = self.lea(other);
                Amode { base: Base::Register(register), index: Some((index, scale as u8)), disp: 0 }
            }
        })
    }

    /// Returns the pointer that constants were added to, and the sum of these and `disp`.
    fn without_constants(&self, pointer: Value, mut disp: i64) -> (Value, i64) {
        /// Maximum number of additions that are followed.
        // Arbitrary.
        const MAX_CONSTANT_SUMMANDS: usize = 8;
        let mut pointer = self.origin(pointer);
        for _ in 0..MAX_CONSTANT_SUMMANDS {
            let Some(def) = self.source.def_inst(pointer).filter(|def| def.op == Op::PtrAdd) else { break };
            let Some(constant) = self.source.as_const(def.args[1]) else { break };
            pointer = self.origin(def.args[0]);
            disp = disp.wrapping_add(constant as i64);
        }
        (pointer, disp)
    }

    fn displaced(&mut self, address: Amode, disp: i64) -> Amode {
        // The limit leaves room for the displacements of the registers of a large value.
        match i32::try_from(disp) {
            Ok(disp) if disp.abs() < 1 << 30 => address.plus(disp),
            _ => {
                let index = self.integer(disp as u64);
                Amode { index: Some((index, 1)), ..address }
            }
        }
    }

    /// Returns a register that holds an address.
    pub fn lea(&mut self, address: Amode) -> VReg {
        if let Amode { base: Base::Register(base), index: None, disp: 0 } = address {
            return base;
        }
        let result = self.general();
        self.emitted.push(InstBuilder::code(Encoding::Lea_r64_m).def(result).mem(address));
        result
    }

    /// Lowers a branch on a truth value.
    pub fn branch_on(&mut self, cond: Value) -> Lowered<()> {
        let test = self.flags(cond)?;
        self.emitted.push(InstBuilder::new(InstKind::Branch(test)));
        Ok(())
    }
}
