//! Large pieces of memory: mappings of our own, in huge pages where the system has them, kept for a while when they are
//! given back.
//!
//! Touching 8 MB of fresh memory in small pages takes several times as long as the kernel that writes it, giving it back
//! a quarter of that. So programs that make an array for every result would wait for the system most of the time. What
//! is given back stays mapped for [`AGE`], up to a share of memory, and is what the next allocation of like size gets.

use std::ptr::NonNull;
use std::sync::atomic::{AtomicU32, Ordering};
use std::time::{Duration, Instant};

use crate::runtime::host::host;
use crate::support::fork::{self, Global};
use crate::support::huge::{self, HUGE};
use crate::support::sync::Mutex;
use crate::support::{memory, thread};

/// Pieces from this size on are mappings: the C library makes mappings of them, too, which it does not keep.
pub(super) const LEAST: usize = 128 << 10;

/// Pieces that are as large as a huge page begin at a multiple of it, the others at one of this.
const PAGE: usize = 4096;

/// How long a piece is kept that nobody asks for.
const AGE: Duration = Duration::from_millis(500);

/// What is kept at most, and the part of the memory that is.
const MOST_KEPT: usize = 1 << 30;
const SHARE: u64 = 16;

/// What is kept, the latest last.
#[derive(Default)]
struct Kept {
    pieces: Vec<(Mapping, Instant)>,
    bytes: usize,
}

/// A part of the address space, not freed by itself.
#[derive(Clone, Copy, PartialEq, Eq)]
struct Mapping {
    start: NonNull<u8>,
    size: usize,
}

// SAFETY: memory, of which only the owner makes something.
unsafe impl Send for Mapping {}
// SAFETY: as above.
unsafe impl Sync for Mapping {}

/// A piece of memory.
pub(super) struct Pages {
    mapping: Mapping,
    /// It reads as zeros.
    pub is_fresh: bool,
}

/// Children of a fork that found everything at rest have what their parent kept, as a copy.
fn kept() -> &'static Mutex<Kept> {
    static KEPT: Global<Mutex<Kept>> = Global::of_objects();
    KEPT.get(Mutex::default)
}

impl Pages {
    /// Memory for so many bytes, which are at least [`LEAST`]: fresh, or what was given back before. None if there is none.
    pub fn allocate(size: usize) -> Option<Pages> {
        let rounded = rounded(size)?;
        if let Some(mapping) = kept().lock().take(rounded) {
            return Some(Pages { mapping, is_fresh: false });
        }
        let fresh = Mapping::new(rounded).or_else(|| {
            release();
            Mapping::new(size.checked_next_multiple_of(PAGE)?)
        });
        fresh.map(|mapping| Pages { mapping, is_fresh: true })
    }

    /// The first byte.
    pub fn start(&self) -> *mut u8 {
        self.mapping.start.as_ptr()
    }
}

impl Drop for Pages {
    fn drop(&mut self) {
        if !keep(self.mapping) {
            self.mapping.unmap();
        }
    }
}

/// Gives back to the system what is kept; says whether there was something. Any lock may be held, also this one.
fn release() -> bool {
    let Some(mut kept) = kept().try_lock() else { return false };
    let pieces = std::mem::take(&mut *kept).pieces;
    drop(kept);
    pieces.iter().for_each(|(mapping, _)| mapping.unmap());
    !pieces.is_empty()
}

/// Sizes that are kept apart: eight between a power of two and the next. What is not touched takes no memory.
fn rounded(size: usize) -> Option<usize> {
    let step = (size.next_power_of_two() / 16).max(PAGE);
    size.checked_next_multiple_of(step).filter(|&size| isize::try_from(size).is_ok())
}

/// Keeps a piece, if it is not too large; older ones go for it.
fn keep(mapping: Mapping) -> bool {
    static MOST: Global<usize> = Global::fact();
    let most = *MOST.get(|| {
        let share = usize::try_from(host().memory / SHARE).unwrap_or(0);
        share.min(MOST_KEPT)
    });
    if mapping.size > most || memory::is_low() {
        return false;
    }
    memory::relieve_by(release);
    let mut gone = Vec::new();
    let mut kept = kept().lock();
    if kept.pieces.try_reserve(1).is_err() {
        return false;
    }
    kept.pieces.push((mapping, Instant::now()));
    kept.bytes += mapping.size;
    while kept.bytes > most {
        let (oldest, _) = kept.pieces.remove(0);
        kept.bytes -= oldest.size;
        gone.push(oldest);
    }
    drop(kept);
    gone.into_iter().for_each(Mapping::unmap);
    // Only now: who ends finds nothing kept, under the lock.
    if !is_watched() {
        release();
    }
    true
}

