//! Panics stop here if they are on purpose; those of the model checker do not.

use std::cell::Cell;
use std::panic::{AssertUnwindSafe, catch_unwind, panic_any, resume_unwind};

#[derive(Debug)]
pub struct Bug;

/// What a panic on purpose carries.
struct OnPurpose;

/// A bug for the files that are modelled.
pub fn panic_on_purpose() -> ! {
    resume_unwind(Box::new(OnPurpose))
}

/// # Errors
/// If `work` panics on purpose.
pub fn contained<T>(_place: &str, work: impl FnOnce() -> T) -> Result<T, Bug> {
    catch_unwind(AssertUnwindSafe(work)).map_err(|panic| match panic.is::<OnPurpose>() {
        true => Bug,
        false => panic_any(panic),
    })
}

/// Places that may have a bug.
#[derive(Clone, Copy, PartialEq, Eq)]
pub enum PanicSite {
    Enqueue,
    Children,
    Groups,
    Queue,
}

thread_local! {
    static BUG: Cell<Option<PanicSite>> = const { Cell::new(None) };
}

/// From now on, the scenario's threads panic there.
pub fn have_bug(place: Option<PanicSite>) {
    BUG.set(place);
}

impl PanicSite {
    pub fn pass(self) {
        if BUG.get() == Some(self) {
            panic_on_purpose();
        }
    }
}
