//! Command queues: the order in which commands become ready, and the threads that run them.
//!
//! In-order and out-of-order queues have modules of their own; this module has their common part. A thread that
//! waits (in a finish, a wait or a blocking call) takes ready commands from the queue and runs them itself, so that
//! a small kernel never has to wake another thread. Flushed commands are also offered to the worker threads, so
//! that a program that flushes and polls makes progress.

mod completion_counter;
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
use grus_exec::Runner;
use grus_support::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use grus_support::sync::{self, Condvar, Mutex, MutexGuard};
use grus_support::trace;

use in_order::InOrder;
use out_of_order::OutOfOrder;

/// Number of enqueued commands at which the queue flushes itself, so that they run while more are enqueued.
// Arbitrary.
const AUTO_FLUSH: usize = 256;

/// Number of ready commands from which on a thread that enqueues is held back.
// Arbitrary.
const HIGH_WATER: usize = 4096;

/// Maximum time for which a thread is held back: commands may wait for something that this thread is about to do.
// Arbitrary.
const MAX_HOLD_BACK: Duration = Duration::from_millis(10);

/// Body of a cl_command_queue.
pub struct Queue {
    context: ParentRef<Context>,
    device: ParentRef<Device>,
    profiled: bool,
    /// Properties of a device-side queue, to which the host enqueues nothing.
    on_device: Option<OnDevice>,
    /// Property list that the queue was created with, including the final 0; empty if there was none.
    properties: Vec<cl_queue_properties>,
    commands: Commands,
    /// Number of commands that have been flushed; written under the lock of the commands.
    flushed: AtomicU64,
    /// True if events have to be notified when their command is submitted.
    listened: AtomicBool,
    /// Condition variable of threads that are held back; notified when much fewer than [`HIGH_WATER`] commands
    /// wait.
    drained: Condvar,
    /// Number of the queue in recordings.
    recorded_number: u32,
}

enum Commands {
    InOrder(InOrder),
    OutOfOrder(OutOfOrder),
}

/// Properties of a queue to which only kernels enqueue.
#[derive(Clone, Copy)]
struct OnDevice {
    /// Value of CL_QUEUE_SIZE.
    size: cl_uint,
    /// True if it was created as the default queue of its device.
    is_default: bool,
}

/// Value of CL_DEVICE_QUEUE_ON_DEVICE_PREFERRED_SIZE.
// Arbitrary.
pub const QUEUE_PREFERRED_SIZE: cl_uint = 64 << 20;
/// Value of CL_DEVICE_QUEUE_ON_DEVICE_MAX_SIZE.
// Arbitrary.
pub const QUEUE_MAX_SIZE: cl_uint = 1 << 30;
/// Value of CL_DEVICE_MAX_ON_DEVICE_QUEUES. The number is not actually limited.
// Arbitrary.
pub const MAX_ON_DEVICE_QUEUES: cl_uint = 1024;
/// Value of CL_DEVICE_MAX_ON_DEVICE_EVENTS.
pub const MAX_ON_DEVICE_EVENTS: cl_uint = grus_exec::MAX_EVENTS as cl_uint;

thread_local! {
    static HANDLES: HandleCache<Queue> = const { HandleCache::new() };
}

/// Prepares the thread, see [`super::first_call`].
pub(super) fn init_thread_locals() {
    let _ = HANDLES.try_with(|_| ());
}

impl ObjectBody for Queue {
    const INVALID: Error = Error::InvalidCommandQueue;

    fn cached() -> Option<&'static LocalKey<HandleCache<Self>>> {
        Some(&HANDLES)
    }
}

/// Event of a command, if it has one.
pub(super) type Enqueued = Result<Option<Arc<Object<Event>>>>;

/// State that both kinds of queues have.
#[derive(Default)]
struct QueueCounters {
    /// Number of commands that were ever enqueued.
    enqueued: u64,
    /// Number of threads that are held back.
    blocked: usize,
    /// Queues whose commands are awaited here; they must be flushed together with this queue.
    awaited: Vec<Arc<Object<Queue>>>,
    /// Number of requests to the workers that have not been answered.
    offered: usize,
}

