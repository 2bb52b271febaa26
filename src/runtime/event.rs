//! Events of commands, user events, and dependencies between them.
//!
//! An event is a node with a count of unmet dependencies. A node owns its dependents, never its dependencies, so
//! dropping the last event of a long chain does not recurse. Every change of an event's status is made by
//! [`Object::<Event>::change`]. Completion notifies, in this order, sleeping threads, the queue, the dependents,
//! and the application's callbacks; no lock is held during the callbacks.
//!
//! Lock order: context, queue, event. No two events are ever locked at the same time.

use std::ffi::c_void;
use std::sync::Arc;
use std::time::Instant;

use smallvec::SmallVec;

use super::command::CommandBody;
use super::context::Context;
use super::error::{Error, Result};
use super::object::{Object, ObjectBody, ParentRef};
use super::queue::Queue;
use super::queue_workers;
use crate::cl::*;
use grus_exec::Runner;
use grus_support::fork::Global;
use grus_support::sync::atomic::{AtomicBool, AtomicI32, AtomicU64, AtomicUsize, Ordering};
use grus_support::sync::{Condvar, Mutex};
use grus_support::trace;

/// Action of a command. It runs once, on one thread, without a lock; values that it owns keep memory objects alive.
pub type CommandTask = Box<dyn FnOnce() -> Result<()> + Send>;

/// Events that a command waits for. Most commands have few.
pub type WaitList = SmallVec<[Arc<Object<Event>>; 4]>;

/// Events at the interface of a command: those that it waits for, and its own. The default is none.
#[derive(Default)]
pub struct Events {
    /// Events that the command waits for.
    pub waits: WaitList,
    /// True if the caller needs the command's own event.
    pub is_wanted: bool,
}

/// Event callback, called with the handle of the event and a status.
pub type EventCallback = Box<dyn FnOnce(*mut c_void, cl_int) + Send>;

/// Body of a cl_event.
pub struct Event {
    origin: Origin,
    command_type: cl_command_type,
    /// Number of dependencies that are not complete, plus one until the command is enqueued.
    unmet: AtomicUsize,
    /// True if a dependency from the wait list ended abnormally.
    dependency_failed: AtomicBool,
    /// Status of the command. Only `change` writes it, under `state`. A command with CL_QUEUED may actually be
    /// submitted, see `is_flushed`.
    status: AtomicI32,
    /// Number among all commands of the queue, from 1; 0 for none.
    number: AtomicU64,
    state: Mutex<EventState>,
    done: Condvar,
    times: Option<Box<Times>>,
}

enum Origin {
    Command(ParentRef<Queue>),
    User(ParentRef<Context>),
}

#[derive(Default)]
struct EventState {
    body: Option<CommandBody>,
    dependents: SmallVec<[Dependent; 1]>,
    callbacks: Callbacks,
}

struct Dependent {
    event: Arc<Object<Event>>,
    /// True if the wait list names the event, so that the dependent fails when this event fails. Otherwise only the
    /// order in the queue depends on this event.
    named: bool,
}

/// Times in nanoseconds of CL_PROFILING_COMMAND_QUEUED, SUBMIT, START, COMPLETE, and of END, which is 0 if it
/// equals COMPLETE.
#[derive(Default)]
struct Times([AtomicU64; 5]);

/// Index of END.
const KERNEL_END: usize = 4;

static EPOCH: Global<Instant> = Global::fact();

/// Returns the time in nanoseconds of the clock for profiling, which is the host timer too. It is never 0.
pub fn now() -> u64 {
    u64::try_from(EPOCH.get(Instant::now).elapsed().as_nanos()).unwrap_or(u64::MAX).saturating_add(1)
}

impl ObjectBody for Event {
    const INVALID: Error = Error::InvalidEvent;

    fn destroyed(&mut self, _handle: *mut c_void) {
        // A user event is destroyed that can no longer be completed; its dependents must not wait for ever.
        let dependents = std::mem::take(&mut self.state.get_mut().dependents);
        for dependent in dependents {
            dependent.event.dependency_met(dependent.named);
        }
    }
}

