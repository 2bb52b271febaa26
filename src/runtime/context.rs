//! Contexts: a set of devices that share memory objects, programs and kernels.

use std::ffi::c_void;
use std::sync::Arc;

use super::device::Device;
use super::error::Error;
use super::object::{Body, Object, Parent};
use super::svm::Allocations;
use crate::cl::*;
use crate::support::sync::Mutex;

/// A destructor callback, called with the handle of what is destroyed.
pub type Destructor = Box<dyn FnOnce(*mut c_void) + Send>;

/// Where a context reports errors that no return code tells.
pub type Notify = Box<dyn Fn(&str) + Send + Sync>;

/// What cl_context points to.
pub struct Context {
    devices: Vec<Parent<Device>>,
    /// The list the context was made with, with the 0 at the end; empty if there was none.
    properties: Vec<cl_context_properties>,
    notify: Option<Notify>,
    destructors: Mutex<Vec<Destructor>>,
    svm: Allocations,
}

impl Body for Context {
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
        let mut unique: Vec<Parent<Device>> = Vec::with_capacity(devices.len());
        for device in devices {
            if !unique.iter().any(|d| d.is(device)) {
                unique.push(Parent::new(device));
            }
        }
        Object::new(Self {
            devices: unique,
            properties,
            notify,
            destructors: Mutex::default(),
            svm: Allocations::default(),
        })
    }

    /// The devices in the order they were named.
    pub fn devices(&self) -> &[Parent<Device>] {
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
