//! Layout of recordings, for the library that writes them and the tool that reads them. Numbers have the byte order
//! of the machine.
//!
//! A file belongs to one process. It is a sequence of blocks, each of some pages. A block is filled by one thread,
//! which continues in another block. A block consists of:
//!
//! | word | |
//! |---|---|
//! | 0 | [`MAGIC`], written last |
//! | 1 | bits 0..32 the block's size in bytes, bits 32..64 the thread, numbered from 0 |
//! | then | records; the rest of the block is zeros |
//!
//! A record is a sequence of words. The first word has the tag in bits 0..8, the number of words (itself included)
//! in bits 8..24, and a small operand in bits 32..64. It is written last, so that a record which is incomplete when
//! the process is killed does not exist. Times are nanoseconds of CLOCK_MONOTONIC, handles are addresses. A text is
//! a word with its length in bytes, followed by the bytes. A name is a text to which a thread has assigned a number
//! by [`STRING`], from 1.

/// First word of a block: a text whose first byte is the version.
pub const MAGIC: u64 = u64::from_le_bytes(*b"\x01recgrus");

/// Alignment of blocks in bytes.
pub const PAGE: usize = 4096;

/// Number of words of a block before its records.
pub const BLOCK_HEAD: usize = 2;

/// Tag of a process. Small: the process id. Text: the command line.
pub const PROCESS: u64 = 1;
/// Tag of a thread. Small: the system's id of the block's thread. Text: the thread's name.
pub const THREAD: u64 = 2;
/// Tag of a name. Small: a number. Text: the name that the number stands for from here on, in this thread.
pub const STRING: u64 = 3;
/// Tag of a call that has returned. Small: the name of its signature. Words: begin, end, result, parameters.
///
/// A signature is `function(parameter:kind,...)kind`, with the kind of the result at the end. The kind `p` is an
/// address, `i` a signed number, `u` an unsigned number, `s` a name or 0, `v` nothing. The kind `o` of a result is
/// an address; an error code then follows the parameters.
pub const CALL: u64 = 4;
/// Tag of a queue. Small: the queue's number. Words: CL_QUEUE_PROPERTIES.
pub const QUEUE: u64 = 5;
/// Tag of a command that was enqueued. Small: its queue. Words: its position in the queue, from 1; time;
/// CL_EVENT_COMMAND_TYPE; then queue and position of each event in its wait list, or 0 and the handle for a user
/// event.
pub const ENQUEUED: u64 = 6;
/// Tag of a kernel that has run. Small: the queue. Words: position, begin, end, status; the kernel's name and, in
/// bits 32..64, the number of dimensions; global sizes, local sizes, offsets (three each); the size in bytes of the
/// memory objects among its arguments.
pub const LAUNCH: u64 = 7;
/// Tag of another command that has run. Small: the queue. Words: position, begin, end, status, number of bytes
/// moved or filled.
pub const COMMAND: u64 = 8;
/// Tag of a finished stage of a build or of code generation for a kernel. Small: its name. Words: begin, end, the
/// name of the object that it worked on.
pub const STAGE: u64 = 9;
/// Tag of a status that the application has set on a user event. Words: handle, time, status.
pub const USER_EVENT: u64 = 10;

/// Returns the first word of a record.
pub const fn head(tag: u64, words: usize, small: u32) -> u64 {
    tag | (words as u64) << 8 | (small as u64) << 32
}
