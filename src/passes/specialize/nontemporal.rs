//! Non-temporal stores.
//!
//! If a launch writes more than the caches hold, its results are evicted anyway, but each line that it stores to is
//! read from memory first. Full-line vector stores can avoid that read: this pass marks the stores, and the backend
//! emits non-temporal stores where it can. Only stores are marked that each work-item executes once, to buffers
//! that the kernel does not read, and that adjacent work-items continue. Other stores would write partial lines, or
//! lines that are read again.

use super::super::pass_manager::PassContext;
use grus_ir::abi::NonTemporal;
use grus_ir::analysis::Analyses;
use grus_ir::{Attr, Effect, Function, Inst, InstId, Kind, Op, Value};
use grus_support::FastSet;

/// Maximum number of streams that a core can write at the same time without evicting partial lines from its
/// write-combining buffers.
// Arbitrary.
const MAX_STREAMS: usize = 4;

/// Runs the pass.
pub fn run(func: &mut Function, context: &mut PassContext<'_>) -> bool {
    let depths: &[u32] = match context.facts.range.nontemporal {
        NonTemporal::None => return false,
        NonTemporal::PerItem => &[0],
        NonTemporal::PerIteration => &[0, 1],
    };
    let stores = stores(func, depths);
    for &id in &stores {
        if let Attr::Mem(mem) = &mut func.insts[id].attr {
            mem.nontemporal = true;
        }
    }
    !stores.is_empty()
}

/// Returns the number of bytes that each work-item of a kernel writes by stores that can be non-temporal.
pub fn bytes_of_item(func: &Function) -> u64 {
    bytes(func, &[0])
}

/// Returns the number of bytes that each iteration of a loop writes by such stores.
pub fn bytes_of_iteration(func: &Function) -> u64 {
    bytes(func, &[1])
}

fn bytes(func: &Function, depths: &[u32]) -> u64 {
    let bytes = |&id: &InstId| u64::from(func.ty(func.insts[id].args[1]).bytes());
    stores(func, depths).iter().map(bytes).sum()
}

/// Returns the stores at these loop depths that can be non-temporal. There are none in kernels that synchronize
/// with other work-items while they run, since non-temporal stores are weakly ordered.
fn stores(func: &Function, depths: &[u32]) -> Vec<InstId> {
    let is_unsynchronized = |inst: &Inst| match inst.op {
        Op::AtomicLoad => false,
        Op::Store | Op::MemCopy | Op::MemZero | Op::Alloca | Op::Barrier | Op::ImageStore => {
            !inst.is_volatile()
        }
        op => op.effect() != Effect::Write && !inst.is_volatile() || op.is_collective(),
    };
    if !func.instructions().all(is_unsynchronized) {
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
    if found.len() > MAX_STREAMS { Vec::new() } else { found }
}
