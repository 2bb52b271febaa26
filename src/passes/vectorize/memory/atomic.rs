//! Atomic operations of lanes. Operations of all lanes on one address become one operation, as if the lanes
//! came one right after the other: the result of each lane follows from the value found by the first one and
//! from the operands of the lanes before it.

use super::super::widen::{WidenResult, Widener};
use grus_ir::{
    Attr, Block, Builder, Consistency, Inst, InstId, IntCond, Kind, Mem, MemoryOrder, MemoryScope, Op,
    Reduction, Rmw, Target, Type, Value,
};
use grus_support::target::Backend;

/// Returns the bits of a NaN.
fn quiet_nan(kind: Kind) -> u64 {
    match kind {
        Kind::F16 => 0x7e00,
        Kind::F32 => 0x7fc0_0000,
        _ => 0x7ff8_0000_0000_0000,
    }
}

/// Returns the attribute of an access that is neither merged nor removed.
fn unmergeable(ty: Type) -> Attr {
    Attr::Mem(Mem { volatile: true, ..Mem::natural(ty) })
}

impl Widener<'_, '_> {
    /// Widens an atomic operation: one operation for all lanes if the address is uniform, else one for each
    /// lane.
    pub(in crate::vectorize) fn lane_atomic(&mut self, inst: &Inst, op: Op) -> WidenResult {
        if self.shape(inst.args[0]).is_uniform() && !self.is_retry(inst) {
            return self.combine_lanes(inst);
        }
        let pointers = self.addresses(inst.args[0]);
        let mut args = vec![pointers];
        // The attribute holds the strongest order for a memory order that is known at run time only.
        let known = inst.args.len() - inst.pending().map_or(0, |numbers| numbers.len());
        for &arg in &inst.args[1..known] {
            args.push(self.vector(arg));
        }
        args.push(self.mask_value());
        let ty = self.widened_type(inst.ty);
        let new = self.b.value(op, ty, &args, inst.attr.clone());
        self.define(inst, new);
        Ok(())
    }

    /// Checks whether atomic loads and stores of all lanes may become one access. Processors with 256-bit
    /// vectors access each element atomically, and no order between work-items is required. But Cranelift may
    /// repeat a load that has been done.
    pub(in crate::vectorize) fn may_combine_atomics(&self) -> bool {
        self.options.backend != Backend::Cranelift
    }

    /// Widens an atomic load: volatile loads, and a fence for the order.
    pub(in crate::vectorize) fn atomic_load(&mut self, id: InstId, inst: &Inst) -> WidenResult {
        let plain =
            Inst { op: Op::Load, args: inst.args[..1].into(), attr: unmergeable(inst.ty), ..inst.clone() };
        self.load(id, &plain)?;
        self.fence(inst, MemoryOrder::Acquire);
        Ok(())
    }

    /// Widens an atomic store: a fence for the order, and volatile stores.
    pub(in crate::vectorize) fn atomic_store(&mut self, id: InstId, inst: &Inst) -> WidenResult {
        self.fence(inst, MemoryOrder::Release);
        let ty = self.source.func.ty(inst.args[1]);
        let plain =
            Inst { op: Op::Store, args: inst.args[..2].into(), attr: unmergeable(ty), ..inst.clone() };
        self.store(id, &plain)?;
        if inst.consistency().order == MemoryOrder::SeqCst && !self.source.func.is_of_group(inst) {
            self.fence(inst, MemoryOrder::SeqCst);
        }
        Ok(())
    }

    /// Emits a fence of `order` unless the operation is relaxed.
    fn fence(&mut self, inst: &Inst, order: MemoryOrder) {
        let Consistency { order: required, scope } = inst.consistency();
        if required != MemoryOrder::Relaxed {
            let fence = Attr::Consistency(Consistency { order, scope });
            self.b.effect(Op::Fence, &[], fence);
        }
    }

    /// Checks whether lanes leave a loop depending on the result of a compare-and-exchange. One operation per
    /// lane is faster there: each iteration lets only one lane succeed.
    fn is_retry(&self, inst: &Inst) -> bool {
        let (func, shapes) = (self.source.func, self.source.shapes);
        let last = func.terminator(self.current);
        let on = last.args.first().and_then(|&on| func.def_inst(on));
        let uses_result = on.is_some_and(|on| inst.result.is_some_and(|result| on.args.contains(&result)));
        let divergent_loop = |block: Block| shapes.innermost_divergent_loop(block);
        inst.op == Op::AtomicCas
            && uses_result
            && divergent_loop(self.current).is_some()
            && func.successors(self.current).any(|next| divergent_loop(next) != divergent_loop(self.current))
    }

