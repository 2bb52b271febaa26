//! Command queues: in which order commands become ready, and which threads run them.
//!
//! There are two kinds, in-order and out-of-order (the modules of these names); what they share is here. A thread that waits
//! (finish, wait, a blocking call) takes ready commands from the queue and runs them itself: a small kernel never wakes
//! another thread. Commands that were flushed are also offered to the pool's threads, so a program that flushes and polls
//! makes progress.

mod completion;
mod in_order;
mod out_of_order;
#[cfg(test)]
mod tests;

use std::cell::Cell;
use std::sync::Arc;
use std::thread::LocalKey;
use std::time::Duration;

use super::command::CommandBody;
use super::context::Context;
use super::device::Device;
use super::error::{Error, Result};
use super::event::{CommandTask, Event, Events, WaitList};
use super::object::{HandleCache, Object, ObjectBody, ParentRef};
use super::queue_workers;
use crate::cl::*;
use crate::exec::{self, Runner};
use crate::support::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use crate::support::sync::{self, Condvar, Mutex, MutexGuard};
use crate::support::trace;

use in_order::InOrder;
use out_of_order::OutOfOrder;

/// So many commands are enqueued before the queue flushes itself, so that they run while more are enqueued.
const AUTO_FLUSH: usize = 256;

/// A thread that enqueues while so many commands wait that could run is held back for those that run them ...
const HIGH_WATER: usize = 4096;

/// ... for at most this time: commands may wait for what this thread is about to do.
const PATIENCE: Duration = Duration::from_millis(10);

/// What cl_command_queue points to.
pub struct Queue {
    context: ParentRef<Context>,
    device: ParentRef<Device>,
    profiled: bool,
    /// If it is one on the device: the host enqueues nothing there.
    on_device: Option<OnDevice>,
    /// The list the queue was made with, with the 0 at the end; empty if there was none.
    properties: Vec<cl_queue_properties>,
    commands: Commands,
    /// Commands that have been flushed, written under the lock of the commands.
    submitted: AtomicU64,
    /// Whether somebody wants to know when a command is submitted.
    listened: AtomicBool,
    /// Far fewer commands wait than [`HIGH_WATER`].
    drained: Condvar,
    /// What recordings call it.
    recorded_number: u32,
}

enum Commands {
    InOrder(InOrder),
    OutOfOrder(OutOfOrder),
}

/// A queue that only kernels enqueue to.
#[derive(Clone, Copy)]
struct OnDevice {
    /// CL_QUEUE_SIZE.
    size: cl_uint,
    /// It was made to be the default one.
    is_default: bool,
}

/// CL_DEVICE_QUEUE_ON_DEVICE_PREFERRED_SIZE.
pub const QUEUE_PREFERRED_SIZE: cl_uint = 64 << 20;
/// CL_DEVICE_QUEUE_ON_DEVICE_MAX_SIZE.
pub const QUEUE_MAX_SIZE: cl_uint = 1 << 30;
/// CL_DEVICE_MAX_ON_DEVICE_QUEUES. More are not refused.
pub const MAX_ON_DEVICE_QUEUES: cl_uint = 1024;
/// CL_DEVICE_MAX_ON_DEVICE_EVENTS.
pub const MAX_ON_DEVICE_EVENTS: cl_uint = exec::MOST_EVENTS as cl_uint;

thread_local! {
    static HANDLES: HandleCache<Queue> = const { HandleCache::new() };
}

/// See [`super::first_call`].
pub(super) fn note_thread() {
    let _ = HANDLES.try_with(|_| ());
}

impl ObjectBody for Queue {
    const INVALID: Error = Error::InvalidCommandQueue;

    fn cached() -> Option<&'static LocalKey<HandleCache<Self>>> {
        Some(&HANDLES)
    }
}

/// The event of a command, if it has one.
pub(super) type Enqueued = Result<Option<Arc<Object<Event>>>>;

/// What both kinds count.
#[derive(Default)]
struct QueueCounters {
    /// Commands that were ever enqueued.
    enqueued: u64,
    /// Threads that are held back.
    blocked: usize,
    /// Queues that commands here wait for and that must be flushed when this one is.
    awaited: Vec<Arc<Object<Queue>>>,
    /// Requests to the pool that have not been answered.
    offered: usize,
}

