//! Common setup of the scenarios.

#![allow(dead_code, reason = "not every file of tests needs all of it")]

use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

use grus_model::cl::*;
use grus_model::runtime::context::Context;
use grus_model::runtime::device::Device;
use grus_model::runtime::error::Result;
use grus_model::runtime::event::Event;
use grus_model::runtime::object::Object;
use grus_model::runtime::queue::{Queue, QueueOrder};

/// Properties of an out-of-order and an in-order queue.
pub const KINDS: [cl_command_queue_properties; 2] = [CL_QUEUE_OUT_OF_ORDER_EXEC_MODE_ENABLE, 0];

pub fn context() -> Arc<Object<Context>> {
    Context::create(&[], Vec::new(), None)
}

pub fn queue(kind: cl_command_queue_properties) -> Arc<Object<Queue>> {
    let device = Object::new(Device::root());
    Queue::create(&context(), &device, kind, None, Vec::new()).expect("a queue")
}

/// Enqueues a command that waits for the given events only.
pub fn free(
    queue: &Arc<Object<Queue>>,
    waits: &[Arc<Object<Event>>],
    work: impl FnOnce() -> Result<()> + Send + 'static,
) -> Arc<Object<Event>> {
    queue.enqueue(CL_COMMAND_NATIVE_KERNEL, waits, QueueOrder::Free, Some(Box::new(work))).expect("memory")
}

/// Enqueues a command without an event.
pub fn bare(queue: &Arc<Object<Queue>>, work: impl FnOnce() -> Result<()> + Send + 'static) {
    queue.enqueue_bare(Box::new(work)).expect("memory");
}

/// Returns work that increments `count`.
pub fn counting(count: &Arc<AtomicUsize>) -> impl FnOnce() -> Result<()> + Send + 'static {
    let count = Arc::clone(count);
    move || {
        count.fetch_add(1, Ordering::Relaxed);
        Ok(())
    }
}

/// Gate at which the application waits without OpenCL.
pub struct Gate {
    arrived: loom::sync::Mutex<usize>,
    changed: loom::sync::Condvar,
}

impl Gate {
    pub fn new() -> Arc<Gate> {
        Arc::new(Gate { arrived: loom::sync::Mutex::new(0), changed: loom::sync::Condvar::new() })
    }

    pub fn arrive(&self) -> Result<()> {
        *self.arrived.lock().expect("nobody panics here") += 1;
        self.changed.notify_all();
        Ok(())
    }

    pub fn wait_for(&self, count: usize) {
        let mut arrived = self.arrived.lock().expect("nobody panics here");
        while *arrived < count {
            arrived = self.changed.wait(arrived).expect("nobody panics here");
        }
    }
}
