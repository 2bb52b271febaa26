//! File of a process, and the blocks that its threads fill.
//!
//! A block is a mapped piece of the file: a store to it is in the file at once, because it goes to the page cache.
//! Nothing is lost when the process is killed, no thread has to flush, and writing needs neither lock nor system
//! call.

use std::fs::File;
use std::io;
use std::os::fd::AsRawFd;
use std::path::{Path, PathBuf};
use std::ptr::{self, NonNull};
use std::sync::atomic::{AtomicU32, AtomicU64, Ordering};

use super::super::process_file::create_file;
use super::format::{BLOCK_HEAD, MAGIC, PAGE};

/// Recording of a process.
pub(super) struct Recording {
    file: File,
    path: PathBuf,
    /// Offset of the next block in the file.
    end: AtomicU64,
    /// Number of threads so far.
    threads: AtomicU32,
}

impl Recording {
    /// Creates a new file in this folder.
    pub fn create(folder: &Path) -> io::Result<Recording> {
        let (file, path) = create_file(folder, "grusrec")?;
        Ok(Recording { file, path, end: AtomicU64::new(0), threads: AtomicU32::new(0) })
    }

    /// Assigns a number to one more thread.
    pub fn thread(&self) -> u32 {
        self.threads.fetch_add(1, Ordering::Relaxed)
    }

    /// Appends a block of at least `pages` pages for this thread.
    pub fn block(&self, pages: usize, thread: u32) -> io::Result<FileBlock> {
        // SAFETY: the call only returns a number.
        let page = usize::try_from(unsafe { libc::sysconf(libc::_SC_PAGESIZE) }).unwrap_or(PAGE).max(PAGE);
        let size = (pages * PAGE).next_multiple_of(page);
        let offset = self.end.fetch_add(size as u64, Ordering::Relaxed).cast_signed();
        let descriptor = self.file.as_raw_fd();
        // Without space on the disk, a store to the mapping would kill the process.
        // SAFETY: the descriptor belongs to `self.file`.
        match unsafe { libc::posix_fallocate(descriptor, offset, size as libc::off_t) } {
            0 => {}
            code => return Err(io::Error::from_raw_os_error(code)),
        }
        let (protection, flags) = (libc::PROT_READ | libc::PROT_WRITE, libc::MAP_SHARED | libc::MAP_POPULATE);
        // SAFETY: this is a new mapping of a range of the file that no other block has.
        let start = unsafe { libc::mmap(ptr::null_mut(), size, protection, flags, descriptor, offset) };
        if start == libc::MAP_FAILED {
            return Err(io::Error::last_os_error());
        }
        let start = NonNull::new(start.cast::<u64>()).ok_or(io::ErrorKind::OutOfMemory)?;
        let mut block = FileBlock { start, words: size / size_of::<u64>(), next: BLOCK_HEAD };
        block.publish(0, MAGIC, &[size as u64 | u64::from(thread) << 32]);
        Ok(block)
    }
}

impl Drop for Recording {
    /// Deletes the file. This only happens if another thread created a recording at the same time and that one is
    /// kept.
    fn drop(&mut self) {
        let _ = std::fs::remove_file(&self.path);
    }
}

/// Piece of the file that one thread fills.
pub(super) struct FileBlock {
    start: NonNull<u64>,
    words: usize,
    next: usize,
}

impl FileBlock {
    /// Appends a record whose first word is `head`. Returns whether there was room.
    #[inline]
    pub fn push(&mut self, head: u64, words: &[u64]) -> bool {
        let at = self.next;
        if self.words - at <= words.len() {
            return false;
        }
        self.publish(at, head, words);
        self.next = at + 1 + words.len();
        true
    }

    /// Writes words to a position that has room for them. The first word is stored last, so that a reader who sees
    /// it sees the others too.
    #[inline]
    fn publish(&mut self, at: usize, first: u64, rest: &[u64]) {
        debug_assert!(at + rest.len() < self.words);
        // SAFETY: the position is inside the mapping, and no other thread writes there.
        unsafe {
            let target = self.start.add(at);
            ptr::copy_nonoverlapping(rest.as_ptr(), target.add(1).as_ptr(), rest.len());
            AtomicU64::from_ptr(target.as_ptr()).store(first, Ordering::Release);
        }
    }
}

impl Drop for FileBlock {
    fn drop(&mut self) {
        // SAFETY: `Recording::block` mapped the range, and no reference into it exists.
        unsafe { libc::munmap(self.start.as_ptr().cast(), self.words * size_of::<u64>()) };
    }
}
