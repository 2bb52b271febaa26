//! What is left to do of a tree: its commands, as a tree and as a graph of events.
//!
//! A command stays until it and all its children are complete. What waits for it then becomes ready, or fails with it.
//! Long chains and deep trees are walked with a list, never by recursion.

use std::sync::Arc;
use std::time::Instant;

use smallvec::SmallVec;

use super::super::{Fault, Inputs, NdRange};
use super::memory_budget::{Charge, QueueMemory};
use crate::rtlib::enqueue::{MOST_EVENTS, Refusal};
use crate::support::sync::atomic::{AtomicBool, AtomicUsize, Ordering};

/// A command: its place in [`LaunchGraph::commands`].
pub(super) type Id = usize;

/// The launch from which all others descend.
pub(super) const ROOT: Id = 0;

/// How an event stands.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Status {
    Open,
    Complete,
    Failed,
}

impl Status {
    fn of_end(well: bool) -> Status {
        if well { Status::Complete } else { Status::Failed }
    }
}

/// What a launch runs.
pub(super) struct TreeWork {
    /// Whose body it is.
    pub descriptor: u64,
    pub range: NdRange,
    pub inputs: Inputs,
    /// Whether somebody may ask for its times.
    pub timed: bool,
}

/// A command and what descends from it without being one: all of it is complete together.
pub(super) struct Scope {
    /// The command.
    pub id: Id,
    /// Launches that are not over.
    pub open: AtomicUsize,
    /// One has failed.
    pub failed: AtomicBool,
}

impl Scope {
    /// Of a command that is going to run.
    pub fn new(id: Id) -> Scope {
        Scope { id, open: AtomicUsize::new(1), failed: AtomicBool::new(false) }
    }
}

/// A launch that can begin.
pub(super) struct ReadyLaunch {
    pub scope: Arc<Scope>,
    /// What it takes, if it is no command.
    pub child: Option<Charge>,
    pub work: Box<TreeWork>,
}

/// A child that begins when its parent has ended, or a group of that.
pub(super) enum PendingChild {
    Command(Id),
    Child(ReadyLaunch),
}

/// Commands that have ended.
type Ended = SmallVec<[Id; 16]>;

/// A kernel, or a marker, that was enqueued.
struct Command {
    parent: Id,
    /// Its scope, and the commands below that are not complete.
    open: usize,
    /// Events that are not complete; and the end of something of its parent, or one while it is being enqueued.
    holds: usize,
    /// It has, or a child has, or what it waited for.
    failed: bool,
    work: Option<Box<TreeWork>>,
    event: Option<u32>,
    charge: Charge,
}

struct Event {
    /// Differs from that of the last event that was here.
    generation: u32,
    references: u32,
    status: Status,
    is_user: bool,
    /// Commands that wait for it.
    waiters: Vec<Id>,
    /// Where its times are to be written; a kernel that asks twice is answered once.
    asked: Option<Address>,
    /// When the launch began and ended.
    ran: Option<[Instant; 2]>,
    /// Nanoseconds from the start to the end, and to the completion.
    times: [u64; 2],
}

/// Where a kernel wants to have something written.
#[derive(Clone, Copy)]
pub(super) struct Address(pub *mut u64);

// SAFETY: global memory, which all threads share.
unsafe impl Send for Address {}

impl Address {
    fn write(self, times: [u64; 2]) {
        for (i, time) in times.into_iter().enumerate() {
            // SAFETY: the kernel could write there when it asked.
            unsafe { self.0.add(i).write_unaligned(time) };
        }
    }
}

/// See the module.
pub(super) struct LaunchGraph {
    commands: Vec<Option<Command>>,
    free: Vec<Id>,
    events: Vec<Event>,
    free_events: Vec<u32>,
    rooms: Arc<QueueMemory>,
    /// Commands that can begin, for whoever has the lock to share.
    pub ready: Vec<ReadyLaunch>,
    /// Commands that are not complete.
    pub open: usize,
    /// The first thing that went wrong.
    pub fault: Option<Fault>,
}

