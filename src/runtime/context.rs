//! Contexts: a set of devices that share memory objects, programs and kernels.

use std::ffi::c_void;
use std::sync::{Arc, Weak};

use super::allocations::Allocations;
use super::device::Device;
use super::device_address::AddressedBuffers;
use super::error::{Error, Result};
use super::object::{Object, ObjectBody, ParentRef};
use super::queue::Queue;
use crate::cl::*;
use grus_support::sync::Mutex;

/// Destructor callback, called with the handle of the destroyed object.
pub type Destructor = Box<dyn FnOnce(*mut c_void) + Send>;

/// Callback of the application for errors that no return code reports.
pub type Notify = Box<dyn Fn(&str) + Send + Sync>;

/// Body of a cl_context.
pub struct Context {
    devices: Vec<ParentRef<Device>>,
    /// Property list that the context was created with, including the final 0; empty if there was none.
    properties: Vec<cl_context_properties>,
    notify: Option<Notify>,
    destructors: Mutex<Vec<Destructor>>,
    allocations: Allocations,
    addressed: AddressedBuffers,
    /// Host queues, some of which may be gone.
    queues: Mutex<Vec<Weak<Object<Queue>>>>,
    /// Default queue of each device that has one. The application keeps the queues alive.
    default_queues: Mutex<Vec<Weak<Object<Queue>>>>,
}

impl ObjectBody for Context {
    const INVALID: Error = Error::InvalidContext;

    fn destroyed(&mut self, handle: *mut c_void) {
        while let Some(destructor) = self.destructors.get_mut().pop() {
            destructor(handle);
        }
    }
}

impl Context {
    /// Creates a context for `devices`, in which a device that is named twice counts once.
    pub fn create(
        devices: &[Arc<Object<Device>>],
        properties: Vec<cl_context_properties>,
        notify: Option<Notify>,
    ) -> Arc<Object<Self>> {
        let mut unique: Vec<ParentRef<Device>> = Vec::with_capacity(devices.len());
        for device in devices {
            if !unique.iter().any(|d| d.is(device)) {
                unique.push(ParentRef::new(device));
            }
        }
        Object::new(Self {
            devices: unique,
            properties,
            notify,
            destructors: Mutex::default(),
            allocations: Allocations::default(),
            addressed: AddressedBuffers::default(),
            queues: Mutex::default(),
            default_queues: Mutex::default(),
        })
    }

    /// Returns the devices in the order in which they were named.
    pub fn devices(&self) -> &[ParentRef<Device>] {
        &self.devices
    }

    /// Checks whether `device` is in this context.
    pub fn has_device(&self, device: &Object<Device>) -> bool {
        self.devices.iter().any(|d| d.is(device))
    }

    /// Returns the NUMA node to which all devices belong, on a machine with several.
    pub(super) fn node(&self) -> Option<usize> {
        let node = self.devices.first()?.node();
        node.filter(|_| self.devices.iter().all(|device| device.node() == node))
    }

    /// Returns CL_CONTEXT_PROPERTIES.
    pub fn properties(&self) -> &[cl_context_properties] {
        &self.properties
    }

    /// Returns the size in bytes of the largest buffer that any device of this context supports.
    pub fn max_alloc_size(&self) -> u64 {
        self.devices.iter().map(|d| d.max_alloc_size()).max().unwrap_or(0)
    }

    /// Returns the width in texels of the largest image from a buffer that any device of this context supports.
    pub fn max_image_buffer_size(&self) -> usize {
        self.devices.iter().map(|d| d.max_image_buffer_size()).max().unwrap_or(0)
    }

    /// Returns the allocations of shared virtual memory and unified shared memory of this context.
    pub(super) fn allocations(&self) -> &Allocations {
        &self.allocations
    }

    /// Returns the buffers of this context whose addresses are known.
    pub(super) fn addressed(&self) -> &AddressedBuffers {
        &self.addressed
    }

    /// Adds a host queue, for the functions that concern all of them.
    pub(super) fn add_queue(&self, queue: &Arc<Object<Queue>>) -> Result<()> {
        let mut queues = self.queues.lock();
        // The list grows only if most of its queues are alive.
        if queues.len() == queues.capacity() {
            queues.retain(|queue| queue.strong_count() > 0);
            let live = queues.len();
            queues.try_reserve(live.max(4))?;
        }
        queues.push(Arc::downgrade(queue));
        Ok(())
    }

    /// Returns the host queues.
    fn live_queues(&self) -> Vec<Arc<Object<Queue>>> {
        self.queues.lock().iter().filter_map(Weak::upgrade).collect()
    }

    /// Keeps a value until every command enqueued so far to any queue of this context has ended.
    pub(super) fn keep_while_busy<T: Send + Sync + 'static>(&self, value: T) {
        let value = Arc::new(value);
        self.live_queues().iter().for_each(|queue| queue.keep_while_busy(&value));
    }

    /// Waits until every command enqueued so far to any queue of this context has ended.
    pub(super) fn finish(&self) {
        let queues = self.live_queues();
        // Commands of one queue may wait for those of another.
        queues.iter().for_each(|queue| queue.flush());
        queues.iter().for_each(|queue| queue.finish());
    }

    /// Returns the default queue on a device of this context.
    pub fn default_queue(&self, device: &Object<Device>) -> Option<Arc<Object<Queue>>> {
        let queues: Vec<_> = self.default_queues.lock().iter().filter_map(Weak::upgrade).collect();
        queues.into_iter().find(|queue| std::ptr::eq(&**queue.device(), device))
    }

    /// Makes a queue its device's default queue, in place of the previous one.
    pub fn set_default_queue(&self, queue: &Arc<Object<Queue>>) {
        // Queues are dropped after the lock is released.
        let mut before = Vec::new();
        let mut queues = self.default_queues.lock();
        queues.retain(|other| {
            let other = other.upgrade();
            let stays = other.as_ref().is_some_and(|other| !Arc::ptr_eq(other.device(), queue.device()));
            before.extend(other);
            stays
        });
        queues.push(Arc::downgrade(queue));
    }

    /// Reports an error to the application that no return code reports.
    pub fn report(&self, message: &str) {
        if let Some(notify) = &self.notify {
            notify(message);
        }
    }

    /// Registers a function to call when the context is destroyed. Functions are called in reverse order of
    /// registration.
    pub fn on_destruction(&self, destructor: Destructor) {
        self.destructors.lock().push(destructor);
    }
}
