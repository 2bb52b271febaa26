//! Enqueue sink of a thread that runs groups of a launch: receives the child kernels that they enqueue.
//!
//! A child without an event and without a wait list is not a command of the graph: the thread collects such children
//! and publishes them in batches. So most enqueues take no shared lock.

use std::cell::RefCell;
use std::sync::Arc;

use smallvec::SmallVec;

use super::super::enqueuing_launch::{EnqueuingLaunch, EnqueuingWorker};
use super::graph::{Address, LaunchGraph, PendingChild, ReadyLaunch, Scope};
use super::memory_budget::{Charge, Credit};
use super::{COMMAND_BYTES, LaunchTree};
use grus_codegen::rtlib::enqueue::{EnqueueError, EnqueueSink, Link, RangeWords, Request};
use grus_support::bug::PanicSite;
use grus_support::sync::Mutex;

/// Handle of a running launch in its tree.
#[derive(Clone)]
pub(crate) struct LaunchHandle {
    pub(super) tree: Arc<LaunchTree>,
    pub(super) scope: Arc<Scope>,
    /// Children that begin when the launch has ended.
    pub(super) pending_children: Arc<Mutex<Vec<PendingChild>>>,
}

/// Enqueue sink of one thread; see the module.
pub(crate) struct WorkerContext<'m> {
    handle: &'m LaunchHandle,
    outbox: RefCell<Outbox>,
}

/// Children that are not yet published.
#[derive(Default)]
struct Outbox {
    /// Children that can begin.
    ready: Vec<ReadyLaunch>,
    /// Number of batches that were published.
    batches: u32,
    /// Children that begin when the current group has ended.
    after_group: Vec<PendingChild>,
    /// Children that begin when the launch has ended.
    after_launch: Vec<PendingChild>,
    credit: Credit,
}

impl Outbox {
    /// Returns the size at which a batch is published. It grows to 32, so that the first children start early.
    // Arbitrary.
    fn limit(&self) -> usize {
        1 << self.batches.min(5)
    }
}

impl LaunchHandle {
    pub(super) fn new(tree: &Arc<LaunchTree>, scope: Arc<Scope>) -> LaunchHandle {
        LaunchHandle { tree: Arc::clone(tree), scope, pending_children: Arc::default() }
    }

    /// Takes the children that begin when the launch has ended, after its end.
    pub(super) fn take_pending(&mut self) -> Vec<PendingChild> {
        if let Some(pending) = Arc::get_mut(&mut self.pending_children) {
            return std::mem::take(pending.get_mut());
        }
        // A thread that found no group left may still hold a reference to the list.
        std::mem::take(&mut *std::mem::take(&mut self.pending_children).lock())
    }
}

impl EnqueuingLaunch for LaunchHandle {
    type Worker<'l> = WorkerContext<'l>;

    fn worker(&self) -> WorkerContext<'_> {
        WorkerContext { handle: self, outbox: RefCell::default() }
    }
}

impl EnqueuingWorker for WorkerContext<'_> {
    fn link(&self) -> Link<'_> {
        Link(self)
    }

    fn group_ended(&self) {
        let mut outbox = self.outbox.borrow_mut();
        if outbox.after_group.is_empty() {
            return;
        }
        let mut commands = Vec::new();
        for pending in std::mem::take(&mut outbox.after_group) {
            match pending {
                PendingChild::Command(id) => commands.push(id),
                PendingChild::Child(child) => outbox.ready.push(child),
            }
        }
        drop(outbox);
        if !commands.is_empty() {
            self.with_graph(|graph| commands.into_iter().for_each(|id| graph.satisfy_dependency(id)));
        }
        self.share_if_many();
    }

    fn group_failed(&self) {
        let pending = std::mem::take(&mut self.outbox.borrow_mut().after_group);
        if !pending.is_empty() {
            self.handle.tree.fail_pending(pending);
        }
    }
}

