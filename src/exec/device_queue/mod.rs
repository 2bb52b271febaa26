//! Device-side enqueue (s6.13.17): execution of launch trees. A launch tree is a launch of the host with all its
//! descendants.
//!
//! An enqueued kernel does not run on the stack of the kernel that enqueues it: it becomes a launch of the tree. When
//! the groups of the root have ended, the thread of the root runs ready launches until there are none. If several are
//! ready, pool threads help. The launch of the host is complete when the tree is.
//!
//! Launches with an event or a wait list are commands of a graph under a lock (`graph`). Most launches are not:
//! `worker` adds them to per-thread queues (`ready`), and they are counted in the scope of the command from which they
//! descend.

mod graph;
mod memory_budget;
mod ready;
mod worker;

use std::sync::Arc;
use std::time::Instant;

use smallvec::SmallVec;

use super::args::ArgBlock;
use super::cpu_set::CpuSet;
use super::fault::Fault;
use super::launch::Inputs;
use super::range::{NdRange, choose_local_size};
use super::runner::Runner;
use super::scheduler::{self, profile::ProfiledKernel};
use graph::{LaunchGraph, PendingChild, ROOT, ReadyLaunch, Scope, TreeWork};
use grus_codegen::rtlib::enqueue::{EnqueueError, RangeWords, Request};
use grus_ir::abi::AREA_ALIGN;
use grus_ir::abi::enqueue::MAX_WORK_GROUP_SIZE;
use grus_support::bug::{self, Bug, PanicSite};
use grus_support::fork::Task;
use grus_support::sync::atomic::Ordering;
use grus_support::sync::{Condvar, Mutex, MutexGuard};
use memory_budget::{Charge, QueueMemory};
use ready::ReadyQueues;
pub(super) use worker::LaunchHandle;

/// Program whose blocks kernels enqueue.
pub trait Program: Send + Sync {
    /// Returns the block with this descriptor.
    fn block(&self, descriptor: u64) -> Option<EnqueuedBlock<'_>>;

    /// Checks whether errors of enqueue functions are reported in detail (`-g`).
    fn is_debugged(&self) -> bool;
}

/// Block that can be enqueued as a kernel.
pub struct EnqueuedBlock<'p> {
    pub name: &'p Arc<str>,
    /// Code of the block; `None` after an internal error of the compiler.
    pub kernel: Option<&'p Arc<ProfiledKernel>>,
    /// Size of the closure object, which is the first argument. It is followed by an aligned 8-byte entry for each
    /// argument in local memory.
    pub closure_size: usize,
    /// Number of arguments in local memory.
    pub locals: usize,
    /// Work-items per sub-group.
    pub sub_group: u16,
}

/// Queue on the device.
#[derive(Clone, Copy, Debug)]
pub struct DeviceQueue {
    /// Handle for kernels, not 0.
    pub handle: u64,
    /// Maximum bytes of its incomplete commands.
    pub room: u64,
}

/// Environment of the kernels of a tree.
#[derive(Clone)]
pub struct EnqueueEnvironment {
    pub program: Arc<dyn Program>,
    /// Queues of the tree; the first is the default queue if `has_default`.
    pub queues: SmallVec<[DeviceQueue; 2]>,
    pub has_default: bool,
    /// Maximum bytes of local memory per group.
    pub local_mem_size: u64,
    /// True if all groups of a range must have the same size.
    pub uniform: bool,
    /// CPUs of the sub-device on which the tree runs; `None` for the whole device.
    pub cpu_set: Option<Arc<CpuSet>>,
}

/// Minimum capacity of a queue in bytes, whatever size the program requests: programs do not know the size of a
/// command.
// Arbitrary.
const MIN_QUEUE_BYTES: u64 = 64 << 20;

/// Bytes charged for a command in addition to its arguments.
// Arbitrary.
const COMMAND_BYTES: u64 = 256;

