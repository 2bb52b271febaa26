//! Launch trees: every child runs once, no child is left when the launch is complete, and no thread waits for ever.

use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

use grus_model::exec::{Code, Fault, QUEUE, run_tree};
use grus_model::harness::{explore, explore_within};
use grus_model::rtlib::enqueue::{EnqueueError, EnqueueSink, Request};
use grus_model::support::bug::{PanicSite, have_bug, panic_on_purpose};

const NO_WAIT: u64 = 0;
const WAIT_KERNEL: u64 = 1;
const WAIT_WORK_GROUP: u64 = 2;

/// Enqueues a block. Returns its event.
fn enqueue(sink: &dyn EnqueueSink, block: u64, flags: u64, waits: &[u64]) -> Result<u64, EnqueueError> {
    enqueue_with(sink, block, flags, waits, true)
}

/// Enqueues a block without an event.
fn enqueue_child(sink: &dyn EnqueueSink, block: u64, flags: u64) {
    assert_eq!(enqueue_with(sink, block, flags, &[], false), Ok(0));
}

fn enqueue_with(
    sink: &dyn EnqueueSink,
    block: u64,
    flags: u64,
    waits: &[u64],
    wants_event: bool,
) -> Result<u64, EnqueueError> {
    let closure = [block];
    let request = Request {
        queue: QUEUE,
        flags,
        range: [1, 0, 0, 0, 1, 1, 1, 1, 1, 1],
        waits,
        wants_event,
        descriptor: block,
        closure: closure.as_ptr().cast(),
        local_sizes: &[],
    };
    // SAFETY: the closure object has eight bytes, as all blocks of this model.
    unsafe { sink.enqueue(&request) }
}

fn counting(count: &Arc<AtomicUsize>) -> Box<Code> {
    let count = Arc::clone(count);
    Box::new(move |_| {
        count.fetch_add(1, Ordering::Relaxed);
        Ok(())
    })
}

#[test]
fn children_run_once_on_any_thread() {
    for workers in [0, 1, 2] {
        // Three threads with two interruptions take a minute: those are of the second tier.
        let preemptions = if workers == 2 { 1 } else { 2 };
        for flags in [NO_WAIT, WAIT_KERNEL, WAIT_WORK_GROUP] {
            for wants_event in [true, false] {
                explore_within(preemptions, workers, move || {
                    let count = Arc::default();
                    let root = move |sink: &dyn EnqueueSink| {
                        for _ in 0..3 {
                            enqueue_with(sink, 0, flags, &[], wants_event).expect("there is room");
                        }
                        Ok(())
                    };
                    assert_eq!(run_tree(workers + 1, Box::new(root), vec![counting(&count)]), Ok(()));
                    assert_eq!(count.load(Ordering::Relaxed), 3);
                });
            }
        }
    }
}

#[test]
fn children_of_children_and_what_waits_for_them() {
    explore(1, || {
        let count = Arc::default();
        let root = |sink: &dyn EnqueueSink| {
            let first = enqueue(sink, 1, NO_WAIT, &[]).expect("there is room");
            let second = enqueue(sink, 0, NO_WAIT, &[first]).expect("there is room");
            let marker = sink.marker(QUEUE, &[first, second]).expect("there is room");
            enqueue(sink, 0, WAIT_KERNEL, &[marker]).expect("there is room");
            Ok(())
        };
        let middle = |sink: &dyn EnqueueSink| {
            enqueue(sink, 0, NO_WAIT, &[]).expect("there is room");
            enqueue(sink, 0, WAIT_WORK_GROUP, &[]).expect("there is room");
            Ok(())
        };
        let blocks: Vec<Box<Code>> = vec![counting(&count), Box::new(middle)];
        assert_eq!(run_tree(2, Box::new(root), blocks), Ok(()));
        assert_eq!(count.load(Ordering::Relaxed), 4);
    });
}

/// The command from which children without events descend counts them: a command that waits for it also waits for
/// them.
#[test]
fn children_without_events_are_of_the_command_above() {
    explore(1, || {
        let count = Arc::<AtomicUsize>::default();
        let seen = Arc::clone(&count);
        let root = |sink: &dyn EnqueueSink| {
            let first = enqueue(sink, 1, NO_WAIT, &[]).expect("there is room");
            enqueue(sink, 3, NO_WAIT, &[first]).expect("there is room");
            Ok(())
        };
        // Creates grandchildren, one of which begins when its parent has ended.
        let first = |sink: &dyn EnqueueSink| {
            enqueue_child(sink, 2, WAIT_KERNEL);
            Ok(())
        };
        let second = |sink: &dyn EnqueueSink| {
            enqueue_child(sink, 0, NO_WAIT);
            enqueue_child(sink, 0, WAIT_WORK_GROUP);
            Ok(())
        };
        let last = move |_: &dyn EnqueueSink| {
            assert_eq!(seen.load(Ordering::Relaxed), 2);
            seen.fetch_add(1, Ordering::Relaxed);
            Ok(())
        };
        let blocks: Vec<Box<Code>> =
            vec![counting(&count), Box::new(first), Box::new(second), Box::new(last)];
        assert_eq!(run_tree(2, Box::new(root), blocks), Ok(()));
        assert_eq!(count.load(Ordering::Relaxed), 3);
    });
}

