//! Command queues: in which order commands become ready, and who runs them.
//!
//! An in-order queue is a line; only its head can run, and only one command at a time. An out-of-order queue is a set;
//! what has no unmet dependency goes to a list of ready commands. A thread that waits (finish, wait, a blocking call)
//! takes ready commands from the queue and runs them itself: a small kernel never wakes another thread. Commands that
//! were flushed are also offered to the pool's threads, so a program that flushes and polls makes progress.

use std::collections::VecDeque;
use std::sync::Arc;

use super::context::Context;
use super::device::Device;
use super::error::{Error, Result};
use super::event::{Event, WaitList, Work};
use super::object::{Body, Object, Parent};
use super::pool;
use crate::cl::*;
use crate::support::FastMap;
use crate::support::sync::Mutex;

/// So many commands are enqueued before the queue flushes itself.
const BATCH: usize = 256;

/// What cl_command_queue points to.
pub struct Queue {
    context: Parent<Context>,
    device: Parent<Device>,
    out_of_order: bool,
    profiled: bool,
    /// The list the queue was made with, with the 0 at the end; empty if there was none.
    properties: Vec<cl_queue_properties>,
    state: Mutex<State>,
}

impl Body for Queue {
    const INVALID: Error = Error::InvalidCommandQueue;
}

#[derive(Default)]
struct State {
    /// In order: every command that has not started, first come first.
    line: VecDeque<Arc<Object<Event>>>,
    /// In order: whether a command is running.
    running: bool,
    /// Out of order: commands that may run.
    ready: VecDeque<Arc<Object<Event>>>,
    /// Out of order: commands that have not ended, by address.
    pending: FastMap<usize, Arc<Object<Event>>>,
    /// Out of order: the last barrier, while it has not ended.
    barrier: Option<Arc<Object<Event>>>,
    /// The last command, while it has not ended.
    last: Option<Arc<Object<Event>>>,
    /// Commands of this line's end that have not been flushed.
    unflushed: usize,
    /// Queues that commands here wait for and that must be flushed when this one is.
    awaited: Vec<Arc<Object<Queue>>>,
    /// Requests to the pool that have not been answered.
    offered: usize,
}

/// How a command relates to the others of its queue.
#[derive(Clone, Copy, PartialEq, Eq)]
pub enum Order {
    /// It waits for its wait list only (and for the last barrier).
    Free,
    /// A marker without wait list: it waits for everything before it.
    AfterAll,
    /// A barrier: everything after it waits for it; without a wait list it waits for everything before it.
    Barrier { after_all: bool },
}

