//! The last lanes of a divergent loop. Lanes that have left a divergent loop stay idle until the last one leaves, so that a loop
//! that one work-item of many runs for long costs as if all of them did. When few lanes have been left for some iterations,
//! they run a scalar copy of the loop instead, one after the other. What they leave the loop with is put into their lanes.

use super::cost::instruction::inst_cost;
use super::divergence::VectorShape;
use super::forward_progress::reads_others_writes;
use super::widen::{WidenInput, WidenResult, Widener};
use grus_ir::analysis::LoopId;
use grus_ir::{Attr, Block, Effect, Function, Inst, IntCond, Op, Target, Type, Value};
use grus_support::target::Backend;
use grus_support::{FastMap, Id};

/// Limit of the instructions of a loop that is copied.
// Arbitrary.
const MAX_COPIED_INSTS: usize = 256;
/// Number of iterations with few lanes before they are run one by one: their lanes are extracted through memory, which takes
/// as long as some iterations.
// Source: tests for primes, Collatz sequences and binary searches on Zen 3 take 0.5, 0.8 and 0.8 of the time, equally with 1
// to 32, but loops of 4 iterations take 1.1 to 1.3 of it with 1.
const PATIENCE: u64 = 8;

/// Part of the lanes, one of so many, that must be few for a copy: else counting them takes longer than it saves.
// Source: with AVX-512 `fractal` of the suite, where 3 of 32 lanes are few, takes 1.12 of its time with a copy.
const MIN_PART: u64 = 8;

/// Scalar copy of a loop for one lane.
struct LaneCopy {
    id: LoopId,
    /// Number of the lane.
    lane: Value,
    /// True in the lane.
    mask: Value,
    /// Copies of values of the loop, and the lane's values from outside.
    values: FastMap<Value, Value>,
    /// Copies of blocks.
    blocks: FastMap<Block, Block>,
    /// Block that takes the next lane.
    next: Block,
    /// Lanes that are left.
    rest: Value,
}

/// Returns the divergent loops whose last lanes may run a scalar copy, and their blocks.
pub(super) fn copied_loops(source: &WidenInput<'_>, backend: Backend) -> FastMap<LoopId, Vec<Block>> {
    let mut found: FastMap<LoopId, Vec<Block>> = FastMap::default();
    if backend == Backend::Cranelift {
        return found;
    }
    let have_inner = source.loops.have_inner();
    for &block in &source.order.blocks {
        let around = source.loops.of(block);
        if let Some(id) = around.filter(|&id| !have_inner[id] && source.shapes.is_divergent_loop(id)) {
            found.entry(id).or_default().push(block);
        }
    }
    found.retain(|_, blocks| {
        let mut insts = blocks.iter().flat_map(|&block| &source.func.blocks[block].insts);
        insts.clone().count() <= MAX_COPIED_INSTS
            && insts.all(|&inst| is_copied(source, &source.func.insts[inst]))
    });
    found
}

/// Checks whether an instruction has the same effect in a scalar copy of its loop: lanes that wait for each other do not.
fn is_copied(source: &WidenInput<'_>, inst: &Inst) -> bool {
    let is_scalar =
        |value: Value| !source.func.ty(value).is_vector() && source.shapes.of(value) != VectorShape::Unknown;
    let has_known_effect = match inst.op {
        Op::Load | Op::Store => !inst.is_volatile() && !reads_others_writes(inst),
        Op::Jump | Op::BrIf | Op::Switch => true,
        op => op.effect() == Effect::Pure && !op.is_of_sub_group(),
    };
    has_known_effect && inst.result.is_none_or(is_scalar) && inst.uses().all(is_scalar)
}

impl Widener<'_, '_> {
    /// Returns how many lanes run faster one by one than an iteration of all lanes; none if the loop cannot be copied.
    fn few_lanes(&self, id: LoopId) -> Option<u64> {
        let blocks = self.flow.copied_loops.get(&id)?;
        let cost_of = |func: &Function, block: Block| {
            let insts = func.blocks[block].insts.iter();
            insts.map(|&inst| inst_cost(func, &func.insts[inst], self.options.backend)).sum::<u64>()
        };
        let scalar_cost: u64 = blocks.iter().map(|&block| cost_of(self.source.func, block)).sum();
        let vector_cost: u64 =
            blocks.iter().map(|&block| cost_of(self.b.func, self.flow.blocks[block])).sum();
        let lanes = u64::from(self.lanes);
        let few = (vector_cost / scalar_cost.max(1)).min(lanes / 2);
        (few > 0 && few * MIN_PART >= lanes).then_some(few)
    }

