//! Work-group functions: values of all items, put together once for the group.
//!
//! Items of a region run in the order of their linear ids, so each adds its value to the
//! group's as it arrives at the barrier; a scan is what the group's value was at that moment.
//! The value for everyone is taken over when the region is done: the region that follows may
//! run into the same barrier again while the old value is still in use.

use super::{Emitter, RegionCopy, natural};
use crate::ir::{Args, Attr, Builder, Inst, InstId, Op, Reduction, Type, Value};
use crate::passes::group::cut::{Region, barrier_at_end};
use crate::support::FastMap;

/// What the group keeps for each work-group function.
#[derive(Default)]
pub(super) struct Collectives {
    slots: FastMap<InstId, Slots>,
}

#[derive(Clone, Copy)]
struct Slots {
    /// What the items so far amount to.
    running: Value,
    /// The value for everyone.
    result: Value,
}

impl Emitter<'_, '_> {
    /// Makes room, in the entry.
    pub(super) fn make_room_for_collectives(&mut self) {
        let func = &self.cut.func;
        for barrier in self.cut.regions.iter().filter_map(|r| r.barrier) {
            let inst = &func.insts[barrier];
            if inst.op.is_collective() {
                let size = inst.ty.bytes();
                let running = self.b.alloca(u64::from(size), size);
                let result = self.b.alloca(u64::from(size), size);
                self.collectives.slots.insert(barrier, Slots { running, result });
            }
        }
    }

    /// At the start of a region, before its items: nothing has been put together yet at the
    /// barriers that it may end in.
    pub(super) fn begin_collectives(&mut self, region: &Region) {
        for &block in &region.blocks {
            let Some(barrier) = barrier_at_end(&self.cut.func, block) else { continue };
            let Some(&slots) = self.collectives.slots.get(&barrier) else { continue };
            let inst = &self.cut.func.insts[barrier];
            let bits = match inst.attr {
                Attr::Reduction(how) => how.identity(inst.ty.kind),
                _ => 0,
            };
            let op = if inst.ty.kind.is_float() { Op::Fconst } else { Op::Iconst };
            let nothing = self.b.value(op, inst.ty, &[], Attr::Int(bits));
            self.b.store(nothing, slots.running, natural(inst.ty));
        }
    }

    /// An item arrives.
    pub(super) fn join_collective(&mut self, copy: &mut RegionCopy<'_>, barrier: InstId) {
        let Some(&Slots { running, .. }) = self.collectives.slots.get(&barrier) else { return };
        let inst = &self.cut.func.insts[barrier];
        let args: Args = inst.args.iter().map(|&a| self.operand(copy, a)).collect();
        let before = self.b.load(inst.ty, running, natural(inst.ty));
        let after = self.put_together(inst, before, &args, copy.item.index);
        self.b.store(after, running, natural(inst.ty));
        let Some(result) = inst.result else { return };
        match inst.op {
            Op::GroupScan => self.keep(copy, result, after),
            Op::GroupScanBefore => self.keep(copy, result, before),
            _ => {}
        }
    }

    fn put_together(&mut self, inst: &Inst, before: Value, args: &[Value], index: Value) -> Value {
        match inst.attr {
            Attr::Reduction(how) => combine(&mut self.b, how, inst.ty, before, args[0]),
            _ => {
                let is_it = self.b.icmp(crate::ir::IntCond::Eq, index, args[1]);
                self.b.select(is_it, args[0], before)
            }
        }
    }

    /// All items have arrived: the value becomes everyone's.
    pub(super) fn end_collective(&mut self, barrier: InstId) {
        let inst = &self.cut.func.insts[barrier];
        let Some(slots) = self.collectives.slots.get(&barrier).filter(|_| inst.op.is_collective_uniform())
        else {
            return;
        };
        let Slots { running, result } = *slots;
        let value = self.b.load(inst.ty, running, natural(inst.ty));
        self.b.store(value, result, natural(inst.ty));
    }

    /// The values for everyone that a region uses, read once before its items.
    pub(super) fn collective_results(&mut self, region: &Region) -> FastMap<Value, Value> {
        let mut values = FastMap::default();
        for &live in &region.needs {
            let crate::ir::Def::Inst(id) = self.cut.func.values[live].def else { continue };
            let inst = &self.cut.func.insts[id];
            if inst.op.is_collective_uniform() {
                let slot = self.collectives.slots[&id].result;
                values.insert(live, self.b.load(inst.ty, slot, natural(inst.ty)));
            }
        }
        values
    }
}

fn combine(b: &mut Builder<'_>, how: Reduction, ty: Type, a: Value, x: Value) -> Value {
    match how.by() {
        Ok(op) => b.same(op, &[a, x]),
        Err(cond) => {
            let better = b.value(Op::Fcmp, ty.compared(), &[x, a], Attr::FloatCond(cond));
            b.select(better, x, a)
        }
    }
}
