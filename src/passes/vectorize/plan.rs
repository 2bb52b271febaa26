//! Vectorization plan: decides for how many lanes a body is widened, if at all.

use super::super::Forced;
use super::super::pass_manager::PassContext;
use super::super::scalar::compare_vectorize;
use super::super::work_items::{Candidate, VectorPlan, Wide, predicated};
use super::calls::vectorized_functions::Callees;
use super::cost::access_streams::StreamDetector;
use super::cost::instruction::{inst_cost, largest_type};
use super::cost::{latency, pressure, throughput};
use super::versioning::guards;
use super::widen::BlockFrequencies;
use super::{Refusal, ScalarizedBody, WidenOptions, divergent_branch, row_jam, unroll_and_jam, widen_body};
use grus_ir::analysis::{Analyses, LoopId, Loops};
use grus_ir::{Block, Effect, Function, Inst, Kind, Op};
use grus_support::target::{Backend, Features};
use grus_support::timing;
use grus_support::{FastMap, FastSet, IdMap};

/// Limit of instructions of a body that is widened, since compilation takes several times as long.
// Arbitrary.
pub(super) const MAX_BODY_SIZE: usize = 3_000;

/// Limit of instructions of a body of a kernel that has tiered up.
// Arbitrary.
const MAX_TIERED_UP_BODY_SIZE: usize = 12_000;

/// Limit of instructions of a body most of whose work is on OpenCL vectors that fill registers already.
// Arbitrary.
const MAX_VECTOR_BODY_SIZE: usize = 800;

/// Limit of the bytes of private objects outside of the stack for each lane.
// Arbitrary.
const MAX_PRIVATE_BYTES: u64 = 64 << 10;

/// Limit of the estimated instructions of a widened body.
// Arbitrary.
const MAX_CODE_COST: u64 = 60_000;

/// Limit of the estimated instructions of a body that is widened for sub-groups, without which its kernel cannot be built.
// Arbitrary.
const MAX_SUB_GROUP_CODE_COST: u64 = 250_000;

/// Limit of lanes: masks and ballots are moved to one 64-bit register.
// Source: general registers have 64 bits.
pub const MAX_LANES: u16 = 64;

/// Returns the body for the best number of lanes, or for the forced one; a body for two work-items by
/// unroll-and-jam if that is better.
pub fn plan(candidate: Candidate<'_>, forced: Forced, callees: &mut Callees) -> VectorPlan {
    let lanes = forced.lanes;
    let chosen = plan_lanes(&candidate, forced, callees);
    let may_jam = chosen.is_err() && (forced.interleaved || lanes.is_none());
    let mut other = if may_jam {
        plan_unroll_and_jam(&candidate, forced.interleaved, callees)
    } else {
        VectorPlan::Scalar
    };
    let is_deferred =
        chosen.is_err() && lanes.is_none() && !candidate.is_tiered_up && is_deferred_by_size(candidate.body);
    if matches!(other, VectorPlan::Scalar) && is_deferred {
        other = VectorPlan::Deferred;
    }
    timing::note("lanes", || {
        let rows = if candidate.has_linear_ids { " of several rows" } else { "" };
        let name = &candidate.body.name;
        match (&chosen, &other) {
            (Ok(wide), _) => {
                let jammed = wide.jammed_rows.as_ref();
                let together = jammed.map(|jammed| format!(", {} rows together", jammed.rows));
                format!("{name}: {} lanes{rows}{}", wide.lanes, together.unwrap_or_default())
            }
            (Err(reason), VectorPlan::Wide(wide)) => {
                format!("{name}: one lane, {} work-items interleaved ({reason})", wide.lanes)
            }
            (Err(reason), VectorPlan::Scalar) => format!("{name}: one lane{rows} ({reason})"),
            (Err(reason), VectorPlan::Deferred) => {
                format!("{name}: one lane{rows} until launches have taken long ({reason})")
            }
        }
    });
    chosen.map_or(other, |wide| VectorPlan::Wide(Box::new(wide)))
}