/// Launch tree; see the module.
struct LaunchTree {
    environment: EnqueueEnvironment,
    threads: usize,
    ready: ReadyQueues<ReadyLaunch>,
    memory: Arc<QueueMemory>,
    graph: Mutex<LaunchGraph>,
    /// Signal that a launch is ready, that no launch runs any more, or that a helper has left.
    changed: Condvar,
}

/// Runs a launch and all its descendants. Calls `ended` when the launch itself has ended.
///
/// # Errors
/// Returns the first fault of the tree.
pub(super) fn run(
    runner: &mut Runner,
    (kernel, range, inputs): (&Arc<ProfiledKernel>, &NdRange, &Inputs),
    environment: &EnqueueEnvironment,
    threads: usize,
    ended: &mut dyn FnMut(),
) -> Result<(), Fault> {
    let memory = Arc::new(QueueMemory::new(environment.queues.len()));
    let tree = Arc::new(LaunchTree {
        environment: environment.clone(),
        threads,
        ready: ReadyQueues::new(threads),
        memory: Arc::clone(&memory),
        graph: Mutex::new(LaunchGraph::new(memory)),
        changed: Condvar::new(),
    });
    let mut handle = LaunchHandle::new(&tree, Arc::new(Scope::new(ROOT)));
    // A panic is caught, because helpers that run launches of the tree must be waited for in any case.
    let cpu_set = environment.cpu_set.as_deref();
    let root = || runner.run_one(kernel, range, inputs, cpu_set, Some(&handle));
    let result = bug::contained("the executor", root).unwrap_or_else(|Bug| Err(Fault::bug()));
    ended();
    let mut batch = WorkerBatch::default();
    let pending = handle.take_pending();
    let result = result.map_err(Box::new);
    batch.finished.push(FinishedLaunch { scope: handle.scope, child: None, result, times: None, pending });
    if bug::contained("the executor", || tree.finish(runner, &mut batch)).is_err() {
        tree.give_up();
    }
    let fault = tree.graph.lock().fault.take();
    fault.map_or(Ok(()), Err)
}

/// Launch that has run to its end or to a fault.
struct FinishedLaunch {
    scope: Arc<Scope>,
    /// Memory charged for the launch, if it is not a command.
    child: Option<Charge>,
    result: Result<(), Box<Fault>>,
    /// Start and end, if the launch is timed.
    times: Option<[Instant; 2]>,
    /// Children that waited for the end of the launch.
    pending: Vec<PendingChild>,
}

/// Launches that a thread has taken and finished. Shared state is updated once per batch.
#[derive(Default)]
struct WorkerBatch {
    /// Index of the thread's own queue.
    queue: usize,
    taken: Vec<ReadyLaunch>,
    finished: Vec<FinishedLaunch>,
    /// Children that waited for finished launches.
    children: Vec<ReadyLaunch>,
}

impl WorkerBatch {
    /// Runs the taken launches.
    fn run_taken(&mut self, tree: &Arc<LaunchTree>, runner: &mut Runner) {
        let Some(first) = self.taken.first() else { return };
        let mut handle = LaunchHandle::new(tree, Arc::clone(&first.scope));
        for ReadyLaunch { scope, child, work } in self.taken.drain(..) {
            handle.scope = Arc::clone(&scope);
            let now = || work.timed.then(Instant::now);
            let start = now();
            let result = bug::contained("the executor", || handle.run(&work, runner));
            let result = result.unwrap_or_else(|Bug| Err(Fault::bug()));
            let times = start.zip(now()).map(|(start, end)| [start, end]);
            let named = |fault| Box::new(Fault { kernel: tree.name(&work), ..fault });
            let (result, pending) = (result.map_err(named), handle.take_pending());
            self.finished.push(FinishedLaunch { scope, child, result, times, pending });
        }
    }
}

