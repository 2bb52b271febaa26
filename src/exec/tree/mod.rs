//! Kernels that enqueue kernels (s6.13.17): a launch, its child kernels and theirs, a launch tree.
//!
//! What is enqueued does not run on the stack of the kernel that enqueues it: it becomes a command of the tree. When the
//! launch at the root has run its groups, its thread runs ready commands until there are none, and lends some to the pool if
//! there are several. The launch is complete when the tree is.

mod state;

use std::cell::RefCell;
use std::sync::Arc;
use std::time::Instant;

use smallvec::SmallVec;

use super::cores::Cores;
use super::{ArgBlock, CompiledKernel, Fault, Inputs, NdRange, Runner, choose_local_size, pool};
use crate::ir::abi::AREA_ALIGN;
use crate::ir::abi::enqueue::MAX_WORK_GROUP_SIZE;
use crate::rtlib::enqueue::{EnqueueSink, Link, RangeWords, Refusal, Request};
use crate::support::bug::{self, Bug, Place};
use crate::support::fork::Task;
use crate::support::sync::{Condvar, Mutex, MutexGuard};
use state::{Address, Done, Id, ROOT, State, Work};

/// The program that kernels enqueue from.
pub trait Program: Send + Sync {
    /// The kernel that is the body of the block with this descriptor.
    fn block(&self, descriptor: u64) -> Option<Block<'_>>;

    /// Whether errors are reported in detail (`-g`).
    fn is_debugged(&self) -> bool;
}

/// A block as a kernel.
pub struct Block<'p> {
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
    pub part: Option<Arc<Cores>>,
}

/// A queue takes at least so many bytes of commands, however small it is said to be: programs do not know how much a
/// command takes.
const LEAST_ROOM: u64 = 64 << 20;

/// Bytes that a command takes besides its arguments.
const OVERHEAD: u64 = 256;

/// See the module.
pub(super) struct LaunchTree {
    environment: EnqueueEnvironment,
    threads: usize,
    state: Mutex<State>,
    /// Something is ready, or all is complete.
    changed: Condvar,
}

/// Where in a tree groups run.
#[derive(Clone)]
pub(super) struct LaunchHandle {
    tree: Arc<LaunchTree>,
    id: Id,
}

/// What a thread that runs groups of a launch is to its kernel.
pub(super) struct WorkerContext<'m> {
    handle: &'m LaunchHandle,
    /// Children that begin when the group has ended.
    after_group: RefCell<Vec<Id>>,
}

impl LaunchHandle {
    /// For the time a thread runs groups.
    pub(super) fn worker(&self) -> WorkerContext<'_> {
        WorkerContext { handle: self, after_group: RefCell::default() }
    }
}

impl<'m> WorkerContext<'m> {
    /// What the context points at.
    pub(super) fn link(&self) -> Link<'_> {
        Link(self)
    }

    /// A group has ended.
    pub(super) fn group_ended(&self) {
        if !self.after_group.borrow().is_empty() {
            self.release(State::release);
        }
    }

    /// A group has failed.
    pub(super) fn group_failed(&self) {
        self.release(State::refuse);
    }

    fn release(&self, how: impl Fn(&mut State, Id)) {
        let children = std::mem::take(&mut *self.after_group.borrow_mut());
        let mut state = self.handle.tree.state.lock();
        children.into_iter().for_each(|child| how(&mut state, child));
        self.handle.tree.share(state);
    }
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
    let state = Mutex::new(State::new(environment.queues.len()));
    let tree =
        Arc::new(LaunchTree { environment: environment.clone(), threads, state, changed: Condvar::new() });
    let mut batch = WorkerBatch::of(&tree);
    // Helpers of the tree may be at work: they are waited for, whatever happens here.
    let part = environment.part.as_deref();
    let root = || runner.run_one(kernel, range, inputs, part, Some(&batch.handle));
    let result = bug::contained("the executor", root).unwrap_or_else(|Bug| Err(Fault::bug()));
    ended();
    batch.done.push(Done { id: ROOT, fault: result.err().map(Box::new), times: None });
    if bug::contained("the executor", || tree.finish(runner, &mut batch)).is_err() {
        tree.give_up();
    }
    let fault = tree.state.lock().fault.take();
    fault.map_or(Ok(()), Err)
}

/// What a thread that runs commands has taken, and what is done of it. One lock serves for several.
struct WorkerBatch {
    handle: LaunchHandle,
    taken: Vec<(Id, Box<Work>)>,
    done: Vec<Done>,
}

impl WorkerBatch {
    fn of(tree: &Arc<LaunchTree>) -> WorkerBatch {
        let handle = LaunchHandle { tree: Arc::clone(tree), id: ROOT };
        WorkerBatch { handle, taken: Vec::new(), done: Vec::new() }
    }