/// Returns the body for two work-items, unrolled and jammed; the scalar one if that is impossible or gains
/// little.
fn plan_unroll_and_jam(candidate: &Candidate<'_>, is_forced: bool, callees: &Callees) -> VectorPlan {
    let &Candidate { body, backend, row_length, .. } = candidate;
    let items = unroll_and_jam::ITEMS;
    let can_jam = !candidate.has_inactive_lanes
        && !candidate.has_linear_ids
        && candidate.record.is_none()
        && candidate.private_size == 0
        && row_length.is_none_or(|length| length >= items.into());
    if !can_jam || body.size() > MAX_BODY_SIZE {
        return VectorPlan::Scalar;
    }
    // Comparisons lane by lane become one vector comparison first.
    let mut body = body.clone();
    compare_vectorize::run(&mut body, &mut PassContext::standalone(candidate.debugging));
    let mut analyses = Analyses::default();
    let Some(steps) = unroll_and_jam::steps_in_row(&body) else { return VectorPlan::Scalar };
    let Some(pair) = divergent_branch::find(&body, &steps, &FastSet::default(), &mut analyses) else {
        return VectorPlan::Scalar;
    };
    if !is_forced && !candidate.is_tiered_up && pair.copied > guards::MAX_COPIED_SIZE {
        return VectorPlan::Deferred;
    }
    let unroll_and_jam::Jammed { func: all, cold, rare, .. } =
        unroll_and_jam::jam(&body, &steps, &pair, &mut analyses);
    let [jammed_frequencies, scalar_frequencies] =
        [cold, rare].map(|cold| BlockFrequencies { cold, ..BlockFrequencies::default() });
    let scalar_cost = estimate_by(CostModel::UnrollAndJam, &body, &scalar_frequencies, backend, callees);
    let jammed_cost = estimate_by(CostModel::UnrollAndJam, &all, &jammed_frequencies, backend, callees);
    if !is_forced
        && !is_profitable(with_block_stalls(&jammed_cost, true), with_block_stalls(&scalar_cost, true), items)
    {
        return VectorPlan::Scalar;
    }
    let hoisted = hoisted_cost(&all, &candidate.varying_params(items), backend, &jammed_frequencies);
    let cost = jammed_cost.total().saturating_sub(hoisted);
    VectorPlan::Wide(Box::new(Wide { lanes: items, cost, unmasked: all, masked: None, jammed_rows: None }))
}

/// Checks whether `items` work-items take less time together than one by one, by at least 15 %: less is not
/// worth the code.
// Arbitrary.
pub(super) fn is_profitable(wide_cost: u64, scalar_cost: u64, items: u16) -> bool {
    wide_cost * 20 < scalar_cost * u64::from(items) * 17
}

/// Returns the cost including stalls in long blocks, if there are registers for other work during the stalls.
fn with_block_stalls(cost: &Cost, has_registers: bool) -> u64 {
    cost.total() + if has_registers { cost.block_stalls } else { 0 }
}

/// Returns the bodies for the lanes of a sub-group: an unmasked one, and a masked one, since the last sub-group
/// of a work-group may be smaller.
///
/// # Errors
/// The reason why the body cannot be widened.
pub fn sub_group(candidate: &Candidate<'_>, lanes: u16, callees: &mut Callees) -> Result<Wide, Refusal> {
    if candidate.private_size > MAX_PRIVATE_BYTES {
        return Err(Refusal::PrivateMemory);
    }
    callees.estimate_costs(candidate.backend);
    let options = WidenOptions { may_wait: true, ..candidate.options(lanes) };
    let (all, _) = widen_bounded(candidate.body, options, callees)?;
    let (masked, _) = widen_bounded(&predicated(candidate.body), options, callees)?;
    Ok(Wide { lanes, cost: MAX_COST, unmasked: all, masked: Some(masked), jammed_rows: None })
}

/// Checks whether it is uncertain that a kernel can have sub-groups of this size. Small kernels with reducible
/// control flow can.
pub fn may_lack_sub_groups(kernel: &Function, private_size: u64, lanes: u16) -> bool {
    // A vector instruction costs less than one instruction for each lane, with few exceptions.
    private_size > MAX_PRIVATE_BYTES
        || kernel.size() as u64 * u64::from(lanes) > MAX_CODE_COST
        || kernel.instructions().any(|inst| inst.op == Op::Call)
        || !Analyses::default().loops(kernel).is_reducible()
}

