//! Loads and stores for all lanes. Inactive lanes access no memory.

pub(super) mod atomic;
pub(super) mod base_offset;
pub(super) mod interleaved_access;
pub(super) mod interleaved_groups;
pub(super) mod lane_interleaving;
pub(super) mod row_segments;

use super::divergence::VectorShape;
use super::versioning::speculative_stride::{LanePermutation, SpeculativeValue};
use super::widen::{WidenResult, Widener};
use base_offset::BaseIndex;
use grus_ir::{Attr, Inst, InstId, Kind, Mem, Op, Type, Value};
use grus_support::target::{Backend, Features};
use interleaved_groups::REGISTER_BITS;
use row_segments::SegmentAddresses;

/// Returns the source element of position `to` in the first shuffle of a transposition of rows of four components. Four
/// registers of `register_lanes` elements hold the rows. For each pair of registers, the first shuffle
/// puts the first two components into one register and the other two into the next.
fn transpose_source(to: u16, register_lanes: u16) -> u16 {
    let (block, register, position) =
        (to / (4 * register_lanes), to / register_lanes % 4, to % register_lanes);
    let half = register_lanes / 2;
    let component = register % 2 * 2 + position / half;
    let row = register / 2 * half + position % half;
    block * 4 * register_lanes + row * 4 + component
}

/// Returns the position of a component of a row after the first shuffle.
fn transposed_position(row: u16, component: u16, register_lanes: u16) -> u16 {
    let half = register_lanes / 2;
    let (block, row) = (row / register_lanes, row % register_lanes);
    let register = row / half * 2 + component / 2;
    block * 4 * register_lanes + register * register_lanes + component % 2 * half + row % half
}

/// Returns the type of an access to `count` components of a lane: a register, or a 64-bit word.
fn row_type(ty: Type, count: u16) -> Type {
    if u32::from(count) * ty.bits() == REGISTER_BITS { Type::vector(ty.kind, count) } else { Type::F64 }
}

/// Addresses of the lanes of an access.
enum LaneAddresses {
    /// One address for all lanes.
    Uniform(Value),
    /// Contiguous addresses.
    Contiguous(Value),
    /// Contiguous addresses, in reverse order of the lanes.
    Reversed(Value),
    /// Contiguous addresses, with permuted lanes.
    Permuted(Value, LanePermutation),
    /// Addresses that differ by this many bytes from lane to lane.
    Strided(Value, i64),
    /// Contiguous or equal addresses in each row segment.
    Segments(SegmentAddresses),
    /// A uniform base with an index for each lane.
    BaseIndex(BaseIndex),
    /// A vector of any addresses.
    Any(Value),
}

/// Returns the addresses of lanes that differ by `step` bytes.
fn strided(first: Value, step: i64, ty: Type) -> LaneAddresses {
    match step {
        0 => LaneAddresses::Uniform(first),
        _ if step == i64::from(ty.bytes()) => LaneAddresses::Contiguous(first),
        _ if step == -i64::from(ty.bytes()) && !ty.kind.is_ptr() && !ty.is_vector() => {
            LaneAddresses::Reversed(first)
        }
        _ => LaneAddresses::Strided(first, step),
    }
}

/// Checks whether accesses to the components of an OpenCL vector are combined into accesses to whole rows,
/// given the shape of the address of the first component.
pub(super) fn are_row_accesses(ty: Type, count: u32, lanes: u16, shape: VectorShape) -> bool {
    let fills = u32::from(lanes) * ty.bits() >= REGISTER_BITS && ty.bits() < 64 && matches!(count, 2 | 4);
    let are_adjacent = shape.step() == Some(i64::from(count * ty.bytes()));
    // Rows that are not adjacent must be the size of one access.
    let is_single_access = matches!(count * ty.bits(), 64 | REGISTER_BITS) && !shape.is_uniform();
    fills && (are_adjacent || is_single_access)
}

