//! Emits the bytes of a function whose registers are assigned.
//!
//! The frame, downwards from the stack pointer before the call: return address, frame pointer, saved registers of the
//! caller, spilled general and mask registers (all addressed from `rbp`); then, aligned for the largest register and
//! addressed upwards from `rsp`: outgoing arguments, stack slots and spilled vectors. Jump tables and constants follow
//! the code. An edge without moves emits no code: branches go to the edge's target.

use iced_x86::{Code as Encoding, Encoder, Instruction, OpKind, Register};
use regalloc2::{Allocation, Block as Label, Edit, Inst as InstIndex, Output, PReg, ProgPoint, RegClass};

use super::super::{Location, MachineCode, RelocKind, RelocTarget, Relocation, ValueLocation};
use super::CodegenBug;
use super::block_layout::{BlockLayout, layout_blocks};
use super::inst::{AddrBase, Inst, InstKind, OperandSlot, RegField, View};
use super::isel::scalar::code_plus;
use super::vcode::{CALLEE_SAVED, VCode};
use super::vec_ops::{Size, VecOp};

/// Bytes between two stack probes, which is the size of a page.
const PAGE_BYTES: u32 = 4096;

/// Bytes that the call and the prologue push: return address and frame pointer.
const LINKAGE_BYTES: u32 = 16;

/// Alignment of the code of an innermost loop, so that it takes the fewest possible fetch blocks.
const LOOP_ALIGNMENT: usize = 32;

/// Displacement of 4 bytes that is filled in once both ends are known.
pub struct Fixup {
    /// Offset of the displacement, and the offset that it counts from.
    pub at: usize,
    pub from: usize,
    pub to: FixupTarget,
    pub addend: i32,
}

#[derive(Clone, Copy)]
pub enum FixupTarget {
    Label(Label),
    Constant(u32),
    /// Index of a jump table.
    Table(usize),
}

/// Positions of saved registers, spill slots and stack slots in the frame.
#[derive(Default)]
pub struct FrameLayout {
    saved: Vec<u8>,
    /// Distance of each spill slot from `rbp` (negative), or from `rsp` for vectors.
    spills: Vec<i32>,
    /// True for spill slots that are addressed from `rsp`.
    is_vector: Vec<bool>,
    /// Distance of each stack slot from `rsp`.
    slots: Vec<i32>,
    /// Bytes of all spill slots.
    spilled: u32,
    /// Bytes below `rbp`.
    size: u32,
    align: u32,
}

/// State of the emission of one function.
pub struct Emitter<'a> {
    pub code: &'a VCode,
    pub output: &'a Output,
    pub encoder: Encoder,
    pub at: usize,
    pub frame: FrameLayout,
    pub fixups: Vec<Fixup>,
    pub tables: Vec<(Vec<Label>, u64)>,
    /// Offset of each block; `usize::MAX` before the block is emitted.
    pub starts: Vec<usize>,
    /// Offset of each instruction, behind the moves before it.
    pub offsets: Vec<u32>,
    /// Offset of the end of each block.
    pub ends: Vec<u32>,
    pub positions: Vec<(u32, u32)>,
    pub relocs: Vec<Relocation>,
    pub block_layout: BlockLayout,
    pub avx512: bool,
}

/// Emits the machine code of a function.
pub fn emit(code: &VCode, output: &Output, avx512: bool) -> Result<MachineCode, CodegenBug> {
    let mut emitter = Emitter {
        code,
        output,
        encoder: Encoder::new(64),
        at: 0,
        frame: frame_layout(code, output),
        fixups: Vec::new(),
        tables: Vec::new(),
        starts: vec![usize::MAX; code.blocks.len()],
        offsets: vec![0; code.insts.len()],
        ends: vec![0; code.blocks.len()],
        positions: Vec::new(),
        relocs: Vec::new(),
        block_layout: layout_blocks(code),
        avx512,
    };
    emitter.prologue()?;
    emitter.body()?;
    emitter.finish()
}

