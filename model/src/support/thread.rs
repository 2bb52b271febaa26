//! Threads of the library, of which a scenario says how many there may be.

use std::io;
use std::panic::{AssertUnwindSafe, catch_unwind};

use crate::harness::{self, Closing};

/// # Errors
/// If there are as many as the scenario lets there be.
pub fn start(
    _name: &str,
    first: impl FnOnce() + Send + 'static,
    body: impl FnOnce() + Send + 'static,
) -> io::Result<()> {
    let guard = harness::worker_begins().ok_or(io::ErrorKind::OutOfMemory)?;
    loom::thread::spawn(move || {
        first();
        // It never ends by itself: the end of the scenario ends it.
        if let Err(panic) = catch_unwind(AssertUnwindSafe(body))
            && !panic.is::<Closing>()
        {
            std::panic::resume_unwind(panic);
        }
        drop(guard);
    });
    Ok(())
}