    /// Emits one operation for all lanes, of which at least one is active.
    fn combine_lanes(&mut self, inst: &Inst) -> WidenResult {
        let is_result_used = inst.result.is_some_and(|result| self.source.is_used[result]);
        let result = if inst.op == Op::AtomicCas {
            self.combine_compare_exchange(inst)
        } else {
            match inst.rmw().reduction() {
                Some(reduction) if is_result_used => self.combine_fetch(inst, reduction),
                Some(reduction) => {
                    self.combine_unused(inst, reduction);
                    return Ok(());
                }
                None => self.combine_exchange(inst),
            }
        };
        self.define(inst, result);
        Ok(())
    }

    /// Emits an operation with the reduction of all operands, whose result is not used.
    fn combine_unused(&mut self, inst: &Inst, reduction: Reduction) {
        let all = self.active_or_identity(inst.args[1], reduction);
        let all = self.b.halve(all, |b, [one, other]| b.combine(reduction, one, other));
        self.scalar_rmw(inst, all);
    }

    /// Emits an operation whose result is used: each lane finds the old value, combined with the operands of
    /// the lanes before it.
    fn combine_fetch(&mut self, inst: &Inst, reduction: Reduction) -> Value {
        let operands = self.active_or_identity(inst.args[1], reduction);
        let inclusive = self.scan(operands, reduction);
        let all = self.b.extract(inclusive, self.lanes - 1);
        let old = self.scalar_rmw(inst, all);
        let identity = self.identity(inclusive, reduction);
        let before = self.shift_up(identity, inclusive, 1);
        let old = self.b.splat(self.b.func.ty(inclusive), old);
        if inst.rmw() == Rmw::Sub {
            return self.b.same(Op::Isub, &[old, before]);
        }
        self.b.combine(reduction, old, before)
    }

    /// Checks whether a floating-point operation of all lanes may become one: they have one address, and the
    /// result does not depend on rounding. Additions are done one after the other.
    pub(in crate::vectorize) fn may_merge_extrema(&self, inst: &Inst) -> bool {
        matches!(inst.rmw(), Rmw::Fmin | Rmw::Fmax) && self.shape(inst.args[0]).is_uniform()
    }

