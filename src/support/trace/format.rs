//! The layout of recordings, for the library that writes them and the tool that reads them. Numbers are those of the machine.
//!
//! A file is of one process. It is a row of blocks, each of some pages; one thread fills a block, and goes on in another. A block:
//!
//! | word | |
//! |---|---|
//! | 0 | [`MAGIC`], written last |
//! | 1 | bits 0..32 the block's size in bytes, bits 32..64 the thread, numbered from 0 |
//! | then | records; what is left of the block is zeros |
//!
//! A record is a row of words, the first of which has the tag in bits 0..8, the number of words in bits 8..24 (itself included), and
//! something small in bits 32..64. It is written last, so that what a process has not finished when it is killed is not there.
//! Times are nanoseconds of CLOCK_MONOTONIC, handles are addresses. A text is a word with its length in bytes, then these. Names are
//! texts that a thread has given a number of its own by [`STRING`], from 1.

/// How a block begins: a text whose first byte is the version.
pub const MAGIC: u64 = u64::from_le_bytes(*b"\x01recgrus");

/// Blocks begin at multiples of this.
pub const PAGE: usize = 4096;

/// Words of a block in front of its records.
pub const BLOCK_HEAD: usize = 2;

/// Small: the process. Text: what it runs.
pub const PROCESS: u64 = 1;
/// Small: the system's number of the block's thread. Text: what it is called.
pub const THREAD: u64 = 2;
/// Small: a number. Text: what that stands for from here on, in this thread.
pub const STRING: u64 = 3;
/// A call has returned. Small: the name of its signature. Words: begin, end, result, parameters.
///
/// A signature is `function(parameter:kind,...)kind`, the kind of the result at the end. A kind is `p` for an address, `i` for a signed
/// number, `u` for an unsigned one, `s` for a name or 0, `v` for nothing. `o` as a result is an address behind which, after all
/// parameters, comes an error code.
pub const CALL: u64 = 4;
/// Small: a queue's number. Words: CL_QUEUE_PROPERTIES.
pub const QUEUE: u64 = 5;
/// A command was enqueued. Small: its queue. Words: its place in the queue, from 1, time, CL_EVENT_COMMAND_TYPE; then for each event
/// of its wait list queue and place, 0 and its handle for an event of the application.
pub const ENQUEUED: u64 = 6;
/// A kernel has run. Small: the queue. Words: place, begin, end, status; the kernel's name and, in bits 32..64, the number of dimensions;
/// global sizes, local sizes, offsets (three each); bytes of the memory objects that it was given.
pub const LAUNCH: u64 = 7;
/// Another command has run. Small: the queue. Words: place, begin, end, status, bytes that it has moved or filled.
pub const COMMAND: u64 = 8;
/// A stage of a build, or of making a kernel's code, is over. Small: its name. Words: begin, end, the name of what it worked on.
pub const STAGE: u64 = 9;
/// The application has set the status of an event of its own. Words: its handle, time, status.
pub const USER_EVENT: u64 = 10;

/// The first word of a record.
pub const fn head(tag: u64, words: usize, small: u32) -> u64 {
    tag | (words as u64) << 8 | (small as u64) << 32
}
