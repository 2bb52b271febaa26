//! Idle workers: threads that spin for a while after their share of a job, ready for the next task. Programs that
//! launch or copy in a loop submit the next job at once, and waking a sleeping thread takes as long as a short launch.
//!
//! Each idle worker has a slot with a mailbox, from which it takes tasks. A mailbox is one cache line with everything
//! that the task needs to begin, because each transfer of a line between CPUs takes 0.1 to 0.2 µs. The state of the
//! slot, which submitters read to find an idle worker, is in a line of its own. A worker polls its mailbox with a
//! compare-and-exchange, which acquires the line for writing: it claims the task in the same operation in which it sees
//! it. So a task costs one transfer of the line to begin, and another to report its end.

use std::marker::PhantomData;

use crossbeam::utils::CachePadded;

use grus_support::sync::atomic::{AtomicU32, Ordering};
use grus_support::sync::{Condvar, HandoffCell, Mutex};

/// Idle workers of a pool, which run tasks of type `T`.
pub(crate) struct IdleWorkers<T> {
    /// Slots for the maximum number of workers, idle or busy: more of them would take CPUs from threads with work.
    slots: Box<[WorkerSlot<T>]>,
    /// Number of jobs that want workers.
    jobs: CachePadded<AtomicU32>,
}

/// Job that wants workers, as long as this lives.
pub(crate) struct CountedJob<'a> {
    jobs: &'a AtomicU32,
}

impl Drop for CountedJob<'_> {
    fn drop(&mut self) {
        self.jobs.fetch_sub(1, Ordering::Relaxed);
    }
}

/// Slot of one idle worker.
struct WorkerSlot<T> {
    control: CachePadded<SlotControl>,
    mailbox: CachePadded<Mailbox<T>>,
}

/// State that the worker shares with threads that submit tasks.
struct SlotControl {
    state: AtomicEnum<SlotState>,
    /// Lock of a submitter that sleeps until its task has ended.
    sleep: Mutex<()>,
    /// Signal that the task has ended.
    ended: Condvar,
}

/// Presence of workers.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Presence {
    /// At least one is idle.
    Idle,
    /// None is idle, but some run tasks.
    Busy,
    /// None is awake.
    Asleep,
}

/// State of a slot.
#[derive(Clone, Copy, PartialEq, Eq)]
enum SlotState {
    /// No worker uses the slot.
    Vacant,
    /// A worker polls the mailbox, which is empty.
    Idle,
    /// A submitter owns the mailbox until its task has ended.
    Reserved,
}

/// Mailbox that the worker polls.
#[repr(C)]
pub(crate) struct Mailbox<T> {
    state: AtomicEnum<TaskState>,
    /// Task, owned by the thread that `state` implies.
    task: HandoffCell<T>,
}

/// State of the task in a mailbox.
#[derive(Clone, Copy, PartialEq, Eq)]
enum TaskState {
    /// There is no task.
    Empty,
    /// The task may be taken by the worker only. No thread waits for its end.
    Detached,
    /// The task may be taken by the worker, or taken back by its submitter, which waits for its end.
    Joinable,
    /// The task is running, and its submitter waits.
    Running,
    /// The task is running, and its submitter sleeps.
    RunningAwaited,
    /// The task has succeeded.
    Done,
    /// The task has failed.
    Failed,
}

/// Atomic variable that holds an enum as its discriminant.
struct AtomicEnum<E>(AtomicU32, PhantomData<E>);

/// Enum without fields that an [`AtomicEnum`] can hold.
trait Discriminant: Copy {
    fn to_u32(self) -> u32;
    fn from_u32(value: u32) -> Self;
}

impl Discriminant for SlotState {
    fn to_u32(self) -> u32 {
        self as u32
    }

    fn from_u32(value: u32) -> SlotState {
        const IDLE: u32 = SlotState::Idle as u32;
        const RESERVED: u32 = SlotState::Reserved as u32;
        match value {
            IDLE => SlotState::Idle,
            RESERVED => SlotState::Reserved,
            _ => SlotState::Vacant,
        }
    }
}

impl Discriminant for TaskState {
    fn to_u32(self) -> u32 {
        self as u32
    }

    fn from_u32(value: u32) -> TaskState {
        use TaskState::{Detached, Done, Empty, Failed, Joinable, Running, RunningAwaited};
        const STATES: [TaskState; 7] = [Empty, Detached, Joinable, Running, RunningAwaited, Done, Failed];
        STATES[value as usize]
    }
}

impl<E: Discriminant> AtomicEnum<E> {
    fn new(value: E) -> AtomicEnum<E> {
        AtomicEnum(AtomicU32::new(value.to_u32()), PhantomData)
    }

    fn load(&self, order: Ordering) -> E {
        E::from_u32(self.0.load(order))
    }

    fn store(&self, value: E, order: Ordering) {
        self.0.store(value.to_u32(), order);
    }

