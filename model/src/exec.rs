//! Model of the executor: shared jobs and launch trees are the real files of `grus`, kernels are Rust functions.

#[path = "../../src/exec/args.rs"]
mod args;
pub mod cpu_set;
#[path = "../../src/exec/device_queue/mod.rs"]
mod device_queue;
#[path = "../../src/exec/enqueuing_launch.rs"]
mod enqueuing_launch;
mod fault;
mod launch;
mod range;
mod runner;
mod scheduler;
#[path = "../../src/exec/tuning.rs"]
#[expect(dead_code, reason = "plans are not in the model")]
mod tuning;

use std::sync::Arc;

use crate::rtlib::enqueue::EnqueueSink;
use cpu_set::CpuSet;
use device_queue::{DeviceQueue, EnqueueEnvironment, EnqueuedBlock, Program};
pub use fault::Fault;
use launch::Inputs;
use range::NdRange;
pub use runner::Runner;
use scheduler::idle_workers::TaskEnd;
use scheduler::profile::ProfiledKernel;

pub const MAX_EVENTS: usize = 1 << 20;

/// Body of a kernel. Its parameter takes the launches that the kernel enqueues.
pub type Code = dyn Fn(&dyn EnqueueSink) -> Result<(), Fault> + Send + Sync;

pub fn compute_units() -> usize {
    2
}

/// Unbinds the thread from its processor; does nothing in the model.
pub fn unbind() {}

/// Job that several threads share.
pub struct Shared(scheduler::job::Job);

impl Shared {
    /// Creates a job of the chunks of `0..total` for that many threads.
    pub fn new(
        total: u64,
        chunk: u64,
        threads: usize,
        run: impl Fn(u64, u64) -> Result<(), Fault> + Send + Sync + 'static,
    ) -> Shared {
        Shared(scheduler::job::Job::new(Box::new(move |_, from, to| run(from, to)), 0, total, chunk, threads))
    }

    pub fn threads(&self) -> usize {
        self.0.threads()
    }

    pub fn run_chunks(&self, place: usize) {
        self.0.run_chunks(&mut Runner::default(), place);
    }

    /// # Errors
    /// Returns the first fault of a chunk.
    pub fn wait(&self) -> Result<(), Fault> {
        // The condition is never polled: a thread that would look again sleeps instead.
        self.0.wait(|| false)
    }
}

/// Blocks that kernels of a tree enqueue, by number.
struct Blocks(Vec<(Arc<str>, Arc<ProfiledKernel>)>);

impl Program for Blocks {
    fn block(&self, descriptor: u64) -> Option<EnqueuedBlock<'_>> {
        let (name, kernel) = self.0.get(descriptor as usize)?;
        Some(EnqueuedBlock { name, kernel: Some(kernel), closure_size: 8, locals: 0, sub_group: 8 })
    }

    fn is_debugged(&self) -> bool {
        true
    }
}

/// Default queue of a tree, its only one.
pub const QUEUE: u64 = 1;

/// Runs a launch tree with so many threads, of which this one is the first.
///
/// # Errors
/// The first fault.
pub fn run_tree(threads: usize, root: Box<Code>, blocks: Vec<Box<Code>>) -> Result<(), Fault> {
    let kernel = |code| Arc::new(ProfiledKernel { code });
    let named = blocks.into_iter().map(|code| ("block".into(), kernel(code)));
    let environment = EnqueueEnvironment {
        program: Arc::new(Blocks(named.collect())),
        queues: [DeviceQueue { handle: QUEUE, room: 0 }].into_iter().collect(),
        has_default: true,
        local_mem_size: 0,
        uniform: false,
        cpu_set: None,
    };
    let launch = (&kernel(root), &NdRange::default(), &Inputs::default());
    device_queue::run(&mut Runner::default(), launch, &environment, threads, &mut || ())
}

/// Idle workers that wait for tasks.
pub struct Awake(scheduler::idle_workers::IdleWorkers<Order>);

/// Task of a worker. Returns whether it succeeded.
pub type Order = Box<dyn FnOnce() -> bool + Send>;

impl Awake {
    /// Creates the state of at most that many idle workers.
    pub fn new(most: usize) -> Awake {
        Awake(scheduler::idle_workers::IdleWorkers::new(most))
    }

    /// Submits a detached task. Returns true if a worker was idle.
    pub fn submit(&self, order: impl FnOnce() + Send + 'static) -> bool {
        let order = || {
            order();
            true
        };
        self.0.submit(Box::new(order) as Order, 0, 1).is_ok()
    }

    /// Runs each task on a reserved worker if there are enough, calls `meanwhile`, and joins the tasks, spinning
    /// `looks` times before it sleeps. Returns the numbers of tasks that succeeded, failed, and were taken back.
    pub fn run_reserved(&self, orders: Vec<Order>, looks: usize, meanwhile: impl FnOnce()) -> [usize; 3] {
        let reserved: Vec<_> = self.0.reserve(orders.len()).collect();
        if reserved.len() < orders.len() {
            return [0; 3];
        }
        let pending: Vec<_> =
            reserved.into_iter().zip(orders).map(|(reserved, order)| reserved.start(order)).collect();
        meanwhile();
        let ends: Vec<_> = pending.into_iter().map(|pending| pending.join(|| spin_budget(looks))).collect();
        [TaskEnd::Done, TaskEnd::Failed, TaskEnd::TakenBack]
            .map(|end| ends.iter().filter(|&ended| *ended == end).count())
    }

    /// Runs tasks as an idle worker, spinning `looks` times for each of them.
    pub fn run_idle(&self, looks: usize) {
        self.0.run_idle(0, || spin_budget(looks), |order| order());
    }
}

fn spin_budget(looks: usize) -> impl FnMut() -> bool {
    let mut looked = 0;
    move || {
        looked += 1;
        loom::thread::yield_now();
        looked < looks
    }
}