/// The commands of a queue, under its lock.
trait QueueState {
    fn flow(&self) -> &QueueCounters;
    fn flow_mut(&mut self) -> &mut QueueCounters;

    /// Commands that have not ended, as far as that is known here.
    fn len(&self) -> usize;

    /// Room for one more: an application may let very many wait.
    fn reserve(&mut self) -> Result<()>;

    /// One more, which has its number.
    fn add(&mut self, event: &Arc<Object<Event>>, order: QueueOrder) -> Result<()>;

    /// A command waits for nothing any more but what its place in the queue says.
    fn became_ready(&mut self, event: &Arc<Object<Event>>);

    /// How many requests to the pool are worth making now. `submitted` is the queue's.
    fn wanted_threads(&self, submitted: u64) -> usize;

    /// Those with an event that have not been flushed, or some more.
    fn unflushed_events(&self, submitted: u64) -> WaitList;

    /// How many may wait before the queue flushes itself.
    fn auto_flush(&self) -> usize;

    /// More are enqueued than run, though some thread runs them.
    fn is_overtaken(&self) -> bool;

    /// Commands that have not been flushed, those left out that a waiting thread has run.
    fn unflushed(&self, submitted: u64) -> usize {
        let since = usize::try_from(self.flow().enqueued - submitted).unwrap_or(usize::MAX);
        since.min(self.len())
    }
}

/// How a command relates to the others of its queue.
#[derive(Clone, Copy, PartialEq, Eq)]
pub enum QueueOrder {
    /// It waits for its wait list only (and for the last barrier).
    Free,
    /// A marker without wait list: it waits for everything before it.
    AfterAll,
    /// A barrier: everything after it waits for it; without a wait list it waits for everything before it.
    Barrier { after_all: bool },
}

impl Queue {
    /// A queue on `device`, which is one of the context's; the default one on the device, if one is asked for and there
    /// is one.
    pub fn create(
        context: &Arc<Object<Context>>,
        device: &Arc<Object<Device>>,
        flags: cl_command_queue_properties,
        size: Option<cl_uint>,
        properties: Vec<cl_queue_properties>,
    ) -> Result<Arc<Object<Self>>> {
        // `device` is not associated with `context`.
        if !context.has_device(device) {
            return Err(Error::InvalidDevice);
        }
        let known = CL_QUEUE_OUT_OF_ORDER_EXEC_MODE_ENABLE
            | CL_QUEUE_PROFILING_ENABLE
            | CL_QUEUE_ON_DEVICE
            | CL_QUEUE_ON_DEVICE_DEFAULT;
        let device_queue = flags & CL_QUEUE_ON_DEVICE != 0;
        let inconsistent = flags & CL_QUEUE_ON_DEVICE_DEFAULT != 0 && !device_queue
            || device_queue && flags & CL_QUEUE_OUT_OF_ORDER_EXEC_MODE_ENABLE == 0;
        if flags & !known != 0 || inconsistent {
            return Err(Error::InvalidValue);
        }
        // A size is for queues on the device.
        if size.is_some() && !device_queue {
            return Err(Error::InvalidValue);
        }
        let size = size.unwrap_or(QUEUE_PREFERRED_SIZE);
        if size == 0 || size > QUEUE_MAX_SIZE {
            return Err(Error::InvalidQueueProperties);
        }
        let is_default = flags & CL_QUEUE_ON_DEVICE_DEFAULT != 0;
        // There is only one default queue for a device of a context.
        if is_default && let Some(queue) = context.default_queue(device) {
            return Ok(queue);
        }
        let commands = if flags & CL_QUEUE_OUT_OF_ORDER_EXEC_MODE_ENABLE == 0 {
            Commands::InOrder(InOrder::default())
        } else {
            Commands::OutOfOrder(OutOfOrder::default())
        };
        let queue = Object::new(Self {
            context: ParentRef::new(context),
            device: ParentRef::new(device),
            profiled: flags & CL_QUEUE_PROFILING_ENABLE != 0,
            on_device: device_queue.then_some(OnDevice { size, is_default }),
            properties,
            commands,
            submitted: AtomicU64::new(0),
            listened: AtomicBool::new(false),
            drained: Condvar::new(),
            recorded_number: trace::queue(flags),
        });
        if is_default {
            context.set_default_queue(&queue);
        }
        Ok(queue)
    }

