//! Vectorization plan: decides for how many lanes a body is widened, if at all.

use super::super::Forced;
use super::super::pass_manager::PassContext;
use super::super::scalar::{compare_vectorize, cost};
use super::super::workgroup::{Candidate, Choice, Wide, optional};
use super::calls::vectorized_functions::Callees;
use super::cost::access_streams::Walks;
use super::cost::{latency, pressure};
use super::versioning::guards;
use super::widen::Frequencies;
use super::{Asked, Refusal, Scalarised, divergent_branch, unroll_and_jam, widened};
use crate::ir::analysis::{Analyses, LoopId};
use crate::ir::{Class, Effect, Function, Inst, IntBinary, Kind, MemoryOp, Op, Type};
use crate::support::environment::environment;
use crate::support::target::Backend;
use crate::support::timing;
use crate::support::{FastMap, IdMap};

/// Limit of instructions of a body that is widened, since compilation takes several times as long.
// Arbitrary.
pub(super) const MOST_SIZE: usize = 3_000;

/// Limit of instructions of a body of a kernel that has tiered up.
// Arbitrary.
const MOST_SIZE_IF_HOT: usize = 12_000;

/// Limit of instructions of a body most of whose work is on OpenCL vectors that fill registers already.
// Arbitrary.
const MOST_SIZE_OF_VECTORS: usize = 800;

/// Limit of the bytes of private objects outside of the stack for each lane.
// Arbitrary.
const MOST_PRIVATE: u64 = 64 << 10;

/// Limit of the estimated instructions of a widened body.
// Arbitrary.
const MOST_CODE: u64 = 60_000;

/// Limit of lanes.
pub const MOST_LANES: u16 = 64;

/// Returns the body for the best number of lanes, or for the forced one; a body for two work-items by
/// unroll-and-jam if that is better.
pub fn choose(candidate: Candidate<'_>, forced: Forced, callees: &mut Callees) -> Choice {
    let lanes = forced.lanes.or(environment().lanes);
    let chosen = best(&candidate, lanes, callees);
    let may_jam = chosen.is_err() && (forced.interleaved || lanes.is_none());
    let mut other = if may_jam { interleaved(&candidate, forced.interleaved, callees) } else { Choice::One };
    let is_left = chosen.is_err() && lanes.is_none() && !candidate.is_tiered_up && is_large(candidate.body);
    if matches!(other, Choice::One) && is_left {
        other = Choice::Later;
    }
    timing::note("lanes", || {
        let rows = if candidate.is_folded { " of several rows" } else { "" };
        let name = &candidate.body.name;
        match (&chosen, &other) {
            (Ok(wide), _) => format!("{name}: {} lanes{rows}", wide.lanes),
            (Err(why), Choice::Wide(wide)) => format!("{name}: {} items by turns ({why})", wide.lanes),
            (Err(why), Choice::One) => format!("{name}: one lane{rows} ({why})"),
            (Err(why), Choice::Later) => {
                format!("{name}: one lane{rows} until launches have taken long ({why})")
            }
        }
    });
    chosen.map_or(other, |wide| Choice::Wide(Box::new(wide)))
}

/// Returns the body for two work-items, unrolled and jammed; the scalar one if that is impossible or gains
/// little.
fn interleaved(candidate: &Candidate<'_>, is_forced: bool, callees: &Callees) -> Choice {
    let &Candidate { body, backend, row, .. } = candidate;
    let items = unroll_and_jam::ITEMS;
    let may_be = !candidate.has_gaps
        && !candidate.is_folded
        && candidate.record.is_none()
        && candidate.private_size == 0
        && row.is_none_or(|row| row >= items.into());
    if !may_be || body.size() > MOST_SIZE {
        return Choice::One;
    }
    // Comparisons lane by lane become one vector comparison first.
    let mut body = body.clone();
    compare_vectorize::run(&mut body, &mut PassContext::alone());
    let mut analyses = Analyses::default();
    let Some(parts) = divergent_branch::parts(&body, &mut analyses) else { return Choice::One };
    if !is_forced && !candidate.is_tiered_up && parts.copied > guards::MOST {
        return Choice::Later;
    }
    let Some(unroll_and_jam::Jammed { func: all, cold, rare }) =
        unroll_and_jam::jam(&body, &parts, &mut analyses)
    else {
        return Choice::One;
    };
    let [of_all, of_one] = [cold, rare].map(|cold| Frequencies { cold, ..Frequencies::default() });
    let one = times_by(Model::Turns, &body, &of_one, backend, callees);
    let both = times_by(Model::Turns, &all, &of_all, backend, callees);
    if !is_forced && !gains(waited(&both, true), waited(&one, true), items) {
        return Choice::One;
    }
    let outside = invariant(&all, &candidate.turning(items), backend, &of_all);
    let time = both.sum().saturating_sub(outside);
    Choice::Wide(Box::new(Wide { lanes: items, time, all, some: None }))
}

