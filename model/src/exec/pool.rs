//! The pool, each of whose threads does one thing.

use super::Cores;
use crate::support::thread;

pub(super) fn spawn(_part: Option<&Cores>, what: impl FnOnce() + Send + 'static) -> bool {
    thread::start("pool", || (), what).is_ok()
}

/// Threads that help come to one queue all the same, so that what they take is another's.
pub(super) fn place() -> usize {
    0
}