    /// Whether it is one on the device.
    pub fn is_on_device(&self) -> bool {
        self.on_device.is_some()
    }

    /// CL_QUEUE_SIZE.
    ///
    /// # Errors
    /// CL_INVALID_COMMAND_QUEUE for one of the host's.
    pub fn size(&self) -> Result<cl_uint> {
        self.on_device.map(|on_device| on_device.size).ok_or(Error::InvalidCommandQueue)
    }

    /// The context.
    pub fn context(&self) -> &Arc<Object<Context>> {
        self.context.object()
    }

    /// The device.
    pub fn device(&self) -> &Arc<Object<Device>> {
        self.device.object()
    }

    /// CL_QUEUE_PROPERTIES.
    pub fn flags(&self) -> cl_command_queue_properties {
        let mut flags = 0;
        if let Commands::OutOfOrder(_) = self.commands {
            flags |= CL_QUEUE_OUT_OF_ORDER_EXEC_MODE_ENABLE;
        }
        if self.profiled {
            flags |= CL_QUEUE_PROFILING_ENABLE;
        }
        if let Some(on_device) = self.on_device {
            flags |= CL_QUEUE_ON_DEVICE;
            flags |= if on_device.is_default { CL_QUEUE_ON_DEVICE_DEFAULT } else { 0 };
        }
        flags
    }

    /// The property list the queue was made with.
    pub fn properties(&self) -> &[cl_queue_properties] {
        &self.properties
    }

    /// Whether events of this queue keep times.
    pub fn is_profiled(&self) -> bool {
        self.profiled
    }

    /// What recordings call it.
    pub(super) fn recorded_number(&self) -> u32 {
        self.recorded_number
    }

    /// How many commands have been flushed.
    pub(super) fn submitted(&self) -> u64 {
        self.submitted.load(Ordering::Acquire)
    }

    /// From now on, each command's event is notified when it is flushed.
    pub(super) fn notify_of_flushes(&self) {
        self.listened.store(true, Ordering::Release);
    }

    /// Does something under the queue's lock.
    fn with<T>(&self, what: impl FnOnce(&mut dyn QueueState) -> T) -> T {
        match &self.commands {
            Commands::InOrder(fifo) => what(&mut *fifo.state.lock()),
            Commands::OutOfOrder(graph) => what(&mut *graph.state.lock()),
        }
    }

    /// Bookkeeping when a command with an event has ended. In order, the thread that has the batch does it.
    pub(super) fn completed(&self, event: &Arc<Object<Event>>) {
        if let Commands::OutOfOrder(graph) = &self.commands {
            graph.completed(event, &self.drained);
        }
    }
}

sync::thread_local! {
    /// Whether this thread runs commands: it must not wait for itself.
    static RUNS: Cell<bool> = const { Cell::new(false) };
}

/// Runs commands on this thread: with what they need of it, looked up once for all of them.
#[inline]
fn with_runner<T>(commands: impl FnOnce(&mut Runner) -> T) -> T {
    let before = RUNS.with(|runs| runs.replace(true));
    let mut runner = Runner::default();
    let result = commands(&mut runner);
    RUNS.with(|runs| runs.set(before));
    result
}

impl Object<Queue> {
    /// Enqueues a command.
    pub fn enqueue(
        self: &Arc<Self>,
        command_type: cl_command_type,
        wait_list: &[Arc<Object<Event>>],
        order: QueueOrder,
        work: Option<CommandTask>,
    ) -> Result<Arc<Object<Event>>> {
        self.enqueue_with_event(command_type, wait_list, order, work.into())
    }

