//! Finds interleaved access groups: accesses whose lanes are two to four elements apart, forwards or backwards,
//! such as the color channels of pixels (`interleaved_access`). Loads are done as whole registers, which are shuffled,
//! where that is cheaper. Stores are treated so if together they write every element (with mask registers, three of
//! four is enough). A single strided store is one store per lane, or a scatter under a mask.
//!
//! Addresses are compared as sums of values times constants, so that `a[2 * i]` and `a[2 * i + 1]` are known to
//! be adjacent. Loads of a block are moved to the first one of their group, stores to the last one, if no
//! instruction in between may access the same memory.

use super::super::block_order::BlockOrder;
use super::super::divergence::{VectorShape, VectorShapes};
use super::super::scalarize::AccessGroups;
use super::are_row_accesses;
use crate::alias::{Sum, Terms, no_alias};
use crate::private_arrays::PrivateArrays;
use grus_ir::{Block, Effect, Function, Inst, InstId, Kind, Op, Type, Value};
use grus_support::{FastMap, FastSet};

/// Bytes of a gathered word.
const WORD_BYTES: u32 = 4;

/// Bits of the registers into which groups are loaded.
pub(in crate::vectorize) const REGISTER_BITS: u32 = 128;

/// An interleaved group.
#[derive(Debug)]
pub(in crate::vectorize) struct InterleavedGroup {
    /// Distance between neighboring lanes in elements.
    pub step: u16,
    /// True if the last lane comes first in memory.
    pub is_backward: bool,
    /// Accesses and their offsets in elements from the first element of a lane; in program order.
    pub members: Vec<(InstId, u16)>,
}

/// Interleaved groups, by their accesses.
#[derive(Debug, Default)]
pub(in crate::vectorize) struct InterleavedGroups {
    all: Vec<InterleavedGroup>,
    of: FastMap<InstId, usize>,
    /// Loads more than four elements apart from lane to lane that share a 4-byte word with another load; they are
    /// gathered.
    word_loads: FastSet<InstId>,
}

impl InterleavedGroups {
    pub(in crate::vectorize) fn of(&self, id: InstId) -> Option<&InterleavedGroup> {
        self.of.get(&id).map(|&at| &self.all[at])
    }

    /// Checks whether a load shares a word with other loads, so that it should be gathered.
    pub(in crate::vectorize) fn shares_word(&self, id: InstId) -> bool {
        self.word_loads.contains(&id)
    }

    fn add(&mut self, group: InterleavedGroup) {
        group.members.iter().for_each(|&(id, _)| {
            self.of.insert(id, self.all.len());
        });
        self.all.push(group);
    }
}

/// Key of accesses that belong together: the terms of the address, the type of an element, and the constant
/// modulo its size.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
struct AddressKey {
    terms: Terms,
    kind: Kind,
    /// Distance in elements; none if it is larger than that of a group.
    step: Option<u16>,
    is_backward: bool,
    remainder: u64,
}

/// A group that may get further accesses.
struct OpenGroup {
    key: AddressKey,
    is_store: bool,
    pointer: Value,
    /// Accesses and their offsets in elements.
    members: Vec<(InstId, i64)>,
}

/// Maximum number of open groups at a time.
// Arbitrary.
const MAX_OPEN_GROUPS: usize = 16;

/// Maximum number of accesses of an open group.
// Arbitrary.
const MAX_MEMBERS: usize = 16;

/// Search for interleaved groups in a function.
pub(in crate::vectorize) struct InterleavedFinder<'f> {
    pub func: &'f Function,
    pub shapes: &'f VectorShapes<'f>,
    pub groups: &'f AccessGroups,
    pub lane_interleaved: &'f PrivateArrays,
    pub lanes: u16,
    /// True if masked stores of a register cost no more than others.
    pub has_masks: bool,
}

