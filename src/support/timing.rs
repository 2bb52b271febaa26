//! Durations of stages: printed on standard error under GRUS_TIMING; stages of builds also go into recordings
//! (`trace`).

use std::cell::RefCell;
use std::time::{Duration, Instant};

use super::environment::environment;
use super::trace;

thread_local! {
    /// Durations so far of the phases of the current stage.
    static PHASES: RefCell<Vec<(&'static str, Duration)>> = const { RefCell::new(Vec::new()) };
}

/// Timer that adds its age to the duration of the phases with this name when dropped.
#[derive(Debug)]
pub struct PhaseTimer {
    name: &'static str,
    start: Instant,
}

/// Begins a phase of a stage; none unless the user requests durations.
#[inline]
pub fn phase(name: &'static str) -> Option<PhaseTimer> {
    environment().timing.then(|| PhaseTimer { name, start: Instant::now() })
}

impl Drop for PhaseTimer {
    fn drop(&mut self) {
        let age = self.start.elapsed();
        PHASES.with_borrow_mut(|phases| match phases.iter_mut().find(|(name, _)| *name == self.name) {
            Some((_, sum)) => *sum += age,
            None => phases.push((self.name, age)),
        });
    }
}

/// Timer of a stage that, when dropped, prints and records its duration and the durations of its phases.
#[derive(Debug)]
pub struct Span {
    stage: &'static str,
    what: String,
    start: Instant,
    /// Start time by the clock of recordings, if the stage is to be recorded.
    recorded: Option<u64>,
}

/// Begins a stage of a build of `what`; none unless the user requests durations or a recording.
#[inline]
pub fn span(stage: &'static str, what: impl FnOnce() -> String) -> Option<Span> {
    let recorded = trace::begin();
    let is_needed = recorded.is_some() || environment().timing;
    is_needed.then(|| Span { stage, what: what(), start: Instant::now(), recorded })
}

/// Begins a stage like [`span`], but never records it, because recordings describe it in another way.
#[inline]
pub fn untraced_span(stage: &'static str, what: impl FnOnce() -> String) -> Option<Span> {
    environment().timing.then(|| Span { stage, what: what(), start: Instant::now(), recorded: None })
}

impl Drop for Span {
    fn drop(&mut self) {
        if let Some(begin) = self.recorded {
            trace::stage(self.stage, begin, &self.what);
        }
        if !environment().timing {
            return;
        }
        let milliseconds = self.start.elapsed().as_secs_f64() * 1e3;
        eprintln!("grus: {:<16} {milliseconds:10.3} ms  {}", self.stage, self.what);
        for (name, age) in PHASES.take() {
            eprintln!("grus:   {name:<14} {:10.3} ms", age.as_secs_f64() * 1e3);
        }
    }
}

/// Prints a note about the work under way, if the user requests durations.
pub fn note(stage: &'static str, what: impl FnOnce() -> String) {
    if environment().timing {
        eprintln!("grus: {stage:<16} {}", what());
    }
}
