//! What a forked child finds.
//!
//! A child has one thread, the one that forked, and a copy of everything else: locks that other threads held stay locked
//! for ever, what they were about to finish is never finished. So a fork first waits, for a tenth of a second, until no
//! other thread is inside this library ([`enter`]) and no work is with threads of ours ([`Task`]); threads that would come
//! in meanwhile wait until it is over. Then every lock is free, and all that was made before the fork can be used in the
//! child. If it does not become quiescent in time, the child must not touch what the others may have left half done: it starts
//! over, and [`Global`]s that hold such things are made anew. Threads of ours never follow.
//!
//! Coming in costs two stores and two loads of memory that no other thread writes: the fence between "I am in" and "is
//! there a fork?" is left to the forking thread, which has the kernel put one into every running thread (`sync::fence`).
//!
//! Globals are made without a lock: a thread that comes at the same time makes one too, and one of them stays. A lock that guards
//! the making of a value could not be taken in a child whose parent was about to make it.

use std::cell::Cell;
use std::marker::PhantomData;
use std::ptr::{null, null_mut};
use std::sync::atomic::{self, AtomicBool, AtomicPtr, AtomicU32, AtomicUsize, Ordering, compiler_fence};
use std::time::{Duration, Instant};

use super::sync::fence;

/// How long a fork waits for others to come to rest. Short calls need microseconds, but on a machine with much to do a
/// thread that is about to leave may not run for a while; only a fork beside a long command takes all of it.
const PATIENCE: Duration = Duration::from_millis(100);

/// Forks under way in this process, during which nobody enters; and [`FENCED`]. Usually 0, and all that is looked at.
static GATE: AtomicU32 = AtomicU32::new(FENCED);
/// Threads that enter must fence for themselves.
const FENCED: u32 = 1 << 31;
/// Forks that lie behind this process.
static FORKS: AtomicU32 = AtomicU32::new(0);
/// Those among them at which it was not quiescent.
static UNCLEAN_FORKS: AtomicU32 = AtomicU32::new(0);
/// Tasks that have not ended.
static TASKS: AtomicUsize = AtomicUsize::new(0);
/// The list of all records; none is ever freed.
static RECORDS: AtomicPtr<Record> = AtomicPtr::new(null_mut());

/// What the forking thread needs to know of another thread.
struct Record {
    /// How often the thread is inside: calls from callbacks nest.
    depth: AtomicU32,
    /// Whether a thread has this record.
    taken: AtomicBool,
    next: *const Record,
}

thread_local! {
    static MINE: Cell<*const Record> = const { Cell::new(null()) };
    /// What `prepare` found, for `child`.
    static QUIESCENT: Cell<bool> = const { Cell::new(false) };
    static GIVE_BACK: GiveBack = const { GiveBack };
}

/// Returns a thread's record when it ends.
struct GiveBack;

impl Drop for GiveBack {
    fn drop(&mut self) {
        let record = MINE.replace(null());
        // SAFETY: records live for ever.
        if let Some(record) = unsafe { record.as_ref() }
            && record.depth.load(Ordering::Relaxed) == 0
        {
            record.taken.store(false, Ordering::Release);
        }
    }
}

/// As long as it lives, its thread may hold locks of this library.
pub struct ApiGuard {
    record: &'static Record,
    /// It stays on its thread.
    _thread: PhantomData<*const ()>,
}

/// This thread enters. At its first visit it calls `first`.
#[inline]
pub fn enter(first: impl FnOnce()) -> ApiGuard {
    // SAFETY: records live for ever.
    let record = unsafe { MINE.get().as_ref() }.unwrap_or_else(|| {
        first();
        register()
    });
    let depth = record.depth.load(Ordering::Relaxed);
    record.depth.store(depth + 1, Ordering::Relaxed);
    if depth == 0 {
        // As `fence::light`, whose other half is in `prepare`. The gate says as well whether that does.
        compiler_fence(Ordering::SeqCst);
        if GATE.load(Ordering::Acquire) != 0 {
            wait_at_gate(record);
        }
    }
    ApiGuard { record, _thread: PhantomData }
}

impl Drop for ApiGuard {
    #[inline]
    fn drop(&mut self) {
        let depth = self.record.depth.load(Ordering::Relaxed);
        self.record.depth.store(depth - 1, Ordering::Release);
    }
}

/// Has the kernel fence for threads that enter, if it does. What [`GATE`] says then.
fn register_fences() -> u32 {
    if fence::register() { 0 } else { FENCED }
}

#[cold]
fn wait_at_gate(record: &Record) {
    loop {
        atomic::fence(Ordering::SeqCst);
        if GATE.load(Ordering::Acquire) & !FENCED == 0 {
            return;
        }
        record.depth.store(0, Ordering::Release);
        loop {
            let gate = GATE.load(Ordering::Acquire);
            if gate & !FENCED == 0 {
                break;
            }
            // SAFETY: the word lives for ever; a missed wake is impossible, since the value is compared.
            unsafe {
                let wait = libc::FUTEX_WAIT | libc::FUTEX_PRIVATE_FLAG;
                libc::syscall(libc::SYS_futex, GATE.as_ptr(), wait, gate, null::<libc::timespec>());
            }
        }
        record.depth.store(1, Ordering::Relaxed);
    }
}

