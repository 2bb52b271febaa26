//! Executor's shared jobs, with chunks that do nothing.

#[path = "../../../src/exec/device_queue/ready.rs"]
mod ready;
#[path = "scheduler.rs"]
mod scheduler;
#[path = "../../../src/exec/tuning.rs"]
#[expect(dead_code, reason = "plans are not simulated here")]
mod tuning;

use runner::Runner;

mod runner {
    pub struct Runner;

    impl Runner {
        /// Combines copies of memory; the model has none.
        pub fn combine_copies(&mut self) {}
    }
}

mod fault {
    use crate::support::sync::Mutex;

    #[derive(Clone, Debug, PartialEq, Eq)]
    pub struct Fault;

    impl Fault {
        pub fn bug() -> Fault {
            Fault
        }
    }

    pub type FirstFault = Mutex<Option<Fault>>;
}

/// Job that several threads share.
pub struct Shared(scheduler::job::Job);

impl Shared {
    /// Creates a job of chunks of one for that many threads.
    pub fn new(chunks: u64, threads: usize, run: impl Fn() + Send + Sync + 'static) -> Shared {
        let run = move |_: &mut Runner, _, _| {
            run();
            Ok(())
        };
        Shared(scheduler::job::Job::new(Box::new(run), 0, chunks, 1, threads).with_probe(None))
    }

    pub fn threads(&self) -> usize {
        self.0.threads()
    }

    pub fn run_chunks(&self, place: usize) {
        self.0.run_chunks(&mut Runner, place);
    }

    pub fn is_over(&self) -> bool {
        self.0.probe().is_none()
            && self.0.is_claimed()
            && self.0.wait(|| false).is_ok()
            && !self.0.busy_time().is_zero()
    }
}

/// Launches that are ready to run.
pub struct Children(ready::ReadyQueues<u8>);

impl Children {
    pub fn new(threads: usize) -> Children {
        Children(ready::ReadyQueues::new(threads))
    }

    pub fn push(&self, place: usize, count: usize) {
        self.0.push(place, vec![0; count].into_iter());
    }

    /// Takes a batch of launches and completes them at once. Returns their number.
    pub fn run(&self, place: usize) -> usize {
        let mut taken = Vec::new();
        self.0.take(place, &mut taken);
        self.0.finish(taken.len());
        taken.len()
    }
}
