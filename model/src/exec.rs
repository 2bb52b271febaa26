//! The executor: work that threads share and launch trees are the real things, kernels are functions.

#[path = "../../src/exec/args.rs"]
mod args;
pub mod cpu_set;
#[path = "../../src/exec/device_queue/mod.rs"]
mod device_queue;
mod scheduler;

use std::sync::Arc;

use crate::rtlib::enqueue::EnqueueSink;
use crate::support::sync::Mutex;
use args::ArgBlock;
use cpu_set::CpuSet;
use device_queue::{DeviceQueue, EnqueueEnvironment, EnqueuedBlock, LaunchHandle, Program};
use scheduler::idle_workers::TaskEnd;

pub const MAX_EVENTS: usize = 1 << 20;

/// What a kernel does with what takes its children.
pub type Code = dyn Fn(&dyn EnqueueSink) -> Result<(), Fault> + Send + Sync;

/// A kernel.
pub struct CompiledKernel {
    code: Box<Code>,
    pub local_size: u64,
}

#[derive(Clone, Copy, Debug, Default)]
pub struct NdRange {
    pub work_dim: u32,
    pub offset: [u64; 3],
    pub global: [u64; 3],
    pub local: [u64; 3],
}

fn choose_local_size(_global: [u64; 3], _work_dim: u32, _limit: u64) -> [u64; 3] {
    [1; 3]
}

/// Arguments.
#[derive(Default)]
pub struct Inputs {
    args: ArgBlock,
}

impl Inputs {
    fn of(args: ArgBlock) -> Inputs {
        Inputs { args }
    }

    fn bytes(&self) -> usize {
        self.args.bytes()
    }

    fn args(&mut self) -> &mut ArgBlock {
        &mut self.args
    }

    fn prepare(&mut self, _kernel: &CompiledKernel, _local_args: impl IntoIterator<Item = (u32, u64)>) {}
}

/// Runs launches.
#[derive(Default)]
pub struct Runner {
    _caches: (),
}

impl Runner {
    /// Lets go what it has at hand, which is nothing.
    pub fn release_caches(&mut self) {}

    /// A launch of one group.
    fn run_one(
        &mut self,
        kernel: &Arc<CompiledKernel>,
        _range: &NdRange,
        _inputs: &Inputs,
        _part: Option<&CpuSet>,
        handle: Option<&LaunchHandle>,
    ) -> Result<(), Fault> {
        let worker = handle.map(LaunchHandle::worker).ok_or_else(Fault::bug)?;
        let result = (kernel.code)(&worker);
        match result {
            Ok(()) => worker.group_ended(),
            Err(_) => worker.group_failed(),
        }
        result
    }
}

/// What went wrong.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Fault {
    pub message: String,
    pub kernel: Option<Arc<str>>,
}

impl Fault {
    pub fn new(message: &str) -> Fault {
        Fault { message: message.into(), kernel: None }
    }

    pub fn bug() -> Fault {
        Fault::new("bug")
    }
}

type FirstFault = Mutex<Option<Fault>>;

pub fn compute_units() -> usize {
    2
}

/// Nothing is bound.
pub fn unbind() {}

/// Work that threads share.
pub struct Shared(scheduler::job::Job);

impl Shared {
    /// `0..total` in chunks for so many threads.
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
    /// The first fault.
    pub fn wait(&self) -> Result<(), Fault> {
        // To look again is to sleep.
        self.0.wait(|| false)
    }
}

/// The blocks that kernels of a tree enqueue, by their numbers.
struct Blocks(Vec<(Arc<str>, Arc<CompiledKernel>)>);

impl Program for Blocks {
    fn block(&self, descriptor: u64) -> Option<EnqueuedBlock<'_>> {
        let (name, kernel) = self.0.get(descriptor as usize)?;
        Some(EnqueuedBlock { name, kernel: Some(kernel), closure_size: 8, locals: 0, sub_group: 8 })
    }

    fn is_debugged(&self) -> bool {
        true
    }
}

/// The only queue of a tree.
pub const QUEUE: u64 = 1;

/// Runs a launch tree with so many threads, of which this one is the first.
///
/// # Errors
/// The first fault.
pub fn run_tree(threads: usize, root: Box<Code>, blocks: Vec<Box<Code>>) -> Result<(), Fault> {
    let kernel = |code| Arc::new(CompiledKernel { code, local_size: 0 });
    let named = blocks.into_iter().map(|code| ("block".into(), kernel(code)));
    let environment = EnqueueEnvironment {
        program: Arc::new(Blocks(named.collect())),
        queues: [DeviceQueue { handle: QUEUE, room: 0 }].into_iter().collect(),
        has_default: true,
        local_mem_size: 0,
        uniform: false,
        part: None,
    };
    let launch = (&kernel(root), &NdRange::default(), &Inputs::default());
    device_queue::run(&mut Runner::default(), launch, &environment, threads, &mut || ())
}

/// Threads that stand by.
pub struct Awake(scheduler::idle_workers::IdleWorkers<Order>);

/// What they are to do; whether that goes well.
pub type Order = Box<dyn FnOnce() -> bool + Send>;

impl Awake {
    /// At most so many.
    pub fn new(most: usize) -> Awake {
        Awake(scheduler::idle_workers::IdleWorkers::new(most))
    }

    /// Submits a detached task. Returns true if a worker was idle.
    pub fn submit(&self, order: impl FnOnce() + Send + 'static) -> bool {
        let order = || {
            order();
            true
        };
        self.0.submit(Box::new(order) as Order, 0).is_ok()
    }

    /// Runs each task on a reserved worker if there are enough, calls `meanwhile`, and joins the tasks, spinning `looks` times
    /// before it sleeps. Returns how many have succeeded, have failed, were taken back.
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

    /// Looks so often for each order.
    pub fn run_idle(&self, looks: usize) {
        self.0.run_idle(|| spin_budget(looks), |order| order());
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
