//! Trial of a kernel's compilation tiers: launches measure which code of the kernel is fastest.
//!
//! Whether vectors of work-items are faster, and how many lanes they should have, may depend on what only a launch
//! knows: which way branches go, how often loops iterate, what is in the caches. The compiler chooses by estimates, and
//! says in [`KernelTraits::next_tier`](grus_codegen::jit::KernelTraits::next_tier) that another choice may be better.
//! Once launches have taken long, code of that tier is compiled, and parts of launches run one or the other, by turns.
//! The faster code runs the rest, and may be followed by a trial of the tier after it. All compute the same.

use std::fmt::Debug;
use std::sync::{Arc, OnceLock};
use std::time::Duration;

use smallvec::SmallVec;

use super::scheduler::profile::ProfiledKernel;
use super::tuning::trial::{
    CLEAR_FACTOR, CLEAR_PERCENT_OF_TIME, MAX_PERCENT_OF_TIME, MIN_BUSY_PER_COMPILE_TIME, MIN_BUSY_TIME,
    MIN_RUN_TIME, MIN_TURN_TIME, TURNS,
};
use grus_ir::abi::Tier;
use grus_support::sync::{Mutex, MutexGuard};
use grus_support::timing;

/// Compiler of a kernel's further tiers.
pub trait TierCompiler: Debug + Send + Sync {
    /// Compiles a tier of `kernel` and passes the code to [`TierTrial::enter`] of the kernel's trial, at once or later
    /// on another thread. Returns false if that has to wait, since memory is short.
    fn compile(&self, tier: Tier, kernel: &Arc<ProfiledKernel>) -> bool;
}

/// Trial of the tiers of a kernel. It belongs to the code of the first tier.
#[derive(Debug)]
pub struct TierTrial {
    compiler: Box<dyn TierCompiler>,
    /// Outcome, once there is one.
    outcome: OnceLock<Choice>,
    state: Mutex<State>,
}

/// Code of a kernel: that of the first tier if there is none.
type Choice = Option<Arc<ProfiledKernel>>;

/// State of a trial without an outcome.
#[derive(Debug, Default)]
struct State {
    /// The fastest code so far.
    best: Choice,
    /// Launches so far.
    run: Measured,
    phase: Phase,
}

#[derive(Debug, Default)]
enum Phase {
    /// Launches run the best code until they have taken long enough.
    #[default]
    Measuring,
    /// Code of another tier is being compiled.
    Compiling,
    /// Parts of launches run the best code and that of another tier by turns.
    Comparing { other: Arc<ProfiledKernel>, turns: Box<Turns> },
    /// There is an outcome.
    Ended,
}

/// Measurements of two codes. Turns go in the order ABBA BAAB, so that neither a trend nor a period of two or four
/// favors a code.
#[derive(Debug, Default)]
struct Turns {
    /// Number of turns that have ended.
    ended: usize,
    /// Time of the turn so far.
    time: Duration,
    /// Measurements of the first code and the second one, in each group of four turns.
    groups: [[Measured; 2]; TURNS / 4],
}

/// Measurement of a part of a launch, or of several.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Measured {
    pub items: u64,
    /// Wall-clock time.
    pub time: Duration,
    /// Time on all threads together.
    pub busy: Duration,
}

impl Measured {
    fn add(&mut self, Measured { items, time, busy }: Measured) {
        *self = Measured { items: self.items + items, time: self.time + time, busy: self.busy + busy };
    }

    /// Checks whether a kernel has run for long enough to compile and to try a tier.
    fn justifies(&self, tier: Option<Tier>, compile_time: Duration) -> bool {
        // Code whose large bodies are vectorized is nearly always faster; a trial of other code may cost more than it gains.
        let is_long = match tier {
            Some(Tier::Optimized) => self.busy >= MIN_BUSY_TIME,
            _ => self.time >= MIN_RUN_TIME,
        };
        is_long && self.busy >= compile_time * MIN_BUSY_PER_COMPILE_TIME
    }

    /// Returns the seconds per work-item.
    fn item_time(self) -> f64 {
        self.time.as_secs_f64() / self.items.max(1) as f64
    }
}

impl Turns {
    fn is_second(turn: usize) -> bool {
        matches!(turn % 8, 1 | 2 | 4 | 7)
    }

    /// Records a part of a launch that ran in a turn. The turn ends when such parts have taken long enough together.
    /// Launches at the same time may add to turns that have ended.
    fn record(&mut self, turn: usize, part: Measured) {
        let sum = &mut self.groups[turn / 4][usize::from(Turns::is_second(turn))];
        sum.add(part);
        if turn == self.ended {
            self.time += part.time;
            if self.time >= MIN_TURN_TIME {
                self.ended += 1;
                self.time = Duration::ZERO;
            }
        }
    }

