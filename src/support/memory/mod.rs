//! Memory that runs out.
//!
//! Rust's collections, and the crates underneath, end the process when an allocation fails. So the library's allocator
//! ([`Allocator`]) has a reserve: what the system refuses comes from there, and the calls and builds that are under way end
//! with an error before it is used up. Three things see to that:
//!
//! - Entry points that would make something say no at once while the reserve is in use and the system has nothing
//!   ([`is_low`]); those that free, wait or ask go on.
//! - A build looks again and again whether that is so ([`check`]), and before each stage whether there is as much memory as
//!   the stage takes ([`expect`]); if not, it unwinds with [`NoMemory`], which `compile` catches.
//! - What an application sizes is asked for with `try_reserve`, and never comes from the reserve unless it is small.
//!
//! The reserve is part of the library's zeroed data: it costs address space, and no memory until it is used.

use std::alloc::{GlobalAlloc, Layout, System};
use std::cell::{Cell, UnsafeCell};
use std::mem::MaybeUninit;
use std::ptr::{NonNull, null_mut};
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::sync::{Mutex, PoisonError};

use rlsf::Tlsf;

use super::fork::Global;

mod lists;

/// Bytes of the reserve.
const RESERVE: usize = 16 << 20;

/// Outside of builds, larger pieces do not come from the reserve.
const LARGEST: usize = 4 << 20;

/// What must be there for the system to count as having memory.
const PROBE: usize = 1 << 20;

/// Room for the reserve.
#[repr(align(64))]
struct Room(UnsafeCell<MaybeUninit<[u8; RESERVE]>>);

// SAFETY: only the pool hands parts of it out, each to one owner.
unsafe impl Sync for Room {}

static ROOM: Room = Room(UnsafeCell::new(MaybeUninit::uninit()));

/// The order of the reserve: two levels of free lists, searched and kept in constant time.
struct ReservePool {
    lists: Tlsf<'static, u32, u32, 24, 8>,
    is_filled: bool,
}

// SAFETY: the pointers inside lead into `ROOM`, which has no owner but the pool.
unsafe impl Send for ReservePool {}

/// Locked for a few hundred instructions, and only where the system refused.
static POOL: Mutex<ReservePool> = Mutex::new(ReservePool { lists: Tlsf::new(), is_filled: false });

/// Bytes that are in use.
static IN_USE: AtomicUsize = AtomicUsize::new(0);

/// A child was forked while another thread held the lock: nothing is taken any more, and nothing given back.
static ABANDONED: AtomicBool = AtomicBool::new(false);

thread_local! {
    /// Whether this thread builds, and may take large pieces.
    static BUILDS: Cell<bool> = const { Cell::new(false) };
}

impl ReservePool {
    fn take(&mut self, layout: Layout) -> *mut u8 {
        if !self.is_filled {
            self.is_filled = true;
            let room = NonNull::slice_from_raw_parts(NonNull::from(&ROOM.0).cast::<u8>(), RESERVE);
            // SAFETY: the memory lives for ever, and nobody else uses it.
            unsafe { self.lists.insert_free_block_ptr(room) };
        }
        self.lists.allocate(layout).map_or(null_mut(), NonNull::as_ptr)
    }
}

fn is_reserve(pointer: *const u8) -> bool {
    pointer.addr().wrapping_sub(ROOM.0.get().addr()) < RESERVE
}

/// Gives back to the system what can be given back, and says whether that was something. It is called with any lock held.
static RELIEF: Global<fn() -> bool> = Global::fact();

/// Has this called where the system has refused something, and in children of a fork.
pub fn relieve_by(relief: fn() -> bool) {
    RELIEF.get(|| relief);
}

/// What the system has refused: from what somebody gives back, or from the reserve; null if there is none.
///
/// # Safety
/// As for `alloc`.
#[cold]
unsafe fn refused(layout: Layout) -> *mut u8 {
    if lists::release(0) | RELIEF.peek().is_some_and(|relief| relief()) {
        // SAFETY: the caller's promise.
        let piece = unsafe { System.alloc(layout) };
        if !piece.is_null() {
            return piece;
        }
    }
    take(layout)
}

/// A piece of the reserve; null if there is none.
fn take(layout: Layout) -> *mut u8 {
    let builds = || BUILDS.try_with(Cell::get).unwrap_or(false);
    if ABANDONED.load(Ordering::Relaxed) || layout.size() > LARGEST && !builds() {
        return null_mut();
    }
    let piece = POOL.lock().unwrap_or_else(PoisonError::into_inner).take(layout);
    if !piece.is_null() {
        IN_USE.fetch_add(layout.size(), Ordering::Relaxed);
    }
    piece
}

