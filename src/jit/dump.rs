//! Tells profilers what code is where, and of which lines, under GRUS_JITDUMP: a file in the format of `perf`'s
//! tools/perf/Documentation/jitdump-specification.txt. `perf inject --jit` makes object files of it.

use std::fs::{File, OpenOptions};
use std::io::Write;
use std::os::fd::AsRawFd;
use std::path::Path;
use std::ptr;
use std::sync::atomic::{AtomicU64, Ordering};

use crate::support::environment::{environment, warn_invalid};
use crate::support::fork::Global;

const MAGIC: u32 = 0x4a69_5444;
const VERSION: u32 = 1;
const HEADER: u32 = 40;
/// Bytes in front of a record's own: its kind, its size, the time.
const RECORD: usize = 16;
const CODE_LOAD: u32 = 0;
const CODE_DEBUG_INFO: u32 = 2;
/// ELF's number of the processor.
const MACHINE: u32 = if cfg!(target_arch = "aarch64") { 183 } else { 62 };

/// A function where it will run.
pub(super) struct Placed<'a> {
    pub(super) name: &'a str,
    pub(super) address: usize,
    pub(super) bytes: &'a [u8],
    /// From the function's start; ascending.
    pub(super) positions: &'a [(u32, u32)],
}

/// The file of this process.
struct Dump {
    file: File,
    /// Functions so far.
    count: AtomicU64,
}

/// Notes a function, if the user asks for it. `place` gives file and line of a position.
pub(super) fn note<'l>(function: &Placed<'_>, place: &dyn Fn(u32) -> Option<(&'l str, u32)>) {
    let Some(folder) = &environment().jit_dump else { return };
    static DUMP: Global<Option<Dump>> = Global::of_threads();
    if let Some(dump) = DUMP.get(|| Dump::new(folder)) {
        let records = records(function, place, dump.count.fetch_add(1, Ordering::Relaxed));
        // A profile without this function is better than no result. One write: other threads append as well.
        let _ = (&dump.file).write_all(&records);
    }
}

impl Dump {
    fn new(folder: &str) -> Option<Dump> {
        let path = Path::new(folder).join(format!("jit-{}.dump", std::process::id()));
        let opened = OpenOptions::new().create(true).truncate(true).read(true).write(true).open(&path);
        let file = opened.and_then(|mut file| file.write_all(&header()).map(|()| file));
        // From here on all is appended.
        let file = file.and_then(|_| OpenOptions::new().read(true).append(true).open(&path));
        let Ok(file) = file else {
            warn_invalid("GRUS_JITDUMP", "a folder where files can be made", folder);
            return None;
        };
        // `perf record` sees that the file is mapped as code, and so finds it.
        // SAFETY: a new mapping, never used and never unmapped.
        unsafe {
            let protection = libc::PROT_READ | libc::PROT_EXEC;
            libc::mmap(ptr::null_mut(), HEADER as usize, protection, libc::MAP_PRIVATE, file.as_raw_fd(), 0);
        }
        Some(Dump { file, count: AtomicU64::new(0) })
    }
}

fn header() -> Vec<u8> {
    let words = [MAGIC, VERSION, HEADER, MACHINE, 0, std::process::id()];
    let mut bytes: Vec<u8> = words.into_iter().flat_map(u32::to_ne_bytes).collect();
    bytes.extend(now().to_ne_bytes());
    bytes.extend(0u64.to_ne_bytes());
    bytes
}

/// The lines of a function, then itself.
fn records<'l>(function: &Placed<'_>, place: &dyn Fn(u32) -> Option<(&'l str, u32)>, index: u64) -> Vec<u8> {
    let address = function.address as u64;
    let lines = function.positions.iter().filter_map(|&(at, position)| Some((at, place(position)?)));
    let lines: Vec<(u32, (&str, u32))> = lines.collect();
    let mut bytes = Vec::new();
    if !lines.is_empty() {
        let mut body: Vec<u8> =
            [address, lines.len() as u64].into_iter().flat_map(u64::to_ne_bytes).collect();
        for (at, (file, line)) in lines {
            // No discriminator.
            body.extend((address + u64::from(at)).to_ne_bytes());
            body.extend([line, 0].into_iter().flat_map(u32::to_ne_bytes));
            text(&mut body, file);
        }
        record(&mut bytes, CODE_DEBUG_INFO, &body);
    }
    // SAFETY: asks for the number of this thread.
    let thread = unsafe { libc::syscall(libc::SYS_gettid) } as u32;
    let mut body: Vec<u8> = [std::process::id(), thread].into_iter().flat_map(u32::to_ne_bytes).collect();
    body.extend(
        [address, address, function.bytes.len() as u64, index].into_iter().flat_map(u64::to_ne_bytes),
    );
    text(&mut body, function.name);
    body.extend(function.bytes);
    record(&mut bytes, CODE_LOAD, &body);
    bytes
}

fn record(bytes: &mut Vec<u8>, kind: u32, body: &[u8]) {
    bytes.extend([kind, (RECORD + body.len()) as u32].into_iter().flat_map(u32::to_ne_bytes));
    bytes.extend(now().to_ne_bytes());
    bytes.extend(body);
}

/// Text that ends with a zero.
fn text(bytes: &mut Vec<u8>, text: &str) {
    bytes.extend(text.bytes().filter(|&byte| byte != 0));
    bytes.push(0);
}

/// Nanoseconds by the clock of `perf record -k mono`.
fn now() -> u64 {
    let mut time = libc::timespec { tv_sec: 0, tv_nsec: 0 };
    // SAFETY: `time` is room for the answer.
    unsafe { libc::clock_gettime(libc::CLOCK_MONOTONIC, &raw mut time) };
    time.tv_sec as u64 * 1_000_000_000 + time.tv_nsec as u64
}

#[cfg(test)]
mod tests {
    use super::*;

    fn word(bytes: &[u8], at: usize) -> u32 {
        u32::from_ne_bytes(bytes[at..at + 4].try_into().unwrap())
    }

    fn long(bytes: &[u8], at: usize) -> u64 {
        u64::from_ne_bytes(bytes[at..at + 8].try_into().unwrap())
    }

    #[test]
    fn a_header_has_forty_bytes() {
        let header = header();
        assert_eq!(header.len(), HEADER as usize);
        assert_eq!((word(&header, 0), word(&header, 8)), (MAGIC, HEADER));
        assert_eq!(word(&header, 20), std::process::id());
    }

    #[test]
    fn lines_come_first_and_records_know_their_size() {
        let function =
            Placed { name: "k", address: 0x4000, bytes: &[0x90, 0xc3], positions: &[(0, 7), (1, 9)] };
        let bytes = records(&function, &|position| (position == 9).then_some(("a.cl", 3)), 5);
        assert_eq!(word(&bytes, 0), CODE_DEBUG_INFO);
        let size = word(&bytes, 4) as usize;
        assert_eq!((long(&bytes, 16), long(&bytes, 24)), (0x4000, 1));
        assert_eq!((long(&bytes, 32), word(&bytes, 40)), (0x4001, 3));
        assert_eq!(&bytes[48..size], b"a.cl\0");
        let load = &bytes[size..];
        assert_eq!((word(load, 0), word(load, 4) as usize), (CODE_LOAD, load.len()));
        assert_eq!((long(load, 24), long(load, 40), long(load, 48)), (0x4000, 2, 5));
        assert_eq!(&load[56..], b"k\0\x90\xc3");
    }
}
