//! Loads and stores of interleaved groups (`interleaved_groups`): the memory that the lanes of a group share is
//! accessed in whole vectors, of which every second, third or fourth element belongs to one access. No byte
//! before the first or behind the last accessed one is touched.

use super::super::widen::Widener;
use super::interleaved_groups::{REGISTER, Run};
use crate::ir::{Attr, Inst, InstId, Mem, Op, Type, Value};

/// Elements in register-sized vectors, in order. The last vector ends with the last element, so it may overlap
/// the one before.
struct InterleavedVectors {
    vectors: Vec<Value>,
    length: u16,
    room: u16,
}

impl InterleavedVectors {
    /// Returns the vector that contains an element, and its lane there; for elements behind the end, any.
    fn find(&self, element: u16) -> (usize, u16) {
        let element = element.min(self.length - 1);
        let piece = element / self.room;
        let start = (piece * self.room).min(self.length - self.room);
        (piece.into(), element - start)
    }
}

impl<'f> Widener<'f, '_> {
    /// Loads an interleaved group at its first access. Returns true if there is one.
    pub(in crate::passes::vectorize) fn load_run(&mut self, id: InstId, inst: &Inst) -> bool {
        let Some(run) = self.source.runs.of(id) else { return false };
        if inst.result.is_some_and(|result| self.is_defined(result)) {
            return true;
        }
        let ty = inst.ty;
        let room = (REGISTER / ty.bits()) as u16;
        let length = run.length(self.lanes);
        let mem = self.mem_of_run(run, ty);
        let first = self.start_of_run(run, inst, id);
        let mut all = InterleavedVectors { vectors: Vec::new(), length, room };
        for piece in 0..length.div_ceil(room) {
            let start = (piece * room).min(length - room);
            let at = self.b.ptr_offset(first, u64::from(start) * u64::from(ty.bytes()));
            all.vectors.push(self.b.load(ty.with_lanes(room), at, mem));
        }
        let mut known: [Option<Value>; 4] = [None; 4];
        let mut halves: [Option<InterleavedVectors>; 2] = [None, None];
        for &(id, place) in &run.members {
            let value = match known[usize::from(place)] {
                Some(value) => value,
                None => {
                    let forward = self.pick_out(&all, run.step, place, &mut halves);
                    if run.is_backward { self.backward(forward) } else { forward }
                }
            };
            known[usize::from(place)] = Some(value);
            let member = &self.source.func.insts[id];
            self.define(member, value);
        }
        true
    }

    /// Extracts the lanes of one access from the loaded elements.
    fn pick_out(
        &mut self,
        all: &InterleavedVectors,
        step: u16,
        place: u16,
        halves: &mut [Option<InterleavedVectors>; 2],
    ) -> Value {
        let vectors = match step {
            2 => self.every_second(all, place).vectors,
            3 => self.every_third(all, place),
            _ => {
                let half = &mut halves[usize::from(place % 2)];
                let half = half.get_or_insert_with(|| self.every_second(all, place % 2));
                self.every_second(half, place / 2).vectors
            }
        };
        self.together(vectors)
    }

    /// Extracts every second element, starting at element 0 or 1.
    fn every_second(&mut self, all: &InterleavedVectors, from: u16) -> InterleavedVectors {
        let room = all.room;
        let length = (all.vectors.len() as u16 * room) / 2;
        let mut vectors = Vec::new();
        for piece in 0..length / room {
            let (low, high) = (usize::from(2 * piece), usize::from(2 * piece) + 1);
            let pick = |lane: u16| {
                let (vector, at) = all.find(2 * (piece * room + lane) + from);
                at + if vector == low { 0 } else { room }
            };
            let picks: Vec<u16> = (0..room).map(pick).collect();
            vectors.push(self.b.shuffle(all.vectors[low], all.vectors[high], &picks));
        }
        InterleavedVectors { vectors, length, room }
    }

    /// Extracts every third element, from three vectors at a time.
    fn every_third(&mut self, all: &InterleavedVectors, from: u16) -> Vec<Value> {
        let room = all.room;
        let piece_of = |piece: u16, lane: u16| all.find(3 * (piece * room + lane) + from);
        let mut vectors = Vec::new();
        for piece in 0..self.lanes / room {
            let first = usize::from(3 * piece);
            let pair: Vec<u16> = (0..room)
                .map(|lane| match piece_of(piece, lane) {
                    (vector, at) if vector == first => at,
                    (vector, at) if vector == first + 1 => at + room,
                    _ => 0,
                })
                .collect();
            let pair = self.b.shuffle(all.vectors[first], all.vectors[first + 1], &pair);
            let picks: Vec<u16> = (0..room)
                .map(|lane| match piece_of(piece, lane) {
                    (vector, at) if vector == first + 2 => at + room,
                    _ => lane,
                })
                .collect();
            vectors.push(self.b.shuffle(pair, all.vectors[first + 2], &picks));
        }
        vectors
    }

    /// Concatenates vectors.
    pub(in crate::passes::vectorize) fn together(&mut self, mut vectors: Vec<Value>) -> Value {
        while vectors.len() > 1 {
            let both = |widener: &mut Self, pair: &[Value]| {
                let lanes = widener.b.func.ty(pair[0]).lanes;
                let picks: Vec<u16> = (0..2 * lanes).collect();
                widener.b.shuffle(pair[0], pair[1], &picks)
            };
            vectors = vectors.chunks(2).map(|pair| both(self, pair)).collect();
        }
        vectors[0]
    }

    /// Stores an interleaved group at its last access. Returns true if there is one.
    pub(in crate::passes::vectorize) fn store_run(&mut self, id: InstId, inst: &Inst) -> bool {
        let Some(run) = self.source.runs.of(id) else { return false };
        if run.members.last().is_some_and(|&(last, _)| last != id) {
            return true;
        }
        let func = self.source.func;
        let mut members = run.members.clone();
        members.sort_unstable_by_key(|&(_, place)| place);
        let mut values: Vec<Value> =
            members.iter().map(|&(id, _)| self.vector(func.insts[id].args[1])).collect();
        if run.is_backward {
            values.iter_mut().for_each(|value| *value = self.backward(*value));
        }
        let ty = func.ty(inst.args[1]);
        let room = (REGISTER / ty.bits()) as u16;
        let (mem, first) = (self.mem_of_run(run, ty), self.start_of_run(run, inst, id));
        if run.step != 3 {
            let at = |place: u16| members.iter().position(|&(_, member)| member == place);
            // Elements that are not stored may have any value.
            let of_places: Vec<Value> = (0..run.step).map(|place| values[at(place).unwrap_or(0)]).collect();
            let all = self.in_turn(&of_places);
            let stored: Vec<bool> = (0..run.step).map(|place| at(place).is_some()).collect();
            let mask = stored.contains(&false).then(|| self.every_so_many(&stored));
            self.store_neighbours(all, first, mask, mem);
            return true;
        }
        for piece in 0..self.lanes * 3 / room {
            let stored = self.third(&values, piece, room, ty);
            let at = self.b.ptr_offset(first, u64::from(piece * room) * u64::from(ty.bytes()));
            self.b.store(stored, at, mem);
        }
        true
    }

    /// Returns the mask of the elements of all lanes, given the mask of the elements of one lane.
    fn every_so_many(&mut self, of_lane: &[bool]) -> Value {
        let bits = [false, true].map(|is_set| self.b.iconst(Type::I1, is_set.into()));
        let each = of_lane.iter().map(|&is_set| bits[usize::from(is_set)]);
        let all: Vec<Value> = each.cycle().take(of_lane.len() * usize::from(self.lanes)).collect();
        let mask = Type::I1.with_lanes(all.len() as u16);
        self.b.value(Op::BuildVector, mask, &all, Attr::None)
    }

    /// Interleaves three vectors and returns one register of the result.
    fn third(&mut self, values: &[Value], piece: u16, room: u16, ty: Type) -> Value {
        let lanes = self.lanes;
        let place = |lane: u16| ((piece * room + lane) % 3, (piece * room + lane) / 3);
        let pair: Vec<u16> = (0..room)
            .map(|lane| match place(lane) {
                (0, of) => of,
                (1, of) => of + lanes,
                // Any element of a register that is read anyway.
                (_, of) => of,
            })
            .collect();
        let pair = self.b.shuffle(values[0], values[1], &pair);
        debug_assert_eq!(self.b.func.ty(pair), ty.with_lanes(room));
        let start = place(0).1 / room * room;
        let picks: Vec<u16> = (start..start + room).collect();
        let last = self.b.shuffle(values[2], values[2], &picks);
        let picks: Vec<u16> = (0..room)
            .map(|lane| match place(lane) {
                (2, of) => room + of - start,
                _ => lane,
            })
            .collect();
        self.b.shuffle(pair, last, &picks)
    }

    /// Returns the address of the first element of a group, computed from one of its accesses.
    fn start_of_run(&mut self, run: &Run, inst: &Inst, id: InstId) -> Value {
        let func = self.source.func;
        let ty = if inst.result.is_some() { inst.ty } else { func.ty(inst.args[1]) };
        let place = run.members.iter().find(|&&(member, _)| member == id).map_or(0, |&(_, place)| place);
        let at = self.scalar(inst.args[0]);
        let before = if run.is_backward { (self.lanes - 1) * run.step } else { 0 };
        let elements = u64::from(place + before);
        self.b.ptr_offset(at, (elements * u64::from(ty.bytes())).wrapping_neg())
    }

    /// Returns the access flags for the elements of a group.
    fn mem_of_run(&self, run: &Run, ty: Type) -> Mem {
        let align = |&(id, _): &(InstId, u16)| self.source.func.insts[id].mem().align;
        let align = run.members.iter().map(align).min().unwrap_or(1);
        Mem::aligned(align.min(ty.bytes()))
    }
}
