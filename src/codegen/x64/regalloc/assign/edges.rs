//! Register assignment at the edges between blocks.

use std::cmp::Reverse;

use regalloc2::{Allocation, Edit, RegClass, SpillSlot, VReg};
use smallvec::SmallVec;

use super::live::weight;
use super::{
    Assigner, CLASSES, EntryLocation, IN_MEMORY, Move, NO_INDEX, NO_REGISTER, Registers, bit, class_of,
    point, reg_location,
};
use grus_support::{FastMap, FastSet};

impl Assigner<'_> {
    /// Begins a block: values are in the locations in which they enter it.
    pub fn enter_block(&mut self, block: usize) -> Option<()> {
        let first = self.code.blocks[block].first;
        (self.registers.holder, self.registers.held) = ([[NO_INDEX; 32]; 3], [0; 3]);
        self.registers.avoided = self.code.blocks[block]
            .innermost_loop
            .map_or([0; 3], |id| self.entries.loop_params[id.0 as usize]);
        if block == 0 {
            return self.code.blocks[block].params.is_empty().then_some(());
        }
        let entry = self.entries.of_block[block].take()?;
        for &EntryLocation { value, register, is_stored } in &entry {
            if is_stored && !self.is_stored_for(value, block) {
                self.locations.stored_in[value.vreg()] = block as u32;
            }
            self.locations.is_stored[value.vreg()] = is_stored;
            self.locations.register[value.vreg()] = NO_REGISTER;
            // A parameter may have no uses.
            if register == IN_MEMORY {
                self.begin_range(value, first);
            } else if self.uses.live_in_visit[value.vreg()] == self.visit(block) {
                self.hold(value, register, first);
            }
        }
        self.entries.of_block[block] = Some(entry);
        Some(())
    }

    /// Ends a block: on the edge to each successor, values are moved to the locations in which they enter it.
    pub fn leave_block(&mut self, block: usize) -> Option<()> {
        let code = self.code;
        let source = &code.blocks[block];
        for (next, args) in source.successors.iter().zip(&source.args) {
            let next = next.index();
            if self.entries.of_block[next].is_none() {
                let entry = self.choose_entry(next, args)?;
                self.entries.of_block[next] = Some(entry);
            }
            let entry = self.entries.of_block[next].take()?;
            let mut moves: SmallVec<[Move; 8]> = SmallVec::new();
            let mut busy = self.registers.held;
            for (at, &EntryLocation { value, register, is_stored }) in entry.iter().enumerate() {
                let class = value.class();
                let from = args.get(at).copied().unwrap_or(value);
                let is_in_memory = at >= args.len() && self.locations.is_stored[from.vreg()];
                let from = self.location_of(from);
                if register != IN_MEMORY {
                    busy[class as usize] |= bit(register);
                    let to = reg_location(class, register);
                    moves.extend((from != to).then_some(Move { class, from, to }));
                }
                if is_stored && !is_in_memory {
                    let to = self.slot(value);
                    moves.extend((from != to).then_some(Move { class, from, to }));
                }
            }
            self.entries.of_block[next] = Some(entry);
            if moves.is_empty() {
                continue;
            }
            let inst = if source.successors.len() == 1 {
                // Moves before the branch must not change what the branch reads.
                let last = source.end - 1;
                if !self.code.operands_at(last).is_empty() {
                    return None;
                }
                last
            } else if code.blocks[next].predecessors.len() == 1 {
                code.blocks[next].first
            } else {
                return None;
            };
            self.emit_parallel_copy(inst, moves, busy);
        }
        Some(())
    }

    /// Chooses the locations of values at the beginning of a block. Live values keep their location, or are spilled if
    /// the loop that begins there has too few registers. Parameters take the location of their argument if that is
    /// free.
    fn choose_entry(&mut self, next: usize, args: &[VReg]) -> Option<Vec<EntryLocation>> {
        let code = self.code;
        let block = &code.blocks[next];
        let undecided = |value| EntryLocation { value, register: NO_REGISTER, is_stored: false };
        let mut entry: Vec<EntryLocation> = block.params.iter().copied().map(undecided).collect();
        let params = entry.len();
        entry.extend(self.live_in(next).map(undecided));
        let last = block.predecessors.iter().map(|from| from.index()).max()?;
        let is_loop = last >= next;
        let mut taken: Registers = [0; 3];
        for entering in &mut entry[params..] {
            entering.register = self.locations.register[entering.value.vreg()];
            entering.is_stored = entering.register == NO_REGISTER || self.is_stored_for(entering.value, next);
        }
        if is_loop {
            self.spill_for_loop(&mut entry, next..=last);
        }
        for entering in entry[params..].iter().filter(|entering| entering.register < IN_MEMORY) {
            taken[class_of(entering.value)] |= bit(entering.register);
        }
        for (entering, arg) in
            entry.iter_mut().zip(args).filter(|(entering, _)| entering.register == NO_REGISTER)
        {
            let (class, home) = (class_of(entering.value), self.locations.register[arg.vreg()]);
            if home != NO_REGISTER && taken[class] & bit(home) == 0 {
                taken[class] |= bit(home);
                entering.register = home;
            }
        }
        for (at, entering) in
            entry.iter_mut().enumerate().filter(|(_, entering)| entering.register == NO_REGISTER)
        {
            // A value in memory gets a register, if one is free, if it is used in the loop, or if it is not in memory
            // on all paths.
            let class = class_of(entering.value);
            let is_param = at < params;
            let is_reloaded = if is_loop {
                self.uses.weight[entering.value.vreg()] >= weight(block.depth)
            } else {
                !self.is_stored_for(entering.value, next)
            };
            if !is_param && !is_reloaded {
                entering.register = IN_MEMORY;
                continue;
            }
            let free = !(taken[class] | self.registers.held[class]);
            let picked = self
                .pick_free(entering.value, free)
                .or_else(|| self.pick_free(entering.value, !taken[class]));
            if let Some(register) = picked {
                taken[class] |= bit(register);
                entering.register = register;
                entering.is_stored = !is_param && self.is_stored_for(entering.value, next);
            } else {
                (entering.register, entering.is_stored) = (IN_MEMORY, true);
            }
        }
        self.share_slots(&entry[..params], args, next);
        for entering in &entry[..params] {
            self.entries.param_register[entering.value.vreg()] = entering.register;
            if let Some(id) = block.innermost_loop.filter(|_| is_loop && entering.register < IN_MEMORY) {
                self.entries.loop_params[id.0 as usize][class_of(entering.value)] |= bit(entering.register);
            }
        }
        Some(entry)
    }

    /// Checks whether a value is in memory on all paths to a block.
    fn is_stored_for(&self, value: VReg, block: usize) -> bool {
        let since = self.locations.stored_in[value.vreg()];
        self.locations.is_stored[value.vreg()] && since != NO_INDEX && self.dominates(since, block)
    }

    /// Lets parameters in memory share the slot of their argument, if that is in memory and not needed any more.
    fn share_slots(&mut self, params: &[EntryLocation], args: &[VReg], next: usize) {
        let mut shared: FastSet<u32> = FastSet::default();
        for (entering, arg) in params.iter().zip(args).filter(|(entering, _)| entering.register == IN_MEMORY)
        {
            let slot = self.locations.slot[arg.vreg()];
            if self.locations.register[arg.vreg()] == NO_REGISTER
                && !self.is_alive(*arg, next)
                && shared.insert(slot)
            {
                self.locations.slot[entering.value.vreg()] = slot;
                // On other edges the slot may still be in use for another value.
                let param_target = self.uses.param_target[arg.vreg()] as usize;
                let is_of_another =
                    param_target != entering.value.vreg() && self.locations.slot[param_target] == slot;
                self.spill_slots.is_shared[slot as usize] |=
                    self.liveness.index[arg.vreg()] != NO_INDEX || is_of_another;
            }
        }
    }

    /// Spills the values with the least uses before a loop that needs more registers than there are.
    fn spill_for_loop(&mut self, entry: &mut [EntryLocation], blocks: std::ops::RangeInclusive<usize>) {
        for class in CLASSES {
            let needed = blocks.clone().map(|block| self.uses.pressure[block][class as usize]).max();
            let available = self.registers.usable[class as usize].count_ones();
            let excess = needed.unwrap_or(0).saturating_sub(available) as usize;
            if excess == 0 {
                continue;
            }
            let mut values: Vec<usize> =
                (0..entry.len()).filter(|&at| entry[at].value.class() == class).collect();
            values.sort_by_key(|&at| (self.uses.weight[entry[at].value.vreg()], Reverse(at)));
            for &at in values.iter().take(excess) {
                entry[at].register = IN_MEMORY;
                entry[at].is_stored = true;
            }
        }
    }

    /// Emits a parallel copy before an instruction. Registers in `busy` are changed only if they are a destination.
    pub fn emit_parallel_copy(&mut self, inst: u32, mut moves: SmallVec<[Move; 8]>, busy: Registers) {
        if moves.is_empty() {
            return;
        }
        let mut moving: Registers = [0; 3];
        for moved in &moves {
            for register in [moved.from, moved.to].into_iter().filter_map(Allocation::as_reg) {
                moving[moved.class as usize] |= bit(register.hw_enc() as u8);
            }
        }
        let mut copy = ParallelCopy { inst, moving, busy, saved: [None; 3] };
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
                self.emit_move(moved, &mut copy);
                count_read(moved.from, &mut readers, &writes, &mut free);
            }
            // The remaining moves form cycles, which are broken by a free register or a new slot.
            let Some(next) = moves.pop() else { break };
            let Some(&Move { class, from, to }) = writes.get(&next.to) else { continue };
            let temporary = match copy.free(self.registers.usable, class) {
                Some(register) => {
                    copy.moving[class as usize] |= bit(register);
                    reg_location(class, register)
                }
                None => self.new_slot_location(class),
            };
            // A location in a cycle has exactly one reader, the next move of the cycle.
            self.emit_move(Move { class, from, to: temporary }, &mut copy);
            writes.insert(to, Move { class, from: temporary, to });
            count_read(from, &mut readers, &writes, &mut free);
        }
        for (register, temporary) in copy.saved.into_iter().flatten() {
            self.output.edits.push((point(inst), Edit::Move { from: temporary, to: register }));
        }
    }

    fn new_slot_location(&mut self, class: RegClass) -> Allocation {
        Allocation::stack(SpillSlot::new(self.new_slot(class) as usize))
    }

    /// Emits one move. A move from memory to memory goes through a register: a free one, else one that takes no part in
    /// the parallel copy and is saved meanwhile.
    fn emit_move(&mut self, Move { class, from, to }: Move, copy: &mut ParallelCopy) {
        let at = point(copy.inst);
        if !from.is_stack() || !to.is_stack() {
            self.output.edits.push((at, Edit::Move { from, to }));
            return;
        }
        let through = match (copy.saved[class as usize], copy.free(self.registers.usable, class)) {
            (Some((borrowed, _)), _) => borrowed,
            (None, Some(register)) => reg_location(class, register),
            (None, None) => {
                let idle = self.registers.usable[class as usize] & !copy.moving[class as usize];
                let all = if idle == 0 { self.registers.usable[class as usize] } else { idle };
                let (borrowed, temporary) =
                    (reg_location(class, all.trailing_zeros() as u8), self.new_slot_location(class));
                self.output.edits.push((at, Edit::Move { from: borrowed, to: temporary }));
                if idle == 0 {
                    for (from, to) in [(from, borrowed), (borrowed, to), (temporary, borrowed)] {
                        self.output.edits.push((at, Edit::Move { from, to }));
                    }
                    return;
                }
                copy.saved[class as usize] = Some((borrowed, temporary));
                borrowed
            }
        };
        for (from, to) in [(from, through), (through, to)] {
            self.output.edits.push((at, Edit::Move { from, to }));
        }
    }
}

/// Registers that a parallel copy may use.
struct ParallelCopy {
    inst: u32,
    /// Registers that are a source or destination, and registers that hold a value.
    moving: Registers,
    busy: Registers,
    /// Registers that were saved to serve as temporary, and where their contents are.
    saved: [Option<(Allocation, Allocation)>; 3],
}

impl ParallelCopy {
    fn free(&self, usable: Registers, class: RegClass) -> Option<u8> {
        let class = class as usize;
        let free = usable[class] & !(self.busy[class] | self.moving[class]);
        (free != 0).then(|| free.trailing_zeros() as u8)
    }
}

/// Counts a read of a location. After the last one its write is ready.
fn count_read(
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