    /// Returns the time of the second code divided by that of the first one, for each group of turns.
    fn ratios(&self) -> [f64; TURNS / 4] {
        self.groups.map(|[first, second]| second.item_time() / first.item_time())
    }

    /// Checks whether the second code takes considerably less time, if that is clear: in each group of four turns after
    /// the first one, in which caches are cold, by the median more than a few percent, where one group may be wrong if
    /// the others are clear. A factor of two in two groups ends the comparison early.
    fn verdict(&self) -> Option<bool> {
        let ratios = &self.ratios()[..self.ended / 4];
        if self.ended < TURNS {
            let is_slow = ratios.iter().all(|ratio| *ratio > CLEAR_FACTOR);
            let is_fast = ratios.iter().all(|ratio| *ratio < 1.0 / CLEAR_FACTOR);
            return (ratios.len() > 1 && (is_slow || is_fast)).then_some(is_fast);
        }
        let mut later: SmallVec<[f64; TURNS / 4]> = ratios[1..].into();
        later.sort_by(f64::total_cmp);
        let (median, last) = (later[later.len() / 2], later[later.len() - 1]);
        let is_faster = median < MAX_PERCENT_OF_TIME / 100.0 && last < 1.0;
        Some(is_faster || median < CLEAR_PERCENT_OF_TIME / 100.0)
    }
}

/// Code for a part of a launch.
pub(super) struct Turn {
    /// Code of the first tier if there is none.
    pub code: Choice,
    /// Number of the turn if the code is being compared.
    number: Option<usize>,
}

impl Turn {
    /// Checks whether the time of this part is compared with that of others.
    pub fn is_compared(&self) -> bool {
        self.number.is_some()
    }
}

impl TierTrial {
    /// Creates the trial of a kernel that has a next tier.
    pub fn new(compiler: Box<dyn TierCompiler>) -> TierTrial {
        TierTrial { compiler, outcome: OnceLock::new(), state: Mutex::default() }
    }

    /// Checks whether the fastest code is known.
    pub fn has_ended(&self) -> bool {
        self.outcome.get().is_some()
    }

    /// Returns the fastest code, if the trial has ended.
    pub(super) fn outcome(&self) -> Option<&Choice> {
        self.outcome.get()
    }

    /// Returns the code for the next part of a launch.
    pub(super) fn next(&self) -> Turn {
        let mut state = self.state.lock();
        let best = state.best.clone();
        match &mut state.phase {
            Phase::Comparing { other, turns } => {
                let number = turns.ended;
                let code = if Turns::is_second(number) { Some(Arc::clone(other)) } else { best };
                Turn { code, number: Some(number) }
            }
            Phase::Ended => Turn { code: self.outcome.get().cloned().flatten(), number: None },
            _ => Turn { code: best, number: None },
        }
    }

    /// Records a part of a launch of `kernel`, which is the code of the first tier.
    pub(super) fn record(&self, kernel: &Arc<ProfiledKernel>, turn: &Turn, part: Measured) {
        let mut state = self.state.lock();
        let next_tier = match (&mut state.phase, turn.number) {
            (Phase::Comparing { other, turns }, Some(number)) if turns.ended < TURNS => {
                turns.record(number, part);
                let Some(is_faster) = turns.verdict() else { return };
                note(other, turns, is_faster);
                let other = Arc::clone(other);
                let next_tier = other.traits().next_tier;
                if is_faster {
                    state.best = Some(other);
                }
                next_tier
            }
            (Phase::Measuring, _) => {
                state.run.add(part);
                if !state.run.justifies(kernel.traits().next_tier, kernel.compile_time) {
                    return;
                }
                kernel.traits().next_tier
            }
            _ => return,
        };
        self.begin(state, kernel, next_tier);
    }

    /// Adds the code of the tier that was asked for last, or nothing if it could not be compiled.
    pub fn enter(&self, kernel: &Arc<ProfiledKernel>, code: Option<Arc<ProfiledKernel>>) {
        let mut state = self.state.lock();
        match code {
            Some(other) if is_worth_trying(kernel, state.best.as_ref().unwrap_or(kernel), &other) => {
                state.phase = Phase::Comparing { other, turns: Box::default() };
            }
            code => self.begin(state, kernel, code.and_then(|code| code.traits().next_tier)),
        }
    }