impl LaunchHandle {
    fn run(&self, work: &TreeWork, runner: &mut Runner) -> Result<(), Fault> {
        let environment = &self.tree.environment;
        let kernel = environment.program.block(work.descriptor).and_then(|block| block.kernel);
        let kernel = kernel.ok_or_else(|| Fault::new("there is no such block"))?;
        runner.run_one(kernel, &work.range, &work.inputs, environment.cpu_set.as_deref(), Some(self))
    }
}

impl LaunchTree {
    /// Runs launches on the thread of the root until the tree is complete.
    fn finish(self: &Arc<Self>, runner: &mut Runner, batch: &mut WorkerBatch) {
        loop {
            self.submit_finished(batch);
            self.ready.take(batch.queue, &mut batch.taken);
            if !batch.taken.is_empty() {
                self.recruit_helpers();
                batch.run_taken(self, runner);
            } else if self.wait() {
                return;
            }
        }
    }

    /// Blocks until a launch is ready (returns false) or the tree is complete (returns true).
    fn wait(self: &Arc<Self>) -> bool {
        let mut graph = self.graph.lock();
        loop {
            if self.ready.is_aborted() {
                if !self.ready.has_helpers() {
                    return true;
                }
            } else if !self.ready.is_active() {
                let left = graph.open;
                if left == 0 {
                    return true;
                }
                graph.fail_user_events();
                if !graph.ready.is_empty() {
                    self.share_commands(graph);
                    return false;
                }
                // Unreachable unless the graph has a bug; ending is better than waiting forever.
                if graph.open == left {
                    return true;
                }
                continue;
            } else if !self.ready.try_sleep() {
                return false;
            }
            graph = self.changed.wait(graph);
            self.ready.end_sleep();
        }
    }

    /// Wakes the thread that waits for the tree.
    fn wake(&self) {
        let graph = self.graph.lock();
        self.changed.notify_all();
        drop(graph);
    }

    /// Prevents further launches from beginning, after an internal error.
    fn abort(&self) {
        self.graph.lock().fault.get_or_insert_with(Fault::bug);
        self.ready.abort();
    }

    /// Aborts the tree after an internal error on the thread of the root, and waits until all helpers have left.
    fn give_up(&self) {
        self.abort();
        let mut graph = self.graph.lock();
        while self.ready.has_helpers() {
            graph = self.changed.wait(graph);
        }
        drop(graph);
    }

    /// Runs ready launches on a helper thread. A panic aborts the tree.
    fn help(self: &Arc<Self>, runner: &mut Runner) {
        if bug::contained("the executor", || self.run_ready(runner)).is_err() {
            self.abort();
        }
        self.leave();
    }

    /// Removes a helper, and wakes the thread that waits for helpers to leave.
    fn leave(&self) {
        if self.ready.remove_helper() {
            self.wake();
        }
    }

    /// Runs launches until none is ready.
    fn run_ready(self: &Arc<Self>, runner: &mut Runner) {
        let mut batch = WorkerBatch { queue: scheduler::thread_index(), ..WorkerBatch::default() };
        loop {
            PanicSite::Children.pass();
            self.ready.take(batch.queue, &mut batch.taken);
            if batch.taken.is_empty() {
                return;
            }
            self.recruit_helpers();
            batch.run_taken(self, runner);
            self.submit_finished(&mut batch);
        }
    }

    /// Records the finished launches of a batch, and publishes launches that can begin now.
    fn submit_finished(self: &Arc<Self>, batch: &mut WorkerBatch) {
        let count = batch.finished.len();
        let mut graph = None;
        let mut ended: SmallVec<[(Arc<Scope>, usize); 2]> = SmallVec::new();
        for finished in batch.finished.drain(..) {
            let scope = self.launch_ended(finished, &mut graph, &mut batch.children);
            match ended.last_mut() {
                Some((last, count)) if Arc::ptr_eq(last, &scope) => *count += 1,
                _ => ended.push((scope, 1)),
            }
        }
        // A scope is closed when all its launches have ended.
        for (scope, count) in ended {
            if scope.open.fetch_sub(count, Ordering::AcqRel) == count {
                self.locked(&mut graph).close_scope(&scope);
            }
        }
        if let Some(graph) = graph {
            self.share_commands(graph);
        }
        self.publish(&mut batch.children);
        if self.ready.finish(count) {
            self.wake();
        }
    }

