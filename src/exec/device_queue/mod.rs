//! Kernels that enqueue kernels (s6.13.17): a launch, its child kernels and theirs, a launch tree.
//!
//! What is enqueued does not run on the stack of the kernel that enqueues it: it becomes a launch of the tree. When the
//! launch at the root has run its groups, its thread runs ready ones until there are none, and lends some to the pool if
//! there are several. The launch is complete when the tree is.
//!
//! What has an event, or waits for one, is a command of a graph under a lock (`state`). Most launches are not: `worker` hands
//! them to queues of the threads (`ready`), and the command that they descend from counts them.

mod graph;
mod memory_budget;
mod ready;
mod worker;

use std::sync::Arc;
use std::time::Instant;

use smallvec::SmallVec;

use super::cpu_set::CpuSet;
use super::{ArgBlock, CompiledKernel, Fault, Inputs, NdRange, Runner, choose_local_size, scheduler};
use crate::ir::abi::AREA_ALIGN;
use crate::ir::abi::enqueue::MAX_WORK_GROUP_SIZE;
use crate::rtlib::enqueue::{RangeWords, Refusal, Request};
use crate::support::bug::{self, Bug, PanicSite};
use crate::support::fork::Task;
use crate::support::sync::atomic::Ordering;
use crate::support::sync::{Condvar, Mutex, MutexGuard};
use graph::{LaunchGraph, PendingChild, ROOT, ReadyLaunch, Scope, TreeWork};
use memory_budget::{Charge, QueueMemory};
use ready::ReadyQueues;
pub(super) use worker::LaunchHandle;

/// The program that kernels enqueue from.
pub trait Program: Send + Sync {
    /// The kernel that is the body of the block with this descriptor.
    fn block(&self, descriptor: u64) -> Option<EnqueuedBlock<'_>>;

    /// Whether errors are reported in detail (`-g`).
    fn is_debugged(&self) -> bool;
}

/// A block as a kernel.
pub struct EnqueuedBlock<'p> {
    pub name: &'p Arc<str>,
    /// None if there is no code, which is a bug of ours.
    pub kernel: Option<&'p Arc<CompiledKernel>>,
    /// Bytes of the closure object, which lies at the beginning of the arguments. Behind it are the 8-byte entries of
    /// arguments in local memory, aligned.
    pub closure_size: usize,
    pub locals: usize,
    /// Work-items of a sub-group.
    pub sub_group: u16,
}

/// A queue on the device.
#[derive(Clone, Copy, Debug)]
pub struct DeviceQueue {
    /// What kernels know it by, not 0.
    pub handle: u64,
    /// Bytes that its commands may take.
    pub room: u64,
}

/// What kernels of a tree find around them.
#[derive(Clone)]
pub struct EnqueueEnvironment {
    pub program: Arc<dyn Program>,
    /// The default queue is the first one, if `has_default`.
    pub queues: SmallVec<[DeviceQueue; 2]>,
    pub has_default: bool,
    /// Bytes of local memory that a group may have.
    pub local_mem_size: u64,
    /// Whether groups must have one size.
    pub uniform: bool,
    /// The part of the device on which all of them run.
    pub part: Option<Arc<CpuSet>>,
}

/// A queue takes at least so many bytes of commands, however small it is said to be: programs do not know how much a
/// command takes.
const LEAST_ROOM: u64 = 64 << 20;

/// Bytes that a command takes besides its arguments.
const OVERHEAD: u64 = 256;

/// See the module.
struct LaunchTree {
    environment: EnqueueEnvironment,
    threads: usize,
    ready: ReadyQueues<ReadyLaunch>,
    rooms: Arc<QueueMemory>,
    state: Mutex<LaunchGraph>,
    /// Something is ready, or nothing runs any more.
    changed: Condvar,
}

