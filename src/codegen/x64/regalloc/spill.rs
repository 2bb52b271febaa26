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
//! reload it. It is spilled if a block has no room that is in at least as many loops as its uses. Constants are not
//! stored, but rematerialized.

use regalloc2::{Inst as InstIndex, Operand, OperandConstraint, OperandKind, RegClass, VReg};
use smallvec::SmallVec;

use super::super::inst::{AddrBase, InstKind};
use super::super::vcode::VCode;
use crate::support::ones;

/// Maximum number of bits in the live sets of all blocks: larger functions are left to the allocator.
// Arbitrary.
const MOST_BITS: usize = 1 << 23;

/// Distances of the next use that are added to the end of the block if it is behind the block: for a value with uses in
/// loops at least as deep, and for other values.
// Arbitrary.
const NEAR: u32 = 1 << 20;
const ELSEWHERE: u32 = 1 << 24;
pub const NEVER: u32 = u32::MAX;

pub const NONE: u32 = u32::MAX;

/// Facts about a vector register of the code. The code is in SSA form, so it is a value.
#[derive(Clone, Copy)]
pub struct VregFacts {
    /// Block that defines the value.
    pub home: u32,
    /// Instruction that defines the value, if it can be rematerialized because it reads nothing.
    pub maker: u32,
    /// Index among the values that are used in other blocks.
    pub global: u32,
    /// Maximum loop depth of the uses.
    pub depth: u32,
    /// True for a block parameter.
    pub is_param: bool,
    /// True if the value is in memory between blocks. A spilled parameter receives its arguments in memory.
    pub is_away: bool,
    /// True if the value has no use any more in the current block nor behind it.
    pub is_over: bool,
    /// Spilled parameter of the successor that receives this value.
    pub goal: u32,
    /// Stack slot of the value, if it is in memory.
    pub slot: u32,
}

/// Spills the vectors that do not fit into `registers` vector registers.
pub fn run(code: &mut VCode, registers: usize) {
    let params = code.blocks.iter().flat_map(|block| &block.params);
    let vectors = params.filter(|param| param.class() == RegClass::Float).count()
        + code.operands.iter().filter(|operand| is(operand, OperandKind::Def)).count();
    if vectors <= registers {
        return;
    }
    let Some(mut spiller) = Spiller::new(code, registers) else { return };
    if !spiller.is_tight.contains(&true) {
        return;
    }
    spiller.choose();
    // After the first round all values may fit in every block. Otherwise a second round keeps one register free for
    // moves.
    spiller.find_tight(registers);
    if spiller.is_tight.contains(&true) {
        spiller.room = registers.saturating_sub(1).max(2);
        spiller.choose();
    }
    spiller.rewrite();
}

/// State of spilling one function.
pub struct Spiller<'c> {
    pub code: &'c mut VCode,
    pub room: usize,
    pub known: Vec<VregFacts>,
    /// Values that are live at the end and at the beginning of each block: a bit for each value that is used in other
    /// blocks.
    pub live_out: Vec<Vec<u64>>,
    pub live_in: Vec<Vec<u64>>,
    pub globals: Vec<VReg>,
    /// Blocks that need more registers than there are.
    pub is_tight: Vec<bool>,
    /// Next use of each value in the current block: while the block is scanned backwards from the scan's position,
    /// afterwards from the beginning of the block.
    pub seen: Vec<u32>,
    /// Next use of the value of each operand, behind the operand's instruction.
    pub next: Vec<u32>,
    /// Stack slots that are free again.
    pub free: Vec<u32>,
    /// Number of slots that are never freed: those with smaller indices belong to values that are live between blocks.
    pub reserved: u32,
    /// Index of each value among the values that are held.
    pub at: Vec<u32>,
}

/// Checks whether an operand is a vector that is used or defined.
pub fn is(operand: &Operand, kind: OperandKind) -> bool {
    operand.vreg().class() == RegClass::Float && operand.kind() == kind
}

/// Returns the numbers of the bits that are set.
pub fn bits(set: &[u64]) -> impl Iterator<Item = usize> {
    set.iter().enumerate().flat_map(|(word, &set)| ones(set).map(move |bit| word * 64 + bit))
}