/// A child without an event faults, and so does the command above it. The commands that it has enqueued for its end
/// do not run.
#[test]
fn a_fault_of_a_child_without_an_event_fails_what_waits_for_the_command_above() {
    explore(1, || {
        let count = Arc::default();
        let root = |sink: &dyn EnqueueSink| {
            let first = enqueue(sink, 1, NO_WAIT, &[]).expect("there is room");
            enqueue(sink, 0, NO_WAIT, &[first]).expect("there is room");
            Ok(())
        };
        let first = |sink: &dyn EnqueueSink| {
            enqueue_child(sink, 2, NO_WAIT);
            Ok(())
        };
        let bad = |sink: &dyn EnqueueSink| {
            for flags in [WAIT_KERNEL, WAIT_WORK_GROUP] {
                enqueue_child(sink, 0, flags);
            }
            Err(Fault::new("bad"))
        };
        let blocks: Vec<Box<Code>> = vec![counting(&count), Box::new(first), Box::new(bad)];
        let fault = run_tree(2, Box::new(root), blocks).expect_err("it has one");
        assert_eq!(fault.message, "bad");
        assert_eq!(count.load(Ordering::Relaxed), 0);
    });
}

/// A user event of the kernel, which a child completes, or which is never completed.
#[test]
fn what_waits_for_a_user_event_runs_or_fails() {
    for completes in [true, false] {
        explore(1, move || {
            let (count, event) = (Arc::default(), Arc::new(AtomicUsize::new(0)));
            let made = Arc::clone(&event);
            let root = move |sink: &dyn EnqueueSink| {
                let user = sink.user_event();
                made.store(user as usize, Ordering::Relaxed);
                enqueue(sink, 0, NO_WAIT, &[user]).expect("there is room");
                // Either of the two commands may run first.
                for _ in 0..2 {
                    enqueue(sink, 1, NO_WAIT, &[]).expect("there is room");
                }
                Ok(())
            };
            let child = move |sink: &dyn EnqueueSink| {
                if completes {
                    sink.complete(event.load(Ordering::Relaxed) as u64, true);
                }
                Ok(())
            };
            let result = run_tree(2, Box::new(root), vec![counting(&count), Box::new(child)]);
            assert_eq!(result.is_ok(), completes);
            assert_eq!(count.load(Ordering::Relaxed), usize::from(completes));
        });
    }
}

/// A child faults or panics: commands that wait for its event do not run, others do, and the launch fails.
#[test]
fn a_fault_of_a_child_fails_the_launch() {
    for panics in [false, true] {
        explore(1, move || {
            let count = Arc::default();
            let root = |sink: &dyn EnqueueSink| {
                let bad = enqueue(sink, 1, NO_WAIT, &[]).expect("there is room");
                enqueue(sink, 0, NO_WAIT, &[bad]).expect("there is room");
                enqueue(sink, 0, NO_WAIT, &[]).expect("there is room");
                Ok(())
            };
            let bad = move |_: &dyn EnqueueSink| match panics {
                true => panic_on_purpose(),
                false => Err(Fault::new("bad")),
            };
            let fault =
                run_tree(2, Box::new(root), vec![counting(&count), Box::new(bad)]).expect_err("it has one");
            assert_eq!(fault.message, if panics { "bug" } else { "bad" });
            assert_eq!(count.load(Ordering::Relaxed), 1);
        });
    }
}

/// A bug of the executor itself on a helping thread. The tree ends all the same, after its helpers. Bugs under a
/// lock are not tested, since the locks of `loom` do not survive them.
#[test]
fn a_bug_of_ours_ends_the_tree() {
    for (workers, wants_event) in [(1, true), (1, false), (2, true), (2, false)] {
        explore(workers, move || {
            have_bug(Some(PanicSite::Children));
            let count = Arc::<AtomicUsize>::default();
            let root = move |sink: &dyn EnqueueSink| {
                for _ in 0..4 {
                    enqueue_with(sink, 0, NO_WAIT, &[], wants_event).expect("there is room");
                }
                Ok(())
            };
            let result = run_tree(workers + 1, Box::new(root), vec![counting(&count)]);
            have_bug(None);
            let ran = count.load(Ordering::Relaxed);
            assert!(result.is_err() || ran == 4);
            // No thread runs any more.
            grus_model::harness::close();
            assert_eq!(count.load(Ordering::Relaxed), ran);
        });
    }
}
