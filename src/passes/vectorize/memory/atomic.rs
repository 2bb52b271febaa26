//! Atomic operations of lanes. Operations of all lanes on one address become one operation, as if the lanes
//! came one right after the other: the result of each lane follows from the value found by the first one and
//! from the operands of the lanes before it.

use super::super::widen::{Done, Widener};
use crate::ir::{
    Attr, Block, Consistency, Inst, InstId, IntCond, Mem, MemoryOrder, MemoryScope, Op, Reduction, Rmw,
    Target, Type, Value,
};
use crate::support::target::Backend;

/// Returns the reduction that combines operands. A sequence of subtractions subtracts the sum.
fn reduction(rmw: Rmw) -> Option<Reduction> {
    Some(match rmw {
        Rmw::Add | Rmw::Sub => Reduction::Add,
        Rmw::And => Reduction::And,
        Rmw::Or => Reduction::Or,
        Rmw::Xor => Reduction::Xor,
        Rmw::Smin => Reduction::Smin,
        Rmw::Smax => Reduction::Smax,
        Rmw::Umin => Reduction::Umin,
        Rmw::Umax => Reduction::Umax,
        Rmw::Xchg => return None,
    })
}

/// Returns the attribute of an access that is neither merged nor removed.
fn kept(ty: Type) -> Attr {
    Attr::Mem(Mem { volatile: true, ..Mem::natural(ty) })
}

impl Widener<'_, '_> {
    /// Widens an atomic operation: one operation for all lanes if the address is uniform, else one for each
    /// lane.
    pub(in crate::passes::vectorize) fn lane_atomic(&mut self, inst: &Inst, op: Op) -> Done {
        if self.shape(inst.args[0]).is_uniform() && !self.is_tried_again(inst) {
            return self.at_one_place(inst);
        }
        let pointers = self.addresses(inst.args[0]);
        let mut args = vec![pointers];
        // The attribute holds the strongest order for a memory order that is known at run time only.
        let known = inst.args.len() - inst.pending().map_or(0, |numbers| numbers.len());
        for &arg in &inst.args[1..known] {
            args.push(self.vector(arg));
        }
        args.push(self.mask_value());
        let ty = self.wide(inst.ty);
        let new = self.b.value(op, ty, &args, inst.attr.clone());
        self.define(inst, new);
        Ok(())
    }

    /// Checks whether atomic loads and stores of all lanes may become one access. Processors with 256-bit
    /// vectors access each element atomically, and no order between work-items is required. But Cranelift may
    /// repeat a load that has been done.
    pub(in crate::passes::vectorize) fn keeps_accesses(&self) -> bool {
        self.asked.backend != Backend::Cranelift
    }

    /// Widens an atomic load: volatile loads, and a fence for the order.
    pub(in crate::passes::vectorize) fn ordered_load(&mut self, id: InstId, inst: &Inst) -> Done {
        let plain = Inst { op: Op::Load, args: inst.args[..1].into(), attr: kept(inst.ty), ..inst.clone() };
        self.load(id, &plain)?;
        self.order(inst, MemoryOrder::Acquire);
        Ok(())
    }

    /// Widens an atomic store: a fence for the order, and volatile stores.
    pub(in crate::passes::vectorize) fn ordered_store(&mut self, id: InstId, inst: &Inst) -> Done {
        self.order(inst, MemoryOrder::Release);
        let ty = self.source.func.ty(inst.args[1]);
        let plain = Inst { op: Op::Store, args: inst.args[..2].into(), attr: kept(ty), ..inst.clone() };
        self.store(id, &plain)?;
        if inst.consistency().order == MemoryOrder::SeqCst && !self.source.func.is_of_group(inst) {
            self.order(inst, MemoryOrder::SeqCst);
        }
        Ok(())
    }

    /// Emits a fence of `order` unless the operation is relaxed.
    fn order(&mut self, inst: &Inst, order: MemoryOrder) {
        let Consistency { order: asked, scope } = inst.consistency();
        if asked != MemoryOrder::Relaxed {
            let fence = Attr::Consistency(Consistency { order, scope });
            self.b.effect(Op::Fence, &[], fence);
        }
    }

    /// Checks whether lanes leave a loop depending on the result of a compare-and-exchange. One operation per
    /// lane is faster there: each iteration lets only one lane succeed.
    fn is_tried_again(&self, inst: &Inst) -> bool {
        let (func, shapes) = (self.source.func, self.source.shapes);
        let last = func.terminator(self.here);
        let on = last.args.first().and_then(|&on| func.def_inst(on));
        let looks = on.is_some_and(|on| inst.result.is_some_and(|result| on.args.contains(&result)));
        let around = |block: Block| shapes.divergent_around(block);
        inst.op == Op::AtomicCas
            && looks
            && around(self.here).is_some()
            && func.successors(self.here).any(|next| around(next) != around(self.here))
    }

    /// Emits one operation for all lanes, of which at least one is active.
    fn at_one_place(&mut self, inst: &Inst) -> Done {
        let is_asked = inst.result.is_some_and(|result| self.source.is_used[result]);
        let found = if inst.op == Op::AtomicCas {
            self.compared(inst)
        } else {
            match reduction(inst.rmw()) {
                Some(how) if is_asked => self.fetched(inst, how),
                Some(how) => {
                    self.reduced(inst, how);
                    return Ok(());
                }
                None => self.exchanged(inst),
            }
        };
        self.define(inst, found);
        Ok(())
    }

