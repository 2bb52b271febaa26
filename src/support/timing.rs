//! How long things take, under GRUS_TIMING: a line on standard error for each.

use std::cell::RefCell;
use std::time::{Duration, Instant};

use super::environment::environment;

thread_local! {
    /// What the parts of the present stage took so far.
    static PARTS: RefCell<Vec<(&'static str, Duration)>> = const { RefCell::new(Vec::new()) };
}

/// Adds its age to that of the other parts of this name when it is dropped.
#[derive(Debug)]
pub struct Part {
    name: &'static str,
    start: Instant,
}

/// Begins a part of a stage; nothing, unless the user asks for times.
#[inline]
pub fn part(name: &'static str) -> Option<Part> {
    environment().timing.then(|| Part { name, start: Instant::now() })
}

impl Drop for Part {
    fn drop(&mut self) {
        let age = self.start.elapsed();
        PARTS.with_borrow_mut(|parts| match parts.iter_mut().find(|(name, _)| *name == self.name) {
            Some((_, sum)) => *sum += age,
            None => parts.push((self.name, age)),
        });
    }
}

/// Prints its age when it is dropped, and what its parts took.
#[derive(Debug)]
pub struct Span {
    stage: &'static str,
    what: String,
    start: Instant,
}

/// Begins a stage of the work on `what`; nothing, unless the user asks for times.
#[inline]
pub fn span(stage: &'static str, what: impl FnOnce() -> String) -> Option<Span> {
    environment().timing.then(|| Span { stage, what: what(), start: Instant::now() })
}

impl Drop for Span {
    fn drop(&mut self) {
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
