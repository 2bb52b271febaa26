//! Memory, on every device the loader finds, side by side in one run: times of allocations and transfers, atomic
//! operations and async copies, beside the host's own memcpy and memset with one thread and with two.
//!
//! Usage: `memory [--markdown] [NAME...]`; all rows that begin with a name, by default all. Results are checked,
//! times are not: read the tables. The contenders of a row are measured alternately, so that a disturbance of the
//! machine affects all of them, and a cell contains the best measurement. GB/s count each byte once, at its
//! destination.

mod allocation;
mod async_copy;
mod atomics;
mod host;
mod resident;
mod sheet;
mod transfers;

use grus_bench::client::{Device, Session};
use sheet::{Contender, Sheet};

/// Source of the kernels of atomic operations and async copies.
const SOURCE: &str = include_str!("../../../kernels/memory.cl");

/// Numbers of threads with which the host is measured.
const HOST_THREADS: [usize; 2] = [1, 2];

fn main() {
    let mut wanted: Vec<String> = std::env::args().skip(1).collect();
    if let [flag, number] = &wanted[..]
        && flag == resident::FLAG
    {
        return resident::child(number);
    }
    let before = wanted.len();
    wanted.retain(|argument| argument != "--markdown");
    let is_markdown = wanted.len() < before;
    let contenders = contenders();
    let mut sheet = Sheet::new(contenders, wanted, is_markdown);
    allocation::rows(&mut sheet);
    transfers::rows(&mut sheet);
    atomics::rows(&mut sheet);
    async_copy::rows(&mut sheet);
}

/// Returns all devices, each with a session that lasts as long as the process, and the host.
fn contenders() -> Vec<Contender> {
    let devices = Device::all().unwrap_or_default();
    if devices.is_empty() {
        eprintln!("memory: no OpenCL device");
        std::process::exit(1);
    }
    let mut contenders = Vec::new();
    for (number, device) in devices.into_iter().enumerate() {
        match Session::new(device) {
            Ok(session) => {
                let session = Box::leak(Box::new(session));
                contenders.push(Contender::Device { device, number, session });
            }
            Err(message) => eprintln!("{}: {message}", device.platform_name()),
        }
    }
    contenders.extend(HOST_THREADS.map(Contender::Host));
    contenders
}
