//! Profiler support (GRUS_JITDUMP): writes addresses, names, line tables and bytes of generated functions to a file in
//! the format of `perf`'s tools/perf/Documentation/jitdump-specification.txt. `perf inject --jit` converts it to object
//! files.

use std::fs::{File, OpenOptions};
use std::io::Write;
use std::os::fd::AsRawFd;
use std::path::Path;
use std::ptr;
use std::sync::atomic::{AtomicU64, Ordering};

use grus_support::environment::{environment, warn_invalid};
use grus_support::fork::Global;

const MAGIC: u32 = 0x4a69_5444;
const VERSION: u32 = 1;
const HEADER_BYTES: u32 = 40;
/// Size of a record's header: kind, size, timestamp.
const RECORD_HEADER_BYTES: usize = 16;
const CODE_LOAD: u32 = 0;
const CODE_DEBUG_INFO: u32 = 2;
/// ELF machine number (`e_machine`).
const MACHINE: u32 = if cfg!(target_arch = "aarch64") { 183 } else { 62 };

/// Function at its final address.
pub(super) struct LoadedFunction<'a> {
    pub(super) name: &'a str,
    pub(super) address: usize,
    pub(super) bytes: &'a [u8],
    /// Pairs of an offset from the function's start and a source position, sorted by offset.
    pub(super) positions: &'a [(u32, u32)],
}

/// Dump file of this process.
struct Dump {
    file: File,
    /// Number of functions written.
    count: AtomicU64,
}

/// Writes a function to the dump file if GRUS_JITDUMP is set. `line_of` returns file and line of a source position.
pub(super) fn record_function<'l>(
    function: &LoadedFunction<'_>,
    line_of: &dyn Fn(u32) -> Option<(&'l str, u32)>,
) {
    let Some(folder) = &environment().jit_dump else { return };
    static DUMP: Global<Option<Dump>> = Global::of_threads();
    if let Some(dump) = DUMP.get(|| Dump::new(folder)) {
        let records = function_records(function, line_of, dump.count.fetch_add(1, Ordering::Relaxed));
        // An error is ignored: the profile lacks this function. One write, since other threads append to the file as
        // well.
        let _ = (&dump.file).write_all(&records);
    }
}

impl Dump {
    fn new(folder: &str) -> Option<Dump> {
        let path = Path::new(folder).join(format!("jit-{}.dump", std::process::id()));
        let opened = OpenOptions::new().create(true).truncate(true).read(true).write(true).open(&path);
        let file = opened.and_then(|mut file| file.write_all(&header()).map(|()| file));
        // Reopened in append mode, so that writes of several threads do not overlap.
        let file = file.and_then(|_| OpenOptions::new().read(true).append(true).open(&path));
        let Ok(file) = file else {
            warn_invalid("GRUS_JITDUMP", "a folder where files can be made", folder);
            return None;
        };
        // `perf record` finds the file by its mapping as executable memory.
        // SAFETY: a new mapping, never used and never unmapped.
        unsafe {
            let protection = libc::PROT_READ | libc::PROT_EXEC;
            libc::mmap(
                ptr::null_mut(),
                HEADER_BYTES as usize,
                protection,
                libc::MAP_PRIVATE,
                file.as_raw_fd(),
                0,
            );
        }
        Some(Dump { file, count: AtomicU64::new(0) })
    }
}

fn header() -> Vec<u8> {
    let words = [MAGIC, VERSION, HEADER_BYTES, MACHINE, 0, std::process::id()];
    let mut bytes: Vec<u8> = words.into_iter().flat_map(u32::to_ne_bytes).collect();
    bytes.extend(now().to_ne_bytes());
    bytes.extend(0u64.to_ne_bytes());
    bytes
}

