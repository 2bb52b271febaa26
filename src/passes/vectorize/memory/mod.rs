//! Loads and stores for all lanes. A lane that is off touches no memory.

pub(super) mod atomic;
pub(super) mod base_offset;
pub(super) mod interleaved_access;
pub(super) mod interleaved_groups;
pub(super) mod lane_interleaving;
pub(super) mod row_segments;

use super::divergence::VectorShape;
use super::versioning::speculative_stride::{Likely, Swap};
use super::widen::{Done, Widener};
use crate::ir::{Attr, Inst, InstId, Kind, Mem, Op, Type, Value};
use crate::support::target::Backend;
use base_offset::Offsets;
use interleaved_groups::REGISTER;
use row_segments::Starts;

/// Four registers hold rows of four components. Of each pair of registers the first two components come together in one,
/// the other two in the next: which element goes to place `to`, if a register has so much room.
fn paired(to: u16, room: u16) -> u16 {
    let (block, register, place) = (to / (4 * room), to / room % 4, to % room);
    let half = room / 2;
    let component = register % 2 * 2 + place / half;
    let row = register / 2 * half + place % half;
    block * 4 * room + row * 4 + component
}

/// Where a component of a row is then.
fn place_of(row: u16, component: u16, room: u16) -> u16 {
    let half = room / 2;
    let (block, row) = (row / room, row % room);
    let register = row / half * 2 + component / 2;
    block * 4 * room + register * room + component % 2 * half + row % half
}

/// What one access takes of a row of so many components: a register, or a word as wide as half of one.
fn row_type(ty: Type, count: u16) -> Type {
    if u32::from(count) * ty.bits() == REGISTER { Type::vector(ty.kind, count) } else { Type::F64 }
}

/// Where lanes' accesses are.
enum LaneAddresses {
    /// All at one address.
    One(Value),
    /// One after the other.
    Row(Value),
    /// The same, the last lane's first.
    Backward(Value),
    /// In a row, in which lanes have changed places.
    Swapped(Value, Swap),
    /// So many bytes apart.
    Apart(Value, i64),
    /// In rows of a group that begin here.
    Pieces(Starts),
    /// At offsets from one address.
    Offsets(Offsets),
    /// Anywhere.
    Any(Value),
}

/// Accesses so many bytes apart from the first.
fn apart(first: Value, step: i64, ty: Type) -> LaneAddresses {
    match step {
        0 => LaneAddresses::One(first),
        _ if step == i64::from(ty.bytes()) => LaneAddresses::Row(first),
        _ if step == -i64::from(ty.bytes()) && !ty.kind.is_ptr() && !ty.is_vector() => {
            LaneAddresses::Backward(first)
        }
        _ => LaneAddresses::Apart(first, step),
    }
}

/// Whether the accesses of a vector of so many components are done as a whole, if its first one goes so from lane to lane.
pub(super) fn are_rows(ty: Type, count: u32, lanes: u16, shape: VectorShape) -> bool {
    let fills = u32::from(lanes) * ty.bits() >= REGISTER && ty.bits() < 64 && matches!(count, 2 | 4);
    let is_next = shape.step() == Some(i64::from(count * ty.bytes()));
    // Else a row is what one access takes.
    let is_one = matches!(count * ty.bits(), 64 | REGISTER) && !shape.is_uniform();
    fills && (is_next || is_one)
}

