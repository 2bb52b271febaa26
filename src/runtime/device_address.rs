//! Buffers with a fixed address (cl_ext_buffer_device_address). Every buffer has one here, that of its memory, which is
//! the same for all devices and the host. A context knows the buffers whose addresses the application may ask for, so
//! that a launch keeps alive what it reaches by an address.

use std::collections::BTreeMap;
use std::sync::{Arc, Weak};

use super::context::Context;
use super::error::{Error, Result};
use super::memory::Mem;
use super::object::Object;
use crate::cl::*;
use grus_support::sync::Mutex;

/// Buffers of a context whose addresses are known, by the address of their first byte. Of several buffers that begin
/// at the same address of the application's memory, the last one counts.
#[derive(Default)]
pub(super) struct AddressedBuffers(Mutex<BTreeMap<usize, Addressed>>);

struct Addressed {
    size: usize,
    buffer: Weak<Object<Mem>>,
}

impl AddressedBuffers {
    fn add(&self, mem: &Arc<Object<Mem>>) {
        let buffer = Addressed { size: mem.size(), buffer: Arc::downgrade(mem) };
        self.0.lock().insert(mem.base().address(), buffer);
    }

    /// Removes the buffer that begins at an address, if it is gone.
    pub fn remove(&self, address: usize) {
        let mut buffers = self.0.lock();
        if buffers.get(&address).is_some_and(|found| found.buffer.strong_count() == 0) {
            buffers.remove(&address);
        }
    }

    /// Returns the buffer that contains an address.
    pub fn around(&self, address: usize) -> Option<Weak<Object<Mem>>> {
        let buffers = self.0.lock();
        let (start, found) = buffers.range(..=address).next_back()?;
        (address - start < found.size).then(|| Weak::clone(&found.buffer))
    }
}

impl Object<Mem> {
    /// Makes the address of a new buffer known (CL_MEM_DEVICE_PRIVATE_ADDRESS_EXT).
    pub fn keep_address(self: &Arc<Self>) {
        self.note_address();
        self.context().addressed().add(self);
    }

    /// Returns CL_MEM_DEVICE_ADDRESS_EXT: an address for each device of the context.
    pub fn device_addresses(&self) -> Result<Vec<cl_mem_device_address_ext>> {
        if !self.has_known_address() {
            return Err(Error::InvalidOperation);
        }
        Ok(vec![self.base().address() as cl_mem_device_address_ext; self.context().devices().len()])
    }
}

impl Context {
    /// Returns the buffers that contain one of these addresses.
    pub(super) fn buffers_around(&self, addresses: &[usize]) -> Vec<Weak<Object<Mem>>> {
        addresses.iter().filter_map(|&address| self.addressed().around(address)).collect()
    }
}
