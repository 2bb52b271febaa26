//! Threads of ours. They start with signals blocked and in the standard floating-point mode, whatever the thread has set
//! that happens to start them.

use std::io;

use rayon::{ThreadPool, ThreadPoolBuildError, ThreadPoolBuilder};

use super::float_mode;
use super::signals::OnlyFaults;

/// Starts a thread that nobody waits for.
///
/// # Errors
/// If the system lets this process have no more.
pub fn start(name: &str, body: impl FnOnce() + Send + 'static) -> io::Result<()> {
    let _mask = OnlyFaults::enter();
    let body = || {
        float_mode::adopt();
        body();
    };
    std::thread::Builder::new().name(name.to_owned()).spawn(body).map(drop)
}

/// A pool of up to `most` threads, each named after the pool and its number, each of which begins with `start`. If the
/// system does not let it have as many, a smaller one.
///
/// # Errors
/// If not one thread can be had.
pub fn pool(
    name: &'static str,
    most: usize,
    start: impl Fn() + Send + Sync + Clone + 'static,
) -> Result<ThreadPool, ThreadPoolBuildError> {
    let _mask = OnlyFaults::enter();
    let mut threads = most.max(1);
    loop {
        let start = start.clone();
        let begin = move |_| {
            float_mode::adopt();
            start();
        };
        let builder = ThreadPoolBuilder::new().num_threads(threads).start_handler(begin);
        match builder.thread_name(move |number| format!("{name}-{number}")).build() {
            Err(_) if threads > 1 => threads /= 2,
            result => return result,
        }
    }
}
