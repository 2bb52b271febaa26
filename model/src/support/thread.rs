//! Library threads, whose number a scenario limits.

use std::io;
use std::panic::{AssertUnwindSafe, catch_unwind};

use crate::harness::{self, Closing};

/// # Errors
/// If the scenario's number of threads is reached.
pub fn start(
    _name: &str,
    first: impl FnOnce() + Send + 'static,
    body: impl FnOnce() + Send + 'static,
) -> io::Result<()> {
    let guard = harness::worker_begins().ok_or(io::ErrorKind::OutOfMemory)?;
    loom::thread::spawn(move || {
        first();
        // The body never returns: it is ended by the end of the scenario.
        if let Err(panic) = catch_unwind(AssertUnwindSafe(body))
            && !panic.is::<Closing>()
        {
            std::panic::resume_unwind(panic);
        }
        drop(guard);
    });
    Ok(())
}