    fn swap(&self, value: E, order: Ordering) -> E {
        E::from_u32(self.0.swap(value.to_u32(), order))
    }

    /// Exchanges `current` for `new`; the error is the value found instead.
    fn compare_exchange(&self, current: E, new: E, success: Ordering, failure: Ordering) -> Result<E, E> {
        let exchanged = self.0.compare_exchange(current.to_u32(), new.to_u32(), success, failure);
        exchanged.map(E::from_u32).map_err(E::from_u32)
    }
}

impl<T> WorkerSlot<T> {
    fn new() -> WorkerSlot<T> {
        let control = SlotControl {
            state: AtomicEnum::new(SlotState::Vacant),
            sleep: Mutex::new(()),
            ended: Condvar::new(),
        };
        let mailbox = Mailbox { state: AtomicEnum::new(TaskState::Empty), task: HandoffCell::empty() };
        WorkerSlot { control: CachePadded::new(control), mailbox: CachePadded::new(mailbox) }
    }

    /// Changes the state of the slot if it is `from`. Returns true if so.
    fn transition(&self, from: SlotState, to: SlotState) -> bool {
        let state = &self.control.state;
        // The load comes first because it does not take the cache line from its owner, as a failing exchange would.
        state.load(Ordering::Relaxed) == from
            && state.compare_exchange(from, to, Ordering::AcqRel, Ordering::Relaxed).is_ok()
    }

    /// Puts a task into the mailbox, by the submitter that has reserved the slot.
    fn put_task(&self, task: T, state: TaskState) {
        // SAFETY: the previous task was taken by the worker or taken back by its submitter, and both happened before
        // the slot was reserved for this one.
        unsafe { self.mailbox.task.put(task) };
        self.mailbox.state.store(state, Ordering::Release);
    }

    /// Takes the next task. Returns it, and whether its submitter waits for its end; `None` if no task has come while
    /// `may_spin` returned true, after vacating the slot.
    fn next_task(&self, mut may_spin: impl FnMut() -> bool) -> Option<(T, bool)> {
        let state = &self.mailbox.state;
        loop {
            let is_joinable = match state.compare_exchange(
                TaskState::Joinable,
                TaskState::Running,
                Ordering::Acquire,
                Ordering::Acquire,
            ) {
                Ok(_) => Some(true),
                Err(TaskState::Detached) => Some(false),
                Err(_) => None,
            };
            if let Some(is_joinable) = is_joinable {
                // SAFETY: the mailbox has a task, and only the worker takes a detached or a running one.
                return Some((unsafe { self.mailbox.task.take() }, is_joinable));
            }
            if !may_spin() && self.transition(SlotState::Idle, SlotState::Vacant) {
                return None;
            }
        }
    }

    /// Reports the end of a task to the waiting submitter.
    fn report_end(&self, succeeded: bool) {
        let end = if succeeded { TaskState::Done } else { TaskState::Failed };
        if self.mailbox.state.swap(end, Ordering::AcqRel) == TaskState::RunningAwaited {
            let _sleep = self.control.sleep.lock();
            self.control.ended.notify_all();
        }
    }
}

impl<T: Send> IdleWorkers<T> {
    /// Creates slots for at most `max` workers, all vacant.
    pub fn new(max: usize) -> IdleWorkers<T> {
        let slots = (0..max).map(|_| WorkerSlot::new()).collect();
        IdleWorkers { slots, jobs: CachePadded::new(AtomicU32::new(0)) }
    }

