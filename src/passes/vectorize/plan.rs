//! Vectorization plan: decides for how many lanes a body is widened, if at all.

use super::super::Forced;
use super::super::pass_manager::PassContext;
use super::super::scalar::compare_vectorize;
use super::super::work_items::{Candidate, VectorPlan, Wide, predicated};
use super::calls::vectorized_functions::Callees;
use super::cost::estimate::{Cost, CostModel, MAX_COST, estimate, estimate_by, hoisted_cost, total_cost};
use super::cost::instruction::inst_cost;
use super::cost::throughput;
use super::versioning::guards;
use super::widen::BlockFrequencies;
use super::{Refusal, ScalarizedBody, WidenOptions, divergent_branch, row_jam, unroll_and_jam, widen_body};
use grus_ir::abi::Tier;
use grus_ir::analysis::{Analyses, LoopId};
use grus_ir::{Effect, Function, Inst, Kind, Op};
use grus_support::target::Backend;
use grus_support::timing;
use grus_support::{FastMap, FastSet};

/// Limit of instructions of a body that is widened, since compilation takes several times as long.
// Arbitrary.
pub(super) const MAX_BODY_SIZE: usize = 3_000;

/// Limit of instructions of a body of a kernel that has tiered up.
// Source: mandelbulber2's fractal3D has up to 17,000, which take 0.2 s in the background, 2026-12-01.
const MAX_TIERED_UP_BODY_SIZE: usize = 30_000;

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
    let is_free = forced.lanes.is_none();
    let LanePlan { chosen, next_tier } = match forced.lanes {
        Some(lanes) => LanePlan { chosen: forced_lanes(&candidate, lanes, forced, callees), next_tier: None },
        None => plan_lanes(&candidate, forced, callees),
    };
    let may_jam = chosen.is_err() && (forced.interleaved || is_free);
    let mut jammed = if may_jam {
        plan_unroll_and_jam(&candidate, forced.interleaved, callees)
    } else {
        VectorPlan::default()
    };
    let is_deferred =
        chosen.is_err() && is_free && candidate.tier == Tier::Quick && is_deferred_by_size(candidate.body);
    if jammed.wide.is_none() && is_deferred {
        jammed.next_tier = Some(Tier::Optimized);
    }
    let next_tier = jammed.next_tier.or(next_tier);
    timing::note("lanes", || {
        let rows = if candidate.has_linear_ids { " of several rows" } else { "" };
        let name = &candidate.body.name;
        let chosen = match (&chosen, &jammed.wide) {
            (Ok(wide), _) => {
                let jammed = wide.jammed_rows.as_ref();
                let together = jammed.map(|jammed| format!(", {} rows together", jammed.rows));
                format!("{} lanes{rows}{}", wide.lanes, together.unwrap_or_default())
            }
            (Err(reason), Some(wide)) => {
                format!("one lane, {} work-items interleaved ({reason})", wide.lanes)
            }
            (Err(reason), None) => format!("one lane{rows} ({reason})"),
        };
        let next = match next_tier {
            Some(Tier::Optimized) => ", perhaps more if launches take long",
            Some(Tier::OtherLanes) => ", perhaps others if launches take long",
            Some(Tier::Quick | Tier::HalfLanes) | None => "",
        };
        format!("{name}: {chosen}{next}")
    });
    VectorPlan { wide: chosen.ok().or(jammed.wide), next_tier }
}

/// Returns the body for two work-items, unrolled and jammed; the scalar one if that is impossible or gains
/// little.
fn plan_unroll_and_jam(candidate: &Candidate<'_>, is_forced: bool, callees: &Callees) -> VectorPlan {
    let &Candidate { body, backend, row_length, .. } = candidate;
    let scalar = VectorPlan::default();
    let items = unroll_and_jam::ITEMS;
    let can_jam = !candidate.has_inactive_lanes
        && !candidate.has_linear_ids
        && candidate.record.is_none()
        && candidate.private_size == 0
        && row_length.is_none_or(|length| length >= items.into());
    if !can_jam || body.size() > MAX_BODY_SIZE {
        return scalar;
    }
    // Comparisons lane by lane become one vector comparison first.
    let mut body = body.clone();
    compare_vectorize::run(&mut body, &mut PassContext::standalone(candidate.debugging));
    let mut analyses = Analyses::default();
    let Some(steps) = unroll_and_jam::steps_in_row(&body) else { return scalar };
    let Some(pair) = divergent_branch::find(&body, &steps, &FastSet::default(), &mut analyses) else {
        return scalar;
    };
    if !is_forced && candidate.tier == Tier::Quick && pair.copied > guards::MAX_COPIED_SIZE {
        return VectorPlan { next_tier: Some(Tier::Optimized), ..scalar };
    }
    let unroll_and_jam::Jammed { func: all, cold, rare, .. } =
        unroll_and_jam::jam(&body, &steps, &pair, &mut analyses);
    let [jammed_frequencies, scalar_frequencies] =
        [cold, rare].map(|cold| BlockFrequencies { cold, ..BlockFrequencies::default() });
    let scalar_cost = estimate_by(CostModel::UnrollAndJam, &body, &scalar_frequencies, backend, callees);
    let jammed_cost = estimate_by(CostModel::UnrollAndJam, &all, &jammed_frequencies, backend, callees);
    if !is_forced
        && !is_profitable(jammed_cost.with_block_stalls(true), scalar_cost.with_block_stalls(true), items)
    {
        return scalar;
    }
    let hoisted = hoisted_cost(&all, &candidate.varying_params(items), backend, &jammed_frequencies);
    let cost = jammed_cost.total().saturating_sub(hoisted);
    let wide = Wide { lanes: items, cost, unmasked: all, masked: None, jammed_rows: None };
    VectorPlan { wide: Some(wide), next_tier: None }
}

