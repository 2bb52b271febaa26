//! What a thread that runs groups of a launch is to its kernel: where children go that it enqueues.
//!
//! A child that nobody can name, because it has no event and waits for none, is no command of the graph: the thread keeps it
//! with others, and lets others have them together. So enqueuing needs no lock that threads share, as a rule.

use std::cell::RefCell;
use std::sync::Arc;

use smallvec::SmallVec;

use super::graph::{Address, LaunchGraph, PendingChild, ReadyLaunch, Scope};
use super::memory_budget::{Charge, Credit};
use super::{LaunchTree, OVERHEAD};
use crate::rtlib::enqueue::{EnqueueSink, Link, RangeWords, Refusal, Request};
use crate::support::bug::PanicSite;
use crate::support::sync::Mutex;

/// Where in a tree groups run.
#[derive(Clone)]
pub(in crate::exec) struct LaunchHandle {
    pub(super) tree: Arc<LaunchTree>,
    pub(super) scope: Arc<Scope>,
    /// Children that begin when the launch has ended.
    pub(super) after: Arc<Mutex<Vec<PendingChild>>>,
}

/// See the module.
pub(in crate::exec) struct WorkerContext<'m> {
    handle: &'m LaunchHandle,
    outbox: RefCell<Outbox>,
}

/// Children that nobody else knows of yet.
#[derive(Default)]
struct Outbox {
    /// They can begin.
    ready: Vec<ReadyLaunch>,
    /// How often others have got some.
    times: u32,
    /// They begin when the group has ended, or the launch.
    after_group: Vec<PendingChild>,
    after_launch: Vec<PendingChild>,
    credit: Credit,
}

impl Outbox {
    /// Children that are kept at most: more and more, so that the first are not kept waiting.
    fn limit(&self) -> usize {
        1 << self.times.min(5)
    }
}

impl LaunchHandle {
    pub(super) fn new(tree: &Arc<LaunchTree>, scope: Arc<Scope>) -> LaunchHandle {
        LaunchHandle { tree: Arc::clone(tree), scope, after: Arc::default() }
    }

    /// The children that begin when the launch has ended, which it has.
    pub(super) fn held(&mut self) -> Vec<PendingChild> {
        if let Some(held) = Arc::get_mut(&mut self.after) {
            return std::mem::take(held.get_mut());
        }
        // A thread that came too late for it still has the other one.
        std::mem::take(&mut *std::mem::take(&mut self.after).lock())
    }

    /// For the time a thread runs groups.
    pub(in crate::exec) fn worker(&self) -> WorkerContext<'_> {
        WorkerContext { handle: self, outbox: RefCell::default() }
    }
}

impl<'m> WorkerContext<'m> {
    /// What the context points at.
    pub(in crate::exec) fn link(&self) -> Link<'_> {
        Link(self)
    }

    /// A group has ended.
    pub(in crate::exec) fn group_ended(&self) {
        let mut outbox = self.outbox.borrow_mut();
        if outbox.after_group.is_empty() {
            return;
        }
        let mut commands = Vec::new();
        for held in std::mem::take(&mut outbox.after_group) {
            match held {
                PendingChild::Command(id) => commands.push(id),
                PendingChild::Child(child) => outbox.ready.push(child),
            }
        }
        drop(outbox);
        if !commands.is_empty() {
            self.with(|state| commands.into_iter().for_each(|id| state.release(id)));
        }
        self.share_many();
    }

    /// A group has failed: what it has enqueued for its end does not run.
    pub(in crate::exec) fn group_failed(&self) {
        let held = std::mem::take(&mut self.outbox.borrow_mut().after_group);
        if !held.is_empty() {
            self.handle.tree.refuse(held);
        }
    }

    /// Lets others have the children that can begin, if there are many.
    fn share_many(&self) {
        let mut outbox = self.outbox.borrow_mut();
        if outbox.ready.len() >= outbox.limit() {
            outbox.times += 1;
            self.handle.tree.share_children(&self.handle.scope, &mut outbox.ready);
        }
    }

    /// # Safety
    /// As for [`EnqueueSink::enqueue`].
    unsafe fn try_enqueue(&self, request: &Request<'_>) -> Result<u64, Refusal> {
        let tree = &self.handle.tree;
        let (queue, room) = tree.queue(request.queue)?;
        if !matches!(request.flags, NO_WAIT | WAIT_KERNEL | WAIT_WORK_GROUP) {
            return Err(Refusal::Failure);
        }
        // What the kernel says is read before there is a lock.
        // SAFETY: the caller's promise.
        let work = unsafe { tree.work(request)? };
        let bytes = work.inputs.bytes() + size_of_val(request.waits);
        let charge = Charge { queue, bytes: OVERHEAD + bytes as u64 };
        if !request.wants_event && request.waits.is_empty() {
            self.outbox.borrow_mut().credit.take(&tree.rooms, charge, room)?;
            let child = ReadyLaunch { scope: Arc::clone(&self.handle.scope), child: Some(charge), work };
            PanicSite::Enqueue.pass();
            self.keep(request.flags, PendingChild::Child(child));
            return Ok(0);
        }
        let waits: SmallVec<[u64; 8]> = request.waits.into();
        let mut state = tree.state.lock();
        let parent = self.handle.scope.id;
        let (id, event) = state.add(parent, Some(work), (charge, room), &waits, request.wants_event)?;
        PanicSite::Enqueue.pass();
        if request.flags == NO_WAIT {
            state.release(id);
            tree.share(state);
        } else {
            drop(state);
            self.keep(request.flags, PendingChild::Command(id));
        }
        Ok(event)
    }

    /// Keeps a child until it can begin.
    fn keep(&self, flags: u64, held: PendingChild) {
        let mut outbox = self.outbox.borrow_mut();
        match (flags, held) {
            (WAIT_KERNEL, held) => outbox.after_launch.push(held),
            (NO_WAIT, PendingChild::Child(child)) => outbox.ready.push(child),
            (_, held) => outbox.after_group.push(held),
        }
        drop(outbox);
        self.share_many();
    }

    fn with<T>(&self, what: impl FnOnce(&mut LaunchGraph) -> T) -> T {
        let mut state = self.handle.tree.state.lock();
        let result = what(&mut state);
        self.handle.tree.share(state);
        result
    }
}

/// Lets go of everything: the thread runs no more groups of the launch.
impl Drop for WorkerContext<'_> {
    fn drop(&mut self) {
        let LaunchHandle { tree, scope, after } = self.handle;
        let outbox = self.outbox.get_mut();
        tree.share_children(scope, &mut outbox.ready);
        if !outbox.after_launch.is_empty() {
            after.lock().append(&mut outbox.after_launch);
        }
        outbox.credit.end(&tree.rooms);
    }
}

/// CLK_ENQUEUE_FLAGS_*.
const NO_WAIT: u64 = 0;
const WAIT_KERNEL: u64 = 1;
const WAIT_WORK_GROUP: u64 = 2;

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
        let add = |state: &mut LaunchGraph| {
            let (queue, room) = self.handle.tree.queue(queue)?;
            let charge = Charge { queue, bytes: OVERHEAD + size_of_val(&*waits) as u64 };
            let (id, event) = state.add(self.handle.scope.id, None, (charge, room), &waits, true)?;
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
        self.with(LaunchGraph::user_event)
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
