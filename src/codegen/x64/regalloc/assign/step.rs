//! Register assignment of one instruction.

use regalloc2::{Allocation, Edit, Function, Operand, OperandConstraint, VReg};
use smallvec::SmallVec;

use super::live::NEVER;
use super::{
    Assigner, CLASSES, Move, NO_INDEX, NO_REGISTER, Registers, bit, class_of, fixed_register, is_late,
    is_use, point, reg_location,
};
use grus_support::set_bits;

/// Registers and moves of one instruction.
#[derive(Default)]
struct InstAllocation {
    inst: u32,
    /// Moves before the instruction: the first ones make room, the others copy into fixed registers.
    moves: SmallVec<[Move; 8]>,
    eviction_moves: usize,
    /// Values that were spilled, and the registers in which the instruction still reads them.
    evicted: SmallVec<[(VReg, u8); 4]>,
    /// Fixed registers of the instruction: those that are read, written before all operands are read, and written at
    /// the end.
    fixed_reads: Registers,
    fixed_temporaries: Registers,
    fixed_results: Registers,
    /// Registers that must not be spilled, since operands are in them; and those that are occupied at the beginning and
    /// at the end of the instruction.
    pinned: Registers,
    early: Registers,
    late: Registers,
    /// Results with their registers; true if the result is unused.
    defs: SmallVec<[(VReg, u8, bool); 4]>,
}

impl InstAllocation {
    fn fixed_registers(&self, class: usize) -> u32 {
        self.fixed_reads[class] | self.fixed_temporaries[class] | self.fixed_results[class]
    }

    /// Returns the location before the moves of what is in `home` after them.
    fn before(&self, home: Allocation) -> Allocation {
        let moved = &self.moves[..self.eviction_moves];
        moved.iter().find(|moved| moved.to == home).map_or(home, |moved| moved.from)
    }

    /// Returns the register in which a value is read.
    fn home(&self, assigner: &Assigner<'_>, value: VReg) -> u8 {
        let evicted = self.evicted.iter().find(|evicted| evicted.0 == value);
        evicted.map_or(assigner.locations.register[value.vreg()], |evicted| evicted.1)
    }
}

