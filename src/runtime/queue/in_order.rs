//! In-order queues: a FIFO of which only the head can run, and only one command at a time.
//!
//! A thread that runs the queue takes several commands from the head at once, a batch, so that enqueuing and
//! running threads rarely contend for the lock. Only the thread that has the batch runs commands and counts the
//! ended ones (`ended`).

use std::collections::VecDeque;
use std::sync::Arc;
use std::time::{Duration, Instant};

use smallvec::SmallVec;

use super::super::queue_workers;
use super::completion_counter::CompletionCounter;
use super::{AUTO_FLUSH, HIGH_WATER, Queue, QueueCounters, QueueOrder, QueueState, with_runner};
use crate::cl::cl_command_type;
use crate::runtime::command::{Command, CommandBody};
use crate::runtime::error::{Error, Result};
use crate::runtime::event::{Event, WaitList};
use crate::runtime::object::Object;
use grus_exec::Runner;
use grus_support::sync::atomic::Ordering;
use grus_support::sync::{Condvar, Mutex, MutexGuard};
use grus_support::{bug, trace};

/// Average duration of commands below which they run faster on the thread that enqueues them than on another one,
/// and are left to the waiting thread.
// Arbitrary.
const MAX_SHORT_COMMAND: Duration = Duration::from_micros(4);

/// Number of commands that a thread takes at once.
// Arbitrary.
const BATCH: usize = 16;

/// Commands that a thread has taken from the head of a queue.
#[derive(Default)]
struct Batch {
    /// Commands; those that have run are replaced by `Nothing`.
    commands: SmallVec<[Command; BATCH]>,
    /// Index of the first command that has not run.
    next: usize,
    /// Start time, if the duration is measured.
    start: Option<Instant>,
}

impl Batch {
    /// Returns the next command if it can run; it may wait for events of other queues.
    fn next(&mut self) -> Option<&mut Command> {
        let command = self.commands.get_mut(self.next).filter(|command| command.is_ready())?;
        self.next += 1;
        Some(command)
    }
}

/// Commands of an in-order queue.
#[derive(Default)]
pub(super) struct Fifo {
    counters: QueueCounters,
    /// Commands that no thread has taken, in the order of enqueue.
    commands: VecDeque<Command>,
    /// Reference to the queue while commands without an event wait. Commands with an event keep the queue alive
    /// themselves.
    itself: Option<Arc<Object<Queue>>>,
    /// True if a thread has a batch.
    running: bool,
    /// True if the commands of the last full batch were short.
    short: bool,
}

impl QueueState for Fifo {
    fn counters(&self) -> &QueueCounters {
        &self.counters
    }

    fn counters_mut(&mut self) -> &mut QueueCounters {
        &mut self.counters
    }

    fn len(&self) -> usize {
        self.commands.len()
    }

    /// Reserves room for one more command, and for a batch that is put back.
    fn reserve(&mut self) -> Result<()> {
        Ok(self.commands.try_reserve(1 + BATCH)?)
    }

    fn add(&mut self, event: &Arc<Object<Event>>, _order: QueueOrder) -> Result<()> {
        self.commands.push_back(Command::WithEvent(Arc::clone(event)));
        Ok(())
    }

    /// Does nothing: the thread that takes the next batch checks readiness.
    fn became_ready(&mut self, _event: &Arc<Object<Event>>) {}

    fn wanted_threads(&self, flushed: u64) -> usize {
        // While no thread has a batch, all commands that have not ended are in this list.
        let is_flushed = || self.counters.enqueued - (self.commands.len() as u64) < flushed;
        let can_run_head = || self.commands.front().is_some_and(Command::is_ready) && is_flushed();
        usize::from(!self.running && self.counters.offered == 0 && can_run_head())
    }

    fn unflushed_events(&self, flushed: u64) -> WaitList {
        let skipped = self.commands.len() - self.unflushed(flushed).min(self.commands.len());
        self.commands.iter().skip(skipped).filter_map(Command::event).cloned().collect()
    }

    fn auto_flush(&self) -> usize {
        if self.short { HIGH_WATER } else { AUTO_FLUSH }
    }

    fn is_overtaken(&self) -> bool {
        (self.running || self.counters.offered > 0) && self.commands.len() >= HIGH_WATER
    }
}

/// In-order queue.
#[derive(Default)]
pub(super) struct InOrder {
    pub state: Mutex<Fifo>,
    pub ended: CompletionCounter,
}

