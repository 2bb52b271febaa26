//! Tests of both kinds of queues with real threads. `model/` explores interleavings.

use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::mpsc;

use super::*;
use crate::runtime::event::wait_for_all;

fn queue(flags: cl_command_queue_properties) -> Arc<Object<Queue>> {
    let device = Object::new(Device::root());
    let context = Context::create(&[Arc::clone(&device)], Vec::new(), None);
    Queue::create(&context, &device, flags, None, Vec::new()).unwrap()
}

const OUT_OF_ORDER: cl_command_queue_properties = CL_QUEUE_OUT_OF_ORDER_EXEC_MODE_ENABLE;

/// Returns a command that counts how often it ran.
fn counting(counter: &Arc<AtomicUsize>) -> CommandTask {
    let counter = Arc::clone(counter);
    Box::new(move || {
        counter.fetch_add(1, Ordering::Relaxed);
        Ok(())
    })
}

fn free(queue: &Arc<Object<Queue>>, waits: &[Arc<Object<Event>>], work: CommandTask) -> Arc<Object<Event>> {
    queue.enqueue(CL_COMMAND_NATIVE_KERNEL, waits, QueueOrder::Free, Some(work)).unwrap()
}

#[test]
fn the_waiting_thread_runs_the_commands() {
    for flags in [0, OUT_OF_ORDER] {
        let queue = queue(flags);
        let here = std::thread::current().id();
        let work = move || {
            assert_eq!(std::thread::current().id(), here);
            Ok(())
        };
        assert_eq!(free(&queue, &[], Box::new(work)).wait(), CL_COMPLETE);
        let event = free(&queue, &[], Box::new(work));
        queue.finish();
        assert_eq!(event.status(), CL_COMPLETE);
    }
}

#[test]
fn a_panic_fails_its_command_only() {
    for flags in [0, OUT_OF_ORDER] {
        let queue = queue(flags);
        let bad = free(&queue, &[], Box::new(|| panic!("on purpose")));
        let dependent = free(&queue, &[Arc::clone(&bad)], Box::new(|| panic!("never runs")));
        let other = free(&queue, &[], Box::new(|| Ok(())));
        queue.flush();
        assert_eq!(other.wait(), CL_COMPLETE);
        assert_eq!(bad.wait(), CL_OUT_OF_HOST_MEMORY);
        assert_eq!(dependent.wait(), CL_EXEC_STATUS_ERROR_FOR_EVENTS_IN_WAIT_LIST);
        assert_eq!(wait_for_all(&[bad, other]), Err(Error::ExecStatusErrorForEventsInWaitList));
    }
}

#[test]
fn commands_may_enqueue_commands() {
    for flags in [0, OUT_OF_ORDER] {
        let queue = queue(flags);
        let inner = Arc::clone(&queue);
        let ran = Arc::new(AtomicUsize::new(0));
        let count = counting(&ran);
        let outer = move || {
            free(&inner, &[], count);
            Ok(())
        };
        free(&queue, &[], Box::new(outer));
        queue.finish();
        queue.finish();
        assert_eq!(ran.load(Ordering::Relaxed), 1);
    }
}

#[test]
fn nothing_is_left_behind() {
    for flags in [0, OUT_OF_ORDER] {
        let queue = queue(flags);
        let gate = Event::user(queue.context());
        let token = Arc::new(());
        for _ in 0..100 {
            let held = Arc::clone(&token);
            let work = move || {
                drop(held);
                Ok(())
            };
            free(&queue, &[Arc::clone(&gate)], Box::new(work));
        }
        let barrier = QueueOrder::Barrier { after_all: true };
        queue.enqueue(CL_COMMAND_BARRIER, &[], barrier, None).unwrap();
        assert_eq!(Arc::strong_count(&token), 101);
        gate.set_user_status(CL_COMPLETE).unwrap();
        queue.finish();
        assert_eq!(Arc::strong_count(&token), 1);
        // A worker may still be looking for commands; that takes a short time.
        let weak = Arc::downgrade(&queue);
        drop((queue, gate));
        while weak.strong_count() != 0 {
            std::thread::yield_now();
        }
    }
}

