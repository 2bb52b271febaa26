//! Graph of the incomplete commands of a launch tree: edges to parents, and edges by events.
//!
//! A command stays in the graph until it and all its children are complete. Commands that wait for it then become
//! ready, or fail with it. Long chains and deep trees are processed with a worklist, never by recursion.

use std::sync::Arc;
use std::time::Instant;

use smallvec::SmallVec;

use super::super::fault::Fault;
use super::super::launch::Inputs;
use super::super::range::NdRange;
use super::memory_budget::{Charge, QueueMemory};
use grus_codegen::rtlib::enqueue::{EnqueueError, MAX_EVENTS};
use grus_support::sync::atomic::{AtomicBool, AtomicUsize, Ordering};

/// Identifier of a command: its index in [`LaunchGraph::commands`].
pub(super) type CommandId = usize;

/// Launch of the host, from which all others descend.
pub(super) const ROOT: CommandId = 0;

/// Status of an event.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Status {
    Open,
    Complete,
    Failed,
}

impl Status {
    fn from_success(success: bool) -> Status {
        if success { Status::Complete } else { Status::Failed }
    }
}

/// Kernel, range and arguments of an enqueued launch.
pub(super) struct TreeWork {
    /// Descriptor of the block.
    pub descriptor: u64,
    pub range: NdRange,
    pub inputs: Inputs,
    /// True if the launch has an event, so that its times may be requested.
    pub timed: bool,
}

/// Command together with its descendants that are not commands; they complete together.
pub(super) struct Scope {
    /// Identifier of the command.
    pub id: CommandId,
    /// Number of launches that have not ended.
    pub open: AtomicUsize,
    /// True if a launch has failed.
    pub failed: AtomicBool,
}

impl Scope {
    /// Creates the scope of a command that is about to run.
    pub fn new(id: CommandId) -> Scope {
        Scope { id, open: AtomicUsize::new(1), failed: AtomicBool::new(false) }
    }
}

/// Launch that can begin.
pub(super) struct ReadyLaunch {
    pub scope: Arc<Scope>,
    /// Memory charged for the launch, if it is not a command.
    pub child: Option<Charge>,
    pub work: Box<TreeWork>,
}

/// Child that begins when its parent has ended, or when a work-group of its parent has ended.
pub(super) enum PendingChild {
    Command(CommandId),
    Child(ReadyLaunch),
}

/// Worklist of commands that have ended.
type EndedCommands = SmallVec<[CommandId; 16]>;

/// Enqueued kernel or marker.
struct Command {
    parent: CommandId,
    /// Number of open parts: its own scope and its incomplete child commands.
    open: usize,
    /// Number of unsatisfied dependencies: incomplete events, the awaited end of its parent or of a group of its
    /// parent, and one while it is being enqueued.
    dependencies: usize,
    /// True if it has failed, or a child, or an event it waited for.
    failed: bool,
    work: Option<Box<TreeWork>>,
    event: Option<u32>,
    charge: Charge,
}

struct Event {
    /// Number that distinguishes this event from earlier ones at the same index.
    generation: u32,
    references: u32,
    status: Status,
    is_user: bool,
    /// Commands that wait for this event.
    waiters: Vec<CommandId>,
    /// Destination of the profiling times. Only the last request before completion is answered.
    profile_address: Option<Address>,
    /// Start and end of the launch.
    run_interval: Option<[Instant; 2]>,
    /// Nanoseconds from the start to the end, and from the start to the completion.
    times: [u64; 2],
}

/// Destination of profiling times in global memory.
#[derive(Clone, Copy)]
pub(super) struct Address(pub *mut u64);

// SAFETY: global memory, which all threads share.
unsafe impl Send for Address {}

impl Address {
    fn write(self, times: [u64; 2]) {
        for (i, time) in times.into_iter().enumerate() {
            // SAFETY: the address was writable when the kernel made the request.
            unsafe { self.0.add(i).write_unaligned(time) };
        }
    }
}

/// Graph of incomplete commands; see the module.
pub(super) struct LaunchGraph {
    commands: Vec<Option<Command>>,
    free: Vec<CommandId>,
    events: Vec<Event>,
    free_events: Vec<u32>,
    memory: Arc<QueueMemory>,
    /// Commands that can begin. The thread that releases the graph's lock publishes them.
    pub ready: Vec<ReadyLaunch>,
    /// Number of incomplete commands.
    pub open: usize,
    /// First fault.
    pub fault: Option<Fault>,
}