impl<'f> Widener<'f, '_> {
    fn places(&mut self, pointer: Value, ty: Type) -> LaneAddresses {
        match self.shape(pointer) {
            VectorShape::Stride(stride) => apart(self.scalar(pointer), stride.step, ty),
            VectorShape::Varying | VectorShape::Unknown => match self.starts(pointer, ty) {
                Some(starts) => LaneAddresses::Pieces(starts),
                None => self.anywhere(pointer),
            },
        }
    }

    fn anywhere(&mut self, pointer: Value) -> LaneAddresses {
        match self.offsets(pointer) {
            Some(offsets) => LaneAddresses::Offsets(offsets),
            None => LaneAddresses::Any(self.vector(pointer)),
        }
    }

    /// Whether neighbours at an address are elements of one private object, one for each lane.
    pub(super) fn is_own(&self, pointer: Value) -> bool {
        self.source.interleaved.object(pointer).is_some()
    }

    /// Numbers as the addresses that they are.
    fn pointers(&mut self, numbers: Value, kind: Kind) -> Value {
        let ty = Type::vector(kind, self.lanes);
        self.b.convert(Op::Bitcast, ty, numbers)
    }

    /// The addresses of all lanes.
    pub(super) fn addresses(&mut self, pointer: Value) -> Value {
        let kind = self.source.func.ty(pointer).kind;
        let numbers = self.vector(pointer);
        self.pointers(numbers, kind)
    }

    pub(super) fn load(&mut self, id: InstId, inst: &Inst) -> Done {
        if self.load_group(id, inst) || self.load_run(id, inst) {
            return Ok(());
        }
        let ty = inst.ty;
        let each = |widener: &mut Self, places| {
            let is_one = matches!(places, LaneAddresses::One(_));
            let loaded = widener.load_at(id, inst, places);
            // One address for all, unless it is not: the result varies.
            let varies =
                is_one && inst.result.is_some_and(|value| widener.shape(value) == VectorShape::Varying);
            Some(if varies { widener.spread(loaded, 0) } else { loaded })
        };
        let new = self.at_places(inst.op, inst.args[0], ty, each).expect("a load");
        self.define(inst, new);
        Ok(())
    }

    /// Writes an access for where lanes are: twice, if they go in steps unless one wraps.
    fn at_places(
        &mut self,
        op: Op,
        pointer: Value,
        ty: Type,
        mut access: impl FnMut(&mut Self, LaneAddresses) -> Option<Value>,
    ) -> Option<Value> {
        let Some(Likely { first, step, is_so, swap }) = self.likely_at(pointer) else {
            let places = self.places(pointer, ty);
            return access(self, places);
        };
        if swap.is_some() && !self.may_swap(op, ty, step) {
            let places = self.places(pointer, ty);
            return access(self, places);
        }
        self.either_way(is_so, |widener, is_so| {
            let places = match swap {
                _ if !is_so => widener.anywhere(pointer),
                Some(swap) => LaneAddresses::Swapped(first, swap),
                None => apart(first, step, ty),
            };
            access(widener, places)
        })
    }

    /// Whether rows are accessed in which lanes have changed places. Where masks are vectors, stores of some lanes take longer than
    /// one by one.
    fn may_swap(&self, op: Op, ty: Type, step: i64) -> bool {
        let is_row = step == i64::from(ty.bytes()) && !ty.kind.is_ptr() && !ty.is_vector();
        is_row && (op == Op::Load || self.mask().is_none() || self.asked.backend.has_masks())
    }

    /// Loads elements in a row, or those of a mask and else zeros.
    fn load_neighbours(&mut self, ty: Type, at: Value, mask: Option<Value>, mem: Mem) -> Value {
        let Some(mask) = mask else { return self.b.load(ty, at, mem) };
        let nothing = self.b.zero(ty);
        self.b.value(Op::MaskedLoad, ty, &[at, mask, nothing], Attr::Mem(mem))
    }

    /// Stores elements in a row, or those of a mask.
    pub(super) fn store_neighbours(&mut self, vector: Value, at: Value, mask: Option<Value>, mem: Mem) {
        match mask {
            Some(mask) => self.b.effect(Op::MaskedStore, &[at, vector, mask], Attr::Mem(mem)),
            None => self.b.store(vector, at, mem),
        }
    }

    /// What lanes load that are at these places.
    fn load_at(&mut self, id: InstId, inst: &Inst, places: LaneAddresses) -> Value {
        let (ty, mem) = (inst.ty, Attr::Mem(inst.mem()));
        let wide = self.wide(ty);
        match (places, self.mask()) {
            (LaneAddresses::One(at), _) => self.b.value(Op::Load, ty, &[at], mem),
            // Nobody minds that lanes that are off look at their own elements, or write back what they read.
            (LaneAddresses::Row(at), Some(_)) if self.is_own(inst.args[0]) => {
                self.b.value(Op::Load, wide, &[at], mem)
            }
            (LaneAddresses::Row(at), mask) => self.load_neighbours(wide, at, mask, inst.mem()),
            (LaneAddresses::Backward(at), mask) => {
                let start = self.start_of_backward(at, ty);
                let mask = mask.map(|mask| self.backward(mask));
                let row = self.load_neighbours(wide, start, mask, inst.mem());
                self.backward(row)
            }
            (LaneAddresses::Swapped(at, swap), mask) => {
                let mask = mask.map(|mask| self.swapped(mask, swap));
                let row = self.load_neighbours(wide, at, mask, inst.mem());
                self.swapped(row, swap)
            }
            (LaneAddresses::Apart(at, step), None) if !self.source.runs.is_in_word(id) => {
                self.load_apart(inst, at, step)
            }
            (LaneAddresses::Apart(at, step), _) => {
                let mask = self.mask_value();
                let steps = self.steps_between(step);
                let nothing = self.b.zero(wide);
                let scaled = Attr::ScaledMem(inst.mem(), 1);
                self.b.value(Op::GatherAt, wide, &[at, steps, mask, nothing], scaled)
            }
            (LaneAddresses::Pieces(starts), _) => self.load_pieces(inst, &starts),
            (LaneAddresses::Offsets(Offsets { base, index, scale }), _) => {
                let (mask, nothing) = (self.mask_value(), self.b.zero(wide));
                let scaled = Attr::ScaledMem(inst.mem(), scale);
                self.b.value(Op::GatherAt, wide, &[base, index, mask, nothing], scaled)
            }
            (LaneAddresses::Any(numbers), mask) => {
                let object = self.source.interleaved.object(inst.args[0]);
                let (numbers, mask) = match (mask, object) {
                    (Some(mask), Some(object)) => {
                        // Lanes that are off look at the object's start: a branch for each of them would take longer.
                        let start = self.vector(object);
                        (self.b.select(mask, numbers, start), self.all_lanes())
                    }
                    _ => (numbers, self.mask_value()),
                };
                let kind = self.source.func.ty(inst.args[0]).kind;
                let (pointers, nothing) = (self.pointers(numbers, kind), self.b.zero(wide));
                self.b.value(Op::Gather, wide, &[pointers, mask, nothing], mem)
            }
        }
    }

    /// The accesses that were one vector of the program, whose components shuffles put into lanes: two or four of them, and
    /// where the first is.
    fn rows(&self, id: InstId, ty: Type) -> Option<(&'f [InstId], Value)> {
        let group = self.source.groups.of(id)?;
        let first = self.source.func.insts[group[0]].args[0];
        let are_rows = are_rows(ty, group.len() as u32, self.lanes, self.shape(first));
        // Where some lanes are off, rows that follow each other have a mask of their own, and words that of the lanes.
        let count = group.len() as u16;
        let is_free = self.mask().is_none()
            || self.is_row_of_rows(first, ty, count)
            || self.are_words(self.source.func.insts[id].op, first, ty, count);
        (are_rows && self.is_defined(first) && is_free).then_some((group, first))
    }

    /// Whether rows lie one behind the other.
    fn is_row_of_rows(&self, first: Value, ty: Type, count: u16) -> bool {
        self.shape(first).step() == Some(i64::from(count) * i64::from(ty.bytes()))
    }

    /// Whether rows are words that one instruction takes from anywhere, or puts there.
    fn are_words(&self, op: Op, first: Value, ty: Type, count: u16) -> bool {
        let backend = self.asked.backend;
        let has_instruction =
            if op == Op::Load { backend != Backend::Cranelift } else { backend.has_masks() };
        has_instruction && !row_type(ty, count).is_vector() && !self.is_own(first) && self.has_base(first)
    }

    /// The mask of all components, as they lie in memory; none for all lanes.
    fn mask_of_rows(&mut self, count: u16) -> Option<Value> {
        let mask = self.mask()?;
        let picks: Vec<u16> = (0..self.lanes * count).map(|to| to / count).collect();
        Some(self.b.shuffle(mask, mask, &picks))
    }

    /// Loads vectors of the program as a whole; the components of all lanes are picked from that.
    fn load_group(&mut self, id: InstId, inst: &Inst) -> bool {
        if inst.result.is_some_and(|result| self.is_defined(result)) {
            return true;
        }
        let Some((group, first)) = self.rows(id, inst.ty) else { return false };
        let (count, lanes) = (group.len() as u16, self.lanes);
        let room = self.room_of_pairs(inst.ty);
        let mut all = self.load_rows(inst, first, count);
        // Four registers hold four components: pairs first, so that no shuffle has more than two sources.
        if count == 4 {
            let picks: Vec<u16> = (0..lanes * count).map(|to| paired(to, room)).collect();
            all = self.b.shuffle(all, all, &picks);
        }
        for (component, &member) in (0u16..).zip(group) {
            let place = |lane: u16| {
                if count == 4 { place_of(lane, component, room) } else { lane * count + component }
            };
            let picks: Vec<u16> = (0..lanes).map(place).collect();
            let new = self.b.shuffle(all, all, &picks);
            let member = &self.source.func.insts[member];
            self.define(member, new);
        }
        true
    }

    /// Elements of the registers in which pairs of components come together: of all that an instruction takes from two of
    /// them, if it may take any.
    fn room_of_pairs(&self, ty: Type) -> u16 {
        let backend = self.asked.backend;
        let picks_any = backend.has_masks() && ty.bits() >= 16;
        let bits = if picks_any { 8 * backend.register() } else { REGISTER };
        self.lanes.min((bits / ty.bits()) as u16)
    }

    /// Writes an access to rows that lie one behind the other from an address on, or, where none is given, anywhere: both, if
    /// they do so unless a lane wraps.
    fn at_rows(
        &mut self,
        first: Value,
        ty: Type,
        count: u16,
        mut access: impl FnMut(&mut Self, Option<Value>) -> Option<Value>,
    ) -> Option<Value> {
        let bytes = i64::from(count) * i64::from(ty.bytes());
        match self.likely_at(first) {
            Some(Likely { first: at, step, is_so, swap: None }) if step == bytes => {
                self.either_way(is_so, |widener, is_so| access(widener, is_so.then_some(at)))
            }
            _ => {
                let at = self.is_row_of_rows(first, ty, count).then(|| self.scalar(first));
                access(self, at)
            }
        }
    }

    /// The rows of all lanes, one behind the other.
    fn load_rows(&mut self, inst: &Inst, first: Value, count: u16) -> Value {
        let rows = self.at_rows(first, inst.ty, count, |widener, at| {
            Some(match at {
                Some(at) => widener.load_row_of_rows(inst, at, count),
                None => widener.load_rows_apart(inst, first, count),
            })
        });
        rows.expect("a load")
    }

    /// Rows that lie one behind the other from an address on.
    fn load_row_of_rows(&mut self, inst: &Inst, at: Value, count: u16) -> Value {
        let all = inst.ty.with_lanes(self.lanes * count);
        let mask = self.mask_of_rows(count);
        self.load_neighbours(all, at, mask, inst.mem())
    }

    /// Rows that lie anywhere.
    fn load_rows_apart(&mut self, inst: &Inst, first: Value, count: u16) -> Value {
        let (ty, lanes, mem) = (inst.ty, self.lanes, inst.mem());
        let all = ty.with_lanes(lanes * count);
        let row = row_type(ty, count);
        if self.are_words(inst.op, first, ty, count)
            && let Some(Offsets { base, index, scale }) = self.offsets(first)
        {
            let wide = row.with_lanes(lanes);
            let (mask, nothing) = (self.mask_value(), self.b.zero(wide));
            let scaled = Attr::ScaledMem(mem, scale);
            let words = self.b.value(Op::GatherAt, wide, &[base, index, mask, nothing], scaled);
            return self.b.convert(Op::Bitcast, all, words);
        }
        let mut rows: Vec<Value> = Vec::new();
        for lane in 0..lanes {
            let at = self.lane(first, lane);
            rows.push(self.b.load(row, at, mem));
        }
        if !row.is_vector() {
            let words = self.b.value(Op::BuildVector, row.with_lanes(lanes), &rows, Attr::None);
            return self.b.convert(Op::Bitcast, all, words);
        }
        self.together(rows)
    }

    /// Stores vectors of the program as a whole, with the last component.
    fn store_group(&mut self, id: InstId, inst: &Inst) -> bool {
        let func = self.source.func;
        let ty = func.ty(inst.args[1]);
        let Some((group, first)) = self.rows(id, ty) else { return false };
        if group.last() != Some(&id) {
            return true;
        }
        let vectors: Vec<Value> = group.iter().map(|&id| self.vector(func.insts[id].args[1])).collect();
        let all = self.in_turn(&vectors);
        let count = group.len() as u16;
        self.at_rows(first, ty, count, |widener, at| {
            match at {
                Some(at) => widener.store_row_of_rows(inst, all, at, count),
                None => widener.store_rows_apart(inst, all, first, count),
            }
            None
        });
        true
    }

    /// Stores rows that lie one behind the other from an address on.
    fn store_row_of_rows(&mut self, inst: &Inst, all: Value, at: Value, count: u16) {
        let mask = self.mask_of_rows(count);
        self.store_neighbours(all, at, mask, inst.mem());
    }

    /// Stores rows that lie anywhere.
    fn store_rows_apart(&mut self, inst: &Inst, all: Value, first: Value, count: u16) {
        let ty = self.source.func.ty(inst.args[1]);
        let row = row_type(ty, count);
        let words =
            if row.is_vector() { all } else { self.b.convert(Op::Bitcast, row.with_lanes(self.lanes), all) };
        if self.are_words(inst.op, first, ty, count)
            && let Some(Offsets { base, index, scale }) = self.offsets(first)
        {
            let mask = self.mask_value();
            self.b.effect(Op::ScatterAt, &[base, index, words, mask], Attr::ScaledMem(inst.mem(), scale));
            return;
        }
        for lane in 0..self.lanes {
            let stored = if row.is_vector() {
                let picks: Vec<u16> = (lane * count..(lane + 1) * count).collect();
                self.b.shuffle(words, words, &picks)
            } else {
                self.b.extract(words, lane)
            };
            let at = self.lane(first, lane);
            self.b.store(stored, at, inst.mem());
        }
    }

    /// The first lanes of two or four vectors, then the second ones, and so on.
    pub(super) fn in_turn(&mut self, vectors: &[Value]) -> Value {
        let pairs: Vec<Value> = vectors.chunks(2).map(|pair| self.interleave(pair[0], pair[1], 1)).collect();
        if pairs.len() == 2 { self.interleave(pairs[0], pairs[1], 2) } else { pairs[0] }
    }

    /// So many lanes of one, then of the other, and again.
    fn interleave(&mut self, a: Value, b: Value, run: u16) -> Value {
        let lanes = self.b.func.ty(a).lanes;
        let pick = |to: u16| {
            let (round, inside) = (to / (2 * run), to % (2 * run));
            let other = if inside < run { 0 } else { lanes };
            other + round * run + inside % run
        };
        let picks: Vec<u16> = (0..2 * lanes).map(pick).collect();
        self.b.shuffle(a, b, &picks)
    }

    /// Constants of lanes that go in such steps, of 32 bits if they fit.
    fn steps_between(&mut self, step: i64) -> Value {
        let last = step.saturating_mul(i64::from(self.lanes));
        let kind = if i32::try_from(last).is_ok() { Kind::I32 } else { Kind::I64 };
        self.steps(Type::vector(kind, self.lanes), step)
    }

    /// The last lane of a row whose first one is at an address, and which goes backwards.
    fn start_of_backward(&mut self, first: Value, ty: Type) -> Value {
        let before = u64::from(self.lanes - 1) * u64::from(ty.bytes());
        self.b.ptr_offset(first, before.wrapping_neg())
    }

    /// All lanes the other way round.
    pub(super) fn backward(&mut self, vector: Value) -> Value {
        let picks: Vec<u16> = (0..self.lanes).rev().collect();
        self.b.shuffle(vector, vector, &picks)
    }

    fn load_apart(&mut self, inst: &Inst, at: Value, step: i64) -> Value {
        let lanes: Vec<Value> = (0..self.lanes)
            .map(|lane| {
                let place = self.b.ptr_offset(at, step.wrapping_mul(i64::from(lane)) as u64);
                let loaded = self.b.load(inst.ty, place, inst.mem());
                if inst.ty.kind.is_ptr() { self.b.convert(Op::Bitcast, Type::I64, loaded) } else { loaded }
            })
            .collect();
        let wide = self.wide(inst.ty);
        self.b.value(Op::BuildVector, wide, &lanes, Attr::None)
    }

    pub(super) fn store(&mut self, id: InstId, inst: &Inst) -> Done {
        if self.store_group(id, inst) || self.store_run(id, inst) {
            return Ok(());
        }
        let value = inst.args[1];
        let ty = self.source.func.ty(value);
        self.at_places(inst.op, inst.args[0], ty, |widener, places| {
            widener.store_at(inst, places);
            None
        });
        Ok(())
    }

    /// Stores of lanes that are at these places.
    fn store_at(&mut self, inst: &Inst, places: LaneAddresses) {
        let (value, mem) = (inst.args[1], inst.mem());
        let (attr, ty) = (Attr::Mem(mem), self.source.func.ty(value));
        match (places, self.mask()) {
            (LaneAddresses::One(at), mask) => {
                let last = self.last(value, mask);
                self.b.store(last, at, mem);
            }
            (LaneAddresses::Row(at), Some(mask)) if self.is_own(inst.args[0]) => {
                let vector = self.vector(value);
                let before = self.b.load(self.b.func.ty(vector), at, mem);
                let after = self.b.select(mask, vector, before);
                self.b.store(after, at, mem);
            }
            (LaneAddresses::Row(at), mask) => {
                let vector = self.vector(value);
                self.store_neighbours(vector, at, mask, mem);
            }
            (LaneAddresses::Backward(at), mask) => {
                let start = self.start_of_backward(at, ty);
                let vector = self.vector(value);
                let vector = self.backward(vector);
                let mask = mask.map(|mask| self.backward(mask));
                self.store_neighbours(vector, start, mask, mem);
            }
            (LaneAddresses::Swapped(at, swap), mask) => {
                let vector = self.vector(value);
                let vector = self.swapped(vector, swap);
                let mask = mask.map(|mask| self.swapped(mask, swap));
                self.store_neighbours(vector, at, mask, mem);
            }
            (LaneAddresses::Apart(at, step), None) => {
                for lane in 0..self.lanes {
                    let place = self.b.ptr_offset(at, step.wrapping_mul(i64::from(lane)) as u64);
                    let stored = self.lane(value, lane);
                    self.b.store(stored, place, mem);
                }
            }
            (LaneAddresses::Apart(at, step), Some(mask)) => {
                let steps = self.steps_between(step);
                let vector = self.vector(value);
                self.b.effect(Op::ScatterAt, &[at, steps, vector, mask], Attr::ScaledMem(mem, 1));
            }
            (LaneAddresses::Pieces(starts), _) => self.store_pieces(inst, &starts),
            (LaneAddresses::Offsets(Offsets { base, index, scale }), _) => {
                let (mask, vector) = (self.mask_value(), self.vector(value));
                self.b.effect(Op::ScatterAt, &[base, index, vector, mask], Attr::ScaledMem(mem, scale));
            }
            (LaneAddresses::Any(numbers), _) => {
                let kind = self.source.func.ty(inst.args[0]).kind;
                let (pointers, mask) = (self.pointers(numbers, kind), self.mask_value());
                let vector = self.vector(value);
                self.b.effect(Op::Scatter, &[pointers, vector, mask], attr);
            }
        }
    }

    /// The value of the last lane that is there.
    pub(super) fn last(&mut self, value: Value, mask: Option<Value>) -> Value {
        let ty = self.source.func.ty(value);
        if self.shape(value).is_uniform() {
            return self.scalar(value);
        }
        let Some(mask) = mask else { return self.lane(value, self.lanes - 1) };
        let bits = if self.lanes > 32 { Type::I64 } else { Type::I32 };
        let set = self.b.value(Op::Movemask, bits, &[mask], Attr::None);
        let unused = self.b.same(Op::Clz, &[set]);
        let top = self.b.iconst(bits, u64::from(bits.kind.bits()) - 1);
        let last = self.b.same(Op::Isub, &[top, unused]);
        let last = if bits == Type::I64 { self.b.convert(Op::Trunc, Type::I32, last) } else { last };
        let vector = self.vector(value);
        let lane = self.b.value(Op::ExtractAt, self.b.func.ty(vector).lane(), &[vector, last], Attr::None);
        self.b.convert(Op::Bitcast, ty, lane)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn components_are_found_where_they_were_put() {
        for room in [4, 8, 16] {
            for row in 0..2 * room {
                for component in 0..4 {
                    assert_eq!(paired(place_of(row, component, room), room), 4 * row + component);
                }
            }
        }
    }
}
