//! Threads that run one after the other, in cyclic order.

use std::sync::{Arc, Condvar, Mutex, MutexGuard};

pub struct RoundRobin {
    state: Mutex<State>,
    changed: Condvar,
}

struct State {
    now: usize,
    is_there: Vec<bool>,
}

impl RoundRobin {
    /// Creates the order of `threads` threads, of which the first one begins.
    pub fn new(threads: usize) -> Arc<RoundRobin> {
        let state = State { now: 0, is_there: vec![true; threads] };
        Arc::new(RoundRobin { state: Mutex::new(state), changed: Condvar::new() })
    }

    /// Waits until it is the turn of thread `me`.
    pub fn wait(&self, me: usize) {
        let mut state = self.lock();
        while state.now != me {
            state = self.changed.wait(state).expect("nobody panics here");
        }
    }

    /// Gives each other thread that has not left one turn.
    pub fn pass(&self, me: usize) {
        self.next(me);
        self.wait(me);
    }

    /// Removes thread `me` from the order.
    pub fn leave(&self, me: usize) {
        self.lock().is_there[me] = false;
        self.next(me);
    }

    fn next(&self, me: usize) {
        let mut state = self.lock();
        let count = state.is_there.len();
        let next = (1..=count).map(|at| (me + at) % count).find(|&other| state.is_there[other]);
        state.now = next.unwrap_or(count);
        drop(state);
        self.changed.notify_all();
    }

    fn lock(&self) -> MutexGuard<'_, State> {
        self.state.lock().expect("nobody panics here")
    }
}
