//! Local part of spilling: processes a block and decides which values are in registers at each instruction.

use iced_x86::OpKind;
use regalloc2::{Operand, OperandConstraint, OperandKind, OperandPos, RegClass, VReg};
use smallvec::SmallVec;

use super::super::inst::{AddrBase, Amode, InstBuilder, InstKind, OperandSlot, RegField};
use super::super::vcode::{FrameSlot, VCode};
use super::super::vec_ops::VecOp;
use super::spill::{INNER_USE_DISTANCE, NEVER, NONE, Spiller, VregFacts, bits, is_vector};
use grus_support::FastSet;

/// Number of instructions within which the next use must be for a value to be reloaded; otherwise it becomes a memory
/// operand if registers are full.
// Arbitrary.
const RELOAD_DISTANCE: u32 = 16;

/// Value in a register.
#[derive(Clone, Copy)]
struct HeldValue {
    value: VReg,
    register: VReg,
    next: u32,
}

/// State of processing a block.
struct BlockState {
    block: usize,
    end: u32,
    register_limit: usize,
    is_rewriting: bool,
    /// Number of live values that are in their register in the whole block.
    resident: usize,
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
    pub fn process_block(&mut self, block: usize, output: &mut Option<VCode>) -> Vec<u32> {
        self.compute_next_uses(block);
        let insts = self.code.insts_of(block);
        let register_limit = if self.is_tight[block] { self.register_limit } else { usize::MAX };
        let mut state = BlockState {
            block,
            end: insts.end,
            register_limit,
            is_rewriting: output.is_some(),
            resident: 0,
            held: Vec::new(),
        };
        let live = bits(&self.live_in[block]).map(|global| self.globals[global]);
        for value in live.chain(self.params(block)).collect::<Vec<VReg>>() {
            if !self.facts[value.vreg()].is_spilled {
                self.enter(&mut state, value, self.next_in_block[value.vreg()]);
            }
        }
        for (value, param) in self.passed_args(block, true) {
            let is_alive =
                self.facts[param.vreg()].def_block as usize == block || self.is_alive(param, block);
            self.facts[param.vreg()].is_dead = !is_alive || self.next_in_block[param.vreg()] == NEVER;
            self.facts[value.vreg()].param_target = param.vreg() as u32;
        }
        let mut new_indices = Vec::with_capacity(insts.len());
        for index in insts {
            new_indices.push(output.as_ref().map_or(0, |output| output.insts.len() as u32));
            self.process_inst(&mut state, index, output);
        }
        for held in state.held {
            self.held_index[held.value.vreg()] = NONE;
        }
        new_indices
    }

    /// Lets a value be in its register from here on.
    fn enter(&mut self, state: &mut BlockState, value: VReg, next: u32) {
        if next == NEVER || self.is_unconsidered(value, state.block) {
            return;
        }
        if self.is_resident(state, value) {
            state.resident += 1;
        } else {
            self.hold(state, HeldValue { value, register: value, next });
        }
    }

    fn hold(&mut self, state: &mut BlockState, held: HeldValue) {
        self.held_index[held.value.vreg()] = state.held.len() as u32;
        state.held.push(held);
    }

    fn release(&mut self, state: &mut BlockState, at: usize) -> HeldValue {
        let held = state.held.swap_remove(at);
        self.held_index[held.value.vreg()] = NONE;
        if let Some(other) = state.held.get(at) {
            self.held_index[other.value.vreg()] = at as u32;
        }
        held
    }

    /// Checks whether a value is in its register in the whole current block.
    fn is_resident(&self, state: &BlockState, value: VReg) -> bool {
        let facts = &self.facts[value.vreg()];
        facts.global_index != NONE
            && !facts.is_spilled
            && (state.is_rewriting || facts.use_rank > self.code.blocks[state.block].frequency_rank())
    }

    /// Checks whether a value is in a register at the current instruction.
    fn is_in_register(&self, state: &BlockState, value: VReg) -> bool {
        self.held_index[value.vreg()] != NONE || self.is_resident(state, value)
    }

