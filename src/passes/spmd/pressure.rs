//! What it takes that more vectors are alive than there are registers: those that do not fit go to memory and come back.

use crate::ir::analysis::Analyses;
use crate::ir::{Block, Function, Inst, Kind, Op, Type, Value};
use crate::support::machine::Backend;
use crate::support::{FastSet, IdMap};

/// Registers that hold vectors.
fn registers(backend: Backend) -> u32 {
    if backend.has_masks() { 32 } else { 16 }
}

/// Instructions for what does not fit, each as often as `turns` has its block run.
pub(super) fn spills(func: &Function, backend: Backend, turns: impl Fn(Block) -> u64) -> u64 {
    let mut analyses = Analyses::default();
    let liveness = analyses.liveness(func);
    let taken = sizes(func, backend);
    let mut total = 0;
    let mut alive: FastSet<Value> = FastSet::default();
    for &block in &func.layout {
        alive.clear();
        let mut used = 0;
        let enter = |alive: &mut FastSet<Value>, value: Value| {
            let size = taken[value];
            if size > 0 && alive.insert(value) { size } else { 0 }
        };
        for next in func.successors(block) {
            for value in liveness.alive(next) {
                used += enter(&mut alive, value);
            }
        }
        let mut here = 0;
        for &id in func.blocks[block].insts.iter().rev() {
            let inst = &func.insts[id];
            let defined = inst.result.map_or(0, |result| taken[result]);
            if defined > 0 && used > registers(backend) {
                here += 2 * u64::from(defined.min(used - registers(backend)));
            }
            if inst.result.is_some_and(|result| alive.remove(&result)) {
                used -= defined;
            }
            for value in inst.uses() {
                used += enter(&mut alive, value);
            }
        }
        total += here * turns(block);
    }
    total
}

/// Registers that values take. Constants are operands, masks have registers of their own.
fn sizes(func: &Function, backend: Backend) -> IdMap<Value, u32> {
    let mut sizes = IdMap::with_len(0, func.values.len());
    let size = |ty: Type| {
        let is_mask = ty.kind == Kind::I1 && backend.has_masks();
        if ty.is_vector() && !is_mask { ty.bits().div_ceil(backend.register() * 8) } else { 0 }
    };
    for &block in &func.layout {
        for &param in &func.blocks[block].params {
            sizes[param] = size(func.ty(param));
        }
    }
    let is_constant = |inst: &Inst| match inst.op {
        Op::Splat | Op::BuildVector => inst.args.iter().all(|&arg| func.as_const(arg).is_some()),
        _ => false,
    };
    for inst in func.instructions().filter(|inst| !is_constant(inst)) {
        if let Some(result) = inst.result {
            sizes[result] = size(inst.ty);
        }
    }
    sizes
}
