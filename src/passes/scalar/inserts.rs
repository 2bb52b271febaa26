//! Vectors that are filled lane by lane are built at once: a chain of inserts is as long to wait for as it has links.

use smallvec::SmallVec;

use crate::ir::{Attr, Function, Inst, InstId, Op, Value};
use crate::support::IdMap;

/// Builds them; says whether there were any.
pub(super) fn run(func: &mut Function) -> bool {
    let is_insert = |inst: &Inst| inst.op == Op::Insert;
    if !func.instructions().any(is_insert) {
        return false;
    }
    let mut uses: IdMap<Value, u32> = IdMap::with_len(0, func.values.len());
    let mut is_link = IdMap::with_len(false, func.values.len());
    for inst in func.instructions() {
        inst.uses().for_each(|value| uses[value] += 1);
        if is_insert(inst) {
            is_link[inst.args[0]] = true;
        }
    }
    let ends: Vec<InstId> = func
        .layout
        .iter()
        .flat_map(|&block| &func.blocks[block].insts)
        .copied()
        .filter(|&id| is_insert(&func.insts[id]))
        .filter(|&id| func.insts[id].result.is_some_and(|result| !is_link[result] || uses[result] > 1))
        .collect();
    let mut changed = false;
    for id in ends {
        if let Some(lanes) = filled(func, id, &uses) {
            let inst = &mut func.insts[id];
            (inst.op, inst.attr, inst.args) = (Op::BuildVector, Attr::None, lanes);
            changed = true;
        }
    }
    changed
}

/// All lanes of what a chain of inserts ends with, whose other links nobody else uses: those that it sets, at least half of
/// them, and those of what it begins with.
fn filled(func: &Function, end: InstId, uses: &IdMap<Value, u32>) -> Option<SmallVec<[Value; 3]>> {
    let ty = func.insts[end].ty;
    let mut lanes: Vec<Option<Value>> = vec![None; ty.lanes.into()];
    let mut link = &func.insts[end];
    let mut set = 0;
    loop {
        let lane = &mut lanes[link.int() as usize];
        if lane.is_none() {
            *lane = Some(link.args[1]);
            set += 1;
        }
        if set == lanes.len() {
            break;
        }
        let before = link.args[0];
        let def = func.def_inst(before)?;
        match def.op {
            Op::Insert if uses[before] == 1 => link = def,
            Op::BuildVector | Op::Splat if 2 * set >= lanes.len() => {
                let begun = |at: usize| if def.op == Op::Splat { def.args[0] } else { def.args[at] };
                lanes.iter_mut().enumerate().for_each(|(at, lane)| _ = lane.get_or_insert_with(|| begun(at)));
                break;
            }
            _ => return None,
        }
    }
    lanes.into_iter().collect()
}