impl InterleavedFinder<'_> {
    pub(in crate::vectorize) fn find(&self, order: &BlockOrder) -> InterleavedGroups {
        let mut found_groups = InterleavedGroups::default();
        for &block in order.blocks.iter().filter(|&&block| !self.shapes.is_masked(block)) {
            let mut open: Vec<OpenGroup> = Vec::new();
            for &id in &self.func.blocks[block].insts {
                self.visit(id, block, &mut open, &mut found_groups);
            }
            open.into_iter().for_each(|open| self.close(open, &mut found_groups));
        }
        found_groups
    }

    fn visit(
        &self,
        id: InstId,
        block: Block,
        open: &mut Vec<OpenGroup>,
        found_groups: &mut InterleavedGroups,
    ) {
        let inst = &self.func.insts[id];
        let is_store = inst.op == Op::Store;
        if inst.op.effect() == Effect::Pure {
            return;
        }
        let is_plain = matches!(inst.op, Op::Load | Op::Store) && !inst.is_volatile();
        let found = if is_plain { self.key(id, inst, block) } else { None };
        let is_read = inst.op.effect() == Effect::Read;
        let mut at = 0;
        while at < open.len() {
            let other = &open[at];
            let is_same =
                other.is_store == is_store && found.as_ref().is_some_and(|(key, _)| other.key == *key);
            // Loads may be reordered with loads.
            let passes = is_read && !other.is_store;
            if is_same || passes || is_plain && no_alias(self.func, inst.args[0], other.pointer) {
                at += 1;
            } else {
                let closed = open.swap_remove(at);
                self.close(closed, found_groups);
            }
        }
        let Some((key, distance)) = found else { return };
        let found_at = open.iter().position(|open| open.is_store == is_store && open.key == key);
        if let Some(found_at) = found_at {
            let fits = |&(_, other): &(InstId, i64)| {
                let limit = key.step.map_or(u64::from(WORD_BYTES / key.kind.bytes()), u64::from);
                (other - distance).unsigned_abs() < limit && !(is_store && other == distance)
            };
            let members = &open[found_at].members;
            if members.len() < MAX_MEMBERS && members.iter().all(fits) {
                open[found_at].members.push((id, distance));
                return;
            }
            let closed = open.swap_remove(found_at);
            self.close(closed, found_groups);
        }
        if open.len() < MAX_OPEN_GROUPS {
            open.push(OpenGroup { key, is_store, pointer: inst.args[0], members: vec![(id, distance)] });
        }
    }

    /// Returns the key of an access and its offset in elements.
    fn key(&self, id: InstId, inst: &Inst, block: Block) -> Option<(AddressKey, i64)> {
        let pointer = inst.args[0];
        let ty = if inst.op == Op::Store { self.func.ty(inst.args[1]) } else { inst.ty };
        let VectorShape::Affine(stride) = self.shapes.at(pointer, block) else { return None };
        let bytes = i64::from(ty.bytes());
        let is_number = !ty.is_vector() && matches!(ty.kind.bits(), 8 | 16 | 32);
        let fills_register = u32::from(self.lanes) * ty.bits() >= REGISTER_BITS;
        let step = stride.step.checked_div(bytes)?.unsigned_abs();
        let is_grouped = matches!(step, 2..=4) && stride.step % bytes == 0;
        let is_word_load = inst.op == Op::Load && step > 4 && ty.kind.bytes() < WORD_BYTES;
        let are_row_accesses = self.groups.of(id).is_some_and(|group| {
            let first = self.func.insts[group[0]].args[0];
            are_row_accesses(ty, group.len() as u32, self.lanes, self.shapes.at(first, block))
        });
        let is_ungrouped = !are_row_accesses && self.lane_interleaved.object(pointer).is_none();
        if !(is_number && fills_register && (is_grouped || is_word_load) && is_ungrouped) {
            return None;
        }
        let bound = |value| self.shapes.bound(value);
        let sum = Sum::of(self.func, pointer, &bound, &|value| value);
        let (distance, remainder) = (sum.constant.div_euclid(bytes), sum.constant.rem_euclid(bytes) as u64);
        let key = AddressKey {
            terms: sum.terms,
            kind: ty.kind,
            step: is_grouped.then_some(step as u16),
            is_backward: stride.step < 0,
            remainder,
        };
        Some((key, distance))
    }

    /// Keeps a group if it is profitable.
    fn close(&self, open: OpenGroup, found_groups: &mut InterleavedGroups) {
        let first = open.members.iter().map(|&(_, distance)| distance).min().expect("a group has accesses");
        let members: Vec<(InstId, u16)> =
            open.members.iter().map(|&(id, distance)| (id, (distance - first) as u16)).collect();
        let Some(step) = open.key.step else {
            let mut offsets: Vec<u16> = members.iter().map(|&(_, offset)| offset).collect();
            offsets.sort_unstable();
            offsets.dedup();
            if offsets.len() > 1 {
                found_groups.word_loads.extend(members.iter().map(|&(id, _)| id));
            }
            return;
        };
        let group = InterleavedGroup { step, is_backward: open.key.is_backward, members };
        let ty = Type::scalar(open.key.kind);
        let is_profitable = if open.is_store {
            // With masks, the unused fourth element (as in `float3`) is masked out.
            let fits_mask = self.has_masks && group.step == 4 && group.members.len() == 3;
            group.members.len() == usize::from(group.step) || fits_mask
        } else {
            group.cost(ty, self.lanes) < 2 * group.members.len() as u64 * u64::from(self.lanes)
        };
        if is_profitable {
            found_groups.add(group);
        }
    }
}

impl InterleavedGroup {
    /// Returns the number of elements from the first one to the last one.
    pub(in crate::vectorize) fn length(&self, lanes: u16) -> u16 {
        let last = self.members.iter().map(|&(_, offset)| offset).max().unwrap_or(0);
        (lanes - 1) * self.step + last + 1
    }

    /// Returns the cost: loads, and shuffles, which count twice.
    fn cost(&self, ty: Type, lanes: u16) -> u64 {
        let register_lanes = REGISTER_BITS / ty.bits();
        let per_offset = u64::from(u32::from(lanes) / register_lanes);
        let mut offsets = [false; 4];
        self.members.iter().for_each(|&(_, offset)| offsets[usize::from(offset)] = true);
        let count = offsets.iter().filter(|&&is_used| is_used).count() as u64;
        let shuffles = match self.step {
            2 => count * per_offset,
            3 => 2 * count * per_offset,
            _ => {
                let halves = u64::from(offsets[0] || offsets[2]) + u64::from(offsets[1] || offsets[3]);
                (2 * halves + count) * per_offset
            }
        };
        u64::from(u32::from(self.length(lanes)).div_ceil(register_lanes)) + 2 * shuffles
    }
}
