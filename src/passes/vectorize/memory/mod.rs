//! Loads and stores for all lanes. Inactive lanes access no memory.

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

/// Returns the source element of position `to` in the first of two transpositions of four components. Four
/// registers of `room` elements hold rows of four components. For each pair of registers, the first shuffle
/// puts the first two components into one register and the other two into the next.
fn paired(to: u16, room: u16) -> u16 {
    let (block, register, place) = (to / (4 * room), to / room % 4, to % room);
    let half = room / 2;
    let component = register % 2 * 2 + place / half;
    let row = register / 2 * half + place % half;
    block * 4 * room + row * 4 + component
}

/// Returns the position of a component of a row after the first transposition.
fn place_of(row: u16, component: u16, room: u16) -> u16 {
    let half = room / 2;
    let (block, row) = (row / room, row % room);
    let register = row / half * 2 + component / 2;
    block * 4 * room + register * room + component % 2 * half + row % half
}

/// Returns the type of the access to one row of `count` components: a register, or a 64-bit word.
fn row_type(ty: Type, count: u16) -> Type {
    if u32::from(count) * ty.bits() == REGISTER { Type::vector(ty.kind, count) } else { Type::F64 }
}

/// Addresses of the lanes of an access.
enum LaneAddresses {
    /// One address for all lanes.
    One(Value),
    /// Contiguous addresses.
    Row(Value),
    /// Contiguous addresses, in reverse order of the lanes.
    Backward(Value),
    /// Contiguous addresses, with permuted lanes.
    Swapped(Value, Swap),
    /// Addresses that differ by this many bytes from lane to lane.
    Apart(Value, i64),
    /// Contiguous or equal addresses in each row segment.
    Pieces(Starts),
    /// A uniform base with an index for each lane.
    Offsets(Offsets),
    /// A vector of any addresses.
    Any(Value),
}

/// Returns the addresses of lanes that differ by `step` bytes.
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

