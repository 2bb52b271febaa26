//! Analyses before the assignment: liveness, register pressure, next uses, dominators, hints.

use regalloc2::{OperandConstraint, VReg};

use super::super::spill::bits;
use super::{Assigner, NO_INDEX, RegHint, class_of, fixed_register, is_use};

/// Maximum number of bits in the live sets of all blocks.
// Arbitrary.
const MAX_LIVE_BITS: usize = 1 << 21;

/// Binary logarithm of the assumed trip count of a loop, and the depth up to which nested loops are counted.
// Arbitrary.
const TRIP_COUNT_LOG2: u32 = 3;
const MAX_LOOP_DEPTH: u32 = 6;

/// Next use behind the block, and no next use.
pub const AFTER_BLOCK: u32 = u32::MAX - 1;
pub const NEVER: u32 = u32::MAX;

/// Returns the weight of a use in `depth` loops.
pub fn weight(depth: u32) -> u32 {
    1 << (TRIP_COUNT_LOG2 * depth.min(MAX_LOOP_DEPTH))
}

impl Assigner<'_> {
    /// Computes the values that are live at the beginning of blocks: a backward dataflow analysis up to a fixed point.
    /// Returns none if the live sets would be too large.
    pub fn compute_liveness(&mut self) -> Option<()> {
        let code = self.code;
        let mut def_block = vec![NO_INDEX; code.vregs as usize];
        for (number, block) in code.blocks.iter().enumerate() {
            let defined = code.operands_of(block).iter().filter(|operand| !is_use(operand));
            for value in defined.map(|operand| operand.vreg()).chain(block.params.iter().copied()) {
                def_block[value.vreg()] = number as u32;
            }
        }
        let mut used: Vec<(u32, u32)> = Vec::new();
        for (number, block) in code.blocks.iter().enumerate() {
            let weight = weight(block.depth);
            let read = code.operands_of(block).iter().filter(|operand| is_use(operand));
            for value in read.map(|operand| operand.vreg()).chain(block.args.iter().flatten().copied()) {
                let weight_of_value = &mut self.uses.weight[value.vreg()];
                *weight_of_value = weight_of_value.saturating_add(weight);
                if def_block[value.vreg()] == number as u32 {
                    continue;
                }
                let global = &mut self.liveness.index[value.vreg()];
                if *global == NO_INDEX {
                    *global = self.liveness.values.len() as u32;
                    self.liveness.values.push(value);
                }
                used.push((number as u32, *global));
            }
        }
        let words = self.liveness.values.len().div_ceil(64);
        if words * 64 * code.blocks.len() > MAX_LIVE_BITS {
            return None;
        }
        self.liveness.words = words;
        self.liveness.bits = vec![0; words * code.blocks.len()];
        let mut defined = self.liveness.bits.clone();
        for &value in &self.liveness.values {
            let global = self.liveness.index[value.vreg()] as usize;
            defined[def_block[value.vreg()] as usize * words + global / 64] |= 1 << (global % 64);
        }
        for &(block, global) in &used {
            self.liveness.bits[block as usize * words + global as usize / 64] |= 1 << (global % 64);
        }
        let mut has_changed = words > 0;
        while std::mem::take(&mut has_changed) {
            for (number, block) in code.blocks.iter().enumerate().rev() {
                for next in &block.successors {
                    for word in 0..words {
                        let alive =
                            self.liveness.bits[next.index() * words + word] & !defined[number * words + word];
                        let here = &mut self.liveness.bits[number * words + word];
                        has_changed |= alive & !*here != 0;
                        *here |= alive;
                    }
                }
            }
        }
        Some(())
    }

    /// Returns the values that are live at the beginning of a block, without its parameters.
    pub fn live_in(&self, block: usize) -> impl Iterator<Item = VReg> {
        let set = &self.liveness.bits[block * self.liveness.words..][..self.liveness.words];
        bits(set).map(|global| self.liveness.values[global])
    }

    pub fn is_alive(&self, value: VReg, block: usize) -> bool {
        let global = self.liveness.index[value.vreg()];
        global != NO_INDEX
            && self.liveness.bits[block * self.liveness.words + global as usize / 64] >> (global % 64) & 1
                == 1
    }

    /// Finds the next use of the value behind each operand of a block, and in the block, and the maximum number of live
    /// values.
    pub fn compute_next_uses(&mut self, block: usize, visit: u32) {
        let code = self.code;
        let mut alive = [0i32; 3];
        let mut note = |assigner: &mut Self, value: VReg| {
            if assigner.uses.live_in_visit[value.vreg()] != visit {
                assigner.uses.live_in_visit[value.vreg()] = visit;
                alive[class_of(value)] += 1;
            }
            assigner.uses.next[value.vreg()] = AFTER_BLOCK;
        };
        for (next, args) in code.blocks[block].successors.iter().zip(&code.blocks[block].args) {
            for word in 0..self.liveness.words {
                let mut set = self.liveness.bits[next.index() * self.liveness.words + word];
                while set != 0 {
                    note(self, self.liveness.values[word * 64 + set.trailing_zeros() as usize]);
                    set &= set - 1;
                }
            }
            for (&arg, param) in args.iter().zip(&code.blocks[next.index()].params) {
                note(self, arg);
                self.uses.param_target[arg.vreg()] = param.vreg() as u32;
            }
        }
        let mut max = alive;
        for inst in self.code.insts_of(block).rev() {
            let range = self.code.operands_at(inst);
            let mut here = alive;
            for at in range.clone() {
                let operand = &code.operands[at];
                let value = operand.vreg().vreg();
                let is_used = self.uses.live_in_visit[value] == visit;
                self.uses.next_of_operand[at] = if is_used { self.uses.next[value] } else { NEVER };
                if !is_use(operand) {
                    let class = class_of(operand.vreg());
                    here[class] += i32::from(!is_used);
                    alive[class] -= i32::from(is_used);
                }
            }
            for at in range.filter(|&at| is_use(&code.operands[at])) {
                let value = code.operands[at].vreg();
                if self.uses.live_in_visit[value.vreg()] != visit {
                    self.uses.live_in_visit[value.vreg()] = visit;
                    alive[class_of(value)] += 1;
                }
                self.uses.next[value.vreg()] = inst;
            }
            for class in 0..3 {
                max[class] = max[class].max(alive[class]).max(here[class]);
            }
        }
        self.uses.pressure[block] = max.map(|max| max.max(0) as u32);
    }

    /// Computes the dominator tree (Cooper, Harvey, Kennedy: A Simple, Fast Dominance Algorithm, 2001). Returns none if
    /// the blocks are not in reverse postorder.
    pub fn compute_dominators(&mut self) -> Option<()> {
        let blocks = &self.code.blocks;
        let mut above: Vec<usize> = vec![usize::MAX; blocks.len()];
        let mut has_changed = true;
        while std::mem::take(&mut has_changed) {
            for (number, block) in blocks.iter().enumerate().skip(1) {
                let mut found = usize::MAX;
                for from in block.predecessors.iter().map(|from| from.index()) {
                    if from != 0 && above[from] == usize::MAX {
                        continue;
                    }
                    let mut other = from;
                    while found != usize::MAX && found != other {
                        if found > other {
                            found = above[found];
                        } else {
                            other = above[other];
                        }
                    }
                    found = other;
                }
                if found >= number {
                    return None;
                }
                has_changed |= above[number] != found;
                above[number] = found;
            }
        }
        // Numbers the blocks in preorder of the tree, so that a block dominates an interval.
        let mut sizes = vec![1u32; blocks.len()];
        for number in (1..blocks.len()).rev() {
            sizes[above[number]] += sizes[number];
        }
        let mut next = vec![1u32; blocks.len()];
        self.dominated = vec![(0, 0); blocks.len()];
        self.dominated[0] = (0, sizes[0]);
        for number in 1..blocks.len() {
            let first = self.dominated[above[number]].0 + next[above[number]];
            next[above[number]] += sizes[number];
            self.dominated[number] = (first, first + sizes[number]);
        }
        Some(())
    }

    pub fn dominates(&self, above: u32, block: usize) -> bool {
        let (first, end) = self.dominated[above as usize];
        (first..end).contains(&self.dominated[block].0)
    }

    /// Computes hints for the register of each value: the one that an instruction requires, or that of the parameter
    /// that receives it; for a source that is overwritten, the hint of the result.
    pub fn compute_hints(&mut self) {
        let code = self.code;
        for (number, block) in code.blocks.iter().enumerate().rev() {
            for (next, args) in block.successors.iter().zip(&block.args) {
                let is_back = next.index() <= number;
                for (arg, param) in args.iter().zip(&code.blocks[next.index()].params) {
                    let hint = &mut self.hints[arg.vreg()];
                    if is_back || *hint == RegHint::None {
                        *hint = RegHint::Param(param.vreg() as u32);
                    }
                }
            }
            for inst in self.code.insts_of(number).rev() {
                let range = self.code.operands_at(inst);
                for operand in &code.operands[range.clone()] {
                    let (hint, of) = match operand.constraint() {
                        OperandConstraint::Reuse(reused) => {
                            (self.hints[operand.vreg().vreg()], code.operands[range.start + reused].vreg())
                        }
                        _ => match fixed_register(operand).filter(|_| is_use(operand)) {
                            Some(register) => (RegHint::Fixed(register), operand.vreg()),
                            None => continue,
                        },
                    };
                    if self.hints[of.vreg()] == RegHint::None {
                        self.hints[of.vreg()] = hint;
                    }
                }
            }
        }
    }
}
