//! Work-group functions: values of all items, reduced once for the group.
//!
//! Items of a region run in the order of their linear ids, so each adds its value to the
//! group's as it arrives at the barrier; a scan is what the group's value was at that moment.
//! The value for everyone is taken over when the region is done: the region that follows may
//! run into the same barrier again while the old value is still in use.

use super::body::BodyBuilder;
use super::plan::Collective;
use super::roots::{Prologue, Root};
use crate::ir::{Args, Attr, Builder, Inst, InstId, IntCond, Mem, Op, Reduction, Value};

impl BodyBuilder<'_, '_> {
    /// An item arrives.
    pub(super) fn join_collective(&mut self, barrier: InstId) {
        let Some(&Collective { running, .. }) = self.plan.collectives.get(&barrier) else { return };
        let inst = &self.formed.func.insts[barrier];
        let args: Args = inst.args.iter().map(|&a| self.operand(a)).collect();
        let at = self.root(Root::Slot(running));
        let before = self.b.load(inst.ty, at, Mem::natural(inst.ty));
        let index = self.index();
        let after = match inst.attr {
            Attr::Reduction(reduction) => reduce(&mut self.b, reduction, before, args[0]),
            _ => {
                let is_it = self.b.icmp(IntCond::Eq, index, args[1]);
                self.b.select(is_it, args[0], before)
            }
        };
        self.b.store(after, at, Mem::natural(inst.ty));
        let Some(result) = inst.result else { return };
        match inst.op {
            Op::GroupScan => self.keep(result, after),
            Op::GroupScanBefore => self.keep(result, before),
            _ => {}
        }
    }
}

/// Nothing has arrived yet.
pub(super) fn begin(b: &mut Builder<'_>, inst: &Inst, slots: Collective, prologue: &mut Prologue<'_>) {
    let bits = match inst.attr {
        Attr::Reduction(reduction) => reduction.identity(inst.ty.kind),
        _ => 0,
    };
    let op = if inst.ty.kind.is_float() { Op::Fconst } else { Op::Iconst };
    let identity = b.value(op, inst.ty, &[], Attr::Int(bits));
    let at = prologue.value(b.func, Root::Slot(slots.running));
    b.store(identity, at, Mem::natural(inst.ty));
}

/// All items have arrived: the value becomes everyone's.
pub(super) fn end(b: &mut Builder<'_>, inst: &Inst, slots: Collective, prologue: &mut Prologue<'_>) {
    if inst.op.is_collective_uniform() {
        let [from, to] = [slots.running, slots.result].map(|slot| prologue.value(b.func, Root::Slot(slot)));
        let value = b.load(inst.ty, from, Mem::natural(inst.ty));
        b.store(value, to, Mem::natural(inst.ty));
    }
}

fn reduce(b: &mut Builder<'_>, reduction: Reduction, a: Value, x: Value) -> Value {
    match reduction.by() {
        Ok(op) => b.same(op, &[a, x]),
        Err(cond) => {
            let better = b.fcmp(cond, x, a);
            b.select(better, x, a)
        }
    }
}
