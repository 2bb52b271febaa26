//! Work-group functions: values of all items, combined once for the group.
//!
//! Items leave their values in a context array as they arrive at the barrier. Before the region behind it begins, what they
//! amount to goes to a place of the group; of a scan each element of the array becomes the item's result. Items of a body
//! never meet, so they can run side by side, and the result is the same however many do.
//!
//! A reduction has [`Reduction::PARTS`] partial results, lanes of one vector.

use super::body::BodyBuilder;
use super::context_arrays::{Array, ArrayBase};
use super::continuations::{self, Waiting};
use super::invariants::{Prologue, Root};
use super::storage_plan::{Collective, StoragePlan};
use crate::ir::{Attr, Builder, Inst, InstId, IntCond, Mem, Op, Reduction, Type, Value};

impl BodyBuilder<'_, '_> {
    /// An item arrives.
    pub(super) fn join_collective(&mut self, barrier: InstId) {
        let Some(&collective) = self.plan.collectives.get(&barrier) else { return };
        let inst = &self.formed.func.insts[barrier];
        let value = self.operand(inst.args[0]);
        let array = match collective {
            // Saved as if it were the result already.
            Collective::Scan(_) => {
                return inst.result.into_iter().for_each(|result| self.keep(result, value));
            }
            Collective::Reduce { values, .. } => values,
            Collective::Broadcast { values, index, .. } => {
                let (wanted, at) = (self.operand(inst.args[1]), self.root(Root::Slot(index)));
                self.b.store(wanted, at, Mem::natural(Type::I64));
                values
            }
        };
        let at = self.element(array);
        self.b.store(value, at, Mem::natural(inst.ty));
    }
}

/// All items have arrived: their values are combined.
pub(super) fn finish(
    b: &mut Builder<'_>,
    inst: &Inst,
    plan: &StoragePlan,
    number: usize,
    collective: Collective,
    prologue: &mut Prologue<'_>,
) {
    let mut all = All { inst, number, waiting: plan.waiting, prologue };
    let (value, result) = match collective {
        Collective::Scan(None) => return,
        Collective::Scan(Some(values)) => return all.scan(b, values),
        Collective::Reduce { values, result } => (all.reduce(b, values), result),
        Collective::Broadcast { values, index, result } => (all.pick(b, values, Root::Slot(index)), result),
    };
    let to = all.prologue.value(b.func, Root::Slot(result));
    b.store(value, to, Mem::natural(inst.ty));
}

const PARTS: u16 = Reduction::PARTS;

/// The items of a group at a work-group function.
struct All<'i, 'p, 'r> {
    inst: &'i Inst,
    /// The region behind it.
    number: usize,
    waiting: Waiting,
    prologue: &'r mut Prologue<'p>,
}

impl All<'_, '_, '_> {
    fn items(&mut self, b: &mut Builder<'_>) -> Value {
        self.prologue.value(b.func, Root::Arrays(ArrayBase::Items))
    }

    fn element(&mut self, b: &mut Builder<'_>, array: Array, index: Value) -> Value {
        self.prologue.element(b, array, index)
    }

    /// `for (index, value) in (0.., start)` by steps over all items; `body` gives the value for the next turn. The builder
    /// stands behind the loop afterwards.
    fn fold(
        &mut self,
        b: &mut Builder<'_>,
        step: u64,
        start: Value,
        body: impl FnOnce(&mut Self, &mut Builder<'_>, Value, Value) -> Value,
    ) -> Value {
        let items = self.items(b);
        let (zero, ty) = (b.iconst(Type::I64, 0), b.func.ty(start));
        let [header, turn, done] = [(); 3].map(|()| b.func.add_block());
        let (index, value) = (b.func.add_param(header, Type::I64), b.func.add_param(header, ty));
        b.jump(header, &[zero, start]);
        b.switch_to(header);
        let over = b.icmp(IntCond::Uge, index, items);
        b.br_if(over, done, turn);
        b.switch_to(turn);
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
        let nothing = b.splat(wide, one);
        let parts = self.fold(b, PARTS.into(), nothing, |all, b, index, before| {
            let items = all.items(b);
            let mut here = continuations::before(b, index, items, PARTS);
            if let Some((_, some)) =
                continuations::are_here(b, all.waiting, all.number, index, here, all.prologue)
            {
                here = some;
            }
            let at = all.element(b, values, index);
            let loaded = b.value(Op::MaskedLoad, wide, &[at, here, nothing], Attr::Mem(Mem::natural(ty)));
            b.combine(how, before, loaded)
        });
        b.halve(parts, |b, [low, high]| b.combine(how, low, high))
    }

    /// Elements of items that are not there change nothing.
    fn scan(&mut self, b: &mut Builder<'_>, values: Array) {
        let (how, ty) = (self.inst.reduction(), self.inst.ty);
        let is_before = self.inst.op == Op::GroupExclusiveScan;
        let nothing = b.constant(ty, how.identity(ty.kind));
        self.fold(b, 1, nothing, |all, b, index, before| {
            let at = all.element(b, values, index);
            let value = b.load(ty, at, Mem::natural(ty));
            let after = b.combine(how, before, value);
            b.store(if is_before { before } else { after }, at, Mem::natural(ty));
            match continuations::is_here(b, all.waiting, all.number, index, all.prologue) {
                Some((_, is_here)) => b.select(is_here, after, before),
                None => after,
            }
        });
    }

    /// The value of the item with a number; 0 if there is none.
    fn pick(&mut self, b: &mut Builder<'_>, values: Array, index: Root) -> Value {
        let (items, ty) = (self.items(b), self.inst.ty);
        let at = self.prologue.value(b.func, index);
        let index = b.load(Type::I64, at, Mem::natural(Type::I64));
        let (is_one, zero) = (b.icmp(IntCond::Ult, index, items), b.iconst(Type::I64, 0));
        let index = b.select(is_one, index, zero);
        let at = self.element(b, values, index);
        let value = b.load(ty, at, Mem::natural(ty));
        let nothing = b.zero(ty);
        b.select(is_one, value, nothing)
    }
}
