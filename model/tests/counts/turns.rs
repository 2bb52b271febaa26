//! Threads that run one after the other.

use std::sync::{Arc, Condvar, Mutex, MutexGuard};

pub struct Turns {
    state: Mutex<State>,
    changed: Condvar,
}

struct State {
    now: usize,
    is_there: Vec<bool>,
}

impl Turns {
    /// All of them are there; the first one begins.
    pub fn new(threads: usize) -> Arc<Turns> {
        let state = State { now: 0, is_there: vec![true; threads] };
        Arc::new(Turns { state: Mutex::new(state), changed: Condvar::new() })
    }

    /// Until it is this one's turn.
    pub fn wait(&self, me: usize) {
        let mut state = self.lock();
        while state.now != me {
            state = self.changed.wait(state).expect("nobody panics here");
        }
    }

    /// All others that are there have a turn.
    pub fn pass(&self, me: usize) {
        self.next(me);
        self.wait(me);
    }

    /// This one is not there any more.
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