/// Checks whether `items` work-items take less time together than one by one, by at least 15 %: less is not
/// worth the code.
// Arbitrary.
pub(super) fn gains(together: u64, one: u64, items: u16) -> bool {
    together * 20 < one * u64::from(items) * 17
}

/// Returns the cost including stalls in long blocks, if there are registers for other work during the stalls.
fn waited(time: &Cost, has_room: bool) -> u64 {
    time.sum() + if has_room { time.ways } else { 0 }
}

/// Returns the bodies for the lanes of a sub-group: an unmasked one, and a masked one, since the last sub-group
/// of a work-group may be smaller.
///
/// # Errors
/// The reason why the body cannot be widened.
pub fn sub_group(candidate: &Candidate<'_>, lanes: u16, callees: &mut Callees) -> Result<Wide, Refusal> {
    if candidate.private_size > MOST_PRIVATE {
        return Err(Refusal::Private);
    }
    callees.look(candidate.backend);
    let asked = Asked { may_wait: true, ..candidate.asked(lanes) };
    let (all, _) = bounded(candidate.body, asked, callees)?;
    let (some, _) = bounded(&optional(candidate.body), asked, callees)?;
    Ok(Wide { lanes, time: MOST_TIME, all, some: Some(some) })
}

/// Checks whether it is uncertain that a kernel can have sub-groups of this size. Small kernels with reducible
/// control flow can.
pub fn may_lack_sub_groups(kernel: &Function, private_size: u64, lanes: u16) -> bool {
    // A vector instruction costs less than one instruction for each lane, with few exceptions.
    private_size > MOST_PRIVATE
        || kernel.size() as u64 * u64::from(lanes) > MOST_CODE
        || kernel.instructions().any(|inst| inst.op == Op::Call)
        || !Analyses::default().loops(kernel).is_reducible()
}

impl Candidate<'_> {
    /// Returns the parameters that vary in the loop over rows, or also in the loop over work-items if it has
    /// several iterations.
    fn turning(&self, lanes: u16) -> Vec<usize> {
        let [items, rows] = &self.turning;
        let takes_one = self.row.is_some_and(|row| row <= u32::from(lanes));
        if takes_one { rows.clone() } else { [items.as_slice(), rows].concat() }
    }

    fn most_size(&self) -> usize {
        if self.is_tiered_up { MOST_SIZE_IF_HOT } else { MOST_SIZE }
    }

    fn asked(&self, lanes: u16) -> Asked {
        let &Candidate { record, piece, backend, .. } = self;
        Asked { lanes, record, piece, may_wait: false, is_forced: false, backend }
    }
}

fn best(candidate: &Candidate<'_>, lanes: Option<u16>, callees: &mut Callees) -> Result<Wide, Refusal> {
    let body = candidate.body;
    if candidate.private_size > MOST_PRIVATE {
        return Err(Refusal::Private);
    }
    if let Some(lanes) = lanes {
        if lanes == 1 {
            return Err(Refusal::Gain);
        }
        callees.look(candidate.backend);
        let asked = Asked { is_forced: true, ..candidate.asked(lanes) };
        let (all, _) = bounded(body, asked, callees)?;
        let some = some(candidate, asked, callees)?.map(|(some, _)| some);
        return Ok(Wide { lanes, time: MOST_TIME, all, some });
    }
    if body.size() > candidate.most_size() || has_full_registers(body) {
        return Err(Refusal::Size);
    }
    callees.look(candidate.backend);
    let one = times(body, &Frequencies::default(), candidate.backend, callees);
    // Widening would multiply code and live values of a large body, and speed up only its scalar part.
    if body.size() > MOST_SIZE_OF_VECTORS && one.full * 2 > one.work {
        return Err(Refusal::Size);
    }
    let Tried { all, lanes, time: together, outside } = fastest(candidate, callees)?;
    // Code that lacks registers cannot overlap other work with stalls.
    let has_room = together.tight == 0;
    let one = waited(&one, has_room);
    if !gains(waited(&together, has_room), one, lanes) {
        return Err(Refusal::Gain);
    }
    let in_turns = together.sum().saturating_sub(outside);
    let is_whole = candidate.row.is_some_and(|row| row.is_multiple_of(lanes.into()));
    if is_whole && !candidate.has_gaps {
        return Ok(Wide { lanes, time: in_turns, all, some: None });
    }
    let mut some = some(candidate, candidate.asked(lanes), callees)?;
    if !candidate.has_gaps {
        // On average, half of the lanes of a remainder are active.
        some = some.filter(|(some, frequencies)| {
            time(some, frequencies, candidate.backend, callees) * 2 < one * u64::from(lanes)
        });
    }
    Ok(Wide { lanes, time: in_turns, all, some: some.map(|(some, _)| some) })
}