/// Commands of a queue, under its lock.
trait QueueState {
    fn counters(&self) -> &QueueCounters;
    fn counters_mut(&mut self) -> &mut QueueCounters;

    /// Returns the number of commands that have not ended, as far as it is known here.
    fn len(&self) -> usize;

    /// Reserves memory for one more command, because an application may enqueue very many.
    fn reserve(&mut self) -> Result<()>;

    /// Adds a command, which has its number already.
    fn add(&mut self, event: &Arc<Object<Event>>, order: QueueOrder) -> Result<()>;

    /// Reports that a command has no unmet dependencies, except those on its position in the queue.
    fn became_ready(&mut self, event: &Arc<Object<Event>>);

    /// Returns the number of useful requests to the workers. `flushed` is the queue's.
    fn wanted_threads(&self, flushed: u64) -> usize;

    /// Returns the events of commands that have not been flushed, possibly together with others.
    fn unflushed_events(&self, flushed: u64) -> WaitList;

    /// Returns the number of waiting commands at which the queue flushes itself.
    fn auto_flush(&self) -> usize;

    /// Checks whether commands are enqueued faster than they are run, although some thread runs them.
    fn is_overtaken(&self) -> bool;

    /// Returns the number of commands that are neither flushed nor run by a waiting thread.
    fn unflushed(&self, flushed: u64) -> usize {
        let since = usize::try_from(self.counters().enqueued - flushed).unwrap_or(usize::MAX);
        since.min(self.len())
    }
}

/// Order of a command relative to other commands of its queue.
#[derive(Clone, Copy, PartialEq, Eq)]
pub enum QueueOrder {
    /// Waits only for its wait list (and the last barrier).
    Free,
    /// Marker without a wait list: waits for all earlier commands.
    AfterAll,
    /// Barrier: all later commands wait for it. Without a wait list it waits for all earlier commands.
    Barrier { after_all: bool },
}

impl Queue {
    /// Creates a queue on `device`, which must be a device of the context. Returns the existing default queue if
    /// the flags ask for the default queue and there is one.
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
        // Only device-side queues have a size.
        if size.is_some() && !device_queue {
            return Err(Error::InvalidValue);
        }
        let size = size.unwrap_or(QUEUE_PREFERRED_SIZE);
        if size == 0 || size > QUEUE_MAX_SIZE {
            return Err(Error::InvalidQueueProperties);
        }
        let is_default = flags & CL_QUEUE_ON_DEVICE_DEFAULT != 0;
        // A device of a context has only one default queue.
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
            flushed: AtomicU64::new(0),
            listened: AtomicBool::new(false),
            drained: Condvar::new(),
            recorded_number: trace::queue(flags),
        });
        if is_default {
            context.set_default_queue(&queue);
        }
        if !device_queue {
            context.add_queue(&queue)?;
        }
        Ok(queue)
    }

    /// Checks whether this is a device-side queue.
    pub fn is_on_device(&self) -> bool {
        self.on_device.is_some()
    }

    /// Returns CL_QUEUE_SIZE.
    ///
    /// # Errors
    /// CL_INVALID_COMMAND_QUEUE for a host queue.
    pub fn size(&self) -> Result<cl_uint> {
        self.on_device.map(|on_device| on_device.size).ok_or(Error::InvalidCommandQueue)
    }

    /// Returns the context.
    pub fn context(&self) -> &Arc<Object<Context>> {
        self.context.object()
    }

    /// Returns the device.
    pub fn device(&self) -> &Arc<Object<Device>> {
        self.device.object()
    }

    /// Returns CL_QUEUE_PROPERTIES.
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

    /// Returns the property list that the queue was created with.
    pub fn properties(&self) -> &[cl_queue_properties] {
        &self.properties
    }

    /// Checks whether events of this queue record times.
    pub fn is_profiled(&self) -> bool {
        self.profiled
    }

    /// Returns the number of the queue in recordings.
    pub(super) fn recorded_number(&self) -> u32 {
        self.recorded_number
    }

    /// Returns the number of commands that have been flushed.
    pub(super) fn flushed(&self) -> u64 {
        self.flushed.load(Ordering::Acquire)
    }

    /// Makes flushes notify each command's event from now on.
    pub(super) fn notify_of_flushes(&self) {
        self.listened.store(true, Ordering::Release);
    }

    /// Calls `what` under the queue's lock.
    fn with<T>(&self, what: impl FnOnce(&mut dyn QueueState) -> T) -> T {
        match &self.commands {
            Commands::InOrder(fifo) => what(&mut *fifo.state.lock()),
            Commands::OutOfOrder(graph) => what(&mut *graph.state.lock()),
        }
    }

    /// Updates the state after a command with an event has ended. In an in-order queue, the thread that has the
    /// batch does this.
    pub(super) fn completed(&self, event: &Arc<Object<Event>>) {
        if let Commands::OutOfOrder(graph) = &self.commands {
            graph.completed(event, &self.drained);
        }
    }
}

