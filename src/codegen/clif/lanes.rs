//! Memory accesses per lane: masked loads and stores, gathers, scatters, atomics. Cranelift has none of them, so
//! every active lane is accessed separately, behind a branch.

use cranelift_codegen::cursor::Cursor;
use cranelift_codegen::ir::{self as clif, BlockArg, InstBuilder, types};

use super::mask::MaskForm;
use super::memory::access;
use super::parts::{ClifParts, lane_type};
use super::translate::Translator;
use grus_ir::{Inst, Kind, Op, Type, Value};

/// Addresses of lanes.
pub(super) enum LaneAddresses {
    /// Consecutive lanes in memory.
    Contiguous(clif::Value),
    /// A separate address for each lane.
    Scattered(ClifParts),
}

impl Translator<'_> {
    /// Returns the addresses in operand `index`, one for each lane.
    pub(super) fn pointers(&self, inst: &Inst, index: usize) -> LaneAddresses {
        LaneAddresses::Scattered(self.arg(inst, index))
    }

    /// Returns the addresses given by a base (the first operand) and scaled offsets (the second operand).
    pub(super) fn scaled_addresses(&mut self, inst: &Inst) -> LaneAddresses {
        let (base, scale) = (self.scalar(inst, 0), inst.scaled_mem().1);
        let (ty, parts) = (self.arg_type(inst, 1), self.arg(inst, 1));
        let scale = self.integer(types::I64, u64::from(scale));
        let offsets = self.split_lanes(ty, &parts);
        let lane_address = |offset| {
            let wide = if ty.kind == Kind::I32 { self.ins().sextend(types::I64, offset) } else { offset };
            let bytes = self.ins().imul(wide, scale);
            self.ins().iadd(base, bytes)
        };
        LaneAddresses::Scattered(offsets.into_iter().map(lane_address).collect())
    }

    fn lane_address(&mut self, addresses: &LaneAddresses, lane: usize, size: u32) -> clif::Value {
        match addresses {
            LaneAddresses::Contiguous(base) => self.ins().iadd_imm_s(*base, i64::from(lane as u32 * size)),
            LaneAddresses::Scattered(pointers) => pointers[lane],
        }
    }

    /// Runs `then` if `truth` is set; returns its result, or `other` if it was not run.
    pub(super) fn guarded(
        &mut self,
        truth: clif::Value,
        other: Option<clif::Value>,
        then: impl FnOnce(&mut Self) -> Option<clif::Value>,
    ) -> Option<clif::Value> {
        let (set, after) = (self.func().dfg.make_block(), self.func().dfg.make_block());
        let result = other.map(|other| {
            let ty = self.func().dfg.value_type(other);
            self.func().dfg.append_block_param(after, ty)
        });
        let args = |value: Option<clif::Value>| value.map(BlockArg::Value).into_iter().collect::<Vec<_>>();
        self.ins().brif(truth, set, &[], after, &args(other));
        self.cursor.insert_block(set);
        let value = then(self);
        self.ins().jump(after, &args(value));
        self.cursor.insert_block(after);
        result
    }

    /// Loads the active lanes from memory, and takes the remaining ones from `other`.
    pub(super) fn gather(
        &mut self,
        inst: &Inst,
        addresses: &LaneAddresses,
        mask: Value,
        other: Value,
    ) -> ClifParts {
        let ty = inst.ty;
        if self.is_all_ones(mask) {
            return self.load_lanes(ty, addresses);
        }
        if let LaneAddresses::Contiguous(base) = *addresses {
            // Mostly all lanes are active.
            let (all, some, after) = self.unless_all(mask);
            self.cursor.insert_block(all);
            let loaded = self.load_parts(ty, base);
            self.jump_with(after, &loaded);
            self.cursor.insert_block(some);
            let loaded = self.gather_each(ty, addresses, mask, other);
            let types: Vec<clif::Type> =
                loaded.iter().map(|&part| self.func().dfg.value_type(part)).collect();
            self.jump_with(after, &loaded);
            let results = types.into_iter().map(|ty| self.func().dfg.append_block_param(after, ty)).collect();
            self.cursor.insert_block(after);
            return results;
        }
        self.gather_each(ty, addresses, mask, other)
    }

    fn gather_each(&mut self, ty: Type, addresses: &LaneAddresses, mask: Value, other: Value) -> ClifParts {
        let mask = self.mask(mask, MaskForm::Bytes);
        let parts = self.values[other].clone();
        let other = self.split_lanes(ty, &parts);
        let lane = lane_type(ty.kind);
        let mut lanes = Vec::with_capacity(mask.len());
        for (i, &truth) in mask.iter().enumerate() {
            let lane_address = self.lane_address(addresses, i, ty.kind.bytes());
            let loaded =
                self.guarded(truth, Some(other[i]), |t| Some(t.ins().load(lane, access(), lane_address, 0)));
            lanes.extend(loaded);
        }
        self.join_lanes(ty, &lanes)
    }

    /// Translates a permutation of lanes by indices, through memory.
    pub(super) fn permute(&mut self, inst: &Inst) -> ClifParts {
        let (ty, parts) = (self.arg_type(inst, 0), self.arg(inst, 0));
        let scratch_area = self.scratch(ty.bytes());
        self.store_parts(&parts, scratch_area);
        let (picks, numbers) = (self.arg_type(inst, 1), self.arg(inst, 1));
        let (lane, size) = (lane_type(ty.kind), self.integer(types::I64, u64::from(ty.kind.bytes())));
        let mut lanes = Vec::with_capacity(usize::from(inst.ty.lanes));
        for mut number in self.split_lanes(picks, &numbers) {
            if picks.kind == Kind::I64 {
                number = self.ins().ireduce(types::I32, number);
            }
            let number = self.lane_number(usize::from(ty.lanes), number);
            let wide = self.ins().uextend(types::I64, number);
            let bytes = self.ins().imul(wide, size);
            let lane_address = self.ins().iadd(scratch_area, bytes);
            lanes.push(self.ins().load(lane, access(), lane_address, 0));
        }
        self.join_lanes(inst.ty, &lanes)
    }

    /// Loads all lanes from memory.
    fn load_lanes(&mut self, ty: Type, addresses: &LaneAddresses) -> ClifParts {
        match addresses {
            LaneAddresses::Contiguous(base) => self.load_parts(ty, *base),
            LaneAddresses::Scattered(pointers) => {
                let lane = lane_type(ty.kind);
                let lanes: Vec<clif::Value> = pointers
                    .iter()
                    .map(|&lane_address| self.ins().load(lane, access(), lane_address, 0))
                    .collect();
                self.join_lanes(ty, &lanes)
            }
        }
    }

    /// Stores the active lanes.
    pub(super) fn scatter(&mut self, addresses: &LaneAddresses, value: Value, mask: Value) -> ClifParts {
        let ty = self.source.ty(value);
        let parts = self.values[value].clone();
        match addresses {
            LaneAddresses::Contiguous(base) if self.is_all_ones(mask) => self.store_parts(&parts, *base),
            LaneAddresses::Scattered(pointers) if self.is_all_ones(mask) => {
                let lanes = self.split_lanes(ty, &parts);
                for (&lane_address, lane) in pointers.iter().zip(lanes) {
                    self.ins().store(access(), lane, lane_address, 0);
                }
            }
            LaneAddresses::Contiguous(base) => {
                let (all, some, after) = self.unless_all(mask);
                self.cursor.insert_block(all);
                self.store_parts(&parts, *base);
                self.jump_with(after, &[]);
                self.cursor.insert_block(some);
                self.scatter_each(ty, addresses, &parts, mask);
                self.jump_with(after, &[]);
                self.cursor.insert_block(after);
            }
            LaneAddresses::Scattered(_) => self.scatter_each(ty, addresses, &parts, mask),
        }
        ClifParts::new()
    }

    fn scatter_each(&mut self, ty: Type, addresses: &LaneAddresses, parts: &ClifParts, mask: Value) {
        let mask = self.mask(mask, MaskForm::Bytes);
        let lanes = self.split_lanes(ty, parts);
        for (i, &truth) in mask.iter().enumerate() {
            let lane_address = self.lane_address(addresses, i, ty.kind.bytes());
            self.guarded(truth, None, |t| {
                t.ins().store(access(), lanes[i], lane_address, 0);
                None
            });
        }
    }

    /// Checks whether a mask is known to have all lanes set.
    fn is_all_ones(&self, mask: Value) -> bool {
        let splat = self.source.def_inst(mask).filter(|def| def.op == Op::Splat);
        splat.is_some_and(|def| self.source.as_const(def.args[0]) == Some(1))
    }

    /// Branches on a mask with all lanes set. Returns the blocks for that case, for the opposite case, and the one
    /// after both.
    fn unless_all(&mut self, mask: Value) -> (clif::Block, clif::Block, clif::Block) {
        let is_all = self.test_mask(mask, false);
        let [all, some, after] = [(); 3].map(|()| self.func().dfg.make_block());
        self.ins().brif(is_all, all, &[], some, &[]);
        (all, some, after)
    }

    fn jump_with(&mut self, to: clif::Block, values: &[clif::Value]) {
        let args: Vec<BlockArg> = values.iter().copied().map(BlockArg::Value).collect();
        self.ins().jump(to, &args);
    }

    /// Translates an atomic read-modify-write for each active lane.
    pub(super) fn lane_rmw(&mut self, inst: &Inst) -> ClifParts {
        let values = self.lanes_of(inst, 1);
        self.each_lane(inst, 2, |t, i, ptr| t.rmw_at(inst, ptr, values[i]))
    }

    /// Translates an atomic compare-and-exchange for each active lane.
    pub(super) fn lane_cas(&mut self, inst: &Inst) -> ClifParts {
        let (expected, values) = (self.lanes_of(inst, 1), self.lanes_of(inst, 2));
        self.each_lane(inst, 3, |t, i, ptr| t.cas_at(inst, ptr, expected[i], values[i]))
    }

    fn lanes_of(&mut self, inst: &Inst, index: usize) -> Vec<clif::Value> {
        let (ty, parts): (Type, ClifParts) = (self.arg_type(inst, index), self.arg(inst, index));
        self.split_lanes(ty, &parts)
    }

    /// Returns the results of `each` for the lanes that are set in operand `mask`, at the addresses in the first
    /// operand; 0 in the remaining lanes.
    fn each_lane(
        &mut self,
        inst: &Inst,
        mask: usize,
        mut each: impl FnMut(&mut Self, usize, clif::Value) -> clif::Value,
    ) -> ClifParts {
        let pointers = self.arg(inst, 0);
        if self.is_all_ones(inst.args[mask]) {
            let lanes: Vec<clif::Value> =
                pointers.iter().enumerate().map(|(i, &ptr)| each(self, i, ptr)).collect();
            return self.join_lanes(inst.ty, &lanes);
        }
        let mask = self.mask(inst.args[mask], MaskForm::Bytes);
        let zero = self.integer(lane_type(inst.ty.kind), 0);
        let mut lanes = Vec::with_capacity(mask.len());
        for (i, &truth) in mask.iter().enumerate() {
            lanes.extend(self.guarded(truth, Some(zero), |t| Some(each(t, i, pointers[i]))));
        }
        self.join_lanes(inst.ty, &lanes)
    }
}
