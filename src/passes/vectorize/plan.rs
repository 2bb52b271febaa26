//! How many lanes a body gets, if any.

use super::super::Forced;
use super::super::pass_manager::PassContext;
use super::super::scalar::{compare_vectorize, cost};
use super::super::work_items::{Candidate, Choice, Wide, optional};
use super::calls::vectorized_functions::Callees;
use super::cost::access_streams::Walks;
use super::cost::{latency, pressure};
use super::versioning::guards;
use super::widen::Frequencies;
use super::{Asked, Refusal, Scalarised, divergent_branch, unroll_and_jam, widened};
use crate::ir::analysis::{Analyses, LoopId};
use crate::ir::{Class, Effect, Function, Inst, IntBinary, Kind, MemoryOp, Op, Type};
use crate::support::target::Backend;
use crate::support::timing;
use crate::support::{FastMap, IdMap};

/// Bodies of more instructions stay as they are: nobody waits for code of this size to be made several times.
pub(super) const MOST_SIZE: usize = 3_000;

/// The same where launches have taken long.
const MOST_SIZE_IF_HOT: usize = 12_000;

/// The same where most of one works on vectors of the program that fill registers already.
const MOST_SIZE_OF_VECTORS: usize = 800;

/// Bytes of private objects outside the stack that each lane may have.
const MOST_PRIVATE: u64 = 64 << 10;

/// Instructions that a wide body may become, about.
const MOST_CODE: u64 = 60_000;

/// Lanes that are tried at most.
pub const MOST_LANES: u16 = 64;

/// The body for as many lanes as it is best with, or for so many; for two items by turns if that is better.
pub fn choose(candidate: Candidate<'_>, forced: Forced, callees: &mut Callees) -> Choice {
    let lanes = forced.lanes;
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

/// The body for two items by turns; for one if that cannot be made, or is not much faster.
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
    // What asks lane by lane asks once.
    let mut body = body.clone();
    compare_vectorize::run(&mut body, &mut PassContext::standalone(candidate.debugging));
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

/// Whether so many items take less time together than one by one. A little more or less is not worth the code.
pub(super) fn gains(together: u64, one: u64, items: u16) -> bool {
    together * 20 < one * u64::from(items) * 17
}

/// With what waits in long blocks, if there is room in registers to do more meanwhile.
fn waited(time: &Cost, has_room: bool) -> u64 {
    time.sum() + if has_room { time.ways } else { 0 }
}

/// The body for the lanes of a sub-group, of which some may not be there: the last one of a group may be smaller.
///
/// # Errors
/// What it holds that cannot be widened.
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

/// Returns whether there is doubt that a kernel can have sub-groups of this size. Those that are small and reducible can.
pub fn may_lack_sub_groups(kernel: &Function, private_size: u64, lanes: u16) -> bool {
    // An instruction of lanes costs less than one for each lane, but for few.
    private_size > MOST_PRIVATE
        || kernel.size() as u64 * u64::from(lanes) > MOST_CODE
        || kernel.instructions().any(|inst| inst.op == Op::Call)
        || !Analyses::default().loops(kernel).is_reducible()
}

impl Candidate<'_> {
    /// What is something else in the next turn of the loop over rows, or over items if they take several turns.
    fn turning(&self, lanes: u16) -> Vec<usize> {
        let [items, rows] = &self.turning;
        let takes_one = self.row.is_some_and(|row| row <= u32::from(lanes));
        if takes_one { rows.clone() } else { [items.as_slice(), rows].concat() }
    }

    fn most_size(&self) -> usize {
        if self.is_tiered_up { MOST_SIZE_IF_HOT } else { MOST_SIZE }
    }

    fn asked(&self, lanes: u16) -> Asked {
        let &Candidate { record, piece, backend, debugging, .. } = self;
        Asked { lanes, record, piece, may_wait: false, is_forced: false, backend, debugging }
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
    // Many times the code and the values of a large body, and nothing saved but what is not vectors.
    if body.size() > MOST_SIZE_OF_VECTORS && one.full * 2 > one.work {
        return Err(Refusal::Size);
    }
    let Tried { all, lanes, time: together, outside } = fastest(candidate, callees)?;
    // Code that has no room in registers does not do more meanwhile.
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
        // Half of them are left of a row in the middle.
        some = some.filter(|(some, frequencies)| {
            time(some, frequencies, candidate.backend, callees) * 2 < one * u64::from(lanes)
        });
    }
    Ok(Wide { lanes, time: in_turns, all, some: some.map(|(some, _)| some) })
}

/// The body for a number of lanes that was tried, and the time of all.
struct Tried {
    all: Function,
    lanes: u16,
    time: Cost,
    /// The part of it that goes before the loop over rows.
    outside: u64,
}

