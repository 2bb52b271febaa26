//! Tasks without allocation: a range and a closure in a few words, which fit into a worker's mailbox.

use std::mem::MaybeUninit;
use std::ptr;

/// Maximum size of a closure that is stored inline, in words.
// Source: a mailbox with its task fits into one cache line.
const CLOSURE_WORDS: usize = 3;

type ClosureWords = [MaybeUninit<u64>; CLOSURE_WORDS];

/// Call of a closure with a range `from..to`.
pub(crate) struct InlineTask {
    run: unsafe fn(&ClosureWords, u64, u64),
    /// Closure, or its address if it is too large.
    closure: ClosureWords,
    from: u64,
    to: u64,
}

impl InlineTask {
    /// Creates a task that calls `function` with `from` and `to`.
    ///
    /// # Safety
    /// `function` and everything it borrows live until the task has run, or has been dropped without running.
    pub unsafe fn new<F: Fn(u64, u64) + Copy + Send + Sync>(function: &F, from: u64, to: u64) -> InlineTask {
        let mut closure = [MaybeUninit::uninit(); CLOSURE_WORDS];
        let start = closure.as_mut_ptr();
        let fits =
            size_of::<F>() <= size_of::<ClosureWords>() && align_of::<F>() <= align_of::<ClosureWords>();
        // SAFETY: the words have room for the closure, which fits, or for its address.
        let run = unsafe {
            if fits {
                ptr::write(start.cast(), *function);
                run_inline::<F>
            } else {
                ptr::write(start.cast(), ptr::from_ref(function));
                run_borrowed::<F>
            }
        };
        InlineTask { run, closure, from, to }
    }

    /// Runs the task.
    pub fn run(&self) {
        // SAFETY: `run` is the function for the closure that is stored.
        unsafe { (self.run)(&self.closure, self.from, self.to) };
    }
}

/// Calls a closure of type `F` that is stored in `closure`.
///
/// # Safety
/// `closure` holds a value of type `F`.
unsafe fn run_inline<F: Fn(u64, u64)>(closure: &ClosureWords, from: u64, to: u64) {
    // SAFETY: the caller guarantees that a closure of this type is stored.
    let function = unsafe { &*closure.as_ptr().cast::<F>() };
    function(from, to);
}

/// Calls a closure of type `F` whose address is stored in `closure`.
///
/// # Safety
/// `closure` holds the address of a live value of type `F`.
unsafe fn run_borrowed<F: Fn(u64, u64)>(closure: &ClosureWords, from: u64, to: u64) {
    // SAFETY: the caller guarantees that the address of a closure of this type is stored.
    let function = unsafe { &**closure.as_ptr().cast::<*const F>() };
    function(from, to);
}

#[cfg(test)]
mod tests {
    use std::sync::atomic::{AtomicU64, Ordering};

    use super::*;

    #[test]
    fn closures_are_stored_inline_or_borrowed() {
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
        assert!(
            size_of_val(&small) <= size_of::<ClosureWords>()
                && size_of_val(&large) > size_of::<ClosureWords>()
        );
        // SAFETY: both live until the end, and borrow nothing else.
        unsafe {
            InlineTask::new(&small, 10, 15).run();
            InlineTask::new(&large, 3, 6).run();
        }
        assert_eq!(SUM.load(Ordering::Relaxed), 55 + 12);
    }
}