/// A widened body and its cost.
struct Tried {
    all: Function,
    lanes: u16,
    time: Cost,
    /// Part of the cost that is hoisted out of the loop over rows.
    outside: u64,
}

impl Tried {
    /// Returns the cost per vector, in which the part before the loop over rows is shared by the work-items of
    /// a work-group.
    fn of_all(&self, backend: Backend) -> u64 {
        /// Assumed size of a work-group.
        // Arbitrary.
        const ITEMS: u64 = 64;
        if backend == Backend::Cranelift {
            return self.time.sum();
        }
        let once = self.outside.min(self.time.work);
        self.time.sum() - once + once * u64::from(self.lanes).min(ITEMS) / ITEMS
    }

    /// Checks whether a work-item takes less than this percentage of its time with the other number of lanes.
    fn is_faster(&self, other: &Tried, percent: u64, backend: Backend) -> bool {
        let [one, by_other] = [(self, other), (other, self)]
            .map(|(these, by)| these.of_all(backend).saturating_mul(by.lanes.into()));
        one.saturating_mul(100) < by_other.saturating_mul(percent)
    }
}

/// Widens a body for several numbers of lanes and returns the one with the least time per work-item.
fn fastest(candidate: &Candidate<'_>, callees: &mut Callees) -> Result<Tried, Refusal> {
    let body = candidate.body;
    // Factor by which the registers are larger than those of 128 bits, for which lanes are counted.
    let larger = (candidate.backend.register() / 16) as u16;
    let usual = lanes_of(body);
    let mut widths = vec![usual * larger];
    // Large bodies are widened for one number of lanes only.
    let is_large = body.size() > MOST_SIZE;
    if !is_large && body.instructions().any(|inst| is_of_bytes(body, inst)) {
        // More lanes would need four registers for floats.
        widths.push(BYTES * larger.min(2));
    }
    for lanes in &mut widths {
        *lanes = candidate.row.map_or(*lanes, |row| fitting(*lanes, row));
    }
    widths.dedup();
    widths.retain(|&lanes| lanes > 1);
    // Fewer lanes than fill one register need as many registers. Bytes are computed with as words.
    let fill_one = larger * usual.min(8) / 2;
    let has_room = |lanes: u16| candidate.row.is_none_or(|row| row.is_multiple_of(lanes.into()));
    let scalarised = Scalarised::new(body)?;
    let mut best: Result<Tried, Refusal> = Err(Refusal::Gain);
    let (mut at, mut is_crowded) = (0, false);
    while let Some(&lanes) = widths.get(at) {
        at += 1;
        let is_first = at == 1;
        match (bounded_of(&scalarised, candidate.asked(lanes), callees), &best) {
            (Ok((all, frequencies)), _) => {
                let time = times(&all, &frequencies, candidate.backend, callees);
                let Cost { work, waits, tight, .. } = time;
                let is_last = at == widths.len();
                let twice = lanes * 2;
                is_crowded |= is_first && lines_in_a_turn(&all, &frequencies) > MOST_LINES;
                if is_last && (tight * 8 > work || is_first && is_crowded) && lanes > fill_one {
                    // Fewer lanes need fewer registers, and read less of each array at once.
                    widths.push(lanes / 2);
                } else if is_first && waits * 16 > work && twice <= MOST_LANES && has_room(twice) {
                    // More lanes hide the latency of loop-carried dependences.
                    widths.push(twice);
                }
                let outside = invariant(&all, &candidate.turning(lanes), candidate.backend, &frequencies);
                let tried = Tried { all, lanes, time, outside };
                let percent = if is_crowded { 150 } else { 100 };
                let is_faster = |best| tried.is_faster(best, percent, candidate.backend);
                if best.as_ref().map_or(true, is_faster) {
                    best = Ok(tried);
                }
            }
            (Err(why), Err(_)) => best = Err(why),
            (Err(_), Ok(_)) => {}
        }
    }
    best
}