    /// Enqueues a command that is in no special order; without an event, if none is wanted or needed.
    pub(super) fn enqueue_code(
        self: &Arc<Self>,
        command_type: cl_command_type,
        events: &Events,
        code: CommandBody,
    ) -> Enqueued {
        match &self.commands {
            Commands::InOrder(fifo) if !events.is_wanted && events.waits.is_empty() => {
                self.append(fifo, command_type, code).map(|()| None)
            }
            _ => self.enqueue_with_event(command_type, &events.waits, QueueOrder::Free, code).map(Some),
        }
    }

    /// Enqueues a command that is in no special order, and waits for it if the call is blocking. There may be an event even if
    /// none is wanted.
    pub(super) fn start(
        self: &Arc<Self>,
        command_type: cl_command_type,
        is_blocking: bool,
        events: &Events,
        work: impl FnOnce() -> Result<()> + Send + 'static,
    ) -> Enqueued {
        if !is_blocking {
            return self.enqueue_code(command_type, events, CommandBody::Work(Some(Box::new(work))));
        }
        if let Commands::InOrder(fifo) = &self.commands
            && !events.is_wanted
            && events.waits.iter().all(|event| event.status() == CL_COMPLETE)
            && !trace::is_on()
            && self.begin_alone(fifo)
        {
            return self.run_alone(fifo, work).map(|()| None);
        }
        let event = self.enqueue(command_type, &events.waits, QueueOrder::Free, Some(Box::new(work)))?;
        match event.wait() {
            CL_COMPLETE => Ok(Some(event)),
            status => Err(Error::from_code(status).unwrap_or(Error::OutOfResources)),
        }
    }

    fn enqueue_with_event(
        self: &Arc<Self>,
        command_type: cl_command_type,
        wait_list: &[Arc<Object<Event>>],
        order: QueueOrder,
        code: CommandBody,
    ) -> Result<Arc<Object<Event>>> {
        let recorded = trace::begin();
        // An event that an error leaves behind is never ready, and goes with those that it waits for.
        let event = Event::command(self, command_type, code);
        for dependency in wait_list {
            event.depend_on(dependency, true)?;
        }
        match &self.commands {
            Commands::InOrder(fifo) => self.add(&fifo.state, &event, wait_list, order)?,
            Commands::OutOfOrder(graph) => self.add(&graph.state, &event, wait_list, order)?,
        }
        if let Some(time) = recorded {
            self.record_enqueued(event.number(), time, command_type, wait_list);
        }
        Ok(event)
    }

    /// Tells recordings of a command that was enqueued.
    fn record_enqueued(
        &self,
        place: u64,
        time: u64,
        command_type: cl_command_type,
        wait_list: &[Arc<Object<Event>>],
    ) {
        let waits = wait_list.iter().map(|event| match event.queue() {
            Some(queue) => (queue.recorded_number, event.number()),
            None => (0, event.handle().addr() as u64),
        });
        trace::enqueued(self.recorded_number, place, time, command_type, waits);
    }

    fn add<S: QueueState>(
        self: &Arc<Self>,
        lock: &Mutex<S>,
        event: &Arc<Object<Event>>,
        wait_list: &[Arc<Object<Event>>],
        order: QueueOrder,
    ) -> Result<()> {
        let mut state = lock.lock();
        state.reserve()?;
        let flow = state.flow_mut();
        flow.awaited.try_reserve(wait_list.len())?;
        for queue in wait_list.iter().filter_map(|e| e.queue()) {
            if !Arc::ptr_eq(queue, self) {
                flow.awaited.push(Arc::clone(queue));
            }
        }
        event.set_number(flow.enqueued + 1);
        state.add(event, order)?;
        state.flow_mut().enqueued += 1;
        if event.enqueued() {
            state.became_ready(event);
        }
        self.after_enqueue(lock, state);
        Ok(())
    }