sync::thread_local! {
    /// True if this thread is running commands; it must not wait for itself then.
    static RUNS: Cell<bool> = const { Cell::new(false) };
}

/// Calls `commands` with the thread's state for running commands, which is looked up only once.
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

    /// Enqueues a command without special order; without an event, if none is requested or needed.
    pub(super) fn enqueue_body(
        self: &Arc<Self>,
        command_type: cl_command_type,
        events: &Events,
        body: CommandBody,
    ) -> Enqueued {
        match &self.commands {
            Commands::InOrder(fifo) if !events.is_wanted && events.waits.is_empty() => {
                self.append(fifo, command_type, body).map(|()| None)
            }
            _ => self.enqueue_with_event(command_type, &events.waits, QueueOrder::Free, body).map(Some),
        }
    }

    /// Enqueues a command without special order, and waits for it if the call is blocking. May return an event even
    /// if none is requested.
    pub(super) fn start(
        self: &Arc<Self>,
        command_type: cl_command_type,
        is_blocking: bool,
        events: &Events,
        work: impl FnOnce() -> Result<()> + Send + 'static,
    ) -> Enqueued {
        if !is_blocking {
            return self.enqueue_body(command_type, events, CommandBody::Work(Some(Box::new(work))));
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
        body: CommandBody,
    ) -> Result<Arc<Object<Event>>> {
        let recorded = trace::begin();
        // An event that is left behind by an error never becomes ready, and is dropped with its dependencies.
        let event = Event::command(self, command_type, body);
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

    /// Records a command that was enqueued.
    fn record_enqueued(
        &self,
        number: u64,
        time: u64,
        command_type: cl_command_type,
        wait_list: &[Arc<Object<Event>>],
    ) {
        let waits = wait_list.iter().map(|event| match event.queue() {
            Some(queue) => (queue.recorded_number, event.number()),
            None => (0, event.handle().addr() as u64),
        });
        trace::enqueued(self.recorded_number, number, time, command_type, waits);
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
        let counters = state.counters_mut();
        counters.awaited.try_reserve(wait_list.len())?;
        for queue in wait_list.iter().filter_map(|e| e.queue()) {
            if !Arc::ptr_eq(queue, self) {
                counters.awaited.push(Arc::clone(queue));
            }
        }
        event.set_number(counters.enqueued + 1);
        state.add(event, order)?;
        state.counters_mut().enqueued += 1;
        if event.enqueued() {
            state.became_ready(event);
        }
        self.after_enqueue(lock, state);
        Ok(())
    }

    /// Limits the number of waiting commands after one was enqueued.
    fn after_enqueue<'s, S: QueueState>(self: &Arc<Self>, lock: &'s Mutex<S>, state: MutexGuard<'s, S>) {
        let full = state.unflushed(self.flushed()) >= state.auto_flush();
        let is_high = state.len() >= HIGH_WATER;
        drop(state);
        if full {
            self.hand_over();
        }
        if is_high {
            self.hold_back(lock);
        }
    }

    /// Lets the threads that run commands catch up with this one, so that waiting commands do not take memory
    /// without bound. Commands that are not ready do not count.
    #[cold]
    fn hold_back<S: QueueState>(self: &Arc<Self>, lock: &Mutex<S>) {
        if RUNS.with(Cell::get) {
            return;
        }
        self.flush();
        let mut state = lock.lock();
        if state.is_overtaken() {
            state.counters_mut().blocked += 1;
            state = self.drained.wait_timeout(state, MAX_HOLD_BACK);
            state.counters_mut().blocked -= 1;
        }
        drop(state);
    }

    /// Implements clFlush: submits every command enqueued so far to the device. Without worker threads, this thread
    /// runs the commands.
    pub fn flush(self: &Arc<Self>) {
        self.hand_over();
        queue_workers::help();
    }

    /// Submits every command enqueued so far to the device.
    fn hand_over(self: &Arc<Self>) {
        self.submit();
        self.offer();
    }

    /// Marks every command as flushed, and flushes the queues that the commands wait for.
    fn submit(self: &Arc<Self>) {
        self.with(|state| self.mark_flushed(state)).notify();
    }

    /// Marks every command as flushed. The caller notifies events and queues after releasing the lock.
    fn mark_flushed(&self, state: &mut (impl QueueState + ?Sized)) -> Flushed {
        let flushed = self.flushed();
        if flushed == state.counters().enqueued && state.counters().awaited.is_empty() {
            return Flushed::default();
        }
        let listened = self.profiled || self.listened.load(Ordering::Acquire);
        let fresh = if listened { state.unflushed_events(flushed) } else { WaitList::new() };
        self.flushed.store(state.counters().enqueued, Ordering::Release);
        Flushed { fresh, awaited: std::mem::take(&mut state.counters_mut().awaited) }
    }

    /// Requests workers to run the commands that are ready and flushed.
    fn offer(self: &Arc<Self>) {
        let wanted = self.with(|state| {
            let wanted = state.wanted_threads(self.flushed());
            state.counters_mut().offered += wanted;
            wanted
        });
        for _ in 0..wanted {
            queue_workers::submit(Arc::clone(self));
        }
    }

    /// Answers a request to the workers by running ready commands.
    pub(super) fn work(self: &Arc<Self>) {
        self.with(|state| state.counters_mut().offered -= 1);
        self.run(|| false);
    }

    /// Reports that the last dependency of a command was met.
    pub(super) fn became_ready(self: &Arc<Self>, event: &Arc<Object<Event>>) {
        self.with(|state| state.became_ready(event));
        // A worker may also run commands that were not flushed; that does no harm.
        if event.is_submitted() {
            self.offer();
        }
    }

    /// Runs ready commands on this thread until there are none or `over` returns true. Returns whether ready
    /// commands may be left.
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
            // While this thread ran commands, other threads that flushed left their commands to it.
            self.offer();
        }
    }

    /// Keeps a value until every command enqueued so far has ended. Without memory for that it is not kept.
    pub(super) fn keep_while_busy<T: Send + Sync + 'static>(self: &Arc<Self>, value: &Arc<T>) {
        if !self.is_busy() {
            return;
        }
        let value = Arc::clone(value);
        let release: CommandTask = Box::new(move || {
            drop(value);
            Ok(())
        });
        let (kind, body) = (CL_COMMAND_MARKER, Some(release));
        let _ = match &self.commands {
            Commands::InOrder(fifo) => self.append(fifo, kind, body.into()),
            Commands::OutOfOrder(_) => self.enqueue(kind, &[], QueueOrder::AfterAll, body).map(drop),
        };
    }

    /// Checks whether a command enqueued so far has not ended.
    fn is_busy(&self) -> bool {
        match &self.commands {
            Commands::InOrder(fifo) => {
                let last = fifo.state.lock().counters().enqueued;
                !fifo.ended.reaches(last)
            }
            Commands::OutOfOrder(graph) => graph.state.lock().len() != 0,
        }
    }

    /// Waits until every command enqueued so far has ended.
    pub fn finish(self: &Arc<Self>) {
        match &self.commands {
            Commands::InOrder(fifo) => {
                self.finish_in_order(fifo);
                // Commands of other queues may have waited for commands that were run here.
                queue_workers::help();
            }
            Commands::OutOfOrder(graph) => graph.finish(),
        }
    }
}

/// Commands and queues affected by a flush.
#[derive(Default)]
struct Flushed {
    /// Commands whose events are notified.
    fresh: WaitList,
    /// Queues that are flushed too.
    awaited: Vec<Arc<Object<Queue>>>,
}

impl Flushed {
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
