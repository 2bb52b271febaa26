//! Code with loops of its own: lanes one by one, and read-modify-write operations that the machine has no instruction
//! for. It stands in one piece, so that nothing of the register allocator's comes in between.

use iced_x86::{Code as Encoding, Register};
use regalloc2::Allocation;

use super::Unsupported;
use super::emit::{Emitter, Written, register, sized};
use super::machine::{Flag, LaneWork, Lanes, Modify, Retry, View};
use super::scalar::step;
use Written::{Lock, Mem, Reg};

/// `jmp`, `jz`, `jnz`.
const JUMP_IF_ZERO: [u8; 2] = [0x0f, 0x84];
const JUMP_UNLESS_ZERO: [u8; 2] = [0x0f, 0x85];

/// Registers that a lane's work uses.
struct Spare {
    pointer: Allocation,
    value: Allocation,
    index: Register,
}

/// A register with so many bytes.
fn exact(bytes: u32) -> View {
    match bytes {
        1 => View::Byte,
        2 => View::Word,
        4 => View::Long,
        _ => View::Quad,
    }
}

impl Emitter<'_> {
    /// For each bit that is set: its number, and then the work.
    pub fn lanes(&mut self, lanes: &Lanes, allocs: &[Allocation]) -> Result<(), Unsupported> {
        // The bits that are left are where the bits were.
        let bits = register(allocs[1], View::Quad)?;
        let index = register(allocs[2], View::Quad)?;
        let spare = Spare { pointer: allocs[3], value: allocs[4], index };
        self.write(Encoding::Test_rm64_r64, &[Reg(bits), Reg(bits)])?;
        let done = self.ahead(&JUMP_IF_ZERO);
        let top = self.here();
        self.write(Encoding::Tzcnt_r64_rm64, &[Reg(index), Reg(bits)])?;
        self.write(Encoding::VEX_Blsr_r64_rm64, &[Reg(bits), Reg(bits)])?;
        let pointer = register(spare.pointer, View::Quad)?;
        self.write(Encoding::Mov_r64_rm64, &[Reg(pointer), self.slot(lanes.pointers, index, 8)])?;
        self.lane(lanes, &spare)?;
        self.write(Encoding::Test_rm64_r64, &[Reg(bits), Reg(bits)])?;
        self.back(&JUMP_UNLESS_ZERO, top);
        self.land(done);
        Ok(())
    }

    fn lane(&mut self, lanes: &Lanes, spare: &Spare) -> Result<(), Unsupported> {
        let bytes = lanes.bytes;
        let view = exact(bytes);
        let pointer = register(spare.pointer, View::Quad)?;
        let value = register(spare.value, view)?;
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
                let rax = if bytes == 8 { Register::RAX } else { Register::EAX };
                self.write(load, &[Reg(rax), expected])?;
                self.write(load, &[Reg(value), values])?;
                let exchange = sized(Encoding::Cmpxchg_rm8_r8, bytes);
                if lanes.alone {
                    self.write(exchange, &[memory, Reg(value)])?;
                } else {
                    self.write(exchange, &[memory, Reg(value), Lock])?;
                }
                self.write(store, &[results, Reg(rax)])
            }
            LaneWork::Rmw(modify) => self.lane_rmw(modify, lanes, spare, results, values),
        }
    }

    fn lane_rmw(
        &mut self,
        modify: Modify,
        lanes: &Lanes,
        spare: &Spare,
        results: Written,
        values: Written,
    ) -> Result<(), Unsupported> {
        let bytes = lanes.bytes;
        let view = exact(bytes);
        let pointer = register(spare.pointer, View::Quad)?;
        let value = register(spare.value, view)?;
        let memory = Mem(pointer, None, 0);
        let load = sized(Encoding::Mov_r8_rm8, bytes);
        let store = sized(Encoding::Mov_rm8_r8, bytes);
        let quad = usize::from(bytes == 8);
        let rax = if bytes == 8 { Register::RAX } else { Register::EAX };
        match modify {
            Modify::Add | Modify::Sub | Modify::Exchange if !lanes.alone => {
                self.write(load, &[Reg(value), values])?;
                if modify == Modify::Sub {
                    self.write(step(Encoding::Neg_rm32, quad), &[Reg(value)])?;
                }
                if modify == Modify::Exchange {
                    self.write(sized(Encoding::Xchg_rm8_r8, bytes), &[memory, Reg(value)])?;
                } else {
                    self.write(sized(Encoding::Xadd_rm8_r8, bytes), &[memory, Reg(value), Lock])?;
                }
                self.write(store, &[results, Reg(value)])
            }
            _ => {
                self.write(load, &[Reg(rax), memory])?;
                let top = self.here();
                self.write(load, &[Reg(value), values])?;
                self.combine(modify, bytes, rax, value)?;
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

    /// `value` becomes what is stored for `before` and `value`, of 32 or 64 bits.
    fn combine(
        &mut self,
        modify: Modify,
        bytes: u32,
        before: Register,
        value: Register,
    ) -> Result<(), Unsupported> {
        let quad = usize::from(bytes == 8);
        let both = [Reg(value), Reg(before)];
        match modify {
            Modify::Exchange => Ok(()),
            Modify::Add => self.write(step(Encoding::Add_r32_rm32, quad), &both),
            Modify::Sub => {
                // before - value
                self.write(step(Encoding::Neg_rm32, quad), &[Reg(value)])?;
                self.write(step(Encoding::Add_r32_rm32, quad), &both)
            }
            Modify::And => self.write(step(Encoding::And_r32_rm32, quad), &both),
            Modify::Or => self.write(step(Encoding::Or_r32_rm32, quad), &both),
            Modify::Xor => self.write(step(Encoding::Xor_r32_rm32, quad), &both),
            Modify::Smin | Modify::Smax | Modify::Umin | Modify::Umax => {
                self.write(step(Encoding::Cmp_r32_rm32, quad), &[Reg(before), Reg(value)])?;
                let flag = match modify {
                    Modify::Smin => Flag::Less,
                    Modify::Smax => Flag::Greater,
                    Modify::Umin => Flag::Below,
                    _ => Flag::Above,
                };
                self.write(step(Encoding::Cmovo_r32_rm32, 3 * flag as usize + quad), &both)
            }
        }
    }

    /// Reads, computes, writes unless somebody else has written: address, operand, result in `rax`, what is new.
    pub fn retry(&mut self, retry: Retry, allocs: &[Allocation]) -> Result<(), Unsupported> {
        let bytes = retry.bytes;
        if bytes < 4 {
            return Err(Unsupported("narrow atomic operations"));
        }
        let view = exact(bytes);
        let pointer = register(allocs[0], View::Quad)?;
        let operand = register(allocs[1], view)?;
        let rax = register(allocs[2], view)?;
        let new = register(allocs[3], view)?;
        let quad = usize::from(bytes == 8);
        let memory = Mem(pointer, None, 0);
        self.write(step(Encoding::Mov_r32_rm32, quad), &[Reg(rax), memory])?;
        let top = self.here();
        self.write(step(Encoding::Mov_r32_rm32, quad), &[Reg(new), Reg(operand)])?;
        self.combine(retry.modify, bytes, rax, new)?;
        self.write(sized(Encoding::Cmpxchg_rm8_r8, bytes), &[memory, Reg(new), Lock])?;
        self.back(&JUMP_UNLESS_ZERO, top);
        Ok(())
    }
}
