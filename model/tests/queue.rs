//! Queues of both kinds: every command runs once and is seen to have ended, whichever thread runs it.

mod common;

use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

use common::{Gate, KINDS, context, counting, free, queue};
use grus_model::cl::*;
use grus_model::harness::explore;
use grus_model::runtime::event::Event;
use grus_model::runtime::object::Object;
use grus_model::runtime::queue::QueueOrder;
use grus_model::support::bug::panic_on_purpose;
use loom::thread;

fn ran(count: &AtomicUsize) -> usize {
    count.load(Ordering::Relaxed)
}

#[test]
fn a_finishing_thread_and_the_pool_run_each_command_once() {
    for kind in KINDS {
        explore(1, move || {
            let (queue, count) = (queue(kind), Arc::default());
            free(&queue, &[], counting(&count));
            queue.flush();
            free(&queue, &[], counting(&count));
            queue.finish();
            assert_eq!(ran(&count), 2);
        });
    }
}

/// One thread enqueues and finishes while another does.
#[test]
fn two_threads_finish_one_queue() {
    for kind in KINDS {
        explore(1, move || {
            let (queue, count) = (queue(kind), Arc::default());
            let other = {
                let (queue, count) = (Arc::clone(&queue), Arc::clone(&count));
                thread::spawn(move || {
                    let event = free(&queue, &[], counting(&count));
                    queue.finish();
                    assert_eq!(event.status(), CL_COMPLETE);
                })
            };
            let event = free(&queue, &[], counting(&count));
            queue.finish();
            assert_eq!(event.status(), CL_COMPLETE);
            other.join().expect("it ends");
            assert_eq!(ran(&count), 2);
        });
    }
}

/// A blocking call runs its command without an event if no command precedes it. Other threads finish or only flush
/// meanwhile.
#[test]
fn blocking_calls_leave_nothing_behind() {
    for flushes in [false, true] {
        explore(1, move || {
            let (queue, gate) = (queue(0), Gate::new());
            let other = {
                let (queue, gate) = (Arc::clone(&queue), Arc::clone(&gate));
                thread::spawn(move || {
                    let arrive = Arc::clone(&gate);
                    common::bare(&queue, move || arrive.arrive());
                    if flushes {
                        queue.flush();
                    } else {
                        queue.finish();
                    }
                    // A finish leaves no command to wait for.
                    gate.wait_for(1);
                })
            };
            let count = Arc::default();
            assert_eq!(queue.run_blocking(counting(&count)), Ok(()));
            assert_eq!(ran(&count), 1);
            other.join().expect("it ends");
        });
    }
}

/// Two blocking calls at once.
#[test]
fn blocking_calls_take_turns() {
    explore(1, move || {
        let (queue, count) = (queue(0), Arc::default());
        let other = {
            let (queue, count) = (Arc::clone(&queue), Arc::clone(&count));
            thread::spawn(move || assert_eq!(queue.run_blocking(counting(&count)), Ok(())))
        };
        assert_eq!(queue.run_blocking(counting(&count)), Ok(()));
        other.join().expect("it ends");
        assert_eq!(ran(&count), 2);
    });
}

/// Commands without events, whose end only a thread that finishes the queue observes.
#[test]
fn two_threads_finish_commands_without_events() {
    explore(1, move || {
        let queue = queue(0);
        let other = {
            let queue = Arc::clone(&queue);
            thread::spawn(move || {
                let mine = Arc::default();
                common::bare(&queue, counting(&mine));
                queue.flush();
                queue.finish();
                assert_eq!(ran(&mine), 1);
            })
        };
        let mine = Arc::default();
        common::bare(&queue, counting(&mine));
        queue.finish();
        assert_eq!(ran(&mine), 1);
        other.join().expect("it ends");
    });
}

/// Flushed commands run although no thread waits for them.
#[test]
fn what_was_flushed_runs_by_itself() {
    for kind in KINDS {
        for workers in [1, 2] {
            explore(workers, move || {
                let (queue, gate) = (queue(kind), Gate::new());
                for _ in 0..2 {
                    let gate = Arc::clone(&gate);
                    free(&queue, &[], move || gate.arrive());
                }
                queue.flush();
                gate.wait_for(2);
            });
        }
    }
}