/// Checks whether `items` work-items take less time together than one by one, by at least 15 %: less is not
/// worth the code.
// Arbitrary.
pub(super) fn is_profitable(wide_cost: u64, scalar_cost: u64, items: u16) -> bool {
    wide_cost * 20 < scalar_cost * u64::from(items) * 17
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
        if self.tier == Tier::Quick { MAX_BODY_SIZE } else { MAX_TIERED_UP_BODY_SIZE }
    }

    fn options(&self, lanes: u16) -> WidenOptions {
        let &Candidate { record, segment_lanes, backend, debugging, .. } = self;
        WidenOptions { lanes, record, segment_lanes, may_wait: false, is_forced: false, backend, debugging }
    }
}

/// Returns the body for a number of lanes.
fn forced_lanes(
    candidate: &Candidate<'_>,
    lanes: u16,
    forced: Forced,
    callees: &mut Callees,
) -> Result<Wide, Refusal> {
    if candidate.private_size > MAX_PRIVATE_BYTES {
        return Err(Refusal::PrivateMemory);
    }
    if lanes == 1 {
        return Err(Refusal::Forced);
    }
    callees.estimate_costs(candidate.backend);
    let options = WidenOptions { is_forced: true, ..candidate.options(lanes) };
    let (all, frequencies) = widen_bounded(candidate.body, options, callees)?;
    let masked = masked_body(candidate, options, callees)?.map(|(masked, _)| masked);
    let jammed = if forced.interleaved { row_jam::run(candidate, &all, &frequencies, true) } else { None };
    let jammed_rows = jammed.map(|jam| jam.jammed);
    Ok(Wide { lanes, cost: MAX_COST, unmasked: all, masked, jammed_rows })
}

/// Body for the number of lanes that a tier asks for, or the reason why the body stays scalar.
struct LanePlan {
    chosen: Result<Wide, Refusal>,
    /// Next tier with another number of lanes, which may be faster.
    next_tier: Option<Tier>,
}

impl LanePlan {
    fn scalar(reason: Refusal, next_tier: Option<Tier>) -> LanePlan {
        LanePlan { chosen: Err(reason), next_tier }
    }
}

/// Factor up to which the estimated costs of a scalar and a widened body may be wrong.
// Source: FinanceBench's Monte-Carlo kernel and others that docs/performance.md names, 2026-12-01.
const MAX_COST_ERROR: u64 = 3;

/// Chooses the number of lanes that seems best, or that is to be tried instead of it.
fn plan_lanes(candidate: &Candidate<'_>, forced: Forced, callees: &mut Callees) -> LanePlan {
    let body = candidate.body;
    if candidate.private_size > MAX_PRIVATE_BYTES {
        return LanePlan::scalar(Refusal::PrivateMemory, None);
    }
    if body.size() > MAX_TIERED_UP_BODY_SIZE {
        return LanePlan::scalar(Refusal::Size, None);
    }
    let tries_others = candidate.tier >= Tier::OtherLanes;
    let fills_registers = fills_registers(body);
    if !tries_others && (fills_registers || body.size() > candidate.max_body_size()) {
        return LanePlan::scalar(Refusal::Size, fills_registers.then_some(Tier::OtherLanes));
    }
    callees.estimate_costs(candidate.backend);
    let scalar_cost = estimate(body, &BlockFrequencies::default(), candidate.backend, callees);
    // Widening would multiply code and live values of a large body, and probably speed up only its scalar part.
    let is_large = fills_registers
        || body.size() > MAX_VECTOR_BODY_SIZE && scalar_cost.vector_work * 2 > scalar_cost.work;
    if is_large && !tries_others {
        return LanePlan::scalar(Refusal::Size, Some(Tier::OtherLanes));
    }
    let trial = match cheapest_trial(candidate, callees) {
        Ok(trial) => trial,
        Err(reason) => return LanePlan::scalar(reason, None),
    };
    let (seems_better, is_close) = compare(candidate, &trial, &scalar_cost);
    let is_better = seems_better && !is_large;
    let is_uncertain = is_close || is_large;
    let can_halve = candidate.backend != Backend::Cranelift && trial.lanes >= MIN_LANES_TO_HALVE;
    let next_tier = if is_uncertain && candidate.tier < Tier::OtherLanes {
        Some(Tier::OtherLanes)
    } else {
        let halves = (is_uncertain || is_better) && can_halve && candidate.tier < Tier::HalfLanes;
        halves.then_some(Tier::HalfLanes)
    };
    let is_wide = match candidate.tier {
        Tier::OtherLanes if is_uncertain => !is_better,
        Tier::HalfLanes => is_better || is_uncertain,
        Tier::Quick | Tier::Optimized | Tier::OtherLanes => is_better,
    };
    if !is_wide {
        return LanePlan::scalar(Refusal::Unprofitable, next_tier);
    }
    let halves = candidate.tier == Tier::HalfLanes && can_halve;
    let trial = if halves { half_of(candidate, trial, callees) } else { trial };
    LanePlan { chosen: with_remainders(candidate, trial, &scalar_cost, forced, callees), next_tier }
}