impl Candidate<'_> {
    /// Returns the parameters that vary in the loop over rows, or also in the loop over work-items if it has
    /// several iterations.
    fn varying_params(&self, lanes: u16) -> Vec<usize> {
        let [items, rows] = &self.loop_varying_params;
        let takes_one = self.row_length.is_some_and(|row| row <= u32::from(lanes));
        if takes_one { rows.clone() } else { [items.as_slice(), rows].concat() }
    }

    fn max_body_size(&self) -> usize {
        if self.is_tiered_up { MAX_TIERED_UP_BODY_SIZE } else { MAX_BODY_SIZE }
    }

    fn options(&self, lanes: u16) -> WidenOptions {
        let &Candidate { record, segment_lanes, backend, debugging, .. } = self;
        WidenOptions { lanes, record, segment_lanes, may_wait: false, is_forced: false, backend, debugging }
    }
}

fn plan_lanes(candidate: &Candidate<'_>, forced: Forced, callees: &mut Callees) -> Result<Wide, Refusal> {
    let body = candidate.body;
    if candidate.private_size > MAX_PRIVATE_BYTES {
        return Err(Refusal::PrivateMemory);
    }
    if let Some(lanes) = forced.lanes {
        if lanes == 1 {
            return Err(Refusal::Forced);
        }
        callees.estimate_costs(candidate.backend);
        let options = WidenOptions { is_forced: true, ..candidate.options(lanes) };
        let (all, frequencies) = widen_bounded(body, options, callees)?;
        let masked = masked_body(candidate, options, callees)?.map(|(masked, _)| masked);
        let jammed =
            if forced.interleaved { row_jam::run(candidate, &all, &frequencies, true) } else { None };
        let jammed_rows = jammed.map(|jam| jam.jammed);
        return Ok(Wide { lanes, cost: MAX_COST, unmasked: all, masked, jammed_rows });
    }
    if body.size() > candidate.max_body_size() || fills_registers(body) {
        return Err(Refusal::Size);
    }
    callees.estimate_costs(candidate.backend);
    let scalar_cost = estimate(body, &BlockFrequencies::default(), candidate.backend, callees);
    // Widening would multiply code and live values of a large body, and speed up only its scalar part.
    if body.size() > MAX_VECTOR_BODY_SIZE && scalar_cost.vector_work * 2 > scalar_cost.work {
        return Err(Refusal::Size);
    }
    let LaneTrial { all, frequencies, lanes, cost: wide_cost, hoisted } = cheapest_trial(candidate, callees)?;
    // Code that lacks registers cannot overlap other work with stalls.
    let has_registers = wide_cost.spills_worst_case == 0;
    let scalar_cost = with_block_stalls(&scalar_cost, has_registers);
    if !is_profitable(with_block_stalls(&wide_cost, has_registers), scalar_cost, lanes) {
        return Err(Refusal::Unprofitable);
    }
    if body.instructions().any(|inst| inst.ty.is_vector()) {
        // One by one, work-items with vectors of their own use the same units, and access what they load at once.
        let scalar_time = throughput::time(body, &BlockFrequencies::default(), candidate.backend);
        let wide_time = throughput::time(&all, &frequencies, candidate.backend);
        if wide_time > scalar_time.saturating_mul(lanes.into()) {
            return Err(Refusal::Unprofitable);
        }
    }
    let mut per_vector = wide_cost.total().saturating_sub(hoisted);
    let mut jammed_rows = None;
    if let Some(jam) = row_jam::run(candidate, &all, &frequencies, forced.interleaved) {
        per_vector = jam.cost_per_vector(per_vector);
        jammed_rows = Some(jam.jammed);
    }
    let divides_row = candidate.row_length.is_some_and(|row| row.is_multiple_of(lanes.into()));
    if divides_row && !candidate.has_inactive_lanes {
        return Ok(Wide { lanes, cost: per_vector, unmasked: all, masked: None, jammed_rows });
    }
    let mut masked = masked_body(candidate, candidate.options(lanes), callees)?;
    if !candidate.has_inactive_lanes {
        // On average, half of the lanes of a remainder are active.
        masked = masked.filter(|(masked, frequencies)| {
            total_cost(masked, frequencies, candidate.backend, callees) * 2 < scalar_cost * u64::from(lanes)
        });
    }
    let masked = masked.map(|(masked, _)| masked);
    Ok(Wide { lanes, cost: per_vector, unmasked: all, masked, jammed_rows })
}

/// A widened body and its cost.
struct LaneTrial {
    all: Function,
    frequencies: BlockFrequencies,
    lanes: u16,
    cost: Cost,
    /// Part of the cost that is hoisted out of the loop over rows.
    hoisted: u64,
}

