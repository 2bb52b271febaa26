//! Uniform regions, in which all work-items do the same, so that running one of them is enough.
//!
//! A uniform value has one slot in the group, which every work-item would write. A region that does nothing
//! else, such as the preheader of a loop with implicit barriers, runs for one work-item only.

use super::body::{NUM_FIXED_PARAMS, RegionBody};
use super::invariants::BodyInput;
use grus_ir::analysis::Cfg;
use grus_ir::{Effect, Function, InstId, Op, Value};
use grus_support::{FastSet, IdMap};

/// Checks whether a body writes only uniform values to slots and names a uniform next region.
pub(super) fn is_uniform_region(body: &RegionBody) -> bool {
    let func = &body.func;
    let mut slots = FastSet::default();
    let mut is_varying = IdMap::with_len(false, func.values.len());
    for (at, &param) in func.params().iter().enumerate() {
        let root = at.checked_sub(NUM_FIXED_PARAMS).map(|at| body.inputs[at]);
        is_varying[param] = match root {
            // The context is uniform, ids are not.
            None => at > 0,
            Some(root) => matches!(root, BodyInput::GlobalId(_) | BodyInput::Item),
        };
        if matches!(root, Some(BodyInput::Slot(_))) {
            slots.insert(param);
        }
    }
    // Block arguments are uses of the terminator, which must not vary, so all parameters are uniform.
    let cfg = Cfg::new(func);
    cfg.rpo().iter().all(|&block| {
        func.blocks[block].insts.iter().all(|&id| stays_uniform(func, id, &slots, &mut is_varying))
    })
}

fn stays_uniform(
    func: &Function,
    id: InstId,
    slots: &FastSet<Value>,
    is_varying: &mut IdMap<Value, bool>,
) -> bool {
    let inst = &func.insts[id];
    let uses_varying = inst.uses().any(|value| is_varying[value]);
    if let Some(result) = inst.result {
        is_varying[result] = uses_varying;
    }
    match inst.op.effect() {
        Effect::Pure => true,
        // The value of a slot would change with each work-item that adds to it.
        Effect::Read => !inst.is_volatile() && !uses_varying && !slots.contains(&inst.args[0]),
        Effect::End => !uses_varying && inst.op != Op::Unreachable,
        Effect::Write => inst.op == Op::Store && slots.contains(&inst.args[0]) && !uses_varying,
    }
}
