//! Events: the status only decreases, and each callback is called once, with the status that it was registered for.

mod common;

use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

use common::{Gate, KINDS, context, free, queue};
use grus_model::cl::*;
use grus_model::harness::explore;
use grus_model::runtime::event::Event;
use grus_model::runtime::object::Object;
use loom::thread;

/// Registers a callback that increments `count` when `event` reaches a status.
fn listen(event: &Arc<Object<Event>>, wanted: cl_int, count: &Arc<AtomicUsize>, gate: &Arc<Gate>) {
    let (count, gate) = (Arc::clone(count), Arc::clone(gate));
    let callback = move |_, status| {
        assert!(status == wanted || status < 0);
        count.fetch_add(1, Ordering::Relaxed);
        gate.arrive().expect("it does");
    };
    event.on_status(wanted, Box::new(callback));
}

/// A command ends while callbacks for all its statuses are registered. No thread waits for it: the callbacks are
/// called anyway.
#[test]
fn callbacks_are_called_once() {
    for kind in KINDS {
        for wanted in [[CL_SUBMITTED, CL_COMPLETE], [CL_RUNNING, CL_COMPLETE], [CL_COMPLETE, CL_COMPLETE]] {
            explore(1, move || {
                let (queue, gate) = (queue(kind), Gate::new());
                let counts: [Arc<AtomicUsize>; 2] = Default::default();
                let event = free(&queue, &[], || Ok(()));
                queue.flush();
                for (wanted, count) in wanted.into_iter().zip(&counts) {
                    listen(&event, wanted, count, &gate);
                }
                gate.wait_for(2);
                assert_eq!(event.wait(), CL_COMPLETE);
                assert!(counts.iter().all(|count| count.load(Ordering::Relaxed) == 1));
            });
        }
    }
}

/// A user event is completed while two threads register callbacks.
#[test]
fn callbacks_of_user_events_are_called_once() {
    for status in [CL_COMPLETE, -5] {
        explore(0, move || {
            let user = Event::user(&context());
            let (count, gate) = (Arc::default(), Gate::new());
            let other = {
                let (user, count, gate) = (Arc::clone(&user), Arc::clone(&count), Arc::clone(&gate));
                thread::spawn(move || listen(&user, CL_COMPLETE, &count, &gate))
            };
            let ends = {
                let user = Arc::clone(&user);
                thread::spawn(move || user.set_user_status(status).expect("the first time"))
            };
            listen(&user, CL_COMPLETE, &count, &gate);
            other.join().expect("it ends");
            ends.join().expect("it ends");
            assert_eq!(count.load(Ordering::Relaxed), 2);
        });
    }
}

/// Every thread sees the status only decrease, in whatever order the threads look.
#[test]
fn a_status_only_falls() {
    for kind in KINDS {
        explore(1, move || {
            let queue = queue(kind);
            let event = free(&queue, &[], || Ok(()));
            let watcher = {
                let event = Arc::clone(&event);
                thread::spawn(move || {
                    let mut last = CL_QUEUED;
                    for _ in 0..3 {
                        let status = event.status();
                        assert!(status <= last, "{last} became {status}");
                        last = status;
                    }
                })
            };
            queue.flush();
            let flushed = event.status();
            assert!(flushed <= CL_SUBMITTED);
            assert_eq!(event.wait(), CL_COMPLETE);
            watcher.join().expect("it ends");
        });
    }
}

/// An event that two commands wait for ends while a third one is made dependent on it.
#[test]
fn dependents_hear_of_the_end() {
    for kind in KINDS {
        for (status, expected) in
            [(CL_COMPLETE, CL_COMPLETE), (-5, CL_EXEC_STATUS_ERROR_FOR_EVENTS_IN_WAIT_LIST)]
        {
            explore(1, move || {
                let queue = queue(kind);
                let user = Event::user(queue.context());
                let first = free(&queue, &[Arc::clone(&user)], || Ok(()));
                let ends = {
                    let user = Arc::clone(&user);
                    thread::spawn(move || user.set_user_status(status).expect("the first time"))
                };
                let second = free(&queue, &[user, Arc::clone(&first)], || Ok(()));
                queue.flush();
                assert_eq!(second.wait(), expected);
                assert_eq!(first.status(), expected);
                ends.join().expect("it ends");
            });
        }
    }
}

/// A callback enqueues a command and waits for it, while the application waits for both.
#[test]
fn callbacks_may_wait() {
    for kind in KINDS {
        explore(1, move || {
            let (queue, gate) = (queue(kind), Gate::new());
            let event = free(&queue, &[], || Ok(()));
            let (inner, arrive) = (Arc::clone(&queue), Arc::clone(&gate));
            let callback = move |_, _| {
                assert_eq!(free(&inner, &[], || Ok(())).wait(), CL_COMPLETE);
                arrive.arrive().expect("it does");
            };
            event.on_status(CL_COMPLETE, Box::new(callback));
            drop(event);
            queue.finish();
            gate.wait_for(1);
        });
    }
}