impl WorkerContext<'_> {
    /// Publishes the ready children if there are enough for a batch.
    fn share_if_many(&self) {
        let mut outbox = self.outbox.borrow_mut();
        if outbox.ready.len() >= outbox.limit() {
            outbox.batches += 1;
            self.handle.tree.share_children(&self.handle.scope, &mut outbox.ready);
        }
    }

    /// Enqueues a kernel.
    ///
    /// # Safety
    /// See [`EnqueueSink::enqueue`].
    unsafe fn try_enqueue(&self, request: &Request<'_>) -> Result<u64, EnqueueError> {
        let tree = &self.handle.tree;
        let (queue, capacity) = tree.queue(request.queue)?;
        if !matches!(request.flags, NO_WAIT | WAIT_KERNEL | WAIT_WORK_GROUP) {
            return Err(EnqueueError::Failure);
        }
        // The kernel's memory is read before a lock is taken, because reading it may fault.
        // SAFETY: the caller guarantees a valid request.
        let work = unsafe { tree.launch_of(request)? };
        let bytes = work.inputs.bytes() + size_of_val(request.waits);
        let charge = Charge { queue, bytes: COMMAND_BYTES + bytes as u64 };
        if !request.wants_event && request.waits.is_empty() {
            self.outbox.borrow_mut().credit.reserve(&tree.memory, charge, capacity)?;
            let child = ReadyLaunch { scope: Arc::clone(&self.handle.scope), child: Some(charge), work };
            PanicSite::Enqueue.pass();
            self.keep_until_ready(request.flags, PendingChild::Child(child));
            return Ok(0);
        }
        let waits: SmallVec<[u64; 8]> = request.waits.into();
        let mut graph = tree.graph.lock();
        let parent = self.handle.scope.id;
        let (id, event) =
            graph.add_command(parent, Some(work), (charge, capacity), &waits, request.wants_event)?;
        PanicSite::Enqueue.pass();
        if request.flags == NO_WAIT {
            graph.satisfy_dependency(id);
            tree.share_commands(graph);
        } else {
            drop(graph);
            self.keep_until_ready(request.flags, PendingChild::Command(id));
        }
        Ok(event)
    }

    /// Stores a child in the outbox until it can begin.
    fn keep_until_ready(&self, flags: u64, pending: PendingChild) {
        let mut outbox = self.outbox.borrow_mut();
        match (flags, pending) {
            (WAIT_KERNEL, pending) => outbox.after_launch.push(pending),
            (NO_WAIT, PendingChild::Child(child)) => outbox.ready.push(child),
            (_, pending) => outbox.after_group.push(pending),
        }
        drop(outbox);
        self.share_if_many();
    }

    /// Updates the graph under its lock, and publishes commands that have become ready.
    fn with_graph<T>(&self, update: impl FnOnce(&mut LaunchGraph) -> T) -> T {
        let mut graph = self.handle.tree.graph.lock();
        let result = update(&mut graph);
        self.handle.tree.share_commands(graph);
        result
    }
}

/// Publishes all children: the thread runs no more groups of the launch.
impl Drop for WorkerContext<'_> {
    fn drop(&mut self) {
        let LaunchHandle { tree, scope, pending_children } = self.handle;
        let outbox = self.outbox.get_mut();
        tree.share_children(scope, &mut outbox.ready);
        if !outbox.after_launch.is_empty() {
            pending_children.lock().append(&mut outbox.after_launch);
        }
        outbox.credit.release(&tree.memory);
    }
}

/// Values of CLK_ENQUEUE_FLAGS_*.
const NO_WAIT: u64 = 0;
const WAIT_KERNEL: u64 = 1;
const WAIT_WORK_GROUP: u64 = 2;

impl EnqueueSink for WorkerContext<'_> {
    fn default_queue(&self) -> u64 {
        let environment = &self.handle.tree.environment;
        environment.queues.first().filter(|_| environment.has_default).map_or(0, |queue| queue.handle)
    }

    unsafe fn enqueue(&self, request: &Request<'_>) -> Result<u64, EnqueueError> {
        // SAFETY: the caller guarantees a valid request.
        unsafe { self.try_enqueue(request) }
    }

    fn is_debugged(&self) -> bool {
        self.handle.tree.environment.program.is_debugged()
    }

    fn marker(&self, queue: u64, waits: &[u64]) -> Result<u64, EnqueueError> {
        let waits: SmallVec<[u64; 8]> = waits.into();
        let add = |graph: &mut LaunchGraph| {
            let (queue, capacity) = self.handle.tree.queue(queue)?;
            let charge = Charge { queue, bytes: COMMAND_BYTES + size_of_val(&*waits) as u64 };
            let (id, event) =
                graph.add_command(self.handle.scope.id, None, (charge, capacity), &waits, true)?;
            graph.satisfy_dependency(id);
            Ok(event)
        };
        self.with_graph(add)
    }

    fn retain(&self, event: u64) {
        self.with_graph(|graph| graph.retain(event));
    }

    fn release(&self, event: u64) {
        self.with_graph(|graph| graph.release_event(event));
    }

    fn user_event(&self) -> u64 {
        self.with_graph(LaunchGraph::user_event)
    }

    fn is_event(&self, event: u64) -> bool {
        self.with_graph(|graph| graph.is_event(event))
    }

    fn complete(&self, event: u64, success: bool) {
        self.with_graph(|graph| graph.complete_user(event, success));
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
        self.with_graph(|graph| graph.profile(event, Address(value)));
    }
}
