//! Local part of spilling: processes a block and decides which values are in registers at each instruction.

use iced_x86::OpKind;
use regalloc2::{Operand, OperandConstraint, OperandKind, OperandPos, RegClass, VReg};
use smallvec::SmallVec;

use super::super::inst::{AddrBase, Amode, Hole, InstBuilder, InstKind, OperandSlot};
use super::super::vcode::{FrameSlot, VCode};
use super::super::vec_ops::VecOp;
use super::spill::{NEVER, NONE, Spiller, VregFacts, bits, is};
use crate::support::FastSet;

/// Number of instructions within which the next use must be for a value to be reloaded; otherwise it becomes a memory
/// operand if registers are full.
// Arbitrary.
const FAR: u32 = 16;

/// Value in a register.
#[derive(Clone, Copy)]
struct HeldValue {
    value: VReg,
    register: VReg,
    next: u32,
}

/// State of processing a block.
struct Here {
    block: usize,
    end: u32,
    room: usize,
    is_made: bool,
    /// Number of live values that are in their register in the whole block.
    stay: usize,
    held: Vec<HeldValue>,
}

/// Operand that is read from memory.
#[derive(Clone, Copy)]
struct Folded {
    operand: usize,
    /// Operand that is the last source, and its number in the instruction. It differs from `operand` if the two sources
    /// are swapped.
    last: usize,
    number: u8,
}

