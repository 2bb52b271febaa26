//! How long things take, for who sets GRUS_TIMING: a line on standard error for each.

use std::time::Instant;

use super::environment::environment;

/// Prints its age when it is dropped.
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
    }
}
