//! Which vectors are in registers, before these are assigned.
//!
//! The allocator gives registers to whole ranges of a value and cuts those that do not fit, again and again, down to single
//! uses: in a block of thousands of instructions with more values than registers that takes long, and loads a value once for
//! each use. Here each block is gone through once. A value that is needed and is not there comes back from memory, and the one
//! that is used last makes room for it (Belady, A Study of Replacement Algorithms, 1966; for code with branches: Braun, Hack,
//! Register Spilling and Live-Range Splitting for SSA-Form Programs, CC 2009). What is left to the allocator fits.
//!
//! Values that live between blocks are in their register everywhere; or they are in memory, and blocks that use them load them.
//! They go to memory if there is no room in a block that is in no fewer loops than their uses. Constants are not stored, but made
//! again.

use regalloc2::{Inst as InstIndex, Operand, OperandConstraint, OperandKind, RegClass, VReg};
use smallvec::SmallVec;

use super::super::inst::{AddrBase, InstKind};
use super::super::vcode::VCode;
use crate::support::ones;

/// Bits of all blocks' live values that are kept at most: in larger functions all is left to the allocator.
const MOST_BITS: usize = 1 << 23;

/// Where a value is used behind the end of the block, counted from there: in the same loops, and elsewhere.
const NEAR: u32 = 1 << 20;
const ELSEWHERE: u32 = 1 << 24;
pub const NEVER: u32 = u32::MAX;

pub const NONE: u32 = u32::MAX;

/// What is known of a vector register of the code, which is a value.
#[derive(Clone, Copy)]
pub struct VregFacts {
    /// The block that makes it.
    pub home: u32,
    /// The instruction, if that reads nothing.
    pub maker: u32,
    /// Its number among those that are used in other blocks, too.
    pub global: u32,
    /// In how many loops it is used at most.
    pub depth: u32,
    /// Whether a block is handed it.
    pub is_param: bool,
    /// Whether it is in memory between blocks. A parameter is handed over there.
    pub is_away: bool,
    /// Whether it is not used any more in the block at hand, nor behind it.
    pub is_over: bool,
    /// The parameter that the block at hand makes it, in memory.
    pub goal: u32,
    /// The slot of the frame where it is, if it is in memory.
    pub slot: u32,
}

/// Puts into memory what does not fit into so many vector registers.
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
    // Where that was all there is room for what is left. Elsewhere one register is left free to move values around in.
    spiller.find_tight(registers);
    if spiller.is_tight.contains(&true) {
        spiller.room = registers.saturating_sub(1).max(2);
        spiller.choose();
    }
    spiller.rewrite();
}

/// A function whose vectors are given registers or memory.
pub struct Spiller<'c> {
    pub code: &'c mut VCode,
    pub room: usize,
    pub known: Vec<VregFacts>,
    /// Of each block, the values of others that are alive at its end; a bit for each that is used in other blocks.
    pub live_out: Vec<Vec<u64>>,
    pub live_in: Vec<Vec<u64>>,
    pub globals: Vec<VReg>,
    /// Blocks that need more registers than there are.
    pub is_tight: Vec<bool>,
    /// Where each value is used first behind the place at hand, while a block is gone through backwards; then in the block.
    pub seen: Vec<u32>,
    /// The same behind each operand.
    pub next: Vec<u32>,
    /// Slots of the frame that are free again.
    pub free: Vec<u32>,
    /// Slots below are not given back.
    pub reserved: u32,
    /// Where values are among those that are held.
    pub at: Vec<u32>,
}

/// Whether an operand is a vector that is read, or one that is made.
pub fn is(operand: &Operand, kind: OperandKind) -> bool {
    operand.vreg().class() == RegClass::Float && operand.kind() == kind
}

/// The numbers of the bits that are set.
pub fn bits(set: &[u64]) -> impl Iterator<Item = usize> {
    set.iter().enumerate().flat_map(|(word, &set)| ones(set).map(move |bit| word * 64 + bit))
}

impl<'c> Spiller<'c> {
    /// None if there is too much to know.
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

    /// What an instruction reads, each once, with where it is used behind it.
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

    /// What a block hands to those that follow.
    fn args(&self, block: usize) -> impl Iterator<Item = VReg> {
        let args = self.code.blocks[block].args.iter().flatten().copied();
        args.filter(|arg| arg.class() == RegClass::Float)
    }

    /// The same in memory, or in registers: what, and the parameter that it becomes.
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

    /// Gives `used` the values of other blocks, with the block.
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

    /// What is alive between blocks, backwards until nothing changes.
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

    /// Finds where values are used next: behind each operand of the block, and in the block (`seen`).
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

    /// How many values are in registers in a block at most, if what is in memory between blocks is there as long as it is used.
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

    /// Chooses what is in memory between blocks.
    fn choose(&mut self) {
        let mut tight: Vec<usize> = (0..self.is_tight.len()).filter(|&block| self.is_tight[block]).collect();
        tight.sort_by_key(|&block| {
            let block = &self.code.blocks[block];
            (std::cmp::Reverse(block.depth), block.end - block.first)
        });
        // What goes to memory for one block makes room in those that follow.
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

    /// What is handed over in memory is no parameter any more.
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