impl Tried {
    /// What so many lanes take beside others: what goes before the loop over rows is done once for all items of a group.
    fn of_all(&self, backend: Backend) -> u64 {
        /// Of a group, where nothing else is known.
        const ITEMS: u64 = 64;
        if backend == Backend::Cranelift {
            return self.time.sum();
        }
        let once = self.outside.min(self.time.work);
        self.time.sum() - once + once * u64::from(self.lanes).min(ITEMS) / ITEMS
    }

    /// Whether an item takes less than so many percent of the time that it takes in the other.
    fn is_faster(&self, other: &Tried, percent: u64, backend: Backend) -> bool {
        let [one, by_other] = [(self, other), (other, self)]
            .map(|(these, by)| these.of_all(backend).saturating_mul(by.lanes.into()));
        one.saturating_mul(100) < by_other.saturating_mul(percent)
    }
}

/// The body for the number of lanes at which an item takes the least time.
fn fastest(candidate: &Candidate<'_>, callees: &mut Callees) -> Result<Tried, Refusal> {
    let body = candidate.body;
    // Registers that are larger than those which lanes are counted for.
    let larger = (candidate.backend.register() / 16) as u16;
    let usual = lanes_of(body);
    let mut widths = vec![usual * larger];
    // Large ones are not tried again and again.
    let is_large = body.size() > MOST_SIZE;
    if !is_large && body.instructions().any(|inst| is_of_bytes(body, inst)) {
        // More would be four registers of floats.
        widths.push(BYTES * larger.min(2));
    }
    for lanes in &mut widths {
        *lanes = candidate.row.map_or(*lanes, |row| fitting(*lanes, row));
    }
    widths.dedup();
    widths.retain(|&lanes| lanes > 1);
    // What fills one register takes no less of them with fewer lanes. Bytes are computed with as words.
    let fill_one = larger * usual.min(8) / 2;
    let has_room = |lanes: u16| candidate.row.is_none_or(|row| row.is_multiple_of(lanes.into()));
    let scalarised = Scalarised::new(body, candidate.debugging)?;
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
                    // Fewer lanes need fewer registers, and go through less of each array.
                    widths.push(lanes / 2);
                } else if is_first && waits * 16 > work && twice <= MOST_LANES && has_room(twice) {
                    // More are computed while they wait for each other.
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

/// Lines of caches that a turn goes through at most, where fewer lanes take up to half longer: processors fetch ahead of many
/// places, but not long pieces of all of them.
const MOST_LINES: u64 = 15;

/// Lines that the loads of a turn touch, of the loop with most of them.
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

/// A wide function, and how often its blocks run.
type Widened = (Function, Frequencies);

/// The body for some of so many lanes. Only where items may be missing in the middle of a row it must be.
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

/// A wide body whose code is not out of all proportion: what many lanes do one by one adds up.
pub(super) fn bounded(body: &Function, asked: Asked, callees: &mut Callees) -> Result<Widened, Refusal> {
    bounded_of(&Scalarised::new(body, asked.debugging)?, asked, callees)
}

fn bounded_of(body: &Scalarised, asked: Asked, callees: &mut Callees) -> Result<Widened, Refusal> {
    let (wide, frequencies) = widened(body, asked, callees)?;
    let code: u64 = wide.instructions().map(|inst| price(&wide, inst, asked.backend)).sum();
    if code > MOST_CODE { Err(Refusal::Size) } else { Ok((wide, frequencies)) }
}

/// Whether a body that stays as it is would be tried if launches took long.
fn is_large(body: &Function) -> bool {
    (MOST_SIZE + 1..=MOST_SIZE_IF_HOT).contains(&body.size()) && !has_full_registers(body)
}

/// Whether most of a large body works on vectors of the program that fill registers already.
fn has_full_registers(body: &Function) -> bool {
    let is_full = |inst: &&Inst| inst.ty.is_vector() && inst.ty.bits().is_multiple_of(128);
    body.size() > MOST_SIZE_OF_VECTORS && body.instructions().filter(is_full).count() * 2 > body.size()
}

/// Fewer lanes if they divide a row of so many items and more do not, or if there are not as many items.
fn fitting(lanes: u16, row: u32) -> u16 {
    let divides = |&lanes: &u16| row.is_multiple_of(lanes.into());
    let most = u16::try_from(1u32 << row.max(1).ilog2()).map_or(lanes, |most| lanes.min(most));
    [lanes, lanes / 2].into_iter().find(divides).unwrap_or(most)
}

/// Bytes that fill a register: fewer of them are dear to load and to store.
const BYTES: u16 = 16;

fn is_of_bytes(body: &Function, inst: &Inst) -> bool {
    let ty = match inst.op {
        Op::Load => inst.ty,
        Op::Store => body.ty(inst.args[1]),
        _ => return false,
    };
    ty.kind == Kind::I8 && body.ty(inst.args[0]).kind != Kind::PtrPrivate
}

/// Two registers of what it mostly computes with; a register of bytes, if most that it touches are some.
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

/// What a function takes at most: so much still has room for being done by many lanes.
const MOST_TIME: u64 = 1 << 50;

/// What a function takes, about.
struct Cost {
    /// Instructions, those in loops many times, without blocks that hardly ever run.
    work: u64,
    /// As many as could be done while turns of loops wait for the turns before.
    waits: u64,
    /// Those for what registers have no room for.
    spills: u64,
    /// The same if all were kept that is made while registers are full; none if they never are.
    tight: u64,
    /// As many as could be done while what is in long blocks waits for what is before it there.
    ways: u64,
    /// The part of the work that fills vector registers.
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

/// What is compared.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Model {
    /// More lanes in a vector with fewer.
    Lanes,
    /// Two items by turns with one: which values are kept in registers, and what is computed side by side, is all that differs.
    Turns,
}

/// Where lanes wait for the one that stays longest in a loop, that is run more often than a lane by itself would.
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
    // What is done with scalars while vectors are waited for.
    const SCALARS: u64 = 4;
    // What a lane takes more that walks.
    const WALK: u64 = 12;
    let mut analyses = Analyses::default();
    let loops = analyses.loops(func);
    let walks = Walks::new(func, &loops);
    let turns = |block| {
        if frequencies.cold.contains(&block) {
            return 0;
        }
        let around = loops.around(block).filter(|&id| frequencies.uneven.contains(&loops.get(id).header));
        // Those who wait for each other around a loop come to it together.
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
        // Lanes that wait for others have somebody to wait for.
        let is_uneven = frequencies.uneven.contains(&header);
        let least = if is_uneven { 0 } else { recurrences[id] * in_a_cycle(backend) * turns(header) };
        least.saturating_sub(of_loop[id])
    });
    let tight = match model {
        Model::Lanes => pressure::spills(func, &cfg, backend, turns),
        Model::Turns => 0,
    };
    // `codegen/x64` says itself what it keeps.
    let spills = match model {
        Model::Lanes if tight == 0 || backend == Backend::Cranelift => tight,
        _ => pressure::reloads(func, &cfg, backend, turns).min(MOST_TIME),
    };
    Cost { work, waits: waits.sum(), spills, tight, ways, full }
}

