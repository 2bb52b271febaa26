//! Sub-group operations: a sub-group is the set of lanes of a body, and its active lanes take part in an
//! operation.

use super::divergence::VectorShape;
use super::stride::Stride;
use super::widen::{WidenResult, Widener};
use grus_ir::interp::evaluate;
use grus_ir::{
    Attr, Consistency, Function, Inst, IntCond, MemoryOrder, MemoryScope, Op, Reduction, SubGroupOp, Type,
    Value,
};
use grus_support::FastMap;

/// Checks whether a function has sub-group operations.
pub fn has_sub_group_ops(func: &Function) -> bool {
    func.instructions().any(|inst| inst.op.is_of_sub_group())
}

/// Returns a kernel whose sub-groups have one work-item each.
pub fn with_single_item_sub_groups(kernel: &Function) -> Function {
    let mut func = kernel.clone();
    let truth = func.make_inst(Op::Iconst, Type::I1, smallvec::smallvec![], Attr::Int(1), Vec::new(), 0);
    let truth_value = func.insts[truth].result.expect("a constant");
    let entry = func.entry();
    func.blocks[entry].insts.insert(0, truth);
    for block in func.layout.clone() {
        for id in func.blocks[block].insts.clone() {
            let inst = &mut func.insts[id];
            let Some(op) = SubGroupOp::of(inst.op) else { continue };
            let number = |number: u64| (Op::Iconst, Attr::Int(number), smallvec::smallvec![]);
            (inst.op, inst.attr, inst.args) = match op {
                SubGroupOp::SubGroupLane => number(0),
                SubGroupOp::SubGroupSize => number(1),
                SubGroupOp::SubGroupBallot => (Op::Zext, Attr::None, inst.args.clone()),
                SubGroupOp::SubGroupExclusiveScan => {
                    let bits = inst.reduction().identity(inst.ty.kind);
                    let op = if inst.ty.kind.is_float() { Op::Fconst } else { Op::Iconst };
                    (op, Attr::Int(bits), smallvec::smallvec![])
                }
                SubGroupOp::SubGroupBarrier => (Op::Fence, BARRIER_FENCE, smallvec::smallvec![]),
                SubGroupOp::SubGroupFirst
                | SubGroupOp::SubGroupShuffle
                | SubGroupOp::SubGroupReduce
                | SubGroupOp::SubGroupScan
                | SubGroupOp::SubGroupCluster => {
                    // A copy, which `simplify` removes.
                    let value = inst.args[0];
                    (Op::Select, Attr::None, smallvec::smallvec![truth_value, value, value])
                }
            };
        }
    }
    func
}

/// Memory consistency of a sub-group barrier: earlier writes are visible to the other work-items.
const BARRIER_FENCE: Attr =
    Attr::Consistency(Consistency { order: MemoryOrder::AcqRel, scope: MemoryScope::WorkGroup });

/// Returns the shape of the result of an operation; `args` are those of its operands.
pub(super) fn result_shape(inst: &Inst, args: &[VectorShape], lanes: u16) -> VectorShape {
    let uniform = VectorShape::Affine(Stride::uniform(inst.ty.kind));
    match inst.op {
        Op::SubGroupLane => VectorShape::Affine(Stride::lane(lanes)),
        Op::SubGroupFirst => match args[..] {
            [VectorShape::Affine(Stride { max: Some(max), .. })] => {
                VectorShape::Affine(Stride { max: Some(max), ..Stride::uniform(inst.ty.kind) })
            }
            _ => uniform,
        },
        Op::SubGroupSize | Op::SubGroupBallot | Op::SubGroupReduce => uniform,
        Op::SubGroupShuffle if args.iter().any(|shape| shape.is_uniform()) => uniform,
        _ => VectorShape::Varying,
    }
}

/// Limit of the depth of expressions of the lane number.
// Arbitrary.
const MAX_DEPTH: u32 = 12;

/// Checks whether the expression tree of a value is small.
fn is_shallow(func: &Function, value: Value, depth: u32, budget: &mut u32) -> bool {
    if depth == 0 || *budget == 0 {
        return false;
    }
    *budget -= 1;
    func.def_inst(value)
        .is_none_or(|inst| inst.args.iter().all(|&arg| is_shallow(func, arg, depth - 1, budget)))
}

impl Widener<'_, '_> {
    pub(super) fn sub_group(&mut self, inst: &Inst, op: SubGroupOp) -> WidenResult {
        let new = match op {
            SubGroupOp::SubGroupLane => {
                self.values.lane_numbers.extend(inst.result);
                self.b.iconst(Type::I32, 0)
            }
            SubGroupOp::SubGroupSize => self.b.iconst(Type::I32, self.lanes.into()),
            SubGroupOp::SubGroupBallot => {
                let mut truth_value = self.vector(inst.args[0]);
                if let Some(mask) = self.mask() {
                    truth_value = self.b.same(Op::And, &[truth_value, mask]);
                }
                self.b.value(Op::Movemask, Type::I64, &[truth_value], Attr::None)
            }
            SubGroupOp::SubGroupFirst
                if self.shape(inst.args[0]).is_uniform()
                    || self.mask().is_none() && self.shape(inst.args[0]).step().is_some() =>
            {
                self.scalar(inst.args[0])
            }
            SubGroupOp::SubGroupFirst => {
                let vector = self.vector(inst.args[0]);
                match self.mask() {
                    None => self.b.extract(vector, 0),
                    Some(mask) => {
                        let first = self.b.value(Op::MaskFirstSet, Type::I32, &[mask], Attr::None);
                        self.b.value(Op::ExtractAt, inst.ty, &[vector, first], Attr::None)
                    }
                }
            }
            SubGroupOp::SubGroupShuffle => self.shuffle_lanes(inst),
            SubGroupOp::SubGroupReduce => {
                let reduction = inst.reduction();
                let all = self.active_or_identity(inst.args[0], reduction);
                self.b.halve(all, |b, [low, high]| b.combine(reduction, low, high))
            }
            SubGroupOp::SubGroupScan | SubGroupOp::SubGroupExclusiveScan => self.scan_op(inst, op),
            SubGroupOp::SubGroupCluster => self.reduce_clusters(inst),
            SubGroupOp::SubGroupBarrier => {
                self.b.effect(Op::Fence, &[], BARRIER_FENCE);
                return Ok(());
            }
        };
        self.define(inst, new);
        Ok(())
    }

