//! Uniform regions, in which all work-items do the same, so that running one of them is enough.
//!
//! A uniform value has one slot in the group, which every work-item would write. A region that does nothing
//! else, such as the preheader of a loop with implicit barriers, runs for one work-item only.

use super::body::{FIXED, RegionBody};
use super::invariants::Root;
use crate::ir::analysis::Cfg;
use crate::ir::{Effect, Function, InstId, Op, Value};
use crate::support::{FastSet, IdMap};

/// Checks whether a body writes only uniform values to slots and names a uniform next region.
pub(super) fn is_same(body: &RegionBody) -> bool {
    let func = &body.func;
    let mut slots = FastSet::default();
    let mut varies = IdMap::with_len(false, func.values.len());
    for (at, &param) in func.params().iter().enumerate() {
        let root = at.checked_sub(FIXED).map(|at| body.roots[at]);
        varies[param] = match root {
            // The context is uniform, ids are not.
            None => at > 0,
            Some(root) => matches!(root, Root::GlobalId(_) | Root::Item),
        };
        if matches!(root, Some(Root::Slot(_))) {
            slots.insert(param);
        }
    }
    // Block arguments are uses of the terminator, which must not vary, so all parameters are uniform.
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
        // The value of a slot would change with each work-item that adds to it.
        Effect::Read => !inst.is_volatile() && !does_vary && !slots.contains(&inst.args[0]),
        Effect::End => !does_vary && inst.op != Op::Unreachable,
        Effect::Write => inst.op == Op::Store && slots.contains(&inst.args[0]) && !does_vary,
    }
}