/// Every record.
fn records() -> impl Iterator<Item = &'static Record> {
    // SAFETY: records live for ever, and are complete before they are in the list.
    let at = |pointer: *const Record| unsafe { pointer.as_ref() };
    std::iter::successors(at(RECORDS.load(Ordering::Acquire)), move |record| at(record.next))
}

/// This thread's first visit: takes a record that no thread has, or makes one.
#[cold]
fn register() -> &'static Record {
    static INSTALLED: AtomicBool = AtomicBool::new(false);
    if !INSTALLED.swap(true, Ordering::AcqRel) {
        if register_fences() == 0 {
            GATE.fetch_and(!FENCED, Ordering::SeqCst);
        }
        // SAFETY: the handlers are functions of this library, which takes them back if it is unloaded.
        let _ = unsafe { libc::pthread_atfork(Some(prepare), Some(parent), Some(child)) };
    }
    let free = |record: &&Record| {
        record.taken.compare_exchange(false, true, Ordering::AcqRel, Ordering::Relaxed).is_ok()
    };
    let record = records().find(free).unwrap_or_else(|| {
        let record = Box::leak(Box::new(Record {
            depth: AtomicU32::new(0),
            taken: AtomicBool::new(true),
            next: null(),
        }));
        let mut head = RECORDS.load(Ordering::Acquire);
        loop {
            record.next = head;
            match RECORDS.compare_exchange(head, record, Ordering::AcqRel, Ordering::Acquire) {
                Ok(_) => return record,
                Err(other) => head = other,
            }
        }
    });
    MINE.set(record);
    // A thread that is ending has no destructors any more; its record stays taken.
    let _ = GIVE_BACK.try_with(|_| ());
    record
}

/// Work that was given to a thread of ours, from the moment it is given until its end.
#[derive(Debug)]
pub struct Task(());

impl Task {
    /// To be made by the thread that gives the work, and dropped last by the one that has done it.
    #[expect(clippy::new_without_default, reason = "it counts")]
    pub fn new() -> Self {
        TASKS.fetch_add(1, Ordering::AcqRel);
        Self(())
    }
}

impl Drop for Task {
    fn drop(&mut self) {
        TASKS.fetch_sub(1, Ordering::AcqRel);
    }
}

fn is_quiescent() -> bool {
    let mine = MINE.get();
    let is_out = |record: &Record| record.depth.load(Ordering::Acquire) == 0;
    records().all(|record| is_out(record) || std::ptr::eq(record, mine)) && TASKS.load(Ordering::Acquire) == 0
}

/// Whether this thread forks from a callback or a native kernel: then its own work is half done.
fn is_inside() -> bool {
    // SAFETY: records live for ever.
    unsafe { MINE.get().as_ref() }.is_some_and(|record| record.depth.load(Ordering::Relaxed) != 0)
}

extern "C" fn prepare() {
    GATE.fetch_add(1, Ordering::SeqCst);
    let mut quiescent = !is_inside() && fence::heavy();
    let start = Instant::now();
    // Nobody tells when he goes: that would cost every call something, and forks are rare.
    while quiescent && !is_quiescent() {
        quiescent = start.elapsed() < PATIENCE;
        std::thread::sleep(Duration::from_micros(20));
    }
    QUIESCENT.set(quiescent);
}

extern "C" fn parent() {
    if GATE.fetch_sub(1, Ordering::SeqCst) & !FENCED == 1 {
        // SAFETY: the word lives for ever.
        unsafe {
            let wake = libc::FUTEX_WAKE | libc::FUTEX_PRIVATE_FLAG;
            libc::syscall(libc::SYS_futex, GATE.as_ptr(), wake, i32::MAX);
        }
    }
}

/// How many forks lie behind this process.
#[inline]
pub fn count() -> u32 {
    FORKS.load(Ordering::Relaxed)
}

/// At how many of them other threads were at work: objects found before the last of these are not this process's.
#[inline]
pub fn unclean_forks() -> u32 {
    UNCLEAN_FORKS.load(Ordering::Relaxed)
}

/// Stores and system calls only: nothing else is safe here.
extern "C" fn child() {
    FORKS.fetch_add(1, Ordering::Relaxed);
    if !QUIESCENT.get() {
        UNCLEAN_FORKS.fetch_add(1, Ordering::Relaxed);
    }
    super::memory::after_fork(QUIESCENT.get());
    let mine = MINE.get();
    for record in records().filter(|record| !std::ptr::eq(*record, mine)) {
        record.depth.store(0, Ordering::Relaxed);
        record.taken.store(false, Ordering::Relaxed);
    }
    TASKS.store(0, Ordering::Relaxed);
    GATE.store(register_fences(), Ordering::SeqCst);
}

