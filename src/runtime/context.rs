//! Contexts: a set of devices that share memory objects, programs and kernels.

use std::ffi::c_void;
use std::sync::{Arc, Weak};

use super::device::Device;
use super::error::Error;
use super::object::{Object, ObjectBody, ParentRef};
use super::queue::Queue;
use super::svm::Allocations;
use crate::cl::*;
use crate::support::sync::Mutex;

/// A destructor callback, called with the handle of what is destroyed.
pub type Destructor = Box<dyn FnOnce(*mut c_void) + Send>;

/// Where a context reports errors that no return code tells.
pub type Notify = Box<dyn Fn(&str) + Send + Sync>;

/// What cl_context points to.
pub struct Context {
    devices: Vec<ParentRef<Device>>,
    /// The list the context was made with, with the 0 at the end; empty if there was none.
    properties: Vec<cl_context_properties>,
    notify: Option<Notify>,
    destructors: Mutex<Vec<Destructor>>,
    svm: Allocations,
    /// The default queue on each device that has one; the application keeps it alive.
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
    /// A context of `devices`; a device named twice counts once.
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
            svm: Allocations::default(),
            default_queues: Mutex::default(),
        })
    }

    /// The devices in the order they were named.
    pub fn devices(&self) -> &[ParentRef<Device>] {
        &self.devices
    }

    /// Whether `device` is one of this context's.
    pub fn has_device(&self, device: &Object<Device>) -> bool {
        self.devices.iter().any(|d| d.is(device))
    }

    /// CL_CONTEXT_PROPERTIES.
    pub fn properties(&self) -> &[cl_context_properties] {
        &self.properties
    }

    /// The largest buffer any device of this context can have.
    pub fn max_alloc_size(&self) -> u64 {
        self.devices.iter().map(|d| d.max_alloc_size()).max().unwrap_or(0)
    }

    /// The widest image that any device of this context can see in a buffer, in texels.
    pub fn max_image_buffer_size(&self) -> usize {
        self.devices.iter().map(|d| d.max_image_buffer_size()).max().unwrap_or(0)
    }

    /// The shared virtual memory that was allocated here.
    pub(super) fn svm(&self) -> &Allocations {
        &self.svm
    }

    /// The default queue on a device of this context.
    pub fn default_queue(&self, device: &Object<Device>) -> Option<Arc<Object<Queue>>> {
        let queues: Vec<_> = self.default_queues.lock().iter().filter_map(Weak::upgrade).collect();
        queues.into_iter().find(|queue| std::ptr::eq(&**queue.device(), device))
    }

    /// Makes a queue on the device the default one, in the place of another if there is one.
    pub fn set_default_queue(&self, queue: &Arc<Object<Queue>>) {
        // Dropped without the lock.
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

    /// Tells the application about an error that no return code tells.
    pub fn report(&self, message: &str) {
        if let Some(notify) = &self.notify {
            notify(message);
        }
    }

    /// Registers a function to be called when the context is destroyed; the last one comes first.
    pub fn on_destruction(&self, destructor: Destructor) {
        self.destructors.lock().push(destructor);
    }
}
