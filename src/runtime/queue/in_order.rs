//! In-order queues: a FIFO, of which only the head can run, and only one command at a time.
//!
//! A thread that runs the queue takes a few commands from the head at once, a batch, so that threads that enqueue and
//! threads that run rarely meet at the lock. Only the thread that has the batch runs commands, and counts those that have
//! ended (`ended`).

use std::collections::VecDeque;
use std::sync::Arc;
use std::time::{Duration, Instant};

use smallvec::SmallVec;

use super::super::queue_workers;
use super::completion::Ended;
use super::{AUTO_FLUSH, HIGH_WATER, Queue, QueueCounters, QueueOrder, QueueState, with_runner};
use crate::cl::cl_command_type;
use crate::exec::Runner;
use crate::runtime::command::{Command, CommandBody};
use crate::runtime::error::{Error, Result};
use crate::runtime::event::{Event, WaitList};
use crate::runtime::object::Object;
use crate::support::sync::atomic::Ordering;
use crate::support::sync::{Condvar, Mutex, MutexGuard};
use crate::support::{bug, trace};

/// Commands that are shorter run faster on the thread that enqueued them than on another one, and are left to the thread that
/// waits for them.
const SHORT: Duration = Duration::from_micros(4);

/// Commands that a thread takes at once.
const BATCH: usize = 16;

/// Commands that a thread has taken from the head of a queue.
#[derive(Default)]
struct Batch {
    /// Those that have run have become nothing.
    commands: SmallVec<[Command; BATCH]>,
    /// The first that has not run.
    next: usize,
    /// When it began, if that is of interest.
    start: Option<Instant>,
}

impl Batch {
    /// The next command, if it can run: it may wait for what is not of this queue.
    fn next(&mut self) -> Option<&mut Command> {
        let command = self.commands.get_mut(self.next).filter(|command| command.is_ready())?;
        self.next += 1;
        Some(command)
    }
}

/// The commands of an in-order queue.
#[derive(Default)]
pub(super) struct Fifo {
    flow: QueueCounters,
    /// Every command that nobody has taken, first come first.
    commands: VecDeque<Command>,
    /// The queue, while commands without an event wait. Those with one keep it alive themselves.
    itself: Option<Arc<Object<Queue>>>,
    /// Whether a thread has a batch.
    running: bool,
    /// Whether the commands of the last full batch were short.
    short: bool,
}

impl QueueState for Fifo {
    fn flow(&self) -> &QueueCounters {
        &self.flow
    }

    fn flow_mut(&mut self) -> &mut QueueCounters {
        &mut self.flow
    }

    fn len(&self) -> usize {
        self.commands.len()
    }

    /// And for what a batch puts back.
    fn reserve(&mut self) -> Result<()> {
        Ok(self.commands.try_reserve(1 + BATCH)?)
    }

    fn add(&mut self, event: &Arc<Object<Event>>, _order: QueueOrder) -> Result<()> {
        self.commands.push_back(Command::WithEvent(Arc::clone(event)));
        Ok(())
    }

    /// The thread that takes the next batch looks.
    fn became_ready(&mut self, _event: &Arc<Object<Event>>) {}

    fn wanted_threads(&self, submitted: u64) -> usize {
        // While nobody has a batch, the last commands of all are here.
        let is_submitted = || self.flow.enqueued - (self.commands.len() as u64) < submitted;
        let head_waits = || self.commands.front().is_some_and(Command::is_ready) && is_submitted();
        usize::from(!self.running && self.flow.offered == 0 && head_waits())
    }

    fn unflushed_events(&self, submitted: u64) -> WaitList {
        let flushed = self.commands.len() - self.unflushed(submitted).min(self.commands.len());
        self.commands.iter().skip(flushed).filter_map(Command::event).cloned().collect()
    }

    fn auto_flush(&self) -> usize {
        if self.short { HIGH_WATER } else { AUTO_FLUSH }
    }

    fn is_overtaken(&self) -> bool {
        (self.running || self.flow.offered > 0) && self.commands.len() >= HIGH_WATER
    }
}

/// An in-order queue.
#[derive(Default)]
pub(super) struct InOrder {
    pub state: Mutex<Fifo>,
    pub ended: Ended,
}

impl InOrder {
    /// The next commands, if the first can run and nobody else is at it.
    fn take_batch(&self, state: &mut Fifo, batch: &mut Batch, drained: &Condvar) -> bool {
        if state.running || !state.commands.front().is_some_and(Command::is_ready) {
            return false;
        }
        state.running = true;
        let count = state.commands.len().min(BATCH);
        batch.commands.extend(state.commands.drain(..count));
        // Looking at the clock costs something, too.
        batch.start = (count == BATCH).then(Instant::now);
        if state.flow.blocked > 0 && state.commands.len() < HIGH_WATER / 2 {
            drained.notify_all();
        }
        true
    }