impl Queue {
    /// A queue on `device`, which is one of the context's.
    pub fn create(
        context: &Arc<Object<Context>>,
        device: &Arc<Object<Device>>,
        flags: cl_command_queue_properties,
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
        // The device has no on-device queues.
        if device_queue {
            return Err(Error::InvalidQueueProperties);
        }
        Ok(Object::new(Self {
            context: Parent::new(context),
            device: Parent::new(device),
            out_of_order: flags & CL_QUEUE_OUT_OF_ORDER_EXEC_MODE_ENABLE != 0,
            profiled: flags & CL_QUEUE_PROFILING_ENABLE != 0,
            properties,
            state: Mutex::default(),
        }))
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
        if self.out_of_order {
            flags |= CL_QUEUE_OUT_OF_ORDER_EXEC_MODE_ENABLE;
        }
        if self.profiled {
            flags |= CL_QUEUE_PROFILING_ENABLE;
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

    /// A ready command, if there is one and the queue may start it.
    fn take_ready(&self) -> Option<Arc<Object<Event>>> {
        let mut state = self.state.lock();
        if self.out_of_order {
            let command = state.ready.pop_front();
            state.forget_unflushed();
            return command;
        }
        if state.running || !state.line.front()?.is_ready() {
            return None;
        }
        state.running = true;
        let command = state.line.pop_front();
        state.forget_unflushed();
        command
    }

    /// Bookkeeping when a command has ended.
    pub(super) fn completed(&self, event: &Arc<Object<Event>>) {
        let mut state = self.state.lock();
        let is_this = |other: &Option<Arc<Object<Event>>>| {
            other.as_ref().is_some_and(|other| Arc::ptr_eq(other, event))
        };
        let mut ended = Vec::new();
        if is_this(&state.last) {
            ended.extend(state.last.take());
        }
        if self.out_of_order {
            ended.extend(state.pending.remove(&Arc::as_ptr(event).addr()));
            if is_this(&state.barrier) {
                ended.extend(state.barrier.take());
            }
        } else {
            state.running = false;
        }
        // Never the last reference (the caller has one), but dropped without the lock all the same.
        drop(state);
        drop(ended);
    }
}

impl State {
    /// Commands that a waiting thread took need no flush any more.
    fn forget_unflushed(&mut self) {
        self.unflushed = self.unflushed.min(self.line.len() + self.pending.len());
    }

    /// How many requests to the pool are worth making now.
    fn wanted_threads(&self, out_of_order: bool) -> usize {
        if out_of_order {
            self.ready.len().min(pool::max_threads()).saturating_sub(self.offered)
        } else {
            let startable = |head: &Arc<Object<Event>>| head.is_ready() && head.is_submitted();
            let head_waits = self.line.front().is_some_and(startable);
            usize::from(head_waits && !self.running && self.offered == 0)
        }
    }
}

impl Object<Queue> {
    /// Enqueues a command: the only way into a queue.
    pub fn enqueue(
        self: &Arc<Self>,
        command_type: cl_command_type,
        wait_list: &[Arc<Object<Event>>],
        order: Order,
        work: Option<Work>,
    ) -> Arc<Object<Event>> {
        let event = Event::command(self, command_type, work);
        for dependency in wait_list {
            event.depend_on(dependency, true);
        }
        let mut state = self.state.lock();
        for queue in wait_list.iter().filter_map(|e| e.queue()) {
            if !Arc::ptr_eq(queue, self) {
                state.awaited.push(Arc::clone(queue));
            }
        }
        if self.out_of_order {
            state.join(&event, order);
        } else {
            state.line.push_back(Arc::clone(&event));
        }
        state.last = Some(Arc::clone(&event));
        state.unflushed += 1;
        let full = state.unflushed >= BATCH;
        if event.enqueued() && self.out_of_order {
            state.ready.push_back(Arc::clone(&event));
        }
        drop(state);
        if full {
            self.flush();
        }
        event
    }

    /// Enqueues a command and waits for it.
    pub fn enqueue_blocking(
        self: &Arc<Self>,
        command_type: cl_command_type,
        wait_list: &[Arc<Object<Event>>],
        work: Option<Work>,
    ) -> Result<Arc<Object<Event>>> {
        let event = self.enqueue(command_type, wait_list, Order::Free, work);
        match event.wait() {
            CL_COMPLETE => Ok(event),
            status => Err(Error::from_code(status).unwrap_or(Error::OutOfResources)),
        }
    }

    /// Hands every command enqueued so far to the device.
    pub fn flush(self: &Arc<Self>) {
        self.submit();
        self.offer();
    }

    /// Marks every command as flushed, and flushes the queues they wait for.
    fn submit(self: &Arc<Self>) {
        let mut state = self.state.lock();
        if state.unflushed == 0 && state.awaited.is_empty() {
            return;
        }
        let fresh: WaitList = if self.out_of_order {
            state.pending.values().cloned().collect()
        } else {
            let flushed = state.line.len() - state.unflushed.min(state.line.len());
            state.line.iter().skip(flushed).cloned().collect()
        };
        state.unflushed = 0;
        let awaited = std::mem::take(&mut state.awaited);
        drop(state);
        for event in fresh {
            event.submitted();
        }
        for queue in awaited {
            queue.flush();
        }
    }

    /// Asks the pool to run what is ready and flushed.
    fn offer(self: &Arc<Self>) {
        let mut state = self.state.lock();
        let wanted = state.wanted_threads(self.out_of_order);
        state.offered += wanted;
        drop(state);
        for _ in 0..wanted {
            pool::submit(Arc::clone(self));
        }
    }

    /// The pool's answer to an offer.
    pub(super) fn work(self: &Arc<Self>) {
        self.state.lock().offered -= 1;
        while let Some(command) = self.take_ready() {
            command.execute();
        }
    }

    /// A command's last dependency was met.
    pub(super) fn became_ready(self: &Arc<Self>, event: &Arc<Object<Event>>) {
        let mut state = self.state.lock();
        if self.out_of_order {
            state.ready.push_back(Arc::clone(event));
        }
        drop(state);
        // What runs here besides, though it was not flushed, runs early: no harm.
        if event.is_submitted() {
            self.offer();
        }
    }

    /// Runs ready commands on this thread until `event` has ended or nothing is ready. Implies a flush.
    pub(super) fn run_until(self: &Arc<Self>, event: &Object<Event>) {
        self.submit();
        while !event.is_done()
            && let Some(command) = self.take_ready()
        {
            command.execute();
        }
        // While this thread ran commands, others that flushed left theirs to it.
        self.offer();
    }

    /// Waits until every command enqueued so far has ended.
    pub fn finish(self: &Arc<Self>) {
        let state = self.state.lock();
        let waited_for: WaitList = if self.out_of_order {
            state.pending.values().cloned().collect()
        } else {
            state.last.iter().cloned().collect()
        };
        drop(state);
        for event in waited_for {
            event.wait();
        }
    }
}

impl State {
    /// Puts a command into an out-of-order queue.
    fn join(&mut self, event: &Arc<Object<Event>>, order: Order) {
        let after_all = matches!(order, Order::AfterAll | Order::Barrier { after_all: true });
        if after_all {
            for other in self.pending.values() {
                event.depend_on(other, false);
            }
        } else if let Some(barrier) = &self.barrier {
            event.depend_on(barrier, false);
        }
        if matches!(order, Order::Barrier { .. }) {
            self.barrier = Some(Arc::clone(event));
        }
        self.pending.insert(Arc::as_ptr(event).addr(), Arc::clone(event));
    }
}

#[cfg(test)]
mod tests {
    use std::sync::atomic::{AtomicUsize, Ordering};

    use super::*;
    use crate::runtime::event::wait_for_all;

    fn queue(flags: cl_command_queue_properties) -> Arc<Object<Queue>> {
        let device = Object::new(Device::root());
        let context = Context::create(&[Arc::clone(&device)], Vec::new(), None);
        Queue::create(&context, &device, flags, Vec::new()).unwrap()
    }

    const OUT_OF_ORDER: cl_command_queue_properties = CL_QUEUE_OUT_OF_ORDER_EXEC_MODE_ENABLE;

    /// A command that counts how often it ran.
    fn counting(counter: &Arc<AtomicUsize>) -> Work {
        let counter = Arc::clone(counter);
        Box::new(move || {
            counter.fetch_add(1, Ordering::Relaxed);
            Ok(())
        })
    }

    fn free(queue: &Arc<Object<Queue>>, waits: &[Arc<Object<Event>>], work: Work) -> Arc<Object<Event>> {
        queue.enqueue(CL_COMMAND_NATIVE_KERNEL, waits, Order::Free, Some(work))
    }

    #[test]
    fn the_waiting_thread_runs_the_commands() {
        for flags in [0, OUT_OF_ORDER] {
            let queue = queue(flags);
            let here = std::thread::current().id();
            let work = move || {
                assert_eq!(std::thread::current().id(), here);
                Ok(())
            };
            assert_eq!(free(&queue, &[], Box::new(work)).wait(), CL_COMPLETE);
            let event = free(&queue, &[], Box::new(work));
            queue.finish();
            assert_eq!(event.status(), CL_COMPLETE);
        }
    }

    #[test]
    fn a_panic_fails_its_command_only() {
        for flags in [0, OUT_OF_ORDER] {
            let queue = queue(flags);
            let bad = free(&queue, &[], Box::new(|| panic!("on purpose")));
            let dependent = free(&queue, &[Arc::clone(&bad)], Box::new(|| panic!("never runs")));
            let other = free(&queue, &[], Box::new(|| Ok(())));
            queue.flush();
            assert_eq!(other.wait(), CL_COMPLETE);
            assert_eq!(bad.wait(), CL_OUT_OF_HOST_MEMORY);
            assert_eq!(dependent.wait(), CL_EXEC_STATUS_ERROR_FOR_EVENTS_IN_WAIT_LIST);
            assert_eq!(wait_for_all(&[bad, other]), Err(Error::ExecStatusErrorForEventsInWaitList));
        }
    }

    #[test]
    fn commands_may_enqueue_commands() {
        for flags in [0, OUT_OF_ORDER] {
            let queue = queue(flags);
            let inner = Arc::clone(&queue);
            let ran = Arc::new(AtomicUsize::new(0));
            let count = counting(&ran);
            let outer = move || {
                free(&inner, &[], count);
                Ok(())
            };
            free(&queue, &[], Box::new(outer));
            queue.finish();
            queue.finish();
            assert_eq!(ran.load(Ordering::Relaxed), 1);
        }
    }

    #[test]
    fn nothing_is_left_behind() {
        for flags in [0, OUT_OF_ORDER] {
            let queue = queue(flags);
            let gate = Event::user(queue.context());
            let token = Arc::new(());
            for _ in 0..100 {
                let held = Arc::clone(&token);
                let work = move || {
                    drop(held);
                    Ok(())
                };
                free(&queue, &[Arc::clone(&gate)], Box::new(work));
            }
            let barrier = Order::Barrier { after_all: true };
            queue.enqueue(CL_COMMAND_BARRIER, &[], barrier, None);
            assert_eq!(Arc::strong_count(&token), 101);
            gate.set_user_status(CL_COMPLETE).unwrap();
            queue.finish();
            assert_eq!(Arc::strong_count(&token), 1);
            // The pool may still look for work; its look is short.
            let weak = Arc::downgrade(&queue);
            drop((queue, gate));
            while weak.strong_count() != 0 {
                std::thread::yield_now();
            }
        }
    }

    #[test]
    fn flushed_commands_run_without_anybody_waiting() {
        for flags in [0, OUT_OF_ORDER] {
            let queue = queue(flags);
            let ran = Arc::new(AtomicUsize::new(0));
            for _ in 0..10 {
                free(&queue, &[], counting(&ran));
            }
            queue.flush();
            while ran.load(Ordering::Relaxed) != 10 {
                std::thread::yield_now();
            }
        }
    }
}