impl<'f> Widener<'f, '_> {
    fn lane_addresses(&mut self, pointer: Value, ty: Type) -> LaneAddresses {
        match self.shape(pointer) {
            VectorShape::Affine(stride) => strided(self.scalar(pointer), stride.step, ty),
            VectorShape::Varying | VectorShape::Unknown => match self.segment_addresses(pointer, ty) {
                Some(segments) => LaneAddresses::Segments(segments),
                None => self.indexed_or_vector(pointer),
            },
        }
    }

    fn indexed_or_vector(&mut self, pointer: Value) -> LaneAddresses {
        match self.base_index(pointer) {
            Some(offsets) => LaneAddresses::BaseIndex(offsets),
            None => LaneAddresses::Any(self.vector(pointer)),
        }
    }

    /// Checks whether an address is in a lane-interleaved private object, in which each lane has its own
    /// elements.
    pub(super) fn is_lane_interleaved(&self, pointer: Value) -> bool {
        self.source.interleaved.object(pointer).is_some()
    }

    /// Converts integers to addresses.
    fn pointers(&mut self, addresses: Value, kind: Kind) -> Value {
        let ty = Type::vector(kind, self.lanes);
        self.b.convert(Op::Bitcast, ty, addresses)
    }

    /// Returns the addresses of all lanes as a vector of pointers.
    pub(super) fn addresses(&mut self, pointer: Value) -> Value {
        let kind = self.source.func.ty(pointer).kind;
        let addresses = self.vector(pointer);
        self.pointers(addresses, kind)
    }

    pub(super) fn load(&mut self, id: InstId, inst: &Inst) -> WidenResult {
        if self.load_group(id, inst) || self.load_interleaved(id, inst) {
            return Ok(());
        }
        let ty = inst.ty;
        let each = |widener: &mut Self, lane_addresses| {
            let is_uniform = matches!(lane_addresses, LaneAddresses::Uniform(_));
            let loaded = widener.emit_load(id, inst, lane_addresses);
            // The result may be varying although the address is uniform.
            let is_broadcast =
                is_uniform && inst.result.is_some_and(|value| widener.shape(value) == VectorShape::Varying);
            Some(if is_broadcast { widener.affine_vector(loaded, 0) } else { loaded })
        };
        let new = self.access_versions(inst.op, inst.args[0], ty, each).expect("a load");
        self.define(inst, new);
        Ok(())
    }

    /// Emits an access for the addresses of the lanes; two versions if they are speculatively affine.
    fn access_versions(
        &mut self,
        op: Op,
        pointer: Value,
        ty: Type,
        mut access: impl FnMut(&mut Self, LaneAddresses) -> Option<Value>,
    ) -> Option<Value> {
        let Some(SpeculativeValue { first, step, holds, permutation }) = self.speculation_at(pointer) else {
            let lane_addresses = self.lane_addresses(pointer, ty);
            return access(self, lane_addresses);
        };
        if permutation.is_some() && !self.may_permute(op, ty, step) {
            let lane_addresses = self.lane_addresses(pointer, ty);
            return access(self, lane_addresses);
        }
        self.emit_two_versions(holds, |widener, holds| {
            let lane_addresses = match permutation {
                _ if !holds => widener.indexed_or_vector(pointer),
                Some(permutation) => LaneAddresses::Permuted(first, permutation),
                None => strided(first, step, ty),
            };
            access(widener, lane_addresses)
        })
    }

    /// Checks whether contiguous accesses may have permuted lanes. Without mask registers, masked stores take
    /// longer than a store for each lane.
    fn may_permute(&self, op: Op, ty: Type, step: i64) -> bool {
        let is_row = step == i64::from(ty.bytes()) && !ty.kind.is_ptr() && !ty.is_vector();
        is_row && (op == Op::Load || self.mask().is_none() || self.options.backend.has_masks())
    }

    /// Loads contiguous elements; zeros for those that a mask excludes.
    fn load_contiguous(&mut self, ty: Type, at: Value, mask: Option<Value>, mem: Mem) -> Value {
        let Some(mask) = mask else { return self.b.load(ty, at, mem) };
        let zeros = self.b.zero(ty);
        self.b.value(Op::MaskedLoad, ty, &[at, mask, zeros], Attr::Mem(mem))
    }

    /// Stores contiguous elements, except for those that a mask excludes.
    pub(super) fn store_contiguous(&mut self, vector: Value, at: Value, mask: Option<Value>, mem: Mem) {
        match mask {
            Some(mask) => self.b.effect(Op::MaskedStore, &[at, vector, mask], Attr::Mem(mem)),
            None => self.b.store(vector, at, mem),
        }
    }

    /// Emits a load from these addresses.
    fn emit_load(&mut self, id: InstId, inst: &Inst, lane_addresses: LaneAddresses) -> Value {
        let (ty, mem) = (inst.ty, Attr::Mem(inst.mem()));
        let wide = self.widened_type(ty);
        match (lane_addresses, self.mask()) {
            (LaneAddresses::Uniform(at), _) => self.b.value(Op::Load, ty, &[at], mem),
            // Inactive lanes may read their own elements, and write back what they have read (see `emit_store`): no
            // other lane accesses those.
            (LaneAddresses::Contiguous(at), Some(_)) if self.is_lane_interleaved(inst.args[0]) => {
                self.b.value(Op::Load, wide, &[at], mem)
            }
            (LaneAddresses::Contiguous(at), mask) => self.load_contiguous(wide, at, mask, inst.mem()),
            (LaneAddresses::Reversed(at), mask) => {
                let start = self.reversed_start(at, ty);
                let mask = mask.map(|mask| self.reverse(mask));
                let row = self.load_contiguous(wide, start, mask, inst.mem());
                self.reverse(row)
            }
            (LaneAddresses::Permuted(at, permutation), mask) => {
                let mask = mask.map(|mask| self.permute_lanes(mask, permutation));
                let row = self.load_contiguous(wide, at, mask, inst.mem());
                self.permute_lanes(row, permutation)
            }
            (LaneAddresses::Strided(at, step), None)
                if !self.gathers_strided(ty) && !self.source.interleaved_groups.shares_word(id) =>
            {
                self.load_strided(inst, at, step)
            }
            (LaneAddresses::Strided(at, step), _) => {
                let mask = self.mask_value();
                let step_vector = self.lane_offsets(step);
                let zeros = self.b.zero(wide);
                let scaled = Attr::ScaledMem(inst.mem(), 1);
                self.b.value(Op::GatherAt, wide, &[at, step_vector, mask, zeros], scaled)
            }
            (LaneAddresses::Segments(segments), _) => self.load_segments(inst, &segments),
            (LaneAddresses::BaseIndex(BaseIndex { base, index, scale }), mask) => {
                let (index, mask) = match mask {
                    // Inactive lanes read their first elements: a branch for each of them would take longer.
                    Some(mask) if self.is_lane_interleaved(inst.args[0]) => {
                        let first = self.b.value(Op::Iota, self.b.func.ty(index), &[], Attr::None);
                        (self.b.select(mask, index, first), self.all_lanes())
                    }
                    _ => (index, self.mask_value()),
                };
                let zeros = self.b.zero(wide);
                let scaled = Attr::ScaledMem(inst.mem(), scale);
                self.b.value(Op::GatherAt, wide, &[base, index, mask, zeros], scaled)
            }
            (LaneAddresses::Any(addresses), mask) => {
                let object = self.source.interleaved.object(inst.args[0]);
                let (addresses, mask) = match (mask, object) {
                    (Some(mask), Some(object)) => {
                        // Inactive lanes read the start of the object: a branch for each of them would take
                        // longer.
                        let start = self.vector(object);
                        (self.b.select(mask, addresses, start), self.all_lanes())
                    }
                    _ => (addresses, self.mask_value()),
                };
                let kind = self.source.func.ty(inst.args[0]).kind;
                let (pointers, zeros) = (self.pointers(addresses, kind), self.b.zero(wide));
                self.b.value(Op::Gather, wide, &[pointers, mask, zeros], mem)
            }
        }
    }

    /// Returns the two or four accesses that were one access of an OpenCL vector, and the address of the first
    /// one, if they are combined again.
    fn row_group(&self, id: InstId, ty: Type) -> Option<(&'f [InstId], Value)> {
        let group = self.source.groups.of(id)?;
        let first = self.source.func.insts[group[0]].args[0];
        let are_row_accesses = are_row_accesses(ty, group.len() as u32, self.lanes, self.shape(first));
        // With a mask, adjacent rows are masked by component, and words by lane.
        let count = group.len() as u16;
        let is_maskable = self.mask().is_none()
            || self.are_rows_adjacent(first, ty, count)
            || self.are_row_words(self.source.func.insts[id].op, first, ty, count);
        (are_row_accesses && self.is_defined(first) && is_maskable).then_some((group, first))
    }

    /// Checks whether the rows of neighboring lanes are adjacent.
    fn are_rows_adjacent(&self, first: Value, ty: Type, count: u16) -> bool {
        self.shape(first).step() == Some(i64::from(count) * i64::from(ty.bytes()))
    }

    /// Checks whether rows are words that one instruction gathers or scatters.
    fn are_row_words(&self, op: Op, first: Value, ty: Type, count: u16) -> bool {
        let backend = self.options.backend;
        let has_instruction =
            if op == Op::Load { backend != Backend::Cranelift } else { backend.has_masks() };
        has_instruction
            && !row_type(ty, count).is_vector()
            && !self.is_lane_interleaved(first)
            && self.has_base_index(first)
    }

    /// Returns the mask of all components in the order of memory; none for all lanes.
    fn row_mask(&mut self, count: u16) -> Option<Value> {
        let mask = self.mask()?;
        let indices: Vec<u16> = (0..self.lanes * count).map(|to| to / count).collect();
        Some(self.b.shuffle(mask, mask, &indices))
    }

    /// Loads rows for all lanes and shuffles their components into vectors. Returns false if the access is not
    /// one of several.
    fn load_group(&mut self, id: InstId, inst: &Inst) -> bool {
        if inst.result.is_some_and(|result| self.is_defined(result)) {
            return true;
        }
        let Some((group, first)) = self.row_group(id, inst.ty) else { return false };
        let (count, lanes) = (group.len() as u16, self.lanes);
        let register_lanes = self.transpose_register_lanes(inst.ty);
        let mut all = self.load_rows(inst, first, count);
        // Four components are transposed in two steps, so that no shuffle has more than two source registers.
        if count == 4 {
            let indices: Vec<u16> =
                (0..lanes * count).map(|to| transpose_source(to, register_lanes)).collect();
            all = self.b.shuffle(all, all, &indices);
        }
        for (component, &member) in (0u16..).zip(group) {
            let position = |lane: u16| {
                if count == 4 {
                    transposed_position(lane, component, register_lanes)
                } else {
                    lane * count + component
                }
            };
            let indices: Vec<u16> = (0..lanes).map(position).collect();
            let new = self.b.shuffle(all, all, &indices);
            let member = &self.source.func.insts[member];
            self.define(member, new);
        }
        true
    }

    /// Returns the number of elements of the registers for the first transposition: the full register where the
    /// machine has two-source permutations, else 128 bits.
    fn transpose_register_lanes(&self, ty: Type) -> u16 {
        let backend = self.options.backend;
        let has_permutations = backend.has_masks() && ty.bits() >= 16;
        let bits = if has_permutations { 8 * backend.register() } else { REGISTER_BITS };
        self.lanes.min((bits / ty.bits()) as u16)
    }

    /// Emits an access to rows: adjacent ones from an address, or, without an address, anywhere. Emits both
    /// versions if the address is speculatively affine.
    fn row_access_versions(
        &mut self,
        first: Value,
        ty: Type,
        count: u16,
        mut access: impl FnMut(&mut Self, Option<Value>) -> Option<Value>,
    ) -> Option<Value> {
        let bytes = i64::from(count) * i64::from(ty.bytes());
        match self.speculation_at(first) {
            Some(SpeculativeValue { first: at, step, holds, permutation: None }) if step == bytes => {
                self.emit_two_versions(holds, |widener, holds| access(widener, holds.then_some(at)))
            }
            _ => {
                let at = self.are_rows_adjacent(first, ty, count).then(|| self.scalar(first));
                access(self, at)
            }
        }
    }

    /// Loads the rows of all lanes as one vector.
    fn load_rows(&mut self, inst: &Inst, first: Value, count: u16) -> Value {
        let rows = self.row_access_versions(first, inst.ty, count, |widener, at| {
            Some(match at {
                Some(at) => widener.load_adjacent_rows(inst, at, count),
                None => widener.load_scattered_rows(inst, first, count),
            })
        });
        rows.expect("a load")
    }

    /// Loads adjacent rows, given the address of the first one.
    fn load_adjacent_rows(&mut self, inst: &Inst, at: Value, count: u16) -> Value {
        let all = inst.ty.with_lanes(self.lanes * count);
        let mask = self.row_mask(count);
        self.load_contiguous(all, at, mask, inst.mem())
    }

    /// Loads rows at any addresses.
    fn load_scattered_rows(&mut self, inst: &Inst, first: Value, count: u16) -> Value {
        let (ty, lanes, mem) = (inst.ty, self.lanes, inst.mem());
        let all = ty.with_lanes(lanes * count);
        let row = row_type(ty, count);
        if self.are_row_words(inst.op, first, ty, count)
            && let Some(BaseIndex { base, index, scale }) = self.base_index(first)
        {
            let wide = row.with_lanes(lanes);
            let (mask, zeros) = (self.mask_value(), self.b.zero(wide));
            let scaled = Attr::ScaledMem(mem, scale);
            let words = self.b.value(Op::GatherAt, wide, &[base, index, mask, zeros], scaled);
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
        self.concat(rows)
    }

    /// Stores rows for all lanes at the access to the last component. Returns false if the access is not one of
    /// several.
    fn store_group(&mut self, id: InstId, inst: &Inst) -> bool {
        let func = self.source.func;
        let ty = func.ty(inst.args[1]);
        let Some((group, first)) = self.row_group(id, ty) else { return false };
        if group.last() != Some(&id) {
            return true;
        }
        let vectors: Vec<Value> = group.iter().map(|&id| self.vector(func.insts[id].args[1])).collect();
        let all = self.interleave_all(&vectors);
        let count = group.len() as u16;
        self.row_access_versions(first, ty, count, |widener, at| {
            match at {
                Some(at) => widener.store_adjacent_rows(inst, all, at, count),
                None => widener.store_scattered_rows(inst, all, first, count),
            }
            None
        });
        true
    }

    /// Stores adjacent rows, given the address of the first one.
    fn store_adjacent_rows(&mut self, inst: &Inst, all: Value, at: Value, count: u16) {
        let mask = self.row_mask(count);
        self.store_contiguous(all, at, mask, inst.mem());
    }

    /// Stores rows at any addresses.
    fn store_scattered_rows(&mut self, inst: &Inst, all: Value, first: Value, count: u16) {
        let ty = self.source.func.ty(inst.args[1]);
        let row = row_type(ty, count);
        let words =
            if row.is_vector() { all } else { self.b.convert(Op::Bitcast, row.with_lanes(self.lanes), all) };
        if self.are_row_words(inst.op, first, ty, count)
            && let Some(BaseIndex { base, index, scale }) = self.base_index(first)
        {
            let mask = self.mask_value();
            self.b.effect(Op::ScatterAt, &[base, index, words, mask], Attr::ScaledMem(inst.mem(), scale));
            return;
        }
        for lane in 0..self.lanes {
            let stored = if row.is_vector() {
                let indices: Vec<u16> = (lane * count..(lane + 1) * count).collect();
                self.b.shuffle(words, words, &indices)
            } else {
                self.b.extract(words, lane)
            };
            let at = self.lane(first, lane);
            self.b.store(stored, at, inst.mem());
        }
    }

    /// Interleaves two or four vectors: their first lanes, then their second ones, and so on.
    pub(super) fn interleave_all(&mut self, vectors: &[Value]) -> Value {
        let pairs: Vec<Value> = vectors.chunks(2).map(|pair| self.interleave(pair[0], pair[1], 1)).collect();
        if pairs.len() == 2 { self.interleave(pairs[0], pairs[1], 2) } else { pairs[0] }
    }

    /// Interleaves two vectors, `run` lanes at a time.
    fn interleave(&mut self, a: Value, b: Value, run: u16) -> Value {
        let lanes = self.b.func.ty(a).lanes;
        let index_of = |to: u16| {
            let (round, inside) = (to / (2 * run), to % (2 * run));
            let other = if inside < run { 0 } else { lanes };
            other + round * run + inside % run
        };
        let indices: Vec<u16> = (0..2 * lanes).map(index_of).collect();
        self.b.shuffle(a, b, &indices)
    }

    /// Returns the constant offsets of the lanes, of 32 bits if they fit.
    fn lane_offsets(&mut self, step: i64) -> Value {
        let last = step.saturating_mul(i64::from(self.lanes));
        let kind = if i32::try_from(last).is_ok() { Kind::I32 } else { Kind::I64 };
        self.step_vector(Type::vector(kind, self.lanes), step)
    }

    /// Returns the lowest address of an access in reverse order, given the address of the first lane.
    fn reversed_start(&mut self, first: Value, ty: Type) -> Value {
        let before = u64::from(self.lanes - 1) * u64::from(ty.bytes());
        self.b.ptr_offset(first, before.wrapping_neg())
    }

    /// Reverses the lanes of a vector.
    pub(super) fn reverse(&mut self, vector: Value) -> Value {
        let indices: Vec<u16> = (0..self.lanes).rev().collect();
        self.b.shuffle(vector, vector, &indices)
    }

    /// Checks whether loads at a constant distance are faster as a gather than one by one.
    // Source: rows of 32 numbers, records of 7, and indices modulo a power of two on a Xeon (Sapphire Rapids), 2026-12-01.
    // Of 64 bits, four loads and three shuffles are faster than the gather of AVX2. Rows of 64 bytes and words with AVX-512:
    // 0.66 and 0.84 of the time (`gather::subword`).
    fn gathers_strided(&self, ty: Type) -> bool {
        let backend = self.options.backend;
        let has_gather = match ty.bits() {
            32 => backend != Backend::Cranelift,
            8 | 16 | 64 => backend.has_masks(),
            _ => false,
        };
        has_gather
            && !Features::host().slow_gathers
            && !ty.is_vector()
            && !ty.kind.is_ptr()
            && u32::from(self.lanes) * ty.bits() >= REGISTER_BITS
    }

    /// Checks whether stores at a constant distance are faster as a scatter than one by one.
    // Source: as above.
    fn scatters_strided(&self, ty: Type) -> bool {
        self.options.backend.has_masks() && self.gathers_strided(ty)
    }

    fn load_strided(&mut self, inst: &Inst, at: Value, step: i64) -> Value {
        let lanes: Vec<Value> = (0..self.lanes)
            .map(|lane| {
                let position = self.b.ptr_offset(at, step.wrapping_mul(i64::from(lane)) as u64);
                let loaded = self.b.load(inst.ty, position, inst.mem());
                if inst.ty.kind.is_ptr() { self.b.convert(Op::Bitcast, Type::I64, loaded) } else { loaded }
            })
            .collect();
        let wide = self.widened_type(inst.ty);
        self.b.value(Op::BuildVector, wide, &lanes, Attr::None)
    }

    pub(super) fn store(&mut self, id: InstId, inst: &Inst) -> WidenResult {
        if self.store_group(id, inst) || self.store_interleaved(id, inst) {
            return Ok(());
        }
        let value = inst.args[1];
        let ty = self.source.func.ty(value);
        self.access_versions(inst.op, inst.args[0], ty, |widener, lane_addresses| {
            widener.emit_store(inst, lane_addresses);
            None
        });
        Ok(())
    }

    /// Emits a store to these addresses.
    fn emit_store(&mut self, inst: &Inst, lane_addresses: LaneAddresses) {
        let (value, mem) = (inst.args[1], inst.mem());
        let (attr, ty) = (Attr::Mem(mem), self.source.func.ty(value));
        match (lane_addresses, self.mask()) {
            (LaneAddresses::Uniform(at), mask) => {
                let last = self.last_active(value, mask);
                self.b.store(last, at, mem);
            }
            (LaneAddresses::Contiguous(at), Some(mask)) if self.is_lane_interleaved(inst.args[0]) => {
                let vector = self.vector(value);
                let before = self.b.load(self.b.func.ty(vector), at, mem);
                let after = self.b.select(mask, vector, before);
                self.b.store(after, at, mem);
            }
            (LaneAddresses::Contiguous(at), mask) => {
                let vector = self.vector(value);
                self.store_contiguous(vector, at, mask, mem);
            }
            (LaneAddresses::Reversed(at), mask) => {
                let start = self.reversed_start(at, ty);
                let vector = self.vector(value);
                let vector = self.reverse(vector);
                let mask = mask.map(|mask| self.reverse(mask));
                self.store_contiguous(vector, start, mask, mem);
            }
            (LaneAddresses::Permuted(at, permutation), mask) => {
                let vector = self.vector(value);
                let vector = self.permute_lanes(vector, permutation);
                let mask = mask.map(|mask| self.permute_lanes(mask, permutation));
                self.store_contiguous(vector, at, mask, mem);
            }
            (LaneAddresses::Strided(at, step), None) if !self.scatters_strided(ty) => {
                for lane in 0..self.lanes {
                    let position = self.b.ptr_offset(at, step.wrapping_mul(i64::from(lane)) as u64);
                    let stored = self.lane(value, lane);
                    self.b.store(stored, position, mem);
                }
            }
            (LaneAddresses::Strided(at, step), _) => {
                let mask = self.mask_value();
                let step_vector = self.lane_offsets(step);
                let vector = self.vector(value);
                self.b.effect(Op::ScatterAt, &[at, step_vector, vector, mask], Attr::ScaledMem(mem, 1));
            }
            (LaneAddresses::Segments(segments), _) => self.store_segments(inst, &segments),
            (LaneAddresses::BaseIndex(BaseIndex { base, index, scale }), _) => {
                let (mask, vector) = (self.mask_value(), self.vector(value));
                self.b.effect(Op::ScatterAt, &[base, index, vector, mask], Attr::ScaledMem(mem, scale));
            }
            (LaneAddresses::Any(addresses), _) => {
                let kind = self.source.func.ty(inst.args[0]).kind;
                let (pointers, mask) = (self.pointers(addresses, kind), self.mask_value());
                let vector = self.vector(value);
                self.b.effect(Op::Scatter, &[pointers, vector, mask], attr);
            }
        }
    }

    /// Returns the value of the last active lane.
    pub(super) fn last_active(&mut self, value: Value, mask: Option<Value>) -> Value {
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
        for register_lanes in [4, 8, 16] {
            for row in 0..2 * register_lanes {
                for component in 0..4 {
                    assert_eq!(
                        transpose_source(transposed_position(row, component, register_lanes), register_lanes),
                        4 * row + component
                    );
                }
            }
        }
    }
}
