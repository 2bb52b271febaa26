//! SSA repair: passes values whose definitions no longer dominate their uses through memory.
//!
//! Linearized blocks can reach a use on a path that bypasses its definition; but on that path no active lane
//! needs the value.

use super::divergence::def_blocks;
use super::widen::variable;
use grus_ir::analysis::Analyses;
use grus_ir::{Attr, Block, Function, InstId, Mem, Op, Type, Value};
use grus_support::{FastMap, IdMap};

/// Repairs a function. Returns true if it has changed.
pub(super) fn run(func: &mut Function) -> bool {
    let mut analyses = Analyses::default();
    let (cfg, dom) = (analyses.cfg(func), analyses.dominators(func));
    let def_blocks = def_blocks(func, cfg.rpo());
    let mut variables: FastMap<Value, Value> = FastMap::default();
    let mut allocas = Vec::new();
    for &block in cfg.rpo() {
        for at in 0..func.blocks[block].insts.len() {
            let id = func.blocks[block].insts[at];
            let uses: Vec<Value> = func.insts[id].uses().collect();
            for value in uses {
                if !dom.dominates(def_blocks[value], block) && !variables.contains_key(&value) {
                    let ty = func.ty(value);
                    variables.insert(value, variable(func, ty, &mut allocas));
                }
            }
        }
    }
    if variables.is_empty() {
        return false;
    }
    for &block in cfg.rpo() {
        rewrite(func, block, &def_blocks, &variables);
    }
    let entry = func.entry();
    func.blocks[entry].insts.splice(0..0, allocas);
    true
}

fn rewrite(
    func: &mut Function,
    block: Block,
    def_blocks: &IdMap<Value, Block>,
    variables: &FastMap<Value, Value>,
) {
    let insts = std::mem::take(&mut func.blocks[block].insts);
    let mut new_insts: Vec<InstId> = Vec::with_capacity(insts.len());
    for param in func.blocks[block].params.clone() {
        store_value(func, param, variables, &mut new_insts);
    }
    for id in insts {
        let repaired: Vec<Value> =
            func.insts[id].uses().filter(|value| variables.contains_key(value)).collect();
        for value in repaired {
            if def_blocks[value] == block {
                continue;
            }
            let ty = func.ty(value);
            let args = smallvec::smallvec![variables[&value]];
            let load = func.make_inst(Op::Load, ty, args, Attr::Mem(Mem::natural(ty)), Vec::new(), 0);
            let loaded = func.insts[load].result.expect("a value");
            new_insts.push(load);
            func.insts[id].uses_mut().filter(|arg| **arg == value).for_each(|arg| *arg = loaded);
        }
        new_insts.push(id);
        if let Some(result) = func.insts[id].result {
            store_value(func, result, variables, &mut new_insts);
        }
    }
    func.blocks[block].insts = new_insts;
}

fn store_value(
    func: &mut Function,
    value: Value,
    variables: &FastMap<Value, Value>,
    new_insts: &mut Vec<InstId>,
) {
    if let Some(&variable) = variables.get(&value) {
        let ty = func.ty(value);
        let args = smallvec::smallvec![variable, value];
        new_insts.push(func.make_inst(
            Op::Store,
            Type::VOID,
            args,
            Attr::Mem(Mem::natural(ty)),
            Vec::new(),
            0,
        ));
    }
}