/// Whether there is a thread that gives back what nobody asks for; it is started if there is none, and ends when nothing is
/// kept.
fn is_watched() -> bool {
    /// One more than the number of the fork before which it was started; 0 for none.
    static WATCHED: AtomicU32 = AtomicU32::new(0);
    let mine = fork::count() + 1;
    let before = WATCHED.load(Ordering::Acquire);
    if before == mine || WATCHED.compare_exchange(before, mine, Ordering::AcqRel, Ordering::Acquire).is_err()
    {
        return true;
    }
    let watch = || {
        loop {
            std::thread::sleep(AGE / 2);
            // Forks wait while locks are held.
            let _inside = fork::enter(|| ());
            let mut kept = kept().lock();
            let old = kept.take_old();
            if old.is_empty() && kept.pieces.is_empty() {
                WATCHED.store(0, Ordering::Release);
                return;
            }
            drop(kept);
            old.into_iter().for_each(|(mapping, _)| mapping.unmap());
        }
    };
    let is_started = thread::start("grus-pages", || (), watch).is_ok();
    if !is_started {
        WATCHED.store(0, Ordering::Release);
    }
    is_started
}

impl Kept {
    /// The piece of this size that was given back last: it is likely to be in a cache.
    fn take(&mut self, size: usize) -> Option<Mapping> {
        let at = self.pieces.iter().rposition(|(mapping, _)| mapping.size == size)?;
        let (mapping, _) = self.pieces.remove(at);
        self.bytes -= mapping.size;
        Some(mapping)
    }

    /// Those that nobody has asked for.
    fn take_old(&mut self) -> Vec<(Mapping, Instant)> {
        let old = self.pieces.iter().take_while(|(_, since)| since.elapsed() >= AGE).count();
        let old: Vec<_> = self.pieces.drain(..old).collect();
        self.bytes -= old.iter().map(|(mapping, _)| mapping.size).sum::<usize>();
        old
    }
}

impl Mapping {
    /// Fresh memory, which reads as zeros.
    fn new(size: usize) -> Option<Mapping> {
        let (protection, flags) =
            (libc::PROT_READ | libc::PROT_WRITE, libc::MAP_PRIVATE | libc::MAP_ANONYMOUS);
        let align = if size >= HUGE { HUGE } else { PAGE };
        let room = size.checked_add(align - PAGE)?;
        // SAFETY: a mapping at an address of the system's choice.
        let start = unsafe { libc::mmap(std::ptr::null_mut(), room, protection, flags, -1, 0) };
        if start == libc::MAP_FAILED {
            return None;
        }
        let start = start.cast::<u8>();
        let before = start.align_offset(align);
        let whole = Mapping { start: NonNull::new(start.wrapping_add(before))?, size };
        let behind =
            Mapping { start: NonNull::new(start.wrapping_add(before + size))?, size: room - size - before };
        if before != 0 {
            Mapping { start: NonNull::new(start)?, size: before }.unmap();
        }
        if behind.size != 0 {
            behind.unmap();
        }
        if align == HUGE {
            // SAFETY: the mapping is ours, and whole pages.
            unsafe { huge::advise(whole.start, size) };
        }
        Some(whole)
    }

    fn unmap(self) {
        // SAFETY: it was mapped, and whoever calls this owned it. The system refuses only what was never mapped.
        unsafe { libc::munmap(self.start.as_ptr().cast(), self.size) };
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sizes_have_room_for_what_is_asked_for() {
        for size in [LEAST, LEAST + 1, HUGE, HUGE + 1, 3_000_000, 100 << 20, (100 << 20) + 4097] {
            let rounded = rounded(size).unwrap();
            assert!(
                rounded >= size && rounded - size <= size / 8 && rounded.is_multiple_of(PAGE),
                "{size} {rounded}"
            );
        }
        assert_eq!(rounded(isize::MAX as usize), None);
    }

    #[test]
    fn what_is_given_back_is_found_again_and_goes_in_the_end() {
        const SIZE: usize = 5_000_000;
        let first = Pages::allocate(SIZE).unwrap();
        let start = first.start();
        assert_eq!(start.addr() % HUGE, 0);
        // SAFETY: the piece has so many bytes.
        unsafe { start.write_bytes(7, SIZE) };
        let holds = || kept().lock().pieces.iter().any(|(mapping, _)| mapping.start.as_ptr() == start);
        drop(first);
        assert!(holds());
        let again = Pages::allocate(SIZE).unwrap();
        assert_eq!(again.start(), start);
        assert!(!holds());
        drop(again);
        let begin = Instant::now();
        while holds() {
            assert!(begin.elapsed() < Duration::from_secs(60), "it is still kept");
            std::thread::sleep(AGE / 10);
        }
    }

    #[test]
    fn what_nobody_has_cannot_be_had() {
        assert!(Pages::allocate(isize::MAX as usize - (64 << 20)).is_none());
    }
}
