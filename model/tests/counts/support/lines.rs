//! Cache lines as processors keep them: many may have a line to read, one to write. Who does not have it as he needs it gets it
//! from another: a transfer.

use std::cell::Cell;
use std::collections::{HashMap, HashSet};
use std::sync::{Mutex, MutexGuard, PoisonError};

/// Bytes.
const LINE: usize = 64;

thread_local! {
    /// None of threads of other tests, which do not count.
    static ME: Cell<Option<usize>> = const { Cell::new(None) };
}

/// What the lines have seen; none while nobody counts.
static LINES: Mutex<Option<HashMap<usize, Line>>> = Mutex::new(None);

/// Tests count one after the other.
static ALONE: Mutex<()> = Mutex::new(());

#[derive(Clone, Copy, PartialEq, Eq)]
pub enum Access {
    Reads,
    Writes,
}

#[derive(Default)]
struct Line {
    /// Who can read it; who can write it is alone.
    readers: HashSet<usize>,
    is_writable: bool,
    operations: u64,
    transfers: u64,
}

/// What was done to all lines, and the transfers of the one that had most.
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

/// From now on the lines count what threads do that have a number, the calling one the first.
pub fn begin() {
    i_am(0);
    *all() = Some(HashMap::new());
}

/// Until now.
pub fn end() -> Counts {
    let lines = all().take().unwrap_or_default();
    let sum = |of: fn(&Line) -> u64| lines.values().map(of).sum();
    Counts {
        operations: sum(|line| line.operations),
        transfers: sum(|line| line.transfers),
        busiest: lines.values().map(|line| line.transfers).max().unwrap_or(0),
    }
}

/// The calling thread does this to an atomic.
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
