//! Pages of executable memory: writable until the code is written, executable afterwards, never both; unmapped on drop.

use std::io;
use std::ptr::{self, NonNull};

use super::Error;

/// Anonymous mapping that holds machine code.
#[derive(Debug)]
pub(super) struct ExecutableMemory {
    start: NonNull<u8>,
    size: usize,
}

// SAFETY: after `write` the memory is only read and executed.
unsafe impl Send for ExecutableMemory {}
// SAFETY: after `write` the memory is only read and executed.
unsafe impl Sync for ExecutableMemory {}

impl ExecutableMemory {
    /// Maps writable pages for `size` bytes.
    pub(super) fn new(size: usize) -> Result<ExecutableMemory, Error> {
        // SAFETY: a query of the page size has no preconditions.
        let page = unsafe { libc::sysconf(libc::_SC_PAGESIZE) };
        let page = usize::try_from(page).unwrap_or(4096);
        let size = size.max(1).next_multiple_of(page);
        let protection = libc::PROT_READ | libc::PROT_WRITE;
        let flags = libc::MAP_PRIVATE | libc::MAP_ANONYMOUS;
        // SAFETY: the system chooses the address of the new anonymous mapping.
        let address = unsafe { libc::mmap(ptr::null_mut(), size, protection, flags, -1, 0) };
        if address == libc::MAP_FAILED {
            return Err(Error::from_system(io::Error::last_os_error()));
        }
        let start = NonNull::new(address.cast()).ok_or(Error::NullMapping)?;
        Ok(ExecutableMemory { start, size })
    }

    /// Returns the address of the code.
    pub(super) fn address(&self) -> usize {
        self.start.as_ptr() as usize
    }

    /// Returns the size of the mapping in bytes.
    pub(super) fn size(&self) -> usize {
        self.size
    }

    /// Writes the code and makes it executable.
    pub(super) fn write(&mut self, code: &[u8]) -> Result<(), Error> {
        assert!(code.len() <= self.size, "the region was made for this code");
        // SAFETY: the mapping is ours, writable, and large enough.
        unsafe { ptr::copy_nonoverlapping(code.as_ptr(), self.start.as_ptr(), code.len()) };
        let protection = libc::PROT_READ | libc::PROT_EXEC;
        // SAFETY: the mapping is ours.
        let failed = unsafe { libc::mprotect(self.start.as_ptr().cast(), self.size, protection) } != 0;
        if failed {
            return Err(Error::from_system(io::Error::last_os_error()));
        }
        synchronize_instruction_cache(self.start.as_ptr(), code.len());
        Ok(())
    }
}

impl Drop for ExecutableMemory {
    fn drop(&mut self) {
        // SAFETY: the mapping is ours, and every thread that runs its code holds a reference to it.
        unsafe { libc::munmap(self.start.as_ptr().cast(), self.size) };
    }
}

/// Does nothing: instruction caches of x86 are coherent with writes.
#[cfg(not(target_arch = "aarch64"))]
fn synchronize_instruction_cache(_start: *const u8, _len: usize) {}

/// Cleans the data cache and invalidates the instruction cache, which 64-bit ARM does not keep coherent.
#[cfg(target_arch = "aarch64")]
fn synchronize_instruction_cache(start: *const u8, len: usize) {
    let end = start as usize + len;
    // The smallest cache line the architecture allows has 4 bytes; a step of 16 is safe in practice and faster.
    for at in (start as usize..end).step_by(16) {
        // SAFETY: cache maintenance on memory that we own.
        unsafe {
            std::arch::asm!("dc cvau, {0}", in(reg) at);
        }
    }
    // SAFETY: barriers and cache maintenance only.
    unsafe {
        std::arch::asm!("dsb ish");
    }
    for at in (start as usize..end).step_by(16) {
        // SAFETY: cache maintenance on memory that we own.
        unsafe {
            std::arch::asm!("ic ivau, {0}", in(reg) at);
        }
    }
    // SAFETY: barriers only.
    unsafe {
        std::arch::asm!("dsb ish", "isb");
    }
}
