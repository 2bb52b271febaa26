//! Bugs of ours at run time: a panic is said on standard error and goes no further, so that the application lives.
//!
//! Where no panic may come through (calls of the application, machine code, threads of ours), work is done inside
//! [`contained`], and a [`Bug`] becomes what the caller understands: a code, a failed event, a fault.

use std::io::Write;
use std::panic::{AssertUnwindSafe, catch_unwind};

use super::environment::environment;

/// What was being done has panicked. It has been reported.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Bug;

/// Does `work`. Whatever it leaves half done must be behind locks that do not poison, or dropped.
///
/// # Errors
/// If it panics; standard error says that `place` did.
#[inline]
pub fn contained<T>(place: &str, work: impl FnOnce() -> T) -> Result<T, Bug> {
    catch_unwind(AssertUnwindSafe(work)).map_err(|panic| {
        drop(panic);
        report(place);
        Bug
    })
}

/// Asks for a report.
#[cold]
fn report(place: &str) {
    // A closed stderr is no reason to fail.
    let _ = writeln!(std::io::stderr(), "grus: internal error in {place}; please report it");
}

/// Places where tests can have a bug (`panic=` in `GRUS_TEST`).
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum PanicSite {
    /// All functions of ours that machine code calls.
    Helpers,
    /// The enqueuing of a kernel by a kernel, half done and under a lock.
    Enqueue,
    /// A thread that helps with the kernels that a kernel has enqueued.
    Children,
    /// The groups of a launch, once several threads share them.
    Groups,
    /// A thread that runs what was flushed.
    Queue,
}

impl PanicSite {
    /// Names of the places in that list.
    pub const NAMES: [(&str, PanicSite); 5] = [
        ("helpers", PanicSite::Helpers),
        ("enqueue", PanicSite::Enqueue),
        ("children", PanicSite::Children),
        ("groups", PanicSite::Groups),
        ("queue", PanicSite::Queue),
    ];

    /// Whether there is to be a bug.
    pub fn has_bug(self) -> bool {
        environment().test.panic_in == Some(self)
    }

    /// The bug, if there is to be one.
    #[inline]
    pub fn pass(self) {
        assert!(!self.has_bug(), "GRUS_TEST asks for it");
    }
}
