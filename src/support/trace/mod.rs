//! Recording of the library's activity with times, under GRUS_TRACE. `grus trace` turns the file into a timeline.
//!
//! Every process has a file, and every thread has a block of it (`file`), to which it appends records of a few
//! words (`format`). No thread waits for another. Nothing here ever fails: if there is no room for a record,
//! recording ends.

mod file;
pub mod format;
#[cfg(test)]
mod tests;

use std::cell::{Cell, RefCell};
use std::io;
use std::path::Path;
use std::sync::atomic::{AtomicBool, AtomicU32, Ordering};

use smallvec::{SmallVec, smallvec};

use super::environment::{environment, warn_invalid};
use super::fork::{self, Global};
use super::{FastMap, memory};
use file::{FileBlock, Recording};
use format::*;

/// True if this process records.
static ON: AtomicBool = AtomicBool::new(false);

/// Checks whether this process records.
#[inline]
pub fn is_on() -> bool {
    ON.load(Ordering::Relaxed)
}

/// Begins to record if the user requests it. Returns whether this process records.
pub fn start() -> bool {
    static TRIED: AtomicBool = AtomicBool::new(false);
    if environment().trace.is_some() && !TRIED.load(Ordering::Acquire) {
        // A concurrent thread gets the same result.
        ON.store(recording().is_some(), Ordering::Relaxed);
        TRIED.store(true, Ordering::Release);
    }
    is_on()
}

/// Prepares a thread for recording at its first call, see `runtime::first_call`.
pub fn init_thread_locals() {
    if is_on() {
        let _ = WRITER.try_with(|_| ());
    }
}

/// Returns the time in nanoseconds by the clock of recordings.
#[inline]
pub fn now() -> u64 {
    let mut time = libc::timespec { tv_sec: 0, tv_nsec: 0 };
    // SAFETY: `time` has room for the answer.
    unsafe { libc::clock_gettime(libc::CLOCK_MONOTONIC, &raw mut time) };
    time.tv_sec as u64 * 1_000_000_000 + time.tv_nsec as u64
}

/// Returns the time if this process records.
#[inline]
pub fn begin() -> Option<u64> {
    is_on().then(now)
}

/// Returns the file of this process.
fn recording() -> Option<&'static Recording> {
    static RECORDING: Global<Option<Recording>> = Global::of_threads();
    let make = || {
        let folder = environment().trace.as_deref()?;
        let created = Recording::create(Path::new(folder));
        if created.is_err() {
            warn_invalid("GRUS_TRACE", "a folder where files can be made", folder);
        }
        created.ok()
    };
    RECORDING.get(make).as_ref()
}

/// Number of pages of a thread's first block, and of its largest.
// Arbitrary.
const FIRST_PAGES: usize = 2;
const MAX_PAGES: usize = 64;

/// State of a thread that records.
struct ThreadRecorder {
    /// Number of forks before this was created: a recorder made in a parent process is not used.
    forks: u32,
    recording: &'static Recording,
    thread: u32,
    block: FileBlock,
    /// Number of pages of the next block.
    pages: usize,
    /// Numbers of names.
    names: FastMap<Box<[u8]>, u32>,
    /// Numbers of signatures, by the signatures' addresses.
    signatures: FastMap<usize, u32>,
    /// Number of names and signatures so far.
    numbers: u32,
}

thread_local! {
    static WRITER: RefCell<Option<Box<ThreadRecorder>>> = const { RefCell::new(None) };
    /// Number of bytes that the command running on this thread has moved so far.
    static MOVED: Cell<u64> = const { Cell::new(0) };
}

/// Calls `write` with this thread's recorder, unless the thread is ending. An error ends the recording.
fn with(write: impl FnOnce(&mut ThreadRecorder) -> io::Result<()>) {
    let _ = WRITER.try_with(|writer| {
        let Ok(mut writer) = writer.try_borrow_mut() else { return };
        if let Err(error) = current(&mut writer).and_then(write)
            && ON.swap(false, Ordering::Relaxed)
        {
            eprintln!("grus: recording ends: {error}");
        }
    });
}

/// Returns this thread's recorder for this process, creating it if necessary.
fn current(writer: &mut Option<Box<ThreadRecorder>>) -> io::Result<&mut ThreadRecorder> {
    let is_mine = writer.as_ref().is_some_and(|writer| writer.forks == fork::count());
    if !is_mine {
        *writer = Some(ThreadRecorder::new()?);
    }
    writer.as_deref_mut().ok_or(io::ErrorKind::NotFound.into())
}