    /// Runs what was taken.
    fn work(&mut self, runner: &mut Runner) {
        for (id, work) in self.taken.drain(..) {
            self.handle.id = id;
            let now = || work.timed.then(Instant::now);
            let start = now();
            let result = bug::contained("the executor", || self.handle.run(&work, runner));
            let result = result.unwrap_or_else(|Bug| Err(Fault::bug()));
            let times = start.zip(now()).map(|(start, end)| [start, end]);
            let named = |fault| Box::new(Fault { kernel: self.handle.name(&work), ..fault });
            self.done.push(Done { id, fault: result.err().map(named), times });
        }
    }
}

impl LaunchHandle {
    fn run(&self, work: &Work, runner: &mut Runner) -> Result<(), Fault> {
        let environment = &self.tree.environment;
        let kernel = environment.program.block(work.descriptor).and_then(|block| block.kernel);
        let kernel = kernel.ok_or_else(|| Fault::new("there is no such block"))?;
        runner.run_one(kernel, &work.range, &work.inputs, environment.part.as_deref(), Some(self))
    }

    fn name(&self, work: &Work) -> Option<Arc<str>> {
        self.tree.environment.program.block(work.descriptor).map(|block| Arc::clone(block.name))
    }
}

impl LaunchTree {
    /// Runs commands until there are no more.
    fn finish(self: &Arc<Self>, runner: &mut Runner, batch: &mut WorkerBatch) {
        let mut state = self.state.lock();
        loop {
            let calls = self.exchange(&mut state, batch);
            if !batch.taken.is_empty() {
                drop(state);
                self.call(calls);
                batch.work(runner);
                state = self.state.lock();
            } else if state.open == 0 || state.is_broken && state.helpers == 0 {
                break;
            } else if state.running > 0 || state.is_broken {
                state = self.changed.wait(state);
            } else {
                let left = state.open;
                state.fail_what_waits();
                // That cannot be. Better not complete than not ending.
                if state.open == left && state.ready.is_empty() {
                    break;
                }
            }
        }
    }

    /// After a bug of ours on the thread that runs the launch: waits until the others have left.
    fn give_up(&self) {
        let mut state = self.state.lock();
        state.break_up();
        while state.helpers > 0 {
            state = self.changed.wait(state);
        }
        drop(state);
    }

    /// What another thread does for the tree. If that is a bug of ours, the launch fails.
    fn help(self: &Arc<Self>, runner: &mut Runner) {
        let helped = bug::contained("the executor", || self.work_off(runner));
        if helped.is_err() {
            let mut state = self.state.lock();
            state.break_up();
            self.leave(&mut state);
        }
    }

    /// One thread less helps.
    fn leave(&self, state: &mut State) {
        state.helpers -= 1;
        if state.is_broken {
            self.changed.notify_all();
        }
    }

    /// Runs commands until nothing is ready, and leaves.
    fn work_off(self: &Arc<Self>, runner: &mut Runner) {
        let mut batch = WorkerBatch::of(self);
        loop {
            Place::Children.pass();
            let mut state = self.state.lock();
            let calls = self.exchange(&mut state, &mut batch);
            if batch.taken.is_empty() {
                self.leave(&mut state);
                return;
            }
            drop(state);
            self.call(calls);
            batch.work(runner);
        }
    }

    /// Hands in what is done and takes what can begin. The result is what [`LaunchTree::wanted`] says.
    fn exchange(&self, state: &mut State, batch: &mut WorkerBatch) -> usize {
        state.ended(batch.done.drain(..));
        let calls = self.wanted(state);
        state.take(self.threads, &mut batch.taken);
        if state.running == 0 {
            self.changed.notify_all();
        }
        calls
    }

    /// Wakes the thread that waits for something to be ready. The result is how many are to be called for help: if more is ready than
    /// one thread can begin with.
    fn wanted(&self, state: &mut State) -> usize {
        if state.is_broken {
            return 0;
        }
        if !state.ready.is_empty() {
            self.changed.notify_all();
        }
        let wanted = state.ready.len().saturating_sub(1).min(self.threads.saturating_sub(1));
        let calls = wanted.saturating_sub(state.helpers);
        state.helpers += calls;
        calls
    }

    /// Calls for help.
    fn call(self: &Arc<Self>, calls: usize) {
        for _ in 0..calls {
            let (tree, task) = (Arc::clone(self), Task::new());
            let helps = pool::spawn(self.environment.part.as_deref(), move || {
                tree.help(&mut Runner::default());
                // Whatever the tree holds is let go before the task is over.
                drop(tree);
                drop(task);
            });
            if !helps {
                self.leave(&mut self.state.lock());
            }
        }
    }

