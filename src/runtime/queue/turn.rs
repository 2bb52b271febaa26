//! In-order queues: turns, and who waits for what has ended.
//!
//! Who runs an in-order queue takes a few commands from the head of its line at once, a turn, so that threads that enqueue
//! and threads that run rarely meet at the lock. Only who has the turn runs commands, and counts those that have ended.

use std::sync::atomic::{AtomicU64, Ordering};
use std::time::{Duration, Instant};

use smallvec::SmallVec;

use super::{CROWD, Queue, RUNS, State};
use crate::exec::Runner;
use crate::runtime::command::{Code, Command};
use crate::runtime::object::Object;
use crate::support::fork;
use crate::support::sync::{Condvar, Mutex};

/// Commands that are shorter run faster where they were enqueued than on another thread, and wait for who waits for them.
const SHORT: Duration = Duration::from_micros(4);

/// Commands that a thread takes from the line at once.
pub(super) const TURN: usize = 16;

/// Commands that a thread has taken from the head of a line.
#[derive(Default)]
pub(super) struct Turn {
    /// Those that have run have become nothing.
    commands: SmallVec<[Command; TURN]>,
    /// The first that has not run.
    next: usize,
    /// When it began, if that is of interest.
    start: Option<Instant>,
}

impl Turn {
    /// The next command, if it can run: it may wait for what is not of this queue.
    fn next(&mut self) -> Option<&mut Command> {
        let command = self.commands.get_mut(self.next).filter(|command| command.is_ready())?;
        self.next += 1;
        Some(command)
    }
}

impl Queue {
    /// The next commands, if the first can run and nobody else is at it.
    pub(super) fn take_turn(&self, state: &mut State, turn: &mut Turn) -> bool {
        if state.running || !state.line.front().is_some_and(Command::is_ready) {
            return false;
        }
        state.running = true;
        let count = state.line.len().min(TURN);
        turn.commands.extend(state.line.drain(..count));
        // Looking at the clock costs something, too.
        turn.start = (count == TURN).then(Instant::now);
        if state.crowd > 0 && state.line.len() < CROWD / 2 {
            self.room.notify_all();
        }
        true
    }

    /// What of a turn has not run goes back to the head of the line. Returns whether there is a line.
    fn end_turn(&self, turn: &mut Turn) -> bool {
        let took = turn.start.take().map(|start| start.elapsed());
        let ran = turn.next;
        let left = turn.commands.drain(turn.next..);
        let mut state = self.state.lock();
        state.running = false;
        if let Some(took) = took {
            state.short = took < SHORT * ran as u32;
        }
        for command in left.rev() {
            state.line.push_front(command);
        }
        let more = !state.line.is_empty();
        let itself = if more { None } else { state.itself.take() };
        // What a very long line took is not kept.
        if !more && state.line.capacity() > 4 * CROWD {
            state.line.shrink_to(CROWD);
        }
        drop(state);
        // Never the last reference: who runs commands has one.
        drop(itself);
        turn.commands.clear();
        turn.next = 0;
        more
    }
}

impl Object<Queue> {
    /// Runs `turn`, unless it is empty, and further ones, until nothing can run or `over` says so. Returns whether
    /// something may be left that can run.
    pub(super) fn run_line(&self, turn: &mut Turn, over: &impl Fn() -> bool) -> bool {
        let before = RUNS.replace(true);
        let mut runner = Runner::default();
        let mut left = true;
        while left {
            if turn.commands.is_empty() {
                if over() {
                    break;
                }
                let mut state = self.state.lock();
                left = self.take_turn(&mut state, turn);
                drop(state);
            }
            // If there is no turn to take, nothing can run, or who runs it takes the next turn as well.
            left = left && self.run_turn(turn, &mut runner, over);
        }
        RUNS.set(before);
        left
    }

    /// Returns whether more commands were in the line when the turn ended. Those that come later find that nobody has a
    /// turn.
    fn run_turn(&self, turn: &mut Turn, runner: &mut Runner, over: &impl Fn() -> bool) -> bool {
        while let Some(command) = turn.next() {
            match command {
                Command::Silent(code) => {
                    // It has been reported, and there is nobody else to tell.
                    let _ = code.run(self, runner, &mut || ());
                    self.ended.count(&self.state);
                }
                Command::Told(_) => {
                    let Command::Told(event) = std::mem::replace(command, Command::Silent(Code::Nothing))
                    else {
                        continue;
                    };
                    let ended = event.execute(self, runner);
                    self.ended.count(&self.state);
                    // A callback may do anything, even wait for what comes next in the line.
                    if ended.is_awaited() {
                        let more = self.end_turn(turn);
                        runner.rest();
                        ended.tell(&event);
                        return more;
                    }
                }
            }
            if over() {
                break;
            }
        }
        self.end_turn(turn)
    }
}

/// How many commands of a queue have ended.
pub(super) struct Ended {
    /// Written by who has the turn.
    count: AtomicU64,
    /// The least count that somebody sleeps for, or less; all ones if nobody does. Written under the queue's lock.
    wanted: AtomicU64,
    /// Where they sleep.
    reached: Condvar,
}

