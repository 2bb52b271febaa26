//! Spilling of vectors before registers are assigned.
//!
//! regalloc2 assigns registers to whole live ranges and splits those that do not fit, again and again, down to single
//! uses: in a block of thousands of instructions with high pressure that takes long, and reloads a value once for each
//! use. Here each block is processed once. A value that is needed and not in a register is reloaded, and the one with
//! the farthest next use is spilled for it (Belady, A Study of Replacement Algorithms, 1966; for code with branches:
//! Braun, Hack, Register Spilling and Live-Range Splitting for SSA-Form Programs, CC 2009). The remaining code fits
//! into the registers.
//!
//! A value that is live between blocks is either in its register everywhere, or in memory, and blocks that use it
//! reload it. It is spilled if registers are full in a block that runs at least as often as its uses, by the loops around
//! them and by whether every iteration of these reaches them. So what every iteration uses is not spilled for a block that
//! few reach, such as a function's path for large arguments; `assign` spills it there. Constants are not stored, but
//! rematerialized.

use regalloc2::{Inst as InstIndex, Operand, OperandConstraint, OperandKind, RegClass, VReg};
use smallvec::SmallVec;

use super::super::inst::{AddrBase, InstKind};
use super::super::vcode::VCode;
use grus_support::set_bits;

/// Maximum number of bits in the live sets of all blocks: larger functions are left to the allocator.
// Arbitrary.
const MAX_LIVE_BITS: usize = 1 << 23;

/// Distances of the next use that are added to the end of the block if it is behind the block: for a value that blocks use
/// that run at least as often, and for other values.
// Arbitrary.
pub const INNER_USE_DISTANCE: u32 = 1 << 20;
const OUTER_USE_DISTANCE: u32 = 1 << 24;
pub const NEVER: u32 = u32::MAX;

pub const NONE: u32 = u32::MAX;

/// Facts about a vector register of the code. The code is in SSA form, so it is a value.
#[derive(Clone, Copy)]
pub struct VregFacts {
    /// Block that defines the value.
    pub def_block: u32,
    /// Instruction that defines the value, if it can be rematerialized because it reads nothing.
    pub remat_inst: u32,
    /// Index among the values that are used in other blocks.
    pub global_index: u32,
    /// Maximum frequency rank of the blocks with uses.
    pub use_rank: u32,
    /// True for a block parameter.
    pub is_param: bool,
    /// True if the value is in memory between blocks. A spilled parameter receives its arguments in memory.
    pub is_spilled: bool,
    /// True if the value has no use any more in the current block nor behind it.
    pub is_dead: bool,
    /// Spilled parameter of the successor that receives this value.
    pub param_target: u32,
    /// Stack slot of the value, if it is in memory.
    pub slot: u32,
}

/// Use of a value in another block than that which defines it.
struct GlobalUse {
    block: usize,
    global_index: u32,
    /// Frequency rank of the use.
    rank: u32,
}

/// Spills the vectors that do not fit into `registers` vector registers.
pub fn run(code: &mut VCode, registers: usize) {
    let params = code.blocks.iter().flat_map(|block| &block.params);
    let vectors = params.filter(|param| param.class() == RegClass::Float).count()
        + code.operands.iter().filter(|operand| is_vector(operand, OperandKind::Def)).count();
    if vectors <= registers {
        return;
    }
    let Some(mut spiller) = Spiller::new(code, registers) else { return };
    if !spiller.is_tight.contains(&true) {
        return;
    }
    spiller.choose_spills();
    // After the first round all values may fit in every block. Otherwise a second round keeps one register free for
    // moves.
    spiller.find_tight(registers);
    if spiller.is_tight.contains(&true) {
        spiller.register_limit = registers.saturating_sub(1).max(2);
        spiller.choose_spills();
    }
    spiller.rewrite();
}