impl LaneTrial {
    /// Returns the cost per vector, in which the part before the loop over rows is shared by the work-items of
    /// a work-group.
    fn cost_in_work_group(&self, backend: Backend) -> u64 {
        /// Assumed size of a work-group.
        // Arbitrary.
        const ASSUMED_GROUP_SIZE: u64 = 64;
        if backend == Backend::Cranelift {
            return self.cost.total();
        }
        let hoisted_work = self.hoisted.min(self.cost.work);
        self.cost.total() - hoisted_work
            + hoisted_work * u64::from(self.lanes).min(ASSUMED_GROUP_SIZE) / ASSUMED_GROUP_SIZE
    }

    /// Checks whether a work-item takes less than this percentage of its time with the other number of lanes.
    fn is_faster(&self, other: &LaneTrial, percent: u64, backend: Backend) -> bool {
        let [own_cost, other_cost] = [(self, other), (other, self)]
            .map(|(trial, other)| trial.cost_in_work_group(backend).saturating_mul(other.lanes.into()));
        own_cost.saturating_mul(100) < other_cost.saturating_mul(percent)
    }
}

/// Limit of the cost of a work-item with fewer lanes in percent of that with more, for these to be preferred: they hide less
/// latency, which the cost does not include.
// Source: powr, pown and rootn of double with AVX2 take 0.8 to 0.92 of the time with 8 lanes, which seem to take 1.02 to 1.03
// of that of 4, on an EPYC (Zen 4), 2026-12-01.
const MAX_PERCENT_OF_MORE_LANES: u64 = 95;

/// Widens a body for several numbers of lanes and returns the one with the least time per work-item.
fn cheapest_trial(candidate: &Candidate<'_>, callees: &mut Callees) -> Result<LaneTrial, Refusal> {
    let body = candidate.body;
    // Factor by which the registers are larger than those of 128 bits, for which lanes are counted.
    let register_factor = (candidate.backend.register() / 16) as u16;
    let default = default_lanes(body);
    let mut lane_counts = vec![default * register_factor];
    // Large bodies are widened for one number of lanes only.
    let is_large = body.size() > MAX_BODY_SIZE;
    if !is_large && body.instructions().any(|inst| is_byte_access(body, inst)) {
        // More lanes would need four registers for floats.
        lane_counts.push(MIN_BYTE_LANES * register_factor.min(2));
    }
    for lanes in &mut lane_counts {
        *lanes = candidate.row_length.map_or(*lanes, |row| fit_to_row(*lanes, row));
    }
    lane_counts.dedup();
    lane_counts.retain(|&lanes| lanes > 1);
    // Fewer lanes than fill one register need as many registers. Bytes are computed with as words.
    let min_lanes = register_factor * default.min(8) / 2;
    let divides_row = |lanes: u16| candidate.row_length.is_none_or(|row| row.is_multiple_of(lanes.into()));
    let scalarized = ScalarizedBody::new(body, candidate.debugging)?;
    let mut cheapest: Result<LaneTrial, Refusal> = Err(Refusal::Unprofitable);
    let (mut at, mut reads_many_lines) = (0, false);
    while let Some(&lanes) = lane_counts.get(at) {
        at += 1;
        let is_first = at == 1;
        match (widen_scalarized(&scalarized, candidate.options(lanes), callees), &cheapest) {
            (Ok((all, frequencies)), _) => {
                let cost = estimate(&all, &frequencies, candidate.backend, callees);
                let Cost { work, recurrence_stall, spills_worst_case, .. } = cost;
                let is_last = at == lane_counts.len();
                let doubled = lanes * 2;
                reads_many_lines |= is_first && self::reads_many_lines(&all, &frequencies);
                if is_last
                    && (spills_worst_case * 8 > work || is_first && reads_many_lines)
                    && lanes > min_lanes
                {
                    // Fewer lanes need fewer registers, and read less of each array at once.
                    lane_counts.push(lanes / 2);
                } else if is_first
                    && recurrence_stall * 16 > work
                    && doubled <= MAX_LANES
                    && divides_row(doubled)
                {
                    // More lanes hide the latency of loop-carried dependences.
                    lane_counts.push(doubled);
                }
                let hoisted =
                    hoisted_cost(&all, &candidate.varying_params(lanes), candidate.backend, &frequencies);
                let trial = LaneTrial { all, frequencies, lanes, cost, hoisted };
                let is_fewer = cheapest.as_ref().is_ok_and(|cheapest| lanes < cheapest.lanes);
                let percent = match (reads_many_lines, is_fewer) {
                    (true, _) => 150,
                    (false, true) => MAX_PERCENT_OF_MORE_LANES,
                    (false, false) => 100,
                };
                let is_faster = |cheapest| trial.is_faster(cheapest, percent, candidate.backend);
                if cheapest.as_ref().map_or(true, is_faster) {
                    cheapest = Ok(trial);
                }
            }
            (Err(reason), Err(_)) => cheapest = Err(reason),
            (Err(_), Ok(_)) => {}
        }
    }
    cheapest
}