/// Runs a launch and what it enqueues; `ended` is called when the launch itself has ended.
///
/// # Errors
/// The first fault, if it or one of those it enqueued has failed.
pub(super) fn run(
    runner: &mut Runner,
    (kernel, range, inputs): (&Arc<CompiledKernel>, &NdRange, &Inputs),
    environment: &EnqueueEnvironment,
    threads: usize,
    ended: &mut dyn FnMut(),
) -> Result<(), Fault> {
    let rooms = Arc::new(QueueMemory::new(environment.queues.len()));
    let tree = Arc::new(LaunchTree {
        environment: environment.clone(),
        threads,
        ready: ReadyQueues::new(threads),
        rooms: Arc::clone(&rooms),
        state: Mutex::new(LaunchGraph::new(rooms)),
        changed: Condvar::new(),
    });
    let mut handle = LaunchHandle::new(&tree, Arc::new(Scope::new(ROOT)));
    // Helpers of the tree may be at work: they are waited for, whatever happens here.
    let part = environment.part.as_deref();
    let root = || runner.run_one(kernel, range, inputs, part, Some(&handle));
    let result = bug::contained("the executor", root).unwrap_or_else(|Bug| Err(Fault::bug()));
    ended();
    let mut batch = WorkerBatch::default();
    let held = handle.held();
    let result = result.map_err(Box::new);
    batch.done.push(Done { scope: handle.scope, child: None, result, times: None, held });
    if bug::contained("the executor", || tree.finish(runner, &mut batch)).is_err() {
        tree.give_up();
    }
    let fault = tree.state.lock().fault.take();
    fault.map_or(Ok(()), Err)
}

/// A launch that has run to its end, or to a fault.
struct Done {
    scope: Arc<Scope>,
    /// What it takes, if it is no command.
    child: Option<Charge>,
    result: Result<(), Box<Fault>>,
    /// From when to when, if it is timed.
    times: Option<[Instant; 2]>,
    /// Children that begin now.
    held: Vec<PendingChild>,
}

/// What a thread that runs launches has taken, and what is done of it. It meets others once for several.
#[derive(Default)]
struct WorkerBatch {
    /// Which queue is the thread's own.
    place: usize,
    taken: Vec<ReadyLaunch>,
    done: Vec<Done>,
    /// Those that waited for what is done.
    children: Vec<ReadyLaunch>,
}

impl WorkerBatch {
    /// Runs what was taken.
    fn work(&mut self, tree: &Arc<LaunchTree>, runner: &mut Runner) {
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
            let (result, held) = (result.map_err(named), handle.held());
            self.done.push(Done { scope, child, result, times, held });
        }
    }
}

impl LaunchHandle {
    fn run(&self, work: &TreeWork, runner: &mut Runner) -> Result<(), Fault> {
        let environment = &self.tree.environment;
        let kernel = environment.program.block(work.descriptor).and_then(|block| block.kernel);
        let kernel = kernel.ok_or_else(|| Fault::new("there is no such block"))?;
        runner.run_one(kernel, &work.range, &work.inputs, environment.part.as_deref(), Some(self))
    }
}

impl LaunchTree {
    /// Runs launches until there are no more.
    fn finish(self: &Arc<Self>, runner: &mut Runner, batch: &mut WorkerBatch) {
        loop {
            self.hand_in(batch);
            self.ready.take(batch.place, &mut batch.taken);
            if !batch.taken.is_empty() {
                self.call();
                batch.work(self, runner);
            } else if self.wait() {
                return;
            }
        }
    }

    /// Waits until something is ready, or nothing is left to do; whether that is so.
    fn wait(self: &Arc<Self>) -> bool {
        let mut state = self.state.lock();
        loop {
            if self.ready.is_broken() {
                if !self.ready.has_helpers() {
                    return true;
                }
            } else if !self.ready.is_active() {
                let left = state.open;
                if left == 0 {
                    return true;
                }
                state.fail_what_waits();
                if !state.ready.is_empty() {
                    self.share(state);
                    return false;
                }
                // That cannot be. Better not complete than not ending.
                if state.open == left {
                    return true;
                }
                continue;
            } else if !self.ready.falls_asleep() {
                return false;
            }
            state = self.changed.wait(state);
            self.ready.wakes_up();
        }
    }

    /// Wakes the thread that waits for the tree.
    fn wake(&self) {
        let state = self.state.lock();
        self.changed.notify_all();
        drop(state);
    }

    /// After a bug of ours: nothing more begins.
    fn break_up(&self) {
        self.state.lock().fault.get_or_insert_with(Fault::bug);
        self.ready.break_up();
    }

    /// After a bug of ours on the thread that runs the launch: waits until the others have left.
    fn give_up(&self) {
        self.break_up();
        let mut state = self.state.lock();
        while self.ready.has_helpers() {
            state = self.changed.wait(state);
        }
        drop(state);
    }