impl Assigner<'_> {
    /// Assigns registers to an instruction.
    pub fn assign_inst(&mut self, inst: u32) -> Option<()> {
        let code = self.code;
        let range = self.code.operands_at(inst);
        let is_call = code.insts[inst as usize].is_call;
        if range.is_empty() && !is_call {
            return Some(());
        }
        let (first, operands) = (range.start, &code.operands[range]);
        let mut inst_alloc = InstAllocation { inst, ..InstAllocation::default() };
        let is_plain = !is_call && operands.iter().all(|operand| fixed_register(operand).is_none());
        if !is_plain {
            self.note_fixed(operands, &mut inst_alloc);
        }
        self.reload_operands(operands, &mut inst_alloc)?;
        if !is_plain {
            self.clear_fixed_registers(operands, &mut inst_alloc)?;
            self.copy_fixed_operands(operands, &mut inst_alloc);
        }
        self.assign_operands(operands, first, &mut inst_alloc);
        self.assign_results(operands, first, &mut inst_alloc)?;
        let busy = std::array::from_fn(|class| {
            inst_alloc.early[class] | inst_alloc.late[class] | self.registers.held[class]
        });
        self.emit_parallel_copy(inst, std::mem::take(&mut inst_alloc.moves), busy);
        for (at, operand) in operands.iter().enumerate().filter(|(_, operand)| is_use(operand)) {
            let value = operand.vreg();
            self.uses.next[value.vreg()] = self.uses.next_of_operand[first + at];
            if self.uses.next_of_operand[first + at] == NEVER && self.is_held(value) {
                self.release(value, inst + 1);
                self.free_slot(value);
            }
        }
        for (value, register, is_over) in inst_alloc.defs {
            self.locations.is_stored[value.vreg()] = false;
            if !is_over {
                self.hold(value, register, inst + 1);
            }
        }
        Some(())
    }

    fn is_held(&self, value: VReg) -> bool {
        let home = self.locations.register[value.vreg()];
        home != NO_REGISTER
            && self.registers.holder[class_of(value)][usize::from(home)] == value.vreg() as u32
    }

    /// Frees the slot of a value without uses in other blocks after its last use.
    fn free_slot(&mut self, value: VReg) {
        let slot = self.locations.slot[value.vreg()];
        if slot != NO_INDEX
            && self.liveness.index[value.vreg()] == NO_INDEX
            && self.entries.param_register[value.vreg()] == NO_REGISTER
        {
            self.spill_slots.free[class_of(value)].push(slot);
            self.locations.slot[value.vreg()] = NO_INDEX;
        }
    }

    /// Returns a register for a value: one of `free`, or one whose value is spilled. Registers in `taken` are not
    /// spilled.
    fn allocate_register(
        &mut self,
        value: VReg,
        free: u32,
        taken: u32,
        inst_alloc: &mut InstAllocation,
    ) -> Option<u8> {
        if let Some(register) = self.pick_free(value, free) {
            return Some(register);
        }
        let class = class_of(value);
        let could =
            self.registers.held[class] & self.registers.usable[class] & !(inst_alloc.pinned[class] | taken);
        let last = set_bits(u64::from(could)).max_by_key(|&register| {
            let holder = self.registers.holder[class][register] as usize;
            (self.uses.next[holder], std::cmp::Reverse(self.uses.weight[holder]))
        })?;
        let evicted = VReg::new(self.registers.holder[class][last] as usize, CLASSES[class]);
        self.evict(evicted, inst_alloc.inst);
        inst_alloc.early[class] &= !bit(last as u8);
        inst_alloc.late[class] &= !bit(last as u8);
        Some(last as u8)
    }

    /// Notes the fixed registers of an instruction.
    fn note_fixed(&mut self, operands: &[Operand], inst_alloc: &mut InstAllocation) {
        for operand in operands {
            let Some(register) = fixed_register(operand) else { continue };
            let (class, register) = (class_of(operand.vreg()), bit(register));
            match (is_use(operand), is_late(operand)) {
                (true, _) => inst_alloc.fixed_reads[class] |= register,
                (false, false) => inst_alloc.fixed_temporaries[class] |= register,
                (false, true) => inst_alloc.fixed_results[class] |= register,
            }
            if is_late(operand) {
                inst_alloc.fixed_results[class] |= register;
            }
        }
        if self.code.insts[inst_alloc.inst as usize].is_call {
            for register in self.code.inst_clobbers(regalloc2::Inst::new(inst_alloc.inst as usize)) {
                inst_alloc.fixed_results[register.class() as usize] |= bit(register.hw_enc() as u8);
            }
        }
    }

    /// Reloads operands that are in memory.
    fn reload_operands(&mut self, operands: &[Operand], inst_alloc: &mut InstAllocation) -> Option<()> {
        let reads = || operands.iter().filter(|operand| is_use(operand));
        for operand in reads() {
            let home = self.locations.register[operand.vreg().vreg()];
            if home != NO_REGISTER {
                inst_alloc.pinned[class_of(operand.vreg())] |= bit(home);
            }
        }
        for operand in reads() {
            let (value, class) = (operand.vreg(), class_of(operand.vreg()));
            if self.locations.register[value.vreg()] != NO_REGISTER {
                continue;
            }
            let free_fixed =
                fixed_register(operand).filter(|&register| self.registers.held[class] & bit(register) == 0);
            let needed = inst_alloc.fixed_registers(class);
            let register = match free_fixed {
                Some(register) => register,
                None => {
                    self.allocate_register(value, !(self.registers.held[class] | needed), needed, inst_alloc)?
                }
            };
            let (from, to) = (self.slot(value), reg_location(value.class(), register));
            self.output.edits.push((point(inst_alloc.inst), Edit::Move { from, to }));
            self.end_range(value, inst_alloc.inst);
            self.hold(value, register, inst_alloc.inst);
            inst_alloc.pinned[class] |= bit(register);
        }
        Some(())
    }

    /// Moves values out of the fixed registers of an instruction, unless they are its operands there.
    fn clear_fixed_registers(&mut self, operands: &[Operand], inst_alloc: &mut InstAllocation) -> Option<()> {
        let first = self.code.operands_at(inst_alloc.inst).start;
        for of in CLASSES {
            let class = of as usize;
            for register in
                set_bits(u64::from(self.registers.held[class] & inst_alloc.fixed_registers(class)))
            {
                let holder = self.registers.holder[class][register] as usize;
                let (value, at) = (VReg::new(holder, of), bit(register as u8));
                let (mut dies, mut is_mine, mut is_read, mut is_read_late) = (false, false, false, false);
                for (number, operand) in operands.iter().enumerate() {
                    if !is_use(operand) || operand.vreg() != value {
                        continue;
                    }
                    dies |= self.uses.next_of_operand[first + number] == NEVER;
                    is_mine |= fixed_register(operand) == Some(register as u8);
                    is_read |= fixed_register(operand).is_none();
                    is_read_late |= fixed_register(operand).is_none() && is_late(operand);
                }
                let is_taken = inst_alloc.fixed_reads[class] & at != 0 && !is_mine
                    || inst_alloc.fixed_temporaries[class] & at != 0;
                let remains_live = !dies || is_read_late;
                let goes = is_taken && (remains_live || is_read)
                    || inst_alloc.fixed_results[class] & at != 0 && remains_live;
                if !goes {
                    continue;
                }
                let needed = inst_alloc.fixed_registers(class);
                let must = is_taken && is_read || is_read_late;
                let to = match self.pick_free(value, !(self.registers.held[class] | needed)) {
                    None if must => Some(self.allocate_register(value, 0, needed, inst_alloc)?),
                    other => other,
                };
                let Some(to) = to else {
                    inst_alloc.evicted.push((value, register as u8));
                    self.evict(value, inst_alloc.inst);
                    continue;
                };
                inst_alloc.moves.push(Move {
                    class: value.class(),
                    from: reg_location(value.class(), register as u8),
                    to: reg_location(value.class(), to),
                });
                inst_alloc.pinned[class] |= bit(to);
                self.release(value, inst_alloc.inst);
                self.hold(value, to, inst_alloc.inst);
            }
        }
        inst_alloc.eviction_moves = inst_alloc.moves.len();
        Some(())
    }

    /// Copies operands into their fixed registers.
    fn copy_fixed_operands(&mut self, operands: &[Operand], inst_alloc: &mut InstAllocation) {
        let out = self.output.offsets[inst_alloc.inst as usize] as usize;
        for (at, operand) in operands.iter().enumerate().filter(|(_, operand)| is_use(operand)) {
            let Some(register) = fixed_register(operand) else { continue };
            let value = operand.vreg();
            let to = reg_location(value.class(), register);
            let from = inst_alloc.before(reg_location(value.class(), inst_alloc.home(self, value)));
            if from != to && inst_alloc.moves.iter().all(|moved| moved.to != to) {
                inst_alloc.moves.push(Move { class: value.class(), from, to });
            }
            self.output.allocs[out + at] = to;
        }
        for class in 0..3 {
            inst_alloc.early[class] |= inst_alloc.fixed_registers(class);
            inst_alloc.late[class] |= inst_alloc.fixed_temporaries[class] | inst_alloc.fixed_results[class];
        }
    }

    /// Assigns to operands the registers in which they are. Registers of operands without further use become free for
    /// results.
    fn assign_operands(&mut self, operands: &[Operand], first: usize, inst_alloc: &mut InstAllocation) {
        let out = self.output.offsets[inst_alloc.inst as usize] as usize;
        let mut dying: Registers = [0; 3];
        for (at, operand) in operands.iter().enumerate().filter(|(_, operand)| is_use(operand)) {
            let value = operand.vreg();
            let (class, home) = (class_of(value), inst_alloc.home(self, value));
            if self.uses.next_of_operand[first + at] == NEVER {
                dying[class] |= bit(home);
            }
            if operand.constraint() == OperandConstraint::Reg {
                self.output.allocs[out + at] = reg_location(value.class(), home);
                inst_alloc.early[class] |= bit(home);
                if is_late(operand) {
                    inst_alloc.late[class] |= bit(home);
                }
            }
        }
        for (class, dying) in dying.into_iter().enumerate() {
            inst_alloc.early[class] |= self.registers.held[class];
            inst_alloc.late[class] |= self.registers.held[class] & !dying;
        }
    }

    /// Assigns registers to results: first fixed and reused ones, then temporaries, then others.
    fn assign_results(
        &mut self,
        operands: &[Operand],
        first: usize,
        inst_alloc: &mut InstAllocation,
    ) -> Option<()> {
        let out = self.output.offsets[inst_alloc.inst as usize] as usize;
        let order = |operand: &Operand| match operand.constraint() {
            OperandConstraint::FixedReg(_) | OperandConstraint::Reuse(_) => 0,
            _ if is_late(operand) => 2,
            _ => 1,
        };
        for round in 0..3 {
            for (at, operand) in operands.iter().enumerate() {
                if is_use(operand) || order(operand) != round {
                    continue;
                }
                let (value, class) = (operand.vreg(), class_of(operand.vreg()));
                let register = match operand.constraint() {
                    OperandConstraint::FixedReg(register) => register.hw_enc() as u8,
                    OperandConstraint::Reuse(reused) => {
                        let dies = self.uses.next_of_operand[first + reused] == NEVER;
                        let (register, copied) =
                            self.reused_register(value, &operands[reused], dies, inst_alloc)?;
                        if copied {
                            self.output.allocs[out + reused] = reg_location(value.class(), register);
                        }
                        register
                    }
                    _ => {
                        let mut taken = inst_alloc.late[class];
                        if round == 1 {
                            taken |= inst_alloc.early[class];
                        }
                        self.allocate_register(value, !taken, inst_alloc.fixed_registers(class), inst_alloc)?
                    }
                };
                inst_alloc.early[class] |= bit(register);
                inst_alloc.late[class] |= bit(register);
                inst_alloc.pinned[class] |= bit(register);
                self.output.allocs[out + at] = reg_location(value.class(), register);
                inst_alloc.defs.push((value, register, self.uses.next_of_operand[first + at] == NEVER));
            }
        }
        Some(())
    }

    /// Returns the register of a result that reuses the one of an operand, and whether the operand must be copied into
    /// it.
    fn reused_register(
        &mut self,
        value: VReg,
        read: &Operand,
        dies: bool,
        inst_alloc: &mut InstAllocation,
    ) -> Option<(u8, bool)> {
        if read.constraint() != OperandConstraint::Reg {
            return None;
        }
        let (class, home) = (class_of(value), inst_alloc.home(self, read.vreg()));
        if dies && inst_alloc.late[class] & bit(home) == 0 {
            return Some((home, false));
        }
        let taken = inst_alloc.early[class] | inst_alloc.late[class];
        let register =
            self.allocate_register(value, !taken, inst_alloc.fixed_registers(class), inst_alloc)?;
        let from = inst_alloc.before(reg_location(value.class(), home));
        inst_alloc.moves.push(Move { class: value.class(), from, to: reg_location(value.class(), register) });
        Some((register, true))
    }
}