    /// Locks the graph unless the caller has done so, and returns it.
    fn locked<'s, 't>(&'t self, graph: &'s mut Option<MutexGuard<'t, LaunchGraph>>) -> &'s mut LaunchGraph {
        graph.get_or_insert_with(|| self.graph.lock())
    }

    /// Records the end of one launch: updates its command, adds children that waited for it to `children`, and returns
    /// its scope.
    fn launch_ended<'t>(
        &'t self,
        finished: FinishedLaunch,
        graph: &mut Option<MutexGuard<'t, LaunchGraph>>,
        children: &mut Vec<ReadyLaunch>,
    ) -> Arc<Scope> {
        let FinishedLaunch { scope, child, result, times, pending } = finished;
        let has_failed = result.is_err();
        if has_failed {
            scope.failed.store(true, Ordering::Relaxed);
        }
        if child.is_none() || has_failed {
            self.locked(graph).record_end(child.is_none().then_some((scope.id, times)), result.err());
        }
        child.into_iter().for_each(|charge| self.memory.release(charge));
        for pending in pending {
            match pending {
                PendingChild::Command(id) if has_failed => self.locked(graph).fail_dependency(id),
                PendingChild::Command(id) => self.locked(graph).satisfy_dependency(id),
                PendingChild::Child(launch) if has_failed => self.drop_child(&launch),
                PendingChild::Child(launch) => {
                    scope.open.fetch_add(1, Ordering::Relaxed);
                    children.push(launch);
                }
            }
        }
        scope
    }

    /// Fails children that waited for the end of a group, which has failed.
    fn fail_pending(self: &Arc<Self>, pending: Vec<PendingChild>) {
        let mut graph = self.graph.lock();
        for pending in pending {
            match pending {
                PendingChild::Command(id) => graph.fail_dependency(id),
                PendingChild::Child(launch) => self.drop_child(&launch),
            }
        }
        self.share_commands(graph);
    }

    fn drop_child(&self, launch: &ReadyLaunch) {
        launch.child.into_iter().for_each(|charge| self.memory.release(charge));
    }

    /// Publishes the commands that have become ready.
    fn share_commands(self: &Arc<Self>, mut graph: MutexGuard<'_, LaunchGraph>) {
        let wake_waiter = self.ready.push(scheduler::thread_index(), graph.ready.drain(..));
        drop(graph);
        self.notify(wake_waiter);
    }

    /// Publishes children that are no commands. Their parent is still running, so that no counter becomes 0 in between.
    fn share_children(self: &Arc<Self>, scope: &Scope, children: &mut Vec<ReadyLaunch>) {
        scope.open.fetch_add(children.len(), Ordering::Relaxed);
        self.publish(children);
    }

    fn publish(self: &Arc<Self>, children: &mut Vec<ReadyLaunch>) {
        if !children.is_empty() {
            self.notify(self.ready.push(scheduler::thread_index(), children.drain(..)));
        }
    }

    /// Notifies other threads that launches are ready: wakes the thread of the root if it sleeps, and recruits helpers.
    fn notify(self: &Arc<Self>, wake_waiter: bool) {
        if wake_waiter {
            self.wake();
        }
        self.recruit_helpers();
    }

    /// Starts helpers if more launches are ready than this thread can begin.
    fn recruit_helpers(self: &Arc<Self>) {
        for _ in 0..self.ready.recruit(self.threads) {
            let (tree, task) = (Arc::clone(self), Task::new());
            let is_spawned = scheduler::spawn(self.environment.cpu_set.as_deref(), move || {
                tree.help(&mut Runner::default());
                // The task ends after the tree has released its resources.
                drop(tree);
                drop(task);
            });
            if !is_spawned {
                self.leave();
            }
        }
    }

