//! Events: commands and user events, and what waits for them.
//!
//! An event is a node with a count of unmet dependencies; its dependents hang off the nodes they wait for, never the
//! other way round, so a chain of events that is let go has no long tail to drop. Every change of an event's status goes
//! through [`Object::<Event>::change`]; completion notifies, in this order, threads that sleep, the queue, the dependents, and the
//! application's callbacks, the latter without any lock held.
//!
//! Lock order: context, queue, event. No two events are ever locked at once.

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
use crate::exec::Runner;
use crate::support::fork::Global;
use crate::support::sync::atomic::{AtomicBool, AtomicI32, AtomicU64, AtomicUsize, Ordering};
use crate::support::sync::{Condvar, Mutex};
use crate::support::trace;

/// What a command does. It runs on one thread, once, under no lock; what it owns keeps memory objects alive.
pub type CommandTask = Box<dyn FnOnce() -> Result<()> + Send>;

/// The events a command waits for. Most commands have few.
pub type WaitList = SmallVec<[Arc<Object<Event>>; 4]>;

/// What a command has to do with events; nothing by default.
#[derive(Default)]
pub struct Events {
    /// Those that it waits for.
    pub waits: WaitList,
    /// Whether somebody wants its own.
    pub is_wanted: bool,
}

/// An event callback, called with the handle of the event and a status.
pub type EventCallback = Box<dyn FnOnce(*mut c_void, cl_int) + Send>;

/// What cl_event points to.
pub struct Event {
    origin: Origin,
    command_type: cl_command_type,
    /// Dependencies that are not complete, and one more until the command is enqueued.
    unmet: AtomicUsize,
    /// Whether a dependency that the application named ended abnormally.
    doomed: AtomicBool,
    /// Written only by `change`, under `state`. CL_QUEUED may be CL_SUBMITTED in truth, see `is_submitted`.
    status: AtomicI32,
    /// Its place among all commands of its queue, from 1; 0 for none.
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
    code: Option<CommandBody>,
    dependents: SmallVec<[Dependent; 1]>,
    callbacks: Callbacks,
}

struct Dependent {
    event: Arc<Object<Event>>,
    /// Named in a wait list: it fails when this event fails. Otherwise only its turn depends on this event.
    named: bool,
}

/// Nanoseconds of CL_PROFILING_COMMAND_QUEUED, SUBMIT, START, COMPLETE, and of END if that is not COMPLETE, else 0.
#[derive(Default)]
struct Times([AtomicU64; 5]);

/// The place of END.
const KERNEL_END: usize = 4;

static EPOCH: Global<Instant> = Global::fact();

/// The clock of profiling, which is that of the host too: nanoseconds, never 0.
pub fn now() -> u64 {
    u64::try_from(EPOCH.get(Instant::now).elapsed().as_nanos()).unwrap_or(u64::MAX).saturating_add(1)
}

impl ObjectBody for Event {
    const INVALID: Error = Error::InvalidEvent;

    fn destroyed(&mut self, _handle: *mut c_void) {
        // A user event nobody can complete any more: what waits for it must not wait for ever.
        let dependents = std::mem::take(&mut self.state.get_mut().dependents);
        for dependent in dependents {
            dependent.event.dependency_met(dependent.named);
        }
    }
}

impl Event {
    /// A command's event, not enqueued yet.
    pub(super) fn command(
        queue: &Arc<Object<Queue>>,
        command_type: cl_command_type,
        code: CommandBody,
    ) -> Arc<Object<Self>> {
        let times = queue.is_profiled().then(|| {
            let times = Times::default();
            times.0[0].store(now(), Ordering::Relaxed);
            Box::new(times)
        });
        let origin = Origin::Command(ParentRef::new(queue));
        Object::new(Self::new(origin, command_type, CL_QUEUED, Some(code), times))
    }

    /// An event that the application completes.
    pub fn user(context: &Arc<Object<Context>>) -> Arc<Object<Self>> {
        let origin = Origin::User(ParentRef::new(context));
        Object::new(Self::new(origin, CL_COMMAND_USER, CL_SUBMITTED, None, None))
    }

    fn new(
        origin: Origin,
        command_type: cl_command_type,
        status: cl_int,
        code: Option<CommandBody>,
        times: Option<Box<Times>>,
    ) -> Self {
        Self {
            origin,
            command_type,
            unmet: AtomicUsize::new(1),
            doomed: AtomicBool::new(false),
            status: AtomicI32::new(status),
            number: AtomicU64::new(0),
            state: Mutex::new(EventState { code, ..EventState::default() }),
            done: Condvar::new(),
            times,
        }
    }

