//! Emission of pseudo-instructions with loops of their own: operations lane by lane, and read-modify-write operations
//! without a machine instruction. Each is one instruction for the register allocator, so that no move can be inserted
//! into its loop.

use iced_x86::{Code as Encoding, OpKind, Register};
use regalloc2::Allocation;

use super::CodegenBug;
use super::emit::{Emitter, EncodedOperand, code_for_bytes, register, register_name};
use super::inst::{CasLoop, CompareExchange, CondCode, LaneLoop, LaneWork, RmwOp, View};
use super::isel::scalar::code_plus;
use super::vcode::RAX;
use super::vec_ops::{Size, VecOp};
use EncodedOperand::{Imm, Lock, Mem, Reg};

/// Opcodes of `jmp`, `jz` and `jnz` with a displacement of 32 bits.
pub const JUMP: [u8; 1] = [0xe9];
pub const JUMP_IF_ZERO: [u8; 2] = [0x0f, 0x84];
pub const JUMP_UNLESS_ZERO: [u8; 2] = [0x0f, 0x85];

/// Registers that the work of a lane uses.
struct Spare {
    pointer: Allocation,
    value: Allocation,
    index: Register,
}

/// Returns the view of a register with `bytes` bytes.
pub fn exact_view(bytes: u32) -> View {
    match bytes {
        1 => View::Byte,
        2 => View::Word,
        4 => View::Dword,
        _ => View::Qword,
    }
}

/// Returns the view in which values of `bytes` bytes are computed.
fn computed_view(bytes: u32) -> View {
    exact_view(bytes.max(4))
}

/// Returns the instruction that combines two operands of `op`, if there is one. A subtraction of several operands
/// subtracts their sum.
fn combining_code(op: RmwOp) -> Option<Encoding> {
    Some(match op {
        RmwOp::Add | RmwOp::Sub => Encoding::Add_r32_rm32,
        RmwOp::And => Encoding::And_r32_rm32,
        RmwOp::Or => Encoding::Or_r32_rm32,
        RmwOp::Xor => Encoding::Xor_r32_rm32,
        RmwOp::Exchange | RmwOp::Smin | RmwOp::Smax | RmwOp::Umin | RmwOp::Umax => return None,
    })
}