impl Event {
    /// Creates the event of a command that is not enqueued yet.
    pub(super) fn command(
        queue: &Arc<Object<Queue>>,
        command_type: cl_command_type,
        body: CommandBody,
    ) -> Arc<Object<Self>> {
        let times = queue.is_profiled().then(|| {
            let times = Times::default();
            times.0[0].store(now(), Ordering::Relaxed);
            Box::new(times)
        });
        let origin = Origin::Command(ParentRef::new(queue));
        Object::new(Self::new(origin, command_type, CL_QUEUED, Some(body), times))
    }

    /// Creates a user event.
    pub fn user(context: &Arc<Object<Context>>) -> Arc<Object<Self>> {
        let origin = Origin::User(ParentRef::new(context));
        Object::new(Self::new(origin, CL_COMMAND_USER, CL_SUBMITTED, None, None))
    }

    fn new(
        origin: Origin,
        command_type: cl_command_type,
        status: cl_int,
        body: Option<CommandBody>,
        times: Option<Box<Times>>,
    ) -> Self {
        Self {
            origin,
            command_type,
            unmet: AtomicUsize::new(1),
            dependency_failed: AtomicBool::new(false),
            status: AtomicI32::new(status),
            number: AtomicU64::new(0),
            state: Mutex::new(EventState { body, ..EventState::default() }),
            done: Condvar::new(),
            times,
        }
    }

    /// Returns the queue of a command's event; none for a user event.
    pub fn queue(&self) -> Option<&Arc<Object<Queue>>> {
        match &self.origin {
            Origin::Command(queue) => Some(queue.object()),
            Origin::User(_) => None,
        }
    }

    /// Returns the event's context.
    pub fn context(&self) -> &Arc<Object<Context>> {
        match &self.origin {
            Origin::Command(queue) => queue.context(),
            Origin::User(context) => context.object(),
        }
    }

    /// Returns CL_EVENT_COMMAND_TYPE.
    pub fn command_type(&self) -> cl_command_type {
        self.command_type
    }

    /// Returns CL_QUEUED, CL_SUBMITTED, CL_RUNNING, CL_COMPLETE or a negative error code.
    pub fn status(&self) -> cl_int {
        let status = self.status.load(Ordering::Acquire);
        if status == CL_QUEUED && self.is_flushed() { CL_SUBMITTED } else { status }
    }

    /// Checks whether the queue was flushed after this command was enqueued. The queue notifies each command of a
    /// flush only if times or callbacks are needed.
    fn is_flushed(&self) -> bool {
        let number = self.number.load(Ordering::Relaxed);
        number != 0 && self.queue().is_some_and(|queue| queue.flushed() >= number)
    }

    /// Returns the command's number in its queue.
    pub(super) fn number(&self) -> u64 {
        self.number.load(Ordering::Relaxed)
    }

    /// Sets the command's number in its queue.
    pub(super) fn set_number(&self, number: u64) {
        self.number.store(number, Ordering::Relaxed);
    }

    /// Checks whether the command has ended, successfully or not.
    pub fn is_done(&self) -> bool {
        self.status.load(Ordering::Acquire) <= CL_COMPLETE
    }

    /// Returns the status for a query of the application. Flushes the queue, so that a program that polls makes
    /// progress.
    pub fn poll(&self) -> cl_int {
        if !self.is_done()
            && let Some(queue) = self.queue()
        {
            queue.flush();
        }
        self.status()
    }

    /// Returns the time at which the command reached a status (CL_QUEUED to CL_COMPLETE). Fails unless the queue is
    /// profiled and the command has completed.
    pub fn time_of(&self, status: cl_int) -> Result<u64> {
        let times = self.times.as_ref().ok_or(Error::ProfilingInfoNotAvailable)?;
        if self.status() != CL_COMPLETE {
            return Err(Error::ProfilingInfoNotAvailable);
        }
        let index = usize::try_from(CL_QUEUED - status).map_err(|_| Error::InvalidValue)?;
        let time = times.0.get(index).ok_or(Error::InvalidValue)?;
        Ok(time.load(Ordering::Relaxed))
    }

    /// Returns the time at which the command itself ended; kernels that it enqueued on the device may have run
    /// longer.
    pub fn end_time(&self) -> Result<u64> {
        let complete = self.time_of(CL_COMPLETE)?;
        let end = self.times.as_ref().map_or(0, |times| times.0[KERNEL_END].load(Ordering::Relaxed));
        Ok(if end == 0 { complete } else { end })
    }