    /// Counts a job that wants workers.
    pub fn count_job(&self) -> CountedJob<'_> {
        self.jobs.fetch_add(1, Ordering::Relaxed);
        CountedJob { jobs: &self.jobs }
    }

    /// Returns the number of jobs that want workers.
    pub fn jobs(&self) -> usize {
        self.jobs.load(Ordering::Relaxed) as usize
    }

    /// Checks whether a worker is idle. Busy workers may become idle soon: while `may_spin` returns true, and there are
    /// any, the check is repeated.
    pub fn presence(&self, mut may_spin: impl FnMut() -> bool) -> Presence {
        loop {
            let mut states = self.slots.iter().map(|slot| slot.control.state.load(Ordering::Relaxed));
            let mut has_worker = false;
            if states.any(|state| {
                has_worker |= state != SlotState::Vacant;
                state == SlotState::Idle
            }) {
                return Presence::Idle;
            }
            if !has_worker {
                return Presence::Asleep;
            }
            if !may_spin() {
                return Presence::Busy;
            }
        }
    }

    /// Submits a detached task to the worker of slot `wanted` if that is idle, else to an idle one of the slots from
    /// `first_other` on. Returns the task if there is none.
    pub fn submit(&self, task: T, wanted: usize, first_other: usize) -> Result<(), T> {
        let others = self.slots.iter().skip(first_other);
        let mut slots = self.slots.get(wanted).into_iter().chain(others);
        let Some(slot) = slots.find(|slot| slot.transition(SlotState::Idle, SlotState::Reserved)) else {
            return Err(task);
        };
        slot.put_task(task, TaskState::Detached);
        Ok(())
    }

    /// Checks whether a slot is vacant, so that a woken thread could take it.
    pub fn has_vacant(&self) -> bool {
        self.slots.iter().any(|slot| slot.control.state.load(Ordering::Relaxed) == SlotState::Vacant)
    }

    /// Reserves up to `count` idle workers, for tasks whose ends the caller waits for.
    pub fn reserve(&self, count: usize) -> impl Iterator<Item = ReservedWorker<'_, T>> {
        let reserved = self.slots.iter().filter(|slot| slot.transition(SlotState::Idle, SlotState::Reserved));
        reserved.take(count).map(|slot| ReservedWorker { slot })
    }

    /// Makes the calling thread an idle worker if a slot is vacant, that of slot `wanted` if possible. Runs tasks with
    /// `run`, which returns true on success, until no task has come for a whole spin budget. `spin_budget` creates the
    /// budget for the wait before each task.
    pub fn run_idle<W: FnMut() -> bool>(
        &self,
        wanted: usize,
        spin_budget: impl Fn() -> W,
        run: impl Fn(T) -> bool,
    ) {
        let mut slots = self.slots.get(wanted).into_iter().chain(&self.slots);
        let vacant = slots.find(|slot| slot.transition(SlotState::Vacant, SlotState::Idle));
        let Some(slot) = vacant else { return };
        while let Some((task, is_joinable)) = slot.next_task(spin_budget()) {
            let succeeded = run(task);
            if is_joinable {
                slot.report_end(succeeded);
            } else {
                slot.mailbox.state.store(TaskState::Empty, Ordering::Relaxed);
                slot.control.state.store(SlotState::Idle, Ordering::Release);
            }
        }
    }
}

/// Idle worker that is reserved for the calling thread. Dropping it makes the worker available again.
pub(crate) struct ReservedWorker<'a, T> {
    slot: &'a WorkerSlot<T>,
}

impl<'a, T> ReservedWorker<'a, T> {
    /// Starts a task on the worker.
    pub fn start(self, task: T) -> PendingTask<'a, T> {
        self.slot.put_task(task, TaskState::Joinable);
        PendingTask { worker: self }
    }
}

impl<T> Drop for ReservedWorker<'_, T> {
    fn drop(&mut self) {
        self.slot.control.state.store(SlotState::Idle, Ordering::Release);
    }
}

/// Task of a reserved worker. Its submitter must join it: nothing else detects its end.
#[must_use = "it may not be done"]
pub(crate) struct PendingTask<'a, T> {
    worker: ReservedWorker<'a, T>,
}

/// End of a joined task.
#[derive(Debug, PartialEq, Eq)]
pub(crate) enum TaskEnd {
    Done,
    Failed,
    /// The task was taken back before it began, and will not run.
    TakenBack,
}

impl<T> PendingTask<'_, T> {
    /// Takes the task back if it has not begun, else waits for its end: spinning for the budget that `spin_budget`
    /// creates, then asleep.
    pub fn join<W: FnMut() -> bool>(self, spin_budget: impl Fn() -> W) -> TaskEnd {
        let slot = self.worker.slot;
        let state = &slot.mailbox.state;
        let mut may_spin = None;
        loop {
            match state.load(Ordering::Acquire) {
                TaskState::Done => return TaskEnd::Done,
                TaskState::Failed => return TaskEnd::Failed,
                TaskState::Joinable => {
                    let (from, to) = (TaskState::Joinable, TaskState::Empty);
                    if state.compare_exchange(from, to, Ordering::Relaxed, Ordering::Relaxed).is_ok() {
                        // SAFETY: this thread has put the task, and no worker has claimed it.
                        drop(unsafe { slot.mailbox.task.take() });
                        return TaskEnd::TakenBack;
                    }
                }
                TaskState::Empty | TaskState::Detached | TaskState::Running | TaskState::RunningAwaited => {
                    if !may_spin.get_or_insert_with(&spin_budget)() {
                        Self::sleep(slot);
                    }
                }
            }
        }
    }

    /// Sleeps until the task has ended.
    fn sleep(WorkerSlot { control, mailbox }: &WorkerSlot<T>) {
        let mut sleep = control.sleep.lock();
        let (from, to) = (TaskState::Running, TaskState::RunningAwaited);
        // Fails if the task has ended in the meantime.
        let _ = mailbox.state.compare_exchange(from, to, Ordering::Relaxed, Ordering::Relaxed);
        while mailbox.state.load(Ordering::Relaxed) == TaskState::RunningAwaited {
            sleep = control.ended.wait(sleep);
        }
    }
}