    /// The queue of a command's event.
    pub fn queue(&self) -> Option<&Arc<Object<Queue>>> {
        match &self.origin {
            Origin::Command(queue) => Some(queue.object()),
            Origin::User(_) => None,
        }
    }

    /// The context.
    pub fn context(&self) -> &Arc<Object<Context>> {
        match &self.origin {
            Origin::Command(queue) => queue.context(),
            Origin::User(context) => context.object(),
        }
    }

    /// CL_EVENT_COMMAND_TYPE.
    pub fn command_type(&self) -> cl_command_type {
        self.command_type
    }

    /// CL_QUEUED, CL_SUBMITTED, CL_RUNNING, CL_COMPLETE or a negative error.
    pub fn status(&self) -> cl_int {
        let status = self.status.load(Ordering::Acquire);
        if status == CL_QUEUED && self.is_flushed() { CL_SUBMITTED } else { status }
    }

    /// Whether the queue was flushed since this was enqueued. It does not tell each command so, unless somebody wants
    /// to know the time or to be called.
    fn is_flushed(&self) -> bool {
        let number = self.number.load(Ordering::Relaxed);
        number != 0 && self.queue().is_some_and(|queue| queue.submitted() >= number)
    }

    /// Its place in its queue.
    pub(super) fn number(&self) -> u64 {
        self.number.load(Ordering::Relaxed)
    }

    /// Gives it its place in its queue.
    pub(super) fn set_number(&self, number: u64) {
        self.number.store(number, Ordering::Relaxed);
    }

    /// Whether the command has ended, well or not.
    pub fn is_done(&self) -> bool {
        self.status.load(Ordering::Acquire) <= CL_COMPLETE
    }

    /// The status for the application. Asking is a reason to make progress.
    pub fn poll(&self) -> cl_int {
        if !self.is_done()
            && let Some(queue) = self.queue()
        {
            queue.flush();
        }
        self.status()
    }

    /// The time the command reached a status (CL_QUEUED to CL_COMPLETE), if the queue is profiled and the command
    /// has completed.
    pub fn time_of(&self, status: cl_int) -> Result<u64> {
        let times = self.times.as_ref().ok_or(Error::ProfilingInfoNotAvailable)?;
        if self.status() != CL_COMPLETE {
            return Err(Error::ProfilingInfoNotAvailable);
        }
        let index = usize::try_from(CL_QUEUED - status).map_err(|_| Error::InvalidValue)?;
        let time = times.0.get(index).ok_or(Error::InvalidValue)?;
        Ok(time.load(Ordering::Relaxed))
    }

    /// The time the command itself had ended: what it enqueued on the device may have gone on.
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

    /// Whether the command may run as far as its dependencies go.
    pub(super) fn is_ready(&self) -> bool {
        self.unmet.load(Ordering::Acquire) == 0
    }

    /// Whether the command was handed to the device.
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
    /// Makes this command wait for `dependency`. Only before it is enqueued.
    pub(super) fn depend_on(self: &Arc<Self>, dependency: &Arc<Self>, named: bool) -> Result<()> {
        let mut state = dependency.state.lock();
        let status = dependency.status();
        if status > CL_COMPLETE {
            // Very many may wait for one.
            state.dependents.try_reserve(1)?;
            self.unmet.fetch_add(1, Ordering::AcqRel);
            state.dependents.push(Dependent { event: Arc::clone(self), named });
        } else if named && status < CL_COMPLETE {
            self.doomed.store(true, Ordering::Release);
        }
        Ok(())
    }

    /// The command has been enqueued; returns whether nothing else holds it back.
    pub(super) fn enqueued(&self) -> bool {
        self.unmet.fetch_sub(1, Ordering::AcqRel) == 1
    }

    fn dependency_met(self: &Arc<Self>, failed: bool) {
        if failed {
            self.doomed.store(true, Ordering::Release);
        }
        if self.unmet.fetch_sub(1, Ordering::AcqRel) == 1
            && let Some(queue) = self.queue()
        {
            queue.became_ready(self);
        }
    }

    /// The command was handed to the device: for callbacks and times.
    pub(super) fn notify_submitted(self: &Arc<Self>) {
        let mut state = self.state.lock();
        let callbacks = self.change(&mut state, CL_SUBMITTED);
        drop(state);
        self.call(callbacks, CL_SUBMITTED);
    }

