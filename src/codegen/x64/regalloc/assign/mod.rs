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
//! regalloc2's checker verifies the result in debug builds, and regalloc2 allocates where this walk fails.

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

/// No register; and the "register" of a value that enters a block in memory.
const NONE: u8 = u8::MAX;
const MEMORY: u8 = NONE - 1;
const NOBODY: u32 = u32::MAX;

/// Number of instructions for each move that is inserted: with more moves the result is rejected, since regalloc2 may
/// find a better one.
// Arbitrary.
const FOR_A_MOVE: usize = 2;

/// Set of registers of each class, a bit for each register.
type Registers = [u32; 3];

/// Preferred register of a value.
#[derive(Clone, Copy, PartialEq)]
enum RegHint {
    Nothing,
    Fixed(u8),
    /// Register of this block parameter.
    Param(u32),
}

/// Location of a value at the beginning of a block.
#[derive(Clone, Copy)]
struct Entering {
    value: VReg,
    /// Register, or [`MEMORY`].
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
struct Stay {
    value: VReg,
    from: u32,
    to: u32,
    place: Allocation,
}

struct Assigner<'c> {
    code: &'c VCode,
    usable: Registers,
    preferred: Registers,
    /// LIVE
    globals: Vec<VReg>,
    global: Vec<u32>,
    live_in: Vec<u64>,
    words: usize,
    /// Interval of preorder numbers in the dominator tree that each block dominates; it begins with the block's own
    /// number.
    dominated: Vec<(u32, u32)>,
    /// Weighted number of uses of each value.
    weights: Vec<u32>,
    /// Maximum number of live values of each class in each block.
    pressure: Vec<Registers>,
    /// Last visit of a block in which each value was live, while blocks are scanned backwards.
    used_in: Vec<u32>,
    /// Next use of each value, and of the value of each operand behind its instruction.
    next: Vec<u32>,
    next_of: Vec<u32>,
    /// Parameter that receives each value at the end of its block.
    goals: Vec<u32>,
    wishes: Vec<RegHint>,
    /// LOC
    here: usize,
    home: Vec<u8>,
    is_stored: Vec<bool>,
    stored_in: Vec<u32>,
    slots: Vec<u32>,
    /// For each slot, true if it belongs to a parameter and to another value as long as that is live.
    is_lent: Vec<bool>,
    free_slots: [Vec<u32>; 3],
    /// Value in each register.
    holder: [[u32; 32]; 3],
    held: Registers,
    entries: Vec<Option<Vec<Entering>>>,
    /// Register of each parameter.
    entry_of: Vec<u8>,
    /// Registers of the parameters of each loop.
    wanted: Vec<Registers>,
    avoided: Registers,
    edits: Vec<(ProgPoint, Edit)>,
    allocs: Vec<Allocation>,
    /// Index of the first operand of each instruction.
    offsets: Vec<u32>,
    is_tracked: Vec<bool>,
    stays: Vec<Stay>,
    since: Vec<u32>,
}

/// Assigns registers to all operands. Returns none if the walk fails or inserts too many moves.
pub fn assign(code: &VCode, environment: &MachineEnv) -> Option<Output> {
    walk(code, environment).filter(|output| output.edits.len() <= code.insts.len() / FOR_A_MOVE)
}