/// Assigns an address to every spill slot and stack slot.
fn frame_layout(code: &VCode, output: &Output) -> FrameLayout {
    let count = output.num_spillslots;
    let mut is_vector = vec![false; count];
    let mut is_used = vec![false; count];
    let mut saved = [false; 16];
    let mut note = |register: PReg| {
        if register.class() == RegClass::Int {
            saved[register.hw_enc()] = true;
        }
    };
    for (_, Edit::Move { from, to }) in &output.edits {
        let register = from.as_reg().or(to.as_reg());
        for alloc in [from, to] {
            if let (Some(slot), Some(register)) = (alloc.as_stack(), register) {
                is_used[slot.index()] = true;
                is_vector[slot.index()] |= register.class() == RegClass::Float;
            }
        }
        to.as_reg().into_iter().for_each(&mut note);
    }
    output.allocs.iter().filter_map(|alloc| alloc.as_reg()).for_each(&mut note);
    let saved: Vec<u8> = CALLEE_SAVED.into_iter().filter(|&register| saved[usize::from(register)]).collect();
    let mut below = 8 * saved.len() as u32;
    let mut spills = vec![0; count];
    for slot in (0..count).filter(|&slot| is_used[slot] && !is_vector[slot]) {
        below += 8;
        spills[slot] = -(below as i32);
    }
    let mut align = 16;
    let mut above = 0u32;
    let mut reserve = |size: u32, align_to: u32| {
        align = align.max(align_to);
        let at = above.next_multiple_of(align_to);
        above = at + size;
        at as i32
    };
    // The callee expects its arguments at `rsp`.
    reserve(code.outgoing, 16);
    let widest = code.widest.bytes();
    let mut spilled = below - 8 * saved.len() as u32;
    for slot in (0..count).filter(|&slot| is_used[slot] && is_vector[slot]) {
        spills[slot] = reserve(widest, widest);
        spilled += widest;
    }
    let slots = code.slots.iter().map(|slot| reserve(slot.size, slot.align.max(8))).collect();
    // The padding of `and rsp, -align` is reserved for the worst case.
    let slack = if align > 16 { align } else { 0 };
    let size = (below + above + slack).next_multiple_of(16);
    FrameLayout { saved, spills, spilled, is_vector, slots, size, align }
}

/// Returns the encoder's name of a register.
pub fn register_name(register: PReg, view: View) -> Register {
    let number = register.hw_enc();
    let first = match view {
        View::Byte => {
            // The names of the byte registers are not consecutive in the encoder's list, which has `ah` to `bh` between
            // them.
            return [
                Register::AL,
                Register::CL,
                Register::DL,
                Register::BL,
                Register::SPL,
                Register::BPL,
                Register::SIL,
                Register::DIL,
                Register::R8L,
                Register::R9L,
                Register::R10L,
                Register::R11L,
                Register::R12L,
                Register::R13L,
                Register::R14L,
                Register::R15L,
            ][number & 15];
        }
        View::Word => Register::AX,
        View::Dword => Register::EAX,
        View::Qword => Register::RAX,
        View::Vector(Size::X) => Register::XMM0,
        View::Vector(Size::Y) => Register::YMM0,
        View::Vector(Size::Z) => Register::ZMM0,
        View::Mask => Register::K0,
    };
    Register::try_from(first as usize + number).unwrap_or(Register::None)
}