    /// Runs a ready command to its end. What is left to do for the application comes back.
    pub(super) fn execute(self: &Arc<Self>, queue: &Object<Queue>, runner: &mut Runner) -> Completion {
        let doomed = self.doomed.load(Ordering::Acquire);
        let mut state = self.state.lock();
        let mut code = state.code.take();
        let mut callbacks = self.change(&mut state, CL_SUBMITTED);
        if !doomed {
            callbacks.append(&mut self.change(&mut state, CL_RUNNING));
        }
        drop(state);
        if !callbacks.is_empty() {
            runner.release_caches();
            self.call(callbacks, CL_RUNNING);
        }
        let result = match &mut code {
            _ if doomed => {
                trace::refused(
                    queue.recorded_number(),
                    self.number(),
                    Error::ExecStatusErrorForEventsInWaitList.code(),
                );
                Err(Error::ExecStatusErrorForEventsInWaitList)
            }
            Some(code) => code.run(queue, self.number(), runner, &mut || self.stamp_kernel_end()),
            None => Ok(()),
        };
        drop(code);
        // What the command kept alive is let go before anybody hears of its end.
        self.end(result.map_or_else(Error::code, |()| CL_COMPLETE))
    }

    /// Sets a user event's status, once.
    pub fn set_user_status(self: &Arc<Self>, status: cl_int) -> Result<()> {
        // Taking the one count that `Event::new` gave decides which of several callers it is.
        let first = self.unmet.compare_exchange(1, 0, Ordering::AcqRel, Ordering::Acquire);
        first.map_err(|_| Error::InvalidOperation)?;
        trace::user_event(self.handle().addr(), status);
        self.end(status).notify(self);
        // What has waited for this may have nobody else to run it.
        queue_workers::help();
        Ok(())
    }

    /// Whether this is a user event.
    pub fn is_user(&self) -> bool {
        matches!(self.origin, Origin::User(_))
    }

    /// The one place where a status changes. It only ever falls: one that is higher than what is there comes too late. Returns
    /// the callbacks that are due.
    fn change(&self, state: &mut EventState, status: cl_int) -> Callbacks {
        if status >= self.status.load(Ordering::Relaxed) {
            return Callbacks::new();
        }
        self.stamp(status);
        self.status.store(status, Ordering::Release);
        due(&mut state.callbacks, status)
    }

    /// The last change: wakes threads that wait for it, notifies the queue and the dependents.
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
        // The handle is valid in the callback even if the application has released it.
        let _alive = ParentRef::new(self);
        for (wanted, callback) in callbacks {
            callback(self.handle(), if status < CL_COMPLETE { status } else { wanted });
        }
    }

    /// Calls `callback` when the status is `wanted` or past it; at once if it is already.
    pub fn on_status(self: &Arc<Self>, wanted: cl_int, callback: EventCallback) {
        if let Some(queue) = self.queue() {
            queue.notify_of_flushes();
        }
        let mut state = self.state.lock();
        let status = self.status();
        if status > wanted {
            state.callbacks.push((wanted, callback));
            drop(state);
            // An application that wants to be called is not going to wait: the command must run by itself.
            if let Some(queue) = self.queue() {
                queue.flush();
            }
            return;
        }
        drop(state);
        self.call(vec![(wanted, callback)], status);
    }

    /// Waits until the command has ended and returns its last status. The waiting thread runs what is ready in the
    /// command's queue itself.
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

/// Callbacks, and the status that each is for.
type Callbacks = Vec<(cl_int, EventCallback)>;

/// A command that has ended, and the callbacks that are to be called.
#[must_use = "there may be callbacks"]
pub(super) struct Completion {
    callbacks: Callbacks,
    status: cl_int,
}

impl Completion {
    /// Whether there are any.
    pub fn has_callbacks(&self) -> bool {
        !self.callbacks.is_empty()
    }

    /// Calls them.
    pub fn notify(self, event: &Arc<Object<Event>>) {
        event.call(self.callbacks, self.status);
    }
}

/// Takes the callbacks that `status` calls for, in the order of their registration.
fn due(callbacks: &mut Callbacks, status: cl_int) -> Callbacks {
    if callbacks.is_empty() {
        return Vec::new();
    }
    let mut due: Vec<_> = callbacks.extract_if(.., |(wanted, _)| status <= *wanted).collect();
    // Several at once: what was to come earlier comes earlier.
    due.sort_by_key(|(wanted, _)| -wanted);
    due
}

/// Waits for all of `events`; an error if one of them ended abnormally.
pub fn wait_for_all(events: &[Arc<Object<Event>>]) -> Result<()> {
    let context = events.first().ok_or(Error::InvalidValue)?.context();
    if events.iter().any(|e| !Arc::ptr_eq(e.context(), context)) {
        return Err(Error::InvalidContext);
    }
    // Everything must be under way before this thread sleeps for the first of them.
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
