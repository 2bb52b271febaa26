//! Model of cache lines: many threads may hold a line for reading, one for writing. A thread that lacks the access
//! it needs gets the line from another thread: a transfer.

use std::cell::Cell;
use std::collections::{HashMap, HashSet};
use std::sync::{Mutex, MutexGuard, PoisonError};

/// Size of a cache line in bytes.
const LINE: usize = 64;

thread_local! {
    /// Number of the thread; `None` for threads of other tests, which do not count.
    static ME: Cell<Option<usize>> = const { Cell::new(None) };
}

/// Recorded state of all lines; `None` while no test counts.
static LINES: Mutex<Option<HashMap<usize, Line>>> = Mutex::new(None);

/// Lock that serializes the counting tests.
static ALONE: Mutex<()> = Mutex::new(());

#[derive(Clone, Copy, PartialEq, Eq)]
pub enum Access {
    Reads,
    Writes,
}

#[derive(Default)]
struct Line {
    /// Threads that can read the line; a thread that can write it is the only one.
    readers: HashSet<usize>,
    is_writable: bool,
    operations: u64,
    transfers: u64,
}

/// Numbers of operations on all lines, and number of transfers of the line with the most.
#[derive(Clone, Copy, Debug)]
pub struct Counts {
    pub operations: u64,
    pub transfers: u64,
    pub busiest: u64,
}

pub fn alone() -> MutexGuard<'static, ()> {
    ALONE.lock().unwrap_or_else(PoisonError::into_inner)
}

fn all() -> MutexGuard<'static, Option<HashMap<usize, Line>>> {
    LINES.lock().unwrap_or_else(PoisonError::into_inner)
}

pub fn me() -> usize {
    ME.get().expect("a thread that counts")
}

pub fn i_am(me: usize) {
    ME.set(Some(me));
}

/// Begins to count the accesses of threads that have a number; the calling thread is the first.
pub fn begin() {
    i_am(0);
    *all() = Some(HashMap::new());
}

/// Ends the counting. Returns the counts.
pub fn end() -> Counts {
    let lines = all().take().unwrap_or_default();
    let sum = |of: fn(&Line) -> u64| lines.values().map(of).sum();
    Counts {
        operations: sum(|line| line.operations),
        transfers: sum(|line| line.transfers),
        busiest: lines.values().map(|line| line.transfers).max().unwrap_or(0),
    }
}

/// Records an access of the calling thread to an atomic.
pub fn note<T>(atomic: &T, access: Access) {
    let Some(me) = ME.get() else { return };
    let mut all = all();
    let Some(lines) = all.as_mut() else { return };
    let line = lines.entry(std::ptr::from_ref(atomic).addr() / LINE).or_default();
    line.operations += 1;
    let has = line.readers.contains(&me) && (access == Access::Reads || line.is_writable);
    if has {
        return;
    }
    line.transfers += 1;
    if access == Access::Writes {
        line.readers.clear();
    }
    line.readers.insert(me);
    line.is_writable = access == Access::Writes;
}