/// # Safety
/// `take` returned the pointer for this layout, and nobody uses it any more.
#[cold]
unsafe fn give_back(pointer: *mut u8, layout: Layout) {
    IN_USE.fetch_sub(layout.size(), Ordering::Relaxed);
    let Some(pointer) = NonNull::new(pointer).filter(|_| !ABANDONED.load(Ordering::Relaxed)) else { return };
    let mut pool = POOL.lock().unwrap_or_else(PoisonError::into_inner);
    // SAFETY: the caller's promise.
    unsafe { pool.lists.deallocate(pointer, layout.align()) };
}

/// The system's allocator, the reserve where that has nothing, and lists of small pieces for builds ([`lists`]).
pub struct Allocator;

// SAFETY: every piece comes from the system or from the reserve, and goes back where it came from, which its address tells. A
// piece in a list of the thread is the system's, and as large as any that is taken from there.
unsafe impl GlobalAlloc for Allocator {
    #[inline]
    unsafe fn alloc(&self, layout: Layout) -> *mut u8 {
        let kept = lists::take(layout);
        if !kept.is_null() {
            return kept;
        }
        // SAFETY: the caller's promise.
        let piece = unsafe { System.alloc(lists::whole(layout)) };
        // SAFETY: as above.
        if piece.is_null() { unsafe { refused(layout) } } else { piece }
    }

    #[inline]
    unsafe fn alloc_zeroed(&self, layout: Layout) -> *mut u8 {
        let mut piece = lists::take(layout);
        if piece.is_null() {
            // SAFETY: the caller's promise.
            piece = unsafe { System.alloc_zeroed(lists::whole(layout)) };
            if !piece.is_null() {
                return piece;
            }
            // SAFETY: the caller's promise.
            piece = unsafe { refused(layout) };
        }
        if !piece.is_null() {
            // SAFETY: the piece has this size. It may have been used before.
            unsafe { piece.write_bytes(0, layout.size()) };
        }
        piece
    }

    #[inline]
    unsafe fn dealloc(&self, pointer: *mut u8, layout: Layout) {
        if is_reserve(pointer) {
            // SAFETY: the caller's promise.
            unsafe { give_back(pointer, layout) }
        // SAFETY: as above; it was asked for by `whole`.
        } else if !unsafe { lists::keep(pointer, layout) } {
            // SAFETY: as above.
            unsafe { System.dealloc(pointer, lists::whole(layout)) }
        }
    }

    #[inline]
    unsafe fn realloc(&self, pointer: *mut u8, layout: Layout, size: usize) -> *mut u8 {
        if !is_reserve(pointer) {
            // SAFETY: the caller's promise: the new size is valid for this alignment.
            let wanted = unsafe { Layout::from_size_align_unchecked(size, layout.align()) };
            if lists::is_alike(layout, wanted) {
                return pointer;
            }
            let kept = lists::take(wanted);
            if !kept.is_null() {
                // SAFETY: the caller's promise; the piece has this size.
                unsafe { self.hand_over(pointer, layout, kept, size) };
                return kept;
            }
            // SAFETY: the caller's promise.
            let piece = unsafe { System.realloc(pointer, lists::whole(layout), lists::whole(wanted).size()) };
            if !piece.is_null() {
                return piece;
            }
        }
        // SAFETY: the caller's promise.
        unsafe { self.move_to(pointer, layout, size) }
    }
}

impl Allocator {
    /// Moves what cannot grow where it is; null if there is nowhere to go.
    ///
    /// # Safety
    /// As for `realloc`.
    #[cold]
    unsafe fn move_to(&self, pointer: *mut u8, layout: Layout, size: usize) -> *mut u8 {
        // SAFETY: the caller's promise: the new size is valid for this alignment.
        let wanted = unsafe { Layout::from_size_align_unchecked(size, layout.align()) };
        // SAFETY: the caller's promise; the new piece has this size.
        unsafe {
            let piece = self.alloc(wanted);
            if !piece.is_null() {
                self.hand_over(pointer, layout, piece, size);
            }
            piece
        }
    }

    /// Copies what fits into a new piece of so many bytes, and gives back the old one.
    ///
    /// # Safety
    /// As for `realloc`; nobody uses the new piece.
    unsafe fn hand_over(&self, pointer: *mut u8, layout: Layout, piece: *mut u8, size: usize) {
        // SAFETY: the caller's promise: both pieces are at least as large as what is copied.
        unsafe {
            piece.copy_from_nonoverlapping(pointer, layout.size().min(size));
            self.dealloc(pointer, layout);
        }
    }
}

/// Why a build ends: see [`check`].
#[derive(Clone, Copy, Debug)]
pub struct NoMemory;

/// Whether the system has so many bytes for this process, now.
pub fn has(bytes: usize) -> bool {
    let (protection, flags) = (libc::PROT_READ | libc::PROT_WRITE, libc::MAP_PRIVATE | libc::MAP_ANONYMOUS);
    // SAFETY: a mapping at an address of the system's choice, which goes at once.
    unsafe {
        let start = libc::mmap(null_mut(), bytes.max(1), protection, flags, -1, 0);
        start != libc::MAP_FAILED && libc::munmap(start, bytes.max(1)) == 0
    }
}

