//! Command queues: in which order commands become ready, and who runs them.
//!
//! An in-order queue is a line; only its head can run, and only one command at a time (module `turn`). An out-of-order
//! queue is a set; what has no unmet dependency goes to a list of ready commands. A thread that waits (finish, wait, a
//! blocking call) takes ready commands from the queue and runs them itself: a small kernel never wakes another thread.
//! Commands that were flushed are also offered to the pool's threads, so a program that flushes and polls makes progress.

mod turn;

use std::cell::Cell;
use std::collections::VecDeque;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::thread::LocalKey;
use std::time::Duration;

use smallvec::SmallVec;

use super::command::{Code, Command};
use super::context::Context;
use super::device::Device;
use super::error::{Error, Result};
use super::event::{Event, WaitList, Work};
use super::object::{Body, Object, Parent, Recent};
use super::pool;
use crate::cl::*;
use crate::exec::{self, Runner};
use crate::support::FastMap;
use crate::support::sync::{Condvar, Mutex, MutexGuard};

use turn::{Ended, Turn};

/// So many commands are enqueued before the queue flushes itself, so that they run while more are enqueued.
const BATCH: usize = 256;

/// A thread that enqueues while so many commands wait that could run makes room for those that run them ...
const CROWD: usize = 4096;

/// ... for at most this time: commands may wait for what this thread is about to do.
const PATIENCE: Duration = Duration::from_millis(10);

/// What cl_command_queue points to.
pub struct Queue {
    context: Parent<Context>,
    device: Parent<Device>,
    out_of_order: bool,
    profiled: bool,
    /// If it is one on the device: the host enqueues nothing there.
    on_device: Option<OnDevice>,
    /// The list the queue was made with, with the 0 at the end; empty if there was none.
    properties: Vec<cl_queue_properties>,
    state: Mutex<State>,
    /// Commands that have been flushed, written under `state`.
    submitted: AtomicU64,
    /// Whether somebody wants to know when a command is submitted.
    listened: AtomicBool,
    /// Fewer commands wait.
    room: Condvar,
    ended: Ended,
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
    static RECENT: Recent<Queue> = const { Recent::new() };
}

/// See [`super::first_call`].
pub(super) fn note_thread() {
    let _ = RECENT.try_with(|_| ());
}

impl Body for Queue {
    const INVALID: Error = Error::InvalidCommandQueue;

    fn recent() -> Option<&'static LocalKey<Recent<Self>>> {
        Some(&RECENT)
    }
}

