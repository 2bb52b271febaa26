//! Context without state.

use std::sync::Arc;

use super::device::Device;
use super::error::{Error, Result};
use super::object::{Object, ObjectBody};
use super::queue::Queue;
use crate::cl::cl_context_properties;

pub struct Context(());

impl ObjectBody for Context {
    const INVALID: Error = Error::InvalidContext;
}

impl Context {
    pub fn create(
        _devices: &[Arc<Object<Device>>],
        _properties: Vec<cl_context_properties>,
        _notify: Option<()>,
    ) -> Arc<Object<Self>> {
        Object::new(Self(()))
    }

    pub fn has_device(&self, _device: &Object<Device>) -> bool {
        true
    }

    pub fn default_queue(&self, _device: &Object<Device>) -> Option<Arc<Object<Queue>>> {
        None
    }

    pub fn set_default_queue(&self, _queue: &Arc<Object<Queue>>) {}

    pub fn add_queue(&self, _queue: &Arc<Object<Queue>>) -> Result<()> {
        Ok(())
    }
}
