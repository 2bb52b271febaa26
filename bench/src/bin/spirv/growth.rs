//! Time and memory of reading and building generated modules of growing size. Each size is a process of its own, since
//! memory that a build leaves to the allocator would hide what the next one takes.

use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

use grus_bench::client::{Code, Result, Session};
use grus_bench::process::{peak, processor_time, reset_peak};

use crate::modules::{FAMILIES, Family};
use crate::{Options, device_of};

/// Flag of the processes that measure one module.
pub const FLAG: &str = "--one-module";

/// Sum of the modules' bytes that are built for one figure, and bounds of the number of builds.
const BYTES_FOR_FIGURE: usize = 4 << 20;
const REPEATS: (usize, usize) = (3, 200);

/// Figures of one module: its bytes, seconds of creation and of the build, and bytes of memory at the peak.
struct Figures {
    bytes: f64,
    creation: f64,
    build: f64,
    peak: f64,
}

/// Prints the tables of the families that were named, or of all.
pub fn run(options: &Options) -> Result<()> {
    let families: Vec<&Family> = FAMILIES
        .iter()
        .filter(|family| options.names.is_empty() || options.names.iter().any(|name| name == family.name))
        .collect();
    if families.is_empty() {
        let names: Vec<&str> = FAMILIES.iter().map(|family| family.name).collect();
        return Err(format!("the families are {}", names.join(", ")));
    }
    device_of(&options.of)?;
    println!(
        "{:<12}{:>8}{:>12}{:>10}{:>8}{:>10}{:>8}{:>10}{:>10}",
        "", "count", "bytes", "creation", "slope", "build", "slope", "peak", "peak"
    );
    println!("{:<32}{:>10}{:>8}{:>10}{:>8}{:>10}{:>10}", "", "MB/s", "", "MB/s", "", "MiB", "a byte");
    for family in families {
        print_family(options, family);
    }
    Ok(())
}

/// Prints the rows of a family, up to the first that fails.
fn print_family(options: &Options, family: &Family) {
    let mut before: Option<Figures> = None;
    for count in family.counts() {
        print!("{:<12}{count:>8}", family.name);
        let now = match measure(options, family, count) {
            Ok(now) => now,
            Err(reason) => return println!("  {reason}"),
        };
        // The slope of the logarithm of a time against that of the size: 1 is linear.
        let slope = |time: fn(&Figures) -> f64| {
            let slope = before
                .as_ref()
                .map(|before| (time(&now) / time(before)).ln() / (now.bytes / before.bytes).ln());
            slope.map_or(String::new(), |slope| format!("{slope:.2}"))
        };
        println!(
            "{:>12}{:>10.0}{:>8}{:>10.1}{:>8}{:>10.1}{:>10.1}",
            now.bytes,
            now.bytes / now.creation / 1e6,
            slope(|figures| figures.creation),
            now.bytes / now.build / 1e6,
            slope(|figures| figures.build),
            now.peak / f64::from(1 << 20),
            now.peak / now.bytes,
        );
        before = Some(now);
    }
}

/// Measures a module in a process of its own.
fn measure(options: &Options, family: &Family, count: usize) -> Result<Figures> {
    let mut child = Command::new(std::env::current_exe().map_err(|e| e.to_string())?)
        .args([FLAG, &options.of, family.name, &count.to_string()])
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .map_err(|e| e.to_string())?;
    let start = Instant::now();
    // The output is one line, which a pipe holds.
    while child.try_wait().map_err(|e| e.to_string())?.is_none() {
        if start.elapsed() > options.limit {
            child.kill().and_then(|()| child.wait()).map_err(|e| e.to_string())?;
            return Err(format!("not ended in {} s", options.limit.as_secs()));
        }
        std::thread::sleep(Duration::from_millis(2));
    }
    let output = child.wait_with_output().map_err(|e| e.to_string())?;
    let text = String::from_utf8_lossy(&output.stdout);
    let numbers: Vec<f64> = text.split_whitespace().filter_map(|word| word.parse().ok()).collect();
    match numbers[..] {
        [bytes, creation, build, peak] => Ok(Figures { bytes, creation, build, peak }),
        _ => Err(format!("{}: {}", output.status, String::from_utf8_lossy(&output.stderr).trim())),
    }
}

/// Measures a module in this process, and prints the figures. Times are processor time, which other programs do not
/// affect. The peak is that of the first build, after one of a small module, which loads what all builds need.
pub fn measure_here(of: &str, family: &str, count: &str) -> Result<()> {
    let session = Session::new(device_of(of)?)?;
    let family = FAMILIES.iter().find(|known| known.name == family).ok_or("no such family")?;
    let module = (family.generate)(count.parse().map_err(|_| "no number")?);
    measure_build(&session, &(family.generate)(1))?;
    reset_peak();
    let before = peak();
    let (mut creation, mut build) = measure_build(&session, &module)?;
    let peak = (peak() - before) * f64::from(1 << 20);
    for _ in 1..(BYTES_FOR_FIGURE / module.len()).clamp(REPEATS.0, REPEATS.1) {
        let now = measure_build(&session, &module)?;
        (creation, build) = (now.0.min(creation), now.1.min(build));
    }
    println!("{} {creation} {build} {peak}", module.len());
    Ok(())
}

/// Returns the processor times of a module's creation and build.
fn measure_build(session: &Session, module: &[u8]) -> Result<(f64, f64)> {
    let start = processor_time();
    let program = session.create(Code::Module(module))?;
    let creation = processor_time() - start;
    let start = processor_time();
    let _program = session.complete(program, "")?;
    Ok((creation, processor_time() - start))
}
