//! Growth of a build's time and memory with the size of the program, on every device that the loader finds.
//!
//! Usage: `scale [--limit SECONDS] [--memory GIB] [FAMILY...]`; all families by default. Each build, from source to
//! machine code, is a process of its own, which is limited in time (20 s) and memory (4 GiB). For each size the
//! table has seconds of processor time, MiB at the peak and the exponent: the slope of the logarithm of the time
//! against that of the size since the previous size. 1 is linear. The cost of a process without a program is
//! subtracted.

use std::io::Read;
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};

use grus_bench::client::{Arg, Device, Result, Session};
use grus_bench::process::{peak, processor_time};
use grus_bench::table::Table;
use grus_smith::families::{self, Family};

/// Smallest and largest size of a program.
const SIZES: (usize, usize) = (256, 16_384);

/// Minimum time in seconds that is long enough to be compared.
// Arbitrary.
const MIN_COMPARABLE_TIME: f64 = 0.02;

struct Limits {
    time: Duration,
    gib: u64,
}

fn main() {
    let mut args: Vec<String> = std::env::args().skip(1).collect();
    if let [flag, device, family, size] = &args[..]
        && flag == "--one"
    {
        return measure_build(device, family, size);
    }
    let mut option = |name: &str, default: u64| match args.iter().position(|a| a == name) {
        Some(at) if at + 1 < args.len() => {
            args.drain(at..at + 2).nth(1).and_then(|v| v.parse().ok()).unwrap_or(default)
        }
        _ => default,
    };
    let limits = Limits { time: Duration::from_secs(option("--limit", 20)), gib: option("--memory", 4) };
    let table = Table::begin("scale", &format!("{:<12}{:>8}", "s, MiB, slope", ""));
    for family in families::ALL.iter().filter(|f| args.is_empty() || args.iter().any(|a| a == f.name)) {
        sizes_of(family, &table, &limits);
    }
}

/// Prints the rows of one family, up to the size at which every device fails.
fn sizes_of(family: &Family, table: &Table, limits: &Limits) {
    let (mut size, most) = match family.max_size {
        most if most < SIZES.1 => (most / 8, most),
        _ => SIZES,
    };
    let mut before: Vec<Option<(usize, f64)>> = vec![Some((0, 0.0)); table.len()];
    while size <= most && before.iter().any(Option::is_some) {
        table.numbered(family.name, &format!("{:<12}{size:>8}", family.name), |number| {
            let Some((size_before, time_before)) = before[number].take() else { return Ok("-".into()) };
            let (time, mib) = measure(number, family, size, limits)?;
            before[number] = Some((size, time));
            let slope = (time / time_before).ln() / (size as f64 / size_before as f64).ln();
            let slope =
                if time_before >= MIN_COMPARABLE_TIME { format!("{slope:.2}") } else { String::new() };
            Ok(format!("{time:.3} {mib:>5.0} {slope:>5}"))
        });
        size *= 2;
    }
}

/// Measures the seconds and MiB of a build, minus those of an empty program.
fn measure(device: usize, family: &Family, size: usize, limits: &Limits) -> Result<(f64, f64)> {
    let command = Command::new(std::env::current_exe().map_err(|e| e.to_string())?)
        .args(["--one", &device.to_string(), family.name, &size.to_string()])
        .env("GRUS_SCALE_MEMORY", (limits.gib << 30).to_string())
        // Disables the cache that PoCL keeps between runs.
        .env("POCL_KERNEL_CACHE", "0")
        .stdout(Stdio::piped())
        .stderr(Stdio::null())
        .spawn();
    let output = wait(command.map_err(|e| e.to_string())?, limits.time)?;
    // The kernel may have printed before the result.
    let last = output.lines().last().unwrap_or("died");
    let mut numbers = last.split_whitespace().map(str::parse::<f64>);
    match (numbers.next(), numbers.next()) {
        (Some(Ok(time)), Some(Ok(mib))) => Ok((time, mib)),
        _ => Err(format!("{size}: {last}")),
    }
}

/// Returns the output of a process, if it ends in time.
fn wait(mut child: Child, limit: Duration) -> Result<String> {
    let start = Instant::now();
    // A kernel may print more than a pipe holds, so the output is read while it runs.
    let mut output = child.stdout.take().ok_or("no output")?;
    let reader = std::thread::spawn(move || {
        let mut text = Vec::new();
        output.read_to_end(&mut text).map(|_| text)
    });
    while child.try_wait().map_err(|e| e.to_string())?.is_none() {
        if start.elapsed() > limit {
            child.kill().and_then(|()| child.wait()).map_err(|e| e.to_string())?;
            return Err(format!("not ended in {} s", limit.as_secs()));
        }
        std::thread::sleep(Duration::from_millis(2));
    }
    let output = reader.join().map_err(|_| "reading failed")?.map_err(|e| e.to_string())?;
    Ok(String::from_utf8_lossy(&output).into_owned())
}

/// Runs one build in this process, after a build of an empty kernel, which starts the vendor's threads and loads
/// its libraries.
fn measure_build(device: &str, family: &str, size: &str) {
    let build = || -> Result<(f64, f64)> {
        let device = device.parse().ok().and_then(|at: usize| Device::all().ok()?.get(at).copied());
        let session = Session::new(device.ok_or("no such device")?)?;
        let family = families::by_name(family).ok_or("no such family")?;
        let source = family.source(size.parse().map_err(|_| "no size")?);
        build_and_launch(&session, "kernel void k(global uint *g, global uint *in) { g[0] = in[0]; }")?;
        let memory = peak();
        limit_memory(std::env::var("GRUS_SCALE_MEMORY").ok().and_then(|bytes| bytes.parse().ok()));
        let start = processor_time();
        build_and_launch(&session, &source)?;
        Ok((processor_time() - start, peak() - memory))
    };
    match build() {
        Ok((time, mib)) => println!("{time} {mib}"),
        Err(message) => println!("{message}"),
    }
}

/// Builds a program and launches its kernel with one work-item on zeros: loops have no iteration, most branches are
/// not taken.
fn build_and_launch(session: &Session, source: &str) -> Result<()> {
    let program = session.build(source, "")?;
    let zeros = vec![0u8; 1 << 20];
    let buffers = [session.buffer(zeros.len())?, session.buffer(zeros.len())?];
    buffers.iter().try_for_each(|buffer| session.write(buffer, &zeros))?;
    let kernel = program.kernel("k")?;
    kernel.set(&buffers.iter().map(Arg::Buffer).collect::<Vec<_>>())?;
    session.enqueue(&kernel, &[1], Some(&[1]))?;
    session.finish()
}

/// Limits the data size of this process.
fn limit_memory(bytes: Option<u64>) {
    let Some(bytes) = bytes else { return };
    let limit = libc::rlimit { rlim_cur: bytes, rlim_max: bytes };
    // SAFETY: `limit` is a valid rlimit, and affects this process only.
    unsafe { libc::setrlimit(libc::RLIMIT_DATA, &limit) };
}