/// State of spilling one function.
pub struct Spiller<'c> {
    pub code: &'c mut VCode,
    pub register_limit: usize,
    pub facts: Vec<VregFacts>,
    /// Values that are live at the end and at the beginning of each block: a bit for each value that is used in other
    /// blocks.
    pub live_out: Vec<Vec<u64>>,
    pub live_in: Vec<Vec<u64>>,
    /// Values of `live_out` that blocks use that are not conditional.
    live_out_unconditionally: Vec<Vec<u64>>,
    pub globals: Vec<VReg>,
    /// Blocks that need more registers than there are.
    pub is_tight: Vec<bool>,
    /// Next use of each value in the current block: while the block is scanned backwards from the scan's position,
    /// afterwards from the beginning of the block.
    pub next_in_block: Vec<u32>,
    /// Next use of the value of each operand, behind the operand's instruction.
    pub next_after: Vec<u32>,
    /// Stack slots that are free again.
    pub free_slots: Vec<u32>,
    /// Number of slots that are never freed: those with smaller indices belong to values that are live between blocks.
    pub reserved_slots: u32,
    /// Index of each value among the values that are held.
    pub held_index: Vec<u32>,
}

/// Checks whether an operand is a vector that is used or defined.
pub fn is_vector(operand: &Operand, kind: OperandKind) -> bool {
    operand.vreg().class() == RegClass::Float && operand.kind() == kind
}

/// Returns the numbers of the bits that are set.
pub fn bits(set: &[u64]) -> impl Iterator<Item = usize> {
    set.iter().enumerate().flat_map(|(word, &set)| set_bits(set).map(move |bit| word * 64 + bit))
}