/// What goes before a loop whose turns have other values of these parameters: what is computed from none of them, and what is
/// read that nothing writes here. `times` counts it with the blocks that it is in.
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

/// Instructions on whole registers that are done in a cycle: the largest take twice as long, or half as many are done.
fn in_a_cycle(backend: Backend) -> u64 {
    if backend.has_masks() { 1 } else { 2 }
}

/// The same of what is mostly integers, of which processors with AVX2 do more at once than floats.
fn side_by_side(func: &Function, backend: Backend) -> u64 {
    let of = |is_float: bool| {
        let is_vector = |inst: &&Inst| inst.ty.is_vector() && inst.ty.kind.is_float() == is_float;
        func.instructions().filter(is_vector).count()
    };
    in_a_cycle(backend) + u64::from(!backend.has_masks() && of(false) > of(true))
}

/// What an instruction takes.
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

/// Whether an instruction becomes a part of addresses.
fn is_of_address(func: &Function, inst: &Inst) -> bool {
    let is_scale =
        || inst.args.get(1).and_then(|&by| func.as_const(by)).is_some_and(|by| matches!(by, 2 | 4 | 8));
    match inst.op {
        Op::PtrAdd => !inst.ty.is_vector(),
        Op::Imul => inst.ty == Type::I64 && is_scale(),
        _ => false,
    }
}

/// The type of the largest value that an instruction has to do with.
fn largest(func: &Function, inst: &Inst) -> Type {
    let ty = inst.args.iter().map(|&arg| func.ty(arg)).chain([inst.ty]).max_by_key(|ty| ty.bits());
    ty.unwrap_or(Type::VOID)
}

