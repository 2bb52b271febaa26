//! A part of something that its thread waits for: as few words as fit beside who is to do it.

use std::mem::MaybeUninit;
use std::ptr;

/// Words that a function may have with it.
const WORDS: usize = 3;

type Words = [MaybeUninit<u64>; WORDS];

/// What a function is to do with numbers from one to before another.
pub(in crate::exec) struct InlineTask {
    run: unsafe fn(&Words, u64, u64),
    /// What the function has with it.
    with: Words,
    from: u64,
    to: u64,
}

impl InlineTask {
    /// The part of what `what` does.
    ///
    /// # Safety
    /// `what` and what it borrows live until the part was run, or will not be.
    pub unsafe fn new<F: Fn(u64, u64) + Copy + Send + Sync>(what: &F, from: u64, to: u64) -> InlineTask {
        let mut with = [MaybeUninit::uninit(); WORDS];
        let start = with.as_mut_ptr();
        let is_here = size_of::<F>() <= size_of::<Words>() && align_of::<F>() <= align_of::<Words>();
        // SAFETY: there is room for it, or for its address.
        let run = unsafe {
            if is_here {
                ptr::write(start.cast(), *what);
                run::<F>
            } else {
                ptr::write(start.cast(), ptr::from_ref(what));
                run_elsewhere::<F>
            }
        };
        InlineTask { run, with, from, to }
    }

    /// Does it.
    pub fn run(&self) {
        // SAFETY: that is the function of what is there.
        unsafe { (self.run)(&self.with, self.from, self.to) };
    }
}

/// Does what a function of that type does.
///
/// # Safety
/// One begins there.
unsafe fn run<F: Fn(u64, u64)>(with: &Words, from: u64, to: u64) {
    // SAFETY: the caller's promise.
    let what = unsafe { &*with.as_ptr().cast::<F>() };
    what(from, to);
}

/// The same, where its address is there.
///
/// # Safety
/// That of one that lives.
unsafe fn run_elsewhere<F: Fn(u64, u64)>(with: &Words, from: u64, to: u64) {
    // SAFETY: the caller's promise.
    let what = unsafe { &**with.as_ptr().cast::<*const F>() };
    what(from, to);
}

#[cfg(test)]
mod tests {
    use std::sync::atomic::{AtomicU64, Ordering};

    use super::*;

    #[test]
    fn a_part_has_with_it_what_it_needs() {
        static SUM: AtomicU64 = AtomicU64::new(0);
        let (a, b, c) = (1_u64, [2_u32, 3], 4_u8);
        let small = move |from, to| {
            let more = a + u64::from(b[0]) * u64::from(b[1]) + u64::from(c);
            SUM.fetch_add(more * (to - from), Ordering::Relaxed);
        };
        let numbers: [u64; 10] = std::array::from_fn(|i| i as u64);
        let large = move |from, to| {
            let part = &numbers[from as usize..to as usize];
            SUM.fetch_add(part.iter().sum(), Ordering::Relaxed);
        };
        assert!(size_of_val(&small) <= size_of::<Words>() && size_of_val(&large) > size_of::<Words>());
        // SAFETY: both live until the end, and borrow nothing else.
        unsafe {
            InlineTask::new(&small, 10, 15).run();
            InlineTask::new(&large, 3, 6).run();
        }
        assert_eq!(SUM.load(Ordering::Relaxed), 55 + 12);
    }
}