/// Limit of cache lines that the loads of an iteration touch. Above it, fewer lanes are preferred even if they
/// seem to take up to half longer: processors prefetch many streams, but not long sections of all of them.
// Source: mixbench (32 Mi floats, 16 products for each of eight numbers) and clpeak's bandwidths, 2026-11-28.
const MAX_LINES_PER_ITERATION: u64 = 15;

/// Checks whether the loads of an iteration touch more cache lines than processors prefetch well.
pub(super) fn reads_many_lines(func: &Function, frequencies: &BlockFrequencies) -> bool {
    lines_per_iteration(func, frequencies) > MAX_LINES_PER_ITERATION
}

/// Returns the number of cache lines that the loads of an iteration touch, in the loop with most of them.
fn lines_per_iteration(func: &Function, frequencies: &BlockFrequencies) -> u64 {
    let loops = Analyses::default().loops(func);
    let mut loop_lines: FastMap<Option<LoopId>, u64> = FastMap::default();
    for &block in func.layout.iter().filter(|block| !frequencies.cold.contains(block)) {
        let insts = func.blocks[block].insts.iter().map(|&id| &func.insts[id]);
        let of_buffers = insts.filter(|inst| inst.op == Op::Load && is_buffer_access(func, inst));
        let lines = of_buffers.map(|inst| u64::from(inst.ty.bytes() / 64));
        *loop_lines.entry(loops.of(block)).or_default() += lines.sum::<u64>();
    }
    loop_lines.into_values().max().unwrap_or(0)
}

pub(super) fn is_buffer_access(func: &Function, inst: &Inst) -> bool {
    matches!(func.ty(inst.args[0]).kind, Kind::PtrGlobal | Kind::PtrConstant)
}

/// A widened function and the execution frequencies of its blocks.
type Widened = (Function, BlockFrequencies);

/// Returns the masked body, if one is needed. It is optional unless lanes in the middle of a row may be
/// inactive.
fn masked_body(
    candidate: &Candidate<'_>,
    options: WidenOptions,
    callees: &mut Callees,
) -> Result<Option<Widened>, Refusal> {
    if !candidate.needs_masked_body {
        return Ok(None);
    }
    match widen_bounded(&predicated(candidate.body), options, callees) {
        Ok(masked) => Ok(Some(masked)),
        Err(reason) if candidate.has_inactive_lanes => Err(reason),
        Err(_) => Ok(None),
    }
}

/// Widens a body and bounds the size of the code, to which instructions that are repeated for each lane add up.
pub(super) fn widen_bounded(
    body: &Function,
    options: WidenOptions,
    callees: &mut Callees,
) -> Result<Widened, Refusal> {
    widen_scalarized(&ScalarizedBody::new(body, options.debugging)?, options, callees)
}

pub(super) fn widen_scalarized(
    body: &ScalarizedBody,
    options: WidenOptions,
    callees: &mut Callees,
) -> Result<Widened, Refusal> {
    let (wide, frequencies) = widen_body(body, options, callees)?;
    let code: u64 = wide.instructions().map(|inst| inst_cost(&wide, inst, options.backend)).sum();
    let limit = if options.may_wait { MAX_SUB_GROUP_CODE_COST } else { MAX_CODE_COST };
    if code > limit { Err(Refusal::Size) } else { Ok((wide, frequencies)) }
}

/// Checks whether a body that stays scalar is widened once the kernel tiers up.
fn is_deferred_by_size(body: &Function) -> bool {
    (MAX_BODY_SIZE + 1..=MAX_TIERED_UP_BODY_SIZE).contains(&body.size()) && !fills_registers(body)
}