impl LaunchGraph {
    /// With the root, which runs.
    pub fn new(rooms: Arc<QueueMemory>) -> LaunchGraph {
        let root = Command {
            parent: ROOT,
            open: 1,
            holds: 0,
            failed: false,
            work: None,
            event: None,
            charge: Charge { queue: 0, bytes: 0 },
        };
        LaunchGraph {
            commands: vec![Some(root)],
            free: Vec::new(),
            events: Vec::new(),
            free_events: Vec::new(),
            rooms,
            ready: Vec::new(),
            open: 1,
            fault: None,
        }
    }

    fn command(&mut self, id: Id) -> Option<&mut Command> {
        self.commands.get_mut(id)?.as_mut()
    }

    /// Adds a command, which nothing starts before [`LaunchGraph::release`]. The result is its id and its event.
    pub fn add(
        &mut self,
        parent: Id,
        work: Option<Box<TreeWork>>,
        (charge, room): (Charge, u64),
        waits: &[u64],
        wants_event: bool,
    ) -> Result<(Id, u64), Refusal> {
        if waits.iter().any(|&event| self.find(event).is_none()) {
            return Err(Refusal::WaitList);
        }
        self.rooms.take(charge, room)?;
        let event = wants_event.then(|| self.new_event(false)).transpose();
        let event = event.inspect_err(|_| self.rooms.give(charge))?;
        let id = self.free.pop().unwrap_or_else(|| {
            self.commands.push(None);
            self.commands.len() - 1
        });
        let mut command = Command { parent, open: 1, holds: 1, failed: false, work, event, charge };
        for &wait in waits {
            let Some(index) = self.find(wait) else { continue };
            let event = &mut self.events[index];
            match event.status {
                Status::Open => {
                    event.waiters.push(id);
                    command.holds += 1;
                }
                Status::Complete => {}
                Status::Failed => command.failed = true,
            }
        }
        self.commands[id] = Some(command);
        if let Some(parent) = self.command(parent) {
            parent.open += 1;
        }
        self.open += 1;
        Ok((id, event.map_or(0, |index| self.number(index))))
    }

    /// One thing less holds the command.
    pub fn release(&mut self, id: Id) {
        let mut ended = Ended::new();
        self.unhold(id, false, &mut ended);
        self.settle(ended);
    }

    /// The same for a command whose parent has failed: it does not run.
    pub fn refuse(&mut self, id: Id) {
        let mut ended = Ended::new();
        self.unhold(id, true, &mut ended);
        self.settle(ended);
    }

    /// One thing less holds the command; it does not run if that has failed. Notes it if it has ended.
    fn unhold(&mut self, id: Id, failed: bool, ended: &mut Ended) {
        let Some(command) = self.command(id) else { return };
        command.failed |= failed;
        command.holds -= 1;
        if command.holds > 0 {
            return;
        }
        match command.work.take() {
            Some(work) if !command.failed => {
                self.ready.push(ReadyLaunch { scope: Arc::new(Scope::new(id)), child: None, work });
            }
            _ => ended.push(id),
        }
    }

    /// A launch has run: that of a command, with its times if it is timed, or of another that has failed.
    pub fn ended(&mut self, command: Option<(Id, Option<[Instant; 2]>)>, fault: Option<Box<Fault>>) {
        if let Some((id, times)) = command
            && let Some(event) = self.command(id).and_then(|command| command.event)
        {
            self.events[event as usize].ran = times;
        }
        if self.fault.is_none() {
            self.fault = fault.map(|fault| *fault);
        }
    }

    /// Nothing is left of a command but commands below it.
    pub fn close(&mut self, scope: &Scope) {
        let Some(command) = self.command(scope.id) else { return };
        command.failed |= scope.failed.load(Ordering::Relaxed);
        self.settle(Ended::from_elem(scope.id, 1));
    }