    /// What of a batch has not run goes back to the head. Returns whether there are commands.
    fn end_batch(&self, batch: &mut Batch) -> bool {
        let took = batch.start.take().map(|start| start.elapsed());
        let ran = batch.next;
        let left = batch.commands.drain(batch.next..);
        let mut state = self.state.lock();
        state.running = false;
        if let Some(took) = took {
            state.short = took < SHORT * ran as u32;
        }
        for command in left.rev() {
            state.commands.push_front(command);
        }
        let more = !state.commands.is_empty();
        let itself = if more { None } else { state.itself.take() };
        // What very many commands took is not kept.
        if !more && state.commands.capacity() > 4 * HIGH_WATER {
            state.commands.shrink_to(HIGH_WATER);
        }
        drop(state);
        // Never the last reference: the thread that runs commands has one.
        drop(itself);
        batch.commands.clear();
        batch.next = 0;
        more
    }
}

impl Object<Queue> {
    /// Enqueues a command without an event.
    pub(super) fn append(
        self: &Arc<Self>,
        fifo: &InOrder,
        command_type: cl_command_type,
        code: CommandBody,
    ) -> Result<()> {
        let recorded = trace::begin();
        let mut state = fifo.state.lock();
        state.reserve()?;
        if state.itself.is_none() {
            state.itself = Some(Arc::clone(self));
        }
        state.commands.push_back(Command::Bare(code));
        state.flow.enqueued += 1;
        let place = state.flow.enqueued;
        self.after_enqueue(&fifo.state, state);
        if let Some(time) = recorded {
            self.record_enqueued(place, time, command_type, &[]);
        }
        Ok(())
    }

    /// Begins a command that is enqueued and run by the calling thread, if nothing is before it: whether that is so.
    pub(super) fn begin_alone(&self, fifo: &InOrder) -> bool {
        let mut state = fifo.state.lock();
        let is_idle = !state.running && state.commands.is_empty() && state.flow.awaited.is_empty();
        if is_idle {
            state.running = true;
            state.flow.enqueued += 1;
            self.submitted.store(state.flow.enqueued, Ordering::Release);
        }
        is_idle
    }

    /// Runs that command.
    pub(super) fn run_alone(
        self: &Arc<Self>,
        fifo: &InOrder,
        work: impl FnOnce() -> Result<()>,
    ) -> Result<()> {
        let result = bug::contained("a command", work).unwrap_or(Err(Error::OutOfHostMemory));
        fifo.ended.count(&fifo.state);
        let mut state = fifo.state.lock();
        state.running = false;
        let is_more = !state.commands.is_empty();
        drop(state);
        if is_more {
            // Others that flushed have left theirs to this thread.
            self.offer();
            queue_workers::help();
        }
        result
    }

    /// Runs what is ready, see [`Queue::run`].
    pub(super) fn run_in_order(&self, fifo: &InOrder, over: &impl Fn() -> bool) -> bool {
        self.run_batches(fifo, &mut Batch::default(), over)
    }

    /// Runs `batch`, unless it is empty, and further ones, until nothing can run or `over` says so. Returns whether
    /// something may be left that can run.
    fn run_batches(&self, fifo: &InOrder, batch: &mut Batch, over: &impl Fn() -> bool) -> bool {
        with_runner(|runner| {
            let mut left = true;
            while left {
                if batch.commands.is_empty() {
                    if over() {
                        break;
                    }
                    let mut state = fifo.state.lock();
                    left = fifo.take_batch(&mut state, batch, &self.drained);
                    drop(state);
                }
                // If there is no batch to take, nothing can run, or the thread that runs it takes the next one as well.
                left = left && self.run_batch(fifo, batch, runner, over);
            }
            left
        })
    }

    /// Returns whether there were more commands when the batch ended. Those that come later find that nobody has one.
    fn run_batch(
        &self,
        fifo: &InOrder,
        batch: &mut Batch,
        runner: &mut Runner,
        over: &impl Fn() -> bool,
    ) -> bool {
        while let Some(command) = batch.next() {
            match command {
                Command::Bare(code) => {
                    // It has been reported, and there is nobody else to notify.
                    let _ = code.run(self, fifo.ended.next(), runner, &mut || ());
                    fifo.ended.count(&fifo.state);
                }
                Command::WithEvent(_) => {
                    let Command::WithEvent(event) =
                        std::mem::replace(command, Command::Bare(CommandBody::Nothing))
                    else {
                        continue;
                    };
                    let completion = event.execute(self, runner);
                    fifo.ended.count(&fifo.state);
                    // A callback may do anything, even wait for what comes next in the queue.
                    if completion.has_callbacks() {
                        let more = fifo.end_batch(batch);
                        runner.release_caches();
                        completion.notify(&event);
                        return more;
                    }
                }
            }
            if over() {
                break;
            }
        }
        fifo.end_batch(batch)
    }

    /// Waits until every command that is here now has ended.
    pub(super) fn finish_in_order(self: &Arc<Self>, fifo: &InOrder) {
        let mut state: MutexGuard<'_, Fifo> = fifo.state.lock();
        let last = state.flow.enqueued;
        if fifo.ended.reaches(last) {
            return;
        }
        let submitted = self.mark_submitted(&mut *state);
        let mut batch = Batch::default();
        // A callback may want to have commands run.
        if submitted.is_empty() {
            fifo.take_batch(&mut state, &mut batch, &self.drained);
        }
        drop(state);
        submitted.notify();
        if self.run_batches(fifo, &mut batch, &|| fifo.ended.reaches(last)) {
            self.offer();
        }
        queue_workers::help();
        if !fifo.ended.reaches(last) {
            fifo.ended.sleep_until(last, &fifo.state);
        }
    }
}
