//! Out-of-order queues: a set of commands. A command without unmet dependencies is in a list of ready commands,
//! from which any thread may take.

use std::collections::VecDeque;
use std::sync::Arc;

use smallvec::SmallVec;

use super::super::queue_workers;
use super::{AUTO_FLUSH, HIGH_WATER, Queue, QueueCounters, QueueOrder, QueueState, with_runner};
use crate::runtime::error::Result;
use crate::runtime::event::{Event, WaitList};
use crate::runtime::object::Object;
use grus_support::FastMap;
use grus_support::sync::{Condvar, Mutex};

/// Commands of an out-of-order queue.
#[derive(Default)]
pub(super) struct Graph {
    counters: QueueCounters,
    /// Commands that may run.
    ready: VecDeque<Arc<Object<Event>>>,
    /// Commands that have not ended, by their numbers.
    pending: FastMap<u64, Arc<Object<Event>>>,
    /// Last barrier, while it has not ended.
    barrier: Option<Arc<Object<Event>>>,
}

impl QueueState for Graph {
    fn counters(&self) -> &QueueCounters {
        &self.counters
    }

    fn counters_mut(&mut self) -> &mut QueueCounters {
        &mut self.counters
    }

    fn len(&self) -> usize {
        self.pending.len()
    }

    fn reserve(&mut self) -> Result<()> {
        self.pending.try_reserve(1)?;
        // All pending commands may become ready at once, when an error could no longer be returned.
        Ok(self.ready.try_reserve(self.pending.len() + 1)?)
    }

    fn add(&mut self, event: &Arc<Object<Event>>, order: QueueOrder) -> Result<()> {
        let after_all = matches!(order, QueueOrder::AfterAll | QueueOrder::Barrier { after_all: true });
        if after_all {
            for other in self.pending.values() {
                event.depend_on(other, false)?;
            }
        } else if let Some(barrier) = &self.barrier {
            event.depend_on(barrier, false)?;
        }
        if matches!(order, QueueOrder::Barrier { .. }) {
            self.barrier = Some(Arc::clone(event));
        }
        self.pending.insert(event.number(), Arc::clone(event));
        Ok(())
    }

    fn became_ready(&mut self, event: &Arc<Object<Event>>) {
        self.ready.push_back(Arc::clone(event));
    }

    fn wanted_threads(&self, _flushed: u64) -> usize {
        self.ready.len().min(queue_workers::max_threads()).saturating_sub(self.counters.offered)
    }

    fn unflushed_events(&self, _flushed: u64) -> WaitList {
        self.pending.values().cloned().collect()
    }

    fn auto_flush(&self) -> usize {
        AUTO_FLUSH
    }

    fn is_overtaken(&self) -> bool {
        self.counters.offered > 0 && self.ready.len() >= HIGH_WATER
    }
}

/// Out-of-order queue.
#[derive(Default)]
pub(super) struct OutOfOrder {
    pub state: Mutex<Graph>,
}

impl OutOfOrder {
    /// Takes a ready command.
    fn take_ready(&self) -> Option<Arc<Object<Event>>> {
        self.state.lock().ready.pop_front()
    }

    /// Removes a command that has ended.
    pub fn completed(&self, event: &Arc<Object<Event>>, drained: &Condvar) {
        let mut state = self.state.lock();
        let is_this = |other: &Option<Arc<Object<Event>>>| {
            other.as_ref().is_some_and(|other| Arc::ptr_eq(other, event))
        };
        let mut ended = SmallVec::<[_; 2]>::new();
        ended.extend(state.pending.remove(&event.number()));
        if is_this(&state.barrier) {
            ended.extend(state.barrier.take());
        }
        if state.counters.blocked > 0 && state.pending.len() < HIGH_WATER / 2 {
            drained.notify_all();
        }
        // These are never the last references (the caller has one), but they are dropped after the lock is released
        // anyway.
        drop(state);
        drop(ended);
    }

    /// Waits until every command enqueued so far has ended.
    pub fn finish(&self) {
        let waited_for: WaitList = self.state.lock().pending.values().cloned().collect();
        for event in waited_for {
            event.wait();
        }
    }
}

impl Object<Queue> {
    /// Runs ready commands, see [`Object::<Queue>::run`].
    pub(super) fn run_out_of_order(&self, graph: &OutOfOrder, over: &impl Fn() -> bool) -> bool {
        with_runner(|runner| {
            while !over()
                && let Some(command) = graph.take_ready()
            {
                let completion = command.execute(self, runner);
                if completion.has_callbacks() {
                    runner.release_caches();
                    completion.notify(&command);
                }
            }
        });
        true
    }
}