impl<'c> Spiller<'c> {
    /// Collects the facts about all values. Returns none if the live sets would be too large.
    fn new(code: &'c mut VCode, registers: usize) -> Option<Spiller<'c>> {
        let unknown = VregFacts {
            def_block: NONE,
            remat_inst: NONE,
            global_index: NONE,
            use_rank: 0,
            is_param: false,
            is_spilled: false,
            is_dead: false,
            param_target: NONE,
            slot: NONE,
        };
        let (vregs, blocks) = (code.vregs as usize, code.blocks.len());
        let next_after = vec![NEVER; code.operands.len()];
        let mut spiller = Spiller {
            code,
            register_limit: registers,
            facts: vec![unknown; vregs],
            live_out: Vec::new(),
            live_in: Vec::new(),
            live_out_unconditionally: Vec::new(),
            globals: Vec::new(),
            is_tight: vec![false; blocks],
            next_in_block: vec![NEVER; vregs],
            next_after,
            free_slots: Vec::new(),
            reserved_slots: 0,
            held_index: vec![NONE; vregs],
        };
        for block in 0..blocks {
            spiller.note_definitions(block);
        }
        let mut used = Vec::new();
        for block in 0..blocks {
            spiller.note_uses(block, &mut used);
        }
        let words = spiller.globals.len().div_ceil(64);
        if words * 64 * blocks > MAX_LIVE_BITS {
            return None;
        }
        (spiller.live_in, spiller.live_out) = spiller.liveness(&used, words);
        used.retain(|used| used.rank.is_multiple_of(2));
        spiller.live_out_unconditionally = spiller.liveness(&used, words).1;
        spiller.find_tight(registers);
        Some(spiller)
    }

    /// Returns the distinct vectors that an instruction reads, each with its next use.
    pub fn uses(&self, inst: u32) -> SmallVec<[(VReg, u32); 6]> {
        let mut found: SmallVec<[(VReg, u32); 6]> = SmallVec::new();
        for at in
            self.code.operands_at(inst).filter(|&at| is_vector(&self.code.operands[at], OperandKind::Use))
        {
            let value = self.code.operands[at].vreg();
            if !found.iter().any(|(other, _)| *other == value) {
                found.push((value, self.next_after[at]));
            }
        }
        found
    }

    pub fn params(&self, block: usize) -> impl Iterator<Item = VReg> {
        self.code.blocks[block].params.iter().copied().filter(|param| param.class() == RegClass::Float)
    }

    /// Returns the vectors that are arguments of the successors' parameters.
    fn args(&self, block: usize) -> impl Iterator<Item = VReg> {
        let args = self.code.blocks[block].args.iter().flatten().copied();
        args.filter(|arg| arg.class() == RegClass::Float)
    }

    /// Returns the arguments, and the parameters that receive them, that are passed in memory or in registers.
    pub fn passed_args(&self, block: usize, is_spilled: bool) -> SmallVec<[(VReg, VReg); 8]> {
        let block = &self.code.blocks[block];
        let pairs = block.successors.iter().zip(&block.args).flat_map(|(next, args)| {
            args.iter().copied().zip(self.code.blocks[next.index()].params.iter().copied())
        });
        let vectors = pairs.filter(|(arg, _)| arg.class() == RegClass::Float);
        vectors.filter(|(_, param)| self.facts[param.vreg()].is_spilled == is_spilled).collect()
    }

    fn note_definitions(&mut self, block: usize) {
        for param in self.params(block).collect::<Vec<VReg>>() {
            let facts = &mut self.facts[param.vreg()];
            (facts.def_block, facts.is_param) = (block as u32, true);
        }
        for index in self.code.insts_of(block) {
            let inst = &self.code.insts[index as usize];
            let operands = &self.code.operands[self.code.operands_at(index)];
            let reads_nothing = operands.len() == 1
                && matches!(inst.kind, InstKind::Plain)
                && matches!(inst.addr_base, AddrBase::None | AddrBase::Pool(_));
            for def in operands.iter().filter(|operand| is_vector(operand, OperandKind::Def)) {
                let facts = &mut self.facts[def.vreg().vreg()];
                facts.def_block = block as u32;
                if reads_nothing && def.constraint() == OperandConstraint::Reg {
                    facts.remat_inst = index;
                }
            }
        }
    }

    /// Returns the frequency rank of the block that uses the arguments of a block: an unconditional successor in the same
    /// loop needs them whichever of its predecessors runs.
    fn rank_of_args(&self, block: usize) -> u32 {
        let block = &self.code.blocks[block];
        let successors = block.successors.iter().map(|next| &self.code.blocks[next.index()]);
        let behind = successors.filter(|next| next.depth <= block.depth).map(|next| next.frequency_rank());
        behind.fold(block.frequency_rank(), u32::max)
    }

    /// Appends to `used` the values of other blocks that `block` uses, each with the frequency rank of the use.
    fn note_uses(&mut self, block: usize, used: &mut Vec<GlobalUse>) {
        let insts = self.code.insts_of(block);
        let operands = insts.flat_map(|index| self.code.operands_at(index)).map(|at| self.code.operands[at]);
        let read =
            operands.filter(|operand| is_vector(operand, OperandKind::Use)).map(|operand| operand.vreg());
        let (rank, rank_of_args) = (self.code.blocks[block].frequency_rank(), self.rank_of_args(block));
        let args = self.args(block).map(|value| (value, rank_of_args));
        for (value, rank) in read.map(|value| (value, rank)).chain(args).collect::<Vec<_>>() {
            let facts = &mut self.facts[value.vreg()];
            facts.use_rank = facts.use_rank.max(rank);
            if facts.def_block as usize == block {
                continue;
            }
            if facts.global_index == NONE {
                facts.global_index = self.globals.len() as u32;
                self.globals.push(value);
            }
            used.push(GlobalUse { block, global_index: facts.global_index, rank });
        }
    }

    /// Returns the values that are live at the beginning and at the end of each block: a backward dataflow analysis up to
    /// a fixed point.
    fn liveness(&self, uses: &[GlobalUse], words: usize) -> (Vec<Vec<u64>>, Vec<Vec<u64>>) {
        let mut live_in = vec![vec![0; words]; self.code.blocks.len()];
        let mut live_out = live_in.clone();
        let set =
            |set: &mut [u64], global_index: u32| set[global_index as usize / 64] |= 1 << (global_index % 64);
        let mut defined = live_in.clone();
        let mut used = live_in.clone();
        for &value in &self.globals {
            let VregFacts { def_block, global_index, .. } = self.facts[value.vreg()];
            set(&mut defined[def_block as usize], global_index);
        }
        for &GlobalUse { block, global_index, .. } in uses {
            set(&mut used[block], global_index);
        }
        let mut has_changed = !self.globals.is_empty();
        while std::mem::take(&mut has_changed) {
            for block in (0..used.len()).rev() {
                for &next in &self.code.blocks[block].successors {
                    for (out, alive) in live_out[block].iter_mut().zip(&live_in[next.index()]) {
                        *out |= alive;
                    }
                }
                for (word, &out) in live_out[block].iter().enumerate() {
                    let alive = used[block][word] | out & !defined[block][word];
                    has_changed |= alive != live_in[block][word];
                    live_in[block][word] = alive;
                }
            }
        }
        (live_in, live_out)
    }

    /// Finds the next use of each value behind each operand of the block, and in the block.
    pub fn compute_next_uses(&mut self, block: usize) {
        let end = self.code.blocks[block].end;
        for index in self.code.insts_of(block) {
            for at in self.code.operands_at(index) {
                self.next_in_block[self.code.operands[at].vreg().vreg()] = NEVER;
            }
        }
        for value in self.params(block).chain(self.args(block)).collect::<SmallVec<[VReg; 8]>>() {
            self.next_in_block[value.vreg()] = NEVER;
        }
        for global in bits(&self.live_out[block]) {
            let value = self.globals[global].vreg();
            let is_inner = self.facts[value].use_rank >= self.code.blocks[block].frequency_rank()
                && (self.code.blocks[block].is_conditional
                    || self.live_out_unconditionally[block][global / 64] >> (global % 64) & 1 == 1);
            self.next_in_block[value] = end + if is_inner { INNER_USE_DISTANCE } else { OUTER_USE_DISTANCE };
        }
        for value in self.args(block).collect::<SmallVec<[VReg; 8]>>() {
            self.next_in_block[value.vreg()] = end - 1;
        }
        for index in self.code.insts_of(block).rev() {
            let operands = self.code.operands_at(index);
            for at in operands.clone() {
                self.next_after[at] = self.next_in_block[self.code.operands[at].vreg().vreg()];
            }
            for at in operands.filter(|&at| is_vector(&self.code.operands[at], OperandKind::Use)) {
                self.next_in_block[self.code.operands[at].vreg().vreg()] = index;
            }
        }
    }

    /// Checks whether a value in a register is not considered in a conditional block, since code that runs more often uses
    /// it, too. If the block needs its register, the assignment of registers spills it there, and reloads it behind the block.
    pub fn is_unconsidered(&self, value: VReg, number: usize) -> bool {
        let block = &self.code.blocks[number];
        let facts = &self.facts[value.vreg()];
        block.is_conditional
            && facts.use_rank > block.frequency_rank()
            && facts.def_block as usize != number
            && !facts.is_spilled
    }

    fn find_tight(&mut self, registers: usize) {
        for block in 0..self.is_tight.len() {
            self.is_tight[block] = self.max_pressure(block) > registers;
        }
    }

    /// Returns the maximum number of values in registers in a block, if spilled values are in registers between their
    /// first and last use in the block.
    fn max_pressure(&mut self, block: usize) -> usize {
        self.compute_next_uses(block);
        let end = self.code.blocks[block].end;
        let facts = |value: VReg| &self.facts[value.vreg()];
        let entering =
            bits(&self.live_in[block]).map(|global| self.globals[global]).chain(self.params(block));
        let is_considered = |value: VReg| !self.is_unconsidered(value, block);
        let mut alive = entering.filter(|&value| !facts(value).is_spilled && is_considered(value)).count();
        let mut max = alive;
        for index in self.code.insts_of(block) {
            let uses = self.uses(index);
            let comes = |value: VReg| {
                let is_from_outside = facts(value).def_block as usize != block || facts(value).is_param;
                facts(value).is_spilled && is_from_outside && self.next_in_block[value.vreg()] == index
            };
            let goes = |value: VReg, next: u32| next == NEVER || facts(value).is_spilled && next >= end;
            alive += uses.iter().filter(|(value, _)| comes(*value)).count();
            max = max.max(alive);
            let defs = self
                .code
                .operands_at(index)
                .filter(|&at| is_vector(&self.code.operands[at], OperandKind::Def));
            alive += defs.filter(|&at| !goes(self.code.operands[at].vreg(), self.next_after[at])).count();
            let ends = |value: VReg, next: u32| is_considered(value) && goes(value, next);
            alive = alive.saturating_sub(uses.iter().filter(|&&(value, next)| ends(value, next)).count());
            max = max.max(alive);
        }
        max
    }

    /// Chooses the values that are in memory between blocks.
    fn choose_spills(&mut self) {
        let mut tight: Vec<usize> = (0..self.is_tight.len()).filter(|&block| self.is_tight[block]).collect();
        tight.sort_by_key(|&block| {
            let block = &self.code.blocks[block];
            (std::cmp::Reverse(block.frequency_rank()), block.end - block.first)
        });
        // A value that is spilled for one block relieves all later ones.
        for block in tight {
            self.process_block(block, &mut None);
        }
    }

    fn rewrite(&mut self) {
        for block in 0..self.code.blocks.len() {
            for param in self.params(block).collect::<Vec<VReg>>() {
                if self.facts[param.vreg()].is_spilled {
                    self.facts[param.vreg()].slot = self.slot();
                }
            }
        }
        self.reserved_slots = self.code.slots.len() as u32;
        let mut output = Some(VCode::new());
        let count = |output: &Option<VCode>| output.as_ref().map_or(0, |output| output.insts.len() as u32);
        let mut new_index: Vec<u32> = Vec::with_capacity(self.code.insts.len() + 1);
        for block in 0..self.code.blocks.len() {
            debug_assert_eq!(self.code.blocks[block].first as usize, new_index.len());
            let first = count(&output);
            new_index.extend(self.process_block(block, &mut output));
            (self.code.blocks[block].first, self.code.blocks[block].end) = (first, count(&output));
        }
        new_index.push(count(&output));
        self.drop_spilled_params();
        let Some(output) = output else { return };
        for (_, from, to, _) in &mut self.code.debug_labels {
            for index in [from, to] {
                *index = InstIndex::new(new_index[index.index()] as usize);
            }
        }
        (self.code.insts, self.code.operands, self.code.reg_fields) =
            (output.insts, output.operands, output.reg_fields);
    }

    /// Removes block parameters that are passed in memory.
    fn drop_spilled_params(&mut self) {
        let is_kept = |facts: &[VregFacts], param: &VReg| {
            !facts.get(param.vreg()).is_some_and(|facts| facts.is_spilled)
        };
        for block in 0..self.code.blocks.len() {
            let mut args = std::mem::take(&mut self.code.blocks[block].args);
            for (next, args) in self.code.blocks[block].successors.iter().zip(&mut args) {
                let mut params = self.code.blocks[next.index()].params.iter();
                args.retain(|_| params.next().is_some_and(|param| is_kept(&self.facts, param)));
            }
            self.code.blocks[block].args = args;
        }
        for block in &mut self.code.blocks {
            block.params.retain(|param| is_kept(&self.facts, param));
        }
    }
}