/// What an instruction takes on the registers of the x64 backend.
fn price_of_wide(func: &Function, inst: &Inst, backend: Backend) -> u64 {
    let ty = largest(func, inst);
    let lanes = u64::from(ty.lanes);
    let registers = u64::from(ty.bits().div_ceil(backend.register() * 8)).max(1);
    // What is done for each lane by itself, through memory.
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
            // The pass `narrow` makes words of them.
            registers + if is_narrow() { 3 } else { 2 } * lanes
        }
        Class::MemoryOp(MemoryOp::Scatter | MemoryOp::ScatterAt) if backend.has_masks() && !is_narrow() => {
            registers + 2 * lanes
        }
        Class::MemoryOp(MemoryOp::Scatter | MemoryOp::ScatterAt) => each,
        // The lock is waited for; lanes that are at one place are done at once.
        Class::MemoryOp(MemoryOp::LaneRmw) if !func.is_of_group(inst) => 19 * lanes,
        Class::MemoryOp(_) => price_of_cranelift(func, inst),
        Class::LaneOp(_) if ty.lanes > 1 => match inst.op {
            Op::BuildVector if inst.args.iter().all(|&arg| func.as_const(arg).is_some()) => 0,
            Op::BuildVector => lanes + registers,
            Op::ExtractAt | Op::InsertAt => 4 + 2 * registers,
            // Whole registers, or a part of one that is put beside another, or taken out.
            Op::Shuffle if is_in_order(inst) => {
                let fills = |ty: Type| ty.bits().is_multiple_of(backend.register() * 8);
                u64::from(!fills(inst.ty) || !fills(func.ty(inst.args[0])))
            }
            Op::Shuffle => 2 * registers,
            // The load gives it to all lanes.
            Op::Splat if func.def_inst(inst.args[0]).is_some_and(|def| def.op == Op::Load) => 0,
            Op::Splat => 1,
            _ => registers,
        },
        Class::MaskOp(_) => 1 + registers,
        _ if is_division(inst) => division(func, inst, registers),
        _ if ty.lanes == 1 || is_of_registers(inst, ty) => {
            let narrow = u64::from(ty.bits().div_ceil(128)).max(1);
            // `cost::price` counts registers of 128 bits.
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

/// What a division takes after the pass `divide`.
fn division(func: &Function, inst: &Inst, registers: u64) -> u64 {
    match func.as_const_of_lanes(inst.args[1]) {
        Some(by) if by.is_power_of_two() => 3 * registers,
        Some(_) if !inst.ty.is_vector() => 6,
        Some(_) if inst.ty.kind != Kind::I64 => 12 * registers,
        None if inst.ty.is_vector() && inst.ty.kind != Kind::I64 => 3 * u64::from(inst.ty.lanes),
        _ => 16 * u64::from(inst.ty.lanes),
    }
}

/// Whether the x64 backend does it with whole registers.
fn is_of_registers(inst: &Inst, ty: Type) -> bool {
    match inst.op.class() {
        Class::IntBinary(IntBinary::Smulhi | IntBinary::Umulhi) => ty.kind != Kind::I64,
        _ => true,
    }
}

/// What an instruction takes on 128-bit registers.
fn price_of_cranelift(func: &Function, inst: &Inst) -> u64 {
    let ty = largest(func, inst);
    let (lanes, registers) = (u64::from(ty.lanes), registers(ty));
    match inst.op.class() {
        Class::Constant(_) | Class::Terminator(_) => 1,
        Class::MemoryOp(MemoryOp::Load | MemoryOp::Store) => registers,
        Class::MemoryOp(MemoryOp::MaskedLoad | MemoryOp::MaskedStore) => 4 + 2 * registers,
        // Lane by lane, and addresses come out of vectors.
        Class::MemoryOp(MemoryOp::Gather | MemoryOp::GatherAt | MemoryOp::Scatter | MemoryOp::ScatterAt) => {
            5 * lanes
        }
        // Nobody else sees what is the group's.
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
            // What goes from register to register as it is takes nothing, and most else one instruction.
            Op::Shuffle if is_in_order(inst) => 0,
            Op::Shuffle => 2 * self::registers(inst.ty),
            _ => registers,
        },
        _ if ty.lanes == 1 || is_native(inst, ty) => cost::price(func, inst).max(1) as u64 * share(ty),
        _ => 4 * lanes,
    }
}

/// Whether each register of a shuffle's result is one of its sources.
fn is_in_order(inst: &Inst) -> bool {
    let room = (128 / inst.ty.kind.bits().max(1)) as usize;
    inst.lanes().chunks(room).all(|picks| {
        usize::from(picks[0]).is_multiple_of(room) && picks.windows(2).all(|pair| pair[1] == pair[0] + 1)
    })
}

/// Registers that a value takes: vectors that do not fill 128 bits are kept as scalars.
fn registers(ty: Type) -> u64 {
    if ty.is_vector() && !ty.bits().is_multiple_of(128) {
        ty.lanes.into()
    } else {
        u64::from(ty.bits().div_ceil(128)).max(1)
    }
}

/// How many times an op is done for each time that `cost::price` counts.
fn share(ty: Type) -> u64 {
    registers(ty) / u64::from(ty.bits().div_ceil(128)).max(1)
}

/// Whether there is an instruction that does it for all lanes of a 128-bit register (`codegen::clif::arith`).
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