/// Checks whether accesses to the components of an OpenCL vector are combined into accesses to whole rows,
/// given the shape of the address of the first component.
pub(super) fn are_rows(ty: Type, count: u32, lanes: u16, shape: VectorShape) -> bool {
    let fills = u32::from(lanes) * ty.bits() >= REGISTER && ty.bits() < 64 && matches!(count, 2 | 4);
    let is_next = shape.step() == Some(i64::from(count * ty.bytes()));
    // Rows that are not adjacent must be the size of one access.
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

    /// Checks whether an address is in a lane-interleaved private object, in which each lane has its own
    /// elements.
    pub(super) fn is_own(&self, pointer: Value) -> bool {
        self.source.interleaved.object(pointer).is_some()
    }

    /// Converts integers to addresses.
    fn pointers(&mut self, numbers: Value, kind: Kind) -> Value {
        let ty = Type::vector(kind, self.lanes);
        self.b.convert(Op::Bitcast, ty, numbers)
    }

    /// Returns the addresses of all lanes as a vector of pointers.
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
            // The result may be varying although the address is uniform.
            let varies =
                is_one && inst.result.is_some_and(|value| widener.shape(value) == VectorShape::Varying);
            Some(if varies { widener.spread(loaded, 0) } else { loaded })
        };
        let new = self.at_places(inst.op, inst.args[0], ty, each).expect("a load");
        self.define(inst, new);
        Ok(())
    }

    /// Emits an access for the addresses of the lanes; two versions if they are speculatively affine.
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

    /// Checks whether contiguous accesses may have permuted lanes. Without mask registers, masked stores take
    /// longer than a store for each lane.
    fn may_swap(&self, op: Op, ty: Type, step: i64) -> bool {
        let is_row = step == i64::from(ty.bytes()) && !ty.kind.is_ptr() && !ty.is_vector();
        is_row && (op == Op::Load || self.mask().is_none() || self.asked.backend.has_masks())
    }

    /// Loads contiguous elements; zeros for those that a mask excludes.
    fn load_neighbours(&mut self, ty: Type, at: Value, mask: Option<Value>, mem: Mem) -> Value {
        let Some(mask) = mask else { return self.b.load(ty, at, mem) };
        let nothing = self.b.zero(ty);
        self.b.value(Op::MaskedLoad, ty, &[at, mask, nothing], Attr::Mem(mem))
    }

    /// Stores contiguous elements, except for those that a mask excludes.
    pub(super) fn store_neighbours(&mut self, vector: Value, at: Value, mask: Option<Value>, mem: Mem) {
        match mask {
            Some(mask) => self.b.effect(Op::MaskedStore, &[at, vector, mask], Attr::Mem(mem)),
            None => self.b.store(vector, at, mem),
        }
    }

    /// Emits a load from these addresses.
    fn load_at(&mut self, id: InstId, inst: &Inst, places: LaneAddresses) -> Value {
        let (ty, mem) = (inst.ty, Attr::Mem(inst.mem()));
        let wide = self.wide(ty);
        match (places, self.mask()) {
            (LaneAddresses::One(at), _) => self.b.value(Op::Load, ty, &[at], mem),
            // Inactive lanes may read their own elements, and write back what they have read: no other lane
            // accesses those.
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
                        // Inactive lanes read the start of the object: a branch for each of them would take
                        // longer.
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

    /// Returns the two or four accesses that were one access of an OpenCL vector, and the address of the first
    /// one, if they are combined again.
    fn rows(&self, id: InstId, ty: Type) -> Option<(&'f [InstId], Value)> {
        let group = self.source.groups.of(id)?;
        let first = self.source.func.insts[group[0]].args[0];
        let are_rows = are_rows(ty, group.len() as u32, self.lanes, self.shape(first));
        // With a mask, adjacent rows are masked by component, and words by lane.
        let count = group.len() as u16;
        let is_free = self.mask().is_none()
            || self.is_row_of_rows(first, ty, count)
            || self.are_words(self.source.func.insts[id].op, first, ty, count);
        (are_rows && self.is_defined(first) && is_free).then_some((group, first))
    }

    /// Checks whether the rows of neighboring lanes are adjacent.
    fn is_row_of_rows(&self, first: Value, ty: Type, count: u16) -> bool {
        self.shape(first).step() == Some(i64::from(count) * i64::from(ty.bytes()))
    }

    /// Checks whether rows are words that one instruction gathers or scatters.
    fn are_words(&self, op: Op, first: Value, ty: Type, count: u16) -> bool {
        let backend = self.asked.backend;
        let has_instruction =
            if op == Op::Load { backend != Backend::Cranelift } else { backend.has_masks() };
        has_instruction && !row_type(ty, count).is_vector() && !self.is_own(first) && self.has_base(first)
    }

    /// Returns the mask of all components in the order of memory; none for all lanes.
    fn mask_of_rows(&mut self, count: u16) -> Option<Value> {
        let mask = self.mask()?;
        let picks: Vec<u16> = (0..self.lanes * count).map(|to| to / count).collect();
        Some(self.b.shuffle(mask, mask, &picks))
    }

    /// Loads rows for all lanes and shuffles their components into vectors. Returns false if the access is not
    /// one of several.
    fn load_group(&mut self, id: InstId, inst: &Inst) -> bool {
        if inst.result.is_some_and(|result| self.is_defined(result)) {
            return true;
        }
        let Some((group, first)) = self.rows(id, inst.ty) else { return false };
        let (count, lanes) = (group.len() as u16, self.lanes);
        let room = self.room_of_pairs(inst.ty);
        let mut all = self.load_rows(inst, first, count);
        // Four components are transposed in two steps, so that no shuffle has more than two source registers.
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

    /// Returns the number of elements of the registers for the first transposition: the full register where the
    /// machine has two-source permutations, else 128 bits.
    fn room_of_pairs(&self, ty: Type) -> u16 {
        let backend = self.asked.backend;
        let picks_any = backend.has_masks() && ty.bits() >= 16;
        let bits = if picks_any { 8 * backend.register() } else { REGISTER };
        self.lanes.min((bits / ty.bits()) as u16)
    }

    /// Emits an access to rows: adjacent ones from an address, or, without an address, anywhere. Emits both
    /// versions if the address is speculatively affine.
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

    /// Loads the rows of all lanes as one vector.
    fn load_rows(&mut self, inst: &Inst, first: Value, count: u16) -> Value {
        let rows = self.at_rows(first, inst.ty, count, |widener, at| {
            Some(match at {
                Some(at) => widener.load_row_of_rows(inst, at, count),
                None => widener.load_rows_apart(inst, first, count),
            })
        });
        rows.expect("a load")
    }

    /// Loads adjacent rows, given the address of the first one.
    fn load_row_of_rows(&mut self, inst: &Inst, at: Value, count: u16) -> Value {
        let all = inst.ty.with_lanes(self.lanes * count);
        let mask = self.mask_of_rows(count);
        self.load_neighbours(all, at, mask, inst.mem())
    }

    /// Loads rows at any addresses.
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

    /// Stores rows for all lanes at the access to the last component. Returns false if the access is not one of
    /// several.
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

    /// Stores adjacent rows, given the address of the first one.
    fn store_row_of_rows(&mut self, inst: &Inst, all: Value, at: Value, count: u16) {
        let mask = self.mask_of_rows(count);
        self.store_neighbours(all, at, mask, inst.mem());
    }

    /// Stores rows at any addresses.
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

    /// Interleaves two or four vectors: their first lanes, then their second ones, and so on.
    pub(super) fn in_turn(&mut self, vectors: &[Value]) -> Value {
        let pairs: Vec<Value> = vectors.chunks(2).map(|pair| self.interleave(pair[0], pair[1], 1)).collect();
        if pairs.len() == 2 { self.interleave(pairs[0], pairs[1], 2) } else { pairs[0] }
    }

    /// Interleaves two vectors, `run` lanes at a time.
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

    /// Returns the constant offsets of the lanes, of 32 bits if they fit.
    fn steps_between(&mut self, step: i64) -> Value {
        let last = step.saturating_mul(i64::from(self.lanes));
        let kind = if i32::try_from(last).is_ok() { Kind::I32 } else { Kind::I64 };
        self.steps(Type::vector(kind, self.lanes), step)
    }

    /// Returns the lowest address of an access in reverse order, given the address of the first lane.
    fn start_of_backward(&mut self, first: Value, ty: Type) -> Value {
        let before = u64::from(self.lanes - 1) * u64::from(ty.bytes());
        self.b.ptr_offset(first, before.wrapping_neg())
    }

    /// Reverses the lanes of a vector.
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

    /// Emits a store to these addresses.
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

    /// Returns the value of the last active lane.
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