impl Spiller<'_> {
    /// Processes a block. Where registers are full, values are spilled. Without `output` only the values are noted that
    /// must be in memory between blocks. Returns the new index of each instruction.
    pub fn go_through(&mut self, block: usize, made: &mut Option<VCode>) -> Vec<u32> {
        self.look_ahead(block);
        let insts = self.code.insts_of(block);
        let room = if self.is_tight[block] { self.room } else { usize::MAX };
        let mut here =
            Here { block, end: insts.end, room, is_made: made.is_some(), stay: 0, held: Vec::new() };
        let live = bits(&self.live_in[block]).map(|global| self.globals[global]);
        for value in live.chain(self.params(block)).collect::<Vec<VReg>>() {
            if !self.known[value.vreg()].is_away {
                self.enter(&mut here, value, self.seen[value.vreg()]);
            }
        }
        for (value, param) in self.handed_over(block, true) {
            let is_alive = self.known[param.vreg()].home as usize == block || self.is_alive(param, block);
            self.known[param.vreg()].is_over = !is_alive || self.seen[param.vreg()] == NEVER;
            self.known[value.vreg()].goal = param.vreg() as u32;
        }
        let mut places = Vec::with_capacity(insts.len());
        for index in insts {
            places.push(made.as_ref().map_or(0, |made| made.insts.len() as u32));
            self.step(&mut here, index, made);
        }
        for held in here.held {
            self.at[held.value.vreg()] = NONE;
        }
        places
    }

    /// Lets a value be in its register from here on.
    fn enter(&mut self, here: &mut Here, value: VReg, next: u32) {
        if next == NEVER {
            return;
        }
        if self.stays(here, value) {
            here.stay += 1;
        } else {
            self.hold(here, HeldValue { value, register: value, next });
        }
    }

    fn hold(&mut self, here: &mut Here, held: HeldValue) {
        self.at[held.value.vreg()] = here.held.len() as u32;
        here.held.push(held);
    }

    fn release(&mut self, here: &mut Here, at: usize) -> HeldValue {
        let held = here.held.swap_remove(at);
        self.at[held.value.vreg()] = NONE;
        if let Some(other) = here.held.get(at) {
            self.at[other.value.vreg()] = at as u32;
        }
        held
    }

    /// Checks whether a value is in its register in the whole current block.
    fn stays(&self, here: &Here, value: VReg) -> bool {
        let known = &self.known[value.vreg()];
        known.global != NONE
            && !known.is_away
            && (here.is_made || known.depth > self.code.blocks[here.block].depth)
    }

    /// Checks whether a value is in a register at the current instruction.
    fn is_there(&self, here: &Here, value: VReg) -> bool {
        self.at[value.vreg()] != NONE || self.stays(here, value)
    }

    /// Processes one instruction.
    fn step(&mut self, here: &mut Here, index: u32, made: &mut Option<VCode>) {
        let mut uses = self.uses(index);
        if index + 1 == here.end {
            for (arg, _) in self.handed_over(here.block, false) {
                if !uses.iter().any(|(value, _)| *value == arg) {
                    uses.push((arg, NEVER));
                }
            }
        }
        let folded = self.folded(here, index, &uses);
        let folded_value = folded.map(|folded| self.code.operands[folded.operand].vreg());
        let mut missing: SmallVec<[VReg; 6]> = SmallVec::new();
        for &(value, next) in &uses {
            if !self.is_there(here, value) && Some(value) != folded_value {
                self.hold(here, HeldValue { value, register: value, next });
                missing.push(value);
            }
        }
        self.make_room(here, index, &uses, made);
        let loc = self.code.insts[index as usize].loc;
        for value in missing {
            if let Some(made) = made {
                let register = self.code.vreg(RegClass::Float);
                here.held[self.at[value.vreg()] as usize].register = register;
                self.load(value, register, loc, made);
            }
        }
        if index + 1 == here.end {
            self.hand_over(here, loc, made);
        }
        let results: SmallVec<[(VReg, u32); 4]> = self
            .code
            .operands_at(index)
            .filter(|&at| is(&self.code.operands[at], OperandKind::Def))
            .map(|at| (self.code.operands[at].vreg(), self.next[at]))
            .collect();
        // A constant that is used in other blocks only is rematerialized there.
        let is_needed = results.iter().all(|&(value, next)| {
            let known = &self.known[value.vreg()];
            !(known.is_away && known.maker == index && next >= here.end)
        });
        if let Some(made) = made.as_mut().filter(|_| is_needed) {
            self.emit(here, index, folded, made);
        }
        if index + 1 == here.end && here.is_made {
            let mut args = std::mem::take(&mut self.code.blocks[here.block].args);
            for arg in args.iter_mut().flatten().filter(|arg| arg.class() == RegClass::Float) {
                *arg = self.register(here, *arg);
            }
            self.code.blocks[here.block].args = args;
        }
        for (value, next) in uses {
            let at = self.at[value.vreg()];
            if next != NEVER {
                if let Some(held) = here.held.get_mut(at as usize) {
                    held.next = next;
                }
                continue;
            }
            if at != NONE {
                self.release(here, at as usize);
            } else if Some(value) != folded_value {
                here.stay = here.stay.saturating_sub(1);
            }
            self.known[value.vreg()].is_over = true;
            self.give_back(value);
        }
        if is_needed {
            for (value, next) in results {
                self.enter(here, value, next);
                self.keep(value, made);
            }
        }
    }

    /// Frees the slot of a value that has no further use.
    fn give_back(&mut self, value: VReg) {
        let known = &mut self.known[value.vreg()];
        if known.global == NONE && known.slot != NONE && known.slot >= self.reserved {
            self.free.push(std::mem::replace(&mut known.slot, NONE));
        }
    }

    /// Stores the arguments of spilled parameters.
    fn hand_over(&mut self, here: &mut Here, loc: u32, made: &mut Option<VCode>) {
        let args = self.handed_over(here.block, true);
        if let Some(made) = made {
            // Arguments that are in memory only, and the slots that they are copied to.
            let mut moved: SmallVec<[(VReg, u32); 8]> = SmallVec::new();
            let mut stored: SmallVec<[(VReg, u32); 8]> = SmallVec::new();
            for &(value, param) in &args {
                let to = self.known[param.vreg()].slot;
                if value == param || self.known[value.vreg()].slot == to {
                    continue;
                } else if self.is_there(here, value) {
                    stored.push((self.register(here, value), to));
                } else {
                    moved.push((value, to));
                }
            }
            // No slot is written before it has been read.
            let read: FastSet<u32> = moved.iter().map(|(value, _)| self.known[value.vreg()].slot).collect();
            let mut last: SmallVec<[(VReg, u32); 8]> = SmallVec::new();
            for (value, to) in moved {
                let register = self.code.vreg(RegClass::Float);
                self.load(value, register, loc, made);
                if read.contains(&to) {
                    last.push((register, to));
                } else {
                    self.store_to(to, register, loc, made);
                }
            }
            for (register, to) in stored.into_iter().chain(last) {
                self.store_to(to, register, loc, made);
            }
        }
        for (value, _) in args {
            self.known[value.vreg()].goal = NONE;
            self.give_back(value);
        }
    }

    /// Spills the values with the farthest next use until the operands of an instruction fit into the registers.
    fn make_room(&mut self, here: &mut Here, index: u32, uses: &[(VReg, u32)], made: &mut Option<VCode>) {
        let (mut late, mut early, mut held_on) = (0, 0, false);
        for at in self.code.operands_at(index) {
            let operand = self.code.operands[at];
            let is_late = operand.pos() == OperandPos::Late;
            if is(&operand, OperandKind::Def) {
                *(if is_late { &mut late } else { &mut early }) += 1;
            } else if is(&operand, OperandKind::Use) {
                held_on |= is_late;
            }
        }
        let is_over = |&&(value, next): &&(VReg, u32)| next == NEVER && self.is_there(here, value);
        let over = if held_on { 0 } else { uses.iter().filter(is_over).count() };
        loop {
            let there = here.held.len() + here.stay;
            if (there + early).max(there + late - over.min(there)) <= here.room {
                break;
            }
            let is_used = |value: VReg| uses.iter().any(|(used, _)| *used == value);
            let others = (0..here.held.len()).filter(|&at| !is_used(here.held[at].value));
            let Some(last) = others.max_by_key(|&at| here.held[at].next) else { break };
            let gone = self.release(here, last);
            let known = &mut self.known[gone.value.vreg()];
            match made {
                None => {
                    let is_new = known.is_param && gone.next == self.seen[gone.value.vreg()];
                    known.is_away |= known.global != NONE || is_new && known.home as usize == here.block;
                }
                Some(_) if known.maker != NONE || known.slot != NONE => {}
                Some(made) => {
                    let loc = self.code.insts[index as usize].loc;
                    self.store(gone.value, gone.register, loc, made);
                }
            }
        }
    }

    /// Returns the register that holds a value.
    fn register(&self, here: &Here, value: VReg) -> VReg {
        here.held.get(self.at[value.vreg()] as usize).map_or(value, |held| held.register)
    }

    /// Stores a value after its definition if it is in memory between blocks.
    fn keep(&mut self, value: VReg, made: &mut Option<VCode>) {
        let known = &self.known[value.vreg()];
        if let Some(made) = made
            && known.is_away
            && known.maker == NONE
            && !known.is_param
        {
            let loc = made.insts.last().map_or(0, |inst| inst.loc);
            self.store(value, value, loc, made);
        }
    }

    fn store(&mut self, value: VReg, register: VReg, loc: u32, made: &mut VCode) {
        let VregFacts { global, goal, .. } = self.known[value.vreg()];
        let after = self.known.get(goal as usize).filter(|param| global == NONE && param.is_over);
        let slot = after.map(|param| param.slot).unwrap_or_else(|| self.slot());
        self.known[value.vreg()].slot = slot;
        self.store_to(slot, register, loc, made);
    }

    fn store_to(&self, slot: u32, register: VReg, loc: u32, made: &mut VCode) {
        let to = Amode::frame(slot, 0);
        made.push(InstBuilder::row(VecOp::Vmovdqas, self.code.widest).mem(to).read(register), loc);
    }

    pub fn slot(&mut self) -> u32 {
        self.free.pop().unwrap_or_else(|| {
            let size = self.code.widest.bytes();
            self.code.slots.push(FrameSlot { size, align: size });
            self.code.slots.len() as u32 - 1
        })
    }

    fn is_alive(&self, value: VReg, block: usize) -> bool {
        let global = self.known[value.vreg()].global;
        global != NONE && self.live_in[block][global as usize / 64] >> (global % 64) & 1 == 1
    }

    fn load(&self, value: VReg, register: VReg, loc: u32, made: &mut VCode) {
        let VregFacts { maker, slot, .. } = self.known[value.vreg()];
        debug_assert!(maker != NONE || slot != NONE, "{value} is nowhere");
        if maker == NONE {
            let from = Amode::frame(slot, 0);
            made.push(InstBuilder::row(VecOp::Vmovdqa, self.code.widest).def(register).mem(from), loc);
            return;
        }
        let inst = &self.code.insts[maker as usize];
        let at = inst.from as usize;
        let operand = self.code.operands[at];
        let again = Operand::new(register, operand.constraint(), operand.kind(), operand.pos());
        made.push(InstBuilder::again(inst.clone(), [(again, self.code.holes[at])]), loc);
    }

    /// Returns the operand that an instruction can read from memory: its last source, or the one before if they can be
    /// swapped.
    fn folded(&self, here: &Here, index: u32, uses: &[(VReg, u32)]) -> Option<Folded> {
        let inst = &self.code.insts[index as usize];
        let (row, _) = inst.row.filter(|_| matches!(inst.kind, InstKind::Plain))?;
        let operands = self.code.operands_at(index);
        let holes = &self.code.holes[operands.clone()];
        let is_plain = |hole: &Hole| !matches!(hole.place, OperandSlot::Base | OperandSlot::Index);
        if inst.anchor != AddrBase::Nothing || !row.form().takes_memory || !holes.iter().all(is_plain) {
            return None;
        }
        let number = |at: usize| match self.code.holes[at].place {
            OperandSlot::Operand(number) => Some(number),
            _ => None,
        };
        let last = operands.clone().filter_map(number).max()?;
        let is_read = |at: &usize| {
            let operand = self.code.operands[*at];
            let place = at - operands.start;
            let is_changed =
                |other: usize| self.code.operands[other].constraint() == OperandConstraint::Reuse(place);
            is(&operand, OperandKind::Use)
                && operand.pos() == OperandPos::Early
                && operand.constraint() == OperandConstraint::Reg
                && !operands.clone().any(is_changed)
        };
        let in_last = operands.clone().find(|&at| number(at) == Some(last)).filter(is_read)?;
        let before =
            operands.clone().filter(|_| is_commutative(row)).find(|&at| number(at) == Some(last - 1));
        [Some(in_last), before.filter(is_read)].into_iter().flatten().find_map(|operand| {
            let value = self.code.operands[operand].vreg();
            let known = &self.known[value.vreg()];
            let times = operands.clone().filter(|&at| self.code.operands[at].vreg() == value).count();
            let next = uses.iter().find(|(used, _)| *used == value)?.1;
            let is_full = here.held.len() + here.stay >= here.room;
            let is_far = next >= here.end || is_full && next > index + FAR;
            let is_read = !self.is_there(here, value) && known.maker == NONE && times == 1 && is_far;
            is_read.then_some(Folded { operand, last: in_last, number: last })
        })
    }

    fn emit(&self, here: &Here, index: u32, folded: Option<Folded>, made: &mut VCode) {
        let mut inst = self.code.insts[index as usize].clone();
        let operands = self.code.operands_at(index);
        if let Some(folded) = folded {
            inst.template.set_op_kind(u32::from(folded.number), OpKind::Memory);
            inst.anchor = AddrBase::Frame(self.known[self.code.operands[folded.operand].vreg().vreg()].slot);
        }
        let left = folded.map_or(usize::MAX, |folded| folded.operand - operands.start);
        let kept = operands.clone().filter(|&at| folded.is_none_or(|folded| folded.operand != at));
        let renamed = kept.map(|at| {
            let (operand, mut hole) = (self.code.operands[at], self.code.holes[at]);
            if let Some(folded) = folded.filter(|folded| folded.last == at) {
                hole = self.code.holes[folded.operand];
            }
            let is_read = is(&operand, OperandKind::Use);
            let register = if is_read { self.register(here, operand.vreg()) } else { operand.vreg() };
            let constraint = match operand.constraint() {
                OperandConstraint::Reuse(place) if place > left => OperandConstraint::Reuse(place - 1),
                other => other,
            };
            (Operand::new(register, constraint, operand.kind(), operand.pos()), hole)
        });
        let loc = inst.loc;
        made.push(InstBuilder::again(inst, renamed), loc);
    }
}

/// Checks whether the two sources can be swapped.
fn is_commutative(row: VecOp) -> bool {
    use VecOp as R;
    matches!(
        row,
        R::Vpaddb
            | R::Vpaddw
            | R::Vpaddd
            | R::Vpaddq
            | R::Vpand
            | R::Vpor
            | R::Vpxor
            | R::Vpmullw
            | R::Vpmulld
    )
}