    /// Processes one instruction.
    fn process_inst(&mut self, state: &mut BlockState, index: u32, output: &mut Option<VCode>) {
        let mut uses = self.uses(index);
        if index + 1 == state.end {
            for (arg, _) in self.passed_args(state.block, false) {
                if !uses.iter().any(|(value, _)| *value == arg) {
                    uses.push((arg, NEVER));
                }
            }
        }
        let folded = self.folded(state, index, &uses);
        let folded_value = folded.map(|folded| self.code.operands[folded.operand].vreg());
        let mut missing: SmallVec<[VReg; 6]> = SmallVec::new();
        for &(value, next) in &uses {
            if !self.is_in_register(state, value) && Some(value) != folded_value {
                self.hold(state, HeldValue { value, register: value, next });
                missing.push(value);
            }
        }
        self.spill_for_operands(state, index, &uses, output);
        let loc = self.code.insts[index as usize].loc;
        for value in missing {
            if let Some(output) = output {
                let register = self.code.vreg(RegClass::Float);
                state.held[self.held_index[value.vreg()] as usize].register = register;
                self.load(value, register, loc, output);
            }
        }
        if index + 1 == state.end {
            self.store_spilled_args(state, loc, output);
        }
        let results: SmallVec<[(VReg, u32); 4]> = self
            .code
            .operands_at(index)
            .filter(|&at| is_vector(&self.code.operands[at], OperandKind::Def))
            .map(|at| (self.code.operands[at].vreg(), self.next_after[at]))
            .collect();
        // A constant that is used in other blocks only is rematerialized there.
        let is_needed = results.iter().all(|&(value, next)| {
            let facts = &self.facts[value.vreg()];
            !(facts.is_spilled && facts.remat_inst == index && next >= state.end)
        });
        if let Some(output) = output.as_mut().filter(|_| is_needed) {
            self.emit(state, index, folded, output);
        }
        if index + 1 == state.end && state.is_rewriting {
            let mut args = std::mem::take(&mut self.code.blocks[state.block].args);
            for arg in args.iter_mut().flatten().filter(|arg| arg.class() == RegClass::Float) {
                *arg = self.register(state, *arg);
            }
            self.code.blocks[state.block].args = args;
        }
        for (value, next) in uses {
            let at = self.held_index[value.vreg()];
            if next != NEVER {
                if let Some(held) = state.held.get_mut(at as usize) {
                    held.next = next;
                }
                continue;
            }
            if at != NONE {
                self.release(state, at as usize);
            } else if Some(value) != folded_value && !self.is_unconsidered(value, state.block) {
                state.resident = state.resident.saturating_sub(1);
            }
            self.facts[value.vreg()].is_dead = true;
            self.free_slot(value);
        }
        if is_needed {
            for (value, next) in results {
                self.enter(state, value, next);
                self.store_definition(value, output);
            }
        }
    }

    /// Frees the slot of a value that has no further use.
    fn free_slot(&mut self, value: VReg) {
        let facts = &mut self.facts[value.vreg()];
        if facts.global_index == NONE && facts.slot != NONE && facts.slot >= self.reserved_slots {
            self.free_slots.push(std::mem::replace(&mut facts.slot, NONE));
        }
    }

    /// Stores the arguments of spilled parameters.
    fn store_spilled_args(&mut self, state: &mut BlockState, loc: u32, output: &mut Option<VCode>) {
        let args = self.passed_args(state.block, true);
        if let Some(output) = output {
            // Arguments that are in memory only, and the slots that they are copied to.
            let mut moved: SmallVec<[(VReg, u32); 8]> = SmallVec::new();
            let mut stored: SmallVec<[(VReg, u32); 8]> = SmallVec::new();
            for &(value, param) in &args {
                let to = self.facts[param.vreg()].slot;
                if value == param || self.facts[value.vreg()].slot == to {
                    continue;
                } else if self.is_in_register(state, value) {
                    stored.push((self.register(state, value), to));
                } else {
                    moved.push((value, to));
                }
            }
            // No slot is written before it has been read.
            let read: FastSet<u32> = moved.iter().map(|(value, _)| self.facts[value.vreg()].slot).collect();
            let mut last: SmallVec<[(VReg, u32); 8]> = SmallVec::new();
            for (value, to) in moved {
                let register = self.code.vreg(RegClass::Float);
                self.load(value, register, loc, output);
                if read.contains(&to) {
                    last.push((register, to));
                } else {
                    self.store_to(to, register, loc, output);
                }
            }
            for (register, to) in stored.into_iter().chain(last) {
                self.store_to(to, register, loc, output);
            }
        }
        for (value, _) in args {
            self.facts[value.vreg()].param_target = NONE;
            self.free_slot(value);
        }
    }