impl ThreadRecorder {
    #[cold]
    fn new() -> io::Result<Box<ThreadRecorder>> {
        let recording = recording().ok_or(io::ErrorKind::NotFound)?;
        let thread = recording.thread();
        let block = recording.block(FIRST_PAGES, thread)?;
        let mut writer = Box::new(ThreadRecorder {
            forks: fork::count(),
            recording,
            thread,
            block,
            pages: 2 * FIRST_PAGES,
            names: FastMap::default(),
            signatures: FastMap::default(),
            numbers: 0,
        });
        // SAFETY: the call only returns a number.
        let number = unsafe { libc::syscall(libc::SYS_gettid) } as u32;
        if thread == 0 {
            let command = std::fs::read("/proc/self/cmdline").unwrap_or_default();
            writer.text(PROCESS, std::process::id(), &command)?;
        }
        let mut name = [0u8; 17];
        // SAFETY: the array has room for a name of 16 bytes.
        unsafe { libc::prctl(libc::PR_GET_NAME, name.as_mut_ptr()) };
        let length = name.iter().position(|&byte| byte == 0).unwrap_or(0);
        writer.text(THREAD, number, &name[..length])?;
        Ok(writer)
    }

    #[inline]
    fn push(&mut self, tag: u64, small: u32, words: &[u64]) -> io::Result<()> {
        let head = head(tag, 1 + words.len(), small);
        if self.block.push(head, words) { Ok(()) } else { self.push_to_new(head, words) }
    }

    #[cold]
    fn push_to_new(&mut self, head: u64, words: &[u64]) -> io::Result<()> {
        self.block = self.recording.block(self.pages, self.thread)?;
        self.pages = MAX_PAGES.min(2 * self.pages);
        if self.block.push(head, words) { Ok(()) } else { Err(io::ErrorKind::FileTooLarge.into()) }
    }

    /// Appends a record with a text, which is truncated to [`MAX_TEXT_BYTES`].
    fn text(&mut self, tag: u64, small: u32, text: &[u8]) -> io::Result<()> {
        let text = &text[..text.len().min(MAX_TEXT_BYTES)];
        let mut words = [0; 1 + MAX_TEXT_BYTES / 8];
        words[0] = text.len() as u64;
        let chunks = text.chunks(8);
        let count = 1 + chunks.len();
        for (word, chunk) in words[1..].iter_mut().zip(chunks) {
            let mut bytes = [0; 8];
            bytes[..chunk.len()].copy_from_slice(chunk);
            *word = u64::from_ne_bytes(bytes);
        }
        self.push(tag, small, &words[..count])
    }

    fn number(&mut self, text: &[u8]) -> io::Result<u32> {
        self.numbers += 1;
        self.text(STRING, self.numbers, text)?;
        Ok(self.numbers)
    }

    /// Returns the number of a name.
    fn name(&mut self, name: &[u8]) -> io::Result<u32> {
        if let Some(&number) = self.names.get(name) {
            return Ok(number);
        }
        let number = self.number(name)?;
        // If memory is short, the name is not remembered and is written again.
        if !memory::is_low() && self.names.len() < MAX_NAMES {
            self.names.insert(name.into(), number);
        }
        Ok(number)
    }

    fn signature(&mut self, signature: &'static Signature) -> io::Result<u32> {
        let address = std::ptr::from_ref(signature).addr();
        if let Some(&number) = self.signatures.get(&address) {
            return Ok(number);
        }
        let kinds = signature.parameters.iter().zip(signature.kinds);
        let parameters: Vec<String> = kinds.map(|(name, kind)| format!("{name}:{kind}")).collect();
        let text = format!("{}({}){}", signature.function, parameters.join(","), signature.result);
        let number = self.number(text.as_bytes())?;
        self.signatures.insert(address, number);
        Ok(number)
    }
}

/// Maximum length of a recorded text in bytes.
// Arbitrary.
const MAX_TEXT_BYTES: usize = 1024;

/// Maximum number of names that a thread remembers.
// Arbitrary.
const MAX_NAMES: usize = 1 << 16;

/// Signature of an API function. [`format::CALL`] explains the kinds.
pub struct Signature {
    pub function: &'static str,
    pub parameters: &'static [&'static str],
    pub kinds: &'static [char],
    pub result: char,
}

