//! Register assignment in one walk.
//!
//! Each value has one definition, which dominates all its uses. So if blocks are visited in an order in which
//! dominators come first, a register is free at every definition as long as no more values are live than there are
//! registers (Hack, Grund, Goos: Register Allocation for Programs in SSA-Form, CC 2006). `spill` has ensured that for
//! most vectors. If no register is free, the value with the farthest next use is spilled (Belady), and reloaded for its
//! use.
//!
//! The first predecessor of a block that is visited determines the locations in which values enter the block; on the
//! edges of the other predecessors values are moved there. Before a loop with more pressure than registers, the values
//! with the least uses in loops are spilled. Values are moved out of the fixed registers of an instruction.
//!
//! In debug builds regalloc2's checker verifies the result of some functions. regalloc2 allocates where this walk fails.

mod edges;
mod live;
mod step;
#[cfg(test)]
mod tests;

use regalloc2::{
    Allocation, Edit, Inst as InstIndex, MachineEnv, Operand, OperandConstraint, OperandKind, OperandPos,
    Output, PReg, ProgPoint, RegClass, SpillSlot, VReg,
};

use super::super::vcode::VCode;
use live::NEVER;

const CLASSES: [RegClass; 3] = [RegClass::Int, RegClass::Float, RegClass::Vector];

/// No register.
const NO_REGISTER: u8 = u8::MAX;
/// "Register" of a value that enters a block in memory.
const IN_MEMORY: u8 = NO_REGISTER - 1;
/// No value, block or slot.
const NO_INDEX: u32 = u32::MAX;

/// Number of instructions for each move that is inserted: with more moves the result is rejected, since regalloc2 may
/// find a better one.
// Arbitrary.
const MIN_INSTS_PER_MOVE: usize = 2;

/// Set of registers of each class, a bit for each register.
type Registers = [u32; 3];

/// Preferred register of a value.
#[derive(Clone, Copy, PartialEq)]
enum RegHint {
    None,
    Fixed(u8),
    /// Register of this block parameter.
    Param(u32),
}

/// Location of a value at the beginning of a block.
#[derive(Clone, Copy)]
struct EntryLocation {
    value: VReg,
    /// Register, or [`IN_MEMORY`].
    register: u8,
    /// True if the value is also in memory.
    is_stored: bool,
}

/// Copy from one location to another.
#[derive(Clone, Copy)]
struct Move {
    class: RegClass,
    from: Allocation,
    to: Allocation,
}

/// Range of instructions in which a tracked value is in one location.
struct TrackedRange {
    value: VReg,
    from: u32,
    to: u32,
    location: Allocation,
}

/// Registers of each class, and the values in them.
struct RegisterFile {
    /// Registers that may be assigned.
    usable: Registers,
    /// Registers that are assigned first, since the function need not save them.
    preferred: Registers,
    /// Registers that are assigned last, since parameters of the current loop need them at its end.
    avoided: Registers,
    /// Value in each register.
    holder: [[u32; 32]; 3],
    /// Registers that hold a value.
    held: Registers,
}

/// Values that are live between blocks.
struct Liveness {
    /// Values that are live at the beginning of a block that does not define them.
    values: Vec<VReg>,
    /// Index of each value in `values`.
    index: Vec<u32>,
    /// Live values at the beginning of each block: `words` words with a bit for each of `values`.
    bits: Vec<u64>,
    words: usize,
}

/// Uses of values.
struct UseFacts {
    /// Weighted number of uses of each value.
    weight: Vec<u32>,
    /// Maximum number of live values of each class in each block.
    pressure: Vec<Registers>,
    /// Last visit of a block in which each value was live, while blocks are scanned backwards.
    live_in_visit: Vec<u32>,
    /// Next use of each value in the current block.
    next: Vec<u32>,
    /// Next use of the value of each operand, behind its instruction.
    next_of_operand: Vec<u32>,
    /// Parameter that receives each value at the end of its block.
    param_target: Vec<u32>,
}

/// Current locations of values.
struct Locations {
    /// Register of each value.
    register: Vec<u8>,
    /// True for values that are in memory, maybe besides a register.
    is_stored: Vec<bool>,
    /// Block in which each value was stored.
    stored_in: Vec<u32>,
    /// Spill slot of each value.
    slot: Vec<u32>,
}