    /// Spills the values with the farthest next use until the operands of an instruction fit into the registers.
    fn spill_for_operands(
        &mut self,
        state: &mut BlockState,
        index: u32,
        uses: &[(VReg, u32)],
        output: &mut Option<VCode>,
    ) {
        let (mut late, mut early, mut reads_late) = (0, 0, false);
        for at in self.code.operands_at(index) {
            let operand = self.code.operands[at];
            let is_late = operand.pos() == OperandPos::Late;
            if is_vector(&operand, OperandKind::Def) {
                *(if is_late { &mut late } else { &mut early }) += 1;
            } else if is_vector(&operand, OperandKind::Use) {
                reads_late |= is_late;
            }
        }
        let is_dead = |&&(value, next): &&(VReg, u32)| next == NEVER && self.is_in_register(state, value);
        let dying = if reads_late { 0 } else { uses.iter().filter(is_dead).count() };
        loop {
            let in_registers = state.held.len() + state.resident;
            if (in_registers + early).max(in_registers + late - dying.min(in_registers))
                <= state.register_limit
            {
                break;
            }
            let is_used = |value: VReg| uses.iter().any(|(used, _)| *used == value);
            let others = (0..state.held.len()).filter(|&at| !is_used(state.held[at].value));
            let Some(last) = others.max_by_key(|&at| self.distance(state, state.held[at], index)) else {
                break;
            };
            let evicted = self.release(state, last);
            let facts = &mut self.facts[evicted.value.vreg()];
            match output {
                None => {
                    let is_new = facts.is_param && evicted.next == self.next_in_block[evicted.value.vreg()];
                    facts.is_spilled |=
                        facts.global_index != NONE || is_new && facts.def_block as usize == state.block;
                }
                Some(_) if facts.remat_inst != NONE || facts.slot != NONE => {}
                Some(output) => {
                    let loc = self.code.insts[index as usize].loc;
                    self.store(evicted.value, evicted.register, loc, output);
                }
            }
        }
    }

    /// Returns the next use of a value for the choice of what is spilled, and true if the value is defined outside of the
    /// loop around the block: that is not stored in each iteration, and may be a memory operand of its use. So it counts
    /// as used behind the block unless its use is near, and goes before others.
    fn distance(&self, state: &BlockState, held: HeldValue, index: u32) -> (u32, bool) {
        let def_block = self.facts[held.value.vreg()].def_block as usize;
        let depth = self.code.blocks[state.block].depth;
        let is_from_outside = self.code.blocks.get(def_block).is_some_and(|def| def.depth < depth);
        let is_far = held.next > index + RELOAD_DISTANCE && held.next < state.end;
        (if is_from_outside && is_far { state.end + INNER_USE_DISTANCE } else { held.next }, is_from_outside)
    }

    /// Returns the register that holds a value.
    fn register(&self, state: &BlockState, value: VReg) -> VReg {
        state.held.get(self.held_index[value.vreg()] as usize).map_or(value, |held| held.register)
    }

    /// Stores a value after its definition if it is in memory between blocks.
    fn store_definition(&mut self, value: VReg, output: &mut Option<VCode>) {
        let facts = &self.facts[value.vreg()];
        if let Some(output) = output
            && facts.is_spilled
            && facts.remat_inst == NONE
            && !facts.is_param
        {
            let loc = output.insts.last().map_or(0, |inst| inst.loc);
            self.store(value, value, loc, output);
        }
    }

    fn store(&mut self, value: VReg, register: VReg, loc: u32, output: &mut VCode) {
        let VregFacts { global_index, param_target, .. } = self.facts[value.vreg()];
        let target =
            self.facts.get(param_target as usize).filter(|param| global_index == NONE && param.is_dead);
        let slot = target.map(|param| param.slot).unwrap_or_else(|| self.slot());
        self.facts[value.vreg()].slot = slot;
        self.store_to(slot, register, loc, output);
    }

    fn store_to(&self, slot: u32, register: VReg, loc: u32, output: &mut VCode) {
        let to = Amode::frame(slot, 0);
        output.push(InstBuilder::vec_op(VecOp::Vmovdqas, self.code.widest).mem(to).read(register), loc);
    }

    pub fn slot(&mut self) -> u32 {
        self.free_slots.pop().unwrap_or_else(|| {
            let size = self.code.widest.bytes();
            self.code.slots.push(FrameSlot { size, align: size });
            self.code.slots.len() as u32 - 1
        })
    }

    fn is_alive(&self, value: VReg, block: usize) -> bool {
        let global_index = self.facts[value.vreg()].global_index;
        global_index != NONE
            && self.live_in[block][global_index as usize / 64] >> (global_index % 64) & 1 == 1
    }