    /// What another thread does for the tree. If that is a bug of ours, the launch fails.
    fn help(self: &Arc<Self>, runner: &mut Runner) {
        if bug::contained("the executor", || self.work_off(runner)).is_err() {
            self.break_up();
        }
        self.leave();
    }

    /// One thread less helps.
    fn leave(&self) {
        if self.ready.leave() {
            self.wake();
        }
    }

    /// Runs launches until nothing is ready.
    fn work_off(self: &Arc<Self>, runner: &mut Runner) {
        let mut batch = WorkerBatch { place: scheduler::place(), ..WorkerBatch::default() };
        loop {
            PanicSite::Children.pass();
            self.ready.take(batch.place, &mut batch.taken);
            if batch.taken.is_empty() {
                return;
            }
            self.call();
            batch.work(self, runner);
            self.hand_in(&mut batch);
        }
    }

    /// Hands in what is done, and shares what can begin now.
    fn hand_in(self: &Arc<Self>, batch: &mut WorkerBatch) {
        let count = batch.done.len();
        let mut state = None;
        let mut ended: SmallVec<[(Arc<Scope>, usize); 2]> = SmallVec::new();
        for done in batch.done.drain(..) {
            let scope = self.launch_ended(done, &mut state, &mut batch.children);
            match ended.last_mut() {
                Some((last, count)) if Arc::ptr_eq(last, &scope) => *count += 1,
                _ => ended.push((scope, 1)),
            }
        }
        // A command is complete when nothing that descends from it is left.
        for (scope, count) in ended {
            if scope.open.fetch_sub(count, Ordering::AcqRel) == count {
                self.locked(&mut state).close(&scope);
            }
        }
        if let Some(state) = state {
            self.share(state);
        }
        self.publish(&mut batch.children);
        if self.ready.over(count) {
            self.wake();
        }
    }

    /// The graph, whose lock is taken once.
    fn locked<'s, 't>(&'t self, state: &'s mut Option<MutexGuard<'t, LaunchGraph>>) -> &'s mut LaunchGraph {
        state.get_or_insert_with(|| self.state.lock())
    }

    /// What follows from the end of one launch for its command, which is the result, and for the children that waited for it.
    fn launch_ended<'t>(
        &'t self,
        done: Done,
        state: &mut Option<MutexGuard<'t, LaunchGraph>>,
        children: &mut Vec<ReadyLaunch>,
    ) -> Arc<Scope> {
        let Done { scope, child, result, times, held } = done;
        let has_failed = result.is_err();
        if has_failed {
            scope.failed.store(true, Ordering::Relaxed);
        }
        if child.is_none() || has_failed {
            self.locked(state).ended(child.is_none().then_some((scope.id, times)), result.err());
        }
        child.into_iter().for_each(|charge| self.rooms.give(charge));
        for held in held {
            match held {
                PendingChild::Command(id) if has_failed => self.locked(state).refuse(id),
                PendingChild::Command(id) => self.locked(state).release(id),
                PendingChild::Child(launch) if has_failed => self.drop_child(&launch),
                PendingChild::Child(launch) => {
                    scope.open.fetch_add(1, Ordering::Relaxed);
                    children.push(launch);
                }
            }
        }
        scope
    }

    /// Children whose group has failed: they do not run.
    fn refuse(self: &Arc<Self>, held: Vec<PendingChild>) {
        let mut state = self.state.lock();
        for held in held {
            match held {
                PendingChild::Command(id) => state.refuse(id),
                PendingChild::Child(launch) => self.drop_child(&launch),
            }
        }
        self.share(state);
    }

    fn drop_child(&self, launch: &ReadyLaunch) {
        launch.child.into_iter().for_each(|charge| self.rooms.give(charge));
    }

    /// Lets others have the commands that have become ready.
    fn share(self: &Arc<Self>, mut state: MutexGuard<'_, LaunchGraph>) {
        let wakes = self.ready.push(scheduler::place(), state.ready.drain(..));
        drop(state);
        self.tell(wakes);
    }

    /// Lets others have children without events. Their parent runs: the numbers do not become 0 in between.
    fn share_children(self: &Arc<Self>, scope: &Scope, children: &mut Vec<ReadyLaunch>) {
        scope.open.fetch_add(children.len(), Ordering::Relaxed);
        self.publish(children);
    }