    /// Returns the operand in active lanes, and the identity of the reduction in others.
    pub(super) fn active_or_identity(&mut self, value: Value, reduction: Reduction) -> Value {
        let vector = self.vector(value);
        let Some(mask) = self.mask() else { return vector };
        let identity = self.identity(vector, reduction);
        self.b.select(mask, vector, identity)
    }

    /// Returns the identity of a reduction in all lanes, in the type of this vector.
    pub(super) fn identity(&mut self, vector: Value, reduction: Reduction) -> Value {
        let ty = self.b.func.ty(vector);
        self.b.constant(ty, reduction.identity(ty.kind))
    }

    /// Emits a shuffle: each lane gets the value of another one.
    fn shuffle_lanes(&mut self, inst: &Inst) -> Value {
        let [value, from] = [0, 1].map(|i| inst.args[i]);
        if self.shape(value).is_uniform() {
            return self.scalar(value);
        }
        let vector = self.vector(value);
        if self.shape(from).is_uniform() {
            let from = self.scalar(from);
            if let Some(lane) = self.b.func.as_const(from) {
                return self.b.extract(vector, (lane % u64::from(self.lanes)) as u16);
            }
            return self.b.value(Op::ExtractAt, inst.ty, &[vector, from], Attr::None);
        }
        if let Some(indices) = self.constant_lanes(from) {
            return self.b.shuffle(vector, vector, &indices);
        }
        let from = self.vector(from);
        let ty = self.b.func.ty(vector);
        self.b.value(Op::Permute, ty, &[vector, from], Attr::None)
    }

    /// Evaluates an expression of the lane number for each lane, modulo the number of lanes.
    fn constant_lanes(&self, value: Value) -> Option<Vec<u16>> {
        let func = self.source.func;
        if !is_shallow(func, value, MAX_DEPTH, &mut 64) {
            return None;
        }
        let lanes = u64::from(self.lanes);
        let of = |number: u64| {
            let mut known: FastMap<Value, u64> =
                self.values.lane_numbers.iter().map(|&lane| (lane, number)).collect();
            evaluate(func, value, &mut known).map(|other| (other % lanes) as u16)
        };
        (0..lanes).map(of).collect()
    }

    /// Emits an inclusive or exclusive scan.
    fn scan_op(&mut self, inst: &Inst, op: SubGroupOp) -> Value {
        let reduction = inst.reduction();
        let mut all = self.active_or_identity(inst.args[0], reduction);
        if op == SubGroupOp::SubGroupExclusiveScan {
            let identity = self.identity(all, reduction);
            all = self.shift_up(identity, all, 1);
        }
        self.scan(all, reduction)
    }

    /// Emits an inclusive scan in log2(lanes) steps (Hillis, Steele).
    pub(super) fn scan(&mut self, mut all: Value, reduction: Reduction) -> Value {
        let identity = self.identity(all, reduction);
        let mut distance = 1;
        while distance < self.lanes {
            let before = self.shift_up(identity, all, distance);
            all = self.b.combine(reduction, before, all);
            distance *= 2;
        }
        all
    }

    /// Shifts a vector up by this many lanes; the lowest lanes come from `first`.
    pub(super) fn shift_up(&mut self, first: Value, vector: Value, by: u16) -> Value {
        let lanes = self.lanes;
        let indices: Vec<u16> = (0..lanes).map(|i| if i < by { i } else { lanes + i - by }).collect();
        self.b.shuffle(first, vector, &indices)
    }

    /// Emits a reduction over each cluster of lanes.
    fn reduce_clusters(&mut self, inst: &Inst) -> Value {
        let reduction = inst.reduction();
        let mut all = self.active_or_identity(inst.args[0], reduction);
        let size = inst.args[1];
        let is_one = self.shape(size).is_uniform();
        let size = if is_one { self.scalar(size) } else { self.vector(size) };
        let ty = self.b.func.ty(size);
        let mut distance = 1;
        while distance < self.lanes {
            let indices = |bit: u16| (0..self.lanes).map(|i| i & !distance | bit).collect::<Vec<u16>>();
            let (low, high) = (indices(0), indices(distance));
            let [low, high] = [low, high].map(|indices| self.b.shuffle(all, all, &indices));
            let both = self.b.combine(reduction, low, high);
            let here = self.b.iconst(ty, distance.into());
            let is_larger = self.b.icmp(IntCond::Ugt, size, here);
            all = self.b.select(is_larger, both, all);
            distance *= 2;
        }
        all
    }
}