impl Emitter<'_> {
    pub fn encode(&mut self, instruction: &Instruction) -> Result<(), CodegenBug> {
        match self.encoder.encode(instruction, self.at as u64) {
            Ok(len) => {
                self.at += len;
                Ok(())
            }
            Err(error) => {
                debug_assert!(false, "{error}: {:?}", instruction.code());
                Err(CodegenBug("an instruction that cannot be encoded"))
            }
        }
    }

    pub fn bytes(&mut self, bytes: &[u8]) {
        bytes.iter().for_each(|&byte| self.encoder.write_u8(byte));
        self.at += bytes.len();
    }

    /// Emits an instruction with the given operands.
    pub fn write(&mut self, code: Encoding, operands: &[EncodedOperand]) -> Result<(), CodegenBug> {
        let mut instruction = Instruction::default();
        let mut pool = None;
        instruction.set_code(code);
        for (index, operand) in (0u32..).zip(operands) {
            match *operand {
                EncodedOperand::Reg(register) => {
                    instruction.set_op_kind(index, OpKind::Register);
                    instruction.set_op_register(index, register);
                }
                EncodedOperand::Mem(base, indexed, disp) => {
                    instruction.set_op_kind(index, OpKind::Memory);
                    instruction.set_memory_base(base);
                    if let Some((register, scale)) = indexed {
                        instruction.set_memory_index(register);
                        instruction.set_memory_index_scale(scale);
                    }
                    instruction.set_memory_displacement64(i64::from(disp) as u64);
                    instruction.set_memory_displ_size(u32::from(disp != 0));
                }
                EncodedOperand::Imm(kind, value) => {
                    instruction.set_op_kind(index, kind);
                    match kind {
                        OpKind::Immediate8 => instruction.set_immediate8(value as u8),
                        OpKind::Immediate32 => instruction.set_immediate32(value as u32),
                        OpKind::Immediate64 => instruction.set_immediate64(value as u64),
                        OpKind::Immediate8to64 => instruction.set_immediate8to64(value),
                        _ => instruction.set_immediate32to64(value),
                    }
                }
                EncodedOperand::Pool(constant) => {
                    instruction.set_op_kind(index, OpKind::Memory);
                    instruction.set_memory_base(Register::RIP);
                    instruction.set_memory_displ_size(8);
                    pool = Some(constant);
                }
                EncodedOperand::Lock => instruction.set_has_lock_prefix(true),
            }
        }
        match pool {
            Some(constant) => self.encode_constant(&mut instruction, constant, 0),
            None => self.encode(&instruction),
        }
    }

    /// Emits an instruction whose memory operand is `addend` bytes into a constant.
    fn encode_constant(
        &mut self,
        instruction: &mut Instruction,
        constant: u32,
        addend: i32,
    ) -> Result<(), CodegenBug> {
        instruction.set_memory_displacement64(self.at as u64);
        let start = self.at;
        self.encode(instruction)?;
        let at = start + self.encoder.get_constant_offsets().displacement_offset();
        self.fixups.push(Fixup { at, from: self.at, to: FixupTarget::Constant(constant), addend });
        Ok(())
    }

    fn prologue(&mut self) -> Result<(), CodegenBug> {
        use EncodedOperand::{Imm, Mem, Reg};
        self.write(Encoding::Push_r64, &[Reg(Register::RBP)])?;
        self.write(Encoding::Mov_r64_rm64, &[Reg(Register::RBP), Reg(Register::RSP)])?;
        let mut size = self.frame.size;
        if size > PAGE_BYTES {
            // Each page is touched in order, so that the guard page cannot be skipped.
            let pages = i64::from(size / PAGE_BYTES);
            self.write(Encoding::Mov_r32_imm32, &[Reg(Register::R11D), Imm(OpKind::Immediate32, pages)])?;
            let top = self.at;
            let page = Imm(OpKind::Immediate32to64, i64::from(PAGE_BYTES));
            self.write(Encoding::Sub_rm64_imm32, &[Reg(Register::RSP), page])?;
            let touched = Mem(Register::RSP, None, 0);
            self.write(Encoding::Mov_rm32_imm32, &[touched, Imm(OpKind::Immediate32, 0)])?;
            self.write(Encoding::Dec_rm32, &[Reg(Register::R11D)])?;
            // jnz
            let distance = top as i64 - (self.at as i64 + 2);
            self.bytes(&[0x75, distance as u8]);
            size %= PAGE_BYTES;
        }
        if size > 0 {
            let size = Imm(OpKind::Immediate32to64, i64::from(size));
            self.write(Encoding::Sub_rm64_imm32, &[Reg(Register::RSP), size])?;
        }
        if self.frame.align > 16 {
            let align = Imm(OpKind::Immediate32to64, -i64::from(self.frame.align));
            self.write(Encoding::And_rm64_imm32, &[Reg(Register::RSP), align])?;
        }
        for (index, number) in (1..).zip(self.frame.saved.clone()) {
            let register = register_name(PReg::new(usize::from(number), RegClass::Int), View::Qword);
            self.write(Encoding::Mov_rm64_r64, &[Mem(Register::RBP, None, -8 * index), Reg(register)])?;
        }
        Ok(())
    }

    fn epilogue(&mut self) -> Result<(), CodegenBug> {
        use EncodedOperand::{Mem, Reg};
        self.zero_upper_halves()?;
        for (index, number) in (1..).zip(self.frame.saved.clone()) {
            let register = register_name(PReg::new(usize::from(number), RegClass::Int), View::Qword);
            self.write(Encoding::Mov_r64_rm64, &[Reg(register), Mem(Register::RBP, None, -8 * index)])?;
        }
        self.write(Encoding::Leaveq, &[])?;
        self.write(Encoding::Retnq, &[])
    }

    /// Emits `vzeroupper` before code that may use SSE, which is slow while upper halves of vector registers are in
    /// use.
    fn zero_upper_halves(&mut self) -> Result<(), CodegenBug> {
        if self.code.widest == Size::X { Ok(()) } else { self.write(Encoding::VEX_Vzeroupper, &[]) }
    }

    fn body(&mut self) -> Result<(), CodegenBug> {
        let edits = &self.output.edits;
        for at in 0..self.block_layout.order.len() {
            let block = self.block_layout.order[at];
            if self.block_layout.begins_loop[block] {
                self.align(LOOP_ALIGNMENT);
            }
            self.starts[block] = self.at;
            let (first, end) = (self.code.blocks[block].first, self.code.blocks[block].end);
            let start = ProgPoint::before(InstIndex::new(first as usize));
            let mut edit = edits.partition_point(|(point, _)| *point < start);
            for index in first..end {
                let inst = &self.code.insts[index as usize];
                self.position(inst.loc);
                let before = ProgPoint::before(InstIndex::new(index as usize));
                while let Some((point, Edit::Move { from, to })) = edits.get(edit)
                    && *point <= before
                {
                    self.move_value(*from, *to)?;
                    edit += 1;
                }
                self.offsets[index as usize] = self.at as u32;
                self.inst(inst, index, block)?;
            }
            self.ends[block] = self.at as u32;
        }
        Ok(())
    }

    /// Pads the code with `nop` up to a multiple of `to` bytes.
    fn align(&mut self, to: usize) {
        // `nop` of one to nine bytes, as the manuals of AMD and Intel recommend.
        const NOPS: [&[u8]; 9] = [
            &[0x90],
            &[0x66, 0x90],
            &[0x0f, 0x1f, 0x00],
            &[0x0f, 0x1f, 0x40, 0x00],
            &[0x0f, 0x1f, 0x44, 0x00, 0x00],
            &[0x66, 0x0f, 0x1f, 0x44, 0x00, 0x00],
            &[0x0f, 0x1f, 0x80, 0x00, 0x00, 0x00, 0x00],
            &[0x0f, 0x1f, 0x84, 0x00, 0x00, 0x00, 0x00, 0x00],
            &[0x66, 0x0f, 0x1f, 0x84, 0x00, 0x00, 0x00, 0x00, 0x00],
        ];
        let mut left = self.at.next_multiple_of(to) - self.at;
        while left > 0 {
            let size = left.min(NOPS.len());
            self.bytes(NOPS[size - 1]);
            left -= size;
        }
    }

    fn position(&mut self, loc: u32) {
        if self.positions.last().is_none_or(|last| last.1 != loc) {
            self.positions.push((self.at as u32, loc));
        }
    }

    /// Returns the memory operand of a spill slot.
    fn spill(&self, alloc: Allocation) -> Option<EncodedOperand> {
        let slot = alloc.as_stack()?.index();
        let base = if self.frame.is_vector[slot] { Register::RSP } else { Register::RBP };
        Some(EncodedOperand::Mem(base, None, self.frame.spills[slot]))
    }

    fn move_value(&mut self, from: Allocation, to: Allocation) -> Result<(), CodegenBug> {
        if from == to {
            return Ok(());
        }
        let class = from.as_reg().or(to.as_reg()).map(|register| register.class());
        let class = class.ok_or(CodegenBug("a move within the stack"))?;
        let view = match class {
            RegClass::Int => View::Qword,
            RegClass::Float => View::Vector(self.code.widest),
            RegClass::Vector => View::Mask,
        };
        let alloc = |alloc: Allocation| {
            alloc.as_reg().map(|register| EncodedOperand::Reg(register_name(register, view)))
        };
        let (source, target) = (alloc(from).or(self.spill(from)), alloc(to).or(self.spill(to)));
        let (Some(source), Some(target)) = (source, target) else {
            return Err(CodegenBug("a move from nowhere"));
        };
        let is_store = to.is_stack();
        let code = match class {
            RegClass::Int if is_store => Encoding::Mov_rm64_r64,
            RegClass::Int => Encoding::Mov_r64_rm64,
            RegClass::Vector if is_store => Encoding::VEX_Kmovq_m64_kr,
            RegClass::Vector => Encoding::VEX_Kmovq_kr_km64,
            RegClass::Float => {
                let high = |alloc: Allocation| alloc.as_reg().is_some_and(|register| register.hw_enc() >= 16);
                let vec_op = if is_store { VecOp::Vmovdqas } else { VecOp::Vmovdqa };
                let form = vec_op.form();
                let size = self.code.widest;
                let is_evex = size == Size::Z || high(from) || high(to);
                let code = if is_evex { form.evex(size) } else { form.vex(size) };
                code.ok_or(CodegenBug("no move of that size"))?
            }
        };
        self.write(code, &[target, source])
    }

    fn inst(&mut self, inst: &Inst, index: u32, block: usize) -> Result<(), CodegenBug> {
        let allocs = self.output.inst_allocs(InstIndex::new(index as usize));
        let successors = &self.code.blocks[block].successors;
        match &inst.kind {
            InstKind::NoCode => Ok(()),
            InstKind::Plain => self.plain(inst, allocs),
            InstKind::Jump => {
                self.jump(block, successors[0]);
                Ok(())
            }
            InstKind::Branch(test) => {
                self.branch(block, *test, successors[0], successors[1]);
                Ok(())
            }
            InstKind::Switch(switch) => self.switch(switch, allocs, successors),
            InstKind::Return => self.epilogue(),
            InstKind::Trap => self.write(Encoding::Ud2, &[]),
            InstKind::CallFunction(function) => {
                self.zero_upper_halves()?;
                let target = RelocTarget::Function(*function);
                let offset = self.at as u32 + 1;
                // The displacement counts from the end of the instruction.
                self.relocs.push(Relocation { offset, kind: RelocKind::Relative, target, addend: -4 });
                self.bytes(&[0xe8, 0, 0, 0, 0]);
                Ok(())
            }
            InstKind::CallAddress => {
                self.zero_upper_halves()?;
                let register = general(allocs[0])?;
                self.write(Encoding::Call_rm64, &[EncodedOperand::Reg(register)])
            }
            InstKind::LaneLoop(lanes) => self.lane_loop(lanes, allocs),
            InstKind::CasLoop(cas_loop) => self.cas_loop(*cas_loop, allocs),
            InstKind::CompareExchange(exchange) => self.compare_exchange(*exchange, allocs),
            InstKind::NontemporalStore(size) => self.nontemporal_store(*size, allocs),
            InstKind::MaskedLoad(masked) => self.masked_load(masked, allocs),
            InstKind::MaskedStore(masked) => self.masked_store(masked, allocs),
            InstKind::MaskedStoreVector(size, bits) => self.masked_store_vector(*size, *bits, allocs),
        }
    }

    fn plain(&mut self, inst: &Inst, allocs: &[Allocation]) -> Result<(), CodegenBug> {
        let mut template = inst.template;
        let mut is_evex = template.is_broadcast() || template.zeroing_masking();
        for (field, alloc) in self.code.reg_fields(inst).iter().zip(allocs) {
            if field.slot == OperandSlot::Implicit {
                continue;
            }
            let register = alloc.as_reg().ok_or(CodegenBug("an operand on the stack"))?;
            let name = register_name(register, field.view);
            is_evex |= register.class() == RegClass::Float && register.hw_enc() >= 16;
            is_evex |= field.slot == OperandSlot::Predicate;
            Self::fill(&mut template, *field, name);
        }
        if let Some((vec_op, size)) = inst.vec_op {
            let form = vec_op.form();
            is_evex |= size == Size::Z;
            let vex = if is_evex { None } else { form.vex(size) };
            let code = vex.or_else(|| if self.avx512 { form.evex(size) } else { None });
            template.set_code(code.ok_or(CodegenBug(form.name))?);
        }
        match inst.addr_base {
            AddrBase::None => {}
            AddrBase::Frame(slot) => {
                Self::displace(&mut template, Register::RSP, self.frame.slots[slot as usize]);
            }
            AddrBase::Incoming => Self::displace(&mut template, Register::RBP, LINKAGE_BYTES as i32),
            AddrBase::Outgoing => Self::displace(&mut template, Register::RSP, 0),
            AddrBase::Pool(_) => {
                template.set_memory_base(Register::RIP);
                template.set_memory_displ_size(8);
            }
        }
        let addend = template.memory_displacement64() as i32;
        if let AddrBase::Pool(constant) = inst.addr_base {
            return self.encode_constant(&mut template, constant, addend);
        }
        self.encode(&template)
    }

    /// Adds a base register and a displacement to the memory operand.
    fn displace(template: &mut Instruction, base: Register, by: i32) {
        template.set_memory_base(base);
        let disp = template.memory_displacement64() as i64 + i64::from(by);
        template.set_memory_displacement64(disp as u64);
        template.set_memory_displ_size(u32::from(disp != 0));
    }

    fn fill(template: &mut Instruction, field: RegField, name: Register) {
        match field.slot {
            OperandSlot::Implicit => {}
            OperandSlot::Operand(index) => template.set_op_register(u32::from(index), name),
            OperandSlot::FirstThree => (0..3).for_each(|index| template.set_op_register(index, name)),
            OperandSlot::Base => template.set_memory_base(name),
            OperandSlot::Index => template.set_memory_index(name),
            OperandSlot::Predicate => template.set_op_mask(name),
        }
    }

    fn finish(mut self) -> Result<MachineCode, CodegenBug> {
        let mut bytes = self.encoder.take_buffer();
        let tables = std::mem::take(&mut self.tables);
        bytes.resize(bytes.len().next_multiple_of(4), 0xcc);
        let mut table_starts = Vec::new();
        for (labels, first) in &tables {
            let start = bytes.len();
            table_starts.push(start);
            // Entries are distances from the address that the table's entry for the value 0 has or would have.
            let base = start as i64 - 4 * *first as i64;
            for label in labels {
                let distance = (self.starts[label.index()] as i64 - base) as i32;
                bytes.extend(distance.to_le_bytes());
            }
        }
        let (constants, align) = self.constants(&mut bytes);
        for fixup in &self.fixups {
            let to = match fixup.to {
                FixupTarget::Label(label) => self.starts[label.index()],
                FixupTarget::Constant(constant) => constants[constant as usize],
                FixupTarget::Table(table) => table_starts[table],
            };
            let distance = (to as i64 - fixup.from as i64) as i32;
            let value = distance.wrapping_add(fixup.addend);
            bytes[fixup.at..fixup.at + 4].copy_from_slice(&value.to_le_bytes());
        }
        Ok(MachineCode {
            bytes,
            alignment: align,
            frame_size: u64::from(self.frame.size + LINKAGE_BYTES),
            spill_size: self.frame.spilled.into(),
            relocs: std::mem::take(&mut self.relocs),
            positions: std::mem::take(&mut self.positions),
            locations: self.locations(),
        })
    }

    /// Appends the constants, the largest first, and returns their offsets and the alignment of the code.
    fn constants(&self, bytes: &mut Vec<u8>) -> (Vec<usize>, u32) {
        let constants = &self.code.pool.constants;
        let mut order: Vec<usize> = (0..constants.len()).collect();
        order.sort_by_key(|&constant| std::cmp::Reverse(constants[constant].len()));
        let mut offsets = vec![0; constants.len()];
        let align = order.first().map_or(LOOP_ALIGNMENT, |&first| {
            constants[first].len().next_power_of_two().clamp(LOOP_ALIGNMENT, 64)
        });
        bytes.resize(bytes.len().next_multiple_of(align), 0);
        for constant in order {
            let size = constants[constant].len();
            bytes.resize(bytes.len().next_multiple_of(size.next_power_of_two()), 0);
            offsets[constant] = bytes.len();
            bytes.extend_from_slice(&constants[constant]);
        }
        (offsets, align as u32)
    }

    /// Returns the locations of tracked values for the debugger.
    fn locations(&self) -> Vec<ValueLocation> {
        let mut found = Vec::new();
        for &(index, from, to, alloc) in &self.output.debug_locations {
            let location = if let Some(register) = alloc.as_reg() {
                Location::Register(register.hw_enc() as u8)
            } else if let Some(EncodedOperand::Mem(_, _, distance)) = self.spill(alloc) {
                // The frame pointer is `LINKAGE_BYTES` below the stack pointer before the call.
                Location::Frame(i64::from(distance) - i64::from(LINKAGE_BYTES))
            } else {
                continue;
            };
            // Ranges are cut at blocks: blocks that are consecutive for the allocator need not be adjacent in memory.
            let (from, to) = (from.inst().index(), to.inst().index());
            let first = self.code.blocks.partition_point(|block| block.end as usize <= from);
            for (number, block) in self.code.blocks.iter().enumerate().skip(first) {
                if block.first as usize >= to {
                    break;
                }
                let start = self.offsets[from.max(block.first as usize)];
                let end = if to < block.end as usize { self.offsets[to] } else { self.ends[number] };
                found.push(ValueLocation { index, start, end, location });
            }
        }
        found
    }

    /// Returns the operand for element `index` of a stack slot, with elements of `scale` bytes.
    pub fn slot(&self, slot: u32, index: Register, scale: u32) -> EncodedOperand {
        EncodedOperand::Mem(Register::RSP, Some((index, scale)), self.frame.slots[slot as usize])
    }

    /// Returns the operand for `bytes` bytes into a stack slot.
    pub fn slot_at(&self, slot: u32, bytes: u32) -> EncodedOperand {
        EncodedOperand::Mem(Register::RSP, None, self.frame.slots[slot as usize] + bytes as i32)
    }

    /// Returns the offset of the next instruction.
    pub fn offset(&self) -> usize {
        self.at
    }

    /// Emits a jump backwards to the offset `to`, with a displacement of 32 bits.
    pub fn jump_back(&mut self, opcode: &[u8], to: usize) {
        self.bytes(opcode);
        let distance = to as i64 - (self.at as i64 + 4);
        self.bytes(&(distance as i32).to_le_bytes());
    }

    /// Emits a jump forwards, and returns the offset of its displacement for [`Emitter::bind_jump`].
    pub fn jump_forward(&mut self, opcode: &[u8]) -> usize {
        self.bytes(opcode);
        self.bytes(&[0; 4]);
        self.at - 4
    }

    /// Lets a jump forwards end at the current offset.
    pub fn bind_jump(&mut self, field: usize) {
        let distance = (self.at - field - 4) as u32;
        self.patch(field, distance);
    }
}

/// Operand of an instruction that the emitter itself creates.
#[derive(Clone, Copy)]
pub enum EncodedOperand {
    Reg(Register),
    Mem(Register, Option<(Register, u32)>, i32),
    Imm(OpKind, i64),
    /// Constant behind the code.
    Pool(u32),
    Lock,
}

/// Returns the encoder's name of an operand's register.
pub fn register(alloc: Allocation, view: View) -> Result<Register, CodegenBug> {
    let register = alloc.as_reg().ok_or(CodegenBug("an operand on the stack"))?;
    Ok(register_name(register, view))
}

/// Returns the encoder's name of an operand's general register.
fn general(alloc: Allocation) -> Result<Register, CodegenBug> {
    register(alloc, View::Qword)
}

/// Returns the encoding for operands of `bytes` bytes, given the one for a byte.
pub fn code_for_bytes(code: Encoding, bytes: u32) -> Encoding {
    code_plus(code, bytes.trailing_zeros() as usize)
}
