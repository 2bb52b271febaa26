//! Threads of ours. They start with signals blocked and in the standard floating-point mode, whatever the thread has set
//! that happens to start them.
//!
//! The C library ends the process if it has no memory for what a thread notes when it begins. So none is started when
//! memory is short, and the thread that starts one waits until it has begun. The standard library would end it, too, where
//! memory runs out while it makes its record of the thread: the C library's own call returns an error.

use std::ffi::{CString, c_void};
use std::io;
use std::mem::MaybeUninit;
use std::ptr::null_mut;
use std::sync::{Arc, OnceLock};
use std::time::{Duration, Instant};

use rayon::{ThreadPool, ThreadPoolBuilder};

use super::fork::Global;
use super::signals::OnlyFaults;
use super::sync::{Condvar, Mutex};
use super::{bug, float_mode, memory};

/// What must be there for each thread: its stack, and what it needs before it does anything.
const ROOM: usize = 6 << 20;

/// Bytes of a thread's stack.
const STACK: usize = 2 << 20;

fn check_room(threads: usize) -> io::Result<()> {
    if memory::has(threads * ROOM) && memory::has_some() {
        Ok(())
    } else {
        Err(io::ErrorKind::OutOfMemory.into())
    }
}

/// What a thread is called and does.
struct ThreadSpec {
    name: CString,
    body: Box<dyn FnOnce() + Send>,
}

/// Where a thread of ours begins; it is passed its [`ThreadSpec`].
extern "C" fn begin(plan: *mut c_void) -> *mut c_void {
    // SAFETY: `spawn` leaves the plan to this thread.
    let ThreadSpec { name, body } = *unsafe { Box::from_raw(plan.cast::<ThreadSpec>()) };
    // SAFETY: the thread is this one, and the name ends with a zero. Too long a one is refused, which does no harm.
    unsafe { libc::pthread_setname_np(libc::pthread_self(), name.as_ptr()) };
    let _ = bug::contained("a thread", body);
    null_mut()
}

/// Starts a thread that nobody waits for; signals that are blocked here are blocked there.
fn spawn(name: &str, body: impl FnOnce() + Send + 'static) -> io::Result<()> {
    let plan = Box::into_raw(Box::new(ThreadSpec { name: CString::new(name)?, body: Box::new(body) }));
    let (mut attributes, mut thread) = (MaybeUninit::uninit(), MaybeUninit::uninit());
    // SAFETY: the attributes are made before they are used, and go once; the plan is the new thread's, or goes here.
    unsafe {
        let mut code = libc::pthread_attr_init(attributes.as_mut_ptr());
        if code == 0 {
            libc::pthread_attr_setstacksize(attributes.as_mut_ptr(), STACK);
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

/// Counts threads that have begun.
#[derive(Default)]
struct Begun {
    count: Mutex<usize>,
    changed: Condvar,
}

impl Begun {
    fn one_more(&self) {
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

/// Starts a thread that nobody waits for. It does `first` before this returns.
///
/// # Errors
/// If the system lets this process have no more, or memory is short.
pub fn start(
    name: &str,
    first: impl FnOnce() + Send + 'static,
    body: impl FnOnce() + Send + 'static,
) -> io::Result<()> {
    check_room(1)?;
    let begun = Arc::new(Begun::default());
    let tell = Arc::clone(&begun);
    let all = move || {
        float_mode::adopt();
        // Somebody waits for it.
        let _ = bug::contained("a thread that begins", first);
        tell.one_more();
        drop(tell);
        body();
    };
    let mask = OnlyFaults::enter();
    spawn(name, all)?;
    drop(mask);
    begun.wait_for(1);
    Ok(())
}

/// A pool of threads, made at first use. A forked child makes its own, since threads do not follow.
pub struct LazyThreadPool(Global<Made>);

struct Made {
    pool: OnceLock<ThreadPool>,
    /// When it is tried again if there were no threads to be had.
    again: Mutex<Option<Instant>>,
}

/// Between two tries.
const PAUSE: Duration = Duration::from_millis(100);

impl LazyThreadPool {
    /// Not made yet.
    #[expect(clippy::new_without_default, reason = "it is for statics")]
    pub const fn new() -> LazyThreadPool {
        LazyThreadPool(Global::of_threads())
    }

    /// The pool: up to `most` threads, each named after the pool and its number, each of which does `first` before this
    /// returns. If the system does not let it have as many, a smaller one; none if not one thread can be had.
    pub fn get(
        &self,
        name: &'static str,
        most: usize,
        first: impl Fn() + Send + Sync + Clone + 'static,
    ) -> Option<&ThreadPool> {
        let made = self.0.get(|| Made { pool: OnceLock::new(), again: Mutex::new(None) });
        if let Some(pool) = made.pool.get() {
            return Some(pool);
        }
        let mut again = made.again.lock();
        if made.pool.get().is_none() && again.is_none_or(|time| Instant::now() >= time) {
            match pool_of_up_to(name, most, first) {
                // It is set under the lock only.
                Ok(pool) => drop(made.pool.set(pool)),
                Err(_) => *again = Some(Instant::now() + PAUSE),
            }
        }
        drop(again);
        made.pool.get()
    }
}

fn pool_of_up_to(
    name: &'static str,
    most: usize,
    first: impl Fn() + Send + Sync + Clone + 'static,
) -> io::Result<ThreadPool> {
    let mut threads = most.max(1);
    loop {
        match pool_of(name, threads, first.clone()) {
            Err(_) if threads > 1 => threads /= 2,
            result => return result,
        }
    }
}

fn pool_of(
    name: &'static str,
    threads: usize,
    first: impl Fn() + Send + Sync + 'static,
) -> io::Result<ThreadPool> {
    check_room(threads)?;
    let begun = Arc::new(Begun::default());
    let tell = Arc::clone(&begun);
    let begin = move |_| {
        float_mode::adopt();
        // Somebody waits for it.
        let _ = bug::contained("a thread that begins", &first);
        tell.one_more();
    };
    let builder = ThreadPoolBuilder::new().num_threads(threads).start_handler(begin);
    let mask = OnlyFaults::enter();
    let start = |worker: rayon::ThreadBuilder| spawn(&format!("{name}-{}", worker.index()), || worker.run());
    let pool = builder.spawn_handler(start).build();
    drop(mask);
    let pool = pool.map_err(io::Error::other)?;
    begun.wait_for(threads);
    Ok(pool)
}
