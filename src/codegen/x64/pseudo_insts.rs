//! Emission of pseudo-instructions with loops of their own: operations lane by lane, and read-modify-write operations
//! without a machine instruction. Each is one instruction for the register allocator, so that no move can be inserted
//! into its loop.

use iced_x86::{Code as Encoding, OpKind, Register};
use regalloc2::Allocation;

use super::Unsupported;
use super::emit::{Emitter, EncodedInst, named, register, sized};
use super::inst::{CompareExchange, Flag, LaneLoop, LaneWork, Modify, Retry, View};
use super::isel::scalar::step;
use super::vcode::RAX;
use super::vec_ops::{Size, VecOp};
use EncodedInst::{Imm, Lock, Mem, Reg};

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
pub fn exact(bytes: u32) -> View {
    match bytes {
        1 => View::Byte,
        2 => View::Word,
        4 => View::Long,
        _ => View::Quad,
    }
}

/// Returns the view in which values of `bytes` bytes are computed.
fn computed(bytes: u32) -> View {
    exact(bytes.max(4))
}

/// Returns the instruction that combines two operands of `op`, if there is one. A subtraction of several operands
/// subtracts their sum.
fn joining(modify: Modify) -> Option<Encoding> {
    Some(match modify {
        Modify::Add | Modify::Sub => Encoding::Add_r32_rm32,
        Modify::And => Encoding::And_r32_rm32,
        Modify::Or => Encoding::Or_r32_rm32,
        Modify::Xor => Encoding::Xor_r32_rm32,
        Modify::Exchange | Modify::Smin | Modify::Smax | Modify::Umin | Modify::Umax => return None,
    })
}

