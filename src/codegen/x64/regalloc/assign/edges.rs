//! Register assignment at the edges between blocks.

use std::cmp::Reverse;

use regalloc2::{Allocation, Edit, RegClass, SpillSlot, VReg};
use smallvec::SmallVec;

use super::live::weight;
use super::{
    Assigner, CLASSES, Entering, MEMORY, Move, NOBODY, NONE, Registers, bit, class_of, place, point,
};
use crate::support::{FastMap, FastSet};

impl Assigner<'_> {
    /// Begins a block: values are in the locations in which they enter it.
    pub fn enter(&mut self, block: usize) -> Option<()> {
        let first = self.code.blocks[block].first;
        (self.holder, self.held) = ([[NOBODY; 32]; 3], [0; 3]);
        self.avoided = self.code.blocks[block].within.map_or([0; 3], |id| self.wanted[id.0 as usize]);
        if block == 0 {
            return self.code.blocks[block].params.is_empty().then_some(());
        }
        let entry = self.entries[block].take()?;
        for &Entering { value, register, is_stored } in &entry {
            if is_stored && !self.is_stored_for(value, block) {
                self.stored_in[value.vreg()] = block as u32;
            }
            self.is_stored[value.vreg()] = is_stored;
            self.home[value.vreg()] = NONE;
            // A parameter may have no uses.
            if register == MEMORY {
                self.begin_stay(value, first);
            } else if self.used_in[value.vreg()] == self.visit(block) {
                self.hold(value, register, first);
            }
        }
        self.entries[block] = Some(entry);
        Some(())
    }

    /// Ends a block: on the edge to each successor, values are moved to the locations in which they enter it.
    pub fn leave(&mut self, block: usize) -> Option<()> {
        let code = self.code;
        let here = &code.blocks[block];
        for (next, args) in here.successors.iter().zip(&here.args) {
            let next = next.index();
            if self.entries[next].is_none() {
                let entry = self.decide(next, args)?;
                self.entries[next] = Some(entry);
            }
            let entry = self.entries[next].take()?;
            let mut moves: SmallVec<[Move; 8]> = SmallVec::new();
            let mut busy = self.held;
            for (at, &Entering { value, register, is_stored }) in entry.iter().enumerate() {
                let class = value.class();
                let from = args.get(at).copied().unwrap_or(value);
                let is_there = at >= args.len() && self.is_stored[from.vreg()];
                let from = self.place_of(from);
                if register != MEMORY {
                    busy[class as usize] |= bit(register);
                    let to = place(class, register);
                    moves.extend((from != to).then_some(Move { class, from, to }));
                }
                if is_stored && !is_there {
                    let to = self.slot(value);
                    moves.extend((from != to).then_some(Move { class, from, to }));
                }
            }
            self.entries[next] = Some(entry);
            if moves.is_empty() {
                continue;
            }
            let inst = if here.successors.len() == 1 {
                // Moves before the branch must not change what the branch reads.
                let last = here.end - 1;
                if !self.code.operands_at(last).is_empty() {
                    return None;
                }
                last
            } else if code.blocks[next].predecessors.len() == 1 {
                code.blocks[next].first
            } else {
                return None;
            };
            self.make_moves(inst, moves, busy);
        }
        Some(())
    }

    /// Chooses the locations of values at the beginning of a block. Live values keep their location, or are spilled if
    /// the loop that begins there has too few registers. Parameters take the location of their argument if that is
    /// free.
    fn decide(&mut self, next: usize, args: &[VReg]) -> Option<Vec<Entering>> {
        let code = self.code;
        let block = &code.blocks[next];
        let entering = |value| Entering { value, register: NONE, is_stored: false };
        let mut entry: Vec<Entering> = block.params.iter().copied().map(entering).collect();
        let params = entry.len();
        entry.extend(self.live_in(next).map(entering));
        let last = block.predecessors.iter().map(|from| from.index()).max()?;
        let is_loop = last >= next;
        let mut taken: Registers = [0; 3];
        for of in &mut entry[params..] {
            of.register = self.home[of.value.vreg()];
            of.is_stored = of.register == NONE || self.is_stored_for(of.value, next);
        }
        if is_loop {
            self.clear_for_loop(&mut entry, next..=last);
        }
        for of in entry[params..].iter().filter(|of| of.register < MEMORY) {
            taken[class_of(of.value)] |= bit(of.register);
        }
        for (of, arg) in entry.iter_mut().zip(args).filter(|(of, _)| of.register == NONE) {
            let (class, home) = (class_of(of.value), self.home[arg.vreg()]);
            if home != NONE && taken[class] & bit(home) == 0 {
                taken[class] |= bit(home);
                of.register = home;
            }
        }
        for (at, of) in entry.iter_mut().enumerate().filter(|(_, of)| of.register == NONE) {
            // A value in memory gets a register, if one is free, if it is used in the loop, or if it is not in memory
            // on all paths.
            let class = class_of(of.value);
            let is_param = at < params;
            let comes_back = if is_loop {
                self.weights[of.value.vreg()] >= weight(block.depth)
            } else {
                !self.is_stored_for(of.value, next)
            };
            if !is_param && !comes_back {
                of.register = MEMORY;
                continue;
            }
            let free = !(taken[class] | self.held[class]);
            let picked = self.pick(of.value, free).or_else(|| self.pick(of.value, !taken[class]));
            if let Some(register) = picked {
                taken[class] |= bit(register);
                of.register = register;
                of.is_stored = !is_param && self.is_stored_for(of.value, next);
            } else {
                (of.register, of.is_stored) = (MEMORY, true);
            }
        }
        self.share_slots(&entry[..params], args, next);
        for of in &entry[..params] {
            self.entry_of[of.value.vreg()] = of.register;
            if let Some(id) = block.within.filter(|_| is_loop && of.register < MEMORY) {
                self.wanted[id.0 as usize][class_of(of.value)] |= bit(of.register);
            }
        }
        Some(entry)
    }

    /// Checks whether a value is in memory on all paths to a block.
    fn is_stored_for(&self, value: VReg, block: usize) -> bool {
        let since = self.stored_in[value.vreg()];
        self.is_stored[value.vreg()] && since != NOBODY && self.dominates(since, block)
    }

    /// Lets parameters in memory share the slot of their argument, if that is in memory and not needed any more.
    fn share_slots(&mut self, params: &[Entering], args: &[VReg], next: usize) {
        let mut shared: FastSet<u32> = FastSet::default();
        for (of, arg) in params.iter().zip(args).filter(|(of, _)| of.register == MEMORY) {
            let slot = self.slots[arg.vreg()];
            if self.home[arg.vreg()] == NONE && !self.is_alive(*arg, next) && shared.insert(slot) {
                self.slots[of.value.vreg()] = slot;
                // On other edges the slot may still be in use for another value.
                let goal = self.goals[arg.vreg()] as usize;
                let is_of_another = goal != of.value.vreg() && self.slots[goal] == slot;
                self.is_lent[slot as usize] |= self.global[arg.vreg()] != NOBODY || is_of_another;
            }
        }
    }

    /// Spills the values with the least uses before a loop that needs more registers than there are.
    fn clear_for_loop(&mut self, entry: &mut [Entering], blocks: std::ops::RangeInclusive<usize>) {
        for class in CLASSES {
            let needed = blocks.clone().map(|block| self.pressure[block][class as usize]).max();
            let there = self.usable[class as usize].count_ones();
            let excess = needed.unwrap_or(0).saturating_sub(there) as usize;
            if excess == 0 {
                continue;
            }
            let mut values: Vec<usize> =
                (0..entry.len()).filter(|&at| entry[at].value.class() == class).collect();
            values.sort_by_key(|&at| (self.weights[entry[at].value.vreg()], Reverse(at)));
            for &at in values.iter().take(excess) {
                entry[at].register = MEMORY;
                entry[at].is_stored = true;
            }
        }
    }

    /// Emits a parallel copy before an instruction. Registers in `busy` are changed only if they are a destination.
    pub fn make_moves(&mut self, inst: u32, mut moves: SmallVec<[Move; 8]>, busy: Registers) {
        if moves.is_empty() {
            return;
        }
        let mut moving: Registers = [0; 3];
        for moved in &moves {
            for register in [moved.from, moved.to].into_iter().filter_map(Allocation::as_reg) {
                moving[moved.class as usize] |= bit(register.hw_enc() as u8);
            }
        }
        let mut ways = Ways { inst, moving, busy, lent: [None; 3] };
        // Number of moves that still have to read each location, and the move that is to write it.
        let mut readers: FastMap<Allocation, u32> = FastMap::default();
        moves.iter().for_each(|moved| *readers.entry(moved.from).or_default() += 1);
        let mut writes: FastMap<Allocation, Move> = moves.iter().map(|moved| (moved.to, *moved)).collect();
        let is_free = |moved: &Move, readers: &FastMap<Allocation, u32>| !readers.contains_key(&moved.to);
        let mut free: SmallVec<[Move; 8]> =
            moves.iter().copied().filter(|moved| is_free(moved, &readers)).collect();
        loop {
            while let Some(moved) = free.pop() {
                writes.remove(&moved.to);
                self.make_move(moved, &mut ways);
                has_been_read(moved.from, &mut readers, &writes, &mut free);
            }
            // The remaining moves form cycles, which are broken by a free register or a new slot.
            let Some(next) = moves.pop() else { break };
            let Some(&Move { class, from, to }) = writes.get(&next.to) else { continue };
            let aside = match ways.free(self.usable, class) {
                Some(register) => {
                    ways.moving[class as usize] |= bit(register);
                    place(class, register)
                }
                None => self.new_place(class),
            };
            // A location in a cycle has exactly one reader, the next move of the cycle.
            self.make_move(Move { class, from, to: aside }, &mut ways);
            writes.insert(to, Move { class, from: aside, to });
            has_been_read(from, &mut readers, &writes, &mut free);
        }
        for (register, aside) in ways.lent.into_iter().flatten() {
            self.edits.push((point(inst), Edit::Move { from: aside, to: register }));
        }
    }

    fn new_place(&mut self, class: RegClass) -> Allocation {
        Allocation::stack(SpillSlot::new(self.new_slot(class) as usize))
    }

    /// Emits one move. A move from memory to memory goes through a register: a free one, else one that takes no part in
    /// the parallel copy and is saved meanwhile.
    fn make_move(&mut self, Move { class, from, to }: Move, ways: &mut Ways) {
        let at = point(ways.inst);
        if !from.is_stack() || !to.is_stack() {
            self.edits.push((at, Edit::Move { from, to }));
            return;
        }
        let by = match (ways.lent[class as usize], ways.free(self.usable, class)) {
            (Some((lent, _)), _) => lent,
            (None, Some(register)) => place(class, register),
            (None, None) => {
                let still = self.usable[class as usize] & !ways.moving[class as usize];
                let all = if still == 0 { self.usable[class as usize] } else { still };
                let (lent, aside) = (place(class, all.trailing_zeros() as u8), self.new_place(class));
                self.edits.push((at, Edit::Move { from: lent, to: aside }));
                if still == 0 {
                    for (from, to) in [(from, lent), (lent, to), (aside, lent)] {
                        self.edits.push((at, Edit::Move { from, to }));
                    }
                    return;
                }
                ways.lent[class as usize] = Some((lent, aside));
                lent
            }
        };
        for (from, to) in [(from, by), (by, to)] {
            self.edits.push((at, Edit::Move { from, to }));
        }
    }
}

/// Registers that a parallel copy may use.
struct Ways {
    inst: u32,
    /// Registers that are a source or destination, and registers that hold a value.
    moving: Registers,
    busy: Registers,
    /// Registers that were saved to serve as temporary, and where their contents are.
    lent: [Option<(Allocation, Allocation)>; 3],
}

impl Ways {
    fn free(&self, usable: Registers, class: RegClass) -> Option<u8> {
        let class = class as usize;
        let free = usable[class] & !(self.busy[class] | self.moving[class]);
        (free != 0).then(|| free.trailing_zeros() as u8)
    }
}

/// Counts a read of a location. After the last one its write is ready.
fn has_been_read(
    from: Allocation,
    readers: &mut FastMap<Allocation, u32>,
    writes: &FastMap<Allocation, Move>,
    free: &mut SmallVec<[Move; 8]>,
) {
    if let Some(left) = readers.get_mut(&from) {
        *left -= 1;
        if *left == 0 {
            readers.remove(&from);
            free.extend(writes.get(&from).copied());
        }
    }
}