    /// Checks whether the current block is in a loop of which there may be a copy.
    pub(super) fn is_in_copied_loop(&self) -> bool {
        self.source.loops.of(self.current).is_some_and(|id| self.flow.copied_loops.contains_key(&id))
    }

    /// Ends an iteration of a divergent loop for the lanes of `mask`, which stay in it: repeats it, runs the last lanes one by
    /// one, or goes on with `pending`, the entry of the block that runs after the loop.
    pub(super) fn repeat_for_lanes(
        &mut self,
        id: LoopId,
        inst: &Inst,
        mask: Value,
        header: Target,
        pending: Block,
    ) -> WidenResult {
        let Some(few) = self.few_lanes(id) else {
            self.branch_if_any(mask, header, pending);
            return Ok(());
        };
        let bits = self.places(mask);
        let bits_ty = self.b.func.ty(bits);
        let zero = self.b.iconst(bits_ty, 0);
        let is_any = self.b.icmp(IntCond::Ne, bits, zero);
        let (some, pass, last) = (self.b.func.add_block(), self.b.func.add_block(), self.b.func.add_block());
        self.b.br_if(is_any, some, pass);
        self.b.switch_to(pass);
        self.b.jump(pending, &[]);
        self.b.switch_to(some);
        let few = few / u64::from(self.lanes / self.lanes_at_once(mask));
        let are_few = if few > 1 {
            let count = self.b.value(Op::Popcnt, bits_ty, &[bits], Attr::None);
            let few = self.b.iconst(bits_ty, few);
            self.b.icmp(IntCond::Ule, count, few)
        } else {
            let others = self.without_lowest(bits);
            self.b.icmp(IntCond::Eq, others, zero)
        };
        // Without a branch, which would be mispredicted once for most vectors.
        let patience = self.patience(id);
        let waited = self.load_variable(Type::I32, patience);
        let one_more = self.b.convert(Op::Zext, Type::I32, are_few);
        let waited = self.b.same(Op::Iadd, &[waited, one_more]);
        self.store_variable(patience, waited);
        let enough = self.b.iconst(Type::I32, PATIENCE);
        let is_waiting = self.b.icmp(IntCond::Ult, waited, enough);
        self.b.br_to(is_waiting, header, Target::new(last, &[]));
        let first = self.b.func.blocks.next_id();
        self.b.switch_to(last);
        self.run_one_by_one(id, inst, mask, pending)?;
        self.frequencies.copied_headers.insert(self.flow.blocks[inst.targets[0].block]);
        self.frequencies.cold.insert(last);
        self.frequencies.cold.extend((first.index()..self.b.func.blocks.len()).map(Block::new));
        Ok(())
    }

    /// Returns the variable that counts the iterations with few lanes of a loop.
    fn patience(&mut self, id: LoopId) -> Value {
        if let Some(&variable) = self.flow.patience.get(&id) {
            return variable;
        }
        let variable = self.variable(Type::I32);
        self.flow.patience.insert(id, variable);
        variable
    }

    /// Begins to count the iterations with few lanes, where a loop is entered on an edge.
    pub(super) fn enter_copied_loop(&mut self, from: Block, to: Block) {
        let source = self.source;
        let entered = source.loops.of(to).filter(|&id| {
            source.loops.get(id).header == to
                && !source.loops.contains(id, from)
                && self.flow.copied_loops.contains_key(&id)
        });
        if let Some(id) = entered {
            let variable = self.patience(id);
            let zero = self.b.iconst(Type::I32, 0);
            self.store_variable(variable, zero);
        }
    }