/// Nobody sleeps.
const NOBODY: u64 = u64::MAX;

/// A nap of who cannot rely on being woken.
const NAP: Duration = Duration::from_millis(1);

impl Ended {
    /// None.
    pub fn new() -> Self {
        Self { count: AtomicU64::new(0), wanted: AtomicU64::new(NOBODY), reached: Condvar::new() }
    }

    /// Whether the first so many commands have ended.
    pub fn reaches(&self, number: u64) -> bool {
        self.count.load(Ordering::Acquire) >= number
    }

    /// One more has. Only for who has the turn; `lock` is the queue's.
    fn count(&self, lock: &Mutex<State>) {
        let count = self.count.load(Ordering::Relaxed) + 1;
        self.count.store(count, Ordering::Release);
        // Who is going to sleep says so and then looks at the count; this counts and then looks who sleeps. With a fence
        // between both on both sides, either this sees the other, or the other the count.
        fork::light_fence();
        if self.wanted.load(Ordering::Relaxed) <= count {
            self.wake(lock);
        }
    }

    #[cold]
    fn wake(&self, lock: &Mutex<State>) {
        // Who sleeps has looked under the lock, and sleeps once this thread has it. Who has not slept enough says so anew.
        let state = lock.lock();
        self.wanted.store(NOBODY, Ordering::Relaxed);
        drop(state);
        self.reached.notify_all();
    }

    /// Sleeps until the first so many commands have ended.
    pub fn sleep_until(&self, number: u64, lock: &Mutex<State>) {
        let mut state = lock.lock();
        loop {
            let wanted = self.wanted.load(Ordering::Relaxed);
            self.wanted.store(wanted.min(number), Ordering::Relaxed);
            let is_fenced = fork::heavy_fence();
            if self.reaches(number) {
                break;
            }
            state = if is_fenced { self.reached.wait(state) } else { self.reached.wait_timeout(state, NAP) };
        }
        drop(state);
    }
}

#[cfg(test)]
mod tests {
    use std::sync::atomic::AtomicUsize;
    use std::sync::{Arc, mpsc};

    use super::*;
    use crate::cl::*;
    use crate::runtime::context::Context;
    use crate::runtime::device::Device;
    use crate::runtime::event::Work;

    fn queue() -> Arc<Object<Queue>> {
        let device = Object::new(Device::root());
        let context = Context::create(&[Arc::clone(&device)], Vec::new(), None);
        Queue::create(&context, &device, 0, None, Vec::new()).unwrap()
    }

    fn silent(queue: &Arc<Object<Queue>>, work: Work) {
        let event = queue.enqueue_code(CL_COMMAND_NATIVE_KERNEL, &[], Code::Work(Some(work)), false);
        assert!(event.unwrap().is_none());
    }

    #[test]
    fn every_thread_that_finishes_finds_its_silent_commands_done() {
        let queue = queue();
        std::thread::scope(|scope| {
            for thread in 1..4 {
                let queue = &queue;
                scope.spawn(move || {
                    for round in 0..300 {
                        let ran = Arc::new(AtomicUsize::new(0));
                        let count = thread * round % 50;
                        for _ in 0..count {
                            let ran = Arc::clone(&ran);
                            let work = move || {
                                ran.fetch_add(1, Ordering::Relaxed);
                                Ok(())
                            };
                            silent(queue, Box::new(work));
                        }
                        if round % 3 == 0 {
                            queue.flush();
                        }
                        queue.finish();
                        assert_eq!(ran.load(Ordering::Relaxed), count);
                    }
                });
            }
        });
        // The pool may still look for work; its look is short.
        let weak = Arc::downgrade(&queue);
        drop(queue);
        while weak.strong_count() != 0 {
            std::thread::yield_now();
        }
    }

    #[test]
    fn who_sleeps_wakes_when_the_command_has_ended_not_the_turn() {
        for _ in 0..300 {
            let queue = queue();
            let (tell, told) = mpsc::channel();
            silent(&queue, Box::new(|| Ok(())));
            silent(&queue, Box::new(|| Ok(())));
            let wait = move || {
                told.recv().unwrap();
                Ok(())
            };
            silent(&queue, Box::new(wait));
            std::thread::scope(|scope| {
                scope.spawn(|| queue.finish());
                scope.spawn(|| queue.ended.sleep_until(1, &queue.state));
                queue.ended.sleep_until(2, &queue.state);
                assert!(!queue.ended.reaches(3));
                tell.send(()).unwrap();
            });
            assert!(queue.ended.reaches(3));
        }
    }

    #[test]
    fn what_a_silent_command_kept_is_let_go_when_it_fails() {
        let queue = queue();
        let token = Arc::new(());
        for _ in 0..40 {
            let held = Arc::clone(&token);
            let work = move || {
                let _held = held;
                panic!("on purpose")
            };
            silent(&queue, Box::new(work));
        }
        queue.finish();
        assert_eq!(Arc::strong_count(&token), 1);
    }
}