impl Emitter<'_> {
    /// Emits a loop over the bits that are set in the mask, or straight code if all are known to be set.
    pub fn lane_loop(&mut self, lanes: &LaneLoop, allocs: &[Allocation]) -> Result<(), CodegenBug> {
        // Operand 1 is the clobbered mask in the register of operand 0.
        let bits = register(allocs[1], View::Qword)?;
        let index = register(allocs[2], View::Qword)?;
        let spare = Spare { pointer: allocs[3], value: allocs[4], index };
        if let (Some(count), LaneWork::Update(op)) = (lanes.full_lanes, lanes.work) {
            let done = self.update_same_address(op, lanes, &spare, count)?;
            for lane in 0..count {
                let [pointer, value] = [(lanes.pointers, 8), (lanes.values, lanes.bytes)]
                    .map(|(slot, bytes)| self.slot_at(slot, lane * bytes));
                self.update(op, lanes, &spare, pointer, value)?;
            }
            if let Some(done) = done {
                self.bind_jump(done);
            }
            return Ok(());
        }
        self.write(Encoding::Test_rm64_r64, &[Reg(bits), Reg(bits)])?;
        let done = self.jump_forward(&JUMP_IF_ZERO);
        let top = self.offset();
        self.write(Encoding::Tzcnt_r64_rm64, &[Reg(index), Reg(bits)])?;
        self.write(Encoding::VEX_Blsr_r64_rm64, &[Reg(bits), Reg(bits)])?;
        if lanes.first != 0 {
            self.write(
                Encoding::Add_rm64_imm32,
                &[Reg(index), EncodedOperand::Imm(OpKind::Immediate32to64, lanes.first.into())],
            )?;
        }
        let at = self.slot(lanes.pointers, index, 8);
        if let LaneWork::Update(op) = lanes.work {
            let value = self.slot(lanes.values, index, lanes.bytes);
            self.update(op, lanes, &spare, at, value)?;
        } else {
            let pointer = register(spare.pointer, View::Qword)?;
            self.write(Encoding::Mov_r64_rm64, &[Reg(pointer), at])?;
            self.lane(lanes, &spare)?;
        }
        self.write(Encoding::Test_rm64_r64, &[Reg(bits), Reg(bits)])?;
        self.jump_back(&JUMP_UNLESS_ZERO, top);
        self.bind_jump(done);
        Ok(())
    }

    fn lane(&mut self, lanes: &LaneLoop, spare: &Spare) -> Result<(), CodegenBug> {
        let bytes = lanes.bytes;
        let view = exact_view(bytes);
        let pointer = register(spare.pointer, View::Qword)?;
        let value = register(spare.value, view)?;
        let rax = register_name(RAX, view);
        let memory = Mem(pointer, None, 0);
        let load = code_for_bytes(Encoding::Mov_r8_rm8, bytes);
        let store = code_for_bytes(Encoding::Mov_rm8_r8, bytes);
        let values = self.slot(lanes.values, spare.index, bytes);
        let results = self.slot(lanes.results, spare.index, bytes);
        match lanes.work {
            LaneWork::Load => {
                self.write(load, &[Reg(value), memory])?;
                self.write(store, &[results, Reg(value)])
            }
            LaneWork::Store => {
                self.write(load, &[Reg(value), values])?;
                self.write(store, &[memory, Reg(value)])
            }
            LaneWork::CompareExchange => {
                let expected = self.slot(lanes.expected, spare.index, bytes);
                self.write(load, &[Reg(value), values])?;
                let exchange = CompareExchange { bytes, single_thread: lanes.single_thread };
                self.compare_exchange_in(exchange, memory, expected, Reg(value))?;
                self.write(store, &[results, Reg(rax)])
            }
            LaneWork::Rmw(op) => self.lane_rmw(op, lanes, spare, results, values),
            LaneWork::Update(_) => Ok(()),
        }
    }

    /// Updates memory at a pointer by a value; pointer and value are in stack slots.
    fn update(
        &mut self,
        op: RmwOp,
        lanes: &LaneLoop,
        spare: &Spare,
        pointer: EncodedOperand,
        value: EncodedOperand,
    ) -> Result<(), CodegenBug> {
        let at = register(spare.pointer, View::Qword)?;
        self.write(Encoding::Mov_r64_rm64, &[Reg(at), pointer])?;
        if lanes.constant.is_none() {
            let value_register = Reg(register(spare.value, exact_view(lanes.bytes))?);
            self.write(code_for_bytes(Encoding::Mov_r8_rm8, lanes.bytes), &[value_register, value])?;
        }
        self.update_by(op, lanes, spare, lanes.constant.map(i64::from))
    }

    /// Updates memory at the pointer in the register by an immediate or the value in the register.
    fn update_by(
        &mut self,
        op: RmwOp,
        lanes: &LaneLoop,
        spare: &Spare,
        immediate: Option<i64>,
    ) -> Result<(), CodegenBug> {
        let is_qword = usize::from(lanes.bytes == 8);
        let at = register(spare.pointer, View::Qword)?;
        let (by_register, by_byte, by_immediate) = match op {
            RmwOp::Add => (Encoding::Add_rm32_r32, Encoding::Add_rm32_imm8, Encoding::Add_rm32_imm32),
            RmwOp::Sub => (Encoding::Sub_rm32_r32, Encoding::Sub_rm32_imm8, Encoding::Sub_rm32_imm32),
            RmwOp::And => (Encoding::And_rm32_r32, Encoding::And_rm32_imm8, Encoding::And_rm32_imm32),
            RmwOp::Or => (Encoding::Or_rm32_r32, Encoding::Or_rm32_imm8, Encoding::Or_rm32_imm32),
            RmwOp::Xor => (Encoding::Xor_rm32_r32, Encoding::Xor_rm32_imm8, Encoding::Xor_rm32_imm32),
            _ => return Err(CodegenBug("no operation in memory")),
        };
        let (code, operand) = match immediate {
            Some(immediate) => {
                let (code, kinds) = match i8::try_from(immediate) {
                    Ok(_) => (by_byte, [OpKind::Immediate8to32, OpKind::Immediate8to64]),
                    Err(_) => (by_immediate, [OpKind::Immediate32, OpKind::Immediate32to64]),
                };
                (code, Imm(kinds[is_qword], immediate))
            }
            None => (by_register, Reg(register(spare.value, exact_view(lanes.bytes))?)),
        };
        let operands = [Mem(at, None, 0), operand, Lock];
        self.write(code_plus(code, is_qword), if lanes.single_thread { &operands[..2] } else { &operands })
    }

    /// Updates memory once for all lanes if their pointers are equal, as in the histogram of an image of one color,
    /// where each update would wait for the previous one. Code for unequal pointers must follow. Returns the jump over
    /// that code.
    fn update_same_address(
        &mut self,
        op: RmwOp,
        lanes: &LaneLoop,
        spare: &Spare,
        count: u32,
    ) -> Result<Option<usize>, CodegenBug> {
        /// Number of lanes from which on pointers are compared.
        // Arbitrary.
        const MIN_LANES: u32 = 4;
        if count < MIN_LANES {
            return Ok(None);
        }
        let bytes = lanes.bytes;
        let is_qword = usize::from(bytes == 8);
        let at = register(spare.pointer, View::Qword)?;
        let value = Reg(register(spare.value, exact_view(bytes))?);
        let combine_code = combining_code(op).ok_or(CodegenBug("no operation in memory"))?;
        let combined = lanes.constant.map(|number| match op {
            RmwOp::Add | RmwOp::Sub => i64::from(number) * i64::from(count),
            RmwOp::Xor if count.is_multiple_of(2) => 0,
            _ => number.into(),
        });
        // The first and the last pointer are compared first, since they are hardly ever equal by chance.
        self.write(Encoding::Mov_r64_rm64, &[Reg(at), self.slot_at(lanes.pointers, 0)])?;
        self.write(Encoding::Cmp_r64_rm64, &[Reg(at), self.slot_at(lanes.pointers, 8 * (count - 1))])?;
        let ends_differ = self.jump_forward(&JUMP_UNLESS_ZERO);
        if combined.is_none() {
            let last = self.slot_at(lanes.values, bytes * (count - 1));
            self.write(code_for_bytes(Encoding::Mov_r8_rm8, bytes), &[value, last])?;
        }
        let between = Imm(OpKind::Immediate32to64, i64::from(count) - 2);
        self.write(Encoding::Mov_rm64_imm32, &[Reg(spare.index), between])?;
        let top = self.offset();
        self.write(Encoding::Cmp_r64_rm64, &[Reg(at), self.slot(lanes.pointers, spare.index, 8)])?;
        let others_differ = self.jump_forward(&JUMP_UNLESS_ZERO);
        if combined.is_none() {
            let next = self.slot(lanes.values, spare.index, bytes);
            self.write(code_plus(combine_code, is_qword), &[value, next])?;
        }
        self.write(Encoding::Dec_rm64, &[Reg(spare.index)])?;
        self.jump_back(&JUMP_UNLESS_ZERO, top);
        if combined.is_none() {
            let first = self.slot_at(lanes.values, 0);
            self.write(code_plus(combine_code, is_qword), &[value, first])?;
        }
        self.update_by(op, lanes, spare, combined)?;
        let done = self.jump_forward(&JUMP);
        self.bind_jump(ends_differ);
        self.bind_jump(others_differ);
        Ok(Some(done))
    }

    fn lane_rmw(
        &mut self,
        op: RmwOp,
        lanes: &LaneLoop,
        spare: &Spare,
        results: EncodedOperand,
        values: EncodedOperand,
    ) -> Result<(), CodegenBug> {
        let bytes = lanes.bytes;
        let view = exact_view(bytes);
        let pointer = register(spare.pointer, View::Qword)?;
        let value = register(spare.value, view)?;
        let memory = Mem(pointer, None, 0);
        let store = code_for_bytes(Encoding::Mov_rm8_r8, bytes);
        let rax = register_name(RAX, view);
        match op {
            RmwOp::Add | RmwOp::Sub | RmwOp::Exchange if !lanes.single_thread => {
                self.write(code_for_bytes(Encoding::Mov_r8_rm8, bytes), &[Reg(value), values])?;
                if op == RmwOp::Sub {
                    let whole = register(spare.value, computed_view(bytes))?;
                    self.write(code_plus(Encoding::Neg_rm32, usize::from(bytes == 8)), &[Reg(whole)])?;
                }
                if op == RmwOp::Exchange {
                    self.write(code_for_bytes(Encoding::Xchg_rm8_r8, bytes), &[memory, Reg(value)])?;
                } else {
                    self.write(code_for_bytes(Encoding::Xadd_rm8_r8, bytes), &[memory, Reg(value), Lock])?;
                }
                self.write(store, &[results, Reg(value)])
            }
            _ => {
                self.read(op, bytes, Allocation::reg(RAX), memory)?;
                let top = self.offset();
                self.read(op, bytes, spare.value, values)?;
                self.combine(op, bytes, spare.value)?;
                if lanes.single_thread {
                    self.write(store, &[memory, Reg(value)])?;
                } else {
                    let exchange = code_for_bytes(Encoding::Cmpxchg_rm8_r8, bytes);
                    self.write(exchange, &[memory, Reg(value), Lock])?;
                    self.jump_back(&JUMP_UNLESS_ZERO, top);
                }
                self.write(store, &[results, Reg(rax)])
            }
        }
    }

    /// Loads a value into a register, extended to 32 bits as the operation compares it.
    fn read(
        &mut self,
        op: RmwOp,
        bytes: u32,
        to: Allocation,
        from: EncodedOperand,
    ) -> Result<(), CodegenBug> {
        let signed = matches!(op, RmwOp::Smin | RmwOp::Smax);
        let code = match (bytes, signed) {
            (1, false) => Encoding::Movzx_r32_rm8,
            (1, true) => Encoding::Movsx_r32_rm8,
            (2, false) => Encoding::Movzx_r32_rm16,
            (2, true) => Encoding::Movsx_r32_rm16,
            (4, _) => Encoding::Mov_r32_rm32,
            _ => Encoding::Mov_r64_rm64,
        };
        self.write(code, &[Reg(register(to, computed_view(bytes))?), from])
    }

    /// Combines the old value, which is in `rax`, with `value`, which receives the new value. Of the old value only the
    /// bits that are in memory must be valid.
    fn combine(&mut self, op: RmwOp, bytes: u32, value: Allocation) -> Result<(), CodegenBug> {
        let is_qword = usize::from(bytes == 8);
        let view = computed_view(bytes);
        let (value, before) = (register(value, view)?, register_name(RAX, view));
        let both = [Reg(value), Reg(before)];
        if let Some(code) = combining_code(op) {
            if op == RmwOp::Sub {
                // before - value
                self.write(code_plus(Encoding::Neg_rm32, is_qword), &[Reg(value)])?;
            }
            return self.write(code_plus(code, is_qword), &both);
        }
        if op == RmwOp::Exchange {
            return Ok(());
        }
        if bytes < 4 {
            // A failed `cmpxchg` has replaced only the lower bits of `rax`.
            self.read(op, bytes, Allocation::reg(RAX), Reg(register_name(RAX, exact_view(bytes))))?;
        }
        self.write(code_plus(Encoding::Cmp_r32_rm32, is_qword), &[Reg(before), Reg(value)])?;
        let flag = match op {
            RmwOp::Smin => CondCode::Less,
            RmwOp::Smax => CondCode::Greater,
            RmwOp::Umin => CondCode::Below,
            _ => CondCode::Above,
        };
        self.write(code_plus(Encoding::Cmovo_r32_rm32, 3 * flag as usize + is_qword), &both)
    }

    /// Emits the loop of a [`CasLoop`]. Operands: address, value, result in `rax`, temporary for the new value.
    pub fn cas_loop(&mut self, cas_loop: CasLoop, allocs: &[Allocation]) -> Result<(), CodegenBug> {
        let CasLoop { op, bytes } = cas_loop;
        let view = exact_view(bytes);
        let memory = Mem(register(allocs[0], View::Qword)?, None, 0);
        let operand = register(allocs[1], view)?;
        self.read(op, bytes, allocs[2], memory)?;
        let top = self.offset();
        self.read(op, bytes, allocs[3], Reg(operand))?;
        self.combine(op, bytes, allocs[3])?;
        let new = Reg(register(allocs[3], view)?);
        self.write(code_for_bytes(Encoding::Cmpxchg_rm8_r8, bytes), &[memory, new, Lock])?;
        self.jump_back(&JUMP_UNLESS_ZERO, top);
        Ok(())
    }

    /// Replaces a value in memory if it equals the expected one. Operands: address, expected value, new value, old
    /// value.
    pub fn compare_exchange(
        &mut self,
        exchange: CompareExchange,
        allocs: &[Allocation],
    ) -> Result<(), CodegenBug> {
        let view = exact_view(exchange.bytes);
        let memory = Mem(register(allocs[0], View::Qword)?, None, 0);
        let [expected, value] = [register(allocs[1], view)?, register(allocs[2], view)?];
        self.compare_exchange_in(exchange, memory, Reg(expected), Reg(value))
    }

    /// Emits a compare-exchange with the old value in `rax`. One that fails only reads, as C11 allows: threads that
    /// spin on the same memory do not take its cache line from each other, and a single thread does not wait for
    /// `cmpxchg`.
    fn compare_exchange_in(
        &mut self,
        CompareExchange { bytes, single_thread }: CompareExchange,
        memory: EncodedOperand,
        expected: EncodedOperand,
        value: EncodedOperand,
    ) -> Result<(), CodegenBug> {
        let before = Reg(register_name(RAX, exact_view(bytes)));
        self.write(code_for_bytes(Encoding::Mov_r8_rm8, bytes), &[before, memory])?;
        self.write(code_for_bytes(Encoding::Cmp_r8_rm8, bytes), &[before, expected])?;
        let done = self.jump_forward(&JUMP_UNLESS_ZERO);
        if single_thread {
            self.write(code_for_bytes(Encoding::Mov_rm8_r8, bytes), &[memory, value])?;
        } else {
            self.write(code_for_bytes(Encoding::Cmpxchg_rm8_r8, bytes), &[memory, value, Lock])?;
        }
        self.bind_jump(done);
        Ok(())
    }

    /// Stores registers non-temporally if the address is aligned. Operands: the address, the registers.
    pub fn nontemporal_store(&mut self, size: Size, allocs: &[Allocation]) -> Result<(), CodegenBug> {
        let [pointer, regs @ ..] = allocs else { return Err(CodegenBug("a store of nothing")) };
        let address = Mem(register(*pointer, View::Qword)?, None, 0);
        let mask = Imm(OpKind::Immediate8, i64::from(size.bytes()) - 1);
        self.write(Encoding::Test_rm8_imm8, &[Reg(register(*pointer, View::Byte)?), mask])?;
        let unaligned = self.jump_forward(&JUMP_UNLESS_ZERO);
        self.store_registers(VecOp::Vmovntdq, size, address, regs)?;
        let done = self.jump_forward(&JUMP);
        self.bind_jump(unaligned);
        self.store_registers(VecOp::Vmovdqus, size, address, regs)?;
        self.bind_jump(done);
        Ok(())
    }

    /// Stores registers to consecutive addresses.
    pub fn store_registers(
        &mut self,
        vec_op: VecOp,
        size: Size,
        start: EncodedOperand,
        regs: &[Allocation],
    ) -> Result<(), CodegenBug> {
        self.move_registers(vec_op, size, start, regs, |address, reg| [address, reg])
    }

    /// Loads registers from consecutive addresses.
    pub fn load_registers(
        &mut self,
        vec_op: VecOp,
        size: Size,
        start: EncodedOperand,
        regs: &[Allocation],
    ) -> Result<(), CodegenBug> {
        self.move_registers(vec_op, size, start, regs, |address, reg| [reg, address])
    }

    /// Emits an instruction in the suitable encoding for each register, with the memory operand and the register in the
    /// order of `operands`.
    fn move_registers(
        &mut self,
        vec_op: VecOp,
        size: Size,
        start: EncodedOperand,
        regs: &[Allocation],
        operands: fn(EncodedOperand, EncodedOperand) -> [EncodedOperand; 2],
    ) -> Result<(), CodegenBug> {
        let Mem(base, index, disp) = start else { return Err(CodegenBug("no place in memory")) };
        let form = vec_op.form();
        for (number, &reg) in (0i32..).zip(regs) {
            let is_high = reg.as_reg().is_some_and(|register| register.hw_enc() >= 16);
            let code = if size == Size::Z || is_high { form.evex(size) } else { form.vex(size) };
            let address = Mem(base, index, disp + number * size.bytes() as i32);
            let reg = Reg(register(reg, View::Vector(size))?);
            self.write(code.ok_or(CodegenBug(form.name))?, &operands(address, reg))?;
        }
        Ok(())
    }

    /// Emits a vector instruction of AVX2.
    pub fn write_vec_op(
        &mut self,
        vec_op: VecOp,
        size: Size,
        operands: &[EncodedOperand],
    ) -> Result<(), CodegenBug> {
        let form = vec_op.form();
        self.write(form.vex(size).ok_or(CodegenBug(form.name))?, operands)
    }
}
