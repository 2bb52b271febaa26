//! Small pieces that a build has given back, for its next ones.
//!
//! A build asks for thousands of pieces of a few dozen bytes and gives them back soon. The C library keeps seven of each
//! size for a thread, merges the others with their neighbours and takes them apart again: a seventh of a small build's
//! time. So threads that build keep what they give back in lists, one for each size.
//!
//! All pieces are the C library's own: each can be given back to it, by any thread and at any time.

use std::alloc::{GlobalAlloc, Layout, System};
use std::cell::Cell;
use std::ptr::null_mut;

/// Sizes are this far apart.
const STEP: usize = 16;

/// Where sizes begin: the C library keeps 8 bytes of its own for each piece, whose sizes it rounds up to [`STEP`].
const OFFSET: usize = 8;

/// Larger pieces are left to the C library.
const LARGEST: usize = 64 * STEP + OFFSET;

const CLASSES: usize = LARGEST / STEP + 1;

/// Bytes that a thread keeps during a build, and afterwards.
const MOST: usize = 16 << 20;
const MOST_IDLE: usize = 1 << 20;

/// The first word of a piece in a list is the address of the next.
struct Lists {
    is_open: Cell<bool>,
    bytes: Cell<usize>,
    first: [Cell<*mut u8>; CLASSES],
}

thread_local! {
    static LISTS: Lists = const {
        Lists { is_open: Cell::new(false), bytes: Cell::new(0), first: [const { Cell::new(null_mut()) }; CLASSES] }
    };

    /// Empties the lists when the thread ends.
    static END: ListEnd = const { ListEnd };
}

impl Lists {
    /// A piece of a list, which has no owner any more; null if there is none.
    #[inline]
    fn pop(&self, class: usize) -> *mut u8 {
        let piece = self.first[class].get();
        if !piece.is_null() {
            // SAFETY: pieces in lists have no owner, and their first word is ours.
            self.first[class].set(unsafe { piece.cast::<*mut u8>().read() });
            self.bytes.set(self.bytes.get() - class * STEP);
        }
        piece
    }
}

struct ListEnd;

impl Drop for ListEnd {
    fn drop(&mut self) {
        release(0);
    }
}

/// Which list pieces of a size are in, if in any.
#[inline]
fn class_of(layout: Layout) -> Option<usize> {
    (layout.size() <= LARGEST && layout.align() <= STEP).then(|| ((layout.size() + OFFSET - 1) / STEP).max(1))
}

/// What pieces of a list are asked for by.
#[inline]
fn layout_of(class: usize) -> Layout {
    // SAFETY: the alignment is a power of two, and the size far from the largest.
    unsafe { Layout::from_size_align_unchecked(class * STEP + OFFSET, STEP) }
}

/// What is asked of the C library for a piece of this size: as much as any other of its list has.
#[inline]
pub fn whole(layout: Layout) -> Layout {
    class_of(layout).map_or(layout, layout_of)
}

/// Whether a piece of one size is as good for another.
#[inline]
pub fn is_alike(one: Layout, other: Layout) -> bool {
    class_of(one).is_some_and(|class| class_of(other) == Some(class))
}

/// A piece for this layout; null if the thread keeps none.
#[inline]
pub fn take(layout: Layout) -> *mut u8 {
    class_of(layout).map_or(null_mut(), |class| LISTS.with(|lists| lists.pop(class)))
}

/// Keeps a piece; not if the thread does not build, or has enough.
///
/// # Safety
/// The piece is the C library's, has the size of [`whole`], and nobody uses it any more.
#[inline]
pub unsafe fn keep(piece: *mut u8, layout: Layout) -> bool {
    let Some(class) = class_of(layout) else { return false };
    LISTS.with(|lists| {
        if !lists.is_open.get() || lists.bytes.get() >= MOST {
            return false;
        }
        // SAFETY: the caller's promise; the smallest piece has room for a word.
        unsafe { piece.cast::<*mut u8>().write(lists.first[class].get()) };
        lists.first[class].set(piece);
        lists.bytes.set(lists.bytes.get() + class * STEP);
        true
    })
}

/// From here on the thread keeps what it gives back.
pub fn open() {
    // A thread that is about to end keeps nothing.
    let is_watched = END.try_with(|_| ()).is_ok();
    LISTS.with(|lists| lists.is_open.set(is_watched));
}

/// No longer.
pub fn close() {
    LISTS.with(|lists| lists.is_open.set(false));
    release(MOST_IDLE);
}

/// Gives back to the C library what is more than so many bytes. Whether that was something.
pub fn release(most: usize) -> bool {
    LISTS.with(|lists| {
        let before = lists.bytes.get();
        for class in 0..CLASSES {
            while lists.bytes.get() > most {
                let piece = lists.pop(class);
                if piece.is_null() {
                    break;
                }
                // SAFETY: it has no owner; the layout is what it was asked for by.
                unsafe { System.dealloc(piece, layout_of(class)) };
            }
        }
        lists.bytes.get() < before
    })
}