    fn name(&self, work: &TreeWork) -> Option<Arc<str>> {
        self.environment.program.block(work.descriptor).map(|block| Arc::clone(block.name))
    }

    fn queue(&self, handle: u64) -> Result<(usize, u64), EnqueueError> {
        let mut queues = self.environment.queues.iter().enumerate();
        let found = queues.find(|(_, queue)| queue.handle == handle && handle != 0);
        found.map(|(i, queue)| (i, queue.room.max(MIN_QUEUE_BYTES))).ok_or(EnqueueError::Queue)
    }

    /// Decodes and checks a range.
    fn range(&self, words: &RangeWords) -> Result<NdRange, EnqueueError> {
        let [work_dim, rest @ ..] = *words;
        let triple = |at: usize| [rest[at], rest[at + 1], rest[at + 2]];
        let (offset, global, mut local) = (triple(0), triple(3), triple(6));
        let work_dim = usize::try_from(work_dim).ok().filter(|d| (1..=3).contains(d));
        let work_dim = work_dim.ok_or(EnqueueError::Range)?;
        let sums = || global.iter().zip(offset).all(|(size, offset)| size.checked_add(offset).is_some());
        let total = global.iter().try_fold(1u64, |all, &size| all.checked_mul(size));
        if total.is_none_or(|total| total == 0) || !sums() {
            return Err(EnqueueError::Range);
        }
        let max_items = u64::from(MAX_WORK_GROUP_SIZE);
        if local[..work_dim].iter().all(|&size| size == 0) {
            local = choose_local_size(global, work_dim as u32, max_items);
        }
        let items = local.iter().try_fold(1u64, |all, &size| all.checked_mul(size));
        let divides = || global.iter().zip(local).all(|(global, local)| global % local == 0);
        if !items.is_some_and(|items| (1..=max_items).contains(&items))
            || self.environment.uniform && !divides()
        {
            return Err(EnqueueError::Range);
        }
        Ok(NdRange { work_dim: work_dim as u32, offset, global, local })
    }

    /// Checks a request and creates its launch.
    ///
    /// # Safety
    /// See [`EnqueueSink::enqueue`](grus_codegen::rtlib::enqueue::EnqueueSink::enqueue).
    unsafe fn launch_of(&self, request: &Request<'_>) -> Result<Box<TreeWork>, EnqueueError> {
        let range = self.range(&request.range)?;
        let block = self.environment.program.block(request.descriptor).ok_or(EnqueueError::OutOfResources)?;
        let kernel = block.kernel.ok_or(EnqueueError::OutOfResources)?;
        let sizes = request.local_sizes;
        if sizes.len() != block.locals || sizes.contains(&0) {
            return Err(EnqueueError::ArgSize);
        }
        let first = block.closure_size.next_multiple_of(8);
        let total = sizes.iter().try_fold(kernel.local_size(), |all, size| {
            all.checked_add(size.checked_next_multiple_of(AREA_ALIGN)?)
        });
        if total.is_none_or(|total| total > self.environment.local_mem_size) {
            return Err(EnqueueError::OutOfResources);
        }
        let inputs = Inputs::of(ArgBlock::zeroed(first + 8 * sizes.len()));
        let (descriptor, timed) = (request.descriptor, request.wants_event);
        let mut work = Box::new(TreeWork { descriptor, range, inputs, timed });
        // SAFETY: the caller guarantees a closure object of the block's size.
        let closure = unsafe { std::slice::from_raw_parts(request.closure, block.closure_size) };
        work.inputs.args().put(0, closure);
        let offsets = (0u32..).map(|i| first as u32 + 8 * i);
        work.inputs.prepare(kernel, offsets.zip(sizes.iter().copied()));
        Ok(work)
    }
}