/// Spill slots.
struct SpillSlots {
    /// True for each slot that belongs to a parameter and to another value as long as that is live.
    is_shared: Vec<bool>,
    /// Slots of each class that are free again.
    free: [Vec<u32>; 3],
}

/// Locations of values at the beginning of blocks.
struct BlockEntries {
    /// Values that enter each block, once chosen.
    of_block: Vec<Option<Vec<EntryLocation>>>,
    /// Register of each parameter.
    param_register: Vec<u8>,
    /// Registers of the parameters of each loop.
    loop_params: Vec<Registers>,
}

/// Result of the assignment, in the form of regalloc2.
struct AssignerOutput {
    edits: Vec<(ProgPoint, Edit)>,
    /// Location of each operand.
    allocs: Vec<Allocation>,
    /// Index of the first operand of each instruction.
    offsets: Vec<u32>,
}

/// Locations of tracked values, for the debugger.
struct Tracking {
    is_tracked: Vec<bool>,
    ranges: Vec<TrackedRange>,
    /// Beginning of the current range of each value.
    since: Vec<u32>,
}

/// State of the assignment of one function.
struct Assigner<'c> {
    code: &'c VCode,
    registers: RegisterFile,
    liveness: Liveness,
    /// Interval of preorder numbers in the dominator tree that each block dominates; it begins with the block's own
    /// number.
    dominated: Vec<(u32, u32)>,
    uses: UseFacts,
    /// Preferred register of each value.
    hints: Vec<RegHint>,
    /// Current block.
    block: usize,
    locations: Locations,
    spill_slots: SpillSlots,
    entries: BlockEntries,
    output: AssignerOutput,
    tracking: Tracking,
}

/// Assigns registers to all operands. Returns none if the walk fails or inserts too many moves.
pub fn assign(code: &VCode, environment: &MachineEnv) -> Option<Output> {
    assign_unlimited(code, environment)
        .filter(|output| output.edits.len() <= code.insts.len() / MIN_INSTS_PER_MOVE)
}

/// Assigns registers to all operands, with any number of moves.
fn assign_unlimited(code: &VCode, environment: &MachineEnv) -> Option<Output> {
    let mut assigner = Assigner::new(code, environment);
    assigner.compute_liveness()?;
    assigner.compute_dominators()?;
    assigner.compute_hints();
    for block in 0..code.blocks.len() {
        assigner.compute_next_uses(block, block as u32);
    }
    for block in 0..code.blocks.len() {
        assigner.assign_block(block)?;
    }
    Some(assigner.finish())
}

fn class_of(value: VReg) -> usize {
    value.class() as usize
}

fn is_use(operand: &Operand) -> bool {
    operand.kind() == OperandKind::Use
}

fn is_late(operand: &Operand) -> bool {
    operand.pos() == OperandPos::Late
}

/// Returns the fixed register of an operand.
fn fixed_register(operand: &Operand) -> Option<u8> {
    match operand.constraint() {
        OperandConstraint::FixedReg(register) => Some(register.hw_enc() as u8),
        _ => None,
    }
}

fn bit(register: u8) -> u32 {
    1 << register
}

fn reg_location(class: RegClass, register: u8) -> Allocation {
    Allocation::reg(PReg::new(usize::from(register), class))
}

fn point(inst: u32) -> ProgPoint {
    ProgPoint::before(InstIndex::new(inst as usize))
}