#[test]
fn what_a_waiting_thread_puts_back_can_still_be_flushed() {
    for flags in [0, OUT_OF_ORDER] {
        let queue = queue(flags);
        let gate = Event::user(queue.context());
        let ran = Arc::new(AtomicUsize::new(0));
        let first = free(&queue, &[], counting(&ran));
        // This is like `wait`, but another thread enqueues after the flush: this thread takes both commands and can
        // run one.
        queue.submit();
        free(&queue, &[Arc::clone(&gate)], counting(&ran));
        queue.run(|| first.is_done());
        assert_eq!(ran.load(Ordering::Relaxed), 1);
        queue.flush();
        gate.set_user_status(CL_COMPLETE).unwrap();
        while ran.load(Ordering::Relaxed) != 2 {
            std::thread::yield_now();
        }
    }
}

#[test]
fn flushed_commands_run_without_anybody_waiting() {
    for flags in [0, OUT_OF_ORDER] {
        let queue = queue(flags);
        let ran = Arc::new(AtomicUsize::new(0));
        for _ in 0..10 {
            free(&queue, &[], counting(&ran));
        }
        queue.flush();
        while ran.load(Ordering::Relaxed) != 10 {
            std::thread::yield_now();
        }
    }
}

fn in_order(queue: &Queue) -> &InOrder {
    match &queue.commands {
        Commands::InOrder(fifo) => fifo,
        Commands::OutOfOrder(_) => panic!("it is out-of-order"),
    }
}

fn bare(queue: &Arc<Object<Queue>>, work: CommandTask) {
    let event = queue.enqueue_body(CL_COMMAND_NATIVE_KERNEL, &unwanted(&[]), CommandBody::Work(Some(work)));
    assert!(event.unwrap().is_none());
}

/// Returns events of a command that waits for `waits` and needs no event itself.
fn unwanted(waits: &[Arc<Object<Event>>]) -> Events {
    Events { waits: waits.iter().cloned().collect(), is_wanted: false }
}

/// Runs a blocking command. Returns whether there was an event.
fn blocking(
    queue: &Arc<Object<Queue>>,
    events: &Events,
    work: impl FnOnce() -> Result<()> + Send + 'static,
) -> Result<bool> {
    Ok(queue.start(CL_COMMAND_NATIVE_KERNEL, true, events, work)?.is_some())
}

#[test]
fn blocking_commands_come_after_those_before_and_say_how_they_end() {
    for flags in [0, CL_QUEUE_PROFILING_ENABLE, OUT_OF_ORDER] {
        let queue = queue(flags);
        let ran = Arc::new(AtomicUsize::new(0));
        let after = |count| {
            let ran = Arc::clone(&ran);
            move || {
                assert_eq!(ran.fetch_add(1, Ordering::Relaxed), count);
                Ok(())
            }
        };
        let is_in_order = flags != OUT_OF_ORDER;
        assert_eq!(blocking(&queue, &unwanted(&[]), after(0)), Ok(!is_in_order));
        let done = free(&queue, &[], Box::new(after(1)));
        assert_eq!(done.wait(), CL_COMPLETE);
        // An event that has ended is equivalent to no event.
        assert_eq!(blocking(&queue, &unwanted(&[Arc::clone(&done)]), after(2)), Ok(!is_in_order));
        let wanted = Events { waits: WaitList::new(), is_wanted: true };
        assert_eq!(blocking(&queue, &wanted, after(3)), Ok(true));
        let before = free(&queue, &[], Box::new(after(4)));
        assert_eq!(blocking(&queue, &unwanted(&[Arc::clone(&before)]), after(5)), Ok(true));
        assert_eq!(before.status(), CL_COMPLETE);
        assert_eq!(
            blocking(&queue, &unwanted(&[]), || Err(Error::OutOfResources)),
            Err(Error::OutOfResources)
        );
        assert_eq!(blocking(&queue, &unwanted(&[]), || panic!("on purpose")), Err(Error::OutOfHostMemory));
        let bad = free(&queue, &[], Box::new(|| Err(Error::OutOfResources)));
        queue.finish();
        let failed = Err(Error::ExecStatusErrorForEventsInWaitList);
        assert_eq!(blocking(&queue, &unwanted(&[bad]), after(6)), failed);
        assert_eq!(blocking(&queue, &unwanted(&[]), after(6)), Ok(!is_in_order));
        queue.finish();
    }
}

