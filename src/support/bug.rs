//! Containment of internal errors at run time: a panic is reported on standard error and unwinds no further, so
//! that the application survives.
//!
//! Code that must not unwind into its caller (entry points, functions called by machine code, the main functions of
//! threads) runs inside [`contained`]. Its caller turns a [`Bug`] into an error of its own kind: an error code, a
//! failed event or a fault.

use std::io::Write;
use std::panic::{AssertUnwindSafe, catch_unwind};

use super::environment::environment;

/// Error of work that panicked. The panic has already been reported.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Bug;

/// Runs `work` and stops panics. Data that `work` leaves inconsistent must be dropped by the unwinding or be
/// protected by locks without poisoning.
///
/// # Errors
/// Returns [`Bug`] if `work` panics, after a report on standard error that names `place`.
#[inline]
pub fn contained<T>(place: &str, work: impl FnOnce() -> T) -> Result<T, Bug> {
    catch_unwind(AssertUnwindSafe(work)).map_err(|panic| {
        drop(panic);
        report(place);
        Bug
    })
}

/// Prints a request to report the bug.
#[cold]
fn report(place: &str) {
    // A closed stderr must not make the caller fail.
    let _ = writeln!(std::io::stderr(), "grus: internal error in {place}; please report it");
}

/// Code locations at which tests can cause a panic (`panic=` in `GRUS_TEST`).
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum PanicSite {
    /// All functions of the run-time library that machine code calls.
    Helpers,
    /// Device-side enqueue of a kernel, halfway through and under a lock.
    Enqueue,
    /// Thread that helps to run kernels enqueued by a kernel.
    Children,
    /// Work-groups of a launch, after several threads have begun to share them.
    Groups,
    /// Worker thread of a queue, which runs flushed commands.
    Queue,
}

impl PanicSite {
    /// Names of the locations, as `GRUS_TEST` spells them.
    pub const NAMES: [(&str, PanicSite); 5] = [
        ("helpers", PanicSite::Helpers),
        ("enqueue", PanicSite::Enqueue),
        ("children", PanicSite::Children),
        ("groups", PanicSite::Groups),
        ("queue", PanicSite::Queue),
    ];

    /// Checks whether `GRUS_TEST` asks for a panic at this location.
    pub fn has_bug(self) -> bool {
        environment().test.panic_in == Some(self)
    }

    /// Panics if `GRUS_TEST` asks for it.
    #[inline]
    pub fn pass(self) {
        assert!(!self.has_bug(), "GRUS_TEST asks for it");
    }
}