/// Limit of cache lines that the loads of an iteration touch. Above it, fewer lanes are preferred even if they
/// seem to take up to half longer: processors prefetch many streams, but not long pieces of all of them.
// Source: mixbench (32 Mi floats, 16 products for each of eight numbers) and clpeak's bandwidths, 2026-11-28.
const MOST_LINES: u64 = 15;

/// Returns the number of cache lines that the loads of an iteration touch, in the loop with most of them.
fn lines_in_a_turn(func: &Function, frequencies: &Frequencies) -> u64 {
    let loops = Analyses::default().loops(func);
    let mut of_loop: FastMap<Option<LoopId>, u64> = FastMap::default();
    for &block in func.layout.iter().filter(|block| !frequencies.cold.contains(block)) {
        let insts = func.blocks[block].insts.iter().map(|&id| &func.insts[id]);
        let of_buffers = insts.filter(|inst| inst.op == Op::Load && is_of_buffer(func, inst));
        let lines = of_buffers.map(|inst| u64::from(inst.ty.bytes() / 64));
        *of_loop.entry(loops.of(block)).or_default() += lines.sum::<u64>();
    }
    of_loop.into_values().max().unwrap_or(0)
}

fn is_of_buffer(func: &Function, inst: &Inst) -> bool {
    matches!(func.ty(inst.args[0]).kind, Kind::PtrGlobal | Kind::PtrConstant)
}

/// A widened function and the execution frequencies of its blocks.
type Widened = (Function, Frequencies);

/// Returns the masked body, if one is needed. It is optional unless lanes in the middle of a row may be
/// inactive.
fn some(candidate: &Candidate<'_>, asked: Asked, callees: &mut Callees) -> Result<Option<Widened>, Refusal> {
    if !candidate.may_lack {
        return Ok(None);
    }
    match bounded(&optional(candidate.body), asked, callees) {
        Ok(some) => Ok(Some(some)),
        Err(why) if candidate.has_gaps => Err(why),
        Err(_) => Ok(None),
    }
}

/// Widens a body and bounds the size of the code, to which instructions that are repeated for each lane add up.
pub(super) fn bounded(body: &Function, asked: Asked, callees: &mut Callees) -> Result<Widened, Refusal> {
    bounded_of(&Scalarised::new(body)?, asked, callees)
}

fn bounded_of(body: &Scalarised, asked: Asked, callees: &mut Callees) -> Result<Widened, Refusal> {
    let (wide, frequencies) = widened(body, asked, callees)?;
    let code: u64 = wide.instructions().map(|inst| price(&wide, inst, asked.backend)).sum();
    if code > MOST_CODE { Err(Refusal::Size) } else { Ok((wide, frequencies)) }
}

/// Checks whether a body that stays scalar is widened once the kernel tiers up.
fn is_large(body: &Function) -> bool {
    (MOST_SIZE + 1..=MOST_SIZE_IF_HOT).contains(&body.size()) && !has_full_registers(body)
}

/// Checks whether most of a large body operates on OpenCL vectors that fill registers already.
fn has_full_registers(body: &Function) -> bool {
    let is_full = |inst: &&Inst| inst.ty.is_vector() && inst.ty.bits().is_multiple_of(128);
    body.size() > MOST_SIZE_OF_VECTORS && body.instructions().filter(is_full).count() * 2 > body.size()
}

/// Returns fewer lanes if these divide the row and more do not, or if the row is shorter.
fn fitting(lanes: u16, row: u32) -> u16 {
    let divides = |&lanes: &u16| row.is_multiple_of(lanes.into());
    let most = u16::try_from(1u32 << row.max(1).ilog2()).map_or(lanes, |most| lanes.min(most));
    [lanes, lanes / 2].into_iter().find(divides).unwrap_or(most)
}

/// Number of bytes in a register: fewer are expensive to load and to store.
const BYTES: u16 = 16;

fn is_of_bytes(body: &Function, inst: &Inst) -> bool {
    let ty = match inst.op {
        Op::Load => inst.ty,
        Op::Store => body.ty(inst.args[1]),
        _ => return false,
    };
    ty.kind == Kind::I8 && body.ty(inst.args[0]).kind != Kind::PtrPrivate
}

