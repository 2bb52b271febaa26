//! The executor, as far as queues know it; and work that threads share, which is the real thing.

#[path = "../../src/exec/job.rs"]
pub mod job;

use crate::support::sync::Mutex;

pub const MOST_EVENTS: usize = 1 << 20;

/// Runs launches.
#[derive(Default)]
pub struct Runner {
    _caches: (),
}

impl Runner {
    /// Lets go what it has at hand, which is nothing.
    pub fn release_caches(&mut self) {}
}

/// What went wrong.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Fault(pub &'static str);

impl Fault {
    fn bug() -> Fault {
        Fault("bug")
    }
}

type FirstFault = Mutex<Option<Fault>>;

pub fn compute_units() -> usize {
    2
}

/// Nothing is bound.
pub fn unbind() {}

/// Work that threads share.
pub struct Shared(job::Job);

impl Shared {
    /// `0..total` in chunks.
    pub fn new(
        total: u64,
        chunk: u64,
        run: impl Fn(u64, u64) -> Result<(), Fault> + Send + Sync + 'static,
    ) -> Shared {
        Shared(job::Job::new(Box::new(move |_, from, to| run(from, to)), 0, total, chunk))
    }

    pub fn take_part(&self) {
        self.0.take_part(&mut Runner::default());
    }

    /// # Errors
    /// The first fault.
    pub fn wait(&self) -> Result<(), Fault> {
        self.0.wait()
    }
}
