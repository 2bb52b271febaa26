//! Regions in which all items do the same: one of them is enough.
//!
//! What is the same for all items has one place in the group, which each of them would write. Where a region does nothing
//! else, such as the way to a loop that is run in lockstep, no other item need do so.

use super::body::{FIXED, RegionBody};
use super::invariants::Root;
use crate::ir::analysis::Cfg;
use crate::ir::{Effect, Function, InstId, Op, Value};
use crate::support::{FastSet, IdMap};

/// Whether a body does the same for each item, which is to write to slots and to name the region that follows.
pub(super) fn is_same(body: &RegionBody) -> bool {
    let func = &body.func;
    let mut slots = FastSet::default();
    let mut varies = IdMap::with_len(false, func.values.len());
    for (at, &param) in func.params().iter().enumerate() {
        let root = at.checked_sub(FIXED).map(|at| body.roots[at]);
        varies[param] = match root {
            // The context is the group's.
            None => at > 0,
            Some(root) => matches!(root, Root::GlobalId(_) | Root::Item),
        };
        if matches!(root, Some(Root::Slot(_))) {
            slots.insert(param);
        }
    }
    // What blocks hand to each other does not vary, or it ends here.
    let cfg = Cfg::new(func);
    cfg.rpo()
        .iter()
        .all(|&block| func.blocks[block].insts.iter().all(|&id| stays_same(func, id, &slots, &mut varies)))
}

fn stays_same(func: &Function, id: InstId, slots: &FastSet<Value>, varies: &mut IdMap<Value, bool>) -> bool {
    let inst = &func.insts[id];
    let does_vary = inst.uses().any(|value| varies[value]);
    if let Some(result) = inst.result {
        varies[result] = does_vary;
    }
    match inst.op.effect() {
        Effect::Pure => true,
        // What a slot holds already changes with each item that adds to it.
        Effect::Read => !inst.is_volatile() && !does_vary && !slots.contains(&inst.args[0]),
        Effect::End => !does_vary && inst.op != Op::Unreachable,
        Effect::Write => inst.op == Op::Store && slots.contains(&inst.args[0]) && !does_vary,
    }
}