/// Returns the records of a function: its line table if it has one, then its code.
fn function_records<'l>(
    function: &LoadedFunction<'_>,
    line_of: &dyn Fn(u32) -> Option<(&'l str, u32)>,
    index: u64,
) -> Vec<u8> {
    let address = function.address as u64;
    let lines = function.positions.iter().filter_map(|&(at, position)| Some((at, line_of(position)?)));
    let lines: Vec<(u32, (&str, u32))> = lines.collect();
    let mut bytes = Vec::new();
    if !lines.is_empty() {
        let mut body: Vec<u8> =
            [address, lines.len() as u64].into_iter().flat_map(u64::to_ne_bytes).collect();
        for (at, (file, line)) in lines {
            // The discriminator is 0.
            body.extend((address + u64::from(at)).to_ne_bytes());
            body.extend([line, 0].into_iter().flat_map(u32::to_ne_bytes));
            push_text(&mut body, file);
        }
        push_record(&mut bytes, CODE_DEBUG_INFO, &body);
    }
    // SAFETY: gettid has no arguments and cannot fail.
    let thread = unsafe { libc::syscall(libc::SYS_gettid) } as u32;
    let mut body: Vec<u8> = [std::process::id(), thread].into_iter().flat_map(u32::to_ne_bytes).collect();
    body.extend(
        [address, address, function.bytes.len() as u64, index].into_iter().flat_map(u64::to_ne_bytes),
    );
    push_text(&mut body, function.name);
    body.extend(function.bytes);
    push_record(&mut bytes, CODE_LOAD, &body);
    bytes
}

fn push_record(bytes: &mut Vec<u8>, kind: u32, body: &[u8]) {
    bytes.extend([kind, (RECORD_HEADER_BYTES + body.len()) as u32].into_iter().flat_map(u32::to_ne_bytes));
    bytes.extend(now().to_ne_bytes());
    bytes.extend(body);
}

/// Appends a NUL-terminated text.
fn push_text(bytes: &mut Vec<u8>, text: &str) {
    bytes.extend(text.bytes().filter(|&byte| byte != 0));
    bytes.push(0);
}

/// Returns nanoseconds of the monotonic clock, as `perf record -k mono` uses it.
fn now() -> u64 {
    let mut time = libc::timespec { tv_sec: 0, tv_nsec: 0 };
    // SAFETY: `time` receives the result.
    unsafe { libc::clock_gettime(libc::CLOCK_MONOTONIC, &raw mut time) };
    time.tv_sec as u64 * 1_000_000_000 + time.tv_nsec as u64
}

#[cfg(test)]
mod tests {
    use super::*;

    fn word(bytes: &[u8], at: usize) -> u32 {
        u32::from_ne_bytes(bytes[at..at + 4].try_into().unwrap())
    }

    fn dword(bytes: &[u8], at: usize) -> u64 {
        u64::from_ne_bytes(bytes[at..at + 8].try_into().unwrap())
    }

    #[test]
    fn a_header_has_forty_bytes() {
        let header = header();
        assert_eq!(header.len(), HEADER_BYTES as usize);
        assert_eq!((word(&header, 0), word(&header, 8)), (MAGIC, HEADER_BYTES));
        assert_eq!(word(&header, 20), std::process::id());
    }

    #[test]
    fn lines_come_first_and_records_know_their_size() {
        let function =
            LoadedFunction { name: "k", address: 0x4000, bytes: &[0x90, 0xc3], positions: &[(0, 7), (1, 9)] };
        let bytes = function_records(&function, &|position| (position == 9).then_some(("a.cl", 3)), 5);
        assert_eq!(word(&bytes, 0), CODE_DEBUG_INFO);
        let size = word(&bytes, 4) as usize;
        assert_eq!((dword(&bytes, 16), dword(&bytes, 24)), (0x4000, 1));
        assert_eq!((dword(&bytes, 32), word(&bytes, 40)), (0x4001, 3));
        assert_eq!(&bytes[48..size], b"a.cl\0");
        let load = &bytes[size..];
        assert_eq!((word(load, 0), word(load, 4) as usize), (CODE_LOAD, load.len()));
        assert_eq!((dword(load, 24), dword(load, 40), dword(load, 48)), (0x4000, 2, 5));
        assert_eq!(&load[56..], b"k\0\x90\xc3");
    }
}