/// Records a call that has returned.
pub fn call(signature: &'static Signature, begin: u64, result: u64, parameters: &[u64]) {
    let end = now();
    with(|writer| {
        let number = writer.signature(signature)?;
        let mut words: SmallVec<[u64; 24]> = smallvec![begin, end, result];
        words.extend_from_slice(parameters);
        writer.push(CALL, number, &words)
    });
}

/// Returns the number of a name, for [`call`]; 0 if recording fails.
pub fn name(name: &[u8]) -> u64 {
    let mut number = 0;
    with(|writer| {
        number = writer.name(name)?;
        Ok(())
    });
    number.into()
}

/// Assigns a number to a new queue, and records the queue.
pub fn queue(flags: u64) -> u32 {
    static QUEUES: AtomicU32 = AtomicU32::new(0);
    let number = QUEUES.fetch_add(1, Ordering::Relaxed) + 1;
    if is_on() {
        with(|writer| writer.push(QUEUE, number, &[flags]));
    }
    number
}

/// Records a command that was enqueued at `time`. `waits` are queue and position of each command that it waits for.
pub fn enqueued(queue: u32, position: u64, time: u64, kind: u32, waits: impl Iterator<Item = (u32, u64)>) {
    let mut words: SmallVec<[u64; 16]> = smallvec![position, time, kind.into()];
    words.extend(waits.take(MAX_WAITS).flat_map(|(queue, position)| [queue.into(), position]));
    with(|writer| writer.push(ENQUEUED, queue, &words));
}

/// Maximum number of recorded events of a wait list.
// Arbitrary.
const MAX_WAITS: usize = 200;

/// Timer of a running command.
pub struct Running {
    queue: u32,
    position: u64,
    begin: u64,
    /// Bytes moved so far by the command that this one interrupts, if a callback runs this one.
    moved: u64,
}

/// Begins the record of a command that runs.
pub fn run(queue: u32, position: u64) -> Running {
    Running { queue, position, begin: now(), moved: MOVED.replace(0) }
}

/// Records a command that ends with this status without running.
pub fn refused(queue: u32, position: u64, status: i32) {
    if is_on() {
        run(queue, position).end(status, None);
    }
}

impl Running {
    /// Records the end of the command with this status.
    pub fn end(self, status: i32, launch: Option<TracedLaunch>) {
        let end = now();
        let moved = MOVED.replace(self.moved);
        let Some(TracedLaunch { kernel, work_dim, sizes: [global, local, offset], bytes }) = launch else {
            let words = [self.position, self.begin, end, status_word(status), moved];
            return with(|writer| writer.push(COMMAND, self.queue, &words));
        };
        let mut words =
            [self.position, self.begin, end, status_word(status), 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, bytes];
        words[4] = kernel | u64::from(work_dim) << 32;
        words[5..8].copy_from_slice(&global);
        words[8..11].copy_from_slice(&local);
        words[11..14].copy_from_slice(&offset);
        with(|writer| writer.push(LAUNCH, self.queue, &words));
    }
}

/// Parameters of a recorded launch.
pub struct TracedLaunch {
    /// Number of the kernel's name for the thread that runs it.
    pub kernel: u64,
    pub work_dim: u32,
    /// Global sizes, local sizes, offsets.
    pub sizes: [[u64; 3]; 3],
    /// Size in bytes of the memory objects among the kernel's arguments.
    pub bytes: u64,
}

fn status_word(status: i32) -> u64 {
    i64::from(status).cast_unsigned()
}

/// Adds to the bytes that the command running on this thread has moved or filled.
#[inline]
pub fn moved(bytes: usize) {
    if is_on() {
        MOVED.set(MOVED.get() + bytes as u64);
    }
}

/// Records a finished stage of a build.
pub fn stage(name: &str, begin: u64, what: &str) {
    let end = now();
    with(|writer| {
        let (name, what) = (writer.name(name.as_bytes())?, writer.name(what.as_bytes())?);
        writer.push(STAGE, name, &[begin, end, what.into()])
    });
}

/// Records a status that the application has set on a user event.
pub fn user_event(handle: usize, status: i32) {
    if is_on() {
        with(|writer| writer.push(USER_EVENT, 0, &[handle as u64, now(), status_word(status)]));
    }
}