/// Returns the lanes that fill two registers of the prevalent type; one register of bytes if most accesses are
/// to bytes.
fn lanes_of(body: &Function) -> u16 {
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
        [_, _, words, longs] if longs > words => 4,
        _ => 8,
    }
}

/// Limit of the cost of a function, which leaves room for a factor for the number of lanes.
const MOST_TIME: u64 = 1 << 50;

/// Estimated cost of a function, in issue slots.
struct Cost {
    /// Instructions weighted by execution frequency, without rarely executed blocks.
    work: u64,
    /// Issue slots lost to loop-carried latency.
    waits: u64,
    /// Spills and reloads.
    spills: u64,
    /// Spill cost in the worst case, if every value defined at full pressure is spilled; 0 if pressure never
    /// exceeds the register file.
    tight: u64,
    /// Issue slots lost to latency inside of long blocks.
    ways: u64,
    /// Part of the work that fills vector registers.
    full: u64,
}

impl Cost {
    fn sum(&self) -> u64 {
        self.work + self.waits + self.spills
    }
}

pub(super) fn time(func: &Function, frequencies: &Frequencies, backend: Backend, callees: &Callees) -> u64 {
    times(func, frequencies, backend, callees).sum()
}

/// What the cost model compares.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Model {
    /// Vectors with more lanes and with fewer.
    Lanes,
    /// Two unrolled-and-jammed work-items and one: only spills and stalls differ.
    Turns,
}

/// Estimates the cost of a scalar or widened function. Iterations of a divergent loop count more often than
/// those of one lane.
fn times(func: &Function, frequencies: &Frequencies, backend: Backend, callees: &Callees) -> Cost {
    times_by(Model::Lanes, func, frequencies, backend, callees)
}

fn times_by(
    model: Model,
    func: &Function,
    frequencies: &Frequencies,
    backend: Backend,
    callees: &Callees,
) -> Cost {
    const TURNS: u64 = 8;
    const WAITING: u64 = 2;
    const DEEP: u32 = 6;
    // Scalar instructions that issue in parallel with one vector instruction.
    // Arbitrary.
    const SCALARS: u64 = 4;
    // Additional cost for each lane of an access that is a stream of its own.
    // Arbitrary.
    const WALK: u64 = 12;
    let mut analyses = Analyses::default();
    let loops = analyses.loops(func);
    let walks = Walks::new(func, &loops);
    let turns = |block| {
        if frequencies.cold.contains(&block) {
            return 0;
        }
        let around = loops.around(block).filter(|&id| frequencies.uneven.contains(&loops.get(id).header));
        // A divergent loop iterates until the last lane leaves.
        let waiting = if around.count() > 0 { WAITING } else { 1 };
        TURNS.pow(loops.depth(block).min(DEEP)) * waiting
    };
    let mut of_loop: IdMap<LoopId, u64> = IdMap::new(0);
    let (mut work, mut ways, mut full) = (0, 0u64, 0u64);
    let register = 8 * backend.register();
    let at_once = if model == Model::Lanes { in_a_cycle(backend) } else { side_by_side(func, backend) };
    for &block in &func.layout {
        let (mut vectors, mut scalars, mut fills) = (0, 0, 0);
        for inst in func.blocks[block].insts.iter().map(|&id| &func.insts[id]) {
            if inst.op == Op::Call {
                vectors += callees.time(inst.callee());
                continue;
            }
            let ty = largest(func, inst);
            let is_walk = model == Model::Lanes && walks.are(block, inst);
            let price = price(func, inst, backend) + if is_walk { WALK * u64::from(ty.lanes) } else { 0 };
            if ty.is_vector() {
                vectors += price;
                fills += if ty.bits().is_multiple_of(register) { price } else { 0 };
            } else {
                scalars += price;
            }
        }
        let in_turns = |price: u64| turns(block).saturating_mul(price);
        work = in_turns(vectors + scalars).saturating_add(work).min(MOST_TIME);
        full = in_turns(fills).saturating_add(full).min(MOST_TIME);
        let meanwhile = vectors + scalars / SCALARS;
        let is_long = vectors + scalars > latency::AHEAD;
        let way = if is_long { latency::way_through(func, block, backend.has_halves()) } else { 0 };
        let way = way * at_once;
        ways = in_turns(way.saturating_sub(meanwhile)).saturating_add(ways).min(MOST_TIME);
        if let Some(id) = loops.of(block) {
            of_loop[id] = in_turns(meanwhile).saturating_add(of_loop[id]).min(MOST_TIME);
        }
    }
    let cfg = analyses.cfg(func);
    let recurrences = latency::recurrences(func, &cfg, &loops, backend.has_halves());
    let waits = loops.ids().map(|id| {
        let header = loops.get(id).header;
        // Lanes of a divergent loop leave it in different iterations, which hides latency.
        let is_uneven = frequencies.uneven.contains(&header);
        let least = if is_uneven { 0 } else { recurrences[id] * in_a_cycle(backend) * turns(header) };
        least.saturating_sub(of_loop[id])
    });
    let tight = match model {
        Model::Lanes => pressure::spills(func, &cfg, backend, turns),
        Model::Turns => 0,
    };
    // `codegen/x64` decides itself which values are spilled.
    let spills = match model {
        Model::Lanes if tight == 0 || backend == Backend::Cranelift => tight,
        _ => pressure::reloads(func, &cfg, backend, turns).min(MOST_TIME),
    };
    Cost { work, waits: waits.sum(), spills, tight, ways, full }
}

