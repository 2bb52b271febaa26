//! Time of a function by what the execution units of the processor can do in a cycle.
//!
//! Unlike the number of instructions, which compares numbers of lanes, this shows whether a loop waits for its own
//! results: they take the time of the longest loop-carried dependence, however few instructions there are.

use super::super::plan::is_buffer_access;
use super::super::widen::BlockFrequencies;
use super::estimate::BlockWeights;
use super::instruction::{inst_cost, largest_type};
use super::latency;
use grus_ir::analysis::{Analyses, LoopId};
use grus_ir::{Block, Function, Op};
use grus_support::IdMap;
use grus_support::target::Backend;

/// Loads, operations on vectors, and instructions of all kinds that processors with AVX2 or AVX-512 issue in two
/// cycles, and stores of whole registers.
// Source: uops.info, Skylake-X to Sapphire Rapids; Zen 4 and 5 have the same proportions.
const LOADS: u64 = 4;
const VECTOR_OPS: u64 = 4;
const STORES: u64 = 2;
const INSTRUCTIONS: u64 = 12;

/// Bytes of buffers that two cycles read or write outside of loops, where they are hardly in the first cache.
// Source: the machine's last cache as `bench`'s suite measures it, 9 bytes per cycle of a core on a Xeon, 2026-11-30.
const BUFFER_BYTES: u64 = 16;

/// Number of equal parts of two cycles in which time is counted: a multiple of the numbers of instructions above.
const UNITS: u64 = 12;

/// Returns the time of a function, weighted by the frequencies of its blocks.
pub(in crate::vectorize) fn time(func: &Function, frequencies: &BlockFrequencies, backend: Backend) -> u64 {
    let mut analyses = Analyses::default();
    let (cfg, loops) = (analyses.cfg(func), analyses.loops(func));
    let weights = BlockWeights { loops: &loops, frequencies };
    let has_inner = loops.have_inner();
    let mut inner_loops: IdMap<LoopId, u64> = IdMap::new(0);
    let mut total = 0u64;
    for &block in cfg.rpo() {
        let mut time = block_time(func, block, backend);
        if loops.of(block).is_none() {
            time = time.max(buffer_bytes(func, block) * UNITS / BUFFER_BYTES);
        }
        let time = time.saturating_mul(weights.iterations(block));
        match loops.of(block).filter(|&id| !has_inner[id]) {
            Some(id) => inner_loops[id] = inner_loops[id].saturating_add(time),
            None => total = total.saturating_add(time),
        }
    }
    let recurrences = latency::recurrences(func, &cfg, &loops, backend.has_halves());
    for id in loops.ids().filter(|&id| !has_inner[id]) {
        let latency = recurrences[id] * UNITS / 2;
        let waits = latency.saturating_mul(weights.iterations(loops.get(id).header));
        total = total.saturating_add(inner_loops[id].max(waits));
    }
    total
}

/// Returns the time that a block takes at least.
fn block_time(func: &Function, block: Block, backend: Backend) -> u64 {
    let (mut loads, mut stores, mut vectors, mut scalars) = (0, 0, 0, 0);
    for inst in func.blocks[block].insts.iter().map(|&id| &func.insts[id]) {
        let cost = inst_cost(func, inst, backend);
        match inst.op {
            Op::Iconst | Op::Fconst => {}
            Op::Load => loads += cost,
            Op::Store => stores += cost,
            _ if largest_type(func, inst).is_vector() => vectors += cost,
            _ => scalars += cost,
        }
    }
    let all = loads + stores + vectors + scalars;
    [(loads, LOADS), (stores, STORES), (vectors, VECTOR_OPS), (all, INSTRUCTIONS)]
        .map(|(count, per_two_cycles)| count * (UNITS / per_two_cycles))
        .into_iter()
        .max()
        .unwrap_or(0)
}

/// Returns the bytes of buffers that a block reads and writes.
fn buffer_bytes(func: &Function, block: Block) -> u64 {
    let insts = func.blocks[block].insts.iter().map(|&id| &func.insts[id]);
    let bytes = insts.map(|inst| match inst.op {
        Op::Load if is_buffer_access(func, inst) => inst.ty.bytes(),
        Op::Store if is_buffer_access(func, inst) => func.ty(inst.args[1]).bytes(),
        _ => 0,
    });
    bytes.map(u64::from).sum()
}
