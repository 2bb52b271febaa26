//! Estimated cost of a scalar or widened body: instructions, stalls and spills.

use super::super::calls::vectorized_functions::Callees;
use super::super::widen::BlockFrequencies;
use super::access_streams::StreamDetector;
use super::instruction::{inst_cost, largest_type};
use super::{latency, pressure};
use grus_ir::analysis::{Analyses, LoopId, Loops};
use grus_ir::{Block, Effect, Function, Inst, Kind, Op};
use grus_support::IdMap;
use grus_support::target::{Backend, Features};

/// Limit of the cost of a function, which leaves room for a factor for the number of lanes.
// Arbitrary.
pub const MAX_COST: u64 = 1 << 50;

/// Estimated cost of a function, in issue slots.
pub struct Cost {
    /// Instructions weighted by execution frequency, without rarely executed blocks.
    pub work: u64,
    /// Issue slots lost to loop-carried latency.
    pub recurrence_stall: u64,
    /// Spills and reloads.
    pub spills: u64,
    /// Spill cost in the worst case, if every value defined at full pressure is spilled; 0 if pressure never
    /// exceeds the register file.
    pub spills_worst_case: u64,
    /// Issue slots lost to latency inside of long blocks.
    pub block_stalls: u64,
    /// Part of the work that fills vector registers.
    pub vector_work: u64,
}

impl Cost {
    pub fn total(&self) -> u64 {
        self.work + self.recurrence_stall + self.spills
    }

    /// Returns the cost including stalls in long blocks, if there are registers for other work during the stalls.
    pub fn with_block_stalls(&self, has_registers: bool) -> u64 {
        self.total() + if has_registers { self.block_stalls } else { 0 }
    }
}

pub fn total_cost(
    func: &Function,
    frequencies: &BlockFrequencies,
    backend: Backend,
    callees: &Callees,
) -> u64 {
    estimate(func, frequencies, backend, callees).total()
}

/// Pair of versions that the cost model compares.
#[derive(Clone, Copy, PartialEq, Eq)]
pub enum CostModel {
    /// Vectors with more lanes and with fewer.
    Vectors,
    /// Two unrolled-and-jammed work-items and one: only spills and stalls differ.
    UnrollAndJam,
}

/// Weights of the blocks of a function by how often they are executed.
pub struct BlockWeights<'f> {
    pub loops: &'f Loops,
    pub frequencies: &'f BlockFrequencies,
}

impl BlockWeights<'_> {
    /// Returns how often a block is assumed to be executed.
    pub fn iterations(&self, block: Block) -> u64 {
        // Assumed iterations of a loop, factor for divergent loops, and limit of the nesting that counts.
        // Arbitrary.
        const TRIP_COUNT: u64 = 8;
        const DIVERGENCE_FACTOR: u64 = 2;
        const MAX_LOOP_DEPTH: u32 = 6;
        // Part of the iterations if the last lanes run a scalar copy.
        // Arbitrary.
        const COPIED_PART: (u64, u64) = (3, 4);
        let BlockWeights { loops, frequencies } = self;
        if frequencies.cold.contains(&block) {
            return 0;
        }
        let divergent_loops =
            loops.around(block).filter(|&id| frequencies.divergent_headers.contains(&loops.get(id).header));
        // A divergent loop iterates until the last lane leaves.
        let divergence = if divergent_loops.count() > 0 { DIVERGENCE_FACTOR } else { 1 };
        let iterations = TRIP_COUNT.pow(loops.depth(block).min(MAX_LOOP_DEPTH)) * divergence;
        match loops.of(block) {
            Some(id) if frequencies.copied_headers.contains(&loops.get(id).header) => {
                iterations * COPIED_PART.0 / COPIED_PART.1
            }
            _ => iterations,
        }
    }
}

/// Estimates the cost of a scalar or widened function. Iterations of a divergent loop count more often than
/// those of one lane.
pub fn estimate(
    func: &Function,
    frequencies: &BlockFrequencies,
    backend: Backend,
    callees: &Callees,
) -> Cost {
    estimate_by(CostModel::Vectors, func, frequencies, backend, callees)
}