/// Returns the cost of what is hoisted out of a loop in which these parameters vary: instructions that depend
/// on none of them, and loads of memory that is not written in the loop. `estimate` counts them in their
/// blocks.
fn invariant(func: &Function, turning: &[usize], backend: Backend, frequencies: &Frequencies) -> u64 {
    let mut analyses = Analyses::default();
    let (cfg, loops) = (analyses.cfg(func), analyses.loops(func));
    let written: Vec<Kind> = func
        .instructions()
        .filter(|inst| inst.op.effect() == Effect::Write && inst.op != Op::Alloca)
        .map(|inst| inst.args.first().map_or(Kind::PtrGeneric, |&to| func.ty(to).kind))
        .collect();
    let mut turns = IdMap::with_len(false, func.values.len());
    turning.iter().for_each(|&at| turns[func.params()[at]] = true);
    let mut outside = 0;
    for &block in cfg.rpo().iter().filter(|block| !frequencies.cold.contains(block)) {
        if block != func.entry() {
            func.blocks[block].params.iter().for_each(|&param| turns[param] = true);
        }
        for inst in func.blocks[block].insts.iter().map(|&id| &func.insts[id]) {
            let Some(result) = inst.result else { continue };
            let is_kept = match inst.op.effect() {
                Effect::Pure => true,
                Effect::Read if !inst.is_volatile() && inst.op != Op::Call => {
                    let kind = func.ty(inst.args[0]).kind;
                    written.iter().all(|&to| to != kind && to != Kind::PtrGeneric)
                }
                _ => false,
            };
            turns[result] = !is_kept || inst.args.iter().any(|&arg| turns[arg]);
            if !turns[result] && loops.depth(block) == 0 {
                outside += price(func, inst, backend);
            }
        }
    }
    outside
}

/// Returns the number of instructions on whole registers per cycle: those on the largest registers take twice
/// as long, or half as many are issued.
fn in_a_cycle(backend: Backend) -> u64 {
    if backend.has_masks() { 1 } else { 2 }
}

/// Returns the same number for prevalent integer code, of which processors with AVX2 issue more per cycle than
/// of float code.
fn side_by_side(func: &Function, backend: Backend) -> u64 {
    let of = |is_float: bool| {
        let is_vector = |inst: &&Inst| inst.ty.is_vector() && inst.ty.kind.is_float() == is_float;
        func.instructions().filter(is_vector).count()
    };
    in_a_cycle(backend) + u64::from(!backend.has_masks() && of(false) > of(true))
}

/// Returns the cost of an instruction.
fn price(func: &Function, inst: &Inst, backend: Backend) -> u64 {
    if is_of_address(func, inst) {
        return 0;
    }
    if backend == Backend::Cranelift {
        price_of_cranelift(func, inst)
    } else {
        price_of_wide(func, inst, backend)
    }
}

/// Checks whether an instruction becomes part of an address operand.
fn is_of_address(func: &Function, inst: &Inst) -> bool {
    let is_scale =
        || inst.args.get(1).and_then(|&by| func.as_const(by)).is_some_and(|by| matches!(by, 2 | 4 | 8));
    match inst.op {
        Op::PtrAdd => !inst.ty.is_vector(),
        Op::Imul => inst.ty == Type::I64 && is_scale(),
        _ => false,
    }
}

/// Returns the largest type of the operands and the result of an instruction.
fn largest(func: &Function, inst: &Inst) -> Type {
    let ty = inst.args.iter().map(|&arg| func.ty(arg)).chain([inst.ty]).max_by_key(|ty| ty.bits());
    ty.unwrap_or(Type::VOID)
}