    /// Returns the number of lanes of a mask that move to a number at once: those of a register as wide as what the mask
    /// compares, without registers for masks.
    fn lanes_at_once(&self, mask: Value) -> u16 {
        // Arbitrary.
        const MAX_DEPTH: usize = 8;
        let backend = self.options.backend;
        if backend.has_masks() {
            return self.lanes;
        }
        let (mut value, mut bits) = (mask, 32);
        for _ in 0..MAX_DEPTH {
            let Some(inst) = self.b.func.def_inst(value) else { break };
            let Some(&arg) = inst.args.first() else { break };
            match inst.op {
                Op::And | Op::Or | Op::Xor => value = arg,
                Op::Icmp | Op::Fcmp if !self.b.func.ty(arg).is_mask() => {
                    bits = self.b.func.ty(arg).kind.bits();
                    break;
                }
                _ => break,
            }
        }
        self.lanes.min((8 * backend.register() / bits) as u16)
    }

    /// Returns a number with a bit for each place in a register that has an active lane: whole masks take long to move to a
    /// number.
    pub(super) fn places(&mut self, mut mask: Value) -> Value {
        let (mut lanes, at_once) = (self.lanes, self.lanes_at_once(mask));
        while lanes > at_once {
            lanes /= 2;
            let half = |from: u16| (from..from + lanes).collect::<Vec<u16>>();
            let (low, high) =
                (self.b.shuffle(mask, mask, &half(0)), self.b.shuffle(mask, mask, &half(lanes)));
            mask = self.b.same(Op::Or, &[low, high]);
        }
        let ty = if lanes > 32 { Type::I64 } else { Type::I32 };
        self.b.value(Op::Movemask, ty, &[mask], Attr::None)
    }

    fn without_lowest(&mut self, bits: Value) -> Value {
        let one = self.b.iconst(self.b.func.ty(bits), 1);
        let below = self.b.same(Op::Isub, &[bits, one]);
        self.b.same(Op::And, &[bits, below])
    }

    /// Emits a scalar copy of a loop that the lanes of `mask` run one after the other.
    fn run_one_by_one(&mut self, id: LoopId, latch: &Inst, mask: Value, pending: Block) -> WidenResult {
        let source = self.source;
        let bits_ty = if self.lanes > 32 { Type::I64 } else { Type::I32 };
        let bits = self.b.value(Op::Movemask, bits_ty, &[mask], Attr::None);
        let (next, start, end) = (self.b.func.add_block(), self.b.func.add_block(), self.b.func.add_block());
        let left = self.b.func.add_param(next, bits_ty);
        self.b.jump(next, &[bits]);
        self.b.switch_to(next);
        let zero = self.b.iconst(bits_ty, 0);
        let is_over = self.b.icmp(IntCond::Eq, left, zero);
        self.b.br_if(is_over, end, start);
        self.b.switch_to(end);
        self.b.jump(pending, &[]);
        self.b.switch_to(start);
        let lane = self.b.value(Op::Ctz, bits_ty, &[left], Attr::None);
        let lane = self.b.convert(Op::Trunc, Type::I32, lane);
        let numbers = Type::vector(Type::I32.kind, self.lanes);
        let (own, lanes) = (self.b.value(Op::Iota, numbers, &[], Attr::None), self.b.splat(numbers, lane));
        let mask = self.b.icmp(IntCond::Eq, own, lanes);
        let rest = self.without_lowest(left);
        let blocks = self.flow.copied_loops[&id].clone();
        let mut copy =
            LaneCopy { id, lane, mask, values: FastMap::default(), blocks: FastMap::default(), next, rest };
        for &block in &blocks {
            for &inst in &source.func.blocks[block].insts {
                for value in source.func.insts[inst].uses() {
                    let is_outside = !source.loops.contains(id, source.shapes.def_block(value));
                    if is_outside && !copy.values.contains_key(&value) {
                        let extracted = self.extracted(&copy, value);
                        copy.values.insert(value, extracted);
                    }
                }
            }
        }
        let args: Vec<Value> = latch.targets[0].args.iter().map(|&arg| self.extracted(&copy, arg)).collect();
        for &block in &blocks {
            let new = self.b.func.add_block();
            copy.blocks.insert(block, new);
            for &param in &source.func.blocks[block].params {
                let ty = source.func.ty(param);
                copy.values.insert(param, self.b.func.add_param(new, ty));
            }
        }
        self.b.jump(copy.blocks[&latch.targets[0].block], &args);
        for &block in &blocks {
            self.b.switch_to(copy.blocks[&block]);
            for &inst in &source.func.blocks[block].insts {
                self.copy_inst(&mut copy, block, &source.func.insts[inst])?;
            }
        }
        Ok(())
    }

