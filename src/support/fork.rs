//! Fork safety of the library.
//!
//! A forked child has one thread, the one that forked, and a copy of all memory. A lock that another thread held
//! stays locked for ever in the child, and an update that another thread had begun is never finished. A fork
//! therefore waits up to a tenth of a second until no other thread is inside this library ([`enter`]) and no worker
//! has work left ([`Task`]). Meanwhile, threads that call the library wait until the fork is over. Then every lock
//! is free, and the child can use everything that was made before the fork. If the process does not become
//! quiescent in time, the child must not touch data that other threads may have left inconsistent: it starts over,
//! and [`Global`]s that hold such data are created anew. Workers never exist in the child.
//!
//! Entering costs two stores and two loads of memory that no other thread writes. The fence between the store "this
//! thread is inside" and the load "is a fork under way?" is left to the forking thread, which makes the kernel
//! execute one in every running thread (`sync::fence`).
//!
//! Globals are created without a lock: threads that arrive at the same time each create a value, and one of the
//! values is kept. A lock could not be taken in a child whose parent was just creating the value.

use std::cell::Cell;
use std::marker::PhantomData;
use std::ptr::{null, null_mut};
use std::sync::atomic::{self, AtomicBool, AtomicPtr, AtomicU32, AtomicUsize, Ordering, compiler_fence};
use std::time::{Duration, Instant};

use super::sync::fence;

/// Maximum time a fork waits for the other threads. Short calls need microseconds, but on a busy machine a thread
/// that is about to leave may not run for a while. Only a fork during a long command waits this long.
// Arbitrary.
const MAX_QUIESCE_WAIT: Duration = Duration::from_millis(100);

/// Number of forks under way in this process, during which no thread may enter, and the bit [`FENCED`]. Usually 0,
/// so that one comparison suffices on entry.
static ENTRY_GATE: AtomicU32 = AtomicU32::new(FENCED);
/// Bit in [`ENTRY_GATE`] that is set while entering threads must execute the fence themselves.
const FENCED: u32 = 1 << 31;
/// Number of forks between the first process and this one.
static FORKS: AtomicU32 = AtomicU32::new(0);
/// Number of those forks at which the parent was not quiescent.
static UNCLEAN_FORKS: AtomicU32 = AtomicU32::new(0);
/// Number of tasks that have not ended.
static TASKS: AtomicUsize = AtomicUsize::new(0);
/// Head of the list of all records. No record is ever freed.
static RECORDS: AtomicPtr<Record> = AtomicPtr::new(null_mut());

/// State of a thread that the forking thread reads.
struct Record {
    /// Nesting depth of the thread's calls: a callback may call the library again.
    depth: AtomicU32,
    /// True if a thread owns this record.
    taken: AtomicBool,
    next: *const Record,
}

thread_local! {
    static THREAD_RECORD: Cell<*const Record> = const { Cell::new(null()) };
    /// Result of `prepare`, for `child`.
    static QUIESCENT: Cell<bool> = const { Cell::new(false) };
    static RELEASE_RECORD: ReleaseRecord = const { ReleaseRecord };
}

/// Guard that gives a thread's record back when the thread ends.
struct ReleaseRecord;

impl Drop for ReleaseRecord {
    fn drop(&mut self) {
        let record = THREAD_RECORD.replace(null());
        // SAFETY: records are leaked boxes, which live for ever.
        if let Some(record) = unsafe { record.as_ref() }
            && record.depth.load(Ordering::Relaxed) == 0
        {
            record.taken.store(false, Ordering::Release);
        }
    }
}

/// Guard during whose lifetime its thread may hold locks of this library.
pub struct ApiGuard {
    record: &'static Record,
    /// Marker that keeps the guard on its thread.
    _thread: PhantomData<*const ()>,
}

