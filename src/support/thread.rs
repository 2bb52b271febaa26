//! Threads of the library. They start with signals blocked and in the standard floating-point mode, whatever the
//! thread that starts them has set.
//!
//! The C library aborts the process if it has no memory for the thread-local data of a new thread. No thread is
//! therefore started while memory is short, and the starting thread waits until the new one has begun. Threads are
//! created by the C library's own function, which returns an error: the standard library aborts if it has no memory
//! for its record of the thread.

use std::ffi::{CString, c_void};
use std::io;
use std::mem::MaybeUninit;
use std::ptr::null_mut;
use std::sync::{Arc, OnceLock};
use std::time::{Duration, Instant};

use rayon::{ThreadPool, ThreadPoolBuilder};

use super::fork::Global;
use super::signals::BlockAllButFaults;
use super::sync::{Condvar, Mutex};
use super::{bug, float_mode, memory};

/// Number of bytes that must be available for each thread: its stack, and its allocations while it starts.
// Arbitrary.
const BYTES_PER_THREAD: usize = 6 << 20;

/// Size of a thread's stack in bytes.
// Arbitrary.
const STACK_SIZE: usize = 2 << 20;

fn check_memory(threads: usize) -> io::Result<()> {
    if memory::has(threads * BYTES_PER_THREAD) && memory::has_any() {
        Ok(())
    } else {
        Err(io::ErrorKind::OutOfMemory.into())
    }
}

/// Name and main function of a thread.
struct ThreadSpec {
    name: CString,
    body: Box<dyn FnOnce() + Send>,
}

/// Runs a new thread of the library; the argument is its [`ThreadSpec`].
extern "C" fn begin(plan: *mut c_void) -> *mut c_void {
    // SAFETY: `spawn` passes a pointer from a box and gives up its ownership.
    let ThreadSpec { name, body } = *unsafe { Box::from_raw(plan.cast::<ThreadSpec>()) };
    // SAFETY: the thread is the calling one, and the name ends with a zero. The system harmlessly refuses names
    // that are too long.
    unsafe { libc::pthread_setname_np(libc::pthread_self(), name.as_ptr()) };
    let _ = bug::contained("a thread", body);
    null_mut()
}

/// Starts a detached thread, which inherits the signal mask.
fn spawn(name: &str, body: impl FnOnce() + Send + 'static) -> io::Result<()> {
    let plan = Box::into_raw(Box::new(ThreadSpec { name: CString::new(name)?, body: Box::new(body) }));
    let (mut attributes, mut thread) = (MaybeUninit::uninit(), MaybeUninit::uninit());
    // SAFETY: the attributes are initialized before they are used and destroyed once. The plan belongs to the new
    // thread, or is freed here if there is none.
    unsafe {
        let mut code = libc::pthread_attr_init(attributes.as_mut_ptr());
        if code == 0 {
            libc::pthread_attr_setstacksize(attributes.as_mut_ptr(), STACK_SIZE);
            libc::pthread_attr_setdetachstate(attributes.as_mut_ptr(), libc::PTHREAD_CREATE_DETACHED);
            code = libc::pthread_create(thread.as_mut_ptr(), attributes.as_ptr(), begin, plan.cast());
            libc::pthread_attr_destroy(attributes.as_mut_ptr());
        }
        if code != 0 {
            drop(Box::from_raw(plan));
            return Err(io::Error::from_raw_os_error(code));
        }
    }
    Ok(())
}

/// Counter of the threads that have begun.
#[derive(Default)]
struct StartCounter {
    count: Mutex<usize>,
    changed: Condvar,
}

impl StartCounter {
    fn increment(&self) {
        *self.count.lock() += 1;
        self.changed.notify_all();
    }

    fn wait_for(&self, threads: usize) {
        let mut count = self.count.lock();
        while *count < threads {
            count = self.changed.wait(count);
        }
    }
}

