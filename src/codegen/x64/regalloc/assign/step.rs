//! Register assignment of one instruction.

use regalloc2::{Allocation, Edit, Function, Operand, OperandConstraint, VReg};
use smallvec::SmallVec;

use super::live::NEVER;
use super::{
    Assigner, CLASSES, Move, NOBODY, NONE, Registers, bit, class_of, fixed, is_late, is_use, place, point,
};
use crate::support::ones;

/// Registers and moves of one instruction.
#[derive(Default)]
struct InstAllocation {
    inst: u32,
    /// Moves before the instruction: the first ones make room, the others copy into fixed registers.
    moves: SmallVec<[Move; 8]>,
    making_room: usize,
    /// Values that were spilled, and the registers in which the instruction still reads them.
    gone: SmallVec<[(VReg, u8); 4]>,
    /// Fixed registers of the instruction: those that are read, written before all operands are read, and written at
    /// the end.
    read: Registers,
    written: Registers,
    results: Registers,
    /// Registers that must not be spilled, since operands are in them; and those that are occupied at the beginning and
    /// at the end of the instruction.
    pinned: Registers,
    early: Registers,
    late: Registers,
    /// Results with their registers; true if the result is unused.
    made: SmallVec<[(VReg, u8, bool); 4]>,
}

impl InstAllocation {
    fn needed(&self, class: usize) -> u32 {
        self.read[class] | self.written[class] | self.results[class]
    }

    /// Returns the location before the moves of what is in `home` after them.
    fn before(&self, home: Allocation) -> Allocation {
        let moved = &self.moves[..self.making_room];
        moved.iter().find(|moved| moved.to == home).map_or(home, |moved| moved.from)
    }

    /// Returns the register in which a value is read.
    fn home(&self, assigner: &Assigner<'_>, value: VReg) -> u8 {
        let gone = self.gone.iter().find(|gone| gone.0 == value);
        gone.map_or(assigner.home[value.vreg()], |gone| gone.1)
    }
}

