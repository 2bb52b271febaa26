//! Registers assigned, instructions to bytes.
//!
//! The frame, downwards from where the stack pointer was before the call: return address, frame pointer, registers that
//! the caller keeps something in, spilled general and mask registers (all below `rbp`); then, aligned as the largest
//! register wants it and counted up from `rsp`, arguments of calls, slots and spilled vectors. Behind the code stand jump tables and
//! constants. An edge on which no value moves is no code: branches go to where it leads.

use iced_x86::{Code as Encoding, Encoder, Instruction, OpKind, Register};
use regalloc2::{Allocation, Block as Label, Edit, Inst as InstIndex, Output, PReg, ProgPoint, RegClass};

use super::super::{Location, MachineCode, RelocKind, RelocTarget, Relocation, ValueLocation};
use super::Unsupported;
use super::block_layout::{Placement, place};
use super::inst::{AddrBase, Hole, Inst, InstKind, OperandSlot, View};
use super::isel::scalar::step;
use super::vcode::{CALLEE_SAVED, VCode};
use super::vec_ops::{Size, VecOp};

/// Bytes between two touches of the stack.
const PAGE: u32 = 4096;

/// What a function of the machine is called with pushes: return address and frame pointer.
const LINKAGE: u32 = 16;

/// Where the code of an innermost loop begins: a multiple of that, so that it is fetched in as few pieces as can be.
const LOOP: usize = 32;

/// A distance that is filled in once both ends are known.
pub struct Fixup {
    /// Where its 4 bytes are, and what they count from.
    pub at: usize,
    pub from: usize,
    pub to: FixupTarget,
    pub addend: i32,
}

#[derive(Clone, Copy)]
pub enum FixupTarget {
    Label(Label),
    Constant(u32),
    /// A jump table.
    Table(usize),
}

/// Where things are in the frame.
#[derive(Default)]
pub struct FrameLayout {
    saved: Vec<u8>,
    /// Distance of each spill slot from `rbp` (negative), or from `rsp`.
    spills: Vec<i32>,
    /// Whether it counts from `rsp`.
    is_vector: Vec<bool>,
    /// Distance of each slot from `rsp`.
    slots: Vec<i32>,
    /// Bytes of all spill slots.
    spilled: u32,
    /// Bytes below `rbp`.
    size: u32,
    align: u32,
}

/// The state of emitting one function.
pub struct Emitter<'a> {
    pub code: &'a VCode,
    pub output: &'a Output,
    pub encoder: Encoder,
    pub at: usize,
    pub frame: FrameLayout,
    pub fixups: Vec<Fixup>,
    pub tables: Vec<(Vec<Label>, u64)>,
    /// Of blocks; none before they have been written.
    pub starts: Vec<usize>,
    /// Offset of each instruction, behind the moves before it.
    pub offsets: Vec<u32>,
    /// Where the code of each block ends.
    pub ends: Vec<u32>,
    pub positions: Vec<(u32, u32)>,
    pub relocs: Vec<Relocation>,
    pub placement: Placement,
    pub avx512: bool,
}

/// The bytes of a function.
pub fn emit(code: &VCode, output: &Output, avx512: bool) -> Result<MachineCode, Unsupported> {
    let mut emitter = Emitter {
        code,
        output,
        encoder: Encoder::new(64),
        at: 0,
        frame: layout(code, output),
        fixups: Vec::new(),
        tables: Vec::new(),
        starts: vec![usize::MAX; code.blocks.len()],
        offsets: vec![0; code.insts.len()],
        ends: vec![0; code.blocks.len()],
        positions: Vec::new(),
        relocs: Vec::new(),
        placement: place(code),
        avx512,
    };
    emitter.prologue()?;
    emitter.body()?;
    emitter.finish()
}