/// Starts a detached thread and returns after the thread has run `first`.
///
/// # Errors
/// Returns an error if the system allows this process no more threads, or if memory is short.
pub fn start(
    name: &str,
    first: impl FnOnce() + Send + 'static,
    body: impl FnOnce() + Send + 'static,
) -> io::Result<()> {
    check_memory(1)?;
    let started = Arc::new(StartCounter::default());
    let counter = Arc::clone(&started);
    let all = move || {
        float_mode::set_standard();
        // The starting thread waits for this one, so a panic must not skip the notification.
        let _ = bug::contained("a thread that begins", first);
        counter.increment();
        drop(counter);
        body();
    };
    let mask = BlockAllButFaults::enter();
    spawn(name, all)?;
    drop(mask);
    started.wait_for(1);
    Ok(())
}

/// Thread pool that is created at first use. A forked child creates its own, since threads do not exist in the
/// child.
pub struct LazyThreadPool(Global<LazyPool>);

struct LazyPool {
    pool: OnceLock<ThreadPool>,
    /// Time of the next attempt after no thread could be started.
    retry_at: Mutex<Option<Instant>>,
}

/// Time between two attempts.
// Arbitrary.
const RETRY_INTERVAL: Duration = Duration::from_millis(100);

impl LazyThreadPool {
    /// Returns a pool that is not created yet.
    #[expect(clippy::new_without_default, reason = "it is for statics")]
    pub const fn new() -> LazyThreadPool {
        LazyThreadPool(Global::of_threads())
    }

    /// Returns the pool. It has up to `max_threads` threads, named after the pool with a number; all of them have run
    /// `first` before this returns. The pool is smaller if the system does not allow so many threads; none if not
    /// even one thread can be started.
    pub fn get(
        &self,
        name: &'static str,
        max_threads: usize,
        first: impl Fn() + Send + Sync + Clone + 'static,
    ) -> Option<&ThreadPool> {
        let lazy = self.0.get(|| LazyPool { pool: OnceLock::new(), retry_at: Mutex::new(None) });
        if let Some(pool) = lazy.pool.get() {
            return Some(pool);
        }
        let mut retry_at = lazy.retry_at.lock();
        if lazy.pool.get().is_none() && retry_at.is_none_or(|time| Instant::now() >= time) {
            match build_largest_pool(name, max_threads, first) {
                // The pool is set under the lock only.
                Ok(pool) => drop(lazy.pool.set(pool)),
                Err(_) => *retry_at = Some(Instant::now() + RETRY_INTERVAL),
            }
        }
        drop(retry_at);
        lazy.pool.get()
    }
}

fn build_largest_pool(
    name: &'static str,
    max_threads: usize,
    first: impl Fn() + Send + Sync + Clone + 'static,
) -> io::Result<ThreadPool> {
    let mut threads = max_threads.max(1);
    loop {
        match build_pool(name, threads, first.clone()) {
            Err(_) if threads > 1 => threads /= 2,
            result => return result,
        }
    }
}

fn build_pool(
    name: &'static str,
    threads: usize,
    first: impl Fn() + Send + Sync + 'static,
) -> io::Result<ThreadPool> {
    check_memory(threads)?;
    let started = Arc::new(StartCounter::default());
    let counter = Arc::clone(&started);
    let begin = move |_| {
        float_mode::set_standard();
        // The creating thread waits for this one, so a panic must not skip the notification.
        let _ = bug::contained("a thread that begins", &first);
        counter.increment();
    };
    let builder = ThreadPoolBuilder::new().num_threads(threads).start_handler(begin);
    let mask = BlockAllButFaults::enter();
    let start = |worker: rayon::ThreadBuilder| spawn(&format!("{name}-{}", worker.index()), || worker.run());
    let pool = builder.spawn_handler(start).build();
    drop(mask);
    let pool = pool.map_err(io::Error::other)?;
    started.wait_for(threads);
    Ok(pool)
}