    /// Lets others have what has become ready.
    fn share(self: &Arc<Self>, mut state: MutexGuard<'_, State>) {
        let calls = self.wanted(&mut state);
        drop(state);
        self.call(calls);
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
    unsafe fn work(&self, request: &Request<'_>) -> Result<Box<Work>, Refusal> {
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
        let mut work = Box::new(Work { descriptor, range, inputs, timed });
        // SAFETY: the caller's promise.
        let closure = unsafe { std::slice::from_raw_parts(request.closure, block.closure_size) };
        work.inputs.args().put(0, closure);
        let places = (0u32..).map(|i| first as u32 + 8 * i);
        work.inputs.prepare(kernel, places.zip(sizes.iter().copied()));
        Ok(work)
    }
}

/// CLK_ENQUEUE_FLAGS_*.
const NO_WAIT: u64 = 0;
const WAIT_KERNEL: u64 = 1;
const WAIT_WORK_GROUP: u64 = 2;

impl WorkerContext<'_> {
    /// # Safety
    /// As for [`EnqueueSink::enqueue`].
    unsafe fn try_enqueue(&self, request: &Request<'_>) -> Result<u64, Refusal> {
        let LaunchHandle { tree, id: parent } = self.handle;
        let (queue, room) = tree.queue(request.queue)?;
        if !matches!(request.flags, NO_WAIT | WAIT_KERNEL | WAIT_WORK_GROUP) {
            return Err(Refusal::Failure);
        }
        // What the kernel says is read before there is a lock.
        // SAFETY: the caller's promise.
        let work = unsafe { tree.work(request)? };
        let bytes = work.inputs.bytes() + size_of_val(request.waits);
        let charge = (queue, OVERHEAD + bytes as u64, room);
        let waits: SmallVec<[u64; 8]> = request.waits.into();
        let mut state = tree.state.lock();
        let (id, event) = state.add(*parent, Some(work), charge, &waits, request.wants_event)?;
        Place::Enqueue.pass();
        match request.flags {
            WAIT_KERNEL => {
                state.hold_for_parent(id);
                state.release(id);
            }
            // It is released when the group has ended.
            WAIT_WORK_GROUP => self.after_group.borrow_mut().push(id),
            _ => state.release(id),
        }
        tree.share(state);
        Ok(event)
    }

    fn with<T>(&self, what: impl FnOnce(&mut State) -> T) -> T {
        let mut state = self.handle.tree.state.lock();
        let result = what(&mut state);
        self.handle.tree.share(state);
        result
    }
}

impl EnqueueSink for WorkerContext<'_> {
    fn default_queue(&self) -> u64 {
        let environment = &self.handle.tree.environment;
        environment.queues.first().filter(|_| environment.has_default).map_or(0, |queue| queue.handle)
    }

    unsafe fn enqueue(&self, request: &Request<'_>) -> Result<u64, Refusal> {
        // SAFETY: the caller's promise.
        unsafe { self.try_enqueue(request) }
    }

    fn is_debugged(&self) -> bool {
        self.handle.tree.environment.program.is_debugged()
    }

    fn marker(&self, queue: u64, waits: &[u64]) -> Result<u64, Refusal> {
        let waits: SmallVec<[u64; 8]> = waits.into();
        let add = |state: &mut State| {
            let (queue, room) = self.handle.tree.queue(queue)?;
            let charge = (queue, OVERHEAD + size_of_val(&*waits) as u64, room);
            let (id, event) = state.add(self.handle.id, None, charge, &waits, true)?;
            state.release(id);
            Ok(event)
        };
        self.with(add)
    }

    fn retain(&self, event: u64) {
        self.with(|state| state.retain(event));
    }

    fn release(&self, event: u64) {
        self.with(|state| state.release_event(event));
    }

    fn user_event(&self) -> u64 {
        self.with(State::user_event)
    }

    fn is_event(&self, event: u64) -> bool {
        self.with(|state| state.is_event(event))
    }

    fn complete(&self, event: u64, well: bool) {
        self.with(|state| state.complete_user(event, well));
    }

    fn sub_groups(&self, range: &RangeWords, descriptor: u64) -> Option<[u32; 2]> {
        let tree = &self.handle.tree;
        let range = tree.range(range).ok()?;
        let size = u32::from(tree.environment.program.block(descriptor)?.sub_group);
        // At most `MAX_WORK_GROUP_SIZE`.
        let items = range.local.iter().product::<u64>() as u32;
        Some([size, items.div_ceil(size)])
    }

    fn profile(&self, event: u64, value: *mut u64) {
        self.with(|state| state.profile(event, Address(value)));
    }
}