    /// Sees to it that not too many commands wait.
    fn after_enqueue<'s, S: QueueState>(self: &Arc<Self>, lock: &'s Mutex<S>, state: MutexGuard<'s, S>) {
        let full = state.unflushed(self.submitted()) >= state.auto_flush();
        let is_high = state.len() >= HIGH_WATER;
        drop(state);
        if full {
            self.hand_over();
        }
        if is_high {
            self.hold_back(lock);
        }
    }

    /// Lets the threads that run commands catch up with this one, so that commands that wait do not take memory without
    /// bound. Commands that nobody can run yet are another matter.
    #[cold]
    fn hold_back<S: QueueState>(self: &Arc<Self>, lock: &Mutex<S>) {
        if RUNS.with(Cell::get) {
            return;
        }
        self.flush();
        let mut state = lock.lock();
        if state.is_overtaken() {
            state.flow_mut().blocked += 1;
            state = self.drained.wait_timeout(state, PATIENCE);
            state.flow_mut().blocked -= 1;
        }
        drop(state);
    }

    /// clFlush: hands every command enqueued so far to the device; where there are no threads that could run them, this one
    /// does.
    pub fn flush(self: &Arc<Self>) {
        self.hand_over();
        queue_workers::help();
    }

    /// Hands every command enqueued so far to the device.
    fn hand_over(self: &Arc<Self>) {
        self.submit();
        self.offer();
    }

    /// Marks every command as flushed, and flushes the queues they wait for.
    fn submit(self: &Arc<Self>) {
        self.with(|state| self.mark_submitted(state)).notify();
    }

    /// Marks every command as flushed. Events and queues are notified later, without the lock.
    fn mark_submitted(&self, state: &mut (impl QueueState + ?Sized)) -> Submitted {
        let submitted = self.submitted();
        if submitted == state.flow().enqueued && state.flow().awaited.is_empty() {
            return Submitted::default();
        }
        let listened = self.profiled || self.listened.load(Ordering::Acquire);
        let fresh = if listened { state.unflushed_events(submitted) } else { WaitList::new() };
        self.submitted.store(state.flow().enqueued, Ordering::Release);
        Submitted { fresh, awaited: std::mem::take(&mut state.flow_mut().awaited) }
    }

    /// Asks the pool to run what is ready and flushed.
    fn offer(self: &Arc<Self>) {
        let wanted = self.with(|state| {
            let wanted = state.wanted_threads(self.submitted());
            state.flow_mut().offered += wanted;
            wanted
        });
        for _ in 0..wanted {
            queue_workers::submit(Arc::clone(self));
        }
    }

    /// The pool's answer to an offer.
    pub(super) fn work(self: &Arc<Self>) {
        self.with(|state| state.flow_mut().offered -= 1);
        self.run(|| false);
    }

    /// A command's last dependency was met.
    pub(super) fn became_ready(self: &Arc<Self>, event: &Arc<Object<Event>>) {
        self.with(|state| state.became_ready(event));
        // What runs here besides, though it was not flushed, runs early: no harm.
        if event.is_submitted() {
            self.offer();
        }
    }

    /// Runs ready commands on this thread until there is none or `over` says so. Returns whether something may be left
    /// that can run.
    fn run(&self, over: impl Fn() -> bool) -> bool {
        match &self.commands {
            Commands::InOrder(fifo) => self.run_in_order(fifo, &over),
            Commands::OutOfOrder(graph) => self.run_out_of_order(graph, &over),
        }
    }

    /// Runs ready commands on this thread until `event` has ended or nothing is ready. Implies a flush.
    pub(super) fn run_until(self: &Arc<Self>, event: &Object<Event>) {
        self.submit();
        if self.run(|| event.is_done()) {
            // While this thread ran commands, others that flushed left theirs to it.
            self.offer();
        }
    }

    /// Waits until every command enqueued so far has ended.
    pub fn finish(self: &Arc<Self>) {
        match &self.commands {
            Commands::InOrder(fifo) => {
                self.finish_in_order(fifo);
                // What has waited in other queues for what was run here.
                queue_workers::help();
            }
            Commands::OutOfOrder(graph) => graph.finish(),
        }
    }
}

/// What a flush concerns.
#[derive(Default)]
struct Submitted {
    /// Commands whose events are notified.
    fresh: WaitList,
    /// Queues that are flushed, too.
    awaited: Vec<Arc<Object<Queue>>>,
}

impl Submitted {
    fn is_empty(&self) -> bool {
        self.fresh.is_empty() && self.awaited.is_empty()
    }

    fn notify(self) {
        for event in self.fresh {
            event.notify_submitted();
        }
        for queue in self.awaited {
            queue.hand_over();
        }
    }
}