    fn publish(self: &Arc<Self>, children: &mut Vec<ReadyLaunch>) {
        if !children.is_empty() {
            self.tell(self.ready.push(scheduler::place(), children.drain(..)));
        }
    }

    /// Tells others that something is ready: the thread that waits for the tree, if it sleeps, and those that could help.
    fn tell(self: &Arc<Self>, wakes: bool) {
        if wakes {
            self.wake();
        }
        self.call();
    }

    /// Calls for help, if more is ready than one thread can begin with.
    fn call(self: &Arc<Self>) {
        for _ in 0..self.ready.call(self.threads) {
            let (tree, task) = (Arc::clone(self), Task::new());
            let helps = scheduler::spawn(self.environment.part.as_deref(), move || {
                tree.help(&mut Runner::default());
                // Whatever the tree holds is let go before the task is over.
                drop(tree);
                drop(task);
            });
            if !helps {
                self.leave();
            }
        }
    }

    fn name(&self, work: &TreeWork) -> Option<Arc<str>> {
        self.environment.program.block(work.descriptor).map(|block| Arc::clone(block.name))
    }

    fn queue(&self, handle: u64) -> Result<(usize, u64), Refusal> {
        let mut queues = self.environment.queues.iter().enumerate();
        let found = queues.find(|(_, queue)| queue.handle == handle && handle != 0);
        found.map(|(i, queue)| (i, queue.room.max(LEAST_ROOM))).ok_or(Refusal::Queue)
    }

    /// The range that its words describe.
    fn range(&self, words: &RangeWords) -> Result<NdRange, Refusal> {
        let [dimensions, rest @ ..] = *words;
        let part = |at: usize| [rest[at], rest[at + 1], rest[at + 2]];
        let (offset, global, mut local) = (part(0), part(3), part(6));
        let used = usize::try_from(dimensions).ok().filter(|d| (1..=3).contains(d));
        let used = used.ok_or(Refusal::Range)?;
        let sums = || global.iter().zip(offset).all(|(size, offset)| size.checked_add(offset).is_some());
        let total = global.iter().try_fold(1u64, |all, &size| all.checked_mul(size));
        if total.is_none_or(|total| total == 0) || !sums() {
            return Err(Refusal::Range);
        }
        let most = u64::from(MAX_WORK_GROUP_SIZE);
        if local[..used].iter().all(|&size| size == 0) {
            local = choose_local_size(global, used as u32, most);
        }
        let items = local.iter().try_fold(1u64, |all, &size| all.checked_mul(size));
        let divides = || global.iter().zip(local).all(|(global, local)| global % local == 0);
        if !items.is_some_and(|items| (1..=most).contains(&items)) || self.environment.uniform && !divides() {
            return Err(Refusal::Range);
        }
        Ok(NdRange { work_dim: used as u32, offset, global, local })
    }

    /// The launch that a request describes.
    ///
    /// # Safety
    /// As for [`EnqueueSink::enqueue`].
    unsafe fn work(&self, request: &Request<'_>) -> Result<Box<TreeWork>, Refusal> {
        let range = self.range(&request.range)?;
        let block = self.environment.program.block(request.descriptor).ok_or(Refusal::OutOfResources)?;
        let kernel = block.kernel.ok_or(Refusal::OutOfResources)?;
        let sizes = request.local_sizes;
        if sizes.len() != block.locals || sizes.contains(&0) {
            return Err(Refusal::ArgSize);
        }
        let first = block.closure_size.next_multiple_of(8);
        let total = sizes.iter().try_fold(kernel.local_size, |all, size| {
            all.checked_add(size.checked_next_multiple_of(AREA_ALIGN)?)
        });
        if total.is_none_or(|total| total > self.environment.local_mem_size) {
            return Err(Refusal::OutOfResources);
        }
        let inputs = Inputs::of(ArgBlock::zeroed(first + 8 * sizes.len()));
        let (descriptor, timed) = (request.descriptor, request.wants_event);
        let mut work = Box::new(TreeWork { descriptor, range, inputs, timed });
        // SAFETY: the caller's promise.
        let closure = unsafe { std::slice::from_raw_parts(request.closure, block.closure_size) };
        work.inputs.args().put(0, closure);
        let places = (0u32..).map(|i| first as u32 + 8 * i);
        work.inputs.prepare(kernel, places.zip(sizes.iter().copied()));
        Ok(work)
    }
}
