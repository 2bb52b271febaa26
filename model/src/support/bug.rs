//! Containment of deliberate panics. Panics of the model checker pass through.

use std::cell::Cell;
use std::panic::{AssertUnwindSafe, catch_unwind, panic_any, resume_unwind};

#[derive(Debug)]
pub struct Bug;

/// Payload of a deliberate panic.
struct OnPurpose;

/// Panics deliberately, to simulate a bug in the modeled files.
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

/// Code locations that can panic deliberately.
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

/// Selects the location at which the scenario's threads panic from now on.
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