/// Returns the cost of an instruction on the registers of the x64 backend.
fn price_of_wide(func: &Function, inst: &Inst, backend: Backend) -> u64 {
    let ty = largest(func, inst);
    let lanes = u64::from(ty.lanes);
    let registers = u64::from(ty.bits().div_ceil(backend.register() * 8)).max(1);
    // Cost of a lane-by-lane fallback through memory.
    let each = 6 * lanes;
    let is_narrow = || {
        let ty = if inst.ty == Type::VOID { func.ty(inst.args[inst.args.len() - 2]) } else { inst.ty };
        ty.kind.bits() < 32
    };
    match inst.op.class() {
        Class::Constant(_) | Class::Terminator(_) => 1,
        Class::MemoryOp(MemoryOp::Load | MemoryOp::Store) => registers,
        Class::MemoryOp(MemoryOp::MaskedLoad | MemoryOp::MaskedStore) => 1 + 2 * registers,
        Class::MemoryOp(MemoryOp::Gather | MemoryOp::GatherAt) => {
            // The pass `subword_gathers` makes gathers of words of them.
            registers + if is_narrow() { 3 } else { 2 } * lanes
        }
        Class::MemoryOp(MemoryOp::Scatter | MemoryOp::ScatterAt) if backend.has_masks() && !is_narrow() => {
            registers + 2 * lanes
        }
        Class::MemoryOp(MemoryOp::Scatter | MemoryOp::ScatterAt) => each,
        // The cost is that of the lock prefix; lanes with equal addresses share one operation.
        // Source: histograms on an EPYC (Zen 4), 2026-11-28.
        Class::MemoryOp(MemoryOp::LaneRmw) if !func.is_of_group(inst) => 19 * lanes,
        Class::MemoryOp(_) => price_of_cranelift(func, inst),
        Class::LaneOp(_) if ty.lanes > 1 => match inst.op {
            Op::BuildVector if inst.args.iter().all(|&arg| func.as_const(arg).is_some()) => 0,
            Op::BuildVector => lanes + registers,
            Op::ExtractAt | Op::InsertAt => 4 + 2 * registers,
            // Whole registers are renamed; a part of one is inserted or extracted.
            Op::Shuffle if is_in_order(inst) => {
                let fills = |ty: Type| ty.bits().is_multiple_of(backend.register() * 8);
                u64::from(!fills(inst.ty) || !fills(func.ty(inst.args[0])))
            }
            Op::Shuffle => 2 * registers,
            // The load broadcasts it.
            Op::Splat if func.def_inst(inst.args[0]).is_some_and(|def| def.op == Op::Load) => 0,
            Op::Splat => 1,
            _ => registers,
        },
        Class::MaskOp(_) => 1 + registers,
        _ if is_division(inst) => division(func, inst, registers),
        _ if ty.lanes == 1 || is_of_registers(inst, ty) => {
            let narrow = u64::from(ty.bits().div_ceil(128)).max(1);
            // `cost::price` counts 128-bit registers.
            let price =
                if backend.has_halves() { cost::price_by(func, inst, 1) } else { cost::price(func, inst) };
            (price.max(1) as u64 * registers).div_ceil(narrow).max(registers)
        }
        _ => each,
    }
}

fn is_division(inst: &Inst) -> bool {
    matches!(inst.op, Op::Udiv | Op::Sdiv | Op::Urem | Op::Srem)
}

/// Returns the cost of a division after the pass `divide`.
fn division(func: &Function, inst: &Inst, registers: u64) -> u64 {
    match func.as_const_of_lanes(inst.args[1]) {
        Some(by) if by.is_power_of_two() => 3 * registers,
        Some(_) if !inst.ty.is_vector() => 6,
        Some(_) if inst.ty.kind != Kind::I64 => 12 * registers,
        None if inst.ty.is_vector() && inst.ty.kind != Kind::I64 => 3 * u64::from(inst.ty.lanes),
        _ => 16 * u64::from(inst.ty.lanes),
    }
}

/// Checks whether the x64 backend has an instruction on whole registers.
fn is_of_registers(inst: &Inst, ty: Type) -> bool {
    match inst.op.class() {
        Class::IntBinary(IntBinary::Smulhi | IntBinary::Umulhi) => ty.kind != Kind::I64,
        _ => true,
    }
}