/// What a forked child does with a global.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Renewal {
    /// It keeps it.
    Never,
    /// It makes its own if it was not quiescent.
    Unclean,
    /// It makes its own.
    Fork,
}

impl Renewal {
    #[inline]
    fn stamp(self) -> u32 {
        match self {
            Renewal::Never => 0,
            Renewal::Unclean => UNCLEAN_FORKS.load(Ordering::Relaxed),
            Renewal::Fork => FORKS.load(Ordering::Relaxed),
        }
    }
}

/// A value that is made at first use, without a lock.
pub struct Global<T> {
    current: AtomicPtr<Made<T>>,
    renewal: Renewal,
    _owned: PhantomData<T>,
}

struct Made<T> {
    stamp: u32,
    value: T,
}

impl<T> Global<T> {
    const fn new(renewal: Renewal) -> Self {
        Self { current: AtomicPtr::new(null_mut()), renewal, _owned: PhantomData }
    }

    /// A fact: children keep it.
    pub const fn fact() -> Self {
        Self::new(Renewal::Never)
    }

    /// What objects and their locks hang on: children keep it if the fork found everything at rest.
    pub const fn of_objects() -> Self {
        Self::new(Renewal::Unclean)
    }

    /// What threads hang on: children make their own.
    pub const fn of_threads() -> Self {
        Self::new(Renewal::Fork)
    }

    /// The value, made by `make` if this process has none. Several threads may make one at the same time; one stays.
    #[inline]
    pub fn get(&self, make: impl FnOnce() -> T) -> &T {
        let stamp = self.renewal.stamp();
        let current = self.current.load(Ordering::Acquire);
        // SAFETY: what was stored lives as long as `self`, or for ever.
        match unsafe { current.as_ref() } {
            Some(made) if made.stamp == stamp => &made.value,
            _ => self.make(current, stamp, make()),
        }
    }

    /// The value that there is, even if it is the parent's.
    pub fn peek(&self) -> Option<&T> {
        // SAFETY: as above.
        unsafe { self.current.load(Ordering::Acquire).as_ref() }.map(|made| &made.value)
    }

    #[cold]
    fn make(&self, before: *mut Made<T>, stamp: u32, value: T) -> &T {
        let fresh = Box::into_raw(Box::new(Made { stamp, value }));
        // The parent's, if there was one, is given up: its locks may be held by threads that do not exist here.
        let stored = self.current.compare_exchange(before, fresh, Ordering::AcqRel, Ordering::Acquire);
        let winner = stored.map_or_else(
            |other| {
                // SAFETY: nobody else has seen `fresh`.
                drop(unsafe { Box::from_raw(fresh) });
                other
            },
            |_| fresh,
        );
        // SAFETY: as above; another thread of this process was faster, and so stored one with this stamp.
        unsafe { &(*winner).value }
    }
}

impl<T> Drop for Global<T> {
    fn drop(&mut self) {
        let current = *self.current.get_mut();
        // SAFETY: stored by `make`, and only dropped here.
        if !current.is_null() && unsafe { (*current).stamp } == self.renewal.stamp() {
            // SAFETY: as above.
            drop(unsafe { Box::from_raw(current) });
        }
    }
}

// SAFETY: it hands out shared references only, and drops the value wherever it is dropped itself.
unsafe impl<T: Send + Sync> Sync for Global<T> {}
// SAFETY: as above.
unsafe impl<T: Send> Send for Global<T> {}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn calls_nest_and_records_are_used_again() {
        // SAFETY: records live for ever.
        let depth = || unsafe { MINE.get().as_ref() }.map_or(0, |r| r.depth.load(Ordering::Relaxed));
        let outer = enter(|| ());
        let inner = enter(|| ());
        assert_eq!(depth(), 2);
        drop(inner);
        assert_eq!(depth(), 1);
        drop(outer);
        assert_eq!(depth(), 0);
        for _ in 0..100 {
            std::thread::spawn(|| drop(enter(|| ()))).join().unwrap();
        }
        // Other tests of this process have threads, too.
        assert!(records().count() < 50);
    }

    #[test]
    fn a_global_is_made_once_and_dropped() {
        let counted = std::sync::Arc::new(());
        let global = Global::of_threads();
        for _ in 0..3 {
            global.get(|| counted.clone());
        }
        assert_eq!(std::sync::Arc::strong_count(&counted), 2);
        assert!(global.peek().is_some());
        drop(global);
        assert_eq!(std::sync::Arc::strong_count(&counted), 1);
    }

    #[test]
    fn threads_that_make_a_global_at_once_agree() {
        for _ in 0..50 {
            let global = Global::fact();
            let seen: Vec<usize> = std::thread::scope(|scope| {
                let get = || std::ptr::from_ref(global.get(|| vec![1])).addr();
                let threads: Vec<_> = (0..4).map(|_| scope.spawn(get)).collect();
                threads.into_iter().map(|t| t.join().unwrap()).collect()
            });
            assert!(seen.iter().all(|&address| address == seen[0]));
        }
    }
}
