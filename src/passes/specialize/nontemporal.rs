//! Stores that go past the caches.
//!
//! A launch that writes more than the caches keep has nothing of it there afterwards, but each line that it stores to is read
//! from memory first. Rows of lanes that fill lines can be written without that: they are marked here, and the backend makes
//! what it can of them. Only stores that each item does once, to where the kernel reads nothing, one behind the other with those
//! of its neighbours: others would write lines in parts, or what is read again.

use super::super::pass_manager::PassContext;
use crate::ir::abi::NonTemporal;
use crate::ir::analysis::Analyses;
use crate::ir::{Attr, Effect, Function, Inst, InstId, Kind, Op, Value};
use crate::support::FastSet;

/// Streams that a core can write side by side without giving up lines that are not full.
const MOST: usize = 4;

/// Runs the pass.
pub fn run(func: &mut Function, context: &mut PassContext<'_>) -> bool {
    let depths: &[u32] = match context.range.nontemporal {
        NonTemporal::None => return false,
        NonTemporal::OfItems => &[0],
        NonTemporal::OfIterations => &[0, 1],
    };
    let stores = stores(func, depths);
    for &id in &stores {
        if let Attr::Mem(mem) = &mut func.insts[id].attr {
            mem.nontemporal = true;
        }
    }
    !stores.is_empty()
}

/// Bytes that each item of a kernel writes, once, by stores that could go past the caches.
pub fn bytes_of_item(func: &Function) -> u64 {
    bytes(func, &[0])
}

/// The same for each turn of a loop.
pub fn bytes_of_iteration(func: &Function) -> u64 {
    bytes(func, &[1])
}

fn bytes(func: &Function, depths: &[u32]) -> u64 {
    let bytes = |&id: &InstId| u64::from(func.ty(func.insts[id].args[1]).bytes());
    stores(func, depths).iter().map(bytes).sum()
}

/// Those stores that are in so many loops. There are none in kernels that others may look at while they run: such stores are
/// not in order.
fn stores(func: &Function, depths: &[u32]) -> Vec<InstId> {
    let is_alone = |inst: &Inst| match inst.op {
        Op::AtomicLoad => false,
        Op::Store | Op::MemCopy | Op::MemZero | Op::Alloca | Op::Barrier | Op::ImageStore => {
            !inst.is_volatile()
        }
        op => op.effect() != Effect::Write && !inst.is_volatile() || op.is_collective(),
    };
    if !func.instructions().all(is_alone) {
        return Vec::new();
    }
    let read: FastSet<Value> = func
        .instructions()
        .filter_map(|inst| match inst.op {
            Op::Load => func.root(inst.args[0]),
            Op::MemCopy => func.root(inst.args[1]),
            _ => None,
        })
        .collect();
    let loops = Analyses::default().loops(func);
    let mut found = Vec::new();
    for &block in func.layout.iter().filter(|&&block| depths.contains(&loops.depth(block))) {
        for &id in &func.blocks[block].insts {
            let inst = &func.insts[id];
            if inst.op == Op::Store
                && func.ty(inst.args[0]).kind == Kind::PtrGlobal
                && func.root(inst.args[0]).is_some_and(|root| !read.contains(&root))
            {
                found.push(id);
            }
        }
    }
    if found.len() > MOST { Vec::new() } else { found }
}