impl Emitter<'_> {
    /// Emits a loop over the bits that are set in the mask, or straight code if all are known to be set.
    pub fn lanes(&mut self, lanes: &LaneLoop, allocs: &[Allocation]) -> Result<(), Unsupported> {
        // Operand 1 is the clobbered mask in the register of operand 0.
        let bits = register(allocs[1], View::Quad)?;
        let index = register(allocs[2], View::Quad)?;
        let spare = Spare { pointer: allocs[3], value: allocs[4], index };
        if let (Some(count), LaneWork::Change(modify)) = (lanes.all, lanes.what) {
            let done = self.change_together(modify, lanes, &spare, count)?;
            for lane in 0..count {
                let [pointer, value] = [(lanes.pointers, 8), (lanes.values, lanes.bytes)]
                    .map(|(slot, bytes)| self.slot_at(slot, lane * bytes));
                self.change(modify, lanes, &spare, pointer, value)?;
            }
            if let Some(done) = done {
                self.land(done);
            }
            return Ok(());
        }
        self.write(Encoding::Test_rm64_r64, &[Reg(bits), Reg(bits)])?;
        let done = self.ahead(&JUMP_IF_ZERO);
        let top = self.here();
        self.write(Encoding::Tzcnt_r64_rm64, &[Reg(index), Reg(bits)])?;
        self.write(Encoding::VEX_Blsr_r64_rm64, &[Reg(bits), Reg(bits)])?;
        if lanes.first != 0 {
            self.write(
                Encoding::Add_rm64_imm32,
                &[Reg(index), EncodedInst::Imm(OpKind::Immediate32to64, lanes.first.into())],
            )?;
        }
        let at = self.slot(lanes.pointers, index, 8);
        if let LaneWork::Change(modify) = lanes.what {
            let value = self.slot(lanes.values, index, lanes.bytes);
            self.change(modify, lanes, &spare, at, value)?;
        } else {
            let pointer = register(spare.pointer, View::Quad)?;
            self.write(Encoding::Mov_r64_rm64, &[Reg(pointer), at])?;
            self.lane(lanes, &spare)?;
        }
        self.write(Encoding::Test_rm64_r64, &[Reg(bits), Reg(bits)])?;
        self.back(&JUMP_UNLESS_ZERO, top);
        self.land(done);
        Ok(())
    }

    fn lane(&mut self, lanes: &LaneLoop, spare: &Spare) -> Result<(), Unsupported> {
        let bytes = lanes.bytes;
        let view = exact(bytes);
        let pointer = register(spare.pointer, View::Quad)?;
        let value = register(spare.value, view)?;
        let rax = named(RAX, view);
        let memory = Mem(pointer, None, 0);
        let load = sized(Encoding::Mov_r8_rm8, bytes);
        let store = sized(Encoding::Mov_rm8_r8, bytes);
        let values = self.slot(lanes.values, spare.index, bytes);
        let results = self.slot(lanes.results, spare.index, bytes);
        match lanes.what {
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
                let exchange = CompareExchange { bytes, alone: lanes.alone };
                self.exchange_if(exchange, memory, expected, Reg(value))?;
                self.write(store, &[results, Reg(rax)])
            }
            LaneWork::Rmw(modify) => self.lane_rmw(modify, lanes, spare, results, values),
            LaneWork::Change(_) => Ok(()),
        }
    }

    /// Updates memory at a pointer by a value; pointer and value are in stack slots.
    fn change(
        &mut self,
        modify: Modify,
        lanes: &LaneLoop,
        spare: &Spare,
        pointer: EncodedInst,
        value: EncodedInst,
    ) -> Result<(), Unsupported> {
        let at = register(spare.pointer, View::Quad)?;
        self.write(Encoding::Mov_r64_rm64, &[Reg(at), pointer])?;
        if lanes.constant.is_none() {
            let value_register = Reg(register(spare.value, exact(lanes.bytes))?);
            self.write(sized(Encoding::Mov_r8_rm8, lanes.bytes), &[value_register, value])?;
        }
        self.change_by(modify, lanes, spare, lanes.constant.map(i64::from))
    }

    /// Updates memory at the pointer in the register by an immediate or the value in the register.
    fn change_by(
        &mut self,
        modify: Modify,
        lanes: &LaneLoop,
        spare: &Spare,
        number: Option<i64>,
    ) -> Result<(), Unsupported> {
        let quad = usize::from(lanes.bytes == 8);
        let at = register(spare.pointer, View::Quad)?;
        let (by_register, by_byte, by_number) = match modify {
            Modify::Add => (Encoding::Add_rm32_r32, Encoding::Add_rm32_imm8, Encoding::Add_rm32_imm32),
            Modify::Sub => (Encoding::Sub_rm32_r32, Encoding::Sub_rm32_imm8, Encoding::Sub_rm32_imm32),
            Modify::And => (Encoding::And_rm32_r32, Encoding::And_rm32_imm8, Encoding::And_rm32_imm32),
            Modify::Or => (Encoding::Or_rm32_r32, Encoding::Or_rm32_imm8, Encoding::Or_rm32_imm32),
            Modify::Xor => (Encoding::Xor_rm32_r32, Encoding::Xor_rm32_imm8, Encoding::Xor_rm32_imm32),
            _ => return Err(Unsupported("no operation in memory")),
        };
        let (code, operand) = match number {
            Some(number) => {
                let (code, kinds) = match i8::try_from(number) {
                    Ok(_) => (by_byte, [OpKind::Immediate8to32, OpKind::Immediate8to64]),
                    Err(_) => (by_number, [OpKind::Immediate32, OpKind::Immediate32to64]),
                };
                (code, Imm(kinds[quad], number))
            }
            None => (by_register, Reg(register(spare.value, exact(lanes.bytes))?)),
        };
        let operands = [Mem(at, None, 0), operand, Lock];
        self.write(step(code, quad), if lanes.alone { &operands[..2] } else { &operands })
    }

    /// Updates memory once for all lanes if their pointers are equal, as in the histogram of an image of one color,
    /// where each update would wait for the previous one. Code for unequal pointers must follow. Returns the jump over
    /// that code.
    fn change_together(
        &mut self,
        modify: Modify,
        lanes: &LaneLoop,
        spare: &Spare,
        count: u32,
    ) -> Result<Option<usize>, Unsupported> {
        const FEWEST: u32 = 4;
        if count < FEWEST {
            return Ok(None);
        }
        let bytes = lanes.bytes;
        let quad = usize::from(bytes == 8);
        let at = register(spare.pointer, View::Quad)?;
        let value = Reg(register(spare.value, exact(bytes))?);
        let put_together = joining(modify).ok_or(Unsupported("no operation in memory"))?;
        let all_by = lanes.constant.map(|number| match modify {
            Modify::Add | Modify::Sub => i64::from(number) * i64::from(count),
            Modify::Xor if count.is_multiple_of(2) => 0,
            _ => number.into(),
        });
        // The first and the last pointer are compared first, since they are hardly ever equal by chance.
        self.write(Encoding::Mov_r64_rm64, &[Reg(at), self.slot_at(lanes.pointers, 0)])?;
        self.write(Encoding::Cmp_r64_rm64, &[Reg(at), self.slot_at(lanes.pointers, 8 * (count - 1))])?;
        let ends_part = self.ahead(&JUMP_UNLESS_ZERO);
        if all_by.is_none() {
            let last = self.slot_at(lanes.values, bytes * (count - 1));
            self.write(sized(Encoding::Mov_r8_rm8, bytes), &[value, last])?;
        }
        let between = Imm(OpKind::Immediate32to64, i64::from(count) - 2);
        self.write(Encoding::Mov_rm64_imm32, &[Reg(spare.index), between])?;
        let top = self.here();
        self.write(Encoding::Cmp_r64_rm64, &[Reg(at), self.slot(lanes.pointers, spare.index, 8)])?;
        let others_part = self.ahead(&JUMP_UNLESS_ZERO);
        if all_by.is_none() {
            let next = self.slot(lanes.values, spare.index, bytes);
            self.write(step(put_together, quad), &[value, next])?;
        }
        self.write(Encoding::Dec_rm64, &[Reg(spare.index)])?;
        self.back(&JUMP_UNLESS_ZERO, top);
        if all_by.is_none() {
            let first = self.slot_at(lanes.values, 0);
            self.write(step(put_together, quad), &[value, first])?;
        }
        self.change_by(modify, lanes, spare, all_by)?;
        let done = self.ahead(&JUMP);
        self.land(ends_part);
        self.land(others_part);
        Ok(Some(done))
    }

    fn lane_rmw(
        &mut self,
        modify: Modify,
        lanes: &LaneLoop,
        spare: &Spare,
        results: EncodedInst,
        values: EncodedInst,
    ) -> Result<(), Unsupported> {
        let bytes = lanes.bytes;
        let view = exact(bytes);
        let pointer = register(spare.pointer, View::Quad)?;
        let value = register(spare.value, view)?;
        let memory = Mem(pointer, None, 0);
        let store = sized(Encoding::Mov_rm8_r8, bytes);
        let rax = named(RAX, view);
        match modify {
            Modify::Add | Modify::Sub | Modify::Exchange if !lanes.alone => {
                self.write(sized(Encoding::Mov_r8_rm8, bytes), &[Reg(value), values])?;
                if modify == Modify::Sub {
                    let whole = register(spare.value, computed(bytes))?;
                    self.write(step(Encoding::Neg_rm32, usize::from(bytes == 8)), &[Reg(whole)])?;
                }
                if modify == Modify::Exchange {
                    self.write(sized(Encoding::Xchg_rm8_r8, bytes), &[memory, Reg(value)])?;
                } else {
                    self.write(sized(Encoding::Xadd_rm8_r8, bytes), &[memory, Reg(value), Lock])?;
                }
                self.write(store, &[results, Reg(value)])
            }
            _ => {
                self.read(modify, bytes, Allocation::reg(RAX), memory)?;
                let top = self.here();
                self.read(modify, bytes, spare.value, values)?;
                self.combine(modify, bytes, spare.value)?;
                if lanes.alone {
                    self.write(store, &[memory, Reg(value)])?;
                } else {
                    let exchange = sized(Encoding::Cmpxchg_rm8_r8, bytes);
                    self.write(exchange, &[memory, Reg(value), Lock])?;
                    self.back(&JUMP_UNLESS_ZERO, top);
                }
                self.write(store, &[results, Reg(rax)])
            }
        }
    }

    /// Loads a value into a register, extended to 32 bits as the operation compares it.
    fn read(
        &mut self,
        modify: Modify,
        bytes: u32,
        to: Allocation,
        from: EncodedInst,
    ) -> Result<(), Unsupported> {
        let signed = matches!(modify, Modify::Smin | Modify::Smax);
        let code = match (bytes, signed) {
            (1, false) => Encoding::Movzx_r32_rm8,
            (1, true) => Encoding::Movsx_r32_rm8,
            (2, false) => Encoding::Movzx_r32_rm16,
            (2, true) => Encoding::Movsx_r32_rm16,
            (4, _) => Encoding::Mov_r32_rm32,
            _ => Encoding::Mov_r64_rm64,
        };
        self.write(code, &[Reg(register(to, computed(bytes))?), from])
    }

    /// Combines the old value, which is in `rax`, with `value`, which receives the new value. Of the old value only the
    /// bits that are in memory must be valid.
    fn combine(&mut self, modify: Modify, bytes: u32, value: Allocation) -> Result<(), Unsupported> {
        let quad = usize::from(bytes == 8);
        let view = computed(bytes);
        let (value, before) = (register(value, view)?, named(RAX, view));
        let both = [Reg(value), Reg(before)];
        if let Some(join) = joining(modify) {
            if modify == Modify::Sub {
                // before - value
                self.write(step(Encoding::Neg_rm32, quad), &[Reg(value)])?;
            }
            return self.write(step(join, quad), &both);
        }
        if modify == Modify::Exchange {
            return Ok(());
        }
        if bytes < 4 {
            // A failed `cmpxchg` has replaced only the lower bits of `rax`.
            self.read(modify, bytes, Allocation::reg(RAX), Reg(named(RAX, exact(bytes))))?;
        }
        self.write(step(Encoding::Cmp_r32_rm32, quad), &[Reg(before), Reg(value)])?;
        let flag = match modify {
            Modify::Smin => Flag::Less,
            Modify::Smax => Flag::Greater,
            Modify::Umin => Flag::Below,
            _ => Flag::Above,
        };
        self.write(step(Encoding::Cmovo_r32_rm32, 3 * flag as usize + quad), &both)
    }

    /// Emits the loop of a [`CasLoop`]. Operands: address, value, result in `rax`, temporary for the new value.
    pub fn retry(&mut self, retry: Retry, allocs: &[Allocation]) -> Result<(), Unsupported> {
        let Retry { modify, bytes } = retry;
        let view = exact(bytes);
        let memory = Mem(register(allocs[0], View::Quad)?, None, 0);
        let operand = register(allocs[1], view)?;
        self.read(modify, bytes, allocs[2], memory)?;
        let top = self.here();
        self.read(modify, bytes, allocs[3], Reg(operand))?;
        self.combine(modify, bytes, allocs[3])?;
        let new = Reg(register(allocs[3], view)?);
        self.write(sized(Encoding::Cmpxchg_rm8_r8, bytes), &[memory, new, Lock])?;
        self.back(&JUMP_UNLESS_ZERO, top);
        Ok(())
    }

    /// Replaces a value in memory if it equals the expected one. Operands: address, expected value, new value, old
    /// value.
    pub fn compare_exchange(
        &mut self,
        exchange: CompareExchange,
        allocs: &[Allocation],
    ) -> Result<(), Unsupported> {
        let view = exact(exchange.bytes);
        let memory = Mem(register(allocs[0], View::Quad)?, None, 0);
        let [expected, value] = [register(allocs[1], view)?, register(allocs[2], view)?];
        self.exchange_if(exchange, memory, Reg(expected), Reg(value))
    }

    /// Emits a compare-exchange with the old value in `rax`. One that fails only reads, as C11 allows: threads that
    /// spin on the same memory do not take its cache line from each other, and a single thread does not wait for
    /// `cmpxchg`.
    fn exchange_if(
        &mut self,
        CompareExchange { bytes, alone }: CompareExchange,
        memory: EncodedInst,
        expected: EncodedInst,
        value: EncodedInst,
    ) -> Result<(), Unsupported> {
        let before = Reg(named(RAX, exact(bytes)));
        self.write(sized(Encoding::Mov_r8_rm8, bytes), &[before, memory])?;
        self.write(sized(Encoding::Cmp_r8_rm8, bytes), &[before, expected])?;
        let done = self.ahead(&JUMP_UNLESS_ZERO);
        if alone {
            self.write(sized(Encoding::Mov_rm8_r8, bytes), &[memory, value])?;
        } else {
            self.write(sized(Encoding::Cmpxchg_rm8_r8, bytes), &[memory, value, Lock])?;
        }
        self.land(done);
        Ok(())
    }

    /// Stores registers non-temporally if the address is aligned. Operands: the address, the registers.
    pub fn stream(&mut self, size: Size, allocs: &[Allocation]) -> Result<(), Unsupported> {
        let [address, parts @ ..] = allocs else { return Err(Unsupported("a store of nothing")) };
        let place = Mem(register(*address, View::Quad)?, None, 0);
        let mask = Imm(OpKind::Immediate8, i64::from(size.bytes()) - 1);
        self.write(Encoding::Test_rm8_imm8, &[Reg(register(*address, View::Byte)?), mask])?;
        let odd = self.ahead(&JUMP_UNLESS_ZERO);
        self.store_row(VecOp::Vmovntdq, size, place, parts)?;
        let done = self.ahead(&JUMP);
        self.land(odd);
        self.store_row(VecOp::Vmovdqus, size, place, parts)?;
        self.land(done);
        Ok(())
    }

    /// Stores registers to consecutive addresses.
    pub fn store_row(
        &mut self,
        row: VecOp,
        size: Size,
        start: EncodedInst,
        parts: &[Allocation],
    ) -> Result<(), Unsupported> {
        self.move_row(row, size, start, parts, |place, part| [place, part])
    }

    /// Loads registers from consecutive addresses.
    pub fn load_row(
        &mut self,
        row: VecOp,
        size: Size,
        start: EncodedInst,
        parts: &[Allocation],
    ) -> Result<(), Unsupported> {
        self.move_row(row, size, start, parts, |place, part| [part, place])
    }

    /// Emits an instruction in the suitable encoding for each register, with the memory operand and the register in the
    /// order of `operands`.
    fn move_row(
        &mut self,
        row: VecOp,
        size: Size,
        start: EncodedInst,
        parts: &[Allocation],
        operands: fn(EncodedInst, EncodedInst) -> [EncodedInst; 2],
    ) -> Result<(), Unsupported> {
        let Mem(base, index, disp) = start else { return Err(Unsupported("no place in memory")) };
        let form = row.form();
        for (number, &part) in (0i32..).zip(parts) {
            let is_high = part.as_reg().is_some_and(|register| register.hw_enc() >= 16);
            let code = if size == Size::Z || is_high { form.evex(size) } else { form.vex(size) };
            let place = Mem(base, index, disp + number * size.bytes() as i32);
            let part = Reg(register(part, View::Vector(size))?);
            self.write(code.ok_or(Unsupported(form.name))?, &operands(place, part))?;
        }
        Ok(())
    }

    /// Emits a vector instruction of AVX2.
    pub fn write_row(&mut self, row: VecOp, size: Size, operands: &[EncodedInst]) -> Result<(), Unsupported> {
        let form = row.form();
        self.write(form.vex(size).ok_or(Unsupported(form.name))?, operands)
    }
}