/// Minimum number of lanes of which half are tried.
// Arbitrary.
const MIN_LANES_TO_HALVE: u16 = 8;

/// Returns the trial of half the lanes, or the given one if that is impossible.
fn half_of(candidate: &Candidate<'_>, trial: LaneTrial, callees: &mut Callees) -> LaneTrial {
    let half = ScalarizedBody::new(candidate.body, candidate.debugging)
        .and_then(|scalarized| LaneTrial::new(candidate, &scalarized, trial.lanes / 2, callees));
    half.unwrap_or(trial)
}

/// Checks whether the widened body is better than the scalar one, and whether that is uncertain.
fn compare(candidate: &Candidate<'_>, trial: &LaneTrial, scalar_cost: &Cost) -> (bool, bool) {
    let LaneTrial { all, frequencies, lanes, cost, .. } = trial;
    // Code that lacks registers cannot overlap other work with stalls.
    let has_registers = cost.spills_worst_case == 0;
    let wide_cost = cost.with_block_stalls(has_registers);
    let scalar_cost = scalar_cost.with_block_stalls(has_registers);
    let mut is_better = is_profitable(wide_cost, scalar_cost, *lanes);
    let mut is_possible = is_profitable(wide_cost / MAX_COST_ERROR, scalar_cost, *lanes);
    let is_certain = is_profitable(wide_cost.saturating_mul(MAX_COST_ERROR), scalar_cost, *lanes);
    if candidate.body.instructions().any(|inst| inst.ty.is_vector()) {
        // One by one, work-items with vectors of their own use the same units, and access what they load at once.
        let scalar_time = throughput::time(candidate.body, &BlockFrequencies::default(), candidate.backend);
        let wide_time = throughput::time(all, frequencies, candidate.backend);
        let of_lanes = scalar_time.saturating_mul((*lanes).into());
        is_better &= wide_time <= of_lanes;
        is_possible &= wide_time / MAX_COST_ERROR <= of_lanes;
    }
    (is_better, is_possible && !(is_better && is_certain))
}

/// Completes a widened body by what runs the remainders of rows, and by several rows together where that pays.
fn with_remainders(
    candidate: &Candidate<'_>,
    trial: LaneTrial,
    scalar_cost: &Cost,
    forced: Forced,
    callees: &mut Callees,
) -> Result<Wide, Refusal> {
    let LaneTrial { all, frequencies, lanes, cost: wide_cost, hoisted } = trial;
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
        let scalar_cost = scalar_cost.with_block_stalls(wide_cost.spills_worst_case == 0);
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
    /// Widens a body for so many lanes.
    fn new(
        candidate: &Candidate<'_>,
        scalarized: &ScalarizedBody,
        lanes: u16,
        callees: &mut Callees,
    ) -> Result<LaneTrial, Refusal> {
        let (all, frequencies) = widen_scalarized(scalarized, candidate.options(lanes), callees)?;
        let cost = estimate(&all, &frequencies, candidate.backend, callees);
        let hoisted = hoisted_cost(&all, &candidate.varying_params(lanes), candidate.backend, &frequencies);
        Ok(LaneTrial { all, frequencies, lanes, cost, hoisted })
    }

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
        match (LaneTrial::new(candidate, &scalarized, lanes, callees), &cheapest) {
            (Ok(trial), _) => {
                let Cost { work, recurrence_stall, spills_worst_case, .. } = trial.cost;
                let is_last = at == lane_counts.len();
                let doubled = lanes * 2;
                reads_many_lines |= is_first && self::reads_many_lines(&trial.all, &trial.frequencies);
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
            (Err(reason), Err(_)) => {
                if reason == Refusal::Size && is_first && lanes > min_lanes {
                    lane_counts = vec![lanes / 2];
                    at = 0;
                }
                cheapest = Err(reason);
            }
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