/// A thread that waits for its own command leaves commands that other threads have flushed meanwhile to the pool.
#[test]
fn what_others_flush_runs_while_a_thread_waits() {
    for kind in KINDS {
        explore(1, move || {
            let (queue, gate) = (queue(kind), Gate::new());
            let mine = free(&queue, &[], || Ok(()));
            let other = {
                let (queue, gate) = (Arc::clone(&queue), Arc::clone(&gate));
                thread::spawn(move || {
                    let arrive = Arc::clone(&gate);
                    free(&queue, &[], move || arrive.arrive());
                    queue.flush();
                    gate.wait_for(1);
                })
            };
            assert_eq!(mine.wait(), CL_COMPLETE);
            other.join().expect("it ends");
        });
    }
}

/// A command blocks until a command of another queue has run: a sleeping thread is not counted on twice.
#[test]
fn commands_that_block_leave_others_a_thread() {
    for kind in KINDS {
        explore(2, move || {
            let (one, two, gate) = (queue(kind), queue(kind), Gate::new());
            // The first command lets a thread of the pool start, which may be asleep by then.
            let arrive = Arc::clone(&gate);
            free(&two, &[], move || arrive.arrive());
            two.flush();
            gate.wait_for(1);
            let (waits, arrive) = (Arc::clone(&gate), Arc::clone(&gate));
            free(&one, &[], move || {
                waits.wait_for(2);
                waits.arrive()
            });
            one.flush();
            free(&two, &[], move || arrive.arrive());
            two.flush();
            gate.wait_for(3);
        });
    }
}

/// Two threads enqueue and flush at once.
#[test]
fn flushes_of_two_threads_lose_nothing() {
    for kind in KINDS {
        explore(2, move || {
            let (queue, gate) = (queue(kind), Gate::new());
            let push = {
                let (queue, gate) = (Arc::clone(&queue), Arc::clone(&gate));
                move || {
                    free(&queue, &[], move || gate.arrive());
                    queue.flush();
                }
            };
            let other = thread::spawn(push.clone());
            push();
            gate.wait_for(2);
            other.join().expect("it ends");
        });
    }
}

/// A command waits for an event that the application completes on another thread, with or without a waiting thread.
#[test]
fn what_waits_for_a_user_event_runs_when_that_completes() {
    for kind in KINDS {
        for waits in [false, true] {
            explore(1, move || {
                let (queue, count, gate) = (queue(kind), Arc::default(), Gate::new());
                let user = Event::user(queue.context());
                let other = {
                    let user = Arc::clone(&user);
                    thread::spawn(move || user.set_user_status(CL_COMPLETE).expect("the first time"))
                };
                let (counted, arrived) = (counting(&count), Arc::clone(&gate));
                let event = free(&queue, &[user], move || {
                    counted()?;
                    arrived.arrive()
                });
                if waits {
                    assert_eq!(event.wait(), CL_COMPLETE);
                } else {
                    queue.flush();
                    gate.wait_for(1);
                }
                other.join().expect("it ends");
                assert_eq!(ran(&count), 1);
            });
        }
    }
}

/// A thread that waits for the first command also takes the second one, which cannot run yet, and puts it back.
#[test]
fn what_is_put_back_runs_later() {
    for kind in KINDS {
        explore(1, move || {
            let (queue, count, gate) = (queue(kind), Arc::default(), Gate::new());
            let user = Event::user(queue.context());
            let first = free(&queue, &[], counting(&count));
            let arrive = Arc::clone(&gate);
            free(&queue, &[Arc::clone(&user)], move || arrive.arrive());
            let other = thread::spawn(move || user.set_user_status(CL_COMPLETE).expect("the first time"));
            assert_eq!(first.wait(), CL_COMPLETE);
            queue.flush();
            gate.wait_for(1);
            other.join().expect("it ends");
        });
    }
}

/// Flushing one queue also flushes the queues that its commands wait for.
#[test]
fn queues_that_wait_for_each_other_run() {
    for (one, other) in [(0, 0), (KINDS[0], 0), (0, KINDS[0])] {
        explore(1, move || {
            let (one, other, count) = (queue(one), queue(other), Arc::default());
            let first = free(&one, &[], counting(&count));
            let second = free(&other, &[first], counting(&count));
            free(&one, &[second], counting(&count));
            one.finish();
            assert_eq!(ran(&count), 3);
        });
        explore(1, move || {
            let (one, other, gate) = (queue(one), queue(other), Gate::new());
            let first = free(&one, &[], || Ok(()));
            let arrive = Arc::clone(&gate);
            free(&other, &[first], move || arrive.arrive());
            other.flush();
            gate.wait_for(1);
        });
    }
}