impl LaunchGraph {
    /// Creates a graph that contains the running root.
    pub fn new(memory: Arc<QueueMemory>) -> LaunchGraph {
        let root = Command {
            parent: ROOT,
            open: 1,
            dependencies: 0,
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
            memory,
            ready: Vec::new(),
            open: 1,
            fault: None,
        }
    }

    fn command(&mut self, id: CommandId) -> Option<&mut Command> {
        self.commands.get_mut(id)?.as_mut()
    }

    /// Adds a command, which cannot start before [`LaunchGraph::satisfy_dependency`] is called for it. Returns its id
    /// and its event.
    pub fn add_command(
        &mut self,
        parent: CommandId,
        work: Option<Box<TreeWork>>,
        (charge, capacity): (Charge, u64),
        waits: &[u64],
        wants_event: bool,
    ) -> Result<(CommandId, u64), EnqueueError> {
        if waits.iter().any(|&event| self.find_event(event).is_none()) {
            return Err(EnqueueError::WaitList);
        }
        self.memory.reserve(charge, capacity)?;
        let event = wants_event.then(|| self.new_event(false)).transpose();
        let event = event.inspect_err(|_| self.memory.release(charge))?;
        let id = self.free.pop().unwrap_or_else(|| {
            self.commands.push(None);
            self.commands.len() - 1
        });
        let mut command = Command { parent, open: 1, dependencies: 1, failed: false, work, event, charge };
        for &wait in waits {
            let Some(index) = self.find_event(wait) else { continue };
            let event = &mut self.events[index];
            match event.status {
                Status::Open => {
                    event.waiters.push(id);
                    command.dependencies += 1;
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
        Ok((id, event.map_or(0, |index| self.event_number(index))))
    }

    /// Satisfies one dependency of a command.
    pub fn satisfy_dependency(&mut self, id: CommandId) {
        let mut ended = EndedCommands::new();
        self.resolve_dependency(id, false, &mut ended);
        self.propagate(ended);
    }

    /// Fails one dependency of a command, whose parent has failed: the command will not run.
    pub fn fail_dependency(&mut self, id: CommandId) {
        let mut ended = EndedCommands::new();
        self.resolve_dependency(id, true, &mut ended);
        self.propagate(ended);
    }

    /// Removes one dependency of a command; if it has `failed`, the command will not run. A command without further
    /// dependencies becomes ready, or is added to `ended` if there is nothing to run.
    fn resolve_dependency(&mut self, id: CommandId, failed: bool, ended: &mut EndedCommands) {
        let Some(command) = self.command(id) else { return };
        command.failed |= failed;
        command.dependencies -= 1;
        if command.dependencies > 0 {
            return;
        }
        match command.work.take() {
            Some(work) if !command.failed => {
                self.ready.push(ReadyLaunch { scope: Arc::new(Scope::new(id)), child: None, work });
            }
            _ => ended.push(id),
        }
    }

    /// Records the end of a launch: of a command, with its times if it is timed, or of a failed child that is no
    /// command.
    pub fn record_end(
        &mut self,
        command: Option<(CommandId, Option<[Instant; 2]>)>,
        fault: Option<Box<Fault>>,
    ) {
        if let Some((id, times)) = command
            && let Some(event) = self.command(id).and_then(|command| command.event)
        {
            self.events[event as usize].run_interval = times;
        }
        if self.fault.is_none() {
            self.fault = fault.map(|fault| *fault);
        }
    }

    /// Records that all launches of a command's scope have ended; child commands may remain.
    pub fn close_scope(&mut self, scope: &Scope) {
        let Some(command) = self.command(scope.id) else { return };
        command.failed |= scope.failed.load(Ordering::Relaxed);
        self.propagate(EndedCommands::from_elem(scope.id, 1));
    }

    /// Completes commands whose parts have ended, and propagates to their parents and to waiting commands.
    fn propagate(&mut self, mut ended: EndedCommands) {
        while let Some(id) = ended.pop() {
            let Some(command) = self.command(id) else { continue };
            command.open -= 1;
            if command.open > 0 {
                continue;
            }
            let Some(command) = self.commands[id].take() else { continue };
            self.open -= 1;
            self.memory.release(command.charge);
            if let Some(event) = command.event {
                let now = Instant::now();
                let event_slot = &mut self.events[event as usize];
                let [start, end] = event_slot.run_interval.unwrap_or([now; 2]);
                let since_start = |time: Instant| {
                    // At least 1, because a coarse clock may show no difference.
                    u64::try_from(time.saturating_duration_since(start).as_nanos()).unwrap_or(u64::MAX).max(1)
                };
                event_slot.times = [end, now].map(since_start);
                self.complete_event(event, Status::from_success(!command.failed), &mut ended);
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

    /// Sets the final status of an event, and resolves the dependencies of waiting commands.
    fn complete_event(&mut self, index: u32, status: Status, ended: &mut EndedCommands) {
        let event = &mut self.events[index as usize];
        event.status = status;
        let waiters = std::mem::take(&mut event.waiters);
        if let Some(address) = event.profile_address.take() {
            address.write(event.times);
        }
        self.free_if_unused(index);
        for id in waiters {
            self.resolve_dependency(id, status == Status::Failed, ended);
        }
    }

    /// Frees an event that is complete and has no references.
    fn free_if_unused(&mut self, index: u32) {
        let event = &mut self.events[index as usize];
        if event.references == 0 && event.status != Status::Open {
            event.generation = event.generation.wrapping_add(1);
            self.free_events.push(index);
        }
    }

    fn new_event(&mut self, is_user: bool) -> Result<u32, EnqueueError> {
        let event = |generation| Event {
            generation,
            references: 1,
            status: Status::Open,
            is_user,
            waiters: Vec::new(),
            profile_address: None,
            run_interval: None,
            times: [0; 2],
        };
        if let Some(index) = self.free_events.pop() {
            let event_slot = &mut self.events[index as usize];
            *event_slot = event(event_slot.generation);
            return Ok(index);
        }
        if self.events.len() >= MAX_EVENTS {
            return Err(EnqueueError::NoEvent);
        }
        self.events.push(event(0));
        Ok(self.events.len() as u32 - 1)
    }

    /// Returns the handle of an event for kernels, which is not 0.
    fn event_number(&self, index: u32) -> u64 {
        u64::from(self.events[index as usize].generation) << 32 | u64::from(index + 1)
    }

    fn find_event(&self, number: u64) -> Option<usize> {
        let index = (number as u32).checked_sub(1)? as usize;
        let event = self.events.get(index)?;
        (event.generation == (number >> 32) as u32 && event.references > 0).then_some(index)
    }

    /// Creates a user event. Returns 0 if there are too many events.
    pub fn user_event(&mut self) -> u64 {
        self.new_event(true).map_or(0, |index| self.event_number(index))
    }

    pub fn is_event(&self, number: u64) -> bool {
        self.find_event(number).is_some()
    }

    pub fn retain(&mut self, number: u64) {
        if let Some(index) = self.find_event(number) {
            let event = &mut self.events[index];
            event.references = event.references.saturating_add(1);
        }
    }

    pub fn release_event(&mut self, number: u64) {
        if let Some(index) = self.find_event(number) {
            self.events[index].references -= 1;
            self.free_if_unused(index as u32);
        }
    }

    /// Completes a user event; later calls have no effect.
    pub fn complete_user(&mut self, number: u64, success: bool) {
        let Some(index) = self.find_event(number) else { return };
        let event = &self.events[index];
        if !event.is_user || event.status != Status::Open {
            return;
        }
        let mut ended = EndedCommands::new();
        self.complete_event(index as u32, Status::from_success(success), &mut ended);
        self.propagate(ended);
    }

    /// Writes the times of an event to `address`, now or when the event is complete.
    pub fn profile(&mut self, number: u64, address: Address) {
        let Some(index) = self.find_event(number) else { return };
        let event = &mut self.events[index];
        if event.status != Status::Open {
            address.write(event.times);
        } else {
            event.profile_address = Some(address);
        }
    }

    /// Fails all incomplete user events, when no launch runs or is ready but commands remain: they wait for user events
    /// that no kernel will complete.
    pub fn fail_user_events(&mut self) {
        self.fault.get_or_insert_with(|| {
            Fault::new("an enqueued kernel waits for a user event that no kernel has completed")
        });
        let mut ended = EndedCommands::new();
        for index in 0..self.events.len() as u32 {
            let event = &self.events[index as usize];
            if event.is_user && event.status == Status::Open {
                self.complete_event(index, Status::Failed, &mut ended);
            }
        }
        self.propagate(ended);
    }
}