#[derive(Default)]
struct State {
    /// In order: every command that nobody has taken, first come first.
    line: VecDeque<Command>,
    /// In order: the queue, while silent commands wait. Those with an event keep it alive themselves.
    itself: Option<Arc<Object<Queue>>>,
    /// In order: whether a thread has taken commands, its turn.
    running: bool,
    /// Out of order: commands that may run.
    ready: VecDeque<Arc<Object<Event>>>,
    /// Out of order: commands that have not ended, by address.
    pending: FastMap<usize, Arc<Object<Event>>>,
    /// Out of order: the last barrier, while it has not ended.
    barrier: Option<Arc<Object<Event>>>,
    /// Commands that were ever enqueued.
    enqueued: u64,
    /// Threads that wait for room.
    crowd: usize,
    /// Queues that commands here wait for and that must be flushed when this one is.
    awaited: Vec<Arc<Object<Queue>>>,
    /// Requests to the pool that have not been answered.
    offered: usize,
    /// In order: whether the commands of the last long turn were short.
    short: bool,
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
        let queue = Object::new(Self {
            context: Parent::new(context),
            device: Parent::new(device),
            out_of_order: flags & CL_QUEUE_OUT_OF_ORDER_EXEC_MODE_ENABLE != 0,
            profiled: flags & CL_QUEUE_PROFILING_ENABLE != 0,
            on_device: device_queue.then_some(OnDevice { size, is_default }),
            properties,
            state: Mutex::default(),
            submitted: AtomicU64::new(0),
            listened: AtomicBool::new(false),
            room: Condvar::new(),
            ended: Ended::new(),
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
        if self.out_of_order {
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

    /// How many commands have been flushed.
    pub(super) fn submitted(&self) -> u64 {
        self.submitted.load(Ordering::Acquire)
    }

    /// From now on, each command is told when it is flushed.
    pub(super) fn somebody_listens(&self) {
        self.listened.store(true, Ordering::Release);
    }

    /// Out of order: a ready command.
    fn take_ready(&self) -> Option<Arc<Object<Event>>> {
        self.state.lock().ready.pop_front()
    }

    /// Bookkeeping when a command has ended. In order, who has the turn does it.
    pub(super) fn completed(&self, event: &Arc<Object<Event>>) {
        if !self.out_of_order {
            return;
        }
        let mut state = self.state.lock();
        let is_this = |other: &Option<Arc<Object<Event>>>| {
            other.as_ref().is_some_and(|other| Arc::ptr_eq(other, event))
        };
        let mut ended = SmallVec::<[_; 2]>::new();
        ended.extend(state.pending.remove(&Arc::as_ptr(event).addr()));
        if is_this(&state.barrier) {
            ended.extend(state.barrier.take());
        }
        if state.crowd > 0 && state.pending.len() < CROWD / 2 {
            self.room.notify_all();
        }
        // Never the last reference (the caller has one), but dropped without the lock all the same.
        drop(state);
        drop(ended);
    }
}

thread_local! {
    /// Whether this thread runs commands: it must not wait for itself.
    static RUNS: Cell<bool> = const { Cell::new(false) };
}

impl State {
    /// Commands that have not been flushed, those left out that a waiting thread has run. `submitted` is the queue's.
    fn unflushed(&self, submitted: u64) -> usize {
        let since = usize::try_from(self.enqueued - submitted).unwrap_or(usize::MAX);
        since.min(self.line.len() + self.pending.len())
    }

    /// How many requests to the pool are worth making now. `submitted` is the queue's.
    fn wanted_threads(&self, out_of_order: bool, submitted: u64) -> usize {
        if out_of_order {
            self.ready.len().min(pool::max_threads()).saturating_sub(self.offered)
        } else {
            // While nobody has a turn, the last commands of all are in the line.
            let is_submitted = || self.enqueued - (self.line.len() as u64) < submitted;
            let head_waits = || self.line.front().is_some_and(Command::is_ready) && is_submitted();
            usize::from(!self.running && self.offered == 0 && head_waits())
        }
    }
}

impl Object<Queue> {
    /// Enqueues a command.
    pub fn enqueue(
        self: &Arc<Self>,
        command_type: cl_command_type,
        wait_list: &[Arc<Object<Event>>],
        order: Order,
        work: Option<Work>,
    ) -> Result<Arc<Object<Event>>> {
        self.enqueue_told(command_type, wait_list, order, work.into())
    }

    /// Enqueues a command that is in no special order; without an event, if none is wanted or needed.
    pub(super) fn enqueue_code(
        self: &Arc<Self>,
        command_type: cl_command_type,
        wait_list: &[Arc<Object<Event>>],
        code: Code,
        wanted: bool,
    ) -> Result<Option<Arc<Object<Event>>>> {
        if wanted || self.out_of_order || !wait_list.is_empty() {
            return self.enqueue_told(command_type, wait_list, Order::Free, code).map(Some);
        }
        let mut state = self.state.lock();
        state.line.try_reserve(1 + turn::TURN)?;
        if state.itself.is_none() {
            state.itself = Some(Arc::clone(self));
        }
        state.line.push_back(Command::Silent(code));
        state.enqueued += 1;
        self.after_enqueue(state);
        Ok(None)
    }

    fn enqueue_told(
        self: &Arc<Self>,
        command_type: cl_command_type,
        wait_list: &[Arc<Object<Event>>],
        order: Order,
        code: Code,
    ) -> Result<Arc<Object<Event>>> {
        // An event that an error leaves behind is never ready, and goes with those that it waits for.
        let event = Event::command(self, command_type, code);
        for dependency in wait_list {
            event.depend_on(dependency, true)?;
        }
        let mut state = self.state.lock();
        state.reserve(wait_list.len())?;
        for queue in wait_list.iter().filter_map(|e| e.queue()) {
            if !Arc::ptr_eq(queue, self) {
                state.awaited.push(Arc::clone(queue));
            }
        }
        if self.out_of_order {
            state.join(&event, order)?;
        } else {
            state.line.push_back(Command::Told(Arc::clone(&event)));
        }
        state.enqueued += 1;
        event.set_number(state.enqueued);
        if event.enqueued() && self.out_of_order {
            state.ready.push_back(Arc::clone(&event));
        }
        self.after_enqueue(state);
        Ok(event)
    }

    /// Sees to it that not too many commands wait.
    fn after_enqueue(self: &Arc<Self>, state: MutexGuard<'_, State>) {
        let full = state.unflushed(self.submitted()) >= if state.short { CROWD } else { BATCH };
        let crowded = state.line.len().max(state.pending.len()) >= CROWD;
        drop(state);
        if full {
            self.hand_over();
        }
        if crowded {
            self.make_room();
        }
    }

    /// Lets those who run commands catch up with this thread, so that commands that wait do not take memory without
    /// bound. Commands that nobody can run yet are another matter.
    #[cold]
    fn make_room(self: &Arc<Self>) {
        if RUNS.get() {
            return;
        }
        self.flush();
        let mut state = self.state.lock();
        let can_run = state.running || state.offered > 0;
        if can_run && state.line.len().max(state.ready.len()) >= CROWD {
            state.crowd += 1;
            state = self.room.wait_timeout(state, PATIENCE);
            state.crowd -= 1;
        }
        drop(state);
    }

    /// Enqueues a command and waits for it.
    pub fn enqueue_blocking(
        self: &Arc<Self>,
        command_type: cl_command_type,
        wait_list: &[Arc<Object<Event>>],
        work: Option<Work>,
    ) -> Result<Arc<Object<Event>>> {
        let event = self.enqueue(command_type, wait_list, Order::Free, work)?;
        match event.wait() {
            CL_COMPLETE => Ok(event),
            status => Err(Error::from_code(status).unwrap_or(Error::OutOfResources)),
        }
    }

    /// clFlush: hands every command enqueued so far to the device; where there are no threads that could run them, this one
    /// does.
    pub fn flush(self: &Arc<Self>) {
        self.hand_over();
        pool::help();
    }

    /// Hands every command enqueued so far to the device.
    fn hand_over(self: &Arc<Self>) {
        self.submit();
        self.offer();
    }

    /// Marks every command as flushed, and flushes the queues they wait for.
    fn submit(self: &Arc<Self>) {
        let mut state = self.state.lock();
        let submitted = self.mark_submitted(&mut state);
        drop(state);
        submitted.tell();
    }

    /// Marks every command as flushed. Whoever must hear of it is told without the lock.
    fn mark_submitted(&self, state: &mut State) -> Submitted {
        let submitted = self.submitted();
        if submitted == state.enqueued && state.awaited.is_empty() {
            return Submitted::default();
        }
        let listened = self.profiled || self.listened.load(Ordering::Acquire);
        let fresh: WaitList = if !listened {
            WaitList::new()
        } else if self.out_of_order {
            state.pending.values().cloned().collect()
        } else {
            let flushed = state.line.len() - state.unflushed(submitted).min(state.line.len());
            state.line.iter().skip(flushed).filter_map(Command::event).cloned().collect()
        };
        self.submitted.store(state.enqueued, Ordering::Release);
        Submitted { fresh, awaited: std::mem::take(&mut state.awaited) }
    }

    /// Asks the pool to run what is ready and flushed.
    fn offer(self: &Arc<Self>) {
        let mut state = self.state.lock();
        let wanted = state.wanted_threads(self.out_of_order, self.submitted());
        state.offered += wanted;
        drop(state);
        for _ in 0..wanted {
            pool::submit(Arc::clone(self));
        }
    }

    /// The pool's answer to an offer.
    pub(super) fn work(self: &Arc<Self>) {
        self.state.lock().offered -= 1;
        self.run(|| false);
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

    /// Runs ready commands on this thread until there is none or `over` says so. Returns whether something may be left
    /// that can run.
    fn run(&self, over: impl Fn() -> bool) -> bool {
        if !self.out_of_order {
            return self.run_line(&mut Turn::default(), &over);
        }
        let before = RUNS.replace(true);
        let mut runner = Runner::default();
        while !over()
            && let Some(command) = self.take_ready()
        {
            let ended = command.execute(self, &mut runner);
            if ended.is_awaited() {
                runner.rest();
                ended.tell(&command);
            }
        }
        RUNS.set(before);
        true
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
        let state = self.state.lock();
        if self.out_of_order {
            let waited_for: WaitList = state.pending.values().cloned().collect();
            drop(state);
            for event in waited_for {
                event.wait();
            }
            return;
        }
        self.finish_line(state);
        // What has waited in other queues for what was run here.
        pool::help();
    }

    /// Waits until every command that is in the line now has ended.
    fn finish_line(self: &Arc<Self>, mut state: MutexGuard<'_, State>) {
        let last = state.enqueued;
        if self.ended.reaches(last) {
            return;
        }
        let submitted = self.mark_submitted(&mut state);
        let mut turn = Turn::default();
        // Who is told may want to have commands run.
        if submitted.is_empty() {
            self.take_turn(&mut state, &mut turn);
        }
        drop(state);
        submitted.tell();
        if self.run_line(&mut turn, &|| self.ended.reaches(last)) {
            self.offer();
        }
        pool::help();
        if !self.ended.reaches(last) {
            self.ended.sleep_until(last, &self.state);
        }
    }
}

/// Whom a flush concerns.
#[derive(Default)]
struct Submitted {
    /// Commands that are told.
    fresh: WaitList,
    /// Queues that are flushed, too.
    awaited: Vec<Arc<Object<Queue>>>,
}

impl Submitted {
    fn is_empty(&self) -> bool {
        self.fresh.is_empty() && self.awaited.is_empty()
    }

    fn tell(self) {
        for event in self.fresh {
            event.tell_submitted();
        }
        for queue in self.awaited {
            queue.hand_over();
        }
    }
}

impl State {
    /// Room for one more command that waits for so many events, and for what a turn puts back: an application may let very
    /// many wait.
    fn reserve(&mut self, waits: usize) -> Result<()> {
        self.line.try_reserve(1 + turn::TURN)?;
        self.awaited.try_reserve(waits)?;
        self.pending.try_reserve(1)?;
        // All that are pending may be ready at once, and nobody can be told that there is no room then.
        self.ready.try_reserve(self.pending.len() + 1)?;
        Ok(())
    }

    /// Puts a command into an out-of-order queue.
    fn join(&mut self, event: &Arc<Object<Event>>, order: Order) -> Result<()> {
        let after_all = matches!(order, Order::AfterAll | Order::Barrier { after_all: true });
        if after_all {
            for other in self.pending.values() {
                event.depend_on(other, false)?;
            }
        } else if let Some(barrier) = &self.barrier {
            event.depend_on(barrier, false)?;
        }
        if matches!(order, Order::Barrier { .. }) {
            self.barrier = Some(Arc::clone(event));
        }
        self.pending.insert(Arc::as_ptr(event).addr(), Arc::clone(event));
        Ok(())
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
        Queue::create(&context, &device, flags, None, Vec::new()).unwrap()
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
        queue.enqueue(CL_COMMAND_NATIVE_KERNEL, waits, Order::Free, Some(work)).unwrap()
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
            queue.enqueue(CL_COMMAND_BARRIER, &[], barrier, None).unwrap();
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
    fn what_a_waiting_thread_puts_back_can_still_be_flushed() {
        for flags in [0, OUT_OF_ORDER] {
            let queue = queue(flags);
            let gate = Event::user(queue.context());
            let ran = Arc::new(AtomicUsize::new(0));
            let first = free(&queue, &[], counting(&ran));
            // As in `wait`, but another thread enqueues after the flush: this one takes both and can run one.
            queue.submit();
            free(&queue, &[Arc::clone(&gate)], counting(&ran));
            queue.run(|| first.is_done());
            assert_eq!(ran.load(Ordering::Relaxed), 1);
            queue.flush();
            gate.set_user_status(CL_COMPLETE).unwrap();
            while ran.load(Ordering::Relaxed) != 2 {
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