    /// Follows the consequences of commands that have ended.
    fn settle(&mut self, mut ended: Ended) {
        while let Some(id) = ended.pop() {
            let Some(command) = self.command(id) else { continue };
            command.open -= 1;
            if command.open > 0 {
                continue;
            }
            let Some(command) = self.commands[id].take() else { continue };
            self.open -= 1;
            self.rooms.give(command.charge);
            if let Some(event) = command.event {
                let now = Instant::now();
                let place = &mut self.events[event as usize];
                let [start, end] = place.ran.unwrap_or([now; 2]);
                let since_start = |time: Instant| {
                    // A clock may be too coarse to see it.
                    u64::try_from(time.saturating_duration_since(start).as_nanos()).unwrap_or(u64::MAX).max(1)
                };
                place.times = [end, now].map(since_start);
                self.complete(event, Status::of_end(!command.failed), &mut ended);
            }
            if id == ROOT {
                continue;
            }
            self.free.push(id);
            if let Some(parent) = self.command(command.parent) {
                parent.failed |= command.failed;
                ended.push(command.parent);
            }
        }
    }

    /// An event is complete.
    fn complete(&mut self, index: u32, status: Status, ended: &mut Ended) {
        let event = &mut self.events[index as usize];
        event.status = status;
        let waiters = std::mem::take(&mut event.waiters);
        if let Some(address) = event.asked.take() {
            address.write(event.times);
        }
        self.forget(index);
        for id in waiters {
            self.unhold(id, status == Status::Failed, ended);
        }
    }

    /// Frees an event that nobody can name any more.
    fn forget(&mut self, index: u32) {
        let event = &mut self.events[index as usize];
        if event.references == 0 && event.status != Status::Open {
            event.generation = event.generation.wrapping_add(1);
            self.free_events.push(index);
        }
    }

    fn new_event(&mut self, is_user: bool) -> Result<u32, Refusal> {
        let event = |generation| Event {
            generation,
            references: 1,
            status: Status::Open,
            is_user,
            waiters: Vec::new(),
            asked: None,
            ran: None,
            times: [0; 2],
        };
        if let Some(index) = self.free_events.pop() {
            let place = &mut self.events[index as usize];
            *place = event(place.generation);
            return Ok(index);
        }
        if self.events.len() >= MOST_EVENTS {
            return Err(Refusal::NoEvent);
        }
        self.events.push(event(0));
        Ok(self.events.len() as u32 - 1)
    }

    /// The number that kernels know an event by, which is not 0.
    fn number(&self, index: u32) -> u64 {
        u64::from(self.events[index as usize].generation) << 32 | u64::from(index + 1)
    }

    fn find(&self, number: u64) -> Option<usize> {
        let index = (number as u32).checked_sub(1)? as usize;
        let event = self.events.get(index)?;
        (event.generation == (number >> 32) as u32 && event.references > 0).then_some(index)
    }

    /// A user event, or 0.
    pub fn user_event(&mut self) -> u64 {
        self.new_event(true).map_or(0, |index| self.number(index))
    }

    pub fn is_event(&self, number: u64) -> bool {
        self.find(number).is_some()
    }

    pub fn retain(&mut self, number: u64) {
        if let Some(index) = self.find(number) {
            let event = &mut self.events[index];
            event.references = event.references.saturating_add(1);
        }
    }

    pub fn release_event(&mut self, number: u64) {
        if let Some(index) = self.find(number) {
            self.events[index].references -= 1;
            self.forget(index as u32);
        }
    }

    /// Completes a user event, once.
    pub fn complete_user(&mut self, number: u64, well: bool) {
        let Some(index) = self.find(number) else { return };
        let event = &self.events[index];
        if !event.is_user || event.status != Status::Open {
            return;
        }
        let mut ended = Ended::new();
        self.complete(index as u32, Status::of_end(well), &mut ended);
        self.settle(ended);
    }

    pub fn profile(&mut self, number: u64, address: Address) {
        let Some(index) = self.find(number) else { return };
        let event = &mut self.events[index];
        if event.status != Status::Open {
            address.write(event.times);
        } else {
            event.asked = Some(address);
        }
    }

    /// Nothing runs, nothing can, and yet there is something left: it waits for user events that nobody is going to
    /// complete. They fail.
    pub fn fail_what_waits(&mut self) {
        self.fault.get_or_insert_with(|| {
            Fault::new("an enqueued kernel waits for a user event that no kernel has completed")
        });
        let mut ended = Ended::new();
        for index in 0..self.events.len() as u32 {
            let event = &self.events[index as usize];
            if event.is_user && event.status == Status::Open {
                self.complete(index, Status::Failed, &mut ended);
            }
        }
        self.settle(ended);
    }
}
