//! Memory by lanes: masked loads and stores, gathers, scatters, atomics. Cranelift has none of them, so each lane that is
//! set is done by itself, behind a branch.

use cranelift_codegen::cursor::Cursor;
use cranelift_codegen::ir::{self as clif, BlockArg, InstBuilder, types};

use super::mask::Form;
use super::memory::{access, rmw_op};
use super::parts::{Parts, lane_type};
use super::translate::Translator;
use crate::ir::{Inst, Kind, Type, Value};

/// Where lanes are.
pub(super) enum Places {
    /// One after the other.
    From(clif::Value),
    /// Everywhere.
    At(Parts),
}

impl Translator<'_> {
    /// The addresses that operand `index` holds, one for each lane.
    pub(super) fn pointers(&self, inst: &Inst, index: usize) -> Places {
        Places::At(self.arg(inst, index))
    }

    /// The addresses of a base, which is the first operand, and scaled offsets, which are the second.
    pub(super) fn scaled_places(&mut self, inst: &Inst) -> Places {
        let (base, scale) = (self.scalar(inst, 0), inst.scaled_mem().1);
        let (ty, parts) = (self.arg_type(inst, 1), self.arg(inst, 1));
        let scale = self.integer(types::I64, u64::from(scale));
        let offsets = self.split_lanes(ty, &parts);
        let place = |offset| {
            let wide = if ty.kind == Kind::I32 { self.ins().sextend(types::I64, offset) } else { offset };
            let bytes = self.ins().imul(wide, scale);
            self.ins().iadd(base, bytes)
        };
        Places::At(offsets.into_iter().map(place).collect())
    }

    fn place(&mut self, places: &Places, lane: usize, size: u32) -> clif::Value {
        match places {
            Places::From(base) => self.ins().iadd_imm_s(*base, i64::from(lane as u32 * size)),
            Places::At(pointers) => pointers[lane],
        }
    }

    /// Runs `then` if `truth` is set; what it gives, or else `other`.
    fn guarded(
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

    /// The lanes that are set from memory, the others from `other`.
    pub(super) fn gather(&mut self, inst: &Inst, places: &Places, mask: Value, other: Value) -> Parts {
        let (ty, mask) = (inst.ty, self.mask(mask, Form::Bytes));
        let parts = self.values[other].clone();
        let other = self.split_lanes(ty, &parts);
        let lane = lane_type(ty.kind);
        let mut lanes = Vec::with_capacity(mask.len());
        for (i, &truth) in mask.iter().enumerate() {
            let place = self.place(places, i, ty.kind.bytes());
            let loaded =
                self.guarded(truth, Some(other[i]), |t| Some(t.ins().load(lane, access(), place, 0)));
            lanes.extend(loaded);
        }
        self.join_lanes(ty, &lanes)
    }

    /// The lanes that are set to memory.
    pub(super) fn scatter(&mut self, places: &Places, value: Value, mask: Value) -> Parts {
        let (ty, mask) = (self.source.ty(value), self.mask(mask, Form::Bytes));
        let parts = self.values[value].clone();
        let lanes = self.split_lanes(ty, &parts);
        for (i, &truth) in mask.iter().enumerate() {
            let place = self.place(places, i, ty.kind.bytes());
            self.guarded(truth, None, |t| {
                t.ins().store(access(), lanes[i], place, 0);
                None
            });
        }
        Parts::new()
    }

    /// An atomic operation for each lane that is set.
    pub(super) fn lane_rmw(&mut self, inst: &Inst) -> Parts {
        let (ty, op) = (lane_type(inst.ty.kind), rmw_op(inst.rmw()));
        let values = self.lanes_of(inst, 1);
        self.each_lane(inst, 2, |t, i, ptr| t.ins().atomic_rmw(ty, access(), op, ptr, values[i]))
    }

    /// The same, comparing first.
    pub(super) fn lane_cas(&mut self, inst: &Inst) -> Parts {
        let (expected, values) = (self.lanes_of(inst, 1), self.lanes_of(inst, 2));
        self.each_lane(inst, 3, |t, i, ptr| t.ins().atomic_cas(access(), ptr, expected[i], values[i]))
    }

    fn lanes_of(&mut self, inst: &Inst, index: usize) -> Vec<clif::Value> {
        let (ty, parts): (Type, Parts) = (self.arg_type(inst, index), self.arg(inst, index));
        self.split_lanes(ty, &parts)
    }

    /// What `each` gives for the lanes that are set in operand `mask`, at the pointers of the first; else 0.
    fn each_lane(
        &mut self,
        inst: &Inst,
        mask: usize,
        mut each: impl FnMut(&mut Self, usize, clif::Value) -> clif::Value,
    ) -> Parts {
        let pointers = self.arg(inst, 0);
        let mask = self.mask(inst.args[mask], Form::Bytes);
        let zero = self.integer(lane_type(inst.ty.kind), 0);
        let mut lanes = Vec::with_capacity(mask.len());
        for (i, &truth) in mask.iter().enumerate() {
            lanes.extend(self.guarded(truth, Some(zero), |t| Some(each(t, i, pointers[i]))));
        }
        self.join_lanes(inst.ty, &lanes)
    }
}