    fn stamp_kernel_end(&self) {
        if let Some(times) = &self.times {
            times.0[KERNEL_END].store(now(), Ordering::Relaxed);
        }
    }

    /// Checks whether all dependencies of the command are met.
    pub(super) fn is_ready(&self) -> bool {
        self.unmet.load(Ordering::Acquire) == 0
    }

    /// Checks whether the command was submitted to the device.
    pub(super) fn is_submitted(&self) -> bool {
        self.status() < CL_QUEUED
    }

    fn stamp(&self, status: cl_int) {
        if let Some(times) = &self.times
            && let Ok(index) = usize::try_from(CL_QUEUED - status.max(CL_COMPLETE))
        {
            times.0[index].store(now(), Ordering::Relaxed);
        }
    }
}

impl Object<Event> {
    /// Makes this command wait for `dependency`. Must be called before the command is enqueued.
    pub(super) fn depend_on(self: &Arc<Self>, dependency: &Arc<Self>, named: bool) -> Result<()> {
        let mut state = dependency.state.lock();
        let status = dependency.status();
        if status > CL_COMPLETE {
            // Very many commands may wait for one event.
            state.dependents.try_reserve(1)?;
            self.unmet.fetch_add(1, Ordering::AcqRel);
            state.dependents.push(Dependent { event: Arc::clone(self), named });
        } else if named && status < CL_COMPLETE {
            self.dependency_failed.store(true, Ordering::Release);
        }
        Ok(())
    }

    /// Marks the command as enqueued. Returns whether it is ready.
    pub(super) fn enqueued(&self) -> bool {
        self.unmet.fetch_sub(1, Ordering::AcqRel) == 1
    }

    fn dependency_met(self: &Arc<Self>, failed: bool) {
        if failed {
            self.dependency_failed.store(true, Ordering::Release);
        }
        if self.unmet.fetch_sub(1, Ordering::AcqRel) == 1
            && let Some(queue) = self.queue()
        {
            queue.became_ready(self);
        }
    }

    /// Reports that the command was submitted to the device, for callbacks and times.
    pub(super) fn notify_submitted(self: &Arc<Self>) {
        let mut state = self.state.lock();
        let callbacks = self.change(&mut state, CL_SUBMITTED);
        drop(state);
        self.call(callbacks, CL_SUBMITTED);
    }

    /// Runs a ready command to its end. Returns the callbacks that remain to be called.
    pub(super) fn execute(self: &Arc<Self>, queue: &Object<Queue>, runner: &mut Runner) -> Completion {
        let dependency_failed = self.dependency_failed.load(Ordering::Acquire);
        let mut state = self.state.lock();
        let mut body = state.body.take();
        let mut callbacks = self.change(&mut state, CL_SUBMITTED);
        if !dependency_failed {
            callbacks.append(&mut self.change(&mut state, CL_RUNNING));
        }
        drop(state);
        if !callbacks.is_empty() {
            runner.release_caches();
            self.call(callbacks, CL_RUNNING);
        }
        let result = match &mut body {
            _ if dependency_failed => {
                trace::refused(
                    queue.recorded_number(),
                    self.number(),
                    Error::ExecStatusErrorForEventsInWaitList.code(),
                );
                Err(Error::ExecStatusErrorForEventsInWaitList)
            }
            Some(body) => body.run(queue, self.number(), runner, &mut || self.stamp_kernel_end()),
            None => Ok(()),
        };
        drop(body);
        // Objects that the command kept alive are released before its end is visible.
        self.end(result.map_or_else(Error::code, |()| CL_COMPLETE))
    }

    /// Sets a user event's status, which is possible once.
    pub fn set_user_status(self: &Arc<Self>, status: cl_int) -> Result<()> {
        // The count starts at one in `Event::new`; the caller that takes it wins.
        let first = self.unmet.compare_exchange(1, 0, Ordering::AcqRel, Ordering::Acquire);
        first.map_err(|_| Error::InvalidOperation)?;
        trace::user_event(self.handle().addr(), status);
        self.end(status).notify(self);
        // There may be no worker thread to run the commands that waited for this event.
        queue_workers::help();
        Ok(())
    }

    /// Checks whether this is a user event.
    pub fn is_user(&self) -> bool {
        matches!(self.origin, Origin::User(_))
    }