    fn load(&self, value: VReg, register: VReg, loc: u32, output: &mut VCode) {
        let VregFacts { remat_inst, slot, .. } = self.facts[value.vreg()];
        debug_assert!(remat_inst != NONE || slot != NONE, "{value} is nowhere");
        if remat_inst == NONE {
            let from = Amode::frame(slot, 0);
            output.push(InstBuilder::vec_op(VecOp::Vmovdqa, self.code.widest).def(register).mem(from), loc);
            return;
        }
        let inst = &self.code.insts[remat_inst as usize];
        let at = inst.first as usize;
        let operand = self.code.operands[at];
        let again = Operand::new(register, operand.constraint(), operand.kind(), operand.pos());
        output.push(InstBuilder::from_inst(inst.clone(), [(again, self.code.reg_fields[at])]), loc);
    }

    /// Returns the operand that an instruction can read from memory: its last source, or the one before if they can be
    /// swapped.
    fn folded(&self, state: &BlockState, index: u32, uses: &[(VReg, u32)]) -> Option<Folded> {
        let inst = &self.code.insts[index as usize];
        let (vec_op, _) = inst.vec_op.filter(|_| matches!(inst.kind, InstKind::Plain))?;
        let operands = self.code.operands_at(index);
        let fields = &self.code.reg_fields[operands.clone()];
        let is_no_address = |field: &RegField| !matches!(field.slot, OperandSlot::Base | OperandSlot::Index);
        if inst.addr_base != AddrBase::None
            || !vec_op.form().takes_memory
            || !fields.iter().all(is_no_address)
        {
            return None;
        }
        let number = |at: usize| match self.code.reg_fields[at].slot {
            OperandSlot::Operand(number) => Some(number),
            _ => None,
        };
        let last = operands.clone().filter_map(number).max()?;
        let is_read = |at: &usize| {
            let operand = self.code.operands[*at];
            let operand_index = at - operands.start;
            let is_changed = |other: usize| {
                self.code.operands[other].constraint() == OperandConstraint::Reuse(operand_index)
            };
            is_vector(&operand, OperandKind::Use)
                && operand.pos() == OperandPos::Early
                && operand.constraint() == OperandConstraint::Reg
                && !operands.clone().any(is_changed)
        };
        let in_last = operands.clone().find(|&at| number(at) == Some(last)).filter(is_read)?;
        let before =
            operands.clone().filter(|_| is_commutative(vec_op)).find(|&at| number(at) == Some(last - 1));
        [Some(in_last), before.filter(is_read)].into_iter().flatten().find_map(|operand| {
            let value = self.code.operands[operand].vreg();
            let facts = &self.facts[value.vreg()];
            let times = operands.clone().filter(|&at| self.code.operands[at].vreg() == value).count();
            let next = uses.iter().find(|(used, _)| *used == value)?.1;
            let is_full = state.held.len() + state.resident >= state.register_limit;
            let is_far = next >= state.end || is_full && next > index + RELOAD_DISTANCE;
            let is_read =
                !self.is_in_register(state, value) && facts.remat_inst == NONE && times == 1 && is_far;
            is_read.then_some(Folded { operand, last: in_last, number: last })
        })
    }

    fn emit(&self, state: &BlockState, index: u32, folded: Option<Folded>, output: &mut VCode) {
        let mut inst = self.code.insts[index as usize].clone();
        let operands = self.code.operands_at(index);
        if let Some(folded) = folded {
            inst.template.set_op_kind(u32::from(folded.number), OpKind::Memory);
            inst.addr_base =
                AddrBase::Frame(self.facts[self.code.operands[folded.operand].vreg().vreg()].slot);
        }
        let left = folded.map_or(usize::MAX, |folded| folded.operand - operands.start);
        let kept = operands.clone().filter(|&at| folded.is_none_or(|folded| folded.operand != at));
        let renamed = kept.map(|at| {
            let (operand, mut field) = (self.code.operands[at], self.code.reg_fields[at]);
            if let Some(folded) = folded.filter(|folded| folded.last == at) {
                field = self.code.reg_fields[folded.operand];
            }
            let is_read = is_vector(&operand, OperandKind::Use);
            let register = if is_read { self.register(state, operand.vreg()) } else { operand.vreg() };
            let constraint = match operand.constraint() {
                OperandConstraint::Reuse(reused) if reused > left => OperandConstraint::Reuse(reused - 1),
                other => other,
            };
            (Operand::new(register, constraint, operand.kind(), operand.pos()), field)
        });
        let loc = inst.loc;
        output.push(InstBuilder::from_inst(inst, renamed), loc);
    }
}

/// Checks whether the two sources can be swapped.
fn is_commutative(vec_op: VecOp) -> bool {
    use VecOp as R;
    matches!(
        vec_op,
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