    /// Has a tier compiled; ends the trial if there is none.
    fn begin(&self, mut state: MutexGuard<'_, State>, kernel: &Arc<ProfiledKernel>, tier: Option<Tier>) {
        let Some(tier) = tier else {
            // The first outcome stays.
            let _ = self.outcome.set(state.best.take());
            state.phase = Phase::Ended;
            return;
        };
        state.phase = Phase::Compiling;
        // The compiler may call `enter` on this thread.
        drop(state);
        if !self.compiler.compile(tier, kernel) {
            // Another attempt follows after as long a time.
            let mut state = self.state.lock();
            (state.run, state.phase) = (Measured::default(), Phase::Measuring);
        }
    }
}

/// Checks whether code of another tier differs from the best one, and can run the launches that are prepared for the
/// first one.
fn is_worth_trying(first: &ProfiledKernel, best: &ProfiledKernel, other: &ProfiledKernel) -> bool {
    let shape = |kernel: &ProfiledKernel| (kernel.code.size, kernel.traits().lanes, kernel.traits().rows);
    shape(best) != shape(other) && first.code.runs_same_launches(&other.code)
}

fn note(other: &ProfiledKernel, turns: &Turns, is_faster: bool) {
    timing::note("tiers", || {
        let ratios = turns.ratios().into_iter().take(turns.ended / 4).map(|ratio| format!("{ratio:.2}"));
        let ratios = ratios.collect::<Vec<_>>().join(", ");
        let verdict = if is_faster { "kept" } else { "dropped" };
        format!("code of {} lanes {verdict}: takes {ratios} of the time", other.traits().lanes)
    });
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Returns turns in which work-items take these times with the two codes, multiplied by the factor of each turn.
    fn turns(times: [f64; 2], factor: impl Fn(usize) -> f64) -> Turns {
        let mut turns = Turns::default();
        for turn in 0..TURNS {
            assert_eq!(turns.ended, turn);
            let time = times[usize::from(Turns::is_second(turn))] * factor(turn);
            turns.record(
                turn,
                Measured { items: 100, time: Duration::from_secs_f64(time), busy: Duration::ZERO },
            );
        }
        turns
    }

    #[test]
    fn the_faster_code_wins_in_spite_of_trends_and_periods() {
        let trends: [fn(usize) -> f64; 5] = [
            |_| 1.0,
            |turn| 1.0 + turn as f64,
            |turn| 20.0 - turn as f64,
            |turn| [1.0, 10.0][turn % 2],
            // Another program runs for a while, and the first turns are slow.
            |turn| if turn < 4 || turn == 9 { 30.0 } else { 1.0 },
        ];
        for (number, trend) in trends.into_iter().enumerate() {
            assert_eq!(turns([1.0, 0.75], trend).verdict(), Some(true), "{number}");
            assert_eq!(turns([1.0, 1.0], trend).verdict(), Some(false), "{number}");
            assert_eq!(turns([0.75, 1.0], trend).verdict(), Some(false), "{number}");
        }
    }

    #[test]
    fn a_clear_comparison_ends_early() {
        // Returns the number of turns after which there is a verdict.
        let length = |times: [f64; 2]| {
            let mut turns = Turns::default();
            while turns.verdict().is_none() {
                let time = Duration::from_secs_f64(times[usize::from(Turns::is_second(turns.ended))]);
                turns.record(turns.ended, Measured { items: 1, time, busy: time });
            }
            (turns.ended, turns.verdict() == Some(true))
        };
        assert_eq!(length([1.0, 3.0]), (8, false));
        assert_eq!(length([3.0, 1.0]), (8, true));
        assert_eq!(length([1.0, 1.5]), (TURNS, false));
    }

    #[test]
    fn a_turn_is_as_many_short_launches_as_take_long_enough() {
        let mut turns = Turns::default();
        let of = |time| Measured { items: 1, time, busy: Duration::ZERO };
        let part = of(MIN_TURN_TIME / 4);
        (0..3).for_each(|_| turns.record(turns.ended, part));
        assert_eq!(turns.ended, 0);
        turns.record(0, part);
        assert_eq!(turns.ended, 1);
        // The end of a launch that began in an earlier turn does not end the current one.
        turns.record(0, of(MIN_TURN_TIME));
        assert_eq!(turns.ended, 1);
    }

    #[test]
    fn both_codes_have_as_many_turns() {
        for group in 0..TURNS / 4 {
            assert_eq!((0..4).filter(|at| Turns::is_second(group * 4 + at)).count(), 2);
        }
    }
}