impl Assigner<'_> {
    /// Assigns registers to an instruction.
    pub fn step(&mut self, inst: u32) -> Option<()> {
        let code = self.code;
        let range = self.code.operands_at(inst);
        let is_call = code.insts[inst as usize].is_call;
        if range.is_empty() && !is_call {
            return Some(());
        }
        let (first, operands) = (range.start, &code.operands[range]);
        let mut around = InstAllocation { inst, ..InstAllocation::default() };
        let is_plain = !is_call && operands.iter().all(|operand| fixed(operand).is_none());
        if !is_plain {
            self.note_fixed(operands, &mut around);
        }
        self.bring_back(operands, &mut around)?;
        if !is_plain {
            self.make_way(operands, &mut around)?;
            self.bring_copies(operands, &mut around);
        }
        self.reads(operands, first, &mut around);
        self.results(operands, first, &mut around)?;
        let busy = std::array::from_fn(|class| around.early[class] | around.late[class] | self.held[class]);
        self.make_moves(inst, std::mem::take(&mut around.moves), busy);
        for (at, operand) in operands.iter().enumerate().filter(|(_, operand)| is_use(operand)) {
            let value = operand.vreg();
            self.next[value.vreg()] = self.next_of[first + at];
            if self.next_of[first + at] == NEVER && self.is_held(value) {
                self.release(value, inst + 1);
                self.give_back_slot(value);
            }
        }
        for (value, register, is_over) in around.made {
            self.is_stored[value.vreg()] = false;
            if !is_over {
                self.hold(value, register, inst + 1);
            }
        }
        Some(())
    }

    fn is_held(&self, value: VReg) -> bool {
        let home = self.home[value.vreg()];
        home != NONE && self.holder[class_of(value)][usize::from(home)] == value.vreg() as u32
    }

    /// Frees the slot of a value without uses in other blocks after its last use.
    fn give_back_slot(&mut self, value: VReg) {
        let slot = self.slots[value.vreg()];
        if slot != NOBODY && self.global[value.vreg()] == NOBODY && self.entry_of[value.vreg()] == NONE {
            self.free_slots[class_of(value)].push(slot);
            self.slots[value.vreg()] = NOBODY;
        }
    }

    /// Returns a register for a value: one of `free`, or one whose value is spilled. Registers in `taken` are not
    /// spilled.
    fn obtain(&mut self, value: VReg, free: u32, taken: u32, around: &mut InstAllocation) -> Option<u8> {
        if let Some(register) = self.pick(value, free) {
            return Some(register);
        }
        let class = class_of(value);
        let could = self.held[class] & self.usable[class] & !(around.pinned[class] | taken);
        let last = ones(u64::from(could)).max_by_key(|&register| {
            let holder = self.holder[class][register] as usize;
            (self.next[holder], std::cmp::Reverse(self.weights[holder]))
        })?;
        let gone = VReg::new(self.holder[class][last] as usize, CLASSES[class]);
        self.evict(gone, around.inst);
        around.early[class] &= !bit(last as u8);
        around.late[class] &= !bit(last as u8);
        Some(last as u8)
    }

    /// Notes the fixed registers of an instruction.
    fn note_fixed(&mut self, operands: &[Operand], around: &mut InstAllocation) {
        for operand in operands {
            let Some(register) = fixed(operand) else { continue };
            let (class, register) = (class_of(operand.vreg()), bit(register));
            match (is_use(operand), is_late(operand)) {
                (true, _) => around.read[class] |= register,
                (false, false) => around.written[class] |= register,
                (false, true) => around.results[class] |= register,
            }
            if is_late(operand) {
                around.results[class] |= register;
            }
        }
        if self.code.insts[around.inst as usize].is_call {
            for register in self.code.inst_clobbers(regalloc2::Inst::new(around.inst as usize)) {
                around.results[register.class() as usize] |= bit(register.hw_enc() as u8);
            }
        }
    }

    /// Reloads operands that are in memory.
    fn bring_back(&mut self, operands: &[Operand], around: &mut InstAllocation) -> Option<()> {
        let reads = || operands.iter().filter(|operand| is_use(operand));
        for operand in reads() {
            let home = self.home[operand.vreg().vreg()];
            if home != NONE {
                around.pinned[class_of(operand.vreg())] |= bit(home);
            }
        }
        for operand in reads() {
            let (value, class) = (operand.vreg(), class_of(operand.vreg()));
            if self.home[value.vreg()] != NONE {
                continue;
            }
            let wanted = fixed(operand).filter(|&register| self.held[class] & bit(register) == 0);
            let needed = around.needed(class);
            let register = match wanted {
                Some(register) => register,
                None => self.obtain(value, !(self.held[class] | needed), needed, around)?,
            };
            let (from, to) = (self.slot(value), place(value.class(), register));
            self.edits.push((point(around.inst), Edit::Move { from, to }));
            self.end_stay(value, around.inst);
            self.hold(value, register, around.inst);
            around.pinned[class] |= bit(register);
        }
        Some(())
    }

    /// Moves values out of the fixed registers of an instruction, unless they are its operands there.
    fn make_way(&mut self, operands: &[Operand], around: &mut InstAllocation) -> Option<()> {
        let first = self.code.operands_at(around.inst).start;
        for of in CLASSES {
            let class = of as usize;
            for register in ones(u64::from(self.held[class] & around.needed(class))) {
                let holder = self.holder[class][register] as usize;
                let (value, at) = (VReg::new(holder, of), bit(register as u8));
                let (mut dies, mut is_mine, mut is_read, mut is_read_late) = (false, false, false, false);
                for (number, operand) in operands.iter().enumerate() {
                    if !is_use(operand) || operand.vreg() != value {
                        continue;
                    }
                    dies |= self.next_of[first + number] == NEVER;
                    is_mine |= fixed(operand) == Some(register as u8);
                    is_read |= fixed(operand).is_none();
                    is_read_late |= fixed(operand).is_none() && is_late(operand);
                }
                let is_taken = around.read[class] & at != 0 && !is_mine || around.written[class] & at != 0;
                let stays = !dies || is_read_late;
                let goes = is_taken && (stays || is_read) || around.results[class] & at != 0 && stays;
                if !goes {
                    continue;
                }
                let needed = around.needed(class);
                let must = is_taken && is_read || is_read_late;
                let to = match self.pick(value, !(self.held[class] | needed)) {
                    None if must => Some(self.obtain(value, 0, needed, around)?),
                    other => other,
                };
                let Some(to) = to else {
                    around.gone.push((value, register as u8));
                    self.evict(value, around.inst);
                    continue;
                };
                around.moves.push(Move {
                    class: value.class(),
                    from: place(value.class(), register as u8),
                    to: place(value.class(), to),
                });
                around.pinned[class] |= bit(to);
                self.release(value, around.inst);
                self.hold(value, to, around.inst);
            }
        }
        around.making_room = around.moves.len();
        Some(())
    }

    /// Copies operands into their fixed registers.
    fn bring_copies(&mut self, operands: &[Operand], around: &mut InstAllocation) {
        let out = self.offsets[around.inst as usize] as usize;
        for (at, operand) in operands.iter().enumerate().filter(|(_, operand)| is_use(operand)) {
            let Some(register) = fixed(operand) else { continue };
            let value = operand.vreg();
            let to = place(value.class(), register);
            let from = around.before(place(value.class(), around.home(self, value)));
            if from != to && around.moves.iter().all(|moved| moved.to != to) {
                around.moves.push(Move { class: value.class(), from, to });
            }
            self.allocs[out + at] = to;
        }
        for class in 0..3 {
            around.early[class] |= around.needed(class);
            around.late[class] |= around.written[class] | around.results[class];
        }
    }

    /// Assigns to operands the registers in which they are. Registers of operands without further use become free for
    /// results.
    fn reads(&mut self, operands: &[Operand], first: usize, around: &mut InstAllocation) {
        let out = self.offsets[around.inst as usize] as usize;
        let mut dying: Registers = [0; 3];
        for (at, operand) in operands.iter().enumerate().filter(|(_, operand)| is_use(operand)) {
            let value = operand.vreg();
            let (class, home) = (class_of(value), around.home(self, value));
            if self.next_of[first + at] == NEVER {
                dying[class] |= bit(home);
            }
            if operand.constraint() == OperandConstraint::Reg {
                self.allocs[out + at] = place(value.class(), home);
                around.early[class] |= bit(home);
                if is_late(operand) {
                    around.late[class] |= bit(home);
                }
            }
        }
        for (class, dying) in dying.into_iter().enumerate() {
            around.early[class] |= self.held[class];
            around.late[class] |= self.held[class] & !dying;
        }
    }

    /// Assigns registers to results: first fixed and reused ones, then temporaries, then others.
    fn results(&mut self, operands: &[Operand], first: usize, around: &mut InstAllocation) -> Option<()> {
        let out = self.offsets[around.inst as usize] as usize;
        let order = |operand: &Operand| match operand.constraint() {
            OperandConstraint::FixedReg(_) | OperandConstraint::Reuse(_) => 0,
            _ if is_late(operand) => 2,
            _ => 1,
        };
        for turn in 0..3 {
            for (at, operand) in operands.iter().enumerate() {
                if is_use(operand) || order(operand) != turn {
                    continue;
                }
                let (value, class) = (operand.vreg(), class_of(operand.vreg()));
                let register = match operand.constraint() {
                    OperandConstraint::FixedReg(register) => register.hw_enc() as u8,
                    OperandConstraint::Reuse(reused) => {
                        let dies = self.next_of[first + reused] == NEVER;
                        let (register, copied) = self.replaced(value, &operands[reused], dies, around)?;
                        if copied {
                            self.allocs[out + reused] = place(value.class(), register);
                        }
                        register
                    }
                    _ => {
                        let mut taken = around.late[class];
                        if turn == 1 {
                            taken |= around.early[class];
                        }
                        self.obtain(value, !taken, around.needed(class), around)?
                    }
                };
                around.early[class] |= bit(register);
                around.late[class] |= bit(register);
                around.pinned[class] |= bit(register);
                self.allocs[out + at] = place(value.class(), register);
                around.made.push((value, register, self.next_of[first + at] == NEVER));
            }
        }
        Some(())
    }

    /// Returns the register of a result that reuses the one of an operand, and whether the operand must be copied into
    /// it.
    fn replaced(
        &mut self,
        value: VReg,
        read: &Operand,
        dies: bool,
        around: &mut InstAllocation,
    ) -> Option<(u8, bool)> {
        if read.constraint() != OperandConstraint::Reg {
            return None;
        }
        let (class, home) = (class_of(value), around.home(self, read.vreg()));
        if dies && around.late[class] & bit(home) == 0 {
            return Some((home, false));
        }
        let taken = around.early[class] | around.late[class];
        let register = self.obtain(value, !taken, around.needed(class), around)?;
        let from = around.before(place(value.class(), home));
        around.moves.push(Move { class: value.class(), from, to: place(value.class(), register) });
        Some((register, true))
    }
}
