//! Memory that a process keeps after it was freed: resident bytes above those of live buffers, after many
//! allocations of mixed sizes. Each device is measured in a process of its own.

use std::cell::RefCell;
use std::collections::HashMap;
use std::process::Command;
use std::time::Duration;

use grus_bench::client::{Buffer, Device, Result, Session};
use grus_bench::suite::data::Random;

use super::sheet::Contender;

/// First argument of the measuring process; the number of the device follows.
pub const FLAG: &str = "--resident";

const ALLOCATIONS: usize = 10_000;
const LIVE_ALLOCATIONS: usize = 64;
/// Base-2 logarithms of the smallest and largest size, between which exponents are distributed uniformly.
const EXPONENTS: [f64; 2] = [10.0, 26.0];

/// Idle time of a process before the second measurement.
const IDLE_TIME: Duration = Duration::from_secs(2);

/// Results, by the number of the device.
#[derive(Default)]
pub struct Measured(RefCell<HashMap<usize, Result<[f64; 2]>>>);

impl Measured {
    /// Returns the MB at the end of all allocations and after the process has been idle; `None` for the host.
    pub fn of(&self, who: Contender) -> Result<Option<[f64; 2]>> {
        let Contender::Device { number, .. } = who else { return Ok(None) };
        self.0.borrow_mut().entry(number).or_insert_with(|| in_a_process(number)).clone().map(Some)
    }
}

fn in_a_process(number: usize) -> Result<[f64; 2]> {
    let program = std::env::current_exe().map_err(|e| e.to_string())?;
    let output = Command::new(program).args([FLAG, &number.to_string()]).output();
    let output = output.map_err(|e| e.to_string())?;
    let text = String::from_utf8_lossy(&output.stdout);
    let numbers: Vec<f64> = text.split_whitespace().filter_map(|word| word.parse().ok()).collect();
    numbers.try_into().map_err(|_| String::from_utf8_lossy(&output.stderr).into_owned())
}

/// Runs the measuring process: prints both numbers, or reports the failure and exits with status 1.
pub fn child(number: &str) {
    let found = number
        .parse::<usize>()
        .map_err(|_| "no number of a device".to_owned())
        .and_then(|number| grown(*Device::all()?.get(number).ok_or("no such device")?));
    match found {
        Ok(both) => println!("{:.3} {:.3}", both[0] / 1e6, both[1] / 1e6),
        Err(message) => {
            eprintln!("{message}");
            std::process::exit(1);
        }
    }
}

/// Returns the resident bytes of this process.
fn resident() -> Result<f64> {
    let status = std::fs::read_to_string("/proc/self/status").map_err(|e| e.to_string())?;
    let line = status.lines().find_map(|line| line.strip_prefix("VmRSS:")).ok_or("no VmRSS")?;
    let kilobytes = line.trim().trim_end_matches("kB").trim();
    Ok(kilobytes.parse::<f64>().map_err(|e| e.to_string())? * 1024.0)
}

/// Creates a buffer and writes all of it.
fn written(session: &Session, size: usize, number: usize) -> Result<Buffer> {
    let buffer = session.buffer(size)?;
    session.fill(&buffer, &(number as u32).to_le_bytes(), size)?;
    Ok(buffer)
}

/// Measures the bytes that are resident after all allocations, and after the process has been idle, minus those of
/// live buffers and those that were resident after the first allocation.
fn grown(device: Device) -> Result<[f64; 2]> {
    let session = Session::new(device)?;
    drop(written(&session, 1 << 12, 0)?);
    session.finish()?;
    let before = resident()?;
    let mut random = Random::new(1);
    let mut alive: Vec<(Buffer, u32)> = Vec::new();
    for number in 0..ALLOCATIONS {
        let size = (random.double(EXPONENTS[0], EXPONENTS[1]).exp2() as usize).next_multiple_of(4);
        let buffer = written(&session, size, number)?;
        if alive.len() == LIVE_ALLOCATIONS {
            let (gone, wanted) = alive.swap_remove(random.below(LIVE_ALLOCATIONS));
            let mut word = [0u32];
            session.read(&gone, &mut word)?;
            if word != [wanted] {
                return Err(format!("buffer {wanted} holds {}", word[0]));
            }
        }
        alive.push((buffer, number as u32));
    }
    session.finish()?;
    let live: usize = alive.iter().map(|(buffer, _)| buffer.size).sum();
    let above = || -> Result<f64> { Ok(resident()? - before - live as f64) };
    let at_once = above()?;
    std::thread::sleep(IDLE_TIME);
    Ok([at_once, above()?])
}
