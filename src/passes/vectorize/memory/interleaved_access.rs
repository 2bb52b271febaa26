//! Loads and stores of interleaved groups (`interleaved_groups`): the memory that the lanes of a group share is
//! accessed in whole vectors, of which every second, third or fourth element belongs to one access. No byte
//! before the first or behind the last accessed one is touched.

use super::super::widen::Widener;
use super::interleaved_groups::{InterleavedGroup, REGISTER_BITS};
use grus_ir::{Attr, Inst, InstId, Mem, Op, Type, Value};

/// Elements in register-sized vectors, in order. The last vector ends with the last element, so it may overlap
/// the one before.
struct InterleavedVectors {
    vectors: Vec<Value>,
    length: u16,
    register_lanes: u16,
}

impl InterleavedVectors {
    /// Returns the vector that contains an element, and its lane there; for elements behind the end, any.
    fn find(&self, element: u16) -> (usize, u16) {
        let element = element.min(self.length - 1);
        let register = element / self.register_lanes;
        let start = (register * self.register_lanes).min(self.length - self.register_lanes);
        (register.into(), element - start)
    }
}

impl<'f> Widener<'f, '_> {
    /// Loads an interleaved group at its first access. Returns true if there is one.
    pub(in crate::vectorize) fn load_interleaved(&mut self, id: InstId, inst: &Inst) -> bool {
        let Some(group) = self.source.interleaved_groups.of(id) else { return false };
        if inst.result.is_some_and(|result| self.is_defined(result)) {
            return true;
        }
        let ty = inst.ty;
        let register_lanes = (REGISTER_BITS / ty.bits()) as u16;
        let length = group.length(self.lanes);
        let mem = self.group_mem(group, ty);
        let first = self.group_start(group, inst, id);
        let mut all = InterleavedVectors { vectors: Vec::new(), length, register_lanes };
        for register in 0..length.div_ceil(register_lanes) {
            let start = (register * register_lanes).min(length - register_lanes);
            let at = self.b.ptr_offset(first, u64::from(start) * u64::from(ty.bytes()));
            all.vectors.push(self.b.load(ty.with_lanes(register_lanes), at, mem));
        }
        let mut by_offset: [Option<Value>; 4] = [None; 4];
        let mut halves: [Option<InterleavedVectors>; 2] = [None, None];
        for &(id, offset) in &group.members {
            let value = match by_offset[usize::from(offset)] {
                Some(value) => value,
                None => {
                    let forward = self.extract_member(&all, group.step, offset, &mut halves);
                    if group.is_backward { self.reverse(forward) } else { forward }
                }
            };
            by_offset[usize::from(offset)] = Some(value);
            let member = &self.source.func.insts[id];
            self.define(member, value);
        }
        true
    }

    /// Extracts the lanes of one access from the loaded elements.
    fn extract_member(
        &mut self,
        all: &InterleavedVectors,
        step: u16,
        offset: u16,
        halves: &mut [Option<InterleavedVectors>; 2],
    ) -> Value {
        let vectors = match step {
            2 => self.every_second(all, offset).vectors,
            3 => self.every_third(all, offset),
            _ => {
                let half = &mut halves[usize::from(offset % 2)];
                let half = half.get_or_insert_with(|| self.every_second(all, offset % 2));
                self.every_second(half, offset / 2).vectors
            }
        };
        self.concat(vectors)
    }

    /// Extracts every second element, starting at element 0 or 1.
    fn every_second(&mut self, all: &InterleavedVectors, from: u16) -> InterleavedVectors {
        let register_lanes = all.register_lanes;
        let length = (all.vectors.len() as u16 * register_lanes) / 2;
        let mut vectors = Vec::new();
        for register in 0..length / register_lanes {
            let (low, high) = (usize::from(2 * register), usize::from(2 * register) + 1);
            let index = |lane: u16| {
                let (vector, at) = all.find(2 * (register * register_lanes + lane) + from);
                at + if vector == low { 0 } else { register_lanes }
            };
            let indices: Vec<u16> = (0..register_lanes).map(index).collect();
            vectors.push(self.b.shuffle(all.vectors[low], all.vectors[high], &indices));
        }
        InterleavedVectors { vectors, length, register_lanes }
    }

    /// Extracts every third element, from three vectors at a time.
    fn every_third(&mut self, all: &InterleavedVectors, from: u16) -> Vec<Value> {
        let register_lanes = all.register_lanes;
        let source_of = |register: u16, lane: u16| all.find(3 * (register * register_lanes + lane) + from);
        let mut vectors = Vec::new();
        for register in 0..self.lanes / register_lanes {
            let first = usize::from(3 * register);
            let pair: Vec<u16> = (0..register_lanes)
                .map(|lane| match source_of(register, lane) {
                    (vector, at) if vector == first => at,
                    (vector, at) if vector == first + 1 => at + register_lanes,
                    _ => 0,
                })
                .collect();
            let pair = self.b.shuffle(all.vectors[first], all.vectors[first + 1], &pair);
            let indices: Vec<u16> = (0..register_lanes)
                .map(|lane| match source_of(register, lane) {
                    (vector, at) if vector == first + 2 => at + register_lanes,
                    _ => lane,
                })
                .collect();
            vectors.push(self.b.shuffle(pair, all.vectors[first + 2], &indices));
        }
        vectors
    }

    /// Concatenates vectors.
    pub(in crate::vectorize) fn concat(&mut self, mut vectors: Vec<Value>) -> Value {
        while vectors.len() > 1 {
            let both = |widener: &mut Self, pair: &[Value]| {
                let lanes = widener.b.func.ty(pair[0]).lanes;
                let indices: Vec<u16> = (0..2 * lanes).collect();
                widener.b.shuffle(pair[0], pair[1], &indices)
            };
            vectors = vectors.chunks(2).map(|pair| both(self, pair)).collect();
        }
        vectors[0]
    }

    /// Stores an interleaved group at its last access. Returns true if there is one.
    pub(in crate::vectorize) fn store_interleaved(&mut self, id: InstId, inst: &Inst) -> bool {
        let Some(group) = self.source.interleaved_groups.of(id) else { return false };
        if group.members.last().is_some_and(|&(last, _)| last != id) {
            return true;
        }
        let func = self.source.func;
        let mut members = group.members.clone();
        members.sort_unstable_by_key(|&(_, offset)| offset);
        let mut values: Vec<Value> =
            members.iter().map(|&(id, _)| self.vector(func.insts[id].args[1])).collect();
        if group.is_backward {
            values.iter_mut().for_each(|value| *value = self.reverse(*value));
        }
        let ty = func.ty(inst.args[1]);
        let register_lanes = (REGISTER_BITS / ty.bits()) as u16;
        let (mem, first) = (self.group_mem(group, ty), self.group_start(group, inst, id));
        if group.step != 3 {
            let at = |offset: u16| members.iter().position(|&(_, member)| member == offset);
            // Elements that are not stored may have any value.
            let by_offset: Vec<Value> =
                (0..group.step).map(|offset| values[at(offset).unwrap_or(0)]).collect();
            let all = self.interleave_all(&by_offset);
            let stored: Vec<bool> = (0..group.step).map(|offset| at(offset).is_some()).collect();
            let mask = stored.contains(&false).then(|| self.repeat_mask(&stored));
            self.store_contiguous(all, first, mask, mem);
            return true;
        }
        for register in 0..self.lanes * 3 / register_lanes {
            let stored = self.interleave_three(&values, register, register_lanes, ty);
            let at = self.b.ptr_offset(first, u64::from(register * register_lanes) * u64::from(ty.bytes()));
            self.b.store(stored, at, mem);
        }
        true
    }

    /// Returns the mask of the elements of all lanes, given the mask of the elements of one lane.
    fn repeat_mask(&mut self, lane_mask: &[bool]) -> Value {
        let bits = [false, true].map(|is_set| self.b.iconst(Type::I1, is_set.into()));
        let each = lane_mask.iter().map(|&is_set| bits[usize::from(is_set)]);
        let all: Vec<Value> = each.cycle().take(lane_mask.len() * usize::from(self.lanes)).collect();
        let mask = Type::I1.with_lanes(all.len() as u16);
        self.b.value(Op::BuildVector, mask, &all, Attr::None)
    }

    /// Interleaves three vectors and returns one register of the result.
    fn interleave_three(&mut self, values: &[Value], register: u16, register_lanes: u16, ty: Type) -> Value {
        let lanes = self.lanes;
        let offset =
            |lane: u16| ((register * register_lanes + lane) % 3, (register * register_lanes + lane) / 3);
        let pair: Vec<u16> = (0..register_lanes)
            .map(|lane| match offset(lane) {
                (0, of) => of,
                (1, of) => of + lanes,
                // Any element of a register that is read anyway.
                (_, of) => of,
            })
            .collect();
        let pair = self.b.shuffle(values[0], values[1], &pair);
        debug_assert_eq!(self.b.func.ty(pair), ty.with_lanes(register_lanes));
        let start = offset(0).1 / register_lanes * register_lanes;
        let indices: Vec<u16> = (start..start + register_lanes).collect();
        let last = self.b.shuffle(values[2], values[2], &indices);
        let indices: Vec<u16> = (0..register_lanes)
            .map(|lane| match offset(lane) {
                (2, of) => register_lanes + of - start,
                _ => lane,
            })
            .collect();
        self.b.shuffle(pair, last, &indices)
    }

    /// Returns the address of the first element of a group, computed from one of its accesses.
    fn group_start(&mut self, group: &InterleavedGroup, inst: &Inst, id: InstId) -> Value {
        let func = self.source.func;
        let ty = if inst.result.is_some() { inst.ty } else { func.ty(inst.args[1]) };
        let offset = group.members.iter().find(|&&(member, _)| member == id).map_or(0, |&(_, offset)| offset);
        let at = self.scalar(inst.args[0]);
        let lane_offset = if group.is_backward { (self.lanes - 1) * group.step } else { 0 };
        let elements = u64::from(offset + lane_offset);
        self.b.ptr_offset(at, (elements * u64::from(ty.bytes())).wrapping_neg())
    }

    /// Returns the access flags for the elements of a group.
    fn group_mem(&self, group: &InterleavedGroup, ty: Type) -> Mem {
        let align = |&(id, _): &(InstId, u16)| self.source.func.insts[id].mem().align;
        let align = group.members.iter().map(align).min().unwrap_or(1);
        Mem::aligned(align.min(ty.bytes()))
    }
}