/// Gives every spill slot and slot a place.
fn layout(code: &VCode, output: &Output) -> FrameLayout {
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
        for place in [from, to] {
            if let (Some(slot), Some(register)) = (place.as_stack(), register) {
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
    let mut room = |size: u32, wanted: u32| {
        align = align.max(wanted);
        let at = above.next_multiple_of(wanted);
        above = at + size;
        at as i32
    };
    // Where what is called looks for it.
    room(code.outgoing, 16);
    let widest = code.widest.bytes();
    let mut spilled = below - 8 * saved.len() as u32;
    for slot in (0..count).filter(|&slot| is_used[slot] && is_vector[slot]) {
        spills[slot] = room(widest, widest);
        spilled += widest;
    }
    let slots = code.slots.iter().map(|slot| room(slot.size, slot.align.max(8))).collect();
    // What alignment takes in the worst case is counted.
    let slack = if align > 16 { align } else { 0 };
    let size = (below + above + slack).next_multiple_of(16);
    FrameLayout { saved, spills, spilled, is_vector, slots, size, align }
}

/// The name of a register.
pub fn named(register: PReg, view: View) -> Register {
    let number = register.hw_enc();
    let first = match view {
        View::Byte => {
            // The first four have names of their own, and four others stand between.
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
        View::Long => Register::EAX,
        View::Quad => Register::RAX,
        View::Vector(Size::X) => Register::XMM0,
        View::Vector(Size::Y) => Register::YMM0,
        View::Vector(Size::Z) => Register::ZMM0,
        View::Mask => Register::K0,
    };
    Register::try_from(first as usize + number).unwrap_or(Register::None)
}

impl Emitter<'_> {
    pub fn encode(&mut self, instruction: &Instruction) -> Result<(), Unsupported> {
        match self.encoder.encode(instruction, self.at as u64) {
            Ok(len) => {
                self.at += len;
                Ok(())
            }
            Err(error) => {
                debug_assert!(false, "{error}: {:?}", instruction.code());
                Err(Unsupported("an instruction that cannot be encoded"))
            }
        }
    }

    pub fn bytes(&mut self, bytes: &[u8]) {
        bytes.iter().for_each(|&byte| self.encoder.write_u8(byte));
        self.at += bytes.len();
    }

    /// An instruction of registers and memory that is written here.
    pub fn write(&mut self, code: Encoding, operands: &[EncodedInst]) -> Result<(), Unsupported> {
        let mut instruction = Instruction::default();
        let mut pool = None;
        instruction.set_code(code);
        for (index, operand) in (0u32..).zip(operands) {
            match *operand {
                EncodedInst::Reg(register) => {
                    instruction.set_op_kind(index, OpKind::Register);
                    instruction.set_op_register(index, register);
                }
                EncodedInst::Mem(base, indexed, disp) => {
                    instruction.set_op_kind(index, OpKind::Memory);
                    instruction.set_memory_base(base);
                    if let Some((register, scale)) = indexed {
                        instruction.set_memory_index(register);
                        instruction.set_memory_index_scale(scale);
                    }
                    instruction.set_memory_displacement64(i64::from(disp) as u64);
                    instruction.set_memory_displ_size(u32::from(disp != 0));
                }
                EncodedInst::Imm(kind, value) => {
                    instruction.set_op_kind(index, kind);
                    match kind {
                        OpKind::Immediate8 => instruction.set_immediate8(value as u8),
                        OpKind::Immediate32 => instruction.set_immediate32(value as u32),
                        OpKind::Immediate64 => instruction.set_immediate64(value as u64),
                        OpKind::Immediate8to64 => instruction.set_immediate8to64(value),
                        _ => instruction.set_immediate32to64(value),
                    }
                }
                EncodedInst::Pool(constant) => {
                    instruction.set_op_kind(index, OpKind::Memory);
                    instruction.set_memory_base(Register::RIP);
                    instruction.set_memory_displ_size(8);
                    pool = Some(constant);
                }
                EncodedInst::Lock => instruction.set_has_lock_prefix(true),
            }
        }
        match pool {
            Some(constant) => self.encode_constant(&mut instruction, constant, 0),
            None => self.encode(&instruction),
        }
    }

    /// An instruction whose memory operand is so many bytes into a constant.
    fn encode_constant(
        &mut self,
        instruction: &mut Instruction,
        constant: u32,
        addend: i32,
    ) -> Result<(), Unsupported> {
        instruction.set_memory_displacement64(self.at as u64);
        let start = self.at;
        self.encode(instruction)?;
        let at = start + self.encoder.get_constant_offsets().displacement_offset();
        self.fixups.push(Fixup { at, from: self.at, to: FixupTarget::Constant(constant), addend });
        Ok(())
    }

    fn prologue(&mut self) -> Result<(), Unsupported> {
        use EncodedInst::{Imm, Mem, Reg};
        self.write(Encoding::Push_r64, &[Reg(Register::RBP)])?;
        self.write(Encoding::Mov_r64_rm64, &[Reg(Register::RBP), Reg(Register::RSP)])?;
        let mut size = self.frame.size;
        if size > PAGE {
            // Page by page, so that none is stepped over.
            let pages = i64::from(size / PAGE);
            self.write(Encoding::Mov_r32_imm32, &[Reg(Register::R11D), Imm(OpKind::Immediate32, pages)])?;
            let top = self.at;
            let page = Imm(OpKind::Immediate32to64, i64::from(PAGE));
            self.write(Encoding::Sub_rm64_imm32, &[Reg(Register::RSP), page])?;
            let touched = Mem(Register::RSP, None, 0);
            self.write(Encoding::Mov_rm32_imm32, &[touched, Imm(OpKind::Immediate32, 0)])?;
            self.write(Encoding::Dec_rm32, &[Reg(Register::R11D)])?;
            // jnz
            let distance = top as i64 - (self.at as i64 + 2);
            self.bytes(&[0x75, distance as u8]);
            size %= PAGE;
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
            let register = named(PReg::new(usize::from(number), RegClass::Int), View::Quad);
            self.write(Encoding::Mov_rm64_r64, &[Mem(Register::RBP, None, -8 * index), Reg(register)])?;
        }
        Ok(())
    }

    fn epilogue(&mut self) -> Result<(), Unsupported> {
        use EncodedInst::{Mem, Reg};
        self.leave_vectors()?;
        for (index, number) in (1..).zip(self.frame.saved.clone()) {
            let register = named(PReg::new(usize::from(number), RegClass::Int), View::Quad);
            self.write(Encoding::Mov_r64_rm64, &[Reg(register), Mem(Register::RBP, None, -8 * index)])?;
        }
        self.write(Encoding::Leaveq, &[])?;
        self.write(Encoding::Retnq, &[])
    }

    /// Before code that may use SSE: its instructions are slow while upper halves of registers are in use.
    fn leave_vectors(&mut self) -> Result<(), Unsupported> {
        if self.code.widest == Size::X { Ok(()) } else { self.write(Encoding::VEX_Vzeroupper, &[]) }
    }

    fn body(&mut self) -> Result<(), Unsupported> {
        let edits = &self.output.edits;
        for at in 0..self.placement.order.len() {
            let block = self.placement.order[at];
            if self.placement.begins_loop[block] {
                self.align(LOOP);
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

    /// Fills up with instructions that do nothing.
    fn align(&mut self, to: usize) {
        // `nop` of one to nine bytes, as the manuals of both makers have them.
        const NOTHING: [&[u8]; 9] = [
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
            let size = left.min(NOTHING.len());
            self.bytes(NOTHING[size - 1]);
            left -= size;
        }
    }

    fn position(&mut self, loc: u32) {
        if self.positions.last().is_none_or(|last| last.1 != loc) {
            self.positions.push((self.at as u32, loc));
        }
    }

    /// A spill slot as memory.
    fn spill(&self, place: Allocation) -> Option<EncodedInst> {
        let slot = place.as_stack()?.index();
        let base = if self.frame.is_vector[slot] { Register::RSP } else { Register::RBP };
        Some(EncodedInst::Mem(base, None, self.frame.spills[slot]))
    }

    fn move_value(&mut self, from: Allocation, to: Allocation) -> Result<(), Unsupported> {
        if from == to {
            return Ok(());
        }
        let class = from.as_reg().or(to.as_reg()).map(|register| register.class());
        let class = class.ok_or(Unsupported("a move within the stack"))?;
        let view = match class {
            RegClass::Int => View::Quad,
            RegClass::Float => View::Vector(self.code.widest),
            RegClass::Vector => View::Mask,
        };
        let place =
            |place: Allocation| place.as_reg().map(|register| EncodedInst::Reg(named(register, view)));
        let (source, target) = (place(from).or(self.spill(from)), place(to).or(self.spill(to)));
        let (Some(source), Some(target)) = (source, target) else {
            return Err(Unsupported("a move from nowhere"));
        };
        let is_store = to.is_stack();
        let code = match class {
            RegClass::Int if is_store => Encoding::Mov_rm64_r64,
            RegClass::Int => Encoding::Mov_r64_rm64,
            RegClass::Vector if is_store => Encoding::VEX_Kmovq_m64_kr,
            RegClass::Vector => Encoding::VEX_Kmovq_kr_km64,
            RegClass::Float => {
                let high = |place: Allocation| place.as_reg().is_some_and(|register| register.hw_enc() >= 16);
                let row = if is_store { VecOp::Vmovdqas } else { VecOp::Vmovdqa };
                let form = row.form();
                let size = self.code.widest;
                let is_evex = size == Size::Z || high(from) || high(to);
                let code = if is_evex { form.evex(size) } else { form.vex(size) };
                code.ok_or(Unsupported("no move of that size"))?
            }
        };
        self.write(code, &[target, source])
    }

    fn inst(&mut self, inst: &Inst, index: u32, block: usize) -> Result<(), Unsupported> {
        let allocs = self.output.inst_allocs(InstIndex::new(index as usize));
        let successors = &self.code.blocks[block].successors;
        match &inst.kind {
            InstKind::Nothing => Ok(()),
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
                self.leave_vectors()?;
                let target = RelocTarget::Function(*function);
                let offset = self.at as u32 + 1;
                // The distance counts from behind the hole.
                self.relocs.push(Relocation { offset, kind: RelocKind::Relative, target, addend: -4 });
                self.bytes(&[0xe8, 0, 0, 0, 0]);
                Ok(())
            }
            InstKind::CallAddress => {
                self.leave_vectors()?;
                let register = general(allocs[0])?;
                self.write(Encoding::Call_rm64, &[EncodedInst::Reg(register)])
            }
            InstKind::Lanes(lanes) => self.lanes(lanes, allocs),
            InstKind::Retry(retry) => self.retry(*retry, allocs),
            InstKind::CompareExchange(exchange) => self.compare_exchange(*exchange, allocs),
            InstKind::Stream(size) => self.stream(*size, allocs),
            InstKind::MaskedLoad(masked) => self.masked_load(masked, allocs),
            InstKind::MaskedStore(masked) => self.masked_store(masked, allocs),
            InstKind::MaskedPart(size, bits) => self.masked_part(*size, *bits, allocs),
        }
    }

    fn plain(&mut self, inst: &Inst, allocs: &[Allocation]) -> Result<(), Unsupported> {
        let mut template = inst.template;
        let mut is_evex = template.is_broadcast() || template.zeroing_masking();
        for (hole, alloc) in self.code.holes(inst).iter().zip(allocs) {
            if hole.place == OperandSlot::Nowhere {
                continue;
            }
            let register = alloc.as_reg().ok_or(Unsupported("an operand on the stack"))?;
            let name = named(register, hole.view);
            is_evex |= register.class() == RegClass::Float && register.hw_enc() >= 16;
            is_evex |= hole.place == OperandSlot::Predicate;
            Self::fill(&mut template, *hole, name);
        }
        if let Some((row, size)) = inst.row {
            let form = row.form();
            is_evex |= size == Size::Z;
            let vex = if is_evex { None } else { form.vex(size) };
            let code = vex.or_else(|| if self.avx512 { form.evex(size) } else { None });
            template.set_code(code.ok_or(Unsupported(form.name))?);
        }
        match inst.anchor {
            AddrBase::Nothing => {}
            AddrBase::Frame(slot) => {
                Self::displace(&mut template, Register::RSP, self.frame.slots[slot as usize]);
            }
            AddrBase::Incoming => Self::displace(&mut template, Register::RBP, LINKAGE as i32),
            AddrBase::Outgoing => Self::displace(&mut template, Register::RSP, 0),
            AddrBase::Pool(_) => {
                template.set_memory_base(Register::RIP);
                template.set_memory_displ_size(8);
            }
        }
        let addend = template.memory_displacement64() as i32;
        if let AddrBase::Pool(constant) = inst.anchor {
            return self.encode_constant(&mut template, constant, addend);
        }
        self.encode(&template)
    }

    /// Memory so many bytes further, from a register on.
    fn displace(template: &mut Instruction, base: Register, by: i32) {
        template.set_memory_base(base);
        let disp = template.memory_displacement64() as i64 + i64::from(by);
        template.set_memory_displacement64(disp as u64);
        template.set_memory_displ_size(u32::from(disp != 0));
    }

    fn fill(template: &mut Instruction, hole: Hole, name: Register) {
        match hole.place {
            OperandSlot::Nowhere => {}
            OperandSlot::Operand(index) => template.set_op_register(u32::from(index), name),
            OperandSlot::Everywhere => (0..3).for_each(|index| template.set_op_register(index, name)),
            OperandSlot::Base => template.set_memory_base(name),
            OperandSlot::Index => template.set_memory_index(name),
            OperandSlot::Predicate => template.set_op_mask(name),
        }
    }

    fn finish(mut self) -> Result<MachineCode, Unsupported> {
        let mut bytes = self.encoder.take_buffer();
        let tables = std::mem::take(&mut self.tables);
        bytes.resize(bytes.len().next_multiple_of(4), 0xcc);
        let mut table_starts = Vec::new();
        for (labels, first) in &tables {
            let start = bytes.len();
            table_starts.push(start);
            // Entries are distances from where the table would begin for the value 0.
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
            frame_size: u64::from(self.frame.size + LINKAGE),
            spill_size: self.frame.spilled.into(),
            relocs: std::mem::take(&mut self.relocs),
            positions: std::mem::take(&mut self.positions),
            locations: self.locations(),
        })
    }

    /// Constants behind the code, the largest first.
    fn constants(&self, bytes: &mut Vec<u8>) -> (Vec<usize>, u32) {
        let constants = &self.code.pool.constants;
        let mut order: Vec<usize> = (0..constants.len()).collect();
        order.sort_by_key(|&constant| std::cmp::Reverse(constants[constant].len()));
        let mut places = vec![0; constants.len()];
        let align =
            order.first().map_or(LOOP, |&first| constants[first].len().next_power_of_two().clamp(LOOP, 64));
        bytes.resize(bytes.len().next_multiple_of(align), 0);
        for constant in order {
            let size = constants[constant].len();
            bytes.resize(bytes.len().next_multiple_of(size.next_power_of_two()), 0);
            places[constant] = bytes.len();
            bytes.extend_from_slice(&constants[constant]);
        }
        (places, align as u32)
    }

    /// Where tracked values are.
    fn locations(&self) -> Vec<ValueLocation> {
        let mut found = Vec::new();
        for &(index, from, to, place) in &self.output.debug_locations {
            let location = if let Some(register) = place.as_reg() {
                Location::Register(register.hw_enc() as u8)
            } else if let Some(EncodedInst::Mem(_, _, distance)) = self.spill(place) {
                // The frame pointer is so far below where the stack pointer was.
                Location::Frame(i64::from(distance) - i64::from(LINKAGE))
            } else {
                continue;
            };
            // Block by block: what follows in the allocator's order may be elsewhere.
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

    /// The frame slot of a lane loop as memory.
    pub fn slot(&self, slot: u32, index: Register, scale: u32) -> EncodedInst {
        EncodedInst::Mem(Register::RSP, Some((index, scale)), self.frame.slots[slot as usize])
    }

    /// What lies so many bytes into a slot.
    pub fn slot_at(&self, slot: u32, bytes: u32) -> EncodedInst {
        EncodedInst::Mem(Register::RSP, None, self.frame.slots[slot as usize] + bytes as i32)
    }

    /// How far the code is.
    pub fn here(&self) -> usize {
        self.at
    }

    /// A short or long jump backwards, or one forwards that [`Emitter::land`] completes.
    pub fn back(&mut self, opcode: &[u8], to: usize) {
        self.bytes(opcode);
        let distance = to as i64 - (self.at as i64 + 4);
        self.bytes(&(distance as i32).to_le_bytes());
    }

    /// A jump forwards; where its distance is.
    pub fn ahead(&mut self, opcode: &[u8]) -> usize {
        self.bytes(opcode);
        self.bytes(&[0; 4]);
        self.at - 4
    }

    /// The end of a jump forwards is here.
    pub fn land(&mut self, hole: usize) {
        let distance = (self.at - hole - 4) as u32;
        self.patch(hole, distance);
    }
}

/// An operand that is written here.
#[derive(Clone, Copy)]
pub enum EncodedInst {
    Reg(Register),
    Mem(Register, Option<(Register, u32)>, i32),
    Imm(OpKind, i64),
    /// A constant behind the code.
    Pool(u32),
    Lock,
}

/// The register of an operand.
pub fn register(place: Allocation, view: View) -> Result<Register, Unsupported> {
    let register = place.as_reg().ok_or(Unsupported("an operand on the stack"))?;
    Ok(named(register, view))
}

/// The general register of an operand.
fn general(place: Allocation) -> Result<Register, Unsupported> {
    register(place, View::Quad)
}

/// The encoding so many behind one.
pub fn sized(code: Encoding, bytes: u32) -> Encoding {
    step(code, bytes.trailing_zeros() as usize)
}