pub fn estimate_by(
    model: CostModel,
    func: &Function,
    frequencies: &BlockFrequencies,
    backend: Backend,
    callees: &Callees,
) -> Cost {
    // Scalar instructions that issue in parallel with one vector instruction.
    // Arbitrary.
    const SCALARS_PER_VECTOR: u64 = 4;
    // Additional cost for each lane of an access that is a stream of its own, where gathers are slow and elsewhere.
    // The first is arbitrary. Source of the second: rows of 256 and 2048 floats on a Xeon, 2026-11-30.
    const SLOW_STREAM_COST: u64 = 12;
    const STREAM_COST: u64 = 2;
    let stream_cost =
        if Features::host().slow_gathers || !backend.has_masks() { SLOW_STREAM_COST } else { STREAM_COST };
    let mut analyses = Analyses::default();
    let loops = analyses.loops(func);
    let streams = StreamDetector::new(func, &loops);
    let weights = BlockWeights { loops: &loops, frequencies };
    let iterations = |block| weights.iterations(block);
    let mut loop_cost: IdMap<LoopId, u64> = IdMap::new(0);
    let (mut work, mut block_stalls, mut vector_work) = (0, 0u64, 0u64);
    let register_bits = 8 * backend.register();
    let per_cycle = if model == CostModel::Vectors {
        insts_per_cycle(backend)
    } else {
        insts_per_cycle_jammed(func, backend)
    };
    for &block in &func.layout {
        let (mut vectors, mut scalars, mut full) = (0, 0, 0);
        for inst in func.blocks[block].insts.iter().map(|&id| &func.insts[id]) {
            if inst.op == Op::Call {
                vectors += callees.cost(inst.callee());
                continue;
            }
            let ty = largest_type(func, inst);
            let is_stream = model == CostModel::Vectors && streams.accesses_streams(block, inst);
            let cost = inst_cost(func, inst, backend)
                + if is_stream { stream_cost * u64::from(ty.lanes) } else { 0 };
            if ty.is_vector() {
                vectors += cost;
                full += if ty.bits().is_multiple_of(register_bits) { cost } else { 0 };
            } else {
                scalars += cost;
            }
        }
        let weighted = |cost: u64| iterations(block).saturating_mul(cost);
        work = weighted(vectors + scalars).saturating_add(work).min(MAX_COST);
        vector_work = weighted(full).saturating_add(vector_work).min(MAX_COST);
        let overlapped = vectors + scalars / SCALARS_PER_VECTOR;
        let is_long = vectors + scalars > latency::LOOKAHEAD;
        let path = if is_long { latency::critical_path(func, block, backend.has_halves()) } else { 0 };
        let path = path * per_cycle;
        block_stalls = weighted(path.saturating_sub(overlapped)).saturating_add(block_stalls).min(MAX_COST);
        if let Some(id) = loops.of(block) {
            loop_cost[id] = weighted(overlapped).saturating_add(loop_cost[id]).min(MAX_COST);
        }
    }
    let cfg = analyses.cfg(func);
    let recurrences = latency::recurrences(func, &cfg, &loops, backend.has_halves());
    let recurrence_stall = loops.ids().map(|id| {
        let header = loops.get(id).header;
        // Lanes of a divergent loop leave it in different iterations, which hides latency.
        let is_divergent = frequencies.divergent_headers.contains(&header);
        let recurrence =
            if is_divergent { 0 } else { recurrences[id] * insts_per_cycle(backend) * iterations(header) };
        recurrence.saturating_sub(loop_cost[id])
    });
    let spills_worst_case = match model {
        CostModel::Vectors => pressure::spills(func, &cfg, backend, iterations),
        CostModel::UnrollAndJam => 0,
    };
    // `codegen/x64` decides itself which values are spilled.
    let spills = match model {
        CostModel::Vectors if spills_worst_case == 0 || backend == Backend::Cranelift => spills_worst_case,
        _ => pressure::reloads(func, &cfg, backend, iterations).min(MAX_COST),
    };
    Cost {
        work,
        recurrence_stall: recurrence_stall.sum(),
        spills,
        spills_worst_case,
        block_stalls,
        vector_work,
    }
}

/// Returns the cost of what is hoisted out of a loop in which these parameters vary: instructions that depend
/// on none of them, and loads of memory that is not written in the loop. `estimate` counts them in their
/// blocks.
pub fn hoisted_cost(
    func: &Function,
    varying: &[usize],
    backend: Backend,
    frequencies: &BlockFrequencies,
) -> u64 {
    let mut analyses = Analyses::default();
    let (cfg, loops) = (analyses.cfg(func), analyses.loops(func));
    let written: Vec<Kind> = func
        .instructions()
        .filter(|inst| inst.op.effect() == Effect::Write && inst.op != Op::Alloca)
        .map(|inst| inst.args.first().map_or(Kind::PtrGeneric, |&to| func.ty(to).kind))
        .collect();
    let mut is_varying = IdMap::with_len(false, func.values.len());
    varying.iter().for_each(|&at| is_varying[func.params()[at]] = true);
    let mut hoisted = 0;
    for &block in cfg.rpo().iter().filter(|block| !frequencies.cold.contains(block)) {
        if block != func.entry() {
            func.blocks[block].params.iter().for_each(|&param| is_varying[param] = true);
        }
        for inst in func.blocks[block].insts.iter().map(|&id| &func.insts[id]) {
            let Some(result) = inst.result else { continue };
            let is_invariant = match inst.op.effect() {
                Effect::Pure => true,
                Effect::Read if !inst.is_volatile() && inst.op != Op::Call => {
                    let kind = func.ty(inst.args[0]).kind;
                    written.iter().all(|&to| to != kind && to != Kind::PtrGeneric)
                }
                _ => false,
            };
            is_varying[result] = !is_invariant || inst.args.iter().any(|&arg| is_varying[arg]);
            if !is_varying[result] && loops.depth(block) == 0 {
                hoisted += inst_cost(func, inst, backend);
            }
        }
    }
    hoisted
}

/// Returns the number of instructions on whole registers per cycle: those on the largest registers take twice
/// as long, or half as many are issued.
fn insts_per_cycle(backend: Backend) -> u64 {
    if backend.has_masks() { 1 } else { 2 }
}

/// Returns the same number for prevalent integer code, of which processors with AVX2 issue more per cycle than
/// of float code.
fn insts_per_cycle_jammed(func: &Function, backend: Backend) -> u64 {
    let of = |is_float: bool| {
        let is_vector = |inst: &&Inst| inst.ty.is_vector() && inst.ty.kind.is_float() == is_float;
        func.instructions().filter(is_vector).count()
    };
    insts_per_cycle(backend) + u64::from(!backend.has_masks() && of(false) > of(true))
}
