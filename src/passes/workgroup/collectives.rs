//! Work-group collective functions: combine the values of all work-items once for the group.
//!
//! Work-items store their values in a context array when they arrive at the barrier. Before the next region
//! begins, their combination is stored in a slot of the group; for a scan, each element of the array becomes
//! the work-item's result. The bodies of work-items stay independent, so they can be vectorized, and the
//! result is the same for any number of lanes.
//!
//! A reduction has [`Reduction::PARTS`] partial results, which are the lanes of one vector.

use super::body::BodyBuilder;
use super::context_arrays::{Array, ArrayBase};
use super::continuations::{self, ItemStatus};
use super::invariants::{BodyInput, Prologue};
use super::storage_plan::{Collective, StoragePlan};
use grus_ir::{Attr, Builder, Inst, InstId, IntCond, Mem, Op, Reduction, Type, Value};

impl BodyBuilder<'_, '_> {
    /// Stores the value of a work-item that arrives at the barrier.
    pub(super) fn join_collective(&mut self, barrier: InstId) {
        let Some(&collective) = self.plan.collectives.get(&barrier) else { return };
        let inst = &self.regions.func.insts[barrier];
        let value = self.operand(inst.args[0]);
        let array = match collective {
            // The value is saved in the place of the result.
            Collective::Scan(_) => {
                return inst.result.into_iter().for_each(|result| self.keep(result, value));
            }
            Collective::Reduce { values, .. } => values,
            Collective::Broadcast { values, index, .. } => {
                let (requested, at) = (self.operand(inst.args[1]), self.input(BodyInput::Slot(index)));
                self.b.store(requested, at, Mem::natural(Type::I64));
                values
            }
        };
        let at = self.element(array);
        self.b.store(value, at, Mem::natural(inst.ty));
    }
}

/// Combines the values once all work-items have arrived.
pub(super) fn finish(
    b: &mut Builder<'_>,
    inst: &Inst,
    plan: &StoragePlan,
    number: usize,
    collective: Collective,
    prologue: &mut Prologue<'_>,
) {
    let mut all = GroupValues { inst, number, status: plan.status, prologue };
    let (value, result) = match collective {
        Collective::Scan(None) => return,
        Collective::Scan(Some(values)) => return all.scan(b, values),
        Collective::Reduce { values, result } => (all.reduce(b, values), result),
        Collective::Broadcast { values, index, result } => {
            (all.broadcast(b, values, BodyInput::Slot(index)), result)
        }
    };
    let to = all.prologue.value(b.func, BodyInput::Slot(result));
    b.store(value, to, Mem::natural(inst.ty));
}

const PARTS: u16 = Reduction::PARTS;

/// Work-items of a group at a collective function.
struct GroupValues<'i, 'p, 'r> {
    inst: &'i Inst,
    /// Number of the region after the function's barrier.
    number: usize,
    status: ItemStatus,
    prologue: &'r mut Prologue<'p>,
}

impl GroupValues<'_, '_, '_> {
    fn items(&mut self, b: &mut Builder<'_>) -> Value {
        self.prologue.value(b.func, BodyInput::Arrays(ArrayBase::Items))
    }

    fn element(&mut self, b: &mut Builder<'_>, array: Array, index: Value) -> Value {
        self.prologue.element(b, array, index)
    }

    /// Emits `for (index, value) in (0.., start)` by steps over all work-items; `body` returns the value for
    /// the next iteration. The builder is at the end of the loop afterwards.
    fn fold(
        &mut self,
        b: &mut Builder<'_>,
        step: u64,
        start: Value,
        body: impl FnOnce(&mut Self, &mut Builder<'_>, Value, Value) -> Value,
    ) -> Value {
        let items = self.items(b);
        let (zero, ty) = (b.iconst(Type::I64, 0), b.func.ty(start));
        let [header, body_block, done] = [(); 3].map(|()| b.func.add_block());
        let (index, value) = (b.func.add_param(header, Type::I64), b.func.add_param(header, ty));
        b.jump(header, &[zero, start]);
        b.switch_to(header);
        let is_done = b.icmp(IntCond::Uge, index, items);
        b.br_if(is_done, done, body_block);
        b.switch_to(body_block);
        let after = body(self, b, index, value);
        let step = b.iconst(Type::I64, step);
        let next = b.same(Op::Iadd, &[index, step]);
        b.jump(header, &[next, after]);
        b.switch_to(done);
        value
    }

    fn reduce(&mut self, b: &mut Builder<'_>, values: Array) -> Value {
        let (how, ty) = (self.inst.reduction(), self.inst.ty);
        let wide = Type::vector(ty.kind, PARTS);
        let one = b.constant(ty, how.identity(ty.kind));
        let identity = b.splat(wide, one);
        let partials = self.fold(b, PARTS.into(), identity, |all, b, index, before| {
            let items = all.items(b);
            let mut here = continuations::before(b, index, items, PARTS);
            if let Some((_, some)) =
                continuations::active_lanes(b, all.status, all.number, index, here, all.prologue)
            {
                here = some;
            }
            let at = all.element(b, values, index);
            let loaded = b.value(Op::MaskedLoad, wide, &[at, here, identity], Attr::Mem(Mem::natural(ty)));
            b.combine(how, before, loaded)
        });
        b.halve(partials, |b, [low, high]| b.combine(how, low, high))
    }

    /// Emits a scan. Elements of inactive work-items are skipped.
    fn scan(&mut self, b: &mut Builder<'_>, values: Array) {
        let (how, ty) = (self.inst.reduction(), self.inst.ty);
        let is_before = self.inst.op == Op::GroupExclusiveScan;
        let identity = b.constant(ty, how.identity(ty.kind));
        self.fold(b, 1, identity, |all, b, index, before| {
            let at = all.element(b, values, index);
            let value = b.load(ty, at, Mem::natural(ty));
            let after = b.combine(how, before, value);
            b.store(if is_before { before } else { after }, at, Mem::natural(ty));
            match continuations::is_active(b, all.status, all.number, index, all.prologue) {
                Some((_, is_active)) => b.select(is_active, after, before),
                None => after,
            }
        });
    }

    /// Emits a broadcast: the value of the work-item with this linear id, or 0 if there is none.
    fn broadcast(&mut self, b: &mut Builder<'_>, values: Array, index: BodyInput) -> Value {
        let (items, ty) = (self.items(b), self.inst.ty);
        let at = self.prologue.value(b.func, index);
        let index = b.load(Type::I64, at, Mem::natural(Type::I64));
        let (is_valid, zero) = (b.icmp(IntCond::Ult, index, items), b.iconst(Type::I64, 0));
        let index = b.select(is_valid, index, zero);
        let at = self.element(b, values, index);
        let value = b.load(ty, at, Mem::natural(ty));
        let identity = b.zero(ty);
        b.select(is_valid, value, identity)
    }
}