/// Assigns registers to all operands, with any number of moves.
fn walk(code: &VCode, environment: &MachineEnv) -> Option<Output> {
    let mut assigner = Assigner::new(code, environment);
    assigner.find_live()?;
    assigner.find_dominators()?;
    assigner.note_wishes();
    for block in 0..code.blocks.len() {
        assigner.look_ahead(block, block as u32);
    }
    for block in 0..code.blocks.len() {
        assigner.block(block)?;
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
fn fixed(operand: &Operand) -> Option<u8> {
    match operand.constraint() {
        OperandConstraint::FixedReg(register) => Some(register.hw_enc() as u8),
        _ => None,
    }
}

fn bit(register: u8) -> u32 {
    1 << register
}

fn place(class: RegClass, register: u8) -> Allocation {
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
        let loops = code.blocks.iter().filter_map(|block| block.within).map(|id| id.0 as usize + 1).max();
        let mut count = 0;
        let offsets = code.insts.iter().map(|inst| {
            count += u32::from(inst.len);
            count - u32::from(inst.len)
        });
        let offsets = offsets.collect();
        let tracked = if code.labels.is_empty() { 0 } else { vregs };
        let mut is_tracked = vec![false; tracked];
        code.labels.iter().for_each(|label| is_tracked[label.0.vreg()] = true);
        Assigner {
            code,
            usable: std::array::from_fn(|class| preferred[class] | others[class]),
            preferred,
            globals: Vec::new(),
            global: vec![NOBODY; vregs],
            live_in: Vec::new(),
            words: 0,
            dominated: Vec::new(),
            weights: vec![0; vregs],
            pressure: vec![[0; 3]; blocks],
            used_in: vec![NOBODY; vregs],
            next: vec![NEVER; vregs],
            next_of: vec![NEVER; operands],
            goals: vec![NOBODY; vregs],
            wishes: vec![RegHint::Nothing; vregs],
            here: 0,
            home: vec![NONE; vregs],
            is_stored: vec![false; vregs],
            stored_in: vec![NOBODY; vregs],
            slots: vec![NOBODY; vregs],
            is_lent: Vec::new(),
            free_slots: Default::default(),
            holder: [[NOBODY; 32]; 3],
            held: [0; 3],
            entries: (0..blocks).map(|_| None).collect(),
            entry_of: vec![NONE; vregs],
            wanted: vec![[0; 3]; loops.unwrap_or(0)],
            avoided: [0; 3],
            edits: Vec::new(),
            allocs: vec![Allocation::none(); operands],
            offsets,
            is_tracked,
            stays: Vec::new(),
            since: vec![0; tracked],
        }
    }

    /// Assigns registers in a block.
    fn block(&mut self, block: usize) -> Option<()> {
        self.here = block;
        self.look_ahead(block, self.visit(block));
        self.enter(block)?;
        for inst in self.code.insts_of(block) {
            self.step(inst)?;
        }
        self.leave(block)?;
        for at in 0..self.code.labels.len() {
            let value = self.code.labels[at].0;
            let next = self.code.blocks[block].successors.iter();
            if next.clone().any(|next| self.is_alive(value, next.index())) {
                self.end_stay(value, self.code.blocks[block].end);
            }
        }
        Some(())
    }

    /// Returns the number of the second visit of a block.
    fn visit(&self, block: usize) -> u32 {
        (self.code.blocks.len() + block) as u32
    }

    /// Returns the location of a value.
    fn place_of(&mut self, value: VReg) -> Allocation {
        match self.home[value.vreg()] {
            NONE => self.slot(value),
            home => place(value.class(), home),
        }
    }

    /// Returns the slot of a value.
    fn slot(&mut self, value: VReg) -> Allocation {
        if self.slots[value.vreg()] == NOBODY {
            self.slots[value.vreg()] = self.new_slot(value.class());
        }
        Allocation::stack(SpillSlot::new(self.slots[value.vreg()] as usize))
    }

    /// Lets a value that becomes a spilled parameter at the end of the block use the parameter's slot, if the slot is
    /// not needed until then.
    fn share_slot(&mut self, value: VReg) {
        let param = self.goals[value.vreg()] as usize;
        if param == NOBODY as usize || self.slots[param] == NOBODY {
            return;
        }
        let is_over = self.used_in[param] != self.visit(self.here) || self.next[param] == NEVER;
        if self.slots[value.vreg()] == NOBODY
            && self.global[value.vreg()] == NOBODY
            && self.entry_of[param] == MEMORY
            && !self.is_lent[self.slots[param] as usize]
            && is_over
        {
            self.slots[value.vreg()] = self.slots[param];
        }
    }

    fn new_slot(&mut self, class: RegClass) -> u32 {
        self.free_slots[class as usize].pop().unwrap_or_else(|| {
            self.is_lent.push(false);
            self.is_lent.len() as u32 - 1
        })
    }

    /// Puts a value into a register before the instruction `from`.
    fn hold(&mut self, value: VReg, register: u8, from: u32) {
        let class = class_of(value);
        debug_assert!(self.held[class] & bit(register) == 0, "two values in a register");
        self.holder[class][usize::from(register)] = value.vreg() as u32;
        self.held[class] |= bit(register);
        self.home[value.vreg()] = register;
        self.begin_stay(value, from);
    }

    /// Removes a value from its register before the instruction `to`.
    fn release(&mut self, value: VReg, to: u32) {
        let (class, register) = (class_of(value), self.home[value.vreg()]);
        self.end_stay(value, to);
        self.holder[class][usize::from(register)] = NOBODY;
        self.held[class] &= !bit(register);
    }

    /// Spills a value before an instruction.
    fn evict(&mut self, value: VReg, inst: u32) {
        if !self.is_stored[value.vreg()] {
            self.share_slot(value);
            let (from, to) = (self.place_of(value), self.slot(value));
            self.edits.push((point(inst), Edit::Move { from, to }));
            self.is_stored[value.vreg()] = true;
            self.stored_in[value.vreg()] = self.here as u32;
        }
        self.release(value, inst);
        self.home[value.vreg()] = NONE;
        self.begin_stay(value, inst);
    }

    fn begin_stay(&mut self, value: VReg, from: u32) {
        if let Some(since) = self.since.get_mut(value.vreg()) {
            *since = from;
        }
    }

    fn end_stay(&mut self, value: VReg, to: u32) {
        if self.is_tracked.get(value.vreg()) == Some(&true) {
            let (from, place) = (self.since[value.vreg()], self.place_of(value));
            self.stays.push(Stay { value, from, to, place });
        }
    }

    /// Chooses one of the `free` registers for a value, the hinted one if possible.
    fn pick(&self, value: VReg, free: u32) -> Option<u8> {
        let class = class_of(value);
        let free = free & self.usable[class];
        let wish = match self.wishes[value.vreg()] {
            RegHint::Nothing => NONE,
            RegHint::Fixed(register) => register,
            RegHint::Param(param) => self.entry_of[param as usize],
        };
        if wish < MEMORY && free & bit(wish) != 0 {
            return Some(wish);
        }
        let calm = free & !self.avoided[class];
        let preferred = self.preferred[class];
        [calm & preferred, calm, free & preferred, free]
            .into_iter()
            .find(|&set| set != 0)
            .map(|set| set.trailing_zeros() as u8)
    }

    fn finish(mut self) -> Output {
        // The sort is stable: moves before one instruction keep their order.
        self.edits.sort_by_key(|(point, _)| *point);
        let mut debug_locations = Vec::new();
        self.stays.sort_unstable_by_key(|stay| (stay.value, stay.from));
        for &(value, from, to, label) in &self.code.labels {
            let first = self.stays.partition_point(|stay| stay.value < value);
            for stay in self.stays[first..].iter().take_while(|stay| stay.value == value) {
                let (from, to) = (stay.from.max(from.index() as u32), stay.to.min(to.index() as u32));
                if from < to {
                    debug_locations.push((label, point(from), point(to), stay.place));
                }
            }
        }
        debug_locations.sort_unstable_by_key(|&(label, from, _, _)| (label, from));
        Output {
            num_spillslots: self.is_lent.len(),
            edits: self.edits,
            allocs: self.allocs,
            inst_alloc_offsets: self.offsets,
            debug_locations,
            ..Output::default()
        }
    }
}
