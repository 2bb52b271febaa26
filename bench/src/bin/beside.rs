//! Times of transfers relative to two threads' memcpy of the same memory, on every device that the loader finds.
//!
//! Usage: `beside [KIB...]`; sizes from 128 KiB to 2 MiB by default. If a size fills a cache, the speed depends on
//! the physical pages as much as on the copying code, so both copy the same pages: a blocking write from the host's
//! memory to a buffer, and a copy between buffers with clFinish, each repeatedly. A cell contains the ratio to the
//! time of a memcpy by two threads, one of which tells the other when to begin, and the time in microseconds; both
//! are medians over several places in memory.

use std::hint::{black_box, spin_loop};
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Instant;

use cl_sys as cl;
use grus_bench::client::{Device, Result, Session};
use grus_bench::table::Table;

const SIZES: [usize; 8] = [128, 192, 256, 384, 512, 768, 1024, 2048];

/// Number of places in memory.
const ALLOCATIONS: usize = 9;

/// Number of measurements of each, of which the fastest counts, and number of bytes that one of them moves.
const MEASUREMENTS: usize = 5;
const BYTES_PER_MEASUREMENT: usize = 1 << 30;

fn main() {
    let requested: Vec<usize> = std::env::args().skip(1).filter_map(|arg| arg.parse().ok()).collect();
    let table = Table::begin("beside", &format!("{:<10}", "KiB"));
    for &size in if requested.is_empty() { &SIZES[..] } else { &requested[..] } {
        for (name, is_write) in [("write", true), ("copy", false)] {
            table.row("beside", &format!("{size:>5} {name:<5}"), |device| {
                beside(device, size << 10, is_write)
            });
        }
    }
}

fn beside(device: Device, size: usize, is_write: bool) -> Result<String> {
    let session = Session::new(device)?;
    // All memory stays allocated, since freed memory could be allocated again at once.
    let (mut hosts, mut buffers) = (Vec::new(), Vec::new());
    let (mut found, count) = (Vec::new(), BYTES_PER_MEASUREMENT / size);
    for allocation in 0..ALLOCATIONS {
        hosts.push(vec![allocation as u8 + 1; size]);
        let [from, to] = [session.buffer(size)?, session.buffer(size)?];
        session.write(&from, hosts.last().expect("one was pushed"))?;
        session.write(&to, hosts.last().expect("one was pushed"))?;
        buffers.push([from, to]);
        let ([from, to], host) = (&buffers[allocation], &hosts[allocation]);
        let mut best = [f64::MAX; 2];
        for _ in 0..MEASUREMENTS {
            best[0] = best[0].min(time_per_run(count, || {
                if is_write {
                    return session.write(to, host);
                }
                session.copy(from, to, size)?;
                session.finish()
            })?);
        }
        let mut by_threads = |from: &[u8], to: &mut [u8]| {
            (0..MEASUREMENTS).for_each(|_| best[1] = best[1].min(two_threads(count, from, to)));
        };
        let mut mapped = Ok(());
        session.map(to, cl::CL_MAP_WRITE, size, |to| {
            if is_write {
                by_threads(host, to);
            } else {
                mapped = session.map(from, cl::CL_MAP_READ, size, |from| by_threads(from, to));
            }
        })?;
        mapped?;
        found.push((best[0] / best[1], (best[0] - best[1]) * 1e6));
    }
    let median = |mut values: Vec<f64>| {
        values.sort_by(f64::total_cmp);
        values[values.len() / 2]
    };
    let (times, more) = found.into_iter().unzip();
    Ok(format!("{:.2} ({:+.2} µs)", median(times), median(more)))
}

/// Measures `count` runs of `once`. Returns the seconds per run.
fn time_per_run(count: usize, once: impl Fn() -> Result<()>) -> Result<f64> {
    let begin = Instant::now();
    (0..count).try_for_each(|_| once())?;
    Ok(begin.elapsed().as_secs_f64() / count as f64)
}

/// Measures copies by two threads, each of which copies a half. One thread tells the other when to begin, as for a
/// thread that helps with an API call, and is told when the copy is done.
fn two_threads(count: usize, from: &[u8], to: &mut [u8]) -> f64 {
    let (begun, done) = (AtomicUsize::new(0), AtomicUsize::new(0));
    let wait = |of: &AtomicUsize, round: usize| {
        while of.load(Ordering::Acquire) < round {
            spin_loop();
        }
    };
    let half = from.len() / 2;
    let (first, second) = to.split_at_mut(half);
    std::thread::scope(|scope| {
        scope.spawn(|| {
            for round in 1..=count + 1 {
                wait(&begun, round);
                black_box(&mut *second).copy_from_slice(black_box(&from[half..]));
                done.store(round, Ordering::Release);
            }
        });
        let mut once = |round| {
            begun.store(round, Ordering::Release);
            black_box(&mut *first).copy_from_slice(black_box(&from[..half]));
            wait(&done, round);
        };
        // The first run may have to start the thread.
        once(1);
        let begin = Instant::now();
        (2..=count + 1).for_each(once);
        begin.elapsed().as_secs_f64() / count as f64
    })
}