    /// Changes the status, and is the only function that does so. A status only decreases; a larger one arrives too
    /// late and is ignored. Returns the callbacks that are due.
    fn change(&self, state: &mut EventState, status: cl_int) -> Callbacks {
        if status >= self.status.load(Ordering::Relaxed) {
            return Callbacks::new();
        }
        self.stamp(status);
        self.status.store(status, Ordering::Release);
        due(&mut state.callbacks, status)
    }

    /// Makes the last change: wakes threads that wait for it, notifies the queue and the dependents.
    fn end(self: &Arc<Self>, status: cl_int) -> Completion {
        let mut state = self.state.lock();
        let callbacks = self.change(&mut state, status);
        let dependents = std::mem::take(&mut state.dependents);
        drop(state);
        self.done.notify_all();
        if let Some(queue) = self.queue() {
            queue.completed(self);
        }
        for dependent in dependents {
            dependent.event.dependency_met(dependent.named && status < CL_COMPLETE);
        }
        Completion { callbacks, status }
    }

    fn call(self: &Arc<Self>, callbacks: Callbacks, status: cl_int) {
        if callbacks.is_empty() {
            return;
        }
        // The handle must be valid in the callback even if the application has released it.
        let _alive = ParentRef::new(self);
        for (wanted, callback) in callbacks {
            callback(self.handle(), if status < CL_COMPLETE { status } else { wanted });
        }
    }

    /// Calls `callback` when the status reaches or passes `wanted`; at once if it already has.
    pub fn on_status(self: &Arc<Self>, wanted: cl_int, callback: EventCallback) {
        if let Some(queue) = self.queue() {
            queue.notify_of_flushes();
        }
        let mut state = self.state.lock();
        let status = self.status();
        if status > wanted {
            state.callbacks.push((wanted, callback));
            drop(state);
            // An application that registers a callback does not wait, so the command must run without it.
            if let Some(queue) = self.queue() {
                queue.flush();
            }
            return;
        }
        drop(state);
        self.call(vec![(wanted, callback)], status);
    }

    /// Waits until the command has ended and returns its final status. The waiting thread itself runs ready
    /// commands of the command's queue.
    pub fn wait(self: &Arc<Self>) -> cl_int {
        if let Some(queue) = self.queue()
            && !self.is_done()
        {
            queue.run_until(self);
        }
        queue_workers::help();
        let mut state = self.state.lock();
        while !self.is_done() {
            state = self.done.wait(state);
        }
        self.status()
    }
}

/// Callbacks, with the status that each of them waits for.
type Callbacks = Vec<(cl_int, EventCallback)>;

/// End of a command, with the callbacks that remain to be called.
#[must_use = "there may be callbacks"]
pub(super) struct Completion {
    callbacks: Callbacks,
    status: cl_int,
}

impl Completion {
    /// Checks whether there are callbacks.
    pub fn has_callbacks(&self) -> bool {
        !self.callbacks.is_empty()
    }

    /// Calls the callbacks.
    pub fn notify(self, event: &Arc<Object<Event>>) {
        event.call(self.callbacks, self.status);
    }
}

/// Removes and returns the callbacks that are due at `status`, in the order of their registration.
fn due(callbacks: &mut Callbacks, status: cl_int) -> Callbacks {
    if callbacks.is_empty() {
        return Vec::new();
    }
    let mut due: Vec<_> = callbacks.extract_if(.., |(wanted, _)| status <= *wanted).collect();
    // If several are due at once, those for earlier statuses are called first.
    due.sort_by_key(|(wanted, _)| -wanted);
    due
}

/// Waits for all of `events`. Returns an error if one of them ended abnormally.
pub fn wait_for_all(events: &[Arc<Object<Event>>]) -> Result<()> {
    let context = events.first().ok_or(Error::InvalidValue)?.context();
    if events.iter().any(|e| !Arc::ptr_eq(e.context(), context)) {
        return Err(Error::InvalidContext);
    }
    // All queues must be flushed before this thread sleeps for the first event.
    for queue in events.iter().skip(1).filter_map(|e| e.queue()) {
        queue.flush();
    }
    let mut result = Ok(());
    for event in events {
        if event.wait() < CL_COMPLETE {
            result = Err(Error::ExecStatusErrorForEventsInWaitList);
        }
    }
    result
}
