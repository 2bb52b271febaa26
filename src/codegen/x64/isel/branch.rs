//! Emission of jumps, branches and switches: a jump table if the cases are dense, else a binary search.

use iced_x86::{Code as Encoding, Instruction, OpKind, Register};
use regalloc2::{Allocation, Block as Label, Edit, Inst as InstIndex, ProgPoint};

use super::super::CodegenBug;
use super::super::block_layout::BlockLayout;
use super::super::emit::{Emitter, EncodedOperand, Fixup, FixupTarget, register};
use super::super::inst::{CondCode, InstKind, Switch, Test, View};

/// Bound of the first case of a jump table.
// Arbitrary.
const MAX_FIRST_CASE: u64 = 1 << 28;

impl Emitter<'_> {
    /// Returns the block that a jump to `label` reaches in the end: blocks that hold only a jump, without moves, are
    /// skipped.
    pub fn jump_target(&self, mut label: Label) -> Label {
        /// Maximum number of blocks that are skipped, so that a loop of empty blocks ends.
        // Arbitrary.
        const MAX_SKIPPED: u32 = 64;
        for _ in 0..MAX_SKIPPED {
            let block = &self.code.blocks[label.index()];
            let is_jump = block.end == block.first + 1
                && matches!(self.code.insts[block.first as usize].kind, InstKind::Jump);
            if !is_jump || self.has_moves(block.first) {
                break;
            }
            label = block.successors[0];
        }
        label
    }

    fn has_moves(&self, inst: u32) -> bool {
        let point = ProgPoint::before(InstIndex::new(inst as usize));
        let edits = &self.output.edits;
        let first = edits.partition_point(|(at, _)| *at < point);
        edits[first..]
            .iter()
            .take_while(|(at, _)| *at == point)
            .any(|(_, Edit::Move { from, to })| from != to)
    }

    /// Checks whether the code of `label` follows that of `block`.
    fn is_next(&self, block: usize, label: Label) -> bool {
        /// Maximum number of blocks that are scanned. Scans over empty blocks would be quadratic for large switches.
        // Arbitrary.
        const MAX_SCANNED: usize = 16;
        let BlockLayout { order, position, .. } = &self.block_layout;
        let next = order[position[block] + 1..].iter().take(MAX_SCANNED);
        let mut next = next.skip_while(|&&next| next != label.index() && self.is_empty(next));
        next.next() == Some(&label.index())
    }

    /// Checks whether a block has no code, since jumps to it are redirected.
    fn is_empty(&self, block: usize) -> bool {
        let label = Label::new(block);
        self.jump_target(label) != label
    }

    pub fn jump(&mut self, block: usize, label: Label) {
        if self.is_empty(block) && block != 0 {
            return;
        }
        let target = self.jump_target(label);
        if !self.is_next(block, target) {
            self.jump_to(&[0xe9], target);
        }
    }

    /// Emits an instruction that ends with a displacement to a block: of one byte, if the target is known to be near.
    pub fn jump_to(&mut self, opcode: &[u8], target: Label) {
        /// Bytes of a jump with a displacement of one byte.
        const SHORT_BYTES: usize = 2;
        let start = self.starts[target.index()];
        if start != usize::MAX
            && let Ok(distance) = i8::try_from(start as i64 - (self.at + SHORT_BYTES) as i64)
        {
            // The opcode of the short form is derived from that of the long form.
            let opcode = if let [0x0f, condition] = *opcode { condition - 0x10 } else { 0xeb };
            return self.bytes(&[opcode, distance as u8]);
        }
        self.bytes(opcode);
        let at = self.at;
        self.bytes(&[0; 4]);
        self.fixups.push(Fixup { at, from: self.at, to: FixupTarget::Label(target), addend: 0 });
    }

    fn jump_if(&mut self, flag: CondCode, target: Label) {
        self.jump_to(&[0x0f, 0x80 + flag as u8], target);
    }

    pub fn branch(&mut self, block: usize, test: Test, yes: Label, no: Label) {
        let (yes, no) = (self.jump_target(yes), self.jump_target(no));
        let (test, yes, no) = if self.is_next(block, yes) { (test.not(), no, yes) } else { (test, yes, no) };
        match test {
            Test::One(flag) => self.jump_if(flag, yes),
            Test::Either(a, b) => {
                self.jump_if(a, yes);
                self.jump_if(b, yes);
            }
            Test::Both(a, b) => {
                self.jump_if(a.not(), no);
                self.jump_if(b, yes);
            }
        }
        if !self.is_next(block, no) {
            self.jump_to(&[0xe9], no);
        }
    }

    pub fn switch(
        &mut self,
        switch: &Switch,
        allocs: &[Allocation],
        successors: &[Label],
    ) -> Result<(), CodegenBug> {
        let (value, spare) = (allocs[0], allocs[1]);
        let cases = &switch.cases;
        let (Some(first), Some(last)) = (cases.first(), cases.last()) else {
            self.jump_to(&[0xe9], successors[0]);
            return Ok(());
        };
        let span = last.0 - first.0;
        // The number of cases and the density of a table: arbitrary.
        if cases.len() >= 4 && span < 4 * cases.len() as u64 && first.0 < MAX_FIRST_CASE {
            return self.table(switch, allocs, successors, span);
        }
        self.search(cases, switch.bytes, value, spare, successors)
    }

    /// Compares with a constant.
    fn compare(
        &mut self,
        value: Allocation,
        spare: Allocation,
        bytes: u32,
        constant: u64,
    ) -> Result<(), CodegenBug> {
        let view = if bytes == 8 { View::Qword } else { View::Dword };
        let (value, spare) = (register(value, view)?, register(spare, view)?);
        if bytes == 8 {
            let imm = EncodedOperand::Imm(OpKind::Immediate64, constant as i64);
            self.write(Encoding::Mov_r64_imm64, &[EncodedOperand::Reg(spare), imm])?;
            return self
                .write(Encoding::Cmp_r64_rm64, &[EncodedOperand::Reg(value), EncodedOperand::Reg(spare)]);
        }
        let imm = EncodedOperand::Imm(OpKind::Immediate32, constant as i64);
        self.write(Encoding::Cmp_rm32_imm32, &[EncodedOperand::Reg(value), imm])
    }

    /// Emits a binary search.
    fn search(
        &mut self,
        cases: &[(u64, u32)],
        bytes: u32,
        value: Allocation,
        spare: Allocation,
        successors: &[Label],
    ) -> Result<(), CodegenBug> {
        /// Maximum number of cases that are compared one after the other.
        // Arbitrary.
        const MAX_LINEAR_CASES: usize = 4;
        if cases.len() <= MAX_LINEAR_CASES {
            for &(case, successor) in cases {
                self.compare(value, spare, bytes, case)?;
                let target = self.jump_target(successors[successor as usize]);
                self.jump_if(CondCode::Equal, target);
            }
            let default = self.jump_target(successors[0]);
            self.jump_to(&[0xe9], default);
            return Ok(());
        }
        let (low, high) = cases.split_at(cases.len() / 2);
        self.compare(value, spare, bytes, high[0].0)?;
        // `jae` to the code of the upper half.
        self.bytes(&[0x0f, 0x83]);
        let at = self.at;
        self.bytes(&[0; 4]);
        let from = self.at;
        self.search(low, bytes, value, spare, successors)?;
        let distance = (self.at - from) as u32;
        self.patch(at, distance);
        self.search(high, bytes, value, spare, successors)
    }

    pub fn patch(&mut self, at: usize, value: u32) {
        let mut bytes = self.encoder.take_buffer();
        bytes[at..at + 4].copy_from_slice(&value.to_le_bytes());
        self.encoder.set_buffer(bytes);
    }

    /// Emits a jump table of distances from its beginning.
    fn table(
        &mut self,
        switch: &Switch,
        allocs: &[Allocation],
        successors: &[Label],
        span: u64,
    ) -> Result<(), CodegenBug> {
        let first = switch.cases[0].0;
        let (value, spare) = (allocs[0], allocs[1]);
        let (index, spare_qword) = (register(allocs[2], View::Qword)?, register(spare, View::Qword)?);
        let default = self.jump_target(successors[0]);
        // Values below the first case or above the last one.
        self.compare(value, spare, switch.bytes, first)?;
        self.jump_if(CondCode::Below, default);
        self.compare(value, spare, switch.bytes, first + span)?;
        self.jump_if(CondCode::Above, default);
        let mut labels = vec![default; span as usize + 1];
        for &(case, successor) in &switch.cases {
            labels[(case - first) as usize] = self.jump_target(successors[successor as usize]);
        }
        // The upper half of the register may be arbitrary.
        let dwords = [allocs[2], value].map(|alloc| register(alloc, View::Dword));
        let [dword, from] = dwords;
        self.write(Encoding::Mov_r32_rm32, &[EncodedOperand::Reg(dword?), EncodedOperand::Reg(from?)])?;
        let mut lea = Instruction::default();
        lea.set_code(Encoding::Lea_r64_m);
        lea.set_op_kind(0, OpKind::Register);
        lea.set_op_register(0, spare_qword);
        lea.set_op_kind(1, OpKind::Memory);
        lea.set_memory_base(Register::RIP);
        lea.set_memory_displ_size(8);
        lea.set_memory_displacement64(self.at as u64);
        self.encode(&lea)?;
        self.fixups.push(Fixup {
            at: self.at - 4,
            from: self.at,
            to: FixupTarget::Table(self.tables.len()),
            addend: -4i32.wrapping_mul(first as i32),
        });
        self.tables.push((labels, first));
        // The base of the table is chosen so that the value itself is the index; entries hold distances from that base.
        let entry = EncodedOperand::Mem(spare_qword, Some((index, 4)), 0);
        self.write(Encoding::Movsxd_r64_rm32, &[EncodedOperand::Reg(index), entry])?;
        self.write(Encoding::Add_r64_rm64, &[EncodedOperand::Reg(spare_qword), EncodedOperand::Reg(index)])?;
        self.write(Encoding::Jmp_rm64, &[EncodedOperand::Reg(spare_qword)])
    }
}