    /// Emits one minimum or maximum of floating-point numbers for all lanes. Of equal operands the first one
    /// stays, as if the lanes came one after the other, so neighbors are combined in their order. A NaN stands for
    /// lanes that are not active, as it replaces nothing.
    pub(in crate::vectorize) fn merge_extrema(&mut self, inst: &Inst) -> WidenResult {
        let rmw = inst.rmw();
        let operands = self.vector(inst.args[1]);
        let ty = self.b.func.ty(operands);
        let nan = self.b.constant(ty, quiet_nan(ty.kind));
        let operands = self.mask().map_or(operands, |mask| self.b.select(mask, operands, nan));
        let combine = |b: &mut Builder<'_>, first: Value, second: Value| {
            let is_number = b.is_number(second);
            b.extremum(rmw, first, second, is_number)
        };
        if !inst.result.is_some_and(|result| self.source.is_used[result]) {
            let mut rest = operands;
            let mut lanes = self.lanes;
            while lanes > 1 {
                lanes /= 2;
                let [first, second] = [0, 1].map(|odd| {
                    let picks: Vec<u16> = (0..lanes).map(|lane| 2 * lane + odd).collect();
                    if lanes == 1 { self.b.extract(rest, odd) } else { self.b.shuffle(rest, rest, &picks) }
                });
                rest = combine(&mut self.b, first, second);
            }
            self.scalar_rmw(inst, rest);
            return Ok(());
        }
        let mut inclusive = operands;
        let mut distance = 1;
        while distance < self.lanes {
            let before = self.shift_up(nan, inclusive, distance);
            inclusive = combine(&mut self.b, before, inclusive);
            distance *= 2;
        }
        let all = self.b.extract(inclusive, self.lanes - 1);
        let old = self.scalar_rmw(inst, all);
        let before = self.shift_up(nan, inclusive, 1);
        let old = self.b.splat(ty, old);
        let result = combine(&mut self.b, old, before);
        self.define(inst, result);
        Ok(())
    }

    /// Emits an exchange: the last operand is stored; each other lane finds the operand of the lane before it.
    fn combine_exchange(&mut self, inst: &Inst) -> Value {
        let (operand, mask) = (inst.args[1], self.mask());
        let last = self.last_active(operand, mask);
        let old = self.scalar_rmw(inst, last);
        let operands = self.vector(operand);
        let ty = self.b.func.ty(operands);
        let old = self.b.splat(ty, old);
        let Some(mask) = mask else { return self.shift_up(old, operands, 1) };
        // Numbers of the last active lane before each lane, negative if there is none.
        let own = self.lane_numbers_vector();
        let none = self.identity(own, Reduction::Smax);
        let active_or_identity = self.b.select(mask, own, none);
        let before = self.shift_up(none, active_or_identity, 1);
        let before = self.scan(before, Reduction::Smax);
        let theirs = self.b.value(Op::Permute, ty, &[operands, before], Attr::None);
        let zero = self.b.zero(self.b.func.ty(own));
        let is_first = self.b.icmp(IntCond::Slt, before, zero);
        self.b.select(is_first, old, theirs)
    }

    /// Emits the scalar operation with this operand and returns its result.
    fn scalar_rmw(&mut self, inst: &Inst, operand: Value) -> Value {
        let address = self.scalar(inst.args[0]);
        self.b.value(Op::AtomicRmw, inst.ty, &[address, operand], inst.attr.clone())
    }

    /// Emits a compare-and-exchange. A loop computes the result of each lane and the final value from the value
    /// found, with one iteration for each lane that replaces it; another loop retries if memory has changed
    /// meanwhile.
    fn combine_compare_exchange(&mut self, inst: &Inst) -> Value {
        let address = self.scalar(inst.args[0]);
        let [expected, operands] = [1, 2].map(|i| self.vector(inst.args[i]));
        let all = self.mask_value();
        let (wide, mask) = (self.b.func.ty(operands), self.b.func.ty(all));
        let first =
            Attr::Consistency(Consistency { order: MemoryOrder::Relaxed, scope: MemoryScope::AllSvmDevices });
        let first = self.b.value(Op::AtomicLoad, inst.ty, &[address], first);
        let identity = self.b.zero(wide);
        let [retry, next_lane, replace, write, after] = std::array::from_fn(|_| self.b.func.add_block());
        self.b.jump(retry, &[first]);

        self.b.switch_to(retry);
        let old = self.b.func.add_param(retry, inst.ty);
        self.b.jump(next_lane, &[old, all, identity]);

        // The remaining lanes find the current value, up to the first lane that replaces it.
        self.b.switch_to(next_lane);
        let [now, left, result] = [inst.ty, mask, wide].map(|ty| self.b.func.add_param(next_lane, ty));
        let now_wide = self.b.splat(wide, now);
        let result = self.b.select(left, now_wide, result);
        let is_expected = self.b.icmp(IntCond::Eq, expected, now_wide);
        let hits = self.b.same(Op::And, &[is_expected, left]);
        let is_any = self.b.value(Op::Any, Type::I1, &[hits], Attr::None);
        self.b.br_if(is_any, replace, write);

        self.b.switch_to(replace);
        let hit = self.b.value(Op::MaskFirstSet, Type::I32, &[hits], Attr::None);
        let next = self.b.value(Op::ExtractAt, inst.ty, &[operands, hit], Attr::None);
        let own = self.lane_numbers_vector();
        let hit = self.b.splat(self.b.func.ty(own), hit);
        let is_behind = self.b.icmp(IntCond::Sgt, own, hit);
        let behind = self.b.same(Op::And, &[left, is_behind]);
        self.b.jump(next_lane, &[next, behind, result]);

        self.b.switch_to(write);
        let seen = self.b.value(Op::AtomicCas, inst.ty, &[address, old, now], inst.attr.clone());
        let is_old = self.b.icmp(IntCond::Eq, seen, old);
        self.b.br_to(is_old, Target::new(after, &[]), Target::new(retry, &[seen]));
        self.b.switch_to(after);
        result
    }

    /// Returns the vector of the numbers of the lanes.
    fn lane_numbers_vector(&mut self) -> Value {
        self.b.value(Op::Iota, Type::vector(Type::I32.kind, self.lanes), &[], Attr::None)
    }
}