    /// Emits an operation with the reduction of all operands, whose result is not used.
    fn reduced(&mut self, inst: &Inst, how: Reduction) {
        let all = self.there(inst.args[1], how);
        let all = self.b.halve(all, |b, [one, other]| b.combine(how, one, other));
        self.update(inst, all);
    }

    /// Emits an operation whose result is used: each lane finds the old value, combined with the operands of
    /// the lanes before it.
    fn fetched(&mut self, inst: &Inst, how: Reduction) -> Value {
        let operands = self.there(inst.args[1], how);
        let upto = self.scan(operands, how);
        let all = self.b.extract(upto, self.lanes - 1);
        let old = self.update(inst, all);
        let nothing = self.nothing(upto, how);
        let before = self.shifted(nothing, upto, 1);
        let old = self.b.splat(self.b.func.ty(upto), old);
        if inst.rmw() == Rmw::Sub {
            return self.b.same(Op::Isub, &[old, before]);
        }
        self.b.combine(how, old, before)
    }

    /// Emits an exchange: the last operand is stored; each other lane finds the operand of the lane before it.
    fn exchanged(&mut self, inst: &Inst) -> Value {
        let (operand, mask) = (inst.args[1], self.mask());
        let last = self.last(operand, mask);
        let old = self.update(inst, last);
        let operands = self.vector(operand);
        let ty = self.b.func.ty(operands);
        let old = self.b.splat(ty, old);
        let Some(mask) = mask else { return self.shifted(old, operands, 1) };
        // Numbers of the last active lane before each lane, negative if there is none.
        let own = self.own_numbers();
        let none = self.nothing(own, Reduction::Smax);
        let there = self.b.select(mask, own, none);
        let before = self.shifted(none, there, 1);
        let before = self.scan(before, Reduction::Smax);
        let theirs = self.b.value(Op::Permute, ty, &[operands, before], Attr::None);
        let zero = self.b.zero(self.b.func.ty(own));
        let is_first = self.b.icmp(IntCond::Slt, before, zero);
        self.b.select(is_first, old, theirs)
    }

    /// Emits the scalar operation with this operand and returns its result.
    fn update(&mut self, inst: &Inst, operand: Value) -> Value {
        let at = self.scalar(inst.args[0]);
        self.b.value(Op::AtomicRmw, inst.ty, &[at, operand], inst.attr.clone())
    }

    /// Emits a compare-and-exchange. A loop computes the result of each lane and the final value from the value
    /// found, with one iteration for each lane that replaces it; another loop retries if memory has changed
    /// meanwhile.
    fn compared(&mut self, inst: &Inst) -> Value {
        let at = self.scalar(inst.args[0]);
        let [expected, operands] = [1, 2].map(|i| self.vector(inst.args[i]));
        let all = self.mask_value();
        let (wide, mask) = (self.b.func.ty(operands), self.b.func.ty(all));
        let first =
            Attr::Consistency(Consistency { order: MemoryOrder::Relaxed, scope: MemoryScope::AllSvmDevices });
        let first = self.b.value(Op::AtomicLoad, inst.ty, &[at], first);
        let nothing = self.b.zero(wide);
        let [again, step, replace, write, after] = std::array::from_fn(|_| self.b.func.add_block());
        self.b.jump(again, &[first]);

        self.b.switch_to(again);
        let old = self.b.func.add_param(again, inst.ty);
        self.b.jump(step, &[old, all, nothing]);

        // The remaining lanes find the current value, up to the first lane that replaces it.
        self.b.switch_to(step);
        let [now, left, found] = [inst.ty, mask, wide].map(|ty| self.b.func.add_param(step, ty));
        let now_wide = self.b.splat(wide, now);
        let found = self.b.select(left, now_wide, found);
        let is_expected = self.b.icmp(IntCond::Eq, expected, now_wide);
        let hits = self.b.same(Op::And, &[is_expected, left]);
        let is_any = self.b.value(Op::Any, Type::I1, &[hits], Attr::None);
        self.b.br_if(is_any, replace, write);

        self.b.switch_to(replace);
        let hit = self.b.value(Op::MaskFirstSet, Type::I32, &[hits], Attr::None);
        let next = self.b.value(Op::ExtractAt, inst.ty, &[operands, hit], Attr::None);
        let own = self.own_numbers();
        let hit = self.b.splat(self.b.func.ty(own), hit);
        let is_behind = self.b.icmp(IntCond::Sgt, own, hit);
        let behind = self.b.same(Op::And, &[left, is_behind]);
        self.b.jump(step, &[next, behind, found]);

        self.b.switch_to(write);
        let seen = self.b.value(Op::AtomicCas, inst.ty, &[at, old, now], inst.attr.clone());
        let is_old = self.b.icmp(IntCond::Eq, seen, old);
        self.b.br_to(is_old, Target::new(after, &[]), Target::new(again, &[seen]));
        self.b.switch_to(after);
        found
    }

    /// Returns the vector of the numbers of the lanes.
    fn own_numbers(&mut self) -> Value {
        self.b.value(Op::Iota, Type::vector(Type::I32.kind, self.lanes), &[], Attr::None)
    }
}