impl<'c> Assigner<'c> {
    fn new(code: &'c VCode, environment: &MachineEnv) -> Assigner<'c> {
        let set = |sets: &[regalloc2::PRegSet; 3]| {
            CLASSES.map(|class| {
                sets[class as usize].into_iter().map(|register| bit(register.hw_enc() as u8)).sum::<u32>()
            })
        };
        let preferred = set(&environment.preferred_regs_by_class);
        let others = set(&environment.non_preferred_regs_by_class);
        let (vregs, operands, blocks) = (code.vregs as usize, code.operands.len(), code.blocks.len());
        let loops =
            code.blocks.iter().filter_map(|block| block.innermost_loop).map(|id| id.0 as usize + 1).max();
        let mut count = 0;
        let offsets = code.insts.iter().map(|inst| {
            count += u32::from(inst.len);
            count - u32::from(inst.len)
        });
        let offsets = offsets.collect();
        let tracked = if code.debug_labels.is_empty() { 0 } else { vregs };
        let mut is_tracked = vec![false; tracked];
        code.debug_labels.iter().for_each(|label| is_tracked[label.0.vreg()] = true);
        Assigner {
            code,
            registers: RegisterFile {
                usable: std::array::from_fn(|class| preferred[class] | others[class]),
                preferred,
                avoided: [0; 3],
                holder: [[NO_INDEX; 32]; 3],
                held: [0; 3],
            },
            liveness: Liveness {
                values: Vec::new(),
                index: vec![NO_INDEX; vregs],
                bits: Vec::new(),
                words: 0,
            },
            dominated: Vec::new(),
            uses: UseFacts {
                weight: vec![0; vregs],
                pressure: vec![[0; 3]; blocks],
                live_in_visit: vec![NO_INDEX; vregs],
                next: vec![NEVER; vregs],
                next_of_operand: vec![NEVER; operands],
                param_target: vec![NO_INDEX; vregs],
            },
            hints: vec![RegHint::None; vregs],
            block: 0,
            locations: Locations {
                register: vec![NO_REGISTER; vregs],
                is_stored: vec![false; vregs],
                stored_in: vec![NO_INDEX; vregs],
                slot: vec![NO_INDEX; vregs],
            },
            spill_slots: SpillSlots { is_shared: Vec::new(), free: Default::default() },
            entries: BlockEntries {
                of_block: (0..blocks).map(|_| None).collect(),
                param_register: vec![NO_REGISTER; vregs],
                loop_params: vec![[0; 3]; loops.unwrap_or(0)],
            },
            output: AssignerOutput { edits: Vec::new(), allocs: vec![Allocation::none(); operands], offsets },
            tracking: Tracking { is_tracked, ranges: Vec::new(), since: vec![0; tracked] },
        }
    }

    /// Assigns registers in a block.
    fn assign_block(&mut self, block: usize) -> Option<()> {
        self.block = block;
        self.compute_next_uses(block, self.visit(block));
        self.enter_block(block)?;
        for inst in self.code.insts_of(block) {
            self.assign_inst(inst)?;
        }
        self.leave_block(block)?;
        for at in 0..self.code.debug_labels.len() {
            let value = self.code.debug_labels[at].0;
            let next = self.code.blocks[block].successors.iter();
            if next.clone().any(|next| self.is_alive(value, next.index())) {
                self.end_range(value, self.code.blocks[block].end);
            }
        }
        Some(())
    }

    /// Returns the number of the second visit of a block.
    fn visit(&self, block: usize) -> u32 {
        (self.code.blocks.len() + block) as u32
    }

    /// Returns the location of a value.
    fn location_of(&mut self, value: VReg) -> Allocation {
        match self.locations.register[value.vreg()] {
            NO_REGISTER => self.slot(value),
            home => reg_location(value.class(), home),
        }
    }

    /// Returns the slot of a value.
    fn slot(&mut self, value: VReg) -> Allocation {
        if self.locations.slot[value.vreg()] == NO_INDEX {
            self.locations.slot[value.vreg()] = self.new_slot(value.class());
        }
        Allocation::stack(SpillSlot::new(self.locations.slot[value.vreg()] as usize))
    }

    /// Lets a value that becomes a spilled parameter at the end of the block use the parameter's slot, if the slot is
    /// not needed until then.
    fn share_slot(&mut self, value: VReg) {
        let param = self.uses.param_target[value.vreg()] as usize;
        if param == NO_INDEX as usize || self.locations.slot[param] == NO_INDEX {
            return;
        }
        let is_over =
            self.uses.live_in_visit[param] != self.visit(self.block) || self.uses.next[param] == NEVER;
        if self.locations.slot[value.vreg()] == NO_INDEX
            && self.liveness.index[value.vreg()] == NO_INDEX
            && self.entries.param_register[param] == IN_MEMORY
            && !self.spill_slots.is_shared[self.locations.slot[param] as usize]
            && is_over
        {
            self.locations.slot[value.vreg()] = self.locations.slot[param];
        }
    }

    fn new_slot(&mut self, class: RegClass) -> u32 {
        self.spill_slots.free[class as usize].pop().unwrap_or_else(|| {
            self.spill_slots.is_shared.push(false);
            self.spill_slots.is_shared.len() as u32 - 1
        })
    }

    /// Puts a value into a register before the instruction `from`.
    fn hold(&mut self, value: VReg, register: u8, from: u32) {
        let class = class_of(value);
        debug_assert!(self.registers.held[class] & bit(register) == 0, "two values in a register");
        self.registers.holder[class][usize::from(register)] = value.vreg() as u32;
        self.registers.held[class] |= bit(register);
        self.locations.register[value.vreg()] = register;
        self.begin_range(value, from);
    }

    /// Removes a value from its register before the instruction `to`.
    fn release(&mut self, value: VReg, to: u32) {
        let (class, register) = (class_of(value), self.locations.register[value.vreg()]);
        self.end_range(value, to);
        self.registers.holder[class][usize::from(register)] = NO_INDEX;
        self.registers.held[class] &= !bit(register);
    }

    /// Spills a value before an instruction.
    fn evict(&mut self, value: VReg, inst: u32) {
        if !self.locations.is_stored[value.vreg()] {
            self.share_slot(value);
            let (from, to) = (self.location_of(value), self.slot(value));
            self.output.edits.push((point(inst), Edit::Move { from, to }));
            self.locations.is_stored[value.vreg()] = true;
            self.locations.stored_in[value.vreg()] = self.block as u32;
        }
        self.release(value, inst);
        self.locations.register[value.vreg()] = NO_REGISTER;
        self.begin_range(value, inst);
    }

    fn begin_range(&mut self, value: VReg, from: u32) {
        if let Some(since) = self.tracking.since.get_mut(value.vreg()) {
            *since = from;
        }
    }

    fn end_range(&mut self, value: VReg, to: u32) {
        if self.tracking.is_tracked.get(value.vreg()) == Some(&true) {
            let (from, location) = (self.tracking.since[value.vreg()], self.location_of(value));
            self.tracking.ranges.push(TrackedRange { value, from, to, location });
        }
    }

    /// Chooses one of the `free` registers for a value, the hinted one if possible.
    fn pick_free(&self, value: VReg, free: u32) -> Option<u8> {
        let class = class_of(value);
        let free = free & self.registers.usable[class];
        let hint = match self.hints[value.vreg()] {
            RegHint::None => NO_REGISTER,
            RegHint::Fixed(register) => register,
            RegHint::Param(param) => self.entries.param_register[param as usize],
        };
        if hint < IN_MEMORY && free & bit(hint) != 0 {
            return Some(hint);
        }
        let unreserved = free & !self.registers.avoided[class];
        let preferred = self.registers.preferred[class];
        [unreserved & preferred, unreserved, free & preferred, free]
            .into_iter()
            .find(|&set| set != 0)
            .map(|set| set.trailing_zeros() as u8)
    }

    fn finish(mut self) -> Output {
        // The sort is stable: moves before one instruction keep their order.
        self.output.edits.sort_by_key(|(point, _)| *point);
        let mut debug_locations = Vec::new();
        self.tracking.ranges.sort_unstable_by_key(|range| (range.value, range.from));
        for &(value, from, to, label) in &self.code.debug_labels {
            let first = self.tracking.ranges.partition_point(|range| range.value < value);
            for range in self.tracking.ranges[first..].iter().take_while(|range| range.value == value) {
                let (from, to) = (range.from.max(from.index() as u32), range.to.min(to.index() as u32));
                if from < to {
                    debug_locations.push((label, point(from), point(to), range.location));
                }
            }
        }
        debug_locations.sort_unstable_by_key(|&(label, from, _, _)| (label, from));
        Output {
            num_spillslots: self.spill_slots.is_shared.len(),
            edits: self.output.edits,
            allocs: self.output.allocs,
            inst_alloc_offsets: self.output.offsets,
            debug_locations,
            ..Output::default()
        }
    }
}