/// Enters the library on this thread. Calls `first` if the thread has not entered before.
#[inline]
pub fn enter(first: impl FnOnce()) -> ApiGuard {
    // SAFETY: records are leaked boxes, which live for ever.
    let record = unsafe { THREAD_RECORD.get().as_ref() }.unwrap_or_else(|| {
        first();
        register()
    });
    let depth = record.depth.load(Ordering::Relaxed);
    record.depth.store(depth + 1, Ordering::Relaxed);
    if depth == 0 {
        // This is `fence::light`, whose heavy half is in `prepare`. The gate also says whether the heavy half
        // works.
        compiler_fence(Ordering::SeqCst);
        if ENTRY_GATE.load(Ordering::Acquire) != 0 {
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

/// Registers for the kernel's fences. Returns the initial value of [`ENTRY_GATE`].
fn register_fences() -> u32 {
    if fence::register() { 0 } else { FENCED }
}

#[cold]
fn wait_at_gate(record: &Record) {
    loop {
        atomic::fence(Ordering::SeqCst);
        if ENTRY_GATE.load(Ordering::Acquire) & !FENCED == 0 {
            return;
        }
        record.depth.store(0, Ordering::Release);
        loop {
            let gate = ENTRY_GATE.load(Ordering::Acquire);
            if gate & !FENCED == 0 {
                break;
            }
            // SAFETY: the word is a static. No wake-up is missed, because the kernel compares the value before it
            // sleeps.
            unsafe {
                let wait = libc::FUTEX_WAIT | libc::FUTEX_PRIVATE_FLAG;
                libc::syscall(libc::SYS_futex, ENTRY_GATE.as_ptr(), wait, gate, null::<libc::timespec>());
            }
        }
        record.depth.store(1, Ordering::Relaxed);
    }
}

/// Returns all records.
fn records() -> impl Iterator<Item = &'static Record> {
    // SAFETY: records are leaked boxes, which live for ever, and are complete before they are in the list.
    let at = |pointer: *const Record| unsafe { pointer.as_ref() };
    std::iter::successors(at(RECORDS.load(Ordering::Acquire)), move |record| at(record.next))
}

/// Registers this thread at its first call: reuses a record without an owner, or adds one.
#[cold]
fn register() -> &'static Record {
    static INSTALLED: AtomicBool = AtomicBool::new(false);
    if !INSTALLED.swap(true, Ordering::AcqRel) {
        if register_fences() == 0 {
            ENTRY_GATE.fetch_and(!FENCED, Ordering::SeqCst);
        }
        // SAFETY: the handlers are functions of this library; the C library removes them if this library is
        // unloaded.
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
    THREAD_RECORD.set(record);
    // A thread that is ending runs no further destructors; its record stays taken.
    let _ = RELEASE_RECORD.try_with(|_| ());
    record
}

/// Token of work given to a worker, from the moment it is given until its end.
#[derive(Debug)]
pub struct Task(());

impl Task {
    /// Counts one more task. The thread that gives the work creates the token; the thread that has done the work
    /// drops it last.
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
    let own = THREAD_RECORD.get();
    let is_out = |record: &Record| record.depth.load(Ordering::Acquire) == 0;
    records().all(|record| is_out(record) || std::ptr::eq(record, own)) && TASKS.load(Ordering::Acquire) == 0
}

/// Checks whether this thread is forking from a callback or a native kernel, so that its own call is incomplete.
fn is_inside() -> bool {
    // SAFETY: records are leaked boxes, which live for ever.
    unsafe { THREAD_RECORD.get().as_ref() }.is_some_and(|record| record.depth.load(Ordering::Relaxed) != 0)
}

extern "C" fn prepare() {
    ENTRY_GATE.fetch_add(1, Ordering::SeqCst);
    let mut quiescent = !is_inside() && fence::heavy();
    let start = Instant::now();
    // The loop polls, since a notification by leaving threads would slow down every call and forks are rare.
    while quiescent && !is_quiescent() {
        quiescent = start.elapsed() < MAX_QUIESCE_WAIT;
        std::thread::sleep(Duration::from_micros(20));
    }
    QUIESCENT.set(quiescent);
}

extern "C" fn parent() {
    if ENTRY_GATE.fetch_sub(1, Ordering::SeqCst) & !FENCED == 1 {
        // SAFETY: the word is a static.
        unsafe {
            let wake = libc::FUTEX_WAKE | libc::FUTEX_PRIVATE_FLAG;
            libc::syscall(libc::SYS_futex, ENTRY_GATE.as_ptr(), wake, i32::MAX);
        }
    }
}

/// Returns the number of forks between the first process and this one.
#[inline]
pub fn count() -> u32 {
    FORKS.load(Ordering::Relaxed)
}

/// Returns the number of those forks at which other threads were inside the library. Objects that were looked up
/// before the last of them do not belong to this process.
#[inline]
pub fn unclean_forks() -> u32 {
    UNCLEAN_FORKS.load(Ordering::Relaxed)
}

/// Resets the state in the child. Uses only stores and system calls, since nothing else is safe here.
extern "C" fn child() {
    FORKS.fetch_add(1, Ordering::Relaxed);
    if !QUIESCENT.get() {
        UNCLEAN_FORKS.fetch_add(1, Ordering::Relaxed);
    }
    super::memory::after_fork(QUIESCENT.get());
    let own = THREAD_RECORD.get();
    for record in records().filter(|record| !std::ptr::eq(*record, own)) {
        record.depth.store(0, Ordering::Relaxed);
        record.taken.store(false, Ordering::Relaxed);
    }
    TASKS.store(0, Ordering::Relaxed);
    ENTRY_GATE.store(register_fences(), Ordering::SeqCst);
}

/// Handling of a global in a forked child.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Renewal {
    /// Keeps the parent's value.
    Never,
    /// Creates a new value if the parent was not quiescent.
    Unclean,
    /// Always creates a new value.
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

/// Value that is created at first use, without a lock.
pub struct Global<T> {
    current: AtomicPtr<Stamped<T>>,
    renewal: Renewal,
    _owned: PhantomData<T>,
}

struct Stamped<T> {
    stamp: u32,
    value: T,
}

impl<T> Global<T> {
    const fn new(renewal: Renewal) -> Self {
        Self { current: AtomicPtr::new(null_mut()), renewal, _owned: PhantomData }
    }

    /// Returns a global for a fact that holds for children too.
    pub const fn fact() -> Self {
        Self::new(Renewal::Never)
    }

    /// Returns a global for objects and their locks: children keep it if the parent was quiescent.
    pub const fn of_objects() -> Self {
        Self::new(Renewal::Unclean)
    }

    /// Returns a global for state that needs worker threads: children create their own.
    pub const fn of_threads() -> Self {
        Self::new(Renewal::Fork)
    }

    /// Returns the value, created by `make` if this process has none. Several threads may create one at the same
    /// time; one of them is kept.
    #[inline]
    pub fn get(&self, make: impl FnOnce() -> T) -> &T {
        let stamp = self.renewal.stamp();
        let current = self.current.load(Ordering::Acquire);
        // SAFETY: a stored value lives as long as `self`, or for ever if a child has replaced it.
        match unsafe { current.as_ref() } {
            Some(made) if made.stamp == stamp => &made.value,
            _ => self.make(current, stamp, make()),
        }
    }

    /// Returns the current value, even if it is the parent's.
    pub fn peek(&self) -> Option<&T> {
        // SAFETY: a stored value lives as long as `self`, or for ever if a child has replaced it.
        unsafe { self.current.load(Ordering::Acquire).as_ref() }.map(|made| &made.value)
    }

    #[cold]
    fn make(&self, before: *mut Stamped<T>, stamp: u32, value: T) -> &T {
        let fresh = Box::into_raw(Box::new(Stamped { stamp, value }));
        // The parent's value, if there is one, is leaked: threads that do not exist here may hold its locks.
        let stored = self.current.compare_exchange(before, fresh, Ordering::AcqRel, Ordering::Acquire);
        let winner = stored.map_or_else(
            |other| {
                // SAFETY: `fresh` was not stored, so no other thread has seen it.
                drop(unsafe { Box::from_raw(fresh) });
                other
            },
            |_| fresh,
        );
        // SAFETY: `winner` was stored by this thread or by a faster one of this process, and lives as long as
        // `self`.
        unsafe { &(*winner).value }
    }
}

impl<T> Drop for Global<T> {
    fn drop(&mut self) {
        let current = *self.current.get_mut();
        // SAFETY: a non-null pointer was stored by `make` and is only freed here.
        if !current.is_null() && unsafe { (*current).stamp } == self.renewal.stamp() {
            // SAFETY: the pointer came out of a box in `make`, and the stamp shows that no child has abandoned it.
            drop(unsafe { Box::from_raw(current) });
        }
    }
}

// SAFETY: shared access hands out shared references to the value and drops a value only on the thread that made it.
unsafe impl<T: Send + Sync> Sync for Global<T> {}
// SAFETY: the value is owned through the pointer and moves with the global.
unsafe impl<T: Send> Send for Global<T> {}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn calls_nest_and_records_are_used_again() {
        // SAFETY: records are leaked boxes, which live for ever.
        let depth = || unsafe { THREAD_RECORD.get().as_ref() }.map_or(0, |r| r.depth.load(Ordering::Relaxed));
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
        // Other tests of this process run on threads of their own.
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