impl InOrder {
    /// Takes the next commands if the first one can run and no other thread has a batch. Returns whether it did.
    fn take_batch(&self, state: &mut Fifo, batch: &mut Batch, drained: &Condvar) -> bool {
        if state.running || !state.commands.front().is_some_and(Command::is_ready) {
            return false;
        }
        state.running = true;
        let count = state.commands.len().min(BATCH);
        batch.commands.extend(state.commands.drain(..count));
        // Reading the clock has a cost, so only full batches are measured.
        batch.start = (count == BATCH).then(Instant::now);
        if state.counters.blocked > 0 && state.commands.len() < HIGH_WATER / 2 {
            drained.notify_all();
        }
        true
    }

    /// Puts the commands of a batch that have not run back to the head. Returns whether the queue has commands.
    fn end_batch(&self, batch: &mut Batch) -> bool {
        let took = batch.start.take().map(|start| start.elapsed());
        let ran = batch.next;
        let left = batch.commands.drain(batch.next..);
        let mut state = self.state.lock();
        state.running = false;
        if let Some(took) = took {
            state.short = took < MAX_SHORT_COMMAND * ran as u32;
        }
        for command in left.rev() {
            state.commands.push_front(command);
        }
        let more = !state.commands.is_empty();
        let itself = if more { None } else { state.itself.take() };
        // Memory that a very long queue needed is freed.
        if !more && state.commands.capacity() > 4 * HIGH_WATER {
            state.commands.shrink_to(HIGH_WATER);
        }
        drop(state);
        // This is never the last reference: the thread that runs commands has one.
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
        body: CommandBody,
    ) -> Result<()> {
        let recorded = trace::begin();
        let mut state = fifo.state.lock();
        state.reserve()?;
        if state.itself.is_none() {
            state.itself = Some(Arc::clone(self));
        }
        state.commands.push_back(Command::Bare(body));
        state.counters.enqueued += 1;
        let number = state.counters.enqueued;
        self.after_enqueue(&fifo.state, state);
        if let Some(time) = recorded {
            self.record_enqueued(number, time, command_type, &[]);
        }
        Ok(())
    }

    /// Begins a command that the calling thread runs at once, if the queue is idle. Returns whether it is.
    pub(super) fn begin_alone(&self, fifo: &InOrder) -> bool {
        let mut state = fifo.state.lock();
        let is_idle = !state.running && state.commands.is_empty() && state.counters.awaited.is_empty();
        if is_idle {
            state.running = true;
            state.counters.enqueued += 1;
            self.flushed.store(state.counters.enqueued, Ordering::Release);
        }
        is_idle
    }

    /// Runs the command that `begin_alone` began.
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
            // Other threads that flushed meanwhile have left their commands to this thread.
            self.offer();
            queue_workers::help();
        }
        result
    }

    /// Runs ready commands, see [`Object::<Queue>::run`].
    pub(super) fn run_in_order(&self, fifo: &InOrder, over: &impl Fn() -> bool) -> bool {
        self.run_batches(fifo, &mut Batch::default(), over)
    }

    /// Runs `batch`, unless it is empty, and further batches, until nothing can run or `over` returns true. Returns
    /// whether ready commands may be left.
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
                // If no batch can be taken, nothing is ready, or the thread that has a batch will take the next one
                // too.
                left = left && self.run_batch(fifo, batch, runner, over);
            }
            left
        })
    }

    /// Runs a batch. Returns whether the queue had commands when the batch ended; commands enqueued later find that
    /// no thread has a batch.
    fn run_batch(
        &self,
        fifo: &InOrder,
        batch: &mut Batch,
        runner: &mut Runner,
        over: &impl Fn() -> bool,
    ) -> bool {
        while let Some(command) = batch.next() {
            match command {
                Command::Bare(body) => {
                    // The error has been reported, and there is no event to notify.
                    let _ = body.run(self, fifo.ended.next(), runner, &mut || ());
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
                    // A callback may do anything, even wait for later commands of this queue.
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

    /// Waits until every command enqueued so far has ended.
    pub(super) fn finish_in_order(self: &Arc<Self>, fifo: &InOrder) {
        let mut state: MutexGuard<'_, Fifo> = fifo.state.lock();
        let last = state.counters.enqueued;
        if fifo.ended.reaches(last) {
            return;
        }
        let flushed = self.mark_flushed(&mut *state);
        let mut batch = Batch::default();
        // A callback may need commands to run, so no batch is taken before callbacks.
        if flushed.is_empty() {
            fifo.take_batch(&mut state, &mut batch, &self.drained);
        }
        drop(state);
        flushed.notify();
        if self.run_batches(fifo, &mut batch, &|| fifo.ended.reaches(last)) {
            self.offer();
        }
        queue_workers::help();
        if !fifo.ended.reaches(last) {
            fifo.ended.sleep_until(last, &fifo.state);
        }
    }
}
