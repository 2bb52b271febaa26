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
use grus_ir::{Attr, Def, Effect, Function, Inst, InstId, Kind, Op, Query, Value};
use grus_support::{FastMap, FastSet};

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

/// Number of bytes that each work-item of a kernel writes by stores that can be non-temporal, by the dimensions that their
/// addresses depend on, as a bit mask. Work-items that differ in other dimensions only write the same memory.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct BytesOfItem([u64; 8]);

impl BytesOfItem {
    pub fn of(func: &Function) -> BytesOfItem {
        let mut bytes = BytesOfItem::default();
        let found = stores(func, &[0]);
        if !found.is_empty() {
            let incoming = incoming(func);
            for id in found {
                let inst = &func.insts[id];
                bytes.0[dimensions(func, &incoming, inst.args[0])] += bytes_of(func, id);
            }
        }
        bytes
    }

    /// Returns the number of bytes of memory that a range of work-items writes.
    pub fn of_range(&self, global: [u64; 3]) -> u64 {
        let items = |mask: usize| {
            let sizes = (0..3).filter(|d| mask >> d & 1 == 1).map(|d| global[d]);
            sizes.fold(1, |all: u64, size| all.saturating_mul(size))
        };
        let bytes =
            |(mask, &bytes): (usize, &u64)| if bytes == 0 { 0 } else { items(mask).saturating_mul(bytes) };
        self.0.iter().enumerate().map(bytes).fold(0, u64::saturating_add)
    }
}

/// Returns the arguments of all branches for each parameter of a block.
fn incoming(func: &Function) -> FastMap<Value, Vec<Value>> {
    let mut incoming: FastMap<Value, Vec<Value>> = FastMap::default();
    for target in func.instructions().flat_map(|inst| &inst.targets) {
        for (&param, &arg) in func.blocks[target.block].params.iter().zip(&target.args) {
            incoming.entry(param).or_default().push(arg);
        }
    }
    incoming
}

/// Returns a bit mask of the dimensions of the range that a value depends on. What is read from memory depends on its
/// address, and on all dimensions if the memory is the work-item's.
fn dimensions(func: &Function, incoming: &FastMap<Value, Vec<Value>>, value: Value) -> usize {
    const ALL: usize = 0b111;
    let (mut mask, mut work) = (0, vec![value]);
    let mut seen: FastSet<Value> = FastSet::default();
    while let Some(value) = work.pop() {
        if !seen.insert(value) {
            continue;
        }
        match func.values[value].def {
            Def::Param(..) => work.extend(incoming.get(&value).into_iter().flatten()),
            Def::Inst(id) => {
                let inst = &func.insts[id];
                mask |= match (inst.op, &inst.attr) {
                    (Op::WorkItem, &Attr::Query(Query::LocalId | Query::GlobalId | Query::GroupId, dim)) => {
                        1 << dim
                    }
                    (Op::WorkItem, Attr::Query(Query::LinearId | Query::FirstId, _)) => ALL,
                    (Op::Alloca | Op::Call | Op::CallHelper, _) => ALL,
                    (op, _) if op.is_collective() || op.effect() == Effect::Write => ALL,
                    _ => 0,
                };
                work.extend(inst.args.iter().copied());
            }
        }
        if mask == ALL {
            break;
        }
    }
    mask
}

/// Returns the number of bytes that each iteration of a loop writes by such stores.
pub fn bytes_of_iteration(func: &Function) -> u64 {
    stores(func, &[1]).into_iter().map(|id| bytes_of(func, id)).sum()
}

/// Returns the number of bytes that a store writes.
fn bytes_of(func: &Function, store: InstId) -> u64 {
    u64::from(func.ty(func.insts[store].args[1]).bytes())
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
