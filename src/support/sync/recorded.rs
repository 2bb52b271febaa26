//! Record of the locks that a thread acquires, for tests of what threads share. It exists in builds with debug assertions
//! only.

use std::cell::RefCell;
use std::collections::BTreeSet;

thread_local! {
    /// Addresses of the locks, while they are recorded.
    static LOCKS: RefCell<Option<BTreeSet<usize>>> = const { RefCell::new(None) };
}

/// Returns the addresses of the locks that the calling thread acquires while `function` runs.
pub fn locks_in(function: impl FnOnce()) -> BTreeSet<usize> {
    LOCKS.set(Some(BTreeSet::new()));
    function();
    LOCKS.take().unwrap_or_default()
}

/// Records that the calling thread acquires a lock.
pub(super) fn record<T>(lock: &T) {
    // Fails when the thread ends and its data are gone.
    let _ = LOCKS.try_with(|locks| {
        if let Ok(mut locks) = locks.try_borrow_mut()
            && let Some(locks) = &mut *locks
        {
            locks.insert(std::ptr::from_ref(lock).addr());
        }
    });
}
