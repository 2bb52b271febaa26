//! What the library does and when, as a file that `grus trace` makes a timeline of, under GRUS_TRACE.
//!
//! Every process has a file, every thread a block of it (`file`), in which it writes records of a few words (`format`). A thread
//! waits for no other. Nothing here ever fails: if there is no room for a record, recording ends.

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

/// Whether this process records.
static ON: AtomicBool = AtomicBool::new(false);

/// Whether this process records.
#[inline]
pub fn is_on() -> bool {
    ON.load(Ordering::Relaxed)
}

/// Begins to record, if the user asks for it; whether that is so.
pub fn start() -> bool {
    static TRIED: AtomicBool = AtomicBool::new(false);
    if environment().trace.is_some() && !TRIED.load(Ordering::Acquire) {
        // Another thread that is here, too, finds the same.
        ON.store(recording().is_some(), Ordering::Relaxed);
        TRIED.store(true, Ordering::Release);
    }
    is_on()
}

/// A thread's first call, see `runtime::first_call`.
pub fn note_thread() {
    if is_on() {
        let _ = WRITER.try_with(|_| ());
    }
}

/// Nanoseconds by the clock of recordings.
#[inline]
pub fn now() -> u64 {
    let mut time = libc::timespec { tv_sec: 0, tv_nsec: 0 };
    // SAFETY: `time` is room for the answer.
    unsafe { libc::clock_gettime(libc::CLOCK_MONOTONIC, &raw mut time) };
    time.tv_sec as u64 * 1_000_000_000 + time.tv_nsec as u64
}

/// The time, if this process records.
#[inline]
pub fn begin() -> Option<u64> {
    is_on().then(now)
}

/// The file of this process.
fn recording() -> Option<&'static Recording> {
    static RECORDING: Global<Option<Recording>> = Global::of_threads();
    let make = || {
        let folder = environment().trace.as_deref()?;
        let made = Recording::create(Path::new(folder));
        if made.is_err() {
            warn_invalid("GRUS_TRACE", "a folder where files can be made", folder);
        }
        made.ok()
    };
    RECORDING.get(make).as_ref()
}

/// Pages of a thread's first block, and of its largest.
const FIRST_PAGES: usize = 2;
const MOST_PAGES: usize = 64;

/// What a thread needs to record.
struct ThreadRecorder {
    /// Forks before it was made: those of a parent are not this process's.
    forks: u32,
    recording: &'static Recording,
    thread: u32,
    block: FileBlock,
    /// Pages of the next block.
    pages: usize,
    /// Numbers of names.
    names: FastMap<Box<[u8]>, u32>,
    /// Numbers of signatures, by their addresses.
    signatures: FastMap<usize, u32>,
    /// How many numbers there are.
    numbers: u32,
}

thread_local! {
    static WRITER: RefCell<Option<Box<ThreadRecorder>>> = const { RefCell::new(None) };
    /// What the command that this thread runs has moved so far.
    static MOVED: Cell<u64> = const { Cell::new(0) };
}

/// Writes by this thread's writer, unless it is ending.
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