/// Returns the cost of an instruction on 128-bit registers.
fn price_of_cranelift(func: &Function, inst: &Inst) -> u64 {
    let ty = largest(func, inst);
    let (lanes, registers) = (u64::from(ty.lanes), registers(ty));
    match inst.op.class() {
        Class::Constant(_) | Class::Terminator(_) => 1,
        Class::MemoryOp(MemoryOp::Load | MemoryOp::Store) => registers,
        Class::MemoryOp(MemoryOp::MaskedLoad | MemoryOp::MaskedStore) => 4 + 2 * registers,
        // Lane by lane, with addresses extracted from vectors.
        Class::MemoryOp(MemoryOp::Gather | MemoryOp::GatherAt | MemoryOp::Scatter | MemoryOp::ScatterAt) => {
            5 * lanes
        }
        // Atomics on memory of the work-group need no lock prefix, since one thread runs it.
        Class::MemoryOp(
            op @ (MemoryOp::LaneRmw | MemoryOp::LaneCas | MemoryOp::AtomicRmw | MemoryOp::AtomicCas),
        ) => {
            let is_wide = matches!(op, MemoryOp::LaneRmw | MemoryOp::LaneCas);
            let each = if func.is_of_group(inst) { 4 } else { 20 };
            (each + 3 * u64::from(is_wide)) * lanes
        }
        Class::MemoryOp(_) => 4 * lanes,
        Class::LaneOp(_) if ty.lanes > 1 => match inst.op {
            Op::BuildVector if inst.args.iter().all(|&arg| func.as_const(arg).is_some()) => 0,
            Op::BuildVector => lanes + registers,
            Op::ExtractAt | Op::InsertAt | Op::Permute => 3 * lanes,
            // Whole registers are renamed; most other shuffles are one instruction.
            Op::Shuffle if is_in_order(inst) => 0,
            Op::Shuffle => 2 * self::registers(inst.ty),
            _ => registers,
        },
        _ if ty.lanes == 1 || is_native(inst, ty) => cost::price(func, inst).max(1) as u64 * share(ty),
        _ => 4 * lanes,
    }
}

/// Checks whether each register of a shuffle's result is one of its sources.
fn is_in_order(inst: &Inst) -> bool {
    let room = (128 / inst.ty.kind.bits().max(1)) as usize;
    inst.lanes().chunks(room).all(|picks| {
        usize::from(picks[0]).is_multiple_of(room) && picks.windows(2).all(|pair| pair[1] == pair[0] + 1)
    })
}

/// Returns the number of registers of a value: vectors that do not fill 128 bits are kept as scalars.
fn registers(ty: Type) -> u64 {
    if ty.is_vector() && !ty.bits().is_multiple_of(128) {
        ty.lanes.into()
    } else {
        u64::from(ty.bits().div_ceil(128)).max(1)
    }
}

/// Returns the number of times that an operation is executed for each time that `cost::price` counts.
fn share(ty: Type) -> u64 {
    registers(ty) / u64::from(ty.bits().div_ceil(128)).max(1)
}

/// Checks whether an instruction processes all lanes of a 128-bit register (`codegen::clif::arith`).
fn is_native(inst: &Inst, ty: Type) -> bool {
    match inst.op.class() {
        Class::IntBinary(op) => match op {
            IntBinary::Udiv | IntBinary::Sdiv | IntBinary::Urem | IntBinary::Srem => false,
            IntBinary::Smulhi | IntBinary::Umulhi => false,
            IntBinary::Shl | IntBinary::Lshr | IntBinary::Ashr | IntBinary::Rotl => true,
            IntBinary::Imul => !matches!(ty.kind, Kind::I8 | Kind::I64),
            IntBinary::Smin | IntBinary::Smax | IntBinary::Umin | IntBinary::Umax => ty.kind != Kind::I64,
            IntBinary::SaddSat | IntBinary::UaddSat | IntBinary::SsubSat | IntBinary::UsubSat => {
                matches!(ty.kind, Kind::I8 | Kind::I16)
            }
            IntBinary::Iadd | IntBinary::Isub | IntBinary::And | IntBinary::Or | IntBinary::Xor => true,
        },
        Class::IntUnary(_) => inst.op == Op::Iabs,
        Class::FloatBinary(_) => inst.op != Op::Fcopysign && ty.kind != Kind::F16,
        Class::Conversion(_) => {
            !matches!(inst.op, Op::Fptosi | Op::Fptoui | Op::Uitofp) && ty.kind != Kind::F16
        }
        _ => ty.kind != Kind::F16,
    }
}
