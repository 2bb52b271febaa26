//! Unroll-and-jam of a vectorized body over the rows of a work-group.
//!
//! In a loop that sums up, each addition waits for the one before it, while the processor could execute several.
//! Vectors of a longer row fill that time, but the rows of a work-group are often one vector long. Vectors of several
//! rows that are computed together fill it, too, and share what does not depend on the row: in a product of matrices
//! by tiles, the loads from the second tile.

use super::super::SIMPLIFY;
use super::super::pass_manager::PassContext;
use super::super::work_items::{Candidate, JammedRows, Step};
use super::cost::estimate::BlockWeights;
use super::cost::{pressure, throughput};
use super::divergent_branch::{self, ItemPair};
use super::plan;
use super::unroll_and_jam;
use super::versioning::guards;
use super::widen::BlockFrequencies;
use grus_ir::analysis::Analyses;
use grus_ir::{Effect, Function, Inst, Op, ParamFacts, Type, Value};
use grus_support::FastSet;
use grus_support::target::Backend;

/// Maximum number of rows. Eight sums hide the latency of an addition on processors that execute two at a time.
// Source: latency 4, two per cycle (uops.info: Intel since Skylake, Zen 4 and 5).
const MAX_ROWS: u16 = 8;

/// Limit of instructions of the body for several rows.
// Arbitrary.
const MAX_SIZE: usize = 1_000;

/// Number of rows if it is forced.
// Arbitrary: doubled twice, so that the second doubling is tested, too.
const FORCED_ROWS: u16 = 4;

/// Several rows that are computed together.
pub(super) struct RowJam {
    pub jammed: JammedRows,
    /// Estimated time of all rows, together and one by one.
    together: u64,
    one_by_one: u64,
}

impl RowJam {
    /// Returns the cost per vector, which is `cost` if rows are computed one by one.
    pub fn cost_per_vector(&self, cost: u64) -> u64 {
        let scaled = u128::from(cost) * u128::from(self.together) / u128::from(self.one_by_one.max(1));
        u64::try_from(scaled).unwrap_or(cost)
    }
}

/// Returns the body for as many rows as the cost model favors. Returns none if rows one by one are as fast, or if they
/// cannot be computed together. `body` is the body for full vectors.
pub(super) fn run(
    candidate: &Candidate<'_>,
    body: &Function,
    frequencies: &BlockFrequencies,
    is_forced: bool,
) -> Option<RowJam> {
    let can_jam = !candidate.has_inactive_lanes
        && !candidate.has_linear_ids
        && candidate.record.is_none()
        && candidate.private_size == 0
        && candidate.rows.is_none_or(|rows| rows > 1)
        && uses_row(body, &candidate.row_steps);
    if !can_jam || candidate.backend == Backend::Cranelift && !is_forced {
        return None;
    }
    let mut body = body.clone();
    let mut steps = candidate.row_steps.clone();
    let entry = body.entry();
    body.add_param(entry, Type::I64);
    body.param_facts.resize(body.params().len(), ParamFacts::default());
    steps.resize(body.params().len(), Step::None);
    let mut trial = Trial::new(body, frequencies.clone(), 1, candidate.backend);
    let time_of_one = trial.time;
    let max_rows = if is_forced { FORCED_ROWS } else { MAX_ROWS };
    while trial.rows < max_rows {
        let Some(next) = trial.doubled(candidate, &steps, is_forced) else { break };
        trial = next;
        steps.iter_mut().for_each(|step| *step = doubled(*step));
    }
    let Trial { rows, body, time: together, .. } = trial;
    let one_by_one = time_of_one.saturating_mul(rows.into());
    (rows > 1).then(|| RowJam { jammed: JammedRows { rows, body }, together, one_by_one })
}

/// Checks whether a body uses a parameter that differs between rows.
fn uses_row(body: &Function, steps: &[Step]) -> bool {
    let params = body.params().iter().zip(steps).filter(|&(_, &step)| step != Step::None);
    let varying: FastSet<Value> = params.map(|(&param, _)| param).collect();
    body.instructions().flat_map(Inst::uses).any(|value| varying.contains(&value))
}

fn doubled(step: Step) -> Step {
    match step {
        Step::None => Step::None,
        Step::By(by) => Step::By(2 * by),
        Step::Rows(rows) => Step::Rows(2 * rows),
    }
}

/// A body for some rows.
struct Trial {
    rows: u16,
    body: Function,
    frequencies: BlockFrequencies,
    /// Estimated time for all rows.
    time: u64,
}

impl Trial {
    fn new(body: Function, frequencies: BlockFrequencies, rows: u16, backend: Backend) -> Trial {
        let time = throughput::time(&body, &frequencies, backend);
        Trial { rows, body, frequencies, time }
    }

    /// Returns the body for twice as many rows, whose parameters differ by `steps`. Returns none if it is impossible or,
    /// unless it is forced, not faster.
    fn doubled(&self, candidate: &Candidate<'_>, steps: &[Step], is_forced: bool) -> Option<Trial> {
        let rows = self.rows * 2;
        let divides = candidate.rows.is_none_or(|all| all.is_multiple_of(rows.into()));
        if !divides || self.body.size() * 2 > MAX_SIZE {
            return None;
        }
        let mut analyses = Analyses::default();
        let pair = divergent_branch::find(&self.body, steps, &self.frequencies.cold, &mut analyses)?;
        if pair.copied > guards::MAX_COPIED_SIZE || !has_rows(&self.body, &pair) {
            return None;
        }
        let unroll_and_jam::Jammed { func: mut body, mut cold, copies, .. } =
            unroll_and_jam::jam(&self.body, steps, &pair, &mut analyses);
        let copied = |&block| Some(copies[block]).filter(|_| pair.is_joint[block]);
        cold.extend(self.frequencies.cold.iter().filter_map(copied));
        let [divergent_headers, copied_headers] =
            [&self.frequencies.divergent_headers, &self.frequencies.copied_headers]
                .map(|headers| headers.iter().filter_map(copied).collect());
        PassContext::standalone(candidate.debugging).run(&[SIMPLIFY], &mut body);
        let frequencies = BlockFrequencies { cold, divergent_headers, copied_headers };
        let trial = Trial::new(body, frequencies, rows, candidate.backend);
        let is_better = || {
            plan::is_profitable(trial.time, self.time, 2)
                && !trial.spills(candidate.backend)
                && !plan::reads_many_lines(&trial.body, &trial.frequencies)
        };
        (is_forced || is_better()).then_some(trial)
    }

    /// Checks whether there may be more values than registers.
    fn spills(&self, backend: Backend) -> bool {
        let mut analyses = Analyses::default();
        let (cfg, loops) = (analyses.cfg(&self.body), analyses.loops(&self.body));
        let weights = BlockWeights { loops: &loops, frequencies: &self.frequencies };
        pressure::spills(&self.body, &cfg, backend, |block| weights.iterations(block)) > 0
    }
}

/// Checks whether all stores that rows execute together depend on the row. In a kernel of one dimension nothing does, and
/// there is only one row.
fn has_rows(body: &Function, pair: &ItemPair) -> bool {
    let is_store = |inst: &&Inst| inst.op.effect() == Effect::Write && inst.op != Op::Alloca;
    let joint = body.layout.iter().filter(|&&block| pair.is_joint[block]);
    let insts = joint.flat_map(|&block| &body.blocks[block].insts).map(|&id| &body.insts[id]);
    insts.filter(is_store).all(|inst| pair.differs(inst))
}
