//! How long things take: a line on standard error for each under GRUS_TIMING, stages of builds in recordings (`trace`).

use std::cell::RefCell;
use std::time::{Duration, Instant};

use super::environment::environment;
use super::trace;

thread_local! {
    /// What the parts of the present stage took so far.
    static PARTS: RefCell<Vec<(&'static str, Duration)>> = const { RefCell::new(Vec::new()) };
}

/// Adds its age to that of the other parts of this name when it is dropped.
#[derive(Debug)]
pub struct TimedPart {
    name: &'static str,
    start: Instant,
}

/// Begins a part of a stage; nothing, unless the user asks for times.
#[inline]
pub fn part(name: &'static str) -> Option<TimedPart> {
    environment().timing.then(|| TimedPart { name, start: Instant::now() })
}

impl Drop for TimedPart {
    fn drop(&mut self) {
        let age = self.start.elapsed();
        PARTS.with_borrow_mut(|parts| match parts.iter_mut().find(|(name, _)| *name == self.name) {
            Some((_, sum)) => *sum += age,
            None => parts.push((self.name, age)),
        });
    }
}

/// Prints its age when it is dropped, and what its parts took; records it.
#[derive(Debug)]
pub struct Span {
    stage: &'static str,
    what: String,
    start: Instant,
    /// When it began, if it is to be recorded.
    recorded: Option<u64>,
}

/// Begins a stage of a build of `what`; nothing, unless the user asks for times or a recording.
#[inline]
pub fn span(stage: &'static str, what: impl FnOnce() -> String) -> Option<Span> {
    let recorded = trace::begin();
    let wanted = recorded.is_some() || environment().timing;
    wanted.then(|| Span { stage, what: what(), start: Instant::now(), recorded })
}

/// As [`span`], for what recordings have in other words.
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
        for (name, age) in PARTS.take() {
            eprintln!("grus:   {name:<14} {:10.3} ms", age.as_secs_f64() * 1e3);
        }
    }
}

/// Prints something about the work that is under way, if the user asks for times.
pub fn note(stage: &'static str, what: impl FnOnce() -> String) {
    if environment().timing {
        eprintln!("grus: {stage:<16} {}", what());
    }
}