/// This thread's writer in this process.
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
        // SAFETY: asks for the number of this thread.
        let number = unsafe { libc::syscall(libc::SYS_gettid) } as u32;
        if thread == 0 {
            let command = std::fs::read("/proc/self/cmdline").unwrap_or_default();
            writer.text(PROCESS, std::process::id(), &command)?;
        }
        let mut name = [0u8; 17];
        // SAFETY: there is room for a name of 16 bytes.
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
        self.pages = MOST_PAGES.min(2 * self.pages);
        if self.block.push(head, words) { Ok(()) } else { Err(io::ErrorKind::FileTooLarge.into()) }
    }

    /// A record with a text. What is very long is cut.
    fn text(&mut self, tag: u64, small: u32, text: &[u8]) -> io::Result<()> {
        let text = &text[..text.len().min(LONGEST_TEXT)];
        let mut words = [0; 1 + LONGEST_TEXT / 8];
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

    /// The number of a name.
    fn name(&mut self, name: &[u8]) -> io::Result<u32> {
        if let Some(&number) = self.names.get(name) {
            return Ok(number);
        }
        let number = self.number(name)?;
        // Where memory is short, it is written again.
        if !memory::is_low() && self.names.len() < MOST_NAMES {
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

/// Bytes of a text that are kept.
const LONGEST_TEXT: usize = 1024;

/// Names that a thread remembers.
const MOST_NAMES: usize = 1 << 16;

/// A function of the API. What kinds there are says [`format::CALL`].
pub struct Signature {
    pub function: &'static str,
    pub parameters: &'static [&'static str],
    pub kinds: &'static [char],
    pub result: char,
}

/// A call has returned.
pub fn call(signature: &'static Signature, begin: u64, result: u64, parameters: &[u64]) {
    let end = now();
    with(|writer| {
        let number = writer.signature(signature)?;
        let mut words: SmallVec<[u64; 24]> = smallvec![begin, end, result];
        words.extend_from_slice(parameters);
        writer.push(CALL, number, &words)
    });
}

/// The number of a name for [`call`]; 0 if there is none.
pub fn name(name: &[u8]) -> u64 {
    let mut number = 0;
    with(|writer| {
        number = writer.name(name)?;
        Ok(())
    });
    number.into()
}

/// A number for a new queue.
pub fn queue(flags: u64) -> u32 {
    static QUEUES: AtomicU32 = AtomicU32::new(0);
    let number = QUEUES.fetch_add(1, Ordering::Relaxed) + 1;
    if is_on() {
        with(|writer| writer.push(QUEUE, number, &[flags]));
    }
    number
}

/// A command was enqueued at `time`; `waits` are queue and place of those it waits for.
pub fn enqueued(queue: u32, place: u64, time: u64, kind: u32, waits: impl Iterator<Item = (u32, u64)>) {
    let mut words: SmallVec<[u64; 16]> = smallvec![place, time, kind.into()];
    words.extend(waits.take(MOST_WAITS).flat_map(|(queue, place)| [queue.into(), place]));
    with(|writer| writer.push(ENQUEUED, queue, &words));
}

/// Events of a wait list that are recorded.
const MOST_WAITS: usize = 200;

/// A command that runs.
pub struct Running {
    queue: u32,
    place: u64,
    begin: u64,
    /// What the command has moved that this one interrupts, by a callback.
    moved: u64,
}

/// A command begins to run.
pub fn run(queue: u32, place: u64) -> Running {
    Running { queue, place, begin: now(), moved: MOVED.replace(0) }
}

/// A command does not run: it ends with this status.
pub fn refused(queue: u32, place: u64, status: i32) {
    if is_on() {
        run(queue, place).end(status, None);
    }
}

impl Running {
    /// It has ended with this status.
    pub fn end(self, status: i32, launch: Option<TracedLaunch>) {
        let end = now();
        let moved = MOVED.replace(self.moved);
        let Some(TracedLaunch { kernel, work_dim, sizes: [global, local, offset], bytes }) = launch else {
            let words = [self.place, self.begin, end, status_word(status), moved];
            return with(|writer| writer.push(COMMAND, self.queue, &words));
        };
        let mut words =
            [self.place, self.begin, end, status_word(status), 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, bytes];
        words[4] = kernel | u64::from(work_dim) << 32;
        words[5..8].copy_from_slice(&global);
        words[8..11].copy_from_slice(&local);
        words[11..14].copy_from_slice(&offset);
        with(|writer| writer.push(LAUNCH, self.queue, &words));
    }
}

/// What a launch is.
pub struct TracedLaunch {
    /// The number of the kernel's name for the thread that runs it.
    pub kernel: u64,
    pub work_dim: u32,
    /// Global, local, offset.
    pub sizes: [[u64; 3]; 3],
    /// Of the memory objects that the kernel is given.
    pub bytes: u64,
}

fn status_word(status: i32) -> u64 {
    i64::from(status).cast_unsigned()
}

/// The command that this thread runs moves or fills so many bytes.
#[inline]
pub fn moved(bytes: usize) {
    if is_on() {
        MOVED.set(MOVED.get() + bytes as u64);
    }
}

/// A stage of a build is over.
pub fn stage(name: &str, begin: u64, what: &str) {
    let end = now();
    with(|writer| {
        let (name, what) = (writer.name(name.as_bytes())?, writer.name(what.as_bytes())?);
        writer.push(STAGE, name, &[begin, end, what.into()])
    });
}

/// The application has set the status of an event of its own.
pub fn user_event(handle: usize, status: i32) {
    if is_on() {
        with(|writer| writer.push(USER_EVENT, 0, &[handle as u64, now(), status_word(status)]));
    }
}