/// Checks whether most of a large body operates on OpenCL vectors that fill registers already.
fn fills_registers(body: &Function) -> bool {
    let is_full = |inst: &&Inst| inst.ty.is_vector() && inst.ty.bits().is_multiple_of(128);
    body.size() > MAX_VECTOR_BODY_SIZE && body.instructions().filter(is_full).count() * 2 > body.size()
}

/// Returns fewer lanes if these divide the row and more do not, or if the row is shorter.
fn fit_to_row(lanes: u16, row: u32) -> u16 {
    let divides = |&lanes: &u16| row.is_multiple_of(lanes.into());
    let limit = u16::try_from(1u32 << row.max(1).ilog2()).map_or(lanes, |limit| lanes.min(limit));
    [lanes, lanes / 2].into_iter().find(divides).unwrap_or(limit)
}

/// Number of bytes in a register: fewer are expensive to load and to store.
// Source: the size of an SSE register in bytes.
const MIN_BYTE_LANES: u16 = 16;

fn is_byte_access(body: &Function, inst: &Inst) -> bool {
    let ty = match inst.op {
        Op::Load => inst.ty,
        Op::Store => body.ty(inst.args[1]),
        _ => return false,
    };
    ty.kind == Kind::I8 && body.ty(inst.args[0]).kind != Kind::PtrPrivate
}

/// Returns the lanes that fill two registers of the prevalent type; one register of bytes if most accesses are
/// to bytes.
pub(super) fn default_lanes(body: &Function) -> u16 {
    let mut bytes = [0u64; 4];
    let (mut narrow, mut other) = (0, 0);
    for inst in body.instructions() {
        let ty = inst.args.last().map_or(inst.ty, |&arg| body.ty(arg));
        let is_work = ty.kind.is_float() || inst.op.effect() != Effect::Pure;
        if is_work && ty.kind.bytes().is_power_of_two() && !ty.kind.is_ptr() {
            bytes[ty.kind.bytes().trailing_zeros() as usize] += 1;
        }
        let touched = if inst.op == Op::Load { inst.ty } else { ty };
        if matches!(inst.op, Op::Load | Op::Store) && touched.kind.bytes() == 1 {
            narrow += 1;
        } else if matches!(inst.op, Op::Load | Op::Store) || ty.kind.is_float() {
            other += 1;
        }
    }
    match bytes {
        _ if narrow > other => 16,
        [_, _, words, long_words] if long_words > words => 4,
        _ => 8,
    }
}

/// Limit of the cost of a function, which leaves room for a factor for the number of lanes.
// Arbitrary.
const MAX_COST: u64 = 1 << 50;

/// Estimated cost of a function, in issue slots.
struct Cost {
    /// Instructions weighted by execution frequency, without rarely executed blocks.
    work: u64,
    /// Issue slots lost to loop-carried latency.
    recurrence_stall: u64,
    /// Spills and reloads.
    spills: u64,
    /// Spill cost in the worst case, if every value defined at full pressure is spilled; 0 if pressure never
    /// exceeds the register file.
    spills_worst_case: u64,
    /// Issue slots lost to latency inside of long blocks.
    block_stalls: u64,
    /// Part of the work that fills vector registers.
    vector_work: u64,
}

impl Cost {
    fn total(&self) -> u64 {
        self.work + self.recurrence_stall + self.spills
    }
}

pub(super) fn total_cost(
    func: &Function,
    frequencies: &BlockFrequencies,
    backend: Backend,
    callees: &Callees,
) -> u64 {
    estimate(func, frequencies, backend, callees).total()
}

/// Pair of versions that the cost model compares.
#[derive(Clone, Copy, PartialEq, Eq)]
enum CostModel {
    /// Vectors with more lanes and with fewer.
    Vectors,
    /// Two unrolled-and-jammed work-items and one: only spills and stalls differ.
    UnrollAndJam,
}

/// Weights of the blocks of a function by how often they are executed.
pub(super) struct BlockWeights<'f> {
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
fn estimate(func: &Function, frequencies: &BlockFrequencies, backend: Backend, callees: &Callees) -> Cost {
    estimate_by(CostModel::Vectors, func, frequencies, backend, callees)
}

fn estimate_by(
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
fn hoisted_cost(func: &Function, varying: &[usize], backend: Backend, frequencies: &BlockFrequencies) -> u64 {
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