impl<'c> Spiller<'c> {
    /// Collects the facts about all values. Returns none if the live sets would be too large.
    fn new(code: &'c mut VCode, registers: usize) -> Option<Spiller<'c>> {
        let unknown = VregFacts {
            home: NONE,
            maker: NONE,
            global: NONE,
            depth: 0,
            is_param: false,
            is_away: false,
            is_over: false,
            goal: NONE,
            slot: NONE,
        };
        let (vregs, blocks) = (code.vregs as usize, code.blocks.len());
        let next = vec![NEVER; code.operands.len()];
        let mut spiller = Spiller {
            code,
            room: registers,
            known: vec![unknown; vregs],
            live_out: Vec::new(),
            live_in: Vec::new(),
            globals: Vec::new(),
            is_tight: vec![false; blocks],
            seen: vec![NEVER; vregs],
            next,
            free: Vec::new(),
            reserved: 0,
            at: vec![NONE; vregs],
        };
        for block in 0..blocks {
            spiller.note_makers(block);
        }
        let mut used = Vec::new();
        for block in 0..blocks {
            spiller.note_uses(block, &mut used);
        }
        let words = spiller.globals.len().div_ceil(64);
        if words * 64 * blocks > MOST_BITS {
            return None;
        }
        spiller.live_in = vec![vec![0; words]; blocks];
        spiller.live_out = spiller.live_in.clone();
        spiller.find_live(&used);
        spiller.find_tight(registers);
        Some(spiller)
    }

    /// Returns the distinct vectors that an instruction reads, each with its next use.
    pub fn uses(&self, inst: u32) -> SmallVec<[(VReg, u32); 6]> {
        let mut found: SmallVec<[(VReg, u32); 6]> = SmallVec::new();
        for at in self.code.operands_at(inst).filter(|&at| is(&self.code.operands[at], OperandKind::Use)) {
            let value = self.code.operands[at].vreg();
            if !found.iter().any(|(other, _)| *other == value) {
                found.push((value, self.next[at]));
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
    pub fn handed_over(&self, block: usize, is_away: bool) -> SmallVec<[(VReg, VReg); 8]> {
        let block = &self.code.blocks[block];
        let pairs = block.successors.iter().zip(&block.args).flat_map(|(next, args)| {
            args.iter().copied().zip(self.code.blocks[next.index()].params.iter().copied())
        });
        let vectors = pairs.filter(|(arg, _)| arg.class() == RegClass::Float);
        vectors.filter(|(_, param)| self.known[param.vreg()].is_away == is_away).collect()
    }

    fn note_makers(&mut self, block: usize) {
        for param in self.params(block).collect::<Vec<VReg>>() {
            let known = &mut self.known[param.vreg()];
            (known.home, known.is_param) = (block as u32, true);
        }
        for index in self.code.insts_of(block) {
            let inst = &self.code.insts[index as usize];
            let operands = &self.code.operands[self.code.operands_at(index)];
            let reads_nothing = operands.len() == 1
                && matches!(inst.kind, InstKind::Plain)
                && matches!(inst.anchor, AddrBase::Nothing | AddrBase::Pool(_));
            for made in operands.iter().filter(|operand| is(operand, OperandKind::Def)) {
                let known = &mut self.known[made.vreg().vreg()];
                known.home = block as u32;
                if reads_nothing && made.constraint() == OperandConstraint::Reg {
                    known.maker = index;
                }
            }
        }
    }

    /// Appends to `used` the values of other blocks that `block` uses.
    fn note_uses(&mut self, block: usize, used: &mut Vec<(usize, u32)>) {
        let insts = self.code.insts_of(block);
        let operands = insts.flat_map(|index| self.code.operands_at(index)).map(|at| self.code.operands[at]);
        let read = operands.filter(|operand| is(operand, OperandKind::Use)).map(|operand| operand.vreg());
        for value in read.chain(self.args(block)).collect::<Vec<VReg>>() {
            let known = &mut self.known[value.vreg()];
            known.depth = known.depth.max(self.code.blocks[block].depth);
            if known.home as usize == block {
                continue;
            }
            if known.global == NONE {
                known.global = self.globals.len() as u32;
                self.globals.push(value);
            }
            used.push((block, known.global));
        }
    }

    /// Computes the values that are live between blocks: a backward dataflow analysis up to a fixed point.
    fn find_live(&mut self, uses: &[(usize, u32)]) {
        let set = |set: &mut [u64], global: u32| set[global as usize / 64] |= 1 << (global % 64);
        let mut made = self.live_in.clone();
        let mut used = self.live_in.clone();
        for &value in &self.globals {
            let VregFacts { home, global, .. } = self.known[value.vreg()];
            set(&mut made[home as usize], global);
        }
        for &(block, global) in uses {
            set(&mut used[block], global);
        }
        let mut has_changed = !self.globals.is_empty();
        while std::mem::take(&mut has_changed) {
            for block in (0..used.len()).rev() {
                for &next in &self.code.blocks[block].successors {
                    for (out, alive) in self.live_out[block].iter_mut().zip(&self.live_in[next.index()]) {
                        *out |= alive;
                    }
                }
                for (word, &out) in self.live_out[block].iter().enumerate() {
                    let alive = used[block][word] | out & !made[block][word];
                    has_changed |= alive != self.live_in[block][word];
                    self.live_in[block][word] = alive;
                }
            }
        }
    }

    /// Finds the next use of each value behind each operand of the block, and in the block.
    pub fn look_ahead(&mut self, block: usize) {
        let end = self.code.blocks[block].end;
        for index in self.code.insts_of(block) {
            for at in self.code.operands_at(index) {
                self.seen[self.code.operands[at].vreg().vreg()] = NEVER;
            }
        }
        for value in self.params(block).chain(self.args(block)).collect::<SmallVec<[VReg; 8]>>() {
            self.seen[value.vreg()] = NEVER;
        }
        for global in bits(&self.live_out[block]) {
            let value = self.globals[global].vreg();
            let is_near = self.known[value].depth >= self.code.blocks[block].depth;
            self.seen[value] = end + if is_near { NEAR } else { ELSEWHERE };
        }
        for value in self.args(block).collect::<SmallVec<[VReg; 8]>>() {
            self.seen[value.vreg()] = end - 1;
        }
        for index in self.code.insts_of(block).rev() {
            let operands = self.code.operands_at(index);
            for at in operands.clone() {
                self.next[at] = self.seen[self.code.operands[at].vreg().vreg()];
            }
            for at in operands.filter(|&at| is(&self.code.operands[at], OperandKind::Use)) {
                self.seen[self.code.operands[at].vreg().vreg()] = index;
            }
        }
    }

    fn find_tight(&mut self, registers: usize) {
        for block in 0..self.is_tight.len() {
            self.is_tight[block] = self.most(block) > registers;
        }
    }

    /// Returns the maximum number of values in registers in a block, if spilled values are in registers between their
    /// first and last use in the block.
    fn most(&mut self, block: usize) -> usize {
        self.look_ahead(block);
        let end = self.code.blocks[block].end;
        let known = |value: VReg| &self.known[value.vreg()];
        let entering =
            bits(&self.live_in[block]).map(|global| self.globals[global]).chain(self.params(block));
        let mut alive = entering.filter(|&value| !known(value).is_away).count();
        let mut most = alive;
        for index in self.code.insts_of(block) {
            let uses = self.uses(index);
            let comes = |value: VReg| {
                let is_handed = known(value).home as usize != block || known(value).is_param;
                known(value).is_away && is_handed && self.seen[value.vreg()] == index
            };
            let goes = |value: VReg, next: u32| next == NEVER || known(value).is_away && next >= end;
            alive += uses.iter().filter(|(value, _)| comes(*value)).count();
            most = most.max(alive);
            let made =
                self.code.operands_at(index).filter(|&at| is(&self.code.operands[at], OperandKind::Def));
            alive += made.filter(|&at| !goes(self.code.operands[at].vreg(), self.next[at])).count();
            alive = alive.saturating_sub(uses.iter().filter(|&&(value, next)| goes(value, next)).count());
            most = most.max(alive);
        }
        most
    }

    /// Chooses the values that are in memory between blocks.
    fn choose(&mut self) {
        let mut tight: Vec<usize> = (0..self.is_tight.len()).filter(|&block| self.is_tight[block]).collect();
        tight.sort_by_key(|&block| {
            let block = &self.code.blocks[block];
            (std::cmp::Reverse(block.depth), block.end - block.first)
        });
        // A value that is spilled for one block relieves all later ones.
        for block in tight {
            self.go_through(block, &mut None);
        }
    }

    fn rewrite(&mut self) {
        for block in 0..self.code.blocks.len() {
            for param in self.params(block).collect::<Vec<VReg>>() {
                if self.known[param.vreg()].is_away {
                    self.known[param.vreg()].slot = self.slot();
                }
            }
        }
        self.reserved = self.code.slots.len() as u32;
        let mut made = Some(VCode::new());
        let count = |made: &Option<VCode>| made.as_ref().map_or(0, |made| made.insts.len() as u32);
        let mut moved: Vec<u32> = Vec::with_capacity(self.code.insts.len() + 1);
        for block in 0..self.code.blocks.len() {
            debug_assert_eq!(self.code.blocks[block].first as usize, moved.len());
            let first = count(&made);
            moved.extend(self.go_through(block, &mut made));
            (self.code.blocks[block].first, self.code.blocks[block].end) = (first, count(&made));
        }
        moved.push(count(&made));
        self.drop_handed_over();
        let Some(made) = made else { return };
        for (_, from, to, _) in &mut self.code.labels {
            for place in [from, to] {
                *place = InstIndex::new(moved[place.index()] as usize);
            }
        }
        (self.code.insts, self.code.operands, self.code.holes) = (made.insts, made.operands, made.holes);
    }

    /// Removes block parameters that are passed in memory.
    fn drop_handed_over(&mut self) {
        let is_kept =
            |known: &[VregFacts], param: &VReg| !known.get(param.vreg()).is_some_and(|known| known.is_away);
        for block in 0..self.code.blocks.len() {
            let mut args = std::mem::take(&mut self.code.blocks[block].args);
            for (next, args) in self.code.blocks[block].successors.iter().zip(&mut args) {
                let mut params = self.code.blocks[next.index()].params.iter();
                args.retain(|_| params.next().is_some_and(|param| is_kept(&self.known, param)));
            }
            self.code.blocks[block].args = args;
        }
        for block in &mut self.code.blocks {
            block.params.retain(|param| is_kept(&self.known, param));
        }
    }
}