/// Mixes commands that are enqueued and flushed, finished, and blocking: each command runs alone, and none is left.
#[test]
fn blocking_commands_and_others_take_turns() {
    let queue = queue(0);
    let ran = Arc::new(AtomicUsize::new(0));
    let inside = Arc::new(AtomicUsize::new(0));
    let work = || {
        let (ran, inside) = (Arc::clone(&ran), Arc::clone(&inside));
        move || {
            assert_eq!(inside.fetch_add(1, Ordering::Relaxed), 0);
            std::hint::spin_loop();
            inside.fetch_sub(1, Ordering::Relaxed);
            ran.fetch_add(1, Ordering::Relaxed);
            Ok(())
        }
    };
    const ROUNDS: usize = 500;
    std::thread::scope(|scope| {
        for thread in 0..4 {
            let queue = &queue;
            scope.spawn(move || {
                for round in 0..ROUNDS {
                    match (thread, round % 10) {
                        (0 | 1, _) => assert!(blocking(queue, &unwanted(&[]), work()).is_ok()),
                        (2, 9) => queue.finish(),
                        (2, _) => bare(queue, Box::new(work())),
                        (_, 0) => assert_eq!(free(queue, &[], Box::new(work())).wait(), CL_COMPLETE),
                        (..) => {
                            free(queue, &[], Box::new(work()));
                            queue.flush();
                        }
                    }
                }
            });
        }
    });
    queue.flush();
    while ran.load(Ordering::Relaxed) != 4 * ROUNDS - ROUNDS / 10 {
        std::thread::yield_now();
    }
}

#[test]
fn every_thread_that_finishes_finds_its_commands_done() {
    let queue = queue(0);
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
                        bare(queue, Box::new(work));
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
    // A worker may still be looking for commands; that takes a short time.
    let weak = Arc::downgrade(&queue);
    drop(queue);
    while weak.strong_count() != 0 {
        std::thread::yield_now();
    }
}

#[test]
fn a_sleeper_wakes_when_the_command_has_ended_not_the_batch() {
    for _ in 0..300 {
        let queue = queue(0);
        let (tell, told) = mpsc::channel();
        bare(&queue, Box::new(|| Ok(())));
        bare(&queue, Box::new(|| Ok(())));
        let wait = move || {
            told.recv().unwrap();
            Ok(())
        };
        bare(&queue, Box::new(wait));
        std::thread::scope(|scope| {
            scope.spawn(|| queue.finish());
            scope.spawn(|| in_order(&queue).ended.sleep_until(1, &in_order(&queue).state));
            in_order(&queue).ended.sleep_until(2, &in_order(&queue).state);
            assert!(!in_order(&queue).ended.reaches(3));
            tell.send(()).unwrap();
        });
        assert!(in_order(&queue).ended.reaches(3));
    }
}

#[test]
fn what_a_command_without_event_kept_is_let_go_when_it_fails() {
    let queue = queue(0);
    let token = Arc::new(());
    for _ in 0..40 {
        let held = Arc::clone(&token);
        let work = move || {
            let _held = held;
            panic!("on purpose")
        };
        bare(&queue, Box::new(work));
    }
    queue.finish();
    assert_eq!(Arc::strong_count(&token), 1);
}