/// Whether memory has run out: the reserve is in use, and the system has nothing.
#[inline]
pub fn is_low() -> bool {
    IN_USE.load(Ordering::Relaxed) != 0 && !has_some()
}

/// Whether there is so much memory that several threads may build at once, none of which sees what the others are going to
/// take.
pub fn is_plentiful() -> bool {
    const PLENTY: usize = 512 << 20;
    has(PLENTY)
}

/// Whether the system has memory for what must not fail: starting a thread, say. Asks the allocator, too, for several pieces
/// at once: it may have what no mapping shows, or be told to fail.
#[cold]
pub fn has_some() -> bool {
    const LAYOUT: Layout = match Layout::from_size_align(8 << 10, 16) {
        Ok(layout) => layout,
        Err(_) => unreachable!(),
    };
    // SAFETY: the layout is not empty.
    let pieces: [*mut u8; 8] = std::array::from_fn(|_| unsafe { System.alloc(LAYOUT) });
    for piece in pieces.into_iter().filter(|piece| !piece.is_null()) {
        // SAFETY: it goes once.
        unsafe { System.dealloc(piece, LAYOUT) };
    }
    pieces.iter().all(|piece| !piece.is_null()) && has(PROBE)
}

/// As long as it lives, its thread builds: it may take large pieces of the reserve, since it looks often how much is left.
pub struct Building {
    before: bool,
}

impl Building {
    /// From here on.
    pub fn enter() -> Building {
        let before = BUILDS.try_with(|builds| builds.replace(true)).unwrap_or(false);
        if !before {
            lists::open();
        }
        Building { before }
    }
}

impl Drop for Building {
    fn drop(&mut self) {
        let _ = BUILDS.try_with(|builds| builds.set(self.before));
        if !self.before {
            lists::close();
        }
    }
}

/// For builds, often: unwinds with [`NoMemory`] if memory has run out.
#[inline]
pub fn check() {
    if is_low() {
        std::panic::resume_unwind(Box::new(NoMemory));
    }
}

/// For builds, before each stage: unwinds with [`NoMemory`] if the system does not have about so many bytes.
pub fn expect(bytes: usize) {
    /// What costs less than asking.
    const LITTLE: usize = 256 << 10;
    if bytes > LITTLE && !has(bytes) {
        std::panic::resume_unwind(Box::new(NoMemory));
    }
}

/// For builds, before a list gets one more entry: unwinds with [`NoMemory`] if there is no memory for it to double.
#[inline]
pub fn expect_growth<T>(list: &Vec<T>) {
    if list.len() == list.capacity() {
        expect(2 * list.len() * size_of::<T>());
    }
}

/// In a child: whether nobody else was at work when it was forked.
pub(super) fn after_fork(was_quiet: bool) {
    if !was_quiet && POOL.try_lock().is_err() {
        ABANDONED.store(true, Ordering::Relaxed);
    }
    if let Some(relief) = RELIEF.peek().filter(|_| was_quiet) {
        relief();
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const SMALL: Layout = match Layout::from_size_align(100, 8) {
        Ok(layout) => layout,
        Err(_) => unreachable!(),
    };

    #[test]
    fn the_reserve_takes_back_what_it_gave() {
        let pieces: Vec<*mut u8> = (0..1000).map(|_| take(SMALL)).collect();
        assert!(pieces.iter().all(|&piece| is_reserve(piece) && piece.addr() % 8 == 0));
        assert!(IN_USE.load(Ordering::Relaxed) >= 100_000);
        // This process has memory.
        assert!(!is_low());
        let (mut moved, mut layout) = (pieces[0], SMALL);
        // SAFETY: each piece is used as it was asked for, and goes once.
        unsafe {
            moved.write_bytes(7, 100);
            for size in [50, 5000, 100] {
                moved = Allocator.realloc(moved, layout, size);
                layout = Layout::from_size_align(size, 8).unwrap();
                assert!(!is_reserve(moved));
                assert_eq!(moved.add(49).read(), 7);
            }
            Allocator.dealloc(moved, layout);
            pieces[1..].iter().for_each(|&piece| Allocator.dealloc(piece, SMALL));
        }
        // Other tests do not use it.
        assert_eq!(IN_USE.load(Ordering::Relaxed), 0);
        let large = Layout::from_size_align(RESERVE / 2, 8).unwrap();
        assert!(take(large).is_null());
        let building = Building::enter();
        let piece = take(large);
        assert!(!piece.is_null());
        // SAFETY: as above.
        unsafe { Allocator.dealloc(piece, large) };
        drop(building);
    }

    #[test]
    fn what_no_system_has_is_not_expected() {
        assert!(has(1) && !has(1 << 60));
        check();
        expect(1 << 20);
        let caught = std::panic::catch_unwind(|| expect(1 << 60)).unwrap_err();
        assert!(caught.is::<NoMemory>());
    }
}