/// Each of two threads waits for an event of the queue that the other one runs.
#[test]
fn threads_that_wait_across_queues_do_not_wait_for_each_other() {
    for kind in KINDS {
        explore(0, move || {
            let (one, two, count) = (queue(kind), queue(kind), Arc::default());
            let first = free(&one, &[], counting(&count));
            let second = free(&two, &[Arc::clone(&first)], counting(&count));
            let third = free(&one, &[Arc::clone(&second)], counting(&count));
            let other = thread::spawn(move || assert_eq!(second.wait(), CL_COMPLETE));
            assert_eq!(third.wait(), CL_COMPLETE);
            other.join().expect("it ends");
            assert_eq!(ran(&count), 3);
        });
    }
}

/// The application's threads run flushed commands if no thread can be started.
#[test]
fn without_threads_the_application_runs_what_was_flushed() {
    for kind in KINDS {
        explore(0, move || {
            let (queue, count) = (queue(kind), Arc::default());
            let user = Event::user(queue.context());
            free(&queue, &[Arc::clone(&user)], counting(&count));
            queue.flush();
            let other = thread::spawn(move || user.set_user_status(CL_COMPLETE).expect("the first time"));
            queue.flush();
            other.join().expect("it ends");
            // The thread that came last has run the command.
            assert_eq!(ran(&count), 1);
        });
    }
}

/// A barrier orders the commands behind it after the commands before it.
#[test]
fn barriers_hold() {
    explore(2, || {
        let (queue, count, seen) = (queue(KINDS[0]), Arc::default(), Arc::new(AtomicUsize::new(usize::MAX)));
        for _ in 0..2 {
            free(&queue, &[], counting(&count));
        }
        queue
            .enqueue(CL_COMMAND_BARRIER, &[], QueueOrder::Barrier { after_all: true }, None)
            .expect("memory");
        let (before, saw) = (Arc::clone(&count), Arc::clone(&seen));
        free(&queue, &[], move || {
            saw.store(ran(&before), Ordering::Relaxed);
            Ok(())
        });
        queue.flush();
        queue.finish();
        assert_eq!(ran(&seen), 2);
    });
}

/// A command that fails or panics fails the commands that wait for its event, and nothing else.
#[test]
fn a_bug_in_a_command_ends_that_command() {
    for kind in KINDS {
        explore(1, move || {
            let (queue, count) = (queue(kind), Arc::default());
            let bad = free(&queue, &[], || panic_on_purpose());
            let waiting = free(&queue, &[Arc::clone(&bad)], counting(&count));
            let other = free(&queue, &[], counting(&count));
            queue.flush();
            queue.finish();
            assert_eq!(bad.status(), CL_OUT_OF_HOST_MEMORY);
            assert_eq!(waiting.status(), CL_EXEC_STATUS_ERROR_FOR_EVENTS_IN_WAIT_LIST);
            assert_eq!(other.status(), CL_COMPLETE);
            assert_eq!(ran(&count), 1);
        });
    }
}

/// Everything that commands held, the queue included, is released as soon as the library's threads have looked at
/// it.
#[test]
fn nothing_is_left_behind() {
    for kind in KINDS {
        explore(1, move || {
            let token = Arc::new(());
            let queue = queue(kind);
            let weak: std::sync::Weak<Object<_>> = Arc::downgrade(&queue);
            let held = Arc::clone(&token);
            free(&queue, &[], move || {
                drop(held);
                Ok(())
            });
            queue.flush();
            queue.finish();
            assert_eq!(Arc::strong_count(&token), 1);
            drop(queue);
            grus_model::harness::close();
            assert_eq!(weak.strong_count(), 0);
        });
    }
}

/// A context is needed for user events only.
#[test]
fn waiting_for_a_user_event_ends_when_it_does() {
    explore(0, || {
        let user = Event::user(&context());
        let waiter = {
            let user = Arc::clone(&user);
            thread::spawn(move || assert_eq!(user.wait(), -1))
        };
        let rival = {
            let user = Arc::clone(&user);
            thread::spawn(move || user.set_user_status(-1).is_ok())
        };
        let first = user.set_user_status(-1).is_ok();
        let second = rival.join().expect("it ends");
        assert!(first != second);
        waiter.join().expect("it ends");
    });
}