    /// Extracts the lane of a value.
    fn extracted(&mut self, copy: &LaneCopy, value: Value) -> Value {
        let ty = self.source.func.ty(value);
        match self.shape(value) {
            VectorShape::Affine(stride) => {
                let first = self.scalar(value);
                if stride.step == 0 {
                    return first;
                }
                let number = if ty.kind.is_ptr() { Type::I64 } else { ty };
                let op = if number.bits() > 32 { Op::Zext } else { Op::Trunc };
                let lane = self.b.convert(op, number, copy.lane);
                let step = self.b.iconst(number, stride.step as u64);
                let offset = self.b.same(Op::Imul, &[lane, step]);
                if ty.kind.is_ptr() {
                    self.b.ptr_add(first, offset)
                } else {
                    self.b.same(Op::Iadd, &[first, offset])
                }
            }
            _ => {
                let vector = self.vector(value);
                let lane_ty = self.b.func.ty(vector).lane();
                let lane = self.b.value(Op::ExtractAt, lane_ty, &[vector, copy.lane], Attr::None);
                if ty.kind.is_ptr() { self.b.convert(Op::Bitcast, ty, lane) } else { lane }
            }
        }
    }

    fn copy_inst(&mut self, copy: &mut LaneCopy, block: Block, inst: &Inst) -> WidenResult {
        self.b.loc = inst.loc;
        let args: Vec<Value> = inst.args.iter().map(|arg| copy.values[arg]).collect();
        let (mut targets, mut exits) = (Vec::new(), Vec::new());
        for target in &inst.targets {
            match copy.blocks.get(&target.block) {
                Some(&to) => {
                    let args: Vec<Value> = target.args.iter().map(|arg| copy.values[arg]).collect();
                    targets.push(Target::new(to, &args));
                }
                None => {
                    let exit = self.b.func.add_block();
                    targets.push(Target::new(exit, &[]));
                    exits.push((exit, target));
                }
            }
        }
        let new = self.b.inst(inst.op, inst.ty, &args, inst.attr.clone(), targets);
        if let (Some(value), Some(new)) = (inst.result, self.b.func.insts[new].result) {
            copy.values.insert(value, new);
        }
        for (exit, target) in exits {
            self.b.switch_to(exit);
            self.leave_in_lane(copy, block, target)?;
        }
        Ok(())
    }

    /// Passes what the lane leaves the loop with on an edge from a block, and goes on with the next lane.
    fn leave_in_lane(&mut self, copy: &LaneCopy, block: Block, target: &Target) -> WidenResult {
        let source = self.source;
        for value in self.live_outs_at(block, target.block) {
            let lanes = self.lanes_with(copy, value);
            self.store_lanes(self.flow.live_outs[&value], Some(copy.mask), lanes);
        }
        self.arrive(target.block, Some(copy.mask));
        let params = &source.func.blocks[target.block].params;
        let mut stored = Vec::new();
        for (&param, &arg) in params.iter().zip(&target.args) {
            let variable = self.param_variable(param)?;
            if source.shapes.of(param) == VectorShape::Varying {
                stored.push((variable, self.lanes_with(copy, arg)));
            } else {
                let value = copy.values.get(&arg).copied();
                let value = value.unwrap_or_else(|| self.scalar(arg));
                self.store_variable(variable, value);
            }
        }
        stored.into_iter().for_each(|(variable, lanes)| self.store_lanes(variable, Some(copy.mask), lanes));
        self.b.jump(copy.next, &[copy.rest]);
        Ok(())
    }

    /// Returns a vector that has a value of the copy in its lane.
    fn lanes_with(&mut self, copy: &LaneCopy, value: Value) -> Value {
        let source = self.source;
        if !source.loops.contains(copy.id, source.shapes.def_block(value)) {
            return self.vector(value);
        }
        let wide = self.widened_type(source.func.ty(value));
        let scalar = copy.values[&value];
        let scalar = if self.b.func.ty(scalar).kind.is_ptr() {
            self.b.convert(Op::Bitcast, Type::I64, scalar)
        } else {
            scalar
        };
        self.b.splat(wide, scalar)
    }
}
